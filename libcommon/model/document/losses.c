/* Notes all parts of a set that the form and the edition of a document can't
   express. */
#include "model/document/losses.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "model/document/edition.h"
#include "model/document/jgf.h"
#include "model/document/rlite.h"
#include "model/document/unknown.h"
#include "model/records/jobs.h"
#include "model/records/tags.h"
#include "model/records/usage.h"

/* --- words ---------------------------------------------------------------- */

/* Parts of a note, with commas between them. */
struct note_words {
    FILE *fp;
    size_t n;
    char *text;
};

static void words_init(struct note_words *w)
{
    w->n = 0;
    w->fp = memory_open(&w->text, NULL);
}

static void put_word(struct note_words *w, const char *before, const char *word)
{
    fprintf(w->fp, "%s%s%s", w->n++ ? ", " : "", before, word);
}

/* Add a note with the words, if there are any, between `before` and `after`. */
static void words_note(struct note_words *w, struct rset *rs,
                       const char *before, const char *after)
{
    memory_close(w->fp);
    if (w->n > 0)
        rset_note(rs, "%s%s%s", before, w->text, after);
    free(w->text);
}

/* Add the keys of an object, each after its path. `writer`: except the graph's
   writer. */
static void put_keys(struct note_words *w, const char *before,
                     const json_t *object, bool writer)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)object, key, value)
        if (!writer || !edition_is_writer(key, value))
            put_word(w, before, key);
}

/* --- unknown keys -------------------------------------------------------- */

/* Count unknown keys of a vertex or an edge without a place in these halves. */
static size_t count_keys(const json_t *extra, int halves)
{
    /* these keys have a place in an R, are only a number, or mark a sum, which
       is in no R */
    static const char *const but[] = {UNKNOWN_KEY, "tags", "sum", "uniq_id"};
    size_t n = 0;

    if (!(halves & HALF_GRAPH)) {
        n = json_object_size(extra);
        for (size_t i = 0; i < sizeof(but) / sizeof(but[0]); i++)
            n -= json_object_get(extra, but[i]) != NULL;
    }
    for (int place = 0; place < UNKNOWN_PLACES; place++) {
        const json_t *keys = unknown_keys(extra, (enum unknown_place)place);
        int half = place == UNKNOWN_ENTRY ? HALF_EXECUTION : HALF_GRAPH;
        if (!(halves & half)) /* the relationship of an edge is known */
            n += json_object_size(keys)
                 - (json_object_get(keys, "relationship") != NULL);
    }
    return n;
}

static void note_unknown(struct rset *rs, int halves)
{
    size_t n = halves & HALF_GRAPH ? 0 : json_object_size(rs->document.graph);

    if (!(rs->document.halves & ~halves))
        return; /* all keys were read from these halves */
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->extra)
            n += count_keys(v->extra, halves);
    for (size_t i = 0; i < rs->nlinks; i++)
        n += count_keys(rs->links[i].extra, halves);
    if (n > 0)
        rset_note(rs,
                  "%zu key%s of R_lite entries, the graph, its vertices or "
                  "its edges %s left out",
                  n, n == 1 ? "" : "s", n == 1 ? "is" : "are");
}

/* --- a bare graph --------------------------------------------------------- */

/* Note keys that have no place in a bare graph. A graph's writer is not a
   loss. */
static void note_bare(struct rset *rs)
{
    struct note_words w;

    words_init(&w);
    if (rs->starttime)
        put_word(&w, "", "starttime");
    if (rs->expiration)
        put_word(&w, "", "expiration");
    if (rs->document.nslots == NSLOTS_READ) /* else not from the input */
        put_keys(&w, "execution.", rs->document.execution, true);
    put_keys(&w, "scheduling.", rs->document.scheduling, true);
    if (json_object_size(rs->document.attributes) > 0)
        put_word(&w, "", "attributes");
    put_keys(&w, "", rs->document.extra, true);
    words_note(&w, rs, "a bare graph has no place for ", "");
}

/* --- an R without a graph ------------------------------------------------- */

/* Losses other than records, which are numbered by enum mark_kind. */
enum { LOSS_EXCLUSIVE = MARK_KINDS, LOSS_SIZE, LOSS_NODE, LOSS_POOL, LOSSES };

/* Name the types below the root that an R does not list, and the listed types
   with properties, which it can't express. */
static void put_types(struct note_words *w, const struct rset *rs)
{
    struct map seen = {0}; /* 1: type named; 2: properties named */

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        bool listed = rlite_lists(rs, v);
        size_t what = listed ? 2 : 1;
        struct map_slot *slot;

        if (v == rs->root || type_is_node(v->type)
            || (listed && !v->properties))
            continue;
        slot = map_at(&seen, v->type, strlen(v->type));
        if (slot->value.number & what)
            continue;
        slot->value.number |= what;
        put_word(w, listed ? "properties of " : "", v->type);
    }
    map_fini(&seen);
}

