/* Reads marks. The entries of all lists become layers over the targets, so that
   a hundred thousand jobs cost one sweep over their runs. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/document/entry.h"
#include "model/document/marks_lay.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "model/records/layers.h"
#include "model/records/lots.h"

const struct mark_words mark_words[MARK_KINDS] = {
    [MARK_ALLOCATION] = {"allocations", "job"},
    [MARK_RESERVATION] = {"reservations", "job"},
    [MARK_SHARED] = {"shared", "job"},
    [MARK_STAGED] = {"staged", "job"},
    [MARK_STATE] = {"states", "state"},
    [MARK_TAG] = {"tags", "tag"},
};

enum mark_kind mark_list(const char *key)
{
    int k = WORD_FIND(mark_words, key);

    return k < 0 ? MARK_KINDS : (enum mark_kind)k;
}

bool is_mark_key(const char *key)
{
    return mark_list(key) < MARK_KINDS || !strcmp(key, "exclusive")
           || !strcmp(key, "holds");
}

void marks_drop_keys(json_t *scheduler)
{
    for (int k = 0; k < MARK_KINDS; k++)
        json_object_del(scheduler, mark_words[k].key);
    json_object_del(scheduler, "exclusive");
    json_object_del(scheduler, "holds");
}

bool marks_there(const json_t *scheduler)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)scheduler, key, value)
        if (is_mark_key(key))
            return true;
    return false;
}

/* --- entries ------------------------------------------------------------- */

/* Add a record on ranks. Takes the ranks over, and the children unless they are
   borrowed. */
static void add(struct marks *m, const struct laid *laid, struct idset *ranks)
{
    if (idset_empty(ranks) && laid->borrowed) {
        idset_destroy(ranks);
        return;
    }
    VECTOR_ADD(m->list, m->n, *laid);
    m->list[m->n - 1].ranks = ranks;
}

/* Add a record, with ranks that are held whole apart from the others. */
static void add_parts(struct marks *m, const struct laid *laid,
                      struct idset *ranks, const struct idset *holds)
{
    struct laid held = *laid, rest = *laid;

    if (!holds) {
        add(m, laid, ranks);
        return;
    }
    held.held = rest.borrowed = true;
    add(m, &held, idset_intersect(ranks, holds));
    add(m, &rest, idset_subtract(ranks, holds));
    idset_destroy(ranks);
}

/* Read the R_lite of a record. Entries with equal children, or without
   children, are joined. */
static void read_listing(struct marks *m, struct record *record,
                         const json_t *list, const struct idset *holds,
                         const struct place *at)
{
    struct idset *ranks = idset_create(), *bare = idset_create();
    struct laid laid = {.record = record};
    struct rlite lite = {0};
    struct entry e;
    json_t *item;
    size_t i;

    json_array_foreach (list, i, item) {
        entry_read(m->r, item, ENTRY_RECORD, &e,
                   IN_LIST(IN_KEY(at, "R_lite"), i));
        if (e.ranks)
            idset_add_set(ranks, e.ranks);
        if (!e.faulty && e.bare)
            idset_add_set(bare, e.ranks);
        else if (!e.faulty)
            rlite_add(&lite, e.ranks, &e.children, NULL);
        entry_fini(&e);
    }

    for (i = 0; i < lite.n; i++) {
        struct lite_entry *own = &lite.list[i];
        laid.children = own->children;
        add_parts(m, &laid, own->ranks, holds);
        own->children = (struct lite_children){0};
        own->ranks = NULL;
    }
    laid.children = (struct lite_children){0};
    laid.bare = laid.borrowed = true;
    add(m, &laid, bare);

    if (holds)
        require_known(m->r, holds, ranks, RULE_RECORD_HOLDS,
                      "is held, and is not in R_lite", IN_KEY(at, "holds"));
    rlite_fini(&lite);
    idset_destroy(ranks);
}

