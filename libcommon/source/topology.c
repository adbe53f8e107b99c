/*
 * Makes a graph of an hwloc topology (topology.h): its levels and memory.
 * topology_devices.c adds devices.
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
#include <unistd.h>

#include "base/memory.h"
#include "base/near.h"
#include "base/utf8.h"
#include "model/document/jgf.h"
#include "source/spec.h"
#include "source/topology_private.h"

/* --- types -------------------------------------------------------------- */

/* Devices and memory are no levels of hwloc's tree. */
#define NO_LEVEL HWLOC_OBJ_TYPE_MAX

static const struct level {
    const char *name;
    hwloc_obj_type_t object; /* that becomes a pool of this type */
    bool holds;              /* devices and memory that are close to it */
} types[TOPOLOGY_TYPES] = {
    [TYPE_NODE] = {"node", HWLOC_OBJ_MACHINE, true},
    [TYPE_GROUP] = {"group", HWLOC_OBJ_GROUP, true},
    [TYPE_DIE] = {"die", HWLOC_OBJ_DIE, true},
    [TYPE_SOCKET] = {"socket", HWLOC_OBJ_PACKAGE, true},
    [TYPE_NUMA] = {"numa", HWLOC_OBJ_NUMANODE, true},
    [TYPE_L1CACHE] = {"l1cache", HWLOC_OBJ_L1CACHE, false},
    [TYPE_L2CACHE] = {"l2cache", HWLOC_OBJ_L2CACHE, false},
    [TYPE_L3CACHE] = {"l3cache", HWLOC_OBJ_L3CACHE, true},
    [TYPE_L4CACHE] = {"l4cache", HWLOC_OBJ_L4CACHE, true},
    [TYPE_L5CACHE] = {"l5cache", HWLOC_OBJ_L5CACHE, true},
    [TYPE_CORE] = {"core", HWLOC_OBJ_CORE, false},
    [TYPE_PU] = {"pu", HWLOC_OBJ_PU, false},
    [TYPE_MEMORY] = {"memory", NO_LEVEL, false},
    [TYPE_GPU] = {"gpu", NO_LEVEL, false},
    [TYPE_NIC] = {"nic", NO_LEVEL, false},
    [TYPE_STORAGE] = {"storage", NO_LEVEL, false},
};

const char *topology_type_name(enum topology_type type)
{
    return types[type].name;
}

/* What an object becomes; NULL: nothing. */
static const struct level *level_of(hwloc_obj_type_t object)
{
    for (int i = 0; i < TOPOLOGY_TYPES; i++)
        if (types[i].object == object)
            return &types[i];
    return NULL;
}

static int read_type(const char *word, size_t len, struct diag *d)
{
    struct near near = {.word = word, .len = len};

    for (int i = 0; i < TOPOLOGY_TYPES; i++)
        if (strlen(types[i].name) == len && !memcmp(types[i].name, word, len))
            return 1 << i;
    for (int i = 0; i < TOPOLOGY_TYPES; i++)
        near_try(&near, types[i].name);
    return diag_set(d, "a machine has no type %s%s", quote(word, len).text,
                    near.text);
}

int topology_read_types(const char *text, struct diag *d)
{
    int asked = 0, type;

    for (;; text++) {
        size_t len = strcspn(text, ",");
        if ((type = read_type(text, len, d)) < 0)
            return -1;
        asked |= type;
        text += len;
        if (!*text)
            return asked;
    }
}

/* --- places in the tree ------------------------------------------------- */

struct vertex *topology_container(const struct building *b, hwloc_obj_t obj)
{
    const struct level *level;

    obj = hwloc_get_non_io_ancestor_obj(b->topo, obj);
    while (!obj->userdata || !(level = level_of(obj->type)) || !level->holds)
        obj = obj->parent;
    return obj->userdata;
}

/* --- memory ------------------------------------------------------------- */

/*
 * hwloc hangs NUMA domains beside its tree, each at the object that has the
 * same processors: one that has cores is put between that object and what is in
 * it, so that a domain contains its cores.
 */

/* The memory of a GPU is not what a job means by memory. */
static bool is_usable(hwloc_obj_t numa)
{
    return !numa->subtype || strcmp(numa->subtype, "GPUMemory");
}

