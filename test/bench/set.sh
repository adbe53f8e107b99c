#!/usr/bin/env bash
# set.sh BUILD-DIR: measure sets, beside ClusterShell's nodeset (Debian:
# clustershell) on the same input: see test/bench/run.
#
# A comparison counts only if both print the same bytes. Without nodeset the
# ratios are 0, and the times of idset are still printed.

set -eu -o pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
runs=${BENCH_RUNS:-9}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
ulimit -s 65536 2>/dev/null || true # for long command lines

idset=$bin/idset
nodeset=$(command -v nodeset || true)

# $(best RUNS COMMAND...): print the shortest time of some runs, in
# microseconds.
best() {
    local left=$1 start took least=
    shift
    for (( ; left > 0; left--)); do
        start=${EPOCHREALTIME/./}
        "$@"
        took=$((${EPOCHREALTIME/./} - start))
        [ -n "$least" ] && [ "$least" -le "$took" ] || least=$took
    done
    echo "$least"
}

row() { # NAME BAR A B WHAT: the value is A/B
    awk -v name="$1" -v bar="$2" -v a="$3" -v b="$4" -v what="$5" 'BEGIN {
        printf "%s\t%.2f\t%s\t%s: %.2f to %.2f ms\n", name, a / b, bar, what,
               a / 1000, b / 1000
    }'
}

# Print how many times as fast as nodeset. Both arguments are functions that
# read and write.
versus() { # NAME BAR OURS THEIRS WHAT
    local ours theirs
    ours=$(best "$runs" "$3" ours)
    if [ -z "$nodeset" ]; then
        printf '%s\t0\t-\t%s: nodeset is not installed; %s us\n' \
            "$1" "$5" "$ours"
        return
    fi
    theirs=$(best 1 "$4" theirs)
    cmp ours theirs >&2
    row "$1" "$2" "$theirs" "$ours" "nodeset to idset, $5"
}

# --- start-up ------------------------------------------------------------

hundred() { # COMMAND...
    local i
    for ((i = 0; i < 100; i++)); do
        "$@" >/dev/null
    done
}

start=$(best "$runs" hundred "$idset" 0-3)
true=$(best "$runs" hundred /bin/true)
row set.start '<=1.5' "$start" "$true" '100 times idset 0-3 to /bin/true'

# --- reading and writing -------------------------------------------------

seq -s , 0 2 1999998 >even

fold_ours() { "$idset" <even >"$1"; }
fold_theirs() { "$nodeset" -R -f <even >"$1"; }
versus set.fold '>=100' fold_ours fold_theirs 'fold 1,000,000 ranges'

# --- algebra -------------------------------------------------------------

# nodeset reads no files: its left side comes from standard input, its right
# side from arguments, as long as the kernel allows.
seq -s , 0 2 999998 >left
seq -s , 0 3 998997 >right
mapfile -t right < <(awk '{
    while (length($0) > 120000) {
        cut = 120000
        while (substr($0, cut, 1) != ",")
            cut--
        print substr($0, 1, cut - 1)
        $0 = substr($0, cut + 1)
    }
    print
}' right)
excluded=()
for part in "${right[@]}"; do
    excluded+=(-x "$part")
done

union_ours() { "$idset" @left @right >"$1"; }
union_theirs() { "$nodeset" -R -f - "${right[@]}" <left >"$1"; }
both_ours() { "$idset" @left -i @right >"$1"; }
both_theirs() { "$nodeset" -R -f "${right[@]}" -i - <left >"$1"; }
minus_ours() { "$idset" @left -x @right >"$1"; }
minus_theirs() { "$nodeset" -R -f - "${excluded[@]}" <left >"$1"; }
sizes='500,000 and 333,000 ranges'
versus set.union '>=50' union_ours union_theirs "union of $sizes"
versus set.intersection '>=50' both_ours both_theirs "intersection of $sizes"
versus set.difference '>=50' minus_ours minus_theirs "difference of $sizes"

# --- a line at a time ----------------------------------------------------

# A million lines, with 16 MiB of memory.
seq 0 3 2999997 >lines
lines() { (ulimit -v 16384 && "$idset" -l -x 3 <lines >"$1"); }
took=$(best "$runs" lines ours)
[ "$(wc -l <ours)" = 1000000 ]
awk -v took="$took" 'BEGIN {
    printf "set.lines\t%.2f\t>=1\tmillion lines a second, in 16 MiB\n",
           1000000 / took
}'

# --- hosts ---------------------------------------------------------------

# A fixed random order: steps of a prime around a circle.
awk 'BEGIN {
    for (i = 0; i < 100000; i++)
        print "node" (i * 61843) % 100000
}' </dev/null >hosts

hosts_ours() { "$idset" -H --uniq <hosts >"$1"; }
hosts_theirs() { "$nodeset" -f <hosts >"$1"; }
versus set.hosts '>=20' hosts_ours hosts_theirs 'fold 100,000 shuffled hosts'
