# Tables of jobs, nodes, groups of nodes and pools: their columns, the order of
# rows, and the contents of cells.

load common

# busy: print six nodes: node0 is held whole, node1 and node2 in part, node3 is
# drained, node4 down, node5 idle.
busy() {
    rset-discover --hosts 'node[0-5]' --cores 0-3 --gpus 0 \
        --property ssd:0-3 --property rack=1:0-1 --property rack=2:2-3 |
        rset-alloc allocate 101 -N1 --owner ann --now 1000 --duration 1h |
        rset-alloc allocate 102 -n2 -c2 --owner bob |
        rset-alloc allocate 103 --take /cluster0/node2/core0=1 |
        rset-alloc allocate sim --take /cluster0/node2/core1=1 --owner ann |
        rset-alloc allocate 7 -N1 --include 5 --now 1000 --at 2000 \
            --duration 90s |
        rset-alloc drain 3 --reason 'IB link' --now 900 |
        rset-alloc down 4 >busy.json
}

# racks: print two racks of two nodes, a switch in one of them, and a license.
racks() {
    rset-discover --hosts 'n[0-3]' --nodes-per-rack 2 --cores 0-1 -o jgf |
        jq -c '.graph.nodes += [{id: "l", metadata: {type: "license", id: 0,
                size: 10}}, {id: "s", metadata: {type: "switch", id: 0}}]
            | (.graph.nodes[] | select(.metadata.type == "rack") | .id) as $r
            | (.graph.nodes[] | select(.metadata.type == "cluster") | .id) as $c
            | .graph.edges += [{source: $c, target: "l"}]' |
        jq -cs '.[0] | .graph.edges += [{source: (.graph.nodes |
            map(select(.metadata.type == "rack"))[0].id), target: "s"}]' |
        rset-alloc allocate 1 --take /cluster0/license0=3 |
        rset-alloc allocate 2 -N1 >racks.json
}

alloc() {
    TZ=UTC RSET_NOW=1000 rset-alloc "$@"
}

# columns N: check that each line of a table has N words.
columns() {
    awk -v n="$1" 'NF != n { bad = 1; print NR ": " $0 }
        END { exit bad || NR == 0 }'
}

# --- columns ------------------------------------------------------------------

@test "nodes: a line a node, with free resources and jobs" {
    busy
    same "$(alloc nodes busy.json)" "$(cat <<'END'
HOST   RANK  STATE    JOBS     CORES  FREE_CORES  GPUS  FREE_GPUS  PROPERTIES  REASON
node0     0  full     101          4           0     1          0  ssd,rack=1  -
node1     1  mixed    102          4           0     1          1  ssd,rack=1  -
node2     2  mixed    103,sim      4           2     1          1  ssd,rack=2  -
node3     3  drained  -            4           0     1          0  ssd,rack=2  IB link
node4     4  down     -            4           0     1          0  -           -
node5     5  idle     -            4           4     1          1  -           -
END
)"
    same "$(alloc nodes busy.json --columns HOST,reserved,Since,reason)" "$(
        cat <<'END'
HOST   RESERVED  SINCE                REASON
node0  -         -                    -
node1  -         -                    -
node2  -         -                    -
node3  -         1970-01-01T00:15:00  IB link
node4  -         -                    -
node5  7         -                    -
END
    )"
    same "$(alloc nodes busy.json -o json | jq -c '.[2,3]')" \
        '{"host":"node2","rank":2,"state":"mixed","jobs":[103,"sim"],"cores":4,"free_cores":2,"gpus":1,"free_gpus":1,"properties":["ssd","rack=2"],"reserved":[]}
{"host":"node3","rank":3,"state":"drained","jobs":[],"cores":4,"free_cores":0,"gpus":1,"free_gpus":0,"properties":["ssd","rack=2"],"reason":"IB link","since":900,"reserved":[]}'
}

@test "nodes: selected by host, rank, path or property; in a graph and a store" {
    busy
    rset-match -o jgf busy.json >graph.json
    rset-alloc load --store s busy.json
    for where in busy.json graph.json '--store=s'; do
        hosts() {
            alloc nodes "$@" --columns host --no-header "$where" | paste -sd,
        }
        same "$(hosts 'node[1-2]')" node1,node2
        same "$(hosts 0,4)" node0,node4
        # a part of a node stands for the node, once
        same "$(hosts /cluster0/node1/core0,/cluster0/node1,/cluster0/node1/core3)" \
            node1
        same "$(hosts --requires rack=2)" node2,node3
        same "$(hosts --exclude 1-5)" node0
        same "$(hosts --requires 'ssd and not host:node0')" node1,node2,node3
        same "$(hosts all)" node0,node1,node2,node3,node4,node5
    done
    refused "rset-alloc: nodes: \"1\" and --include exclude each other (try 'rset-alloc nodes --help')" \
        rset-alloc nodes 1 --include 2 busy.json
    refused 'rset-alloc: nodes: there is no host node9' \
        rset-alloc nodes node9 busy.json
}

