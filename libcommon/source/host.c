/* Finds the name of this host, and checks names (host.h). */
#include "source/host.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Does reading the name as a hostlist give just the name? */
static int decodes_to_itself(const char *name, struct diag *d)
{
    struct hostlist *hl = hostlist_create();
    char first[HOSTLIST_NAME_MAX];
    int rc = 0;

    if (hostlist_decode(hl, name, strlen(name), d) < 0)
        rc = -1;
    else if (hostlist_count(hl) != 1
             || hostlist_nth(hl, 0, first, sizeof(first)) < 0
             || strcmp(first, name))
        rc = diag_set(d, "%s is not the name of a host",
                      quote(name, strlen(name)).text);
    hostlist_destroy(hl);
    return rc;
}

int host_check(const char *name, struct diag *d)
{
    if (strchr(name, '/'))
        return diag_set(d, "%s: '/' is not allowed in the name of a host",
                        quote(name, strlen(name)).text);
    return decodes_to_itself(name, d);
}

int host_local(char name[HOSTLIST_NAME_MAX], struct diag *d)
{
    if (gethostname(name, HOSTLIST_NAME_MAX) < 0)
        return diag_set(d, "the name of this host: %s", strerror(errno));
    name[HOSTLIST_NAME_MAX - 1] = '\0';
    return host_check(name, d);
}
