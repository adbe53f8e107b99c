/* Reads a document: its parts in the order of the input, then all of them
   together. */
#include "model/document/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/time.h"
#include "model/document/graph.h"
#include "model/document/edition.h"
#include "model/document/execution.h"
#include "model/document/marks.h"
#include "model/document/shorthand.h"
#include "model/records/jobs.h"
#include "model/records/path.h"
#include "model/records/usage.h"

struct document_reading {
    struct reader r;
    struct execution ex;
    struct graph graph; /* the first one */
    struct mark_text marks[MARK_KINDS];
    bool version;
    bool all; /* the R is in `all`: read_all() */
};

/* Depth to which an object is searched for an R. */
enum { INSIDE_MAX = 3 };

typedef void (*key_fn)(struct document_reading *g, const struct place *at);

static void read_version(struct document_reading *g, const struct place *at)
{
    json_t *value = read_value(&g->r);

    g->version = true;
    if (json_is_string(value) && !strcmp(json_string_value(value), "1"))
        fault(&g->r, RULE_VERSION, at, "\"1\": expected the number 1");
    else if (value
             && (!json_is_integer(value) || json_integer_value(value) != 1))
        fault_value(&g->r, RULE_VERSION, at, value, "expected version 1");
    json_decref(value);
}

static void read_execution(struct document_reading *g, const struct place *at)
{
    execution_read(&g->r, &g->ex, at);
}

/* Read a graph. A second one is a fault, but its own faults are reported,
   too. */
static void read_graph(struct document_reading *g, const struct place *at)
{
    struct graph more = {.r = &g->r};
    struct rset *own = g->r.rs;

    if (!g->graph.there) {
        graph_read(&g->graph, at);
        return;
    }
    fault(&g->r, RULE_GRAPH_TWICE, at, "a second graph");
    if (g->r.ended)
        return;
    g->r.rs = rset_create();
    graph_read(&more, at);
    graph_fini(&more);
    rset_destroy(g->r.rs);
    g->r.rs = own;
}

/* Check the writer of a graph, which R's `scheduling` or a bare graph names. */
static void check_writer(struct document_reading *g, const json_t *writer,
                         const struct place *at)
{
    if (is_shorthand_writer(writer))
        fault_value(&g->r, RULE_SHORTHAND, IN_KEY(at, "writer"), writer,
                    "a shorthand graph omits the contents of exclusive "
                    "vertices; only its inventory has them");
}

/* Skip a null in place of an object, with a warning; deployed readers take it
   for a missing key, too. Returns whether there was a null. */
static bool read_null(struct reader *r, const struct place *at)
{
    json_t *value = stream_peek(r->s, r->d) == 'n' ? read_value(r) : NULL;

    if (value) {
        fault(r, RULE_NULL, at, "null: expected an object");
        rset_note(r->rs, "%s is null, and is left out", at->key);
    }
    json_decref(value);
    return value;
}

static void read_scheduling(struct document_reading *g, const struct place *at)
{
    static const char *const graph_keys[] = {"nodes", "edges", NULL};
    struct document *doc = &g->r.rs->document;
    const json_t *writer;
    struct stream_level level;
    const char *key;
    json_t *value;
    bool graph;

    if (read_null(&g->r, at) || !read_enter(&g->r, &level, "{", at))
        return;
    while (read_key(&g->r, &level, &key)) {
        if (!strcmp(key, "graph"))
            read_graph(g, IN_KEY(at, "graph"));
        else if ((value = read_value(&g->r)))
            json_put(&doc->scheduling, key, value);
    }
    if (!g->graph.there)
        report_places(&g->r, doc->scheduling, graph_keys, "in scheduling.graph",
                      at);
    if (!g->graph.there && !doc->scheduling)
        doc->scheduling = json_object(); /* to write it again */

    writer = json_object_get(doc->scheduling, "writer");
    graph = g->graph.there && !doc->bare;
    if (graph && writer && !json_is_string(writer))
        fault_value(&g->r, RULE_WRITER, IN_KEY(at, "writer"), writer,
                    "expected a string");
    reserve_keys(&g->r, doc->scheduling, at,
                 "reserved: `scheduling` has only `graph`");
    if (graph)
        check_writer(g, writer, at);
}

