/*
 * The set on which the scheduler works. It is made of the resources that were
 * received, and may grow. With a keeper it includes the jobs of the kept set.
 *
 * Targets that are taken away stay in the set, down and not usable. Mostly they
 * come back unchanged, and then nothing has to be rebuilt.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/algebra.h"
#include "compare/diff.h"
#include "compare/responses.h"
#include "model/records/jobs.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "protocol/scheduler_private.h"
#include "schedule/filter.h"

/* --- states --------------------------------------------------------------- */

static void set_state(struct scheduler *s, const struct idset *ranks,
                      enum pool_state state)
{
    struct lots lots = {0};

    lots_of_ranks(s->u, ranks, &lots);
    for (size_t i = 0; i < lots.n; i++)
        if ((lots.list[i]->state == STATE_UP) != (state == STATE_UP))
            lot_set_state(s->u, lots.list[i], state);
    lots_join(s->u, &lots);
    free(lots.list);
}

void inventory_set_up(struct scheduler *s, const struct idset *ranks, bool up)
{
    if (up)
        idset_remove_set(s->down, ranks);
    else
        idset_add_set(s->down, ranks);
    if (s->u)
        set_state(s, ranks, up ? STATE_UP : STATE_DOWN);
}

/* --- the kept set --------------------------------------------------------- */

/* Drop the reasons why resources are not up. They belong to the states. */
static void forget_reasons(struct rset *facts)
{
    for (struct vertex *v = rset_first(facts); v; v = rset_next(facts, v)) {
        vertex_untag(v, "drained");
        vertex_untag(v, "down");
    }
}

/*
 * Do two sets have the same inventory? Ignores records and the reasons why
 * resources are not up. Otherwise *what names the first difference, a new
 * string.
 */
static bool is_same(struct rset *stored, struct rset *offered, char **what)
{
    struct changes changes = {0};
    struct diag d = {0};
    struct rset *before = rset_facts(stored), *after = rset_facts(offered);
    bool same;

    forget_reasons(before);
    forget_reasons(after);
    if (rset_has_graph(before) != rset_has_graph(after))
        diag_set(&d, "the store has %s graph",
                 rset_has_graph(before) ? "a" : "no");
    same = !d.text[0]
           && rset_diff(before, after, BY_RANK, false, &changes, &d) == 0
           && changes.n == 0;
    if (changes.n > 0) {
        const struct change *c = &changes.list[0];
        char *ranks = c->ranks ? idset_encode(c->ranks) : NULL;
        xasprintf(what, "%s%s%s%s", ranks ? "rank " : "", ranks ? ranks : "",
                  ranks ? ": " : "", c->text);
        free(ranks);
    } else {
        *what = xstrdup(d.text);
    }
    changes_fini(&changes);
    rset_destroy(before);
    rset_destroy(after);
    return same;
}

/* --- resources of jobs ---------------------------------------------------- */

/*
 * Give a job of another set its resources there, as far as this set has them.
 * If some are missing, keep its R: hello says whether these were free by now. A
 * job that ended with the other set ends with this one. A reservation of the
 * site only loses what is missing.
 */
static void move_job(struct scheduler *s, struct usage *from, const char *name)
{
    struct diag d = {0};
    struct rset *R = ledger_R(from, name, false, 0, NULL);
    struct term terms = ledger_terms(from, name);
    char *gone;
    size_t len;

    if (terms.end == rset_expiration(usage_rset(from)))
        terms.end = rset_expiration(s->rs);
    if (site_owns(name)) {
        site_move(s, name, R, &terms);
        return;
    }
    if (held_take(s, name, R, &terms, &gone)) {
        R = ledger_R(from, name, false, 0, NULL);
        map_at(&s->greeted, name, strlen(name))->value.pointer = rset_text(
            R, &(struct rset_style){0}, &len, &d);
        rset_destroy(R);
    }
    free(gone);
}

/* --- the first time ------------------------------------------------------- */

/* Add to `down` the targets that are not up, or below a vertex that is not. */
static void read_down(struct rset *rs, struct idset *down)
{
    struct settled of = usage_settle(rs);
    struct vertex **list;
    size_t n = rset_targets(rs, &list);

    for (size_t i = 0; i < n; i++)
        if (vertex_not_up(of, list[i]))
            target_add_ranks(list[i], down);
    free(list);
}

/* Without a provider: warn of targets that the kept set has as not up, such as
   drained ones, and the given one as up: they are not in s->down. */
static void warn_of_up(struct scheduler *s, struct rset *kept)
{
    struct idset *was = idset_create(), *up;
    char *text;

    read_down(kept, was);
    up = idset_subtract(was, s->down);
    text = idset_encode(up);
    if (!idset_empty(up))
        scheduler_log(s, LEVEL_WARNING,
                      "%s: targets %s were not up before, and are now",
                      s->keeper->name, text);
    free(text);
    idset_destroy(was);
    idset_destroy(up);
}

static void take_set(struct scheduler *s, struct rset *rs)
{
    s->rs = rs;
    s->u = usage_begin(rs);
}

/* Is everything up, without tags that give a reason why it was not? With a
   provider the states of targets don't count. */
static bool all_up(const struct scheduler *s, struct rset *rs)
{
    struct settled of = usage_settle(rs);

    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if ((vertex_state(of, v) != STATE_UP
             && (s->alone || !vertex_is_target(v)))
            || vertex_get_tag(v, "drained") || vertex_get_tag(v, "down"))
            return false;
    return true;
}

