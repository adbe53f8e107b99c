# rset-discover --from slurm: what another scheduler says of its nodes and jobs.
# The fixtures are what the commands of Slurm 22.05 and 24.11 wrote of such a
# cluster, cut to what is read and a little more.

# shellcheck disable=SC2154 # run sets stderr

load common

sinfo=$TEST_DIR/fixtures/slurm-22.05-sinfo.json
squeue=$TEST_DIR/fixtures/slurm-22.05-squeue.json

from() {
    rset-discover --from slurm "$@"
}

# A node, or a job, of which this is said; the rest is usual.
node() { # MEMBERS
    jq -nc "{nodes: [{name: \"n0\", sockets: 2, cores: 4, threads: 2,
        real_memory: 1000, features: \"\", gres: \"\", state: \"idle\",
        state_flags: [], reason: \"\"} + {$1}]}"
}
job() { # MEMBERS
    jq -nc "{jobs: [{job_id: 7, job_state: \"RUNNING\", nodes: \"n0\",
        user_name: \"ann\", start_time: 100, end_time: 400, time_limit: 5,
        job_resources: {allocated_nodes: [{nodename: \"n0\",
            memory_allocated: 0, sockets: {\"0\": {cores:
                {\"1\": \"allocated\", \"2\": \"unallocated\"}}}}]},
        gres_detail: []} + {$1}]}"
}

# --- what it is ----------------------------------------------------------

@test "nodes: hosts, sockets, cores, memory, gres, features, states" {
    run -0 --separate-stderr from "$sinfo" -o tree
    same "$output" 'cluster0
  cpu1  rank0  {amd,ib}
    memory0  64000 MiB
    socket0
      core[0-7]
    socket1
      core[8-15]
  cpu2  rank1  {amd,ib}  #drained={"reason":"kernel update","time":1795402753}  down
    memory0  64000 MiB
    socket0
      core[0-7]
    socket1
      core[8-15]
  cpu3  rank2  {amd,ib}  #drained={"reason":"bad fan","time":1795402747}  down
    memory0  64000 MiB
    socket0
      core[0-7]
    socket1
      core[8-15]
  cpu4  rank3  {amd,ib}  #down={"reason":"no power","time":1795402747}  down
    memory0  64000 MiB
    socket0
      core[0-7]
    socket1
      core[8-15]
  gone1  rank4  #down={"reason":"NOT_RESPONDING"}  down
    memory0  16000 MiB
    socket0
      core0
    socket1
      core1
    socket2
      core2
    socket3
      core3
  gpu1  rank5  {intel}  #down={"reason":"ECC errors","time":1795402753}  failing
    gpu[0-3]  {a100}
    memory0  256000 MiB
    nic0  2
    socket0
      core[0-15]
    socket1
      core[16-31]
  gpu2  rank6  {intel}  #down={"reason":"MAINTENANCE"}  down
    gpu[0-3]  {a100}
    memory0  256000 MiB
    nic0  2
    socket0
      core[0-15]
    socket1
      core[16-31]
  mix1  rank7
    gpu[0-1]
    memory0  16000 MiB
    socket0
      core[0-3]'
    same "$stderr" 'rset-discover: warning: that nodes are in a reservation is left out: mix1'
}

@test "jobs have what Slurm says in each node" {
    from "$sinfo" "$squeue" -o jgf 2>err >all.json
    same "$(cat err)" 'rset-discover: warning: that nodes are in a reservation is left out: mix1'
    has() { # JOB
        rset-alloc allocated --now 1795404000 "$1" -o short all.json
    }
    same "$(has 1)" 'rank0/core[0,8]'
    same "$(has 2)" 'rank5/core[0-1],gpu[0-1]'
    same "$(has 3)" 'rank6/core[0-31],gpu[0-3]'
    same "$(has 4)" 'rank0/core[1-2,9-10] rank1/core0'
    same "$(has 5) $(has 10) $(has 6)" 'rank0/core4 rank0/core3 rank0/core5'
    # one that is suspended has lent its cores
    same "$(has 7)" 'rank7/gpu0'
    same "$(has 8)" 'rank5/core[2,16]'
    rset-alloc jobs --now 1795404000 -o json all.json >jobs.json
    jq -e 'length == 9 and .[0] == {job: 1, owner: "root", state: "allocated",
        nodes: 1, cores: 2, gpus: 0, start: 1795402748, end: 1795406348,
        left: 2348, hosts: "cpu1", other: {memory: 4000}, ranks: "0",
        units: {core: 2, memory: 4000}}' jobs.json
    # Slurm gives a job without a limit an end in a year
    jq -e '.[] | select(.job == 5) | has("end") | not' jobs.json
    # as much as tres_used of cpu1 says: 18 CPUs, and two of them are a core
    same "$(rset-alloc allocated --now 1795404000 all.json | rset-match --include 0 --count core,memory)" '9 18000'
    same "$(rset-match -o tree all.json | grep -A1 cpu1 | tail -1)" \
        '    memory0  64000 MiB  held by 1 (4000)  held by 4 (8000)  held by 10 (2000)  held by 6 (2000)  held by 5 (2000)'
    same "$(rset-match -o tree all.json | grep nic0 | head -1)" '    nic0  2  held by 8 (1)'
}

@test "what it writes is read without a fault, in every form" {
    for form in r jgf rv1 jgf-compact rv1-compact; do
        from "$sinfo" "$squeue" -o $form >all.json 2>/dev/null
        same "$(rset-match --validate all.json)" ''
        rset-match -o $form all.json | cmp - all.json
        same "$(rset-alloc allocated --now 1795404000 -o short all.json)" \
            'rank0/core[0-5,8-10] rank1/core0 rank5/core[0-2,16],gpu[0-1] rank6/core[0-31],gpu[0-3] rank7/gpu0'
    done
}

@test "what can be had is what Slurm has idle" {
    from "$sinfo" "$squeue" 2>/dev/null >all.json
    same "$(rset-match --available --now 1795404000 -o short all.json)" \
        'rank0/core[6-7,11-15] rank7/core[0-3],gpu1'
    same "$(rset-match -N1 --requires '^amd' --now 1795404000 all.json |& tail -1)" \
        'rset-match: all.json: no match now: need 1 whole node: none can be had'
    same "$(from - "$squeue" <"$sinfo" 2>/dev/null | rset-match -n1 -c4 -g1 --now 1795404000 -o short)" \
        'rank7/core[0-3],gpu1'
}

@test "files may come in any order, and several in one" {
    from "$sinfo" "$squeue" >both 2>/dev/null
    from "$squeue" "$sinfo" 2>/dev/null | cmp - both
    cat "$squeue" "$sinfo" | from 2>/dev/null | cmp - both
    cat "$sinfo" "$squeue" | from - 2>/dev/null | cmp - both
}

@test "what is said with --property comes on top, and serve reads it" {
    run -0 --separate-stderr from "$sinfo" --property 'row=1:cpu[1-2]'
    jq -e '.execution.properties["row=1"] == "0-1"' <<<"$output"
    echo '{"topic":"resource.acquire","matchtag":1,"flags":["streaming"],"payload":{"group":"default"}}' >lines
    run -0 --separate-stderr rset-discover serve --from slurm "$sinfo" <lines
    jq -e '.payload.online == "0,7" and .payload.offline == "1-6"' <<<"$output"
}

# --- forms ---------------------------------------------------------------

@test "later forms say the same: lists, numbers in objects, states in one" {
    from "$sinfo" "$squeue" -o jgf >old 2>/dev/null
    # 23.11 and later, made of 22.05
    jq '.nodes[] |= (.state = [.state] + .state_flags | del(.state_flags) |
        .features |= split(",") | .active_features |= split(",") |
        .reason_changed_at |= {set: true, infinite: false, number: .})' \
        "$sinfo" >nodes.json
    jq '.warnings = [] | .jobs[] |= (
        .job_state |= [.] | .shared |= if . then [.] else [] end |
        .start_time |= {set: true, infinite: false, number: .} |
        .end_time |= {set: true, infinite: false, number: .} |
        .time_limit |= if . then {set: true, infinite: false, number: .}
            else {set: false, infinite: true, number: 0} end |
        if .job_resources then .job_resources |= {select_type: ["CORE"],
            nodes: {count: .allocated_hosts, list: .nodes, whole: false,
            allocation: [.allocated_nodes[] | {name: .nodename,
                memory: {used: 0, allocated: .memory_allocated},
                sockets: [.sockets | to_entries[] | {index: .key | tonumber,
                    cores: [.value.cores | to_entries[] |
                        {index: .key | tonumber, status: ["ALLOCATED"]}]}]}]}}
        else . end)' "$squeue" >jobs.json
    from nodes.json jobs.json -o jgf 2>/dev/null | cmp - old
}

