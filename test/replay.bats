#!/usr/bin/env bats
# Traces of jobs that rset-alloc serve schedules with a clock of messages
# (test/replay, make replay).

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    needs jq "$RSET_BIN/test/replay/replay"
}

# job NUMBER SUBMIT RUN PROCESSORS TIME [STATUS [USED-PROCESSORS]]: print a
# record.
job() {
    echo "$1 $2 -1 $3 ${7:--1} -1 -1 $4 $5 -1 ${6:-1} 1 -1 -1 -1 -1 -1 -1"
}

# replay TRACE [NAME=VALUE...]: on two nodes of two cores.
replay() {
    "$TEST_DIR/replay/run" "$RSET_BIN" TRACE="$1" NODES=2 CORES=2 OUT=. "${@:2}"
}

# waits: print number, submission, wait and run time of each job.
waits() {
    cut -d ' ' -f 1-4 schedule.swf
}

few() {
    echo '; Computer: none'
    job 1 0 100 2 120
    job 2 10 50 4 60
    job 3 20 30 1 30
    job 4 100 20 1 5
    echo
    job 5 180 0 4 10
    job 6 180 10 4 10
    job 7 190 10 5 10
    job 8 190 -1 1 10
    job 9 190 10 1 10 3
    job 10 200 40 -1 -1 1 3
}

@test "first come, first served: waits, and their figures" {
    few >trace
    same_as "$(replay trace)" <<'END'
machine       nodes 2, cores of each 2
policy        fcfs
jobs          7
skipped       larger than the machine 1, incomplete 1, parts of jobs 1
makespan      240 s
utilisation   63.54 %

                    mean      median        95 %        most
wait, s            38.57        0.00      130.00      130.00
slowdown            2.23        1.00        5.33        5.33
END
    same "$(waits)" '1 0 0 100
2 10 90 50
3 20 130 30
4 100 50 20
5 180 0 0
6 180 0 10
10 200 0 40'
    same "$(jq -c 'walk(if type == "number" then . * 1000 | round / 1000 else . end)' \
        result.json)" '{"nodes":2,"cores":2,"policy":"fcfs","jobs":7,"skipped":{"larger":1,"incomplete":1,"parts":1},"makespan":240,"utilisation":0.635,"wait":{"mean":38.571,"median":0,"p95":130,"most":130},"slowdown":{"mean":2.233,"median":1,"p95":5.333,"most":5.333}}'
}

@test "first come, first served: waits are those of a simple simulation" {
    replay '' JOBS=100 NODES=10 CORES=4 LARGEST=20 >/dev/null
    # Each job starts after the one before it, as soon as enough cores are free.
    awk -v cores=40 '{
        at = $2 > at ? $2 : at
        do {
            free = cores
            for (job in end)
                free -= end[job] > at ? size[job] : 0
        } while (free < $8 && ++at)
        end[$1] = at + $4
        size[$1] = $8
        print $1, at - $2
    }' schedule.swf >simple
    cmp simple <(cut -d ' ' -f 1,3 schedule.swf)
}

@test "easy and conservative: job 3 fits before job 2, which does not wait for it" {
    few >trace
    for policy in easy conservative; do
        replay trace POLICY=$policy >/dev/null
        same "$(waits)" '1 0 0 100
2 10 90 50
3 20 0 30
4 100 50 20
5 180 0 0
6 180 0 10
10 200 0 40'
    done
}

@test "the schedule is a trace that can be replayed" {
    few >trace
    replay trace >table
    cp schedule.swf again
    replay again | sed 's/^skipped .*//' >second
    cmp second <(sed 's/^skipped .*//' table)
    cmp again schedule.swf
    gzip again
    replay again.gz >second
    cmp trace.swf schedule.swf
}

@test "jobs run on the cores that the scheduler gave them; the timeline shows it" {
    few >trace
    replay trace DRAW=4 >/dev/null
    same "$(rset-alloc jobs --now 0 -o json schedule.json |
        jq -c '.[] | [.job, .start, .end]')" '[1,0,100]
[2,100,150]
[3,150,180]
[4,150,170]'
    same "$(rset-alloc allocated 2 --now 0 -o short schedule.json)" \
        'rank[0-1]/core[0-1]'
    same "$(grep -o '<title>job [^<]*' timeline.svg | sort -u | cut -c 8-25)" \
        'job 1: n0, allocat
job 2: n[0-1] (2 n
job 3: n0, reserve
job 4: n0, reserve'
}

@test "a line that is not a record is an error with its number" {
    (
        few
        echo '11 200 -1'
    ) >short
    refused 'replay: short:13: a record has 18 fields, this line has 3' \
        replay short
    (
        few
        job 11 200 ten 1 10
    ) >word
    refused 'replay: word:13: field 4: "ten" is not a number' replay word
    (
        few
        job 11 200 10 1.5 10
    ) >part
    refused 'replay: part:13: field 8: 1.5 is not an integer' replay part
    (
        few
        job 3 300 10 1 10
    ) >twice
    refused 'replay: twice:13: job 3 is in line 4 already' replay twice
    echo '; no jobs' >empty
    refused 'replay: empty: there is no job to replay' replay empty
    refused 'replay: none: No such file or directory' replay none
}

@test "a policy that the scheduler does not know, and other wrong settings" {
    few >trace
    run -2 replay trace POLICY=lifo
    [[ $output == 'rset-alloc: --queue-policy: "lifo": expected '* ]]
    refused 'replay: NODES: "0": a number from 1 to 1000000 is expected' \
        replay trace NODES=0
    refused 'replay: SPEED=9: expected NAME=VALUE' replay trace SPEED=9
}

@test "a generated trace: the same seed is the same trace and schedule" {
    for name in a b c; do
        mkdir $name
        seed=5
        [ $name = c ] && seed=6
        replay '' JOBS=200 NODES=10 CORES=4 SEED=$seed OUT=$name >$name/table
    done
    for file in trace.swf table result.json schedule.swf timeline.svg; do
        cmp a/$file b/$file
        run -1 cmp -s a/$file c/$file
    done
    same "$(jq -c '[.jobs, .skipped.larger]' a/result.json)" '[200,0]'
}

@test "a generated trace: number of jobs, the largest, and how often they come" {
    replay '' JOBS=2000 LARGEST=3 EVERY=100 >/dev/null
    same "$(awk '$1 != ";" && ($8 < 1 || $8 > 3 || $9 < $4)' trace.swf)" ''
    awk '{ last = $2 } END { exit !(last > 180000 && last < 220000) }' trace.swf
    same "$(tail -n 1 trace.swf | cut -d ' ' -f 1)" 2000
}

# On slots of one core only the number of processors counts.
@test "easy and conservative are as published, and the shape of the machine does not count" {
    needs python3
    for policy in easy conservative:8; do
        for shape in '16 4' '64 1' '1 64'; do
            read -r nodes cores <<<"$shape"
            replay '' JOBS=1000 NODES="$nodes" CORES="$cores" LARGEST=40 \
                POLICY=$policy ARGS='--reservation-slack 0' >/dev/null
            waits | grep -v '^;' | cut -d ' ' -f 1,3 | sort -n >"$nodes"
        done
        cmp 16 64
        cmp 16 1
        cmp 16 <(python3 "$TEST_DIR/replay/processors.py" 64 $policy <schedule.swf)
    done
}
