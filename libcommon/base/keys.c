#include "base/keys.h"

#include <string.h>

#include "base/json.h"
#include "base/near.h"

int keys_wrong(struct diag *d, const json_t *value, const char *expected)
{
    return diag_set(d, "%s%s%s is expected",
                    value ? json_quote(value).text : "", value ? ": " : "",
                    expected);
}

int keys_text(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    if (!json_is_string(value))
        return keys_wrong(d, value, "a string");
    *(const char **)to = json_string_value(value);
    return 0;
}

int keys_bool(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    if (!json_is_boolean(value))
        return keys_wrong(d, value, "true or false");
    *(bool *)to = json_is_true(value);
    return 0;
}

bool keys_check(const char *name, const char *what, const struct key *keys,
                struct diag *d)
{
    struct near near = {.word = name, .len = strlen(name)};

    for (const struct key *k = keys; k->name; k++)
        if (!strcmp(k->name, name))
            return true;
    for (const struct key *k = keys; k->name; k++)
        near_try(&near, k->name);
    diag_set(d, "%s: %s%s%s", quote(name, near.len).text,
             what ? "no key of " : "there is no such key", what ? what : "",
             near.text);
    return false;
}

int keys_read(void *arg, json_t *object, const char *what,
              const struct key *keys, bool strict, void *to, struct diag *d)
{
    const char *name;
    json_t *member;

    if (!json_is_object(object))
        return what ? diag_set(d, "%s: %s must be an object",
                               json_quote(object).text, what)
                    : keys_wrong(d, object, "a table");
    json_object_foreach (object, name, member)
        if (strict && !keys_check(name, what, keys, d))
            return -1;
    for (const struct key *k = keys; k->name; k++) {
        json_t *value = json_object_get(object, k->name);
        size_t at = k->at & ~(KEY_REQUIRED | KEY_EXPECTED);
        if (!value && k->at & KEY_REQUIRED)
            return what ? diag_set(d, "%s has no \"%s\"", what, k->name)
                        : diag_set(d, "%s is missing", k->name);
        if ((value || k->at & KEY_EXPECTED)
            && k->read(arg, value, to ? (char *)to + at : NULL, d) < 0)
            return diag_in(d, "%s", k->name);
    }
    return 0;
}

int keys_list(void *arg, json_t *list, const char *what, key_reader *read,
              void *to, struct diag *d)
{
    json_t *value;
    size_t i;

    if (!json_is_array(list))
        return diag_set(d, "%s: a list of %s is expected",
                        json_quote(list).text, what);
    json_array_foreach (list, i, value)
        if (read(arg, value, to, d) < 0)
            return diag_in(d, "[%zu]", i);
    return 0;
}
