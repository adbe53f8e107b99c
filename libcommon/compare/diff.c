#include "compare/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "compare/align.h"
#include "model/rlite.h"

/* Equal changes below one vertex: which pools, and what of them. */
struct altered {
    char *text;
    struct parts parts;
};

/* What is found below one target, or below one vertex without a rank. */
struct finding {
    struct changes *out;
    struct parts gone, new;
    struct altered *altered;
    size_t naltered;
    struct idset *ranks; /* NULL: `path` is the place */
    const char *path;
};

/* --- what is said of a pool ----------------------------------------------- */

static void print_jobs(const struct joblist *list, const char *word,
                       const char **sep, FILE *fp)
{
    for (; list; list = list->next, *sep = ", ")
        fprintf(fp, "%s%s %s", *sep, word, list->job);
}

/* State and records: "free", "held by 1 (3)", "down, shared by 2". */
static char *status_text(const struct vertex *v)
{
    const struct records *rec = v->records;
    const char *sep = "";
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    if (!fp)
        return NULL;
    if (v->state != STATE_UP) {
        fputs(pool_state_names[v->state], fp);
        sep = ", ";
    }
    for (const struct claim *c = rec ? rec->claims : NULL; c;
         c = c->next, sep = ", ") {
        fprintf(fp, "%s%s %s", sep,
                c->kind == CLAIM_ALLOCATION ? "held by" : "reserved for",
                c->job);
        if (c->size != v->size)
            fprintf(fp, " (%lld)", (long long)c->size);
        if (c->start >= 0)
            fprintf(fp, " from %.15g", c->start);
        if (c->end >= 0)
            fprintf(fp, " to %.15g", c->end);
    }
    if (rec && !v->child)
        print_jobs(rec->shared, "shared by", &sep, fp);
    if (rec)
        print_jobs(rec->listed, "listed by", &sep, fp);
    if (rec && rec->staged) {
        fprintf(fp, "%sstaged for %s", sep, rec->staged);
        sep = ", ";
    }
    if (!*sep)
        fputs("free", fp);
    fclose(fp);
    return text;
}

static char *size_text(const struct vertex *v)
{
    char *text;

    return asprintf(&text, "%lld%s%s", (long long)v->size,
                    *v->unit ? " " : "", v->unit)
                   < 0
               ? NULL
               : text;
}

/* --- collecting what is below one place ----------------------------------- */

static void add_altered(struct finding *f, const char *prefix,
                        const struct vertex *v, char *text)
{
    struct altered *more;
    size_t i = 0;

    while (text && i < f->naltered && strcmp(f->altered[i].text, text))
        i++;
    if (text && i < f->naltered) {
        free(text);
    } else {
        more = text ? realloc(f->altered, (i + 1) * sizeof(*more)) : NULL;
        if (!more) {
            free(text);
            f->out->failed = true;
            return;
        }
        f->altered = more;
        more[f->naltered++] = (struct altered){.text = text};
    }
    if (v && parts_add(&f->altered[i].parts, prefix, v) < 0)
        f->out->failed = true;
}

/* "old -> new" of two texts, which are freed; NULL if they are the same. */
static void compare_texts(struct finding *f, const char *prefix,
                          const struct vertex *v, const char *what, char *old,
                          char *new)
{
    char *text = NULL;

    if (!old || !new)
        f->out->failed = true;
    else if (strcmp(old, new)
             && asprintf(&text, "%s%s -> %s", what, old, new) < 0)
        f->out->failed = true;
    else if (text)
        add_altered(f, prefix, v, text);
    free(old);
    free(new);
}

static void property_changes(struct finding *f, const char *prefix,
                             const struct vertex *place,
                             const struct properties *from,
                             const struct properties *to, const char *word)
{
    for (unsigned i = 0; from && i < from->count; i++) {
        const struct property *p = &from->list[i];
        bool found = false;
        char *text;
        for (unsigned j = 0; to && j < to->count && !found; j++)
            found = !strcmp(p->key, to->list[j].key)
                    && !strcmp(p->value, to->list[j].value);
        if (found)
            continue;
        if (asprintf(&text, "%s property %s%s%s", word, p->key,
                     *p->value ? "=" : "", p->value)
            < 0)
            f->out->failed = true;
        else
            add_altered(f, prefix, place, text);
    }
}

