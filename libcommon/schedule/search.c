/*
 * Entries that compete: a search in depth, in the order that match.h tells.
 *
 * What is still to be had is a list of goals. Serving the first one is a
 * choice: of a count, of a pool, of an amount; what it leaves to do comes
 * before the other goals. When a goal can't be served the last choice is
 * undone and its next alternative taken. All of that is kept in arrays and
 * not on the stack, for a request may ask for many thousands.
 *
 * Three things keep it short. It is of entries that compete, and of nothing
 * else (serve.c). Of pools that are alike and untouched only the first is
 * tried (sites.c). What leaves no room for the rest is given up at once
 * (bounds.c).
 */
#include <stdlib.h>

#include "base/memory.h"
#include "schedule/search.h"

/* More alternatives than this are not tried. */
enum { STEPS_MAX = 1000000, HURRY = 20 };
enum { LOOKS_A_STEP = 64 };

union item *search_item(struct search *s)
{
    size_t block = s->nitems / BLOCK_ITEMS;

    if (block == s->nblocks) {
        union item **blocks = xrealloc(s->blocks,
                                       (block + 1) * sizeof(*blocks));
        s->blocks = blocks;
        blocks[block] = xmalloc(BLOCK_ITEMS * sizeof(**blocks));
        s->nblocks++;
    }
    return &s->blocks[block][s->nitems++ % BLOCK_ITEMS];
}

/* --- goals -------------------------------------------------------------- */

void search_push(struct search *s, struct goal goal)
{
    union item *item = search_item(s);

    item->goal = goal;
    item->goal.next = s->goals;
    s->goals = &item->goal;
}

/*
 * Slots of one kind in one place are alike: the pool of the next one comes
 * after that of the last one, or they could be exchanged. But over edges the
 * first of them may take the place itself, or the last one.
 */
static struct site *pool_before(const struct search *s, const struct entry *e,
                                const struct site *scope,
                                const struct goal *above)
{
    if (!above || !above->e->slot || !e->with || e->slot || e->least != 1
        || !e->fixed || (s->a->opts->slot_parent && s->a->entries.linked))
        return NULL;
    for (int i = s->nchoices - 2; i >= 0; i--) {
        const struct choice *c = &s->choices[i];
        if (c->goal->e == e)
            return c->site && c->goal->scope == scope
                           && !search_is_coarse(s, c->site)
                       ? c->site
                       : NULL;
        if (c->goal->e == above->e && c->goal != above)
            break;
    }
    return NULL;
}

void search_push_list(struct search *s, const struct entry *list,
                      const struct entry *end, struct site *scope,
                      const struct goal *above)
{
    struct goal *rest = s->goals, **to = &s->goals;

    for (const struct entry *e = list; e != end; e = e->next) {
        union item *item = search_item(s);
        item->goal = (struct goal){
            .next = rest,
            .e = e,
            .scope = scope,
            .above = above,
            .cursor = pool_before(s, e, scope, above),
            .left = search_bytes(e, e->least),
            .counted = e->fixed && !search_wants_most(s, e),
        };
        item->goal.want = item->goal.counted ? item->goal.left : 0;
        *to = &item->goal;
        to = &item->goal.next;
    }
}

/* --- the search --------------------------------------------------------- */

static void begin_choice(struct search *s)
{
    if (s->nchoices == s->choices_size) {
        int size = s->choices_size ? 2 * s->choices_size : 256;
        struct choice *choices = xrealloc(s->choices,
                                          (size_t)size * sizeof(*choices));
        s->choices = choices;
        s->choices_size = size;
    }
    s->choices[s->nchoices++] = (struct choice){
        .goal = s->goals, .changes = s->sites.nchanges, .heap = s->nitems};
}

static bool stop(struct search *s)
{
    if (++s->steps + s->looks / LOOKS_A_STEP
        > STEPS_MAX / (s->a->hurry ? HURRY : 1))
        s->out = true;
    return search_given_up(s);
}

/* Serve all goals; else choices are undone back to none before it says no. */
static bool solve(struct search *s)
{
    int none = s->nchoices;

    while (s->goals) {
        begin_choice(s);
        for (;;) {
            const struct choice *c;
            if (s->nchoices == none || stop(s))
                return false;
            c = &s->choices[s->nchoices - 1];
            sites_undo(&s->sites, c->changes);
            s->nitems = c->heap;
            if (search_next(s))
                break;
            s->nchoices--;
        }
    }
    return true;
}

bool search_part(struct search *s, const struct entry *list,
                 const struct entry *end, struct site *scope)
{
    struct goal *goals = s->goals;
    size_t heap = s->nitems;
    int first = s->nchoices;
    bool found;

    s->goals = NULL;
    search_push_list(s, list, end, scope, NULL);
    found = solve(s);
    if (found && search_wants_most(s, list))
        *s->most = (uint64_t)s->choices[first].n;
    s->nchoices = first;
    s->goals = goals;
    s->nitems = heap;
    return found;
}

void search_fini(struct search *s)
{
    for (size_t i = 0; i < s->nblocks; i++)
        free(s->blocks[i]);
    free(s->blocks);
    free(s->choices);
    sites_fini(&s->sites);
}
