/*
 * What the commands of rset-alloc share: the set at hand, values of options,
 * jobs, and pools that a command line names.
 */
#include "alloc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/show.h"
#include "cli/cli.h"
#include "cli/request_options.h"
#include "cli/targets.h"
#include "compare/align.h"
#include "model/tree/cut.h"
#include "model/tree/path.h"
#include "set/digits.h"

struct usage *alloc_usage(const struct alloc_call *call)
{
    return usage_begin(call->rs);
}

static void end_selection(void *p)
{
    selection_destroy(p);
}

void alloc_own_plan(struct selection *plan)
{
    cli_own(plan, end_selection);
}

void alloc_fail(const struct alloc_call *call, struct diag *d)
{
    diag_source(d, "%s", call->set->name);
    cli_die_diag(d);
}

int alloc_no(const struct alloc_call *call, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (call->why)
        snprintf(call->why, WHY_MAX, "%s", text);
    else
        cli_warn("%s: %s", call->set->name, text);
    return STATUS_NO;
}

int alloc_no_match(const struct alloc_call *call, int status, const char *text)
{
    if (call->why) /* where the status says the rest */
        alloc_no(call, "%s", text);
    else
        alloc_no(call, "no match %s: %s",
                 status == STATUS_NEVER ? "ever" : "now", text);
    return status;
}

const char *alloc_shown(const char *name, struct shown_name *buf)
{
    size_t len = strlen(name);

    if (len > 0 && len < sizeof(quote("", 0).text) && !strpbrk(name, " \",\\")
        && show_is_plain(name))
        return name;
    return show_in(buf->text, sizeof(buf->text), quote(name, len).text);
}

/* --- values of options -------------------------------------------------- */

const char *alloc_text(const char *what, const char *text)
{
    json_t *value;

    if (!*text)
        cli_usage("%s: there is nothing in it", what);
    if (!(value = json_string(text))) /* which UTF-8 only can be */
        cli_usage("%s: %s is not UTF-8", what, quote(text, strlen(text)).text);
    json_decref(value);
    return text;
}

const char *alloc_name(const char *what, const char *text)
{
    if (!*text || strlen(text) > JOB_NAME_MAX)
        cli_usage("%s: %s is a number or a name of at most %d bytes",
                  quote(text, strlen(text)).text, what, JOB_NAME_MAX);
    return alloc_text(what, text);
}

int64_t alloc_number(const char *option, const char *text)
{
    const char *end;
    uint64_t n;

    end = get_number(text, text + strlen(text), &n);
    if (end == text || *end || n == 0 || n > INT64_MAX)
        cli_usage("%s: %s is not a number of units", option,
                  quote(text, strlen(text)).text);
    return (int64_t)n;
}

static void end_set(void *p)
{
    rset_destroy(p);
}

struct rset *alloc_read_R(const struct alloc_call *call)
{
    const char *files[] = {alloc_options.R, NULL};
    struct rset_list sets;
    struct rset *rs;

    cli_expect_fragment(true);
    sets = cli_read_one(files);
    cli_expect_fragment(false);
    rs = sets.list[0].rs;
    sets.list[0].rs = NULL;
    cli_free(&sets);
    cli_own(rs, end_set);
    if (rs->above && rset_has_graph(call->rs))
        rset_graft(rs, call->rs);
    return rs;
}

/* --- pools by path ------------------------------------------------------ */

/* A PATH=N, and the pool that is there. */
struct named_pool {
    const char *text;
    char *path;
    int64_t units;
    struct vertex *v;
};

static int add_pool(struct alloc_call *call, struct selection *sel,
                    const struct named_pool *named)
{
    const struct vertex *v = named->v;

    if (named->units > v->size) {
        alloc_no(call, "%s has a size of %lld, not %lld", named->path,
                 (long long)v->size, (long long)named->units);
        return -1;
    }
    selection_take(sel, call->rs, named->v, named->units);
    return 0;
}

/* A pool and what is in it can't both be counted. */
static void check_apart(const char *option, const struct named_pool *list,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (const struct vertex *up = list[i].v; up; up = up->parent)
            for (size_t k = 0; k < n; k++)
                if (list[k].v == up && k != i)
                    cli_usage("%s: %s and %s speak of the same units", option,
                              quote(list[i].text, strlen(list[i].text)).text,
                              quote(list[k].text, strlen(list[k].text)).text);
}

