/* The keys of find expressions, and how the value of each is read. */
#include "request/find_private.h"

#include <string.h>

#include "base/time.h"
#include "model/path.h"
#include "set/digits.h"

/* --- words ---------------------------------------------------------------- */

/* The list is cut at its commas, in the text that has been copied. */
static int read_words(struct find *f, struct criterion *c, struct diag *d)
{
    size_t n = 1;
    char *rest = arena_strndup(&f->arena, c->text, strlen(c->text));

    for (const char *p = c->text; *p; p++)
        n += *p == ',';
    c->words = arena_alloc(&f->arena, n * sizeof(*c->words));
    if (!rest || !c->words)
        return diag_oom(d);
    for (c->nwords = 0; rest; c->nwords++) {
        c->words[c->nwords] = strsep(&rest, ",");
        if (!*c->words[c->nwords] && n > 1)
            return diag_set(d, "%s: an element of the list is empty",
                            quote(c->text, strlen(c->text)).text);
    }
    return 0;
}

static int read_states(struct find *f, struct criterion *c, struct diag *d)
{
    if (read_words(f, c, d) < 0)
        return -1;
    for (size_t i = 0; i < c->nwords; i++)
        if (pool_state_from_name(c->words[i]) < 0)
            return diag_set(d,
                            "%s: expected up, down, degraded, failing, "
                            "unknown or none",
                            quote(c->words[i], strlen(c->words[i])).text);
    return 0;
}

static int read_status(struct find *f, struct criterion *c, struct diag *d)
{
    (void)f;
    if (strcmp(c->text, "up") && strcmp(c->text, "down"))
        return diag_set(d, "%s: expected up or down",
                        quote(c->text, strlen(c->text)).text);
    return 0;
}

static int read_text(struct find *f, struct criterion *c, struct diag *d)
{
    (void)f, (void)c, (void)d;
    return 0;
}

/* --- numbers -------------------------------------------------------------- */

/* What is read of a number is at most `max`; returns what follows it. */
static const char *read_number(struct criterion *c, uint64_t max,
                               struct diag *d)
{
    const char *text = c->text, *end = text + strlen(text), *p;
    uint64_t value;

    p = get_number(text, end, &value);
    if (p == text || value > max) {
        diag_set(d, "%s: expected a number of at most %llu",
                 quote(text, strlen(text)).text, (unsigned long long)max);
        return NULL;
    }
    c->number = (int64_t)value;
    return p;
}

bool find_number(const struct criterion *c, int64_t number)
{
    if (number < 0)
        return false;
    switch (c->op) {
    case OP_LT:
        return number < c->number;
    case OP_LE:
        return number <= c->number;
    case OP_GT:
        return number > c->number;
    case OP_GE:
        return number >= c->number;
    default:
        return number > (int64_t)IDSET_MAX
                   ? c->op == OP_NE
                   : idset_contains(c->ids, (uint32_t)number);
    }
}

/* The ids from lo to hi, of which there may be none. */
static struct idset *ids_between(int64_t lo, int64_t hi)
{
    return lo <= hi ? idset_create_range((uint32_t)lo, (uint32_t)hi)
                    : idset_create();
}

static struct idset *ids_in_order(const struct criterion *c)
{
    int64_t n = c->number, max = (int64_t)IDSET_MAX;

    return c->op == OP_LT   ? ids_between(0, n - 1)
           : c->op == OP_LE ? ids_between(0, n)
           : c->op == OP_GT ? ids_between(n + 1, max)
                            : ids_between(n, max);
}

/* All ids but those that are there. */
static struct idset *ids_but(const struct idset *ids)
{
    struct idset *all = idset_create_range(0, IDSET_MAX), *rest = NULL;

    if (all)
        rest = idset_subtract(all, ids);
    idset_destroy(all);
    return rest;
}

static int read_id_list(struct criterion *c, struct diag *d)
{
    struct idset *ids;

    if (idset_decode(c->text, strlen(c->text), &c->ids, d) < 0)
        return -1;
    if (idset_empty(c->ids))
        return diag_set(d, "%s: the set is empty",
                        quote(c->text, strlen(c->text)).text);
    if (c->op == OP_EQ)
        return 0;
    ids = c->ids;
    c->ids = ids_but(ids);
    idset_destroy(ids);
    return c->ids ? 0 : diag_oom(d);
}

static int read_ids(struct find *f, struct criterion *c, struct diag *d)
{
    const char *rest;

    (void)f;
    if (c->op <= OP_NE)
        return read_id_list(c, d);
    if (!(rest = read_number(c, IDSET_MAX, d)))
        return -1;
    if (*rest)
        return diag_set(d, "%s: expected a number",
                        quote(c->text, strlen(c->text)).text);
    return (c->ids = ids_in_order(c)) ? 0 : diag_oom(d);
}

