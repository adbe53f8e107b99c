/*
 * The provider, compared with a naive one: random events and requests, in both
 * editions. After each of them the state of a scheduler that applies the
 * responses must be the state in arrays of a few ranks.
 *
 * In the naive provider a target is given if its group is acquired and nobody
 * owes it; in the current edition, if it has been in the group since then.
 */
#include "protocol/provider.h"
#include "sets.h"

enum { GROUPS = 3, TAGS = 5, NAMES = 4 };
static const char *const names[NAMES] = {"default", "exclude", "x", "nobody's"};

/* Reasons why a target is down, in the order of `toggles`. */
enum { OFFLINE, TORPID, DRAINED, REASONS };

struct naive {
    bool there[RANKS], down[RANKS][REASONS];
    int group[RANKS];
    bool has[GROUPS][RANKS], owed[GROUPS][RANKS];
    bool acquired[GROUPS];
    unsigned tag[GROUPS];
    int ours[RANKS + 2]; /* our ranks for the ranks of the log; -1: none */
    long end;            /* 0: none */
};

/* The state of a scheduler by the lines that it got. */
struct belief {
    struct bits bits[GROUPS];
    bool up[GROUPS][RANKS];
    long end;
};

struct game {
    struct law *law;
    bool current;
    struct bits bits;
    struct provider *provider;
    struct naive naive;
    struct belief belief;
    FILE *out;
    char *text;
    size_t len, read; /* length of the text, and of the part that was applied */
    unsigned tag;     /* of the open request; 0: none */
    int errnum;       /* error of the answer; -1: there was no answer */
    char asked[1024];
};

/* --- the expected state ------------------------------------------------- */

static bool is_owed(const struct naive *n, int rank)
{
    return n->owed[0][rank] || n->owed[1][rank] || n->owed[2][rank];
}

static bool is_up(const struct naive *n, int rank)
{
    return !n->down[rank][OFFLINE] && !n->down[rank][TORPID]
           && !n->down[rank][DRAINED];
}

static void give(struct game *g)
{
    struct naive *n = &g->naive;

    for (int r = 0; r < RANKS; r++)
        if (n->there[r] && n->acquired[n->group[r]] && !is_owed(n, r)
            && !g->current)
            n->has[n->group[r]][r] = true;
}

static void move(struct game *g, unsigned ranks, int from, int to)
{
    struct naive *n = &g->naive;

    for (int r = 0; r < RANKS; r++) {
        int old = n->group[r];
        if (!(ranks >> r & 1) || !n->there[r] || old == to
            || (from >= 0 && old != from))
            continue;
        n->owed[old][r] |= n->has[old][r] && !g->current;
        n->has[old][r] = false;
        n->group[r] = to;
    }
    give(g);
}

static int expect_acquire(struct game *g, bool streaming, int group,
                          unsigned tag)
{
    struct naive *n = &g->naive;
    bool any = false;

    for (int i = 0; i < GROUPS; i++)
        if (n->acquired[i] && n->tag[i] == tag)
            return MESSAGE_EPROTO;
    for (int r = 0; r < RANKS; r++)
        any = any || (n->there[r] && n->group[r] == group);
    if (!streaming || group < 0)
        return MESSAGE_EPROTO;
    if (!any)
        return MESSAGE_ENOENT;
    if (n->acquired[group])
        return MESSAGE_EBUSY;
    n->acquired[group] = true;
    n->tag[group] = tag;
    for (int r = 0; r < RANKS; r++)
        n->has[group][r] = g->current && n->there[r] && n->group[r] == group;
    give(g);
    return -1;
}

static int expect_release(struct game *g, int group, unsigned ranks)
{
    struct naive *n = &g->naive;

    if (g->current)
        return MESSAGE_ENOSYS;
    if (group >= GROUPS)
        return MESSAGE_ENOENT;
    for (int r = 0; r < RANKS + 2; r++)
        if (ranks >> r & 1 && (r >= RANKS || !n->owed[group][r]))
            return MESSAGE_EINVAL;
    if (!n->acquired[group])
        return MESSAGE_EINVAL;
    for (int r = 0; r < RANKS; r++)
        if (ranks >> r & 1)
            n->owed[group][r] = false;
    give(g);
    return 0;
}

