/*
 * measure [-w] RUNS COMMAND [ARGUMENT...] [, COMMAND [ARGUMENT...]]...: run a
 * command RUNS times, discard its output, and print in one line
 *
 *     SECONDS KIB
 *
 * the least CPU time, or with -w the least elapsed time, and the largest peak
 * of the memory, of the command and its children. Several commands, with commas
 * between them, run in turn, again and again, and have a line each: a busy
 * machine delays all of them. Standard input must be /dev/null or the like,
 * because all runs share it. Status 2 if a run fails.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static bool elapsed; /* -w */

/* Return the time of one run, or -1 if it failed. Updates the peak. */
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
    return elapsed ? seconds() - start
                   : seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

enum { MOST_COMMANDS = 8 };

struct command {
    char **argv;
    double least;
    long peak;
};

/* Turn commas into the ends of commands. Returns the number of commands. */
static int split(char **argv, struct command *commands)
{
    int n = 0;

    commands[n++].argv = argv;
    for (; *argv; argv++) {
        if (strcmp(*argv, ",") != 0 || n == MOST_COMMANDS)
            continue;
        *argv = NULL;
        commands[n++].argv = argv + 1;
    }
    return n;
}

int main(int argc, char **argv)
{
    struct command commands[MOST_COMMANDS] = {0};
    char *end;
    long runs;
    int n;

    elapsed = argc > 1 && !strcmp(argv[1], "-w");
    argv += elapsed;
    argc -= elapsed;
    runs = argc > 2 ? strtol(argv[1], &end, 10) : 0;
    if (runs < 1 || *end) {
        fprintf(stderr, "usage: measure [-w] RUNS COMMAND [ARGUMENT...] "
                        "[, COMMAND [ARGUMENT...]]...\n");
        return 2;
    }
    n = split(argv + 2, commands);
    for (long i = 0; i < runs * n; i++) {
        struct command *c = &commands[i % n];
        double took = measure(c->argv, &c->peak);
        if (took < 0) {
            fprintf(stderr, "measure: %s: failed\n", c->argv[0]);
            return 2;
        }
        if (i < n || took < c->least)
            c->least = took;
    }
    for (struct command *c = commands; c < commands + n; c++)
        printf("%.6f %ld\n", c->least, c->peak);
    return 0;
}
