#!/usr/bin/env bash
# serve.sh BUILD-DIR: measure rset-alloc serve with a job manager that has 64
# requests on their way at a time, on 10,000 nodes of 48 cores and 8 GPUs: pairs
# of an allocation and a free, under each policy, with stores, on a full
# machine; and how soon a new service knows the resources of 100,000 jobs: see
# test/bench/run. With BENCH_FULL=1 (make bench-full) each request under each
# policy, and more pairs.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"
busy=$bin/test/bench/busy
in_memory || quick=$scratch

# The service alone, with the default options.
serve=("$bin/rset-alloc" serve)

"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 >R
"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 \
    -o jgf-compact >JGF

# rates NAME BAR WHAT: print a line for each kind of pairs in `said`: the most
# pairs in a second of the service's CPU time, and of elapsed time.
rates() {
    awk -F '[: ]' -v OFS='\t' -v name="$1" -v bar="$2" -v what="$3" '
        function most(of, x) { return of[$2] > x ? of[$2] : x }
        $1 == "pairs" || $1 == "turn" {
            cpu[$2] = most(cpu, $3 / $5)
            time[$2] = most(time, $3 / $4)
        }
        END {
            for (kind in cpu)
                print name "." kind, sprintf("%d", cpu[kind]), bar,
                      sprintf("pairs a second of CPU time, %d, %s",
                              time[kind], what)
        }' said
}

# took NAME BAR PHASES WHAT: print the seconds of these phases of `said`.
took() {
    awk -v OFS='\t' -v name="$1" -v bar="$2" -v phases=" $3 " -v what="$4" '
        {
            split($1, phase, ":")
            if (index(phases, " " phase[1] " ")) {
                time += $2
                cpu += $3
            }
        }
        END {
            print name, sprintf("%.2f", cpu), bar,
                  sprintf("s of CPU time, %.2f of time: %s", time, what)
        }' said
}

# --- pairs ------------------------------------------------------------------

# Jobs of many sizes; every second one is gone.
some=(hold:mixed:8000 drop:2:0)
# Each kind three times, because only the best counts.
n=4000
kinds=() mixed=()
for ((i = 0; i < 3; i++)); do
    kinds+=("pairs:cores:$n" "pairs:node:$n" "pairs:gpu:$n" "pairs:mixed:$n")
    mixed+=("pairs:mixed:$n")
done

for set in R JGF; do
    for policy in first high best-fit worst-fit locality variation; do
        if [ $policy = first ] || [ "${BENCH_FULL-}" ]; then
            phases=("${kinds[@]}")
        else
            phases=("${mixed[@]}")
        fi
        "$busy" "${some[@]}" "${phases[@]}" -- "${serve[@]}" \
            --dialect current --resources $set --policy $policy >said
        rates "serve.$set.$policy" '>=20000' 'R in the answer'
    done
done
"$busy" -g R "${some[@]}" "${mixed[@]}" -- "${serve[@]}" --dialect current >said
rates serve.provided '>=20000' 'a provider on the same streams'

# --- stores -----------------------------------------------------------------

# Print how often the log is synced in a second, or nothing if it can't be
# counted.
commits() { # FOLDER SET
    command -v strace >/dev/null || return 0
    strace -f --seccomp-bpf -qq -y -e trace=fdatasync -o traced \
        "$busy" pairs:mixed:2000 -- "${serve[@]}" --resources "$2" \
        --store "$1/counted" >said
    rm "$1"/counted*
    awk '/-wal/ { n++ } END { printf "%d pairs a commit, ", 2000 / n }' traced
}

for set in R JGF; do
    for folder in "$scratch" "$quick"; do
        [ "$folder" = "$quick" ] && name=memory || name=disk
        what="$(commits "$folder" $set)$(beside)"
        "$busy" "${mixed[@]}" -- "${serve[@]}" --resources $set \
            --store "$folder/used" >said
        rm "$folder"/used*
        rates "serve.$set.store.$name" '>=10000' "$what"
    done
done

# Each R is synced before the job gets its answer.
for folder in "$scratch" "$quick"; do
    [ "$folder" = "$quick" ] && name=memory || name=disk
    mkdir "$folder/kvs"
    "$busy" pairs:mixed:2000 -- "${serve[@]}" --resources R \
        --kvs "$folder/kvs" >said
    rates "serve.R.kvs.$name" - "$(beside)"
    rm -r "$folder/kvs"
done

# --- a full machine ---------------------------------------------------------

# waiting: print the seconds of CPU time for jobs that come and wait.
waiting() {
    awk -F '[: ]' '$1 == "wait" { print $5 }' said
}