static void expect_disconnect(struct naive *n)
{
    memset(n->has, 0, sizeof(n->has));
    memset(n->owed, 0, sizeof(n->owed));
    memset(n->acquired, 0, sizeof(n->acquired));
}

/* --- the state of the scheduler ----------------------------------------- */

/* Set targets up or down. They must be known and in the other state. */
static bool set_up(struct belief *b, int group, const char *text, bool up)
{
    unsigned ranks = parse_ids(text);
    bool good = ranks != 0;

    for (int r = 0; r < 32; r++) {
        if (!(ranks >> r & 1))
            continue;
        if (r >= RANKS || !b->bits[group].node[r].there
            || b->up[group][r] == up)
            good = false;
        else
            b->up[group][r] = up;
    }
    return good;
}

static bool lose(struct belief *b, int group, const char *text)
{
    unsigned ranks = parse_ids(text);
    bool good = ranks != 0;

    for (int r = 0; r < RANKS; r++) {
        if (!(ranks >> r & 1))
            continue;
        good = good && b->bits[group].node[r].there;
        b->bits[group].node[r] = (struct bits_node){0};
        b->up[group][r] = false;
    }
    return good;
}

/* Add resources, which must be new. Each of them is up or down. */
static bool grow(struct belief *b, int group, const json_t *payload)
{
    const json_t *resources = json_object_get(payload, "resources"),
                 *offline = json_object_get(payload, "offline");
    char *text = json_dumps(resources, 0);
    struct bits more = bits_of(text);
    unsigned up = parse_ids(json_string_value(
                 json_object_get(payload, offline ? "online" : "up"))),
             down = offline ? parse_ids(json_string_value(offline)) : 0;
    bool good = !(up & down);

    for (int r = 0; r < RANKS; r++) {
        bool told = offline ? (up | down) >> r & 1 : more.node[r].there;
        if (more.node[r].there != told
            || (told && b->bits[group].node[r].there))
            good = false;
        if (more.node[r].there) {
            b->bits[group].node[r] = more.node[r];
            b->up[group][r] = up >> r & 1;
        }
    }
    b->end = (long)json_number_value(
        json_object_get(json_object_get(resources, "execution"), "expiration"));
    free(text);
    return good && !(up >> RANKS);
}

static bool apply_current(struct belief *b, const json_t *payload)
{
    const json_t *up = json_object_get(payload, "up"),
                 *down = json_object_get(payload, "down"),
                 *shrink = json_object_get(payload, "shrink"),
                 *end = json_object_get(payload, "expiration");

    if (json_object_get(payload, "resources"))
        return json_object_size(payload) == 2 && grow(b, 0, payload);
    if (end)
        b->end = (long)json_number_value(end);
    if (shrink)
        return json_equal(shrink, down)
               && lose(b, 0, json_string_value(shrink));
    return (!up || set_up(b, 0, json_string_value(up), true))
           && (!down || set_up(b, 0, json_string_value(down), false))
           && json_object_size(payload) == 1;
}

static bool apply_seed(struct belief *b, int group, const json_t *payload)
{
    const char *type = json_string_value(json_object_get(payload, "type")),
               *targets = json_string_value(
                   json_object_get(payload, "targets"));

    if (!strcmp(type, "grow"))
        return grow(b, group, payload);
    if (!strcmp(type, "shrink"))
        return lose(b, group, targets);
    return set_up(b, group, targets, !strcmp(type, "online"));
}

/* Apply a line of the provider: of a stream, or the answer to the request. */
static bool apply(struct game *g, const char *line, size_t len)
{
    json_t *json = json_loadb(line, len, 0, NULL);
    const json_t *payload = json_object_get(json, "payload");
    unsigned tag = (unsigned)json_integer_value(
        json_object_get(json, "matchtag"));
    bool good = false;
    int group = 0;

    while (group < GROUPS
           && !(g->naive.acquired[group] && g->naive.tag[group] == tag))
        group++;
    if (payload && group < GROUPS) {
        good = g->current ? apply_current(&g->belief, payload)
                          : apply_seed(&g->belief, group, payload);
    } else if (!payload && tag == g->tag && g->errnum < 0) {
        g->errnum = (int)json_integer_value(json_object_get(json, "errnum"));
        good = true;
    }
    json_decref(json);
    return good;
}

