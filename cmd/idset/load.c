/* The sets that an idset job names are read here: arguments, input, files. */
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "private.h"

/* Count line feeds, in pieces of a length that the compiler can widen. */
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

/* Read all of a file, or of standard input if `path` is NULL. */
static void read_file(const struct idset_job *job, void *value,
                      const char *path)
{
    const char *text, *source = path ? path : "stdin";
    bool whole = idset_reader_is_whole(&job->ids);
    struct diag d = {0};
    struct input in;
    size_t len, line = 1;
    int rc;

    if (input_open(&in, path, &d) < 0)
        cli_die_in(&d, source);
    while ((rc = input_block(&in, whole, &text, &len, &d)) > 0) {
        if (job->kind->read(job, value, text, len, line, &d) < 0)
            cli_die_in(&d, source);
        line += count_lines(text, len);
    }
    if (rc < 0)
        cli_die_in(&d, source);
    input_close(&in);
}

/* Standard input can be read once only. */
static void read_input(const struct idset_job *job, void *value)
{
    static bool was_read;

    if (was_read || job->lines)
        cli_usage("standard input is named twice");
    was_read = true;
    read_file(job, value, NULL);
}

static void read_named(const struct idset_job *job, void *value,
                       const struct job_set *set)
{
    struct diag d = {0};

    if (strcmp(set->text, "-") == 0)
        read_input(job, value);
    else if (set->text[0] == '@' && set->text[1])
        read_file(job, value, set->text + 1);
    else if (job->kind->read(job, value, set->text, strlen(set->text), 0, &d)
             < 0)
        cli_die_in(&d, set->source);
}

static void read_set(const struct idset_job *job, struct job_set *set)
{
    if (!set->text)
        return;
    set->value = job->kind->create();
    read_named(job, set->value, set);
    job->kind->settle(set->value);
}

/*
 * Read the sets of all steps. Neighbours that are all to be united, or all
 * to be excluded, become one step: a thousand operands cost one sort.
 */
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
            read_named(job, set->value, &job->steps[i++].set);
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
    if (job->answer == ANSWER_INDEX)
        read_set(job, &job->of);
}

static void free_set(const struct idset_job *job, struct job_set *set)
{
    if (set->value)
        job->kind->destroy(set->value);
}

void job_unload(struct idset_job *job)
{
    for (size_t i = 0; i < job->nsteps; i++)
        free_set(job, &job->steps[i].set);
    for (size_t i = 0; i < job->nchecks; i++)
        free_set(job, &job->checks[i].set);
    for (size_t i = 0; i < job->npicks; i++)
        idset_destroy(job->picks[i].positions);
    free_set(job, &job->universe);
    free_set(job, &job->of);
    for (size_t i = 0; i < job->ntexts; i++)
        free(job->texts[i]);
    free(job->texts);
    free(job->steps);
    free(job->checks);
    free(job->picks);
}
