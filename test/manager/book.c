/* The book: targets, and who holds which units; and readers of idsets, of R and
   of its short form. */
#include "manager.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct book book;

/* Nodes differ: some have no GPUs, and the ids of some begin with 1. */
void book_init(void)
{
    for (uint32_t r = 0; r < options.nodes; r++) {
        struct node *n = &book.node[r];
        int first = r % 3 == 2;

        n->all.core = (bit((int)options.cores) - 1) << first;
        if (r % 2 == 0)
            n->all.gpu = bit((int)options.gpus) - 1;
        n->group = r % options.ngroups;
    }
    book.end = once_in(2) ? 4102444800 : 0;
    book.now = 2000;
}

uint64_t all_ranks(void)
{
    return options.nodes == 64 ? UINT64_MAX : bit((int)options.nodes) - 1;
}

uint64_t one_of(uint64_t set)
{
    uint32_t nth = set ? below((uint32_t)count(set)) : 0;

    while (nth--)
        set &= set - 1;
    return set & -set;
}

uint64_t random_of(uint64_t set)
{
    uint64_t part = set
                    & ((uint64_t)below(UINT32_MAX) << 32 | below(UINT32_MAX));

    if (once_in(2))
        part = 0;
    return part ? part : one_of(set);
}

/* --- sets of numbers ------------------------------------------------------ */

static bool number_read(const char **text, int *n)
{
    const char *from = *text;

    if (!isdigit((unsigned char)*from)
        || (from[0] == '0' && isdigit((unsigned char)from[1])))
        return false;
    for (*n = 0; isdigit((unsigned char)**text); (*text)++) {
        *n = *n * 10 + (**text - '0');
        if (*n > 63)
            return false;
    }
    return true;
}

/* Read an idset up to the first character that is not part of it. */
static int ids_read(const char **text, uint64_t *set)
{
    int last = -1, lo, hi;

    *set = 0;
    do {
        if (!number_read(text, &lo))
            return -1;
        hi = lo;
        if (**text == '-') {
            (*text)++;
            if (!number_read(text, &hi) || hi <= lo)
                return -1;
        }
        if (lo <= last)
            return -1;
        for (int id = lo; id <= hi; id++)
            *set |= bit(id);
        last = hi;
    } while (**text == ',' && (*text)++);
    return 0;
}

int idset_read(const char *text, uint64_t *set)
{
    bool brackets = *text == '[';

    *set = 0;
    if (!*text)
        return 0;
    text += brackets;
    if (ids_read(&text, set) || (brackets && *text++ != ']'))
        return -1;
    return *text ? -1 : 0;
}

const char *idset_text(uint64_t set)
{
    static char texts[8][256];
    static unsigned turn;
    char *text = texts[turn++ % 8], *p = text;

    *p = '\0';
    for (int id = 0; id < 64; id++) {
        int lo = id;

        if (!(set & bit(id)))
            continue;
        while (id < 63 && set & bit(id + 1))
            id++;
        p += sprintf(p, "%s%d", p == text ? "" : ",", lo);
        if (id > lo)
            p += sprintf(p, "-%d", id);
    }
    return text;
}

/* --- R -------------------------------------------------------------------- */

static uint64_t set_in(const json_t *object, const char *key, bool needed)
{
    const json_t *value = json_object_get(object, key);
    uint64_t set = 0;

    if (!value && !needed)
        return 0;
    if (!json_is_string(value) || idset_read(json_string_value(value), &set))
        fail("R: %s is not an idset of existing ids", key);
    return set;
}

/* Hosts are n0 to n63, in the order of the ranks. */
static void hosts_read(const json_t *nodelist, uint64_t ranks)
{
    const json_t *entry;
    uint64_t all = 0, set;
    size_t i;

    json_array_foreach (nodelist, i, entry) {
        const char *text = json_string_value(entry);

        if (!text || *text != 'n' || idset_read(text + 1, &set) || set == 0
            || (all && __builtin_ctzll(set) < 64 - __builtin_clzll(all)))
            fail("R: the nodelist has other hosts, or another order");
        all |= set;
    }
    if (all != ranks)
        fail("R: the nodelist is n[%s], the ranks are %s", idset_text(all),
             idset_text(ranks));
}

static void lite_read(const json_t *lite, struct holding *h)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (lite, i, entry) {
        const json_t *children = json_object_get(entry, "children");
        uint64_t ranks = set_in(entry, "rank", true);
        struct units units = {set_in(children, "core", false),
                              set_in(children, "gpu", false)};

        if (ranks & h->ranks)
            fail("R: a rank stands twice");
        h->ranks |= ranks;
        EACH_BIT(r, ranks)
        h->on[r] = units;
    }
}

void read_R(const json_t *R, struct holding *h)
{
    const json_t *execution = json_object_get(R, "execution");
    const json_t *lite = json_object_get(execution, "R_lite");
    const json_t *nslots = json_object_get(execution, "nslots");
    const json_t *scheduler = json_object_get(
        json_object_get(json_object_get(R, "attributes"), "system"),
        "scheduler");

    memset(h, 0, sizeof(*h));
    if (json_integer_value(json_object_get(R, "version")) != 1
        || !json_is_array(lite))
        fail("this is no R of version 1");
    lite_read(lite, h);
    hosts_read(json_object_get(execution, "nodelist"), h->ranks);
    h->whole = set_in(scheduler, "holds", false);
    h->start = json_number_value(json_object_get(execution, "starttime"));
    h->end = json_number_value(json_object_get(execution, "expiration"));
    h->nslots = nslots ? (long)json_integer_value(nslots) : -1;
}