static void extra_changes(struct finding *f, const char *prefix,
                          const struct vertex *place, json_t *a, json_t *b)
{
    const char *key;
    json_t *value;
    char *text;

    json_object_foreach (a, key, value) {
        json_t *other = json_object_get(b, key);
        if (other && json_equal(value, other))
            continue;
        if (asprintf(&text, "%s: %s -> %s", key, json_quote(value).text,
                     other ? json_quote(other).text : "nothing")
            >= 0)
            add_altered(f, prefix, place, text);
    }
    json_object_foreach (b, key, value) {
        if (!json_object_get(a, key)
            && asprintf(&text, "%s: nothing -> %s", key,
                        json_quote(value).text)
                   >= 0)
            add_altered(f, prefix, place, text);
    }
}

/* Did the parent become exclusive, or cease to be, just so? */
static bool follows_parent(const struct vertex *a, const struct vertex *b)
{
    return a->parent && b->parent && a->parent->exclusive == a->exclusive
           && b->parent->exclusive == b->exclusive;
}

/* Two vertices that are the same pool; `place` is NULL for the target. */
static void compare_pool(struct finding *f, const char *prefix,
                         const struct vertex *place, const struct vertex *a,
                         const struct vertex *b)
{
    compare_texts(f, prefix, place, "", status_text(a), status_text(b));
    compare_texts(f, prefix, place, "size ", size_text(a), size_text(b));
    if (a->exclusive != b->exclusive && !follows_parent(a, b))
        add_altered(f, prefix, place,
                    strdup(b->exclusive ? "becomes exclusive"
                                        : "is exclusive no more"));
    if (a->uuid && b->uuid && strcmp(a->uuid, b->uuid))
        compare_texts(f, prefix, place, "uuid ", strdup(a->uuid),
                      strdup(b->uuid));
    property_changes(f, prefix, place, a->properties, b->properties, "loses");
    property_changes(f, prefix, place, b->properties, a->properties, "gains");
    extra_changes(f, prefix, place, a->extra, b->extra);
}

static char *below(const char *prefix, const struct vertex *v)
{
    char *text;

    return v->name && asprintf(&text, "%s%s/", prefix, v->name) >= 0 ? text
                                                                      : NULL;
}

/* Everything below a pair; targets below are places of their own. */
static void compare_below(struct finding *f, const char *prefix,
                          const struct vertex *a, const struct vertex *b)
{
    for (const struct vertex *c = a->child; c; c = c->next) {
        char *deeper;
        if (vertex_is_target(c))
            continue;
        if (!c->peer) {
            if (parts_add(&f->gone, prefix, c) < 0)
                f->out->failed = true;
            continue;
        }
        compare_pool(f, prefix, c, c, c->peer);
        if (!c->child && !c->peer->child)
            continue;
        deeper = below(prefix, c);
        compare_below(f, deeper ? deeper : "", c, c->peer);
        free(deeper);
    }
    for (const struct vertex *c = b->child; c; c = c->next)
        if (!vertex_is_target(c) && !c->peer
            && parts_add(&f->new, prefix, c) < 0)
            f->out->failed = true;
}

/* --- saying it ------------------------------------------------------------- */

static char *parts_text(const struct parts *parts, const char *after)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    if (!fp)
        return NULL;
    parts_print(parts, fp);
    if (parts->n > 0 && *after)
        fputs(": ", fp);
    fputs(after, fp);
    fclose(fp);
    return text;
}

static void say(struct finding *f, enum change_sign sign,
                const struct parts *parts, const char *after)
{
    char *text = parts_text(parts, after);

    if (!text)
        f->out->failed = true;
    else if (f->ranks)
        changes_add_ranks(f->out, sign, f->ranks, text);
    else
        changes_add(f->out, sign, "%s: %s", f->path, text);
    free(text);
}

static void report(struct finding *f)
{
    if (f->gone.n)
        say(f, CHANGE_GONE, &f->gone, "");
    for (size_t i = 0; i < f->naltered; i++)
        say(f, CHANGE_ALTERED, &f->altered[i].parts, f->altered[i].text);
    if (f->new.n)
        say(f, CHANGE_NEW, &f->new, "");
}

static void finding_fini(struct finding *f)
{
    parts_fini(&f->gone);
    parts_fini(&f->new);
    for (size_t i = 0; i < f->naltered; i++) {
        parts_fini(&f->altered[i].parts);
        free(f->altered[i].text);
    }
    free(f->altered);
    idset_destroy(f->ranks);
}

