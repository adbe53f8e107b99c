#!/usr/bin/env bash
# policies.sh BUILD-DIR: measure the requests a second of each policy, on 1,000
# and 10,000 nodes of 2 sockets with 24 cores and 4 GPUs each, as R and as a
# graph, half full; the cost of ten times the nodes; and of failed requests
# beside matches: see test/bench/run. With BENCH_FULL=1 (make bench-full) with
# other fills and requests.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"
asks=$bin/test/bench/asks

plain() { # NODES
    "$bin/rset-discover" --hosts "n[0-$(($1 - 1))]" --cores 0-47 --gpus 0-7
}

# Jobs of many sizes, some of them released: FILL per cent are held.
jobs() { # NODES FILL
    awk -v nodes="$1" -v fill="$2" 'BEGIN {
        srand(7)
        for (held = 0; held < 48 * nodes; held += cores) {
            draw = rand()
            cores = draw < 0.3 ? 6 : 1 + int((draw < 0.8 ? 12 : 32) * rand())
            print "allocate", ++n, "-n1 -c" cores, draw < 0.3 ? "-g1" : ""
        }
        for (i = 1; i <= n; i++)
            if (100 * rand() >= fill)
                print "release", i
    }' </dev/null
}

policies='first high best-fit worst-fit locality variation'
requests=('slot/core=4' 'slot/[core=6;gpu=1]' 'node{x}/slot/core')
names=(cores gpu node)

# measure SET FILL: print a line for each policy and request: policy, name,
# number a second.
measure() {
    local list=() policy request name i=0 micro answer
    for policy in $policies; do
        for request in "${requests[@]}"; do
            list+=("$policy:$request")
        done
    done
    "$asks" "$1" "${list[@]}" | while read -r micro answer; do
        name=${names[i % ${#requests[@]}]}
        policy=${list[i]%%:*}
        i=$((i + 1))
        awk -v policy="$policy" -v name="$name" -v micro="$micro" \
            -v answer="$answer" 'BEGIN {
            print policy, name, 1e6 / micro, answer }'
    done
}

for nodes in 1000 10000; do
    for form in plain graph; do
        $form $nodes >all.$form.$nodes
    done
done

if [ "${BENCH_FULL-}" ]; then
    requests+=('slot=64/core=4' 'node=64{x}/slot/core' 'slot/core=48'
        'node=4/slot=2/[core=4;gpu=1]')
    names+=(slots nodes whole both)
    for form in plain graph; do
        for fill in 0 25 50 75 90 99; do
            jobs 10000 $fill >commands
            "$bin/rset-alloc" batch commands --no-R --save set all.$form.10000 \
                >/dev/null
            measure set | awk -v form=$form -v fill=$fill '{
                printf "%s.%s.%s.%d\t%d\t-\ta second: 10,000 nodes, %d %% " \
                       "held, status %d\n", $1, $2, form, fill, $3, fill, $4
            }'
        done
    done
    exit
fi

for form in plain graph; do
    for nodes in 1000 10000; do
        jobs $nodes 50 >commands
        "$bin/rset-alloc" batch commands --no-R --save set.$nodes \
            all.$form.$nodes >/dev/null
        measure set.$nodes >rates.$nodes
    done
    paste rates.1000 rates.10000 | awk -v form=$form '
        $4 != 0 || $8 != 0 { print "policies.sh: a no" > "/dev/stderr"; exit 1 }
        {
            wide = $1 == "locality" || $1 == "variation"
            printf "%s.%s.%s\t%d\t>=20000\ta second, 10,000 nodes half full\n",
                   $1, $2, form, $7
            printf "%s.%s.%s.size\t%.2f\t<=%d\tat 10,000 nodes to 1,000\n",
                   $1, $2, form, $3 / $7, wide ? 4 : 2
        }'
    # Failures that sums or the largest pool show, beside matches.
    for no in 'never.pool slot/core=49' 'never.total node=10001{x}' \
        'now.total node=9000{x}/slot/core'; do
        yes=slot/core=4
        [ "${no%% *}" = never.pool ] || yes='node{x}/slot/core'
        "$asks" set.10000 "$yes" "${no#* }" | awk -v name="${no%% *}" \
            -v form=$form 'NR == 1 { yes = $1 } NR == 2 {
            printf "refused.%s.%s\t%.2f\t<=2\tto a match: %.1f to %.1f us\n",
                   name, form, $1 / yes, $1, yes
        }'
    done
done
