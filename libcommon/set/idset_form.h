/*
 * The table of forms, for the files of this folder only: how each is read
 * and written.
 */
#ifndef SET_IDSET_FORM_H
#define SET_IDSET_FORM_H

#include "set/idset_private.h"
#include "set/idset_read.h"
#include "set/writer.h"

struct idset_form {
    const char *name;
    bool whole; /* white space does not separate texts of this form */
    int (*read)(struct id_scan *s);
    /* NULL: as RFC 22 */
    void (*write)(struct writer *w, const struct idset *set);
};

int idset_read_list(struct id_scan *s);
int idset_read_cpulist(struct id_scan *s);
int idset_read_step(struct id_scan *s);
int idset_read_mask(struct id_scan *s);
int idset_read_json(struct id_scan *s);
int idset_read_range(struct id_scan *s);

void idset_write_mask(struct writer *w, const struct idset *set);
void idset_write_taskset(struct writer *w, const struct idset *set);

#endif /* SET_IDSET_FORM_H */
