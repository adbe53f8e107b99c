#include "schedule/match.h"

#include <stdlib.h>
#include <string.h>

/* What is known of a vertex before the search, in its `index`. */
enum {
    UNUSABLE = 1, /* held whole, not up, or staged: nothing below is free */
    TOUCHED = 2   /* something in it is held or can't be used */
};

struct matching {
    struct rset *rs;
    struct selection *sel;
    bool ever;   /* as if all were up and free */
    bool failed; /* out of memory */
};

/* A list of picks that are made, in order. */
struct picks {
    struct pick *first, *last;
};

static void picks_add(struct picks *list, struct pick *p)
{
    if (list->last)
        list->last->next = p;
    else
        list->first = p;
    list->last = p;
}

static struct pick *new_pick(struct matching *m, struct vertex *v)
{
    struct pick *p = selection_pick(m->sel, v);

    m->failed = m->failed || !p;
    return p;
}

/* --- what is free ------------------------------------------------------- */

static bool vertex_held(const struct vertex *v)
{
    return v->state != STATE_UP
           || (v->records
               && (v->records->staged
                   || records_claimed(v->records) >= v->size));
}

/* Mark every vertex, children before parents. */
static void survey(struct vertex *v)
{
    v->index = 0;
    if (vertex_held(v))
        v->index = UNUSABLE | TOUCHED;
    else if (v->records && (v->records->claims || v->records->shared))
        v->index = TOUCHED;
    for (struct vertex *c = v->child; c; c = c->next) {
        survey(c);
        v->index |= c->index & TOUCHED;
    }
}

static bool usable(const struct matching *m, const struct vertex *v)
{
    return m->ever || !(v->index & UNUSABLE);
}

/* Free with all below it, so that a job can hold it whole. */
static bool untouched(const struct matching *m, const struct vertex *v)
{
    return m->ever || !(v->index & TOUCHED);
}

static int64_t free_units(const struct matching *m, const struct vertex *v)
{
    return m->ever ? v->size : v->size - records_claimed(v->records);
}

/* --- filling ------------------------------------------------------------ */

/*
 * What is looked for in a subtree: vertices for a request vertex, or nodes
 * that hold slots of it.
 */
struct goal {
    const struct request_vertex *req;
    bool in_slot;
    bool slots; /* slots of `req`, each within a node */
};

static int64_t fill_list(struct matching *m, const struct request_vertex *req,
                         bool in_slot, struct vertex *v, int64_t times,
                         struct picks *out);
static int64_t fill_request(struct matching *m, const struct goal *goal,
                            struct vertex *v, int64_t want, struct picks *out);
static int64_t fill(struct matching *m, const struct goal *goal,
                    struct vertex *v, int64_t want, struct picks *out);

