/*
 * What is wrong with a synthetic description. hwloc only says that it is
 * wrong; where is found by showing it more and more of the words, until it
 * refuses.
 */
#include "source/topology.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "source/topology_private.h"

static const char blanks[] = " \t\n";

/* A word of a description; brackets and what is in them belong to it. */
struct word {
    const char *p;
    size_t len;
};

/* The next word behind w, or false. Start with the text and no length. */
static bool next_word(struct word *w)
{
    int depth = 0;

    w->p += w->len;
    w->p += strspn(w->p, blanks);
    for (w->len = 0; w->p[w->len]; w->len++) {
        char c = w->p[w->len];
        if (depth == 0 && strchr(blanks, c))
            break;
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    }
    return w->len > 0;
}

/*
 * Multiply the numbers of the levels: `core:4`, or `4`. hwloc looks for the
 * colon of a type whatever comes before it, lets a level follow a number
 * without a blank, and takes any number that strtoul() takes. Read as hwloc
 * reads, or a level is missed: `numa[:1 core:9`, `core:0x9`, `core:9pu:2`.
 */
int synthetic_check_size(const char *text, struct diag *d)
{
    unsigned long n = 1, each;
    const char *p = text, *number;
    char *end;

    while (*(p += strspn(p, blanks))) {
        if (*p == '(' || *p == '[') { /* attributes, or memory */
            if (!(p = strchr(p, *p == '(' ? ')' : ']')))
                break;
            p++;
            continue;
        }
        number = isdigit((unsigned char)*p) ? p : strchr(p, ':');
        if (!number)
            break;
        number += *number == ':';
        each = strtoul(number, &end, 0);
        if (end == number)
            break;
        if (__builtin_mul_overflow(n, each, &n) || n > SYNTHETIC_PUS_MAX)
            return diag_set(d, "%s makes more than %d processors",
                            quote(text, strlen(text)).text, SYNTHETIC_PUS_MAX);
        p = end;
    }
    return 0; /* or hwloc says what is wrong */
}

/* Does hwloc take a description? */
static bool takes(const char *text)
{
    hwloc_topology_t topo;
    bool taken;

    if (hwloc_topology_init(&topo) < 0)
        memory_exhausted();
    taken = hwloc_topology_set_synthetic(topo, text) == 0;
    hwloc_topology_destroy(topo);
    return taken;
}

/* Does it take the first `len` bytes, if need be with threads below? */
static bool takes_part(const char *text, size_t len)
{
    static const char threads[] = " pu:1";
    char *copy = xmalloc(len + sizeof(threads));
    bool taken;

    memcpy(copy, text, len);
    copy[len] = '\0';
    taken = takes(copy);
    if (!taken) {
        memcpy(copy + len, threads, sizeof(threads));
        taken = takes(copy);
    }
    free(copy);
    return taken;
}

int synthetic_explain(const char *text, struct diag *d)
{
    struct quoted all = quote(text, strlen(text));
    struct word w = {.p = text};

    while (next_word(&w)) {
        size_t offset = (size_t)(w.p - text);
        if (!takes_part(text, offset + w.len))
            return diag_set(d, "%s: hwloc does not take %s at offset %zu",
                            all.text, quote(w.p, w.len).text, offset);
    }
    return diag_set(d, "%s: does not end in processors (pu:N)", all.text);
}