/* The object with whose processors hwloc says a domain is. */
static hwloc_obj_t place_of(hwloc_obj_t numa)
{
    do
        numa = numa->parent;
    while (!hwloc_obj_type_is_normal(numa->type));
    return numa;
}

static bool is_below(hwloc_obj_t obj, hwloc_obj_t above)
{
    do
        obj = obj->parent;
    while (obj && obj != above);
    return obj;
}

/* Are there domains closer to some of the processors of an object? */
static bool has_closer(const struct building *b, hwloc_obj_t obj)
{
    hwloc_obj_t numa = NULL;

    while (
        (numa = hwloc_get_next_obj_by_type(b->topo, HWLOC_OBJ_NUMANODE, numa)))
        if (is_usable(numa) && is_below(place_of(numa), obj))
            return true;
    return false;
}

/*
 * The domain that has the processors of an object: the first that is with them;
 * NULL: none. Memory without processors is with all of them, says hwloc: those
 * have closer domains.
 */
static hwloc_obj_t domain_of(const struct building *b, hwloc_obj_t obj)
{
    for (hwloc_obj_t m = obj->memory_first_child; m; m = m->next_sibling) {
        hwloc_obj_t numa = m;
        while (numa && numa->type != HWLOC_OBJ_NUMANODE)
            numa = numa->memory_first_child; /* of a cache of memory */
        if (numa && is_usable(numa)
            && hwloc_bitmap_isequal(numa->cpuset, obj->cpuset))
            return has_closer(b, obj) ? NULL : numa;
    }
    return NULL;
}

static struct vertex *add_domain(const struct building *b, hwloc_obj_t numa,
                                 struct vertex *above)
{
    return numa->userdata = vertex_add(b->rs, above, "numa", "numa",
                                       numa->logical_index);
}

/* Add the domain that has the processors of an object, before what is in it. */
static struct vertex *enter_domain(const struct building *b, hwloc_obj_t obj,
                                   struct vertex *above)
{
    hwloc_obj_t numa = building_has(b, TYPE_NUMA) ? domain_of(b, obj) : NULL;

    return numa ? add_domain(b, numa, above) : above;
}

/* Of a domain that has nothing in it: beside the one that has the cores. */
static struct vertex *beside(const struct building *b, hwloc_obj_t numa)
{
    hwloc_obj_t at = place_of(numa), first = domain_of(b, at);

    return first && first->userdata ? ((struct vertex *)first->userdata)->parent
                                    : topology_container(b, at);
}

static void add_memory(const struct building *b, hwloc_obj_t numa,
                       struct vertex *above)
{
    uint64_t mib = numa->attr->numanode.local_memory >> 20;
    struct vertex *v;

    if (mib == 0)
        return;
    v = vertex_add(b->rs, above, "memory", "memory", numa->logical_index);
    v->unit = rset_string(b->rs, "MiB");
    v->size = (int64_t)mib;
    if (numa->subtype && utf8_is(numa->subtype))
        vertex_add_property(b->rs, v, "kind", numa->subtype);
}

/* Add the other domains, and memory. */
static void add_memories(const struct building *b)
{
    hwloc_obj_t numa = NULL;

    while ((
        numa = hwloc_get_next_obj_by_type(b->topo, HWLOC_OBJ_NUMANODE, numa))) {
        struct vertex *v = numa->userdata;
        if (!is_usable(numa))
            continue;
        if (!v)
            v = beside(b, numa);
        if (building_has(b, TYPE_NUMA) && !numa->userdata)
            v = add_domain(b, numa, v);
        if (building_has(b, TYPE_MEMORY))
            add_memory(b, numa, v);
    }
}

/* --- levels ------------------------------------------------------------- */

/* Where a thread is to be: there is a core for it if hwloc knows none. */
static struct vertex *above_thread(struct building *b, hwloc_obj_t pu,
                                   struct vertex *above)
{
    if (!building_has(b, TYPE_CORE)
        || hwloc_get_nbobjs_by_type(b->topo, HWLOC_OBJ_CORE) > 0)
        return above;
    return vertex_add(b->rs, above, "core", "core", pu->logical_index);
}

