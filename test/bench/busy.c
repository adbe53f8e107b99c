/*
 * busy [OPTION...] [PHASE...] -- COMMAND...: a job manager that keeps a
 * scheduler busy. It starts the command on pipes, on another processor if
 * there is one, and plays the phases, with 64 requests on their way at a time.
 * For each phase it prints a line
 *
 *     PHASE SECONDS SECONDS KIB
 *
 * with the elapsed time, the CPU time of the command, and its memory after
 * the phase. Before the first phase come `start`, up to the request for jobs,
 * and `hello`, from there to readiness.
 *
 *     pairs:KIND:N   jobs that free their resources as soon as they get them
 *     hold:KIND:N    jobs that keep them
 *     drop:K:0       every K-th of these frees them
 *     wait:KIND:N    jobs that wait; the phase does not
 *     turn:KIND:N    held jobs free their resources, the oldest first, each as
 *                    soon as another job got some, and a new one comes
 *     free:0:N       the oldest held jobs free their resources
 *     cancel:0:N     the first jobs that wait are canceled
 *     rank:0:N       all jobs that wait get other priorities, in one message, N
 *                    times
 *     ping:0:N       nothing
 *     clock:K:N      the clock of the scheduler moves by K seconds, N times
 *     states:0:N     random targets of the inventory go offline or online
 *     regrow:0:N     a random target of the upper half, which no job may hold,
 *                    is removed and, when it was released, given again
 *
 * A KIND is cores (4), node (a whole one), gpu (with 6 cores) or mixed; or one
 * of a thousand requests with durations of their own: nodes/N (up to N whole
 * nodes), slots/N (up to N slots of more than half of a node), small/N (up to
 * N slots of 1 to 16 cores) or blend/N (small/N, and of three jobs one has up
 * to N/8 whole nodes). With -h FILE each line of FILE goes into a response to
 * hello, with -e N there are jobs with the ids 1 to N, and -s FILE writes a
 * file for -h. With -g FILE it is the provider, too, for the R in FILE: ranks
 * 0 to 9999 named n0 to n9999, of 48 cores and 8 GPUs, or only the first ones
 * (-t N). With -q N jobs name N queues, with -c TEXT a constraint: % in it
 * stands for a number below N (-m N). -p serves a clock of messages: it asks
 * for a pass before it waits for answers.
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { IN_FLIGHT = 64, ROOM = 1 << 22 };

static void die(const char *what)
{
    fprintf(stderr, "busy: %s\n", what);
    exit(2);
}

/* --- the command ---------------------------------------------------------- */

static pid_t pid;
static int from;
static FILE *to;

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Give the last processor to the command alone. */
static void share_processors(bool command)
{
    cpu_set_t all, mine;
    int last = 0;

    if (sched_getaffinity(0, sizeof(all), &all) < 0 || CPU_COUNT(&all) < 2)
        return;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all))
            last = i;
    CPU_ZERO(&mine);
    CPU_SET(last, &mine);
    if (!command)
        CPU_XOR(&mine, &all, &mine);
    sched_setaffinity(0, sizeof(mine), &mine);
}

static void start(char **argv)
{
    int in[2], out[2];

    if (pipe(in) < 0 || pipe(out) < 0 || (pid = fork()) < 0)
        die("no pipes, or no process");
    if (pid == 0) {
        share_processors(true);
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        for (int i = 0; i < 2; i++) {
            close(in[i]);
            close(out[i]);
        }
        execvp(argv[0], argv);
        _exit(127);
    }
    share_processors(false);
    close(in[0]);
    close(out[1]);
    from = out[0];
    to = fdopen(in[1], "w");
    setvbuf(to, NULL, _IOFBF, 1 << 16);
}

static long resident(void)
{
    char path[64], line[256];
    long kib = 0;
    FILE *fp;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    if (!(fp = fopen(path, "r")))
        return 0;
    while (fgets(line, sizeof(line), fp))
        if (!strncmp(line, "VmRSS:", 6))
            kib = strtol(line + 6, NULL, 10);
    fclose(fp);
    return kib;
}

/* Print the time since the last report. */
static void report(const char *name)
{
    static double elapsed, spent;
    double now = seconds(CLOCK_MONOTONIC), cpu = 0;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) == 0)
        cpu = seconds(clock);
    if (name)
        printf("%s %.6f %.6f %ld\n", name, now - elapsed, cpu - spent,
               resident());
    elapsed = now;
    spent = cpu;
}