/* Keep a list of records as text until all resources are known. Text is much
   smaller than JSON values. */
static void keep_text(struct document_reading *g, enum mark_kind kind)
{
    struct mark_text *t = &g->marks[kind];
    const char *text;

    if (stream_text(g->r.s, &text, &t->len, g->r.d) < 0) {
        g->r.ended = true;
        return;
    }
    t->text = memcpy(xcalloc(1, t->len + 1), text, t->len);
    t->from = stream_place(g->r.s);
    stream_skip(g->r.s, t->len);
    if (g->r.faults && kind <= MARK_STAGED
        && t->text[strspn(t->text, "[] \t\r\n")])
        g->r.faults->jobs = true;
}

/* The object that is being read. */
enum object_in { ATTRIBUTES, SYSTEM, SCHEDULER };

/* Read attributes, its `system`, or the `scheduler` in that, which must be
   objects. Returns an empty object for another value. */
static json_t *read_object(struct document_reading *g, enum object_in in,
                           const struct place *at)
{
    static const char *const next[] = {"system", "scheduler", NULL};
    json_t *object = json_object(), *value;
    struct stream_level level;
    const char *key;

    if (!read_enter(&g->r, &level, "{", at))
        return object;
    while (read_key(&g->r, &level, &key)) {
        enum mark_kind kind = in == SCHEDULER ? mark_list(key) : MARK_KINDS;
        if (kind < MARK_KINDS) {
            json_object_set_new(object, key, json_null());
            keep_text(g, kind);
        } else if (next[in] && !strcmp(key, next[in])) {
            json_object_set_new(object, next[in],
                                read_object(g, in + 1, IN_KEY(at, next[in])));
        } else if ((value = read_value(&g->r))) {
            if (in == ATTRIBUTES)
                fault(&g->r, RULE_RESERVED_KEY, IN_KEY(at, key),
                      "reserved: `attributes` has only `system`");
            if (mark_list(key) < MARK_KINDS)
                report_place(&g->r, key, "in attributes.system.scheduler", at);
            else if (in == ATTRIBUTES && !strcmp(key, "scheduler"))
                report_place(&g->r, key, "in attributes.system", at);
            json_object_set_new(object, key, value);
        }
    }
    return object;
}

static void read_attributes(struct document_reading *g, const struct place *at)
{
    if (!read_null(&g->r, at))
        g->r.rs->document.attributes = read_object(g, ATTRIBUTES, at);
}

/* Refuse lists of records beside a graph, whose vertices have records. */
static void refuse_marks(struct document_reading *g, json_t *scheduler,
                         const struct place *at)
{
    for (int k = 0; k < MARK_KINDS; k++)
        if (g->marks[k].text)
            fault(&g->r, RULE_RECORDS_BESIDE, IN_KEY(at, mark_words[k].key),
                  "records of a set with a graph belong to its vertices");
    if (g->r.trust == TRUST_GRAPH)
        rset_note(g->r.rs, "the records in attributes are ignored: the set has "
                           "a graph");
    marks_drop_keys(scheduler);
}

static void read_bare_graph(struct document_reading *g, const struct place *at)
{
    g->r.rs->document.bare = true;
    read_graph(g, at);
}

/* Read JGF's multi-graph form, which must have one graph. */
static void read_graphs(struct document_reading *g, const struct place *at)
{
    struct stream_level level;
    size_t n = 0;

    if (!read_enter(&g->r, &level, "[", at))
        return;
    for (; read_item(&g->r, &level); n++)
        read_bare_graph(g, IN_LIST(at, n));
    if (n == 0)
        fault(&g->r, RULE_GRAPH_TWICE, at, "one graph is expected");
}

static const struct {
    const char *key;
    key_fn read;
} keys[] = {
    {"version", read_version},       {"execution", read_execution},
    {"scheduling", read_scheduling}, {"attributes", read_attributes},
    {"graph", read_bare_graph},      {"graphs", read_graphs},
};
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static bool read_all(struct document_reading *g, const char *key);

