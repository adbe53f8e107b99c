/* Reads the output of Slurm's commands (slurm.h), element by element. Nodes go
   into classes at once; jobs wait until all nodes are read. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/near.h"
#include "base/stream.h"
#include "source/slurm_private.h"

/* --- reading ----------------------------------------------------------- */

/* Keep a job that holds anything, or a reservation, unless it was listed
   before. Returns -1 with a diag if it is a job of another cluster. */
static int keep_once(struct slurm *s, json_t *value, bool is_job,
                     struct diag *d)
{
    const char *name = slurm_text(value, "name");
    const char *cluster = slurm_text(value, "cluster"), *before;
    struct map_slot *slot;
    int rc = 0, holds = is_job ? slurm_job_holds(s, value, d) : 1;
    char *id, *place;

    if (holds <= 0)
        return holds;
    if (is_job)
        xasprintf(&id, "%lld", (long long)slurm_number(value, "job_id"));
    else
        id = slurm_reservation(name);
    slot = map_at(&s->seen, id, strlen(id));
    if (!slot->value.pointer) {
        place = slurm_place(s);
        json_object_set_new(value, SLURM_PLACE, json_string(place));
        free(place);
        json_array_append(is_job ? s->jobs : s->reservations, value);
        slot->value.pointer = value; /* the array has it */
    } else {
        before = slurm_text(slot->value.pointer, "cluster");
        if (cluster && before && strcmp(cluster, before) != 0)
            rc = diag_set(d,
                          "job %s is listed for two clusters, %s and %s: "
                          "read each cluster by itself",
                          id, quote_all(before).text, quote_all(cluster).text);
    }
    free(id);
    return rc;
}

static int read_list(struct slurm *s, struct stream *in, const char *key,
                     struct diag *d)
{
    struct stream_level list;
    int rc = stream_enter(in, &list, "[", d);
    json_t *value;

    if (rc < 0)
        return diag_in(d, "%s", key);
    s->list = key;
    for (size_t i = 0; rc == 0 && (rc = stream_item(in, &list, d)) > 0; i++) {
        s->item = i;
        if (!(value = stream_value(in, d))) {
            rc = -1;
            break;
        }
        if (!json_is_object(value))
            rc = diag_set(d, "%s: an object is expected",
                          json_quote(value).text);
        else if (*key == 'n')
            rc = slurm_add_node(s, value, d);
        else
            rc = keep_once(s, value, *key == 'j', d);
        if (rc < 0)
            diag_in(d, "%s[%zu]", key, i);
        json_decref(value);
    }
    s->list = NULL;
    stream_leave(&list);
    return rc;
}

/* What a document has: the first letter of its list, and its last_update. */
struct found {
    char list;
    int64_t at;
};

static int read_key(struct slurm *s, struct stream *in, const char *key,
                    struct found *found, struct diag *d)
{
    json_t *value, *error;
    const char *text;
    int rc = 0;

    if (!strcmp(key, "kind"))
        return diag_set(d, "this is a list of Kubernetes, which has no reader "
                           "here");
    if (!s->opts->pbs && !strcmp(key, "nodes") && stream_peek(in, d) == '{')
        return diag_set(d, "nodes: an object, as PBS writes it: --from pbs");
    if (!strcmp(key, "sinfo"))
        return diag_set(d, "this is a summary: expected the list of nodes that "
                           "`scontrol show node --json` writes");
    if (!strcmp(key, "nodes") || !strcmp(key, "jobs")
        || !strcmp(key, "reservations")) {
        found->list = *key;
        if (!s->opts->pbs || *key != 'n')
            return read_list(s, in, key, d);
    }
    if (!(value = stream_value(in, d)))
        return -1;
    if (!strcmp(key, "nodes")) /* of PBS */
        rc = pbs_add_nodes(s, value, d);
    if (!strcmp(key, "last_update"))
        found->at = slurm_number_in(value);
    /* Slurm also writes the lists if it could not answer. */
    if (!strcmp(key, "errors") && (error = json_array_get(value, 0))) {
        text = slurm_text(error, "description");
        if (!text)
            text = slurm_text(error, "error");
        rc = diag_set(d, "Slurm could not answer%s%s", text ? ": " : "",
                      text ? quote_all(text).text : "");
    }
    json_decref(value);
    return rc;
}

static int read_document(struct slurm *s, struct stream *in, struct diag *d)
{
    struct stream_level level;
    struct found found = {0};
    const char *key;
    int rc;

    if (stream_enter(in, &level, "{", d) < 0)
        return -1;
    while ((rc = stream_key(in, &level, &key, d)) > 0
           && (rc = read_key(s, in, key, &found, d)) == 0)
        ;
    stream_leave(&level);
    if (found.at > 0 && found.list == 'n')
        s->nodes_at = found.at;
    else if (found.at > 0 && found.list == 'j')
        s->jobs_at = found.at;
    return rc < 0 || found.list
               ? rc
               : diag_set(d, "no `nodes`, `jobs` or `reservations`: expected "
                             "the output of a Slurm command with --json");
}

