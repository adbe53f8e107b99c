/* Random traffic: valid messages of a job manager and a provider, and invalid
   ones. */
#include "manager.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A number of moves with the same kind of traffic. */
static struct {
    uint32_t left;
    uint32_t burst; /* lines on their way; 1: each waits for the effect of the
                       last one */
    bool deaf;      /* nothing is read until the burst is complete */
    bool few;       /* few jobs are freed */
} phase;

/* Begin a request that has no answer of its own, up to its payload. */
static void say_untagged(const char *topic)
{
    say("{%s\"topic\":\"%s\",%s\"payload\":",
        once_in(4) ? "" : "\"type\":\"request\",", topic,
        once_in(4) ? "\"matchtag\":0," : "");
}

/* --- jobs ----------------------------------------------------------------- */

void say_alloc(struct job *j)
{
    say_untagged("sched.alloc");
    say("{\"id\":%" PRIu64 ",\"priority\":%" PRIu32 ",\"userid\":100", j->id,
        j->priority);
    if (j->time_kind)
        say(",\"t_submit\":%.17g", j->time);
    say(",\"jobspec\":");
    say_jobspec(&j->shape);
    say("}}");
    j->arrival = j->prioritized = said();
}

static uint32_t random_priority(void)
{
    return once_in(20) ? UINT32_MAX - below(2) : once_in(3) ? below(32) : 16;
}

static void submit(void)
{
    uint32_t most = options.in_flight;
    struct job *j;

    if (options.limit && options.limit < most)
        most = options.limit;
    if (jobs[WAITING].n >= most)
        return;
    j = job_add(new_id());
    j->priority = random_priority();
    if (once_in(3)) {
        j->time_kind = once_in(4) ? 1 : -1;
        j->time = (j->time_kind < 0 ? 1000.5 : 9e9) + below(20);
    }
    shape_random(&j->shape);
    say_alloc(j);
}

static void cancel(void)
{
    struct job *j = job_random(once_in(8) ? HOLDING : WAITING);
    uint64_t id = j && !once_in(8) ? j->id : old_id(), line;

    if (j && j->state == WAITING && j->cancelled)
        return;
    say_untagged("sched.cancel");
    say("{\"id\":%" PRIu64 "}}", id);
    line = said();
    if (j && j->id == id && j->state == WAITING)
        j->cancelled = line;
}

static void prioritize(void)
{
    struct job *chosen[64];
    uint32_t n = below(once_in(10) ? 64 : 4), all = 0;
    const char *comma = "";
    uint64_t line;

    say_untagged("sched.prioritize");
    say("{\"jobs\":[");
    for (uint32_t i = 0; i < n; i++) {
        struct job *j = job_random(WAITING);
        uint32_t priority = random_priority();

        if (!j || once_in(8)) {
            say("%s[%" PRIu64 ",%" PRIu32 "]", comma, old_id(), priority);
        } else {
            say("%s[%" PRIu64 ",%" PRIu32 "]", comma, j->id, priority);
            j->priority = priority;
            chosen[all++] = j;
        }
        comma = ",";
    }
    say("]}}");
    line = said();
    for (uint32_t i = 0; i < all; i++)
        chosen[i]->prioritized = line;
}

static void drop(struct job *j, uint64_t ranks)
{
    struct holding part = j->has;

    /* Freed ranks may be named again. */
    part.ranks = once_in(8) ? ranks | j->released : ranks;
    say_untagged("sched.free");
    say("{\"id\":%" PRIu64, j->id);
    if (options.edition == CURRENT) {
        bool final = ranks == (j->has.ranks & ~j->released);

        say(",\"R\":");
        say_R(&part, false);
        if (final || once_in(2))
            say(",\"final\":%s", final ? "true" : "false");
    }
    say("}}");
    j->freed = said();
    book_drop(&j->has, ranks);
    j->released |= ranks;
}

void say_free(struct job *j)
{
    drop(j, j->has.ranks & ~j->released);
    if (options.edition == SEED) {
        j->released = 0;
        j->again = false;
        job_move(j, FREEING);
        owed.frees++;
    } else {
        tally.frees++;
        job_remove(j);
    }
}

static void free_one(void)
{
    struct job *j = job_random(HOLDING);
    uint64_t has, part;

    if (!j || (phase.few && !once_in(8)))
        return;
    if (options.clock && (j->end <= 0 || j->end > book.now) && !once_in(6))
        return;
    has = j->has.ranks & ~j->released;
    part = random_of(has);
    if (options.edition == CURRENT && part != has && once_in(2))
        drop(j, part);
    else
        say_free(j);
}

/* --- questions ------------------------------------------------------------ */

/* The scheduler looks at the id first, then at the time, then whether there is
   a job. In the seed edition a time is an integer. */
