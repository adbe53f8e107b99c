#!/usr/bin/env bash
# serve.sh BUILD-DIR: rset-alloc serve with a job manager that has 64 requests
# on their way at a time, on 10,000 nodes of 48 cores and 8 GPUs: pairs of an
# allocation and a free, under each policy, with stores, on a full machine; and
# how soon a service that is started again knows what 100,000 jobs have: see
# test/bench/run. With BENCH_FULL=1 (make bench-full) each request under each
# policy, and more pairs.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"
busy=$bin/test/bench/busy
in_memory || quick=$scratch

# The service alone, and the options that it is given where nothing else is.
serve=("$bin/rset-alloc" serve)

"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 >R
"$bin/rset-discover" --hosts 'n[0-9999]' --cores 0-47 --gpus 0-7 \
    -o jgf-compact >JGF

# rates NAME BAR WHAT [WAITS]: of the pairs in `said`, a line for each kind: of a
# second of the CPU time of the service, or, where it waits for a disk, of time.
rates() {
    awk -F '[: ]' -v OFS='\t' -v name="$1" -v bar="$2" -v what="$3" \
        -v waits="${4-}" '$1 == "pairs" || $1 == "turn" {
            cpu = sprintf("%d", $3 / $5)
            all = sprintf("%d", $3 / $4)
            print name "." $2, waits ? all : cpu, bar,
                  "pairs a second" (waits ? ", " cpu " of CPU time" :
                  " of CPU time, " all " of time") ", " what
        }' said
}

# --- pairs ------------------------------------------------------------------

# Jobs of many sizes, of which each second has gone.
some=(hold:mixed:8000 drop:2:0)
n=20000
kinds=("pairs:cores:$n" "pairs:node:$n" "pairs:gpu:$n" "pairs:mixed:$n")

for set in R JGF; do
    for policy in first high best-fit worst-fit locality variation; do
        if [ $policy = first ] || [ "${BENCH_FULL-}" ]; then
            phases=("${kinds[@]}")
        else
            phases=("${kinds[3]}")
        fi
        "$busy" "${some[@]}" "${phases[@]}" -- "${serve[@]}" \
            --dialect current --resources $set --policy $policy >said
        rates "serve.$set.$policy" '>=20000' 'R in the answer'
    done
done
"$busy" -g R "${some[@]}" "${kinds[3]}" -- "${serve[@]}" --dialect current >said
rates serve.provided '>=20000' 'a provider on the same streams'

# --- stores -----------------------------------------------------------------

# How often the log is synced in a second; if that can't be counted, nothing.
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
        "$busy" "${kinds[3]}" -- "${serve[@]}" --resources $set \
            --store "$folder/used" >said
        rm "$folder"/used*
        rates "serve.$set.store.$name" '>=10000' "$what" waits
    done
done
