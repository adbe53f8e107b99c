/*
 * Requests of simple kinds, for which it can be counted in the naive ledger
 * whether they can be had.
 */
#ifndef TEST_LEDGER_ASKS_H
#define TEST_LEDGER_ASKS_H

#include "ledger_books.h"
#include "schedule/match.h"

struct ask {
    enum {
        ASK_SLOTS,      /* slot=n/[core=c;gpu=g;memory=m] */
        ASK_NODES,      /* slot=n/node */
        ASK_NODES_PART, /* slot=n/node/core=c */
        ASK_UNITS,      /* slot/KIND=n */
        /* what can be had of these is not counted */
        ASK_NODE_SLOTS,  /* node=n/slot/core=c */
        ASK_SOCKETS,     /* slot=n/socket */
        ASK_RACK,        /* slot=n/rack */
        ASK_SHARED,      /* [KIND=n;slot/core=c] */
        ASK_SHARED_UNITS /* [KIND=n;slot/licence] */
    } what;
    enum kind kind;
    int n, core, gpu, memory;
    char text[96];
};

/* --- making ------------------------------------------------------------- */

static bool world_has(const struct world *w, enum kind kind)
{
    for (int p = 0; p < w->n; p++)
        if (w->pool[p].kind == kind)
            return true;
    return false;
}

static enum kind random_kind(const struct world *w, enum kind first,
                             enum kind last)
{
    enum kind kind;

    do
        kind = first + random_below(last - first + 1);
    while (!world_has(w, kind));
    return kind;
}

static void print_ask(struct ask *a)
{
    const char *kind = kind_names[a->kind];
    FILE *fp = fmemopen(a->text, sizeof(a->text), "w");

    switch (a->what) {
    case ASK_SLOTS:
        fprintf(fp, "slot=%d/[core=%d", a->n, a->core);
        if (a->gpu)
            fputs(";gpu=1", fp);
        if (a->memory)
            fprintf(fp, ";memory=%d", a->memory);
        putc(']', fp);
        break;
    case ASK_NODES:
        fprintf(fp, "slot=%d/node", a->n);
        break;
    case ASK_NODES_PART:
        fprintf(fp, "slot=%d/node/core=%d", a->n, a->core);
        break;
    case ASK_UNITS:
        fprintf(fp, "slot/%s=%d", kind, a->n);
        break;
    case ASK_NODE_SLOTS:
        fprintf(fp, "node=%d/slot/core=%d", a->n, a->core);
        break;
    case ASK_SOCKETS:
        fprintf(fp, "slot=%d/socket", a->n);
        break;
    case ASK_RACK:
        fputs("slot/rack", fp);
        break;
    case ASK_SHARED:
        fprintf(fp, "[%s=%d;slot/core=%d]", kind, a->n, a->core);
        break;
    case ASK_SHARED_UNITS:
        fprintf(fp, "[%s=%d;slot/licence]", kind, a->n);
        break;
    }
    fclose(fp);
}

static struct ask random_ask(const struct world *w)
{
    struct ask a = {.n = 1 + (int)random_below(3),
                    .core = 1 + (int)random_below(2)};

    a.what = random_below(ASK_SHARED_UNITS + 1);
    if ((a.what == ASK_SOCKETS && !world_has(w, SOCKET))
        || (a.what == ASK_RACK && !world_has(w, RACK))
        || (a.what == ASK_SHARED_UNITS && !world_has(w, LICENCE)))
        a.what = ASK_SLOTS;
    if (a.what == ASK_SLOTS || a.what == ASK_NODES)
        a.n = 1 + (int)random_below(4);
    a.kind = random_kind(w, a.what == ASK_UNITS ? CORE : RACK, PANEL);
    if (a.what == ASK_SLOTS) {
        a.gpu = one_in(4);
        a.memory = w->graph && one_in(3) ? 1 + (int)random_below(4) : 0;
    }
    print_ask(&a);
    return a;
}

/* Sharing has no time: what only has to be there is asked for for ever. */
/* --- what is selected ---------------------------------------------------- */

/* Units of a pool that the R will list. */
static int will_list(const struct world *w, const struct wish *wish, int p)
{
    int top = p;

    if (wish->claim[p] || wish->listed[p])
        return wish->claim[p] + wish->listed[p];
    while (top >= 0 && !wish->claim[top])
        top = w->pool[top].parent;
    if (top < 0)
        return 0;
    for (int q = top; q < w->pool[top].end; q++)
        if (wish->listed[q])
            return 0;
    return w->pool[p].size; /* it is held whole, and all of it listed */
}

static int wished(const struct naive *n, const struct wish *wish, int top,
                  enum kind kind)
{
    const struct world *w = n->w;
    int sum = 0;

    for (int p = top < 0 ? 0 : top; p < (top < 0 ? w->n : w->pool[top].end);
         p++)
        if (w->pool[p].kind == kind)
            sum += will_list(w, wish, p);
    return sum;
}

