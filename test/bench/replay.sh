#!/usr/bin/env bash
# replay.sh BUILD-DIR: measure rset-alloc replay with a generated trace of 100,000
# jobs, with a backlog, on 1,000 nodes of 32 cores, under policies of the queue:
# see test/bench/run. With BENCH_FULL=1 also with 10,000 and 1,000,000 jobs: the
# time is linear.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"

"$bin/rset-discover" --hosts 'n[0-999]' --cores 0-31 >machine
TIMEFORMAT='%U'

# replays POLICY BAR JOBS
replays() {
    "$bin/test/replay/generate" "$3" 1 32000 8000 0 >trace
    took=$({ time "$bin/rset-alloc" replay trace --queue-policy "$1" machine >table; } 2>&1)
    printf 'replay.%s.%s\t%s\t<=%s\ts of CPU time: a trace of %s jobs\n' "$1" "$3" \
        "$took" "$2" "$3"
}

replays fcfs 10 100000
replays easy 10 100000
replays conservative 60 100000
[ -z "${BENCH_FULL-}" ] || {
    replays easy 1 10000
    replays easy 100 1000000
}
