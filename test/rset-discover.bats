#!/usr/bin/env bats
# rset-discover: resource sets of machines, descriptions and lists of hosts.

load common

gpus=$TEST_DIR/fixtures/hwloc-gpus.xml

# --- this machine --------------------------------------------------------

@test "this machine is an R of one rank" {
    needs jq
    rset-discover >machine.json
    jq -e '.version == 1 and (.execution.R_lite | length) == 1 and
        .execution.R_lite[0].rank == "0" and
        (.execution.nodelist | length) == 1' machine.json
    [ "$(rset-discover -o ranks)" = 0 ]
}

@test "-o jgf is its full graph, in which every pool has a path" {
    needs jq
    rset-discover -o jgf >graph.json
    jq -e '[.graph.nodes[].metadata.type] |
        index("cluster") == 0 and index("node") == 1 and
        (index("core") > 1) and (index("pu") > 1)' graph.json
    jq -e '[.graph.nodes[].metadata.paths.containment] |
        length == (unique | length) and .[0] == "/cluster0"' graph.json
    jq -e '(.graph.nodes | length) == (.graph.edges | length) + 1' graph.json
}

@test "-o rv1 has both, which agree" {
    needs jq
    rset-discover -o rv1 >both.json
    jq -e '.execution and .scheduling.graph' both.json
    rset-match -o short both.json >short
    rset-discover -o short | cmp - short
}

@test "output is read, and written again as the same bytes" {
    for form in r jgf rv1 jgf-compact rv1-compact; do
        rset-discover -o $form >once
        rset-match -o $form once >twice
        cmp once twice
    done
}

@test "two runs write the same bytes" {
    rset-discover -o jgf >once
    rset-discover -o jgf >twice
    cmp once twice
}

@test "cores are the cores that the process is bound to, counted from 0" {
    needs jq
    cpu=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' \
        /proc/self/status)
    run -0 taskset -c "$cpu" rset-discover
    [ "$(jq -r '.execution.R_lite[0].children.core' <<<"$output")" = 0 ]
}

@test "hwloc's own environment works: HWLOC_SYNTHETIC replaces this machine" {
    unset HWLOC_COMPONENTS # it would make hwloc ignore the others
    HWLOC_SYNTHETIC='pack:2 core:4 pu:2' run -0 rset-discover
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-7"}}],"nodelist":["node0"]}}'
    HWLOC_XMLFILE=$gpus run -0 rset-discover -o hosts
    same "$output" gpu012
}

@test "bad values in hwloc's variables are reported, and not ignored" {
    unset HWLOC_COMPONENTS
    HWLOC_SYNTHETIC=foo refused \
        'rset-discover: HWLOC_SYNTHETIC: "foo": hwloc does not take "foo" at offset 0' \
        rset-discover
    HWLOC_XMLFILE=/no/such.xml refused \
        'rset-discover: HWLOC_XMLFILE: "/no/such.xml": No such file or directory' \
        rset-discover
    echo no >bad.xml
    HWLOC_XMLFILE=bad.xml run -2 --separate-stderr rset-discover
    same "$stderr" 'rset-discover: HWLOC_XMLFILE: "bad.xml": not an hwloc topology, or an incomplete one: there is no </topology>'
    HWLOC_SYNTHETIC='core:65537 pu:1' refused \
        'rset-discover: HWLOC_SYNTHETIC: "core:65537 pu:1" makes more than 65536 processors' \
        rset-discover
    # a variable that is not used, or is empty
    HWLOC_SYNTHETIC=pu:2 HWLOC_XMLFILE=/no/such.xml rset-discover
    HWLOC_SYNTHETIC='' rset-discover
    HWLOC_SYNTHETIC=foo rset-discover --hosts a
}

@test "hwloc's variables do not affect other sources" {
    HWLOC_SYNTHETIC=pu:1 HWLOC_XMLFILE=$gpus \
        run -0 rset-discover --synthetic pu:3 -o short
    same "$output" 'rank0/core[0-2]'
    HWLOC_SYNTHETIC=pu:1 run -0 rset-discover --xml "$gpus" -o hosts
    same "$output" gpu012
    HWLOC_THISSYSTEM=1 run -0 rset-discover --synthetic pu:3 -o hosts
    same "$output" node0
}

# --- XML -----------------------------------------------------------------

@test "--xml: cores, gpus and the host of an hwloc export" {
    run -0 rset-discover --xml "$gpus"
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3","gpu":"0-3"}}],"nodelist":["gpu012"]}}'
}

