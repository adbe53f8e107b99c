/* Does a job of `idset` (job.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/lines.h"
#include "job.h"
#include "set/hostlist.h"

/* A value, borrowed or owned. */
struct result {
    const void *value;
    void *owned;
    bool lacking; /* a requested position does not exist */
};

static void replace(const struct idset_job *job, struct result *r, void *by)
{
    void *old = r->owned;

    r->value = r->owned = by;
    job->kind->destroy(old);
}

/* Do one step. `line` stands for standard input. */
static void do_step(const struct idset_job *job, struct result *r,
                    const struct job_step *step, const void *line)
{
    const void *value = step->set.value ? step->set.value : line;

    if (!r->value && (step->op == JOB_UNION || step->op == JOB_XOR)) {
        r->value = value;
        return;
    }
    if (!r->value)
        replace(job, r, job->kind->create());
    if ((step->op == JOB_UNION || step->op == JOB_XOR)
        && job->kind == &kind_hosts
        && hostlist_count(r->value) + hostlist_count(value) > job->hosts.max)
        cli_die("more than %" PRIu64 " hosts", job->hosts.max);
    replace(job, r, job->kind->combine[step->op](r->value, value));
}

/* Return the chosen positions out of `count`. */
static struct idset *positions_of(const struct job_pick *pick, uint64_t count,
                                  uint64_t seed)
{
    uint64_t n = pick->n < count ? pick->n : count;
    uint32_t last = (uint32_t)(count - 1);
    struct idset *all, *some;

    if (count == 0 || (pick->choice != JOB_NTH && n == 0))
        return idset_create();
    if (pick->choice == JOB_HEAD)
        return idset_create_range(0, (uint32_t)(n - 1));
    if (pick->choice == JOB_TAIL)
        return idset_create_range((uint32_t)(count - n), last);
    if (pick->choice == JOB_NTH)
        return idset_copy(pick->positions);
    if (n > IDSET_RANGES_MAX && count - n > IDSET_RANGES_MAX)
        cli_die("--pick: at most %d can be picked at random", IDSET_RANGES_MAX);
    all = idset_create_range(0, last);
    some = idset_sample(all, n, seed);
    idset_destroy(all);
    return some;
}

static void do_pick(const struct idset_job *job, struct result *r,
                    const struct job_pick *pick)
{
    uint64_t count = job->kind->count(r->value);
    struct idset *at = positions_of(pick, count, job->seed);

    if (pick->choice == JOB_NTH && !idset_empty(pick->positions))
        r->lacking |= idset_last(pick->positions) + !pick->from_end > count;
    if (pick->from_end) { /* where 1 is the last */
        struct idset *from_end = at;

        at = idset_create();
        for (size_t i = idset_nranges(from_end); i-- > 0;) {
            struct idrange range = idset_range(from_end, i);
            uint64_t lo = range.lo ? range.lo : 1,
                     hi = range.hi < count ? range.hi : count;

            if (lo <= hi)
                idset_add(at, (uint32_t)(count - hi), (uint32_t)(count - lo));
        }
        idset_destroy(from_end);
    }
    replace(job, r, job->kind->pick(r->value, at));
    idset_destroy(at);
}

static void end_line(const struct idset_job *job)
{
    putchar_unlocked(job->null ? '\0' : '\n');
}

static void print_part(const struct idset_job *job, const void *value)
{
    /* does the separator also end the list? */
    bool terminated = job->answer == ANSWER_FORM && job->list
                      && (job->null || strcmp(job->between, "\n") == 0);
    struct diag d = {0};

    if (job->answer == ANSWER_COUNT)
        printf("%" PRIu64, job->kind->count(value));
    else if (job->kind->write(job, value, stdout, &d) < 0)
        cli_die_diag(&d);
    if (!terminated || job->kind->count(value) > 0)
        end_line(job);
}

static void print_parts(const struct idset_job *job, const void *value)
{
    uint64_t count = job->kind->count(value), n;
    union job_walk walk;

    job->kind->walk(&walk, value);
    for (uint64_t i = 0; (n = job->kind->run(&walk)) > 0; i++) {
        void *part;

        if (job->parts == PARTS_SPLIT) /* the first ones are larger by one */
            n = count / job->nparts + (i < count % job->nparts);
        part = job->kind->take(&walk, n);
        print_part(job, part);
        job->kind->destroy(part);
    }
}

