/*
 * generate JOBS SEED PROCESSORS LARGEST EVERY: print a trace in the Standard
 * Workload Format, the same for the same arguments.
 *
 * A job has at most LARGEST processors, and runs for 10 seconds to 12 hours;
 * small and short jobs are as frequent as large and long ones are in a
 * logarithmic scale. Three of four sizes are powers of two. A job asks for one
 * to four times its run time, rounded up to minutes or hours. EVERY is the mean
 * number of seconds between two submissions, which do not depend on each other;
 * 0 means that jobs need nine tenths of PROCESSORS in the long run.
 */
#include <math.h>

#include "../unit/random.h"

static const double SHORTEST = 10, LONGEST = 12 * 3600.0, LOAD = 0.9;

struct job {
    double gap, run, processors, time;
};

/* Return a number above 0, and below 1. */
static double fraction(void)
{
    return (random_below(1u << 30) + 0.5) / (1u << 30);
}

/* Return a number from `least` to `most`, in a logarithmic scale. */
static double draw(double least, double most)
{
    return least * pow(most / least, fraction());
}

static void draw_job(struct job *j, double largest)
{
    double unit;

    j->gap = -log(fraction());
    j->processors = draw(1, largest + 1);
    if (random_below(4))
        j->processors = exp2(floor(log2(j->processors)));
    j->processors = floor(j->processors);
    j->run = floor(draw(SHORTEST, LONGEST));
    j->time = j->run * draw(1, 4);
    unit = j->time <= 3600 ? 300 : 3600;
    j->time = ceil(j->time / unit) * unit;
}

static double argument(const char *text, double least)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !isfinite(value) || value < least
        || value > 1e9) {
        fprintf(stderr,
                "generate: \"%s\": a number of at least %g is expected"
                "\n",
                text, least);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    double processors, largest, every, at = 0, work = 0;
    struct job *jobs;
    size_t n;

    if (argc != 6) {
        fprintf(stderr, "usage: generate JOBS SEED PROCESSORS LARGEST EVERY\n");
        return 2;
    }
    n = (size_t)argument(argv[1], 1);
    random_state = (uint64_t)argument(argv[2], 0);
    processors = argument(argv[3], 1);
    largest = argument(argv[4], 1);
    every = argument(argv[5], 0);
    jobs = calloc(n, sizeof(*jobs));
    if (!jobs)
        abort();

    for (size_t i = 0; i < n; i++) {
        draw_job(&jobs[i], largest);
        work += jobs[i].processors * jobs[i].run;
    }
    if (every == 0)
        every = work / (double)n / processors / LOAD;
    printf("; generate %s %s %s %s %s\n", argv[1], argv[2], argv[3], argv[4],
           argv[5]);
    for (size_t i = 0; i < n; i++) {
        at += jobs[i].gap * every;
        printf("%zu %.0f -1 %.0f %.0f -1 -1 %.0f %.0f -1 1 %u -1 -1 -1 -1 -1 "
               "-1\n",
               i + 1, floor(at), jobs[i].run, jobs[i].processors,
               jobs[i].processors, jobs[i].time, random_below(100));
    }
    free(jobs);
    return ferror(stdout) | fclose(stdout) ? 2 : 0;
}
