#!/usr/bin/env bats
# Stores with many writers and readers at a time. With RSET_SOAK 64 writers do
# 100 operations each.

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    rset-discover --hosts 'n[0-63]' --cores 0-255 >r.json
    rset-alloc load r.json --store s
}

teardown() {
    local pid
    for pid in "${started[@]}"; do
        kill -9 "$pid" || true
        wait "$pid" || true
    done 2>/dev/null
}

# ends_too: end the last child with the test.
ends_too() {
    started+=($!)
}

# --- many --------------------------------------------------------------------

# write_often NAME TIMES: give a job two cores, and release every third again.
# The file NAME gets the others: job, cores.
write_often() {
    local i cores
    for ((i = 1; i <= $2; i++)); do
        cores=$(rset-alloc allocate "$1-$i" -n1 -c2 -o short --store s) ||
            return 1
        if ((i % 3)); then
            echo "$1-$i $cores"
        else
            rset-alloc release "$1-$i" --store s || return 1
        fi
    done >"$1"
}

# read_often: no reader sees half an operation, until there is a file `done`.
read_often() {
    local n last=0
    until [ -e 'done' ]; do
        n=$(rset-match --available --count core --store s) || return 1
        ((n % 2 == 0)) || return 1
        rset-alloc jobs --store s >listed || return 1
        n=$(rset-alloc history --store s | wc -l) || return 1
        ((n >= last)) || return 1
        last=$n
    done
}

# do_many WRITERS TIMES
do_many() {
    local i pids=() reader
    read_often &
    reader=$!
    for ((i = 1; i <= $1; i++)); do
        write_often "w$i" "$2" &
        pids+=($!)
    done
    for i in "${pids[@]}"; do
        wait "$i" || return 1
    done
    touch 'done'
    wait "$reader"
}

@test "many writers: all succeed, and no unit is allocated twice" {
    local n=$((RSET_SOAK ? 64 : 8)) times=$((RSET_SOAK ? 100 : 10)) kept all
    quickly do_many $n $times
    cat w* | sort >kept
    kept=$((n * (times - times / 3)))
    all=$((n * times + n * (times / 3)))
    same "$(wc -l <kept)" $kept
    # the answers agree with the store
    rset-alloc save --store s >doc 2>err
    same "$(<err)" "rset-alloc: revision $all"
    same "$(rset-alloc allocated doc | rset-match --count core)" $((2 * kept))
    same "$(rset-match --available --count core doc)" \
        $((64 * 256 - 2 * kept))
    awk '{ print "allocated " $1 }' kept |
        rset-alloc batch - -o short doc |
        jq -r '.job + " " + .set' | diff - kept
    rset-alloc check --store s
    rset-alloc history -o json --store s |
        jq -e --argjson all $all 'map(.revision) == [range(1; $all + 1)]'
    same "$(rset-alloc history --store s | sort -k3 | awk 'NR > 1 {
        print $3, $4 }' | sort | uniq -d)" ''
}

@test "two loads at once: one makes the store" {
    local i first second pid
    for i in 1 2 3 4 5; do
        rset-alloc load r.json --store two 2>one.err &
        pid=$!
        first=0 second=0
        rset-alloc load r.json --store two 2>two.err || second=$?
        wait $pid || first=$?
        same "$((first + second))" 2
        same "$(cat one.err two.err)" \
            'rset-alloc: two: the file exists already'
        same "$(rset-match --store two)" "$(<r.json)"
        rm two*
    done
}

# --- waiting -----------------------------------------------------------------

# stop_at CALL COMMAND...: stop COMMAND before the first such call.
stop_at() {
    LD_PRELOAD=$shim IO_ONLY=$1 IO_AT=1 IO_DO=stop \
        rset-alloc "${@:2}" --store s >stopped 3>&- &
    ends_too
    until [[ $(<"/proc/$!/stat") == *') T '* ]]; do
        sleep 0.01
    done
}

waits() {
    refused "rset-alloc: s: others are writing; waited for $1 s" \
        "${@:2}" --wait "$1" --store s
}

@test "writers wait for the process that has its turn, but not for long" {
    preloads failing_io
    rset-alloc allocate 1 -n1 --store s
    stop_at 'write s-wal' allocate 2 -n1
    waits 0 rset-alloc allocate 3 -n1
    waits 0.3 rset-alloc allocate 3 -n1
    waits 0.1 rset-alloc release 1
    waits 0.1 env --block-signal=ALRM rset-alloc drain n1
    waits 0.1 env --ignore-signal=ALRM rset-alloc batch r.json
    # readers do not wait
    same "$(rset-alloc jobs -o json --store s | jq -c 'map(.job)')" '[1]'
    same "$(rset-match --available --count core --store s)" 16383
    rset-alloc history --store s
    # and the interrupted operation is completed
    rset-alloc allocate 3 -n1 --store s 3>&- &
    ends_too
    kill -CONT "${started[0]}"
    wait "${started[0]}"
    wait "${started[1]}"
    same "$(rset-alloc jobs -o json --store s | jq -c 'map(.job)')" '[1,2,3]'
}

