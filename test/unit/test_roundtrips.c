/*
 * Allocate and release restore the bytes, and a job's R alone restores what the
 * job had, in every form of a document.
 *
 * Each law is tried with every request and every form, on a site with records
 * of other jobs. alloc-roundtrips.bats tests the same laws with the programs.
 */
#include "texts.h"
#include "view/view.h"

/* --- the requests ------------------------------------------------------- */

/*
 * GRAPH: the request needs a graph. SHARES: it only shares resources, and can't
 * be staged or have an end.
 */
enum { GRAPH = 1, SHARES = 2 };

static const struct wanted {
    struct gift gift;
    unsigned kind;
} wanted[] = {
    {{.request = "-N1"}, 0},
    {{.request = "-N2"}, 0},
    {{.request = "-n1"}, 0},
    {{.request = "-n3 -c2"}, 0},
    {{.request = "-n2 -g1"}, 0},
    {{.request = "-N2 -n2 -x"}, 0},
    {{.request = "-N2 -n4 -c2"}, 0},
    {{.request = "-n9"}, 0},
    {{.request = "slot/node/core=2"}, 0},
    {{.request = "node/slot=2/core=2"}, 0},
    {{.request = "slot/node/[core=1;gpu=1]"}, 0},
    {{.request = "slot/socket"}, GRAPH},
    {{.request = "slot/socket/core=1"}, GRAPH},
    {{.request = "rack/slot/core=3"}, GRAPH},
    {{.request = "slot/memory=20"}, GRAPH},
    {{.request = "slot/[core=2;memory=10]"}, GRAPH},
    {{.request = "slot/license=4"}, GRAPH},
    {{.request = "slot/fpga=1"}, GRAPH},
    {{.request = "slot/node/socket/memory=7"}, GRAPH},
    {{.request = "slot/pdu=10"}, GRAPH},
    {{.take = "/cluster0/matlab=3 power:/pdu1=7"}, GRAPH},
    {{.take = "power:/pdu0=400"}, GRAPH},
    {{.take = "/cluster0/rack0/node1=1"}, GRAPH},
    {{.take = "/cluster0/rack1/node2/gpu0=1 /cluster0/rack0/node0/gpu0=1"},
     GRAPH},
    {{.take = "/cluster0/rack0/node0/socket0/memory0=12"}, GRAPH},
    {{.request = "node"}, SHARES},
    {{.request = "core=2"}, SHARES},
    {{.request = "node/[core=2;slot/gpu]"}, SHARES},
    {{.request = "license=2"}, GRAPH | SHARES},
    {{.request = "node/fpga=2"}, GRAPH | SHARES},
    {{.request = "pdu=50"}, GRAPH | SHARES},
};
enum { WANTED = sizeof(wanted) / sizeof(wanted[0]) };

static const char *wanted_text(const struct wanted *w)
{
    return w->gift.request ? w->gift.request : w->gift.take;
}

/* Times: without an end from now on, from now on with an end, from later on. */
static const struct when always,
    timed = {.owner = "bob", .now = 1000, .start = 1000, .end = 1060};
static const struct when later = {.now = 1000, .start = 2000, .end = 2060};
static const struct when locked = {.staged = true};
static const struct when locked_later = {
    .now = 1000, .start = 1500, .end = 1600, .staged = true};
static const struct when then = {
    .now = 1000}; /* with times of an R, at that time */

/* --- the sites ---------------------------------------------------------- */

/*
 * A small site (fixtures/site.json): racks with nodes of two sockets, licences,
 * and power beside containment; one node and one FPGA are exclusive, one node
 * is drained; jobs 90, 92 and "later". With these records and without records,
 * in every form.
 */
static const struct {
    const char *name;
    enum rset_form form;
} forms[] = {{"r", FORM_R},
             {"jgf", FORM_JGF},
             {"jgf-compact", FORM_JGF_COMPACT},
             {"rv1", FORM_RV1},
             {"rv1-compact", FORM_RV1_COMPACT}};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };
static char *busy[FORMS], *idle[FORMS];

static json_t *read_site(void)
{
    const char *dir = getenv("TEST_DIR");
    json_t *site;
    char *name;

    if (asprintf(&name, "%s/fixtures/site.json", dir ? dir : "test") < 0)
        abort();
    site = json_load_file(name, 0, NULL);
    free(name);
    if (!site) {
        puts("Bail out! there is no fixtures/site.json");
        exit(1);
    }
    return site;
}

