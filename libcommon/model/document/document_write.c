/* Writes documents. The output is planned and checked first, so that nothing is
   written if a part can't be expressed. */
#include "model/document/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/document/edition.h"
#include "model/document/execution.h"
#include "model/document/jgf.h"
#include "model/document/losses.h"
#include "model/document/marks.h"
#include "model/document/shorthand.h"
#include "model/records/usage.h"

struct document_writing {
    struct rset *rs;
    struct written_form form;
    bool shorthand; /* the graph omits vertices */
    struct rlite lite;
};

/* --- planning ------------------------------------------------------------ */

/* The halves in each form. FORM_AS_READ writes the halves that were read. */
static const struct written_form forms[] = {
    [FORM_R] = {.halves = HALF_EXECUTION},
    [FORM_JGF] = {.halves = HALF_GRAPH, .bare = true},
    [FORM_RV1] = {.halves = HALF_EXECUTION | HALF_GRAPH},
    [FORM_RV1_COMPACT] = {.halves = HALF_EXECUTION | HALF_GRAPH,
                          .graph = JGF_COMPACT},
    [FORM_JGF_COMPACT] = {.halves = HALF_GRAPH,
                          .bare = true,
                          .graph = JGF_COMPACT},
};

static void plan(struct document_writing *w, const struct rset_style *style)
{
    const struct rset *rs = w->rs;

    w->form = forms[style->form];
    if (style->form == FORM_AS_READ)
        w->form = (struct written_form){
            .halves = rs->document.bare ? HALF_GRAPH : rs->document.halves,
            .bare = rs->document.bare,
            .graph = rs->document.full ? JGF_FULL : JGF_COMPACT};
    w->form.style = style;
    if (style->keyed)
        w->form.graph |= JGF_KEYED;
    if (!w->form.bare && style->dialect == DIALECT_CURRENT) {
        w->form.halves |= HALF_EXECUTION;
        w->form.graph = JGF_COMPACT | JGF_WORDLESS;
    }
}

/* --- checks -------------------------------------------------------------- */

/* Exceptions: a graph that came with an R_lite without ranks, and a graph that
   has only licences, which `execution` would not list. */
int rset_check_ranks(const struct rset *rs, struct diag *d)
{
    if ((rs->ranks && !idset_empty(rs->ranks))
        || rs->document.halves != HALF_GRAPH)
        return 0;
    for (const struct vertex *v = rs->root; v;
         v = vertex_next(rs->root, v, false))
        if (type_is_node(v->type) || !strcmp(v->type, "core")
            || !strcmp(v->type, "gpu"))
            return diag_set(d, "no node of the graph has a rank: it can't be "
                               "written as an R");
    return 0;
}

/* Beside a graph, hosts are the names that its vertices get. Hosts of an R are
   grouped into runs, as a reader groups them. */
static int name_hosts(struct rset *rs, struct diag *d)
{
    struct hostlist *hosts = rs->hosts;
    char name[HOSTLIST_NAME_MAX], *ranks, *text;
    struct hostlist_iter it;
    int rc;

    if (hosts && rset_has_graph(rs))
        return 0;
    rs->hosts = hostlist_create();
    if (hosts) {
        hostlist_iter_init(&it, hosts);
        while (hostlist_iter_next(&it, name) >= 0)
            hostlist_append(rs->hosts, name);
        hostlist_destroy(hosts);
        return 0;
    }
    if (!rs->ranks || idset_empty(rs->ranks))
        return 0;
    ranks = idset_encode(rs->ranks);
    xasprintf(&text, "node[%s]", ranks);
    rc = hostlist_decode(rs->hosts, text, strlen(text), d);
    free(ranks);
    free(text);
    return rc;
}

