#!/usr/bin/env bats
# rset-alloc replay: traces, the machine, policies, figures and their forms.

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    needs jq
    rset-discover --hosts 'n[0-1]' --cores 0-1 >m.json
}

# job NUMBER SUBMIT RUN PROCESSORS TIME [STATUS [USED [OWNER [QUEUE]]]]: print a
# record.
job() {
    echo "$1 $2 -1 $3 ${7:--1} -1 -1 $4 $5 -1 ${6:-1} ${8:-1} -1 -1 ${9:--1} -1 -1 -1"
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

# waits ARG...: replay, and print the number and the wait of each job.
waits() {
    rset-alloc replay "$@" -o json --jobs |
        jq -r '.policies[0].list[] | select(.start) | "\(.job) \(.wait + 0)"'
}

# generate ARG...: print a trace; see replay/generate.c.
generate() {
    needs "$RSET_BIN/test/replay/generate"
    "$RSET_BIN/test/replay/generate" "$@"
}

@test "one policy: waits, and their figures" {
    few >trace
    same_as "$(rset-alloc replay trace m.json)" <<'END'
machine       2 nodes, 4 cores that are up
jobs          8
skipped       incomplete 1, unfinished 0, parts of jobs 1
policy        fcfs
too large     1
makespan      240 s
utilisation   63.54 %
loss          18.75 %

                       mean       median         95 %         most
wait, s               38.57         0.00       130.00       130.00
turnaround, s         74.29        70.00       160.00       160.00
slowdown               2.23         1.00         5.33         5.33
END
    same "$(waits trace m.json)" '1 0
2 90
3 130
4 50
5 0
6 0
10 0'
    # easy: job 3 fits before job 2, which does not wait for it
    for policy in easy conservative; do
        same "$(waits trace m.json --queue-policy $policy)" '1 0
2 90
3 0
4 50
5 0
6 0
10 0'
    done
    same "$(rset-alloc replay --quiet trace m.json)" ''
}

@test "several policies: a column each, the best has a star" {
    few >trace
    rset-alloc replay trace m.json --queue-policy fcfs,easy,2=fcfs,conservative:8 >table
    same "$(sed -n '6p; /mean/p; /makespan/p' table | tr -s ' ')" \
        ' fcfs easy,2=fcfs conservative:8
makespan, s 240.00 240.00 240.00
wait, s: mean 38.57 20.00* 20.00*
turnaround, s: mean 74.29 55.71* 55.71*
slowdown: mean 2.23 1.61* 1.61*'
    same "$(rset-alloc replay trace m.json --queue-policy fcfs,easy -o json |
        jq -c '[.policies[] | [.policy, .wait.mean + 0]]')" \
        '[["fcfs",38.57142857142857],["easy",20]]'
}

@test "each figure is that of an independent script" {
    needs python3
    for seed in 1 2 3; do
        generate 300 $seed 16 8 0 >trace
        rset-discover --hosts 'n[0-3]' --cores 0-3 >m.json
        for policy in fcfs easy conservative:4; do
            set -- --queue-policy $policy
            [ $policy = fcfs ] || set -- "$@" --reservation-slack 0
            waits trace m.json "$@" >got
            rset-alloc replay trace m.json "$@" --bound 60 -o json | jq -S '.policies[0] |
                del(.policy, .denied, .unended) | (.. | numbers) |= (. * 1e6 | round)' >figures
            python3 "$TEST_DIR/replay/processors.py" 16 $policy <trace | sort -n >waits
            cmp <(sort -n got) waits
            python3 "$TEST_DIR/replay/figures.py" 16 60 trace <waits |
                jq -S '(.. | numbers) |= (. * 1e6 | round)' >want
            diff figures want
        done
    done
}

@test "slots of one core: the shape of the machine does not count" {
    generate 500 3 64 40 0 >trace
    for shape in '0-15 0-3' '0-63 0' '0 0-63'; do
        read -r nodes cores <<<"$shape"
        rset-discover --hosts "n[$nodes]" --cores "$cores" |
            rset-alloc replay trace --queue-policy easy | tail -n +4 >"$nodes"
    done
    cmp 0-15 0-63
    cmp 0-15 0
}

@test "--as nodes: as many whole nodes as have the cores" {
    (
        job 1 0 100 3 100
        job 2 0 50 1 50
        job 3 0 10 1 10
    ) >trace
    rset-discover --hosts 'n[0-2]' --cores 0-1 >m.json
    same "$(waits trace m.json --as nodes)" '1 0
2 0
3 50'
    same "$(rset-alloc replay trace m.json --as nodes -o json --jobs |
        jq -c '[.policies[0].list[] | [.nodes, .cores]]')" '[[2,4],[1,2],[1,2]]'
    same "$(waits trace m.json --as slots)" '1 0
