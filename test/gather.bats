# Across a cluster: each host writes a line, and rset-diff makes one set of
# them.

# shellcheck disable=SC2030,SC2031 # what tests export is their own

load common

hosts='n[0-15]'

# host HOST: print the set of one of 16 hosts, each with 4 cores and GPUs.
host() { # HOST
    sed "s/gpu012/$1/" "$TEST_DIR/fixtures/hwloc-gpus.xml" |
        rset-discover --xml - "${@:2}"
}

# on_hosts COMMAND...: let pdsh run COMMAND here for each of the hosts.
on_hosts() { # COMMAND...
    pdsh -S -R exec -f 16 -w "$hosts" "$@"
}

# --- one line, one write -------------------------------------------------

# Print the system calls by which this shell and its finished children wrote
# data.
writes() {
    local key value
    while read -r key value; do
        [ "$key" != syscw: ] || written=$value
    done </proc/self/io
}

@test "a document of up to 1 MiB is one line and one write" {
    needs /proc/self/io
    for cores in 1 7 61; do
        writes
        before=$written
        rset-discover --hosts 'n[0-99]' --cores "0-$cores" -o jgf-compact >line
        writes
        [ "$((written - before))" = 1 ]
        [ "$(wc -l <line)" = 1 ]
    done
    [ "$(wc -c <line)" -gt 600000 ]
    [ "$(wc -c <line)" -lt 1048576 ]
}

# --- ranks that launchers give -------------------------------------------

@test "--rank is the rank of this machine, or of a single --xml" {
    same "$(rset-discover --rank 7 -o ranks)" 7
    same "$(host n7 --rank 7)" \
        '{"version":1,"execution":{"R_lite":[{"rank":"7","children":{"core":"0-3","gpu":"0-3"}}],"nodelist":["n7"]}}'
    host n7 -o jgf-compact | sed 's/"rank":0/"rank":7/g' >graph
    host n7 -o jgf-compact --rank 7 | cmp - graph
    for rank in '' x -1 1-2 4294967295; do
        run -2 rset-discover --rank "$rank"
        same "$output" "rset-discover: --rank: \"$rank\": a rank is expected, from 0 to 4294967294"
    done
    ln -s "$TEST_DIR/fixtures/hwloc-gpus.xml" gpus.xml
    for other in '--hosts a' '--synthetic pu:1' '--cores 0' '--ranks 3' \
        '--xml gpus.xml --hosts a'; do
        # shellcheck disable=SC2086 # a list of words
        refused "rset-discover: --rank is for this machine, or for one --xml (try 'rset-discover --help')" \
            rset-discover --rank 1 $other
    done
}

@test "the innermost launcher gives the rank" {
    export SLURM_NODEID=4
    same "$(rset-discover -o ranks)" 4
    export FLUX_TASK_RANK=3
    same "$(rset-discover -o ranks)" 3
    export PMIX_RANK=2
    same "$(rset-discover -o ranks)" 2
    export OMPI_COMM_WORLD_RANK=1
    same "$(rset-discover -o ranks)" 1
    same "$(host n1 -o ranks)" 1
    same "$(rset-discover --rank 0 -o ranks)" 0
    same "$(rset-discover --hosts 'a,b' -o ranks)" 0-1
    same "$(rset-discover --synthetic pu:1 -o ranks)" 0
    for rank in '' x 4294967295; do
        OMPI_COMM_WORLD_RANK=$rank refused \
            "rset-discover: OMPI_COMM_WORLD_RANK: \"$rank\": a rank is expected, from 0 to 4294967294" \
            rset-discover
    done
}

@test "Slurm's name of a node becomes the host of this machine, and of no other" {
    export SLURM_NODEID=4 SLURMD_NODENAME=cn07
    same "$(rset-discover -o hosts)" cn07
    same "$(rset-discover -o jgf | rset-match --find 'type=node' -o short)" \
        "$(rset-discover -o short)"
    same "$(host n1 -o hosts)" n1
    SLURMD_NODENAME=a/b refused \
        "rset-discover: SLURMD_NODENAME: \"a/b\": '/' is not allowed in the name of a host" \
        rset-discover
    PMIX_RANK=4 run -0 rset-discover -o hosts
    [ "$output" != cn07 ]
}

# --- gathering -----------------------------------------------------------

all='{"version":1,"execution":{"R_lite":[{"rank":"0-15","children":{"core":"0-3","gpu":"0-3"}}],"nodelist":["n[0-15]"]}}'

@test "pdsh gathers 16 hosts into one R" {
    needs pdsh
    on_hosts sh -c 'sed "s/gpu012/%h/" "$0" | rset-discover --xml -' \
        "$TEST_DIR/fixtures/hwloc-gpus.xml" >gathered
    [ "$(grep -c '^n[0-9]*: {' gathered)" = 16 ]
    tac gathered >other
    # the order of lines does not matter
    for lines in gathered other; do
        same "$(rset-diff --union --key host --rerank "$hosts" $lines)" "$all"
        same "$(rset-diff --union --key host --remap -o hosts $lines)" \
            "$(cut -d: -f1 $lines | idset -H)"
    done
}

