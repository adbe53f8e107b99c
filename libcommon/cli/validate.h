/*
 * `rset-match --validate`, `rset-alloc check`: all faults of documents, for
 * people and as data.
 */
#ifndef CLI_VALIDATE_H
#define CLI_VALIDATE_H

#include <stddef.h>

/*
 * What is a fault: that for which a document is refused; VALIDATE_STRICT: all
 * that breaks a rule; VALIDATE_RECORDS: also all that breaks a rule on
 * records. VALIDATE_JOBS: a document without any job ends the program.
 * VALIDATE_WAITING: notes say which jobs wait for others by the clock.
 */
enum {
    VALIDATE_STRICT = 1 << 0,
    VALIDATE_RECORDS = 1 << 1,
    VALIDATE_JOBS = 1 << 2,
    VALIDATE_WAITING = 1 << 3,
};

/* What is told of such a document. */
#define NO_JOBS "there is no job in it, it has lost its records"

/*
 * Check all documents of all files and print what is wrong with them, a line
 * a fault, or with --output=json an object a document. Nothing is printed
 * before all is read; the program ends on what is no JSON, and when there is
 * no document in a file. Returns STATUS_OK, or STATUS_NO if there are faults.
 */
int cli_validate(const char *const *files, unsigned how);

/* The same of the one document of a text, which messages call `name`. */
int cli_validate_text(const char *text, size_t len, const char *name,
                      unsigned how);

#endif /* CLI_VALIDATE_H */
