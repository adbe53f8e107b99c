/* Numbers, as `idset` works with them. */
#include "kind.h"

static void *create(void)
{
    return idset_create();
}

static void destroy(void *value)
{
    idset_destroy(value);
}

static int read_ids(const struct idset_job *job, void *value, const char *text,
                    size_t len, size_t line, struct diag *d)
{
    struct idset_reader r = job->ids;

    r.line = line;
    r.many = line > 0;
    return idset_read(value, text, len, &r, d);
}

static void settle(void *value)
{
    idset_settle(value);
}

static void *unite(const void *a, const void *b)
{
    return idset_union(a, b);
}

static void *exclude(const void *a, const void *b)
{
    return idset_subtract(a, b);
}

static void *intersect(const void *a, const void *b)
{
    return idset_intersect(a, b);
}

static void *exclusive(const void *a, const void *b)
{
    return idset_xor(a, b);
}

static uint64_t count(const void *value)
{
    return idset_count(value);
}

static void *pick(const void *value, const struct idset *positions)
{
    return idset_pick(value, positions);
}

/* Sets of numbers are always in order and without repeats. */
static void *sort(const void *value, bool unique)
{
    (void)unique;
    return idset_copy(value);
}

static bool equal(const void *value, const void *other)
{
    return idset_equal(value, other);
}

static bool contains(const void *value, const void *other)
{
    return idset_subset(other, value);
}

static bool within(const void *value, const void *other)
{
    return idset_subset(value, other);
}

static bool overlaps(const void *value, const void *other)
{
    return idset_overlaps(value, other);
}

static struct idset *positions(const void *value, const void *some)
{
    return idset_positions(value, some);
}

static void walk_ids(union job_walk *walk, const void *value)
{
    idset_iter_init(&walk->ids, value);
}

static uint64_t run(const union job_walk *walk)
{
    return idset_iter_run(&walk->ids);
}

static void *take(union job_walk *walk, uint64_t n)
{
    return idset_iter_take(&walk->ids, n);
}

static int write_ids(const struct idset_job *job, const void *value, FILE *fp,
                     struct diag *d)
{
    bool brackets = job->brackets && idset_count(value) > 1;

    if (job->list)
        return idset_write_list(value, job->between, job->between_len, fp);
    if (brackets)
        putc('[', fp);
    if (idset_form_write(job->form, value, fp, d) < 0)
        return -1;
    if (brackets)
        putc(']', fp);
    return 0;
}

const struct idset_kind kind_ids = {
    .create = create,
    .destroy = destroy,
    .read = read_ids,
    .settle = settle,
    .combine = {unite, exclude, intersect, exclusive},
    .count = count,
    .pick = pick,
    .sort = sort,
    .test = {equal, contains, within, overlaps},
    .positions = positions,
    .walk = walk_ids,
    .run = run,
    .take = take,
    .write = write_ids,
};
