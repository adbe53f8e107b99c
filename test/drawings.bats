#!/usr/bin/env bats
# Pools as pictures: folded and expanded trees, graphs for graphviz, drawings,
# and hierarchies other than containment.

load common

# busy: print four nodes, some of them held, reserved or drained, and a GPU that
# is down.
busy() {
    rset-discover --hosts 'node[0-3]' --cores 0-3 --gpus 0-1 \
        --sockets-per-node 2 -o jgf |
        rset-alloc allocate 101 -N1 |
        rset-alloc allocate 102 -n1 -c2 |
        rset-alloc allocate 103 --now 1000 --at 2000 --duration 100 -N1 |
        rset-alloc drain node3 --reason 'a "bad" <disk>' --now 1000 |
        rset-alloc state /cluster0/node2/socket1/gpu1 down
}

# powered: print a graph in which a panel supplies a node through two PDUs.
powered() {
    jq -nc '
        def vertex(id; type): {id: id, metadata: {type: type, id: 0}};
        def edge(from; to): {source: from, target: to};
        def power: .metadata = {subsystem: "power"};
        {graph: {nodes: [vertex("c"; "cluster"), vertex("o"; "core"),
                (vertex("n"; "node") | .metadata.rank = 0),
                vertex("p"; "panel"), vertex("u"; "pdu"),
                (vertex("v"; "pdu") | .metadata.id = 1)],
            edges: [edge("c"; "n"), edge("n"; "o"),
                (edge("p"; "u"), edge("p"; "v"), edge("u"; "n"),
                    edge("v"; "n") | power)]}}'
}

# wide N: print an R of three equal nodes with N types in each.
wide() {
    jq -nc --argjson n "$1" '{version: 1, execution: {nodelist: ["n[0-2]"],
        R_lite: [{rank: "0-2", children: ((["core"] + [range(10; $n + 9) | "t\(.)"]) |
            map({key: ., value: "0-1"}) | from_entries)}]}}'
}

# --- trees ------------------------------------------------------------------

