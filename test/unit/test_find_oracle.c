/*
 * Find expressions, compared with a naive evaluation.
 *
 * Random sets, an R or a graph, get random records, states, names and tags.
 * Each set is written as a graph with a vertex for each single pool. A random
 * expression is made as a tree and evaluated on the JSON of each pool, without
 * a parser. Then its text is parsed, and evaluated on each member of the set's
 * runs, and on whole runs. Each pool must give the same answer, and the set
 * must not change.
 */
#include "model/records/jobs.h"
#include "model/tree/forest.h"
#include "request/find.h"

#include "find_naive.h"
#include "lines.h"
#include "model/document/document.h"
#include "model/records/usage.h"
#include "request/evaluation.h"
#include "schedule/filter.h"

/* --- random sets ---------------------------------------------------------- */

static const char *const host_names[] = {"n1", "n02",  "n9",    "n10", "x1y3",
                                         "7",  "a-ib", "login", "n12"};

static void random_hosts(struct rset *rs)
{
    uint64_t n = idset_count(rs->ranks);

    hostlist_destroy(rs->hosts);
    rs->hosts = one_in(4) ? NULL : hostlist_create();
    for (uint64_t i = 0; rs->hosts && i < n; i++) {
        const char *name = ANY(host_names);
        hostlist_append(rs->hosts, name);
    }
}

static void random_claim(struct rset *rs, struct vertex *v, struct job *job)
{
    int64_t n = one_in(2) ? v->size : v->size / 2;
    struct term like = {.start = random_below(6) * 10, .end = TIME_UNSET};

    if (one_in(3))
        like.start = TIME_UNSET;
    if (!one_in(3))
        like.end = 30 + random_below(6) * 10;
    like.reserved = random_below(2);
    grant_add(rs->usage, job, vertex_lot(rs, v), GRANT_CLAIM,
              job_term(rs->usage, job, &like), n);
}

static void random_tag(struct vertex *v)
{
    json_t *tags = json_object();
    const char *text = ANY(texts);

    json_object_set_new(tags, ANY(texts),
                        one_in(3)   ? json_null()
                        : one_in(2) ? json_integer(4)
                                    : json_string(text));
    json_decref(v->extra);
    v->extra = json_pack("{s:o}", "tags", tags);
}

/* Times of a share: some, or none. */
static struct term *random_times(struct usage *u, struct job *job)
{
    double start = one_in(3) ? TIME_UNSET : random_below(NOW * 2);
    double end = one_in(3) ? TIME_UNSET : start + 1 + random_below(NOW);

    return job_share_term(
        u, job,
        &(struct term){.start = start, .end = one_in(3) ? TIME_UNSET : end});
}

/* Add one random record or mark to a vertex. */
static void random_mark(struct rset *rs, struct vertex *v)
{
    struct lot *lot = vertex_lot(rs, v);
    struct job *job = job_get(rs->usage, ANY(jobs));

    switch (random_below(9)) {
    case 0:
        lot->state = (enum pool_state)random_below(POOL_STATES);
        break;
    case 1:
        v->exclusive = true;
        break;
    case 2:
    case 3:
        random_claim(rs, v, job);
        break;
    case 4:
        grant_add(rs->usage, job, lot, GRANT_SHARE,
                  random_times(rs->usage, job), 0);
        break;
    case 5:
        if (!lot_staged(lot))
            grant_add(rs->usage, job, lot, GRANT_STAGED, NULL, 0);
        break;
    case 6:
        vertex_add_property(rs, v, ANY(texts), one_in(2) ? "" : ANY(texts));
        break;
    case 7:
        random_tag(v);
        break;
    default:
        if (!v->run) {
            v->size = random_below(20);
            v->unit = rset_string(rs, ANY(units));
        }
    }
}

/* Return a random vertex, half of the time cut off its run. */
static struct vertex *random_vertex(struct rset *rs)
{
    struct vertex *v = rset_first(rs), *part;
    struct idset *ids, *all = idset_create_range(0, RANKS);
    size_t n = 0;

