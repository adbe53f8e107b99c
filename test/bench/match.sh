#!/usr/bin/env bash
# match.sh BUILD-DIR: how long one request takes on a graph of 1,000 nodes,
# reading aside, in microseconds: see test/bench/run.

set -eu -o pipefail
bin=$(cd "$1" && pwd)
asks=$bin/test/bench/asks

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# graph RACKS UNLIKE: 1,000 nodes, in so many racks, of 2 sockets, each with
# 24 cores, 4 GPUs and 64 GB; UNLIKE=1: every second node has 16 cores a
# socket, every third no GPU.
graph() {
    awk -v racks="$1" -v unlike="$2" '
    function vertex(type, id, rank, size) {
        printf "%s{\"id\":\"%d\",\"metadata\":{\"type\":\"%s\",\"id\":%d," \
               "\"rank\":%d,\"size\":%d}}", n ? "," : "", n, type, id, rank,
               size
        return n++
    }
    function child(above, type, id, rank, size) {
        source[n] = above
        return vertex(type, id, rank, size)
    }
    BEGIN {
        printf "{\"graph\":{\"nodes\":["
        above = cluster = vertex("cluster", 0, -1, 1)
        for (i = 0; i < 1000; i++) {
            if (racks && i % (1000 / racks) == 0)
                above = child(cluster, "rack", i * racks / 1000, -1, 1)
            cores = unlike && i % 2 ? 16 : 24
            gpus = unlike && i % 3 == 0 ? 0 : 4
            node = child(above, "node", i, i, 1)
            for (s = 0; s < 2; s++) {
                socket = child(node, "socket", s, i, 1)
                for (c = s * cores; c < (s + 1) * cores; c++)
                    child(socket, "core", c, i, 1)
                for (g = s * gpus; g < (s + 1) * gpus; g++)
                    child(socket, "gpu", g, i, 1)
                child(socket, "memory", s, i, 64)
            }
        }
        printf "],\"edges\":["
        for (i = 1; i < n; i++)
            printf "%s{\"source\":\"%d\",\"target\":\"%d\"}", \
                   (i > 1 ? "," : ""), source[i], i
        print "]}}"
    }' </dev/null
}
graph 0 0 >free.json
graph 50 0 >racks.json
graph 0 1 >unlike.json
cat >plain.json <<'EOF'
{"version":1,"execution":{"starttime":0,"expiration":0,
 "nodelist":["n[0-999]"],"R_lite":[
 {"rank":"0-499","children":{"core":"0-47","gpu":"0-7"}},
 {"rank":"500-999","children":{"core":"0-31"}}]}}
EOF
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

# Entries that compete for pools that are alike: N of @ can be had, and one
# more can't.
hard() { # FILE NAME N SHAPE
    local n=$3 wanted micro answer shape
    for wanted in 0 3; do
        shape=${4//@/$n}
        read -r micro answer < <("$asks" "$1" "$shape")
        [ "$answer" = "$wanted" ] || {
            echo "match.sh: $shape: answered $answer" >&2
            return 1
        }
        awk -v name="hard.$2" -v micro="$micro" -v shape="$shape" \
            -v suffix="$([ "$wanted" = 0 ] || echo -never)" 'BEGIN {
            printf "%s%s\t%.1f\t<=200\tmilliseconds: %s\n", name, suffix,
                   micro / 1000, shape
        }'
        n=$((n + 1))
    done
}

hard free.json sockets 500 '[slot=500{a}/core=25;slot=@{b}/socket=2]'
hard free.json three 1100 '[slot=@{a}/core=20;slot=900{b}/core=17;slot=900{c}/core=11]'
hard free.json types 2666 '[slot=700{a}/[core=20;gpu=3];slot=700{b}/[core=13;gpu=2];slot=@{c}/[core=9;gpu=1]]'
hard free.json moldable 600 '[slot=400-700{a}/[core=20;memory=65];slot=@{b}/socket=2]'
hard free.json shared 583 '[core=20000;slot=@{b}/socket=2]'
hard free.json whole 600 '[node=@/slot{a}/core=25;node=400/slot{b}/gpu=5]'
hard free.json nested 1000 'slot=@{o}/[slot{a}/[core=11;gpu=3];slot=2{b}/[core=6;gpu=1]]'
hard free.json nested-too 700 '[slot=300{a}/[slot=2{x}/core=12;slot{y}/socket];slot=@{b}/core=25]'
hard racks.json racks 10 'rack=50/[slot=10{a}/core=25;slot=@{b}/socket=2]'
hard racks.json racks-loose 10 '[rack=20/[slot=@{a}/core=25;slot=10{b}/socket=2];slot=700{c}/core=20]'
hard racks.json racks-nodes 20 '[rack=@/slot{a}/node=11;rack=30/slot{b}/node=10;slot=900{c}/core=20]'
hard unlike.json unlike 1800 '[slot=@{a}/core=15;slot=400{b}/[core=13;gpu=2];slot=300{c}/socket]'
hard unlike.json unlike-pools 1500 '[slot=500{a}/[core=20;memory=65];slot=@{b}/[core=14;memory=60]]'
hard plain.json plain 1250 '[slot=1000{a}/core=12;slot=500{b}/[core=13;gpu=2];slot=@{c}/core=14]'
hard plain.json plain-moldable 1000 '[slot=500+{a}/[core=25;gpu=1];slot=@{b}/core=20]'
