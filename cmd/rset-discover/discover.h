/* The parts of rset-discover beside main. */
#ifndef RSET_DISCOVER_DISCOVER_H
#define RSET_DISCOVER_DISCOVER_H

#include <popt.h>

#include "cli/cli.h"

/* Kinds of options (cli.h) that not all of its commands take. */
enum {
    OF_SETS = CLI_OWN_KINDS, /* that are written: their times */
    OF_MACHINES = CLI_OWN_KINDS << 1,
    OF_EXPLAINED = CLI_OWN_KINDS << 2, /* machines, and --from */
};

/*
 * Options that name a source (groups.c), of which each is noted as it comes, in
 * its order, and its text taken over; and how machines are looked at. Which
 * one of the first was given, as "--name"; NULL: none.
 */
enum { OPT_SOURCE = CLI_OWN_KINDS << 8 };
extern struct poptOption source_options[], machine_options[];
void groups_note(int option, char *text);
void groups_check(void);
const char *source_given(void);
/* Is it this machine, or that of one --xml, of which nothing else is said? */
bool groups_are_machine(void);
bool groups_have_machine(void); /* when they are checked */
void groups_free(void);

/* Gets each line of --explain; NULL: it was not given. */
void (*groups_explain(void))(const char *line);

/* All groups in one set, without one this machine; NULL with a diag. */
struct rset *groups_discover(struct diag *d);

/* Their nodes get the names of --name, when properties are there. */
int groups_name(struct rset *rs, struct diag *d);

/* Look at machines as with --no-restrict. */
void groups_whole(void);

/* Do they say what an R does not? */
bool groups_need_graph(void);

/*
 * The rank that a launcher (launcher.c), or --rank, gives to a set, which is
 * that of a machine or isn't; and the host, where Slurm has a name of its own
 * for it. A fault ends the program.
 */
extern struct poptOption launcher_options[];
void launcher_place(struct rset *rs, bool machine);

/* Did a launcher, which may have bound it, start this process? */
bool launcher_is_there(void);

extern const char *config_file; /* of --config; NULL: it was not given */

/* This machine, for a configuration that names no resources (config.h). */
struct rset *config_discover(bool all, struct diag *d);

/* Options of serve (serve.c). */
extern struct poptOption service_options[];

/*
 * Read what is to be served, where that is a document or a configuration; NULL:
 * it is a source. A usage error ends the program.
 */
struct rset *serve_resources(void);

/* Serve a set on standard input and output, until its end: the status. */
int serve(struct rset *rs);

/*
 * What hwloc sees is found out by a child (apart.c). Returns NULL in the child,
 * which is to write its document to standard output and to end; and in the
 * parent, if that went well, the document. Otherwise the program ends.
 */
const char *apart_run(size_t *len);

#endif /* RSET_DISCOVER_DISCOVER_H */
