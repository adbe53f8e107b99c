#!/usr/bin/env bats
# rset-match: check and convert resource sets, and select from them.
# documents.bats tests bad documents, filters.bats filters, and requests.bats
# the meaning of requests.

# shellcheck disable=SC2094,SC2154 # cmp only reads; run sets stderr

load common

setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
}

# graph >FILE: print a rack with two nodes a0 and a1. Each has two sockets of
# two cores, a gpu and 8 GB of memory. A loose pdu feeds both.
graph() {
    jq -n '
    def vertex($id; $data): {id: $id, metadata: $data};
    def edge($from; $to): {source: $from, target: $to};
    def node($n): "n\($n)" as $id |
        {nodes: [
            vertex($id; {type: "node", name: "a\($n)", id: $n, rank: $n}),
            vertex($id + "g"; {type: "gpu", id: 0}),
            vertex($id + "m";
                {type: "memory", id: 0, size: 8, unit: "GB"}),
            (0, 1 | vertex($id + "s\(.)"; {type: "socket", id: .})),
            (0, 1, 2, 3 | vertex($id + "c\(.)"; {type: "core", id: .}))],
         edges: [
            edge("rack"; $id), edge($id; $id + "g"), edge($id; $id + "m"),
            (0, 1 | edge($id; $id + "s\(.)")),
            (0, 1, 2, 3 |
                edge($id + "s\(. / 2 | floor)"; $id + "c\(.)")),
            edge("pdu"; $id) + {metadata:
                {subsystem: "power", relationship: "supplies_to"}}]};
    [node(0), node(1)] | {graph: {
        nodes: ([
            vertex("top"; {type: "cluster", id: 0}),
            vertex("rack"; {type: "rack", id: 0}),
            vertex("pdu"; {type: "pdu", id: 0, size: 2000, unit: "W"})] +
            map(.nodes[])),
        edges: ([edge("top"; "rack")] + map(.edges[]))}}' | rset-match
}

# plain >FILE: print four nodes of four cores and two gpus, as an R.
plain() {
    rset-discover --hosts 'n[0-3]' --cores 0-3 --gpus 0-1
}

# recorded RECORDS: print two nodes of four cores with these records, as an R.
recorded() {
    rset-discover --hosts 'n[0-1]' --cores 0-3 |
        jq -c ".attributes.system.scheduler = $1"
}

# two_slots: print a jobspec of two slots of two cores for an hour.
two_slots() {
    cat <<'EOF'
{"version": 1,
 "resources": [{"type": "slot", "label": "task", "count": 2,
                "with": [{"type": "core", "count": 2}]}],
 "tasks": [{"command": ["app"], "slot": "task", "count": {"per_slot": 1}}],
 "attributes": {"system": {"duration": 3600}}}
EOF
}

# selects SHAPE ANSWER: compare the selection from all.json in short form.
selects() {
    run -0 --separate-stderr rset-match --shape "$1" -o short all.json
    same "$output" "$2"
}

# --- conversion ----------------------------------------------------------

@test "a plain R in every form" {
    plain >all.json
    run -0 rset-match -o r all.json
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0-3","children":{"core":"0-3","gpu":"0-1"}}],"nodelist":["n[0-3]"]}}'
    run -0 rset-match -o short all.json
    same "$output" 'rank[0-3]/core[0-3],gpu[0-1]'
    run -0 rset-match -o tree all.json
    same "$output" 'cluster0
  n[0-3]  rank[0-3]
    core[0-3]
    gpu[0-1]'
    run -0 rset-match -o hosts all.json
    same "$output" 'n[0-3]'
    run -0 rset-match -o ranks all.json
    same "$output" 0-3
}

@test "a graph in every form for people and for lists" {
    graph >graph.json
    run -0 rset-match -o r graph.json
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-3","gpu":"0"}}],"nodelist":["a[0-1]"]}}'
    run -0 rset-match -o short graph.json
    same "$output" 'rank[0-1]/core[0-3],gpu0'
    run -0 rset-match -o tree graph.json
    same "$output" 'cluster0
  rack0
    a[0-1]  rank[0-1]
      gpu0
      memory0  8 GB
      socket0
        core[0-1]
      socket1
        core[2-3]
pdu0  2000 W'
    run -0 rset-match -o hosts graph.json
    same "$output" 'a[0-1]'
    run -0 rset-match -o ranks graph.json
    same "$output" 0-1
}

@test "a small graph, to the byte" {
    rset-discover --hosts n0 >one.json
    run -0 rset-match -o jgf-compact one.json
    same "$output" '{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0,"rank":-1,"paths":{"containment":"/cluster0"}}},{"id":"1","metadata":{"type":"node","basename":"n","id":0,"rank":0,"paths":{"containment":"/cluster0/n0"}}},{"id":"2","metadata":{"type":"core","id":0,"rank":0,"paths":{"containment":"/cluster0/n0/core0"}}}],"edges":[{"source":"0","target":"1"},{"source":"1","target":"2"}]}}'
    rset-match -o jgf one.json | jq -c '.graph.nodes[1].metadata |
        del(.uuid), keys_unsorted' >got
    cmp got - <<'EOF'
{"type":"node","basename":"n","name":"n0","id":0,"properties":{},"size":1,"unit":"","rank":0,"exclusive":false,"paths":{"containment":"/cluster0/n0"}}
["type","uuid","basename","name","id","properties","size","unit","rank","exclusive","paths"]
EOF
    rset-match -o jgf one.json | jq -c '.graph.edges[]' >got
    cmp got - <<'EOF'
{"source":"0","target":"1","metadata":{"subsystem":"containment","relationship":"contains"}}
{"source":"1","target":"2","metadata":{"subsystem":"containment","relationship":"contains"}}
EOF
}