/* Read the state or the tag that a record is about, instead of a job. */
static void read_mark_word(struct marks *m, const json_t *value,
                           struct record *record, const struct place *at)
{
    const char *text = json_string_value(value);
    bool state = record->mark == MARK_STATE;

    if (text && *text && (!state || pool_state_from_name(text) >= 0))
        record->word = rset_string(m->r->rs, text);
    else
        fault(m->r, state ? RULE_STATE : RULE_TAG, at, "%s: not a %s",
              value ? json_quote(value).text : "missing",
              mark_words[record->mark].name);
}

static void read_mark(struct marks *m, const json_t *entry, enum mark_kind kind,
                      size_t i, const struct place *at)
{
    static const char *const known[] = {"job",   "owner",  "queue", "start",
                                        "end",   "nslots", "holds", "R_lite",
                                        "state", "tag",    "value", NULL};
    struct record *record = arena_alloc(&m->arena, sizeof(*record));
    const json_t *list = json_object_get(entry, "R_lite");
    const json_t *holds = json_object_get(entry, "holds");
    const char *key = mark_words[kind].name;
    const json_t *name = json_object_get(entry, key);
    size_t before = m->r->refused;
    struct idset *held = NULL;

    *record = (struct record){
        .hold = {.term = &record->like, .index = i, .size = 1},
        .mark = kind,
        .next = m->records};
    m->records = record;
    if (!need_object(m->r, entry, at))
        return;
    if (kind == MARK_STATE || kind == MARK_TAG)
        read_mark_word(m, name, record, IN_KEY(at, key));
    else
        record->hold.job = need_job(m->r, name, IN_OBJECT(at, entry, key));
    report_typos(m->r, entry, known, at);
    if (kind == MARK_TAG)
        record->value = json_incref(json_object_get(entry, "value"));
    record->like = term_read(m->r, entry, at);
    record->like.reserved = kind == MARK_RESERVATION;
    record->faulty = m->r->refused > before;
    if (holds)
        held = need_idset(m->r, holds, IN_KEY(at, "holds"));
    if (need_list(m->r, list, IN_OBJECT(at, entry, "R_lite")))
        read_listing(m, record, list, held, at);
    idset_destroy(held);
}

/* Read a list of records. Frees its text, which may be long. */
static void read_list(struct marks *m, struct mark_text *text,
                      enum mark_kind kind, const struct place *at)
{
    struct reader *r = m->r;
    struct stream *whole = r->s;
    struct stream_level level;
    json_t *entry;

    r->s = stream_open_part(whole, text->text, text->len, text->from);
    if (read_enter(r, &level, "[", at))
        for (size_t i = 0; read_item(r, &level); i++)
            if ((entry = read_value(r))) {
                read_mark(m, entry, kind, i, IN_LIST(at, i));
                json_decref(entry);
            }
    stream_close(r->s);
    r->s = whole;
    free(text->text);
    text->text = NULL;
}

/* --- exclusive and held ranks ---------------------------------------- */

/* Mark targets exclusive, and their contents too if a job holds them whole. */
static void put_exclusive(struct rset *rs, const struct laid_ranks *on,
                          void *arg)
{
    const bool *held = arg;

    (void)rs;
    on->target->exclusive = true;
    for (struct vertex *v = on->target->child; v; v = v->next)
        v->exclusive = *held;
}

/* Read a set of ranks and mark its targets. Returns a new set; NULL if there is
   none. */
static struct idset *read_ranks(struct marks *m, const json_t *scheduler,
                                const char *key, bool held)
{
    const json_t *value = json_object_get(scheduler, key);
    const struct place *at = IN_KEY(m->at, key);
    struct idset *ranks = value ? need_idset(m->r, value, at) : NULL;

    if (!ranks || !m->sound)
        return ranks;
    require_known(m->r, ranks, m->r->rs->ranks, RULE_RECORD_RANK,
                  "is not in the set", at);
    if (marks_lie(m))
        rset_lay(m->r->rs, &(struct layer){.ranks = ranks}, 1, CUT_RUNS,
                 put_exclusive, &held);
    return ranks;
}

