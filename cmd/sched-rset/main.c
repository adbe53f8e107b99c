/*
 * sched-rset: the scheduler of libcommon/protocol as a module of a Flux broker;
 * or, for tests, as a program that is a client of an instance.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "base/digits.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/time.h"
#include "broker.h"
#include "schedule/policy.h"
#include "view/view.h"

/* The name of the module, and of its table in the configuration of Flux. */
static const char table_name[] = "sched-rset";

/* --- arguments ------------------------------------------------------------ */

static int read_depth(const char *value, struct scheduler_options *o,
                      struct diag *d)
{
    uint64_t n = 0;
    bool good = text_is_number(value, &n) && n > 0 && n <= INT32_MAX;

    o->limit = good ? (uint32_t)n : 0;
    if (good || !strcmp(value, "unlimited"))
        return 0;
    return diag_set(d,
                    "%s: expected unlimited, or a number from 1 to 2147483647",
                    quote_all(value).text);
}

/* Read the argument of sched-simple that is queue-depth here. */
static int read_mode(const char *value, struct scheduler_options *o,
                     struct diag *d)
{
    static const char limited[] = "limited=";
    size_t len = sizeof(limited) - 1;

    return read_depth(strncmp(value, limited, len) == 0 ? value + len : value,
                      o, d);
}

static int read_policy(const char *value, struct scheduler_options *o,
                       struct diag *d)
{
    struct near near = {.word = value, .len = strlen(value)};

    if ((o->how.policy = policy_find(value, &near)))
        return 0;
    return diag_set(d, "there is no policy %s%s", quote(value, near.len).text,
                    near_or_all(&near));
}

static int read_level(const char *value, struct scheduler_options *o,
                      struct diag *d)
{
    /* the word of sched-simple */
    const char *level = strcmp(value, "err") == 0 ? "error" : value;

    o->most = log_level_of(level, d);
    return o->most < LEVELS ? 0 : -1;
}

static int read_reservations(const char *value, struct scheduler_options *o,
                             struct diag *d)
{
    return queue_depth_read(value, 1, &o->depth, d);
}

static int read_slack(const char *value, struct scheduler_options *o,
                      struct diag *d)
{
    return duration_parse(value, DURATION_SECONDS, &o->slack, d);
}

static int read_estimates(const char *value, struct scheduler_options *o,
                          struct diag *d)
{
    return queue_depth_read(value, 0, &o->estimates, d);
}

static int read_queue_policy(const char *value, struct scheduler_options *o,
                             struct diag *d)
{
    return queue_rules_read(&o->rules, value, d);
}

static int read_job_form(const char *value, struct scheduler_options *o,
                         struct diag *d)
{
    o->form = job_form_of(value, d);
    return o->form < JOB_FORMS ? 0 : -1;
}

static int read_trust(const char *value, struct scheduler_options *o,
                      struct diag *d)
{
    static const char *const words[] = {"execution", "graph"};
    int i = word_index(value, words, 2, d);

    o->trust = i == 1 ? TRUST_GRAPH : TRUST_EXECUTION;
    return i < 0 ? -1 : 0;
}

#define FLAG(member) .flag = offsetof(struct scheduler_options, member)

/* Without `read`, an argument sets a flag of the options: by the second of its
   words, or if it has none without a value. */
static const struct argument {
    const char *name;
    int (*read)(const char *value, struct scheduler_options *o, struct diag *d);
    size_t flag;
    const char *words[2];
} arguments[] = {
    {"queue-depth", .read = read_depth},
    {"mode", .read = read_mode},
    {"policy", .read = read_policy},
    {"queue-policy", .read = read_queue_policy},
    {"reservation-depth", .read = read_reservations},
    {"reservation-slack", .read = read_slack},
    {"estimates", .read = read_estimates},
    {"job-form", .read = read_job_form},
    {"trust", .read = read_trust},
    {"queues", FLAG(joined), .words = {"separate", "joined"}},
    {"log-level", .read = read_level},
    {"slot-scope", FLAG(how.slot_parent), .words = {"node", "parent"}},
    {"granule", FLAG(how.granule_pool), .words = {"unit", "pool"}},
    {"node-exclusive", FLAG(how.node_exclusive)},
};

static bool has_value(const struct argument *a)
{
    return a->read || a->words[0];
}

static int read_value(const struct argument *a, const char *value,
                      struct scheduler_options *o, struct diag *d)
{
    int i;

    if (a->read)
        return a->read(value, o, d);
    i = value ? word_index(value, a->words, 2, d) : 1;
    *(bool *)((char *)o + a->flag) = i == 1;
    return i < 0 ? -1 : 0;
}

/* Read NAME=VALUE or NAME. Returns 0, or -1 with a diag that names it. */
static int read_argument(const char *text, struct scheduler_options *o,
                         struct diag *d)
{
    const char *equals = strchr(text, '=');
    size_t len = equals ? (size_t)(equals - text) : strlen(text);
    struct near near = {.word = text, .len = len};

