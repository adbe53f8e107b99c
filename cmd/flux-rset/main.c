/*
 * flux rset: write a live Flux instance as one R; make and free reservations of
 * the site.
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
#include "compare/job_R.h"
#include "compare/reconcile.h"
#include "live.h"
#include "model/document/document.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "reserve.h"

enum { TRIES = 5 };

enum { RESERVING = CLI_OWN_KINDS };

static const struct cli_command *nth_command(size_t i)
{
    static const struct cli_command commands[] = {
        {"Commands:",
         "reserve",
         "NAME",
         "let no job start that would use the targets in a time, such as a "
         "maintenance window",
         {"maint --at +1d --duration 8h --targets 'n[0-3]'"},
         RESERVING,
         NULL},
        {"Commands:",
         "unreserve",
         "NAME",
         "free a reservation",
         {"maint"},
         0,
         NULL},
    };
    return i < 2 ? &commands[i] : NULL;
}

static const struct cli cli = {
    .name = "flux-rset",
    .synopsis = "[COMMAND] [OPTION...]",
    .summary = "Write a running Flux instance as one R: resources, states, "
               "jobs.",
    .footer = "Exit status: 0 done, 1 jobs are in the way, 2 error.\n",
    .command = nth_command,
};

static struct reserve_options reserving;

static const struct cli_option options[] = {
    {"targets", '\0', CLI_VARIABLE(reserving.targets), RESERVING,
     "reserve these ranks or hosts, whole", "TARGETS"},
    {"at", '\0', CLI_VARIABLE(reserving.times.at), RESERVING,
     "set the start (default: now)", "TIME"},
    {"duration", '\0', CLI_VARIABLE(reserving.times.duration), RESERVING,
     "set the duration, such as 90, 1h30m or 2-00:00:00", "DURATION"},
    {"expiration", '\0', CLI_VARIABLE(reserving.times.expiration), RESERVING,
     "set the end", "TIME|never"},
    {"any-state", '\0', CLI_VARIABLE(reserving.any_state), RESERVING,
     "include what is down or drained"},
    {"owner", '\0', CLI_VARIABLE(reserving.owner), RESERVING,
     "record who made it", "NAME"},
    CLI_COMMON_OPTIONS,
    {0}};

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
 * the set has. It does not get what another job holds: then *note is a new
 * string that says so. Otherwise *note is NULL.
 */
static void hold(struct rset *rs, const struct live_job *job, char **note)
{
    struct term terms = {.owner = job->owner, .queue = job->queue};
    struct diag d = {0};
    struct rset *R = job_R_read(job->R, strlen(job->R), "R", NULL, &d);
    struct idset *held, *there, *gone;

    *note = NULL;
    if (R && R->ranks) {
        held = idset_subtract(R->ranks, job->released);
        if (job->kept)
            idset_add_set(held, job->kept);
        /* without those excluded since it began */
        there = idset_intersect(held, rs->ranks);
        gone = idset_subtract(R->ranks, there);
        R = job_R_without(R, gone, rs, &d);
        idset_destroy(gone);
        idset_destroy(there);
        idset_destroy(held);
    }
    if (R) {
        terms.start = rset_starttime(R);
        terms.end = rset_expiration(R);
        *note = job_R_hold(usage_begin(rs), job->id, R, &terms,
                           (double)time(NULL));
    } else {
        *note = xstrdup(diag_line(&d).text);
    }
    rset_destroy(R);
}

/* Add a reservation of the site, as sched.reservations lists it. */
static void add_reservation(struct rset *rs, const json_t *one)
{
    const char *name = json_string_value(json_object_get(one, "name")),
               *owner = json_string_value(json_object_get(one, "owner"));
    const json_t *start = json_object_get(one, "start"),
                 *end = json_object_get(one, "end");
    char *text = json_dumps(json_object_get(one, "R"), JSON_COMPACT), *note;
    double now = (double)time(NULL);
    struct term terms = {.owner = owner,
                         .start = json_number_value(start),
                         .end = end ? json_number_value(end) : TIME_UNSET};
    struct rset *R = NULL;
    struct diag d = {0};

    terms.reserved = terms.start > now;
    if (name && text)
        R = job_R_read(text, strlen(text), "R", NULL, &d);
    if (R && (note = job_R_hold(usage_begin(rs), name, R, &terms, now))) {
        cli_warn("warning: reservation %s: %s", name, note);
        free(note);
    }
    rset_destroy(R);
    free(text);
}