2 0
3 0'
}

@test "the machine: states and reservations of the site count, jobs do not" {
    job 1 1000 100 4 100 >trace
    rset-alloc allocate 7 -N2 -x m.json | rset-alloc replay trace -o json --jobs |
        jq -c '.policies[0].list[0].wait + 0' >got
    same "$(<got)" 0
    same "$(rset-alloc drain n1 m.json | rset-alloc replay trace | sed -n '1p; 5p')" \
        'machine       2 nodes, 2 cores that are up
too large     0'
    rset-alloc allocate weekend --targets n0 --at 1050 --duration 500 --now 0 m.json >r.json
    same "$(waits trace r.json)" '1 550'
    job 2 1600 5 1 5 >>trace
    same "$(waits trace r.json)" '1 550
2 50'
}

@test "jobs that wait for drained nodes are counted, and take the stars away" {
    (
        job 1 0 10 4 10
        job 2 20 10 1 10
        job 3 40 10 1 10
    ) >trace
    rset-alloc drain n0 m.json >d.json
    rset-alloc replay trace d.json --queue-policy fcfs,easy >got
    same "$(sed -n '4,6p' got)" 'too large     0
not ended     3 (fcfs)
not ended     1 (easy)'
    run -1 grep -F '*' got
    rset-alloc replay trace d.json --queue-policy easy -o json >got
    same "$(jq -c '.policies[0] | [.jobs, .unended]' got)" '[2,1]'
    same "$(rset-alloc replay trace d.json | sed -n 6p)" 'not ended     3'
}

@test "--queue names what the set and the trace have" {
    job 1 0 100 2 100 1 -1 5 small | sed 's/small/1/' >trace
    run -2 rset-alloc replay trace m.json --queue 1=smal
    same "$output" 'rset-alloc: --queue: 1: no target has the property "smal"'
    run -2 rset-alloc replay trace m.json --queue '1={"hostlist":["n9"]}'
    same "$output" 'rset-alloc: --queue: 1: there is no host "n9"'
    rset-alloc property n1 small m.json >p.json
    run -0 --separate-stderr rset-alloc replay trace p.json --queue 7=small
    same "$stderr" \
        'rset-alloc: warning: --queue: no job of the trace is in queue "7"'
}

@test "queues: a property of the name, --queue, and --by" {
    (
        job 1 0 100 2 100 1 -1 5 small
        job 2 0 100 2 100 1 -1 6 big
        job 3 0 10 2 10 1 -1 5 small
    ) | sed 's/small/1/; s/big/2/' >trace
    rset-alloc property n1 1 m.json >p.json
    same "$(waits trace p.json)" '1 0
2 0
3 100'
    same "$(waits trace m.json)" '1 0
2 0
3 100'
    same "$(waits trace m.json --queue '1={"hostlist":["n0"]}' --queue '2={"hostlist":["n0"]}')" \
        '1 0
2 100
3 200'
    rset-alloc replay trace m.json --by queue | tail -n 3 | tr -s ' ' >got
    same "$(<got)" 'queue jobs utilisation wait 95 % slowdown 95 %
1 2 50.00% 50.00 100.00 6.00 11.00
2 1 45.45% 0.00 0.00 1.00 1.00'
    same "$(rset-alloc replay trace m.json --by owner -o json |
        jq -c '[.policies[0].groups[] | [.owner, .jobs]]')" '[["5",2],["6",1]]'
    same "$(rset-alloc replay trace m.json --by size | tail -n 1 | cut -d' ' -f1)" 2-3
    same "$(TZ=UTC rset-alloc replay trace m.json --by day | tail -n 1 | cut -d' ' -f1)" 1970-01-01
}

@test "--save: the set with the jobs at their times; svg: both curves" {
    few >trace
    rset-alloc replay trace m.json --queue-policy easy --save plan.json >/dev/null
    same "$(rset-alloc jobs --now 0 -o json plan.json |
        jq -c '.[] | [.job, .start, .end]')" '[1,0,100]
[2,100,150]
[3,20,50]
[4,150,170]
[6,180,190]
[10,200,240]'
    rset-alloc timeline --now 0 plan.json -o svg | grep -c 'title>job 3' >/dev/null
    rset-alloc replay trace m.json --queue-policy fcfs,easy -o svg >r.svg
    same "$(grep -c '<path' r.svg)" 4
    same "$(grep -o '<title>[^<]*' r.svg | sort -u)" '<title>easy
<title>fcfs
<title>replay'
}

