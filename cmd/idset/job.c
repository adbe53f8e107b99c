/* The command line of `idset`, noted down and checked. */
#include "job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "kind.h"
#include "set/digits.h"

#define HOSTS_MAX 10000000 /* unless --limit says otherwise */

void job_init(struct idset_job *job)
{
    *job = (struct idset_job){.kind = &kind_ids,
                              .ids = IDSET_READER,
                              .hosts = HOSTLIST_READER,
                              .folded = true,
                              .between = " "};
    job->hosts.max = HOSTS_MAX;
}

char *job_own(struct idset_job *job, char *text)
{
    if (!text)
        return NULL;
    VECTOR_GROW(job->texts, job->ntexts);
    job->texts[job->ntexts++] = text;
    return text;
}

static bool is_input(const char *text)
{
    return strcmp(text, "-") == 0;
}

void job_add_step(struct idset_job *job, enum job_op op, const char *option,
                  const char *text)
{
    VECTOR_GROW(job->steps, job->nsteps);
    job->steps[job->nsteps++] = (struct job_step){
        op, {option, text, NULL}, is_input(text)};
}

void job_add_operand(struct idset_job *job, const char *text)
{
    char *source;

    xasprintf(&source, "argument %zu", ++job->noperands);
    job_add_step(job, JOB_UNION, job_own(job, source), text);
}

uint64_t job_number(const char *option, const char *text, uint64_t max)
{
    const char *end = text + strlen(text);
    uint64_t n;

    if (text == end || get_number(text, end, &n) != end)
        cli_usage("%s: %s is not a number", option,
                  quote(text, (size_t)(end - text)).text);
    if (n > max)
        cli_usage("%s: %s is larger than %" PRIu64, option,
                  quote(text, (size_t)(end - text)).text, max);
    return n;
}

/* Positions, in RFC 22; a hyphen before them counts from the end. */
static void read_positions(struct job_pick *pick, const char *option,
                           const char *text)
{
    struct diag d = {0};

    pick->from_end = *text == '-';
    text += pick->from_end;
    if (pick->from_end && !*text)
        cli_usage("%s: no position behind the hyphen", option);
    if (idset_decode(text, strlen(text), &pick->positions, &d) < 0)
        cli_die_in(&d, option);
}

void job_add_pick(struct idset_job *job, enum job_choice choice,
                  const char *option, const char *text)
{
    struct job_pick *pick;

    VECTOR_GROW(job->picks, job->npicks);
    pick = &job->picks[job->npicks++];
    *pick = (struct job_pick){.choice = choice};
    if (choice == JOB_NTH)
        read_positions(pick, option, text);
    else
        pick->n = job_number(option, text, UINT64_MAX - 1);
}

void job_add_check(struct idset_job *job, enum job_test test,
                   const char *option, const char *text)
{
    VECTOR_GROW(job->checks, job->nchecks);
    job->checks[job->nchecks++] = (struct job_check){test,
                                                     {option, text, NULL}};
}

/* Note who asks; no other may have asked before. */
static void claim(const char **by, const char *option)
{
    if (*by && strcmp(*by, option) != 0)
        cli_usage("%s and %s exclude each other", *by, option);
    if (*by)
        cli_usage("%s is given twice", option);
    *by = option;
}

void job_set_answer(struct idset_job *job, enum job_answer answer,
                    const char *option, const char *text)
{
    claim(&job->answer_option, option);
    job->answer = answer;
    if (answer == ANSWER_INDEX)
        job->of = (struct job_set){option, text, NULL};
    if (answer != ANSWER_NEXT && answer != ANSWER_PREV)
        return;
    job->ids_option = option;
    job->id = (uint32_t)job_number(option, text, IDSET_MAX);
}

void job_set_parts(struct idset_job *job, enum job_parts parts,
                   const char *option, const char *text)
{
    claim(&job->parts_option, option);
    job->parts = parts;
    if (parts != PARTS_SPLIT)
        return;
    job->nparts = job_number(option, text, UINT64_MAX - 1);
    if (job->nparts == 0)
        cli_usage("%s: there must be at least one part", option);
}

static const struct idset_form *find_form(const char *option, const char *name)
{
    const struct idset_form *form = idset_form(name);

    if (!form)
        cli_usage("%s: %s is none of %s", option,
                  quote(name, strlen(name)).text, idset_form_names());
    return form;
}

