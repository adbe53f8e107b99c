/* Reads a trace line by line, and the Standard Workload Format (trace.h). */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/near.h"
#include "base/time.h"
#include "source/trace_private.h"

/* --- jobs ----------------------------------------------------------------- */

int trace_add(struct trace *t, struct trace_job *job, struct diag *d)
{
    const char **names[] = {&job->name, &job->owner, &job->queue, &job->part};

    if (!job->name || !isfinite(job->submitted) || job->submitted < 0
        || job->run < 0 || (job->cores == 0 && job->nodes == 0)) {
        t->skipped[TRACE_INCOMPLETE]++;
        return 0;
    }
    if (job->submitted + job->run > TIME_CALENDAR || job->limit > TIME_CALENDAR)
        return diag_set(d, "job %s: %.15g seconds: no job lasts that long",
                        job->name, fmax(job->limit, job->run));
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (*names[i])
            *names[i] = map_intern(&t->words, *names[i], strlen(*names[i]));
    job->place = t->n;
    VECTOR_ADD(t->jobs, t->n, *job);
    return 0;
}

static int by_submission(const void *a, const void *b)
{
    const struct trace_job *x = a, *y = b;
    int c = COMPARE(x->submitted, y->submitted);

    return c ? c : COMPARE(x->place, y->place);
}

/* --- the Standard Workload Format ----------------------------------------- */

/* Fields of a record; -1 means that a value is not known. */
enum {
    JOB,
    SUBMIT,
    RUN = 3,
    USED_PROCESSORS,
    PROCESSORS = 7, /* requested */
    TIME,           /* requested */
    STATUS = 10,    /* 2 to 4: the record is a part of another one */
    USER,
    QUEUE = 14,
    PARTITION,
    FIELDS = 18
};

/* Larger integers are not exact in a double. */
static const double WHOLE_MOST = 9007199254740992.0;

static const char *number_text(double value, char buf[32])
{
    if (value < 0)
        return NULL;
    snprintf(buf, 32, "%.0f", value);
    return buf;
}

static int read_record(struct trace *t, const char *line, double since,
                       struct diag *d)
{
    char name[32], owner[32], queue[32], part[32];
    const char *at = line + strspn(line, " \t");
    double f[FIELDS], processors;
    struct trace_job job;
    int n = 0;

    for (; *at; n++) {
        size_t len = strcspn(at, " \t");
        char *end;
        double value = strtod(at, &end);
        bool whole = n == JOB || n == USED_PROCESSORS || n == PROCESSORS;

        if (end != at + len || !isfinite(value)
            || (whole && (value != floor(value) || fabs(value) > WHOLE_MOST)))
            return diag_set(d, "field %d: %s is not %s", n + 1,
                            quote(at, len).text,
                            whole ? "an integer" : "a number");
        if (n < FIELDS)
            f[n] = value;
        at += len;
        at += strspn(at, " \t");
    }
    if (n != FIELDS)
        return diag_set(d, "a record has 18 fields, and this line %d", n);
    if (f[STATUS] >= 2 && f[STATUS] <= 4) {
        t->skipped[TRACE_PART]++;
        return 0;
    }
    processors = f[PROCESSORS] > 0 ? f[PROCESSORS] : f[USED_PROCESSORS];
    if (processors > TRACE_CORES_MAX)
        return diag_set(d, "field %d: %.15g processors: no machine has them",
                        f[PROCESSORS] > 0 ? PROCESSORS + 1
                                          : USED_PROCESSORS + 1,
                        processors);
    job = (struct trace_job){.name = number_text(f[JOB], name),
                             .submitted = f[SUBMIT] < 0 ? -1
                                                        : since + f[SUBMIT],
                             .run = f[RUN],
                             .limit = f[TIME] > 0 ? f[TIME] : fmax(f[RUN], 1),
                             .cores = processors > 0 ? (uint32_t)processors : 0,
                             .owner = number_text(f[USER], owner),
                             .queue = number_text(f[QUEUE], queue),
                             .part = number_text(f[PARTITION], part)};
    return trace_add(t, &job, d);
}

/* --- lines ---------------------------------------------------------------- */

enum trace_kind trace_kind_of(const char *name, struct diag *d)
{
    static const char *const names[] = {"swf", "flux", "sacct"};
    int i = word_index(name, names, 3, d);

    return i < 0 ? TRACE_KINDS : (enum trace_kind)(TRACE_SWF + i);
}

/* Open a file; what gzip has compressed is read through it. *pipe: it is
   closed with pclose(). */
