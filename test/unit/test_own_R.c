/*
 * A job's R brings back what the job had, and gives it back: random sets with
 * the records of other jobs, random requests for what is in them.
 */
#include "match_wishes.h"
#include "texts.h"

enum { REQUESTS = 6, NOW = 1000 };

/* Pools that are held, and of which nothing is listed, or a part. */
static const char *const shapes[] = {
    "slot/node/pdu",    "slot/node/pdu=2",         "slot/rack/pdu",
    "slot/socket/pdu",  "slot/node/[core;pdu=2]",  "slot=2/node/panel",
    "slot/node/memory", "slot/node/socket/core",   "slot/rack/node/pdu",
    "slot/node/switch", "slot/[node/core;memory]", NULL};

static struct law back = {.name = "recorded anew, a job's R is what it had"},
                  gone = {.name = "by its R a job gives back all it has"};

static void same(struct law *law, char *got, const char *want, const char *set,
                 const char *shape, const char *R)
{
    if (!holds(law, got && !strcmp(got, want), "%s", shape) && law_telling(law))
        printf("#   of %.20000s\n#     R %s\n#   got %s\n#  want %s\n", set, R,
               got ? got : "nothing", want);
    free(got);
}

/* A request that can be had, and the job that has it. */
static void one_job(const char *set, const char *shape)
{
    const struct gift gift = {.request = shape};
    enum rset_form form = chance(70)   ? FORM_AS_READ
                          : chance(50) ? FORM_RV1
                                       : FORM_RV1_COMPACT;
    bool timed = form != FORM_AS_READ && chance(50); /* no graph says that */
    const struct when now = {.now = NOW, .end = timed ? NOW + 60 : 0};
    char *used = give(set, "7", &gift, &now), *R;
    struct gift again = {0};

    if (!used)
        return;
    again.R = R = allocated(used, "7", false, form);
    if (!R) { /* a pool that R_lite would list can't be said in it */
        free(used);
        return;
    }
    same(&back, give(set, "7", &again, &now), used, set, shape, R);
    same(&gone, give_back_R(used, "7", R), set, set, shape, R);
    free(R);
    free(used);
}

static void one_set(void)
{
    struct world *w = malloc(sizeof(*w));
    char *text = random_document(), *set;
    struct rset *rs = read_set(text);

    world_read(w, text);
    set = write_set(rs, FORM_AS_READ);
    for (int i = 0; i < REQUESTS; i++) {
        json_t *resources = random_resources(w);
        char *shape = chance(30) ? strdup(one_of(shapes)) : shape_of(resources);
        one_job(set, shape);
        free(shape);
        json_decref(resources);
    }
    rset_destroy(rs);
    json_decref(w->doc);
    free(w);
    free(set);
    free(text);
}

int main(void)
{
    for (long i = random_start(600); i > 0; i--)
        one_set();
    law_end(&back);
    law_end(&gone);
    return done_testing();
}