/* --- messages to the scheduler -------------------------------------------- */

static int64_t last_id;
static int64_t *held; /* jobs that hold resources, the oldest first */
static size_t nheld, first_held;

/* Print the resources of a job. */
static void ask_resources(const char *kind, int64_t id)
{
    int k = (int)(id * 7919 % 1000), most = atoi(kind + strcspn(kind, "/") + 1);
    int n = 1 + k * k / 1000 * k / 1000 * most / 1000; /* few are large */

    if (!strcmp(kind, "mixed"))
        kind = id % 3 == 1 ? "node" : id % 3 == 2 ? "gpu" : "cores";
    if (!strncmp(kind, "blend", 5)) {
        n = id % 3 == 0 ? 1 + n / 8 : n;
        kind = id % 3 == 0 ? "nodes" : "small";
    }
    if (!strncmp(kind, "node", 4))
        fprintf(to,
                "{\"type\":\"node\",\"count\":%d,\"exclusive\":true,\"with\":["
                "{\"type\":\"slot\",\"count\":1,\"label\":\"task\",\"with\":["
                "{\"type\":\"core\",\"count\":1}]}]}",
                kind[4] ? n : 1);
    else if (!strncmp(kind, "slots", 5) || !strncmp(kind, "small", 5))
        fprintf(to,
                "{\"type\":\"slot\",\"count\":%d,\"label\":\"task\",\"with\":["
                "{\"type\":\"core\",\"count\":%d}]}",
                n, kind[1] == 'l' ? 25 + k % 24 : 1 + k % 16);
    else
        fprintf(to,
                "{\"type\":\"slot\",\"count\":1,\"label\":\"task\",\"with\":["
                "{\"type\":\"core\",\"count\":%s}]}",
                strcmp(kind, "gpu") != 0 ? "4"
                                         : "6},{\"type\":\"gpu\",\"count\":1");
}

static long queues, constraints = 1;
static const char *constraint;

static void name_queue(int64_t id)
{
    if (queues)
        fprintf(to, "\"queue\":\"q%ld\",", (long)(id % queues));
    if (constraint) {
        fputs("\"constraints\":", to);
        for (const char *c = constraint; *c; c++)
            if (*c == '%')
                fprintf(to, "%ld", (long)(id % constraints));
            else
                putc(*c, to);
        putc(',', to);
    }
}

static void ask(const char *kind)
{
    int64_t id = ++last_id;
    int duration = strchr(kind, '/') ? 1000 + (int)(id * 7919 % 1000) * 7
                                     : 3600;

    fprintf(to,
            "{\"type\":\"request\",\"topic\":\"sched.alloc\",\"payload\":{"
            "\"id\":%lld,\"priority\":16,\"userid\":1000,\"t_submit\":%lld.25,"
            "\"jobspec\":{\"version\":1,\"resources\":[",
            (long long)id, (long long)(1700000000 + id));
    ask_resources(kind, id);
    fprintf(
        to,
        "],\"tasks\":[{"
        "\"command\":[\"./simulation\",\"--steps\",\"1000\"],\"slot\":"
        "\"task\",\"count\":{\"per_slot\":1}}],\"attributes\":{\"system\":{");
    name_queue(id);
    fprintf(to,
            "\"duration\":%d.0,\"cwd\":\"/home/someone/work\",\"shell\":{"
            "\"options\":{\"rlimit\":{\"nofile\":1024}}}}}}}}\n",
            duration);
}

static void give_back(int64_t id)
{
    fprintf(to,
            "{\"type\":\"request\",\"topic\":\"sched.free\",\"payload\":{"
            "\"id\":%lld}}\n",
            (long long)id);
}

static void hold(int64_t id)
{
    static size_t room;

    if (nheld == room) {
        room = 2 * room + 1024;
        held = realloc(held, room * sizeof(*held));
        if (!held)
            die("no memory");
    }
    held[nheld++] = id;
}

/* --- messages from the scheduler ------------------------------------------ */

static char bytes[ROOM];
static size_t at, end;

static bool pings; /* ask for a pass before waiting */

