#!/usr/bin/env bats
# Features for scripts and for tests of other projects: an answer by status
# alone, one clock for all programs, failures that pass through a pipe, many
# jobs at once.
# shellcheck disable=SC2030,SC2031 # what tests export is their own

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    rset-discover --hosts 'n[0-3]' --cores 0-3 >all.json
    printf 'allocate %s -n1 --duration 1h\n' 1 2 3 x 1-2 |
        rset-alloc batch - --no-R --now 1000 --save used.json all.json >answers
}

# silent STATUS COMMAND...: COMMAND ends with STATUS and writes nothing.
silent() {
    local want=$1 status=0
    shift
    "$@" >out 2>&1 || status=$?
    same "$status $(<out)" "$want "
}

# --- quiet --------------------------------------------------------------------

@test "with --quiet the status is the answer" {
    silent 0 rset-match -q all.json
    silent 0 rset-match -q -N4 all.json
    silent 1 rset-match -q -N4 used.json
    silent 3 rset-match --quiet -N5 --explain all.json
    silent 1 rset-match -q --find 'type=gpu' all.json
    silent 0 rset-match -q --count node,core all.json
    silent 1 rset-match -q --validate <<<'{"version":1}'
    silent 1 rset-diff -q all.json used.json
    silent 0 rset-diff -q all.json all.json
    silent 0 rset-diff --union -q all.json used.json
    silent 1 rset-alloc release 9 -q used.json
    silent 0 rset-alloc expire --now 9999 -q used.json
    silent 0 rset-alloc jobs -q used.json
    silent 0 rset-discover -q --hosts a --cores 0
    silent 0 idset -q 0-3 -x 2
    silent 1 idset -q 0-3 --first -i 7
    silent 1 idset -q --equal 2 0-3
}

@test "--quiet works if standard output can't be written" {
    needs /dev/full
    run -2 bash -c 'rset-match all.json >/dev/full'
    run -0 bash -c 'rset-match -q all.json >/dev/full'
    run -0 bash -c 'rset-match -q all.json >&-'
    run -0 bash -c 'rset-match all.json -q | sleep 0'
}

@test "errors are printed with --quiet, too" {
    refused "rset-match: stdin: empty input: expected a document" \
        rset-match -q </dev/null
    refused "rset-diff: --zebra: unknown option (try 'rset-diff --help')" \
        rset-diff -q --zebra
    refused 'idset: argument 1: "x": unexpected "x" at offset 0' idset -q x
    run -2 --separate-stderr rset-match -q --batch - all.json <<<$'-N1\n-Q'
    same "$output" ''
    [[ $stderr == 'rset-match: stdin:2: '* ]]
    run -0 --separate-stderr rset-alloc batch - -q all.json <<<$'release 1\nzebra'
    same "$output$stderr" \
        'rset-alloc: stdin:2: "zebra": there is no such command'
}

@test "--quiet writes files and stores, and no warnings" {
    cp used.json state.json
    silent 0 rset-alloc release --all --in-place -q state.json
    cmp state.json all.json
    silent 0 rset-alloc load -q --store db used.json
    silent 0 rset-alloc release x -q --store db
    silent 1 rset-alloc release x -q --store db
    rset-match -o jgf all.json >all.jgf
    silent 0 rset-diff -q all.json all.jgf
    refused "rset-alloc: --quiet: save writes the set, or what changed (try 'rset-alloc save --help')" \
        rset-alloc save -q --store db
}

@test "a service is not quiet, and help is help" {
    refused "rset-alloc: --quiet: a service writes messages (try 'rset-alloc serve --help')" \
        rset-alloc serve -q
    refused "rset-discover: --quiet: a service writes messages (try 'rset-discover serve --help')" \
        rset-discover serve -q
    run -0 rset-match -q --help
    [[ ${lines[0]} == 'usage: '* ]]
}

# --- negative answers in a pipe ---------------------------------------------

