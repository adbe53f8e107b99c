/* The options of rset-match that select without a request (match.h). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "match.h"
#include "model/change/subtree.h"
#include "request/find.h"

#define AT(member) CLI_AT(struct filter_options, member)
const struct cli_option filter_table[] = {
    {"state", '\0', AT(states), FILTERS,
     "select resources in one of these states, such as up or down,failing",
     "STATE[,STATE...]"},
    {"available", '\0', AT(available), FILTERS, "select what is up and free"},
    {"find", '\0', AT(find), FILTERS,
     "select resources that match, with all below them, such as 'type=gpu and "
     "host=node[0-3]'",
     "EXPR"},
    {"prune", '\0', AT(prune), FILTERS,
     "leave out resources that match, with all below them, such as 'type=gpu'",
     "EXPR"},
    {"subtree", '\0', AT(subtrees), FILTERS,
     "select the resource at a path, with all below it", "PATH"},
    {"type", '\0', AT(types), FILTERS,
     "show only resources of these types, and sums of the others",
     "TYPE[,TYPE...]"},
    {0}};

static struct constraint *parse(const char *option, const char *text,
                                double now)
{
    struct diag d = {0};
    struct constraint *c = find_parse(text, now, &d);

    if (!c)
        cli_die_in(&d, option);
    return c;
}

/* Read all expressions of an option. All must hold; with `none`, no one may. */
static struct constraint *read_all(const char *option, char *const *texts,
                                   bool none, double now)
{
    struct constraint **list = NULL, *all = NULL;
    struct diag d = {0};
    size_t n = 0;

    while (texts && texts[n]) {
        VECTOR_GROW(list, n);
        list[n] = parse(option, texts[n], now);
        if (none && !(list[n] = constraint_not(list[n], &d)))
            cli_die_in(&d, option);
        n++;
    }
    if (n > 0 && !(all = constraint_and(list, n, &d)))
        cli_die("%s", d.text);
    free(list);
    return all;
}

struct filter filter_make(struct filter_options *o, const struct period *when)
{
    struct filter f = {.available = o->available, .when = *when};
    struct diag d = {0};
    const char *type;
    char *text;

    cli_only("--state", o->states, &o->state, NULL);
    cli_only("--type", o->types, &type, NULL);
    cli_only("--subtree", o->subtrees, &o->subtree, NULL);
    if (o->state) {
        cli_check_words("--state", o->state, pool_state_names, STATE_WORDS,
                        "there is no state", NULL);
        xasprintf(&text, "state=%s", o->state);
        f.each = parse("--state", text, when->now);
        free(text);
    }
    if (o->subtree && place_check(o->subtree, &d) < 0)
        cli_usage("--subtree: %s", d.text);
    if (type)
        o->shown = counts_read("--type", type);
    f.find = read_all("--find", o->find, false, when->now);
    f.enter = read_all("--prune", o->prune, true, when->now);
    return f;
}

void filter_fini(struct filter *f)
{
    constraint_destroy(f->targets);
    constraint_destroy(f->find);
    constraint_destroy(f->each);
    constraint_destroy(f->enter);
}

void filter_subtree(const struct filter_options *o, struct named_rset *set)
{
    struct diag d = {0};
    struct lot *lot;
    struct rset *part;

    if (!o->subtree)
        return;
    if (!(lot = rset_find_home(set->rs, o->subtree, &d)))
        cli_die_in(&d, set->name);
    part = rset_subtree(set->rs, lot);
    rset_destroy(set->rs);
    set->rs = part;
}
