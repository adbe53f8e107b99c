/*
 * Validation of records in an R without a graph: see marks.h for their form.
 *
 * Entries of R_lite and of all records are laid over each other by rank. In
 * each group of ranks everything is the same, so it is looked at once: what
 * there is of each type, who holds it, and who holds all of it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/validate_marks.h"
#include "set/overlay.h"

static void marks_fini(struct marks *m)
{
    for (size_t i = 0; i < m->n; i++) {
        idset_destroy(m->list[i].ranks);
        lite_children_fini(&m->list[i].children);
    }
    free(m->list);
    idset_destroy(m->exclusive);
}

/* --- reading ------------------------------------------------------------ */

/* Takes ranks and children over. */
static void add(struct marks *m, const struct laid *laid)
{
    struct laid *list = m->list;

    if (m->n == m->size) {
        size_t size = m->size ? m->size * 2 : 16;
        list = xrealloc(list, size * sizeof(*list));
        if (list) {
            m->list = list;
            m->size = size;
        }
    }
    if (list) {
        m->list[m->n++] = *laid;
        return;
    }
    m->c->failed = true;
    idset_destroy(laid->ranks);
    lite_children_fini((struct lite_children *)&laid->children);
}

static bool copy_children(struct lite_children *to,
                          const struct lite_children *from)
{
    *to = (struct lite_children){0};
    for (size_t i = 0; i < from->n; i++) {
        struct idset *ids = lite_children_ids(to, from->list[i].type);
        if (!ids)
            return false;
        idset_add_set(ids, from->list[i].ids);
    }
    return true;
}

/* Ranks that are held whole are laid apart from those that are not. */
static void add_parts(struct marks *m, struct laid *laid,
                      const struct idset *holds)
{
    struct laid part = *laid;

    if (!holds) {
        add(m, laid);
        return;
    }
    part.held = true;
    part.ranks = idset_intersect(laid->ranks, holds);
    if (part.ranks && copy_children(&part.children, &laid->children))
        add(m, &part);
    else
        m->c->failed = true;
    part = *laid;
    part.ranks = idset_subtract(laid->ranks, holds);
    idset_destroy(laid->ranks);
    if (part.ranks)
        add(m, &part);
    else
        m->c->failed = true;
}

/* What the R_lite of a record lists. */
struct listed {
    struct rlite lite;   /* entries with equal children are one */
    struct idset *ranks; /* of all entries */
    struct idset *all;   /* of those that have no `children` */
};

static void read_entry(struct marks *m, const json_t *item, struct listed *l,
                       const struct place *at)
{
    struct lite_children children;
    struct idset *ranks;
    bool all = json_is_object(item) && !json_object_get(item, "children");
    bool good = check_lite_entry(m->c, item, true, &ranks, &children, at);

    if (ranks)
        idset_add_set(l->ranks, ranks);
    if (good && all)
        idset_add_set(l->all, ranks);
    else if (good && rlite_add(&l->lite, ranks, &children) < 0)
        m->c->failed = true;
    lite_children_fini(&children);
    idset_destroy(ranks);
}

static void add_entries(struct marks *m, struct laid *laid, struct listed *l,
                        const struct idset *holds)
{
    for (size_t i = 0; i < l->lite.n && !m->c->failed; i++) {
        laid->ranks = idset_copy(l->lite.list[i].ranks);
        if (laid->ranks
            && copy_children(&laid->children, &l->lite.list[i].children))
            add_parts(m, laid, holds);
        else
            m->c->failed = true;
    }
    laid->ranks = l->all;
    laid->children = (struct lite_children){0};
    add(m, laid);
    l->all = NULL;
}

static void check_holds_listed(struct check *c, const struct idset *holds,
                               const struct idset *listed,
                               const struct place *at)
{
    struct idset *left = holds ? idset_subtract(holds, listed) : NULL;

    if (holds && !left)
        c->failed = true;
    if (left && !idset_empty(left))
        fault(c, RULE_RECORD_HOLDS, at, "rank %u is held, and is not in R_lite",
              idset_first(left));
    idset_destroy(left);
}

static void read_rlite(struct marks *m, struct laid *laid, const json_t *list,
                       const struct idset *holds, const struct place *at)
{
    struct listed l = {.ranks = idset_create(), .all = idset_create()};
    json_t *item;
    size_t i;

    if (!l.ranks || !l.all)
        m->c->failed = true;
    json_array_foreach (list, i, item)
        if (!m->c->failed)
            read_entry(m, item, &l, IN_LIST(at, i));
    if (!m->c->failed) {
        add_entries(m, laid, &l, holds);
        check_holds_listed(m->c, holds, l.ranks, IN_KEY(at->up, "holds"));
    }
    rlite_fini(&l.lite);
    idset_destroy(l.ranks);
    idset_destroy(l.all);
}

/* What an entry is about that is no job: a state, or a tag. */
static void check_word(struct check *c, const json_t *value,
                       enum mark_kind mark, const struct place *at)
{
    const char *text = json_string_value(value);
    bool state = mark == MARK_STATE;

