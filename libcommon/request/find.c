/*
 * Find expressions (find.h): the keys and the readers of their values, then
 * words and criteria. expression.c reads how they are joined.
 */
#include "request/find.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/near.h"
#include "base/time.h"
#include "model/records/path.h"
#include "request/expression.h"
#include "base/digits.h"
#include "set/scan.h"

/* Forms that a key allows: alone, < <= > >=, @TIME, an empty value. */
enum { KEY_ALONE = 1, KEY_ORDER = 2, KEY_TIME = 4, KEY_EMPTY = 8 };

struct find_key {
    const char *name;
    /* Reads the value in `text`. NULL: the key takes none. */
    int (*read)(struct constraint *c, struct diag *d);
    unsigned flags;
};

/* --- values --------------------------------------------------------------- */

static int bad(const char *text, const char *rule, struct diag *d)
{
    return diag_set(d, "%s: %s", quote_all(text).text, rule);
}

static int read_words(struct constraint *c, struct diag *d)
{
    for (const char *p = c->text;; p++) {
        size_t len = strcspn(p, ",");
        VECTOR_ADD(c->words, c->nwords, xstrndup(p, len));
        if (!len && *c->text)
            return bad(c->text, "an element of the list is empty", d);
        p += len;
        if (!*p)
            return 0;
    }
}

static int read_states(struct constraint *c, struct diag *d)
{
    if (read_words(c, d) < 0)
        return -1;
    for (size_t i = 0; i < c->nwords; i++) {
        struct near near = pool_state_near(c->words[i], STATE_WORDS);
        if (word_find(pool_state_names, STATE_WORDS, sizeof(char *),
                      c->words[i])
            < 0)
            return diag_set(d, "%s: no such state%s",
                            quote(near.word, near.len).text,
                            near_or_all(&near));
    }
    return 0;
}

static int read_status(struct constraint *c, struct diag *d)
{
    if (strcmp(c->text, "up") != 0 && strcmp(c->text, "down") != 0)
        return bad(c->text, "expected up or down", d);
    return read_words(c, d);
}

static int read_text(struct constraint *c, struct diag *d)
{
    (void)c, (void)d;
    return 0;
}

/* Read a number of at most `max`. Returns the text after it, or NULL with a
   diag. */
static const char *read_number(struct constraint *c, uint64_t max,
                               struct diag *d)
{
    const char *text = c->text, *end = text + strlen(text), *p;
    uint64_t value;

    p = get_number(text, end, &value);
    if (p == text || value > max) {
        diag_set(d, "%s: expected a number of at most %llu",
                 quote_all(text).text, (unsigned long long)max);
        return NULL;
    }
    c->number = (int64_t)value;
    return p;
}

static int read_ids(struct constraint *c, struct diag *d)
{
    struct idset *ids;
    const char *rest;
    int64_t lo, hi;

    if (c->op > OP_NE) {
        if (!(rest = read_number(c, IDSET_MAX, d)))
            return -1;
        if (*rest)
            return bad(c->text, "expected a number", d);
        lo = c->op == OP_GT ? c->number + 1 : c->op == OP_GE ? c->number : 0;
        hi = c->op == OP_LT   ? c->number - 1
             : c->op == OP_LE ? c->number
                              : (int64_t)IDSET_MAX;
        c->ids = lo <= hi ? idset_create_range((uint32_t)lo, (uint32_t)hi)
                          : idset_create();
        return 0;
    }
    if (idset_decode(c->text, strlen(c->text), &c->ids, d) < 0)
        return -1;
    if (idset_empty(c->ids))
        return bad(c->text, "the set is empty", d);
    if (c->op == OP_NE) {
        ids = c->ids;
        c->ids = idset_create_range(0, IDSET_MAX);
        idset_remove_set(c->ids, ids);
        idset_destroy(ids);
    }
    return 0;
}

