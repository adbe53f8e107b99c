#!/usr/bin/env bash
# store.sh BUILD-DIR: measure durable stores of 10,000 nodes of 48 cores and 8
# GPUs: as R, as JGF, and as JGF with racks and sockets (racks), with no job and
# with 100,000 jobs: see test/bench/run.
#
# Times are CPU time, so that the disk does not matter, except where processes
# wait for each other, and for single commits.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"
alloc=$bin/rset-alloc
few=$(((runs + 2) / 3))
in_memory || quick=$scratch

"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 >R
"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 \
    -o jgf-compact >JGF
graph 10000 100 >racks
awk 'BEGIN { for (i = 0; i < 100000; i++) print "allocate h" i " -n1 -c4" }' \
    </dev/null >hundred
for set in R JGF racks; do
    for n in none held; do
        "$alloc" load --store "$quick/$set.$n" "$set"
    done
    "$alloc" batch --group-commit --no-R --store "$quick/$set.held" hundred \
        >answers
done

# --- one operation ----------------------------------------------------------

# times RUNS OPTION... -- STORE...: milliseconds of allocating and releasing on
# each of the stores, in `took`.
times() {
    local n=$1 commands=() options=()
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    for store; do
        commands+=("," "$alloc" allocate p --store "$store" "${options[@]}"
            "," "$alloc" release p --store "$store")
    done
    mapfile -t took < <(runs=$n costs "${commands[@]:1}" |
        awk '{ print $1 * 1000 }')
}

for set in R JGF racks; do
    [ "$set" = R ] && bar='<=20' || bar='<=50'
    times "$runs" -n1 -c4 -- "$quick/$set.none" "$quick/$set.held"
    for i in 0 1; do
        [ $i = 0 ] && name=allocate || name=release
        value "once.$name.$set.none" "$bar" 'ms: no job held' "${took[i]}"
        value "once.$name.$set.held" "$bar" 'ms: 100,000 jobs held' \
            "${took[i + 2]}"
        value "once.$name.$set.more" '<=3' 'the second to the first' \
            "${took[i + 2]} / ${took[i]}"
    done
    for ask in 'best-fit --policy best-fit' 'earliest --earliest' \
        'at --at +1h'; do
        read -r name option <<<"$ask"
        # shellcheck disable=SC2086 # words
        times "$few" -n1 -c4 --duration 1h $option -- "$quick/$set.held"
        value "once.$name.$set" '<=300' \
            "ms: allocate $option, 100,000 jobs held" "${took[0]}"
    done
    read -ra took < <(runs=$few costs \
        "$alloc" drain 77 --store "$quick/$set.held" , \
        "$alloc" undrain 77 --store "$quick/$set.held")
    value "once.drain.$set" - 'ms: drain, 100,000 jobs held' "${took[0]} * 1000"
done

# Count the syncs of the log and of other files: the directory.
syncs() { # COMMAND JOB OPTION...
    local name=$1
    shift
    strace -f -qq -y -e trace=fsync,fdatasync,sync_file_range,sync,syncfs \
        -o traced "$alloc" "$name" "$@" --store "$quick/counted" >answers
    value "once.$name.syncs" '<=1' 'syncs of the log' \
        "$(grep -c -e -wal traced || true)"
    value "once.$name.others" '<=1' 'other syncs' \
        "$(grep -c -v -e -wal traced || true)"
}
if command -v strace >/dev/null; then
    "$alloc" load --store "$quick/counted" R
    "$alloc" drain 0 --store "$quick/counted" # the log has begun
    syncs allocate p -n1 -c4
    syncs release p
fi

# The size of the log after them.
[ -n "${BENCH_FULL:-}" ] && n=10000 || n=1000
for ((i = 0; i < n; i += 50)); do
    times 25 -n1 -c4 -- "$quick/R.none"
    stat -c %s "$quick/R.none-wal"
done | awk -v n="$n" -v OFS='\t' '
    $1 > most { most = $1 }
    END { print "once.log", sprintf("%.2f", most / 1048576), "<=8",
                "MiB: the log at most, in " n " operations" }'

# --- many processes ---------------------------------------------------------

