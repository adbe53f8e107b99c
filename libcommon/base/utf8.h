/* UTF-8 (RFC 3629), the only text that JSON can hold. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Return the length in bytes of the first character of a text. Returns 0 if it
 * is not valid: incomplete, an overlong form, a surrogate, or beyond Unicode.
 */
size_t utf8_length(const char *text);

/* Is all of the text UTF-8? */
bool utf8_is(const char *text);

#endif /* BASE_UTF8_H */
