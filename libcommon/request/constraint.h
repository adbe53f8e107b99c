/*
 * Constraints: conditions on pools. A constraint is a tree of criteria joined
 * by `and`, `or` and `not`. It is read from one of three languages: JSON
 * objects of RFC 31,
 *
 *     {"and": [{"properties": ["ssd"]}, {"not": [{"hostlist": ["n[3-4]"]}]}]}
 *
 * text of RFC 35 for people, `ssd -host:n[3-4]`, and find expressions (find.h),
 * `type=core and not host=n[3-4]`. Constraints in the first two languages are
 * about execution targets only. constraint_ranks() turns them into a set of
 * ranks by the algebra of sets. Any constraint can be evaluated for pools
 * (evaluation.h). Both cost as much as a set has runs; a million equal ranks
 * are one run.
 *
 * Readers of RFC 31 differ in some cases; here its own values apply. {} and
 * empty `and`, `or` and `properties` hold for every target, empty `not`,
 * `hostlist` and `ranks` for none. `not` of several constraints denies that all
 * hold.
 *
 * A property is named as in an R (RFC 20), by the text `k` or `k=v`. A target
 * that has k with the value v satisfies `k=v`, and `k` whatever v is. `^p` asks
 * for targets without p. Nothing else is special in a name (`amd@gpu` is one),
 * and a property is never read as a host. Hosts and ranks that a set does not
 * have match nothing.
 */
#ifndef REQUEST_CONSTRAINT_H
#define REQUEST_CONSTRAINT_H

#include <jansson.h>
#include <stddef.h>

#include "base/diag.h"
#include "model/tree/rset.h"

/* JSON objects nested deeper than this are refused. */
#define CONSTRAINT_DEPTH_MAX 100

/*
 * The largest number of hosts of an operator. Some lists take a step for each
 * host (`n[1-9]-ib0`). Flux refuses more in one range.
 */
#define CONSTRAINT_HOSTS_MAX UINT32_C(1048576)

struct constraint;

void constraint_destroy(struct constraint *c); /* NULL is allowed */

/*
 * Make a constraint from a JSON value (borrowed), by RFC 31. Returns NULL with
 * a diag that has the JSON path and the offending text: `and[1].properties[0]:
 * "a|b": ...`. White space separates hosts of a hostlist like a comma: Flux
 * reads and writes it.
 */
struct constraint *constraint_from_json(const json_t *object, struct diag *d);

/* Make a constraint from text that holds one JSON value without repeated keys.
   Returns NULL with a diag, as constraint_from_json() does. */
struct constraint *constraint_from_string(const char *text, struct diag *d);

/*
 * Make a constraint from text by RFC 35, as in flux-core's `--requires`.
 *
 *     or     = and *( ( "|" / "||" / "or" ) and )
 *     and    = not *( [ "&" / "&&" / "and" ] not )
 *     not    = *( "not" ) ( [ "-" ] term / "(" or ")" )
 *     term   = [ operator ":" ] operand
 *
 * The operators are host, hosts, hostlist; rank, ranks; and properties, which
 * may be omitted and whose operand is split at commas. Operands that contain
 * blanks, parentheses, `|` or `&` need quotes, '...' or "...". So do names with
 * a colon, and names that begin with a keyword followed by a character other
 * than letters, digits and `_` (`or.y`), because readers disagree on them. But
 * `not-foo` is `not -foo`, which means foo.
 *
 * An operator has one operand: `host:n1|n2` asks for host n1 or property n2. A
 * blank means `and`, but readers disagree on its precedence beside an `or`:
 * both together need parentheses. Blanks are allowed between any two words,
 * between "-" and its term, and before a quoted operand.
 *
 * Returns NULL with a diag that has the offset and the offending text: `offset
 * 7: "|": ...`. If an option is given several times, each text is read by
 * itself; join them with constraint_and().
 */
struct constraint *constraint_from_requires(const char *text, struct diag *d);

/*
 * Make a constraint of one operator. Arguments are borrowed. Hosts return
 * NULL with a diag if there are too many.
 */
struct constraint *constraint_from_ranks(const struct idset *ranks);
struct constraint *constraint_from_hosts(const struct hostlist *hosts,
                                         struct diag *d);

/*
 * constraint_and(): all of n constraints hold (with n 0: always).
 * constraint_not(): a constraint does not hold. No argument may be NULL. Takes
 * them over, also on failure. Returns NULL with a diag if they are nested too
 * deep.
 */
struct constraint *constraint_and(struct constraint *const *list, size_t n,
                                  struct diag *d);
struct constraint *constraint_not(struct constraint *c, struct diag *d);

/*
 * Explain why nothing satisfies a constraint: find the first property or hosts
 * that it asks for and that no execution target of the set has, or a type with
 * a similar name that exists. Denied parts are ignored. Returns a new string
 * that begins with "; ", or NULL if there is none or no constraint.
 */
char *constraint_unknown(const struct constraint *c, const struct rset *rs);

/*
 * Find the ranks of the execution targets for which a constraint holds: a new
 * set. Properties are looked up in the set's index, so repeated questions don't
 * walk the set. Returns NULL if the constraint asks for more than ranks, hosts
 * and properties, as only find expressions can.
 */
struct idset *constraint_ranks(const struct constraint *c,
                               const struct rset *rs);

#endif /* REQUEST_CONSTRAINT_H */