@test "--xml: backends for the same PCI device are one GPU, partitions are several" {
    run -0 rset-discover --xml "$gpus" -o tree
    same "$output" "cluster0
  gpu012  rank0
    socket0
      core0
        pu0
      core1
        pu1
      gpu0  {device=cuda0}
      gpu1  {device=ze0}
      memory0  8192 MiB
      nic0  {device=eth0}
      storage0  960 GB  {device=nvme0n1}
    socket1
      core2
        pu2
      core3
        pu3
      gpu2  {device=rsmi0}
      gpu3  {device=rsmi1}
      memory1  4096 MiB  {kind=HBM}
    storage1  35 GB  {device=sda}"
}

@test "--xml: both readers of hwloc give the same set" {
    for form in jgf r; do
        HWLOC_LIBXML=0 rset-discover --xml "$gpus" -o $form >small
        rset-discover --xml "$gpus" -o $form >libxml
        cmp small libxml
    done
}

@test "--xml: the older format" {
    run -0 rset-discover --xml "$TEST_DIR/fixtures/hwloc-v1.xml" -o short
    same "$output" 'rank0/core[0-1]'
}

@test "--xml - reads standard input" {
    run -0 rset-discover --xml - -o short <"$gpus"
    same "$output" 'rank0/core[0-3],gpu[0-3]'
}

@test "--xml: units are counted with their graph" {
    needs jq
    rset-discover --xml "$gpus" -o jgf | jq -c '.graph.nodes[].metadata |
        select(.type == "memory" or .type == "storage") |
        [.name, .size, .unit, .rank]' >got
    cmp got - <<'END'
["memory0",8192,"MiB",0]
["storage0",960,"GB",0]
["memory1",4096,"MiB",0]
["storage1",35,"GB",0]
END
}

@test "--xml given again is the next machine" {
    sed /HostName/d "$gpus" >nameless.xml
    run -0 rset-discover --xml "$gpus" --xml nameless.xml \
        --xml "$TEST_DIR/fixtures/hwloc-v1.xml"
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-3","gpu":"0-3"}},{"rank":"2","children":{"core":"0-1"}}],"nodelist":["gpu012,node1,old7"]}}'
    run -0 rset-discover --hosts a,b --xml "$gpus" --xml nameless.xml -o short
    same "$output" 'rank[0-2]/core[0-3],gpu[0-3]'
    refused 'rset-discover: none.xml: No such file or directory' \
        rset-discover --xml "$gpus" --xml none.xml
    refused 'rset-discover: there are no ranks left' \
        rset-discover --hosts a --ranks 4294967294 --xml "$gpus" --xml "$gpus"
}

# --- descriptions --------------------------------------------------------

@test "--synthetic: the machine of a description" {
    run -0 rset-discover --synthetic 'pack:2 [numa(memory=1GiB)] core:2 pu:2' \
        -o tree
    same "$output" "cluster0
  node0  rank0
    socket0
      core0
        pu[0-1]
      core1
        pu[2-3]
      memory0  1024 MiB
    socket1
      core2
        pu[4-5]
      core3
        pu[6-7]
      memory1  1024 MiB"
}

# --- lists of hosts ------------------------------------------------------

@test "--hosts, --cores and --gpus: equal hosts" {
    run -0 rset-discover --hosts 'node[0-3]' --cores 0-47 --gpus 0-7
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0-3","children":{"core":"0-47","gpu":"0-7"}}],"nodelist":["node[0-3]"]}}'
}

@test "--hosts alone: core 0 of each" {
    run -0 rset-discover --hosts a,b -o short
    same "$output" 'rank[0-1]/core0'
}

@test "--ranks are the ranks of the hosts in their order" {
    run -0 rset-discover --hosts b,a --ranks 3,9
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"3,9","children":{"core":"0"}}],"nodelist":["b,a"]}}'
}

@test "--ranks without hosts are all on this one" {
    needs jq
    rset-discover --ranks 0-2 --cores 0-3 >three
    [ "$(jq -r '.execution.R_lite[0].rank' three)" = 0-2 ]
    host=$(rset-discover --cores 0 -o hosts)
    [ "$(rset-match -o hosts three)" = "$host,$host,$host" ]
}

@test "an empty list is an empty set" {
    run -0 rset-discover --hosts ''
    same "$output" '{"version":1,"execution":{"R_lite":[],"nodelist":[]}}'
    run -0 rset-discover --hosts a --cores '' --gpus 0
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"","gpu":"0"}}],"nodelist":["a"]}}'
}