@test "a tree sums up the contents of equal pools, if it has more than 40 lines" {
    wide 40 >40.json
    wide 41 >41.json
    run -0 rset-match -o tree 40.json
    [ ${#lines[@]} = 42 ]
    run -0 rset-match -o tree 41.json
    [ ${#lines[@]} = 2 ]
    same "${lines[0]}" cluster0
    same "${lines[1]}" "  n[0-2]: 2 core$(printf ', 2 t%d' {10..49})  rank[0-2]"
    run -0 rset-match --include 1 -o tree 41.json # a single pool is shown in full
    [ ${#lines[@]} = 43 ]
}

@test "a sum counts the units that are not up" {
    wide 41 | rset-alloc state /cluster0/n0/core1 down |
        rset-alloc state /cluster0/n1/core1 down |
        rset-alloc state /cluster0/n2/core1 down >down.json
    run -0 rset-match -o tree down.json
    same "${lines[1]%%, 2 t*}" '  n[0-2]: 2 core (1 not up)'
}

@test "racks that differ in the names of their nodes are summed up" {
    rset-discover --hosts 'n[0-95]' --cores 0-3 --nodes-per-rack 4 -o jgf >racks.json
    same "$(rset-match -o tree racks.json)" 'cluster0
  rack[0-23]: 4 node, 16 core'
    same "$(rset-match -o dot racks.json | grep -c label)" 2
    # with 13 racks, 38 lines would follow the first
    same "$(rset-match --include 0-51 -o tree racks.json | wc -l)" 40
    rset-alloc drain 9,14 racks.json | rset-alloc allocate 1 --include 0-3 -N4 >used.json
    same "$(rset-match -o tree used.json)" 'cluster0  shared by 1
  rack0  shared by 1
    n[0-3]  rank[0-3]  held by 1
      core[0-3]
  rack[1,4-23]: 4 node, 16 core
  rack2
    n[8,10-11]  rank[8,10-11]
      core[0-3]
    n9  rank9  drained
      core[0-3]
  rack3
    n[12-13,15]  rank[12-13,15]
      core[0-3]
    n14  rank14  drained
      core[0-3]'
    rset-alloc drain 1,6,10,14,18,22,26,30,34,38 racks.json >down.json
    same "$(rset-match --include 0-39 -o tree down.json)" 'cluster0
  rack[0-9]: 4 node (1 not up), 16 core'
}

@test "nodes with a rank and without one are not folded together" {
    for n in 2 60; do
        jq -nc --argjson n $n '
            def vertex(id; type; n): {id: id, metadata: {type: type, id: n}};
            {graph: {nodes: [vertex("c"; "cluster"; 0), (range($n) |
                    (vertex("n\(.)"; "node"; .) | if .metadata.id % 2 == 0 then
                        .metadata.rank = .metadata.id else . end),
                    vertex("o\(.)"; "core"; .))],
                edges: [range($n) | {source: "c", target: "n\(.)"},
                    {source: "n\(.)", target: "o\(.)"}]}}' >$n.json
    done
    same "$(rset-match -o tree 2.json)" 'cluster0
  node1
    core1
  node0  rank0
    core0'
    same "$(rset-match -o tree 60.json | sed -E 's/(,[0-9]+)+//g')" 'cluster0
  node[1]: 1 core
  node[0]: 1 core  rank[0]'
}

@test "reserved resources are held when the time has come" {
    busy >busy.json
    for now in 1999 2000; do
        RSET_NOW=$now rset-match -o tree busy.json | grep -o 'node2 .*'
        rset-alloc nodes --now $now --columns host,jobs,reserved busy.json | grep node2
        RSET_NOW=$now rset-match -o svg busy.json | grep -o 'node2, .* 103<'
        rset-alloc timeline --now $now -o svg busy.json | grep -o 'job 103: .*ed from'
    done >out
    same "$(<out)" 'node2  rank2  reserved for 103
node2  -     103
node2, rank 2; 4 of 4 core free, 1 of 2 gpu free; reserved for 103<
job 103: node2, reserved from
node2  rank2  held by 103
node2  103   -
node2, rank 2; 0 of 4 core free, 0 of 2 gpu free; held by 103<
job 103: node2, allocated from'
}

# What --sort of a tree says of nodes, the table of nodes says, too.
@test "--sort sets the order in which a tree visits what lies in a resource" {
    hosts() { # the nodes of a tree, in its order
        rset-match -o tree --expand --sort "$1" used.json |
            awk '/ rank/ { print $1 }'
    }
    seed=$(date +%s)
    echo "seed $seed"
    RANDOM=$seed
    rset-discover --hosts 'n12,n3,n[20-25],n1' --cores 0-7 --gpus 0-1 >used.json
    rset-alloc --in-place allocate whole -N2 -x used.json
    for job in {1..12}; do
        rset-alloc allocate "$job" --include $((RANDOM % 9)) -n1 \
            -c$((1 + RANDOM % 4)) used.json >next || continue
        mv next used.json
    done
    rset-alloc --in-place down n22 used.json
    for sign in '' -; do
        same "$(hosts ${sign}free)" "$(rset-alloc nodes --no-header \
            --sort ${sign}free_cores --columns host used.json)"
        same "$(hosts ${sign}name)" "$(rset-alloc nodes --no-header \
            --sort ${sign}host --columns host used.json)"
        same "$(hosts ${sign}id)" "$(rset-alloc nodes --no-header \
            --sort ${sign}rank --columns host used.json)"
    done
    rset-discover --hosts a --cores 0 --memory 24GiB >sizes.json
    same "$(rset-match -o tree --sort -size sizes.json | awk '{ print $1 }' |
        paste -sd' ')" 'cluster0 a memory0 core0'
    same "$(rset-match -o tree --sort size sizes.json | awk '{ print $1 }' |
        paste -sd' ')" 'cluster0 a core0 memory0'
    rset-discover --hosts n0 --synthetic 'pack:1 core:1 pu:2' --hosts n1 \
        --synthetic 'pack:1 core:4 pu:2' -o jgf >used.json # cores have contents
    same "$(hosts -free)" 'n1
n0'
}

@test "--expand prints a line a pool" {
    busy >busy.json
    RSET_NOW=1500 run -0 rset-match --include 1-2 --expand -o tree busy.json
    same "$output" 'cluster0  shared by 102,103
  node1  rank1  shared by 102
    socket0  shared by 102
      core0  held by 102
      core1  held by 102
      gpu0
    socket1
      core2
      core3
      gpu1
  node2  rank2  reserved for 103
    socket0
      core0
      core1
      gpu0
    socket1
      core2
      core3
      gpu1  down'
    wide 2 >r.json
    run -0 rset-match --expand -o tree r.json
    same "$output" 'cluster0
  n0  rank0
    core0
    core1
    t100
    t101
  n1  rank1
    core0
    core1
    t100
    t101
  n2  rank2
    core0
    core1
    t100
    t101'
    run -0 rset-discover --hosts 'a,b' -o tree --expand
    same "$output" 'cluster0
  a  rank0
    core0
  b  rank1
    core0'
}

@test "more than eight jobs that share a pool are folded" {
    rset-discover --hosts n0 --cores 0-11 >r.json
    for job in 1 2 3 4 5 6 8; do
        rset-alloc allocate --in-place $job -n1 r.json
    done
    rset-alloc allocate --in-place a -n1 r.json
    run -0 rset-match -o tree r.json
    same "${lines[0]}" 'cluster0  shared by 1,2,3,4,5,6,8,a'
    rset-alloc allocate --in-place 9 -n1 r.json
    run -0 rset-match -o tree r.json
    same "${lines[0]}" 'cluster0  shared by 1-6,8-9,a'
}

# --- hierarchies ------------------------------------------------------------

@test "--subsystem shows another hierarchy than containment" {
    powered >power.json
    run -0 rset-match --subsystem power -o tree power.json
    same "$output" 'panel0
  pdu[0-1]
    node0  rank0'
    run -0 rset-match --subsystem containment -o tree power.json
    same "$output" 'cluster0
  node0  rank0
    core0'
    run -0 rset-match --subsystem power -o dot --expand power.json
    same "$(grep -c -- '->' <<<"$output")" 4
}

@test "each hierarchy shows all records" {
    powered | rset-alloc allocate 7 -N1 | rset-alloc down /cluster0/node0 |
        rset-match --subsystem power --expand -o tree >out
    same "$(cat out)" 'panel0  shared by 7
  pdu0  shared by 7
    node0  rank0  down  held by 7
  pdu1  shared by 7
    node0  rank0  down  held by 7'
}

@test "a subsystem that does not exist, and a form without subsystems" {
    powered >power.json
    refused 'rset-match: power.json: the set has no subsystem "powr"; near it: power' \
        rset-match --subsystem powr -o tree power.json
    for option in '--subsystem power' --expand; do
        # shellcheck disable=SC2086 # an option and its value
        run -2 --separate-stderr rset-match $option power.json
        [[ $stderr == "rset-match: ${option% *} needs -o tree"* ]]
    done
}

@test "a hierarchy deeper than 200 pools is refused" {
    jq -nc '{graph: {nodes: ([{id: "c", metadata: {type: "cluster", id: 0}}] +
        [range(202) | {id: "\(.)", metadata: {type: "pdu", id: .}}]),
        edges: ([range(202) | {source: "c", target: "\(.)"}] +
            [range(201) | {source: "\(.)", target: "\(. + 1)",
                metadata: {subsystem: "power"}}])}}' >deep.json
    refused 'rset-match: deep.json: subsystem "power" is more than 200 pools deep' \
        rset-match --subsystem power -o tree deep.json
}

# --- graphs for graphviz ----------------------------------------------------

@test "-o dot has a box for each line of the tree" {
    busy >busy.json
    rset-match -o dot busy.json >out
    same "$(grep -c label= out)" "$(rset-match -o tree busy.json | wc -l)"
    same "$(grep -c -- '->' out)" $(($(grep -c label= out) - 1))
    grep -qF 'n2 [label="node0\nrank0\nheld by 101"' out
    rset-match -o dot busy.json | cmp - out
}

@test "-o dot joins nodes of equal contents when there are too many boxes" {
    rset-discover --hosts 'n[0-299]' --cores 0-7 --gpus 0 >many.json
    for job in {1..150}; do
        echo "allocate $job -n2 -c$((job % 5 + 1))"
    done >commands
    rset-alloc batch --save busy.json commands many.json >answers
    rset-alloc --in-place drain n299 --reason fan busy.json
    rset-match -o dot busy.json >out
    same "$(sed -nE 's/.*label="(n\[[^"]*)".*fillcolor="([^"]*)".*/\1 \2/p' out)" \
        'n[0-299]\nrank[0-299]\n8 core, 1 gpu #dddddd'
    [ "$(rset-match -o dot --expand busy.json | grep -c label)" -eq 3001 ]
    # what was joined before shows sums of its contents, not those of the first
    {
        for i in {0..99}; do
            echo "{\"rank\":\"$i\",\"children\":{\"core\":\"0-$((i + 2))\"}}"
        done
        for i in {100..149}; do
            echo "{\"rank\":\"$i\",\"children\":{\"core\":\"0,$((i + 1))\"}}"
        done
    } | jq -cs '{version: 1, execution: {R_lite: ., nodelist: ["n[0-149]"]}}' >mix.json
    rset-match -o dot mix.json | grep -F '"n[100-149]\nrank[100-149]\n2 core"'
    # few nodes, and nodes of another kind, are not joined
    rset-match --include 0-4 -o dot busy.json | grep 'nheld by 1"'
    rset-discover --hosts fat --ranks 300 --cores 0-15 | rset-diff --union busy.json - |
        rset-match -o dot | grep -q 'label="fat\\nrank300"'
}

@test "graphviz reads -o dot" {
    needs dot
    busy | rset-alloc tag node1 $'a"&lt;\\n\e' | rset-match -o dot >out
    dot -Tsvg out >svg
    grep -q 'a&quot;&amp;lt;\\\\n\\x1b' svg
}

# --- drawings ---------------------------------------------------------------

# titles: print the titles of a drawing.
titles() {
    sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' "$@"
}

@test "-o svg draws each pool once, with a title that describes its state" {
    busy >busy.json
    rset-match --now 1000 -o svg busy.json >out
    # one title is that of the drawing
    same "$(titles out | wc -l)" $(($(rset-match -o jgf busy.json |
        jq '.graph.nodes | length') + 1))
    same "$(titles out | sort | uniq -d)" ''
    same "$(titles out | grep 'node0\|node1/socket0\|node2')" \
        'node0, rank 0; 0 of 4 core free, 0 of 2 gpu free; held by 101
node0/socket0; 0 of 2 core free, 0 of 1 gpu free; held by 101
node0/socket0/core0; held by 101
node0/socket0/core1; held by 101
node0/socket0/gpu0; held by 101
node0/socket1; 0 of 2 core free, 0 of 1 gpu free; held by 101
node0/socket1/core2; held by 101
node0/socket1/core3; held by 101
node0/socket1/gpu1; held by 101
node1/socket0; 0 of 2 core free, 1 of 1 gpu free; shared by 102
node1/socket0/core0; held by 102
node1/socket0/core1; held by 102
node1/socket0/gpu0
node2, rank 2; 4 of 4 core free, 1 of 2 gpu free; reserved for 103
node2/socket0; 2 of 2 core free, 1 of 1 gpu free; reserved for 103
node2/socket0/core0; reserved for 103
node2/socket0/core1; reserved for 103
node2/socket0/gpu0; reserved for 103
node2/socket1; 2 of 2 core free, 0 of 1 gpu free; reserved for 103
node2/socket1/core2; reserved for 103
node2/socket1/core3; reserved for 103
node2/socket1/gpu1; down; reserved for 103'
    titles out | grep -qxF 'node3, rank 3; 0 of 4 core free, 0 of 2 gpu free; drained: a &quot;bad&quot; &lt;disk&gt;'
    # the free cores in the titles are the available ones
    same "$(titles out | awk '/, rank / { n += $4 } END { print n }')" \
        "$(rset-match --now 1000 --aggregate busy.json | sed -n 's/core .* //p')"
    rset-match --now 2050 -o svg busy.json | titles |
        grep -qxF 'node2, rank 2; 0 of 4 core free, 0 of 2 gpu free; held by 103'
}

@test "equal pools are drawn equally, and by type where there are no jobs" {
    rset-discover --synthetic 'pack:2 numa:2(memory=64GiB) l3:2(size=32MiB) core:8 pu:2' \
        -o svg >out
    # the frames of sockets, groups and cores: one size for each type
    for type in socket group core pu memory; do
        same "$(grep -A1 "/${type}[0-9]*[;,<]" out |
            sed -nE 's/^<rect .*(width="[^"]*" height="[^"]*").*/\1/p' |
            sort -u | wc -l)" 1
    done
    same "$(sed -nE 's/^<text .*fill="#222">(.*)<\/text>/\1/p' out |
        paste -sd,)" idle,memory,pu
    rset-discover --hosts n --cores 0-1 | rset-alloc allocate 1 -n1 |
        rset-match -o svg | run -1 grep -F '>core</text>'
}

