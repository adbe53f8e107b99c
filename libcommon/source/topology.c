/*
 * Makes a graph of an hwloc topology (topology.h). topology_devices.c adds the
 * devices.
 *
 * The same things are asked of hwloc from wherever a topology comes: I/O
 * devices that matter, and instruction caches where they say something of
 * structure. The component `gl` is left out: it would talk to an X server.
 */
#include "source/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "model/document/jgf.h"
#include "source/spec.h"
#include "source/topology_private.h"

/* What objects of containment become; caches and the like become nothing. */
static const struct level {
    hwloc_obj_type_t object;
    const char *type;
} levels[] = {
    {HWLOC_OBJ_PACKAGE, "socket"}, {HWLOC_OBJ_GROUP, "group"},
    {HWLOC_OBJ_DIE, "die"},        {HWLOC_OBJ_CORE, "core"},
    {HWLOC_OBJ_PU, "pu"},
};

struct building {
    struct rset *rs;
    hwloc_topology_t topo;
    bool local;       /* asked of this machine, not of a description */
    unsigned ngroups; /* that have an id */
};

static const struct level *find_level(hwloc_obj_type_t object)
{
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (levels[i].object == object)
            return &levels[i];
    return NULL;
}

/* --- places in the tree ------------------------------------------------- */

/* The vertex of an object or of the nearest above it: the node's at last. */
static struct vertex *vertex_of(hwloc_obj_t obj)
{
    while (!obj->userdata)
        obj = obj->parent;
    return obj->userdata;
}

struct vertex *topology_container(hwloc_topology_t topo, hwloc_obj_t obj)
{
    obj = hwloc_get_non_io_ancestor_obj(topo, obj);
    while (obj->type == HWLOC_OBJ_PU || obj->type == HWLOC_OBJ_CORE
           || !obj->userdata)
        obj = obj->parent;
    return obj->userdata;
}

/* --- levels ------------------------------------------------------------- */

/* Where there are no cores, a thread is one. */
static struct vertex *parent_of(struct building *b, hwloc_obj_t obj)
{
    struct vertex *parent = vertex_of(obj->parent);

    if (obj->type == HWLOC_OBJ_PU
        && hwloc_get_nbobjs_by_type(b->topo, HWLOC_OBJ_CORE) == 0)
        return vertex_add(b->rs, parent, "core", "core", obj->logical_index);
    return parent;
}

static void add_object(struct building *b, const struct level *level,
                       hwloc_obj_t obj)
{
    bool group = obj->type == HWLOC_OBJ_GROUP;
    unsigned id = group ? b->ngroups++ : obj->logical_index;

    obj->userdata = vertex_add(b->rs, parent_of(b, obj), level->type,
                               level->type, id);
}

/* From the top down, so that the vertex above is there. */
static void add_levels(struct building *b)
{
    int depth = hwloc_topology_get_depth(b->topo);

    for (int i = 1; i < depth; i++) {
        hwloc_obj_type_t object = hwloc_get_depth_type(b->topo, i);
        const struct level *level = find_level(object);
        unsigned n = level ? hwloc_get_nbobjs_by_depth(b->topo, i) : 0;
        for (unsigned j = 0; j < n; j++)
            add_object(b, level, hwloc_get_obj_by_depth(b->topo, i, j));
    }
}

/* --- memory ------------------------------------------------------------- */

/* The memory of a GPU is not what a job means by memory. */
static bool is_usable(hwloc_obj_t numa)
{
    return !numa->subtype || strcmp(numa->subtype, "GPUMemory");
}

static void add_memory(struct building *b, hwloc_obj_t numa)
{
    uint64_t mib = numa->attr->numanode.local_memory >> 20;
    struct vertex *v;

    if (mib == 0 || !is_usable(numa))
        return;
    v = vertex_add(b->rs, topology_container(b->topo, numa), "memory", "memory",
                   numa->logical_index);
    v->unit = rset_string(b->rs, "MiB");
    v->size = (int64_t)mib;
    if (numa->subtype && utf8_is(numa->subtype))
        vertex_add_property(b->rs, v, "kind", numa->subtype);
}

static void add_memories(struct building *b)
{
    hwloc_obj_t numa = NULL;

    while (
        (numa = hwloc_get_next_obj_by_type(b->topo, HWLOC_OBJ_NUMANODE, numa)))
        add_memory(b, numa);
}

/* --- the node ----------------------------------------------------------- */

/* The name of the host, into buf if it has to be asked for. */
static const char *find_host(const struct building *b,
                             char buf[HOSTLIST_NAME_MAX], struct diag *d)
{
    hwloc_obj_t machine = hwloc_get_root_obj(b->topo);
    const char *name = hwloc_obj_get_info_by_name(machine, "HostName");

    if (name && *name) {
        if (host_check(name, d) == 0)
            return name;
        diag_in(d, "HostName");
        return NULL;
    }
    if (!b->local || !hwloc_topology_is_thissystem(b->topo))
        return "node0";
    return host_local(buf, d) < 0 ? NULL : buf;
}

static struct vertex *add_host(struct rset *rs, const char *name)
{
    struct vertex *root = vertex_add(rs, NULL, "cluster", "cluster", 0), *v;

    v = vertex_add(rs, root, "node", "node", 0);
    node_on_host(rs, v, name);
    v->rank = 0;
    return v;
}

static int add_node(struct building *b, struct diag *d)
{
    char buf[HOSTLIST_NAME_MAX];
    const char *name = find_host(b, buf, d);

    if (!name)
        return -1;
    hwloc_get_root_obj(b->topo)->userdata = add_host(b->rs, name);
    return 0;
}

