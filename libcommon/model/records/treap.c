/*
 * The treap of a lot's children, and the next one in order that has enough.
 *
 * A binary tree in the order of the children which is a heap by random
 * priorities, and so is balanced whatever comes and goes. Every place in it has
 * the most that any lot below it gives to the parent, row by row; where that is
 * too little, nothing below is looked at.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/usage_private.h"

/* With more siblings than this a treap is worth its room. */
enum { SIBLINGS_MANY = 32 };

uint32_t usage_random(struct usage *u)
{
    u->random ^= u->random << 13;
    u->random ^= u->random >> 17;
    u->random ^= u->random << 5;
    return u->random;
}

static void give_place(struct usage *u, struct lot *lot)
{
    struct tree_place *place = stock_take(
        &u->places, sizeof(*place) + usage_width(u) * sizeof(place->best[0]));

    place->priority = usage_random(u);
    place->in = lot->in;
    lot->place = place;
    lot->placed = true;
}

static void raise_best(int64_t *best, const struct lot *lot, size_t n)
{
    for (size_t i = 0; lot && i < n; i++)
        if (lot->place->best[i] > best[i])
            best[i] = lot->place->best[i];
}

/* What is best below a lot, from itself and its two. Is it another? */
static bool pull(struct usage *u, struct lot *lot)
{
    struct tree_place *place = lot->place;
    size_t size = usage_width(u) * sizeof(*u->pulled);

    lot_gives(u, lot, u->pulled);
    raise_best(u->pulled, place->left, usage_width(u));
    raise_best(u->pulled, place->right, usage_width(u));
    if (!memcmp(place->best, u->pulled, size))
        return false;
    memcpy(place->best, u->pulled, size);
    return true;
}

/* The same of all above, as far as anything is another. */
static void pull_up(struct usage *u, struct lot *lot)
{
    while (lot && pull(u, lot))
        lot = lot->place->up;
}

static void pull_all(struct usage *u, struct lot *lot)
{
    if (!lot)
        return;
    pull_all(u, lot->place->left);
    pull_all(u, lot->place->right);
    pull(u, lot);
}

/* Hang `to` where `from` hangs. */
static void hang(struct lot *parent, const struct lot *from, struct lot *to)
{
    struct lot *up = from->place->up;

    if (!up)
        lot_in(parent)->tree = to;
    else if (up->place->left == from)
        up->place->left = to;
    else
        up->place->right = to;
    if (to)
        to->place->up = up;
}

/* Turn a lot and the one above it round: it comes to stand above. */
static void rotate(struct usage *u, struct lot *lot)
{
    struct lot *up = lot->place->up, *moved;

    hang(lot->parent, up, lot);
    if (up->place->left == lot) {
        moved = lot->place->right;
        lot->place->right = up;
        up->place->left = moved;
    } else {
        moved = lot->place->left;
        lot->place->left = up;
        up->place->right = moved;
    }
    if (moved)
        moved->place->up = up;
    up->place->up = lot;
    pull(u, up);
    pull(u, lot);
}

void tree_insert(struct usage *u, struct lot *after, struct lot *lot)
{
    struct lot *at = after ? after->place->right : lot_in(lot->parent)->tree;

    give_place(u, lot);
    while (at && at->place->left)
        at = at->place->left;
    if (at)
        at->place->left = lot;
    else
        after->place->right = lot;
    lot->place->up = at ? at : after;
    pull(u, lot);
    while (lot->place->up
           && lot->place->up->place->priority < lot->place->priority)
        rotate(u, lot);
    pull_up(u, lot->place->up);
}

void tree_remove(struct usage *u, struct lot *lot)
{
    struct tree_place *place = lot->place;
    struct lot *up;

    while (place->left && place->right)
        rotate(u, place->left->place->priority > place->right->place->priority
                      ? place->left
                      : place->right);
    up = place->up;
    hang(lot->parent, lot, place->left ? place->left : place->right);
    pull_up(u, up);
    lot->placed = false;
    lot->in = place->in;
    stock_give(&u->places, place);
}

