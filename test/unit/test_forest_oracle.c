/*
 * Forests, compared with a naive reading of rset-documents(5), rset(7) and
 * rset-request(7).
 *
 * The library reads, writes and searches random documents of two and three
 * hierarchies. The results are read again from their JSON alone
 * (forest_naive.h), and compared with the expected ones.
 */
#include <unistd.h>

#include "find_naive.h"
#include "forest_said.h"
#include "forest_world.h"
#include "model/change/granularity.h"
#include "model/records/jobs.h"
#include "model/records/records.h"
#include "request/find.h"

/* === forest available =================================================== */

/*
 * Available resources by a naive reading of rset(7): units that are up and not
 * held, reserved or staged at the time; a pool with contents is available if
 * any of them is.
 */

/* Claimed units. An ended claim is held until it is released, but does not
   count for later starts. */
static json_int_t claimed_at(const struct pool *p, const struct period *when)
{
    json_int_t sum = 0;

    for (int k = 0; k < 2; k++) {
        const json_t *c;
        size_t i;
        json_array_foreach (json_object_get(p->m, claim_lists[k]), i, c) {
            double end = time_at(c, "end", INFINITY);
            if (time_at(c, "start", -1) <= when->from
                && (end > when->from
                    || (end <= when->now && when->from <= when->now)))
                sum += json_integer_value(json_object_get(c, "size"));
        }
    }
    return sum;
}

/* Is any part of the pool or of its contents in use? */
static bool in_use_at(const struct pools *all, const struct pool *p,
                      const struct period *when)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct pool *o = &all->list[i];
        if (is_below(all, o, p)
            && (claimed_at(o, when) > 0 || json_object_get(o->m, "staged")
                || shared_itself(all, o, NULL)))
            return true;
    }
    return false;
}

static json_int_t available_units(const struct pools *all, const struct pool *p,
                                  const struct period *when)
{
    json_int_t left = number_at(p, "size") - claimed_at(p, when);

    for (const struct pool *up = p; up; up = above(all, up))
        if (strcmp(state_of(all, up), "up") != 0
            || json_object_get(up->m, "staged")
            || (up != p && claimed_at(up, when) >= number_at(up, "size"))
            || (json_is_true(json_object_get(up->m, "exclusive"))
                && in_use_at(all, up, when)))
            return 0;
    if (left <= 0 || is_leaf(all, p))
        return left > 0 ? left : 0;
    for (size_t i = 0; i < all->n; i++)
        if (above(all, &all->list[i]) == p
            && available_units(all, &all->list[i], when) > 0)
            return left;
    return 0;
}

/* --- laws ----------------------------------------------------------------- */

enum { READ, ORDER, AGAIN, CIRCLE, FOUND, LEFT, SUMS, STATUS, COARSE, LAWS };

static struct law laws[LAWS] = {
    [READ] = {.name = "a forest is read by the rules"},
    [ORDER] = {.name = "the order in a document does not matter"},
    [AGAIN] = {.name = "output is read, and written again as the same bytes"},
    [CIRCLE] = {.name = "no subsystem runs in a circle"},
    [FOUND] =
        {.name =
             "a matching pool comes with the pools around it, and is in them"},
    [LEFT] = {.name = "available resources are written"},
    [SUMS] = {.name = "available resources are counted"},
    [STATUS] = {.name = "status counts each unit once, as it is"},
    [COARSE] = {.name = "an R of a coarser set names existing pools only"},
};

static void try_reading(const struct pools *all, const char *text,
                        const char *written)
{
    struct pools back = read_pools(written);
    char *other = shuffled(all);

    same_text(&laws[READ], describe(&back, NULL, true),
              describe(all, NULL, true), text);
    same_text(&laws[ORDER], rewrite(other, FORM_JGF), strdup(written), text);
    same_text(&laws[AGAIN], rewrite(written, FORM_JGF), strdup(written), text);
    free_pools(&back);
    free(other);
}

/*
 * Add an edge that leads back to the start of a path of its subsystem. It is
 * dropped only beside an edge in the other direction, if paths show which is
 * which.
 */