static void read_document_key(struct document_reading *g, const char *key,
                              const struct place *in)
{
    bool beside = g->all && !in;
    int i = WORD_FIND(keys, key);
    json_t *value;

    if (i >= 0 && beside) {
        fault(&g->r, RULE_NO_DOCUMENT, IN_KEY(NULL, key),
              "only `down` and `allocated` may be beside `all`, which is an R");
        if (!g->r.ended)
            json_decref(read_value(&g->r));
    } else if (i >= 0) {
        keys[i].read(g, IN_KEY(in, keys[i].key));
    } else if (!read_all(g, key) && (value = read_value(&g->r))) {
        json_put(&g->r.rs->document.extra, key, value);
    }
}

/* --- answers of schedulers --------------------------------------------- */

/*
 * A scheduler of Flux answers a request for the state of its resources, which
 * `flux resource list` shows, with {"all": R, "down": R, "allocated": R}. This
 * is read as the set `all` in which the nodes of `down` are down, and a job
 * named "allocated" holds the resources of `allocated`. If the document is such
 * an answer, read the value of `all` as its R.
 */
static bool read_all(struct document_reading *g, const char *key)
{
    const struct place *at = IN_KEY(NULL, key);
    struct stream_level level;

    if (strcmp(key, "all") || g->all || g->version || g->ex.there
        || g->graph.there || stream_peek(g->r.s, g->r.d) != '{')
        return false;
    g->all = true;
    if (read_enter(&g->r, &level, "{", at))
        while (read_key(&g->r, &level, &key))
            read_document_key(g, key, at);
    return true;
}

/* Make the text of a list of records from the R_lite of `down` (a state of
   whole nodes) or `allocated` (a job). */
static void take_status(struct document_reading *g, const char *key,
                        enum mark_kind kind)
{
    struct rset *rs = g->r.rs;
    struct mark_text *t = &g->marks[kind];
    json_t *value = json_object_get(rs->document.extra, key);
    json_t *list, *entries, *entry, *records;
    size_t i;

    if (!value || json_is_null(value))
        return;
    list = json_object_get(json_object_get(value, "execution"), "R_lite");
    if (!json_is_array(list) || t->text) {
        fault(&g->r, RULE_NO_DOCUMENT, IN_KEY(NULL, key), "%s",
              t->text ? "`all` has such records itself"
                      : "an R with an `execution` is expected");
        return;
    }
    entries = kind == MARK_STATE ? json_array() : json_incref(list);
    json_array_foreach (kind == MARK_STATE ? list : NULL, i, entry)
        json_array_append_new(
            entries,
            json_pack("{s:O?}", "rank", json_object_get(entry, "rank")));
    records = json_pack("[{s:s, s:o}]", mark_words[kind].name, key, "R_lite",
                        entries);
    t->text = json_dumps(records, JSON_COMPACT);
    t->len = strlen(t->text);
    t->from = stream_place(g->r.s);
    json_decref(records);
    json_object_set_new(edition_make_scheduler(rs->document.attributes),
                        mark_words[kind].key, json_null());
}

/* --- the whole ----------------------------------------------------------- */

/* Return the path of an R or a graph in an object: ".R", ".data.R"; or NULL. */
static char *find_inside(const json_t *object, unsigned depth)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)object, key, value) {
        char *path = NULL, *inner = NULL;
        if (json_object_get(value, "execution")
            || json_object_get(value, "graph")
            || json_object_get(json_object_get(value, "all"), "execution"))
            inner = xstrdup("");
        else if (depth < INSIDE_MAX)
            inner = find_inside(value, depth + 1);
        if (!inner)
            continue;
        xasprintf(&path, ".%s%s", key, inner);
        free(inner);
        return path;
    }
    return NULL;
}

/* Report that a value is not a document, with a hint: usually it is a part of
   one, or contains one. */
