/* A request: written as a jobspec, and counted independently. A slot is in one
   node, and its resources belong to the job alone. */
#include "manager.h"

enum need {
    ANYWHERE,
    ODD,
    NOT_ODD,
    RANKS,
    HOSTS,
    NEITHER, /* neither odd nor of these ranks */
    NOWHERE
};

static const char *const queues[QUEUES] = {NULL, "batch", "debug"};

const char *queue_name(const struct shape *s)
{
    return queues[s->queue];
}

/* Durations near the limits: an R has times to the microsecond, up to 2e11. */
static const double odd_durations[] = {1e-8, 1e-7, 2e-6, 0.1, 1e9, 3e11, 1e300};
#define LEAST_DURATION 1e-6

/* Mostly small, sometimes more than any node has. */
void shape_random(struct shape *s)
{
    static const int needs[] = {ANYWHERE, ANYWHERE, ANYWHERE, ANYWHERE, ODD,
                                NOT_ODD,  RANKS,    HOSTS,    NEITHER};
    bool large = once_in(24);

    *s = (struct shape){.kind = SLOTS, .slots = 1, .cores = 1};
    s->cores = 1 + (int)below(large ? options.cores + 2 : 2);
    if (options.gpus && once_in(4))
        s->gpus = 1 + (int)below(large ? options.gpus + 1 : 1);
    s->slots = 1 + (int)below(large ? options.nodes * 2 : 3);
    if (once_in(3)) {
        s->kind = once_in(2) ? NODES : WHOLE;
        s->nodes = 1 + (int)below(large ? options.nodes + 2 : 3);
        s->nodes_max = s->nodes + (once_in(4) ? 1 + (int)below(3) : 0);
        s->slots = 1 + (int)below(2);
    }
    /* Only an R in a file can express it. */
    if (options.edition == SEED && options.kvs && once_in(20)) {
        s->kind = HELD;
        s->nodes = 1 + (int)below(3);
        s->nodes_max = s->nodes + (int)below(2);
        s->slots = 1;
    }
    s->slots_max = s->slots
                   + (s->kind != HELD && once_in(6) ? 1 + (int)below(4) : 0);
    s->need = needs[below(9)];
    if (once_in(200))
        s->need = NOWHERE;
    s->ranks = random_of(all_ranks());
    s->duration = once_in(options.clock ? 10 : 2)
                      ? 0
                      : 1 + (int)below(options.clock ? 100 : 1000000);
    if (once_in(30))
        s->duration = odd_durations[below(7)];
    s->queue = once_in(3) ? 1 + (int)below(2) : 0;
}

static void say_count(int min, int max)
{
    if (min == max)
        say("\"count\":%d", min);
    else
        say("\"count\":{\"min\":%d,\"max\":%d,\"operator\":\"+\","
            "\"operand\":1}",
            min, max);
}

static void say_constraint(const struct shape *s)
{
    const char *ranks = idset_text(s->ranks);

    switch ((enum need)s->need) {
    case ANYWHERE:
        return;
    case ODD:
        say("{\"properties\":[\"odd\"]}");
        return;
    case NOT_ODD:
        say("{\"properties\":[\"^odd\"]}");
        return;
    case RANKS:
        say("{\"ranks\":[\"%s\"]}", ranks);
        return;
    case HOSTS:
        say("{\"hostlist\":[\"n[%s]\"]}", ranks);
        return;
    case NEITHER:
        say("{\"not\":[{\"or\":[{\"properties\":[\"odd\"]},{\"ranks\":[\"%s\"]}"
            "]}]}",
            ranks);
        return;
    case NOWHERE:
        say("{\"and\":[{\"properties\":[\"odd\"]},{\"properties\":[\"no\"]}]}");
        return;
    }
}

static uint64_t eligible(const struct shape *s, uint64_t ranks)
{
    const uint64_t odd = UINT64_C(0xaaaaaaaaaaaaaaaa);

    switch ((enum need)s->need) {
    case ANYWHERE:
        return ranks;
    case ODD:
        return ranks & odd;
    case NOT_ODD:
        return ranks & ~odd;
    case RANKS:
    case HOSTS:
        return ranks & s->ranks;
    case NEITHER:
        return ranks & ~odd & ~s->ranks;
    case NOWHERE:
        break;
    }
    return 0;
}

