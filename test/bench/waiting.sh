#!/usr/bin/env bash
# waiting.sh BUILD-DIR: measure rset-alloc serve while many jobs wait: CPU time
# of one event, with jobs that are late, many queues, partitions, and other
# priorities. See test/bench/run.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"

"$bin/rset-discover" --hosts 'n[0-999]' --cores 0-47 --gpus 0-7 >R1000
"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 >R10000
"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 \
    --property p0:0-4999 --property p1:5000-9999 >parts

# event PHASE SET POLICY [OPTION|PHASE...]: print the least CPU time of one event
# of a phase, in milliseconds; a minute if the phases take longer than that.
# OPTIONs and PHASEs are those of busy; `with` has more options of the service.
with=()
event() {
    local phase=$1 set=$2 policy=$3 clock=(--now 0)
    shift 3
    [[ " $* " != *' -p '* ]] || clock=(--clock messages)
    (ulimit -t 60 && exec "$bin/test/bench/busy" "$@" -- "$bin/rset-alloc" serve \
        --dialect current --resources "$set" "${clock[@]}" \
        --queue-policy "$policy" "${with[@]}") >said ||
        echo "waiting.sh: $*: stopped" >&2
    awk -F '[: ]' -v phase="$phase" '
        $1 == phase { ms = 1000 * $5 / $3; n++ }
        $1 == phase && (n == 1 || ms < least) { least = ms }
        END { printf "%.3f\n", n ? least : 60000 }' said
}

# row NAME BAR VALUE TEXT; figure NAME BAR TEXT ARG...: print a line, with the
# result of event ARG....
row() {
    printf '%s\t%s\t%s\t%s\n' "waiting.$1" "$3" "<=$2" "$4"
}
figure() {
    row "$1" "$2" "$(event "${@:4}")" "ms of CPU time: $3"
}

late='clock:20000:1 clock:1:10 clock:1:10'
# shellcheck disable=SC2086 # phases are words
{
    figure late.easy 1 '10,000 jobs wait for late ones, a second passes' \
        clock R1000 easy -p hold:node:1000 wait:nodes/99:10000 $late
    figure late.idle 0.1 'the same, half of the nodes are idle' \
        clock R1000 easy -p hold:node:500 wait:nodes/600:10000 $late
    figure late.conservative 2 '800 jobs wait for late ones, depth 400' \
        clock R1000 conservative:400 -p hold:node:1000 wait:nodes/99:800 $late
    figure late.queues.400 1 'the same, each of 400 jobs in its queue' \
        clock R1000 easy -p -q 400 hold:node:1000 wait:node:400 $late
    figure late.queues.5000 1 'the same, 5,000 queues' \
        clock R1000 easy -p -q 5000 hold:node:1000 wait:node:5000 $late
}
figure late.queues.moved 20 '5,000 queues, and each reservation has to move' \
    clock R1000 easy -p -q 5000 hold:node:1000 wait:node:5000 clock:20000:1 \
    clock:100:10 clock:100:10
# shellcheck disable=SC2086
figure late.slots 150 '1,000 jobs wait for slots of many sizes' \
    clock R1000 conservative -p hold:slots/1:1000 wait:slots/99:1000 $late
figure queues.easy 2 '10,000 jobs wait in 1,000 queues, a job is freed' \
    free R1000 easy -q 1000 hold:node:1000 wait:node:10000 free:0:10 free:0:10
figure queues.fcfs 0.03 '1,000 queues, a job comes and waits' \
    wait R1000 fcfs -q 1000 hold:node:1000 wait:node:10000
figure priorities 200 '100,000 jobs get other priorities' \
    rank R10000 conservative hold:node:10000 wait:nodes/999:100000 rank:0:3
figure depth 50 '4,096 reservations, a job is freed' \
    free R10000 conservative:4096 hold:node:10000 wait:nodes/999:10000 free:0:5
figure slots 10 '1,000 jobs wait for slots of many sizes, a job is freed' \
    free R10000 conservative hold:slots/1:5000 wait:slots/99:1000 free:0:5
figure slots.easy 10 '1,000 nodes, easy: 300 jobs are freed one by one' \
    free R1000 easy hold:slots/1:1000 wait:slots/99:1000 free:0:300
for kind in small:6000 blend:4000; do
    figure "${kind%:*}" 60 'small slots of many sizes, or with whole nodes, too' \
        free R10000 conservative "hold:${kind%:*}/30:${kind#*:}" \
        "wait:${kind%:*}/600:5000" free:0:10 free:0:10
done
for policy in conservative:5 easy:2; do
    figure "parts.${policy%:*}" "${policy#*:}" 'two partitions, a job is freed' \
        free parts "${policy%:*}" -c '{"properties":["p%"]}' -m 2 \
        hold:node:5000 wait:nodes/999:20000 free:0:10 free:0:10
done
figure hosts 100 '10,000 jobs wait, each names hosts of its own' \
    free R1000 easy -c '{"hostlist":["n[0,%]"]}' -m 999 hold:node:100 \
    wait:node:10000 free:0:10

# Pairs of an event are compared, so the least sums of several turns count.
frees=()
for ((i = 0; i < 10; i++)); do
    frees+=(free:0:20)
done
sum() { # OPTION...: CPU time of 180 frees
    "$bin/test/bench/busy" hold:slots/1:1000 wait:slots/99:3000 "${frees[@]}" -- \
        "$bin/rset-alloc" serve --dialect current --resources R1000 --now 0 \
        --queue-policy easy "$@" | awk '/^free/ && n++ { sum += $3 } END { print sum }'
}
in_memory || quick=$scratch
for ((i = 0; i < 10; i++)); do
    rm -f "$quick/mixed"*
    echo "$(sum) $(sum --store "$quick/mixed")"
done >sums
row store 1.1 "$(awk '
    NR == 1 || $1 < without { without = $1 }
    NR == 1 || $2 < with { with = $2 }
    END { printf "%.3f\n", with / without }' sums)" \
    'slots of many sizes, a job is freed: with a store to without'