@test "gzip, standard input, UnixStartTime" {
    (
        echo '; UnixStartTime: 1000000'
        few
    ) >trace
    same "$(rset-alloc replay trace m.json -o json --jobs |
        jq -c '.policies[0].list[1] | [.submitted + 0, .start + 0]')" '[1000010,1000100]'
    rset-alloc replay trace m.json >want
    gzip <trace >trace.gz
    same "$(rset-alloc replay trace.gz m.json)" "$(<want)"
    same "$(rset-alloc replay trace.gz <m.json)" "$(<want)"
    same "$(rset-alloc replay - m.json <trace)" "$(<want)"
    refused 'rset-alloc: stdin: standard input is compressed: use gzip -dc' \
        rset-alloc replay - m.json <trace.gz
    head -c 60 trace.gz >broken.gz
    run -2 rset-alloc replay broken.gz m.json
    [[ $output == *'rset-alloc: broken.gz: gzip has failed' ]]
}

@test "traces of Flux and Slurm" {
    cat >flux.json <<'END'
{"jobs":[
{"id":11,"userid":5,"username":"ann","queue":"batch","ncores":2,"nnodes":1,"duration":120.0,
 "t_submit":1000.5,"t_run":1001.0,"t_cleanup":1101.0,"t_inactive":1102.0},
{"id":12,"userid":6,"ncores":4,"nnodes":2,"duration":60.0,"t_submit":1010.0,"t_run":1110.0,"t_cleanup":1160.0},
{"id":13,"userid":6,"nnodes":1,"duration":0.0,"t_submit":1020.0,"t_run":1120.0,"t_inactive":1130.0},
{"id":14,"userid":6,"ncores":1,"duration":9.0,"t_submit":1030.0,"state":"SCHED"}]}
END
    same "$(waits flux.json m.json)" '11 0
12 90.5
13 130.5'
    same "$(rset-alloc replay flux.json m.json | sed -n 3p)" \
        'skipped       incomplete 0, unfinished 1, parts of jobs 0'
    cat >sacct.json <<'END'
{"jobs":[
{"job_id":21,"array":{"job_id":0,"task_id":{"set":false}},"user":"bob","partition":"p",
 "time":{"submission":1000,"start":1000,"end":1100,"elapsed":100,"limit":{"set":true,"infinite":false,"number":2}},
 "tres":{"allocated":[{"type":"cpu","count":2},{"type":"node","count":1}],"requested":[]}},
{"job_id":23,"array":{"job_id":22,"task_id":{"set":true,"infinite":false,"number":7}},"user":"bob","partition":"p",
 "time":{"submission":1010,"start":1100,"end":1150,"elapsed":50,"limit":{"set":true,"number":1}},
 "tres":{"allocated":[],"requested":[{"type":"cpu","count":4}]}},
{"job_id":24,"time":{"submission":1020,"start":0,"end":0,"elapsed":0},"tres":{"requested":[{"type":"cpu","count":4}]}}]}
END
    same "$(waits sacct.json m.json)" '21 0
22_7 90'
    cat >sacct.txt <<'END'
JobID|User|Partition|Submit|Start|End|Elapsed|Timelimit|NCPUS|NNodes|State
21|bob|p|1970-01-01T00:16:40|1970-01-01T00:16:40|1970-01-01T00:18:20|00:01:40|00:02:00|2|1|COMPLETED
21.batch||p|1970-01-01T00:16:40|1970-01-01T00:16:40|1970-01-01T00:18:20|00:01:40||2|1|COMPLETED
22_7|bob|p|1970-01-01T00:16:50|1970-01-01T00:18:20|1970-01-01T00:19:10|00:00:50|00:01:00|4|2|COMPLETED
24|bob|p|1970-01-01T00:17:00|Unknown|Unknown|00:00:00|UNLIMITED|4|2|PENDING
END
    export TZ=UTC
    same "$(waits sacct.txt m.json)" '21 0
22_7 90'
    same "$(rset-alloc replay sacct.txt m.json | sed -n 3p)" \
        'skipped       incomplete 0, unfinished 1, parts of jobs 1'
    same "$(waits --from sacct sacct.txt m.json)" "$(waits sacct.txt m.json)"
}

