#!/usr/bin/env bats
# Progress on standard error, at a terminal only. The tests send the signal of
# the timer while a program waits for its input, so that no test takes seconds.

load common

setup() {
    needs pty
    cd "$BATS_TEST_TMPDIR" || return 1
    rset-discover --hosts 'n[0-3]' --cores 0-3 >set.json
    mkfifo input
}

# ticked COMMAND: run COMMAND by sh at a terminal. It opens `input` itself, and
# has set its timer by then. Send the signal, then all of set.json. `seen` has
# what the terminal got.
ticked() {
    local pid
    rm -f pid
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

@test "reading is shown at a terminal, and erased" {
    ticked 'rset-match -o hosts input'
    same "$(tr -d '\n' <seen | tr '\r' '\n' | sed 's/:* *0* *M*B* ([0-9]* s)/ (S s)/; s/ *$//' | uniq)" '
rset-match: reading input (S s)

n[0-3]'
    ticked 'rset-diff set.json input'
    [[ $(<seen) == *$'\rrset-diff: reading input'*' s)'*$' \r' ]]
    ticked 'idset @input'
    [[ $(<seen) == *$'\ridset: reading input: 0 MB ('* ]]
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
    same "$(tr '\r' '\n' <seen | grep reading | uniq)" 'rset-match: reading'
}

@test "a name does not control the terminal" {
    mv input $'a\e[31m'
    ln -s a* input
    ticked 'rset-match -o hosts a*'
    grep -qF 'reading a\x1b[31m' seen
}

# armed PID: has the process set its timer? (/proc tells)
armed() {
    local word mask
    while read -r word mask; do
        [ "$word" != SigCgt: ] || break
    done <"/proc/$1/status"
    (((0x$mask >> 33) & 1))
}

# waits TEXT COMMAND: TEXT is shown while COMMAND waits; then `let_go` lets it
# end.
waits() {
    local pid
    rm -f pid
    script -qec "$2 & echo \$! >pid; wait \$!" /dev/null >seen </dev/null 3>&- &
    pid=$!
    for _ in {1..30000}; do
        if [ -s pid ] && armed "$(<pid)"; then
            ! grep -qF "$1" seen || break
            kill -s RTMIN "$(<pid)"
        fi
        sleep 0.02
    done
    let_go
    wait "$pid"
    grep -qF $'\r'"$1 (" seen
    [[ $(<seen) == *' '$'\r' ]]
}

@test "a program that waits for a locked file shows it" {
    rset-alloc allocate 1 -n1 set.json >held.json
    exec 5<held.json
    flock 5
    let_go() { flock -u 5; }
    waits 'rset-alloc: waiting for held.json' \
        'rset-alloc release 1 --in-place held.json'
    cmp held.json set.json
}

@test "a program that waits for the writer of a store shows it" {
    local writer
    preloads failing_io
    rset-alloc load --store db set.json
    LD_PRELOAD=$shim IO_ONLY='write db-wal' IO_AT=1 IO_DO=stop \
        rset-alloc allocate 1 -n1 --store db >out 3>&- &
    writer=$!
    until [[ $(<"/proc/$writer/stat") == *') T '* ]]; do
        sleep 0.02
    done
    let_go() { kill -CONT "$writer"; }
    waits 'rset-alloc: opening db' 'rset-alloc expire --store db'
    same "$(rset-alloc jobs -o json --store db | jq -c 'map(.job)')" '[1]'
}

# told COMMAND: print the progress of COMMAND if the signal comes at each
# allocation.
told() {
    script -qec "LD_PRELOAD=$shim OOM_RAISE=$(kill -l RTMIN) $1" \
        /dev/null </dev/null | tr '\r' '\n' | sed -n 's/ ([0-9]* s) *$//p' | uniq
}

@test "matching, comparing, uniting and writing are shown, one after the other" {
    [ -z "$SAN" ] || skip "the allocator is the sanitizer's"
    preloads failing_malloc
    same "$(told 'rset-match -n1 set.json >out' | sed 's/:* *[0-9]* [%M]B*$//' | uniq)" \
        $'rset-match: reading set.json\nrset-match: matching\nrset-match: writing'
    same "$(told 'rset-match --exclude n3 set.json >out' | sed -n '$p')" \
        'rset-match: writing'
    # no progress while a terminal or a pipe gets the output
    same "$(told 'rset-match --exclude n3 set.json' | sed -n '$p')" \
        'rset-match: matching'
    same "$(told 'rset-match --exclude n3 set.json | cat' | sed -n '$p')" \
        'rset-match: matching'
    rset-alloc allocate 1 -n1 set.json >held.json
    same "$(told 'rset-diff set.json held.json >out' | sed -n '$p')" \
        'rset-diff: comparing'
    same "$(told 'rset-diff --union set.json set.json >out' | sed -n '/ing$/p')" \
        $'rset-diff: uniting\nrset-diff: writing'
    same "$(told 'rset-alloc allocate 1 -n1 --in-place set.json' | sed -n '/ing$/p')" \
        $'rset-alloc: matching\nrset-alloc: writing'
}

# The signal ends a program that has set no timer.
@test "no progress without a terminal, with --no-progress, with --quiet" {
    for command in 'rset-match input 2>err' 'rset-match input --no-progress' \
        'rset-match -q input' 'rset-alloc batch input set.json'; do
        ticked "$command"
        run -1 grep reading seen
        [ ! -s err ]
    done
}
