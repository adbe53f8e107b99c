/*
 * Devices of the kinds that are resources: one walk over hwloc's OS devices, in
 * which each is judged. What became of it, and why, can be told, a line each:
 * "node7: cuda0, CUDA on PCI 0000:01:00.0: kept as gpu0".
 */
#include "source/topology_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "base/digits.h"

/* --- what a device is ---------------------------------------------------- */

/* What becomes of a device; its vertex, if it has one, is its `userdata`. */
struct device_verdict {
    int64_t size;    /* 0: it is no resource of its own */
    hwloc_obj_t one; /* with which it is one; NULL: none */
    const char *why; /* it is none at all */
};

/* The PCI device that an object is in or is; NULL: none. */
static hwloc_obj_t pci_of(hwloc_obj_t obj)
{
    while (obj && obj->type != HWLOC_OBJ_PCI_DEVICE)
        obj = obj->parent;
    return obj;
}

/* The backend that shows it as a gpu, of which there is one string each. */
static const char *gpu_backend(hwloc_obj_t dev)
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
        return gpu_backend(dev) ? TYPE_GPU : -1;
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
    hwloc_obj_t pci = pci_of(dev), first = pci ? pci->userdata : NULL;

    if (!pci)
        return IGNORED(no_pci);
    if (!first)
        pci->userdata = dev;
    else if (gpu_backend(first) != gpu_backend(dev))
        return (struct device_verdict){.one = first};
    if (dev->parent->type == HWLOC_OBJ_OS_DEVICE && dev->parent->userdata)
        return (struct device_verdict){.one = dev->parent};
    return (struct device_verdict){.size = 1};
}

static struct device_verdict judge_nic(hwloc_obj_t dev)
{
    return pci_of(dev) ? (struct device_verdict){.size = 1} : IGNORED(no_pci);
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

/* --- what became of it, and why ---------------------------------------- */

enum { EXPLAIN_MAX = 400 };

__attribute__((format(printf, 2, 3))) static void tell(const struct building *b,
                                                       const char *fmt, ...)
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

enum { ADDRESS_MAX = 32 };

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

static void explain_device(const struct building *b, hwloc_obj_t dev,
                           const struct device_verdict *verdict)
{
    const char *backend = gpu_backend(dev);
    hwloc_obj_t pci = pci_of(dev);
    const struct vertex *v = verdict->one ? verdict->one->userdata
                                          : dev->userdata;
    char buf[ADDRESS_MAX], what[EXPLAIN_MAX];

    snprintf(what, sizeof(what), "%.200s%s%s%s%s", name_of(dev),
             backend ? ", " : "", backend ? backend : "", pci ? " on " : "",
             pci ? address_of(pci, buf) : "");
    if (verdict->one)
        tell(b, "%s: merged with %.100s, %s", what, name_of(verdict->one),
             v->name);
    else if (v)
        tell(b, "%s: kept as %s", what, v->name);
    else
        tell(b, "%s: ignored: %s", what, verdict->why);
}

/* Graphics and accelerators that no backend shows, which may be GPUs. */
static void explain_unseen(const struct building *b)
{
    hwloc_obj_t pci = NULL;
    char buf[ADDRESS_MAX];

    while ((pci = hwloc_get_next_pcidev(b->topo, pci))) {
        unsigned class = pci->attr->pcidev.class_id;
        if ((class >> 8 == 0x03 || class >> 8 == 0x12) && !pci->userdata)
            tell(b,
                 "%s, of class %04x: ignored: no backend of hwloc shows it as "
                 "a GPU",
                 address_of(pci, buf), class);
    }
}

static void explain_rest(const struct building *b, unsigned ngpus)
{
    if (!(b->opts->types & TYPES_OF_DEVICES))
        tell(b, "no type of devices is asked for: none is looked at");
    if (!building_has(b, TYPE_GPU))
        return;
    explain_unseen(b);
    if (ngpus == 0)
        tell(b, "no gpu: %s",
             hwloc_get_next_pcidev(b->topo, NULL)
                 ? "no device on PCI is shown by CUDA, NVML, OpenCL, RSMI or "
                   "LevelZero"
                 : "the topology has no PCI devices");
}

/* --- all of them -------------------------------------------------------- */

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
            explain_device(b, dev, &verdict);
    }
    if (b->opts->explain)
        explain_rest(b, count[TYPE_GPU]);
}
