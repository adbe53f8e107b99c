#!/usr/bin/env bash
# events.sh BUILD-DIR: measure events for a provider of 10,000 targets with a
# scheduler: 100,000 events that take one or a few targets down or up, on its
# input and replayed from a file: see test/bench/run.
#
# The values are seconds of CPU time for all of them.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"
runs=$(((runs + 2) / 3))

"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 >all
echo '{"topic":"resource.acquire","matchtag":1,"flags":["streaming"],' \
    '"payload":{"group":"default"}}' >acquire

# events PROGRAM: print 100,000 lines, with name and idset chosen by awk.
events() {
    awk "BEGIN { srand(1); for (i = 0; i < 100000; i++) { $1
        print \"{\\\"timestamp\\\":\" i + 1 \",\\\"name\\\":\\\"\" name \\
              \"\\\",\\\"context\\\":{\\\"idset\\\":\\\"\" ids \"\\\"}}\" } }" \
        </dev/null
}

serves() { # NAME WHAT ARG...
    local name=$1 what=$2 took
    shift 2
    # shellcheck disable=SC2016 # the inner shell's own
    read -ra took < <(costs bash -c '"$0" serve --resources all "$@" <lines' \
        "$bin/rset-discover" "$@")
    awk -v name="$name" -v took="${took[0]}" -v what="$what" 'BEGIN {
        printf "%s\t%.2f\t<=2\ts: %s\n", name, took, what }'
}

# shellcheck disable=SC2016 # awk's own
states='split("offline online drain undrain torpid lively", names, " ")
    name = names[1 + int(6 * rand())]; ids = int(10000 * rand())'
events "$states" >log
cat acquire log >lines
serves events.states '100,000 states of one target'
events "$states"'
    for (k = ids; k < ids + 200 && k < 9990; k += 20) ids = ids "," k + 1' |
    cat acquire - >lines
serves events.many '100,000 states of some ten targets'
events 'name = i % 2 ? "include" : "exclude"; ids = int(i / 2) % 10000' |
    sed -E '/exclude/{p;s/.*"idset":("[0-9]+").*/{"topic":"resource.release","matchtag":2,"payload":{"group":"default","targets":\1}}/}' |
    cat acquire - >lines
serves events.groups '100,000 targets excluded, released, and included'
cp acquire lines
serves events.replay '100,000 states replayed from a file' --events log
