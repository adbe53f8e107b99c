/* Overlays, by example and compared with an array of covers. */
#include "set/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "tap.h"

static struct idset *read_set(const char *text)
{
    struct idset *set = NULL;
    struct diag d;

    idset_decode(text, strlen(text), &set, &d);
    return set;
}

/* Write the whole overlay as "ids:label+label ids:label ...". */
static void describe(const struct overlay *ov, char *buf, size_t size)
{
    size_t n = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < overlay_ngroups(ov); i++) {
        const struct overlay_group *g = overlay_group(ov, i);
        char *ids = idset_encode(g->ids);

        n += (size_t)snprintf(buf + n, size - n, "%s%s:", i ? " " : "", ids);
        for (size_t j = 0; j < g->nlabels; j++)
            n += (size_t)snprintf(buf + n, size - n, "%s%u", j ? "+" : "",
                                  g->labels[j]);
        free(ids);
    }
}

static void examples(void)
{
    static const struct {
        const char *sets[4], *want;
    } t[] = {
        {{NULL}, ""},
        {{"", ""}, ""},
        {{"0-9"}, "0-9:0"},
        {{"0-3", "4-7", "8-11"}, "0-3:0 4-7:1 8-11:2"},
        {{"8-11", "0-3"}, "0-3:1 8-11:0"},
        {{"0-9", "3-5"}, "0-2,6-9:0 3-5:0+1"},
        {{"0-5", "3-9"}, "0-2:0 3-5:0+1 6-9:1"},
        {{"1,3,5", "2,4", "3-4"}, "1,5:0 2:1 3:0+2 4:1+2"},
        {{"0-4", "0-4"}, "0-4:0+1"},
        {{"0-4294967294", "4294967294"}, "0-4294967293:0 4294967294:0+1"},
        {{"5-6", "0-9", "6-7", "6"}, "0-4,8-9:1 5:0+1 6:0+1+2+3 7:1+2"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct idset *sets[4];
        struct overlay *ov;
        char got[256];
        size_t n = 0;

        for (; n < 4 && t[i].sets[n]; n++)
            sets[n] = read_set(t[i].sets[n]);
        ov = overlay_create((const struct idset *const *)sets, n);
        describe(ov, got, sizeof(got));
        is(got, t[i].want, "groups \"%s\"", t[i].want);
        overlay_destroy(ov);
        while (n > 0)
            idset_destroy(sets[--n]);
    }
}

#define SETS 40
#define WIDTH 200

static uint32_t offset;

/* Does each id of the group have its cover, by asking every set? */
static bool check_group(const struct overlay_group *g,
                        struct idset *const *sets, size_t n)
{
    uint32_t id = idset_first(g->ids);

    for (; id != IDSET_INVALID; id = idset_next(g->ids, id)) {
        size_t k = 0;

        for (uint32_t s = 0; s < n; s++) {
            if (!idset_contains(sets[s], id))
                continue;
            if (k == g->nlabels || g->labels[k++] != s)
                return false;
        }
        if (k != g->nlabels)
            return false;
    }
    return g->nlabels > 0 && !idset_empty(g->ids);
}

static bool same_labels(const struct overlay_group *a,
                        const struct overlay_group *b)
{
    return a->nlabels == b->nlabels
           && !memcmp(a->labels, b->labels, a->nlabels * sizeof(*a->labels));
}

static bool check(const struct overlay *ov, struct idset *const *sets, size_t n)
{
    struct idset *all = idset_create(), *want = idset_create();
    uint64_t sum = 0;
    bool good = true;

    for (size_t i = 0; i < overlay_ngroups(ov); i++) {
        const struct overlay_group *g = overlay_group(ov, i);

        good = good && check_group(g, sets, n);
        good = good
               && (i == 0
                   || idset_first(overlay_group(ov, i - 1)->ids)
                          < idset_first(g->ids));
        for (size_t j = 0; j < i; j++)
            good = good && !same_labels(g, overlay_group(ov, j));
        sum += idset_count(g->ids);
        idset_add_set(all, g->ids);
    }
    for (size_t i = 0; i < n; i++)
        idset_add_set(want, sets[i]);
    good = good && idset_equal(all, want) && sum == idset_count(all);
    idset_destroy(all);
    idset_destroy(want);
    return good;
}

static bool round_trip(void)
{
    struct idset *sets[SETS];
    size_t n = random_below(SETS);
    struct overlay *ov;
    bool good;

    offset = random_below(2) ? 0 : IDSET_MAX - WIDTH + 1;
    for (size_t i = 0; i < n; i++) {
        sets[i] = idset_create();
        for (uint32_t j = random_below(6); j > 0; j--) {
            uint32_t lo = random_below(WIDTH);
            uint32_t hi = lo + random_below(WIDTH - lo);

            idset_add(sets[i], offset + lo, offset + hi);
        }
    }
    ov = overlay_create((const struct idset *const *)sets, n);
    good = check(ov, sets, n);
    overlay_destroy(ov);
    while (n > 0)
        idset_destroy(sets[--n]);
    return good;
}

int main(void)
{
    long rounds = random_start(300), i;

    examples();
    for (i = 0; i < rounds && round_trip(); i++)
        ;
    ok(i == rounds, "%ld random overlays", rounds);
    return done_testing();
}
