#!/usr/bin/env bats
# The meaning of requests to rset-match, rule by rule. Each test draws a small
# graph, requests something, and shows the selection. The rules are those at the
# head of libcommon/schedule/match.h and in rset-request(7).

# shellcheck disable=SC2094,SC2154 # cmp only reads; run sets stderr

load common

setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
}

# graph <<END: write set.json, a graph that is drawn as `-o tree` draws it: a
# line a pool, indented by two blanks below its parent; core[0-3] are four
# pools. After two blanks come the size with its unit, a state, records (held
# by, reserved for or staged for JOB), "exclusive", or "feeds NODE,..." for
# edges of power. The rank of a node is its id. Unindented pools after the first
# are outside of containment.
graph() {
    awk -F '  +' '
    function datum(text, word) {
        split(text, word, " ")
        if (text ~ /^[0-9]/)
            return ",\"size\":" word[1] ",\"unit\":\"" word[2] "\""
        if (text ~ /^(held by|reserved for) /)
            return ",\"" (word[1] == "held" ? "allocations" : "reservations") \
                "\":[{\"job\":" word[3] ",\"size\":" \
                (word[4] ? substr(word[4], 2) + 0 : 1) "}]"
        if (text ~ /^staged for /)
            return ",\"staged\":" word[3]
        if (text == "exclusive")
            return ",\"exclusive\":true"
        return ",\"state\":\"" text "\""
    }
    function vertex(type, id, data, parent) {
        nodes = nodes (n++ ? "," : "") "{\"id\":\"" n \
            "\",\"metadata\":{\"type\":\"" type "\",\"id\":" id \
            (type == "node" ? ",\"rank\":" id : "") data "}}"
        if (parent)
            edges = edges ",{\"source\":\"" parent "\",\"target\":\"" n "\"}"
        named[type id] = n
        return n
    }
    {
        match($0, /^ */)
        depth = RLENGTH / 2
        count = split(substr($0, RLENGTH + 1), part)
        type = name = part[1]
        sub(/\[.*|[0-9]+$/, "", type)
        ids = substr(name, length(type) + 1)
        gsub(/[^0-9]/, " ", ids)
        last = split(ids, id, " ")
        data = feeds = ""
        for (i = 2; i <= count; i++)
            if (sub(/^feeds /, "", part[i]))
                feeds = part[i]
            else
                data = data datum(part[i])
        above[depth] = ""
        parents = depth ? split(above[depth - 1], parent, " ") : 1
        for (p = 1; p <= parents; p++)
            for (i = id[1]; i <= id[last]; i++)
                above[depth] = above[depth] " " \
                    vertex(type, i, data, depth ? parent[p] : 0)
        for (i = split(feeds, to, ","); i > 0; i--)
            edges = edges ",{\"source\":\"" n "\",\"target\":\"" \
                named[to[i]] "\",\"metadata\":{\"subsystem\":\"power\"}}"
    }
    END {
        print "{\"graph\":{\"nodes\":[" nodes "],\"edges\":[" \
            substr(edges, 2) "]}}"
    }' >set.json
}

# selects SHAPE [OPTION...] <<END: compare the selection from set.json, as a
# tree unless there is an -o.
selects() {
    local shape=$1
    shift
    [[ " $* " == *' -o '* ]] || set -- -o tree "$@"
    run -0 --separate-stderr rset-match --shape "$shape" "$@" set.json
    same_as "$output"
}

# answer STATUS SHAPE [OPTION...] [<<END]: compare the reason of a failed
# request.
answer() {
    local status=$1 shape=$2
    shift 2
    run "-$status" --separate-stderr rset-match --shape "$shape" "$@" set.json
    same "$output" ''
    case $status in
    1) same_as "$stderr" 'rset-match: set.json: no match now: ' ;;
    3) same_as "$stderr" 'rset-match: set.json: no match ever: ' ;;
    esac
}

# allocate JOB SHAPE: allocate in set.json.
allocate() {
    rset-alloc allocate "$1" --shape "$2" set.json >next
    mv next set.json
}

# two_nodes: write set.json with two nodes of two sockets, for tests that need
# nothing else.
two_nodes() {
    graph <<'END'
cluster0
  node[0-1]
    gpu0
    socket0
      core[0-1]
    socket1
      core[2-3]
END
}

# jobspec RESOURCES [SYSTEM]: print a jobspec of version 1 in one line.
jobspec() {
    jq -nc --argjson resources "$1" --argjson system "${2-"{}"}" '
    {version: 1, $resources,
     tasks: [{command: ["app"], slot: "a", count: {per_slot: 1}}],
     attributes: {system: ({duration: 0} + $system)}}'
}

# --- the drawings of the page ---------------------------------------------

# drawings PAGE: write the columns of each block with a line of `---` to
# drawing.N.M. The first column is a set, each other one has options and the
# selection.
drawings() {
    awk '
    function columns(i, c, at, next_at, count, from, text) {
        while (next_at = index(substr(line[2], at + 1), "---")) {
            from[++count] = at + next_at
            at += next_at + 2
        }
        from[count + 1] = 1000
        for (i = 1; i <= n; i++)
            for (c = 1; c <= count && i != 2; c++) {
                text = substr(line[i], from[c], from[c + 1] - from[c])
                if (sub(/ *$/, "", text) && text != "")
                    print text > ("drawing." blocks "." c - 1)
            }
    }
    /^\.Bd -literal/ { inside = 1; n = 0; next }
    /^\.Ed/ && n > 1 && line[2] ~ /^---/ { blocks++; columns() }
    /^\.Ed/ { inside = 0 }
    inside { line[++n] = $0 }' "$1"
}

# drawn PAGE N: match each drawn request; there are at least N.
drawn() {
    local n=0
    rm -f drawing.*
    drawings "$TOP/man/$1"
    for drawing in drawing.*.[1-9]; do
        sed 1d "${drawing%.*}.0" | graph
        read -r -a options <"$drawing"
        sed 1d "$drawing" >want
        rset-match "${options[@]}" -o tree set.json 2>err >out || true
        sed 's/  rank[^ ]*//' out >got
        sed -n 's/.*: \(no match [a-z]*\): .*/\1/p' err >>got
        diff want got
        n=$((n + 1))
    done
    [ "$n" -ge "$2" ]
}

@test "rset-request(7): the drawings are the selections" {
    drawn rset-request.7 33
}

@test "rset-match(1): the drawings are the selections" {
    drawn rset-match.1 1
}

# --- where an entry is looked for ----------------------------------------

@test "entries are looked for below the pool of the entry above; levels may be skipped" {
    two_nodes
    selects 'node/slot/core=3' <<'END'
cluster0
  node0  rank0
    socket0
      core[0-1]  exclusive
    socket1
      core2  exclusive
END
    selects 'cluster/node/socket/slot/core' <<'END'
cluster0
  node0  rank0
    socket0
      core0  exclusive
END
    run -3 rset-match --shape 'socket/slot/core=3' set.json
    # a socket is not above its parent
    answer 3 'socket/slot/node' <<'END'
need 1 socket with 1 node: there is none (it needs 1 node, and none is there)
END
}

@test "entries at the top: anything in the whole set, in nodes or not" {
    graph <<'END'
cluster0
  licence0  5
  rack0
    storage0  100 GiB
    node0
      core0
END
    selects slot/licence=2 <<'END'
cluster0
  licence0  2
END
    selects slot/storage=30 <<'END'
cluster0
  rack0
    storage0  30 GiB
END
    selects '[slot{a}/core;slot{b}/[licence=2;storage]]' <<'END'
cluster0
  licence0  2
  rack0
    node0  rank0
      core0  exclusive
    storage0  1 GiB
END
}

# --- slots ----------------------------------------------------------------

@test "pools in a slot belong to the job alone" {
    graph <<'END'
cluster0
  node0
    core[0-1]
END
    allocate 1 slot/core
    selects slot/core <<'END'
cluster0
  node0  rank0
    core1  exclusive
END
    answer 1 slot/core=2 <<'END'
need 1 slot with 2 cores: none available (it needs 2 cores, at most 1 is free in one place; 1 allocated)
END
}

@test "above and outside of slots pools are shared" {
    graph <<'END'
cluster0
  node0
    core[0-1]
END
    allocate 1 node/slot/core
    selects 'node/slot/core' <<'END'
cluster0
  node0  rank0
    core1  exclusive
END
    # a leaf outside has to exist, and is taken from nobody
    allocate 2 core
    allocate 3 core
    same "$(rset-match -o tree set.json | tail -n 1)" \
        '    core1  shared by 2,3'
    same "$(rset-match --aggregate set.json | grep core)" 'core 1 0'
    # but a pool that belongs to one job can't be shared
    answer 1 core=2 <<'END'
need 2 cores: 1 available (1 allocated)
END
}