static void drop_records(json_t *site)
{
    static const char *const keys[] = {"allocations", "reservations", "shared",
                                       "staged"};
    json_t *graph = json_object_get(site, "graph"), *v;
    size_t i;

    json_array_foreach (json_object_get(graph, "nodes"), i, v)
        for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
            json_object_del(json_object_get(v, "metadata"), keys[k]);
}

static void write_forms(const json_t *site, char *texts[FORMS])
{
    char *text = json_dumps(site, JSON_COMPACT);
    struct rset *rs = read_set(text);

    for (int f = 0; f < FORMS; f++)
        texts[f] = write_set(rs, forms[f].form);
    rset_destroy(rs);
    free(text);
}

static void make_sites(void)
{
    json_t *site = read_site();

    write_forms(site, busy);
    drop_records(site);
    write_forms(site, idle);
    json_decref(site);
}

/* --- trying a law ------------------------------------------------------- */

/* A case: the set before and after something was allocated to job 1. */
struct trial {
    struct law *law;
    int form;
    const struct wanted *wanted;
    const struct when *when;
    const char *before, *used;
};

/* Compare texts. Frees `text`. */
static bool equal(const struct trial *t, const char *what, char *text,
                  const char *want)
{
    bool good = text && want && !strcmp(text, want);

    holds(t->law, good, "%s: %s: %s: not what it was\n#   got: %s\n#  want: %s",
          forms[t->form].name, wanted_text(t->wanted), what,
          text ? text : "nothing", want ? want : "nothing");
    free(text);
    return good;
}

static bool is_back(const struct trial *t, const char *what, char *text)
{
    return equal(t, what, text, t->before);
}

static bool is_sound(const struct trial *t, const char *what, const char *text)
{
    const char *broken = text ? broken_rule(text) : "nothing";

    return holds(t->law, !broken, "%s: %s: %s: %s", forms[t->form].name,
                 wanted_text(t->wanted), what, broken);
}

typedef void (*trial_fn)(const struct trial *t);

/* The request must match on the site with other jobs. */
static void try_one(struct trial *t, trial_fn try)
{
    char *used = give(t->before, "1", &t->wanted->gift, t->when);

    t->used = used;
    if (holds(t->law, used != NULL, "%s: %s: not granted", forms[t->form].name,
              wanted_text(t->wanted)))
        try(t);
    free(used);
}

/* Try every form, and every request but those of a kind. */
static void try_all(struct law *law, const struct when *when, unsigned without,
                    trial_fn try)
{
    for (int f = 0; f < FORMS; f++) {
        unsigned not_of = without | (forms[f].form == FORM_R ? GRAPH : 0);
        for (int w = 0; w < WANTED; w++) {
            struct trial t = {law, f, &wanted[w], when, busy[f], NULL};
            if (!(wanted[w].kind & not_of))
                try_one(&t, try);
        }
    }
}

/* --- allocate and release ----------------------------------------------- */

static void released(const struct trial *t)
{
    is_sound(t, "allocate", t->used);
    is_back(t, "release", settle(t->used, "1", ledger_release));
}

static void test_released(void)
{
    struct law law = {.name = "allocate and release: the bytes come back"};

    try_all(&law, &always, 0, released);
    try_all(&law, &timed, SHARES, released);
    try_all(&law, &later, SHARES, released);
    law_end(&law);
}

static void staged(const struct trial *t)
{
    char *committed = settle(t->used, "1", ledger_commit);

    is_back(t, "abort", settle(t->used, "1", ledger_abort));
    if (is_sound(t, "commit", committed))
        is_back(t, "commit and release",
                settle(committed, "1", ledger_release));
    free(committed);
}

static void test_staged(void)
{
    struct law law = {
        .name =
            "stage and abort, stage, commit and release: the bytes come back"};

    try_all(&law, &locked, SHARES, staged);
    try_all(&law, &locked_later, SHARES, staged);
    law_end(&law);
}

/* --- in parts ----------------------------------------------------------- */

/* Release the rest of job 1, if there is any. Frees `part`. */
static void rest_is_back(const struct trial *t, const char *what, char *part)
{
    char *rest;

    if (!part)
        return;
    is_sound(t, what, part);
    rest = settle(part, "1", ledger_release);
    is_back(t, what, rest ? rest : strdup(part));
    free(part);
}

static void in_parts(const struct trial *t)
{
    static const char *const ranks[] = {"0", "1", "2,4"};
    char *R = allocated(t->used, "1", false, FORM_AS_READ);

    is_back(t, "release --R", give_back_R(t->used, "1", R));
    free(R);
    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
        rest_is_back(t, "release --targets",
                     give_back_targets(t->used, "1", ranks[i]));
}

