#!/usr/bin/env bats
# The module for Flux in instances of Flux: `make check-flux`. Each case of
# cases.bash has an instance of its own.

load ../common
TOP=${TOP%/*}

setup_file() {
    command -v flux >/dev/null || skip 'there is no flux'
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export MODULE=$RSET_BIN/sched-rset.so FAILING=$RSET_BIN/test/flux/failing_commit.so
    export MODULE_CLIENT=$RSET_BIN/test/flux/sched-rset
}

fake=(--conf=fake-resources.nnodes=4 --conf=fake-resources.cores-per-node=4
    --conf=fake-resources.gpus-per-node=2)

@test "jobs by nodes, slots, cores, GPUs, and exclusive ones" {
    instance 1 shapes
}

@test "cancels, urgency, a queue that stops and starts" {
    instance 1 queue
}

@test "drained nodes, and nodes that come back" {
    instance 4 drained
}

@test "time limits, and a changed duration after a reload" {
    instance 1 times
}

@test "an impossible job is denied, also behind a blocked job" {
    instance 1 infeasible
}

@test "bad arguments, and another scheduler, give a clear line each" {
    instance 1 arguments
}

@test "the configuration of Flux is followed" {
    instance 1 configuration
}

@test "reservations of the site" {
    instance 1 reservations
}

@test "jobs of Fluxion go on under sched-rset, and back" {
    [ -e "$(pkg-config --variable=fluxmoddir flux-core)/sched-fluxion-resource.so" ] ||
        skip 'there is no Fluxion'
    for format in rv1 rv1_nosched rv1_shorthand; do
        instance 1 fluxion $format
    done
}

# Four nodes in two racks with an ssd each; the cluster has licences.
@test "a graph: excluded ranks, memory and ssds, an instance in a job" {
    flux R encode -r0-3 -c0-3 -H 'node[0-3]' |
        jq -c '
            def vertex(id; type; n; path; more): {id: "\(id)", metadata: ({type: type, id: n,
                rank: -1, paths: {containment: path}} + more)};
            def edge(a; b): {source: "\(a)", target: "\(b)"};
            [range(4) as $i | "/cluster0/rack\($i / 2 | floor)/node\($i)" as $p |
                (10 + $i * 10) as $n |
                {v: vertex($n; "node"; $i; $p; {rank: $i}), e: edge(2 + ($i / 2 | floor); $n)},
                {v: vertex($n + 1; "memory"; 0; $p + "/memory0"; {rank: $i, size: 8, unit: "GB"}),
                    e: edge($n; $n + 1)},
                (range(4) | {v: vertex($n + 2 + .; "core"; .; $p + "/core\(.)"; {rank: $i}),
                    e: edge($n; $n + 2 + .)})] as $parts |
            .scheduling = {graph: {
                nodes: ([vertex(0; "cluster"; 0; "/cluster0"; {}),
                    vertex(1; "licence"; 0; "/cluster0/licence0"; {size: 2})] + [range(2) |
                    vertex(2 + .; "rack"; .; "/cluster0/rack\(.)"; {}),
                    vertex(4 + .; "ssd"; .; "/cluster0/rack\(.)/ssd\(.)"; {size: 100})] +
                    [$parts[].v]),
                edges: ([edge(0; 1)] + [range(2) | edge(0; 2 + .), edge(2 + .; 4 + .)] +
                    [$parts[].e])}}' >R
    timeout -k 10 600 flux start -s4 --test-hosts="node[0-3]" --conf=resource.path="$PWD/R" \
        --conf=resource.noverify=true --conf=resource.exclude=\"0\" \
        --conf=ingest.validator.disable=true \
        bash "$TOP/test/flux/cases.bash" graph 4>&-
}

@test "lost resources, and a job whose R does not fit" {
    instance 1 lost_resources
}

@test "the configuration of the page makes it the scheduler of an instance" {
    mkdir -p site/modprobe.d
    awk '/^\.Ed/ { on = 0 } on { print } /sched-rset\.toml/ { getline; on = 1 }' \
        "$TOP/man/sched-rset.7" >site/modprobe.d/sched-rset.toml
    grep -q '^provides = ' site/modprobe.d/sched-rset.toml
    export FLUX_MODPROBE_PATH_APPEND=$PWD/site FLUX_MODULE_PATH_PREPEND=$RSET_BIN
    loaded() {
        timeout -k 10 600 flux start -s1 "${fake[@]}" "$@" flux module list |
            awk '/sched/ { print $1 }'
    }
    same "$(loaded)" sched-rset
    echo 'priority = 10' >>site/modprobe.d/sched-rset.toml
    same "$(loaded)" sched-simple
    same "$(loaded --conf=modules.alternatives.sched=sched-rset)" sched-rset
}

@test "a broker of four is killed" {
    # flux start reports the killed broker
    instance 4 brokers || [ -e passed ]
}

@test "nodes are given back one by one" {
    instance 4 partial
}

@test "an instance in the instance" {
    instance 4 nested
}

@test "a reload with 2,000 running jobs" {
    fake=(--conf=fake-resources.nnodes=125
        --conf=fake-resources.cores-per-node=16)
    instance 1 reloads
    cat said >&3
}

@test "jobs that end while the scheduler starts" {
    needs valgrind
    fake=(--conf=fake-resources.nnodes=10
        --conf=fake-resources.cores-per-node=16)
    instance 1 ended
}

@test "a commit that fails denies its job alone" {
    instance 1 commits
}

@test "500 jobs, and all kinds of events" {
    instance 4 random
}

@test "a client under valgrind" {
    needs valgrind
    CLIENT="valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite $MODULE_CLIENT"
    CLIENT=$CLIENT JOBS=60 instance 4 random_client
}

@test "a client with sanitizers" {
    client=$TOP/build-san/test/flux/sched-rset
    needs "$client"
    export ASAN_OPTIONS=abort_on_error=1
    CLIENT=$client instance 4 random_client
}
