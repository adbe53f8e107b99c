/*
 * What words can be completed to in programs that read resource sets
 * (complete.h): forms, states, types, policies; and of the set that the line
 * names its jobs, hosts and properties.
 */
#ifndef CLI_OFFERS_H
#define CLI_OFFERS_H

#include "cli/complete.h"
#include "cli/documents.h"
#include "view/table.h"

/* The set that the line names, which lasts as long as the program; or NULL. */
struct rset *offer_set(const struct complete *c);

/* Offer the columns of a table (NULL: there is none). */
void offer_columns(struct complete *c, const struct table_column *columns);

/* Offer what a placeholder stands for, in an answer of this kind. */
void offer_of_sets(struct complete *c, const char *placeholder,
                   enum answer_kind answer);

#endif /* CLI_OFFERS_H */
