/* rset-match --count: how many there are of the types of a list. */
#ifndef RSET_MATCH_COUNTS_H
#define RSET_MATCH_COUNTS_H

#include "cli/documents.h"

/*
 * A type that none of the sets has, and that is none of the usual ones, is a
 * slip of this option: ends the program.
 */
void counts_check(const char *option, const char *list,
                  const struct rset_list *sets);

/*
 * One line: the numbers of all types, in the order in which they were asked;
 * with --output=json an object of them.
 */
void counts_print(const char *list, const struct rset *rs);

#endif /* RSET_MATCH_COUNTS_H */
