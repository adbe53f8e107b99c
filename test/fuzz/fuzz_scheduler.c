/*
 * Lines come to schedulers of both editions and of either, from a job manager
 * and a resource provider, on separate streams or on one; with and without a
 * folder for the R of jobs; with a provider, or with resources from the start;
 * under each policy of queues.
 * A scheduler writes messages. A job with a grant holds resources. The
 * sums of usage are right.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "../unit/usage_sums.h"
#include "long_list.h"
#include "mutate_json.h"
#include "model/records/jobs.h"
#include "protocol/scheduler_private.h"
#include "view/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TAKEN_MAX = 1 << 16 };

/* --- kinds of schedulers -------------------------------------------------- */

static const char *const one_group[] = {"default", NULL};
static const char *const two_groups[] = {"default", "x", NULL};

static const struct kind {
    enum dialect dialect;
    bool any_dialect, apart, kvs, alone, joined;
    const char *const *groups;
    const char *policy; /* NULL: fcfs. Others also have a clock */
} kinds[] = {
    {DIALECT_SEED, .groups = one_group},
    {DIALECT_CURRENT, .groups = one_group},
    {DIALECT_SEED, .any_dialect = true, .apart = true, .groups = one_group},
    {DIALECT_SEED, .apart = true, .kvs = true, .groups = two_groups},
    {DIALECT_CURRENT, .alone = true, .kvs = true, .groups = one_group},
    {DIALECT_CURRENT, .alone = true, .groups = one_group,
     .policy = "easy,b=fcfs"},
    {DIALECT_SEED, .groups = one_group, .joined = true,
     .policy = "conservative:2"}};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static struct rset *read_resources(void)
{
    static const char text[] =
        "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-2\","
        "\"children\":{\"core\":\"0-1\",\"gpu\":\"0\"}}],\"nodelist\":[\"n["
        "0-2]\"]}}";
    struct diag d = {0};
    struct rset *rs = rset_read_text(text, sizeof(text) - 1, "set", TRUST_NONE,
                                     &d);

    check(rs != NULL);
    return rs;
}

/* --- a folder ------------------------------------------------------------- */

static char folder[32];

static void empty_folder(void)
{
    DIR *dir = opendir(folder);
    struct dirent *e;

    while (dir && (e = readdir(dir)))
        if (e->d_name[0] != '.')
            unlinkat(dirfd(dir), e->d_name, 0);
    if (dir)
        closedir(dir);
}

static void __attribute__((noreturn)) die(struct diag *d)
{
    fprintf(stderr, "%s\n", d->text);
    abort();
}

/* --- its output ----------------------------------------------------------- */

static void check_log(enum log_level level, const char *text, void *arg)
{
    (void)arg;
    check(level < LEVELS && *text);
}

struct output {
    FILE *fp;
    char *text;
    size_t size, at; /* how much of it is checked */
};

static void output_init(struct output *o)
{
    *o = (struct output){0};
    o->fp = open_memstream(&o->text, &o->size);
    check(o->fp != NULL);
}

static void output_fini(struct output *o)
{
    fclose(o->fp);
    free(o->text);
}

/* The answer to a line that is no message may lack a topic. */
static void check_message(const struct scheduler *s, const char *line,
                          size_t len)
{
    struct diag d = {0};
    struct message m;
    const json_t *type;

    check(message_read(line, len, &m, &d) == 0
          || (!m.topic && m.errnum == MESSAGE_EPROTO && m.matchtag > 0));
    check(json_object_get(m.json, "type") != NULL);
    type = json_object_get(m.payload, "type");
    if (m.topic && !strcmp(m.topic, "sched.alloc") && !m.errnum
        && json_integer_value(type) == 0)
        check(job_find(s->u, job_name(message_id(m.payload)).text) != NULL);
    message_fini(&m);
}

static void check_output(const struct scheduler *s, struct output *o)
{
    fflush(o->fp);
    while (o->at < o->size) {
        const char *line = o->text + o->at,
                   *end = memchr(line, '\n', o->size - o->at);
        check(end != NULL);
        check_message(s, line, (size_t)(end - line));
        o->at += (size_t)(end - line) + 1;
    }
}

static void check_usage(const struct scheduler *s)
{
    struct lot *lot = s->u ? usage_top(s->u) : NULL;

    for (; lot; lot = lot_next_in(s->u, usage_top(s->u), lot))
        check(!lot->in || !wrong_sums(s->u, lot));
}

/* --- lines ---------------------------------------------------------------- */

/* Lines about resources come from the provider, and now and then from
   others. */
static enum peer peer_of(const char *line, size_t len)
{
    return memmem(line, len, "\"resource.", 10) || len % 32 == 1
               ? SCHEDULER_PROVIDER
               : SCHEDULER_MANAGER;
}

static void take_line(struct scheduler *s, const struct kind *kind,
                      const char *text, size_t len, uint64_t number)
{
    char *line = malloc(len + 1);

    check(line != NULL);
    memcpy(line, text, len);
    line[len] = '\0';
    scheduler_line(s, kind->apart ? peer_of(line, len) : SCHEDULER_MANAGER,
                   line, len, number);
    if (len % 4 > 0)
        scheduler_serve(s);
    free(line);
}

static void take_lines(struct scheduler *s, const struct kind *kind,
                       struct output outputs[2], const char *text, size_t size)
{
    uint64_t number = 0;

    scheduler_start(s);
    while (size > 0 && scheduler_fine(s)) {
        const char *end = memchr(text, '\n', size);
        size_t len = end ? (size_t)(end - text) : size;
        take_line(s, kind, text, len, ++number);
        for (int i = 0; i < 2; i++)
            check_output(s, &outputs[i]);
        if (number % 8 == 0)
            scheduler_keep(s);
        text += len + (end != NULL);
        size -= len + (end != NULL);
    }
    if (scheduler_fine(s))
        check_usage(s);
    scheduler_end(s);
    scheduler_keep(s);
    for (int i = 0; i < 2; i++)
        check_output(s, &outputs[i]);
}

static void serve(const struct kind *kind, const char *text, size_t size)
{
    struct output outputs[2];
    struct scheduler_options o = {.dialect = kind->dialect,
                                  .any_dialect = kind->any_dialect,
                                  .groups = kind->groups,
                                  .kvs = kind->kvs ? folder : NULL,
                                  .fail = die,
                                  .joined = kind->joined,
                                  .clocked = kind->policy,
                                  .now = 1e9,
                                  .most = LEVEL_DEBUG,
                                  .log = check_log,
                                  .summary = view_short};
    struct scheduler *s;
    struct diag d;

    if (kind->policy)
        check(queue_rules_read(&o.rules, kind->policy, &d) == 0);
    for (int i = 0; i < 2; i++)
        output_init(&outputs[i]);
    o.manager = outputs[0].fp;
    o.provider = outputs[kind->apart].fp;
    o.rs = kind->alone ? read_resources() : NULL;
    s = scheduler_create(&o);
    take_lines(s, kind, outputs, text, size);
    scheduler_destroy(s);
    for (int i = 0; i < 2; i++)
        output_fini(&outputs[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    check(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    strcpy(folder, "/tmp/rset-fuzz.XXXXXX");
    check(mkdtemp(folder) != NULL);
    for (int i = 0; i < KINDS; i++) {
        if (size > TAKEN_MAX || has_long_list(text))
            break;
        serve(&kinds[i], text, size);
        if (kinds[i].kvs)
            empty_folder();
    }
    rmdir(folder);
    free(text);
    return 0;
}
