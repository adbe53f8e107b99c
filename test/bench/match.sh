#!/usr/bin/env bash
# match.sh BUILD-DIR: how long one request takes on a graph of 1,000 nodes,
# reading aside, in microseconds: see test/bench/run.

set -eu -o pipefail
bin=$(cd "$1" && pwd)
asks=$bin/test/bench/asks

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# 1,000 nodes of 2 sockets, each with 24 cores and 4 GPUs.
awk '
function vertex(type, id, rank) {
    printf "%s{\"id\":\"%d\",\"metadata\":{\"type\":\"%s\",\"id\":%d," \
           "\"rank\":%d}}", n ? "," : "", n, type, id, rank
    return n++
}
function child(above, type, id, rank) {
    source[n] = above
    return vertex(type, id, rank)
}
BEGIN {
    printf "{\"graph\":{\"nodes\":["
    cluster = vertex("cluster", 0, -1)
    for (i = 0; i < 1000; i++) {
        node = child(cluster, "node", i, i)
        for (s = 0; s < 2; s++) {
            socket = child(node, "socket", s, i)
            for (c = s * 24; c < s * 24 + 24; c++)
                child(socket, "core", c, i)
            for (g = s * 4; g < s * 4 + 4; g++)
                child(socket, "gpu", g, i)
        }
    }
    printf "],\"edges\":["
    for (i = 1; i < n; i++)
        printf "%s{\"source\":\"%d\",\"target\":\"%d\"}", \
               (i > 1 ? "," : ""), source[i], i
    print "]}}"
}' </dev/null >free.json
"$bin/rset-alloc" allocate 1 --shape 'slot=1000/core=48' free.json >busy.json

ask() { # FILE ANSWER NAME SHAPE
    local micro answer
    read -r micro answer < <("$asks" "$1" "$4")
    [ "$answer" = "$2" ] || {
        echo "match.sh: $4: answered $answer" >&2
        return 1
    }
    printf '%s\t%s\t<=100\tmicroseconds: %s\n' "$3" "$micro" "$4"
}

ask free.json 0 match.slot slot/core=2
ask free.json 0 match.nodes 'node=2/slot/[core=4;gpu=1]'
ask free.json 0 match.units 'slot=10/[core=4;gpu]'
ask free.json 0 match.competing '[node=2/slot{a}/core=2;slot{b}/core=4]'
ask free.json 0 match.moldable 'node=4/slot/core=2-8'
ask busy.json 1 match.not-now 'slot/core=2'
ask busy.json 1 match.not-now-gpu 'node=2/slot/[core=4;gpu=1]'
ask free.json 3 match.never-cores slot/core=49
ask free.json 3 match.never-nodes node=1001
ask free.json 3 match.never-parts '[slot{a}/core=49;slot{b}/core=4]'
