/*
 * `rset-match --validate`, `rset-alloc check`: all faults of documents, for
 * people and as data.
 */
#ifndef CLI_VALIDATE_H
#define CLI_VALIDATE_H

#include <stddef.h>

/*
 * Which findings are faults: by default, those for which a document is refused.
 * VALIDATE_STRICT: all broken rules. VALIDATE_RECORDS: also all broken rules on
 * records. VALIDATE_JOBS: a document without jobs ends the program.
 * VALIDATE_WAITING: notes say which jobs wait for others by the clock.
 */
enum {
    VALIDATE_STRICT = 1 << 0,
    VALIDATE_RECORDS = 1 << 1,
    VALIDATE_JOBS = 1 << 2,
    VALIDATE_WAITING = 1 << 3,
};

/* The error about a document without jobs. */
#define NO_JOBS "there is no job in it: its records are lost"

/*
 * Check all documents of all files and print their faults, one a line, or with
 * --output=json one object for each document. Nothing is printed before all are
 * read. Ends the program if input is not JSON, or a file has no document.
 * Returns STATUS_OK, or STATUS_NO if there are faults.
 */
int cli_validate(const char *const *files, unsigned how);

/* Check the document in a text as cli_validate() does. `name`: for messages. */
int cli_validate_text(const char *text, size_t len, const char *name,
                      unsigned how);

#endif /* CLI_VALIDATE_H */