# share PROCESSES PAIRS: seconds for this number of pairs in each, in `took`.
share() {
    # shellcheck disable=SC2016 # the inner shell's
    read -ra took < <(runs=1 elapsed bash -c '
        for ((i = 0; i < $1; i++)); do
            "$3" "$2" "$4" allocate $i -n1 -c4 --store shared , \
                "$4" release $i --store shared >/dev/null &
            pids+=($!)
        done
        for pid in "${pids[@]}"; do
            wait "$pid" || exit
        done' bash "$1" "$2" "$measure" "$alloc")
}

for set in R JGF; do
    [ $set = R ] && pairs=4 || pairs=1
    [ -z "${BENCH_FULL:-}" ] || pairs=50
    "$alloc" load --store shared $set
    share 1 $((64 * pairs))
    one=${took[0]}
    share 64 "$pairs"
    value many.$set '>=0.5' "64 processes to one: $(awk -v one="$one" \
        -v many="${took[0]}" -v n=$((128 * pairs)) \
        'BEGIN { printf "%d to %d operations a second", n / many, n / one }' \
        </dev/null), $(beside)" "$one / ${took[0]}"
    rm shared*
done

# --- many operations of one process -----------------------------------------

# stream PAIRS STAY: print pairs. Each job is released after STAY others.
stream() {
    awk -v pairs="$1" -v stay="$2" 'BEGIN {
        for (i = 0; i < pairs + stay; i++) {
            if (i < pairs)
                print "allocate p" i " -n1 -c4"
            if (i >= stay)
                print "release p" i - stay
        }
    }' </dev/null
}

# batch HOW FILE OPTION...: seconds without reading the store, in `took`. HOW is
# costs or elapsed.
batch() {
    local without
    { read -ra without && read -ra took; } < <(runs=$few "$1" \
        "$alloc" batch --no-R --store used /dev/null , \
        "$alloc" batch --no-R "${@:3}" --store used "$2")
    took[0]=$(awk -v with="${took[0]}" -v without="${without[0]}" \
        'BEGIN { print with - without }' </dev/null)
}

# Print how often the log is synced in a second, or nothing if it can't be
# counted.
commits() { # FILE
    command -v strace >/dev/null || return 0
    strace -f --seccomp-bpf -qq -y -e trace=fdatasync -o traced "$alloc" \
        batch --no-R --group-commit --store used "$1" >answers
    awk -v took="${took[0]}" '/-wal/ { n++ }
        END { printf "%d syncs of the log a second", n / took }' traced
}

n=10000
stream $n 0 >passing
stream $n 2000 >staying
stream 500 0 >single
for set in R JGF; do
    "$alloc" load --store used "$set"
    for name in passing staying; do
        [ $name = passing ] && what='at once' || what='2,000 pairs later'
        batch costs $name --group-commit
        value batch.$name.$set '>=10000' \
            "pairs a second, released $what, $(commits $name)" \
            "$n / ${took[0]}"
    done
    batch elapsed single
    value batch.single.$set - \
        "commands a second, each a commit, $(beside)" "1000 / ${took[0]}"
    rm used*
done

# --- documents --------------------------------------------------------------

runs=1

# documents SET STORE BAR: measure loading (with BAR) and saving.
documents() {
    local store=$quick/$1.$2 name=$1.$2 load count save copy
    "$alloc" save --store "$store" >doc 2>revision
    {
        read -ra load
        read -ra count
        read -ra save
        read -ra copy
    } < <(costs "$alloc" load --store "$quick/new" doc , \
        "$bin/rset-match" --count core doc , "$alloc" save --store "$store" , \
        "$bin/rset-match" doc , rm "$quick/new" 2>revision)
    row "load.$name" "$3" "${load[0]}" "${count[0]}" ms \
        'load to rset-match --count'
    row "save.$name" '<=3' "${save[0]}" "${copy[0]}" ms 'save to rset-match'
    value "size.$name" - 'bytes: the store to the document' \
        "$(stat -c %s "$store") / $(stat -c %s doc)"
}

documents JGF none '<=3'
for set in R JGF; do
    [ $set = R ] && bar='<=6' || bar='<=3'
    documents $set held "$bar"
    versus jobs.$set '<=1' '' \
        'rset-alloc jobs, 100,000 jobs: of the store to of the document' \
        "$alloc" jobs --store "$quick/$set.held" , "$alloc" jobs doc
done
