/*
 * Reads the documents that a command line names, and writes sets in the form of
 * --output (documents.h).
 */
#include "cli/documents.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/near.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/now.h"
#include "cli/progress.h"
#include "model/document/shorthand.h"
#include "model/records/usage.h"
#include "source/slurm.h"
#include "view/subsystem.h"
#include "view/pool_table.h"
#include "view/view.h"

static const char *output_name, *trust_name, *dialect_name;
static struct rset_style style;
bool cli_force;
bool cli_or_empty;
static enum trust trust;
static enum extent extent;

static const char *subsystem;
static struct view view;

typedef int (*view_fn)(struct rset *rs, FILE *fp, struct diag *d);
typedef void (*tree_fn)(struct rset *rs, const struct view *view, FILE *fp);

/* The columns of -o table. */
static struct table_choice choice;

/* The words that --sort takes with -o tree. */
const struct table_column cli_tree_columns[] = {
    [ORDER_NAME - 1] = {"name", CELL_NAME, false},
    [ORDER_ID - 1] = {"id", CELL_NUMBER, false},
    [ORDER_SIZE - 1] = {"size", CELL_NUMBER, false},
    [ORDER_FREE - 1] = {"free", CELL_NUMBER, false},
    {0}};

static void view_table(struct rset *rs, const struct view *how, FILE *fp)
{
    cli_table_print(pool_table(rs, how), &choice, fp);
}

static const struct form {
    const char *name;
    enum rset_form document;
    view_fn view; /* a view; NULL: see tree */
    tree_fn tree; /* a view of a tree of pools; both NULL: a document */
    enum extent extent;
} forms[] = {
    {"r", FORM_R, NULL, NULL, EXTENT_R},
    {"jgf", FORM_JGF, NULL, NULL, EXTENT_GRAPH},
    {"rv1", FORM_RV1, NULL, NULL, EXTENT_GRAPH},
    {"rv1-compact", FORM_RV1_COMPACT, NULL, NULL, EXTENT_GRAPH},
    {"jgf-compact", FORM_JGF_COMPACT, NULL, NULL, EXTENT_GRAPH},
    {"short", FORM_AS_READ, view_short, NULL, EXTENT_R},
    {"tree", FORM_AS_READ, NULL, view_tree, EXTENT_GRAPH},
    {"table", FORM_AS_READ, NULL, view_table, EXTENT_GRAPH},
    {"csv", FORM_AS_READ, NULL, view_table, EXTENT_GRAPH},
    {"dot", FORM_AS_READ, NULL, view_dot, EXTENT_GRAPH},
    {"svg", FORM_AS_READ, NULL, view_svg, EXTENT_GRAPH},
    {"hosts", FORM_AS_READ, view_hosts, NULL, EXTENT_TARGETS},
    {"ranks", FORM_AS_READ, view_ranks, NULL, EXTENT_TARGETS},
};
static const struct form as_read = {"", FORM_AS_READ, NULL, NULL, EXTENT_GRAPH};
static const struct form *form = &as_read;
static const char *in_place; /* NULL: sets go to standard output */

const struct cli_option cli_output_options[] = {
    {"output", 'o', CLI_VARIABLE(output_name), CLI_FORMS,
     "write sets as r, jgf, rv1 (both), rv1-compact, jgf-compact, short, tree, "
     "table, csv, dot, svg, hosts, ranks, or json (as read); tables as csv or "
     "json, other answers as json",
     "FORM"},
    {"subsystem", '\0', CLI_VARIABLE(subsystem), CLI_SETS,
     "with tree, table, dot and svg: show this hierarchy", "SUBSYSTEM"},
    {"dialect", '\0', CLI_VARIABLE(dialect_name), CLI_EDITIONS,
     "write the seed edition of the standards (the default), or current",
     "EDITION"},
    {"shorthand", '\0', CLI_VARIABLE(style.shorthand), CLI_SETS,
     "with rv1-compact and jgf-compact: omit the contents of resources that a "
     "job holds whole"},
    {"force", '\0', CLI_VARIABLE(cli_force), 0,
     "allow a graph, table or map of more vertices, rows or cells than fit in "
     "a few GB"},
    {0}};

const struct cli_option cli_expand_options[] = {
    {"expand", '\0', CLI_VARIABLE(view.expand), CLI_SETS,
     "with tree, dot and svg: draw each resource by itself, not equal ones as "
     "one"},
    {0}};

