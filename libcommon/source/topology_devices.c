/*
 * Devices of the kinds that are resources: one walk over hwloc's OS devices,
 * in which each is judged, and that is told (topology_explain.c).
 */
#include "source/topology_private.h"

#include <string.h>

#include "base/utf8.h"
#include "base/digits.h"

/* --- what a device is ---------------------------------------------------- */

hwloc_obj_t topology_pci_of(hwloc_obj_t obj)
{
    while (obj && obj->type != HWLOC_OBJ_PCI_DEVICE)
        obj = obj->parent;
    return obj;
}

const char *topology_gpu_backend(hwloc_obj_t dev)
{
    static const char *const names[] = {"CUDA", "NVML", "OpenCL", "RSMI",
                                        "LevelZero"};
    const char *backend = hwloc_obj_get_info_by_name(dev, "Backend");

    for (size_t i = 0; backend && i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(backend, names[i]))
            return names[i];
    return NULL;
}

/* The type that it may be one of; -1: none. */
static int kind_of(hwloc_obj_t dev)
{
    switch (dev->attr->osdev.type) {
    case HWLOC_OBJ_OSDEV_BLOCK:
        return TYPE_STORAGE;
    case HWLOC_OBJ_OSDEV_NETWORK:
        return TYPE_NIC;
    default:
        return topology_gpu_backend(dev) ? TYPE_GPU : -1;
    }
}

#define IGNORED(text)            \
    (struct device_verdict)      \
    {                            \
        .size = 0, .why = (text) \
    }
static const char no_pci[] = "it is on no PCI device";

/*
 * The backend that shows a PCI device first counts its gpus, the others show
 * them again; which device that was is remembered at the PCI device. A device
 * in another one is a part of it.
 */
static struct device_verdict judge_gpu(hwloc_obj_t dev)
{
    hwloc_obj_t pci = topology_pci_of(dev), first = pci ? pci->userdata : NULL;

    if (!pci)
        return IGNORED(no_pci);
    if (!first)
        pci->userdata = dev;
    else if (topology_gpu_backend(first) != topology_gpu_backend(dev))
        return (struct device_verdict){.one = first};
    if (dev->parent->type == HWLOC_OBJ_OS_DEVICE && dev->parent->userdata)
        return (struct device_verdict){.one = dev->parent};
    return (struct device_verdict){.size = 1};
}

static struct device_verdict judge_nic(hwloc_obj_t dev)
{
    return topology_pci_of(dev) ? (struct device_verdict){.size = 1}
                                : IGNORED(no_pci);
}

/* hwloc tells KiB. */
static struct device_verdict judge_storage(hwloc_obj_t dev)
{
    const char *size = hwloc_obj_get_info_by_name(dev, "Size"), *end;
    uint64_t kib;

    if (dev->subtype && !strcmp(dev->subtype, "Removable Media Device"))
        return IGNORED("its media are removable");
    end = size ? get_number(size, size + strlen(size), &kib) : NULL;
    if (!size || end == size || *end || kib > INT64_MAX / 1024)
        return IGNORED("hwloc tells no size");
    if (kib * 1024 < 1000000000)
        return IGNORED("it has less than 1 GB");
    return (struct device_verdict){.size = (int64_t)kib * 1024 / 1000000000};
}

static struct device_verdict judge(const struct building *b, hwloc_obj_t dev,
                                   int kind)
{
    if (kind < 0)
        return IGNORED("it is no gpu, nic or storage");
    if (!building_has(b, (enum topology_type)kind))
        return IGNORED("its type is not asked for");
    return kind == TYPE_GPU   ? judge_gpu(dev)
           : kind == TYPE_NIC ? judge_nic(dev)
                              : judge_storage(dev);
}

/* --- vertices ----------------------------------------------------------- */

static void add_device(const struct building *b, hwloc_obj_t dev,
                       const char *type, unsigned id, int64_t size)
{
    struct vertex *v = vertex_add(b->rs, topology_container(b, dev), type, type,
                                  id);

    v->unit = rset_string(b->rs, strcmp(type, "storage") ? "" : "GB");
    v->size = size;
    if (dev->name && utf8_is(dev->name))
        vertex_add_property(b->rs, v, "device", dev->name);
    dev->userdata = v;
}

void topology_add_devices(const struct building *b)
{
    unsigned count[TOPOLOGY_TYPES] = {0};
    hwloc_obj_t dev = NULL;

    while ((dev = hwloc_get_next_osdev(b->topo, dev))) {
        int kind = kind_of(dev);
        struct device_verdict verdict = judge(b, dev, kind);
        if (verdict.size > 0)
            add_device(b, dev, topology_type_name((enum topology_type)kind),
                       count[kind]++, verdict.size);
        if (b->opts->explain)
            topology_explain_device(b, dev, &verdict);
    }
    if (b->opts->explain)
        topology_explain_rest(b, count[TYPE_GPU]);
}
