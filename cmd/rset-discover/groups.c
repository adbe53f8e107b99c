/* The options that name a source, by group: a repeated --hosts or --xml begins
   the next group. Each group becomes a set, and these become one. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/targets.h"
#include "cli/documents.h"
#include "discover.h"
#include "source/name.h"
#include "source/spec.h"
#include "source/topology.h"

enum source {
    XML,
    SYNTHETIC,
    HOSTS,
    CORES,
    GPUS,
    MEMORY,
    SOCKETS,
    RANKS,
    RACKS,
    NAME,
    SOURCES
};

/* The options about a group of equal hosts; NULL: not given. */
struct host_group {
    char *text[SOURCES];
    struct idset *ranks; /* ranks of the nodes to be named */
};
static struct host_group *groups;
static size_t ngroups;

#define SOURCE(name, which, help, arg)                                   \
    {                                                                    \
        name, '\0', CLI_RETURNS_TEXT(1 + (which)), OF_SOURCES, help, arg \
    }
const struct cli_option source_options[] = {
    SOURCE("xml", XML,
           "read the machine of an hwloc XML file; - is standard input",
           "FILE"),
    SOURCE("synthetic", SYNTHETIC,
           "make the machine of an hwloc description, such as 'pack:2 core:8 "
           "pu:2'",
           "TEXT"),
    SOURCE("hosts", HOSTS,
           "make these hosts, all alike; given again, add others", "HOSTLIST"),
    SOURCE("cores", CORES, "set the core ids of each host (default: 0)",
           "IDSET"),
    SOURCE("gpus", GPUS, "set the GPU ids of each host (default: none)",
           "IDSET"),
    SOURCE("memory", MEMORY, "set the memory of each host (default: none)",
           "SIZE"),
    SOURCE("sockets-per-node", SOCKETS,
           "spread the resources of each host over N sockets", "N"),
    SOURCE("ranks", RANKS,
           "give the hosts these ranks, in order (default: from 0)", "IDSET"),
    SOURCE("nodes-per-rack", RACKS, "put N hosts in each rack", "N"),
    SOURCE("name", NAME,
           "name nodes by a template such as 'n${rack}-${id}'; keys: a "
           "property, type, id, rank, host, or the id of an enclosing type",
           "TEMPLATE"),
    {0}};

static char *types;
static bool explain;
bool no_restrict;

const struct cli_option machine_options[] = {
    {"types", '\0', CLI_VARIABLE(types), OF_MACHINES,
     "write these types of resources: node, group, die, socket, numa, l1cache "
     "to l5cache, core, pu, memory, gpu, nic, storage",
     "TYPE[,TYPE...]"},
    {"no-restrict", '\0', CLI_VARIABLE(no_restrict), OF_MACHINES,
     "include what this process may not use"},
    {"explain", '\0', CLI_VARIABLE(explain), OF_EXPLAINED,
     "report on standard error what each device became, and why; with --from, "
     "name all that can't be represented"},
    {0}};

/* --- sources ------------------------------------------------------------ */

static void print_line(const char *line)
{
    cli_warn("%s", line);
}

void (*groups_explain(void))(const char *line)
{
    return explain ? print_line : NULL;
}

static struct rset *from_machine(const struct host_group *g, uint32_t rank,
                                 struct diag *d)
{
    enum extent extent = cli_output_extent();
    struct topology_options look = {
        .whole = no_restrict, .rank = rank, .explain = groups_explain()};
    struct topology_cores cores = {0};
    struct diag wrong = {0};
    struct rset *rs;

    /* only types that the form can hold: none, those of an R, or common ones */
    look.types = extent == EXTENT_TARGETS ? 0
                 : extent == EXTENT_R     ? TYPES_OF_R
                                          : TYPES_COMMON;
    if (types && (look.types = topology_read_types(types, &wrong)) < 0)
        cli_usage("--types: %s", wrong.text);

    if (g->text[XML])
        return rset_from_xml(g->text[XML], &look, d);
    if (!g->text[SYNTHETIC]) {
        look.cores = launcher_variable() ? &cores : NULL;
        rs = rset_from_machine(&look, d);
        if (rs && cores.bound < cores.all)
            cli_warn("warning: bound to %u of %u cores; --no-restrict lists "
                     "all",
                     cores.bound, cores.all);
        return rs;
    }
    if (!(rs = rset_from_synthetic(g->text[SYNTHETIC], &look, d)))
        diag_source(d, "--synthetic");
    return rs;
}

/* Return the option that names a machine; SOURCES if there is none. */
static enum source machine_of(const struct host_group *g)
{
    return g->text[XML] ? XML : g->text[SYNTHETIC] ? SYNTHETIC : SOURCES;
}

/* Is the group a machine? Options from --hosts to --ranks alone describe hosts;
   racks and names are for both. */
static bool is_machine(const struct host_group *g)
{
    bool plain = false;

    for (enum source i = HOSTS; i <= RANKS; i++)
        plain = plain || g->text[i];
    return !plain || machine_of(g) != SOURCES;
}

/* Make the machine or the hosts of a group, with ranks from `first` on. */
static struct rset *make_nodes(const struct host_group *g, uint64_t first,
                               struct diag *d)
{
    char *hosts = g->text[HOSTS] ? cli_list_text(g->text[HOSTS], "--hosts", d)
                                 : NULL;
    const struct spec spec = {.hosts = hosts,
                              .ranks = g->text[RANKS],
                              .cores = g->text[CORES],
                              .gpus = g->text[GPUS],
                              .memory = g->text[MEMORY],
                              .sockets = g->text[SOCKETS],
                              .first = first};
    struct rset *rs = NULL;