@test "a head says that a node is drained and who uses it, however narrow" {
    rset-discover --hosts 'n[0-2]' --cores 0-7 | rset-alloc allocate 1 -n3 -c8 |
        rset-alloc drain 1 --reason fan >drained.json
    rset-match -o svg drained.json | grep -F '>n1 draining, job 1</text>'
    rset-discover --hosts 'n[0-2]' --cores 0-1 | rset-alloc allocate 1 -n1 |
        rset-alloc allocate 2 -n1 | rset-alloc drain 0 --reason "$(printf 'fan %.0s' {1..50})" |
        rset-match -o svg | grep -F '>n0 draining, 2 jobs</text>'
}

@test "the last label of a timeline lies in the drawing" {
    export TZ=UTC
    rset-discover --hosts n --cores 0-1 |
        rset-alloc allocate 1 -N1 --now 0 --duration 3600 |
        rset-alloc timeline --now 0 -o svg >out
    width=$(sed -nE '1s/.* width="([0-9]+)".*/\1/p' out)
    same "$width" 1214
    sed -nE 's/.* x="([0-9.]+)".* text-anchor="middle".*>([^<]*)<.*/\1 \2/p' out |
        awk -v width="$width" '{
            n++; cut += $1 + length($2) * 7.2 / 2 > width
        } END { exit n < 5 || cut }'
}

