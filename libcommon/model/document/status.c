/*
 * What a scheduler answers of the state of its resources (status.h).
 */
#include "model/document/status.h"

#include <string.h>

#include "base/json.h"
#include "model/document/edition.h"
#include "model/document/reader.h"

/* A node is down as a whole, whatever of it is listed. */
static json_t *ranks_alone(const json_t *list)
{
    json_t *ranks = json_array(), *entry;
    size_t i;

    json_array_foreach (list, i, entry)
        json_array_append_new(
            ranks, json_pack("{s:O?}", "rank", json_object_get(entry, "rank")));
    return ranks;
}

/* The R_lite of `down` or `allocated` as the list of records that it is. */
static void take_status(struct reader *r, struct mark_text *t, const char *key,
                        enum mark_kind kind, const char *name)
{
    json_t *value = json_object_get(r->rs->extra, key), *list, *records;

    if (!value || json_is_null(value))
        return;
    list = json_object_get(json_object_get(value, "execution"), "R_lite");
    if (!json_is_array(list) || t->text) {
        fault(r, RULE_NO_DOCUMENT, IN_KEY(NULL, key), "%s",
              t->text ? "`all` says itself what of it is"
                      : "an R with an `execution` is expected");
        return;
    }
    records = json_pack("[{s:s, s:o}]", mark_words[kind].name, name, "R_lite",
                        kind == MARK_STATE ? ranks_alone(list)
                                           : json_incref(list));
    t->text = json_dumps(records, JSON_COMPACT);
    t->len = strlen(t->text);
    t->from = stream_place(r->s);
    json_decref(records);
    json_object_set_new(edition_make_scheduler(r->rs->attributes),
                        mark_words[kind].key, json_null());
}

void status_read(struct reader *r, struct mark_text *marks)
{
    if (!r->rs->attributes)
        r->rs->attributes = json_object();
    take_status(r, &marks[MARK_STATE], "down", MARK_STATE, "down");
    take_status(r, &marks[MARK_ALLOCATION], "allocated", MARK_ALLOCATION,
                "allocated");
    json_object_del(r->rs->extra, "down");
    json_object_del(r->rs->extra, "allocated");
}