static void try_circle(const struct pools *all)
{
    const struct edge *e = &all->edges[random_below((uint32_t)all->nedges)];
    json_t *copy = json_deep_copy(all->document);
    struct world w = {
        .edges = json_object_get(json_object_get(copy, "graph"), "edges")};
    struct diag d = {0};
    struct rset *rs = NULL;
    struct stream *stream;
    char *text;
    int to = 0, want;

    while (!leads(all, e->subsystem, to, e->to) || to == e->to)
        to++;
    put_edge_of(&w, e->subsystem, all->list[e->to].outer, all->list[to].outer);
    text = json_dumps(copy, 0);
    stream = stream_open_text(text, strlen(text), "test");
    want = have_edge(all, e->subsystem, to, e->to)
                   && told_above(all, e->subsystem, to, e->to) > 0
               ? 1
               : -1;
    holds(&laws[CIRCLE], rset_read(stream, TRUST_NONE, &rs, &d) == want,
          "%s from %s to %s in %s", e->subsystem, all->list[e->to].outer,
          all->list[to].outer, text);
    stream_close(stream);
    rset_destroy(rs);
    json_decref(copy);
    free(text);
}

/* Return the nearest kept pool in a node around a pool that is left out. */
static const struct pool *kept_around(const struct pools *all, size_t at,
                                      const bool *kept)
{
    const struct pool *p = kept[at] ? NULL : &all->list[at], *node;

    while (p && !kept[p - all->list])
        p = above(all, p);
    for (node = p; node && number_at(node, "rank") < 0
                   && strcmp(text_at(node, "type"), "node") != 0;)
        node = above(all, node);
    return node ? p : NULL;
}

/* Return the share of a job for something that is left out: its name, or for a
   time an object. A job that also has times gets a start. New reference. */
static json_t *share_for(const struct pools *all, json_t *job,
                         const json_t *claim)
{
    json_t *share = json_pack("{s:O}", "job", job), *other;
    bool times = false;
    size_t i;

    for (size_t k = 0; k < 2 * all->n; k++)
        json_array_foreach (
            json_object_get(all->list[k / 2].m, claim_lists[k % 2]), i, other)
            times = times
                    || (json_equal(json_object_get(other, "job"), job)
                        && json_object_size(other) > 2);
    if (!times) {
        json_decref(share);
        return json_incref(job);
    }
    json_object_update((json_t *)share, (json_t *)claim);
    json_object_del(share, "size");
    if (json_object_size(share) == 1)
        json_object_set_new(share, "start", json_integer(0));
    return share;
}

/* Return the shares of kept pools for what is left out in them, in the order of
   pools. */
static json_t *shares_without(const struct pools *all, const bool *kept)
{
    json_t *shares = json_array(), *job, *claim;
    size_t i, k;

    for (i = 0; i < all->n; i++)
        json_array_append_new(shares, json_array());
    for (i = 0; i < all->n; i++) {
        const struct pool *p = &all->list[i], *up = kept_around(all, i, kept);
        json_t *list;
        if (!up)
            continue;
        list = json_array_get(shares, (size_t)(up - all->list));
        json_array_foreach (json_object_get(p->m, "shared"), k, job)
            if (shares_itself(all, p, job))
                json_array_append_new(list, share_for(all, job, NULL));
        for (int of = 0; of < 2; of++)
            json_array_foreach (json_object_get(p->m, claim_lists[of]), k,
                                claim)
                json_array_append_new(
                    list, share_for(all, json_object_get(claim, "job"), claim));
    }
    return shares;
}

static bool has_item(const json_t *list, const json_t *item)
{
    const json_t *one;
    size_t i;

    json_array_foreach (list, i, one)
        if (json_equal(one, item))
            return true;
    return false;
}

/* Put the shares for what is left out into kept pools. A job that shares a pool
   only at times is written with these. */
static void put_shares_without(const struct pools *all, const json_t *shares)
{
    json_t *list, *item, *one;
    size_t i, k, n;

    json_array_foreach (shares, i, list)
        json_array_foreach (list, k, item) {
            const struct pool *p = &all->list[i];
            json_t *job = json_object_get(item, "job");
            put_share(all, job ? above(all, p) : p, job ? job : item);
        }
    json_array_foreach (shares, i, list)
        json_array_foreach (list, k, item) {
            json_t *job = json_object_get(item, "job");
            json_t *to = list_at(&all->list[i], "shared");
            if (!job || has_item(to, item))
                continue;
            json_array_foreach (to, n, one)
                if (json_equal(one, job))
                    json_array_remove(to, n--);
            json_array_append(to, item);
        }
    for (i = 0; i < all->n; i++)
        if (json_array_size(json_object_get(all->list[i].m, "shared")) == 0)
            json_object_del(all->list[i].m, "shared");
}

