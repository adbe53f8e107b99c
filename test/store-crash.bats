#!/usr/bin/env bats
# Stores where processes are killed and disks fail, at each call that changes a
# file (unit/failing_io.c): a store is as before the operation or as after it.
# RSET_SOAK takes every call and every fault; `make check` some of each.

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    io=$RSET_BIN/test/unit/failing_io.so
    needs "$io"
    rset-discover --hosts 'n[0-3]' --cores 0-3 >r.json
}

# make_store DIR: with jobs, a log, and a change since it was saved.
make_store() {
    mkdir "$1"
    rset-alloc load r.json --store "$1/s"
    rset-alloc allocate 1 -n2 -c2 --now 1 --store "$1/s" >R
    rset-alloc allocate 2 -N1 --now 2 --store "$1/s" >R
    rset-alloc save --store "$1/s" >saved 2>&1
    rset-alloc allocate 3 -n1 --now 3 --store "$1/s" >R
}

# state DIR: what a store tells, and that it is sound and goes on.
state() {
    [ -e "$1/s" ] || return 0
    rset-match --store "$1/s"
    rset-alloc history --store "$1/s" | awk '{print $2, $3, $4}'
    rm -rf copy
    cp -r "$1" copy
    rset-alloc save --changed --store copy/s
    rset-alloc allocate next -n1 --store copy/s
    rset-alloc check --store copy/s
    echo "status $?"
} 2>&1

# run_with N FAULT COMMAND...: on a store in x, as it is in `before`.
run_with() {
    rm -rf x log
    cp -r before x
    LD_PRELOAD=$io IO_LOG=log IO_AT=$1 IO_DO=$2 rset-alloc "${@:3}" \
        --store x/s >out 2>err
}

# is_left_clean: nothing lies about.
is_left_clean() {
    local file
    for file in x/* x/.[!.]*; do
        case ${file#x/} in
        s | s-wal | s-shm | s-lease | '*' | '.[!.]*') ;;
        *) echo "left: $file"; return 1 ;;
        esac
    done
}

# is_told: a fault is one line that names the store.
is_told() {
    [[ $(<err) == 'rset-alloc: '*x/s*[a-z]* && $(<err) != *$'\n'* ]]
}

# is_right STATUS FAULT CALL: what a run that met a fault left behind. What it
# wanted to do is done if it says so, and not if it says that it failed: only
# where the sync of the log fails, and all after it, can it be there.
is_right() {
    local is
    is_left_clean || return 1
    is=$(state x)
    case $1 in
    0) [ "$is" = "$after" ] && cmp out out.good && cmp err err.good ;;
    137) [ "$is" = "$before" ] || [ "$is" = "$after" ] ;;
    2) is_told && { [ ! -s out ] || cmp out out.good; } &&
        { [ "$is" = "$before" ] ||
            [[ $is = "$after" && $2 == *+ && $3 == 'sync s-wal' ]]; } ;;
    *) false ;;
    esac
}

# is_right_batch STATUS FAULT: the first commands of the batch are done, and
# those that were answered are among them.
is_right_batch() {
    local is i=0
    is_left_clean || return 1
    is=$(state x)
    while [ "$is" != "${prefixes[i]}" ]; do
        ((++i < ${#prefixes[@]})) || return 1
    done
    [ "$(grep -c '"status":0.*}$' out)" -le "$i" ] || return 1
    case $1 in
    0) cmp out out.good && ((i == ${#prefixes[@]} - 1)) ;;
    137) true ;;
    2) grep -q -e 'x/s: ' -e 'standard output: ' out err ;;
    *) false ;;
    esac
}

# sweep 'FAULT...' COMMAND...: each happens at one call, chosen by chance; in a
# soak, or with `*` after it, at each call. With `+` after it, also at all that
# follow.
sweep() {
    local n fault list calls all
    read -ra list <<<"$1"
    shift
    before=$(state before)
    run_with 0 kill "$@" || { cat err; return 1; }
    mapfile -t calls <log
    mv out out.good
    mv err err.good
    after=$(state x)
    [ "$before" != "$after" ] || return 1
    all=${#calls[@]}
    [ "$all" -gt 4 ] || return 1
    for fault in "${list[@]}"; do
        n=$((RANDOM % all + 1))
        if [[ -n ${RSET_SOAK-} || $fault = *'*' ]]; then
            for ((n = 1; n < all; n++)); do
                meets "$n" "${fault%'*'}" "$@" || return 1
            done
        fi
        meets "$n" "${fault%'*'}" "$@" || return 1
    done
}

# meets N FAULT COMMAND...: what is left then is right.
meets() {
    local status
    unset IO_LASTS
    [[ $2 != *+ ]] || export IO_LASTS=1
    run_with "$1" "${2%+}" "${@:3}"
    status=$?
    $is_right $status "$2" "${calls[$1 - 1]}" && return
    echo "IO_AT=$1 IO_DO=$2 ${*:3}: ${calls[$1 - 1]}: status $status"
    cat err
    diff <(echo "$before") <(state x)
    diff <(echo "$after") <(state x)
    return 1
}

faults='kill torn ENOSPC EIO+'
[ -z "${RSET_SOAK-}" ] ||
    faults+=' short ENOSPC+ EIO EROFS EROFS+ EACCES EINTR'
is_right=is_right

# --- at each call ------------------------------------------------------------

@test "allocate is done or not, wherever it is killed or the disk is full" {
    make_store before
    quickly sweep "${faults/kill/kill*}" allocate 7 -n1 --now 9
}

@test "grow is done or not" {
    make_store before
    quickly sweep "$faults" grow 3 -n1 --now 9
}

@test "shrink is done or not" {
    make_store before
    quickly sweep "$faults" shrink 2 --units 1 --type core
}

@test "release is done or not" {
    make_store before
    quickly sweep "$faults" release 2
}

@test "drain, which changes facts, is done or not" {
    make_store before
    quickly sweep "$faults" drain n1 --now 9
}

@test "save --changed has saved or not" {
    make_store before
    quickly sweep "$faults" save --changed
}

@test "load leaves a store or nothing" {
    mkdir before
    quickly sweep "${faults//+/}" load r.json
}

sweep_batch() {
    local i
    make_store before
    printf '%s\n' 'allocate 7 -n1' 'release 2' 'drain n2' 'grow 7 -n1' >work
    for i in 0 1 2 3 4; do
        head -n "$i" work >some
        rm -rf x
        cp -r before x
        rset-alloc batch some --store x/s --now 9 >out
        prefixes[i]=$(state x)
    done
    is_right=is_right_batch
    sweep "$faults" batch work --now 9 "$@"
}

@test "a batch has done the first of its commands, those that were answered" {
    quickly sweep_batch
}

@test "so has one that commits many together" {
    quickly sweep_batch --group-commit
}