@test "exclusive overrides this for its entry, in either direction" {
    two_nodes
    allocate 1 slot/core
    selects 'node{x}' <<'END'
cluster0
  node1  rank1  exclusive
    gpu0  exclusive
    socket0  exclusive
      core[0-1]  exclusive
    socket1  exclusive
      core[2-3]  exclusive
END
    selects 'node{x}/slot/core' -o short <<'END'
rank1/core[0-3],gpu0
END
    selects 'slot/node{-x}/core=3' <<'END'
cluster0
  node0  rank0
    socket0
      core1  exclusive
    socket1
      core[2-3]  exclusive
END
    # shared: another job may share it too
    selects 'slot/core=4{-x}' -o short <<'END'
rank1/core[0-3]
END
    allocate 2 'slot/core=4{-x}'
    selects 'slot/core=4{-x}' -o short <<'END'
rank1/core[0-3]
END
}

@test "a slot without a node in it fits within one node" {
    two_nodes
    selects slot=2/core=3 <<'END'
cluster0
  node[0-1]  rank[0-1]
    socket0
      core[0-1]  exclusive
    socket1
      core2  exclusive
END
    answer 3 slot/core=5 <<'END'
need 1 slot with 5 cores: there is none (it needs 5 cores, at most 4 are in one place)
END
    answer 3 'slot/[core;gpu=2]' <<'END'
need 1 slot with 1 core and 2 gpus: there is none (it needs 2 gpus, at most 1 is in one place)
END
}

@test "a slot with a node in it may spread" {
    two_nodes
    selects slot/node=2/core <<'END'
cluster0
  node[0-1]  rank[0-1]  exclusive
    socket0  exclusive
      core0  exclusive
END
    selects 'slot/[node/core;gpu]' <<'END'
cluster0
  node0  rank0  exclusive
    socket0  exclusive
      core0  exclusive
  node1  rank1
    gpu0  exclusive
END
}

@test "a slot of pools outside of nodes needs no node" {
    graph <<'END'
cluster0
  licence0  2
  licence1  2
  node0
    core0
END
    selects slot/licence=3 <<'END'
cluster0
  licence0  2
  licence1
END
    # with cores it lies in a node without licences: request two slots
    answer 3 'slot/[core;licence]' <<'END'
need 1 slot with 1 core and 1 licence: there is none (it needs 1 licence, and none is in a node)
END
    selects '[slot{a}/core;slot{b}/licence]' <<'END'
cluster0
  licence0
  node0  rank0
    core0  exclusive
END
}

@test "--slot-scope parent: each list in a slot from one parent" {
    two_nodes
    selects slot=3/core=2 --slot-scope parent <<'END'
cluster0
  node0  rank0
    socket0
      core[0-1]  exclusive
    socket1
      core[2-3]  exclusive
  node1  rank1
    socket0
      core[0-1]  exclusive
END
    selects slot=2/core=2 --slot-scope node -o short <<'END'
rank0/core[0-3]
END
    # no pool is the parent of three cores, nor of a core and a gpu
    for shape in slot/core=3 'slot/[core;gpu]' slot/node/core; do
        run -3 --separate-stderr rset-match --slot-scope parent \
            --shape "$shape" set.json
        same "$output" ''
    done
    selects 'slot/[socket/core=2;gpu]' --slot-scope parent <<'END'
cluster0
  node0  rank0
    gpu0  exclusive
    socket0  exclusive
      core[0-1]  exclusive
END
}

@test "slots in a slot, each in another of many equal nodes" {
    echo '{"version": 1, "execution": {"R_lite":
        [{"rank": "0-9", "children": {"core": "0-2"}}]}}' >set.json
    selects 'slot=1{a}/slot=4{b}/core=3' --slot-scope parent -o short <<'END'
rank[0-3]/core[0-2]
END
}

@test "slots in slots, each with its contents, times their counts" {
    two_nodes
    selects 'slot=2{a}/[slot=2{b}/core;gpu]' <<'END'
cluster0
  node[0-1]  rank[0-1]
    gpu0  exclusive
    socket0
      core[0-1]  exclusive
END
    answer 3 'slot=3{a}/[slot{b}/core;gpu]' <<'END'
need 3 slots with 1 slot of 1 core and 1 gpu: there are 2
END
    refused 'rset-match: --shape: offset 0: "slot=2/slot{b}/core": each of several slots needs a label' \
        rset-match --shape 'slot=2/slot{b}/core' set.json
}

# --- listed and held -----------------------------------------------------

@test "if the request ends in a slot, everything below is held and listed" {
    two_nodes
    selects slot/socket <<'END'
cluster0
  node0  rank0
    socket0  exclusive
      core[0-1]  exclusive
END
    allocate 1 slot/socket
    selects slot/core <<'END'
cluster0
  node0  rank0
    socket1
      core2  exclusive
END
}

@test "a slot's pool with more below it is held, and all of it is listed" {
    two_nodes
    selects slot/socket/core <<'END'
cluster0
  node0  rank0
    socket0  exclusive
      core0  exclusive
END
    # the other core is not listed, and nobody else can have it
    allocate 1 slot/socket/core
    selects slot/core <<'END'
cluster0
  node0  rank0
    socket1
      core2  exclusive
END
}

