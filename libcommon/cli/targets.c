/* Makes a constraint from named ranks or hosts (targets.h). */
#include "cli/targets.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/cli.h"

/* Largest file of targets, in bytes. */
enum { TARGETS_MAX = 1 << 26 };

/* Report names that none of the sets has, if any. `unknown` is freed. */
static int refuse_unknown(const char *option, const char *what, char *unknown,
                          const char *hint, struct diag *d)
{
    int rc = *unknown ? diag_set(d, "%s: there is no %s %s%s", option, what,
                                 unknown, hint)
                      : 0;

    free(unknown);
    return rc;
}

static int check_ranks(const struct idset *ranks, const char *option,
                       const struct rset_list *sets, struct diag *d)
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
    return refuse_unknown(option, "rank", text, "", d);
}

/*
 * Check that the sets have these hosts. `ranks`: the fault of the text as
 * ranks, if it looks like ranks (else NULL); this is reported if it is no host.
 */
static int check_hosts(const struct hostlist *hosts, const struct diag *ranks,
                       const char *option, const struct rset_list *sets,
                       struct diag *d)
{
    struct hostlist *left = hostlist_copy(hosts), *less;
    char *hint = NULL;
    int rc;

    for (size_t i = 0; i < sets->n; i++) {
        const struct hostlist *there = sets->list[i].rs->hosts;
        if (!there)
            continue;
        less = hostlist_subtract(left, there);
        hostlist_destroy(left);
        left = less;
    }
    for (size_t i = 0; i < sets->n && !(hint && *hint); i++) {
        free(hint);
        hint = sets->list[i].rs->hosts
                   ? hostlist_hint(sets->list[i].rs->hosts, left)
                   : NULL;
    }
    if (ranks && hostlist_count(left) > 0) {
        *d = *ranks;
        rc = diag_source(d, "%s", option);
    } else {
        rc = refuse_unknown(option, "host", hostlist_encode(left),
                            hint ? hint : "", d);
    }
    free(hint);
    hostlist_destroy(left);
    return rc;
}

/* Put commas in place of line breaks and blanks, as commands print lists. */
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

/* Standard input can be read only once, so its text is kept. */
char *cli_list_text(const char *text, const char *option, struct diag *d)
{
    static char *standard;
    const char *file = text + (*text == '@');
    bool stdio;
    struct diag why = {0};
    size_t len;
    char *list;

    if (*text != '@' && strcmp(text, "-") != 0) {
        list = xstrdup(text);
        if (!strchr(list, '\n'))
            return list;
    } else {
        stdio = cli_is_stdin(file);
        list = stdio && standard
                   ? xstrdup(standard)
                   : file_read(file, TARGETS_MAX, "a list", &len, &why);
        if (!list) {
            diag_set(d, "%s: %s: %s", option, stdio ? "stdin" : file, why.text);
            return NULL;
        }
        if (stdio && !standard)
            standard = xstrdup(list);
    }
    hostlist_blank_comments(list, strlen(list));
    join_lines(list);
    return list;
}

/* Make the constraint of a text that names ranks or hosts. */
static struct constraint *from_text(const char *text, const char *option,
                                    const struct rset_list *sets,
                                    struct diag *d)
{
    struct hostlist *hosts = NULL;
    struct constraint *c = NULL;
    struct idset *ranks = NULL;
    struct diag why = {0};
    bool some;

    if (idset_decode(text, strlen(text), &ranks, &why) == 0) {
        some = !idset_empty(ranks);
        if (!some || (sets && check_ranks(ranks, option, sets, d) < 0))
            goto out;
        c = constraint_from_ranks(ranks);
    } else {
        hosts = hostlist_create();
        if (hostlist_decode(hosts, text, strlen(text), d) < 0) {
            diag_source(d, "%s", option);
            some = true;
            goto out;
        }
        some = hostlist_count(hosts) > 0;
        if (!some
            || (sets
                && check_hosts(hosts,
                               text[strspn(text, "0123456789,-")] ? NULL : &why,
                               option, sets, d)
                       < 0))
            goto out;
        c = constraint_from_hosts(hosts, d);
    }
    if (!c) {
        why = *d;
        diag_set(d, "%s: %s", option, why.text);
    }
out:
    if (!some)
        cli_fault(d, "%s: expected ranks or hosts", option);
    hostlist_destroy(hosts);
    idset_destroy(ranks);
    return c;
}

struct constraint *cli_targets(const char *text, const char *option,
                               const struct rset_list *sets, struct diag *d)
{
    struct constraint *c = NULL;
    char *list = cli_list_text(text, option, d);

    if (!list)
        return NULL;
    if (!*list)
        cli_fault(d, "%s: expected ranks or hosts", option);
    else if (!strcmp(list, "all"))
        c = constraint_and(NULL, 0, d);
    else
        c = from_text(list, option, sets, d);
    free(list);
    return c;
}