static bool apply_all(struct game *g)
{
    bool good = true;

    fflush(g->out);
    while (g->read < g->len && good) {
        const char *line = g->text + g->read;
        size_t len = (size_t)(strchr(line, '\n') - line) + 1;
        good = apply(g, line, len);
        if (!good && law_telling(g->law))
            printf("#   told: %.*s", (int)len, line);
        g->read += len;
    }
    return good;
}

static bool believes(const struct game *g)
{
    const struct naive *n = &g->naive;

    for (int i = 0; i < GROUPS; i++) {
        struct bits want = {0};
        for (int r = 0; r < RANKS; r++) {
            if (n->has[i][r])
                want.node[r] = g->bits.node[r];
            if (g->belief.up[i][r] != (n->has[i][r] && is_up(n, r)))
                return false;
        }
        if (!bits_equal(&want, &g->belief.bits[i], false))
            return false;
    }
    return !g->current || !n->acquired[0] || n->end == g->belief.end;
}

/* --- events ------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void
event(struct game *g, bool good, const char *fmt, ...)
{
    struct diag d = {0};
    json_t *json;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(g->asked, sizeof(g->asked), fmt, ap);
    va_end(ap);
    json = json_loads(g->asked, 0, NULL);
    if (!json || (provider_event(g->provider, json, &d) == 0) != good)
        holds(g->law, false, "%s: %s", g->asked, d.text);
    json_decref(json);
}

/* Return a new string. */
static char *ids_text(unsigned ids)
{
    char *text;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    put_ids(fp, ids);
    fclose(fp);
    return text;
}

/* Random ids of the log as text, and our ranks for them. */
static unsigned random_ids(const struct naive *n, char **text)
{
    unsigned ids = random_below(1 << RANKS), ours = 0;

    if (one_in(2))
        ids &= random_below(1 << RANKS) & random_below(1 << RANKS);
    ids |= one_in(9) ? 1U << RANKS : 0;
    *text = ids_text(ids);
    for (int i = 0; i < RANKS + 2; i++)
        if (ids >> i & 1 && n->ours[i] >= 0)
            ours |= 1U << n->ours[i];
    return ours;
}

static void toggle(struct game *g)
{
    static const char *const toggles[REASONS][2] = {
        {"online", "offline"}, {"lively", "torpid"}, {"undrain", "drain"}};
    int reason = (int)random_below(REASONS);
    bool is = one_in(2);
    unsigned ours;
    char *ids;

    ours = random_ids(&g->naive, &ids);
    for (int r = 0; r < RANKS; r++)
        if (ours >> r & 1)
            g->naive.down[r][reason] = is;
    event(g, true,
          "{\"timestamp\":1,\"name\":\"%s\",\"context\":{\"idset\":\"%s\"}}",
          toggles[reason][is], ids);
    free(ids);
}

/* A drain with hosts: any rank of the log, and one of our hosts. */
static void drain_host(struct game *g)
{
    int host = (int)random_below(RANKS);

    if (g->naive.there[host])
        g->naive.down[host][DRAINED] = true;
    event(g, true,
          "{\"timestamp\":1,\"name\":\"drain\",\"context\":{\"idset\":\"%u\","
          "\"nodelist\":\"n%d\",\"reason\":\"r\",\"overwrite\":%u}}",
          random_below(RANKS), host, random_below(3));
}

static void move_some(struct game *g)
{
    int to = (int)random_below(GROUPS);
    unsigned ours;
    char *ids;

    ours = random_ids(&g->naive, &ids);
    move(g, ours, to == 0 ? 1 : -1, to);
    if (to < 2)
        event(g, true,
              "{\"timestamp\":1,\"name\":\"%s\",\"context\":"
              "{\"idset\":\"%s\"}}",
              to == 0 ? "include" : "exclude", ids);
    else
        event(g, true,
              "{\"timestamp\":1,\"name\":\"assign\",\"context\":"
              "{\"idset\":\"%s\",\"group\":\"x\"}}",
              ids);
    free(ids);
}

