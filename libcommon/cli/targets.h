/* Targets on the command line. */
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

#include "cli/documents.h"
#include "request/constraint.h"

/*
 * Make a constraint that exactly the targets named in `text` satisfy: ranks, if
 * it is an idset; all targets, if it is `all`; hosts, in which `*` and `?`
 * stand for any characters and any character; or, with `places`, places
 * (model/records/path.h), which stand for the targets that they are, lie in, or
 * have in them. `@FILE` reads the names from a file, `-` from standard input; a
 * line break there stands for a comma. Returns NULL with a diag that names the
 * option on a fault, for example if none of the sets has a named rank or host.
 * `sets` NULL: only the text is checked.
 */
struct constraint *cli_targets(const char *text, const char *option,
                               const struct rset_list *sets, bool places,
                               struct diag *d);

/* Return the text of a list on the command line, of @FILE, or of standard input
   (`-`), a new string in which commas stand for line breaks. NULL with a diag.
 */
char *cli_list_text(const char *text, const char *option, struct diag *d);

/* Does the text (NULL: none) name targets on standard input? */
bool cli_targets_read_stdin(const char *text);

#endif /* CLI_TARGETS_H */