static int64_t multiply(int64_t a, int64_t b)
{
    int64_t product;

    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int64_t count_of(const struct request_vertex *req)
{
    return (int64_t)request_count_fixed(&req->count);
}

/* Units of a pool for a request that ends at it; `p` is told how. */
static int64_t take_leaf(struct matching *m, const struct goal *goal,
                         struct vertex *v, int64_t want, struct pick *p)
{
    enum tristate exclusive = goal->req->exclusive;
    int64_t units;

    if ((exclusive == NO || (exclusive == UNSET && !goal->in_slot))
        && !vertex_taken_whole(v)) {
        p->shared = true;
        p->amount = v->size;
        return v->size < want ? v->size : want;
    }
    if (exclusive == YES || v->size == 1 || vertex_taken_whole(v)) {
        p->whole = p->exclusive = true;
        return untouched(m, v) ? v->size : 0;
    }
    units = free_units(m, v);
    p->amount = units < want ? units : want;
    p->whole = p->exclusive = p->amount == v->size && untouched(m, v);
    return p->amount;
}

/* One instance of a vertex with a request below it, or none. */
static int64_t take_inner(struct matching *m, const struct goal *goal,
                          struct vertex *v, struct pick *p)
{
    enum tristate exclusive = goal->req->exclusive;
    struct picks below = {0};

    p->exclusive = exclusive == YES || (exclusive == UNSET && goal->in_slot)
                   || vertex_taken_whole(v);
    if (p->exclusive && !untouched(m, v))
        return 0;
    if (!fill_list(m, goal->req->with, goal->in_slot, v, 1, &below))
        return 0;
    p->child = below.first;
    p->whole = exclusive == YES;
    return 1;
}

/* What one member of v gives, up to `want`; `p` is its pick. */
static int64_t take(struct matching *m, const struct goal *goal,
                    struct vertex *v, int64_t want, struct pick *p)
{
    struct picks below = {0};
    int64_t got;

    if (vertex_taken_whole(v)) {
        p->exclusive = true;
        if (!untouched(m, v))
            return 0;
    }
    if (goal->slots && type_is_node(v->type)) {
        got = fill_list(m, goal->req->with, true, v, want, &below);
        p->child = below.first;
        return got;
    }
    if (!goal->slots && !strcmp(v->type, goal->req->type))
        return goal->req->with ? take_inner(m, goal, v, p)
                               : take_leaf(m, goal, v, want, p);
    if (!v->child)
        return 0;
    got = fill(m, goal, v, want, &below);
    p->child = below.first;
    return got;
}

/*
 * Add a pick of a stretch of a run. Where the stretch before was of the same
 * run and also ended there, the pick of that one takes it in.
 */
static void add_stretch(struct picks *out, struct pick *p, uint32_t first,
                        uint64_t n)
{
    struct pick *last = out->last;

    p->first = first;
    p->nmembers = p->v->run ? n : 0;
    if (last && last->v == p->v && !last->child && !p->child
        && last->amount == p->amount && last->shared == p->shared)
        last->nmembers += n;
    else
        picks_add(out, p);
}

/*
 * A stretch of equal pools: as many as are needed give all they can, and the
 * next one gives the rest.
 */
static int64_t take_span(struct matching *m, const struct goal *goal,
                         const struct span *span, int64_t want,
                         struct picks *out)
{
    int64_t members = (int64_t)span->hi - span->lo + 1, each, full, got = 0;
    struct pick *p;

    if (!usable(m, span->v) || !(p = new_pick(m, span->v)))
        return 0;
    each = take(m, goal, span->v, want, p);
    if (each <= 0)
        return 0;
    full = want / each;
    full = full < members ? full : members;
    if (full > 0) {
        add_stretch(out, p, span->lo, (uint64_t)full);
        got = full * each;
    }
    if (got < want && full < members && (p = new_pick(m, span->v))) {
        got += take(m, goal, span->v, want - got, p);
        add_stretch(out, p, span->lo + (uint32_t)full, 1);
    }
    return got;
}

/* Up to `want` of a goal from the pools under v, in their order. */
static int64_t fill(struct matching *m, const struct goal *goal,
                    struct vertex *v, int64_t want, struct picks *out)
{
    struct span *spans;
    ssize_t n;
    int64_t got = 0;

    if (v->child && !v->child->run) {
        for (struct vertex *c = v->child; c && got < want; c = c->next)
            got += take_span(m, goal, &(struct span){.v = c}, want - got, out);
        return got;
    }
    if ((n = vertex_spans(v, &spans)) < 0) {
        m->failed = true;
        return 0;
    }
    for (ssize_t i = 0; i < n && got < want; i++)
        got += take_span(m, goal, &spans[i], want - got, out);
    free(spans);
    return got;
}

/* --- lists of requests -------------------------------------------------- */

/* Picks for several requests under one vertex become one tree. */
static void merge_picks(struct picks *into, struct picks *more)
{
    struct pick *list = more->first;

    if (!into->first) {
        *into = *more;
        return;
    }
    while (list) {
        struct pick *p = list, *same = into->first;
        list = list->next;
        p->next = NULL;
        while (same && (same->v != p->v || p->v->run))
            same = same->next;
        if (same) {
            struct picks below = {.first = same->child, .last = same->child};
            struct picks other = {.first = p->child, .last = p->child};
            while (below.last && below.last->next)
                below.last = below.last->next;
            while (other.last && other.last->next)
                other.last = other.last->next;
            merge_picks(&below, &other);
            same->child = below.first;
        } else {
            picks_add(into, p);
        }
    }
}

/*
 * Take all of a list under v, up to `times` times, and return how often.
 * What the first entry gives bounds the next; where less than was wanted can
 * be had in the end, exactly that is taken anew.
 */
static int64_t fill_list(struct matching *m, const struct request_vertex *req,
                         bool in_slot, struct vertex *v, int64_t times,
                         struct picks *out)
{
    struct picks all = {0};
    int64_t least = times;
    bool exact = true;

    for (const struct request_vertex *r = req; r && least > 0; r = r->next) {
        struct goal goal = {.req = r, .in_slot = in_slot};
        int64_t count = count_of(r), want = multiply(least, count);
        struct picks list = {0};
        int64_t got = fill_request(m, &goal, v, want, &list);
        exact = exact && (got >= want || (r == req && got % count == 0));
        least = got / count < least ? got / count : least;
        merge_picks(&all, &list);
    }
    if (least <= 0)
        return 0;
    if (!exact)
        return fill_list(m, req, in_slot, v, least, out);
    merge_picks(out, &all);
    return least;
}

static bool has_node(const struct request_vertex *list)
{
    for (; list; list = list->next)
        if (type_is_node(list->type) || has_node(list->with))
            return true;
    return false;
}

static bool within_node(const struct vertex *v)
{
    for (; v; v = v->parent)
        if (type_is_node(v->type))
            return true;
    return false;
}

/* Is anything that is asked for to be found in nodes? */
static bool found_in_nodes(const struct vertex *root,
                           const struct request_vertex *list)
{
    for (; list; list = list->next) {
        if (found_in_nodes(root, list->with))
            return true;
        for (const struct vertex *v = root; v; v = vertex_next(root, v, false))
            if (!strcmp(v->type, list->type) && within_node(v->parent))
                return true;
    }
    return false;
}

/*
 * Up to `want` of one request under v. A slot with a node in it, under a
 * node already, or of what is in no node at all (racks, their storage)
 * multiplies what it holds; another looks for nodes.
 */
static int64_t fill_request(struct matching *m, const struct goal *goal,
                            struct vertex *v, int64_t want, struct picks *out)
{
    struct goal slots = {.req = goal->req, .in_slot = true, .slots = true};

    if (!request_is_slot(goal->req))
        return fill(m, goal, v, want, out);
    if (has_node(goal->req->with) || within_node(v)
        || !found_in_nodes(m->rs->root, goal->req->with))
        return fill_list(m, goal->req->with, true, v, want, out);
    return fill(m, &slots, v, want, out);
}

/* --- the whole ---------------------------------------------------------- */

/* The root is a candidate like any other: look under a parent of it. */
static int64_t fill_root(struct matching *m, const struct request_vertex *req,
                         int64_t want, struct picks *out)
{
    struct vertex above = {.type = "", .child = m->rs->root, .size = 1};
    struct goal goal = {.req = req};

    return fill_request(m, &goal, &above, want, out);
}

/* Fill the outermost request with as many as it accepts. */
static bool try_request(struct matching *m, const struct request_vertex *req)
{
    struct picks picks = {0};
    uint64_t got, accepted;

    if (!m->rs->root)
        return false;
    accepted = request_count_largest(&req->count, INT64_MAX);
    got = (uint64_t)fill_root(m, req, (int64_t)accepted, &picks);
    accepted = request_count_largest(&req->count, got);
    if (!accepted)
        return false;
    if (accepted < got) {
        picks = (struct picks){0};
        fill_root(m, req, (int64_t)accepted, &picks);
    }
    m->sel->root = picks.first;
    return !m->failed;
}

static enum match_answer check_times(const struct rset *rs,
                                     const struct request *req, double now)
{
    double start = rset_starttime(rs), end = rset_expiration(rs);

    if (end >= 0 && (now >= end || now + req->duration > end))
        return MATCH_NEVER;
    return start >= 0 && now < start ? MATCH_NOT_NOW : MATCH_FOUND;
}

static bool attempt(struct matching *m, const struct request *req, bool ever)
{
    selection_destroy(m->sel);
    m->ever = ever;
    if (!(m->sel = selection_create())) {
        m->failed = true;
        return false;
    }
    return try_request(m, req->resources);
}

enum match_answer match_first(struct rset *rs, const struct request *req,
                              double now, struct selection **sel,
                              struct diag *d)
{
    struct matching m = {.rs = rs};
    enum match_answer answer = check_times(rs, req, now);

    *sel = NULL;
    if (match_supported(rs, req, d) < 0)
        return MATCH_ERROR;
    if (answer == MATCH_NEVER)
        return answer;
    if (rs->root)
        survey(rs->root);
    if (answer == MATCH_FOUND && attempt(&m, req, false)) {
        *sel = m.sel;
        return MATCH_FOUND;
    }
    answer = attempt(&m, req, true) ? MATCH_NOT_NOW : MATCH_NEVER;
    selection_destroy(m.sel);
    if (!m.failed)
        return answer;
    diag_oom(d);
    return MATCH_ERROR;
}