const struct cli_option cli_document_options[] = {
    CLI_INCLUDE(cli_output_options, 0, NULL),
    {"trust", '\0', CLI_VARIABLE(trust_name), CLI_READS,
     "use the named half of an R whose halves disagree", "execution|graph"},
    {"or-empty", '\0', CLI_VARIABLE(cli_or_empty), CLI_READS,
     "if standard input is empty, exit with 1 (the program before found "
     "nothing), not 2"},
    {0}};

/* Does the chosen form write something other than a document? */
static bool is_view(void)
{
    return form->view || form->tree;
}

static const struct form *find_form(const char *name)
{
    int i = WORD_FIND(forms, name);

    return i < 0 ? NULL : &forms[i];
}

void cli_default_form(const char *name)
{
    form = name ? find_form(name) : &as_read;
}

/* Other names that --output takes for each kind of answer. */
enum { OTHERS = 3 };
static const char *const other_forms[][OTHERS] = {
    [ANSWER_SETS] = {"json"},
    [ANSWER_DATA] = {"json"},
    [ANSWER_TABLE] = {"table", "json", "csv"},
    [ANSWER_CHART] = {"svg"},
    [ANSWER_FIGURES] = {"json", "svg"},
    [ANSWER_SPOKEN] = {"json"},
    [ANSWER_TALK] = {NULL}};

void cli_each_form(enum answer_kind kind, word_fn *next, void *arg)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (kind == ANSWER_SETS)
            next(arg, forms[i].name);
    for (size_t i = 0; i < OTHERS && other_forms[kind][i]; i++)
        next(arg, other_forms[kind][i]);
}

static void check_output(enum answer_kind kind)
{
    const char *const *others = other_forms[kind];
    struct near near = {.word = output_name, .len = strlen(output_name)};

    if (kind == ANSWER_TALK)
        cli_usage("--output: a service writes messages");
    for (size_t i = 0; i < OTHERS && others[i]; i++)
        if (!strcmp(output_name, others[i]))
            return;
    if (kind != ANSWER_SETS)
        cli_usage("--output: this answer is available only as %s%s%s%s%s",
                  others[0], others[2] ? ", " : "", others[2] ? others[2] : "",
                  others[1] ? " or " : "", others[1] ? others[1] : "");
    if ((form = find_form(output_name)))
        return;
    cli_each_form(ANSWER_SETS, near_try, &near);
    cli_usage("--output: there is no form %s%s",
              quote(output_name, near.len).text, near_or_all(&near));
}

enum extent cli_output_extent(void)
{
    return extent;
}

bool cli_output_is(const char *form_name)
{
    return output_name && !strcmp(output_name, form_name);
}

/* Check the options about editions and views, and note them. Only sets have a
   form that is a view or compact. */
static void check_style(enum answer_kind kind,
                        const struct cli_table_options *table)
{
    bool compact = form->document == FORM_RV1_COMPACT
                   || form->document == FORM_JGF_COMPACT;
    int dialect = 0;

    if (style.shorthand && !compact)
        cli_usage("--shorthand needs -o rv1-compact or jgf-compact");
    if (dialect_name
        && (kind == ANSWER_DATA || kind == ANSWER_TABLE || kind == ANSWER_CHART
            || is_view()))
        cli_usage("--dialect: this answer is the same in both");
    if (dialect_name)
        dialect = cli_word("--dialect", dialect_name, "seed", "current",
                           kind == ANSWER_TALK ? "auto" : NULL, NULL);
    if (dialect == 1)
        style.dialect = DIALECT_CURRENT;
    if (form->tree == view_table)
        cli_table_check(table ? table : &(struct cli_table_options){0},
                        pool_columns, false, &choice, NULL);
    if (table && table->sort && form->tree == view_tree) {
        cli_table_check(table, cli_tree_columns, false, &choice, NULL);
        view.order = (enum tree_order)(choice.sort + 1);
        view.descending = choice.descending;
    }
    if (subsystem && !form->tree)
        cli_usage("--subsystem needs -o tree, table, dot or svg");
    if (view.expand && (!form->tree || form->tree == view_table))
        cli_usage("--expand needs -o tree, dot or svg");
    style.chosen = cli_dialect_is_auto() ? NULL : dialect_name;
    style.form = form->document;
}

bool cli_dialect_is_auto(void)
{
    return dialect_name && !strcmp(dialect_name, "auto");
}

enum dialect cli_dialect(void)
{
    return style.dialect;
}

