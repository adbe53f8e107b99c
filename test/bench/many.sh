#!/usr/bin/env bash
# many.sh BUILD-DIR: measure large numbers of objects: documents to unite, jobs
# on scattered ranks, overlapping properties, vertices to check or to patch,
# nodes to give back. See test/bench/run.
#
# The measure is reading the same documents (rset-match --count), or jansson's
# json_loadb() and json_dumpb() of them.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"
runs=$(((runs + 1) / 2))

# --- documents --------------------------------------------------------------

# 10,000 sets of a node with 48 cores and 8 GPUs, on ranks of their own, or all
# on rank 0 with different names.
documents() { # SAME-RANK
    awk -v same="$1" 'BEGIN {
        for (i = 0; i < 10000; i++)
            printf "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":" \
                   "\"%d\",\"children\":{\"core\":\"0-47\",\"gpu\":\"0-7\"}}" \
                   "],\"nodelist\":[\"node%d\"]}}\n", same ? 0 : i, i
    }' </dev/null
}

unite() { # NAME FILE WHAT [OPTION...]
    versus "$1" '<=3' '<=3' "$3" "$bin/rset-diff" --union "${@:4}" "$2" , \
        "$bin/rset-match" --count core "${alone:-$2}"
}

documents 0 >own
documents 1 >zero
what='10,000 sets of a node to rset-match --count'
unite unite.R own "rset-diff --union, $what"
unite unite.R.disjoint own "rset-diff --union --disjoint, $what" --disjoint
unite unite.R.host zero "rset-diff --union --key host, $what" --key host
sed 's/.*node\([0-9]*\).*/node\1: &/' zero >gathered
alone=zero unite unite.R.gathered gathered \
    "rset-diff --union --key host --remap, $what without hosts" --key host --remap
head -n 4000 own | "$bin/rset-match" -o jgf >own.jgf
head -n 4000 zero | "$bin/rset-match" -o jgf >zero.jgf
what='4,000 graphs of a node to rset-match --count'
unite unite.JGF own.jgf "rset-diff --union, $what"
unite unite.JGF.host zero.jgf "rset-diff --union --key host, $what" --key host

# --- vertices ---------------------------------------------------------------

"$bin/rset-discover" --hosts 'node[0-999]' --cores 0-47 --gpus 0-7 -o jgf \
    >graph.json
"$bin/rset-alloc" allocate 1 -N3 graph.json >held.json
# shellcheck disable=SC2016 # $0 is the inner shell's
versus patch.JGF '<=3' '<=3' \
    'rset-diff --patch to rset-diff, JGF of 57,001 vertices' \
    "$bin/rset-diff" --patch graph.json held.json , \
    sh -c '"$0" graph.json held.json || [ $? = 1 ]' "$bin/rset-diff"
versus validate.JGF '<=2' '<=2' \
    'rset-match --validate to --count, JGF of 57,001 vertices' \
    "$bin/rset-match" --validate graph.json , \
    "$bin/rset-match" --count core graph.json

# --- jobs -------------------------------------------------------------------

# 10,000 nodes of 48 cores. Each job has the next core of some of them.
jobs() { # JOBS NODES-EACH
    awk -v jobs="$1" -v width="$2" '
    BEGIN {
        printf "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":" \
               "\"0-9999\",\"children\":{\"core\":\"0-47\",\"gpu\":\"0-7\"}" \
               "}],\"nodelist\":[\"node[0-9999]\"]},\"attributes\":{" \
               "\"system\":{\"scheduler\":{\"allocations\":["
        for (j = 0; j < jobs; j++) {
            printf "%s{\"job\":%d,\"R_lite\":[", j ? "," : "", j
            for (i = 0; i < width; i++) {
                rank = (at += 7919) % 10000
                printf "%s{\"rank\":\"%d\",\"children\":{\"core\":\"%d\"}}", \
                       i ? "," : "", rank, next_core[rank]++
            }
            printf "],\"start\":%d,\"end\":%d}", 1000 + j, 9000 + j
        }
        print "]}}}}"
    }' </dev/null
}

records() { # NAME FILE MEMORY-BAR WHAT
    "$bin/rset-match" "$2" >canonical
    versus "$1.read" '<=3' "$3" "rset-match --count to json_loadb, $4" \
        "$bin/rset-match" --count core canonical , "$loadb" canonical
    versus "$1.write" '<=3' "$3" "rset-match to json_loadb and json_dumpb, $4" \
        "$bin/rset-match" canonical , "$loadb" -d canonical
}

jobs 10000 40 >wide.json
jobs 100000 4 >narrow.json
# jansson has the 40 ranks of a job as one string, of 5 bytes for each core that
# is held; a set has a lot and a grant for it, which are 2.45 times as large as
# all of jansson's values.
records records.wide wide.json '<=3.5' '10,000 jobs on 40 ranks each'
records records.narrow narrow.json '<=1' '100,000 jobs on 4 ranks each'

for n in 2000 8000; do
    jobs $n 40 | "$bin/rset-match" >canonical
    versus "allocate.scattered.$n" '<=3' '' \
        "rset-alloc allocate to json_loadb and json_dumpb, $n jobs on 40 ranks" \
        "$bin/rset-alloc" allocate x -n1 canonical , "$loadb" -d canonical
