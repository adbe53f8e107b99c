/* Makes the table of pools (pool_table.h). It walks over lots, so that holders
   are found once for all members of a lot, and adds a row for each member. */
#include "view/pool_table.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/records/lots.h"
#include "model/records/usage.h"
#include "view/holders.h"

enum {
    COL_TYPE,
    COL_NAME,
    COL_RANK,
    COL_HOST,
    COL_ID,
    COL_SIZE,
    COL_FREE,
    COL_STATE,
    COL_JOBS,
    COL_PATH,
};

const struct table_column pool_columns[] = {
    [COL_TYPE] = {"type", CELL_NAME, false},
    [COL_NAME] = {"name", CELL_NAME, false},
    [COL_RANK] = {"rank", CELL_NUMBER, false},
    [COL_HOST] = {"host", CELL_NAME, false},
    [COL_ID] = {"id", CELL_NUMBER, false},
    [COL_SIZE] = {"size", CELL_NUMBER, false},
    [COL_FREE] = {"free", CELL_NUMBER, false},
    [COL_STATE] = {"state", CELL_STATE, false},
    [COL_JOBS] = {"jobs", CELL_LIST, false},
    [COL_PATH] = {"path", CELL_NAME, false},
    {0}};

/* The part of a row that comes from the pools around it. */
struct pool_context {
    const char *path;
    const char *host; /* host of the target; NULL: in no target */
    int64_t rank;
};

/* Add the rows of lots and of all pools in them. */
static void add_pool_rows(struct table *t, struct usage *u, struct lot *first,
                          const struct pool_context *in)
{
    for (struct lot *lot = first; lot; lot = lot->next) {
        const struct vertex *v = lot->v;
        const char *home = v->home && !v->parent ? v->home : NULL;
        struct holders h = holders_of(u, lot);

        for (uint32_t i = 0; i < lot->n; i++) {
            uint32_t member = lot->at + i;
            int64_t id = v->run ? member : v->id;
            char buf[VERTEX_NAME_MAX], *path;
            const char *name = vertex_name(usage_rset(u), v, member, buf);
            struct pool_context below = *in;

            xasprintf(&path, "%s%s%s%s/%s", in->path, home ? home : "",
                      home ? ":" : "", v->above ? v->above : "", name);
            below.path = path;
            if (vertex_is_target(v)) {
                below.host = name;
                below.rank = v->run ? member : v->rank;
            }
            table_row(t);
            table_text(t, COL_TYPE, v->type);
            table_text(t, COL_NAME, name);
            if (below.host) {
                table_number(t, COL_RANK, below.rank);
                table_text(t, COL_HOST, below.host);
            }
            if (id >= 0)
                table_number(t, COL_ID, id);
            table_number(t, COL_SIZE, v->size);
            table_number(t, COL_FREE, h.use >= PAINT_FULL ? 0 : lot_free(lot));
            table_text(t, COL_STATE, holders_word(&h));
            holders_put(t, COL_JOBS, &h.jobs);
            table_text(t, COL_PATH, path);
            add_pool_rows(t, u, lot_open(u, lot), &below);
            free(path);
        }
        holders_fini(&h);
    }
}

struct table *pool_table(struct rset *rs, const struct view *view)
{
    struct usage *u = usage_now(rs, view->now);
    struct table *t = table_create(pool_columns);

    add_pool_rows(t, u, lot_open(u, usage_top(u)),
                  &(struct pool_context){.path = ""});
    return t;
}