void cli_document_check(enum answer_kind kind,
                        const struct cli_table_options *table)
{
    if (output_name)
        check_output(kind);
    if (cli_quiet && kind == ANSWER_TALK)
        cli_usage("--quiet: a service writes messages");
    check_style(kind, table);
    extent = kind == ANSWER_SETS ? form->extent : EXTENT_GRAPH;
    if (trust_name)
        trust = cli_word("--trust", trust_name, "execution", "graph", NULL,
                         NULL)
                    ? TRUST_GRAPH
                    : TRUST_EXECUTION;
}

enum trust cli_trust(void)
{
    return trust;
}

const char **cli_operands(poptContext ctx)
{
    static const char *standard_input[] = {"-", NULL};
    const char **args = poptGetArgs(ctx);

    return args && args[0] ? args : standard_input;
}

bool cli_is_stdin(const char *file)
{
    static const char *const names[] = {"-", "/dev/stdin", "/dev/fd/0",
                                        "/proc/self/fd/0"};
    struct stat a, b;

    return WORD_FIND(names, file) >= 0
           || (stat(file, &a) == 0 && fstat(STDIN_FILENO, &b) == 0
               && S_ISFIFO(a.st_mode) && a.st_dev == b.st_dev
               && a.st_ino == b.st_ino);
}

void cli_check_input(const char *name, const char *const *documents)
{
    for (; *documents; documents++)
        if (cli_is_stdin(*documents))
            cli_usage("%s -: the document needs a file of its own", name);
}

void cli_notes(struct rset *rs, const char *source)
{
    for (size_t i = 0; i < rs->nnotes; i++) {
        if (source)
            cli_warn("warning: %s: %s", source, rs->notes[i]);
        else
            cli_warn("warning: %s", rs->notes[i]);
        free(rs->notes[i]);
    }
    rs->nnotes = 0;
}

void cli_free(struct rset_list *sets)
{
    for (size_t i = 0; i < sets->n; i++) {
        rset_destroy(sets->list[i].rs);
        free(sets->list[i].name);
    }
    free(sets->list);
    *sets = (struct rset_list){0};
}

void cli_leave(struct rset_list *sets)
{
    static struct rset_list left __attribute__((used));

    left = *sets;
    (void)left;
    *sets = (struct rset_list){0};
}

/* Added to the error about an empty standard input (cli_slip). */
static char slip[320];

void cli_slip(const char *word, const char *as)
{
    snprintf(slip, sizeof(slip), "; %s is a file, but stands for %s",
             quote_all(word).text, as);
}

int cli_each_document(const char *file, cli_document_fn *next, void *arg,
                      struct diag *d)
{
    struct stream *s;
    size_t n = 0;
    int rc = -1;

    if (!strcmp(file, "-") && isatty(STDIN_FILENO) && !cli_quiet)
        cli_warn("reading a set from the terminal: end it with Ctrl-D, or name "
                 "a file");
    progress_read(file);
    if ((s = stream_open(file, d)))
        progress_count(stream_count(s));
    while (s && (rc = next(s, arg, d)) == 1)
        n++;
    if (rc == 0 && n == 0) {
        if (cli_or_empty && cli_is_stdin(file)) {
            cli_warn(
                "stdin: no document came: the program before found nothing");
            cli_exit(STATUS_NO);
        }
        rc = diag_set(d, "empty input: expected a document%s",
                      cli_is_stdin(file) ? slip : "");
        stream_fault(s, d);
    }
    progress_end();
    stream_close(s);
    return rc;
}

/* The names of parts, and the most that are made without --force, since more
   are likely a mistake. A table with the most rows takes 2 GB, a row as JSON
   2 kB. */
static const struct {
    const char *words;
    int most;
} part_limits[] = {
    [PART_VERTEX] = {"vertices", 1 << 24},
    [PART_CELL] = {"cells", 1 << 24},
    [PART_NODE] = {"nodes", 1 << 24},
    [PART_HOST] = {"hosts", 1 << 24},
    [PART_ROW] = {"rows", 1 << 22},
    [PART_JSON_ROW] = {"rows as JSON", 1 << 20},
};

int cli_check_parts(const char *form_name, uint64_t n, enum cli_part part,
                    struct diag *d)
{
    int most = part_limits[part].most;

    if (cli_force || n <= (uint64_t)most)
        return 0;
    return diag_set(d, "%s of %llu %s: more than %d need --force", form_name,
                    (unsigned long long)n, part_limits[part].words, most);
}

