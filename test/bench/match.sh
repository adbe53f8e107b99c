#!/usr/bin/env bash
# match.sh BUILD-DIR: measure one request on a graph of 1,000 nodes, without
# reading, in microseconds: see test/bench/run.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"
asks=$bin/test/bench/asks

graph 1000 0 0 64 >free.json
graph 1000 50 0 64 >racks.json
graph 1000 0 1 64 >unlike.json
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

# Requests whose parts compete, on a free machine and on one where jobs come and
# go: milliseconds.
awk 'BEGIN {
    srand(3)
    for (i = 0; i < 1500; i++)
        printf "allocate %d -n%d -c%d\n", i, 1 + int(3 * rand()),
               2 ^ int(5 * rand())
    for (i = 0; i < 1500; i += 3)
        print "release " i
}' </dev/null >commands
"$bin/rset-alloc" batch commands --no-R --save half.json unlike.json >/dev/null

compete() { # NAME ANSWER SHAPE
    local micro answer set
    for set in unlike half; do
        read -r micro answer < <("$asks" $set.json "$3")
        [ "$answer" = "$2" ] || {
            echo "match.sh: $3: answered $answer" >&2
            return 1
        }
        awk -v name="compete.$1.$set" -v micro="$micro" -v shape="$3" 'BEGIN {
            printf "%s\t%.1f\t<=200\tmilliseconds: %s\n", name, micro / 1000,
                   shape
        }'
    done
}

compete groups 0 '[node=2/slot{a}/[core=8;gpu=4];node=6/slot{b}/core=16]'
compete shapes 0 '[slot=50{a}/[core=4;gpu=1];slot=100{b}/core=8;slot=20{c}/[core=2;memory=32]]'
compete nested 0 'slot=100{o}/[slot{a}/core=6;slot=2{b}/core=3]'
compete moldable 0 'slot=10-200/[core=4;gpu=1]'
compete moldable-nodes 0 'node=10-100/slot/core=4-16'
compete sockets 0 'slot=100/[socket;memory=10]'
compete sockets-never 3 'slot=2001/[socket;memory=10]'
compete whole-nodes 0 '[node=100{x};slot=100/core=8]'
compete nodes 0 '[node=300/slot{a}/core=10;node=400/slot{b}/gpu=2;slot=100{c}/core=3]'
