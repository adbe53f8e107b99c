/* Colours, stripes and letters of states and jobs (palette.h). */
#include "view/palette.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "model/records/jobs.h"
#include "base/digits.h"
#include "model/records/lots.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "view/svg_write.h"

enum { BLACK = 0x000000, WHITE = 0xffffff };

#define STATE(state, name, colour, ink, letter) \
    [state] = {name, colour, ink, colour, letter, state, false}

static const struct paint states[PAINT_STATES] = {
    STATE(PAINT_IDLE, "idle", 0xffffff, BLACK, '.'),
    STATE(PAINT_MIXED, "several jobs", 0xdddddd, BLACK, '+'),
    STATE(PAINT_FULL, "none free", 0x888888, BLACK, '#'),
    STATE(PAINT_DRAINED, "drained", 0x332288, WHITE, '%'),
    STATE(PAINT_DRAINING, "draining", 0x6a51a3, WHITE, '&'),
    STATE(PAINT_DOWN, "down", 0xd01c1c, WHITE, '!'),
    STATE(PAINT_DEGRADED, "degraded", 0x117733, WHITE, '-'),
    STATE(PAINT_FAILING, "failing", 0xaa3377, WHITE, '/'),
    STATE(PAINT_UNKNOWN, "unknown", 0x4a4a4a, WHITE, '?'),
    STATE(PAINT_NONE, "none", 0x222222, WHITE, '0'),
};

/* Colours of jobs. Jobs with consecutive numbers get consecutive colours. */
static const uint32_t colours[] = {0x77aadd, 0xee8866, 0xeedd88, 0xffaabb,
                                   0x99ddff, 0x44bb99, 0xaaaa00};
static const char letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
enum {
    COLOURS = sizeof(colours) / sizeof(colours[0]),
    LETTERS = sizeof(letters) - 1,
    STRIPES = 3, /* none, white, dark */
    LOOKS = COLOURS * STRIPES
};
_Static_assert((int)LETTERS == PALETTE_LETTERS && (int)LOOKS == PALETTE_LOOKS,
               "as the header says");

struct palette {
    struct paint *jobs; /* or types; sorted by name */
    size_t n;
};

struct paint paint_state(enum paint_state state)
{
    return states[state];
}

enum paint_state paint_of_pool(enum pool_state state)
{
    return state == STATE_UP ? PAINT_IDLE : PAINT_DOWN + state - STATE_DOWN;
}

/* --- jobs --------------------------------------------------------------- */

static const struct paint *find_job(const struct palette *p, const char *job)
{
    const struct paint key = {.name = job};

    return p->n ? bsearch(&key, p->jobs, p->n, sizeof(key), job_compare_first)
                : NULL;
}

/*
 * Take one of the looks that are taken least often. Looks come in rounds; the
 * search begins in each round at `from`. Bits in `avoid` exclude looks, unless
 * they exclude all.
 */
static unsigned take_least(unsigned *taken, unsigned rounds, unsigned round,
                           uint64_t from, uint64_t avoid)
{
    unsigned n = rounds * round, best = n;

    if (avoid == (1ULL << n) - 1)
        avoid = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned at = i / round * round
                      + (unsigned)(from % round + i % round) % round;
        if (!(avoid >> at & 1) && (best == n || taken[at] < taken[best]))
            best = at;
    }
    taken[best]++;
    return best;
}

/* A place in the set where a job holds something. Neighbouring pools of one job
   are one place. */
struct standing {
    size_t job;  /* index in the palette */
    size_t last; /* previous place of this job, from 1; 0: none */
};

/* List the places of all jobs in the order of the set. Sets last[job] to the
   last place of each job. */
static struct standing *find_standings(const struct palette *p, struct usage *u,
                                       size_t *last, size_t *n)
{
    struct standing *list = NULL;
    const struct job *before = NULL;

    *n = 0;
    for (struct lot *lot = usage_top(u); lot;
         lot = lot_next_in(u, usage_top(u), lot))
        for (const struct grant *g = lot->grants; g; g = g->beside) {
            size_t job;
            if (g->term->kind != GRANT_CLAIM || g->term->job == before)
                continue;
            before = g->term->job;
            job = (size_t)(find_job(p, before->name) - p->jobs);
            VECTOR_ADD(list, *n, (struct standing){job, last[job]});
            last[job] = *n;
        }
    return list;
}

/*
 * Choose looks and letters, job by job: the ones that are taken least often. If
 * there are more jobs than looks, a job avoids the looks and letters of jobs
 * within NEAR places of its own.
 */
