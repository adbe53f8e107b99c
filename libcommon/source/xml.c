/*
 * Checks XML files before hwloc reads them. hwloc has two readers: one with
 * libxml, and a small one of its own that stops behind the root element. Both
 * trust that objects are nested no deeper than in real machines and have the
 * sets that hwloc writes for them; otherwise they read beyond memory. This
 * check finds text that is cut short, goes on behind the root, or is not an
 * export of hwloc, in one pass over the tags. Its messages don't depend on the
 * reader.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/file.h"
#include "base/near.h"
#include "source/topology_private.h"

/* Limits beyond any real topology. */
#define XML_SIZE_MAX (1u << 28)
enum { XML_DEPTH_MAX = 256 };

/*
 * The highest number that a system gives to a processor or a NUMA domain. hwloc
 * makes a bitmap with this many bits for each: 512 MiB if an object has no
 * number.
 */
enum { XML_INDEX_MAX = 1 << 18 };

static const char blanks[] = " \t\r\n";

/* --- checking ----------------------------------------------------------- */

static int check_end(const char *text, struct diag *d)
{
    static const char end[] = "</topology>";
    const char *last = NULL, *p = text;

    while ((p = strstr(p, end)))
        last = p++;
    if (!last && strstr(text, "<graphml"))
        return diag_set(d, "this is GraphML, such as Fluxion's GRUG: expected "
                           "XML of hwloc");
    if (!last)
        return diag_set(d,
                        "not an hwloc topology, or an incomplete one: "
                        "there is no %s",
                        end);
    last += strlen(end);
    last += strspn(last, blanks);
    if (*last)
        return diag_set(d, "%s follows the topology at offset %zu",
                        quote(last, strcspn(last, "\r\n")).text,
                        (size_t)(last - text));
    return 0;
}

/* The attributes of an object that are checked. */
struct object {
    bool device, numa, pu; /* devices have no cpuset */
    uint64_t index;        /* os_index; UINT64_MAX: none */
    bool cpuset, complete_cpuset, nodeset, complete_nodeset;
    bool empty_set;
    uint64_t version; /* format version in the root; 0: none */
};

static bool is_word(const char *p, const char *end, const char *word)
{
    return word_is(p, (size_t)(end - p), word);
}

/* Read all complete attributes of a tag: the text of `<object type="Core" ...>`
   without the brackets. */
static struct object read_tag(const char *tag, const char *end)
{
    struct object o = {.index = UINT64_MAX};
    const char *at = tag, *equals, *close;

    for (; (equals = memchr(at, '=', (size_t)(end - at))) && equals + 1 < end
           && equals[1] == '"'
           && (close = memchr(equals + 2, '"', (size_t)(end - equals - 2)));
         at = close + 1) {
        const char *name = equals, *value = equals + 2;
        bool set;
        while (name > at && !isspace((unsigned char)name[-1]))
            name--;
        set = equals - name >= 3 && !memcmp(equals - 3, "set", 3);
        o.empty_set |= set && value == close;
        if (is_word(name, equals, "type")) {
            o.device = is_word(value, close, "Bridge")
                       || is_word(value, close, "PCIDev")
                       || is_word(value, close, "OSDev")
                       || is_word(value, close, "Misc");
            o.numa = is_word(value, close, "NUMANode");
            o.pu = is_word(value, close, "PU");
        } else if (is_word(name, equals, "os_index")) {
            if (get_number(value, close, &o.index) != close || value == close)
                o.index = UINT64_MAX;
        } else if (is_word(name, equals, "version")) {
            get_number(value, close, &o.version);
        } else if (set) {
            o.cpuset |= is_word(name, equals, "cpuset");
            o.complete_cpuset |= is_word(name, equals, "complete_cpuset");
            o.nodeset |= is_word(name, equals, "nodeset");
            o.complete_nodeset |= is_word(name, equals, "complete_nodeset");
        }
    }
    return o;
}

/* Check a tag. Returns the depth behind it, or -1 with a diag. */
static int check_tag(const char *tag, const char *end, int depth,
                     struct diag *d)
{
    struct object o;

    if (*tag == '/')
        return depth > 0 ? depth - 1
                         : diag_set(d, "a closing tag without an opening tag");
    if (!isalpha((unsigned char)*tag))
        return depth;
    o = read_tag(tag, end);
    if (depth == 0 && o.version > hwloc_get_api_version() >> 16)
        return diag_set(d,
                        "this is XML of hwloc %" PRIu64
                        ", and this program has hwloc %u: lstopo "
                        "--export-xml-flags v2 writes it for hwloc 2",
                        o.version, hwloc_get_api_version() >> 16);
    if (o.empty_set)
        return diag_set(d, "an empty set");
    if (!strncmp(tag, "object", 6) && !o.device) {
        if (!o.cpuset || !o.complete_cpuset)
            return diag_set(d, "an object without a cpuset");
        if ((o.numa && !o.nodeset) || o.nodeset != o.complete_nodeset)
            return diag_set(d, "an object without a nodeset");
        if ((o.numa || o.pu) && o.index > XML_INDEX_MAX)
            return diag_set(d, "a %s without an os_index from 0 to %d",
                            o.pu ? "PU" : "NUMANode", XML_INDEX_MAX);
    }
    if (depth == XML_DEPTH_MAX)
        return diag_set(d, "more than %d levels", XML_DEPTH_MAX);
    return depth + (end[-1] != '/');
}

static int check_tags(const char *text, struct diag *d)
{
    const char *p = text, *close;
    int depth = 0;

    while (depth >= 0 && (p = strchr(p, '<'))) {
        const char *tag = ++p;
        for (; *p && *p != '>'; p++) { /* skip a '>' in a value */
            if (!(close = *p == '"' ? strchr(p + 1, '"') : p))
                break;
            p = close;
        }
        depth = check_tag(tag, p, depth, d);
        if (depth < 0)
            diag_in(d, "offset %zu", (size_t)(tag - 1 - text));
    }
    if (depth > 0)
        return diag_set(d, "a tag is not closed");
    return depth;
}

char *xml_read(const char *path, size_t *len, struct diag *d)
{
    char *text = file_read(path, XML_SIZE_MAX, "an hwloc topology", len, d);

    if (!text)
        return NULL;
    if (strspn(text, blanks) == *len)
        diag_set(d, "empty input: expected an hwloc topology");
    else if (strlen(text) != *len)
        diag_set(d, "a NUL byte at offset %zu", strlen(text));
    else if (check_end(text, d) == 0 && check_tags(text, d) == 0)
        return text;
    free(text);
    return NULL;
}
