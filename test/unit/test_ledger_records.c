/*
 * The records of all pools, compared with those of the naive ledger after each
 * move of a random game (ledger_game.h): claims, shares and lists of each job,
 * locks, states and tags. The document is written, checked by the validator,
 * and read back; the copy has the same records and is written as the same
 * bytes.
 */
#include "ledger_play.h"
#include "model/records/job_list.h"

/* --- records ------------------------------------------------------------ */

static int owner_number(const char *name)
{
    for (int i = 0; i < OWNERS; i++)
        if (name == owner_names[i]
            || (name && owner_names[i] && !strcmp(name, owner_names[i])))
            return i;
    return -1;
}

static struct lease lease_of(const struct grant *c)
{
    return (struct lease){job_number(c->term->job->name),
                          owner_number(c->term->owner), c->term->reserved,
                          time_moment(c->term->start),
                          time_moment(c->term->end)};
}

/* RFC 4: a job shares every parent of its resources. */
static bool naive_shared(const struct naive *n, int job, int p)
{
    for (int i = 0; i < n->n; i++)
        if (is_share_of(&n->claims[i], job, p))
            return true;
    return has_below(n, job, p);
}

/* Is each share of a job recorded, and no other? */
static bool same_shares(const struct naive *n, int p, const struct lot *rec,
                        int job)
{
    const struct grant *g;
    bool same = true;

    for (g = rec ? rec->grants : NULL; g; g = g->beside) {
        struct lease of = lease_of(g);
        bool found = g->term->kind != GRANT_SHARE || of.job != job;
        for (int i = 0; i < n->n && !found; i++)
            found = is_share_of(&n->claims[i], job, p)
                    && same_times(&n->claims[i].of, &of);
        same &= found;
    }
    for (int i = 0; i < n->n; i++) {
        bool found = !is_share_of(&n->claims[i], job, p);
        for (g = rec ? rec->grants : NULL; g && !found; g = g->beside) {
            struct lease of = lease_of(g);
            found = g->term->kind == GRANT_SHARE && of.job == job
                    && same_times(&n->claims[i].of, &of);
        }
        same &= found;
    }
    return same;
}

/* The next claim of a list, including the first. */
static const struct grant *claim_in(const struct grant *g)
{
    while (g && g->term->kind != GRANT_CLAIM)
        g = g->beside;
    return g;
}

static int recorded(const struct lot *lot, const struct lease *of)
{
    int sum = 0;

    for (const struct grant *c = claim_in(lot ? lot->grants : NULL); c;
         c = claim_in(c->beside)) {
        struct lease lease = lease_of(c);
        if (same_lease(&lease, of))
            sum += (int)c->units;
    }
    return sum;
}

static int expected(const struct naive *n, int p, const struct lease *of)
{
    int sum = 0;

    for (int i = 0; i < n->n; i++)
        if (n->claims[i].pool == p && same_lease(&n->claims[i].of, of))
            sum += n->claims[i].units;
    return sum;
}

static const char *check_claims(const struct naive *n, int p,
                                const struct lot *rec)
{
    for (const struct grant *c = claim_in(rec ? rec->grants : NULL); c;
         c = claim_in(c->beside)) {
        struct lease of = lease_of(c);
        if (recorded(rec, &of) != expected(n, p, &of))
            return pool_trouble(n->w, p, c->term->job->name, recorded(rec, &of),
                                expected(n, p, &of));
    }
    for (int i = 0; i < n->n; i++) {
        const struct lease *of = &n->claims[i].of;
        if (n->claims[i].pool == p && n->claims[i].units
            && recorded(rec, of) != expected(n, p, of))
            return pool_trouble(n->w, p, job_names[of->job], recorded(rec, of),
                                expected(n, p, of));
    }
    return NULL;
}

static const char *check_lists(const struct naive *n, int p, struct usage *u,
                               struct lot *rec, int job)
{
    struct job *known = u ? job_find(u, job_names[job]) : NULL;
    const struct grant *mark = known && rec
                                   ? grant_find(rec, known, GRANT_LISTED)
                                   : NULL;
    int size = n->w->pool[p].size;
    int listed = !mark ? 0 : mark->units ? (int)mark->units : size;
    struct job_list sharers = {0};
    bool shared = false;

    if (rec)
        sharers = lot_sharers(u, rec);
    for (size_t i = 0; i < sharers.n; i++)
        shared = shared || sharers.list[i] == known;
    free(sharers.list);
    if (shared != naive_shared(n, job, p))
        return pool_trouble(n->w, p, "shared by",
                            naive_shared(n, job, p) ? 0 : 1,
                            naive_shared(n, job, p));
    if (!same_shares(n, p, rec, job))
        return pool_trouble(n->w, p, "the times of shares", 0, 1);
    if (listed != n->listed[job][p])
        return pool_trouble(n->w, p, "listed", listed, n->listed[job][p]);
    return NULL;
}

