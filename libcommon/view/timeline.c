/*
 * Makes timelines (timeline.h). Each term in which a job has a claim is a bar.
 * A walk over the lots of the set finds the bars of each node. All bars
 * together determine the first and last time shown.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/time.h"
#include "model/records/lots.h"
#include "model/records/usage.h"
#include "view/holders.h"
#include "view/timeline_private.h"

enum { TIMELINE_MOST = 64 };

struct timeline_walk {
    struct usage *u;
    struct timeline *t;
    enum timeline_rows kind;
    struct map bar_of; /* bar_key to index of the bar */
    struct map row_of; /* state and bars to index of the row, from 1 */
};

/* --- bars --------------------------------------------------------------- */

static int compare_bars(const void *a, const void *b)
{
    const struct term *x = ((const struct bar *)a)->term,
                      *y = ((const struct bar *)b)->term;
    int order = COMPARE(x->start, y->start);

    order = order ? order : job_compare(x->job->name, y->job->name);
    return order ? order : COMPARE(x->end, y->end);
}

/* The key of a bar: terms that differ in nothing else share one bar. */
struct bar_key {
    const struct job *job;
    double start, end;
};

static struct map_slot *bar_slot(struct timeline_walk *w, const struct term *t)
{
    const struct bar_key key = {t->job, t->start, t->end};

    return map_at(&w->bar_of, &key, sizeof(key));
}

static void find_bars(struct timeline_walk *w)
{
    struct timeline *t = w->t;

    for (const struct job *job = usage_jobs(w->u); job; job = job->next)
        for (const struct term *term = job->terms; term; term = term->next)
            if (term->kind == GRANT_CLAIM && !bar_slot(w, term)->value.number++)
                VECTOR_ADD(
                    t->bars, t->nbars,
                    (struct bar){.term = term,
                                 .hosts = hostlist_create(),
                                 .paint = palette_of(t->palette, job->name)});
    VECTOR_SORT(t->bars, t->nbars, compare_bars);
    for (size_t i = 0; i < t->nbars; i++)
        bar_slot(w, t->bars[i].term)->value.number = i;
}

/* --- rows --------------------------------------------------------------- */

static void add_bars(struct timeline_walk *w, struct idset *bars,
                     const struct lot *lot, bool whole)
{
    for (const struct grant *g = lot->grants; g; g = g->beside)
        if (whole ? grant_is_whole(g) : g->term->kind == GRANT_CLAIM) {
            uint32_t bar = (uint32_t)bar_slot(w, g->term)->value.number;
            idset_add(bars, bar, bar);
        }
}

static struct timeline_row *add_row(struct timeline *t,
                                    const struct timeline_row *like)
{
    VECTOR_GROW(t->rows, t->nrows);
    t->rows[t->nrows] = (struct timeline_row){.state = like->state,
                                              .bars = idset_copy(like->bars)};
    return &t->rows[t->nrows++];
}

/* Return the row for nodes with these bars and this state. Makes a new row if
   there is none, or if rows are not folded. */
static struct timeline_row *row_like(struct timeline_walk *w,
                                     const struct timeline_row *like)
{
    struct timeline_row *row;

    if (w->kind == TIMELINE_FOLDED) {
        char *bars = idset_encode(like->bars), *key;
        struct map_slot *slot;
        xasprintf(&key, "%s %s", like->state ? like->state : "", bars);
        slot = map_at(&w->row_of, key, strlen(key));
        free(key);
        free(bars);
        if (slot->value.number)
            return &w->t->rows[slot->value.number - 1];
        slot->value.number = w->t->nrows + 1;
    }
    row = add_row(w->t, like);
    row->hosts = hostlist_create();
    return row;
}

/* Add the rows of a lot of nodes, or of pools that contain no nodes, with the
   bars of everything in it and of the pools that contain it. A pool other than
   a node has a row only if it has a bar. */
static void add_place(struct timeline_walk *w, struct lot *lot)
{
    struct timeline *t = w->t;
    struct holders h = holders_of(w->u, lot);
    struct timeline_row like = {.state = h.out ? holders_word(&h) : NULL,
                                .bars = idset_create()};
    bool node = type_is_node(lot->v->type), any;
    char buf[VERTEX_NAME_MAX];

    holders_fini(&h);
    for (struct lot *in = lot; in; in = lot_next_in(w->u, lot, in)) {
        lot_load(w->u, in);
        add_bars(w, like.bars, in, false);
    }
    for (const struct lot *up = lot->parent; up; up = up->parent)
        add_bars(w, like.bars, up, true);
    any = !idset_empty(like.bars);

    for (uint32_t i = 0; i < lot->n; i++) {
        const char *name = vertex_name(usage_rset(w->u), lot->v, lot->at + i,
                                       buf);
        struct timeline_row *row = NULL;
        if (w->kind != TIMELINE_JOBS && node)
            row = row_like(w, &like);
        else if (w->kind != TIMELINE_JOBS && any)
            add_row(t, &like)->label = xstrdup(name);
        if (row && hostlist_append(row->hosts, name) < 0 && !row->label)
            row->label = xstrdup(name); /* a hostlist can't hold the name */
        for (uint32_t k = idset_first(like.bars); k != IDSET_INVALID;
             k = idset_next(like.bars, k)) {
            t->bars[k].met = true;
            if (node)
                hostlist_append(t->bars[k].hosts, name);
        }
    }
    idset_destroy(like.bars);
}

