#include "model/shorthand.h"
#include "model/validate.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/json.h"
#include "model/validate_private.h"

/* --- faults ------------------------------------------------------------- */

void faults_fini(struct faults *faults)
{
    for (size_t i = 0; i < faults->n; i++) {
        free(faults->list[i].where);
        free(faults->list[i].text);
    }
    free(faults->list);
    *faults = (struct faults){0};
}

size_t faults_count(const struct faults *faults, enum fault_level level)
{
    size_t n = 0;

    for (size_t i = 0; i < faults->n; i++)
        n += faults->list[i].level == level;
    return n;
}

/* Places are never nested deeper than the model is: bounded. */
static void write_place(const struct place *at, FILE *fp)
{
    if (!at)
        return;
    write_place(at->up, fp);
    if (at->key)
        fprintf(fp, "%s%s", at->up ? "." : "", at->key);
    else
        fprintf(fp, "[%zu]", at->index);
}

static char *place_text(const struct place *at)
{
    char *text = NULL;
    size_t len;
    FILE *fp = memory_open(&text, &len);
    int failed;

    if (!fp)
        return NULL;
    write_place(at, fp);
    failed = ferror(fp);
    memory_close(fp);
    if (!failed)
        return text;
    free(text);
    return NULL;
}

/* Keep a fault; `text` is taken over. */
static void keep(struct check *c, enum rule rule, const struct place *at,
                 char *text)
{
    struct faults *out = c->out;
    struct fault f = {.rule = rules[rule].name,
                      .level = rules[rule].level,
                      .where = place_text(at),
                      .text = text};

    if (out->n == out->size) {
        size_t size = out->size ? out->size * 2 : 16;
        struct fault *list = xrealloc(out->list, size * sizeof(*list));
        if (list) {
            out->list = list;
            out->size = size;
        }
    }
    if (!f.where || !f.text || out->n == out->size) {
        free(f.where);
        free(f.text);
        c->failed = true;
        return;
    }
    out->list[out->n++] = f;
}

void fault(struct check *c, enum rule rule, const struct place *at,
           const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;

    c->refused += rules[rule].level == FAULT_REFUSED;
    if (rules[rule].level == FAULT_STRICT && !c->out->strict)
        return;
    va_start(ap, fmt);
    if (xvasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    keep(c, rule, at, text);
}

void fault_diag(struct check *c, enum rule rule, const struct place *at,
                const struct diag *d)
{
    struct diag oom;

    diag_oom(&oom);
    if (!strcmp(d->text, oom.text))
        c->failed = true;
    else
        fault(c, rule, at, "%s", d->text);
}

/* --- values of a type --------------------------------------------------- */

static bool need(struct check *c, const json_t *value, bool good,
                 const char *what, const struct place *at)
{
    if (good)
        return true;
    if (value)
        fault(c, RULE_WRONG_TYPE, at, "%s: expected %s", json_quote(value).text,
              what);
    else
        fault(c, RULE_KEY_MISSING, at, "missing: expected %s", what);
    return false;
}

bool need_object(struct check *c, const json_t *value, const struct place *at)
{
    return need(c, value, json_is_object(value), "an object", at);
}

bool need_list(struct check *c, const json_t *value, const struct place *at)
{
    return need(c, value, json_is_array(value), "a list", at);
}

struct idset *need_idset(struct check *c, const json_t *value,
                         const struct place *at)
{
    struct diag d = {0};
    struct idset *set;

    if (!need(c, value, json_is_string(value), "an idset in a string", at))
        return NULL;
    if (!(set = idset_from_json(value, &d)))
        fault_diag(c, RULE_IDSET, at, &d);
    return set;
}

bool need_time(struct check *c, const json_t *value, double *out,
               const struct place *at)
{
    if (!json_is_number(value) || json_number_value(value) < 0) {
        fault(c, RULE_TIME, at, "%s: expected seconds since the Epoch",
              json_quote(value).text);
        return false;
    }
    *out = json_number_value(value);
    return true;
}

/* `known` ends with NULL. */
void check_unknown(struct check *c, const json_t *object,
                   const char *const *known, const struct place *at)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)object, key, value) {
        size_t i = 0;
        while (known[i] && strcmp(key, known[i]))
            i++;
        if (!known[i])
            fault(c, RULE_RESERVED_KEY, IN_KEY(at, key),
                  "reserved: no standard has it");
    }
}

