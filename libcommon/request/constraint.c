/*
 * The tree of a constraint: making it, joining in normal form, and reading RFC
 * 31 objects. Forms that the standard leaves open, or that readers treat
 * differently, are errors, reported with their path.
 */
#include "request/constraint_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/utf8.h"
#include "model/document/execution.h"

void constraint_destroy(struct constraint *c)
{
    while (c) {
        struct constraint *next = c->next;

        constraint_destroy(c->child);
        for (size_t i = 0; i < c->nwords; i++)
            free(c->words[i]);
        free(c->words);
        free(c->text);
        idset_destroy(c->ids);
        hostlist_destroy(c->hosts);
        free(c);
        c = next;
    }
}

/* --- criteria ----------------------------------------------------------- */

struct constraint *criterion_create(enum criterion_about about)
{
    struct constraint *c = xcalloc(1, sizeof(*c));

    c->kind = CONSTRAINT_CRITERION;
    c->about = about;
    c->op = OP_EQ;
    c->depth = 1;
    if (about == ABOUT_HOST)
        c->hosts = hostlist_create();
    if (about == ABOUT_RANK)
        c->ids = idset_create();
    return c;
}

/* `^p` asks for targets without p. */
static int set_property(struct constraint *c, const char *text, size_t len,
                        struct diag *d)
{
    size_t from = len > 0 && text[0] == '^';

    if (len == from)
        return diag_set(d, "%s: a property must have a name",
                        quote(text, len).text);
    for (size_t i = from; i < len; i++)
        if (strchr(PROPERTY_FORBIDDEN, text[i]))
            return diag_set(d, "%s: '%c' is not allowed in a property",
                            quote(text, len).text, text[i]);
    c->op = from ? OP_NE : OP_EQ;
    c->text = xstrndup(text + from, len - from);
    return utf8_is(c->text)
               ? 0
               : diag_set(d, "%s: not valid UTF-8", quote(text, len).text);
}

int criterion_add(struct constraint *c, const char *text, size_t len,
                  struct diag *d)
{
    struct hostlist_reader how = HOSTLIST_READER;
    struct idset *ranks;

    if (c->about == ABOUT_PROPERTY)
        return set_property(c, text, len, d);
    if (c->about == ABOUT_HOST) {
        how.max = CONSTRAINT_HOSTS_MAX;
        how.many = true;
        if (hostlist_read(c->hosts, text, len, &how, d) < 0)
            return -1;
    } else {
        if (idset_decode(text, len, &ranks, d) < 0)
            return -1;
        idset_add_set(c->ids, ranks);
        idset_destroy(ranks);
    }
    VECTOR_ADD(c->words, c->nwords, xstrndup(text, len));
    return 0;
}

/* --- joining ------------------------------------------------------------ */

int constraint_too_deep(struct diag *d)
{
    return diag_set(d, "constraints are nested deeper than %d levels",
                    CONSTRAINT_DEPTH_MAX);
}

/*
 * Replace children of the same kind by their children. An `and` without
 * children disappears: it always holds.
 */
