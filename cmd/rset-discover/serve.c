/*
 * rset-discover serve: the provider of RFC 28 on standard input and output.
 *
 * Requests and events come as lines in any order. A file may have events too;
 * it is read to its end before the first line, and then followed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/documents.h"
#include "cli/lines.h"
#include "cli/targets.h"
#include "discover.h"
#include "protocol/provider.h"

static char *resources_file, *events_file, *initially;
static char **defined;             /* NAME=TARGETS, repeatable */
static struct lines input, events; /* standard input; the file of events */

const struct cli_option service_options[] = {
    {"resources", '\0', CLI_VARIABLE(resources_file), CLI_NAMED,
     "provide the resources of a document, in their states", "FILE"},
    {"define-group", '\0', CLI_VARIABLE(defined), CLI_NAMED,
     "make these ranks or hosts a group of their own", "NAME=TARGETS"},
    {"events", '\0', CLI_VARIABLE(events_file), CLI_NAMED,
     "also read events from a file, and follow it", "FILE"},
    {"initially", '\0', CLI_VARIABLE(initially), CLI_NAMED,
     "start with all targets online or offline, until events change them",
     "online|offline"},
    {0}};

/* --- resources ------------------------------------------------------------ */

static void open_input(void)
{
    lines_open(&input, "-");
    lines_catch_signals();
    input.most = LINES_TALK;
}

int serve_config(struct config *config, struct diag *d)
{
    size_t n = 0, len;
    bool whole = false;
    char *text;
    FILE *fp = memory_open(&text, &len);
    struct diag odd;
    int rc;

    open_input();
    while (!whole && n < CONFIG_MAX && lines_next(&input)
           && strcmp(input.text, "...") != 0) {
        fwrite(input.text, 1, input.len, fp);
        putc('\n', fp);
        n += input.len + 1;
        if (input.nlines == 1) {
            json_t *value = json_read(input.text, input.len, true, &odd);
            whole = json_is_object(value);
            json_decref(value);
        }
    }
    memory_close(fp);
    lines_check(&input);
    if (n < CONFIG_MAX) {
        rc = config_read_text("stdin", text, len, config_discover, config, d);
    } else {
        diag_set(d, "too large for a configuration");
        rc = diag_source(d, "stdin");
    }
    free(text);
    return rc;
}

struct rset *serve_resources(void)
{
    struct rset *rs = NULL;
    struct diag d = {0};

    cli_exclude(config_file ? "--config" : NULL,
                resources_file ? "--resources" : NULL, NULL);
    if (resources_file && cli_is_stdin(resources_file))
        cli_usage("--resources: standard input has the requests");
    if (events_file && cli_is_stdin(events_file))
        cli_usage("--events: standard input has events anyway");
    if (resources_file && !(rs = cli_read_set(resources_file, 0, &d)))
        cli_die_diag(&d);
    return rs;
}

/* --- groups ------------------------------------------------------------- */

static void define(struct provider *p, struct rset *rs, const char *text)
{
    struct named_rset set = {rs, (char *)"the resources"};
    struct rset_list sets = {.list = &set, .n = 1};
    const char *equals = strchr(text, '=');
    struct constraint *targets;
    struct diag d = {0};
    struct idset *ranks;
    char *name;
    int rc;

    if (!equals || equals == text)
        cli_usage("--define-group: %s: expected NAME=TARGETS",
                  quote_all(text).text);
    name = xstrndup(text, (size_t)(equals - text));
    if (!(targets = cli_targets(equals + 1, "--define-group", &sets, true, &d)))
        cli_die_diag(&d);
    ranks = constraint_ranks(targets, rs);
    rc = provider_define(p, name, ranks, &d);
    idset_destroy(ranks);
    constraint_destroy(targets);
    free(name);
    if (rc < 0)
        cli_usage("--define-group: %s: %s", quote_all(text).text, d.text);
}

/* --- lines -------------------------------------------------------------- */

/* The lines whose current one is handled; NULL: none yet. */
static const struct lines *current;

/* Print a notice about the current line. */
static void log_diag(struct diag *d)
{
    if (current)
        diag_source(d, "%s:%llu", current->name,
                    (unsigned long long)current->nlines);
    cli_warn_diag(d);
}

static void log_text(const char *text)
{
    struct diag d;

    diag_set(&d, "%s", text);
    log_diag(&d);
}

/* Read all events that are in the file by now. */
static void read_events(void *arg)
{
    struct provider *provider = arg;

    if (!events_file)
        return;
    while (lines_follow(&events)) {
        struct diag d = {0};
        json_t *event;

        if (events.len == 0)
            continue;
        current = &events;
        event = json_read(events.text, events.len, true, &d);
        if (!event || provider_event(provider, event, &d) < 0)
            log_diag(&d);
        json_decref(event);
    }
    lines_check_service(&events);
}

int serve(struct rset *rs, const struct idset *exclude)
{
    struct provider *provider;
    struct diag why = {0};
    struct provider_options o = {.dialect = cli_dialect(), .log = log_text};

    if (events_file)
        lines_open_followed(&events, events_file);
    o.offline = initially
                && cli_word("--initially", initially, "online", "offline", NULL,
                            NULL);
    if (!input.out)
        open_input();
    input.skips = true;
    input.idle = events_file ? read_events : NULL;
    o.out = input.out;
    input.arg = provider = provider_create(rs, &o);
    if (exclude && provider_define(provider, "exclude", exclude, &why) < 0)
        cli_die_in(&why, config_file);
    for (size_t i = 0; defined && defined[i]; i++)
        define(provider, rs, defined[i]);
    read_events(provider);
    while (lines_next(&input)) {
        struct diag d = {0};
        current = &input;
        if (input.len > 0
            && provider_line(provider, input.text, input.len, &d) < 0)
            log_diag(&d);
        read_events(provider);
    }
    lines_close(&input);
    provider_destroy(provider);
    if (events_file)
        lines_close(&events);
    lines_check_service(&input);
    return STATUS_OK;
}