static int check_execution(struct document_writing *w, struct diag *d)
{
    struct rset *rs = w->rs;
    bool all = w->form.style->dialect == DIALECT_CURRENT
               && !(rs->document.halves & HALF_EXECUTION);

    if (rset_check_ranks(rs, d) < 0)
        return -1;

    /* a new execution must list all nodes */
    for (const struct vertex *v = all ? rs->root : NULL; v;
         v = vertex_next(rs->root, v, vertex_is_target(v)))
        if (type_is_node(v->type) && !vertex_is_target(v))
            return diag_set(d,
                            "%s has no rank: an R of the current edition "
                            "must list every node",
                            quote_all(v->name).text);

    w->lite.unknown = true;
    if (rlite_project(&w->lite, rs, d) < 0)
        return -1;
    return !(w->form.halves & HALF_GRAPH) && rset_has_graph(rs)
                   && !w->form.style->unrecorded
               ? marks_require(rs, d)
               : 0;
}

/* A partial graph is written only as it was read, or as a shorthand. */
static int check_graph(struct document_writing *w, struct diag *d)
{
    const struct rset_style *style = w->form.style;
    bool partial = rset_partial(w->rs);
    char *hosts;
    int rc = 0;

    if (partial && style->form != FORM_AS_READ && !style->shorthand)
        return shorthand_fault(d);
    if (partial || style->shorthand) {
        size_t n = shorthand_mark(w->rs, style->shorthand);
        w->shorthand = partial || n > 0;
        w->form.graph |= JGF_SHORTHAND;
    }
    if (rset_has_graph(w->rs) || !w->rs->hosts)
        return 0;

    /* a host becomes the name of a vertex, which is a part of paths */
    hosts = hostlist_encode(w->rs->hosts);
    if (strchr(hosts, '/'))
        rc = diag_set(d, "%s: a host with a '/' can't be a vertex",
                      quote_all(hosts).text);
    free(hosts);
    return rc;
}

static int check(struct document_writing *w, struct diag *d)
{
    const struct rset_style *style = w->form.style;
    json_t *attributes = w->rs->document.attributes;
    bool graph = w->form.halves & HALF_GRAPH;

    if (shorthand_check(w->rs, w->form.halves, d) < 0
        || ((w->form.halves & HALF_EXECUTION) && check_execution(w, d) < 0)
        || (graph && check_graph(w, d) < 0))
        return -1;
    if (graph && !w->rs->hosts && w->rs->ranks
        && !idset_empty(w->rs->ranks)) /* nodes in a graph have names */
        rset_note(w->rs,
                  "hosts are unknown: nodes are named by their ranks, "
                  "such as node%u",
                  idset_first(w->rs->ranks));
    if (w->form.bare)
        return 0;
    if (graph && name_hosts(w->rs, d) < 0)
        return -1;
    attributes = attributes ? json_deep_copy(attributes) : json_object();
    w->form.attributes = attributes;
    if (!graph && !style->unrecorded)
        marks_write(w->rs, edition_make_scheduler(attributes), w->form.marks);
    if (style->dialect == DIALECT_SEED
        && (w->rs->document.execution || w->rs->document.scheduling))
        edition_park(w->rs, graph, attributes);
    edition_prune(attributes);
    return 0;
}

/* --- writing ------------------------------------------------------------- */

/* Write attributes. Some lists of system.scheduler are texts. */
static void write_attributes(const struct document_writing *w,
                             const json_t *object, const json_t *scheduler,
                             FILE *fp)
{
    const char *key, *sep = "{";
    json_t *value;

    json_object_foreach ((json_t *)object, key, value) {
        enum mark_kind kind = object == scheduler ? mark_list(key) : MARK_KINDS;
        bool leads = object == w->form.attributes && !strcmp(key, "system");
        fputs(sep, fp);
        json_write_string(fp, key);
        putc(':', fp);
        if (kind < MARK_KINDS && w->form.marks[kind].text)
            fputs(w->form.marks[kind].text, fp);
        else if (scheduler && (leads || value == scheduler))
            write_attributes(w, value, scheduler, fp);
        else
            json_write(fp, value);
        sep = ",";
    }
    putc('}', fp);
}

/* Write the writer of a graph, where it was in the input or where the form has
   a key for it. */
