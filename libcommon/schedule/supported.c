/*
 * Which requests can the policy `first` answer without a search? Those whose
 * parts never compete: a chain of vertices, with several leaves of different
 * types side by side at its end. There, taking the first that fits is right.
 */
#include "schedule/match.h"

#include <string.h>

#include "model/rlite.h"

struct checking {
    const struct rset *rs;
    struct diag *d;
};

static int refuse(struct checking *c, const struct request_vertex *v,
                  const char *what)
{
    diag_set(c->d, "%s", what);
    return diag_in(c->d, "request at %s", v->type);
}

static bool is_leaf(const struct request_vertex *v)
{
    return !v->with;
}

/* Several at one level: leaves, each of a type of its own. */
static int check_siblings(struct checking *c, const struct request_vertex *list)
{
    for (const struct request_vertex *a = list; a; a = a->next) {
        if (!is_leaf(a))
            return refuse(c, a,
                          "several entries at one level, one of which has "
                          "entries of its own, are not supported yet");
        for (const struct request_vertex *b = a->next; b; b = b->next)
            if (!strcmp(a->type, b->type))
                return refuse(c, a,
                              "the same type twice at one level is not "
                              "supported yet");
    }
    return 0;
}

static bool asks_for(const struct request_vertex *list, const char *type)
{
    for (; list; list = list->next)
        if (!strcmp(list->type, type))
            return true;
    return false;
}

/* Types that lie in each other would compete. */
static int check_nesting(struct checking *c, const struct request_vertex *list)
{
    const struct vertex *root = c->rs->root;

    for (const struct vertex *v = root; v; v = vertex_next(root, v, false)) {
        if (!asks_for(list, v->type))
            continue;
        for (const struct vertex *up = v->parent; up; up = up->parent)
            if (asks_for(list, up->type))
                return refuse(c, list,
                              "types of which one lies in the other, at one "
                              "level of a request, are not supported yet");
    }
    return 0;
}

/* Is v below or at what fits within one node? */
static int check_scope(struct checking *c, const struct request_vertex *list,
                       bool in_node)
{
    if (!in_node)
        return refuse(c, list,
                      "several entries at a level above nodes are not "
                      "supported yet");
    return 0;
}

static int check_unit(struct checking *c, const struct request_vertex *req)
{
    if (!req->unit)
        return 0;
    for (const struct vertex *v = rset_first(c->rs); v;
         v = rset_next(c->rs, v)) {
        if (!strcmp(v->type, req->type) && strcmp(v->unit, req->unit)) {
            diag_set(c->d,
                     "%s of a request against a pool in %s: converting "
                     "units is not supported yet",
                     quote(req->unit, strlen(req->unit)).text,
                     quote(v->unit, strlen(v->unit)).text);
            return diag_in(c->d, "request at %s", req->type);
        }
    }
    return 0;
}

static int check_vertex(struct checking *c, const struct request_vertex *v,
                        bool outermost, bool in_slot)
{
    if (request_is_slot(v) && in_slot)
        return refuse(c, v, "a slot in a slot is not supported yet");
    if (v->id)
        return refuse(c, v, "`id` is not supported yet");
    if (!outermost && !request_count_fixed(&v->count))
        return refuse(c, v,
                      "a count that is not fixed is supported only at the "
                      "outermost vertex yet");
    return check_unit(c, v);
}

static int check_list(struct checking *c, const struct request_vertex *list,
                      bool outermost, bool in_slot, bool in_node)
{
    for (const struct request_vertex *v = list; v; v = v->next) {
        bool node = in_node || type_is_node(v->type) || request_is_slot(v);
        if (check_vertex(c, v, outermost && !list->next, in_slot) < 0
            || check_list(c, v->with, false, in_slot || request_is_slot(v),
                          node)
                   < 0)
            return -1;
    }
    if (!list || !list->next)
        return 0;
    return check_siblings(c, list) < 0 || check_scope(c, list, in_node) < 0
                   || check_nesting(c, list) < 0
               ? -1
               : 0;
}

int match_supported(const struct rset *rs, const struct request *req,
                    struct diag *d)
{
    struct checking c = {.rs = rs, .d = d};

    if (req->constraints && json_object_size(req->constraints) > 0)
        return diag_set(d, "attributes.system.constraints: constraints are "
                           "not supported yet");
    return check_list(&c, req->resources, true, false, false);
}