@test "what a later Slurm wrote of such a cluster" {
    from "$TEST_DIR"/fixtures/slurm-24.11-*.json -o jgf >all.json 2>err
    same "$(cat err)" 'rset-discover: warning: that nodes are in a reservation is left out: mix1'
    same "$(rset-alloc allocated --now 1795404000 -o short all.json)" \
        'rank1/core[0-5,8-10] rank2/core0 rank6/core[0-2,16-17],gpu[0-2] rank7/core[0-31],gpu[0-3] rank8/core1,gpu[0-1]'
    # a powered down node of a cloud starts when it is wanted
    same "$(rset-match -o tree all.json | sed -n 2,5p)" '  cloud1  rank0  {spot}
    memory0  32000 MiB
    socket0
      core[0-7]'
    # all else of the nodes is the same, but when they went down
    from "$TEST_DIR/fixtures/slurm-24.11-node.json" -o jgf 2>/dev/null |
        rset-match --exclude 0 | rset-diff --remap >new
    from "$sinfo" -o jgf 2>/dev/null >old
    same "$(rset-match -o tree new | sed 's/"time":[0-9]*/TIME/')" \
        "$(rset-match -o tree old | sed 's/"time":[0-9]*/TIME/')"
}

@test "gres: with types, in sockets, of many kinds" {
    gres() { # GRES
        node "gres: \"$1\"" | from -o tree 2>&1 |
            grep -vE '^cluster|^  n0|^    memory|core|^ *socket1' |
            tr '\n' ' ' | tr -s ' '
    }
    same "$(gres '')" ' socket0 '
    same "$(gres '(null)')" ' socket0 '
    same "$(gres gpu)" ' gpu0 socket0 '
    same "$(gres gpu:2)" ' gpu[0-1] socket0 '
    same "$(gres gpu:a100)" ' gpu0 {a100} socket0 '
    same "$(gres 'gpu:a100:2(S:0-1)')" ' gpu[0-1] {a100} socket0 '
    same "$(gres 'gpu:a100:2(S:0),gpu:v100:1,nic:2')" \
        ' gpu2 {v100} nic0 2 socket0 gpu[0-1] {a100} '
    same "$(gres 'gpu:1(S:0,9),lustre:no_consume:4K,nic:a:1,nic:b:2')" \
        ' gpu0 lustre0 4096 nic0 3 socket0 '
    same "$(gres 'gpu:0')" ' socket0 '
    same "$(gres 'abacus:2,gpu:2')" ' abacus0 2 gpu[0-1] socket0 '
    same "$(node 'gres: "abacus:2,gpu:2"' | from -o rv1 |
        rset-match --count abacus,gpu)" '2 2'
    local left_out="rset-discover: warning: gres that can't be pools are left out: "
    same "$(gres 'shard:8,memory:3')" \
        "$left_out"'"memory" rset-discover: warning: gres that are shares of others are left out: shard socket0 '
    same "$(gres 'a/b:2')" "${left_out}\"a/b\" socket0 "
    same "$(gres 'big:1T')" ' big0 1099511627776 socket0 '
    for count in 99999999999999999999T 1025G 2T; do
        same "$(gres "big:$count")" "${left_out}\"big\" socket0 "
    done
    same "$(gres 'gpu:1000000')" \
        "$left_out"'"gpu" socket0 '
}