/* --- all of them --------------------------------------------------------- */

/* Put tags on pools, and cut runs where tags differ. */
static void lay_tags(struct rset *rs, const struct laid_ranks *on, void *arg)
{
    struct laid *const *tags = arg;

    for (size_t i = 0; i < on->n; i++) {
        const struct laid *l = tags[on->layers[i]];
        if (l->children.n == 0)
            vertex_tag(on->target, l->record->word, l->record->value);
        for (struct vertex *v = on->target->child, *next; v; v = next) {
            const struct idset *ids = lite_children_find(&l->children, v->type);
            struct idset *part = ids ? idset_intersect(v->run, ids) : NULL;
            next = v->next;
            if (part && !idset_empty(part))
                vertex_tag(vertex_split(rs, v, part), l->record->word,
                           l->record->value);
            idset_destroy(part);
        }
        vertex_sort_children(on->target);
    }
}

static void lay_group(struct rset *rs, const struct laid_ranks *on, void *arg)
{
    struct rank_group *g = arg;

    (void)rs;
    g->ranks = on->ranks;
    g->target = on->target;
    g->n = on->n;
    for (size_t i = 0; i < on->n; i++)
        g->on[i] = &g->m->list[on->layers[i]];
    if (!g->m->r->ended)
        group_check(g);
    if (!g->m->r->ended && g->target)
        group_lay(g);
}

static void lay(struct marks *m)
{
    struct layer *layers = xcalloc(m->n + 1, sizeof(*layers));
    struct rank_group g = {.m = m,
                           .on = xcalloc(m->n + 1, sizeof(struct laid *)),
                           .by = xcalloc(m->n + 1, sizeof(struct laid *)),
                           .holds = xcalloc(m->n + 1, sizeof(struct hold)),
                           .jobs = xcalloc(m->n + 1, sizeof(char *)),
                           .sets = xcalloc(m->n + 2, sizeof(struct idset *))};
    size_t ntags = 0;

    for (size_t i = 0; i < m->n; i++)
        layers[i].ranks = m->list[i].ranks;
    rset_lay(m->r->rs, layers, m->n, marks_lie(m) ? CUT_LOTS : CUT_NOTHING,
             lay_group, &g);
    for (size_t i = 0; i < m->n; i++)
        if (m->list[i].record->mark == MARK_TAG) {
            layers[ntags].ranks = m->list[i].ranks;
            g.on[ntags++] = &m->list[i];
        }
    if (ntags > 0 && marks_lie(m))
        rset_lay(m->r->rs, layers, ntags, CUT_RUNS, lay_tags, g.on);
    free(layers);
    free(g.on);
    free(g.by);
    free(g.holds);
    free(g.jobs);
    free(g.sets);
}

void marks_read(struct reader *r, struct mark_text *texts, json_t *scheduler,
                bool sound, const struct place *at)
{
    struct marks m = {.r = r, .sound = sound, .before = r->refused, .at = at};

    m.exclusive = read_ranks(&m, scheduler, "exclusive", false);
    idset_destroy(read_ranks(&m, scheduler, "holds", true));
    for (int k = 0; k < MARK_KINDS; k++)
        if (texts[k].text && !r->ended)
            read_list(&m, &texts[k], (enum mark_kind)k,
                      IN_KEY(at, mark_words[k].key));
    marks_drop_keys(scheduler);
    if (sound && !r->ended && m.n > 0)
        lay(&m);
    if (r->rs->usage && !r->ended)
        usage_drop_implied(r->rs->usage);

    for (size_t i = 0; i < m.n; i++) {
        idset_destroy(m.list[i].ranks);
        if (!m.list[i].borrowed)
            lite_children_fini(&m.list[i].children);
    }
    for (struct record *record = m.records; record; record = record->next)
        json_decref(record->value);
    arena_fini(&m.arena);
    free(m.list);
    idset_destroy(m.exclusive);
}