@test "--or-empty: empty standard input is status 1" {
    set -o pipefail
    local no='stdin: no document came: the program before found nothing'
    run -1 rset-match --or-empty <<<' '
    same "$output" "rset-match: $no"
    for command in 'rset-diff all.json -' 'rset-alloc jobs' \
        'rset-alloc release 1' 'rset-alloc check' 'rset-match --validate'; do
        # shellcheck disable=SC2086
        run -1 $command --or-empty </dev/null
        same "$output" "${command%% *}: $no"
    done
    silent 1 rset-match -q --or-empty </dev/null
    rset-match -N2 all.json | rset-match --or-empty -N2 | rset-diff --or-empty \
        --subtract all.json - >left
    run -1 bash -o pipefail -c 'rset-match -q -N5 all.json |
        rset-match --or-empty -q | cat'
    same "$output" ''
}

@test "other bad input is an error with --or-empty, too" {
    : >empty
    refused 'rset-match: empty: empty input: expected a document' \
        rset-match --or-empty empty
    run -2 rset-match --or-empty <<<'{'
    refused 'rset-match: nofile: No such file or directory' \
        rset-match --or-empty nofile
    refused 'rset-alloc: stdin: empty input: expected a document' \
        rset-alloc jobs </dev/null
    refused "rset-match: --or-empty: with --store no document is read (try 'rset-match --help')" \
        rset-match --or-empty --store db
}

# --- a set as JSON ------------------------------------------------------------

@test "a set as JSON is the document" {
    rset-match -o jgf used.json >used.jgf
    for file in all.json used.json used.jgf; do
        rset-match -o json $file | cmp - $file
    done
    rset-match -o json -N1 all.json | cmp - <(rset-match -N1 all.json)
    run -1 --separate-stderr rset-match -o json -N4 used.json
    same "$output" ''
    rset-alloc available -o json used.json | cmp - <(rset-alloc available used.json)
    rset-diff --union -o json all.json all.json | cmp - all.json
    rset-discover --hosts 'n[0-3]' --cores 0-3 -o json | cmp - all.json
    rset-discover --hosts n --cores 0 --memory 1 -o json |
        cmp - <(rset-discover --hosts n --cores 0 --memory 1)
    same "$(rset-alloc batch - -o json used.json <<<available)" \
        "$(rset-alloc batch - used.json <<<available)"
    same "$(rset-match -N1 -o json --explain all.json)" '{"answer":"match"}'
    same "$(rset-match -N1 -o json --count core all.json)" '{"core":4}'
}

# --- the clock ----------------------------------------------------------------

@test "RSET_NOW sets the time of all programs" {
    export RSET_NOW=5000
    for options in '' '--duration 60' '--at +10 --duration 60' '--earliest'; do
        # shellcheck disable=SC2086
        rset-alloc allocate 7 -n1 $options all.json >one
        # shellcheck disable=SC2086
        RSET_NOW='' rset-alloc allocate 7 -n1 $options --now 5000 all.json |
            cmp - one
    done
    same "$(rset-match --when -N4 used.json)" \
        "$(RSET_NOW='' rset-match --when -N4 --now 5000 used.json)"
    same "$(rset-discover --hosts a --cores 0 --duration 60)" \
        "$(RSET_NOW='' rset-discover --hosts a --cores 0 --duration 60 --now 5000)"
    rset-alloc drain 0 --reason r all.json |
        cmp - <(RSET_NOW='' rset-alloc drain 0 --reason r --now 5000 all.json)
    rset-alloc load --store db used.json
    rset-alloc release 1 --store db
    same "$(rset-alloc history --store db -o json | jq -c '[.[] | .time]')" \
        '[5000]'
}