@test "status: a line for all, or one for each group, and pools that are down" {
    busy
    down='/cluster0/node3: drained since 1970-01-01T00:15:00: IB link
/cluster0/node4: down'
    same "$(alloc status busy.json)" \
        "GROUP  NODES  IDLE  MIXED  FULL  DOWN  CORES  FREE_CORES  GPUS  FREE_GPUS
all        6     1      2     1     2     24           6     6          3
$down"
    same "$(alloc status --by property busy.json)" \
        "GROUP   NODES  IDLE  MIXED  FULL  DOWN  CORES  FREE_CORES  GPUS  FREE_GPUS
rack=1      2     0      1     1     0      8           0     2          1
rack=2      2     0      1     0     1      8           2     2          1
ssd         4     0      2     1     1     16           2     4          2
-           2     1      0     0     1      8           4     2          1
$down"
    same "$(alloc status --by rack --columns group,nodes busy.json | head -n 4)" \
        'GROUP   NODES
rack=1      2
rack=2      2
-           2'
    same "$(alloc status --by node --columns free_cores,group --sort -free_cores \
        --no-header busy.json | head -n 2)" '4  node5
2  node2'
    same "$(alloc status --include 0-2 --columns nodes,full --no-header busy.json)" \
        '3  1'
    same "$(alloc status -o json busy.json | jq -c 'keys_unsorted, .groups[0].down')" \
        '["groups","types","down"]
2'
    same "$(alloc status -o json --by rack busy.json | jq -c keys_unsorted)" \
        '["groups","down"]'
    same "$(alloc status -o json --by type busy.json | jq -c keys_unsorted)" \
        '["types","down"]'
    refused 'rset-alloc: busy.json: --by: "rakc" is neither a type nor a property; near it: rack' \
        rset-alloc status --by rakc busy.json
    refused 'rset-alloc: busy.json: --by: no node lies in a core' \
        rset-alloc status --by core busy.json
}

@test "status --by a pool with edges to nodes, or to their racks" {
    jq -nc '
        def vertex(id; type; n): {id: id, metadata: {type: type, id: n}};
        def edge(from; to): {source: from, target: to};
        def power: .metadata = {subsystem: "power"};
        {graph: {nodes: ([vertex("c"; "cluster"; 0), vertex("p"; "panel"; 0)]
                + [range(2) | vertex("r\(.)"; "rack"; .), vertex("u\(.)"; "pdu"; .)]
                + [range(4) | (vertex("n\(.)"; "node"; .) | .metadata.rank = .metadata.id),
                    vertex("o\(.)"; "core"; 0)]),
            edges: ([range(2) | edge("c"; "r\(.)"),
                    (edge("u\(.)"; "r\(.)"), edge("p"; "u\(.)") | power)]
                + [range(4) | edge("r\(. % 2)"; "n\(.)"), edge("n\(.)"; "o\(.)")]
                + [edge("u1"; "n0"), edge("u0"; "n2") | power])}}' >power.json
    same "$(alloc status --by pdu --columns group,nodes,cores power.json)" \
        'GROUP  NODES  CORES
pdu0       2      2
pdu1       3      3'
    same "$(alloc status --by panel 0 --columns group,nodes power.json)" \
        'GROUP   NODES
panel0      1'
    refused 'rset-alloc: power.json: --by: no node lies in a core' \
        rset-alloc status --by core power.json
    same "$(rset-alloc --complete 3 status power.json --by '' | cut -f1 | xargs)" \
        'words property type state cluster rack node panel pdu'
}

@test "status: racks are groups of nodes, and pools outside of nodes count" {
    racks
    same "$(alloc status --by rack racks.json)" \
        'GROUP  NODES  IDLE  MIXED  FULL  DOWN  CORES  FREE_CORES  GPUS  FREE_GPUS
rack0      2     1      0     1     0      4           2     0          0
rack1      2     2      0     0     0      4           4     0          0'
    # the types of pools outside of nodes
    same "$(alloc status /cluster0/license0 racks.json)" \
        'TYPE     STATE  SIZE  ALLOCATED  RESERVED  AVAILABLE  HOLDERS
license  up       10          3         0          7  1'
    same "$(alloc nodes /cluster0/rack1 racks.json --columns host --no-header)" \
        'n2
n3'
    same "$(alloc nodes /cluster0/license0 racks.json | wc -l)" 1
}

