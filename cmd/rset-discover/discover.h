/* The parts of rset-discover beside main. */
#ifndef RSET_DISCOVER_DISCOVER_H
#define RSET_DISCOVER_DISCOVER_H

#include "cli/cli.h"
#include "source/config.h"

/* Kinds of options (cli.h) that not all of its commands take. */
enum {
    OF_SETS = CLI_OWN_KINDS, /* times of the set that is written */
    OF_MACHINES = CLI_OWN_KINDS << 1,
    OF_EXPLAINED = CLI_OWN_KINDS << 2, /* for machines and --from */
    OF_SOURCES = CLI_OWN_KINDS << 3,
};

/*
 * Options that name a source (groups.c), and options about reading machines.
 * groups_note() notes an option of the first kind and takes over its text;
 * their order matters. source_option() returns one of them that was given, as
 * "--name", or NULL.
 */
extern const struct cli_option source_options[], machine_options[];
void groups_note(int option, char *text);
void groups_check(void);
const char *source_option(void);
/* Is the source only this machine, or one --xml, without any further option? */
bool groups_are_machine(void);
bool groups_have_machine(void); /* valid after groups_check() */
void groups_free(void);

/* Return the function for lines of --explain; NULL if it was not given. */
void (*groups_explain(void))(const char *line);

/* Make one set of all groups, or of this machine if there is none. Returns NULL
   with a diag on a fault. */
struct rset *groups_discover(struct diag *d);

/* Name nodes by --name, after properties are set. Returns 0, or -1 with a
   diag. */
int groups_name(struct rset *rs, struct diag *d);

/* Do the groups have resources that an R can't list? */
bool groups_need_graph(void);

/*
 * Give a set the rank of --rank, or of a launcher (launcher.c) if the set is
 * that of a `machine`. Under Slurm also set the host, which may have a name of
 * its own there. A fault ends the program.
 */
extern const struct cli_option launcher_options[];
void launcher_place(struct rset *rs, bool machine);

/* Return the variable with the rank that a launcher gave this process. It may
   have bound it to some cores. NULL: no launcher started it. */
const char *launcher_variable(void);

extern const char *config_file; /* value of --config; NULL: not given */
extern bool no_restrict;        /* value of --no-restrict, or as if it was */

/* Read this machine, for a configuration without resources (config.h). */
struct rset *config_discover(bool all, struct diag *d);

/* Options of serve (serve.c). */
extern const struct cli_option service_options[];

/*
 * Read the configuration at the start of standard input (config_read()). It is
 * the first line if that is a JSON object. Otherwise it ends before a line
 * `...`, the end of a YAML document.
 */
int serve_config(struct config *config, struct diag *d);

/* Read the document of --resources. Returns NULL if it is not given. A usage
   error ends the program. */
struct rset *serve_resources(void);

/* Serve a set on standard input and output to the end, with a group of the
   excluded ranks (NULL: none). Returns the status. */
int serve(struct rset *rs, const struct idset *exclude);

/*
 * Run hwloc in a child (apart.c). Returns NULL in the child, which must write
 * its document to standard output and end. Returns the document in the parent,
 * if the child succeeded; otherwise the program ends.
 */
const char *apart_run(size_t *len);

#endif /* RSET_DISCOVER_DISCOVER_H */