static void try_finding(const char *text)
{
    struct pools all = read_pools(text);
    bool *kept = calloc(all.n + 1, sizeof(*kept));
    struct ask *q = random_ask(&all, 2);
    struct rset *rs = read_set(text);
    struct filter filter = {0};
    char *words = NULL, *of = NULL;
    struct diag d = {0};
    json_t *shares;
    size_t len;
    FILE *fp = open_memstream(&words, &len);

    put_ask(q, 0, fp);
    fclose(fp);
    if (asprintf(&of, "%s in %s", words, text) < 0)
        abort();
    for (size_t i = 0; i < all.n; i++)
        for (const struct pool *p = &all.list[i]; p && !kept[i];
             p = above(&all, p))
            kept[i] = answer(q, &all, p, true);
    keep_above(&all, kept);
    shares = shares_without(&all, kept);
    cut_shares(&all, kept);
    put_shares_without(&all, shares);
    json_decref(shares);
    if ((filter.find = find_parse(words, NOW, &d)))
        same_text(&laws[FOUND],
                  describe_part(rs, filter_select(rs, &filter), true),
                  describe(&all, kept, true), of);
    constraint_destroy(filter.find);
    rset_destroy(rs);
    free_ask(q);
    free_pools(&all);
    free(kept);
    free(words);
    free(of);
}

/* --- available resources -------------------------------------------------- */

/* Units that nobody holds or shares, nor any of their contents. */
static json_int_t free_units(const struct pools *all, const struct pool *p,
                             const struct period *when)
{
    bool shared = shared_itself(all, p, NULL) && claimed_at(p, when) == 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct pool *o = &all->list[i];
        if (o != p && is_below(all, o, p)
            && (strcmp(state_of(all, o), "up") != 0 || in_use_at(all, o, when)))
            return 0;
    }
    return shared ? 0 : available_units(all, p, when);
}

static char *sums_naively(const struct pools *all, const struct period *when)
{
    struct lines l = {.n = 0};

    for (size_t i = 0; i < all->n; i++) {
        const char *type = text_at(&all->list[i], "type");
        json_int_t sum = 0, nfree = 0;
        char numbers[64];
        bool first = true;
        for (size_t k = 0; k < all->n; k++)
            if (!strcmp(text_at(&all->list[k], "type"), type)) {
                first = first && k >= i;
                sum += available_units(all, &all->list[k], when);
                nfree += free_units(all, &all->list[k], when);
            }
        snprintf(numbers, sizeof(numbers), "%lld %lld", (long long)sum,
                 (long long)nfree);
        if (first && sum > 0)
            add_line(&l, type, numbers, "");
    }
    return join(&l, "\n");
}

static char *sums_of(struct usage *u, const struct period *when)
{
    struct lines l = {.n = 0};
    struct aggregate *list;
    size_t n = ledger_aggregate(u, when, false, &list);
    char numbers[64];

    for (size_t i = 0; i < n; i++) {
        snprintf(numbers, sizeof(numbers), "%" PRIu64 " %" PRIu64,
                 list[i].available, list[i].free);
        add_line(&l, list[i].type, numbers, "");
    }
    free(list);
    return join(&l, "\n");
}

/* Write as an R with times. NULL: no R can express it. */
static char *with_times(const char *text, double start, double end)
{
    struct rset *rs = read_set(text);
    char *R = write_set(rs, FORM_RV1), *timed;
    json_t *document = R ? json_loads(R, 0, NULL) : NULL;
    json_t *execution = json_object_get(document, "execution");

    json_object_set_new(execution, "starttime", json_real(start));
    json_object_set_new(execution, "expiration", json_real(end));
    timed = document ? json_dumps(document, 0) : NULL;
    json_decref(document);
    rset_destroy(rs);
    free(R);
    return timed;
}

