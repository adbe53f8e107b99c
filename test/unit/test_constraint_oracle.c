/*
 * Random constraints on random sets: the library, which works on runs, is
 * compared with a reading of the same JSON rank by rank, and the text of a
 * constraint with its JSON.
 */
#include <stdlib.h>

#include "request/constraint.h"
#include "sets.h"
#include "constraint_text.h"

enum { ALL = (1 << RANKS) - 1, NAMES = 6, DEPTH = 4 };

/* The last is also the name of a host. */
static const char *const names[NAMES] = {"a",       "b",   "k=v",
                                         "amd@gpu", "k=w", "n3"};

/* The ranks that exist, with host and properties of each. */
struct cluster {
    unsigned there;
    int host[RANKS]; /* n0, n1, ... */
    unsigned have[NAMES];
};

static struct cluster random_cluster(void)
{
    struct cluster c = {.there = random_below(ALL + 1)};
    bool twins = one_in(3);

    for (int r = 0; r < RANKS; r++)
        c.host[r] = twins ? r / 2 : one_in(2) ? r : RANKS - r;
    for (int i = 0; i < NAMES; i++)
        c.have[i] = one_in(4) ? 0 : random_below(ALL + 1) & c.there;
    return c;
}

/* --- as an R ------------------------------------------------------------ */

/* Some of the ranks have two cores, so that there are several runs. */
static void put_lite(FILE *fp, unsigned there)
{
    unsigned large = random_below(ALL + 1) & there, small = there & ~large;

    if (large) {
        fputs("{\"rank\":\"", fp);
        put_ids(fp, large);
        fputs("\",\"children\":{\"core\":\"0-1\"}}", fp);
    }
    if (small) {
        fputs(large ? ",{\"rank\":\"" : "{\"rank\":\"", fp);
        put_ids(fp, small);
        fputs("\",\"children\":{\"core\":\"0\"}}", fp);
    }
}

static char *cluster_r(const struct cluster *c)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);
    const char *sep = "";

    fputs("{\"version\":1,\"execution\":{\"R_lite\":[", fp);
    put_lite(fp, c->there);
    fputs("],\"nodelist\":[", fp);
    for (int r = 0; r < RANKS; r++)
        if (c->there >> r & 1) {
            fprintf(fp, "%s\"n%d\"", sep, c->host[r]);
            sep = ",";
        }
    fputs("],\"properties\":{", fp);
    for (int i = 0; i < NAMES; i++) {
        fprintf(fp, "%s\"%s\":\"", i ? "," : "", names[i]);
        put_ids(fp, c->have[i]);
        fputs("\"", fp);
    }
    fputs("}}}", fp);
    fclose(fp);
    return text;
}

/* --- random constraints ------------------------------------------------- */

/* Ids that exist, and a few others. */
static char *random_ids(const char *before, const char *after)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    fputs(before, fp);
    put_ids(fp, 1U + random_below(1U << (1 + random_below(RANKS + 2))));
    fputs(after, fp);
    fclose(fp);
    return text;
}

static json_t *random_value(unsigned op)
{
    static const char *const more[] = {"k", "none", "n5"};
    const char *name;
    char text[16], *ids;
    json_t *value;

    if (op == 0) {
        name = one_in(4) ? more[random_below(3)] : names[random_below(NAMES)];
        snprintf(text, sizeof(text), "%s%s", one_in(3) ? "^" : "", name);
        return json_string(text);
    }
    ids = op == 1 ? random_ids("x,n[", "]") : random_ids("", "");
    value = json_string(ids);
    free(ids);
    return value;
}

/* With `plain` only what the text form can express. */
static json_t *random_constraint(int depth, bool plain)
{
    static const char *const ops[] = {"properties", "hostlist", "ranks",
                                      "and",        "or",       "not"};
    unsigned op = random_below(depth > 0 ? 6 : 3);
    unsigned n = random_below(4);
    json_t *array;

    if (plain)
        n = op == 0 || op == 3 || op == 4 ? n + 1 : 1;
    else if (one_in(20))
        return json_object();
    array = json_array();
    for (unsigned i = 0; i < n; i++)
        json_array_append_new(array, op < 3
                                         ? random_value(op)
                                         : random_constraint(depth - 1, plain));
    return json_pack("{s:o}", ops[op], array);
}

/* --- reading it naively ------------------------------------------------- */

static bool has_property(const struct cluster *c, int rank, const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (c->have[i] >> rank & 1
            && (!strcmp(names[i], name)
                || (!strcmp(name, "k") && names[i][0] == 'k')))
            return true;
    return false;
}

static bool value_holds(const struct cluster *c, int rank, const char *op,
                        const char *value)
{
    char ids[64];

    if (!strcmp(op, "ranks"))
        return parse_ids(value) >> rank & 1;
    if (!strcmp(op, "hostlist")) {
        sscanf(value, "x,n[%63[0-9,-]", ids);
        return parse_ids(ids) >> c->host[rank] & 1;
    }
    return *value == '^' ? !has_property(c, rank, value + 1)
                         : has_property(c, rank, value);
}

static bool is_true(const struct cluster *c, int rank, json_t *object)
{
    void *it = json_object_iter(object);
    const char *op = it ? json_object_iter_key(it) : "and";
    json_t *array = it ? json_object_iter_value(it) : NULL, *value;
    size_t i, n = json_array_size(array), good = 0;

    json_array_foreach (array, i, value)
        good += json_is_string(value)
                    ? value_holds(c, rank, op, json_string_value(value))
                    : is_true(c, rank, value);
    if (!strcmp(op, "or"))
        return good > 0 || n == 0;
    if (!strcmp(op, "not"))
        return good < n;
    if (!strcmp(op, "hostlist") || !strcmp(op, "ranks"))
        return good > 0;
    return good == n;
}

