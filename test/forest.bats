#!/usr/bin/env bats
# Hierarchies other than containment: a pool at home in one of them has a parent
# and a path there, as pools in containment do.

# shellcheck disable=SC2154 # run sets output

load common

# power.json: two panels of 1000 W with two PDUs each, both named pdu0 and pdu1,
# which feed two nodes; and a switch with links to the nodes.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    jq -nc '
    def vertex($id; $data): {id: $id, metadata: ($data + {id:
        $id[if $id | test("^[ku]") then -1 else 1 end:] | tonumber})};
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
                edge("u\($p)\(.)"; "n\(.)"; "power")))]}}' >power.json
}

setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
    cp "$BATS_FILE_TMPDIR/power.json" .
}

@test "pools of one name under two parents are different pools" {
    run -0 rset-match -o tree power.json
    same "$output" "$(printf '%s\n' cluster0 '  node[0-1]  rank[0-1]' \
        '    core0' 'panel[0-1]  1000 W' '  pdu[0-1]  100 W' switch0)"
    run -0 rset-match --count panel,pdu power.json
    same "$output" '2000 400'
    run -0 rset-match --find 'path=power:/panel1/pdu0' -o tree power.json
    same "$output" "$(printf '%s\n' cluster0 'panel1  1000 W' '  pdu0  100 W')"
}

@test "written graphs are read, and written again as the same bytes" {
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

@test "ancestors are kept, and no link is invented" {
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

@test "a patch leads from each graph to each other, also without edges" {
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

@test "a job that holds a panel whole holds everything in it" {
    rset-alloc allocate 1 --take power:/panel0=1000 power.json >held
    run -1 rset-alloc allocate 2 --take power:/panel0/pdu0=10 held
    same "$output" 'rset-alloc: held: no match now: power:/panel0 is held by job 1'
    rset-alloc allocate 2 --take power:/panel1/pdu0=10 held >both
    rset-match -o jgf both | jq -e '[.graph.nodes[].metadata |
        select(.shared == [2]) | .paths.power] == ["/panel1"]'
    rset-alloc release 1 both | rset-alloc release 2 |
        cmp - <(rset-alloc release 1 held)
}

@test "reverse edges beside edges are dropped" {
    rset-match -o jgf power.json >want
    jq -c '.graph.edges += [.graph.edges[] | {source: .target, target: .source,
        metadata: (.metadata + {relationship:
            {containment: "in", power: "drawn_from", network: "connected_up"}
            [.metadata.subsystem]})}]' power.json |
        rset-match -o jgf | cmp - want
}

@test "a circle in any hierarchy is refused" {
    jq -c '.graph.edges += [{source: "n0", target: "p0",
        metadata: {subsystem: "power"}}]' power.json >circle
    run -2 rset-match circle
    same "$output" 'rset-match: circle: graph.nodes[1]: power runs in a circle: edges lead from "node0" back to it'
    # also if the edges are links
    jq -c '.graph.edges += [("n0 n1", "n1 c0", "c0 n0") | split(" ") |
        {source: .[0], target: .[1], metadata: {subsystem: "ring"}}]' \
        power.json >ring
    run -2 rset-match ring
    same "$output" 'rset-match: ring: graph.nodes[1]: ring runs in a circle: edges lead from "node0" back to it'
    # the message names pools on the circle, not those that lead to it
    jq -c '.graph.edges += [("c0 n0", "n0 n1", "n1 k00", "k00 n0", "k00 k10") |
        split(" ") | {source: .[0], target: .[1], metadata: {subsystem: "ring"}}]' \
        power.json >tailed
    run -2 rset-match tailed
    same "$output" 'rset-match: tailed: graph.nodes[1]: ring runs in a circle: edges lead from "node0" back to it'
}