static void try_availability(const char *text)
{
    struct pools all = read_pools(text), cut = read_pools(text);
    bool *kept = calloc(all.n + 1, sizeof(*kept));
    double now = random_below(12) * 10, at = now + random_below(4) * 10;
    double start = random_below(6) * 20, end = start + 40;
    struct period when = {.now = now, .from = at, .to = at};
    char *timed = chance(4) ? with_times(text, start, end) : NULL, *of = NULL;
    bool there = !timed || (at >= start && at < end);
    struct desk desk = desk_open(timed ? timed : text);

    if (asprintf(&of, "at %.0f, now %.0f, of %s", at, now, timed ? timed : text)
        < 0)
        abort();
    for (size_t i = 0; i < all.n; i++) {
        json_int_t n = available_units(&all, &all.list[i], &when);
        kept[i] = there && n > 0;
        if (n > 0)
            json_object_set_new(cut.list[i].m, "size", json_integer(n));
    }
    keep_above(&all, kept);
    same_text(&laws[SUMS], sums_of(desk.u, &when),
              there ? sums_naively(&all, &when) : strdup(""), of);
    same_text(
        &laws[LEFT],
        describe_part(desk.rs, ledger_available(desk.u, &when, false), false),
        describe(&cut, kept, false), of);
    desk_drop(&desk);
    free_pools(&all);
    free_pools(&cut);
    free(timed);
    free(kept);
    free(of);
}

/* --- status --------------------------------------------------------------- */

struct row {
    const char *type, *state;
    json_int_t size, allocated, available;
};

/* Has a type pools of several units that are free or held one by one? */
static bool is_pooled(const struct pools *all, const char *type)
{
    for (size_t i = 0; i < all->n; i++)
        if (!strcmp(text_at(&all->list[i], "type"), type)
            && number_at(&all->list[i], "size") != 1)
            return true;
    return false;
}

/* Has a node cores or GPUs, and none of them is free? A single one that is
   shared can't be given to a job. */
static bool is_busy_node(const struct pools *all, const struct pool *node,
                         const struct period *when)
{
    bool any = false;

    for (size_t i = 0; i < all->n; i++) {
        const struct pool *p = &all->list[i];
        const char *type = text_at(p, "type");
        if (!is_below(all, p, node)
            || (strcmp(type, "core") != 0 && strcmp(type, "gpu") != 0))
            continue;
        if (is_pooled(all, type) ? available_units(all, p, when) > 0
                                 : free_units(all, p, when) > 0)
            return false;
        any = true;
    }
    return any;
}

static const char *status_of(const struct pools *all, const struct pool *p,
                             const struct period *when)
{
    const char *state = state_of(all, p);
    bool idle = !in_use_at(all, p, when), full;

    if (strcmp(state, "up") != 0 || !type_is_node(text_at(p, "type")))
        return state;
    for (const struct pool *up = above(all, p); up; up = above(all, up))
        idle = idle && claimed_at(up, when) < number_at(up, "size")
               && !json_object_get(up->m, "staged");
    full = !available_units(all, p, when) || is_busy_node(all, p, when);
    for (size_t i = 0; full && idle && i < all->n; i++)
        if (is_below(all, &all->list[i], p)
            && strcmp(state_of(all, &all->list[i]), "up") != 0)
            return state_of(all, &all->list[i]); /* that of its first part */
    return full ? "full" : idle ? "idle" : "mixed";
}

/* Units that jobs hold now. */
static json_int_t held_units(const struct pools *all, const struct pool *p,
                             double now)
{
    json_int_t sum = 0, size;
    const json_t *c;
    size_t i;

    for (int k = 0; k < 2; k++)
        json_array_foreach (json_object_get(p->m, claim_lists[k]), i, c) {
            size = json_integer_value(json_object_get(c, "size"));
            if (time_at(c, "start", -1) <= now && !waits(all, p, c, now))
                sum += size;
        }
    return sum < number_at(p, "size") ? sum : number_at(p, "size");
}

static json_int_t allocated_units(const struct pools *all, const struct pool *p,
                                  double now)
{
    for (const struct pool *up = above(all, p); up; up = above(all, up))
        if (held_units(all, up, now) >= number_at(up, "size"))
            return number_at(p, "size");
    return held_units(all, p, now);
}

