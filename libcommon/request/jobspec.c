/*
 * RFC 14: the canonical jobspec. Each object of it is a table of keys with a
 * reader for each; the place of a fault grows on the way out, so that every
 * message has the whole JSON path.
 *
 * In files canonical jobspecs are JSON and people write YAML, of which JSON is
 * nearly a part: what begins with a brace is tried as JSON first, and where
 * both fail it is JSON that was meant.
 */
#include "request/jobspec_private.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/stream.h"
#include "base/yaml.h"

/* --- objects by table --------------------------------------------------- */

int jobspec_wrong(struct jobspec *js, const json_t *value, const char *what)
{
    return diag_set(js->d, "%s: must be %s", json_quote(value).text, what);
}

static int no_key(struct jobspec *js, const char *name, const char *what,
                  const struct jobspec_key *keys)
{
    struct near near = {.word = name, .len = strlen(name)};

    for (; keys->name; keys++)
        near_try(&near, keys->name);
    return diag_set(js->d, "%s: no key of %s%s", quote(name, near.len).text,
                    what, near.text);
}

static int check_keys(struct jobspec *js, json_t *obj, const char *what,
                      const struct jobspec_key *keys)
{
    const char *name;
    json_t *value;

    json_object_foreach (obj, name, value) {
        const struct jobspec_key *k = keys;
        while (k->name && strcmp(k->name, name))
            k++;
        if (!k->name)
            return no_key(js, name, what, keys);
    }
    return 0;
}

int jobspec_object(struct jobspec *js, json_t *obj, const char *what,
                   const struct jobspec_key *keys, bool strict, void *to)
{
    if (!json_is_object(obj)) {
        diag_set(js->d, "%s: %s must be an object", json_quote(obj).text, what);
        return -1;
    }
    if (strict && check_keys(js, obj, what, keys) < 0)
        return -1;
    for (const struct jobspec_key *k = keys; k->name; k++) {
        json_t *value = json_object_get(obj, k->name);
        if (!value && k->required)
            return diag_set(js->d, "%s has no \"%s\"", what, k->name);
        if (value && k->read(js, value, to ? (char *)to + k->at : NULL) < 0)
            return diag_in(js->d, "%s", k->name);
    }
    return 0;
}

int jobspec_list(struct jobspec *js, json_t *list, const char *what,
                 jobspec_reader *read, void *to)
{
    json_t *value;
    size_t i;

    if (!json_is_array(list) || json_array_size(list) == 0)
        return diag_set(js->d, "%s: must be a list of %s, not empty",
                        json_quote(list).text, what);
    json_array_foreach (list, i, value)
        if (read(js, value, to) < 0)
            return diag_in(js->d, "[%zu]", i);
    return 0;
}

/* An integer from `least` to the largest count; -1 with the fault. */
static int jobspec_integer(struct jobspec *js, const json_t *value,
                           uint64_t least, uint64_t *to)
{
    json_int_t n = json_integer_value(value);

    if (!json_is_integer(value))
        return jobspec_wrong(js, value, "an integer");
    if (n < (json_int_t)least)
        return diag_set(js->d, "%s: must be at least %llu",
                        json_quote(value).text, (unsigned long long)least);
    if ((uint64_t)n > js->most)
        return diag_set(js->d, "%s: must be at most %llu",
                        json_quote(value).text, (unsigned long long)js->most);
    *to = (uint64_t)n;
    return 0;
}

int jobspec_positive(struct jobspec *js, json_t *value, void *to)
{
    uint64_t n;

    (void)to;
    return jobspec_integer(js, value, 1, &n);
}

int jobspec_string(struct jobspec *js, json_t *value, void *to)
{
    (void)to;
    return json_is_string(value) ? 0 : jobspec_wrong(js, value, "a string");
}

/* --- counts ------------------------------------------------------------- */

static int read_min(struct jobspec *js, json_t *value, void *to)
{
    return jobspec_integer(js, value, 1, to);
}