@test "a million nodes are a line of 150 bytes, without delay" {
    ulimit -t 2 # of processor time
    run -0 rset-discover --hosts 'node[0-999999]' --cores 0-47 --gpus 0-7
    [ ${#output} -lt 150 ]
    run -0 rset-discover --hosts 'n[0-4294967294]' -o short
    same "$output" 'rank[0-4294967294]/core0'
}

# --- groups ---------------------------------------------------------------

@test "--hosts given again begins the next group of hosts" {
    run -0 rset-discover --cores 0-3 --hosts 'a[0-1]' --hosts b --cores 0-7 --gpus 0
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-3"}},{"rank":"2","children":{"core":"0-7","gpu":"0"}}],"nodelist":["a[0-1],b"]}}'
    # equal hosts are one entry, whatever their group; ranks continue
    run -0 rset-discover --hosts b --ranks 7 --hosts 'a[0-1]' --hosts c --ranks 0
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0,7-9","children":{"core":"0"}}],"nodelist":["c,b,a[0-1]"]}}'
    refused "rset-discover: --ranks: rank 0 is in two groups" \
        rset-discover --hosts a --hosts b --ranks 0
    refused "rset-discover: --cores is given twice for a group of hosts $try" \
        rset-discover --hosts a --hosts b --cores 0 --cores 1
    refused 'rset-discover: --hosts: there are no ranks left above 4294967294' \
        rset-discover --hosts 'n[0-4294967294]' --hosts b
}

@test "--hosts with a machine: each host is one" {
    rset-discover --xml "$gpus" -o tree >one
    rset-discover --xml "$gpus" --hosts gpu012 -o tree | cmp - one
    run -0 rset-discover --hosts 'n[0-999999]' --xml "$gpus"
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0-999999","children":{"core":"0-3","gpu":"0-3"}}],"nodelist":["n[0-999999]"]}}'
    run -0 rset-discover --hosts a,login --ranks 3,9 --synthetic 'core:2 pu:1' \
        --hosts b -o tree
    same "$output" 'cluster0
  a,login  rank[3,9]
    core0
      pu0
    core1
      pu1
    memory0  1024 MiB
  b  rank10
    core0'
    run -0 rset-discover --hosts '' --xml "$gpus"
    same "$output" '{"version":1,"execution":{"R_lite":[],"nodelist":[]}}'
}

@test "groups of machines are read back in every form" {
    for form in r jgf rv1 jgf-compact rv1-compact; do
        rset-discover --hosts a,login --ranks 3,9 --xml "$gpus" --hosts b \
            --synthetic pu:2 --hosts c --gpus 0 --property x:b,c -o $form >once
        rset-match -o $form once | cmp - once
        run -0 rset-match --validate once
        same "$output" ''
        [ "$(rset-match --count node,core,gpu once)" = '4 11 9' ]
        [ "$(rset-match --requires x -o hosts once)" = b,c ]
    done
}

@test "a table or a map that would take too much memory needs --force" {
    local pools=4294967295
    ulimit -S -t 5 # seconds of processor time
    printf '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{
        "core":"0-%s"}}],"nodelist":["n"]}}' $((pools - 1)) >cores
    printf '{"version":1,"execution":{"R_lite":[{"rank":"0-%s","children":{
        "core":"0"}}]}}' $((pools - 1)) >ranks

    refused "rset-match: cores: a table of $((pools + 2)) rows: more than \
4194304 need --force" rset-match -o table cores
    refused "rset-discover: a table of 5000002 rows: more than \
4194304 need --force" rset-discover --cores 0-4999999 -o table
    sed 's/4294967294/1999999/' ranks >fewer
    run -2 rset-alloc nodes -o json fewer
    same "${lines[-1]}" 'rset-alloc: fewer: a table of 2000000 rows as JSON: more than 1048576 need --force'
    refused "rset-alloc: cores: a map of $pools cells: more than \
16777216 need --force" rset-alloc status --map cores
    for what in 'nodes:a table:rows:4194304' \
        'status --by node:a table:rows:4194304' \
        'status --map:a map:cells:16777216' \
        'timeline:a timeline:nodes:16777216'; do
        IFS=: read -r command form parts most <<<"$what"
        # shellcheck disable=SC2086 # words of a command
        run -2 rset-alloc $command ranks
        same "${lines[-1]}" "rset-alloc: ranks: $form of $pools $parts: \
more than $most need --force"
    done
    for command in status 'status --by type' 'status --map --by node' jobs; do
        # shellcheck disable=SC2086 # words of a command
        run -0 rset-alloc $command cores
    done
    ulimit -S -t 60
    rset-discover --cores 0-16777216 | rset-alloc status --map --force >map
    grep -q 'idle (16777217)' map
}

