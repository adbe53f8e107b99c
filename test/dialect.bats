#!/usr/bin/env bats
# The editions of RFC 20 that are written, and graphs in shorthand.

load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    rset-discover --hosts 'n[0-2]' --cores 0-3 --gpus 0 >plain.json
    rset-match -o jgf plain.json >full.json
    rset-match -o rv1-compact plain.json >compact.json
}

setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
    cp "$BATS_FILE_TMPDIR"/* .
}

@test "--dialect=seed is the default" {
    rset-match --dialect=seed -o rv1 plain.json >seed
    rset-match -o rv1 plain.json | cmp - seed
}

@test "the current edition has no attributes; a warning names what is lost" {
    rset-alloc allocate 7 -n1 plain.json | rset-alloc allocate a -n1 >held
    run -0 --separate-stderr rset-match --dialect=current held
    same "$output" "$(cat plain.json)"
    same "$stderr" 'rset-match: warning: held: the current edition has no attributes, left out: allocations of jobs 7, "a"'
}

@test "unknown attributes are named, too" {
    jq -c '.attributes={"system":{"queue":"q","scheduler":{"x":1}},"user":{}}' \
        plain.json >queue
    run -0 --separate-stderr rset-match --dialect=current queue
    same "$stderr" 'rset-match: warning: queue: the current edition has no attributes, left out: system.scheduler.x, system.queue, user'
}

@test "the current edition always has an execution" {
    jq -c '{version:1,scheduling:.}' full.json >graph.R
    rset-match --dialect=current graph.R 2>err >out
    same "$(jq -c '.execution' out)" "$(jq -c '.execution' plain.json)"
    same "$(cat err)" 'rset-match: warning: graph.R: graphs of the current edition have no uuids: uuids of 19 vertices are left out'
}

@test "a node without a rank can't be in the current edition" {
    echo '{"version":1,"scheduling":{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0}},{"id":"1","metadata":{"type":"node","id":0,"rank":-1}}],"edges":[{"source":"0","target":"1"}]}}}' >norank
    run -2 --separate-stderr rset-match --dialect=current norank
    same "$output" ''
    [ -n "$stderr" ]
}

@test "nslots belongs to the current edition, and is stored elsewhere in the seed one" {
    jq -c '.execution.nslots=3' plain.json >slots
    rset-match slots >seed
    same "$(jq -c '[.execution.nslots,.attributes.system.scheduler.nslots]' seed)" '[null,3]'
    rset-match --dialect=current seed >current
    same "$(jq -c '[.execution.nslots,.attributes]' current)" '[3,null]'
    rset-match current | cmp - seed
}

@test "the writer of a graph is stored elsewhere, too" {
    jq -c '.scheduling.writer="fluxion:jgf"' compact.json >writer
    rset-match writer >seed
    same "$(jq -c '[.scheduling.writer,.attributes.system.scheduler.writer]' seed)" '[null,"fluxion:jgf"]'
    rset-match --dialect=current seed >current
    same "$(jq -c .scheduling.writer current)" '"fluxion:jgf"'
}

@test "data of another scheduler are kept, and named if the seed edition was requested" {
    jq -c '.scheduling={"writer":"TreePool","children":[]}' plain.json >tree.json
    run -0 --separate-stderr rset-match tree.json
    same "$stderr" ''
    run -0 --separate-stderr rset-match -o rv1 tree.json
    same "$stderr" ''
    run -0 --separate-stderr rset-match --dialect=seed tree.json
    same "$(jq -c .scheduling <<<"$output")" '{"writer":"TreePool","children":[]}'
    same "$stderr" 'rset-match: warning: tree.json: the seed edition has only a graph in scheduling: writer, children are kept anyway'
    # without its graph, the writer of a graph is dropped
    rset-match -o rv1 plain.json |
        jq -c '.scheduling += {writer: "me", other: 1}' >graph.json
    run -0 --separate-stderr rset-match --dialect=seed -o r graph.json
    same "$(jq -c .scheduling <<<"$output")" '{"other":1}'
    same "$stderr" 'rset-match: warning: graph.json: the seed edition has only a graph in scheduling: other is kept anyway'
}

@test "every program that writes sets takes --dialect" {
    same "$(rset-discover --hosts 'n[0-2]' --cores 0-3 --gpus 0 --dialect=current)" "$(cat plain.json)"
    same "$(rset-alloc available --dialect=current plain.json)" "$(cat plain.json)"
    same "$(rset-diff --union --dialect=current plain.json plain.json)" "$(cat plain.json)"
}

@test "other answers refuse --dialect" {
    run -2 --separate-stderr rset-match --dialect=current --count core plain.json
    same "$stderr" "rset-match: --dialect: this answer is the same in both (try 'rset-match --help')"
    run -2 --separate-stderr rset-match --dialect=current -o short plain.json
    run -2 --separate-stderr rset-match --dialect=old plain.json
    same "$stderr" "rset-match: --dialect: \"old\": expected seed or current (try 'rset-match --help')"
}

# --- shorthand ---------------------------------------------------------------

@test "--shorthand leaves out the contents of resources that a job holds whole" {
    rset-match --shape slot=2/node full.json -o rv1-compact --shorthand >job
    same "$(jq -r '.scheduling.writer' job)" fluxion:jgf_shorthand
    same "$(jq -c '[.scheduling.graph.nodes[].metadata.type]' job)" '["cluster","node","node"]'
    same "$(rset-match -o short job 2>/dev/null)" 'rank[0-1]/core[0-3],gpu0'
}

@test "without anything to leave out a shorthand graph is an ordinary graph" {
    rset-match --shape node=2/slot/core full.json -o rv1-compact >long
    rset-match --shape node=2/slot/core full.json -o rv1-compact --shorthand |
        cmp - long
}

@test "exclusive marks of an inventory leave nothing out" {
    jq -c '(.graph.nodes[]|select(.metadata.type=="node")|.metadata.exclusive)=true' \
        full.json >marked
    rset-match -o jgf-compact --shorthand marked >out
    same "$(jq '.graph.nodes|length' out)" "$(jq '.graph.nodes|length' full.json)"
}

@test "a shorthand graph is read with a warning, and counted by R_lite" {
    rset-match --shape slot/node full.json -o rv1-compact --shorthand >job
    run -0 --separate-stderr rset-match --count node,core,gpu job
    same "$output" '1 4 1'
    same "$stderr" 'rset-match: warning: job: the graph is partial: of the contents of exclusive vertices only those in R_lite are known (--expand)'
}

@test "the nodes of a shorthand rack are in the order of their ranks" {
    rset-discover --config - -o rv1 >racks <<'END'
resources:
  - type: cluster
    with:
      - type: rack
        with:
          - {type: node, count: 2, with: [{type: core, count: 2}]}
          - {type: node, count: 2, with: [{type: core, count: 4}]}
END
    rset-match --shape slot/rack racks -o rv1-compact --shorthand >job
    same "$(rset-match -o tree job 2>/dev/null)" 'cluster0
  rack0  exclusive
    node[0-1]  rank[0-1]  exclusive
      core[0-1]  exclusive
    node[2-3]  rank[2-3]  exclusive
      core[0-3]  exclusive'
}

@test "a partial graph is written as it was read, or as an R" {
    rset-match --shape slot/node full.json -o rv1-compact --shorthand >job
    rset-match job 2>/dev/null | cmp - job
    same "$(rset-match -o r job 2>/dev/null)" "$(rset-match --shape slot/node plain.json -o r)"
    run -2 --separate-stderr rset-match -o jgf job
    same "$output" ''
    [[ $stderr == *'the graph is partial'* ]]
}

@test "--expand restores the same bytes" {
    for shape in slot=2/node slot/node/core=2 'node=2/slot/core=3' 'node=1{x}/slot/core'; do
        rset-match --shape "$shape" full.json -o rv1-compact >long
        rset-match -o rv1-compact --shorthand long >job
        rset-diff --inventory=full.json -o rv1-compact job | cmp - long
    done
}

@test "a shorthand keeps what an R lists in part, and leaves out the rest" {
    jq -nc '{graph: {nodes: [
        {id: "c", metadata: {type: "cluster", id: 0}},
        (0, 1 | {id: "n\(.)", metadata: {type: "node", id: ., rank: .}},
            {id: "m\(.)", metadata: {type: "memory", id: 0, size: 8}},
            {id: "k\(.)", metadata: {type: "core", id: 0}})],
        edges: [(0, 1 | {source: "c", target: "n\(.)"},
            {source: "n\(.)", target: "m\(.)"},
            {source: "n\(.)", target: "k\(.)"})]}}' >inventory
    # two nodes, both held whole; of the first only the core is listed
    local shape='slot/[node=1/core=1;node=1]'
    rset-match --shape "$shape" -o rv1-compact inventory >long
    rset-match --shape "$shape" -o rv1-compact --shorthand inventory >job
    same "$(jq -c '[.scheduling.graph.nodes[].metadata.paths.containment]' job)" \
        '["/cluster0","/cluster0/node0","/cluster0/node0/core0","/cluster0/node1"]'
    rset-diff --inventory=inventory -o rv1-compact job | cmp - long
}

@test "--expand: a resource that the inventory lacks is an error" {
    rset-match --shape slot=2/node full.json -o rv1-compact --shorthand >job
    rset-match --exclude 1 full.json >less 2>/dev/null ||
        rset-diff --unlink=/cluster0/n1 full.json >less
    run -2 --separate-stderr rset-diff --inventory=less job
    same "$output" ''
    same "$stderr" 'rset-diff: job: "/cluster0/n1" of rank 1 is not in the inventory'
}

@test "--shorthand needs a compact form" {
    run -2 --separate-stderr rset-match --shorthand full.json
    same "$stderr" "rset-match: --shorthand needs -o rv1-compact or jgf-compact (try 'rset-match --help')"
}

@test "a partial graph is never taken for the whole one" {
    rset-match --shape slot=2/node full.json -o rv1-compact >long
    rset-match --shape slot=2/node full.json -o rv1-compact --shorthand >job
    for op in union intersect subtract xor; do
        cmp <(rset-diff --$op long job) <(rset-diff --$op long long)
    done
    rset-match -o r long >plain
    for op in intersect subtract xor; do
        run -2 --separate-stderr rset-diff --$op job plain
        [[ $stderr == *'the graph is partial'*'(--expand takes them'* ]]
    done
    run -0 rset-diff --subtract -o short plain job
    [[ $output != *core* ]]
    rset-diff --inventory full.json job >whole
    run -0 rset-diff whole long
    # R_lite is the only difference
    run -0 --separate-stderr rset-diff long job
    [[ $stderr == *'only the graph of the first is complete: compared by R_lite'* ]]
    run -0 rset-diff job long
    jq -c '.execution.R_lite[0].children.core = "0-2"' job >less
    run -1 --separate-stderr rset-diff long less
    [[ $output == '- rank'*': core3' ]]
}

@test "a command that would write nothing is status 2" {
    rset-discover --hosts n0 --cores 0-3 >r.json
    rset-alloc allocate 1 -n1 --stage r.json >staged
    for command in 'allocate 7 -n1' 'grow 1 -n1' 'commit 1' \
        'extend 1 --expiration never' 'down 0' 'drain 0' 'state 0 failing' \
        'exclusive 0' 'tag 0 k'; do
        # shellcheck disable=SC2086
        refused "rset-alloc: staged: ${command%% *}: an R of the current edition can hold records only in a graph" \
            rset-alloc $command --dialect current staged
    done
    rset-match -o jgf r.json | rset-alloc allocate 7 -n1 --dialect current |
        rset-alloc allocated 7 | rset-match --count core | grep -qx 1
    rset-alloc property 0 ssd --dialect current r.json | grep -q ssd
    rset-alloc allocate 7 -n1 -w R --dialect current r.json 2>err | cmp - r.json
    grep -q 'left out: allocations of job 7' err
    same "$(rset-match -o short R)" rank0/core0
    echo 'allocate 7 -n1' >lines
    refused "rset-alloc: r.json: batch: an R of the current edition can hold records only in a graph" \
        rset-alloc batch lines --save saved --dialect current r.json
    [ ! -e saved ]
}

@test "a match writes its number of slots: always here, in the seed edition only if it was open" {
    rset-discover --hosts 'n[0-3]' --cores 0-3 --gpus 0-1 >r.json
    rset-match -o rv1 r.json | jq -c 'del(.scheduling.graph.nodes[].metadata.uuid)' >rv1.json
    while IFS='|' read -r request seed current; do
        for file in r.json rv1.json; do
            # shellcheck disable=SC2086
            rset-match $request $file >>seed 2>err
            # shellcheck disable=SC2086
            rset-match $request --dialect current $file >>current 2>err
            # shellcheck disable=SC2086
            rset-alloc allocate 1 $request -w R $file >held
            cat R >>given
            echo "$request: $seed" >>seeds
            echo "$request: $current" >>currents
            rset-alloc release 1 held | cmp - <(rset-match $file)
            rset-alloc allocated 1 held | cmp - R
            rset-alloc allocate 1 --R R $file | cmp - held
        done
    done <<'END'
-n5 -c2|null|5
-N3|null|3
-N2 -n5|null|6
--shape slot=1-8/core=3|4|4
--shape slot=1-2/[core;gpu]|2|2
--shape node=1-3/slot=2/core|6|6
--shape [slot=2{a}/core;slot=1-9{b}/gpu=2]|6|6
--shape [slot=2{a}/core=3;slot=3{b}/gpu]|null|5
--shape slot=2{x}/node/slot{in}/core|null|2
--shape core=4|null|null
END
    for file in seed given; do
        jq .attributes.system.scheduler.nslots $file | paste -d ' ' \
            <(sed 's/: .*/:/' seeds) - | diff - seeds
    done
    jq .execution.nslots current | paste -d ' ' \
        <(sed 's/: .*/:/' seeds) - | diff - currents
    # reading restores the number
    rset-match --shape slot=1-8/core=3 r.json | rset-match --dialect current |
        jq -c .execution.nslots | grep -qx 4
    # as long as the job holds what it was given
    rset-alloc allocate 1 --shape slot=1-8/core=3 r.json >held
    rset-alloc extend 1 --expiration 9999999999 held |
        rset-alloc allocated 1 | grep -q '"nslots":4'
    for part in 'release 1 --give /cluster0/n0/core0=1' 'grow 1 -n1'; do
        # shellcheck disable=SC2086
        rset-alloc $part held >less
        run -1 grep nslots less
        same "$(rset-alloc allocated 1 less | jq -c .attributes)" null
    done
    sed 's/"nslots":4/"nslots":0/' held >zero
    run -2 rset-match zero
    same "$output" 'rset-match: zero: attributes.system.scheduler.allocations[0].nslots: 0: expected a number of slots'
    # a bare graph has no place for it, and no warning
    run -0 --separate-stderr rset-match --shape slot=1-8/core=3 -o jgf r.json
    [ -z "$stderr" ]
}
