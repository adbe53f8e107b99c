/* Hosts, as `idset --hostlist` works with them. */
#include "cli/cli.h"
#include "kind.h"

static void *create(void)
{
    return hostlist_create();
}

static void destroy(void *value)
{
    hostlist_destroy(value);
}

static int read_hosts(const struct idset_job *job, void *value,
                      const char *text, size_t len, size_t line, struct diag *d)
{
    struct hostlist_reader r = job->hosts;

    r.line = line;
    r.many = line > 0;
    return hostlist_read(value, text, len, &r, d);
}

static void settle(void *value)
{
    (void)value;
}

static void *unite(const void *a, const void *b)
{
    struct hostlist *out = hostlist_copy(a);

    hostlist_append_list(out, b); /* job.c's limit is below a list's */
    return out;
}

static void *exclude(const void *a, const void *b)
{
    return hostlist_subtract(a, b);
}

static void *intersect(const void *a, const void *b)
{
    return hostlist_intersect(a, b);
}

static void *exclusive(const void *a, const void *b)
{
    return hostlist_xor(a, b);
}

static uint64_t count(const void *value)
{
    return hostlist_count(value);
}

static void *pick(const void *value, const struct idset *positions)
{
    return hostlist_pick(value, positions);
}

static void *sort(const void *value, bool unique)
{
    return hostlist_sort(value, unique);
}

static bool equal(const void *value, const void *other)
{
    return hostlist_equal(value, other);
}

static bool contains(const void *value, const void *other)
{
    return hostlist_subset(other, value);
}

static bool within(const void *value, const void *other)
{
    return hostlist_subset(value, other);
}

static bool overlaps(const void *value, const void *other)
{
    return hostlist_overlaps(value, other);
}

static struct idset *positions(const void *value, const void *some)
{
    return hostlist_positions(value, some);
}

static void walk_hosts(union job_walk *walk, const void *value)
{
    hostlist_iter_init(&walk->hosts, value);
}

static uint64_t run(const union job_walk *walk)
{
    return hostlist_iter_run(&walk->hosts);
}

static void *take(union job_walk *walk, uint64_t n)
{
    return hostlist_iter_take(&walk->hosts, n);
}

static int write_json(const struct hostlist *hl, FILE *fp)
{
    char name[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;
    const char *between = "[\"";

    hostlist_iter_init(&it, hl);
    while (hostlist_iter_next(&it, name, sizeof(name)) >= 0) {
        fputs(between, fp);
        for (const char *p = name; *p; p++) {
            if (*p == '"' || *p == '\\')
                putc('\\', fp);
            putc(*p, fp);
        }
        between = "\",\"";
    }
    return fputs(*between == '[' ? "[]" : "\"]", fp) < 0 ? -1 : 0;
}

static int write_hosts(const struct idset_job *job, const void *value, FILE *fp,
                       struct diag *d)
{
    (void)d;
    if (job->list)
        return hostlist_write_names(value, job->between, job->between_len, fp);
    if (!job->folded)
        return write_json(value, fp);
    return job->hosts.multi ? hostlist_write_multi(value, fp)
                            : hostlist_write(value, fp);
}

const struct idset_kind kind_hosts = {
    .create = create,
    .destroy = destroy,
    .read = read_hosts,
    .settle = settle,
    .combine = {unite, exclude, intersect, exclusive},
    .count = count,
    .pick = pick,
    .sort = sort,
    .test = {equal, contains, within, overlaps},
    .positions = positions,
    .walk = walk_hosts,
    .run = run,
    .take = take,
    .write = write_hosts,
};