@test "status: nodes that are not up share a line if state and reason are equal" {
    racks
    rset-alloc drain 'n[0-2]' --reason fan racks.json |
        rset-alloc down /cluster0/rack1/n3/core1 |
        rset-alloc status | grep ^/ >out
    cmp out - <<'END'
/cluster0/rack0/n0: draining: fan
/cluster0/rack0/n1: drained: fan
/cluster0/rack1/n2: drained: fan
/cluster0/rack1/n3/core1: down
END
}

@test "-o csv: the cells of -o json, for every table" {
    export RSET_NOW=1000
    rset-discover --hosts 'n[0-3]' --cores 0-1 --property 'a,b' --memory 1GiB -o jgf |
        rset-alloc allocate 1 -N1 --owner 'x "y", z' --duration 1h |
        rset-alloc allocate 2 --shape 'node=3/slot/core' |
        rset-alloc drain n3 --reason $'disk, "sda"\n\e[1m' >set.json
    cat >compare <<'END'
import csv, json, sys
rows = json.load(open("rows.json"))
if isinstance(rows, dict):
    rows = rows[sys.argv[1]]
lines = list(csv.DictReader(open("rows.csv", newline="")))
assert len(lines) == len(rows), (lines, rows)
for line, row in zip(lines, rows):
    for name, cell in line.items():
        value = row.get(name, "")
        if isinstance(value, list):
            value = ",".join(str(v) for v in value)
        if isinstance(value, dict):
            value = ",".join(f"{k}={v}" for k, v in value.items())
        if name not in ("start", "end", "since"):
            value = str(value).replace("\n", "\\x0a").replace("\033", "\\x1b")
            assert cell == value, (name, cell, value)
        elif cell:
            assert cell[10] == "T" and value != ""
END
    while read -r key command; do
        # shellcheck disable=SC2086 # words
        rset-alloc $command --columns all -o csv set.json >rows.csv
        # shellcheck disable=SC2086
        rset-alloc $command --columns all -o json set.json >rows.json
        python3 compare "$key"
    done <<'END'
- nodes
- jobs
groups status --by property
states status --by state
types status --by type
END
    same "$(rset-match -o csv --columns name,free --type node --no-header set.json | head -2 | xargs)" 'cluster0,1 n0,0'
    same "$(rset-alloc status -o csv set.json | wc -l)" 2
    refused "rset-alloc: --map and -o csv exclude each other (try 'rset-alloc status --help')" \
        rset-alloc status --map -o csv set.json
}

@test "status of nodes without units: a row for each type" {
    rset-discover --hosts 'n[1-4]' --cores 0-3 --nodes-per-rack 2 |
        rset-match -o jgf | jq '(.graph.nodes[].metadata |
            select(.basename == "n" and .id < 3)).size = 0' >none.json
    same "$(rset-alloc status /cluster0/rack0 none.json | awk '{ print $1 }' |
        paste -sd ' ')" 'TYPE rack node core'
}

@test "status --by state: a row for each state and reason" {
    rset-discover --hosts 'n[0-9]' --cores 0-3 --nodes-per-rack 5 --memory 8GiB -o jgf |
        rset-alloc allocate 1 -N2 | rset-alloc allocate 2 -n1 -c2 |
        rset-alloc drain 'n[1,8-9]' --reason 'bad fan' | rset-alloc drain n7 |
        rset-alloc down "$(echo /cluster0/rack1/n6/core{0..3} | tr ' ' ,)" |
        rset-alloc down /cluster0/rack0/n4/core0 --reason ecc >set.json
    same "$(rset-alloc status --by state set.json)" 'STATE     NODES  HOSTS   REASON
idle          3  n[3-5]  -
mixed         1  n2      -
full          1  n0      -
drained       1  n7      -
drained       2  n[8-9]  bad fan
draining      1  n1      bad fan
down          1  n6      -
/cluster0/rack0/n4/core0: down: ecc
/cluster0/rack1/n6/core[0-3]: down'
    same "$(rset-alloc status --by state /cluster0/rack1 set.json --columns state,hosts --no-header | sed '$d' | xargs)" \
        'idle n5 drained n7 drained n[8-9] down n6'
    same "$(rset-alloc status --by state -o json set.json | jq -c '.states[-1], .down[0]')" \
        '{"state":"down","nodes":1,"hosts":"n6"}
{"path":"/cluster0/rack0/n1","state":"down","drained":true,"draining":true,"ranks":"1","hosts":"n1","reason":"bad fan"}'
    # the same nodes as in the table of nodes
    same "$(rset-alloc status --by state set.json | awk '$2 ~ /^[0-9]+$/ { print $1, $3 }' |
        while read -r state hosts; do idset -H -e -S '\n' "$hosts" | sed "s/$/ $state/"; done | sort)" \
        "$(rset-alloc nodes --columns host,state --no-header set.json | tr -s ' ' | sort)"
    refused 'rset-alloc: set.json: --by: "stat" is neither a type nor a property; near it: state' \
        rset-alloc status --by stat set.json
}

