/*
 * Reads YAML (yaml.h). libyaml produces a flat sequence of events; a stack of
 * open collections turns them into a JSON value, so that depth costs no
 * recursion. An anchor is kept with the cost of its node when expanded, and
 * this cost is checked before an alias is copied.
 */
#include "base/yaml.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/memory.h"
#include "base/near.h"

/* A collection that is still open. */
struct frame {
    json_t *value; /* array or object, owned */
    json_t *key;   /* key of the next value of an object; NULL: expects a key */
    char *anchor;  /* NULL: none */
    size_t cost;   /* cost of the document before it */
    int height;    /* levels of collections in it */
};

struct loader {
    yaml_parser_t parser;
    struct frame stack[YAML_DEPTH_MAX];
    int depth;
    json_t *root;
    json_t *anchors; /* name to [node, cost, height] */
    size_t cost;     /* of all nodes so far, with aliases expanded */
    size_t aliased;  /* cost of all aliases so far */
    struct diag *d;
};

static int fault(struct loader *ld, yaml_mark_t at)
{
    return diag_in(ld->d, "line %zu, column %zu", at.line + 1, at.column + 1);
}

/* --- scalars ------------------------------------------------------------ */

/*
 * The core schema of YAML 1.2 as a table: each type has a reader that knows its
 * spellings. It reads a terminated scalar. Returns 1 with a new value; 0 if the
 * scalar is not of this type; -1 with a text in `d` if JSON can't hold it.
 */
typedef int scalar_reader(const char *s, json_t **value, struct diag *d);

static int read_null(const char *s, json_t **value, struct diag *d)
{
    static const char *const spellings[] = {"", "~", "null", "Null", "NULL"};

    (void)d;
    *value = json_null();
    return WORD_FIND(spellings, s) >= 0;
}

static int read_bool(const char *s, json_t **value, struct diag *d)
{
    static const char *const yes[] = {"true", "True", "TRUE"};
    static const char *const no[] = {"false", "False", "FALSE"};

    (void)d;
    *value = json_boolean(WORD_FIND(yes, s) >= 0);
    return WORD_FIND(yes, s) >= 0 || WORD_FIND(no, s) >= 0;
}

static bool all_of(const char *s, const char *accepted)
{
    return s[0] && s[strspn(s, accepted)] == '\0';
}

static int read_int(const char *s, json_t **value, struct diag *d)
{
    long long n;

    errno = 0;
    if (s[0] == '0' && s[1] == 'o' && all_of(s + 2, "01234567"))
        n = strtoll(s + 2, NULL, 8);
    else if (s[0] == '0' && s[1] == 'x'
             && all_of(s + 2, "0123456789abcdefABCDEF"))
        n = strtoll(s + 2, NULL, 16);
    else if (all_of(s + (s[0] == '-' || s[0] == '+'), "0123456789"))
        n = strtoll(s, NULL, 10);
    else
        return 0;
    if (errno == ERANGE)
        return diag_set(d, "%s: an integer beyond 64 bits", quote_all(s).text);
    *value = json_integer(n);
    return 1;
}

/* Is it .inf or .nan? These are numbers for YAML, not for JSON. */
static bool not_finite(const char *s)
{
    static const char *const inf[] = {".inf", ".Inf", ".INF"};
    static const char *const nan[] = {".nan", ".NaN", ".NAN"};

    return WORD_FIND(inf, s + (s[0] == '-' || s[0] == '+')) >= 0
           || WORD_FIND(nan, s) >= 0;
}

/* Matches [-+]? ( "." digits | digits [ "." [ digits ] ] ) [ exponent ]. */
static bool is_float(const char *s)
{
    const char *digits = "0123456789";
    size_t whole, part = 0;

    s += *s == '-' || *s == '+';
    s += whole = strspn(s, digits);
    if (*s == '.')
        s += 1 + (part = strspn(s + 1, digits));
    if (whole + part == 0)
        return false;
    if (*s != 'e' && *s != 'E')
        return *s == '\0';
    s++;
    s += *s == '-' || *s == '+';
    return all_of(s, digits);
}

static int read_float(const char *s, json_t **value, struct diag *d)
{
    double n;

    if (!is_float(s) && !not_finite(s))
        return 0;
    n = not_finite(s) ? HUGE_VAL : strtod(s, NULL);
    if (!isfinite(n))
        return diag_set(d, "%s: not a finite number", quote_all(s).text);
    *value = json_real(n);
    return 1;
}

static int read_string(const char *s, json_t **value, struct diag *d)
{
    (void)d;
    *value = json_string(s);
    return 1;
}

/* The type of a plain scalar is the first that fits; the last fits all. */
static const struct {
    const char *tag;
    scalar_reader *read;
} scalar_types[] = {
    {"null", read_null},   {"bool", read_bool},  {"int", read_int},
    {"float", read_float}, {"str", read_string},
};