@test "of edges in both directions the reverse one is dropped, if paths show which it is" {
    local s edge
    rset-match -o jgf power.json >want
    for s in containment power network; do
        edge=$(jq -c "[.graph.edges[].metadata.subsystem] | index(\"$s\")" want)
        jq -c "(.graph.edges |= map(.metadata = {subsystem:
            .metadata.subsystem})) | .graph.edges |= [.[$edge] |
            {source: .target, target: .source, metadata}] + ." want >both
        rset-match -o jgf both | cmp - want
        # it is enough that one end is a root
        jq -c ".graph.nodes |= map(.metadata.paths |= map_values(
            select(test(\"^/[^/]*$\"))))" both | rset-match -o jgf | cmp - want
        jq -c 'del(.graph.nodes[].metadata.paths)' both >untold
        run -2 rset-match untold
        [[ $output = *'": '$s' has edges both ways, and neither relationships nor paths tell which is above' ]]
        [ "${#lines[@]}" = 1 ]
    done
}

@test "a union with a circle is refused" {
    local i
    for i in 0 1; do
        jq -c --argjson i $i '.graph.edges += [{source: "n\($i)",
            target: "n\(1 - $i)", metadata: {subsystem: "ring"}}]' power.json >$i
    done
    run -2 rset-diff --union 0 1
    same "$output" 'rset-diff: 0 and 1: ring runs in a circle: edges lead from "node0" back to it'
}

# gets REQUEST: print path, units and mode of all resources of the match.
gets() {
    rset-match --shape "$1" -o jgf power.json | jq -r '.graph.nodes[].metadata |
        select(.type != "cluster") | "\(.paths | .containment // .power
            // .network) \(.size)\(if .exclusive then " x" else "" end)"'
}

@test "a request follows links in either direction, and continues from there" {
    same "$(gets 'pdu/slot/node')" '/cluster0/node0 1 x
/cluster0/node0/core0 1 x
/panel0 1000
/panel0/pdu0 100'
    same "$(gets 'panel{id:"1"}/slot/pdu=100')" '/panel1 1000
/panel1/pdu0 100'
    same "$(gets 'slot/node/pdu=150')" '/cluster0/node0 1 x
/panel0 1000
/panel0/pdu0 100
/panel1 1000
/panel1/pdu0 50'
    same "$(gets 'slot/[pdu=1;node{id:"1"}/core]')" \
        '/cluster0/node1 1 x
/cluster0/node1/core0 1 x
/panel0 1000
/panel0/pdu0 1'
    same "$(gets 'switch/slot=2/core')" '/cluster0/node0 1
/cluster0/node0/core0 1 x
/cluster0/node1 1
/cluster0/node1/core0 1 x
/switch0 1'
    # a panel has the edges of its PDUs
    same "$(gets 'panel{id:"1"}/slot=2/node')" '/cluster0/node0 1 x
/cluster0/node0/core0 1 x
/cluster0/node1 1 x
/cluster0/node1/core0 1 x
/panel1 1000'
    same "$(gets 'slot/node{id:"1"}/panel')" '/cluster0/node1 1 x
/panel0 1'
    run -3 rset-match --shape 'rack/pdu' power.json
    run -3 rset-match --shape 'panel/switch' power.json # over two edges
}

@test "edges are right if paths disagree and run in a circle" {
    jq -n '{graph: {nodes: [{id: "c", metadata: {type: "cluster", id: 0}},
        ("a", "b" | {id: ., metadata: {type: "pdu", name: .}})],
        edges: [{source: "a", target: "b", metadata: {subsystem: "power"}}]}} |
        .graph.nodes[1].metadata.paths.power = "/b/a" |
        .graph.nodes[2].metadata.paths.power = "/b"' >circle
    run -0 rset-match -o tree circle
    same "$output" "$(printf '%s\n' cluster0 'a  pdu' '  b  pdu')"
}

@test "fed pools, and paths below a pool, in any hierarchy" {
    finds() { # WANT EXPRESSION
        same "$2: $(rset-match --find "$2" --count node,core,pdu power.json)" \
            "$2: $1"
    }
    finds '1 1 0' 'fed-by=power:/panel0/pdu0'
    finds '2 2 200' 'fed-by=power:/panel1'
    finds '1 1 0' 'type=node and not fed-by=power:/panel1/pdu1'
    finds '2 2 0' 'fed-by=network:/switch0'
    finds '2 2 200' 'path=power:/panel0/*'
    finds '1 1 0' 'path=power:/panel0/pdu1/*'
    run -1 rset-match --find fed-by=/cluster0/node0 power.json
    jq -c '.graph.edges += [{source: "c0", target: "p0",
        metadata: {subsystem: "power"}}]' power.json >fed
    run -0 rset-match --find 'type=panel and fed-by=/cluster0' -o tree fed
    same "$output" "$(printf '%s\n' cluster0 \
        'panel0  1000 W  in power:/cluster0' '  pdu[0-1]  100 W')"
    for all in 'power:/*' '/*' 'power:/panel0/*'; do
        run -2 rset-match --find "fed-by=$all" power.json
        same "$output" "rset-match: --find: offset 7: \"$all\": expected the path of a resource, without /*"
    done
    run -2 rset-match --find 'path=power:/*' power.json
    same "$output" 'rset-match: --find: offset 5: "power:/*": expected a path before /*'
}

