/* A set of what a configuration has, without what it excludes. */
#include "cli/cli.h"
#include "cli/documents.h"
#include "discover.h"
#include "schedule/filter.h"
#include "source/config.h"

const char *config_file;

struct poptOption config_options[] = {
    {"config", '\0', POPT_ARG_STRING, &config_file, 0,
     "what a configuration has, JSON or YAML; - is standard input", "FILE"},
    POPT_TABLEEND};

/* Jobs and states of a document that is the `path` go with it. */
static struct rset *without_excluded(struct config *config, struct diag *d)
{
    struct rset *all = config->rs, *rs = all;
    struct idset *ranks;

    if (config->exclude && all->usage) {
        ranks = idset_subtract(all->ranks, config->exclude);
        rs = rset_on_ranks(all, ranks, true, d);
        idset_destroy(ranks);
    } else {
        config_leave_out(config);
        config->rs = NULL;
    }
    config_fini(config);
    return rs;
}

struct rset *configured(void)
{
    struct config config = {0};
    struct diag d = {0};
    bool input = cli_is_stdin(config_file);
    struct rset *rs;

    if (config_read(input ? "-" : config_file, &config, &d) < 0
        || !(rs = without_excluded(&config, &d)))
        cli_die_diag(&d);
    cli_notes(rs, input ? "stdin" : config_file);
    return rs;
}
