/*
 * RFC 31: write a constraint as an object, so that tests can see how it was
 * read. It is normalised as flux-core does it: chains of `and` or of `or` are
 * one, and properties joined by `and` are one array. A constraint that always
 * holds is {}, inside another one {"and": []}. `not` has one value.
 */
#ifndef TEST_CONSTRAINT_TEXT_H
#define TEST_CONSTRAINT_TEXT_H

#include "base/json.h"
#include "request/constraint_private.h"

static bool is_property(const struct constraint *c)
{
    return c->kind == CONSTRAINT_CRITERION && c->about == ABOUT_PROPERTY;
}

static json_t *object_of(const char *name, json_t *array)
{
    json_t *object = json_object();

    json_object_set_new(object, name, array);
    return object;
}

/* Write one property, or all of a chain. */
static json_t *properties_json(const struct constraint *c, bool all)
{
    json_t *array = json_array();

    for (const struct constraint *p = c; p; p = all ? p->next : NULL)
        if (is_property(p))
            json_array_append_new(
                array,
                json_sprintf("%s%s", p->op == OP_NE ? "^" : "", p->text));
    return object_of("properties", array);
}

static json_t *criterion_json(const struct constraint *c)
{
    json_t *array;
    char *text;

    if (is_property(c))
        return properties_json(c, false);
    array = json_array();
    if (c->ids && c->nwords == 0 && !idset_empty(c->ids)) {
        text = idset_encode(c->ids); /* the source was a set */
        json_array_append_new(array, json_string(text));
        free(text);
    }
    for (size_t i = 0; i < c->nwords; i++)
        json_array_append_new(array, json_string(c->words[i]));
    return object_of(c->about == ABOUT_HOST ? "hostlist" : "ranks", array);
}

/* Recurses as deep as constraints are nested. */
static json_t *object_json(const struct constraint *c)
{
    static const char *const names[] = {"and", "or", "not"};
    bool gathers = c->kind == CONSTRAINT_AND, gathered = false;
    json_t *array;

    if (c->kind == CONSTRAINT_CRITERION)
        return criterion_json(c);
    if (gathers && c->depth == 1 && c->child)
        return properties_json(c->child, true);
    array = json_array();
    for (const struct constraint *p = c->child; p; p = p->next) {
        if (!gathers || !is_property(p))
            json_array_append_new(array, object_json(p));
        else if (!gathered)
            json_array_append_new(array, properties_json(p, true));
        gathered = gathered || is_property(p);
    }
    return object_of(names[c->kind], array);
}

static __attribute__((unused)) json_t *
constraint_json(const struct constraint *c)
{
    if (c->kind == CONSTRAINT_AND && !c->child)
        return json_object();
    return object_json(c);
}

#endif /* TEST_CONSTRAINT_TEXT_H */