/* --- the set -------------------------------------------------------------- */

/*
 * Return everything that was read as one set; NULL with a diag. *again: two
 * jobs seem to hold the same resources. With `last` each such job gets a
 * warning instead.
 */
static struct rset *make_set(const struct live *live, bool last, bool *again,
                             struct diag *d)
{
    const char *text = live->status ? live->status : live->R;
    struct rset *rs;
    json_t *one;
    char *note;
    size_t k;

    *again = false;
    rs = rset_read_reconciled(text, strlen(text),
                              live->status ? "sched.resource-status"
                                           : "resource.status: R",
                              TRUST_NONE, &note, d);
    free(note);
    if (rs && rset_check_ranks(rs, d) < 0) {
        rset_destroy(rs);
        return NULL;
    }
    if (!rs || !(rs = job_R_without(rs, live->excluded, rs, d)))
        return NULL;
    if (live->status)
        cli_warn(
            "warning: only the owner of the instance may read the jobs of "
            "others: they are one job here, and reservations are left out");
    set_states(rs, live);
    for (size_t i = 0; i < live->njobs && !*again && !live->status; i++) {
        if (!live->jobs[i].R)
            continue;
        hold(rs, &live->jobs[i], &note);
        if (note && last)
            cli_warn("warning: job %s: %s", live->jobs[i].id, note);
        *again = note && !last;
        free(note);
    }
    json_array_foreach (live->reservations, k, one)
        add_reservation(rs, one);
    if (!*again)
        return rs;
    rset_destroy(rs);
    return NULL;
}

/* Write the instance as a document. */
static void write_set(void)
{
    struct rset_style style = {.form = FORM_R};
    struct rset *rs = NULL;
    struct diag d = {0};
    bool again = true;

    for (int i = 1; !rs && again && i <= TRIES; i++) {
        struct live live = {0};

        if (live_read(&live, &d) < 0)
            cli_die_diag(&d);
        rs = make_set(&live, i == TRIES, &again, &d);
        live_fini(&live);
    }
    if (!rs)
        cli_die_diag(&d);
    if (rset_has_graph(rs))
        style.form = FORM_RV1;
    if (rset_write_as(rs, &style, stdout, &d) < 0)
        cli_die_diag(&d);
    rset_destroy(rs);
}

int main(int argc, const char **argv)
{
    static poptContext ctx; /* reachable when a usage error ends us */
    const struct cli_command *command = NULL;
    const char *other, *word, *name = NULL;
    int status = STATUS_OK;
    struct diag d = {0};

    cli_init(&cli);
    ctx = cli_options(argc, argv, options, NULL, 0);
    if (cli_read_options(ctx, &d) < 0)
        cli_die_diag(&d);
    if (poptPeekArg(ctx) && !(command = cli_command(ctx, &d)))
        cli_die_diag(&d);
    if (command && !(name = poptGetArg(ctx)))
        cli_usage("%s: the name of a reservation is expected", command->name);
    if ((word = poptPeekArg(ctx)))
        cli_usage("%s: no operand is expected", quote_all(word).text);
    if ((!command || !command->takes)
        && (other = cli_first_set(options, NULL, RESERVING)))
        cli_usage("%s is for reserve", other);
    if (!command)
        write_set();
    else if (command->takes)
        status = reserve_make(name, &reserving, &d);
    else
        status = reserve_free(name, &d);
    if (status == STATUS_TROUBLE)
        cli_die_diag(&d);
    if (status != STATUS_OK)
        cli_warn("%s", d.text);
    poptFreeContext(ctx);
    cli_exit(status);
}
