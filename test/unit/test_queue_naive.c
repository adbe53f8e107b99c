/*
 * The naive simulator (queue_naive.h) against schedules worked out by hand.
 */
#include "queue_naive.h"
#include "tap.h"

struct hand_step {
    const char *line, *expected; /* answers; promises */
};

struct hand_case {
    const char *name;
    enum sim_policy policy;
    int depth;
    bool joined;
    int burst;
    const char *cores; /* of each node: "44" */
    struct hand_step steps[12];
};

/*
 * Lines: a letter, and numbers.
 *
 *     N nodes duration [queue [mask]]   alloc whole nodes; mask: those allowed,
 *                                       as bits
 *     C slots cores duration [queue]    alloc cores
 *     t time    f job [node]    c job    p job priority    e job end
 *     d node (down)    u node (up)    g node (gone)    E end (of the set)
 *     s (nothing)
 *
 * A pass follows each line.
 * Duration 0 is without an end. The first job is job 1.
 */
static void hand_line(struct sim *s, const char *line)
{
    struct sim_job j = {.id = s->njobs + 1, .submitted = s->now};
    long n[4] = {0, 0, 0, 0};
    int got = sscanf(line + 1, "%ld %ld %ld %ld", &n[0], &n[1], &n[2], &n[3]);
    struct sim_job *of = sim_find(s, n[0]);
    long mask = line[0] == 'N' && got > 3 ? n[3] : ~0;

    for (int i = 0; i < NODES; i++)
        j.allowed[i] = mask >> i & 1;
    switch (line[0]) {
    case 'N':
        j.request = (struct sim_request){true, (int)n[0], 1, 1};
        j.duration = n[1] ? (double)n[1] : INFINITY;
        j.queue = (int)n[2];
        sim_alloc(s, &j);
        break;
    case 'C':
        j.request = (struct sim_request){false, 0, (int)n[0], (int)n[1]};
        j.duration = n[2] ? (double)n[2] : INFINITY;
        j.queue = (int)n[3];
        sim_alloc(s, &j);
        break;
    case 't':
        sim_finish(s);
        sim_clock(s, (double)n[0]);
        break;
    case 'f':
        if (got > 1)
            sim_free_node(s, of, (int)n[1]);
        else
            sim_free(s, of);
        break;
    case 'c':
        sim_cancel(s, of);
        break;
    case 'p':
        sim_prioritize(s, of, n[1]);
        break;
    case 'e':
        sim_extend(s, of, (double)n[1]);
        break;
    case 'g':
        sim_shrink(s, (int)n[0]);
        break;
    case 'E':
        sim_set_end(s, (double)n[0]);
        break;
    case 's':
        break;
    default:
        sim_set_up(s, (int)n[0], line[0] == 'u');
        break;
    }
}

