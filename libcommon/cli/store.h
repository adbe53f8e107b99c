/* --store on the command line: a durable store instead of a document. */
#ifndef CLI_STORE_H
#define CLI_STORE_H

#include <popt.h>

#include "cli/documents.h"
#include "store/store.h"

/* The file of --store, and the number of --keep-history; NULL: not given. */
extern const char *cli_store, *cli_keep_history;

/* For the table of a program that only reads stores, or also writes to them. */
extern struct poptOption cli_store_read_options[], cli_store_options[];
#define CLI_STORE_READ_OPTIONS \
    CLI_INCLUDE(cli_store_read_options, CLI_APART, "Store:")
#define CLI_STORE_OPTIONS CLI_INCLUDE(cli_store_options, CLI_APART, "Store:")

/*
 * If one of these was given: --keep-history needs --store, and with --store no
 * document is read (`files` NULL: one may be). A usage error ends the program.
 */
void cli_store_check(const char *const *files);

/*
 * How it is opened and made, with a handler that ends the program; before it
 * does, it calls this function (NULL: none).
 */
extern void (*cli_store_failed)(const struct diag *d);
const struct store_options *cli_store_how(void);

/* Open the store of --store, or make it of a set; trouble ends the program. */
struct store *cli_store_open(enum store_mode mode);
void cli_store_create(struct rset *rs);

/* Its set, as documents are read. */
struct rset_list cli_store_read(struct store *s);

/*
 * Open it and read its set, in `pieces` at a time (store.h), also for what is
 * `later` than now, or all of it: who does not write has read it then.
 */
struct rset_list cli_store_begin(struct store **s, enum store_mode mode,
                                 bool pieces, bool later, double now);

#endif /* CLI_STORE_H */