@test "states: what Slurm can't use is down, and says why" {
    says() { # STATE FLAGS REASON
        node "name: \"n$((i++))\", state: \"$1\", state_flags: [$2], reason: \"$3\""
    }
    i=0
    {
        for word in idle mixed allocated planned completing; do
            says $word
        done
        says idle '"POWERED_DOWN","CLOUD"'
        says down '' fan
        says idle '"MAINTENANCE"'
        says unknown
        says mixed '"FAIL"' ecc
        says idle '"DRAIN"' ecc
        says down '"DRAIN"' ecc
        says idle '"DRAIN"'
        node 'name: "n13", state: ["IDLE", "DRAIN"], reason: "x"'
    } | from -o jgf >all.json
    same "$(rset-match -o tree all.json | sed -n 's/^  n\([^ ]*\)  rank[^ ]* */\1 /p' | sed 's, *$,,')" '[0-5]
6 #down={"reason":"fan"}  down
7 #down={"reason":"MAINTENANCE"}  down
8 #down={"reason":"UNKNOWN"}  unknown
9 #down={"reason":"ecc"}  failing
10 #drained={"reason":"ecc"}  down
11 #drained={"reason":"ecc","was":"down"}  down
12 #drained={}  down
13 #drained={"reason":"x"}  down'
    # undrained it is what it was
    node 'state: "down", state_flags: ["DRAIN"], reason: "x"' | from |
        rset-alloc undrain n0 | rset-match -o tree | grep -q 'n0  rank0  down'
}