static int read_size(struct find *f, struct criterion *c, struct diag *d)
{
    const char *rest = read_number(c, INT64_MAX, d);

    (void)f;
    if (!rest)
        return -1;
    while (*rest == ' ')
        rest++;
    if (*rest == '.')
        return diag_set(d, "%s: expected a whole number",
                        quote(c->text, strlen(c->text)).text);
    c->unit = rest;
    return 0;
}

static int read_time(struct find *f, struct criterion *c, struct diag *d)
{
    return time_parse(c->text, f->now, &c->time, d);
}

/* --- names ---------------------------------------------------------------- */

/*
 * A list costs its ranges, unless numbers stand before other digits as in
 * a[0-9]b1: then each name is one. So there is an end to it.
 */
enum { HOSTS_MAX = 1 << 22 };

static int read_hosts(struct find *f, struct criterion *c, struct diag *d)
{
    struct hostlist_reader how = HOSTLIST_READER;

    (void)f;
    how.max = HOSTS_MAX;
    if (!(c->hosts = hostlist_create()))
        return diag_oom(d);
    if (hostlist_read(c->hosts, c->text, strlen(c->text), &how, d) < 0)
        return -1;
    if (!hostlist_count(c->hosts))
        return diag_set(d, "%s: the list is empty",
                        quote(c->text, strlen(c->text)).text);
    return 0;
}

static int read_path(struct find *f, struct criterion *c, struct diag *d)
{
    size_t len = strlen(c->text);

    if (path_check(c->text, d) < 0)
        return -1;
    c->below = !strcmp(c->text + len - 2, "/*");
    if (!c->below)
        return 0;
    if (len == 2 || (*c->text != '/' && strncmp(c->text, "containment:/", 13)))
        return diag_set(d, "%s: expected a path in containment before /*",
                        quote(c->text, len).text);
    c->text = arena_strndup(&f->arena, c->text, len - 2);
    return c->text ? path_check(c->text, d) : diag_oom(d);
}

/* A job by its number in F58 is the job of that number (RFC 19). */
static int read_job(struct find *f, struct criterion *c, struct diag *d)
{
    char digits[JOB_DIGITS_MAX];

    if (!job_decode(c->text, false, digits))
        return 0;
    c->text = arena_strndup(&f->arena, digits, strlen(digits));
    return c->text ? 0 : diag_oom(d);
}

/* --- the table ------------------------------------------------------------ */

const struct find_key find_keys[FIND_KEYS] = {
    [ABOUT_TYPE] = {"type", read_words, find_holds_type, 0},
    [ABOUT_BASENAME] = {"basename", read_words, find_holds_basename, KEY_EMPTY},
    [ABOUT_NAME] = {"name", read_hosts, find_holds_name, 0},
    [ABOUT_ID] = {"id", read_ids, find_holds_id, KEY_ORDER},
    [ABOUT_UUID] = {"uuid", read_words, find_holds_uuid, 0},
    [ABOUT_PATH] = {"path", read_path, find_holds_path, 0},
    [ABOUT_RANK] = {"rank", read_ids, find_holds_rank, KEY_ORDER},
    [ABOUT_HOST] = {"host", read_hosts, find_holds_host, 0},
    [ABOUT_SIZE] = {"size", read_size, find_holds_size, KEY_ORDER},
    [ABOUT_UNIT] = {"unit", read_words, find_holds_unit, KEY_EMPTY},
    [ABOUT_PROPERTY] = {"property", read_text, find_holds_property, 0},
    [ABOUT_TAG] = {"tag", read_text, find_holds_tag, 0},
    [ABOUT_STATE] = {"state", read_states, find_holds_state, 0},
    [ABOUT_STATUS] = {"status", read_status, find_holds_status, 0},
    [ABOUT_SUBSYSTEM] = {"subsystem", read_words, find_holds_subsystem, 0},
    [ABOUT_ALLOCATED] = {"allocated", read_job, find_holds_claim,
                         KEY_ALONE | KEY_TIME},
    [ABOUT_RESERVED] = {"reserved", read_job, find_holds_claim,
                        KEY_ALONE | KEY_TIME},
    [ABOUT_SHARED] = {"shared", read_job, find_holds_shared, KEY_ALONE},
    [ABOUT_STAGED] = {"staged", read_job, find_holds_staged, KEY_ALONE},
    [ABOUT_START] = {"start", read_time, find_holds_claim, KEY_ORDER},
    [ABOUT_END] = {"end", read_time, find_holds_claim, KEY_ORDER},
    [ABOUT_FREE] = {"free", NULL, find_holds_free, KEY_ALONE | KEY_TIME},
    [ABOUT_EXCLUSIVE] = {"exclusive", NULL, find_holds_exclusive, KEY_ALONE},
};
