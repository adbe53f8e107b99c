/*
 * A job manager to test a scheduler: RFC 27's side of the protocol and
 * RFC 28's provider in one program, written from the standards. It shares
 * only the JSON library with the scheduler.
 *
 *     manager [OPTION...] -- COMMAND [ARGUMENT...]
 *
 * It starts COMMAND, a scheduler that speaks lines (rset-protocol(5)), plays
 * random traffic with it, and checks each line that comes back against a book
 * of its own. A broken promise ends it with status 1.
 *
 * Lines cross on the wire: it is not known which lines the scheduler had read
 * when it decided. It had read all lines up to the last ping that it answered.
 * So a check asks whether a line can be right for any moment since that ping.
 * At a quiet moment, with no line sent since, there is one such moment, and
 * checks are exact.
 *
 *     child.c     process of the scheduler, lines to it and from it
 *     book.c      targets, who holds which units; idsets and R
 *     shape.c     requests of jobs: as a jobspec, and whether R satisfies them
 *     jobs.c      the jobs, and their order in the queue
 *     answers.c   checks of answers
 *     requests.c  checks of requests from the scheduler
 *     quiet.c     checks at a quiet moment
 *     session.c   from acquire to ready; ends, also by force
 *     moves.c     random traffic
 *     main.c      options, and the game as a whole
 *
 * With a clock of messages, promises.py checks the log and all lines of a game
 * for the promises of reservations.
 */
#ifndef TEST_MANAGER_H
#define TEST_MANAGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "child.h"

enum { NODES_MAX = 64, GROUPS_MAX = 4 };

enum edition { SEED, CURRENT };

struct options {
    uint32_t messages;
    uint32_t nodes, cores, gpus;
    uint32_t in_flight; /* maximum of requests without an answer */
    uint32_t limit;     /* the scheduler's --limit; 0: none */
    uint32_t restarts, terms, kills;
    const char *dialect;
    enum edition edition; /* likewise */
    bool joined;          /* jobs of all queues wait in one */
    bool backfill;        /* jobs may overtake others */
    bool automatic;       /* the scheduler finds out the edition */
    bool lockstep;        /* each line waits for the effect of the last one */
    bool clock;           /* sched.clock sets its time, from 2000 on; its log is
                             in its output. Not with ends of any kind */
    const char *kvs;      /* the scheduler's --kvs; NULL: none */
    const char *store;    /* its --store; NULL: none */
    const char
        *resources; /* its --resources, written here; NULL: it acquires */
    const char *groups[GROUPS_MAX]; /* its --group, with commas between them */
    unsigned ngroups;
    const char *trace; /* a file that gets all lines */
    char **command;
};

extern struct options options;

/* Return a number below n. */
uint32_t below(uint32_t n);
/* True once in n times. */
bool once_in(uint32_t n);

/* --- book.c --------------------------------------------------------------- */

/* Cores and GPUs of a node, a bit each. */
struct units {
    uint64_t core, gpu;
};

/* The contents of an R. Sets of ranks have a bit for each rank. */
struct holding {
    uint64_t ranks;
    uint64_t whole; /* ranks held whole, whatever is listed */
    struct units on[NODES_MAX];
    double start, end; /* 0: none */
    long nslots;       /* -1: missing */
};

struct node {
    struct units all, held;
    uint64_t down_at, lost_at; /* numbers of the lines with these events */
    unsigned group;
};

/*
 * Targets. `known` to the scheduler; `up` of these; taken away and not released
 * yet. The others may be given when nobody holds any part of them.
 */
struct book {
    struct node node[NODES_MAX];
    uint64_t known, up, lost;
    uint64_t changed; /* the last line that changed `known` */
    double end;       /* end of all resources; 0: none */
    uint64_t end_at;  /* the line with this end */
    double now;       /* with options.clock */
};

extern struct book book;

