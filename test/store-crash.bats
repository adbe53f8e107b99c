#!/usr/bin/env bats
# Stores with killed processes and failing disks, at each call that changes a
# file (unit/failing_io.c): the store is as before the operation or as after it.
# RSET_SOAK takes every call and every fault; `make check` some of each.

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    preloads failing_io
    rset-discover --hosts 'n[0-3]' --cores 0-3 >r.json
}

# make_store DIR: a store with jobs, a log, and a change since the last save.
make_store() {
    mkdir "$1"
    rset-alloc load r.json --store "$1/s"
    rset-alloc allocate 1 -n2 -c2 --now 1 --store "$1/s" >R
    rset-alloc allocate 2 -N1 --now 2 --store "$1/s" >R
    rset-alloc save --store "$1/s" >saved 2>&1
    rset-alloc allocate 3 -n1 --now 3 --store "$1/s" >R
}

# state DIR: print the contents of a store; check that it is sound and writable.
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
    [ -z "${schema-}" ] || sqlite3 -readonly "$1/s" 'PRAGMA user_version'
} 2>&1

# run_with N FAULT COMMAND...: run on the store x, a copy of `before`.
run_with() {
    rm -rf x log
    cp -r before x
    LD_PRELOAD=$shim IO_LOG=log IO_AT=$1 IO_DO=$2 rset-alloc "${@:3}" \
        --store x/s >out 2>err
}

