/*
 * Validation of the two halves of an R against each other: the graph is said
 * as an R_lite, and both are laid over each other, as the readers do.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/validate_private.h"
#include "set/overlay.h"

/* --- the graph as an R_lite --------------------------------------------- */

static bool wanted(const struct half *half, const char *type)
{
    return !strcmp(type, "core") || !strcmp(type, "gpu")
           || strtab_find(&half->types, type);
}

/* False if R can't say this pool. */
static bool add_id(struct graph *g, const struct pool *p, struct idset *ids)
{
    if (p->number < 0 || p->number > (int64_t)IDSET_MAX) {
        pool_fault(g, p, RULE_GRAPH_ID, NULL,
                   "%s of rank %lld has no id that R can hold",
                   pool_quote(p).text, (long long)p->rank);
        return false;
    }
    if (idset_contains(ids, (uint32_t)p->number)) {
        pool_fault(g, p, RULE_GRAPH_ID, NULL,
                   "rank %lld has two pools of type %s with id %lld",
                   (long long)p->rank, p->type, (long long)p->number);
        return false;
    }
    idset_add(ids, (uint32_t)p->number, (uint32_t)p->number);
    return true;
}

/* What is in a target follows it in the order of the walk. */
static bool project_target(struct graph *g, const struct half *half, size_t at,
                           struct rlite *lite)
{
    const struct pool *target = g->order[at];
    uint32_t rank = (uint32_t)target->rank;
    struct lite_children children = {0};
    struct idset *own = idset_create_range(rank, rank), *ids;
    bool good = own != NULL;

    for (size_t i = at + 1; i < g->norder && own; i++) {
        const struct pool *p = g->order[i];
        if (p->target != target)
            break;
        if (!wanted(half, p->type))
            continue;
        ids = lite_children_ids(&children, p->type);
        if (!ids)
            g->c->failed = true;
        good = ids && add_id(g, p, ids) && good;
    }
    if (!own || rlite_add(lite, own, &children) < 0)
        g->c->failed = true;
    lite_children_fini(&children);
    idset_destroy(own);
    return good;
}

static bool project(struct graph *g, const struct half *half,
                    struct rlite *lite)
{
    bool good = true;

    for (size_t i = 0; i < g->norder && !g->c->failed; i++)
        if (g->order[i]->target == g->order[i])
            good = project_target(g, half, i, lite) && good;
    return good;
}

/* --- comparing ---------------------------------------------------------- */

static char *entry_text(const struct lite_entry *e)
{
    char *text = NULL;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    if (!fp)
        return NULL;
    if (!e)
        fputs("no such rank", fp);
    else if (!e->children.n)
        fputs("nothing", fp);
    else
        lite_children_print(&e->children, fp);
    memory_close(fp);
    return text;
    free(text);
    return NULL;
}

static void tell_difference(struct graph *g, const struct idset *ids,
                            const struct lite_entry *r,
                            const struct lite_entry *j)
{
    char *ranks = idset_encode(ids), *in_r = entry_text(r),
         *in_j = entry_text(j);

    if (!ranks || !in_r || !in_j)
        g->c->failed = true;
    else
        fault(g->c, RULE_HALVES_DISAGREE,
              IN_KEY(IN_KEY(NULL, "execution"), "R_lite"),
              "R_lite and the graph disagree: rank%s %.100s: %.160s in R_lite, "
              "%.160s in the graph",
              idset_count(ids) > 1 ? "s" : "", ranks, in_r, in_j);
    free(ranks);
    free(in_r);
    free(in_j);
}

static void check_group(struct graph *g, const struct rlite *r,
                        const struct rlite *j,
                        const struct overlay_group *group)
{
    const struct lite_entry *in_r = NULL, *in_j = NULL;

    for (size_t i = 0; i < group->nlabels; i++) {
        size_t label = group->labels[i];
        if (label < r->n)
            in_r = &r->list[label];
        else
            in_j = &j->list[label - r->n];
    }
    /* deployed writers leave out a node that has nothing for R_lite */
    if (!in_r && in_j && in_j->children.n == 0)
        return;
    if (!in_r || !in_j || in_r->keylen != in_j->keylen
        || memcmp(in_r->key, in_j->key, in_r->keylen))
        tell_difference(g, group->ids, in_r, in_j);
}

static void compare(struct graph *g, const struct rlite *r,
                    const struct rlite *j)
{
    const struct idset **sets = xmalloc((r->n + j->n + 1) * sizeof(*sets));
    struct overlay *ov = NULL;

    for (size_t i = 0; sets && i < r->n + j->n; i++)
        sets[i] = i < r->n ? r->list[i].ranks : j->list[i - r->n].ranks;
    if (!sets || !(ov = overlay_create(sets, r->n + j->n)))
        g->c->failed = true;
    for (size_t i = 0; ov && i < overlay_ngroups(ov); i++)
        check_group(g, r, j, overlay_group(ov, i));
    overlay_destroy(ov);
    free(sets);
}

/* --- hosts -------------------------------------------------------------- */

static void check_host(struct graph *g, uint32_t rank, const char *host)
{
    int64_t key = rank;
    const struct map_slot *slot = map_find(&g->targets, &key, sizeof(key));
    const struct pool *p = slot ? slot->value.pointer : NULL;

    if (p && p->name && strcmp(p->name, host))
        fault(g->c, RULE_HOSTS_DISAGREE,
              IN_KEY(IN_KEY(NULL, "execution"), "nodelist"),
              "the nodelist and the graph disagree: rank %u is %.160s in the "
              "nodelist, %.160s in the graph",
              rank, host, p->name);
}

/* With more ranks than nodes the halves disagree anyway. */
static void check_hosts(struct graph *g, const struct half *half)
{
    char host[HOSTLIST_NAME_MAX];
    struct hostlist_iter names;
    struct idset_iter ranks;
    uint32_t rank;

    if (!half->hosts || idset_count(half->ranks) > g->norder
        || hostlist_count(half->hosts) != idset_count(half->ranks))
        return;
    hostlist_iter_init(&names, half->hosts);
    idset_iter_init(&ranks, half->ranks);
    while (idset_iter_next(&ranks, &rank)
           && hostlist_iter_next(&names, host, sizeof(host)) >= 0)
        check_host(g, rank, host);
}

void check_halves(struct graph *g, const struct half *half)
{
    struct rlite lite = {0};

    if (project(g, half, &lite) && !g->c->failed) {
        rlite_sort(&lite);
        compare(g, &half->lite, &lite);
        check_hosts(g, half);
    }
    rlite_fini(&lite);
}