static void paint_jobs(struct palette *p, struct usage *u)
{
    enum { NEAR = 6 };
    unsigned look[LOOKS] = {0}, letter[LETTERS] = {0};
    size_t *last = xcalloc(p->n + 1, sizeof(*last)), nplaces = 0;
    unsigned char *looks = xcalloc(p->n + 1, 1);
    struct standing *places = p->n > LOOKS
                                  ? find_standings(p, u, last, &nplaces)
                                  : NULL;

    for (size_t i = 0; i < p->n; i++) {
        struct paint *paint = &p->jobs[i];
        size_t len = strlen(paint->name);
        uint64_t from, near_looks = 0, near_letters = 0;

        /* The look that it would have if it were alone. */
        if (*get_number(paint->name, paint->name + len, &from))
            from = hash_mix(hash_bytes(HASH_START, paint->name, len));
        else if (from > 0)
            from--;
        for (size_t at = last[i]; at; at = places[at - 1].last)
            for (size_t k = at > NEAR ? at - NEAR : 1;
                 k <= at + NEAR && k <= nplaces; k++) {
                size_t job = places[k - 1].job;
                if (job >= i)
                    continue;
                near_looks |= 1ULL << looks[job];
                near_letters |= 1ULL << (strchr(letters, p->jobs[job].letter)
                                         - letters);
            }
        looks[i] = (unsigned char)take_least(look, STRIPES, COLOURS, from,
                                             near_looks);
        paint->fill = paint->stripe = colours[looks[i] % COLOURS];
        if (looks[i] >= COLOURS)
            paint->stripe = WHITE;
        if (looks[i] >= 2 * COLOURS) { /* darker stripes */
            paint->stripe = 0;
            for (int shift = 0; shift < 24; shift += 8)
                paint->stripe |= (paint->fill >> shift & 0xff) * 3 / 4 << shift;
        }
        paint->ink = BLACK;
        paint->letter =
            letters[take_least(letter, 1, LETTERS, from, near_letters)];
    }
    free(places);
    free(looks);
    free(last);
}

struct palette *palette_create(struct usage *u)
{
    struct palette *p = xcalloc(1, sizeof(*p));
    const struct job *first = usage_jobs(u);
    const struct types *types = usage_types(u);

    for (unsigned i = 0; !first && i < types->count; i++) {
        uint32_t fill = colours[i % COLOURS];
        VECTOR_ADD(p->jobs, p->n,
                   (struct paint){.name = types->names[i],
                                  .fill = fill,
                                  .ink = BLACK,
                                  .stripe = fill});
    }
    for (const struct job *job = first; job; job = job->next)
        VECTOR_ADD(p->jobs, p->n,
                   (struct paint){.name = job->name, .job = true});
    VECTOR_SORT(p->jobs, p->n, job_compare_first);
    if (first)
        paint_jobs(p, u);
    for (size_t i = 0; i < p->n; i++)
        p->jobs[i].number = PAINT_STATES + i;
    return p;
}

void palette_destroy(struct palette *p)
{
    free(p->jobs);
    free(p);
}

struct paint palette_of(const struct palette *p, const char *name)
{
    const struct paint *paint = find_job(p, name);

    return paint ? *paint : paint_state(PAINT_MIXED);
}

struct paint palette_at(const struct palette *p, size_t number)
{
    return number < PAINT_STATES ? states[number]
                                 : p->jobs[number - PAINT_STATES];
}

size_t palette_count(const struct palette *p)
{
    return PAINT_STATES + p->n;
}

/* --- SVG ---------------------------------------------------------------- */

const char *paint_colour(uint32_t rgb, char buf[PAINT_FILL])
{
    snprintf(buf, PAINT_FILL, "#%06x", rgb & 0xffffff);
    return buf;
}

/* Name stripes by their colours, so that equal stripes share a pattern. */
static void name_stripes(const struct paint *paint, char buf[PAINT_FILL])
{
    snprintf(buf, PAINT_FILL, "s%06x%s", paint->fill & 0xffffff,
             paint->stripe == WHITE ? "w" : "d");
}

const char *paint_fill(const struct paint *paint, char buf[PAINT_FILL])
{
    char name[PAINT_FILL];

    if (paint->stripe == paint->fill)
        return paint_colour(paint->fill, buf);
    name_stripes(paint, name);
    snprintf(buf, PAINT_FILL, "url(#%.16s)", name);
    return buf;
}

bool paint_is_like(const struct paint *a, const struct paint *b)
{
    return a->fill == b->fill && a->stripe == b->stripe;
}

void palette_stripes(const struct palette *p, FILE *fp)
{
    size_t written = 0;

    fputs("<defs>\n", fp);
    for (size_t i = 0, k; i < p->n && written < LOOKS - COLOURS; i++) {
        const struct paint *paint = &p->jobs[i];
        char name[PAINT_FILL], one[PAINT_FILL], other[PAINT_FILL];
        for (k = 0; k < i && !paint_is_like(&p->jobs[k], paint); k++)
            ;
        if (k < i || paint->stripe == paint->fill)
            continue;
        name_stripes(paint, name);
        svg_stripes(fp, name, paint_colour(paint->fill, one),
                    paint_colour(paint->stripe, other));
        written++;
    }
    fputs("</defs>\n", fp);
}

/* --- terminals ---------------------------------------------------------- */

/* Return the nearest colour in the terminal's 6x6x6 cube or among its greys. */
static unsigned nearest(uint32_t rgb)
{
    unsigned index = 0, part = 0;
    bool grey = true;

    for (int shift = 16; shift >= 0; shift -= 8) {
        unsigned value = rgb >> shift & 0xff;
        grey &= shift == 16 || value == part;
        part = value;
        index = index * 6
                + (value < 48    ? 0
                   : value < 115 ? 1
                                 : (value - 35) / 40);
    }
    if (grey && part >= 8 && part < 248)
        return 232 + (part - 3) / 10;
    return 16 + index;
}

void paint_begin(const struct paint *paint, FILE *fp)
{
    fprintf(fp, "\033[38;5;%u;48;5;%um", nearest(paint->ink),
            nearest(paint->fill));
}

void paint_end(FILE *fp)
{
    fputs("\033[0m", fp);
}