@test "a graph of more than 2^24 vertices needs --force" {
    ulimit -t 3 # of processor time
    local vertices='vertices: more than 16777216 need --force'

    refused "rset-discover: a graph of 1000000002 $vertices" \
        rset-discover --cores 0-999999999 -o jgf
    refused "rset-discover: a graph of 200000001 $vertices" \
        rset-discover --hosts 'n[0-9999999]' --xml "$gpus" -o rv1
    rset-discover --hosts n --cores 0-999999999 >many
    rset-discover --hosts n --cores 0-1 -o jgf >graph
    for form in r short tree; do
        run -0 rset-match -o $form many
    done
    refused "rset-alloc: many: a graph of 1000000002 $vertices" \
        rset-alloc allocate 1 -n1 -o jgf many
    refused "rset-match: many: a graph of 1000000002 $vertices" \
        rset-match -o jgf-compact many
    for task in union xor; do
        refused "rset-diff: many: a graph of 1000000002 $vertices" \
            rset-diff --$task graph many
    done
    run -0 rset-diff --subtract -o short graph many
    run -0 rset-diff --union -o short many graph
    rset-discover --cores 0-16777213 -o jgf | head -c 100 >most
    rset-discover --cores 0-16777214 -o jgf --force | head -c 100 | cmp - most
    refused "rset-discover: a graph of 16777217 $vertices" \
        rset-discover --cores 0-16777214 -o jgf
}

# --- properties ----------------------------------------------------------

@test "--property: of all ranks, or of some, in the order given" {
    run -0 rset-discover --hosts 'n[0-3]' \
        --property z --property big:2-3 --property perf=2:0 --property big:0
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0-3","children":{"core":"0"}}],"nodelist":["n[0-3]"],"properties":{"z":"0-3","big":"0,2-3","perf=2":"0"}}}'
}

@test "--property works with every source, and in graphs" {
    needs jq
    run -0 rset-discover --synthetic pu:1 --property amd
    [ "$(jq -c .execution.properties <<<"$output")" = '{"amd":"0"}' ]
    run -0 rset-discover --xml "$gpus" --property amd:0 -o jgf
    [ "$(jq -c '.graph.nodes[1].metadata.properties' <<<"$output")" = \
        '{"amd":""}' ]
}

@test "--property: repeated for the same ranks, it is written once" {
    rset-discover --hosts 'n[0-2]' --property a:0-1 --property a:1-2 >r
    rset-discover --hosts 'n[0-2]' --property a:0-1 --property a:1-2 -o jgf |
        rset-match -o r | cmp - r
}

@test "--property: the last colon begins the ranks" {
    needs jq
    run -0 rset-discover --hosts a,b --property rack:7:1
    [ "$(jq -c .execution.properties <<<"$output")" = '{"rack:7":"1"}' ]
}

@test "--property: targets are ranks, or hosts" {
    needs jq
    run -0 rset-discover --hosts 'n[0-3],login' --ranks 2-6 --property 'big:login,n[1-2]'
    [ "$(jq -c .execution.properties <<<"$output")" = '{"big":"3-4,6"}' ]
    run -0 --separate-stderr rset-discover --hosts n,n,m --property two:n
    [ "$(jq -c .execution.properties <<<"$output")" = '{"two":"0-1"}' ]
    refused 'rset-discover: --property: "a:n[3-4]": there is no host "n4"' \
        rset-discover --hosts 'n[0-3]' --property 'a:n[3-4]'
    refused 'rset-discover: --property: "a:n[3": "n[3": bracket is not closed at offset 1' \
        rset-discover --hosts 'n[0-3]' --property 'a:n[3'
}

# --- types and devices ----------------------------------------------------

@test "--types: the given types, and nodes" {
    types() {
        run -0 rset-discover --xml "$gpus" --types "$1" -o tree
        same "$output" "cluster0
  gpu012  rank0$2"
    }
    types node ''
    types core,nic '
    core[0-3]
    nic0  {device=eth0}'
    types socket,storage '
    socket0
      storage0  960 GB  {device=nvme0n1}
    socket1
    storage1  35 GB  {device=sda}'
    types memory,numa,pu '
    numa0
      memory0  8192 MiB
      pu[0-1]
    numa1
      memory1  4096 MiB  {kind=HBM}
      pu[2-3]'
    run -0 rset-discover --xml "$gpus" --types gpu
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"","gpu":"0-3"}}],"nodelist":["gpu012"]}}'
}

@test "--types: an unknown type is named, with similar ones" {
    refused "rset-discover: --types: a machine has no type \"cores\"; near it: core $try" \
        rset-discover --types gpu,cores
    refused "rset-discover: --types: a machine has no type \"\" $try" \
        rset-discover --types core,
    refused "rset-discover: --types is for machines $try" \
        rset-discover --hosts a --types core
    refused "rset-discover: --no-restrict is for machines $try" \
        rset-discover --from slurm --no-restrict
    refused "rset-discover: --explain is for machines $try" \
        rset-discover --hosts a --explain
}

@test "without --types the form decides" {
    explained() {
        rset-discover --xml "$gpus" --explain "$@" 2>&1 >said | sed 's/^[^:]*: gpu012: //'
    }
    [ "$(explained -o hosts)" = 'no type of device was requested' ]
    [ "$(explained | grep -c 'kept as')" = 4 ]
    [ "$(explained -o jgf | grep -c 'kept as')" = 7 ]
}

