/* --store on the command line: a durable store instead of a document. */
#ifndef CLI_STORE_H
#define CLI_STORE_H

#include <popt.h>

#include "cli/documents.h"
#include "store/store.h"

/* The values of --store and --keep-history; NULL: not given. */
extern const char *cli_store, *cli_keep_history;

/* Options for a program that only reads stores, or also writes to them. */
extern const struct cli_option cli_store_read_options[], cli_store_options[];
#define CLI_STORE_READ_OPTIONS CLI_INCLUDE(cli_store_read_options, 0, "Store:")
#define CLI_STORE_OPTIONS CLI_INCLUDE(cli_store_options, 0, "Store:")

/*
 * Check these options: --keep-history needs --store, and with --store no
 * document is read. `files` NULL: documents are allowed. A usage error ends the
 * program.
 */
void cli_store_check(const char *const *files);

/*
 * For people at a terminal, RSET_SET names the set to read if no other is
 * named. cli_set_operands() returns the documents like cli_operands(), or that
 * one; cli_default_store() sets `cli_store` if it is a store, and returns
 * whether it is. Both do nothing if standard input is no terminal.
 */
const char **cli_set_operands(poptContext ctx);
bool cli_default_store(void);

/* Return the options for opening and creating the store. Its errors end the
   program, after a call of cli_store_failed (NULL: none). */
extern void (*cli_store_failed)(const struct diag *d);
const struct store_options *cli_store_how(void);

/* Open the store of --store. An error ends the program. */
struct store *cli_store_open(enum store_mode mode);

/* Read its set as a list of one. */
struct rset_list cli_store_read(struct store *s);

/* For completion: read the set of a store (struct cli, store_set). */
struct rset *cli_store_offer(const char *path);

/*
 * Open the store and read its set. `pieces`: read only parts, when they are
 * needed (store.h); `later`: for times after now too. Otherwise read all of it
 * at once; a store opened for reading is not read again.
 */
struct rset_list cli_store_begin(struct store **s, enum store_mode mode,
                                 bool pieces, bool later, double now);

#endif /* CLI_STORE_H */
