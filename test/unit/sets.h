/*
 * Random resource sets for tests: small clusters that are known bit by bit,
 * written as an R or as a graph, and the naive reading of such a document.
 *
 * Nothing here uses the library's own sets: bits check what the programs do
 * with runs and trees.
 */
#ifndef TEST_SETS_H
#define TEST_SETS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/document/document.h"
#include "random.h"
#include "tap.h"

enum { RANKS = 12, IDS = 8, TYPES = 3, SOCKETS = 2 };
static const char *const type_names[TYPES] = {"core", "gpu", "fpga"};

/* One node of a cluster: the ids of each type, and units of memory. */
struct bits_node {
    bool there;
    unsigned ids[TYPES];
    int memory;
};

struct bits {
    struct bits_node node[RANKS];
};

/* The form in which a cluster is written. */
struct layout {
    bool graph;   /* a bare graph, otherwise an R */
    bool racks;   /* four nodes in a rack */
    bool sockets; /* four ids of a type in a socket; memory in socket 0 */
};

/* --- making ------------------------------------------------------------- */

__attribute__((unused)) static bool one_in(unsigned n)
{
    return random_below(n) == 0;
}

/* Few different nodes, so that there are runs of equal ranks. */
__attribute__((unused)) static struct bits random_bits(bool memory)
{
    struct bits_node kinds[3];
    struct bits b = {0};

    for (int k = 0; k < 3; k++) {
        kinds[k] = (struct bits_node){.there = true};
        for (int t = 0; t < TYPES; t++)
            if (!one_in(t + 2))
                kinds[k].ids[t] = one_in(3) ? random_below(1 << IDS)
                                            : (2U << random_below(IDS)) - 1;
        if (memory && !one_in(4))
            kinds[k].memory = 1 + (int)random_below(16);
    }
    for (int r = 0; r < RANKS; r++)
        if (!one_in(4))
            b.node[r] = kinds[random_below(3)];
    return b;
}

/* --- writing ------------------------------------------------------------ */

__attribute__((unused)) static void put_ids(FILE *fp, unsigned ids)
{
    const char *sep = "";

    for (unsigned i = 0; i < 32; i++) {
        unsigned first = i;
        if (!(ids >> i & 1))
            continue;
        while (i + 1 < 32 && ids >> (i + 1) & 1)
            i++;
        fprintf(fp, first == i ? "%s%u" : "%s%u-%u", sep, first, i);
        sep = ",";
    }
}

static bool same_children(const struct bits_node *a, const struct bits_node *b)
{
    return a->there && b->there && !memcmp(a->ids, b->ids, sizeof(a->ids));
}

/* The ranks of one entry: all equal ones, or those up to `last`. */
static unsigned entry_ranks(const struct bits *b, int first, int last)
{
    unsigned ranks = 0;

    for (int r = first; r <= last; r++)
        if (same_children(&b->node[r], &b->node[first]))
            ranks |= 1U << r;
    return ranks;
}

static void put_entry(FILE *fp, unsigned ranks, const unsigned ids[TYPES])
{
    fputs("{\"rank\":\"", fp);
    put_ids(fp, ranks);
    fputs("\",\"children\":{\"core\":\"", fp);
    put_ids(fp, ids[0]);
    for (int t = 1; t < TYPES; t++) {
        fprintf(fp, "\",\"%s\":\"", type_names[t]);
        put_ids(fp, ids[t]);
    }
    fputs("\"}}", fp);
}

/*
 * Write an R. Equal ranks are one entry or several, and the contents of a rank
 * are in one entry or in two, at random.
 */
__attribute__((unused)) static char *bits_r(const struct bits *b)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);
    unsigned done = 0, all = 0;
    const char *sep = "";

    fputs("{\"version\":1,\"execution\":{\"R_lite\":[", fp);
    for (int r = 0; r < RANKS; r++) {
        const struct bits_node *n = &b->node[r];
        unsigned ranks, some[TYPES], others[TYPES];
        if (!n->there || done >> r & 1)
            continue;
        ranks = entry_ranks(b, r, one_in(3) ? r : RANKS - 1) & ~done;
        done |= ranks;
        for (int t = 0; t < TYPES; t++) {
            some[t] = one_in(3) ? n->ids[t] & random_below(1 << IDS) : 0;
            others[t] = n->ids[t] & ~some[t];
        }
        fputs(sep, fp);
        put_entry(fp, ranks, others);
        for (int t = 0; t < TYPES; t++)
            if (some[t]) {
                putc(',', fp);
                put_entry(fp, ranks, some);
                break;
            }
        sep = ",";
        all |= ranks;
    }
    fputs(all ? "],\"nodelist\":[\"n[" : "],\"nodelist\":[", fp);
    put_ids(fp, all);
    fputs(all ? "]\"]}}" : "]}}", fp);
    fclose(fp);
    return text;
}

