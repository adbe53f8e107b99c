/*
 * replay TRACE NODES CORES POLICY DRAW DIR COMMAND...: replay a trace on NODES
 * nodes of CORES cores. COMMAND starts the service with the resources that are
 * in DIR/machine.json then (see `run`); POLICY is for the reports. Prints a
 * table of figures. Writes these files to DIR:
 *
 *     machine.json   the resources
 *     result.json    the figures
 *     schedule.swf   the trace, with the waits of this schedule
 *     schedule.json  the resources with the first DRAW jobs that started, for
 *                    rset-alloc timeline
 *
 * Events are ordered by time, and ends come before submissions. The lines of
 * one time are sched.clock, sched.free for each end, sched.alloc for each
 * submission, and sched.ping. Its answer shows that the service has decided
 * which jobs start at this time. They start when their R says. A job of no
 * length ends at the time at which it started, which is the next round of the
 * same time.
 */
#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <jansson.h>

#include "../manager/child.h"

static struct trace trace;
static double now;
static uint64_t answered; /* matchtag of the last answer */
static long draw;
static FILE *drawn;

void die(const char *fmt, ...)
{
    va_list ap;

    fputs("replay: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(2);
}

/* --- running jobs, as a heap: none ends before its parent ------------------
 */

static struct job **running;
static size_t nrunning;

static bool ends_before(const struct job *a, const struct job *b)
{
    double x = job_end(a), y = job_end(b);

    return x < y || (x == y && a < b);
}

static void running_add(struct job *j)
{
    size_t at = nrunning++;

    for (; at > 0 && ends_before(j, running[(at - 1) / 2]); at = (at - 1) / 2)
        running[at] = running[(at - 1) / 2];
    running[at] = j;
}

static struct job *running_take(void)
{
    struct job *first = running[0], *last = running[--nrunning];
    size_t at = 0, next;

    while ((next = 2 * at + 1) < nrunning) {
        if (next + 1 < nrunning
            && ends_before(running[next + 1], running[next]))
            next++;
        if (!ends_before(running[next], last))
            break;
        running[at] = running[next];
        at = next;
    }
    running[at] = last;
    return first;
}

/* --- files ---------------------------------------------------------------- */

static FILE *create(const char *dir, const char *name)
{
    char path[4096];
    FILE *fp;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    if (!(fp = fopen(path, "w")))
        die("%s: %s", path, strerror(errno));
    return fp;
}

static void finish(FILE *fp)
{
    if (ferror(fp) | fclose(fp))
        die("write error: %s", strerror(errno));
}

/* Write an R without its end. */
static void write_machine(const struct machine *m, FILE *fp)
{
    char nodes[32] = "0", cores[32] = "0";

    if (m->nodes > 1)
        snprintf(nodes, sizeof(nodes), "0-%ld", m->nodes - 1);
    if (m->cores > 1)
        snprintf(cores, sizeof(cores), "0-%ld", m->cores - 1);
    fprintf(fp,
            "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"%s\","
            "\"children\":{\"core\":\"%s\"}}],\"nodelist\":[\"n[%s]\"]}",
            nodes, cores, nodes);
}

/* Write the job as a reservation, of the time in which it runs. */
static void draw_job(const struct job *j, const json_t *R)
{
    json_t *of = json_object_get(json_object_get(R, "execution"), "R_lite");
    char *text;
    static long n;

    if (n == draw || j->field[RUN] == 0)
        return;
    text = json_dumps(of, JSON_COMPACT);
    fprintf(drawn,
            "%s{\"job\":%.0f,\"R_lite\":%s,\"start\":%.15g,\"end\":%.15g}",
            n++ ? "," : "", j->field[JOB], text, job_start(j), job_end(j));
    free(text);
}

/* --- lines from the service ----------------------------------------------- */

static void job_starts(json_int_t id, const json_t *payload)
{
    struct job *j = trace_find(&trace, (double)id);
    const json_t *R = json_object_get(payload, "R"),
                 *execution = json_object_get(R, "execution");
    double start; /* a missing one is 0 */

    if (!j || j->started || !execution)
        fail("job %" JSON_INTEGER_FORMAT " can't start", id);
    start = json_number_value(json_object_get(execution, "starttime"));
    j->started = true;
    j->field[WAIT] = start - j->field[SUBMIT];
    running_add(j);
    draw_job(j, R);
}

void answer(const char *line, size_t len)
{
    json_t *m = json_loadb(line, len, 0, NULL), *payload;
    const char *topic = json_string_value(json_object_get(m, "topic"));
    json_int_t id, type;

    if (!topic)
        fail("no message");
    payload = json_object_get(m, "payload");
    if (json_object_get(m, "errnum"))
        fail("an error");
    if (!strcmp(topic, "sched.ping"))
        answered = (uint64_t)json_integer_value(json_object_get(m, "matchtag"));
    if (!strcmp(topic, "sched.alloc")) {
        id = json_integer_value(json_object_get(payload, "id"));
        type = json_integer_value(json_object_get(payload, "type"));
        if (type == 0)
            job_starts(id, payload);
        else if (type != 1)
            fail("a job was denied");
    }
    json_decref(m);
}

/* --- lines to the service ------------------------------------------------- */

/* Wait until the service has read all lines, and knows which jobs start now. It
   looks at the queue after each line, also after a ping that it has answered;
   so there are two of them. */
static void barrier(void)
{
    uint64_t tag = answered + 2;

    for (int i = 1; i >= 0; i--) {
        say("{\"topic\":\"sched.ping\",\"matchtag\":%" PRIu64
            ",\"payload\":{}}",
            tag - (uint64_t)i);
        said();
    }
    while (answered != tag && !child.ended)
        pump(true);
}

static void begin(char *const command[])
{
    child_start(command, NULL);
    say("{\"topic\":\"job-manager.sched-hello\",\"matchtag\":1,\"errnum\":61}");
    said();
    say("{\"topic\":\"job-manager.sched-ready\",\"matchtag\":2,"
        "\"payload\":{\"count\":0}}");
    said();
    child.may_end = true;
    barrier();
    if (child.ended)
        exit(2); /* it has said why */
    child.may_end = false;
}

static void end(void)
{
    child.may_end = true;
    child_close();
    while (!child.ended)
        pump(true);
    if (child_reap() != 0)
        fail("the service has failed");
}

static void submit(const struct job *j)
{
    say("{\"topic\":\"sched.alloc\",\"payload\":{\"id\":%.0f,\"priority\":16,"
        "\"userid\":%.0f,\"jobspec\":{\"version\":1,\"resources\":[{\"type\":"
        "\"slot\",\"count\":%.0f,\"label\":\"task\",\"with\":[{\"type\":"
        "\"core\",\"count\":1}]}],",
        j->field[JOB], fmax(j->field[USER], 0), j->field[PROCESSORS]);
    say("\"tasks\":[{\"command\":[\"a\"],\"slot\":\"task\",\"count\":"
        "{\"per_slot\":1}}],\"attributes\":{\"system\":{\"duration\":%.15g}}}}"
        "}",
        j->duration);
    said();
}

static void play(void)
{
    size_t next = 0;

    while (next < trace.n || nrunning) {
        double at = INFINITY;

        if (nrunning)
            at = job_end(running[0]);
        if (next < trace.n)
            at = fmin(at, trace.job[next].field[SUBMIT]);
        now = fmax(now, at);
        say("{\"topic\":\"sched.clock\",\"payload\":{\"now\":%.15g}}", now);
        said();
        while (nrunning && job_end(running[0]) <= now) {
            say("{\"topic\":\"sched.free\",\"payload\":{\"id\":%.0f}}",
                running_take()->field[JOB]);
            said();
        }
        for (; next < trace.n && trace.job[next].field[SUBMIT] <= now; next++)
            submit(&trace.job[next]);
        barrier();
    }
    for (size_t i = 0; i < trace.n; i++)
        if (!trace.job[i].started)
            fail("job %.0f never starts", trace.job[i].field[JOB]);
}

/* --- the program ---------------------------------------------------------- */

static long number(const char *name, const char *text, long least, long most)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end || value < least || value > most)
        die("%s: \"%s\": a number from %ld to %ld is expected", name, text,
            least, most);
    return value;
}

