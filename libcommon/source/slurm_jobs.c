/*
 * Grants of Slurm's jobs (slurm.h). For each node of a job Slurm lists the
 * cores of each socket and the memory. Another list, in the same order of
 * nodes, has the gres.
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

#include "base/digits.h"
#include "model/records/jobs.h"
#include "source/slurm_private.h"

/* --- jobs and their terms ---------------------------------------------- */

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

/* Return the term of a job. A job without a limit has no end, although Slurm
   lists an end a year ahead. */
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
        t.owner = json_string_value(user);
    return t;
}

/* Jobs that may share the nodes of a job. */
enum company { ANY_JOBS, OWNERS_JOBS, NO_JOBS };

/*
 * Find the jobs that may share the nodes of a job. Slurm says `whole` also for
 * a job that may share nodes with jobs of the same user or MCS label, and for a
 * job that has a block of nodes: such a job has only the listed cores.
 */
static enum company company_of(const json_t *job, const json_t *nodes)
{
    const json_t *shared = json_object_get(job, "shared");

    if (slurm_has(shared, "none"))
        return NO_JOBS;
    if (slurm_has(shared, "user") || slurm_has(shared, "mcs")
        || slurm_has(shared, "topo"))
        return OWNERS_JOBS;
    return json_is_true(json_object_get(nodes, "whole")) ? NO_JOBS : ANY_JOBS;
}

/* --- giving ------------------------------------------------------------ */

/* A job, and one of its nodes. */
struct giving {
    struct slurm *s;
    const struct term *terms;
    struct job *job; /* NULL: it holds nothing yet */
    char name[DIGITS_MAX + 1];
    char task[64]; /* tag with the array's id, or "" */
    const char *host;
    const struct slurm_class *class;
    struct lot *node;
    bool whole; /* it holds the node: list grants in its R */
};

/* Does any job hold anything inside a pool? */
static bool is_used_inside(struct usage *u, struct lot *top)
{
    for (struct lot *lot = top; (lot = lot_next_recorded(u, top, lot));)
        if (lot->grants)
            return true;
    return false;
}

/* Let a job share a lot for the times of a claim. */
static void share_lot(struct usage *u, struct job *job, struct lot *lot,
                      const struct term *times)
{
    struct term *t = job_share_term(job, times);

    if (!grant_of_term(lot, t))
        grant_add(u, job, lot, GRANT_SHARE, t, 0);
}

/* Share a core or GPU with the jobs that have it (RFC 4). Turns a claim into a
   share. */
static void share_pool(struct giving *g, struct lot *lot)
{
    struct usage *u = g->s->rs->usage;
    struct grant *next;

    for (struct grant *at = lot->grants; at; at = next) {
        next = at->beside;
        if (at->term->kind != GRANT_CLAIM)
            continue;
        share_lot(u, at->term->job, lot, at->term);
        grant_destroy(u, at);
    }
    share_lot(u, g->job, lot, g->terms);
}

/* Give units of a pool. Shares a core or GPU that another job has. Also shares
   a GPU if the job has only `part` of it. */
static void give(struct giving *g, struct lot *lot, int64_t units, bool part)
{
    static const struct period always = {.to = INFINITY, .held_on = true};
    struct usage *u = g->s->rs->usage;
    bool one = !strcmp(lot->v->type, "core") || !strcmp(lot->v->type, "gpu");
    bool taken = false;

    if (g->whole) {
        if (!grant_find(lot, g->job, GRANT_LISTED))
            grant_add(u, g->job, lot, GRANT_LISTED, NULL,
                      units < lot->v->size ? units : 0);
        return;
    }
    for (const struct lot *up = lot->parent; up; up = up->parent)
        taken = taken || lot_claimed(up, &always, NULL) > 0;
    if (!one)
        taken = taken || is_used_inside(u, lot)
                || lot_claimed(lot, &always, NULL) > lot->v->size - units;
    if (taken) {
        slurm_lose(g->s, LOSS_TAKEN, "job %s has %s of %s", g->name,
                   lot->v->type, g->host);
        return;
    }
    if (!g->job)
        g->job = job_get(u, g->name);
    if (!one || (!part && !lot->grants))
        grant_add(u, g->job, lot, GRANT_CLAIM, job_term(g->job, g->terms),
                  units);
    else if (part || lot_claimed_by(lot, g->job) == 0)
        share_pool(g, lot);
}

