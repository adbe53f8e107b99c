/*
 * Requests as objects. The depth of a request is bounded by its readers, so
 * that walking it may recurse.
 */
#include "request/request_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct request_vertex *request_vertex_create(void)
{
    struct request_vertex *v = xcalloc(1, sizeof(*v));

    v->exclusive = UNSET;
    request_count_fix(&v->count, 1);
    return v;
}

void request_vertex_destroy(struct request_vertex *v)
{
    struct request_vertex *next;

    for (; v; v = next) {
        next = v->next;
        request_vertex_destroy(v->with);
        idset_destroy(v->count.set);
        free(v->type);
        free(v->unit);
        free(v->id);
        free(v->label);
        free(v);
    }
}

struct request *request_create(struct request_vertex *resources)
{
    struct request *req = xcalloc(1, sizeof(*req));

    req->resources = resources;
    return req;
}

void request_destroy(struct request *req)
{
    if (!req)
        return;
    request_vertex_destroy(req->resources);
    constraint_destroy(req->constraint);
    free(req);
}

bool request_is_slot(const struct request_vertex *v)
{
    return !strcmp(v->type, "slot");
}
