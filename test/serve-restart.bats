#!/usr/bin/env bats
# rset-alloc serve: what jobs hold after a restart, and reservations of the site.

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    needs jq
    rset-discover --hosts 'n[0-3]' --cores 0-3 >r.json
    # two racks of two nodes with memory, an ssd in each rack, and licences
    cat >g.json <<'END'
{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0}},
{"id":"1","metadata":{"type":"rack","id":0}},{"id":"2","metadata":{"type":"rack","id":1}},
{"id":"3","metadata":{"type":"ssd","id":0,"size":10}},{"id":"4","metadata":{"type":"ssd","id":1,"size":10}},
{"id":"5","metadata":{"type":"license","id":0,"size":10}},
{"id":"10","metadata":{"type":"node","name":"n0","id":0,"rank":0}},{"id":"11","metadata":{"type":"core","id":0,"rank":0}},{"id":"12","metadata":{"type":"memory","id":0,"size":8,"rank":0}},
{"id":"20","metadata":{"type":"node","name":"n1","id":1,"rank":1}},{"id":"21","metadata":{"type":"core","id":0,"rank":1}},{"id":"22","metadata":{"type":"memory","id":0,"size":8,"rank":1}},
{"id":"30","metadata":{"type":"node","name":"n2","id":2,"rank":2}},{"id":"31","metadata":{"type":"core","id":0,"rank":2}},{"id":"32","metadata":{"type":"memory","id":0,"size":8,"rank":2}}],
"edges":[{"source":"0","target":"1"},{"source":"0","target":"2"},{"source":"0","target":"5"},{"source":"1","target":"3"},{"source":"2","target":"4"},
{"source":"1","target":"10"},{"source":"10","target":"11"},{"source":"10","target":"12"},{"source":"1","target":"20"},{"source":"20","target":"21"},{"source":"20","target":"22"},
{"source":"2","target":"30"},{"source":"30","target":"31"},{"source":"30","target":"32"}]}}
END
}

# --- messages ---------------------------------------------------------------

send() { # METHOD PAYLOAD [MATCHTAG]
    echo "{\"topic\":\"sched.$1\",${3:+\"matchtag\":$3,}\"payload\":$2}"
}
job() { # ID R [MORE]: print the response to hello with a job
    echo "{\"topic\":\"job-manager.sched-hello\",\"matchtag\":1,\"payload\":{" \
        "\"id\":$1,\"priority\":16,\"userid\":5,\"t_submit\":1${2:+,\"R\":$2}" \
        "${3:+,$3}}}"
}
hello() {
    echo '{"topic":"job-manager.sched-hello","matchtag":1,"errnum":61}'
    echo '{"topic":"job-manager.sched-ready","matchtag":2,"payload":{"count":0}}'
}
# ask ID RESOURCES [DURATION]: print a request for resources, which are JSON.
ask() {
    send alloc "{\"id\":$1,\"priority\":16,\"userid\":5,\"jobspec\":{\"version\":1,
        \"resources\":$2,\"tasks\":[{\"command\":[\"a\"],\"slot\":\"s\",\"count\":{\"per_slot\":1}}],\"attributes\":{\"system\":{\"duration\":${3-0}}}}}" |
        tr -d '\n'
    echo
}
slot() { # TYPE N
    echo "[{\"type\":\"slot\",\"label\":\"s\",\"count\":1,\"with\":[{\"type\":\"$1\",\"count\":$2}]}]"
}
nodes() { # N
    echo "[{\"type\":\"node\",\"count\":$1,\"exclusive\":true,\"with\":$(slot core 1)}]"
}
R() { # RANKS CORES
    echo "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"$1\",\"children\":{\"core\":\"$2\"}}],\"nodelist\":[\"n[$1]\"]}}"
}

# served ARG...: print what happens to jobs in a few words.
served() {
    rset-alloc serve --dialect current --now 1000 "$@" >out 2>err
    jq -r '.payload as $p | if .errnum then "errnum \(.errnum): \(.errstr)"
        elif .topic == "job-manager.raise" then "raise \($p.id): \($p.note)"
        elif .topic == "sched.resource-status" then
            "allocated " + ([$p.allocated.execution.R_lite[] |
                "\(.rank):\(.children.core)"] | join(" "))
        elif .topic == "sched.reservations" then $p.reservations[] |
            "\(.name) \(.start) \(.end) \(.owner) \(.R.execution.R_lite[0].rank)"
        elif .topic != "sched.alloc" then empty
        elif $p.type == 0 then "\($p.id) starts"
        elif $p.type == 1 then $p.annotations.sched |
            select(has("reason_pending")) | "\($p.id) waits: \(.reason_pending)"
        else "\($p.id) \($p.note)" end' out
}
allocated='{"topic":"sched.resource-status","matchtag":9}'

