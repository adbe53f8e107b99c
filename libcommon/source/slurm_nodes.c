/* Nodes of Slurm (slurm.h). Nodes with the same facts form one run. The facts
   of a node are a JSON object; its text is the key of the run. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/document/execution.h"
#include "model/records/lots.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "source/slurm_private.h"
#include "source/spec.h"

/* --- states ------------------------------------------------------------ */

/* Slurm's words for states of nodes (sinfo(1), NODE STATE CODES) in which it
   gives a node to nobody, the worst first. */
static const struct {
    const char *word;
    enum pool_state state;
} states[] = {
    {"DOWN", STATE_DOWN},           {"ERROR", STATE_DOWN},
    {"NOT_RESPONDING", STATE_DOWN}, {"INVALID_REG", STATE_DOWN},
    {"INVALID", STATE_DOWN},        {"POWERING_DOWN", STATE_DOWN},
    {"POWER_DOWN", STATE_DOWN},     {"REBOOT_ISSUED", STATE_DOWN},
    {"MAINTENANCE", STATE_DOWN},    {"COMPLETING", STATE_DOWN},
    {"BLOCKED", STATE_DOWN},        {"FAIL", STATE_FAILING},
    {"UNKNOWN", STATE_UNKNOWN},
};

enum { NSTATES = sizeof(states) / sizeof(states[0]) };

/* Its words for all other states. */
static const char *const up_states[] = {
    "ALLOCATED",        "CLOUD",          "DRAIN",         "DRAINED",
    "DRAINING",         "DYNAMIC_FUTURE", "DYNAMIC_NORM",  "EXTERNAL",
    "FUTURE",           "IDLE",           "MIXED",         "NET",
    "PERFCTRS",         "PLANNED",        "POWERED_DOWN",  "POWERING_UP",
    "POWER_DRAIN",      "POWER_UP",       "REBOOT_CANCEL", "REBOOT_CANCELED",
    "REBOOT_REQUESTED", "RESERVED",       "RESUME",        "UNDRAIN"};

/* The keys of a node that have words for its states. */
static const char *const state_keys[] = {"state", "state_flags"};

static bool is_known(const char *word, size_t len)
{
    const size_t n = sizeof(up_states) / sizeof(up_states[0]);

    return VECTOR_FIND(i, NSTATES, slurm_is_word(word, len, states[i].word))
               < NSTATES
           || VECTOR_FIND(i, n, slurm_is_word(word, len, up_states[i])) < n;
}

/* Return the first word for a state of a node that is not known, a new string;
   NULL: all are. */
static char *unknown_state(const json_t *node)
{
    const char *word;
    size_t len;

    for (size_t i = 0; i < 2; i++) {
        struct slurm_words words = slurm_words(
            json_object_get(node, state_keys[i]));
        while (slurm_words_next(&words, &word, &len))
            if (!is_known(word, len))
                return xstrndup(word, len);
    }
    return NULL;
}

static bool node_is(const json_t *node, const char *word)
{
    return slurm_has(json_object_get(node, state_keys[0]), word)
           || slurm_has(json_object_get(node, state_keys[1]), word);
}

/* Add the state, and a tag with the reason. */
static void add_state(struct slurm *s, json_t *facts, const json_t *node,
                      const char *host)
{
    const json_t *reason = json_object_get(node, "reason");
    int64_t time = slurm_number(node, "reason_changed_at");
    bool drained = node_is(node, "DRAIN") || node_is(node, "DRAINED")
                   || node_is(node, "DRAINING");
    /* a node that is being powered up does not respond yet */
    bool boots = node_is(node, "POWERING_UP") || node_is(node, "POWER_UP");
    /* the worst state that it is in; NSTATES: it is up */
    size_t i = VECTOR_FIND(
        k, NSTATES,
        node_is(node, states[k].word)
            && !(boots && !strcmp(states[k].word, "NOT_RESPONDING")));
    char *word = unknown_state(node);
    const char *named = i < NSTATES ? states[i].word : word;
    enum pool_state state = i < NSTATES ? states[i].state
                            : word      ? STATE_UNKNOWN
                                        : STATE_UP;
    json_t *why = json_object();

    if (word)
        slurm_lose(s, LOSS_STATE, "%s of %s", quote_all(word).text, host);
    if (json_string_length(reason) > 0)
        json_object_set(why, "reason", (json_t *)reason);
    else if (named && !drained)
        json_object_set_new(why, "reason", json_string(named));
    if (time > 0)
        json_object_set_new(why, "time", json_integer(time));
    if (drained && state != STATE_UP)
        json_object_set_new(why, "was", json_string(pool_state_names[state]));
    if (drained || state != STATE_UP) {
        json_object_set_new(facts, "state",
                            json_integer(drained ? STATE_DOWN : state));
        json_object_set(facts, drained ? "drained" : "down", why);
    }
    json_decref(why);
    free(word);
}