@test "nodes and status: nothing is free before the start of a set, and after its end" {
    rset-discover --hosts 'n[0-1]' --cores 0-3 --now 1 --at 10 --duration 70 |
        rset-alloc down 1 >timed.json
    for time in 9 10 79 80; do
        rset-alloc nodes --columns state,free_cores --no-header --now $time \
            timed.json | tr -s ' \n' ' ,'
        rset-alloc status --columns full,free_cores --no-header --now $time \
            timed.json | head -n 1
    done >out
    same "$(<out)" 'full 0,down 0,1  0
idle 4,down 0,0  4
idle 4,down 0,0  4
full 0,down 0,1  0'
}

@test "jobs: selected by id, owner, state or node" {
    busy
    jobs() {
        alloc jobs "$@" --columns job --no-header busy.json | paste -sd,
    }
    same "$(jobs)" 7,101,102,103,sim
    same "$(jobs --job 101-102,sim)" 101,102,sim
    same "$(jobs --job sim)" sim
    same "$(jobs --job 0x65,f2)" 101
    same "$(jobs --owner ann)" 101,sim
    same "$(jobs --owner bob,ann --job 100-200)" 101,102
    same "$(jobs --job-state reserved)" 7
    same "$(jobs --job-state allocated,staged --include node2)" 103,sim
    same "$(jobs --requires rack=1)" 101,102
    while IFS='>' read -r options why; do
        # shellcheck disable=SC2086
        run -1 --separate-stderr alloc jobs $options busy.json
        same "$output$stderr" "rset-alloc: busy.json: $why"
    done <<'END'
--job 5>there is no job 5
--job 5,6-8x,9 --owner ann>there is no job 5,6-8x,9
--owner eve>no job passes --owner eve
--job 101 --owner bob>no job passes --owner bob
--owner bob --job-state ended>no job passes --job-state ended
--include 3>no job passes --include
--requires rakc>no target has the property "rakc"; near it: rack
END
    run -0 --separate-stderr jobs --job 100-101,5,sim,sam
    same "$output $stderr" \
        '101,sim rset-alloc: busy.json: there is no job 5,sam'
    refused "rset-alloc: --job-state: no job is \"alocated\"; near it: allocated (try 'rset-alloc jobs --help')" \
        rset-alloc jobs --job-state alocated busy.json
    printf '%s\n' 'jobs --owner ann --columns job,cores --sort -job' \
        'jobs --job 5' 'nodes --requires rakc' >lines
    same "$(alloc batch lines --no-R busy.json)" \
        '{"command":"jobs","status":0,"jobs":[{"job":"sim","cores":1},{"job":101,"cores":4}]}
{"command":"jobs","status":1,"why":"there is no job 5"}
{"command":"nodes","status":1,"why":"no target has the property \"rakc\"; near it: rack"}'
    for command in nodes status 'status --map' timeline; do
        # shellcheck disable=SC2086
        run -1 --separate-stderr alloc $command --requires rakc busy.json
        same "$output$stderr" \
            'rset-alloc: busy.json: no target has the property "rakc"; near it: rack'
    done
    same "$(alloc nodes --requires 'rakc|rack' --columns host --no-header \
        --exclude 1-3 busy.json)" node0
}

@test "jobs: selected by paths, hosts or ranks" {
    busy
    rset-match -o jgf busy.json >graph.json
    rset-alloc load --store s busy.json
    for where in busy.json graph.json '--store=s'; do
        jobs() {
            alloc jobs "$@" --columns job --no-header "$where" | paste -sd,
        }
        same "$(jobs node2)" 103,sim
        same "$(jobs 'node[0,5]')" 7,101
        same "$(jobs 1-2 --owner bob)" 102
        same "$(jobs all) $(jobs /)" '7,101,102,103,sim 7,101,102,103,sim'
        same "$(jobs /cluster0/node2/core1)" sim
        # a job that has all of the node has the core
        same "$(jobs /cluster0/node0/core3,/cluster0/node1/core0)" 101,102
        run -1 --separate-stderr alloc jobs node3 "$where"
        same "$stderr" "rset-alloc: ${where/--store=/}: no job holds anything on node3"
    done
    # in a set without jobs too
    rset-discover --hosts n0 --cores 0 >free.json
    run -1 --separate-stderr alloc jobs n0 free.json
    same "$stderr" 'rset-alloc: free.json: no job holds anything on n0'
    # a number is a job
    same "$(alloc jobs 101 --columns job,hosts --no-header busy.json)" '101  node0'
    run -1 --separate-stderr alloc jobs 1 busy.json
    same "$stderr" 'rset-alloc: busy.json: job 1 holds nothing'
    same "$(alloc jobs --include 1 --columns job --no-header busy.json)" 102
    refused 'rset-alloc: jobs: there is no host sim; one job: --job sim' \
        rset-alloc jobs sim busy.json
    # in a batch a word is a job
    printf '%s\n' 'jobs 103 --columns hosts' \
        'jobs /cluster0/node2/core1 --columns job' >lines
    same "$(alloc batch lines --no-R busy.json)" \
        '{"command":"jobs","job":"103","status":0,"jobs":[{"hosts":"node2"}]}
{"command":"jobs","status":0,"jobs":[{"job":"sim"}]}'
}

