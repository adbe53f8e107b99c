/*
 * Reservations of the site, such as maintenance windows. Each is a claim in the
 * ledger whose name is not the id of a job. The job manager does not know it,
 * so hello does not free it. It comes from the store, from the resources, or
 * from sched.reserve, and is gone when its end has come, or with
 * sched.unreserve.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/keys.h"
#include "base/memory.h"
#include "base/time.h"
#include "compare/cover.h"
#include "compare/job_R.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "protocol/scheduler_private.h"
#include "schedule/plan.h"

struct site {
    struct site *next;
    double start, end; /* TIME_UNSET: none */
    char name[];
};

bool site_owns(const char *name)
{
    int64_t id;

    return !job_is_number(name, &id);
}

/* --- the list ------------------------------------------------------------- */

static struct site **find(struct scheduler *s, const char *name)
{
    struct site **link = &s->site;

    while (*link && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    return link;
}

/* Add a reservation to the list, unless it is there. */
static void add(struct scheduler *s, const char *name, const struct term *t)
{
    size_t len = strlen(name) + 1;
    struct site *r;

    if (*find(s, name))
        return;
    r = xmalloc(sizeof(*r) + len);
    *r = (struct site){.next = s->site, .start = t->start, .end = t->end};
    memcpy(r->name, name, len);
    s->site = r;
    planner_windows(s->planner, true);
}

static void free_one(struct scheduler *s, struct site **link,
                     const char *command)
{
    struct site *r = *link;

    *link = r->next;
    held_release(s, r->name, command);
    if (s->options.reserved)
        s->options.reserved(r->name, NULL, s->options.arg);
    scheduler_log(s, LEVEL_INFO, "reservation %s: %s", r->name,
                  strcmp(command, "expire") ? "freed" : "has ended");
    free(r);
    planner_windows(s->planner, s->site);
    planner_freed(s->planner);
    s->due |= DUE_RELEASE;
}

double site_changes(const struct scheduler *s)
{
    double first = TIME_UNSET;

    for (const struct site *r = s->site; r; r = r->next) {
        double at = r->start > s->served ? r->start : r->end;
        if (at >= 0 && (first < 0 || at < first))
            first = at;
    }
    return first;
}

void site_expire(struct scheduler *s)
{
    struct site **link = &s->site;
    double now = scheduler_now(s);

    while (*link) {
        if ((*link)->end < 0 || (*link)->end > now) {
            link = &(*link)->next;
            continue;
        }
        planner_unhold(s->planner);
        free_one(s, link, "expire");
    }
}

void site_end(struct scheduler *s)
{
    struct site *r;

    while ((r = s->site)) {
        s->site = r->next;
        free(r);
    }
}

/* --- reading a request ---------------------------------------------------- */

struct reserving {
    const char *name, *owner, *R;
    double start, end, duration;
    struct idset *targets;
    bool any_state;
};

static int read_name(void *arg, json_t *value, void *to, struct diag *d)
{
    const char *name = json_string_value(value), *c = name;
    char id[JOB_DIGITS_MAX];

    (void)arg;
    while (c && *c && (unsigned char)*c >= ' ' && *c != 0x7f)
        c++;
    if (!name || !*name || *c || strlen(name) > JOB_NAME_MAX || !site_owns(name)
        || job_decode(name, false, id))
        return diag_set(d,
                        "%s: expected a name of at most %d bytes that is not "
                        "the id of a job and has no control characters",
                        json_quote(value).text, JOB_NAME_MAX);
    *(const char **)to = name;
    return 0;
}

static int read_targets(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    return json_is_string(value) ? idset_decode(
               json_string_value(value), json_string_length(value), to, d)
                                 : keys_wrong(d, value, "a string with ranks");
}

#define AT(member) offsetof(struct reserving, member)
static const struct key reserve_keys[] = {
    {"name", read_name, AT(name) | KEY_REQUIRED},
    {"start", message_read_time, AT(start)},
    {"end", message_read_time, AT(end)},
    {"duration", message_read_time, AT(duration)},
    {"targets", read_targets, AT(targets)},
    {"R", keys_text, AT(R)},
    {"any-state", keys_bool, AT(any_state)},
    {"owner", keys_text, AT(owner)},
    {0}};

/* Check what the keys say together. Sets start and end. Returns 0, or the
   number of an error with a diag. */
static int check(struct scheduler *s, struct reserving *q, struct diag *d)
{
    double now = scheduler_now(s);

    q->start = fmax(q->start, now);
    if (!q->targets == !q->R)
        return (void)diag_set(d, "expected either targets or R"),
               MESSAGE_EPROTO;
    if (q->end > 0 && q->duration > 0)
        return (void)diag_set(d, "expected either end or duration"),
               MESSAGE_EPROTO;
    if (q->duration > 0)
        q->end = q->start + q->duration;
    if (q->end <= 0)
        q->end = TIME_UNSET;
    if (q->end >= 0 && (q->end <= q->start || q->end > TIME_CALENDAR))
        return (void)diag_set(d, "it would end at %s, %s",
                              time_utc(q->end).text,
                              q->end <= now        ? "which has passed"
                              : q->end <= q->start ? "before it starts"
                                                   : "which is too late"),
               MESSAGE_EINVAL;
    if (q->end < 0 && q->start > now)
        return (void)diag_set(d, "a later start needs an end or a duration"),
               MESSAGE_EINVAL;
    if (*find(s, q->name))
        return (void)diag_set(d, "there is a reservation %s already", q->name),
               MESSAGE_EEXIST;
    return 0;
}

/* --- what is reserved ----------------------------------------------------- */

/* Return a plan for an R, or, without one, for the targets; NULL with a diag.
   Targets that are not in the set are a fault. */
static struct selection *make_plan(struct scheduler *s,
                                   const struct reserving *q, struct rset *R,
                                   struct diag *d)
{
    struct selection *sel = NULL;
    struct lots lots = {0};

