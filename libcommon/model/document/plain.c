/* Records that an R without a graph can have (plain.h). */
#include "model/document/plain.h"

#include <stdlib.h>

#include "model/document/rlite.h"
#include "model/records/jobs.h"
#include "model/records/path.h"
#include "model/records/usage.h"

bool plain_lists(const struct rset *rs, const struct vertex *v)
{
    return vertex_is_target(v) || (rlite_type(rs, v->type) && vertex_target(v));
}

/* --- unsupported claims ---------------------------------------------- */

bool plain_whole(const struct grant *g)
{
    return g->units > 0 && grant_is_whole(g);
}

static int check_lots(const struct rset *rs, struct lot *lot, struct diag *d)
{
    const struct grant *g = plain_lists(rs, lot->v) ? lot->grants : NULL;
    char *place;

    while (g && (g->term->kind != GRANT_CLAIM || plain_whole(g)))
        g = g->beside;
    if (g) {
        diag_set(d,
                 "job %s holds %lld of %lld units: an R without a graph names "
                 "a resource only as a whole",
                 g->term->job->name, (long long)g->units,
                 (long long)lot->v->size);
        place = lot_place(rs->usage, lot, NULL);
        diag_in(d, "%s", place);
        free(place);
        return -1;
    }
    for (struct lot *c = lot_child(lot); c; c = c->next)
        if (!lot_is_blank(c) && check_lots(rs, c, d) < 0)
            return -1;
    return 0;
}

int plain_check(const struct rset *rs, struct diag *d)
{
    return rs->usage ? check_lots(rs, usage_top(rs->usage), d) : 0;
}
