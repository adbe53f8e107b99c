/* Waiting for locks of files, and who has them (lock.h). */
#include "base/lock.h"

#include <errno.h>
#include <stdio.h>
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

/* A line is `1: FLOCK  ADVISORY  WRITE 4711 fe:00:8192 0 EOF`. */
pid_t lock_holder(const char *file)
{
    FILE *fp = fopen("/proc/locks", "re");
    char line[256], kind[16];
    pid_t holder = 0;
    struct stat st;

    if (fp && stat(file, &st) == 0) {
        while (!holder && fgets(line, sizeof(line), fp)) {
            unsigned major, minor;
            unsigned long long inode;
            int pid;
            if (sscanf(line, "%*s %*s %*s %15s %d %x:%x:%llu", kind, &pid,
                       &major, &minor, &inode)
                    == 5
                && kind[0] == 'W' && pid > 0 && pid != getpid()
                && makedev(major, minor) == st.st_dev && inode == st.st_ino
                && (kill(pid, 0) == 0 || errno != ESRCH))
                holder = pid;
        }
    }
    if (fp)
        fclose(fp);
    return holder;
}