static void add_row(struct row *rows, size_t *n, const struct row *more)
{
    size_t i = 0;

    while (i < *n
           && (strcmp(rows[i].type, more->type) != 0
               || strcmp(rows[i].state, more->state) != 0))
        i++;
    if (i == *n)
        rows[(*n)++] = (struct row){more->type, more->state, 0, 0, 0};
    rows[i].size += more->size;
    rows[i].allocated += more->allocated;
    rows[i].available += more->available;
}

static char *join_rows(const struct row *rows, size_t n)
{
    struct lines l = {.n = 0};
    char counts[100];

    for (size_t i = 0; i < n; i++) {
        snprintf(counts, sizeof(counts), "%lld: allocated %lld, available %lld",
                 (long long)rows[i].size, (long long)rows[i].allocated,
                 (long long)rows[i].available);
        add_line(&l, rows[i].type, rows[i].state, counts);
    }
    return join(&l, "\n");
}

/* Does a job claim any units of a pool? */
static bool has_claim(const struct pool *p, const json_t *job)
{
    const json_t *c;
    size_t i;

    for (int k = 0; k < 2; k++)
        json_array_foreach (json_object_get(p->m, claim_lists[k]), i, c)
            if (json_equal(json_object_get(c, "job"), job))
                return true;
    return false;
}

/* If a job claims nothing any more, it has ended, and shares nothing. */
static void end_without_claims(const struct pools *all, const json_t *job)
{
    json_t *other;
    size_t at;

    for (size_t i = 0; i < all->n; i++)
        if (has_claim(&all->list[i], job))
            return;
    for (size_t i = 0; i < all->n; i++) {
        json_t *shared = json_object_get(all->list[i].m, "shared");
        json_array_foreach (shared, at, other)
            if (json_equal(other, job))
                json_array_remove(shared, at--);
    }
}

/* Drop the claims that ended by `now` while they waited, what was staged for
   their jobs, and jobs without claims. */
static void drop_lapsed(const struct pools *all, double now)
{
    json_t *(*left)[2] = calloc(all->n + 1, sizeof(*left)),
           *lost = json_array(), *job;

    for (size_t i = 0; i < all->n; i++)
        for (int k = 0; k < 2; k++) {
            const struct pool *p = &all->list[i];
            json_t *c;
            size_t at;
            left[i][k] = json_array();
            json_array_foreach (json_object_get(p->m, claim_lists[k]), at, c)
                json_array_append(lapsed(all, p, c, now) ? lost : left[i][k],
                                  c);
        }
    for (size_t i = 0; i < all->n; i++)
        for (int k = 0; k < 2; k++)
            json_object_set_new(all->list[i].m, claim_lists[k], left[i][k]);
    free(left);
    for (size_t i = 0; i < all->n; i++) {
        job = json_object_get(all->list[i].m, "staged");
        if (job && !has_claim(&all->list[i], job))
            json_object_del(all->list[i].m, "staged");
    }
    for (size_t i = 0; i < json_array_size(lost); i++)
        end_without_claims(all,
                           json_object_get(json_array_get(lost, i), "job"));
    json_decref(lost);
}

static char *status_naively(const struct pools *all, const struct period *when)
{
    struct row rows[100];
    size_t n = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct pool *p = &all->list[i];
        add_row(rows, &n,
                &(struct row){text_at(p, "type"), status_of(all, p, when),
                              number_at(p, "size"),
                              allocated_units(all, p, when->now),
                              available_units(all, p, when)});
    }
    return join_rows(rows, n);
}

/* Return the status that the program prints for a document. */
static char *status_said(const char *file, double now)
{
    char command[4096];
    json_t *said, *row;
    struct row rows[100];
    size_t i, n = 0;
    FILE *fp;
    char *text;

    snprintf(command, sizeof(command),
             "\"$RSET_BIN\"/rset-alloc status -o json --now %.0f / %s", now,
             file);
    if (!(fp = popen(command, "r")))
        return NULL;
    said = json_loadf(fp, JSON_DISABLE_EOF_CHECK, NULL);
    pclose(fp);
    json_array_foreach (json_object_get(said, "types"), i, row)
        add_row(rows, &n,
                &(struct row){
                    json_string_value(json_object_get(row, "type")),
                    json_string_value(json_object_get(row, "state")),
                    json_integer_value(json_object_get(row, "size")),
                    json_integer_value(json_object_get(row, "allocated")),
                    json_integer_value(json_object_get(row, "available"))});
    text = join_rows(rows, n);
    json_decref(said);
    return text;
}

