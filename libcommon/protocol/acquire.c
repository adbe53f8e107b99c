/*
 * The scheduler's side of RFC 28: requests for resources, and their responses.
 * Both editions come down to four changes of targets: received, up, down, and
 * taken away.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/near.h"
#include "compare/algebra.h"
#include "compare/reconcile.h"
#include "compare/responses.h"
#include "protocol/scheduler_private.h"

/* --- requests ------------------------------------------------------------- */

static void send_acquire(struct scheduler *s, struct acquisition *a)
{
    FILE *fp = s->options.provider;

    a->matchtag = scheduler_tag(s);
    request_begin(fp, "resource.acquire", a->matchtag, "streaming");
    if (!s->current) {
        fputs(",\"payload\":{\"group\":", fp);
        json_write_message(fp, a->name);
        putc('}', fp);
    }
    response_end(fp);
}

void acquire_start(struct scheduler *s)
{
    for (size_t i = 0; i < s->ngroups; i++)
        send_acquire(s, &s->groups[i]);
}

void acquire_release(struct scheduler *s)
{
    FILE *fp = s->options.provider;

    for (size_t i = 0; i < s->ngroups; i++) {
        struct acquisition *a = &s->groups[i];
        struct idset *unused;
        char *text;
        if (idset_empty(a->lost))
            continue;
        unused = held_unused(s, a->lost);
        if (!idset_empty(unused)) {
            text = idset_encode(unused);
            request_begin(fp, "resource.release", scheduler_tag(s), NULL);
            fputs(",\"payload\":{\"group\":", fp);
            json_write_message(fp, a->name);
            responses_put_set(fp, ",\"targets\":\"", unused);
            payload_end(fp);
            scheduler_log(s, LEVEL_INFO, "targets %s are released", text);
            free(text);
            idset_remove_set(a->lost, unused);
        }
        idset_destroy(unused);
    }
}

/* --- changes of targets --------------------------------------------------- */

/* Warn about targets that a response should not name. `wrong` is taken over. */
static void warn_of(struct scheduler *s, const struct acquisition *a,
                    const char *what, struct idset *wrong, const char *fault)
{
    char *text = idset_encode(wrong);

    if (!idset_empty(wrong))
        scheduler_log(s, LEVEL_WARNING,
                      "resource.acquire: group %s: %s: targets %s %s", a->name,
                      what, text, fault);
    free(text);
    idset_destroy(wrong);
}

/* Unite a part with those before it until every group has received resources,
   then make the set. The times of the last part count. */
static void receive_early(struct scheduler *s, struct acquisition *a,
                          struct rset *part)
{
    struct rset *before = s->offered;
    struct diag d = {0};
    size_t at;

    if (!before) {
        s->offered = part;
    } else {
        rset_set_times(before, rset_starttime(part), rset_expiration(part));
        if (rset_unite(before, &part, 1, false, &at, &d) < 0)
            scheduler_fail(s, "resources: %s", d.text);
        rset_destroy(part);
    }
    a->grown = true;
    at = VECTOR_FIND(i, s->ngroups, !s->groups[i].grown);
    if (!s->failed && at == s->ngroups)
        inventory_begin(s);
}

static void receive(struct scheduler *s, struct acquisition *a,
                    struct rset *part, const struct idset *up)
{
    const struct acquisition *other = s->groups, *end = other + s->ngroups;
    char *text = idset_encode(part->ranks);

    while (other < end
           && (other == a || !idset_overlaps(other->ranks, part->ranks)))
        other++;
    if (other < end) {
        scheduler_fail(s,
                       "group %s: some of the targets %s are also in the group "
                       "%s",
                       a->name, text, other->name);
        rset_destroy(part);
        free(text);
        return;
    }
    warn_of(s, a, "grow", idset_intersect(part->ranks, a->ranks),
            "were given before");
    scheduler_log(s, LEVEL_INFO, "targets %s are given", text);
    free(text);
    idset_add_set(a->ranks, part->ranks);
    idset_remove_set(a->lost, part->ranks);
    idset_add_set(s->down, part->ranks);
    idset_remove_set(s->down, up);
    if (s->rs)
        inventory_grow(s, part);
    else
        receive_early(s, a, part);
}