/* Each child comes last, on the right spine. */
static void build_tree(struct usage *u, struct lot *parent)
{
    struct lot *last = NULL;

    for (struct lot *lot = lot_in(parent)->child; lot;
         last = lot, lot = lot->next) {
        struct lot *below = NULL;
        give_place(u, lot);
        while (last && last->place->priority < lot->place->priority) {
            below = last;
            last = last->place->up;
        }
        lot->place->left = below;
        if (below)
            below->place->up = lot;
        lot->place->up = last;
        if (last)
            last->place->right = lot;
        else
            lot_in(parent)->tree = lot;
    }
    pull_all(u, lot_in(parent)->tree);
}

struct lot *tree_of(struct usage *u, struct lot *parent)
{
    if (!lot_in(parent))
        return NULL;
    if (!lot_in(parent)->tree && lot_in(parent)->nchildren > SIBLINGS_MANY)
        build_tree(u, parent);
    return lot_in(parent)->tree;
}

void lots_pull(struct usage *u, struct lot *lot)
{
    pull_up(u, lot);
}

/* --- the next that has enough ------------------------------------------- */

void needs_add(struct needs *needs, unsigned row, int64_t least)
{
    for (unsigned i = 0; i < needs->n; i++)
        if (needs->at[i].row == row) {
            if (needs->at[i].least < least)
                needs->at[i].least = least;
            return;
        }
    if (needs->n < NEEDS_MAX) {
        needs->at[needs->n].row = row;
        needs->at[needs->n++].least = least;
    }
}

static int64_t given(const struct usage *u, const struct lot *lot, unsigned row)
{
    unsigned count = u->types.count, ntype = row % count;
    int64_t own = lot->v->type != u->types.names[ntype] ? 0
                  : row < count                         ? lot_free(lot)
                  : lot_idle(lot)                       ? lot->v->size
                                                        : 0;

    return own + lot_below(u, lot, row);
}

static bool lot_has(const struct usage *u, const struct lot *lot,
                    const struct needs *needs)
{
    if (lot->blocked && needs->n > 0)
        return false;
    for (unsigned i = 0; i < needs->n; i++)
        if (given(u, lot, needs->at[i].row) < needs->at[i].least)
            return false;
    return true;
}

/* Could some lot below have it? */
static bool may_have_needs(const struct lot *lot, const struct needs *needs)
{
    for (unsigned i = 0; i < needs->n; i++)
        if (lot->place->best[needs->at[i].row] < needs->at[i].least)
            return false;
    return true;
}

/* The first in a subtree. */
static struct lot *first_in(const struct usage *u, struct lot *lot,
                            const struct needs *needs)
{
    while (lot && may_have_needs(lot, needs)) {
        struct lot *found = first_in(u, lot->place->left, needs);
        if (found)
            return found;
        if (lot_has(u, lot, needs))
            return lot;
        lot = lot->place->right;
    }
    return NULL;
}

static struct lot *next_in_tree(const struct usage *u, struct lot *from,
                                const struct needs *needs)
{
    struct lot *found = first_in(u, from->place->right, needs);

    for (struct lot *up; !found && (up = from->place->up); from = up) {
        if (up->place->right == from)
            continue;
        found = lot_has(u, up, needs) ? up
                                      : first_in(u, up->place->right, needs);
    }
    return found;
}

struct lot *usage_next(struct usage *u, struct lot *parent, struct lot *from,
                       const struct needs *needs)
{
    struct lot *lot = from ? from->next : lot_open(u, parent);

    if (tree_of(u, parent) && !u->types.huge)
        return from ? next_in_tree(u, from, needs)
                    : first_in(u, lot_in(parent)->tree, needs);
    while (lot && !u->types.huge && !lot_has(u, lot, needs))
        lot = lot->next;
    return lot;
}