static int read_size(struct constraint *c, struct diag *d)
{
    const char *rest = read_number(c, INT64_MAX, d);

    if (!rest)
        return -1;
    while (*rest == ' ')
        rest++;
    if (*rest == '.')
        return bad(c->text, "expected a whole number", d);
    c->unit = rest;
    return 0;
}

static int read_time(struct constraint *c, struct diag *d)
{
    return time_parse(c->text, c->now, &c->time, d);
}

/*
 * The largest number of hosts in a list. Usually a list costs as much as it has
 * ranges. But with other digits after the numbers, as in a[0-9]b1, each name is
 * a range.
 */
enum { HOSTS_MAX = 1 << 22 };

static int read_hosts(struct constraint *c, struct diag *d)
{
    struct hostlist_reader how = HOSTLIST_READER;

    how.max = HOSTS_MAX;
    c->hosts = hostlist_create();
    if (hostlist_read(c->hosts, c->text, strlen(c->text), &how, d) < 0)
        return -1;
    return hostlist_count(c->hosts) ? 0 : bad(c->text, "the list is empty", d);
}

static int read_path(struct constraint *c, struct diag *d)
{
    char *text = c->text, *last = text + strlen(text) - 2;

    if (path_check(text, d) < 0)
        return -1;
    c->below = !strcmp(last, "/*");
    if (!c->below)
        return 0;
    if (c->about == ABOUT_FED_BY)
        return bad(text, "expected the path of a resource, without /*", d);
    if (last == text || last[-1] == ':')
        return bad(text, "expected a path before /*", d);
    *last = '\0';
    return path_check(text, d);
}

/* A job id in F58 names the job with that number (RFC 19). */
static int read_job(struct constraint *c, struct diag *d)
{
    char digits[JOB_DIGITS_MAX];

    (void)d;
    if (job_decode(c->text, false, digits)) {
        free(c->text);
        c->text = xstrdup(digits);
    }
    return 0;
}

