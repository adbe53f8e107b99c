/* The two kinds of values of `idset`: numbers and hosts (job.h). */
#include "base/json.h"
#include "cli/cli.h"
#include "job.h"

/* Functions of both kinds that only call a function of their type. */
#define BOTH(result, name, params, function, args) \
    static result ids_##name params                \
    {                                              \
        return idset_##function args;              \
    }                                              \
    static result hosts_##name params              \
    {                                              \
        return hostlist_##function args;           \
    }

BOTH(void *, create, (void), create, ())
BOTH(void, destroy, (void *value), destroy, (value))
BOTH(void, settle, (void *value), settle, (value))
BOTH(void *, exclude, (const void *a, const void *b), subtract, (a, b))
BOTH(void *, intersect, (const void *a, const void *b), intersect, (a, b))
BOTH(void *, exclusive, (const void *a, const void *b), xor, (a, b))
BOTH(uint64_t, count, (const void *value), count, (value))
BOTH(void *, pick, (const void *value, const struct idset *at), pick,
     (value, at))
BOTH(bool, equal, (const void *value, const void *other), equal, (value, other))
BOTH(bool, contain, (const void *value, const void *other), subset,
     (other, value))
BOTH(bool, within, (const void *value, const void *other), subset,
     (value, other))
BOTH(bool, overlap, (const void *value, const void *other), overlaps,
     (value, other))
BOTH(struct idset *, positions, (const void *value, const void *some),
     positions, (value, some))
BOTH(void, walk, (union job_walk * walk, const void *value), iter_init,
     ((void *)walk, value))
BOTH(uint64_t, run, (const union job_walk *walk), iter_run,
     ((const void *)walk))
BOTH(void *, take, (union job_walk * walk, uint64_t n), iter_take,
     ((void *)walk, n))

#define KIND(kind)                                                           \
    .create = kind##_create, .destroy = kind##_destroy, .read = kind##_read, \
    .settle = kind##_settle,                                                 \
    .combine = {kind##_unite, kind##_exclude, kind##_intersect,              \
                kind##_exclusive},                                           \
    .count = kind##_count, .pick = kind##_pick,                              \
    .test = {kind##_equal, kind##_contain, kind##_within, kind##_overlap},   \
    .positions = kind##_positions, .walk = kind##_walk, .run = kind##_run,   \
    .take = kind##_take, .write = kind##_write

/* --- numbers -------------------------------------------------------------- */

static int ids_read(const struct idset_job *job, void *value, const char *text,
                    size_t len, size_t line, struct diag *d)
{
    struct idset_reader r = job->ids;

    r.line = line;
    r.many = line > 0;
    return idset_read(value, text, len, &r, d);
}

static void *ids_unite(const void *a, const void *b)
{
    return idset_union(a, b);
}

static int ids_write(const struct idset_job *job, const void *value, FILE *fp,
                     struct diag *d)
{
    if (job->list)
        idset_write_list(value, job->between, job->between_len, fp);
    else if (job->brackets)
        idset_write_members(value, fp);
    else
        return idset_form_write(job->form, value, fp, d);
    return 0;
}

const struct idset_kind kind_ids = {KIND(ids)};

/* --- hosts ---------------------------------------------------------------- */

static bool warned; /* of a word that is not the name of a host */

static int hosts_read(const struct idset_job *job, void *value,
                      const char *text, size_t len, size_t line, struct diag *d)
{
    struct hostlist_reader r = job->hosts;
    struct diag odd;
    int rc;

    r.line = line;
    r.many = line > 0;
    rc = hostlist_read(value, text, len, &r, d);
    if (rc == 0 && !warned && hostlist_check_words(text, len, &odd) < 0) {
        cli_warn("warning: %s", odd.text);
        warned = true;
    }
    return rc;
}

static void *hosts_unite(const void *a, const void *b)
{
    struct hostlist *out = hostlist_copy(a);

    hostlist_append_list(out, b); /* run.c has a lower limit */
    return out;
}

static int hosts_write(const struct idset_job *job, const void *value, FILE *fp,
                       struct diag *d)
{
    char name[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    char before = '[';

    (void)d;
    if (job->list) {
        hostlist_write_names(value, job->between, job->between_len, fp);
    } else if (job->folded) {
        (job->hosts.multi ? hostlist_write_multi : hostlist_write)(value, fp);
    } else { /* as JSON */
        hostlist_iter_init(&it, value);
        for (; hostlist_iter_next(&it, name) >= 0; before = ',') {
            putc(before, fp);
            json_write_string(fp, name);
        }
        fputs(before == '[' ? "[]" : "]", fp);
    }
    return 0;
}

const struct idset_kind kind_hosts = {KIND(hosts)};
