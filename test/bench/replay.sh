#!/usr/bin/env bash
# replay.sh BUILD-DIR: measure replays of a generated trace of 20,000 jobs, with
# a backlog, on 1,000 nodes of 32 cores (test/replay/run), under policies of
# the queue: see test/bench/run. With BENCH_FULL=1 the trace has 100,000 jobs.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
replay=$(cd "$(dirname "$0")/../replay" && pwd)/run
. "$(dirname "$0")/common.bash"

jobs=20000
[ -z "${BENCH_FULL-}" ] || jobs=100000
TIMEFORMAT='%R %U %S'

replays() { # POLICY
    { time "$replay" "$bin" OUT=out JOBS=$jobs POLICY="$1" >table; } 2>took
    awk -v OFS='\t' -v name="replay.$1" -v jobs=$jobs '{
        print name, sprintf("%.1f", $2 + $3), "<=" jobs / 100000 * 120,
              sprintf("s of CPU time, %.1f of time: a trace of %d jobs", $1, jobs)
    }' took
}

replays fcfs
replays easy
