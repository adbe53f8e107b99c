/* Within the transport of broker.h: its state, and the functions that its files
   offer each other. */
#ifndef SCHED_RSET_BROKER_PRIVATE_H
#define SCHED_RSET_BROKER_PRIVATE_H

#include "base/map.h"
#include "broker.h"

/* Types of an answer to sched.alloc (RFC 27). */
enum { SUCCESS, ANNOTATE, DENY };

/* broker_hello.c: the jobs that hello lists, until the R of each is known. */
struct hello {
    struct greeted *waiting, *end; /* whose R is not looked up yet */
    size_t nlookups;
    char *goodbye; /* the line that ends hello, delivered after all lookups */
    struct map to_check; /* ids of jobs that still hold resources */
};

/* broker_grants.c: grants in their order. */
struct grants {
    struct grant *first, *last;
    size_t ncommitting; /* how many of the first ones are being committed */
    size_t nsingle;     /* commit this many singly: together they failed */
};

/* broker_site.c: all reservations of the site, and the requests to answer when
   these are in the KVS. */
struct kept_site {
    json_t *list;
    struct flux_msglist *requests;
    bool changed, commits;
};

struct broker {
    flux_t *h;
    const struct module *module;
    flux_reactor_t *reactor;
    char *stats; /* topic of the module's own statistics */
    struct scheduler *s;
    uint64_t lines; /* number of lines that the scheduler got */
    bool stopped;
    bool ready; /* the job manager has answered sched-ready */
    /* text of the scheduler that is not unwrapped yet */
    FILE *out;
    char *text;
    size_t len, room;
    /* requests of Flux */
    const flux_msg_t *current; /* being served; NULL: none, or answered */
    struct map allocs;         /* sched.alloc of each job that waits, by id */
    struct map futures;        /* futures that wait, by address */
    struct hello hello;
    struct grants grants;
    struct kept_site site;
    flux_watcher_t *prepare, *idle, *timer, *check;
};

/* Stop the module. */
void broker_stop(struct broker *b);

/*
 * Call a function with `arg` when a future is fulfilled. The function must end
 * the future with broker_forget(). `f` may be NULL. Returns -1 with errno, and
 * then destroys the future. A future that still waits at the end of the module
 * is destroyed there, with its attached data.
 */
int broker_then(struct broker *b, flux_future_t *f, flux_continuation_f fn,
                void *arg);
void broker_forget(struct broker *b, flux_future_t *f);

/* Return a message as a line, a new string. `payload`: JSON, or NULL for none.
   `errnum`: 0 unless it is an error. A payload that is no JSON can't add keys
   to the line: its reader refuses a key that comes twice. */
char *broker_wrap(const char *type, const char *topic, uint32_t tag,
                  const char *payload, int errnum, const char *errstr,
                  size_t *len);

/* Return an object with an R after its other keys, a new string. */
char *broker_add_R(const char *object, const char *R);

/* Hand a line to the scheduler and unwrap its answers. */
void broker_deliver(struct broker *b, const char *line, size_t len);

/* Report to the scheduler that a job has given everything back. */
void broker_free_job(struct broker *b, int64_t id);

/*
 * hello_take() takes a job that hello lists. hello_ends() returns whether all
 * R's are known when hello ends; if not, it takes over the line that says so.
 * hello_forget() removes a job from the jobs to be checked; hello_check_ended()
 * checks them, a moment after ready.
 */
void hello_take(struct broker *b, uint32_t tag, const char *payload);
bool hello_ends(struct broker *b, char *line);
void hello_forget(struct broker *b, flux_jobid_t id);
void hello_check_ended(flux_reactor_t *r, flux_watcher_t *w, int revents,
                       void *arg);
void hello_fini(struct broker *b);

/* Answer a sched.alloc with success when the R of the job is in the KVS. Takes
   over the request. grants_commit() commits R's, one commit at a time. */
void grants_add(struct broker *b, const flux_msg_t *request, int64_t id,
                json_t *payload);
void grants_commit(struct broker *b);
void grants_fini(struct broker *b);

/*
 * site_open() reads the reservations that were kept, without those that have
 * ended. site_reserved() notes that one was made, or (NULL) is gone.
 * site_commit() commits all of them, one commit at a time.
 */
void site_open(struct broker *b);
void site_reserved(const char *name, json_t *reservation, void *arg);
void site_commit(struct broker *b);
void site_fini(struct broker *b);

#endif /* SCHED_RSET_BROKER_PRIVATE_H */