void say_jobspec(const struct shape *s)
{
    bool inside = s->kind == NODES || s->kind == WHOLE;

    say("{\"version\":1,\"resources\":[");
    if (inside) {
        say("{\"type\":\"node\",");
        say_count(s->nodes, s->nodes_max);
        say(",%s\"with\":[", s->kind == WHOLE ? "\"exclusive\":true," : "");
    }
    say("{\"type\":\"slot\",");
    if (s->kind == HELD)
        say_count(s->nodes, s->nodes_max);
    else
        say_count(s->slots, s->slots_max);
    say(",\"label\":\"t\",\"with\":[%s{\"type\":\"core\",\"count\":%d}",
        s->kind == HELD ? "{\"type\":\"node\",\"count\":1,\"with\":[" : "",
        s->cores);
    if (s->gpus)
        say(",{\"type\":\"gpu\",\"count\":%d}", s->gpus);
    say("]}%s],\"tasks\":[{\"command\":[\"a\"],\"slot\":\"t\",\"count\":{"
        "\"per_slot\":1}}],\"attributes\":{\"system\":{\"duration\":%.17g",
        s->kind == SLOTS ? "" : "]}", s->duration);
    if (s->queue)
        say(",\"queue\":\"%s\"", queue_name(s));
    if (s->need != ANYWHERE) {
        say(",\"constraints\":");
        say_constraint(s);
    }
    say("}}}");
}

/* --- counting ------------------------------------------------------------- */

static int slots_in(const struct shape *s, uint64_t cores, uint64_t gpus)
{
    int n = count(cores) / s->cores;
    int m = s->gpus ? count(gpus) / s->gpus : n;

    return m < n ? m : n;
}

/* Are these ranks enough, with all of their units or with the free ones? */
static bool enough(const struct shape *s, uint64_t ranks, bool now)
{
    int slots = 0, nodes = 0;

    EACH_BIT(r, eligible(s, ranks))
    {
        const struct node *n = &book.node[r];
        const struct units none = {0, 0}, *held = now ? &n->held : &none;
        int here = slots_in(s, n->all.core & ~held->core,
                            n->all.gpu & ~held->gpu);

        slots += here;
        if (s->kind == NODES || !(held->core | held->gpu))
            nodes += here >= s->slots;
    }
    return s->kind == SLOTS ? slots >= s->slots : nodes >= s->nodes;
}

bool shape_possible(const struct shape *s, uint64_t ranks)
{
    return enough(s, ranks, false)
           && (s->duration <= 0
               || (s->duration >= LEAST_DURATION && s->duration <= 1e11));
}

bool shape_fits(const struct shape *s, uint64_t ranks)
{
    return enough(s, ranks, true);
}

static void check_slots(const struct shape *s, const struct holding *h,
                        int rank, int *sum)
{
    struct units u = h->on[rank];
    int slots = slots_in(s, u.core, u.gpu);

    if (slots < 1 || count(u.core) != slots * s->cores
        || count(u.gpu) != slots * s->gpus)
        fail("on rank %d there are %d cores and %d gpus: no number of slots",
             rank, count(u.core), count(u.gpu));
    if (s->kind != SLOTS && (slots < s->slots || slots > s->slots_max))
        fail("on rank %d there are %d slots", rank, slots);
    *sum += slots;
}

void shape_check(const struct shape *s, const struct holding *h)
{
    int nodes = count(h->ranks), slots = 0;

    if (eligible(s, h->ranks) != h->ranks)
        fail("ranks %s do not meet the constraint", idset_text(h->ranks));
    if (s->kind != SLOTS && (nodes < s->nodes || nodes > s->nodes_max))
        fail("there are %d nodes", nodes);
    EACH_BIT(r, h->ranks)
    {
        const struct units *all = &book.node[r].all;

        if (s->kind != WHOLE)
            check_slots(s, h, r, &slots);
        else if (h->on[r].core != all->core || h->on[r].gpu != all->gpu)
            fail("rank %d is not there as a whole", r);
        else if (slots_in(s, all->core, all->gpu) < s->slots)
            fail("rank %d has no room for the slots", r);
    }
    if (s->kind == HELD ? h->whole != h->ranks : h->whole & ~h->ranks)
        fail("ranks %s are held as a whole", idset_text(h->whole));
    if (s->kind == SLOTS && (slots < s->slots || slots > s->slots_max))
        fail("there are %d slots", slots);
    if (s->kind != WHOLE && h->nslots >= 0 && h->nslots != slots)
        fail("nslots is %ld, there are %d", h->nslots, slots);
}

void shape_check_end(const struct shape *s, const struct holding *h)
{
    double duration = h->end - h->start;

    if (h->end > 0 && h->end <= h->start)
        fail("it ends at %.17g, and starts at %.17g", h->end, h->start);
    if (s->duration > 0
        && (duration < s->duration - 1 || duration > s->duration + 1))
        fail("it ends after %f s", duration);
    if (s->duration <= 0 && h->end > 0 && book.end_at <= child.acked
        && (h->end < book.end || h->end > book.end))
        fail("it ends at %f", h->end);
}