static void expire(void)
{
    static const char *const bad_time[] = {"-1", "-1e9", "1e300",
                                           "200000000001", "1500.5"},
                             *const no_time[] = {"", ",\"expiration\":\"1\"",
                                                 ",\"expiration\":null",
                                                 ",\"expiration\":[]"},
                             *const bad_id[] = {"-1", "\"1\"", "1.0", "null"};
    struct job *j = job_random(once_in(3) ? WAITING : HOLDING);
    bool known = j && !once_in(6);
    uint64_t id = known ? j->id : old_id();
    unsigned right = !known ? IS_ENOENT : OK;

    if (known
        && (j->state == WAITING || !(j->has.ranks & ~j->released & ~j->gone)))
        right = OK
                | IS_ENOENT; /* it may have got resources, or have none left */
    if (once_in(8)) {
        say_request("sched.expiration", IS_EPROTO);
        say(",\"payload\":{\"id\":%s,\"expiration\":4e9}}", bad_id[below(4)]);
    } else if (once_in(8)) {
        say_request("sched.expiration", IS_EPROTO);
        say(",\"payload\":{\"id\":%" PRIu64 "%s}}", id, no_time[below(4)]);
    } else if (once_in(4)) {
        say_request("sched.expiration", IS_EINVAL);
        say(",\"payload\":{\"id\":%" PRIu64 ",\"expiration\":%s}}", id,
            bad_time[below(options.edition == SEED ? 5 : 4)]);
    } else if (book.end > 0 && once_in(4)) {
        if (right & OK)
            right = (right & ~(unsigned)OK) | IS_ERANGE;
        say_request("sched.expiration", right);
        say(",\"payload\":{\"id\":%" PRIu64 ",\"expiration\":%.0f}}", id,
            book.end + 1 + below(1000));
    } else {
        double end = UINT32_C(4000000000) + below(1000);

        if (options.clock && known && j->state == HOLDING)
            end = ceil(fmax(j->has.start, book.now - 10)) + 1 + below(60);
        if (options.edition == CURRENT && once_in(2))
            end += 0.5;
        if (known) {
            j->expires = true;
            j->end = right == OK ? end : -1;
        }
        say_request("sched.expiration", right);
        say(",\"payload\":{\"id\":%" PRIu64 ",\"expiration\":%.*f}}", id,
            options.edition == CURRENT, end);
    }
    said();
}

static void feasible(void)
{
    struct shape s;

    shape_random(&s);
    say_request("feasibility.check",
                shape_possible(&s, book.known) ? OK : IS_EINVAL | IS_OTHER);
    say(",\"payload\":{\"jobspec\":");
    say_jobspec(&s);
    say("}}");
    said();
}

static void stats(void)
{
    say_request("sched.stats-get", OK);
    say("}");
    said();
}

/* --- time ----------------------------------------------------------------- */

/* Set the clock, often to the end of a job. */
static void tick(void)
{
    const struct job *j = job_random(HOLDING);

    if (j && j->end > book.now && j->end < book.now + 100 && !once_in(4))
        book.now = j->end;
    else
        book.now += below(20) / 2.0;
    say("{\"topic\":\"sched.clock\",\"payload\":{\"now\":%.17g}}", book.now);
    said();
}

/* --- targets -------------------------------------------------------------- */

static void say_targets(unsigned g, const char *seed, const char *current,
                        uint64_t targets)
{
    const char *text = idset_text(targets);

    say("{\"type\":\"response\",\"topic\":\"resource.acquire\",\"matchtag\":"
        "%" PRIu32 ",\"payload\":{",
        session.acquire_tag[g]);
    if (options.edition == SEED)
        say("\"type\":\"%s\",\"targets\":\"%s\"}}", seed, text);
    else if (!strcmp(current, "shrink"))
        say("\"shrink\":\"%s\",\"down\":\"%s\"}}", text, text);
    else
        say("\"%s\":\"%s\"}}", current, text);
}

/* Give all resources another end. Only in the current edition. */
static void renew(void)
{
    book_set_end(once_in(4) ? 0 : 4102444800 + below(1000));
    say("{\"type\":\"response\",\"topic\":\"resource.acquire\",\"matchtag\":"
        "%" PRIu32 ",\"payload\":{\"expiration\":%.0f}}",
        session.acquire_tag[0], book.end);
    book.end_at = said();
}

static uint64_t known_in(unsigned g)
{
    uint64_t ranks = 0;

    EACH_BIT(r, book.known)
    if (book.node[r].group == g)
        ranks |= bit(r);
    return ranks;
}