#define EACH_BIT(bit, set)                                       \
    for (uint64_t left_ = (set); left_ != 0; left_ &= left_ - 1) \
        for (int bit = __builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

static inline uint64_t bit(int n)
{
    return UINT64_C(1) << n;
}

static inline int count(uint64_t set)
{
    return __builtin_popcountll(set);
}

void book_init(void);
uint64_t all_ranks(void);
uint64_t
random_of(uint64_t set); /* Return a random part of the set, at least one. */
uint64_t one_of(uint64_t set);

/* Read an RFC 22 set. -1: it is invalid, or a number is too large. */
int idset_read(const char *text, uint64_t *set);
/* Return a text that stays valid for eight calls. */
const char *idset_text(uint64_t set);

/* Read an R. An invalid R fails. */
void read_R(const json_t *R, struct holding *h);
/* Read the short form of annotations, such as "rank0/core[0-1],gpu0". */
void read_summary(const char *text, struct holding *h);
/* Write an R with these units: of all resources, or of a job. */
void say_R(const struct holding *h, bool all);
/* Write an R of all of these ranks. */
void say_resources(uint64_t ranks);

/* Enter in the book that these units are held, or free again. */
void book_hold(uint64_t id, const struct holding *h);
void book_drop(const struct holding *h, uint64_t ranks);
/* Give all resources another end, and the jobs that ended with them. */
void book_set_end(double end);
/* Does anybody hold any of these units? */
bool book_taken(const struct holding *h);

/* --- shape.c -------------------------------------------------------------- */

/* Slots; slots in nodes; slots in exclusive nodes; a node in each slot, which
   is held whole though R lists only a part of it. */
enum shape_kind { SLOTS, NODES, WHOLE, HELD };

struct shape {
    enum shape_kind kind;
    int nodes, nodes_max; /* for NODES and WHOLE */
    int slots, slots_max; /* in each node, or in all; 1 for HELD */
    int cores, gpus;      /* in each slot */
    int need;             /* index of a constraint in shape.c */
    uint64_t ranks;       /* ranks in the constraint */
    double duration;      /* seconds; 0: none */
    int queue;            /* below QUEUES; 0: none */
};

void shape_random(struct shape *s);
void say_jobspec(const struct shape *s);
enum { QUEUES = 3 };
const char *queue_name(const struct shape *s); /* NULL: none */

/* Could the request ever match these ranks, or does it match now? */
bool shape_possible(const struct shape *s, uint64_t ranks);
bool shape_fits(const struct shape *s, uint64_t ranks);
/* Fail if the allocation does not satisfy the request, or has another end. */
void shape_check(const struct shape *s, const struct holding *h);
void shape_check_end(const struct shape *s, const struct holding *h);

/* --- jobs.c --------------------------------------------------------------- */

enum job_state {
    WAITING, /* for an answer to sched.alloc */
    HOLDING,
    FREEING, /* for the answer to sched.free (seed) */
    JOB_STATES
};

struct job {
    uint64_t id;
    enum job_state state;
    size_t at;        /* index in the list of its state */
    struct job *next; /* next of the same hash */
    uint32_t priority;
    int time_kind; /* t_submit is before, at or after its arrival */
    double time;
    uint64_t arrival;     /* number of the line of its last arrival */
    uint64_t prioritized; /* line of its priority */
    uint64_t cancelled;   /* line that cancelled it; 0: none */
    uint64_t freed;       /* line that freed it */
    uint64_t released;    /* ranks that were freed before the others */
    uint64_t gone;        /* ranks that were missing when hello named it */
    uint64_t forgotten;   /* of these, ranks that a store knew once */
    bool raised_shrink, raised_restart;
    bool expires;     /* an extension is on its way */
    double end;       /* its end; 0: never; -1: not known */
    bool again;       /* free was not answered, and has to be sent again */
    bool maybe_freed; /* it may have been freed already */
    struct shape shape;
    struct holding has;
    json_t *R;     /* the R that was given; NULL: not known */
    json_t *notes; /* annotations; NULL: none */
};

struct list {
    struct job **job;
    size_t n, room;
};

extern struct list jobs[JOB_STATES];

struct job *job_find(uint64_t id);
struct job *job_add(uint64_t id);
void job_move(struct job *j, enum job_state state);
void job_remove(struct job *j);
struct job *job_random(enum job_state state); /* NULL: there is none */
uint64_t new_id(void);
/* Return an id that was answered a while ago, or never existed. */
uint64_t old_id(void);

/* Is `a` certainly before `b` in the queue? */
bool job_before(const struct job *a, const struct job *b);
/* Return the queue of a job: 0 if they are joined, or if it names none. */
int job_queue(const struct job *j);
/* Return the first waiting job of a queue; NULL: none, or not known. */
struct job *queue_head(int queue);
/* Return a job of the same queue that certainly waited before `j` since the
   last ping, or NULL. */
struct job *job_passed(const struct job *j);

/* --- answers.c ------------------------------------------------------------ */

/* Errors that conventional answers may have. */
enum {
    OK = 1,
    IS_EINVAL = 2,
    IS_ENOENT = 4,
    IS_ERANGE = 8,
    IS_ENOSYS = 16,
    IS_EPROTO = 32,
    IS_OTHER = 64
};

/* Answers that the scheduler owes: with a matchtag, and others. */
struct owed {
    long tags, frees, protos, denials;
    uint64_t freed, denied; /* ids of the last free of a job without resources,
                               and of the last impossible request */
};

extern struct owed owed;

/* Counts of all answers. */
struct tally {
    long pings; /* pings that were sent */
    long grants, denials, cancels, notes, frees, raises, releases;
};

extern struct tally tally;

struct session {
    uint32_t acquire_tag[GROUPS_MAX]; /* 0: no request yet */
    bool grown[GROUPS_MAX];
    bool refused;                     /* auto's first request was */
    uint32_t hello_tag, ready_tag;    /* likewise */
    bool hello_done;                  /* hello has named all jobs */
    bool resource_gone, manager_gone; /* disconnected */
};

extern struct session session;

/* Return the R of a job in --kvs. */
json_t *R_in_kvs(const struct job *j);
/* Return a text in the annotations under `sched`; NULL: there is none. */
const char *job_note(const struct job *j, const char *key);
/* Does its reason_pending say that others are before it in the queue? */
bool job_is_behind(const struct job *j);
/* Begin a request whose answer is one of these. The payload follows. */
void say_request(const char *topic, unsigned right);
/* The last answer to resource-status. */
extern json_t *status_payload;
/* Forget all answers that are owed. */
void forget_owed(void);

/* --- requests.c ----------------------------------------------------------- */

/* Check a request from the scheduler, and answer it. */
void answer_request(const char *topic, uint32_t tag, const json_t *line);

/* --- quiet.c -------------------------------------------------------------- */

/* Send a ping. Its answer shows that all lines before it were read. */
void ping(void);
/* Wait until all lines were read. */
void settle(void);
/* Wait likewise, and check the state at that moment. */
void quiet(void);
/* Ask for the state of resources, and compare it with the book. */
void check_status(void);
/* Compare the files or the store of a job with the book. */
void check_kept(void);

/* --- session.c ------------------------------------------------------------ */

enum ending { BY_END, BY_TERM, BY_KILL };

void session_begin(void);
void session_end(enum ending how);

/* --- moves.c -------------------------------------------------------------- */

void move(void);
void say_alloc(struct job *j);
/* Free all that the job still holds. */
void say_free(struct job *j);
/* Make all targets known and up, and give everything to one job. */
void whole_machine(void);

#endif /* TEST_MANAGER_H */