@test "resources outside of targets are refused for an R without a graph" {
    said="an R without a graph can't hold the selection: it is on no execution target"
    rset-discover --hosts 'n[0-1]' --cores 0-1 >r.json
    graph <<'END'
cluster0
  licence0  5
  node0
    core0
END
    for options in 'cluster r.json' 'cluster -o r r.json' \
        'slot/licence=2 -o r set.json'; do
        file=${options##* }
        # shellcheck disable=SC2086 # words
        run -2 --separate-stderr rset-match --shape $options
        [ -z "$output" ]
        [ "$stderr" = "rset-match: $file: $said" ]
    done
    echo cluster >requests
    run -2 rset-match --batch requests r.json
    [ "$output" = "{\"status\":2,\"error\":\"$said\"}" ]

    # Other forms can express it, and numbers too.
    [ "$(rset-match --shape cluster -o tree r.json)" = cluster0 ]
    rset-match --shape cluster -o jgf r.json |
        jq -e '.graph.nodes | length == 1'
    [ "$(rset-match --shape cluster --count cluster r.json)" = 1 ]
    run -0 rset-match --shape cluster --feasible r.json
    rset-match --shape slot/licence=2 set.json | jq -e .graph
    [ "$(rset-match --shape cluster/node=2 -o hosts r.json)" = 'n[0-1]' ]
}

@test "an exclusive pool blocks everything below it, and any job below blocks it" {
    two_nodes
    allocate 1 'slot/core{id:"3"}'
    selects slot/socket <<'END'
cluster0
  node0  rank0
    socket0  exclusive
      core[0-1]  exclusive
END
    allocate 2 'node{x,id:"1"}'
    answer 1 slot/node <<'END'
need 1 slot with 1 node: none available (2 allocated)
END
    answer 1 slot=2/gpu <<'END'
need 2 slots with 1 gpu: 1 available (1 allocated)
END
}

@test "no two entries share an exclusive pool" {
    two_nodes
    # socket0 is taken whole: the second entry can't have its cores
    selects 'slot/[socket;core]' <<'END'
cluster0
  node0  rank0
    socket0  exclusive
      core[0-1]  exclusive
    socket1
      core2  exclusive
END
    selects '[node;node{x}]' -o short <<'END'
rank0 rank1/core[0-3],gpu0
END
    answer 3 '[node{x};node{x};node]' <<'END'
each part is available, but not all parts together
END
}

@test "several entries at one level, also of the same type" {
    two_nodes
    selects 'slot/[core;core=2]' <<'END'
cluster0
  node0  rank0
    socket0
      core[0-1]  exclusive
    socket1
      core2  exclusive
END
    # shared and exclusive entries of one type get different cores
    selects '[core;slot/core]' <<'END'
cluster0
  node0  rank0
    socket0
      core0
      core1  exclusive
END
    selects '[gpu=2;slot/core=4]' <<'END'
cluster0
  node0  rank0
    gpu0
    socket0
      core[0-1]  exclusive
    socket1
      core[2-3]  exclusive
  node1  rank1
    gpu0
END
}

@test "an earlier choice is given up if a later entry needs it" {
    graph <<'END'
cluster0
  node0
    core0
    gpu0
  node1
    core0
END
    selects '[slot{a}/core;slot{b}/[core;gpu]]' <<'END'
cluster0
  node0  rank0
    core0  exclusive
    gpu0  exclusive
  node1  rank1
    core0  exclusive
END
}

@test "an exclusive pool of the inventory is taken whole, or not at all" {
    graph <<'END'
cluster0
  node0  exclusive
    core[0-1]
    memory0  8 GB
  node1
    core0
END
    selects slot/core <<'END'
cluster0
  node0  rank0  exclusive
    core0  exclusive
END
    allocate 1 slot/core
    selects slot/core <<'END'
cluster0
  node1  rank1
    core0  exclusive
END
    answer 1 slot/memory <<'END'
need 1 slot with 1 unit of memory: none available (8 allocated)
END
}

# --- units ----------------------------------------------------------------

@test "pools are taken by units, in part and several together" {
    graph <<'END'
cluster0
  node0
    memory0  8 GB
    memory1  8 GB
END
    allocate 1 slot/memory=6
    same "$(rset-match --aggregate set.json | grep memory)" 'memory 10 10'
    selects slot/memory=5 <<'END'
cluster0
  node0  rank0
    memory0  2 GB
    memory1  3 GB
END
    selects slot=2/memory=5 <<'END'
cluster0
  node0  rank0
    memory0  2 GB
    memory1  8 GB
END
    answer 1 slot/memory=11 <<'END'
need 1 slot with 11 units of memory: none available (it needs 11 units of memory, at most 10 are free in one place; 1 allocated)
END
}

@test "--granule pool: whole pools until the amount is covered" {
    graph <<'END'
cluster0
  licence0  5
  node0
    memory0  8 GB
    memory1  8 GB
END
    selects slot/memory=9 --granule pool <<'END'
cluster0
  node0  rank0
    memory[0-1]  8 GB
END
    selects slot/memory=1-9 --granule pool <<'END'
cluster0
  node0  rank0
    memory[0-1]  8 GB
END
    selects slot/licence=2 --granule pool <<'END'
cluster0
  licence0  5
END
    # two amounts never come from one pool
    run -3 rset-match --shape slot=3/memory=5 --granule pool set.json
    # a pool with a job is not whole
    allocate 1 slot/memory
    selects slot/memory --granule pool <<'END'
cluster0
  node0  rank0
    memory1  8 GB
END
}

@test "exclusive on an amount takes whole pools" {
    graph <<'END'
cluster0
  node0
    memory0  8 GB
END
    selects 'slot/memory=3{x}' <<'END'
cluster0
  node0  rank0
    memory0  8 GB
END
}

@test "units of bytes are compared as bytes; enough whole units are taken" {
    graph <<'END'
cluster0
  node0
    memory0  8 GB
    memory1  8 GiB
END
    while read -r amount gives; do
        run -0 rset-match --shape "slot/memory=$amount" -o tree set.json
        same "$(grep -o 'memory.*' <<<"$output" | paste -sd ,)" "$gives"
    done <<'END'
3{unit:GB} memory0  3 GB
512{unit:MiB} memory0  1 GB
1{unit:B} memory0  1 GB
1000{unit:MB} memory0  1 GB
1001{unit:MB} memory0  2 GB
1{unit:GiB} memory0  2 GB
9{unit:GB} memory0  8 GB,memory1  1 GiB
END
    run -3 rset-match --shape 'slot/memory=17{unit:GB}' set.json
}

@test "a unit with SI prefixes is one measure, bytes another" {
    graph <<'END'
cluster0
  node0
    power0  9 kW
    power1  2 MW
    bw0  10 Gbit/s
    memory0  64 GiB
END
    while IFS='~' read -r request gives; do
        run -0 rset-match --shape "slot/$request" -o tree set.json
        same "$(grep -o '[pbm][a-z]*[0-9]  .*' <<<"$output" | paste -sd ,)" "$gives"
    done <<'END'
power=2500{unit:W}~power0  3 kW
power=1000001{unit:mW}~power0  2 kW
power=9001{unit:W}~power0  9 kW,power1  1 MW
power=1{unit:MW}~power0  9 kW,power1  1 MW
bw=1500{unit:"Mbit/s"}~bw0  2 Gbit/s
memory=34359738368{unit:B}~memory0  32 GiB
memory=1-99999999999{unit:B}~memory0  64 GiB
END
    run -3 rset-match --shape 'slot/power=2009001{unit:W}' set.json
    run -3 rset-match --shape 'slot/memory=68719476737{unit:B}' set.json
    for find in 'size>=9000W and size<9001W' 'size=9000000mW' 'size<1MW and type=power' \
        'size>89hW and size<1MW'; do
        run -0 rset-match --find "$find" -o tree set.json
        same "$(grep -c . <<<"$output")" 3
        [[ $output == *power0* ]]
    done
    refused 'rset-match: set.json: bw is requested in "bit/min", but the set has bw in "Gbit/s"' \
        rset-match --shape 'slot/bw=1{unit:"bit/min"}' set.json
    refused 'rset-match: --shape: offset 12: "9223372036854775808": a count is at most 9223372036854775807' \
        rset-match --shape 'slot/memory=9223372036854775808{unit:B}' set.json
    refused 'rset-match: --shape: offset 12: "2147483648": a count is at most 2147483647' \
        rset-match --shape 'slot/memory=2147483648{unit:W}' set.json
}

@test "other units have to be the unit of the pool, or it is an error" {
    graph <<'END'
cluster0
  pdu0  2000 W
  node0
    core0
END
    selects 'slot/pdu=500{unit:W}' <<'END'
cluster0
  pdu0  500 W
END
    refused 'rset-match: set.json: pdu is requested in "kV", but the set has pdu in "W"' \
        rset-match --shape 'slot/pdu=1{unit:kV}' set.json
    refused 'rset-match: set.json: pdu is requested in "GB", but the set has pdu in "W"' \
        rset-match --shape 'slot/pdu=1{unit:GB}' set.json
    refused 'rset-match: set.json: pdu is requested in "", but the set has pdu in "W"' \
        rset-match --shape 'slot/pdu=1{unit:""}' set.json
    refused 'rset-match: set.json: core is requested in "GB", but the set has core without a unit' \
        rset-match --shape 'slot/core=1{unit:GB}' set.json
    # without a unit the pool's unit counts; a pool without a unit has none
    selects slot/pdu=500 <<'END'
cluster0
  pdu0  500 W
END
    selects 'slot/core{unit:""}' -o short <<'END'
rank0/core0
END
    # the amount has to fit into a number of bytes
    graph <<'END'
cluster0
  storage0  20 EB
END
    refused 'rset-match: set.json: storage: 9 EiB are more bytes than can be counted' \
        rset-match --shape 'slot/storage=9{unit:EiB}' set.json
    # a type that does not exist has no wrong unit
    answer 3 'slot/floppy{unit:GB}' <<'END'
need 1 slot with 1 GB of floppy: this set has no floppy
END
}

@test "entries of one type add up: status 3 where no node has the sum" {
    two_nodes
    for above in '' node/; do
        run -0 rset-match --shape "${above}slot/[core=3;core=1]" set.json
        run -3 rset-match --shape "${above}slot/[core=3;core=2]" set.json
    done
}

# --- id -------------------------------------------------------------------

@test "id names the pools to take, by number or by name" {
    two_nodes
    while read -r shape gives; do
        run -0 rset-match --shape "$shape" -o short set.json
        same "$output" "$gives"
    done <<'END'
slot/core{id:"2"} rank0/core2
slot/core=2{id:"1,3"} rank0/core[1,3]
slot=2/core{id:"3"} rank[0-1]/core3
slot/core{id:"core[2-3]"} rank0/core2
slot/node{id:"1"} rank1/core[0-3],gpu0
slot/node{id:"node1"} rank1/core[0-3],gpu0
node{id:"1"}/slot/core rank1/core0
slot/socket{id:"1"} rank0/core[2-3]
END
    run -3 --separate-stderr rset-match --shape 'slot/node{id:"2-7"}' set.json
    [[ $stderr == *'need 1 slot with 1 node (id 2-7): there is none'* ]]
    refused 'rset-match: set.json: id of core: "x[": bracket is not closed at offset 1' \
        rset-match --shape 'slot/core{id:"x["}' set.json
    # held now does not mean never
    allocate 1 'slot/core{id:"0"}'
    selects 'slot/core{id:"0"}' -o short <<'END'
rank1/core0
END
    allocate 2 'slot/core{id:"0"}'
    run -1 rset-match --shape 'slot/core{id:"0"}' set.json
}

@test "in a plain R, ids of nodes are ranks, and names of nodes are hosts" {
    rset-discover --hosts 'fat[7-8],thin1' --cores 0-3 >set.json
    while read -r shape gives; do
        run -0 rset-match --shape "$shape" -o short set.json
        same "$output" "$gives"
    done <<'END'
slot/node{id:"1"} rank1/core[0-3]
slot/node{id:"fat8"} rank1/core[0-3]
slot=2/node{id:"fat8,thin1"} rank[1-2]/core[0-3]
slot/core=2{id:"2-3"} rank0/core[2-3]
slot/core{id:"core3"} rank0/core3
END
}

# --- counts ---------------------------------------------------------------

@test "counts: a number, a set, a range, in a shape and in a jobspec" {
    two_nodes
    while read -r count gives; do
        run -0 rset-match --shape "slot=$count/core" --count core set.json
        same "$output" "$gives"
    done <<'END'
3 3
1-3 3
2-100 8
1,3,9 3
2-9:2 8
1-9:2:* 8
1-9:3:* 3
2-9:2:^ 4
3+ 8
END
    while IFS='|' read -r count gives; do
        jobspec "[{\"type\": \"slot\", \"label\": \"a\", \"count\": $count,
            \"with\": [{\"type\": \"core\", \"count\": 1}]}]" >job
        run -0 rset-match --jobspec job --count core set.json
        same "$output" "$gives"
    done <<'END'
3|3
"1-3"|3
"1,3,9"|3
"3+"|8
{"min": 2}|8
{"min": 2, "max": 5}|5
{"min": 1, "max": 9, "operator": "*", "operand": 3}|3
{"min": 2, "max": 9, "operator": "+", "operand": 4}|6
END
}

@test "counts: the largest that fits, at every level" {
    two_nodes
    selects slot/core=1-3 -o short <<'END'
rank0/core[0-2]
END
    selects slot/core=2+ -o short <<'END'
rank0/core[0-3]
END
    selects 'node=1-9/slot=1+/core=2' -o short <<'END'
rank[0-1]/core[0-3]
END
    # now, in the first place with the least count
    allocate 1 slot/core=3
    selects slot/core=1-3 -o short <<'END'
rank0/core3
END
    selects 'slot/core=2,4' -o short <<'END'
rank1/core[0-3]
END
}

@test "counts: outer before inner, earlier before later" {
    two_nodes
    # two slots with a feasible count each, not one with more
    selects 'slot=1-2/[gpu;core=1-4]' -o short <<'END'
rank[0-1]/core[0-3],gpu0
END
    selects 'slot=1-8/core=1-4' -o short <<'END'
rank[0-1]/core[0-3]
END
    # the first takes all but the least counts of the later ones
    selects '[slot=1-4{a}/core=2;slot=1-2{b}/core]' -o jgf \
        --constraint '{"ranks": ["0"]}' <<<"$(rset-match \
        --shape '[slot{a}/core=2;slot=2{b}/core]' -o jgf set.json)"
}

@test "counts: a failed request reports the least count" {
    two_nodes
    answer 3 slot=9+/core <<'END'
need at least 9 slots with 1 core: there are 8
END
    answer 3 slot=9-12/core <<'END'
need 9-12 slots with 1 core: there are 8
END
    allocate 1 slot/node
    answer 1 slot=5-8/core <<'END'
need 5-8 slots with 1 core: 4 available (4 allocated)
END
}

# --- other subsystems -----------------------------------------------------

@test "pools outside of containment: below a pool that their edges lead to" {
    graph <<'END'
cluster0
  node0
    core[0-1]
  node1
    core0
pdu0  100 W  feeds node0
pdu1  300 W  feeds node0,node1
END
    selects 'node/slot/pdu=50' <<'END'
cluster0
  node0  rank0
pdu0  50 W
END
    selects 'slot/[core;pdu=150]' <<'END'
cluster0
  node0  rank0
    core0  exclusive
pdu0  100 W
pdu1  50 W
END
    selects 'node{id:"1"}/slot/[core;pdu=150]' <<'END'
cluster0
  node1  rank1
    core0  exclusive
pdu1  150 W
END
    # units are taken as in any pool
    allocate 1 'slot/[core;pdu=300]'
    run -1 rset-match --shape 'slot/[core;pdu=150]' set.json
    selects 'slot/[core;pdu=100]' <<'END'
cluster0
  node0  rank0
    core1  exclusive
pdu1  100 W
END
}

@test "pools outside of containment: over several edges" {
    graph <<'END'
cluster0
  node0
    core0
pdu0  100 W  feeds node0
panel0  500 W  feeds pdu0
END
    selects 'slot/[core;panel=10;pdu=10]' <<'END'
cluster0
  node0  rank0
    core0  exclusive
panel0  10 W
  pdu0  10 W
END
}

@test "pools outside of containment: a panel with the nodes that it feeds" {
    graph <<'END'
cluster0
  node0
    core0
pdu0  feeds node0
pdu1
panel0  feeds pdu0,pdu1
END
    selects 'slot/[core;panel]' <<'END'
cluster0
  node0  rank0
    core0  exclusive
panel0  exclusive
  pdu[0-1]  exclusive
END
}

@test "--slot-scope parent: with edges any pool can be the place of a slot" {
    graph <<'END'
cluster0
  node0
    socket0
      gpu0
      core0
    socket1
      gpu1
      core1  feeds gpu0,gpu1
      core2  feeds gpu0,gpu1
    gpu2  feeds core1
  node1
    core3
END
    # but not a pool that another entry has
    selects '[core=1+{x};slot/gpu=2]' --slot-scope parent -o short <<'END'
rank0/core[0-1],gpu[0-1] rank1/core3
END
    selects '[slot{a}/gpu{id:"2"};slot{b}/core{id:"0-1"}]' -o short \
        --slot-scope parent <<'END'
rank0/core0,gpu2
END
    # the pool around it may belong to the request
    selects 'node=2{x}/slot/core{id:"0,3"}' --slot-scope parent -o short <<'END'
rank0/core[0-2],gpu[0-2] rank1/core3
END
}

@test "an exclusive pool with units, beside its contents" {
    graph <<'END'
cluster0
  rack0  4  exclusive
    node0
END
    # in either order
    for shape in '[node;rack=2]' '[rack=2;node]'; do
        selects "$shape" <<'END'
cluster0
  rack0  4  exclusive
    node0  rank0  exclusive
END
    done
}

# --- states and records ---------------------------------------------------

@test "pools that are not up match later, but not now" {
    for state in down degraded failing unknown none; do
        graph <<END
cluster0
  node0  $state
    core0
  node1
    core0  $state
    core1
END
        selects slot/core -o short <<'END'
rank1/core1
END
        answer 1 slot=3/core <<'END'
need 3 slots with 1 core: 1 available (2 down)
END
        # a node with a pool that is not up is not whole
        answer 1 slot/node --explain <<'END'
need 1 slot with 1 node: none available (2 down)
END
        run -3 rset-match -n4 set.json
    done
}

@test "drained, by the state in a plain R" {
    rset-discover --hosts 'n[0-1]' --cores 0-1 |
        jq -c '.attributes.system.scheduler.states =
            [{state: "down", R_lite: [{rank: "0"}]}]' >set.json
    selects slot/core=2 -o short <<'END'
rank1/core[0-1]
END
    answer 1 slot=2/core=2 <<'END'
need 2 slots with 2 cores: 1 available (1 down)
END
}

@test "staged, held and reserved resources do not match" {
    for record in 'staged for 7' 'held by 7' 'reserved for 7'; do
        graph <<END
cluster0
  node0
    core0  $record
    core1
END
        selects slot/core -o short <<'END'
rank0/core1
END
        run -1 rset-match --shape slot=2/core set.json
        run -1 rset-match --shape slot/node set.json
        run -3 rset-match --shape slot=3/core set.json
    done
}

# --- constraints ----------------------------------------------------------

@test "a constraint says which targets may be used, now or later" {
    two_nodes
    selects slot/core=4 --requires rank:1 -o short <<'END'
rank1/core[0-3]
END
    answer 3 slot/core=5 --requires rank:1 <<'END'
need 1 slot with 5 cores: there is none (it needs 5 cores, at most 4 are in one place)
END
    answer 3 slot=2/core=4 --exclude 1 --explain <<'END'
need 2 slots with 4 cores: there is 1 (1 excluded by --exclude)
END
    # each of these options
    for options in '--include 0-1 --exclude 0' '--exclude node0' \
        '--requires rank:0-1 --requires -host:node0' \
        '--requires ^a --include node1'; do
        # shellcheck disable=SC2086 # words
        selects slot/core $options -o short <<'END'
rank1/core0
END
    done
    selects slot/core --constraint '{"ranks": ["1"]}' -o short <<'END'
rank1/core0
END
    run -3 rset-match -n1 --include 0 --requires rank:1 set.json
}

@test "a constraint does not limit resources outside of targets" {
    graph <<'END'
cluster0
  licence0  5
  node0
    core0
END
    selects slot/licence --exclude 0 <<'END'
cluster0
  licence0
END
}

@test "constraints of a jobspec and of options are both obeyed" {
    rset-discover --hosts 'n[0-3]' --cores 0-1 --property ssd:2-3 >set.json
    jobspec '[{"type": "slot", "label": "a", "count": 1,
        "with": [{"type": "core", "count": 2}]}]' \
        '{"constraints": {"properties": ["ssd"]}}' >job
    run -0 rset-match --jobspec job -o short set.json
    same "$output" 'rank2/core[0-1]'
    run -0 rset-match --jobspec job --exclude 2 -o short set.json
    same "$output" 'rank3/core[0-1]'
    run -3 --separate-stderr rset-match --jobspec job --exclude 2-3 set.json
    same "$output" ''
    sed 's/ssd/s|d/' job >bad
    refused "rset-match: bad: attributes.system.constraints.properties[0]: \"s|d\": '|' is not allowed in a property" \
        rset-match --jobspec bad set.json
}

