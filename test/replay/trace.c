/* Reads a trace in the Standard Workload Format: a line of 18 numbers for each
   job; empty lines, and lines that begin with a semicolon, are comments. */
#include "replay.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Larger integers are not exact in a double. */
static const double WHOLE_MOST = 9007199254740992.0;

static struct job **by_number; /* all jobs, in the order of their numbers */

static void read_fields(const char *path, const char *line, struct job *j)
{
    const char *at = line;
    int n = 0;

    for (; *at; n++) {
        size_t len = strcspn(at, " \t\r\n");
        char *end;
        double value = strtod(at, &end);

        if (end != at + len || !isfinite(value))
            die("%s:%lu: field %d: \"%.*s\" is not a number", path, j->line,
                n + 1, (int)len, at);
        if (n < FIELDS)
            j->field[n] = value;
        at += len + strspn(at + len, " \t\r\n");
    }
    if (n != FIELDS)
        die("%s:%lu: a record has %d fields, this line has %d", path, j->line,
            FIELDS, n);
}

static void check_whole(const char *path, const struct job *j, enum field k)
{
    double value = j->field[k];

    if (value != floor(value) || fabs(value) > WHOLE_MOST)
        die("%s:%lu: field %d: %.15g is not an integer", path, j->line, k + 1,
            value);
}

/* Find out what the job asks for. Returns false if the record is skipped. */
static bool take(struct trace *t, struct job *j, double processors)
{
    double *f = j->field;

    if (f[PROCESSORS] <= 0)
        f[PROCESSORS] = f[USED_PROCESSORS];
    f[USED_PROCESSORS] = f[PROCESSORS];
    j->duration = f[TIME] > 0 ? f[TIME] : fmax(f[RUN], 1);
    if (f[STATUS] >= 2 && f[STATUS] <= 4)
        t->parts++;
    else if (f[JOB] < 0 || f[SUBMIT] < 0 || f[RUN] < 0 || f[PROCESSORS] < 1)
        t->incomplete++;
    else if (f[PROCESSORS] > processors)
        t->larger++;
    else
        return true;
    return false;
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_submission(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    int order = compare(x->field[SUBMIT], y->field[SUBMIT]);

    return order ? order : compare((double)x->line, (double)y->line);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct job *x = *(struct job *const *)a, *y = *(struct job *const *)b;
    int order = compare(x->field[JOB], y->field[JOB]);

    return order ? order : compare((double)x->line, (double)y->line);
}

/* Sort the jobs in both orders. A number that comes twice is an error. */
static void sort(struct trace *t, const char *path)
{
    qsort(t->job, t->n, sizeof(*t->job), by_submission);
    by_number = malloc(t->n * sizeof(struct job *));
    if (!by_number)
        abort();
    for (size_t i = 0; i < t->n; i++)
        by_number[i] = &t->job[i];
    qsort(by_number, t->n, sizeof(struct job *), compare_numbers);
    for (size_t i = 1; i < t->n; i++)
        if (by_number[i]->field[JOB] == by_number[i - 1]->field[JOB])
            die("%s:%lu: job %.0f is in line %lu already", path,
                by_number[i]->line, by_number[i]->field[JOB],
                by_number[i - 1]->line);
}

void trace_read(struct trace *t, const char *path, double processors)
{
    FILE *fp = fopen(path, "r");
    char *line = NULL;
    size_t size = 0, room = 0;
    struct job j = {.line = 0};

    if (!fp)
        die("%s: %s", path, strerror(errno));
    while (getline(&line, &size, fp) >= 0) {
        const char *text = line + strspn(line, " \t\r\n");

        j.line++;
        if (*text == '\0' || *text == ';')
            continue;
        read_fields(path, text, &j);
        check_whole(path, &j, JOB);
        check_whole(path, &j, USED_PROCESSORS);
        check_whole(path, &j, PROCESSORS);
        if (!take(t, &j, processors))
            continue;
        if (t->n == room) {
            room = room * 2 + 1024;
            t->job = realloc(t->job, room * sizeof(*t->job));
            if (!t->job)
                abort();
        }
        t->job[t->n++] = j;
    }
    if (ferror(fp))
        die("%s: %s", path, strerror(errno));
    fclose(fp);
    free(line);
    if (t->n == 0)
        die("%s: there is no job to replay", path);
    sort(t, path);
}

struct job *trace_find(const struct trace *t, double number)
{
    size_t low = 0, high = t->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (by_number[middle]->field[JOB] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->n && by_number[low]->field[JOB] == number ? by_number[low]
                                                              : NULL;
}
