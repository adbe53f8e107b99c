/*
 * The translator against naive schedulers: three of them hear the same random
 * responses, the first as they are, the second in the other edition, and the
 * third translated back. After each line all of them believe the same.
 *
 * Responses are of several streams, one of them payloads alone. Those of the
 * seed's edition, which says one thing at a time, come back as they were.
 */
#include "protocol/translate.h"
#include "sets.h"

enum { STREAMS = 3, HOPS = 2, LISTENERS = HOPS + 1 };

/* What a scheduler believes of a stream. */
struct belief {
    struct bits bits;
    unsigned up;
};

struct side {
    struct translator *translator;
    FILE *fp;
    char *text;
    size_t len;
};

struct game {
    struct law *law;
    bool seed; /* what is said at first is of that edition */
    struct side sides[HOPS];
    struct belief beliefs[LISTENERS][STREAMS];
    bool grown[STREAMS];
    bool shrunk; /* it was told what is lost with that */
    char *said;  /* the line at hand */
};

static long nlogged;

static void count_log(const char *text)
{
    nlogged += !strncmp(text, "warning: lost: ", 15);
}

/* --- listening ----------------------------------------------------------- */

static unsigned known(const struct belief *b)
{
    unsigned ranks = 0;

    for (int r = 0; r < RANKS; r++)
        ranks |= b->bits.node[r].there ? 1U << r : 0;
    return ranks;
}

static unsigned ids_at(const json_t *payload, const char *key)
{
    const char *text = json_string_value(json_object_get(payload, key));

    return text ? parse_ids(text) : 0;
}

static bool listen_grow(struct belief *b, const json_t *payload)
{
    char *text = json_dumps(json_object_get(payload, "resources"), 0);

    if (!text || known(b))
        return false;
    b->bits = bits_of(text);
    free(text);
    return true;
}

static void lose(struct belief *b, unsigned ranks)
{
    for (int r = 0; r < RANKS; r++)
        if (ranks >> r & 1)
            b->bits.node[r] = (struct bits_node){0};
    b->up &= ~ranks;
}

static bool listen_seed(struct belief *b, const json_t *payload)
{
    const char *type = json_string_value(json_object_get(payload, "type"));
    unsigned targets = ids_at(payload, "targets"),
             online = ids_at(payload, "online");

    if (!type)
        return false;
    if (!strcmp(type, "grow")) {
        b->up = online;
        return listen_grow(b, payload)
               && (online ^ ids_at(payload, "offline")) == known(b);
    }
    if (!strcmp(type, "online"))
        b->up |= targets & known(b);
    else if (!strcmp(type, "offline"))
        b->up &= ~targets;
    else if (!strcmp(type, "shrink"))
        lose(b, targets);
    else
        return false;
    return json_object_size(payload) == 2 && targets;
}

/* Down beats up, and shrink both. */
static bool listen_current(struct belief *b, const json_t *payload)
{
    bool good = !json_object_get(payload, "type");

    if (json_object_get(payload, "resources"))
        good = good && listen_grow(b, payload);
    b->up |= ids_at(payload, "up") & known(b);
    b->up &= ~ids_at(payload, "down");
    lose(b, ids_at(payload, "shrink"));
    return good;
}

static bool listen(struct belief *streams, bool seed, const char *line,
                   size_t len)
{
    json_t *json = json_loadb(line, len, 0, NULL);
    const json_t *tag = json_object_get(json, "matchtag"),
                 *payload = tag ? json_object_get(json, "payload") : json;
    struct belief *b = &streams[json_integer_value(tag)];
    bool good = !tag
                || !strcmp(json_string_value(json_object_get(json, "topic")),
                           "resource.acquire");

    if (json_object_get(json, "errnum") || json_object_get(json, "flags"))
        *b = (struct belief){0};
    else
        good = good && payload
               && (seed ? listen_seed : listen_current)(b, payload);
    json_decref(json);
    return good;
}

