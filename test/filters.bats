#!/usr/bin/env bats
# rset-match without a request: filters, the find language, and --type. The
# result is a set, with the records of its resources.

# shellcheck disable=SC2094,SC2154 # cmp only reads; run sets stderr

load common

# set.json: four nodes as an R. Job 1 holds some cores and gpus of the first
# two, job 2 the third, and the fourth is down.
setup_file() {
    command -v jq >/dev/null || return 0 # where nothing is tested
    cd "$BATS_FILE_TMPDIR" || return 1
    rset-discover --hosts 'n[0-3]' --cores 0-3 --gpus 0-1 |
        jq -c '.execution.properties =
            {ssd: "2-3", "gen=4": "0-1", "amd@gpu": "1"} |
        .attributes.system.scheduler = {
            allocations: [
                {job: 1, R_lite: [
                    {rank: "0", children: {core: "0-1", gpu: "0-1"}},
                    {rank: "1", children: {core: "0", gpu: "0"}}]},
                {job: 2, R_lite: [{rank: "2"}], holds: "2"}],
            states: [
                {state: "failing",
                 R_lite: [{rank: "2", children: {core: "1"}}]},
                {state: "down", R_lite: [{rank: "3"}]}]}' |
        rset-match >set.json
}

setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
    cp "$BATS_FILE_TMPDIR"/* .
}

# graph: a rack with two nodes; each has two sockets of two cores and 8 GB of
# memory. Storage is in the rack, licences are under the root, and a loose pdu
# feeds the nodes.
graph() {
    jq -n '
    def vertex($id; $data): {id: $id, metadata: $data};
    def edge($from; $to): {source: $from, target: $to};
    def node($n): "n\($n)" as $id |
        {nodes: [
            vertex($id; {type: "node", name: "a\($n)", id: $n, rank: $n}),
            vertex($id + "m"; {type: "memory", id: 0, size: 8, unit: "GB"}),
            (0, 1 | vertex($id + "s\(.)"; {type: "socket", id: .})),
            (0, 1, 2, 3 | vertex($id + "c\(.)"; {type: "core", id: .}))],
         edges: [
            edge("rack"; $id), edge($id; $id + "m"),
            (0, 1 | edge($id; $id + "s\(.)")),
            (0, 1, 2, 3 | edge($id + "s\(. / 2 | floor)"; $id + "c\(.)")),
            edge("pdu"; $id) + {metadata: {subsystem: "power"}}]};
    [node(0), node(1)] | {graph: {
        nodes: ([
            vertex("top"; {type: "cluster", id: 0}),
            vertex("rack"; {type: "rack", id: 0}),
            vertex("disk"; {type: "storage", id: 0, size: 100, unit: "GiB"}),
            vertex("lic"; {type: "licence", name: "cfd", id: 0, size: 5}),
            vertex("pdu"; {type: "pdu", id: 0, size: 2000, unit: "W"})] +
            map(.nodes[])),
        edges: ([edge("top"; "rack"), edge("top"; "lic"),
            edge("rack"; "disk")] + map(.edges[]))}}' | rset-match
}

# passes ANSWER OPTION...: the filtered set.json in short form is ANSWER.
passes() {
    local want=$1
    shift
    run -0 --separate-stderr rset-match "$@" -o short set.json
    same "$output$stderr" "$want"
}

# nothing OPTION...: the options filter out all of set.json.
nothing() {
    run -1 --separate-stderr rset-match "$@" set.json
    same "$output" ''
    same "${stderr%%; *}" \
        'rset-match: set.json: nothing passes the filters'
}

# tree OPTION... <<END: compare the filtered set.json, as a tree.
tree() {
    run -0 --separate-stderr rset-match "$@" -o tree set.json
    same_as "$output"
}

# --- targets ---------------------------------------------------------------

@test "--include, --exclude: ranks or hosts, joined by and" {
    while read -r options hosts; do
        # shellcheck disable=SC2086 # words
        run -0 rset-match ${options//,-/ -} -o hosts set.json
        same "$output" "$hosts"
    done <<'END'
--include=0 n0
--include=1-2 n[1-2]
--include=n[1-2] n[1-2]
--include=0,2-3 n[0,2-3]
--include=n3,n0 n[0,3]
--include=[0-1] n[0-1]
--exclude=1-2 n[0,3]
--exclude=n0,--exclude=3 n[1-2]
--include=0-2,--exclude=n1 n[0,2]
--include=0-2,--include=n[2-3] n2
END
    nothing --include 0 --include n1
    nothing --exclude 0-3
}

@test "a rank or host that none of the sets has is an error" {
    refused 'rset-match: --include: there is no rank 4-5' \
        rset-match --include 2-5 set.json
    refused 'rset-match: --exclude: there is no host n[4-5]' \
        rset-match --exclude 'n[2-5]' set.json
    for nothing in '' ',' ',,' '[]'; do
        refused "rset-match: --include: expected ranks or hosts (try 'rset-match --help')" \
            rset-match --include "$nothing" set.json
    done
    refused 'rset-match: --include: "n[0": bracket is not closed at offset 1' \
        rset-match --include 'n[0' set.json
    # one of several sets has to have it; the others give nothing
    graph >graph.json
    run -0 --separate-stderr rset-match --include a0,n1 -o hosts set.json \
        graph.json
    same "$output" 'n1
a0'
    run -1 --separate-stderr rset-match --include 3 -o hosts set.json graph.json
    same "$output" n3
    same "$stderr" 'rset-match: graph.json: nothing passes the filters'
}

@test "--requires: NAME and ^NAME, spelled exactly" {
    passes 'rank[2-3]/core[0-3],gpu[0-1]' --requires ssd
    passes 'rank[0-1]/core[0-3],gpu[0-1]' --requires ^ssd
    passes 'rank[0-1]/core[0-3],gpu[0-1]' --requires gen=4
    passes 'rank[0-1]/core[0-3],gpu[0-1]' --requires gen
    passes 'rank1/core[0-3],gpu[0-1]' --requires amd@gpu
    passes 'rank0/core[0-3],gpu[0-1]' --requires gen --requires ^amd@gpu
    nothing --requires gen=5
    nothing --requires ssd --requires gen
    nothing --requires SSD
    nothing --requires n1
}

@test "--requires: expressions and how they are read" {
    while IFS='|' read -r hosts text; do
        run -0 rset-match --requires "$text" -o hosts set.json
        same "$output" "$hosts"
    done <<'END'
n[2-3]|ssd
n[0-1]|-ssd
n[0-1]|^ssd
n[0-1]|not ssd
n[2-3]|not not ssd
n0|gen -amd@gpu
n0|gen=4&-amd@gpu
n0|gen=4 and not amd@gpu
n1|gen,amd@gpu
n[1-3]|ssd|amd@gpu
n[1-3]|ssd||amd@gpu
n[1-3]|ssd or amd@gpu
n2|ssd (host:n[0-2] or rank:0)
n[0,3]|rank:0,3
n[0-2]|-host:n3
n[0,3]|not (host:n1 or host:n2)
n1|host:n1|n2
n[1-2]|host:n1,n2
n1|properties:gen,amd@gpu
n[0-1]|"gen"
n[0-3]|-nosuch
END
    nothing --requires ssd --requires gen
    nothing --requires 'host:elsewhere'
    # `not-foo` is foo, since "not" and "-" negate twice
    passes 'rank[2-3]/core[0-3],gpu[0-1]' --requires not-ssd
}

@test "--requires: bad expressions, with the position" {
    while IFS='~' read -r text why; do
        refused "rset-match: --requires: $why" \
            rset-match --requires "$text" set.json
    done <<'END'
~offset 0: the text ends where a term is expected
ssd|gen amd~offset 8: "amd": a blank beside an "or" means different things to different readers: use parentheses
foo:bar~offset 0: "foo": unknown operator (host, hosts, hostlist, rank, ranks, properties are known; a name with ":" needs quotes)
ssd and~offset 7: the text ends where a term is expected
(ssd~offset 0: "(ssd": parenthesis is not closed
ssd)~offset 3: ")": no parenthesis is open
host:~offset 0: "host:": the operand is expected directly after the operator
-(ssd)~offset 0: "-(": "-" takes one term: use "not ("
or.y~offset 0: "or.y": a name that begins with a keyword needs quotes
!ssd~offset 0: "!ssd": '!' is not allowed in a property
END
}

@test "--constraint: every operator, and the empty cases" {
    while IFS='|' read -r hosts text; do
        run -0 rset-match --constraint "$text" -o hosts set.json
        same "$output" "$hosts"
    done <<'END'
n[2-3]|{"properties": ["ssd"]}
n[0-1]|{"properties": ["^ssd"]}
n1|{"properties": ["gen", "amd@gpu"]}
n[0-1]|{"hostlist": ["n[0-1]", "elsewhere"]}
n[1,3]|{"ranks": ["1", "3,9"]}
n2|{"and": [{"properties": ["ssd"]}, {"not": [{"ranks": ["3"]}]}]}
n[0,2-3]|{"or": [{"properties": ["ssd"]}, {"hostlist": ["n0"]}]}
n[0-1]|{"not": [{"properties": ["ssd"]}]}
n[0-1,3]|{"not": [{"properties": ["ssd"]}, {"ranks": ["2"]}]}
n[0-3]|{}
n[0-3]|{"and": []}
n[0-3]|{"or": []}
n[0-3]|{"properties": []}
END
    for text in '{"not": []}' '{"hostlist": []}' '{"ranks": []}'; do
        nothing --constraint "$text"
    done
    nothing --constraint '{"properties": ["ssd"]}' --requires gen
    refused 'rset-match: --constraint: and[1]: "nand": unknown operator; near it: and' \
        rset-match --constraint '{"and": [{}, {"nand": []}]}' set.json
    run -2 rset-match --constraint '' set.json
    run -2 rset-match --constraint '{} {}' set.json
    run -2 rset-match --constraint '{"and": [], "and": []}' set.json
}

@test "filters of targets leave out resources outside of targets" {
    graph >set.json
    tree --include 1 <<'END'
cluster0
  rack0
    a1  rank1
      memory0  8 GB
      socket0
        core[0-1]
      socket1
        core[2-3]
END
}

# --- states, jobs, availability --------------------------------------------

@test "--state: the state of a pool, or of a pool around it" {
    tree --state down,failing <<'END'
cluster0  shared by 2
  n2  rank2  {ssd}  held by 2
    core1  failing
  n3  rank3  {ssd}  down
    core[0-3]
    gpu[0-1]
END
    passes 'rank[0-1]/core[0-3],gpu[0-1] rank2/core[0,2-3],gpu[0-1]' --state up
    passes 'rank3/core[0-3],gpu[0-1]' --state down
    passes 'rank2/core1' --state failing
    passes 'rank[0-3]/core[0-3],gpu[0-1]' --state up,down,failing
    nothing --state degraded,unknown,none
    for list in foo '' 'up,' ',up' Up; do
        run -2 --separate-stderr rset-match --state "$list" set.json
        [[ $stderr == 'rset-match: --state: there is no state "'*'; there are up, down, degraded, failing, unknown, none, drained, draining (try'* ]]
    done
}

@test "allocated: shared resources are not claimed by the R" {
    rset-discover --hosts 'n[0-1]' --cores 0-1 >free.json
    rset-match -o jgf free.json >graph.json
    for file in free.json graph.json; do
        for shape in core slot/core '[node{x};core]' node; do
            rset-alloc allocate 7 --shape "$shape" "$file" >held.json
            rset-alloc allocated 7 held.json >R.json
            rset-alloc allocate 7 --R R.json "$file" | cmp - held.json
        done
    done
}

@test "allocated and --find: a number is the job of its F58 form" {
    rset-discover --hosts n0 --cores 0-3 |
        rset-alloc allocate 12 -n1 | rset-alloc allocate fE -n1 >jobs.json
    for job in 12 ƒD fD 0xc; do
        run -0 rset-alloc allocated "$job" -o short jobs.json
        same "$output" rank0/core0
    done
    for job in 12 ƒD; do
        run -0 rset-match --find "allocated=$job" -o short jobs.json
        same "$output" rank0/core0
        run -0 --separate-stderr rset-match --find "shared=$job" --count node jobs.json
        same "$output" 1
        [[ $stderr == *'cluster0 matches itself'* ]] # jobs share it, too
    done
    # a name stays a name, whatever it looks like
    run -0 rset-alloc allocated fE -o short jobs.json
    same "$output" rank0/core1
    run -0 rset-match --find allocated=fE -o short jobs.json
    same "$output" rank0/core1
}

@test "allocated: with the times of the allocation" {
    rset-discover --hosts n0 --cores 0-3 |
        jq -c '.attributes.system.scheduler.allocations = [{job: 1,
            start: 100, end: 200.5,
            R_lite: [{rank: "0", children: {core: "0"}}]}]' >timed
    run -0 rset-alloc allocated 1 timed
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["n0"],"starttime":100,"expiration":200.5}}'
}

@test "--available selects as rset-alloc available does" {
    rset-match --available set.json | cmp - <(rset-alloc available set.json)
    tree --available <<'END'
cluster0
  n0  rank0  {gen=4}
    core[2-3]
  n1  rank1  {gen=4,amd@gpu}
    core[1-3]
    gpu1
END
    # sizes are the free amounts
    graph | rset-alloc allocate 1 --shape slot/memory=6 >set.json
    tree --available --find type=memory <<'END'
cluster0
  rack0
    a0  rank0
      memory0  2 GB
    a1  rank1
      memory0  8 GB
END
    rset-discover --hosts n0 | rset-alloc allocate 1 -N1 >set.json
    nothing --available
}

# --- together --------------------------------------------------------------

@test "filters are joined by and" {
    passes 'rank1/gpu1' --available --include 0-1 --find type=gpu
    passes 'rank2/core1' --requires ssd --state failing
    nothing --requires ssd --available
    # the order of options does not matter
    rset-match --state up --include 1-2 --find type=core set.json |
        cmp - <(rset-match --find type=core --state up --include n1,n2 set.json)
}

@test "records stay with the resources that they are about" {
    run -0 rset-match --include 1-2 set.json
    same "$(jq -c '.attributes.system.scheduler' <<<"$output")" \
        '{"allocations":[{"job":1,"R_lite":[{"rank":"1","children":{"core":"0","gpu":"0"}}]},{"job":2,"R_lite":[{"rank":"2","children":{"core":"0-3","gpu":"0-1"}}],"holds":"2"}],"states":[{"state":"failing","R_lite":[{"rank":"2","children":{"core":"1"}}]}]}'
    # the next program in a pipe still reads them
    run -0 bash -c 'rset-match --requires ssd set.json |
        rset-alloc release 2 | rset-match -n3 -o short'
    same "$output" 'rank2/core[0,2-3]'
    # nothing is left about removed resources
    rset-match --exclude 0-1 set.json >rest
    run -1 rset-alloc release 1 rest
    # lists of shares have the remaining resources only
    tree --find 'type=gpu and rank=1' <<'END'
cluster0  shared by 1
  n1  rank1  {gen=4,amd@gpu}  shared by 1
    gpu0  held by 1
    gpu1
END
}

@test "an R and its graph pass the same filters" {
    rset-match -o jgf set.json >graph.json
    while read -r options; do
        # shellcheck disable=SC2086 # words
        rset-match ${options//,-/ -} -o tree set.json >plain
        # shellcheck disable=SC2086
        rset-match ${options//,-/ -} -o tree graph.json | cmp - plain
        # shellcheck disable=SC2086
        rset-match ${options//,-/ -} set.json | rset-match --validate
    done <<'END'
--include=0-2
--exclude=n2
--requires=ssd
--requires=-ssd
--state=up
--state=down,failing
--available
--find=type=gpu
--find=allocated
--find=free
--find=id<2
--find=name=n[0-1],core3
--find=path=/cluster0/n2/*
--type=node
--type=core
--type=core,gpu,--state=up
--available,--type=gpu
END
}

@test "each document of a stream is filtered by itself; an empty result is status 1" {
    graph >graph.json
    cat set.json graph.json set.json >stream
    run -1 --separate-stderr rset-match --find type=gpu -o short stream
    same "$output" 'rank[0-3]/gpu[0-1]
rank[0-3]/gpu[0-1]'
    same "$stderr" 'rset-match: stream:2: nothing passes the filters'
    run -0 --separate-stderr rset-match --find type=core -o short - <stream
    same "$(wc -l <<<"$output")" 3
}

@test "--state drained lists no node that jobs still use" {
    for form in '' '-o jgf'; do
        # shellcheck disable=SC2086 # words
        rset-discover --hosts 'n[0-1]' --cores 0-3 | rset-match $form |
            rset-alloc allocate 1 -n1 | rset-alloc drain 'n[0-1]' >set.json
        same "$(rset-match --state drained -o hosts set.json)" n1
        same "$(rset-match --state draining -o hosts set.json)" n0
        same "$(rset-match --state draining --count core set.json)" 4
    done
    rset-discover --hosts n0 --cores 0-3 | rset-match -o jgf |
        rset-alloc allocate 1 -n1 | rset-alloc drain /cluster0/n0/core1 |
        rset-match --state drained --count core >got
    same "$(<got)" 1
}

@test "--count and --aggregate count the filtered set" {
    run -0 rset-match --find type=gpu --count core,gpu set.json
    same "$output" '0 8'
    run -0 rset-match --available --count core,gpu set.json
    same "$output" '5 1'
    run -0 rset-match --include 0 --aggregate -o json set.json
    same "$(jq -c 'map_values(.available)' <<<"$output")" \
        '{"cluster":1,"core":2,"node":1}'
    run -0 rset-match --include 0 --aggregate set.json
    same "$(rset-match --include 0 --aggregate set.json set.json)" \
        "$output"$'\n\n'"$output"
    run -0 --separate-stderr rset-match --find type=foo --count core,gpu set.json
    same "$output$stderr" '0 0'
    run -0 --separate-stderr rset-match --include 0-1 --state down \
        --count node -o json set.json set.json
    same "$output$stderr" $'{"node":0}\n{"node":0}'
    run -1 --separate-stderr rset-match --find type=foo --aggregate set.json
    same "$stderr" 'rset-match: set.json: nothing passes the filters'
}

@test "-o: the filtered set in every form" {
    graph >graph.json
    for form in r jgf rv1 rv1-compact jgf-compact; do
        rset-match --include 0 -o $form graph.json >out
        rset-match out | cmp - out
        rset-match --include 0 graph.json | rset-match -o $form | cmp - out
    done
    run -0 rset-match --find type=core -o hosts graph.json
    same "$output" 'a[0-1]'
    run -0 rset-match --requires ssd -o ranks set.json
    same "$output" 2-3
}

@test "a bad option is reported before a set is read" {
    try="(try 'rset-match --help')"
    refused "rset-match: --state: there is no state \"x\"; there are up, down, degraded, failing, unknown, none, drained, draining $try" \
        rset-match --state x nofile
    for option in --state=up --subtree=/a --type=core; do
        refused "rset-match: ${option%=*} is given twice $try" \
            rset-match "$option" "$option" nofile
    done
    refused 'rset-match: --find: offset 0: the expression ends where a criterion is expected' \
        rset-match --find '' nofile
    refused "rset-match: --type: \"core,,gpu\": expected TYPE[,TYPE...] $try" \
        rset-match --type core,,gpu nofile
    refused 'rset-match: --requires: offset 1: the text ends where a term is expected' \
        rset-match --requires '(' nofile
    refused "rset-match: --validate takes no filter $try" \
        rset-match --validate --available nofile
}

@test "an output that can't be written is status 2, a reader that goes away is not" {
    needs /dev/full
    run -2 bash -c 'rset-match --find type=core set.json >/dev/full'
    yes "$(<set.json)" | head -n 400 >many
    run -141 bash -c 'set -o pipefail
        rset-match --find type=core many | head -n 1 >/dev/null'
}

@test "a million nodes cost as much as their runs" {
    rset-discover --hosts 'n[0-999999]' --cores 0-63 >set.json
    passes 'rank[5-999990]/core[0-2]' --include 5-999990 \
        --find 'id<3 and type=core and host=n[1-2000000]'
    run -0 rset-match --exclude 'n[0-499999]' --count node,core set.json
    same "$output" '500000 32000000'
}

# --- find ------------------------------------------------------------------

@test "--find: the matching pools with all below and above them" {
    graph >set.json
    tree --find 'type=socket and id=1' <<'END'
cluster0
  rack0
    a[0-1]  rank[0-1]
      socket1
        core[2-3]
END
    tree --find type=licence,storage <<'END'
cluster0
  cfd  5  licence
  rack0
    storage0  100 GiB
END
    # all of it, because the root matches: name what you look for
    tree --find 'not type=core' <<<"$(rset-match -o tree set.json)" 2>err
    tree --find 'type=socket and not id=1' <<'END'
cluster0
  rack0
    a[0-1]  rank[0-1]
      socket0
        core[0-1]
END
    nothing --find type=floppy
}

@test "--exclude keeps what lies in no target, as a request does" {
    graph >set.json
    tree --exclude 0 <<'END'
cluster0
  cfd  5  licence
  rack0
    a1  rank1
      memory0  8 GB
      socket0
        core[0-1]
      socket1
        core[2-3]
    storage0  100 GiB
pdu0  2000 W
END
    nothing --exclude 0-1
    same "$(rset-match --include 1 --count licence,storage set.json)" '0 0'
    same "$(rset-match --exclude 0 --include 1 --count licence,storage set.json)" '0 0'
}

@test "--prune leaves out what matches, with all below it" {
    graph >set.json
    tree --prune type=socket,storage --prune 'type=licence,pdu' <<'END'
cluster0
  rack0
    a[0-1]  rank[0-1]
      memory0  8 GB
END
    tree --find type=socket --prune 'type=core and id>0' <<'END'
cluster0
  rack0
    a[0-1]  rank[0-1]
      socket0
        core0
      socket1
END
    nothing --prune type=cluster,pdu
    same "$(rset-match --find type=rack --prune 'type=node and id=1' -o hosts set.json)" a0
    refused 'rset-match: --prune: offset 0: "tpye": no such key; near it: type' \
        rset-match --prune tpye=core set.json
    run -0 --separate-stderr rset-match --find 'not (type=core and id=1)' -o hosts set.json
    same "$stderr" 'rset-match: warning: set.json: --find: cluster0 matches itself, and so everything in it is selected: --prune leaves resources out'
    rset-alloc down /cluster0 set.json >down.json
    run -0 --separate-stderr rset-match --find state=down -o hosts down.json
    same "$stderr" 'rset-match: warning: down.json: --find: cluster0 matches itself, and so everything in it is selected: --prune leaves resources out'
    run -0 --separate-stderr rset-match --find 'type=core and not id=1' -o hosts set.json
    same "$stderr" ''
}

@test "a job shares the node in which something of it is left out" {
    rset-discover --hosts 'n[0-2]' --cores 0-3 --gpus 0 |
        rset-alloc allocate 1 --take 'n0/core[0-1]=1' |
        rset-alloc allocate 2 --take 'n1/core0=1' --now 5 --at 1000 --duration 1000 >set.json
    shared() { # FILTER...
        rset-match "$@" set.json >part.json
        rset-match --validate part.json
        rset-match "$@" -o jgf set.json | rset-match -o r | cmp part.json
        jq -c '.attributes.system.scheduler.shared | map([.job, .R_lite[].rank, .start, .end])' part.json
    }
    for filter in --prune=type=core --find=type=gpu --prune='type=core and id<2'; do
        same "$(shared "$filter")" '[[1,"0",null,null],[2,"1",1000,2000]]'
    done
    # node by node: what is left of n0 is not free, n1 is only at times
    run -1 rset-alloc allocate --now 500 3 -N3 part.json
    same "$(rset-alloc allocate --now 500 3 -N2 --duration 500 part.json |
        rset-alloc allocated 3 -o hosts)" 'n[1-2]'
    run -1 rset-alloc allocate --now 500 3 -N2 --duration 501 part.json
    same "$(rset-alloc release 1 part.json |
        rset-alloc allocate --now 500 3 -N3 --duration 500 |
        rset-alloc allocated 3 -o hosts)" 'n[0-2]'
    # a part of what the job has: that it has the rest says enough
    same "$(shared --prune 'type=core and id=0' | jq -c '.[]')" '[2,"1",1000,2000]'
    # other nodes are not in the way
    rset-match --include 2 set.json >part.json
    same "$(jq -c '.attributes' part.json)" null
}

@test "--find: and, or, not and parentheses" {
    passes 'rank0/core[0-1] rank[2-3]/core[0-3]' \
        --find 'type=core and (rank=2-3 or id<2 and rank=0)'
    passes 'rank[0-1]/gpu[0-1]' --find 'type=gpu and not rank=2,3'
    passes 'rank[0-1]/gpu[0-1]' --find 'not not type=gpu and rank<2'
    # and binds before or
    passes 'rank0/core[0-3] rank[1-3]/gpu[0-1]' \
        --find 'type=core and rank=0 or type=gpu and rank=1-3'
    # several are joined by and, each in parentheses
    passes 'rank0/core[0-3],gpu[0-1]' --find 'type=core or type=gpu' \
        --find rank=0
    # blanks around the operator, and quotes around blanks
    passes 'rank0/core[0-3]' --find " type = 'core'   and rank= \"0\" "
}

@test "--find: types, ids and names" {
    graph >set.json
    while IFS='|' read -r pools text; do
        run -0 rset-match --find "$text" -o jgf set.json
        # pools without any below them
        same "$(jq -r '.graph | [.edges[].source] as $up | .nodes[] |
            select(.id as $id | $up | index($id) | not) |
            .metadata.name' <<<"$output" | sort -u | paste -sd ' ')" "$pools"
    done <<'END'
core0 core1 core2 core3|type=core
cfd memory0|type=licence,memory
cfd|name=cfd
core0 core1 core2|name=core[0-2]
cfd storage0|basename=licence,storage
core3|id=3
core2 core3|id>1
core0 core1 core2 core3|id!=9 and type=core
memory0|unit=GB
cfd|unit='' and type=licence
core2 core3|path=/cluster0/rack0/a0/socket1
core2 core3|path=/cluster0/rack0/a0/socket1/*
core0 core1 core2 core3|subsystem=containment and type=core
core0 core1 core2 core3 memory0|subsystem=power and type=node
END
}

@test "--find: places" {
    passes 'rank1/core[0-3],gpu[0-1]' --find host=n1
    passes 'rank[1-2]/gpu[0-1]' --find 'host=n[1-2] and type=gpu'
    passes 'rank0/gpu[0-1]' --find 'host!=n[1-3] and type=gpu'
    passes 'rank[0-1]/gpu[0-1]' --find 'rank<2 and type=gpu'
    passes 'rank[2-3]/gpu[0-1]' --find 'rank>=2 and type=gpu'
    passes 'rank3/gpu[0-1]' --find 'rank!=0-2 and type=gpu'
    # a pool without a rank satisfies neither rank=0 nor rank!=0
    graph >set.json
    nothing --find 'type=licence and (rank=0 or rank!=0)'
    tree --find 'type=licence and not rank=0' <<'END'
cluster0
  cfd  5  licence
END
}

@test "--find: sizes, in bytes where both units are of bytes" {
    graph >set.json
    while IFS='|' read -r types text; do
        run -0 rset-match --find "$text" --count memory,storage,licence,pdu \
            set.json
        same "$output" "$types"
    done <<'END'
16 0 0 0|size=8
16 0 0 0|size=8GB
16 0 0 0|size=8000MB
0 100 0 0|size>8GB
16 100 0 0|size>=8GB
16 0 0 0|size<8GiB and size>1B
0 100 0 0|size=100GiB
0 0 5 0|size=5 and type=licence
16 0 0 2000|type=node or size=2000W
0 0 0 2000|size>1kW
END
    # an unknown unit is compared with itself only
    nothing --find 'size>1kV'
    nothing --find 'type=licence and size>1B'
    refused 'rset-match: --find: offset 5: "7.5GB": expected a whole number' \
        rset-match --find 'size>7.5GB' set.json
    refused 'rset-match: --find: offset 5: "-1": expected a number of at most 9223372036854775807' \
        rset-match --find 'size>-1' set.json
}

@test "--find: properties, tags and states" {
    jq -c '.attributes.system.scheduler.tags = [
        {tag: "row", value: "B", R_lite: [{rank: "0"}]},
        {tag: "hot", R_lite: [{rank: "1", children: {core: "3"}}]}]' \
        set.json >tagged && mv tagged set.json
    passes 'rank[0-1]/core[0-3],gpu[0-1]' --find property=gen
    passes 'rank[0-1]/core[0-3],gpu[0-1]' --find property=gen=4
    nothing --find property=gen=5
    passes 'rank0/core[0-3],gpu[0-1]' --find 'tag=row'
    passes 'rank0/core[0-3],gpu[0-1]' --find 'tag=row=B'
    passes 'rank1/core3' --find tag=hot
    nothing --find tag=row=C
    passes 'rank2/core1' --find 'state=failing'
    passes 'rank3/gpu[0-1]' --find 'state=down and type=gpu'
    passes 'rank2/core1 rank3/core[0-3]' --find 'status=down and type=core'
    passes 'rank[0-1]/core[0-3] rank2/core[0,2-3]' \
        --find 'status=up and type=core'
    # only properties of the pool itself count
    nothing --find 'property=ssd and type=core'
}

@test "--find: jobs" {
    passes 'rank0/core[0-1],gpu[0-1] rank1/core0,gpu0 rank2/core[0-3],gpu[0-1]' \
        --find allocated
    passes 'rank0/core[0-1] rank1/core0' --find 'allocated=1 and type=core'
    # pools inside a pool that is held whole are held
    passes 'rank2/core[0-3]' --find 'allocated=2 and type=core'
    passes 'rank0/core[2-3] rank1/core[1-3] rank3/core[0-3]' \
        --find 'free and type=core'
    passes 'rank0/core[2-3] rank1/core[1-3]' \
        --find 'free and type=core and status=up'
    passes 'rank[0-1]/core[0-3],gpu[0-1]' --find 'shared=1 and type=node'
    nothing --find reserved
    nothing --find staged
    nothing --find exclusive
    nothing --find allocated=3
}

@test "--find: times" {
    rset-discover --hosts 'n[0-3]' --cores 0-1 |
        jq -c '.attributes.system.scheduler = {
            allocations: [
                {job: 1, R_lite: [{rank: "0"}], holds: "0",
                 start: 100, end: 200},
                {job: 2, R_lite: [{rank: "1"}], holds: "1", start: 150}],
            reservations: [{job: 3, R_lite: [{rank: "2"}], holds: "2",
                start: 300, end: 400}],
            staged: [{job: 4, R_lite: [{rank: "3"}]}]}' >set.json
    while IFS='|' read -r hosts text; do
        run -0 rset-match --find "type=node and $text" --now 160 -o hosts \
            set.json
        same "$output" "$hosts"
    done <<'END'
n[0-1]|allocated
n0|allocated@100
n[0-1]|allocated@150
n1|allocated@200
n1|allocated@+1h
n0|allocated@now=1
n2|reserved@300
n2|reserved=3
n0|start=100
n[1-2]|start!=100
n0|end<=200
n1|end>400
n[0-2]|end>now
n[1-2]|free@50 and not start=100
n[0,2]|free@200
n3|staged=4
END
    nothing --find reserved@400
}

@test "an allocation that has not begun is reserved, as in jobs" {
    rset-discover --hosts 'n[0-1]' --cores 0-1 |
        rset-alloc allocate 1 --take /cluster0/n0=1 --at 100 --duration 50 \
            --now 100 >set.json
    for now in 99 100; do
        state=$(rset-alloc jobs --columns state --no-header --now $now set.json)
        passes 'rank0/core[0-1]' --find "$state" --now $now
    done
    same "$state" allocated
    nothing --find allocated --now 99
}

@test "a reservation that has begun is allocated" {
    rset-discover --hosts 'n[0-1]' --cores 0-1 |
        rset-alloc allocate 1 --take /cluster0/n0=1 --at 100 --duration 50 \
            --now 10 >set.json
    nothing --find allocated --now 99
    passes 'rank0/core[0-1]' --find reserved --now 99
    passes 'rank0/core[0-1]' --find allocated@100 --now 99
    passes 'rank0/core[0-1]' --find reserved@100 --now 99
    for now in 100 200; do
        nothing --find reserved --now $now
        passes 'rank0/core[0-1]' --find allocated --now $now
        passes 'rank0/core[0-1]' --find allocated=1 --now $now
        passes 'rank1/core[0-1]' --available --now $now
        same "$(rset-alloc allocated -o short --now $now <set.json)" \
            'rank0/core[0-1]'
        same "$(rset-alloc status --by type 0 --now $now set.json | tr -s ' ' |
            cut -d' ' -f 4-6 | sed 1d)" $'1 0 0\n2 0 0'
    done
    same "$(rset-alloc jobs --now 100 set.json | grep -o allocated)" allocated
    same "$(rset-alloc allocated -o short --now 99 <set.json)" ''
}

@test "--find: bad expressions, with the position" {
    while IFS='~' read -r text why; do
        refused "rset-match: --find: $why" rset-match --find "$text" set.json
    done <<'END'
type~offset 4: the expression ends where an operator is expected
type=~offset 5: the expression ends where a value is expected
type=core and~offset 13: the expression ends where a criterion is expected
and~offset 0: "and": a criterion is expected here
(type=core~offset 0: "(type=core": "(" is not closed
type=core)~offset 9: ")": "and" or "or" is expected here
type=core rank=0~offset 10: "rank=0": "and" or "or" is expected here
typ=core~offset 0: "typ": no such key; near it: type
type==core~offset 4: "==": no such operator; there are =, !=, <, <=, > and >=
type<core~offset 4: "<": type takes only = and !=
free=1~offset 4: "=": free takes no value
type=a,,b~offset 5: "a,,b": an element of the list is empty
rank=x~offset 5: "x": unexpected "x" at offset 0
state=Down~offset 6: "Down": no such state; near it: down
path=n0~offset 5: "n0": expected /PATH or SUBSYSTEM:/PATH
type@5=core~offset 4: "@5": type takes no @TIME
name='a~offset 5: "'a": the quote is not closed
END
    # each of several expressions has to be complete
    refused 'rset-match: --find: offset 9: ")": "and" or "or" is expected here' \
        rset-match --find 'type=core)' --find '(rank=0' set.json
}

# --- granularity -------------------------------------------------------------

@test "--type: other pools are summed up in the nearest kept pool" {
    graph >set.json
    tree --type rack,core <<'END'
cluster0
  licence  5
  rack0
    a[0-1]  rank[0-1]
      core[0-3]
      memory  8 GB
      socket  2
    storage  100 GiB
END
    tree --type rack <<'END'
cluster0
  licence  5
  rack0
    core  8
    memory  16 GB
    node  2
    socket  4
    storage  100 GiB
END
    # nodes with contents are kept, since ranks and hosts need them
    tree --type socket,pdu <<'END'
cluster0
  licence  5
  a[0-1]  rank[0-1]
    memory  8 GB
    socket[0-1]
      core  2
  rack
  storage  100 GiB
pdu0  2000 W
END
    # the sums have everything
    for types in core node rack socket,memory cluster; do
        same "$(rset-match --type $types set.json |
            rset-match --count core,memory,socket,storage,licence,node)" \
            '8 16 4 100 5 2'
    done
}

@test "--type: units of jobs are summed up, states are kept apart" {
    tree --type node <<'END'
cluster0  shared by 1,2
  n0  rank0  {gen=4}  shared by 1
    core  4  held by 1 (2)
    gpu  2  held by 1 (2)
  n1  rank1  {gen=4,amd@gpu}  shared by 1
    core  4  held by 1 (1)
    gpu  2  held by 1 (1)
  n2  rank2  {ssd}  held by 2
    core.0  3  core
    core.1  core  failing
    gpu  2
  n3  rank3  {ssd}  down
    core  4
    gpu  2
END
    # the available amounts stay the same
    rset-match --type node set.json | rset-match --aggregate |
        cmp - <(rset-match --aggregate set.json)
}

@test "--type: above nodes, the sums over all nodes" {
    tree --type cluster <<'END'
cluster0  shared by 1,2
  core.0  11  core  held by 1 (3)  held by 2 (3)
  core.1  core  failing  held by 2
  core.2  4  core  down
  gpu.0  6  gpu  held by 1 (3)  held by 2 (2)
  gpu.1  2  gpu  down
  node.0  3  node  held by 2 (1)
  node.1  node  down
END
    rset-discover --hosts 'n[0-999]' --cores 0-3 >set.json
    tree --type cluster <<'END'
cluster0
  core  4000
  node  1000
END
}

@test "--type: a sum of pools with contents is never allocated" {
    rset-discover --hosts 'n[0-3]' --cores 0-7 -o jgf | rset-match --type cluster -o jgf >sums
    same "$(rset-match -o tree sums)" "cluster0
  core  32
  node  4"
    for how in '--shape slot/node' '--take /cluster0/node=2'; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr rset-alloc allocate 1 $how sums
        # shellcheck disable=SC2154 # run sets stderr
        same "$output$stderr" \
            "rset-alloc: sums: /cluster0/node can't be given: it is a sum of pools whose contents are beside it"
    done
    run -2 rset-match --shape slot/node sums
    run -2 rset-match --when --shape slot/node --duration 5 sums
    # their contents can be allocated, and everything above
    rset-alloc allocate 1 --shape slot/core=30 sums >held
    same "$(rset-alloc available held | rset-match --count core)" 2
    rset-alloc release 1 held | cmp - sums
    rset-alloc allocate 1 --take /cluster0=1 sums | rset-alloc release 1 | cmp - sums
    # and kept nodes
    rset-discover --hosts 'n[0-3]' --cores 0-7 -o jgf | rset-match --type node >nodes
    same "$(rset-match -N2 -o hosts nodes)" 'n[0-1]'
    # an R omits sums without a warning
    run -0 --separate-stderr rset-match --type node,core -o r <(rset-discover \
        --synthetic 'pack:2 core:2 pu:1' -o jgf)
    same "$stderr" ''
}

@test "--type: staged resources stay staged" {
    jq -c '.attributes.system.scheduler.staged = [
        {job: 5, R_lite: [{rank: "0", children: {core: "3"}}]}]' set.json |
        rset-match >staged
    run -0 rset-match --type node --include 0 -o tree staged
    same "$output" 'cluster0  shared by 1
  n0  rank0  {gen=4}  shared by 1
    core.0  3  core  held by 1 (2)
    core.1  core  staged for 5
    gpu  2  held by 1 (2)'
    rset-match --type node staged | rset-match --aggregate |
        cmp - <(rset-match --aggregate staged)
}

@test "--type: shares stay shares" {
    rset-discover --synthetic 'pack:3 core:2 pu:2' -o jgf |
        rset-alloc allocate 1 --shape core=3 |
        rset-alloc allocate 2 --shape 'slot/socket' |
        rset-alloc allocate 3 --shape node/socket |
        jq -c '(.graph.nodes[].metadata | select(.allocations)).shared = [4]' |
        rset-match >set.json
    jobs=$(rset-alloc jobs set.json | sed 1d | cut -d' ' -f1)
    same "$jobs" $'1\n2\n3\n4'
    for types in node socket core pu socket,pu node,core cluster; do
        rset-match --type "$types" set.json >out
        same "$(rset-alloc jobs out | sed 1d | cut -d' ' -f1)" "$jobs"
    done
}

@test "--type: a set that can't be shown this way is an error, not a wrong document" {
    # ids of cores that count within sockets would collide in a node
    graph | jq -c '.graph.nodes[].metadata |= (if .type == "core" and .id > 1
        then .id -= 2 | .name = "core\(.id)" | del(.paths) else . end)' >set.json
    refused 'rset-match: set.json: there would be two resources named "core0" in one node: keep the type around them as well' \
        rset-match --type core set.json
    run -0 rset-match --type core,socket set.json
    graph | sed 's/"size":8,/"size":9000000000000000000,/g' >set.json
    refused 'rset-match: set.json: memory: the sum is too large' \
        rset-match --type cluster set.json
}

@test "--type: a set that an R can't express becomes a graph" {
    run -0 rset-match --type core,gpu set.json
    cmp set.json <<<"$output"
    run -0 rset-match --type node set.json
    rset-match - <<<"$output" | cmp - <(echo "$output")
    same "$(jq -c keys <<<"$output")" '["graph"]'
    refused 'rset-match: out: core of rank 0 has no id that an R can list (if it is a sum, --type can keep its parts)' \
        rset-match -o r out <<<"$(rset-match --type node set.json >out)"
    # several sums have no ids either, also after a round trip
    rset-discover --hosts n0 --cores 5,7 |
        rset-alloc state /cluster0/n0/core7 down >two
    for form in r rv1 rv1-compact short; do
        refused 'rset-match: two: core.0 of rank 0 has no id that an R can list (if it is a sum, --type can keep its parts)' \
            rset-match --type node -o $form two
    done
    rset-match --type node -o jgf two >sums
    refused 'rset-alloc: sums: core.0 of rank 0 has no id that an R can list (if it is a sum, --type can keep its parts)' \
        rset-alloc allocate 1 -n1 -o r -w R sums
    [ ! -e R ]
    rset-alloc allocate 1 -n1 -o jgf -w R sums | rset-match -o tree >got
    same_as "$(<got)" <<'END'
cluster0  shared by 1
  n0  rank0  shared by 1
    core.0  core  held by 1
    core.1  core  down
END
    # units of sums can be requested
    graph | rset-match --type node | rset-match --shape 'slot/core=3' \
        -o tree >got
    cmp got - <<'END'
cluster0
  a0  rank0
    core  3
END
}

@test "--type is applied after the other filters" {
    tree --type node --include 0-1 --find type=gpu <<'END'
cluster0  shared by 1
  n0  rank0  {gen=4}  shared by 1
    gpu  2  held by 1 (2)
  n1  rank1  {gen=4,amd@gpu}  shared by 1
    gpu  2  held by 1 (1)
END
    run -0 rset-match --type node --available --count core,gpu set.json
    same "$output" '5 1'
}
