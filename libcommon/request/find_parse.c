/*
 * Reading find expressions: `or` binds least, then `and`, then `not`. What
 * belongs to a value is read by the key's own function in find_value.c.
 */
#include "request/find_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "set/scan.h"

struct reader {
    struct find *f;
    const char *text;
    size_t pos;
    unsigned depth;
    struct criterion **end; /* of the list of criteria */
    struct diag *d;
};

/* --- words ---------------------------------------------------------------- */

static bool is_operator(char c)
{
    return c == '=' || c == '!' || c == '<' || c == '>';
}

static bool ends_word(char c)
{
    return !c || is_space(c) || c == '(' || c == ')';
}

static char peek(struct reader *r)
{
    while (is_space(r->text[r->pos]))
        r->pos++;
    return r->text[r->pos];
}

static size_t word_length(const struct reader *r)
{
    size_t n = 0;

    while (!ends_word(r->text[r->pos + n]))
        n++;
    return n;
}

/* The text from `start` on, `len` bytes, and what is wrong with it. */
__attribute__((format(printf, 4, 5))) static int
fault(const struct reader *r, size_t start, size_t len, const char *fmt, ...)
{
    char rule[320];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(rule, sizeof(rule), fmt, ap);
    va_end(ap);
    diag_set(r->d, "%s: %s", quote(r->text + start, len).text, rule);
    return diag_in(r->d, "offset %zu", start);
}

/* The next word, or where the text ends: something else is due. */
static int fault_due(struct reader *r, const char *what)
{
    size_t len;

    if (!peek(r)) {
        diag_set(r->d, "the expression ends where %s is due", what);
        return diag_in(r->d, "offset %zu", r->pos);
    }
    len = word_length(r);
    return fault(r, r->pos, len ? len : 1, "%s is due here", what);
}

static bool next_is(struct reader *r, const char *word)
{
    size_t len = strlen(word);

    peek(r);
    return word_length(r) == len && !strncmp(r->text + r->pos, word, len);
}

static bool skip_word(struct reader *r, const char *word)
{
    if (!next_is(r, word))
        return false;
    r->pos += strlen(word);
    return true;
}

/* --- keys ----------------------------------------------------------------- */

enum { KEY_MAX = 16 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters have to be changed, added or left out (Levenshtein). */
static size_t distance(const char *a, size_t na, const char *b)
{
    size_t nb = strlen(b), row[KEY_MAX + 1];

    for (size_t j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t above = row[j];
            row[j] = least(corner + (a[i - 1] != b[j - 1]),
                           least(above, row[j - 1]) + 1);
            corner = above;
        }
    }
    return row[nb];
}

/* Keys of which one is a part, or which are up to two letters away. */
static bool is_near(const char *word, size_t len, const char *key)
{
    size_t n = least(len, strlen(key));

    return (n > 1 && !strncmp(word, key, n))
           || (len <= KEY_MAX && distance(word, len, key) <= 2);
}

static int unknown_key(const struct reader *r, size_t len)
{
    const char *word = r->text + r->pos;
    char list[256] = "";
    size_t n = 0;
    bool near = false;

    for (int k = 0; k < FIND_KEYS; k++)
        near = near || is_near(word, len, find_keys[k].name);
    for (int k = 0; k < FIND_KEYS; k++)
        if (!near || is_near(word, len, find_keys[k].name))
            n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s",
                                  n ? ", " : "", find_keys[k].name);
    return fault(
        r, r->pos, len,
        near ? "no such key; near it: %s" : "no such key; there are: %s", list);
}

static int find_key(const struct reader *r, size_t len)
{
    for (int k = 0; k < FIND_KEYS; k++)
        if (strlen(find_keys[k].name) == len
            && !strncmp(find_keys[k].name, r->text + r->pos, len))
            return k;
    return unknown_key(r, len);
}

/* `@TIME` behind a key. */
static int read_at(struct reader *r, struct criterion *c, size_t len)
{
    size_t start = r->pos + 1;
    const char *text = arena_strndup(&r->f->arena, r->text + start, len - 1);

    if (!text)
        return diag_oom(r->d);
    if (!(c->key->flags & KEY_TIME))
        return fault(r, r->pos, len, "%s is not asked for a time",
                     c->key->name);
    if (time_parse(text, r->f->now, &c->time, r->d) < 0)
        return diag_in(r->d, "offset %zu", start);
    c->timed = true;
    r->pos += len;
    return 0;
}

static int read_key(struct reader *r, struct criterion *c)
{
    size_t len = 0, name;
    int key;

    while (!ends_word(r->text[r->pos + len])
           && !is_operator(r->text[r->pos + len]))
        len++;
    if (len == 0 || next_is(r, "and") || next_is(r, "or"))
        return fault_due(r, "a criterion");
    name = strcspn(r->text + r->pos, "@");
    if ((key = find_key(r, least(name, len))) < 0)
        return -1;
    c->about = (enum find_about)key;
    c->key = &find_keys[key];
    r->pos += least(name, len);
    return name < len ? read_at(r, c, len - name) : 0;
}

/* --- operators and values ------------------------------------------------- */