/* Each line of a text; false: one is not as it should. */
static bool listen_all(struct belief *streams, bool seed, const char *text)
{
    const char *end;
    bool good = true;

    for (; (end = strchr(text, '\n')); text = end + 1)
        good = listen(streams, seed, text, (size_t)(end - text)) && good;
    return good && !*text;
}

static bool believe_same(const struct game *g)
{
    for (int i = 1; i < LISTENERS; i++)
        for (int k = 0; k < STREAMS; k++)
            if (!bits_equal(&g->beliefs[0][k].bits, &g->beliefs[i][k].bits,
                            false)
                || g->beliefs[0][k].up != g->beliefs[i][k].up)
                return false;
    return true;
}

/* --- translating ---------------------------------------------------------- */

static void side_open(struct side *s, enum dialect to)
{
    s->fp = open_memstream(&s->text, &s->len);
    s->translator = translator_create(to, s->fp, count_log);
}

static void side_close(struct side *s)
{
    translator_destroy(s->translator);
    fclose(s->fp);
    free(s->text);
}

/* What a side makes of some lines, until the next ones; NULL: refused. */
static const char *hop(struct side *s, const char *lines)
{
    struct diag d = {0};
    const char *end;
    size_t before;
    int rc = 0;

    fflush(s->fp);
    before = s->len;
    for (; rc == 0 && (end = strchr(lines, '\n')); lines = end + 1)
        rc = translate_line(s->translator, lines, (size_t)(end - lines), &d);
    fflush(s->fp);
    return rc == 0 ? s->text + before : NULL;
}

/* All of them hear it; so much of it is lost. */
static void hear(struct game *g, long losses)
{
    const char *text = g->said;
    bool seed = g->seed, good = listen_all(g->beliefs[0], seed, text);

    nlogged = 0;
    for (int i = 0; i < HOPS && text; i++, seed = !seed) {
        text = hop(&g->sides[i], text);
        good = good && text && listen_all(g->beliefs[i + 1], !seed, text);
        if (i == 0)
            good = good && nlogged == losses;
    }
    if (g->seed && text && !strstr(g->said, "resources"))
        good = good && !strcmp(text, g->said);
    if (!holds(g->law, good && believe_same(g), "%s", g->said)
        && law_telling(g->law))
        printf("#   there: %s#   back: %s", g->sides[0].text,
               text ? text : "refused\n");
}

/* It can't be said in the other edition, and nothing of it is. */
static void refuse(struct game *g)
{
    size_t before;

    fflush(g->sides[0].fp);
    before = g->sides[0].len;
    holds(g->law, !hop(&g->sides[0], g->said) && g->sides[0].len == before,
          "refused: %s", g->said);
}

/* --- speaking ------------------------------------------------------------- */

static unsigned random_ranks(void)
{
    return random_below(1 << RANKS) & random_below(1 << RANKS);
}

static void put_set(FILE *fp, const char *before, unsigned ranks)
{
    fprintf(fp, "%s\"", before);
    put_ids(fp, ranks);
    putc('"', fp);
}

static struct bits put_resources(FILE *fp)
{
    struct bits bits = random_bits(false);
    struct layout layout = {0};
    char *text = bits_text(&bits, &layout);

    fprintf(fp, "\"resources\":%s,", text);
    free(text);
    return bits;
}

/* Any keys; returns how many of them the seed's edition has no response for. */
static long put_current(FILE *fp, bool first)
{
    static const char *const keys[] = {",\"down\":", ",\"shrink\":"};
    static const char *const others[] = {",\"expiration\":1000",
                                         ",\"property-add\":{\"a\":\"1\"}"};
    long lost = 0;

    putc('{', fp);
    if (first)
        put_resources(fp);
    put_set(fp, "\"up\":", random_ranks());
    for (int i = 0; i < 2; i++)
        if (one_in(2))
            put_set(fp, keys[i], random_ranks());
    for (int i = 0; i < 2; i++)
        if (one_in(5)) {
            fputs(others[i], fp);
            lost++;
        }
    putc('}', fp);
    return lost;
}

