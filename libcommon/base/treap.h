/*
 * Treaps: binary search trees that are also heaps by random priorities, and so
 * stay balanced whatever is inserted and removed.
 *
 * An element contains a node. The treap has rules: how to compare two nodes,
 * and what a node knows about all nodes below it.
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
    /* Compare: is a before (< 0) or after (> 0) b? Never 0. */
    int (*compare)(const struct treap *t, const struct treap_node *a,
                   const struct treap_node *b);
    /*
     * Recompute what a node knows about the nodes below it, from the node and
     * its two children. Returns true if that changed. NULL: nodes know nothing.
     */
    bool (*pull)(struct treap *t, struct treap_node *node);
};

/* Fill an empty treap with n nodes, which are in order. */
void treap_build(struct treap *t, struct treap_node **nodes, size_t n);

void treap_insert(struct treap *t, struct treap_node *node);
/* Remove a node, which must be in the treap, at its place in the order. */
void treap_remove(struct treap *t, struct treap_node *node);

/* Update everything known above a node that changed, but not its place. */
void treap_pull(struct treap *t, struct treap_node *node);

#endif /* BASE_TREAP_H */
