#include "compare/changes.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void changes_fini(struct changes *c)
{
    for (size_t i = 0; i < c->n; i++)
        idset_destroy(c->list[i].ranks);
    free(c->list);
    map_fini(&c->index);
}

/* The change with that text, made if it is new. */
static struct change *change_at(struct changes *c, enum change_sign sign,
                                bool ranks, const char *text)
{
    struct map_slot *slot = NULL;
    char *key;

    if (asprintf(&key, "%d%d%s", sign, ranks, text) >= 0) {
        slot = map_at(&c->index, key, strlen(key));
        free(key);
    }
    if (!slot)
        return NULL;
    if (slot->value.number)
        return &c->list[slot->value.number - 1];
    if (c->n == c->size) {
        size_t size = c->size ? c->size * 2 : 16;
        struct change *list = realloc(c->list, size * sizeof(*list));
        if (!list)
            return NULL;
        c->list = list;
        c->size = size;
    }
    c->list[c->n++] = (struct change){.sign = sign, .text = slot->key + 2};
    slot->value.number = c->n;
    return &c->list[c->n - 1];
}

void changes_add(struct changes *c, enum change_sign sign, const char *fmt, ...)
{
    char *text;
    va_list ap;
    int len;

    va_start(ap, fmt);
    len = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (len < 0 || !change_at(c, sign, false, text))
        c->failed = true;
    if (len >= 0)
        free(text);
}

void changes_add_ranks(struct changes *c, enum change_sign sign,
                       const struct idset *ranks, const char *text)
{
    struct change *change = change_at(c, sign, true, text);

    if (change && !change->ranks)
        change->ranks = idset_create();
    if (!change || !change->ranks || idset_add_set(change->ranks, ranks) < 0)
        c->failed = true;
}

static int place(const struct change *c)
{
    return c->ranks ? 1 : c->text[0] == '/' ? 2 : 0;
}

static int compare_changes(const void *a, const void *b)
{
    const struct change *ca = a, *cb = b;
    uint32_t ra, rb;

    if (place(ca) != place(cb))
        return place(ca) - place(cb);
    ra = ca->ranks ? idset_first(ca->ranks) : 0;
    rb = cb->ranks ? idset_first(cb->ranks) : 0;
    if (ra != rb)
        return ra < rb ? -1 : 1;
    if (ca->sign != cb->sign)
        return (int)ca->sign - (int)cb->sign;
    return strcmp(ca->text, cb->text);
}

void changes_sort(struct changes *c)
{
    if (c->n)
        qsort(c->list, c->n, sizeof(*c->list), compare_changes);
}

static void print_ids(const char *word, const struct idset *ids, FILE *fp)
{
    bool many = idset_count(ids) > 1;

    fprintf(fp, "%s%s", word, many ? "[" : " ");
    idset_write(ids, fp);
    if (many)
        putc(']', fp);
}

static int print_hosts(const struct rset *rs, const struct idset *ranks,
                       FILE *fp)
{
    struct idset *at;
    struct hostlist *hosts;

    if (!rs->hosts)
        return 0;
    at = idset_positions(rs->ranks, ranks);
    hosts = at ? hostlist_pick(rs->hosts, at) : NULL;
    if (hosts && hostlist_count(hosts) > 0) {
        fputs(" (", fp);
        hostlist_write(hosts, fp);
        putc(')', fp);
    }
    idset_destroy(at);
    hostlist_destroy(hosts);
    return hosts ? 0 : -1;
}

int changes_print(const struct changes *c, const struct rset *a,
                  const struct rset *b, FILE *fp)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct change *change = &c->list[i];
        fprintf(fp, "%c ", "-!+"[change->sign]);
        if (change->ranks) {
            print_ids("rank", change->ranks, fp);
            if (print_hosts(change->sign == CHANGE_NEW ? b : a, change->ranks,
                            fp)
                < 0)
                return -1;
            fputs(*change->text ? ": " : "", fp);
        }
        fprintf(fp, "%s\n", change->text);
    }
    return 0;
}

/* --- parts --------------------------------------------------------------- */

void parts_fini(struct parts *p)
{
    for (size_t i = 0; i < p->n; i++)
        idset_destroy(p->list[i].ids);
    free(p->list);
    map_fini(&p->index);
    *p = (struct parts){0};
}

static struct part *part_at(struct parts *p, const char *prefix,
                            const char *stem)
{
    struct map_slot *slot = NULL;
    struct part *list;
    char *key;

    if (asprintf(&key, "%s%s", prefix, stem) >= 0) {
        slot = map_at(&p->index, key, strlen(key));
        free(key);
    }
    if (!slot)
        return NULL;
    if (slot->value.number)
        return &p->list[slot->value.number - 1];
    if (!(list = realloc(p->list, (p->n + 1) * sizeof(*list))))
        return NULL;
    p->list = list;
    list[p->n] = (struct part){.stem = slot->key, .ids = idset_create()};
    if (!list[p->n].ids)
        return NULL;
    slot->value.number = ++p->n;
    return &list[p->n - 1];
}

int parts_add(struct parts *p, const char *prefix, const struct vertex *v)
{
    struct part *part = part_at(p, prefix,
                                vertex_folds(v) ? v->basename : v->name);

    if (!part)
        return -1;
    if (v->run)
        return idset_add_set(part->ids, v->run);
    return vertex_folds(v)
               ? idset_add(part->ids, (uint32_t)v->id, (uint32_t)v->id)
               : 0;
}

void parts_print(const struct parts *p, FILE *fp)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct part *part = &p->list[i];
        bool many = idset_count(part->ids) > 1;
        fprintf(fp, "%s%s%s", i ? "," : "", part->stem, many ? "[" : "");
        idset_write(part->ids, fp);
        if (many)
            putc(']', fp);
    }
}
