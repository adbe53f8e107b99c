#!/usr/bin/env bats
# rset-alloc: the rules of RFC 4 and RFC 16 as far as commands implement them,
# and check, which names each broken rule. unit/test_ledger_rules.c tests the
# rules of the library.

load common

# A node of two cores and memory, an exclusive one, and licences.
setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
    rset-match -o jgf-compact >site <<'EOF'
{"graph": {"nodes": [
  {"id": "c", "metadata": {"type": "cluster", "id": 0}},
  {"id": "l", "metadata": {"type": "license", "name": "lic", "size": 10}},
  {"id": "n", "metadata": {"type": "node", "id": 0, "rank": 0}},
  {"id": "0", "metadata": {"type": "core", "id": 0}},
  {"id": "1", "metadata": {"type": "core", "id": 1}},
  {"id": "m", "metadata": {"type": "memory", "id": 0, "size": 16}},
  {"id": "x", "metadata": {"type": "node", "id": 1, "rank": 1,
                           "exclusive": true}},
  {"id": "2", "metadata": {"type": "core", "id": 0}},
  {"id": "3", "metadata": {"type": "core", "id": 1}},
  {"id": "f", "metadata": {"type": "fpga", "id": 0, "size": 4,
                           "exclusive": true}}],
 "edges": [
  {"source": "c", "target": "l"}, {"source": "c", "target": "n"},
  {"source": "n", "target": "0"}, {"source": "n", "target": "1"},
  {"source": "n", "target": "m"}, {"source": "n", "target": "f"},
  {"source": "c", "target": "x"},
  {"source": "x", "target": "2"}, {"source": "x", "target": "3"}]}}
EOF
}

# recorded FILE: print the records, a line for each pool that has any.
recorded() {
    jq -r '.graph.nodes[].metadata | .paths.containment as $path |
        with_entries(select(.key | IN("allocations", "reservations",
            "shared", "listed", "staged"))) |
        select(length > 0) | "\($path) \(tojson)"' "$1"
}

# no STATUS MESSAGE COMMAND...: COMMAND prints MESSAGE alone and fails with
# STATUS.
no() {
    run "-$1" --separate-stderr "${@:3}"
    # shellcheck disable=SC2154
    same "$output$stderr" "$2"
}

usage() {
    refused "rset-alloc: $1 (try 'rset-alloc $3 --help')" "${@:2}"
}

@test "pools with the same fault are named together" {
    rset-discover --hosts 'n[0-3]' --cores 0-7 >all
    rset-match -n1 -c8 all >n0
    rset-match -n1 -c3 all >part
    rset-alloc allocate 1 --take /cluster0/n0/core1=1 \
        --take /cluster0/n0/core4=1 all >used
    for R in all n0; do
        no 1 'rset-alloc: used: no match now: /cluster0/n0/core[1,4] is held by job 1' \
            rset-alloc allocate 2 --R $R used
    done
    no 1 'rset-alloc: used: no match now: /cluster0/n0/core1 is held by job 1' \
        rset-alloc allocate 2 --R part used
    no 1 'rset-alloc: used: job 1 does not hold /cluster0/n0/core[0,2-3,5-7]' \
        rset-alloc release 1 --R n0 used
    no 1 'rset-alloc: used: job 1 does not hold /cluster0/n0/core[0,2]' \
        rset-alloc release 1 --R part used
    rset-alloc allocate 1 --take /cluster0/n1=1 --take /cluster0/n3=1 all >used
    no 1 'rset-alloc: used: no match now: /cluster0/n[1,3] is held by job 1' \
        rset-alloc allocate 2 --take /cluster0=1 used
    rset-alloc down n1,n3 all >off
    no 1 'rset-alloc: off: no match now: /cluster0/n[1,3] is down' \
        rset-alloc allocate 2 --take /cluster0=1 off
}

# --- RFC 4, Exclusive flag --------------------------------------------------