/* Remember a job that waited before the service began again. */
static void remember(const struct pending_row *row, void *of)
{
    struct scheduler *s = of;

    VECTOR_ADD(s->earlier, s->nearlier, row->id);
    planner_waited(s->planner, row->id, row->priority, row->estimate);
}

/* Choose the set to work on: the kept one or `given`, which is taken over and
   then kept. Returns false if the set can't be kept there. */
static bool begin_kept(struct scheduler *s, struct rset *offered)
{
    struct keeper *k = s->keeper;
    bool fresh = false, same;
    struct rset *kept = k->opened(k, offered, &fresh);
    struct usage *from;
    char *what = NULL;

    k->waited(k->store, remember, s);
    same = fresh || is_same(kept, offered, &what);
    if (!same && s->alone) {
        scheduler_fail(s,
                       "%s: has other resources (%s): name another store, or "
                       "give these with --provider",
                       k->name, what);
        rset_destroy(kept);
        rset_destroy(offered);
        free(what);
        return false;
    }
    if (!same)
        scheduler_log(s, LEVEL_WARNING, "%s: had other resources (%s)", k->name,
                      what);
    free(what);
    /* `given` also has states */
    if (fresh || (same && all_up(s, kept) && all_up(s, offered))) {
        take_set(s, kept);
        rset_destroy(offered);
    } else {
        if (s->alone)
            warn_of_up(s, kept);
        take_set(s, offered);
        from = usage_begin(kept);
        for (const struct job *job = usage_jobs(from); job; job = job->next)
            move_job(s, from, job->name);
        k->replace(k->store, offered);
        rset_destroy(kept);
    }
    return true;
}

void inventory_renew(struct scheduler *s)
{
    struct idset *left = idset_subtract(s->rs->ranks, s->gone);

    constraint_destroy(s->usable);
    s->usable = idset_empty(s->gone) ? NULL : constraint_from_ranks(left);
    s->options.how.constraint = s->usable;
    idset_destroy(left);
    planner_renew(s->planner, s->u, s->gone);
}

void inventory_begin(struct scheduler *s)
{
    struct rset *offered = s->offered;

    s->offered = NULL;
    job_release_numbered(usage_begin(offered)); /* of another scheduler */
    if (s->alone)
        read_down(offered, s->down);
    if (!s->keeper)
        take_set(s, offered);
    else if (!begin_kept(s, offered))
        return;
    for (const struct job *job = usage_jobs(s->u); job; job = job->next)
        if (!site_owns(job->name))
            map_at(&s->greeted, job->name, strlen(job->name));
    site_begin(s);
    if (s->alone) {
        idset_add_set(s->groups[0].ranks, s->rs->ranks);
    } else {
        set_state(s, s->rs->ranks, STATE_UP);
        set_state(s, s->down, STATE_DOWN);
    }
    scheduler_record(s, "serve", NULL, NULL, false);
    s->due |= DUE_RENEW | DUE_HELLO;
}

/* --- more resources ------------------------------------------------------- */

/* Is all of `part` in the set already, unchanged? */
static bool is_there(struct scheduler *s, struct rset *part)
{
    struct diag d = {0};
    char *a, *b;
    bool same;

    if (!idset_subset(part->ranks, s->rs->ranks))
        return false;
    a = resources_text(s->rs, part->ranks, DIALECT_SEED, &d);
    b = resources_text(part, part->ranks, DIALECT_SEED, &d);
    same = a && b && !strcmp(a, b);
    free(a);
    free(b);
    return same;
}

/* Remove targets that were taken away and come back changed. Fails if jobs
   still hold any part of them. */
static int make_room(struct scheduler *s, const struct idset *ranks,
                     struct diag *d)
{
    struct idset *stale = idset_intersect(ranks, s->gone),
                 *unused = held_unused(s, stale);
    struct rset *part = NULL;
    int rc = 0;

    if (!idset_equal(stale, unused)) {
        rc = diag_set(d, "targets come back changed while jobs hold them");
    } else if (!idset_empty(stale)) {
        site_keep(s);
        part = rset_on_ranks(s->rs, stale, false);
        rc = rset_subtract(s->rs, part, d);
    }
    rset_destroy(part);
    idset_destroy(stale);
    idset_destroy(unused);
    return rc;
}

void inventory_grow(struct scheduler *s, struct rset *part)
{
    struct idset *ranks = idset_copy(part->ranks), *up;
    char *text = idset_encode(ranks);
    double end = rset_expiration(s->rs);
    bool other_times = rset_starttime(part) != rset_starttime(s->rs)
                       || rset_expiration(part) != end;
    struct diag d = {0};
    size_t at;

    planner_lose_places(s->planner);
    job_release_numbered(usage_begin(part));
    rset_set_times(s->rs, rset_starttime(part), rset_expiration(part));
    held_follow_end(s, end);
    if (!is_there(s, part)) {
        if (make_room(s, ranks, &d) < 0
            || rset_unite(s->rs, &part, 1, false, &at, &d) < 0)
            scheduler_fail(s, "resources: %s", d.text);
        s->u = usage_begin(s->rs);
        if (s->keeper)
            s->keeper->replace(s->keeper->store, s->rs);
    }
    if (!s->failed) {
        up = idset_subtract(ranks, s->down);
        set_state(s, ranks, STATE_DOWN);
        set_state(s, up, STATE_UP);
        idset_destroy(up);
        idset_remove_set(s->gone, ranks);
        scheduler_record(s, "grow", NULL, text, other_times);
        s->due |= DUE_RENEW;
    }
    free(text);
    idset_destroy(ranks);
    rset_destroy(part);
}
