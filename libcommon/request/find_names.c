/*
 * Names against lists of names, in the number of ranges and not of names.
 *
 * Where a set is made of runs, names are made, too: that of a target is its
 * host, that of a pool in it is basename and id. Basename and id of a target
 * are the parts of its host's name. So names are turned into numbers: a list
 * of hosts is gone through in stretches that are a text and the numbers that
 * follow each other behind it, and what a criterion comes to is an idset, of
 * ranks or of ids.
 *
 * Single vertices have names of their own, which may be any text. They are
 * entered into a book once, whatever the number of criteria, and a list of
 * names comes to an idset of places in the book.
 */
#include "request/find_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/jgf.h"

/* Members of a list from place `at` on: a text and numbers behind it. */
struct stretch {
    const char *text;
    size_t len;
    int64_t first; /* -1: no numbers, all n names are without */
    int width;     /* the least number of digits */
    uint32_t at;
    uint64_t n;
};

typedef int (*stretch_fn)(const struct stretch *s, void *arg);

static void split_name(struct stretch *s, const char *name)
{
    s->text = name;
    s->len = host_basename(name, &s->first);
    s->width = (int)(strlen(name) - s->len);
}

/*
 * Are the names from a to b, of one run of the list, one stretch? The numbers
 * of a run may stand elsewhere than at the end.
 */
static bool is_stretch(const struct stretch *a, const struct stretch *b,
                       uint64_t n)
{
    if (a->first < 0 || b->first < 0)
        return a->first == b->first;
    return a->len == b->len && !memcmp(a->text, b->text, a->len)
           && (uint64_t)(b->first - a->first) == n - 1;
}

/* The first and the last name of the run where the iterator is. */
static int ends_of_run(struct hostlist_iter *it, uint64_t n, char *first,
                       char *last)
{
    struct hostlist *between;

    hostlist_iter_next(it, first, HOSTLIST_NAME_MAX);
    if (n < 2) {
        strcpy(last, first);
        return 0;
    }
    if (!(between = hostlist_iter_take(it, n - 2)))
        return -1;
    hostlist_destroy(between);
    hostlist_iter_next(it, last, HOSTLIST_NAME_MAX);
    return 0;
}

static int each_stretch(const struct hostlist *hl, stretch_fn fn, void *arg)
{
    char first[HOSTLIST_NAME_MAX], last[HOSTLIST_NAME_MAX];
    struct stretch s = {0}, end = {0};
    struct hostlist_iter it;
    int rc = 0;

    hostlist_iter_init(&it, hl);
    while (rc == 0 && (s.n = hostlist_iter_run(&it)) > 0) {
        struct hostlist_iter start = it;
        if (ends_of_run(&it, s.n, first, last) < 0)
            return -1;
        split_name(&s, first);
        split_name(&end, last);
        if (!is_stretch(&s, &end, s.n)) { /* the first alone, then on */
            it = start;
            hostlist_iter_next(&it, first, sizeof(first));
            s.n = 1;
        }
        rc = fn(&s, arg);
        s.at += (uint32_t)s.n;
    }
    return rc;
}

/* --- names of members ----------------------------------------------------- */

struct collecting {
    struct idset *ids;
    const char *text; /* the basename but its digits */
    size_t len;
    int64_t digits; /* their value, 0 without any */
    int ndigits;
};

