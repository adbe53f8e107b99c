/*
 * The table of forms, for the files of this folder only: how each is read
 * and written.
 */
#ifndef SET_IDSET_FORM_H
#define SET_IDSET_FORM_H

#include "set/idset_private.h"
#include "set/idset_read.h"

struct idset_form {
    const char *name;
    bool whole; /* white space does not separate texts of this form */
    int (*read)(struct id_scan *s);
    /* NULL: as RFC 22 */
    void (*write)(const struct idset *set, FILE *fp);
};

int idset_read_list(struct id_scan *s);
int idset_read_cpulist(struct id_scan *s);
int idset_read_step(struct id_scan *s);
int idset_read_mask(struct id_scan *s);
int idset_read_json(struct id_scan *s);
int idset_read_range(struct id_scan *s);

void idset_write_mask(const struct idset *set, FILE *fp);
void idset_write_taskset(const struct idset *set, FILE *fp);

#endif /* SET_IDSET_FORM_H */
