#!/usr/bin/env bash
# drawings.sh BUILD-DIR: measure seconds and megabytes of drawings, with
# reading: see test/bench/run.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"
runs=$(((runs + 2) / 3))

# A job holds a fifth of the nodes whole, and another job some cores of as many.
fill() { # NODES
    local job
    for ((job = 1; job <= $1 / 20; job++)); do
        printf 'allocate %d -N4\nallocate s%d -n4 -c9\n' "$job" "$job"
    done
}

drawing() { # NAME NODES RACKS SECONDS
    local took
    graph "$2" "$3" >set.json
    fill "$2" | "$bin/rset-alloc" batch - --no-R --save busy.json set.json >answers
    read -ra took < <(costs "$bin/rset-match" -o svg busy.json)
    value "svg.$1.s" "<=$4" "rset-match -o svg, seconds, $2 nodes" "${took[0]}"
    value "svg.$1.MB" '<=20' "what it writes, megabytes" \
        "$("$bin/rset-match" -o svg busy.json | wc -c) / 1e6"
}

drawing 1000 1000 25 1
drawing 10000 10000 250 10

# For the last set, a map and a timeline, beside reading it.
look() { # NAME WORD...
    versus "$1" '<=2.5' '' "rset-alloc ${*:2}, beside status -q" \
        "$bin/rset-alloc" "${@:2}" busy.json , \
        "$bin/rset-alloc" -q status busy.json
}
look map.10000 status --map
look timeline.10000 timeline
look timeline.svg.10000 timeline -o svg