done

# --- changes ----------------------------------------------------------------

# Changes of all nodes of a set, a line each, in a batch.
for n in 20000 80000; do
    seq 0 $((n - 1)) | shuf --random-source=<(yes 7) >order.$n
    "$bin/rset-discover" --hosts "n[0-$((n - 1))]" --cores 0-3 >nodes.$n
done
for command in 'drain %d' 'state %d failing' 'tag %d k=v' 'property %d p' \
    'exclusive %d' 'drain /cluster0/n%d'; do
    for n in 20000 80000; do
        awk -v command="$command" '{ printf command "\n", $1 }' order.$n \
            >commands.$n
    done
    name=${command%% *}
    [ "$command" = "${command%/*}" ] || name=$name.path
    versus "batch.$name" '<=6' '' \
        "batch of '$command' in no order, 80,000 nodes to 20,000" \
        "$bin/rset-alloc" batch commands.80000 --no-R nodes.80000 , \
        "$bin/rset-alloc" batch commands.20000 --no-R nodes.20000
done

# 20,000 reservations of one core, one after the other, and one more.
awk 'BEGIN {
    printf "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-3\"," \
           "\"children\":{\"core\":\"0-3\"}}],\"nodelist\":[\"n[0-3]\"]}," \
           "\"attributes\":{\"system\":{\"scheduler\":{\"reservations\":["
    for (j = 0; j < 20000; j++)
        printf "%s{\"job\":%d,\"R_lite\":[{\"rank\":\"0\",\"children\":" \
               "{\"core\":\"0\"}}],\"start\":%d,\"end\":%d}", \
               j ? "," : "", j, 2000000000 + j, 2000000001 + j
    print "]}}}}"
}' </dev/null >pool.json
records records.pool pool.json '<=1' '20,000 reservations of a core'
for form in r jgf; do
    "$bin/rset-match" -o $form pool.json >pool.$form
    versus "allocate.pool.$form" '<=2' '' \
        'rset-alloc allocate to rset-match, 20,000 reservations of a core' \
        "$bin/rset-alloc" allocate x -n1 -c1 pool.$form , \
        "$bin/rset-match" pool.$form
done

# --- ranks that differ ------------------------------------------------------

awk '
function ranks(first, cores, i) {
    printf "{\"rank\":\"%d", first
    for (i = first + 2; i < 1000000; i += 2)
        printf ",%d", i
    printf "\",\"children\":{\"core\":\"%s\"}}", cores
}
BEGIN {
    printf "{\"version\":1,\"execution\":{\"R_lite\":["
    ranks(0, "0-3")
    printf ","
    ranks(1, "0-7")
    print "],\"nodelist\":[\"n[0-999999]\"]}}"
}' </dev/null >unlike.json
versus unlike.match '<=6' '<=6' \
    'rset-match -n2 -c4 to --count, 1,000,000 ranks, odd ones unlike even ones' \
    "$bin/rset-match" -n2 -c4 unlike.json , \
    "$bin/rset-match" --count core unlike.json

# --- properties -------------------------------------------------------------

awk 'BEGIN {
    printf "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-9999\"," \
           "\"children\":{\"core\":\"0-47\"}}],\"nodelist\":[" \
           "\"node[0-9999]\"],\"properties\":{"
    for (i = 0; i < 1000; i++)
        printf "%s\"p%d\":\"%d-%d\"", i ? "," : "", i, i, i + 5000
    print "}}}"
}' </dev/null >properties.json
read -ra mine < <(costs "$bin/rset-match" --count core properties.json)
awk -v seconds="${mine[0]}" -v kib="${mine[1]}" 'BEGIN {
    what = "rset-match --count, 1,000 overlapping properties on 10,000 nodes"
    printf "properties.time\t%.2f\t<=50\tms: %s\n", seconds * 1000, what
    printf "properties.memory\t%.2f\t<=100\tMiB: %s\n", kib / 1024, what
}'

# --- nodes of one job -------------------------------------------------------

# A job gives back all but one of its nodes, no two neighbours of which are
# equal.
n=20000
awk -v n=$n 'BEGIN {
    printf "{\"version\":1,\"execution\":{\"R_lite\":["
    for (i = 0; i < n; i++)
        printf "%s{\"rank\":\"%d\",\"children\":{\"core\":\"0-%d\"}}",
               i ? "," : "", i, 3 + i % 2
    printf "],\"nodelist\":[\"n[0-%d]\"]}}\n", n - 1
}' </dev/null >unequal.json
for shape in "node=$n{x}/slot/core" "slot=$n/node/core"; do
    "$bin/rset-alloc" allocate 1 --shape "$shape" unequal.json >held.json
    versus "release.${shape%%=*}" '<=4' '' \
        'rset-alloc release, all but one of 20,000 nodes to all' \
        "$bin/rset-alloc" release 1 --targets "1-$((n - 1))" held.json , \
        "$bin/rset-alloc" release 1 held.json
done