int cli_check_size(const struct rset *rs, struct diag *d)
{
    return cli_check_parts("a graph", rset_pools(rs), PART_VERTEX, d);
}

/* Make a set of the listings of Slurm in a stream, as if rset-discover had
   written it. Sets the name of the source. */
static int read_slurm(struct stream *s, struct rset **out, struct diag *name,
                      struct diag *d)
{
    const struct slurm_options opts = {.now = cli_clock(&(bool){false})};
    struct rset *rs;

    if (in_place)
        return diag_set(d,
                        "--in-place: %s is from Slurm: write the set to "
                        "another file",
                        in_place);
    stream_fault(s, name);
    if (!(rs = rset_from_slurm_stream(s, &opts, d)))
        return -1;
    cli_warn("warning: %s: this is from Slurm, and is read as rset-discover "
             "--from slurm does",
             name->source);
    cli_notes(rs, NULL);
    *out = rset_in_style(rs, &(struct rset_style){0}, name->source, d);
    rset_destroy(rs);
    return *out ? 1 : -1;
}

/* The sets that were read so far. */
struct reading {
    struct rset_list sets;
    unsigned expected; /* CLI_PARTIAL and others */
};

static int read_document(struct stream *s, void *arg, struct diag *d)
{
    struct reading *r = arg;
    struct diag name = {0};
    const char *note;
    struct rset *rs;
    int rc;

    if (stream_is_slurm(s)) {
        rc = read_slurm(s, &rs, &name, d);
    } else {
        rc = rset_read(s, trust, &rs, d);
        stream_fault(s, &name);
    }
    if (rc <= 0)
        return rc;
    if (rs->usage)
        usage_expect(rs->usage, cli_clock(&(bool){false}));
    cli_notes(rs, name.source);
    if (rs->shorthand && !(r->expected & CLI_PARTIAL)
        && (note = rset_partial_note(rs)))
        cli_warn("warning: %s: %s", name.source, note);
    if (rs->above && !(r->expected & CLI_FRAGMENT))
        cli_warn(
            "warning: %s: the graph is a fragment: its paths leave out %s, "
            "in which it lies",
            name.source, quote_all(rs->above).text);
    VECTOR_ADD(r->sets.list, r->sets.n,
               (struct named_rset){rs, xstrdup(name.source)});
    if (!rset_has_graph(rs) || cli_check_size(rs, d) == 0)
        return 1;
    return stream_fault(s, d);
}

/* Read the next document, or all documents in the line of a host. */
static int read_gathered(struct stream *s, void *arg, struct diag *d)
{
    struct stream *line;
    int rc = stream_gathered(s, &line, d), n = 0;

    if (rc <= 0)
        return rc < 0 ? -1 : read_document(s, arg, d);
    while ((rc = read_document(line, arg, d)) > 0)
        n++;
    if (rc == 0 && n == 0) {
        diag_set(d, "an empty line: expected a document");
        rc = stream_fault(line, d);
    }
    stream_close(line);
    return rc < 0 ? -1 : 1;
}

static int read_files(const char *const *files, unsigned how,
                      struct rset_list *sets, struct diag *d)
{
    cli_document_fn *next = how & CLI_GATHERED ? read_gathered : read_document;
    struct reading r = {.expected = how};
    int rc = 0;

    for (size_t i = 0; files[i] && rc == 0; i++)
        rc = cli_each_document(files[i], next, &r, d);
    if (rc == 0 && how & CLI_ONE && r.sets.n != 1)
        rc = diag_set(d, "%s: one document is expected, there are %zu",
                      strcmp(files[0], "-") ? files[0] : "stdin", r.sets.n);
    if (rc < 0)
        cli_free(&r.sets);
    *sets = r.sets;
    return rc;
}

struct rset_list cli_read(const char *const *files, unsigned how)
{
    struct rset_list sets;
    struct diag d = {0};

    if (read_files(files, how, &sets, &d) < 0)
        cli_die_diag(&d);
    return sets;
}

struct rset *cli_read_set(const char *file, unsigned how, struct diag *d)
{
    const char *files[] = {file, NULL};
    struct rset_list sets;
    struct rset *rs;

    if (read_files(files, how | CLI_ONE, &sets, d) < 0)
        return NULL;
    rs = sets.list[0].rs;
    sets.list[0].rs = NULL;
    cli_free(&sets);
    return rs;
}

static bool writes_graph(const struct rset *rs)
{
    return form->document == FORM_AS_READ ? rset_has_graph(rs)
                                          : form->document != FORM_R;
}

