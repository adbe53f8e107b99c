/*
 * Moves what the two editions of RFC 20 have in different places (edition.h),
 * and says what an edition can't.
 */
#include "model/document/edition.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/document/jgf.h"
#include "model/document/shorthand.h"
#include "model/document/unknown.h"

json_t *edition_scheduler(const json_t *attributes)
{
    return json_object_get(json_object_get(attributes, "system"), "scheduler");
}

static void prune(json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_object(value) && json_object_size(value) == 0)
        json_object_del(object, key);
}

void edition_prune(json_t *attributes)
{
    json_t *system = json_object_get(attributes, "system");

    prune(system, "scheduler");
    prune(attributes, "system");
}

/* --- nslots and writer --------------------------------------------------- */

static bool is_nslots(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) > 0;
}

const json_t *edition_nslots(const struct rset *rs)
{
    const json_t *value = json_object_get(rs->execution_extra, "nslots");

    return is_nslots(value) ? value : NULL;
}

bool edition_is_writer(const char *key, const json_t *value)
{
    return !strcmp(key, "writer") && json_is_string(value);
}

/* The writer of a graph, but for the one that is never only carried. */
static bool is_writer(const json_t *value)
{
    return json_is_string(value)
           && strcmp(json_string_value(value), SHORTHAND_WRITER);
}

/* Move a key to an object, made if there is none, unless it has that key. */
static void move(struct rset *rs, json_t *from, const char *key, json_t **to)
{
    json_t *value = json_object_get(from, key);

    if (!*to)
        *to = json_object();
    if (!json_object_get(*to, key)) {
        json_object_set(*to, key, value);
    } else if (!json_equal(json_object_get(*to, key), value)) {
        rset_note(rs,
                  "attributes.system.scheduler.%s is left out: the document "
                  "has another %s",
                  key, key);
    }
    json_object_del(from, key);
}

void edition_restore(struct rset *rs)
{
    json_t *scheduler = edition_scheduler(rs->attributes);

    if (is_nslots(json_object_get(scheduler, "nslots")))
        move(rs, scheduler, "nslots", &rs->execution_extra);
    if ((rs->halves & HALF_GRAPH) && !rs->bare
        && is_writer(json_object_get(scheduler, "writer")))
        move(rs, scheduler, "writer", &rs->scheduling);
    edition_prune(rs->attributes);
}

/* An object under a key, made if it is not there or is none. */
static json_t *object_at(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    if (!json_is_object(value)) {
        value = json_object();
        json_object_set_new(object, key, value);
    }
    return value;
}

json_t *edition_make_scheduler(json_t *attributes)
{
    return object_at(object_at(attributes, "system"), "scheduler");
}

static void park(json_t *attributes, const char *key, const json_t *value)
{
    json_t *scheduler = edition_make_scheduler(attributes);

    json_object_set(scheduler, key, (json_t *)value);
}

void edition_park(const struct rset *rs, bool graph, json_t *attributes)
{
    const json_t *nslots = edition_nslots(rs);
    const json_t *writer = json_object_get(rs->scheduling, "writer");

    if (nslots && rs->nslots != NSLOTS_FIXED)
        park(attributes, "nslots", nslots);
    if (graph && is_writer(writer))
        park(attributes, "writer", writer);
}

/* --- what is lost -------------------------------------------------------- */

/* Parts of a message, with commas between them. */
struct words {
    FILE *fp;
    const char *sep;
};

static void put_word(struct words *w, const char *before, const char *word)
{
    fprintf(w->fp, "%s%s%s", w->sep, before, word);
    w->sep = ", ";
}

/* The jobs of a list of records, each once. */
static json_t *jobs_of(const json_t *list)
{
    json_t *jobs = json_object(), *entry;
    size_t i;

    json_array_foreach (list, i, entry)
        json_object_set_new(
            jobs, json_quote(json_object_get(entry, "job")).text, json_true());
    return jobs;
}

