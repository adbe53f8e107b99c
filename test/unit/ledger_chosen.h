/*
 * Moves of the game of the ledger (ledger_game.h) that choose pools at random,
 * and allocate or release them.
 */
#ifndef TEST_LEDGER_CHOSEN_H
#define TEST_LEDGER_CHOSEN_H

#include "compare/cover.h"
#include "ledger_game.h"

/* --- choosing ----------------------------------------------------------- */

/* Is no pool in it or above it chosen yet? */
static bool is_apart(const struct world *w, const struct part *part, int p)
{
    for (int q = p; q < w->pool[p].end; q++)
        if (part->units[q])
            return false;
    for (int up = w->pool[p].parent; up >= 0; up = w->pool[up].parent)
        if (part->whole[up] || part->shared[up])
            return false;
    return true;
}

static void add_above(const struct world *w, struct part *part, int p)
{
    for (int up = w->pool[p].parent; up >= 0; up = w->pool[up].parent)
        part->units[up] = w->pool[up].size;
}

/* A whole composite pool. All, none or some of its contents are listed. */
static void choose_whole(const struct world *w, struct part *part,
                         struct wish *wish, int p)
{
    unsigned all = random_below(w->graph ? 3 : 2);

    wish->claim[p] = w->pool[p].size;
    part->units[p] = w->pool[p].size;
    part->whole[p] = true;
    for (int q = p + 1; q < w->pool[p].end && all == 0; q++) {
        part->units[q] = w->pool[q].size;
        part->whole[q] = true;
    }
    if (all != 1)
        return;
    for (int tries = 3; tries > 0; tries--) {
        int q = p + 1 + (int)random_below((uint32_t)(w->pool[p].end - p - 1));
        if (!is_leaf(w, q))
            continue;
        part->units[q] = 1 + (int)random_below((uint32_t)w->pool[q].size);
        for (int up = q; up > p; up = w->pool[up].parent) {
            part->units[up] = up == q ? part->units[q] : w->pool[up].size;
            part->whole[up] = true;
        }
    }
    for (int q = p + 1; q < w->pool[p].end; q++)
        wish->listed[q] = part->units[q];
}

/* If all contents are listed with all units, the list is dropped. */
static void settle_whole(const struct world *w, struct part *part,
                         struct wish *wish, int p)
{
    int missing = 0, listed = 0;

    for (int q = p + 1; q < w->pool[p].end; q++) {
        missing += wish->listed[q] < w->pool[q].size;
        listed += wish->listed[q] > 0;
    }
    if (missing == 0)
        memset(&wish->listed[p + 1], 0,
               (size_t)(w->pool[p].end - p - 1) * sizeof(wish->listed[0]));
    if (listed == 0 && !w->graph) /* an R has to list something */
        for (int q = p + 1; q < w->pool[p].end; q++)
            part->units[q] = w->pool[q].size;
}

static void choose_one(const struct world *w, struct part *part,
                       struct wish *wish, int p)
{
    const struct pool *pool = &w->pool[p];
    int top = marked_above(w, p);

    if (is_loose(w, p) || (top >= 0 && top != p) || !is_apart(w, part, p)
        || (p == 0 && !one_in(20)) || (!w->graph && p == 0))
        return;
    add_above(w, part, p);
    if (w->graph && top < 0 && p > 0 && one_in(6)) {
        part->units[p] = pool->size;
        part->shared[p] = wish->share[p] = true;
        return;
    }
    if (!is_leaf(w, p)) {
        choose_whole(w, part, wish, p);
        settle_whole(w, part, wish, p);
        return;
    }
    part->units[p] = wish->claim[p] = pool->exclusive || one_in(3)
                                          ? pool->size
                                          : 1
                                                + (int)random_below(
                                                    (uint32_t)pool->size);
}

/* Choose some pools and what to record of them. */
static void choose_part(const struct world *w, struct part *part,
                        struct wish *wish)
{
    *part = (struct part){0};
    *wish = (struct wish){0};
    for (int tries = 1 + (int)random_below(4); tries > 0; tries--)
        choose_one(w, part, wish, (int)random_below((uint32_t)w->n));
}

static struct rset *part_set(const struct world *w, const struct part *part)
{
    char *text = w->graph ? part_graph(w, part) : part_plain(w, part, "holds");
    struct rset *rs = read_set(text);

    free(text);
    return rs;
}

static struct selection *select_part(struct game *g, const struct part *part)
{
    struct rset *R = part_set(&g->world, part);
    struct selection *sel = NULL;
    struct diag d = {0};
    int rc = cover_select(g->rs, R, &sel, &d);

    rset_destroy(R);
    check(g, SELECTED, rc == 0, d.text);
    return sel;
}

/* Select pools by path with units, as --take and --give do. */
static struct selection *select_paths(struct game *g, struct wish *wish)
{
    const struct world *w = &g->world;
    struct selection *sel = selection_create();

    *wish = (struct wish){0};
    for (int tries = 1 + (int)random_below(3); tries > 0; tries--) {
        int p = (int)random_below((uint32_t)w->n), top = marked_above(w, p);
        bool apart = top < 0 || top == p;
        for (int q = 0; q < w->n; q++)
            if (wish->claim[q]
                && (q == p || is_below(w, q, p) || is_below(w, p, q)))
                apart = false;
        if (apart && p > 0)
            wish->claim[p] = top == p ? w->pool[p].size
                                      : 1
                                            + (int)random_below(
                                                (uint32_t)w->pool[p].size);
    }
    for (int p = 0; p < w->n; p++)
        if (wish->claim[p]) {
            struct lot *lot = pool_lot(w, g->rs, p);
            selection_take(sel, g->rs->usage, lot, wish->claim[p]);
        }
    return sel;
}