/* Return the next line without its end. Sends everything before it waits. */
static char *hear(void)
{
    char *stop, *line;

    while (!(stop = memchr(bytes + at, '\n', end - at))) {
        ssize_t n;
        memmove(bytes, bytes + at, end - at);
        end -= at;
        at = 0;
        if (pings)
            fputs("{\"topic\":\"sched.ping\"}\n", to);
        fflush(to);
        n = read(from, bytes + end, ROOM - end);
        if (n <= 0)
            die(end == ROOM ? "a long line" : "the scheduler has ended");
        end += (size_t)n;
    }
    *stop = '\0';
    line = bytes + at;
    at = (size_t)(stop + 1 - bytes);
    return line;
}

static bool begins(const char *line, const char *with)
{
    return !strncmp(line, with, strlen(with));
}

static bool is_of(const char *line, const char *topic)
{
    const char *key = strstr(line, "\"topic\":\"");

    return key && begins(key + 9, topic) && key[9 + strlen(topic)] == '"';
}

static long matchtag_of(const char *line)
{
    const char *key = strstr(line, "\"matchtag\":");

    return key ? strtol(key + 11, NULL, 10) : 0;
}

static FILE *saved;

/* Write the R in an answer to the file. It is the last key. */
static void save(const char *line, int64_t id)
{
    const char *R = strstr(line, ",\"R\":");

    if (saved && R)
        fprintf(saved, "{\"id\":%lld,\"userid\":1000%.*s}\n", (long long)id,
                (int)(strlen(R) - 2), R);
}

/* Return the id of the job that got resources; 0: another message. */
static int64_t success(const char *line)
{
    static const char alloc[] = "{\"type\":\"response\",\"topic\":\"sched."
                                "alloc\",\"payload\":{\"id\":";
    char *rest;
    int64_t id;

    if (!begins(line, alloc))
        return 0;
    id = strtoll(line + strlen(alloc), &rest, 10);
    if (begins(rest, ",\"type\":2"))
        die(line);
    if (!begins(rest, ",\"type\":0"))
        return 0;
    save(line, id);
    return id;
}

/* Wait until all messages were read. Jobs that get resources keep them. */
static void settle(void)
{
    static long tag = 1000;
    const char *line;

    fprintf(to,
            "{\"type\":\"request\",\"topic\":\"sched.ping\",\"matchtag\":%ld,"
            "\"payload\":{}}\n",
            ++tag);
    do {
        int64_t id = success(line = hear());
        if (id)
            hold(id);
    } while (!is_of(line, "sched.ping") || matchtag_of(line) != tag);
}

/* --- hello ---------------------------------------------------------------- */

static long acquisition; /* the matchtag */
static bool current;
static int ntargets = 10000;

