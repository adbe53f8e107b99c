#!/usr/bin/env bats
# rset-alloc serve with a job manager and a provider that play at random and
# check every answer (test/manager). A failure shows the seed, the messages
# before it, and the broken promise.
#
# With RSET_SOAK each plays ten times as many messages, and each edition 100,000
# of them, or a million with RSET_LONG=1. RSET_SEED repeats a run as far as two
# processes allow.

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    manager=$RSET_BIN/test/manager/manager
    needs "$manager"
    mkdir kvs
}

# plays MESSAGES OPTION... -- OPTION...: options of the manager, and of the
# service.
plays() {
    local messages=$1 options=()
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    "$manager" --messages "$messages" "${options[@]}" -- \
        ${under[@]+"${under[@]}"} "$RSET_BIN/rset-alloc" serve "${@:2}" 2>log && return
    tail -n 20 log
    return 1
}

# plays_long MESSAGES ...: likewise, but with more messages in soak.
plays_long() {
    local n=$((RSET_LONG ? 100000 : 10000))
    plays $((RSET_SOAK ? n : $1)) "${@:2}"
}

# ends N: how often each kind of end comes; more in soak
ends() {
    local n=$((RSET_SOAK ? $1 * 10 : $1))
    echo "--restarts $n --terms $n --kills $n"
}

@test "seed edition, R in files" {
    # shellcheck disable=SC2046 # options are words
    plays_long 1000 $(ends 2) --kvs kvs -- --dialect seed --kvs kvs
}

@test "seed edition, R in a store" {
    # shellcheck disable=SC2046
    plays_long 1000 $(ends 2) --store s -- --dialect seed --store s
    rset-alloc check --store s
}

@test "current edition" {
    # shellcheck disable=SC2046
    plays_long 5000 $(ends 2) --dialect current -- --dialect current
}

@test "current edition, with a store" {
    # shellcheck disable=SC2046
    plays_long 1000 $(ends 2) --dialect current --store s -- --dialect current \
        --store s
    rset-alloc check --store s
}

