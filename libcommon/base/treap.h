/*
 * Treaps: binary search trees that are heaps by random priorities, too, and so
 * are balanced whatever comes and goes.
 *
 * What stands in one has a node in it, and the treap has rules: which of two
 * comes first, and what each knows of all below it.
 *
 *     struct treap t = {.rules = &rules};
 *     treap_insert(&t, &thing->node);
 */
#ifndef BASE_TREAP_H
#define BASE_TREAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct treap_node {
    struct treap_node *left, *right;
    uint32_t priority;
};

struct treap {
    struct treap_node *root;
    const struct treap_rules *rules;
    uint32_t random;
};

struct treap_rules {
    /* Is a before (< 0) or after (> 0) b? Never 0. */
    int (*compare)(const struct treap *t, const struct treap_node *a,
                   const struct treap_node *b);
    /* Find anew what a node knows of all below it, from itself and its two.
       Is it another? NULL: it knows nothing. */
    bool (*pull)(struct treap *t, struct treap_node *node);
};

/* An empty treap of nodes in their order, n of them. */
void treap_build(struct treap *t, struct treap_node **nodes, size_t n);

void treap_insert(struct treap *t, struct treap_node *node);
/* It has to be in it, at its place in the order. */
void treap_remove(struct treap *t, struct treap_node *node);

/* A node is another, but not its place: what is known above it follows. */
void treap_pull(struct treap *t, struct treap_node *node);

#endif /* BASE_TREAP_H */