    if (g->text[HOSTS] && !hosts)
        return NULL;
    if (!is_machine(g))
        rs = rset_from_spec(&spec, d);
    else if (first > IDSET_MAX)
        diag_set(d, "there are no ranks left");
    else
        rs = from_machine(g, (uint32_t)first, d);
    if (rs && is_machine(g) && hosts && rset_on_hosts(rs, &spec, d) < 0) {
        rset_destroy(rs);
        rs = NULL;
    }
    free(hosts);
    return rs;
}

/* Make the set of a group, with ranks and racks after those of `before`. */
static struct rset *make_group(struct host_group *g, const struct rset *before,
                               struct diag *d)
{
    bool any = before && !idset_empty(before->ranks);
    uint64_t rank = any ? (uint64_t)idset_last(before->ranks) + 1 : 0,
             rack = before ? rset_count(before, NULL, "rack") : 0;
    struct rset *rs = make_nodes(g, rank, d), *racked = rs;

    if (rs && g->text[RACKS]) {
        racked = rset_in_racks(rs, g->text[RACKS], rack, d);
        rset_destroy(rs);
    }
    if (racked && g->text[NAME])
        g->ranks = idset_copy(racked->ranks);
    return racked;
}

/* Make the set. A fault in a group names its option. */
struct rset *groups_discover(struct diag *d)
{
    struct rset *rs = make_group(&groups[0], NULL, d), *group;

    for (size_t i = 1; rs && i < ngroups; i++) {
        if (!(group = make_group(&groups[i], rs, d))
            || rset_add_group(rs, group, d) < 0) {
            rset_destroy(rs);
            rs = NULL;
        }
        rset_destroy(group);
    }
    if (!rs && d->where[0] && !d->source[0]) {
        diag_source(d, "--%s", d->where);
        d->where[0] = '\0';
    }
    return rs;
}

int groups_name(struct rset *rs, struct diag *d)
{
    bool named = ngroups > 1;
    struct diag twice;

    for (size_t i = 0; i < ngroups; i++) {
        const struct idset *ranks = ngroups > 1 ? groups[i].ranks : rs->ranks;
        named = named || groups[i].text[HOSTS] || groups[i].text[NAME];
        if (groups[i].ranks
            && rset_name_nodes(rs, ranks, groups[i].text[NAME], d) < 0)
            return -1;
    }
    if (named && hostlist_once(rs->hosts, &twice) < 0)
        cli_warn("warning: %s", twice.text);
    return 0;
}

/* --- options ------------------------------------------------------------ */

static void warn_single(const char *option, const char *type, const char *ids)
{
    char *text;

    if (!ids || !*ids || *ids == '0'
        || strspn(ids, "0123456789") != strlen(ids))
        return;
    text = spec_single(type, strtoul(ids, NULL, 10));
    cli_warn("warning: %s: %s", option, text);
    free(text);
}

void groups_note(int option, char *text)
{
    enum source which = (enum source)(option - 1);

    if (ngroups == 0
        || ((which == HOSTS || which == XML)
            && groups[ngroups - 1].text[which]))
        VECTOR_ADD(groups, ngroups, (struct host_group){0});
    if (groups[ngroups - 1].text[which])
        cli_usage("--%s is given twice%s", source_options[which].name,
                  ngroups > 1 ? " for a group of hosts" : "");
    groups[ngroups - 1].text[which] = text;
}

void groups_check(void)
{
    if (ngroups == 0)
        VECTOR_ADD(groups, ngroups, (struct host_group){0});
    for (size_t k = 0; k < ngroups; k++) {
        const struct host_group *g = &groups[k];
        enum source machine = machine_of(g);

        /* a machine takes no options about its contents, only about hosts */
        for (enum source i = SYNTHETIC; i < RACKS && machine != SOURCES; i++)
            if (i != machine && g->text[i] && i != HOSTS
                && !(i == RANKS && g->text[HOSTS]))
                cli_usage("--%s and --%s exclude each other%s",
                          source_options[machine].name, source_options[i].name,
                          i == RANKS ? " without --hosts" : "");
        warn_single("--cores", "core", g->text[CORES]);
        warn_single("--gpus", "gpu", g->text[GPUS]);
    }
}

bool groups_have_machine(void)
{
    return VECTOR_FIND(i, ngroups, is_machine(&groups[i])) < ngroups;
}

const char *source_option(void)
{
    static char name[40];

    for (size_t i = 0; i < ngroups; i++)
        for (int k = 0; k < SOURCES; k++)
            if (groups[i].text[k]) {
                snprintf(name, sizeof(name), "--%s", source_options[k].name);
                return name;
            }
    return NULL;
}

bool groups_are_machine(void)
{
    for (int k = 0; k < SOURCES; k++)
        if (k != XML && k != NAME && groups[0].text[k])
            return false;
    return ngroups == 1;
}

bool groups_need_graph(void)
{
    return VECTOR_FIND(i, ngroups,
                       groups[i].text[MEMORY] || groups[i].text[SOCKETS]
                           || groups[i].text[RACKS])
           < ngroups;
}

void groups_free(void)
{
    for (size_t i = 0; i < ngroups; i++) {
        for (int k = 0; k < SOURCES; k++)
            free(groups[i].text[k]);
        idset_destroy(groups[i].ranks);
    }
    free(groups);
}