@test "jobs --by owner adds up the jobs of each owner" {
    busy
    same "$(alloc jobs --by owner busy.json)" "$(cat <<'END'
OWNER  JOBS  NODES  CORES  GPUS
ann       2      2      5     1
bob       1      1      4     0
-         2      2      5     1
END
)"
    # a node counts once for its owner
    rset-alloc allocate 104 --take /cluster0/node2/core2=1 --owner ann \
        busy.json >more.json
    same "$(alloc jobs --by owner --owner ann -o json more.json)" \
        '[{"owner":"ann","jobs":3,"nodes":2,"cores":6,"gpus":1}]'
    same "$(alloc jobs --by owner node2 --sort cores --columns owner,cores \
        --no-header more.json)" $'-    1\nann  2'
    refused "rset-alloc: --by: \"job\": expected owner (try 'rset-alloc jobs --help')" \
        rset-alloc jobs --by job busy.json
}

@test "nodes --state" {
    busy
    hosts() {
        alloc nodes --state "$1" --columns host --no-header busy.json |
            paste -sd,
    }
    same "$(hosts idle)" node5
    same "$(hosts mixed) $(hosts full)" 'node1,node2 node0'
    same "$(hosts up)" node0,node1,node2,node5
    same "$(hosts drained) $(hosts down)" 'node3 node4'
    same "$(hosts down,drained,idle)" node3,node4,node5
    run -1 --separate-stderr alloc nodes --state failing busy.json
    same "$output$stderr" 'rset-alloc: busy.json: no node is failing'
    refused "rset-alloc: --state: no node is \"idel\"; near it: idle (try 'rset-alloc nodes --help')" \
        rset-alloc nodes --state idel busy.json
}

@test "times and durations beyond any calendar are numbers of seconds" {
    for seconds in 123456789012345 1e+40; do
        rset-discover --hosts n0 --cores 0 |
            rset-alloc allocate 1 -N1 --now 0 --duration 5 |
            sed "s/\"end\":5/\"end\":$seconds/" >far.json
        same "$(rset-alloc jobs --now 0 --columns end,left --no-header far.json |
            tr -s ' ')" "$seconds ${seconds}s"
    done
}

@test "nodes and status at another time" {
    busy
    rset-alloc load --store s busy.json
    for where in busy.json '--store=s'; do
        at() { # TIME HOSTS
            alloc nodes "$2" --at "$1" --columns host,state,jobs,reserved \
                --no-header "$where" | tr -s ' '
        }
        same "$(at now 0,5)" $'node0 full 101 -\nnode5 idle - 7'
        same "$(at 2000 0,5)" $'node0 full 101 -\nnode5 full 7 -'
        same "$(at +1090s 0,5)" $'node0 full 101 -\nnode5 idle - -'
        same "$(at 4600 0,5)" $'node0 idle - -\nnode5 idle - -'
        same "$(alloc status --at 2000 --columns idle,mixed,full,free_cores \
            --no-header "$where" | head -n 1 | tr -s ' ')" '0 2 2 2'
        same "$(alloc status --at 4600 --by type -o json "$where" |
            jq -c '.types[] | select(.type == "node") | [.state, .holders]')" \
            '["idle",[]]
["mixed",[]]
["down",[]]'
        alloc status --at 4600 --map "$where" |
            grep -q 'idle'
    done
    # a job that ended, but was not released, holds on now, and not later
    same "$(RSET_NOW=5000 rset-alloc nodes 0 --columns jobs --no-header \
        busy.json)" 101
    same "$(RSET_NOW=5000 rset-alloc nodes 0 --at 5001 --columns jobs \
        --no-header busy.json)" -
}