/* "3" or "[0-3,5]" */
static uint64_t short_ids(const char **text)
{
    bool brackets = **text == '[';
    uint64_t set = 0;
    int id;

    if (!brackets)
        return number_read(text, &id) ? bit(id) : 0;
    (*text)++;
    return ids_read(text, &set) || *(*text)++ != ']' ? 0 : set;
}

static bool word(const char **text, const char *want)
{
    size_t len = strlen(want);

    if (strncmp(*text, want, len))
        return false;
    *text += len;
    return true;
}

void read_summary(const char *text, struct holding *h)
{
    const char *p = text;

    memset(h, 0, sizeof(*h));
    h->nslots = -1;
    do {
        struct units units = {0, 0};
        uint64_t ranks = word(&p, "rank") ? short_ids(&p) : 0;
        char end = '/';

        if (!ranks || ranks & h->ranks)
            fail("resource_summary \"%s\": no ranks", text);
        while (*p == end && p++) {
            uint64_t *set = word(&p, "core")  ? &units.core
                            : word(&p, "gpu") ? &units.gpu
                                              : NULL;

            if (!set || *set || !(*set = short_ids(&p)))
                fail("resource_summary \"%s\": it ends at \"%s\"", text, p);
            end = ',';
        }
        h->ranks |= ranks;
        EACH_BIT(r, ranks)
        h->on[r] = units;
    } while (*p == ' ' && p++);
    if (*p)
        fail("resource_summary \"%s\": it ends at \"%s\"", text, p);
}

/* Brackets around a set are optional. */
static void say_ids(const char *key, uint64_t set, const char *before)
{
    bool brackets = once_in(8);

    if (set)
        say("%s\"%s\":\"%s%s%s\"", before, key, brackets ? "[" : "",
            idset_text(set), brackets ? "]" : "");
}

void say_R(const struct holding *h, bool all)
{
    uint64_t left = h->ranks, odd = h->ranks & UINT64_C(0xaaaaaaaaaaaaaaaa);
    const char *comma = "";

    say("{\"version\":1,\"execution\":{\"R_lite\":[");
    while (left) {
        struct units units = h->on[__builtin_ctzll(left)];
        uint64_t same = 0;

        EACH_BIT(r, left)
        if (!memcmp(&h->on[r], &units, sizeof(units)))
            same |= bit(r);
        left &= ~same;
        say("%s{\"rank\":\"%s\",\"children\":{", comma, idset_text(same));
        say_ids("core", units.core, "");
        say_ids("gpu", units.gpu, units.core ? "," : "");
        say("}}");
        comma = ",";
    }
    say("],\"nodelist\":[");
    if (h->ranks)
        say("\"n[%s]\"", idset_text(h->ranks));
    say("]");
    if (all && odd)
        say(",\"properties\":{\"odd\":\"%s\"}", idset_text(odd));
    if (h->end > 0)
        say(",\"starttime\":%.17g,\"expiration\":%.17g", h->start, h->end);
    say("}}");
}

void say_resources(uint64_t ranks)
{
    struct holding all = {.ranks = ranks, .end = book.end};

    EACH_BIT(r, ranks)
    all.on[r] = book.node[r].all;
    say_R(&all, true);
}

/* --- who holds what ------------------------------------------------------- */

static const char *holder_of(int rank, struct units units)
{
    static char text[32];

    for (size_t i = 0; i < jobs[HOLDING].n; i++) {
        const struct job *j = jobs[HOLDING].job[i];

        if (j->has.ranks & bit(rank)
            && (j->has.on[rank].core & units.core
                || j->has.on[rank].gpu & units.gpu)) {
            sprintf(text, "%" PRIu64, j->id);
            return text;
        }
    }
    return "nobody";
}

static struct units units_of(const struct holding *h, int rank)
{
    return h->whole & bit(rank) ? book.node[rank].all : h->on[rank];
}

void book_hold(uint64_t id, const struct holding *h)
{
    if (h->ranks & ~all_ranks())
        fail("job %" PRIu64 " has ranks that do not exist", id);
    EACH_BIT(r, h->ranks)
    {
        struct units u = units_of(h, r), both;
        struct node *n = &book.node[r];

        if (!(u.core | u.gpu) || u.core & ~n->all.core || u.gpu & ~n->all.gpu)
            fail("job %" PRIu64 " has on rank %d what is not there", id, r);
        both = (struct units){u.core & n->held.core, u.gpu & n->held.gpu};
        if (both.core | both.gpu)
            fail("job %" PRIu64 " has on rank %d core[%s] gpu[%s], which job "
                 "%s holds",
                 id, r, idset_text(both.core), idset_text(both.gpu),
                 holder_of(r, both));
        n->held.core |= u.core;
        n->held.gpu |= u.gpu;
    }
}

void book_drop(const struct holding *h, uint64_t ranks)
{
    EACH_BIT(r, h->ranks & ranks)
    {
        struct units u = units_of(h, r);

        book.node[r].held.core &= ~u.core;
        book.node[r].held.gpu &= ~u.gpu;
    }
}

void book_set_end(double end)
{
    for (size_t i = 0; i < jobs[HOLDING].n; i++) {
        struct job *j = jobs[HOLDING].job[i];

        if (j->end >= book.end && j->end <= book.end)
            j->end = end;
    }
    book.end = end;
}

bool book_taken(const struct holding *h)
{
    EACH_BIT(r, h->ranks)
    {
        struct units u = units_of(h, r), held = book.node[r].held;

        if (u.core & held.core || u.gpu & held.gpu)
            return true;
    }
    return false;
}