/* Some ranks are online and the others not; a wrong one are both, or neither.
 */
static void put_grow(FILE *fp, bool wrong)
{
    struct belief b = {0};
    unsigned online, all;

    fputs("{\"type\":\"grow\",", fp);
    b.bits = put_resources(fp);
    all = known(&b);
    online = random_ranks() & all;
    put_set(fp, "\"online\":", online);
    put_set(fp, ",\"offline\":",
            (all & ~online) ^ (wrong ? 1U << random_below(RANKS) : 0));
    putc('}', fp);
}

static void put_targets(FILE *fp, const char *type)
{
    fprintf(fp, "{\"type\":\"%s\"", type);
    put_set(fp, ",\"targets\":", random_ranks() | 1U << random_below(RANKS));
    putc('}', fp);
}

/* A stream is over, or a request begins it anew. */
static long put_end(FILE *fp, struct game *g, int stream)
{
    if (one_in(2))
        fprintf(fp,
                "{\"type\":\"response\",\"topic\":\"resource.acquire\","
                "\"matchtag\":%d,\"errnum\":61}\n",
                stream);
    else
        fprintf(fp,
                "{\"type\":\"request\",\"topic\":\"resource.acquire\","
                "\"matchtag\":%d,\"flags\":[\"streaming\"]%s}\n",
                stream, g->seed ? ",\"payload\":{\"group\":\"default\"}" : "");
    g->grown[stream] = false;
    return 0;
}

/* A response; returns how much of it is lost. */
static long put_response(FILE *fp, struct game *g, int stream, bool wrong)
{
    static const char *const types[] = {"online", "offline", "shrink"};
    int which = (int)random_below(3);
    bool first = !g->grown[stream];
    long lost = 0;

    if (stream > 0)
        fprintf(fp,
                "{%s\"topic\":\"resource.acquire\",\"matchtag\":%d,"
                "\"payload\":",
                g->seed || one_in(2) ? "\"type\":\"response\"," : "", stream);
    if (!g->seed) {
        lost = put_current(fp, first);
    } else if (first || wrong) {
        put_grow(fp, first && wrong);
    } else {
        put_targets(fp, types[which]);
        lost = which == 2 && !g->shrunk;
        g->shrunk = g->shrunk || which == 2;
    }
    fputs(stream > 0 ? "}\n" : "\n", fp);
    g->grown[stream] = g->grown[stream] || !wrong;
    return lost;
}

static void step(struct game *g)
{
    int stream = (int)random_below(STREAMS);
    bool wrong = g->seed && one_in(9), end = stream > 0 && one_in(9);
    long lost;
    size_t len;
    FILE *fp = open_memstream(&g->said, &len);

    lost = end ? put_end(fp, g, stream) : put_response(fp, g, stream, wrong);
    fclose(fp);
    if (wrong && !end)
        refuse(g);
    else
        hear(g, lost);
    free(g->said);
}

static void play(struct law *law, bool seed)
{
    struct game g = {.law = law, .seed = seed};
    long failed = law->failed;

    for (int i = 0; i < HOPS; i++)
        side_open(&g.sides[i],
                  (i == 0) == seed ? DIALECT_CURRENT : DIALECT_SEED);
    for (int i = 0; i < 100 && law->failed == failed; i++)
        step(&g);
    for (int i = 0; i < HOPS; i++)
        side_close(&g.sides[i]);
}

int main(void)
{
    long rounds = random_start(50);

    for (int seed = 0; seed < 2; seed++) {
        struct law law = {.name = seed ? "the seed's edition: there and back"
                                       : "the current one: there and back"};
        for (long i = 0; i < rounds; i++)
            play(&law, seed);
        law_end(&law);
    }
    return done_testing();
}