/* The path of a PATH=N, and N. */
static char *path_units(const char *option, const char *text, int64_t *units)
{
    const char *eq = strrchr(text, '=');
    struct diag d = {0};
    char *path;

    if (!eq)
        cli_usage("%s: %s: expected PATH=N", option,
                  quote(text, strlen(text)).text);
    *units = alloc_number(option, eq + 1);
    path = cli_own(xstrndup(text, (size_t)(eq - text)), free);
    if (path_check(path, &d) < 0)
        cli_usage("%s: %s", option, d.text);
    return path;
}

/* -1 with a line: the path leads nowhere. */
static int find_pool(struct alloc_call *call, const char *option,
                     const char *text, struct named_pool *out)
{
    struct diag d = {0};

    out->text = text;
    out->path = path_units(option, text, &out->units);
    if ((out->v = rset_find_path(call->rs, out->path, &d)))
        return 0;
    alloc_no(call, "%s", d.text);
    return -1;
}

struct selection *alloc_pools(struct alloc_call *call, const char *option,
                              const char *const *list)
{
    struct selection *sel;
    struct named_pool *named;
    size_t n = 0;
    int rc = 0;

    while (list[n])
        n++;
    named = cli_own(xcalloc(n + 1, sizeof(*named)), free);
    /* runs are split before any pick is made */
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = find_pool(call, option, list[i], &named[i]);
    if (rc == 0)
        check_apart(option, named, n);
    sel = selection_create();
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = add_pool(call, sel, &named[i]);
    if (rc == 0)
        return sel;
    selection_destroy(sel);
    return NULL;
}

/* --- targets or paths --------------------------------------------------- */

static bool names_paths(const char *what)
{
    const char *colon = strstr(what, ":/");

    return *what == '/'
           || (colon && !memchr(what, ',', (size_t)(colon - what)));
}

static size_t vertices_at_paths(struct alloc_call *call, struct vertex ***out)
{
    char *rest = cli_own(xstrdup(call->what), free), *path;
    struct vertex **all = NULL;
    size_t n = 0;

    while ((path = strsep(&rest, ","))) {
        struct vertex **list = NULL;
        struct diag d = {0};
        ssize_t found = rset_find_at(call->rs, path, &list, &d);
        if (found <= 0) {
            cli_own(all, free);
            alloc_fail(call, &d);
        }
        for (ssize_t i = 0; i < found; i++) {
            VECTOR_GROW(all, n);
            all[n++] = list[i];
        }
        free(list);
    }
    *out = cli_own(all, free);
    return n;
}

/* To cut runs takes their members out of the order of the tree. */
static void sort_siblings(struct vertex *const *list, size_t n)
{
    const struct vertex *done = NULL;

    for (size_t i = 0; i < n; i++) {
        if (list[i]->parent && list[i]->parent != done)
            vertex_sort_children(list[i]->parent);
        done = list[i]->parent;
    }
}

static void end_constraint(void *p)
{
    constraint_destroy(p);
}

struct constraint *alloc_targets(const struct alloc_call *call,
                                 const char *text, const char *option)
{
    const struct rset_list sets = {.list = (struct named_rset *)call->set,
                                   .n = 1};

    return cli_own(cli_targets(text, option, &sets), end_constraint);
}

static size_t vertices_of_targets(struct alloc_call *call, struct vertex ***out)
{
    struct constraint *c = alloc_targets(call, call->what, "targets");
    struct idset *ranks = NULL;
    struct vertex **list = NULL;
    struct diag d = {0};
    size_t n, kept = 0;

    if (constraint_ranks(c, call->rs, &ranks, &d) < 0)
        alloc_fail(call, &d);
    rset_cut(call->rs, ranks);
    n = rset_targets(call->rs, &list);
    sort_siblings(list, n);
    for (size_t i = 0; i < n; i++) {
        const struct vertex *v = list[i];
        if (idset_contains(ranks,
                           v->run ? idset_first(v->run) : (uint32_t)v->rank))
            list[kept++] = list[i];
    }
    idset_destroy(ranks);
    *out = cli_own(list, free);
    return kept;
}

static size_t find_vertices(struct alloc_call *call, struct vertex ***list)
{
    return names_paths(call->what) ? vertices_at_paths(call, list)
                                   : vertices_of_targets(call, list);
}

/* Members in different states are cut, too, which there seldom are. */
size_t alloc_vertices(struct alloc_call *call, struct vertex ***list)
{
    size_t n = find_vertices(call, list);
    enum pool_state state;

    for (size_t i = 0; i < n; i++)
        if (!usage_state(call->rs, (*list)[i], &state)) {
            usage_settle(call->rs);
            return find_vertices(call, list);
        }
    return n;
}