@test "--explain: each device, whether it is used, and why" {
    run -0 --separate-stderr rset-discover --xml "$gpus" --explain -o short \
        --types gpu,nic,storage,core
    same "$output" 'rank0/core[0-3],gpu[0-3]'
    same "${stderr//rset-discover: gpu012: /}" 'cuda0, CUDA on PCI 0000:01:00.0: kept as gpu0
opencl0d0, OpenCL on PCI 0000:01:00.0: merged with cuda0, gpu0
nvml0, NVML on PCI 0000:01:00.0: merged with cuda0, gpu0
ze0, LevelZero on PCI 0000:02:00.0: kept as gpu1
eth0 on PCI 0000:03:00.0: kept as nic0
mlx5_0 on PCI 0000:03:00.0: ignored: it is not a gpu, nic or storage
nvme0n1 on PCI 0000:04:00.0: kept as storage0
nvme1n1 on PCI 0000:04:00.0: ignored: it is smaller than 1 GB
nvme2n1 on PCI 0000:04:00.0: ignored: hwloc reports no size
sr0 on PCI 0000:04:00.0: ignored: its media are removable
rsmi0, RSMI on PCI 0000:41:00.0: kept as gpu2
rsmi1, RSMI on PCI 0000:41:00.0: kept as gpu3
opencl1d0, OpenCL on PCI 0000:41:00.0: merged with rsmi0, gpu2
opencl1d1, OpenCL on PCI 0000:41:00.0: merged with rsmi0, gpu2
opencl2d0, OpenCL: ignored: it is not on a PCI device
br0: ignored: it is not on a PCI device
sda: kept as storage1
sdb: ignored: it is smaller than 1 GB'
}

# --- hwloc is a child -------------------------------------------------------

# child PID: print the child of a process, when it exists.
child() {
    local pid=
    while [ -z "$pid" ] && kill -0 "$1"; do
        read -r pid <"/proc/$1/task/$1/children" || true
    done
    echo "$pid"
}

@test "a child that dies is status 2 and one line, and nothing is written" {
    needs "/proc/$$/task/$$/children"
    mkfifo never.xml
    for command in '' serve; do
        # shellcheck disable=SC2086 # a word, or none
        rset-discover $command --xml never.xml </dev/null >out 2>err 3>&- &
        kill -KILL "$(child $!)"
        wait $! && false || [ $? = 2 ]
        same "$(cat err)" 'rset-discover: hwloc ended by signal 9 (Killed)'
        [ ! -s out ]
    done
}

@test "the child does not outlive the program" {
    needs "/proc/$$/task/$$/children"
    mkfifo never.xml
    rset-discover --xml never.xml 3>&- &
    pid=$(child $!)
    kill -TERM $!
    while kill -0 "$pid" 2>/dev/null; do :; done
}

@test "serve: a machine gives the same set as a document" {
    needs jq
    rset-discover --xml "$gpus" --property big -o rv1 >document
    ask='{"topic":"resource.acquire","matchtag":1,"flags":["streaming"],"payload":{"group":"default"}}'
    rset-discover serve --xml "$gpus" --property big <<<"$ask" |
        jq -c .payload.resources | cmp - document
}

# --- refused input -------------------------------------------------------

try="(try 'rset-discover --help')"

@test "each source is given once" {
    local option

    for option in cores gpus ranks synthetic; do
        refused "rset-discover: --$option is given twice (try 'rset-discover --help')" \
            rset-discover "--$option" 0 "--$option" 0
    done
}