/* Return the name of YAML's own tag, such as "int"; NULL for other tags. */
static const char *core_tag(const char *tag)
{
    static const char prefix[] = "tag:yaml.org,2002:";

    return strncmp(tag, prefix, sizeof(prefix) - 1) ? NULL
                                                    : tag + sizeof(prefix) - 1;
}

static int unknown_tag(const char *tag, struct diag *d)
{
    return diag_set(d, "%s: unknown tag", quote_all(tag).text);
}

/* Read a scalar with a tag. */
static int read_tagged(const char *tag, const char *s, json_t **value,
                       struct diag *d)
{
    const char *name = core_tag(tag);
    int rc, i = name ? WORD_FIND(scalar_types, name) : -1;

    if (i < 0)
        return unknown_tag(tag, d);
    rc = scalar_types[i].read(s, value, d);
    if (rc == 0)
        return diag_set(d, "%s: not of type %s", quote_all(s).text, name);
    return rc;
}

/* --- the document ------------------------------------------------------- */

static void keep_anchor(struct loader *ld, const char *anchor, json_t *value,
                        size_t cost, int height)
{
    if (anchor)
        json_object_set_new(
            ld->anchors, anchor,
            json_pack("[O,I,i]", value, (json_int_t)cost, height));
}

static int set_key(struct loader *ld, struct frame *top, json_t *key,
                   yaml_mark_t at)
{
    char *text;

    if (json_is_string(key)) {
        const char *s = json_string_value(key);
        top->key = key;
        if (!json_object_get(top->value, s))
            return 0;
        diag_set(ld->d, "%s: duplicate key", quote_all(s).text);
        return fault(ld, at);
    }
    text = json_is_object(key) || json_is_array(key)
               ? NULL
               : json_dumps(key, JSON_ENCODE_ANY);
    diag_set(ld->d, "%s is not a string and cannot be a key%s",
             text ? text : "a collection", text ? ": quote it" : "");
    free(text);
    json_decref(key);
    return fault(ld, at);
}

/*
 * Put a complete node (which is taken over) into the innermost open collection.
 * The height of a scalar is 0, that of a collection one more than its contents.
 */
static int put_node(struct loader *ld, json_t *value, int height,
                    yaml_mark_t at)
{
    struct frame *top;

    if (ld->depth == 0) {
        ld->root = value;
        return 0;
    }
    top = &ld->stack[ld->depth - 1];
    if (height > top->height)
        top->height = height;
    if (json_is_array(top->value)) {
        json_array_append_new(top->value, value);
    } else if (!top->key) {
        return set_key(ld, top, value, at);
    } else {
        json_object_set_new(top->value, json_string_value(top->key), value);
        json_decref(top->key);
        top->key = NULL;
    }
    return 0;
}

/* Read and put a scalar. A quoted one is a string unless it has a tag. */
static int put_scalar(struct loader *ld, const yaml_event_t *ev)
{
    const char *text = (const char *)ev->data.scalar.value;
    const char *tag = (const char *)ev->data.scalar.tag;
    bool quoted = ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    size_t cost = 1 + ev->data.scalar.length;
    json_t *value = NULL;
    int rc = 0;

    if (strlen(text) != ev->data.scalar.length)
        rc = diag_set(ld->d, "a NUL byte in a string");
    else if (tag && strcmp(tag, "!"))
        rc = read_tagged(tag, text, &value, ld->d);
    else if (tag || quoted)
        rc = read_string(text, &value, ld->d);
    else
        for (int i = 0; rc == 0; i++)
            rc = scalar_types[i].read(text, &value, ld->d);
    if (rc <= 0)
        return fault(ld, ev->start_mark);
    if (!value)
        return -1;

    ld->cost += cost;
    keep_anchor(ld, (const char *)ev->data.scalar.anchor, value, cost, 0);
    return put_node(ld, value, 0, ev->start_mark);
}

/* Put a copy of an alias's node. */
static int put_alias(struct loader *ld, const yaml_event_t *ev)
{
    const char *name = (const char *)ev->data.alias.anchor;
    json_t *entry = json_object_get(ld->anchors, name);
    size_t cost = (size_t)json_integer_value(json_array_get(entry, 1));
    int height = (int)json_integer_value(json_array_get(entry, 2));

    if (!entry || cost > YAML_ALIAS_MAX - ld->aliased
        || ld->depth + height > YAML_DEPTH_MAX) {
        diag_set(ld->d, "%s: %s", quote_all(name).text,
                 entry ? "aliases expand to too much" : "no such anchor");
        return fault(ld, ev->start_mark);
    }
    ld->aliased += cost;
    ld->cost += cost;
    return put_node(ld, json_deep_copy(json_array_get(entry, 0)), height,
                    ev->start_mark);
}

static void clear_frame(struct frame *f)
{
    json_decref(f->value);
    json_decref(f->key);
    free(f->anchor);
}

static int pop(struct loader *ld, yaml_mark_t at)
{
    struct frame top = ld->stack[--ld->depth];
    int rc;

    keep_anchor(ld, top.anchor, top.value, ld->cost - top.cost, top.height + 1);
    rc = put_node(ld, json_incref(top.value), top.height + 1, at);
    clear_frame(&top);
    return rc;
}

