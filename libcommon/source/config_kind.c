/*
 * What is enough to say the entries of `resources`. Where it is, nodes are one
 * run, as in an R, and what is in them is made once. Racks, other subsystems,
 * tags, and names that are not just a name and an id need single pools.
 */
#include "source/config_private.h"

#include <ctype.h>
#include <string.h>

#include "base/saturate.h"
#include "source/name.h"

static bool is_plain(const struct pool *p)
{
    return !p->subsystem && !p->path && !p->tags && p->size == 1 && !*p->unit;
}

/* What an R has in a node; what is as simple, but of any type and size. */
static int kind_of_part(const struct pool *p)
{
    int kind = is_plain(p) && !p->properties && p->with.n == 0
                       && (!strcmp(p->type, "core") || !strcmp(p->type, "gpu"))
                   ? FLAT
                   : RUNS;

    if (p->subsystem || p->path || p->tags || p->name || type_is_node(p->type))
        return SINGLES;
    for (size_t i = 0; i < p->with.n; i++)
        if (kind_of_part(&p->with.list[i]) == SINGLES)
            return SINGLES;
    return kind;
}

/* Does a run of hosts have these names, and the ids that they end in? */
static bool named_by_run(const struct pool *p)
{
    if (!p->name)
        return true;
    return !name_is_template(p->name) && p->counted == (p->count > 1)
           && !(p->counted
                && isdigit((unsigned char)p->name[strlen(p->name) - 1]));
}

static int kind_of_node(const struct pool *p)
{
    int kind = FLAT, part;

    if (!is_plain(p) || !pool_is_node(p) || !named_by_run(p))
        return SINGLES;
    for (size_t i = 0; i < p->with.n; i++) {
        part = kind_of_part(&p->with.list[i]);
        kind = part > kind ? part : kind;
    }
    return kind;
}

enum pools_kind pools_kind(const struct pool_list *tops,
                           const struct pool *root)
{
    const struct pool_list *nodes = root ? &root->with : tops;
    int kind = FLAT, one;

    if (root && (tops->n > 1 || root->tags))
        return SINGLES;
    if (root
        && (root->name || root->properties || !is_plain(root)
            || strcmp(root->type, "cluster") != 0))
        kind = RUNS;
    for (size_t i = 0; i < nodes->n; i++) {
        one = kind_of_node(&nodes->list[i]);
        kind = one > kind ? one : kind;
    }
    return kind;
}

uint64_t pools_cost(const struct pool_list *pools, enum pools_kind kind,
                    bool in_node)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < pools->n; i++) {
        const struct pool *p = &pools->list[i];
        bool run = kind != SINGLES
                   && (pool_is_node(p) || (in_node && p->with.n == 0));
        sum = saturate_add(
            sum, saturate_multiply(
                     run ? 1 : p->count,
                     saturate_add(1, pools_cost(&p->with, kind,
                                                in_node || pool_is_node(p)))));
    }
    return sum;
}
