/*
 * What a scalar of YAML means: the core schema of YAML 1.2. Of use to yaml.c
 * alone.
 */
#ifndef BASE_YAML_SCALAR_H
#define BASE_YAML_SCALAR_H

#include <jansson.h>
#include <stdbool.h>

#include "base/diag.h"

/*
 * Read a scalar. `tag` is the type that the document gives it, NULL if none;
 * `quoted` ones are strings unless the tag says otherwise. Returns a new
 * reference; NULL with a text in `d`.
 */
json_t *yaml_scalar(const char *text, const char *tag, bool quoted,
                    struct diag *d);

/* May a collection have this tag? `type` is "map" or "seq". -1 with `d`. */
int yaml_collection_tag(const char *tag, const char *type, struct diag *d);

#endif /* BASE_YAML_SCALAR_H */