static const struct hand_case hand_cases[] = {
    {"fcfs: a blocked job closes the queue, until it starts", SIM_FCFS,
     .joined = true, .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 2 10", ";"},
               {"N 1 5", ";"},
               {"t 10", ";"},
               {"f 1", "+2 on 11 10-20;"},
               {"f 2", "+3 on 10 10-15;"}}},
    {"fcfs: separate queues do not block each other", SIM_FCFS, .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 2 10 1", ";"},
               {"N 1 5 1", ";"},
               {"N 1 5 2", "+4 on 01 0-5;"}}},
    {"easy: a short job goes ahead, a long one would delay the promise",
     SIM_EASY, .cores = "111",
     .steps = {{"N 2 10", "+1 on 110 0-10;"},
               {"N 3 10", "; 2@10"},
               {"N 1 11", "; 2@10"},
               {"N 1 10", "+4 on 001 0-10; 2@10"},
               {"f 1", "; 2@10"},
               {"t 10", "; 2@10"},
               {"f 4", "+2 on 111 10-20; 3@20"}}},
    {"easy: an early end improves the promise", SIM_EASY, .cores = "11",
     .steps = {{"N 1 20", "+1 on 10 0-20;"},
               {"N 1 10", "+2 on 01 0-10;"},
               {"N 2 5", "; 3@20"},
               {"t 3", "; 3@20"},
               {"f 1", "; 3@10"},
               {"f 2", "+3 on 11 3-8;"}}},
    {"easy: one promise per queue", SIM_EASY, .cores = "1",
     .steps = {{"N 1 10", "+1 on 1 0-10;"},
               {"N 1 10 1", "; 2@10"},
               {"N 1 10 1", "; 2@10"},
               {"N 1 10 2", "; 2@10 4@20"},
               {"c 2", "cancel 2; 3@10 4@20"}}},
    {"easy, joined: one promise in all", SIM_EASY, .joined = true, .cores = "1",
     .steps = {{"N 1 10", "+1 on 1 0-10;"},
               {"N 1 10 1", "; 2@10"},
               {"N 1 10 2", "; 2@10"}}},
    {"easy: a job without an end starts only where it delays nothing", SIM_EASY,
     .cores = "111",
     .steps = {{"N 1 10", "+1 on 100 0-10;"},
               {"N 3 10", "; 2@10"},
               {"N 1 0", "; 2@10"},
               {"c 2", "cancel 2, +3 on 010 0-;"},
               {"N 3 5", ";"},
               {"N 2 5", "; 5@10"}}},
    {"easy: an overdue job is taken to end at any moment", SIM_EASY,
     .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 2 10", "; 2@10"},
               {"t 15", "; 2@15"},
               {"N 1 1", "; 2@15"},
               {"t 18", "; 2@18"},
               {"f 1", "+2 on 11 18-28; 3@28"}}},
    {"easy: a running job that is extended moves the promise", SIM_EASY,
     .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 2 10", "; 2@10"},
               {"e 1 25", "; 2@25"},
               {"N 1 20", "+3 on 01 0-20; 2@25"}}},
    {"easy: a lost node takes the promise away, and the next job gets one",
     SIM_EASY, .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 2 10", "; 2@10"},
               {"d 1", ";"},
               {"N 1 5", "; 3@10"},
               {"u 1", "+3 on 01 0-5; 2@10"}}}, /* 3 was promised 10 */
    {"easy: a promise may take other units if its time stays", SIM_EASY,
     .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 1 20", "+2 on 01 0-20;"},
               {"N 1 10", "; 3@10"},
               {"f 2", "+3 on 01 0-10;"}}},
    {"conservative: a job may pass if it delays no promise", SIM_CONSERVATIVE,
     .depth = 2, .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 2 10", "; 2@10"},
               {"N 1 10", "+3 on 01 0-10; 2@10"},
               {"N 1 5", "; 2@10 4@20"},
               {"N 1 5", "; 2@10 4@20"},
               {"f 3", "+4 on 01 0-5; 2@10 5@5"}}},
    {"conservative: an earlier job that arrives moves promises",
     SIM_CONSERVATIVE, .depth = 9, .cores = "1",
     .steps = {{"N 1 10", "+1 on 1 0-10;"},
               {"N 1 10", "; 2@10"},
               {"N 1 10", "; 2@10 3@20"},
               {"p 3 1", "; 2@20 3@10"},
               {"p 3 0", "; 2@20 3@10"},
               {"t 10", "; 2@20 3@10"},
               {"f 1", "+3 on 1 10-20; 2@20"}}},
    {"conservative: a node of a job that is freed early improves promises",
     SIM_CONSERVATIVE, .depth = 9, .cores = "111",
     .steps = {{"N 2 10", "+1 on 110 0-10;"},
               {"N 2 10", "; 2@10"},
               {"f 1 0", "+2 on 101 0-10;"}}},
    {"conservative: jobs that a lost node or the end of the set makes "
     "impossible",
     SIM_CONSERVATIVE, .depth = 9, .cores = "111",
     .steps = {{"N 1 10", "+1 on 100 0-10;"},
               {"N 3 10", "; 2@10"},
               {"N 2 30", "; 2@10 3@20"},
               {"N 1 0", "; 2@10 3@20 4@20"},
               {"g 2", "deny 2; 3@10 4@40"},
               {"E 25", "deny 3, +4 on 010 0-25;"}}},
    {"easy, bursts of one: a cancel comes between two parts of a pass",
     SIM_EASY, .burst = 1, .cores = "11",
     .steps = {{"N 2 10", "+1 on 11 0-10;"},
               {"N 1 5", "; 2@10"},
               {"N 2 10", "; 2@10"},
               {"N 1 5", "; 2@10"},
               {"f 1", "+2 on 10 0-5;"},
               {"c 3", "cancel 3, +4 on 01 0-5;"},
               {"s", ";"}}},
    {"easy: slots of one size are counted", SIM_EASY, .cores = "4",
     .steps = {{"C 2 1 100", "+1 on 3 0-100;"},
               {"C 1 1 1000", "+2 on 4 0-1000;"},
               {"C 2 1 50", "; 3@100"},
               {"C 1 1 5000", "+4 on 8 0-5000; 3@100"}}},
};

static void check_hand_case(const struct hand_case *c)
{
    static struct sim s;
    bool good = true;

    memset(&s, 0, sizeof(s));
    s.rule = (struct sim_rule){.policy = c->policy, .depth = c->depth};
    s.joined = c->joined;
    s.burst = c->burst;
    s.end = INFINITY;
    for (const char *n = c->cores; *n; n++)
        s.ncores[s.nnodes++] = *n - '0';
    for (const struct hand_step *step = c->steps; step->line; step++) {
        char *answers, *promises, got[1000];
        s.nevents = 0;
        hand_line(&s, step->line);
        sim_serve(&s);
        answers = sim_answers(&s);
        promises = sim_promises(&s);
        snprintf(got, sizeof(got), "%s;%s", answers, promises);
        free(answers);
        free(promises);
        if (!good || !strcmp(got, step->expected))
            continue;
        good = false;
        printf("# after %s: %s\n# expected: %s\n", step->line, got,
               step->expected);
    }
    ok(good, "by hand: %s", c->name);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(hand_cases) / sizeof(hand_cases[0]); i++)
        check_hand_case(&hand_cases[i]);
    return done_testing();
}
