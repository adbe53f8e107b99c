/*
 * Resources from the table `resource` of a configuration. The scheme of Flux:
 *
 *     config:
 *       - {hosts: "node[0-9]", cores: "0-47", gpus: "0-7"}
 *       - {hosts: "node[0-1]", properties: [login]}
 *     exclude: "node[0-1]"
 *
 * A host gets the resources of all entries that name it. Ranks follow the order
 * in which hosts are first named. `path` is a file with an R; it counts only if
 * there is no config. If there is neither, the resources are those of this
 * machine. `scheduling` is a file with the value of that key.
 *
 * The common scheme is for any hierarchy (RFC 4): pools in pools.
 *
 *     resources:
 *       - type: rack
 *         count: 2
 *         with:
 *           - type: node
 *             count: 16
 *             with: [{type: core, count: 48},
 *                    {type: memory, size: 256, unit: GiB}]
 *       - type: pdu
 *         subsystem: power
 *         with: [{path: /cluster0/rack0}, {path: /cluster0/rack1}]
 *
 * Ids of a type count on within a node, and outside of nodes within the whole
 * set. Nodes have ranks in their order. rset-discover(1) has the rules.
 */
#ifndef SOURCE_CONFIG_H
#define SOURCE_CONFIG_H

#include "model/tree/rset.h"

struct config {
    struct rset *rs;
    struct idset *exclude; /* ranks; NULL: none are */
};

/*
 * Discover this machine. Called for a configuration that has none of config,
 * resources and path. `whole` (norestrict): also take the processors that this
 * process is not bound to. The caller owns the set. Returns NULL with a diag.
 */
typedef struct rset *config_machine(bool whole, struct diag *d);

enum { CONFIG_MAX = 64 << 20 }; /* bytes of a configuration */

/*
 * Read a file, JSON or YAML. Paths in it are relative to its directory.
 * Returns 0, and `out` is for config_fini(); or -1 with a diag that names the
 * file and the place. Unknown keys of the table are notes of the set.
 */
int config_read(const char *file, config_machine *machine, struct config *out,
                struct diag *d);
/* Read a configuration from a text. `file` names it in diags, and paths in it
   are relative to the directory of `file`. Otherwise like config_read(). */
int config_read_text(const char *file, const char *text, size_t len,
                     config_machine *machine, struct config *out,
                     struct diag *d);
void config_fini(struct config *c);

#endif /* SOURCE_CONFIG_H */
