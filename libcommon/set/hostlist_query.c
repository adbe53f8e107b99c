/* Questions about a list: what is where. They go from run to run. */
#include "set/hostlist_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

uint64_t hostlist_count(const struct hostlist *hl)
{
    return hl->count;
}

static void skip(struct hostlist_iter *it, uint64_t n)
{
    it->next += n;
    if (it->next == run_count(&it->hl->run[it->run])) {
        it->run++;
        it->next = 0;
    }
}

static int give(const struct hostlist *hl, const struct host_run *r, uint64_t n,
                char *buf, size_t size)
{
    char name[HOSTLIST_NAME_MAX];
    size_t len = run_name(hl, r, n, name), room = size ? size - 1 : 0;

    if (size) {
        memcpy(buf, name, len < room ? len : room);
        buf[len < room ? len : room] = '\0';
    }
    return (int)len;
}

int hostlist_nth(const struct hostlist *hl, uint64_t n, char *buf, size_t size)
{
    const struct host_run *r;

    if (n >= hl->count)
        return -1;
    r = &hl->run[hostlist_seek(hl, n)];
    return give(hl, r, r->lo + (n - r->before), buf, size);
}

struct idset *hostlist_find(const struct hostlist *hl, const char *name)
{
    struct idset *out = idset_create();
    size_t len = strlen(name);
    uint64_t before = 0, number;

    for (size_t i = 0; i < hl->n; i++) {
        const struct host_run *r = &hl->run[i];
        uint32_t at = (uint32_t)before;

        if (run_has(hl, r, name, len, &number)) {
            at += (uint32_t)(number - r->lo);
            idset_add(out, at, at);
        }
        before += run_count(r);
    }
    return out;
}

/* The part of a run that lies at positions lo..hi counted from its start. */
static void push_part_of_run(struct hostlist *out, const struct hostlist *hl,
                             const struct host_run *r, uint64_t lo, uint64_t hi)
{
    struct host h = run_host(hl, r, r->lo + lo);

    hostlist_push(out, &h, hi - lo + 1);
}

/* The hosts at positions lo..hi, from run *i on; *i becomes the last one's. */
static void push_stretch(struct hostlist *out, const struct hostlist *hl,
                         size_t *i, struct idrange p)
{
    for (; *i < hl->n && hl->run[*i].before <= p.hi; ++*i) {
        const struct host_run *r = &hl->run[*i];
        uint64_t last = r->before + run_count(r) - 1;
        uint64_t lo = p.lo > r->before ? p.lo : r->before;
        uint64_t hi = p.hi < last ? p.hi : last;

        push_part_of_run(out, hl, r, lo - r->before, hi - r->before);
        if (p.hi <= last)
            break;
    }
}

struct hostlist *hostlist_pick(const struct hostlist *hl,
                               const struct idset *positions)
{
    struct hostlist *out = hostlist_create();
    size_t i = 0, n = idset_nranges(positions);

    for (size_t j = 0; j < n; j++) {
        struct idrange p = idset_range(positions, j);

        if (i < hl->n && hl->run[i].before + run_count(&hl->run[i]) <= p.lo)
            i = hostlist_seek(hl, p.lo);
        push_stretch(out, hl, &i, p);
    }
    return out;
}

void hostlist_iter_init(struct hostlist_iter *it, const struct hostlist *hl)
{
    *it = (struct hostlist_iter){.hl = hl};
}

int hostlist_iter_next(struct hostlist_iter *it, char *buf, size_t size)
{
    const struct hostlist *hl = it->hl;
    const struct host_run *r;
    uint64_t n;

    if (it->run >= hl->n)
        return -1;
    r = &hl->run[it->run];
    n = r->lo + it->next;
    skip(it, 1);
    return give(hl, r, n, buf, size);
}

uint64_t hostlist_iter_run(const struct hostlist_iter *it)
{
    return it->run < it->hl->n ? run_count(&it->hl->run[it->run]) - it->next
                               : 0;
}

struct hostlist *hostlist_iter_take(struct hostlist_iter *it, uint64_t n)
{
    struct hostlist *out = hostlist_create();
    uint64_t left;

    while (n > 0 && (left = hostlist_iter_run(it)) > 0) {
        const struct host_run *r = &it->hl->run[it->run];
        uint64_t part = n < left ? n : left;

        push_part_of_run(out, it->hl, r, it->next, it->next + part - 1);
        skip(it, part);
        n -= part;
    }
    return out;
}

bool host_but_for_domain(const char *a, const char *b)
{
    size_t len = strcspn(a, ".");

    return strcspn(b, ".") == len && !strncmp(a, b, len)
           && (a[len] == '\0' || b[len] == '\0');
}

char *hostlist_hint(const struct hostlist *there,
                    const struct hostlist *lacking)
{
    char name[HOSTLIST_NAME_MAX], other[HOSTLIST_NAME_MAX], *text = NULL;
    struct hostlist_iter it;

    hostlist_iter_init(&it, there);
    if (hostlist_nth(lacking, 0, name, sizeof(name)) >= 0)
        while (!text && hostlist_iter_next(&it, other, sizeof(other)) >= 0)
            if (host_but_for_domain(name, other))
                xasprintf(&text, "; there is %s", other);
    return text ? text : xstrdup("");
}
