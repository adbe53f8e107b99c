/* Copies vertices with all that they have, and the rest of a set (rset.h). */
#include "model/tree/rset.h"

#include "base/memory.h"
#include "model/tree/types.h"

/* --- vertices ------------------------------------------------------------- */

/* Copy a vertex and everything below it, with another run. The copy is not in
   the tree. */
static struct vertex *clone_as(struct rset *rs, const struct vertex *v,
                               const struct idset *run)
{
    struct vertex *copy = vertex_create(rs, v->type), **end = &copy->child;

    *copy = *v;
    copy->parent = copy->child = copy->next = copy->peer = NULL;
    copy->extra = json_incref(v->extra);
    copy->run = run ? idset_copy(run) : NULL;
    for (const struct vertex *c = v->child; c; c = c->next) {
        *end = clone_as(rs, c, c->run);
        (*end)->parent = copy;
        end = &(*end)->next;
    }
    return copy;
}

struct vertex *vertex_import(struct rset *rs, const struct vertex *v)
{
    struct vertex *copy = vertex_create(rs, v->type);

    if (v->basename != v->type) /* the usual case */
        copy->basename = rset_string(rs, v->basename);
    if (*v->unit)
        copy->unit = rset_string(rs, v->unit);
    copy->name = rset_string(rs, v->name);
    copy->uuid = rset_string(rs, v->uuid);
    copy->home = rset_string(rs, v->home);
    copy->above = rset_string(rs, v->above);
    if (v->properties)
        vertex_set_properties(rs, copy, v->properties->list,
                              v->properties->count);
    copy->extra = json_incref(v->extra);
    copy->id = v->id;
    copy->rank = v->rank;
    copy->size = v->size;
    copy->exclusive = v->exclusive;
    copy->implied = v->implied;
    copy->unlisted = v->unlisted;
    return copy;
}

struct vertex *vertex_import_all(struct rset *rs, struct vertex *v)
{
    struct vertex *copy = vertex_import(rs, v), **end = &copy->child;

    v->peer = copy;
    if (v->run)
        copy->run = idset_copy(v->run);
    copy->lot = v->lot;
    for (struct vertex *c = v->child; c; c = c->next) {
        *end = vertex_import_all(rs, c);
        (*end)->parent = copy;
        end = &(*end)->next;
    }
    return copy;
}

struct vertex *vertex_copy_beside(struct rset *rs, struct vertex *v,
                                  const struct idset *run)
{
    struct vertex *copy = clone_as(rs, v, run);

    rs->cuts++;
    copy->parent = v->parent;
    copy->next = v->next;
    v->next = copy;
    return copy;
}

/* --- sets ----------------------------------------------------------------- */

/* Values are shared by reference, except the object that may lose a key. */
void rset_carry(struct rset *to, const struct rset *from)
{
    to->document.halves = from->document.halves;
    to->document.bare = from->document.bare;
    to->document.full = from->document.full;
    to->shorthand = from->shorthand;
    for (size_t i = 0; i < RSET_VALUES; i++)
        *rset_value(to, i) = json_incref(*rset_value(from, i));
    json_decref(to->document.execution);
    to->document.execution = json_copy(from->document.execution);
    rlite_adopt_types(to, from);
    for (size_t i = 0; i < from->document.nproperty_names; i++)
        VECTOR_ADD(to->document.property_names, to->document.nproperty_names,
                   rset_string(to, from->document.property_names[i]));
}

void rset_import_loose(struct rset *to, const struct rset *from)
{
    struct vertex **end = &to->loose;

    while (*end)
        end = &(*end)->next;
    for (struct vertex *v = from->loose; v; v = v->next) {
        *end = vertex_import_all(to, v);
        end = &(*end)->next;
    }
}
