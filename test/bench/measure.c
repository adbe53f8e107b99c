/*
 * measure RUNS COMMAND [ARGUMENT...]: run a command a number of times with
 * its standard output thrown away, and print in one line
 *
 *     SECONDS KIB
 *
 * the median of the elapsed times and the greatest peak of the memory of the
 * command or one of its children. Standard input must be /dev/null or the
 * like, for it is the same in all runs. Status 2 if a run fails.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run(char **argv)
{
    int fd = open("/dev/null", O_WRONLY);

    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
        _exit(127);
    execvp(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

/* Returns the time of one run, -1 if it failed; keeps the greatest peak. */
static double measure(char **argv, long *peak)
{
    struct rusage usage;
    double start = seconds();
    pid_t pid = fork();
    int status;

    if (pid == 0)
        run(argv);
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
        return -1;
    if (usage.ru_maxrss > *peak)
        *peak = usage.ru_maxrss;
    return seconds() - start;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    enum { MOST = 1000 };
    static double times[MOST];
    char *end;
    long runs = argc > 2 ? strtol(argv[1], &end, 10) : 0, peak = 0;

    if (runs < 1 || runs > MOST || *end) {
        fprintf(stderr, "usage: measure RUNS COMMAND [ARGUMENT...]\n");
        return 2;
    }
    for (long i = 0; i < runs; i++) {
        times[i] = measure(argv + 2, &peak);
        if (times[i] < 0) {
            fprintf(stderr, "measure: %s: failed\n", argv[2]);
            return 2;
        }
    }
    qsort(times, (size_t)runs, sizeof(*times), compare);
    printf("%.6f %ld\n", times[runs / 2], peak);
    return 0;
}
