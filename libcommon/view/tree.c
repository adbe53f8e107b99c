/* Folds pools (fold.h) and prints a line for each fold: -o tree. */
#include "view/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/show.h"
#include "model/records/jobs.h"
#include "model/records/lots.h"
#include "model/records/tags.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "view/holders.h"

/* If more lines than this would follow the first of several similar pools, they
   are summed up. */
enum { LINES_MAX = 40, FEW_MAX = 200 };

void folds_destroy(struct fold *list)
{
    for (struct fold *next; list; list = next) {
        next = list->next;
        if (!list->borrowed)
            folds_destroy(list->child);
        idset_destroy(list->ids);
        hostlist_destroy(list->hosts);
        free(list->note);
        free(list);
    }
}

/* --- the text of a pool -------------------------------------------------- */

static void append_name(FILE *fp, const char *before, const char *name)
{
    fputs(before, fp);
    show(fp, name);
}

/* Write tags with their values, except that of the state. */
static void print_tags(const struct vertex *v, enum pool_state state, FILE *fp)
{
    const char *key, *of_state = "";
    json_t *tags, *value;

    if (!vertex_has_tags(v))
        return;
    vertex_state_tag(v, state, &of_state);
    tags = tags_of(v);
    json_object_foreach (tags, key, value) {
        if (!strcmp(key, of_state))
            continue;
        append_name(fp, "  #", key);
        if (json_is_string(value))
            append_name(fp, "=", json_string_value(value));
        else if (!json_is_null(value))
            append_name(fp, "=", json_quote(value).text);
    }
    json_decref(tags);
}

static void print_records(struct usage *u, struct lot *lot, double now,
                          FILE *fp)
{
    const struct job *staged = lot_staged(lot);
    struct job_list sharers = lot_sharers(u, lot);

    for (const struct grant *g = lot->grants; g; g = g->beside) {
        if (g->term->kind != GRANT_CLAIM)
            continue;
        append_name(fp,
                    term_is_ahead(g->term, now) || grant_awaits(u, g, now)
                        ? "  reserved for "
                        : "  held by ",
                    g->term->job->name);
        if (lot->v->size != 1)
            fprintf(fp, " (%lld)", (long long)g->units);
    }
    if (sharers.n > 0) {
        fputs("  shared by ", fp);
        job_list_print(&sharers, SIZE_MAX, fp);
    }
    free(sharers.list);
    if (staged)
        append_name(fp, "  staged for ", staged->name);
}

/* Return the rest of a pool's line, behind its name: a new string. */
static char *render_note(struct settled s, const struct vertex *v, double now)
{
    struct lot *lot = settled_lot(s, v);
    const struct properties *list = v->properties;
    enum pool_state state = lot_state(lot);
    char *text;
    FILE *fp = memory_open(&text, NULL);

    if (v->size != 1 || *v->unit) {
        fprintf(fp, "  %lld", (long long)v->size);
        append_name(fp, *v->unit ? " " : "", v->unit);
    }
    if (!vertex_is_target(v)
        && (strcmp(v->type, v->basename) != 0
            || (v->name && strncmp(v->name, v->type, strlen(v->type)) != 0)))
        append_name(fp, "  ", v->type); /* the name does not say it */
    if (v->above) {
        append_name(fp, "  in ", v->home);
        append_name(fp, ":", v->above);
    }
    for (unsigned i = 0; list && i < list->count; i++) {
        append_name(fp, i ? "," : "  {", list->list[i].key);
        append_name(fp, *list->list[i].value ? "=" : "", list->list[i].value);
    }
    if (list && list->count)
        putc('}', fp);
    print_tags(v, state, fp);
    if (state != STATE_UP) {
        char *with_reason = vertex_state_text(v, state);
        append_name(fp, "  ", with_reason);
        free(with_reason);
    }
    if (v->exclusive)
        fputs("  exclusive", fp);
    if (lot)
        print_records(s.rs->usage, lot, now, fp);
    return memory_take(fp, &text, true);
}

/* --- lines --------------------------------------------------------------- */

/* Is a pool folded by number? It is if it has an id and the usual name, or is a
   target. Other pools are folded by name. */