static struct vertex *add_vertex(struct building *b, hwloc_obj_t obj,
                                 const char *type, struct vertex *parent)
{
    bool group = obj->type == HWLOC_OBJ_GROUP;
    unsigned id = group ? b->ngroups++ : obj->logical_index;
    struct vertex *v = vertex_add(b->rs, parent, type, type, id);
    uint64_t kib = hwloc_obj_type_is_cache(obj->type)
                       ? obj->attr->cache.size >> 10
                       : 0; /* hwloc tells bytes; 0: it does not know */

    if (kib > 0 && kib <= INT64_MAX) {
        v->unit = rset_string(b->rs, "KiB");
        v->size = (int64_t)kib;
    }
    return v;
}

/* An object, and the domain of its processors: that is in it, unless it is a
   core, a thread or a cache, which are in the domain. */
static void add_object(struct building *b, hwloc_obj_t obj)
{
    const struct level *level = level_of(obj->type);
    bool inside = hwloc_obj_type_is_cache(obj->type)
                  || obj->type == HWLOC_OBJ_CORE || obj->type == HWLOC_OBJ_PU;
    hwloc_obj_t up = obj->parent;
    struct vertex *above, *v;

    while (!up->userdata) /* the node's at last */
        up = up->parent;
    above = up->userdata;
    if (obj->type == HWLOC_OBJ_PU)
        above = above_thread(b, obj, above);
    v = above;
    if (inside)
        v = enter_domain(b, obj, v);
    if (level && building_has(b, (enum topology_type)(level - types)))
        v = add_vertex(b, obj, level->name, v);
    if (!inside)
        v = enter_domain(b, obj, v);
    if (v != above)
        obj->userdata = v;
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

static int add_node(struct building *b, struct diag *d)
{
    struct rset *rs = b->rs;
    struct vertex *root = vertex_add(rs, NULL, "cluster", "cluster", 0),
                  *node = vertex_add(rs, root, "node", "node", 0);
    hwloc_obj_t machine = hwloc_get_root_obj(b->topo);
    char buf[HOSTLIST_NAME_MAX];
    const char *name = find_host(b, buf, d);

    if (!name)
        return -1;
    node_on_host(rs, node, name);
    node->rank = b->opts->rank;
    machine->userdata = enter_domain(b, machine, node);
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

/* The cores of a topology, or its threads if it knows no cores. */
static unsigned count_cores(hwloc_topology_t topo)
{
    int cores = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_CORE);

    return (unsigned)(cores > 0 ? cores
                                : hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_PU));
}

/* The cores of this machine, those that this process may not use included. */
static unsigned count_all_cores(void)
{
    const struct topology_options all = {.whole = true};
    hwloc_topology_t topo;
    unsigned n = 0;

    if (hwloc_topology_init(&topo) < 0)
        memory_exhausted();
    if (configure(topo, &all) == 0 && hwloc_topology_load(topo) == 0)
        n = count_cores(topo);
    hwloc_topology_destroy(topo);
    return n;
}

/* Where a topology comes from; texts are NULL, or a description. */
struct origin {
    const char *xml, *synthetic; /* neither: it is this machine */
    size_t len;                  /* of the XML */
    const char *fault;           /* what is said if hwloc can't load it */
};

static int set_origin(hwloc_topology_t topo, const struct origin *from,
                      struct diag *d)
{
    /* With the NUL byte, as hwloc counts; older ones wanted it without. */
    if (from->xml
        && hwloc_topology_set_xmlbuffer(topo, from->xml, (int)from->len + 1) < 0
        && hwloc_topology_set_xmlbuffer(topo, from->xml, (int)from->len) < 0)
        return diag_set(d, "hwloc can't read this XML");
    if (from->synthetic
        && hwloc_topology_set_synthetic(topo, from->synthetic) < 0)
        return synthetic_explain(from->synthetic, d);
    return 0;
}

static bool is_local(const struct origin *from)
{
    return !from->xml && !from->synthetic;
}

/* The variable that hwloc takes for this machine, as far as it can: NULL, none.
   Some of its variables count before. */
static const char *variable_of(const struct origin *from)
{
    static const char *const list[] = {"HWLOC_COMPONENTS", "HWLOC_FSROOT",
                                       "HWLOC_CPUID_PATH", "HWLOC_SYNTHETIC",
                                       "HWLOC_XMLFILE"};

    for (size_t i = 0; is_local(from) && i < 5; i++)
        if (getenv(list[i]) && *getenv(list[i]))
            return i < 3 ? NULL : list[i];
    return NULL;
}

