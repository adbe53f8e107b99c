/*
 * For tests of the ledger's rules: sets from small graphs, the ledger's
 * operations in a line each, and what is recorded afterwards, as it stands
 * in the extended data of the pools that are written.
 */
#ifndef TEST_RULES_H
#define TEST_RULES_H

#include <math.h>
#include <stdlib.h>

#include "once.h"
#include "model/records/path.h"
#include "schedule/ledger.h"
#include "schedule/match.h"
#include "sets.h"

/*
 * A vertex of a graph, and an edge of containment, as JSON that can be read
 * in C: single quotes stand for double ones, and commas between the members
 * of a list of objects are not written.
 */
#define POOL(id, data) "{'id':'" id "','metadata':{" data "}}"
#define IN(parent, child) "{'source':'" parent "','target':'" child "'}"
#define GRAPH(nodes, edges) \
    "{'graph':{'nodes':[" nodes "],'edges':[" edges "]}}"

static const struct term timeless = {.start = TIME_UNSET, .end = TIME_UNSET};

__attribute__((unused)) static struct term from_to(double start, double end)
{
    return (struct term){.start = start, .end = end};
}

/* What is promised for later. */
__attribute__((unused)) static struct term later(double start, double end)
{
    return (struct term){.start = start, .end = end, .reserved = true};
}

static char *json_of(const char *quoted)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (const char *p = quoted; *p; p++) {
        putc(*p == '\'' ? '"' : *p, fp);
        if (p[0] == '}' && p[1] == '{')
            putc(',', fp);
    }
    fclose(fp);
    return text;
}

static struct rset *set_of(const char *quoted)
{
    char *text = json_of(quoted);
    struct rset *rs = read_set(text);

    free(text);
    return rs;
}

__attribute__((unused)) static char *text_of(struct rset *rs,
                                             enum rset_form form)
{
    char *text = write_set(rs, form);

    if (!text) {
        printf("Bail out! it can't be written\n");
        exit(1);
    }
    return text;
}

/* --- what is recorded --------------------------------------------------- */

static const char *any_path(const json_t *metadata)
{
    const char *subsystem;
    json_t *path;

    json_object_foreach (json_object_get(metadata, "paths"), subsystem, path)
        return json_string_value(path);
    return "?";
}

/* The keys of RFC 4's Resource Allocation Data, of one pool. */
static void print_data(FILE *fp, const json_t *metadata)
{
    static const char *const keys[] = {"exclusive",    "allocations",
                                       "reservations", "shared",
                                       "listed",       "staged"};
    json_t *data = json_object(), *value;
    char *text;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if ((value = json_object_get(metadata, keys[i]))
            && !json_is_false(value))
            json_object_set(data, keys[i], value);
    if (json_object_size(data) > 0) {
        text = json_dumps(data, JSON_COMPACT);
        for (char *p = text; (p = strchr(p, '"'));)
            *p = '\'';
        fprintf(fp, "%s %s\n", any_path(metadata), text);
        free(text);
    }
    json_decref(data);
}

/* Is that all that is recorded, a line for each pool that has anything? */
__attribute__((format(printf, 3, 4))) static void
recorded(struct rset *rs, const char *want, const char *fmt, ...)
{
    char *text = text_of(rs, FORM_JGF), *got = NULL, name[256];
    json_t *doc = json_loads(text, 0, NULL), *node;
    size_t i, len;
    FILE *fp = open_memstream(&got, &len);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(name, sizeof(name), fmt, ap);
    va_end(ap);
    json_array_foreach (json_object_get(json_object_get(doc, "graph"), "nodes"),
                        i, node)
        print_data(fp, json_object_get(node, "metadata"));
    fclose(fp);
    is(got, want, "%s", name);
    free(got);
    free(text);
    json_decref(doc);
}

/* --- operations --------------------------------------------------------- */

/* Units of the pools at paths: "/cluster0/memory0=4 /cluster0/node0=1". */
static struct selection *pools_at(struct rset *rs, const char *paths)
{
    struct selection *sel = selection_create();
    char *copy = strdup(paths), *rest = copy, *one;

    while ((one = strsep(&rest, " "))) {
        struct diag d = {0};
        char *eq = strrchr(one, '=');
        struct lot *lot;
        *eq = '\0';
        if (!(lot = rset_find_lot(rs, one, &d))) {
            printf("Bail out! %s\n", d.text);
            exit(1);
        }
        selection_take(sel, rs->usage, lot, strtol(eq + 1, NULL, 10));
    }
    free(copy);
    return sel;
}

/* Ask for a shape at a time, and record what is found. Was it? */
static bool asked(struct rset *rs, const char *job, const char *shape,
                  struct term terms, double now)
{
    struct match_options opts = {.now = now, .start = terms.start};
    struct diag d = {0};
    struct request *req = request_from_shape(shape, &d);
    struct selection *sel = NULL;
    bool found;

    if (!req) {
        printf("Bail out! %s: %s\n", shape, d.text);
        exit(1);
    }
    if (terms.end >= 0)
        req->duration = terms.end - (terms.start > now ? terms.start : now);
    found = match_find(usage_begin(rs), req, &opts, &sel, &d) == MATCH_FOUND;
    if (found)
        once_allocate(rs, job, sel, &terms);
    selection_destroy(sel);
    request_destroy(req);
    return found;
}

/* The same now, without times. */
__attribute__((unused)) static bool gets(struct rset *rs, const char *job,
                                         const char *shape)
{
    return asked(rs, job, shape, timeless, 0);
}

/* Give what paths name, if it is free. Why it is not, or "". */
__attribute__((unused)) static const char *
takes_at(struct rset *rs, const char *job, const char *paths, struct term terms,
         double now)
{
    static struct diag d;
    struct selection *sel = pools_at(rs, paths);

    d = (struct diag){0};
    if (once_is_free(rs, job, sel, &terms, now, &d))
        once_allocate(rs, job, sel, &terms);
    selection_destroy(sel);
    return d.text;
}

__attribute__((unused)) static const char *
takes(struct rset *rs, const char *job, const char *paths)
{
    return takes_at(rs, job, paths, timeless, 0);
}

/* Give back what paths name. Why that can't be, or "". */
__attribute__((unused)) static const char *
gives(struct rset *rs, const char *job, const char *paths)
{
    static struct diag d;
    struct selection *sel = pools_at(rs, paths);

    d = (struct diag){0};
    once_shrink(rs, job, sel, &d);
    selection_destroy(sel);
    return d.text;
}

/* --- answers ------------------------------------------------------------ */

static void print_picks(FILE *fp, const struct rset *rs,
                        const struct pick *list)
{
    for (const struct pick *p = list; p; p = p->next) {
        char *place = vertex_place(rs, p->v);
        if (!p->child || p->exclusive)
            fprintf(fp, "%s%s=%lld", ftell(fp) ? " " : "", place,
                    (long long)p->amount);
        free(place);
        print_picks(fp, rs, p->child);
    }
}

/* What a selection names, in a line; it is destroyed. */
__attribute__((unused, format(printf, 4, 5))) static void
selected(const struct rset *rs, struct selection *sel, const char *want,
         const char *fmt, ...)
{
    char *got = NULL, name[256];
    size_t len;
    FILE *fp = open_memstream(&got, &len);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(name, sizeof(name), fmt, ap);
    va_end(ap);
    print_picks(fp, rs, sel->picks);
    fclose(fp);
    is(got, want, "%s", name);
    free(got);
    selection_destroy(sel);
}

#endif /* TEST_RULES_H */
