/*
 * Nodes of PBS (slurm.h), as `pbsnodes -a -F json` lists them: an object with a
 * node for each name.
 *
 *     {"nodes": {"n1": {"state": "job-busy", "pcpus": 4, "jobs": ["7.pbs",
 *          "7.pbs"], "comment": "...", "resources_available": {"host": "n1",
 *          "mem": "8010820kb", "ncpus": 4, "ngpus": 1},
 *          "resources_assigned": {"ncpus": 2, "mem": "1048576kb"}}}}
 *
 * A node becomes one of Slurm's, with one socket, and a job one that has any
 * cores, one for each time that the node names it: PBS numbers neither. A host
 * may be several nodes, its virtual ones: then it has the units of all.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/digits.h"
#include "base/json.h"
#include "base/memory.h"
#include "source/slurm_private.h"

/* PBS' words for states of nodes, and Slurm's; others are passed on, and are
   not known there. */
static const char *const states[][2] = {
    {"free", "IDLE"},
    {"job-busy", "MIXED"},
    {"job-exclusive", "ALLOCATED"},
    {"resv-exclusive", "RESERVED"},
    {"busy", "MIXED"},
    {"offline", "DRAIN"},
    {"down", "DOWN"},
    {"stale", "DOWN"},
    {"unresolvable", "DOWN"},
    {"state-unknown", "UNKNOWN"},
    {"unknown", "UNKNOWN"},
    {"initializing", "DOWN"},
    {"provisioning", "DOWN"},
    {"wait-provisioning", "DOWN"},
    {"maintenance", "MAINTENANCE"},
    {"sleep", "POWERED_DOWN"},
    {"in-use-by-job", "MIXED"},
};

static json_t *states_of(const char *text)
{
    json_t *list = json_array();
    const char *word;
    size_t len;

    while (text && slurm_next_word(&text, &word, &len)) {
        char *one = xstrndup(word, len);
        int i = WORD_FIND(states, one);
        json_array_append_new(list, json_string(i < 0 ? one : states[i][1]));
        free(one);
    }
    return list;
}

/* Return an amount of memory, such as 8010820kb, in MiB; -1: there is none. */
static int64_t mebibytes(const json_t *value)
{
    static const char *const units[] = {"b", "kb", "mb", "gb", "tb"};
    const char *text = json_string_value(value), *at;
    uint64_t n;
    size_t power, powers = sizeof(units) / sizeof(units[0]);

    if (!text)
        return -1;
    at = get_number(text, strchr(text, '\0'), &n);
    power = VECTOR_FIND(i, powers, !strcasecmp(units[i], at));
    if (at == text || power == powers || n > UINT64_C(1) << 40)
        return -1;
    return (int64_t)(power >= 2 ? n << (10 * (power - 2))
                                : n >> (10 * (2 - power)));
}

static void set_number(json_t *to, const char *key, int64_t n)
{
    if (n >= 0)
        json_object_set_new(to, key, json_integer(n));
}

/* The numbers of a node as Slurm would list them; those of GPUs become words at
   the end. */
static const char *const numbers[] = {
    "cores",        "cpus", "real_memory", "alloc_cpus",
    "alloc_memory", "gpus", "busy_gpus"};

/* Return a node as Slurm would list it, a new object. */
static json_t *node_of(const char *name, const json_t *node)
{
    const json_t *has = json_object_get(node, "resources_available"),
                 *used = json_object_get(node, "resources_assigned");
    const char *host = slurm_text(has, "host"),
               *state = slurm_text(node, "state");
    int64_t cpus = slurm_number(has, "ncpus");
    json_t *out = json_pack("{s:s,s:i,s:i,s:o}", "name",
                            host && *host ? host : name, "sockets", 1,
                            "threads", 1, "state", states_of(state));

    if (cpus < 0)
        cpus = slurm_number(node, "pcpus");
    set_number(out, "cores", cpus);
    set_number(out, "cpus", cpus);
    set_number(out, "real_memory", mebibytes(json_object_get(has, "mem")));
    set_number(out, "alloc_memory", mebibytes(json_object_get(used, "mem")));
    set_number(out, "alloc_cpus",
               state && strstr(state, "job-exclusive")
                   ? cpus
                   : slurm_number(used, "ncpus"));
    set_number(out, "gpus", slurm_number(has, "ngpus"));
    set_number(out, "busy_gpus", slurm_number(used, "ngpus"));
    if (json_object_get(node, "comment"))
        json_object_set(out, "reason", json_object_get(node, "comment"));
    return out;
}

