#!/usr/bin/env bats
# Files that are written and replaced: -w, --save and --in-place.

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    rset-discover --hosts 'n[0-15]' --cores 0-31 >r.json
    cp r.json s.json
}

usage() {
    local help=$2
    [ "$2" != rset-alloc ] || help+=" $3"
    refused "$2: $1 (try '$help --help')" "${@:2}"
}

# nothing_beside: fail if a temporary file is left.
nothing_beside() {
    [ -z "$(find . -name '.rset-*')" ]
}

# --- in place ----------------------------------------------------------------

@test "--in-place writes the set to the file, and nothing to standard output" {
    chmod 640 s.json
    run -0 rset-alloc allocate 1 -n2 --in-place s.json
    same "$output" ''
    rset-alloc allocate 1 -n2 r.json | cmp - s.json
    same "$(stat -c %a s.json)" 640
    run -0 rset-alloc --in-place drain 3 s.json
    run -0 rset-alloc undrain 3 s.json --in-place
    run -0 rset-alloc release 1 --in-place s.json
    cmp s.json r.json
    nothing_beside
}

@test "--in-place: a failed request and an error leave the file as it is" {
    ln s.json same
    run -3 rset-alloc allocate 1 -N17 --in-place s.json
    run -1 rset-alloc release 1 --in-place s.json
    run -2 rset-alloc release 1 --zebra --in-place s.json
    run -2 rset-diff --unlink /cluster0/none --in-place s.json
    [ s.json -ef same ]
    cmp s.json r.json
    nothing_beside
}

@test "--in-place: -w writes the job's R as well" {
    rset-alloc allocate 1 -n2 --in-place -w R s.json
    rset-alloc allocated 1 s.json | cmp - R
    nothing_beside
}

@test "--in-place: only forms that are documents; follows links" {
    ln -s s.json link
    rset-alloc up 0 --in-place -o jgf link
    [ -L link ]
    rset-match -o jgf r.json | cmp - s.json
    usage '--in-place: -o tree does not write a document' \
        rset-alloc up 0 --in-place -o tree s.json
}

@test "--in-place: rset-diff, the first file" {
    rset-discover --hosts 'm[0-1]' --ranks 20-21 --cores 0-3 >more.json
    cp more.json before
    run -0 rset-diff --union --in-place s.json more.json
    same "$output" ''
    rset-diff --union r.json more.json | cmp - s.json
    cmp more.json before
    rset-diff --subtract --in-place s.json more.json
    cmp s.json r.json
    rset-diff --patch r.json more.json >patch.json
    rset-diff --apply patch.json --in-place s.json
    cmp s.json more.json
    rset-diff --remap --in-place s.json
    same "$(rset-match -o ranks s.json)" 0-1
    rset-match -o jgf r.json >g.json
    rset-diff --unlink /cluster0/n3 --in-place g.json
    same "$(rset-match --count node g.json)" 15
    nothing_beside
}

@test "--in-place: a file with one document" {
    cat r.json r.json >two.json
    cp two.json before
    refused 'rset-diff: --in-place: one document is expected in a file' \
        rset-diff --union --in-place two.json r.json
    run -2 rset-alloc up 0 --in-place two.json
    refused \
        'rset-diff: --in-place: one document is expected in a file, and one file' \
        rset-diff --inventory r.json --in-place two.json r.json
    cmp two.json before
}

@test "--in-place: only for commands that write a set, and only for files" {
    for command in jobs status allocated available check; do
        usage "$command does not take --in-place" \
            rset-alloc $command --in-place s.json
    done
    for task in comparing --patch --responses; do
        usage "$task and --in-place exclude each other" \
            rset-diff ${task/comparing/} --in-place s.json r.json
    done
    usage '--in-place: a file is expected, not standard input or output' \
        rset-alloc up 0 --in-place <s.json
    usage '--in-place: a file is expected, not standard input or output' \
        rset-diff --union --in-place - s.json <r.json
    mkfifo pipe
    refused 'rset-alloc: pipe: only a regular file can be replaced' \
        rset-alloc up 0 --in-place pipe
    refused 'rset-alloc: none: No such file or directory' \
        rset-alloc up 0 --in-place none
    refused 'rset-alloc: .: Is a directory' rset-alloc up 0 --in-place .
}

