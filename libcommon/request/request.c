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

/* --- as the resources of a jobspec -------------------------------------- */

static json_t *count_json(const struct request_count *count)
{
    const struct range *r = &count->range;
    char *text;
    json_t *value;

    if (request_count_fixed(count))
        return json_integer((json_int_t)r->min);
    if (!count->set && r->max == RANGE_UNBOUNDED)
        return json_pack("{s:I,s:s#,s:I}", "min", (json_int_t)r->min,
                         "operator", &r->op, 1, "operand",
                         (json_int_t)r->operand);
    if (!count->set)
        return json_pack("{s:I,s:I,s:s#,s:I}", "min", (json_int_t)r->min, "max",
                         (json_int_t)r->max, "operator", &r->op, 1, "operand",
                         (json_int_t)r->operand);
    text = request_count_encode(count);
    value = json_string(text);
    free(text);
    return value;
}

static json_t *list_json(const struct request_vertex *v);

static json_t *vertex_json(const struct request_vertex *v)
{
    json_t *obj = json_pack("{s:s,s:o}", "type", v->type, "count",
                            count_json(&v->count));
    const struct {
        const char *key, *text;
    } words[] = {{"unit", v->unit}, {"id", v->id}, {"label", v->label}};

    if (v->exclusive != UNSET)
        json_object_set_new(obj, "exclusive",
                            json_boolean(v->exclusive == YES));
    for (int i = 0; i < 3; i++)
        if (words[i].text)
            json_object_set_new(obj, words[i].key, json_string(words[i].text));
    if (v->with)
        json_object_set_new(obj, "with", list_json(v->with));
    return obj;
}

static json_t *list_json(const struct request_vertex *v)
{
    json_t *list = json_array();

    for (; v; v = v->next)
        json_array_append_new(list, vertex_json(v));
    return list;
}

json_t *request_resources(const struct request *req)
{
    return list_json(req->resources);
}