# --- times ----------------------------------------------------------------

@test "before the start of a set: not now; from its expiration on: never" {
    rset-discover --hosts n0 --cores 0-3 |
        jq -c '.execution += {starttime: 1000, expiration: 2000}' >set.json
    answer 1 slot/core --now 999 <<<'the set starts later (1970-01-01T00:16:40Z)'
    selects slot/core --now 1000 -o short <<<rank0/core0
    selects slot/core --now 1999.5 -o short <<<rank0/core0
    answer 3 slot/core --now 2000 <<<'the set has expired (1970-01-01T00:33:20Z)'
    # a request that never fits is status 3 also before the start
    answer 3 slot/core=5 --now 999 <<'END'
need 1 slot with 5 cores: there is none (it needs 5 cores, at most 4 are in one place)
END
}

@test "a duration has to end before the expiration" {
    rset-discover --hosts n0 --cores 0-3 |
        jq -c '.execution += {starttime: 1000, expiration: 2000}' >set.json
    jobspec '[{"type": "slot", "label": "a", "count": 1,
        "with": [{"type": "core", "count": 1}]}]' '{"duration": 100}' >job
    run -0 rset-match --jobspec job --now 1900 set.json
    same "$(jq -c '.execution | [.starttime, .expiration]' <<<"$output")" \
        '[1900,2000]'
    run -3 --separate-stderr rset-match --jobspec job --now 1901 set.json
    same "$stderr" 'rset-match: set.json: no match ever: the set expires before the duration is over (1970-01-01T00:33:20Z)'
    run -1 rset-match --jobspec job --now 500 set.json
}

