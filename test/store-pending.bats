#!/usr/bin/env bats
# Jobs that wait for a service, in its store: which of them are listed, what
# they need of the disk, and when they are dropped.

# shellcheck disable=SC2154 # start sets pid, preloads shim
load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    needs jq
    rset-discover --hosts 'n[0-3]' --cores 0-3 >r.json
}

teardown() {
    exec 4>&-
    [ -z "${pid-}" ] || wait "$pid" || true
}

# --- messages ----------------------------------------------------------------

hello='{"topic":"job-manager.sched-hello","matchtag":1,"errnum":61}
{"topic":"job-manager.sched-ready","matchtag":2,"payload":{"count":0}}'

send() { # METHOD PAYLOAD [MATCHTAG]
    echo "{\"topic\":\"sched.$1\",\"matchtag\":${3:-0},\"payload\":$2}"
}

# alloc ID NODES [PRIORITY [SYSTEM]]: a request of whole nodes.
alloc() {
    local node='{"type":"node","exclusive":true,"with":[{"type":"slot",'
    node+='"count":1,"label":"s","with":[{"type":"core","count":1}]}],'
    send alloc "{\"id\":$1,\"priority\":${3:-16},\"userid\":1000,\
\"t_submit\":$1.5,\"jobspec\":{\"version\":1,\"resources\":[$node\"count\":$2}],\
\"tasks\":[{\"command\":[\"a\"],\"slot\":\"s\",\"count\":{\"per_slot\":1}}],\
\"attributes\":{\"system\":{${4-\"duration\":100}}}}}"
}

# serve OPTION...: start a service and get it ready.
serve() {
    rm -f lines
    start rset-alloc serve --resources r.json --store s --now 1000 "$@"
    echo "$hello" >&4
}

# done_all: wait until the service has handled all lines.
done_all() {
    local n=$(($(grep -c sched.ping out || :) + 1))
    send ping '{}' 7 >&4
    for _ in {1..30000}; do
        [ "$(grep -c sched.ping out)" -lt "$n" ] || return 0
        sleep 0.01
    done
    return 1
}

# pending [OPTION...]: list the jobs that wait.
pending() {
    TZ=UTC rset-alloc jobs --store s --job-state pending --no-header "$@"
}

# --- listing -----------------------------------------------------------------

@test "jobs --job-state pending lists owner, priority, request, times and reason" {
    serve --queue-policy easy
    { alloc 1 3; alloc 2 4; alloc 3 4 9 '"duration":60,"queue":"debug"'; } >&4
    done_all
    TZ=UTC rset-alloc jobs --store s --job-state pending >table
    same_as "$(<table)" <<'END'
JOB  OWNER  STATE    PRIORITY  REQUEST        SUBMITTED            ESTIMATE             REASON
2    1000   pending        16  4_whole_nodes  1970-01-01T00:00:02  1970-01-01T00:18:20  need 4 whole nodes: 1 available
3    1000   pending         9  4_whole_nodes  1970-01-01T00:00:03  1970-01-01T00:20:00  need 4 whole nodes: 1 available
END
    rset-alloc jobs --store s --job-state pending -o json | jq -c '.[]' >rows
    same_as "$(<rows)" <<'END'
{"job":2,"owner":1000,"state":"pending","left":100,"priority":16,"request":"4 whole nodes","submitted":2.5,"estimate":1100,"reason":"need 4 whole nodes: 1 available"}
{"job":3,"owner":1000,"state":"pending","left":60,"queue":"debug","priority":9,"request":"4 whole nodes","submitted":3.5,"estimate":1200,"reason":"need 4 whole nodes: 1 available"}
END
    # other filters and columns
    same "$(pending --job 3,7 --columns job,queue,left 2>err)" '3  debug  00:01:00'
    same "$(<err)" 'rset-alloc: s: there is no job 7'
    same "$(pending --owner 1000 --columns job --sort priority | xargs)" '3 2'
    same "$(pending --by owner | tr -s ' ')" '1000 2 0 0 0'
    run -1 pending --owner 1001
    same "$output" 'rset-alloc: s: no job passes --owner 1001'
    run -1 pending --job 3 --owner 1001
    same "$output" 'rset-alloc: s: no job passes --owner 1001'
    run -1 pending n0
    same "$output" 'rset-alloc: s: no job holds anything on n0'
    same "$(pending --job-state pending,allocated --now 1000 \
        --columns job,state,hosts | tr -s ' ')" \
        $'1 allocated n[0-2]\n2 pending -\n3 pending -'
    ends 0
}

