/*
 * The commands of rset-alloc, from text to text: read a document, allocate or
 * release something, and write it. As in a pipe, only bytes pass from one step
 * to the next.
 */
#ifndef TEST_UNIT_TEXTS_H
#define TEST_UNIT_TEXTS_H

#include "compare/cover.h"
#include "model/records/path.h"
#include "request/request.h"
#include "schedule/filter.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "schedule/ledger.h"
#include "schedule/match.h"
#include "schedule/plan.h"
#include "sets.h"

#define UNUSED __attribute__((unused))

/* A document in work. */
struct desk {
    struct rset *rs;
    struct usage *u;
};

static struct desk desk_open(const char *text)
{
    struct rset *rs = read_set(text);

    return (struct desk){rs, usage_begin(rs)};
}

/* Return the text of a part, or NULL if it can't be expressed. Takes the part
   over. */
static char *part_text(const struct desk *desk, struct selection *sel,
                       enum rset_form form)
{
    struct rset *part = rset_extract(desk->rs, sel);
    char *text = write_set(part, form);

    rset_destroy(part);
    selection_destroy(sel);
    return text;
}

/* Return the document as it is now, and clear the desk. */
static char *desk_text(struct desk *desk)
{
    char *text;

    text = write_set(desk->rs, FORM_AS_READ);
    rset_destroy(desk->rs);
    return text;
}

static void desk_drop(struct desk *desk)
{
    rset_destroy(desk->rs);
}

/* --- requests ----------------------------------------------------------- */

static uint64_t *option_value(struct request_options *opts, char letter)
{
    switch (letter) {
    case 'N':
        return &opts->nodes;
    case 'n':
        return &opts->nslots;
    case 'c':
        return &opts->cores_per_slot;
    default:
        return &opts->gpus_per_slot;
    }
}

/* Short options, "-N2 -n4 -c2", or a shape. */
static struct request *request_of(const char *text)
{
    struct request_options opts = {0};
    struct diag d = {0};

    if (*text != '-')
        return request_from_shape(text, &d);
    for (; (text = strchr(text, '-')); text += 2) {
        if (text[1] == 'x')
            opts.exclusive = true;
        else
            *option_value(&opts, text[1]) = strtoull(text + 2, NULL, 10);
    }
    return request_from_options(&opts, &d);
}

/* --- pools by path ------------------------------------------------------ */

/* "/PATH=N SUBSYSTEM:/PATH=N": units of pools. */
static struct selection *select_paths(struct rset *rs, const char *text)
{
    struct selection *sel = selection_create();
    char *copy = strdup(text), *rest = copy, *word;

    while ((word = strsep(&rest, " "))) {
        char *eq = strrchr(word, '=');
        struct diag d = {0};
        struct lot *lot;
        *eq = '\0';
        lot = rset_find_lot(rs, word, &d);
        selection_take(sel, rs->usage, lot, strtoll(eq + 1, NULL, 10));
    }
    free(copy);
    return sel;
}

/* --- give --------------------------------------------------------------- */

/* To be allocated: a request, pools by their paths, or the resources of an
   R. */
struct gift {
    const char *request, *take, *R;
};

/* The job, and times. */
struct when {
    const char *owner;
    double now, start, end; /* 0: not given */
    bool staged;
};

static struct selection *find_request(struct desk *desk, const char *text,
                                      const struct term *terms, double now)
{
    struct match_options opts = {.now = now, .start = terms->start};
    double from = terms->start > now ? terms->start : now;
    struct request *req = request_of(text);
    struct selection *sel = NULL;
    struct diag d = {0};

    req->duration = terms->end > from ? terms->end - from : 0;
    if (match_find(desk->u, req, &opts, &sel, &d) != MATCH_FOUND)
        sel = NULL;
    request_destroy(req);
    return sel;
}

/* Select an R in a set that is not in use. NULL: a part of it is missing. */
static struct selection *select_R(struct rset *rs, const char *text)
{
    struct rset *part = read_set(text);
    struct selection *sel = NULL;
    struct diag d = {0};

    if (cover_select(rs, part, &sel, &d) != 0)
        sel = NULL;
    rset_destroy(part);
    return sel;
}

static struct selection *select_named(struct desk *desk,
                                      const struct gift *gift)
{
    return gift->R ? select_R(desk->rs, gift->R)
                   : select_paths(desk->rs, gift->take);
}

/* The given times, those of an R, or those of the job's other resources. */
static struct term terms_of(const struct desk *desk, const char *job,
                            const struct gift *gift, const struct when *when)
{
    struct term terms = ledger_terms(desk->u, job);

    if (job_find(desk->u, job))
        return terms;
    terms.owner = when->owner;
    terms.staged = when->staged;
    terms.start = when->start > 0 ? when->start : TIME_UNSET;
    terms.end = when->end > 0 ? when->end : TIME_UNSET;
    if (gift->R) {
        struct rset *part = read_set(gift->R);
        cover_times(desk->rs, part, &terms.start, &terms.end);
        rset_destroy(part);
    }
    terms.reserved = terms.start > when->now;
    return terms;
}

