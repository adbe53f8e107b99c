/*
 * Jobspecs in files (request.h). Canonical jobspecs are JSON. People write
 * YAML, and JSON is nearly a part of YAML. A text that begins with a brace is
 * read as JSON first, unless the character after the brace can't be JSON. If
 * both fail, the message is that of the JSON reader.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/stream.h"
#include "base/yaml.h"
#include "request/request.h"

/* No jobspec is that large, and jansson counts positions in an int. */
#define FILE_SIZE_MAX (64u << 20)

/* Return the offset of the first byte that is not blank, from `at` on, or
   `len`. */
static size_t after_blanks(const char *text, size_t len, size_t at)
{
    while (at < len && memchr(" \t\r\n", text[at], 4))
        at++;
    return at;
}

struct request *request_from_text(const char *text, size_t len, struct diag *d)
{
    size_t at = after_blanks(text, len, 0), next;
    struct diag ignored = {0};
    json_t *jobspec = NULL;
    struct request *req;
    const char *other;

    if (at < len) {
        next = after_blanks(text, len, at + 1);
        if (text[at] != '{' || (next < len && !memchr("\"}", text[next], 2)))
            jobspec = yaml_load(text, len, d);
        else if (!(jobspec = json_read(text, len, false, d)))
            jobspec = yaml_load(text, len, &ignored);
    } else {
        diag_set(d, "no jobspec: the input is empty");
    }
    if (!jobspec && (other = stream_other(text, len)))
        diag_set(d, "expected a jobspec, and this is %s", other);
    if (!jobspec)
        return NULL;
    req = request_from_jobspec(jobspec, d);
    json_decref(jobspec);
    return req;
}

struct request *request_from_file(const char *path, struct diag *d)
{
    size_t len;
    char *text = file_read(path, FILE_SIZE_MAX, "a jobspec", &len, d);
    struct request *req = text ? request_from_text(text, len, d) : NULL;

    if (!req)
        diag_source(d, "%s", strcmp(path, "-") ? path : "stdin");
    free(text);
    return req;
}