void job_set_from(struct idset_job *job, const char *name)
{
    job->from_option = "--from";
    job->ids.form = find_form("--from", name);
    job->hosts.step = !strcmp(name, "step");
}

void job_set_to(struct idset_job *job, const char *name)
{
    claim(&job->answer_option, "--to");
    job->form = find_form("--to", name);
    job->list = strcmp(name, "list") == 0;
    job->folded = strcmp(name, "idset") == 0;
    job->between = "\n";
}

void job_set_expand(struct idset_job *job)
{
    claim(&job->answer_option, "--expand");
    job->list = true;
    job->folded = false;
    job->between = " ";
}

void job_set_separator(struct idset_job *job, const char *text)
{
    static const char escapes[] = "nt\\", meaning[] = "\n\t\\";
    char *out = xmalloc(strlen(text) + 1), *p = out;

    for (; *text; text++) {
        const char *found = NULL;

        if (*text == '\\' && text[1])
            found = strchr(escapes, text[1]);
        if (found)
            text++;
        *p++ = found ? meaning[found - escapes] : *text;
    }
    *p = '\0';
    job->separator = job_own(job, out);
}

/* Options that would be passed over without a word are refused. */
static void check_answer(const struct idset_job *job)
{
    const char *asked = job->answer_option ? job->answer_option
                                           : job->parts_option;

    if (job->parts_option && job->answer >= ANSWER_FIRST)
        cli_usage("%s and %s exclude each other", job->parts_option,
                  job->answer_option);
    if (job->nchecks && asked && !job->lines)
        cli_usage("%s answers by the status alone; no %s with it",
                  job->checks[0].set.source, asked);
    if (job->separator && !job->list)
        cli_usage("--separator goes with --expand or --to list");
    if (job->separator && job->null)
        cli_usage("--separator and --null exclude each other");
    if (job->brackets && (!job->folded || job->answer != ANSWER_FORM))
        cli_usage("--brackets goes with folded sets");
}

static void check_kind(const struct idset_job *job)
{
    bool hosts = job->kind == &kind_hosts;

    if (hosts && job->ids_option)
        cli_usage("%s does not go with --hostlist", job->ids_option);
    if (hosts && job->from_option && !job->hosts.step
        && job->ids.form != idset_form("idset"))
        cli_usage("--from: hosts are read as idset or step");
    if (!hosts && job->hosts_option)
        cli_usage("%s goes with --hostlist", job->hosts_option);
    if (hosts && !job->folded && !job->list && job->form != idset_form("json"))
        cli_usage("--to: hosts are written as idset, list or json");
    if (hosts && job->brackets)
        cli_usage("--brackets does not go with --hostlist");
}

static void check_seed(struct idset_job *job)
{
    bool random = false;

    for (size_t i = 0; i < job->npicks; i++)
        random |= job->picks[i].choice == JOB_PICK;
    if (job->seed_option && !random)
        cli_usage("--seed goes with --pick");
    if (!job->seed_option && random
        && getrandom(&job->seed, sizeof(job->seed), 0) < 0)
        cli_die("no random numbers: %s", strerror(errno));
}

/* Standard input comes first if it was not named. */
static void add_input(struct idset_job *job)
{
    bool named = false;

    for (size_t i = 0; i < job->nsteps; i++)
        named |= job->steps[i].is_input;
    if (job->lines ? named : job->noperands > 0)
        return;
    VECTOR_GROW(job->steps, job->nsteps);
    memmove(job->steps + 1, job->steps, job->nsteps++ * sizeof(*job->steps));
    job->steps[0] = (struct job_step){JOB_UNION, {"stdin", "-", NULL}, true};
}

void job_finish(struct idset_job *job)
{
    check_answer(job);
    check_kind(job);
    check_seed(job);
    add_input(job);
    if (job->steps[0].op == JOB_EXCLUDE || job->steps[0].op == JOB_INTERSECT)
        cli_warn("%s %s: there is nothing before it to take from",
                 job->steps[0].set.source, job->steps[0].set.text);
    if (job->separator)
        job->between = job->separator;
    job->between_len = job->null ? 1 : strlen(job->between);
    if (job->null)
        job->between = ""; /* its NUL */
}