@test "a missing file is reported before anything is read" {
    mkfifo never # input that does not end
    for command in nodes jobs status 'status --map' timeline drain 'tag' up; do
        # standard input stays open and empty
        for file in set.json ../busy dir/set data.db; do
            # shellcheck disable=SC2086
            refused "rset-alloc: $file: No such file or directory" \
                timeout 60 rset-alloc $command $file <>never
        done
    done
    busy
    refused 'rset-alloc: nodes: there is no host node9.example.org' \
        rset-alloc nodes node9.example.org <busy.json
    refused 'rset-alloc: nodes: there is no host set.json' \
        rset-alloc nodes set.json busy.json
}

@test "jobs: the contents of a pool that a job holds whole belong to it" {
    racks
    rset-alloc allocate 3 --take /cluster0/rack1=1 racks.json >more.json
    same "$(alloc jobs --columns job,nodes,cores,hosts,other,units more.json)" \
        'JOB  NODES  CORES  HOSTS   OTHER      UNITS
1        0      0  -       license=3  license=3
2        1      2  n0      -          node=1
3        2      4  n[2-3]  rack=1     rack=1'
}

@test "jobs: memory of whole nodes counts like parts of memory" {
    # sockets are only containers, and pus are parts of cores
    rset-discover --synthetic 'pack:2 numa:1(memory=16GiB) core:2 pu:2' -o jgf |
        rset-alloc allocate 1 --take /cluster0/node0/socket0/core0=1 \
            --take /cluster0/node0/socket0/memory0=100 --at 10 --duration 9 --now 0 |
        rset-alloc allocate 2 --take /cluster0/node0/socket0=1 \
            --take /cluster0/node0/socket1/memory1=7 --at 20 --duration 9 --now 0 |
        rset-alloc allocate 3 --take /cluster0/node0=1 --at 30 --duration 9 --now 0 |
        rset-alloc allocate 4 --take /cluster0=1 --at 40 --duration 9 --now 0 >held
    same "$(alloc jobs --columns job,cores,other,units --now 0 held)" \
        'JOB  CORES  OTHER                   UNITS
1        1  memory=100              core=1,memory=100
2        2  socket=1,memory=16391   socket=1,memory=7
3        4  memory=32768            node=1
4        4  cluster=1,memory=32768  cluster=1'
}

@test "-o table: a line a pool" {
    racks
    same "$(rset-match -o table racks.json | sed -n '1,6p;$p')" "$(cat <<'END'
TYPE     NAME      RANK  HOST  ID  SIZE  FREE  STATE  JOBS  PATH
cluster  cluster0     -  -      0     1     1  mixed  1-2   /cluster0
license  license0     -  -      0    10     7  mixed  1     /cluster0/license0
rack     rack0        -  -      0     1     1  mixed  2     /cluster0/rack0
node     n0           0  n0     0     1     0  full   2     /cluster0/rack0/n0
core     core0        0  n0     0     1     0  full   2     /cluster0/rack0/n0/core0
core     core1        3  n3     1     1     1  idle   -     /cluster0/rack1/n3/core1
END
)"
    busy
    for file in busy.json racks.json; do
        same "$(rset-match -o table --no-header --columns path,type $file |
            while read -r path type; do
                rset-match --count "$type" --subtree "$path" $file
            done | grep -cx 0)" 0
    done
    # free at that time
    same "$(RSET_NOW=2000 rset-match --type node -o table busy.json \
        --columns free,jobs,name --no-header --sort name | grep node5)" \
        '0  7              node5'
    cat busy.json busy.json | RSET_NOW=1000 rset-match --find 'type=gpu and not allocated' \
        -o table --columns name,host --no-header >out
    same "$(grep -c gpu out)" 10
}

@test "columns, and errors in their names" {
    busy
    alloc jobs --columns all busy.json | columns 15
    alloc jobs --columns job,job,job busy.json | columns 3
    refused "rset-alloc: --columns: there is no column \"hots\"; near it: hosts (try 'rset-alloc jobs --help')" \
        rset-alloc jobs --columns job,hots busy.json
    refused "rset-alloc: --columns: there is no column \"\"; there are revision, time, user, command, job, what, reason (try 'rset-alloc history --help')" \
        rset-alloc history --columns '' --store s
    refused "rset-alloc: --sort: there is no column \"cores-\"; near it: cores (try 'rset-alloc nodes --help')" \
        rset-alloc nodes --sort cores- busy.json
    refused "rset-alloc: --no-header: JSON has no heading (try 'rset-alloc jobs --help')" \
        rset-alloc jobs --no-header -o json busy.json
    refused "rset-alloc: available does not take --sort (try 'rset-alloc available --help')" \
        rset-alloc available --sort job busy.json
    refused "rset-match: --columns needs -o table (try 'rset-match --help')" \
        rset-match --columns name busy.json
    refused "rset-match: --sort needs -o table or tree (try 'rset-match --help')" \
        rset-match --sort name --count core busy.json
    refused "rset-match: --no-header needs -o table (try 'rset-match --help')" \
        rset-match -o tree --sort name --no-header busy.json
    refused "rset-match: --sort: there is no column \"rank\"; there are name, id, size, free (try 'rset-match --help')" \
        rset-match -o tree --sort rank busy.json
    refused "rset-match: --expand needs -o tree, dot or svg (try 'rset-match --help')" \
        rset-match --expand -o table busy.json
    # nothing is read before the error
    refused "rset-alloc: --columns: there is no column \"x\"; there are type, state, size, allocated, reserved, available, holders (try 'rset-alloc status --help')" \
        rset-alloc status --by type --columns x no-such-file
}

