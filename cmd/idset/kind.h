/*
 * What numbers and hosts have in common, as `idset` sees them. Values are
 * pointers to an idset or to a hostlist.
 */
#ifndef IDSET_KIND_H
#define IDSET_KIND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "job.h"

/* Where one is in a value that is taken apart. */
union job_walk {
    struct idset_iter ids;
    struct hostlist_iter hosts;
};

struct idset_kind {
    void *(*create)(void);
    void (*destroy)(void *value);
    /* Read into a value; `line` is 0 for the text of an argument. */
    int (*read)(const struct idset_job *job, void *value, const char *text,
                size_t len, size_t line, struct diag *d);
    void (*settle)(void *value); /* after the last reading */
    void *(*combine[JOB_OPS])(const void *a, const void *b);
    uint64_t (*count)(const void *value);
    void *(*pick)(const void *value, const struct idset *positions);
    void *(*sort)(const void *value, bool unique);
    bool (*test[JOB_EMPTY])(const void *value, const void *other);
    struct idset *(*positions)(const void *value, const void *some);
    /* Take a value apart: how much is left in one run, the next n of it. */
    void (*walk)(union job_walk *walk, const void *value);
    uint64_t (*run)(const union job_walk *walk);
    void *(*take)(union job_walk *walk, uint64_t n);
    int (*write)(const struct idset_job *job, const void *value, FILE *fp,
                 struct diag *d);
};

extern const struct idset_kind kind_ids, kind_hosts;

#endif /* IDSET_KIND_H */
