/*
 * What `idset` was asked to do, and doing it.
 *
 * A job is a list of steps (sets to unite, exclude, intersect, in the order
 * of the command line), then choices among what came out, then either tests
 * or one answer. All of it is the same for numbers and for hosts; what
 * differs is in a table of functions, the kind.
 *
 * These functions end the program by themselves if something is wrong.
 */
#ifndef IDSET_JOB_H
#define IDSET_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "set/hostlist.h"
#include "set/idset_read.h"

enum job_op { JOB_UNION, JOB_EXCLUDE, JOB_INTERSECT, JOB_XOR, JOB_OPS };
enum job_choice { JOB_HEAD, JOB_TAIL, JOB_NTH, JOB_PICK };
enum job_test { JOB_EQUAL, JOB_CONTAINS, JOB_WITHIN, JOB_OVERLAPS, JOB_EMPTY };
enum job_answer {
    ANSWER_FORM,
    ANSWER_COUNT,
    ANSWER_FIRST,
    ANSWER_LAST,
    ANSWER_INDEX,
    ANSWER_NEXT,
    ANSWER_PREV,
};
enum job_parts { PARTS_ONE, PARTS_SPLIT, PARTS_CONTIGUOUS };

struct idset_kind;

/* A set as it was named on the command line. */
struct job_set {
    const char *source; /* "argument 1" or "--equal", for messages */
    const char *text;   /* "-" is standard input, "@NAME" a file */
    void *value;        /* once it is read */
};

struct job_step {
    enum job_op op;
    struct job_set set;
    bool is_input; /* standard input, or the line at hand */
};

struct job_pick {
    enum job_choice choice;
    uint64_t n;
    bool from_end;           /* positions count from the end, -1 the last */
    struct idset *positions; /* JOB_NTH */
};

struct job_check {
    enum job_test test;
    struct job_set set;
};

struct idset_job {
    const struct idset_kind *kind;

    /* how sets are read */
    struct idset_reader ids;
    struct hostlist_reader hosts;
    bool lines;

    /* what is done with them */
    struct job_step *steps;
    size_t nsteps, noperands;
    struct job_set universe; /* text is NULL if there is none */
    bool sort, unique;
    struct job_pick *picks;
    size_t npicks;
    uint64_t seed;

    /* what is told of them */
    struct job_check *checks;
    size_t nchecks;
    enum job_answer answer;
    enum job_parts parts;
    const struct idset_form *form; /* NULL: RFC 22, or RFC 29 */
    struct job_set of;             /* ANSWER_INDEX */
    uint32_t id;                   /* ANSWER_NEXT, ANSWER_PREV */
    uint64_t nparts;
    bool folded;         /* as an idset or a hostlist */
    bool list;           /* one by one, with a separator */
    bool brackets;       /* around a folded set */
    bool null;           /* NUL for a line feed, and as the separator */
    char *separator;     /* as given, or NULL */
    const char *between; /* what separates, in the end */
    size_t between_len;

    /* which options were given, for complaints; NULL: none of the sort */
    const char *answer_option, *parts_option;
    const char *ids_option, *hosts_option; /* that suit one kind only */
    const char *from_option;
    const char *seed_option;

    char **texts; /* that the job owns */
    size_t ntexts;
};

/*
 * Take note of what the command line says. Names of options and texts are
 * kept by pointer; those that job_own() is told of are freed in the end.
 */
void job_init(struct idset_job *job);
char *job_own(struct idset_job *job, char *text);
void job_add_operand(struct idset_job *job, const char *text);
void job_add_step(struct idset_job *job, enum job_op op, const char *option,
                  const char *text);
void job_add_pick(struct idset_job *job, enum job_choice choice,
                  const char *option, const char *text);
void job_add_check(struct idset_job *job, enum job_test test,
                   const char *option, const char *text);
/* Of two answers, or of two ways to take a set apart, none is given. */
void job_set_answer(struct idset_job *job, enum job_answer answer,
                    const char *option, const char *text);
void job_set_parts(struct idset_job *job, enum job_parts parts,
                   const char *option, const char *text);
void job_set_from(struct idset_job *job, const char *name);
void job_set_to(struct idset_job *job, const char *name);
void job_set_expand(struct idset_job *job);
/* A separator, with the escapes \n, \t and \\ in it. */
void job_set_separator(struct idset_job *job, const char *text);

/* The argument of an option as a number up to `max`. */
uint64_t job_number(const char *option, const char *text, uint64_t max);

/* Check what goes together, and fill in what was not said. */
void job_finish(struct idset_job *job);

/* Do it. Returns the exit status; output is not closed yet. */
int job_run(struct idset_job *job);

#endif /* IDSET_JOB_H */
