#!/usr/bin/env bash
# documents.sh BUILD-DIR: what it costs to read, check, count and record, by
# the side of jansson's json_loadb() on the same file: see test/bench/run.

set -eu -o pipefail
bin=$(cd "$1" && pwd)
measure=$bin/test/bench/measure
loadb=$bin/test/bench/loadb
runs=${BENCH_RUNS:-9}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# A million equal ranks are one entry of R_lite.
"$bin/rset-discover" --hosts 'node[0-999999]' --cores 0-47 --gpus 0-7 >r.json

# 1,000 nodes of 2 sockets, each with 24 cores and 4 GPUs: with the cluster
# 59,001 vertices and 59,000 edges. As rset-match writes them, all keys given.
graph() {
    awk '
    function vertex(type, id, rank, path) {
        printf "%s{\"id\":\"%d\",\"metadata\":{\"type\":\"%s\",\"basename\":" \
               "\"%s\",\"name\":\"%s%d\",\"id\":%d,\"rank\":%d,\"paths\":" \
               "{\"containment\":\"%s/%s%d\"}}}", n ? "," : "", n, type, \
               type, type, id, id, rank, path, type, id
        return n++
    }
    function child(above, type, id, rank, path) {
        source[n] = above
        return vertex(type, id, rank, path)
    }
    BEGIN {
        printf "{\"graph\":{\"nodes\":["
        cluster = vertex("cluster", 0, -1, "")
        for (i = 0; i < 1000; i++) {
            node = child(cluster, "node", i, i, "/cluster0")
            for (s = 0; s < 2; s++) {
                path = "/cluster0/node" i
                socket = child(node, "socket", s, i, path)
                path = path "/socket" s
                for (c = s * 24; c < s * 24 + 24; c++)
                    child(socket, "core", c, i, path)
                for (g = s * 4; g < s * 4 + 4; g++)
                    child(socket, "gpu", g, i, path)
            }
        }
        printf "],\"edges\":["
        for (i = 1; i < n; i++)
            printf "%s{\"source\":\"%d\",\"target\":\"%d\"}", \
                   (i > 1 ? "," : ""), source[i], i
        print "]}}"
    }' </dev/null
}
graph | "$bin/rset-match" -o jgf >jgf.json

# $(costs COMMAND...): the seconds and the KiB of memory.
costs() {
    "$measure" "$runs" "$@" </dev/null
}

row() { # NAME BAR MINE THEIRS UNIT WHAT
    awk -v name="$1" -v bar="$2" -v mine="$3" -v theirs="$4" -v unit="$5" \
        -v what="$6" 'BEGIN {
        scale = unit == "ms" ? 1000 : 1 / 1024
        printf "%s\t%.2f\t%s\t%s: %.1f to %.1f %s\n", name, mine / theirs,
               bar, what, mine * scale, theirs * scale, unit
    }'
}

count() { # NAME FILE TIME-BAR MEMORY-BAR WHAT
    local mine theirs
    read -ra mine < <(costs "$bin/rset-match" --count core "$2")
    read -ra theirs < <(costs "$loadb" "$2")
    row "$1.time" "$3" "${mine[0]}" "${theirs[0]}" ms "$5"
    row "$1.memory" "$4" "${mine[1]}" "${theirs[1]}" MiB "$5"
}

allocate() { # NAME FILE BAR WHAT
    local mine theirs
    read -ra mine < <(costs "$bin/rset-alloc" allocate 1 -n1 -c2 "$2")
    read -ra theirs < <(costs "$bin/rset-match" "$2")
    row "$1.time" "$3" "${mine[0]}" "${theirs[0]}" ms "$4"
}

count count.R r.json '<=2' '<=2' \
    'rset-match --count to json_loadb, R of 1,000,000 ranks'
count count.JGF jgf.json '<=1' '<=0.25' \
    'rset-match --count to json_loadb, JGF of 118,001 elements'
allocate allocate.R r.json '<=1.3' \
    'rset-alloc allocate to rset-match, R of 1,000,000 ranks'
allocate allocate.JGF jgf.json '<=1.3' \
    'rset-alloc allocate to rset-match, JGF of 118,001 elements'
