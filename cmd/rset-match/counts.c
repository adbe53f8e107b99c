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

struct type_list counts_read(const char *option, const char *text)
{
    struct type_list types = {.option = option};
    char *rest = xstrdup(text), *type;

    while ((type = strsep(&rest, ","))) {
        if (!*type)
            cli_usage("%s: %s: expected TYPE[,TYPE...]", option,
                      quote_all(text).text);
        VECTOR_ADD(types.list, types.n, type);
    }
    return types;
}

void counts_check(const struct type_list *types, const struct rset_list *sets)
{
    for (size_t k = 0; k < types->n; k++) {
        const char *type = types->list[k];
        struct near near = {.word = type, .len = strlen(type)};
        bool known = type_is_usual(type);
        for (size_t i = 0; i < sets->n && !known; i++)
            known = rset_has_type(sets->list[i].rs, type);
        if (known)
            continue;
        type_near(&near, sets->n > 0 ? sets->list[0].rs : NULL);
        cli_die("%s: %s: no set has this type%s", types->option,
                quote(type, near.len).text, near.text);
    }
}

bool counts_cores(const struct type_list *types)
{
    static const char *const cores[] = {"node", "core", "gpu"};

    for (size_t i = 0; i < types->n; i++)
        if (WORD_FIND(cores, types->list[i]) < 0)
            return false;
    return types->n > 0;
}

void counts_print(const struct type_list *types, const struct rset *rs)
{
    const char *sep = "";
    bool json = cli_output_is("json");
    struct map seen = {0};

    fputs(json ? "{" : "", stdout);
    for (size_t i = 0; i < types->n; i++) {
        const char *type = types->list[i];
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
}

void counts_aggregate(struct rset *rs, struct period when, bool zero)
{
    struct usage *u = usage_begin(rs);
    struct aggregate *list;
    bool json = cli_output_is("json");
    size_t n;

    usage_lapse(u, when.now);
    n = ledger_aggregate(u, &when, zero, &list);
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