/* --- facts ------------------------------------------------------------- */

static int64_t fact(const json_t *facts, const char *key)
{
    return json_integer_value(json_object_get(facts, key));
}

/* Add the active features, or all features if Slurm lists none as active. */
static void add_features(struct slurm *s, json_t *facts, const json_t *node,
                         const char *host)
{
    const json_t *names = json_object_get(node, "active_features");
    json_t *list = json_array();
    struct slurm_words words;
    const char *word;
    size_t len;

    if (!names || json_is_null(names))
        names = json_object_get(node, "features");
    words = slurm_words(names);
    while (slurm_words_next(&words, &word, &len)) {
        json_t *name = json_stringn(word, len);
        if (strpbrk(json_string_value(name), PROPERTY_FORBIDDEN))
            slurm_lose(s, LOSS_FEATURE, "%s of %s", quote(word, len).text,
                       host);
        else
            json_array_append(list, name);
        json_decref(name);
    }
    json_object_set_new(facts, "features", list);
}

static int add_number(json_t *facts, const json_t *node, const char *key,
                      int64_t most, struct diag *d)
{
    const json_t *value = json_object_get(node, key);
    int64_t n = value ? slurm_number(node, key) : 0;

    if (n < 0 || n > most)
        return diag_key(d, key, "%s: a number of up to %lld is expected",
                        json_quote(value).text, (long long)most);
    json_object_set_new(facts, key, json_integer(n));
    return 0;
}

/*
 * Add the cores kept for the system. Slurm numbers CPUs in the order of cores,
 * the threads of a core one after the other. Memory kept for the system counts
 * as free: it is part of the same pool.
 */
static void add_specialized(struct slurm *s, json_t *facts, const json_t *node,
                            const char *host)
{
    const char *text = slurm_text(node, "specialized_cpus");
    int64_t cpus = slurm_number(node, "cpus"),
            effective = slurm_number(node, "effective_cpus"),
            total = fact(facts, "sockets") * fact(facts, "cores"),
            threads = total > 0 && cpus > total ? cpus / total : 1;
    struct idset *ids = NULL, *cores = idset_create();
    struct diag d;
    char *list;

    if (text && total > 0 && idset_decode(text, strlen(text), &ids, &d) == 0) {
        for (size_t i = 0; i < idset_nranges(ids); i++)
            idset_add(cores, (uint32_t)(idset_range(ids, i).lo / threads),
                      (uint32_t)(idset_range(ids, i).hi / threads));
        list = idset_encode(cores);
        if (!idset_empty(cores) && idset_last(cores) < total)
            json_object_set_new(facts, "specialized", json_string(list));
        free(list);
    }
    if (!json_object_get(facts, "specialized")
        && (slurm_number(node, "specialized_cores") > 0
            || (effective >= 0 && effective < cpus)))
        slurm_lose(s, LOSS_SPECIALIZED, "%s", host);
    if (slurm_number(node, "specialized_memory") > 0)
        slurm_lose(s, LOSS_MEMORY, "%s", host);
    idset_destroy(ids);
    idset_destroy(cores);
}

enum { GPUS_MAX = 1 << 10 };

/* The kind of pools that a gres becomes. */
enum gres_use { USE_NOTHING, USE_GPUS, USE_UNITS, LOSE_PART, LOSE_GRES };

static enum gres_use use_of_gres(const struct slurm_gres *g, int64_t ngpus)
{
    static const char *const others[] = {"core",   "memory",       "node",
                                         "socket", "storage_node", NULL};

