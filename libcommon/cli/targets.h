/* Targets on the command line: an idset of ranks, or a hostlist. */
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

#include "cli/documents.h"
#include "request/constraint.h"

/*
 * Make the constraint that only the targets named in `text` satisfy. Text that
 * is an idset names ranks, `all` all targets, other text hosts; `@FILE` is
 * what a file has, `-` what is on standard input, and a line break stands for
 * a comma. Returns NULL with a diag that names the option on a fault: as one, a
 * rank or host that is in none of the sets. Without sets (NULL) the text alone
 * is checked.
 */
struct constraint *cli_targets(const char *text, const char *option,
                               const struct rset_list *sets, struct diag *d);

/* Does the text (NULL: none) say that they are on standard input? */
bool cli_targets_read_stdin(const char *text);

#endif /* CLI_TARGETS_H */