@test "a shared pool is shared, by whatever edge the request reached it" {
    local shape
    rset-match -o jgf power.json >base
    for shape in switch/node node/switch switch/slot=2/node node/pdu \
        'switch{-x}/node' switch=1; do
        rset-alloc allocate 1 --shape "$shape" -w R base >used
        rset-match --shape "$shape" base |
            jq -c '[.graph.nodes[].metadata | [.paths, .exclusive]]' >want
        jq -c '[.graph.nodes[].metadata | [.paths, .exclusive]]' R | cmp - want
        rset-alloc allocate 1 --R R base | cmp - used
        rset-alloc release 1 used | cmp - base
    done
}

@test "an edge between two pools of one node in the request" {
    jq -nc '{graph: {nodes: [["c", "cluster", 0], ["n", "node", 0],
        ["g", "gpu", 0], ["i", "nic", 0], ["j", "nic", 1]] |
        map({id: .[0], metadata: {type: .[1], id: .[2]}}),
        edges: (([["c", "n"], ["n", "g"], ["n", "i"], ["n", "j"]] |
            map({source: .[0], target: .[1]})) +
            [{source: "g", target: "j", metadata: {subsystem: "pcie"}}])}}' >nic
    run -0 rset-match --shape 'slot/node/gpu/nic' -o tree nic
    same "$output" "$(printf '%s\n' cluster0 '  node0  exclusive' \
        '    gpu0  exclusive' '    nic1  exclusive')"
    run -3 rset-match --shape 'slot/node/gpu/nic=2' nic
}

# Two PDUs in containment. Each has an outlet0 that is in power only.
outlets() {
    jq -nc '
    def edge($s): {source: .[0], target: .[1], metadata: {subsystem: $s}};
    {graph: {nodes: [["c", "cluster", 0], ["n0", "node", 0], ["n1", "node", 1],
        ["u0", "pdu", 0], ["u1", "pdu", 1], ["o0", "outlet", 0],
        ["o1", "outlet", 0]] | map({id: .[0], metadata:
            ({type: .[1], id: .[2]} + if .[1] == "node" then {rank: .[2]}
                else {} end)}),
     edges: ((["n0", "n1", "u0", "u1"] | map(["c", .] | edge("containment")))
        + ([["u0", "o0"], ["u1", "o1"], ["o0", "n0"], ["o1", "n1"]] |
            map(edge("power"))))}}'
}

@test "pools of one name that are fed by pools of another hierarchy are different" {
    outlets >outlets.json
    run -0 rset-match -o tree outlets.json
    same "$output" "$(printf '%s\n' cluster0 '  node[0-1]  rank[0-1]' \
        '  pdu[0-1]' 'outlet0  in power:/pdu0' 'outlet0  in power:/pdu1')"
    rset-match -o jgf outlets.json >all
    rset-match -o jgf all | cmp - all
    jq -c '.graph.nodes |= reverse | .graph.edges |= reverse' outlets.json |
        rset-match -o jgf | cmp - all
    same "$(jq -c '[.graph.nodes[].metadata.paths.power]' all)" \
        '[null,"/pdu0/outlet0/node0","/pdu1/outlet0/node1","/pdu0","/pdu1","/pdu0/outlet0","/pdu1/outlet0"]'
    run -1 rset-match --find path=power:/outlet0 all
    rset-match --find fed-by=power:/pdu1/outlet0 -o hosts all | grep -qx node1
    # the pool that feeds it may be left out
    rset-match --find path=power:/pdu1/outlet0 -o jgf all >part
    jq -e '[.graph.nodes[].metadata.paths.power] == [null, "/pdu1/outlet0"]' part
    rset-match -o jgf part | cmp - part
    rset-match --find path=power:/pdu1/outlet0 -o jgf part | cmp - part
    rset-diff --intersect all part | cmp - part
    same "$(rset-diff --subtract all part | rset-diff --union - part |
        rset-match --count outlet)" 2
    rset-alloc allocate 1 --take power:/pdu1/outlet0=1 all >held
    rset-diff --patch all held | grep -q '"power:/pdu1/outlet0@-1"'
    rset-alloc release 1 held | cmp - all
}