    for (struct vertex *o = v; o; o = rset_next(rs, o))
        if (one_in((unsigned)++n))
            v = o;
    ids = idset_sample(all, 1 + random_below(RANKS), random_below(1000));
    if (v->run && one_in(2)) {
        part = idset_overlaps(v->run, ids) ? v : NULL;
        if (part) {
            struct idset *both = idset_intersect(v->run, ids);
            part = vertex_split(rs, v, both);
            vertex_sort_children(v->parent);
            idset_destroy(both);
        }
        v = part ? part : v;
    }
    idset_destroy(all);
    idset_destroy(ids);
    return v;
}

/* Pools of power beside the tree, each fed by one. */
static void random_power(struct rset *rs)
{
    const char *power = rset_string(rs, "power");
    const char *word = rset_string(rs, "supplies_to");
    struct vertex *panel = vertex_create(rs, "panel"), *pdu;

    panel->name = rset_string(rs, "panel0");
    panel->id = 0;
    pdu = vertex_create(rs, "pdu");
    pdu->name = rset_string(rs, "pdu0");
    pdu->id = 0;
    panel->next = pdu;
    rs->loose = panel;
    rset_add_link(rs, &(struct link){power, word, panel, pdu, NULL});
    for (struct vertex *v = rs->root; v; v = vertex_next(rs->root, v, false))
        if (one_in(10))
            rset_add_link(rs, &(struct link){power, word, pdu, v, NULL});
    forest_plant(rs);
}

static struct rset *random_set(void)
{
    struct layout layout = {one_in(2), one_in(2), one_in(2)};
    struct bits b = random_bits(layout.graph);
    char *text = bits_text(&b, &layout);
    struct rset *rs = read_set(text);

    free(text);
    if (!layout.graph)
        random_hosts(rs);
    else if (one_in(2))
        random_power(rs);
    for (uint32_t n = random_below(12); n > 0; n--) {
        usage_settle(rs);
        random_mark(rs, random_vertex(rs));
        usage_gather(rs);
    }
    return rs;
}

/* --- both readings -------------------------------------------------------- */

/* Add a line of rank, type and id of a found pool. */
static void add_line(struct lines *l, long long rank, const char *type,
                     long long id)
{
    if (type_is_node(type) && rank >= 0)
        id = rank;
    if (asprintf(&l->line[l->n++], "%lld %s%lld", rank, type, id) < 0)
        abort();
}

/* With `up` also the pools above found ones. */
static char *naive(const struct ask *q, const struct pools *pools, bool hosts,
                   bool up)
{
    bool *found = calloc(pools->n + 1, sizeof(*found));
    struct lines l = {.n = 0};

    for (size_t i = 0; i < pools->n; i++) {
        bool yes = answer(q, pools, &pools->list[i], hosts);
        for (int at = (int)i; yes && at >= 0;
             at = up ? pools->list[at].parent : -1)
            found[at] = true;
    }
    for (size_t i = 0; i < pools->n; i++) {
        const struct pool *p = &pools->list[i];
        if (found[i])
            add_line(&l, number_at(p, "rank"), text_at(p, "type"),
                     number_at(p, "id"));
    }
    free(found);
    return join(&l, "; ");
}

/* Evaluate on a pool and all below it, each member by itself. */
static void ask_all(struct evaluation *ev, struct member *m, struct lines *l)
{
    const struct member *t = m->target;
    struct span *spans;
    size_t n = vertex_spans(m->v, &spans);

    if (evaluation_holds(ev, m))
        add_line(l,
                 !t        ? m->v->rank
                 : t->left ? t->id
                           : t->v->rank,
                 m->v->type, m->left && m != t ? m->id : m->v->id);
    for (size_t i = 0; i < n; i++) {
        for (uint32_t id = spans[i].lo; id <= spans[i].hi; id++) {
            struct idset *one = idset_create_range(id, id);
            struct member below;
            member_init(&below, spans[i].v, spans[i].v->run ? one : NULL, m);
            ask_all(ev, &below, l);
            idset_destroy(one);
        }
    }
    free(spans);
}