static void offline(unsigned g, uint64_t known)
{
    uint64_t targets = random_of(known & (once_in(8) ? known : book.up)), line;

    if (!targets)
        return;
    say_targets(g, "offline", "down", targets);
    line = said();
    EACH_BIT(r, targets & book.up)
    book.node[r].down_at = line;
    book.up &= ~targets;
}

static void online(unsigned g, uint64_t known)
{
    uint64_t targets = random_of(known & (once_in(8) ? known : ~book.up));

    if (!targets)
        return;
    say_targets(g, "online", "up", targets);
    said();
    book.up |= targets;
}

/* Half of a group stays. */
static void shrink(unsigned g, uint64_t known)
{
    uint64_t targets = random_of(known);

    if (count(known & ~targets) * 2 < (int)(options.nodes / options.ngroups)
        || !(known & ~targets))
        return;
    say_targets(g, "shrink", "shrink", targets);
    book.changed = said();
    EACH_BIT(r, targets)
    book.node[r].lost_at = book.changed;
    book.known &= ~targets;
    book.up &= ~targets;
    if (options.edition == SEED)
        book.lost |= targets;
}

/* Give back targets outside of groups that nobody holds any part of. */
static void regrow(unsigned g)
{
    uint64_t more = 0, up;

    EACH_BIT(r, all_ranks() & ~book.known & ~book.lost)
    {
        const struct node *n = &book.node[r];

        if (n->group == g && !(n->held.core | n->held.gpu))
            more |= bit(r);
    }
    more = random_of(more);
    if (!more)
        return;
    up = once_in(2) ? more : 0;
    say("{\"type\":\"response\",\"topic\":\"resource.acquire\",\"matchtag\":"
        "%" PRIu32 ",\"payload\":{\"type\":\"grow\",\"resources\":",
        session.acquire_tag[g]);
    if (once_in(2))
        book_set_end(once_in(4) ? 0 : 4102444800 + below(1000));
    say_resources(more);
    say(",\"online\":\"%s\",\"offline\":\"%s\"}}", idset_text(up),
        idset_text(more & ~up));
    book.end_at = book.changed = said();
    book.known |= more;
    book.up |= up;
    EACH_BIT(r, more & ~up)
    book.node[r].down_at = 0;
}

static void provider(void)
{
    unsigned g = below(options.ngroups);
    uint64_t known = known_in(g);

    if (options.resources)
        return;
    switch (below(8)) {
    case 0:
        shrink(g, known);
        break;
    case 1:
    case 2:
        if (options.edition == SEED)
            regrow(g);
        else
            renew();
        break;
    case 3:
    case 4:
        offline(g, known);
        break;
    default:
        online(g, known);
    }
}

/* --- invalid messages ----------------------------------------------------- */

static void alloc_twice(void)
{
    struct job *j = job_random(WAITING), other;

    if (!j)
        return;
    other = *j;
    owed.protos++;
    say_alloc(&other);
}

static void alloc_without_id(void)
{
    static const char *const bad[] = {"-1", "\"7\"", "1.5", "null", "[]"};

    owed.protos++;
    say_untagged("sched.alloc");
    say("{\"id\":%s,\"priority\":16,\"userid\":1,\"jobspec\":{}}}",
        bad[below(5)]);
    said();
}

static void alloc_held(void)
{
    struct job *j = job_random(HOLDING), other;

    if (!j || !(j->has.ranks & ~j->released & ~j->gone))
        return;
    other = *j;
    owed.denied = j->id;
    owed.denials++;
    say_alloc(&other);
}

static void alloc_bad(void)
{
    static const char *const priorities[] = {"-1", "4294967296", "\"1\"", "1",
                                             "1"};
    uint32_t kind = below(5);
    struct shape s;

    owed.denied = new_id();
    owed.denials++;
    shape_random(&s);
    say_untagged("sched.alloc");
    say("{\"id\":%" PRIu64 ",\"priority\":%s,\"userid\":1,\"jobspec\":",
        owed.denied, priorities[kind]);
    if (kind < 3)
        say_jobspec(&s);
    else
        say("%s", kind == 3 ? "{}" : "{\"version\":1,\"resources\":[]}");
    say("}}");
    said();
}

/* Free other resources than the job's: nothing happens. */
static void free_nothing(void)
{
    struct holding none = {.ranks = 0};

    owed.freed = old_id();
    if (options.edition == SEED)
        owed.frees++;
    say_untagged("sched.free");
    say("{\"id\":%" PRIu64, owed.freed);
    if (options.edition == CURRENT) {
        say(",\"R\":");
        say_R(&none, false);
        say(",\"final\":true");
    }
    say("}}");
    said();
}