@test "features that can't be properties, and what else is left out, are told" {
    run -0 --separate-stderr from <(node 'features: "a,b&c,k=v", active_features: null') -o tree
    same "${lines[1]}" '  n0  rank0  {a,k=v}'
    run -0 --separate-stderr from <(node 'features: ["a", "b|c"]' &&
        node 'name: "n1", features: "b|c", state: ["IDLE", "RESERVED"]' &&
        node 'name: "n2", state: "future", specialized_cores: 1' &&
        node 'name: "n3", specialized_cores: 1')
    same "$stderr" 'rset-discover: warning: features that can'"'"'t be properties are left out: "b|c" of n0 and 1 more
rset-discover: warning: nodes that are not there yet are left out: n2
rset-discover: warning: that nodes are in a reservation is left out: n1
rset-discover: warning: that cores are kept for the system is left out: n3'
    same "$(rset-match -o hosts <<<"$output")" 'n[0-1,3]'
}

@test "jobs: those that run; an exclusive one has the node" {
    node 'gres: "gpu:2(S:0)"' >machine
    jobs() { # MEMBERS
        (cat machine && job "$1") | from -o jgf 2>err >all.json
        rset-match -o tree all.json | grep -vE 'cluster|socket1|core\[4' |
            grep -oE '[a-z0-9]+ .*held.*| *n0.*held.*|[a-z]+[][0-9-]+  held.*' |
            tr -s ' ' | sed 's/^ //' | tr '\n' ';'
        cat err
    }
    same "$(jobs '')" 'core1 held by 7;'
    for state in PENDING COMPLETED CANCELLED PREEMPTED; do
        same "$(jobs "job_state: \"$state\"")" ''
    done
    for state in CONFIGURING STOPPED '["COMPLETING", "COMPLETED"]'; do
        [[ $state = \[* ]] || state="\"$state\""
        same "$(jobs "job_state: $state")" 'core1 held by 7;'
    done
    same "$(jobs 'shared: "none"')" 'n0 rank0 held by 7;'
    same "$(jobs 'shared: ["none"]')" 'n0 rank0 held by 7;'
    same "$(jobs 'job_resources: null, shared: "none"')" 'n0 rank0 held by 7;'
    same "$(jobs 'job_resources: null')" \
        'n0 rank0 held by 7;rset-discover: warning: what jobs have in nodes is not said, they get all of it: job 7 in n0'
    same "$(jobs 'job_resources: null, nodes: "n[0-2]"')" \
        'n0 rank0 held by 7;rset-discover: warning: what jobs have in nodes that are not here is left out: job 7 has "n[1-2]"
rset-discover: warning: what jobs have in nodes is not said, they get all of it: job 7 in n0'
    same "$(jobs 'job_resources: null, nodes: "n["')" \
        'rset-discover: warning: what jobs have in nodes that are not here is left out: job 7'
    same "$(jobs 'nodes: "x", job_resources: {allocated_nodes: [{nodename: "x"}]}')" \
        'rset-discover: warning: what jobs have in nodes that are not here is left out: job 7 has "x"'
    same "$(jobs 'user_name: "", job_resources: {allocated_nodes: [{nodename: "n0",
        sockets: {"1": {cores: {"0": "allocated_and_in_use", "x": "allocated"}}}}]}')" \
        'core4 held by 7;'
    same "$(jobs 'gres_detail: ["gpu:2(IDX:1)"]')" 'core1 held by 7;gpu1 held by 7;'
    same "$(jobs 'gres_detail: ["gpu:2"]')" \
        'core1 held by 7;rset-discover: warning: which GPUs jobs have is not said, they are left out: job 7 in n0'
    same "$(jobs 'gres_detail: ["gpu:1(IDX:1)", ""]')" \
        'core1 held by 7;rset-discover: warning: which GPUs jobs have is not said, they are left out: job 7'
}

