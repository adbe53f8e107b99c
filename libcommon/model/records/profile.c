/* Profiles of nodes over time, and nodes that are counted for another period
   (profile.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/profile.h"

/* --- nodes -------------------------------------------------------------- */

static size_t width_of(const struct usage *u)
{
    return (size_t)u->types.count + 1;
}

static int64_t *rows_at(const struct profile *p, size_t moment)
{
    return p->rows + (p->before + moment) * width_of(p->u);
}

/* Return the time of a moment; INFINITY: it is the one after the last. */
static double time_at(const struct profile *p, size_t moment)
{
    return moment < p->n ? p->times[p->before + moment] : INFINITY;
}

/* Return the moment of a profile that is valid at a time. */
static size_t moment_of(const struct profile *p, double time)
{
    return VECTOR_SEEK(k, 1, p->n, p->times[p->before + k] <= time) - 1;
}

/* Return the units of a row of usage. Idle units count as free units. */
static int64_t row_of(const struct usage *u, const int64_t *rows, unsigned row)
{
    unsigned ntype = row % u->types.count;

    if (row >= u->types.count && (u->types.flags[ntype] & TYPE_NODE)
        && rows[u->types.count] > 0)
        return 0;
    return rows[ntype] > 0 ? rows[ntype] : 0;
}

/* Return how many times a node with these free units has some units. */
static int64_t times_in(const struct usage *u, const struct needs *each,
                        const int64_t *rows)
{
    int64_t times = INT64_MAX, n;

    for (unsigned i = 0; i < each->n; i++) {
        n = row_of(u, rows, each->at[i].row) / each->at[i].least;
        times = n < times ? n : times;
    }
    return times;
}

/* Add units of a vertex, `times` times, to rows; `all`: also everything below
   it. */
static void add_rows(const struct usage *u, const struct vertex *v,
                     int64_t units, bool all, int64_t times, int64_t *rows)
{
    const int64_t *row = all ? usage_row(u, v) : NULL;

    for (unsigned t = 0; t < u->types.count; t++) {
        if (row)
            rows[t] += times * row[t];
        if (u->types.names[t] == v->type)
            rows[t] += times * units;
    }
}

/* Has a job claimed a part of a lot, or of one above it in a node, for the
   present time? */
static bool is_claimed(const struct usage *u, const struct lot *lot)
{
    for (; lot; lot = type_is_node(lot->v->type) ? NULL : lot->parent)
        for (const struct grant *g = lot->grants; g; g = g->beside)
            if (g->term->kind == GRANT_CLAIM && g->term->start <= u->now
                && (g->term->end < 0 || g->term->end > u->now))
                return true;
    return false;
}

/* Take the units that jobs hold in a lot past their end from rows of its node,
   unless others have claimed them from the end on. */
static void take_late(const struct usage *u, const struct lot *node,
                      const struct lot *lot, int64_t *rows)
{
    int64_t units = 0, size = lot->v->size;
    bool any = false;

    for (const struct grant *g = lot->grants; g; g = g->beside) {
        const struct term *t = g->term;
        if (!term_uses(t) || t->start > u->now || t->end < 0 || t->end > u->now)
            continue;
        any = true;
        if (t->kind == GRANT_CLAIM && units < size)
            units = g->units < size - units ? units + g->units : size;
    }
    if (!any || lot_nused(lot) > 0 || is_claimed(u, lot))
        return;
    add_rows(u, lot->v, units, units >= size, -lot_pools(lot, node), rows);
    rows[u->types.count]++;
}

/* Return the rows of a node at the present time: jobs past their end hold what
   the profile thinks is free. It may be more. */
static const int64_t *rows_now(struct profile *p, size_t at)
{
    struct usage *u = p->u;
    size_t size = width_of(u) * sizeof(*p->now_rows);

    if (p->now_known == u->nows)
        return p->now_rows;
    p->now_known = u->nows;
    p->now_rows = xrealloc(p->now_rows, size);
    memcpy(p->now_rows, rows_at(p, at), size);
    for (struct lot *lot = p->lot; lot; lot = lot_next_in(u, p->lot, lot))
        take_late(u, p->lot, lot, p->now_rows);
    return p->now_rows;
}

void steps_add(struct steps *s, double time, int64_t times)
{
    if (s->n > 0 && s->list[s->n - 1].times == times)
        return;
    VECTOR_ROOM(s->list, s->room, s->n + 1);
    s->list[s->n].time = time;
    s->list[s->n++].times = times;
}

