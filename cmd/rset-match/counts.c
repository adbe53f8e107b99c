/* rset-match --count (counts.h). */
#include "counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/near.h"
#include "cli/cli.h"

/* Types of which a set may have none, and yet to ask is no slip (rset(5)). */
static const char *const usual_types[] = {
    "cluster", "rack",    "chassis", "blade",   "node", "board",
    "socket",  "package", "numa",    "l3cache", "core", "pu",
    "gpu",     "memory",  "storage", "ssd",     "nic",  "hfi",
    "switch",  "power",   "pdu",     "license", "bb",   "partition",
};
enum { USUAL_TYPES = sizeof(usual_types) / sizeof(usual_types[0]) };

static bool is_usual(const char *type)
{
    for (size_t i = 0; i < USUAL_TYPES; i++)
        if (!strcmp(type, usual_types[i]))
            return true;
    return false;
}

static bool has_type(const struct rset *rs, const char *type)
{
    for (size_t i = 0; i < rs->ntypes; i++)
        if (!strcmp(rs->types[i], type))
            return true;
    return rset_count(rs, NULL, type) > 0;
}

/* A type that no set has may be a slip. */
static void check_type(const struct rset_list *sets, const char *type)
{
    struct near near = {.word = type, .len = strlen(type)};

    for (size_t i = 0; i < sets->n; i++)
        if (has_type(sets->list[i].rs, type))
            return;
    if (is_usual(type))
        return;
    for (size_t i = 0; i < USUAL_TYPES; i++)
        near_try(&near, usual_types[i]);
    cli_die("--count: %s: no set has this type%s", quote(type, near.len).text,
            near.text);
}

void counts_check(const char *list, const struct rset_list *sets)
{
    char *rest = cli_own(xstrdup(list), free), *type;

    while ((type = strsep(&rest, ",")))
        check_type(sets, type);
}

void counts_print(const char *list, const struct rset *rs)
{
    char *types = xstrdup(list), *rest = types, *type;
    const char *sep = "";
    bool json = cli_output_json();

    fputs(json ? "{" : "", stdout);
    while ((type = strsep(&rest, ","))) {
        fputs(sep, stdout);
        if (json) {
            json_write_string(stdout, type);
            putchar(':');
        }
        printf("%llu", (unsigned long long)rset_count(rs, NULL, type));
        sep = json ? "," : " ";
    }
    puts(json ? "}" : "");
    free(types);
}