/* --- responses ------------------------------------------------------------ */

/* Read the resources of a response. Returns a new set, or NULL with a diag. */
static struct rset *read_resources(struct scheduler *s,
                                   const struct acquisition *a,
                                   const json_t *payload, struct diag *d)
{
    const json_t *value = json_object_get(payload, "resources");
    const char *text = json_string_value(value);
    struct rset *rs = NULL;
    char *note = NULL;

    if (!text)
        diag_set(d, "resources: an R is expected");
    else if ((rs = rset_read_reconciled(text, json_string_length(value),
                                        "resources", s->options.trust, &note,
                                        d))
             && rset_check_ranks(rs, d) < 0) {
        rset_destroy(rs);
        rs = NULL;
    }
    if (note)
        scheduler_log(s, LEVEL_INFO, "resource.acquire: group %s: %s", a->name,
                      note);
    free(note);
    if (!rs)
        return NULL;
    if (!rs->ranks)
        rset_set_ranks(rs, idset_create(), NULL);
    return rs;
}

static const char not_there[] = "are not in the resources";

/* Check that each target is either online or offline. */
static int check_offline(struct scheduler *s, const struct acquisition *a,
                         const json_t *payload, const struct idset *all,
                         const struct idset *online, struct diag *d)
{
    struct idset *offline = message_ranks(payload, "offline", d), *both;
    int rc = 0;

    if (!offline)
        return -1;
    if (idset_overlaps(online, offline))
        rc = diag_set(d, "some targets are both online and offline");
    warn_of(s, a, "offline", idset_subtract(offline, all), not_there);
    both = idset_union(online, offline);
    if (rc == 0 && !idset_subset(all, both))
        rc = diag_set(d, "some targets are neither online nor offline");
    idset_destroy(both);
    idset_destroy(offline);
    return rc;
}

static void take_grow(struct scheduler *s, struct acquisition *a,
                      const json_t *payload, const char *up, struct diag *d)
{
    struct rset *part = read_resources(s, a, payload, d);
    struct idset *online = part ? message_ranks(payload, up, d) : NULL, *known;

    if (!online
        || (!s->current
            && check_offline(s, a, payload, part->ranks, online, d) < 0)) {
        rset_destroy(part);
    } else {
        known = idset_intersect(online, part->ranks);
        warn_of(s, a, up, idset_subtract(online, known), not_there);
        receive(s, a, part, known);
        idset_destroy(known);
    }
    idset_destroy(online);
}

/* Apply a change to targets, whose ranks are also in a text. */
static void change_targets(struct scheduler *s, struct acquisition *a,
                           const struct idset *ranks, const char *text,
                           enum fate fate)
{
    const char *type = fate_words[fate].type;

    scheduler_log(s, LEVEL_INFO, "targets %s are %s", text,
                  fate == FATE_SHRINK ? "taken away" : type);
    inventory_set_up(s, ranks, fate == FATE_UP);
    scheduler_record(s, type, NULL, text, false);
    if (fate != FATE_SHRINK) {
        planner_freed(
            s->planner); /* reservations may move, also if less is up */
        return;
    }
    idset_remove_set(a->ranks, ranks);
    idset_add_set(s->gone, ranks);
    if (!s->current)
        idset_add_set(a->lost, ranks);
    s->due |= s->rs ? DUE_RENEW : 0;
    if (s->phase < READYING) /* jobs are not known */
        return;
    if (!s->current)
        held_raise(s, ranks);
    s->due |= DUE_RELEASE | DUE_JUDGE;
}

