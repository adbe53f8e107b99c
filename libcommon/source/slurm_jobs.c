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
#include <string.h>

#include "base/digits.h"
#include "base/json.h"
#include "base/near.h"
#include "model/records/jobs.h"
#include "model/records/lots.h"
#include "source/slurm_private.h"

/* --- jobs and their terms ---------------------------------------------- */

static bool job_is(const json_t *job, const char *word)
{
    return slurm_has(json_object_get(job, "job_state"), word);
}

/* Slurm's words for states of jobs: first those in which a job holds its
   resources. */
enum { HOLDING = 9 };
static const char *const job_states[] = {
    "RUNNING",       "SUSPENDED",    "COMPLETING",   "CONFIGURING",
    "STOPPED",       "SIGNALING",    "STAGE_OUT",    "RESIZING",
    "POWER_UP_NODE", "PENDING",      "COMPLETED",    "CANCELLED",
    "FAILED",        "TIMEOUT",      "NODE_FAIL",    "PREEMPTED",
    "BOOT_FAIL",     "DEADLINE",     "REVOKED",      "OUT_OF_MEMORY",
    "LAUNCH_FAILED", "REQUEUED",     "REQUEUE_FED",  "REQUEUE_HOLD",
    "RESV_DEL_HOLD", "SPECIAL_EXIT", "RECONFIG_FAIL"};

int slurm_job_holds(struct slurm *s, const json_t *job, struct diag *d)
{
    const json_t *id = json_object_get(job, "job_id");

    if (!json_object_get(job, "job_state")
        && json_is_object(json_object_get(job, "state")))
        return diag_set(d, "no `job_state`: this is accounting, expected the "
                           "output of `squeue --json`");
    if (slurm_number(job, "job_id") <= 0)
        return diag_key(d, "job_id", "%s: a number is expected",
                        id ? json_quote(id).text : "missing");
    for (size_t i = 0; i < sizeof(job_states) / sizeof(job_states[0]); i++)
        if (job_is(job, job_states[i]))
            return i < HOLDING;
    slurm_lose(s, LOSS_JOB_STATE, "job %lld",
               (long long)slurm_number(job, "job_id"));
    return 1;
}

/* Return the term of a job. A job without a limit has no end, although Slurm
   lists an end a year ahead. */
static struct term terms_of(const json_t *job)
{
    const char *user = slurm_text(job, "user_name");
    int64_t start = slurm_number(job, "start_time");
    int64_t end = slurm_number(job, "end_time");
    bool limited = slurm_number(job, "time_limit") >= 0;
    struct term t = {
        .kind = GRANT_CLAIM, .start = TIME_UNSET, .end = TIME_UNSET};