@test "tables, maps and timelines use RSET_NOW, too" {
    rset-alloc allocate 7 -n1 --at 2000 --duration 60 --now 1000 all.json >later
    RSET_NOW=1000 rset-match -o dot later >early
    RSET_NOW=2030 rset-match -o dot later >late
    run -1 cmp early late
    RSET_NOW=1000 rset-diff --union -o dot later later | cmp - early
    RSET_NOW=2030 rset-diff --union -o dot later later | cmp - late
    rset-match -o dot --now 1000 later | cmp - early
    RSET_NOW=1000 rset-match -o dot --now 2030 later | cmp - late
}

@test "--now overrides RSET_NOW, and counts from it" {
    export RSET_NOW=2026-11-21T08:00:00Z
    at() {
        rset-alloc allocate 7 -n1 --duration 60 "$@" all.json | jq \
            '.attributes.system.scheduler.allocations[].start'
    }
    same "$(at)" 1795248000
    same "$(at --now 1)" 1
    same "$(at --now +1h)" 1795251600
    RSET_NOW=7
    same "$(rset-alloc batch - all.json --no-R --save s <<<'
        allocate 1 -n1 --duration 1
        now 20
        allocate 2 -n1 --duration 1' | wc -l
    rset-alloc jobs -o json s | jq -c '[.[] | .start]')" '3
[7,20]'
}

@test "a bad RSET_NOW is a usage error, an empty one is ignored" {
    local why='"zebra": expected seconds, now, +DURATION or YYYY-MM-DD[THH:MM[:SS][ZONE]]'
    export RSET_NOW=zebra
    refused "rset-match: RSET_NOW: $why (try 'rset-match --help')" \
        rset-match all.json
    refused "rset-alloc: RSET_NOW: $why (try 'rset-alloc jobs --help')" \
        rset-alloc jobs all.json
    refused "rset-discover: RSET_NOW: $why (try 'rset-discover --help')" \
        rset-discover --hosts a --cores 0 --duration 1
    RSET_NOW='' rset-match all.json | cmp - all.json
    rset-diff all.json all.json
    idset 0
}

# --- many jobs ----------------------------------------------------------------

@test "release takes a set of numbers, all or none" {
    rset-alloc release 1-3 used.json | rset-alloc release x |
        rset-alloc release 1-2 | cmp - all.json
    rset-alloc release 3,1-1,2,2 used.json | cmp - <(rset-alloc release 1-3 used.json)
    run -1 --separate-stderr rset-alloc release 2-5 used.json
    same "$output$stderr" \
        'rset-alloc: used.json: job 4 holds nothing: none of 2-5 is released'
    run -1 rset-alloc release 1-18446744073709551615 used.json
    same "$output" 'rset-alloc: used.json: job 4 holds nothing: none of 1-18446744073709551615 is released'
    for job in 3-1 1- -- ',' 1,,2 1,x 1-2-3 '1, 2'; do
        run -1 rset-alloc release -- "$job" used.json
        [[ $output == "rset-alloc: used.json: job $job holds nothing" ]]
    done
    run -1 rset-alloc release 1,3 --targets 0 used.json
    same "$output" \
        'rset-alloc: used.json: 1,3 is not one job: --targets takes back a part of one'
}

@test "a set of jobs may be long" {
    local set
    seq -f 'allocate %g -n1' 101 16 316 | rset-alloc batch - --no-R \
        --save many.json all.json
    set=$(rset-alloc jobs -o json many.json | jq -r 'map(.job) | join(",")')
    set+=,$set,$set,$set,$set
    [ "${#set}" -gt 255 ]
    rset-alloc release "$set" many.json | cmp - all.json
    rset-alloc load --store db many.json
    rset-alloc release "$set" --store db
    rset-alloc save --store db 2>log | cmp - all.json
    rset-alloc check --store db
}

@test "the name of a job in the set means that job" {
    same "$(rset-alloc release 1-2 used.json | rset-alloc jobs -o json |
        jq -c '[.[] | .job]')" '[1,2,3,"x"]'
}