# --- the policy -----------------------------------------------------------

@test "first: in the order of the tree, each pool gives all it can" {
    rset-discover --hosts a --cores 0-1 >a
    rset-discover --hosts b --ranks 1 --cores 0-5 >b
    rset-diff --union a b >set.json
    selects slot=3/core=2 -o short <<<'rank0/core[0-1] rank1/core[0-3]'
    selects slot=2/core=3 -o short <<<'rank1/core[0-5]'
    selects core=3 -o short <<<'rank0/core[0-1] rank1/core0'
}

@test "first: among siblings by type, rank, id and name, not by the document" {
    graph <<'END'
cluster0
  node1
    core1
    core0
  node0
    core3
    core2
END
    selects slot=3/core -o short <<<'rank0/core[2-3] rank1/core0'
}

@test "equal input gives the same bytes, whatever the hash seed" {
    two_nodes
    allocate 1 slot/core
    for shape in 'slot/[core;gpu]' '[node;slot/[core=2;gpu]]' \
        'slot=1+/[core=1-3;core]'; do
        rset-match --shape "$shape" set.json >want
        for seed in 1 2 77; do
            JANSSON_HASHSEED=$seed rset-match --shape "$shape" set.json |
                cmp - want
        done
        jq '.graph.nodes |= reverse' set.json |
            rset-match --shape "$shape" | cmp - want
    done
}

# --- laws -----------------------------------------------------------------

@test "the selection is a part of the set, and can be allocated as it is" {
    two_nodes
    allocate 1 slot/core
    for shape in slot/core=3 'slot=2/[core;gpu]' slot/socket/core 'node{x}' \
        '[node;slot/core]' 'slot/[core=1-2;core]' \
        'slot=2{a}/slot{b}/core'; do
        rset-match --shape "$shape" set.json >found
        rset-diff --subtract -o short found set.json | same "$(cat)" ''
        rset-alloc allocate 9 --shape "$shape" set.json >used
        rset-alloc allocated 9 used | cmp - found
        rset-alloc release 9 used | cmp - set.json
    done
}

# --- --feasible -----------------------------------------------------------

@test "--feasible: could it ever match? The answer is the status" {
    two_nodes
    allocate 1 slot=2/node
    run -1 rset-match -n1 set.json
    run -0 --separate-stderr rset-match --feasible -n8 set.json
    same "$output$stderr" ''
    run -3 --separate-stderr rset-match --feasible -n9 set.json
    same "$output" ''
    same "$stderr" 'rset-match: set.json: no match ever: need 9 slots with 1 core: there are 8'
    run -3 rset-match --feasible -n1 --exclude 0-1 set.json
    run -0 rset-match --feasible -n1 -o json set.json
    same "$output" '{"answer":"match"}'
    run -3 rset-match --feasible -n9 -o json set.json
    same "$(jq -r .answer <<<"$output")" never
    # the expiration counts, the start does not
    rset-discover --hosts n0 |
        jq -c '.execution += {starttime: 1000, expiration: 2000}' >timed
    run -0 rset-match --feasible -n1 --now 10 timed
    run -3 rset-match --feasible -n1 --now 2000 timed
}

# --- --explain ------------------------------------------------------------

# mixed: five nodes with GPUs. Two are free, one is down, one is held, one lacks
# the property.
mixed() {
    rset-discover --hosts 'n[0-4]' --cores 0-3 --gpus 0-1 \
        --property ssd:0-3 |
        jq -c '.attributes.system.scheduler = {
            states: [{state: "down", R_lite: [{rank: "1"}]}],
            allocations: [{job: 7, R_lite: [{rank: "2"}], holds: "2"}]}' \
            >set.json
}

@test "--explain: the nodes of racks that are available whole" {
    echo '{"resources":[{"type":"rack","count":3,"with":[{"type":"node","count":2,"with":[{"type":"core"}]}]}]}' |
        rset-discover --config - -o rv1 >racks.json
    rset-alloc allocate 5 --shape slot/rack racks.json >one.json
    run -1 --separate-stderr rset-match --explain --shape slot=3/rack one.json
    same "$stderr" 'rset-match: one.json: no match now: need 3 slots with 1 rack: 2 available on node[2-5] (1 allocated)'
}

@test "--explain: the need, the free places, and the obstacles" {
    mixed
    answer 1 node=4/slot/gpu=2 --explain --requires ssd <<'END'
need 4 nodes with 2 gpus: 2 available on n[0,3] (1 down, 1 allocated, 1 excluded by --requires)
END
    # without --explain, the need and the available resources
    answer 1 node=4/slot/gpu=2 --requires ssd <<'END'
need 4 nodes with 2 gpus: 2 available (1 down, 1 allocated, 1 excluded by --requires)
END
    answer 3 node=5/slot/gpu=2 --explain --requires ssd <<'END'
need 5 nodes with 2 gpus: there are 4 (1 excluded by --requires)
END
    answer 3 node=6/slot/gpu=2 --explain <<'END'
need 6 nodes with 2 gpus: there are 5
END
    answer 3 slot/gpu=3 --explain <<'END'
need 1 slot with 3 gpus: there is none (it needs 3 gpus, at most 2 are in one place)
END
}

@test "--explain: staged resources are not counted as held, since rset-alloc records both" {
    rset-discover --hosts 'n[0-3]' --cores 0-3 |
        rset-alloc allocate 5 -n1 --stage | rset-alloc allocate 6 -N1 |
        rset-alloc allocate 7 -N1 --stage | rset-alloc down 3 >set.json
    answer 1 slot=16/core --explain <<'END'
need 16 slots with 1 core: 3 available on n0 (4 down, 4 allocated, 5 staged)
END
    answer 1 'node=4{x}' --explain <<'END'
need 4 whole nodes: none available (1 down, 1 allocated, 2 staged)
END
}

@test "--explain: the missing type, if it is known" {
    graph <<'END'
cluster0
  licence0  5
  node0
    memory0  8 GB
    socket[0-1]
      core[0-1]
END
    answer 3 slot/licence=6 <<'END'
need 1 slot with 6 licences: there is none (it needs 6 licences, at most 5 are in one place)
END
    answer 3 slot/core=9+ <<'END'
need 1 slot with at least 9 cores: there is none (it needs at least 9 cores, at most 4 are in one place)
END
    answer 3 socket/slot/core=3 <<'END'
need 1 socket with 3 cores: there is none (it needs 3 cores, at most 2 are in one place)
END
    # there is one, but a slot fits within one node
    answer 3 'slot/[core;licence]' <<'END'
need 1 slot with 1 core and 1 licence: there is none (it needs 1 licence, and none is in a node)
END
    run -3 rset-match --shape 'slot/[core;licence]' --explain -o json set.json
    [ "$(jq -c '.needs[0].part' <<<"$output")" \
        = '{"need":"1 licence","most":0,"in":"node"}' ]
    answer 3 'slot/[core;fpga]' <<'END'
need 1 slot with 1 core and 1 fpga: this set has no fpga
END
    # nothing is reported if it is not known
    answer 3 slot/core=3 --slot-scope parent <<'END'
need 1 slot with 3 cores: there is none
END
    answer 3 slot/memory=9 --granule pool <<'END'
need 1 slot with 9 units of memory: there is none
END
    answer 3 'slot/memory=9{unit:GiB}' <<'END'
need 1 slot with 9 GiB of memory: there is none
END
    answer 3 'slot/core{id:""}' <<'END'
need 1 slot with 1 core (no id): there is none
END
}

