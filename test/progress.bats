#!/usr/bin/env bats
# Progress on standard error, at a terminal only. The timer's signal is sent by
# hand while a program waits for its input, so that no test takes its seconds.

load common

setup() {
    needs pty
    cd "$BATS_TEST_TMPDIR" || return 1
    rset-discover --hosts 'n[0-3]' --cores 0-3 >set.json
    mkfifo input
}

# ticked COMMAND: run it at a terminal, by sh; it reads `input`. When it has
# opened that, the time to tell something comes; then all of set.json. What the
# terminal gets is in `seen`.
ticked() {
    local pid
    script -qec "$1 & echo \$! >pid; wait \$!" /dev/null >seen </dev/null 3>&- &
    pid=$!
    exec 4>input
    for _ in {1..30000}; do
        [ ! -s pid ] || break
        sleep 0.02
    done
    kill -s RTMIN "$(<pid)"
    cat set.json >&4 || true # it may have ended
    exec 4>&-
    wait "$pid" || true
}

@test "what is read is told at a terminal, and erased" {
    ticked 'rset-match -o hosts input'
    same "$(tr -d '\n' <seen | tr '\r' '\n' | sed 's/:* *0* *M*B* ([0-9]* s)/ (S s)/; s/ *$//')" '
rset-match: reading input (S s)

n[0-3]'
    ticked 'rset-diff set.json input'
    [[ $(<seen) == *$'\rrset-diff: reading input'*' s)'*$' \r' ]]
    ticked 'idset - <input'
    [[ $(<seen) == *$'\ridset: reading stdin: 0 MB ('* ]]
}

@test "a message takes the place of progress" {
    printf '{' >set.json
    ticked 'rset-match input'
    grep -q $'\rrset-match: reading input' seen
    grep -q $' \rrset-match: input: line 1, column 2: input ends' seen
}

@test "the line is no wider than the terminal" {
    mv input "$(printf 'a%.0s' {1..100})"
    ln -s a* input
    ticked 'COLUMNS=20 rset-match -o hosts a*'
    same "$(tr '\r' '\n' <seen | grep reading)" 'rset-match: reading'
}

@test "a name does nothing to the terminal" {
    mv input $'a\e[31m'
    ln -s a* input
    ticked 'rset-match -o hosts a*'
    grep -qF 'reading a\x1b[31m' seen
}

# What sets no timer is ended by the signal.
@test "no progress without a terminal, with --no-progress, with --quiet" {
    for command in 'rset-match input 2>err' 'rset-match input --no-progress' \
        'rset-match -q input' 'rset-alloc batch input set.json'; do
        ticked "$command"
        run -1 grep reading seen
        [ ! -s err ]
    done
}