/* Their records, and whose; more jobs than a few are counted. */
static void say_jobs(struct words *w, const char *what, const json_t *list)
{
    enum { SHOWN = 6 };
    json_t *jobs = jobs_of(list), *unused;
    size_t n = json_object_size(jobs), i = 0;
    const char *job;

    put_word(w, what, n > 1 ? " of jobs" : " of job");
    json_object_foreach (jobs, job, unused)
        if (i++ < SHOWN)
            fprintf(w->fp, "%s%s", i > 1 ? ", " : " ", job);
    if (n > SHOWN)
        fprintf(w->fp, " and %zu more", n - SHOWN);
    json_decref(jobs);
}

/* Records that stand in an R without a graph: see marks.h. */
static const struct {
    const char *key, *text;
    bool jobs;
} records[] = {
    {"allocations", "allocations", true},
    {"reservations", "reservations", true},
    {"shared", "shared", true},
    {"staged", "staged", true},
    {"states", "states", false},
    {"tags", "tags", false},
    {"exclusive", "which nodes are exclusive", false},
    {"holds", "which nodes are held whole", false},
};
enum { RECORDS = sizeof(records) / sizeof(records[0]) };

static bool is_record(const char *key)
{
    size_t i = 0;

    while (i < RECORDS && strcmp(key, records[i].key))
        i++;
    return i < RECORDS;
}

static void put_records(struct words *w, const json_t *scheduler)
{
    for (size_t i = 0; i < RECORDS; i++) {
        const json_t *value = json_object_get(scheduler, records[i].key);
        if (value && records[i].jobs)
            say_jobs(w, records[i].text, value);
        else if (value)
            put_word(w, "", records[i].text);
    }
}

static bool is_system(const char *key)
{
    return !strcmp(key, "system");
}

static bool is_scheduler(const char *key)
{
    return !strcmp(key, "scheduler");
}

/* The keys of an object, each with what leads to it, but for some. */
static void say_keys(struct words *w, const char *before, const json_t *object,
                     bool (*but)(const char *key))
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)object, key, value)
        if (!but(key))
            put_word(w, before, key);
}

void edition_note_attributes(struct rset *rs, const json_t *attributes)
{
    const json_t *system = json_object_get(attributes, "system");
    const json_t *scheduler = json_object_get(system, "scheduler");
    char *text = NULL;
    struct words w = {.sep = ""};
    size_t len;

    if (json_object_size(attributes) == 0)
        return;
    w.fp = memory_open(&text, &len);
    put_records(&w, scheduler);
    say_keys(&w, "system.scheduler.", scheduler, is_record);
    say_keys(&w, "system.", system, is_scheduler);
    say_keys(&w, "", attributes, is_system);
    memory_close(w.fp);
    rset_note(rs, "the current edition has no attributes, left out: %s", text);
    free(text);
}

void edition_note_graph(struct rset *rs)
{
    size_t uuids = 0, words = 0;

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        uuids += v->uuid != NULL;
        words += json_object_get(unknown_keys(v->extra, UNKNOWN_WORDS),
                                 "relationship")
                 != NULL;
    }
    for (size_t i = 0; i < rs->nlinks; i++)
        words += strcmp(rs->links[i].relationship,
                        jgf_usual_word(rs->links[i].subsystem))
                 != 0;
    if (uuids)
        rset_note(rs,
                  "graphs of the current edition have no uuids: those of %zu "
                  "vert%s are left out",
                  uuids, uuids == 1 ? "ex" : "ices");
    if (words)
        rset_note(rs,
                  "graphs of the current edition have no relationships: "
                  "%zu %s left out",
                  words, words == 1 ? "is" : "are");
}

void edition_note_scheduling(struct rset *rs, bool graph)
{
    char *text = NULL;
    struct words w = {.sep = ""};
    const char *key;
    json_t *value;
    size_t len;

    w.fp = memory_open(&text, &len);
    json_object_foreach (rs->scheduling, key, value)
        if (!(graph || (rs->halves & HALF_GRAPH))
            || !edition_is_writer(key, value))
            put_word(&w, "", key);
    memory_close(w.fp);
    if (len > 0)
        rset_note(rs,
                  "the seed edition has nothing but a graph in scheduling: "
                  "%s %s carried all the same",
                  text, strchr(text, ',') ? "are" : "is");
    free(text);
}