static bool folds(const struct vertex *v)
{
    return vertex_is_target(v) || vertex_folds(v);
}

void fold_name(const struct fold *f, FILE *fp)
{
    if (f->hosts && hostlist_count(f->hosts) > 0) {
        hostlist_write(f->hosts, fp);
    } else if (f->hosts) {
        show(fp, f->v->type);
    } else if (folds(f->v)) {
        show(fp, f->v->basename);
        idset_write_members(f->ids, fp);
    } else {
        show(fp, f->v->name);
    }
}

/* Units of a type in each pool, and how many of them are not up. */
struct sum {
    const char *type, *unit;
    uint64_t units, out;
};
struct sums {
    struct sum *list;
    size_t n;
};

static void add_to_sums(struct sums *sums, const struct fold *f, uint64_t times)
{
    for (; f; f = f->next) {
        uint64_t count = times * f->count, units = count * (uint64_t)f->v->size;
        struct sum *sum;
        size_t i = VECTOR_FIND(k, sums->n,
                               !strcmp(sums->list[k].type, f->v->type)
                                   && !strcmp(sums->list[k].unit, f->v->unit));
        if (i == sums->n)
            VECTOR_ADD(sums->list, sums->n,
                       (struct sum){.type = f->v->type, .unit = f->v->unit});
        sum = &sums->list[i];
        sum->units += units;
        sum->out += f->out ? units : 0;
        add_to_sums(sums, f->child, count);
    }
}

static void write_sums(const struct fold *f, bool out, FILE *fp)
{
    struct sums sums = {0};

    add_to_sums(&sums, f->child, 1);
    for (size_t i = 0; i < sums.n; i++) {
        const struct sum *sum = &sums.list[i];
        fprintf(fp, "%s%llu ", i ? ", " : "", (unsigned long long)sum->units);
        append_name(fp, sum->unit, *sum->unit ? " " : "");
        show(fp, sum->type);
        if (sum->out && out)
            fprintf(fp, " (%llu not up)", (unsigned long long)sum->out);
    }
    free(sums.list);
}

void fold_sum(const struct fold *f, FILE *fp)
{
    write_sums(f, !f->mixed, fp);
}

/* Print a fold and its children; with counts and types in place of names if not
   `named`. */
static void print_fold(const struct fold *f, unsigned depth, bool named,
                       FILE *fp)
{
    fprintf(fp, "%*s", (int)(2 * depth), "");
    if (named)
        fold_name(f, fp);
    else
        fprintf(fp, "%llu %s", (unsigned long long)f->count, f->v->type);
    if (f->summed) {
        fputs(": ", fp);
        fold_sum(f, fp);
    }
    if (named && f->hosts) {
        fputs("  rank", fp);
        idset_write_members(f->ids, fp);
    }
    fputs(f->note, fp);
    putc('\n', fp);
    for (const struct fold *c = f->child; c && !f->summed; c = c->next)
        print_fold(c, depth + 1, named, fp);
}

/* --- folding ------------------------------------------------------------- */

/* The folds of the pools under one parent. */
struct folder {
    struct settled s; /* the set */
    const struct view *view;
    struct fold *first, **end;
    struct map known; /* from the text without numbers to the fold */
};

static size_t count_lines(const struct fold *list)
{
    size_t n = 0;

    for (; list; list = list->next)
        n += 1 + (list->summed ? 0 : list->below);
    return n;
}

/* Add a fold with a note and children. */
static struct fold *append(struct folder *to, const struct vertex *v,
                           char *note, struct fold *child)
{
    struct fold *f = xcalloc(1, sizeof(*f));

    f->v = v;
    f->note = note;
    f->child = child;
    f->below = count_lines(child);
    f->out = vertex_state(to->s, v) != STATE_UP;
    f->ids = idset_create();
    f->hosts = vertex_is_target(v) ? hostlist_create() : NULL;
    *to->end = f;
    to->end = &f->next;
    return f;
}

