/*
 * The earliest start, compared with matching at every moment. Random sets are
 * half full: jobs have begun, will begin, or should have ended. Requests have a
 * duration or none.
 */
#include <math.h>

#include "model/records/jobs.h"
#include "model/records/usage_private.h"
#include "quotes.h"
#include "schedule/ledger.h"
#include "schedule/match.h"
#include "schedule/plan.h"
#include "random.h"
#include "sets.h"

enum { NOW = 50, LAST = 140, JOBS = 12, ASKS = 4 };

static struct {
    struct law answer, moment, same;
    long found, later, none, never;
} laws = {
    .answer = {.name = "an earliest start is known if there is one"},
    .moment = {.name = "there is no earlier one"},
    .same = {.name = "the selection is the match at that moment"},
};

static const char *const documents[] = {
    "{'version':1,'execution':{'R_lite':[{'rank':'0-3','children':{'core':"
    "'0-3','gpu':'0'}}],'nodelist':['n[0-3]']}}",
    "{'version':1,'execution':{'R_lite':[{'rank':'0-2','children':{'core':"
    "'0-1'}},{'rank':'3','children':{'core':'0-5','gpu':'0-1'}}],"
    "'nodelist':['n[0-3]'],'expiration':110}}",
    "{'graph':{'nodes':[{'id':'c','metadata':{'type':'cluster'}},"
    "{'id':'0','metadata':{'type':'node','id':0,'rank':0}},"
    "{'id':'1','metadata':{'type':'node','id':1,'rank':1}},"
    "{'id':'m','metadata':{'type':'memory','id':0,'size':8}},"
    "{'id':'n','metadata':{'type':'memory','id':0,'size':5}},"
    "{'id':'p','metadata':{'type':'pdu','id':0,'size':9}}],"
    "'edges':[{'source':'c','target':'0'},{'source':'c','target':'1'},"
    "{'source':'0','target':'m'},{'source':'1','target':'n'},"
    "{'source':'p','target':'0','metadata':{'subsystem':'power'}},"
    "{'source':'p','target':'1','metadata':{'subsystem':'power'}}]}}",
};

static const char *const shapes[] = {
    "slot=2/core=2",
    "node=2{x}",
    "slot/[core=3;gpu]",
    "slot=1-3/core",
    "slot/node",
    "slot/gpu",
    "slot=2/memory=3",
    "slot/memory=6",
    "slot/node/memory=2",
    "slot/pdu=7",
    "slot/[pdu=4;memory=4]",
    "node/slot/pdu=9",
    "slot=3/socket/core=2",
    "node=3/slot/core",
    "slot=2/node{x}",
};

static double between(int lo, int hi)
{
    return lo + (double)random_below((unsigned)(hi - lo + 1));
}

static struct request *random_shape(void)
{
    struct diag d = {0};

    return request_from_shape(
        shapes[random_below(sizeof(shapes) / sizeof(*shapes))], &d);
}

static bool all_begun; /* no allocation of this set begins later */

/* Give a job something for some time, if possible. */
static void give(struct usage *u, int i)
{
    struct request *req = random_shape();
    struct match_options opts = {.now = between(0, all_begun ? NOW : 90)};
    struct term terms = {.start = opts.now, .end = TIME_UNSET};
    struct selection *sel = NULL;
    struct diag d = {0};
    char name[8];

    snprintf(name, sizeof(name), "%d", i);
    if (random_below(8) > 0) {
        req->duration = between(1, all_begun ? 80 : 40);
        terms.end = terms.start + req->duration;
    }
    opts.start = opts.now;
    terms.reserved = terms.start > NOW;
    if (match_find(u, req, &opts, &sel, &d) == MATCH_FOUND
        && plan_check(u, name, sel, &terms, opts.now, 0, &d) == PLAN_GOOD)
        ledger_allocate(u, name, sel, &terms);
    selection_destroy(sel);
    request_destroy(req);
}

static bool node_exclusive; /* for this request */

/* Return the first moment with a match; negative: none. */
static double scan(struct usage *u, const struct request *req, double from)
{
    struct match_options opts = {.now = NOW, .node_exclusive = node_exclusive};

    for (double at = from; at <= LAST; at++) {
        struct selection *sel = NULL;
        struct diag d = {0};
        enum match_answer answer;
        opts.start = at;
        answer = match_find(u, req, &opts, &sel, &d);
        selection_destroy(sel);
        if (answer == MATCH_FOUND)
            return at;
    }
    return -1;
}

