/* Makes a constraint from named ranks, hosts or places (targets.h). */
#include "cli/targets.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "model/records/path.h"

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
    char *list, *to;

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

    /* put commas in place of line breaks and blanks, as commands print lists */
    to = list;
    for (const char *at = list; *at;) {
        size_t blanks = strspn(at, " \t\r\n");
        if (blanks && to > list && at[blanks] && to[-1] != ','
            && at[blanks] != ',')
            *to++ = ',';
        at += blanks;
        if (*at)
            *to++ = *at++;
    }
    *to = '\0';
    return list;
}

/* Replace patterns by the hosts that match them, unless there are none. */
static struct hostlist *match_patterns(struct hostlist *names,
                                       const struct rset_list *sets)
{
    struct hostlist *all = hostlist_create();
    char name[HOSTLIST_NAME_MAX], host[HOSTLIST_NAME_MAX];
    struct hostlist_iter it, of;

    hostlist_iter_init(&it, names);
    while (hostlist_iter_next(&it, name) >= 0) {
        bool any = false;
        for (size_t i = 0; strpbrk(name, "*?") && i < sets->n; i++) {
            if (!sets->list[i].rs->hosts)
                continue;
            hostlist_iter_init(&of, sets->list[i].rs->hosts);
            while (hostlist_iter_next(&of, host) >= 0)
                if (fnmatch(name, host, 0) == 0) {
                    hostlist_append(all, host);
                    any = true;
                }
        }
        if (!any)
            hostlist_append(all, name);
    }
    hostlist_destroy(names);
    return all;
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
        if (sets && strpbrk(text, "*?"))
            hosts = match_patterns(hosts, sets);
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

/* Make the constraint of a text that names places. Returns NULL with a diag;
   `known` says whether it is about places that exist. */
static struct constraint *from_places(const char *text, const char *option,
                                      const struct rset_list *sets, bool *known,
                                      struct diag *d)
{
    struct hostlist *hosts = hostlist_create(), *there;
    struct idset *ranks = idset_create();
    struct constraint *c = NULL;
    struct diag why = {0};
    bool any = false;

    *known = false;
    for (size_t i = 0; i < sets->n; i++) {
        struct rset *rs = sets->list[i].rs;
        struct lots lots = {0};
        struct idset *in = idset_create();
        int rc = rset_find_places(rs, text, &lots, &why);
        *known |= rc <= 0;
        any |= rc == 0;
        for (size_t k = 0; rc == 0 && k < lots.n; k++)
            lot_add_ranks(lots.list[k], true, in);
        if (lots.n > 0)
            lots_join(rs->usage, &lots);
        free(lots.list);
        if (rs->hosts) {
            there = rset_hosts_at(rs, in);
            hostlist_append_list(hosts, there);
            hostlist_destroy(there);
        } else {
            idset_add_set(ranks, in);
        }
        idset_destroy(in);
    }
    if (!any)
        diag_set(d, "%s: %s", option, why.text);
    else if (hostlist_count(hosts) > 0)
        c = constraint_from_hosts(hosts, d);
    else
        c = constraint_from_ranks(ranks);
    hostlist_destroy(hosts);
    idset_destroy(ranks);
    return c;
}

struct constraint *cli_targets(const char *text, const char *option,
                               const struct rset_list *sets, bool places,
                               struct diag *d)
{
    char *list = cli_list_text(text, option, d);
    bool paths = places && list && strchr(list, '/'), known;
    struct constraint *c = NULL;
    struct diag why = {0};

    if (!list)
        return NULL;
    if (!*list)
        cli_fault(d, "%s: expected ranks or hosts", option);
    else if (!strcmp(list, "all") || (paths && !sets))
        c = constraint_and(NULL, 0, d);
    else if (paths)
        c = from_places(list, option, sets, &known, d);
    else if (!(c = from_text(list, option, sets, d)) && places && sets
             && !(c = from_places(list, option, sets, &known, &why)) && known)
        *d = why;
    free(list);
    return c;
}
