/* The keys of find expressions, and how the value of each is read. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "model/tree/path.h"
#include "request/find_private.h"
#include "set/digits.h"

/* --- words ---------------------------------------------------------------- */

static int bad(const char *text, const char *rule, struct diag *d)
{
    return diag_set(d, "%s: %s", quote(text, strlen(text)).text, rule);
}

/* The list is cut at its commas. */
static int read_words(struct constraint *c, struct diag *d)
{
    for (const char *p = c->text;; p++) {
        size_t len = strcspn(p, ",");
        VECTOR_GROW(c->words, c->nwords);
        c->words[c->nwords++] = xstrndup(p, len);
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
    for (size_t i = 0; i < c->nwords; i++)
        if (pool_state_from_name(c->words[i]) < 0)
            return bad(c->words[i],
                       "expected up, down, degraded, failing, unknown or none",
                       d);
    return 0;
}

static int read_status(struct constraint *c, struct diag *d)
{
    if (strcmp(c->text, "up") != 0 && strcmp(c->text, "down") != 0)
        return bad(c->text, "expected up or down", d);
    return 0;
}

static int read_text(struct constraint *c, struct diag *d)
{
    (void)c, (void)d;
    return 0;
}

/* --- numbers -------------------------------------------------------------- */

/* What is read of a number is at most `max`; returns what follows it. */
static const char *read_number(struct constraint *c, uint64_t max,
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

/* The ids from lo to hi, of which there may be none. */
static struct idset *ids_between(int64_t lo, int64_t hi)
{
    return lo <= hi ? idset_create_range((uint32_t)lo, (uint32_t)hi)
                    : idset_create();
}

static struct idset *ids_in_order(const struct constraint *c)
{
    int64_t n = c->number, max = (int64_t)IDSET_MAX;

    return c->op == OP_LT   ? ids_between(0, n - 1)
           : c->op == OP_LE ? ids_between(0, n)
           : c->op == OP_GT ? ids_between(n + 1, max)
                            : ids_between(n, max);
}

/* Not the ids of a set, but all others. */
static struct idset *ids_but(struct idset *ids)
{
    struct idset *all = idset_create_range(0, IDSET_MAX);
    struct idset *rest = idset_subtract(all, ids);

    idset_destroy(all);
    idset_destroy(ids);
    return rest;
}

static int read_ids(struct constraint *c, struct diag *d)
{
    const char *rest;

    if (c->op > OP_NE) {
        if (!(rest = read_number(c, IDSET_MAX, d)))
            return -1;
        if (*rest)
            return bad(c->text, "expected a number", d);
        c->ids = ids_in_order(c);
        return 0;
    }
    if (idset_decode(c->text, strlen(c->text), &c->ids, d) < 0)
        return -1;
    if (idset_empty(c->ids))
        return bad(c->text, "the set is empty", d);
    if (c->op == OP_NE)
        c->ids = ids_but(c->ids);
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

/* --- names ---------------------------------------------------------------- */

/*
 * A list costs its ranges, unless numbers stand before other digits as in
 * a[0-9]b1: then each name is one. So there is an end to it.
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
    if (last == text || last[-1] == ':')
        return bad(text, "expected a path before /*", d);
    *last = '\0';
    return path_check(text, d);
}

static int read_path_alone(struct constraint *c, struct diag *d)
{
    const char *text = c->text;

    if (path_check(text, d) < 0)
        return -1;
    return strcmp(text + strlen(text) - 2, "/*")
               ? 0
               : bad(text, "expected the path of a pool, without /*", d);
}

/* A job by its number in F58 is the job of that number (RFC 19). */
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

/* --- the table ------------------------------------------------------------ */

const struct find_key find_keys[CRITERIA] = {
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
    [ABOUT_FED_BY] = {"fed-by", read_path_alone, 0},
    [ABOUT_ALLOCATED] = {"allocated", read_job, KEY_ALONE | KEY_TIME},
    [ABOUT_RESERVED] = {"reserved", read_job, KEY_ALONE | KEY_TIME},
    [ABOUT_SHARED] = {"shared", read_job, KEY_ALONE},
    [ABOUT_STAGED] = {"staged", read_job, KEY_ALONE},
    [ABOUT_START] = {"start", read_time, KEY_ORDER},
    [ABOUT_END] = {"end", read_time, KEY_ORDER},
    [ABOUT_FREE] = {"free", NULL, KEY_ALONE | KEY_TIME},
    [ABOUT_EXCLUSIVE] = {"exclusive", NULL, KEY_ALONE},
};
