/*
 * Jobspecs as they lie in files. Canonical ones are JSON and people write
 * YAML, of which JSON is nearly a part: what begins with a brace is tried as
 * JSON first, and where both fail it is JSON that was meant.
 */
#include "request/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/stream.h"
#include "base/yaml.h"

/* No jobspec is as large; jansson counts positions in an int. */
#define FILE_SIZE_MAX (64u << 20)

static json_t *load(const char *text, size_t len, struct diag *d)
{
    size_t blank = 0;
    struct diag ignored = {0};
    json_t *value;

    while (blank < len && memchr(" \t\r\n", text[blank], 4))
        blank++;
    if (blank == len) {
        diag_set(d, "no jobspec: the input is empty");
        return NULL;
    }
    if (text[blank] != '{')
        return yaml_load(text, len, d);
    value = json_read(text, len, false, d);
    return value ? value : yaml_load(text, len, &ignored);
}

struct request *request_from_text(const char *text, size_t len, bool v1,
                                  struct diag *d)
{
    json_t *jobspec = load(text, len, d);
    const char *other = jobspec ? NULL : stream_other(text, len);
    struct request *req;

    if (other)
        diag_set(d, "expected a jobspec, and this is %s", other);
    if (!jobspec)
        return NULL;
    req = request_from_jobspec(jobspec, v1, d);
    json_decref(jobspec);
    return req;
}

struct request *request_from_file(const char *path, bool v1, struct diag *d)
{
    size_t len;
    char *text = file_read(path, FILE_SIZE_MAX, "a jobspec", &len, d);
    struct request *req = text ? request_from_text(text, len, v1, d) : NULL;

    if (!req)
        diag_source(d, "%s", strcmp(path, "-") ? path : "stdin");
    free(text);
    return req;
}