    if (slurm_gres_is_part(g))
        return LOSE_PART;
    for (size_t i = 0; others[i]; i++)
        if (slurm_gres_is(g, others[i]))
            return LOSE_GRES;
    if (g->len == 0 || memchr(g->name, '/', g->len)
        || g->count > SLURM_UNITS_MAX
        || (slurm_gres_is(g, "gpu") && ngpus + g->count > GPUS_MAX))
        return LOSE_GRES;
    return g->count == 0             ? USE_NOTHING
           : slurm_gres_is(g, "gpu") ? USE_GPUS
                                     : USE_UNITS;
}

/* Read what Slurm says of the use of a node with these facts. */
static struct slurm_node read_use(struct slurm *s, const json_t *node,
                                  const json_t *facts)
{
    const char *gres = slurm_text(node, "gres_used");
    int64_t cpus = slurm_number(node, "alloc_cpus"),
            all = slurm_number(node, "cpus"),
            cores = fact(facts, "sockets") * fact(facts, "cores"),
            threads = all > cores && cores > 0 ? all / cores : 1;

    return (struct slurm_node){
        .cores = cpus >= 0 ? cpus / threads + (cpus % threads > 0)
                 : node_is(node, "ALLOCATED")
                         && !json_object_get(node, "alloc_cpus")
                     ? INT64_MAX
                     : -1,
        .memory = slurm_number(node, "alloc_memory"),
        .gres = gres && *gres ? rset_string(s->rs, gres) : NULL};
}

static int read_facts(struct slurm *s, json_t *facts, const json_t *node,
                      const char *host, struct diag *d)
{
    const json_t *gres = json_object_get(node, "gres");
    const char *reserved = slurm_text(node, "reservation"), *text;
    int64_t cpus = slurm_number(node, "cpus"),
            threads = slurm_number(node, "threads"), ngpus = 0;
    struct slurm_gres g;

    if (add_number(facts, node, "sockets", SLURM_SOCKETS_MAX, d) < 0
        || add_number(facts, node, "cores", SLURM_CORES_MAX, d) < 0
        || add_number(facts, node, "real_memory", SLURM_UNITS_MAX, d) < 0)
        return -1;
    if (fact(facts, "sockets") * fact(facts, "cores") == 0 && cpus > 0) {
        int64_t cores = threads > 0 ? cpus / threads : cpus;
        if (cores > SLURM_CORES_MAX)
            return diag_set(d, "cpus: more than %d cores", SLURM_CORES_MAX);
        json_object_set_new(facts, "sockets", json_integer(1));
        json_object_set_new(facts, "cores", json_integer(cores));
    }
    if (json_is_string(gres) && *json_string_value(gres) != '(')
        json_object_set(facts, "gres", (json_t *)gres);

    /* note the gres that can't be pools */
    text = slurm_text(facts, "gres");
    for (; text && slurm_next_gres(&text, &g); slurm_gres_fini(&g)) {
        enum gres_use use = use_of_gres(&g, ngpus);
        if (use == LOSE_PART || use == LOSE_GRES)
            slurm_lose(s, use == LOSE_PART ? LOSS_PART : LOSS_GRES, "%s of %s",
                       quote(g.name, g.len).text, host);
        ngpus += use == USE_GPUS ? g.count : 0;
    }
    add_features(s, facts, node, host);
    add_state(s, facts, node, host);
    add_specialized(s, facts, node, host);

    /* Note the reservation: it may be listed later. */
    if (!reserved || !*reserved)
        reserved = node_is(node, "RESERVED") ? SLURM_NO_NAME : NULL;
    if (reserved)
        json_array_append_new(json_at(s->reserved, reserved, json_array),
                              json_string(host));
    return 0;
}

/* --- making ------------------------------------------------------------ */

/* Add sockets with their cores as single pools. Cores kept for the system get a
   tag with the reason; slurm_make_nodes() sets their state. */
static void add_sockets(struct slurm *s, struct vertex *node,
                        const json_t *facts)
{
    const char *text = slurm_text(facts, "specialized");
    json_t *why = json_pack("{s:s}", "reason", "specialized");
    int64_t n = fact(facts, "cores");
    struct idset *specialized = NULL;
    struct diag d;

    if (text)
        (void)idset_decode(text, strlen(text), &specialized, &d);
    for (int64_t i = 0; i < fact(facts, "sockets"); i++) {
        struct vertex *socket = vertex_add(s->rs, node, "socket", i);
        for (int64_t id = i * n; id < (i + 1) * n; id++) {
            struct vertex *core = vertex_add(s->rs, socket, "core", id);
            if (specialized && idset_contains(specialized, (uint32_t)id))
                vertex_tag(core, "down", why);
        }
    }
    json_decref(why);
    idset_destroy(specialized);
}

