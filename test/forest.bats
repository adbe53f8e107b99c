#!/usr/bin/env bats
# Hierarchies other than containment: pools that are at home in one of them
# have parents and paths there, as pools in containment have.

# shellcheck disable=SC2154 # run sets output

load common

# power.json: two panels of 1000 W with two PDUs each, both named pdu0 and pdu1,
# which feed two nodes; and a switch that knows the nodes, too.
setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
    jq -n '
    def vertex($id; $data): {id: $id, metadata: ($data + {id:
        ($id | capture("(?<n>[0-9]+)$").n | tonumber)})};
    def edge($from; $to; $subsystem):
        {source: $from, target: $to, metadata: {subsystem: $subsystem}};
    {graph: {nodes: [
        vertex("c0"; {type: "cluster"}),
        (0, 1 | vertex("n\(.)"; {type: "node", rank: .}),
            vertex("k\(.)0"; {type: "core"} + {name: "core0"}),
            vertex("p\(.)"; {type: "panel", size: 1000, unit: "W"}),
            (. as $p | 0, 1 | vertex("u\($p)\(.)";
                {type: "pdu", name: "pdu\(.)", size: 100, unit: "W"}))),
        vertex("s0"; {type: "switch"})],
     edges: [
        (0, 1 | edge("c0"; "n\(.)"; "containment"),
            edge("n\(.)"; "k\(.)0"; "containment"),
            edge("s0"; "n\(.)"; "network"),
            (. as $p | 0, 1 | edge("p\($p)"; "u\($p)\(.)"; "power"),
                edge("u\($p)\(.)"; "n\(.)"; "power")))]}}' |
        jq -c '.graph.nodes |= map(if .id | test("^[ku]") then
            .metadata.id = (.id[-1:] | tonumber) else . end)' >power.json
}

@test "pools of one name under two parents are two" {
    run -0 rset-match -o tree power.json
    same "$output" "$(printf '%s\n' cluster0 '  node[0-1]  rank[0-1]' \
        '    core0' 'panel[0-1]  1000 W' '  pdu[0-1]  100 W' switch0)"
    run -0 rset-match --count panel,pdu power.json
    same "$output" '2000 400'
    run -0 rset-match --find 'path=power:/panel1/pdu0' -o tree power.json
    same "$output" "$(printf '%s\n' cluster0 'panel1  1000 W' '  pdu0  100 W')"
}

@test "what was written is read, and written again" {
    rset-match -o jgf power.json >once
    rset-match -o jgf once | cmp - once
    rset-match --validate --strict once
    jq -e '[.graph.nodes[].metadata | select(.type == "pdu").paths.power] ==
        ["/panel0/pdu0", "/panel0/pdu1", "/panel1/pdu0", "/panel1/pdu1"]' once
}

@test "the order in the document does not matter" {
    rset-match -o jgf power.json >want
    jq -c '.graph.nodes |= reverse | .graph.edges |= reverse' power.json |
        rset-match -o jgf | cmp - want
    jq -c '.graph.nodes |= (sort_by(.metadata.type) | reverse)' power.json |
        rset-match -o jgf | cmp - want
}

@test "ancestors come along, and no link is made up" {
    rset-match --find 'type=pdu and id=1' -o jgf power.json >pdus
    jq -e '[.graph.nodes[].metadata | .type] ==
        ["cluster", "panel", "pdu", "panel", "pdu"]' pdus
    jq -e '[.graph.edges[].metadata.subsystem] == ["power", "power"]' pdus
    rset-match -o jgf pdus | cmp - pdus
}

@test "a pool without edges is where its path says" {
    jq -c 'del(.graph.edges[] | select(.metadata.subsystem == "power"))' \
        <(rset-match -o jgf power.json) >bare
    rset-match -o tree bare >tree
    rset-match -o tree power.json | cmp - tree
    rset-match -o jgf bare | rset-match -o jgf | cmp - <(rset-match -o jgf bare)
}

@test "a patch leads from any of them to any other, edges or none" {
    local from to
    rset-match -o jgf power.json >all
    rset-match --exclude 0 all >part
    rset-match --find type=panel all >panels
    rset-match --find 'path=power:/panel1/pdu0' all >pdu
    rset-alloc allocate 7 --take power:/panel0/pdu1=9 all >used
    for from in all part panels pdu used; do
        for to in all part panels pdu used; do
            rset-diff --patch "$from" "$to" >change
            rset-diff --apply change "$from" | cmp - "$to"
        done
    done
    same "$(rset-diff --patch all used |
        jq -c '[.changes[] | .at[1]] | unique')" \
        '["power:/panel0/pdu1@-1","power:/panel0@-1"]'
}

@test "who holds a panel whole holds all in it" {
    rset-alloc allocate 1 --take power:/panel0=1000 power.json >held
    run -1 rset-alloc allocate 2 --take power:/panel0/pdu0=10 held
    same "$output" 'rset-alloc: held: no match now: power:/panel0 is held by job 1'
    rset-alloc allocate 2 --take power:/panel1/pdu0=10 held >both
    rset-match -o jgf both | jq -e '[.graph.nodes[].metadata |
        select(.shared == [2]) | .paths.power] == ["/panel1"]'
    rset-alloc release 1 both | rset-alloc release 2 |
        cmp - <(rset-alloc release 1 held)
}

@test "edges back beside edges forth drop out" {
    rset-match -o jgf power.json >want
    jq -c '.graph.edges += [.graph.edges[] | {source: .target, target: .source,
        metadata: (.metadata + {relationship:
            {containment: "in", power: "drawn_from", network: "connected_up"}
            [.metadata.subsystem]})}]' power.json |
        rset-match -o jgf | cmp - want
}

@test "a circle in any hierarchy is refused" {
    jq -c '.graph.edges += [{source: "u00", target: "p0",
        metadata: {subsystem: "power"}}]' power.json >circle
    run -2 rset-match circle
    same "$output" 'rset-match: circle: graph.nodes[3]: power runs in a circle: "panel0" lies in itself'
}
