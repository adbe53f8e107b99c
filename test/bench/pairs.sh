#!/usr/bin/env bash
# pairs.sh BUILD-DIR: measure allocating and releasing in one process, on 10,000
# nodes of 48 cores and 8 GPUs, by rset-alloc batch; and one answer of
# rset-match --batch: see test/bench/run.
#
# The values are numbers in a second of CPU time, without reading the set and
# allocating to the jobs before.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"
runs=$(((runs + 2) / 3))

"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 >R
"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 \
    -o jgf-compact >JGF

commands() { # HELD PAIRS REQUEST|REQUEST...
    awk -v held="$1" -v pairs="$2" -v requests="$3" 'BEGIN {
        n = split(requests, request, "|")
        for (i = 0; i < held; i++)
            print "allocate h" i " -n1 -c4"
        for (i = 0; i < pairs; i++)
            print "allocate p" i " " request[i % n + 1] "\nrelease p" i
    }' </dev/null
}

rate() { # NAME BAR N SECONDS SECONDS-WITHOUT WHAT
    awk -v name="$1" -v bar="$2" -v n="$3" -v with="$4" -v without="$5" \
        -v what="$6" 'BEGIN {
        took = with - without
        printf "%s\t%d\t%s\ta second: %s\n", name, n / (took > 0 ? took : 1e-6),
               bar, what
    }'
}

pairs=20000
ask() { # NAME SET HELD BAR REQUEST OPTION...; `without` is measured
    local name=$1 set=$2 held=$3 bar=$4 request=$5 with
    shift 5
    commands "$held" $pairs "$request" >with
    read -ra with < <(costs "$bin/rset-alloc" batch with "$@" "$set")
    rate "$name.$set.$held" "$bar" $pairs "${with[0]}" "${without[0]}" \
        "pairs of $request, $held jobs held"
}

mixed='-n1 -c4|-N2|-n3 -c2|-n1 -c6 -g1'
for set in R JGF; do
    for held in 100000 5000; do
        commands $held 0 x >without
        read -ra without < <(costs "$bin/rset-alloc" batch without --no-R \
            "$set")
        ask pairs.mixed "$set" $held '>=20000' "$mixed" --no-R
        [ $held = 100000 ] || continue
        ask pairs.node "$set" $held '>=20000' -N1 --no-R
        ask pairs.cores "$set" $held '>=20000' '-n1 -c4' --no-R
        ask pairs.gpu "$set" $held '>=20000' '-n1 -c6 -g1' --no-R
        ask pairs.timed "$set" $held '>=20000' '-n1 -c4 --duration 1h' --no-R
    done
    read -ra without < <(costs "$bin/rset-alloc" batch without "$set")
    ask pairs.answered "$set" 5000 '>=10000' "$mixed"
done

# The last pair costs as much as the first, and leaves nothing.
commands 0 20000 "$mixed" >short
commands 0 100000 "$mixed" >long
for set in R JGF; do
    {
        read -ra none
        read -ra short
        read -ra long
    } < <(costs "$bin/rset-alloc" batch /dev/null --no-R "$set" , \
        "$bin/rset-alloc" batch short --no-R "$set" , \
        "$bin/rset-alloc" batch long --no-R "$set")
    awk -v set="$set" -v none="${none[0]}" -v short="${short[0]}" \
        -v long="${long[0]}" -v before="${short[1]}" -v after="${long[1]}" \
        'BEGIN {
        printf "pairs.steady.%s\t%.2f\t<=6\t100,000 pairs to 20,000\n", set,
               (long - none) / (short - none)
        printf "pairs.memory.%s\t%.2f\t<=1.2\tmemory after these: %.1f to " \
               "%.1f MiB\n", set, after / before, after / 1024, before / 1024
    }'
done

answers() { # NAME SET BAR SHAPE WHAT
    local with without
    awk -v shape="$4" 'BEGIN { for (i = 0; i < 20000; i++) print shape }' \
        </dev/null >asked
    head -n 1 asked >one
    { read -ra without && read -ra with; } < <(costs \
        "$bin/rset-match" --batch one "$2" , \
        "$bin/rset-match" --batch asked "$2")
    rate "$1" "$3" 20000 "${with[0]}" "${without[0]}" "$5"
}
answers match.JGF JGF '>=20000' slot/core=4 'matches of 4 cores, as graphs'

# 100,000 ranks that all differ; few of them have the requested cores.
awk 'BEGIN {
    printf "{\"version\":1,\"execution\":{\"R_lite\":["
    for (i = 0; i < 100000; i++)
        printf "%s{\"rank\":\"%d\",\"children\":{\"core\":\"0-%d\",\"gpu\":" \
               "\"%d-%d\"}}", i ? "," : "", i, i % 97 + 1, i % 11,
               i % 11 + i % 7 + 1
    print "]}}"
}' </dev/null >unlike
answers match.unlike unlike '>=10000' slot/core=97 \
    'matches among 100,000 ranks that all differ'
