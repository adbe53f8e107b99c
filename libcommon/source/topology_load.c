/*
 * Gets a topology from hwloc: of this machine, from XML or from a synthetic
 * description.
 *
 * hwloc is only asked for what is needed: for devices only if a type of device
 * is requested, and for GPUs of drivers, which are slow to start, only with
 * gpu. The component `gl` is always excluded: it would talk to an X server.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "source/topology_private.h"

/* --- synthetic descriptions --------------------------------------------- */

static const char blanks[] = " \t\n";

/*
 * Refuse a description with too many processors: multiply the numbers of the
 * levels, such as `core:4` or `4`. This must parse as hwloc does, so that no
 * level is missed. hwloc looks for the colon of a type whatever comes before
 * it, lets a level follow a number without a blank, and takes any number that
 * strtoul() takes: `numa[:1 core:9`, `core:0x9`, `core:9pu:2`.
 */
static int check_size(const char *text, struct diag *d)
{
    unsigned long n = 1, each;
    const char *p = text, *number;
    char *end;

    while (*(p += strspn(p, blanks))) {
        if (*p == '(' || *p == '[') { /* attributes, or memory */
            if (!(p = strchr(p, *p == '(' ? ')' : ']')))
                break;
            p++;
            continue;
        }
        number = isdigit((unsigned char)*p) ? p : strchr(p, ':');
        if (!number)
            break;
        number += *number == ':';
        each = strtoul(number, &end, 0);
        if (end == number)
            break;
        if (__builtin_mul_overflow(n, each, &n) || n > SYNTHETIC_PUS_MAX)
            return diag_set(d, "%s makes more than %d processors",
                            quote_all(text).text, SYNTHETIC_PUS_MAX);
        p = end;
    }
    return 0; /* hwloc reports any other fault */
}

/* Does hwloc accept the first `len` bytes, as they are or with threads
   below? */
static bool takes(hwloc_topology_t topo, const char *text, size_t len)
{
    char *part;
    bool taken;

    xasprintf(&part, "%.*s pu:1", (int)len, text);
    taken = hwloc_topology_set_synthetic(topo, part) == 0;
    part[len] = '\0';
    taken = taken || hwloc_topology_set_synthetic(topo, part) == 0;
    free(part);
    return taken;
}

/* Set a description. hwloc does not report where a fault is: it follows the
   longest part that hwloc accepts. */
static int set_synthetic(hwloc_topology_t topo, const char *text,
                         struct diag *d)
{
    size_t len = strlen(text);

    if (check_size(text, d) < 0)
        return -1;
    if (hwloc_topology_set_synthetic(topo, text) == 0)
        return 0;
    while (len > 0 && !takes(topo, text, len)) {
        while (len > 0 && !strchr(blanks, text[len - 1]))
            len--;
        while (len > 0 && strchr(blanks, text[len - 1]))
            len--;
    }
    len += strspn(text + len, blanks);
    return diag_set(
        d, "%s: hwloc does not take %s at offset %zu", quote_all(text).text,
        text[len] ? quote(text + len, strcspn(text + len, blanks)).text
                  : "the end",
        len);
}

/* --- the environment ---------------------------------------------------- */

/* Return the variable that makes hwloc replace this machine. NULL: there is
   none, or another variable of hwloc has priority. */
static const char *find_variable(void)
{
    static const char *const list[] = {"HWLOC_COMPONENTS", "HWLOC_FSROOT",
                                       "HWLOC_CPUID_PATH", "HWLOC_SYNTHETIC",
                                       "HWLOC_XMLFILE"};

    for (size_t i = 0; i < 5; i++)
        if (getenv(list[i]) && *getenv(list[i]))
            return i < 3 ? NULL : list[i];
    return NULL;
}

/* Set the topology from a variable. Refuse a value that hwloc would silently
   ignore, or crash on. */
static int set_variable(hwloc_topology_t topo, const char *name, struct diag *d)
{
    const char *text = getenv(name);
    bool input = !strcmp(text, "-"); /* hwloc alone can read it */
    char *xml = NULL;
    size_t len;
    int rc = 0;

    if (!strcmp(name, "HWLOC_SYNTHETIC"))
        return set_synthetic(topo, text, d) < 0 ? diag_source(d, "%s", name)
                                                : 0;
    if (!input && !(xml = xml_read(text, &len, d)))
        rc = -1;
    else if (hwloc_topology_set_xml(topo, text) < 0)
        rc = diag_set(d, "hwloc can't read this XML");
    free(xml);
    return rc < 0 ? diag_source(d, "%s: %s", name, quote_all(text).text) : 0;
}

