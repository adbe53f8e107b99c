/*
 * YAML read into JSON values. Jobspecs and configurations are written in YAML
 * in the field; everything else works on JSON.
 *
 * Reads YAML 1.2 with its core schema: `yes`, `no` and `on` are strings, `0o17`
 * is octal and `017` is seventeen, `<<` is an ordinary key. Values that JSON
 * can't hold are refused, not changed: keys that are not strings, duplicate
 * keys, infinities, NUL bytes, integers beyond 64 bits. Characters that break
 * lines in YAML 1.1 and not in 1.2 (U+0085, U+2028, U+2029) are refused too,
 * unless they are escaped.
 */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include <jansson.h>
#include <stddef.h>

#include "base/diag.h"

/* Deepest nesting of collections. */
#define YAML_DEPTH_MAX 512

/*
 * The most that all aliases of a document together may expand to, in nodes and
 * bytes of scalars. This guards against a few lines that stand for billions of
 * nodes.
 */
#define YAML_ALIAS_MAX 1000000

/*
 * Read `len` bytes of UTF-8 text with exactly one document. An alias becomes a
 * copy of its node. Returns a new reference; NULL with a diag at "line L,
 * column C" (both from 1), or without a place if there is no document.
 */
json_t *yaml_load(const char *text, size_t len, struct diag *d);

#endif /* BASE_YAML_H */
