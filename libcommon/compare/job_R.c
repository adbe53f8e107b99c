/* R's of jobs (job_R.h). */
#include "compare/job_R.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/near.h"
#include "compare/algebra.h"
#include "compare/align.h"
#include "compare/cover.h"
#include "compare/expand.h"
#include "model/change/ranks.h"
#include "model/document/shorthand.h"
#include "model/records/usage.h"
#include "model/tree/types.h"
#include "schedule/filter.h"
#include "schedule/plan.h"

enum job_form job_form_of(const char *name, struct diag *d)
{
    static const char *const names[JOB_FORMS] = {
        [JOB_FORM_SHORTHAND] = "shorthand",
        [JOB_FORM_R] = "r",
        [JOB_FORM_RV1] = "rv1",
        [JOB_FORM_RV1_COMPACT] = "rv1-compact"};
    int i = word_index(name, names, JOB_FORMS, d);

    return i < 0 ? JOB_FORMS : (enum job_form)i;
}

char *job_R_text(struct rset *R, enum job_form form, enum dialect dialect,
                 struct diag *d)
{
    bool plain = form == JOB_FORM_R || !rset_has_graph(R);
    const struct rset_style style = {
        .form = plain                  ? FORM_R
                : form == JOB_FORM_RV1 ? FORM_RV1
                                       : FORM_RV1_COMPACT,
        .dialect = dialect,
        .shorthand = !plain && form == JOB_FORM_SHORTHAND};
    size_t len;
    char *text = rset_text(R, &style, &len, d);

    if (text)
        text[len - 1] = '\0';
    return text;
}

struct rset *job_R_read(const char *text, size_t len, const char *name,
                        char **fault, struct diag *d)
{
    struct diag why = {0}, unused;
    struct rset *R = rset_read_text(text, len, name, TRUST_NONE, &why);
    json_t *all = R ? NULL : json_read(text, len, true, &unused);
    char *rest;

    if (json_object_del(all, "scheduling") == 0) {
        rest = json_dumps(all, JSON_COMPACT);
        R = rset_read_text(rest, strlen(rest), name, TRUST_NONE, &unused);
        free(rest);
    }
    if (fault)
        *fault = R && all ? xstrdup(diag_line(&why).text) : NULL;
    json_decref(all);
    if (!R)
        *d = why;
    return R;
}

/* Pools around ranks that are taken away are not held whole any more. */
static void open_around(struct rset *R, const struct idset *ranks)
{
    struct vertex **targets;
    size_t n = rset_targets(R, &targets);

    for (size_t i = 0; i < n; i++)
        if (targets[i]->rank >= 0
            && idset_contains(ranks, (uint32_t)targets[i]->rank))
            for (struct vertex *up = targets[i]->parent; up; up = up->parent)
                up->exclusive = false;
    free(targets);
}

/* Give the hosts of an R their ranks in the inventory. Returns the new ranks of
   some of them. */
static struct idset *adopt_ranks(struct rset *R, const struct idset *some,
                                 const struct rset *inventory)
{
    struct idset *now;
    struct idset_iter it;
    struct diag unused;
    uint32_t *old, rank;

    if (rset_adopt_ranks(R, inventory, &old, &unused) < 0)
        return idset_copy(some);
    now = idset_create();
    idset_iter_init(&it, R->ranks);
    for (size_t i = 0; idset_iter_next(&it, &rank); i++)
        if (idset_contains(some, old[i]))
            idset_add(now, rank, rank);
    free(old);
    return now;
}

/* Does a set have everything that an R names? */
static bool has_all(struct rset *rs, struct rset *R)
{
    char *lacks;

    selection_destroy(cover_known(rs, R, &lacks));
    free(lacks);
    return !lacks;
}

struct rset *job_R_without(struct rset *R, const struct idset *ranks,
                           struct rset *inventory, struct diag *d)
{
    struct rset *part = NULL, *plain;
    struct idset *left, *adopted = NULL;
    int rc = 0;

