/*
 * YAML read into JSON values: jobspecs and configurations are written in
 * YAML in the field, all that follows works on JSON.
 *
 * What is read is YAML 1.2 with its core schema: `yes`, `no` and `on` are
 * strings, `0o17` is octal and `017` is seventeen, `<<` is a key as any
 * other. What JSON cannot hold is refused, not bent: keys that are not
 * strings, duplicate keys, infinities, NUL bytes, integers beyond 64 bits.
 * So are the characters that break lines in YAML 1.1 and not in 1.2 (U+0085,
 * U+2028, U+2029), unless they are escaped.
 */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include <jansson.h>
#include <stddef.h>

#include "base/diag.h"

/* Collections nested deeper are refused. */
#define YAML_DEPTH_MAX 512

/*
 * What all aliases of a document together may expand to, a unit being a node
 * or a byte of a scalar: the guard against a few lines that stand for
 * billions of nodes.
 */
#define YAML_ALIAS_MAX 1000000

/*
 * Read `len` bytes of UTF-8 text that hold exactly one document. An alias
 * becomes a copy of what it stands for. Returns a new reference; NULL with
 * the fault in `d`, at "line L, column C" (both from 1).
 */
json_t *yaml_load(const char *text, size_t len, struct diag *d);

#endif /* BASE_YAML_H */