@test "-o svg draws the same each time, from a store and in every locale" {
    busy >busy.json
    rset-match --now 1000 -o svg busy.json >out
    rset-match --now 1000 -o svg busy.json | cmp - out
    LC_ALL=de_DE.UTF-8 rset-match --now 1000 -o svg busy.json | cmp - out
    rset-alloc load --store state.db busy.json
    rset-match --now 1000 -o svg --store state.db | cmp - out
    rset-match --now 1000 -o r busy.json >r.json
    rset-match --now 1000 -o svg r.json | titles >of_r
    same "$(grep -c core of_r)" 21 # 16 cores and 5 with cores in them
}

@test "-o svg is valid XML, whatever the names" {
    needs python3
    busy | rset-alloc tag node1 $'a"&lt;\n\e' |
        rset-alloc allocate $'<&"\e\xe2\x80\xae' -n1 |
        rset-alloc drain node1 --reason $'<b>\x01' >names.json
    rset-match -o svg names.json | python3 -c 'if True:
        import sys, xml.etree.ElementTree as tree
        root = tree.fromstring(sys.stdin.buffer.read())
        assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
        text = " ".join(root.itertext())
        assert "<&\"\\x1b\\u202e" in text, text
        assert "<b>\\x01" in text, text'
}

@test "many nodes are drawn as cells, with the shares of jobs" {
    rset-discover --hosts 'node[0-299]' --cores 0-31 -o jgf |
        rset-alloc allocate 1 -n1 -c8 | rset-alloc allocate 2 -n1 -c16 |
        rset-match -o svg >out
    same "$(titles out | wc -l)" 302
    [ "$(grep -c '<text[^>]*>node' out)" = 300 ]
    # in node0 a quarter belongs to job 1 and half to job 2
    width=$(grep -A1 '<title>node0,' out | sed -n 's/.* width="\([0-9.]*\).*/\1/p')
    grep -A5 '<title>node0,' out | sed -n 's/.* width="\([0-9.]*\).*/\1/p' |
        jq -s -e --argjson w "$width" '.[1:3] == [$w / 4, $w / 2]'
}