    if (!R->ranks || !idset_overlaps(R->ranks, ranks))
        return R;
    if (rset_partial(R))
        ranks = adopted = adopt_ranks(R, ranks, inventory);
    left = idset_subtract(R->ranks, ranks);
    if (!rset_has_graph(R)) {
        part = rset_on_ranks(R, left, true);
    } else if (rset_partial(R)) {
        if ((plain = rset_plain(R, true, d)))
            part = rset_on_ranks(plain, left, true);
        rset_destroy(plain);
        /* R_lite counts if the graph can't be completed as it was */
        if (rset_expand_shorthand(R, inventory, EXPAND_KNOWN, d) == 0 && part
            && has_all(R, part)) {
            rset_destroy(part);
            part = NULL;
        }
    }
    idset_destroy(left);
    if (part) {
        rset_destroy(R);
        R = part;
    } else {
        open_around(R, ranks);
        part = rset_on_ranks(R, ranks, false);
        rc = rset_subtract(R, part, d);
        rset_destroy(part);
    }
    idset_destroy(adopted);
    if (rc == 0)
        return R;
    rset_destroy(R);
    return NULL;
}

/* Give the job what the set has of an R and what is free. Returns false if the
   R does not fit the set. *note: the first thing that it did not get, a new
   string; NULL: it got all. */
static bool hold(struct usage *u, const char *job, struct rset *R,
                 struct term *terms, double now, char **note)
{
    struct selection *sel = cover_known(usage_rset(u), R, note);
    bool fits = sel;
    char *in_way = NULL;

    if (sel && sel->picks) {
        plan_take_whole(sel);
        terms->nslots = selection_open_slots(sel);
        in_way = plan_take_free(u, job, sel, terms, now);
    }
    selection_destroy(sel);
    if (*note)
        free(in_way);
    else
        *note = in_way;
    return fits;
}

/* Does R_lite list everything in an R? */
static bool is_plain(struct rset *R)
{
    const struct vertex *v = rset_first(R);

    while (v && (v->child || rlite_lists(R, v)))
        v = rset_next(R, v);
    return !v;
}

char *job_R_gone(const struct rset *inventory, const struct rset *R)
{
    struct idset *gone, *at, *there;
    char *ranks, *names, *note = NULL;

    if (!R->ranks)
        return NULL;
    if (R->hosts && inventory->hosts) {
        at = hostlist_positions(R->hosts, inventory->hosts);
        there = idset_pick(R->ranks, at);
        gone = idset_subtract(R->ranks, there);
        idset_destroy(there);
        idset_destroy(at);
    } else {
        gone = idset_subtract(R->ranks, inventory->ranks);
    }
    ranks = idset_encode(gone);
    names = R->hosts ? rset_hosts_text(R, gone) : NULL;
    if (!idset_empty(gone))
        xasprintf(&note, "targets %s%s%s%s are gone", ranks, names ? " (" : "",
                  names ? names : "", names ? ")" : "");
    idset_destroy(gone);
    free(ranks);
    free(names);
    return note;
}

char *job_R_hold(struct usage *u, const char *job, struct rset *R,
                 struct term *terms, double now)
{
    struct diag d = {0};
    bool graph = rset_has_graph(R) && rset_has_graph(usage_rset(u)), fits;
    struct rset *plain = NULL, *whole = R; /* R with what shorthand omits */
    char *note, *also;

    if (graph && rset_partial(R) && (plain = rset_plain(R, true, &d)))
        whole = rset_duplicate(R);
    fits = hold(u, job, whole, terms, now, &note);
    /* R_lite may list what the graph does not, or not where the set has it; in
       a shorthand it alone lists what a node had. */
    if (graph && (plain || (note && (plain = rset_plain(R, true, &d))))) {
        hold(u, job, plain, terms, now, &also);
        if (!note || (!fits && also) || is_plain(whole)) {
            free(note);
            note = also;
        } else {
            free(also);
        }
    }
    if (whole != R)
        rset_destroy(whole);
    rset_destroy(plain);
    return note;
}
