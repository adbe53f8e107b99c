/*
 * Resources as a configuration has them, in its table `resource`. In the scheme
 * of Flux:
 *
 *     config:
 *       - {hosts: "node[0-9]", cores: "0-47", gpus: "0-7"}
 *       - {hosts: "node[0-1]", properties: [login]}
 *     exclude: "node[0-1]"
 *
 * A host has all that entries which name it say; ranks are in the order in
 * which hosts are named first. Instead of config there may be `path`, a file
 * with an R; `scheduling` is a file with the value of that key.
 *
 * Or in the common scheme for any hierarchy (RFC 4), pools with what they have:
 *
 *     resources:
 *       - type: rack
 *         count: 2
 *         with:
 *           - type: node
 *             count: 16
 *             with: [{type: core, count: 48}, {type: memory, size: 256, unit:
 * GiB}]
 *       - type: pdu
 *         subsystem: power
 *         with: [{path: /cluster0/rack0}, {path: /cluster0/rack1}]
 *
 * Ids count on within a node, and outside of nodes within all; nodes have ranks
 * in their order. rset-discover(1) has the rules.
 */
#ifndef SOURCE_CONFIG_H
#define SOURCE_CONFIG_H

#include "model/tree/rset.h"

struct config {
    struct rset *rs;
    struct idset *exclude; /* ranks; NULL: none are */
};

enum { CONFIG_MAX = 64 << 20 }; /* bytes of one */

/*
 * Read a file, JSON or YAML; paths in it are from where it is. 0, or -1 with a
 * diag that names it and the place. For config_fini() if it was read.
 */
int config_read(const char *file, struct config *out, struct diag *d);
/* The same of what is in a file of this name. */
int config_read_text(const char *file, const char *text, size_t len,
                     struct config *out, struct diag *d);
void config_fini(struct config *c);

/*
 * The set without what is excluded: ranks stay what they were. The set must
 * have no usage.
 */
void config_leave_out(struct config *c);

#endif /* SOURCE_CONFIG_H */