# --- a job's R --------------------------------------------------------------

# hold_all: job 1 has both nodes of a rack and six licences; job.json is its R.
hold_all() {
    rset-alloc allocate 1 --take /cluster0/license0=6 g.json |
        rset-alloc grow 1 --targets 0-1 >held.json
    rset-alloc allocated 1 "$@" held.json >job.json
}

@test "hello: a running job keeps all, in each form of its R" {
    for form in '-o rv1' '-o rv1-compact' '-o rv1-compact --shorthand' \
        '-o rv1 --dialect current'; do
        # shellcheck disable=SC2086 # words
        hold_all $form
        same "$( (job 1 "$(<job.json)"
            hello
            ask 2 "$(slot license 5)"
            ask 3 "$(slot license 4)"
            send free '{"id":1}') | served --resources g.json --queues joined)" \
            '2 waits: need 1 slot with 5 licenses: none available (it needs 5 licenses, at most 4 are free in one place)
3 waits: it is behind other jobs in the queue
2 starts
3 starts'
        same "$(cat err)" ''
    done
}

@test "hello: what lies in no rank stays with a job that is partly freed" {
    hold_all -o rv1-compact --shorthand
    for free in '' 0 0-1; do
        (job 1 "$(<job.json)" "\"free\":\"$free\""
            hello
            ask 2 "$(slot license 4)"
            ask 3 "$(slot license 1)"
            send free '{"id":1}') | served --resources g.json >said
        grep '^3 waits: need 1 slot with 1 license: none available' said
        same "$(cat err)" ''
    done
    # the live service says the same
    (job 1 "$(<job.json)"
        hello
        send free "{\"id\":1,\"R\":$(R 0 0),\"final\":false}"
        ask 2 "$(nodes 1)"
        ask 3 "$(slot license 5)") | served --resources g.json >said
    same "$(cat said)" '2 starts
3 waits: need 1 slot with 5 licenses: none available (it needs 5 licenses, at most 4 are free in one place)'
}

@test "hello: a job with a rank that is gone keeps the rest" {
    rset-diff --unlink /cluster0/rack0/n1 g.json >fewer.json
    for form in rv1 'rv1-compact --shorthand'; do
        # shellcheck disable=SC2086 # words
        hold_all -o $form
        same "$( (job 1 "$(<job.json)"
            hello
            ask 2 "$(slot license 5)") | served --resources fewer.json)" \
            'raise 1: targets 1 (n1) are gone
2 waits: need 1 slot with 5 licenses: none available (it needs 5 licenses, at most 4 are free in one place)'
    done
}

@test "hello: a graph that can't be read leaves R_lite" {
    hold_all -o rv1
    for change in '.scheduling = null' '.scheduling.graph = {}' \
        '.scheduling.graph.nodes[3].metadata.rank = "x"' \
        '.scheduling.graph.edges[0].target = "77"'; do
        same "$( (job 1 "$(jq -c "$change" job.json)"
            hello
            echo "$allocated") | served --resources g.json)" 'allocated 0-1:0'
        [[ $change == *null ]] || grep \
            '^rset-alloc: job 1: only R_lite is used of its R: R: ' err
    done
    same "$( (job 1 '{"version":1}'
        hello
        echo "$allocated") | served --resources g.json)" \
        'raise 1: R: an R needs `execution`, or a graph in `scheduling`
allocated '
}

@test "hello: hosts with other ranks are found by their names" {
    rset-discover --hosts 'n[2-3,0-1]' --cores 0-3 >other.json
    same "$( (job 1 "$(R 0-1 0-3)"
        hello
        echo "$allocated") | served --resources other.json)" 'allocated 2-3:0-3'
    same "$(cat err)" ''
}

