#!/usr/bin/env bats
# rset-diff: differences between two sets, and their algebra.

load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    r 0-2 0-3 'n[0-2]' >a.json
    r 1-3 2-5 'n[1-3]' >b.json
    rset-match -o jgf a.json >a.jgf
    rset-match -o jgf b.json >b.jgf
}

setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
    cp "$BATS_FILE_TMPDIR"/* .
}

# r RANKS CORES HOSTS [MORE]: print an R of equal nodes.
r() {
    printf '{"version":1,"execution":{"R_lite":[{"rank":"%s","children":{"core":"%s"}}],"nodelist":["%s"]%s}}\n' \
        "$1" "$2" "$3" "${4:-}"
}

# differs LINES A B: status 1 and exactly these lines.
differs() {
    local want=$1
    shift
    run -1 --separate-stderr rset-diff "$@"
    same "$output" "$want"
}

# alike A B: status 0 and no output.
alike() {
    run -0 --separate-stderr rset-diff "$@"
    [ -z "$output" ]
}

# --- the same --------------------------------------------------------------

@test "a set does not differ from itself, in any form" {
    alike a.json a.json
    alike a.jgf a.jgf
    rset-match -o rv1 a.json >both
    alike both both
    rset-match -o rv1-compact a.json >compact
    alike both compact
    rset-match -o jgf-compact a.json >compact
    alike a.jgf compact
}

@test "order of keys, grouping of ranks and spelling do not matter" {
    cat >spelled <<'EOF'
{"execution":{"expiration":0,"nodelist":["n0","n[1,2]"],"R_lite":[
  {"children":{"core":"0,1,2-3","gpu":""},"rank":"2"},{"children":{"core":"0-3"},"rank":"[0-1]"}]},
 "attributes":{},"version":1}
EOF
    alike a.json spelled
    alike spelled a.json
}

@test "a node that is the root of a graph is compared once, as a target" {
    echo '{"graph":{"nodes":[{"id":"n","metadata":{"type":"node","id":0,"rank":0}}],"edges":[]}}' >one
    sed 's/"rank":0/"rank":0,"size":2/' one >two
    sed 's/"rank":0/"rank":3/' one >other
    run -1 rset-diff one two
    same "$output" '! rank 0 (node0): size 1 -> 2'
    run -1 rset-diff one other
    same "$output" '! rank 0 (node0): moves to rank 3'
}

@test "two documents may come in one file, or one on standard input" {
    cat a.json a.json >two
    alike two
    run -0 rset-diff a.json - <a.json
    run -0 rset-diff - a.json <a.json
    run -0 rset-diff <two
}

@test "a graph and an R are compared by R_lite, with a warning" {
    run -0 --separate-stderr rset-diff a.json a.jgf
    [ -z "$output" ]
    same "$stderr" 'rset-diff: warning: only the second has a graph: compared by R_lite'
    run -0 --separate-stderr rset-diff a.jgf a.json
    [ -z "$output" ]
    same "$stderr" 'rset-diff: warning: only the first has a graph: compared by R_lite'
    run -1 --separate-stderr rset-diff a.jgf b.json
    same "$output" "$(rset-diff a.json b.json)"
}

# --- differences -----------------------------------------------------------

@test "ranks and cores that were added or removed" {
    differs '- rank 0 (n0): core[0-3]
- rank[1-2] (n[1-2]): core[0-1]
+ rank[1-2] (n[1-2]): core[4-5]
+ rank 3 (n3): core[2-5]' a.json b.json
    differs '+ rank 0 (n0): core[0-3]
- rank[1-2] (n[1-2]): core[4-5]
+ rank[1-2] (n[1-2]): core[0-1]
- rank 3 (n3): core[2-5]' b.json a.json
}

@test "equal changes on many ranks are one line" {
    r 0-999 0-47 'n[0-999]' >big
    r 0-999 0-46 'n[0-999]' >small
    differs '- rank[0-999] (n[0-999]): core47' big small
}

@test "equal changes of many pools under one parent are one line" {
    rset-discover --hosts 'n[0-7]' --cores 0-1 --nodes-per-rack 2 -o jgf >racks
    rset-alloc down /cluster0/rack0,/cluster0/rack1,/cluster0/rack3 racks |
        rset-alloc down 4 >down
    differs '! rank 4 (n4): up -> down
! /cluster0/rack[0-1,3]: up -> down' racks down
    rset-discover --hosts 'n[0-7]' --cores 0-1 --nodes-per-rack 8 -o jgf >one
    differs '- rank[2-7] (n[2-7]): core[0-1]
+ rank[2-7] (n[2-7]): core[0-1]
- /cluster0/rack[1-3]' racks one
    run -1 rset-diff -o json one racks
    same "$(jq -r '.changes[] | select(.ranks == null).what' <<<"$output")" \
        '/cluster0/rack[1-3]'
}

@test "pools with names of their own, and links, by path" {
    cat >one <<'END'
{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0}},
{"id":"1","metadata":{"type":"node","id":0,"rank":0}},{"id":"2","metadata":{"type":"node","id":1,"rank":1}},
{"id":"p","metadata":{"type":"pdu","id":0}},{"id":"a","metadata":{"type":"license","name":"a","id":0}},
{"id":"b","metadata":{"type":"license","name":"b","id":1}}],
"edges":[{"source":"0","target":"1"},{"source":"0","target":"2"},{"source":"0","target":"a"},{"source":"0","target":"b"},
{"source":"0","target":"p"},
{"source":"p","target":"1","metadata":{"subsystem":"power"}},{"source":"p","target":"2","metadata":{"subsystem":"power"}}]}}
END
    rset-alloc down /cluster0/a,/cluster0/b one >two
    differs '! /cluster0/a: up -> down
! /cluster0/b: up -> down' one two
    jq -c '.graph.edges |= .[:5]' one >fewer
    run -1 rset-diff one fewer
    same "$output" '- /cluster0/pdu0: supplies_to /cluster0/node[0-1]'
}

@test "other hosts are one line, in the order of their ranks" {
    r 0-9 0-3 'x[0-9]' >x
    r 0-9 0-3 'x[0-4],y[7,5-6],x[8-9]' >y
    differs '! rank[5-7]: host x[5-7] -> y[7,5-6]' --key rank x y
}

@test "--stat counts the changes" {
    run -1 rset-diff --stat a.json b.json
    same "$output" '4 changes: 2 gone, 0 altered, 2 new; on 4 ranks'
    run -1 rset-diff --stat -o json a.json b.json
    same "$output" '{"same":false,"changes":4,"gone":2,"altered":0,"new":2,"ranks":4}'
    run -0 rset-diff --stat a.json a.json
    same "$output" 'no change'
    run -0 rset-diff --stat -o json a.json a.json
    same "$output" '{"same":true,"changes":0,"gone":0,"altered":0,"new":0,"ranks":0}'
    run -1 rset-diff --stat a.json <(r 0-2 0-3 'n[0-2]' ',"expiration":7')
    same "$output" '1 change: 0 gone, 1 altered, 0 new'
    run -1 rset-diff --verify a.json --stat b.json
    [[ $output == *' gone, '*' ranks' ]]
    run -1 rset-diff --audit --stat a.json a.json a.json
    [[ $output == *' altered, '*' ranks' ]]
    refused "rset-diff: --union and --stat exclude each other (try 'rset-diff --help')" \
        rset-diff --union --stat a.json b.json
}

# at_terminal COMMAND: print the output of COMMAND at a terminal, without ends
# of lines.
at_terminal() {
    TERM=xterm-256color script -qec "$1" /dev/null </dev/null | tr -d '\r'
}

@test "each sign has a colour at a terminal, and nowhere else" {
    needs pty
    local e=$'\033'
    rset-alloc down 1 a.json | rset-diff --subtract - <(r 0 0 n0) >half
    r 0-3 0-3 'n[0-3]' >larger
    rset-diff half larger >plain && return 1
    same "$(cut -c1 plain | sort -u | tr -d '\n')" '!+'
    at_terminal 'rset-diff half larger' >seen
    same "$(sed "s/$e\[[0-9;]*m//g" seen)" "$(<plain)"
    [ "$(grep -c "^$e\[38;5;136m! .*$e\[m$" seen)" = "$(grep -c '^!' plain)" ]
    [ "$(grep -c "^$e\[38;5;32m+ .*$e\[m$" seen)" = "$(grep -c '^+' plain)" ]
    at_terminal 'rset-diff larger half' >seen
    grep -q "^$e\[38;5;166m- .*$e\[m$" seen
    for off in 'NO_COLOR=1 rset-diff' 'TERM=dumb rset-diff' \
        'NO_COLOR= TERM= rset-diff'; do
        same "$(at_terminal "$off half larger")" "$(<plain)"
    done
    same "$(at_terminal 'rset-diff half larger | cat')" "$(<plain)"
    at_terminal 'NO_COLOR= rset-diff half larger' | grep -q "$e"
    same "$(at_terminal 'rset-diff -o json half larger')" \
        "$(rset-diff -o json half larger)"
}

@test "hosts, times and properties" {
    r 0-2 0-3 'n[0-1],x' >other
    run -1 --separate-stderr rset-diff --key rank a.json other
    same "$output" '! rank 2: host n2 -> x'
    r 0-2 0-3 'n[0-2]' ',"starttime":100,"expiration":200.5' >timed
    differs '! expiration: unset -> 200.5
! starttime: unset -> 100' a.json timed
    r 0-2 0-3 'n[0-2]' ',"properties":{"big":"0-1","gen=4":"2"}' >props
    run -1 --separate-stderr rset-diff a.json props
    same "$output" '! rank[0-1] (n[0-1]): gains property big
! rank 2 (n2): gains property gen=4'
}

@test "records and states" {
    rset-alloc allocate 7 -n1 -c2 a.json >one
    differs '! rank 0 (n0): core[0-1]: free -> held by 7' a.json one
    differs '! rank 0 (n0): core[0-1]: held by 7 -> free' one a.json
    rset-alloc allocate 7 -N2 a.json >two
    differs '! rank[0-1] (n[0-1]): free -> held by 7' a.json two
    sed 's/}$/,"attributes":{"system":{"scheduler":{"states":[{"state":"down","R_lite":[{"rank":"1"}]}]}}}}/' a.json >down
    differs '! rank 1 (n1): up -> down' a.json down
}

@test "a state is named with its reason, without the tag that records it" {
    rset-alloc drain n0 --reason 'broken fan' a.json >one
    differs '! rank 0 (n0): up -> drained (broken fan)' a.json one
    differs '! rank 0 (n0): drained (broken fan) -> up' one a.json
    rset-alloc drain n0 --reason disk a.json | rset-alloc tag n0 x >two
    differs '! rank 0 (n0): drained (broken fan) -> drained (disk)
! rank 0 (n0): tags: nothing -> {"x":null}' one two
    rset-alloc down n0,n1 a.json >three
    differs '! rank 0 (n0): drained (broken fan) -> down
! rank 1 (n1): up -> down' one three
}

@test "a pool is not called free if a job holds a part of it, or a pool around it" {
    rset-alloc allocate 7 -n1 -c2 a.json | rset-alloc allocate 8 -n1 >cores
    rset-alloc down n0 cores >down
    differs '! rank 0 (n0): up -> down' cores down
    rset-alloc allocate 9 -N1 a.json >node
    differs '! rank 0 (n0): core2: held by 8 -> held by 9
! rank 0 (n0): core[0-1]: held by 7 -> held by 9
! rank 0 (n0): shared by 7, shared by 8 -> held by 9' cores node
    rset-alloc shrink 9 --give /cluster0/n0/core3=1 node >part
    differs '! rank 0 (n0): held by 9 -> shared by 9' node part
}

# --- jobs -----------------------------------------------------------------

# Write two documents, as plain R or graph, with jobs 1 to 5 and sim.
two_days() {
    export RSET_NOW=1800000000
    rset-alloc allocate 1 -n2 -c2 "$1" | rset-alloc allocate 2 -N1 --duration 1h |
        rset-alloc allocate sim -n1 -c2 | rset-alloc allocate 10 -n1 |
        rset-alloc allocate 4 -N1 --at +2h --duration 60 >old
    rset-alloc release 1 old | rset-alloc allocate 3 -n2 |
        rset-alloc allocate sim -n1 --grow | rset-alloc extend 2 --duration 90m |
        rset-alloc release 10 | rset-alloc allocate 10 --include n0 -n1 |
        rset-alloc allocate 5 -n1 --at +4h --duration 60 >new
}

@test "--union: records in the second of two sets without graphs" {
    echo '{"version":1,"execution":{"R_lite":[{"rank":"0,7","children":{"core":"0-5"}},
        {"rank":"1,5","children":{}},{"rank":"2","children":{"core":"0,2","gpu":"0-2"}},
        {"rank":"4","children":{"core":"0-2,4-5"}}],"nodelist":["n0,n1,n2,n4,n5,n7"]}}' >a
    echo '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"1-5"}},
        {"rank":"1-2","children":{"core":"0,2-5"}},{"rank":"3","children":{"core":"0-4"}},
        {"rank":"4","children":{"core":"0-1,3"}},{"rank":"5","children":{"core":"0-3"}}],
        "nodelist":["n[0-5]"]},"attributes":{"system":{"scheduler":{
        "states":[{"state":"down","R_lite":[{"rank":"5"}]}]}}}}' >b
    for how in --union --xor; do
        rset-match -o jgf a >a.jgf
        rset-match -o jgf b >b.jgf
        rset-diff $how a b | rset-alloc status --by type | sed 1d >plain
        rset-diff $how a.jgf b.jgf | rset-alloc status --by type | sed 1d >graph
        grep -v '^cluster' plain | diff - <(grep -v '^cluster' graph)
    done
}

@test "--xor: a job keeps what it holds of a target in both sets" {
    rset-discover --hosts 'n[0-1]' --cores 0-1 >a
    rset-discover --hosts 'n[0-1]' --cores 0-3 |
        rset-alloc allocate 1 --targets n1 >b
    rset-diff --xor a b | rset-alloc allocated 1 -o short >got
    same "$(<got)" 'rank1/core[2-3]'
}

@test "--jobs: a line for each job that differs, by id" {
    for set in a.json a.jgf; do
        two_days $set
        differs '- job 1 ended: 4 cores on n0
! job 2 end: 2027-01-15T09:00:00Z -> 2027-01-15T09:30:00Z
+ job 3 started: 2 cores on n0
+ job 5 reserved: 1 core on n1
! job 10 moved: 1 core from n2 to n0
! job sim grew: 1 core on n0' --jobs old new
        differs '+ job 1 started: 4 cores on n0
! job 2 end: 2027-01-15T09:30:00Z -> 2027-01-15T09:00:00Z
- job 3 ended: 2 cores on n0
- job 5 no longer reserved: 1 core on n1
! job 10 moved: 1 core from n0 to n2
! job sim shrank: 1 core on n0' --jobs new old
        differs '6 changes: 1 gone, 3 altered, 2 new' --jobs --stat old new
        alike --jobs old old
        alike --jobs new new
    done
}

@test "--jobs -o json" {
    two_days a.json
    run -1 rset-diff --jobs -o json old new
    same "$(jq -c '.same, .changes[0,1,4,5]' <<<"$output")" 'false
{"change":"gone","job":1,"lost":{"ranks":"0","hosts":"n0","units":{"core":4}},"what":"job 1 ended: 4 cores on n0"}
{"change":"altered","job":2,"what":"job 2 end: 2027-01-15T09:00:00Z -> 2027-01-15T09:30:00Z"}
{"change":"altered","job":10,"lost":{"ranks":"2","hosts":"n2","units":{"core":1}},"gained":{"ranks":"0","hosts":"n0","units":{"core":1}},"what":"job 10 moved: 1 core from n2 to n0"}
{"change":"altered","job":"sim","gained":{"ranks":"0","hosts":"n0","units":{"core":1}},"what":"job sim grew: 1 core on n0"}'
    run -0 rset-diff --jobs -o json new new
    same "$output" '{"same":true,"changes":[]}'
}

@test "--jobs: cores and the node that they are in, memory, ranks without hosts" {
    rset-discover --hosts 'n[0-1]' --cores 0-3 --memory 16GiB >set.json
    rset-alloc allocate 1 --shape 'slot/[core=2;memory=4]' set.json >part
    rset-alloc allocate 1 -N1 set.json >whole
    differs '! job 1 grew: 2 cores, 12 GiB of memory on n0' --jobs part whole
    differs '! job 1 shrank: 12 GiB of memory, 2 cores on n0' --jobs whole part
    rset-alloc allocate 1 --shape 'slot/[core=2;memory=6]' set.json >bigger
    differs '! job 1 grew: 2 GiB of memory on n0' --jobs part bigger
    jq -c 'del(.execution.nodelist)' a.json >ranks
    rset-alloc allocate 1 -N2 ranks >one
    differs '+ job 1 started: 8 cores on rank[0-1]' --jobs ranks one
}

@test "--jobs: nodes that have other ranks are the same by host" {
    rset-alloc allocate 1 -N2 a.json >one
    rset-diff --rerank 'n[2,1,0]' one >two
    alike --jobs one two
    differs '! job 1 moved: 4 cores from rank 0 to rank 2' --jobs --key rank one two
    rset-alloc allocate 1 -N2 b.json >three
    differs '! job 1 moved: 4 cores from n0 to n2' --jobs one three
    run -1 --separate-stderr rset-diff --jobs one <(rset-match -o jgf a.json)
    same "$output" '- job 1 ended: 8 cores on n[0-1]'
    [[ $stderr == *'only the second has a graph'* ]]
}

@test "--jobs names the jobs that hold something else, or at other times" {
    export RSET_NOW=1000
    for seed in 1 2 3 4; do
        RANDOM=$seed
        form=$( ((seed % 2)) && echo r || echo jgf)
        rset-discover --hosts 'n[0-5]' --cores 0-3 --gpus 0 -o "$form" >idle
        for job in {1..6}; do
            case $((RANDOM % 3)) in
            0) echo "allocate $job -n$((RANDOM % 3 + 1))" ;;
            1) echo "allocate $job -N1 --duration 1h" ;;
            2) echo "allocate $job -n1 -c2 -g1" ;;
            esac
        done >lines
        rset-alloc batch lines --no-R --save old idle >out || true
        for _ in {1..8}; do
            job=$((RANDOM % 9 + 1))
            case $((RANDOM % 6)) in
            0) echo "release $job" ;;
            1) echo "allocate $job -n$((RANDOM % 3 + 1))" ;;
            2) echo "grow $job -n1" ;;
            3) echo "shrink $job --targets n$((RANDOM % 6))" ;;
            4) echo "extend $job --duration 2h" ;;
            5) echo "grow $job -N1" ;;
            esac
        done >lines
        rset-alloc batch lines --no-R --save new old >out || true
        for job in {1..9}; do
            for set in old new; do
                {
                    rset-alloc allocated --held "$job" -o short $set
                    rset-alloc jobs --job "$job" --columns start,end,units $set
                } >"$set.$job" 2>/dev/null || true
            done
            cmp -s "old.$job" "new.$job" || echo "$job"
        done >want
        [ -s want ]
        run -1 rset-diff --jobs old new
        same "seed $seed: $(awk '{ print $3 }' <<<"$output")" \
            "seed $seed: $(<want)"
    done
}

@test "graphs: sizes, units, pools above nodes, and power" {
    cat >one <<'EOF'
{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0}},{"id":"r","metadata":{"type":"rack","id":0}},
{"id":"1","metadata":{"type":"node","id":0,"rank":0}},{"id":"2","metadata":{"type":"memory","id":0,"size":8,"unit":"GB"}}],
"edges":[{"source":"0","target":"r"},{"source":"r","target":"1"},{"source":"1","target":"2"}]}}
EOF
    sed 's/"size":8/"size":16/' one >two
    run -1 rset-diff one two
    [ "${#lines[@]}" = 1 ]
    [[ $output == '! rank 0 (node0): memory0: '*8*16* ]]
    sed 's/"type":"rack","id":0/"type":"rack","id":1/' one >two
    run -1 rset-diff one two
    [[ $output == *'/cluster0/rack0'* ]]
    [[ $output == *'/cluster0/rack1'* ]]
}

@test "-o json writes differences as data" {
    run -1 rset-diff -o json a.json b.json
    same "$(jq -c '.same, [.changes[].change]' <<<"$output")" 'false
["gone","gone","new","new"]'
    run -0 rset-diff -o json a.json a.json
    same "$output" '{"same":true,"changes":[]}'
}

@test "unknown keys differ too" {
    r 0-2 0-3 'n[0-2]' ',"later":1' >one
    r 0-2 0-3 'n[0-2]' ',"later":2' >two
    run -1 rset-diff a.json one
    run -1 rset-diff one two
    run -0 rset-diff one one
}

@test "a document does not differ from its converted forms" {
    cat >one <<'EOF'
{"graph":{"nodes":[{"id":"5","metadata":{"type":"cluster","id":0,"uniq_id":9}},
{"id":"3","metadata":{"type":"node","id":0,"rank":0,"uniq_id":1}}],"edges":[{"source":"5","target":"3"}]}}
EOF
    rset-match one >two
    alike one two
    alike two one
}

# --- usage -----------------------------------------------------------------

@test "two documents are expected, no more and no fewer" {
    run -2 --separate-stderr rset-diff a.json
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" = 1 ]
    run -2 --separate-stderr rset-diff a.json a.json a.json
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" = 1 ]
    run -2 --separate-stderr rset-diff --union --subtract a.json b.json
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" = 1 ]
}

# --- algebra ---------------------------------------------------------------

@test "--union, --intersect and --subtract of two R" {
    same "$(rset-diff --union -o short a.json b.json)" \
        'rank0/core[0-3] rank[1-2]/core[0-5] rank3/core[2-5]'
    same "$(rset-diff --intersect -o short a.json b.json)" 'rank[1-2]/core[2-3]'
    same "$(rset-diff --subtract -o short a.json b.json)" \
        'rank0/core[0-3] rank[1-2]/core[0-1]'
    same "$(rset-diff --subtract -o short b.json a.json)" \
        'rank[1-2]/core[4-5] rank3/core[2-5]'
    run -0 rset-diff --union a.json b.json
    same "$output" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3"}},{"rank":"1-2","children":{"core":"0-5"}},{"rank":"3","children":{"core":"2-5"}}],"nodelist":["n[0-3]"]}}'
}

@test "graphs, and a graph with an R, in the form of the first" {
    for op in union intersect subtract; do
        want=$(rset-diff --$op -o short a.json b.json)
        for pair in 'a.jgf b.jgf' 'a.jgf b.json' 'a.json b.jgf'; do
            # shellcheck disable=SC2086
            rset-diff --$op $pair >out
            same "$(rset-match -o short out)" "$want"
            rset-match out | cmp - out
            case $pair in
            *.jgf\ *) jq -e .graph out ;;
            *) jq -e '.execution and (has("scheduling") | not)' out ;;
            esac
        done
    done
    rset-diff --union a.jgf b.jgf | cmp - <(
        rset-diff --union a.json b.json | rset-match -o jgf)
}

@test "types other than core and gpu count, in a graph and an R" {
    echo '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0","fpga":"0-3"}}],"nodelist":["n0"]}}' >fpga
    echo '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"","fpga":"2-5"}}],"nodelist":["n0"]}}' >other
    rset-match -o jgf fpga >fpga.jgf
    rset-diff --subtract fpga.jgf other | rset-match -o tree >out
    same "$(cat out)" 'cluster0
  n0  rank0
    core0
    fpga[0-1]'
    rset-diff --intersect fpga.jgf other | rset-match -o tree >out
    same "$(cat out)" 'cluster0
  n0  rank0
    fpga[2-3]'
}

@test "more than two, from left to right" {
    r 9 0 n9 >c.json
    same "$(rset-diff --union -o ranks a.json b.json c.json)" 0-3,9
    same "$(rset-diff --subtract -o short a.json b.json a.json)" ''
    same "$(rset-diff --intersect -o short a.json b.json c.json)" ''
    cat a.json b.json c.json >all
    same "$(rset-diff --union -o ranks all)" 0-3,9
}

@test "laws: with itself, with nothing" {
    r '' '' '' | sed 's/\[{.*}\],"nodelist":\[""\]/[],"nodelist":[]/' >nothing
    for set in a.json a.jgf; do
        rset-match $set >same
        rset-diff --union $set $set | cmp - same
        rset-diff --intersect $set $set | cmp - same
        [ -z "$(rset-diff --subtract -o short $set $set)" ]
        rset-diff --union $set nothing | cmp - same
        rset-diff --subtract $set nothing | cmp - same
        [ -z "$(rset-diff --intersect -o short $set nothing)" ]
    done
    same "$(rset-diff --subtract a.json a.json)" "$(cat nothing)"
    same "$(rset-diff --union nothing a.json)" "$(cat a.json)"
    rset-diff --subtract a.jgf a.jgf >empty
    rset-match empty | cmp - empty
    rset-diff --union empty a.jgf | cmp - a.jgf
}

@test "--disjoint: targets without resources are in both sets, too" {
    echo '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":""}}],"nodelist":["n0"]}}' >bare
    rset-match -o jgf bare >bare.jgf
    for pair in 'bare bare' 'bare.jgf bare.jgf' 'bare.jgf bare' 'bare bare.jgf'; do
        # shellcheck disable=SC2086 # two files
        refused "rset-diff: ${pair/ / and }: rank 0 is in both sets" \
            rset-diff --union --disjoint $pair
    done
    # each lists another type
    rset-discover --hosts n0 --cores 0-1 >cores
    rset-diff --union --disjoint bare cores | cmp - cores
}

@test "a rank is one host in both sets" {
    r 0 0 x >other
    for op in union intersect subtract; do
        refused 'rset-diff: a.json and other: rank 0 is "n0" in one set, "x" in the other; --key host compares host names instead' \
            rset-diff --$op a.json other
        refused 'rset-diff: a.jgf and other: rank 0 is "n0" in one set, "x" in the other; --key host compares host names instead' \
            rset-diff --$op a.jgf other
    done
}

@test "a line about two hosts whose ranks are shown as one" {
    R() { echo '{"version":1,"execution":{"R_lite":['"$1"'],"nodelist":["'"$2"'"]}}'; }
    R '{"rank":"0","children":{"core":"0-3"}}' A >a
    R '{"rank":"0","children":{"core":"4-5"}},{"rank":"1","children":{"core":"0-5"}}' B,A >b
    run -1 rset-diff --key host a b
    grep -xF '+ rank[0] (A,B): core[4-5]' <<<"$output"
}

@test "a set with nothing left has no jobs either" {
    rset-alloc allocate 1 -n1 a.json >one
    rset-diff --subtract -o tree one a.json >out
    same "$(cat out)" cluster0
    rset-match -o jgf one >one.jgf
    jq -c '.graph.nodes |= map(select(.metadata.type != "core"))
        | .graph.edges |= map(select(.source == "0"))' \
        a.jgf >bare.jgf
    same "$(rset-diff --intersect -o tree one.jgf bare.jgf)" 'cluster0
  n[0-2]  rank[0-2]'
}

@test "graphs with different roots are not combined" {
    sed 's/cluster0/lab0/g' a.jgf >other
    for op in union intersect subtract; do
        run -2 --separate-stderr rset-diff --$op a.jgf other
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" = 1 ]
    done
}

@test "times stay if they are equal; otherwise a warning reports the loss" {
    r 0 0 n0 ',"starttime":1,"expiration":9' >one
    r 0 0 n0 ',"starttime":1,"expiration":8' >two
    run -0 --separate-stderr rset-diff --union one one
    same "$output" "$(cat one)"
    [ -z "$stderr" ]
    run -0 --separate-stderr rset-diff --union one two
    same "$output" "$(r 0 0 n0 ',"starttime":1')"
    [ "${#stderr_lines[@]}" = 1 ]
    [[ $stderr == 'rset-diff: warning: '*expiration* ]]
    r 1 0 n1 >three
    run -0 --separate-stderr rset-diff --subtract one three
    same "$output" "$(cat one)"
    [ -z "$stderr" ]
}

@test "an intersection has the common times" {
    while IFS='|' read -r a b both; do
        r 0-1 0 'n[0-1]' "${a:+,$a}" >one
        r 0 0 n0 "${b:+,$b}" >two
        rset-match -o jgf one >one.jgf
        run -0 --separate-stderr rset-diff --intersect one two
        same "$output$stderr" "$(r 0 0 n0 "${both:+,$both}")"
        run -0 --separate-stderr rset-diff --intersect two one
        same "$output$stderr" "$(r 0 0 n0 "${both:+,$both}")"
    done <<'END'
"starttime":1,"expiration":9|"starttime":2,"expiration":8|"starttime":2,"expiration":8
"starttime":1|"expiration":8|"starttime":1,"expiration":8
"expiration":9||"expiration":9
||
END
    r 0 0 n0 ',"starttime":1,"expiration":5' >one
    r 0 0 n0 ',"starttime":5' >two
    rset-match -o rv1 one >graph
    for file in one graph; do
        run -0 --separate-stderr rset-diff --intersect -o short $file two
        same "$output$stderr" \
            "rset-diff: warning: $file: the sets have no time in common"
    done
}

# both FILE FILE: print records and states of the union, in each form and order.
both() {
    for one in "$1" "$1.rv1"; do
        for two in "$2" "$2.rv1"; do
            for pair in "$one $two" "$two $one"; do
                # shellcheck disable=SC2086 # words
                rset-diff --union -o r $pair 2>/dev/null >united
                rset-match --validate united
                jq -c '.attributes.system.scheduler |
                    [.allocations, .reservations, .staged, .states, .tags |
                     (. // []) | sort]' united
            done
        done
    done | sort -u
}

@test "a union has the times that are equal in both sets, in either order" {
    local a b want
    rset-discover --hosts n0 --cores 0 >r.json
    for times in '' 'starttime: 1' 'starttime: 2, expiration: 5' \
        'starttime: 1, expiration: 5'; do
        jq -c ".execution += {$times}" r.json >"set $times"
    done
    for a in set\ *; do
        for b in set\ *; do
            want=$(jq -cs 'map(.execution | [.starttime, .expiration]) |
                transpose | map(if .[0] == .[1] then .[0] else null end)' "$a" "$b")
            rset-diff --union "$a" "$b" 2>/dev/null >both
            same "$(jq -c '.execution | [.starttime, .expiration]' both)" "$want"
        done
    done
}

@test "a union has records and states of both sets" {
    r 0-1 0-3 'n[0-1]' >free
    rset-alloc allocate 1 -n1 -c2 free | rset-alloc down 1 >one
    rset-alloc allocate 2 --take /cluster0/n0/core2=1 --at 100 --duration 9 \
        --now 1 free | rset-alloc drain /cluster0/n0/core3 --reason fan |
        rset-alloc allocate 3 --stage --take /cluster0/n1/core0=1 >two
    for file in free one two; do
        rset-match -o rv1 $file >$file.rv1
    done
    rset-diff --union free one | cmp - one
    rset-diff --union one one | cmp - one
    # a third set records that cores of the second set only are held
    r 5 0-5 n5 >new
    r 5 2-3 n5 | rset-alloc allocate 9 -c2 >last
    rset-diff --union one new last >all
    same "$(rset-alloc allocated 9 all | rset-match -o r)" "$(r 5 2-3 n5)"
    rset-diff --union one.rv1 one.rv1 | cmp - one.rv1
    same "$(both one two)" '[[{"job":3,"R_lite":[{"rank":"1","children":{"core":"0"}}]},{"job":1,"R_lite":[{"rank":"0","children":{"core":"0-1"}}]}],[{"job":2,"R_lite":[{"rank":"0","children":{"core":"2"}}],"start":100,"end":109}],[{"job":3,"R_lite":[{"rank":"1","children":{"core":"0"}}]}],[{"state":"down","R_lite":[{"rank":"0","children":{"core":"3"}},{"rank":"1"}]}],[{"tag":"drained","value":{"reason":"fan"},"R_lite":[{"rank":"0","children":{"core":"3"}}]}]]'
    # tags are records, too: the first value wins
    rset-alloc tag 0 k=1 free | rset-alloc tag /cluster0/n1/core2 fast >one
    rset-alloc tag 0-1 k=2 free >two
    for file in one two; do
        rset-match -o rv1 $file >$file.rv1
    done
    same "$(rset-diff --union one two | jq -c '.attributes.system.scheduler.tags')" \
        '[{"tag":"fast","R_lite":[{"rank":"1","children":{"core":"2"}}]},{"tag":"k","value":"1","R_lite":[{"rank":"0"}]},{"tag":"k","value":"2","R_lite":[{"rank":"1"}]}]'
    rset-diff --union one.rv1 two -o r | cmp - <(rset-diff --union one two)
    rset-diff --union one two.rv1 | cmp - <(rset-diff --union one two)
    rset-diff --union free one | cmp - one
    # a job that holds more than it lists
    rset-alloc allocate 4 --shape slot/node/core=2 free >four
    rset-match -o rv1 four >four.rv1
    for file in four four.rv1; do
        rset-diff --union free $file | rset-alloc allocated 4 |
            cmp - <(rset-alloc allocated 4 four)
    done
}

@test "records that exclude each other are a conflict" {
    r 0-1 0-3 'n[0-1]' >free
    while IFS='|' read -r one two why; do
        # shellcheck disable=SC2086 # words
        rset-alloc $one free >a
        # shellcheck disable=SC2086
        rset-alloc $two free >b
        rset-match -o rv1 a >c
        rset-match -o rv1 b >d
        for pair in 'a b' 'c d' 'a d' 'c b' 'free a b'; do
            # shellcheck disable=SC2086
            run -2 --separate-stderr rset-diff --union $pair
            same "$output${stderr#*: *: }" "$why"
        done
    done <<'END'
allocate 1 -n1|allocate 2 -n1|/cluster0/n0/core0: held by job 1 in one set, held by job 2 in another
allocate 1 -N1|allocate 2 -n1|/cluster0/n0/core0: held by job 1 in one set, held by job 2 in another
down 0|state 0 failing|/cluster0/n0: down in one set, failing in another
END
    # consecutive allocations are none
    rset-alloc allocate 1 -N1 --duration 10 --now 1 free >a
    rset-alloc allocate 2 -N1 --at 11 --duration 10 --now 1 free >b
    rset-diff --union a b | rset-alloc jobs --now 1 | wc -l | grep -qx 3
}

@test "pools of the second set only bring their records" {
    rset-alloc allocate 1 -n1 a.json >one
    rset-alloc allocate 2 -n1 b.json >two
    rset-diff --union one two >out
    same "$(rset-alloc allocated 1 -o short out)" rank0/core0
    run -0 rset-diff --subtract one b.json
    same "$(rset-alloc allocated 1 -o short <<<"$output")" rank0/core0
    run -0 --separate-stderr rset-diff --subtract one one
    same "$output" '{"version":1,"execution":{"R_lite":[],"nodelist":[]}}'
    # shellcheck disable=SC2154 # run sets stderr
    same "$stderr" 'rset-diff: warning: one: job 1 has less than it had'
}

@test "a combined set is written with the remaining sizes" {
    cat >one <<'EOF'
{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0}},
{"id":"1","metadata":{"type":"node","id":0,"rank":0}},{"id":"2","metadata":{"type":"memory","id":0,"size":8,"unit":"GB"}}],
"edges":[{"source":"0","target":"1"},{"source":"1","target":"2"}]}}
EOF
    sed 's/"size":8/"size":3/' one >two
    same "$(rset-diff --union one two | rset-match --count memory)" 8
    same "$(rset-diff --intersect one two | rset-match --count memory)" 3
    same "$(rset-diff --subtract one two | rset-match --count memory)" 5
    same "$(rset-diff --subtract two one | rset-match --count memory)" 0
}

@test "losses of an R without a graph are reported where they occur, and only there" {
    local plain='{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-1"}}],"nodelist":["node[0-1]"]}}'
    jq -nc '{graph: {nodes: [
        {id: "c", metadata: {type: "cluster", id: 0}},
        {id: "n", metadata: {type: "node", id: 0, rank: 0, size: 8,
            allocations: [{job: 7, size: 3}]}},
        {id: "k", metadata: {type: "core", id: 0}},
        {id: "m", metadata: {type: "memory", id: 0, state: "down"}}],
        edges: [{source: "c", target: "n"}, {source: "n", target: "k"},
            {source: "n", target: "m"}]}}' >graph
    echo "$plain" >plain
    # a set without records
    run -0 --separate-stderr rset-diff --subtract -o short plain graph
    same "$output" 'rank0/core1 rank1/core[0-1]'
    same "$stderr" ''
    run -0 --separate-stderr rset-diff --union -o tree graph plain
    same "$output" 'cluster0  shared by 7
  node0  rank0  8  held by 7 (3)
    core[0-1]
    memory0  down
  node1  rank1
    core[0-1]'
    same "$stderr" ''
    # records are kept
    refused "rset-diff: plain and graph: /cluster0/node0: job 7 holds 3 of 8 units: an R without a graph names a resource only as a whole" \
        rset-diff --union plain graph
    sed -i 's/"size":8,/"size":1,/; s/"size":3/"size":1/' graph
    run -0 --separate-stderr rset-diff --union -o short plain graph
    same "$stderr" "rset-diff: warning: plain: an R without a graph can't express everything, left out: the state of /cluster0/node0/memory0"
}

# --- verification ----------------------------------------------------------

@test "of several rules for a type the last one counts" {
    r 0-2 0-2 'n[0-2]' >less
    run -1 rset-diff --verify a.json less
    same "$output" '- rank[0-2] (n[0-2]): core3'
    run -0 rset-diff --verify a.json --allow core=missing less
    same "$output" ''
    run -1 rset-diff --verify a.json --allow core=missing --allow core=strict less
    same "$output" '- rank[0-2] (n[0-2]): core3'
    run -0 rset-diff --verify a.json --allow core=strict --allow core=missing less
    same "$output" ''
}

@test "the modes of Flux: what is missing, what is in addition" {
    rset-discover --hosts n0,n1 --cores 0-1 >both
    rset-discover --hosts n0,n1 --cores 0 >less
    rset-discover --hosts n0,n1 --cores 0-2 >plus
    rset-discover --hosts n0,n1 --cores 0,2 >other
    # options of a mode; statuses for the same, less, more, others
    while IFS='|' read -r options want; do
        got=
        for set in both less plus other; do
            status=0
            # shellcheck disable=SC2086 # several options
            rset-diff --verify both $options $set >out || status=$?
            got+=" $status"
            # every finding that is a fault is printed
            [ $status = 0 ] || [ -s out ]
        done
        same "$options$got" "$options $want"
    done <<'END'
--no-extra|0 1 1 1
--allow core=strict|0 1 1 1
--allow core=extra|0 1 0 1
--no-extra --allow core=extra|0 1 0 1
--allow core=missing|0 0 0 0
--no-extra --allow core=missing|0 0 1 1
--allow core=ignore|0 0 0 0
--no-extra --allow core=ignore|0 0 0 0
END
    run -1 rset-diff --verify both --no-extra --allow core=missing other
    same "$output" '+ rank[0-1] (n[0-1]): core2'
    # nodes, too
    rset-discover --hosts n0,n1,n2 --cores 0-1 >nodes
    run -0 rset-diff --verify nodes --no-extra --allow host=missing both
    run -1 rset-diff --verify both --no-extra --allow host=missing nodes
    same "$output" '+ rank 2 (n2): core[0-1]'
}

# --- ranks -----------------------------------------------------------------

@test "--remap-cores: cores keep their order and their records" {
    rset-discover --hosts a,b,c --cores 4,6-9 --gpus 1,3 |
        rset-alloc allocate 7 --take 'b/core[6-7]=1' >odd.json
    rset-match -o jgf odd.json >odd.jgf
    for file in odd.json odd.jgf; do
        same "$(rset-diff --remap-cores -o short "$file")" \
            'rank[0-2]/core[0-4],gpu[1,3]'
        rset-diff --remap-cores "$file" >next
        rset-match --validate next
        same "$(rset-alloc allocated 7 -o short next)" 'rank1/core[1-2]'
        # what is numbered from 0 stays as it is
        rset-diff --remap-cores next | cmp - next
    done
    # cores in sockets are numbered through the node
    rset-discover --synthetic 'pack:2 core:2 pu:1' -o rv1 |
        rset-match --find 'type=core and id=1,3' |
        rset-diff --remap-cores -o rv1 >sockets
    rset-match --validate sockets
    same "$(rset-match -o table --columns path sockets | grep 'core[01]$')" \
        '/cluster0/node0/socket0/core0
/cluster0/node0/socket1/core1'
    refused "rset-diff: --patch and --remap-cores exclude each other (try 'rset-diff --help')" \
        rset-diff --patch --remap-cores odd.json odd.json
}

@test "data of another scheduler do not follow the ranks" {
    r 1-2 0-3 'n[1-2]' ',"x":1' | sed 's/}$/,"scheduling":{"tree":[]}}/' >tree
    local said="rset-diff: warning: tree: scheduling belongs to another scheduler: it is kept as it was, and does not describe these resources"
    run -0 --separate-stderr rset-diff --remap tree
    same "$(jq -c '[.execution.R_lite[0].rank, .scheduling]' <<<"$output")" \
        '["0-1",{"tree":[]}]'
    same "$stderr" "$said"
    run -0 --separate-stderr rset-diff --rerank 'n[2,1]' tree
    same "$stderr" "$said"
    # no rank changes
    run -0 --separate-stderr rset-diff --remap - <<<"$output"
    same "$stderr" ''
    # nor do the ids of cores, which are numbered from 0
    run -0 --separate-stderr rset-diff --remap --remap-cores - <<<"$output"
    same "$stderr" ''
    r 0-1 1-3 'n[1-2]' ',"x":1' | sed 's/}$/,"scheduling":{"tree":[]}}/' >cores
    run -0 --separate-stderr rset-diff --remap-cores cores
    same "$stderr" "${said/tree:/cores:}"
}

# --- responses -------------------------------------------------------------

@test "--key host warns about names that differ in the domain only" {
    for hosts in 'n1,n2' 'n1.a.org,n2' 'n1.b.org,n3' '10,m3' '10.0.0.1'; do
        rset-discover --hosts "$hosts" >"${hosts%%,*}"
    done
    warned() { # WORDS SET...
        run -0 --separate-stderr rset-diff --union --key host -o hosts "${@:2}"
        [[ $stderr = *"warning: $2: host \"$1\" differs"*"only in its domain"* ]]
    }
    warned n1.a.org n1 n1.a.org
    same "$output" 'n[1-2],n1.a.org'
    warned n1 n1.a.org n1
    warned n1 n1.a.org n1.b.org n1
    for sets in 'n1 n1' 'n1.a.org n1.b.org' '10 10.0.0.1'; do
        # shellcheck disable=SC2086
        run -0 --separate-stderr rset-diff --union --key host $sets
        same "$stderr" ''
    done
}

@test "ranks whose host stays are kept when others are replaced" {
    r 0-2 0-3 'n[0,9,2]' >spare
    run -0 rset-diff --responses a.json spare
    same "$(jq -c '.targets, .online' <<<"$output")" '"1"
null
null
"1"'
    run -0 rset-diff --responses --dialect current a.json a.json
    same "$output" ''
    # equal hosts in other ranks
    r 1-3 0-3 'n[0-2]' >later
    run -0 rset-diff --responses a.json later
    same "$(jq -c '.targets, .online' <<<"$output")" '"0-2"
null
null
"1-3"'
}

@test "the targets of a grow that are up are not in its resources, and free" {
    rset-discover --hosts '' >none
    rset-alloc drain 1 a.json | rset-alloc down 2 >down
    rset-alloc allocate 1 -n1 down >held
    for file in down held; do
        run -0 rset-diff --responses none $file
        same "$output" "{\"type\":\"grow\",\"resources\":$(<a.json),\"online\":\"0\",\"offline\":\"1-2\"}"
    done
    # a target inside a pool that is down is not up either
    rset-match -o jgf none >none.jgf
    rset-alloc down /cluster0 a.jgf >down
    run -0 rset-diff --responses none.jgf down
    [[ $output != *status* && $output == *'"online":"","offline":"0-2"}' ]]
    run -0 rset-diff --responses down a.jgf
    same "$output" '{"type":"online","targets":"0-2"}'
    sed 's/"nodelist"/"starttime":0,"expiration":1800000000.123456,&/' a.json >ends
    run -0 rset-diff --responses --dialect current a.json ends
    same "$output" '{"expiration":1800000000.123456}'
    run -0 rset-diff --responses --dialect current ends a.json
    same "$output" '{"expiration":0.0}'
    run -0 --separate-stderr rset-diff --responses a.json ends
    [[ -z $output && $stderr == *'expiration differs: this edition of RFC 28'* ]]
}

# --- audit -----------------------------------------------------------------

@test "units that are held too often are named by rank, or by path" {
    cat >one <<'EOF'
{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0}},{"id":"1","metadata":{"type":"node","id":3,"rank":7}},
{"id":"2","metadata":{"type":"socket","id":1}},{"id":"3","metadata":{"type":"memory","id":0,"size":8}},
{"id":"4","metadata":{"type":"license","name":"lic","id":-1,"size":5}}],
"edges":[{"source":"0","target":"1"},{"source":"1","target":"2"},{"source":"2","target":"3"},{"source":"0","target":"4"}]}}
EOF
    run -1 rset-diff --audit one one one
    same "$output" '! rank 7 (node3): socket1/memory0: 8 units, 16 held by one (8), one (8)
! /cluster0/lic: 5 units, 10 held by one (5), one (5)'
    sed 's/"memory","id":0/"memory","id":1/' one >two
    run -1 rset-diff --audit one two
    same "$output" '+ rank 7 (node3): socket1/memory1: not in the inventory, held by two'
    run -1 rset-diff --audit -o json one two
    same "$(jq -c '.changes[] | [.ranks, .hosts]' <<<"$output")" '["7","node3"]'
    # the id of an R names its job
    sed '1s/^{/{"id":7,/' one >seven
    sed '1s/^{/{"id":"x",/' one >x
    run -1 rset-diff --audit one seven x
    [[ $output = *'held by 7 (8), x (8)'* ]]
    # a root that the job has no part of is in the inventory as well
    echo '{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0}}],"edges":[]}}' >none
    run -0 rset-diff --audit one none none
    same "$output" ''
}

@test "an audit of plain sets: ids twice, whole nodes, resources that are not there" {
    needs jq
    rset-discover --hosts 'n[0-1]' --cores 0-1 >all
    rset-discover --hosts 'n[1-2]' --ranks 1-2 --cores 0-1,5 >a
    jq -c '.attributes.system.scheduler.exclusive = "1"' a >b
    run -1 --separate-stderr rset-diff --audit all a b
    same "$output" '! rank 1 (n1): core5 held by a, b
! rank 1 (n1): core[0-1] held by a, b
! rank 1 (n1): held whole by b, and in part by a
+ rank 1 (n1): core5 not in the inventory, held by a, b
! rank 2: core[0-1,5] held by a, b
+ rank 2: core[0-1,5] not in the inventory, held by a, b'
    rset-discover --hosts 'x[0-1]' --cores 0 >x
    run -1 rset-diff --audit all x
    same "$output" '! rank 0 is n0 in the inventory, x0 with x
! rank 1 is n1 in the inventory, x1 with x'
}

@test "differences of vertices, and of sets without hosts" {
    needs jq
    rset-discover --hosts 'n[0-1]' --cores 0-1 >plain
    rset-match -o jgf plain >graph
    differs() { # FILTER LINE
        jq -c "$1" graph >changed
        run -1 --separate-stderr rset-diff graph changed
        same "$output" "$2"
    }
    differs '.graph.nodes[1].metadata.exclusive = true' \
        '! rank 0 (n0): becomes exclusive'
    run -1 rset-diff changed graph
    same "$output" '! rank 0 (n0): is no longer exclusive'
    differs '.graph.nodes[2].metadata.basename = "c"' \
        '! rank 0 (n0): core0: basename core -> c'
    differs '.graph.nodes[0].metadata.x = {a: 1}' \
        '! /cluster0: x: nothing -> {"a":1}'
    jq -c 'del(.execution.nodelist)' plain >nameless
    run -1 --separate-stderr rset-diff plain nameless
    same "$output" '! nodelist: there -> unset'
    run -1 --separate-stderr rset-diff nameless plain
    same "$output" '! nodelist: unset -> there'
    run -0 --separate-stderr rset-diff --union nameless plain
    same "${stderr_lines[1]}" \
        'rset-diff: warning: nameless: nodelist is left out: one of the sets has none'
    run -2 --separate-stderr rset-diff --key host nameless plain
    same "${stderr_lines[1]}" \
        'rset-diff: nameless and plain: the set has no nodelist'
}

@test "responses of the current edition" {
    rset-discover --hosts 'n[0-1]' --cores 0-1 >all
    rset-match --include n0 all >n0
    rset-alloc down 0 all >down
    answers() {
        run -0 rset-diff --responses --dialect current "$1" "$2"
        same "$output" "$3"
    }
    answers all n0 '{"shrink":"1","down":"1"}'
    answers all down '{"down":"0"}'
    answers down all '{"up":"0"}'
}

@test "a patch of vertices whose names are escaped in JSON" {
    needs jq
    rset-discover --hosts 'n[0-1]' --cores 0 -o jgf |
        jq -c '.graph.nodes[0].metadata.name = "a\"b\\c"' |
        rset-match -o jgf 2>/dev/null >all
    rset-match --include n0 all >n0
    run -0 rset-diff --patch all n0
    cmp n0 <(rset-diff --apply - all <<<"$output")
    run -0 rset-diff --patch n0 all
    cmp all <(rset-diff --apply - n0 <<<"$output")
}

@test "if a pool shrinks, no job holds more than there is" {
    printf '%s' '{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster",' \
        '"id":0}},{"id":"1","metadata":{"type":"memory","id":0,"size":8}}],' \
        '"edges":[{"source":"0","target":"1"}]}}' >m8.json
    sed 's/"size":8/"size":4/' m8.json >m4.json
    rset-alloc allocate 1 --take /cluster0/memory0=3 m8.json |
        rset-alloc allocate 2 --take /cluster0/memory0=3 >held.json
    for how in --intersect --subtract; do
        rset-diff "$how" held.json m4.json 2>err >less.json
        same "$(cat err)" 'rset-diff: warning: held.json: /cluster0/memory0: job 2 loses 2 units, which no longer exist
rset-diff: warning: held.json: job 2 has less than it had'
        rset-alloc check less.json
        jq -e '.graph.nodes[1].metadata | [.size, .allocations[].size]
            == [4, 3, 1]' less.json
    done
}

@test "sizes that are too small for the jobs are refused" {
    needs jq
    jq -nc '{graph: {nodes: [
        {id: "0", metadata: {type: "cluster", id: 0}},
        {id: "1", metadata: {type: "pool", id: 0, size: 10}},
        {id: "2", metadata: {type: "part", id: 0}}],
        edges: [{source: "0", target: "1"}, {source: "1", target: "2"}]}}' >p10
    sed 's/"size":10/"size":4/' p10 >p4
    rset-alloc allocate j0 --take /cluster0/pool0=4 p10 >one
    rset-alloc allocate j1 --take /cluster0/pool0/part0=1 one >both
    # j0 would hold the whole pool, and its contents
    refused 'rset-diff: both and p4: /cluster0/pool0: only 4 of 10 units are left, and jobs have parts of it: j0, j1' \
        rset-diff --intersect both p4
    refused 'rset-diff: one and p4: /cluster0/pool0: only 4 of 10 units are left, and jobs have parts of it: j0' \
        rset-diff --intersect one p4
    # the contents of the pool are in both sets, and are removed
    run -0 --separate-stderr rset-diff --subtract both p4
    run -0 --separate-stderr rset-diff --union both p4
    cmp - both <<<"$output"
    # it would hold a part of the larger pool, and none of its contents
    rset-alloc allocate j0 --take /cluster0/pool0=4 p4 >all
    for sets in 'all p10' 'p10 all'; do
        # shellcheck disable=SC2086
        refused "rset-diff: ${sets/ / and }: /cluster0/pool0: held whole by job j0 in one set, larger in another" \
            rset-diff --union $sets
    done
    # a flag of one set applies to jobs of the other
    jq -c '.graph.nodes[1].metadata.exclusive = true' p10 >flag
    refused 'rset-diff: flag and one: /cluster0/pool0: exclusive in one set, held by job j0 in another' \
        rset-diff --union flag one
    refused 'rset-diff: flag and both: /cluster0/pool0: exclusive in one set, held by job j0 in another' \
        rset-diff --union flag both
}

@test "properties of two sets are united in time and memory that follow them" {
    needs jq
    ulimit -t 5 # of processor time; they were copied p² times a node
    for name in p q; do
        jq -nc --arg name $name '{version: 1, execution: {
            R_lite: [{rank: "0-799", children: {core: "0"}}],
            nodelist: ["n[0-799]"],
            properties: ([range(799) | {"\($name)\(.)": "\(.)-799"}] | add)}}' >$name
    done
    rset-discover --hosts 'n[0-799]' >none
    rset-diff --union none p | cmp - <(rset-match p)
    rset-diff --union p p | cmp - <(rset-match p)
    rset-diff --union p q >both
    [ "$(rset-match --requires 'p7 q798' -o ranks both)" = 798-799 ]
    [ "$(jq '.execution.properties | length' both)" = 1598 ]
}

@test "a uuid that only one document has is a difference, a generated one is not" {
    needs jq
    rset-discover --hosts n0 --cores 0 -o jgf >made
    rset-match -o jgf-compact made >none
    # they are the same in each version: of a pool with a rank, and without one
    same "$(jq -r '.graph.nodes[:2][].metadata.uuid' made)" '4af5bb27-a664-851b-997c-93bc7da5707a
81863b02-7c9f-876c-8ec9-587bf0a576eb'
    run -0 rset-diff made none
    jq -c '.graph.nodes[1].metadata.uuid = "u"' made >given
    run -1 rset-diff none given
    same "$output" '! rank 0 (n0): uuid nothing -> u'
    run -1 rset-diff given none
    same "$output" '! rank 0 (n0): uuid u -> nothing'
}

@test "sums and their single pools are combined with a warning" {
    rset-discover --synthetic 'pack:2 core:2 pu:1' -o jgf >fine
    rset-match --type node,core -o jgf fine >coarse
    rset-match -o r fine >plain
    local end='one set has sums and another single pools, which count as different (--type makes sets alike)'
    for op in union intersect subtract xor; do
        run -0 --separate-stderr rset-diff --$op fine coarse
        same "$stderr" "rset-diff: warning: fine: memory and other types: $end"
        run -0 --separate-stderr rset-diff --$op coarse fine
        same "$stderr" "rset-diff: warning: coarse: memory and other types: $end"
    done
    rset-match --type node -o jgf fine >coarse
    refused 'rset-diff: coarse and plain: core of rank 0 has no id that an R can list (if it is a sum, --type can keep its parts)' \
        rset-diff --union coarse plain
    run -0 --separate-stderr rset-diff --intersect coarse plain
    same "$stderr" "rset-diff: warning: coarse: core: $end"
    rset-match --type node -o jgf plain >alike
    run -0 --separate-stderr rset-diff --union coarse alike
    same "$stderr" ''
}

@test "nodes that move keep their uuids" {
    rset-discover --hosts 'n[0-2]' --cores 0-1 >r
    rset-diff --rerank 'n[2,1,0]' r | rset-match -o jgf >turned
    local want='! rank 0 (n0): moves to rank 2
! rank 2 (n2): moves to rank 0'
    for form in jgf jgf-compact; do
        rset-match -o $form r >straight
        run -1 rset-diff straight turned
        same "$output" "$want"
    done
}
