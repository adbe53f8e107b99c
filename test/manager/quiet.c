/* Checks of a moment when all lines were read: everything is answered, and no
   job waits that could have resources. */
#include "manager.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void ping(void)
{
    uint64_t before = child.sent;

    say_request("sched.ping", OK);
    say(",\"payload\":{\"sent\":%" PRIu64 "}}", before);
    said();
    tally.pings++;
}

void settle(void)
{
    uint64_t last;

    ping();
    last = child.sent;
    while (child.acked < last)
        pump(true);
}

/* --- answers and releases ------------------------------------------------- */

static void check_answered(void)
{
    if (owed.tags || owed.frees)
        fail("%ld requests and %ld sched.free are not answered", owed.tags,
             owed.frees);
    if (owed.protos || owed.denials)
        fail("an alloc that is wrong is not answered");
    for (size_t i = 0; i < jobs[WAITING].n; i++) {
        const struct job *j = jobs[WAITING].job[i];

        if (j->cancelled)
            fail("job %" PRIu64 " was cancelled", j->id);
        if (!shape_possible(&j->shape, book.known))
            fail("job %" PRIu64 " can never be allocated", j->id);
    }
}

static void check_raised(void)
{
    for (size_t i = 0; i < jobs[HOLDING].n; i++) {
        const struct job *j = jobs[HOLDING].job[i];
        uint64_t has = j->has.ranks & ~j->released;

        if (has & book.lost && !j->raised_shrink && !j->raised_restart)
            fail("job %" PRIu64 " lost resources, which is not raised", j->id);
        if (j->gone & ~j->forgotten && !j->raised_restart)
            fail("job %" PRIu64 " had ranks %s before the restart, which is "
                 "not raised",
                 j->id, idset_text(j->gone));
    }
    EACH_BIT(r, book.lost)
    if (!(book.node[r].held.core | book.node[r].held.gpu))
        fail("rank %d is free, and not released", r);
}

static void check_head(int queue)
{
    const struct job *head = queue_head(queue);

    if (!head)
        return;
    if (!options.backfill && shape_fits(&head->shape, book.known & book.up))
        fail("job %" PRIu64 " is the head of the queue, and fits", head->id);
    for (size_t i = 0; i < jobs[WAITING].n; i++) {
        const struct job *j = jobs[WAITING].job[i];

        if (job_queue(j) != queue)
            continue;
        if (!job_note(j, "reason_pending"))
            fail("job %" PRIu64 " waits, and has no reason_pending", j->id);
        if (job_is_behind(j) != (j != head))
            fail("job %" PRIu64 " is the head of the queue, and the reason of "
                 "job %" PRIu64 " is: %s",
                 head->id, j->id, job_note(j, "reason_pending"));
    }
}

void quiet(void)
{
    uint64_t heard;

    /* Looking at the queue may let the next look change something. */
    do {
        heard = child.heard;
        settle();
    } while (options.clock && child.heard > heard + 1);
    check_answered();
    check_raised();
    for (int queue = 0; queue < QUEUES; queue++)
        check_head(queue);
}

/* --- its own figures ------------------------------------------------------ */

static void status_R(const char *key, struct holding *h)
{
    const json_t *R = json_object_get(status_payload, key);

    if (!R)
        fail("%s is missing", key);
    read_R(R, h);
}

/* Return the units of a rank that the R of all jobs list. */
static struct units listed_on(int rank)
{
    struct units sum = {0, 0};

    for (size_t i = 0; i < jobs[HOLDING].n; i++) {
        const struct job *j = jobs[HOLDING].job[i];
        const struct units *on = &j->has.on[rank];

        if (!(j->released & bit(rank))) {
            sum.core |= on->core;
            sum.gpu |= on->gpu;
        }
    }
    return sum;
}

void check_status(void)
{
    struct holding all, down, allocated;
    uint64_t held = 0;

    quiet();
    say_request("sched.resource-status", OK);
    say("}");
    said();
    settle();
    status_R("all", &all);
    status_R("down", &down);
    status_R("allocated", &allocated);
    if ((all.ranks & ~book.lost) != book.known)
        fail("all is %s, and should be %s", idset_text(all.ranks),
             idset_text(book.known));
    if ((down.ranks & ~book.lost) != (book.known & ~book.up))
        fail("down is %s, and should be %s", idset_text(down.ranks),
             idset_text(book.known & ~book.up));
    EACH_BIT(r, book.known)
    {
        const struct node *n = &book.node[r];
        struct units listed = listed_on(r);

        if (memcmp(&all.on[r], &n->all, sizeof(n->all)))
            fail("all is not what rank %d has", r);
        if (memcmp(&allocated.on[r], &listed, sizeof(listed)))
            fail("on rank %d core[%s] gpu[%s] is held", r,
                 idset_text(listed.core), idset_text(listed.gpu));
        if (listed.core | listed.gpu)
            held |= bit(r);
    }
    if ((allocated.ranks & book.known) != held)
        fail("ranks %s are held", idset_text(held));
}

static json_t *R_in_store(const struct job *j)
{
    char id[32];
    const char *const argv[] = {"rset-alloc", "allocated",   id,
                                "--store",    options.store, NULL};
    char *text;
    json_t *R;

    sprintf(id, "%" PRIu64, j->id);
    text = output_of(argv);
    R = text ? json_loads(text, 0, NULL) : NULL;
    if (!R)
        fail("the store does not know job %s", id);
    free(text);
    return R;
}

void check_kept(void)
{
    const struct job *j = job_random(HOLDING);
    struct holding has;
    json_t *R;

    if (!j || j->gone || j->released)
        return;
    quiet();
    R = options.kvs ? R_in_kvs(j) : R_in_store(j);
    read_R(R, &has);
    if (has.ranks != j->has.ranks || memcmp(has.on, j->has.on, sizeof(has.on)))
        fail("job %" PRIu64 " has something else there", j->id);
    if (j->end >= 0 && (has.end < j->end || has.end > j->end))
        fail("job %" PRIu64 " ends at %f there, and not at %f", j->id, has.end,
             j->end);
    json_decref(R);
}
