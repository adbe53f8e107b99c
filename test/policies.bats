#!/usr/bin/env bats
# --policy: the order in which pools are taken; and --node-exclusive.

# shellcheck disable=SC2154 # run sets output

load common

# graph NODE...: print nodes of 2 sockets with 4 cores and a GPU each. A NODE is
# RACK:PERF_CLASS.
graph() {
    printf '%s\n' "$@" | jq -Rcn '
        def vertex($id; $type; $n; $rank; $more): {id: $id, metadata:
            ({type: $type, id: $n, rank: $rank} + $more)};
        def edge($from; $to): {source: $from, target: $to};
        [inputs | split(":")] as $nodes
        | [$nodes[][0]] | unique as $racks
        | {graph: {
            nodes: ([vertex("c"; "cluster"; 0; -1; {})]
                + [$racks[] | vertex("r" + .; "rack"; tonumber; -1; {})]
                + [$nodes | to_entries[] | .key as $n | .value[1] as $class
                   | vertex("n\($n)"; "node"; $n; $n;
                         if $class then {properties: {perf_class: $class}}
                         else {} end),
                     (range(2) as $s
                      | vertex("n\($n)s\($s)"; "socket"; $s; $n; {}),
                        vertex("n\($n)g\($s)"; "gpu"; $s; $n; {}),
                        (range(4) | vertex("n\($n)c\($s * 4 + .)"; "core";
                             $s * 4 + .; $n; {})))]),
            edges: ([$racks[] | edge("c"; "r" + .)]
                + [$nodes | to_entries[] | .key as $n
                   | edge("r" + .value[0]; "n\($n)"),
                     (range(2) as $s | edge("n\($n)"; "n\($n)s\($s)"),
                        edge("n\($n)s\($s)"; "n\($n)g\($s)"),
                        (range(4) | edge("n\($n)s\($s)";
                             "n\($n)c\($s * 4 + .)")))])}}'
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

takes() { # POLICY REQUEST WANT, of the set in set.json
    run -0 rset-match --policy "$1" --shape "$2" -o short set.json
    same "$1 $2: $output" "$1 $2: $3"
}

# Three nodes: 6, 2 and 4 of 8 cores are free.
partly() {
    rset-discover --hosts 'n[0-2]' --cores 0-7 |
        rset-alloc allocate 1 --shape 'node=1/slot/core=2' |
        rset-alloc allocate 2 --shape 'node=1/slot/core=6' --include 1 |
        rset-alloc allocate 3 --shape 'node=1/slot/core=4' --include 2 >set.json
}

@test "the resources that each policy takes first" {
    partly
    takes first slot/core=2 'rank0/core[2-3]'
    takes high slot/core=2 'rank2/core[6-7]'
    takes best-fit slot/core=2 'rank1/core[6-7]'
    takes worst-fit slot/core=2 'rank0/core[2-3]'
    takes best-fit slot/core=3 'rank2/core[4-6]'
    takes best-fit slot=4/core=2 \
        'rank0/core[2-3] rank1/core[6-7] rank2/core[4-7]'
    takes worst-fit slot=4/core=2 'rank0/core[2-7] rank2/core[4-5]'
    takes high slot=4/core=2 'rank[0-1]/core[6-7] rank2/core[4-7]'
    takes locality slot=4/core=2 'rank0/core[2-7] rank2/core[4-5]'
}

@test "the names in --help, and names of other programs for the same" {
    local names
    partly
    names=$(rset-match --complete 1 --policy '' | sed 1d | cut -f1)
    [ "$(wc -l <<<"$names")" = 9 ]
    for name in $names; do
        rset-match --help | grep -A3 -e --policy | grep -qw -e "$name"
        rset-match --policy "$name" -n1 set.json >/dev/null
    done
    for pair in first:low first:lonode high:hinode; do
        for shape in slot/core slot=3/core=3 'node=2/slot/core'; do
            same "$(rset-match --policy "${pair#*:}" --shape "$shape" set.json)" \
                "$(rset-match --policy "${pair%:*}" --shape "$shape" set.json)"
        done
    done
}

@test "high takes the last of equal ranks" {
    rset-discover --hosts 'n[0-9]' --cores 0-3 >set.json
    takes high 'node=3{x}/slot/core' 'rank[7-9]/core[0-3]'
    takes high slot=5/core=2 'rank7/core[2-3] rank[8-9]/core[0-3]'
    run -0 rset-match --policy high --exclude 'n[7,9]' -N2 -o ranks set.json
    same "$output" '6,8'
}

@test "nodes are ranked wherever they are; sockets are ranked by free cores" {
    graph 0: 0: 1: 1: >all
    rset-alloc allocate 1 --shape 'node=1/slot/core=2' all |
        rset-alloc allocate 2 --shape 'node=1/slot/core=3' --include 3 >set.json
    takes best-fit slot/core=1 'rank3/core3'
    takes best-fit slot/core=2 'rank3/core[3-4]'
    takes best-fit 'slot/[core;gpu]' 'rank3/core3,gpu0'
    takes worst-fit slot/core=1 'rank1/core0'
    takes worst-fit slot=17/core 'rank0/core4 rank[1-2]/core[0-7]'
    takes best-fit 'rack=1/node=2/slot/core=6' 'rank0/core[2-7] rank1/core[0-5]'
}

@test "variation: by perf_class, without one last" {
    graph 0:7 0: 1:3 1:10000 1:x 1:3 >set.json
    takes variation slot/core=8 'rank2/core[0-7]'
    takes variation slot=3/core=8 'rank[0,2,5]/core[0-7]'
    takes variation slot=4/core=8 'rank[0-2,5]/core[0-7]'
    rset-match -o r set.json | rset-match -o jgf >named.json
    grep -q '"perf_class=7":""' named.json
    mv named.json set.json
    takes variation slot=3/core=8 'rank[0,2,5]/core[0-7]'
}

@test "locality: in one socket, in one node, in one rack" {
    graph 0: 0: 1: 1: >all
    rset-alloc allocate 1 --shape 'node=1/slot/core=3' all |
        rset-alloc allocate 2 --take /cluster0/rack0/node0/socket1/core4=1 >set.json
    takes first slot/core=4 'rank0/core[3,5-7]'
    takes locality slot/core=4 'rank1/core[0-3]'
    takes locality slot/core=3 'rank0/core[5-7]'
    takes locality 'slot/[core=3;gpu]' 'rank0/core[5-7],gpu1'
    takes locality 'slot=2/[core=2;gpu]' 'rank0/core[3,5-7],gpu[0-1]'
    takes locality slot=2/core=8 'rank[2-3]/core[0-7]'
    takes locality 'node=2{x}/slot/core' 'rank[2-3]/core[0-7],gpu[0-1]'
}

@test "locality: room for the direct parts of a request, but not for all" {
    graph 0: 0: | rset-alloc allocate 1 --shape slot/core >set.json
    takes locality 'slot=1,4/socket{-x}/core=4' 'rank0/core[4-7]'
}

@test "locality: consecutive ids if there are enough" {
    rset-discover --hosts n0 --cores 0-9 |
        rset-alloc allocate 1 --take '/cluster0/n0/core2=1' |
        rset-alloc allocate 2 --take '/cluster0/n0/core5=1' >set.json
    takes first slot/core=3 'rank0/core[0-1,3]'
    takes locality slot/core=3 'rank0/core[6-8]'
    takes locality slot/core=2 'rank0/core[0-1]'
    takes locality slot/core=5 'rank0/core[0-1,3-4,6]'
}

@test "--node-exclusive: the job gets every touched node as a whole" {
    partly
    rset-discover --hosts 'm[0-1]' --ranks 3-4 --cores 0-7 |
        rset-diff --union set.json - >more.json
    run -0 rset-match --node-exclusive -n2 -c2 -o short more.json
    same "$output" 'rank3/core[0-7]'
    run -0 rset-match --node-exclusive -n9 -o short more.json
    same "$output" 'rank[3-4]/core[0-7]'
    run -1 rset-match --node-exclusive -n17 more.json
    run -3 rset-match --node-exclusive -c9 more.json
    for policy in high best-fit worst-fit variation locality; do
        run -0 rset-match --policy $policy --node-exclusive -n9 -o short more.json
        same "$output" 'rank[3-4]/core[0-7]'
    done
    rset-alloc allocate 9 -n1 --node-exclusive more.json >taken
    run -0 rset-alloc allocated 9 -o short taken
    same "$output" 'rank3/core[0-7]'
    run -1 rset-match -n1 --include 3 taken
}

@test "in rset-alloc, in both batches, and in messages" {
    partly
    run -0 rset-alloc allocate 7 -n1 -c2 --policy best-fit set.json
    same "$(rset-alloc allocated 7 -o short <<<"$output")" 'rank1/core[6-7]'
    run -0 rset-alloc batch - --no-R --save after set.json \
        <<<'allocate 7 -c2 --policy high'
    same "$(rset-alloc allocated 7 -o short after)" 'rank2/core[6-7]'
    run -0 rset-match --batch - -o short --policy best-fit set.json \
        <<<$'slot/core=2\n-c2 --policy worst-fit\n-c2'
    same "$output" '{"status":0,"R":"rank1/core[6-7]"}
{"status":0,"R":"rank0/core[2-3]"}
{"status":0,"R":"rank1/core[6-7]"}'
    run -2 --separate-stderr rset-match -n1 --policy bestfit set.json
    [[ $stderr == *'near it: best-fit'* ]]
    run -2 rset-match --policy high set.json
    run -2 rset-alloc release 1 --policy high set.json
}