@test "jobs that wait are in no other list, and claim nothing" {
    serve
    { alloc 1 4; alloc 2 4; } >&4
    done_all
    same "$(pending --columns job)" 2
    same "$(rset-alloc jobs --store s -o json | jq -c 'map(.job)')" '[1]'
    run -1 rset-alloc allocated 2 --store s
    run -1 rset-alloc jobs --job 2 --store s
    same "$output" 'rset-alloc: s: there is no job 2'
    run -1 grep '"job":2' <(rset-match --store s)
    same "$(rset-alloc history --store s -o json | jq -c 'map(.command)')" \
        '["serve","allocate"]'
    send free '{"id":1}' >&4
    n=1 done_all
    same "$(rset-alloc jobs --store s -o json | jq -c 'map(.job)')" '[2]'
    run -1 pending
    same "$output" 'rset-alloc: s: no job passes --job-state pending'
    rset-alloc check --store s
    ends 0
}

@test "a document has no jobs that wait" {
    refused "rset-alloc: --job-state pending needs --store (try 'rset-alloc jobs --help')" \
        rset-alloc jobs --job-state allocated,pending r.json
    run -2 rset-alloc jobs --columns job,priority r.json
    rset-alloc load --store s r.json
    run -1 pending
    same "$output" 'rset-alloc: s: no job passes --job-state pending'
}

@test "the list follows priorities, reasons, estimates, cancels and starts" {
    serve --queue-policy conservative
    { alloc 1 4; alloc 2 4; alloc 3 2; } >&4
    done_all
    list() { pending --columns job,priority,estimate,reason | tr -s ' '; }
    same "$(list)" '2 16 1970-01-01T00:18:20 need 4 whole nodes: none available
3 16 1970-01-01T00:20:00 it is behind other jobs in the queue'
    send prioritize '{"jobs":[[3,20]]}' >&4
    n=1 done_all
    same "$(list)" '2 16 1970-01-01T00:20:00 it is behind other jobs in the queue
3 20 1970-01-01T00:18:20 need 2 whole nodes: none available'
    send cancel '{"id":2}' >&4
    n=2 done_all
    same "$(pending --columns job)" 3
    # an id that is used again is another job
    { send cancel '{"id":3}'; alloc 3 1 5; } >&4
    n=3 done_all
    same "$(pending --columns job,priority,request | tr -s ' ')" '3 5 1_whole_node'
    send free '{"id":1}' >&4
    n=4 done_all
    run -1 pending
    ends 0
}

# --- how long ----------------------------------------------------------------

@test "a killed service leaves its list, and the next service drops it" {
    serve
    { alloc 1 4; alloc 2 4; } >&4
    done_all
    kill -9 "$pid"
    wait "$pid" || true
    exec 4>&-
    same "$(pending --columns job)" 2
    # other writers leave the list alone
    rset-alloc drain n3 --store s
    rset-alloc batch - --store s <<<'undrain n3' >answers
    same "$(pending --columns job)" 2
    # in a batch
    same "$(rset-alloc batch - --store s <<<'jobs --job-state pending' |
        jq -c '.jobs | map([.job, .request])')" '[[2,"4 whole nodes"]]'
    rset-alloc check --store s
    serve
    wait_lines 1 out
    run -1 pending
    alloc 5 4 >&4
    done_all
    kill "$pid"
    wait "$pid" || true
    exec 4>&-
    run -1 pending
}

@test "jobs that wait when a service ends stay until the next one starts" {
    serve
    { alloc 1 4; alloc 2 4; } >&4
    done_all
    ends 0
    same "$(pending --columns job)" 2
    rset-alloc serve --resources r.json --store s <<<"$hello" >out
    run -1 pending
}

