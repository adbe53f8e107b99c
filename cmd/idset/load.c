/* Reads the sets that an idset job names: arguments, standard input, files. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "job.h"

/* Count line feeds, in pieces of a length that the compiler can vectorize. */
static size_t count_lines(const char *text, size_t len)
{
    size_t n = 0, i = 0;

    for (; len - i >= 128; i += 128) {
        unsigned char piece = 0;

        for (int k = 0; k < 128; k++)
            piece = (unsigned char)(piece + (text[i + k] == '\n'));
        n += piece;
    }
    for (; i < len; i++)
        n += text[i] == '\n';
    return n;
}

/* A file that is read in big blocks. */
struct input {
    const char *source;
    int fd;
    char *bytes;
    size_t n, room;
    size_t word;  /* where the current word begins */
    uint64_t all; /* bytes read so far */
    bool over;    /* the end was reached, or a NUL byte was found */
};

/* Read more. Returns the end of the last complete line; 0 if there is none. */
static size_t read_on(struct input *in)
{
    enum { BLOCK = 256 * 1024 };
    char *at, *last;
    ssize_t n;

    if (in->n == in->room)
        VECTOR_ROOM(in->bytes, in->room, in->room + BLOCK);
    at = in->bytes + in->n;
    do
        n = read(in->fd, at, in->room - in->n);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        cli_die("%s: %s", in->source, strerror(errno));
    in->over = n == 0 || memchr(at, '\0', (size_t)n);
    in->n += (size_t)n;
    in->all += (size_t)n;
    /* find the current word */
    for (last = at + n; last > at && !strchr(", \t\r\n", last[-1]);)
        last--;
    if (last > at)
        in->word = (size_t)(last - in->bytes);
    if (in->n - in->word > CLI_LINE_MAX) /* an endless input could be one */
        cli_die("%s: a word of more than 64 MiB", in->source);
    last = memrchr(at, '\n', (size_t)n);
    return last ? (size_t)(last + 1 - in->bytes) : 0;
}

/*
 * Read all of a file, or of standard input if `path` is NULL. Blocks are cut at
 * line ends, so that no number or name is cut in two. Memory is that of a
 * block, or of the longest line.
 */
static void read_file(const struct idset_job *job, void *value,
                      const char *path)
{
    bool whole = idset_reader_is_whole(&job->ids);
    struct input in = {.source = path ? path : "stdin"};
    struct diag d = {0};
    size_t line = 1;

    progress_read(path ? path : "-");
    progress_count(&in.all);
    if (path && (in.fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        cli_die("%s: %s", path, strerror(errno));
    while (!in.over) {
        size_t len = read_on(&in);
        if (in.over)
            len = in.n;
        if (len == 0 || (whole && !in.over))
            continue;
        if (job->hostlist)
            hostlist_blank_comments(in.bytes, len);
        if (job->kind->read(job, value, in.bytes, len, line, &d) < 0)
            cli_die_in(&d, in.source);
        line += count_lines(in.bytes, len);
        in.n -= len;
        in.word -= in.word < len ? in.word : len;
        memmove(in.bytes, in.bytes + len, in.n);
    }
    progress_end();
    free(in.bytes);
    if (path)
        close(in.fd);
}

/* Read standard input, a file, or a set of the command line. */
static void read_named(const struct idset_job *job, void *value,
                       const struct job_set *set)
{
    static bool was_read; /* standard input can be read only once */
    const char *text = set->text;
    struct diag d = {0};

    if (strcmp(text, "-") == 0) {
        if (was_read || job->lines)
            cli_usage("standard input is named twice");
        was_read = true;
        read_file(job, value, NULL);
        return;
    }
    if (text[0] == '@' && text[1]) {
        read_file(job, value, text + 1);
        return;
    }
    if (job->kind->read(job, value, text, strlen(text), 0, &d) >= 0)
        return;
    if (!set->option)
        diag_source(&d, "argument %zu", set->number);
    if (!job->hostlist && !job->from && isalpha((unsigned char)*text)
        && strpbrk(text, "0123456789")) /* a host name among ids */
        snprintf(strchr(d.text, '\0'), sizeof(d.text) - strlen(d.text),
                 " (-H reads host names)");
    cli_die_in(&d, set->option);
}

static void read_set(const struct idset_job *job, struct job_set *set)
{
    if (!set->text)
        return;
    set->value = job->kind->create();
    read_named(job, set->value, set);
    job->kind->settle(set->value);
}

/* Read the sets of all steps. Consecutive unions, or exclusions, become one
   step, so that a thousand operands cost one sort. */
static void read_steps(struct idset_job *job)
{
    size_t n = 0;

    for (size_t i = 0; i < job->nsteps; n++) {
        struct job_step *first = &job->steps[i];
        struct job_set *set;

        job->steps[n] = *first;
        if (first->is_input && job->lines) {
            i++;
            continue;
        }
        set = &job->steps[n].set;
        set->value = job->kind->create();
        do {
            read_named(job, set->value, &job->steps[i].set);
            if (&job->steps[i] != first)
                free(job->steps[i].set.text);
            i++;
        } while (i < job->nsteps && job->steps[i].op == job->steps[n].op
                 && job->steps[n].op <= JOB_EXCLUDE
                 && !(job->steps[i].is_input && job->lines));
        job->kind->settle(set->value);
    }
    job->nsteps = n;
}

void job_load(struct idset_job *job)
{
    read_steps(job);
    read_set(job, &job->universe);
    for (size_t i = 0; i < job->nchecks; i++)
        read_set(job, &job->checks[i].set);
    read_set(job, &job->of);
}