@test "a single number is an id; a warning helps those who mean a count" {
    run -0 --separate-stderr rset-discover --hosts n0 --cores 64 --gpus 1
    [ "$(rset-match --count core,gpu <<<"$output")" = '1 1' ]
    [ "$stderr" = 'rset-discover: warning: --cores: one core with id 64; 64 of them are 0-63
rset-discover: warning: --gpus: one gpu with id 1; the first is 0' ]
    run -0 --separate-stderr rset-discover --hosts n0 --cores 3,64 --gpus 0
    [ -z "$stderr" ]
    run -0 --separate-stderr rset-discover --config - <<'END'
config: [{hosts: n0, cores: 0-3, gpus: "0"}, {hosts: n1, cores: "64", gpus: "1"}]
END
    same "$stderr" 'rset-discover: warning: stdin: config[1].cores: one core with id 64; 64 of them are 0-63
rset-discover: warning: stdin: config[1].gpus: one gpu with id 1; the first is 0'
}

@test "several nodes of one name: a warning" {
    sed 's/"gpu012"/"n0"/' "$gpus" >one.xml
    for nodes in '--hosts n0,n1,n0' '--hosts n[0-2] --hosts n0' \
        '--hosts a,b --name n0' '--xml one.xml --xml one.xml'; do
        # shellcheck disable=SC2086 # words
        run -0 --separate-stderr rset-discover $nodes
        same "$stderr" 'rset-discover: warning: host "n0" is named twice'
    done
    run -0 --separate-stderr rset-discover --ranks 0-3
    same "$stderr" ''
}

@test "options of two sources exclude each other" {
    refused "rset-discover: --xml and --ranks exclude each other without --hosts $try" \
        rset-discover --ranks 5 --xml "$gpus"
    refused "rset-discover: --xml and --cores exclude each other $try" \
        rset-discover --hosts a --cores 0 --xml "$gpus"
    refused "rset-discover: --synthetic and --gpus exclude each other $try" \
        rset-discover --synthetic pu:1 --gpus 0
    refused "rset-discover: --xml and --synthetic exclude each other $try" \
        rset-discover --synthetic pu:1 --xml "$gpus"
}

@test "usage: unknown options, extra operands, missing arguments, forms" {
    refused "rset-discover: --zebra: unknown option $try" rset-discover --zebra
    refused "rset-discover: --trust: unknown option $try" \
        rset-discover --trust graph # rset-discover reads no document
    refused "rset-discover: \"n0\": there is no such command; --hosts names hosts $try" \
        rset-discover n0 n1
    echo {} >a.json
    refused "rset-discover: \"a.json\": there is no such command; it is a file: rset-match reads sets, --xml hwloc's files, --config configurations $try" \
        rset-discover a.json
    same "$(rset-discover --hosts 'n[8-10]' --nodes-per-rack 2 --name 'x${rack}-${id:03}' -o hosts)" 'x0-[008-009],x1-010'
    same "$(rset-discover --hosts 'n8' --name 'x${rank:0005}' -o hosts)" x00000
    refused 'rset-discover: --name: rank 0: no property, attribute or enclosing type is named "id:3"' \
        rset-discover --hosts n8 --name 'x${id:3}'
    refused "rset-discover: serve: unexpected argument \"a.json\" (try 'rset-discover serve --help')" \
        rset-discover serve a.json
    refused "rset-discover: --xml: missing argument $try" rset-discover --xml
    refused "rset-discover: --output: there is no form \"rank\"; near it: ranks $try" \
        rset-discover -o rank
}

@test "options of another command are refused" {
    refused "rset-discover: --events is not for making a set $try" \
        rset-discover --events log
    refused "rset-discover: --config and --resources exclude each other (try 'rset-discover serve --help')" \
        rset-discover serve --config a --resources b
    rset-discover --hosts a >a.json
    refused "rset-discover: --cores: the resources are named by another option (try 'rset-discover serve --help')" \
        rset-discover serve --resources a.json --cores 0
}

@test "bad sets and lists are quoted, with the position" {
    refused 'rset-discover: --hosts: "n[0-": bracket is not closed at offset 1' \
        rset-discover --hosts 'n[0-'
    refused 'rset-discover: --cores: "3-1": range 3-1 does not ascend at offset 0' \
        rset-discover --cores 3-1
    refused 'rset-discover: --gpus: "0,x": unexpected "x" at offset 2' \
        rset-discover --hosts a --gpus 0,x
    refused 'rset-discover: --ranks: "1,1": 1 is repeated at offset 2' \
        rset-discover --ranks 1,1
    refused "rset-discover: --hosts: \"a/b\": '/' is not allowed in the name of a host" \
        rset-discover --hosts a/b
}

@test "the number of hosts is the number of ranks" {
    refused 'rset-discover: --hosts: 4 hosts for 3 ranks' \
        rset-discover --hosts 'n[0-3]' --ranks 0-2
    refused 'rset-discover: --hosts: 1 host for 2 ranks' \
        rset-discover --hosts a --ranks 0-1
    refused 'rset-discover: --ranks: 4294967295 ranks are too many for one host' \
        rset-discover --ranks 0-4294967294
}

@test "properties: names that RFC 20 forbids, and unknown ranks" {
    refused "rset-discover: --property: \"a&b\": '&' is not allowed in a property" \
        rset-discover --hosts a --property 'a&b'
    refused 'rset-discover: --property: ":0": a property must have a name' \
        rset-discover --hosts a --property :0
    refused 'rset-discover: --property: "a:7": rank 7 is not in the set' \
        rset-discover --hosts a --property ok --property a:7
    refused 'rset-discover: --property: "a:0-": "0-": range has no end at offset 2' \
        rset-discover --hosts a --property a:0-
}

@test "descriptions: the word that hwloc refuses" {
    refused 'rset-discover: --synthetic: "pack:2 kern:2": hwloc does not take "kern:2" at offset 7' \
        rset-discover --synthetic 'pack:2 kern:2'
    refused 'rset-discover: --synthetic: "pack:2 core:2": hwloc does not take the end at offset 13' \
        rset-discover --synthetic 'pack:2 core:2'
    refused 'rset-discover: --synthetic: "": hwloc does not take the end at offset 0' \
        rset-discover --synthetic ''
    refused 'rset-discover: --synthetic: "core:70000 pu:1" makes more than 65536 processors' \
        rset-discover --synthetic 'core:70000 pu:1'
}

@test "descriptions: too many processors, however they are written" {
    for text in 'numa[:1 core:N pu:1' 'numa(:1 core:N pu:1' 'core:Npu:1' \
        'core{:1 pu:N' 'core: N pu:1' 'core :N pu:1' 'core:+N pu:1' \
        'core:1pu:N' 'core:1(memory=1)pu:N' 'core:1[numa]pu:N' 'N(memory=1) 1' \
        '(memory=1) core:N pu:1' '[numa(memory=1)] core:N pu:1' \
        'core[x]:N pu:1' $'core:1\npu:N'; do
        # hwloc accepts three
        same "$(rset-discover --synthetic "${text/N/3}" --types pu -o jgf |
            rset-match --count pu)" 3
        run -2 --separate-stderr timeout 20 \
            rset-discover --synthetic "${text/N/65537}" -o ranks
        [[ $stderr == *' makes more than 65536 processors' ]]
    done
    run -2 --separate-stderr timeout 20 \
        rset-discover --synthetic 'core:0x10001 pu:1'
    [[ $stderr == *' makes more than 65536 processors' ]]
}