@test "rv1 has both halves, the same as r and jgf" {
    graph >graph.json
    for compact in '' -compact; do
        rset-match -o rv1$compact graph.json >both
        jq -c '{version, execution}' both | cmp - <(rset-match -o r both)
        jq -c .scheduling both | cmp - <(rset-match -o jgf$compact graph.json)
    done
}

@test "output is read, and written again as the same bytes" {
    plain >all.json
    graph >graph.json
    for from in all.json graph.json; do
        for form in r jgf rv1 rv1-compact jgf-compact; do
            rset-match -o $form $from >once
            rset-match -o $form once | cmp - once
        done
        rset-match $from | cmp - $from
    done
}

@test "order, ids and layout of a graph make no difference" {
    graph >graph.json
    jq '.graph.nodes |= reverse | .graph.edges |= sort_by(
            .metadata.subsystem == "power",
            if .metadata.subsystem == "power" then 0
            else -(.target | tonumber) end) |
        .graph.nodes[].id |= "v" + . |
        .graph.edges[] |= (.source |= "v" + . | .target |= "v" + .)' \
        graph.json | rset-match | cmp - graph.json
}

@test "compact and full forms convert into each other" {
    graph | rset-match -o jgf >bare
    rset-match -o jgf-compact bare >compact
    rset-match -o jgf compact | cmp - bare
    rset-match -o rv1 bare >full
    rset-match -o rv1-compact full >compact
    rset-match -o rv1 compact | cmp - full
    for form in r short tree hosts ranks; do
        rset-match -o $form full | cmp - <(rset-match -o $form compact)
    done
}

@test "a graph of a plain R leads back to it, with all its records" {
    recorded '{
        allocations: [
            {job: 7, R_lite: [{rank: "0", children: {core: "0"}}]},
            {job: 8, R_lite: [{rank: "1", children: {core: "2"}}],
             holds: "1", start: 100, end: 200}],
        reservations: [{job: 9, R_lite: [{rank: "0", children: {core: "3"}}],
            start: 300, end: 400}],
        states: [{state: "down", R_lite: [{rank: "0", children: {core: "1"}}]}],
        tags: [{tag: "row", value: "B", R_lite: [{rank: "0"}]}]}' |
        rset-match >in
    export RSET_NOW=150
    rset-match -o jgf in | rset-match -o r | cmp - in
    rset-match -o rv1 in | rset-match -o r | cmp - in
    run -0 rset-match -o tree in
    same "$output" 'cluster0  shared by 7,8,9
  n0  rank0  #row=B  shared by 7,9
    core0  held by 7
    core1  down
    core2
    core3  reserved for 9
  n1  rank1  held by 8
    core[0-3]'
    rset-match -o jgf in | rset-match -o tree | same "$(cat)" "$output"
}

@test "a form that can't express the set is refused" {
    graph | jq -c 'del(.graph.nodes[].metadata.rank)' >bare
    refused "rset-match: bare: no node of the graph has a rank: it can't be written as an R" \
        rset-match -o r bare
}

# told DOCUMENT LOSSES: standard error has LOSSES when DOCUMENT is written as an
# R, which has to be valid.
told() {
    local want="rset-match: warning: $1: an R without a graph can't express everything, left out: $2"
    rset-match -o r "$1" >plain 2>err
    rset-match plain | cmp - plain
    same "$(cat err)" "${2:+$want}"
}

# vertices FILTER: print the set of graph(), with changed metadata of vertices.
vertices() {
    graph | jq -c ".graph.nodes[].metadata |= ($1)"
}

@test "records on resources that an R does not list are reported as lost" {
    graph >graph.json
    told graph.json ''
    vertices 'if .type == "memory" then .allocations = [{job: 7, size: 2}] |
        .reservations = [{job: 8, size: 1}] else . end' >memory
    told memory 'allocations of /cluster0/rack0/a0/memory0 and 1 more, reservations of /cluster0/rack0/a0/memory0 and 1 more'
    vertices 'if .type == "socket" then .state = "down" | .tags = ["x"] |
        .staged = 7 else . end' >sockets
    told sockets 'the job that stages /cluster0/rack0/a0/socket0 and 3 more, the state of /cluster0/rack0/a0/socket0 and 3 more, tags of /cluster0/rack0/a0/socket0 and 3 more'
    vertices 'if .type == "rack" then .shared = [7] | .exclusive = true
        elif .type == "cluster" then .shared = [7] else . end' >rack
    told rack 'jobs that share /cluster0/rack0, the exclusive flag of /cluster0/rack0'
    # records of pools above a job's cores are no loss
    graph | rset-alloc allocate 7 --shape slot/core=2 >held
    told held ''
    # loose pools
    vertices 'if .type == "pdu" then .state = "down" else . end' >power
    told power 'the state of power:/pdu0'
}