@test "pools that their paths can't distinguish are refused" {
    outlets | jq -c 'del(.graph.edges[] | select(.source | test("^u")))' >twice
    run -2 rset-match twice
    same "$output" 'rset-match: twice: graph.nodes[6]: "power" holds two resources named "outlet0"'
    outlets | jq -c '.graph.nodes[4].metadata += {name: "pdu0"}' >twice
    run -2 rset-match twice
    same "$output" 'rset-match: twice: graph.nodes[3]: "cluster0" holds two resources named "pdu0"'
    outlets | jq -c '.graph.nodes[4].metadata += {name: "pdu0", rank: 0}' >twice
    run -2 rset-match twice
    same "$output" 'rset-match: twice: graph.nodes[6]: "/pdu0" holds two resources named "outlet0"'
    # but given paths distinguish them
    jq -c '.graph.nodes[5, 6].metadata.paths.power = "/a/pdu0/outlet0" |
        .graph.nodes[6].metadata.paths.power = "/b/pdu0/outlet0"' twice |
        rset-match -o jgf >once
    rset-match -o jgf once | cmp - once
    rset-match --find 'path=power:/b/pdu0/*' -o hosts once | grep -qx node1
    # also pools that are fed from there over other pools
    jq -c '(.graph.nodes[] | select(.metadata.paths.containment ==
            "/cluster0/node1") | .id) as $n |
        .graph.nodes += [{id: "q", metadata: {type: "plug", id: 0}}] |
        .graph.edges += [{source: $n, target: "q",
            metadata: {subsystem: "power"}}]' once | rset-match -o jgf |
        jq -e 'any(.graph.nodes[]; .metadata.paths.power ==
            "/b/pdu0/outlet0/node1/plug0")'
}

@test "a coarser view keeps the paths of its pools" {
    rset-match --type outlet,node -o jgf <(outlets) >coarse
    rset-match -o jgf coarse | cmp - coarse
    jq -e '[.graph.nodes[].metadata.paths.power] | .[-2:] ==
        ["/pdu0/outlet0", "/pdu1/outlet0"]' coarse
    rset-match --type pdu -o jgf power.json >pdus
    rset-match -o jgf pdus | cmp - pdus
    jq -e '[.graph.nodes[].metadata.paths.power] | .[-4:] == ["/panel0/pdu0",
        "/panel1/pdu0", "/panel0/pdu1", "/panel1/pdu1"]' pdus
}

@test "every hierarchy is at most 200 deep" {
    jq -nc '{graph: {nodes: ([{id: "c", metadata: {type: "cluster", id: 0}}] +
        [range(201) | {id: "p\(.)", metadata: {type: "pdu", id: .}}]),
        edges: [range(200) | {source: "p\(.)", target: "p\(. + 1)",
            metadata: {subsystem: "power"}}]}}' >deep
    run -2 rset-match deep
    same "$output" 'rset-match: deep: graph.nodes[201]: power is deeper than 200'
    jq -c 'del(.graph.nodes[201], .graph.edges[199])' deep | rset-match -o tree
}

@test "a pool that leaves one hierarchy stays in the others" {
    places() { # of a set
        rset-match -o jgf "$@" >after
        rset-match -o jgf after | cmp - after
        jq -r '.graph.nodes[].metadata.paths | to_entries |
            map("\(.key):\(.value)") | join(" ")' after | grep -v node1
    }
    outlets >outlets.json
    unlinked() {
        rset-diff --unlink "$1" outlets.json >less || return
        places less | grep -v 'cluster0$\|pdu1'
    }
    same "$(unlinked /cluster0/node0)" \
        'containment:/cluster0/pdu0 power:/pdu0
power:/pdu0/outlet0
power:/pdu0/outlet0/node0'
    same "$(unlinked power:/pdu0/outlet0/node0)" 'containment:/cluster0/node0
containment:/cluster0/pdu0 power:/pdu0
power:/pdu0/outlet0'
    same "$(unlinked power:/pdu0/outlet0)" 'containment:/cluster0/node0
containment:/cluster0/pdu0'
    same "$(unlinked power:/pdu0)" 'containment:/cluster0/node0
containment:/cluster0/pdu0'
    same "$(unlinked /cluster0/pdu0)" \
        'containment:/cluster0/node0 power:/pdu0/outlet0/node0
power:/pdu0
power:/pdu0/outlet0'
    rset-alloc down /cluster0/node1 outlets.json >down
    rset-diff --unlink power:/pdu0 -o table down |
        cmp - <(rset-diff --unlink power:/pdu0 down | rset-match -o table)
    rset-alloc allocate 1 --take power:/pdu0/outlet0=1 outlets.json >held
    run -1 rset-diff --unlink power:/pdu0 held
    same "$output" 'rset-diff: held: "outlet0" is held by job 1'
    rset-diff --unlink power:/pdu0/outlet0/node0 held
    # a PDU at home in a network, fed by a panel that is held whole
    jq -nc 'def pool($type; $job): {id: $type, metadata: ({type: $type, id: 0} +
            if $job then {allocations: [{job: $job, size: 1}]} else {} end)};
        def edge($from; $to; $in): {source: $from, target: $to,
            metadata: {subsystem: $in}};
        {graph: {nodes: [pool("panel"; 1), pool("pdu"; null),
            pool("outlet"; 2), pool("nic"; null), pool("node"; null)],
        edges: [edge("panel"; "pdu"; "power"), edge("pdu"; "outlet"; "power"),
            edge("pdu"; "nic"; "network")]}}' >panel
    rset-diff --unlink network:/pdu0/nic0 panel | rset-match --validate
    run -1 rset-diff --unlink network:/pdu0 panel
    same "$output" 'rset-diff: panel: "outlet0", held by job 2, would be in "panel0", which job 1 holds whole'
}