static struct vertex *find_child(const struct vertex *v, const char *type,
                                 int64_t id)
{
    for (v = v->child; v; v = v->next)
        if (!strcmp(v->type, type) && v->id == id)
            return (struct vertex *)v;
    return NULL;
}

/* Add gres. Ids of GPUs count on over all entries; a GPU is in a socket if its
   entry names only one. The units of any other name are one pool. */
static void add_gres(struct slurm *s, struct vertex *node, const json_t *facts)
{
    const char *text = slurm_text(facts, "gres"), *name;
    struct slurm_gres g;
    struct vertex *in, *v;
    int64_t next = 0, end;

    for (; text && slurm_next_gres(&text, &g); slurm_gres_fini(&g)) {
        enum gres_use use = use_of_gres(&g, next);
        if (use == USE_GPUS) {
            in = g.sockets && idset_count(g.sockets) == 1
                     ? find_child(node, "socket", idset_first(g.sockets))
                     : NULL;
            name = g.type_len > 0
                       ? map_intern(&s->rs->names, g.type, g.type_len)
                       : NULL;
            for (end = next + g.count; next < end; next++) {
                v = vertex_add(s->rs, in ? in : node, "gpu", next);
                if (name)
                    vertex_add_property(s->rs, v, name, "");
            }
        } else if (use == USE_UNITS) {
            name = map_intern(&s->rs->names, g.name, g.len);
            if ((v = find_child(node, name, 0)))
                v->size += g.count;
            else
                vertex_add(s->rs, node, name, 0)->size = g.count;
        }
    }
}

static struct vertex *make_node(struct slurm *s, const json_t *facts)
{
    static const char *const tags[] = {"drained", "down"};
    struct vertex *node = vertex_add_run(s->rs, s->rs->root, "node",
                                         idset_create()),
                  *memory;
    const json_t *one;
    size_t i;

    add_sockets(s, node, facts);
    if (fact(facts, "real_memory") > 0) {
        memory = vertex_add(s->rs, node, "memory", 0);
        memory->unit = rset_string(s->rs, "MiB");
        memory->size = fact(facts, "real_memory");
    }
    add_gres(s, node, facts);
    json_array_foreach (json_object_get(facts, "features"), i, one)
        vertex_add_property(s->rs, node,
                            rset_string(s->rs, json_string_value(one)), "");
    for (i = 0; i < 2; i++)
        if (json_object_get(facts, tags[i]))
            vertex_tag(node, tags[i], json_object_get(facts, tags[i]));
    return node;
}

/* --- all nodes ----------------------------------------------------------- */

/* Return the index of the class with these facts. Takes over the facts. */
static size_t find_class(struct slurm *s, json_t *facts)
{
    char *key = json_dumps(facts, JSON_COMPACT);
    size_t class = map_number(&s->by_facts, key, strlen(key));

    if (class == s->n)
        VECTOR_ADD(s->classes, s->n,
                   (struct slurm_class){
                       make_node(s, facts), fact(facts, "state"),
                       fact(facts, "sockets"), fact(facts, "cores"),
                       json_object_get(facts, "specialized") != NULL});
    json_decref(facts);
    free(key);
    return class;
}

int slurm_add_node(struct slurm *s, const json_t *node, struct diag *d)
{
    const json_t *name = json_object_get(node, "name");
    const char *host = json_string_value(name), *cluster;
    size_t rank = hostlist_count(s->hosts), class;
    json_t *facts;

    if (!host || host_check(host, d) < 0) {
        if (!host)
            diag_set(d, "%s: a name is expected",
                     name ? json_quote(name).text : "missing");
        return diag_in(d, "name");
    }
    cluster = slurm_text(node, "cluster_name");
    if (cluster && !s->cluster)
        s->cluster = rset_string(s->rs, cluster);
    if (map_find(&s->ranks, host, strlen(host)))
        return !cluster || !strcmp(cluster, s->cluster)
                   ? 0
                   : diag_set(d,
                              "node %s is listed for two clusters, %s and "
                              "%s: read each cluster by itself",
                              host, quote_all(s->cluster).text,
                              quote_all(cluster).text);
    if (node_is(node, "FUTURE")) {
        slurm_lose(s, LOSS_FUTURE, "%s", host);
        return 0;
    }
    if (rank == SLURM_NODES_MAX)
        return diag_set(d, "more than %d nodes", SLURM_NODES_MAX);
    facts = json_object();
    if (read_facts(s, facts, node, host, d) < 0) {
        json_decref(facts);
        return -1;
    }
    VECTOR_GROW(s->nodes, rank);
    s->nodes[rank] = read_use(s, node, facts);
    class = find_class(s, facts);
    s->nodes[rank].class = class;
    idset_add(s->classes[class].node->run, (uint32_t)rank, (uint32_t)rank);
    hostlist_append(s->hosts, host);
    map_at(&s->ranks, host, strlen(host))->value.number = rank + 1;
    return 0;
}