# is_left_clean: fail if a temporary file is left.
is_left_clean() {
    local file
    for file in x/* x/.[!.]*; do
        case ${file#x/} in
        s | s-wal | s-shm | s-lease | '*' | '.[!.]*') ;;
        *) echo "left: $file"; return 1 ;;
        esac
    done
}

# is_told: the fault is reported in one line with the name of the store.
is_told() {
    [[ $(<err) == 'rset-alloc: '*x/s*[a-z]* && $(<err) != *$'\n'* ]]
}

# is_right STATUS FAULT CALL: check the store after a fault. Status 0 means that
# the operation is done, others that it is not. Only if the sync of the log and
# all calls after it fail, it may be done with status 2.
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

# is_right_batch STATUS FAULT: the first commands of the batch are done, at
# least those that were answered.
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

# sweep 'FAULT...' COMMAND...: let each fault happen at one random call; in a
# soak, or with `*` after the fault, at each call; with `+` after it, also at
# all later calls.
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

# meets N FAULT COMMAND...: run with a fault, and check the store.
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
    quickly sweep "$faults" shrink 2 --give /cluster0/n1/core0=1
}

@test "release is done or not" {
    make_store before
    quickly sweep "$faults" release 2
}

@test "drain, which changes states, is done or not" {
    make_store before
    quickly sweep "$faults" drain n1 --now 9
}

# fill_log: grow the log until the next operation writes it back. One has 7
# pages.
fill_log() {
    local word=drain pages=0
    while ((pages <= 121)); do
        rset-alloc $word n1 --now 1 --store before/s
        [ $word = drain ] && word=undrain || word=drain
        pages=$(($(stat -c %s before/s-wal) / 2072))
    done
}

@test "an operation that writes the log back is done or not" {
    make_store before
    fill_log
    run_with 0 kill allocate 7 -n1
    grep '^truncate s-wal' log
    quickly sweep "$faults" allocate 7 -n1 --now 9
}

# make_old DIR: a store of schema 3.
make_old() {
    schema=shown # by state
    mkdir "$1"
    sqlite3 "$1/s" <"$TEST_DIR/fixtures/store-3.sql" >mode
    # so that readers find a log
    rset-alloc jobs --store "$1/s" >listed
}

# migrates 'FAULT...' COMMAND...: as sweep; and the schema is the latest after it.
migrates() {
    make_old before
    sweep "$@" && same "${after##*$'\n'}" 6
}

@test "a migration is done together with the operation, or not at all" {
    needs sqlite3
    make_old before
    same "$(state before | tail -n1)" 3
    sweep "kill kill kill $faults" release 1 --now 9
    same "${after##*$'\n'}" 6
}

@test "a batch migrates the store when it takes the lease, or not at all" {
    needs sqlite3
    quickly migrates "$faults" batch /dev/null
}

# is_right_save: the set may be saved later than the store is migrated.
is_right_save() {
    local is
    is=$(state x)
    case $is in
    "$after") true ;;
    "$before" | "${before%3}6") [ "$1" != 0 ] ;;
    *) false ;;
    esac
}

@test "a save migrates the store or not" {
    needs sqlite3
    is_right=is_right_save
    quickly migrates "$faults" save --changed
}

@test "save --changed has saved or not" {
    make_store before
    quickly sweep "$faults" save --changed
}

@test "load leaves a store or nothing" {
    mkdir before
    quickly sweep "${faults//+/}" load r.json
}

@test "load works on a file system without unnamed files" {
    mkdir x
    LD_PRELOAD=$shim IO_ONLY='open x' IO_AT=1 IO_DO=EOPNOTSUPP \
        rset-alloc load r.json --store x/s
    same "$(ls -A x)" s
    same "$(stat -c %a x/s)" "$(stat -c %a r.json)"
    rset-match --store x/s | cmp - r.json
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

@test "a batch with group commit has done the first of its commands, too" {
    quickly sweep_batch --group-commit
}

# --- failed operations are not done ------------------------------------------

@test "an answer about a job after a fault stays true for every reader" {
    local reader
    make_store x
    mkfifo asks
    rset-match --batch - -o short --store x/s <asks >answers 3>&- &
    reader=$!
    exec 4>asks
    echo slot/core >&4
    until [ -s answers ]; do
        sleep 0.01
    done
    LD_PRELOAD=$shim IO_ONLY='sync s-wal' IO_AT=1 IO_DO=EIO \
        refused 'rset-alloc: x/s: disk I/O error' \
        rset-alloc allocate 7 -n1 --store x/s
    run -1 rset-alloc allocated 7 --store x/s
    kill -9 $reader
    wait $reader || true
    exec 4>&-
    run -1 rset-alloc allocated 7 --store x/s
    for _ in 1 2; do
        rset-alloc allocated 7 --store x/s || rset-alloc allocate 7 -n1 --store x/s
    done
    same "$(rset-alloc history --store x/s | grep -c 'allocate *7')" 1
}

# lose COMMAND...: the answer can't be written; status 2 with a message.
lose() {
    local status=0
    rset-alloc "$@" --store x/s >/dev/full 2>err || status=$?
    same "$status $(<err)" \
        '2 rset-alloc: standard output: No space left on device'
}

@test "a lost answer: a single command changes nothing" {
    local asks command words before
    make_store x
    before=$(state x)
    asks=('allocated 1' available jobs 'jobs -o json' status save
        'save --changed' history 'history -o json')
    for command in "${asks[@]}"; do
        read -ra words <<<"$command"
        lose "${words[@]}"
    done
    same "$(state x)" "$before"
}

@test "a lost answer: the announced change is done" {
    make_store x
    echo 'allocate 8 -n1' >work
    echo 'allocate 9 -n1' >others
    lose allocate 7 -n1
    lose grow 3 -n1
    lose batch work
    lose batch --group-commit others
    # without standard output no file gets its number
    run -2 bash -c 'rset-alloc allocate 10 -n1 --store x/s >&-'
    same "$output" 'rset-alloc: standard output: Bad file descriptor'
    same "$(rset-alloc history --store x/s | awk '{ print $3, $4 }' |
        tail -n5)" $'allocate 7\ngrow 3\nallocate 8\nallocate 9\nallocate 10'
    rset-alloc check --store x/s
}

# --- order of writing --------------------------------------------------------

@test "an operation syncs the log once, when it is complete, and its directory" {
    make_store before
    run_with 0 kill allocate 7 -n1
    same "$(grep -c '^sync' log)" 2
    same "$(grep -c '^sync s-wal$' log)" 1
    same "$(tail -n2 log)" $'sync s-wal\nsync x'
    run_with 0 kill release 1
    same "$(grep '^sync' log)" $'sync s-wal\nsync x'
}

@test "a load syncs the store before it gets its name, and then its directory" {
    mkdir before
    run_with 0 kill load r.json
    same "$(tail -n3 log | sed 's/sync #.*/sync it/')" $'sync it\nlink s\nsync x'
}