static void test_in_parts(void)
{
    struct law law = {.name = "release in two parts: the bytes come back"};

    try_all(&law, &always, 0, in_parts);
    law_end(&law);
}

/* Grow by resources that another job could have had. */
static void grown_by(const struct trial *t, const char *request)
{
    const struct gift more = {.request = request};
    char *other = give(t->used, "2", &more, &always);
    char *R = other ? allocated(other, "2", false, FORM_AS_READ) : NULL;
    const struct gift same = {.R = R};
    char *grown;

    if (!R)
        return;
    grown = give(t->used, "1", &same, &always);
    if (is_sound(t, request, grown)) {
        is_back(t, "grow and release", settle(grown, "1", ledger_release));
        equal(t, "grow and shrink", give_back_R(grown, "1", R), t->used);
    }
    free(grown);
    free(other);
    free(R);
}

static void grown(const struct trial *t)
{
    grown_by(t, "-n1");
    grown_by(t, "-n2 -c2");
    grown_by(t, "-N1");
}

/* Shared resources are not listed again if the job comes to hold them. */
static void test_grown(void)
{
    struct law law = {.name = "grow and shrink: the bytes come back"};

    try_all(&law, &always, SHARES, grown);
    law_end(&law);
}

/* --- a job's R ---------------------------------------------------------- */

/* Recording it again restores the ledger. */
static void restores(const struct trial *t, enum rset_form form)
{
    char *R = allocated(t->used, "1", false, form);
    const struct gift same = {.R = R};

    equal(t, "its R", R ? give(t->before, "1", &same, &then) : NULL, t->used);
    free(R);
}

/* In forms that hold all of it: only a graph has sockets. */
static void restored(const struct trial *t)
{
    restores(t, FORM_AS_READ);
    restores(t, FORM_RV1_COMPACT);
    restores(t, FORM_JGF);
}

/* A bare graph has no times. */
static void restored_with_times(const struct trial *t)
{
    bool graph = forms[t->form].form == FORM_JGF
                 || forms[t->form].form == FORM_JGF_COMPACT;

    restores(t, FORM_RV1);
    if (!graph)
        restores(t, FORM_AS_READ);
}

static void test_restored(void)
{
    const struct when no_owner = {.now = 1000, .start = 1000, .end = 1060};
    struct law law = {.name = "a job's R alone restores the ledger"};

    try_all(&law, &always, 0, restored);
    try_all(&law, &no_owner, SHARES, restored_with_times);
    try_all(&law, &later, SHARES, restored_with_times);
    law_end(&law);
}

/* The part of a graph that an R can name. */
static void restored_plainly(const struct trial *t)
{
    const struct when now = {.now = 5, .start = 5, .end = 14};
    const struct when at = {.now = 5};
    const struct when *when = t->wanted->kind & SHARES ? &at : &now;
    char *used = give(idle[t->form], "1", &t->wanted->gift, when);
    char *R = used ? allocated(used, "1", false, FORM_R) : NULL;
    const struct gift same = {.R = R};

    if (R)
        equal(t, "its R", give(idle[t->form], "1", &same, &at), used);
    free(R);
    free(used);
}

static void test_restored_plainly(void)
{
    static const char *const requests[] = {
        "-N1",  "-N2 -n2 -x", "-n3 -c2",          "-n2 -g1",
        "node", "core=2",     "slot/node/core=2", "node/[core=2;slot/gpu]"};
    struct law law = {
        .name = "a plain R alone restores what it can name in a graph"};

    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        const struct wanted w = {{.request = requests[i]}, 0};
        struct trial t = {.law = &law, .form = 3, .wanted = &w};
        restored_plainly(&t);
    }
    law_end(&law);
}

static char *tree_of(const char *text)
{
    struct rset *rs = read_set(text);
    char *tree = NULL;
    size_t len;
    FILE *fp = open_memstream(&tree, &len);

    view_tree(rs, &(struct view){0}, fp);
    fclose(fp);
    rset_destroy(rs);
    return tree;
}

/* It does not distinguish listed resources, but has all blocked ones. */
static void held(const struct trial *t)
{
    char *R = allocated(t->used, "1", true, FORM_AS_READ);
    const struct gift same = {.R = R};
    char *again = give(t->before, "1", &same, &always), *want;

    if (is_sound(t, "all that it holds", again)) {
        equal(t, "--held", allocated(again, "1", true, FORM_AS_READ), R);
        want = available(t->used, 0);
        equal(t, "available", available(again, 0), want);
        free(want);
        want = tree_of(t->used);
        equal(t, "tree", tree_of(again), want);
        free(want);
    }
    free(again);
    free(R);
}