    if (start > 0)
        t.start = (double)start;
    if (limited && end > start && end > 0)
        t.end = (double)end;
    if (user && *user && strlen(user) <= JOB_NAME_MAX)
        t.owner = user;
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

/* --- what a job holds --------------------------------------------------- */

/* A job, and one of its nodes. */
struct holding {
    struct slurm *s;
    const struct term *terms;
    struct job *job; /* NULL: it holds nothing yet */
    char name[32];
    char task[64]; /* tag with the array's id, or "" */
    const char *host;
    const struct slurm_class *class;
    struct lot *node;
    bool whole; /* it holds the node: list grants in its R */
};

static const struct period always = {.to = INFINITY, .held_on = true};

/* Let a job share a lot for the times of a claim. */
static void share_lot(struct usage *u, struct job *job, struct lot *lot,
                      const struct term *times)
{
    struct term *t = job_share_term(u, job, times);

    if (!grant_of_term(lot, t))
        grant_add(u, job, lot, GRANT_SHARE, t, 0);
}

/* Share a core or GPU with the jobs that have it (RFC 4). Turns a claim into a
   share. */
static void share_pool(struct holding *g, struct lot *lot)
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
static void add_pool(struct holding *g, struct lot *lot, int64_t units,
                     bool part)
{
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
        taken = taken || lot_claimed(lot, &always, NULL) > lot->v->size - units;
    for (struct lot *in = lot;
         !one && !taken && (in = lot_next_recorded(u, lot, in));)
        taken = in->grants;
    if (taken) {
        slurm_lose(g->s, LOSS_TAKEN, "job %s has %s of %s", g->name,
                   lot->v->type, g->host);
        return;
    }
    if (!g->job)
        g->job = job_get(u, g->name);
    if (!one || (!part && !lot->grants))
        grant_add(u, g->job, lot, GRANT_CLAIM, job_term(u, g->job, g->terms),
                  units);
    else if (part || lot_claimed_by(lot, g->job) == 0)
        share_pool(g, lot);
}

/* Return the next pool of a type in the node behind `lot`, which is the node at
   first; NULL at the end. */
static struct lot *next_pool(const struct holding *g, const char *type,
                             struct lot *lot)
{
    do
        lot = lot_next(g->s->rs->usage, g->node, lot, false);
    while (lot && strcmp(lot->v->type, type) != 0);
    return lot;
}

/* Give pools of a type by their ids; `idle`: only those that nobody has.
   Returns how many. */
static int64_t add_job_ids(struct holding *g, const char *type,
                           const struct idset *ids, bool idle)
{
    int64_t n = 0;

    for (struct lot *lot = g->node; (lot = next_pool(g, type, lot));)
        if (idset_contains(ids, (uint32_t)lot->v->id)
            && !(idle && lot->grants)) {
            add_pool(g, lot, 1, false);
            n++;
        }
    return n;
}

/* Give any pools of a type that nobody has, those that are up first. */
static void add_any(struct holding *g, const char *type, int64_t n)
{
    for (int down = 0; down < 2; down++)
        for (struct lot *lot = g->node;
             n > 0 && (lot = next_pool(g, type, lot));)
            if (!lot->grants && (lot->state != STATE_UP) == down) {
                add_pool(g, lot, 1, false);
                n--;
            }
}

/* Return the node's pool of a type whose units are counted; NULL: none. */
static struct lot *find_amount(const struct holding *g, const char *type,
                               size_t len)
{
    for (const struct vertex *v = g->node->v->child; v; v = v->next)
        if (v->id == 0 && word_is(type, len, v->type))
            return lot_find(g->s->rs->usage, g->node, v, 0);
    return NULL;
}

/* Give units of the node's pool of a type, if it has one. */
static void add_amount(struct holding *g, const char *type, size_t len,
                       int64_t units)
{
    struct lot *lot = find_amount(g, type, len);
    int64_t size = lot ? lot->v->size : 0;

    if (units > size)
        slurm_lose(g->s, LOSS_BEYOND, "job %s in %s: %lld of %.*s", g->name,
                   g->host, (long long)units, (int)len, type);
    if (lot && units > 0)
        add_pool(g, lot, units < size ? units : size, false);
}

/* --- cores ------------------------------------------------------------- */

static int64_t index_of(const char *text)
{
    uint64_t n;

    return text_is_number(text, &n) && n < IDSET_MAX ? (int64_t)n : -1;
}

/* The cores that a job has in a node: their ids, and how many the node does not
   have. */
struct cores {
    struct idset *ids;
    int64_t beyond, any; /* any: without ids */
};

/* Add a core. Ids count on from one socket to the next. */
static void add_core(struct cores *to, const struct slurm_class *c,
                     int64_t socket, int64_t index, const json_t *status)
{
    uint32_t id;

    if (!slurm_has(status, "ALLOCATED") && !slurm_has(status, "IN_USE")
        && !slurm_has(status, "ALLOCATED_AND_IN_USE"))
        return;
    if (socket < 0 || socket >= c->sockets || index < 0 || index >= c->cores) {
        to->beyond++;
        return;
    }
    id = (uint32_t)(socket * c->cores + index);
    idset_add(to->ids, id, id);
}

static void add_cores(struct cores *ids, const struct slurm_class *c,
                      int64_t socket, const json_t *cores)
{
    const char *key;
    json_t *core;
    size_t i;

    json_object_foreach ((json_t *)cores, key, core)
        add_core(ids, c, socket, index_of(key), core);
    json_array_foreach (cores, i, core)
        add_core(ids, c, socket, slurm_number(core, "index"),
                 json_object_get(core, "status"));
}

/* Return the cores that a job has in a node; destroy their ids. `any` has
   a number of cores without ids. */
static struct cores read_cores(const struct slurm_class *c, const json_t *node)
{
    const json_t *sockets = json_object_get(node, "sockets");
    struct cores cores = {.ids = idset_create()};
    const char *key;
    json_t *one;
    size_t i;

