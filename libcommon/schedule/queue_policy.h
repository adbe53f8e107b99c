/*
 * The policies of queues. A job that has to wait is overtaken by no job of its
 * queue (fcfs); by jobs that do not delay it (easy: the first of each queue);
 * or by jobs that delay none of the first `depth` (conservative).
 *
 *     easy,debug=fcfs,long=conservative:8
 *
 * Queues debug and long have rules of their own, all others share the first.
 *
 * A queue may have a parent (a virtual queue of RFC 33): then its jobs wait in
 * that queue.
 */
#ifndef SCHEDULE_QUEUE_POLICY_H
#define SCHEDULE_QUEUE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

enum queue_policy {
    QUEUE_FCFS,
    QUEUE_EASY,
    QUEUE_CONSERVATIVE,
    QUEUE_POLICIES
};

/* The largest number of reservations. */
enum { RESERVATIONS_MOST = 1000000 };

struct queue_rule {
    char *queue; /* its name; NULL: all queues without a rule of their own */
    enum queue_policy policy;
    uint32_t depth; /* reservations, if conservative; 0: the planner's */
    uint32_t reserved, in_use; /* for the planner: reservations; those of jobs
                                 that this pass has kept */
};

struct queue_parent {
    char *queue, *parent;
};

/* The first rule is that of other queues. All zeros: they are fcfs. */
struct queue_rules {
    struct queue_rule *list;
    size_t n;
    struct queue_parent *parents;
    size_t nparents;
};

/* Read a number of jobs, at least `least` and at most RESERVATIONS_MOST.
   Returns 0, or -1 with a diag. */
int queue_depth_read(const char *text, uint32_t least, uint32_t *depth,
                     struct diag *d);

/* Read rules in place of others; the parents stay. Returns 0, or -1 with a diag
   and no rules. */
int queue_rules_read(struct queue_rules *rules, const char *text,
                     struct diag *d);
/* Let the jobs of a queue wait in another one. Returns 0, or -1 with a diag. */
int queue_rules_adopt(struct queue_rules *rules, const char *queue,
                      const char *parent, struct diag *d);
void queue_rules_fini(struct queue_rules *rules);

/* Return the rule of a queue ("" or NULL: without a name). There must be
   rules. */
struct queue_rule *queue_rules_of(const struct queue_rules *rules,
                                  const char *queue);

/* Return the queue in which the jobs of a queue wait. */
const char *queue_rules_home(const struct queue_rules *rules,
                             const char *queue);

/* Return whether a queue has this policy. */
bool queue_rules_have(const struct queue_rules *rules,
                      enum queue_policy policy);

/* Write rules as a new string that queue_rules_read() reads. */
char *queue_rules_text(const struct queue_rules *rules);

#endif /* SCHEDULE_QUEUE_POLICY_H */