/* --- the document ------------------------------------------------------- */

struct document {
    struct check *c;
    const json_t *json;
    struct half half;
    struct graph graph;     /* the first that is there */
    struct place places[3]; /* of the graph */
    bool version, bare;
    const json_t *attributes;
};

typedef void (*key_fn)(struct document *doc, const json_t *value,
                       const struct place *at);

static void check_version(struct document *doc, const json_t *value,
                          const struct place *at)
{
    doc->version = true;
    if (!json_is_integer(value) || json_integer_value(value) != 1)
        fault(doc->c, RULE_VERSION, at, "%s: version 1 is understood",
              json_quote(value).text);
}

static void check_first_half(struct document *doc, const json_t *value,
                             const struct place *at)
{
    check_execution(doc->c, value, &doc->half, at);
}

/* A graph: the document's, or one too many, which is checked alike. */
static void add_graph(struct document *doc, const json_t *value,
                      const struct place *at)
{
    struct graph more = {.c = doc->c, .at = at};

    if (doc->graph.there) {
        fault(doc->c, RULE_GRAPH_TWICE, at, "a second graph");
        check_graph(&more, value);
        graph_fini(&more);
        return;
    }
    /* The place must stay as long as the graph. */
    for (size_t i = 0; i < 3 && at; i++, at = at->up) {
        doc->places[i] = *at;
        doc->places[i].up = at->up ? &doc->places[i + 1] : NULL;
    }
    doc->graph = (struct graph){.c = doc->c, .at = &doc->places[0]};
    check_graph(&doc->graph, value);
}

/* The writer of the graph that stands in an object. */
static void check_writer(struct document *doc, const json_t *object,
                         const struct place *at)
{
    const char *writer = json_string_value(json_object_get(object, "writer"));

    if (writer && !strcmp(writer, SHORTHAND_WRITER))
        fault(doc->c, RULE_SHORTHAND, IN_KEY(at, "writer"),
              "%s: a shorthand graph leaves out what is in exclusive "
              "vertices, and is whole only with its inventory",
              quote(writer, strlen(writer)).text);
}

/* Does the graph leave out what R_lite may list? */
static bool is_shorthand(const struct document *doc)
{
    const char *writer = json_string_value(
        json_object_get(json_object_get(doc->json, "scheduling"), "writer"));

    return writer && !strcmp(writer, SHORTHAND_WRITER);
}

static void check_scheduling(struct document *doc, const json_t *value,
                             const struct place *at)
{
    const char *key;
    json_t *item;

    if (json_is_null(value) || !need_object(doc->c, value, at))
        return;
    item = json_object_get(value, "writer");
    if (item && !json_is_string(item) && json_object_get(value, "graph"))
        fault(doc->c, RULE_WRITER, IN_KEY(at, "writer"), "%s: not a text",
              json_quote(item).text);
    json_object_foreach ((json_t *)value, key, item) {
        if (!strcmp(key, "graph"))
            add_graph(doc, item, IN_KEY(at, key));
        else
            fault(doc->c, RULE_RESERVED_KEY, IN_KEY(at, key),
                  "reserved: `scheduling` has `graph` alone");
    }
    if (json_object_get(value, "graph"))
        check_writer(doc, value, at);
}

static void check_attributes(struct document *doc, const json_t *value,
                             const struct place *at)
{
    const struct place *in_system = IN_KEY(at, "system");
    const json_t *system = json_object_get(value, "system");
    const json_t *scheduler = json_object_get(system, "scheduler");
    const char *key;
    json_t *item;

    if (json_is_null(value) || !need_object(doc->c, value, at))
        return;
    doc->attributes = value;
    json_object_foreach ((json_t *)value, key, item)
        if (strcmp(key, "system"))
            fault(doc->c, RULE_RESERVED_KEY, IN_KEY(at, key),
                  "reserved: `attributes` has `system` alone");
    if (system && need_object(doc->c, system, in_system) && scheduler)
        need_object(doc->c, scheduler, IN_KEY(in_system, "scheduler"));
}

static void check_bare_graph(struct document *doc, const json_t *value,
                             const struct place *at)
{
    doc->bare = true;
    add_graph(doc, value, at);
}