@test "nobody waits for a killed process" {
    preloads failing_io
    stop_at 'sync s-wal' allocate 2 -n1
    kill -9 $!
    wait $! || true
    rset-alloc allocate 3 -n1 --wait 0 --store s
    same "$(rset-alloc jobs -o json --store s | jq -c 'map(.job)')" '[3]'
}

@test "an answer that nobody reads makes nobody wait" {
    mkfifo answer
    rset-match -o jgf r.json >g.json
    rset-alloc load g.json --store graph
    rset-alloc allocate 1 -N64 -o jgf --store graph >answer 3>&- &
    ends_too
    exec 4<answer
    until rset-alloc allocated 1 --store graph >held 2>&1; do
        sleep 0.01
    done
    rset-alloc drain n1 --wait 0 --store graph
    exec 4<&-
}

@test "nobody waits for a save, and the next save has the changes of its time" {
    mkfifo answer
    rset-match -o jgf r.json >g.json
    rset-alloc load g.json --store graph
    rset-alloc allocate 1 -n1 --store graph >R
    rset-alloc save --store graph >answer 3>&- &
    ends_too
    exec 4<answer
    head -c 1 <&4 >first
    rset-alloc allocate 2 -n1 --wait 0 --store graph >R
    rset-alloc release 1 --wait 0 --store graph
    rset-alloc drain n1 --wait 0 --store graph
    refused 'rset-alloc: graph: others are saving; waited for 0 s' \
        rset-alloc save --changed --wait 0 --store graph
    cat first - <&4 >saved
    wait "${started[0]}"
    rset-alloc save --changed --store graph >changes
    rset-diff --apply changes saved >now
    rset-match -o jgf --store graph | cmp - now
}

@test "a store with two names is not written to" {
    ln s link
    refused 'rset-alloc: link: the file has another name, a hard link' \
        rset-alloc allocate 1 -n1 --store link
    refused 'rset-alloc: s: the file has another name, a hard link' \
        rset-alloc batch r.json --store s
    rm link
    rset-alloc allocate 1 -n1 --store s
}

# --- the lease ---------------------------------------------------------------

# open_batch: start a batch on a pipe; ask LINE: $answer has its answer.
open_batch() {
    mkfifo -m 600 asks answers
    rset-alloc batch - --store s -o short <asks >answers 3>&- &
    ends_too
    exec 4>asks 5<answers
}

ask() {
    echo "$1" >&4
    read -r answer <&5
}


@test "a batch keeps other writers out, and others may read" {
    local pid
    open_batch
    pid=$!
    ask 'allocate 1 -n1'
    run -2 --separate-stderr rset-alloc allocate 2 -n1 --wait 60 --store s
    [[ $stderr == "rset-alloc: s: process $pid on "*' has the lease of the writer since '* ]]
    run -2 --separate-stderr rset-alloc batch r.json --store s
    [[ $stderr == "rset-alloc: s: process $pid on "* ]]
    same "$(rset-alloc allocated 1 -o short --store s)" rank0/core0
    same "$(rset-alloc save --store s 2>&1 >saved)" 'rset-alloc: revision 1'
    ask 'allocate 2 -n1'
    same "$answer" \
        '{"command":"allocate","job":"2","status":0,"set":"rank0/core1"}'
    same "$(rset-alloc save --changed --store s 2>&1 >changes)" \
        'rset-alloc: revision 2'
    rset-diff --apply changes saved >now
    rset-match --store s | cmp - now
    exec 4>&-
    wait $pid
    rset-alloc allocate 3 -n1 --wait 0 --store s
}

@test "a lease ends with its process, whatever its end" {
    open_batch
    ask 'allocate 1 -n1'
    kill -9 $!
    wait $! || true
    rset-alloc allocate 2 -n1 --wait 0 --store s
    rm asks answers
    open_batch
    ask 'allocate 3 -n1'
    run -2 --separate-stderr rset-alloc allocate 4 -n1 --store s
    [[ $stderr == "rset-alloc: s: process $! on "* ]]
    kill $!
    wait $! || true
    rset-alloc allocate 4 -n1 --wait 0 --store s
    same "$(rset-alloc jobs -o json --store s | jq -c 'map(.job)')" '[1,2,3,4]'
}

@test "a lease begins when its holder is known" {
    preloads failing_io
    stop_at 'write s-wal' batch /dev/null
    waits 0 rset-alloc allocate 1 -n1
    waits 0.1 rset-alloc allocate 1 -n1
}

@test "a batch that begins while others wait makes them fail" {
    local pid status=0
    preloads failing_io
    stop_at 'write s-wal' allocate 1 -n1
    pid=$!
    open_batch
    echo 'allocate 2 -n1' >&4
    rset-alloc allocate 3 -n1 -o short --store s >third 2>third.err 3>&- &
    ends_too
    sleep 0.1
    kill -CONT $pid
    wait $pid
    read -r answer <&5
    [[ $answer == *'"status":0'* ]]
    wait $! || status=$?
    if [ $status = 0 ]; then # it came before the batch
        same "$(<third)" rank0/core1
        [[ $answer == *'"set":"rank0/core2"'* ]]
    else
        same $status 2
        cat third.err
        grep -q ' has the lease of the writer since ' third.err
        [[ $answer == *'"set":"rank0/core1"'* ]]
    fi
}
