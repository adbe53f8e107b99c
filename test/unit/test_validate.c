/*
 * Validation. test/faults has a document for each case, NAME.json, and the
 * expected output of `rset-match --validate --strict` in NAME.faults, without
 * the name of the file and without the two rules that nearly all short
 * documents break. To add a case, add these two files.
 *
 * For each case, and for thousands of documents with random changes, the reader
 * refuses a document exactly if it has a fault of the level FAULT_REFUSED.
 */
#include <glob.h>
#include <time.h>

#include "../fuzz/mutate_json.h"
#include "model/document/document.h"
#include "random.h"
#include "tap.h"

enum { CASES_MAX = 500 };

static struct {
    const char *name; /* name of the file */
    char *text, *faults;
} cases[CASES_MAX];
static size_t ncases;

static char *read_file(const char *name)
{
    FILE *fp = fopen(name, "r");
    char *text = NULL;
    size_t size = 0;

    if (!fp || getdelim(&text, &size, '\0', fp) < 0) {
        free(text);
        text = fp ? strdup("") : NULL;
    }
    if (fp)
        fclose(fp);
    return text;
}

static const char *test_file(const char *name)
{
    static char path[4096];
    const char *dir = getenv("TEST_DIR");

    snprintf(path, sizeof(path), "%s/%s", dir ? dir : "test", name);
    return path;
}

static void read_cases(void)
{
    static glob_t found;
    char name[4096];

    glob(test_file("faults/*.json"), 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc && i < CASES_MAX; i++) {
        const char *file = found.gl_pathv[i];
        snprintf(name, sizeof(name), "%.*s.faults", (int)strlen(file) - 5,
                 file);
        cases[i].name = strrchr(file, '/') + 1;
        cases[i].text = read_file(file);
        cases[i].faults = read_file(name);
        ncases++;
    }
}

/* --- the law ------------------------------------------------------------- */

static bool reader_refuses(const char *text, struct diag *d)
{
    struct stream *s = stream_open_text(text, strlen(text), "test");
    struct rset *rs = NULL;
    int rc = rset_read(s, TRUST_NONE, &rs, d);

    rset_destroy(rs);
    stream_close(s);
    return rc != 1;
}

static int validate(const char *text, struct faults *faults)
{
    struct diag d = {0};
    struct stream *s = stream_open_text(text, strlen(text), "test");
    int rc = rset_validate(s, TRUST_NONE, faults, &d);

    stream_close(s);
    return rc;
}

static size_t count_faults(const struct faults *faults, enum fault_level level)
{
    size_t n = 0;

    for (size_t i = 0; i < faults->n; i++)
        n += faults->list[i].level == level;
    return n;
}

static bool law_holds(const char *text)
{
    struct faults faults = {0};
    struct diag d = {0};
    bool refused = reader_refuses(text, &d);
    bool holds = validate(text, &faults) == 1
                 && refused == (count_faults(&faults, FAULT_REFUSED) > 0);

    if (!holds) {
        printf("# %.6000s\n# the reader: %s\n", text,
               refused ? diag_line(&d).text : "takes it");
        for (size_t i = 0; i < faults.n; i++)
            printf("# %s [%s]\n", faults.list[i].text,
                   faults.list[i].rule->name);
    }
    faults_fini(&faults);
    return holds;
}

/* --- the cases ----------------------------------------------------------- */

/* Parts that only exchange forms leave out do not matter here. */
static bool of_interest(const struct fault *f)
{
    return strcmp(f->rule->name, "vertex-key-missing")
           && strcmp(f->rule->name, "edge-metadata");
}

static char *faults_text(const struct faults *faults)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (size_t i = 0; i < faults->n; i++) {
        const struct fault *f = &faults->list[i];
        if (of_interest(f))
            fprintf(fp, "%s%s%s [%s]\n", f->where, *f->where ? ": " : "",
                    f->text, f->rule->name);
    }
    fclose(fp);
    return text;
}

static void test_cases(void)
{
    ok(ncases > 80, "there are %zu cases", ncases);
    for (size_t i = 0; i < ncases; i++) {
        struct faults faults = {.strict = true};
        char *text;
        validate(cases[i].text, &faults);
        text = faults_text(&faults);
        is(text, cases[i].faults, "%s", cases[i].name);
        ok(law_holds(cases[i].text), "%s: and so says the reader",
           cases[i].name);
        free(text);
        faults_fini(&faults);
    }
}

/* --- the rules ----------------------------------------------------------- */

static void test_rules(void)
{
    size_t n;
    const struct fault_rule *rules = fault_rules(&n);
    int good = 1, unique = 1;

    for (size_t i = 0; i < n; i++) {
        good &= rules[i].name != NULL;
        for (size_t j = 0; j < i && good; j++)
            unique &= strcmp(rules[i].name, rules[j].name) != 0;
    }
    ok(n > 50 && good, "all of the %zu rules have names", n);
    ok(unique, "their names are unique");
    ok(!strcmp(fault_level_names[FAULT_STRICT], "strict"), "levels have names");
}

/* Each rule is broken by some case, except for those that are tried below. */
static void test_covered(void)
{
    size_t n, missing = 0;
    const struct fault_rule *rules = fault_rules(&n);

    for (size_t i = 0; i < n; i++) {
        char word[64];
        size_t j = 0;
        snprintf(word, sizeof(word), " [%s]\n", rules[i].name);
        while (j < ncases && !strstr(cases[j].faults, word))
            j++;
        if (j == ncases && strcmp(rules[i].name, "depth")
            && strcmp(rules[i].name, "vertex-key-missing")
            && strcmp(rules[i].name, "edge-metadata")
            && strcmp(rules[i].name, "waiting")) {
            printf("# no case breaks %s\n", rules[i].name);
            missing++;
        }
    }
    ok(missing == 0, "the cases break all rules");
}

