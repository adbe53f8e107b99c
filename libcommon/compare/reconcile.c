/* Reconciles R_lite and a graph (reconcile.h). */
#include "compare/reconcile.h"

#include <stdlib.h>

#include "base/memory.h"
#include "compare/algebra.h"
#include "compare/align.h"
#include "compare/job_R.h"
#include "model/change/ranks.h"
#include "model/document/shorthand.h"
#include "model/records/usage.h"
#include "schedule/filter.h"

/* --- ranks ---------------------------------------------------------------- */

/* Give hosts of the graph the ranks that they have in R_lite; without unique
   hosts the order counts. Returns false if they have them already. */
static bool renumber(struct rset *graph, const struct rset *lite)
{
    size_t n = idset_count(lite->ranks);
    struct diag unused;

    if (idset_subset(lite->ranks, graph->ranks)
        && rset_check_hosts(graph, lite, false, NULL, &unused) == 0)
        return false;
    if (graph->hosts && lite->hosts
        && rset_adopt_ranks(graph, lite, NULL, &unused) == 0)
        return true;
    if (n == 0 || idset_count(graph->ranks) != n
        || idset_last(lite->ranks) != n - 1)
        return false;
    rset_remap(graph);
    return true;
}

/* Return a new set with what R_lite of `more` lists and `less` does not; NULL
   with a diag. */
static struct rset *rest_of(struct rset *more, struct rset *less,
                            struct diag *d)
{
    struct rset *rest = rset_plain(more, false, d);

    if (rest && rset_subtract(rest, less, d) == 0)
        return rest;
    rset_destroy(rest);
    return NULL;
}

static void name_targets(FILE *fp, const char *what, const struct rset *rs)
{
    char *names = rs->hosts ? hostlist_encode(rs->hosts)
                            : idset_encode(rs->ranks);

    if (!idset_empty(rs->ranks))
        fprintf(fp, "; %s %s%s", what, rs->hosts ? "" : "ranks ", names);
    free(names);
}

/* Remove the resources of a set from the graph, and name its targets. Returns
   0, or -1 with a diag. */
static int leave_out(struct rset *graph, struct rset *extra, FILE *fp,
                     struct diag *d)
{
    if (idset_empty(extra->ranks))
        return 0;
    name_targets(fp, "what only the graph has is left out: on", extra);
    return rset_subtract(graph, extra, d);
}

/* Cut the graph to R_lite, and add what only R_lite has. Returns 0, or -1 with
   a diag. */
static int cut(struct rset *graph, struct rset *lite, FILE *fp, struct diag *d)
{
    struct idset *ranks = idset_subtract(graph->ranks, lite->ranks);
    struct rset *extra = rset_on_ranks(graph, ranks, false), *missing = NULL;
    int rc = leave_out(graph, extra, fp, d);

    idset_destroy(ranks);
    rset_destroy(extra);
    extra = rc == 0 ? rest_of(graph, lite, d) : NULL;
    rc = extra ? leave_out(graph, extra, fp, d) : -1;
    if (rc == 0 && (missing = rest_of(lite, graph, d)))
        name_targets(fp, "only R_lite has resources of", missing);
    rc = missing ? rset_union(graph, lite, d) : -1;
    rset_destroy(extra);
    rset_destroy(missing);
    return rc;
}

/* --- shorthand ------------------------------------------------------------ */

/* Make a shorthand an ordinary graph that has the listed vertices only. R_lite
   says what else its nodes have. Returns 0, or -1 with a diag. */
static int open_shorthand(struct rset *graph, struct diag *d)
{
    struct vertex *next;

    for (struct vertex *v = graph->root; v; v = next) {
        next = vertex_next(graph->root, v, v->implied);
        v->exclusive = false;
        if (v->implied)
            vertex_unlink(graph, v);
    }
    graph->shorthand = false;
    usage_gather(graph);
    return rset_index_targets(graph, d);
}

/* --- the whole ------------------------------------------------------------ */

/* Reconcile two readings of an R. Returns one, and destroys the other. */
static struct rset *reconcile(struct rset *graph, struct rset *lite, FILE *fp)
{
    struct diag d = {0};
    int rc = 0;

    if (rset_partial(graph)) {
        fputs("; the graph is a shorthand: what it leaves out is unknown, but "
              "for R_lite",
              fp);
        rc = open_shorthand(graph, &d);
    }
    if (rc == 0 && renumber(graph, lite))
        fputs("; the ranks of the graph are those of R_lite", fp);
    if (rc == 0)
        rc = cut(graph, lite, fp, &d);
    if (rc < 0) {
        fprintf(fp, "; only R_lite is used: %s", d.text);
        rset_destroy(graph);
        return lite;
    }
    rset_set_times(graph, rset_starttime(lite), rset_expiration(lite));
    graph->document.halves |= HALF_EXECUTION;
    rset_destroy(lite);
    return graph;
}

struct rset *rset_read_reconciled(const char *text, size_t len,
                                  const char *name, enum trust trust,
                                  char **note, struct diag *d)
{
    struct rset *rs = rset_read_text(text, len, name, trust, d), *graph, *lite;
    struct diag unused;
    FILE *fp;

    *note = NULL;
    if (rs && !(rset_partial(rs) && (rs->document.halves & HALF_EXECUTION)))
        return rs;
    graph = rs ? rs : rset_read_text(text, len, name, TRUST_GRAPH, &unused);
    lite = rset_read_text(text, len, name, TRUST_EXECUTION, &unused);
    if (!lite && !(lite = job_R_read(text, len, name, NULL, &unused))) {
        rset_destroy(graph);
        return NULL;
    }
    fp = memory_open(note, NULL);
    fputs("R_lite counts", fp);
    if (graph) {
        rs = reconcile(graph, lite, fp);
    } else {
        fprintf(fp, "; only R_lite is used: %s", diag_line(d).text);
        rset_destroy(graph);
        rs = lite;
    }
    memory_close(fp);
    *d = (struct diag){0};
    return rs;
}
