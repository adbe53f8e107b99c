/*
 * Changes of facts (usage.h) that concern some members of runs. Before the
 * change these members get vertices of their own. After it, equal runs that are
 * siblings become one run, so that the tree does not grow with every change.
 *
 * Finding equal runs costs the number of sibling vertices and lots. If there
 * are many, it waits until as many changes were made: so each change pays for
 * one of them, and there are never more vertices than lots. Meanwhile, for the
 * same reason, vertices are not sorted; lots are.
 */
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "model/records/usage_private.h"

/* --- cutting ------------------------------------------------------------ */

/* Cut members of one run that follow each other in the list. Returns their
   number. */
static size_t cut_some(struct usage *u, struct lot *const *list, size_t n)
{
    const struct lot *first = list[0];
    struct vertex *v = first->v;
    struct idset *members = idset_create();
    size_t i = 0;

    for (; i < n && list[i]->v == v && list[i]->parent == first->parent
           && list[i]->state == first->state;
         i++)
        idset_add(members, list[i]->at, list[i]->at + list[i]->n - 1);
    if (vertex_split(u->rs, v, members) != v)
        u->unsorted = true;
    idset_destroy(members);
    return i;
}

void lots_cut(struct usage *u, const struct lots *lots)
{
    for (size_t i = 0; i < lots->n;) {
        struct lot *lot = lots->list[i];
        if (lot->parent->parent)
            lot_vertex(u, lot->parent);
        i += lot->v->run ? cut_some(u, &lots->list[i], lots->n - i) : 1;
    }
}

struct vertex *lot_vertex(struct usage *u, struct lot *lot)
{
    lots_cut(u, &(struct lots){.list = &lot, .n = 1});
    return lot->v;
}

/* --- joining ------------------------------------------------------------ */

/* Write everything that makes a run equal to another, except its members. */
static void put_facts(const struct vertex *v, FILE *fp)
{
    const struct properties *p = v->properties;

    fprintf(fp, "%s%c%s%c%s%c%lld %d %d %u ", v->type, 0, v->basename, 0,
            v->unit, 0, (long long)v->size, v->exclusive, v->implied,
            p ? p->count : 0);
    for (unsigned i = 0; p && i < p->count; i++)
        fprintf(fp, "%s%c%s%c", p->list[i].key, 0, p->list[i].value, 0);
    if (v->extra)
        json_dumpf(v->extra, fp, 0);
    for (const struct vertex *c = v->child; c; c = c->next) {
        putc('(', fp);
        idset_write(c->run, fp);
        put_facts(c, fp);
        putc(')', fp);
    }
}

/* Return the first run equal to v that was found before, or NULL. A run that
   was cut off has the number of the original. */
static struct vertex *find_equal(struct map *runs, struct vertex *v)
{
    struct map_slot *slot;
    char *facts;
    size_t len;
    FILE *fp = memory_open(&facts, &len);

    fprintf(fp, "%u ", v->number);
    put_facts(v, fp);
    memory_close(fp);
    slot = map_at(runs, facts, len);
    free(facts);
    if (slot->value.pointer)
        return slot->value.pointer;
    slot->value.pointer = v;
    return NULL;
}

/* With more siblings than this, equal runs are not joined at once. */
enum { SIBLINGS_FEW = 32 };

/* Count n changes of children's facts in a pool, and join equal runs if enough
   have been counted. Returns whether any were joined. */
static bool join_children(struct usage *u, struct lot *in, size_t n)
{
    struct vertex *parent = in->v, *gone = NULL, *same;
    struct map runs = {0};
    struct lots up;

    in->in->nchanged += (uint32_t)n;
    if (!in->parent
        || (in->in->nchildren > SIBLINGS_FEW
            && in->in->nchanged < in->in->nchildren))
        return false;
    in->in->nchanged = 0;
    vertex_sort_children(parent);
    for (struct vertex **link = &parent->child, *v; (v = *link);) {
        if (!v->run || !(same = find_equal(&runs, v))) {
            link = &v->next;
            continue;
        }
        idset_add_set(same->run, v->run);
        *link = v->next;
        v->peer = same;
        v->next = gone;
        gone = v;
    }
    map_fini(&runs);
    if (!gone)
        return false;

    up = usage_lots(u, parent);
    for (size_t i = 0; i < up.n; i++)
        for (struct lot *lot = lot_child(up.list[i]); lot; lot = lot->next)
            if (lot->v->peer) /* its vertex was joined into another */
                lot_follow(lot, lot->v->peer);
    free(up.list);
    vertices_spare(u->rs, gone);
    u->rs->changes++;
    return true;
}

void lots_rejoin(struct usage *u, const struct lots *lots)
{
    lots_join_in(u, lots, join_children);
}
