/* rset-alloc serve: a scheduler. Standard input and output lead to the job
   manager, and to the resource provider if it has no streams of its own. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "base/time.h"
#include "cli/cli.h"
#include "cli/lines.h"
#include "cli/store.h"
#include "protocol/scheduler.h"
#include "base/digits.h"
#include "view/view.h"

/* --- options -------------------------------------------------------------- */

static const char *const default_group[] = {"default", NULL};

/* Read the groups, each given once. The current edition has only `default`. */
static void read_groups(struct scheduler_options *o,
                        const struct alloc_options *a)
{
    bool other = false;

    o->groups = a->groups ? (const char *const *)a->groups : default_group;
    for (size_t i = 0; o->groups[i]; i++) {
        const char *group = o->groups[i];
        alloc_check_text("--group", group, NULL);
        other = other || strcmp(group, default_group[0]) != 0;
        for (size_t k = 0; k < i; k++)
            if (!strcmp(o->groups[k], group))
                cli_usage("--group: %s is given twice", quote_all(group).text);
    }

    o->dialect = cli_dialect();
    o->any_dialect = cli_dialect_is_auto() && !a->resources && !other;
    if (o->dialect == DIALECT_CURRENT && other)
        cli_usage("--group: the current edition has only the group default");
    if ((o->dialect == DIALECT_SEED || o->any_dialect) && !cli_store && !a->kvs)
        cli_usage("serve: --store or --kvs is expected: in this dialect the R "
                  "of a job is not in the answer");
}

/* Read a number from 1 to `most`. */
static uint32_t read_count(const char *option, const char *text, uint32_t most)
{
    uint64_t n;

    if (!text_is_number(text, &n) || n == 0 || n > most)
        cli_usage("%s: %s is not in the range 1 to %u", option,
                  quote_all(text).text, (unsigned)most);
    return (uint32_t)n;
}

void alloc_queue_options(struct scheduler_options *o,
                         const struct alloc_options *a, bool reserves,
                         bool conserves)
{
    struct diag d = {0};

    for (char **p = a->parents; p && *p; p++) {
        char *equals = strchr(*p, '=');
        if (equals)
            *equals = '\0';
        if (queue_rules_adopt(&o->rules, *p, equals ? equals + 1 : "", &d) < 0)
            cli_usage("--queue-parent: %s", d.text);
    }
    if (a->depth && !conserves)
        cli_usage("--reservation-depth needs --queue-policy conservative");
    if (a->depth)
        o->depth = read_count("--reservation-depth", a->depth,
                              RESERVATIONS_MOST);
    if (a->slack && !reserves)
        cli_usage("--reservation-slack needs --queue-policy easy or "
                  "conservative");
    o->slack = SCHEDULER_SLACK;
    if (a->slack
        && duration_parse(a->slack, DURATION_SECONDS, &o->slack, &d) < 0)
        cli_usage("--reservation-slack: %s", d.text);
    if (a->queues)
        o->joined = cli_word("--queues", a->queues, "separate", "joined", NULL,
                             NULL);
    if (cli_request_semantics(&a->request, &o->how, &d) < 0)
        cli_die_diag(&d);
}

static void read_options(struct scheduler_options *o,
                         const struct alloc_options *a)
{
    struct diag d = {0};
    bool fixed, conserves;

    if (a->resources && cli_is_stdin(a->resources))
        cli_usage("--resources: standard input has the requests");
    if (a->queue_policy && queue_rules_read(&o->rules, a->queue_policy, &d) < 0)
        cli_usage("--queue-policy: %s", d.text);
    conserves = queue_rules_have(&o->rules, QUEUE_CONSERVATIVE);
    alloc_queue_options(
        o, a, conserves || queue_rules_have(&o->rules, QUEUE_EASY), conserves);
    if (a->job_form && (o->form = job_form_of(a->job_form, &d)) == JOB_FORMS)
        cli_usage("--job-form: %s", d.text);
    o->estimates = SCHEDULER_ESTIMATES;
    if (a->estimates && a->queue_policy
        && !queue_rules_have(&o->rules, QUEUE_FCFS))
        cli_usage("--estimates needs a queue under fcfs");
    if (a->estimates
        && queue_depth_read(a->estimates, 0, &o->estimates, &d) < 0)
        cli_usage("--estimates: %s", d.text);
    if (a->log_level && (o->most = log_level_of(a->log_level, &d)) == LEVELS)
        cli_usage("--log-level: %s", d.text);
    if (a->limit)
        o->limit = read_count("--limit", a->limit, INT32_MAX);
    read_groups(o, a);
    if (a->clock && strcmp(a->clock, "messages") != 0)
        cli_usage("--clock: %s: expected messages", quote_all(a->clock).text);
    o->clocked = a->clock;
    o->now = cli_clock(&fixed);
    if (!fixed)
        o->now = o->clocked ? 0 : -1;
    o->kvs = a->kvs;
    o->fail = cli_store_how()->fail;
}