static void flatten(struct constraint *c)
{
    struct constraint **link = &c->child;

    while (*link) {
        struct constraint *same = *link, **end = &same->child;

        if (same->kind != c->kind) {
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

struct constraint *constraint_join(enum constraint_kind kind,
                                   struct constraint *list)
{
    struct constraint *c = xcalloc(1, sizeof(*c));
    const struct constraint *p;

    c->kind = kind;
    c->child = kind == CONSTRAINT_NOT ? constraint_join(CONSTRAINT_AND, list)
                                      : list;
    if (kind != CONSTRAINT_NOT)
        flatten(c);
    if (!c->child)
        c->kind = CONSTRAINT_AND; /* RFC 31: an `or` of none holds, too */
    c->depth = 1;
    for (p = c->child; p; p = p->next) {
        /* properties joined by `and` are one object */
        bool one = c->kind == CONSTRAINT_AND && p->kind == CONSTRAINT_CRITERION
                   && p->about == ABOUT_PROPERTY;
        if (p->depth >= c->depth && !one)
            c->depth = p->depth + 1;
    }
    if (kind == CONSTRAINT_NOT || !c->child || c->child->next)
        return c;
    list = c->child;
    c->child = NULL;
    constraint_destroy(c);
    return list;
}

/* Return a constraint, or NULL with a diag if it is nested too deep. */
static struct constraint *constraint_checked(struct constraint *c,
                                             struct diag *d)
{
    if (c->depth <= CONSTRAINT_DEPTH_MAX)
        return c;
    constraint_too_deep(d);
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
    return constraint_checked(constraint_join(CONSTRAINT_AND, chain), d);
}

struct constraint *constraint_not(struct constraint *c, struct diag *d)
{
    return constraint_checked(constraint_join(CONSTRAINT_NOT, c), d);
}

/* --- from sets and names ------------------------------------------------ */

struct constraint *constraint_from_ranks(const struct idset *ranks)
{
    struct constraint *c = criterion_create(ABOUT_RANK);

    idset_add_set(c->ids, ranks);
    return c;
}

struct constraint *constraint_from_hosts(const struct hostlist *hosts,
                                         struct diag *d)
{
    struct constraint *c = criterion_create(ABOUT_HOST);
    char *text = hostlist_count(hosts) ? hostlist_encode(hosts) : NULL;

    if (text && criterion_add(c, text, strlen(text), d) < 0) {
        constraint_destroy(c);
        c = NULL;
    }
    free(text);
    return c;
}

/* --- RFC 31 --------------------------------------------------------------- */

static const struct {
    const char *name;
    enum constraint_kind kind;  /* joins its operands */
    enum criterion_about about; /* CRITERIA: they are objects */
} operators[] = {{"properties", CONSTRAINT_AND, ABOUT_PROPERTY},
                 {"hostlist", CONSTRAINT_AND, ABOUT_HOST},
                 {"ranks", CONSTRAINT_AND, ABOUT_RANK},
                 {"and", CONSTRAINT_AND, CRITERIA},
                 {"or", CONSTRAINT_OR, CRITERIA},
                 {"not", CONSTRAINT_NOT, CRITERIA}};
enum { OPERATORS = sizeof(operators) / sizeof(*operators) };

static struct constraint *read_object(const json_t *object, unsigned level,
                                      struct diag *d);

static int add_operand(struct constraint *c, const json_t *value,
                       struct diag *d)
{
    if (!json_is_string(value))
        return diag_set(d, "%s: expected a string", json_quote(value).text);
    return criterion_add(c, json_string_value(value), json_string_length(value),
                         d);
}

/* Each property is a criterion; all hosts or ranks are one. */
static struct constraint *read_operands(int op, const json_t *array,
                                        unsigned level, struct diag *d)
{
    enum criterion_about about = operators[op].about;
    bool criteria = about != CRITERIA,
         one = criteria && about != ABOUT_PROPERTY;
    struct constraint *list = one ? criterion_create(about) : NULL;
    struct constraint **end = &list;
    json_t *value;
    size_t i;

    json_array_foreach (array, i, value) {
        if (!one)
            *end = criteria ? criterion_create(about)
                            : read_object(value, level + 1, d);
        if (!*end || (criteria && add_operand(*end, value, d) < 0)) {
            diag_in(d, "[%zu]", i);
            constraint_destroy(list);
            return NULL;
        }
        end = one ? end : &(*end)->next;
    }
    return constraint_checked(constraint_join(operators[op].kind, list), d);
}

static struct constraint *read_operation(const char *name, const json_t *array,
                                         unsigned level, struct diag *d)
{
    struct near near = {.word = name, .len = strlen(name)};
    struct constraint *c = NULL;
    int op = WORD_FIND(operators, name);

    if (op < 0) {
        for (size_t i = 0; i < OPERATORS; i++)
            near_try(&near, operators[i].name);
        diag_set(d, "%s: unknown operator%s", quote(name, near.len).text,
                 near.text);
        return NULL;
    }
    if (!json_is_array(array))
        diag_set(d, "%s: the value of an operator is an array",
                 json_quote(array).text);
    else
        c = read_operands(op, array, level, d);
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