void slurm_make_nodes(struct slurm *s)
{
    struct rset *rs = s->rs;
    struct usage *u;
    uint32_t last = (uint32_t)hostlist_count(s->hosts) - 1;

    for (struct vertex *v = rs->root; v; v = vertex_next(rs->root, v, false))
        vertex_sort_children(v);
    rset_set_ranks(rs, idset_create_range(0, last), hostlist_copy(s->hosts));
    rs->document.halves = HALF_EXECUTION | HALF_GRAPH;
    rs->document.full = true;
    u = usage_get(rs);
    for (size_t i = 0; i < s->n; i++) {
        const struct slurm_class *c = &s->classes[i];
        struct lots lots = {0};
        struct lot *in;
        if (c->state == STATE_UP && !c->specialized)
            continue;
        lots_take(u, lot_open(u, usage_top(u)), c->node, c->node->run, &lots);
        for (size_t k = 0; k < lots.n; k++) {
            if (c->state != STATE_UP)
                lot_set_state(u, lots.list[k], (enum pool_state)c->state);
            if (!c->specialized)
                continue;
            for (in = lots.list[k];
                 (in = lot_next(u, lots.list[k], in, false));)
                if (!strcmp(in->v->type, "core")
                    && vertex_get_tag(in->v, "down"))
                    lot_set_state(u, in, STATE_DOWN);
        }
        free(lots.list);
    }
}

struct lot *slurm_node_lot(struct slurm *s, const char *host,
                           const struct slurm_class **class)
{
    const struct map_slot *slot = map_find(&s->ranks, host, strlen(host));
    struct usage *u = s->rs->usage;
    struct lots lots = {0};
    struct idset *ranks;
    struct lot *lot;
    uint32_t rank;

    if (!slot)
        return NULL;
    rank = (uint32_t)slot->value.number - 1;
    *class = &s->classes[s->nodes[rank].class];
    ranks = idset_create_range(rank, rank);
    lots_take(u, lot_open(u, usage_top(u)), (*class)->node, ranks, &lots);
    lot = lots.list[0];
    free(lots.list);
    idset_destroy(ranks);
    return lot;
}

struct hostlist *slurm_hosts(struct slurm *s, const char *text,
                             const char *what)
{
    struct hostlist *hosts = hostlist_create(), *here, *elsewhere;
    char *names;
    struct diag d;

    if (!text || hostlist_decode(hosts, text, strlen(text), &d) < 0)
        slurm_lose(s, LOSS_ELSEWHERE, "job %s", what);
    here = hostlist_intersect(hosts, s->hosts);
    elsewhere = hostlist_subtract(hosts, s->hosts);
    names = hostlist_encode(elsewhere);
    if (*names)
        slurm_lose(s, LOSS_ELSEWHERE, "job %s has %s", what,
                   quote_all(names).text);
    hostlist_destroy(hosts);
    hostlist_destroy(elsewhere);
    free(names);
    return here;
}

void slurm_tag_nodes(struct slurm *s)
{
    struct rset *rs = s->rs;
    const struct slurm_class *class;
    const char *host, *tag;
    json_t *tags, *job;

    json_object_foreach (s->tags, host, tags) {
        struct vertex *node = lot_vertex(rs->usage,
                                         slurm_node_lot(s, host, &class));
        json_object_foreach (tags, tag, job)
            vertex_tag(node, tag, job);
    }
    if (json_object_size(s->tags) > 0)
        vertex_sort_children(rs->root);
}