/* JGF's multi-graph form, with one graph in it. */
static void check_graphs(struct document *doc, const json_t *value,
                         const struct place *at)
{
    json_t *item;
    size_t i;

    if (!need_list(doc->c, value, at))
        return;
    if (json_array_size(value) == 0)
        fault(doc->c, RULE_GRAPH_TWICE, at, "one graph is expected");
    json_array_foreach (value, i, item)
        check_bare_graph(doc, item, IN_LIST(at, i));
}

static const struct {
    const char *key;
    key_fn check;
} keys[] = {
    {"version", check_version},       {"execution", check_first_half},
    {"scheduling", check_scheduling}, {"attributes", check_attributes},
    {"graph", check_bare_graph},      {"graphs", check_graphs},
};
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static void check_key(struct document *doc, const char *key,
                      const json_t *value)
{
    size_t i = 0;

    while (i < KEYS && strcmp(key, keys[i].key))
        i++;
    if (i < KEYS)
        keys[i].check(doc, value, IN_KEY(NULL, key));
    else if (json_object_get(doc->json, "version"))
        fault(doc->c, RULE_RESERVED_KEY, IN_KEY(NULL, key),
              "reserved: an R has `version`, `execution`, `scheduling` and "
              "`attributes`");
}

/* Is what there is a document? */
static void check_kind(struct document *doc)
{
    bool half = doc->half.there || doc->graph.there;

    if (!half && !doc->version)
        fault(doc->c, RULE_NO_DOCUMENT, NULL,
              "neither an R nor a graph: it has no `version`, `execution`, "
              "`scheduling` or `graph`");
    else if (!half)
        fault(doc->c, RULE_HALF_MISSING, NULL,
              "an R needs `execution`, or a graph in `scheduling`");
    else if (!doc->bare && !doc->version)
        fault(doc->c, RULE_KEY_MISSING, NULL, "an R needs a `version`");
    if (doc->bare && doc->half.there)
        fault(doc->c, RULE_GRAPH_PLACE, NULL,
              "`graph` beside `execution`: an R has its graph in `scheduling`");
}

/*
 * A rank that only R_lite has is a fault of its own, which --trust may take:
 * a property that speaks of it is none.
 */
static void check_property_ranks(struct document *doc, bool halves)
{
    const struct place *execution = IN_KEY(NULL, "execution");
    const struct graph *g = &doc->graph;
    struct idset *both;

    if (!halves) {
        check_properties(doc->c, &doc->half,
                         g->there ? g->ranks : doc->half.ranks, execution);
        return;
    }
    if ((both = idset_union(g->ranks, doc->half.ranks)))
        check_properties(doc->c, &doc->half, both, execution);
    else
        doc->c->failed = true;
    idset_destroy(both);
}

/* What the parts say of each other. */
static void check_together(struct document *doc)
{
    const struct place *attributes = IN_KEY(NULL, "attributes");
    const struct place *system = IN_KEY(attributes, "system");
    const json_t *scheduler = json_object_get(
        json_object_get(doc->attributes, "system"), "scheduler");
    struct graph *g = &doc->graph;
    bool halves = g->there && g->sound && doc->half.sound && !doc->bare
                  && !is_shorthand(doc);

    if (halves)
        check_halves(g, &doc->half);
    if (g->there ? g->sound : doc->half.ranked)
        check_property_ranks(doc, halves);
    if (!g->there && doc->half.there && json_is_object(scheduler))
        check_marks(doc->c, scheduler, &doc->half, IN_KEY(system, "scheduler"));
}

static void check_document(struct document *doc)
{
    const char *key;
    json_t *value;

    if (!need_object(doc->c, doc->json, NULL))
        return;
    json_object_foreach ((json_t *)doc->json, key, value)
        check_key(doc, key, value);
    if (doc->bare)
        check_writer(doc, doc->json, NULL);
    check_kind(doc);
    check_together(doc);
}

int validate_document(const json_t *doc, struct faults *out, struct diag *d)
{
    struct check c = {.out = out};
    struct document document = {.c = &c, .json = doc};

    check_document(&document);
    half_fini(&document.half);
    graph_fini(&document.graph);
    strtab_fini(&c.names);
    arena_fini(&c.arena);
    return c.failed ? diag_oom(d) : 0;
}
