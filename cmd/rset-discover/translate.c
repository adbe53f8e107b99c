/* rset-discover translate: a filter between the editions of RFC 28. */
#include "cli/cli.h"
#include "cli/lines.h"
#include "discover.h"
#include "protocol/translate.h"

static char *to;

struct poptOption translate_options[] = {
    {"to", '\0', POPT_ARG_STRING, &to, CLI_NAMED,
     "translate: the edition that is written", "seed|current"},
    POPT_TABLEEND};

int translate(void)
{
    struct translator *t;
    struct lines lines;
    struct diag d = {0};
    bool current;
    int rc = 0;

    if (!to)
        cli_usage("translate: --to is expected");
    current = cli_second_word("--to", to, "seed", "current");
    lines_open(&lines, "-");
    lines_catch_signals();
    lines.most = LINES_TALK;
    t = translator_create(current ? DIALECT_CURRENT : DIALECT_SEED, lines.out,
                          cli_log);
    while (rc == 0 && lines_next(&lines)) {
        cli_at_line("stdin", lines.nlines);
        if (lines.len > 0)
            rc = translate_line(t, lines.text, lines.len, &d);
    }
    lines_close(&lines);
    translator_destroy(t);
    if (rc < 0) {
        diag_source(&d, "stdin:%llu", (unsigned long long)lines.nlines);
        cli_die_diag(&d);
    }
    lines_check_service(&lines);
    return STATUS_OK;
}
