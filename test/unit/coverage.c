/*
 * Linked into every program of `make coverage`. gcov counts in memory, and
 * writes files at the end of a process.
 *
 * - A process that ends by _exit() writes them, too.
 * - A child writes them, because a killed process would leave a broken file.
 * - Writing them does not fail with the allocations and writes that
 *   failing_malloc.c and failing_io.c count, nor with a soft limit.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void __gcov_dump(void);
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));

void __wrap__exit(int status)
{
    void (*stop)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "failing_stop");
    static const int limits[] = {RLIMIT_AS, RLIMIT_FSIZE};
    pid_t pid;

    if (stop)
        stop();
    signal(SIGCHLD, SIG_IGN); /* the child's writes are not ours */
    pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 2; i++) {
            struct rlimit limit;
            getrlimit(limits[i], &limit);
            limit.rlim_cur = limit.rlim_max;
            setrlimit(limits[i], &limit);
        }
        __gcov_dump();
    } else {
        waitpid(pid, NULL, 0);
    }
    __real__exit(status);
}

/* The last function at exit; gcov's own would write the files again. */
static void end(int status, void *unused)
{
    (void)unused;
    fflush(NULL);
    __wrap__exit(status);
}

__attribute__((constructor)) static void start(void)
{
    on_exit(end, NULL);
}