@test "XML that can't be read" {
    refused 'rset-discover: none.xml: No such file or directory' \
        rset-discover --xml none.xml
    refused 'rset-discover: .: Is a directory' rset-discover --xml .
    refused 'rset-discover: "": No such file or directory' \
        rset-discover --xml ''
    refused 'rset-discover: stdin: empty input: expected an hwloc topology' \
        rset-discover --xml - </dev/null
}

@test "XML of a later hwloc: the message says how to write it for this one" {
    sed 's/<topology version="2.0"/<topology version="3.0"/' "$gpus" >3.xml
    cmp -s 3.xml "$gpus" && return 1
    said='this is XML of hwloc 3, and this program has hwloc 2: lstopo --export-xml-flags v2 writes it for hwloc 2'
    unset HWLOC_COMPONENTS
    for HWLOC_LIBXML in 0 1; do
        export HWLOC_LIBXML
        run -2 --separate-stderr rset-discover --xml 3.xml
        [[ $stderr == 'rset-discover: 3.xml: offset '*": $said" ]]
        HWLOC_XMLFILE=3.xml run -2 --separate-stderr rset-discover
        [[ $stderr == 'rset-discover: HWLOC_XMLFILE: "3.xml": offset '*": $said" ]]
    done
}

@test "XML in which a processor or a domain has no number, or a huge one" {
    old=$TEST_DIR/fixtures/hwloc-v1.xml
    for type in PU NUMANode; do
        for index in '' 'os_indeX="0"' 'os_index="x"' 'os_index=""' \
            'os_index="-1"' 'os_index="262145"' 'os_index="4294967295"' \
            'os_index="99999999999999999999"'; do
            sed -E "s/(type=\"$type\") os_index=\"[0-9]*\"/\1 $index/" \
                "$old" >index.xml
            run -2 --separate-stderr rset-discover --xml index.xml
            [[ $stderr == 'rset-discover: index.xml: offset '*": a $type without an os_index from 0 to 262144" ]]
        done
    done
    sed -E 's/(type="PU" os_index=)"3"/\1"262144"/' "$old" >index.xml
    same "$(rset-discover --xml index.xml -o short)" 'rank0/core[0-1]'
}

@test "XML that is truncated anywhere" {
    size=$(stat -c %s "$gpus")
    for ((n = 1; n < size - 12; n += 397)); do
        head -c $n "$gpus" >cut.xml
        refused 'rset-discover: cut.xml: not an hwloc topology, or an incomplete one: there is no </topology>' \
            rset-discover --xml cut.xml
    done
}

