/*
 * Reading expressions: the rules that the languages of constraints share. A
 * grammar (constraint_requires.c, find.c) has words and terms.
 */
#include "request/expression.h"

#include <string.h>

#include "base/near.h"

enum token_kind expression_word(const char *word, size_t len)
{
    static const struct {
        const char *text;
        enum token_kind kind;
    } keywords[] = {{"and", TOKEN_AND}, {"or", TOKEN_OR}, {"not", TOKEN_NOT}};

    for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
        if (word_is(word, len, keywords[i].text))
            return keywords[i].kind;
    return TOKEN_TERM;
}

int expression_due(struct expression *e, const char *what)
{
    if (e->token.kind != TOKEN_END)
        return expression_fault(e, e->token.start, e->token.end,
                                "%s is expected here", what);
    diag_set(e->d, "the %s ends where %s is expected", e->grammar->whole, what);
    return diag_in(e->d, "offset %zu", e->len);
}

/* Join constraints read from an offset on, unless they are nested too deep. */
static struct constraint *join(struct expression *e, enum constraint_kind kind,
                               struct constraint *list, size_t start)
{
    struct constraint *c = constraint_join(kind, list);

    if (c->depth <= e->grammar->depth)
        return c;
    constraint_destroy(c);
    constraint_too_deep(e->d);
    diag_in(e->d, "offset %zu", start);
    return NULL;
}

static struct constraint *read_all(struct expression *e);

static struct constraint *read_inside(struct expression *e)
{
    size_t start = e->token.start;
    struct constraint *c;

    if (++e->open > CONSTRAINT_DEPTH_MAX) {
        constraint_too_deep(e->d);
        diag_in(e->d, "offset %zu", start);
        if (e->grammar->deep)
            expression_fault(e, start, start + 1, "%s", e->grammar->deep);
        return NULL;
    }
    if (e->grammar->advance(e) < 0 || !(c = read_all(e)))
        return NULL;
    e->open--;
    if (e->token.kind == TOKEN_END)
        expression_fault(e, start, e->len, "%s", e->grammar->opened);
    else if (e->token.kind != TOKEN_CLOSE)
        expression_due(e, e->grammar->inside);
    else if (e->grammar->advance(e) == 0)
        return c;
    constraint_destroy(c);
    return NULL;
}

static struct constraint *read_not(struct expression *e)
{
    size_t start = e->token.start;
    struct constraint *c;
    unsigned n = 0;

    for (; e->token.kind == TOKEN_NOT; n++)
        if (e->grammar->advance(e) < 0)
            return NULL;
    c = e->token.kind == TOKEN_OPEN ? read_inside(e) : e->grammar->read_term(e);
    while (c && n-- > 0)
        c = join(e, CONSTRAINT_NOT, c, start);
    return c;
}

/* Signs of a mixture without parentheses that readers understand
   differently. */
struct mixture {
    bool has_or;
    struct token blank; /* the word after the first blank; TOKEN_END: no
                           blank */
};

/* Return 1 if another part joined by `and` follows (and read the `and`), 0 if
   not, -1 with a diag. */
static int more_and(struct expression *e, struct mixture *j)
{
    switch (e->token.kind) {
    case TOKEN_AND:
        return e->grammar->advance(e) < 0 ? -1 : 1;
    case TOKEN_NOT:
    case TOKEN_MINUS:
    case TOKEN_OPEN:
    case TOKEN_TERM:
        if (j->blank.kind == TOKEN_END)
            j->blank = e->token;
        return e->grammar->blank_joins;
    default:
        return 0;
    }
}

/* Return 1 if another part joined by `or` follows (and read the `or`), 0 if
   not, -1 with a diag. */
static int more_or(struct expression *e, struct mixture *j)
{
    if (e->token.kind == TOKEN_OR) {
        j->has_or = true;
        return e->grammar->advance(e) < 0 ? -1 : 1;
    }
    if (j->has_or && j->blank.kind != TOKEN_END && e->grammar->blank_joins)
        return expression_fault(e, j->blank.start, j->blank.end,
                                "a blank beside an \"or\" means different "
                                "things to different readers: use parentheses");
    return 0;
}

/* Read parts joined by `or`, each of them parts joined by `and`. */
static struct constraint *
read_joined(struct expression *e, enum constraint_kind kind, struct mixture *j)
{
    struct constraint *list = NULL, **end = &list;
    size_t start = e->token.start;
    bool or = kind == CONSTRAINT_OR;
    int more;

    do {
        *end = or ? read_joined(e, CONSTRAINT_AND, j) : read_not(e);
        more = !*end ? -1 : or ? more_or(e, j) : more_and(e, j);
        end = *end ? &(*end)->next : end;
    } while (more > 0);
    if (more == 0)
        return join(e, kind, list, start);
    constraint_destroy(list);
    return NULL;
}

static struct constraint *read_all(struct expression *e)
{
    return read_joined(e, CONSTRAINT_OR, &(struct mixture){0});
}

struct constraint *expression_read(const struct grammar *g, const char *text,
                                   double now, struct diag *d)
{
    struct expression e = {
        .grammar = g, .text = text, .len = strlen(text), .now = now, .d = d};
    struct constraint *c;

    if (g->advance(&e) < 0 || !(c = read_all(&e)))
        return NULL;
    if (e.token.kind == TOKEN_END)
        return c;
    expression_fault(&e, e.token.start, e.token.end, "%s", g->behind);
    constraint_destroy(c);
    return NULL;
}