@test "either edition, as the provider speaks it" {
    plays 500 --auto --kvs kvs -- --dialect auto --kvs kvs
    rm -f kvs/*
    plays 500 --auto --dialect current --kvs kvs -- --dialect auto --kvs kvs
}

@test "two groups of resources, and no more than seven requests at a time" {
    plays 600 --groups default,a --limit 7 --kvs kvs -- --kvs kvs \
        --group default --group a --limit 7
}

@test "one queue for all jobs, whatever queues they name" {
    plays 1000 --joined --kvs kvs -- --kvs kvs --queues joined
}

@test "easy and conservative" {
    plays 1000 --backfill --kvs kvs -- --kvs kvs --queue-policy easy
    rm -f kvs/*
    plays 1000 --backfill --dialect current -- --dialect current \
        --queue-policy conservative --reservation-depth 5
    plays 500 --backfill --restarts 1 --kills 1 --store s -- --store s \
        --queue-policy conservative
    rset-alloc check --store s
}

# keeps_promises JOINED OPTION...: of the service. Its clock is that of the
# manager, and promises.py checks what both say. JOINED is --joined or nothing.
keeps_promises() {
    local under=(bash -c 'exec "$@" 2>&1' bash)
    # shellcheck disable=SC2086 # no word or one
    plays_long 700 --clock --lockstep --backfill --nodes 16 --in-flight 40 $1 \
        --dialect current --trace game -- --dialect current --now 2000 \
        --clock messages --log-level debug "${@:2}"
    python3 "$TEST_DIR/manager/promises.py" game "${1#--}"
}

@test "no promise is broken without a reason, and each is annotated" {
    needs python3
    keeps_promises '' --queue-policy easy
    keeps_promises '' --queue-policy conservative --reservation-depth 5
    keeps_promises --joined --queue-policy easy --queues joined
}

# said: print what a manager and a service say. Job 1 is to end at 2010, job 2 is
# promised this time, and job 3 overtakes it. Job 1 ends early.
said() {
    local job
    for job in 1 2 3; do
        echo "> {\"topic\":\"sched.alloc\",\"payload\":{\"id\":$job,\"priority\":16,\"jobspec\":{\"resources\":[1],\"attributes\":{\"system\":{}}}}}"
        case $job in
        1) answers 1 0 '"selection_type":"immediate"' 2010 ;;
        2)
            echo '< rset-alloc: job 2: reserved from 1970-01-01T00:33:30Z'
            answers 2 1 '"reason_pending":"none free"'
            answers 2 1 '"t_estimate":2010,"selection_type":"reserved"'
            ;;
        3) answers 3 0 '"selection_type":"backfilled"' 2005 ;;
        esac
    done
    echo '> {"topic":"sched.free","payload":{"id":3}}'
    echo '> {"topic":"sched.free","payload":{"id":1}}'
    answers 2 0 '"reason_pending":null,"t_estimate":null,"selection_type":"immediate"' 2020
    clock 2010
    clock 2011
}

clock() {
    echo "> {\"topic\":\"sched.clock\",\"payload\":{\"now\":$1}}"
}

# answers JOB TYPE ANNOTATIONS [END]
answers() {
    local R=${4:+',"R":{"execution":{"expiration":'$4'}}'}
    echo "< {\"topic\":\"sched.alloc\",\"payload\":{\"id\":$1,\"type\":$2,\"annotations\":{\"sched\":{$3}}$R}}"
}

# doctored SCRIPT MESSAGE: what is said, changed by sed, is wrong.
doctored() {
    said | sed "$1" >game
    python3 "$TEST_DIR/manager/promises.py" game 2>wrong && return 1
    same "$(sed 's/^game:[0-9]*: //; q' wrong)" "$2"
}

@test "broken promises and wrong annotations are noticed" {
    needs python3
    said >game
    python3 "$TEST_DIR/manager/promises.py" game
    # it starts after its time, or does not start
    doctored "/\"id\":2,\"type\":0/i$(clock 2012)" \
        'job 2 was promised 2010.0, and has to wait until 2012'
    doctored '/"id":2,"type":0/d' 'job 2 was promised 2010.0, and waits'
    # its time moves, or is taken away, though nothing has changed
    local moved='< rset-alloc: job 2: reserved from 1970-01-01T00:33:31Z' again
    again=$(answers 2 1 '"t_estimate":2011')
    doctored "/{\"id\":3}/i> {}\n$moved\n$again" \
        'job 2 was promised 2010.0, and has to wait until 2011.0'
    again=$(answers 2 1 '"t_estimate":null,"selection_type":null')
    doctored "/{\"id\":3}/i> {}\n$again" \
        'job 2 was promised 2010.0, and has no promise any more'
    doctored 's/:2010,"sel/:2012,"sel/' \
        'job 2 is promised 2010.0, and its t_estimate is 2012'
    doctored '/t_estimate":20/d' \
        'job 2 is promised 2010.0, and its t_estimate is None'
    doctored '/t_estimate":20/p' 'an estimate is sent again that was 2010'
    doctored 's/,"selection_type":"reserved"//' \
        'job 2: selection_type does not fit'
    doctored '/none free/d' 'job 2 waits without a reason'
    doctored 's/"backfilled"/"immediate"/' 'jobs before it in its queue: [2]'
    doctored 's/"reason_pending":null,//' "SUCCESS leaves {'reason_pending'}"
    doctored 's/"t_estimate":null,//' "SUCCESS leaves {'t_estimate'}"
}

@test "restarted while jobs run: no unit is lost or given twice" {
    needs python3
    python3 "$TEST_DIR/manager/restarts.py" "$RSET_BIN/rset-alloc" \
        "$RSET_BIN/rset-match" $((RSET_SOAK ? 2000 : 60)) >log ||
        { tail -n 40 log | cut -c 1-2000; return 1; }
}

@test "resources from a file" {
    # shellcheck disable=SC2046
    plays 500 $(ends 1) --resources r.json --kvs kvs -- --kvs kvs \
        --resources r.json
}

@test "a provider of its own" {
    # shellcheck disable=SC2046
    plays 500 $(ends 1) --resources r.json --kvs kvs -- --kvs kvs \
        --provider "exec '$RSET_BIN/rset-discover' serve --resources r.json"
}

@test "killed again and again while busy" {
    plays 1000 --kills $((RSET_SOAK ? 100 : 5)) --store s --in-flight 200 \
        --nodes 30 -- --store s
    rset-alloc check --store s
}

@test "without memory errors" {
    [ -n "${RSET_SOAK-}" ] || skip 'in soak'
    needs valgrind
    [ -z "${SAN-}" ] || skip 'sanitizers look for the same'
    local under=(valgrind -q --leak-check=full --error-exitcode=9)
    unset RSET_SOAK
    plays 3000 --restarts 3 --terms 3 --kvs kvs -- --kvs kvs
    plays 1500 --restarts 3 --terms 3 --dialect current --store s -- \
        --dialect current --store s
}
