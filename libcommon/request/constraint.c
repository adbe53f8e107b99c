/*
 * The tree of a constraint: made, joined into its normal form, written.
 */
#include "request/constraint_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/execution.h"

const char *const constraint_op_names[CONSTRAINT_OPS] = {
    "properties", "hostlist", "ranks", "and", "or", "not"};

static void destroy_list(struct constraint *list)
{
    while (list) {
        struct constraint *c = list;

        list = c->next;
        destroy_list(c->child);
        json_decref(c->values);
        hostlist_destroy(c->hosts);
        idset_destroy(c->ranks);
        free(c);
    }
}

void constraint_destroy(struct constraint *c)
{
    destroy_list(c);
}

/* --- operators of strings ----------------------------------------------- */

static int make_set(struct constraint *c)
{
    c->values = json_array();
    if (c->op == CONSTRAINT_HOSTLIST)
        c->hosts = hostlist_create();
    if (c->op == CONSTRAINT_RANKS)
        c->ranks = idset_create();
    return !c->values || (c->op == CONSTRAINT_HOSTLIST && !c->hosts)
                   || (c->op == CONSTRAINT_RANKS && !c->ranks)
               ? -1
               : 0;
}

struct constraint *constraint_create(enum constraint_op op, struct diag *d)
{
    struct constraint *c = xcalloc(1, sizeof(*c));

    if (c) {
        c->op = op;
        c->depth = 1;
    }
    if (!c || (constraint_is_leaf(op) && make_set(c) < 0)) {
        constraint_destroy(c);
        diag_oom(d);
        return NULL;
    }
    return c;
}

static int check_property(const char *text, size_t len, struct diag *d)
{
    size_t from = len > 0 && text[0] == '^';

    if (len == from)
        return diag_set(d, "%s: a property has a name", quote(text, len).text);
    for (size_t i = from; i < len; i++)
        if (strchr(PROPERTY_FORBIDDEN, text[i]))
            return diag_set(d, "%s: '%c' is not allowed in a property",
                            quote(text, len).text, text[i]);
    return 0;
}

static int add_hosts(struct constraint *c, const char *text, size_t len,
                     struct diag *d)
{
    struct hostlist_reader how = HOSTLIST_READER;

    how.max = CONSTRAINT_HOSTS_MAX;
    how.many = true;
    return hostlist_read(c->hosts, text, len, &how, d);
}

static int add_ranks(struct constraint *c, const char *text, size_t len,
                     struct diag *d)
{
    struct idset *ranks;

    if (idset_decode(text, len, &ranks, d) < 0)
        return -1;
    idset_add_set(c->ranks, ranks);
    idset_destroy(ranks);
    return 0;
}

static int read_value(struct constraint *c, const char *text, size_t len,
                      struct diag *d)
{
    switch (c->op) {
    case CONSTRAINT_HOSTLIST:
        return add_hosts(c, text, len, d);
    case CONSTRAINT_RANKS:
        return add_ranks(c, text, len, d);
    default:
        return check_property(text, len, d);
    }
}

/* A new string of JSON; it is asked twice to know why there is none. */
static json_t *make_string(const char *text, size_t len, struct diag *d)
{
    json_t *string = json_stringn(text, len);

    if (string)
        return string;
    string = json_stringn_nocheck(text, len);
    if (string)
        diag_set(d, "%s: not valid UTF-8", quote(text, len).text);
    else
        diag_oom(d);
    json_decref(string);
    return NULL;
}

int constraint_add_value(struct constraint *c, const char *text, size_t len,
                         struct diag *d)
{
    json_t *string;

    if (read_value(c, text, len, d) < 0
        || !(string = make_string(text, len, d)))
        return -1;
    return json_array_append_new(c->values, string) < 0 ? diag_oom(d) : 0;
}

/* --- joining ------------------------------------------------------------ */

int constraint_too_deep(struct diag *d)
{
    return diag_set(d, "constraints are nested deeper than %d levels",
                    CONSTRAINT_DEPTH_MAX);
}

/*
 * Put the children of children with the same operator in their places. An
 * `and` without any goes: it always holds.
 */
static void flatten(struct constraint *c)
{
    struct constraint **link = &c->child;

    while (*link) {
        struct constraint *same = *link, **end = &same->child;

        if (same->op != c->op) {
            link = &same->next;
            continue;
        }
        while (*end)
            end = &(*end)->next;
        *end = same->next;
        *link = same->child;
        link = end == &same->child ? link : end;
        same->child = same->next = NULL;
        constraint_destroy(same);
    }
}