double steps_find(const struct steps *s, size_t *i, bool something)
{
    while (*i < s->n && (s->list[*i].times > 0) != something)
        ++*i;
    return *i < s->n ? s->list[*i].time : INFINITY;
}

/* Return how many times a node with these free units has some units at a time,
   at which some more may be spare. */
static int64_t times_with(const struct usage *u, const struct needs *each,
                          const int64_t *rows, const struct spare *spare,
                          double time)
{
    if (!spare || time < spare->from || time >= spare->to)
        return times_in(u, each, rows);
    for (size_t r = 0; r < width_of(u); r++)
        u->pulled[r] = rows[r] + spare->rows[r];
    return times_in(u, each, u->pulled);
}

/* Add the steps from a time until the moment after `at`. */
static void add_moment(struct profile *p, const struct needs *each, size_t at,
                       double time, const struct spare *spare,
                       struct steps *out)
{
    const int64_t *rows = rows_at(p, at);
    double next;

    steps_add(out, time, times_with(p->u, each, rows, spare, time));
    if (!spare)
        return;
    next = time_at(p, at + 1);
    for (int i = 0; i < 2; i++) {
        double change = i == 0 ? spare->from : spare->to;
        if (change > time && change < next)
            steps_add(out, change, times_with(p->u, each, rows, spare, change));
    }
}

struct opening profile_steps(struct profile *p, const struct needs *each,
                             double from, double last,
                             const struct spare *spare, struct steps *out)
{
    struct opening o = {INFINITY, INFINITY, INFINITY};
    size_t at = moment_of(p, from);
    bool late = p->counted && usage_is_late(p->u, from);
    size_t i = 0;

    if (late)
        steps_add(out, from,
                  times_with(p->u, each, rows_now(p, at), spare, from));
    for (; p->counted && time_at(p, at) < INFINITY; at++) {
        double time = late ? nextafter(from, INFINITY) : time_at(p, at);
        late = false;
        if (out->n == 1 && out->list[0].times == 0 && time > last) {
            o.from = time;
            return o;
        }
        add_moment(p, each, at, time, spare, out);
    }
    o.from = steps_find(out, &i, true);
    o.to = steps_find(out, &i, false);
    o.again = steps_find(out, &i, true);
    return o;
}

/* Return the least units of a row that a node has at any moment of a period;
   or, as soon as there are fewer than `enough`, these. */
static int64_t least_units(struct profile *p, unsigned row,
                           const struct period *when, int64_t enough)
{
    size_t at = moment_of(p, when->from);
    int64_t least = usage_is_late(p->u, when->from)
                        ? row_of(p->u, rows_now(p, at), row)
                        : INT64_MAX,
            units;

    do {
        units = row_of(p->u, rows_at(p, at), row);
        least = units < least ? units : least;
    } while (least >= enough && time_at(p, ++at) < when->to);
    return least;
}

int64_t usage_least_in(const struct lot *node, unsigned ntype,
                       const struct period *when)
{
    struct profile *p = node->in ? node->in->profile : NULL;

    return !p ? INT64_MAX : p->counted ? least_units(p, ntype, when, 1) : 0;
}

bool profile_may_have(struct profile *p, const struct needs *needs,
                      const struct period *when)
{
    for (unsigned n = 0; n < needs->n; n++)
        if (least_units(p, needs->at[n].row, when, needs->at[n].least)
            < needs->at[n].least)
            return false;
    return true;
}

/* --- changes ------------------------------------------------------------ */

static void move_moments(struct profile *p, size_t to, size_t from, size_t n)
{
    size_t width = width_of(p->u);

    memmove(&p->times[p->before + to], &p->times[p->before + from],
            n * sizeof(*p->times));
    memmove(rows_at(p, to), rows_at(p, from), n * width * sizeof(*p->rows));
}

/* Make a moment at a time, if there is none. Moves the moments on one side: the
   earlier ones if they are fewer, since most changes are near the present. */
static void make_moment(struct profile *p, double time)
{
    size_t at = moment_of(p, time), width = width_of(p->u);

    if (time_at(p, at++) == time)
        return;
    if (p->before > 0 && at <= p->n / 2) {
        p->before--;
        move_moments(p, 0, 1, at);
    } else {
        VECTOR_GROW(p->times, p->before + p->n);
        p->rows = xgrow(p->rows, p->before + p->n, width * sizeof(*p->rows));
        move_moments(p, at + 1, at, p->n - at);
    }
    p->n++;
    p->times[p->before + at] = time;
    memcpy(rows_at(p, at), rows_at(p, at - 1), width * sizeof(*p->rows));
}