    for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++) {
        const struct argument *a = &arguments[i];
        near_try(&near, a->name);
        if (!word_is(text, len, a->name))
            continue;
        if (has_value(a) != (equals != NULL))
            diag_set(d, "%s value is expected", has_value(a) ? "a" : "no");
        else if (read_value(a, equals ? equals + 1 : NULL, o, d) == 0)
            return 0;
        return diag_in(d, "%s", a->name);
    }
    return diag_set(d, "%s: there is no such argument%s", quote(text, len).text,
                    near_or_all(&near));
}

/* Read the table [sched-rset], whose keys are arguments. `false` is the absence
   of an argument without a value. */
static int read_table(json_t *table, struct scheduler_options *o,
                      struct diag *d)
{
    const char *key;
    json_t *value;

    if (!json_is_object(table))
        return diag_set(d, "a table is expected");
    json_object_foreach (table, key, value) {
        int i = WORD_FIND(arguments, key);
        bool valued = i < 0 || has_value(&arguments[i]);
        char *text;
        int rc;
        if (valued ? !json_is_string(value) && !json_is_number(value)
                   : !json_is_boolean(value))
            return diag_set(d, "%s: %s is expected", key,
                            valued ? "a string or a number" : "true or false");
        if (json_is_false(value))
            continue;
        if (json_is_string(value))
            xasprintf(&text, "%s=%s", key, json_string_value(value));
        else if (json_is_integer(value))
            xasprintf(&text, "%s=%s", key, json_quote(value).text);
        else if (json_is_real(value))
            xasprintf(&text, "%s=%.17g", key, json_real_value(value));
        else
            text = xstrdup(key);
        rc = read_argument(text, o, d);
        free(text);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* Read the parents of virtual queues: flux-config-queues(5). */
static int read_parents(const flux_conf_t *conf, struct queue_rules *rules,
                        struct diag *d)
{
    json_t *queues = NULL, *queue;
    const char *name, *parent;

    if (!conf || flux_conf_unpack(conf, NULL, "{s?o}", "queues", &queues) < 0)
        return 0;
    json_object_foreach (queues, name, queue)
        if ((parent = json_string_value(json_object_get(queue, "parent")))
            && queue_rules_adopt(rules, name, parent, d) < 0)
            return diag_in(d, "queues");
    return 0;
}

/* Arguments go before the configuration. */
static int read_options(flux_t *h, const struct module *m,
                        const flux_conf_t *conf, struct scheduler_options *o,
                        struct diag *d)
{
    json_t *table = NULL;

    *o = (struct scheduler_options){.most = LEVEL_WARNING,
                                    .slack = SCHEDULER_SLACK,
                                    .estimates = SCHEDULER_ESTIMATES,
                                    .summary = view_short};
    if (conf && flux_conf_unpack(conf, NULL, "{s?o}", table_name, &table) == 0
        && table && read_table(table, o, d) < 0)
        return diag_in(d, "%s", table_name);
    if (read_parents(conf, &o->rules, d) < 0)
        return -1;
    for (int i = 0; i < m->argc; i++) {
        if (read_argument(m->argv[i], o, d) < 0)
            return -1;
        if (!strncmp(m->argv[i], "mode=", 5))
            flux_log(h, LOG_WARNING,
                     "mode: an argument of sched-simple; here it is "
                     "queue-depth");
    }
    return 0;
}

/* --- a module, or a client ------------------------------------------------ */

/* The broker calls this in a thread of its own. */
int mod_main(flux_t *h, int argc, char *argv[]);

__attribute__((visibility("default"))) int mod_main(flux_t *h, int argc,
                                                    char *argv[])
{
    const char *name = flux_aux_get(h, "flux::name");

    return broker_serve(h, &(struct module){.name = name ? name : table_name,
                                            .argc = argc,
                                            .argv = argv,
                                            .read = read_options});
}

static void stop(flux_reactor_t *r, flux_watcher_t *w, int revents, void *arg)
{
    (void)w, (void)revents, (void)arg;
    flux_reactor_stop(r);
}

int main(int argc, char *argv[])
{
    flux_t *h = flux_open(NULL, 0);
    flux_watcher_t *end;
    int rc;

    if (!h)
        return 2;
    flux_log_set_appname(h, table_name);
    end = flux_signal_watcher_create(flux_get_reactor(h), SIGTERM, stop, NULL);
    flux_watcher_start(end);
    rc = broker_serve(h, &(struct module){.name = table_name,
                                          .argc = argc - 1,
                                          .argv = argv + 1,
                                          .read = read_options});
    flux_watcher_destroy(end);
    flux_close(h);
    return rc < 0 ? 2 : 0;
}
