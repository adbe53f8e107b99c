/* rset-match --count (counts.h). */
#include "counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "model/tree/types.h"

/* A type that no set has may be a slip. */
static void check_type(const char *option, const struct rset_list *sets,
                       const char *type)
{
    struct near near = {.word = type, .len = strlen(type)};

    for (size_t i = 0; i < sets->n; i++)
        if (rset_has_type(sets->list[i].rs, type))
            return;
    if (type_is_usual(type))
        return;
    type_near(&near);
    cli_die("%s: %s: no set has this type%s", option,
            quote(type, near.len).text, near.text);
}

void counts_check(const char *option, const char *list,
                  const struct rset_list *sets)
{
    char *rest = cli_own(xstrdup(list), free), *type;

    while ((type = strsep(&rest, ",")))
        check_type(option, sets, type);
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