/* Give pools by their ids. Skips ids that don't exist. */
static void give_ids(struct giving *g, struct lot *parent, const char *type,
                     const struct idset *ids, bool part)
{
    for (const struct vertex *v = parent->v->child; v; v = v->next)
        if (!strcmp(v->type, type) && idset_contains(ids, (uint32_t)v->id))
            give(g, lot_find(g->s->rs->usage, parent, v, 0), 1, part);
}

/* Give units of the node's pool of a type, if it has one. */
static void give_units(struct giving *g, const char *type, size_t len,
                       int64_t units)
{
    const struct vertex *v = g->node->v->child;

    while (v
           && (v->id != 0 || strlen(v->type) != len
               || strncmp(v->type, type, len) != 0))
        v = v->next;
    if (v && units > 0)
        give(g, lot_find(g->s->rs->usage, g->node, v, 0),
             units < v->size ? units : v->size, false);
}

/* --- cores ------------------------------------------------------------- */

static int64_t index_of(const char *text)
{
    const char *end = strchr(text, '\0');
    uint64_t n;

    return get_number(text, end, &n) == end && *text && n < IDSET_MAX
               ? (int64_t)n
               : -1;
}

/* Add a core. Ids count on from one socket to the next. */
static void add_core(struct idset *ids, const struct slurm_class *c,
                     int64_t socket, int64_t index, const json_t *status)
{
    uint32_t id;

    if (socket < 0 || socket >= c->sockets || index < 0 || index >= c->cores)
        return;
    id = (uint32_t)(socket * c->cores + index);
    if (slurm_has(status, "ALLOCATED") || slurm_has(status, "IN_USE")
        || slurm_has(status, "ALLOCATED_AND_IN_USE"))
        idset_add(ids, id, id);
}

static void add_cores(struct idset *ids, const struct slurm_class *c,
                      int64_t socket, const json_t *cores)
{
    const char *key;
    json_t *core;
    size_t i;

    json_object_foreach ((json_t *)cores, key, core)
        add_core(ids, c, socket, index_of(key), core);
    json_array_foreach (cores, i, core)
        add_core(ids, c, socket, slurm_number(json_object_get(core, "index")),
                 json_object_get(core, "status"));
}

/* Return the ids of the cores that a job has in a node, a new set. */
static struct idset *read_cores(const struct slurm_class *c,
                                const json_t *sockets)
{
    struct idset *ids = idset_create();
    const char *key;
    json_t *one;
    size_t i;

    json_object_foreach ((json_t *)sockets, key, one)
        add_cores(ids, c, index_of(key), json_object_get(one, "cores"));
    json_array_foreach (sockets, i, one)
        add_cores(ids, c, slurm_number(json_object_get(one, "index")),
                  json_object_get(one, "cores"));
    return ids;
}

/* --- a node of a job --------------------------------------------------- */

/* Give pools of a type in the node or in its sockets. */
static void give_inside(struct giving *g, const char *type,
                        const struct idset *ids, bool part)
{
    for (struct vertex *v = g->node->v->child; v; v = v->next)
        if (!strcmp(v->type, "socket"))
            give_ids(g, lot_find(g->s->rs->usage, g->node, v, 0), type, ids,
                     part);
    give_ids(g, g->node, type, ids, part);
}

static void give_gres(struct giving *g, const char *text)
{
    struct slurm_gres gres;

    for (; text && slurm_next_gres(&text, &gres); slurm_gres_fini(&gres)) {
        bool part = slurm_gres_is_part(&gres);
        if (!part && !slurm_gres_is(&gres, "gpu"))
            give_units(g, gres.name, gres.len, gres.count);
        else if (gres.index)
            give_inside(g, "gpu", gres.index, part);
        else if (gres.count > 0)
            slurm_lose(g->s, LOSS_GPUS, "job %s in %s", g->name, g->host);
    }
}

