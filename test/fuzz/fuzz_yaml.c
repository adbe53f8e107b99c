/*
 * Any text is refused with a text and its line and column, or it is a value
 * whose JSON is read back as the same, as YAML and as JSON. A JSON document has
 * the same value as YAML.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "base/json.h"
#include "base/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* YAML lacks parts of JSON: some characters, and long keys. */
static void check_json(json_t *value, const char *text, size_t len)
{
    struct diag d = {0};
    json_t *again = yaml_load(text, len, &d);

    check(again ? json_equal(again, value) : d.text[0]);
    json_decref(again);
}

static void check_value(json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    struct diag d = {0};
    json_t *again;

    check(text != NULL);
    check_json(value, text, strlen(text));
    again = json_read(text, strlen(text), true, &d);
    check(again && json_equal(again, value));
    json_decref(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct diag d = {0};
    json_t *value = yaml_load(text, size, &d), *json;
    unsigned line, column;

    if (value)
        check_value(value);
    else if (strcmp(d.text, "no document") != 0)
        check(d.text[0]
              && sscanf(d.where, "line %u, column %u", &line, &column) == 2);
    if ((json = json_loadb(text, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES,
                           NULL)))
        check_json(json, text, size);
    json_decref(json);
    json_decref(value);
    return 0;
}
