/*
 * Completions in programs that read resource sets (complete.h): forms, states,
 * types, policies, and the jobs, hosts and properties of the set that the line
 * names.
 */
#ifndef CLI_OFFERS_H
#define CLI_OFFERS_H

#include "cli/complete.h"
#include "cli/documents.h"
#include "view/table.h"

/* Return the set that the line names, or NULL. It is never freed. */
struct rset *offer_set(const struct complete *c);

/* Offer the columns of a table (NULL: there is none). */
void offer_columns(struct complete *c, const struct table_column *columns);

/* Offer the words that a placeholder stands for, for an answer of this kind. */
void offer_of_sets(struct complete *c, const char *placeholder,
                   enum answer_kind answer);

/* The `offer` (cli.h) of programs whose answers are sets. */
void offer_for_sets(struct complete *c, const char *placeholder);

#endif /* CLI_OFFERS_H */