static unsigned holds_for(const struct cluster *c, json_t *object)
{
    unsigned ranks = 0;

    for (int r = 0; r < RANKS; r++)
        if (c->there >> r & 1 && is_true(c, r, object))
            ranks |= 1U << r;
    return ranks;
}

/* --- writing it as text ------------------------------------------------- */

static const char *pick(const char *const *words, unsigned n)
{
    return words[random_below(n)];
}

static void put_strings(FILE *fp, const char *op, const json_t *array)
{
    static const char *const quotes[] = {"", "'", "\""};
    static const char *const none[] = {"", "properties:"};
    static const char *const host[] = {"host:", "hosts:", "hostlist:"};
    static const char *const rank[] = {"rank:", "ranks:"};
    const char *quote_ = pick(quotes, 3);
    json_t *value;
    size_t i;

    fprintf(fp, "%s%s",
            *op == 'p'   ? pick(none, 2)
            : *op == 'h' ? pick(host, 3)
                         : pick(rank, 2),
            quote_);
    json_array_foreach (array, i, value)
        fprintf(fp, "%s%s", i ? "," : "", json_string_value(value));
    fputs(quote_, fp);
}

/*
 * Write a constraint, with parentheses if it binds less than `bind`: 0 for or,
 * 1 for and, 2 for not and terms.
 */
static void put_text(FILE *fp, json_t *object, int bind)
{
    static const char *const ors[] = {" or ", "|", "||", " |"};
    static const char *const ands[] = {" and ", "&", "&& ", " & "};
    const char *op = json_object_iter_key(json_object_iter(object));
    json_t *array = json_object_get(object, op), *value;
    int mine = *op == 'o' ? 0 : *op == 'a' ? 1 : 2;
    bool leaf = json_is_string(json_array_get(array, 0));
    size_t i;

    if (mine < bind || one_in(6))
        fputs("(", fp);
    else
        bind = -1;
    if (leaf) {
        put_strings(fp, op, array);
    } else {
        json_array_foreach (array, i, value) {
            fputs(mine == 2 ? "not " : "", fp);
            fputs(i ? pick(mine ? ands : ors, 4) : "", fp);
            put_text(fp, value, mine + (mine < 2));
        }
    }
    if (bind >= 0)
        fputs(")", fp);
}

static char *text_of(json_t *object)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    put_text(fp, object, 0);
    fclose(fp);
    return text;
}

/* --- the laws ----------------------------------------------------------- */

static unsigned library_says(const struct rset *rs, const struct constraint *c)
{
    struct idset *ranks = constraint_ranks(c, rs);
    char *text = idset_encode(ranks);
    unsigned ids = parse_ids(text);

    free(text);
    idset_destroy(ranks);
    return ids;
}

static void show(const char *what, json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT);

    printf("#   %s: %s\n", what, text);
    free(text);
}

/* Check the ranks that it holds for, also of its normal form, which is read
   back unchanged. */
static bool check_object(const struct cluster *c, const struct rset *rs,
                         json_t *object)
{
    struct diag d = {0};
    struct constraint *con = constraint_from_json(object, &d), *again;
    json_t *normal = con ? constraint_json(con) : NULL, *normal2;
    unsigned want = holds_for(c, object), got;
    bool good;

    if (!con) {
        printf("#   %s: %s\n", d.where, d.text);
        return false;
    }
    got = library_says(rs, con);
    again = constraint_from_json(normal, &d);
    normal2 = again ? constraint_json(again) : NULL;
    good = got == want && holds_for(c, normal) == want
           && json_equal(normal, normal2);
    if (!good) {
        show("normal", normal);
        printf("#   got %x, want %x\n", got, want);
    }
    json_decref(normal);
    json_decref(normal2);
    constraint_destroy(con);
    constraint_destroy(again);
    return good;
}

/* Check that the text of a constraint is read as the same constraint. */
static bool check_text(json_t *object)
{
    struct diag d = {0};
    char *text = text_of(object);
    struct constraint *a = constraint_from_json(object, &d);
    struct constraint *b = constraint_from_requires(text, &d);
    json_t *x = a ? constraint_json(a) : NULL, *y = b ? constraint_json(b) : x;
    bool good = b && json_equal(x, y);

    if (!good) {
        printf("#   text: %s\n#   %s: %s\n", text, d.where, d.text);
        show("read as", y);
    }
    json_decref(x);
    if (b)
        json_decref(y);
    free(text);
    constraint_destroy(a);
    constraint_destroy(b);
    return good;
}

/* Try several constraints on each cluster. */
static bool round_of(bool plain)
{
    struct cluster c = random_cluster();
    char *text = cluster_r(&c);
    struct rset *rs = read_set(text);
    bool good = true;

    for (int i = 0; good && i < 8; i++) {
        json_t *object = random_constraint(DEPTH, plain);

        good = check_object(&c, rs, object) && (!plain || check_text(object));
        if (!good) {
            show("constraint", object);
            printf("#   of: %s\n", text);
        }
        json_decref(object);
    }
    free(text);
    rset_destroy(rs);
    return good;
}

int main(void)
{
    long rounds = random_start(2000);
    bool any = true, plain = true;

    for (long i = 0; i < rounds && any; i++)
        any = round_of(false);
    for (long i = 0; i < rounds && plain; i++)
        plain = round_of(true);
    ok(any, "%ld clusters: objects hold for the ranks they name", rounds);
    ok(plain, "%ld clusters: texts are their objects", rounds);
    return done_testing();
}
