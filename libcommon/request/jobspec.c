/*
 * The canonical jobspec (RFC 14). Each object is read by a table of keys with a
 * reader for each key. The place of a fault is completed on the way out, so
 * that every message has the whole JSON path.
 */
#include "request/request_private.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/keys.h"
#include "base/memory.h"

struct jobspec {
    const struct request *req; /* its resources, so far */
    int depth, entries;
    uint64_t most; /* the largest allowed count */
};

/* --- values --------------------------------------------------------------- */

/* Report a value of the wrong kind: `"x": must be <what>`. Returns -1. */
static int wrong(struct diag *d, const json_t *value, const char *what)
{
    return diag_set(d, "%s: must be %s", json_quote(value).text, what);
}

static bool is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && !strcmp(json_string_value(value), text);
}

/* Read a list that is not empty, with a reader for its elements. */
static int read_list(struct jobspec *js, json_t *list, const char *what,
                     key_reader *read, void *to, struct diag *d)
{
    if (!json_is_array(list) || json_array_size(list) == 0)
        return diag_set(d, "%s: must be a list of %s, not empty",
                        json_quote(list).text, what);
    return keys_list(js, list, what, read, to, d);
}

/* Read an integer from `least` to the largest count. Returns -1 with a diag. */
static int read_integer(const struct jobspec *js, const json_t *value,
                        uint64_t least, uint64_t *to, struct diag *d)
{
    json_int_t n = json_integer_value(value);

    if (!json_is_integer(value))
        return wrong(d, value, "an integer");
    if (n < (json_int_t)least)
        return diag_set(d, "%s: must be at least %llu", json_quote(value).text,
                        (unsigned long long)least);
    if ((uint64_t)n > js->most)
        return diag_set(d, "%s: must be at most %llu", json_quote(value).text,
                        (unsigned long long)js->most);
    *to = (uint64_t)n;
    return 0;
}

static int check_positive(void *arg, json_t *value, void *to, struct diag *d)
{
    uint64_t n;

    (void)to;
    return read_integer(arg, value, 1, &n, d);
}

/* The versions of RFC 14 that Fluxion knows. */
enum { VERSION_LAST = 9999 };

static int check_version(void *arg, json_t *value, void *to, struct diag *d)
{
    if (check_positive(arg, value, to, d) < 0)
        return -1;
    return json_integer_value(value) > VERSION_LAST
               ? wrong(d, value, "a version up to 9999")
               : 0;
}

static int check_text(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    (void)to;
    return json_is_string(value) ? 0 : wrong(d, value, "a string");
}

/* --- counts ------------------------------------------------------------- */

static int read_min(void *arg, json_t *value, void *to, struct diag *d)
{
    return read_integer(arg, value, 1, to, d);
}

static int read_max(void *arg, json_t *value, void *to, struct diag *d)
{
    struct range *r = to;

    return read_integer(arg, value, r->min, &r->max, d);
}

static int read_range_operator(void *arg, json_t *value, void *to,
                               struct diag *d)
{
    const char *op = json_string_value(value);

    (void)arg;
    if (!op || strlen(op) != 1 || !strchr("+*^", op[0]))
        return wrong(d, value, "one of \"+\", \"*\" and \"^\"");
    *(char *)to = op[0];
    return 0;
}

static int read_operand(void *arg, json_t *value, void *to, struct diag *d)
{
    struct range *r = to;

    return read_integer(arg, value, r->op == '+' ? 1 : 2, &r->operand, d);
}

/* The order matters: a bound or a step is checked against those before it. */
static const struct key range_keys[] = {
    {"min", read_min, KEY_REQUIRED | offsetof(struct range, min)},
    {"max", read_max, 0},
    {"operator", read_range_operator, offsetof(struct range, op)},
    {"operand", read_operand, 0},
    {0}};