@test "a part of a cell that is not up has a title and a mark" {
    rset-discover --hosts 'node[0-299]' --cores 0-31 --gpus 0-7 -o jgf |
        rset-alloc state node1 failing >all.json
    for gpu in {0..5}; do
        rset-alloc state --in-place "/cluster0/node7/gpu$gpu" down all.json
    done
    rset-match -o svg all.json >out
    titles out | grep -qxF 'node1, rank 1; 0 of 32 core free, 0 of 8 gpu free; failing'
    titles out | grep -qxF 'node7, rank 7; 32 of 32 core free, 2 of 8 gpu free; gpu0 down; gpu1 down; gpu2 down; gpu3 down; 2 more not up'
    same "$(grep -A4 '<title>node7,' out | grep -c '<rect')" 3
    same "$(sed -n 's/^<text.*>\([a-z ]*\)<\/text>$/\1/p' out | tail -4)" \
        'idle
down
failing
a node shows the share that each job holds'
}

@test "the legend lists the jobs that hold something now" {
    busy | rset-match --now 1000 -o svg >out
    same "$(sed -n 's/.*>\(job .*\)<.*/\1/p' out)" $'job 101\njob 102'
}

@test "jobs of one colour are not near each other" {
    rset-discover --hosts 'node[0-103]' --cores 0 >r.json
    for job in {1..52}; do
        echo "allocate $job -n1"
        echo "allocate $((job + 52)) -n1"
    done | rset-alloc batch - --save all.json r.json >answers
    # near: count the looks, and those that come again within seven nodes.
    near() {
        awk '{ n += !seen[$1]; bad += seen[$1] && NR - seen[$1] < 7
            seen[$1] = NR } END { for (look in seen) looks++; print looks, bad + 0 }'
    }
    rset-match -o svg all.json >out
    same "$(sed -n '/<title>node[0-9]*\/core0/{n;s/.*fill="\([^"]*\)".*/\1/p}' out |
        near)" '21 0'
    same "$(grep -c '>104 jobs<' out)" 1
    COLUMNS=900 rset-alloc status --map all.json >map
    same "$(sed -n '2s/.*] //p' map | tr -d ' ' | fold -w 1 | near)" '52 0'
    same "$(sed -n '2s/.*] //p' map | tr -d ' \n' | wc -c)" 104
}

