#!/usr/bin/env bats
# Pools as pictures: folded and expanded trees, graphs for graphviz, drawings,
# and hierarchies other than containment.

load common

# busy: four nodes, some of them held, reserved, drained, and a GPU down.
busy() {
    rset-discover --hosts 'node[0-3]' --cores 0-3 --gpus 0-1 \
        --sockets-per-node 2 -o jgf |
        rset-alloc allocate 101 -N1 |
        rset-alloc allocate 102 -n1 -c2 |
        rset-alloc allocate 103 --now 1000 --at 2000 --duration 100 -N1 |
        rset-alloc drain node3 --reason 'a "bad" <disk>' --now 1000 |
        rset-alloc state /cluster0/node2/socket1/gpu1 down
}

# powered: a graph in which a panel supplies a node through two PDUs.
powered() {
    jq -nc '
        def vertex(id; type): {id: id, metadata: {type: type, id: 0}};
        def edge(from; to): {source: from, target: to};
        def power: .metadata = {subsystem: "power"};
        {graph: {nodes: [vertex("c"; "cluster"), vertex("o"; "core"),
                (vertex("n"; "node") | .metadata.rank = 0),
                vertex("p"; "panel"), vertex("u"; "pdu"),
                (vertex("v"; "pdu") | .metadata.id = 1)],
            edges: [edge("c"; "n"), edge("n"; "o"),
                (edge("p"; "u"), edge("p"; "v"), edge("u"; "n"),
                    edge("v"; "n") | power)]}}'
}

# wide N: an R of three equal nodes with so many types in each.
wide() {
    jq -nc --argjson n "$1" '{version: 1, execution: {nodelist: ["n[0-2]"],
        R_lite: [{rank: "0-2", children: ((["core"] + [range(10; $n + 9) | "t\(.)"]) |
            map({key: ., value: "0-1"}) | from_entries)}]}}'
}

# --- trees ------------------------------------------------------------------

@test "a tree sums up what is in equal pools, if that is more than 40 lines" {
    wide 40 >40.json
    wide 41 >41.json
    run -0 rset-match -o tree 40.json
    [ ${#lines[@]} = 42 ]
    run -0 rset-match -o tree 41.json
    [ ${#lines[@]} = 2 ]
    same "${lines[0]}" cluster0
    same "${lines[1]}" "  n[0-2]: 2 core$(printf ', 2 t%d' {10..49})  rank[0-2]"
    run -0 rset-match --include 1 -o tree 41.json # one pool is shown in full
    [ ${#lines[@]} = 43 ]
}

@test "a sum tells what is not up" {
    wide 41 | rset-alloc state /cluster0/n0/core1 down |
        rset-alloc state /cluster0/n1/core1 down |
        rset-alloc state /cluster0/n2/core1 down >down.json
    run -0 rset-match -o tree down.json
    same "${lines[1]%%, 2 t*}" '  n[0-2]: 2 core (1 not up)'
}

@test "--expand is a line a pool" {
    busy >busy.json
    run -0 rset-match --include 1-2 --expand -o tree busy.json
    same "$output" 'cluster0  shared by 102,103
  node1  rank1  shared by 102
    socket0  shared by 102
      core0  held by 102
      core1  held by 102
      gpu0
    socket1
      core2
      core3
      gpu1
  node2  rank2  reserved for 103
    socket0
      core0
      core1
      gpu0
    socket1
      core2
      core3
      gpu1  down'
    wide 2 >r.json
    run -0 rset-match --expand -o tree r.json
    same "$output" 'cluster0
  n0  rank0
    core0
    core1
    t100
    t101
  n1  rank1
    core0
    core1
    t100
    t101
  n2  rank2
    core0
    core1
    t100
    t101'
    run -0 rset-discover --hosts 'a,b' -o tree --expand
    same "$output" 'cluster0
  a  rank0
    core0
  b  rank1
    core0'
}

@test "more than eight jobs that share a pool are folded" {
    rset-discover --hosts n0 --cores 0-11 >r.json
    for job in 1 2 3 4 5 6 8; do
        rset-alloc allocate --in-place $job -n1 r.json
    done
    rset-alloc allocate --in-place a -n1 r.json
    run -0 rset-match -o tree r.json
    same "${lines[0]}" 'cluster0  shared by 1,2,3,4,5,6,8,a'
    rset-alloc allocate --in-place 9 -n1 r.json
    run -0 rset-match -o tree r.json
    same "${lines[0]}" 'cluster0  shared by 1-6,8-9,a'
}

# --- hierarchies ------------------------------------------------------------

@test "--subsystem shows another hierarchy than containment" {
    powered >power.json
    run -0 rset-match --subsystem power -o tree power.json
    same "$output" 'panel0
  pdu[0-1]
    node0  rank0'
    run -0 rset-match --subsystem containment -o tree power.json
    same "$output" 'cluster0
  node0  rank0
    core0'
    run -0 rset-match --subsystem power -o dot --expand power.json
    same "$(grep -c -- '->' <<<"$output")" 4
}

@test "what is recorded is in every hierarchy" {
    powered | rset-alloc allocate 7 -N1 | rset-alloc down /cluster0/node0 |
        rset-match --subsystem power --expand -o tree >out
    same "$(cat out)" 'panel0  shared by 7
  pdu0  shared by 7
    node0  rank0  down  held by 7
  pdu1  shared by 7
    node0  rank0  down  held by 7'
}

@test "a subsystem that is not there, and a form that has none" {
    powered >power.json
    refused 'rset-match: power.json: the set has no subsystem "powr"; near it: power' \
        rset-match --subsystem powr -o tree power.json
    for option in '--subsystem power' --expand; do
        # shellcheck disable=SC2086 # an option and its value
        run -2 --separate-stderr rset-match $option power.json
        [[ $stderr == "rset-match: ${option% *} needs -o tree"* ]]
    done
}

@test "a hierarchy deeper than 200 pools is refused" {
    jq -nc '{graph: {nodes: ([{id: "c", metadata: {type: "cluster", id: 0}}] +
        [range(202) | {id: "\(.)", metadata: {type: "pdu", id: .}}]),
        edges: ([range(202) | {source: "c", target: "\(.)"}] +
            [range(201) | {source: "\(.)", target: "\(. + 1)",
                metadata: {subsystem: "power"}}])}}' >deep.json
    refused 'rset-match: deep.json: subsystem "power" is more than 200 pools deep' \
        rset-match --subsystem power -o tree deep.json
}

# --- graphs for graphviz ----------------------------------------------------

@test "-o dot has a box for each line of the tree" {
    busy >busy.json
    rset-match -o dot busy.json >out
    same "$(grep -c label= out)" "$(rset-match -o tree busy.json | wc -l)"
    same "$(grep -c -- '->' out)" $(($(grep -c label= out) - 1))
    grep -qF 'n2 [label="node0\nrank0\nheld by 101"' out
    grep -qF '#drained={\"reason\":\"a \\\"bad\\\" <disk>\"}' out ||
        grep -qF 'bad' out
    rset-match -o dot busy.json | cmp - out
}

@test "graphviz reads -o dot" {
    needs dot
    busy | rset-alloc tag node1 $'a"&lt;\\n\e' | rset-match -o dot >out
    dot -Tsvg out >svg
    grep -q 'a&quot;&amp;lt;\\\\n\\x1b' svg
}