/* Drop a moment if nothing changes at it. */
static void drop_moment(struct profile *p, double time)
{
    size_t at = moment_of(p, time);

    if (at == 0
        || memcmp(rows_at(p, at), rows_at(p, at - 1),
                  width_of(p->u) * sizeof(*p->rows)))
        return;
    if (at <= p->n / 2) {
        move_moments(p, 1, 0, at);
        p->before++;
    } else {
        move_moments(p, at, at + 1, p->n - at - 1);
    }
    p->n--;
}

void supply_add_profile(const struct profile *p, struct supply *k,
                        int64_t times)
{
    int64_t members = times * supply_nodes(k, p->lot), last = 0, n;

    for (size_t at = 0; members != 0 && at < p->n; at++) {
        n = times_in(p->u, &k->kind.each, rows_at(p, at));
        supply_change(p->u, k, time_at(p, at), (n - last) * members);
        last = n;
    }
}

/* Note that a node may give more between two times. If the second one is past,
   units of a late job came free: the node may give more until now. */
static void note_gain(const struct profile *p, double from, double to)
{
    struct usage *u = p->u;

    if (u->ngains == GAINS_MOST)
        u->ngains = 0;
    VECTOR_ADD(u->gains, u->ngains,
               (struct gain){p->number, from, fmax(to, u->now)});
    u->gained++;
    for (size_t k = 0; k < u->nsupplies; k++) {
        struct opening *o = u->supplies[k]->openings;
        if (p->number >= u->supplies[k]->nopenings)
            continue;
        o += p->number;
        if (from <= o->to)
            *o = (struct opening){fmin(from, o->from), INFINITY, INFINITY};
        else
            o->again = fmin(from, o->again);
    }
}

/* Change free units between two times, at which there are moments: add `times`
   times `more`, by row. */
static void change_rows(struct profile *p, double from, double to,
                        const int64_t *more, int64_t times)
{
    struct usage *u = p->u;
    size_t nsupplies = p->counted ? u->nsupplies : 0;
    int64_t members[SUPPLIES], had[SUPPLIES], last[SUPPLIES] = {0};
    size_t at = moment_of(p, from);

    u->idle_known = false;
    for (size_t k = 0; k < nsupplies; k++)
        members[k] = supply_nodes(u->supplies[k], p->lot);
    for (; time_at(p, at) < to; at++) {
        int64_t *rows = rows_at(p, at);
        for (size_t k = 0; k < nsupplies; k++)
            had[k] = times_in(u, &u->supplies[k]->kind.each, rows);
        for (size_t r = 0; r < width_of(u); r++)
            rows[r] += times * more[r];
        for (size_t k = 0; k < nsupplies; k++) {
            int64_t n = times_in(u, &u->supplies[k]->kind.each, rows) - had[k];
            supply_change(u, u->supplies[k], time_at(p, at),
                          (n - last[k]) * members[k]);
            last[k] = n;
        }
    }
    for (size_t k = 0; k < nsupplies && to < INFINITY; k++)
        supply_change(u, u->supplies[k], to, -last[k] * members[k]);
}

/* --- claims ------------------------------------------------------------- */

/* Return the node that a lot is or lies in, or NULL. */
static struct lot *node_of(struct lot *lot)
{
    for (; lot; lot = lot->parent)
        if (type_is_node(lot->v->type))
            return lot;
    return NULL;
}

struct profile *lot_profile(struct lot *lot)
{
    lot = node_of(lot);
    return lot && lot->in ? lot->in->profile : NULL;
}

/* Return the profile of a node with contents, made if there is none. */
static struct profile *profile_of(struct usage *u, struct lot *lot)
{
    struct profile *p = lot->in->profile;

    if (p)
        return p;
    p = xcalloc(1, sizeof(*p));
    *p = (struct profile){.u = u, .lot = lot};
    p->rows = xgrow(NULL, 0, width_of(u) * sizeof(*p->rows));
    memset(p->rows, 0, width_of(u) * sizeof(*p->rows));
    VECTOR_ADD(p->times, p->n, -INFINITY);
    add_rows(u, lot->v, lot->v->size, true, 1, p->rows);
    p->counted = true;
    p->number = u->nprofiles;
    VECTOR_ADD(u->profiles, u->nprofiles, p);
    note_gain(p, -INFINITY, INFINITY);
    u->blanks_known = false;
    return lot->in->profile = p;
}

