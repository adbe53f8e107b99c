/*
 * The R of a job, read against the inventory of its scheduler. All that read
 * the R's of jobs do it here.
 *
 * An R may have a graph or not, and the graph may be complete, in shorthand or
 * damaged; it may name ranks that are gone, hosts that have other ranks now,
 * and resources that another job holds. As much of it is used as can be
 * identified:
 *
 *     the graph is                 used is
 *     complete                     the graph
 *     in shorthand                 the graph, completed from the inventory
 *     damaged, of another root,    R_lite
 *     or can't be completed
 *
 *     R = job_R_read(text, len, "R", &fault, &d);
 *     note = job_R_hold(u, "7", R, &terms, now);
 */
#ifndef COMPARE_JOB_R_H
#define COMPARE_JOB_R_H

#include "model/document/document.h"
#include "model/records/records.h"

/* How a service writes the R of a job, if its set has a graph. Without one all
   forms are FORM_R. */
enum job_form {
    JOB_FORM_SHORTHAND, /* rv1-compact without what the inventory gives back */
    JOB_FORM_R,
    JOB_FORM_RV1,
    JOB_FORM_RV1_COMPACT,
    JOB_FORMS
};

/* Return the form with a name: shorthand, r, rv1 or rv1-compact; JOB_FORMS with
   a diag if there is none. */
enum job_form job_form_of(const char *name, struct diag *d);

/* Write the R of a job as a new string without a newline; NULL with a diag. */
char *job_R_text(struct rset *R, enum job_form form, enum dialect dialect,
                 struct diag *d);

/*
 * Read an R, which messages call `name`. If its graph can't be read, but the
 * rest can, returns that and sets *fault to a new string with the reason; else
 * sets it to NULL. `fault` may be NULL. Returns NULL with a diag if nothing can
 * be read.
 */
struct rset *job_R_read(const char *text, size_t len, const char *name,
                        char **fault, struct diag *d);

/* Take ranks out of an R, with all in them; what lies in no rank stays. A
   shorthand graph is completed first. Returns the R, or a new one that replaces
   it; NULL with a diag if it can't be changed. */
struct rset *job_R_without(struct rset *R, const struct idset *ranks,
                           struct rset *inventory, struct diag *d);

/* Return a new string that names the targets of an R that the inventory does
   not have, under any rank; NULL: it has all. */
char *job_R_gone(const struct rset *inventory, const struct rset *R);

/*
 * Give a job as much of its R as the inventory has and as nobody else holds
 * (plan_take_free()). May change R, and gives it the ranks that its hosts have
 * in the inventory. Sets terms->nslots. Returns NULL, or a new string that
 * names the first thing that the job did not get.
 */
char *job_R_hold(struct usage *u, const char *job, struct rset *R,
                 struct term *terms, double now);

#endif /* COMPARE_JOB_R_H */
