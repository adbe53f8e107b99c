/* Options of a store, and opening it (store.h). */
#include "cli/store.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "base/digits.h"

const char *cli_store;
const char *cli_keep_history;

const struct cli_option cli_store_read_options[] = {
    {"store", '\0', CLI_VARIABLE(cli_store), 0,
     "read a store instead of a document", "FILE"},
    CLI_WAIT_OPTION("with --store"),
    {0}};

const struct cli_option cli_store_options[] = {
    {"store", '\0', CLI_VARIABLE(cli_store), 0,
     "work on a store instead of a document", "FILE"},
    CLI_WAIT_OPTION("with --store or --in-place"),
    {"keep-history", '\0', CLI_VARIABLE(cli_keep_history), 0,
     "with --store: keep the history of N operations (default: 1000000)", "N"},
    {0}};

static struct store_options options = {.keep = STORE_KEEP};

void cli_store_check(const char *const *files)
{
    if (!cli_store && cli_keep_history)
        cli_usage("--keep-history needs --store");
    if (cli_store && !*cli_store)
        cli_usage("--store: a file is expected");
    if (cli_keep_history
        && (!text_is_number(cli_keep_history, &options.keep)
            || options.keep > INT64_MAX))
        cli_usage("--keep-history: %s is not a number of operations",
                  quote_all(cli_keep_history).text);
    if (cli_store && files && (cli_trust() != TRUST_NONE || cli_or_empty))
        cli_usage("%s: with --store no document is read",
                  cli_or_empty ? "--or-empty" : "--trust");
    if (cli_store && files && strcmp(files[0], "-") != 0)
        cli_usage("%s: with --store no document is read",
                  quote_all(files[0]).text);
}

/* Return what RSET_SET names, if it counts. */
static const char *default_set(void)
{
    const char *name = getenv("RSET_SET");

    return name && *name && !cli_store && isatty(STDIN_FILENO) ? name : NULL;
}

bool cli_default_store(void)
{
    static const char begin[] = "SQLite format 3";
    const char *name = default_set();
    FILE *fp = name ? fopen(name, "r") : NULL;
    char head[sizeof(begin)] = "";

    if (fp && fread(head, 1, sizeof(head), fp) == sizeof(head)
        && !memcmp(head, begin, sizeof(begin)))
        cli_store = name;
    if (fp)
        fclose(fp);
    return cli_store;
}

const char **cli_set_operands(poptContext ctx)
{
    static const char *file[] = {NULL, NULL};
    bool named = poptPeekArg(ctx);
    const char **files = cli_operands(ctx);

    if (named || !(file[0] = default_set()) || cli_default_store())
        return files;
    return file;
}

void (*cli_store_failed)(const struct diag *d);

static void __attribute__((noreturn)) fail(struct diag *d)
{
    if (cli_store_failed)
        cli_store_failed(d);
    cli_die_diag(d);
}

const struct store_options *cli_store_how(void)
{
    options.fail = fail;
    options.wait = cli_wait(NULL);
    return &options;
}

struct store *cli_store_open(enum store_mode mode)
{
    struct store *s;

    signal(SIGPIPE, SIG_IGN); /* so that the store is closed properly */
    progress_begin("opening", cli_store);
    s = store_open(cli_store, mode, cli_store_how());
    progress_end();
    return s;
}

static struct rset_list list_of(struct rset *rs)
{
    struct named_rset *set = xmalloc(sizeof(*set));

    *set = (struct named_rset){rs, xstrdup(cli_store)};
    return (struct rset_list){.list = set, .n = 1};
}

struct rset_list cli_store_read(struct store *s)
{
    struct rset *rs;

    progress_begin("reading", cli_store);
    rs = store_read(s);
    progress_end();
    return list_of(rs);
}

struct rset *cli_store_offer(const char *path)
{
    cli_store = path;
    return cli_store_read(cli_store_open(STORE_READ)).list[0].rs;
}

struct rset_list cli_store_begin(struct store **s, enum store_mode mode,
                                 bool pieces, bool later, double now)
{
    struct rset_list sets;

    *s = cli_store_open(mode);
    if (pieces)
        return list_of(store_read_pieces(*s, now, later));
    sets = cli_store_read(*s);
    if (mode == STORE_READ)
        store_end_reading(*s);
    return sets;
}
