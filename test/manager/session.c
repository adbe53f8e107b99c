/* A session of the scheduler: it acquires resources and says hello; it ends in
   order or by force. Unfinished requests are sent again to the next one. */
#include "manager.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t in_group(unsigned g)
{
    uint64_t ranks = 0;

    EACH_BIT(r, all_ranks())
    if (book.node[r].group == g)
        ranks |= bit(r);
    return ranks;
}

static uint64_t held_ranks(void)
{
    uint64_t ranks = 0;

    EACH_BIT(r, all_ranks())
    if (book.node[r].held.core | book.node[r].held.gpu)
        ranks |= bit(r);
    return ranks;
}

/* Give resources to a scheduler that begins, not always all. A store has
   forgotten targets that were taken away, so they do not come back before their
   jobs are gone. */
static void provide(void)
{
    uint64_t back = all_ranks() & ~book.known;

    if (options.resources) {
        book.known = book.up = all_ranks();
        return;
    }
    book.lost = 0;
    if (options.store)
        back &= ~held_ranks();
    if (options.clock)
        book.known = back;
    else if (back && !once_in(4))
        book.known |= random_of(back);
    for (unsigned g = 0; g < options.ngroups; g++)
        if (!(book.known & in_group(g)))
            book.known |= one_of(in_group(g));
    book.up = once_in(2) ? book.known : book.known & random_of(all_ranks());
}

/* Note the missing targets of jobs, which a store forgets for good. */
static void note_gone(void)
{
    for (size_t i = 0; i < jobs[HOLDING].n; i++) {
        struct job *j = jobs[HOLDING].job[i];

        j->forgotten |= options.store ? j->gone : 0;
        j->gone = j->has.ranks & ~j->released & ~book.known;
        j->raised_shrink = j->raised_restart = false;
    }
}

static void grow(unsigned g)
{
    uint64_t ranks = book.known & in_group(g);

    say("{\"type\":\"response\",\"topic\":\"resource.acquire\",\"matchtag\":"
        "%" PRIu32 ",\"payload\":{",
        session.acquire_tag[g]);
    say(options.edition == SEED ? "\"type\":\"grow\",\"resources\":"
                                : "\"resources\":");
    say_resources(ranks);
    if (options.edition == SEED)
        say(",\"online\":\"%s\",\"offline\":\"%s\"}}",
            idset_text(ranks & book.up), idset_text(ranks & ~book.up));
    else
        say(",\"up\":\"%s\"}}", idset_text(ranks & book.up));
    said();
    session.grown[g] = true;
}

/* Sometimes the scheduler has to wait here, and must not continue. */
static void acquired(void)
{
    while (!session.hello_tag) {
        pump(true);
        for (unsigned g = 0; g < options.ngroups; g++) {
            if (!session.acquire_tag[g] || session.grown[g])
                continue;
            if (once_in(4))
                settle();
            grow(g);
        }
    }
}

/* The job has less than in the store: hello counts. */
static void lose_part(struct job *j)
{
    uint64_t part = one_of(j->has.ranks & ~j->released);

    if (part == (j->has.ranks & ~j->released))
        return;
    book_drop(&j->has, part);
    j->has.ranks &= ~part;
    j->gone &= ~part;
    EACH_BIT(r, part)
    j->has.on[r] = (struct units){0, 0};
    json_decref(j->R);
    j->R = NULL;
    say(",\"R\":");
    say_R(&j->has, false);
}

/* A job manager applies updates to an R: it has the job's end, if that is
   known. */
static void say_updated_R(const struct job *j)
{
    json_t *R = json_deep_copy(j->R),
           *execution = json_object_get(R, "execution");
    char *text;

    if (j->end > 0)
        json_object_set_new(execution, "expiration", json_real(j->end));
    else if (j->end >= 0)
        json_object_del(execution, "expiration");
    text = json_dumps(R, JSON_COMPACT);
    say(",\"R\":%s", text);
    free(text);
    json_decref(R);
}

static void say_hello_of(struct job *j, bool dies)
{
    say("{\"type\":\"response\",\"topic\":\"job-manager.sched-hello\","
        "\"matchtag\":%" PRIu32 ",\"payload\":{\"id\":%" PRIu64
        ",\"priority\":%" PRIu32 ",\"userid\":100,\"t_submit\":%.1f",
        session.hello_tag, j->id, j->priority, j->time + 1);
    if (options.store && !dies && once_in(10)) {
        lose_part(j);
    } else if (j->R
               && ((options.edition == CURRENT && !options.store)
                   || once_in(2))) {
        say_updated_R(j);
    }
    if (j->released)
        say(",\"free\":\"%s\"", idset_text(j->released));
    say("}}");
    said();
}

