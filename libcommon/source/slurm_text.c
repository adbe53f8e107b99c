/* Reads numbers, words and gres in Slurm's JSON; notes losses. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/digits.h"
#include "base/memory.h"
#include "base/near.h"
#include "source/slurm_private.h"

/* --- facts that can't be represented ----------------------------------- */

static const char *const loss_texts[LOSSES] = {
    [LOSS_FEATURE] = "features that can't be properties are left out",
    [LOSS_GRES] = "gres are left out: the name is that of another resource, or "
                  "the count is too large",
    [LOSS_PART] = "gres that are parts of GPUs are left out",
    [LOSS_FUTURE] = "nodes in state FUTURE are left out",
    [LOSS_SPECIALIZED] = "cores that Slurm keeps for the system count as "
                         "free, because it does not list them",
    [LOSS_MEMORY] = "memory that Slurm keeps for the system counts as free",
    [LOSS_TIMES] = "reservations have no times without `scontrol show "
                   "reservations --json`",
    [LOSS_ELSEWHERE] =
        "resources of jobs in nodes that are not listed are left out",
    [LOSS_UNSAID] = "Slurm does not list what jobs have in these nodes, they "
                    "get whole nodes",
    [LOSS_GPUS] = "Slurm does not list which GPUs jobs have, they get any that "
                  "are free",
    [LOSS_PARTS] = "Slurm does not list of which GPUs jobs have parts, these "
                   "are left out",
    [LOSS_BEYOND] = "jobs have more than their nodes, they get as many others",
    [LOSS_UNKNOWN] = "Slurm says that more is in use than the listed jobs "
                     "have, slurm:unknown holds the rest",
    [LOSS_STATE] = "states of nodes that are not known count as unknown",
    [LOSS_JOB_STATE] = "jobs in states that are not known count as running",
    [LOSS_MOMENTS] = "nodes and jobs were listed at different times",
    [LOSS_OWNERS] = "nodes that only jobs of the same user or MCS label may "
                    "share are open to all jobs",
    [LOSS_TAKEN] = "resources of jobs that another job has are left out",
    [LOSS_NOTHING] = "reservations whose nodes other jobs hold are left out",
};

char *slurm_place(const struct slurm *s)
{
    char *place = NULL;

    if (s->list)
        xasprintf(&place, "%s: %s[%zu]", s->source, s->list, s->item);
    else if (s->place)
        place = xstrdup(s->place);
    return place;
}

void slurm_lose(struct slurm *s, enum slurm_loss loss, const char *fmt, ...)
{
    const char *text = loss_texts[loss];
    char *what, *place, *line;
    va_list ap;

    if (s->lost[loss].n++ > 0 && !s->opts->explain)
        return;
    if (s->opts->pbs && loss == LOSS_UNKNOWN)
        text = "PBS says that more is in use than the listed jobs have, "
               "pbs:unknown holds the rest";
    if (s->opts->pbs && loss == LOSS_TIMES)
        text = "PBS does not list when reservations begin and end";
    va_start(ap, fmt);
    xvasprintf(&what, fmt, ap);
    va_end(ap);
    place = slurm_place(s);
    xasprintf(&line, "%s: %s%s%s%s", text, what, place ? " (" : "",
              place ? place : "", place ? ")" : "");
    if (s->opts->explain) {
        s->opts->explain(line);
        free(line);
    } else {
        s->lost[loss].first = line;
    }
    free(place);
    free(what);
}

void slurm_note_losses(struct slurm *s)
{
    for (int i = 0; i < LOSSES; i++)
        if (s->lost[i].first && s->lost[i].n == 1)
            rset_note(s->rs, "%s", s->lost[i].first);
        else if (s->lost[i].first)
            rset_note(s->rs, "%s and %zu more", s->lost[i].first,
                      s->lost[i].n - 1);
}

/* --- values ------------------------------------------------------------ */

const char *slurm_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