/* A graph in the making: vertices now, edges at the end. */
struct graph_text {
    FILE *nodes, *edges;
    char *nodes_text, *edges_text;
    size_t nodes_len, edges_len;
    int count;
};

static int put_vertex(struct graph_text *g, int parent, const char *type,
                      const char *stem, int id, int rank, int size)
{
    int self = g->count++;

    fprintf(g->nodes,
            "%s{\"id\":\"v%d\",\"metadata\":{\"type\":\"%s\",\"id\":%d,"
            "\"name\":\"%s%d\",\"rank\":%d,\"size\":%d}}",
            self ? "," : "", self, type, id, stem, id, rank, size);
    if (parent >= 0)
        fprintf(g->edges,
                "%s{\"source\":\"v%d\",\"target\":\"v%d\",\"metadata\":{"
                "\"subsystem\":\"containment\",\"relationship\":"
                "\"contains\"}}",
                self > 1 ? "," : "", parent, self);
    return self;
}

/* The ids of a type in a socket. */
__attribute__((unused)) static unsigned socket_ids(int socket)
{
    return 0xfU << (4 * socket);
}

static void put_pools(struct graph_text *g, int parent,
                      const struct bits_node *n, int rank, unsigned mask)
{
    for (int t = 0; t < TYPES; t++)
        for (int i = 0; i < IDS; i++)
            if (n->ids[t] & mask & 1U << i)
                put_vertex(g, parent, type_names[t], type_names[t], i, rank, 1);
    if (n->memory && mask & 1)
        put_vertex(g, parent, "memory", "memory", 0, rank, n->memory);
}

static bool socket_there(const struct bits_node *n, int socket)
{
    bool there = n->memory && socket == 0;

    for (int t = 0; t < TYPES; t++)
        there = there || n->ids[t] & socket_ids(socket);
    return there;
}

static void put_node(struct graph_text *g, int parent,
                     const struct bits_node *n, int rank, bool sockets)
{
    int self = put_vertex(g, parent, "node", "n", rank, rank, 1);

    if (!sockets)
        put_pools(g, self, n, rank, ~0U);
    for (int s = 0; sockets && s < SOCKETS; s++)
        if (socket_there(n, s))
            put_pools(g, put_vertex(g, self, "socket", "socket", s, rank, 1), n,
                      rank, socket_ids(s));
}

__attribute__((unused)) static char *bits_graph(const struct bits *b,
                                                const struct layout *layout)
{
    struct graph_text g = {0};
    int root, rack = -1, racks = -1;
    char *text;

    g.nodes = open_memstream(&g.nodes_text, &g.nodes_len);
    g.edges = open_memstream(&g.edges_text, &g.edges_len);
    root = put_vertex(&g, -1, "cluster", "cluster", 0, -1, 1);
    for (int r = 0; r < RANKS; r++) {
        if (!b->node[r].there)
            continue;
        if (layout->racks && racks != r / 4) {
            racks = r / 4;
            rack = put_vertex(&g, root, "rack", "rack", racks, -1, 1);
        }
        put_node(&g, layout->racks ? rack : root, &b->node[r], r,
                 layout->sockets);
    }
    fclose(g.nodes);
    fclose(g.edges);
    if (asprintf(&text, "{\"graph\":{\"nodes\":[%s],\"edges\":[%s]}}",
                 g.nodes_text, g.edges_text)
        < 0)
        abort();
    free(g.nodes_text);
    free(g.edges_text);
    return text;
}

__attribute__((unused)) static char *bits_text(const struct bits *b,
                                               const struct layout *layout)
{
    return layout->graph ? bits_graph(b, layout) : bits_r(b);
}

/* --- the library, in one line ------------------------------------------- */

/* Read one document. A fault is printed and ends the program. */
__attribute__((unused)) static struct rset *read_set(const char *text)
{
    struct diag d = {0};
    struct rset *rs = NULL;
    struct stream *s = stream_open_text(text, strlen(text), "test");

    if (!s || rset_read(s, TRUST_NONE, &rs, &d) != 1) {
        printf("Bail out! %s\n# in: %s\n", diag_line(&d).text, text);
        exit(1);
    }
    stream_close(s);
    return rs;
}

/* Return the text of a set in a form for free(); NULL: it can't express the
   set. */
__attribute__((unused)) static char *write_set(struct rset *rs,
                                               enum rset_form form)
{
    struct diag d = {0};
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);
    int rc = rset_write_as(rs, &(struct rset_style){.form = form}, fp, &d);

    fclose(fp);
    if (rc == 0)
        return text;
    free(text);
    return NULL;
}

