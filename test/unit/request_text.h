/*
 * Write requests as text, so that tests can see how they were read: as the
 * shortest shape (RFC 46), and as the resources of a jobspec (RFC 14). Reading
 * either again gives the same request.
 */
#ifndef TEST_REQUEST_TEXT_H
#define TEST_REQUEST_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "request/request_private.h"

/* --- as a shape --------------------------------------------------------- */

/* State that a writer keeps for the whole text. */
struct shape_writing {
    FILE *fp;
    size_t nslots;
};

static size_t count_slots(const struct request_vertex *v)
{
    size_t n = 0;

    for (; v; v = v->next)
        n += request_is_slot(v) + count_slots(v->with);
    return n;
}

/* Would a word be read as something else, or look like a number? */
static bool needs_quotes(const char *string)
{
    struct request *req;
    struct diag d;
    char *shape;
    bool same;

    xasprintf(&shape, "%s/core", string);
    req = request_from_shape(shape, &d);
    same = req && !strcmp(req->resources->type, string);
    request_destroy(req);
    free(shape);
    return !same || *string == '+' || *string == '-';
}

static void put_string(struct shape_writing *w, const char *string)
{
    if (needs_quotes(string))
        json_write_string(w->fp, string);
    else
        fputs(string, w->fp);
}

static void put_count(struct shape_writing *w,
                      const struct request_count *count)
{
    if (request_count_fixed(count) == 1)
        return;
    putc('=', w->fp);
    request_count_write(count, w->fp);
}

/* Write the separator before an entry of a dictionary. */
static void put_separator(struct shape_writing *w, int *n)
{
    putc((*n)++ ? ',' : '{', w->fp);
}

static void put_key(struct shape_writing *w, int *n, const char *key,
                    const char *value)
{
    if (!value)
        return;
    put_separator(w, n);
    fputs(key, w->fp);
    put_string(w, value);
}

/* Can the label be left out, because RFC 46 implies it? */
static bool label_is_implied(const struct shape_writing *w,
                             const struct request_vertex *v)
{
    return w->nslots == 1 && v->exclusive == UNSET && !v->unit && !v->id
           && !strcmp(v->label, REQUEST_DEFAULT_LABEL);
}

static void put_dict(struct shape_writing *w, const struct request_vertex *v)
{
    int n = 0;

    if (!request_is_slot(v))
        put_key(w, &n, "label:", v->label);
    else if (!label_is_implied(w, v))
        put_key(w, &n, "", v->label);
    if (v->exclusive != UNSET) {
        put_separator(w, &n);
        fputs(v->exclusive == YES ? "x" : "-x", w->fp);
    }
    put_key(w, &n, "unit:", v->unit);
    put_key(w, &n, "id:", v->id);
    if (n)
        putc('}', w->fp);
}

static void put_list(struct shape_writing *w, const struct request_vertex *list)
{
    if (list->next)
        putc('[', w->fp);
    for (const struct request_vertex *v = list; v; v = v->next) {
        if (v != list)
            putc(';', w->fp);
        put_string(w, v->type);
        put_count(w, &v->count);
        put_dict(w, v);
        if (v->with) {
            putc('/', w->fp);
            put_list(w, v->with);
        }
    }
    if (list->next)
        putc(']', w->fp);
}

static __attribute__((unused)) char *request_shape(const struct request *req)
{
    struct shape_writing w = {.nslots = count_slots(req->resources)};
    char *text;
    size_t len;

    w.fp = memory_open(&text, &len);
    put_list(&w, req->resources);
    memory_close(w.fp);
    return text;
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
    text = idset_encode(count->set);
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

static __attribute__((unused)) json_t *
request_resources(const struct request *req)
{
    return list_json(req->resources);
}

#endif /* TEST_REQUEST_TEXT_H */