/* Note pools that an R does not list, and their records. */
static void note_unlisted(struct rset *rs, struct settled s)
{
    struct {
        const char *of;
        const struct vertex *first;
        size_t count;
    } losses[LOSSES] = {
        [MARK_ALLOCATION] = {"allocations of ", NULL, 0},
        [MARK_RESERVATION] = {"reservations of ", NULL, 0},
        [MARK_SHARED] = {"jobs that share ", NULL, 0},
        [MARK_STAGED] = {"the job that stages ", NULL, 0},
        [MARK_STATE] = {"the state of ", NULL, 0},
        [MARK_TAG] = {"tags of ", NULL, 0},
        [LOSS_EXCLUSIVE] = {"the exclusive flag of ", NULL, 0},
        [LOSS_SIZE] = {"the size of ", NULL, 0},
        [LOSS_NODE] = {"a node without a rank, ", NULL, 0},
        [LOSS_POOL] = {"a resource outside of nodes, ", NULL, 0},
    };
    struct note_words w;

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        bool listed = rlite_lists(rs, v);
        bool node = !listed && type_is_node(v->type) && !vertex_target(v);
        bool is[LOSSES] = {
            [MARK_STATE] = !listed && vertex_state(s, v) != STATE_UP,
            [MARK_TAG] = !listed && vertex_has_tags(v),
            [LOSS_EXCLUSIVE] = !listed && v->exclusive
                               && !(v->parent && v->parent->exclusive),
            [LOSS_SIZE] = listed && v->size != 1,
            [LOSS_NODE] = node,
            /* R_lite lists other pools of the type */
            [LOSS_POOL] = !listed && !node && rlite_type(rs, v->type),
        };
        for (const struct grant *g = listed ? NULL : vertex_grants(s, v); g;
             g = g->beside)
            if (g->term->kind != GRANT_LISTED)
                is[mark_of_term(g->term)] = true;
        for (int k = 0; k < LOSSES; k++)
            if (is[k] && losses[k].count++ == 0)
                losses[k].first = v;
    }

    words_init(&w);
    if (rs->document.names_losses)
        put_types(&w, rs);
    for (int k = 0; k < LOSSES; k++) {
        char *place;
        if (!losses[k].count)
            continue;
        place = vertex_place(rs, losses[k].first);
        put_word(&w, losses[k].of, place);
        if (losses[k].count > 1)
            fprintf(w.fp, " and %zu more", losses[k].count - 1);
        free(place);
    }
    words_note(&w, rs,
               "an R without a graph can't express everything, left out: ", "");
}

/* --- the current edition -------------------------------------------------- */

/* Name a list of records with its jobs; if there are many jobs, some and the
   number of others. */
static void name_jobs(struct note_words *w, const char *what, const char *text)
{
    enum { SHOWN = 6 };
    json_t *jobs = json_object(), *list = json_loads(text, 0, NULL), *value;
    const char *job;
    size_t n, i;

    json_array_foreach (list, i, value)
        json_object_set_new(
            jobs, json_quote(json_object_get(value, "job")).text, json_true());
    n = json_object_size(jobs);
    i = 0;
    put_word(w, what, n > 1 ? " of jobs" : " of job");
    json_object_foreach (jobs, job, value)
        if (i++ < SHOWN)
            fprintf(w->fp, "%s%s", i > 1 ? ", " : " ", job);
    if (n > SHOWN)
        fprintf(w->fp, " and %zu more", n - SHOWN);
    json_decref(jobs);
    json_decref(list);
}

static void note_attributes(struct rset *rs, const struct written_form *form)
{
    json_t *attributes = form->attributes;
    json_t *system = json_object_get(attributes, "system");
    json_t *scheduler = json_object_get(system, "scheduler"), *value;
    const char *key;
    struct note_words w;

    words_init(&w);

    /* records in an R without a graph: see marks.h */
    for (int k = 0; k < MARK_KINDS; k++)
        if (form->marks[k].text && k <= MARK_STAGED)
            name_jobs(&w, mark_words[k].key, form->marks[k].text);
        else if (form->marks[k].text)
            put_word(&w, "", mark_words[k].key);
    if (json_object_get(scheduler, "exclusive"))
        put_word(&w, "", "which nodes are exclusive");
    if (json_object_get(scheduler, "holds"))
        put_word(&w, "", "which nodes are held whole");

    json_object_foreach (scheduler, key, value)
        if (!is_mark_key(key))
            put_word(&w, "system.scheduler.", key);
    json_object_foreach (system, key, value)
        if (strcmp(key, "scheduler"))
            put_word(&w, "system.", key);
    json_object_foreach (attributes, key, value)
        if (strcmp(key, "system"))
            put_word(&w, "", key);
    words_note(&w, rs, "the current edition has no attributes, left out: ", "");
}

/* Note uuids and unusual relationships, which graphs of this edition do not
   have. */
static void note_graph(struct rset *rs)
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
                  "graphs of the current edition have no uuids: uuids of %zu "
                  "vert%s are left out",
                  uuids, uuids == 1 ? "ex" : "ices");
    if (words)
        rset_note(rs,
                  "graphs of the current edition have no relationships: "
                  "%zu %s left out",
                  words, words == 1 ? "is" : "are");
}

/* --- all of it ------------------------------------------------------------ */

void note_losses(struct rset *rs, const struct written_form *form)
{
    bool graph = form->halves & HALF_GRAPH;
    struct note_words w;

    note_unknown(rs, form->halves);
    if (form->bare && !rs->document.bare)
        note_bare(rs);
    else if (form->bare && json_object_get(rs->document.scheduling, "writer")
             && json_object_get(rs->document.extra, "writer"))
        rset_note(rs, "a bare graph has no place for scheduling.writer beside "
                      "its own key writer");
    if (form->bare)
        return;
    if (!graph && rset_has_graph(rs))
        note_unlisted(rs, form->settled);
    if (form->style->dialect == DIALECT_CURRENT) {
        note_attributes(rs, form);
        if (graph)
            note_graph(rs);
    } else if (form->style->chosen) {
        /* keys that are carried although the seed edition does not know them */
        words_init(&w);
        put_keys(&w, "", rs->document.scheduling, graph || rset_has_graph(rs));
        words_note(&w, rs, "the seed edition has only a graph in scheduling: ",
                   w.n > 1 ? " are kept anyway" : " is kept anyway");
    }
}