@test "RFC 4, Exclusive flag: all of a pool is taken, however little is asked for" {
    rset-alloc allocate 1 --take /cluster0/node0/fpga0=1 site >used
    same "$(recorded used)" '/cluster0 {"shared":[1]}
/cluster0/node0 {"shared":[1]}
/cluster0/node0/fpga0 {"allocations":[{"job":1,"size":4}]}'
    rset-alloc allocate 1 --take /cluster0/node1/core1=1 site >used
    same "$(recorded used)" '/cluster0 {"shared":[1]}
/cluster0/node1 {"allocations":[{"job":1,"size":1}]}
/cluster0/node1/core1 {"listed":[1]}'
    rset-alloc check used
    no 1 'rset-alloc: used: no match now: /cluster0/node1 is held by job 1' \
        rset-alloc allocate 2 --take /cluster0/node1/core0=1 used
    no 1 'rset-alloc: used: /cluster0/node1 can only be given back whole' \
        rset-alloc release 1 --give /cluster0/node1/core0=1 used
    rset-alloc release 1 used | cmp - site
}

@test "RFC 4, Exclusive flag: an R takes a part, or shares" {
    jq -c '.graph.nodes[].metadata.exclusive = false' site >lax
    for request in slot/node/core node/slot/core node/core node; do
        rset-alloc down 0 lax |
            rset-alloc allocate 1 --shape $request -w R >/dev/null
        rset-alloc allocate 1 --R R site >used
        rset-alloc check used
        recorded used |
            grep -qF '/cluster0/node1 {"allocations":[{"job":1,"size":1}]}'
        same "$(rset-alloc available -o ranks used)" 0
    done
}

# --- RFC 16, Resource Allocation Records ------------------------------------

@test "RFC 16, Allocate: start and end must be specified into the future" {
    usage '--at: a later start needs --duration or --expiration' \
        rset-alloc allocate 1 -n1 --at 50 --now 10 site
    rset-alloc allocate 1 -n1 --at 50 --duration 5 --now 10 site >used
    same "$(recorded used | grep core)" \
        '/cluster0/node0/core0 {"reservations":[{"job":1,"size":1,"start":50,"end":55}]}'
    usage '--expiration: job 1 starts later and needs an end' \
        rset-alloc extend 1 --expiration never --now 10 used
}

@test "RFC 16, Rules: without times one allocation of each unit is recorded" {
    rset-alloc allocate 1 -n2 site >used
    same "$(recorded used)" '/cluster0 {"shared":[1]}
/cluster0/node0 {"shared":[1]}
/cluster0/node0/core0 {"allocations":[{"job":1,"size":1}]}
/cluster0/node0/core1 {"allocations":[{"job":1,"size":1}]}'
}

@test "RFC 16, Allocate: a resource allocation grows and shrinks" {
    rset-alloc allocate 1 --take /cluster0/lic=3 site >used
    rset-alloc grow 1 --take /cluster0/lic=4 used >grown
    same "$(recorded grown)" '/cluster0 {"shared":[1]}
/cluster0/lic {"allocations":[{"job":1,"size":7}]}'
    no 1 'rset-alloc: grown: no match now: /cluster0/lic: only 3 of 10 units are free' \
        rset-alloc grow 1 --take /cluster0/lic=4 grown
    rset-alloc shrink 1 --give /cluster0/lic=4 grown | cmp - used
    no 1 'rset-alloc: grown: job 1 has only 7 of /cluster0/lic, not 8' \
        rset-alloc shrink 1 --give /cluster0/lic=8 grown
    no 1 'rset-alloc: grown: job 1 would hold nothing: use release' \
        rset-alloc shrink 1 --give /cluster0/lic=7 grown
}

@test "RFC 16, Allocated: to a job, to all; Available: to none" {
    rset-alloc allocate 1 -n1 site | rset-alloc allocate 2 -n1 |
        rset-alloc allocate 3 --take /cluster0/node0/memory0=6 >used
    same "$(rset-alloc allocated 1 -o short used)" rank0/core0
    same "$(rset-alloc allocated -o short <used)" 'rank0/core[0-1]'
    same "$(rset-alloc allocated <used | rset-match --count memory)" 6
    rset-alloc available used >left
    same "$(rset-match -o short left)" 'rank0 rank1/core[0-1]'
    same "$(rset-match --count memory left)" 10
    same "$(recorded left)" '' # RFC 4, Copy: allocated is set to zero
}

@test "RFC 16, Release: resources of this job, and of no other" {
    rset-alloc allocate 1 --shape slot/node site >one
    rset-alloc allocate 2 --take /cluster0/lic=2 --at 5 --duration 5 \
        --now 1 one >both
    rset-alloc release 2 both | cmp - one
    no 1 'rset-alloc: one: job 2 holds nothing' rset-alloc release 2 one
}