@test "hello: two jobs that overlap: only the contested core is lost, until free" {
    same "$( (job 2 "$(R 0 0-1)"
        job 3 "$(R 0-1 1-3)"
        hello
        echo "$allocated"
        ask 4 "$(slot core 2)"
        send free '{"id":2}'
        echo "$allocated"
        send free "{\"id\":3,\"R\":$(R 1 1-3),\"final\":false}"
        send free '{"id":3}'
        echo "$allocated") | served --resources r.json)" \
        'raise 3: /cluster0/n0/core1 is held by job 2
allocated 0:0-3 1:1-3
4 starts
allocated 0-1:1-3 2:0-1
allocated 2:0-1'
    # a node held whole: what nobody else has
    rset-alloc allocate 3 --targets 0 g.json | rset-alloc allocated 3 -o rv1 >three
    rset-alloc allocate 2 --take /cluster0/rack0/n0/memory0=3 g.json |
        rset-alloc allocated 2 -o rv1 >two
    (job 2 "$(<two)"
        job 3 "$(<three)"
        hello
        ask 4 "$(slot memory 8)"
        ask 5 "$(slot memory 8)"
        send free '{"id":2}'
        ask 6 "$(slot memory 1)") | served --resources g.json --queues separate >said
    same "$(grep -c starts said)" 2
    grep '^raise 3: .*memory0 is held by job 2' said
    # all of its R is another job's: it gets it when that is freed
    same "$( (job 1 "$(R 0 0-3)"
        job 2 "$(R 0 0-3)"
        hello
        ask 3 "$(nodes 4)"
        send free '{"id":1}'
        echo "$allocated"
        send free '{"id":2}') | served --resources r.json)" \
        'raise 2: /cluster0/n0/core[0-3] is held by job 1
3 waits: need 4 whole nodes: 3 available
allocated 0:0-3
3 starts'
}

@test "hello: the key free must be an idset; all stays held" {
    same "$( (job 1 "$(R 0-1 0-3)" '"free":"x"'
        hello
        echo "$allocated") | served --resources r.json)" \
        'raise 1: free: "x": unexpected "x" at offset 0
allocated 0-1:0-3'
}

@test "an R of hello gets a file with --kvs" {
    mkdir kvs
    (job 1 "$(R 0-1 0-3)"; hello) | rset-alloc serve --kvs kvs --resources r.json
    same "$(cat kvs/1.json)" "$(R 0-1 0-3)"
    (job 1; hello; echo "$allocated") | served --kvs kvs --resources r.json >said
    same "$(cat said)" 'allocated 0-1:0-3'
}

@test "--job-form: what is written as R is read again in hello" {
    for form in shorthand r rv1 rv1-compact; do
        (hello
            ask 1 "$(nodes 2)"
            ask 2 "$(slot memory 3)"
            ask 3 "$(slot ssd 4)") | served --resources g.json --job-form $form >said
        same "$(cat said)" $'1 starts\n2 starts\n3 starts'
        jq -c 'select(.payload.R).payload.R' out >R
        rset-match -q R
        same "$(grep -c '"graph"' R)" "$([ $form = r ] && echo 0 || echo 3)"
        [ $form != shorthand ] || same "$(grep -c jgf_shorthand R)" 1
        (for id in 1 2 3; do job $id "$(sed -n ${id}p R)"; done
            hello
            ask 4 "$(slot core 1)"
            ask 5 "$(slot ssd 10)"
            ask 6 "$(slot ssd 10)") | served --resources g.json >said
        [ $form = r ] || same "$(cat said)" '4 starts
5 starts
6 waits: need 1 slot with 10 ssds: none available (it needs 10 ssds, at most 6 are free in one place)'
    done
    refused "rset-alloc: --job-form: \"jgf\": expected shorthand, r, rv1 or rv1-compact (try 'rset-alloc serve --help')" \
        rset-alloc serve --resources r.json --dialect current --job-form jgf
}

# --- sets of other programs -------------------------------------------------

@test "shorthand is completed from the other set, in each command" {
    rset-alloc allocate 1 --targets 0 g.json >one.json
    rset-alloc allocated 1 -o rv1-compact one.json >full
    rset-alloc allocated 1 -o rv1-compact --shorthand one.json >short
    for task in subtract intersect union xor; do
        cmp <(rset-diff --$task g.json full) <(rset-diff --$task g.json short)
    done
    cmp <(rset-alloc release 1 --R short one.json) \
        <(rset-alloc release 1 --R full one.json)
    cmp <(rset-alloc allocate 1 --R short g.json) \
        <(rset-alloc allocate 1 --R full g.json)
    run -1 rset-diff --audit g.json short full
    [[ $output == *'memory0: 8 units, 16 held by short (8), full (8)'* ]]
}

