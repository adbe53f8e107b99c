/* Says in words why a request got a no, from what explain.c counts. */
#include "schedule/explain.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/time.h"
#include "model/records/records.h"

static const char *is_or_are(uint64_t n)
{
    return n == 1 ? "is" : "are";
}

/*
 * What stands in the way: "12 more are down, 1 more is held". Of what there
 * is in all, only a constraint takes anything away.
 */
static void put_obstacles(FILE *fp, const struct need *need, bool never)
{
    const char *sep = "; ";

    for (int i = 0; i < OBSTACLES; i++) {
        if (!need->more[i] || (never && i != OBSTACLE_CONSTRAINT))
            continue;
        fprintf(fp, "%s%llu more %s %s", sep, (unsigned long long)need->more[i],
                is_or_are(need->more[i]), obstacle_names[i]);
        sep = ", ";
    }
}

static void put_part(FILE *fp, const struct need *need)
{
    if (need->part)
        fprintf(fp, " (one needs %s, the most%s is %llu)", need->part,
                need->part_in_node ? " in a node" : "",
                (unsigned long long)need->part_most);
}

static void put_number_of(FILE *fp, uint64_t n, bool never, bool at_least)
{
    const char *least = at_least ? "at least " : "";

    if (never)
        fprintf(fp, "there %s %s%llu", is_or_are(n), least,
                (unsigned long long)n);
    else
        fprintf(fp, "%s%llu can be had", least, (unsigned long long)n);
}

static void put_need(FILE *fp, const struct need *need,
                     enum match_answer answer, bool whole)
{
    bool never = answer == MATCH_NEVER;
    uint64_t n = never ? need->ever : need->have;

    fprintf(fp, "need %s: ", need->what);
    if (n == 0 && need->at_least) {
        fputs("how many there are takes too long to find out", fp);
    } else if (n == 0) {
        fputs(never ? "there is none" : "none can be had", fp);
        put_part(fp, need);
    } else {
        put_number_of(fp, n, never, need->at_least);
    }
    if (!whole)
        return;
    if (need->where && n == need->have)
        fprintf(fp, " (%s)", need->where);
    put_obstacles(fp, need, never);
}

static void put_times(FILE *fp, const struct explanation *ex)
{
    fprintf(fp, "%s (%s)", ex->times, time_utc(ex->time).text);
}

/* Is it something of which there is too little? */
static bool is_short(const struct need *need, enum match_answer answer)
{
    return (answer == MATCH_NEVER ? need->ever : need->have) < need->count;
}

static void put_explanation(FILE *fp, const struct explanation *ex,
                            enum match_answer answer, bool whole)
{
    const char *sep = "";

    if (ex->times && !(ex->later && answer == MATCH_NEVER)) {
        put_times(fp, ex);
        return;
    }
    for (size_t i = 0; i < ex->n; i++) {
        if (!is_short(&ex->needs[i], answer))
            continue;
        fputs(sep, fp);
        put_need(fp, &ex->needs[i], answer, whole);
        sep = "; ";
    }
    if (!*sep)
        fputs("each part can be had, but not all together", fp);
}

double match_first_moment(struct usage *u, const struct request *req,
                          const struct match_options *opts,
                          enum match_answer answer)
{
    struct selection *sel = NULL;
    struct diag unknown = {0};
    double at = -1;

    if (answer == MATCH_NOT_NOW
        && match_earliest(u, req, opts, &sel, &at, &unknown) != MATCH_FOUND)
        at = -1;
    selection_destroy(sel);
    return at;
}

char *match_explain_text(struct usage *u, const struct request *req,
                         const struct match_options *opts,
                         enum match_answer answer, bool whole, struct diag *d)
{
    double at = whole ? match_first_moment(u, req, opts, answer) : -1;
    struct explanation ex;
    char *text, *more = NULL;
    FILE *fp;

    if (match_explain(u, req, opts, whole ? MATCH_FOUND : answer, &ex, d) < 0)
        return NULL;
    fp = memory_open(&text, NULL);
    put_explanation(fp, &ex, answer, whole);
    if (at >= 0) {
        fputs("; it fits at ", fp);
        fputs(time_utc(at).text, fp);
    }
    if ((more = constraint_unknown(opts->constraint, u->rs))
        || (more = request_unknown(req, u->rs)))
        fputs(more, fp);
    free(more);
    memory_close(fp);
    explanation_fini(&ex);
    return text;
}
