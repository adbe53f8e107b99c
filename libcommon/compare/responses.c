/* Writes responses of RFC 28 (responses.h). */
#include "compare/responses.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "compare/align.h"
#include "compare/job_R.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "model/document/document.h"
#include "model/document/rlite.h"
#include "model/records/layers.h"
#include "schedule/filter.h"

struct transition {
    struct idset *gone, *new, *online, *offline;
    struct idset *new_up; /* new ranks that are up */
    struct idset *moved;  /* ranks with another host */
};

/* --- finding changes ------------------------------------------------------ */

/* Do both have the same pools below, except for states and records? */
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

/* Split runs, so that ranks with the same host in both sets are in other
   vertices than ranks with another host. */
static void part_moved(struct transition *t, struct rset *a, struct rset *b)
{
    struct layer moved = {0};
    struct other_hosts h;

    moved.ranks = t->moved = idset_create();
    other_hosts_init(&h, a, b);
    while (other_hosts_next(&h))
        idset_add(t->moved, h.rank, h.rank);
    other_hosts_fini(&h);
    if (!idset_empty(t->moved)) {
        rset_lay(a, &moved, 1, CUT_RUNS, NULL, NULL);
        rset_lay(b, &moved, 1, CUT_RUNS, NULL, NULL);
    }
}

/* Note a target of the second set that the first does not have so. */
static void add_new(struct transition *t, struct settled b,
                    const struct vertex *v)
{
    target_add_ranks(v, t->new);
    if (!vertex_not_up(b, v))
        target_add_ranks(v, t->new_up);
}

static void find_transition(struct transition *t, struct settled a,
                            struct settled b)
{
    struct vertex **list;
    size_t n = rset_targets(a.rs, &list);

    t->gone = idset_create();
    t->new = idset_create();
    t->new_up = idset_create();
    t->online = idset_create();
    t->offline = idset_create();
    for (size_t i = 0; i < n; i++) {
        const struct vertex *v = list[i], *peer = v->peer;
        bool moved = v->run ? idset_overlaps(t->moved, v->run)
                            : idset_contains(t->moved, (uint32_t)v->rank);

        if (!peer || moved || !properties_equal(v->properties, peer->properties)
            || !same_below(v, peer)) {
            target_add_ranks(v, t->gone);
            if (peer)
                add_new(t, b, peer);
        } else if (!vertex_not_up(a, v) != !vertex_not_up(b, peer)) {
            target_add_ranks(v, vertex_not_up(a, v) ? t->online : t->offline);
        }
    }
    free(list);

    n = rset_targets(b.rs, &list);
    for (size_t i = 0; i < n; i++)
        if (!list[i]->peer)
            add_new(t, b, list[i]);
    free(list);
}

/* --- writing -------------------------------------------------------------- */

void responses_put_set(FILE *fp, const char *before, const struct idset *set)
{
    fputs(before, fp);
    idset_write(set, fp);
    putc('"', fp);
}

char *resources_text(struct rset *rs, const struct idset *ranks,
                     enum dialect dialect, struct diag *d)
{
    /* with all ranks, what lies in none is in it too */
    struct rset *part = rs->ranks && idset_equal(ranks, rs->ranks)
                            ? rset_facts(rs)
                            : rset_on_ranks(rs, ranks, false);
    struct vertex **list;
    char *text;
    size_t n;

    /* A response says separately which resources are up. States in the
       resources themselves would be wrong after the next response. */
    usage_settle(part);
    n = rset_targets(part, &list);
    for (size_t i = 0; i < n; i++)
        for (struct vertex *v = list[i]; v; v = v->parent) {
            if (lot_state(v->lot) != STATE_UP)
                lot_set_state(part->usage, v->lot, STATE_UP);
            vertex_untag(v, "drained");
            vertex_untag(v, "down");
        }
    free(list);
    text = job_R_text(part, JOB_FORM_RV1, dialect, d);
    rset_note_all(rs, part);
    rset_destroy(part);
    return text;
}

/* Write a response about a set, after `before`, and again after `also` (NULL:
   once). Returns 1, or 0 if the set is empty and there is no response. */
