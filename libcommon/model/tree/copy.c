/* Copies a whole set, or what a set carries beside its tree (copy.h). */
#include "model/tree/copy.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/document/rlite.h"
#include "model/records/usage.h"

static void copy_words(struct rset *to, const struct rset *from)
{
    rlite_adopt_types(to, from);
    to->nproperty_names = from->nproperty_names;
    to->property_names = xcalloc(to->nproperty_names,
                                 sizeof(*to->property_names));
    for (size_t i = 0; i < to->nproperty_names; i++)
        to->property_names[i] = rset_string(to, from->property_names[i]);
}

/* Values are shared by reference, but for the object that may lose a key. */
void rset_carry(struct rset *to, const struct rset *from)
{
    to->halves = from->halves;
    to->bare = from->bare;
    to->full = from->full;
    to->shorthand = from->shorthand;
    to->starttime = json_incref(from->starttime);
    to->expiration = json_incref(from->expiration);
    to->attributes = json_incref(from->attributes);
    to->scheduling = json_incref(from->scheduling);
    to->graph_extra = json_incref(from->graph_extra);
    to->extra = json_incref(from->extra);
    to->execution_extra = json_copy(from->execution_extra);
    copy_words(to, from);
}

static void copy_pools(struct rset *to, struct rset *from)
{
    struct vertex **end = &to->loose;

    if (from->root)
        to->root = vertex_import_all(to, from->root);
    for (struct vertex *v = from->loose; v; v = v->next) {
        *end = vertex_import_all(to, v);
        end = &(*end)->next;
    }
}

struct rset *rset_duplicate(struct rset *rs)
{
    struct rset *copy = rset_create();

    usage_settle(rs);
    rset_carry(copy, rs);
    copy_pools(copy, rs);
    usage_gather(copy);
    rset_import_links(copy, rs);
    if (rs->ranks)
        copy->ranks = idset_copy(rs->ranks);
    if (rs->hosts)
        copy->hosts = hostlist_copy(rs->hosts);
    return copy;
}