/* Read a text and write it again. */
__attribute__((unused)) static char *rewrite(const char *text,
                                             enum rset_form form)
{
    struct rset *rs = read_set(text);
    char *again = write_set(rs, form);

    rset_destroy(rs);
    return again;
}

/* --- reading naively ---------------------------------------------------- */

static unsigned parse_ids(const char *text)
{
    unsigned ids = 0;

    while (*text) {
        char *end;
        unsigned long lo = strtoul(text, &end, 10), hi = lo;
        if (*end == '-')
            hi = strtoul(end + 1, &end, 10);
        for (; lo <= hi && lo < 32; lo++)
            ids |= 1U << lo;
        text = *end == ',' ? end + 1 : end;
    }
    return ids;
}

/* Add the first list of entries in an R_lite to the bits. */
__attribute__((unused)) static void bits_add_lite(struct bits *b,
                                                  const json_t *list)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (list, i, entry) {
        const json_t *children = json_object_get(entry, "children");
        unsigned ranks = parse_ids(
            json_string_value(json_object_get(entry, "rank")));
        for (int r = 0; r < RANKS; r++) {
            if (!(ranks >> r & 1))
                continue;
            b->node[r].there = true;
            for (int t = 0; t < TYPES; t++) {
                const char *ids = json_string_value(
                    json_object_get(children, type_names[t]));
                b->node[r].ids[t] |= ids ? parse_ids(ids) : 0;
            }
        }
    }
}

static void bits_add_vertex(struct bits *b, const json_t *m)
{
    const char *type = json_string_value(json_object_get(m, "type"));
    json_int_t rank = json_integer_value(json_object_get(m, "rank"));
    json_int_t id = json_integer_value(json_object_get(m, "id"));
    const json_t *size = json_object_get(m, "size");

    if (rank < 0 || rank >= RANKS)
        return;
    if (!strcmp(type, "node"))
        b->node[rank].there = true;
    if (!strcmp(type, "memory"))
        b->node[rank].memory = size ? (int)json_integer_value(size) : 1;
    for (int t = 0; t < TYPES; t++)
        if (!strcmp(type, type_names[t]))
            b->node[rank].ids[t] |= 1U << id;
}

/* The contents of a document: of its graph, otherwise of its R_lite. */
__attribute__((unused)) static struct bits bits_of(const char *text)
{
    json_t *doc = json_loads(text, 0, NULL);
    json_t *graph = json_object_get(doc, "graph"), *v;
    struct bits b = {0};
    size_t i;

    if (!graph)
        graph = json_object_get(json_object_get(doc, "scheduling"), "graph");
    json_array_foreach (json_object_get(graph, "nodes"), i, v)
        bits_add_vertex(&b, json_object_get(v, "metadata"));
    if (!graph)
        bits_add_lite(
            &b, json_object_get(json_object_get(doc, "execution"), "R_lite"));
    json_decref(doc);
    return b;
}

__attribute__((unused)) static void bits_print(const char *what,
                                               const struct bits *b)
{
    printf("#   %s:", what);
    for (int r = 0; r < RANKS; r++)
        if (b->node[r].there)
            printf(" %d:%x/%x/%x/%d", r, b->node[r].ids[0], b->node[r].ids[1],
                   b->node[r].ids[2], b->node[r].memory);
    putchar('\n');
}

/* Equal bits. Memory counts only if both are graphs. */
__attribute__((unused)) static bool
bits_equal(const struct bits *a, const struct bits *b, bool memory)
{
    for (int r = 0; r < RANKS; r++) {
        const struct bits_node *x = &a->node[r], *y = &b->node[r];
        if (x->there != y->there || memcmp(x->ids, y->ids, sizeof(x->ids))
            || (memory && x->memory != y->memory))
            return false;
    }
    return true;
}

/* --- many cases, one line ----------------------------------------------- */

/*
 * All cases of one law are one test. Its first failure is printed.
 */
struct law {
    const char *name;
    long cases, failed;
};

enum { LAW_TOLD = 1 };

__attribute__((format(printf, 3, 4), unused)) static bool
holds(struct law *law, bool good, const char *fmt, ...)
{
    va_list ap;

    law->cases++;
    if (good || law->failed++ >= LAW_TOLD)
        return good;
    printf("# %s, case %ld: ", law->name, law->cases);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
    return false;
}

/* Is this a failure to print? */
__attribute__((unused)) static bool law_telling(const struct law *law)
{
    return law->failed <= LAW_TOLD;
}

__attribute__((unused)) static void law_end(const struct law *law)
{
    ok(law->failed == 0 && law->cases > 0, "%s", law->name);
    printf("# %ld cases, %ld failed\n", law->cases, law->failed);
}

#endif /* TEST_SETS_H */