/* Apply a change to the targets that a response names. */
static void take_targets(struct scheduler *s, struct acquisition *a,
                         const json_t *payload, const char *key, enum fate fate,
                         struct diag *d)
{
    struct idset *targets = message_ranks(payload, key, d), *ranks;
    const char *type = fate_words[fate].type;
    char *text;

    if (!targets)
        return;
    ranks = idset_intersect(targets, a->ranks);
    text = idset_encode(ranks);
    warn_of(s, a, type, idset_subtract(targets, ranks), "were not given");
    if (!idset_empty(ranks))
        change_targets(s, a, ranks, text, fate);
    free(text);
    idset_destroy(ranks);
    idset_destroy(targets);
}

static void take_seed(struct scheduler *s, struct acquisition *a,
                      const json_t *payload, struct diag *d)
{
    const char *type = json_string_value(json_object_get(payload, "type"));
    int fate = type ? WORD_FIND(fate_words, type) : -1;

    if (!type)
        diag_set(d, "type: a string is expected");
    else if (!strcmp(type, "grow"))
        take_grow(s, a, payload, "online", d);
    else if (!a->grown)
        diag_set(d, "type: the first response is not grow");
    else if (fate >= 0)
        take_targets(s, a, payload, "targets", (enum fate)fate, d);
    else
        diag_set(d, "type: %s is none of grow, shrink, online and offline",
                 quote_all(type).text);
}

static void change_end(struct scheduler *s, const json_t *payload,
                       struct diag *d)
{
    double end, old = rset_expiration(s->rs);

    if (message_time(json_object_get(payload, "expiration"), false, &end, d)
        < 0) {
        diag_in(d, "expiration");
        return;
    }
    rset_set_times(s->rs, rset_starttime(s->rs), end > 0 ? end : TIME_UNSET);
    held_follow_end(s, old);
    scheduler_record(s, "expiration", NULL, NULL, true); /* times are facts */
    s->due |= DUE_RENEW | DUE_JUDGE;
}

/* Apply the changes of a response in the order up, down, expiration, shrink. If
   a target is in several, the last one counts. */
static void take_current(struct scheduler *s, struct acquisition *a,
                         const json_t *payload, struct diag *d)
{
    bool ends = json_object_get(payload, "expiration");

    if (!a->grown) {
        take_grow(s, a, payload, "up", d);
        return;
    }
    if (json_object_get(payload, "resources"))
        scheduler_log(s, LEVEL_WARNING,
                      "resource.acquire: group %s: resources: this edition "
                      "can't add any",
                      a->name);
    for (enum fate fate = FATE_UP; fate < FATES; fate++) {
        if (fate == FATE_SHRINK && ends && s->rs)
            change_end(s, payload, d);
        if (json_object_get(payload, fate_words[fate].key))
            take_targets(s, a, payload, fate_words[fate].key, fate, d);
    }
}

void acquire_response(struct scheduler *s, const struct message *m)
{
    struct acquisition *a = s->groups, *end = a + s->ngroups;
    struct diag d = {0};
    char *what;

    while (a < end && a->matchtag != m->matchtag)
        a++;
    if (a == end) {
        scheduler_log(s, LEVEL_WARNING,
                      "resource.acquire: matchtag %u is unknown",
                      (unsigned)m->matchtag);
    } else if (m->errnum == MESSAGE_EPROTO && s->options.any_dialect
               && s->current && !s->rs) {
        s->current = false;
        send_acquire(s, a);
    } else if (m->errnum) {
        xasprintf(&what, "%s: group %s", m->topic, a->name);
        scheduler_refused(s, what, "the provider", m);
        free(what);
    } else {
        if (s->current)
            take_current(s, a, m->payload, &d);
        else
            take_seed(s, a, m->payload, &d);
        if (d.text[0])
            scheduler_fail(s, "resource.acquire: group %s: %s", a->name,
                           diag_line(&d).text);
    }
}
