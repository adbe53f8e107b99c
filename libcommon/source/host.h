/* Names of hosts that sources find, checked before they go into a set. */
#ifndef SOURCE_HOST_H
#define SOURCE_HOST_H

#include "base/diag.h"
#include "set/hostlist.h"

/*
 * Can a document hold the name: is it one host of RFC 29 as it stands, and
 * without the '/' that separates names in a path (RFC 20)? Returns 0, or -1
 * with a diag that quotes it.
 */
int host_check(const char *name, struct diag *d);

/* The name of this machine, as the system tells it. 0, or -1 with a diag. */
int host_local(char name[HOSTLIST_NAME_MAX], struct diag *d);

#endif /* SOURCE_HOST_H */