static char *slurp(const char *path)
{
    FILE *fp = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;

    if (!fp || getdelim(&text, &room, '\0', fp) < 0)
        die(path);
    fclose(fp);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void give_all(const char *line, const char *file)
{
    char *text = slurp(file);

    acquisition = matchtag_of(line);
    current = !strstr(line, "\"group\":");
    fprintf(to,
            "{\"type\":\"response\",\"topic\":\"resource.acquire\","
            "\"matchtag\":%ld,\"payload\":{%s\"resources\":%s,\"%s\":\"0-%d\"%s"
            "}}\n",
            acquisition, current ? "" : "\"type\":\"grow\",", text,
            current ? "up" : "online", ntargets - 1,
            current ? "" : ",\"offline\":\"\"");
    free(text);
}

static void tell_job(long tag, const char *payload)
{
    fprintf(to,
            "{\"type\":\"response\",\"topic\":\"job-manager.sched-hello\","
            "\"matchtag\":%ld,\"payload\":%s}\n",
            tag, payload);
}

static void say_hello(long tag, const char *file, int64_t n)
{
    FILE *fp = file ? fopen(file, "r") : NULL;
    char *line = NULL, text[64];
    size_t room = 0;

    while (fp && getline(&line, &room, fp) > 0) {
        line[strcspn(line, "\n")] = '\0';
        tell_job(tag, line);
    }
    if (fp)
        fclose(fp);
    free(line);
    while (last_id < n) {
        snprintf(text, sizeof(text), "{\"id\":%lld,\"userid\":1000}",
                 (long long)++last_id);
        tell_job(tag, text);
    }
    fprintf(to,
            "{\"type\":\"response\",\"topic\":\"job-manager.sched-hello\","
            "\"matchtag\":%ld,\"errnum\":61}\n",
            tag);
}

static void greet(const char *resources, const char *jobs, int64_t n)
{
    const char *line;

    while (!is_of(line = hear(), "job-manager.sched-hello"))
        if (is_of(line, "resource.acquire"))
            give_all(line, resources);
    report("start");
    say_hello(matchtag_of(line), jobs, n);
    while (!is_of(line = hear(), "job-manager.sched-ready"))
        if (is_of(line, "job-manager.raise"))
            die(line);
    fprintf(to,
            "{\"type\":\"response\",\"topic\":\"job-manager.sched-ready\","
            "\"matchtag\":%ld,\"payload\":{\"count\":0}}\n",
            matchtag_of(line));
    settle();
    report("hello");
    last_id = jobs || n ? 10000000 : 0; /* above the ids of those jobs */
}

/* --- phases --------------------------------------------------------------- */

/* Run N jobs, some at a time, which keep their resources or not. */
static void run_jobs(const char *kind, long n, bool keep)
{
    long asked = 0, done = 0;
    int64_t id;

    for (; asked < n && asked < IN_FLIGHT; asked++)
        ask(kind);
    while (done < n) {
        if (!(id = success(hear())))
            continue;
        done++;
        if (keep)
            hold(id);
        else
            give_back(id);
        if (asked < n) {
            ask(kind);
            asked++;
        }
    }
}

static void run_pairs(const char *kind, long n)
{
    run_jobs(kind, n, false);
}

static void run_hold(const char *kind, long n)
{
    run_jobs(kind, n, true);
}

static void run_drop(const char *each, long n)
{
    size_t step = strtoul(each, NULL, 10), left = 0;

    (void)n;
    for (size_t i = first_held; i < nheld; i++)
        if (i % step == 0)
            give_back(held[i]);
        else
            held[left++] = held[i];
    nheld = left;
    first_held = 0;
}

static int64_t waiting; /* the first job that waits, and was not canceled */

static void run_wait(const char *kind, long n)
{
    if (waiting == 0)
        waiting = last_id + 1;
    for (long i = 1; i <= n; i++) {
        ask(kind);
        if (i % IN_FLIGHT == 0)
            settle(); /* or both could wait for the other to read */
    }
}

static void run_free(const char *unused, long n)
{
    (void)unused;
    for (long i = 0; i < n; i++) {
        give_back(held[first_held++]);
        settle();
    }
}

static void run_cancel(const char *unused, long n)
{
    (void)unused;
    for (long i = 0; i < n; i++) {
        fprintf(to,
                "{\"type\":\"request\",\"topic\":\"sched.cancel\",\"payload\":{"
                "\"id\":%lld}}\n",
                (long long)waiting++);
        settle();
    }
}

static void run_rank(const char *unused, long n)
{
    (void)unused;
    for (long i = 1; i <= n; i++) {
        fputs("{\"topic\":\"sched.prioritize\",\"payload\":{\"jobs\":[", to);
        for (int64_t id = waiting; id <= last_id; id++)
            fprintf(to, "%s[%lld,%ld]", id > waiting ? "," : "", (long long)id,
                    16 + (long)(id * 7919 * i % 1000));
        fputs("]}}\n", to);
        settle();
    }
}

static void run_ping(const char *unused, long n)
{
    (void)unused;
    while (n-- > 0)
        settle();
}

static void run_clock(const char *seconds, long n)
{
    static long now;

    for (long i = 0; i < n; i++) {
        now += strtol(seconds, NULL, 10);
        fprintf(to, "{\"topic\":\"sched.clock\",\"payload\":{\"now\":%ld}}\n",
                now);
        settle();
    }
}

static void run_turn(const char *kind, long n)
{
    long freed = 0, done = 0;
    int64_t id;

    for (; freed < n && freed < IN_FLIGHT; freed++)
        give_back(held[first_held++]);
    while (done < n) {
        if (!(id = success(hear())))
            continue;
        done++;
        hold(id);
        ask(kind);
        if (freed < n) {
            give_back(held[first_held++]);
            freed++;
        }
    }
}

static void begin_event(void)
{
    fprintf(to,
            "{\"type\":\"response\",\"topic\":\"resource.acquire\","
            "\"matchtag\":%ld,\"payload\":{",
            acquisition);
}

static void run_states(const char *unused, long n)
{
    bool *down = calloc((size_t)ntargets, sizeof(*down));

    (void)unused;
    for (long i = 0; i < n; i++) {
        int target = rand() % ntargets;
        const char *name = current        ? down[target] ? "up" : "down"
                           : down[target] ? "online"
                                          : "offline";
        down[target] = !down[target];
        begin_event();
        if (current)
            fprintf(to, "\"%s\":\"%d\"}}\n", name, target);
        else
            fprintf(to, "\"type\":\"%s\",\"targets\":\"%d\"}}\n", name, target);
    }
    free(down);
}

static void run_regrow(const char *unused, long n)
{
    (void)unused;
    for (long i = 0; i < n; i++) {
        int target = ntargets / 2 + rand() % (ntargets / 2);
        const char *line;
        begin_event();
        fprintf(to, "\"type\":\"shrink\",\"targets\":\"%d\"}}\n", target);
        while (!is_of(line = hear(), "resource.release"))
            ;
        fprintf(to,
                "{\"type\":\"response\",\"topic\":\"resource.release\","
                "\"matchtag\":%ld}\n",
                matchtag_of(line));
        begin_event();
        fprintf(to,
                "\"type\":\"grow\",\"resources\":{\"version\":1,\"execution\":{"
                "\"R_lite\":[{\"rank\":\"%d\",\"children\":{\"core\":\"0-47\","
                "\"gpu\":\"0-7\"}}],\"nodelist\":[\"n%d\"]}},\"online\":\"%d\","
                "\"offline\":\"\"}}\n",
                target, target, target);
    }
}

static const struct {
    const char *name;
    void (*run)(const char *kind, long n);
} phases[] = {
    {"pairs", run_pairs},   {"hold", run_hold}, {"drop", run_drop},
    {"wait", run_wait},     {"turn", run_turn}, {"states", run_states},
    {"regrow", run_regrow}, {"free", run_free}, {"cancel", run_cancel},
    {"clock", run_clock},   {"rank", run_rank}, {"ping", run_ping},
};

static void run_phase(char *text)
{
    char *name, *kind, *n, whole[64];

    snprintf(whole, sizeof(whole), "%s", text);
    name = strtok(text, ":");
    kind = strtok(NULL, ":");
    n = strtok(NULL, ":");
    for (size_t i = 0; n && i < sizeof(phases) / sizeof(*phases); i++)
        if (!strcmp(name, phases[i].name)) {
            phases[i].run(kind, strtol(n, NULL, 10));
            settle();
            report(whole);
            return;
        }
    die("there is no such phase");
}

static void usage(void)
{
    die("usage: busy [OPTION...] [PHASE...] -- COMMAND [ARGUMENT...]");
}

int main(int argc, char **argv)
{
    const char *resources = NULL, *jobs = NULL;
    int64_t n = 0;
    int c, status, command;

    while ((c = getopt(argc, argv, "+h:s:g:e:t:q:c:m:p")) != -1)
        if (c == 'h')
            jobs = optarg;
        else if (c == 'g')
            resources = optarg;
        else if (c == 'e')
            n = strtoll(optarg, NULL, 10);
        else if (c == 't')
            ntargets = atoi(optarg);
        else if (c == 'q')
            queues = atol(optarg);
        else if (c == 'c')
            constraint = optarg;
        else if (c == 'm')
            constraints = atol(optarg);
        else if (c == 'p')
            pings = true;
        else if (c != 's' || !(saved = fopen(optarg, "w")))
            usage();
    command = optind - !strcmp(argv[optind - 1], "--");
    while (command < argc && strcmp(argv[command], "--") != 0)
        command++;
    if (command + 1 >= argc)
        usage();
    signal(SIGPIPE, SIG_IGN);
    start(argv + command + 1);
    report(NULL);
    greet(resources, jobs, n);
    for (int i = optind; i < command; i++)
        run_phase(argv[i]);
    fclose(to);
    while (read(from, bytes, ROOM) > 0)
        ;
    if (waitpid(pid, &status, 0) != pid || status != 0)
        die("the scheduler has failed");
    return saved && fclose(saved) != 0 ? 2 : 0;
}
