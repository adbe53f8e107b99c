# rset-discover --from slurm: nodes, jobs and reservations of another scheduler.
# The fixtures are the output of Slurm 22.05 and 24.11 on two test clusters, cut
# down to the keys that are read and a few more.

# shellcheck disable=SC2154 # run sets stderr

load common

sinfo=$TEST_DIR/fixtures/slurm-22.05-sinfo.json
squeue=$TEST_DIR/fixtures/slurm-22.05-squeue.json
shared=$TEST_DIR/fixtures/slurm-shared.json
export RSET_NOW=1795404000

from() {
    rset-discover --from slurm "$@"
}

# Print a node or a job with these members, and usual values for the rest.
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

# --- contents ------------------------------------------------------------

@test "nodes: hosts, sockets, cores, memory, gres, features, states" {
    jq -c 'del(.nodes[].gres_used) | .nodes[].state |= sub("allocated"; "idle")' \
        "$sinfo" >unused
    run -0 --separate-stderr from unused -o tree
    same "$output" 'cluster0  shared by resv:unknown
  cpu1  rank0  {amd,ib}
    memory0  64000 MiB
    socket0
      core[0-7]
    socket1
      core[8-15]
  cpu2  rank1  {amd,ib}  drained (kernel update)
    memory0  64000 MiB
    socket0
      core[0-7]
    socket1
      core[8-15]
  cpu3  rank2  {amd,ib}  drained (bad fan)
    memory0  64000 MiB
    socket0
      core[0-7]
    socket1
      core[8-15]
  cpu4  rank3  {amd,ib}  down (no power)
    memory0  64000 MiB
    socket0
      core[0-7]
    socket1
      core[8-15]
  gone1  rank4  down (NOT_RESPONDING)
    memory0  16000 MiB
    socket0
      core0
    socket1
      core1
    socket2
      core2
    socket3
      core3
  gpu1  rank5  {intel}  failing (ECC errors)
    gpu[0-3]  {a100}
    memory0  256000 MiB
    nic0  2
    socket0
      core[0-15]
    socket1
      core[16-31]
  gpu2  rank6  {intel}  down (MAINTENANCE)  held by resv:unknown
    gpu[0-3]  {a100}
    memory0  256000 MiB
    nic0  2
    socket0
      core[0-15]
    socket1
      core[16-31]
  mix1  rank7  held by resv:unknown
    gpu[0-1]
    memory0  16000 MiB
    socket0
      core[0-3]'
    same "$stderr" 'rset-discover: warning: reservations have no times without `scontrol show reservations --json`: gpu2 and 1 more'
}

@test "jobs have the resources that Slurm lists in each node" {
    from "$sinfo" "$squeue" -o jgf 2>err >all.json
    same "$(cat err)" 'rset-discover: warning: reservations have no times without `scontrol show reservations --json`: gpu2 and 1 more'
    has() { # JOB
        rset-alloc allocated --now 1795404000 "$1" -o short all.json
    }
    same "$(has 1)" 'rank0/core[0,8]'
    same "$(has 2)" 'rank5/core[0-1],gpu[0-1]'
    same "$(has 3)" 'rank6/core[0-31],gpu[0-3]'
    same "$(has 4)" 'rank0/core[1-2,9-10] rank1/core0'
    same "$(has 5) $(has 10) $(has 6)" 'rank0/core4 rank0/core3 rank0/core5'
    # a suspended job has lent its cores
    same "$(has 7)" 'rank7/gpu0'
    same "$(has 8)" 'rank5/core[2,16]'
    rset-alloc jobs --now 1795404000 -o json all.json >jobs.json
    jq -e 'length == 10 and .[0] == {job: 1, owner: "root", state: "allocated",
        nodes: 1, cores: 2, gpus: 0, start: 1795402748, end: 1795406348,
        left: 2348, hosts: "cpu1", other: {memory: 4000}, ranks: "0",
        units: {core: 2, memory: 4000}}' jobs.json
    # Slurm gives a job without a limit an end in a year
    jq -e '.[] | select(.job == 5) | has("end") | not' jobs.json
    # as tres_used of cpu1: 18 CPUs, two of them in a core
    same "$(rset-alloc allocated --now 1795404000 all.json | rset-match --include 0 --count core,memory)" '9 18000'
    same "$(rset-match -o tree all.json | grep -A1 cpu1 | tail -1)" \
        '    memory0  64000 MiB  held by 1 (4000)  held by 4 (8000)  held by 10 (2000)  held by 6 (2000)  held by 5 (2000)'
    same "$(rset-match -o tree all.json | grep nic0 | head -1)" '    nic0  2  held by 8 (1)'
}

@test "by default the set has a graph, so that memory and types of GPUs stay" {
    from "$sinfo" "$squeue" 2>/dev/null >all.json
    from "$sinfo" "$squeue" -o rv1 2>/dev/null | cmp - all.json
    same "$(rset-match --count socket,memory,nic all.json)" '17 800000 4'
    same "$(rset-match --find 'type=gpu and property=a100' --count gpu all.json)" 8
}

@test "-o r names all that it leaves out, in one warning" {
    node 'gres: "gpu:a100:2(S:0)"' >node
    run -0 --separate-stderr from node -o r
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-7","gpu":"0-1"}}],"nodelist":["n0"]}}'
    same "$stderr" "rset-discover: warning: an R without a graph can't express everything, left out: memory, socket, properties of gpu"
    run -0 --separate-stderr from "$sinfo" "$squeue" -o r
    same "$(grep -c 'left out' <<<"$stderr")" 1
    [[ $stderr == *'left out: memory, socket, properties of gpu, nic, allocations of /cluster0/cpu1/memory0 and 5 more, reservations of /cluster0/mix1/memory0' ]]
    # of a document that is converted it is no news
    run -0 --separate-stderr rset-match -o r <(from node)
    same "$stderr" ''
}

@test "the set can be read without a fault, in every form" {
    for form in r jgf rv1 jgf-compact rv1-compact; do
        from "$sinfo" "$squeue" -o $form >all.json 2>/dev/null
        same "$(rset-match --validate all.json)" ''
        rset-match -o $form all.json | cmp - all.json
        same "$(rset-alloc allocated --now 1795404000 -o short all.json)" \
            'rank0/core[0-5,8-10] rank1/core0 rank5/core[0-2,16],gpu[0-1] rank6/core[0-31],gpu[0-3] rank7/core[0-3],gpu[0-1]'
    done
}

