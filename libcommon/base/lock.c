#include "base/lock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double steady_time(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void wake(int signal)
{
    (void)signal;
}

void lock_wait_begin(struct lock_wait *w, double seconds)
{
    const struct sigaction action = {.sa_handler = wake};
    const struct itimerval every = {{0, 100000}, {0, 100000}};
    sigset_t alarm;

    w->end = steady_time() + seconds;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigaction(SIGALRM, &action, &w->action);
    sigprocmask(SIG_UNBLOCK, &alarm, &w->blocked);
    setitimer(ITIMER_REAL, &every, NULL);
}

bool lock_wait_over(const struct lock_wait *w)
{
    return steady_time() >= w->end;
}

void lock_wait_end(const struct lock_wait *w)
{
    const struct itimerval never = {0};

    setitimer(ITIMER_REAL, &never, NULL);
    sigprocmask(SIG_SETMASK, &w->blocked, NULL);
    sigaction(SIGALRM, &w->action, NULL);
}

/*
 * Return the process with a lock for writing on a file, if this line of
 * /proc/locks is about the file; otherwise 0:
 *
 *     1: FLOCK  ADVISORY  WRITE 4711 fe:00:8192 0 EOF
 */
static pid_t holder_in(char *line, const struct stat *st)
{
    char *fields[6], *rest = NULL, *at;
    unsigned long major, minor;
    long pid;

    for (int i = 0; i < 6; i++)
        if (!(fields[i] = strtok_r(i ? NULL : line, " ", &rest)))
            return 0;
    pid = strtol(fields[4], NULL, 10);
    major = strtoul(fields[5], &at, 16);
    minor = *at ? strtoul(at + 1, &at, 16) : 0;
    if (*fields[3] != 'W' || pid <= 0 || pid != (pid_t)pid || !*at
        || makedev((unsigned)major, (unsigned)minor) != st->st_dev
        || strtoull(at + 1, NULL, 10) != st->st_ino)
        return 0;
    return (pid_t)pid;
}

pid_t lock_holder(const char *file)
{
    FILE *fp = fopen("/proc/locks", "re");
    char line[256];
    pid_t holder = 0;
    struct stat st;

    if (fp && stat(file, &st) == 0)
        while (!holder && fgets(line, sizeof(line), fp)) {
            holder = holder_in(line, &st);
            if (holder == getpid() || (kill(holder, 0) < 0 && errno == ESRCH))
                holder = 0;
        }
    if (fp)
        fclose(fp);
    return holder;
}
