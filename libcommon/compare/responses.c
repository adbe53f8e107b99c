/*
 * Writes a difference of two sets as responses of RFC 28 (responses.h), in
 * either edition.
 */
#include "compare/responses.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/align.h"
#include "model/tree/cut.h"
#include "model/document/document.h"
#include "model/document/rlite.h"
#include "model/tree/select.h"

struct transition {
    struct idset *gone, *new, *online, *offline;
    struct idset *moved; /* ranks that are another host */
};

static void transition_fini(struct transition *t)
{
    idset_destroy(t->gone);
    idset_destroy(t->new);
    idset_destroy(t->online);
    idset_destroy(t->offline);
    idset_destroy(t->moved);
}

/* --- what changed -----------------------------------------------------------
 */

static void add_ranks(struct idset *set, const struct vertex *v)
{
    if (v->run)
        idset_add_set(set, v->run);
    else
        idset_add(set, (uint32_t)v->rank, (uint32_t)v->rank);
}

/* Is all below both the same, but for states and records? */
static bool same_below(const struct vertex *a, const struct vertex *b)
{
    for (const struct vertex *c = b->child; c; c = c->next)
        if (!c->peer)
            return false;
    for (const struct vertex *c = a->child; c; c = c->next)
        if (!c->peer || c->size != c->peer->size
            || strcmp(c->unit, c->peer->unit) || !same_below(c, c->peer))
            return false;
    return true;
}

static int add_moved(struct idset *moved, const struct rset *a,
                     const struct rset *b, uint32_t rank)
{
    char in_a[HOSTLIST_NAME_MAX], in_b[HOSTLIST_NAME_MAX];

    if (rset_host(a, rank, in_a, sizeof(in_a)) < 0
        || rset_host(b, rank, in_b, sizeof(in_b)) < 0)
        return -1;
    if (strcmp(in_a, in_b))
        idset_add(moved, rank, rank);
    return 0;
}

/* Ranks that are another host in b. NULL when memory ran out. */
static struct idset *ranks_moved(const struct rset *a, const struct rset *b)
{
    struct idset *moved = idset_create(), *both;
    int rc;

    if (!moved || !a->hosts || !b->hosts
        || (hostlist_equal(a->hosts, b->hosts)
            && idset_equal(a->ranks, b->ranks)))
        return moved;
    both = idset_intersect(a->ranks, b->ranks);
    rc = both ? 0 : -1;
    for (uint32_t r = both ? idset_first(both) : IDSET_INVALID;
         r != IDSET_INVALID && rc == 0; r = idset_next(both, r))
        rc = add_moved(moved, a, b, r);
    idset_destroy(both);
    if (rc == 0)
        return moved;
    idset_destroy(moved);
    return NULL;
}

/*
 * Ranks that keep their host are not to go with those that don't: they are
 * vertices of their own.
 */
static int part_moved(struct transition *t, struct rset *a, struct rset *b)
{
    if (!(t->moved = ranks_moved(a, b)))
        return -1;
    if (idset_empty(t->moved))
        return 0;
    rset_cut(a, NULL, t->moved);
    rset_cut(b, NULL, t->moved);
    return 0;
}

static bool same_host(const struct transition *t, const struct vertex *v)
{
    return v->run ? !idset_overlaps(t->moved, v->run)
                  : !idset_contains(t->moved, (uint32_t)v->rank);
}

static bool same_target(const struct transition *t, const struct vertex *v)
{
    return properties_equal(v->properties, v->peer->properties)
           && same_host(t, v) && same_below(v, v->peer);
}

static void visit_a(struct transition *t, const struct vertex *v)
{
    if (!v->peer || !same_target(t, v)) {
        add_ranks(t->gone, v);
        if (v->peer)
            add_ranks(t->new, v);
    } else if ((v->state == STATE_UP) != (v->peer->state == STATE_UP)) {
        add_ranks(v->state == STATE_UP ? t->offline : t->online, v);
    }
}

