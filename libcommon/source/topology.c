/*
 * Makes a graph of an hwloc topology (topology.h): its levels. The other files
 * of this name add memory and devices.
 *
 * Of hwloc nothing is asked that is not to be told: no devices without types
 * of devices, and no GPUs of drivers, which are slow to start, without gpu. The
 * component `gl` is always left out: it would talk to an X server.
 */
#include "source/topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/document/jgf.h"
#include "source/spec.h"
#include "source/topology_private.h"

/* --- places in the tree ------------------------------------------------- */

/* The vertex that what is in an object comes into: the node's at last. */
static struct vertex *vertex_of(hwloc_obj_t obj)
{
    while (!obj->userdata)
        obj = obj->parent;
    return obj->userdata;
}

struct vertex *topology_container(const struct building *b, hwloc_obj_t obj)
{
    const struct topology_level *level;

    obj = hwloc_get_non_io_ancestor_obj(b->topo, obj);
    while (!obj->userdata || !(level = topology_level(obj->type))
           || !level->holds)
        obj = obj->parent;
    return obj->userdata;
}

/* --- levels ------------------------------------------------------------- */

/* Where there are no cores, a thread is one. */
static struct vertex *parent_of(const struct building *b, hwloc_obj_t obj)
{
    struct vertex *parent = vertex_of(obj->parent);

    if (obj->type == HWLOC_OBJ_PU && building_has(b, TYPE_CORE)
        && hwloc_get_nbobjs_by_type(b->topo, HWLOC_OBJ_CORE) == 0)
        return vertex_add(b->rs, parent, "core", "core", obj->logical_index);
    return parent;
}

/* hwloc tells bytes; 0: it does not know. */
static void set_size(struct building *b, struct vertex *v, hwloc_obj_t cache)
{
    uint64_t kib = cache->attr->cache.size >> 10;

    if (kib > 0 && kib <= INT64_MAX) {
        v->unit = rset_string(b->rs, "KiB");
        v->size = (int64_t)kib;
    }
}

static struct vertex *add_vertex(struct building *b, hwloc_obj_t obj,
                                 const char *type, struct vertex *parent)
{
    bool group = obj->type == HWLOC_OBJ_GROUP;
    unsigned id = group ? b->ngroups++ : obj->logical_index;
    struct vertex *v = vertex_add(b->rs, parent, type, type, id);

    if (hwloc_obj_type_is_cache(obj->type))
        set_size(b, v, obj);
    return v;
}

/* An object, and the domain of its processors: that is in it, unless it is a
   core, a thread or a cache, which are in the domain. */
static void add_object(struct building *b, hwloc_obj_t obj)
{
    const struct topology_level *level = topology_level(obj->type);
    bool inside = hwloc_obj_type_is_cache(obj->type)
                  || obj->type == HWLOC_OBJ_CORE || obj->type == HWLOC_OBJ_PU;
    struct vertex *above = parent_of(b, obj), *v = above;

    if (inside)
        v = topology_enter_domain(b, obj, v);
    if (level && topology_level_asked(level, b->opts->types))
        v = add_vertex(b, obj, level->name, v);
    if (!inside)
        v = topology_enter_domain(b, obj, v);
    if (v != above)
        obj->userdata = v;
}

/* From the top down, so that the vertex above is there. */
static void add_levels(struct building *b)
{
    int depth = hwloc_topology_get_depth(b->topo);

    for (int i = 1; i < depth; i++) {
        unsigned n = hwloc_get_nbobjs_by_depth(b->topo, i);
        for (unsigned j = 0; j < n; j++)
            add_object(b, hwloc_get_obj_by_depth(b->topo, i, j));
    }
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
    if (b->local && hwloc_topology_is_thissystem(b->topo))
        return host_local(buf, d) < 0 ? NULL : buf;
    snprintf(buf, HOSTLIST_NAME_MAX, "node%" PRIu32, b->opts->rank);
    return buf;
}

static struct vertex *add_host(struct rset *rs, const char *name, uint32_t rank)
{
    struct vertex *root = vertex_add(rs, NULL, "cluster", "cluster", 0), *v;