    if (R) {
        if (cover_select(s->rs, R, &sel, d) == 0)
            plan_take_whole(sel);
        return sel;
    }
    if (!idset_subset(q->targets, s->rs->ranks)) {
        struct idset *missing = idset_subtract(q->targets, s->rs->ranks);
        char *text = idset_encode(missing);
        diag_set(d, "targets %s are not in the resources", text);
        free(text);
        idset_destroy(missing);
        return NULL;
    }
    sel = selection_create();
    lots_of_ranks(s->u, q->targets, &lots);
    selection_take_all(sel, s->u, &lots);
    lots_join(s->u, &lots);
    free(lots.list);
    plan_take_whole(sel);
    return sel;
}

/* Check a plan. Returns 0, or the number of an error with a diag that names all
   jobs in the way, if they are known, or `any-state`, if that would do. */
static int check_plan(struct scheduler *s, const struct reserving *q,
                      const struct selection *plan, const struct term *terms,
                      struct diag *d)
{
    double now = scheduler_now(s);
    struct lots lots = {0};
    struct diag unused;
    char *why;

    switch (plan_check(s->u, q->name, plan, terms, now,
                       PLAN_CHOSEN | (q->any_state ? PLAN_ANY_STATE : 0), d)) {
    case PLAN_GOOD:
        return 0;
    case PLAN_NOT_NOW:
        if (!q->targets)
            return MESSAGE_EBUSY;
        lots_of_ranks(s->u, q->targets, &lots);
        why = plan_in_the_way(s->u, q->name, &lots, terms, now);
        if (!why
            && plan_check(s->u, q->name, plan, terms, now,
                          PLAN_CHOSEN | PLAN_ANY_STATE, &unused)
                   == PLAN_GOOD)
            xasprintf(&why, "%s: any-state reserves it all the same", d->text);
        if (why)
            diag_set(d, "%s", why);
        lots_join(s->u, &lots);
        free(lots.list);
        free(why);
        return MESSAGE_EBUSY;
    case PLAN_NEVER:
        return MESSAGE_ERANGE;
    default:
        return MESSAGE_EINVAL;
    }
}

/* --- messages ------------------------------------------------------------- */

/* Write a reservation as the payload of sched.reserve with an R, a new
   object; NULL with a diag. */
static json_t *describe(struct scheduler *s, const char *name, struct diag *d)
{
    struct term terms;
    struct rset *R = held_R(s, name, &terms);
    char *text = job_R_text(R, JOB_FORM_SHORTHAND, scheduler_dialect(s), d);
    json_t *one = NULL;

    if (text) {
        one = json_pack("{s:s, s:o}", "name", name, "start",
                        time_to_json(terms.start));
        if (terms.end >= 0)
            json_object_set_new(one, "end", time_to_json(terms.end));
        if (terms.owner)
            json_object_set_new(one, "owner", json_string(terms.owner));
        json_object_set_new(one, "any-state", json_true());
        json_object_set_new(one, "R", json_loads(text, 0, NULL));
    }
    free(text);
    rset_destroy(R);
    return one;
}

int site_take_reserve(struct scheduler *s, const struct message *m,
                      struct diag *d)
{
    struct reserving q = {.start = TIME_UNSET};
    struct selection *plan = NULL;
    struct rset *R = NULL;
    struct term terms;
    json_t *text;
    int errnum;