/* Return the document with the allocation; NULL: it failed. */
UNUSED static char *give(const char *text, const char *job,
                         const struct gift *gift, const struct when *when)
{
    struct desk desk = desk_open(text);
    struct term terms = terms_of(&desk, job, gift, when);
    char *owner = terms.owner ? strdup(terms.owner) : NULL, *after = NULL;
    unsigned flags = gift->request ? 0 : PLAN_CHOSEN;
    struct selection *plan;
    struct diag d = {0};

    terms.owner = owner;
    if (gift->R)
        flags |= PLAN_ANY_STATE;
    plan = gift->request ? find_request(&desk, gift->request, &terms, when->now)
                         : select_named(&desk, gift);
    if (plan && !gift->request)
        plan_take_whole(plan);
    if (plan
        && plan_check(desk.u, job, plan, &terms, when->now, flags, &d)
               == PLAN_GOOD) {
        if (!job_find(desk.u, job))
            terms.nslots = selection_open_slots(plan);
        ledger_allocate(desk.u, job, plan, &terms);
        after = desk_text(&desk);
    } else {
        desk_drop(&desk);
    }
    selection_destroy(plan);
    free(owner);
    return after;
}

/* --- release ------------------------------------------------------------ */

/* commit, abort or release. NULL if the job has nothing to do it with. */
UNUSED static char *settle(const char *text, const char *job,
                           bool (*how)(struct usage *, const char *))
{
    struct desk desk = desk_open(text);

    if (how(desk.u, job))
        return desk_text(&desk);
    desk_drop(&desk);
    return NULL;
}

/* Release the selection, and take it over. NULL: the job does not hold all of
   it. */
static char *shrink(struct desk *desk, const char *job, struct selection *sel)
{
    struct diag d = {0};
    char *after = NULL;

    if (sel && sel->picks && ledger_shrink(desk->u, job, sel, &d) == 0)
        after = desk_text(desk);
    else
        desk_drop(desk);
    selection_destroy(sel);
    return after;
}

UNUSED static char *give_back_R(const char *text, const char *job,
                                const char *R)
{
    struct rset *rs = read_set(text);
    struct selection *sel = select_R(rs, R);
    struct desk desk = {rs, usage_begin(rs)};

    if (sel)
        picks_fold(sel->picks);
    return shrink(&desk, job, sel);
}

UNUSED static char *give_back_targets(const char *text, const char *job,
                                      const char *ranks)
{
    struct diag d = {0};
    struct idset *set = NULL;
    struct rset *rs = read_set(text);
    struct filter filter = {.job = job, .held = true};
    struct selection *sel;
    struct desk desk;

    idset_decode(ranks, strlen(ranks), &set, &d);
    filter.targets = constraint_from_ranks(set);
    idset_destroy(set);
    sel = filter_select(rs, &filter);
    constraint_destroy(filter.targets);
    desk = (struct desk){rs, usage_begin(rs)};
    return shrink(&desk, job, sel);
}

/* --- questions ---------------------------------------------------------- */

/* Pools outside of containment get the root beside them. */
static struct selection *with_root(const struct rset *rs, struct selection *sel)
{
    struct pick *root;

    if (sel->picks && rs->root && sel->picks->v != rs->root) {
        root = selection_pick(sel, rs->root);
        pick_all_members(root);
        root->next = sel->picks;
        sel->picks = root;
    }
    return sel;
}

UNUSED static char *allocated(const char *text, const char *job, bool held,
                              enum rset_form form)
{
    struct desk desk = desk_open(text);
    struct selection *sel = ledger_allocated(desk.u, job, held, 0);
    char *R = part_text(&desk, with_root(desk.rs, sel), form);

    desk_drop(&desk);
    return R;
}

UNUSED static char *available(const char *text, double now)
{
    const struct period when = {.now = now, .from = now, .to = now};
    struct desk desk = desk_open(text);
    char *rest = part_text(&desk, ledger_available(desk.u, &when, false),
                           FORM_AS_READ);

    desk_drop(&desk);
    return rest;
}

/* Return the first broken rule on records, or NULL. */
UNUSED static const char *broken_rule(const char *text)
{
    struct faults faults = {.strict_records = true};
    struct diag d = {0};
    struct stream *s = stream_open_text(text, strlen(text), "test");
    const char *broken = NULL;

    if (rset_validate(s, TRUST_NONE, &faults, &d) != 1)
        broken = "unreadable";
    for (size_t i = 0; i < faults.n && !broken; i++)
        if (faults.list[i].level == FAULT_REFUSED
            || rule_on_records(faults.list[i].rule))
            broken = faults.list[i].rule->name;
    faults_fini(&faults);
    stream_close(s);
    return broken;
}

#endif /* TEST_UNIT_TEXTS_H */