@test "--in-place: a batch keeps the lock, and saves at the end" {
    printf '%s\n' 'allocate 1 -n1' 'allocate 2 -n1' >commands
    rset-alloc batch commands --in-place -o hosts s.json >answers
    same "$(wc -l <answers)" 2
    rset-alloc allocate 1 -n1 r.json | rset-alloc allocate 2 -n1 | cmp - s.json
    usage '--in-place and --save exclude each other' \
        rset-alloc batch commands --in-place --save x s.json
    echo 'release 1 --in-place' | rset-alloc batch - s.json >answers
    same "$(jq -r .error answers)" '--in-place: not in a batch'

    mkfifo lines
    rset-alloc batch lines --in-place s.json >answers &
    exec 4>lines
    echo 'release 1' >&4
    while [ ! -s answers ]; do sleep 0.02; done
    rset-alloc release 2 --in-place s.json 4>&- &
    echo 'allocate 3 -n1' >&4
    exec 4>&-
    wait
    same "$(rset-alloc jobs -o json s.json | jq -r '.[].job')" 3
}

@test "--in-place: writers wait their turn, and readers see a whole document" {
    loop() {
        for i in 1 2 3 4 5; do
            rset-alloc allocate "$1.$i" -n1 --in-place s.json || touch failed
        done
    }
    for n in 1 2 3 4 5 6 7 8; do
        loop $n &
    done
    for _ in 1 2 3 4 5 6 7 8 9; do
        rset-alloc jobs s.json >/dev/null
    done
    wait
    [ ! -e failed ]
    same "$(rset-alloc jobs -o json s.json | jq length)" 40
    nothing_beside
}

@test "--in-place waits for the process that has locked the file" {
    needs flock
    exec 5<s.json
    flock 5
    rset-alloc allocate 1 -n1 --in-place s.json 5<&- &
    run -124 timeout 0.3 rset-alloc allocate 2 -n1 --in-place s.json 5<&-
    cmp s.json r.json
    exec 5<&-
    wait
    same "$(rset-alloc jobs -o json s.json | jq -r '.[].job')" 1
}

