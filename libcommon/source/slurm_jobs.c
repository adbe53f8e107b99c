/*
 * What the jobs of Slurm have (slurm.h), as grants. Slurm tells it node by
 * node: which cores of which sockets, how much memory, and in a list beside
 * that, of the nodes in their order, which gres.
 *
 *     22.05  "allocated_nodes": [{"nodename": "n1", "memory_allocated": 1000,
 *                "sockets": {"0": {"cores": {"3": "allocated"}}}}]
 *     23.11  "nodes": {"whole": false, "allocation": [{"name": "n1",
 *                "memory": {"allocated": 1000}, "sockets": [{"index": 0,
 *                "cores": [{"index": 3, "status": ["ALLOCATED"]}]}]}]}
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/records/jobs.h"
#include "base/digits.h"
#include "source/slurm_private.h"

/* --- which, and when --------------------------------------------------- */

static bool job_is(const json_t *job, const char *word)
{
    return slurm_has(json_object_get(job, "job_state"), word);
}

bool slurm_job_holds(const json_t *job)
{
    static const char *const words[] = {
        "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING",
        "STOPPED", "SIGNALING", "STAGE_OUT",  "RESIZING"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (job_is(job, words[i]))
            return slurm_number(json_object_get(job, "job_id")) > 0;
    return false;
}

/* Slurm gives jobs without a limit an end a year ahead. */
static struct term terms_of(const json_t *job)
{
    const json_t *user = json_object_get(job, "user_name");
    int64_t start = slurm_number(json_object_get(job, "start_time"));
    int64_t end = slurm_number(json_object_get(job, "end_time"));
    bool limited = slurm_number(json_object_get(job, "time_limit")) >= 0;
    struct term t = {
        .kind = GRANT_CLAIM, .start = TIME_UNSET, .end = TIME_UNSET};

    if (start > 0)
        t.start = (double)start;
    if (limited && end > start && end > 0)
        t.end = (double)end;
    if (json_string_length(user) > 0
        && json_string_length(user) <= JOB_NAME_MAX)
        t.owner = (char *)json_string_value(user);
    return t;
}

static bool is_exclusive(const json_t *job, const json_t *nodes)
{
    return slurm_has(json_object_get(job, "shared"), "none")
           || json_is_true(json_object_get(nodes, "whole"));
}

/* --- giving ------------------------------------------------------------ */

/* A job and the node at hand. */
struct giving {
    struct slurm *s;
    const struct term *terms;
    struct job *job; /* NULL: it has nothing yet */
    char name[DIGITS_MAX + 1];
    const char *host;
    struct lot *node;
};

/* Is it, or what lies in it or around it, another's? */
static bool is_taken(const struct lot *lot, int64_t units)
{
    static const struct period always = {.to = INFINITY, .held_on = true};

    for (const struct lot *up = lot->parent; up; up = up->parent)
        if (lot_claimed(up, &always, NULL) > 0)
            return true;
    return lot_claimed(lot, &always, NULL) > lot->v->size - units
           || lot_nsaid(lot) > 0;
}

static void give(struct giving *g, struct lot *lot, int64_t units)
{
    struct usage *u = g->s->rs->usage;

    if (is_taken(lot, units)) {
        slurm_lose(g->s, LOSS_TAKEN, "job %s has %s of %s", g->name,
                   lot->v->type, g->host);
        return;
    }
    if (!g->job)
        g->job = job_get(u, g->name);
    grant_add(u, g->job, lot, GRANT_CLAIM, job_term(g->job, g->terms), units);
}

/* Pools by their ids; what is not there is nobody's. */
static void give_ids(struct giving *g, struct lot *parent, const char *type,
                     const struct idset *ids)
{
    for (const struct vertex *v = parent->v->child; v; v = v->next)
        if (!strcmp(v->type, type) && idset_contains(ids, (uint32_t)v->id))
            give(g, lot_find(g->s->rs->usage, parent, v, 0), 1);
}

/* The lot of a pool in the node; NULL: there is none. */
static struct lot *find_pool(const struct giving *g, const char *type,
                             size_t len, int64_t id)
{
    for (const struct vertex *v = g->node->v->child; v; v = v->next)
        if (v->id == id && strlen(v->type) == len
            && !strncmp(v->type, type, len))
            return lot_find(g->s->rs->usage, g->node, v, 0);
    return NULL;
}

static void give_units(struct giving *g, const char *type, size_t len,
                       int64_t units)
{
    struct lot *lot = find_pool(g, type, len, 0);

    if (lot && units > 0)
        give(g, lot, units < lot->v->size ? units : lot->v->size);
}

/* --- cores ------------------------------------------------------------- */

/* The core of that index, if it is the job's. */
static void add_core(struct idset *cores, int64_t first, int64_t index,
                     const json_t *status)
{
    if (index >= 0 && index < SLURM_CORES_MAX
        && (slurm_has(status, "ALLOCATED") || slurm_has(status, "IN_USE")
            || slurm_has(status, "ALLOCATED_AND_IN_USE")))
        idset_add(cores, (uint32_t)(first + index), (uint32_t)(first + index));
}

static int64_t index_of(const char *text)
{
    const char *end = strchr(text, '\0');
    uint64_t n;

    return get_number(text, end, &n) == end && *text && n < IDSET_MAX
               ? (int64_t)n
               : -1;
}

/* The cores of a socket count on from those of the one before. */
static void give_socket(struct giving *g, int64_t socket, const json_t *cores)
{
    struct lot *lot = find_pool(g, "socket", strlen("socket"), socket);
    struct idset *ids = idset_create();
    int64_t first = lot && lot->v->child ? lot->v->child->id : 0;
    const char *key;
    json_t *core;
    size_t i;

    if (json_is_object(cores))
        json_object_foreach ((json_t *)cores, key, core)
            add_core(ids, first, index_of(key), core);
    else
        json_array_foreach (cores, i, core)
            add_core(ids, first, slurm_number(json_object_get(core, "index")),
                     json_object_get(core, "status"));
    if (lot)
        give_ids(g, lot, "core", ids);
    idset_destroy(ids);
}

static void give_cores(struct giving *g, const json_t *sockets)
{
    const char *key;
    json_t *one;
    size_t i;

    json_object_foreach ((json_t *)sockets, key, one)
        give_socket(g, index_of(key), json_object_get(one, "cores"));
    json_array_foreach (sockets, i, one)
        give_socket(g, slurm_number(json_object_get(one, "index")),
                    json_object_get(one, "cores"));
}

/* --- a node of a job --------------------------------------------------- */

static void give_gres(struct giving *g, const char *text)
{
    struct slurm_gres gres;

    for (; text && slurm_next_gres(&text, &gres); slurm_gres_fini(&gres)) {
        bool gpu = gres.len == 3 && !strncmp(gres.name, "gpu", 3);
        if (gpu && gres.index) {
            for (struct vertex *v = g->node->v->child; v; v = v->next)
                if (!strcmp(v->type, "socket"))
                    give_ids(g, lot_find(g->s->rs->usage, g->node, v, 0), "gpu",
                             gres.index);
            give_ids(g, g->node, "gpu", gres.index);
        } else if (gpu) {
            slurm_lose(g->s, LOSS_GPUS, "job %s in %s", g->name, g->host);
        } else {
            give_units(g, gres.name, gres.len, gres.count);
        }
    }
}

static bool enter_node(struct giving *g, const char *host)
{
    struct slurm *s = g->s;
    struct usage *u = s->rs->usage;
    const struct map_slot *slot = map_find(&s->ranks, host, strlen(host));
    struct lots lots = {0};
    struct idset *rank;

    g->host = host;
    if (!slot) {
        slurm_lose(s, LOSS_ELSEWHERE, "job %s has \"%s\"", g->name, host);
        return false;
    }
    rank = idset_create_range((uint32_t)slot->value.number - 1,
                              (uint32_t)slot->value.number - 1);
    lots_take(u, lot_open(u, &u->top),
              s->classes[s->class_of[slot->value.number - 1]].node, rank,
              &lots);
    g->node = lots.list[0];
    free(lots.list);
    idset_destroy(rank);
    return true;
}

static void give_part(struct giving *g, const json_t *job, const json_t *node,
                      const json_t *gres)
{
    const json_t *memory = json_object_get(node, "memory");

    if (!job_is(job, "SUSPENDED"))
        give_cores(g, json_object_get(node, "sockets"));
    give_units(g, "memory", strlen("memory"),
               slurm_number(memory
                                ? json_object_get(memory, "allocated")
                                : json_object_get(node, "memory_allocated")));
    give_gres(g, json_string_value(gres));
}

/* All nodes of a job, of which no more is said than that it has them. */
static void give_hosts(struct giving *g, const struct hostlist *hosts,
                       bool exclusive)
{
    char host[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;

    hostlist_iter_init(&it, hosts);
    while (hostlist_iter_next(&it, host, sizeof(host)) >= 0
           && enter_node(g, host)) {
        if (!exclusive)
            slurm_lose(g->s, LOSS_UNSAID, "job %s in %s", g->name, host);
        give(g, g->node, 1);
    }
}

static void give_nodes(struct giving *g, const char *nodes, bool exclusive)
{
    struct hostlist *hosts = hostlist_create(), *here, *elsewhere;
    char *text;
    struct diag d;

    if (!nodes || hostlist_decode(hosts, nodes, strlen(nodes), &d) < 0)
        slurm_lose(g->s, LOSS_ELSEWHERE, "job %s", g->name);
    here = hostlist_intersect(hosts, g->s->hosts);
    elsewhere = hostlist_subtract(hosts, g->s->hosts);
    text = hostlist_encode(elsewhere);
    if (*text)
        slurm_lose(g->s, LOSS_ELSEWHERE, "job %s has %s", g->name,
                   quote(text, strlen(text)).text);
    give_hosts(g, here, exclusive);
    hostlist_destroy(hosts);
    hostlist_destroy(here);
    hostlist_destroy(elsewhere);
    free(text);
}

void slurm_give(struct slurm *s, const json_t *job)
{
    const json_t *resources = json_object_get(job, "job_resources");
    const json_t *nodes = json_object_get(resources, "nodes"), *node, *name;
    const json_t *list = json_object_get(resources, "allocated_nodes");
    const json_t *gres = json_object_get(job, "gres_detail");
    const struct term terms = terms_of(job);
    struct giving g = {.s = s, .terms = &terms};
    bool exclusive = is_exclusive(job, nodes) && !job_is(job, "SUSPENDED");
    size_t i;

    *put_number(g.name,
                (uint64_t)slurm_number(json_object_get(job, "job_id"))) = '\0';
    if (!list)
        list = json_object_get(nodes, "allocation");
    if (json_array_size(list) == 0 || exclusive) {
        give_nodes(&g, json_string_value(json_object_get(job, "nodes")),
                   exclusive);
        return;
    }
    if (json_array_size(gres) != json_array_size(list)) {
        if (json_array_size(gres) > 0)
            slurm_lose(s, LOSS_GPUS, "job %s", g.name);
        gres = NULL;
    }
    json_array_foreach (list, i, node) {
        name = json_object_get(node, "nodename");
        name = name ? name : json_object_get(node, "name");
        if (json_is_string(name) && enter_node(&g, json_string_value(name)))
            give_part(&g, job, node, json_array_get(gres, i));
    }
}