static void play_chosen(struct game *g, int job)
{
    struct lease of = random_lease(g, job);
    int from = lease_from(g, &of), to = lease_to(&of);
    const struct term unlocked = terms_of(&of, false);
    bool paths = one_in(2), may;
    bool staged = !naive_knows(&g->naive, job) && one_in(4);
    struct selection *sel;
    struct naming named;
    struct part part;
    struct wish wish, got;
    struct diag d = {0};

    if (!paths)
        choose_part(&g->world, &part, &wish);
    sel = paths ? select_paths(g, &wish) : select_part(g, &part);
    if (!sel)
        return;
    named = name_selection(&g->world, sel);
    got = wish_of(&g->world, &named);
    game_note(&g->play, " %s:%s[%d,%d)%s{", job_names[job],
              paths ? "paths" : "R", of.start, of.end, staged ? "staged" : "");
    for (int p = 0; p < g->world.n; p++)
        if (wish.claim[p] + wish.listed[p] + wish.share[p])
            game_note(&g->play, " %s%d@%d=%d/%d/%d",
                      kind_names[g->world.pool[p].kind], g->world.pool[p].id,
                      g->world.pool[p].rank, wish.claim[p], wish.listed[p],
                      wish.share[p]);
    check_none(g, SELECTED, named.fault);
    check(g, SELECTED, !memcmp(&got, &wish, sizeof(got)),
          "selected what was not chosen");
    may = naive_may_grow(&g->naive, &wish, &of, from, to);
    game_note(&g->play, "} %s;", may ? "yes" : "no");
    check(g, FREE,
          once_is_free(g->rs, job_names[job], sel, &unlocked,
                       moment_time(g->naive.now), &d)
              == may,
          may ? d.text : "free what is taken");
    if (may && !g->play.over)
        record_wish(g, sel, &wish, &of, staged);
    selection_destroy(sel);
}

/* --- release ------------------------------------------------------------ */

/* From a run take some of the first or last picked members. */
static void thin_members(struct pick *p)
{
    uint64_t drop = random_below((uint32_t)p->nmembers);

    p->nmembers -= drop;
    while (one_in(2) && drop-- > 0)
        p->first = idset_next(p->v->run, p->first);
}

static struct pick *thin(struct pick *list)
{
    struct pick *first = NULL, **end = &first;

    for (struct pick *p = list, *next; p; p = next) {
        bool leaf = !p->child;
        next = p->next;
        p->next = NULL;
        p->child = thin(p->child);
        if (leaf ? one_in(2) : !p->child)
            continue;
        if (leaf && p->nmembers)
            thin_members(p);
        else if (leaf && one_in(2)) {
            p->amount = 1 + (int64_t)random_below((uint32_t)p->amount);
        }
        *end = p;
        end = &p->next;
    }
    return first;
}

static struct selection *select_some(struct game *g, int job)
{
    struct selection *sel = once_holdings(g->rs, job_names[job]);

    sel->picks = thin(sel->picks);
    return sel;
}

static void note_gift(struct game *g, int job, const struct gift *gift)
{
    game_note(&g->play, " %s gives{", job_names[job]);
    for (int p = 0; p < g->world.n; p++)
        if (gift->units[p] + gift->share[p])
            game_note(&g->play, " %s%d@%d=%d/%d",
                      kind_names[g->world.pool[p].kind], g->world.pool[p].id,
                      g->world.pool[p].rank, gift->units[p], gift->share[p]);
}

static void play_shrink(struct game *g)
{
    int job = some_job();
    struct wish wish = {0};
    struct part part;
    struct selection *sel;
    struct naming named;
    struct gift gift;
    struct diag d = {0};
    bool gives;
    int rc;

    if (one_in(4))
        choose_part(&g->world, &part, &wish);
    else
        part.units[0] = 0;
    sel = part.units[0]     ? select_part(g, &part)
          : random_below(3) ? select_some(g, job)
                            : select_paths(g, &wish);
    if (!sel)
        return;
    named = name_selection(&g->world, sel);
    gift = gift_of(&g->world, &named);
    note_gift(g, job, &gift);
    gives = naive_take_back(&g->naive, job, &gift);
    game_note(&g->play, "} %s;", gives ? "yes" : "no");
    check_none(g, TAKEN_BACK, named.fault);
    rc = once_shrink(g->rs, job_names[job], sel, &d);
    check(g, TAKEN_BACK, rc == !gives,
          gives ? d.text : "it gave what it does not have");
    selection_destroy(sel);
}

static void release(struct game *g, int job)
{
    bool known = naive_knows(&g->naive, job);

    game_note(&g->play, " %s releases;", job_names[job]);
    naive_release(&g->naive, job);
    check(g, TAKEN_BACK, once_release(g->rs, job_names[job]) == known,
          "released what was not there, or not what was");
}

static void play_staged(struct game *g, int job)
{
    bool commit = one_in(2), found = naive_commit(&g->naive, job);

    game_note(&g->play, " %s %s;", job_names[job],
              commit ? "commits" : "aborts");
    if (found && !commit)
        naive_release(&g->naive, job);
    check(g, TAKEN_BACK,
          (commit ? once_commit : once_abort)(g->rs, job_names[job]) == found,
          "staged, or not");
}

#endif /* TEST_LEDGER_CHOSEN_H */