@test "resources that an R can't list are reported as lost" {
    vertices 'if .type == "node" and .id == 1 then .rank = -1
        elif (.paths.containment // "" | test("/a1/")) then .rank = -1
        else . end' >unranked
    told unranked 'a node without a rank, /cluster0/rack0/a1, a resource outside of nodes, /cluster0/rack0/a1/gpu0 and 4 more'
    vertices 'if .type == "gpu" then .size = 4 else . end' >big
    told big 'the size of /cluster0/rack0/a0/gpu0 and 1 more'
}

@test "a part of a pool in an R would be all of it: refused" {
    vertices 'if .name == "a0" then .size = 8 | .allocations =
        [{job: 7, size: 3}] | .reservations = [{job: 8, size: 2}]
        else . end' >nodes
    refused 'rset-match: nodes: /cluster0/rack0/a0: job 7 holds 3 of 8 units: an R without a graph names a resource only as a whole' \
        rset-match -o r nodes
    refused 'rset-diff: nodes: /cluster0/rack0/a0: job 7 holds 3 of 8 units: an R without a graph names a resource only as a whole' \
        rset-diff -o r --union nodes nodes
    rset-match -o rv1 nodes | rset-match -o jgf | cmp - \
        <(rset-match -o jgf nodes)
    vertices 'if .name == "a0" then .size = 8 |
        .allocations = [{job: 7, size: 8, end: 5}] |
        .reservations = [{job: 8, size: 8, start: 5}] else . end' >whole
    told whole 'the size of /cluster0/rack0/a0'
}

# --- keys that no standard knows ------------------------------------------

unknown_graph='{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0,"rank":-1,"paths":{"containment":"/cluster0"}},"label":"top"},{"id":"1","metadata":{"type":"node","id":0,"rank":0,"paths":{"containment":"/cluster0/node0","power":"/pdu0/node0"},"x":5},"label":"a","z":[1,{}]},{"id":"2","metadata":{"type":"core","id":0,"rank":0,"paths":{"containment":"/cluster0/node0/core0"}}},{"id":"3","metadata":{"type":"pdu","id":0,"rank":-1,"paths":{"power":"/pdu0"}}}],"edges":[{"source":"0","target":"1","metadata":{"subsystem":"containment","weight":3},"directed":true},{"source":"1","target":"2"},{"source":"3","target":"1","metadata":{"subsystem":"power","amps":5},"label":"cable"}]}}'
unknown_r='{"version":1,"execution":{"R_lite":[{"rank":"0-1,4","children":{"core":"0-1"},"zone":"b"},{"rank":"2","children":{"core":"0-1"}},{"rank":"3","children":{"core":"0-1"},"zone":"b","y":[1]}],"nodelist":["n[0-4]"]}}'

@test "unknown keys of entries, vertices and edges are kept" {
    echo "$unknown_graph" >graph
    echo "$unknown_r" >r.json
    for file in graph r.json; do
        run -0 --separate-stderr rset-match $file
        cmp $file - <<<"$output"
        same "$stderr" ''
        rset-diff --union $file $file | cmp - $file
    done
    rset-match -o jgf graph | rset-match -o jgf-compact | cmp - graph
    rset-match -o rv1 graph | rset-match -o rv1-compact |
        rset-match -o jgf-compact | cmp - graph
    # entries with equal keys are joined
    jq -c '.execution.R_lite |= [.[0] + {rank: "0-1"}, .[1], .[2],
        .[0] + {rank: "4"}]' r.json | rset-match | cmp - r.json
    # both halves
    rset-match -o rv1 r.json | rset-match | rset-match -o r | cmp - r.json
    # nodes by their ids
    jq -c '.graph.nodes |= (map({(.id): del(.id)}) | add)' graph |
        rset-match | cmp - graph
}

@test "unknown keys go where their ranks and vertices go" {
    echo "$unknown_graph" >graph
    echo "$unknown_r" >r.json
    run -0 rset-match --include 1-2 r.json
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"1","children":{"core":"0-1"},"zone":"b"},{"rank":"2","children":{"core":"0-1"}}],"nodelist":["n[1-2]"]}}'
    run -0 rset-alloc allocate 1 -n1 -c1 r.json
    rset-match -o r <<<"$output" | jq -c 'del(.attributes)' | cmp - r.json
    run -0 rset-match -n1 -c1 r.json
    same "$(jq -c '.execution.R_lite' <<<"$output")" '[{"rank":"0","children":{"core":"0"},"zone":"b"}]'
    rset-match --type core graph | jq -c '.graph.edges' |
        same "$(cat)" '[{"source":"0","target":"1","metadata":{"subsystem":"containment","weight":3},"directed":true},{"source":"1","target":"2"}]'
}

@test "a form without a place for unknown keys reports how many it leaves out" {
    echo "$unknown_graph" >graph
    echo "$unknown_r" >r.json
    run -0 --separate-stderr rset-match -o r graph
    same "$stderr" 'rset-match: warning: graph: 8 keys of R_lite entries, the graph, its vertices or its edges are left out'
    run -0 --separate-stderr rset-match -o jgf r.json
    same "$stderr" 'rset-match: warning: r.json: 3 keys of R_lite entries, the graph, its vertices or its edges are left out'
    jq -c '.execution.R_lite = [{rank: "0", children: {core: "0"}, y: 1}] |
        .execution.nodelist = ["n0"]' r.json >one
    run -0 --separate-stderr rset-match -o jgf one
    same "$stderr" 'rset-match: warning: one: 1 key of R_lite entries, the graph, its vertices or its edges is left out'
    # keys of the graph itself
    jq -c '.graph.label = "l" | .graph.directed = true' graph >labelled
    run -0 --separate-stderr rset-match -o r labelled
    same "$stderr" 'rset-match: warning: labelled: 10 keys of R_lite entries, the graph, its vertices or its edges are left out'
    run -0 --separate-stderr rset-match -o jgf labelled
    same "$stderr" ''
}