    v = vertex_add(rs, root, "node", "node", 0);
    node_on_host(rs, v, name);
    v->rank = rank;
    return v;
}

static int add_node(struct building *b, struct diag *d)
{
    hwloc_obj_t machine = hwloc_get_root_obj(b->topo);
    char buf[HOSTLIST_NAME_MAX];
    const char *name = find_host(b, buf, d);
    struct vertex *node;

    if (!name)
        return -1;
    node = add_host(b->rs, name, b->opts->rank);
    machine->userdata = topology_enter_domain(b, machine, node);
    return 0;
}

/* --- loading -------------------------------------------------------------- */

/* Where there is no such component, there is nothing to leave out. */
static void leave_out(hwloc_topology_t topo, const char *component)
{
    (void)hwloc_topology_set_components(
        topo, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
}

static int configure(hwloc_topology_t topo, const struct topology_options *opts)
{
    static const char *const gpus[] = {"cuda", "nvml", "opencl", "rsmi",
                                       "levelzero"};

    leave_out(topo, "gl");
    for (size_t i = 0; i < sizeof(gpus) / sizeof(gpus[0]); i++)
        if (!(opts->types & 1 << TYPE_GPU))
            leave_out(topo, gpus[i]);
    if (opts->whole
        && hwloc_topology_set_flags(topo,
                                    HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED)
               < 0)
        return -1;
    return opts->types & TYPES_OF_DEVICES ? hwloc_topology_set_io_types_filter(
               topo, HWLOC_TYPE_FILTER_KEEP_IMPORTANT)
                                          : 0;
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
                const struct topology_options *opts, struct diag *d)
{
    if (configure(topo, opts) < 0)
        return diag_set(d, "hwloc can't be set up: %s", strerror(errno));
    if (from->set && from->set(topo, from, d) < 0)
        return -1;
    errno = 0;
    if (hwloc_topology_load(topo) < 0) {
        if (errno == ENOMEM)
            memory_exhausted();
        return diag_set(d, "%s", from->fault);
    }
    if (from->local && !opts->whole && hwloc_topology_is_thissystem(topo))
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
    topology_add_memories(b);
    topology_add_devices(b);
    sort_tree(b->rs);
    b->rs->halves = HALF_EXECUTION | HALF_GRAPH;
    return rset_index_targets(b->rs, d);
}

static struct rset *convert(const struct origin *from,
                            const struct topology_options *opts, struct diag *d)
{
    struct building b = {
        .rs = rset_create(), .opts = opts, .local = from->local};

    if (hwloc_topology_init(&b.topo) < 0)
        memory_exhausted();
    if (load(b.topo, from, opts, d) < 0 || build(&b, d) < 0) {
        rset_destroy(b.rs);
        b.rs = NULL;
    }
    hwloc_topology_destroy(b.topo);
    return b.rs;
}

struct rset *rset_from_machine(const struct topology_options *opts,
                               struct diag *d)
{
    const struct origin from = {.local = true,
                                .fault = "hwloc can't discover this machine"};

    return convert(&from, opts, d);
}

struct rset *rset_from_xml(const char *path,
                           const struct topology_options *opts, struct diag *d)
{
    struct origin from = {.set = set_xml,
                          .fault = "hwloc can't read this topology"};
    char *text = xml_read(path, &from.len, d);
    struct rset *rs = NULL;

    from.text = text;
    if (text)
        rs = convert(&from, opts, d);
    free(text);
    if (!rs)
        diag_source(d, "%s",
                    !strcmp(path, "-") ? "stdin"
                    : *path            ? path
                                       : "\"\"");
    return rs;
}

struct rset *rset_from_synthetic(const char *text,
                                 const struct topology_options *opts,
                                 struct diag *d)
{
    struct origin from = {.text = text,
                          .set = set_synthetic,
                          .fault = "hwloc can't make this machine"};

    return synthetic_check_size(text, d) < 0 ? NULL : convert(&from, opts, d);
}
