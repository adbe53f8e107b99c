/*
 * The tree view. Each pool is rendered with all below it into text; pools
 * under one parent with the same text, but for their number, are one line.
 * A map from that text to the line finds them, so that a thousand equal
 * nodes cost their rendering and are shown as one.
 */
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/show.h"
#include "model/records/jobs.h"

/* A line of pools that are shown as one. */
struct line {
    const struct vertex *v; /* the first */
    struct idset *ids;      /* their ids, or the ranks of targets */
    struct hostlist *hosts; /* of targets */
    const char *note;       /* what follows the name, and the lines below */
};

struct lines {
    struct line *list;
    size_t n;
    struct map by_note; /* a line's number + 1 */
};

static void lines_fini(struct lines *lines)
{
    for (size_t i = 0; i < lines->n; i++) {
        idset_destroy(lines->list[i].ids);
        hostlist_destroy(lines->list[i].hosts);
    }
    free(lines->list);
    map_fini(&lines->by_note);
}

static void print_pools(const struct rset *rs, const struct vertex *first,
                        unsigned depth, FILE *fp);

/* --- what is said of a pool ---------------------------------------------- */

static void put(FILE *fp, const char *before, const char *name)
{
    fputs(before, fp);
    show(fp, name);
}

static void print_properties(const struct properties *list, FILE *fp)
{
    for (unsigned i = 0; list && i < list->count; i++) {
        put(fp, i ? "," : "  {", list->list[i].key);
        put(fp, *list->list[i].value ? "=" : "", list->list[i].value);
    }
    if (list && list->count)
        putc('}', fp);
}

/* Tags with their values, a list of names or an object. */
static void print_tags(const struct vertex *v, FILE *fp)
{
    json_t *tags = json_object_get(v->extra, "tags"), *value;
    const char *key;
    size_t i;

    json_object_foreach (tags, key, value) {
        put(fp, "  #", key);
        if (json_is_string(value))
            put(fp, "=", json_string_value(value));
        else if (!json_is_null(value))
            put(fp, "=", json_quote(value).text);
    }
    json_array_foreach (tags, i, value)
        if (json_is_string(value))
            put(fp, "  #", json_string_value(value));
}

static void print_records(struct usage *u, const struct lot *lot, FILE *fp)
{
    const char *sep = "  shared by ";
    const struct job *staged = lot_staged(lot);
    struct job **sharers;
    size_t n = lot_sharers(u, lot, &sharers);

    for (const struct grant *g = lot->grants; g; g = g->beside) {
        if (g->term->kind != GRANT_CLAIM)
            continue;
        put(fp, g->term->reserved ? "  reserved for " : "  held by ",
            g->term->job->name);
        if (lot->v->size != 1)
            fprintf(fp, " (%lld)", (long long)g->units);
    }
    for (size_t i = 0; i < n; i++, sep = ",")
        put(fp, sep, sharers[i]->name);
    if (staged)
        put(fp, "  staged for ", staged->name);
}

/* Does the name tell the type, as core0 does? */
static bool names_type(const struct vertex *v)
{
    return !strcmp(v->type, v->basename)
           && (!v->name || !strncmp(v->name, v->type, strlen(v->type)));
}

/* All but the name: the end of the line, and the lines below it. */
static char *render_note(const struct rset *rs, const struct vertex *v,
                         unsigned depth)
{
    char *text;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    if (v->size != 1 || *v->unit) {
        fprintf(fp, "  %lld", (long long)v->size);
        put(fp, *v->unit ? " " : "", v->unit);
    }
    if (!vertex_is_target(v) && !names_type(v))
        put(fp, "  ", v->type);
    if (v->above) {
        put(fp, "  in ", v->home);
        put(fp, ":", v->above);
    }
    print_properties(v->properties, fp);
    print_tags(v, fp);
    if (vertex_state(v) != STATE_UP)
        fprintf(fp, "  %s", pool_state_names[vertex_state(v)]);
    if (v->exclusive)
        fputs("  exclusive", fp);
    if (v->lot)
        print_records(rs->usage, v->lot, fp);
    putc('\n', fp);
    print_pools(rs, v->child, depth + 1, fp);
    memory_close(fp);
    return text;
}

/* --- lines --------------------------------------------------------------- */

/* Pools with an id and the usual name go together; others by their name. */
static bool folds(const struct vertex *v)
{
    return vertex_is_target(v) || vertex_folds(v);
}

/* The line of pools like v with this note, made if there is none yet. */
static struct line *find_line(struct lines *lines, const struct vertex *v,
                              const char *note)
{
    const char *stem = vertex_is_target(v) ? v->type
                       : folds(v)          ? v->basename
                                           : v->name;
    struct map_slot *slot;
    char *key;
    int len = xasprintf(&key, "%d%s\n%s", folds(v), stem, note);

    slot = map_at(&lines->by_note, key, (size_t)len);
    free(key);
    if (!slot->value.number) {
        VECTOR_GROW(lines->list, lines->n);
        lines->list[lines->n] = (struct line){
            .v = v,
            .ids = idset_create(),
            .hosts = vertex_is_target(v) ? hostlist_create() : NULL,
            .note = slot->key + 1 + strlen(stem) + 1};
        slot->value.number = ++lines->n;
    }
    return &lines->list[slot->value.number - 1];
}

/* A run of targets has the hosts of its ranks. */
static void add_hosts(const struct rset *rs, const struct vertex *v,
                      struct line *line)
{
    if (!v->run) {
        hostlist_append(line->hosts, v->name, strlen(v->name));
    } else if (rs->hosts) {
        struct hostlist *hosts = rset_hosts_at(rs, v->run);
        hostlist_append_list(line->hosts, hosts);
        hostlist_destroy(hosts);
    }
}

static void add_pool(const struct rset *rs, struct lines *lines,
                     const struct vertex *v, const char *note)
{
    struct line *line = find_line(lines, v, note);
    int64_t number = vertex_is_target(v) ? v->rank : v->id;

    if (v->run)
        idset_add_set(line->ids, v->run);
    else if (folds(v))
        idset_add(line->ids, (uint32_t)number, (uint32_t)number);
    if (vertex_is_target(v))
        add_hosts(rs, v, line);
}

static void print_line(const struct line *line, unsigned depth, FILE *fp)
{
    fprintf(fp, "%*s", (int)(2 * depth), "");
    if (line->hosts) {
        if (hostlist_count(line->hosts) == 0)
            show(fp, line->v->type);
        hostlist_write(line->hosts, fp);
        fputs("  rank", fp);
        idset_write_members(line->ids, fp);
    } else if (folds(line->v)) {
        show(fp, line->v->basename);
        idset_write_members(line->ids, fp);
    } else {
        show(fp, line->v->name);
    }
    fputs(line->note, fp);
}

static void print_pools(const struct rset *rs, const struct vertex *first,
                        unsigned depth, FILE *fp)
{
    struct lines lines = {0};

    for (const struct vertex *v = first; v; v = v->next) {
        char *note = render_note(rs, v, depth);
        add_pool(rs, &lines, v, note);
        free(note);
    }
    for (size_t i = 0; i < lines.n; i++)
        print_line(&lines.list[i], depth, fp);
    lines_fini(&lines);
}

int view_tree(struct rset *rs, FILE *fp, struct diag *d)
{
    (void)d;
    usage_settle(rs);
    print_pools(rs, rs->root, 0, fp);
    print_pools(rs, rs->loose, 0, fp);
    return 0;
}
