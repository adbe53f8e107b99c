/*
 * RFC 35: reading the text form. The reader goes over the text once, from
 * left to right, with a function for each rule of the grammar; only
 * parentheses lead from one back to the first.
 */
#include "request/constraint_text.h"

#include <stdbool.h>
#include <string.h>

#include "request/constraint_private.h"

/* What was met between two parentheses that does not go together. */
struct group {
    bool has_or, has_blank;
    size_t blank, blank_end; /* what follows the first blank */
};

static struct constraint *read_or(struct query *q);

/* Something else should come next. Returns NULL. */
static struct constraint *due(struct query *q, const char *what)
{
    if (q->token.kind == TOKEN_END) {
        diag_set(q->d, "the text ends where %s is due", what);
        diag_in(q->d, "offset %zu", q->len);
    } else {
        query_fault(q, q->token.start, q->token.end, "%s is due here", what);
    }
    return NULL;
}

/* --- terms -------------------------------------------------------------- */

static const struct {
    const char *name;
    enum constraint_op op;
} operators[] = {
    {"host", CONSTRAINT_HOSTLIST},     {"hosts", CONSTRAINT_HOSTLIST},
    {"hostlist", CONSTRAINT_HOSTLIST}, {"rank", CONSTRAINT_RANKS},
    {"ranks", CONSTRAINT_RANKS},       {"properties", CONSTRAINT_PROPERTIES},
};

static int find_operator(struct query *q, enum constraint_op *op)
{
    const struct token *t = &q->token;

    *op = CONSTRAINT_PROPERTIES;
    if (t->oplen == 0)
        return 0;
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
        if (strlen(operators[i].name) == t->oplen
            && !memcmp(q->text + t->start, operators[i].name, t->oplen)) {
            *op = operators[i].op;
            return 0;
        }
    return query_fault(q, t->start, t->start + t->oplen,
                       "unknown operator (host, hosts, hostlist, rank, ranks, "
                       "properties are known; a name with \":\" needs quotes)");
}

/*
 * Where the decoder of a set found its fault is counted from the start of
 * the operand, or of a host in it; that would stand beside our offset.
 */
static int add_value(struct query *q, struct constraint *c, size_t start,
                     size_t end)
{
    char *tail = q->d->text, *next;

    if (constraint_add_value(c, q->text + start, end - start, q->d) == 0)
        return 0;
    while ((next = strstr(tail + 1, " at offset ")))
        tail = next;
    if (tail != q->d->text)
        *tail = '\0';
    q->d->where[0] = '\0';
    return diag_in(q->d, "offset %zu", start);
}

/* Only the operand of `properties` is split at commas. */
static int add_values(struct query *q, struct constraint *c)
{
    const struct token *t = &q->token;
    size_t start = t->operand_start, len;

    if (c->op != CONSTRAINT_PROPERTIES)
        return add_value(q, c, start, t->operand_end);
    for (; start <= t->operand_end; start += len + 1) {
        const char *name = q->text + start;
        const char *comma = memchr(name, ',', t->operand_end - start);

        len = comma ? (size_t)(comma - name) : t->operand_end - start;
        if (len == 0)
            return query_fault(q, t->operand_start, t->operand_end,
                               "a name is missing beside a comma");
        if (add_value(q, c, start, start + len) < 0)
            return -1;
    }
    return 0;
}

static struct constraint *read_term(struct query *q)
{
    enum constraint_op op;
    struct constraint *c;

    if (q->token.kind != TOKEN_TERM)
        return due(q, "a term");
    if (find_operator(q, &op) < 0 || !(c = constraint_create(op, q->d)))
        return NULL;
    if (add_values(q, c) == 0 && query_advance(q) == 0)
        return c;
    constraint_destroy(c);
    return NULL;
}

/* --- and, or, not ------------------------------------------------------- */

/* Join what is read at an offset, where it may be nested too deep. */
static struct constraint *join(struct query *q, enum constraint_op op,
                               struct constraint *list, size_t start)
{
    struct constraint *c = constraint_join(op, list, q->d);

    if (!c)
        diag_in(q->d, "offset %zu", start);
    return c;
}