/* Refuse a value that hwloc would pass over in silence, or not survive. */
static int set_variable(hwloc_topology_t topo, const char *name, struct diag *d)
{
    const char *text = getenv(name);
    bool input = !strcmp(text, "-"); /* it can be read once, by hwloc */
    char *xml = NULL;
    size_t len;
    int rc = 0;

    if (!strcmp(name, "HWLOC_SYNTHETIC")) {
        if (synthetic_check_size(text, d) < 0)
            rc = -1;
        else if (hwloc_topology_set_synthetic(topo, text) < 0)
            rc = synthetic_explain(text, d);
        return rc < 0 ? diag_source(d, "%s", name) : 0;
    }
    if (!input && !(xml = xml_read(text, &len, d)))
        rc = -1;
    else if (hwloc_topology_set_xml(topo, text) < 0)
        rc = diag_set(d, "hwloc can't read this XML");
    free(xml);
    return rc < 0
               ? diag_source(d, "%s: %s", name, quote(text, strlen(text)).text)
               : 0;
}

static int load(hwloc_topology_t topo, const struct origin *from,
                const struct topology_options *opts, struct diag *d)
{
    const char *variable = variable_of(from);
    int all;

    if (configure(topo, opts) < 0)
        return diag_set(d, "hwloc can't be set up: %s", strerror(errno));
    if (set_origin(topo, from, d) < 0)
        return -1;
    if (variable && set_variable(topo, variable, d) < 0)
        return -1;
    errno = 0;
    if (hwloc_topology_load(topo) < 0) {
        if (errno == ENOMEM)
            memory_exhausted();
        diag_set(d, "%s",
                 variable ? "hwloc can't read this topology" : from->fault);
        return variable ? diag_source(d, "%s", variable) : -1;
    }
    if (!is_local(from) || opts->whole || !hwloc_topology_is_thissystem(topo))
        return 0;
    all = hwloc_bitmap_weight(hwloc_topology_get_complete_cpuset(topo));
    restrict_to_binding(topo);
    if (opts->cores) {
        opts->cores->bound = opts->cores->all = count_cores(topo);
        if (hwloc_bitmap_weight(hwloc_topology_get_topology_cpuset(topo)) < all)
            opts->cores->all = count_all_cores();
    }
    return 0;
}

/* --- the whole ---------------------------------------------------------- */

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
    struct rset *rs = b->rs;
    int depth = hwloc_topology_get_depth(b->topo);

    if (check_topology(b->topo, d) < 0 || add_node(b, d) < 0)
        return -1;
    for (int i = 1; i < depth; i++) { /* so that the vertex above is there */
        unsigned n = hwloc_get_nbobjs_by_depth(b->topo, i);
        for (unsigned j = 0; j < n; j++)
            add_object(b, hwloc_get_obj_by_depth(b->topo, i, j));
    }
    add_memories(b);
    topology_add_devices(b);
    /* the documented order of children, which writers keep */
    for (struct vertex *v = rs->root; v; v = vertex_next(rs->root, v, false))
        vertex_sort_children(v);
    rs->halves = HALF_EXECUTION | HALF_GRAPH;
    return rset_index_targets(rs, d);
}

static struct rset *convert(const struct origin *from,
                            const struct topology_options *opts, struct diag *d)
{
    struct building b = {
        .rs = rset_create(), .opts = opts, .local = is_local(from)};

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
    const struct origin from = {.fault = "hwloc can't discover this machine"};

    return convert(&from, opts, d);
}

struct rset *rset_from_xml(const char *path,
                           const struct topology_options *opts, struct diag *d)
{
    struct origin from = {.fault = "hwloc can't read this topology"};
    char *text = xml_read(path, &from.len, d);
    struct rset *rs;

    from.xml = text;
    rs = text ? convert(&from, opts, d) : NULL;
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
    struct origin from = {.synthetic = text,
                          .fault = "hwloc can't make this machine"};

    return synthetic_check_size(text, d) < 0 ? NULL : convert(&from, opts, d);
}
