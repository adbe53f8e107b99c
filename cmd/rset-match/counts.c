/* rset-match --count and --aggregate: numbers by type (match.h). */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/show.h"
#include "cli/cli.h"
#include "match.h"
#include "model/records/usage.h"
#include "model/tree/types.h"
#include "schedule/ledger.h"

void counts_check(const char *option, const char *list,
                  const struct rset_list *sets)
{
    char *copy = list ? xstrdup(list) : NULL, *rest = copy, *type;

    while ((type = strsep(&rest, ","))) {
        struct near near = {.word = type, .len = strlen(type)};
        bool known = type_is_usual(type);
        for (size_t i = 0; i < sets->n && !known; i++)
            known = rset_has_type(sets->list[i].rs, type);
        if (known)
            continue;
        type_near(&near, sets->n > 0 ? sets->list[0].rs : NULL);
        cli_die("%s: %s: no set has this type%s", option,
                quote(type, near.len).text, near.text);
    }
    free(copy);
}

bool counts_cores(const char *list)
{
    while (list && *list) {
        size_t len = strcspn(list, ",");
        if (!(len == 4 && !memcmp(list, "node", 4))
            && !(len == 4 && !memcmp(list, "core", 4))
            && !(len == 3 && !memcmp(list, "gpu", 3)))
            return false;
        list += len + (list[len] == ',');
    }
    return list;
}

void counts_print(const char *list, const struct rset *rs)
{
    char *copy = xstrdup(list), *rest = copy, *type;
    const char *sep = "";
    bool json = cli_output_is("json");
    struct map seen = {0};

    fputs(json ? "{" : "", stdout);
    while ((type = strsep(&rest, ","))) {
        if (json && map_at(&seen, type, strlen(type))->value.number++)
            continue; /* an object has a key once */
        fputs(sep, stdout);
        if (json) {
            json_write_string(stdout, type);
            putchar(':');
        }
        printf("%llu", (unsigned long long)rset_count(rs, NULL, type));
        sep = json ? "," : " ";
    }
    puts(json ? "}" : "");
    map_fini(&seen);
    free(copy);
}

void counts_aggregate(struct rset *rs, struct period when, bool zero)
{
    struct aggregate *list;
    size_t n = ledger_aggregate(usage_begin(rs), &when, zero, &list);
    bool json = cli_output_is("json");

    fputs(json ? "{" : "", stdout);
    for (size_t i = 0; i < n; i++) {
        if (json) {
            fputs(i ? "," : "", stdout);
            json_write_string(stdout, list[i].type);
        } else {
            show(stdout, list[i].type);
        }
        printf(json ? ":{\"available\":%llu,\"free\":%llu}" : " %llu %llu\n",
               (unsigned long long)list[i].available,
               (unsigned long long)list[i].free);
    }
    fputs(json ? "}\n" : "", stdout);
    free(list);
}