@test "--explain: a constraint, if its nodes are held" {
    mixed
    allocate 8 'slot=2/node'
    answer 3 node=6/slot/gpu=2 --explain --requires ssd <<'END'
need 6 nodes with 2 gpus: there are 4 (1 excluded by --requires)
END
}

@test "--explain: each entry that lacks resources" {
    mixed
    answer 1 '[slot=3{a}/core=4;slot{b}/gpu=2]' --explain \
        --requires 'rank:0-2' <<'END'
need 3 slots with 4 cores: 1 available on n0 (1 down, 1 allocated, 2 excluded by --requires)
END
    answer 3 '[node=9;slot/gpu=3]' <<'END'
need 9 nodes: there are 5; need 1 slot with 3 gpus: there is none (it needs 3 gpus, at most 2 are in one place)
END
    answer 1 '[slot=2{a}/core=4;slot=2{b}/core=4]' <<'END'
each part is available, but not all parts together
END
}

@test "--explain -o json: the reasons as data" {
    mixed
    run -1 --separate-stderr rset-match --shape node=4/slot/gpu=2 --explain \
        --requires ssd -o json set.json
    same "$stderr" ''
    same "$output" '{"answer":"not now","needs":[{"need":"4 nodes with 2 gpus","type":"node","count":4,"have":2,"where":"n[0,3]","ever":4,"more":{"down":1,"held":1,"excluded":1}}],"each_alone":false}'
    run -3 rset-match -g3 --explain -o json set.json
    same "$(jq -c '.answer, .needs[0].part' <<<"$output")" '"never"
{"need":"3 gpus","most":2}'
    run -0 rset-match -n1 --explain -o json set.json
    same "$output" '{"answer":"match"}'
    jq -c '.execution.expiration = 2000' set.json >timed
    run -3 rset-match -n1 --explain -o json --now 2500.5 timed
    same "$(jq -c '[.answer, .times, .time]' <<<"$output")" \
        '["never","the set has expired",2000]'
    # one object a document
    run -3 rset-match -n99 --explain -o json set.json set.json
    same "$(jq -c .answer <<<"$output")" '"never"
"never"'
}

@test "--explain changes nothing if there is a match" {
    two_nodes
    run -0 --separate-stderr rset-match -n3 --explain set.json
    same "$stderr" ''
    same "$output" "$(rset-match -n3 set.json)"
}

# --- --batch --------------------------------------------------------------

@test "--batch: a request a line, an answer a line, each by itself" {
    two_nodes
    allocate 1 slot/node
    rset-match -o r set.json >r.json
    cat >requests <<'END'
slot/core=4

# too much
slot=5/core
slot=9/core
  # not too much
  slot/core
END
    run -3 --separate-stderr rset-match --batch requests r.json
    same "$stderr" ''
    same "$output" '{"status":0,"R":{"version":1,"execution":{"R_lite":[{"rank":"1","children":{"core":"0-3"}}],"nodelist":["node1"]}}}
{"status":1,"why":"need 5 slots with 1 core: 4 available (4 allocated)"}
{"status":3,"why":"need 9 slots with 1 core: there are 8"}
{"status":0,"R":{"version":1,"execution":{"R_lite":[{"rank":"1","children":{"core":"0"}}],"nodelist":["node1"]}}}'
    same "$(rset-match --batch - r.json <requests)" "$output"
    # each request sees the unchanged set
    yes slot=4/core | head -n 50 >many
    run -0 rset-match --batch many r.json
    same "$(sort -u <<<"$output" | wc -l)" 1
}

@test "--batch gives the answers of single runs" {
    two_nodes
    allocate 1 slot/core
    printf '%s\n' slot/core=3 'slot=2/[core;gpu]' slot=8/core slot/core=5 \
        '[node;slot/core]' 'node{x}' slot=99/core 'slot/[core;core]' >requests
    rset-match --batch requests --requires ^x set.json >answers || true
    while read -r shape && read -r answer <&3; do
        status=0
        rset-match --shape "$shape" --requires ^x set.json >one 2>err ||
            status=$?
        { echo $status && cat one && sed 's/.*: no match [a-z]*: //' err; } |
            cmp - <(jq -r '.status, (.R // empty | tojson), .why // empty' \
                <<<"$answer")
    done <requests 3<answers
}

@test "--batch: jobspecs in a line of JSON, with their duration" {
    rset-discover --hosts n0 --cores 0-3 >set.json
    jobspec '[{"type": "slot", "label": "a", "count": 2,
        "with": [{"type": "core", "count": 1}]}]' '{"duration": 60}' >line
    run -0 rset-match --batch line --now 1000 set.json
    same "$output" '{"status":0,"R":{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-1"}}],"nodelist":["n0"],"starttime":1000,"expiration":1060}}}'
}

@test "--batch: a line of request options, as on a command line" {
    rset-discover --hosts 'n[0-3]' --cores 0-3 --gpus 0-1 --property ssd:2-3 |
        rset-alloc allocate 1 -n1 -c2 >set.json
    jobspec '[{"type": "slot", "label": "a", "count": 2,
        "with": [{"type": "core", "count": 1}]}]' >job
    cat >requests <<'END'
-n3 -c2
-N2 -n4 -c2 -g1
-N 1 -x
-N4 -x
--nslots=17
--shape slot=2/core=3
--shape 'slot=2/[core;gpu]' --requires rank:1-2
-n1 -c3 --requires 'ssd and -host:n2'
-n1 --constraint '{"ranks": ["3"]}'
--jobspec job
--jobspec job --requires rank:2
--shape slot/node --slot-scope parent
END
    run -3 rset-match --batch requests set.json
    while IFS= read -r line; do
        eval "words=($line)"
        status=0
        rset-match "${words[@]}" set.json >single 2>/dev/null || status=$?
        echo $status
        cat single
    done <requests >singles
    same "$(jq -c '.status, .R // empty' <<<"$output")" "$(<singles)"
    [ "$(wc -l <<<"$output")" -eq "$(wc -l <requests)" ]
}

@test "--batch: options of a line apply to that line, beside options of all lines" {
    rset-discover --hosts 'n[0-3]' --cores 0-3 >set.json
    cat >requests <<'END'
-n1 --requires rank:0-2   # of 1 to 3
-n1 --requires rank:0
slot/core
-N2
-n1
END
    run -3 rset-match --batch requests --exclude 0 -o short set.json
    same "$output" '{"status":0,"R":"rank1/core0"}
{"status":3,"why":"need 1 slot with 1 core: there is none (16 excluded by constraints)"}
{"status":0,"R":"rank1/core0"}
{"status":0,"R":"rank[1-2]/core[0-3]"}
{"status":0,"R":"rank1/core0"}'
}

@test "--batch: --slot-scope and --granule of a line replace the options of all lines" {
    graph <<'END'
cluster0
  node0
    memory[0-1]  4 GB
END
    cat >requests <<'END'
--shape slot/memory=6
--shape slot/memory=6 --granule unit
--shape slot/memory=6
END
    run -0 rset-match --batch requests --granule pool set.json
    for granule in pool unit pool; do
        rset-match --shape slot/memory=6 --granule $granule set.json
    done >single
    same "$(jq -c .R <<<"$output")" "$(cat single)"
    run ! same "$(sed -n 1p single)" "$(sed -n 2p single)"
}

@test "--batch: a bad line of options is status 2 in its place" {
    rset-discover --hosts n0 --cores 0-3 >set.json
    cat >requests <<'END'
-n1 -n
-n 01
-x
--requires ssd
-n1 --shape core
--shape slot=0/core
--jobspec -
--jobspec nofile
-n1 set.json
-n1 --include 9
-n1 --requires 'ssd and'
-n1 "
-n1
END
    run -2 --separate-stderr rset-match --batch requests -o short set.json
    same "$stderr" ''
    same "$(jq -r '.error // .R' <<<"$output")" '-n: missing argument
-n: "01" is not a number from 1 to 2147483647
-x needs -N
a request is expected: -n, -N, --shape or --jobspec
-n and --shape exclude each other
--shape: offset 5: "0": a count is at least 1
--jobspec -: not in a batch
nofile: No such file or directory
unexpected argument "set.json"
--include: there is no rank 9
--requires: offset 7: the text ends where a term is expected
a quote " is not closed
rank0/core0'
}