@test "rows are sorted by value, and empty cells come last" {
    busy
    sorted() {
        alloc jobs --sort "$1" --columns job --no-header busy.json | paste -sd,
    }
    same "$(sorted cores)" 103,sim,7,101,102
    same "$(sorted -cores)" 7,101,102,103,sim
    same "$(sorted end)" 7,101,102,103,sim
    same "$(sorted -left)" 101,7,102,103,sim
    same "$(sorted owner)" 101,sim,102,7,103
    rset-discover --hosts 'n[1,10,2]' | rset-alloc nodes --sort host \
        --columns host --no-header >out
    same "$(paste -sd, out)" n1,n2,n10
}

# --- cells --------------------------------------------------------------------

@test "a cell is a word of its line, whatever its text" {
    jq -nc '"a b\t\n\u001b[31m\u202e\u00e9" as $evil | {version: 1, execution: {
        R_lite: [{rank: "0", children: {core: "0-1"}}], nodelist: ["h0"],
        properties: {($evil): "0"}}}' |
        rset-alloc allocate $'a b\n\e[31m' --owner ' ' -n1 |
        rset-alloc drain 0 --reason $'the  fan\nof\e h0' >evil.json
    rset-alloc jobs evil.json | columns 11
    rset-alloc nodes --columns reason,host,jobs,properties evil.json | columns 4
    rset-match -o table evil.json | columns 10
    rset-alloc status --by property evil.json | head -n 2 | columns 10
    same "$(rset-alloc jobs --columns job,owner --no-header evil.json)" \
        'a\x20b\x0a\x1b[31m  \x20'
    # a reason at the end of a line keeps its blanks
    same "$(rset-alloc nodes --columns host,reason --no-header evil.json)" \
        'h0  the  fan\x0aof\x1b h0'
    for command in 'jobs' 'nodes' 'status --by property'; do
        # shellcheck disable=SC2086
        rset-alloc $command evil.json >out
        same "$(LC_ALL=C tr -d '\n\040-\176\303\251' <out | wc -c)" 0
    done
    same "$(rset-alloc jobs -o json evil.json | jq -c '.[0] | [.job, .owner]')" \
        '["a b\n\u001b[31m"," "]'
}

@test "times are local in tables and seconds in JSON" {
    busy
    times() {
        RSET_NOW=1000 rset-alloc jobs --job 101 --no-header \
            --columns start,end,left busy.json
    }
    same "$(TZ=UTC times)" '1970-01-01T00:16:40  1970-01-01T01:16:40  01:00:00'
    same "$(TZ=EST5 times)" '1969-12-31T19:16:40  1969-12-31T20:16:40  01:00:00'
    same "$(TZ=EST5 rset-alloc jobs --job 101 --columns start,end,left \
        --now 1000.25 -o json busy.json)" \
        '[{"start":1000,"end":4600,"left":3599.75}]'
    same "$(rset-alloc jobs --now 4600 --job 101 --columns state,left --no-header \
        busy.json)" 'ended  00:00:00'
    same "$(rset-discover --hosts a | rset-alloc allocate 1 -N1 --now 0 \
        --expiration 199999999999 | rset-alloc jobs --now 0 --no-header \
        --columns end,left)" '8307-10-01T15:33:19  2314814-19:33:19'
    rset-discover --hosts a | rset-alloc allocate 1 -N1 --now 0 \
        --duration 2-03:04:05 >long.json
    same "$(rset-alloc jobs --now 0 --columns left --no-header long.json)" \
        2-03:04:05
}

@test "a line fits into a terminal, and is never cut in a pipe" {
    needs pty
    rset-discover --hosts 'a1,b3,c5,d7,e9,f11,g13,h15,i17,j19,k21,l23,m25' |
        rset-alloc allocate 1 -N13 >wide.json
    at() {
        script -qec "stty cols 200; COLUMNS=$1 rset-alloc jobs --columns \
            job,hosts,state,cores,gpus wide.json" /dev/null | tr -d '\r'
    }
    same "$(at 40)" 'JOB  HOSTS            STATE      CORES +
1    a1,b3,c5,d7,e9+  allocated     13'
    for columns in 20 40 60 80; do
        same "$(at $columns | awk -v n=$columns 'length > n')" ''
    done
    [[ $(at 60) == *,+\ * ]] || [[ $(at 60) == *[a-z0-9]+\ * ]]
    same "$(at 200 | tail -n 1 | tr -s ' ' | cut -d' ' -f2)" \
        a1,b3,c5,d7,e9,f11,g13,h15,i17,j19,k21,l23,m25
    COLUMNS=20 rset-alloc jobs wide.json | grep -q k21
}