/* --- loading ------------------------------------------------------------ */

static int configure(hwloc_topology_t topo, const struct topology_options *opts)
{
    /* always exclude the first, the others unless GPUs are requested */
    static const char *const components[] = {"gl",     "cuda", "nvml",
                                             "opencl", "rsmi", "levelzero"};
    size_t n = opts->types & 1 << TYPE_GPU ? 1 : 6;

    for (size_t i = 0; i < n; i++) /* fails if the component does not exist */
        (void)hwloc_topology_set_components(
            topo, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, components[i]);
    if (opts->whole
        && hwloc_topology_set_flags(topo,
                                    HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED)
               < 0)
        return -1;
    return opts->types & TYPES_OF_DEVICES ? hwloc_topology_set_io_types_filter(
               topo, HWLOC_TYPE_FILTER_KEEP_IMPORTANT)
                                          : 0;
}

/* Count the cores of a topology, or its threads if it knows no cores. */
static unsigned count_cores(hwloc_topology_t topo)
{
    int cores = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_CORE);

    return (unsigned)(cores > 0 ? cores
                                : hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_PU));
}

/*
 * Restrict this machine to the processors that this process is bound to, and
 * count their cores. Keeps devices under other processors. If hwloc can't find
 * or follow the binding, keeps the whole machine.
 */
static void restrict_to_binding(hwloc_topology_t topo,
                                struct topology_cores *cores)
{
    const struct topology_options opts = {.whole = true};
    hwloc_topology_t whole;
    int all = hwloc_bitmap_weight(hwloc_topology_get_complete_cpuset(topo));
    hwloc_bitmap_t set = hwloc_bitmap_alloc();

    if (!set)
        memory_exhausted();
    if (hwloc_get_cpubind(topo, set, HWLOC_CPUBIND_PROCESS) == 0
        && hwloc_topology_restrict(topo, set, HWLOC_RESTRICT_FLAG_ADAPT_IO) < 0
        && errno == ENOMEM)
        memory_exhausted();
    hwloc_bitmap_free(set);
    if (!cores)
        return;
    cores->bound = cores->all = count_cores(topo);
    if (hwloc_bitmap_weight(hwloc_topology_get_topology_cpuset(topo)) >= all)
        return;

    /* count also those that this process may not use */
    if (hwloc_topology_init(&whole) < 0)
        memory_exhausted();
    cores->all = 0;
    if (configure(whole, &opts) == 0 && hwloc_topology_load(whole) == 0)
        cores->all = count_cores(whole);
    hwloc_topology_destroy(whole);
}

int topology_load(hwloc_topology_t topo, const struct origin *from,
                  const struct topology_options *opts, struct diag *d)
{
    bool local = !from->xml && !from->synthetic;
    const char *variable = local ? find_variable() : NULL;
    const char *what = variable || from->xml ? "read this topology"
                       : from->synthetic     ? "make this machine"
                                             : "discover this machine";

    if (configure(topo, opts) < 0)
        return diag_set(d, "hwloc can't be set up: %s", strerror(errno));

    /* the length includes the NUL byte; older versions of hwloc want it
       without */
    if (from->xml
        && hwloc_topology_set_xmlbuffer(topo, from->xml, (int)from->len + 1) < 0
        && hwloc_topology_set_xmlbuffer(topo, from->xml, (int)from->len) < 0)
        return diag_set(d, "hwloc can't read this XML");
    if (from->synthetic && set_synthetic(topo, from->synthetic, d) < 0)
        return -1;
    if (variable && set_variable(topo, variable, d) < 0)
        return -1;

    errno = 0;
    if (hwloc_topology_load(topo) < 0) {
        if (errno == ENOMEM)
            memory_exhausted();
        diag_set(d, "hwloc can't %s", what);
        return variable ? diag_source(d, "%s", variable) : -1;
    }
    if (local && !opts->whole && hwloc_topology_is_thissystem(topo))
        restrict_to_binding(topo, opts->cores);
    return 0;
}