static bool enter_node(struct giving *g, const char *host)
{
    json_t *tags = g->s->tags;

    g->host = host;
    g->whole = false;
    if (!(g->node = slurm_node_lot(g->s, host, &g->class))) {
        slurm_lose(g->s, LOSS_ELSEWHERE, "job %s has \"%s\"", g->name, host);
        return false;
    }
    if (!g->task[0])
        return true;
    if (!json_object_get(tags, host))
        json_object_set_new(tags, host, json_object());
    json_object_set_new(json_object_get(tags, host), g->task,
                        job_to_json(g->name));
    return true;
}

/*
 * Give a job its resources in a node. If no other job may use the node, the job
 * holds it, and its R lists the resources that Slurm lists, unless these are
 * all cores.
 */
static void give_node(struct giving *g, const json_t *job, const json_t *node,
                      enum company company, const char *gres)
{
    const json_t *memory = json_object_get(node, "memory");
    const struct slurm_class *c = g->class;
    struct idset *cores = read_cores(c, json_object_get(node, "sockets"));
    int64_t ncores = (int64_t)idset_count(cores);

    if (job_is(job, "SUSPENDED")) {
        idset_clear(cores);
    } else if (company == NO_JOBS) {
        give(g, g->node, 1, false);
        g->whole = g->job && lot_claimed_by(g->node, g->job) > 0;
        if (!g->whole || ncores == 0 || ncores == c->sockets * c->cores)
            goto out;
    }
    give_inside(g, "core", cores, false);
    give_units(g, "memory", strlen("memory"),
               slurm_number(memory
                                ? json_object_get(memory, "allocated")
                                : json_object_get(node, "memory_allocated")));
    give_gres(g, gres);
out:
    idset_destroy(cores);
}

/* Give a job all its nodes whole, if Slurm lists no resources for it. */
static void give_hosts(struct giving *g, const char *nodes, bool said)
{
    struct hostlist *hosts = slurm_hosts(g->s, nodes, g->name);
    char host[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;

    hostlist_iter_init(&it, hosts);
    while (hostlist_iter_next(&it, host, sizeof(host)) >= 0
           && enter_node(g, host)) {
        if (!said)
            slurm_lose(g->s, LOSS_UNSAID, "job %s in %s", g->name, host);
        give(g, g->node, 1, false);
    }
    hostlist_destroy(hosts);
}

/* --- a job --------------------------------------------------------------- */

void slurm_give(struct slurm *s, const json_t *job)
{
    const json_t *resources = json_object_get(job, "job_resources");
    const json_t *nodes = json_object_get(resources, "nodes"), *node, *name;
    const json_t *list = json_object_get(resources, "allocated_nodes");
    const json_t *gres = json_object_get(job, "gres_detail");
    enum company company = company_of(job, nodes);
    const struct term terms = terms_of(job);
    struct giving g = {.s = s, .terms = &terms};
    long long array = slurm_number(json_object_get(job, "array_job_id")),
              task = slurm_number(json_object_get(job, "array_task_id")),
              het = slurm_number(json_object_get(job, "het_job_id")),
              part = slurm_number(json_object_get(job, "het_job_offset"));
    size_t i;

    *put_number(g.name,
                (uint64_t)slurm_number(json_object_get(job, "job_id"))) = '\0';
    if (array > 0 && task >= 0)
        snprintf(g.task, sizeof(g.task), "slurm.%lld_%lld", array, task);
    else if (het > 0 && part >= 0)
        snprintf(g.task, sizeof(g.task), "slurm.%lld+%lld", het, part);
    if (company == OWNERS_JOBS)
        slurm_lose(s, LOSS_OWNERS, "job %s", g.name);
    if (!list)
        list = json_object_get(nodes, "allocation");
    if (json_array_size(list) == 0) {
        give_hosts(&g, json_string_value(json_object_get(job, "nodes")),
                   company == NO_JOBS);
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
            give_node(&g, job, node, company,
                      json_string_value(json_array_get(gres, i)));
    }
}