@test "what two jobs have is one's" {
    (node '' && job '' && job 'job_id: 8' && job 'job_id: 9, shared: "none"' &&
        job 'job_id: 10, job_resources: {allocated_nodes: [{nodename: "n0",
            memory_allocated: 800, sockets: {}}]}' &&
        job 'job_id: 11, job_resources: {allocated_nodes: [{nodename: "n0",
            memory_allocated: 800, sockets: {}}]}') |
        from -o jgf >all.json 2>err
    same "$(cat err)" 'rset-discover: warning: what jobs have that another job has is left out: job 8 has core of n0 and 2 more'
    same "$(rset-match --validate all.json)" ''
    same "$(rset-alloc jobs --now 1795404000 -o json all.json | jq -c 'map(.job)')" '[7,10]'
}

# --- faults --------------------------------------------------------------

@test "an answer of Slurm that is none is an error" {
    echo '{"meta":{},"errors":[{"error":"Unspecified error","errno":-1}],"nodes":[]}' >e1
    refused 'rset-discover: e1: Slurm could not answer: "Unspecified error"' from e1
    echo '{"jobs":[],"errors":[{"description":"no","error_number":1}]}' >e2
    refused 'rset-discover: e2: Slurm could not answer: "no"' from e2
    echo '{"nodes":[],"errors":[]}' >e3
    refused 'rset-discover: e3: there are no nodes' from e3
    refused "rset-discover: $squeue: there are no nodes" from "$squeue"
    echo '{"sinfo":[]}' >e4
    refused 'rset-discover: e4: this sums nodes up; `scontrol show node --json` lists them' from e4
    rset-discover --hosts a >e5
    refused 'rset-discover: e5: neither `nodes` nor `jobs`: what Slurm writes with --json is expected' from e5
    refused 'rset-discover: stdin: empty input: expected what Slurm writes with --json' from </dev/null
}

@test "faults have their place" {
    says() { # WHAT JSON
        refused "rset-discover: stdin:1: $1" from <<<"$2"
    }
    says 'nodes: 3: expected a list' '{"nodes":3}'
    says 'nodes[0]: 3: an object is expected' '{"nodes":[3]}'
    says 'nodes[0].name: missing: a name is expected' '{"nodes":[{}]}'
    says 'nodes[0].name: 3: a name is expected' '{"nodes":[{"name":3}]}'
    says "nodes[0].name: \"a/b\": '/' is not allowed in the name of a host" '{"nodes":[{"name":"a/b"}]}'
    says 'nodes[1]: "a" is there twice' '{"nodes":[{"name":"a"},{"name":"a"}]}'
    says 'nodes[0].cores: "x": a number of up to 4096 is expected' '{"nodes":[{"name":"a","cores":"x"}]}'
    says 'nodes[0].sockets: 4294967294: a number of up to 256 is expected' '{"nodes":[{"name":"a","sockets":4294967294}]}'
    says 'line 2, column 1: input ends in the middle of a document' '{"nodes":[{"name":"a"}]'
    refused 'rset-discover: x: No such file or directory' from x
}

@test "--from with what it is not for" {
    refused "rset-discover: --from: \"lsf\": slurm is expected (try 'rset-discover --help')" \
        rset-discover --from lsf
    refused "rset-discover: --from and --hosts exclude each other (try 'rset-discover --help')" \
        from --hosts a
    refused "rset-discover: --rank is for this machine, or for one --xml (try 'rset-discover --help')" \
        from --rank 1 <(node '')
    refused "rset-discover: translate takes no resources (try 'rset-discover --help')" \
        rset-discover translate --from slurm --to seed
    refused "rset-discover: serve: --from needs a FILE: standard input has the requests (try 'rset-discover --help')" \
        rset-discover serve --from slurm
}