/* Let a fold also stand for these members of the run v, or for the pool v. */
static void add_members(const struct rset *rs, struct fold *f,
                        const struct vertex *v, const struct idset *members)
{
    int64_t number = vertex_is_target(v) ? v->rank : v->id;

    f->count += members ? idset_count(members) : 1;
    if (members)
        idset_add_set(f->ids, members);
    else if (folds(v))
        idset_add(f->ids, (uint32_t)number, (uint32_t)number);
    if (!f->hosts)
        return;
    if (!members) {
        hostlist_append(f->hosts, v->name);
    } else if (rs->hosts) {
        struct hostlist *hosts = rset_hosts_at(rs, members);
        hostlist_append_list(f->hosts, hosts);
        hostlist_destroy(hosts);
    }
}

static struct fold *fold_below(struct settled s, const struct vertex *v,
                               const struct view *view);

/* Add a pool or run to the fold with the same text except for the number. */
static void add_pools(struct folder *to, const struct vertex *v)
{
    struct fold *child = fold_below(to->s, v, to->view);
    char *note = render_note(to->s, v, to->view->now), *key;
    const char *stem = vertex_is_target(v) ? v->type
                       : folds(v)          ? v->basename
                                           : v->name;
    struct map_slot *slot;
    size_t len;
    FILE *fp = memory_open(&key, &len);

    fprintf(fp, "%d%d%s\n%s\n", vertex_is_target(v), folds(v), stem, note);
    for (const struct fold *c = child; c; c = c->next)
        print_fold(c, 0, true, fp);
    memory_close(fp);
    slot = map_at(&to->known, key, len);
    free(key);
    if (slot->value.pointer) {
        folds_destroy(child);
        free(note);
    } else {
        slot->value.pointer = append(to, v, note, child);
    }
    add_members(to->s.rs, slot->value.pointer, v, v->run);
}

/* Add a fold for each member of a span. They share their children. */
static void add_each(struct folder *to, const struct span *span)
{
    const struct vertex *v = span->v;
    struct fold *child = fold_below(to->s, v, to->view);

    for (uint64_t n = span->lo; n <= span->hi; n++) {
        struct idset *member = v->run ? idset_create_range((uint32_t)n,
                                                           (uint32_t)n)
                                      : NULL;
        struct fold *f = append(to, v, render_note(to->s, v, to->view->now),
                                child);
        f->borrowed = n > span->lo;
        add_members(to->s.rs, f, v, member);
        idset_destroy(member);
    }
}

/* Return the first fold that equals f except for names and ids; `bare`: and for
   states, records and the details of its contents. */
static struct fold *find_like(struct map *known, struct fold *f, bool bare)
{
    struct map_slot *slot;
    char *key;
    size_t len;
    FILE *fp = memory_open(&key, &len);

    fprintf(fp, "%d%s\n%s\n", f->hosts != NULL, f->v->basename,
            bare ? "" : f->note);
    if (bare)
        write_sums(f, false, fp);
    for (const struct fold *c = f->child; c && !bare; c = c->next)
        print_fold(c, 0, false, fp);
    memory_close(fp);
    slot = map_at(known, key, len);
    free(key);
    if (!slot->value.pointer)
        slot->value.pointer = f;
    return slot->value.pointer;
}

/* If the list has more than `most` lines, join the folds that differ only in
   names, or (`bare`) that are alike for find_like(). */
static void sum_up(const struct rset *rs, struct fold *list, size_t most,
                   bool bare)
{
    struct map known = {0};

    if (count_lines(list) > most) {
        for (struct fold *f = list; f; f = f->next) {
            f->lines = 0;
            f->like = folds(f->v) ? find_like(&known, f, bare) : f;
            f->like->lines += f->below + (f->like != f);
        }
        for (struct fold **at = &list, *f; (f = *at);) {
            bool many = f->like->lines > most;
            if (!many || f->like == f) {
                f->summed |= many && f->count > 1;
                at = &f->next;
            } else {
                struct fold *to = f->like;
                to->count += f->count;
                to->summed = true;
                to->mixed |= bare;
                if (bare)
                    *to->note = '\0';
                idset_add_set(to->ids, f->ids);
                *at = f->next;
                f->next = NULL;
                folds_destroy(f);
            }
        }
    }
    for (struct fold *f = list; f; f = f->next)
        if (f->summed && f->hosts && rs->hosts) { /* those of all ranks */
            hostlist_destroy(f->hosts);
            f->hosts = rset_hosts_at(rs, f->ids);
        }
    map_fini(&known);
}

