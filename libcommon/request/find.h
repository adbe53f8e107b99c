/*
 * Find expressions: criteria over every datum of a pool (RFC 4, Match and
 * Find; RFC 16, Find).
 *
 *     type=core,gpu and host=node[0-3] and not (state=down or allocated)
 *
 *     expression := or-part { `or` or-part }
 *     or-part    := and-part { `and` and-part }
 *     and-part   := [ `not` ] ( `(` expression `)` | criterion )
 *     criterion  := KEY OP VALUE | KEY
 *     OP         := `=` | `!=` | `<` | `<=` | `>` | `>=`
 *
 * A word ends at a blank or a parenthesis; quotes '...' and "..." around a
 * value or a part of it take away what blanks, parentheses and quotes mean.
 * Keys and values are compared as they are spelled.
 *
 *     type, basename, unit   LIST of words; unit='' is a pool without a unit
 *     uuid                   LIST, of uuids that the document gives
 *     name                   HOSTLIST of names
 *     id                     IDSET, or < <= > >= with a number
 *     path                   /PATH or SUBSYSTEM:/PATH; all that is below a path
 *                            in containment if the last name is `*`
 *     rank                   IDSET or < ...; of the target and all below it
 *     host                   HOSTLIST; of the target and all below it
 *     size                   NUMBER[UNIT] with any operator
 *     property, tag          KEY (with any value or none) or KEY=VALUE
 *     state                  LIST of states: the effective one
 *     status                 up, or down: any state but up
 *     subsystem              LIST of subsystems that the pool is in
 *     allocated, reserved    JOB; alone: by anybody; also KEY@TIME
 *     shared, staged         JOB; alone: by anybody
 *     start, end             TIME with any operator
 *     free, exclusive        stand alone; also free@TIME
 *
 * Down is inherited: the state of a pool is its own unless that is up, and
 * then that of the nearest pool above it that is not up. So is what is held:
 * all that is below a pool of which one job has all units is held by it, and
 * what is below a staged pool is staged.
 *
 * A span is half-open, from start up to end; without a start it has always
 * been, without an end it will always be. allocated@TIME asks for spans that
 * TIME is in, allocated for any span whatever. What was reserved is reserved
 * until it begins, and then allocated. start and end are those of a
 * claim, an allocation or a reservation, by which the pool is held; one is
 * enough. free is what is neither allocated nor reserved (at that time),
 * staged nor shared, as are all pools below it.
 *
 * Sizes are compared in bytes if both the pool and the criterion have a unit
 * of bytes (B, kB, KB, MB ... EB, KiB ... EiB), and in one measure if they are
 * one unit with SI prefixes, else their units have to be the same; a number
 * without a unit is compared with that of the pool.
 *
 * != is the opposite of =, but that a pool that has no rank, host, id, uuid,
 * claim, or unit that the criterion names satisfies neither.
 */
#ifndef REQUEST_FIND_H
#define REQUEST_FIND_H

#include "request/constraint.h"

/*
 * Read an expression; times are relative to `now` (seconds since the Epoch).
 * A new constraint, of which evaluation.h asks; NULL with a diag that names
 * the offset in bytes.
 */
struct constraint *find_parse(const char *text, double now, struct diag *d);

#endif /* REQUEST_FIND_H */
