/*
 * Constraints: what has to hold of a pool. One tree of criteria, joined by
 * `and`, `or` and `not`, is read from three languages: from JSON objects of
 * RFC 31,
 *
 *     {"and": [{"properties": ["ssd"]}, {"not": [{"hostlist": ["n[3-4]"]}]}]}
 *
 * from text of RFC 35 for people, `ssd -host:n[3-4]`, and from find
 * expressions (find.h), `type=core and not host=n[3-4]`. The first two speak
 * of execution targets alone, and come to a set of ranks by the algebra of
 * sets: constraint_ranks(). Of all pools a constraint is asked as evaluation.h
 * says. Either way it costs what the runs of a set cost; a million equal
 * ranks are one.
 *
 * Where readers differ, the values of RFC 31 are taken: {} and empty `and`,
 * `or` and `properties` hold for every target, empty `not`, `hostlist` and
 * `ranks` for none, and `not` of several constraints denies that all hold.
 *
 * A property is asked for by the name that an R has for it (RFC 20), the
 * text `k` or `k=v`: a target that has k with the value v answers to `k=v`
 * and, whatever v is, to `k`. `^p` asks for targets without p. Nothing else
 * is special in a name (`amd@gpu` is one), and a property is never taken for
 * a host. Hosts and ranks that a set does not have match nothing.
 */
#ifndef REQUEST_CONSTRAINT_H
#define REQUEST_CONSTRAINT_H

#include <jansson.h>
#include <stddef.h>

#include "base/diag.h"
#include "model/tree/rset.h"
#include "set/hostlist.h"
#include "set/idset.h"

/* Constraints nested deeper than this are refused, by JSON objects. */
#define CONSTRAINT_DEPTH_MAX 100

/*
 * An operator with more hosts is refused, since some lists take a step for
 * each (`n[1-9]-ib0`). Flux refuses more in one range.
 */
#define CONSTRAINT_HOSTS_MAX UINT32_C(1048576)

struct constraint;

void constraint_destroy(struct constraint *c); /* NULL is allowed */

/*
 * RFC 31: a new constraint from a JSON value (borrowed). NULL with the JSON
 * path and the offending text in `d`: `and[1].properties[0]: "a|b": ...`.
 * In a hostlist white space separates hosts as the comma does: Flux reads
 * and writes it so.
 */
struct constraint *constraint_from_json(const json_t *object, struct diag *d);

/* The same of text that holds one JSON value, no key of it twice. */
struct constraint *constraint_from_string(const char *text, struct diag *d);

/*
 * RFC 35: a new constraint from text, as of flux-core's `--requires`.
 *
 *     or     = and *( ( "|" / "||" / "or" ) and )
 *     and    = not *( [ "&" / "&&" / "and" ] not )
 *     not    = *( "not" ) ( [ "-" ] term / "(" or ")" )
 *     term   = [ operator ":" ] operand
 *
 * The operators are host, hosts, hostlist; rank, ranks; and properties,
 * which needs not be written and whose operand is split at commas. Operands
 * with blanks, parentheses, `|` or `&` in them stand in quotes, '...' or
 * "...", and so do names with a colon and names that begin with a keyword
 * and go on with something other than letters, digits or `_` (`or.y`): these
 * are read in many ways. Yet `not-foo` is `not -foo`, and so foo.
 *
 * An operator has one operand: `host:n1|n2` asks for host n1 or property n2.
 * A blank means `and`, but readers disagree on how much it joins beside an
 * `or`: both together need parentheses. Blanks may stand between any two
 * words, also between "-" and its term, and before an operand in quotes.
 *
 * NULL with the offset and the offending text in `d`: `offset 7: "|": ...`.
 * The texts of an option that was given several times are read one by one
 * and joined by constraint_and().
 */
struct constraint *constraint_from_requires(const char *text, struct diag *d);

/*
 * New constraints of one operator. All that is given is borrowed. Hosts and
 * properties return NULL with a diag if there are too many hosts, or if that is
 * no name of a property; one that begins with "^" is denied.
 */
struct constraint *constraint_from_ranks(const struct idset *ranks);
struct constraint *constraint_from_hosts(const struct hostlist *hosts,
                                         struct diag *d);
struct constraint *constraint_from_property(const char *name, struct diag *d);

/*
 * All of n constraints hold (of none: always), or one does not. None may be
 * NULL. They are taken over, also on failure: NULL with a diag, nested too
 * deep.
 */
struct constraint *constraint_and(struct constraint *const *list, size_t n,
                                  struct diag *d);
struct constraint *constraint_not(struct constraint *c, struct diag *d);

/*
 * What to add to a no: the first property that is asked for and that no
 * execution target of a set has, or the first such hosts, or type with a near
 * miss; a new string, which begins with "; ". NULL: there is none, or no
 * constraint. What is denied is not asked for.
 */
char *constraint_unknown(const struct constraint *c, const struct rset *rs);

/*
 * The ranks of the execution targets of a set for which a constraint holds,
 * as a new set in *out. Properties are looked up in the set's index, so what
 * is asked again walks no set. Returns 0, or -1 with a diag if it is asked
 * for more than ranks, hosts and properties.
 */
int constraint_ranks(const struct constraint *c, const struct rset *rs,
                     struct idset **out, struct diag *d);

#endif /* REQUEST_CONSTRAINT_H */
