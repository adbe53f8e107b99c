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
#include "model/marks_private.h"
#include "model/validate_private.h"
#include "set/overlay.h"

/* A record on some ranks. */
struct laid {
    struct hold hold;
    enum mark_kind mark;
    struct idset *ranks;
    struct lite_children children; /* none: the targets themselves */
    bool held;                     /* whole, whatever is listed */
    bool faulty;                   /* who holds it, or when, is not known */
    bool told;                     /* that it names what is not there */
};

struct marks {
    struct check *c;
    const struct place *at;
    const struct half *half;
    struct laid *list;
    size_t n, size;
};

static void marks_fini(struct marks *m)
{
    for (size_t i = 0; i < m->n; i++) {
        idset_destroy(m->list[i].ranks);
        lite_children_fini(&m->list[i].children);
    }
    free(m->list);
}

static void laid_fault(const struct marks *m, const struct laid *l,
                       enum rule rule, const char *text)
{
    const struct place *list = IN_KEY(m->at, mark_words[l->mark].key);

    fault(m->c, rule, IN_LIST(list, l->hold.index), "%s", text);
}

/* --- reading ------------------------------------------------------------ */

/* Takes ranks and children over. */
static void add(struct marks *m, const struct laid *laid)
{
    struct laid *list = m->list;

    if (m->n == m->size) {
        size_t size = m->size ? m->size * 2 : 16;
        list = realloc(list, size * sizeof(*list));
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
        if (!ids || idset_add_set(ids, from->list[i].ids) < 0)
            return false;
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

    if (ranks && idset_add_set(l->ranks, ranks) < 0)
        m->c->failed = true;
    if (good
        && (all ? idset_add_set(l->all, ranks)
                : rlite_add(&l->lite, ranks, &children))
               < 0)
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

/* Ranks of `exclusive` or `holds`. */
static void check_ranks(struct marks *m, const json_t *scheduler,
                        const char *key)
{
    const json_t *value = json_object_get(scheduler, key);
    const struct place *at = IN_KEY(m->at, key);
    struct idset *ranks, *unknown = NULL;

    if (!value || !(ranks = need_idset(m->c, value, at)))
        return;
    if (m->half->sound && !(unknown = idset_subtract(ranks, m->half->ranks)))
        m->c->failed = true;
    if (unknown && !idset_empty(unknown))
        fault(m->c, RULE_RECORD_RANK, at, "rank %u is not in the set",
              idset_first(unknown));
    idset_destroy(unknown);
    idset_destroy(ranks);
}

/* --- a group of ranks --------------------------------------------------- */

struct group {
    struct marks *m;
    const struct idset *ranks;
    const struct lite_children *there; /* NULL: no such ranks */
    struct laid **on;                  /* the records on it */
    size_t n;
    struct hold *holds; /* room for n */
    const struct idset **sets;
};

static const struct idset *ids_of(const struct lite_children *c,
                                  const char *type)
{
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->list[i].type, type))
            return c->list[i].ids;
    return NULL;
}

static void check_there(const struct group *g, struct laid *l)
{
    char text[256];

    if (l->told)
        return;
    if (!g->there) {
        snprintf(text, sizeof(text), "rank %u is not in the set",
                 idset_first(g->ranks));
        laid_fault(g->m, l, RULE_RECORD_RANK, text);
        l->told = true;
    }
    for (size_t i = 0; i < l->children.n && !l->told; i++) {
        const struct lite_child *child = &l->children.list[i];
        const struct idset *ids = ids_of(g->there, child->type);
        struct idset *left = ids ? idset_subtract(child->ids, ids)
                                 : idset_copy(child->ids);
        l->told = left && !idset_empty(left);
        if (!left)
            g->m->c->failed = true;
        else if (l->told)
            snprintf(text, sizeof(text), "rank %u has no %.100s%u",
                     idset_first(g->ranks), child->type, idset_first(left));
        if (l->told)
            laid_fault(g->m, l, RULE_RECORD_ID, text);
        idset_destroy(left);
    }
}

static bool is_claim(const struct laid *l)
{
    return !l->faulty
           && (l->mark == MARK_ALLOCATION || l->mark == MARK_RESERVATION);
}

static bool is_whole(const struct laid *l)
{
    return is_claim(l) && (l->held || l->children.n == 0);
}