# --- reservations of the site -----------------------------------------------

@test "a claim of the resources or the store that is no job's is a reservation" {
    rset-alloc allocate maint --any-state --at +1h --duration 8h \
        --targets 'n[0-1]' --owner ops --now 1000 r.json |
        rset-alloc allocate 5 -N1 --now 1000 >m.json
    says='maint 4600 33400 ops 0-1'
    (hello
        send reservations '{}' 3
        ask 1 "$(nodes 4)" 7200
        ask 2 "$(nodes 2)" 7200) | served --resources m.json --queue-policy easy >said
    same "$(head -n 2 said)" "$says
1 waits: reserved: maint from 1970-01-01T01:16:40Z"
    grep '^2 starts' said
    same "$(cat err)" ''
    rset-alloc load --store s m.json
    for again in 1 2; do
        same "$( (hello; send reservations '{}' 3) | served --store s --resources r.json)" \
            "$says"
        [ $again = 2 ] || grep 'job 5: unknown to the job manager' err
    done
    same "$(rset-alloc jobs --now 1000 --store s --columns job,state,hosts | tail -n 1)" \
        'maint  reserved  n[0-1]'
}

@test "nodes that were drained in the store are named when they are used again" {
    hello | served --store s --resources r.json
    rset-alloc drain n1 --reason fan --now 1000 --store s
    hello | served --store s --resources r.json
    same "$(<err)" 'rset-alloc: s: targets 1 were not up before, and are now'
    rset-alloc drain n1 --reason fan --now 1000 r.json >d.json
    hello | served --store s --resources d.json
    hello | served --store s --resources d.json
    same "$(<err)" ''
}

@test "sched.reserve, sched.unreserve, sched.reservations" {
    (hello
        send reserve '{"name":"a","targets":"0-1","start":2000,"duration":500,"owner":"ops"}' 3
        send reserve "{\"name\":\"b\",\"R\":$(R 3 0-1),\"end\":3000}" 4
        send reservations '{}' 5
        ask 1 "$(nodes 3)" 900
        send unreserve '{"name":"b"}' 6
        ask 2 "$(nodes 3)" 1001
        send unreserve '{"name":"a"}' 7
        send unreserve '{"name":"a"}' 8) | served --resources r.json >said
    same "$(cat said)" 'a 2000 2500 ops 0-1
b 1000 3000 null 3
1 starts
2 waits: need 3 whole nodes: 1 available
errnum 2: there is no reservation "a"'
    # a window that is over, with the clock of the messages
    same "$( (hello
        send reserve '{"name":"a","targets":"0-3","start":2000,"end":2500}' 3
        ask 1 "$(nodes 1)" 1500
        send clock '{"now":2400}'
        send reservations '{}' 4
        send clock '{"now":2500}'
        send ping '{}'
        send reservations '{}' 5) | served --resources r.json --clock messages)" \
        '1 waits: reserved: a from 1970-01-01T00:33:20Z
a 2000 2500 null 0-3
1 waits: need 1 whole node: none available; reserved: a until 1970-01-01T00:41:40Z
1 starts'
}

@test "a reason names windows that go on beside one that begins later" {
    same "$( (hello
        send reserve '{"name":"x","targets":"0-2","end":1500}' 3
        send reserve '{"name":"y","targets":"3","start":5000,"end":6000}' 4
        ask 1 "$(nodes 1)") | served --resources r.json)" \
        '1 waits: reserved: y from 1970-01-01T01:23:20Z, x until 1970-01-01T00:25:00Z'
}

@test "a window of a node that is down names the key that allows it" {
    rset-alloc down n0 r.json >down.json
    same "$( (hello; send reserve '{"name":"x","targets":"0"}' 3
        send reserve '{"name":"x","targets":"0","any-state":true}' 4
        send reservations '{}' 5) | served --resources down.json)" \
        'errnum 16: /cluster0/n0 is down: any-state reserves it all the same
x 1000 null null 0'
}

