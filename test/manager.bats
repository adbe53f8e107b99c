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