static int read_count_value(void *arg, json_t *value, void *to, struct diag *d)
{
    struct range r = {.max = RANGE_UNBOUNDED, .op = '+', .operand = 1};
    struct jobspec *js = arg;
    struct request_count *count = to;
    uint64_t n;

    if (json_is_object(value)) {
        if (keys_read(js, value, "a count", range_keys, true, &r, d) < 0)
            return -1;
        if (!json_object_get(value, "operator")
            != !json_object_get(value, "operand"))
            return diag_set(d,
                            "%s: \"operator\" and \"operand\" need each other",
                            json_quote(value).text);
        return request_count_range(count, &r, js->most, d);
    }
    if (json_is_string(value))
        return request_count_decode(json_string_value(value),
                                    json_string_length(value), js->most, count,
                                    d);
    if (!json_is_integer(value))
        return wrong(d, value, "an integer, a string or an object");
    if (read_integer(js, value, 1, &n, d) < 0)
        return -1;
    request_count_fix(count, n);
    return 0;
}

/* --- resource vertices -------------------------------------------------- */

static int copy_string(void *arg, json_t *value, void *to, struct diag *d)
{
    if (check_text(arg, value, NULL, d) < 0)
        return -1;
    *(char **)to = xstrdup(json_string_value(value));
    return 0;
}

static int read_label_value(void *arg, json_t *value, void *to, struct diag *d)
{
    struct jobspec *js = arg;

    if (json_is_string(value)
        && request_labelled(js->req->resources, json_string_value(value)))
        return diag_set(
            d, "%s: label is used twice; tasks refer to slots by label",
            json_quote(value).text);
    return copy_string(arg, value, to, d);
}

static int read_exclusive(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    if (!json_is_boolean(value))
        return wrong(d, value, "true or false");
    *(enum tristate *)to = json_is_true(value) ? YES : NO;
    return 0;
}

static int read_vertices(void *arg, json_t *list, void *to, struct diag *d);

static int read_with(void *arg, json_t *value, void *to, struct diag *d)
{
    struct jobspec *js = arg;
    int rc;

    if (++js->depth == REQUEST_DEPTH_MAX)
        return diag_set(d, "nested deeper than %d levels", REQUEST_DEPTH_MAX);
    rc = read_vertices(arg, value, to, d);
    js->depth--;
    return rc;
}

#define AT(field) offsetof(struct request_vertex, field)
static const struct key vertex_keys[] = {
    {"type", copy_string, KEY_REQUIRED | AT(type)},
    {"count", read_count_value, KEY_REQUIRED | AT(count)},
    {"exclusive", read_exclusive, AT(exclusive)},
    {"unit", copy_string, AT(unit)},
    {"id", copy_string, AT(id)},
    {"label", read_label_value, AT(label)},
    {"with", read_with, AT(with)},
    {0}};

/* Add a vertex to the end of a list. */
static int read_vertex_value(void *arg, json_t *value, void *to, struct diag *d)
{
    struct jobspec *js = arg;
    struct request_vertex ***end = to, *v = **end = request_vertex_create();

    *end = &v->next;
    if (++js->entries > REQUEST_ENTRIES_MAX)
        return diag_set(d, "there are more than %d resources in a request",
                        REQUEST_ENTRIES_MAX);
    js->most = request_count_most(
        json_string_value(json_object_get(value, "unit")));
    if (keys_read(js, value, "a resource", vertex_keys, true, v, d) < 0)
        return -1;
    js->most = REQUEST_COUNT_MAX;
    if (request_is_slot(v) && !v->label)
        return diag_set(d, "a slot has no \"label\"");
    if (request_is_slot(v) && !v->with)
        return diag_set(d, "a slot has no \"with\"");
    return 0;
}

/* *to has everything that was read, even on failure. */
static int read_vertices(void *arg, json_t *list, void *to, struct diag *d)
{
    struct request_vertex **end = to;

    return read_list(arg, list, "resources", read_vertex_value, &end, d);
}

/* --- attributes ----------------------------------------------------------- */

static int any_object(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    (void)to;
    return json_is_object(value) ? 0 : wrong(d, value, "an object");
}

static int read_seconds(void *arg, json_t *value, void *to, struct diag *d)
{
    double seconds = json_number_value(value);

    (void)arg;
    (void)to;
    if (!json_is_number(value) || !isfinite(seconds) || seconds < 0)
        return wrong(d, value, "a number of seconds, not negative");
    return 0;
}

