/* Compares vertices (diff_private.h). */
#include "compare/diff_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "base/json.h"
#include "model/document/jgf.h"
#include "model/document/unknown.h"
#include "model/records/job_list.h"
#include "model/records/lots.h"
#include "model/records/tags.h"
#include "model/records/usage.h"

/* The changes of vertices that have places of their own, or of one place. */
struct vertex_diff {
    struct settled a, b;       /* both sets */
    struct changes *out;       /* for changes by path; NULL: one place */
    const struct vertex *pool; /* of the first set, being compared */
    const char *prefix;        /* before its name; NULL: it is the place */
    struct found {
        enum change_sign sign;
        char *text;       /* change of the pools; "": they are gone or new */
        struct map parts; /* see folded_add() */
    } * list;
    size_t n;
};

/* --- the text of a pool --------------------------------------------------- */

/* Print all grants of a kind. Units are printed unless they are all of the
   pool. */
static void print_grants(const struct lot *lot, enum grant_kind kind,
                         const char *word, const char **sep, FILE *fp)
{
    for (const struct grant *g = lot_grants(lot); g; g = g->beside) {
        const struct term *t = g->term;

        if (t->kind != kind)
            continue;
        fprintf(fp, "%s%s %s", *sep, t->reserved ? "reserved for" : word,
                t->job->name);
        *sep = ", ";
        if (g->units > 0 && g->units != g->lot->v->size)
            fprintf(fp, " (%lld)", (long long)g->units);
        if (t->start >= 0)
            fprintf(fp, " from %s", time_utc(t->start).text);
        if (t->end >= 0)
            fprintf(fp, " to %s", time_utc(t->end).text);
        if (t->owner)
            fprintf(fp, " of owner %s", t->owner);
        if (t->queue)
            fprintf(fp, " in queue %s", t->queue);
        if (t->nslots)
            fprintf(fp, " in %" PRIu32 " slots", t->nslots);
    }
}

/* Return all tags except that of the state, as a new object. */
static json_t *other_tags(struct settled s, const struct vertex *v)
{
    const char *name;
    json_t *all = tags_of(v), *others = json_copy(all);

    if (vertex_state_tag(v, vertex_state(s, v), &name))
        json_object_del(others, name);
    json_decref(all);
    return others;
}

/* Return the records of a lot (or NULL) itself, or "": "held by 1 (3), shared
   by 2". For free(). */
static char *grants_text(const struct lot *lot)
{
    const char *sep = "";
    char *text = NULL;
    FILE *fp = memory_open(&text, NULL);

    print_grants(lot, GRANT_CLAIM, "held by", &sep, fp);
    print_grants(lot, GRANT_SHARE, "shared by", &sep, fp);
    print_grants(lot, GRANT_LISTED, "listed by", &sep, fp);
    print_grants(lot, GRANT_STAGED, "staged for", &sep, fp);
    return memory_take(fp, &text, true);
}

/*
 * Return the status of a pool without records, as it follows from records of
 * other pools: held by a job that has all of an enclosing pool, shared by jobs
 * with pools in it, or free. For free().
 */
static char *implied_text(struct settled s, const struct vertex *v)
{
    const char *sep = "";
    char *text = NULL;
    FILE *fp = memory_open(&text, NULL);
    struct lot *lot = settled_lot(s, v);
    struct job_list jobs = {0};

    if (lot)
        jobs = lot_sharers(s.rs->usage, lot);

    for (const struct vertex *up = v->parent; up && !*sep; up = up->parent)
        for (const struct grant *g = vertex_grants(s, up); g && !*sep;
             g = g->beside)
            if (grant_is_whole(g) && !g->term->reserved)
                print_grants(g->lot, GRANT_CLAIM, "held by", &sep, fp);
    for (size_t i = 0; i < jobs.n; i++) {
        fprintf(fp, "%sshared by %s", sep, jobs.list[i]->name);
        sep = ", ";
    }
    free(jobs.list);
    if (!*sep)
        fputs("free", fp);
    return memory_take(fp, &text, true);
}