@test "jobs in one node have different colours, with a graph and without" {
    rset-discover --hosts 'n[0-39]' --cores 0-11 >r.json
    rset-match -o jgf r.json >g.json
    for set in r g; do
        for job in {1..240}; do
            echo "allocate $((1000 + job * job * 7919 % 88997)) -n1 -c2"
        done | rset-alloc batch - --no-R --save all.json $set.json >answers
        COLUMNS=24 rset-alloc status --map --by core all.json >map
        # six jobs a node, each with its letter twice
        same "$(sed -n 's/^n[0-9][0-9]*  *//p' map | tr -d ' ' | fold -w 12 |
            sed 's/\(.\)\1/\1 /g' | awk '{ delete seen
                for (i = 1; i <= NF; i++) bad += seen[$i]++ > 0
                n += NF } END { print n, bad + 0 }')" '240 0'
    done
}

@test "ten thousand nodes are drawn in a few megabytes, a million as runs" {
    rset-discover --hosts 'node[0-9999]' --cores 0 \
        --nodes-per-rack 50 >racks.json
    rset-match -o svg racks.json >out
    same "$(titles out | grep -c ', rank ')" 10000
    same "$(grep -c '<text[^>]*>rack' out)" 200
    [ "$(wc -c <out)" -lt 5000000 ]
    rset-discover --hosts 'node[0-999999]' --cores 0-47 |
        rset-alloc allocate 7 -n1 -c8 | rset-match -o svg >out
    same "$(titles out | tail -n +2)" 'cluster0; 47999992 of 48000000 core free; shared by 7
node0, rank 0; 40 of 48 core free; shared by 7
node[1-999999]; 48 of 48 core free'
}