/* Name the first n jobs. */
static void say_hello(size_t n, bool dies)
{
    for (size_t i = 0; i < n; i++)
        say_hello_of(jobs[HOLDING].job[i], dies);
    if (once_in(4))
        settle();
}

static void end_hello(void)
{
    say("{\"type\":\"response\",\"topic\":\"job-manager.sched-hello\","
        "\"matchtag\":%" PRIu32 ",\"errnum\":61}",
        session.hello_tag);
    said();
    session.hello_done = true;
    while (!session.ready_tag)
        pump(true);
}

static void answer_ready(void)
{
    say("{\"type\":\"response\",\"topic\":\"job-manager.sched-ready\","
        "\"matchtag\":%" PRIu32 ",\"payload\":{\"count\":%zu}}",
        session.ready_tag, jobs[WAITING].n);
    said();
}

/* Send requests without an answer again, for some jobs. */
static void say_again(void)
{
    for (size_t i = jobs[WAITING].n; i-- > 0;) {
        struct job *j = jobs[WAITING].job[i];

        if (j->cancelled || once_in(10))
            job_remove(j);
        else
            say_alloc(j);
    }
    for (size_t i = jobs[HOLDING].n; i-- > 0;)
        if (jobs[HOLDING].job[i]->again)
            say_free(jobs[HOLDING].job[i]);
}

/* End some jobs without telling the scheduler. It frees jobs that hello does
   not name. */
static void lose_jobs(void)
{
    for (size_t i = jobs[HOLDING].n; i-- > 0;) {
        struct job *j = jobs[HOLDING].job[i];

        if (once_in(15)) {
            book_drop(&j->has, ~j->released);
            job_remove(j);
        }
    }
}

static void begin(void)
{
    lose_jobs();
    memset(&session, 0, sizeof(session));
    forget_owed();
    child.acked = child.sent;
    provide();
    note_gone();
    child_start(options.command, options.trace);
    acquired();
}

/* It dies early, without losing jobs that it was not told about. */
static void begin_and_die(void)
{
    begin();
    if (!once_in(3))
        say_hello(below((uint32_t)jobs[HOLDING].n + 1), true);
    if (once_in(3)) {
        settle();
        session_end(BY_TERM);
    } else {
        session_end(BY_KILL);
    }
}

void session_begin(void)
{
    for (; options.kills && once_in(4); options.kills--)
        begin_and_die();
    begin();
    say_hello(jobs[HOLDING].n, false);
    end_hello();
    answer_ready();
    say_again();
    quiet();
}

/* --- the end -------------------------------------------------------------- */

static void check_end(enum ending how, int status)
{
    if (how == BY_KILL)
        return;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail("it ends with status %d, signal %d", WEXITSTATUS(status),
             WTERMSIG(status));
    if (!session.manager_gone)
        fail("it ends without job-manager.disconnect");
    if (how == BY_TERM)
        return;
    if (owed.tags || owed.frees || owed.protos || owed.denials)
        fail("it ends, and %ld requests and %ld sched.free are not answered",
             owed.tags, owed.frees);
    for (size_t i = 0; i < jobs[WAITING].n; i++)
        if (jobs[WAITING].job[i]->cancelled)
            fail("it ends, and job %" PRIu64 " was cancelled",
                 jobs[WAITING].job[i]->id);
}

/* Jobs whose free was not answered still hold their resources, as far as we
   know, unless somebody else got them since. */
static void keep_unfreed(enum ending how)
{
    for (size_t i = jobs[FREEING].n; i-- > 0;) {
        struct job *j = jobs[FREEING].job[i];

        if (book_taken(&j->has)) {
            job_remove(j);
            continue;
        }
        book_hold(j->id, &j->has);
        job_move(j, HOLDING);
        j->again = true;
        j->freed = 0;
        j->maybe_freed |= how == BY_KILL;
    }
}

void session_end(enum ending how)
{
    child.may_end = true;
    if (how == BY_END)
        child_close();
    else if (how == BY_TERM)
        kill(child.pid, SIGTERM);
    else {
        usleep(below(2000));
        kill(child.pid, SIGKILL);
    }
    while (!child.ended)
        pump(true);
    check_end(how, child_reap());
    keep_unfreed(how);
    for (size_t i = 0; i < jobs[HOLDING].n && how != BY_END; i++)
        jobs[HOLDING].job[i]->end = -1; /* the last request may be lost */
    for (size_t i = 0; i < jobs[WAITING].n; i++) {
        json_decref(jobs[WAITING].job[i]->notes);
        jobs[WAITING].job[i]->notes = NULL;
    }
}
