/*
 * XML files before hwloc reads them. hwloc has two readers, one with libxml
 * and a small one of its own that stops behind the root element; both trust
 * that objects are nested as deep as machines are and have the sets that
 * hwloc writes for them, and read beyond memory where they have not. What is
 * cut short, goes on or is no export of hwloc is found here, in one pass
 * over the tags, with one message whichever reader there is.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "source/topology_private.h"

/* No topology is as large, or as deep. */
#define XML_SIZE_MAX (1u << 28)
enum { XML_DEPTH_MAX = 256 };

static const char blanks[] = " \t\r\n";

/* --- checking ----------------------------------------------------------- */

static int check_end(const char *text, struct diag *d)
{
    static const char end[] = "</topology>";
    const char *last = NULL, *p = text;

    while ((p = strstr(p, end)))
        last = p++;
    if (!last)
        return diag_set(d,
                        "no hwloc topology, or one that is cut short: "
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

/* Where the tag at p ends; a '>' in a quoted value does not end it. */
static const char *tag_end(const char *p)
{
    for (; *p && *p != '>'; p++) {
        const char *close = *p == '"' ? strchr(p + 1, '"') : p;
        if (!close)
            break;
        p = close;
    }
    return p;
}

/* A tag: `<object type="Core" ...>` without the brackets. */
struct tag {
    const char *p;
    size_t len;
};

static bool tag_has(const struct tag *tag, const char *text)
{
    return memmem(tag->p, tag->len, text, strlen(text));
}

/* Devices are in no cpuset. */
static bool is_device(const struct tag *tag)
{
    static const char *const types[] = {" type=\"Bridge\"", " type=\"PCIDev\"",
                                        " type=\"OSDev\"", " type=\"Misc\""};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (tag_has(tag, types[i]))
            return true;
    return false;
}

static int check_sets(const struct tag *tag, struct diag *d)
{
    bool numa = tag_has(tag, " type=\"NUMANode\"");
    bool nodeset = tag_has(tag, " nodeset=");

    if (!tag_has(tag, " cpuset=") || !tag_has(tag, " complete_cpuset="))
        return diag_set(d, "an object without a cpuset");
    if ((numa && !nodeset) || nodeset != tag_has(tag, " complete_nodeset="))
        return diag_set(d, "an object without a nodeset");
    return 0;
}

/* One tag; the depth that it leads to, or -1. */
static int check_tag(const struct tag *tag, int depth, struct diag *d)
{
    if (*tag->p == '/')
        return depth > 0 ? depth - 1 : diag_set(d, "a tag that is not open");
    if (!isalpha((unsigned char)*tag->p))
        return depth;
    if (tag_has(tag, "set=\"\""))
        return diag_set(d, "an empty set");
    if (!strncmp(tag->p, "object", 6) && !is_device(tag)
        && check_sets(tag, d) < 0)
        return -1;
    if (depth == XML_DEPTH_MAX)
        return diag_set(d, "more than %d levels", XML_DEPTH_MAX);
    return depth + (tag->p[tag->len - 1] != '/');
}

static int check_tags(const char *text, struct diag *d)
{
    const char *p = text;
    int depth = 0;

    while (depth >= 0 && (p = strchr(p, '<'))) {
        struct tag tag = {.p = ++p};
        p = tag_end(p);
        tag.len = (size_t)(p - tag.p);
        depth = check_tag(&tag, depth, d);
        if (depth < 0)
            diag_in(d, "offset %zu", (size_t)(tag.p - 1 - text));
    }
    if (depth > 0)
        return diag_set(d, "a tag is not closed");
    return depth;
}

static int check_xml(const char *text, size_t len, struct diag *d)
{
    if (strspn(text, blanks) == len)
        return diag_set(d, "empty input: expected an hwloc topology");
    if (strlen(text) != len)
        return diag_set(d, "a NUL byte at offset %zu", strlen(text));
    if (check_end(text, d) < 0)
        return -1;
    return check_tags(text, d);
}

char *xml_read(const char *path, size_t *len, struct diag *d)
{
    char *text = file_read(path, XML_SIZE_MAX, "an hwloc topology", len, d);

    if (text && check_xml(text, *len, d) == 0)
        return text;
    free(text);
    return NULL;
}
