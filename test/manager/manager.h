/*
 * A job manager to test a scheduler against: RFC 27's side of the protocol and
 * RFC 28's provider in one program, written from the standards and sharing
 * nothing with the scheduler but the library that reads JSON.
 *
 *     manager [OPTION...] -- COMMAND [ARGUMENT...]
 *
 * It starts COMMAND, a scheduler that speaks lines (rset-protocol(5)), plays
 * random traffic with it, and checks each line that comes back against a book
 * of its own. Whatever breaks a promise ends it with status 1.
 *
 * Lines cross on the wire: what the scheduler had read when it decided is not
 * known. What is known: all lines up to the last ping that it answered. So a
 * check asks whether what came can be right for any moment since that ping. At
 * a quiet moment, when nothing was sent since, there is just one, and checks
 * are exact.
 *
 *     child.c     the scheduler's process, lines to it and from it
 *     book.c      targets, who holds what of them; idsets and R
 *     shape.c     what a job asks for: as a jobspec, and whether R satisfies it
 *     jobs.c      the jobs, and their order in the queue
 *     answers.c   checks what comes: answers
 *     requests.c  the same of what the scheduler asks
 *     quiet.c     checks what must have come by a quiet moment
 *     session.c   from acquire to ready; the end; what ends by force
 *     moves.c     random traffic
 *     main.c      options, and the game as a whole
 */
#ifndef TEST_MANAGER_H
#define TEST_MANAGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { NODES_MAX = 64, GROUPS_MAX = 4 };

enum edition { SEED, CURRENT };

struct options {
    uint32_t messages;
    uint32_t nodes, cores, gpus;
    uint32_t in_flight; /* requests that wait, at most */
    uint32_t limit;     /* the scheduler's --limit; 0: none */
    uint32_t restarts, terms, kills;
    const char *dialect;
    enum edition edition;  /* the same */
    bool automatic;        /* the scheduler finds out which it is */
    bool lockstep;         /* each line waits for what the last one caused */
    const char *kvs;       /* the scheduler's --kvs; NULL: none */
    const char *store;     /* its --store; NULL: none */
    const char *resources; /* its --resources, written here; NULL: it asks */
    const char *groups[GROUPS_MAX]; /* its --group, with commas between them */
    unsigned ngroups;
    const char *trace; /* a file for all that is said */
    char **command;
};

extern struct options options;

/* A number below n. */
uint32_t below(uint32_t n);
/* True once in n times. */
bool once_in(uint32_t n);

/* --- child.c -------------------------------------------------------------- */

struct child {
    int pid;
    uint64_t sent;    /* lines, of all sessions */
    uint64_t acked;   /* so many of them were read, surely */
    uint64_t heard;   /* lines that came */
    bool may_end;     /* it is told to */
    bool ended;       /* its output has */
    const char *line; /* the one that is looked at; NULL: none */
};

extern struct child child;

/* A promise was broken: say all that helps, and end with status 1. */
void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

void child_start(void);
/* Write to its standard input, in parts; said() ends the line and returns its
   number. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
uint64_t said(void);
/* Write what was said to a file instead. */
void said_to(const char *path);
/* Write and read what can be; with `wait` that is waited for. */
void pump(bool wait);
/* No more input. */
void child_close(void);
/* What its end was (see waitpid()), after its output ended. */
int child_reap(void);
/* Run a program, and return what it prints, or NULL if it fails. */
char *output_of(const char *const argv[]);

/* --- book.c --------------------------------------------------------------- */

/* Cores and GPUs of a node, a bit each. */
struct units {
    uint64_t core, gpu;
};

/* What an R says. Sets of ranks have a bit each, too. */
struct holding {
    uint64_t ranks;
    uint64_t whole; /* held whole, whatever is listed */
    struct units on[NODES_MAX];
    double start, end; /* 0: none */
    long nslots;       /* -1: not said */
};

struct node {
    struct units all, held;
    uint64_t down_at, lost_at; /* the lines that said so */
    unsigned group;
};

/*
 * Targets: known to the scheduler; of these, up; taken away and not released
 * yet. The others may be given when nobody has anything of them.
 */
