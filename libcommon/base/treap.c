#include "base/treap.h"

static bool pull(struct treap *t, struct treap_node *node)
{
    return t->rules->pull && t->rules->pull(t, node);
}

/* Return the side below another node where a node is or belongs. */
static struct treap_node **side_of(struct treap *t, struct treap_node *at,
                                   const struct treap_node *node)
{
    return t->rules->compare(t, node, at) < 0 ? &at->left : &at->right;
}

/* Cut a tree into the nodes before and after a node. */
static void cut(struct treap *t, struct treap_node *root,
                const struct treap_node *node, struct treap_node **before,
                struct treap_node **after)
{
    if (!root) {
        *before = *after = NULL;
        return;
    }
    if (t->rules->compare(t, root, node) < 0) {
        *before = root;
        cut(t, root->right, node, &root->right, after);
    } else {
        *after = root;
        cut(t, root->left, node, before, &root->left);
    }
    pull(t, root);
}

/* Join two trees; all nodes of the first are before those of the second. */
static struct treap_node *join(struct treap *t, struct treap_node *a,
                               struct treap_node *b)
{
    struct treap_node *top;

    if (!a || !b)
        return a ? a : b;
    top = a->priority > b->priority ? a : b;
    if (top == a)
        a->right = join(t, a->right, b);
    else
        b->left = join(t, a, b->left);
    pull(t, top);
    return top;
}

static struct treap_node *insert(struct treap *t, struct treap_node *root,
                                 struct treap_node *node)
{
    struct treap_node **side;

    if (!root || root->priority < node->priority) {
        cut(t, root, node, &node->left, &node->right);
        root = node;
    } else {
        side = side_of(t, root, node);
        *side = insert(t, *side, node);
    }
    pull(t, root);
    return root;
}

void treap_insert(struct treap *t, struct treap_node *node)
{
    uint32_t random = t->random ? t->random : 2463534242u;

    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    node->priority = t->random = random;
    t->root = insert(t, t->root, node);
}

static struct treap_node *take_out(struct treap *t, struct treap_node *root,
                                   struct treap_node *node)
{
    struct treap_node **side;

    if (root == node)
        return join(t, node->left, node->right);
    side = side_of(t, root, node);
    *side = take_out(t, *side, node);
    pull(t, root);
    return root;
}

void treap_remove(struct treap *t, struct treap_node *node)
{
    t->root = take_out(t, t->root, node);
}

/* Update upwards, as long as anything changes. */
static bool pull_path(struct treap *t, struct treap_node *at,
                      struct treap_node *node)
{
    return (at == node || pull_path(t, *side_of(t, at, node), node))
           && pull(t, at);
}

void treap_pull(struct treap *t, struct treap_node *node)
{
    pull_path(t, t->root, node);
}

/* Build a tree with the middle node above the two halves. Its priority is about
   the expected largest of n random ones. */
static struct treap_node *build(struct treap *t, struct treap_node **nodes,
                                size_t n)
{
    struct treap_node *node = n > 0 ? nodes[n / 2] : NULL;

    if (!node)
        return NULL;
    node->left = build(t, nodes, n / 2);
    node->right = build(t, nodes + n / 2 + 1, n - n / 2 - 1);
    node->priority = UINT32_MAX - (uint32_t)(UINT32_MAX / (n + 1));
    pull(t, node);
    return node;
}

void treap_build(struct treap *t, struct treap_node **nodes, size_t n)
{
    t->root = build(t, nodes, n);
}