/* One of the priorities is wrong, so none is changed. */
static void prioritize_badly(void)
{
    static const char *const bad[] = {"[5,-1]",    "[5,4294967296]", "[5]",
                                      "[\"5\",1]", "[-5,1]",         "5"};
    const struct job *j = job_random(WAITING);

    if (!j)
        return;
    say_untagged("sched.prioritize");
    say("{\"jobs\":[[%" PRIu64 ",%" PRIu32 "],%s]}}", j->id, UINT32_MAX,
        bad[below(6)]);
    said();
}

/* Answered with an error, if there is a sender. */
static void no_message(void)
{
    static const char *const lines[] = {
        "hello",
        "[]",
        "{",
        "5",
        "{}",
        "{\"topic\":5}",
        "\"a\"",
        "{\"topic\":\"sched.alloc\",\"payload\":{\"id\":",
        "{\"topic\":\"sched.cancel\",\"payload\":{\"id\":\"5\"}}",
        "{\"topic\":\"sched.cancel\"}",
        "{\"topic\":\"sched.free\",\"payload\":{\"id\":-5}}",
        "{\"topic\":\"sched.no\",\"payload\":{}}",
        "{\"type\":\"wish\",\"topic\":\"sched.ping\"}"};

    switch (below(4)) {
    case 0:
        say_request("sched.no", IS_ENOSYS);
        say("}");
        break;
    case 1:
        say_request("", IS_EPROTO);
        say("}");
        break;
    case 2:
        say_request("sched.ping", IS_EPROTO);
        say(",\"flags\":5}");
        break;
    default:
        say("%s", lines[below(sizeof(lines) / sizeof(*lines))]);
    }
    said();
}

/* The right answer is known only if no line is on its way. */
static void mischief(void)
{
    static void (*const all[])(void) = {
        alloc_twice,  alloc_without_id, alloc_held, alloc_bad,
        free_nothing, prioritize_badly, no_message, no_message};

    quiet();
    all[below(sizeof(all) / sizeof(*all))]();
    quiet();
}

/* --- a move --------------------------------------------------------------- */

static const struct {
    void (*make)(void);
    uint32_t weight;
} moves[] = {{submit, 40},  {free_one, 20}, {cancel, 4},       {prioritize, 6},
             {expire, 4},   {feasible, 2},  {stats, 1},        {provider, 10},
             {mischief, 1}, {ping, 3},      {check_status, 1}, {tick, 15}};

enum { MOVES = sizeof(moves) / sizeof(*moves) };

static void new_phase(void)
{
    phase.left = 20 + below(300);
    phase.few = once_in(3);
    phase.burst = options.lockstep || once_in(3) ? 1 : 8 + below(64);
    phase.deaf = once_in(4);
}

static void make_move(void)
{
    size_t n = options.clock ? MOVES : MOVES - 1; /* tick() is the last */
    uint32_t at = 0;

    for (size_t i = 0; i < n; i++)
        at += moves[i].weight;
    at = below(at);
    for (size_t i = 0; i < n; i++) {
        if (at < moves[i].weight) {
            moves[i].make();
            return;
        }
        at -= moves[i].weight;
    }
}

void move(void)
{
    if (phase.left-- == 0)
        new_phase();
    make_move();
    if (options.kvs ? once_in(50) : options.store && once_in(3000))
        check_kept();
    if (phase.burst == 1) {
        quiet();
        return;
    }
    if (once_in(phase.burst))
        ping();
    if (!phase.deaf)
        pump(false);
    if (once_in(phase.burst * 8))
        quiet();
    while (child.sent - child.acked > 8 * (uint64_t)phase.burst)
        settle();
}

/* --- the end -------------------------------------------------------------- */

static void free_all(void)
{
    for (size_t i = 0; i < jobs[WAITING].n; i++) {
        struct job *j = jobs[WAITING].job[i];

        if (j->cancelled)
            continue;
        say_untagged("sched.cancel");
        say("{\"id\":%" PRIu64 "}}", j->id);
        j->cancelled = said();
    }
    quiet();
    while (jobs[HOLDING].n)
        say_free(jobs[HOLDING].job[0]);
    quiet();
}

void whole_machine(void)
{
    struct job *j;

    free_all();
    for (unsigned g = 0; g < options.ngroups && !options.resources; g++) {
        for (int i = 0; i < 8 && options.edition == SEED; i++)
            regrow(g);
        say_targets(g, "online", "up", known_in(g));
        said();
        book.up |= known_in(g);
    }
    j = job_add(new_id());
    j->shape = (struct shape){.kind = WHOLE,
                              .nodes = count(book.known),
                              .nodes_max = count(book.known),
                              .slots = 1,
                              .slots_max = 1,
                              .cores = 1};
    say_alloc(j);
    quiet();
    if (j->state != HOLDING)
        fail("all resources are free and up, and job %" PRIu64
             " does not get them",
             j->id);
    free_all();
}
