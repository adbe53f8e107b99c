/*
 * Loading. The same things are asked of hwloc from wherever a topology
 * comes: I/O devices that matter, and instruction caches where they say
 * something of structure. The component `gl` is left out: it would talk to
 * an X server.
 */
#include "source/topology_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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

static int start(hwloc_topology_t *topo, struct diag *d)
{
    if (hwloc_topology_init(topo) < 0)
        memory_exhausted();
    if (configure(*topo) == 0)
        return 0;
    hwloc_topology_destroy(*topo);
    return diag_set(d, "hwloc can't be set up: %s", strerror(errno));
}

/* Load what was set, and end the topology if that fails. */
static int load(hwloc_topology_t topo, const char *what, struct diag *d)
{
    errno = 0;
    if (hwloc_topology_load(topo) == 0)
        return 0;
    if (errno == ENOMEM)
        memory_exhausted();
    hwloc_topology_destroy(topo);
    return diag_set(d, "%s", what);
}

/* --- this machine ------------------------------------------------------- */

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

int topology_load_machine(hwloc_topology_t *topo, struct diag *d)
{
    if (start(topo, d) < 0
        || load(*topo, "hwloc can't discover this machine", d) < 0)
        return -1;
    if (hwloc_topology_is_thissystem(*topo))
        restrict_to_binding(*topo);
    return 0;
}

/* --- XML ---------------------------------------------------------------- */

static int set_xml(hwloc_topology_t topo, const struct xml *x, struct diag *d)
{
    /* With the NUL byte, as hwloc counts; older ones wanted it without. */
    if (hwloc_topology_set_xmlbuffer(topo, x->text, (int)x->len + 1) == 0
        || hwloc_topology_set_xmlbuffer(topo, x->text, (int)x->len) == 0)
        return 0;
    return diag_set(d, "hwloc can't read this XML");
}

int topology_load_xml(hwloc_topology_t *topo, const char *path, struct diag *d)
{
    struct xml x;
    int rc = -1;

    if (xml_read(path, &x, d) < 0)
        return -1;
    if (start(topo, d) == 0) {
        rc = set_xml(*topo, &x, d);
        if (rc < 0)
            hwloc_topology_destroy(*topo);
        else
            rc = load(*topo, "hwloc can't read this topology", d);
    }
    free(x.text);
    return rc;
}

/* --- synthetic ---------------------------------------------------------- */

int topology_load_synthetic(hwloc_topology_t *topo, const char *text,
                            struct diag *d)
{
    if (synthetic_check_size(text, d) < 0 || start(topo, d) < 0)
        return -1;
    if (hwloc_topology_set_synthetic(*topo, text) < 0) {
        hwloc_topology_destroy(*topo);
        return synthetic_explain(text, d);
    }
    return load(*topo, "hwloc can't make this machine", d);
}
