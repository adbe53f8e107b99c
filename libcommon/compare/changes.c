/* Collects, sorts and prints changes (changes.h). */
#include "compare/changes.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/show.h"

void changes_fini(struct changes *c)
{
    for (size_t i = 0; i < c->n; i++) {
        idset_destroy(c->list[i].ranks);
        idset_destroy(c->list[i].shown);
        idset_destroy(c->list[i].ids);
        free(c->list[i].made);
        json_decref(c->list[i].data);
    }
    free(c->list);
    free(c->old);
    map_fini(&c->index);
}

enum about { ALL, RANKS, POOLS };

/* Return the change with this text; make it if it is new. */
static struct change *change_at(struct changes *c, enum change_sign sign,
                                enum about about, const char *text)
{
    char *key;
    int len = xasprintf(&key, "%d%d%s", sign, about, text);
    size_t i = map_number(&c->index, key, (size_t)len);

    free(key);
    if (i == c->n)
        VECTOR_ADD(
            c->list, c->n,
            (struct change){.sign = sign, .text = c->index.slots[i].key + 2});
    return &c->list[i];
}

struct change *changes_add(struct changes *c, enum change_sign sign,
                           const char *fmt, ...)
{
    struct change *change;
    char *text;
    va_list ap;

    va_start(ap, fmt);
    xvasprintf(&text, fmt, ap);
    va_end(ap);
    change = change_at(c, sign, ALL, text);
    free(text);
    return change;
}

void changes_add_ranks(struct changes *c, enum change_sign sign,
                       const struct idset *ranks, const char *text)
{
    struct change *change = change_at(c, sign, RANKS, text);

    if (!change->ranks)
        change->ranks = idset_create();
    idset_add_set(change->ranks, ranks);
}

static void add_ids(struct idset *ids, const struct vertex *v)
{
    if (v->run)
        idset_add_set(ids, v->run);
    else if (vertex_folds(v))
        idset_add(ids, (uint32_t)v->id, (uint32_t)v->id);
}

/* The text is a length, a text of this length, and the rest. Ids are inserted
   before the rest. */
void changes_add_pool(struct changes *c, enum change_sign sign,
                      const char *before, const struct vertex *v,
                      const char *after)
{
    char *up = v->parent ? vertex_path(v->parent)
                         : xstrdup(v->above ? v->above : "");
    const char *name = vertex_folds(v) ? v->basename : v->name;
    size_t len = strlen(before) + strlen(up) + 1 + strlen(name);
    struct change *change;
    char *text;

    xasprintf(&text, "%zu %s%s/%s%s%s", len, before, up, name,
              *after ? ": " : "", after);
    change = change_at(c, sign, POOLS, text);
    if (!change->ids)
        change->ids = idset_create();
    add_ids(change->ids, v);
    free(text);
    free(up);
}

static int place(const struct change *c)
{
    return c->ranks ? 1 : c->text[0] == '/' ? 2 : 0;
}

static int compare_changes(const void *a, const void *b)
{
    const struct change *ca = a, *cb = b;
    int c = place(ca) - place(cb);

    if (c == 0 && ca->ranks)
        c = COMPARE(idset_first(ca->shown), idset_first(cb->shown));
    if (c == 0)
        c = (int)ca->sign - (int)cb->sign;
    return c ? c : strcmp(ca->text, cb->text);
}

/* Return the number of ranks before each range of ranks of a set, to find the
   hosts of many changes: a new array. */
static uint32_t *count_before(const struct rset *rs)
{
    size_t n = rs->ranks ? idset_nranges(rs->ranks) : 0;
    uint32_t *before = xmalloc(n * sizeof(*before)), sum = 0;

    for (size_t i = 0; i < n; i++) {
        struct idrange r = idset_range(rs->ranks, i);
        before[i] = sum;
        sum += r.hi - r.lo + 1;
    }
    return before;
}

/* Return the hosts of ranks as text, NULL if they are not known. `before` is
   count_before() of the set. */
static char *find_hosts(const struct rset *rs, const uint32_t *before,
                        const struct idset *ranks)
{
    const struct idrange *runs;
    size_t n;
    struct idset *at;
    struct hostlist *hosts;
    char *text = NULL;

    if (!rs->hosts)
        return NULL;
    /* Like idset_positions(), but fast for many queries on a set with many
       ranges. */
    runs = idset_ranges(rs->ranks);
    n = idset_nranges(rs->ranks);
    at = idset_create();
    for (size_t i = 0; i < idset_nranges(ranks); i++) {
        struct idrange r = idset_range(ranks, i);

        for (size_t k = idset_seek(rs->ranks, r.lo);
             k < n && runs[k].lo <= r.hi; k++) {
            uint32_t lo = r.lo > runs[k].lo ? r.lo : runs[k].lo;
            uint32_t hi = r.hi < runs[k].hi ? r.hi : runs[k].hi;
            idset_add(at, before[k] + (lo - runs[k].lo),
                      before[k] + (hi - runs[k].lo));
        }
    }
    hosts = hostlist_pick(rs->hosts, at);
    if (hostlist_count(hosts) > 0)
        text = hostlist_encode(hosts);
    idset_destroy(at);
    hostlist_destroy(hosts);
    return text;
}