    if (!text || !*text || (state && pool_state_from_name(text) < 0))
        fault(c, state ? RULE_STATE : RULE_TAG, at, "%s: not a %s",
              value ? json_quote(value).text : "missing",
              mark_words[mark].name);
}

static void read_mark(struct marks *m, const json_t *entry, enum mark_kind mark,
                      size_t i, const struct place *at)
{
    struct laid laid = {.mark = mark, .hold = {.index = i, .size = 1}};
    const json_t *list = json_object_get(entry, "R_lite");
    const json_t *holds = json_object_get(entry, "holds");
    const char *key = mark_words[mark].name;
    struct idset *held = NULL;
    size_t before = m->c->refused;

    if (!need_object(m->c, entry, at))
        return;
    if (mark == MARK_STATE || mark == MARK_TAG)
        check_word(m->c, json_object_get(entry, key), mark, IN_KEY(at, key));
    else
        laid.hold.job = check_job(m->c, json_object_get(entry, key),
                                  IN_KEY(at, key));
    if (mark == MARK_ALLOCATION || mark == MARK_RESERVATION)
        check_owner(m->c, entry, at);
    check_span(m->c, entry, &laid.hold, at);
    laid.faulty = m->c->refused > before;
    laid.hold.kind = mark == MARK_RESERVATION ? CLAIM_RESERVATION
                                              : CLAIM_ALLOCATION;
    if (holds)
        held = need_idset(m->c, holds, IN_KEY(at, "holds"));
    if (need_list(m->c, list, IN_KEY(at, "R_lite")))
        read_rlite(m, &laid, list, held, IN_KEY(at, "R_lite"));
    idset_destroy(held);
}

static void read_marks(struct marks *m, const json_t *scheduler)
{
    for (int k = 0; k < MARK_KINDS; k++) {
        const char *key = mark_words[k].key;
        const json_t *list = json_object_get(scheduler, key);
        json_t *entry;
        size_t i;

        if (!list || !need_list(m->c, list, IN_KEY(m->at, key)))
            continue;
        json_array_foreach (list, i, entry)
            read_mark(m, entry, (enum mark_kind)k, i,
                      IN_LIST(IN_KEY(m->at, key), i));
    }
}

/* Ranks of `exclusive` or `holds`: a new set, NULL if there is none. */
static struct idset *check_ranks(struct marks *m, const json_t *scheduler,
                                 const char *key)
{
    const json_t *value = json_object_get(scheduler, key);
    const struct place *at = IN_KEY(m->at, key);
    struct idset *ranks, *unknown = NULL;

    if (!value || !(ranks = need_idset(m->c, value, at)))
        return NULL;
    if (m->half->sound && !(unknown = idset_subtract(ranks, m->half->ranks)))
        m->c->failed = true;
    if (unknown && !idset_empty(unknown))
        fault(m->c, RULE_RECORD_RANK, at, "rank %u is not in the set",
              idset_first(unknown));
    idset_destroy(unknown);
    return ranks;
}

/* --- all of them -------------------------------------------------------- */

/* The labels of a group: R_lite's entries are first, then the records. */
static void read_group(struct group *g, const struct overlay_group *from)
{
    const struct rlite *lite = &g->m->half->lite;

    g->ranks = from->ids;
    g->there = NULL;
    g->n = 0;
    for (size_t i = 0; i < from->nlabels; i++) {
        size_t label = from->labels[i];
        if (label < lite->n)
            g->there = &lite->list[label].children;
        else
            g->on[g->n++] = &g->m->list[label - lite->n];
    }
}

static void lay(struct marks *m)
{
    const struct rlite *lite = &m->half->lite;
    size_t n = lite->n + m->n;
    struct group g = {.m = m,
                      .on = xcalloc(n + 1, sizeof(struct laid *)),
                      .holds = xcalloc(n + 1, sizeof(struct hold)),
                      .sets = xcalloc(n + 1, sizeof(struct idset *)),
                      .jobs = xcalloc(n + 1, sizeof(char *))};
    struct overlay *ov = NULL;

    for (size_t i = 0; g.sets && i < n; i++)
        g.sets[i] = i < lite->n ? lite->list[i].ranks
                                : m->list[i - lite->n].ranks;
    if (!g.on || !g.holds || !g.sets || !g.jobs
        || !(ov = overlay_create(g.sets, n)))
        m->c->failed = true;
    for (size_t i = 0; ov && i < overlay_ngroups(ov) && !m->c->failed; i++) {
        read_group(&g, overlay_group(ov, i));
        check_group(&g);
    }
    overlay_destroy(ov);
    free(g.on);
    free(g.holds);
    free(g.sets);
    free(g.jobs);
}

void check_marks(struct check *c, const json_t *scheduler,
                 const struct half *half, const struct place *at)
{
    struct marks m = {.c = c, .at = at, .half = half};

    m.exclusive = check_ranks(&m, scheduler, "exclusive");
    idset_destroy(check_ranks(&m, scheduler, "holds"));
    read_marks(&m, scheduler);
    if (half->sound && !c->failed)
        lay(&m);
    marks_fini(&m);
}