@test "a bare graph: a warning names keys beside it that are lost" {
    jq -nc '{version: 1, execution: {R_lite: [{rank: "0",
        children: {core: "0"}}], nodelist: ["n0"], nslots: 2, starttime: 5,
        expiration: 9}, scheduling: {tree: []},
        attributes: {user: {}}, more: 1}' >r.json
    run -0 --separate-stderr rset-match -o jgf r.json
    same "$stderr" 'rset-match: warning: r.json: a bare graph has no place for starttime, expiration, execution.nslots, scheduling.tree, attributes, more'
    # keys that were beside a bare graph stay there
    rset-match -o jgf r.json 2>err | jq -c '. + {writer: "me", more: 1}' >bare
    run -0 --separate-stderr rset-match -o jgf bare
    same "$output" "$(cat bare)"
    same "$stderr" ''
}

@test "an edge without metadata may name its relationship" {
    for word in contains holds; do
        echo '{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster"}},
            {"id":"1","metadata":{"type":"node"}}],
            "edges":[{"source":"0","target":"1","relation":"'$word'"}]}}' |
            rset-match -o jgf >graph
        same "$(jq -c '.graph.edges[0].metadata' graph)" \
            '{"subsystem":"containment","relationship":"'$word'"}'
    done
}

@test "a key at its old and its new place is left out with a warning if they differ" {
    for nslots in 2 3; do
        rset-discover --hosts n0 --cores 0 | jq -c ".execution.nslots = 2 |
            .attributes.system.scheduler.nslots = $nslots" >both
        run -0 --separate-stderr rset-match both
        [[ $nslots = 2 && -z $stderr || $nslots = 3 && $stderr == *' has another nslots' ]]
    done
}

@test "rset-diff compares unknown keys, and patches contain them" {
    echo "$unknown_graph" >graph
    sed 's/top/tip/; s/cable/wire/; s/"weight":3/"weight":4/' graph >graph2
    run -1 rset-diff graph graph2
    same "$output" '! rank 0 (node0): weight: 3 -> 4
! /cluster0/node0: other keys of its power edge
! /cluster0: label: "top" -> "tip"'
    run -0 rset-diff --patch graph graph2
    rset-diff --apply - graph <<<"$output" | cmp - graph2
    echo "$unknown_r" >r.json
    sed 's/\[1\]/2/' r.json >r2.json
    run -1 rset-diff r.json r2.json
    same "$output" '! rank 3 (n3): y: [1] -> 2'
    run -0 rset-diff --patch r.json r2.json
    rset-diff --apply - r.json <<<"$output" | cmp - r2.json
}

# --- streams -------------------------------------------------------------

@test "several documents: a line each, each in its own form" {
    plain >all.json
    graph >graph.json
    cat all.json graph.json all.json >stream
    rset-match <stream | cmp - stream
    rset-match graph.json - graph.json <all.json |
        cmp - <(cat graph.json all.json graph.json)
    jq . stream | rset-match | cmp - stream
    tr -d '\n' <stream | rset-match | cmp - stream
    run -0 rset-match -o short stream all.json
    same "$output" 'rank[0-3]/core[0-3],gpu[0-1]
rank[0-1]/core[0-3],gpu0
rank[0-3]/core[0-3],gpu[0-1]
rank[0-3]/core[0-3],gpu[0-1]'
}

@test "a request is made of each of several sets; the status is the highest" {
    plain >all.json
    rset-discover --hosts n0 >one.json
    rset-alloc allocate 1 -n1 one.json >busy.json
    run -0 rset-match -n1 -o short all.json one.json
    same "$output" 'rank0/core0
rank0/core0'
    run -1 --separate-stderr rset-match -n1 -o short busy.json one.json
    same "$output" rank0/core0
    same "$stderr" 'rset-match: busy.json: no match now: need 1 slot with 1 core: none available (1 allocated)'
    run -3 --separate-stderr rset-match -n2 -o short one.json all.json
    same "$output" 'rank0/core[0-1]'
    same "$stderr" 'rset-match: one.json: no match ever: need 2 slots with 1 core: there is 1'
    cat busy.json one.json >stream
    run -3 --separate-stderr rset-match -n2 <stream
    same "$output" ''
    same "$stderr" 'rset-match: stdin:1: no match ever: need 2 slots with 1 core: there is 1
rset-match: stdin:2: no match ever: need 2 slots with 1 core: there is 1'
}

# --- numbers -------------------------------------------------------------

@test "a property that no target has is named in the reason" {
    jq -c '.execution.properties = {ssd: "0"}' < <(plain) >all.json
    run -3 --separate-stderr rset-match -N1 --requires gpuu all.json
    same "$stderr" 'rset-match: all.json: no match ever: need 1 whole node: there is none (4 excluded by --requires); no target has the property "gpuu"'
    run -3 --separate-stderr rset-match -N9 --requires '^gpuu ssd' all.json
    same "$stderr" 'rset-match: all.json: no match ever: need 9 whole nodes: there is 1 (3 excluded by --requires)'
    run -1 --separate-stderr rset-match --requires gpuu -o short all.json
    same "$stderr" 'rset-match: all.json: nothing passes the filters; no target has the property "gpuu"'
    run -3 --separate-stderr rset-alloc allocate 1 -N1 --requires gpuu all.json
    same "$stderr" 'rset-alloc: all.json: no match ever: need 1 whole node: there is none (4 excluded by --requires); no target has the property "gpuu"'
    run -0 rset-match --requires -gpuu all.json
}

