#!/usr/bin/env bash
# time.sh BUILD-DIR: measure requests for other times: earliest starts on 10,000
# nodes with 10,000 allocations ahead, by rset-match --batch; pairs of allocate
# and release beside 100,000 reservations; and a queue in which each job gets
# the earliest start behind all jobs before it: see test/bench/run.
#
# The values are milliseconds of CPU time an answer, and answers a second.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"
runs=$(((runs + 2) / 3))

"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 >all

# Jobs of many sizes and ends; and two jobs on each node, so that the cluster
# has enough of everything long before any one node.
awk 'BEGIN { srand(1); for (i = 0; i < 10000; i++)
    print "allocate " i " -n1 -c" 4 + 4 * int(12 * rand()) " --duration " \
          100 + int(100000 * rand()) }' </dev/null >held
awk 'BEGIN {
    for (i = 0; i < 10000; i++)
        print "allocate " i " --shape node/slot/core=46 --duration " 1000 + i
    for (i = 0; i < 10000; i++)
        print "allocate b" i " --shape node/slot/core=2 --duration " 50000 + i
}' </dev/null >fragments
for set in held fragments; do
    "$bin/rset-alloc" batch $set --no-R --now 1000000 --save busy.$set all \
        >answers
done

earliest() { # NAME SET BAR N SHAPE WHAT
    local with without
    awk -v n="$4" -v shape="$5" 'BEGIN {
        for (i = 0; i < n; i++) print shape }' </dev/null >asks
    { read -ra without && read -ra with; } < <(costs \
        "$bin/rset-match" --batch /dev/null "$2" , \
        "$bin/rset-match" --batch asks --earliest --duration 3000 \
        --now 1000000 -o ranks "$2")
    awk -v name="$1" -v bar="$3" -v n="$4" -v with="${with[0]}" \
        -v without="${without[0]}" -v what="$6" 'BEGIN {
        printf "%s\t%.3f\t%s\tms: %s\n", name, 1000 * (with - without) / n,
               bar, what
    }'
}
earliest earliest.cores busy.held '<=5' 5000 slot/core=40 'a start of 40 cores'
earliest earliest.slots busy.held '<=5' 500 slot=6000/core=4 '6,000 slots'
earliest earliest.node busy.held '<=5' 5000 slot/node 'a whole node'
earliest earliest.many busy.held '<=50' 50 'node=9000{x}' '9,000 whole nodes'
earliest earliest.fragments busy.fragments '<=50' 50 slot/core=48 \
    'a whole node where all have two jobs'

awk 'BEGIN { for (i = 0; i < 100000; i++)
    print "allocate r" i " -n1 -c4 --duration 500 --at +" 3600 + i }' \
    </dev/null >ahead
awk 'BEGIN { for (i = 0; i < 100000; i++)
    print "allocate p" i " -n1 -c4 --duration 1h\nrelease p" i }' \
    </dev/null | cat ahead - >pairs
{ read -ra without && read -ra with; } < <(costs \
    "$bin/rset-alloc" batch ahead --no-R all , \
    "$bin/rset-alloc" batch pairs --no-R all)
awk -v with="${with[0]}" -v without="${without[0]}" 'BEGIN {
    took = with - without
    printf "pairs.ahead\t%d\t>=20000\ta second: with 100,000 reservations\n",
           100000 / (took > 0 ? took : 1e-6)
}'

# Each job gets nodes or slots after the jobs before it.
queue() { # NAME BAR N WHAT PROGRAM
    local took
    awk -v n="$3" "BEGIN { srand(2); for (i = 0; i < n; i++) { $5 } }" \
        </dev/null >queue
    read -ra took < <(costs "$bin/rset-alloc" batch queue --no-R --now 1000000 \
        all)
    awk -v name="$1" -v bar="$2" -v n="$3" -v took="${took[0]}" -v what="$4" \
        'BEGIN { printf "%s\t%.3f\t%s\tms: %s\n", name, 1000 * took / n,
                        bar, what }'
}
# shellcheck disable=SC2016 # awk's own
times='" --earliest --duration " 600 + int(20000 * rand())'
queue queue.nodes '<=1' 3000 'the next of 3,000 jobs of up to 200 nodes' \
    "print \"allocate \" i \" -N\" 1 + int(200 * rand() ^ 3) $times"
queue queue.slots '<=10' 800 'the next of 800 jobs of up to 2,000 slots' \
    "print \"allocate \" i \" -n\" 1 + int(2000 * rand() ^ 2) \" -c\" \
           1 + int(16 * rand()) $times"
