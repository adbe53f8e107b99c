/*
 * Reading find expressions: the words and the criteria; how these are joined
 * is read by expression.c, and values by the key's function in find_value.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/near.h"
#include "base/time.h"
#include "request/expression.h"
#include "request/find_private.h"
#include "set/scan.h"

/* --- words ---------------------------------------------------------------- */

static bool is_operator(char c)
{
    return c == '=' || c == '!' || c == '<' || c == '>';
}

static bool ends_word(char c)
{
    return !c || is_space(c) || c == '(' || c == ')';
}

static char peek(struct expression *e)
{
    while (is_space(e->text[e->pos]))
        e->pos++;
    return e->text[e->pos];
}

static enum token_kind kind_of_token(const char *word, size_t len)
{
    return !len                                  ? TOKEN_END
           : *word == '('                        ? TOKEN_OPEN
           : *word == ')'                        ? TOKEN_CLOSE
           : len == 3 && !memcmp(word, "and", 3) ? TOKEN_AND
           : len == 2 && !memcmp(word, "or", 2)  ? TOKEN_OR
           : len == 3 && !memcmp(word, "not", 3) ? TOKEN_NOT
                                                 : TOKEN_TERM;
}

static int next_word(struct expression *e)
{
    struct token *t = &e->token;

    if (peek(e) == '(' || e->text[e->pos] == ')')
        t->end = e->pos + 1;
    else
        for (t->end = e->pos; !ends_word(e->text[t->end]);)
            t->end++;
    t->start = e->pos;
    t->kind = kind_of_token(e->text + t->start, t->end - t->start);
    e->pos = t->end;
    return 0;
}

/* Something else is due behind what was read of a criterion. */
static int due(struct expression *e, const char *what)
{
    next_word(e);
    return expression_due(e, what);
}

/* --- keys ----------------------------------------------------------------- */

static int unknown_key(struct expression *e, size_t len)
{
    struct near near = {.word = e->text + e->pos, .len = len};
    char list[256] = "";
    size_t n = 0;

    for (int k = 0; k < CRITERIA; k++) {
        near_try(&near, find_keys[k].name);
        n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s",
                              n ? ", " : "; there are: ", find_keys[k].name);
    }
    return expression_fault(e, e->pos, e->pos + len, "no such key%s",
                            *near.text ? near.text : list);
}

static int find_key(struct expression *e, size_t len)
{
    for (int k = 0; k < CRITERIA; k++)
        if (strlen(find_keys[k].name) == len
            && !strncmp(find_keys[k].name, e->text + e->pos, len))
            return k;
    return unknown_key(e, len);
}

/* `@TIME` behind a key. */
static int read_at(struct expression *e, struct constraint *c, size_t len)
{
    const struct find_key *key = &find_keys[c->about];
    size_t start = e->pos + 1;
    char *text;
    int rc;

    if (!(key->flags & KEY_TIME))
        return expression_fault(e, e->pos, e->pos + len,
                                "%s is not asked for a time", key->name);
    text = xstrndup(e->text + start, len - 1);
    rc = time_parse(text, e->now, &c->time, e->d);
    free(text);
    if (rc < 0)
        return diag_in(e->d, "offset %zu", start);
    c->timed = true;
    e->pos += len;
    return 0;
}

static int read_key(struct expression *e, struct constraint *c)
{
    size_t len = 0, name;
    int key;

    e->pos = e->token.start;
    while (!ends_word(e->text[e->pos + len])
           && !is_operator(e->text[e->pos + len]))
        len++;
    if (len == 0 || e->token.kind != TOKEN_TERM)
        return expression_due(e, e->grammar->term);
    name = strcspn(e->text + e->pos, "@");
    name = name < len ? name : len;
    if ((key = find_key(e, name)) < 0)
        return -1;
    c->about = (enum criterion_about)key;
    e->pos += name;
    return name < len ? read_at(e, c, len - name) : 0;
}

/* --- operators and values ------------------------------------------------- */

static int read_operator(struct expression *e, struct constraint *c)
{
    static const struct {
        const char *text;
        enum criterion_op op;
    } ops[] = {{"!=", OP_NE}, {"<=", OP_LE}, {">=", OP_GE},
               {"=", OP_EQ},  {"<", OP_LT},  {">", OP_GT}};
    const struct find_key *key = &find_keys[c->about];
    size_t i = 0, start = e->pos, end = start;

    while (is_operator(e->text[end]))
        end++;
    while (i < sizeof(ops) / sizeof(*ops)
           && (strlen(ops[i].text) != end - start
               || strncmp(e->text + start, ops[i].text, end - start)))
        i++;
    if (i == sizeof(ops) / sizeof(*ops))
        return expression_fault(e, start, end, "no such operator");
    if (!key->read)
        return expression_fault(e, start, end, "%s stands alone", key->name);
    if (ops[i].op > OP_NE && !(key->flags & KEY_ORDER))
        return expression_fault(e, start, end, "%s has = and != only",
                                key->name);
    c->op = ops[i].op;
    e->pos = end;
    return 0;
}

/* One word without its quotes into buf, which is large enough. */
static int read_word(struct expression *e, char *buf)
{
    const char *text = e->text;

    while (!ends_word(text[e->pos])) {
        size_t start = e->pos;
        const char *close;
        if (text[start] != '\'' && text[start] != '"') {
            *buf++ = text[e->pos++];
            continue;
        }
        if (!(close = strchr(text + start + 1, text[start])))
            return expression_fault(e, start, e->len,
                                    "the quote is not closed");
        e->pos = (size_t)(close - text) + 1;
        buf = mempcpy(buf, text + start + 1, e->pos - start - 2);
    }
    *buf = '\0';
    return 0;
}

static int read_value(struct expression *e, struct constraint *c)
{
    const struct find_key *key = &find_keys[c->about];
    size_t start;

    if (ends_word(peek(e)))
        return due(e, "a value");
    start = e->pos;
    c->text = xmalloc(e->len - start + 1);
    if (read_word(e, c->text) < 0)
        return -1;
    c->text = xrealloc(c->text, strlen(c->text) + 1);
    if (!*c->text && !(key->flags & KEY_EMPTY))
        return expression_fault(e, start, e->pos, "%s is not empty", key->name);
    if (key->read(c, e->d) < 0)
        return diag_in(e->d, "offset %zu", start);
    return 0;
}

static int read_criterion(struct expression *e, struct constraint *c)
{
    c->op = OP_ALONE;
    c->now = e->now;
    if (read_key(e, c) < 0)
        return -1;
    if (is_operator(peek(e)))
        return read_operator(e, c) < 0 ? -1 : read_value(e, c);
    if (find_keys[c->about].flags & KEY_ALONE)
        return 0;
    return due(e, "an operator");
}

static struct constraint *read_term(struct expression *e)
{
    struct constraint *c = criterion_create(0);

    if (read_criterion(e, c) == 0 && next_word(e) == 0)
        return c;
    constraint_destroy(c);
    return NULL;
}

struct constraint *find_parse(const char *text, double now, struct diag *d)
{
    static const struct grammar grammar = {
        .advance = next_word,
        .read_term = read_term,
        .depth = 10 * CONSTRAINT_DEPTH_MAX,
        .whole = "expression",
        .term = "a criterion",
        .opened = "\"(\" is not closed",
        .inside = "\"and\", \"or\" or \")\"",
        .behind = "\"and\" or \"or\" is due here",
        .deep = "nested deeper than 100",
    };

    return expression_read(&grammar, text, now, d);
}