    json_object_foreach ((json_t *)sockets, key, one)
        add_cores(&cores, c, index_of(key), json_object_get(one, "cores"));
    json_array_foreach (sockets, i, one)
        add_cores(&cores, c, slurm_number(one, "index"),
                  json_object_get(one, "cores"));
    cores.any = slurm_number(node, "any");
    cores.any = cores.any < SLURM_UNITS_MAX ? cores.any : SLURM_UNITS_MAX;
    return cores;
}

/* --- a node of a job --------------------------------------------------- */

/* Give gres; with `rest` the GPUs that have no ids, or ids that the node does
   not have. */
static void add_job_gres(struct holding *g, const char *text, bool rest)
{
    struct slurm_gres gres;

    for (; text && slurm_next_gres(&text, &gres); slurm_gres_fini(&gres)) {
        bool part = slurm_gres_is_part(&gres),
             gpu = slurm_gres_is(&gres, "gpu");
        int64_t n = gres.index ? (int64_t)idset_count(gres.index) : gres.count,
                has = 0;
        for (struct lot *lot = g->node;
             gres.index && (part || gpu) && (lot = next_pool(g, "gpu", lot));)
            if (idset_contains(gres.index, (uint32_t)lot->v->id)) {
                has++;
                if (!rest)
                    add_pool(g, lot, 1, part);
            }
        if (!part && !gpu && !rest)
            add_amount(g, gres.name, gres.len, gres.count);
        if (!rest || n <= has || (!part && !gpu))
            continue;
        slurm_lose(g->s,
                   part         ? LOSS_PARTS
                   : gres.index ? LOSS_BEYOND
                                : LOSS_GPUS,
                   gres.index ? "job %s in %s: %lld GPUs" : "job %s in %s",
                   g->name, g->host, (long long)(n - has));
        if (gpu)
            add_any(g, "gpu", n - has);
    }
}

static bool enter_node(struct holding *g, const char *host, bool rest)
{
    g->host = host;
    g->whole = false;
    if (!(g->node = slurm_node_lot(g->s, host, &g->class))) {
        if (!rest)
            slurm_lose(g->s, LOSS_ELSEWHERE, "job %s has \"%s\"", g->name,
                       host);
        return false;
    }
    if (g->task[0])
        json_object_set_new(json_at(g->s->tags, host, json_object), g->task,
                            job_to_json(g->name));
    return true;
}

/*
 * Give a job its resources in a node. If no other job may use the node, the job
 * holds it, and its R lists the resources that Slurm lists, unless these are
 * all cores.
 */
static void add_job_node(struct holding *g, const json_t *job,
                         const json_t *node, enum company company,
                         const char *gres, bool rest)
{
    const json_t *memory = json_object_get(node, "memory");
    const struct slurm_class *c = g->class;
    struct cores cores = read_cores(c, node);
    int64_t ncores = (int64_t)idset_count(cores.ids);

    if (rest && !job_is(job, "SUSPENDED")) {
        if (cores.beyond > 0)
            slurm_lose(g->s, LOSS_BEYOND, "job %s in %s: %lld %s", g->name,
                       g->host, (long long)cores.beyond,
                       cores.beyond == 1 ? "core" : "cores");
        add_any(g, "core", cores.beyond + (cores.any > 0 ? cores.any : 0));
    }
    if (rest) {
        add_job_gres(g, gres, true);
        goto out;
    }
    if (job_is(job, "SUSPENDED")) {
        struct slurm_node *use = &g->s->nodes[lot_ranks(g->node).lo];
        if (!use->lent)
            use->lent = idset_create();
        idset_add_set(use->lent, cores.ids);
        idset_clear(cores.ids);
    } else if (company == NO_JOBS) {
        add_pool(g, g->node, 1, false);
        g->whole = g->job && lot_claimed_by(g->node, g->job) > 0;
        if (!g->whole || ncores == 0 || ncores == c->sockets * c->cores)
            goto out;
    }
    add_job_ids(g, "core", cores.ids, false);
    add_amount(g, "memory", strlen("memory"),
               memory ? slurm_number(memory, "allocated")
                      : slurm_number(node, "memory_allocated"));
    add_job_gres(g, gres, false);
out:
    idset_destroy(cores.ids);
}

/* Give a job all its nodes whole, if Slurm lists no resources for it. */
static void add_hosts(struct holding *g, const char *nodes, bool reported)
{
    struct hostlist *hosts = slurm_hosts(g->s, nodes, g->name);
    char host[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;

    hostlist_iter_init(&it, hosts);
    while (hostlist_iter_next(&it, host) >= 0 && enter_node(g, host, false)) {
        if (!reported)
            slurm_lose(g->s, LOSS_UNSAID, "job %s in %s", g->name, host);
        add_pool(g, g->node, 1, false);
    }
    hostlist_destroy(hosts);
}

/* --- a job --------------------------------------------------------------- */

/*
 * Slurm 21.08 lists nodes by their numbers, sockets and cores apart, and CPUs:
 *
 *     "allocated_nodes": {"0": {"sockets": {"1": "unassigned"}, "cores":
 *         {"0": "unassigned"}, "memory": 64000, "cpus": 1}}
 *
 * Both words mean that the job has it. Return the list that later editions
 * have, a new array. With several sockets it has only the number of CPUs.
 */
static json_t *list_of_2108(const json_t *job, const json_t *old)
{
    const char *names = slurm_text(job, "nodes");
    struct hostlist *hosts = hostlist_create();
    char host[HOSTLIST_NAME_MAX], number[32];
    json_t *list = json_array();
    struct hostlist_iter it;
    struct diag d;

    if (names)
        (void)hostlist_decode(hosts, names, strlen(names), &d);
    hostlist_iter_init(&it, hosts);
    for (int i = 0; hostlist_iter_next(&it, host) >= 0; i++) {
        const json_t *one, *sockets, *cores;
        json_t *node = json_pack("{s:s}", "nodename", host), *in;
        const char *key;
        json_t *value;

        snprintf(number, sizeof(number), "%d", i);
        one = json_object_get(old, number);
        sockets = json_object_get(one, "sockets");
        cores = json_object_get(one, "cores");
        json_object_set(node, "memory_allocated",
                        json_object_get(one, "memory"));
        if (json_object_size(sockets) == 1) {
            in = json_object();
            json_object_foreach ((json_t *)cores, key, value)
                json_object_set_new(in, key, json_string("ALLOCATED"));
            json_object_foreach ((json_t *)sockets, key, value)
                json_object_set_new(node, "sockets",
                                    json_pack("{s:{s:O}}", key, "cores", in));
            json_decref(in);
        } else {
            json_object_set(node, "any", json_object_get(one, "cpus"));
        }
        json_array_append_new(list, node);
    }
    hostlist_destroy(hosts);
    return list;
}

void slurm_add_job(struct slurm *s, const json_t *job, bool rest)
{
    const json_t *resources = json_object_get(job, "job_resources");
    const json_t *nodes = json_object_get(resources, "nodes"), *node;
    const json_t *list = json_object_get(resources, "allocated_nodes");
    json_t *old = NULL;
    const char *name;
    const json_t *gres = json_object_get(job, "gres_detail");
    enum company company = company_of(job, nodes);
    const struct term terms = terms_of(job);
    struct holding g = {.s = s, .terms = &terms};
    long long array = slurm_number(job, "array_job_id"),
              task = slurm_number(job, "array_task_id"),
              het = slurm_number(job, "het_job_id"),
              part = slurm_number(job, "het_job_offset");
    bool lost = false;
    size_t i;

    if (rest && company == NO_JOBS)
        return; /* it has all of its nodes */
    s->place = slurm_text(job, SLURM_PLACE);
    *put_number(g.name, (uint64_t)slurm_number(job, "job_id")) = '\0';
    if (array > 0 && task >= 0)
        snprintf(g.task, sizeof(g.task), "slurm.%lld_%lld", array, task);
    else if (het > 0 && part >= 0)
        snprintf(g.task, sizeof(g.task), "slurm.%lld+%lld", het, part);
    if (company == OWNERS_JOBS && !rest)
        slurm_lose(s, LOSS_OWNERS, "job %s", g.name);
    if (rest)
        g.job = job_find(s->rs->usage, g.name);
    if (!list)
        list = json_object_get(nodes, "allocation");
    else if (json_object_size(list) > 0)
        list = old = list_of_2108(job, list);
    if (json_array_size(list) == 0 && !rest)
        add_hosts(&g, slurm_text(job, "nodes"), company == NO_JOBS);
    if (json_array_size(gres) != json_array_size(list)) {
        lost = json_array_size(gres) > 0 && rest;
        gres = NULL;
    }
    json_array_foreach (list, i, node) {
        name = json_object_get(node, "nodename") ? slurm_text(node, "nodename")
                                                 : slurm_text(node, "name");
        if (!name || !enter_node(&g, name, rest))
            continue;
        add_job_node(&g, job, node, company,
                     json_string_value(json_array_get(gres, i)), rest);
        if (lost) {
            slurm_lose(s, LOSS_GPUS, "job %s in %s", g.name, g.host);
            add_any(&g, "gpu", INT64_MAX);
        }
    }
    json_decref(old);
}

/* --- what no listed job has ------------------------------------------------
 */

/* Count the pools of a type in the node that anybody has, or has lent (NULL:
   none are). */
static int64_t count_held(const struct holding *g, const char *type,
                          const struct idset *lent)
{
    int64_t n = 0;

    for (struct lot *lot = g->node; (lot = next_pool(g, type, lot));)
        n += lot->grants
             || (lent && idset_contains(lent, (uint32_t)lot->v->id));
    return n;
}

/* Hold the units of a type that are in use, beside those of jobs. Returns
   whether there are any. */
static bool hold_units_in_use(struct holding *g, const char *type, size_t len,
                              int64_t used)
{
    struct lot *lot = find_amount(g, type, len);
    int64_t rest = 0;

    if (lot)
        rest = (used < lot->v->size ? used : lot->v->size)
               - lot_claimed(lot, &always, NULL);
    if (rest > 0)
        add_amount(g, type, len, rest);
    return rest > 0;
}

/* Hold what Slurm says is in use in the node. Returns whether that is more than
   the jobs have. */
static bool hold_in_use(struct holding *g, const struct slurm_node *use)
{
    int64_t cores = g->class->sockets * g->class->cores,
            rest = (use->cores < cores ? use->cores : cores)
                   - count_held(g, "core", use->lent),
            gpus = 0;
    bool more = rest > 0;
    const char *text = use->gres;
    struct slurm_gres gres;

    if (rest > 0)
        add_any(g, "core", rest);
    more |= hold_units_in_use(g, "memory", strlen("memory"), use->memory);
    for (; text && slurm_next_gres(&text, &gres); slurm_gres_fini(&gres)) {
        if (slurm_gres_is(&gres, "gpu") && gres.index)
            more |= add_job_ids(g, "gpu", gres.index, true) > 0;
        if (slurm_gres_is(&gres, "gpu"))
            gpus += gres.count;
        else if (!slurm_gres_is_part(&gres))
            more |= hold_units_in_use(g, gres.name, gres.len, gres.count);
    }
    gpus -= count_held(g, "gpu", NULL);
    if (gpus > 0)
        add_any(g, "gpu", gpus);
    return more || gpus > 0;
}

void slurm_add_unknown(struct slurm *s)
{
    static const struct term unlimited = {
        .kind = GRANT_CLAIM, .start = TIME_UNSET, .end = TIME_UNSET};
    struct holding g = {.s = s, .terms = &unlimited, .name = "slurm:unknown"};

    char host[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    size_t rank = 0;

    if (s->opts->pbs)
        strcpy(g.name, "pbs:unknown");
    hostlist_iter_init(&it, s->hosts);
    for (; hostlist_iter_next(&it, host) >= 0; rank++) {
        const struct slurm_node *use = &s->nodes[rank];
        if (use->cores <= 0 && use->memory <= 0 && !use->gres)
            continue;
        g.host = host;
        g.node = slurm_node_lot(s, host, &g.class);
        if (!g.node->grants && hold_in_use(&g, use))
            slurm_lose(s, LOSS_UNKNOWN, "%s", host);
    }
}
