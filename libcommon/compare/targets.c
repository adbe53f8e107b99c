/* Lays targets over each other (targets.h). */
#include "compare/targets.h"

#include <stdlib.h>

#include "base/memory.h"

void targets_init(struct targets *t, struct rset *const *sets, size_t n)
{
    const struct idset **runs;
    size_t size = 0;

    for (size_t i = 0; i < n; i++)
        for (const struct vertex *v = sets[i]->root->child; v; v = v->next)
            size++;
    *t = (struct targets){.list = xmalloc(size * sizeof(*t->list)),
                          .end = xmalloc(n * sizeof(*t->end)),
                          .nsets = n};
    runs = xmalloc(size * sizeof(*runs));
    for (size_t i = 0; i < n; i++) {
        for (struct vertex *v = sets[i]->root->child; v; v = v->next) {
            runs[t->n] = v->run;
            t->list[t->n++] = v;
        }
        t->end[i] = t->n;
    }
    t->overlay = overlay_create(runs, t->n);
    free(runs);
}

void targets_fini(struct targets *t)
{
    overlay_destroy(t->overlay);
    free(t->list);
    free(t->end);
}

size_t targets_set(const struct targets *t, size_t label)
{
    size_t low = 0, high = t->nsets - 1;

    while (low < high) {
        size_t mid = (low + high) / 2;
        if (t->end[mid] <= label)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}
