/*
 * Writing lists with several brackets in a name.
 *
 * Folding once, at the last number of the names, leaves `r0n[0-7]`,
 * `r1n[0-7]`. Take these for names whose end happens to be text, fold again,
 * and they are `r[0-1]n[0-7]`: the numbers further left vary more slowly,
 * which is the order in which the brackets are expanded. So the same
 * folding is repeated until nothing gets shorter.
 *
 * To keep the names short, what begins with a bracket is kept in a table,
 * and stands in the name as `[` and its number there.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "set/digits.h"
#include "set/hostlist_private.h"
#include "set/writer.h"

#define MAX_FOLDS 7 /* eight brackets in a name are what we read */

/* Tails of names, from their first bracket on. */
struct tails {
    struct map map; /* from text to number */
    const char **text;
    size_t n;
};

/* The number of a tail. */
static size_t add_tail(struct tails *t, const char *text, size_t len)
{
    struct map_slot *slot = map_at(&t->map, text, len);

    if (slot->value.number)
        return slot->value.number - 1;
    VECTOR_GROW(t->text, t->n);
    t->text[t->n++] = slot->key;
    slot->value.number = t->n;
    return t->n - 1;
}

/* The tail of the expression of runs `first`..`end`: bracket and suffix. */
static size_t tail_of(struct tails *t, const struct hostlist *hl, size_t first,
                      size_t end)
{
    char *text;
    size_t len, id;
    FILE *fp = memory_open(&text, &len);
    struct writer w;

    writer_init(&w, fp);
    hostlist_put_numbers(&w, hl, first, end);
    writer_put(&w, run_suffix(hl, &hl->run[first]), hl->run[first].slen);
    writer_flush(&w);
    memory_close(fp);
    id = add_tail(t, text, len);
    free(text);
    return id;
}

/* Append an expression of `from`, as a name, to `to`; false: too long. */
static bool append_expr(struct tails *t, struct hostlist *to,
                        const struct hostlist *from, size_t first, size_t end)
{
    const struct host_run *r = &from->run[first];
    char name[HOSTLIST_NAME_MAX + DIGITS_MAX + 1];
    size_t len;

    if (end - first == 1 && r->lo == r->hi) {
        len = run_name(from, r, r->lo, name);
    } else {
        char *p = name + r->plen;

        memcpy(name, run_prefix(from, r), r->plen);
        *p++ = '[';
        len = (size_t)(put_number(p, tail_of(t, from, first, end)) - name);
    }
    if (len >= HOSTLIST_NAME_MAX)
        return false;
    hostlist_append_name(to, name, len);
    return true;
}

/* Fold once more: a new list of expressions; NULL if one is too long. */
static struct hostlist *fold(struct tails *t, const struct hostlist *hl)
{
    struct hostlist *out = hostlist_create();

    for (size_t i = 0, end; i < hl->n; i = end) {
        end = hostlist_expr_end(hl, i);
        if (!append_expr(t, out, hl, i, end)) {
            hostlist_destroy(out);
            return NULL;
        }
    }
    return out;
}

static size_t count_exprs(const struct hostlist *hl)
{
    size_t n = 0;

    for (size_t i = 0; i < hl->n; i = hostlist_expr_end(hl, i))
        n++;
    return n;
}

/* Put text; where it refers to a tail, if there are any, put that, and so on.
 */
static void put_text(struct writer *w, const struct tails *t, const char *text,
                     size_t len)
{
    for (;;) {
        const char *bracket = t ? memrchr(text, '[', len) : NULL;
        uint64_t id;

        if (!bracket || memchr(bracket, ']', len - (size_t)(bracket - text)))
            break;
        writer_put(w, text, (size_t)(bracket - text));
        get_number(bracket + 1, text + len, &id);
        text = t->text[id];
        len = strlen(text);
    }
    writer_put(w, text, len);
}

int hostlist_write_tails(const struct hostlist *hl, const struct tails *t,
                         FILE *fp)
{
    struct writer w;

    writer_init(&w, fp);
    for (size_t i = 0, end; i < hl->n; i = end) {
        const struct host_run *r = &hl->run[i];

        end = hostlist_expr_end(hl, i);
        if (i)
            writer_put(&w, ",", 1);
        put_text(&w, t, run_prefix(hl, r), r->plen);
        hostlist_put_numbers(&w, hl, i, end);
        put_text(&w, t, run_suffix(hl, r), r->slen);
    }
    return writer_flush(&w);
}

int hostlist_write_multi(const struct hostlist *hl, FILE *fp)
{
    struct tails t = {0};
    struct hostlist *now = hostlist_copy(hl), *next;
    int rc;

    for (int i = 0; i < MAX_FOLDS; i++) {
        next = fold(&t, now);
        if (!next || count_exprs(next) == count_exprs(now)) {
            hostlist_destroy(next);
            break;
        }
        hostlist_destroy(now);
        now = next;
    }
    rc = hostlist_write_tails(now, &t, fp);
    hostlist_destroy(now);
    map_fini(&t.map);
    free(t.text);
    return rc;
}