/* --- events --------------------------------------------------------------- */

static void log_line(enum log_level level, const char *text, void *arg)
{
    (void)level, (void)arg;
    cli_warn("%s", text);
}

/* --- serving -------------------------------------------------------------- */

struct service {
    struct scheduler *scheduler;
    struct lines manager, provider;
    pid_t child; /* the provider; 0: none */
    bool heard;  /* it has sent a line */
};

static void start_provider(struct service *s, const char *command)
{
    int to[2], from[2];

    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0
        || (s->child = fork()) < 0)
        cli_die("--provider: %s", strerror(errno));
    if (s->child == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        signal(SIGPIPE, SIG_DFL);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    lines_open_pipes(&s->provider, "provider", from[0], to[1]);
}

static void keep(void *arg)
{
    scheduler_keep(((struct service *)arg)->scheduler);
}

static void look(void *arg)
{
    scheduler_look(((struct service *)arg)->scheduler);
}

static void serve(void *arg)
{
    struct service *s = arg;

    while (scheduler_more(s->scheduler) && !lines_stopped())
        scheduler_serve(s->scheduler);
    s->manager.idle = scheduler_wakes(s->scheduler) >= 0 ? look : NULL;
}

static FILE *open_peer(struct service *s, struct lines *l)
{
    l->skips = true;
    l->before = keep;
    l->arg = s;
    l->most = LINES_TALK;
    return l->out;
}

static bool waits_for_provider(const struct service *s)
{
    return s->child && !s->heard && !lines_stopped();
}

/*
 * Return the peer with the next line, or NULL if one of the two has ended.
 * First wait for a line of the provider: until then it is unknown whether it
 * runs.
 */
static struct lines *next_line(struct service *s)
{
    struct lines *peers[] = {&s->manager, &s->provider},
                 *l = lines_next_of(peers, s->child ? 2 : 1);

    if (!l && waits_for_provider(s))
        l = lines_next_of(&peers[1], 1);
    s->heard = s->heard || l == &s->provider;
    return l;
}

/* Handle lines. The queues are served when no line waits; with a fixed time
   after each line, so that answers don't depend on when lines arrive; and with
   a clock of messages when these say so. */
static void talk(struct service *s, const struct scheduler_options *o)
{
    struct lines *l;

    if (!o->clocked && o->now < 0)
        s->manager.waits = serve;
    while (scheduler_fine(s->scheduler) && (l = next_line(s))) {
        scheduler_line(s->scheduler,
                       l == &s->provider ? SCHEDULER_PROVIDER
                                         : SCHEDULER_MANAGER,
                       l->text, l->len, l->nlines);
        if (!o->clocked && o->now >= 0)
            serve(s);
    }
    serve(s);
}

int alloc_serve(struct alloc_call *call)
{
    struct scheduler_options o = {.log = log_line,
                                  .most = LEVEL_WARNING,
                                  .stopped = lines_stopped,
                                  .summary = view_short};
    struct service s = {0};
    struct keeper *keeper = NULL;
    struct store *store = NULL;
    bool fine;

    read_options(&o, call->options);
    if (call->options->resources
        && !(o.rs = cli_read_set(call->options->resources, 0, &call->d)))
        return -1;
    if (cli_store && access(cli_store, F_OK) == 0)
        store = cli_store_open(STORE_LEASE);
    if (cli_store)
        o.keeper = keeper = scheduler_store(store, cli_store, cli_store_how());
    lines_open(&s.manager, "-");
    o.manager = o.provider = open_peer(&s, &s.manager);
    if (call->options->provider) {
        start_provider(&s, call->options->provider);
        o.provider = open_peer(&s, &s.provider);
    }
    s.scheduler = scheduler_create(&o);
    lines_catch_signals();
    scheduler_start(s.scheduler);
    talk(&s, &o);
    fine = scheduler_fine(s.scheduler);
    if (fine && s.child && lines_over(&s.provider)
        && (!lines_over(&s.manager) || waits_for_provider(&s))) {
        cli_warn("the provider has ended");
        fine = false;
    }
    scheduler_end(s.scheduler);
    lines_close(&s.manager);
    if (s.child)
        lines_close(&s.provider);
    scheduler_destroy(s.scheduler);
    free(keeper);
    lines_check_service(&s.manager);
    return fine ? STATUS_OK : STATUS_TROUBLE;
}
