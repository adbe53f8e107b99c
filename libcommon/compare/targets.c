/* Overlays targets (targets.h). */
#include "compare/targets.h"

#include <stdlib.h>

#include "base/memory.h"

void targets_init(struct targets *t, struct rset *const *sets, size_t n)
{
    const struct idset **runs = NULL;

    *t = (struct targets){0};
    for (size_t i = 0; i < n; i++) {
        for (struct vertex *v = sets[i]->root->child; v; v = v->next) {
            VECTOR_GROW(runs, t->n);
            VECTOR_GROW(t->set, t->n);
            runs[t->n] = v->run;
            t->set[t->n] = i;
            VECTOR_ADD(t->list, t->n, v);
        }
        if (i == 0)
            t->nfirst = t->n;
    }
    t->overlay = overlay_create(runs, t->n);
    free(runs);
}

void targets_fini(struct targets *t)
{
    overlay_destroy(t->overlay);
    free(t->list);
    free(t->set);
}
