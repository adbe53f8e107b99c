/* Documents on the command line: read operands and standard input, and write
   results in the form of --output. */
#ifndef CLI_DOCUMENTS_H
#define CLI_DOCUMENTS_H

#include <popt.h>

#include "base/near.h"
#include "base/stream.h"
#include "cli/cli.h"
#include "cli/table.h"
#include "model/document/document.h"

/* Options about the output, and these with the options for reading documents,
   to include in a program's table. */
extern const struct cli_option cli_output_options[];
extern const struct cli_option cli_document_options[];
#define CLI_DOCUMENT_OPTIONS \
    CLI_INCLUDE(cli_document_options, 0, "Document options:")
#define CLI_OUTPUT_OPTIONS CLI_INCLUDE(cli_output_options, 0, "Output:")

/* --expand, for a program without an option of this name. */
extern const struct cli_option cli_expand_options[];
#define CLI_EXPAND_OPTIONS(title) CLI_INCLUDE(cli_expand_options, 0, title)

/* Set the form if --output is not given. NULL: the form in which a set was read
   or made. Call before cli_document_check(). */
void cli_default_form(const char *name);

/*
 * Check --output, --dialect and --trust after all options are read. A usage
 * error ends the program. `kind` is the kind of the answer:
 *
 *     SETS    resource sets, in any form
 *     DATA    other data, as JSON
 *     TABLE   a table, or its rows as JSON
 *     CHART   a chart, which may be SVG
 *     FIGURES a table, which may be JSON or SVG
 *     SPOKEN  messages in one dialect
 *     TALK    a conversation, maybe in the dialect that the other side speaks
 *
 * With -o table of sets, `table` has the options of columns (NULL: not given).
 */
enum answer_kind {
    ANSWER_SETS,
    ANSWER_DATA,
    ANSWER_TABLE,
    ANSWER_CHART,
    ANSWER_FIGURES,
    ANSWER_SPOKEN,
    ANSWER_TALK
};
void cli_document_check(enum answer_kind kind,
                        const struct cli_table_options *table);

/* Call `next` with each form that --output can name for this kind of answer. */
void cli_each_form(enum answer_kind kind, word_fn *next, void *arg);

/* --force: allow what is refused because it is likely a mistake. */
extern bool cli_force;

/* --or-empty: if standard input is empty, end with STATUS_NO. */
extern bool cli_or_empty;

/* --trust: the half of an R that counts if its halves disagree. */
enum trust cli_trust(void);

/* --dialect: the edition of the standards that is written or spoken. */
enum dialect cli_dialect(void);
/* Is it `auto`? Only ANSWER_TALK allows this. */
bool cli_dialect_is_auto(void);

/* Was --output given with this name? With "json" answers that are not sets are
   written as JSON. */
bool cli_output_is(const char *form_name);
extern const struct table_column cli_tree_columns[];

/* How much of a new set the chosen form writes: only targets, the contents of
   an R, or everything. */
enum extent { EXTENT_TARGETS, EXTENT_R, EXTENT_GRAPH };
enum extent cli_output_extent(void);

/* Return the operands left in ctx as files, or only "-" if there are none. The
   array ends with NULL; its names are borrowed. */
const char **cli_operands(poptContext ctx);

/* How to read. Partial, fragment: the program handles such graphs itself, and
   they get no warning. Gathered: each line may have a host and its documents.
   One: exactly one document is expected. */
enum { CLI_PARTIAL = 1, CLI_FRAGMENT = 2, CLI_GATHERED = 4, CLI_ONE = 8 };

/* Read a file with exactly one document. Returns a set, or NULL with a diag. */
struct rset *cli_read_set(const char *file, unsigned how, struct diag *d);

/* Is a file standard input: `-`, or another name for it from which bytes can be
   read only once? */
bool cli_is_stdin(const char *file);

/* Note that a word is the name of a file but has another meaning (`as`). If no
   document comes on standard input, the error mentions this. */
void cli_slip(const char *word, const char *as);

/* End with a usage error if one of the documents would come from standard
   input, which the option `name` reads already. */
void cli_check_input(const char *name, const char *const *documents);

/*
 * Read all documents of a file with a function that reads the next one. The
 * function returns 1; 0 at the end; or -1 with a diag. cli_each_document()
 * returns 0, or -1 with a diag, also if there is no document.
 */
typedef int cli_document_fn(struct stream *s, void *arg, struct diag *d);
int cli_each_document(const char *file, cli_document_fn *next, void *arg,
                      struct diag *d);

/* A set with the name of its source for messages: "stdin:2", "a.json". */
struct named_rset {
    struct rset *rs;
    char *name;
};

/*
 * Check the number of parts to be made of a set, such as rows of "a table".
 * Returns -1 with a diag if there are more than 2^24 (rows: 2^22, as JSON
 * 2^20), unless --force is given. Graphs that are read or written are checked
 * in the same way.
 */
enum cli_part {
    PART_VERTEX,
    PART_CELL,
    PART_NODE,
    PART_HOST,
    PART_ROW,
    PART_JSON_ROW
};
int cli_check_parts(const char *form_name, uint64_t n, enum cli_part part,
                    struct diag *d);

/* Check that a set is not too large for a graph. Returns 0, or -1 with a
   diag. */
int cli_check_size(const struct rset *rs, struct diag *d);

/* Sets in the order of the input. */
struct rset_list {
    struct named_rset *list;
    size_t n;
};

/* Read all documents of all files. Ends the program on a fault, or if a file
   has no document. Prints the notes of the sets as warnings. */
struct rset_list cli_read(const char *const *files, unsigned how);
void cli_free(struct rset_list *sets);

/* Leave sets to the system, because the program ends. This is faster than to
   free them. They stay reachable, so that leak checkers report nothing. */
void cli_leave(struct rset_list *sets);

/* Print the notes of a set as warnings about `source` (NULL: without a name),
   and remove them. */
void cli_notes(struct rset *rs, const char *source);

/*
 * Check that the chosen form can hold the resources found for a request. An R
 * without a graph can't hold resources outside of targets. Returns 0, or -1
 * with a diag.
 */
int cli_check_expressible(const struct rset *found, struct diag *d);

/* Is a set written as an R of the current edition without a graph? */
bool cli_drops_records(const struct rset *rs);

/* Write a set to standard output in the chosen form, or back in place. A fault
   ends the program; its message names the set (`name` NULL: not). */
void cli_write(struct rset *rs, const char *name);

/* Write several sets, except NULL ones. Writes all of them or none. */
void cli_write_all(const struct rset_list *sets);

/* Write a set as a document to a file (see beside.h). A fault ends the program;
   its message has the set's `name`. */
void cli_save(struct rset *rs, const char *name, const char *file);

/* Write a value as a line to standard output and release it. */
void cli_write_json(json_t *value);

/*
 * --in-place: let cli_write() replace the first of the files. Locks it until
 * the program ends; beside_keep() replaces it. Ends the program if the file or
 * the form does not allow this. `answers`: --output is the form of answers on
 * standard output, not of the file.
 */
void cli_in_place(const char *const *files, bool answers);

/* Return the text of a set in the chosen form, without its last newline: a new
   string. *json: it is a JSON value. NULL with a diag on a fault. */
char *cli_text(struct rset *rs, bool *json, struct diag *d);

#endif /* CLI_DOCUMENTS_H */