/* Open an array ("seq") or an object ("map"). */
static int open_collection(struct loader *ld, const char *type,
                           const yaml_char_t *tag, const yaml_char_t *anchor,
                           yaml_mark_t at)
{
    const char *name = tag ? core_tag((const char *)tag) : NULL;

    if (tag && strcmp((const char *)tag, "!")
        && !(name && !strcmp(name, type))) {
        unknown_tag((const char *)tag, ld->d);
        return fault(ld, at);
    }
    if (ld->depth == YAML_DEPTH_MAX) {
        diag_set(ld->d, "nested deeper than %d levels", YAML_DEPTH_MAX);
        return fault(ld, at);
    }
    ld->stack[ld->depth++] = (struct frame){
        .value = type[0] == 's' ? json_array() : json_object(),
        .anchor = anchor ? xstrdup((const char *)anchor) : NULL,
        .cost = ld->cost++};
    return 0;
}

/* Handle one event. Returns 1 at the end of the stream. */
static int handle(struct loader *ld, const yaml_event_t *ev)
{
    yaml_mark_t at = ev->start_mark;

    switch (ev->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (!ld->root)
            return 0;
        diag_set(ld->d, "a second document begins");
        return fault(ld, at);
    case YAML_SCALAR_EVENT:
        return put_scalar(ld, ev);
    case YAML_ALIAS_EVENT:
        return put_alias(ld, ev);
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(ld, "seq", ev->data.sequence_start.tag,
                               ev->data.sequence_start.anchor, at);
    case YAML_MAPPING_START_EVENT:
        return open_collection(ld, "map", ev->data.mapping_start.tag,
                               ev->data.mapping_start.anchor, at);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return pop(ld, at);
    case YAML_STREAM_END_EVENT:
        return 1;
    default:
        return 0;
    }
}

/* Return the place of a byte as a mark. libyaml's reader of bytes does not know
   lines. */
static yaml_mark_t mark_of(const char *text, size_t offset)
{
    yaml_mark_t at = {.index = offset};

    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            at.line++;
            at.column = 0;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            at.column++;
        }
    }
    return at;
}

static int read_events(struct loader *ld, const char *text, size_t len)
{
    yaml_parser_t *p = &ld->parser;
    yaml_event_t ev;
    int rc = 0;

    yaml_parser_set_encoding(p, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(p, (const unsigned char *)text, len);
    while (rc == 0) {
        if (!yaml_parser_parse(p, &ev)) {
            size_t at = p->problem_offset < len ? p->problem_offset : len;
            if (p->error == YAML_MEMORY_ERROR)
                memory_exhausted();
            diag_set(ld->d, "%s%s%s", p->problem ? p->problem : "syntax error",
                     p->context ? " " : "", p->context ? p->context : "");
            return fault(ld, p->error == YAML_READER_ERROR ? mark_of(text, at)
                                                           : p->problem_mark);
        }
        rc = handle(ld, &ev);
        yaml_event_delete(&ev);
    }
    return rc < 0 ? -1 : 0;
}

/* Refuse text that the parser would misread: NUL bytes, and line breaks of YAML
   1.1. */
static int check_text(struct loader *ld, const char *text, size_t len)
{
    /* Characters that break lines in YAML 1.1, but are ordinary in 1.2. */
    static const struct {
        const char *bytes, *name;
    } breaks[] = {{"\xc2\x85", "U+0085"},
                  {"\xe2\x80\xa8", "U+2028"},
                  {"\xe2\x80\xa9", "U+2029"}};
    const char *at = memchr(text, '\0', len);

    if (at) {
        diag_set(ld->d, "a NUL byte");
        return fault(ld, mark_of(text, (size_t)(at - text)));
    }
    for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
        at = memmem(text, len, breaks[i].bytes, strlen(breaks[i].bytes));
        if (!at)
            continue;
        diag_set(ld->d, "unescaped %s: write it as \"\\u%s\"", breaks[i].name,
                 breaks[i].name + 2);
        return fault(ld, mark_of(text, (size_t)(at - text)));
    }
    return 0;
}

json_t *yaml_load(const char *text, size_t len, struct diag *d)
{
    struct loader *ld = xcalloc(1, sizeof(*ld));
    json_t *value = NULL;

    ld->d = d;
    if (check_text(ld, text, len) < 0)
        goto out;
    ld->anchors = json_object();
    if (!yaml_parser_initialize(&ld->parser))
        memory_exhausted();
    if (read_events(ld, text, len) == 0) {
        value = json_incref(ld->root);
        if (!value)
            diag_set(d, "no document");
    }
    yaml_parser_delete(&ld->parser);
out:
    while (ld->depth > 0)
        clear_frame(&ld->stack[--ld->depth]);
    json_decref(ld->anchors);
    json_decref(ld->root);
    free(ld);
    return value;
}