static int read_operator(struct reader *r, struct criterion *c)
{
    static const struct {
        const char *text;
        enum find_op op;
    } ops[] = {{"!=", OP_NE}, {"<=", OP_LE}, {">=", OP_GE},
               {"=", OP_EQ},  {"<", OP_LT},  {">", OP_GT}};
    size_t i = 0, start, len;

    peek(r);
    start = r->pos;
    for (len = 0; is_operator(r->text[start + len]);)
        len++;
    while (i < sizeof(ops) / sizeof(*ops)
           && (strlen(ops[i].text) != len
               || strncmp(r->text + start, ops[i].text, len)))
        i++;
    if (i == sizeof(ops) / sizeof(*ops))
        return fault(r, start, len, "no such operator");
    if (!c->key->read)
        return fault(r, start, len, "%s stands alone", c->key->name);
    if (ops[i].op > OP_NE && !(c->key->flags & KEY_ORDER))
        return fault(r, start, len, "%s has = and != only", c->key->name);
    c->op = ops[i].op;
    r->pos += len;
    return 0;
}

/*
 * One word without its quotes, into buf, which is large enough. Returns its
 * length, or -1.
 */
static ssize_t read_word(struct reader *r, char *buf)
{
    const char *text = r->text;
    size_t n = 0;

    while (!ends_word(text[r->pos])) {
        size_t start = r->pos;
        const char *close;
        if (text[start] != '\'' && text[start] != '"') {
            buf[n++] = text[r->pos++];
            continue;
        }
        if (!(close = strchr(text + start + 1, text[start])))
            return fault(r, start, strlen(text + start),
                         "the quote is not closed");
        r->pos = (size_t)(close - text) + 1;
        memcpy(buf + n, text + start + 1, r->pos - start - 2);
        n += r->pos - start - 2;
    }
    return (ssize_t)n;
}

static int read_value(struct reader *r, struct criterion *c)
{
    size_t start;
    ssize_t len;
    char *buf;

    if (ends_word(peek(r)))
        return fault_due(r, "a value");
    start = r->pos;
    if (!(buf = xmalloc(strlen(r->text + start) + 1)))
        return diag_oom(r->d);
    if ((len = read_word(r, buf)) < 0) {
        free(buf);
        return -1;
    }
    c->text = arena_strndup(&r->f->arena, buf, (size_t)len);
    free(buf);
    if (!c->text)
        return diag_oom(r->d);
    if (!len && !(c->key->flags & KEY_EMPTY))
        return fault(r, start, r->pos - start, "%s is not empty", c->key->name);
    if (c->key->read(r->f, c, r->d) < 0)
        return diag_in(r->d, "offset %zu", start);
    return 0;
}

static int read_criterion(struct reader *r, struct criterion *c)
{
    if (read_key(r, c) < 0)
        return -1;
    if (is_operator(peek(r)))
        return read_operator(r, c) < 0 ? -1 : read_value(r, c);
    if (c->key->flags & KEY_ALONE)
        return 0;
    return fault_due(r, "an operator");
}

/* --- expressions ---------------------------------------------------------- */

static struct expr *new_expr(struct reader *r, enum expr_kind kind,
                             struct expr *child)
{
    struct expr *e = arena_alloc(&r->f->arena, sizeof(*e));

    if (e)
        *e = (struct expr){.kind = kind, .child = child};
    else
        diag_oom(r->d);
    return e;
}

static struct expr *parse_criterion(struct reader *r)
{
    struct criterion *c = arena_alloc(&r->f->arena, sizeof(*c));
    struct expr *e = new_expr(r, EXPR_CRITERION, NULL);

    if (!c || !e) {
        diag_oom(r->d);
        return NULL;
    }
    *r->end = c;
    r->end = &c->next;
    e->criterion = c;
    return read_criterion(r, c) < 0 ? NULL : e;
}

static struct expr *parse_or(struct reader *r);

static struct expr *parse_inside(struct reader *r)
{
    size_t open = r->pos++;
    struct expr *e;

    if (++r->depth > FIND_DEPTH_MAX) {
        fault(r, open, 1, "nested deeper than %d", FIND_DEPTH_MAX);
        return NULL;
    }
    if (!(e = parse_or(r)))
        return NULL;
    r->depth--;
    if (peek(r) == ')') {
        r->pos++;
        return e;
    }
    if (r->text[r->pos])
        fault_due(r, "\"and\", \"or\" or \")\"");
    else
        fault(r, open, strlen(r->text + open), "\"(\" is not closed");
    return NULL;
}

static struct expr *parse_not(struct reader *r)
{
    bool negate = false;
    struct expr *e;

    while (skip_word(r, "not"))
        negate = !negate;
    e = peek(r) == '(' ? parse_inside(r) : parse_criterion(r);
    return e && negate ? new_expr(r, EXPR_NOT, e) : e;
}

/* Parts with a word between them; a single part stands for itself. */
static struct expr *parse_parts(struct reader *r, enum expr_kind kind,
                                const char *word,
                                struct expr *(*part)(struct reader *r))
{
    struct expr *first = part(r), *last = first;

    if (!first || !next_is(r, word))
        return first;
    while (skip_word(r, word)) {
        if (!(last->next = part(r)))
            return NULL;
        last = last->next;
    }
    return new_expr(r, kind, first);
}

static struct expr *parse_and(struct reader *r)
{
    return parse_parts(r, EXPR_AND, "and", parse_not);
}

static struct expr *parse_or(struct reader *r)
{
    return parse_parts(r, EXPR_OR, "or", parse_and);
}

struct find *find_parse(const char *text, double now, struct diag *d)
{
    struct reader r = {.f = xcalloc(1, sizeof(*r.f)), .text = text, .d = d};

    if (!r.f) {
        diag_oom(d);
        return NULL;
    }
    r.f->now = now;
    r.end = &r.f->criteria;
    r.f->top = parse_or(&r);
    if (r.f->top && peek(&r)) {
        fault_due(&r, "\"and\" or \"or\"");
        r.f->top = NULL;
    }
    if (r.f->top)
        return r.f;
    find_destroy(r.f);
    return NULL;
}