@test "hosts that no set has are named in the reason, and a type with a similar name" {
    plain >all.json
    never='no match ever: need 1 slot with 1'
    while IFS='~' read -r status request why; do
        # shellcheck disable=SC2086 # words of a request
        run "-$status" --separate-stderr rset-match $request all.json
        same "$output" ''
        same "$stderr" "rset-match: all.json: $why"
    done <<END
3~-n1 --requires host:n[7-9]~$never core: there is none (16 excluded by --requires); there is no host "n[7-9]"
3~-n1 --constraint {"hostlist":["n9"]}~$never core: there is none (16 excluded by --constraint); there is no host "n9"
1~--requires host:n9~nothing passes the filters; there is no host "n9"
1~--find host=n9~nothing passes the filters; there is no host "n9"
1~--find type=cores~nothing passes the filters; there is nothing of type "cores"; near it: core
1~--find type=floppy~nothing passes the filters
3~--shape slot/coer~$never coer: there is none; there is nothing of type "coer"; near it: core
END
    run -3 --separate-stderr rset-match -n99 --requires -host:n9 all.json
    [[ $stderr != *'no host'* ]]
    refused 'rset-match: --type: "cores": no set has this type; near it: core' \
        rset-match --type cores all.json
    run -0 rset-match --type rack,board all.json
}

@test "a record counts during its time, and afterwards until it is released" {
    rset-discover --hosts a --cores 0-1 |
        rset-alloc allocate 1 -N1 --now 50 --at 100 --duration 50 >later
    while read -r status options; do
        # shellcheck disable=SC2086 # words
        run "-$status" rset-match -n1 $options later
    done <<'END'
1 --now 60
0 --now 60 --duration 40
1 --now 60 --duration 41
1 --now 149 --duration 5
1 --now 150 --duration 5
0 --now 60 --at 150 --duration 5
1 --now 60 --at 149 --duration 5
END
}

@test "grouping and order of the input make no difference to the bytes" {
    local a='{"job":1,"R_lite":[{"rank":"0"}]}' b='{"job":2,"R_lite":[{"rank":"1"}]}'
    local c='"children":{"core":"0"}'

    for lists in "$a,$b" "$b,$a"; do
        for lite in "{\"rank\":\"0-1\",$c}" "{\"rank\":\"1\",$c},{\"rank\":\"0\",$c}"; do
            for hosts in '"a[0-1]"' '"a0","a1"' '"a0,a1"'; do
                printf '{"version":1,"execution":{"R_lite":[%s],"nodelist":[%s]},"attributes":{"system":{"scheduler":{"allocations":[%s]}}}}' \
                    "$lite" "$hosts" "$lists" | rset-match >>all
            done
        done
    done
    same "$(sort -u all | wc -l)" 1
}

@test "--count: an unknown type is an error, unless it is a common one" {
    plain >all.json
    run -0 rset-match --count rack,board all.json
    [ "$output" = '0 0' ]
    refused 'rset-match: --count: "cores": no set has this type; near it: core' \
        rset-match --count node,cores all.json
    refused 'rset-match: --count: "xyzzy": no set has this type' \
        rset-match --count xyzzy all.json
}

@test "--count: units of the types, in the order they are named" {
    plain >all.json
    graph >graph.json
    run -0 rset-match --count core,node,pdu,memory,socket,blade graph.json
    same "$output" '8 2 2000 16 4 0'
    run -0 rset-match --count blade,core,node -o json graph.json
    same "$output" '{"blade":0,"core":8,"node":2}'
    run -0 rset-match --count core,node,core -o json graph.json
    same "$output" '{"core":8,"node":2}'
    run -0 rset-match --count core,gpu all.json graph.json
    same "$output" '16 8
8 2'
    run -0 rset-match --count core,gpu -n2 -c2 all.json
    same "$output" '4 0'
}

@test "--aggregate leaves out a reservation that lapsed while it waited" {
    rset-discover --hosts 'n[0-1]' --cores 0-3 |
        rset-alloc allocate 1 -n1 --now 1000 --duration 50 |
        rset-alloc allocate 2 --targets n0 --at 1100 --duration 50 \
            --now 1000 >lapsed
    same "$(rset-match --aggregate --now 1200 lapsed | grep core)" 'core 7 7'
    same "$(rset-match --aggregate --now 1120 lapsed | grep core)" 'core 4 4'
}

@test "--count counts all resources, --aggregate available ones" {
    graph >graph.json
    rset-alloc allocate 1 --shape 'slot/[core=3;memory=6]' graph.json >busy
    run -0 rset-match --count core,memory busy
    same "$output" '8 16'
    run -0 rset-match --aggregate -o json busy
    same "$(jq -c 'map_values(.available)' <<<"$output")" \
        '{"cluster":1,"core":5,"gpu":2,"memory":10,"node":2,"pdu":2000,"rack":1,"socket":3}'
    same "$(jq -c 'map_values(.free)' <<<"$output")" \
        '{"cluster":0,"core":5,"gpu":2,"memory":10,"node":1,"pdu":2000,"rack":0,"socket":2}'
    run -0 rset-match --aggregate graph.json
    same "$output" 'cluster 1 1
core 8 8
gpu 2 2
memory 16 16
node 2 2
pdu 2000 2000
rack 1 1
socket 4 4'
}

