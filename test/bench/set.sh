#!/usr/bin/env bash
# set.sh BUILD-DIR: measure sets, beside ClusterShell's nodeset (Debian:
# clustershell) on the same input: see test/bench/run.
#
# A comparison counts only if both print the same bytes. Without nodeset the
# ratios are 0, and the times of idset are still printed.

# shellcheck disable=SC1091,SC2154,SC2016 # what common.bash sets; bash -c
set -eu -o pipefail
export LC_ALL=C
. "$(dirname "$0")/common.bash"
ulimit -s 65536 2>/dev/null || true # for long command lines

export idset=$bin/idset
nodeset=$(command -v nodeset || true)
export nodeset

# Print how many times as fast as nodeset. Both arguments are commands of bash.
beats() { # NAME BAR OURS THEIRS WHAT
    local ours theirs
    read -ra ours < <(costs bash -c "$3 >ours")
    if [ -z "$nodeset" ]; then
        value "$1" - "$5: nodeset is not installed; ${ours[0]} s" 0
        return
    fi
    read -ra theirs < <(runs=1 costs bash -c "$4 >theirs")
    cmp ours theirs >&2
    row "$1" "$2" "${theirs[0]}" "${ours[0]}" ms "nodeset to idset, $5"
}

# --- start-up ------------------------------------------------------------

runs=100 versus set.start '<=1.5' '' 'idset 0-3 to /bin/true' "$idset" 0-3 , \
    /bin/true

# --- reading and writing -------------------------------------------------

seq -s , 0 2 1999998 >even

beats set.fold '>=100' '"$idset" <even' '"$nodeset" -R -f <even' \
    'fold 1,000,000 ranges'

# --- algebra -------------------------------------------------------------

# nodeset reads no files: its left side comes from standard input, its right
# side from arguments, as long as the kernel allows.
seq -s , 0 2 999998 >left
seq -s , 0 3 998997 >right
awk '{
    while (length($0) > 120000) {
        cut = 120000
        while (substr($0, cut, 1) != ",")
            cut--
        print substr($0, 1, cut - 1)
        $0 = substr($0, cut + 1)
    }
    print
}' right >parts
sed 's/^/-x /' parts >excluded

sizes='500,000 and 333,000 ranges'
beats set.union '>=50' '"$idset" @left @right' \
    '"$nodeset" -R -f - $(<parts) <left' "union of $sizes"
beats set.intersection '>=50' '"$idset" @left -i @right' \
    '"$nodeset" -R -f $(<parts) -i - <left' "intersection of $sizes"
beats set.difference '>=50' '"$idset" @left -x @right' \
    '"$nodeset" -R -f - $(<excluded) <left' "difference of $sizes"

# --- a line at a time ----------------------------------------------------

# A million lines, with 16 MiB of memory.
seq 0 3 2999997 >lines
read -ra took < <(costs bash -c \
    'ulimit -v 16384 && exec "$idset" -l -x 3 <lines >ours')
[ "$(wc -l <ours)" = 1000000 ]
value set.lines '>=1' 'million lines a second, in 16 MiB' "1 / ${took[0]}"

# --- hosts ---------------------------------------------------------------

# A fixed random order: steps of a prime around a circle.
awk 'BEGIN {
    for (i = 0; i < 100000; i++)
        print "node" (i * 61843) % 100000
}' </dev/null >hosts

beats set.hosts '>=20' '"$idset" -H --uniq <hosts' '"$nodeset" -f <hosts' \
    'fold 100,000 shuffled hosts'