@test "available resources are those that Slurm calls idle" {
    from "$sinfo" "$squeue" 2>/dev/null >all.json
    same "$(rset-match --available --now 1795404000 -o short all.json)" \
        'rank0/core[6-7,11-15]'
    same "$(rset-match -N1 --requires '^amd' --now 1795404000 all.json |& sed 's/ (.*//')" \
        'rset-match: all.json: no match now: need 1 whole node: none available'
    same "$(from - "$squeue" <"$sinfo" 2>/dev/null | rset-match -n1 -c4 -o short)" \
        'rank0/core[6-7,11-12]'
}

@test "files may come in any order, and several in one" {
    from "$sinfo" "$squeue" >both 2>/dev/null
    from "$squeue" "$sinfo" 2>/dev/null | cmp - both
    cat "$squeue" "$sinfo" | from 2>/dev/null | cmp - both
    cat "$sinfo" "$squeue" | from - 2>/dev/null | cmp - both
}

@test "--property is added, and serve accepts the set" {
    run -0 --separate-stderr from "$sinfo" --property 'row=1:cpu[1-2]'
    jq -e '.execution.properties["row=1"] == "0-1"' <<<"$output"
    echo '{"topic":"resource.acquire","matchtag":1,"flags":["streaming"],"payload":{"group":"default"}}' >lines
    run -0 --separate-stderr rset-discover serve --from slurm "$sinfo" <lines
    jq -e '.payload.online == "0,7" and .payload.offline == "1-6"' <<<"$output"
}

# --- forms ---------------------------------------------------------------

@test "later versions with other forms give the same set: lists, numbers in objects, states in one" {
    from "$sinfo" "$squeue" -o jgf >old 2>/dev/null
    # as 23.11 and later write it, made of 22.05
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

@test "output of a later Slurm for such a cluster" {
    from "$TEST_DIR"/fixtures/slurm-24.11-*.json -o jgf >all.json 2>err
    same "$(cat err)" 'rset-discover: warning: reservations have no times without `scontrol show reservations --json`: gpu2 and 1 more'
    same "$(rset-alloc allocated --now 1795404000 -o short all.json)" \
        'rank1/core[0-5,8-10] rank2/core0 rank6/core[0-2,16-17],gpu[0-2] rank7/core[0-31],gpu[0-3] rank8/core[0-3],gpu[0-1]'
    # a powered down node of a cloud starts on demand
    same "$(rset-match -o tree all.json | sed -n 2,5p)" '  cloud1  rank0  {spot}
    memory0  32000 MiB
    socket0
      core[0-7]'
    # the nodes are equal, except for the times when they went down
    idle() { # FILE: without what is in use
        jq -c 'del(.nodes[].gres_used) | .nodes[].state |= (if type == "string"
            then sub("allocated"; "idle") else map(sub("ALLOCATED"; "IDLE")) end)' "$1"
    }
    idle "$TEST_DIR/fixtures/slurm-24.11-node.json" | from -o jgf 2>/dev/null |
        rset-match --exclude 0 | rset-diff --remap >new
    idle "$sinfo" | from -o jgf 2>/dev/null >old
    plain() {
        sed 's/"time":[0-9]*/TIME/; s/resv:[a-z0-9_,:]*/RESV/' <(rset-match -o tree "$1")
    }
    same "$(plain new)" "$(plain old)"
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
    local left_out="rset-discover: warning: gres are left out: the name is that of another resource, or the count is too large: "
    same "$(gres 'shard:8,memory:3')" \
        "$left_out"'"memory" of n0 (stdin:1: nodes[0]) rset-discover: warning: gres that are parts of GPUs are left out: "shard" of n0 (stdin:1: nodes[0]) socket0 '
    same "$(gres 'a/b:2')" "${left_out}\"a/b\" of n0 (stdin:1: nodes[0]) socket0 "
    same "$(gres 'big:1T')" ' big0 1099511627776 socket0 '
    same "$(gres 'tmp:1860G')" ' socket0 tmp0 1997159792640 '
    for count in 99999999999999999999T 16385G 17T; do
        same "$(gres "big:$count")" "${left_out}\"big\" of n0 (stdin:1: nodes[0]) socket0 "
    done
    same "$(gres 'gpu:1000000')" \
        "$left_out"'"gpu" of n0 (stdin:1: nodes[0]) socket0 '
}

@test "states: nodes that Slurm can't use are down, with the reason" {
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
    } | from -o jgf 2>/dev/null >all.json
    same "$(rset-match -o tree all.json | sed -n 's/^  n\([^ ]*\)  rank[^ ]* */\1 /p' | sed 's, *$,,')" '[0-1,3,5]
2 shared by slurm:unknown
4 down (COMPLETING)
6 down (fan)
7 down (MAINTENANCE)
8 unknown (UNKNOWN)
9 failing (ecc)
[10-11] drained (ecc)
12 drained
13 drained (x)'
    same "$(rset-alloc undrain n10,n11 all.json | rset-alloc nodes n10,n11 --columns host,state --no-header)" \
        $'n10  idle\nn11  down'
    # undrain restores its state
    node 'state: "down", state_flags: ["DRAIN"], reason: "x"' | from |
        rset-alloc undrain n0 | rset-match -o tree | grep -q 'n0  rank0  down'
}

