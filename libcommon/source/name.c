/* Makes names from templates (name.h). */
#include "source/name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/memory.h"
#include "base/near.h"
#include "model/document/jgf.h"
#include "model/tree/properties.h"
#include "source/spec.h"

bool name_is_template(const char *text)
{
    return strstr(text, "${");
}

/* --- one name ----------------------------------------------------------- */

enum { WIDTH_MAX = 18 }; /* digits of a padded number */

static int put_value(FILE *fp, const struct named_pool *of, const char *key,
                     size_t len, struct diag *d)
{
    const struct properties *list = of->v->properties;
    const struct vertex *up = of->v->parent;
    unsigned i = 0, n = list ? list->count : 0;
    const char *text = NULL, *colon = memchr(key, ':', len);
    int64_t number = -1;
    uint64_t width = 0;
    char what[80];

    /* ${id:03}: with at least three digits */
    if (colon && colon[1] == '0'
        && get_number(colon + 1, key + len, &width) == key + len
        && width <= WIDTH_MAX)
        len = (size_t)(colon - key);
    snprintf(what, sizeof(what), "%.*s", (int)len, key);
    while (i < n && !(text = property_value(&list->list[i], key, len)))
        i++;
    if (text) {
        snprintf(what, sizeof(what), "value of property %.*s", (int)len, key);
    } else if (word_is(key, len, "type")) {
        text = of->v->type;
    } else if (word_is(key, len, "host")) {
        text = of->host;
    } else if (word_is(key, len, "id")) {
        number = of->id;
    } else if (word_is(key, len, "rank")) {
        number = of->rank;
    } else {
        while (up && !word_is(key, len, up->type))
            up = up->parent;
        if (!up)
            return diag_set(d,
                            "no property, attribute or enclosing type is "
                            "named %s",
                            quote(key, len).text);
        number = up->id;
        snprintf(what, sizeof(what), "id of the %.60s", up->type);
    }

    if (text && *text)
        fputs(text, fp);
    else if (number >= 0)
        fprintf(fp, "%0*" PRId64, (int)width, number);
    else
        return diag_set(d, "there is no %s", what);
    return 0;
}

char *name_make(const char *text, const struct named_pool *of, struct diag *d)
{
    const char *at, *end;
    char *name;
    FILE *fp = memory_open(&name, NULL);
    int rc = 0;

    while (rc == 0 && (at = strstr(text, "${"))) {
        fwrite(text, 1, (size_t)(at - text), fp);
        at += 2;
        if ((end = strchr(at, '}'))) {
            rc = put_value(fp, of, at, (size_t)(end - at), d);
            text = end + 1;
        } else {
            rc = diag_set(d, "a ${ has no }");
        }
    }
    fputs(text, fp);
    return memory_take(fp, &name, rc == 0);
}

/* --- nodes -------------------------------------------------------------- */

/* Make the name of a node with this rank and host. */
static char *name_node(const struct vertex *node, uint32_t rank,
                       const char *host, const char *text, struct diag *d)
{
    struct named_pool of = {node, node->id, rank, host};
    char *name;

    if (node->run)
        (void)host_basename(host, &of.id);
    name = name_make(text, &of, d);
    if (name && host_check(name, d) == 0)
        return name;
    diag_in(d, "rank %" PRIu32, rank);
    free(name);
    return NULL;
}

int rset_name_nodes(struct rset *rs, const struct idset *ranks,
                    const char *text, struct diag *d)
{
    uint64_t n = idset_count(rs->ranks);
    struct vertex **targets, **nodes; /* nodes: one for each rank */
    char host[HOSTLIST_NAME_MAX], *name;
    struct hostlist *hosts;
    struct hostlist_iter of;
    struct idset_iter it;
    size_t ntargets;
    uint32_t rank;
    int rc = 0;

    if (n > NAMED_MAX)
        return diag_set(d, "more than %d nodes can't be named", NAMED_MAX);
    nodes = xcalloc(n + 1, sizeof(*nodes));
    ntargets = rset_targets(rs, &targets);
    for (size_t i = 0; i < ntargets; i++) {
        struct idset *own = idset_create();
        target_add_ranks(targets[i], own);
        idset_iter_init(&it, own);
        while (idset_iter_next(&it, &rank))
            nodes[idset_position(rs->ranks, rank)] = targets[i];
        idset_destroy(own);
    }
    free(targets);

    hosts = hostlist_create();
    hostlist_iter_init(&of, rs->hosts);
    idset_iter_init(&it, rs->ranks);
    for (size_t i = 0; rc == 0 && idset_iter_next(&it, &rank); i++) {
        hostlist_iter_next(&of, host);
        if (!idset_contains(ranks, rank)) {
            hostlist_append(hosts, host);
        } else if ((name = name_node(nodes[i], rank, host, text, d))) {
            hostlist_append(hosts, name);
            if (!nodes[i]->run)
                node_on_host(rs, nodes[i], name);
            free(name);
        } else {
            rc = -1;
        }
    }
    rset_set_ranks(rs, idset_copy(rs->ranks), hosts);
    free(nodes);
    return rc;
}