static void refuse_other(struct reader *r)
{
    const json_t *extra = r->rs->document.extra;
    char *path = find_inside(extra, 1);
    char hint[320] = "";
    const char *key;
    json_t *value;

    if (path)
        snprintf(hint, sizeof(hint),
                 "; there is an R or a graph at %.100s: jq "
                 "%.100s",
                 path, path);
    else if (json_object_get(extra, "R_lite"))
        snprintf(hint, sizeof(hint),
                 "; this is the `execution` of an R: "
                 "jq '{version: 1, execution: .}'");
    else if (json_object_get(extra, "timestamp")
             && json_object_get(extra, "name"))
        snprintf(hint, sizeof(hint),
                 "; this is an event of an eventlog, which "
                 "has no R in it");
    else if (json_is_object(json_object_get(extra, "nodes")))
        snprintf(hint, sizeof(hint),
                 "; `nodes` is an object, as in PBS: rset-discover --from pbs");
    else
        json_object_foreach ((json_t *)extra, key, value) {
            struct near near = {.word = key, .len = strlen(key)};
            for (size_t i = 0; i < KEYS; i++)
                near_try(&near, keys[i].key);
            if (!*hint && *near.text)
                snprintf(hint, sizeof(hint), "; there is %s%s",
                         quote(key, near.len).text, near.text);
        }
    fault(r, RULE_NO_DOCUMENT, NULL,
          "neither an R nor a graph: it has no `version`, `execution`, "
          "`scheduling` or `graph`%s",
          hint);
    free(path);
}

/* Check that the parts make a document. */
static void check_kind(struct document_reading *g)
{
    struct reader *r = &g->r;
    const struct document *doc = &r->rs->document;
    const char *known[KEYS + 1] = {NULL};
    bool half = g->ex.there || g->graph.there;

    for (size_t i = 0; i < KEYS; i++)
        known[i] = keys[i].key;
    if (half)
        report_typos(r, doc->extra, known, NULL);
    if (!doc->bare && (g->ex.there || g->version))
        report_places(r, doc->extra, execution_keys,
                      "in execution, not beside it", NULL);
    if (g->version)
        reserve_keys(r, doc->extra, NULL,
                     "reserved: an R has `version`, `execution`, "
                     "`scheduling` and `attributes`");
    if (doc->bare)
        check_writer(g, json_object_get(doc->extra, "writer"), NULL);
    if (!half && !g->version)
        refuse_other(r);
    else if (!half)
        fault(r, RULE_HALF_MISSING, NULL,
              "an R needs `execution`, or a graph in `scheduling`%s",
              near_key(doc->extra, "execution").text);
    else if (!doc->bare && !g->version)
        fault(r, RULE_KEY_MISSING, NULL, "an R needs a `version`%s",
              near_key(doc->extra, "version").text);
    if (doc->bare && g->ex.there)
        fault(r, RULE_GRAPH_PLACE, NULL,
              "`graph` beside `execution`: an R has its graph in `scheduling`");
}

static void join_halves(struct document_reading *g)
{
    struct rset *rs = g->r.rs;
    struct document *doc = &rs->document;
    bool sound = g->graph.sound && (!g->ex.there || g->ex.sound);
    json_t *writer = json_object_get(doc->extra, "writer");

    /* the writer of a bare graph is kept in the same place as in an R */
    if (doc->bare && json_is_string(writer)) {
        json_put(&doc->scheduling, "writer", json_incref(writer));
        json_object_del(doc->extra, "writer");
    }

    /* a writer that says shorthand is not kept */
    writer = json_object_get(doc->scheduling, "writer");
    if (rset_has_graph(rs) && is_shorthand_writer(writer)
        && json_object_del(doc->scheduling, "writer") == 0
        && g->r.trust != TRUST_EXECUTION && sound)
        shorthand_fill(rs, g->ex.there ? &g->ex : NULL);

    if (g->ex.there && !(doc->bare && g->r.faults))
        execution_apply(&g->r, &g->ex, &g->graph);
}

/* Note jobs that wait for other jobs, which have ended but were not
   released. */
static void note_waiting(struct reader *r)
{
    struct usage *u = usage_begin(r->rs);
    double now = r->faults->now;

    usage_lapse(u, now);
    for (const struct job *job = usage_jobs(u); job; job = job->next) {
        const struct grant *own, *over = job_awaits(u, job, now, &own);
        char *place;
        if (!over)
            continue;
        place = lot_place(u, own->lot);
        fault(r, RULE_WAITING, NULL,
              "job %.60s waits for job %.60s, which ended at %s and was not "
              "released: %s",
              job->name, over->term->job->name, time_utc(over->term->end).text,
              place);
        free(place);
    }
}

/* Check that the keys make a document, join its halves, and read its
   records. */