static const struct find_key find_keys[CRITERIA] = {
    [ABOUT_TYPE] = {"type", read_words, 0},
    [ABOUT_BASENAME] = {"basename", read_words, KEY_EMPTY},
    [ABOUT_NAME] = {"name", read_hosts, 0},
    [ABOUT_ID] = {"id", read_ids, KEY_ORDER},
    [ABOUT_UUID] = {"uuid", read_words, 0},
    [ABOUT_PATH] = {"path", read_path, 0},
    [ABOUT_RANK] = {"rank", read_ids, KEY_ORDER},
    [ABOUT_HOST] = {"host", read_hosts, 0},
    [ABOUT_SIZE] = {"size", read_size, KEY_ORDER},
    [ABOUT_UNIT] = {"unit", read_words, KEY_EMPTY},
    [ABOUT_PROPERTY] = {"property", read_text, 0},
    [ABOUT_TAG] = {"tag", read_text, 0},
    [ABOUT_STATE] = {"state", read_states, 0},
    [ABOUT_STATUS] = {"status", read_status, 0},
    [ABOUT_SUBSYSTEM] = {"subsystem", read_words, 0},
    [ABOUT_FED_BY] = {"fed-by", read_path, 0},
    [ABOUT_ALLOCATED] = {"allocated", read_job, KEY_ALONE | KEY_TIME},
    [ABOUT_RESERVED] = {"reserved", read_job, KEY_ALONE | KEY_TIME},
    [ABOUT_SHARED] = {"shared", read_job, KEY_ALONE},
    [ABOUT_STAGED] = {"staged", read_job, KEY_ALONE},
    [ABOUT_START] = {"start", read_time, KEY_ORDER},
    [ABOUT_END] = {"end", read_time, KEY_ORDER},
    [ABOUT_FREE] = {"free", NULL, KEY_ALONE | KEY_TIME},
    [ABOUT_EXCLUSIVE] = {"exclusive", NULL, KEY_ALONE},
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

static char peek(struct expression *e)
{
    while (is_space(e->text[e->pos]))
        e->pos++;
    return e->text[e->pos];
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
    t->kind = t->end == t->start         ? TOKEN_END
              : e->text[t->start] == '(' ? TOKEN_OPEN
              : e->text[t->start] == ')'
                  ? TOKEN_CLOSE
                  : expression_word(e->text + t->start, t->end - t->start);
    e->pos = t->end;
    return 0;
}

/* Report that something else is expected next in a criterion. */
static int due(struct expression *e, const char *what)
{
    next_word(e);
    return expression_due(e, what);
}

/* --- keys ----------------------------------------------------------------- */

static int find_key(struct expression *e, size_t len)
{
    struct near near = {.word = e->text + e->pos, .len = len};

    for (int k = 0; k < CRITERIA; k++)
        if (word_is(near.word, len, find_keys[k].name))
            return k;
    for (int k = 0; k < CRITERIA; k++)
        near_try(&near, find_keys[k].name);
    return expression_fault(e, e->pos, e->pos + len, "no such key%s",
                            near_or_all(&near));
}

/* Read `@TIME` after a key. */
static int read_at(struct expression *e, struct constraint *c, size_t len)
{
    const struct find_key *key = &find_keys[c->about];
    size_t start = e->pos + 1;
    char *text;
    int rc;

    if (!(key->flags & KEY_TIME))
        return expression_fault(e, e->pos, e->pos + len, "%s takes no @TIME",
                                key->name);
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
    size_t i, start = e->pos, end = start;

    while (is_operator(e->text[end]))
        end++;
    i = VECTOR_FIND(k, sizeof(ops) / sizeof(*ops),
                    word_is(e->text + start, end - start, ops[k].text));
    if (i == sizeof(ops) / sizeof(*ops))
        return expression_fault(
            e, start, end,
            "no such operator; there are =, !=, <, <=, > and >=");
    if (!key->read)
        return expression_fault(e, start, end, "%s takes no value", key->name);
    if (ops[i].op > OP_NE && !(key->flags & KEY_ORDER))
        return expression_fault(e, start, end,
                                "%s takes only = and !=", key->name);
    c->op = ops[i].op;
    e->pos = end;
    return 0;
}

/* Read a word, without its quotes, into buf, which is large enough. */
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
        return expression_fault(e, start, e->pos, "%s can't be empty",
                                key->name);
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
        return read_operator(e, c) < 0 || read_value(e, c) < 0 ? -1
                                                               : next_word(e);
    return find_keys[c->about].flags & KEY_ALONE ? next_word(e)
                                                 : due(e, "an operator");
}

/* Criteria for the places of a path with ranges in brackets. */
struct spread {
    const struct constraint *like;
    struct constraint *list;
};

static int add_place(void *arg, const char *place, struct diag *d)
{
    struct spread *s = arg;
    struct constraint *c = criterion_create(s->like->about);

    c->op = s->like->op;
    c->now = s->like->now;
    c->below = s->like->below;
    c->text = xstrdup(place);
    c->next = s->list;
    s->list = c;
    return path_check(place, d);
}

/* Put criteria for each place in place of one with ranges in brackets. */
static int spread(struct constraint **c, struct diag *d)
{
    struct spread s = {.like = *c};
    int rc = places_each((*c)->text, add_place, &s, d);
    struct constraint *all = constraint_join(
        (*c)->op == OP_NE ? CONSTRAINT_AND : CONSTRAINT_OR, s.list);

    constraint_destroy(*c);
    *c = all;
    return rc;
}

static struct constraint *read_term(struct expression *e)
{
    struct constraint *c = criterion_create(0);
    size_t start = e->token.start;

    if (read_criterion(e, c) == 0) {
        if (find_keys[c->about].read != read_path || !c->text
            || !strchr(c->text, '['))
            return c;
        if (spread(&c, e->d) == 0)
            return c;
        diag_in(e->d, "offset %zu", start);
    }
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
        .behind = "\"and\" or \"or\" is expected here",
        .deep = "nested deeper than 100",
    };

    return expression_read(&grammar, text, now, d);
}
