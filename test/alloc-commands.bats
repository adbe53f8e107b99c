#!/usr/bin/env bats
# rset-alloc: allocating and releasing over time, in every form.

load common

# A plain R, the same set as a graph, and a graph with other pools: memory in
# its nodes, licences beside them, watts outside of containment.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cat >r.json <<'EOF'
{"version":1,"execution":{"R_lite":[{"rank":"0-2","children":{"core":"0-3","gpu":"0-1"}}],"nodelist":["n[0-2]"]}}
EOF
    rset-match -o jgf r.json >graph.json
    rset-match >pools.json <<'EOF'
{"graph": {"nodes": [
  {"id": "c", "metadata": {"type": "cluster", "id": 0}},
  {"id": "l", "metadata": {"type": "license", "name": "matlab", "size": 10}},
  {"id": "n", "metadata": {"type": "node", "id": 0, "rank": 0}},
  {"id": "0", "metadata": {"type": "core", "id": 0}},
  {"id": "1", "metadata": {"type": "core", "id": 1}},
  {"id": "m", "metadata": {"type": "memory", "id": 0, "size": 16}},
  {"id": "o", "metadata": {"type": "node", "id": 1, "rank": 1}},
  {"id": "2", "metadata": {"type": "core", "id": 0}},
  {"id": "p", "metadata": {"type": "pdu", "id": 0, "size": 400}}],
 "edges": [
  {"source": "c", "target": "l"}, {"source": "c", "target": "n"},
  {"source": "n", "target": "0"}, {"source": "n", "target": "1"},
  {"source": "n", "target": "m"}, {"source": "c", "target": "o"},
  {"source": "o", "target": "2"},
  {"source": "p", "target": "n", "metadata": {"subsystem": "power"}}]}}
EOF
}

setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
    cp "$BATS_FILE_TMPDIR"/* .
}

alloc() {
    rset-alloc "$@"
}

# at TIME COMMAND...: run rset-alloc COMMAND with TIME as the clock.
at() {
    alloc "${@:2}" --now "$1"
}

# has JOB FILE: print the R of a job in one line.
has() {
    alloc allocated "$1" -o short "$2"
}

# no STATUS MESSAGE COMMAND...: COMMAND prints MESSAGE alone and fails with
# STATUS.
no() {
    run "-$1" --separate-stderr "${@:3}"
    same "$output$stderr" "$2"
}

# usage MESSAGE COMMAND...: COMMAND fails with a usage error.
usage() {
    local command=$3
    [ "$2" != at ] || command=$4
    refused "rset-alloc: $1 (try 'rset-alloc $command --help')" "${@:2}"
}

# --- allocate: resources ----------------------------------------------------

@test "allocate takes a request, paths, or an R" {
    alloc allocate 1 -n1 -c2 r.json >one
    same "$(has 1 one)" 'rank0/core[0-1]'
    alloc allocate 1 --take /cluster0/n0/core0=1 --take /cluster0/n0/core1=1 \
        r.json | cmp - one
    rset-match -n1 -c2 r.json >chosen
    alloc allocate 1 --R chosen r.json | cmp - one
    alloc allocate 1 --R - r.json <chosen | cmp - one
    alloc allocate 1 --R chosen <r.json | cmp - one
}

@test "--take: units of pools that no request can reach" {
    alloc allocate 1 --take /cluster0/matlab=3 --take power:/pdu0=150 \
        --take /cluster0/node0/memory0=16 pools.json >used
    same "$(rset-match -o tree used)" 'cluster0  shared by 1
  matlab  10  license  held by 1 (3)
  node0  rank0  shared by 1
    core[0-1]
    memory0  16  held by 1 (16)
  node1  rank1
    core0
pdu0  400  held by 1 (150)'
    alloc release 1 used | cmp - pools.json
}

@test "--take: all or nothing; status 3 (never) differs from 1 (not now)" {
    alloc allocate 1 --take /cluster0/matlab=8 pools.json >used
    no 1 'rset-alloc: used: no match now: /cluster0/matlab: only 2 of 10 units are free' \
        alloc allocate 2 --take /cluster0/node1=1 --take /cluster0/matlab=3 used
    no 3 'rset-alloc: used: /cluster0/matlab has a size of 10, not 11' \
        alloc allocate 2 --take /cluster0/matlab=11 used
    no 3 'rset-alloc: used: "/cluster0/nowhere": there is no such resource' \
        alloc allocate 2 --take /cluster0/nowhere=1 used
    alloc allocate 2 -n1 used >used2
    no 1 'rset-alloc: used2: no match now: /cluster0/node0/core0 is held by job 2' \
        alloc allocate 3 --take /cluster0/node0=1 used2
    no 1 'rset-alloc: used2: no match now: /cluster0/node0/core0 is held by job 2' \
        alloc allocate 3 --take /cluster0/node0/core0=1 used2
}

@test "--take refuses pools that are down, an R takes them" {
    alloc down 0 r.json >down
    no 1 'rset-alloc: down: no match now: /cluster0/n0 is down' \
        alloc allocate 1 --take /cluster0/n0/core0=1 down
    rset-match -n1 r.json >chosen
    alloc allocate 1 --R chosen down >used
    same "$(has 1 used)" 'rank0/core0'

    # taking all of a pool takes its contents too
    alloc down /cluster0/n0/core1 r.json >down
    for path in /cluster0/n0 /cluster0; do
        no 1 'rset-alloc: down: no match now: /cluster0/n0/core1 is down' \
            alloc allocate 1 --take "$path=1" down
    done
    alloc allocate 1 --take /cluster0/n0/core0=1 down >used
    same "$(has 1 used)" 'rank0/core0'
    alloc down /cluster0/n0/core1 graph.json |
        jq -c '.graph.nodes[1].metadata.exclusive = true' >down
    no 1 'rset-alloc: down: no match now: /cluster0/n0/core1 is down' \
        alloc allocate 1 --take /cluster0/n0/core0=1 down
}

@test "an exclusive pool is taken whole" {
    jq -c '.graph.nodes[1].metadata.exclusive = true' graph.json >whole
    alloc allocate 1 --take /cluster0/n0/core2=1 whole >used
    same "$(rset-match -o tree used | sed -n 2,3p)" \
        '  n0  rank0  exclusive  held by 1
    core[0-3]'
    same "$(has 1 used)" 'rank0/core2'
    same "$(alloc available -o ranks used)" 1-2
    rset-match -n1 graph.json >chosen
    alloc allocate 1 --R chosen whole | alloc available -o ranks >left
    same "$(cat left)" 1-2
}

@test "--take: bad paths and bad numbers" {
    usage '--take: "/cluster0/n0": expected PATH=N' \
        alloc allocate 1 --take /cluster0/n0 r.json
    usage '--take: "a:b": expected /PATH or SUBSYSTEM:/PATH' \
        alloc allocate 1 --take a:b=1 r.json
    for n in 0 -1 '' 1.5 x 99999999999999999999; do
        usage "--take: \"$n\" is not a number of units" \
            alloc allocate 1 --take "/cluster0/n0=$n" r.json
    done
    usage '--take: "/cluster0/n0/core1=1" and "/cluster0/n0=1" count the same units' \
        alloc allocate 1 --take /cluster0/n0=1 --take /cluster0/n0/core1=1 r.json
    usage '--take: "/cluster0/n0=1" and "/cluster0/n0=1" count the same units' \
        alloc allocate 1 --take /cluster0/n0=1 --take /cluster0/n0=1 r.json
}

@test "--R: refused if a part is taken or missing" {
    rset-match -N2 r.json >chosen
    alloc allocate 1 --take /cluster0/n1/gpu1=1 r.json >used
    no 1 'rset-alloc: used: no match now: /cluster0/n1/gpu1 is held by job 1' \
        alloc allocate 2 --R chosen used
    rset-discover --hosts n1 --ranks 1 --cores 2-9 >next
    no 3 'rset-alloc: r.json: no match ever: --R: /cluster0/n1/core[4-9] is not in the set' \
        alloc allocate 2 --R next r.json
    no 3 'rset-alloc: graph.json: no match ever: --R: some core that it names is not in the set' \
        alloc allocate 2 --R next graph.json
    rset-discover --hosts other --cores 0 >other
    no 3 'rset-alloc: r.json: no match ever: --R: rank 0 is "n0" in one set, "other" in the other' \
        alloc allocate 2 --R other r.json
}

@test "a job's R alone restores its part of the ledger" {
    while read -r set request; do
        # shellcheck disable=SC2086
        at 50 allocate 1 $request --at 100 --duration 60 $set >used
        alloc allocated 1 -o rv1 used >R
        at 50 allocate 1 --R R "$set" | cmp - used
        alloc release 1 --R R used | cmp - "$set"
    done <<'EOF'
r.json -n5
r.json -N2
r.json --shape slot/node/core
r.json --shape node=2
graph.json -n3 -g1
graph.json --shape slot/node/gpu
pools.json --shape slot/[core;memory=5]
pools.json --take /cluster0/node0/memory0=3 --take power:/pdu0=7
pools.json --take /cluster0=1
pools.json --shape [node;slot/core=2;memory]
EOF
    # without a time, of pools in no node at all
    alloc allocate 1 --take /cluster0/matlab=3 --take power:/pdu0=7 \
        pools.json >used
    alloc allocated 1 used >R
    alloc allocate 1 --R R pools.json | cmp - used
    alloc allocate 1 --take power:/pdu0=7 pools.json >used
    alloc allocated 1 used >R
    alloc allocate 1 --R R pools.json | cmp - used
}

@test "an R goes into a graph, and a graph into an R" {
    alloc allocate 1 -N1 -n2 -x r.json >plain
    alloc allocate 1 -N1 -n2 -x graph.json >graph
    alloc allocated 1 plain >R
    alloc allocated 1 graph >part
    alloc allocate 1 --R R graph.json | cmp - graph
    alloc allocate 1 --R part r.json | cmp - plain
}

@test "--R: memory of a graph is missing in an R; then nothing is taken" {
    alloc allocate 1 --shape 'slot/[core;memory=5]' -w R -o rv1 pools.json >used
    rset-match -o r pools.json 2>/dev/null >plain
    no 3 'rset-alloc: plain: no match ever: --R: /cluster0/node0/memory0 is not in the set' \
        alloc allocate 1 --R R plain
}

@test "--R: an empty R" {
    nothing='{"version":1,"execution":{"R_lite":[],"nodelist":[]}}'
    alloc allocate 1 -n1 r.json >used
    for set in used graph.json; do
        no 1 "rset-alloc: $set: --R: it lists no resources" \
            alloc allocate 2 --R - $set <<<"$nothing"
    done
    no 1 'rset-alloc: used: --R: it lists no resources' \
        alloc release 1 --R - used <<<"$nothing"
}

@test "exactly one of request, --take, --targets and --R" {
    usage 'a request, --R, --take and --targets exclude each other' \
        alloc allocate 1 -n1 --take /cluster0/n0=1 r.json
    usage 'a request, --R, --take and --targets exclude each other' \
        alloc allocate 1 --R r.json --jobspec r.json r.json
    for command in allocate grow; do
        usage "$command: a request is expected: -n, -N, --shape, --jobspec, --R, --take or --targets" \
            alloc $command 1 r.json
    done
    usage '--R -: the document needs a file of its own' alloc allocate 1 --R -
}

@test "--targets: whole nodes; the jobs in the way are named" {
    rset-discover --hosts 'n[0-3]' --cores 0-3 >'set'
    rset-match -o jgf set >graph
    export RSET_NOW=1000000000
    for set in set graph; do
        same "$(alloc allocate maint --targets 'n[1-2]' $set |
            alloc allocated maint -o short)" 'rank[1-2]/core[0-3]'
        same "$(alloc allocate maint --targets all $set |
            alloc allocated maint -o hosts)" 'n[0-3]'
        alloc allocate 1 -n1 $set | alloc allocate 2 -n1 --duration 2d |
            alloc allocate 3 -N1 --duration 3d |
            alloc allocate 4 -N1 --duration 1h |
            alloc allocate 5 -n1 --at +20h --duration 1h >busy
        for targets in 0-2 all 'n[0,1]'; do
            no 1 'rset-alloc: busy: no match now: at that time these jobs hold part of it: 1 (no end), 2,3 (until 2001-09-12T01:46:40Z at the latest)' \
                alloc allocate maint --at +1d --duration 8h --targets "$targets" busy
        done
        no 1 'rset-alloc: busy: no match now: at that time these jobs hold part of it: 3 (until 2001-09-12T01:46:40Z)' \
            alloc allocate maint --at +1d --duration 8h --targets n1 busy
        # allocations that have ended by then are no obstacle
        alloc allocate maint --at +1d --duration 8h --targets n2,n3 busy >next
        same "$(alloc jobs --job maint --columns state,hosts --no-header next |
            tr -s ' ')" 'reserved n[2-3]'
    done
}

@test "--targets: a job that holds the rack is named if it holds it at that time" {
    rset-discover --hosts 'n[0-3]' --cores 0 --nodes-per-rack 2 -o jgf |
        at 1000000000 allocate 9 --shape 'rack{x}/slot/node' --at +2d --duration 1h |
        at 1000000000 allocate 2 --targets n0 --duration 1d >busy
    no 1 'rset-alloc: busy: no match now: at that time these jobs hold part of it: 2 (until 2001-09-10T01:46:40Z)' \
        at 1000000000 allocate 3 --duration 8h --targets n0 busy
    no 1 'rset-alloc: busy: no match now: at that time these jobs hold part of it: 9 (until 2001-09-11T02:46:40Z)' \
        at 1000000000 allocate 3 --at +2d --duration 8h --targets n0 busy
}

@test "--targets: a job that grows is not in its own way" {
    alloc allocate 1 -n1 r.json | alloc allocate 2 -n1 >busy
    no 1 'rset-alloc: busy: no match now: at that time these jobs hold part of it: 1 (no end)' \
        alloc grow 2 --targets "$(alloc allocated 2 -o ranks busy)" busy
}

@test "--targets: of very many jobs in the way some are named, and all are counted" {
    rset-discover --hosts 'n[0-199]' --cores 0 >idle
    for job in {1..200}; do
        echo "allocate $((2 * job)) -N1"
    done >lines
    rset-alloc batch lines --no-R --save busy idle >out
    no 1 'rset-alloc: busy: no match now: at that time these jobs hold part of it: 2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,+176 (no end)' \
        alloc allocate maint --targets all --at +1d --duration 8h busy
}

@test "--targets --any-state: nodes that are down or drained are reserved, too" {
    rset-discover --hosts 'n[0-3]' --cores 0-3 >'set'
    alloc drain n0 set | alloc down n2 >out
    run -1 --separate-stderr alloc allocate maint --targets all out
    same "$stderr" 'rset-alloc: out: no match now: /cluster0/n[0,2] is down'
    for set in out "--store=s"; do
        [ $set = out ] || rset-alloc load --store s out
        window="--at +1d --duration 8h --targets n0,n[1-2] --any-state"
        # shellcheck disable=SC2086
        alloc allocate maint $window $set >next
        [ $set != out ] || set=next
        same "$(alloc jobs --columns state,hosts --no-header $set |
            tr -s ' ')" 'reserved n[0-2]'
        same "$(alloc nodes --state down,drained --columns host,reserved \
            --no-header $set | tr -s ' ')" $'n0 maint\nn2 maint'
        alloc check $set
    done
    alloc allocate 1 --take /cluster0/n0/core0=1 --any-state out >next
    same "$(alloc allocated 1 -o short next)" 'rank0/core0'
    usage '--any-state needs --targets or --take' \
        alloc allocate 1 -N1 --any-state set
    usage 'a request, --R, --take and --targets exclude each other' \
        alloc allocate 1 -N1 --targets n0 set
    usage '--targets: --requires needs a request' \
        alloc allocate 1 --targets n0 --requires x set
    refused 'rset-alloc: --targets: there is no host n9' \
        rset-alloc allocate 1 --targets n9 set
}

# --- allocate: times --------------------------------------------------------

# spans FILE: print who holds what, and when.
spans() {
    jq -c '.attributes.system.scheduler | (.allocations, .reservations)[]? |
        [.job, .start, .end]' "$1"
}

@test "no time is written unless one was given" {
    at 1000 allocate 1 -n1 r.json >used
    same "$(spans used)" '[1,null,null]'
    at 1000 allocate 1 -n1 --duration 0 r.json | cmp - used
    at 1000 allocate 1 -n1 --expiration never r.json | cmp - used
    at 1000 allocate 1 -n1 --duration 1.5h r.json >used
    same "$(spans used)" '[1,1000,6400]'
    at 1000 allocate 1 -n1 --expiration +1m r.json >used
    same "$(spans used)" '[1,1000,1060]'
    at 1000 allocate 1 -n1 --at now r.json >used
    same "$(spans used)" '[1,1000,null]'
    at 1000 allocate 1 -n1 --at 900 --expiration 2026-11-21 r.json >used
    same "$(spans used)" '[1,900,1795237200]'
}

@test "a reservation is an allocation that starts later" {
    at 1000 allocate 1 -N3 --at 2000 --duration 100 r.json >used
    jq -e '.attributes.system.scheduler | (.allocations | not) and
        (.reservations | length == 1)' used
    # there is room before the reservation, and none during it
    at 1000 allocate 2 -N3 --expiration 2000 used >both
    same "$(spans both)" '[2,1000,2000]
[1,2000,2100]'
    at 1000 allocate 2 -N3 --at 2100 --duration 1 used >/dev/null
    run -1 at 1000 allocate 2 -n1 --expiration 2001 used
    run -1 at 1000 allocate 2 -n1 --at 2099 --duration 1 used
    run -1 at 1000 allocate 2 -n1 used
}

@test "a reservation that has begun is held until it is released" {
    at 1000 allocate 1 -N3 --at 2000 --duration 100 r.json >used
    for now in 2000 2099 2100 9999; do
        run -1 at $now allocate 2 -n1 used
        same "$(at $now available -o short used)" ''
    done
    at 1999 available -o short used
    at 9999 expire used 2>/dev/null | cmp - r.json
}

@test "times that are refused" {
    usage '--at: a later start needs --duration or --expiration' \
        at 1000 allocate 1 -n1 --at 1001 r.json
    usage '--expiration: it would not end after it starts' \
        at 1000 allocate 1 -n1 --at 2000 --expiration 2000 r.json
    usage '--expiration: it would not end after it starts' \
        at 1000 allocate 1 -n1 --expiration 999 r.json
    usage '--duration: it would not end after it starts' \
        at 1000 allocate 1 -n1 --duration 0.0000004 r.json
    usage '--duration: it would end after 200000000000, the last time that can be written' \
        at 1000 allocate 1 -n1 --duration 199999999001 r.json
    at 1000 allocate 2 -N3 --expiration 199999999999 r.json >late
    refused 'rset-alloc: late: it would end after 200000000000, the last time that can be written' \
        at 1000 allocate 1 -N1 --duration 5 --earliest late
    echo '{version: 9, resources: [{type: slot, count: 1, label: s, with: [{type: core, count: 1}]}], tasks: [{command: [a], slot: s, count: {per_slot: 1}}], attributes: {system: {duration: 1e-8}}}' >spec
    usage 'attributes.system.duration: it would not end after it starts' \
        at 1000 allocate 1 --jobspec spec r.json
    refused "rset-match: attributes.system.duration: it would not end after it starts (try 'rset-match --help')" \
        rset-match --now 1000 --jobspec spec r.json
    usage '--duration: it would have ended already' \
        at 1000 allocate 1 -n1 --at 500 --duration 500 r.json
    usage '--duration and --expiration exclude each other' \
        at 1000 allocate 1 -n1 --duration 5 --expiration 2000 r.json
    usage '--duration: "-5": expected a duration: 90, 1.5h, 1h30m, [DAYS-]HH:MM:SS' \
        alloc allocate 1 -n1 --duration -5 r.json
    for text in '' -5 soon 1e999; do
        usage "--at: \"$text\": expected seconds, now, +DURATION or YYYY-MM-DD[THH:MM[:SS][ZONE]]" \
            alloc allocate 1 -n1 --at "$text" r.json
    done
}

@test "the start and end of a set limit named resources as they limit requests" {
    jq -c '.execution += {starttime: 1000, expiration: 2000}' r.json >bounded
    for what in -N1 --take=/cluster0/n0=1; do
        run -1 --separate-stderr at 999 allocate 1 $what bounded
        same "$output$stderr" 'rset-alloc: bounded: no match now: the set starts later (1970-01-01T00:16:40Z)'
        run -3 at 1000 allocate 1 $what --duration 1001 bounded
        run -3 at 2000 allocate 1 $what bounded
        run -0 at 1000 allocate 1 $what --duration 1000 bounded
    done
}

@test "an owner is recorded with every part; it is a number or a name" {
    alloc allocate 1 -n5 --owner alice r.json >used
    jq -e '[.attributes.system.scheduler.allocations[].owner] == ["alice"]' used
    alloc allocate 1 -n1 --owner 1001 graph.json >used
    jq -e '[.graph.nodes[].metadata.allocations | values[].owner] == [1001]' used
    rset-match used | cmp - used
    usage '"": an owner is a number or a name of at most 255 bytes' \
        alloc allocate 1 -n1 --owner '' r.json
    run -2 --separate-stderr alloc allocate 1 -n1 --owner $'\xff' r.json
    [ -z "$output" ]
}

# --- allocate: again --------------------------------------------------------

@test "grow: more on the same terms" {
    at 1000 allocate 1 -n2 --owner a --duration 60 r.json >one
    at 1030 grow 1 -n3 one >two
    jq -e '.attributes.system.scheduler.allocations == [{job: 1, owner: "a",
        start: 1000, end: 1060, R_lite: [{rank: "0", children: {core: "0-3"}},
        {rank: "1", children: {core: "0"}}]}]' two
    at 1030 allocate 1 --grow -n3 one | cmp - two
    # nobody else can have it before its end
    at 1000 allocate 2 -N3 --at 1059 --duration 1 r.json >reserved
    at 1000 allocate 1 -n2 --duration 59 reserved >one
    at 1000 grow 1 -n1 one >/dev/null
    at 1000 allocate 1 --grow --expiration 1059 -n1 one >/dev/null
    no 1 'rset-alloc: one: no match now: need 1 slot with 1 core: none available (2 allocated, 10 reserved)' \
        at 1000 allocate 1 --grow --expiration 1060 -n1 one
}

@test "grow: units add up" {
    alloc allocate 1 --take /cluster0/matlab=4 pools.json |
        alloc grow 1 --take /cluster0/matlab=5 >used
    jq -e '[.graph.nodes[].metadata.allocations | values] ==
        [[{job: 1, size: 9}]]' used
}

@test "grow: only on an allocation that exists and has not ended" {
    no 1 'rset-alloc: r.json: job 1 holds nothing' alloc grow 1 -n1 r.json
    alloc allocate 1 --grow -n1 r.json | cmp - <(alloc allocate 1 -n1 r.json)
    at 1000 allocate 1 -n1 --duration 60 r.json >one
    no 1 'rset-alloc: one: job 1 ended at 1970-01-01T00:17:40Z' at 1060 grow 1 -n1 one
    no 1 'rset-alloc: one: job 1 ended at 1970-01-01T00:17:40Z' \
        at 1060 allocate 1 --grow -n1 one
    usage 'grow does not take --duration' alloc grow 1 -n1 --duration 5 one
}

# --- the job's R ------------------------------------------------------------

@test "-w: the job's R, beside the set" {
    at 1000 allocate 1 -n2 --duration 60 -w R r.json >used
    alloc allocated 1 used | cmp - R
    at 1000 grow 1 -n1 -w R used >next
    alloc allocated 1 next | cmp - R
}

@test "-w: a document, whatever -o shows" {
    alloc allocate 1 -n2 -o tree -w R r.json >/dev/null
    alloc allocate 1 -n2 -w want r.json >/dev/null
    cmp R want
    alloc allocate 1 -n2 -o jgf -w R r.json >used
    alloc allocated 1 used | cmp - R
}

@test "-w: nothing is written if nothing is allocated" {
    run -3 alloc allocate 1 -N9 -w R r.json
    [ ! -e R ]
    echo mine >R
    run -3 alloc allocate 1 -N9 -w R r.json
    same "$(cat R)" mine
}

@test "-w: a file that can't be written" {
    needs /dev/full
    refused 'rset-alloc: none/R: No such file or directory' \
        alloc allocate 1 -n1 -w none/R r.json
    refused 'rset-alloc: /dev/full: No space left on device' \
        alloc allocate 1 -n1 -w /dev/full r.json
    for file in '' -; do
        usage '--write: a file is expected, standard output has the set' \
            alloc allocate 1 -n1 -w "$file" r.json
    done
}

@test "-w: nothing is written if writing the set fails" {
    needs /dev/full
    rset-discover --hosts 'n[0-99]' --cores 0-63 -o jgf >big
    echo mine >old
    for R in R old; do
        run -2 bash -c "rset-alloc allocate 1 -n1 -w $R r.json >/dev/full"
        run -2 bash -c "rset-alloc allocate 1 -n1 -w $R r.json >&-"
        run -141 bash -c "set -o pipefail
            rset-alloc allocate 1 -n1 -w $R big | head -c1 >/dev/null"
    done
    [ "$(echo R* old*)" = 'R* old' ] # and nothing beside it
    same "$(cat old)" mine
}

@test "-w: the file is replaced as a whole, keeps its mode, and links are followed" {
    echo mine >R
    chmod 640 R
    ln -s R link
    alloc allocate 1 -n1 -w link r.json >used
    same "$(stat -c %a R)" 640
    [ -L link ]
    alloc allocated 1 used | cmp - R
    (umask 027 && alloc allocate 1 -n1 -w new r.json >/dev/null)
    same "$(stat -c %a new)" 640
    mkfifo pipe
    cat pipe >got &
    alloc allocate 1 -n1 -w pipe r.json >/dev/null
    wait
    cmp got R
    # the file is there before the reader of the set sees its end
    for _ in 1 2 3 4 5 6 7 8; do
        rm -f R
        alloc allocate 1 -n1 -w R r.json | (cat && [ -e R ]) >/dev/null
    done
    # of eight writers at once one has its file there
    for job in 1 2 3 4 5 6 7 8; do
        alloc allocate $job "-n$job" -w many r.json >/dev/null &
    done
    wait
    run -0 rset-match --count core many
    [ "$(echo many*)" = many ]
}

@test "-w: refuses the document itself and the file of the set" {
    cp r.json doc
    usage '--write: "doc" is the document that is read' \
        alloc allocate 1 -n1 -w doc doc
    run -2 --separate-stderr bash -c 'rset-alloc allocate 1 -n1 -w doc <doc'
    same "$output$stderr" "rset-alloc: --write: \"doc\" is standard input or output (try 'rset-alloc allocate --help')"
    cmp doc r.json
    run -2 bash -c 'rset-alloc allocate 1 -n1 -w out doc >out'
    run -2 bash -c 'rset-alloc allocate 1 -n1 -w /dev/stdout doc | cat; exit ${PIPESTATUS[0]}'
}

# --- stage ------------------------------------------------------------------

@test "stage locks, commit keeps, abort releases" {
    alloc allocate 1 --stage -n2 r.json >staged
    same "$(alloc available -o short staged)" \
        'rank0/core[2-3],gpu[0-1] rank[1-2]/core[0-3],gpu[0-1]'
    no 1 'rset-alloc: staged: no match now: /cluster0/n0/core0 is staged for job 1' \
        alloc allocate 2 --take /cluster0/n0/core0=1 staged
    alloc commit 1 staged | cmp - <(alloc allocate 1 -n2 r.json)
    alloc abort 1 staged | cmp - r.json
    alloc release 1 staged | cmp - r.json
}

@test "stage: a pool with units is locked with all of them" {
    alloc allocate 1 --stage --take /cluster0/matlab=2 pools.json >staged
    no 1 'rset-alloc: staged: no match now: /cluster0/matlab is staged for job 1' \
        alloc allocate 2 --take /cluster0/matlab=1 staged
    alloc commit 1 staged | alloc allocate 2 --take /cluster0/matlab=1 >both
    same "$(alloc status --by type /cluster0/matlab both | sed 1d | tr -s ' ')" \
        'license up 10 3 0 7 1-2'
}

@test "a pool is staged for one job only, in an R as in a graph: the last" {
    for list in '["a", "b"]' '["b", "a"]' '["b", "a", "a"]'; do
        jq -c --argjson list "$list" '.attributes.system.scheduler.staged =
            [$list[] | {job: ., R_lite: [{rank: "0"}]}]' r.json |
            rset-match >staged
        last=$(jq -r '.[-1]' <<<"$list")
        rset-match -o jgf staged | rset-match -o tree |
            cmp - <(rset-match -o tree staged)
        same "$(jq -r '.attributes.system.scheduler.staged[].job' staged)" \
            "$last"
        alloc abort "$last" staged | cmp - r.json
    done
}

@test "commit and abort: staged parts only" {
    alloc allocate 1 -n2 r.json >used
    for command in commit abort; do
        no 1 'rset-alloc: used: nothing is staged for job 1' \
            alloc $command 1 used
        no 1 'rset-alloc: used: nothing is staged for job 2' \
            alloc $command 2 used
    done
}

@test "a staged allocation does not grow" {
    alloc allocate 1 --stage -n2 r.json >staged
    no 1 'rset-alloc: staged: job 1 is staged' alloc grow 1 -n1 staged
    no 1 'rset-alloc: staged: job 1 is staged' \
        alloc allocate 1 --grow -n1 staged
    usage '--grow and --stage exclude each other' \
        alloc allocate 1 --grow --stage -n1 r.json
    refused 'rset-alloc: r.json: --stage: all of it is shared, so there is nothing to lock' \
        alloc allocate 1 --stage --shape node r.json
}

@test "a part of a staged allocation can be released, and is free then" {
    alloc allocate 1 --stage -n3 r.json >staged
    alloc release 1 --give /cluster0/n0/core2=1 staged |
        cmp - <(alloc allocate 1 --stage -n2 r.json)
}

# --- release ----------------------------------------------------------------

@test "release in part: an R, targets, pools" {
    alloc allocate 1 -n6 r.json >used
    same "$(has 1 used)" 'rank0/core[0-3] rank1/core[0-1]'
    want='rank0/core[0-3]'
    rset-match --include 1 used -o r | jq -c 'del(.attributes) |
        .execution.R_lite[0].children = {core: "0-1"}' >part
    for option in --R=part --targets=1 --targets=n1 \
        --give=/cluster0/n1/core0=1\ --give=/cluster0/n1/core1=1; do
        # shellcheck disable=SC2086
        alloc release 1 $option used >left
        same "$(has 1 left)" "$want"
        # shellcheck disable=SC2086
        alloc shrink 1 $option used | cmp - left
    done
}

@test "release in part: units of pools, with a rank and without" {
    alloc allocate 1 --take /cluster0/matlab=8 --take power:/pdu0=300 \
        --take /cluster0/node0/memory0=9 pools.json >used
    alloc release 1 --give /cluster0/matlab=3 --give power:/pdu0=100 used |
        alloc release 1 --give /cluster0/node0/memory0=4 >left
    same "$(rset-match -o tree left | grep held)" \
        '  matlab  10  license  held by 1 (5)
    memory0  16  held by 1 (5)
pdu0  400  held by 1 (200)'
    alloc release 1 --give /cluster0/matlab=5 --give power:/pdu0=200 left |
        alloc release 1 --targets 0 | cmp - pools.json
}

@test "release takes as much as a request asks for, from what the job holds" {
    alloc allocate 1 -N3 r.json >used
    give_back() {
        alloc allocated 1 used | rset-match "$@" | alloc release 1 --R - used
    }
    give_back -n4 >left
    same "$(has 1 left)" \
        'rank0/gpu[0-1] rank[1-2]/core[0-3],gpu[0-1]'
    give_back -N1 >left
    same "$(has 1 left)" 'rank[1-2]/core[0-3],gpu[0-1]'
}

@test "release of a part of a whole pool: the job keeps the rest" {
    alloc allocate 1 -N1 r.json >used
    alloc release 1 --give /cluster0/n0/core1=1 used >left
    same "$(rset-match -o tree left | sed -n 1,6p)" 'cluster0  shared by 1
  n0  rank0  shared by 1
    core[0,2-3]  held by 1
    core1
    gpu[0-1]  held by 1
  n[1-2]  rank[1-2]'
    alloc allocate 2 -n9 left >/dev/null
    # also resources that the job holds without having asked for them
    alloc allocate 1 --shape slot/node/core r.json >used
    alloc release 1 --give /cluster0/n0/core3=1 used >left
    same "$(has 1 left)" 'rank0/core[0-2],gpu[0-1]'
}

@test "release of resources that the job does not hold fails and changes nothing" {
    alloc allocate 1 -n2 r.json >used
    no 1 'rset-alloc: used: job 2 holds nothing' alloc release 2 used
    no 1 'rset-alloc: used: job 1 does not hold /cluster0/n0/core3' \
        alloc release 1 --give /cluster0/n0/core0=1 \
        --give /cluster0/n0/core3=1 used
    no 1 'rset-alloc: used: "/cluster0/n0/core9": there is no such resource' \
        alloc release 1 --give /cluster0/n0/core9=1 used
    no 1 'rset-alloc: used: job 1 holds nothing on 1-2' \
        alloc release 1 --targets 1-2 used
    rset-match -n3 r.json >R
    no 1 'rset-alloc: used: job 1 does not hold /cluster0/n0/core2' \
        alloc release 1 --R R used
    alloc allocate 1 --take /cluster0/matlab=2 pools.json >used
    no 1 'rset-alloc: used: job 1 has only 2 of /cluster0/matlab, not 3' \
        alloc release 1 --give /cluster0/matlab=3 used
}

@test "release: operands that name a part" {
    alloc allocate 1 -n2 r.json >used
    usage '--R, --targets and --give exclude each other' \
        alloc release 1 --targets 0 --give /cluster0/n0/core0=1 used
    usage '--give: "none" is not a number of units' \
        alloc release 1 --give /cluster0/n0/core0=none used
    run -2 --separate-stderr alloc release 1 --targets 9 used
    same "$output$stderr" 'rset-alloc: --targets: there is no rank 9'
    usage 'release does not take a request' alloc release 1 -n1 used
}

@test "shrink leaves something to the job" {
    alloc allocate 1 -n2 r.json >used
    no 1 'rset-alloc: used: job 1 would hold nothing: use release' \
        alloc shrink 1 --targets 0 used
    usage 'shrink: a part is expected: --R, --targets or --give' \
        alloc shrink 1 used
}

# --- extend and expire ------------------------------------------------------

@test "extend: a new end, unless the resources are promised to others" {
    at 1000 allocate 1 -N1 --duration 60 r.json |
        at 1000 allocate 2 --take /cluster0/n0/core1=1 --at 1100 \
            --duration 10 >used
    at 1000 extend 1 --expiration 1100 used >next
    same "$(spans next)" '[1,1000,1100]
[2,1100,1110]'
    for time in 1101 never; do
        no 1 'rset-alloc: used: /cluster0/n0/core1 is reserved for job 2 from 1970-01-01T00:18:20Z' \
            at 1000 extend 1 --expiration $time used
    done
    # an ended allocation is still held
    no 1 'rset-alloc: used: job 1 still holds /cluster0/n0' \
        at 1100 extend 2 --expiration never used
    alloc release 1 used | at 1100 extend 2 --expiration never >next
    same "$(spans next)" '[2,1100,null]'
    usage '--expiration: job 2 starts later and needs an end' \
        at 1000 extend 2 --expiration never used
    at 1000 extend 1 --expiration +30 used | spans /dev/stdin >out
    same "$(head -1 out)" '[1,1000,1030]'
}

@test "extend: ends that are refused" {
    at 1000 allocate 1 -n1 --duration 60 r.json >used
    usage 'extend: --expiration or --duration is expected' alloc extend 1 used
    usage '--expiration: job 1: it would not end after it starts' \
        alloc extend 1 --expiration 1000 used
    no 1 'rset-alloc: used: job 2 holds nothing' \
        alloc extend 2 --expiration never used
    # the set itself ends
    jq -c '.execution.expiration = 1100' used >ends
    run -0 at 1000 extend 1 --expiration 1100 ends
    run -0 at 1000 extend 1 --expiration never ends
    no 3 'rset-alloc: ends: the set expires before that (1970-01-01T00:18:20Z)' \
        at 1000 extend 1 --expiration 1101 ends
}

@test "an ended allocation is held until expire drops and lists it" {
    at 1000 allocate 1 -N1 --duration 60 r.json |
        at 1000 allocate b -n1 --duration 30 |
        at 1000 allocate 3 -n1 >used
    run -1 at 1060 allocate 9 -N2 used
    run -0 --separate-stderr at 1059 expire used
    same "$stderr" 'rset-alloc: used: job b ended at 1970-01-01T00:17:10Z'
    run -0 --separate-stderr at 1060 expire used
    same "$stderr" 'rset-alloc: used: job 1 ended at 1970-01-01T00:17:40Z
rset-alloc: used: job b ended at 1970-01-01T00:17:10Z'
    same "$(alloc jobs -o json <<<"$output" | jq -c 'map(.job)')" '[3]'
    run -0 --separate-stderr at 1000 expire used
    same "$output$stderr" "$(cat used)"
}

# --- allocated and available ------------------------------------------------

@test "allocated --held: all that the job blocks, asked for or not" {
    alloc allocate 1 --shape slot/node/core r.json >used
    same "$(has 1 used)" 'rank0/core0'
    same "$(alloc allocated 1 --held -o short used)" 'rank0/core[0-3],gpu[0-1]'
    same "$(alloc allocated --held -o short <used)" 'rank0/core[0-3],gpu[0-1]'
    no 1 'rset-alloc: used: job 2 holds nothing' alloc allocated 2 --held used
}

@test "allocated: a shared pool is marked as such, or its R would claim it" {
    alloc allocate 1 --shape memory pools.json >used
    alloc allocated 1 used >R
    jq -e '[.graph.nodes[].metadata | select(.shared) | .type] | last == "memory"' R
    alloc allocate 1 --R R pools.json | cmp - used
}

@test "shared pools have times: nobody else has them whole meanwhile" {
    for set in pools.json r.json; do
        shape=memory node=/cluster0/node0
        [ "$set" = pools.json ] || { shape=core node=/cluster0/n0; }
        at 1000 allocate 1 --take "$node=1" --at 2000 --duration 60 "$set" >used
        at 1000 allocate 2 --shape "$shape" --expiration 1060 used >both
        same "$(at 1000 jobs --columns job,state,start,end -o json both |
            jq -c '.[]')" "$(cat <<'EOF'
{"job":1,"state":"reserved","start":2000,"end":2060}
{"job":2,"state":"shared","start":1000,"end":1060}
EOF
)"
        at 1000 allocated 2 both >R
        [ "$set" = pools.json ] ||
            same "$(jq -c '.execution | [.starttime, .expiration]' R)" \
                '[1000,1060]'
        # a shared pool can't be taken whole, and a whole one can't be shared
        run -1 at 1000 allocate 3 --take "$node=1" --duration 60 both
        run -0 at 1000 allocate 3 --take "$node=1" --at 1060 --duration 60 both
        run -1 at 1000 extend 2 --expiration 2001 both
        same "$(at 1000 extend 2 --expiration 2000 both |
            at 1000 jobs --job 2 --columns end -o json)" '[{"end":2000}]'
        # an ended share stays until it is dropped
        same "$(at 1060 jobs --job-state ended --columns job --no-header \
            both)" 2
        same "$(at 1060 expire both 2>/dev/null | jq -cS .)" "$(jq -cS . used)"
    done
    # without times the share has no end, for a plain job
    at 1000 allocate 2 --shape memory pools.json >used
    same "$(jq -c '.graph.nodes[5].metadata.shared' used)" '[2]'
    run -1 at 1000 allocate 1 --take /cluster0/node0=1 --at 2000 \
        --duration 60 used
}

# RFC 4, RFC 16: no two jobs hold the same unit
@test "a reservation waits for resources that another job has not released" {
    at 1000 allocate 1 -n2 -c2 --duration 10 r.json |
        at 1000 allocate 2 -n2 -c2 --at 1010 --duration 10 |
        at 1000 allocate 3 -n1 --duration 90 >used
    same "$(at 1009 allocated 2 -o short used)" 'rank0/core[0-3]'
    same "$(at 1009 status --by type -o json used |
        jq -c '.types[] | select(.type == "core") | [.allocated, .reserved]')" \
        '[5,4]'
    for now in 1010 1019; do
        same "$(at $now jobs --columns job,state,waits_for --no-header used)" \
            "$(printf '%s\n' '1  ended      -' '2  waiting    1' \
                '3  allocated  -')"
        no 1 'rset-alloc: used: job 2 holds nothing: it waits for job 1, which ended at 1970-01-01T00:16:50Z and was not released: /cluster0/n0/core[0-3]' \
            at $now allocated 2 used
        same "$(at $now status --by type -o json used | jq -c '.types[] |
            select(.type == "core") | [.allocated, .reserved, .holders]')" \
            '[5,4,[1,3]]'
        same "$(at $now nodes --columns jobs,reserved --no-header used |
            head -n 1 | xargs)" '1 2'
        same "$(at $now allocated -o short used)" \
            'rank0/core[0-3] rank1/core0'
        run -0 at $now check used
        same "$output" 'used: note: job 2 waits for job 1, which ended at 1970-01-01T00:16:50Z and was not released: /cluster0/n0/core[0-3] [waiting]'
        same "$(at $now check -o json used | jq -c '.valid, .faults[].level')" \
            "$(printf '%s\n' true '"noted"')"
    done
    # the times stay, and released resources can be allocated at once
    same "$(alloc release 1 used | at 1015 jobs --job 2 -o json |
        jq -c '.[] | [.state, .start, .end, .waits_for]')" \
        '["allocated",1010,1020,null]'
    same "$(alloc release 1 used | at 1015 allocated 2 -o short)" \
        'rank0/core[0-3]'
    same "$(at 1020 expire used 2>&1 >next)" "$(printf '%s\n' \
        'rset-alloc: used: job 1 ended at 1970-01-01T00:16:50Z' \
        'rset-alloc: used: job 2 ended at 1970-01-01T00:17:00Z')"
    same "$(at 1020 jobs --columns job --no-header next)" 3
    # a waiting reservation is still a promise: nobody else gets it
    run -1 at 1015 allocate 4 -N2 --duration 2 used
    run -0 at 1015 allocate 4 -N1 --duration 2 used
}

@test "a reservation that ended while it waited holds nothing and waits for nothing" {
    rset-discover --hosts n0 --cores 0-1 |
        rset-alloc allocate 1 --take /cluster0/n0/core1=1 --now 1000 --duration 20 |
        rset-alloc allocate 2 --targets n0 --at 1060 --duration 10 --now 1000 >used
    no 1 'rset-alloc: used: no match now: /cluster0/n0 is reserved for job 2' \
        at 1069 allocate 3 --take /cluster0/n0/core0=1 --duration 5 used
    rset-alloc load --store u.db used
    # a document, its graph, a store
    rset-match -o rv1 used >graph
    for set in used graph '--store u.db'; do
        # shellcheck disable=SC2086 # an option and its argument
        same "$(at 1070 jobs --columns job,state,waits_for --no-header $set)" \
            '1  ended  -'
        # shellcheck disable=SC2086
        same "$(at 1070 nodes --columns state,jobs,reserved,free_cores \
            --no-header $set | xargs)" 'mixed 1 - 1'
        # shellcheck disable=SC2086
        same "$(at 1070 status --by type -o json $set | jq -c '.types[] |
            select(.type == "core") | [.allocated, .reserved, .holders]')" \
            '[1,0,[1]]'
        # shellcheck disable=SC2086
        same "$(at 1070 check $set)" ''
        # shellcheck disable=SC2086
        [[ $(at 1070 allocated 2 $set 2>&1) == *': job 2 holds nothing' ]]
        # shellcheck disable=SC2086
        same "$(at 1070 available -o short $set)" rank0/core0
    done
    same "$(rset-match -n1 -o short --now 1070 used)" rank0/core0
    same "$(rset-match --available -o short --now 1070 used)" rank0/core0
    same "$(rset-match --available --state up -o short --now 1070 used)" \
        rank0/core0
    same "$(rset-match -o tree --now 1070 used | xargs)" \
        'cluster0 shared by 1 n0 rank0 shared by 1 core0 core1 held by 1'
    # others get its resources, and its records are removed
    at 1070 allocate 3 --take /cluster0/n0/core0=1 used >next
    rset-alloc release 3 next | rset-alloc release 1 |
        cmp - <(rset-discover --hosts n0 --cores 0-1)
    at 1070 allocate 3 --take /cluster0/n0/core0=1 --store u.db >/dev/null
    rset-alloc check --store u.db
    rset-alloc save --store u.db 2>/dev/null | jq -S . |
        cmp - <(jq -S . next)
    # what was released in time is not waited for
    alloc release 1 used >released
    same "$(at 1070 jobs --columns job,state --no-header released)" '2  ended'
    # a part that did not wait is held until it is released
    rset-discover --hosts n0 --cores 0-1 |
        rset-alloc allocate 1 --take /cluster0/n0/core1=1 --now 1000 --duration 20 |
        rset-alloc allocate 2 --take /cluster0/n0/core0=1 \
            --take /cluster0/n0/core1=1 --at 1060 --duration 10 --now 1000 |
        rset-alloc allocate 3 --take /cluster0/n0/core1=1 --at 1080 \
            --duration 50 --now 1000 >parts
    same "$(at 1070 allocated 2 -o short parts)" rank0/core0
    same "$(at 1090 jobs --columns job,state,waits_for --no-header parts)" \
        "$(printf '%s\n' '1  ended    -' '2  ended    -' '3  waiting  1')"
}

@test "a job waits above and below another's resources, and holds the rest" {
    at 1000 allocate 1 -n1 -c1 --duration 10 r.json |
        at 1000 allocate 2 -N2 --at 1010 --duration 10 >used
    same "$(at 1015 allocated 2 -o ranks used)" 1
    same "$(at 1015 jobs --job 2 --columns state,waits_for -o json used)" \
        '[{"state":"waiting","waits_for":[1]}]'
    at 1000 allocate 1 -N2 --duration 10 r.json |
        at 1000 allocate 2 -n1 --at 1010 --duration 10 >used
    run -1 at 1015 allocated 2 used
    # shares wait, and others wait for shares
    at 1000 allocate 1 --shape core=1 --duration 10 r.json |
        at 1000 allocate 2 -N1 --at 1010 --duration 10 >used
    run -1 at 1015 allocated 2 used
    at 1000 allocate 1 -N2 --duration 10 r.json |
        at 1000 allocate 2 --shape core=1 --at 1010 --duration 10 >used
    run -1 at 1015 allocated 2 used
    # a store prints the same
    rset-alloc load --store w.db used
    run -1 at 1015 allocated 2 --store w.db
    same "$(at 1015 jobs -o json --store w.db)" "$(at 1015 jobs -o json used)"
    same "$(rset-alloc save --store w.db 2>/dev/null | jq -cS .)" \
        "$(jq -cS . used)"
    # job 2 has not ended: job 3 waits for job 1 only
    at 1000 allocate 2 --take /cluster0/matlab=4 pools.json |
        at 1001 allocate 1 --take /cluster0/matlab=4 --duration 9 |
        at 1001 allocate 3 --take /cluster0/matlab=6 --at 1010 --duration 9 >used
    same "$(at 1015 jobs --job 3 --columns waits_for -o json used)" \
        '[{"waits_for":[1]}]'
}

@test "available: up, and held by nobody at that time" {
    at 1000 allocate 1 -N1 --duration 60 r.json |
        at 1000 allocate 2 -N1 --at 1100 --duration 60 |
        alloc down 2 >used
    while read -r when want; do
        same "$(at 1000 available --at "$when" -o ranks used)" "$want"
    done <<'EOF'
now 1
1059 1
1060 0-1
1100 1
1160 0-1
EOF
    same "$(at 1000 available --any-state -o ranks used)" 1-2
    # an ended allocation is still held now
    same "$(at 1060 available -o ranks used)" 1
}

# --- jobs -------------------------------------------------------------------

@test "jobs: a line a job, numbers before names" {
    at 1000 allocate 1 -n2 -g1 --duration 1h --owner alice r.json |
        at 1000 allocate 2 -N1 --at 2000 --duration 60 --owner 1001 |
        alloc allocate seven --shape node |
        alloc allocate 'a b' -n1 --stage >used
    same "$(TZ=UTC at 1000 jobs used)" "$(cat <<'EOF'
JOB     OWNER  STATE      NODES  CORES  GPUS  START                END                      LEFT  HOSTS  OTHER
1       alice  allocated      1      2     2  1970-01-01T00:16:40  1970-01-01T01:16:40  01:00:00  n0     -
2       1001   reserved       1      4     2  1970-01-01T00:33:20  1970-01-01T00:34:20  00:01:00  n1     -
a\x20b  -      staged         1      1     0  -                    -                           -  n0     -
seven   -      shared         1      0     0  -                    -                           -  n0     -
EOF
)"
    same "$(at 2060 jobs used | awk 'NR == 3 { print $3 }')" ended
    same "$(at 2059 jobs -o table used | awk 'NR == 3 { print $3 }')" allocated
    same "$(at 1000 jobs -o json used | jq -c '.[]')" \
        '{"job":1,"owner":"alice","state":"allocated","nodes":1,"cores":2,"gpus":2,"start":1000,"end":4600,"left":3600,"hosts":"n0","other":{},"ranks":"0","units":{"core":2,"gpu":2}}
{"job":2,"owner":1001,"state":"reserved","nodes":1,"cores":4,"gpus":2,"start":2000,"end":2060,"left":60,"hosts":"n1","other":{},"ranks":"1","units":{"node":1}}
{"job":"a b","state":"staged","nodes":1,"cores":1,"gpus":0,"hosts":"n0","other":{},"ranks":"0","units":{"core":1}}
{"job":"seven","state":"shared","nodes":1,"cores":0,"gpus":0,"hosts":"n0","other":{},"ranks":"0","units":{}}'
}

@test "jobs: none, and pools without a rank" {
    same "$(alloc jobs r.json | wc -l)" 1
    same "$(alloc jobs -o json r.json)" '[]'
    alloc allocate 1 --take /cluster0/matlab=2 --take power:/pdu0=5 pools.json |
        alloc jobs >out
    same "$(tail -1 out | tr -s ' ')" \
        '1 - allocated 0 0 0 - - - - license=2,pdu=5'
}

# --- names of jobs ----------------------------------------------------------

@test "an id and its F58 form are one job (RFC 19)" {
    alloc allocate ƒD -n1 r.json | cmp - <(alloc allocate 12 -n1 r.json)
    alloc allocate 12 -n1 r.json >used
    for job in 12 ƒD fD 0xc 0xC; do
        same "$(has $job used)" 'rank0/core0'
        alloc release $job used | cmp - r.json
        run -1 alloc allocate $job -n1 used
    done
    sed 's/"job":12/"job":"ƒD"/' used >text
    run -1 cmp -s used text
    rset-match text | cmp - used
}

@test "an id in F58 has the digits of base 58, the highest first" {
    local digits=123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz
    for id in 0 57 58 3363 3364 195112 1999999999 9223372036854775807; do
        text='' rest=$id
        while [ -z "$text" ] || [ "$rest" != 0 ]; do
            text=${digits:rest % 58:1}$text
            rest=$((rest / 58))
        done
        alloc allocate "ƒ$text" -n1 r.json | cmp - <(alloc allocate $id -n1 r.json)
    done
    # no number of 64 bits
    alloc allocate ƒzzzzzzzzzzzz -n1 r.json | grep -q '"ƒzzzzzzzzzzzz"'
}

@test "the name of a job may look like an id" {
    for job in fat fD 0xc 0x f ƒ0 cafe; do
        alloc allocate $job -n1 r.json >used
        jq -e --arg job $job \
            '.attributes.system.scheduler.allocations[0].job == $job' used
        same "$(has $job used)" 'rank0/core0'
    done
}

# --- reading ----------------------------------------------------------------

@test "--expect-jobs refuses a document that has lost its records" {
    alloc allocate 1 -n1 r.json >used
    for command in 'allocate 2 -n1' 'release 1' 'allocated 1' available jobs \
        'status /' 'down 0' expire check; do
        # shellcheck disable=SC2086
        run -0 alloc $command --expect-jobs used
        # shellcheck disable=SC2086
        refused 'rset-alloc: r.json: there is no job in it: its records are lost' \
            alloc $command --expect-jobs r.json
    done
    jq 'del(.attributes)' used | run -2 alloc release 1 --expect-jobs
    alloc allocate 1 --shape node graph.json | alloc check --expect-jobs
}

@test "check names each broken rule" {
    alloc allocate 1 -N1 pools.json | alloc allocate 2 -n1 >used
    run -0 alloc check used
    same "$output" ''
    # a second job in a pool that another holds whole, and a parent without its
    # record
    jq -c '(.graph.nodes[] | select(.metadata.paths.containment ==
        "/cluster0/node0/core1")).metadata.allocations = [{job: 3}]' used >bad
    run -1 alloc check bad
    same "$output" 'bad: graph.nodes[4].metadata.allocations: job 3: "node0" above it is held whole by job 1 [record-below-exclusive]
bad: graph.nodes[0].metadata.shared: job 3 is missing: it holds resources in "core1" [shared-missing]'
    run -1 alloc check -o json bad
    jq -e '.valid == false and
        [.faults[].rule] == ["record-below-exclusive", "shared-missing"]' \
        <<<"$output"
}

@test "check: two reservations of one unit" {
    whole='{"job": 1, "start": 10, "end": 20}'
    part='{"job": 2, "start": 19, "end": 30}'
    jq -c --argjson whole "$whole" --argjson part "$part" '
        .graph.nodes[1].metadata.reservations = [$whole] |
        .graph.nodes[2].metadata.reservations = [$part] |
        .graph.nodes[0].metadata.shared = [1, 2]' graph.json >bad
    run -1 alloc check bad
    [[ $output == *' [record-below-exclusive]' ]]
    sed 's/"start":19/"start":20/' bad | alloc check
}

@test "check: reports faults that a reader accepts" {
    jq -c '.graph.nodes[1].metadata.allocations = [{job: 1}] |
        .graph.nodes[2].metadata.allocations = [{job: 1}] |
        .graph.nodes[0].metadata.shared = [1]' graph.json >implied
    rset-match implied >/dev/null
    run -1 alloc check implied
    [[ $output == *' [record-implied]' ]]
    jq -c '.graph.nodes[2].metadata.allocations = [{job: 1}]' graph.json >alone
    rset-match alone >/dev/null
    run -1 alloc check alone
    [[ $output == *' [shared-missing]' ]]
    # but only faults of records
    jq -c 'del(.execution.nodelist)' r.json >short
    run -0 alloc check short
    same "$output" 'short: execution: warning: nodelist is missing [nodelist-missing]'
}

@test "nothing is written when the output fails, and the reader may go away" {
    needs /dev/full
    for command in 'allocate 2 -n1' 'release 1' jobs 'status /' available; do
        alloc allocate 1 -n1 r.json >used
        # shellcheck disable=SC2086
        run -2 bash -c "rset-alloc $command used >/dev/full"
        same "$output" 'rset-alloc: standard output: No space left on device'
    done
    rset-discover --hosts 'n[0-99]' --cores 0-63 -o jgf >big
    run -141 bash -c 'set -o pipefail
        rset-alloc allocate 1 -n1 big | head -c1 >/dev/null'
}

all_lines() {
    local line
    while read -r line; do
        # shellcheck disable=SC2086
        rset-alloc $line
        echo "status $?"
    done
}

@test "each command refuses options of others" {
    # command, operands, and the options it takes beside --expect-jobs and -o
    while IFS=: read -r command takes; do
        for option in --now=5 --duration=5 --time-limit=5 --at=5 --expiration=5 --owner=x \
            --grow --stage --write=f --take=/x=1 --R=f --give=/x=1 \
            --targets=0 --held --any-state --reason=x \
            --explain --no-R --group-commit --changed --all -n1 --job=1 \
            --job-state=ended --state=idle --by=type --columns=job --sort=job --no-header; do
            case " $takes " in *" ${option%%=*} "*) continue ;; esac
            echo "$command $option r.json"
        done
    done >lines <<'EOF'
allocate 1:--now --duration --time-limit --at --expiration --owner --grow --stage --write --take --targets --any-state --R --explain -n1
grow 1:--now --write --take --targets --any-state --R --explain -n1
commit 1:
abort 1:
release 1:--R --give --targets --all
shrink 1:--R --give --targets
extend 1:--now --expiration --duration --time-limit
expire:--now
allocated 1:--now --held
available:--now --at --any-state
jobs:--now --owner --job --job-state --by --columns --sort --no-header
status /:--now --at --by --columns --sort --no-header
nodes:--now --at --state --columns --sort --no-header
up 0:
down 0:--now --reason
drain 0:--now --reason
undrain 0:
exclusive 0:
unexclusive 0:
state 0 up:--now --reason
tag 0 k:
untag 0 k:
property 0 k:
check:--now
load:
save:--changed
history:--columns --sort --no-header
batch -:--now --no-R --group-commit
EOF
    echo 'save --expect-jobs r.json' >>lines
    quickly all_lines <lines >out 2>err
    same "$(sort -u out)" 'status 2'
    sed -e "s/^\([^ ]*\).* \([^ ]*\) r.json$/rset-alloc: \1 does not take \2/" \
        -e "s/=.*//; s/-n1$/a request/; s/^[^ ]* \([^ ]*\).*/& (try 'rset-alloc \1 --help')/" lines |
        diff err -
    [ "$(wc -l <lines)" -gt 300 ]
}