/* More than one hold of one thing at a moment: allocations, or any. */
static void check_holds(const struct group *g, size_t n, const char *what,
                        const struct idset *ids)
{
    char *ranks = idset_encode(g->ranks), *id = ids ? idset_encode(ids) : NULL;
    char text[320], moment[48];
    size_t nallocations = 0;
    struct excess when = {0};
    enum rule rule = RULE_OVERSUBSCRIBED;

    for (size_t i = 0; i < n; i++) {
        struct hold hold = g->holds[i];
        if (hold.kind != CLAIM_ALLOCATION)
            continue;
        g->holds[i] = g->holds[nallocations];
        g->holds[nallocations++] = hold;
    }
    if (holds_excess(g->holds, nallocations, 1, &when) < 0 || !ranks)
        g->m->c->failed = true;
    if (!when.hold && nallocations < n) {
        rule = RULE_OVERRESERVED;
        if (holds_excess(g->holds, n, 1, &when) < 0)
            g->m->c->failed = true;
    }
    if (when.hold && !g->m->c->failed) {
        struct laid l = {.hold = *when.hold,
                         .mark = when.hold->kind == CLAIM_ALLOCATION
                                     ? MARK_ALLOCATION
                                     : MARK_RESERVATION};
        snprintf(text, sizeof(text),
                 "job %.60s: another holds %.60s%s%.60s%s of rank %.60s%s",
                 l.hold.job, what, id ? "[" : "", id ? id : "", id ? "]" : "",
                 ranks, hold_moment(&l.hold, moment));
        laid_fault(g->m, &l, rule, text);
    }
    free(ranks);
    free(id);
}

/* Those that hold all of it. */
static void check_whole(const struct group *g)
{
    size_t n = 0;

    for (size_t i = 0; i < g->n; i++)
        if (is_whole(g->on[i]))
            g->holds[n++] = g->on[i]->hold;
    if (n > 1)
        check_holds(g, n, "all", NULL);
}

/* Those that hold some of one type, by its ids. */
static void check_type(const struct group *g, const char *type)
{
    struct laid **by = calloc(g->n + 1, sizeof(struct laid *));
    struct overlay *ov = NULL;
    size_t n = 0;

    for (size_t i = 0; by && i < g->n; i++) {
        const struct idset *ids = ids_of(&g->on[i]->children, type);
        if (!ids || !is_claim(g->on[i]) || g->on[i]->held)
            continue;
        g->sets[n] = ids;
        by[n++] = g->on[i];
    }
    if (!by || (n > 1 && !(ov = overlay_create(g->sets, n))))
        g->m->c->failed = true;
    for (size_t i = 0; ov && i < overlay_ngroups(ov); i++) {
        const struct overlay_group *same = overlay_group(ov, i);
        for (size_t j = 0; j < same->nlabels; j++)
            g->holds[j] = by[same->labels[j]]->hold;
        if (same->nlabels > 1)
            check_holds(g, same->nlabels, type, same->ids);
    }
    overlay_destroy(ov);
    free(by);
}

/* Against one that holds all of it. */
static void check_part(const struct group *g, const struct laid *whole,
                       const struct laid *part)
{
    bool shared = part->mark == MARK_SHARED && !part->faulty;
    char text[256];

    if (is_whole(part) || (!is_claim(part) && !shared)
        || !holds_overlap(&whole->hold, &part->hold))
        return;
    snprintf(text, sizeof(text),
             "job %.60s: rank %u is held whole by job %.60s", part->hold.job,
             idset_first(g->ranks), whole->hold.job);
    laid_fault(g->m, part,
               shared                              ? RULE_EXCLUSIVE_SHARED
               : part->hold.job == whole->hold.job ? RULE_IMPLIED
                                                   : RULE_BELOW_EXCLUSIVE,
               text);
}

/* The first that holds all of it stands for those that do. */
static void check_parts(const struct group *g)
{
    const struct laid *whole = NULL;

    for (size_t i = 0; i < g->n && !whole; i++)
        if (g->on[i]->hold.kind == CLAIM_ALLOCATION && is_whole(g->on[i]))
            whole = g->on[i];
    for (size_t i = 0; whole && i < g->n; i++)
        check_part(g, whole, g->on[i]);
}

static void check_group(struct group *g)
{
    for (size_t i = 0; i < g->n; i++)
        check_there(g, g->on[i]);
    if (!g->there || g->n < 2)
        return;
    check_whole(g);
    for (size_t i = 0; i < g->there->n; i++)
        check_type(g, g->there->list[i].type);
    check_parts(g);
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
                      .on = calloc(n + 1, sizeof(struct laid *)),
                      .holds = calloc(n + 1, sizeof(struct hold)),
                      .sets = calloc(n + 1, sizeof(struct idset *))};
    struct overlay *ov = NULL;

    for (size_t i = 0; g.sets && i < n; i++)
        g.sets[i] = i < lite->n ? lite->list[i].ranks
                                : m->list[i - lite->n].ranks;
    if (!g.on || !g.holds || !g.sets || !(ov = overlay_create(g.sets, n)))
        m->c->failed = true;
    for (size_t i = 0; ov && i < overlay_ngroups(ov) && !m->c->failed; i++) {
        read_group(&g, overlay_group(ov, i));
        check_group(&g);
    }
    overlay_destroy(ov);
    free(g.on);
    free(g.holds);
    free(g.sets);
}

void check_marks(struct check *c, const json_t *scheduler,
                 const struct half *half, const struct place *at)
{
    struct marks m = {.c = c, .at = at, .half = half};

    check_ranks(&m, scheduler, "exclusive");
    check_ranks(&m, scheduler, "holds");
    read_marks(&m, scheduler);
    if (half->sound && !c->failed)
        lay(&m);
    marks_fini(&m);
}