static void free_profile(struct profile *p)
{
    p->lot->in->profile = NULL;
    free(p->times);
    free(p->rows);
    free(p->now_rows);
    free(p);
}

/* Add the units that a grant takes of its node to rows. */
static void add_grant(const struct usage *u, const struct grant *g,
                      const struct lot *node, int64_t *rows)
{
    const struct needs *each = g->term->each;

    if (g->term->kind == GRANT_CLAIM)
        add_rows(u, g->lot->v, g->units, g->units >= g->lot->v->size,
                 lot_pools(g->lot, node), rows);
    for (unsigned i = 0; each && i < each->n; i++)
        rows[each->at[i].row % u->types.count] += each->at[i].least * g->units;
    rows[u->types.count]--;
}

void profile_apply(struct usage *u, const struct grant *g, int64_t times)
{
    bool claim = g->term->kind == GRANT_CLAIM;
    double from = g->term->start > 0 ? g->term->start : -INFINITY,
           to = g->term->end >= 0 ? g->term->end : INFINITY;
    int64_t *rows = u->pulled;
    struct profile *p;
    struct lot *node;

    if (!u->has_profiles || !term_uses(g->term))
        return;
    node = node_of(g->lot);
    if (!node || !lot_open(u, node)) {
        if (claim || term_has_times(g->term))
            u->nbeside -= (size_t)times;
        return;
    }
    memset(rows, 0, width_of(u) * sizeof(*rows));
    add_grant(u, g, node, rows);
    p = profile_of(u, node);
    p->now_known = 0;
    if (to <= from)
        return;

    make_moment(p, from);
    if (to < INFINITY)
        make_moment(p, to);
    change_rows(p, from, to, rows, times);
    if (times > 0)
        note_gain(p, from, to);
    if (to < INFINITY)
        drop_moment(p, to);
    drop_moment(p, from);
}

void usage_set_now(struct usage *u, double now)
{
    if (now < u->now) { /* other jobs were past their end */
        for (size_t i = 0; i < u->nsupplies; i++)
            u->supplies[i]->nopenings = 0;
        usage_forget_gains(u);
    }
    u->now = now;
    u->nows++;
    u->late = u->ntimed > 0 && agenda_is_late(u, now);
}

void usage_leave_out(struct usage *u, const struct job *job,
                     const struct idset *ranks)
{
    u->left_out = job;
    u->left_ranks = ranks;
}

void profile_spare(struct usage *u, struct spares *s)
{
    const struct grant *first = u->left_out ? u->left_out->grants : NULL;
    size_t width = width_of(u), room = 0;

    *s = (struct spares){.n = 0};
    for (const struct grant *g = first; g; g = g->next)
        room++;
    if (room == 0)
        return;
    s->list = xcalloc(room, sizeof(*s->list));
    s->rows = xcalloc(room, width * sizeof(*s->rows));
    for (const struct grant *g = first; g; g = g->next) {
        struct profile *p = lot_profile(g->lot);
        if (!p || !term_uses(g->term))
            continue;
        if (p->seen != u->windows) {
            p->seen = u->windows;
            p->spare = s->n++;
            s->list[p->spare] = (struct spare){
                .in = p,
                .from = g->term->start > 0 ? g->term->start : -INFINITY,
                .to = g->term->end >= 0 ? g->term->end : INFINITY,
                .rows = s->rows + p->spare * width};
        }
        add_grant(u, g, p->lot, s->list[p->spare].rows);
    }
}

/* --- nodes that come and go ---------------------------------------------- */

/* Count a node in the supplies of the set, or stop counting it. */
static void count_node(struct profile *p, bool counted)
{
    struct usage *u = p->u;

    for (size_t k = 0; k < u->nsupplies && p->counted != counted; k++)
        supply_add_profile(p, u->supplies[k], counted ? ADD : TAKE);
    note_gain(p, -INFINITY, INFINITY);
    u->idle_known = false;
    p->counted = counted;
}

void profile_follow_state(struct usage *u, struct lot *lot)
{
    u->nows++;
    if (!u->has_profiles || !type_is_node(lot->v->type) || !lot_open(u, lot)
        || (lot->state == STATE_UP && !lot->in->profile))
        return;
    count_node(profile_of(u, lot), lot->state == STATE_UP);
}

