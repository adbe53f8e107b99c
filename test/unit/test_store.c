/*
 * A store against a document: moves are made on a set in a store, and on one
 * that is written and read again after each of them. What the store says is
 * always what the document says, byte for byte: before it is closed and after,
 * for who writes one operation or many, and of what was when it was marked.
 */
#include <stdlib.h>
#include <string.h>

#include "forest_world.h"
#include "store/store.h"
#include "store_file.h"
#include "store_moves.h"

struct game {
    char *document, *marked;
    int64_t revision;
    double now;
    bool good;
    FILE *log; /* what was done */
    char *text;
    size_t len;
};

/* --- the store ---------------------------------------------------------- */

static void __attribute__((noreturn)) fail(struct diag *d)
{
    char text[512];

    printf("Bail out! %s\n", diag_format(d, text, sizeof(text)));
    exit(1);
}

static const struct store_options options = {
    .fail = fail, .wait = 1, .keep = 10};

/* --- comparing ---------------------------------------------------------- */

static void must(struct game *g, bool good, const char *what)
{
    if (good || !g->good)
        return;
    g->good = false;
    printf("# %s\n", what);
}

/* Where two texts begin to differ, with a little of what comes before. */
static size_t differ(const char *a, const char *b)
{
    size_t i = 0;

    while (a[i] && a[i] == b[i])
        i++;
    return i > 200 ? i - 200 : 0;
}

static void must_say(struct game *g, struct rset *rs, const char *want,
                     const char *what)
{
    char *is = write_set(rs, FORM_AS_READ);
    bool was = g->good;
    size_t at = is ? differ(is, want) : 0;

    must(g, is && !strcmp(is, want), what);
    if (was && !g->good)
        printf("# is %.400s\n# want %.400s\n", is ? is + at : "nothing",
               want + at);
    free(is);
}

static void must_read(struct game *g, enum store_mode mode, const char *want,
                      const char *what)
{
    struct store *s = store_open(store_file, mode, &options);
    struct rset *rs = store_read(s);

    must_say(g, rs, want, what);
    must(g, mode == STORE_MARKED || store_revision(s) == g->revision,
         "operations are miscounted");
    rset_destroy(rs);
    store_close(s);
}

/* --- moves -------------------------------------------------------------- */

/* On the document, and on the set of the store. */
static void play_move(struct game *g, struct rset *rs, const struct move *m)
{
    struct rset *model = read_set(g->document);
    int want = make_move(m, model), is;

    fprintf(g->log, "\n# %s %s %s %s %s %u [%g,%g)%s at %g: %d", m->kind->name,
            m->job, m->shape, m->path, m->word, m->units, m->start, m->end,
            m->earliest ? " earliest" : "", m->now, want);
    is = make_move(m, rs);
    must(g, is == want, "the answer is another");
    free(g->document);
    g->document = write_set(model, FORM_AS_READ);
    rset_destroy(model);
}

static struct move next_move(struct game *g)
{
    struct rset *rs = read_set(g->document);
    struct move m;

    g->now += one_in(3) ? random_below(5) : 0;
    m = random_move(rs, g->now);
    rset_destroy(rs);
    return m;
}

static struct operation operation_of(const struct move *m)
{
    return (struct operation){.time = m->now,
                              .command = m->kind->name,
                              .job = one_in(2) ? m->job : NULL,
                              .facts = m->kind->facts};
}

/* One operation on a store that is opened for it, of which it reads a part. */
static void play_once(struct game *g)
{
    struct move m = next_move(g);
    struct operation op = operation_of(&m);
    struct store *s = store_open(store_file, STORE_WRITE, &options);
    bool pieces = m.kind->pieces && !one_in(4);
    struct rset *rs = pieces ? store_read_pieces(s, m.now, m.earliest)
                             : store_read(s);

    play_move(g, rs, &m);
    if (!pieces && one_in(4))
        must_say(g, rs, g->document, "it is another before the commit");
    store_commit(s, &op);
    g->revision++;
    if (!pieces && one_in(4))
        must_say(g, rs, g->document, "it is another after the commit");
    free(m.path);
    rset_destroy(rs);
    store_close(s);
}

static bool has_job(const struct game *g, const char *job)
{
    struct rset *rs = read_set(g->document);
    bool has = ledger_has(usage_begin(rs), job);

    rset_destroy(rs);
    return has;
}

