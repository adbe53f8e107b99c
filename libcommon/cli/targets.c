/* Makes a constraint of the ranks or hosts that an option names (targets.h). */
#include "cli/targets.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/cli.h"

/* Of a file that names targets. */
enum { TARGETS_MAX = 1 << 26 };

static void expect_some(const char *option, bool some)
{
    if (!some)
        cli_usage("%s: expected ranks or hosts", option);
}

/* What of the text is in none of the sets (freed), if anything is. */
static void refuse_unknown(const char *option, const char *what, char *unknown,
                           const char *hint)
{
    cli_own(unknown, free);
    if (*unknown)
        cli_die("%s: there is no %s %s%s", option, what, unknown, hint);
}

static void check_ranks(const struct idset *ranks, const char *option,
                        const struct rset_list *sets)
{
    struct idset *known = idset_create(), *left;
    char *text;

    for (size_t i = 0; i < sets->n; i++)
        if (sets->list[i].rs->ranks)
            idset_add_set(known, sets->list[i].rs->ranks);
    left = idset_subtract(ranks, known);
    text = idset_encode(left);
    idset_destroy(left);
    idset_destroy(known);
    refuse_unknown(option, "rank", text, "");
}

static void end_hosts(void *p)
{
    hostlist_destroy(p);
}

/* What looks like ranks, and is no host, has the fault of that (NULL: none). */
static void check_hosts(const struct hostlist *hosts, struct diag *ranks,
                        const char *option, const struct rset_list *sets)
{
    struct hostlist *left = hostlist_copy(hosts), *less;
    char *hint = cli_own(xstrdup(""), free);

    for (size_t i = 0; i < sets->n; i++) {
        const struct hostlist *there = sets->list[i].rs->hosts;
        if (!there)
            continue;
        less = hostlist_subtract(left, there);
        hostlist_destroy(left);
        left = less;
    }
    for (size_t i = 0; i < sets->n && !*hint; i++)
        if (sets->list[i].rs->hosts)
            hint = cli_own(hostlist_hint(sets->list[i].rs->hosts, left), free);
    cli_own(left, end_hosts);
    if (ranks && hostlist_count(left) > 0)
        cli_die_in(ranks, option);
    refuse_unknown(option, "host", hostlist_encode(left), hint);
}

static void end_ranks(void *p)
{
    idset_destroy(p);
}

/* A list with line breaks or blanks, as commands print it, has commas then. */
static void join_lines(char *text)
{
    char *to = text;

    for (const char *at = text; *at;) {
        size_t blanks = strspn(at, " \t\r\n");
        if (blanks && to > text && at[blanks] && to[-1] != ','
            && at[blanks] != ',')
            *to++ = ',';
        at += blanks;
        if (*at)
            *to++ = *at++;
    }
    *to = '\0';
}

bool cli_targets_read_stdin(const char *text)
{
    return text && (*text == '@' ? cli_is_stdin(text + 1) : !strcmp(text, "-"));
}

/* A new text; of standard input, which can be read only once, a copy. */
static char *read_list(const char *file, const char *option)
{
    static char *standard;
    bool stdio = cli_is_stdin(file);
    const char *name = stdio ? "stdin" : file;
    struct diag d = {0};
    size_t len;
    char *list = stdio && standard
                     ? xstrdup(standard)
                     : file_read(file, TARGETS_MAX, "a list", &len, &d);

    if (!list)
        cli_die("%s: %s: %s", option, name, d.text);
    if (stdio && !standard)
        standard = xstrdup(list);
    return list;
}

/* What is named, on the command line, in @FILE, or `-`. */
static const char *read_targets(const char *text, const char *option)
{
    char *list = NULL;

    if (*text == '@' || !strcmp(text, "-"))
        list = read_list(text + (*text == '@'), option);
    else if (strchr(text, '\n'))
        list = xstrdup(text);
    if (!list)
        return text;
    join_lines(list);
    return cli_own(list, free);
}

struct constraint *cli_targets(const char *text, const char *option,
                               const struct rset_list *sets)
{
    struct idset *ranks;
    struct hostlist *hosts;
    struct constraint *c;
    struct diag d = {0}, bad = {0};

    text = read_targets(text, option);
    expect_some(option, *text);
    if (!strcmp(text, "all"))
        return constraint_and(NULL, 0, &d);
    if (idset_decode(text, strlen(text), &ranks, &bad) == 0) {
        cli_own(ranks, end_ranks);
        expect_some(option, !idset_empty(ranks));
        if (sets)
            check_ranks(ranks, option, sets);
        c = constraint_from_ranks(ranks);
    } else {
        hosts = cli_own(hostlist_create(), end_hosts);
        if (hostlist_decode(hosts, text, strlen(text), &d) < 0)
            cli_die_in(&d, option);
        expect_some(option, hostlist_count(hosts) > 0);
        if (sets)
            check_hosts(hosts, text[strspn(text, "0123456789,-")] ? NULL : &bad,
                        option, sets);
        c = constraint_from_hosts(hosts, &d);
    }
    if (!c)
        cli_die("%s: %s", option, d.text);
    return c;
}
