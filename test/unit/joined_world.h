/*
 * For tests of the two sides of RFC 28: ranks as bits, resources as bits of
 * each rank, and what a resource provider should hold and a scheduler should
 * believe by what was said so far. Nothing of this uses the library's own sets.
 */
#ifndef TEST_JOINED_WORLD_H
#define TEST_JOINED_WORLD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sets.h"

enum { NODES = 40, CORES = 6, GPUS = 2, GROUPS = 4 };
static const char *const groups[GROUPS] = {"default", "x", "y", "exclude"};
enum { DEFAULT = 0, EXCLUDE = GROUPS - 1 };

/* Ranks by bits. */
#define BIT(rank) (UINT64_C(1) << (rank))
#define EACH_RANK(rank, ranks)               \
    for (int rank = 0; rank < NODES; rank++) \
        if ((ranks) >> rank & 1)

struct units {
    unsigned core, gpu; /* ids, by bits */
};

/* A part of the resources: of each rank some units, of others none. */
struct held {
    uint64_t ranks;
    struct units on[NODES];
};

/* Some of these, mostly few. */
static uint64_t some_of(uint64_t ranks)
{
    uint64_t some = ranks
                    & ((uint64_t)random_below(1 << 20) << 20
                       | random_below(1 << 20));

    for (uint32_t n = random_below(5); n > 0; n--)
        some &= (uint64_t)random_below(1 << 20) << 20 | random_below(1 << 20);
    return some ? some : ranks & BIT(random_below(NODES));
}

static int count(uint64_t bits)
{
    return __builtin_popcountll(bits);
}

/* --- reading and writing -------------------------------------------------- */

struct text {
    char text[512];
};

static struct text ids_text(uint64_t ids)
{
    struct text t = {""};
    size_t len = 0;

    for (int i = 0; i < 64; i++)
        if (ids >> i & 1)
            len += (size_t)snprintf(t.text + len, sizeof(t.text) - len, "%s%d",
                                    len ? "," : "", i);
    return t;
}

static uint64_t read_ids(const json_t *value)
{
    const char *text = json_string_value(value);
    uint64_t ids = 0;

    while (text && *text) {
        char *end;
        unsigned long lo = strtoul(text, &end, 10), hi = lo;
        if (*end == '-')
            hi = strtoul(end + 1, &end, 10);
        for (; lo <= hi && lo < 64; lo++)
            ids |= BIT(lo);
        text = *end == ',' ? end + 1 : end;
    }
    return ids;
}

/* What the R_lite of an R says. */
static struct held read_R(const json_t *R)
{
    const json_t *entry,
        *list = json_object_get(json_object_get(R, "execution"), "R_lite");
    struct held held = {0};
    size_t i;

    json_array_foreach (list, i, entry) {
        const json_t *children = json_object_get(entry, "children");
        uint64_t ranks = read_ids(json_object_get(entry, "rank"));
        held.ranks |= ranks;
        EACH_RANK(r, ranks)
        {
            held.on[r].core |= (unsigned)read_ids(
                json_object_get(children, "core"));
            held.on[r].gpu |= (unsigned)read_ids(
                json_object_get(children, "gpu"));
        }
    }
    return held;
}

static double read_end(const json_t *R)
{
    return json_number_value(
        json_object_get(json_object_get(R, "execution"), "expiration"));
}

/* An R, for free(); its hosts are named by their ranks. */
static char *R_text(const struct held *held)
{
    const char *sep = "";
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    fputs("{\"version\":1,\"execution\":{\"R_lite\":[", fp);
    EACH_RANK(r, held->ranks)
    {
        fprintf(fp, "%s{\"rank\":\"%d\",\"children\":{\"core\":\"%s\"", sep, r,
                ids_text(held->on[r].core).text);
        if (held->on[r].gpu)
            fprintf(fp, ",\"gpu\":\"%s\"", ids_text(held->on[r].gpu).text);
        fputs("}}", fp);
        sep = ",";
    }
    fputs("],\"nodelist\":[", fp);
    if (held->ranks)
        fprintf(fp, "\"n[%s]\"", ids_text(held->ranks).text);
    fputs("]}}", fp);
    fclose(fp);
    return text;
}

/* --- parts ---------------------------------------------------------------- */

static struct held on_ranks(const struct held *held, uint64_t ranks)
{
    struct held part = {.ranks = held->ranks & ranks};

    EACH_RANK(r, part.ranks)
    part.on[r] = held->on[r];
    return part;
}

/* What is in both; a rank with nothing in it is in none. */
static struct held in_both(const struct held *a, const struct held *b)
{
    struct held both = {0};

    EACH_RANK(r, a->ranks & b->ranks)
    {
        both.on[r].core = a->on[r].core & b->on[r].core;
        both.on[r].gpu = a->on[r].gpu & b->on[r].gpu;
        if (both.on[r].core | both.on[r].gpu)
            both.ranks |= BIT(r);
    }
    return both;
}