static void write_writer(const struct document_writing *w, FILE *fp)
{
    const struct document *doc = &w->rs->document;
    const json_t *writer = json_object_get(doc->scheduling, "writer");
    bool place = w->form.bare
                     ? doc->bare && !json_object_get(doc->extra, "writer")
                     : w->form.style->dialect == DIALECT_CURRENT;

    if (w->shorthand)
        fputs(",\"writer\":\"" SHORTHAND_WRITER "\"", fp);
    else if (place && json_is_string(writer))
        json_write_member(fp, ",", "writer", writer);
}

/* Write scheduling. An R without a graph keeps an empty object. */
static void write_scheduling(const struct document_writing *w, FILE *fp)
{
    const char *key, *sep = ",\"scheduling\":{";
    bool graph = (w->form.halves | w->rs->document.halves) & HALF_GRAPH;
    bool empty = !graph && w->rs->document.scheduling
                 && json_object_size(w->rs->document.scheduling) == 0;
    json_t *value;

    if (w->form.halves & HALF_GRAPH) {
        fprintf(fp, "%s\"graph\":", sep);
        jgf_write(w->form.settled, w->form.graph, fp);
        write_writer(w, fp);
        sep = ",";
    }
    json_object_foreach (w->rs->document.scheduling, key, value) {
        if (graph && edition_is_writer(key, value))
            continue; /* written with the graph */
        json_write_member(fp, sep, key, value);
        sep = ",";
    }
    if (empty)
        fputs(",\"scheduling\":{", fp);
    if (empty || !sep[1])
        putc('}', fp);
}

static void write_r(const struct document_writing *w, FILE *fp)
{
    fputs("{\"version\":1", fp);
    if (w->form.halves & HALF_EXECUTION) {
        fputs(",\"execution\":", fp);
        execution_write(w->rs, &w->lite, w->form.style->dialect, fp);
    }
    if ((w->form.halves & HALF_GRAPH) || w->rs->document.scheduling)
        write_scheduling(w, fp);
    if (w->form.style->dialect == DIALECT_SEED
        && json_object_size(w->form.attributes) > 0) {
        fputs(",\"attributes\":", fp);
        write_attributes(w, w->form.attributes,
                         edition_scheduler(w->form.attributes), fp);
    }
    json_write_members(fp, w->rs->document.extra);
    fputs("}\n", fp);
}

int rset_write_as(struct rset *rs, const struct rset_style *style, FILE *fp,
                  struct diag *d)
{
    struct document_writing w = {.rs = rs};
    int rc;

    plan(&w, style);
    if ((w.form.halves | rs->document.halves) & HALF_GRAPH)
        w.form.settled = usage_settle(rs);
    if ((rc = check(&w, d)) == 0) {
        /* a document that is written as it was read loses nothing */
        if (!style->unrecorded
            && (w.form.halves != rs->document.halves || w.form.bare
                || style->chosen || style->dialect == DIALECT_CURRENT))
            note_losses(rs, &w.form);
        if (w.form.bare) {
            fputs("{\"graph\":", fp);
            jgf_write(w.form.settled, w.form.graph, fp);
            write_writer(&w, fp);
            if (rs->document.bare)
                json_write_members(fp, rs->document.extra);
            fputs("}\n", fp);
        } else {
            write_r(&w, fp);
        }
    }
    rlite_fini(&w.lite);
    json_decref(w.form.attributes);
    for (int k = 0; k < MARK_KINDS; k++)
        free(w.form.marks[k].text);
    return rc;
}

char *rset_text(struct rset *rs, const struct rset_style *style, size_t *len,
                struct diag *d)
{
    char *text = NULL;
    FILE *fp = memory_open(&text, len);
    int rc = rset_write_as(rs, style, fp, d);

    return memory_take(fp, &text, rc == 0);
}

struct rset *rset_in_style(struct rset *rs, const struct rset_style *style,
                           const char *name, struct diag *d)
{
    size_t len;
    char *text = rset_text(rs, style, &len, d);
    struct rset *out = text ? rset_read_text(text, len, name, TRUST_NONE, d)
                            : NULL;

    free(text);
    return out;
}