static const char *check_pool(const struct naive *n, int p, struct settled s,
                              const struct vertex *v)
{
    struct lot *rec = settled_lot(s, v);
    const char *wrong = check_claims(n, p, rec);
    const struct job *lock = lot_staged(rec);
    int staged = lock ? job_number(lock->name) + 1 : 0;

    for (int job = 0; job < JOBS && !wrong; job++)
        wrong = check_lists(n, p, s.rs->usage, rec, job);
    if (!wrong && staged != n->staged[p])
        wrong = pool_trouble(n->w, p, "staged for", staged, n->staged[p]);
    if (!wrong && lot_state(rec) != n->state[p])
        wrong = pool_trouble(n->w, p, "state", (int)lot_state(rec),
                             (int)n->state[p]);
    if (!wrong && !vertex_get_tag(v, "blue") != !n->tagged[p])
        wrong = pool_trouble(n->w, p, "tagged", !n->tagged[p], n->tagged[p]);
    if (!wrong && v->size != n->w->pool[p].size)
        wrong = pool_trouble(n->w, p, "size", (int)v->size, n->w->pool[p].size);
    return wrong;
}

/* Compare all records of a set. NULL: they are those of the naive ledger. */
static const char *check_records(const struct naive *n, struct rset *rs)
{
    bool seen[POOLS_MAX] = {false};
    struct settled s = usage_settle(rs);
    const char *wrong = NULL;

    for (const struct vertex *v = rset_first(rs); v && !wrong;
         v = rset_next(rs, v)) {
        int up[POOLS_MAX], list[POOLS_MAX];
        int above = v->run && !vertex_is_target(v)
                        ? pools_of(n->w, v->parent, v->parent->run, 0, up)
                        : 0;
        int count = pools_of(n->w, v, v->run, ranks_of(n->w, up, above), list);
        for (int i = 0; i < count && !wrong; i++) {
            if (list[i] < 0 || seen[list[i]])
                return trouble("a %s that is not there, or twice", v->type);
            seen[list[i]] = true;
            wrong = check_pool(n, list[i], s, v);
        }
    }
    for (int p = 0; p < n->w->n && !wrong; p++)
        if (!seen[p])
            wrong = pool_trouble(n->w, p, "there", 0, 1);
    return wrong;
}

/* --- documents ---------------------------------------------------------- */

static bool record_fault(const struct fault *f)
{
    return f->level != FAULT_STRICT || !strncmp(f->rule->name, "record-", 7)
           || !strcmp(f->rule->name, "exclusive-shared");
}

static void check_faults(struct game *g, const char *text)
{
    struct faults faults = {.strict = true};
    struct diag d = {0};
    struct stream *s = stream_open_text(text, strlen(text), "set");

    rset_validate(s, TRUST_NONE, &faults, &d);
    stream_close(s);
    for (size_t i = 0; i < faults.n; i++) {
        const struct fault *f = &faults.list[i];
        if (record_fault(f))
            check_none(g, FAULTS,
                       trouble("%s: %s: %s", f->rule->name, f->where, f->text));
    }
    g->laws[FAULTS].cases++;
    faults_fini(&faults);
}

static size_t differ(const char *a, const char *b)
{
    size_t i = 0;

    while (b && a[i] && a[i] == b[i])
        i++;
    return i > 20 ? i - 20 : 0;
}

/* Write the set, check the document and read it back. Return the copy. */
static struct rset *through_a_pipe(struct game *g, enum rset_form form)
{
    char *text = write_set(g->rs, form), *again;
    struct rset *copy;

    if (!check(g, FORMS, text != NULL, "can't be written"))
        return NULL;
    check_faults(g, text);
    copy = g->play.over ? NULL : read_set(text);
    again = copy ? write_set(copy, form) : NULL;
    if (copy)
        check(g, FORMS, again && !strcmp(text, again),
              trouble("differ at %.120s", text + differ(text, again)));
    free(text);
    free(again);
    return copy;
}

static void check_documents(struct game *g)
{
    struct rset *copy;

    check_none(g, RECORDS, check_records(&g->naive, g->rs));
    if (!g->play.over && one_in(4)) /* contents of R_lite */
        rset_destroy(through_a_pipe(g, FORM_R));
    copy = g->play.over ? NULL : through_a_pipe(g, FORM_AS_READ);
    if (copy)
        check_none(g, FORMS, check_records(&g->naive, copy));
    if (copy && one_in(2)) {
        struct rset *old = g->rs;
        g->rs = copy;
        copy = old;
    }
    rset_destroy(copy);
}

static game_fn *const checks[] = {check_cells, check_documents, NULL};
static const struct subject subject = {
    .laws = {[RECORDS] = true, [FAULTS] = true, [FORMS] = true},
    .checks = checks};

int main(void)
{
    return play_games(&subject);
}
