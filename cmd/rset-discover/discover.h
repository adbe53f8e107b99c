/* The commands of rset-discover beside making a set. */
#ifndef RSET_DISCOVER_DISCOVER_H
#define RSET_DISCOVER_DISCOVER_H

#include <popt.h>

#include "model/tree/rset.h"

/* Options of commands (serve.c, translate.c), and which one of them was given;
   NULL: none. */
extern struct poptOption service_options[], translate_options[];
const char *service_option_given(void);
const char *translate_option_given(void);

/*
 * Read what is to be served, where that is a document or a configuration; NULL:
 * it is a source. A usage error ends the program.
 */
struct rset *serve_resources(void);

/* Serve a set on standard input and output, until its end: the status. */
int serve(struct rset *rs);

/* Translate lines between the editions (translate.c): the status. */
int translate(void);

#endif /* RSET_DISCOVER_DISCOVER_H */
