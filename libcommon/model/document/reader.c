/* Keys and values of a stream, places, and the list of faults (reader.h). */
#include "model/document/reader.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/document/unknown.h"

/* --- faults -------------------------------------------------------------- */

void faults_fini(struct faults *faults)
{
    for (size_t i = 0; i < faults->n; i++) {
        free(faults->list[i].where);
        free(faults->list[i].text);
    }
    free(faults->list);
    faults->list = NULL;
    faults->n = 0;
    faults->jobs = false;
}

/* Recursion is bounded: places are never nested deeper than the model. */
static void write_place(const struct place *at, FILE *fp)
{
    if (!at)
        return;
    write_place(at->up, fp);
    if (at->key)
        fprintf(fp, "%s%s", at->up ? "." : "", at->key);
    else
        fprintf(fp, "[%zu]", at->index);
}

static bool is_of_halves(enum rule rule)
{
    return rule == RULE_HALVES_DISAGREE || rule == RULE_HOSTS_DISAGREE
           || rule == RULE_RECORDS_BESIDE;
}

bool reader_reports(const struct reader *r, enum fault_level level)
{
    if (!r->faults)
        return level == FAULT_REFUSED;
    return level != FAULT_STRICT || r->faults->strict;
}

void fault(struct reader *r, enum rule rule, const struct place *at,
           const char *fmt, ...)
{
    struct fault f = {.rule = &rules[rule], .level = rules[rule].level};
    FILE *fp;
    va_list ap;

    /* with --trust, a difference between the halves is only a warning */
    if (is_of_halves(rule) && r->trust != TRUST_NONE)
        f.level = FAULT_WARNED;
    r->refused += f.level == FAULT_REFUSED;
    if (r->ended
        || (!reader_reports(r, f.level)
            && !(r->faults && r->faults->strict_records
                 && rule_on_records(f.rule))))
        return;
    va_start(ap, fmt);
    xvasprintf(&f.text, fmt, ap);
    va_end(ap);
    fp = memory_open(&f.where, NULL);
    write_place(at, fp);
    memory_close(fp);
    if (r->faults) {
        VECTOR_ADD(r->faults->list, r->faults->n, f);
        return;
    }
    diag_set(r->d, "%s%s", f.text,
             is_of_halves(rule) ? " (choose one with --trust)" : "");
    if (*f.where)
        diag_in(r->d, "%s", f.where);
    free(f.text);
    free(f.where);
    r->ended = true;
}

void fault_value(struct reader *r, enum rule rule, const struct place *at,
                 const json_t *value, const char *what)
{
    fault(r, rule, at, "%s: %s", json_quote(value).text, what);
}

void need_version(struct reader *r, const json_t *object,
                  const struct place *at)
{
    const json_t *version = json_object_get(object, "version");

    if (json_integer_value(version) > 1)
        fault_value(r, RULE_VERSION, IN_KEY(at, "version"), version,
                    "expected version 1");
}

/* --- the stream ---------------------------------------------------------- */

bool read_enter(struct reader *r, struct stream_level *level, const char *kinds,
                const struct place *at)
{
    if (stream_enter(r->s, level, kinds, r->d) == 0)
        return true;
    if (r->d->source[0])
        r->ended = true;
    else
        fault(r, RULE_WRONG_TYPE, at, "%s", r->d->text);
    return false;
}

bool read_key(struct reader *r, struct stream_level *level, const char **key)
{
    int rc = r->ended ? 0 : stream_key(r->s, level, key, r->d);

    if (rc <= 0)
        stream_leave(level);
    r->ended = r->ended || rc < 0;
    return rc > 0;
}

bool read_item(struct reader *r, struct stream_level *level)
{
    int rc = r->ended ? 0 : stream_item(r->s, level, r->d);

    r->ended = r->ended || rc < 0;
    return rc > 0;
}

json_t *read_value(struct reader *r)
{
    json_t *value = r->ended ? NULL : stream_value(r->s, r->d);

    r->ended = !value;
    return value;
}

/* --- keys ---------------------------------------------------------------- */

struct near near_key(const json_t *object, const char *key)
{
    struct near near = {.word = key, .len = strlen(key)};
    const char *other;
    json_t *value;

    json_object_foreach ((json_t *)object, other, value)
        if (!near.text[0])
            near_try(&near, other);
    return near;
}

