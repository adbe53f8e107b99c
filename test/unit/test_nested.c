/*
 * Cores in cores: a job that has a core has all cores in it, so that a slot
 * gets as many as there are outermost ones. Random trees of cores, some with
 * jobs, compared with a count.
 */
#include "texts.h"

enum { CORES = 60 };

static struct law most = {
    .name = "a slot gets as many cores as there are outermost ones"};

struct cores {
    int n, parent[CORES]; /* -1: the node; parents come first */
    bool held[CORES];
};

static struct cores random_cores(void)
{
    struct cores c = {.n = 2 + (int)random_below(CORES - 1)};
    int chain = 1 + (int)random_below(8);

    for (int i = 0; i < c.n; i++) {
        c.parent[i] = one_in(3) ? (int)random_below((uint32_t)i + 1) - 1 : -1;
        if (i % chain > 0)
            c.parent[i] = i - 1;
        c.held[i] = one_in(6);
        for (int up = c.parent[i]; up >= 0; up = c.parent[up])
            c.held[i] = c.held[i] && !c.held[up];
    }
    return c;
}

static char *cores_text(const struct cores *c)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    fputs(
        "{\"graph\":{\"nodes\":[{\"id\":\"n\",\"metadata\":{\"type\":\"node\","
        "\"id\":0,\"rank\":0}}",
        fp);
    for (int i = 0; i < c->n; i++)
        fprintf(fp,
                ",{\"id\":\"%d\",\"metadata\":{\"type\":\"core\",\"id\":%d%s}}",
                i, i, c->held[i] ? ",\"allocations\":[{\"job\":1}]" : "");
    fputs("],\"edges\":[", fp);
    for (int i = 0; i < c->n; i++) {
        char from[16] = "n";
        if (c->parent[i] >= 0)
            snprintf(from, sizeof(from), "%d", c->parent[i]);
        fprintf(fp, "%s{\"source\":\"%s\",\"target\":\"%d\"}", i ? "," : "",
                from, i);
    }
    fputs("]}}", fp);
    fclose(fp);
    return text;
}

/* How many cores are available in one, including itself if no job has any part
   of it? */
static int can_be_had(const struct cores *c, int core, bool *touched)
{
    int sum = 0;

    *touched = c->held[core];
    for (int i = core + 1; i < c->n; i++) {
        bool below = false;
        if (c->parent[i] == core)
            sum += can_be_had(c, i, &below);
        *touched = *touched || below;
    }
    if (c->held[core])
        return 0;
    return sum > 0 || *touched ? sum : 1;
}

static enum match_answer ask(struct usage *u, int cores)
{
    const struct match_options opts = {.now = 1};
    struct selection *sel = NULL;
    enum match_answer answer;
    struct request *req;
    struct diag d = {0};
    char shape[32];

    snprintf(shape, sizeof(shape), "slot/core=%d", cores);
    req = request_from_shape(shape, &d);
    answer = match_find(u, req, &opts, &sel, &d);
    selection_destroy(sel);
    request_destroy(req);
    return answer;
}

int main(void)
{
    for (long i = random_start(200); i > 0; i--) {
        struct cores c = random_cores();
        char *text = cores_text(&c);
        struct desk desk = desk_open(text);
        int have = 0;
        bool touched;
        for (int k = 0; k < c.n; k++)
            have += c.parent[k] < 0 ? can_be_had(&c, k, &touched) : 0;
        for (int k = 1; k <= have + 2; k++) {
            enum match_answer answer = ask(desk.u, k);
            holds(&most,
                  k <= have ? answer == MATCH_FOUND
                            : answer == MATCH_NOT_NOW || answer == MATCH_NEVER,
                  "%d for %d of %d: %s", answer, k, have, text);
        }
        desk_drop(&desk);
        free(text);
    }
    law_end(&most);
    return done_testing();
}
