/* Offers words of resource sets for completion (offers.h). */
#include "cli/offers.h"

#include <string.h>

#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "model/tree/properties.h"
#include "model/tree/types.h"
#include "schedule/policy.h"
#include "view/pool_table.h"
#include "view/subsystem.h"

struct rset *offer_set(const struct complete *c)
{
    const char *files[] = {complete_document(c), NULL};
    const char *store = complete_option_value(c, "store");

    if (store)
        return complete_is_file(store) ? cli_program()->store_set(store) : NULL;
    return files[0] ? cli_read(files, CLI_ONE).list[0].rs : NULL;
}

static void offer_jobs(struct complete *c, struct rset *rs)
{
    struct usage *u = usage_begin(rs);

    for (const struct job *job = usage_jobs(u); job; job = job->next)
        complete_offer(c, job->name, NULL);
}

/* Offer jobs for a list of them. After a comma only numbers are valid. */
static void offer_job_set(struct complete *c, struct rset *rs)
{
    const struct job *job = usage_jobs(usage_begin(rs));
    int64_t number;

    for (; job; job = job->next)
        if (!*c->before || job_is_number(job->name, &number))
            complete_offer(c, job->name, NULL);
}

static void offer_hosts(struct complete *c, struct rset *rs)
{
    struct hostlist_iter it;
    char host[HOSTLIST_NAME_MAX];

    complete_offer(c, "all", "all targets");
    if (!rs->hosts)
        return;
    hostlist_iter_init(&it, rs->hosts);
    while (hostlist_iter_next(&it, host) >= 0)
        complete_offer(c, host, NULL);
}

void offer_columns(struct complete *c, const struct table_column *columns)
{
    for (; columns && columns->name; columns++)
        complete_offer(c, columns->name, NULL);
}

static const struct {
    const char *placeholder;
    void (*offer)(struct complete *c, struct rset *rs);
} of_sets[] = {
    {"JOB", offer_jobs},      {"JOBS", offer_job_set},   {"WHAT", offer_hosts},
    {"TARGETS", offer_hosts}, {"HOSTLIST", offer_hosts},
};

void offer_of_sets(struct complete *c, const char *placeholder,
                   enum answer_kind answer)
{
    static const char *const editions[] = {"seed", "current", "auto"};
    const char *form = complete_option_value(c, "output");
    struct rset *rs;

    if (!strcmp(placeholder, "FORM"))
        cli_each_form(answer, complete_word, c);
    else if (!strcmp(placeholder, "COLUMN") && answer == ANSWER_SETS)
        offer_columns(c, form && !strcmp(form, "tree") ? cli_tree_columns
                                                       : pool_columns);
    else if (!strcmp(placeholder, "EDITION"))
        for (int i = 0; i < (answer == ANSWER_TALK ? 3 : 2); i++)
            complete_offer(c, editions[i], NULL);
    else if (!strcmp(placeholder, "STATE"))
        for (int i = 0; i < (c->command ? POOL_STATES : STATE_WORDS); i++)
            complete_offer(c, pool_state_names[i], NULL);
    else if (!strcmp(placeholder, "POLICY"))
        policy_each(complete_word, c);
    else if (!strcmp(placeholder, "TYPE"))
        type_each(offer_set(c), complete_word, c);
    else if (!strcmp(placeholder, "CONSTRAINT") && (rs = offer_set(c)))
        rset_each_property(rs, complete_word, c);
    else if (!strcmp(placeholder, "SUBSYSTEM") && (rs = offer_set(c)))
        rset_each_subsystem(rs, complete_word, c);
    for (size_t i = 0; i < sizeof(of_sets) / sizeof(of_sets[0]); i++)
        if (!strcmp(placeholder, of_sets[i].placeholder) && (rs = offer_set(c)))
            of_sets[i].offer(c, rs);
}

void offer_for_sets(struct complete *c, const char *placeholder)
{
    offer_of_sets(c, placeholder, ANSWER_SETS);
}
