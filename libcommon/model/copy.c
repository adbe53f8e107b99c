#include "model/copy.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/rlite.h"

static int copy_words(struct rset *to, const struct rset *from)
{
    if (rlite_adopt_types(to, from) < 0)
        return -1;
    if (!from->nproperty_names)
        return 0;
    to->property_names = xcalloc(from->nproperty_names,
                                 sizeof(*to->property_names));
    for (size_t i = 0; to->property_names && i < from->nproperty_names; i++) {
        const char *name = rset_string(to, from->property_names[i]);
        if (!name)
            return -1;
        to->property_names[to->nproperty_names++] = name;
    }
    return to->property_names ? 0 : -1;
}

/* Values are shared by reference, but for the object that may lose a key. */
int rset_carry(struct rset *to, const struct rset *from)
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
    if (from->execution_extra
        && !(to->execution_extra = json_copy(from->execution_extra)))
        return -1;
    return copy_words(to, from);
}

static int copy_pools(struct rset *to, struct rset *from)
{
    struct vertex **end = &to->loose;

    if (from->root && !(to->root = vertex_import_all(to, from->root)))
        return -1;
    for (struct vertex *v = from->loose; v; v = v->next) {
        if (!(*end = vertex_import_all(to, v)))
            return -1;
        end = &(*end)->next;
    }
    return 0;
}

static int copy_index(struct rset *to, const struct rset *from)
{
    if (from->ranks && !(to->ranks = idset_copy(from->ranks)))
        return -1;
    if (from->hosts && !(to->hosts = hostlist_copy(from->hosts)))
        return -1;
    return 0;
}

struct rset *rset_duplicate(struct rset *rs, struct diag *d)
{
    struct rset *copy = rset_create();

    if (copy && rset_carry(copy, rs) == 0 && copy_pools(copy, rs) == 0
        && rset_import_links(copy, rs) == 0 && copy_index(copy, rs) == 0)
        return copy;
    rset_destroy(copy);
    diag_oom(d);
    return NULL;
}