static bool same_at(struct usage *u, const struct request *req, double at,
                    const struct selection *got)
{
    struct match_options opts = {
        .now = NOW, .start = at, .node_exclusive = node_exclusive};
    struct selection *sel = NULL;
    struct diag d = {0};
    struct rset *a, *b;
    char *ta, *tb;
    bool same;

    match_find(u, req, &opts, &sel, &d);
    a = rset_extract(usage_rset(u), got);
    b = rset_extract(usage_rset(u), sel);
    ta = write_set(a, FORM_AS_READ);
    tb = write_set(b, FORM_AS_READ);
    same = !strcmp(ta, tb);
    free(ta);
    free(tb);
    rset_destroy(a);
    rset_destroy(b);
    selection_destroy(sel);
    return same;
}

static void ask(struct usage *u)
{
    struct request *req = random_shape();
    struct match_options opts = {.now = NOW,
                                 .node_exclusive = node_exclusive = one_in(4)};
    double from = random_below(3) ? NOW : between(NOW, 100), want, at = -2;
    struct selection *sel = NULL;
    struct diag d = {0};
    enum match_answer got, ever;

    req->duration = random_below(4) ? between(1, 40) : 0;
    opts.start = from;
    u->few = SIZE_MAX;
    want = scan(u, req, from);
    opts.before = one_in(3) ? between((int)from, 100) : 0;
    if (opts.before > 0 && want >= opts.before)
        want = -1;
    u->few = random_below(2) ? 0 : SIZE_MAX;
    got = match_earliest(u, req, &opts, &sel, &at, &d);
    ever = match_feasible(u, req, &opts, &d);
    holds(&laws.answer,
          got
              == (want >= 0             ? MATCH_FOUND
                  : ever == MATCH_NEVER ? MATCH_NEVER
                                        : MATCH_NOT_NOW),
          "RSET_SEED=%" PRIu64 ": %d at %g, wanted %g", random_state, got, at,
          want);
    if (got == MATCH_FOUND && want >= 0) {
        holds(&laws.moment, at == want, "%g, not %g", at, want);
        holds(&laws.same, same_at(u, req, at, sel), "at %g", at);
        laws.later += at > from;
    }
    laws.found += got == MATCH_FOUND;
    laws.none += got == MATCH_NOT_NOW;
    laws.never += got == MATCH_NEVER;
    selection_destroy(sel);
    request_destroy(req);
}

/* One of the documents above, or nodes with sockets and pools in racks. */
static char *random_document(void)
{
    struct layout layout = {.racks = one_in(2), .sockets = one_in(2)};
    struct bits bits = random_bits(true);

    if (one_in(2))
        return with_quotes(
            documents[random_below(sizeof(documents) / sizeof(*documents))]);
    return one_in(2) ? bits_r(&bits) : bits_graph(&bits, &layout);
}

/* Take a node down or up, or end a job. */
static void change(struct usage *u)
{
    struct lot *lot = usage_top(u);
    struct job *job = usage_jobs(u);

    for (unsigned n = random_below(8); n > 0 && job; n--)
        job = job->next;
    if (job && one_in(2)) {
        job_release(u, job);
        return;
    }
    for (unsigned n = random_below(12);
         n > 0 && (lot = lot_next(u, usage_top(u), lot, false)); n--)
        if (type_is_node(lot->v->type)) {
            lot_set_state(u, lot,
                          lot->state == STATE_UP ? STATE_DOWN : STATE_UP);
            return;
        }
}

static void one_set(void)
{
    char *text = random_document();
    struct rset *rs = read_set(text);
    struct usage *u = usage_begin(rs);

    all_begun = random_below(3) == 0;
    for (int i = 0; i < (all_begun ? 6 : 1) * JOBS; i++)
        give(u, i);
    for (int i = 0; i < ASKS; i++) {
        ask(u);
        if (one_in(2))
            change(u);
        else
            give(u, JOBS + i);
    }
    rset_destroy(rs);
    free(text);
}

int main(void)
{
    for (long i = random_start(300); i > 0; i--)
        one_set();
    law_end(&laws.answer);
    law_end(&laws.moment);
    law_end(&laws.same);
    ok(laws.later * 10 > laws.found && laws.none && laws.never,
       "all kinds of answers come up");
    printf("# found %ld (later %ld), none known %ld, never %ld\n", laws.found,
           laws.later, laws.none, laws.never);
    return done_testing();
}