/* "-" was read and reaches over one term, nothing else. */
static struct constraint *read_minus(struct query *q, size_t start)
{
    struct constraint *c;

    if (q->token.kind == TOKEN_OPEN) {
        query_fault(q, start, q->token.end,
                    "\"-\" takes one term: use \"not (\"");
        return NULL;
    }
    c = read_term(q);
    return c ? join(q, CONSTRAINT_NOT, c, start) : NULL;
}

/* "(" was read. */
static struct constraint *read_parentheses(struct query *q, size_t start)
{
    struct constraint *c;

    if (++q->open > CONSTRAINT_DEPTH_MAX) {
        constraint_too_deep(q->d);
        diag_in(q->d, "offset %zu", start);
        return NULL;
    }
    if (!(c = read_or(q)))
        return NULL;
    q->open--;
    if (q->token.kind != TOKEN_CLOSE)
        query_fault(q, start, q->len, "parenthesis is not closed");
    else if (query_advance(q) == 0)
        return c;
    constraint_destroy(c);
    return NULL;
}

static struct constraint *read_factor(struct query *q)
{
    struct token t = q->token;

    if (t.kind != TOKEN_OPEN && t.kind != TOKEN_MINUS)
        return read_term(q);
    if (query_advance(q) < 0)
        return NULL;
    return t.kind == TOKEN_OPEN ? read_parentheses(q, t.start)
                                : read_minus(q, t.start);
}

static struct constraint *read_not(struct query *q)
{
    size_t start = q->token.start;
    struct constraint *c;
    unsigned n = 0;

    for (; q->token.kind == TOKEN_NOT; n++)
        if (query_advance(q) < 0)
            return NULL;
    c = read_factor(q);
    while (c && n-- > 0)
        c = join(q, CONSTRAINT_NOT, c, start);
    return c;
}

/* Is there more that is joined by `and`? 1, and `and` was read; 0; or -1. */
static int more_and(struct query *q, struct group *g)
{
    switch (q->token.kind) {
    case TOKEN_AND:
        return query_advance(q) < 0 ? -1 : 1;
    case TOKEN_NOT:
    case TOKEN_MINUS:
    case TOKEN_OPEN:
    case TOKEN_TERM:
        if (!g->has_blank) {
            g->blank = q->token.start;
            g->blank_end = q->token.end;
        }
        g->has_blank = true;
        return 1;
    default:
        return 0;
    }
}

static struct constraint *read_and(struct query *q, struct group *g)
{
    struct constraint *list = NULL, **end = &list;
    size_t start = q->token.start;
    int more;

    do {
        *end = read_not(q);
        more = *end ? more_and(q, g) : -1;
        end = *end ? &(*end)->next : end;
    } while (more > 0);
    if (more == 0)
        return join(q, CONSTRAINT_AND, list, start);
    constraint_destroy(list);
    return NULL;
}

/* Is there more that is joined by `or`? 1, and `or` was read; 0; or -1. */
static int more_or(struct query *q, struct group *g)
{
    if (q->token.kind == TOKEN_OR) {
        g->has_or = true;
        return query_advance(q) < 0 ? -1 : 1;
    }
    if (g->has_or && g->has_blank)
        return query_fault(q, g->blank, g->blank_end,
                           "a blank beside an \"or\" means different things "
                           "to different readers: use parentheses");
    return 0;
}

static struct constraint *read_or(struct query *q)
{
    struct constraint *list = NULL, **end = &list;
    size_t start = q->token.start;
    struct group g = {0};
    int more;

    do {
        *end = read_and(q, &g);
        more = *end ? more_or(q, &g) : -1;
        end = *end ? &(*end)->next : end;
    } while (more > 0);
    if (more == 0)
        return join(q, CONSTRAINT_OR, list, start);
    constraint_destroy(list);
    return NULL;
}

struct constraint *constraint_from_requires(const char *text, struct diag *d)
{
    struct query q = {.text = text, .len = strlen(text), .d = d};
    struct constraint *c;

    if (query_advance(&q) < 0 || !(c = read_or(&q)))
        return NULL;
    if (q.token.kind == TOKEN_END)
        return c;
    query_fault(&q, q.token.start, q.token.end, "no parenthesis is open");
    constraint_destroy(c);
    return NULL;
}