# named PID FILE: can the kernel name the process that has locked the file? Not
# if a device has two numbers.
named() {
    local device
    device=$(awk -v pid="$1" -v inode="$(stat -c %i "$2")" \
        '$5 == pid && split($6, part, ":") && part[3] == inode {
            print part[1] part[2] }' /proc/locks)
    [ "$device" ] && ((16#$device == 16#$(stat -c %D "$2")))
}

@test "--in-place waits as long as --wait says, and names the process" {
    local told='rset-diff: s.json: another process has locked it; waited for 0 s'
    mkfifo lines
    rset-alloc batch lines --in-place s.json >answers &
    exec 4>lines
    echo 'allocate 1 -n1' >&4
    while [ ! -s answers ]; do sleep 0.02; done
    if named $! s.json; then
        told="rset-diff: s.json: process $! has locked it; waited for 0 s"
    fi
    refused "$told" rset-diff --remap --in-place --wait 0 s.json 4>&-
    told=${told/waited for 0 s/waited for 0.1 s}
    refused "${told/rset-diff/rset-alloc}" \
        rset-alloc release 1 --in-place --wait 0.1 s.json 4>&-
    rset-alloc allocate 2 -n1 --in-place --wait 1h s.json 4>&- &
    exec 4>&-
    wait
    same "$(rset-alloc jobs -o json s.json | jq -r '.[].job')" $'1\n2'
    usage '--wait needs --store or --in-place' \
        rset-alloc release 1 --wait 3 s.json
    usage '--wait needs --in-place' rset-diff --remap --wait 3 s.json
    usage '--wait needs --store' rset-match --wait 3 s.json
    usage '--wait: "x": expected a duration: 90, 1.5h, 1h30m, [DAYS-]HH:MM:SS' \
        rset-alloc release 1 --in-place --wait x s.json
}

@test "--in-place does not name a process that passed its lock on and is gone" {
    needs flock
    exec 5<s.json
    flock 5
    refused 'rset-alloc: s.json: another process has locked it; waited for 0 s' \
        rset-alloc up 0 --in-place --wait 0 s.json 5<&-
    exec 5<&-
}

# --- owner and mode ----------------------------------------------------------

# is FILE OWNER:GROUP MODE
is() {
    same "$(stat -c '%u:%g %a' "$1")" "$2 $3"
}

@test "a file keeps its owner, its group and its mode" {
    local group
    chmod 604 s.json
    for group in $(id -G); do
        chgrp "$group" s.json
        rset-alloc up 0 --in-place s.json
        is s.json "$(id -u):$group" 604
    done
    (umask 027 && rset-alloc allocate 1 -n1 -w R s.json >used)
    is R "$(id -u):$(id -g)" 640
    [ "$(id -u)" = 0 ] || return 0
    chown 7:9 s.json R
    chmod 660 s.json
    chmod 6750 R
    rset-alloc allocate 1 -n1 --in-place -w R s.json
    is s.json 7:9 660
    is R 7:9 6750
    echo 'release 1' | rset-alloc batch - --save R s.json >answers
    is R 7:9 6750
    rset-diff --remap --in-place s.json
    is s.json 7:9 660
}

# common_user COMMAND...: run as a user who may not give files away; root gives
# that right up.
common_user() {
    setpriv --bounding-set -chown,-fsetid --clear-groups "$@"
}

@test "if the group can't be kept, nobody gets more access than before" {
    [ "$(id -u)" = 0 ] || skip 'only root can make such a file'
    common_user true || skip 'setpriv can not take rights of root away'
    local modes=(664 604 640 600 646 604 2664 604 602 600) i
    for ((i = 0; i < ${#modes[@]}; i += 2)); do
        chown 0:9 s.json
        chmod "${modes[i]}" s.json
        common_user rset-alloc up 0 --in-place s.json
        is s.json 0:0 "${modes[i + 1]}"
    done
    chown 7:0 s.json
    chmod 4664 s.json
    common_user rset-alloc up 0 --in-place s.json
    is s.json 0:0 664
}

# --- files that a killed program leaves --------------------------------------

# write_slowly: write R completely, and the set to a pipe that nobody reads.
write_slowly() {
    rset-alloc allocate 1 -n1 -w "$1" big.json >pipe 5<&- &
    while [ -z "$(find . -name '.rset-*' -size +0)" ]; do sleep 0.02; done
}

@test "the next writer removes a temporary file that was left" {
    rset-discover --hosts 'n[0-99]' --cores 0-63 -o jgf >big.json
    mkfifo pipe
    exec 5<>pipe
    write_slowly R
    # other writers leave it alone while its writer lives
    rset-alloc up 0 --in-place s.json
    [ -n "$(find . -name '.rset-*')" ]
    kill -9 $!
    wait $! || true
    [ -n "$(find . -name '.rset-*')" ]
    touch .rset-abcde .rset-abcdefg .rset-abc.ef
    mkdir .rset-folder
    ln -s s.json .rset-link00
    mkfifo .rset-pipe00
    if [ "$(id -u)" = 0 ]; then
        touch .rset-other0
        chown 7 .rset-other0
    fi
    rset-alloc up 0 --in-place s.json
    if [ "$(id -u)" = 0 ]; then
        rm .rset-other0
    fi
    same "$(find . -name '.rset-*' | sort | paste -sd' ')" \
        './.rset-abc.ef ./.rset-abcde ./.rset-abcdefg ./.rset-folder ./.rset-link00 ./.rset-pipe00'
    cmp s.json r.json
    exec 5<&-
}

# --- failures ----------------------------------------------------------------

@test "no temporary file, no change: status 2" {
    [ -w /proc/self/comm ] || skip '/proc is not there, or read-only'
    run -2 --separate-stderr rset-alloc up 0 --in-place /proc/self/comm
    [[ $stderr == 'rset-alloc: /proc/self/comm: '* ]]
    run -2 --separate-stderr rset-alloc allocate 1 -n1 -w /proc/self/comm r.json
    [[ $stderr == *": /proc/self/comm: can't create a file beside it: "* ]]
}

@test "a directory that can't be written: status 2" {
    [ "$(id -u)" != 0 ] || skip 'root may write everywhere'
    mkdir closed
    cp r.json closed/s.json
    chmod 555 closed
    refused "rset-alloc: closed/s.json: can't create a file beside it: Permission denied" \
        rset-alloc allocate 1 -n1 -w closed/s.json r.json
    run -2 rset-alloc allocate 1 -n1 --in-place closed/s.json
    cmp closed/s.json r.json
    chmod 755 closed
}

@test "a new file where none can be created: status 2, and the reason" {
    # the message of the shell, for a place where even root can't create one
    why=$( (: >/sys/s.json) 2>&1) && skip 'files can be made in /sys'
    refused "rset-alloc: /sys/s.json: ${why##*: }" \
        rset-alloc allocate 1 -n1 -w /sys/s.json r.json
}

@test "a full disk: status 2, and the file stays" {
    rset-discover --hosts 'n[0-99]' --cores 0-63 -o jgf >big.json
    cp big.json before
    run -2 --separate-stderr bash -c "ulimit -S -f 1
        trap '' XFSZ
        rset-alloc allocate 1 -n1 --in-place big.json"
    same "$stderr" 'rset-alloc: big.json: File too large'
    cmp big.json before
    run -153 bash -c "ulimit -S -f 1
        exec rset-alloc allocate 1 -n1 --in-place big.json"
    cmp big.json before
    nothing_beside
}

@test "a name of the maximal length" {
    name=$(printf 'x%.0s' {1..255})
    rset-alloc allocate 1 -n1 -w "$name" r.json >used
    rset-alloc allocated 1 used | cmp - "$name"
    rset-alloc allocate 1 -n1 -w "$name" r.json | cmp - used
}

@test "a dangling link: its target is created" {
    mkdir dir
    ln -s ../there dir/link
    ln -s dir/link link
    rset-alloc allocate 1 -n1 -w link r.json >used
    [ -L link ] && [ -L dir/link ]
    rset-alloc allocated 1 used | cmp - there
    ln -s loop loop
    refused 'rset-alloc: loop: Too many levels of symbolic links' \
        rset-alloc allocate 1 -n1 -w loop r.json
    nothing_beside
}

@test "a pipe is written directly" {
    mkfifo pipe
    cat pipe >got &
    rset-alloc allocate 1 -n1 -w pipe r.json >used
    wait
    rset-alloc allocated 1 used | cmp - got
    [ -p pipe ]
    # also a pipe without a name
    rset-alloc allocate 1 -n1 -w >(cat >other) r.json >used
    wait_lines 1 other
    cmp got other
}

@test "a file without a name and one that is standard error are written directly" {
    rset-alloc allocate 1 -n1 -w R r.json >used
    bash -c 'rm "$1"; rset-alloc allocate 1 -n1 -w /dev/fd/5 "$2"; cat <&5' \
        - gone r.json 5<>gone >got
    cat used R | cmp - got
    : >log
    ln log same
    rset-alloc allocate 1 -n1 -w log r.json 2>>log | cmp - used
    cmp same R
    same "$(echo *)" 'R got log r.json s.json same used'
}

@test "after a signal there is the old file, and no other" {
    rset-discover --hosts 'n[0-99]' --cores 0-63 -o jgf >big.json
    echo mine >R
    for signal in TERM HUP INT QUIT ALRM; do
        mkfifo "out$signal"
        exec 5<>"out$signal"
        # writing the set blocks, since nobody reads it
        env --default-signal=HUP,INT,QUIT rset-alloc allocate 1 -n1 -w R big.json \
            >"out$signal" 5<&- &
        while [ -z "$(find . -name '.rset-*')" ]; do sleep 0.02; done
        kill -$signal $!
        status=0
        wait $! || status=$?
        [ $status -gt 128 ]
        exec 5<&-
        same "$(cat R)" mine
        nothing_beside
    done
}

# --- standard files that are closed ------------------------------------------

@test "a quiet command needs no standard output" {
    run -0 bash -c 'rset-alloc allocate 1 -n1 --in-place s.json >&-'
    rset-alloc allocate 1 -n1 r.json | cmp - s.json
    run -0 bash -c 'rset-diff r.json r.json >&-'
    run -0 bash -c 'idset --contains 1 1-3 >&-'
    run -2 --separate-stderr bash -c 'rset-match r.json >&-'
    same "$stderr" 'rset-match: standard output: Bad file descriptor'
}

@test "no file gets the number of a closed standard file" {
    cp r.json before
    run -2 bash -c 'rset-alloc up 0 -w R s.json >&- 2>&-'
    run -2 bash -c 'rset-alloc allocate 1 -N99 --zebra --in-place s.json >&- 2>&-'
    run -3 bash -c 'rset-alloc allocate 1 -N99 --in-place s.json >&- 2>&-'
    cmp s.json before
    run -2 --separate-stderr bash -c 'rset-match --batch - r.json <&-'
    same "$stderr" 'rset-match: stdin: Bad file descriptor'
}