@test "a reason changes when a window begins, by the machine's clock" {
    mkfifo pipe
    rset-alloc serve --dialect current --resources r.json <pipe >out 2>err 3>&- &
    exec 4>pipe
    (hello
        send reserve "{\"name\":\"x\",\"targets\":\"0-3\",\"start\":$(($(date +%s) + 1)),\"duration\":999}" 3
        ask 1 "$(nodes 1)" 60) >&4
    for ((i = 0; i < 200; i++)); do
        ! grep -q 'reserved: x until' out || break
        sleep 0.05
    done
    exec 4>&-
    wait
    grep -q 'reserved: x until' out
}

@test "a reservation is durable before the answer" {
    (hello; send reserve '{"name":"a","targets":"0","duration":60}' 3
        send reserve '{"name":"b","targets":"1","duration":60}' 4
        send unreserve '{"name":"b"}' 5) | served --store s --resources r.json
    same "$(rset-alloc jobs --store s --now 1001 --columns job,state,hosts | tail -n +2)" \
        'a    allocated  n0'
    (hello; ask 1 "$(nodes 4)" 5; send clock '{"now":1060}') |
        served --store s --resources r.json --clock messages >said
    same "$(tail -n 1 said)" '1 starts'
    same "$(rset-alloc history --store s --columns command,job | tr -s ' ')" 'COMMAND JOB
serve -
reserve a
reserve b
unreserve b
serve -
expire a
allocate 1'
}

@test "sched.reserve: a fault changes nothing" {
    while IFS='|' read -r payload fault; do
        same "$( (hello
            ask 7 "$(nodes 1)" 500
            send reserve '{"name":"taken","targets":"3"}' 3
            send reserve "$payload" 4
            send reservations '{}' 5) | served --resources r.json | tail -n 2)" \
            "$fault
taken 1000 null null 3"
    done <<'END'
{}|errnum 71: name is missing
{"name":"x"}|errnum 71: expected either targets or R
{"name":"x","targets":"1","R":{}}|errnum 71: expected either targets or R
{"name":"x","targets":"1","end":1500,"duration":3}|errnum 71: expected either end or duration
{"name":"12","targets":"1"}|errnum 71: name: "12": expected a name of at most 255 bytes that is not the id of a job and has no control characters
{"name":"ƒ2k","targets":"1"}|errnum 71: name: "ƒ2k": expected a name of at most 255 bytes that is not the id of a job and has no control characters
{"name":"a\nb","targets":"1"}|errnum 71: name: "a\x0ab": expected a name of at most 255 bytes that is not the id of a job and has no control characters
{"name":"","targets":"1"}|errnum 71: name: "": expected a name of at most 255 bytes that is not the id of a job and has no control characters
{"name":"x","targets":1}|errnum 71: targets: 1: a string with ranks is expected
{"name":"x","targets":"1-"}|errnum 71: targets: "1-": range has no end at offset 2
{"name":"x","targets":""}|errnum 22: nothing is reserved
{"name":"x","targets":"1","any-state":1}|errnum 71: any-state: 1: true or false is expected
{"name":"x","targets":"2-9"}|errnum 2: targets 4-9 are not in the resources
{"name":"x","targets":"1","end":900}|errnum 22: it would end at 1970-01-01T00:15:00Z, which has passed
{"name":"x","targets":"1","start":2000,"end":1900}|errnum 22: it would end at 1970-01-01T00:31:40Z, before it starts
{"name":"x","targets":"1","start":2000}|errnum 22: a later start needs an end or a duration
{"name":"x","targets":"1","start":2000,"duration":199999999999}|errnum 22: it would end at 200000001999, which is too late
{"name":"x","targets":"1","start":"soon"}|errnum 71: start: "soon": a time from 0 (none) to 200000000000 is expected
{"name":"taken","targets":"1"}|errnum 17: there is a reservation taken already
{"name":"x","targets":"0-3","duration":9}|errnum 16: at that time these jobs hold part of it: taken (no end), 7 (until 1970-01-01T00:25:00Z)
{"name":"x","R":{"version":2}}|errnum 71: R: version: 2: expected version 1
END
    same "$( (hello; send unreserve '{}' 3; send unreserve '{"name":"7"}' 4) |
        served --resources r.json)" 'errnum 71: name: a string is expected
errnum 2: there is no reservation "7"'
}