@test "release --all" {
    rset-alloc release --all used.json | cmp - all.json
    rset-alloc release --all <used.json | cmp - all.json
    rset-alloc release --all all.json | cmp - all.json
    rset-alloc allocate s -N1 --stage all.json | rset-alloc release --all |
        cmp - all.json
    refused "rset-alloc: --all and --targets exclude each other (try 'rset-alloc release --help')" \
        rset-alloc release --all --targets 0 used.json
    refused "rset-alloc: shrink does not take --all (try 'rset-alloc shrink --help')" \
        rset-alloc shrink --all used.json
    run -2 rset-alloc release --all 1 used.json
    run -1 rset-alloc release all used.json
    same "$output" \
        'rset-alloc: used.json: job all holds nothing: --all releases all jobs'
    rset-alloc allocate all -n1 all.json | rset-alloc release all | cmp - all.json
}

@test "many jobs in a batch and in a store" {
    same "$(rset-alloc batch - --save left used.json <<<'release 2-4
release 2-3
release --all')" '{"command":"release","job":"2-4","status":1,"why":"job 4 holds nothing: none of 2-4 is released"}
{"command":"release","job":"2-3","status":0}
{"command":"release","status":0}'
    cmp left all.json
    rset-alloc load --store db used.json
    run -1 rset-alloc release 2-4 --store db
    rset-alloc release 2-3 --store db
    rset-alloc save --store db 2>log | cmp - <(rset-alloc release 2-3 used.json)
    rset-alloc release --all --store db
    rset-alloc release --all --store db
    rset-alloc save --store db 2>log | cmp - all.json
    same "$(rset-alloc history --store db -o json | jq -c 'map(.job)')" \
        '["2-3",null]'
    rset-alloc check --store db
}

# ends JOB OPTION...: print the end of a job after it was extended at 1000.
ends() {
    rset-alloc extend "$@" --now 1000 timed.json | rset-alloc jobs -o json |
        jq ".[] | select(.job == \"$1\" or .job == ($1)).end"
}

@test "extend to a duration, or by a duration" {
    rset-alloc allocate 5 -n1 --duration 600 --at 2000 --now 1000 used.json \
        >timed.json
    same "$(ends 1 --duration 2h)" 8200
    same "$(ends 1 --duration +1h)" 8200
    same "$(ends 1 --duration 1m)" 1060
    same "$(ends 1 -t 2)" 1120
    same "$(ends 1 --time-limit +2)" 4720
    same "$(ends 5 --duration 60)" 2060
    same "$(ends 5 --duration +60)" 2660
    same "$(ends 1 --duration 0)" null
    cp all.json timed.json
    rset-alloc allocate 1 -n1 --in-place timed.json
    run -1 --separate-stderr rset-alloc extend 1 --duration 1h timed.json
    same "$stderr" \
        'rset-alloc: timed.json: job 1 has no start: set its end with --expiration'
    run -1 --separate-stderr rset-alloc extend 1 -t +1h timed.json
    same "$stderr" \
        'rset-alloc: timed.json: job 1 has no end: set its end with --expiration'
}

@test "extend refuses no end, and two ends" {
    usage() {
        refused "rset-alloc: $1 (try 'rset-alloc extend --help')" \
            rset-alloc extend "${@:2}" used.json
    }
    usage 'extend: --expiration or --duration is expected' 1
    usage '--duration and --time-limit exclude each other' 1 -t 1 --duration 1
    usage '--duration and --expiration exclude each other' 1 --duration 1 --expiration 1
    usage 'extend does not take --earliest' 1 --earliest
    run -2 rset-alloc extend 1 --duration -1 used.json
    run -2 rset-alloc extend 1 --duration + used.json
    run -2 rset-alloc extend 1 --duration ++1 used.json
    same "$(rset-alloc batch - --no-R used.json <<<'extend 1 --duration +1h')" \
        '{"command":"extend","job":"1","status":0}'
}