static int read_duration(void *arg, json_t *value, void *to, struct diag *d)
{
    if (read_seconds(arg, value, to, d) < 0)
        return -1;
    *(double *)to = json_number_value(value);
    return 0;
}

static int read_constraints(void *arg, json_t *value, void *to, struct diag *d)
{
    struct constraint **c = to;

    if (any_object(arg, value, to, d) < 0)
        return -1;
    *c = constraint_from_json(value, d);
    return *c ? 0 : -1;
}

/* Check all values of an object with any keys. */
static int read_values(json_t *object, key_reader *read, struct diag *d)
{
    const char *name;
    json_t *value;

    if (any_object(NULL, object, NULL, d) < 0)
        return -1;
    json_object_foreach (object, name, value)
        if (read(NULL, value, NULL, d) < 0)
            return diag_in(d, "%s", name);
    return 0;
}

static int string_or_null(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    (void)to;
    return json_is_string(value) || json_is_null(value)
               ? 0
               : wrong(d, value, "a string or null");
}

static int read_environment(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    (void)to;
    return read_values(value, string_or_null, d);
}

static int read_strings(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    (void)to;
    return read_values(value, check_text, d);
}

static int read_cwd(void *arg, json_t *value, void *to, struct diag *d)
{
    const char *path = json_string_value(value);

    (void)arg;
    (void)to;
    if (!path || path[0] != '/')
        return wrong(d, value, "an absolute path");
    return 0;
}

/* --- dependencies (RFC 26) ---------------------------------------------- */

static int read_dependency_type(void *arg, json_t *value, void *to,
                                struct diag *d)
{
    (void)arg;
    (void)to;
    return is_text(value, "in") || is_text(value, "out")
                   || is_text(value, "inout")
               ? 0
               : wrong(d, value, "one of \"in\", \"out\", \"inout\"");
}

static int read_dependency_scope(void *arg, json_t *value, void *to,
                                 struct diag *d)
{
    (void)arg;
    (void)to;
    return is_text(value, "user") || is_text(value, "global")
               ? 0
               : wrong(d, value, "one of \"user\", \"global\"");
}

/*
 * Type and scope are optional and other keys are allowed: deployed schemes omit
 * type and scope and have keys of their own.
 */
static const struct key dependency_keys[] = {
    {"type", read_dependency_type, 0},
    {"scope", read_dependency_scope, 0},
    {"scheme", check_text, KEY_REQUIRED},
    {"value", check_text, KEY_REQUIRED},
    {0}};

/* Check a dependency and that it is not repeated: `to` has the texts of the
   dependencies before it. */
static int read_dependency(void *arg, json_t *value, void *to, struct diag *d)
{
    json_t *seen = to;
    char *text;
    int rc = 0;

    if (keys_read(arg, value, "a dependency", dependency_keys, false, NULL, d)
        < 0)
        return -1;
    text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    if (json_object_get(seen, text))
        rc = diag_set(d, "%s: dependency is repeated", json_quote(value).text);
    else
        json_object_set_new(seen, text, json_true());
    free(text);
    return rc;
}

static int read_dependencies(void *arg, json_t *value, void *to, struct diag *d)
{
    json_t *seen = json_object();
    int rc = read_list(arg, value, "dependencies", read_dependency, seen, d);

    (void)to;
    json_decref(seen);
    return rc;
}

static const struct key system_keys[] = {
    {"duration", read_duration, offsetof(struct request, duration)},
    {"preemptible-after", read_seconds, 0},
    {"environment", read_environment, 0},
    {"cwd", read_cwd, 0},
    {"queue", check_text, 0},
    {"bank", check_text, 0},
    {"project", check_text, 0},
    {"dependencies", read_dependencies, 0},
    {"constraints", read_constraints, offsetof(struct request, constraint)},
    {"job", read_strings, 0},
    {"shell", any_object, 0},
    {0}};

static int read_system(void *arg, json_t *value, void *to, struct diag *d)
{
    return keys_read(arg, value, "\"system\"", system_keys, false, to, d);
}

static const struct key attribute_keys[] = {
    {"system", read_system, 0}, {"user", any_object, 0}, {0}};

