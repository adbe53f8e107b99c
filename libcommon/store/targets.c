/* Writes the table of targets, for users of SQL. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "model/records/path.h"
#include "store/store_private.h"

/* Return the state of a target. If the target is up, it is that of the nearest
   enclosing pool that is not. */
static const char *state_word(const struct lot *lot)
{
    const json_t *drained = vertex_get_tag(lot->v, "drained");
    const struct lot *out = lot_not_up(lot);

    if (drained && lot->state == STATE_DOWN)
        return "drained";
    return pool_state_names[out ? out->state : STATE_UP];
}

static char *path_of_target(struct store *s, const struct vertex *v,
                            uint32_t rank)
{
    char name[VERTEX_NAME_MAX], *up, *path;

    if (!v->run)
        return vertex_place(s->rs, v);
    up = v->parent ? vertex_place(s->rs, v->parent) : xstrdup("");
    xasprintf(&path, "%s/%s", up, vertex_name(s->rs, v, rank, name));
    free(up);
    return path;
}

/* Write a target, or only its state. Does nothing if the state is as written
   last, unless `all`. */
static void write_target(struct store *s, const struct lot *lot, uint32_t rank,
                         size_t i, const char *word, bool all)
{
    char host[VERTEX_NAME_MAX], *path;
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
    path = path_of_target(s, lot->v, rank);
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
        struct idrange in;
        const char *word;
        if (!(over = vertex_is_target(lot->v)))
            continue;
        word = state_word(lot);
        in = lot_ranks(lot);
        for (uint64_t rank = in.lo; rank <= in.hi; rank++)
            write_target(s, lot, (uint32_t)rank, place++, word, all);
    }
}