@test "grow: from a part of a pool to all of it, if the rest is free" {
    rset-discover --hosts 'n[0-1]' --cores 0-3 --gpus 0 >r.json
    rset-match -o jgf r.json >graph.json
    for file in r.json graph.json; do
        rset-alloc allocate 1 -n1 -c2 $file >one
        rset-alloc grow 1 --take /cluster0/n0=1 one |
            cmp - <(rset-alloc allocate 1 -N1 $file)
        # release frees all of it
        rset-alloc grow 1 --take /cluster0/n0=1 one | rset-alloc release 1 |
            cmp - $file
        # an R that lists another part of the pool than before
        rset-alloc allocate 2 --shape slot/node/core $file -w R >/dev/null
        rset-alloc allocate 1 --take /cluster0/n0/core3=1 $file |
            rset-alloc grow 1 --R R >grown
        same "$(rset-alloc allocated 1 -o short grown)" 'rank0/core[0,3]'
        same "$(rset-alloc allocated 1 --held -o short grown)" \
            'rank0/core[0-3],gpu0'
        rset-match --validate grown
        # a request adds resources that nobody holds any part of
        same "$(rset-alloc grow 1 -N1 one | rset-alloc allocated 1 -o short)" \
            'rank0/core[0-1] rank1/core[0-3],gpu0'
        run -1 rset-alloc grow 1 -N2 one
        # the rest is not free, or the job's part has another time
        rset-alloc allocate 2 --take /cluster0/n0/gpu0=1 one >two
        run -1 --separate-stderr rset-alloc grow 1 --take /cluster0/n0=1 two
        same "$output$stderr" \
            'rset-alloc: two: no match now: /cluster0/n0/gpu0 is held by job 2'
        rset-alloc allocate 1 --grow -n1 --at 50 --duration 9 --now 1 one >two
        run -1 --separate-stderr rset-alloc grow 1 --take /cluster0/n0=1 two
        [ -z "$output" ]
    done
}

@test "jobs: marks of listed resources do not count as held" {
    rset-discover --hosts n0 --cores 0-1 -o jgf-compact | sed \
        's|\]}}$|,{"source":"p","target":"1","metadata":{"subsystem":"power"}}]}}|
        s|"nodes":\[|&{"id":"p","metadata":{"type":"pdu","id":0}},|' >pdu.json
    run -0 alloc allocate 7 --shape slot/node/pdu pdu.json
    alloc allocated 7 <<<"$output" >R
    grep -q '"listed":\[7\]' R
    run -0 alloc jobs R
    same "$(wc -l <<<"$output")" 1
}