static void try_status(const char *text)
{
    char file[] = "/tmp/test_forest.XXXXXX", *of = NULL;
    struct pools all = read_pools(text);
    double now = random_below(12) * 10;
    struct period when = {.now = now, .from = now, .to = now};
    int fd = mkstemp(file);
    FILE *fp = fdopen(fd, "w");

    fputs(text, fp);
    fclose(fp);
    drop_lapsed(&all, now);
    if (asprintf(&of, "at %.0f of %s", now, text) < 0)
        abort();
    same_text(&laws[STATUS], status_said(file, now),
              status_naively(&all, &when), of);
    unlink(file);
    free_pools(&all);
    free(of);
}

/* --- granularity ---------------------------------------------------------- */

/* The ids of a rank's cores. */
static unsigned cores_of(const struct pools *all, json_int_t rank)
{
    unsigned ids = 0;

    for (size_t i = 0; i < all->n; i++)
        if (number_at(&all->list[i], "rank") == rank
            && !strcmp(text_at(&all->list[i], "type"), "core"))
            ids |= 1U << number_at(&all->list[i], "id");
    return ids;
}

/* Compare units in an R, which is taken over. NULL: there is none, which is
   right for a sum. */
static void check_units(const struct pools *all, char *R, const char *of)
{
    json_t *document = R ? json_loads(R, 0, NULL) : NULL, *entry;
    const json_t *list = json_object_get(json_object_get(document, "execution"),
                                         "R_lite");
    size_t i;

    holds(&laws[COARSE], !R || json_is_array(list), "%s", of);
    json_array_foreach (list, i, entry) {
        const json_t *children = json_object_get(entry, "children");
        unsigned ranks = parse_ids(
            json_string_value(json_object_get(entry, "rank")));
        unsigned cores = parse_ids(
            json_string_value(json_object_get(children, "core")));
        for (int rank = 0; rank < 32; rank++)
            if (ranks >> rank & 1)
                holds(&laws[COARSE], !(cores & ~cores_of(all, rank)),
                      "%s of %s", R, of);
    }
    json_decref(document);
    free(R);
}

/*
 * Sums have no ids for R_lite: not in the coarser set, not after a graph was
 * written and read, and not in the R of a job.
 */
static void try_coarsening(const struct pools *all, const char *text)
{
    static const char *const types[] = {"cluster", "rack",   "node", "socket",
                                        "core",    "memory", "pdu"};
    static const enum rset_form forms[] = {FORM_R, FORM_RV1, FORM_RV1_COMPACT};
    const char *kept[] = {PICK(types), PICK(types), PICK(types)};
    struct gift gift = {.request = "core=1"};
    struct when when = {.now = CLOCK};
    struct rset *rs = read_set(text);
    struct diag d = {0};
    char *of = NULL, *graph = NULL, *given;

    if (asprintf(&of, "%s, %s, %s of %s", kept[0], kept[1], kept[2], text) < 0)
        abort();
    if (rset_coarsen(rs, kept, 3, &d) == 0)
        graph = write_set(rs, FORM_JGF);
    if (graph && !broken_rule(graph)) {
        given = give(graph, "new", &gift, &when);
        for (int k = 0; k < 3; k++) {
            check_units(all, write_set(rs, forms[k]), of);
            check_units(all, rewrite(graph, forms[k]), of);
            if (given)
                check_units(all, allocated(given, "new", false, forms[k]), of);
        }
        free(given);
    }
    rset_destroy(rs);
    free(graph);
    free(of);
}

/* -------------------------------------------------------------------------- */

int main(void)
{
    for (long round = random_start(120); round > 0; round--) {
        struct pools all = random_forest(true);
        char *text = json_dumps(all.document, 0),
             *written = rewrite(text, FORM_JGF);
        try_reading(&all, text, written);
        try_circle(&all);
        if (getenv("RSET_BIN") && round % 2 == 0)
            try_status(written);
        for (int i = 0; i < 3; i++) {
            try_finding(written);
            try_availability(written);
            try_coarsening(&all, written);
        }
        free(written);
        free(text);
        free_pools(&all);
    }
    for (int i = 0; i < LAWS; i++)
        if (i != STATUS || getenv("RSET_BIN"))
            law_end(&laws[i]);
    return done_testing();
}