/*
 * Choose a host for each rank of a log (-1: none): the hosts of the set in
 * order or not, and sometimes unknown hosts.
 */
static void random_log(const struct naive *n, int hosts[RANKS])
{
    int count = 2 + (int)random_below(RANKS - 1);
    bool same = one_in(3);

    for (int i = 0; i < RANKS; i++)
        hosts[i] = same && !n->there[i] ? -1 : i;
    for (int i = RANKS - 1; i > 0 && !same && one_in(2); i--) {
        int k = (int)random_below((unsigned)i + 1), host = hosts[i];
        hosts[i] = hosts[k];
        hosts[k] = host;
    }
    for (int i = count; i < RANKS && !same; i++)
        hosts[i] = -1;
}

static void restart(struct game *g)
{
    struct naive *n = &g->naive;
    int hosts[RANKS];
    char names_of[256] = "", *ranks, *online;
    unsigned log = 0, ours;

    random_log(n, hosts);
    for (int i = 0; i < RANKS; i++) {
        n->ours[i] = hosts[i] >= 0 && n->there[hosts[i]] ? hosts[i] : -1;
        if (hosts[i] < 0)
            continue;
        sprintf(names_of + strlen(names_of), "%sn%d", log ? "," : "", hosts[i]);
        log |= 1U << i;
    }
    ours = random_ids(n, &online);
    for (int r = 0; r < RANKS; r++) {
        n->down[r][OFFLINE] = !(ours >> r & 1);
        n->down[r][TORPID] = false;
    }
    ranks = ids_text(log);
    event(g, true,
          "{\"timestamp\":1,\"name\":\"restart\",\"context\":{\"ranks\":"
          "\"%s\",\"nodelist\":\"%s\",\"online\":\"%s\"}}",
          ranks, names_of, online);
    free(ranks);
    free(online);
}

static void other_event(struct game *g)
{
    static const char *const none[] = {
        "{\"timestamp\":1,\"name\":\"drain\",\"context\":{\"idset\":\"x\"}}",
        "{\"timestamp\":1,\"name\":\"drain\",\"context\":{\"idset\":\"0\","
        "\"overwrite\":3}}",
        "{\"timestamp\":1,\"name\":\"zebra\",\"context\":{\"idset\":\"0\"}}",
        "{\"name\":\"offline\",\"context\":{\"idset\":\"0\"}}",
        "{\"timestamp\":1,\"name\":\"restart\",\"context\":{\"ranks\":\"0-1\","
        "\"nodelist\":\"n0\",\"online\":\"\"}}"};

    if (one_in(2)) {
        event(g, false, "%s", none[random_below(sizeof(none) / sizeof(*none))]);
        return;
    }
    g->naive.end = (long)random_below(3) * 1000;
    event(g, true,
          "{\"timestamp\":1,\"name\":\"resource-update\",\"context\":"
          "{\"expiration\":%ld}}",
          g->naive.end);
}

/* --- requests ----------------------------------------------------------- */

/* `want`: the expected error; 0: an empty answer; -1: no answer. */
static void request(struct game *g, unsigned tag, int want, const char *more)
{
    struct message m;
    struct diag d = {0};
    bool good;

    snprintf(g->asked, sizeof(g->asked), "{\"matchtag\":%u,%s}", tag, more);
    g->tag = tag;
    g->errnum = -1;
    if (message_read(g->asked, strlen(g->asked), &m, &d) < 0)
        holds(g->law, false, "%s: %s", g->asked, d.text);
    else
        provider_request(g->provider, &m);
    message_fini(&m);
    good = apply_all(g);
    holds(g->law, good && g->errnum == want, "%s: errnum %d, not %d", g->asked,
          g->errnum, want);
    g->tag = 0;
}