static void test_held(void)
{
    struct law law = {
        .name = "a job's R with all that it holds blocks the same resources"};

    try_all(&law, &always, 0, held);
    law_end(&law);
}

/* --- many jobs ---------------------------------------------------------- */

/* The site full of jobs, and their Rs, in order of arrival. */
struct full {
    const char *start;
    char *text;
    int n;
    char job[WANTED][12];
    char *R[WANTED];
};

static void add_job(struct full *f, const struct wanted *w, int number,
                    enum rset_form R)
{
    static const struct when ends = {.now = 1000, .start = 1000, .end = 1100};
    static const struct when begins = {.now = 1000, .start = 1500, .end = 1600};
    const struct when *when = number % 3 == 0   ? &begins
                              : number % 3 == 1 ? &then
                                                : &ends;
    char *next;

    if (w->kind & SHARES && when != &then)
        return;
    snprintf(f->job[f->n], sizeof(f->job[0]), "%d", number);
    next = give(f->text, f->job[f->n], &w->gift, when);
    if (!next)
        return;
    free(f->text);
    f->text = next;
    f->R[f->n] = allocated(next, f->job[f->n], false, R);
    f->n++;
}

/* Allocate to jobs of all kinds, one after the other. */
static struct full fill(int form, enum rset_form R, bool upward)
{
    struct full f = {.start = idle[form], .text = strdup(idle[form])};
    int number = 0;

    for (int i = 0; i < WANTED; i++) {
        const struct wanted *w = &wanted[upward ? i : WANTED - 1 - i];
        if (forms[form].form != FORM_R || !(w->kind & GRAPH))
            add_job(&f, w, ++number, R);
    }
    return f;
}

static void full_fini(struct full *f)
{
    for (int i = 0; i < f->n; i++)
        free(f->R[i]);
    free(f->text);
}

/* Restore the whole document from the inventory and the Rs. */
static char *restore_all(const struct full *f)
{
    char *text = strdup(f->start);

    for (int i = 0; i < f->n && text; i++) {
        const struct gift R = {.R = f->R[i]};
        char *next = give(text, f->job[i], &R, &then);
        free(text);
        text = next;
    }
    return text;
}

static void test_full(void)
{
    static const enum rset_form written[] = {FORM_RV1, FORM_RV1_COMPACT};
    struct law law = {
        .name = "many jobs: the inventory and their Rs restore the document"};

    for (int form = 0; form < FORMS; form++)
        for (int i = 0; i < 4; i++) {
            struct full f = fill(form, written[i / 2], i % 2);
            char *again = restore_all(&f);
            holds(&law, f.n >= 4, "%s: only %d jobs", forms[form].name, f.n);
            holds(&law, again && !strcmp(again, f.text), "%s: %s, not %s",
                  forms[form].name, again ? again : "nothing", f.text);
            free(again);
            full_fini(&f);
        }
    law_end(&law);
}

/* The i-th of n: first to last, last to first, every other one and then the
   rest. */
static int in_order(int order, int i, int n)
{
    int half = (n + 1) / 2;

    if (order < 2)
        return order == 0 ? i : n - 1 - i;
    return i < half ? 2 * i : 2 * (i - half) + 1;
}

static char *release_all(const struct full *f, int order)
{
    char *text = strdup(f->text);

    for (int i = 0; i < f->n && text; i++) {
        int which = in_order(order, i, f->n);
        char *next = settle(text, f->job[which], ledger_release);
        free(text);
        text = next;
    }
    return text;
}

static void test_emptied(void)
{
    struct law law = {
        .name = "many jobs: released in any order, nothing is left"};

    for (int form = 0; form < FORMS; form++) {
        struct full f = fill(form, FORM_RV1, false);
        for (int order = 0; order < 3; order++) {
            char *left = release_all(&f, order);
            holds(&law, left && !strcmp(left, f.start), "%s: left %s",
                  forms[form].name, left);
            free(left);
        }
        full_fini(&f);
    }
    law_end(&law);
}

int main(void)
{
    make_sites();
    test_released();
    test_staged();
    test_in_parts();
    test_grown();
    test_restored();
    test_restored_plainly();
    test_held();
    test_full();
    test_emptied();
    for (int f = 0; f < FORMS; f++) {
        free(busy[f]);
        free(idle[f]);
    }
    return done_testing();
}