@test "--batch: a bad line is status 2 in its place, and later lines are answered" {
    rset-discover --hosts n0 --cores 0-3 >set.json
    {
        echo 'slot/'
        echo 'slot/core'
        echo '{"version":1}'
        echo '{"version":'
        printf 'slot/core\0\n'
        echo 'slot/core=2 slot/core'
        echo slot=9/core
    } >requests
    run -2 --separate-stderr rset-match --batch requests set.json
    same "$stderr" ''
    same "$(jq -c .status <<<"$output" | paste -sd ' ')" '2 0 2 2 2 2 3'
    same "$(jq -r 'select(.error) | .error' <<<"$output")" \
        'offset 5: the shape ends where a resource type is expected
a jobspec has no "resources"
line 1, column 12: input ends in the middle of a document
the line has a NUL byte
offset 10: "2 slot": unexpected white space'
}

@test "--batch: lines end with LF, CR LF or the end of the file; outer blanks are ignored" {
    rset-discover --hosts n0 --cores 0-3 >set.json
    jobspec '[{"type": "slot", "label": "a", "count": 1,
        "with": [{"type": "core", "count": 1}]}]' >job
    printf '\r\n \t\nslot/core\r\n\t slot/core \t\n  %s  \r\nslot/core' \
        "$(cat job)" >requests
    run -0 rset-match --batch requests set.json
    same "$(sort <<<"$output" | uniq -c | sed 's/^ *//')" \
        '4 {"status":0,"R":{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["n0"]}}}'
    run -0 rset-match --batch /dev/null set.json
    same "$output" ''
}

@test "--batch: endless lines are refused" {
    ulimit -t 5 # of processor time
    refused 'rset-match: /dev/zero: a line of more than 64 MiB' \
        rset-match --batch /dev/zero <(rset-discover --hosts a)
}

@test "--batch: lines of any length" {
    rset-discover --hosts n0 --cores 0-3 >set.json
    {
        printf 'slot/core%*s\n' 1000000 ''
        head -c 1000000 /dev/zero | tr '\0' x
        printf '\nslot'
        printf '/core%.0s' {1..5000}
    } >requests
    run -3 rset-match --batch <(head -n 2 requests) set.json
    same "$(jq -c .status <<<"$output" | paste -sd ' ')" '0 3'
    run -2 rset-match --batch <(tail -n 1 requests) set.json
    [[ $output == '{"status":2,"error":"offset '*'nested deeper than 100 levels"}' ]]
}

@test "--batch: each answer is written before the next request is read" {
    rset-discover --hosts n0 --cores 0-3 >set.json
    coproc rset-match --batch - set.json
    pid=$COPROC_PID
    for shape in slot/core=2 slot=5/core; do
        echo "$shape" >&"${COPROC[1]}"
        read -r -t 20 answer <&"${COPROC[0]}"
        jq -e .status <<<"$answer"
    done
    to=${COPROC[1]}
    eval "exec $to>&-"
    wait "$pid" || [ $? = 3 ]
}

@test "--batch --feasible, and -o for the R in answers" {
    two_nodes
    allocate 1 slot=2/node
    printf '%s\n' slot=8/core slot=9/core >requests
    run -3 rset-match --batch requests --feasible set.json
    same "$output" '{"status":0}
{"status":3,"why":"need 9 slots with 1 core: there are 8"}'
    rset-alloc release 1 set.json >free.json
    echo slot/core=3 >requests
    run -0 rset-match --batch requests -o short free.json
    same "$output" '{"status":0,"R":"rank0/core[0-2]"}'
    run -0 rset-match --batch requests -o jgf free.json
    jq -c .R <<<"$output" |
        cmp - <(rset-match --shape slot/core=3 -o jgf free.json)
}

@test "--batch: excluded options" {
    try="(try 'rset-match --help')"
    two_nodes
    echo slot/core >requests
    cat set.json set.json >two
    while IFS='|' read -r options what; do
        # shellcheck disable=SC2086 # words
        refused "rset-match: $what $try" rset-match --batch requests $options
    done <<'END'
-n1 set.json|--batch and a request exclude each other
--explain set.json|--batch and --explain exclude each other
--count core set.json|--batch and --count exclude each other
--find type=core set.json|--find does not go with a request: put another rset-match before it in a pipe
two|--batch needs one document, there are 2
END
    refused "rset-match: --batch -: the document needs a file of its own $try" \
        rset-match --batch - <requests
    refused 'rset-match: nofile: No such file or directory' \
        rset-match --batch nofile set.json
    refused 'rset-match: .: Is a directory' rset-match --batch . set.json
}

@test "answers that can't be written are status 2" {
    needs /dev/full
    two_nodes
    echo slot/core >requests
    for options in '-n1' '-n1 --explain -o json' '-n9 --explain -o json' \
        '--batch requests'; do
        # shellcheck disable=SC2086 # words
        run -2 bash -c 'rset-match "$@" set.json >/dev/full' - $options
    done
    run -141 bash -c 'set -o pipefail
        yes slot/core | rset-match --batch - set.json | head -n 1 >/dev/null'
}

# --- options --------------------------------------------------------------

@test "request options without a request, or with a wrong word" {
    try="(try 'rset-match --help')"
    two_nodes
    while IFS='|' read -r options what; do
        # shellcheck disable=SC2086 # words
        refused "rset-match: $what $try" rset-match $options set.json
    done <<'END'
--feasible|--feasible needs a request
--explain|--explain needs a request
--when|--when needs a request
--slot-scope node|--slot-scope needs a request
--granule pool --find type=core|--granule needs a request
--policy low|--policy needs a request
--node-exclusive|--node-exclusive needs a request
-n1 --slot-scope rack|--slot-scope: "rack": expected node or parent
-n1 --granule units|--granule: "units": expected unit or pool
-n1 --feasible --count core|--feasible and --count exclude each other
-n1 --explain --aggregate|--explain and --aggregate exclude each other
-n1 --state up|--state does not go with a request: put another rset-match before it in a pipe
-n1 --type core|--type does not go with a request: put another rset-match before it in a pipe
END
}

# --- the same in both programs ----------------------------------------------

# asks OPTION...: rset-match finds what rset-alloc allocates, or fails with the
# same reason.
asks() {
    local found=0 gave=0
    rset-match "$@" --now 100 -o short busy >found 2>said || found=$?
    rset-alloc allocate new "$@" --now 100 -w R busy 2>why >/dev/null || gave=$?
    [ $found = $gave ] || return 1
    [ $found != 2 ] || return 0
    if [ $found != 0 ]; then
        cmp <(sed 's/^rset-match/rset-alloc/' said) why
        return
    fi
    cmp found <(rset-match -o short R) || return 1
    rset-match "$@" --now 100 busy | cat - R | jq -es '
        map(.execution | [.starttime, .expiration]) | .[0] == .[1]' >equal
}

@test "rset-match finds what rset-alloc allocates: times and bounds" {
    rset-discover --hosts 'n[0-3]' --cores 0-3 --property ssd:1-2 |
        rset-alloc allocate 1 -N1 --at 200 --duration 50 --now 0 |
        rset-alloc allocate 2 -n3 --duration 60 --now 90 >busy
    local times=('' '--at 120' '--at 120 --duration 30' '--duration 1m'
        '--at 160 --duration 90' '--duration 101' '--expiration 200'
        '--at 90 --expiration 99' '--at 210 --expiration 205'
        '--at 50 --duration 80' '--duration 0')
    local bounds=('' '--include 0' '--exclude n0' '--requires ssd'
        '--requires ^ssd' '--requires ssd --exclude 1' '--include 0,9'
        '--constraint {"ranks":["2-3"]}' '--requires no')
    local whats=(-N1 '-n5 -c2' -N4) n=0 what
    # each time with each bound, and in turn one of these with each of them
    for when in "${times[@]}"; do
        for bound in "${bounds[@]}"; do
            what=${whats[(n + n / 9) % 3]}
            n=$((n + 1))
            # shellcheck disable=SC2086 # words
            quickly asks $what $when $bound || {
                echo "$what $when $bound" && cat said why && false
            }
        done
    done
}

@test "--at is the time of a request, or of --available" {
    rset-discover --hosts n0 --cores 0-3 |
        rset-alloc allocate 1 -n1 --at 200 --duration 50 --now 0 >busy
    for time in '199 4' '200 3' '249 3' '250 4'; do
        # shellcheck disable=SC2086
        set -- $time
        same "$(rset-match --available --at "$1" --now 0 --count core busy)" "$2"
        same "$(rset-match --aggregate --at "$1" --now 0 busy | grep core)" \
            "core $2 $2"
        same "$(rset-alloc available --at "$1" --now 0 busy |
            rset-match --count core)" "$2"
    done
    refused "rset-match: --at needs a request, --available or --aggregate (try 'rset-match --help')" \
        rset-match --at 9 busy
    refused "rset-match: --duration needs a request (try 'rset-match --help')" \
        rset-match --duration 9 --available busy
    printf '%s\n' 'slot/core=3' '-n1 -c4' >lines
    same "$(rset-match --batch lines --at 190 --duration 10 --now 0 -o short busy)" \
        '{"status":0,"R":"rank0/core[0-2]"}
{"status":0,"R":"rank0/core[0-3]"}'
    run -1 rset-match --batch lines --at 190 --duration 11 --now 0 -o r busy
    same "$(jq -c '[.status, .R.execution.starttime, .R.execution.expiration]' \
        <<<"$output")" '[0,190,201]
