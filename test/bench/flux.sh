#!/usr/bin/env bash
# Measure the module for Flux in an instance with fake nodes, beside
# sched-simple, sched-backfill and, if it is installed, Fluxion, all under the
# same policy of queues, as far as they have it. Each figure is the best of
# BENCH_RUNS (3) instances, in which the schedulers take turns; that of jobs of mixed
# sizes is of one.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
. "${BASH_SOURCE%/*}/common.bash"
jobs=$(cd "$OLDPWD" && pwd)/test/bench/flux_jobs.py
PATH=$PATH:$(pkg-config --variable=prefix flux-core)/bin
modules=$(pkg-config --variable=fluxmoddir flux-core)
runs=${BENCH_RUNS:-3}
peers='rset simple'
[ ! -e "$modules/sched-fluxion-qmanager.so" ] || peers="rset fluxion simple"

# In an instance: load a scheduler in place of sched-simple, with a policy.
cat >load <<'END'
case $1 in
rset)
    flux module remove sched-simple
    flux module load "$2/sched-rset.so" queue-policy="$3"
    ;;
backfill) # has easy only
    flux module remove sched-simple
    flux module load sched-backfill queue-depth=unlimited
    ;;
fluxion)
    flux module remove sched-simple
    flux module load sched-fluxion-resource load-allowlist=cluster,node,core
    flux module load sched-fluxion-qmanager queue-policy="$3"
    ;;
esac
flux python "${@:4}"
# Fluxion may abort the broker if it is not removed in order.
if [ "$1" = fluxion ]; then
    flux module remove sched-fluxion-qmanager
    flux module remove sched-fluxion-resource
fi
END

# best SCHEDULER NODES JOB...: print the most jobs a second, the least CPU time
# of the scheduler, and its share of the instance's. Each scheduler has a file
# of results for each size and kind of job.
best() {
    sort -k1,1nr "$1.$2" | awk 'NR == 1 { rate = $1 }
        NR == 1 || $2 < least { least = $2; all = $3 }
        END { print rate, least, least / all }'
}

# play FILE-SUFFIX PEERS NODES JOB...: under $policy.
policy=fcfs
play() {
    local run peer
    for ((run = 0; run < runs; run++)); do
        for peer in $2; do
            timeout 600 flux start -s1 --conf=fake-resources.nnodes="$3" \
                --conf=fake-resources.cores-per-node=16 \
                bash load "$peer" "$bin" "$policy" \
                "$jobs" "${@:4}" \
                >>"$peer.$1" 2>log || {
                cat log >&2
                exit 1
            }
        done
    done
}

# ratio NAME BAR PEER SIZE FIELD WHAT UNIT: print a ratio of the best figures.
ratio() {
    local mine theirs
    read -ra mine < <(best rset "$4")
    read -ra theirs < <(best "$3" "$4")
    value "$1" "$2" "$6: $(printf %.4g "${mine[$5]}") and $(
        printf %.4g "${theirs[$5]}") $7" "${mine[$5]} / ${theirs[$5]}"
}

for nodes in 100 1000 10000; do
    count=2000
    [ $nodes != 10000 ] || count=1000
    play $nodes "$peers" $nodes $count -n 1 0.001
    at="null jobs on $nodes nodes"
    case $nodes in
    10000) fluxion='>=2' simple='>=5' ;;
    *) fluxion='>=1' simple=- ;;
    esac
    case $peers in
    *fluxion*)
        ratio flux.$nodes.fluxion "$fluxion" fluxion $nodes 0 "$at" 'a second'
        ;;
    esac
    ratio flux.$nodes.simple "$simple" simple $nodes 0 "$at" 'a second'
    read -ra mine < <(best rset $nodes)
    value flux.$nodes.share '<=0.05' "of the instance's CPU time, $at" \
        "${mine[2]}"
done
# The test case that loads the module again while 2,000 jobs run.
MODULE=$bin/sched-rset.so timeout 600 flux start -s1 \
    --conf=fake-resources.nnodes=125 --conf=fake-resources.cores-per-node=16 \
    bash "${jobs%/bench/*}/flux/cases.bash" reloads >log 2>&1 || {
    cat log >&2
    exit 1
}
value flux.reload '<=3' 'seconds, with 2,000 running jobs' \
    "$(tr -dc '0-9 ' <said | awk '{ print $2 / 1000 }')"
case $peers in
*fluxion*)
    play backlog 'rset fluxion' 1000 1500 -N 4 1
    ratio flux.backlog '<=0.25' fluxion backlog 1 \
        '1,500 jobs of 4 nodes on 1,000, CPU time' s
    runs=1 # CPU time differs little
    for policy in easy conservative; do
        play $policy 'rset fluxion' 1000 2000 mixed
        at='2,000 jobs of mixed sizes on 1,000 nodes'
        ratio flux.$policy '<=0.25' fluxion $policy 1 "$at, CPU time" s
        ratio flux.$policy.rate - fluxion $policy 0 "$at" 'a second'
    done
    ;;
esac
if [ -e "$modules/sched-backfill.py" ]; then
    policy=easy # jobs of mixed sizes end it: "R contains ranks not in job"
    play backfill 'rset backfill' 1000 1500 -N 4 1
    ratio flux.backfill '<=0.25' backfill backfill 1 \
        '1,500 jobs of 4 nodes on 1,000, CPU time' s
fi