    errnum = keys_read(s, m->payload, NULL, reserve_keys, false, &q, d) < 0
                 ? MESSAGE_EPROTO
                 : check(s, &q, d);
    terms = (struct term){.owner = q.owner,
                          .start = q.start,
                          .end = q.end,
                          .reserved = q.start > scheduler_now(s)};
    if (!errnum && q.R
        && !(R = rset_read_text(q.R, strlen(q.R), "R", TRUST_NONE, d)))
        errnum = MESSAGE_EPROTO;
    if (!errnum && !(plan = make_plan(s, &q, R, d)))
        errnum = MESSAGE_ENOENT;
    if (!errnum && !plan->picks)
        errnum = ((void)diag_set(d, "nothing is reserved"), MESSAGE_EINVAL);
    if (!errnum)
        errnum = check_plan(s, &q, plan, &terms, d);
    if (!errnum) {
        ledger_allocate(s->u, q.name, plan, &terms);
        add(s, q.name, &terms);
        planner_freed(s->planner); /* reservations of jobs may have to move */
        scheduler_record(s, "reserve", q.name, NULL, false);
        scheduler_log(s, LEVEL_INFO, "reservation %s: from %s", q.name,
                      time_utc(q.start).text);
        if (s->options.reserved && (text = describe(s, q.name, d))) {
            s->options.reserved(q.name, text, s->options.arg);
            json_decref(text);
        }
    }
    selection_destroy(plan);
    rset_destroy(R);
    idset_destroy(q.targets);
    return errnum;
}

void site_take_unreserve(struct scheduler *s, const struct message *m)
{
    const char *name = json_string_value(json_object_get(m->payload, "name"));
    struct site **link = name ? find(s, name) : NULL;
    char text[400];

    if (!name) {
        response_error(s->options.manager, m, MESSAGE_EPROTO,
                       "name: a string is expected");
    } else if (!*link) {
        snprintf(text, sizeof(text), "there is no reservation %s",
                 quote_all(name).text);
        response_error(s->options.manager, m, MESSAGE_ENOENT, text);
    } else {
        free_one(s, link, "unreserve");
        response_payload(s->options.manager, m, NULL);
    }
}

void site_take_list(struct scheduler *s, const struct message *m)
{
    json_t *list = json_array(), *one, *all;
    struct diag d = {0};

    for (const struct site *r = s->site; r; r = r->next)
        if ((one = describe(s, r->name, &d)))
            json_array_insert_new(list, 0, one); /* the oldest first */
    all = json_pack("{s:o}", "reservations", list);
    response_payload(s->options.manager, m, all);
    json_decref(all);
}

/* --- the beginning -------------------------------------------------------- */

void site_keep(struct scheduler *s)
{
    for (const struct site *r = s->site; r; r = r->next)
        held_keep(s, r->name);
}

void site_move(struct scheduler *s, const char *name, struct rset *R,
               struct term *terms)
{
    char *gone;
    const char *lacks = held_take(s, name, R, terms, &gone);

    add(s, name, terms);
    if (lacks)
        scheduler_log(s, LEVEL_WARNING, "reservation %s: %s", name, lacks);
    free(gone);
}

/* Make a reservation again that was made before a restart, with what is there
   of it. Its R is an object. */
static void make_again(struct scheduler *s, json_t *listed)
{
    json_t *payload = json_copy(listed);
    char *R_text = json_dumps(json_object_get(listed, "R"), JSON_COMPACT);
    struct reserving q = {.start = TIME_UNSET};
    double now = scheduler_now(s);
    struct rset *R = NULL;
    struct diag d = {0};
    struct term terms;

    if (R_text)
        json_object_set_new(payload, "R", json_string(R_text));
    if (keys_read(s, payload, NULL, reserve_keys, false, &q, &d) < 0 || !q.R
        || !(R = job_R_read(q.R, strlen(q.R), "R", NULL, &d))) {
        scheduler_log(s, LEVEL_WARNING, "a kept reservation: %s",
                      d.text[0] ? diag_line(&d).text : "R is missing");
    } else if (q.end > 0 && q.end <= now) {
        rset_destroy(R);
    } else {
        terms = (struct term){.owner = q.owner,
                              .start = q.start,
                              .end = q.end > 0 ? q.end : TIME_UNSET,
                              .reserved = q.start > now};
        site_move(s, q.name, R, &terms);
    }
    idset_destroy(q.targets);
    free(R_text);
    json_decref(payload);
}

void site_begin(struct scheduler *s)
{
    json_t *one;
    size_t i;

    json_array_foreach (s->options.reservations, i, one)
        make_again(s, one);
    for (struct job *job = usage_jobs(s->u); job; job = job->next) {
        if (!site_owns(job->name))
            continue;
        struct term terms = ledger_terms(s->u, job->name);
        add(s, job->name, &terms);
    }
}
