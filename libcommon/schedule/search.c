/*
 * Entries that compete: a search in depth, in the order that match.h tells.
 *
 * What is still to be had is a list of goals. Serving the first one is a
 * choice: of a count, of a pool, of an amount; what it leaves to do comes
 * before the other goals. When a goal can't be served the last choice that
 * can matter is undone and the next alternative taken. All of that is kept
 * in arrays and not on the stack, for a request may ask for many thousands.
 *
 * Three things keep it short. Goals that don't conflict never make each
 * other be chosen anew (rules.c). Of pools that are alike and untouched only
 * the first is tried (sites.c). What leaves no room for the rest is given up
 * at once (bounds.c).
 */
#include <stdlib.h>

#include "base/memory.h"
#include "schedule/search.h"

/* More alternatives than this are not tried. */
enum { STEPS_MAX = 3000000 };
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

int64_t search_bytes(const struct entry *e, uint64_t n)
{
    int64_t bytes;

    return __builtin_mul_overflow(n, e->bytes ? e->bytes : 1, &bytes)
               ? INT64_MAX
               : bytes;
}

void search_push(struct search *s, struct goal goal)
{
    union item *item = search_item(s);

    item->goal = goal;
    item->goal.next = s->goals;
    s->goals = &item->goal;
}

void search_push_list(struct search *s, const struct entry *list,
                      const struct entry *end, struct site *scope)
{
    struct goal *rest = s->goals, **to = &s->goals;

    for (const struct entry *e = list, *before = NULL; e != end;
         before = e, e = e->next) {
        union item *item = search_item(s);
        bool starts = !before || before->part != e->part;
        item->goal = (struct goal){
            .next = rest,
            .e = e,
            .scope = scope,
            .left = search_bytes(e, e->least),
            .base = s->nchoices - 1,
            .back = starts ? s->nchoices - 1 : BACK_ONE,
            .counted = e->fixed && !(s->most && !e->parent),
        };
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

static bool is_same_part(const struct goal *g, const struct goal *h)
{
    return g->base == h->base && g->e->parent == h->e->parent
           && g->e->part == h->e->part;
}

/* Blame a choice for what failed in lists made by others. */
static void blame(struct choice *c, int first, int last, bool many)
{
    if (c->blamed) {
        many = many || c->many || c->last != last || c->first != first;
        first = c->first < first ? c->first : first;
        last = c->last > last ? c->last : last;
    }
    c->blamed = true;
    c->many = many;
    c->first = first;
    c->last = last;
}

void search_blame_rest(struct choice *c)
{
    for (const struct goal *h = c->goal->next; h; h = h->next)
        if (h->scope == c->goal->scope)
            blame(c, h->base, h->base, true);
}

/*
 * Go back choice by choice from one that serves g, for what failed in lists
 * that were made by the choices first .. last. What made such a list is not
 * to blame, it has to make another. What an entry that concerns nobody else
 * got is not to blame either.
 */
static int go_back_one(struct search *s, const struct goal *g, int first,
                       int last, bool many)
{
    for (int back = s->nchoices - 2; back >= s->bottom; back--) {
        struct choice *before = &s->choices[back];
        if (back == last) {
            if (first < back)
                blame(before, first, first, true);
            return back;
        }
        if (!is_same_part(g, before->goal) && before->goal->e->independent
            && !many)
            continue;
        blame(before, first, last, many);
        return back;
    }
    return s->bottom - 1;
}

/*
 * The choice to take anew when the last one has no alternative left. Where
 * only what it serves failed, that is the choice that matters to it.
 */
static void go_back(struct search *s)
{
    const struct choice *c = &s->choices[s->nchoices - 1];
    const struct goal *g = c->goal;
    int back = g->back, first = g->base, last = g->base;
    bool many = false;

    if (c->blamed) {
        many = c->many || c->first != first || c->last != last;
        first = c->first < first ? c->first : first;
        last = c->last > last ? c->last : last;
    }
    if (c->blamed || back == BACK_ONE)
        back = go_back_one(s, g, first, last, many);
    s->nchoices = back + 1;
}

bool search_given_up(const struct search *s)
{
    return s->out || s->a->too_long;
}

static bool stop(struct search *s)
{
    if (++s->steps + s->looks / LOOKS_A_STEP > STEPS_MAX)
        s->out = true;
    return search_given_up(s);
}

/* Serve all goals; else choices are undone back to none before it says no. */
static bool solve(struct search *s)
{
    while (s->goals) {
        begin_choice(s);
        for (;;) {
            const struct choice *c;
            if (s->nchoices == s->bottom || stop(s))
                return false;
            c = &s->choices[s->nchoices - 1];
            sites_undo(&s->sites, c->changes);
            s->nitems = c->heap;
            if (search_next(s))
                break;
            go_back(s);
        }
    }
    return true;
}

bool search_part(struct search *s, const struct entry *list,
                 const struct entry *end, struct site *scope)
{
    struct goal *goals = s->goals;
    size_t heap = s->nitems;
    int bottom = s->bottom;
    bool found;

    s->bottom = s->nchoices;
    s->goals = NULL;
    search_push_list(s, list, end, scope);
    found = solve(s);
    if (found && s->most && !list->parent)
        *s->most = (uint64_t)s->choices[s->bottom].n;
    s->nchoices = s->bottom;
    s->bottom = bottom;
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
