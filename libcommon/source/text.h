/* Text from outside of JSON, which a document may only hold as UTF-8. */
#ifndef SOURCE_TEXT_H
#define SOURCE_TEXT_H

#include <stdbool.h>

/* Is it UTF-8 throughout: no stray byte, no overlong form, no surrogate? */
bool text_is_utf8(const char *text);

#endif /* SOURCE_TEXT_H */