static int find_transition(struct transition *t, const struct rset *a,
                           const struct rset *b)
{
    struct vertex **list;
    ssize_t n = rset_targets(a, &list);
    int rc = n < 0 ? -1 : 0;

    t->gone = idset_create();
    t->new = idset_create();
    t->online = idset_create();
    t->offline = idset_create();
    for (ssize_t i = 0; i < n; i++)
        visit_a(t, list[i]);
    if (n >= 0)
        free(list);
    n = rc == 0 ? (ssize_t)rset_targets(b, &list) : -1;
    for (ssize_t i = 0; rc == 0 && i < n; i++)
        if (!list[i]->peer)
            add_ranks(t->new, list[i]);
    if (n >= 0)
        free(list);
    return rc;
}

/* --- grow --------------------------------------------------------------------
 */

/* The picks of targets with these ranks, and of what is above them. */
static struct pick *pick_ranks(struct selection *sel, struct vertex *v,
                               const struct idset *ranks, bool *failed)
{
    struct pick *p, *first = NULL, **end = &first;

    if (vertex_is_target(v)) {
        bool wanted = v->run ? idset_overlaps(ranks, v->run)
                             : idset_contains(ranks, (uint32_t)v->rank);
        if (!wanted)
            return NULL;
    }
    for (struct vertex *c = v->child; c && !vertex_is_target(v); c = c->next)
        if ((*end = pick_ranks(sel, c, ranks, failed)))
            end = &(*end)->next;
    if (!first && !vertex_is_target(v))
        return NULL;
    if (!(p = selection_pick(sel, v))) {
        *failed = true;
        return NULL;
    }
    pick_all_members(p);
    p->child = first;
    p->whole = vertex_is_target(v);
    return p;
}

/* Runs of b were cut where a differs, so ranks are of whole vertices. */
static struct rset *part_of(const struct rset *b, const struct idset *ranks,
                            struct diag *d)
{
    struct selection *sel = selection_create();
    struct rset *part = NULL;
    bool failed = false;

    if (sel)
        sel->inventory = true;
    if (sel && b->root)
        sel->root = pick_ranks(sel, b->root, ranks, &failed);
    if (!sel || failed)
        diag_oom(d);
    else
        part = rset_extract(b, sel);
    selection_destroy(sel);
    return part;
}

static struct idset *ranks_up(const struct rset *b, const struct idset *ranks)
{
    struct vertex **list;
    ssize_t n = rset_targets(b, &list);
    struct idset *up = idset_create(), *both;

    for (ssize_t i = 0; i < n; i++)
        if (list[i]->state == STATE_UP)
            add_ranks(up, list[i]);
    if (n >= 0)
        free(list);
    both = idset_intersect(up, ranks);
    idset_destroy(up);
    return both;
}

static void print_set(FILE *fp, const char *before, const struct idset *set)
{
    fputs(before, fp);
    idset_write(set, fp);
    putc('"', fp);
}

/* The document without its line's end, inside of the response. */
static int print_resources(struct rset *part, FILE *fp, struct diag *d)
{
    enum rset_form form = rset_has_graph(part) ? FORM_RV1 : FORM_R;
    char *text = NULL;
    size_t len;
    FILE *mem = memory_open(&text, &len);
    int rc = rset_write(part, form, mem, d);

    memory_close(mem);
    if (rc == 0)
        fwrite(text, 1, len - 1, fp);
    free(text);
    return rc;
}

static int print_grow(const struct rset *b, const struct idset *ranks, FILE *fp,
                      struct diag *d)
{
    struct idset *up = ranks_up(b, ranks);
    struct idset *down = up ? idset_subtract(ranks, up) : NULL;
    struct rset *part = down ? part_of(b, ranks, d) : NULL;
    int rc = -1;