[1,null,null]'
}

# --- pools of several nodes -------------------------------------------------

# coarse NODES CORES MEMORY: one pool of NODES nodes.
coarse() {
    jq -nc --argjson n "$1" --argjson c "$2" --argjson m "$3" '{graph: {nodes: [
        {id: "0", metadata: {type: "cluster", id: 0}},
        {id: "1", metadata: {type: "node", id: 0, size: $n}},
        {id: "2", metadata: {type: "socket", id: 0, size: (2 * $n)}},
        {id: "3", metadata: {type: "core", id: 0, size: $c}},
        {id: "4", metadata: {type: "memory", id: 0, size: $m, unit: "GB"}}],
        edges: [["0", "1"], ["1", "2"], ["2", "3"], ["1", "4"]] |
            map({source: .[0], target: .[1]})}}'
}

@test "a pool of several nodes: a unit is one node with its share" {
    coarse 4 32 65 | rset-match >pools
    while IFS='|' read -r request units; do
        # shellcheck disable=SC2086
        run -0 rset-match $request --count node,socket,core,memory pools
        same "$output" "$units"
        # shellcheck disable=SC2086
        rset-alloc allocate 1 $request pools | rset-alloc release 1 | cmp - pools
    done <<'END'
-N1|1 2 8 16
-N2|2 4 16 32
-N4|4 8 32 65
--shape slot/node=3|3 6 24 48
--shape node=2{x}/slot/core=8|2 4 16 32
--shape slot=1-9/node|4 8 32 65
--shape slot/node/core=4|1 2 8 16
--shape slot/[memory;node=3]|3 6 24 49
END
    while IFS='|' read -r request why; do
        # shellcheck disable=SC2086
        run -3 --separate-stderr rset-match $request pools
        same "$stderr" "rset-match: pools: no match ever: need $why"
    done <<'END'
-N5|5 whole nodes: there are 4
-n5 -c8|5 slots with 8 cores: there are 4
-n1 -c9|1 slot with 9 cores: there is none
--shape node=2{x}/slot/core=9|2 whole nodes with 9 cores: there is none
--shape slot/[memory;node=4]|1 slot with 1 unit of memory and 4 nodes: there is none
--shape node=2/cores=4|2 nodes with 4 cores: there is none; there is nothing of type "cores"; near it: core
END
    # all or nothing, like pools of other types
    same "$(rset-match -N1 --granule pool --count node,core pools)" '4 32'
    rset-alloc exclusive /cluster0/node0 pools >marked
    same "$(rset-match -N1 --count node,core marked)" '4 32'
}

@test "a pool of several nodes: jobs do not share nodes" {
    coarse 4 32 64 | rset-match >pools
    rset-alloc allocate 1 --take /cluster0/node0=2 pools >two
    same "$(rset-alloc available two | rset-match --count node,core,memory)" \
        '2 16 32'
    run -1 rset-alloc allocate 2 --take /cluster0/node0/socket0/core0=30 two
    run -1 rset-alloc allocate 2 -n30 two
    run -1 rset-alloc allocate 2 -N3 two
    rset-alloc allocate 2 -n16 two | rset-match --validate
    rset-alloc release 1 --give /cluster0/node0=1 two |
        rset-alloc available | rset-match --count node,core,memory >left
    same "$(cat left)" '3 24 48'
    # also after the whole pool was held
    rset-alloc allocate 1 -N4 pools | rset-alloc release 1 --give /cluster0/node0=1 |
        cmp - <(rset-alloc allocate 1 -N3 pools)
    rset-alloc allocate 2 --take /cluster0/node0/socket0/core0=30 pools >cores
    run -1 rset-alloc allocate 1 -N1 cores
    run -1 rset-alloc allocate 1 --take /cluster0/node0=1 cores
    # the R of a job restores it
    rset-alloc allocate 1 -N2 -w R pools >two
    rset-alloc allocate 1 --R R pools | cmp - two
}

@test "pools of several nodes: units of one serve several entries" {
    jq -c '.graph.nodes += [
        {id: "m", metadata: {type: "node", id: 1, size: 2}},
        {id: "l", metadata: {type: "core", id: 9, size: 8}},
        {id: "g", metadata: {type: "gpu", id: 0, size: 2}}] |
        .graph.edges += [{source: "0", target: "m"},
            {source: "m", target: "l"}, {source: "m", target: "g"}]' \
        <(coarse 4 16 64) >pools
    while IFS='|' read -r shape units; do
        run -0 rset-match --shape "$shape" --count node,core,gpu pools
        same "$shape: $output" "$shape: $units"
    done <<'END'
slot/[node=5/core;node=1/gpu]|6 24 2
slot/[node=4/core;node=2/gpu]|6 24 2
slot/[node=3/core;node=2/gpu;node=1/core=4]|6 24 2
[slot=2{a}/node=2/core;slot{b}/node=2/gpu]|6 24 2
slot=3/node=2/core|6 24 2
END
    run -3 rset-match --shape 'slot/[node=5/core;node=2/gpu]' pools
    run -3 rset-match --shape 'slot/node=7/core' pools
}

@test "a pool of several nodes gives the answers of single nodes" {
    coarse 5 40 80 | rset-match >coarse.json
    rset-discover --hosts 'n[0-4]' --cores 0-7 >fine.json
    awk 'BEGIN { srand(7); for (i = 1; i < 120; i++) {
        print "release", i - 2 - int(rand() * 2)
        print "release", i - 4
        n = 1 + int(rand() * 6)
        x = rand() < .3 ? " -n" n * 2 " -c" 1 + int(rand() * 5) " -x" : ""
        print "allocate", i, "-N" n x } }' >lines
    for file in coarse.json fine.json; do
        rset-alloc batch lines --no-R --now 0 --save $file.end $file |
            jq -c '[.command, .job, .status]' >$file.out
        rset-match --validate $file.end
    done
    cmp coarse.json.out fine.json.out
    [ "$(grep -c 'allocate.*0]' fine.json.out)" -gt 20 ]
}

@test "a request has at most 128 resources" {
    rset-discover --hosts n0 --cores 0-3 >one.json
    many() { # N
        seq -s ';' "$1" | sed -E 's/[0-9]+/core/g; s|.*|slot/[&]|'
    }
    run -3 rset-match --shape "$(many 127)" one.json
    run -2 rset-match --shape "$(many 128)" one.json
    [[ $output == *'there are more than 128 resources in a request' ]]
    awk 'BEGIN {
        printf "{\"version\":9999,\"resources\":[{\"type\":\"slot\",\"label\":\"s\",\"count\":1,\"with\":["
        for (i = 1; i < 100000; i++)
            printf "{\"type\":\"core\",\"count\":1},"
        print "{\"type\":\"gpu\",\"count\":1}]}],\"tasks\":[{\"command\":[\"a\"],\"slot\":\"s\",\"count\":{\"per_slot\":1}}],\"attributes\":{\"system\":{\"duration\":0}}}"
    }' >many.json
    refused 'rset-match: many.json: resources[0].with[127]: there are more than 128 resources in a request' \
        rset-match --jobspec many.json one.json
}

@test "hints: hosts and types as properties, units behind counts, commas" {
    rset-discover --hosts 'n[0-1]' --cores 0-3 --memory 8GiB -o jgf >set.json
    says() { # STATUS TEXT ARGUMENT...
        run -"$1" rset-match "${@:3}" set.json
        same "$output" "rset-match: $2"
    }
    says 1 'set.json: nothing passes the filters; no target has the property "n1" (it is a host: write host: before it)' --requires n1
    says 1 'set.json: nothing passes the filters; no target has the property "core" (it is a type: request it, or use --find type=)' --requires core
    says 2 '--shape: offset 6: ",core=4": a comma is for numbers: `/` goes on with what is inside, and [a;b] asks for both' \
        --shape node=2,core=4
    says 3 'set.json: no match ever: need 20 GiB of memory: there are 16 GiB' --shape memory=20GiB
    for shape in memory=2GiB 'memory=2{unit:GiB}' 'memory=[1,2]GiB' memory=2048MiB; do
        same "$(rset-match --shape "$shape" -o tree set.json)" \
            "$(rset-match --shape 'memory=2' -o tree set.json)"
    done
    says 2 '--shape: offset 12: "unit": key is repeated' --shape 'memory=2GiB{unit:MiB}'
    refused "rset-alloc: \"n7\" and \"set.json\": one document is expected; --targets names hosts (try 'rset-alloc release --help')" \
        rset-alloc release 4 n7 set.json
}