@test "pdsh gathers graphs, and given ranks" {
    needs pdsh
    on_hosts sh -c 'sed "s/gpu012/%h/" "$0" |
        PMIX_RANK=%n rset-discover --xml - -o jgf' \
        "$TEST_DIR/fixtures/hwloc-gpus.xml" | rset-diff --union - >graph
    same "$(rset-match -o r graph)" "$all"
    same "$(rset-match -o jgf graph | rset-match --count socket,nic)" \
        "$(for i in {0..15}; do host "n$i" -o jgf; done |
            rset-diff --union --key host --remap |
            rset-match --count socket,nic)"
}

@test "a cluster of one node works in the same way" {
    host n7 >one
    for command in 'rset-diff --union -' 'rset-diff --union' \
        'rset-diff --union --disjoint -' 'rset-diff --union --key host -'; do
        $command <one | cmp - one
    done
    sed 's/^/n7: /' one | rset-diff --union --key host --rerank n7 - |
        cmp - one
    refused 'rset-diff: stdin:1: host "n7" is not in the list' \
        rset-diff --union --key host --rerank n8 - <one
    # a graph, with jobs
    host n7 -o jgf | rset-alloc allocate 1 -n1 >graph
    rset-diff --union - <graph | cmp - graph
}

# recipes: print the commands of rset-discover(1) that gather a cluster.
recipes() {
    sed -n '/^flux run/,/^\.Ed/p' "$TOP/man/rset-discover.1" |
        sed "\$d; s/\\\\(aq/'/g" | sed -z 's/|\n */| /g'
}

@test "the recipes list resources that launchers hide from a process" {
    same "$(recipes | wc -l)" 6
    same "$(recipes | grep -c 'rset-discover --no-restrict | rset-diff')" 6
}

@test "mpirun gathers this host with all of its cores" {
    needs mpirun
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_rmaps_base_oversubscribe=1
    mpirun -N 1 true || skip "mpirun starts nothing here"
    recipe=$(recipes | grep '^mpirun')
    eval "$recipe"
    rset-discover --no-restrict | cmp - cluster.json
    eval "${recipe/-N 1/-np 2}"
    same "$(rset-match -o ranks cluster.json)" 0-1
    rset-match --include 1 cluster.json | rset-diff --remap - |
        cmp - <(rset-discover --no-restrict)
}

@test "a host that fails is named" {
    needs pdsh
    status=0
    on_hosts sh -c '[ %h = n7 ] && exec /nowhere/rset-discover
        rset-discover --hosts %h' >gathered 2>err || status=$?
    [ "$status" = 127 ]
    grep -q 'n7.*127' err
    run -0 rset-diff --union --key host --remap -o hosts gathered
    same "$(idset -H -c "$output")" 15
    refused 'rset-diff: --union: there is no host "n7"' \
        rset-diff --union --key host --rerank "$hosts" gathered
    # its message is a line among the documents
    (cat gathered && echo 'n7: sh: 1: rset-discover: not found') >all
    refused 'rset-diff: all (n7): line 16, column 5: "sh": expected a value' \
        rset-diff --union --key host --remap all
}

@test "a line that is no document is reported with its host" {
    rset-discover --hosts a >a
    says() { # WHAT LINE
        (sed 's/^/a: /' a && printf '%b' "$2" && sed 's/^/z: /; s/"a"/"z"/' a) |
            refused "rset-diff: $1" rset-diff --union --key host
    }
    says 'stdin (b.c-d_1): line 2, column 23: input ends in the middle of a document' \
        'b.c-d_1: {"version":1,\nb.c-d_1: "execution":{}}\n'
    says 'stdin (b): an empty line: expected a document' 'b: \n'
    says 'stdin (b): an empty line: expected a document' 'b:\n'
    says 'stdin (b): version: 2: expected version 1' 'b: {"version":2}\n'
    says 'stdin (b): line 2, column 4: "oops": expected a value' 'b: oops\n'
    says 'stdin (b): line 2, column 97: "x": expected a value' "b: $(cat a) x\n"
    says 'stdin:2: line 2, column 1: "no": expected a value' 'no host\n'
    # a host is required before the colon
    says 'stdin:2: line 2, column 1: ":": expected a value' ": $(cat a)\n"
    says 'stdin:2: line 2, column 1: ":": expected a value' ":$(cat a)\n"
}

@test "only a union accepts such lines" {
    echo "a: $(rset-discover --hosts a)" >line
    cat line line | rset-diff --union -o hosts - >out
    same "$(cat out)" a
    for command in 'rset-match line' 'rset-diff line line' \
        'rset-diff --subtract line line'; do
        # shellcheck disable=SC2086 # a list of words
        refused "${command%% *}: line: line 1, column 1: \"a\": expected a value" \
            $command
    done
}

@test "lines may be long, and stand among documents without a host" {
    rset-discover --hosts 'a[0-49]' --cores 0-63 -o jgf >long
    rset-discover --hosts b --ranks 50 -o jgf >b
    [ "$(wc -c <long)" -gt 500000 ]
    (cat b && sed 's/^/a: /' long && cat b && printf 'a: %s' "$(cat long)") |
        rset-diff --union >out
    rset-diff --union b long | cmp - out
    # in pieces, as from a pipe
    sed 's/^/a: /' long | (dd bs=65537 count=1 iflag=fullblock && sleep 0.1 && cat) 2>/dev/null |
        rset-diff --union - long | cmp - <(rset-diff --union long long)
}