@test "features that can't be properties, and other losses, are reported" {
    run -0 --separate-stderr from <(node 'features: "a,b&c,k=v", active_features: null') -o tree
    same "${lines[1]}" '  n0  rank0  {a,k=v}'
    node 'features: ["a", "b|c"]' >one
    (node 'name: "n1", features: "b|c", state: ["IDLE", "RESERVED"]' &&
        node 'name: "n2", state: "future", specialized_cores: 1' &&
        node 'name: "n3", specialized_cores: 1, specialized_memory: 0' |
        jq -c '.nodes |= [.[0] + {specialized_cores: 0}] + . | .nodes[0].name = "n4"') >three
    run -0 --separate-stderr from one three
    features="features that can't be properties are left out:"
    same "$stderr" "rset-discover: warning: $features \"b|c\" of n0 (one: nodes[0]) and 1 more
rset-discover: warning: nodes in state FUTURE are left out: n2 (three:2: nodes[0])
rset-discover: warning: cores that Slurm keeps for the system count as free, because it does not list them: n3 (three:3: nodes[1])
rset-discover: warning: reservations have no times without \`scontrol show reservations --json\`: n1"
    same "$(rset-match -o hosts <<<"$output")" 'n[0-1,4,3]'
}

@test "jobs: only running ones; an exclusive one has the whole node" {
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
        'n0 rank0 held by 7;rset-discover: warning: Slurm does not list what jobs have in these nodes, they get whole nodes: job 7 in n0 (stdin:2: jobs[0])'
    same "$(jobs 'job_resources: null, nodes: "n[0-2]"')" \
        'n0 rank0 held by 7;rset-discover: warning: resources of jobs in nodes that are not listed are left out: job 7 has "n[1-2]" (stdin:2: jobs[0])
rset-discover: warning: Slurm does not list what jobs have in these nodes, they get whole nodes: job 7 in n0 (stdin:2: jobs[0])'
    same "$(jobs 'job_resources: null, nodes: "n["')" \
        'rset-discover: warning: resources of jobs in nodes that are not listed are left out: job 7 (stdin:2: jobs[0])'
    same "$(jobs 'nodes: "x", job_resources: {allocated_nodes: [{nodename: "x"}]}')" \
        'rset-discover: warning: resources of jobs in nodes that are not listed are left out: job 7 has "x" (stdin:2: jobs[0])'
    same "$(jobs 'user_name: "", job_resources: {allocated_nodes: [{nodename: "n0",
        sockets: {"1": {cores: {"0": "allocated_and_in_use", "x": "allocated"}}}}]}')" \
        'core0 held by 7;core4 held by 7;rset-discover: warning: jobs have more than their nodes, they get as many others: job 7 in n0: 1 core (stdin:2: jobs[0])'
    same "$(jobs 'gres_detail: ["gpu:2(IDX:1)"]')" 'core1 held by 7;gpu1 held by 7;'
    unlisted='Slurm does not list which GPUs jobs have, they get any that are free: job 7'
    same "$(jobs 'gres_detail: ["gpu:2"]')" \
        "core1 held by 7;gpu[0-1] held by 7;rset-discover: warning: $unlisted in n0 (stdin:2: jobs[0])"
    same "$(jobs 'gres_detail: ["gpu:1(IDX:1)", ""]')" \
        "core1 held by 7;gpu[0-1] held by 7;rset-discover: warning: $unlisted in n0 (stdin:2: jobs[0])"
    same "$(jobs 'gres_detail: ["gpu:1(IDX:1)"], job_resources: {
        allocated_nodes: [{nodename: "n0"}, {nodename: "n0"}]}')" \
        "gpu[0-1] held by 7;rset-discover: warning: $unlisted in n0 (stdin:2: jobs[0]) and 1 more"
}

@test "two jobs with a common core share it; other resources belong to one" {
    memory() { # JOB
        job "job_id: $1, job_resources: {allocated_nodes: [{nodename: \"n0\",
            memory_allocated: 800, sockets: {}}]}"
    }
    (node '' && job '' && job 'job_id: 8' && job 'job_id: 9, shared: "none"' &&
        memory 10 && memory 11) | from -o jgf 2>err >all.json
    same "$(cat err)" 'rset-discover: warning: resources of jobs that another job has are left out: job 9 has node of n0 (stdin:4: jobs[0]) and 1 more'
    same "$(rset-match --validate all.json)" ''
    same "$(rset-alloc jobs -o json all.json | jq -c 'map(.job)')" '[7,8,10]'
    same "$(rset-match -o tree all.json | grep core1)" '      core1  shared by 7,8'
    rset-match -n1 -c7 all.json
    run -1 rset-match -n1 -c8 all.json
    # a node without cores, and a gres of one unit
    (node 'cores: 0, real_memory: 0, gres: "nic:1"' && job 'gres_detail: ["nic:1"]' &&
        job 'job_id: 8, gres_detail: ["nic:1"]') | from -o tree 2>err | grep -q 'nic0  held by 7'
    same "$(grep 'another job' err)" 'rset-discover: warning: resources of jobs that another job has are left out: job 8 has nic of n0 (stdin:3: jobs[0])'
}

# --- the cores of jobs, one by one ---------------------------------------

# Print JOB RANK CORE for each running job in Slurm's files.
listed_cores() { # FILE...
    jq -rs '[.[].nodes[]?] as $nodes |
        ($nodes | to_entries | map({(.value.name): .key}) | add) as $rank |
        .[].jobs[]? | select([.job_state] | flatten | index("RUNNING")) |
        .job_id as $job |
        (.job_resources.allocated_nodes // .job_resources.nodes.allocation)[] |
        $rank[.nodename // .name] as $at | .sockets |
        if type == "object"
        then to_entries[] | {s: .key | tonumber, cores: [.value.cores |
            to_entries[] | {i: .key | tonumber, is: [.value]}]}
        else .[] | {s: .index, cores: [.cores[] | {i: .index, is: .status}]}
        end | .s as $socket | .cores[] |
        select(.is | map(ascii_downcase) | index("allocated")) |
        "\($job) \($at) \($socket * $nodes[$at].cores + .i)"' "$@" | sort
}

# Print the same lines for a document, without reservations.
document_cores() { # FILE
    local job
    for job in $(rset-alloc jobs -o json "$1" | jq '.[].job | numbers'); do
        rset-alloc allocated "$job" -o r "$1" | jq -r --arg job "$job" '
            def ids: if . == "" then empty else split(",")[] | split("-") |
                map(tonumber) | range(.[0]; .[-1] + 1) end;
            .execution.R_lite[] | (.rank | ids) as $rank |
            (.children.core // "" | ids) | "\($job) \($rank) \(.)"'
    done | sort
}

@test "each job has the cores that Slurm lists, and no others" {
    check() { # FILE...
        listed_cores "$@" >listed
        for form in r jgf rv1-compact; do
            from "$@" -o $form 2>/dev/null >all.json
            same "$(rset-match --validate all.json)" ''
            document_cores all.json >had
            cmp listed had
        done
        wc -l <listed
    }
    same "$(check "$sinfo" "$squeue")" 46
    same "$(check "$TEST_DIR"/fixtures/slurm-24.11-*.json)" 48
    RSET_NOW=1795468900
    same "$(check "$shared")" 26
}

@test "a job that is exclusive to its user or MCS label has its own cores" {
    exclusive() { # SHARED JOB INDEX
        job "job_id: $2, shared: $1, job_resources: {nodes: {whole: true,
            allocation: [{name: \"n0\", memory: {allocated: 10}, sockets:
                [{index: 0, cores: [{index: $3, status: [\"ALLOCATED\"]}]}]}]}}"
    }
    for word in '["user"]' '["mcs"]' '"user"' '["topo"]'; do
        (node '' && exclusive "$word" 7 0 && exclusive "$word" 8 3) |
            from -o jgf 2>err >all.json
        same "$(cat err)" 'rset-discover: warning: nodes that only jobs of the same user or MCS label may share are open to all jobs: job 7 (stdin:2: jobs[0]) and 1 more'
        same "$(rset-match -o tree all.json | sed -n '4,7p')" '    socket0  shared by 7,8
      core0  held by 7
      core[1-2]
      core3  held by 8'
    done
    # without this word it is alone in the node
    (node '' && exclusive '[]' 7 0) | from -o jgf >all.json
    same "$(rset-match -o tree all.json | sed -n 2p)" '  n0  rank0  held by 7'
}

@test "a core belongs to a job if it is allocated or in use" {
    core() { # STATUS
        (node '' && job "job_resources: {nodes: {allocation: [{name: \"n0\",
            memory: {allocated: 0}, sockets: [{index: 1, cores:
                [{index: 2, status: [$1]}]}]}]}}") | from |
            rset-alloc allocated -o short |& tail -1
    }
    same "$(core '"IN_USE"')" 'rank0/core6'
    same "$(core '"ALLOCATED"')" 'rank0/core6'
    same "$(core '"ALLOCATED", "IN_USE"')" 'rank0/core6'
    same "$(core '"UNALLOCATED"')" "$(core '')"
}

@test "a GPU with shards or parts by mps is shared by its jobs" {
    RSET_NOW=1795468900
    from "$shared" -o jgf 2>/dev/null >all.json
    same "$(rset-match -o tree all.json | grep -A4 '^  c2' | sed 1,2d)" \
        '    gpu0  shared by 7
    gpu[1-2]  held by 29
    gpu[3-7]'
    rset-match --requires hosts:c2 --shape slot/gpu=5 all.json
    run -1 rset-match --requires hosts:c2 --shape slot/gpu=6 all.json
    gpus() { # GRES_DETAIL
        (node 'gres: "gpu:1(S:0),gpu:2,shard:24"' &&
            job "gres_detail: [\"$1\"]" && job 'job_id: 8, job_resources: {
            allocated_nodes: [{nodename: "n0"}]}, gres_detail: ["shard:2(IDX:0)"]') |
            from -o tree 2>&1 | grep -oE 'gpu[^ ]*  .*|Slurm does not list.*' |
            tr -s ' ' | tr '\n' ';'
    }
    same "$(gpus '')" 'gpu0 shared by 8;'
    # as Slurm 22.05 and 24.11 list them
    same "$(gpus 'shard:5(IDX:0,2)')" 'gpu2 shared by 7;gpu0 shared by 7,8;'
    same "$(gpus 'shard:9(1/8,0/8,8/8)')" 'gpu2 shared by 7;gpu0 shared by 7,8;'
    same "$(gpus 'mps:50(0/100,50/100)')" 'gpu1 shared by 7;gpu0 shared by 8;'
    # not as Slurm would list them
    same "$(gpus 'gpu:1(IDX:0)')" 'gpu0 shared by 7,8;'
    same "$(gpus 'gpu:1(IDX:1),shard:1(IDX:1)')" 'gpu1 shared by 7;gpu0 shared by 8;'
    for odd in 'shard:5' 'shard:5(0/8)' 'shard:5(x/8)' 'shard:5(' 'shard:5(5/'; do
        same "$(gpus "$odd")" 'Slurm does not list of which GPUs jobs have parts, these are left out: job 7 in n0 (stdin:2: jobs[0]);gpu0 shared by 8;'
    done
}

@test "cores for the system are down" {
    cores() { # MEMBERS
        node "$1" | from -o tree 2>&1 | grep -E 'warning|core' | tr -s ' ' |
            sed 's/^ //; s/rset-.*warning:/warning:/' | tr '\n' ';'
    }
    local tag='down (specialized)'
    same "$(cores 'cpus: 16, specialized_cpus: "0-1,14", specialized_cores: 2')" \
        "core0 $tag;core[1-3];core[4-6];core7 $tag;"
    same "$(cores 'cpus: 8, specialized_cpus: "0-1", effective_cpus: 6')" \
        "core[0-1] $tag;core[2-3];core[4-7];"
    same "$(cores 'cpus: 8, specialized_cpus: "", effective_cpus: 8, specialized_memory: 5')" \
        'warning: memory that Slurm keeps for the system counts as free: n0 (stdin:1: nodes[0]);core[0-3];core[4-7];'
    for some in 'specialized_cpus: "", effective_cpus: 6' 'specialized_cores: 1' \
        'specialized_cpus: "8", effective_cpus: 7' \
        'specialized_cpus: "x", specialized_cores: 1'; do
        same "$(cores "cpus: 8, $some")" 'warning: cores that Slurm keeps for the system count as free, because it does not list them: n0 (stdin:1: nodes[0]);core[0-3];core[4-7];'
    done
    same "$(cores 'cores: 1, cpus: 8589934592, specialized_cpus: "0"')" \
        "core0 $tag;core1;"
    # nobody holds them, even if a job is alone in the node
    (node 'cpus: 8, specialized_cpus: "7", gres: "gpu:2"' && job 'shared: "none",
        gres_detail: ["gpu:1(IDX:1)"], job_resources: {allocated_nodes: [{
            nodename: "n0", memory_allocated: 9, sockets: ([range(2) |
            {key: tostring, value: {cores: ([range(4) | {key: tostring, value:
                "allocated"}] | from_entries)}}] | from_entries |
                del(.["1"].cores["3"]))}]}') | from -o jgf >all.json
    same "$(rset-match --validate all.json)" ''
    same "$(rset-alloc allocated 7 -o short all.json)" 'rank0/core[0-6],gpu1'
    same "$(rset-match --available -o short all.json)" ''
    same "$(rset-alloc release 7 all.json | rset-match --available -o short)" \
        'rank0/core[0-6],gpu[0-1]'
}

# --- reservations ----------------------------------------------------------

# resv NAME NODES START END [MEMBERS]
resv() {
    jq -nc "{reservations: [{name: \"$1\", node_list: \"$2\",
        start_time: {set: true, infinite: false, number: $3},
        end_time: {set: true, infinite: false, number: $4}} + {$5}]}"
}

@test "a reservation is a job that holds what no other job holds at that time" {
    nodes() {
        node 'reservation: "maint", state: ["MIXED", "RESERVED"]' &&
            node 'name: "n1"' && job 'gres_detail: []'
    }
    of() { # NOW
        RSET_NOW=$1 rset-match -o tree all.json | grep -E '  n|memory|core' |
            tr -s ' ' | sed 's/^ //' | tr '\n' ';'
    }
    # job 7 has a core from 100 to 400
    (nodes && resv maint 'n[0-1]' 200 900) | RSET_NOW=300 from -o jgf >all.json
    same "$(rset-match --validate all.json)" ''
    same "$(of 300)" 'n0 rank0 shared by 7,resv:maint;memory0 1000 MiB held by resv:maint (1000);core[0,2-3] held by resv:maint;core1 held by 7 reserved for resv:maint;core[4-7];n1 rank1 held by resv:maint;memory0 1000 MiB;core[0-3];core[4-7];'
    same "$(RSET_NOW=300 rset-alloc jobs -o json all.json | jq -c '.[1] | [.job, .start, .end, .hosts]')" \
        '["resv:maint",200,900,"n[0-1]"]'
    # nobody else holds any part of it at any time
    for now in 300 450 899; do
        RSET_NOW=$now run -1 rset-match -n1 <(rset-alloc expire --now $now all.json || cat all.json)
    done
    same "$(rset-alloc expire --now 900 all.json | rset-match --count core --available)" 16
    # it is in the future, when the jobs have ended
    (nodes && resv later 'n[0-1]' 500 900) | RSET_NOW=300 from -o jgf 2>/dev/null |
        rset-match -o tree --now 300 | grep -q 'n1  rank1  reserved for resv:later'
    # it has ended
    (nodes && resv maint 'n[0-1]' 100 299) | RSET_NOW=300 from |
        rset-alloc jobs --now 300 -o json | jq -e 'map(.job) == [7]'
}

@test "a reservation that only nodes mention has no times" {
    no_times='rset-discover: warning: reservations have no times without `scontrol show reservations --json`: n0'
    run -0 --separate-stderr from <(node 'state: ["IDLE", "RESERVED"], reservation: "ann_1"') -o tree
    same "$stderr" "$no_times"
    same "${lines[1]}" '  n0  rank0  held by resv:ann_1'
    run -0 --separate-stderr from <(node 'state_flags: ["RESERVED"]'; node 'name: "n1", state_flags: ["RESERVED"]') -o tree
    same "$stderr" "$no_times and 1 more"
    same "${lines[1]}" '  n[0-1]  rank[0-1]  held by resv:unknown'
    # listed reservations count alone
    (node 'state_flags: ["RESERVED"]' && resv ann_1 n0 100 1800000000) | from -o tree |
        grep -q '  n0  rank0  held by resv:ann_1'
}

@test "reservations: of cores, of other nodes, without nodes, one after another" {
    show() {
        from -o tree 2>&1 | grep -E 'warning|  n|core' | tr -s ' ' |
            sed 's/^ //; s/rset-.*warning:/warning:/' | tr '\n' ';'
    }
    of_cores() { # CORES
        resv r n0 100 1800000000 "core_specializations: [{node: \"n0\", core: \"$1\"}]"
    }
    same "$( (node '' && of_cores 3-4) | show)" \
        'n0 rank0 shared by resv:r;core[0-2];core3 held by resv:r;core4 held by resv:r;core[5-7];'
    same "$( (node '' && of_cores 0-7) | show)" \
        'n0 rank0 held by resv:r;core[0-3];core[4-7];'
    same "$( (node '' && resv a 'n[0-2]' 100 1800000000 && resv b n0 100 1800000000) | show)" \
        'warning: resources of jobs in nodes that are not listed are left out: job resv:a has "n[1-2]" (stdin:2: reservations[0]);warning: reservations whose nodes other jobs hold are left out: resv:b (stdin:3: reservations[0]);n0 rank0 held by resv:a;core[0-3];core[4-7];'
    same "$( (node '' && resv '' '' 100 1800000000) | show)" 'n0 rank0;core[0-3];core[4-7];'
    same "$( (node '' && resv a n0 1795500000 1795600000 && resv b n0 1795550000 1795700000) |
        from | rset-alloc jobs -o json | jq -c 'map([.job, .start, .end])')" \
        '[["resv:a",1795500000,1795600000],["resv:b",1795600000,1795700000]]'
}

# --- names of users, lists that overlap ----------------------------------

@test "ids of arrays and of parts of heterogeneous jobs are tags of nodes" {
    RSET_NOW=1795468900
    from "$shared" 2>/dev/null >all.json
    at() { # ID
        rset-match --find "tag=slurm.$1" -o hosts all.json
    }
    same "$(at 15_1) $(at 15_3) $(at 17+0) $(at 17+1)" 'b08 b08 b01 d2'
    same "$(rset-match -o tree all.json | grep -o 'slurm.15_1=21')" slurm.15_1=21
    run -1 at 15_0
    run -1 at 0_0
    from "$sinfo" "$squeue" -o tree 2>/dev/null | grep -q 'cpu1 .*#slurm.5_0=10  #slurm.5_1=5 '
}

@test "a node, job or reservation that is listed twice is read once" {
    from "$shared" -o jgf 2>/dev/null >once
    jq -c 'select(.nodes) | .nodes |= .[2:5] | .nodes[0].state = ["DOWN"]' "$shared" >some
    jq -c 'select(.jobs)' "$shared" >runs
    from "$shared" some runs -o jgf 2>err | cmp - once
    from "$shared" -o jgf 2>&1 >/dev/null | cmp - err
    resv r n0 100 1800000000 >r
    (node '' && cat r && resv r n0 100 1700000000) | from | cmp - <( (node '' && cat r) | from)
}

@test "--explain names each node and job that can't be represented" {
    RSET_NOW=1795468900
    cp "$shared" set.json
    run -0 --separate-stderr from set.json --explain -o jgf
    same "$(sort -u <<<"$stderr")" 'rset-discover: gres that are parts of GPUs are left out: "shard" of c1 (set.json: nodes[4])
rset-discover: gres that are parts of GPUs are left out: "shard" of c2 (set.json: nodes[5])
rset-discover: gres that are parts of GPUs are left out: "shard" of c4 (set.json: nodes[6])
rset-discover: memory that Slurm keeps for the system counts as free: c1 (set.json: nodes[4])
rset-discover: memory that Slurm keeps for the system counts as free: c2 (set.json: nodes[5])
rset-discover: memory that Slurm keeps for the system counts as free: c4 (set.json: nodes[6])
rset-discover: nodes that only jobs of the same user or MCS label may share are open to all jobs: job 19 (set.json:2: jobs[6])
rset-discover: nodes that only jobs of the same user or MCS label may share are open to all jobs: job 26 (set.json:2: jobs[11])
rset-discover: nodes that only jobs of the same user or MCS label may share are open to all jobs: job 35 (set.json:2: jobs[15])
rset-discover: reservations have no times without `scontrol show reservations --json`: c4'
    same "$output" "$(from "$shared" -o jgf 2>/dev/null)"
    run -0 --separate-stderr rset-discover serve --from slurm "$shared" --explain </dev/null
    same "$(wc -l <<<"$stderr")" 10
    refused "rset-discover: --explain is for machines (try 'rset-discover --help')" \
        rset-discover --hosts a --explain
}

@test "all programs read Slurm's JSON as --from slurm does" {
    local said="warning: $sinfo: this is from Slurm, and is read as rset-discover --from slurm does"
    from "$sinfo" -o rv1 >set.json 2>notes
    run -0 --separate-stderr rset-match -o rv1 "$sinfo"
    same "$output" "$(<set.json)"
    same "$stderr" "rset-match: $said
$(sed 's/^rset-discover/rset-match/' notes)"
    cat "$sinfo" "$squeue" >both
    for command in jobs nodes 'status --by state' 'available -o rv1'; do
        # shellcheck disable=SC2086 # words
        rset-alloc $command both 2>/dev/null >out
        # shellcheck disable=SC2086 # words
        from "$sinfo" "$squeue" 2>/dev/null | rset-alloc $command | cmp - out
    done
    same "$(rset-diff both set.json 2>/dev/null | head -n 1)" "$(from both 2>/dev/null | rset-diff - set.json | head -n 1)"
    refused "rset-alloc: $squeue: there are no nodes: \`scontrol show node --json\` lists them" \
        rset-alloc nodes "$squeue"
    head -c 2000 "$sinfo" >cut.json
    refused 'rset-match: cut.json: line 26, column 46: input ends in the middle of a document' rset-match cut.json
    refused 'rset-alloc: --in-place: both is from Slurm: write the set to another file' \
        rset-alloc drain cpu1 --in-place both
    # a document whose keys come in another order is no surprise
    jq -c '{errors, nodes}' "$sinfo" | rset-match -o rv1 2>/dev/null | cmp - set.json
}

@test "Slurm's text is refused with a hint" {
    text() { # COMMAND TEXT COLUMN
        refused "rset-discover: stdin: line 1, column $3: expected JSON, and this is text of Slurm: $1 --json" \
            from <<<"$2"
    }
    text 'scontrol show node' 'NodeName=n0 Arch=x86_64 CoresPerSocket=4' 1
    text 'scontrol show job' 'JobId=7 JobName=x' 1
    text 'scontrol show reservations' 'ReservationName=maint StartTime=2026-11-23T21:03:05' 1
    text squeue '             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)' 14
    text 'scontrol show node' 'PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST' 1
    text 'scontrol show node' 'NODELIST   NODES PARTITION STATE' 1
}

# --- faults --------------------------------------------------------------

@test "bad answers of Slurm are errors" {
    echo '{"meta":{},"errors":[{"error":"Unspecified error","errno":-1}],"nodes":[]}' >e1
    refused 'rset-discover: e1: Slurm could not answer: "Unspecified error"' from e1
    echo '{"jobs":[],"errors":[{"description":"no","error_number":1}]}' >e2
    refused 'rset-discover: e2: Slurm could not answer: "no"' from e2
    echo '{"nodes":[],"errors":[]}' >e3
    refused 'rset-discover: e3: there are no nodes: `scontrol show node --json` lists them' from e3
    refused "rset-discover: $squeue: there are no nodes: \`scontrol show node --json\` lists them" from "$squeue"
    echo '{"sinfo":[]}' >e4
    refused 'rset-discover: e4: this is a summary: expected the list of nodes that `scontrol show node --json` writes' from e4
    rset-discover --hosts a >e5
    refused 'rset-discover: e5: no `nodes`, `jobs` or `reservations`: expected the output of a Slurm command with --json' from e5
    refused 'rset-discover: stdin: empty input: expected the output of a Slurm command with --json' from </dev/null
}

@test "faults have their place in the message" {
    says() { # WHAT JSON
        refused "rset-discover: stdin:1: $1" from <<<"$2"
    }
    says 'nodes: 3: expected a list' '{"nodes":3}'
    says 'nodes[0]: 3: an object is expected' '{"nodes":[3]}'
    says 'nodes[0].name: missing: a name is expected' '{"nodes":[{}]}'
    says 'nodes[0].name: 3: a name is expected' '{"nodes":[{"name":3}]}'
    says "nodes[0].name: \"a/b\": '/' is not allowed in the name of a host" '{"nodes":[{"name":"a/b"}]}'
    says 'nodes[1].name: missing: a name is expected' '{"nodes":[{"name":"a"},{}]}'
    says 'nodes[0].cores: "x": a number of up to 4096 is expected' '{"nodes":[{"name":"a","cores":"x"}]}'
    says 'nodes[0].sockets: 4294967294: a number of up to 256 is expected' '{"nodes":[{"name":"a","sockets":4294967294}]}'
    says 'line 2, column 1: input ends in the middle of a document' '{"nodes":[{"name":"a"}]'
    refused 'rset-discover: x: No such file or directory' from x
}

@test "--from excludes other sources" {
    refused "rset-discover: --from: \"lsf\": expected slurm or pbs (try 'rset-discover --help')" \
        rset-discover --from lsf
    refused "rset-discover: --from and --hosts exclude each other (try 'rset-discover --help')" \
        from --hosts a
    refused "rset-discover: --rank is for this machine, or for one --xml (try 'rset-discover --help')" \
        from --rank 1 <(node '')
    refused "rset-discover: serve: --from needs a FILE: standard input has the requests (try 'rset-discover serve --help')" \
        rset-discover serve --from slurm
}

# --- what is not listed ---------------------------------------------------------

@test "what Slurm says is in use, and no listed job has, is held" {
    says() { # MEMBERS [MORE FILES]: print the tree of node n0 in one line
        (node "$1" && cat "${@:2}" </dev/null) | from -o tree 2>err |
            grep held | tr -s ' ' | sed 's/^ //; s/slurm:unknown/?/' | tr '\n' ';'
    }
    more='rset-discover: warning: Slurm says that more is in use than the listed jobs have, slurm:unknown holds the rest: n0'
    same "$(says 'state: "allocated"')" 'core[0-3] held by ?;core[4-7] held by ?;'
    same "$(<err)" "$more"
    same "$(says 'state: "mixed", cpus: 16, alloc_cpus: 3')" 'core[0-1] held by ?;'
    same "$(says 'state: "mixed", cpus: 8, alloc_cpus: 3, alloc_memory: 400')" \
        'memory0 1000 MiB held by ? (400);core[0-2] held by ?;'
    same "$(says 'gres: "gpu:4,nic:3", gres_used: "gpu:2(IDX:1,3),nic:2"')" \
        'gpu[1,3] held by ?;nic0 3 held by ? (2);'
    same "$(says 'gres: "gpu:4", gres_used: "gpu:(null):0(IDX:N/A)"')" ''
    same "$(<err)" ''
    # a job has some of it; it says that core 1 is its own
    job '' >job7
    same "$(says 'state: "mixed", cpus: 8, alloc_cpus: 3' job7)" \
        'core[0,2] held by ?;core1 held by 7;'
    job 'shared: "none"' >job7
    same "$(says 'state: "allocated", cpus: 8, alloc_cpus: 8, alloc_memory: 1000' job7)" \
        'n0 rank0 held by 7;'
    same "$(<err)" ''
    (node 'state: "mixed"' | jq -c '.last_update = 1000' && job '' | jq -c '.last_update = 5000') |
        from 2>&1 >/dev/null | grep -q 'listed at different times: 4000 seconds apart'
}

@test "what a job has without an id, or beyond its node, is held as a number" {
    has() { # MEMBERS OF THE JOB
        (node 'gres: "gpu:4"' && job "$1" && job 'job_id: 8, job_resources: {allocated_nodes:
            [{nodename: "n0"}]}, gres_detail: ["gpu:1(IDX:0)"]') | from -o jgf 2>err |
            rset-alloc allocated 7 -o short --now 300
    }
    same "$(has 'gres_detail: ["gpu:2(CNT:2)"]')" 'rank0/core1,gpu[1-2]'
    grep -q 'they get any that are free: job 7 in n0 (stdin:2: jobs\[0\])$' err
    same "$(has 'gres_detail: ["gpu:2(IDX:4-5)"]')" 'rank0/core1,gpu[1-2]'
    grep -q 'they get as many others: job 7 in n0: 2 GPUs (stdin:2: jobs\[0\])$' err
    same "$(has 'job_resources: {allocated_nodes: [{nodename: "n0", memory_allocated: 5000,
        sockets: {"0": {cores: {"1": "allocated", "7": "allocated"}}}}]}')" 'rank0/core[0-1]'
    grep -q 'they get as many others: job 7 in n0: 5000 of memory (stdin:2: jobs\[0\]) and 1 more$' err
    # Slurm 21.08
    same "$(has 'job_resources: {allocated_nodes: {"0": {sockets: {"1": "unassigned"},
        cores: {"0": "unassigned", "2": "assigned"}, memory: 10, cpus: 4}}}')" 'rank0/core[4,6]'
    same "$(has 'job_resources: {allocated_nodes: {"0": {sockets: {"0": "x", "1": "x"},
        cores: {"0": "x"}, memory: 10, cpus: 2}}}')" 'rank0/core[0-1]'
}

@test "nodes: cpus without sockets; words for states that are not known" {
    same "$(node 'sockets: null, cores: null, threads: 2, cpus: 8' | jq -c 'del(.nodes[0].sockets, .nodes[0].cores)' |
        from | rset-match --count core)" 4
    node 'sockets: 0, cpus: 100000, threads: 1' >many
    refused 'rset-discover: many: nodes[0]: cpus: more than 4096 cores' from many
    of() { # STATES
        node "state: [$1]" | from 2>err | rset-alloc nodes --columns state --no-header
    }
    for word in COMPLETING BLOCKED POWER_DOWN; do
        same "$(of "\"IDLE\", \"$word\"")" down
    done
    same "$(of '"ALLOCATED","CLOUD","NOT_RESPONDING","POWERING_UP"')" full
    same "$(of '"IDLE","PLANNED","POWERED_DOWN"')" idle
    same "$(of '"NONSENSE"')" unknown
    same "$(<err)" 'rset-discover: warning: states of nodes that are not known count as unknown: "NONSENSE" of n0 (stdin:1: nodes[0])'
    same "$(of '"DOWN*+DRAIN"')" unknown
}

@test "jobs of accounting, of unknown states, and of two clusters" {
    node '' >n
    job 'job_state: null, state: {current: ["RUNNING"]}' | jq -c 'del(.jobs[0].job_state)' >sacct
    refused 'rset-discover: sacct: jobs[0]: no `job_state`: this is accounting, expected the output of `squeue --json`' \
        from n sacct
    job 'job_id: "1"' >text
    refused 'rset-discover: text: jobs[0].job_id: "1": a number is expected' from n text
    job 'job_state: ["R"]' >word
    from n word 2>err | rset-alloc jobs --now 300 --columns job --no-header >out
    same "$(<out)" 7
    same "$(<err)" 'rset-discover: warning: jobs in states that are not known count as running: job 7 (word: jobs[0])'
    job 'cluster: "a"' >a
    job 'cluster: "b"' >b
    refused 'rset-discover: b: jobs[0]: job 7 is listed for two clusters, "a" and "b": read each cluster by itself' \
        from n a b
    node 'cluster_name: "a"' >na
    node 'cluster_name: "b"' >nb
    refused 'rset-discover: nb: nodes[0]: node n0 is listed for two clusters, "a" and "b": read each cluster by itself' \
        from na nb
}

# --- PBS ------------------------------------------------------------------------

@test "--from pbs: nodes, states and jobs of pbsnodes" {
    cat >pbs.json <<'END'
{"timestamp": 1, "pbs_server": "pbs", "nodes": {
 "n1": {"state": "job-busy", "pcpus": 4, "jobs": ["7.pbs", "7.pbs/1", "8.pbs"],
  "resources_available": {"host": "n1", "mem": "8388608kb", "ncpus": 4, "ngpus": 2},
  "resources_assigned": {"ncpus": 4, "mem": "1048576kb", "ngpus": 1}},
 "n2": {"state": "offline", "pcpus": 2, "comment": "bad fan",
  "resources_available": {"mem": "4gb"}, "resources_assigned": {"ncpus": 0}},
 "n3": {"state": "job-exclusive", "pcpus": 2, "resources_available": {}},
 "n4": {"state": "free,odd", "resources_available": {"ncpus": 1, "mem": "1tb"}}}}
END
    rset-discover --from pbs pbs.json -o jgf 2>err >set.json
    same "$(rset-match -o tree set.json | sed 's/  shared by.*//')" 'cluster0
  n1  rank0
    gpu0  held by pbs:unknown
    gpu1
    memory0  8192 MiB  held by pbs:unknown (1024)
    socket0
      core[0-1]  held by 7
      core2  held by 8
      core3  held by pbs:unknown
  n2  rank1  drained (bad fan)
    memory0  4096 MiB
    socket0
      core[0-1]
  n3  rank2
    socket0
      core[0-1]  held by pbs:unknown
  n4  rank3  unknown (odd)
    memory0  1048576 MiB
    socket0
      core0'
    same "$(sort err)" 'rset-discover: warning: PBS says that more is in use than the listed jobs have, pbs:unknown holds the rest: n1 and 1 more
rset-discover: warning: states of nodes that are not known count as unknown: "odd" of n4'
    refused 'rset-discover: pbs.json: nodes: an object, as PBS writes it: --from pbs' from pbs.json
    echo '{"nodes": 3}' >slurm.json
    refused 'rset-discover: slurm.json: nodes: 3: an object is expected, as `pbsnodes -a -F json` writes it' \
        rset-discover --from pbs slurm.json
    echo '{"nodes": {"n1": {"jobs": ["x"]}}}' >job.json
    refused 'rset-discover: job.json: nodes.n1: jobs[0]: "x": the name of a job is expected' \
        rset-discover --from pbs job.json
    echo '{"apiVersion": "v1", "kind": "NodeList"}' >k8s.json
    refused 'rset-discover: k8s.json: this is a list of Kubernetes, which has no reader here' from k8s.json
}

@test "--from pbs: virtual nodes of a host are one node" {
    cat >vnodes.json <<'END'
{"timestamp": 1, "nodes": {
 "n1[0]": {"state": "free", "jobs": ["7.s"], "resources_assigned": {"ncpus": 1},
  "resources_available": {"host": "n1", "ncpus": 4, "mem": "4GB", "ngpus": 1}},
 "n2": {"state": "resv-exclusive", "resources_available": {"ncpus": 1}},
 "n1[1]": {"state": "job-exclusive", "jobs": ["7.s"],
  "resources_available": {"host": "n1", "ncpus": 2, "mem": "4gb", "ngpus": 1}}}}
END
    rset-discover --from pbs vnodes.json -o jgf >set.json 2>err
    same "$(rset-match --count node,core,gpu,memory set.json)" '2 7 2 8192'
    same "$(rset-alloc jobs set.json --columns job,cores --no-header)" \
        '7             2
pbs:unknown   1
resv:unknown  1'
    same "$(grep begin err)" 'rset-discover: warning: PBS does not list when reservations begin and end: n2'
    run -2 rset-alloc nodes vnodes.json
    [[ $output = *'; `nodes` is an object, as in PBS: rset-discover --from pbs' ]]
}

@test "cores that a suspended job has lent are no riddle" {
    (node 'state: "allocated", cpus: 8, alloc_cpus: 4' && job 'job_state: "SUSPENDED", job_resources:
        {allocated_nodes: [{nodename: "n0", sockets: {"0": {cores: {"0": "allocated", "1": "allocated",
        "2": "allocated"}}}}]}' && job 'job_id: 8') >files
    run -0 --separate-stderr from files -o tree
    same "$stderr" 'rset-discover: warning: Slurm says that more is in use than the listed jobs have, slurm:unknown holds the rest: n0'
    jq -c 'if .nodes then .nodes[0].alloc_cpus = 3 else . end' files >fewer
    run -0 --separate-stderr from fewer -o tree
    same "$stderr" ''
}

@test "a job with whole nodes and a shorter R: a hint on a terminal" {
    needs pty
    (node '' && job 'shared: "none"') | from >set.json
    script -qec 'rset-alloc allocated 7 --now 300 -o short set.json' /dev/null </dev/null | tr -d '\r' >out
    same "$(<out)" 'rset-alloc: job 7 holds its nodes whole, and asked for less: --held writes all that it holds
rank0/core1'
    script -qec 'rset-alloc allocated 7 --held --now 300 -o short set.json' /dev/null </dev/null |
        tr -d '\r' >out
    same "$(<out)" 'rank0/core[0-7]'
}
