/*
 * A mutator for lines of JSON: most mutations of libFuzzer are not JSON any
 * more, and end in the parser. Here values are copied, moved, removed and
 * changed a little, in a line or from one line to another; every third time
 * bytes are mutated.
 *
 * To use it, a fuzzer includes this file.
 */
#ifndef TEST_MUTATE_JSON_H
#define TEST_MUTATE_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MUTATE_LINES = 16, MUTATE_DEPTH = 50 };

/* From libFuzzer; missing when seeds are replayed. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size,
                                              size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed);

/* A value in a line and its place: under a key, or in a list. */
struct mutate_spot {
    json_t *holder, *value;
    const char *key;
    size_t index;
    unsigned seen;
};

/* Pick any value of a tree, each with the same probability. */
static void mutate_pick(struct mutate_spot *spot, struct mutate_spot here,
                        unsigned depth, unsigned *seed)
{
    const char *key;
    json_t *value;
    size_t i;

    here.seen = spot->seen + 1;
    *spot = rand_r(seed) % here.seen == 0 ? here : *spot;
    spot->seen = here.seen;
    if (depth == MUTATE_DEPTH)
        return;
    json_object_foreach (here.value, key, value)
        mutate_pick(spot,
                    (struct mutate_spot){
                        .holder = here.value, .value = value, .key = key},
                    depth + 1, seed);
    json_array_foreach (here.value, i, value)
        mutate_pick(spot,
                    (struct mutate_spot){
                        .holder = here.value, .value = value, .index = i},
                    depth + 1, seed);
}

static json_t *mutate_integer(json_int_t n, unsigned *seed)
{
    const json_int_t numbers[] = {n + 1, n - 1, -1,         0,
                                  1,     2,     4294967294, INT64_MAX};

    return json_integer(numbers[rand_r(seed) % 8]);
}

/* Change, add or remove a character. */
static json_t *mutate_string(const char *text, unsigned *seed)
{
    static const char other[] = "0123456789-,[]@/:abn";
    size_t len = strlen(text), at = len ? rand_r(seed) % len : 0;
    unsigned how = len ? rand_r(seed) % 3 : 1;
    char *made = malloc(len + 2);
    json_t *value;

    if (!made)
        return NULL;
    memcpy(made, text, at);
    made[at] = other[rand_r(seed) % (sizeof(other) - 1)];
    strcpy(made + at + (how < 2), text + at + (how != 1));
    value = json_string(made); /* NULL if a character is cut in two */
    free(made);
    return value;
}

/* Change a value a little. */
static json_t *mutate_value(const json_t *value, unsigned *seed)
{
    if (json_is_integer(value) && json_integer_value(value) < INT64_MAX
        && json_integer_value(value) > INT64_MIN)
        return mutate_integer(json_integer_value(value), seed);
    if (json_is_string(value))
        return mutate_string(json_string_value(value), seed);
    if (json_is_boolean(value))
        return json_boolean(!json_is_true(value));
    return rand_r(seed) % 2 ? json_null() : json_real(-0.0);
}

static void mutate_set(const struct mutate_spot *at, json_t *value)
{
    if (at->key)
        json_object_set_new(at->holder, at->key, value);
    else
        json_array_set_new(at->holder, at->index, value);
}

/* Change a tree at one spot. `other` is in this line or in another. */
static void mutate_tree(const struct mutate_spot *at,
                        const struct mutate_spot *other, unsigned *seed)
{
    switch (rand_r(seed) % 6) {
    case 0:
        mutate_set(at, json_deep_copy(other->value));
        break;
    case 1:
        if (at->key)
            json_object_del(at->holder, at->key);
        else
            json_array_remove(at->holder, at->index);
        break;
    case 2:
        if (at->key)
            json_object_set_new(at->holder, other->key ? other->key : at->key,
                                json_deep_copy(other->value));
        else
            json_array_insert_new(at->holder, at->index,
                                  json_deep_copy(other->value));
        break;
    default:
        mutate_set(at, mutate_value(at->value, seed));
    }
}

static void mutate_lines(json_t **lines, size_t n, unsigned *seed)
{
    json_t **line = &lines[rand_r(seed) % n], *other = lines[rand_r(seed) % n];
    struct mutate_spot at = {0}, from = {0};

    if (!other)
        return;
    if (!*line || rand_r(seed) % 16 == 0) {
        json_decref(*line);
        *line = json_deep_copy(other);
        return;
    }
    mutate_pick(&at, (struct mutate_spot){.value = *line}, 0, seed);
    mutate_pick(&from, (struct mutate_spot){.value = other}, 0, seed);
    if (at.holder)
        mutate_tree(&at, &from, seed);
}

static size_t mutate_split(const char *text, size_t size, json_t **lines)
{
    size_t n = 0;

    while (size > 0 && n < MUTATE_LINES) {
        const char *end = memchr(text, '\n', size);
        size_t len = end ? (size_t)(end - text) : size;
        lines[n++] = json_loadb(text, len, JSON_DECODE_ANY, NULL);
        text += end ? len + 1 : len;
        size -= end ? len + 1 : len;
    }
    return n;
}

/* Join the lines to data; 0 if they are too long. Lines that are not JSON are
   lost. */
static size_t mutate_join(json_t **lines, size_t n, uint8_t *data, size_t max)
{
    size_t size = 0;

    for (size_t i = 0; i < n; i++) {
        char *text = json_dumps(lines[i], JSON_COMPACT | JSON_ENCODE_ANY);
        size_t len = text ? strlen(text) : 0;
        if (size + len + 1 > max) {
            free(text);
            return 0;
        }
        memcpy(data + size, text ? text : "", len);
        size += len;
        data[size++] = '\n';
        free(text);
    }
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed)
{
    json_t *lines[MUTATE_LINES];
    uint8_t *made;
    size_t n, len = 0;

    if (rand_r(&seed) % 3 == 0)
        return LLVMFuzzerMutate(data, size, max);
    n = mutate_split((const char *)data, size, lines);
    for (unsigned i = rand_r(&seed) % 4; n > 0 && i < 4; i++)
        mutate_lines(lines, n, &seed);
    if ((made = malloc(max)))
        len = mutate_join(lines, n, made, max);
    if (len)
        memcpy(data, made, len);
    free(made);
    for (size_t i = 0; i < n; i++)
        json_decref(lines[i]);
    return len ? len : LLVMFuzzerMutate(data, size, max);
}

#endif /* TEST_MUTATE_JSON_H */
