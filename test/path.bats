#!/usr/bin/env bats
# Pools by their path, in sets with a graph and without one.

load common

setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >a.json <<'JSON'
{"version":1,"execution":{"R_lite":[{"rank":"0-3","children":{"core":"0-3","gpu":"0"}}],"nodelist":["n[0-3]"]}}
JSON
    cat >fpga.json <<'JSON'
{"graph":{"nodes":[{"id":"0","metadata":{"type":"fpga","id":7}}],"edges":[]}}
JSON
    rset-match -o jgf a.json >a.jgf
}

# short: print the document on standard input in short form.
short() {
    rset-match -o short
}

# refused_path PATH FILE: status 2, and a message with PATH.
refused_path() {
    run -2 --separate-stderr rset-diff --unlink="$1" "$2"
    [ -z "$output" ]
    same "${stderr_lines[-1]}" "rset-diff: $2: \"$1\": there is no such resource"
}

@test "removing a core of one node" {
    run -0 --separate-stderr rset-diff --unlink=/cluster0/n1/core3 a.json
    [ -z "$stderr" ]
    same "$(short <<<"$output")" \
        'rank[0,2-3]/core[0-3],gpu0 rank1/core[0-2],gpu0'
}

@test "removing a node removes its host" {
    run -0 rset-diff --unlink=/cluster0/n1 a.json
    same "$(rset-match -o hosts <<<"$output")" 'n[0,2-3]'
    same "$(short <<<"$output")" 'rank[0,2-3]/core[0-3],gpu0'
}

@test "without hosts nodes are named by their ranks" {
    sed 's/,"nodelist":\["n\[0-3\]"\]//' a.json >b.json
    run -0 --separate-stderr rset-diff --unlink=/cluster0/node1/gpu0 b.json
    same "$(short 2>/dev/null <<<"$output")" \
        'rank[0,2-3]/core[0-3],gpu0 rank1/core[0-3]'
    refused_path /cluster0/n1 b.json
}

@test "a path without a pool is named" {
    refused_path /cluster0/n4 a.json
    refused_path /cluster0/n1/core4 a.json
    refused_path /cluster0/n1/core03 a.json
    refused_path /cluster0/n01 a.json
}

@test "a set and its graph give the same" {
    for path in /cluster0/n2 /cluster0/n0/core0 /cluster0/n3/gpu0; do
        same "$(rset-diff --unlink="$path" a.json | rset-match -o jgf)" \
            "$(rset-diff --unlink="$path" a.jgf)"
    done
}

@test "allocations of jobs stay" {
    rset-alloc allocate 7 -n1 a.json >held.json
    run -1 --separate-stderr rset-diff --unlink=/cluster0/n0/core0 held.json
    same "$stderr" 'rset-diff: held.json: "core0" is held by job 7'
    run -0 rset-diff --unlink=/cluster0/n0/core1 held.json
}

@test "a pool is attached to a node, and removed again" {
    rset-diff --attach=/cluster0/n1 a.json fpga.json >more.json
    same "$(rset-match --count fpga more.json)" 1
    same "$(rset-diff --unlink=/cluster0/n1/fpga7 more.json)" "$(cat a.json)"
    run -2 --separate-stderr rset-diff --attach=/cluster0/n1 more.json fpga.json
    same "$stderr" \
        'rset-diff: more.json: "n1" has a child "fpga7" already'
}

@test "nodes are put under the root" {
    rset-diff --unlink=/cluster0/n1 a.json >without.json
    rset-diff --unlink=/cluster0/n0 a.json |
        rset-diff --unlink=/cluster0/n2 - |
        rset-diff --unlink=/cluster0/n3 - >n1.json
    same "$(rset-diff --attach=/cluster0 without.json n1.json)" "$(cat a.json)"
    run -2 --separate-stderr rset-diff --attach=/cluster0 a.json n1.json
    same "$stderr" 'rset-diff: a.json: rank 1: two nodes have this rank'
}

@test "pools above an attached part get records of the jobs in it" {
    jq -nc '{graph: {nodes: [
        {id: "c", metadata: {type: "cluster", id: 0}},
        {id: "r", metadata: {type: "rack", id: 0}},
        {id: "n", metadata: {type: "node", id: 0, rank: 0}},
        {id: "k", metadata: {type: "core", id: 0}}],
        edges: [{source: "c", target: "r"}, {source: "r", target: "n"},
            {source: "n", target: "k"}]}}' >rack.json
    jq -nc '{graph: {nodes: [{id: "0", metadata:
        {type: "fpga", id: 7, allocations: [{job: 12}], shared: []}}],
        edges: []}}' >fpga.json
    run -0 rset-diff --attach=/cluster0/rack0/node0 -o tree rack.json fpga.json
    same "$output" 'cluster0  shared by 12
  rack0  shared by 12
    node0  rank0  shared by 12
      core0
      fpga7  held by 12'
    # also of jobs that only share the attached part
    jq -c '.graph.nodes[0].metadata |= (del(.allocations) | .shared = ["a"])' \
        fpga.json >shared.json
    rset-diff --attach=/cluster0/rack0 rack.json shared.json |
        rset-match --validate
    # without a graph
    run -0 rset-diff --attach=/cluster0/n1 -o tree a.json fpga.json
    same "$output" 'cluster0  shared by 12
  n[0,2-3]  rank[0,2-3]
    core[0-3]
    gpu0
  n1  rank1  shared by 12
    core[0-3]
    fpga7  held by 12
    gpu0'
    rset-alloc release 12 -o r < <(rset-diff --attach=/cluster0/n1 \
        a.json fpga.json) >free
    rset-diff --attach=/cluster0/n1 a.json fpga.json |
        jq -c 'del(.attributes)' | cmp - free
    # nodes with their allocations
    rset-diff --unlink=/cluster0/n1 a.json >without.json
    rset-match --include 1 a.json | rset-alloc allocate 5 -n1 >n1.json
    run -0 rset-diff --attach=/cluster0 -o jgf-compact without.json n1.json
    same "$(jq -c '.graph.nodes[0].metadata.shared' <<<"$output")" '[5]'
}

