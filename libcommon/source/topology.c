/* Makes a graph from an hwloc topology (topology.h): levels, memory and
   devices. */
#include "source/topology.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/utf8.h"
#include "source/spec.h"
#include "source/topology_private.h"

/* --- types -------------------------------------------------------------- */

/* Devices and memory are not levels of hwloc's tree. */
#define NO_LEVEL HWLOC_OBJ_TYPE_MAX

static const struct machine_level {
    const char *name;
    hwloc_obj_type_t object; /* object that becomes such a pool */
    bool holds;              /* can contain devices and memory */
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

/* Return the level of an object; NULL: it does not become a pool. */
static const struct machine_level *level_of(hwloc_obj_type_t object)
{
    for (int i = 0; i < TOPOLOGY_TYPES; i++)
        if (types[i].object == object)
            return &types[i];
    return NULL;
}

int topology_read_types(const char *text, struct diag *d)
{
    int kinds = 0, i;

    for (;; text++) {
        size_t len = strcspn(text, ",");
        struct near near = {.word = text, .len = len};
        for (i = 0; i < TOPOLOGY_TYPES && !word_is(text, len, types[i].name);
             i++)
            near_try(&near, types[i].name);
        if (i == TOPOLOGY_TYPES)
            return diag_set(d, "a machine has no type %s%s",
                            quote(text, len).text, near.text);
        kinds |= 1 << i;
        text += len;
        if (!*text)
            return kinds;
    }
}

/* --- the graph under construction --------------------------------------- */

struct building {
    struct rset *rs;
    hwloc_topology_t topo;
    const struct topology_options *opts;
    bool local;       /* this machine, not XML or a description */
    unsigned ngroups; /* number so far */
};

static bool building_has(const struct building *b, enum topology_type type)
{
    return b->opts->types & 1 << type;
}

/* Return the smallest vertex that holds an object and can contain devices. The
   `userdata` of an object is the vertex for its children. */
static struct vertex *container_of(const struct building *b, hwloc_obj_t obj)
{
    const struct machine_level *level;

    obj = hwloc_get_non_io_ancestor_obj(b->topo, obj);
    while (!obj->userdata || !(level = level_of(obj->type)) || !level->holds)
        obj = obj->parent;
    return obj->userdata;
}

/* --- memory ------------------------------------------------------------- */

/*
 * hwloc hangs each NUMA domain beside its tree, at the object with the same
 * processors. Here a domain with cores is put between that object and its
 * children, so that it contains its cores.
 */

/* Is a domain usable as memory? That of a GPU is not what jobs mean by
   memory. */
static bool is_usable(hwloc_obj_t numa)
{
    return !numa->subtype || strcmp(numa->subtype, "GPUMemory");
}

/* Return the object at which hwloc hangs a domain. */
static hwloc_obj_t place_of(hwloc_obj_t numa)
{
    do
        numa = numa->parent;
    while (!hwloc_obj_type_is_normal(numa->type));
    return numa;
}

/* Is any domain closer to some of the processors of an object? */
static bool has_closer(const struct building *b, hwloc_obj_t obj)
{
    hwloc_obj_t numa = NULL, up;

    while (
        (numa = hwloc_get_next_obj_by_type(b->topo, HWLOC_OBJ_NUMANODE, numa)))
        if (is_usable(numa))
            for (up = place_of(numa)->parent; up; up = up->parent)
                if (up == obj)
                    return true;
    return false;
}

/*
 * Return the first domain with the processors of an object, or NULL. If memory
 * has no processors, hwloc gives it all of them: then other domains are closer.
 */
static hwloc_obj_t domain_of(const struct building *b, hwloc_obj_t obj)
{
    for (hwloc_obj_t m = obj->memory_first_child; m; m = m->next_sibling) {
        hwloc_obj_t numa = m;
        while (numa && numa->type != HWLOC_OBJ_NUMANODE)
            numa = numa->memory_first_child; /* skip a cache of memory */
        if (numa && is_usable(numa)
            && hwloc_bitmap_isequal(numa->cpuset, obj->cpuset))
            return has_closer(b, obj) ? NULL : numa;
    }
    return NULL;
}

static struct vertex *add_domain(const struct building *b, hwloc_obj_t numa,
                                 struct vertex *above)
{
    return numa->userdata = vertex_add(b->rs, above, "numa",
                                       numa->logical_index);
}

/* Add the domain of an object, if any. Returns the vertex for its children. */
static struct vertex *enter_domain(const struct building *b, hwloc_obj_t obj,
                                   struct vertex *above)
{
    hwloc_obj_t numa = building_has(b, TYPE_NUMA) ? domain_of(b, obj) : NULL;

    return numa ? add_domain(b, numa, above) : above;
}

/* Add memory. A domain without cores goes beside the domain with the cores. */
static void add_memories(const struct building *b)
{
    hwloc_obj_t numa = NULL, at, first;

    while ((
        numa = hwloc_get_next_obj_by_type(b->topo, HWLOC_OBJ_NUMANODE, numa))) {
        uint64_t mib = numa->attr->numanode.local_memory >> 20;
        struct vertex *v = numa->userdata;
        if (!is_usable(numa))
            continue;
        if (!v) {
            at = place_of(numa);
            first = domain_of(b, at);
            v = first && first->userdata
                    ? ((struct vertex *)first->userdata)->parent
                    : container_of(b, at);
            if (building_has(b, TYPE_NUMA))
                v = add_domain(b, numa, v);
        }
        if (!building_has(b, TYPE_MEMORY) || mib == 0)
            continue;
        v = vertex_add(b->rs, v, "memory", numa->logical_index);
        v->unit = rset_string(b->rs, "MiB");
        v->size = (int64_t)mib;
        if (numa->subtype && utf8_is(numa->subtype))
            vertex_add_property(b->rs, v, "kind", numa->subtype);
    }
}

/* --- levels ------------------------------------------------------------- */

/* Add an object and its domain. The domain is inside the object; but cores,
   threads and caches are inside the domain. */
static void add_object(struct building *b, hwloc_obj_t obj)
{
    const struct machine_level *level = level_of(obj->type);
    bool cache = hwloc_obj_type_is_cache(obj->type),
         inside = cache || obj->type == HWLOC_OBJ_CORE
                  || obj->type == HWLOC_OBJ_PU;
    hwloc_obj_t up = obj->parent;
    struct vertex *above, *v;

    while (!up->userdata) /* at last the node's */
        up = up->parent;
    above = up->userdata;
    /* add a core for a thread if hwloc knows no cores */
    if (obj->type == HWLOC_OBJ_PU && building_has(b, TYPE_CORE)
        && hwloc_get_nbobjs_by_type(b->topo, HWLOC_OBJ_CORE) <= 0)
        above = vertex_add(b->rs, above, "core", obj->logical_index);
    v = above;
    if (inside)
        v = enter_domain(b, obj, v);
    if (level && building_has(b, (enum topology_type)(level - types))) {
        v = vertex_add(b->rs, v, level->name,
                       obj->type == HWLOC_OBJ_GROUP ? b->ngroups++
                                                    : obj->logical_index);
        if (cache && obj->attr->cache.size >> 10 > 0) { /* it is known */
            v->unit = rset_string(b->rs, "KiB");
            v->size = (int64_t)(obj->attr->cache.size >> 10);
        }
    }
    if (!inside)
        v = enter_domain(b, obj, v);
    if (v != above)
        obj->userdata = v;
}

static int add_node(struct building *b, struct diag *d)
{
    struct rset *rs = b->rs;
    struct vertex *root = vertex_add(rs, NULL, "cluster", 0),
                  *node = vertex_add(rs, root, "node", 0);
    hwloc_obj_t machine = hwloc_get_root_obj(b->topo);
    const char *name = hwloc_obj_get_info_by_name(machine, "HostName");
    char buf[HOSTLIST_NAME_MAX];

    if (name && *name) {
        if (host_check(name, d) < 0)
            return diag_in(d, "HostName");
    } else {
        name = buf;
        snprintf(buf, sizeof(buf), "node%" PRIu32, b->opts->rank);
        if (b->local && hwloc_topology_is_thissystem(b->topo)
            && host_local(buf, d) < 0)
            return -1;
    }
    node_on_host(rs, node, name);
    node->rank = b->opts->rank;
    machine->userdata = enter_domain(b, machine, node);
    return 0;
}

/* --- devices: classification -------------------------------------------- */

/* The result for a device. If it gets a vertex, that is its `userdata`. */
struct device_verdict {
    int64_t size;    /* 0: not a resource of its own */
    hwloc_obj_t one; /* device that it belongs to, or NULL */
    const char *why; /* reason why it is not a resource */
};

/* Return the PCI device that an object is, or is in; NULL: none. */
static hwloc_obj_t pci_of(hwloc_obj_t obj)
{
    while (obj && obj->type != HWLOC_OBJ_PCI_DEVICE)
        obj = obj->parent;
    return obj;
}

/* Backends of hwloc that show gpus. If several show as many on a PCI device,
   the first of them counts: users need its numbers. */
static const char *const backends[] = {"CUDA", "RSMI", "LevelZero", "NVML",
                                       "OpenCL"};
enum { BACKENDS = sizeof(backends) / sizeof(backends[0]) };

/* Return the number of the backend that shows a gpu; -1: none. */
static int backend_of(hwloc_obj_t dev)
{
    const char *backend = hwloc_obj_get_info_by_name(dev, "Backend");

    return backend ? WORD_FIND(backends, backend) : -1;
}

/* Return the device that a gpu is in, as a part of it; NULL: none. */
static hwloc_obj_t gpu_around(hwloc_obj_t dev)
{
    return dev->parent->type == HWLOC_OBJ_OS_DEVICE
                   && backend_of(dev->parent) >= 0
               ? dev->parent
               : NULL;
}

/* Return the possible type of a device; -1: none. */
static int kind_of(hwloc_obj_t dev)
{
    switch (dev->attr->osdev.type) {
    case HWLOC_OBJ_OSDEV_BLOCK:
        return TYPE_STORAGE;
    case HWLOC_OBJ_OSDEV_NETWORK:
        return TYPE_NIC;
    default:
        return backend_of(dev) >= 0 ? TYPE_GPU : -1;
    }
}

/* Return the first gpu of the backend that counts those of a PCI device: the
   one that shows most of them. NULL: no backend shows any. */
static hwloc_obj_t first_gpu(const struct building *b, hwloc_obj_t pci)
{
    hwloc_obj_t dev = NULL, first[BACKENDS] = {NULL};
    unsigned n[BACKENDS] = {0};
    int best = 0;

    while ((dev = hwloc_get_next_osdev(b->topo, dev)))
        if (pci_of(dev) == pci && kind_of(dev) == TYPE_GPU && !gpu_around(dev)
            && n[backend_of(dev)]++ == 0)
            first[backend_of(dev)] = dev;
    for (int i = 1; i < BACKENDS; i++)
        if (n[i] > n[best])
            best = i;
    return first[best];
}

#define IGNORED(text)            \
    (struct device_verdict)      \
    {                            \
        .size = 0, .why = (text) \
    }
static const char no_pci[] = "it is not on a PCI device";

/*
 * Classify a gpu. The backend that shows most gpus on a PCI device counts them;
 * other backends show the same gpus again. A device inside another device is
 * part of that.
 */
static struct device_verdict judge_gpu(const struct building *b,
                                       hwloc_obj_t dev)
{
    hwloc_obj_t pci = pci_of(dev), around = gpu_around(dev), first;

    if (!pci)
        return IGNORED(no_pci);
    first = first_gpu(b, pci);
    if (backend_of(dev) != backend_of(first))
        return (struct device_verdict){.one = first};
    return around ? (struct device_verdict){.one = around}
                  : (struct device_verdict){.size = 1};
}

static struct device_verdict judge(const struct building *b, hwloc_obj_t dev,
                                   int kind)
{
    const char *size = hwloc_obj_get_info_by_name(dev, "Size"); /* in KiB */
    uint64_t kib;

    if (kind < 0)
        return IGNORED("it is not a gpu, nic or storage");
    if (!building_has(b, (enum topology_type)kind))
        return IGNORED("its type was not requested");
    if (kind == TYPE_NIC)
        return pci_of(dev) ? (struct device_verdict){.size = 1}
                           : IGNORED(no_pci);
    if (kind == TYPE_GPU)
        return judge_gpu(b, dev);
    if (dev->subtype && !strcmp(dev->subtype, "Removable Media Device"))
        return IGNORED("its media are removable");
    if (!size || !text_is_number(size, &kib) || kib > INT64_MAX / 1024)
        return IGNORED("hwloc reports no size");
    if (kib * 1024 < 1000000000)
        return IGNORED("it is smaller than 1 GB");
    return (struct device_verdict){.size = (int64_t)kib * 1024 / 1000000000};
}

/* --- devices: explanations ---------------------------------------------- */

enum { EXPLAIN_MAX = 400, ADDRESS_MAX = 32 };

__attribute__((format(printf, 2, 3))) static void
note_device(const struct building *b, const char *fmt, ...)
{
    char line[EXPLAIN_MAX];
    int len = snprintf(line, sizeof(line), "%s: ", b->rs->root->child->name);
    va_list ap;

    va_start(ap, fmt);
    if (len < EXPLAIN_MAX)
        vsnprintf(line + len, sizeof(line) - (size_t)len, fmt, ap);
    va_end(ap);
    b->opts->explain(line);
}

static const char *address_of(hwloc_obj_t pci, char buf[ADDRESS_MAX])
{
    const struct hwloc_pcidev_attr_s *at = &pci->attr->pcidev;

    snprintf(buf, ADDRESS_MAX, "PCI %04x:%02x:%02x.%01x", at->domain, at->bus,
             at->dev, at->func);
    return buf;
}

static const char *name_of(hwloc_obj_t dev)
{
    return dev->name ? dev->name : "a device without a name";
}

/* Write a line: "node7: cuda0, CUDA on PCI 0000:01:00.0: kept as gpu0". */
static void explain_device(const struct building *b, hwloc_obj_t dev,
                           const struct device_verdict *verdict)
{
    int number = backend_of(dev);
    const char *backend = number >= 0 ? backends[number] : NULL;
    hwloc_obj_t pci = pci_of(dev);
    const struct vertex *v = verdict->one ? verdict->one->userdata
                                          : dev->userdata;
    char buf[ADDRESS_MAX], what[EXPLAIN_MAX];

    snprintf(what, sizeof(what), "%.200s%s%s%s%s", name_of(dev),
             backend ? ", " : "", backend ? backend : "", pci ? " on " : "",
             pci ? address_of(pci, buf) : "");
    if (verdict->one)
        note_device(b, "%s: merged with %.100s, %s", what,
                    name_of(verdict->one), v->name);
    else if (v)
        note_device(b, "%s: kept as %s", what, v->name);
    else
        note_device(b, "%s: ignored: %s", what, verdict->why);
}

/* Explain why there are no devices or GPUs at all. List graphics devices and
   accelerators that no backend shows: they may be GPUs. */
static void explain_rest(const struct building *b, unsigned ngpus)
{
    hwloc_obj_t pci = NULL;
    char buf[ADDRESS_MAX];

    if (!(b->opts->types & TYPES_OF_DEVICES))
        note_device(b, "no type of device was requested");
    if (!building_has(b, TYPE_GPU))
        return;
    while ((pci = hwloc_get_next_pcidev(b->topo, pci))) {
        unsigned class = pci->attr->pcidev.class_id;
        if ((class >> 8 == 0x03 || class >> 8 == 0x12) && !first_gpu(b, pci))
            note_device(
                b,
                "%s, of class %04x: ignored: no backend of hwloc shows it as "
                "a GPU",
                address_of(pci, buf), class);
    }
    if (ngpus == 0)
        note_device(
            b, "no gpu: %s",
            hwloc_get_next_pcidev(b->topo, NULL)
                ? "no device on PCI is shown by CUDA, NVML, OpenCL, RSMI or "
                  "LevelZero"
                : "the topology has no PCI devices");
}

/* --- devices: all of them ----------------------------------------------- */

/* Return the number at the end of a device's name, as in cuda3; -1: none. */
static int64_t device_number(hwloc_obj_t dev)
{
    const char *at = dev->name ? strchr(dev->name, '\0') : NULL;
    uint64_t n;

    while (at && at > dev->name && is_digit(at[-1]))
        at--;
    return at && text_is_number(at, &n) && n <= IDSET_MAX ? (int64_t)n : -1;
}

/* Do the numbers of all gpus differ, and does one backend give them? Then they
   are ids, because users select gpus by them (CUDA_VISIBLE_DEVICES). */
static bool has_numbers(const struct building *b)
{
    struct idset *ids = idset_create();
    hwloc_obj_t dev = NULL;
    int backend = -1;
    bool good = true;

    while (good && (dev = hwloc_get_next_osdev(b->topo, dev))) {
        int64_t id = device_number(dev);
        if (kind_of(dev) != TYPE_GPU || judge_gpu(b, dev).size == 0)
            continue;
        good = id >= 0 && !idset_contains(ids, (uint32_t)id)
               && (backend < 0 || backend == backend_of(dev));
        backend = backend_of(dev);
        if (good)
            idset_add(ids, (uint32_t)id, (uint32_t)id);
    }
    idset_destroy(ids);
    return good;
}

/* Note devices that are never for a screen, and that no backend shows. */
static void note_unshown(const struct building *b)
{
    char buf[ADDRESS_MAX], first[ADDRESS_MAX] = "", more[32] = "";
    hwloc_obj_t pci = NULL;
    size_t n = 0;

    while ((pci = hwloc_get_next_pcidev(b->topo, pci)))
        if (pci->attr->pcidev.class_id == 0x0302 && !first_gpu(b, pci)
            && n++ == 0)
            snprintf(first, sizeof(first), "%s", address_of(pci, buf));
    if (n > 1)
        snprintf(more, sizeof(more), " and %zu more", n - 1);
    if (n > 0)
        rset_note(b->rs,
                  "no backend of hwloc shows these 3D controllers, GPUs among "
                  "them are left out: %s%s",
                  first, more);
}

static void add_devices(const struct building *b)
{
    unsigned count[TOPOLOGY_TYPES] = {0}, id;
    bool numbers = has_numbers(b);
    hwloc_obj_t dev = NULL;

    while ((dev = hwloc_get_next_osdev(b->topo, dev))) {
        int kind = kind_of(dev);
        struct device_verdict verdict = judge(b, dev, kind);
        struct vertex *v;
        if (verdict.size == 0)
            continue;
        id = count[kind]++;
        v = vertex_add(b->rs, container_of(b, dev), types[kind].name,
                       kind == TYPE_GPU && numbers ? device_number(dev) : id);
        v->unit = rset_string(b->rs, kind == TYPE_STORAGE ? "GB" : "");
        v->size = verdict.size;
        if (dev->name && utf8_is(dev->name))
            vertex_add_property(b->rs, v, "device", dev->name);
        dev->userdata = v;
    }
    while (b->opts->explain && (dev = hwloc_get_next_osdev(b->topo, dev))) {
        struct device_verdict verdict = judge(b, dev, kind_of(dev));
        explain_device(b, dev, &verdict);
    }
    if (b->opts->explain)
        explain_rest(b, count[TYPE_GPU]);
    else if (building_has(b, TYPE_GPU))
        note_unshown(b);
}

/* --- the whole ---------------------------------------------------------- */

static int build(struct building *b, struct diag *d)
{
    struct rset *rs = b->rs;
    int depth = hwloc_topology_get_depth(b->topo);

    /* Refuse here what a document can't hold, rather than when it is read. */
    if (hwloc_get_root_obj(b->topo)->type != HWLOC_OBJ_MACHINE)
        return diag_set(d, "the topology is not of a machine");
    if (depth > DEPTH_MAX / 2)
        return diag_set(d, "the topology is too deep");
    if (hwloc_get_nbobjs_by_type(b->topo, HWLOC_OBJ_PU) <= 0)
        return diag_set(d, "the topology has no processors");

    if (add_node(b, d) < 0)
        return -1;
    for (int i = 1; i < depth; i++) { /* parents come first */
        unsigned n = hwloc_get_nbobjs_by_depth(b->topo, i);
        for (unsigned j = 0; j < n; j++)
            add_object(b, hwloc_get_obj_by_depth(b->topo, i, j));
    }
    add_memories(b);
    add_devices(b);

    /* the documented order of children, which writers keep */
    for (struct vertex *v = rs->root; v; v = vertex_next(rs->root, v, false))
        vertex_sort_children(v);
    rs->document.halves = HALF_EXECUTION | HALF_GRAPH;
    return rset_index_targets(rs, d);
}

static struct rset *convert(const struct origin *from,
                            const struct topology_options *opts, struct diag *d)
{
    struct building b = {.rs = rset_create(),
                         .opts = opts,
                         .local = !from->xml && !from->synthetic};

    if (hwloc_topology_init(&b.topo) < 0)
        memory_exhausted();
    if (topology_load(b.topo, from, opts, d) < 0 || build(&b, d) < 0) {
        rset_destroy(b.rs);
        b.rs = NULL;
    }
    hwloc_topology_destroy(b.topo);
    return b.rs;
}

struct rset *rset_from_machine(const struct topology_options *opts,
                               struct diag *d)
{
    return convert(&(struct origin){0}, opts, d);
}

struct rset *rset_from_xml(const char *path,
                           const struct topology_options *opts, struct diag *d)
{
    struct origin from = {0};
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
    return convert(&(struct origin){.synthetic = text}, opts, d);
}
