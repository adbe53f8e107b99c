/*
 * Reads properties that are given beside a source, and puts them on ranks
 * (property.h).
 */
#include "source/property.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "model/document/execution.h"

/* --- one property ------------------------------------------------------- */

static int check_name(const char *name, struct diag *d)
{
    const char *bad = strpbrk(name, PROPERTY_FORBIDDEN);

    if (!*name)
        return diag_set(d, "a property has a name");
    if (bad)
        return diag_set(d, "'%c' is not allowed in a property", *bad);
    if (!utf8_is(name))
        return diag_set(d, "the name is not UTF-8");
    return 0;
}

/* The ranks of hosts of the set. */
static int ranks_of_hosts(const struct rset *rs, const struct hostlist *hosts,
                          struct idset **ids, struct diag *d)
{
    struct hostlist *none = hostlist_subtract(hosts, rs->hosts);
    char *text = hostlist_encode(none);
    struct idset *at;

    if (*text)
        diag_set(d, "there is no host %s", quote(text, strlen(text)).text);
    free(text);
    if (hostlist_count(none) == 0) {
        at = hostlist_positions(rs->hosts, hosts);
        *ids = idset_pick(rs->ranks, at);
        idset_destroy(at);
    }
    hostlist_destroy(none);
    return *ids ? 0 : -1;
}

/* Targets, as RANKS or, if it is no set of numbers, as HOSTS. */
static int read_on(const struct rset *rs, const char *text, struct idset **ids,
                   struct diag *d)
{
    struct hostlist *hosts;
    int rc = idset_decode(text, strlen(text), ids, d);

    if (rc == 0 || text[strspn(text, "0123456789-,[]")] == '\0')
        return rc;
    hosts = hostlist_create();
    rc = hostlist_decode(hosts, text, strlen(text), d);
    if (rc == 0)
        rc = ranks_of_hosts(rs, hosts, ids, d);
    hostlist_destroy(hosts);
    return rc;
}

/* Split a text; *ids is new, NULL for all ranks. */
static int split(struct rset *rs, const char *text, const char **name,
                 struct idset **ids, struct diag *d)
{
    const char *colon = strrchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : strlen(text);

    *name = strtab_intern(&rs->names, text, len);
    if (check_name(*name, d) < 0)
        return -1;
    if (colon)
        return read_on(rs, colon + 1, ids, d);
    return 0;
}

/* --- all of them -------------------------------------------------------- */

struct laid {
    const char *const *texts;
    size_t n;
    struct layer *layers;
    struct idset **own; /* targets that were given */
};

static void laid_fini(struct laid *l)
{
    for (size_t i = 0; l->own && i < l->n; i++)
        idset_destroy(l->own[i]);
    free(l->own);
    free(l->layers);
}

static int in_text(const char *text, struct diag *d)
{
    return diag_in(d, "%s", quote(text, strlen(text)).text);
}

static int make_layers(struct laid *l, struct rset *rs, struct diag *d)
{
    l->layers = xcalloc(l->n, sizeof(*l->layers));
    l->own = xcalloc(l->n, sizeof(*l->own));
    rs->property_names = xreallocarray(rs->property_names,
                                       rs->nproperty_names + l->n,
                                       sizeof(*rs->property_names));
    for (size_t i = 0; i < l->n; i++) {
        const char *name;
        if (split(rs, l->texts[i], &name, &l->own[i], d) < 0)
            return in_text(l->texts[i], d);
        l->layers[i].item = name;
        l->layers[i].ranks = l->own[i] ? l->own[i] : rs->ranks;
        rs->property_names[rs->nproperty_names++] = name;
    }
    return 0;
}

static int add_property(struct rset *rs, struct vertex *target,
                        const void *item, void *arg, struct diag *d)
{
    (void)arg, (void)d;
    vertex_add_property_text(rs, target, item);
    return 0;
}

int rset_add_properties(struct rset *rs, const char *const *texts, size_t n,
                        struct diag *d)
{
    struct laid l = {.texts = texts, .n = n};
    size_t at;
    int rc;

    if (n == 0)
        return 0;
    rc = make_layers(&l, rs, d);
    if (rc == 0) {
        rc = rset_lay(rs, l.layers, n, add_property, NULL, &at, d);
        if (rc < 0)
            in_text(texts[at], d);
    }
    laid_fini(&l);
    return rc;
}
