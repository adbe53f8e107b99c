#!/usr/bin/env bash
# documents.sh BUILD-DIR: measure reading, checking, counting, recording and
# writing, beside jansson's json_loadb() and json_dumpb() on the same file: see
# test/bench/run.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"

# A million equal ranks are one entry of R_lite.
"$bin/rset-discover" --hosts 'node[0-999999]' --cores 0-47 --gpus 0-7 >r.json

# Nodes of 2 sockets, each with 24 cores and 4 GPUs: 1,000 nodes are 59,001
# vertices with the cluster, and 59,000 edges. With all keys, as rset-match
# writes them.
graph 1000 | "$bin/rset-match" -o jgf >jgf.json

count() { # NAME FILE TIME-BAR MEMORY-BAR WHAT
    local mine theirs
    read -ra mine < <(costs "$bin/rset-match" --count core "$2")
    read -ra theirs < <(costs "$loadb" "$2")
    row "$1.time" "$3" "${mine[0]}" "${theirs[0]}" ms "$5"
    row "$1.memory" "$4" "${mine[1]}" "${theirs[1]}" MiB "$5"
}

write_back() { # NAME FILE BAR WHAT
    local mine theirs
    read -ra mine < <(costs "$bin/rset-match" "$2")
    read -ra theirs < <(costs "$loadb" -d "$2")
    row "$1.time" "$3" "${mine[0]}" "${theirs[0]}" ms "$4"
}

# Ten times the size must not cost much more than ten times the time.
grow() { # NAME FILE LARGER BAR WHAT
    local small large
    read -ra small < <(costs "$bin/rset-match" --count core "$2")
    read -ra large < <(runs=3 costs "$bin/rset-match" --count core "$3")
    row "$1.time" "$4" "${large[0]}" "${small[0]}" ms "$5"
    row "$1.memory" "$4" "${large[1]}" "${small[1]}" MiB "$5"
}

allocate() { # NAME FILE BAR WHAT
    local mine theirs
    read -ra mine < <(costs "$bin/rset-alloc" allocate 1 -n1 -c2 "$2")
    read -ra theirs < <(costs "$bin/rset-match" "$2")
    row "$1.time" "$3" "${mine[0]}" "${theirs[0]}" ms "$4"
}

count count.R r.json '<=2' '<=2' \
    'rset-match --count to json_loadb, R of 1,000,000 ranks'
count count.JGF jgf.json '<=1' '<=0.2' \
    'rset-match --count to json_loadb, JGF of 118,001 elements'
write_back write.JGF jgf.json '<=2' \
    'rset-match to json_loadb and json_dumpb, JGF of 118,001 elements'
allocate allocate.R r.json '<=1.3' \
    'rset-alloc allocate to rset-match, R of 1,000,000 ranks'
allocate allocate.JGF jgf.json '<=1.3' \
    'rset-alloc allocate to rset-match, JGF of 118,001 elements'

graph 10000 | "$bin/rset-match" -o jgf >large.json
grow grow.JGF jgf.json large.json '<=12' \
    'rset-match --count, JGF of 1,180,001 to one of 118,001 elements'