/* --- targets --------------------------------------------------------------- */

static struct idset *ranks_of(const struct vertex *v)
{
    return v->run ? idset_copy(v->run)
                  : idset_create_range((uint32_t)v->rank, (uint32_t)v->rank);
}

/* A target that only one set has, with what R_lite says of it. */
static int whole_target(struct changes *out, enum change_sign sign,
                        const struct rset *rs, const struct vertex *v,
                        struct diag *d)
{
    struct lite_children children = {0};
    struct idset *ranks = ranks_of(v);
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);
    int rc = ranks && fp ? lite_children_project(rs, v, &children, d)
                         : diag_oom(d);

    if (fp) {
        lite_children_print(&children, fp);
        fclose(fp);
    }
    if (rc == 0)
        changes_add_ranks(out, sign, ranks, text);
    free(text);
    idset_destroy(ranks);
    lite_children_fini(&children);
    return rc;
}

static int compare_targets(struct changes *out, const struct rset *a,
                           const struct rset *b, struct diag *d)
{
    struct vertex **list;
    ssize_t n = rset_targets(a, &list);
    int rc = n < 0 ? diag_oom(d) : 0;

    for (ssize_t i = 0; rc == 0 && i < n; i++) {
        struct finding f = {.out = out};
        if (!list[i]->peer) {
            rc = whole_target(out, CHANGE_GONE, a, list[i], d);
            continue;
        }
        if (!(f.ranks = ranks_of(list[i])))
            rc = diag_oom(d);
        compare_pool(&f, "", NULL, list[i], list[i]->peer);
        compare_below(&f, "", list[i], list[i]->peer);
        report(&f);
        finding_fini(&f);
    }
    if (n >= 0)
        free(list);
    n = rc == 0 ? rset_targets(b, &list) : -1;
    for (ssize_t i = 0; rc == 0 && i < n; i++)
        if (!list[i]->peer)
            rc = whole_target(out, CHANGE_NEW, b, list[i], d);
    if (n >= 0)
        free(list);
    return rc;
}

static void compare_hosts(struct changes *out, const struct rset *a,
                          const struct rset *b)
{
    char in_a[HOSTLIST_NAME_MAX], in_b[HOSTLIST_NAME_MAX];
    struct idset *both;

    if (!a->hosts || !b->hosts)
        return;
    if (idset_equal(a->ranks, b->ranks) && hostlist_equal(a->hosts, b->hosts))
        return;
    if (!(both = idset_intersect(a->ranks, b->ranks))) {
        out->failed = true;
        return;
    }
    for (uint32_t rank = idset_first(both); rank != IDSET_INVALID;
         rank = idset_next(both, rank)) {
        rset_host(a, rank, in_a, sizeof(in_a));
        rset_host(b, rank, in_b, sizeof(in_b));
        if (strcmp(in_a, in_b))
            changes_add(out, CHANGE_ALTERED, "rank %u: host %s -> %s", rank,
                        in_a, in_b);
    }
    idset_destroy(both);
}

/* --- vertices above and beside targets ------------------------------------- */

static char *path_of(const struct vertex *v)
{
    char *up = v->parent ? path_of(v->parent) : strdup(""), *path;

    if (!up || asprintf(&path, "%s/%s", up, v->name ? v->name : v->type) < 0)
        path = NULL;
    free(up);
    return path;
}

static void path_change(struct changes *out, enum change_sign sign,
                        const struct vertex *v)
{
    char *path = path_of(v);

    if (path)
        changes_add(out, sign, "%s", path);
    else
        out->failed = true;
    free(path);
}

/* Below a pair without a rank; what is below targets has been compared. */
static void compare_paths(struct changes *out, const struct vertex *a,
                          const struct vertex *b)
{
    struct finding f = {.out = out};
    char *path = path_of(a);

    f.path = path ? path : "";
    compare_pool(&f, "", NULL, a, b);
    report(&f);
    finding_fini(&f);
    free(path);
    for (const struct vertex *c = a->child; c; c = c->next) {
        if (vertex_is_target(c))
            continue;
        if (c->peer)
            compare_paths(out, c, c->peer);
        else
            path_change(out, CHANGE_GONE, c);
    }
    for (const struct vertex *c = b->child; c; c = c->next)
        if (!vertex_is_target(c) && !c->peer)
            path_change(out, CHANGE_NEW, c);
}