static int print_set(FILE *fp, const char *before, const char *also,
                     const struct idset *set)
{
    if (idset_empty(set))
        return 0;
    responses_put_set(fp, before, set);
    if (also)
        responses_put_set(fp, also, set);
    fputs("}\n", fp);
    return 1;
}

static int print_seed(const struct transition *t, struct rset *b, FILE *fp,
                      struct diag *d)
{
    int n = print_set(fp, "{\"type\":\"shrink\",\"targets\":\"", NULL, t->gone);

    if (!idset_empty(t->new)) {
        struct idset *offline;
        char *text = resources_text(b, t->new, DIALECT_SEED, d);

        if (!text)
            return -1;
        offline = idset_subtract(t->new, t->new_up);
        fprintf(fp, "{\"type\":\"grow\",\"resources\":%s", text);
        responses_put_set(fp, ",\"online\":\"", t->new_up);
        responses_put_set(fp, ",\"offline\":\"", offline);
        fputs("}\n", fp);
        idset_destroy(offline);
        free(text);
        n++;
    }
    n += print_set(fp, "{\"type\":\"offline\",\"targets\":\"", NULL,
                   t->offline);
    n += print_set(fp, "{\"type\":\"online\",\"targets\":\"", NULL, t->online);
    return n;
}

void responses_put_end(FILE *fp, double end)
{
    fputs("{\"expiration\":", fp);
    json_write_real(fp, end < 0 ? 0 : end);
    putc('}', fp);
}

static int print_current(const struct transition *t, struct rset *b,
                         bool expiration, FILE *fp, struct diag *d)
{
    int n = 0;

    if (!idset_empty(t->new))
        return diag_set(d,
                        "rank %u is new: the current edition of RFC 28 "
                        "can't add resources",
                        idset_first(t->new));
    n += print_set(fp, "{\"shrink\":\"", ",\"down\":\"", t->gone);
    n += print_set(fp, "{\"down\":\"", NULL, t->offline);
    n += print_set(fp, "{\"up\":\"", NULL, t->online);
    if (expiration) {
        responses_put_end(fp, rset_expiration(b));
        putc('\n', fp);
    }
    return n + expiration;
}

static int respond(struct rset *a, struct rset *b, enum dialect dialect,
                   FILE *fp, struct diag *d)
{
    bool expiration = rset_expiration(a) != rset_expiration(b);
    struct transition t = {0};
    struct settled in_a, in_b;
    char *text = NULL;
    size_t len;
    FILE *mem;
    int n = -1;

    part_moved(&t, a, b);
    in_a = usage_settle(a);
    in_b = usage_settle(b);
    if (rset_align(in_a, in_b, d) < 0)
        goto out;
    find_transition(&t, in_a, in_b);

    /* Write nothing before all responses are complete. */
    mem = memory_open(&text, &len);
    if (dialect == DIALECT_CURRENT)
        n = print_current(&t, b, expiration, mem, d);
    else
        n = print_seed(&t, b, mem, d);
    memory_close(mem);
    if (n >= 0)
        fwrite(text, 1, len, fp);
    if (n >= 0 && dialect == DIALECT_SEED && expiration)
        rset_note(b, "expiration differs: this edition of RFC 28 has no "
                     "response for it");
    free(text);

out:
    idset_destroy(t.gone);
    idset_destroy(t.new);
    idset_destroy(t.new_up);
    idset_destroy(t.online);
    idset_destroy(t.offline);
    idset_destroy(t.moved);
    return n;
}

int rset_responses(struct rset *a, struct rset *b, enum dialect dialect,
                   FILE *fp, struct diag *d)
{
    struct rset *in_a, *in_b = NULL;
    int n = -1;

    rlite_share_types(a, b);
    if (rset_has_graph(a) == rset_has_graph(b))
        return respond(a, b, dialect, fp, d);
    if ((in_a = rset_as_plain(a, d)) && (in_b = rset_as_plain(b, d)))
        n = respond(in_a, in_b, dialect, fp, d);
    rset_drop_plain(in_a, a);
    rset_drop_plain(in_b, b);
    return n;
}