static int read_attributes(void *arg, json_t *value, void *to, struct diag *d)
{
    if (json_is_null(value)) /* the schema of the RFC allows null */
        return 0;
    return keys_read(arg, value, "\"attributes\"", attribute_keys, true, to, d);
}

/* --- tasks ---------------------------------------------------------------- */

static int read_command(void *arg, json_t *value, void *to, struct diag *d)
{
    return read_list(arg, value, "strings", check_text, to, d);
}

static int read_slot(void *arg, json_t *value, void *to, struct diag *d)
{
    struct jobspec *js = arg;
    const struct request_vertex **slot = to;

    if (check_text(arg, value, NULL, d) < 0)
        return -1;
    *slot = request_labelled(js->req->resources, json_string_value(value));
    if (!*slot || !request_is_slot(*slot))
        return diag_set(d, "%s: no slot has this label",
                        json_quote(value).text);
    return 0;
}

/* Return whether a type is in a list or below it. */
static bool type_is_in(const struct request_vertex *list, const char *type)
{
    while (list && strcmp(list->type, type) != 0
           && !type_is_in(list->with, type))
        list = list->next;
    return list;
}

static int read_resource_type(void *arg, json_t *value, void *to,
                              struct diag *d)
{
    const struct request_vertex *slot = *(const struct request_vertex **)to;

    if (check_text(arg, value, NULL, d) < 0)
        return -1;
    if (type_is_in(slot->with, json_string_value(value)))
        return 0;
    return diag_set(d, "%s: not in slot %s", json_quote(value).text,
                    quote_all(slot->label).text);
}

static int read_per_resource(void *arg, json_t *value, void *to, struct diag *d)
{
    static const struct key keys[] = {
        {"type", read_resource_type, KEY_REQUIRED},
        {"count", check_positive, KEY_REQUIRED},
        {0}};

    return keys_read(arg, value, "\"per_resource\"", keys, true, to, d);
}

static int read_task_count(void *arg, json_t *value, void *to, struct diag *d)
{
    static const struct key keys[] = {{"per_slot", check_positive, 0},
                                      {"total", check_positive, 0},
                                      {"per_resource", read_per_resource, 0},
                                      {0}};

    if (keys_read(arg, value, "a count of tasks", keys, true, to, d) < 0)
        return -1;
    if (json_object_size(value) == 1)
        return 0;
    return wrong(d, value,
                 "one of \"per_slot\", \"total\" and "
                 "\"per_resource\"");
}

static int read_task_attributes(void *arg, json_t *value, void *to,
                                struct diag *d)
{
    static const struct key keys[] = {{"environment", read_environment, 0},
                                      {0}};

    return keys_read(arg, value, "\"attributes\"", keys, false, to, d);
}

/* "slot" comes before "count", which needs it. */
static const struct key task_keys[] = {
    {"command", read_command, KEY_REQUIRED},  {"slot", read_slot, KEY_REQUIRED},
    {"count", read_task_count, KEY_REQUIRED}, {"distribution", check_text, 0},
    {"attributes", read_task_attributes, 0},  {0}};

static int read_task(void *arg, json_t *value, void *to, struct diag *d)
{
    const struct request_vertex *slot = NULL;

    (void)to;
    return keys_read(arg, value, "a task", task_keys, true, &slot, d);
}

static int read_tasks(void *arg, json_t *value, void *to, struct diag *d)
{
    return read_list(arg, value, "tasks", read_task, to, d);
}

/* --- the whole ---------------------------------------------------------- */

static const struct key jobspec_keys[] = {
    {"version", check_version, KEY_REQUIRED},
    {"resources", read_vertices,
     KEY_REQUIRED | offsetof(struct request, resources)},
    {"tasks", read_tasks, KEY_REQUIRED},
    {"attributes", read_attributes, KEY_REQUIRED},
    {0}};

struct request *request_from_jobspec(const json_t *jobspec, struct diag *d)
{
    struct request *req = xcalloc(1, sizeof(*req));
    struct jobspec js = {.req = req, .most = REQUEST_COUNT_MAX};

    if (keys_read(&js, (json_t *)jobspec, "a jobspec", jobspec_keys, true, req,
                  d)
        == 0)
        return req;
    request_destroy(req);
    return NULL;
}