void changes_sort(struct changes *c, const struct rset *a, const struct rset *b)
{
    for (size_t i = 0; i < c->n; i++) {
        struct change *change = &c->list[i];

        if (change->ids) { /* insert them into the text */
            char *stem, *ids;
            size_t len = strtoul(change->text, &stem, 10);
            FILE *fp = memory_open(&ids, NULL);

            idset_write_members(change->ids, fp);
            memory_close(fp);
            stem++;
            xasprintf(&change->made, "%.*s%s%s", (int)len, stem, ids,
                      stem + len);
            change->text = change->made;
            free(ids);
        }
        if (!change->ranks)
            continue;
        if (change->sign != CHANGE_NEW || !c->old) {
            change->shown = idset_copy(change->ranks);
            continue;
        }
        /* Show a host that both sets have by its rank in a, other hosts by
           their former rank in b. */
        change->shown = idset_create();
        for (uint32_t rank = idset_first(change->ranks); rank != IDSET_INVALID;
             rank = idset_next(change->ranks, rank)) {
            uint32_t was = idset_contains(a->ranks, rank)
                               ? rank
                               : c->old[idset_position(b->ranks, rank)];
            idset_add(change->shown, was, was);
        }
    }
    VECTOR_SORT(c->list, c->n, compare_changes);
}

char *ranks_text(const struct idset *ranks)
{
    char *ids = idset_encode(ranks), *text;

    xasprintf(&text, idset_count(ranks) > 1 ? "rank[%s]" : "rank %s", ids);
    free(ids);
    return text;
}

void changes_print(const struct changes *c, const struct rset *a,
                   const struct rset *b, bool json, const char *const *colours,
                   FILE *fp)
{
    static const char *const words[] = {"gone", "altered", "new"};
    uint32_t *in_a = count_before(a), *in_b = count_before(b);

    if (json)
        fprintf(fp, "{\"same\":%s,\"changes\":[", c->n ? "false" : "true");
    for (size_t i = 0; i < c->n; i++) {
        const struct change *change = &c->list[i];
        bool new = change->sign == CHANGE_NEW;
        char *ranks = NULL, *hosts = NULL;
        const char *key;
        json_t *value;
        if (change->ranks) {
            ranks = idset_encode(change->shown);
            hosts = find_hosts(new ? b : a, new ? in_b : in_a, change->ranks);
        }
        if (json) {
            fprintf(fp, "%s{\"change\":\"%s\"", i ? "," : "",
                    words[change->sign]);
            json_write_field(fp, "ranks", ranks);
            json_write_field(fp, "hosts", hosts);
            json_object_foreach (change->data, key, value)
                json_write_member(fp, ",", key, value);
            json_write_field(fp, "what", change->text);
            putc('}', fp);
        } else {
            fprintf(fp, "%s%c ", colours ? colours[change->sign] : "",
                    "-!+"[change->sign]);
            if (ranks)
                fprintf(fp,
                        idset_count(change->ranks) > 1 ? "rank[%s]" : "rank %s",
                        ranks);
            if (hosts)
                fprintf(fp, " (%s)", hosts);
            if (ranks && *change->text)
                fputs(": ", fp);
            show_text(fp, change->text);
            fputs(colours ? "\033[m\n" : "\n", fp);
        }
        free(ranks);
        free(hosts);
    }
    if (json)
        fputs("]}\n", fp);
    free(in_a);
    free(in_b);
}

void changes_put_ranks(json_t *object, const struct rset *rs,
                       const struct idset *ranks)
{
    char *text = idset_encode(ranks);

    json_object_set_new(object, "ranks", json_string(text));
    free(text);
    if (!rs->hosts)
        return;
    text = rset_hosts_text(rs, ranks);
    json_object_set_new(object, "hosts", json_string(text));
    free(text);
}

void changes_sum(const struct changes *c, bool json, FILE *fp)
{
    struct idset *ranks = idset_create();
    unsigned long long count;
    size_t n[3] = {0};

    for (size_t i = 0; i < c->n; i++) {
        n[c->list[i].sign]++;
        if (c->list[i].ranks)
            idset_add_set(ranks, c->list[i].ranks);
    }
    count = idset_count(ranks);
    idset_destroy(ranks);
    if (json)
        fprintf(fp,
                "{\"same\":%s,\"changes\":%zu,\"gone\":%zu,\"altered\":%zu,"
                "\"new\":%zu,\"ranks\":%llu}\n",
                c->n ? "false" : "true", c->n, n[CHANGE_GONE],
                n[CHANGE_ALTERED], n[CHANGE_NEW], count);
    else if (c->n)
        fprintf(fp, "%zu change%s: %zu gone, %zu altered, %zu new", c->n,
                c->n == 1 ? "" : "s", n[CHANGE_GONE], n[CHANGE_ALTERED],
                n[CHANGE_NEW]);
    if (!json && count)
        fprintf(fp, "; on %llu rank%s", count, count == 1 ? "" : "s");
    if (!json)
        fputs(c->n ? "\n" : "no change\n", fp);
}

/* --- folded pools --------------------------------------------------------- */

void folded_fini(struct map *pools)
{
    for (size_t i = 0; i < pools->count; i++)
        idset_destroy(pools->slots[i].value.pointer);
    map_fini(pools);
}

void folded_add(struct map *pools, const char *prefix, const struct vertex *v)
{
    struct map_slot *slot;
    char *stem;
    int len = xasprintf(&stem, "%s%s", prefix,
                        vertex_folds(v) ? v->basename : v->name);

    slot = map_at(pools, stem, (size_t)len);
    free(stem);
    if (!slot->value.pointer)
        slot->value.pointer = idset_create();
    add_ids(slot->value.pointer, v);
}

char *folded_text(const struct map *pools, const char *after)
{
    char *text = NULL;
    FILE *fp = memory_open(&text, NULL);

    for (size_t i = 0; i < pools->count; i++) {
        fprintf(fp, "%s%s", i ? "," : "", pools->slots[i].key);
        idset_write_members(pools->slots[i].value.pointer, fp);
    }
    if (pools->count > 0 && *after)
        fputs(": ", fp);
    fputs(after, fp);
    return memory_take(fp, &text, true);
}
