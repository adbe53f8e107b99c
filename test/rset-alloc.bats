#!/usr/bin/env bats
# rset-alloc: records of jobs in the document that goes down a pipe.

load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cat >r.json <<'EOF'
{"version":1,"execution":{"R_lite":[{"rank":"0-2","children":{"core":"0-3","gpu":"0-1"}}],"nodelist":["n[0-2]"]}}
EOF
    rset-match -o jgf r.json >graph.json
    rset-match -o rv1 r.json >both.json
    # A pool of memory and a rack above the node.
    cat >pool.json <<'EOF'
{"graph":{"nodes":[
 {"id":"c","metadata":{"type":"cluster","id":0}},
 {"id":"r","metadata":{"type":"rack","id":0}},
 {"id":"n","metadata":{"type":"node","id":0,"rank":0}},
 {"id":"0","metadata":{"type":"core","id":0}},
 {"id":"1","metadata":{"type":"core","id":1}},
 {"id":"m","metadata":{"type":"memory","id":0,"size":16,"unit":"GB"}}],
 "edges":[{"source":"c","target":"r"},{"source":"r","target":"n"},
 {"source":"n","target":"0"},{"source":"n","target":"1"},{"source":"n","target":"m"}]}}
EOF
}

setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
    cp "$BATS_FILE_TMPDIR"/* .
}

# records FILE: print path and records of each vertex that has any.
records() {
    jq -c '(.graph // .scheduling.graph).nodes[].metadata |
        {path: .paths.containment, allocations, reservations, shared, listed,
         staged} | del(..|nulls) | select(length > 1)' "$1"
}

# --- allocate --------------------------------------------------------------

@test "a plain R has allocations under attributes.system.scheduler" {
    run -0 rset-alloc allocate 1 -n1 -c2 r.json
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0-2","children":{"core":"0-3","gpu":"0-1"}}],"nodelist":["n[0-2]"]},"attributes":{"system":{"scheduler":{"allocations":[{"job":1,"R_lite":[{"rank":"0","children":{"core":"0-1"}}]}]}}}}'
    same "$(rset-alloc allocate 1 -n1 -c2 <r.json)" "$output"
    same "$(rset-alloc allocate 1 -n1 -c2 - <r.json)" "$output"
    same "$(rset-alloc -n1 allocate -c2 1 r.json)" "$output"
}

@test "whole nodes are held, and marked as such" {
    run -0 rset-alloc allocate 1 -N2 r.json
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0-2","children":{"core":"0-3","gpu":"0-1"}}],"nodelist":["n[0-2]"]},"attributes":{"system":{"scheduler":{"allocations":[{"job":1,"R_lite":[{"rank":"0-1","children":{"core":"0-3","gpu":"0-1"}}],"holds":"0-1"}]}}}}'
    # held for a listed part
    run -0 rset-alloc allocate 1 --shape slot/node/core r.json
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0-2","children":{"core":"0-3","gpu":"0-1"}}],"nodelist":["n[0-2]"]},"attributes":{"system":{"scheduler":{"allocations":[{"job":1,"R_lite":[{"rank":"0","children":{"core":"0"}}],"holds":"0"}]}}}}'
}

@test "in a graph allocations are in the vertices, by the rules of RFC 4 and 16" {
    rset-alloc allocate 1 --shape 'slot/[core;memory=6]' pool.json >one
    rset-alloc allocate job-2 --shape 'slot/memory=10' one >two
    same "$(records two)" '{"path":"/cluster0","shared":[1,"job-2"]}
{"path":"/cluster0/rack0","shared":[1,"job-2"]}
{"path":"/cluster0/rack0/node0","shared":[1,"job-2"]}
{"path":"/cluster0/rack0/node0/core0","allocations":[{"job":1,"size":1}]}
{"path":"/cluster0/rack0/node0/memory0","allocations":[{"job":1,"size":6},{"job":"job-2","size":10}]}'
    run -1 rset-alloc allocate 3 --shape slot/memory two
    # resources in a held node have no records of their own
    rset-alloc allocate 1 -N1 pool.json >whole
    same "$(records whole)" '{"path":"/cluster0","shared":[1]}
{"path":"/cluster0/rack0","shared":[1]}
{"path":"/cluster0/rack0/node0","allocations":[{"job":1,"size":1}]}'
    # except for the part that the job lists
    rset-alloc allocate 1 --shape 'slot/node/[core;memory=4]' pool.json >part
    same "$(records part)" '{"path":"/cluster0","shared":[1]}
{"path":"/cluster0/rack0","shared":[1]}
{"path":"/cluster0/rack0/node0","allocations":[{"job":1,"size":1}]}
{"path":"/cluster0/rack0/node0/core0","listed":[1]}
{"path":"/cluster0/rack0/node0/memory0","listed":[{"job":1,"size":4}]}'
    same "$(rset-alloc allocated 1 -o tree part)" 'cluster0
  rack0
    node0  rank0  exclusive
      core0  exclusive
      memory0  4 GB  exclusive'
}

@test "an R with both halves has its records in the graph alone" {
    rset-alloc allocate 1 -n1 both.json >out
    jq -e '.execution and (has("attributes") | not)' out
    same "$(records out | head -1)" '{"path":"/cluster0","shared":[1]}'
    rset-match -o r out | cmp - <(rset-alloc allocate 1 -n1 r.json)
}

@test "a duration gives the records their times, --now the start" {
    cat >job <<'EOF'
{"version":1,"resources":[{"type":"slot","count":1,"label":"t","with":[{"type":"core","count":1}]}],"tasks":[{"command":["a"],"slot":"t","count":{"per_slot":1}}],"attributes":{"system":{"duration":90.5}}}
EOF
    run -0 rset-alloc allocate 1 --jobspec job --now 1000 r.json
    same "$(jq -c .attributes.system.scheduler.allocations <<<"$output")" \
        '[{"job":1,"R_lite":[{"rank":"0","children":{"core":"0"}}],"start":1000,"end":1090.5}]'
    rset-alloc allocate 1 --jobspec job --now 1000 pool.json >out
    jq -e '[.graph.nodes[].metadata.allocations | values] == [[{"job":1,"size":1,"start":1000,"end":1090.5}]]' out
    # no time without a duration
    same "$(rset-alloc allocate 1 -n1 --now 1000 r.json)" \
        "$(rset-alloc allocate 1 -n1 r.json)"
}

@test "the next job gets free resources, in the order of ranks" {
    rset-alloc allocate 1 -n3 r.json | rset-alloc allocate 2 -n2 |
        rset-alloc allocate 3 -N1 | rset-alloc allocate 4 -n2 -g1 >all
    same "$(rset-alloc allocated 1 -o short all)" 'rank0/core[0-2]'
    same "$(rset-alloc allocated 2 -o short all)" 'rank0/core3 rank1/core0'
    same "$(rset-alloc allocated 3 -o short all)" 'rank2/core[0-3],gpu[0-1]'
    same "$(rset-alloc allocated 4 -o short all)" 'rank1/core[1-2],gpu[0-1]'
    same "$(rset-alloc available -o short all)" 'rank0/gpu[0-1] rank1/core3'
    same "$(rset-alloc allocated -o short <all)" \
        'rank0/core[0-3] rank1/core[0-2],gpu[0-1] rank2/core[0-3],gpu[0-1]'
}

@test "a job that holds something gets no more by accident" {
    rset-alloc allocate 1 -n1 r.json >one
    run -1 --separate-stderr rset-alloc allocate 1 -n1 one
    [ -z "$output" ]
    same "$stderr" 'rset-alloc: one: job 1 holds resources already'
    # not in a graph either
    rset-alloc allocate 1 -n1 graph.json >one
    run -1 --separate-stderr rset-alloc allocate 1 -n1 one
    [ -z "$output" ]
}

@test "no match now is 1, no match ever is 3, and nothing is written" {
    rset-alloc allocate 1 -N2 r.json >used
    run -1 --separate-stderr rset-alloc allocate 2 -N2 used
    [ -z "$output" ]
    same "$stderr" 'rset-alloc: used: no match now: need 2 whole nodes: 1 available (2 allocated)'
    run -3 --separate-stderr rset-alloc allocate 2 -N4 used
    [ -z "$output" ]
    same "$stderr" 'rset-alloc: used: no match ever: need 4 whole nodes: there are 3'
}

@test "--requires, --constraint, --slot-scope and --granule, as in rset-match" {
    for option in --requires=rank:2 --constraint='{"ranks": ["2"]}'; do
        rset-alloc allocate 1 -n2 "$option" r.json | rset-alloc allocated 1 |
            cmp - <(rset-match -n2 "$option" r.json)
    done
    run -3 --separate-stderr rset-alloc allocate 1 -N1 --requires rank:9 r.json
    [ -z "$output" ]
    run -0 rset-alloc allocate 1 --shape slot/memory=6 --granule pool pool.json
    same "$(rset-alloc allocated 1 -o tree <<<"$output")" 'cluster0
  rack0
    node0  rank0
      memory0  16 GB'
    run -3 --separate-stderr rset-alloc allocate 1 \
        --shape 'slot/[node;rack]' --slot-scope parent pool.json
    [ -z "$output" ]
    refused "rset-alloc: --granule: \"unit \": expected unit or pool (try 'rset-alloc allocate --help')" \
        rset-alloc allocate 1 -n1 --granule 'unit ' r.json
}

@test "a node with shares is not allocated as a whole" {
    rset-alloc allocate 1 --shape node r.json >shared
    same "$(rset-alloc allocated 1 -o short shared)" rank0
    run -0 rset-alloc allocate 2 -N1 shared
    same "$(rset-alloc allocated 2 -o ranks <<<"$output")" 1
    run -0 rset-alloc allocate 2 -n1 shared
    same "$(rset-alloc allocated 2 -o short <<<"$output")" rank0/core0
    rset-alloc release 1 shared | cmp - r.json
}

# --- jobs ------------------------------------------------------------------

@test "jobs are numbers or names, and keep their kind" {
    for job in 0 7 007 -- f58 'a job' 'q"\u' é 'é
é' 1.5 1e3 999999999999999999 1000000000000000000 18446744073709551615 \
        99999999999999999999 true null "$(printf '%0255d' 0)"; do
        for set in r.json graph.json both.json; do
            rset-alloc -n2 -c2 -- allocate "$job" $set >one
            rset-match one | cmp - one
            same "$(rset-alloc allocated -o short -- "$job" one)" 'rank0/core[0-3]'
            run -1 rset-alloc -n1 -- allocate "$job" one
            rset-alloc release -- "$job" one | cmp - $set
        done
    done
}

@test "a number and its digits are the same job" {
    rset-alloc allocate 12 -n1 r.json >number
    sed 's/"job":12/"job":"12"/' number >text
    run -1 cmp -s number text
    rset-match text | cmp - number
    rset-alloc release 12 text | cmp - r.json
    run -0 rset-diff number text
}

@test "job ids of 64 bits stay integers" {
    for job in 1000000000000000000 9223372036854775807; do
        rset-alloc allocate $job -n1 r.json |
            jq -r '.attributes.system.scheduler.allocations[0].job | type' >out
        same "$(cat out)" number
    done
}

@test "bad names of jobs are refused" {
    refused "rset-alloc: \"\": a job is a number or a name of at most 255 bytes (try 'rset-alloc allocate --help')" \
        rset-alloc allocate '' -n1 r.json
    run -2 --separate-stderr rset-alloc allocate "$(printf '%0256d' 0)" -n1 r.json
    [ -z "$output" ]
    for job in $'\xff' $'a\xc3' $'\xed\xa0\x80'; do
        run -2 --separate-stderr rset-alloc allocate "$job" -n1 r.json
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" = 1 ]
    done
}

# --- release ---------------------------------------------------------------

@test "release restores the bytes" {
    for set in r.json graph.json both.json; do
        for request in '-n1' '-n5 -c2' '-N3' '-N2 -n2 -x' '-n2 -g1' \
            '--shape slot/node/core=2' '--shape node=2' \
            '--shape slot=1-9/core=2' '--shape core=2' \
            '--shape node=2/slot/[core=2;gpu]'; do
            # shellcheck disable=SC2086
            rset-alloc allocate 1 $request $set >one
            run -1 cmp -s one $set
            rset-match one | cmp - one
            rset-alloc release 1 one | cmp - $set
        done
    done
}

@test "release leaves other jobs as they are, in any order" {
    rset-alloc allocate a -n3 r.json >a
    rset-alloc allocate b -n3 a >ab
    rset-alloc release a ab | rset-alloc allocate a -n3 | cmp - <(
        rset-alloc release a ab | rset-alloc allocate a -n3)
    rset-alloc release b ab | cmp - a
    rset-alloc release a ab | rset-alloc release b | cmp - r.json
    rset-alloc release b ab | rset-alloc release a | cmp - r.json
}

@test "releasing a job without resources is status 1" {
    refused_no() {
        run -1 --separate-stderr "$@"
        [ -z "$output" ]
    }
    refused_no rset-alloc release 1 r.json
    same "$stderr" 'rset-alloc: r.json: job 1 holds nothing'
    rset-alloc allocate 1 -n1 r.json >one
    refused_no rset-alloc release 2 one
    refused_no rset-alloc release 01 one
    refused_no rset-alloc allocated 2 one
    same "$stderr" 'rset-alloc: one: job 2 holds nothing'
}

@test "release removes reservations too" {
    sed 's/}$/,"attributes":{"system":{"scheduler":{"reservations":[{"job":5,"R_lite":[{"rank":"0","children":{"core":"0-1"}}],"start":10,"end":20}]}}}}/' r.json >in
    rset-match in | cmp - in
    same "$(rset-alloc available -o short in | head -1)" 'rank0/core[2-3],gpu[0-1] rank[1-2]/core[0-3],gpu[0-1]'
    rset-alloc release 5 in | cmp - r.json
}

# --- allocated and available -----------------------------------------------

@test "allocated is the R of the job, available the rest; together they are everything" {
    for set in r.json graph.json; do
        rset-alloc allocate 1 -n5 $set | rset-alloc allocate 2 -N1 >used
        rset-alloc allocated -o r <used >held
        rset-alloc available -o r used >free
        run -0 rset-diff --intersect -o short held free
        [ -z "$output" ]
        rset-diff --union held free >all
        rset-match -o r all | jq -c 'del(.attributes)' | cmp - r.json
    done
}

@test "the R of a job that holds more than it lists is marked" {
    rset-alloc allocate 1 --shape slot/node/core r.json >used
    run -0 rset-alloc allocated 1 used
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["n0"]},"attributes":{"system":{"scheduler":{"holds":"0"}}}}'
    same "$(rset-alloc available -o ranks used)" 1-2
    # as a match gives it
    same "$output" "$(rset-match --shape slot/node/core r.json)"
}

@test "rset-match and allocated give the same R" {
    for set in r.json graph.json both.json pool.json; do
        for request in '-n1' '-N1' '-N1 -n2 -x' '--shape slot/node/core=2' \
            '--shape slot=1-3/core' '--shape node'; do
            # shellcheck disable=SC2086
            rset-match $request $set >matched
            # shellcheck disable=SC2086
            rset-alloc allocate 1 $request -w R $set | rset-alloc allocated 1 >held
            cmp matched R
            cmp matched held
        done
    done
}

@test "no resources allocated, no resources available" {
    nothing='{"version":1,"execution":{"R_lite":[],"nodelist":[]}}'
    same "$(rset-alloc allocated <r.json)" "$nothing"
    rset-alloc allocate 1 -N3 r.json >all
    same "$(rset-alloc available all)" "$nothing"
    rset-alloc allocate 1 -N3 graph.json | rset-alloc available >out
    rset-match out | cmp - out
    [ -z "$(rset-match -o short out)" ]
}

@test "the rest of a graph is a graph that can be read" {
    cat >in <<'EOF'
{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0}},{"id":"1","metadata":{"type":"node","id":0,"rank":0}},
{"id":"2","metadata":{"type":"core","id":0}},{"id":"p","metadata":{"type":"pdu","id":0}},{"id":"q","metadata":{"type":"pdu","id":1}}],
"edges":[{"source":"0","target":"1"},{"source":"1","target":"2"},
{"source":"p","target":"1","metadata":{"subsystem":"power"}},{"source":"q","target":"1","metadata":{"subsystem":"cooling"}}]}}
EOF
    rset-alloc allocate 1 -N1 in >used
    rset-match used | cmp - used
    rset-alloc available used >left
    rset-match left | cmp - left
    rset-alloc allocated 1 used >held
    rset-match held | cmp - held
    rset-alloc release 1 used | cmp - <(rset-match in)
}

@test "available has the free units of pools" {
    rset-alloc allocate 1 --shape 'slot/[core;memory=6]' pool.json >used
    same "$(rset-alloc available -o tree used)" 'cluster0
  rack0
    node0  rank0
      core1
      memory0  10 GB'
    same "$(rset-alloc allocated 1 -o tree used)" 'cluster0
  rack0
    node0  rank0
      core0  exclusive
      memory0  6 GB'
}

@test "resources that are down or staged are not available" {
    for record in '"state":"down"' '"state":"degraded"' '"status":1' '"staged":5'; do
        sed "s/\"core\",\"id\":0/&,$record/" pool.json >in
        same "$(rset-alloc available -o short in)" rank0/core1
        sed "s/\"node\",\"id\":0/&,$record/" pool.json >in
        same "$(rset-alloc available -o short in)" ''
    done
}

# --- down the pipe ---------------------------------------------------------

@test "an allocation goes from a plain R to a graph and back" {
    rset-alloc allocate 1 -n3 -c2 r.json | rset-alloc allocate 2 -N1 >plain
    for form in jgf rv1 rv1-compact jgf-compact; do
        rset-match -o $form plain >there
        rset-match -o r there | cmp - plain
        same "$(rset-alloc allocated 2 -o short there)" 'rank2/core[0-3],gpu[0-1]'
        rset-alloc release 1 there | rset-alloc release 2 -o r | cmp - r.json
    done
}

@test "-o writes the result of a command in another form" {
    same "$(rset-alloc allocate 1 -n1 -o tree r.json)" 'cluster0  shared by 1
  n0  rank0  shared by 1
    core0  held by 1
    core[1-3]
    gpu[0-1]
  n[1-2]  rank[1-2]
    core[0-3]
    gpu[0-1]'
    rset-alloc allocate 1 -n1 -o jgf r.json | cmp - <(rset-alloc allocate 1 -n1 graph.json)
}

@test "other attributes stay" {
    sed 's/}$/,"attributes":{"system":{"scheduler":{"queue":"batch"},"x":1}}}/' r.json >in
    rset-alloc allocate 1 -n1 in >used
    jq -e '.attributes.system | .x == 1 and .scheduler.queue == "batch" and
        (.scheduler.allocations | length) == 1' used
    rset-alloc release 1 used | cmp - in
}

# --- usage -----------------------------------------------------------------

@test "usage errors are one line" {
    refused "rset-alloc: a command is expected, such as allocate or release (try 'rset-alloc --help')" \
        rset-alloc
    refused "rset-alloc: \"grab\": there is no such command (try 'rset-alloc --help')" \
        rset-alloc grab 1 r.json
    refused "rset-alloc: allocate: a job is expected (try 'rset-alloc allocate --help')" \
        rset-alloc allocate -n1
    refused "rset-alloc: release: a job is expected (try 'rset-alloc release --help')" \
        rset-alloc release
    refused "rset-alloc: allocate: a request is expected: -n, -N, --shape, --jobspec, --R, --take or --targets (try 'rset-alloc allocate --help')" \
        rset-alloc allocate 1 r.json
    for command in 'release 1' 'allocated 1' available; do
        # shellcheck disable=SC2086
        refused "rset-alloc: ${command% *} does not take a request (try 'rset-alloc ${command% *} --help')" \
            rset-alloc $command -n1 r.json
        # shellcheck disable=SC2086
        refused "rset-alloc: ${command% *} does not take a request (try 'rset-alloc ${command% *} --help')" \
            rset-alloc $command --requires rank:1 r.json
    done
    run -2 --separate-stderr rset-alloc available r.json r.json
    [ -z "$output" ]
}

@test "an extra operand is taken for a document, and the message names the right option" {
    rset-discover --hosts 'gpu[0-7]' >d.json
    refused "rset-alloc: \"ecc\" and \"d.json\": one document is expected; --reason takes the reason (try 'rset-alloc drain --help')" \
        rset-alloc drain gpu5 ecc d.json
    refused "rset-alloc: undrain: unexpected argument \"gpu6\": did you mean gpu5,gpu6? (try 'rset-alloc undrain --help')" \
        rset-alloc undrain gpu5 gpu6 d.json
    refused "rset-alloc: \"x6\" and \"d.json\": one document is expected; several hosts are one word, such as n1,n2 (try 'rset-alloc undrain --help')" \
        rset-alloc undrain gpu5 x6 d.json
}

@test "a host with or without its domain is named" {
    rset-discover --hosts 'n[1-9].site.org,x' >d.json
    refused 'rset-alloc: drain: there is no host n2; there is n2.site.org' \
        rset-alloc drain n2 d.json
    refused 'rset-match: --include: there is no host x.site.org; there is x' \
        rset-match --include x.site.org d.json
    refused 'rset-match: --include: there is no host n1.other.org' \
        rset-match --include n1.other.org d.json
    refused 'rset-discover: --property: "big:n1": there is no host "n1"; there is n1.org' \
        rset-discover --hosts n1.org --property big:n1
    run -1 --separate-stderr rset-match --requires host:n3 d.json
    same "$stderr" 'rset-match: d.json: nothing passes the filters; there is no host "n3"; there is n3.site.org'
}

@test "one document is expected" {
    cat r.json r.json >two
    for command in 'release 1' 'allocated 1' available 'allocate 1 -n1'; do
        # shellcheck disable=SC2086
        refused 'rset-alloc: two: one document is expected, there are 2' \
            rset-alloc $command two
    done
}

@test "a single operand that is a file is the document" {
    run -0 --separate-stderr rset-alloc status r.json </dev/null
    same "$output" "$(rset-alloc status <r.json)"
    run -0 --separate-stderr rset-alloc allocated r.json </dev/null
    same "$output" "$(rset-alloc allocated <r.json)"
    # a number is a job, and so is an operand before a document
    cp r.json 7
    run -1 --separate-stderr rset-alloc allocated 7 <r.json
    [[ $stderr == *'stdin:1: '* ]]
    run -1 --separate-stderr rset-alloc allocated r.json r.json
    refused "rset-alloc: down: paths, ranks or hosts are expected before \"r.json\", which is a file (try 'rset-alloc down --help')" \
        rset-alloc down r.json
}

@test "all stands for everything" {
    same "$(rset-alloc status all r.json)" "$(rset-alloc status r.json)"
    same "$(rset-alloc down all r.json | rset-match --count node --state up)" 0
    same "$(rset-match --include all r.json)" "$(rset-match r.json)"
    rset-alloc allocate 1 -N1 r.json | rset-alloc release 1 --targets all | cmp - r.json
}

@test "targets come from a file, and a list may have line breaks" {
    rset-match -o hosts r.json | idset -H -e | tr ' ' '\n' >hosts
    same "$(rset-alloc down @hosts r.json)" "$(rset-alloc down all r.json)"
    same "$(rset-alloc down "$(cat hosts)" r.json)" "$(rset-alloc down all r.json)"
    same "$(rset-match --include @hosts r.json)" "$(rset-match r.json)"
    printf '0\n1\n' >ranks
    same "$(rset-match --include @ranks r.json)" "$(rset-match --include 0-1 r.json)"
    refused 'rset-alloc: down: gone: No such file or directory' \
        rset-alloc down @gone r.json
    : >none
    refused "rset-match: --include: expected ranks or hosts (try 'rset-match --help')" \
        rset-match --include @none r.json
}

@test "a fragment released or allocated by --R is found by its paths" {
    needs jq
    jq -nc '{graph: {
        nodes: ([{id: "c", metadata: {type: "cluster", id: 0}}] +
            [range(2) | {id: "k\(.)", metadata: {type: "rack", id: .}},
                {id: "n\(.)", metadata: {type: "node", id: ., rank: .}},
                {id: "x\(.)", metadata: {type: "core", id: 0}},
                {id: "y\(.)", metadata: {type: "core", id: 1}}]),
        edges: [range(2) | {source: "c", target: "k\(.)"},
            {source: "k\(.)", target: "n\(.)"},
            {source: "n\(.)", target: "x\(.)"},
            {source: "n\(.)", target: "y\(.)"}]}}' | rset-match >racks
    rset-match -n1 -c2 --include 1 racks >job
    rset-alloc allocate 1 --R job racks >held
    # the node with its cores, and one of the cores
    jq -c '.graph.nodes |= map(select(.metadata.rank == 1)) |
        .graph.edges |= map(select(.source == "2"))' job >node
    jq -c '.graph.nodes |= .[1:2] | .graph.edges = []' node >core
    run -0 --separate-stderr rset-alloc allocate 1 --R node racks
    same "$output" "$(cat held)"
    same "$stderr" ''
    rset-alloc release 1 --R node held | cmp - racks
    rset-alloc release 1 --R core held >less
    same "$(rset-match --find allocated -o short less)" 'rank1/core1'
    rset-alloc grow 1 --R core less | cmp - held
    # a fragment of another set
    sed 's/rack1/rack9/g' node >other
    run -3 rset-alloc allocate 1 --R other racks
    run -1 rset-alloc release 1 --R other held
    run -0 --separate-stderr rset-match -o short node
    same "$output" 'rank1/core[0-1]'
    same "$stderr" 'rset-match: warning: node: the graph is a fragment: its paths leave out "/cluster0/rack1", in which it lies'
}

@test "- reads targets, as in idset, or the set if no targets are needed" {
    rset-match -o hosts --include 1 r.json >one
    for option in --include --exclude; do
        same "$(rset-match $option - r.json <one)" \
            "$(rset-match $option @one r.json)"
        refused "rset-match: $option -: the document needs a file of its own (try 'rset-match --help')" \
            rset-match $option - <r.json
    done
    same "$(rset-alloc drain - r.json <one)" "$(rset-alloc drain 1 r.json)"
    same "$(rset-alloc status - r.json <one)" "$(rset-alloc status 1 r.json)"
    same "$(rset-alloc status - <r.json)" "$(rset-alloc status r.json)"
    same "$(rset-alloc allocated - <r.json)" "$(rset-alloc allocated r.json)"
    rset-alloc allocate 1 -N2 r.json >two
    same "$(rset-alloc release 1 --targets - two <one)" \
        "$(rset-alloc release 1 --targets 1 two)"
    refused "rset-alloc: --targets -: the document needs a file of its own (try 'rset-alloc release --help')" \
        rset-alloc release 1 --targets - <two
    refused "rset-alloc: drain -: the document needs a file of its own (try 'rset-alloc drain --help')" \
        rset-alloc drain - <r.json
    run -0 rset-alloc batch - r.json <<<'drain -'
    same "$output" '{"command":"drain","status":2,"error":"targets of standard input: not in a batch"}'
}

@test "a file instead of a job is an error, not a wait at the terminal" {
    needs pty
    run -2 script -qec 'rset-alloc release r.json' /dev/null
    [[ $output == *'"r.json" is a file, but stands for a job'* ]]
}