@test "a trace that is none: one line with its place" {
    bad() { # MESSAGE TEXT...
        printf '%s\n' "${@:2}" >bad
        refused "rset-alloc: bad: $1" rset-alloc replay bad m.json
    }
    bad 'there is no job to replay' ''
    bad 'there is no job to replay' '; no jobs'
    bad 'line 1: a record has 18 fields, and this line 3' '11 200 -1'
    bad 'line 2: field 4: "ten" is not a number' "$(job 1 0 1 1 1)" "$(job 2 0 ten 1 1)"
    bad 'line 1: field 8: "1.5" is not an integer' "$(job 1 0 1 1.5 1)"
    bad 'line 1: field 2: "inf" is not a number' "$(job 1 inf 1 1 1)"
    bad 'line 1: field 1: "1e300" is not an integer' "$(job 1e300 0 1 1 1)"
    bad 'line 1: field 8: 1e+15 processors: no machine has them' "$(job 1 0 1 1e15 1)"
    bad 'line 1: job 1: 1e+18 seconds: no job lasts that long' "$(job 1 0 1e18 1 1)"
    bad 'there is no job to replay' "$(job 1 -5 1 1 1)"
    bad 'line 1: a record has 18 fields, and this line 19' "$(job 1 0 1 1 1) 7"
    bad 'line 1: the names of columns are expected, among them JobID and Submit' 'a|b'
    bad 'line 1: no column has the run times: Start and End, Elapsed or ElapsedRaw' 'JobID|Submit'
    bad 'line 1: no column has the sizes: NCPUS, AllocCPUS, ReqCPUS, NNodes, AllocNodes or ReqNodes' \
        'JobID|Submit|Elapsed'
    bad 'line 2: the line has 2 columns, and the first line more' 'JobID|Submit|Elapsed|NCPUS' '1|2'
    bad 'line 2: AllocCPUS: "many" is no size of a job' 'JobID|Submit|ElapsedRaw|ReqCPUS|NCPUS' '1|2|3|4|many'
    echo '{"jobs":' >bad
    run -2 rset-alloc replay bad m.json
    bad '"jobs" is expected, as flux jobs -a --json and sacct --json write it' '{"job":1}'
    bad 'jobs[0]: neither t_submit, as in jobs of Flux, nor time, as in jobs of sacct' '[{}]'
    printf '1 2\0 3\n' >bad
    refused 'rset-alloc: bad: line 1: a NUL byte' rset-alloc replay bad m.json
    refused 'rset-alloc: none: No such file or directory' rset-alloc replay none m.json
    echo '1 2 3' >bad
    refused 'rset-alloc: bad: line 1: a JSON document is expected' \
        rset-alloc replay --from flux bad m.json
    (
        job 2 500 10 1 10
        job 1 0 10 1 10
    ) >late
    same "$(waits late m.json)" '1 0
2 0'
}

@test "wrong options" {
    few >trace
    try="(try 'rset-alloc replay --help')"
    refused "rset-alloc: replay: a trace is expected, or - $try" rset-alloc replay
    refused "rset-alloc: --save needs a single --queue-policy $try" \
        rset-alloc replay trace m.json --queue-policy fcfs,easy --save x
    refused "rset-alloc: --save: \"trace\" is the file of the trace $try" \
        rset-alloc replay trace m.json --save trace
    refused "rset-alloc: --queue: \"x\": NAME=CONSTRAINT is expected $try" \
        rset-alloc replay trace m.json --queue x
    run -2 rset-alloc replay trace m.json --queue 'x={"a":1}'
    refused "rset-alloc: --as: \"cores\": expected nodes or slots $try" \
        rset-alloc replay trace m.json --as cores
    refused "rset-alloc: --bound: it must be above 0 $try" \
        rset-alloc replay trace m.json --bound 0
    run -2 rset-alloc replay trace m.json --queue-policy lifo
    run -2 rset-alloc replay trace m.json --by colour
    run -2 rset-alloc replay trace m.json --from csv
    refused "rset-alloc: --reservation-depth needs --queue-policy conservative $try" \
        rset-alloc replay trace m.json --reservation-depth 3
}

@test "an interrupted replay shows what it has reached, status 2" {
    generate 200000 1 4 2 0 >trace
    mkfifo slow
    rset-alloc replay slow m.json >out 2>err &
    cat trace >slow
    kill -TERM $!
    status=0
    wait $! || status=$?
    same $status 2
    grep -q '^rset-alloc: interrupted: under fcfs .* of 200000 jobs have ended$' err
    grep -q '^slowdown' out
}

@test "the pipes of the manual page work" {
    page=$(sed -n '/^\.Sh WHAT IF/,/^\.Sh EXIT/p' "$TOP/man/rset-alloc.1" |
        sed -n '/^\.Bd/,/^\.Ed/{/^\./d; p}')
    (
        job 1 0 100 2 100 1 -1 5 1
        job 2 0 100 4 100 1 -1 6 2
    ) >month.swf
    cp m.json set.json
    bash -eu -o pipefail -c "${page//node1/n1}" >out
    same "$(grep -c '^machine' out)" 4
}

@test "a generated trace: the same seed is the same trace" {
    generate 200 5 40 20 0 >a
    generate 200 5 40 20 0 >b
    generate 200 6 40 20 0 >c
    cmp a b
    run -1 cmp -s a c
    generate 2000 1 32000 3 100 >d
    same "$(awk '$1 != ";" && ($8 < 1 || $8 > 3 || $9 < $4)' d)" ''
    awk '{ last = $2 } END { exit !(last > 180000 && last < 220000) }' d
    same "$(tail -n 1 d | cut -d ' ' -f 1)" 2000
}
