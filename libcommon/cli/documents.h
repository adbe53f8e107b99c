/*
 * Documents on the command line: reading operands and standard input, and
 * writing what came of it in the form that --output names.
 *
 * All input is read before anything is written, so that a truncated stream
 * never looks like a shorter answer.
 */
#ifndef CLI_DOCUMENTS_H
#define CLI_DOCUMENTS_H

#include <popt.h>

#include "base/near.h"
#include "base/stream.h"
#include "cli/cli.h"
#include "cli/table.h"
#include "model/document/document.h"

/*
 * --output and what goes with it, and these with --trust for a program that
 * reads documents, for inclusion in its table.
 */
extern struct poptOption cli_output_options[];
extern struct poptOption cli_document_options[];
#define CLI_DOCUMENT_OPTIONS \
    CLI_INCLUDE(cli_document_options, CLI_APART, "Document options:")
#define CLI_OUTPUT_OPTIONS CLI_INCLUDE(cli_output_options, CLI_APART, "Output:")

/* --expand, for a program that has no other one. */
extern struct poptOption cli_expand_options[];
#define CLI_EXPAND_OPTIONS(title) \
    CLI_INCLUDE(cli_expand_options, CLI_APART, title)

/*
 * The form to write when --output is not given, NULL: that in which a set was
 * read or made; call before cli_document_check().
 */
void cli_default_form(const char *name);

/*
 * Check --output and --trust when options are read; a usage error ends. The
 * answer is resource sets, or other data, for which the form is `json`: a
 * table, which has that name as well; a chart, which may be `svg`; or what is
 * spoken, in a dialect, or, in a conversation, in the one that the other side
 * speaks. With -o table the columns are those of `table` (NULL: not given).
 */
enum answer_kind {
    ANSWER_SETS,
    ANSWER_DATA,
    ANSWER_TABLE,
    ANSWER_CHART,
    ANSWER_SPOKEN,
    ANSWER_TALK
};
void cli_document_check(enum answer_kind kind,
                        const struct cli_table_options *table);

/* Each form that --output can name where the answer is of this kind. */
void cli_each_form(enum answer_kind kind, word_fn *next, void *arg);

/* --or-empty: an empty standard input ends the program with a no. */
extern bool cli_or_empty;

/* Which of the halves is trusted where they disagree? */
enum trust cli_trust(void);

/* The edition of the standards that is written or spoken: --dialect. */
enum dialect cli_dialect(void);
/* It is `auto`, which only ANSWER_TALK allows. */
bool cli_dialect_is_auto(void);

/*
 * Partial graphs are made whole by the program, or fragments are put where they
 * belong: no warning of them. Documents may be gathered: a line each, with the
 * host before it.
 */
struct cli_expected {
    bool partial, fragment, gathered;
};
extern struct cli_expected cli_expected;

/* Was -o json given? What is no set is to be answered as data, then. */
bool cli_output_json(void);
/* Is the chart to be given as SVG? */
bool cli_output_svg(void);
bool cli_output_table(void);

/* How much of a set made anew is written: targets alone, what an R says, all.
 */
enum extent { EXTENT_TARGETS, EXTENT_R, EXTENT_GRAPH };
enum extent cli_output_extent(void);

/*
 * The operands that are left in ctx, as files; "-" alone if there are none.
 * Returns a terminated array of borrowed names.
 */
const char **cli_operands(poptContext ctx);

/* The set of the one document of a file; NULL with a diag. */
struct rset *cli_read_set(const char *file, struct diag *d);

/*
 * Is a file standard input: `-`, or another name for what can be read only
 * once?
 */
bool cli_is_stdin(const char *file);

/* A word of the command line is a file, but stands for something else: what is
   told if no document comes on standard input. */
void cli_slip(const char *word, const char *as);

/*
 * A usage error ends the program if one of the documents would come from
 * standard input, and what `name` names does (NULL: nothing).
 */
void cli_check_input(const char *name, const char *const *documents);

/*
 * All documents of a file, by a function that takes the next one of a stream:
 * 1; 0 at the end; or -1 with a diag. Returns 0, or -1 with a diag, also when
 * there is no document.
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
 * What is made of a set, "a table" of n "rows": more of them than anybody wants
 * are a fault, -1 with a diag, unless --force is given. The graphs that are
 * read and written are checked, too.
 */
int cli_check_parts(const char *form_name, uint64_t n, const char *parts,
                    struct diag *d);

/* The same of a set that is to be made a graph: ends the program. */
void cli_check_size(const struct named_rset *set);

/* Sets in the order of the input. */
struct rset_list {
    struct named_rset *list;
    size_t n;
};

/*
 * Read all documents of all files; the program ends on a fault, and when
 * there is no document in a file. Notes of the sets are printed as warnings.
 */
struct rset_list cli_read(const char *const *files);
void cli_free(struct rset_list *sets);

/*
 * The program ends: the sets are not freed piece by piece but left to the
 * system, which takes memory back as a whole. They stay reachable, so that
 * none of it is a leak to those who look for them.
 */
void cli_leave(struct rset_list *sets);

/* The same for what must be exactly one document. */
struct rset_list cli_read_one(const char *const *files);

/*
 * Print the notes that a set has gathered as warnings, of a source (NULL: it is
 * not named), and forget them.
 */
void cli_notes(struct rset *rs, const char *source);

/*
 * Can the chosen form say what was found for a request? An R without a graph
 * says nothing of what is on no target, and would be the R of nothing.
 * Returns 0, or -1 with a diag.
 */
int cli_check_said(const struct rset *found, struct diag *d);

/* Is a set written as an R of the current edition without a graph? */
bool cli_drops_records(const struct rset *rs);

/*
 * Write a set to standard output in the chosen form, or back in place; a
 * fault ends the program, told with the set's `name` (NULL: none).
 */
void cli_write(struct rset *rs, const char *name);

/* The same of several, but for those that are NULL: of all, or of none. */
void cli_write_all(const struct rset_list *sets);

/*
 * Write a set to a file in the form of a document (see beside.h); a fault
 * ends the program, told with the set's `name`.
 */
void cli_save(struct rset *rs, const char *name, const char *file);

/* Write a value to standard output, as a line, and let go of it. */
void cli_write_json(json_t *value);

/*
 * --in-place: what cli_write() writes goes back into the first of the files,
 * which is locked from now on until the program ends, and replaced by
 * beside_keep(). A file or a form that is not for that ends the program; with
 * `answers` the form is that of answers on standard output.
 */
void cli_in_place(const char *const *files, bool answers);

/*
 * The text of a set in the chosen form, without the newline at its end: a
 * new string for free(); *json says whether it is a JSON value. NULL with a
 * diag.
 */
char *cli_text(struct rset *rs, bool *json, struct diag *d);

#endif /* CLI_DOCUMENTS_H */
