/* `rset-match --validate`: all faults of documents, for people and as data. */
#ifndef CLI_VALIDATE_H
#define CLI_VALIDATE_H

#include <stdbool.h>

/*
 * Check all documents of all files and print what is wrong with them, a line
 * a fault, or with --output=json an object a document. Nothing is printed
 * before all is read; the program ends on what is no JSON, and when there is
 * no document in a file. Returns STATUS_OK, or STATUS_NO if there are faults:
 * with `strict` any, otherwise those for which a document is refused.
 */
int cli_validate(const char *const *files, bool strict);

#endif /* CLI_VALIDATE_H */
