/*
 * Says as JSON why a request got a no (answer.h), from what
 * schedule/explain.c counts.
 */
#include "cli/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/cli.h"
#include "model/records/records.h"
#include "schedule/explain.h"

void cli_put(FILE *fp, const char *key, const char *text)
{
    fputs(",\"", fp);
    fputs(key, fp);
    fputs("\":", fp);
    json_write_message(fp, text);
}

int cli_answer_status(enum match_answer answer)
{
    static const int status[] = {
        [MATCH_FOUND] = STATUS_OK,
        [MATCH_NOT_NOW] = STATUS_NO,
        [MATCH_NEVER] = STATUS_NEVER,
        [MATCH_ERROR] = STATUS_TROUBLE,
    };

    return status[answer];
}

/* --- as data ------------------------------------------------------------ */

static json_t *need_json(const struct need *need)
{
    json_t *more = json_object(), *part = NULL;

    for (int i = 0; i < OBSTACLES; i++)
        if (need->more[i])
            json_object_set_new(more, obstacle_names[i],
                                json_integer((json_int_t)need->more[i]));
    if (need->part)
        part = json_pack("{s:s,s:I,s:s*}", "need", need->part, "most",
                         (json_int_t)need->part_most, "in",
                         need->part_in_node ? "node" : NULL);
    return json_pack("{s:s,s:s,s:I,s:I,s:s*,s:I,s:o,s:o*}", "need", need->what,
                     "type", need->one, "count", (json_int_t)need->count,
                     "have", (json_int_t)need->have, "where", need->where,
                     "ever", (json_int_t)need->ever, "more", more, "part",
                     part);
}

static void add_explanation(json_t *answer, const struct explanation *ex)
{
    json_t *needs = json_array();

    if (ex->times) {
        json_object_set_new(answer, "times", json_string(ex->times));
        json_object_set_new(answer, "time", time_to_json(ex->time));
    }
    for (size_t i = 0; i < ex->n; i++)
        json_array_append_new(needs, need_json(&ex->needs[i]));
    json_object_set_new(answer, "needs", needs);
    json_object_set_new(answer, "each_alone", json_boolean(ex->each_alone));
}

json_t *cli_explain_json(struct usage *u, const struct request *req,
                         const struct match_options *opts,
                         enum match_answer answer, struct diag *d)
{
    static const char *const words[] = {[MATCH_FOUND] = "match",
                                        [MATCH_NOT_NOW] = "not now",
                                        [MATCH_NEVER] = "never"};
    double at = match_first_moment(u, req, opts, answer);
    struct explanation ex = {0};
    json_t *all;

    if (answer != MATCH_FOUND
        && match_explain(u, req, opts, MATCH_FOUND, &ex, d) < 0)
        return NULL;
    all = json_pack("{s:s}", "answer", words[answer]);
    if (answer != MATCH_FOUND)
        add_explanation(all, &ex);
    if (at >= 0)
        json_object_set_new(all, "when", time_to_json(at));
    explanation_fini(&ex);
    return all;
}
