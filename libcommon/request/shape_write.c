/*
 * The shape of a request in the fewest characters: what RFC 46 lets a writer
 * leave out is left out.
 */
#include "request/shape_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/json.h"

/* What a writer must know of the whole. */
struct writer {
    FILE *fp;
    size_t nslots;
};

static size_t count_slots(const struct request_vertex *v)
{
    size_t n = 0;

    for (; v; v = v->next)
        n += request_is_slot(v) + count_slots(v->with);
    return n;
}

static void put_string(struct writer *w, const char *string)
{
    if (shape_needs_quotes(string))
        json_write_string(w->fp, string);
    else
        fputs(string, w->fp);
}

static void put_count(struct writer *w, const struct request_count *count)
{
    char *text;

    if (request_count_fixed(count) == 1)
        return;
    text = request_count_encode(count);
    fprintf(w->fp, "=%s", text);
    free(text);
}

/* Between the entries of a dictionary, and before the first. */
static void put_separator(struct writer *w, int *n)
{
    putc((*n)++ ? ',' : '{', w->fp);
}

static void put_key(struct writer *w, int *n, const char *key,
                    const char *value)
{
    if (!value)
        return;
    put_separator(w, n);
    fputs(key, w->fp);
    put_string(w, value);
}

/* May the label be left out, as RFC 46 has one for it? */
static bool label_is_implied(const struct writer *w,
                             const struct request_vertex *v)
{
    return w->nslots == 1 && v->exclusive == UNSET && !v->unit && !v->id
           && !strcmp(v->label, REQUEST_DEFAULT_LABEL);
}

static void put_dict(struct writer *w, const struct request_vertex *v)
{
    int n = 0;

    if (!request_is_slot(v))
        put_key(w, &n, "label:", v->label);
    else if (!label_is_implied(w, v))
        put_key(w, &n, "", v->label);
    if (v->exclusive != UNSET) {
        put_separator(w, &n);
        fputs(v->exclusive == YES ? "x" : "-x", w->fp);
    }
    put_key(w, &n, "unit:", v->unit);
    put_key(w, &n, "id:", v->id);
    if (n)
        putc('}', w->fp);
}

static void put_list(struct writer *w, const struct request_vertex *list)
{
    if (list->next)
        putc('[', w->fp);
    for (const struct request_vertex *v = list; v; v = v->next) {
        if (v != list)
            putc(';', w->fp);
        put_string(w, v->type);
        put_count(w, &v->count);
        put_dict(w, v);
        if (v->with) {
            putc('/', w->fp);
            put_list(w, v->with);
        }
    }
    if (list->next)
        putc(']', w->fp);
}

char *request_shape(const struct request *req)
{
    struct writer w = {.nslots = count_slots(req->resources)};
    char *text;
    size_t len;

    w.fp = memory_open(&text, &len);
    put_list(&w, req->resources);
    memory_close(w.fp);
    return text;
}