# Each free lets the first job of a long queue in, and the next one waits.
for set in R JGF; do
    "$busy" hold:node:10000 wait:node:100000 turn:node:2000 turn:node:2000 \
        turn:node:2000 -- "${serve[@]}" --dialect current --resources $set >said
    rates serve.$set.full '>=10000' '100,000 jobs wait'
    took serve.$set.wait - wait '100,000 jobs come and wait'
    [ $set = JGF ] || without=$(waiting)
done
"$busy" hold:node:10000 wait:node:100000 -- "${serve[@]}" --resources R \
    --store "$quick/waiting" >said
row serve.R.wait.store '<=1.6' "$(waiting)" "$without" ms \
    '100,000 jobs come and wait, with a store to without'
rm "$quick"/waiting*

# --- reservations of the site -----------------------------------------------

printf '%s\n' '{"topic":"job-manager.sched-hello","matchtag":1,"errnum":61}' \
    '{"topic":"job-manager.sched-ready","matchtag":2,"payload":{"count":0}}' \
    >hello
for ((i = 0; i < 50; i++)); do
    echo '{"topic":"sched.reserve","matchtag":3,"payload":{"name":"a",' \
        '"targets":"0-9999","start":2000,"duration":500}}'
    echo '{"topic":"sched.unreserve","matchtag":3,"payload":{"name":"a"}}'
done | cat hello - >windows
{ read -r with _ && read -r without _; } < <(costs sh -c \
    "'$bin/rset-alloc' serve --dialect current --resources JGF --now 0 <windows" \
    , sh -c \
    "'$bin/rset-alloc' serve --dialect current --resources JGF --now 0 <hello")
value serve.JGF.site '<=20' 'ms: all nodes are reserved and freed' \
    "1000 * ($with - $without) / 50"

# --- memory -----------------------------------------------------------------

[ "${BENCH_FULL-}" ] && more=1000000 || more=50000
for set in R JGF; do
    "$busy" "${some[@]}" pairs:mixed:10000 "pairs:mixed:$more" -- "${serve[@]}" \
        --dialect current --resources $set >said
    awk -v set=$set -v more="$more" '/pairs/ { kib[++n] = $4 } END {
        printf "serve.%s.memory\t%.2f\t<=1.05\tafter %d pairs more: %.1f to " \
               "%.1f MiB\n", set, kib[2] / kib[1], more, kib[2] / 1024,
               kib[1] / 1024
    }' said
done

# --- a new beginning --------------------------------------------------------

awk 'BEGIN { for (i = 1; i <= 100000; i++) print "allocate", i, "-n1 -c4" }' \
    </dev/null >hundred
for set in R JGF; do
    "$bin/rset-alloc" load --store "$quick/$set.held" $set
    "$bin/rset-alloc" batch --group-commit --no-R --store "$quick/$set.held" \
        hundred >answers
    "$busy" -e 100000 -- "${serve[@]}" --dialect current --resources $set \
        --store "$quick/$set.held" >said
    took serve.$set.again.store '<=2' hello '100,000 jobs in a store'
    took serve.$set.again.read - start 'to read it and the resources before'
    "$busy" -s jobs hold:cores:100000 -- "${serve[@]}" --dialect current \
        --resources $set >said
    "$busy" -h jobs -- "${serve[@]}" --dialect current --resources $set >said
    took serve.$set.again.given '<=2' hello \
        "R of 100,000 jobs, $(stat -c %s jobs) bytes"
    [ $set = JGF ] || mv jobs given
done
mv given jobs
"$busy" -h jobs -- "${serve[@]}" --dialect current --resources JGF >said
took serve.JGF.again.plain '<=2' hello 'R of 100,000 jobs, without graphs'

"$bin/rset-discover" --hosts 'n[0-9998]' --cores 0-47 --gpus 0-7 >fewer
"$busy" -e 100000 -t 9999 -g fewer -- "${serve[@]}" --dialect current \
    --store "$quick/R.held" >said 2>log
took serve.R.again.fewer '<=2' 'start hello' \
    '100,000 jobs in a store that had a node more'

mkdir "$quick/kvs"
sed 's/,"userid".*"R":/ /;s/}$//;s/^{"id"://' jobs |
    awk -v folder="$quick/kvs" '{ print $2 >(folder "/" $1 ".json")
        close(folder "/" $1 ".json") }'
"$busy" -e 100000 -- "${serve[@]}" --resources R --kvs "$quick/kvs" >said
took serve.R.again.kvs '<=2' hello "100,000 jobs in a folder"
rm -r "$quick/kvs"

# --- events of a provider ---------------------------------------------------

"$busy" -g R hold:cores:50000 states:0:10000 regrow:0:100 -- \
    "${serve[@]}" --store "$quick/events" >said 2>log
took serve.states '<=1' states '10,000 targets go offline or online, 50,000 jobs'
took serve.regrow - regrow '100 targets are taken away and given again'