/* --- the order ------------------------------------------------------------ */

/* Count the free cores in each pool of a fold, or, of a pool without contents,
   its free units. */
static int64_t free_in(struct usage *u, const struct fold *f)
{
    struct lot *lot = pool_lot(u, f->v);

    return f->child       ? pool_free(u, lot, usage_type_named(u, "core"))
           : lot->blocked ? 0 /* held whole, not up or staged */
                          : lot_free(lot);
}

static int64_t number_of(const struct folder *in, const struct fold *f)
{
    return in->view->order == ORDER_SIZE ? f->v->size
           : in->view->order == ORDER_FREE
               ? free_in(in->s.rs->usage, f)
               : (idset_empty(f->ids) ? f->v->id : idset_first(f->ids));
}

static const char *first_name(const struct folder *in, const struct fold *f,
                              char buf[VERTEX_NAME_MAX])
{
    return vertex_name(in->s.rs, f->v, f->v->run ? idset_first(f->ids) : 0,
                       buf);
}

static int compare_folds(const void *a, const void *b, void *arg)
{
    const struct fold *x = *(struct fold *const *)a,
                      *y = *(struct fold *const *)b;
    const struct folder *in = arg;
    char of_x[VERTEX_NAME_MAX], of_y[VERTEX_NAME_MAX];
    int by;

    if (in->view->order == ORDER_NAME) {
        by = strverscmp(first_name(in, x, of_x), first_name(in, y, of_y));
    } else {
        int64_t nx = number_of(in, x), ny = number_of(in, y);
        by = COMPARE(nx, ny);
    }
    return in->view->descending ? -by : by;
}

/* Sort the folds. Equal ones keep their order. */
static void sort_folds(struct folder *in)
{
    struct fold **all = NULL, **end = &in->first;
    size_t n = 0;

    for (struct fold *list = in->first; list; list = list->next)
        VECTOR_ADD(all, n, list);
    if (n)
        qsort_r(all, n, sizeof(struct fold *), compare_folds, in);
    for (size_t i = 0; i < n; i++) {
        *end = all[i];
        end = &all[i]->next;
    }
    *end = NULL;
    free(all);
}

/* --- the whole ----------------------------------------------------------- */

static struct fold *fold_below(struct settled s, const struct vertex *v,
                               const struct view *view)
{
    struct folder to = {.s = s, .view = view, .end = &to.first};
    struct span *spans = NULL;
    size_t n = view->expand ? vertex_spans(v, &spans) : 0;

    for (size_t i = 0; i < n; i++)
        add_each(&to, &spans[i]);
    if (!view->expand)
        for (const struct vertex *c = v->child; c; c = c->next)
            add_pools(&to, c);
    map_fini(&to.known);
    if (!view->expand)
        sum_up(s.rs, to.first, LINES_MAX, false);
    if (view->few)
        sum_up(s.rs, to.first, FEW_MAX, true);
    if (view->order != ORDER_OF_SET)
        sort_folds(&to);
    free(spans);
    return to.first;
}

struct fold *folds_create(struct rset *rs, const struct view *view)
{
    struct vertex root = {.child = rs->root}, loose = {.child = rs->loose};
    struct fold *list, **end = &list;
    struct settled s;

    if (rs->usage)
        usage_lapse(rs->usage, view->now);
    s = usage_settle(rs);
    if (view->order == ORDER_FREE)
        usage_now(rs, view->now);
    list = fold_below(s, &root, view);
    while (*end)
        end = &(*end)->next;
    *end = fold_below(s, &loose, view);
    return list;
}

void view_tree(struct rset *rs, const struct view *view, FILE *fp)
{
    struct fold *list = folds_create(rs, view);

    for (const struct fold *f = list; f; f = f->next)
        print_fold(f, 0, true, fp);
    folds_destroy(list);
}
