/* Writes the table of targets, for users of SQL. */
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/lots.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "store/store_private.h"

/* Write a target, or only its state. Does nothing if the state is as written
   last, unless `all`. */
static void write_target(struct store *s, const struct lot *lot, uint32_t rank,
                         size_t i, const char *word, bool all)
{
    const struct vertex *v = lot->v;
    char host[VERTEX_NAME_MAX], name[VERTEX_NAME_MAX], *path, *up;
    bool known;

    if (i < s->nstates && s->states[i] == word && !all)
        return;
    if (i == s->nstates)
        VECTOR_GROW(s->states, s->nstates);
    s->nstates += i == s->nstates;
    s->states[i] = word;
    if (!all) {
        store_do(s,
                 "UPDATE target SET state = ?2 WHERE rank = ?1 AND "
                 "state <> ?2",
                 "it", (int64_t)rank, word);
        return;
    }
    known = rset_host(s->rs, rank, host) >= 0;
    if (v->run) {
        up = v->parent ? vertex_place(s->rs, v->parent) : xstrdup("");
        xasprintf(&path, "%s/%s", up, vertex_name(s->rs, v, rank, name));
        free(up);
    } else {
        path = vertex_place(s->rs, v);
    }
    store_do(s, "INSERT INTO target VALUES (?, ?, ?, ?)", "ittt", (int64_t)rank,
             known ? host : NULL, path, word);
    free(path);
}

void targets_write(struct store *s, struct rset *rs, bool all)
{
    struct usage *u = usage_get(rs);
    bool over = false;
    size_t place = 0;

    for (struct lot *lot = usage_top(u);
         (lot = lot_next(u, usage_top(u), lot, over));) {
        const struct lot *out; /* the target, or a pool around it: not up */
        struct idrange in;
        const char *word;
        if (!(over = vertex_is_target(lot->v)))
            continue;
        out = lot_not_up(lot);
        word = lot->state == STATE_DOWN && vertex_get_tag(lot->v, "drained")
                   ? "drained"
                   : pool_state_names[out ? out->state : STATE_UP];
        in = lot_ranks(lot);
        for (uint64_t rank = in.lo; rank <= in.hi; rank++)
            write_target(s, lot, (uint32_t)rank, place++, word, all);
    }
}