/* Print the requested id or host. Returns false if there is none. */
static bool print_one(const struct idset_job *job, const void *value)
{
    struct job_pick end = {.choice = JOB_HEAD, .n = 1};
    struct result one = {.value = value};
    struct diag d = {0};
    uint32_t id;
    bool found;

    if (job->answer == ANSWER_FIRST || job->answer == ANSWER_LAST) {
        end.choice = job->answer == ANSWER_FIRST ? JOB_HEAD : JOB_TAIL;
        do_pick(job, &one, &end);
    } else {
        id = job->answer == ANSWER_NEXT ? idset_next(value, job->id)
                                        : idset_prev(value, job->id);
        replace(job, &one, idset_create_range(id, id)); /* empty if invalid */
    }
    found = job->kind->count(one.value) > 0;
    if (found && job->kind->write(job, one.value, stdout, &d) < 0)
        cli_die_diag(&d);
    if (found || job->lines)
        end_line(job);
    job->kind->destroy(one.owned);
    return found;
}

/* Answer for a value. Returns false if the answer is negative. */
static bool answer(const struct idset_job *job, const void *value)
{
    for (size_t i = 0; i < job->nchecks; i++) {
        const struct job_check *c = &job->checks[i];

        if (c->test == JOB_EMPTY
                ? job->kind->count(value) != 0
                : !job->kind->test[c->test](value, c->set.value))
            return false;
    }
    if (job->nchecks && !job->lines)
        return true;
    if (job->answer == ANSWER_INDEX) { /* the answer is no if any is missing */
        struct idset *at = job->kind->positions(value, job->of.value);

        if (!idset_empty(at) || job->lines) {
            idset_write(at, stdout);
            end_line(job);
        }
        idset_destroy(at);
        return job->kind->test[JOB_CONTAINS](value, job->of.value);
    }
    if (job->answer >= ANSWER_FIRST)
        return print_one(job, value);
    if (job->parts == PARTS_ONE)
        print_part(job, value);
    else
        print_parts(job, value);
    return true;
}

/* Work out a value and answer for it. `line` stands for standard input. */
static bool answer_for(const struct idset_job *job, const void *line)
{
    struct result r = {NULL, NULL, false};
    bool yes;

    for (size_t i = 0; i < job->nsteps; i++)
        do_step(job, &r, &job->steps[i], line);
    if (job->universe.value)
        replace(job, &r,
                job->kind->combine[JOB_EXCLUDE](job->universe.value, r.value));
    if (job->sort || job->unique) /* of hosts; numbers are in order */
        replace(job, &r, hostlist_sort(r.value, job->unique));
    for (size_t i = 0; i < job->npicks; i++)
        do_pick(job, &r, &job->picks[i]);
    yes = answer(job, r.value) && !r.lacking;
    job->kind->destroy(r.owned);
    return yes;
}

static bool answer_line(const struct idset_job *job, const struct lines *in,
                        size_t number)
{
    void *line = job->kind->create();
    struct diag d = {0};
    bool yes;

    if (job->kind->read(job, line, in->text, in->len, number, &d) < 0)
        cli_die_in(&d, in->name);
    job->kind->settle(line);
    yes = answer_for(job, line);
    job->kind->destroy(line);
    return yes;
}

/* Write out answers, because another program may wait for them. */
static void flush(void *arg)
{
    (void)arg;
    cli_flush();
}

static void free_set(const struct idset_job *job, struct job_set *set)
{
    job->kind->destroy(set->value);
    free(set->text);
}

static void end(struct idset_job *job)
{
    for (size_t i = 0; i < job->nsteps; i++)
        free_set(job, &job->steps[i].set);
    for (size_t i = 0; i < job->nchecks; i++)
        free_set(job, &job->checks[i].set);
    for (size_t i = 0; i < job->npicks; i++)
        idset_destroy(job->picks[i].positions);
    job->kind->destroy(job->universe.value);
    free_set(job, &job->of);
    free(job->steps);
    free(job->checks);
    free(job->picks);
}

/*
 * With --lines answer each line by itself before waiting for the next one. With
 * tests this is a filter such as grep: the status is 0 if any line passed.
 * Otherwise it is 0 if every line had an answer.
 */
int job_run(struct idset_job *job)
{
    size_t number = 0, yes = 0;
    struct lines in;
    bool good;

    job_load(job);
    if (job->lines) {
        lines_open(&in, "-");
        in.waits = flush;
        while (!ferror(stdout) && lines_next(&in))
            yes += answer_line(job, &in, ++number);
        if (in.fault && memchr(in.text, '\0', in.len))
            answer_line(job, &in, ++number); /* NUL is the worse fault */
        lines_close(&in);
        lines_check(&in);
        good = job->nchecks ? yes > 0 : yes == number;
    } else {
        good = answer_for(job, NULL);
    }
    end(job);
    return good ? STATUS_OK : STATUS_NO;
}