static FILE *open_trace(const char *path, bool *pipe, struct diag *d)
{
    /* the shell inherits it */
    FILE *fp = strcmp(path, "-") != 0 ? fopen(path, "r") : stdin, *through;
    int first, second;
    char command[64];

    *pipe = false;
    if (!fp) {
        diag_set(d, "%s", strerror(errno));
        return NULL;
    }
    first = getc(fp);
    second = first == 0x1f ? getc(fp) : EOF;
    if (first != 0x1f || second != 0x8b) {
        if (second != EOF)
            ungetc(second, fp);
        if (first != EOF)
            ungetc(first, fp);
        return fp;
    }
    if (fp == stdin) {
        diag_set(d, "standard input is compressed: use gzip -dc");
        return NULL;
    }
    lseek(fileno(fp), 0, SEEK_SET);
    snprintf(command, sizeof(command), "exec gzip -dc <&%d", fileno(fp));
    *pipe = true;
    through = popen(command, "re");
    fclose(fp);
    if (!through)
        diag_set(d, "gzip: %s", strerror(errno));
    return through;
}

/* Read the rest of a document, which begins with a line. */
static int read_json(struct trace *t, FILE *fp, const char *first,
                     enum trace_kind kind, struct diag *d)
{
    char *text, buf[1 << 16];
    size_t len, n;
    FILE *mem = memory_open(&text, &len);
    int rc;

    fputs(first, mem);
    while ((n = fread(buf, 1, sizeof(buf), fp)) > 0)
        fwrite(buf, 1, n, mem);
    memory_close(mem);
    rc = trace_read_json(t, text, len, kind, d);
    free(text);
    return rc;
}

static int read_lines(struct trace *t, FILE *fp, enum trace_kind kind,
                      struct diag *d)
{
    static const char start[] = "UnixStartTime:";
    struct trace_columns columns;
    char *line = NULL, *text;
    size_t size = 0;
    unsigned long number = 0;
    double since = 0;
    bool header = true;
    ssize_t len;
    int rc = 0;

    while (rc == 0 && (len = getline(&line, &size, fp)) >= 0) {
        number++;
        text = line + strspn(line, " \t\r\n");
        if ((*text == '{' || *text == '[') && header && kind != TRACE_SWF) {
            rc = read_json(t, fp, text, kind, d);
            break;
        }
        if (memchr(line, '\0', (size_t)len)) {
            diag_set(d, "a NUL byte");
            rc = diag_in(d, "line %lu", number);
            break;
        }
        text[strcspn(text, "\r\n")] = '\0';
        if (*text == ';' && kind != TRACE_SACCT) {
            /* a comment may say when the clock of the trace begins */
            const char *at = strstr(text, start);
            double time = at ? strtod(at + strlen(start), NULL) : -1;
            if (time >= 0 && time < TIME_CALENDAR)
                since = time;
            continue;
        }
        if (*text == '\0')
            continue;
        if (kind == TRACE_ANY)
            kind = strchr(text, '|') ? TRACE_SACCT : TRACE_SWF;
        rc = kind == TRACE_FLUX  ? diag_set(d, "a JSON document is expected")
             : kind == TRACE_SWF ? read_record(t, text, since, d)
             : header            ? trace_read_header(&columns, text, d)
                                 : trace_read_row(t, &columns, text, d);
        header = false;
        if (rc < 0)
            diag_in(d, "line %lu", number);
    }
    if (rc == 0 && ferror(fp))
        rc = diag_set(d, "%s", strerror(errno));
    free(line);
    return rc;
}

int trace_read(struct trace *t, const char *path, enum trace_kind kind,
               struct diag *d)
{
    const char *name = strcmp(path, "-") != 0 ? path : "stdin";
    bool pipe;
    FILE *fp;
    int rc;

    *t = (struct trace){0};
    if (!(fp = open_trace(path, &pipe, d)))
        return diag_source(d, "%s", name);
    rc = read_lines(t, fp, kind, d);
    if (!pipe)
        fclose(fp);
    else if (pclose(fp) != 0)
        rc = diag_set(d, "gzip has failed");
    if (rc == 0 && t->n == 0)
        rc = diag_set(d, "there is no job to replay");
    if (rc < 0) {
        trace_fini(t);
        return diag_source(d, "%s", name);
    }
    qsort(t->jobs, t->n, sizeof(*t->jobs), by_submission);
    return 0;
}

void trace_fini(struct trace *t)
{
    free(t->jobs);
    map_fini(&t->words);
    *t = (struct trace){0};
}