/* As much as is asked for; where pools are taken whole it may be more. */
static bool enough(const struct naive *n, int got, int want)
{
    return n->w->marked ? got >= want : got == want;
}

static bool gives_slots(const struct naive *n, const struct wish *wish,
                        const struct ask *a)
{
    int slots = 0;

    for (int p = 0; p < n->w->n; p++) {
        int cores = wished(n, wish, p, CORE), here = cores / a->core;
        if (n->w->pool[p].kind != NODE)
            continue;
        if (cores % a->core || wished(n, wish, p, GPU) != here * a->gpu
            || !enough(n, wished(n, wish, p, MEMORY), here * a->memory))
            return false;
        slots += here;
    }
    return slots == a->n;
}

/* Is the amount that was selected the amount that was asked for? */
static bool answers_ask(const struct naive *n, const struct wish *wish,
                        const struct ask *a)
{
    switch (a->what) {
    case ASK_SLOTS:
        return gives_slots(n, wish, a);
    case ASK_NODES:
        return wished(n, wish, -1, NODE) == a->n;
    case ASK_NODES_PART:
        return wished(n, wish, -1, NODE) == a->n
               && wished(n, wish, -1, CORE) == a->n * a->core;
    case ASK_UNITS:
        return enough(n, wished(n, wish, -1, a->kind), a->n);
    case ASK_NODE_SLOTS:
        return wished(n, wish, -1, CORE) == a->n * a->core;
    case ASK_SOCKETS:
        return wished(n, wish, -1, SOCKET) == a->n;
    case ASK_RACK:
        return wished(n, wish, -1, RACK) == 1;
    case ASK_SHARED:
        return enough(n, wished(n, wish, -1, CORE), a->core);
    case ASK_SHARED_UNITS:
        return enough(n, wished(n, wish, -1, LICENCE), 1);
    }
    abort();
}

/* --- what could be had --------------------------------------------------- */

/* All of a pool, with all that is in it. */
static bool whole_left(const struct naive *n, int top, int from, int to)
{
    for (int p = top; p < n->w->pool[top].end; p++)
        if (!is_up(n, p) || is_locked(n, p))
            return false;
    return is_untouched(n, top, from, to);
}

/* Units of one pool that could be taken. */
static int units_left(const struct naive *n, int p, int from, int to)
{
    int left;

    if (!is_up(n, p) || is_locked(n, p))
        return 0;
    if (n->w->pool[p].size == 1)
        return whole_left(n, p, from, to);
    left = naive_left(n, p, from, to);
    /* who has all units has the pool, which nobody shares then (RFC 4) */
    return left == n->w->pool[p].size
                   && shared_then(n, p, from, to, from <= n->now)
               ? left - 1
               : left;
}

static int left_in(const struct naive *n, int top, enum kind kind, int from,
                   int to)
{
    const struct world *w = n->w;
    int sum = 0;

    for (int p = top; p < w->pool[top].end; p++)
        if (w->pool[p].kind == kind)
            sum += units_left(n, p, from, to);
    return sum;
}

/* Slots, or nodes, of which this node can give so many. */
static int node_gives(const struct naive *n, int p, const struct ask *a,
                      int from, int to)
{
    int cores = left_in(n, p, CORE, from, to) / a->core, most = cores;

    if (a->what != ASK_SLOTS)
        return whole_left(n, p, from, to)
               && (a->what == ASK_NODES || cores > 0);
    if (a->gpu && left_in(n, p, GPU, from, to) < most)
        most = left_in(n, p, GPU, from, to);
    if (a->memory && left_in(n, p, MEMORY, from, to) / a->memory < most)
        most = left_in(n, p, MEMORY, from, to) / a->memory;
    return most;
}

/*
 * Could it be had? Not told (-1) of other kinds, and where pools have to be
 * taken whole.
 */
static int could_have(const struct naive *n, const struct ask *a, int from,
                      int to)
{
    const struct world *w = n->w;
    int sum = 0, best = 0;

    if (a->what > ASK_UNITS || w->marked)
        return -1;
    for (int p = 0; p < w->n; p++) {
        int left = 0;
        if (a->what != ASK_UNITS && w->pool[p].kind == NODE)
            sum += node_gives(n, p, a, from, to);
        else if (a->what == ASK_UNITS && w->pool[p].kind == a->kind)
            sum += left = units_left(n, p, from, to);
        /* units of what lies in nodes are of one node */
        if (a->what == ASK_UNITS && w->pool[p].kind == NODE)
            left = left_in(n, p, a->kind, from, to);
        best = left > best ? left : best;
    }
    if (a->what == ASK_UNITS && a->kind <= MEMORY)
        return best >= a->n;
    return sum >= a->n;
}

#endif /* TEST_LEDGER_ASKS_H */