/* What a move gave a new job is taken back: that could not be answered. */
static void play_undone(struct rset *rs, const struct move *m)
{
    make_move(m, rs);
    ledger_release(rs->usage, m->job);
}

/* Many operations, each by itself or several together. */
static void play_lease(struct game *g)
{
    struct store *s = store_open(store_file, STORE_LEASE, &options);
    struct rset *rs = store_read(s);

    fputs("\n# (", g->log);
    for (int n = (int)random_below(8); n > 0 && g->good; n--) {
        struct move m = next_move(g);
        struct operation op = operation_of(&m);
        if (m.kind->gives && !has_job(g, m.job) && one_in(2)) {
            play_undone(rs, &m);
            fprintf(g->log, "\n# undone %s %s", m.kind->name, m.job);
        } else {
            play_move(g, rs, &m);
            store_record(s, &op);
            g->revision++;
        }
        must_say(g, rs, g->document, "it is another in memory");
        if (one_in(2))
            store_sync(s);
        free(m.path);
    }
    store_sync(s);
    fputs(")", g->log);
    rset_destroy(rs);
    store_close(s);
}

/* Nothing is left of an operation that is not committed. */
static void play_lost(struct game *g)
{
    struct store *s = store_open(store_file, STORE_WRITE, &options);
    struct rset *rs = store_read(s);
    struct move m = next_move(g);

    make_move(&m, rs);
    free(m.path);
    rset_destroy(rs);
    store_close(s);
}

static void play_mark(struct game *g)
{
    struct store *s = store_open(store_file, STORE_MARK, &options);
    struct rset *rs = store_read(s);

    must_say(g, rs, g->document, "it is another for who marks it");
    rset_destroy(rs);
    store_mark(s);
    store_close(s);
    fputs("\n# mark", g->log);
    free(g->marked);
    g->marked = strdup(g->document);
}

static void find_fault(const char *text, void *g)
{
    must(g, false, text);
}

static void check_store(struct game *g)
{
    struct store *s = store_open(store_file, STORE_READ, &options);

    store_check(s, find_fault, g);
    store_close(s);
}

/* --- games -------------------------------------------------------------- */

static bool play(const char *text, long steps)
{
    struct game g = {.now = 1000, .good = true};
    struct rset *rs = read_set(text);

    g.document = write_set(rs, FORM_AS_READ);
    g.marked = strdup(g.document);
    g.log = memory_open(&g.text, &g.len);
    store_create(store_file, rs, &options);
    rset_destroy(rs);
    must_read(&g, STORE_READ, g.document, "it is another when it is new");
    while (steps-- > 0 && g.good) {
        switch (random_below(12)) {
        case 0:
            play_mark(&g);
            break;
        case 1:
            play_lease(&g);
            break;
        case 2:
            play_lost(&g);
            break;
        default:
            play_once(&g);
        }
        must_read(&g, STORE_READ, g.document, "it is another");
        if (one_in(3))
            must_read(&g, STORE_MARKED, g.marked, "what was is another");
    }
    check_store(&g);
    memory_close(g.log);
    if (!g.good)
        printf("# begun with %s\n# then%s\n", text, g.text);
    free(g.text);
    free(g.document);
    free(g.marked);
    store_remove();
    return g.good;
}

static char *random_text(int i)
{
    struct bits b = random_bits(true);
    char *text, *same;

    if (i % 3 == 0) {
        struct pools all = random_forest(true);
        text = json_dumps(all.document, 0);
        free_pools(&all);
    } else {
        text = bits_text(&b, &(struct layout){.graph = i % 3 == 1,
                                              .racks = one_in(2),
                                              .sockets = one_in(2)});
    }
    if (i % 3 == 2 || one_in(2))
        return text;
    same = rewrite(text, one_in(2) ? FORM_RV1 : FORM_JGF_COMPACT);
    if (!same)
        return text;
    free(text);
    return same;
}

int main(void)
{
    enum { GAMES = 24 };
    long steps = random_start(300);

    store_begin();
    for (int i = 0; i < GAMES; i++) {
        char *text = random_text(i);
        ok(play(text, steps / GAMES),
           "game %d: a store says what the document says", i + 1);
        free(text);
    }
    return done_testing();
}
