/*
 * flux rset: write a live Flux instance as one R.
 *
 * The instance is asked for its jobs, for the R and the events of each, and
 * then for its resources (live.c). The list of jobs may be newer than the
 * events, which are stored a little later. Then a job seems to hold resources
 * that it gave back and another job got. In this case everything is read again.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "compare/cover.h"
#include "live.h"
#include "model/document/document.h"
#include "model/records/tags.h"
#include "schedule/filter.h"
#include "schedule/plan.h"

enum { TRIES = 5 };

static const struct cli cli = {
    .name = "flux-rset",
    .synopsis = "[OPTION...]",
    .summary = "Write a running Flux instance as one R: resources, states, "
               "jobs.",
    .footer = "Exit status: 0 done, 2 error.\n",
};

static struct poptOption options[] = {CLI_COMMON_OPTIONS, POPT_TABLEEND};

/* --- states --------------------------------------------------------------- */

/* Mark ranks down as `rset-alloc down` and `drain` do, with a tag. */
static void set_down(struct rset *rs, const struct idset *ranks,
                     const char *tag, json_t *why)
{
    struct usage *u = usage_begin(rs);
    struct idset *there = idset_intersect(ranks, rs->ranks);
    struct lots lots = {0};

    lots_of_ranks(u, there, &lots);
    lots_cut(u, &lots);
    for (size_t i = 0; i < lots.n; i++) {
        lot_set_state(u, lots.list[i], STATE_DOWN);
        if (why)
            vertex_tag(lots.list[i]->v, tag, why);
    }
    lots_rejoin(u, &lots);
    free(lots.list);
    idset_destroy(there);
}

/* Drain ranks. `was_down`: undrain restores the state down. */
static void drain(struct rset *rs, const struct outage *drained,
                  const struct idset *ranks, bool was_down)
{
    json_t *why = json_object();

    if (*drained->reason)
        json_object_set_new(why, "reason", json_string(drained->reason));
    json_object_set_new(why, "time", time_to_json(drained->time));
    if (was_down)
        json_object_set_new(why, "was", json_string("down"));
    set_down(rs, ranks, "drained", why);
    json_decref(why);
}

static void set_states(struct rset *rs, const struct live *live)
{
    struct idset *down = idset_union(live->offline, live->torpid), *both;
    json_t *why = json_pack("{s:s}", "reason", "torpid");

    set_down(rs, live->offline, "down", NULL);
    set_down(rs, live->torpid, "down", why);
    for (size_t i = 0; i < live->ndrained; i++) {
        const struct outage *drained = &live->drained[i];

        both = idset_intersect(drained->ranks, down);
        drain(rs, drained, drained->ranks, false);
        if (!idset_empty(both))
            drain(rs, drained, both, true);
        idset_destroy(both);
    }
    json_decref(why);
    idset_destroy(down);
}

/* --- jobs ----------------------------------------------------------------- */

/*
 * Give a job the resources of its R, on the ranks that it still holds and that
 * the set has. Returns 0; 1 with a diag if another job holds them; -1 with a
 * diag if the R is invalid or does not fit the set.
 */
static int hold(struct rset *rs, const struct live_job *job, struct diag *d)
{
    const unsigned flags = PLAN_CHOSEN | PLAN_ANY_STATE | PLAN_ANY_TIME;
    struct rset *R = rset_read_text(job->R, strlen(job->R), "R", d), *part;
    struct term terms = {.owner = job->owner, .queue = job->queue};
    enum plan_answer answer = PLAN_GOOD;
    struct selection *sel = NULL;
    struct idset *left, *there;
    int rc = -1;

    if (!R || rset_check_ranks(R, d) < 0) {
        rset_destroy(R);
        return -1;
    }

    /* the ranks that it still holds, without those excluded since it began */
    left = job->all_free ? idset_create()
                         : idset_subtract(R->ranks, job->released);
    if (job->kept)
        idset_add_set(left, job->kept);
    there = idset_intersect(left, rs->ranks);
    part = rset_on_ranks(R, there, true);

    if (cover_select(rs, part, &sel, d) == 0) {
        plan_take_whole(sel);
        terms.start = rset_starttime(R);
        terms.end = rset_expiration(R);
        terms.nslots = selection_open_slots(sel);
        if (sel->picks)
            answer = plan_check(usage_begin(rs), job->id, sel, &terms,
                                (double)time(NULL), flags, d);
        if (sel->picks && answer == PLAN_GOOD)
            ledger_allocate(usage_begin(rs), job->id, sel, &terms);
        rc = answer == PLAN_GOOD ? 0 : answer == PLAN_NOT_NOW ? 1 : -1;
    }
    selection_destroy(sel);
    rset_destroy(part);
    rset_destroy(R);
    idset_destroy(there);
    idset_destroy(left);
    return rc;
}

/* --- the set -------------------------------------------------------------- */

/* Return everything that was read as one set; NULL with a diag. *again: two
   jobs seem to hold the same resources. */
static struct rset *make_set(const struct live *live, bool *again,
                             struct diag *d)
{
    struct rset *all = rset_read_text(live->R, strlen(live->R),
                                      "resource.status: R", d),
                *rs = NULL;
    struct idset *ranks;
    int rc = 0;

    if (all && rset_check_ranks(all, d) == 0) {
        ranks = idset_subtract(all->ranks, live->excluded);
        rs = rset_on_ranks(all, ranks, true);
        idset_destroy(ranks);
    }
    rset_destroy(all);
    if (!rs)
        return NULL;
    set_states(rs, live);
    for (size_t i = 0; rc == 0 && i < live->njobs; i++) {
        if (live->jobs[i].R && (rc = hold(rs, &live->jobs[i], d)) != 0)
            diag_source(d, "job %s", live->jobs[i].id);
    }
    *again = rc > 0;
    if (rc == 0)
        return rs;
    rset_destroy(rs);
    return NULL;
}

int main(int argc, const char **argv)
{
    static poptContext ctx; /* reachable when a usage error ends us */
    struct rset_style style = {.form = FORM_R};
    struct rset *rs = NULL;
    struct diag d = {0};
    bool again = true;
    const char *word;

    cli_init(&cli);
    ctx = cli_options(argc, argv, options, NULL, 0);
    if (cli_read_options(ctx, &d) < 0)
        cli_die_diag(&d);
    if ((word = poptPeekArg(ctx)))
        cli_usage("%s: no operand is expected", quote(word, strlen(word)).text);
    for (int i = 0; !rs && again && i < TRIES; i++) {
        struct live live = {0};

        if (live_read(&live, &d) < 0)
            cli_die_diag(&d);
        rs = make_set(&live, &again, &d);
        live_fini(&live);
    }
    if (!rs || rset_write_as(rs, &style, stdout, &d) < 0)
        cli_die_diag(&d);
    rset_destroy(rs);
    poptFreeContext(ctx);
    cli_exit(STATUS_OK);
}