static int64_t power(int exponent)
{
    int64_t value = 1;

    while (exponent-- > 0)
        value *= 10;
    return value;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Ids of k digits: with those of the basename they are a number of a name. */
static int collect_digits(const struct collecting *c, const struct stretch *s,
                          int k)
{
    int width = c->ndigits + k;
    int64_t base = c->digits * power(k), lo, hi;

    lo = most(s->first, base + (k > 1 ? power(k - 1) : 0));
    hi = least(s->first + (int64_t)s->n - 1, base + power(k) - 1);
    if (width < s->width)
        return 0; /* all are written with more */
    if (width > s->width)
        lo = most(lo, power(width - 1)); /* and not padded */
    hi = least(least(hi, power(width) - 1), base + (int64_t)IDSET_MAX);
    if (lo > hi)
        return 0;
    idset_add(c->ids, (uint32_t)(lo - base), (uint32_t)(hi - base));
    return 0;
}

enum { ID_DIGITS = 10, NAME_DIGITS = 18 };

static int collect_ids(const struct stretch *s, void *arg)
{
    const struct collecting *c = arg;
    int rc = 0;

    if (s->first < 0 || s->len != c->len || memcmp(s->text, c->text, c->len))
        return 0;
    for (int k = 1; k <= ID_DIGITS && c->ndigits + k <= NAME_DIGITS; k++)
        if (rc == 0)
            rc = collect_digits(c, s, k);
    return rc;
}

static struct idset *collect(const struct criterion *c, const char *basename)
{
    struct collecting into = {.ids = idset_create(), .text = basename};

    into.len = host_basename(basename, &into.digits);
    into.ndigits = (int)(strlen(basename) - into.len);
    if (into.digits < 0)
        into.digits = 0;
    if (into.ids && each_stretch(c->hosts, collect_ids, &into) == 0)
        return into.ids;
    idset_destroy(into.ids);
    return NULL;
}

const struct idset *find_member_ids(struct criterion *c, const char *basename)
{
    struct find_members *list;

    for (size_t i = 0; i < c->nmembers; i++)
        if (!strcmp(c->members[i].basename, basename))
            return c->members[i].ids;
    list = xrealloc(c->members, (c->nmembers + 1) * sizeof(*list));
    if (!list)
        return NULL;
    c->members = list;
    list += c->nmembers;
    *list = (struct find_members){basename, collect(c, basename)};
    if (!list->ids)
        return NULL;
    c->nmembers++;
    return list->ids;
}

/* --- targets
 * ------------------------------------------------------------------ */

/* Targets that have no basename in their host's name are of this type. */
#define NODE "node"

struct asking {
    const struct criterion *c;
    struct idset *at; /* places in the list of hosts */
};

static int add_places(struct asking *a, const struct stretch *s, int64_t lo,
                      int64_t hi)
{
    uint32_t at = s->at + (uint32_t)(lo - s->first);

    if (lo <= hi)
        idset_add(a->at, at, at + (uint32_t)(hi - lo));
    return 0;
}

/* Places of the hosts with numbers that satisfy a criterion on the id. */
static int ask_ids(const struct stretch *s, void *arg)
{
    struct asking *a = arg;
    int64_t last = s->first + (int64_t)s->n - 1, above = IDSET_MAX + INT64_C(1);
    struct idset *mine, *part;
    int rc = 0;

    if (s->first < 0)
        return 0;
    if (find_number(a->c, above))
        rc = add_places(a, s, most(s->first, above), last);
    if (s->first >= above)
        return rc;
    mine = idset_create_range((uint32_t)s->first,
                              (uint32_t)least(last, IDSET_MAX));
    part = mine ? idset_intersect(mine, a->c->ids) : NULL;
    for (size_t i = 0; part && rc == 0 && i < idset_nranges(part); i++)
        rc = add_places(a, s, idset_range(part, i).lo, idset_range(part, i).hi);
    idset_destroy(mine);
    rc = part ? rc : -1;
    idset_destroy(part);
    return rc;
}

static int ask_basenames(const struct stretch *s, void *arg)
{
    struct asking *a = arg;
    bool named = s->first >= 0 && s->len > 0;

    if (!find_has_word(a->c, named ? s->text : NODE,
                       named ? s->len : strlen(NODE)))
        return 0;
    idset_add(a->at, s->at, s->at + (uint32_t)(s->n - 1));
    return 0;
}

/* Places in the list of hosts, as ranks; takes them over. */
static struct idset *ranks_at(const struct rset *rs, struct idset *at)
{
    struct idset *ranks = at ? idset_pick(rs->ranks, at) : NULL;

    idset_destroy(at);
    return ranks;
}

static struct idset *ask_hosts(const struct rset *rs, const struct criterion *c,
                               stretch_fn fn)
{
    struct asking a = {c, idset_create()};

    if (a.at && each_stretch(rs->hosts, fn, &a) < 0) {
        idset_destroy(a.at);
        return NULL;
    }
    return ranks_at(rs, a.at);
}

/* Without hosts a target is named by its rank. */
static struct idset *without_hosts(const struct rset *rs, struct criterion *c)
{
    const struct idset *ids = c->ids;

    if (c->about == ABOUT_NAME && !(ids = find_member_ids(c, NODE)))
        return NULL;
    if (c->about == ABOUT_BASENAME && find_has_word(c, NODE, strlen(NODE)))
        return idset_copy(rs->ranks);
    return ids ? idset_intersect(rs->ranks, ids) : idset_create();
}

static struct idset *find_ranks(const struct rset *rs, struct criterion *c)
{
    if (!rs->ranks)
        return idset_create();
    if (c->about == ABOUT_RANK)
        return idset_intersect(rs->ranks, c->ids);
    if (!rs->hosts)
        return without_hosts(rs, c);
    if (c->about == ABOUT_ID)
        return ask_hosts(rs, c, ask_ids);
    if (c->about == ABOUT_BASENAME)
        return ask_hosts(rs, c, ask_basenames);
    return ranks_at(rs, hostlist_positions(rs->hosts, c->hosts));
}

int find_bind_targets(struct find *f, struct criterion *c)
{
    switch (c->about) {
    case ABOUT_RANK:
    case ABOUT_HOST:
    case ABOUT_NAME:
    case ABOUT_ID:
    case ABOUT_BASENAME:
        c->targets = find_ranks(f->rs, c);
        return c->targets ? 0 : -1;
    default:
        return 0;
    }
}

/* --- the book
 * ------------------------------------------------------------------ */

/* Could a hostlist hold the name? */
static bool is_host(const char *name)
{
    size_t len = 0;

    for (const char *p = name; *p; p++, len++)
        if (*p <= ' ' || *p >= 0x7f || strchr("[],", *p))
            return false;
    return len > 0 && len < HOSTLIST_NAME_MAX;
}

static int enter(struct find *f, const char *name, struct hostlist *names)
{
    struct map_slot *slot = map_at(&f->book, name, strlen(name));

    if (!slot)
        return -1;
    if (slot->value.number || !is_host(name))
        return 0;
    slot->value.number = hostlist_count(names) + 1;
    return hostlist_append(names, name, strlen(name));
}

static int fill_book(struct find *f, struct hostlist *names)
{
    for (struct vertex *v = rset_first(f->rs); v; v = rset_next(f->rs, v))
        if (!v->run && enter(f, v->name, names) < 0)
            return -1;
    return 0;
}

int find_bind_names(struct find *f)
{
    struct hostlist *names = NULL;
    int rc = 0;

    for (struct criterion *c = f->criteria; c && rc == 0; c = c->next) {
        if (c->about != ABOUT_NAME)
            continue;
        if (!names && (!(names = hostlist_create()) || fill_book(f, names) < 0))
            rc = -1;
        else if (!(c->names = hostlist_positions(names, c->hosts)))
            rc = -1;
    }
    hostlist_destroy(names);
    return rc;
}