void report_typos(struct reader *r, const json_t *object,
                  const char *const *known, const struct place *at)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)object, key, value) {
        const char *meant = NULL;
        if (is_known_key(key, known)) /* the usual case */
            continue;
        for (size_t i = 0; known[i]; i++)
            if (near_slip(key, known[i]) && !json_object_get(object, known[i]))
                meant = known[i];
        if (!meant)
            continue;
        fault(r, RULE_KEY_SLIP, IN_KEY(at, key),
              "the key is unknown; near it: %s", meant);
        rset_note(r->rs, "the key %s is unknown; near it: %s",
                  quote_all(key).text, meant);
    }
}

void report_place(struct reader *r, const char *key, const char *home,
                  const struct place *at)
{
    fault(r, RULE_KEY_PLACE, IN_KEY(at, key), "ignored: its place is %s", home);
    rset_note(r->rs, "the key %s is ignored: its place is %s",
              quote_all(key).text, home);
}

void report_places(struct reader *r, const json_t *object,
                   const char *const *keys, const char *home,
                   const struct place *at)
{
    for (size_t i = 0; keys[i]; i++)
        if (json_object_get(object, keys[i]))
            report_place(r, keys[i], home, at);
}

/* --- values -------------------------------------------------------------- */

static bool need(struct reader *r, const json_t *value, bool good,
                 const char *what, const struct place *at)
{
    const char *found;

    if (good)
        return true;
    found = json_container(value);
    if (value)
        fault(r, RULE_WRONG_TYPE, at, "%s%s expected %s",
              found ? found : json_quote(value).text, found ? ";" : ":", what);
    else
        fault(r, RULE_KEY_MISSING, at, "missing: expected %s%s", what,
              near_key(at->among, at->key).text);
    return false;
}

bool need_object(struct reader *r, const json_t *value, const struct place *at)
{
    return need(r, value, json_is_object(value), "an object", at);
}

bool need_list(struct reader *r, const json_t *value, const struct place *at)
{
    return need(r, value, json_is_array(value), "a list", at);
}

const char *need_string(struct reader *r, const json_t *value,
                        const struct place *at)
{
    return need(r, value, json_is_string(value), "a string", at)
               ? json_string_value(value)
               : NULL;
}

bool need_integer(struct reader *r, const json_t *value, int64_t least,
                  int64_t *out, const struct place *at)
{
    if (json_is_integer(value) && json_integer_value(value) >= least) {
        *out = json_integer_value(value);
        return true;
    }
    fault(r, RULE_NUMBER, at, "%s: expected an integer of at least %lld",
          json_quote(value).text, (long long)least);
    return false;
}

bool need_time(struct reader *r, const json_t *value, double *out,
               const struct place *at)
{
    if (json_is_number(value) && json_number_value(value) >= 0) {
        *out = json_number_value(value) + 0.0; /* not -0.0 */
        return true;
    }
    fault_value(r, RULE_TIME, at, value, "expected seconds since the Epoch");
    return false;
}

struct idset *need_idset(struct reader *r, const json_t *value,
                         const struct place *at)
{
    struct diag d = {0};
    struct idset *set;

    if (!need(r, value, json_is_string(value), "an idset in a string", at))
        return NULL;
    if (idset_decode(json_string_value(value), json_string_length(value), &set,
                     &d)
        >= 0)
        return set;
    fault(r, RULE_IDSET, at, "%s", d.text);
    return NULL;
}

void require_known(struct reader *r, const struct idset *ids,
                   const struct idset *known, enum rule rule, const char *what,
                   const struct place *at)
{
    struct idset *unknown = idset_subtract(ids, known);

    if (!idset_empty(unknown))
        fault(r, rule, at, "rank %u %s", idset_first(unknown), what);
    idset_destroy(unknown);
}

const char *need_job(struct reader *r, const json_t *value,
                     const struct place *at)
{
    struct diag d = {0};
    const char *job = job_from_json(&r->jobs, value, &d);

    if (!job)
        fault(r, RULE_JOB, at, "%s%s", d.text,
              value ? "" : near_key(at->among, at->key).text);
    return job;
}

void reserve_keys(struct reader *r, const json_t *object,
                  const struct place *at, const char *reason)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)object, key, value)
        fault(r, RULE_RESERVED_KEY, IN_KEY(at, key), "%s", reason);
}

json_t *unknown_of(struct reader *r, const json_t *object,
                   const char *const *known, const struct place *at)
{
    json_t *keys = unknown_take(object, known);

    if (keys)
        report_typos(r, object, known, at);
    reserve_keys(r, keys, at, "reserved: not in any standard");
    return keys;
}
