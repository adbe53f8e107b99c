/* Many requests in one run: one a line, one answer a line. */
#ifndef RSET_MATCH_BATCH_H
#define RSET_MATCH_BATCH_H

#include "cli/clock.h"
#include "cli/documents.h"
#include "schedule/match.h"

/*
 * Read requests from a file ("-": standard input), a line each: a shape,
 * a jobspec as JSON, or request options. Each is answered against the set
 * alone, in a line of JSON: {"status":0,"R":...}, {"status":1,"why":...},
 * {"status":3,...}, or
 * {"status":2,"error":...} for a bad line. Blank lines are passed over. With
 * `feasible` only whether it could ever match is answered. Returns the worst
 * of the statuses.
 */
int cli_batch(const char *file, const struct rset_list *set,
              const struct match_options *opts, const struct cli_when *when,
              bool feasible);

#endif /* RSET_MATCH_BATCH_H */