/* Give the first `properties` the values of all the others, which go. */
static int merge_properties(struct constraint *c)
{
    struct constraint **link = &c->child, *first = NULL;

    while (*link) {
        struct constraint *p = *link;

        if (p->op != CONSTRAINT_PROPERTIES || !first) {
            if (p->op == CONSTRAINT_PROPERTIES)
                first = p;
            link = &p->next;
            continue;
        }
        if (json_array_extend(first->values, p->values) < 0)
            return -1;
        *link = p->next;
        p->next = NULL;
        constraint_destroy(p);
    }
    return 0;
}

static int set_depth(struct constraint *c, struct diag *d)
{
    for (const struct constraint *p = c->child; p; p = p->next)
        if (p->depth >= c->depth)
            c->depth = p->depth + 1;
    return c->depth > CONSTRAINT_DEPTH_MAX ? constraint_too_deep(d) : 0;
}

static int normalise(struct constraint *c, struct diag *d)
{
    if (c->op == CONSTRAINT_NOT) {
        c->child = constraint_join(CONSTRAINT_AND, c->child, d);
        if (!c->child)
            return -1;
    } else {
        flatten(c);
    }
    if (c->op == CONSTRAINT_AND && merge_properties(c) < 0)
        return diag_oom(d);
    if (c->op == CONSTRAINT_OR && !c->child)
        c->op = CONSTRAINT_AND; /* RFC 31: an `or` of none holds, too */
    return 0;
}

/* The one child in place of what joins nothing. */
static struct constraint *unwrap(struct constraint *c)
{
    struct constraint *only = c->child;

    c->child = NULL;
    constraint_destroy(c);
    return only;
}

struct constraint *constraint_join(enum constraint_op op,
                                   struct constraint *list, struct diag *d)
{
    struct constraint *c = constraint_create(op, d);

    if (!c) {
        destroy_list(list);
        return NULL;
    }
    c->child = list;
    if (normalise(c, d) == 0) {
        if (op != CONSTRAINT_NOT && c->child && !c->child->next)
            return unwrap(c);
        if (set_depth(c, d) == 0)
            return c;
    }
    constraint_destroy(c);
    return NULL;
}

struct constraint *constraint_and(struct constraint *const *list, size_t n,
                                  struct diag *d)
{
    struct constraint *chain = NULL;

    for (size_t i = n; i > 0; i--) {
        list[i - 1]->next = chain;
        chain = list[i - 1];
    }
    return constraint_join(CONSTRAINT_AND, chain, d);
}

struct constraint *constraint_not(struct constraint *c, struct diag *d)
{
    return constraint_join(CONSTRAINT_NOT, c, d);
}

/* --- from sets and names ------------------------------------------------ */

/* The text of a set (NULL: no memory) as the one value, none if empty. */
static struct constraint *from_text(enum constraint_op op, const char *text,
                                    struct diag *d)
{
    struct constraint *c;

    if (!text) {
        diag_oom(d);
        return NULL;
    }
    c = constraint_create(op, d);
    if (c && *text && constraint_add_value(c, text, strlen(text), d) < 0) {
        constraint_destroy(c);
        return NULL;
    }
    return c;
}

struct constraint *constraint_from_ranks(const struct idset *ranks,
                                         struct diag *d)
{
    char *text = idset_encode(ranks);
    struct constraint *c = from_text(CONSTRAINT_RANKS, text, d);

    free(text);
    return c;
}

struct constraint *constraint_from_hosts(const struct hostlist *hosts,
                                         struct diag *d)
{
    char *text = hostlist_encode(hosts);
    struct constraint *c = from_text(CONSTRAINT_HOSTLIST, text, d);

    free(text);
    return c;
}

struct constraint *constraint_from_property(const char *name, struct diag *d)
{
    struct constraint *c = constraint_create(CONSTRAINT_PROPERTIES, d);

    if (c && constraint_add_value(c, name, strlen(name), d) < 0) {
        constraint_destroy(c);
        return NULL;
    }
    return c;
}

/* --- writing ------------------------------------------------------------ */

static json_t *object_json(const struct constraint *c);

static json_t *values_json(const struct constraint *c)
{
    json_t *array;

    if (constraint_is_leaf(c->op))
        return json_copy(c->values);
    array = json_array();
    for (const struct constraint *p = c->child; array && p; p = p->next)
        if (json_array_append_new(array, object_json(p)) < 0) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

static json_t *object_json(const struct constraint *c)
{
    json_t *object = json_object();

    if (object
        && json_object_set_new(object, constraint_op_names[c->op],
                               values_json(c))
               < 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

json_t *constraint_json(const struct constraint *c)
{
    if (c->op == CONSTRAINT_AND && !c->child)
        return json_object();
    return object_json(c);
}