/* --- collecting changes --------------------------------------------------- */

/* Add a change of a pool, or of the place itself (prefix is NULL). */
static void note(struct vertex_diff *f, enum change_sign sign, const char *text,
                 const char *prefix, const struct vertex *v)
{
    size_t i = VECTOR_FIND(
        k, f->n, f->list[k].sign == sign && !strcmp(f->list[k].text, text));

    if (f->out) {
        changes_add_pool(f->out, sign, "", v, text);
        return;
    }
    if (i == f->n)
        VECTOR_ADD(f->list, f->n,
                   (struct found){.sign = sign, .text = xstrdup(text)});
    if (prefix)
        folded_add(&f->list[i].parts, prefix, v);
}

/* Add a CHANGE_ALTERED of the current pool (printf style). */
__attribute__((format(printf, 2, 3))) static void alter(struct vertex_diff *f,
                                                        const char *fmt, ...)
{
    va_list ap;
    char *text;

    va_start(ap, fmt);
    xvasprintf(&text, fmt, ap);
    va_end(ap);
    note(f, CHANGE_ALTERED, text, f->prefix, f->pool);
    free(text);
}

static void property_changes(struct vertex_diff *f,
                             const struct properties *from,
                             const struct properties *to, const char *word)
{
    for (unsigned i = 0; from && i < from->count; i++) {
        const struct property *p = &from->list[i];
        if (!properties_have(to, p))
            alter(f, "%s property %s%s%s", word, p->key, *p->value ? "=" : "",
                  p->value);
    }
}

/*
 * Should a difference in a key be ignored, or is it the key `but`? `uniq_id` is
 * a number within the document, like the id of a vertex. Writing leaves it out
 * if both are equal.
 */
static bool is_ignored(const char *key, const char *but)
{
    return !strcmp(key, UNKNOWN_KEY) || !strcmp(key, "uniq_id")
           || (but && !strcmp(key, but));
}

/* Report differences in metadata, except in the key `but` (NULL: none). */
static void extra_changes(struct vertex_diff *f, json_t *a, json_t *b,
                          const char *but)
{
    const char *key;
    json_t *value;

    json_object_foreach (a, key, value) {
        json_t *other = json_object_get(b, key);
        if (!is_ignored(key, but) && !(other && json_equal(value, other)))
            alter(f, "%s: %s -> %s", key, json_quote(value).text,
                  other ? json_quote(other).text : "nothing");
    }
    json_object_foreach (b, key, value)
        if (!json_object_get(a, key) && !is_ignored(key, but))
            alter(f, "%s: nothing -> %s", key, json_quote(value).text);
}

/* Compare the states and tags of a pool. If the state changed, the tag with the
   reason for it is not a change of its own. */
static void state_changes(struct vertex_diff *f, const struct vertex *a,
                          const struct vertex *b)
{
    char *old = vertex_state_text(a, vertex_state(f->a, a)),
         *new = vertex_state_text(b, vertex_state(f->b, b));
    const char *but = NULL;

    if (strcmp(old, new) != 0) {
        json_t *in_a = other_tags(f->a, a), *in_b = other_tags(f->b, b);

        alter(f, "%s -> %s", old, new);
        if (!json_equal(in_a, in_b))
            alter(f, "tags: %s -> %s",
                  json_object_size(in_a) ? json_quote(in_a).text : "nothing",
                  json_object_size(in_b) ? json_quote(in_b).text : "nothing");
        json_decref(in_a);
        json_decref(in_b);
        but = "tags";
    }
    extra_changes(f, a->extra, b->extra, but);
    free(old);
    free(new);
}

/* Compare a pool with its peer. It is named with `prefix`; NULL: it is the
   place of the diff. */
