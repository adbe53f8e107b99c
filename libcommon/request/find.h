/*
 * Find expressions: criteria for all data of a pool (RFC 4, Match and Find; RFC
 * 16, Find).
 *
 *     type=core,gpu and host=node[0-3] and not (state=down or allocated)
 *
 *     expression := or-part { `or` or-part }
 *     or-part    := and-part { `and` and-part }
 *     and-part   := [ `not` ] ( `(` expression `)` | criterion )
 *     criterion  := KEY OP VALUE | KEY
 *     OP         := `=` | `!=` | `<` | `<=` | `>` | `>=`
 *
 * A word ends at a blank or a parenthesis. In quotes '...' or "..." around a
 * value or a part of it, blanks, parentheses and other quotes have no meaning.
 * Keys and values are compared as they are spelled.
 *
 *     type, basename, unit   LIST of words; unit='' is a pool without a unit
 *     uuid                   LIST, of uuids that the document gives
 *     name                   HOSTLIST of names
 *     id                     IDSET, or < <= > >= with a number
 *     path                   /PATH or SUBSYSTEM:/PATH; if the last name is `*`,
 *                            everything below the path before it
 *     rank                   IDSET or < ...; of the target and all below it
 *     host                   HOSTLIST; of the target and all below it
 *     size                   NUMBER[UNIT] with any operator
 *     property, tag          KEY (with any value or none) or KEY=VALUE
 *     state                  LIST of states: the effective one
 *     status                 up, or down: any state but up
 *     subsystem              LIST of subsystems that the pool is in
 *     fed-by                 /PATH or SUBSYSTEM:/PATH of a pool from which
 *                            edges lead to this one, directly or over others
 *     allocated, reserved    JOB; alone: by anybody; also KEY@TIME
 *     shared, staged         JOB; alone: by anybody
 *     start, end             TIME with any operator
 *     free, exclusive        stand alone; also free@TIME
 *
 * States are inherited: a pool that is up itself has the state of the nearest
 * pool above it that is not up. Claims are inherited, too: if one job has all
 * units of a pool, it holds everything below the pool. Everything below a
 * staged pool is staged.
 *
 * A span is half-open, from start up to end. Without a start it has always
 * been; without an end it lasts for ever. allocated@TIME asks for spans that
 * contain TIME, allocated for any span. A reservation counts as reserved until
 * it begins, and as allocated from then on. start and end are those of the
 * claims by which the pool is held; one of several claims is enough. A pool is
 * free if neither it nor any pool below it is allocated, reserved (at that
 * time), staged or shared.
 *
 * Sizes are compared in bytes if pool and criterion both have units of bytes
 * (B, kB, KB, MB ... EB, KiB ... EiB), and in one measure if both have one unit
 * with SI prefixes. Otherwise the units have to be equal. A number without a
 * unit is compared with the number of the pool.
 *
 * != is the opposite of =, with an exception: a pool without a rank, host, id,
 * uuid, claim, or without the unit that the criterion names, satisfies neither.
 */
#ifndef REQUEST_FIND_H
#define REQUEST_FIND_H

#include "request/constraint.h"

/*
 * Read an expression. Times are relative to `now` (seconds since the Epoch).
 * Returns a new constraint for evaluation.h, or NULL with a diag that has the
 * offset in bytes.
 */
struct constraint *find_parse(const char *text, double now, struct diag *d);

#endif /* REQUEST_FIND_H */