int64_t slurm_number_in(const json_t *value)
{
    if (json_is_object(value)) {
        if (json_is_false(json_object_get(value, "set"))
            || json_is_true(json_object_get(value, "infinite")))
            return -1;
        value = json_object_get(value, "number");
    }
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

int64_t slurm_number(const json_t *object, const char *key)
{
    return slurm_number_in(json_object_get(object, key));
}

bool slurm_next_word(const char **text, const char **word, size_t *len)
{
    const char *p = *text + strspn(*text, ", ");
    int depth = 0;

    *word = p;
    for (; *p && (*p != ',' || depth > 0); p++)
        depth += (*p == '(') - (*p == ')');
    *len = (size_t)(p - *word);
    *text = p;
    return *len > 0;
}

bool slurm_is_word(const char *word, size_t len, const char *name)
{
    return len == strlen(name) && !strncasecmp(word, name, len);
}

struct slurm_words slurm_words(const json_t *value)
{
    return (struct slurm_words){value, 0, json_string_value(value)};
}

bool slurm_words_next(struct slurm_words *w, const char **word, size_t *len)
{
    while (!w->text || !slurm_next_word(&w->text, word, len)) {
        if (w->next >= json_array_size(w->value))
            return false;
        w->text = json_string_value(json_array_get(w->value, w->next++));
    }
    return true;
}

bool slurm_has(const json_t *value, const char *name)
{
    struct slurm_words words = slurm_words(value);
    const char *word;
    size_t len;

    while (slurm_words_next(&words, &word, &len))
        if (slurm_is_word(word, len, name))
            return true;
    return false;
}

/* --- gres -------------------------------------------------------------- */

/* Read `4` or `4K`. */
static int64_t read_count(const char *p, const char *end)
{
    static const char units[] = "kmgt";
    const char *unit;
    uint64_t n;
    int shift = 0;

    p = get_number(p, end, &n);
    if (p < end && (unit = strchr(units, tolower((unsigned char)*p))))
        shift = 10 * (int)(unit - units + 1);
    return n > (uint64_t)SLURM_UNITS_MAX >> shift ? SLURM_UNITS_MAX + 1
                                                  : (int64_t)n << shift;
}

/* Return the ids behind a word, such as `IDX:` in `(S:0,IDX:0-1)`: a new set,
   or NULL. */
static struct idset *ids_behind(const char *p, const char *end,
                                const char *word)
{
    const char *at = memmem(p, (size_t)(end - p), word, strlen(word));
    struct idset *ids = NULL;
    struct diag d;
    size_t len;

    if (!at)
        return NULL;
    at += strlen(word);
    len = strspn(at, "0123456789-,");
    while (len > 0 && at[len - 1] == ',')
        len--;
    return len > 0 && idset_decode(at, len, &ids, &d) == 0 ? ids : NULL;
}

/* Return the GPUs that a job has parts of: a new set, or NULL. `(0/8,5/8)`
   means 0 of 8 parts of GPU 0, and 5 of 8 parts of GPU 1. */
static struct idset *ids_of_parts(const char *p, const char *end)
{
    struct idset *ids = idset_create();
    uint64_t n, most;

    for (uint32_t id = 0; p && p < end && is_digit(p[1]); id++) {
        p = get_number(p + 1, end, &n);
        if (p == end || *p != '/' || !is_digit(p[1]))
            break;
        p = get_number(p + 1, end, &most);
        if (n > 0)
            idset_add(ids, id, id);
        p = p < end && *p == ',' ? p : NULL;
    }
    if (!idset_empty(ids))
        return ids;
    idset_destroy(ids);
    return NULL;
}

bool slurm_gres_is(const struct slurm_gres *g, const char *name)
{
    return word_is(g->name, g->len, name);
}

bool slurm_gres_is_part(const struct slurm_gres *g)
{
    return slurm_gres_is(g, "shard") || slurm_gres_is(g, "mps");
}

bool slurm_next_gres(const char **text, struct slurm_gres *g)
{
    const char *word, *open, *end, *next;
    size_t len;

    if (!slurm_next_word(text, &word, &len))
        return false;
    open = memchr(word, '(', len);
    if (open && !strncmp(open, "(null):", 7)) /* an unknown type */
        open = memchr(open + 1, '(', len - (size_t)(open + 1 - word));

    /* `name:type:4`; the type and the number may be missing */
    *g = (struct slurm_gres){.name = word, .count = 1};
    end = open ? open : word + len;
    for (const char *p = word; p < end; p = next + 1) {
        next = memchr(p, ':', (size_t)(end - p));
        next = next ? next : end;
        if (p == word) {
            g->len = (size_t)(next - p);
        } else if (next == end && is_digit(*p)) {
            g->count = read_count(p, end);
        } else if (!word_is(p, (size_t)(next - p), "no_consume")) {
            g->type = p;
            g->type_len = (size_t)(next - p);
        }
    }
    if (open) {
        g->sockets = ids_behind(open, word + len, "(S:");
        g->index = ids_behind(open, word + len, "(IDX:");
        if (!g->index && slurm_gres_is_part(g))
            g->index = ids_of_parts(open, word + len);
        if (!strncmp(open, "(CNT:", 5))
            g->count = read_count(open + 5, word + len);
    }
    return true;
}

void slurm_gres_fini(struct slurm_gres *g)
{
    idset_destroy(g->sockets);
    idset_destroy(g->index);
}