static int read_all(struct slurm *s, struct stream *in, struct diag *d)
{
    struct diag where;
    size_t n = 0;
    int rc;

    s->source = where.source;
    while ((rc = stream_next(in, d)) > 0) {
        stream_fault(in, &where); /* names the document */
        if ((rc = read_document(s, in, d)) < 0)
            break;
        n++;
    }
    s->source = NULL;
    if (rc == 0 && n == 0)
        rc = diag_set(d, "empty input: expected the output of a Slurm "
                         "command with --json");
    if (rc < 0 && !d->source[0])
        stream_fault(in, d);
    return rc;
}

/* --- the set ----------------------------------------------------------- */

/* The most seconds between the lists of nodes and jobs of one moment. */
enum { MOMENT = 600 };

static int build_set(struct slurm *s, struct diag *d)
{
    int64_t apart = llabs(s->jobs_at - s->nodes_at);
    const json_t *job;
    size_t i;

    if (hostlist_count(s->hosts) == 0)
        return diag_set(d, s->opts->pbs
                               ? "there are no nodes"
                               : "there are no nodes: `scontrol show node "
                                 "--json` lists them");
    slurm_make_nodes(s);
    json_array_foreach (s->jobs, i, job)
        slurm_add_job(s, job, false);
    json_array_foreach (s->jobs, i, job)
        slurm_add_job(s, job, true);
    s->place = NULL;
    slurm_add_unknown(s);
    if (s->jobs_at > 0 && s->nodes_at > 0 && apart > MOMENT)
        slurm_lose(s, LOSS_MOMENTS, "%lld seconds apart", (long long)apart);
    slurm_reserve(s);
    slurm_tag_nodes(s);
    slurm_note_losses(s);
    return 0;
}

static void begin(struct slurm *s, const struct slurm_options *opts)
{
    *s = (struct slurm){.opts = opts,
                        .rs = rset_create(),
                        .hosts = hostlist_create(),
                        .jobs = json_array(),
                        .reservations = json_array(),
                        .reserved = json_object(),
                        .tags = json_object()};
    vertex_add(s->rs, NULL, "cluster", 0);
    s->rs->document.names_losses = true;
}

/* Make the set, unless a stream was not read (`rc` is negative), and free
   everything else. */
static struct rset *finish(struct slurm *s, int rc, struct diag *d)
{
    if (rc == 0)
        rc = build_set(s, d);
    free(s->classes);
    for (size_t i = 0; i < hostlist_count(s->hosts); i++)
        idset_destroy(s->nodes[i].lent);
    free(s->nodes);
    for (size_t i = 0; i < LOSSES; i++)
        free(s->lost[i].first);
    hostlist_destroy(s->hosts);
    map_fini(&s->ranks);
    map_fini(&s->by_facts);
    map_fini(&s->seen);
    json_decref(s->jobs);
    json_decref(s->reservations);
    json_decref(s->reserved);
    json_decref(s->tags);
    if (rc < 0) {
        rset_destroy(s->rs);
        return NULL;
    }
    return s->rs;
}

struct rset *rset_from_slurm(const char *const *files,
                             const struct slurm_options *opts, struct diag *d)
{
    struct rset *rs;
    struct slurm s;
    int rc = 0;

    begin(&s, opts);
    for (const char *const *file = files; *file && rc == 0; file++) {
        struct stream *in = stream_open(*file, d);
        rc = in ? read_all(&s, in, d) : -1;
        stream_close(in);
    }
    rs = finish(&s, rc, d);
    if (!rs && !d->source[0])
        diag_source(d, "%s", strcmp(files[0], "-") ? files[0] : "stdin");
    return rs;
}

struct rset *rset_from_slurm_stream(struct stream *in,
                                    const struct slurm_options *opts,
                                    struct diag *d)
{
    struct slurm s;
    struct rset *rs;

    begin(&s, opts);
    rs = finish(&s, read_all(&s, in, d), d);
    if (!rs && !d->source[0])
        stream_fault(in, d);
    return rs;
}

bool stream_is_slurm(struct stream *in)
{
    static const char *const keys[] = {"nodes",  "jobs",        "reservations",
                                       "meta",   "last_update", "last_backfill",
                                       "errors", "warnings"};
    size_t len, n = sizeof(keys) / sizeof(keys[0]);
    const char *key = stream_first_key(in, &len);

    return key && VECTOR_FIND(i, n, word_is(key, len, keys[i])) < n;
}