static void compare_pool(struct vertex_diff *f, const char *prefix,
                         const struct vertex *a)
{
    const struct vertex *b = a->peer, *given = a->uuid ? a : b;
    const struct lot *from = settled_lot(f->a, a), *to = settled_lot(f->b, b);

    f->prefix = prefix;
    f->pool = a;
    if (lot_is_used(from) || lot_is_used(to)) { /* avoid making texts */
        char *old = grants_text(from), *new = grants_text(to);

        if (!*old && *new) {
            free(old);
            old = implied_text(f->a, a);
        } else if (*old && !*new) {
            free(new);
            new = implied_text(f->b, b);
        }
        if (strcmp(old, new) != 0)
            alter(f, "%s -> %s", old, new);
        free(old);
        free(new);
        state_changes(f, a, b);
    } else {
        extra_changes(f, a->extra, b->extra, NULL);
    }
    if (a->size != b->size || strcmp(a->unit, b->unit))
        alter(f, "size %lld%s%s -> %lld%s%s", (long long)a->size,
              *a->unit ? " " : "", a->unit, (long long)b->size,
              *b->unit ? " " : "", b->unit);
    /* Report nothing if the parent changed in the same way. */
    if (a->exclusive != b->exclusive
        && !(a->parent && b->parent && a->parent->exclusive == a->exclusive
             && b->parent->exclusive == b->exclusive))
        alter(f, b->exclusive ? "becomes exclusive" : "is no longer exclusive");
    if (strcmp(a->type, b->type)) /* only roots */
        alter(f, "type %s -> %s", a->type, b->type);
    if (strcmp(a->basename, b->basename))
        alter(f, "basename %s -> %s", a->basename, b->basename);
    if (!a->run && !b->run && a->id != b->id)
        alter(f, "id %lld -> %lld", (long long)a->id, (long long)b->id);
    /* A uuid that writing would make from the place counts as none. */
    if (given->uuid
        && strcmp(given->uuid,
                  a->uuid && b->uuid ? b->uuid : vertex_made_uuid(given).text))
        alter(f, "uuid %s -> %s", a->uuid ? a->uuid : "nothing",
              b->uuid ? b->uuid : "nothing");
    property_changes(f, a->properties, b->properties, "loses");
    property_changes(f, b->properties, a->properties, "gains");
    for (int i = 0; i < UNKNOWN_PLACES && (a->extra || b->extra); i++)
        extra_changes(f, unknown_keys(a->extra, (enum unknown_place)i),
                      unknown_keys(b->extra, (enum unknown_place)i), NULL);
}

/* Compare siblings and everything below them, except targets, which have a
   place of their own. */
static void compare_lists(struct vertex_diff *f, const char *prefix,
                          const struct vertex *a, const struct vertex *b)
{
    for (; a; a = a->next) {
        if (vertex_is_target(a))
            continue;
        if (!a->peer) {
            note(f, CHANGE_GONE, "", prefix, a);
            continue;
        }
        compare_pool(f, prefix, a);
        if (a->child || a->peer->child) {
            char *deeper = NULL; /* a run has no name to prepend */

            if (a->name)
                xasprintf(&deeper, "%s%s/", prefix, a->name);
            compare_lists(f, deeper ? deeper : "", a->child, a->peer->child);
            free(deeper);
        }
    }
    for (; b; b = b->next)
        if (!b->peer && !vertex_is_target(b))
            note(f, CHANGE_NEW, "", prefix, b);
}

/* --- output --------------------------------------------------------------- */

void compare_target(struct changes *out, const struct settled sets[2],
                    const struct vertex *v)
{
    struct vertex_diff f = {.a = sets[0], .b = sets[1]};
    struct idset *ranks = idset_create();

    compare_pool(&f, NULL, v);
    compare_lists(&f, "", v->child, v->peer->child);
    target_add_ranks(v, ranks);
    for (size_t i = 0; i < f.n; i++) {
        struct found *found = &f.list[i];
        char *text = folded_text(&found->parts, found->text);

        changes_add_ranks(out, found->sign, ranks, text);
        folded_fini(&found->parts);
        free(found->text);
        free(text);
    }
    idset_destroy(ranks);
    free(f.list);
}

void compare_trees(struct changes *out, const struct settled sets[2],
                   const struct vertex *a, const struct vertex *b)
{
    struct vertex_diff f = {.a = sets[0], .b = sets[1], .out = out};

    compare_lists(&f, "", a, b);
}