bool cli_drops_records(const struct rset *rs)
{
    return style.dialect == DIALECT_CURRENT && !is_view() && !writes_graph(rs);
}

/* Write a set as a view. */
static int show_to(struct rset *rs, FILE *fp, struct diag *d)
{
    struct rset *only = NULL;
    int rc = 0;

    if (form->view)
        return form->view(rs, fp, d);
    if (view.expand && cli_check_size(rs, d) < 0)
        return -1;
    view.now = cli_clock(&(bool){false});
    if (subsystem && !(only = rset_subsystem(rs, subsystem, d)))
        return -1;
    if (form->tree == view_table)
        rc = cli_check_parts("a table", rset_pools(only ? only : rs), PART_ROW,
                             d);
    if (rc == 0)
        form->tree(only ? only : rs, &view, fp);
    rset_destroy(only);
    return rc;
}

/* Write a set in the chosen form, or (`document`) always as a document. */
static int write_to(struct rset *rs, bool document, FILE *fp, struct diag *d)
{
    struct stat st;
    int rc;

    /* no progress if the output may be shown on the terminal */
    if (fp != stdout || (fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode)))
        progress_begin("writing", NULL);
    if (is_view() && !document)
        rc = show_to(rs, fp, d);
    else if (writes_graph(rs) && cli_check_size(rs, d) < 0)
        rc = -1;
    else
        rc = rset_write_as(rs, &style, fp, d);
    progress_end();
    return rc;
}

int cli_check_expressible(const struct rset *found, struct diag *d)
{
    if (is_view() || writes_graph(found)
        || (found->ranks && !idset_empty(found->ranks)))
        return 0;
    return diag_set(d, "an R without a graph can't hold the selection: it is "
                       "on no execution target");
}

static char *make_text(struct rset *rs, bool document, struct diag *d)
{
    char *text;
    FILE *fp = memory_open(&text, NULL);
    int rc = write_to(rs, document, fp, d);

    return memory_take(fp, &text, rc == 0);
}

char *cli_text(struct rset *rs, bool *json, struct diag *d)
{
    char *text = make_text(rs, false, d),
         *end = text ? strchr(text, '\0') : NULL;

    *json = !is_view();
    if (text && end > text && end[-1] == '\n')
        end[-1] = '\0';
    return text;
}

void cli_save(struct rset *rs, const char *name, const char *file)
{
    struct diag d = {0};
    char *text = make_text(rs, true, &d);

    if (!text)
        cli_die_in(&d, name);
    beside_write(file, text);
    cli_notes(rs, NULL);
    free(text);
}

void cli_write_json(json_t *value)
{
    json_write(stdout, value);
    putchar('\n');
    json_decref(value);
}

void cli_in_place(const char *const *files, bool answers)
{
    if (cli_is_stdin(files[0]) || beside_is_stdio(files[0]))
        cli_usage("--in-place: a file is expected, not standard input or "
                  "output");
    if (is_view() && !answers)
        cli_usage("--in-place: -o %s does not write a document", form->name);
    beside_lock(files[0]);
    in_place = files[0];
}

void cli_write(struct rset *rs, const char *name)
{
    struct diag d = {0};

    if (in_place) {
        cli_save(rs, name, in_place);
        return;
    }
    if (write_to(rs, false, stdout, &d) < 0)
        cli_die_in(&d, name);
    cli_notes(rs, name);
}

void cli_write_all(const struct rset_list *sets)
{
    char **texts = xcalloc(sets->n, sizeof(*texts));
    struct diag d = {0};
    size_t n = 0;

    for (size_t i = 0; i < sets->n; i++)
        n += sets->list[i].rs != NULL;
    if (n > 1 && form->tree == view_svg)
        cli_die("-o svg draws one set, there are %zu", n);

    for (size_t i = 0; i < sets->n; i++) {
        const struct named_rset *set = &sets->list[i];
        if (set->rs && (form == &as_read || sets->n < 2)) /* write at once */
            cli_write(set->rs, set->name);
        else if (set->rs && !(texts[i] = make_text(set->rs, false, &d)))
            cli_die_in(&d, set->name);
    }
    for (size_t i = 0; i < sets->n; i++) {
        if (!texts[i])
            continue;
        fputs(texts[i], stdout);
        cli_notes(sets->list[i].rs, sets->list[i].name);
        free(texts[i]);
    }
    free(texts);
}