/* Add the units of one more node to its host. Takes the node over. */
static void add_to_host(json_t *hosts, json_t *node)
{
    const char *name = slurm_text(node, "name");
    json_t *host = json_object_get(hosts, name);
    int64_t sum, more;

    if (!host) {
        json_object_set_new(hosts, name, node);
        return;
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        sum = slurm_number(host, numbers[i]);
        more = slurm_number(node, numbers[i]);
        if (sum >= 0 && more >= 0 && more <= SLURM_UNITS_MAX)
            set_number(host, numbers[i], sum + more);
    }
    json_array_extend(json_object_get(host, "state"),
                      json_object_get(node, "state"));
    json_object_update_missing(host, node);
    json_decref(node);
}

static void set_gpus(json_t *host, const char *from, const char *to)
{
    int64_t n = slurm_number(host, from);
    char gres[64];

    snprintf(gres, sizeof(gres), "gpu:%lld", (long long)n);
    if (n > 0)
        json_object_set_new(host, to, json_string(gres));
}

/* Add the jobs of a node to `jobs`, by number: {"7": {"n1": 2}}. A name is
   7.pbs, maybe with a slash and a number behind it. */
static int add_jobs(json_t *jobs, const json_t *node, const char *host,
                    struct diag *d)
{
    const json_t *list = json_object_get(node, "jobs"), *one;
    size_t i;

    json_array_foreach (list, i, one) {
        const char *text = json_string_value(one), *end;
        char number[DIGITS_MAX + 1];
        json_t *job;
        uint64_t n;

        end = text ? get_number(text, strchr(text, '\0'), &n) : NULL;
        if (!end || end == text || n > INT64_MAX)
            return diag_set(d, "jobs[%zu]: %s: the name of a job is expected",
                            i, json_quote(one).text);
        *put_number(number, n) = '\0';
        job = json_at(jobs, number, json_object);
        json_object_set_new(
            job, host,
            json_integer(json_integer_value(json_object_get(job, host)) + 1));
    }
    return 0;
}

/* Return a job as Slurm would list it, a new object. */
static json_t *job_of(const char *number, const json_t *hosts)
{
    json_t *list = json_array(), *cpus;
    const char *host;

    json_object_foreach ((json_t *)hosts, host, cpus)
        json_array_append_new(
            list, json_pack("{s:s,s:O}", "nodename", host, "any", cpus));
    return json_pack("{s:I,s:s,s:{s:o}}", "job_id",
                     (json_int_t)strtoll(number, NULL, 10), "job_state",
                     "RUNNING", "job_resources", "allocated_nodes", list);
}

int pbs_add_nodes(struct slurm *s, const json_t *nodes, struct diag *d)
{
    json_t *jobs = json_object(), *hosts = json_object(), *node;
    const char *name;
    int rc = 0;

    if (!json_is_object(nodes))
        rc = diag_set(d,
                      "%s: an object is expected, as `pbsnodes -a -F json` "
                      "writes it",
                      json_quote(nodes).text);
    json_object_foreach ((json_t *)nodes, name, node) {
        json_t *as = node_of(name, node);
        if ((rc = add_jobs(jobs, node, slurm_text(as, "name"), d)) < 0)
            diag_in(d, "%s", name);
        add_to_host(hosts, as);
        if (rc < 0)
            break;
    }
    json_object_foreach (hosts, name, node) {
        set_gpus(node, "gpus", "gres");
        set_gpus(node, "busy_gpus", "gres_used");
        if (rc == 0 && (rc = slurm_add_node(s, node, d)) < 0)
            diag_in(d, "%s", name);
    }
    json_decref(hosts);
    json_object_foreach (jobs, name, node)
        json_array_append_new(s->jobs, job_of(name, node));
    json_decref(jobs);
    return rc < 0 ? diag_in(d, "nodes") : 0;
}