@test "--zero: types with 0 available as well" {
    plain | rset-alloc allocate 1 -N4 >busy
    run -0 rset-match --aggregate --zero busy
    same "$output" 'cluster 0 0
core 0 0
gpu 0 0
node 0 0'
    run -0 rset-match --aggregate busy
    same "$output" ''
    run -0 rset-match --aggregate --zero -o json busy
    same "$(jq -c '[.[]] | unique' <<<"$output")" '[{"available":0,"free":0}]'
    same "$(jq -c keys <<<"$output")" '["cluster","core","gpu","node"]'
    run -0 rset-match --aggregate -o json busy
    same "$output" '{}'
}

@test "numbers: options that do not go together" {
    try="(try 'rset-match --help')"
    plain >all.json
    refused "rset-match: --zero needs --aggregate $try" \
        rset-match --zero all.json
    refused "rset-match: --count and --aggregate exclude each other $try" \
        rset-match --count core --aggregate all.json
    refused "rset-match: --count: \"\": expected TYPE[,TYPE...] $try" \
        rset-match --count '' all.json
    refused "rset-match: --output: this answer is available only as json $try" \
        rset-match --count core -o r all.json
}

# --- requests ------------------------------------------------------------

@test "-n, -c, -g: slots with cores and gpus" {
    plain >all.json
    while read -r request answer; do
        # shellcheck disable=SC2086 # words of a request
        run -0 rset-match ${request//,/ } -o short all.json
        same "$output" "$answer"
    done <<'EOF'
-n1 rank0/core0
-n3 rank0/core[0-2]
-c4 rank0/core[0-3]
-n4,-c2 rank[0-1]/core[0-3]
-n2,-c3 rank[0-1]/core[0-2]
-g2 rank0/core0,gpu[0-1]
-n3,-g1 rank0/core[0-1],gpu[0-1] rank1/core0,gpu0
-n16 rank[0-3]/core[0-3]
EOF
}

@test "-N, -x: slots on nodes, which are shared or whole" {
    plain >all.json
    while read -r request answer; do
        # shellcheck disable=SC2086 # words of a request
        run -0 rset-match ${request//,/ } -o short all.json
        same "$output" "$answer"
    done <<'EOF'
-N2 rank[0-1]/core[0-3],gpu[0-1]
-N2,-n4 rank[0-1]/core[0-1]
-N2,-n3 rank[0-1]/core[0-1]
-N2,-n4,-x rank[0-1]/core[0-3],gpu[0-1]
-N2,-n2,-c3,-g1 rank[0-1]/core[0-2],gpu0
-N2,-c2,-g1 rank[0-1]/core[0-3],gpu[0-1]
EOF
}

@test "requests that nothing can satisfy: no match ever" {
    plain >all.json
    while read -r request why; do
        # shellcheck disable=SC2086 # words of a request
        run -3 --separate-stderr rset-match ${request//,/ } all.json
        same "$output" ''
        same "$stderr" "rset-match: all.json: no match ever: need $why"
    done <<'EOF'
-c5 1 slot with 5 cores: there is none (it needs 5 cores, at most 4 are in one place)
-n17 17 slots with 1 core: there are 16
-N5 5 whole nodes: there are 4
-N4,-n17 4 nodes with 5 slots of 1 core: there is none (each needs 5 slots with 1 core, at most 4 are in one place)
-g3 1 slot with 1 core and 3 gpus: there is none (it needs 3 gpus, at most 2 are in one place)
--shape,slot/floppy 1 slot with 1 floppy: this set has no floppy
EOF
}

@test "request options that exclude each other" {
    try="(try 'rset-match --help')"
    plain >all.json
    refused "rset-match: -x needs -N $try" rset-match -n2 -x all.json
    refused "rset-match: 2 slots cannot be on 3 nodes $try" \
        rset-match -N3 -n2 all.json
    refused "rset-match: -n and --shape exclude each other $try" \
        rset-match -n4 --shape slot/core all.json
    refused "rset-match: --shape is given twice $try" \
        rset-match --shape node --shape core all.json
    refused "rset-match: --jobspec is given twice $try" \
        rset-match --jobspec a --jobspec b all.json
    refused "rset-match: -N: \"0\" is not a number from 1 to 2147483647 $try" \
        rset-match -N0 all.json
}

@test "--shape: cores in slots, on shared nodes, in a rack" {
    graph >all.json
    selects node=2/slot/core 'rank[0-1]/core0'
    selects rack/slot=2/core 'rank0/core[0-1]'
    selects 'slot/[core=2;gpu]' 'rank0/core[0-1],gpu0'
    selects slot/socket 'rank0/core[0-1]'
    selects slot=3/socket 'rank0/core[0-3] rank1/core[0-1]'
    selects slot/node 'rank0/core[0-3],gpu0'
    selects 'node{x}' 'rank0/core[0-3],gpu0'
    selects slot/rack 'rank[0-1]/core[0-3],gpu0'
}

@test "--shape: the last pools of a request are listed with their contents" {
    graph >graph.json
    run -0 rset-match --shape slot/socket -o tree graph.json
    same "$output" 'cluster0
  rack0
    a0  rank0
      socket0  exclusive
        core[0-1]  exclusive'
    run -0 rset-match --shape slot/node -o tree graph.json
    same "$output" 'cluster0
  rack0
    a0  rank0  exclusive
      gpu0  exclusive
      memory0  8 GB  exclusive
      socket0  exclusive
        core[0-1]  exclusive
      socket1  exclusive
        core[2-3]  exclusive'
    rset-match --shape 'node{x}/slot/core' graph.json |
        cmp - <(rset-match --shape slot/node graph.json)
}

@test "--shape: a pool held above is held whole, and not listed whole" {
    graph >graph.json
    run -0 rset-match --shape slot/node/core=2 -o tree graph.json
    same "$output" 'cluster0
  rack0
    a0  rank0  exclusive
      socket0  exclusive
        core[0-1]  exclusive'
    run -0 rset-match --shape 'slot/node{-x}/core=2' -o tree graph.json
    same "$output" 'cluster0
  rack0
    a0  rank0
      socket0
        core[0-1]  exclusive'
    plain >all.json
    run -0 rset-match --shape slot/node/core=2 all.json
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-1"}}],"nodelist":["n0"]},"attributes":{"system":{"scheduler":{"holds":"0"}}}}'
}

@test "--shape: a leaf outside of a slot is shared" {
    graph >graph.json
    run -0 rset-match --shape core=3 -o tree graph.json
    same "$output" 'cluster0
  rack0
    a0  rank0
      socket0
        core[0-1]
      socket1
        core2'
    rset-alloc allocate 1 --shape core=8 graph.json >busy
    rset-match --shape core=8 busy | # and others can share it
        cmp - <(rset-match --shape core=8 graph.json)
}

@test "--shape: units of pools, in part and of several" {
    graph >all.json
    run -0 rset-match --shape slot=2/memory=5 -o tree all.json
    same "$output" 'cluster0
  rack0
    a[0-1]  rank[0-1]
      memory0  5 GB'
    run -0 rset-match --shape 'slot/memory=6{unit:GB}' -o tree all.json
    same "$output" 'cluster0
  rack0
    a0  rank0
      memory0  6 GB'
    run -3 --separate-stderr rset-match --shape slot/memory=12 all.json
    same "$stderr" 'rset-match: all.json: no match ever: need 1 slot with 12 units of memory: there is none (it needs 12 units of memory, at most 8 are in one place)'
}

@test "--shape: an outermost count of several numbers takes the largest" {
    graph >all.json
    selects slot=1-3/core=3 'rank[0-1]/core[0-2]'
    selects 'slot=2-8:2:*/core' 'rank[0-1]/core[0-3]'
    selects slot=1,3/node 'rank0/core[0-3],gpu0'
    selects node=1-4/slot/core 'rank[0-1]/core0'
    selects core=4+ 'rank[0-1]/core[0-3]'
    run -3 --separate-stderr rset-match --shape node=5+/slot/core all.json
    same "$stderr" 'rset-match: all.json: no match ever: need at least 5 nodes with 1 core: there are 2'
    rset-alloc allocate 1 -N1 all.json >busy
    run -0 rset-match --shape slot=1-3/core=3 -o short busy
    same "$output" 'rank1/core[0-2]'
    run -1 --separate-stderr rset-match --shape slot=2-3/core=3 busy
    same "$stderr" 'rset-match: busy: no match now: need 2-3 slots with 3 cores: 1 available (1 allocated)'
}

@test "--jobspec: JSON and YAML, with its duration from now on" {
    rset-discover --hosts 'n[0-1]' --cores 0-3 >two.json
    two_slots >job.json
    cat >job.yaml <<'EOF'
version: 1
resources:
  - type: slot
    label: task
    count: 2
    with: [{type: core, count: 2}]
tasks:
  - {command: [app], slot: task, count: {per_slot: 1}}
attributes: {system: {duration: 3600}}
EOF
    want='{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3"}}],"nodelist":["n0"],"starttime":1000,"expiration":4600}}'
    for job in job.json job.yaml; do
        run -0 rset-match --jobspec $job --now 1000 two.json
        same "$output" "$want"
        run -0 rset-match --jobspec - --now 1000 two.json <$job
        same "$output" "$want"
    done
    refused "rset-match: --jobspec -: the document needs a file of its own (try 'rset-match --help')" \
        rset-match --jobspec - <job.json
}

@test "--now writes no time without a duration" {
    rset-discover --hosts 'n[0-1]' --cores 0-3 >two.json
    want='{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3"}}],"nodelist":["n0"]}}'
    two_slots >long.json
    run -0 rset-match --jobspec long.json --expiration never --now 1000 two.json
    same "$output" "$want"
    jq '.attributes.system.duration = 0' long.json >job.json
    run -0 rset-match --jobspec job.json --now 1000 two.json
    same "$output" "$want"
    run -0 rset-match -n2 -c2 --now 1000 two.json
    same "$output" "$want"
}

@test "no allocation lasts beyond the expiration of the set" {
    rset-discover --hosts n0 --cores 0-3 |
        jq -c '.execution.expiration = 5000' >timed
    two_slots >job
    run -0 rset-match --jobspec job --now 1400 timed
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3"}}],"nodelist":["n0"],"starttime":1400,"expiration":5000}}'
    run -3 --separate-stderr rset-match --jobspec job --now 1401 timed
    same "$output" ''
    same "$stderr" 'rset-match: timed: no match ever: the set expires before the duration is over (1970-01-01T01:23:20Z)'
    rset-match -n1 --now 4999 timed
    run -3 --separate-stderr rset-match -n1 --now 5000 timed
    same "$stderr" 'rset-match: timed: no match ever: the set has expired (1970-01-01T01:23:20Z)'
}

@test "no allocation starts before the start of the set" {
    rset-discover --hosts n0 --cores 0-3 |
        jq -c '.execution.starttime = 1000' >timed
    run -1 --separate-stderr rset-match -n1 --now 999 timed
    same "$output" ''
    same "$stderr" 'rset-match: timed: no match now: the set starts later (1970-01-01T00:16:40Z)'
    run -0 rset-match -n1 --now 1000 timed
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["n0"],"starttime":1000}}'
    run -3 --separate-stderr rset-match -n9 --now 999 timed
    same "$output" ''
}

# --- now and never -------------------------------------------------------

@test "held, reserved, staged and down resources match later, but not now" {
    one='{rank: "0", children: {core: "0-1"}}'
    while IFS='|' read -r records why; do
        recorded "{$records}" >set.json
        run -0 rset-match -n6 -o short set.json
        same "$output" 'rank0/core[2-3] rank1/core[0-3]'
        run -0 rset-match -N1 -o short set.json
        same "$output" 'rank1/core[0-3]'
        run -1 --separate-stderr rset-match -n7 set.json
        same "$output" ''
        same "$stderr" "rset-match: set.json: no match now: need 7 slots with 1 core: 6 available (2 $why)"
        run -1 --separate-stderr rset-match -N2 set.json
        same "$stderr" "rset-match: set.json: no match now: need 2 whole nodes: 1 available (1 $why)"
        run -3 --separate-stderr rset-match -n9 set.json
        same "$output" ''
        same "$stderr" 'rset-match: set.json: no match ever: need 9 slots with 1 core: there are 8'
    done <<END
allocations: [{job: 1, R_lite: [$one]}]|allocated
reservations: [{job: 1, R_lite: [$one]}]|allocated
staged: [{job: 1, R_lite: [$one]}]|staged
states: [{state: "down", R_lite: [$one]}]|down
END
}

@test "nothing in a node that is down matches" {
    recorded '{states: [{state: "down", R_lite: [{rank: "0"}]}]}' >set.json
    run -0 rset-match -n4 -o short set.json
    same "$output" 'rank1/core[0-3]'
    run -1 --separate-stderr rset-match -n5 set.json
    same "$stderr" 'rset-match: set.json: no match now: need 5 slots with 1 core: 4 available (4 down)'
    run -3 --separate-stderr rset-match -N3 set.json
    same "$stderr" 'rset-match: set.json: no match ever: need 3 whole nodes: there are 2'
}

@test "a plain R and its graph give the same answer" {
    plain >all.json
    rset-alloc allocate 1 -c3 -g1 all.json >busy.json
    for set in all.json busy.json; do
        rset-match -o jgf $set >graph
        for request in -n1 '-n3 -c2' -N1 '-N2 -n4 -x' '-N2 -n3' '-n4 -g1' \
            '--shape slot/node/core=2' '--shape core=3' \
            '--shape slot=1-9/[core=2;gpu]'; do
            # shellcheck disable=SC2086 # words of a request
            rset-match $request $set >plain.out
            # shellcheck disable=SC2086
            rset-match $request -o r graph | cmp - plain.out
        done
        run -1 --separate-stderr rset-match -n16 busy.json
    done
}

@test "an exclusive pool of the inventory is taken whole, or not" {
    graph | jq -c '(.graph.nodes[].metadata |
        select(.name == "a0")).exclusive = true' >set.json
    run -0 --separate-stderr rset-match -n1 -o r set.json
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["a0"]},"attributes":{"system":{"scheduler":{"holds":"0"}}}}'
    rset-alloc allocate 1 -n1 set.json >busy
    run -0 rset-match -n1 -o short busy
    same "$output" rank1/core0
    recorded '{exclusive: "1"}' >set.json
    run -0 rset-match -n4 set.json
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3"}}],"nodelist":["n0"]}}'
    run -0 rset-match -n5 set.json
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3"}},{"rank":"1","children":{"core":"0"}}],"nodelist":["n[0-1]"]},"attributes":{"system":{"scheduler":{"holds":"1"}}}}'
}

