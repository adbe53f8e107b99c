/* Says a request in words (words.h), for the reasons of a no. */
#include "request/words.h"

#include <string.h>

#include "base/memory.h"
#include "request/request_private.h"

static bool ends_with(const char *word, const char *end)
{
    size_t n = strlen(word), m = strlen(end);

    return n >= m && !strcmp(word + n - m, end);
}

static void put_plural(FILE *fp, const char *word)
{
    size_t n = strlen(word);

    if (ends_with(word, "ch") || ends_with(word, "sh") || ends_with(word, "s")
        || ends_with(word, "x"))
        fprintf(fp, "%ses", word);
    else if (n > 1 && word[n - 1] == 'y' && !strchr("aeiou", word[n - 2]))
        fprintf(fp, "%.*sies", (int)n - 1, word);
    else
        fprintf(fp, "%ss", word);
}

static void say_count(FILE *fp, const struct request_count *count)
{
    if (!count->set && count->range.max == RANGE_UNBOUNDED
        && count->range.op == '+' && count->range.operand == 1)
        fprintf(fp, "at least %llu", (unsigned long long)count->range.min);
    else
        request_count_write(count, fp);
}

static void say_list(FILE *fp, const struct request_vertex *list);

/* A slot of its own in a pool says nothing but what is in it. */
static bool is_plain_slot(const struct request_vertex *v)
{
    return request_is_slot(v) && request_count_fixed(&v->count) == 1
           && !v->next;
}

/* Does it ask for one core, as -N alone does? A whole pool is what is meant. */
static bool is_one_core(const struct request_vertex *list)
{
    const struct request_vertex *core = is_plain_slot(list) ? list->with : list;

    return !core->next && !core->with && !strcmp(core->type, "core")
           && request_count_fixed(&core->count) == 1 && !core->id;
}

static void put_vertex(FILE *fp, const struct request_vertex *v)
{
    bool whole = v->exclusive == YES && !request_is_slot(v);

    say_count(fp, &v->count);
    fputs(whole ? " whole " : " ", fp);
    if (v->unit && *v->unit)
        fprintf(fp, "%s of %s", v->unit, v->type);
    else if (request_count_fixed(&v->count) == 1)
        fputs(v->type, fp);
    else
        put_plural(fp, v->type);
    if (v->id)
        fprintf(fp, " among %s", *v->id ? v->id : "none");
    if (!v->with || (whole && is_one_core(v->with)))
        return;
    fputs(request_is_slot(v) ? " of " : " with ", fp);
    say_list(fp, !request_is_slot(v) && is_plain_slot(v->with) ? v->with->with
                                                               : v->with);
}

/* Depth is bounded by REQUEST_DEPTH_MAX. */
static void say_list(FILE *fp, const struct request_vertex *list)
{
    for (const struct request_vertex *v = list; v; v = v->next) {
        if (v != list)
            fputs(v->next ? ", " : " and ", fp);
        put_vertex(fp, v);
    }
}

char *request_words(const struct request_vertex *v)
{
    char *text;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    put_vertex(fp, v);
    memory_close(fp);
    return text;
}