void profile_leave(struct usage *u, struct lot *top)
{
    if (!u->has_profiles || lot_is_blank(top))
        return;
    for (struct lot *lot = top; lot; lot = lot_next_in(u, top, lot)) {
        if (lot->in && lot->in->profile) {
            usage_forget_gains(u); /* other members lose their profile */
            count_node(lot->in->profile, true);
        }
        for (const struct grant *g = lot->grants; g; g = g->beside)
            profile_apply(u, g, ADD);
    }
}

void profile_enter(struct usage *u, struct lot *top)
{
    if (!u->has_profiles || lot_is_blank(top))
        return;
    for (struct lot *lot = top; lot; lot = lot_next_in(u, top, lot)) {
        profile_follow_state(u, lot);
        for (const struct grant *g = lot->grants; g; g = g->beside)
            profile_apply(u, g, TAKE);
    }
}

void profile_end(struct profile *p)
{
    struct usage *u = p->u;
    struct profile *last = u->profiles[u->nprofiles - 1];

    profile_return(p);
    count_node(p, true); /* and nothing is known of its number any more */
    last->number = p->number;
    u->profiles[last->number] = last;
    u->nprofiles--;
    u->blanks_known = false;
    usage_forget_gains(u);
    free_profile(p);
}

void usage_profiles(struct usage *u)
{
    const struct types *t = &u->types;

    if (u->has_profiles || t->huge || t->nodes_nested)
        return;
    for (unsigned i = 0; i < t->count; i++)
        if ((t->flags[i] & TYPE_NODE) && (t->flags[i] & TYPE_POOLED))
            return;
    u->has_profiles = true;
    u->idle_known = u->blanks_known = false;
    profile_enter(u, &u->top);
}

void profiles_end(struct usage *u)
{
    for (size_t i = 0; i < u->nprofiles; i++)
        free_profile(u->profiles[i]);
    free(u->profiles);
    u->profiles = NULL;
    for (size_t i = 0; i < u->nsupplies; i++) {
        idset_destroy(u->supplies[i]->kind.in);
        free(u->supplies[i]->openings);
        free(u->supplies[i]);
        u->supplies[i] = NULL;
    }
    stock_fini(&u->points);
    free(u->idle);
    free(u->blanks);
    u->idle = NULL;
    u->blanks = NULL;
    u->nidle = 0;
    u->has_profiles = false;
    u->away = NULL;
    u->nprofiles = u->nsupplies = u->nbeside = 0;
    free(u->gains);
    u->gains = NULL;
    usage_forget_gains(u);
}

/* --- the set ------------------------------------------------------------ */

struct lot *profile_next_node(struct usage *u, struct lot *lot)
{
    do
        lot = lot_next(u, &u->top, lot, type_is_node(lot->v->type));
    while (lot && !type_is_node(lot->v->type));
    return lot;
}

void profile_forget_blanks(struct usage *u, const struct lot *lot)
{
    u->blanks_known = u->blanks_known && vertex_in_node(lot->v->parent);
}

int64_t profile_times_idle(struct usage *u, const struct vertex *node,
                           const struct needs *each)
{
    int64_t *rows = u->pulled;

    memset(rows, 0, width_of(u) * sizeof(*rows));
    add_rows(u, node, node->size, true, 1, rows);
    return times_in(u, each, rows);
}

bool usage_counts_nodes(struct usage *u)
{
    if (!u->rs->source)
        usage_profiles(u);
    return u->has_profiles && u->nbeside == 0 && types_node(&u->types) >= 0;
}

/* --- nodes at another time ----------------------------------------------- */

const struct period *profile_period(const struct profile *p)
{
    return p->away ? &p->when : &p->u->base;
}

void profile_go(struct profile *p, const struct period *when)
{
    p->when = *when;
    if (p->away)
        return;
    p->away = true;
    p->next_away = p->u->away;
    if (p->next_away)
        p->next_away->prev_away = p;
    p->u->away = p;
}

bool profile_return(struct profile *p)
{
    if (!p->away)
        return false;
    p->away = false;
    *(p->prev_away ? &p->prev_away->next_away : &p->u->away) = p->next_away;
    if (p->next_away)
        p->next_away->prev_away = p->prev_away;
    p->next_away = p->prev_away = NULL;
    return true;
}
