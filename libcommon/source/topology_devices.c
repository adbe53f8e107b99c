/*
 * Devices of the kinds that are resources: one walk over hwloc's OS devices,
 * in which each kind is asked how many units a device is.
 */
#include "source/topology_private.h"

#include <string.h>

#include "base/utf8.h"
#include "set/digits.h"

static hwloc_obj_t pci_of(hwloc_obj_t obj)
{
    while (obj && obj->type != HWLOC_OBJ_PCI_DEVICE)
        obj = obj->parent;
    return obj;
}

/* --- kinds -------------------------------------------------------------- */

static const char *gpu_backend(hwloc_obj_t dev)
{
    static const char *const names[] = {"CUDA", "NVML", "OpenCL", "RSMI"};
    const char *backend = hwloc_obj_get_info_by_name(dev, "Backend");

    for (size_t i = 0; backend && i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(backend, names[i]))
            return names[i];
    return NULL;
}

/*
 * The backend that shows a PCI device first counts its gpus, the others show
 * them again. It is remembered at the PCI device, which has no vertex.
 */
static int64_t gpu_size(hwloc_obj_t dev)
{
    const char *backend = gpu_backend(dev);
    hwloc_obj_t pci = pci_of(dev);

    if (!backend)
        return 0;
    if (pci && !pci->userdata)
        pci->userdata = (void *)backend;
    return !pci || pci->userdata == backend;
}

static int64_t nic_size(hwloc_obj_t dev)
{
    return dev->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK && pci_of(dev);
}

/* hwloc tells KiB. */
static int64_t storage_size(hwloc_obj_t dev)
{
    const char *size = hwloc_obj_get_info_by_name(dev, "Size"), *end;
    uint64_t kib;

    if (dev->attr->osdev.type != HWLOC_OBJ_OSDEV_BLOCK || !size)
        return 0;
    if (dev->subtype && !strcmp(dev->subtype, "Removable Media Device"))
        return 0;
    end = get_number(size, size + strlen(size), &kib);
    if (end == size || *end || kib > INT64_MAX / 1024)
        return 0;
    return (int64_t)kib * 1024 / 1000000000;
}

static const struct kind {
    const char *type, *unit;
    int64_t (*size)(hwloc_obj_t dev); /* 0: it is none of this kind */
} kinds[] = {
    {"gpu", "", gpu_size},
    {"nic", "", nic_size},
    {"storage", "GB", storage_size},
};
enum { NKINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* --- vertices ----------------------------------------------------------- */

static void add_device(struct rset *rs, hwloc_topology_t topo, hwloc_obj_t dev,
                       const struct kind *kind, unsigned id, int64_t size)
{
    struct vertex *v = vertex_add(rs, topology_container(topo, dev), kind->type,
                                  kind->type, id);

    v->unit = rset_string(rs, kind->unit);
    v->size = size;
    if (dev->name && utf8_is(dev->name))
        vertex_add_property(rs, v, "device", dev->name);
}

void topology_add_devices(struct rset *rs, hwloc_topology_t topo)
{
    unsigned count[NKINDS] = {0};
    hwloc_obj_t dev = NULL;

    while ((dev = hwloc_get_next_osdev(topo, dev))) {
        for (int i = 0; i < NKINDS; i++) {
            int64_t size = kinds[i].size(dev);
            if (size > 0)
                add_device(rs, topo, dev, &kinds[i], count[i]++, size);
        }
    }
}
