/*
 * Requests as objects, requests from flux-run's short options, and requests in
 * words. The readers bound the depth of a request, so that walks may recurse.
 */
#include "request/request_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct request_vertex *request_vertex_create(void)
{
    struct request_vertex *v = xcalloc(1, sizeof(*v));

    v->exclusive = UNSET;
    request_count_fix(&v->count, 1);
    return v;
}

static void destroy_list(struct request_vertex *v)
{
    struct request_vertex *next;

    for (; v; v = next) {
        next = v->next;
        destroy_list(v->with);
        idset_destroy(v->count.set);
        free(v->type);
        free(v->unit);
        free(v->id);
        free(v->label);
        free(v);
    }
}

void request_destroy(struct request *req)
{
    if (!req)
        return;
    destroy_list(req->resources);
    constraint_destroy(req->constraint);
    free(req);
}

bool request_is_slot(const struct request_vertex *v)
{
    return !strcmp(v->type, "slot");
}

const struct request_vertex *request_labelled(const struct request_vertex *list,
                                              const char *label)
{
    const struct request_vertex *found = NULL;

    for (; list && !found; list = list->next)
        found = list->label && !strcmp(list->label, label)
                    ? list
                    : request_labelled(list->with, label);
    return found;
}

/* --- short options -------------------------------------------------------- */

static int check_options(const struct request_options *o, struct diag *d)
{
    const struct {
        const char *what;
        uint64_t n;
    } counts[] = {{"nodes", o->nodes},
                  {"slots", o->nslots},
                  {"cores per slot", o->cores_per_slot},
                  {"gpus per slot", o->gpus_per_slot}};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        if (counts[i].n > REQUEST_COUNT_MAX)
            return diag_set(d, "%" PRIu64 " %s: at most %" PRIu32, counts[i].n,
                            counts[i].what, REQUEST_COUNT_MAX);
    if (o->exclusive && !o->nodes)
        return diag_set(d, "exclusive nodes need a number of nodes");
    if (o->nslots && o->nslots < o->nodes)
        return diag_set(d, "%" PRIu64 " slot%s cannot be on %" PRIu64 " nodes",
                        o->nslots, o->nslots == 1 ? "" : "s", o->nodes);
    return 0;
}

static struct request_vertex *make_entry(const char *type, uint64_t n,
                                         struct request_vertex *with)
{
    struct request_vertex *v = request_vertex_create();

    v->type = xstrdup(type);
    request_count_fix(&v->count, n);
    v->with = with;
    return v;
}

struct request *request_from_options(const struct request_options *o,
                                     struct diag *d)
{
    uint64_t nslots = o->nslots ? o->nslots : 1;
    struct request_vertex *pools, *top;
    struct request *req;

    if (check_options(o, d) < 0)
        return NULL;
    if (o->nodes)
        nslots = (nslots + o->nodes - 1) / o->nodes;
    pools = make_entry("core", o->cores_per_slot ? o->cores_per_slot : 1, NULL);
    if (o->gpus_per_slot)
        pools->next = make_entry("gpu", o->gpus_per_slot, NULL);
    top = make_entry("slot", nslots, pools);
    top->label = xstrdup(REQUEST_DEFAULT_LABEL);
    if (o->nodes)
        top = make_entry("node", o->nodes, top);
    if (o->nodes && (o->exclusive || !o->nslots))
        top->exclusive = YES;
    req = xcalloc(1, sizeof(*req));
    req->resources = top;
    return req;
}

/* --- in words ------------------------------------------------------------- */

static bool ends_with(const char *word, const char *end)
{
    size_t n = strlen(word), m = strlen(end);

    return n >= m && !strcmp(word + n - m, end);
}

static void put_plural(FILE *fp, const char *word)
{
    size_t n = strlen(word);

    if (ends_with(word, "s")) /* perhaps a plural already: "licenses" */
        fputs(word, fp);
    else if (ends_with(word, "ch") || ends_with(word, "sh")
             || ends_with(word, "x"))
        fprintf(fp, "%ses", word);
    else if (n > 1 && word[n - 1] == 'y' && !strchr("aeiou", word[n - 2]))
        fprintf(fp, "%.*sies", (int)n - 1, word);
    else
        fprintf(fp, "%ss", word);
}

/* Return whether a slot needs no mention: it is the only one in its pool. */
static bool is_plain_slot(const struct request_vertex *v)
{
    return request_is_slot(v) && request_count_fixed(&v->count) == 1
           && !v->next;
}

static void put_list(FILE *fp, const struct request_vertex *list, bool nested);

/* Recurses up to REQUEST_DEPTH_MAX. A slot in something else is `nested`. */
static void put_vertex(FILE *fp, const struct request_vertex *v, bool nested)
{
    bool slot = request_is_slot(v), whole = v->exclusive == YES && !slot;
    const struct range *r = &v->count.range;
    const struct request_vertex *list = v->with, *core;

    if (!v->count.set && r->max == RANGE_UNBOUNDED && r->op == '+'
        && r->operand == 1)
        fprintf(fp, "at least %llu", (unsigned long long)r->min);
    else
        request_count_write(&v->count, fp);
    if (v->unit && *v->unit)
        fprintf(fp, " %s of", v->unit);
    fputs(whole ? " whole " : " ", fp);
    if (v->unit && *v->unit && !whole)
        fputs(v->type, fp);
    else if (!strcmp(v->type, "memory") || !strcmp(v->type, "storage"))
        fprintf(fp, "unit%s of %s",
                request_count_fixed(&v->count) == 1 ? "" : "s", v->type);
    else if (request_count_fixed(&v->count) == 1)
        fputs(v->type, fp);
    else
        put_plural(fp, v->type);
    if (v->id)
        fprintf(fp, " (%s%s)", *v->id ? "id " : "no id", v->id);
    if (!list)
        return;

    /* one core, as from -N alone: the whole pool is meant */
    core = is_plain_slot(list) ? list->with : list;
    if (whole && !core->next && !core->with && !strcmp(core->type, "core")
        && request_count_fixed(&core->count) == 1 && !core->id)
        return;
    fputs(slot && nested ? " of " : " with ", fp);
    if (!slot && is_plain_slot(list))
        list = list->with;
    put_list(fp, list, true);
}

static void put_list(FILE *fp, const struct request_vertex *list, bool nested)
{
    enum { SHOWN = 8 };
    int n = 0, more = -SHOWN;

    for (const struct request_vertex *v = list; v; v = v->next)
        more++;
    for (const struct request_vertex *v = list; v && n++ < SHOWN; v = v->next) {
        if (v != list)
            fputs(v->next || more > 0 ? ", " : " and ", fp);
        put_vertex(fp, v, nested);
    }
    if (more > 0)
        fprintf(fp, " and %d more", more);
}

char *request_words(const struct request_vertex *v, bool siblings)
{
    char *text;
    FILE *fp = memory_open(&text, NULL);

    if (siblings)
        put_list(fp, v, false);
    else
        put_vertex(fp, v, false);
    return memory_take(fp, &text, true);
}