struct book {
    struct node node[NODES_MAX];
    uint64_t known, up, lost;
    uint64_t changed; /* the last line that said what is known */
    double end;       /* of all resources; 0: none */
    uint64_t end_at;  /* the line that said so */
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
uint64_t random_of(uint64_t set); /* a part of it, at least one */
uint64_t one_of(uint64_t set);

/* RFC 22. -1: it is none, or has too large a number. */
int idset_read(const char *text, uint64_t *set);
/* The text stays until the eighth call from now. */
const char *idset_text(uint64_t set);

/* Read an R; what is wrong with it fails. */
void read_R(const json_t *R, struct holding *h);
/* Read the short form of annotations, as "rank0/core[0-1],gpu0". */
void read_summary(const char *text, struct holding *h);
/* Say an R with these units; of all resources or of a job. */
void say_R(const struct holding *h, bool all);
/* All of these ranks. */
void say_resources(uint64_t ranks);

/* Enter in the book that these units are held; or not any more. */
void book_hold(uint64_t id, const struct holding *h);
void book_drop(const struct holding *h, uint64_t ranks);
/* All resources end at another time, and so do jobs that ended with them. */
void book_set_end(double end);
/* Has somebody got some of it? */
bool book_taken(const struct holding *h);

/* --- shape.c -------------------------------------------------------------- */

/* Slots, slots in nodes, in nodes that are exclusive; a node in each slot,
   which is held as a whole though only a part of it is in R. */
enum shape_kind { SLOTS, NODES, WHOLE, HELD };

struct shape {
    enum shape_kind kind;
    int nodes, nodes_max; /* of NODES and WHOLE */
    int slots, slots_max; /* in each node, or of all; 1 of HELD */
    int cores, gpus;      /* in each slot */
    int need;             /* a constraint, of shape.c */
    uint64_t ranks;       /* that it speaks of */
    int duration;
    int queue; /* 0: none */
};

void shape_random(struct shape *s);
void say_jobspec(const struct shape *s);
const char *queue_name(const struct shape *s); /* NULL: none */

/* Could it ever be had of these ranks, or is it now? */
bool shape_possible(const struct shape *s, uint64_t ranks);
bool shape_fits(const struct shape *s, uint64_t ranks);
/* What is granted is what was asked for, or that fails; and when it ends. */
void shape_check(const struct shape *s, const struct holding *h);
void shape_check_end(const struct shape *s, const struct holding *h);

/* --- jobs.c --------------------------------------------------------------- */

enum job_state {
    WAITING, /* for an answer to sched.alloc */
    HOLDING,
    FREEING, /* the answer to sched.free is awaited (seed) */
    JOB_STATES
};

struct job {
    uint64_t id;
    enum job_state state;
    size_t at;        /* in the list of its state */
    struct job *next; /* of the same hash */
    uint32_t priority;
    int time_kind; /* before, at or after its arrival, that is t_submit */
    double time;
    uint64_t arrival;     /* of it, or its last arrival: this line */
    uint64_t prioritized; /* it has its priority by this line */
    uint64_t cancelled;   /* by this line; 0: it was not */
    uint64_t freed;       /* by this line */
    uint64_t released;    /* ranks that were freed before the others */
    uint64_t gone;        /* ranks that were not there when hello named it */
    uint64_t forgotten;   /* of these, those that a store knew of once */
    bool raised_shrink, raised_restart;
    bool expires;     /* another end was asked for */
    double end;       /* when it ends, 0: never; -1: not known */
    bool again;       /* free was not answered, and is to be said again */
    bool maybe_freed; /* nor is it known whether it was done */
    struct shape shape;
    struct holding has;
    json_t *R;     /* as it was given; NULL: not known */
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
/* An id that was answered a while ago, or never was one. */
uint64_t old_id(void);

/* Is `a` surely before `b` in the queue? */
bool job_before(const struct job *a, const struct job *b);
/* The first of those that wait; NULL: none, or not known. */
struct job *queue_head(void);
/* One that was surely waiting before `j` ever since the last ping; or NULL. */
struct job *job_passed(const struct job *j);

/* --- answers.c ------------------------------------------------------------ */

/* Errors of conventional answers that are right. */
enum {
    OK = 1,
    IS_EINVAL = 2,
    IS_ENOENT = 4,
    IS_ERANGE = 8,
    IS_ENOSYS = 16,
    IS_EPROTO = 32,
    IS_OTHER = 64
};

/* What is owed to us: answers with a matchtag, and others. */
struct owed {
    long tags, frees, protos, denials;
    uint64_t freed, denied; /* the id of the last that held nothing, and of the
                               last that cannot be granted */
};

extern struct owed owed;

/* What came, in all. */
struct tally {
    long pings; /* that were sent */
    long grants, denials, cancels, notes, frees, raises, releases;
};

extern struct tally tally;

struct session {
    uint32_t acquire_tag[GROUPS_MAX]; /* 0: not asked */
    bool grown[GROUPS_MAX];
    bool refused;                     /* auto's first question was */
    uint32_t hello_tag, ready_tag;    /* the same */
    bool hello_done;                  /* all jobs were named */
    bool resource_gone, manager_gone; /* disconnected */
};

extern struct session session;

/* Look at a line that came. */
void answer(const char *line, size_t len);
/* What --kvs has of a job. */
json_t *R_in_kvs(const struct job *j);
/* An annotation in `sched` that is a text; NULL: there is none. */
const char *job_note(const struct job *j, const char *key);
/* Its reason_pending is that others are before it in the queue. */
bool job_is_behind(const struct job *j);
/* Begin a request that is answered with one of these; payload follows. */
void say_request(const char *topic, unsigned right);
/* What resource-status said last. */
extern json_t *status_payload;
/* No answer is awaited any more. */
void forget_owed(void);

/* --- requests.c ----------------------------------------------------------- */

/* The scheduler asks something. */
void answer_request(const char *topic, uint32_t tag, const json_t *line);

/* --- quiet.c -------------------------------------------------------------- */

/* Send a ping: its answer says that all before it was read. */
void ping(void);
/* Wait until all that was sent is read. */
void settle(void);
/* The same, and check what must be so by then. */
void quiet(void);
/* Ask for the state of resources, and hold it against the book. */
void check_status(void);
/* Hold what is kept of a job, in files or in the store, against the book. */
void check_kept(void);

/* --- session.c ------------------------------------------------------------ */

enum ending { BY_END, BY_TERM, BY_KILL };

void session_begin(void);
void session_end(enum ending how);

/* --- moves.c -------------------------------------------------------------- */

void move(void);
void say_alloc(struct job *j);
/* All that it has, or has yet. */
void say_free(struct job *j);
/* Everything is there and up, and one job gets it all. */
void whole_machine(void);

#endif /* TEST_MANAGER_H */
