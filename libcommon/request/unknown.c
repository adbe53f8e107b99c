/* Finds names in a constraint or request that a set does not have
   (constraint.h). */
#include <string.h>

#include "base/memory.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "model/tree/properties.h"
#include "model/tree/types.h"
#include "request/constraint_private.h"
#include "request/request.h"

/* Return whether a set has a type. Usage knows all types without a walk over
   the pools. */
static bool has_type(const struct rset *rs, const char *type)
{
    const struct types *known = rs->usage ? usage_types(rs->usage) : NULL;

    if (!known || !known->known)
        return rset_has_type(rs, type);
    return VECTOR_FIND(i, known->count, !strcmp(known->names[i], type))
           < known->count;
}

static char *unknown_property(const struct rset *rs, const char *name)
{
    static const char *const words[] = {
        "host=", "hosts=", "hostlist=", "rank=", "ranks="};
    struct near near = {.word = name, .len = strlen(name)};
    bool meant = false; /* an operator such as `host:n1` was meant */
    bool host = false;
    struct idset *at = NULL;
    char *text;

    if (rset_ranks_with(rs, name))
        return NULL;
    rset_each_property(rs, near_try, &near);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        meant = meant || !strncmp(name, words[i], strlen(words[i]));
    if (rs->hosts && (at = hostlist_find(rs->hosts, name)))
        host = !idset_empty(at);
    idset_destroy(at);
    xasprintf(&text, "; no target has the property %s%s%s",
              quote(name, near.len).text, near.text,
              meant  ? " (an operator has a colon, as host:)"
              : host ? " (it is a host: write host: before it)"
              : has_type(rs, name)
                  ? " (it is a type: request it, or use --find type=)"
                  : "");
    return text;
}

/* Explain an unknown type if a similar one exists. That there are no pools of
   the type is reported anyway. */
static char *unknown_type(const struct rset *rs, const char *type)
{
    struct near near = {.word = type, .len = strlen(type)};
    char *text;

    if (type_is_usual(type) || has_type(rs, type))
        return NULL;
    type_near(&near, rs);
    if (!near.text[0])
        return NULL;
    xasprintf(&text, "; there is nothing of type %s%s",
              quote(type, near.len).text, near.text);
    return text;
}

/* Recurses as deep as constraints are nested. */
char *constraint_unknown(const struct constraint *c, const struct rset *rs)
{
    char *text = NULL;
    struct diag d;

    if (!c || c->kind == CONSTRAINT_NOT
        || (c->kind == CONSTRAINT_CRITERION && c->op == OP_NE))
        return NULL;
    if (c->kind != CONSTRAINT_CRITERION)
        for (c = c->child; c && !text; c = c->next)
            text = constraint_unknown(c, rs);
    else if (c->about == ABOUT_PROPERTY)
        text = unknown_property(rs, c->text);
    else if (c->about == ABOUT_TYPE)
        for (size_t i = 0; !text && i < c->nwords; i++)
            text = unknown_type(rs, c->words[i]);
    else if (c->about == ABOUT_HOST && rs->hosts
             && hostlist_need(c->hosts, rs->hosts, &d) != 0)
        xasprintf(&text, "; %s", d.text);
    return text;
}

/* Recurses as deep as resources are nested. Looks at the first few unknown
   types: each costs a walk over the set. */
static char *unknown_resource(const struct request_vertex *v,
                              const struct rset *rs, int *few)
{
    char *text = NULL;

    for (; v && !text && *few > 0; v = v->next) {
        if (!request_is_slot(v) && !has_type(rs, v->type)) {
            text = unknown_type(rs, v->type);
            --*few;
        }
        if (!text)
            text = unknown_resource(v->with, rs, few);
    }
    return text;
}

char *request_unknown(const struct request *req, const struct rset *rs)
{
    int few = 4;
    char *text = unknown_resource(req->resources, rs, &few);

    return text ? text : constraint_unknown(req->constraint, rs);
}