@test "a part attached below a pool outside of containment is there" {
    jq -nc '{graph: {nodes: [
        {id: "0", metadata: {type: "cluster", id: 0}},
        {id: "1", metadata: {type: "node", id: 0, rank: 0}},
        {id: "2", metadata: {type: "pdu", id: 0}}],
        edges: [{source: "0", target: "1"},
        {source: "2", target: "1", metadata: {subsystem: "power"}}]}}' |
        rset-match >pdu.json
    jq -nc '{graph: {nodes: [
        {id: "0", metadata: {type: "outlet", id: 7}},
        {id: "1", metadata: {type: "plug", id: 0}}],
        edges: [{source: "0", target: "1"}]}}' >outlet.json
    rset-diff --attach=power:/pdu0 pdu.json outlet.json >more.json
    run -0 rset-match -o tree more.json
    same "$output" 'cluster0
  node0  rank0
pdu0
  outlet7
    plug0'
    rset-diff --unlink=power:/pdu0/outlet7/plug0 more.json |
        rset-diff --unlink=power:/pdu0/outlet7 | cmp - pdu.json
    run -2 --separate-stderr rset-diff --attach=power:/pdu0 pdu.json a.jgf
    same "$stderr" 'rset-diff: pdu.json: "pdu0" is not in containment: resources with a rank,'`
        `' or in other subsystems, can'\''t be attached there'
}

# there_and_back FILE PATH: unlink and attach again.
there_and_back() {
    local parent=${2%/*}
    [[ $parent != *: ]] || return 0
    rset-match --subtree "$2" "$1" >part.json || return 1
    rset-match --validate part.json || return 1
    rset-diff --unlink="$2" "$1" >without.json || return 1
    rset-diff --attach="$parent" without.json part.json | cmp - "$1"
}

@test "--subtree: the inverse of --unlink" {
    rset-alloc down /cluster0/n1/core1 a.json | rset-alloc drain 2 --reason fan |
        rset-alloc tag 1 k=v >set.json
    rset-match -o jgf set.json >set.jgf
    rset-match -o rv1 set.json >set.rv1
    for file in a.json a.jgf set.json set.jgf set.rv1; do
        for path in n1 n2 n1/core1 n3/gpu0; do
            there_and_back $file /cluster0/$path || { echo "$file $path"; false; }
        done
    done
    rset-discover --synthetic 'pack:2 core:2 pu:2' -o jgf >deep.jgf
    for path in node0/socket1 node0/socket0/core1 node0; do
        there_and_back deep.jgf "/cluster0/$path" || { echo "$path"; false; }
    done
}

@test "--subtree: a pool with all below it, its records and state" {
    rset-alloc allocate 7 -n1 a.json | rset-alloc down 1 >held.json
    rset-match -o jgf held.json >held.jgf
    same "$(rset-match --subtree /cluster0/n0 -o tree held.jgf)" \
        'n0  rank0  shared by 7
  core0  held by 7
  core[1-3]
  gpu0'
    same "$(rset-match --subtree /cluster0/n0 -o tree held.json)" \
        'cluster0  shared by 7
  n0  rank0  shared by 7
    core0  held by 7
    core[1-3]
    gpu0'
    same "$(rset-match --subtree /cluster0/n1 --count core held.json)" 4
    rset-match --subtree /cluster0/n1 --state down --count node held.json |
        grep -qx 1
    same "$(rset-match --subtree /cluster0/n0/core0 held.json |
        rset-match -o tree)" 'core0  held by 7'
    rset-match --subtree /cluster0 held.json | cmp - held.json
    rset-match --subtree /cluster0 held.jgf | cmp - held.jgf
    run -2 --separate-stderr rset-match --subtree /cluster0/n9 held.json
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" = 1 ]
    run -2 --separate-stderr rset-match --subtree n9 held.json
    [ "${#stderr_lines[@]}" = 1 ]
    run -2 --separate-stderr rset-match --subtree /cluster0/n0 -n1 held.json
    [ "${#stderr_lines[@]}" = 1 ]
}

@test "--subtree in other hierarchies than containment" {
    jq -nc '{graph: {nodes: [
        {id: "0", metadata: {type: "cluster", id: 0}},
        {id: "1", metadata: {type: "node", id: 0, rank: 0}},
        {id: "2", metadata: {type: "panel", id: 0}},
        {id: "3", metadata: {type: "pdu", id: 0, size: 5}},
        {id: "4", metadata: {type: "outlet", id: 0}}],
        edges: ([[0, 1]] + [[2, 3], [3, 4], [3, 1]] |
            map(map(tostring) | {source: .[0], target: .[1]}) |
            [.[0]] + (.[1:] | map(.metadata = {subsystem: "power"})))}}' |
        rset-match >power.json
    same "$(rset-match --subtree power:/panel0/pdu0 -o tree power.json)" \
        'pdu0  5
  outlet0'
    rset-match --subtree power:/panel0/pdu0/outlet0 power.json >part.json
    rset-match --validate part.json
    rset-diff --unlink power:/panel0/pdu0/outlet0 power.json |
        rset-diff --attach power:/panel0/pdu0 - part.json | cmp - power.json
}
