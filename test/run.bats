#!/usr/bin/env bats
# test/run: how it counts and reports.

load common

# A tree of its own, with shell scripts as programs.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir -p test/unit build/test/unit
    cp "$TOP/test/run" "$TOP/test/tap.awk" "$TOP/test/common.bash" test
    unset RSET_BIN RSET_INSTALLED
}

program() { # NAME BODY
    : >"test/unit/test_$1.c"
    printf '#!/bin/sh\n%s\n' "$2" >"build/test/unit/test_$1"
    chmod +x "build/test/unit/test_$1"
}

last() {
    same "${lines[-1]}" "$1"
}

@test "tests that pass give a line and a sum" {
    program a 'echo "ok 1 - x"; echo "ok 2 - y"; echo 1..2'
    program b 'echo 1..1; echo "ok 1"'
    run -0 test/run
    [[ $output == *'ok   unit/test_a '*' 2 passed'* ]]
    [[ ${lines[-2]} == 'time: '*' s' ]]
    last '3 passed, 0 failed'
}

@test "a failed test is shown with its output" {
    program a 'echo "ok 1 - x"; echo "not ok 2 - y"; echo "# why"
        echo "ok 3 - z"; echo 1..3; echo "on stderr" >&2; exit 1'
    run -1 test/run
    [[ $output == *'=== unit/test_a
not ok 2 - y
# why
--- standard error
on stderr
'* ]]
    last '2 passed, 1 failed'
}

@test "output before the failure is shown, too: a seed, a case of a law" {
    program a 'echo "# seed 7"; echo "ok 1 - x"; echo "# case 3"; echo "ok 2"
        echo "not ok 3 - y"; echo "# 1 failed"; echo 1..3; exit 1'
    run -1 test/run
    [[ $output == *'=== unit/test_a
# seed 7
# case 3
not ok 3 - y
# 1 failed
'* ]]
}

@test "a crash, a hole in the plan, a status, silence: each is a failure" {
    program crash 'echo "ok 1 - x"; echo "# at y"; kill -SEGV $$'
    program hole 'echo 1..3; echo "ok 1 - x"'
    program status 'echo "ok 1 - x"; echo 1..1; exit 23'
    program silent ''
    : >test/unit/test_notbuilt.c
    run -1 test/run
    [[ $output == *'# at y
!!! died of signal 11'* ]]
    [[ $output == *'!!! 3 tests were planned, 1 ran'* ]]
    [[ $output == *'!!! ended with status 23'* ]]
    [[ $output == *'!!! no plan: did it run?'* ]]
    [[ $output == *'!!! ended with status 127'* ]]
    last '3 passed, 5 failed'
}

@test "tests that hang are stopped, waiting or computing" {
    needs /proc/self/stat
    program waits 'sleep 600'
    program waits_in 'echo "ok 1 - x"; (sleep 600; echo); echo "ok 2"'
    program computes '(while :; do :; done)'
    TEST_TIMEOUT=1 run -1 test/run
    [ "$(grep -c '^!!! stopped: it did nothing for 1 s' <<<"$output")" = 2 ]
    [ "$(grep -c '^!!! stopped: it computed for 1 s' <<<"$output")" = 1 ]
}

@test "a test that works is not stopped, however long it takes" {
    needs /proc/self/stat
    program slow 'for i in 1 2 3 4 5 6 7 8 9; do
            n=0; while [ $n -lt 20000 ]; do n=$((n + 1)); done; sleep 0.3
        done; echo "ok 1 - x"; echo 1..1'
    TEST_TIMEOUT=2 run -0 test/run
    last '1 passed, 0 failed'
}

@test "skipped tests are named, and not counted" {
    printf '%s\n' 'load common' '@test "x" { true; }' \
        '@test "y" { skip "no y here"; }' >test/a.bats
    run -0 test/run
    [[ $output == *'skipped: a.bats: y # skip no y here'* ]]
    last '1 passed, 0 failed'
}

@test "tests that are skipped for one reason have one line" {
    printf '%s\n' 'load common' '@test "x" { skip "no z here"; }' \
        '@test "y" { skip "no y here"; }' '@test "z" { skip "no z here"; }' \
        '@test "w" { true; }' >test/a.bats
    run -0 test/run
    same "$(grep '^skipped: ' <<<"$output")" \
        'skipped: a.bats: 2 tests # skip no z here
skipped: a.bats: y # skip no y here'
    last '1 passed, 0 failed'
}

@test "a bats file with errors is a failure" {
    echo '@test "x" {' >test/a.bats
    run -1 test/run
    [[ ${lines[-1]} =~ ^'0 passed, '[1-9]' failed'$ ]]
}

@test "installed programs: the bats files alone, with these first in PATH" {
    program a 'echo "not ok 1 - x"; exit 1'
    mkdir bin
    printf '#!/bin/sh\necho mine\n' >bin/idset
    chmod +x bin/idset
    printf '%s\n' 'load common' \
        '@test "x" { [ "$(idset)" = mine ]; }' >test/a.bats
    RSET_BIN=bin run -0 test/run
    last '1 passed, 0 failed'
}

@test "a name selects tests, and one that selects none is an error" {
    program a 'echo "ok 1"; echo 1..1'
    program b 'echo "ok 1"; echo 1..1'
    run -0 test/run build test_b
    last '1 passed, 0 failed'
    refused 'test/run: no test is named so: nothing' test/run build nothing
}

@test "no standard input, no terminal" {
    program a 'cat; echo "ok 1"; echo 1..1'
    run -0 bash -c 'CI=true test/run <&-'
    last '1 passed, 0 failed'
}
