/*
 * Waiting for a lock on a file, for a limited time:
 *
 *     struct lock_wait w;
 *
 *     lock_wait_begin(&w, 60);
 *     while ((rc = flock(fd, LOCK_EX)) < 0 && errno == EINTR
 *            && !lock_wait_over(&w))
 *         ;
 *     lock_wait_end(&w);
 *
 * Between begin and end, SIGALRM interrupts a waiting call ten times a second.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct lock_wait {
    double end; /* seconds by the monotonic clock */
    /* the caller's SIGALRM action and blocked signals, to restore */
    struct sigaction action;
    sigset_t blocked;
};

void lock_wait_begin(struct lock_wait *w, double seconds);
bool lock_wait_over(const struct lock_wait *w);
void lock_wait_end(const struct lock_wait *w);

/*
 * Return the id of another process that has a lock for writing on a file, or 0
 * if none is known. The kernel names no process for a lock by F_OFD_SETLK
 * (fcntl(2)), for a process in another namespace, and on some file systems. A
 * process that passed its lock on and ended is not returned.
 */
pid_t lock_holder(const char *file);

#endif /* BASE_LOCK_H */