@test "RFC 16, Release: of a node at two times the later one; its R stays" {
    # the R lists two of the four cores that the job holds
    rset-discover --hosts n0 --cores 0-3 |
        jq -c '.attributes.system.scheduler.allocations = [[1, 2], [3, 4] |
            {job: 1, R_lite: [{rank: "0", children: {core: "0-1"}}],
                holds: "0", start: .[0], end: .[1]}]' >both
    rset-alloc release 1 --give /cluster0/n0=1 both |
        cmp - <(jq -c 'del(.attributes.system.scheduler.allocations[1])' both)
}

# --- check names each breach ------------------------------------------------

# breach CHANGE RULE...: after CHANGE check names just these rules.
breach() {
    jq -c "def at(\$path): .graph.nodes[] |
        select(.metadata.paths.containment == \$path).metadata; $1" used >bad
    rset-alloc check bad >faults && status=0 || status=$?
    same "$status" 1
    same "$(sed 's/.*\[\(.*\)\]$/\1/' faults)" "$(printf '%s\n' "${@:2}")"
}

@test "check: each rule of RFC 4 and RFC 16 by its name" {
    rset-alloc allocate 1 --shape node/slot/core site |
        rset-alloc allocate 2 --take /cluster0/lic=4 |
        rset-alloc allocate 3 --take /cluster0/node0/memory0=16 >used
    rset-alloc check used
    # units
    breach 'at("/cluster0/lic").allocations[0].size = 11' record-oversubscribed
    breach 'at("/cluster0/lic").allocations[0].size = 0' number
    breach 'at("/cluster0/lic").reservations = [{job: 2, size: 7}]' \
        record-overreserved
    breach 'at("/cluster0/lic").allocations += [{job: 1, size: 7}]' \
        record-oversubscribed
    # jobs, owners, times
    breach 'at("/cluster0/lic").allocations[0].job = ""' job
    breach 'at("/cluster0/lic").allocations[0].owner = []' job
    breach 'at("/cluster0/lic").allocations[0] += {start: 5, end: 5}' span
    breach 'at("/cluster0/lic").allocations[0].start = -1' time
    # shared: without size, on all parents, not in exclusive pools
    breach 'at("/cluster0").shared[1] = {job: 2, size: 4}' shared-units
    breach 'del(at("/cluster0/node0").shared)' shared-missing shared-missing
    breach 'at("/cluster0").shared = [1, 3]' shared-missing
    breach 'at("/cluster0/node0/memory0").shared = [1]' exclusive-shared
    # records in a pool that is held whole
    breach 'at("/cluster0/node0") |= (.allocations = [{job: 1}] |
        .shared = [])' record-implied record-below-exclusive
    breach 'at("/cluster0/node1").allocations = [{job: 1}] |
        at("/cluster0/node1/core0").shared = [2]' exclusive-shared
    # the exclusive flag
    breach 'at("/cluster0/node0/fpga0").allocations = [{job: 1, size: 2}]' \
        exclusive-partial
    breach 'at("/cluster0/node1/core0").allocations = [{job: 1}] |
        at("/cluster0/node1").shared = [1]' exclusive-partial
    breach 'at("/cluster0/node0/fpga0").shared = [1]' exclusive-partial
    # locks
    breach 'at("/cluster0/lic").staged = 1' stale-lock
    breach 'at("/cluster0/node0").staged = 1' stale-lock
    breach 'at("/cluster0/lic").staged = ""' job
}