static int read_max(struct jobspec *js, json_t *value, void *to)
{
    struct range *r = to;

    return jobspec_integer(js, value, r->min, &r->max);
}

static int read_range_operator(struct jobspec *js, json_t *value, void *to)
{
    const char *op = json_string_value(value);

    if (!op || strlen(op) != 1 || !strchr("+*^", op[0]))
        return jobspec_wrong(js, value, "one of \"+\", \"*\" and \"^\"");
    *(char *)to = op[0];
    return 0;
}

static int read_operand(struct jobspec *js, json_t *value, void *to)
{
    struct range *r = to;

    return jobspec_integer(js, value, r->op == '+' ? 1 : 2, &r->operand);
}

/* A bound or a step is checked against those that are read before it. */
static const struct jobspec_key range_keys[] = {
    {"min", true, read_min, offsetof(struct range, min)},
    {"max", false, read_max, 0},
    {"operator", false, read_range_operator, offsetof(struct range, op)},
    {"operand", false, read_operand, 0},
    {0}};

static int read_range(struct jobspec *js, json_t *value,
                      struct request_count *count)
{
    struct range r = {.max = RANGE_UNBOUNDED, .op = '+', .operand = 1};

    if (jobspec_object(js, value, "a count", range_keys, true, &r) < 0)
        return -1;
    if (!json_object_get(value, "operator")
        != !json_object_get(value, "operand"))
        return diag_set(js->d, "%s: \"operator\" and \"operand\" come together",
                        json_quote(value).text);
    return request_count_range(count, &r, js->most, js->d);
}

static int read_count_value(struct jobspec *js, json_t *value, void *to)
{
    struct request_count *count = to;
    uint64_t n;

    if (json_is_object(value))
        return read_range(js, value, count);
    if (json_is_string(value))
        return request_count_decode(json_string_value(value),
                                    json_string_length(value), js->most, count,
                                    js->d);
    if (!json_is_integer(value))
        return jobspec_wrong(js, value, "an integer, a string or an object");
    if (jobspec_integer(js, value, 1, &n) < 0)
        return -1;
    request_count_fix(count, n);
    return 0;
}

/* --- resource vertices -------------------------------------------------- */

static int copy_string(struct jobspec *js, json_t *value, void *to)
{
    if (jobspec_string(js, value, NULL) < 0)
        return -1;
    *(char **)to = xstrdup(json_string_value(value));
    return 0;
}

static int read_label_value(struct jobspec *js, json_t *value, void *to)
{
    if (copy_string(js, value, to) < 0)
        return -1;
    if (json_object_get(js->labels, json_string_value(value)))
        return diag_set(
            js->d, "%s: label is used twice, and tasks name their slot by it",
            json_quote(value).text);
    /* taken from here on; the vertex follows when it was read */
    json_object_set_new(js->labels, json_string_value(value), json_null());
    return 0;
}

static int read_exclusive(struct jobspec *js, json_t *value, void *to)
{
    if (!json_is_boolean(value))
        return jobspec_wrong(js, value, "true or false");
    *(enum tristate *)to = json_is_true(value) ? YES : NO;
    return 0;
}

static int read_vertices(struct jobspec *js, json_t *list, void *to);

static int read_with(struct jobspec *js, json_t *value, void *to)
{
    int rc;

    if (++js->depth == REQUEST_DEPTH_MAX)
        return diag_set(js->d, "nested deeper than %d levels",
                        REQUEST_DEPTH_MAX);
    rc = read_vertices(js, value, to);
    js->depth--;
    return rc;
}

#define AT(field) offsetof(struct request_vertex, field)
static const struct jobspec_key vertex_keys[] = {
    {"type", true, copy_string, AT(type)},
    {"count", true, read_count_value, AT(count)},
    {"exclusive", false, read_exclusive, AT(exclusive)},
    {"unit", false, copy_string, AT(unit)},
    {"id", false, copy_string, AT(id)},
    {"label", false, read_label_value, AT(label)},
    {"with", false, read_with, AT(with)},
    {0}};

