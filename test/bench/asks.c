/*
 * asks DOCUMENT [POLICY:]SHAPE...: measure one request, without reading. Prints
 * a line for each: microseconds of CPU time, and the answer (0 found, 1 not
 * now, 3 never).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/document/document.h"
#include "model/records/usage.h"
#include "schedule/match.h"
#include "schedule/policy.h"

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct rset *read_document(const char *path)
{
    struct diag d = {0};
    struct stream *s = stream_open(path, &d);
    struct rset *rs = NULL;

    if (!s || rset_read(s, TRUST_NONE, &rs, &d) != 1)
        fprintf(stderr, "asks: %s: %s\n", path, d.text);
    stream_close(s);
    return rs;
}

static int ask(struct usage *m, const struct request *req,
               const struct policy *policy)
{
    const struct match_options opts = {.now = 0, .policy = policy};
    struct selection *sel = NULL;
    struct diag d = {0};
    enum match_answer answer = match_find(m, req, &opts, &sel, &d);

    selection_destroy(sel);
    if (answer == MATCH_ERROR)
        fprintf(stderr, "asks: %s\n", d.text);
    return answer == MATCH_NEVER ? 3 : (int)answer;
}

/* Take the best of several rounds, each long enough to be measured. */
static void measure(struct usage *m, const struct request *req,
                    const struct policy *policy)
{
    double best = 1e9;
    int answer = 0;

    for (int round = 0; round < 5; round++) {
        double start = seconds(), spent;
        int n = 0;
        do {
            answer = ask(m, req, policy);
            n++;
            spent = seconds() - start;
        } while (spent < 0.02);
        best = spent / n < best ? spent / n : best;
    }
    printf("%.2f %d\n", best * 1e6, answer);
}

static bool measure_text(struct usage *m, char *text)
{
    char *colon = strchr(text, ':');
    const struct policy *policy = NULL;
    struct request *req;
    struct near near = {0};
    struct diag d = {0};

    if (colon) {
        *colon = '\0';
        near = (struct near){.word = text, .len = strlen(text)};
        policy = policy_find(text, &near);
        text = colon + 1;
    }
    req = request_from_shape(text, &d);
    if (!req || (colon && !policy)) {
        fprintf(stderr, "asks: %s: %s\n", text,
                req ? "no such policy" : d.text);
        return false;
    }
    measure(m, req, policy);
    request_destroy(req);
    return true;
}

int main(int argc, char **argv)
{
    struct rset *rs = argc > 2 ? read_document(argv[1]) : NULL;
    struct usage *m = rs ? usage_begin(rs) : NULL;

    for (int i = 2; m && i < argc; i++)
        if (!measure_text(m, argv[i]))
            return 2;
    rset_destroy(rs);
    return m ? 0 : 2;
}
