/*
 * A job of `idset`, as the command line asks for it, and the functions that do
 * it.
 *
 * A job is a list of steps (sets to unite, exclude, intersect, in the order of
 * the command line), then choices from the result, then either tests or one
 * answer. Numbers and hosts differ only in a table of functions, the kind.
 * Errors end the program.
 */
#ifndef IDSET_JOB_H
#define IDSET_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "set/hostlist.h"
#include "set/idset_form.h"

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
    /* only on the command line: */
    ANSWER_EXPANDED,
    ANSWER_TO,
};
enum job_parts { PARTS_ONE, PARTS_SPLIT, PARTS_CONTIGUOUS };

struct idset_kind;

/* A set that the command line names. */
struct job_set {
    const char *option; /* "--equal"; NULL: operand `number`, from 1 */
    size_t number;
    char *text;  /* "-" is standard input, "@NAME" a file */
    void *value; /* set when it was read */
};

struct job_step {
    enum job_op op;
    struct job_set set;
    bool is_input; /* standard input, or the current line */
};

struct job_pick {
    enum job_choice choice;
    uint64_t n;
    bool from_end;           /* count positions from the end, -1 is the last */
    struct idset *positions; /* JOB_NTH */
};

struct job_check {
    enum job_test test;
    struct job_set set;
};

struct idset_job {
    const struct idset_kind *kind;

    /* reading the sets */
    struct idset_reader ids;
    struct hostlist_reader hosts;
    bool lines;

    /* steps and choices */
    struct job_step *steps;
    size_t nsteps, noperands;
    struct job_set universe; /* text NULL: none */
    bool sort, unique;
    struct job_pick *picks;
    size_t npicks;
    uint64_t seed;

    /* the answer */
    struct job_check *checks;
    size_t nchecks;
    enum job_answer answer;
    enum job_parts parts;
    const struct idset_form *form; /* NULL: RFC 22, or RFC 29 */
    struct job_set of;             /* ANSWER_INDEX */
    uint32_t id;                   /* ANSWER_NEXT, ANSWER_PREV */
    uint64_t nparts;
    bool folded;         /* print an idset or a hostlist */
    bool list;           /* print one by one, with a separator */
    bool brackets;       /* print brackets around a folded set */
    bool null;           /* print NUL for a line feed and as the separator */
    const char *between; /* the separator, when options are read */
    size_t between_len;

    /* options as given; NULL: not given */
    bool hostlist;
    char *from, *max, *limit, *seed_text, *separator;
    const char *answer_option, *parts_option;
};

/* A position in a value that is split into parts. */
union job_walk {
    struct idset_iter ids;
    struct hostlist_iter hosts;
};

/* The functions of a kind, numbers or hosts. Values are pointers to an idset or
   to a hostlist. */
struct idset_kind {
    void *(*create)(void);
    void (*destroy)(void *value);
    /* Read into a value. `line` is 0 for the text of an argument. */
    int (*read)(const struct idset_job *job, void *value, const char *text,
                size_t len, size_t line, struct diag *d);
    void (*settle)(void *value); /* call after the last read() */
    void *(*combine[JOB_OPS])(const void *a, const void *b);
    uint64_t (*count)(const void *value);
    void *(*pick)(const void *value, const struct idset *positions);
    bool (*test[JOB_EMPTY])(const void *value, const void *other);
    struct idset *(*positions)(const void *value, const void *some);
    /* Split a value: begin; return the length of the rest of the current range;
       take the next n, a new value. */
    void (*walk)(union job_walk *walk, const void *value);
    uint64_t (*run)(const union job_walk *walk);
    void *(*take)(union job_walk *walk, uint64_t n);
    int (*write)(const struct idset_job *job, const void *value, FILE *fp,
                 struct diag *d);
};

extern const struct idset_kind kind_ids, kind_hosts;

/* Read all sets that a job names, except the lines of --lines (load.c). */
void job_load(struct idset_job *job);

/* Do a job (run.c). Returns the exit status; standard output is still open. */
int job_run(struct idset_job *job);

#endif /* IDSET_JOB_H */