static char *by_members(const struct constraint *f, struct rset *rs)
{
    struct evaluation *ev = evaluation_create(f, usage_settle(rs));
    struct lines l = {.n = 0};
    struct member m;

    member_init(&m, rs->root, NULL, NULL);
    ask_all(ev, &m, &l);
    for (const struct vertex *v = rs->loose; v; v = v->next) {
        member_init(&m, v, NULL, NULL);
        ask_all(ev, &m, &l);
    }
    evaluation_destroy(ev);
    return join(&l, "; ");
}

/* A filter passes the same pools, and the pools above them. */
static void add_picks(struct lines *l, const struct pick *list, long long rank)
{
    for (const struct pick *p = list; p; p = p->next) {
        struct idset *members = p->v->run ? pick_members(p) : NULL;
        uint32_t id = 0;
        struct idset_iter it;

        if (members)
            idset_iter_init(&it, members);
        while (!members || idset_iter_next(&it, &id)) {
            bool target = vertex_is_target(p->v);
            long long mine = target && members ? id
                             : members         ? rank
                                               : p->v->rank;
            add_line(l, mine, p->v->type, members ? id : p->v->id);
            add_picks(l, p->child, mine);
            if (!members)
                break;
        }
        idset_destroy(members);
    }
}

static char *by_runs(struct constraint *f, struct rset *rs)
{
    struct filter filter = {.each = f};
    struct selection *sel = filter_select(rs, &filter);
    struct lines l = {.n = 0};

    add_picks(&l, sel->picks, -1);
    selection_destroy(sel);
    return join(&l, "; ");
}

struct laws {
    struct law parsed, same, runs, kept;
};

static void try_one(struct rset *rs, const struct pools *pools,
                    const char *before, struct laws *laws)
{
    struct ask *q = random_ask(pools, 3);
    char *text = NULL, *got, *want, *after;
    struct diag d = {0};
    struct constraint *f;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    put_ask(q, 0, fp);
    fclose(fp);
    f = find_parse(text, NOW, &d);
    if (holds(&laws->parsed, f, "%s: %s", text, diag_line(&d).text)) {
        got = by_members(f, rs);
        want = naive(q, pools, rs->hosts, false);
        holds(&laws->same, !strcmp(got, want),
              "%s\n#   got: %s\n#  want: %s\n# in %s", text, got, want, before);
        free(got);
        free(want);
        got = by_runs(f, rs);
        want = naive(q, pools, rs->hosts, true);
        holds(&laws->runs, !strcmp(got, want),
              "%s\n#   got: %s\n#  want: %s\n# in %s", text, got, want, before);
        after = write_set(rs, FORM_JGF);
        holds(&laws->kept, !strcmp(before, after), "%s in %s", text, before);
        free(got);
        free(want);
        free(after);
    }
    constraint_destroy(f);
    free_ask(q);
    free(text);
}

int main(void)
{
    struct laws laws = {{.name = "the text of an expression is read"},
                        {.name = "pools answer as their JSON does"},
                        {.name = "runs answer as their members do"},
                        {.name = "searching does not change a set"}};

    for (long round = random_start(600); round > 0; round--) {
        struct rset *rs = random_set();
        char *text = write_set(rs, FORM_JGF);
        struct pools pools = read_pools(text);
        for (int i = 0; i < 4; i++)
            try_one(rs, &pools, text, &laws);
        free_pools(&pools);
        free(text);
        rset_destroy(rs);
    }
    law_end(&laws.parsed);
    law_end(&laws.same);
    law_end(&laws.runs);
    law_end(&laws.kept);
    return done_testing();
}