@test "XML with trailing text, or that is no topology, with both readers of hwloc" {
    { cat "$gpus" && echo more; } >more.xml
    echo '<topology version="2.0"></topology>' >empty.xml
    sed 's/<object type="Machine".*/<object>/' "$gpus" >bare.xml
    sed '/<object type="Core" os_index="0"/d' "$gpus" >open.xml
    sed '/<\/object>/d' "$gpus" >never.xml
    sed 's/"gpu012"/"gpu 012"/' "$gpus" >host.xml
    at=$(stat -c %s "$gpus")
    for HWLOC_LIBXML in 0 1; do
        export HWLOC_LIBXML
        refused "rset-discover: more.xml: \"more\" follows the topology at offset $at" \
            rset-discover --xml more.xml
        refused "rset-discover: empty.xml: hwloc can't read this topology" \
            rset-discover --xml empty.xml
        refused 'rset-discover: bare.xml: offset 106: an object without a cpuset' \
            rset-discover --xml bare.xml
        run -2 --separate-stderr rset-discover --xml open.xml
        [[ -z $output && $stderr == *"a closing tag without an opening tag" ]]
        refused 'rset-discover: never.xml: a tag is not closed' \
            rset-discover --xml never.xml
        refused 'rset-discover: host.xml: HostName: "gpu 012": unexpected white space at offset 3' \
            rset-discover --xml host.xml
    done
}

@test "XML that would be too deep or too odd for hwloc" {
    {
        echo '<topology version="2.0">'
        sets='cpuset="0x1" complete_cpuset="0x1"'
        for ((i = 0; i < 300; i++)); do
            echo "<object type=\"Group\" $sets>"
        done
        for ((i = 0; i < 300; i++)); do
            echo '</object>'
        done
        echo '</topology>'
    } >deep.xml
    run -2 --separate-stderr rset-discover --xml deep.xml
    [[ -z $output && $stderr == *": more than 256 levels" ]]
    sed 's/ complete_cpuset="0x00000001"//' "$gpus" >odd.xml
    run -2 --separate-stderr rset-discover --xml odd.xml
    [[ -z $output && $stderr == *": an object without a cpuset" ]]
}

@test "a full disk is reported" {
    needs /dev/full
    for form in r jgf tree short; do
        run -2 --separate-stderr bash -c "rset-discover -o $form >/dev/full"
        same "$stderr" \
            'rset-discover: standard output: No space left on device'
    done
    run -2 --separate-stderr bash -c 'rset-discover --help >/dev/full'
    same "$stderr" 'rset-discover: standard output: No space left on device'
}

# --- help ----------------------------------------------------------------

@test "--help and --version" {
    run -0 rset-discover --help
    for option in --xml --synthetic --hosts --cores --gpus --ranks \
        --property --output; do
        [[ $output == *"$option="* ]]
    done
    run -0 rset-discover --version
    [[ $output == "rset-discover "[0-9]* ]]
}

# --- serve -------------------------------------------------

# long BYTES: print a line of BYTES bytes, and a line after it.
long() {
    head -c "$1" /dev/zero | tr '\0' ' '
    printf '\n%s\n' '{"topic":"resource.ping","matchtag":1}'
}

@test "a line of a service has at most 1 GiB" {
    answer='{"type":"response","topic":"resource.ping","matchtag":1}'
    long $(((64 << 20) + 1)) >lines
    rset-discover serve --hosts a <lines >out 2>err
    same "$(cat out)" "$answer"
    [[ $(cat err) == *'input ends in the middle of a document' ]]
    [ -n "${RSET_SOAK:-}" ] || return 0
    long $(((1 << 30) + 1)) | rset-discover serve --hosts a >out 2>err
    same "$(cat out)" "$answer"
    same "$(cat err)" \
        'rset-discover: stdin:1: skipping a line of more than 1 GiB'
}

@test "--hosts: a file, standard input and lines; words that are no hosts" {
    printf 'n1\nn2\n' >list
    printf '# two hosts\nn1 # slots=8\nn2\n' >comments
    same "$(rset-discover --hosts @comments --cores 0 -o hosts)" 'n[1-2]'
    same "$(idset -H <comments) $(idset -H @comments)" 'n[1-2] n[1-2]'
    for hosts in @list - "$(<list)"; do
        same "$(rset-discover --hosts "$hosts" --cores 0 -o hosts <list)" 'n[1-2]'
    done
    while IFS='|' read -r hosts word hint; do
        refused "rset-discover: --hosts: \"$word\" is not the name of a host ($hint)" \
            rset-discover --hosts "$hosts" --cores 0
    done <<'END'
n1 slots=8|slots=8|leave out the slots of a hostfile
n1:8,n2:8|n1:8|leave out the slots of a hostfile
n[1-2]*8|n[1-2]*8|leave out the slots of a hostfile, or name each host
^file|^file|a file is @FILE; idset -H -X is the exclusive or
a!b|a!b|idset -H -x leaves out hosts
n{1..3}|n{1..3}|a range is n[1-3]
n1@gpu|n1@gpu|there are no groups; @FILE alone reads a file
n1,#,b|#|a comment is read in a file, @FILE
END
    refused 'rset-discover: --hosts: gpu: No such file or directory' \
        rset-discover --hosts @gpu --cores 0
    same "$(rset-discover --hosts fe80::1 --cores 0 -o hosts)" fe80::1
}