@test "check: each rule by its name, in a plain R" {
    rset-discover --hosts 'n[0-2]' --cores 0-3 >r
    while IFS=';' read -r entries rule; do
        jq -c '{rank: "1"} as $all |
            {rank: "1", children: {core: "2"}} as $one |
            .attributes.system.scheduler = {'"$entries"'}' r >bad
        run -1 rset-alloc check bad
        # shellcheck disable=SC2001
        same "$(sed 's/.*\[\(.*\)\]$/\1/' <<<"$output")" "$rule"
    done <<'EOF'
allocations: [{job: 1, R_lite: [$all]}, {job: 2, R_lite: [$one]}];record-below-exclusive
allocations: [{job: 1, R_lite: [$all]}, {job: 1, R_lite: [$one]}];record-implied
allocations: [{job: 1, R_lite: [$one]}, {job: 2, R_lite: [$one]}];record-oversubscribed
reservations: [{job: 1, R_lite: [$all]}, {job: 2, R_lite: [$one]}];record-below-exclusive
allocations: [{job: 1, R_lite: [$one]}], reservations: [{job: 2, R_lite: [$one]}];record-overreserved
allocations: [{job: 1, R_lite: [$one]}], shared: [{job: 2, R_lite: [$one]}];exclusive-shared
allocations: [{job: 1, R_lite: [$all]}], shared: [{job: 2, R_lite: [$all]}];exclusive-shared
exclusive: "1", allocations: [{job: 1, R_lite: [$one]}];exclusive-partial
exclusive: "1", shared: [{job: 1, R_lite: [$all]}];exclusive-partial
staged: [{job: 1, R_lite: [$one]}];stale-lock
staged: [{job: 1, R_lite: [$all]}], allocations: [{job: 1, R_lite: [$one]}];stale-lock
allocations: [{job: 1, R_lite: [{rank: "3"}]}];record-rank
allocations: [{job: 1, R_lite: [{rank: "0", children: {core: "4"}}]}];record-id
allocations: [{job: 1, R_lite: [$one], holds: "0"}];record-holds
EOF
}

@test "check: a stale lock can be lifted" {
    jq -c '.graph.nodes[0].metadata.staged = 5' site >locked
    run -1 rset-alloc check locked
    for command in commit abort; do
        rset-alloc $command 5 locked | cmp - site
    done
}

@test "check --trust: reports halves that disagree as a warning" {
    rset-match -o rv1 site | sed 's/"core":"0-1"/"core":"0"/' >halves
    run -1 rset-alloc check halves
    [[ $output == *'[halves-disagree]' ]]
    for half in graph execution; do
        run -0 rset-alloc check --trust $half halves
        [[ $output == 'halves: execution.R_lite: warning: '* ]]
        run -0 rset-match --validate --trust $half halves
        run -0 rset-alloc check --trust $half -o json halves
        same "$(jq -c '[.valid, .faults[].level]' <<<"$output")" \
            '[true,"warned"]'
    done
}

# --- options ----------------------------------------------------------------

@test "options for matching need a request" {
    for option in '--requires=x' '--constraint={}' '--granule=pool' \
        '--slot-scope=node' --include=0 --exclude=0; do
        for what in --R=R --take=/cluster0/lic=1; do
            for command in allocate grow; do
                usage "${what%%=*}: ${option%%=*} needs a request" \
                    rset-alloc $command 1 "$what" "$option" site
            done
        done
    done
    usage '--R: --explain needs a request' \
        rset-alloc allocate 1 --R=R --explain site
}

@test "a job that grows keeps its owner, also with --take and --R" {
    rset-discover --hosts 'n[0-1]' --cores 0-1 >all.json
    rset-alloc allocate 1 -N1 --owner fD all.json >one.json
    rset-alloc grow 1 --take /cluster0/n1=1 one.json >two.json
    run -0 jq -r '.attributes.system.scheduler.allocations[].owner' two.json
    same "$output" fD
}

@test "a job that has something in the cluster already shares it" {
    rset-discover --hosts 'n[0-1]' --cores 0-1 >all.json
    rset-alloc allocate 1 -n1 all.json >one.json
    rset-alloc grow 1 --shape cluster one.json >two.json
    cmp one.json two.json
}

@test "--R: a part of a pool with something in it: its units are checked, too" {
    pool() { # SIZE
        echo '{"graph": {"nodes": [{"id": "c", "metadata": {"type": "cluster", "id": 0}},
            {"id": "n", "metadata": {"type": "node", "id": 0, "rank": 0}},
            {"id": "p", "metadata": {"type": "pool", "id": 0, "rank": 0, "size": '"$1"'}},
            {"id": "k", "metadata": {"type": "core", "id": 0, "rank": 0}}], "edges": [
            {"source": "c", "target": "n"}, {"source": "n", "target": "p"},
            {"source": "p", "target": "k"}]}}'
    }
    pool 4 >set.json
    rset-alloc allocate 1 --take node0/pool0=2 set.json >used.json
    for size in 1 2 3; do
        pool $size >R.json
        run -$((size > 2)) --separate-stderr rset-alloc allocate 2 --R R.json used.json
    done
    same "$stderr" 'rset-alloc: used.json: no match now: /cluster0/node0/pool0: only 2 of 4 units are free'
}