# --- the rest -----------------------------------------------------------------

@test "a list of jobs is its first eight names or ranges, and a count" {
    local i
    rset-discover --hosts 'n[0-3]' --cores 0-9 >set.json
    for i in {1..40}; do
        [ $((i % 4)) = 0 ] || echo "allocate $i -n1"
    done | rset-alloc batch - --no-R --save many.json set.json >/dev/null
    same "$(rset-match -o table many.json | awk 'NR == 2 { print $9 }')" \
        1-3,5-7,9-11,13-15,17-19,21-23,25-27,29-31,+6
    same "$(rset-alloc nodes many.json --columns jobs --no-header | head -n 1)" \
        1-3,5-7,9-11,13
    same "$(rset-alloc status --by type -o json many.json |
        jq '[.types[].holders | length] | max')" 30
    for i in {1..9}; do
        echo "allocate j$i -n1"
    done | rset-alloc batch - --no-R --save names.json many.json >/dev/null
    same "$(rset-match -o table names.json | awk 'NR == 2 { print $9 }')" \
        1-3,5-7,9-11,13-15,17-19,21-23,25-27,29-31,+15
    same "$(rset-alloc nodes names.json --columns jobs | tail -n 1)" \
        j1,j2,j3,j4,j5,j6,j7,j8,+1
}

@test "one wide cell does not widen all lines" {
    local wide
    wide=$(printf 'x%.0s' {1..9999})
    rset-discover --hosts 'n[0-99]' --cores 0 |
        rset-alloc drain 1 --reason "$wide" >wide.json
    rset-alloc nodes --columns reason,host wide.json >table
    [ "$(wc -c <table)" -lt 40000 ]
    grep -qx "$wide  n1" table
}

@test "an empty set has a heading; a failed write is reported" {
    rset-discover --hosts a | rset-diff --subtract - <(rset-discover --hosts a) \
        >empty.json
    for command in jobs nodes status 'status --by property'; do
        # shellcheck disable=SC2086
        rset-alloc $command empty.json >out
        [[ $command = status ]] || same "$(wc -l <out)" 1
        # shellcheck disable=SC2086
        rset-alloc $command -o json empty.json | jq -e . >/dev/null
    done
    same "$(rset-alloc status --columns group,nodes,cores empty.json | tail -n 1)" \
        'all        0      0'
    busy
    for command in 'rset-alloc nodes' 'rset-alloc jobs' 'rset-alloc status' \
        'rset-match -o table'; do
        run -2 bash -c "$command busy.json >/dev/full"
        [[ $output == *': standard output: No space left on device' ]]
    done
}

@test "ten thousand nodes have as many lines, and one of them is found" {
    rset-discover --hosts 'n[0-9999]' --cores 0-3 |
        rset-alloc allocate 1 -n1 --include 5000 >many.json
    same "$(rset-alloc nodes many.json | wc -l)" 10001
    same "$(rset-alloc nodes --sort free_cores --columns host,state --no-header \
        many.json | head -n 1)" 'n5000  mixed'
    same "$(rset-alloc status --columns nodes,idle --no-header many.json)" \
        '10000  9999'
    same "$(rset-match --type node -o table --no-header many.json | wc -l)" 20001
}

@test "status: an empty set has a line, too" {
    same "$(alloc status --columns group,nodes --no-header \
        <<<'{"graph":{"nodes":[],"edges":[]}}')" 'all  0'
}

@test "nodes: memory, where the set has any and the terminal is wide" {
    rset-discover --hosts 'n[0-1]' --cores 0-3 --memory 8GiB |
        rset-alloc allocate 1 -n1 --now 1 >m.json
    same "$(rset-alloc nodes --columns host,memory,free_memory m.json | tr -s ' ')" \
        'HOST MEMORY FREE_MEMORY
n0 8192 8192
n1 8192 8192'
    same "$(rset-alloc nodes -o json m.json | jq -c '.[0] | [.memory, .free_memory]')" '[8192,8192]'
    same "$(rset-alloc nodes m.json | head -1 | grep -c MEMORY)" 0
    rset-discover --hosts n0 --cores 0 | rset-alloc nodes -o json | jq -e '.[0] | has("memory") | not'
}