@test "save leaves out the jobs that wait, and so does a store made of it" {
    serve
    { alloc 1 4; alloc 2 4; } >&4
    done_all
    rset-alloc save --store s >saved 2>err
    ends 0
    rset-alloc load --store t saved
    run -1 rset-alloc jobs --store t --job-state pending
    rset-alloc save --store t | cmp - saved
}

# --- the disk ----------------------------------------------------------------

@test "jobs that wait cost no sync, and are written together" {
    local syncs
    preloads failing_io
    serve
    alloc 1 4 >&4
    done_all
    ends 0
    { echo "$hello"; alloc 1 4; } >first
    cp first all
    for i in {2..300}; do
        alloc "$i" 1
    done >>all
    for lines in first all; do
        rm -f s s-*
        LD_PRELOAD=$shim IO_LOG=$lines.log rset-alloc serve --now 1 \
            --resources r.json --store s <$lines >out
    done
    same "$(pending | wc -l)" 299
    syncs=$(grep -c '^sync' first.log)
    same "$(grep -c '^sync' all.log)" "$syncs"
    # 299 rows of less than 200 bytes: a few pages, each with its header
    (($(grep -c '^write s-wal' all.log) - $(grep -c '^write s-wal' first.log) < 100))
}

@test "a commit of a service is one write of the log, and a sync" {
    preloads failing_io
    { echo "$hello"; alloc 1 4; send free '{"id":1}'; } |
        LD_PRELOAD=$shim IO_LOG=log rset-alloc serve --now 1 \
            --resources r.json --store s >told
    # up to the answer; then the service only gives back its lease
    same "$(awk '/^write s-wal/ { n++ } /^sync s-wal/ { print n; n = 0 }
        /^write told/ { exit }' log | sort | uniq -c | tr -s ' ')" ' 3 1'
}

@test "a full disk ends the service before it tells that a job waits" {
    local writes
    preloads failing_io
    { echo "$hello"; alloc 1 4; } >first
    rset-alloc serve --now 1 --resources r.json --store s <first >told
    run_it() { # AT
        rm -f log
        LD_PRELOAD=$shim IO_LOG=log IO_ONLY='write s-wal' IO_AT=$1 \
            IO_DO=ENOSPC IO_LASTS=1 rset-alloc serve --now 1 \
            --resources r.json --store s
    }
    # the service has job 1, so that job 2 waits
    hello='{"topic":"job-manager.sched-hello","matchtag":1,"payload":{"id":1}}
'$hello
    { echo "$hello"; alloc 2 4; } >second
    mkdir before
    cp s s-wal before
    run_it 0 <second >told
    grep -q reason_pending told
    same "$(pending --columns job)" 2
    # the last one before the answer
    writes=$(awk '/^write s-wal/ { n++ } /^write told/ { at = n }
        END { print at }' log)
    rm s s-*
    cp before/* .
    refused 'rset-alloc: s: database or disk is full' run_it "$writes" <second
    run -1 pending
    rset-alloc check --store s
}

@test "a job is listed as waiting or as allocated, by every reader" {
    local i reader
    for i in {1..200}; do
        alloc "$i" 4
        send free "{\"id\":$((i - 1))}"
    done >work
    read_often() {
        local rows
        until [ -e 'done' ]; do
            rows=$(rset-alloc jobs --store s --job-state \
                pending,allocated,ended -o json) || return 1
            jq -e 'map(.job) as $jobs | ($jobs | unique | length) ==
                ($jobs | length) and (map(select(.state != "pending")) |
                length) <= 1' <<<"$rows" >told || { echo "$rows"; return 1; }
        done
    }
    serve
    alloc 999 1 >&4
    send free '{"id":999}' >&4
    alloc 0 4 >&4
    alloc 1000 4 1 >&4
    done_all
    quickly read_often 3>&- 4>&- &
    reader=$!
    while read -r line; do
        echo "$line" >&4
    done <work
    n=1 done_all
    touch 'done'
    wait $reader
    ends 0
}