static void test_levels(void)
{
    const char *text = "{\"version\":1,\"execution\":{\"R_lite\":[],"
                       "\"nslots\":1,\"starttime\":0}}";
    struct faults faults = {0};

    ok(validate(text, &faults) == 1 && faults.n == 1,
       "strict faults are not gathered if nobody asks");
    ok(count_faults(&faults, FAULT_WARNED) == 1
           && count_faults(&faults, FAULT_REFUSED) == 0,
       "faults have levels");
    faults_fini(&faults);
    ok(faults.n == 0, "an empty list is left");
    text = "{\"graph\":{\"nodes\":[{\"id\":\"a\",\"metadata\":"
           "{\"type\":\"node\",\"allocations\":[{\"job\":7}]}}]}}";
    ok(validate(text, &faults) == 1 && faults.jobs, "it has jobs");
    faults_fini(&faults);
}

/* rset-documents(5) has a row for each rule, in the same order, with its
   standard and its text. */
static void test_manual(void)
{
    FILE *fp = fopen(test_file("../man/rset-documents.5"), "r");
    const struct fault_rule *rules;
    char line[1024], want[1024];
    size_t n, n_want, at = 0;

    rules = fault_rules(&n);
    if (!fp) {
        ok(1, "the manual has the rules # skip it is not here");
        return;
    }
    while (fgets(line, sizeof(line), fp) && at < n) {
        line[strcspn(line, "\n")] = '\0';
        n_want = (size_t)snprintf(want, sizeof(want), ".It %s Ta %s Ta ",
                                  rules[at].name,
                                  fault_level_names[rules[at].level]);
        at += !strncmp(line, want, n_want) && strstr(line + n_want, " Ta ");
    }
    fclose(fp);
    ok(at == n, "the manual has all %zu rules, %s", n,
       at < n ? rules[at].name : "in order");
}

/* --- scale --------------------------------------------------------------- */

/* A chain, each vertex in the one before, or all in the first. */
static char *big_graph(size_t n, bool chain, bool edges)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    fputs("{\"graph\":{\"nodes\":[", fp);
    for (size_t i = 0; i < n; i++)
        fprintf(fp,
                "%s{\"id\":\"%zu\",\"metadata\":{\"type\":\"core\","
                "\"id\":%zu,\"allocations\":[{\"job\":%zu}]}}",
                i ? "," : "", i, i, i % 1000);
    fputs("],\"edges\":[", fp);
    for (size_t i = 1; edges && i < n; i++)
        fprintf(fp, "%s{\"source\":\"%zu\",\"target\":\"%zu\"}",
                i > 1 ? "," : "", chain ? i - 1 : 0, i);
    fputs("]}}", fp);
    fclose(fp);
    return text;
}

static size_t count_rule(const struct faults *faults, const char *rule)
{
    size_t n = 0;

    for (size_t i = 0; i < faults->n; i++)
        n += !strcmp(faults->list[i].rule->name, rule);
    return n;
}

static void check_big(bool chain, bool edges, size_t n, const char *rule,
                      size_t least, size_t most)
{
    char *text = big_graph(n, chain, edges);
    struct faults faults = {0};
    clock_t start = clock();
    size_t count;

    validate(text, &faults);
    count = count_rule(&faults, rule);
    ok(count >= least && count <= most, "%zu vertices: %zu times %s", n, count,
       rule);
    printf("# %.2f s\n", (double)(clock() - start) / CLOCKS_PER_SEC);
    faults_fini(&faults);
    free(text);
}

static void test_scale(void)
{
    enum { N = 100000 };

    check_big(false, true, N, "record-below-exclusive", N / 2, N);
    check_big(true, true, N, "depth", 1, 1);
    check_big(false, false, N, "two-roots", N - 1, N - 1);
}

/* --- random changes ------------------------------------------------------ */

static json_t *random_case(void)
{
    return json_loads(cases[random_below((uint32_t)ncases)].text,
                      JSON_DECODE_ANY, NULL);
}

static void change(json_t *doc, const json_t *other)
{
    struct mutate_spot at = {0}, from = {0};
    unsigned seed = random_below(1U << 30);

    mutate_pick(&at, (struct mutate_spot){.value = doc}, 0, &seed);
    mutate_pick(&from, (struct mutate_spot){.value = (json_t *)other}, 0,
                &seed);
    if (at.holder)
        mutate_tree(&at, &from, &seed);
}

static void test_changes(void)
{
    long rounds = random_start(15000), broken = 0, refused = 0;

    for (long i = 0; i < rounds && broken < 5; i++) {
        json_t *doc = random_case(), *other = random_case();
        struct diag d = {0};
        char *text;
        for (uint32_t n = 1 + random_below(2); n > 0; n--)
            change(doc, other);
        text = json_dumps(doc, JSON_COMPACT | JSON_ENCODE_ANY);
        broken += !law_holds(text);
        refused += reader_refuses(text, &d);
        free(text);
        json_decref(doc);
        json_decref(other);
    }
    ok(broken == 0, "%ld changed documents, %ld of them refused", rounds,
       refused);
}

int main(void)
{
    read_cases();
    test_rules();
    test_cases();
    test_covered();
    test_levels();
    test_manual();
    test_scale();
    test_changes();
    return done_testing();
}
