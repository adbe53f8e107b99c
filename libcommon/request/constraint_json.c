/*
 * RFC 31: reading the object form. What the standard and its readers leave
 * open is refused, at the path where it stands.
 */
#include "request/constraint_private.h"

#include <string.h>

#include "base/json.h"

static struct constraint *read_object(const json_t *object, unsigned level,
                                      struct diag *d);

static struct constraint *read_strings(enum constraint_op op,
                                       const json_t *array, struct diag *d)
{
    struct constraint *c = constraint_create(op, d);
    json_t *value;
    size_t i;
    int rc = 0;

    if (!c)
        return NULL;
    json_array_foreach (array, i, value) {
        if (!json_is_string(value))
            rc = diag_set(d, "%s: expected a string", json_quote(value).text);
        else
            rc = constraint_add_value(c, json_string_value(value),
                                      json_string_length(value), d);
        if (rc < 0) {
            diag_in(d, "%s[%zu]", constraint_op_names[op], i);
            constraint_destroy(c);
            return NULL;
        }
    }
    return c;
}

static struct constraint *read_objects(enum constraint_op op,
                                       const json_t *array, unsigned level,
                                       struct diag *d)
{
    struct constraint *list = NULL, **end = &list;
    json_t *value;
    size_t i;

    json_array_foreach (array, i, value) {
        *end = read_object(value, level + 1, d);
        if (!*end) {
            diag_in(d, "%s[%zu]", constraint_op_names[op], i);
            constraint_destroy(list);
            return NULL;
        }
        end = &(*end)->next;
    }
    return constraint_join(op, list, d);
}

static struct constraint *read_operator(const char *name, const json_t *array,
                                        unsigned level, struct diag *d)
{
    enum constraint_op op = 0;

    while (op < CONSTRAINT_OPS && strcmp(name, constraint_op_names[op]) != 0)
        op++;
    if (op == CONSTRAINT_OPS) {
        diag_set(d, "%s: unknown operator", quote(name, strlen(name)).text);
        return NULL;
    }
    if (!json_is_array(array)) {
        diag_set(d, "%s: the value of an operator is an array",
                 json_quote(array).text);
        diag_in(d, "%s", name);
        return NULL;
    }
    if (op == CONSTRAINT_PROPERTIES && json_array_size(array) == 0)
        op = CONSTRAINT_AND; /* both always hold */
    return constraint_is_leaf(op) ? read_strings(op, array, d)
                                  : read_objects(op, array, level, d);
}

static struct constraint *read_object(const json_t *object, unsigned level,
                                      struct diag *d)
{
    void *first = json_object_iter((json_t *)object);

    if (level > CONSTRAINT_DEPTH_MAX) {
        constraint_too_deep(d);
        return NULL;
    }
    if (!json_is_object(object) || json_object_size(object) > 1) {
        diag_set(d, "%s: %s", json_quote(object).text,
                 json_is_object(object) ? "a constraint has one operator"
                                        : "a constraint is an object");
        return NULL;
    }
    if (!first)
        return constraint_join(CONSTRAINT_AND, NULL, d);
    return read_operator(json_object_iter_key(first),
                         json_object_iter_value(first), level, d);
}

struct constraint *constraint_from_json(const json_t *object, struct diag *d)
{
    return read_object(object, 1, d);
}

struct constraint *constraint_from_string(const char *text, struct diag *d)
{
    json_t *object = json_read(text, strlen(text), true, 0, d);
    struct constraint *c;

    if (!object)
        return NULL;
    c = constraint_from_json(object, d);
    json_decref(object);
    return c;
}