@test "a batch answers after the log is synced" {
    make_store before
    mkfifo asks
    rm -rf log
    LD_PRELOAD=$shim IO_LOG=log rset-alloc batch - --store before/s <asks \
        >answers 3>&- &
    exec 4>asks
    for i in 7 8 9; do
        echo "allocate $i -n1" >&4
        until [ "$(grep -c . answers)" = $((i - 6)) ]; do
            sleep 0.01
        done
    done
    exec 4>&-
    wait $!
    # each answer follows a sync
    same "$(grep -B1 '^write answers' log | grep -c '^sync s-wal')" 3
    # several commands at once
    printf 'allocate %s -n1\n' 10 11 12 13 >work
    LD_PRELOAD=$shim IO_LOG=log2 rset-alloc batch work --store before/s \
        --group-commit >answers
    same "$(grep -e '^sync s-wal' -e answers log2 | uniq)" \
        $'sync s-wal\nwrite answers\nsync s-wal'
}

# be_many: many operations, a process each.
be_many() {
    local i
    for ((i = 0; i < (RSET_SOAK ? 5000 : 10); i++)); do
        rset-alloc allocate "$i" -n1 --store s >R || return 1
        rset-alloc release "$i" --store s || return 1
        check_log || return 1
    done
}

# check_log: the log is smaller than 8 MiB.
check_log() {
    (($(stat -c %s s-wal) < 8388608)) || { ls -l s-wal; return 1; }
}

@test "the log does not grow without bound" {
    local i
    mkfifo asks
    rset-alloc load r.json --store s
    # a reader of the log does not prevent it
    rset-match --batch - --store s <asks >matches 3>&- &
    exec 4>asks
    echo slot/core >&4
    until [ -s matches ]; do
        sleep 0.01
    done
    for ((i = 0; i < 150; i++)); do
        echo "allocate $i -n1"
        echo "release $i"
    done >work
    rset-alloc batch work --store s >answers
    check_log
    quickly be_many
    exec 4>&-
    wait $!
}

# --- killed at random times --------------------------------------------------

# kill_batch OPTION...: kill a batch at a random time. The first of its commands
# are done, at least those that were answered.
kill_batch() {
    local n
    rm -f s s-* answers
    touch answers
    rset-alloc load big.json --store s
    rset-alloc batch work --store s --now 1 "$@" >answers 3>&- &
    sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
    kill -9 $!
    wait $!
    n=$(rset-alloc history --store s | wc -l)
    ((n > $(grep -c '"status":0.*}$' answers))) ||
        { echo "$n of $(grep -c . answers)"; return 1; }
    head -n $((n - 1)) work |
        rset-alloc batch - --now 1 --save want big.json >answers
    rset-match --store s >is
    cmp is want && rset-alloc check --store s && return
    tail -n1 answers
    rset-alloc history --store s | tail -n3
    return 1
}

kill_batches() {
    local i
    for ((i = 1; i <= 1500; i++)); do
        echo "allocate $i -n1"
        ((i % 3)) || echo "release $i"
    done >work
    for ((i = 0; i < (RSET_SOAK ? 100 : 3); i++)); do
        kill_batch && kill_batch --group-commit || return 1
    done
} 2>killed

@test "a batch is killed at random times" {
    rset-discover --hosts 'n[0-63]' --cores 0-63 >big.json
    quickly kill_batches
}

# die_often NAME TIMES: write the answers to the file NAME.
die_often() {
    local i cores
    for ((i = 1; i <= $2; i++)); do
        cores=$(timeout -s KILL "0.00$((RANDOM % 10))" \
            rset-alloc allocate "$1-$i" -n1 -c2 -o short --store s) &&
            echo "$1-$i $cores"
    done >"$1"
} 2>killed

kill_writers() {
    local i
    for i in 1 2 3 4 5 6 7 8; do
        die_often "w$i" $((RSET_SOAK ? 200 : 10)) &
    done
    wait
}

@test "writers are killed at random times" {
    rset-discover --hosts 'n[0-63]' --cores 0-63 >big.json
    rset-alloc load big.json --store s
    quickly kill_writers
    # the killed writer may still exist
    rset-alloc allocate last -n1 -c2 -o short --store s |
        sed 's/^/last /' >w
    # each answer is in the store, and each job is complete
    rset-alloc save --store s >doc
    rset-alloc check --store s
    rset-alloc jobs -o json doc | jq -r '.[] | "allocated " + .job' >work
    rset-alloc batch work -o short doc | jq -r '.job + " " + .set' | sort >held
    sort w w[1-8] | comm -23 - held >lost
    same "$(<lost)" ''
    same "$(rset-match --available --count core --store s)" \
        $((64 * 64 - 2 * $(wc -l <held)))
    same "$(rset-alloc history --store s | awk 'NR > 1 { print $4 }' | sort)" \
        "$(cut -d' ' -f1 held | sort)"
}
