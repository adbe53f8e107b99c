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
#include "model/tree/properties.h"

/* --- one property ------------------------------------------------------- */

int property_check(const char *name, struct diag *d)
{
    const char *bad = strpbrk(name, PROPERTY_FORBIDDEN);

    if (!*name || *name == '=')
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
    char *text = hostlist_encode(none), *hint = hostlist_hint(rs->hosts, none);
    struct idset *at;

    if (*text)
        diag_set(d, "there is no host %s%s", quote(text, strlen(text)).text,
                 hint);
    free(text);
    free(hint);
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
    struct idset *unknown;
    int rc = idset_decode(text, strlen(text), ids, d);

    if (rc < 0 && text[strspn(text, "0123456789-,[]")] != '\0') {
        hosts = hostlist_create();
        rc = hostlist_decode(hosts, text, strlen(text), d);
        if (rc == 0)
            rc = ranks_of_hosts(rs, hosts, ids, d);
        hostlist_destroy(hosts);
    } else if (rc == 0) {
        unknown = idset_subtract(*ids, rs->ranks);
        if (!idset_empty(unknown))
            rc = diag_set(d, "rank %u is not in the set", idset_first(unknown));
        idset_destroy(unknown);
    }
    return rc;
}

/* --- all of them -------------------------------------------------------- */

int rset_add_properties(struct rset *rs, const char *const *texts, size_t n,
                        struct diag *d)
{
    struct layer *layers = xcalloc(n + 1, sizeof(*layers));
    struct idset **own = xcalloc(n + 1, sizeof(*own));
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        const char *colon = strrchr(texts[i], ':'), *name;
        name = strtab_intern(&rs->names, texts[i],
                             colon ? (size_t)(colon - texts[i])
                                   : strlen(texts[i]));
        rc = property_check(name, d);
        if (rc == 0 && colon)
            rc = read_on(rs, colon + 1, &own[i], d);
        if (rc < 0)
            diag_in(d, "%s", quote(texts[i], strlen(texts[i])).text);
        layers[i].item = name;
        layers[i].ranks = own[i] ? own[i] : rs->ranks;
    }
    if (rc == 0)
        rset_lay_properties(rs, layers, n);
    for (size_t i = 0; i < n; i++)
        idset_destroy(own[i]);
    free(own);
    free(layers);
    return rc;
}