@test "a job that overruns keeps its nodes beside a reservation that begins" {
    R='{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3"}}],"nodelist":["n0"],"starttime":100,"expiration":1500}}'
    rset-alloc allocate maint --at 900 --duration 1000 --targets 0-1 --now 500 r.json >m.json
    same "$( (job 1 "$R"; hello
        send reservations '{}' 3
        ask 2 "$(nodes 3)" 10
        send clock '{"now":1900}'
        send free '{"id":1}') | served --resources m.json --clock messages)" \
        'maint 900 1900 null 0-1
2 waits: need 3 whole nodes: 2 available; reserved: maint until 1970-01-01T00:31:40Z
2 starts'
    grep 'job 1: a reservation of its resources begins at 1970-01-01T00:15:00Z, before it ends' err
}

# --- resources of a provider ------------------------------------------------

# provided R ARG...: print what is logged about the resources, and who gets what.
provided() {
    local R=$1
    shift
    (echo "{\"topic\":\"resource.acquire\",\"matchtag\":1,\"payload\":{\"resources\":$R,\"up\":\"0-9\"}}"
        hello | sed 's/"matchtag":2/"matchtag":3/; s/"matchtag":1/"matchtag":2/'
        echo "$allocated"
        ask 1 "$(nodes 2)"
        ask 2 "$(slot core 1)"
        ask 3 "$(slot ssd 10)"
        ask 4 "$(slot memory 1)") |
        served --log-level info "$@" | grep -v ^allocated
    sed -n 's/.*R_lite counts; //p' err
}

@test "R_lite counts if a provider's graph disagrees; what has no rank stays" {
    rset-match -o rv1 g.json >both
    rset-match -o rv1-compact --shorthand g.json >short
    # excluded, as Flux does it
    jq -c '.execution.R_lite[0].rank = "1-2" | .execution.nodelist = ["n[1-2]"]' both >R
    same "$(provided "$(<R)")" '1 starts
2 waits: need 1 slot with 1 core: none available
3 waits: it is behind other jobs in the queue
4 waits: it is behind other jobs in the queue
what only the graph has is left out: on n0'
    same "$(jq -c 'select(.topic == "sched.resource-status") | .payload.all.scheduling.graph.nodes | map(.metadata.type) | sort' out)" \
        '["cluster","core","core","license","memory","memory","node","node","rack","rack","ssd","ssd"]'
    # numbered anew, as in a nested instance
    rset-match --include 1-2 -o rv1 g.json |
        jq -c '.execution.R_lite[0].rank = "0-1"' >R
    same "$(provided "$(<R)")" '1 starts
2 waits: need 1 slot with 1 core: none available
3 unsatisfiable: need 1 slot with 10 ssds: this set has no ssd
4 waits: it is behind other jobs in the queue
the ranks of the graph are those of R_lite'
    # a core fewer, a rank more
    jq -c '.execution.R_lite[0].rank = "1-3" | .execution.nodelist = ["n[1-3]"]' both >R
    same "$(provided "$(<R)" | tail -n 1)" \
        'the ranks of the graph are those of R_lite; what only the graph has is left out: on n0; only R_lite has resources of n3'
    # one half alone
    same "$(provided "$(jq -c '.execution.R_lite[0].rank = "1-2" | .execution.nodelist = ["n[1-2]"] | .scheduling.graph.nodes[1].metadata.type = 7' both)" | tail -n 1)" \
        'only R_lite is used: resources: scheduling.graph.nodes[1].metadata.type: 7: expected a string'
}

@test "the shorthand of a job is a graph of what is known for a nested instance" {
    rset-alloc allocate 1 --targets 1-2 g.json | rset-alloc allocated 1 \
        -o rv1-compact --shorthand | jq -c '.execution.R_lite[0].rank = "0-1"' >R
    grep -q jgf_shorthand R
    (echo "{\"topic\":\"resource.acquire\",\"matchtag\":1,\"payload\":{\"resources\":$(<R),\"up\":\"0-1\"}}"
        hello | sed 's/"matchtag":2/"matchtag":3/; s/"matchtag":1/"matchtag":2/'
        ask 1 "$(slot core 1)"
        ask 2 "$(slot core 1)"
        ask 3 "$(slot memory 1)") | served >said
    same "$(cat said)" '1 starts
2 starts
3 unsatisfiable: need 1 slot with 1 unit of memory: this set has no memory'
}
