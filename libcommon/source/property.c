/* Reads properties and adds them to ranks (property.h). */
#include "source/property.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "model/document/execution.h"
#include "model/records/layers.h"

int property_check(const char *name, struct diag *d)
{
    const char *bad = strpbrk(name, PROPERTY_FORBIDDEN);

    if (!*name || *name == '=')
        return diag_set(d, "a property must have a name");
    if (bad)
        return diag_set(d, "'%c' is not allowed in a property", *bad);
    if (!utf8_is(name))
        return diag_set(d, "the name is not UTF-8");
    return 0;
}

int targets_read(const struct rset *rs, const char *text, struct idset **ranks,
                 struct diag *d)
{
    struct hostlist *hosts;
    struct idset *other;
    int rc = idset_decode(text, strlen(text), ranks, d);

    if (rc < 0 && text[strspn(text, "0123456789-,[]")] != '\0') {
        hosts = hostlist_create();
        rc = hostlist_decode(hosts, text, strlen(text), d);
        if (rc == 0)
            rc = hostlist_need(hosts, rs->hosts, d);
        if (rc == 0) {
            other = hostlist_positions(rs->hosts, hosts);
            *ranks = idset_pick(rs->ranks, other);
            idset_destroy(other);
        }
        hostlist_destroy(hosts);
    } else if (rc == 0) {
        other = idset_subtract(*ranks, rs->ranks);
        if (!idset_empty(other))
            rc = diag_set(d, "rank %u is not in the set", idset_first(other));
        idset_destroy(other);
    }
    return rc;
}

int rset_add_properties(struct rset *rs, const char *const *texts, size_t n,
                        struct diag *d)
{
    struct layer *layers = xcalloc(n + 1, sizeof(*layers));
    struct idset **own = xcalloc(n + 1, sizeof(*own));
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        const char *colon = strrchr(texts[i], ':'), *name;
        name = map_intern(&rs->names, texts[i],
                          colon ? (size_t)(colon - texts[i])
                                : strlen(texts[i]));
        rc = property_check(name, d);
        if (rc == 0 && colon)
            rc = targets_read(rs, colon + 1, &own[i], d);
        if (rc < 0)
            diag_in(d, "%s", quote_all(texts[i]).text);
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