int main(int argc, char **argv)
{
    struct machine m;
    const char *dir;
    FILE *fp;

    if (argc < 8)
        die("usage: replay TRACE NODES CORES POLICY DRAW DIR COMMAND...");
    m.nodes = number("NODES", argv[2], 1, 1000000);
    m.cores = number("CORES", argv[3], 1, 100000);
    m.policy = argv[4];
    draw = number("DRAW", argv[5], 0, 10000000);
    dir = argv[6];
    trace_read(&trace, argv[1], (double)m.nodes * (double)m.cores);
    running = calloc(trace.n, sizeof(struct job *));
    if (!running)
        abort();

    write_machine(&m, fp = create(dir, "machine.json"));
    fputs("}\n", fp);
    finish(fp);
    write_machine(&m, drawn = create(dir, "schedule.json"));
    fputs(",\"attributes\":{\"system\":{\"scheduler\":{\"reservations\":[",
          drawn);

    signal(SIGPIPE, SIG_IGN);
    begin(argv + 7);
    play();
    end();

    fputs("]}}}}\n", drawn);
    finish(drawn);
    result_trace(&trace, fp = create(dir, "schedule.swf"));
    finish(fp);
    result_json(&trace, &m, fp = create(dir, "result.json"));
    finish(fp);
    result_table(&trace, &m, stdout);
    finish(stdout);
    return 0;
}
