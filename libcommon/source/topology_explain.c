/*
 * What became of each device, and why, a line each: "node7: cuda0, CUDA on PCI
 * 0000:01:00.0: kept as gpu0".
 */
#include "source/topology_private.h"

#include <stdarg.h>
#include <stdio.h>

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

void topology_explain_device(const struct building *b, hwloc_obj_t dev,
                             const struct device_verdict *verdict)
{
    const char *backend = topology_gpu_backend(dev);
    hwloc_obj_t pci = topology_pci_of(dev);
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

void topology_explain_rest(const struct building *b, unsigned ngpus)
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