static void compare_loose(struct changes *out, const struct rset *a,
                          const struct rset *b)
{
    for (const struct vertex *v = a->loose; v; v = v->next) {
        if (v->peer)
            compare_paths(out, v, v->peer);
        else
            path_change(out, CHANGE_GONE, v);
    }
    for (const struct vertex *v = b->loose; v; v = v->next)
        if (!v->peer)
            path_change(out, CHANGE_NEW, v);
}

static void compare_links(struct changes *out, const struct rset *a,
                          const struct rset *b, enum change_sign sign)
{
    for (size_t i = 0; i < a->nlinks; i++) {
        const struct link *l = &a->links[i];
        bool found = false;
        char *from, *to;
        for (size_t j = 0; j < b->nlinks && !found; j++)
            found = l->source->peer == b->links[j].source
                    && l->target->peer == b->links[j].target
                    && !strcmp(l->subsystem, b->links[j].subsystem);
        if (found)
            continue;
        from = path_of(l->source);
        to = path_of(l->target);
        if (from && to)
            changes_add(out, sign, "%s: %s %s", from, l->relationship, to);
        else
            out->failed = true;
        free(from);
        free(to);
    }
}

/* --- the set as a whole ------------------------------------------------------ */

static void compare_json(struct changes *out, const char *what,
                         const json_t *a, const json_t *b)
{
    if ((!a && !b) || (a && b && json_equal(a, b)))
        return;
    if (json_is_number(a) && json_is_number(b)
        && json_number_value(a) == json_number_value(b))
        return;
    changes_add(out, CHANGE_ALTERED, "%s: %s -> %s", what,
                a ? json_quote(a).text : "unset",
                b ? json_quote(b).text : "unset");
}

/* Members of two objects, each by its key. */
static void compare_members(struct changes *out, const char *prefix,
                            json_t *a, json_t *b)
{
    const char *key;
    char name[300];
    json_t *value;

    json_object_foreach (a, key, value) {
        snprintf(name, sizeof(name), "%s%s", prefix, key);
        compare_json(out, name, value, json_object_get(b, key));
    }
    json_object_foreach (b, key, value) {
        snprintf(name, sizeof(name), "%s%s", prefix, key);
        if (!json_object_get(a, key))
            compare_json(out, name, NULL, value);
    }
}

static void compare_set(struct changes *out, const struct rset *a,
                        const struct rset *b)
{
    compare_json(out, "starttime", a->starttime, b->starttime);
    compare_json(out, "expiration", a->expiration, b->expiration);
    compare_members(out, "execution.", a->execution_extra,
                    b->execution_extra);
    compare_members(out, "scheduling.", a->scheduling, b->scheduling);
    compare_members(out, "attributes.", a->attributes, b->attributes);
    compare_members(out, "", a->extra, b->extra);
}

static int compare(struct rset *a, struct rset *b, struct changes *out,
                   struct diag *d)
{
    if (rset_align(a, b, d) < 0)
        return -1;
    compare_set(out, a, b);
    compare_hosts(out, a, b);
    if (a->root && b->root && a->root->peer)
        compare_paths(out, a->root, b->root);
    else if (a->root && rset_has_graph(a))
        path_change(out, CHANGE_GONE, a->root);
    if (b->root && rset_has_graph(b) && !b->root->peer)
        path_change(out, CHANGE_NEW, b->root);
    if (compare_targets(out, a, b, d) < 0)
        return -1;
    compare_loose(out, a, b);
    compare_links(out, a, b, CHANGE_GONE);
    compare_links(out, b, a, CHANGE_NEW);
    changes_sort(out);
    return out->failed ? diag_oom(d) : 0;
}

int rset_diff(struct rset *a, struct rset *b, struct changes *changes,
              struct diag *d)
{
    struct rset *plain;
    bool graph = rset_has_graph(a);
    int rc;

    if (graph == rset_has_graph(b))
        return compare(a, b, changes, d);
    rset_note(a, "only %s has a graph: compared by what R_lite says",
              graph ? "the first" : "the second");
    if (!(plain = rset_plain(graph ? a : b, d)))
        return -1;
    rc = graph ? compare(plain, b, changes, d)
               : compare(a, plain, changes, d);
    rset_destroy(plain);
    return rc;
}