/* Add a row for each job, in the order of their starts. */
static void add_job_rows(struct timeline *t)
{
    struct map row_of = {0};

    for (uint32_t i = 0; i < t->nbars; i++) {
        const char *job = t->bars[i].term->job->name;
        size_t row;
        if (!t->bars[i].met)
            continue;
        row = map_number(&row_of, job, strlen(job));
        if (row == t->nrows) {
            char *label, *hosts = hostlist_encode(t->bars[i].hosts);
            xasprintf(&label, "%s%s%s", job, *hosts ? " " : "", hosts);
            free(hosts);
            VECTOR_ADD(
                t->rows, t->nrows,
                (struct timeline_row){.label = label, .bars = idset_create()});
        }
        idset_add(t->rows[row].bars, i, i);
    }
    map_fini(&row_of);
}

static void label_rows(struct timeline *t)
{
    for (size_t i = 0; i < t->nrows; i++) {
        struct timeline_row *row = &t->rows[i];
        char *name = row->label;
        if (row->hosts && hostlist_count(row->hosts)) {
            free(name);
            name = hostlist_encode(row->hosts);
        }
        row->label = name;
        if (!row->state)
            continue;
        xasprintf(&row->label, "%s %s", name, row->state);
        free(name);
    }
}

/* --- times -------------------------------------------------------------- */

/*
 * Set the limits of the timeline. It spans from the first start to the last end
 * and includes now. The part before now is not longer than the part after it,
 * unless nothing comes after now. Bars without an end get some room. A job that
 * has ended but was not released counts as held until now.
 */
static void set_times(struct timeline *t)
{
    bool open = false;
    double ahead;

    t->from = t->to = t->now;
    for (size_t i = 0; i < t->nbars; i++) {
        const struct term *term = t->bars[i].term;
        if (!t->bars[i].met)
            continue;
        open |= term->end < 0;
        if (term->start >= 0)
            t->from = fmin(t->from, term->start);
        t->to = fmax(t->to, fmax(term->start, term->end));
    }
    ahead = t->to - t->now;
    if (ahead > 0)
        t->from = fmax(t->from, t->now - ahead);
    if (t->to == t->from)
        t->to = t->from + fmax(3600, t->from / 1e9);
    else if (open)
        t->to += (t->to - t->from) / 8;

    for (size_t i = 0; i < t->nbars; i++) {
        struct bar *bar = &t->bars[i];
        double end = bar->term->end < 0 ? t->to : fmax(bar->term->end, t->now);
        bar->from = fmax(bar->term->start, t->from);
        bar->to = fmax(end, bar->from);
    }
}

struct timeline *timeline_create(struct rset *rs, const struct lots *tops,
                                 double now, enum timeline_rows rows)
{
    struct timeline *t = xcalloc(1, sizeof(*t));
    struct timeline_walk w = {.u = usage_begin(rs), .t = t, .kind = rows};
    struct lot *place = NULL;
    size_t top = 0;

    if (rows == TIMELINE_NODES && pools_count(w.u, tops, -1) > TIMELINE_MOST)
        w.kind = TIMELINE_FOLDED;
    t->folded = w.kind == TIMELINE_FOLDED;
    t->now = now;
    t->palette = palette_create(w.u);
    find_bars(&w);
    while ((place = place_next(w.u, tops, &top, place)))
        add_place(&w, place);
    if (rows == TIMELINE_JOBS)
        add_job_rows(t);
    label_rows(t);
    set_times(t);
    map_fini(&w.bar_of);
    map_fini(&w.row_of);
    return t;
}

void timeline_destroy(struct timeline *t)
{
    for (size_t i = 0; i < t->nbars; i++)
        hostlist_destroy(t->bars[i].hosts);
    for (size_t i = 0; i < t->nrows; i++) {
        hostlist_destroy(t->rows[i].hosts);
        free(t->rows[i].label);
        idset_destroy(t->rows[i].bars);
    }
    free(t->bars);
    free(t->rows);
    palette_destroy(t->palette);
    free(t);
}

/* --- words -------------------------------------------------------------- */

char *timeline_title(const struct timeline *t)
{
    char from[TIME_TEXT], to[TIME_TEXT], now[TIME_TEXT], *text;

    xasprintf(&text, "%s to %s, now %s", time_text(t->from, from),
              time_text(t->to, to), time_text(t->now, now));
    return text;
}

static void print_end(FILE *fp, const char *before, double time)
{
    char text[TIME_TEXT];

    if (time >= 0)
        fprintf(fp, "%s%s", before, time_text(time, text));
}

char *bar_title(const struct timeline *t, const struct bar *bar)
{
    const struct term *term = bar->term;
    char *text, hosts[200];
    FILE *fp = memory_open(&text, NULL);
    uint64_t n = hostlist_count(bar->hosts);
    char *list = hostlist_encode(bar->hosts);

    fprintf(fp, "job %s", term->job->name);
    if (term->owner)
        fprintf(fp, " of %s", term->owner);
    if (n) {
        snprintf(hosts, sizeof(hosts), "%s", list);
        fprintf(fp, ": %s%s", hosts, strlen(list) < sizeof(hosts) ? "" : "...");
    }
    if (n > 1)
        fprintf(fp, " (%llu nodes)", (unsigned long long)n);
    fputs(term_is_ahead(term, t->now) ? ", reserved" : ", allocated", fp);
    print_end(fp, " from ", term->start);
    print_end(fp, " to ", term->end);
    if (term->end >= 0 && term->end <= t->now)
        fputs(", ended but not released", fp);
    free(list);
    return memory_take(fp, &text, true);
}