static void add_held(struct held *to, const struct held *more)
{
    to->ranks |= more->ranks;
    EACH_RANK(r, more->ranks)
    {
        to->on[r].core |= more->on[r].core;
        to->on[r].gpu |= more->on[r].gpu;
    }
}

static bool same_held(const struct held *a, const struct held *b)
{
    return a->ranks == b->ranks && !memcmp(a->on, b->on, sizeof(a->on));
}

/* --- the provider, as it should be ---------------------------------------- */

enum { OFFLINE, TORPID, DRAINED, REASONS };

struct truth {
    bool current;
    struct held all;
    uint64_t member[GROUPS], given[GROUPS], owed[GROUPS];
    bool acquired[GROUPS];
    uint64_t down[REASONS];
    double end; /* of the set; 0: none */
};

static uint64_t truth_up(const struct truth *t)
{
    return ~(t->down[OFFLINE] | t->down[TORPID] | t->down[DRAINED]);
}

static uint64_t all_owed(const struct truth *t)
{
    return t->owed[0] | t->owed[1] | t->owed[2] | t->owed[3];
}

static uint64_t all_given(const struct truth *t)
{
    return t->given[0] | t->given[1] | t->given[2] | t->given[3];
}

/* What nobody owes is given; in the current edition not later than at once. */
static void truth_give(struct truth *t)
{
    for (int g = 0; g < GROUPS && !t->current; g++)
        if (t->acquired[g])
            t->given[g] |= t->member[g] & ~all_owed(t);
}

static void truth_acquire(struct truth *t, int group)
{
    t->acquired[group] = true;
    if (t->current)
        t->given[group] = t->member[group];
    truth_give(t);
}

/* Of the members of a group (-1: of any) those of these ranks. */
static void truth_move(struct truth *t, uint64_t ranks, int from, int to)
{
    uint64_t moved = ranks & t->all.ranks & ~t->member[to];

    if (from >= 0)
        moved &= t->member[from];
    for (int g = 0; g < GROUPS; g++) {
        if (!t->current)
            t->owed[g] |= t->given[g] & moved;
        t->given[g] &= ~moved;
        t->member[g] &= ~moved;
    }
    t->member[to] |= moved;
    truth_give(t);
}

static bool truth_release(struct truth *t, int group, uint64_t ranks)
{
    if (t->current || !ranks || ranks & ~t->owed[group])
        return false;
    t->owed[group] &= ~ranks;
    truth_give(t);
    return true;
}

static void truth_disconnect(struct truth *t)
{
    memset(t->given, 0, sizeof(t->given));
    memset(t->owed, 0, sizeof(t->owed));
    memset(t->acquired, 0, sizeof(t->acquired));
}

/* --- the scheduler, as it should be --------------------------------------- */

/* What it was told. */
struct belief {
    uint64_t has[GROUPS], up;
    uint64_t lost[GROUPS]; /* and not released */
    double end;
};

static uint64_t belief_all(const struct belief *b)
{
    return b->has[0] | b->has[1] | b->has[2] | b->has[3];
}

static int belief_grow(struct belief *b, int group, const json_t *payload,
                       const char *up)
{
    const json_t *R = json_object_get(payload, "resources");
    uint64_t ranks = read_R(R).ranks;

    if (!ranks || ranks & belief_all(b))
        return -1;
    b->has[group] |= ranks;
    b->lost[group] &= ~ranks;
    b->up = (b->up & ~ranks) | read_ids(json_object_get(payload, up));
    b->end = read_end(R);
    return 0;
}

static int belief_shrink(struct belief *b, int group, uint64_t ranks)
{
    if (!ranks || ranks & ~b->has[group])
        return -1;
    b->has[group] &= ~ranks;
    b->up &= ~ranks;
    b->lost[group] |= ranks;
    return 0;
}

static int belief_current(struct belief *b, const json_t *payload)
{
    const json_t *end = json_object_get(payload, "expiration"),
                 *shrink = json_object_get(payload, "shrink");

    if (json_object_get(payload, "resources"))
        return belief_grow(b, DEFAULT, payload, "up");
    if (end)
        b->end = json_number_value(end);
    b->up |= read_ids(json_object_get(payload, "up"));
    b->up &= ~read_ids(json_object_get(payload, "down"));
    return shrink ? belief_shrink(b, DEFAULT, read_ids(shrink)) : 0;
}

/* A response to resource.acquire; -1: it is none, or not now. */
static int belief_apply(struct belief *b, int group, const json_t *payload)
{
    const char *type = json_string_value(json_object_get(payload, "type"));
    uint64_t ranks = read_ids(json_object_get(payload, "targets"));

    if (!type)
        return belief_current(b, payload);
    if (!strcmp(type, "grow"))
        return belief_grow(b, group, payload, "online");
    if (!strcmp(type, "shrink"))
        return belief_shrink(b, group, ranks);
    if (!ranks || ranks & ~b->has[group])
        return -1;
    b->up = !strcmp(type, "online") ? b->up | ranks : b->up & ~ranks;
    return 0;
}

#endif /* TEST_JOINED_WORLD_H */