/* --- loading -------------------------------------------------------------- */

static int configure(hwloc_topology_t topo)
{
    const unsigned long without = HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST;
    const enum hwloc_type_filter_e io = HWLOC_TYPE_FILTER_KEEP_IMPORTANT,
                                   icaches = HWLOC_TYPE_FILTER_KEEP_STRUCTURE;

    if (hwloc_topology_set_io_types_filter(topo, io) < 0
        || hwloc_topology_set_icache_types_filter(topo, icaches) < 0)
        return -1;
    /* where there is no such component, there is nothing to leave out */
    (void)hwloc_topology_set_components(topo, without, "gl");
    return 0;
}

/*
 * To the processors that this process is bound to. Devices under the others
 * are kept; a binding that hwloc can't tell or that it can't follow leaves
 * the whole.
 */
static void restrict_to_binding(hwloc_topology_t topo)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();

    if (!set)
        memory_exhausted();
    if (hwloc_get_cpubind(topo, set, HWLOC_CPUBIND_PROCESS) == 0
        && hwloc_topology_restrict(topo, set, HWLOC_RESTRICT_FLAG_ADAPT_IO) < 0
        && errno == ENOMEM)
        memory_exhausted();
    hwloc_bitmap_free(set);
}

/* Where a topology comes from. */
struct origin {
    bool local;       /* this machine, and no description */
    const char *text; /* of a description */
    size_t len;
    int (*set)(hwloc_topology_t topo, const struct origin *from,
               struct diag *d); /* NULL: nothing is to be set */
    const char *fault;          /* what is said if hwloc can't load it */
};

static int set_xml(hwloc_topology_t topo, const struct origin *from,
                   struct diag *d)
{
    /* With the NUL byte, as hwloc counts; older ones wanted it without. */
    if (hwloc_topology_set_xmlbuffer(topo, from->text, (int)from->len + 1) == 0
        || hwloc_topology_set_xmlbuffer(topo, from->text, (int)from->len) == 0)
        return 0;
    return diag_set(d, "hwloc can't read this XML");
}

static int set_synthetic(hwloc_topology_t topo, const struct origin *from,
                         struct diag *d)
{
    return hwloc_topology_set_synthetic(topo, from->text) < 0
               ? synthetic_explain(from->text, d)
               : 0;
}

static int load(hwloc_topology_t topo, const struct origin *from,
                struct diag *d)
{
    if (configure(topo) < 0)
        return diag_set(d, "hwloc can't be set up: %s", strerror(errno));
    if (from->set && from->set(topo, from, d) < 0)
        return -1;
    errno = 0;
    if (hwloc_topology_load(topo) < 0) {
        if (errno == ENOMEM)
            memory_exhausted();
        return diag_set(d, "%s", from->fault);
    }
    if (from->local && hwloc_topology_is_thissystem(topo))
        restrict_to_binding(topo);
    return 0;
}

/* --- the whole ---------------------------------------------------------- */

/* The documented order of children, which writers keep. */
static void sort_tree(struct rset *rs)
{
    for (struct vertex *v = rs->root; v; v = vertex_next(rs->root, v, false))
        vertex_sort_children(v);
}

/* What a document can't hold is refused here and not when it is read. */
static int check_topology(hwloc_topology_t topo, struct diag *d)
{
    if (hwloc_get_root_obj(topo)->type != HWLOC_OBJ_MACHINE)
        return diag_set(d, "the topology is not of a machine");
    if (hwloc_topology_get_depth(topo) > DEPTH_MAX / 2)
        return diag_set(d, "the topology is too deep");
    if (hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_PU) <= 0)
        return diag_set(d, "the topology has no processors");
    return 0;
}

static int build(struct building *b, struct diag *d)
{
    if (check_topology(b->topo, d) < 0 || add_node(b, d) < 0)
        return -1;
    add_levels(b);
    add_memories(b);
    topology_add_devices(b->rs, b->topo);
    sort_tree(b->rs);
    b->rs->halves = HALF_EXECUTION | HALF_GRAPH;
    return rset_index_targets(b->rs, d);
}

static struct rset *convert(const struct origin *from, struct diag *d)
{
    struct building b = {.rs = rset_create(), .local = from->local};

    if (hwloc_topology_init(&b.topo) < 0)
        memory_exhausted();
    if (load(b.topo, from, d) < 0 || build(&b, d) < 0) {
        rset_destroy(b.rs);
        b.rs = NULL;
    }
    hwloc_topology_destroy(b.topo);
    return b.rs;
}

struct rset *rset_from_machine(struct diag *d)
{
    return convert(
        &(struct origin){.local = true,
                         .fault = "hwloc can't discover this machine"},
        d);
}

struct rset *rset_from_xml(const char *path, struct diag *d)
{
    struct origin from = {.set = set_xml,
                          .fault = "hwloc can't read this topology"};
    char *text = xml_read(path, &from.len, d);
    struct rset *rs = NULL;

    from.text = text;
    if (text)
        rs = convert(&from, d);
    free(text);
    if (!rs)
        diag_source(d, "%s",
                    !strcmp(path, "-") ? "stdin"
                    : *path            ? path
                                       : "\"\"");
    return rs;
}

struct rset *rset_from_synthetic(const char *text, struct diag *d)
{
    struct origin from = {.text = text,
                          .set = set_synthetic,
                          .fault = "hwloc can't make this machine"};

    return synthetic_check_size(text, d) < 0 ? NULL : convert(&from, d);
}