# --- halves that disagree ------------------------------------------------

@test "a rank may have many types" {
    ulimit -S -t 5 # seconds of processor time
    awk 'BEGIN {
        printf "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":" \
               "\"0-9999\",\"children\":{\"core\":\"0-3\""
        for (i = 0; i < 20000; i++)
            printf ",\"t%d\":\"0\"", i
        print "}}],\"nodelist\":[\"n[0-9999]\"]}}"
    }' </dev/null >types.json
    rset-match -q types.json
    same "$(rset-match -n3 -o short types.json)" 'rank0/core[0-2]'
    same "$(rset-match --shape t19999=3 -o short types.json)" 'rank[0-2]/t199990'
}

@test "--trust takes one half with a warning; without it halves that disagree are an error" {
    rset-discover --hosts 'n[0-1]' --cores 0-3 -o rv1 |
        jq -c '.execution.R_lite[0].children.core = "0-2"' >set.json
    refused 'rset-match: set.json: execution.R_lite: R_lite and the graph disagree: ranks 0-1: core[0-2] in R_lite, core[0-3] in the graph (choose one with --trust)' \
        rset-match set.json
    run -0 --separate-stderr rset-match --trust execution set.json
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-2"}}],"nodelist":["n[0-1]"]}}'
    same "$stderr" 'rset-match: warning: set.json: the graph is ignored: execution is used'
    run -0 --separate-stderr rset-match --trust graph set.json
    same "$output" "$(rset-discover --hosts 'n[0-1]' --cores 0-3 -o rv1)"
    same "$stderr" 'rset-match: warning: set.json: execution is ignored: the graph is used'
    refused "rset-match: --trust: \"foo\": expected execution or graph (try 'rset-match --help')" \
        rset-match --trust foo set.json
}