@test "subtracting and attaching a part, in its home, once" {
    outlets >outlets.json
    run -2 rset-match --subtree power:/pdu0 outlets.json
    same "$output" 'rset-match: outlets.json: "power:/pdu0": this resource is in another hierarchy: use "/cluster0/pdu0"'
    jq -nc '{graph: {nodes: [{id: "f", metadata: {type: "fan", id: 0}},
        {id: "p", metadata: {type: "panel", id: 0}}], edges: [
        {source: "p", target: "f", metadata: {subsystem: "power"}}]}}' |
        jq -c '.graph.nodes[0].metadata.paths.containment = "/fan0"' >fan
    run -2 rset-diff --attach power:/pdu0 outlets.json fan
    same "$output" 'rset-diff: outlets.json: "power:/pdu0": this resource is in another hierarchy: use "/cluster0/pdu0"'
    rset-diff --attach /cluster0/pdu0 outlets.json fan >more.json
    rset-match --find fed-by=power:/panel0 more.json |
        jq -e '.graph.nodes[2].metadata.type == "fan"'
    run -2 rset-diff --attach /cluster0/pdu1 more.json fan
    same "$output" 'rset-diff: more.json: "power:/panel0" is in both sets'
    # with two roots in containment it is no fragment
    jq -c 'del(.graph.edges[] | select(.source == "c"))' outlets.json >roots
    run -2 rset-diff --attach /cluster0/pdu0 outlets.json roots
    [ "${#lines[@]}" = 1 ]
    # a pool that a coarser view has in another place
    rset-match --type pdu -o jgf power.json >pdus
    run -2 rset-diff --union power.json pdus
    same "$output" 'rset-diff: power.json and pdus: "power:/panel0/pdu0" names two pools in the union'
}

@test "a PDU in containment feeds the nodes that its outlets feed" {
    needs jq
    jq -nc '
        def v($id; $m): {id: $id, metadata: $m};
        def e($a; $b; $s): {source: $a, target: $b, metadata: {subsystem: $s}};
        {graph: {nodes: [v("c"; {type: "cluster", id: 0}),
            v("p0"; {type: "pdu", id: 0}), v("p1"; {type: "pdu", id: 1}),
            (range(4) | v("o\(.)"; {type: "outlet", id: .}),
                v("n\(.)"; {type: "node", id: ., rank: ., name: "n\(.)"}))],
         edges: [e("c"; "p0", "p1"; "containment"),
            (range(4) | e("c"; "n\(.)"; "containment"),
                e("p\(. / 2 | floor)"; "o\(.)"; "power"),
                e("o\(.)"; "n\(.)"; "power"))]}}' >pdus
    same "$(rset-match --shape 'pdu=2/slot/node' -o hosts pdus)" 'n[0,2]'
    same "$(rset-match --shape 'pdu/slot=2/node' --exclude n1 -o hosts pdus)" \
        'n[2-3]'
    run -3 rset-match --shape 'pdu/slot=3/node' pdus
    rset-match --shape 'slot/node/pdu' --exclude n0,n1 -o tree pdus >out
    same "$(grep pdu out)" '  pdu1  exclusive'
}
