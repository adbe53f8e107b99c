/* The path of a random pool of a set, in the forms of the command line. */
#ifndef TEST_SOME_PATH_H
#define TEST_SOME_PATH_H

#include "base/memory.h"
#include "model/records/path.h"
#include "sets.h"

/* A pool, or a pool in it. */
static void put_path(const struct rset *rs, const struct vertex *v, FILE *fp)
{
    struct idset_iter it;
    char name[VERTEX_NAME_MAX];
    uint32_t id = 0, n;

    if (v->run) {
        idset_iter_init(&it, v->run);
        n = random_below((uint32_t)vertex_count(v));
        while (idset_iter_next(&it, &id) && n-- > 0)
            ;
    }
    fprintf(fp, "/%s", vertex_name(rs, v, id, name));
    n = random_below(7);
    for (v = v->child; v && v->next && n > 0; n--)
        v = v->next;
    if (v && !one_in(4))
        put_path(rs, v, fp);
}

/* In the root or, if there are any, in other hierarchies. */
static char *some_path(const struct rset *rs)
{
    const struct vertex *v = rs->loose;
    char *path, *place = NULL;
    size_t len;
    FILE *fp;

    if (rs->root && (!v || !one_in(4))) {
        v = rs->root;
    } else {
        while (v->next && !one_in(3))
            v = v->next;
        while (v->child && one_in(2))
            v = v->child;
        place = vertex_place(rs, v);
    }
    if (place)
        return place;
    fp = memory_open(&path, &len);
    put_path(rs, v, fp);
    memory_close(fp);
    return path;
}

#endif /* TEST_SOME_PATH_H */