static void finish(struct document_reading *g)
{
    const struct place *attributes = IN_KEY(NULL, "attributes");
    const struct place *system = IN_KEY(attributes, "system");
    const struct place *at = g->all ? NULL : IN_KEY(system, "scheduler");
    static const char *const known[] = {
        "allocations", "reservations", "shared", "staged", "states",
        "tags",        "exclusive",    "holds",  "nslots", "writer",
        "job",         "queue",        NULL};
    struct rset *rs = g->r.rs;
    struct document *doc = &rs->document;
    json_t *scheduler;
    bool graph; /* the set has a graph and records beside it */

    if (g->all) { /* the other keys are in rs->document.extra */
        if (!doc->attributes)
            doc->attributes = json_object();
        take_status(g, "down", MARK_STATE);
        take_status(g, "allocated", MARK_ALLOCATION);
        json_object_del(doc->extra, "down");
        json_object_del(doc->extra, "allocated");
    }
    check_kind(g);
    if (!g->r.ended)
        join_halves(g);
    if (g->r.ended)
        return;
    if (g->graph.there && (!g->r.faults || g->r.refused == 0))
        usage_gather(rs);
    scheduler = edition_scheduler(doc->attributes);
    need_version(&g->r, scheduler, at);
    report_typos(&g->r, scheduler, known, at);
    /* records can't be resolved if the graph has faults */
    graph = rset_has_graph(rs) && marks_there(scheduler);
    if (graph && (!g->all || rset_partial(rs)))
        refuse_marks(g, scheduler, at);
    else if (graph && (!g->graph.sound || g->r.refused > 0))
        ; /* its records can't be joined */
    else if (graph && g->marks[MARK_ALLOCATION].text && rs->usage
             && usage_njobs(rs->usage) > 0)
        fault(&g->r, RULE_NO_DOCUMENT, IN_KEY(NULL, "allocated"),
              "`all` has such records itself");
    else if (graph)
        marks_join(&g->r, g->marks, scheduler, at);
    else if (g->ex.there && scheduler)
        marks_read(&g->r, g->marks, scheduler, g->ex.sound, at);
    if (!g->r.ended && !g->r.faults)
        edition_restore(rs);
    if (g->r.faults && g->r.faults->waiting && g->r.refused == 0)
        note_waiting(&g->r);
}

/* Read like rset_read(), but leave the set in *out even after a fault. */
static int read_next(struct stream *s, enum trust trust, struct faults *faults,
                     struct rset **out, struct diag *d)
{
    struct document_reading g = {
        .r = {.s = s, .trust = trust, .faults = faults, .d = d}};
    int rc = stream_next(s, d);
    struct stream_level level;
    const char *key;

    *out = NULL;
    if (rc <= 0)
        return rc;
    g.r.rs = *out = rset_create();
    g.graph.r = &g.r;
    if (read_enter(&g.r, &level, "{", NULL)) {
        while (read_key(&g.r, &level, &key))
            read_document_key(&g, key, NULL);
        if (!g.r.ended)
            finish(&g);
    }
    execution_fini(&g.ex);
    if (g.graph.there)
        graph_fini(&g.graph);
    for (int k = 0; k < MARK_KINDS; k++)
        free(g.marks[k].text);
    map_fini(&g.r.jobs);
    if (!g.r.ended)
        return 1;
    if (!d->source[0])
        stream_fault(s, d);
    return -1;
}

int rset_read(struct stream *s, enum trust trust, struct rset **out,
              struct diag *d)
{
    int rc = read_next(s, trust, NULL, out, d);

    if (rc == 1)
        return rc;
    rset_destroy(*out);
    *out = NULL;
    return rc;
}

struct rset *rset_read_text(const char *text, size_t len, const char *name,
                            enum trust trust, struct diag *d)
{
    struct stream *s = stream_open_text(text, len, name);
    struct rset *rs = NULL;

    if (stream_peek(s, d) >= 0 && rset_read(s, trust, &rs, d) > 0
        && stream_end(s, d) < 0) {
        rset_destroy(rs);
        rs = NULL;
    }
    stream_close(s);
    return rs;
}

int rset_validate(struct stream *s, enum trust trust, struct faults *faults,
                  struct diag *d)
{
    struct rset *rs;
    int rc = read_next(s, trust, faults, &rs, d);

    rset_destroy(rs);
    return rc;
}