@test "every program that writes sets draws them" {
    busy >busy.json
    rset-discover --hosts 'm[0-1]' -o svg | titles >out
    grep -qxF 'm1, rank 1; 1 of 1 core free' out
    rset-diff --subtract busy.json <(rset-match --include 2-3 busy.json) \
        -o svg | titles >out
    same "$(grep -c ', rank ' out)" 2
    rset-alloc available --now 1000 -o svg busy.json | titles >out
    same "$(grep -c '/core' out)" 6
    rset-alloc allocated 102 -o dot busy.json >out
    grep -qF 'label="core[0-1]' out
    rset-alloc allocate 9 -n1 -o svg busy.json | titles >out
    grep -q '; shared by .*9' out
    refused 'rset-match: -o svg draws one set, there are 2' \
        rset-match -o svg busy.json busy.json
}

@test "-o svg of an empty set, and of pools without names" {
    rset-discover --hosts '' | rset-match -o svg >out
    same "$(titles out | paste -sd,)" cluster0,cluster0
    powered | rset-match --subsystem power -o svg | titles >out
    same "$(cat out)" "panel0
panel0
pdu0
pdu0/node0, rank 0
pdu1
pdu1/node0, rank 0"
}

@test "a browser opens -o svg" {
    needs chromium
    busy | rset-match -o svg >out.svg
    HOME=$PWD timeout 60 chromium --headless --no-sandbox --disable-gpu \
        --dump-dom "file://$PWD/out.svg" >dom 2>err || skip 'it does not run'
    [ -s dom ] || skip 'it does not run'
    [[ $(head -c 4 dom) == '<svg' ]]
    run -1 grep parsererror dom
    same "$(titles dom | wc -l)" "$(titles out.svg | wc -l)"
}

@test "a full disk, and a reader that goes away" {
    busy >busy.json
    for form in tree dot svg; do
        run -2 bash -c "rset-match -o $form busy.json >/dev/full"
        rset-match -o $form busy.json | head -1 >line
        [ -s line ]
    done
}

@test "a legend names jobs that look alike in one line, if few are shown" {
    rset-discover --hosts 'n[0-29]' --cores 0 >set.json
    printf 'allocate %d -N1\n' {1..30} |
        rset-alloc batch - set.json --save busy.json >answers
    rset-alloc timeline n0,n21 -o svg busy.json >alike.svg
    grep -q '>2 jobs: 1, 22<' alike.svg
    rset-alloc timeline n0,n20 -o svg busy.json >apart.svg
    grep -q '>job 1<' apart.svg
    grep -q '>job 21<' apart.svg
}

@test "a timeline says which jobs have ended and hold their resources" {
    rset-discover --hosts n0 --cores 0 |
        rset-alloc allocate 1 -N1 --now 0 --duration 5 >held.json
    rset-alloc timeline --now 9 -o svg held.json >held.svg
    grep -q '>job 1: n0, .*, ended but not released<' held.svg
}

@test "-o dot escapes names" {
    needs jq
    rset-discover --hosts n0 --cores 0 -o jgf |
        jq -c '.graph.nodes[0].metadata.name = "a&<b>"' |
        rset-match -o dot >set.dot 2>err
    grep -q 'label="a&amp;<b>' set.dot
}

@test "the legend of a map leaves out jobs, but no state" {
    rset-discover --hosts 'n[0-79]' --cores 0 >set.json
    for job in {1..70}; do echo "allocate $job -N1"; done >lines
    rset-alloc batch lines --save used.json --no-R set.json >/dev/null
    rset-alloc drain 75-78 used.json | rset-alloc down 79 >all.json
    for width in 40 60 80; do
        COLUMNS=$width rset-alloc status --map all.json >map
        for word in idle drained down '70 jobs'; do
            tail -n 4 map | grep -qF "$word"
        done
    done
}