    if (!down)
        diag_oom(d);
    if (part) {
        fputs("{\"type\":\"grow\",\"resources\":", fp);
        rc = print_resources(part, fp, d);
        print_set(fp, ",\"online\":\"", up);
        print_set(fp, ",\"offline\":\"", down);
        fputs("}\n", fp);
    }
    rset_destroy(part);
    idset_destroy(up);
    idset_destroy(down);
    return rc;
}

/* --- writing
 * ------------------------------------------------------------------ */

static int print_targets(FILE *fp, const char *type, const struct idset *set)
{
    if (idset_empty(set))
        return 0;
    fprintf(fp, "{\"type\":\"%s\"", type);
    print_set(fp, ",\"targets\":\"", set);
    fputs("}\n", fp);
    return 1;
}

static int print_seed(const struct transition *t, const struct rset *b,
                      FILE *fp, struct diag *d)
{
    int n = print_targets(fp, "shrink", t->gone);

    if (!idset_empty(t->new)) {
        if (print_grow(b, t->new, fp, d) < 0)
            return -1;
        n++;
    }
    n += print_targets(fp, "offline", t->offline);
    return n + print_targets(fp, "online", t->online);
}

static int print_current(const struct transition *t, struct rset *b,
                         bool expiration, FILE *fp, struct diag *d)
{
    double end = rset_expiration(b);
    int n = 0;

    if (!idset_empty(t->new))
        return diag_set(d,
                        "rank %u is new: the current edition of RFC 28 "
                        "can't add resources",
                        idset_first(t->new));
    if (!idset_empty(t->gone)) {
        print_set(fp, "{\"shrink\":\"", t->gone);
        print_set(fp, ",\"down\":\"", t->gone);
        n += fputs("}\n", fp) >= 0;
    }
    if (!idset_empty(t->offline)) {
        print_set(fp, "{\"down\":\"", t->offline);
        n += fputs("}\n", fp) >= 0;
    }
    if (!idset_empty(t->online)) {
        print_set(fp, "{\"up\":\"", t->online);
        n += fputs("}\n", fp) >= 0;
    }
    if (expiration)
        n += fprintf(fp, "{\"expiration\":%.15g}\n", end < 0 ? 0 : end) > 0;
    return n;
}

/* Nothing is written before all of it can be said. */
static int print_responses(const struct transition *t, struct rset *a,
                           struct rset *b, enum dialect dialect, FILE *fp,
                           struct diag *d)
{
    bool expiration = rset_expiration(a) != rset_expiration(b);
    char *text = NULL;
    size_t len;
    FILE *mem = memory_open(&text, &len);
    int n = -1;

    if (!mem)
        return diag_oom(d);
    if (dialect == DIALECT_CURRENT)
        n = print_current(t, b, expiration, mem, d);
    else
        n = print_seed(t, b, mem, d);
    memory_close(mem);
    if (n >= 0)
        fwrite(text, 1, len, fp);
    if (n >= 0 && dialect == DIALECT_SEED && expiration)
        rset_note(b, "expiration differs: this edition of RFC 28 has no "
                     "response for it");
    free(text);
    return n;
}

int rset_responses(struct rset *a, struct rset *b, enum dialect dialect,
                   FILE *fp, struct diag *d)
{
    bool alike = rset_has_graph(a) == rset_has_graph(b);
    struct rset *plain = NULL;
    struct transition t = {0};
    int n = -1;

    rlite_adopt_types(a, b);
    rlite_adopt_types(b, a);
    if (!alike && !(plain = rset_plain(rset_has_graph(a) ? a : b, d)))
        return -1;
    if (plain && rset_has_graph(a))
        a = plain;
    else if (plain)
        b = plain;
    if (part_moved(&t, a, b) < 0) {
        diag_oom(d);
    } else if (rset_align(a, b, d) == 0) {
        if (find_transition(&t, a, b) < 0)
            diag_oom(d);
        else
            n = print_responses(&t, a, b, dialect, fp, d);
    }
    transition_fini(&t);
    rset_destroy(plain);
    return n;
}
