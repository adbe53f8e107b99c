/*
 * RFC 31: reading the object form. What the standard and its readers leave
 * open is refused, at the path where it stands.
 */
#include "request/constraint_private.h"

#include <string.h>

#include "base/json.h"

/* The operators of RFC 31. */
static const struct {
    const char *name;
    enum constraint_kind kind;
    enum criterion_about about;
} operators[] = {{"properties", CONSTRAINT_CRITERION, ABOUT_PROPERTY},
                 {"hostlist", CONSTRAINT_CRITERION, ABOUT_HOST},
                 {"ranks", CONSTRAINT_CRITERION, ABOUT_RANK},
                 {"and", CONSTRAINT_AND, 0},
                 {"or", CONSTRAINT_OR, 0},
                 {"not", CONSTRAINT_NOT, 0}};
enum { OPERATORS = sizeof(operators) / sizeof(*operators) };

static struct constraint *read_object(const json_t *object, unsigned level,
                                      struct diag *d);

static int read_string(struct constraint *c, const json_t *value,
                       struct diag *d)
{
    if (!json_is_string(value))
        return diag_set(d, "%s: expected a string", json_quote(value).text);
    return criterion_add(c, json_string_value(value), json_string_length(value),
                         d);
}

/* A property is a criterion each, hosts and ranks are one together. */
static struct constraint *read_operands(enum criterion_about about,
                                        const json_t *array, struct diag *d)
{
    bool each = about == ABOUT_PROPERTY;
    struct constraint *list = each ? NULL : criterion_create(about);
    struct constraint **end = &list;
    json_t *value;
    size_t i;

    json_array_foreach (array, i, value) {
        if (each)
            *end = criterion_create(about);
        if (read_string(*end, value, d) < 0) {
            diag_in(d, "[%zu]", i);
            constraint_destroy(list);
            return NULL;
        }
        end = each ? &(*end)->next : end;
    }
    return constraint_join(CONSTRAINT_AND, list);
}

static struct constraint *read_objects(enum constraint_kind kind,
                                       const json_t *array, unsigned level,
                                       struct diag *d)
{
    struct constraint *list = NULL, **end = &list;
    json_t *value;
    size_t i;

    json_array_foreach (array, i, value) {
        if (!(*end = read_object(value, level + 1, d))) {
            diag_in(d, "[%zu]", i);
            constraint_destroy(list);
            return NULL;
        }
        end = &(*end)->next;
    }
    return constraint_checked(constraint_join(kind, list), d);
}

static struct constraint *read_operation(const char *name, const json_t *array,
                                         unsigned level, struct diag *d)
{
    struct constraint *c = NULL;
    size_t op = 0;

    while (op < OPERATORS && strcmp(name, operators[op].name) != 0)
        op++;
    if (op == OPERATORS) {
        diag_set(d, "%s: unknown operator", quote(name, strlen(name)).text);
        return NULL;
    }
    if (!json_is_array(array))
        diag_set(d, "%s: the value of an operator is an array",
                 json_quote(array).text);
    else if (operators[op].kind == CONSTRAINT_CRITERION)
        c = read_operands(operators[op].about, array, d);
    else
        c = read_objects(operators[op].kind, array, level, d);
    if (!c)
        diag_in(d, "%s", name);
    return c;
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
        return constraint_join(CONSTRAINT_AND, NULL);
    return read_operation(json_object_iter_key(first),
                          json_object_iter_value(first), level, d);
}

struct constraint *constraint_from_json(const json_t *object, struct diag *d)
{
    return read_object(object, 1, d);
}

struct constraint *constraint_from_string(const char *text, struct diag *d)
{
    json_t *object = json_read(text, strlen(text), true, d);
    struct constraint *c;

    if (!object)
        return NULL;
    c = constraint_from_json(object, d);
    json_decref(object);
    return c;
}
