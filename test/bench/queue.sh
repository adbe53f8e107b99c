#!/usr/bin/env bash
# queue.sh BUILD-DIR: measure the policies of the queue of rset-alloc serve, on
# 10,000 nodes of 48 cores and 8 GPUs: a pass with 10,000 running and 100,000
# pending jobs of 1,000 different requests, for whole nodes or for slots of
# cores; pairs of an allocation and a free where no job waits; jobs that take
# all nodes; and a million pending jobs. See test/bench/run.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"
busy=$bin/test/bench/busy

"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 >R
serve=("$bin/rset-alloc" serve --dialect current --resources R
    --now 0 --queue-policy)

# --- a pass -----------------------------------------------------------------

# passes KIND BAR POLICY [OPTION...]: print a line for each event that causes a
# pass, with the least CPU time of some rounds: a running job frees its node
# early, a job comes, and the first pending job, which has a reservation, is
# canceled. A service that computes for a minute is stopped. BAR is a number of
# milliseconds.
passes() {
    local kind=$1 bar=$2 rounds=() i n=5
    shift 2
    for ((i = 0; i < 3; i++)); do
        rounds+=("free:0:$n" "wait:$kind/999:$n" "cancel:0:$n")
    done
    (ulimit -t 60 && exec "$busy" "hold:$kind/1:10000" \
        "wait:$kind/999:100000" "${rounds[@]}" -- "${serve[@]}" "$@") >said ||
        echo "queue.sh: $*: $kind: stopped" >&2
    awk -F '[: ]' -v OFS='\t' -v n=$n -v kind="$kind" -v bar="<=$bar" \
        -v policy="$1" '$3 == n && (!least[$1] || $5 < least[$1]) {
            least[$1] = $5
        }
        END {
            event["free"] = "a job frees its resources"
            event["wait"] = "a job comes and waits"
            event["cancel"] = "a job with a reservation is canceled"
            for (name in event) {
                ms = name in least ? 1000 * least[name] / n : 60000
                print "queue." policy "." kind "." name, sprintf("%.2f", ms), bar,
                      "ms of CPU time: 100,000 jobs wait, " event[name]
            }
        }' said
}

passes nodes 10 easy
passes slots 10 easy
passes nodes 100 conservative --reservation-depth 64
# Parts of nodes: nearly every reservation moves, and is claimed again on up to
# 999 nodes.
passes slots 50 conservative --reservation-depth 64

# --- nothing waits ----------------------------------------------------------

for kind in cores node mixed; do
    for ((i = 0; i < 5; i++)); do
        for policy in fcfs easy; do
            "$busy" hold:mixed:4000 pairs:$kind:10000 -- "${serve[@]}" $policy |
                awk -v policy=$policy '/^pairs/ { print policy, $3 }'
        done
    done >said
    awk -v kind=$kind '!least[$1] || $2 < least[$1] { least[$1] = $2 }
        END {
            printf "queue.free.%s\t%.2f\t<=2\teasy to fcfs, nothing waits: " \
                   "%.1f to %.1f us a pair\n", kind,
                   least["easy"] / least["fcfs"], least["easy"] * 100,
                   least["fcfs"] * 100
        }' said
done

# --- all nodes become busy ----------------------------------------------------

for kind in node slots/1; do
    for ((i = 0; i < 3; i++)); do
        "$busy" hold:$kind:10000 -- "${serve[@]}" fcfs
    done | awk -v name="${kind%/1}" '
        /^hold/ && (!least || $3 < least) { least = $3 }
        END {
            printf "queue.start.%s\t%.1f\t<=100\t" \
                   "us of CPU time: a job starts, of 10,000\n", name, least * 100
        }'
done

# --- a million jobs ---------------------------------------------------------

"$busy" hold:node:10000 wait:nodes/999:1000000 -- "${serve[@]}" fcfs >said
awk '/^hold/ { before = $4 } /^wait/ {
    printf "queue.million.rate\t%d\t>=100000\tjobs a second of CPU time, " \
           "1,000,000 come and wait\n", 1e6 / $3
    printf "queue.million.memory\t%d\t<=250\tbytes for each of them\n",
           ($4 - before) * 1024 / 1e6
}' said