/* Puts it at the end of a list, and that behind it. */
static int read_vertex_value(struct jobspec *js, json_t *value, void *to)
{
    struct request_vertex ***end = to, *v = **end = request_vertex_create();

    *end = &v->next;
    js->most = request_count_most(
        json_string_value(json_object_get(value, "unit")));
    if (jobspec_object(js, value, "a resource", vertex_keys, true, v) < 0)
        return -1;
    js->most = REQUEST_COUNT_MAX;
    if (request_is_slot(v) && !v->label)
        return diag_set(js->d, "a slot has no \"label\"");
    if (request_is_slot(v) && !v->with)
        return diag_set(js->d, "a slot has no \"with\"");
    if (v->label)
        json_object_set(js->labels, v->label, value);
    return 0;
}

/* Whatever was read is in *to, even on failure. */
static int read_vertices(struct jobspec *js, json_t *list, void *to)
{
    struct request_vertex **end = to;

    return jobspec_list(js, list, "resources", read_vertex_value, &end);
}

/* --- the whole ---------------------------------------------------------- */

static int read_resources(struct jobspec *js, json_t *list, void *to)
{
    return js->known ? 0 : read_vertices(js, list, to);
}

static const struct jobspec_key jobspec_keys[] = {
    {"version", true, jobspec_positive, 0},
    {"resources", true, read_resources, offsetof(struct request, resources)},
    {"tasks", true, jobspec_tasks, 0},
    {"attributes", true, jobspec_attributes, 0},
    {0}};

int jobspec_read(const json_t *jobspec, bool v1, bool known, json_t **labels,
                 struct request *req, struct diag *d)
{
    struct jobspec js = {.labels = known ? *labels : json_object(),
                         .types = json_object(),
                         .most = REQUEST_COUNT_MAX,
                         .known = known,
                         .d = d};
    /* only read, and counted up for as long as the labels are kept */
    json_t *value = (json_t *)jobspec;
    int rc = jobspec_object(&js, value, "a jobspec", jobspec_keys, true, req);

    if (rc == 0 && v1)
        rc = jobspec_check_v1(&js, value);
    json_decref(js.types);
    *labels = js.labels;
    return rc;
}

struct request *request_from_jobspec(const json_t *jobspec, bool v1,
                                     struct diag *d)
{
    struct request *req = xcalloc(1, sizeof(*req));
    json_t *labels;
    int rc = jobspec_read(jobspec, v1, false, &labels, req, d);

    json_decref(labels);
    if (rc == 0)
        return req;
    request_destroy(req);
    return NULL;
}

/* --- files ---------------------------------------------------------------- */

/* No jobspec is as large; jansson counts positions in an int. */
#define FILE_SIZE_MAX (64u << 20)

static json_t *load(const char *text, size_t len, struct diag *d)
{
    size_t blank = 0;
    struct diag ignored = {0};
    json_t *value;

    while (blank < len && memchr(" \t\r\n", text[blank], 4))
        blank++;
    if (blank == len) {
        diag_set(d, "no jobspec: the input is empty");
        return NULL;
    }
    if (text[blank] != '{')
        return yaml_load(text, len, d);
    value = json_read(text, len, false, d);
    return value ? value : yaml_load(text, len, &ignored);
}

struct request *request_from_text(const char *text, size_t len, bool v1,
                                  struct diag *d)
{
    json_t *jobspec = load(text, len, d);
    const char *other = jobspec ? NULL : stream_other(text, len);
    struct request *req;

    if (other)
        diag_set(d, "expected a jobspec, and this is %s", other);
    if (!jobspec)
        return NULL;
    req = request_from_jobspec(jobspec, v1, d);
    json_decref(jobspec);
    return req;
}

struct request *request_from_file(const char *path, bool v1, struct diag *d)
{
    size_t len;
    char *text = file_read(path, FILE_SIZE_MAX, "a jobspec", &len, d);
    struct request *req = text ? request_from_text(text, len, v1, d) : NULL;

    if (!req)
        diag_source(d, "%s", strcmp(path, "-") ? path : "stdin");
    free(text);
    return req;
}