static void acquire(struct game *g)
{
    unsigned tag = 1 + random_below(TAGS);
    int group = g->current ? 0 : (int)random_below(NAMES);
    bool streaming = !one_in(9), strange = one_in(9);
    char more[256], payload[64] = "";

    if (g->current == strange)
        snprintf(payload, sizeof(payload), ",\"payload\":{\"group\":\"%s\"}",
                 names[group]);
    snprintf(more, sizeof(more), "\"topic\":\"resource.acquire\"%s%s",
             streaming ? ",\"flags\":[\"streaming\"]" : "", payload);
    request(g, tag, expect_acquire(g, streaming, strange ? -1 : group, tag),
            more);
}

/* Release mostly targets that are owed: all or some of them. */
static void release(struct game *g)
{
    unsigned ranks = random_below(1 << RANKS), owed = 0;
    int group = (int)random_below(one_in(9) ? NAMES : GROUPS);
    char more[256], *ids;

    for (int r = 0; r < RANKS; r++)
        owed |= g->naive.owed[group % GROUPS][r] ? 1U << r : 0;
    if (!one_in(9))
        ranks = one_in(2) ? owed : owed & ranks;
    ids = ids_text(ranks);
    snprintf(more, sizeof(more),
             "\"topic\":\"resource.release\",\"payload\":{\"group\":\"%s\","
             "\"targets\":\"%s\"}",
             names[group], ids);
    request(g, 99, expect_release(g, group, ranks), more);
    free(ids);
}

static void disconnect(struct game *g)
{
    expect_disconnect(&g->naive);
    g->belief = (struct belief){0};
    request(g, 0, -1, "\"topic\":\"resource.disconnect\"");
}

/* --- games -------------------------------------------------------------- */

static void step(struct game *g)
{
    switch (random_below(12)) {
    case 0:
    case 1:
    case 2:
        toggle(g);
        break;
    case 3:
    case 4:
        move_some(g);
        break;
    case 5:
        drain_host(g);
        break;
    case 6:
        (one_in(2) ? restart : other_event)(g);
        break;
    case 7:
    case 8:
        acquire(g);
        break;
    case 9:
    case 10:
        release(g);
        break;
    default:
        if (one_in(4))
            disconnect(g);
    }
    if (!holds(g->law, apply_all(g) && believes(g), "after %s", g->asked)
        && law_telling(g->law))
        for (int i = 0; i < GROUPS; i++)
            bits_print(names[i], &g->belief.bits[i]);
}

static void log_nothing(const char *text)
{
    (void)text;
}

static void play(struct law *law, bool current)
{
    struct layout layout = {.graph = one_in(2), .racks = one_in(2)};
    struct game g = {
        .law = law, .current = current, .bits = random_bits(false)};
    struct idset *none = idset_create();
    long failed = law->failed;
    struct diag d = {0};
    struct rset *rs;
    char *text;
    struct provider_options o = {.dialect = current ? DIALECT_CURRENT
                                                    : DIALECT_SEED,
                                 .log = log_nothing,
                                 .offline = one_in(2)};

    g.out = o.out = open_memstream(&g.text, &g.len);
    text = bits_text(&g.bits, &layout);
    rs = read_set(text);
    g.provider = provider_create(rs, &o);
    for (int i = 1; i < GROUPS; i++)
        provider_define(g.provider, names[i], none, &d);
    for (int r = 0; r < RANKS; r++) {
        g.naive.there[r] = g.bits.node[r].there;
        g.naive.ours[r] = g.naive.there[r] ? r : -1;
        g.naive.down[r][OFFLINE] = o.offline;
    }
    g.naive.ours[RANKS] = g.naive.ours[RANKS + 1] = -1;
    for (int i = 0; i < 100 && law->failed == failed; i++)
        step(&g);
    provider_destroy(g.provider);
    rset_destroy(rs);
    idset_destroy(none);
    fclose(g.out);
    free(g.text);
    free(text);
}

int main(void)
{
    long rounds = random_start(100);

    for (int current = 0; current < 2; current++) {
        struct law law = {.name = current ? "the current edition: as it should"
                                          : "the seed's edition: as it should"};
        for (long i = 0; i < rounds; i++)
            play(&law, current);
        law_end(&law);
    }
    return done_testing();
}
