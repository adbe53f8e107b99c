#!/usr/bin/env bats
# rset-alloc serve: the scheduler's side of RFC 28, and RFC 27, as lines.

# shellcheck disable=SC2154,SC2030,SC2031 # start sets pid, a test is no subshell
load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    needs jq
    rset-discover --hosts 'n[0-3]' --cores 0-3 >r.json
}

# --- messages to the scheduler ----------------------------------------------

# answer TOPIC MATCHTAG PAYLOAD, refuse TOPIC MATCHTAG ERRNUM: print a response.
answer() {
    echo "{\"topic\":\"$1\",\"matchtag\":$2,\"payload\":$3}"
}
refuse() {
    echo "{\"topic\":\"$1\",\"matchtag\":$2,\"errnum\":$3}"
}

# R RANKS [MORE]: print an R of the nodes, with more keys of its execution.
R() {
    echo "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"$1\"," \
        "\"children\":{\"core\":\"0-3\"}}],\"nodelist\":" \
        "[\"n[$1]\"]$2}}"
}

# grow RANKS ONLINE OFFLINE [MATCHTAG [MORE]]; becomes: a change of targets.
grow() {
    answer resource.acquire "${4:-1}" "{\"type\":\"grow\",\"resources\":$(R \
        "$1" "$5"),\"online\":\"$2\",\"offline\":\"$3\"}"
}
becomes() { # TYPE TARGETS [MATCHTAG]
    answer resource.acquire "${3:-1}" "{\"type\":\"$1\",\"targets\":\"$2\"}"
}

# hello MATCHTAG [JOB...]: print the response to hello with these jobs, its end,
# and the response to ready, which has the next matchtag. A JOB is its id and
# more keys.
hello() {
    local tag=$1 job
    for job in "${@:2}"; do
        answer job-manager.sched-hello "$tag" \
            "{\"id\":$job,\"priority\":16,\"userid\":5,\"t_submit\":1.5}"
    done
    refuse job-manager.sched-hello "$tag" 61
    answer job-manager.sched-ready $((tag + 1)) '{"count":0}'
}

# The first messages: with --resources, with a provider of all four nodes, and
# in the current edition.
alone=$(hello 1)
begin() {
    grow 0-3 0-3 ''
    hello 2
}
begin_current() {
    answer resource.acquire 1 "{\"resources\":$(R 0-3),\"up\":\"0-3\"}"
    hello 2
}

# jobspec SHAPE [ATTRIBUTES]: SHAPE is a number of cores, or of nodes as `2n`.
# The duration is 0 unless the attributes have one.
jobspec() {
    local n=${1%n} system=${2-} with
    [[ $system == *'"duration"'* ]] || system+="${system:+,}\"duration\":0"
    with='{"type":"slot","count":1,"label":"s","with":[{"type":"core","count":'
    [ "$n" = "$1" ] && with+="$n}]}" ||
        with="{\"type\":\"node\",\"count\":$n,\"with\":[${with}4}]}]}"
    echo "{\"version\":1,\"resources\":[$with],\"tasks\":[{\"command\":[\"a\"]," \
        "\"slot\":\"s\",\"count\":{\"per_slot\":1}}],\"attributes\":" \
        "{\"system\":{$system}}}"
}

# alloc ID SHAPE [PRIORITY [ATTRIBUTES [KEYS]]]
alloc() {
    send alloc "{\"id\":$1,\"priority\":${3:-16},\"userid\":5,\"jobspec\":$(
        jobspec "$2" "$4")${5:+,$5}}"
}
send() { # METHOD PAYLOAD [MATCHTAG]
    echo "{\"topic\":\"sched.$1\",${3:+\"matchtag\":$3,}\"payload\":$2}"
}
free() { # ID [R FINAL]
    send free "{\"id\":$1${2:+,\"R\":$2,\"final\":$3}}"
}
cancel() {
    send cancel "{\"id\":$1}"
}
expire() { # MATCHTAG ID EXPIRATION
    send expiration "{\"id\":$2,\"expiration\":$3}" "$1"
}

# --- messages from the scheduler --------------------------------------------

# Print each message in a few words, without the usual first and last ones.
brief() {
    jq -r '.payload as $p |
        (.topic // "" | sub("^sched.|^job-manager.|^resource."; "")) as $what |
        if .errnum then "\($what) \(.matchtag) errnum \(.errnum)"
        elif .type == "request" then
            if $what == "disconnect" or $what == "acquire" or
                $what == "sched-hello" or $what == "sched-ready" then empty
            elif $what == "raise" then "raise \($p.id) \($p.type): \($p.note)"
            else "\($what) \($p.group) \($p.targets)" end
        elif $what == "free" then "\($p.id) freed"
        elif $what != "alloc" then "\($what) \(.matchtag) \($p)"
        elif $p.type == 0 then "\($p.id) has " +
            $p.annotations.sched.resource_summary
        elif $p.type == 1 then
            "\($p.id) waits: \($p.annotations.sched.reason_pending)"
        elif $p.type == 2 then
            "\($p.id) denied: \($p.note | sub("^unsatisfiable: "; ""))"
        else "\($p.id) canceled" end' out
}

# served ARG...: print the messages of the scheduler; `err` has its log.
served() {
    rset-alloc serve --store s --now 1000 "$@" >out 2>err
    brief
}

# fails MESSAGE ARG...: the scheduler ends with status 2 and MESSAGE.
fails() {
    local status=0
    rset-alloc serve --store s --now 1000 "${@:2}" >out 2>err || status=$?
    [ $status = 2 ]
    same "$(cat err)" "rset-alloc: $1"
}

# logged MESSAGE...: the log has these messages and no others.
logged() {
    same "$(sed 's/^rset-alloc: //' err)" "$(printf '%s\n' "$@")"
}

# --- the beginning ----------------------------------------------------------

@test "acquire, the first grow, hello, ready, in this order; and leaves" {
    (grow 0-1 0-1 ''
        refuse job-manager.sched-hello 2 61
        answer job-manager.sched-ready 3 '{"count":0}'
        alloc 8 2
        free 8
        becomes shrink 1
        answer resource.release 4 null) | served
    same "$(cat out)" '{"type":"request","topic":"resource.acquire","matchtag":1,"flags":["streaming"],"payload":{"group":"default"}}
{"type":"request","topic":"job-manager.sched-hello","matchtag":2,"flags":["streaming"]}
{"type":"request","topic":"job-manager.sched-ready","matchtag":3,"payload":{"mode":"unlimited"}}
{"type":"response","topic":"sched.alloc","payload":{"id":8,"type":0,"annotations":{"sched":{"resource_summary":"rank0/core[0-1]"}}}}
{"type":"response","topic":"sched.free","payload":{"id":8}}
{"type":"request","topic":"resource.release","matchtag":4,"payload":{"group":"default","targets":"1"}}
{"type":"request","topic":"resource.disconnect"}
{"type":"request","topic":"job-manager.disconnect"}'
    [ ! -s err ]
}

@test "several groups: each has an acquisition, its matchtag and its releases" {
    same "$( (grow 0-1 0-1 '' 1
        grow 2-3 2 3 2
        hello 3
        alloc 1 3n
        alloc 2 5n
        alloc 3 1n
        becomes online 3 2
        becomes shrink 0,2 1
        becomes shrink 2 2
        alloc 4 3n
        free 1) | served --group a --group b)" '1 has rank[0-2]/core[0-3]
2 denied: need 5 nodes with 4 cores: there are 4
3 waits: need 1 node with 4 cores: none available
3 has rank3/core[0-3]
raise 1 resource-shrink: /cluster0/n0 was taken away
4 denied: need 3 nodes with 4 cores: there are 2
release a 0
release b 2
1 freed'
    same "$(jq -c 'select(.type == "request") | [.topic, .matchtag, .payload]' \
        out | head -n 4)" '["resource.acquire",1,{"group":"a"}]
["resource.acquire",2,{"group":"b"}]
["job-manager.sched-hello",3,null]
["job-manager.sched-ready",4,{"mode":"unlimited"}]'
}

@test "several groups: the set has the times of the last one" {
    rset-alloc load --store s r.json
    (grow 0-1 0-1 '' 1 ',"expiration":5000'
        grow 2-3 2-3 '' 2 ',"expiration":6000'
        hello 3) | served --group a --group b
    same "$(rset-alloc save --store s | jq .execution.expiration)" 6000
}

@test "unknown groups, and groups with a common target, end it" {
    (grow 0-1 0-1 '' 1; grow 1-3 1-3 '' 2) |
        fails 'group b: some of the targets 1-3 are also in the group a' \
            --group a --group b
    refuse resource.acquire 1 2 |
        fails 'resource.acquire: group a: the provider refuses it (error 2)' \
            --group a
    group() { rset-alloc serve --store s --group "$@" </dev/null; }
    help="(try 'rset-alloc serve --help')"
    refused "rset-alloc: --group: \"a\" is given twice $help" \
        group a --group a
    refused "rset-alloc: --group: the text is empty $help" group ''
    refused "rset-alloc: --group: the current edition has only the group\
 default $help" group a --dialect current
    refused "rset-alloc: --resources and --group exclude each other $help" \
        group a --resources r.json
}

@test "--dialect current: R in SUCCESS, up and down, free in parts" {
    same "$( (begin_current
        alloc 1 2n 16 '"queue":"debug"'
        free 1 "$(R 1)" false
        alloc 2 2
        free 1 "$(R 0)" true
        answer resource.acquire 1 '{"down":"0-1","up":"0-1"}'
        alloc 3 4n
        answer resource.acquire 1 '{"up":"0-1"}'
        answer resource.acquire 1 '{"shrink":"3","down":"3"}'
        alloc 4 4n) | served --dialect current)" '1 has rank[0-1]/core[0-3]
2 has rank1/core[0-1]
3 waits: need 4 nodes with 4 cores: 2 available
3 waits: need 4 nodes with 4 cores: 3 available
3 denied: need 4 nodes with 4 cores: there are 3
4 denied: need 4 nodes with 4 cores: there are 3'
    same "$(sed -n '1,4p' out)" '{"type":"request","topic":"resource.acquire","matchtag":1,"flags":["streaming"]}
{"type":"request","topic":"job-manager.sched-hello","matchtag":2,"flags":["streaming"],"payload":{"partial-ok":true}}
{"type":"request","topic":"job-manager.sched-ready","matchtag":3,"payload":{"mode":"unlimited"}}
{"type":"response","topic":"sched.alloc","payload":{"id":1,"type":0,"annotations":{"sched":{"resource_summary":"rank[0-1]/core[0-3]","queue":"debug"}},"R":{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-3"}}],"nodelist":["n[0-1]"],"nslots":2,"starttime":1000}}}}'
    [ ! -s err ]
    # no store is needed
    (begin_current; alloc 1 1) |
        rset-alloc serve --dialect current --now 1000 >out
    same "$(brief)" '1 has rank0/core0'
}

@test "--dialect auto: the current edition if the provider speaks it" {
    same "$( (begin_current; alloc 1 1) | served --dialect auto)" \
        '1 has rank0/core0'
    grep -q '"R":' out
    same "$( (refuse resource.acquire 1 71; grow 0 0 '' 2; hello 3
        alloc 1 1; free 1) | served --dialect auto)" '1 has rank0/core0
1 freed'
    same "$(sed -n 2p out)" '{"type":"request","topic":"resource.acquire","matchtag":2,"flags":["streaming"],"payload":{"group":"default"}}'
    same "$(jq -c '.payload.R' out | sort -u)" null
    # it asks once
    (refuse resource.acquire 1 71; refuse resource.acquire 2 71) |
        fails 'resource.acquire: group default: the provider refuses it (error 71)' \
            --dialect auto
    # an answer in another edition than the given one
    rm s*
    hint='it may speak another edition, see --dialect'
    while IFS='|' read -r mine its fault; do
        fails "resource.acquire: group default: $fault (error 71): $hint" \
            --dialect "$mine" --provider \
            "rset-discover serve --resources r.json --dialect $its" </dev/null
    done <<'END'
seed|current|this edition has an empty payload
current|seed|group: a string is expected
END
    # a document and another group exist in the seed edition only
    (echo "$alone"; alloc 1 1; free 1) |
        served --dialect auto --resources r.json >brief
    same "$(tail -n 1 brief)" '1 freed'
    served --dialect auto --group a </dev/null
    grep -q '"group":"a"' out
}

@test "an edition without R in its answers needs a place to store R" {
    for dialect in '' --dialect=seed --dialect=auto; do
        # shellcheck disable=SC2086
        refused "rset-alloc: serve: --store or --kvs is expected: in this\
 dialect the R of a job is not in the answer (try 'rset-alloc serve --help')" \
            rset-alloc serve $dialect </dev/null
    done
}

@test "options that exclude or lack each other" {
    serve() { rset-alloc serve --store s "$@" </dev/null; }
    while IFS='|' read -r options fault; do
        # shellcheck disable=SC2086
        refused "rset-alloc: $fault (try 'rset-alloc serve --help')" serve $options
    done <<'END'
--limit 0|--limit: "0" is not in the range 1 to 2147483647
--limit 2147483648|--limit: "2147483648" is not in the range 1 to 2147483647
--limit x|--limit: "x" is not in the range 1 to 2147483647
--log-level all|--log-level: "all": expected error, warning, info or debug
--queue-policy fair|--queue-policy: "fair": expected fcfs, easy or conservative
--kvs .|--kvs and --store exclude each other
--resources r.json --provider x|--resources and --provider exclude each other
--resources -|--resources: standard input has the requests
--dialect old|--dialect: "old": expected seed, current or auto
-n1|serve does not take a request
--duration 5|serve does not take --duration
-o json|--output: a service writes messages
END
    [ ! -e s ]
    refused 'rset-alloc: nope: No such file or directory' \
        serve --resources nope
    refused 'rset-alloc: r.json: this is not a store' \
        rset-alloc serve --store r.json </dev/null
    begin | rset-alloc serve --kvs nope >out 2>err || [ $? = 2 ]
    logged 'nope: No such file or directory'
}

# --- sources of resources ---------------------------------------------------

@test "--resources takes those of a document, with its states, but without its jobs" {
    rset-alloc drain n1 r.json | rset-alloc allocate 7 --include n0 -N1 >busy.json
    (echo "$alone"; alloc 1 4n) | served --resources busy.json >brief
    same "$(cat brief)" \
        '1 waits: need 4 nodes with 4 cores: 3 available'
    same "$(jq -r .topic out)" 'job-manager.sched-hello
job-manager.sched-ready
sched.alloc
job-manager.disconnect'
    # its states replace those of the store, and nothing else changes
    (hello 1; alloc 2 4n) | served --resources r.json >brief
    same "$(cat brief)" '2 has rank[0-3]/core[0-3]'
    (hello 1 2; free 2; alloc 3 4n) | served --resources busy.json >brief
    same "$(cat brief)" '2 freed
3 waits: need 4 nodes with 4 cores: 3 available'
    (hello 1; alloc 2 4n) | served --resources r.json >brief
    same "$(cat brief)" '2 has rank[0-3]/core[0-3]'
    logged 's: targets 1 were not up before, and are now'
    rset-discover --hosts 'n[0-2]' --cores 0-3 >other.json
    hello 1 | fails 's: has other resources (rank 3: core[0-3]): name another store, or give these with --provider' \
        --resources other.json
    rset-match -n16 -o jgf r.json >g.json
    hello 1 | fails 's: has other resources (the store has no graph): name another store, or give these with --provider' \
        --resources g.json
    # nobody asked for resources
    (hello 1; becomes shrink 0; alloc 3 1) | served --resources r.json
    logged 'job 2: unknown to the job manager: its resources are freed' \
        'stdin:3: resource.acquire: unexpected response'
}

@test "the provider's states and end of the resources are in the store" {
    local until='"expiration":5000'
    rset-alloc load --store s r.json
    rset-alloc drain n1 --reason fan --store s
    rset-alloc down n2 --store s
    (grow 0-3 0-2 3; hello 2; alloc 1 3n) | served
    rset-alloc save --store s >s.json
    same "$(jq -c .attributes.system.scheduler.states s.json)" \
        '[{"state":"down","R_lite":[{"rank":"3"}]}]'
    same "$(jq -c .attributes.system.scheduler.tags s.json)" null
    # given again with another end: also the end of a job without a duration
    (begin; grow 0-3 0-3 '' 1 ",$until"; alloc 2 1) | served >brief
    same "$(rset-alloc save --store s | jq .execution.expiration)" 5000
    same "$(rset-alloc allocated 2 --store s | jq -c .execution)" \
        '{"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["n0"],"starttime":1000,"expiration":5000}'
    # pools in a target
    rset-match -o rv1 r.json >graph.json
    rset-alloc load --store g graph.json
    rset-alloc down /cluster0/n1/core2 --store g
    (answer resource.acquire 1 "{\"type\":\"grow\",\"resources\":$(cat graph.json),\"online\":\"0-3\",\"offline\":\"\"}"
        hello 2
        alloc 1 4n) | rset-alloc serve --store g --now 1000 >out 2>err
    same "$(brief)" '1 has rank[0-3]/core[0-3]'
}

@test "a job waits for the start of the resources, and no longer" {
    rset-match r.json -n16 --at +2s --duration 1h -o r >later.json
    start rset-alloc serve --dialect current --resources later.json \
        --log-level info
    (echo "$alone"; alloc 1 2) >&4
    wait_lines 3 err
    ends 0
    logged 'hello: 0 jobs have resources' 'ready: 0 jobs wait' \
        'job 1: allocated'
    same "$(brief | tail -n 1)" '1 has rank0/core[0-1]'
}

@test "a store of nodes that had more: missing resources of jobs are reported" {
    (begin; alloc 1 1n; alloc 2 2) | served >brief
    (grow 0-3 0-3 '' | sed 's/"core":"0-3"/"core":"0-2"/'; hello 2 1 2; alloc 3 3) |
        served >brief
    same "$(cat brief)" "raise 1 scheduler-restart: /cluster0/n0/core3 is not in the set
3 has rank2/core[0-2]"
}

@test "hello: a job of the store lacks nothing once the missing part is free" {
    (begin; alloc 1 3n) | served >brief
    (grow 0-1 0-1 ''; hello 2 '1,"free":"2"'; alloc 3 1) | served >brief
    same "$(cat brief)" '3 waits: need 1 slot with 1 core: none available'
}

@test "hello: a job whose R has lost the missing part lacks nothing" {
    (begin; alloc 1 3n) | served >brief
    (grow 0-1 0-1 ''; hello 2 "1,\"R\":$(R 0-1)"; alloc 3 1) | served >brief
    same "$(cat brief)" '3 waits: need 1 slot with 1 core: none available'
}

@test "--provider: a child is asked, and the job manager sees nothing of it" {
    : >events
    start rset-alloc serve --store s --now 1000 --log-level info \
        --provider 'rset-discover serve --resources r.json --events events'
    wait_lines 1 out
    hello 2 >&4
    alloc 1 4n >&4
    wait_lines 3 out
    echo '{"timestamp":1,"name":"exclude","context":{"idset":"0"}}' >>events
    wait_lines 4 out
    becomes shrink 0 >&4 # does not come from the provider
    answer sched.ping 1 '{}' >&4
    wait_lines 5 out
    ends 0
    same "$(brief)" '1 has rank[0-3]/core[0-3]
raise 1 resource-shrink: /cluster0/n0 was taken away
ping 1 {}'
    same "$(jq -r .topic out | grep -c resource)" 0
    logged 'targets 0-3 are given' 'hello: 0 jobs have resources' \
        'ready: 0 jobs wait' 'job 1: allocated' 'targets 0 are taken away' \
        'job 1: resource-shrink: /cluster0/n0 was taken away' \
        'stdin:4: resource.acquire: unexpected response'
}

# seen: print resources, down targets, and allocations, as last asked.
seen() {
    jq -c 'select(.topic == "sched.resource-status") | .payload |
        [.all, .down, .allocated | [.execution.R_lite[].rank] | join(",")]' \
        out | tail -n 1
}

@test "--provider: after any events the result is that of a new provider" {
    local seed=${RSET_SEED:-$RANDOM} i ids want
    local names=(offline online drain undrain torpid lively exclude include)
    echo "RSET_SEED=$seed"
    RANDOM=$seed
    mkdir kvs
    : >events
    start rset-alloc serve --kvs kvs \
        --provider 'rset-discover serve --resources r.json --events events'
    wait_lines 1 out
    hello 2 >&4
    for i in {1..50}; do
        ids=$((RANDOM % 3))
        ids=$ids-$((ids + 1 + RANDOM % (3 - ids)))
        ((RANDOM % 2)) || ids=$((RANDOM % 4))
        echo "{\"timestamp\":$i,\"name\":\"${names[RANDOM % 8]}\"," \
            "\"context\":{\"idset\":\"$ids\"}}" >>events
        alloc "$i" $((1 + RANDOM % 6)) >&4
        free $((1 + RANDOM % i)) >&4
        [ $((RANDOM % 5)) != 0 ] || sleep 0.01
    done
    echo '{"timestamp":60,"name":"include","context":{"idset":"0"}}' >>events
    for i in {1..50}; do
        cancel "$i"
        free "$i"
    done >&4
    echo '{"topic":"resource.acquire","matchtag":1,"flags":["streaming"],' \
        '"payload":{"group":"default"}}' |
        rset-discover serve --resources r.json --events events >fresh
    want=$(jq -c '.payload |
        [([.resources.execution.R_lite[].rank] | join(",")), .offline, ""]' fresh)
    for _ in {1..30000}; do
        send resource-status '{}' 9 >&4
        [ "$(seen)" != "$want" ] || break
        sleep 0.02
    done
    ends 0
    same "$(seen)" "$want"
    same "$(ls kvs)" ''
    run -1 grep events: err
}

@test "a provider that ends or refuses ends the service" {
    mkfifo lines
    # shellcheck disable=SC2016 # of the shell of the provider; it ends there
    for command in true 'nonsense 2>/dev/null' 'exit 5' \
        'kill -PIPE $$; echo ignored >&2'; do
        exec 4<>lines
        fails 'the provider has ended' --provider "$command" <&4
        same "$(jq -r .topic out)" job-manager.disconnect
        fails 'the provider has ended' --provider "$command" </dev/null
    done
    same "$(served --provider 'rset-discover serve --resources r.json' \
        </dev/null)" ''
    [ ! -s err ]
    fails 'resource.acquire: group default: no target is in that group (error 2)' \
        --provider 'rset-discover serve --resources r.json --define-group a=0-3' <&4
    fails 'provider:1: line 1, column 1: "zebra": expected a value
rset-alloc: the provider has ended' --provider 'echo zebra' <&4
    exec 4>&-
}

# --- hello ------------------------------------------------------------------

@test "hello: jobs of the store are kept, and freed if hello does not have them" {
    (begin; alloc 1 1n; alloc 2 2) | served >brief
    same "$( (grow 0-3 0-3 ''; hello 2 1; alloc 3 1n) | served)" \
        '3 has rank1/core[0-3]'
    logged 'job 2: unknown to the job manager: its resources are freed'
    same "$(rset-alloc jobs --columns job,ranks --store s | tr -s ' ')" 'JOB RANKS
1 0
3 1'
}

@test "hello: an R in the response or in the folder, without its freed part" {
    mkdir kvs
    R 2-3 >kvs/2.json
    R 1 >kvs/9.json
    echo zebra >kvs/3.json
    echo '{"version":1}' >kvs/4.json
    echo "$(R 3) 7" >kvs/5.json
    : >kvs/6.json
    (grow 0-3 0-3 ''
        answer job-manager.sched-hello 2 "{\"id\":1,\"R\":$(R 0-1),\"free\":\"0,7\"}"
        answer job-manager.sched-hello 2 '{"id":2,"free":"2"}'
        for id in 3 4 5 6; do
            answer job-manager.sched-hello 2 "{\"id\":$id}"
        done
        refuse job-manager.sched-hello 2 61
        answer job-manager.sched-ready 3 '{"count":0}'
        send resource-status '{}' 9
        free 1
        free 2) | rset-alloc serve --kvs kvs --now 1000 >out 2>err
    same "$(jq -c 'select(.topic == "sched.resource-status").payload.allocated.execution' out)" \
        '{"R_lite":[{"rank":"1,3","children":{"core":"0-3"}}],"nodelist":["n[1,3]"]}'
    same "$(brief | grep -v status)" 'raise 3 scheduler-restart: kvs/3.json: line 1, column 1: "zebra": expected a value
raise 4 scheduler-restart: kvs/4.json: an R needs `execution`, or a graph in `scheduling`
raise 5 scheduler-restart: kvs/5.json: line 1, column 101: "7": expected the end of the text
raise 6 scheduler-restart: kvs/6.json: line 1, column 1: input ends in the middle of a document
1 freed
2 freed'
    logged 'job 3: scheduler-restart: kvs/3.json: line 1, column 1: "zebra": expected a value' \
        'job 4: scheduler-restart: kvs/4.json: an R needs `execution`, or a graph in `scheduling`' \
        'job 5: scheduler-restart: kvs/5.json: line 1, column 101: "7": expected the end of the text' \
        'job 6: scheduler-restart: kvs/6.json: line 1, column 1: input ends in the middle of a document' \
        'kvs: removed the R of jobs unknown to the job manager: 1'
    same "$(echo kvs/*)" 'kvs/3.json kvs/4.json kvs/5.json kvs/6.json'
}

@test "hello: an unknown job or lost resources raise an exception, once a job" {
    same "$( (begin; alloc 1 1n; alloc 2 2n; alloc 3 1n) | served)" \
        '1 has rank0/core[0-3]
2 has rank[1-2]/core[0-3]
3 has rank3/core[0-3]'
    # ranks 2 and 3 are gone; the rest is held until free
    same "$( (grow 0-1 0-1 ''
        hello 2 1 2 3 4 "5,\"R\":$(R 1-2)" "6,\"R\":{\"version\":2}"
        alloc 7 1n
        free 1
        free 2
        free 3
        free 4
        free 5) | served)" \
        "raise 2 scheduler-restart: targets 2 (n2) are gone
raise 3 scheduler-restart: targets 3 (n3) are gone
raise 4 scheduler-restart: its resources are unknown
raise 5 scheduler-restart: targets 2 (n2) are gone
raise 6 scheduler-restart: R: version: 2: expected version 1
7 waits: need 1 node with 4 cores: none available
1 freed
7 has rank0/core[0-3]
2 freed
3 freed
4 freed
5 freed"
    same "$(jq -c 'select(.payload.id == 4) | .' out | head -n 1)" '{"type":"request","topic":"job-manager.raise","flags":["noresponse"],"payload":{"id":4,"type":"scheduler-restart","severity":0,"note":"its resources are unknown"}}'
}

@test "hello: its R wins over the store's; a repeated job is ignored" {
    (begin; alloc 1 1n) | served
    same "$( (grow 0-3 0-3 ''
        hello 2 "1,\"R\":$(R 2 ',"nslots":3')" 1 '1' '-3' '"x"'
        alloc 2 1n) | served)" '2 has rank0/core[0-3]'
    logged 'job 1: the R of hello replaces another R in the store' \
        'hello: job 1 is listed twice' 'hello: job 1 is listed twice' \
        'job-manager.sched-hello: a response without an id' \
        'job-manager.sched-hello: a response without an id'
    same "$(rset-alloc allocated 1 --dialect current --store s |
        jq -c '.execution | [.R_lite[].rank, .nslots]')" '["2",3]'
    # two jobs can't have the same resources
    same "$( (grow 0-3 0-3 ''
        hello 2 "1,\"R\":$(R 2)" "5,\"R\":$(R 2)") | served)" \
        "raise 5 scheduler-restart: /cluster0/n2/core[0-3] is held by job 1"
}

@test "hello: sched.expiration is in the store, not in its R" {
    (begin; alloc 1 1n; expire 5 1 4000000001) | served
    (grow 0-3 0-3 ''; hello 2 "1,\"R\":$(R 2)") | served
    logged 'job 1: the R of hello replaces another R in the store'
    same "$(rset-alloc jobs -o json --store s | jq -c '.[] | [.hosts, .end]')" \
        '["n2",4000000001]'
}

@test "hello: resources removed before it raise and release after it" {
    (begin; alloc 1 1n; alloc 2 2n) | served >brief
    same "$( (grow 0-3 0-3 ''; becomes shrink 0,2-3; becomes offline 1
        alloc 3 1n; alloc 4 3n; hello 2 1 2; free 1; becomes online 1; free 2
        ) | served | grep -v waits)" \
        'raise 1 resource-shrink: /cluster0/n0 was taken away
raise 2 resource-shrink: /cluster0/n2 was taken away
release default 3
4 denied: need 3 nodes with 4 cores: there is 1
release default 0
1 freed
release default 2
2 freed
3 has rank1/core[0-3]'
}

# given RANKS HOSTS: the first response of a provider of the current edition.
given() {
    answer resource.acquire 1 "{\"resources\":$(R "$1" |
        sed "s/\"n\[.*\]\"/\"$2\"/"),\"up\":\"$1\"}"
}

@test "hello and free: a job keeps its hosts, whatever ranks they have now" {
    # n0 has rank 1, and n1 rank 0; or nobody has rank 0
    for ranks in 0-1 1-2; do
        same "$( (given $ranks 'n[1,0]'; hello 2 "1,\"R\":$(R 0)"
            alloc 2 4; alloc 3 4) |
            rset-alloc serve --dialect current >out 2>err; brief)" \
            "2 has rank${ranks%-*}/core[0-3]
3 waits: need 1 slot with 4 cores: none available"
    done
    # its R has n0, whose rank was 0
    same "$( (given 0-1 'n[1,0]'; hello 2 "1,\"R\":$(R 0-1)"
        free 1 "$(R 0)" false; alloc 2 4) |
        rset-alloc serve --dialect current >out 2>err; brief)" \
        '2 has rank1/core[0-3]'
}

@test "hello: a job that it does not name gets nothing back later" {
    (begin; alloc 1 2n) | served
    # n0 is gone, and the job manager has heard nothing of job 1
    same "$( (grow 1-3 1-3 ''; hello 2; alloc 1 1n) | served)" \
        '1 has rank1/core[0-3]'
}

# licensed HOST...: print a rack with a licence pool of 5 and nodes, whose ranks
# are their places from 0; a licence and all of the rack are a job's R below.
licensed() {
    jq -nc '{graph: {nodes: ([{id: "c", metadata: {type: "cluster", id: 0}},
            {id: "l", metadata: {type: "licence", id: 0, size: 5}},
            {id: "r", metadata: {type: "rack", id: 0}}] +
        [$ARGS.positional | to_entries[] |
            {id: "n\(.key)", metadata: {type: "node", name: .value,
                id: -1, rank: .key}},
            {id: "o\(.key)", metadata: {type: "core", id: 0}}]),
        edges: ([{source: "c", target: "l"}, {source: "c", target: "r"}] +
        [$ARGS.positional | to_entries[] |
            {source: "r", target: "n\(.key)"},
            {source: "n\(.key)", target: "o\(.key)"}])}}' --args "$@"
}
rack_R() { # R_lite NODELIST LICENCES
    echo "{\"version\":1,\"execution\":{\"R_lite\":[$1],\"nodelist\":[\"$2\"]},"
    echo '"scheduling":{"graph":{"nodes":['
    echo '{"id":"0","metadata":{"type":"cluster","id":0}},'
    echo "{\"id\":\"1\",\"metadata\":{\"type\":\"licence\",\"id\":0,\"size\":$3}},"
    echo '{"id":"2","metadata":{"type":"rack","id":0,"exclusive":true}}],'
    echo '"edges":[{"source":"0","target":"1"},{"source":"0","target":"2"}]},'
    echo '"writer":"fluxion:jgf_shorthand"}}'
}
# held: print the licences and the hosts of all jobs
held() {
    jq -r 'select(.topic == "sched.resource-status").payload.allocated |
        "\([.scheduling.graph.nodes[].metadata |
            select(.type == "licence") | .size // 1] | add // 0) licences" +
        " \(.execution.nodelist | join(","))"' out
}

@test "hello: no pool is taken twice for a job that lost something" {
    licensed n1 >set.json
    rack_R '{"rank":"0-1","children":{"core":"0"}}' 'n[1,0]' 2 >R
    (hello 1 "7,\"R\":$(tr -d '\n' <R)"; send resource-status '{}' 9) |
        rset-alloc serve --dialect current --resources set.json >out 2>err
    same "$(held)" '2 licences n1'
    logged 'job 7: scheduler-restart: targets 1 (n0) are gone'
}

@test "hello: licences in its R count, though R_lite is that of the store" {
    licensed n0 n1 >set.json
    rack_R '{"rank":"0-1","children":{"core":"0"}}' 'n[0-1]' 1 >one
    rack_R '{"rank":"0-1","children":{"core":"0"}}' 'n[0-1]' 4 >four
    for R in one four four; do
        (hello 1 "7,\"R\":$(tr -d '\n' <$R)"; send resource-status '{}' 9) |
            served --resources set.json --dialect current >/dev/null
        held
        cat err
    done >all
    same "$(cat all)" '1 licences n[0-1]
4 licences n[0-1]
rset-alloc: job 7: the R of hello replaces another R in the store
4 licences n[0-1]'
}

@test "hello: a freed part of a shorthand R goes by host, too" {
    licensed n1 n0 >set.json
    rack_R '{"rank":"0-1","children":{"core":"0"}}' 'n[0-1]' 1 >R
    (hello 1 "7,\"R\":$(tr -d '\n' <R),\"free\":\"0\""
        send resource-status '{}' 9) |
        rset-alloc serve --dialect current --resources set.json >out 2>err
    same "$(held)" '1 licences n1'
}

@test "errors to hello and ready end it; responses without a request are ignored" {
    (grow 0 0 ''; refuse job-manager.sched-hello 2 38) |
        fails 'job-manager.sched-hello: the job manager refuses it (error 38)'
    (grow 0 0 ''; refuse job-manager.sched-hello 2 61
        refuse job-manager.sched-ready 3 22) |
        fails 'job-manager.sched-ready: the job manager refuses it (error 22)'
    # before the first grow nothing is known, and nothing is asked
    rm s*
    (send resource-status '{}' 9; answer job-manager.sched-ready 3 '{"count":0}'
        answer job-manager.sched-hello 2 '{"id":1}'
        answer resource.acquire 7 '{}'; begin
        refuse job-manager.sched-hello 2 61; alloc 1 1) | served >brief
    same "$(cat brief)" 'resource-status 9 errnum 16
1 has rank0/core0'
    logged 'job-manager.sched-ready: unexpected response' \
        'job-manager.sched-hello: unexpected response' \
        'resource.acquire: matchtag 7 is unknown' \
        'job-manager.sched-hello: unexpected response'
}

@test "responses of a provider that break the RFC end it" {
    while IFS='|' read -r payload fault; do
        (answer resource.acquire 1 "$payload") |
            fails "resource.acquire: group default: $fault"
    done <<'END'
{"type":"online","targets":"0"}|type: the first response is not grow
{}|type: a string is expected
{"type":"grow"}|resources: an R is expected
{"type":"grow","resources":7,"online":"","offline":""}|resources: 7: expected an object
END
    while IFS='|' read -r payload fault; do
        (begin; answer resource.acquire 1 "$payload") |
            fails "resource.acquire: group default: $fault"
    done <<'END'
{"type":"zebra"}|type: "zebra" is none of grow, shrink, online and offline
{"type":"online"}|targets: an idset is expected
{"type":"shrink","targets":"3-1"}|targets: "3-1": range 3-1 does not ascend at offset 0
END
    (begin; refuse resource.acquire 1 5) |
        fails 'resource.acquire: group default: the provider refuses it (error 5)'
    (begin; becomes shrink 0; refuse resource.release 4 22) |
        fails 'resource.release: the provider refuses it (error 22)'
}

# --- jobs -------------------------------------------------------------------

@test "alloc: by priority, then time of submission or arrival, then id" {
    same "$( (begin; alloc 1 4n
        alloc 5 4n; alloc 4 4n; alloc 3 4n 20
        alloc 2 4n 16 '' '"t_submit":999.5'
        free 1; free 3; free 2; free 4; free 5) | served | grep -v wait)" \
        '1 has rank[0-3]/core[0-3]
1 freed
3 has rank[0-3]/core[0-3]
3 freed
2 has rank[0-3]/core[0-3]
2 freed
4 has rank[0-3]/core[0-3]
4 freed
5 has rank[0-3]/core[0-3]
5 freed'
}

@test "alloc: no job overtakes the first, and each has a reason for waiting" {
    (begin; alloc 1 1n; alloc 2 4n 16 '"queue":"big"'; alloc 3 1
        alloc 4 4n 17; cancel 4; becomes offline 3; alloc 6 1 16
        becomes online 3; free 1) | served --queues joined >brief
    same "$(cat brief)" '1 has rank0/core[0-3]
2 waits: need 4 nodes with 4 cores: 3 available
3 waits: it is behind other jobs in the queue
2 waits: it is behind other jobs in the queue
4 waits: need 4 nodes with 4 cores: 3 available
4 canceled
2 waits: need 4 nodes with 4 cores: 3 available
2 waits: need 4 nodes with 4 cores: 2 available
6 waits: it is behind other jobs in the queue
2 waits: need 4 nodes with 4 cores: 3 available
1 freed
2 has rank[0-3]/core[0-3]
3 waits: need 1 slot with 1 core: none available'
    same "$(jq -c 'select(.payload.id == 2).payload.annotations.sched' out)" '{"reason_pending":"need 4 nodes with 4 cores: 3 available","queue":"big"}
{"reason_pending":"it is behind other jobs in the queue"}
{"reason_pending":"need 4 nodes with 4 cores: 3 available"}
{"reason_pending":"need 4 nodes with 4 cores: 2 available"}
{"reason_pending":"need 4 nodes with 4 cores: 3 available"}
{"resource_summary":"rank[0-3]/core[0-3]","queue":"big","reason_pending":null}'
}

@test "queues do not wait for each other" {
    same "$( (begin; alloc 1 1 16; alloc 2 4n 17 '"queue":"big"'
        alloc 3 1 15 '"queue":"small"'; alloc 4 2n 30 '"queue":"small"'
        alloc 5 4n 15 '"queue":"big"'; free 1) | served)" '1 has rank0/core0
2 waits: need 4 nodes with 4 cores: 3 available
3 has rank0/core1
4 has rank[1-2]/core[0-3]
2 waits: need 4 nodes with 4 cores: 1 available
5 waits: it is behind other jobs in the queue
1 freed'
}

@test "alloc: a first job that gets everything changes nothing for those that wait" {
    same "$( (begin; alloc 1 3n; alloc 2 4n; alloc 3 1; alloc 4 2 20
        send prioritize '{"jobs":[[3,17]]}'; alloc 5 1n) | served)" '1 has rank[0-2]/core[0-3]
2 waits: need 4 nodes with 4 cores: 1 available
3 waits: it is behind other jobs in the queue
4 has rank3/core[0-1]
2 waits: need 4 nodes with 4 cores: none available (each needs 4 cores, at most 2 are free in one place)
3 has rank3/core2
2 waits: need 4 nodes with 4 cores: none available (each needs 4 cores, at most 1 is free in one place)
5 waits: it is behind other jobs in the queue'
}

@test "alloc: requests from before the end of hello have a reason, too" {
    same "$( (grow 0-3 0-3 ''; alloc 1 1; alloc 2 4n; alloc 3 1; alloc 4 9n
        hello 2) | served)" \
        '4 denied: need 9 nodes with 4 cores: there are 4
1 has rank0/core0
3 waits: it is behind other jobs in the queue
2 waits: need 4 nodes with 4 cores: 3 available'
}

@test "alloc: a reason is sent again only if it changes" {
    same "$( (begin; alloc 1 2; alloc 2 1; alloc 3 4n; free 2; free 1) |
        served)" '1 has rank0/core[0-1]
2 has rank0/core2
3 waits: need 4 nodes with 4 cores: 3 available
2 freed
1 freed
3 has rank[0-3]/core[0-3]'
}

@test "a reason counts anew when a job is freed" {
    for policy in fcfs easy; do
        (begin; whole 1 2 100; whole 2 2 50; whole 3 4 10; free 2) |
            backfilled --queue-policy $policy >/dev/null
        same "$(jq -r '.payload.annotations.sched.reason_pending // empty' out | paste -sd '|')" \
            'need 4 whole nodes: none available|need 4 whole nodes: 2 available'
        rm s*
    done
}

@test "alloc: DENY if it can never match, or can't be read" {
    {
        begin
        alloc 1 5n
        alloc 2 1 4294967296
        alloc 3 1 -1
        alloc 4 1 '"x"'
        alloc 5 1 16 '' '"t_submit":"x"'
        alloc 6 1 16 '"constraints":{"properties":["fast"]}'
        alloc 7 1 16 '"constraints":{"zebra":["fast"]}'
        alloc 8 1 16 '' '"jobspec":7'
        send alloc '{"id":9,"priority":1,"userid":1}'
        send alloc '{"id":10,"userid":1,"jobspec":{}}'
        send alloc '{"id":11,"priority":1,"jobspec":{}}'
        send alloc '{"id":12,"priority":1,"userid":1,"jobspec":{"version":1,"resources":[{"type":"core"}]}}'
        alloc 13 2
        alloc 13 1
        alloc 13 1 -1
        send alloc '{"id":14,"priority":1,"userid":"x","jobspec":{}}'
        timeless=$(jobspec 1 '"duration":0')
        timeless=${timeless/'"duration":0'/}
        send alloc "{\"id\":15,\"priority\":1,\"userid\":1,\"jobspec\":$timeless}"
        send alloc "{\"id\":16,\"priority\":1,\"userid\":1,\"jobspec\":${timeless/'"version":1'/'"version":2'}}"
    } | served >brief
    same "$(cat brief)" '1 denied: need 5 nodes with 4 cores: there are 4
2 denied: priority: 4294967296 is not in the range 0 to 4294967295
3 denied: priority: -1 is not in the range 0 to 4294967295
4 denied: priority: "x" is not in the range 0 to 4294967295
5 denied: t_submit: "x" is not a time
6 denied: need 1 slot with 1 core: there is none; no target has the property "fast"
7 denied: jobspec.attributes.system.constraints: "zebra": unknown operator
9 denied: jobspec is missing
10 denied: priority is missing
11 denied: userid is missing
12 denied: jobspec.resources[0]: a resource has no "count"
13 has rank0/core[0-1]
13 denied: the job already has resources
13 denied: the job already has resources
14 denied: userid: "x" is not an integer
15 denied: jobspec.attributes.system: version 1 needs "duration"
16 has rank0/core2'
    [[ $(cat err) == 'rset-alloc: stdin:11: '*'"jobspec"'* ]]
}

@test "alloc: EPROTO without a usable id, or while one waits" {
    same "$( (begin; alloc 1 4n; alloc 2 1; alloc 2 1
        alloc -1 1; alloc '"x"' 1; alloc 9223372036854775808 1
        alloc 9223372036854775807 1 17
        send alloc '{}'; send alloc '[]' 5; echo '{"topic":"sched.alloc"}'
        free 1) | served | grep -v -e waits -e has)" 'alloc null errnum 71
alloc null errnum 71
alloc null errnum 71
alloc null errnum 71
alloc null errnum 71
alloc null errnum 71
1 freed'
    same "$(grep -oE '"id":[0-9]+,"type":0' out)" '"id":1,"type":0
"id":9223372036854775807,"type":0
"id":2,"type":0'
    grep -qFx '{"type":"response","topic":"sched.alloc","errnum":71,"errstr":"job 2 is already in the queue"}' out
    same "$(grep -v stdin: err)" 'rset-alloc: sched.alloc: job 2 is already in the queue: the job manager suspends scheduling
rset-alloc: sched.alloc: no valid id: the job manager suspends scheduling
rset-alloc: sched.alloc: no valid id: the job manager suspends scheduling
rset-alloc: sched.alloc: no valid id: the job manager suspends scheduling
rset-alloc: sched.alloc: no valid id: the job manager suspends scheduling
rset-alloc: sched.alloc: no valid id: the job manager suspends scheduling'
}

@test "cancel: a waiting request; others are ignored" {
    same "$( (begin; alloc 1 4n; alloc 2 1; alloc 3 1; cancel 3; cancel 2
        cancel 1; cancel 7; send cancel '{"id":-5}'; send cancel '{}' 9
        free 1; alloc 2 1) | served | grep -v waits)" \
        '1 has rank[0-3]/core[0-3]
3 canceled
2 canceled
1 freed
2 has rank0/core0'
    grep -qFx '{"type":"response","topic":"sched.alloc","payload":{"id":2,"type":3}}' out
    logged 'sched.cancel: no valid id' \
        'sched.cancel: no valid id'
}

@test "prioritize: many at once, or none of them" {
    same "$( (begin; alloc 1 4n; alloc 2 4n; alloc 3 4n; alloc 4 4n
        send prioritize '{"jobs":[[4,4294967295],[3,17],[1,5],[99,1]]}'
        send prioritize '{"jobs":[[2,20],[3,4294967296]]}'
        send prioritize '{"jobs":[[2,20],[3,-1]]}'
        send prioritize '{"jobs":[[2,20],[3]]}'
        send prioritize '{"jobs":[[2,20],["3",4]]}'
        send prioritize '{"jobs":7}' 9
        send prioritize '{}'
        send prioritize '{"jobs":[]}'
        free 1; free 4; free 3) | served | grep -v waits)" \
        '1 has rank[0-3]/core[0-3]
1 freed
4 has rank[0-3]/core[0-3]
4 freed
3 has rank[0-3]/core[0-3]
3 freed
2 has rank[0-3]/core[0-3]'
    logged 'sched.prioritize: jobs[1].priority: 4294967296 is not in the range 0 to 4294967295' \
        'sched.prioritize: jobs[1].priority: -1 is not in the range 0 to 4294967295' \
        'sched.prioritize: jobs[1]: [3]: an id and a priority are expected' \
        'sched.prioritize: jobs[1]: ["3",4]: an id and a priority are expected' \
        'sched.prioritize: jobs: a list is expected' 'sched.prioritize: jobs: a list is expected'
}

@test "free: an allocation, once" {
    same "$( (begin; alloc 1 4n; free 1; free 1; free 7; alloc 2 4n; free 3
        send free '{"id":-3}'; send free '{}' 9; alloc 1 1; free 2
        free 1 "$(R 0)" false) | served | grep -v waits)" \
        '1 has rank[0-3]/core[0-3]
1 freed
1 freed
7 freed
2 has rank[0-3]/core[0-3]
3 freed
2 freed
1 has rank0/core0
1 freed'
    logged 'sched.free: job 1 has no resources' 'sched.free: job 7 has no resources' \
        'sched.free: job 3 has no resources' 'sched.free: no valid id' \
        'sched.free: no valid id'
}

@test "free in the current edition: in parts, the last is final" {
    same "$( (begin_current; alloc 1 4n; alloc 2 1n; free 1 "$(R 2)" false
        alloc 3 3n; free 1 "$(R 0)" false; free 1 "$(R 0)" false
        free 1 "$(R 7)" false
        free 1 "$(R 1)" true
        free 1 "$(R 3)" true
        free 2) | served --dialect current | grep -v waits)" \
        '1 has rank[0-3]/core[0-3]
2 has rank2/core[0-3]
3 has rank[0-1,3]/core[0-3]'
    logged 'sched.free: job 1: the final part leaves out resources: they are freed too' \
        'sched.free: job 1 has no resources'
    same "$(rset-alloc jobs --no-header --columns job,ranks --store s | tr -s ' ')" \
        '3 0-1,3'
}

@test "free in the current edition: an exclusive rack stays until the last part" {
    jq -nc '{resources: [{type: "cluster", with: [{type: "rack", with: [
            {type: "node", count: 2, with: [{type: "core", count: 4}]}]}]}]}' |
        rset-discover --config - -o jgf |
        rset-alloc exclusive /cluster0/rack0 >racks.json
    same "$( (echo "$alone"; alloc 1 2n; alloc 2 1n; free 1 "$(R 0)" false
        free 1 "$(R 1)" true) | sed 's/"n\[/"node[/' |
        served --dialect current --resources racks.json)" '1 has rank[0-1]/core[0-3]
2 waits: need 1 node with 4 cores: none available
2 has rank0/core[0-3]'
    logged 'sched.free: job 1: /cluster0/rack0 can only be given back whole' \
        'sched.free: job 1: /cluster0/rack0 can only be given back whole' \
        'sched.free: job 1: the final part leaves out resources: they are freed too'
}

@test "free: each job without resources is counted, in both editions" {
    local dialect start
    for dialect in seed current; do
        start=begin
        [ $dialect = seed ] || start=begin_current
        ($start; alloc 1 2n; alloc 2 1; alloc 3 1; free 1 "$(R 0)" false
            free 1 "$(R 1)" true; free 2 "$(R 2)" false; free 3; free 3
            send stats-get '{}' 9) | served --dialect $dialect >brief
        same "$(jq -c 'select(.matchtag == 9).payload | .freed, .allocated' out |
            xargs)" '3 0'
        rm s*
    done
}

@test "free in the current edition: an error is logged, and frees nothing" {
    parts=('"R":"x"' '"R":null' '"R":{"version":9}' "\"R\":$(R x)"
        '"R":{"version":1,"execution":{"R_lite":"x"}}'
        '"R":{"graph":{"nodes":[{"id":"0","metadata":{"type":"node","paths":{"containment":"/n0"}}}],"edges":[]}}'
        '"final":false' "\"R\":$(R 0),\"final\":\"yes\"")
    same "$( (begin_current; alloc 1 4n
        for part in "${parts[@]}"; do send free "{\"id\":1,$part}"; done
        alloc 2 1; send free '{"id":1,"R":{},"final":true}') |
        served --dialect current)" '1 has rank[0-3]/core[0-3]
2 waits: need 1 slot with 1 core: none available
2 has rank0/core0'
    same "$(sed 's/^rset-alloc: sched.free: job 1: //' err)" 'R: "x": expected an object
R: null: expected an object
R: version: 9: expected version 1
R: execution.R_lite[0].rank: "x": unexpected "x" at offset 0
R: execution.R_lite: "x": expected a list
R has no ranks
R is missing
final: "yes" is not true or false
R: neither an R nor a graph: it has no `version`, `execution`, `scheduling` or `graph`'
}

@test "expiration: EPROTO, EINVAL, then ENOENT, EBUSY, ERANGE; 0 is without end" {
    rset-alloc load --store s r.json
    rset-alloc allocate 9 -N1 --include n0 --at 3000 --expiration 4000 \
        --now 1000 --store s >R9
    same "$( (grow 0-3 0-3 '' 1 ',"expiration":5000'; hello 2 9
        alloc 1 1n 16 '"duration":60'; alloc 2 1n 16 '"duration":60'
        expire 5 1 -1; expire 6 77 '"x"'; send expiration '{"id":1}' 7
        expire 8 77 2000; expire 9 '"x"' 2000; expire 10 77 6000
        expire 11 1 3001; expire 12 1 3000; expire 13 1 0; expire 14 1 900
        expire 15 2 5001; expire 16 2 4000.5; expire 17 2 0
        expire 18 2 4000; expire '' 2 4500; expire '' 2 -1) | served)" \
        '1 has rank0/core[0-3]
2 has rank1/core[0-3]
expiration 5 errnum 22
expiration 6 errnum 71
expiration 7 errnum 71
expiration 8 errnum 2
expiration 9 errnum 71
expiration 10 errnum 2
expiration 11 errnum 16
expiration 12 null
expiration 13 errnum 16
expiration 14 errnum 22
expiration 15 errnum 34
expiration 16 errnum 22
expiration 17 null
expiration 18 null'
    same "$(jq -r 'select(.errnum).errstr' out | uniq)" \
        'expiration: -1: a time from 0 (none) to 200000000000 is expected
expiration: "x": a time from 0 (none) to 200000000000 is expected
expiration: a time is expected, 0 for none
the job has no resources
id: an integer from 0 on is expected
the job has no resources
/cluster0/n0 is reserved for job 9 from 1970-01-01T00:50:00Z
the job would end before it began
the resources expire before that (1970-01-01T01:23:20Z)
expiration: 4000.5: an integer is expected in this edition'
    same "$(TZ=UTC rset-alloc jobs --columns job,end --now 1000 --store s | tr -s ' ')" \
        'JOB END
1 1970-01-01T00:50:00
2 1970-01-01T01:15:00
9 1970-01-01T01:06:40'
}

# Both editions, with bad times and ids.
@test "expiration: fractions in the current edition; bad times and ids" {
    local dialect start asks
    asks=$(expire 4 1 2000; expire 5 1 1795471631.757; expire 6 1 1e300
        expire 7 1 200000000001; expire 8 1 -0.5; expire 9 '"1"' 3000
        expire 10 -1 3000; expire 11 1.0 3000; expire 12 null 3000
        send expiration '{"expiration":3000}' 13; send expiration '[]' 14
        expire 15 1 200000000000; expire 16 1 9223372036854775807)
    for dialect in seed current; do
        start=begin
        [ $dialect = seed ] || start=begin_current
        ($start; alloc 1 1n; echo "$asks") | served --dialect $dialect >brief
        same "$(cut -d ' ' -f 2- brief | tr '\n' ' ' | cut -d ' ' -f 3-)" \
            "4 null 5 $([ $dialect = seed ] && echo errnum 22 || echo null) $(
                printf '%s errnum 22 ' 6 7 8; printf '%s errnum 71 ' {9..14}
            )15 null 16 errnum 22 "
        rm s*
    done
}

# store_ends [JOB END]...: the store has these ends.
store_ends() {
    same "$(rset-alloc jobs -o json --store s | jq -r '"\(.[] | "\(.job) \(.end)")"')" \
        "$(printf '%s %s\n' "$@")"
}

@test "expiration of all: jobs that ended with the resources get the new end" {
    expires() {
        answer resource.acquire 1 "{\"expiration\":$1}"
    }
    (begin_current; alloc 1 1; alloc 2 1 16 '"duration":60'; expires 5000.5
        alloc 3 1; expires 6000; alloc 4 1; alloc 5 1; expire 4 5 4000) |
        served --dialect current
    store_ends 1 6000 2 1060 3 6000 4 6000 5 4000
    # a later scheduler, whose resources have another end, and then none
    (answer resource.acquire 1 \
        "{\"resources\":$(R 0-3 ',"expiration":7000'),\"up\":\"0-3\"}"
        hello 2 1 2 3 4 5; expires 0; alloc 6 1; expires 8000; expire 5 6 0
        expire 6 3 7500; expires 7500; expires 9000) |
        served --dialect current
    store_ends 1 9000 2 1060 3 9000 4 9000 5 4000 6 null
    logged 's: had other resources (expiration: 6000 -> 7000)'
    # also from a grow in the seed edition
    (begin; alloc 1 1; alloc 2 1 16 '"duration":60'
        grow 0-3 0-3 '' 1 ',"expiration":5000') |
        rset-alloc serve --kvs . --now 1000 >out 2>err
    same "$(jq .execution.expiration 1.json 2.json | xargs)" '5000 1060'
}

@test "a reservation of the site stays while its targets are gone" {
    window() { send reserve '{"name":"w","targets":"0,2","start":1500,"end":2000}' 8; }
    listed='"R_lite":[{"rank":"0,2","children":{"core":"0-3"}}]'
    # target 2 comes back with another one, so it is new in the set
    same "$( (grow 0,2 0,2 ''; hello 2; window; becomes shrink 2
        answer resource.release 4 null; grow 1-2 1-2 ''; send reservations '{}' 9
        alloc 1 1n 16 '"duration":600'; alloc 2 1n 16 '"duration":600') | served |
        grep '^[12]')" '1 has rank1/core[0-3]
2 waits: reserved: w from 1970-01-01T00:25:00Z
2 waits: null'
    grep -qF "$listed" out
    # it is not there at the start
    (grow 0-1 0-1 ''; hello 2 1; send reservations '{}' 9; grow 2 2 ''
        alloc 2 1n 16 '"duration":600'; send unreserve '{"name":"w"}' 9) | served >said
    same "$(grep -m 1 '^2' said)" '2 waits: reserved: w from 1970-01-01T00:25:00Z'
    same "$(grep has said)" '2 has rank0/core[0-3]'
    grep -qF "$listed" out
    logged 's: had other resources (rank 2: core[0-3])' \
        'reservation w: /cluster0/n2 is not in the set'
    same "$(rset-alloc history --store s --columns command,what | tail -n 4 | tr -s ' ')" \
        'grow 2
reserve -
unreserve -
allocate -'
}

@test "hello: the R that was answered is that of the store" {
    (begin_current; whole 1 1 60) | served --dialect current >/dev/null
    job="1,\"R\":$(jq -c '.payload | select(.id == 1).R' out)"
    (begin_current | head -n 1; hello 2 "$job") | served --dialect current >/dev/null
    same "$(<err)" ''
    # Flux's edition does not say that the node is held whole
    same "$(rset-alloc allocated 1 --store s -o r | jq -c .attributes.system)" \
        '{"scheduler":{"holds":"0"}}'
}

@test "hello: a job has its resources, though the clock has gone back" {
    (begin; alloc 1 4n 16 '"duration":100') | served
    same "$( (begin; alloc 2 4n) | sed 's/"errnum":61/"payload":{"id":1}}\n&/; s/^"/{"/' >/dev/null
        (grow 0-3 0-3 ''; hello 2 1; alloc 2 4n) | served --now 940)" \
        '2 waits: need 4 nodes with 4 cores: none available
2 waits: null'
    rset-alloc check --store s
}

@test "expiration of all: a job keeps its end if another job is in the way" {
    rset-alloc load --store s r.json
    rset-alloc allocate 9 -N4 --at 3000 --expiration 4000 \
        --now 1000 --store s >R9
    (answer resource.acquire 1 \
        "{\"resources\":$(R 0-3 ',"expiration":3000'),\"up\":\"0-3\"}"
        hello 2 9; alloc 1 1 16 '"duration":2000'
        answer resource.acquire 1 '{"expiration":3500}') |
        served --dialect current
    store_ends 1 3000 9 4000
    grep -qFx "rset-alloc: job 1: its end can't follow that of the resources: /cluster0/n0 is reserved for job 9 from 1970-01-01T00:50:00Z" err
}

# --- queries ----------------------------------------------------------------

feasible() { # MATCHTAG SHAPE [ATTRIBUTES]
    echo "{\"topic\":\"feasibility.check\",\"matchtag\":$1,\"payload\":{" \
        "\"jobspec\":$(jobspec "$2" "$3")}}"
}

@test "what is granted has an end that every program and the next start can read" {
    local n=0 seconds ids='3 4 5 6 7 8 9' keep
    mkdir kvs
    for seconds in 1e-8 1e-7 1e-6 0.1 0.3 1.0000001 60 1e9 1.9e11 2e11 1e17 1e300; do
        alloc $((++n)) 1 16 "\"duration\":$seconds"
    done >asks
    for keep in '--kvs kvs' '--store s'; do
        # shellcheck disable=SC2086 # it is an option and its argument
        (hello 1; cat asks; feasible 9 1 '"duration":1e-8') |
            rset-alloc serve $keep --resources r.json --now 1795817628.140171 \
                >out 2>err
        brief >answers
        same "$(grep -v has answers)" \
            '1 denied: jobspec.attributes.system.duration: 1e-08: it would not end after it starts
2 denied: jobspec.attributes.system.duration: 1e-07: it would not end after it starts
10 denied: jobspec.attributes.system.duration: 2e+11: it would end after 200000000000, the last time that can be written
11 denied: jobspec.attributes.system.duration: 1e+17: it would end after 200000000000, the last time that can be written
12 denied: jobspec.attributes.system.duration: 1e+300: it would end after 200000000000, the last time that can be written
feasibility.check 9 errnum 22'
        same "$(sed -n 's/ has.*//p' answers | xargs)" "$ids"
    done
    same "$(rset-match --validate --strict kvs/*.json)" ''
    same "$(jq '.execution | .expiration > .starttime' kvs/*.json | uniq)" true
    rset-alloc save --store s >saved.json
    rset-match -q -n1 saved.json
    same "$(rset-match --validate saved.json)" ''
    # the next start
    for keep in '--kvs kvs' '--store s'; do
        # shellcheck disable=SC2086 # ids are words, too
        (hello 1 $ids; send stats-get '{}' 2) |
            rset-alloc serve $keep --resources r.json --now 1795817629 >out 2>err
        same "$(brief | sed 's/{.*//')" 'stats-get 2 '
        same "$(jq '.payload.allocated // empty' out)" 7
    done
}

@test "feasibility.check: could it ever match, with everything up and idle?" {
    same "$( (feasible 8 1; grow 0-3 0 1-3; hello 2; alloc 1 1n; feasible 9 4n
        feasible 10 5n; echo '{"topic":"feasibility.check","matchtag":11}'
        answer feasibility.check 12 '{"jobspec":{}}'
        feasible 13 1 '"constraints":{"hostlist":["n9"]}'
        becomes shrink 3; feasible 14 4n) | served)" \
        'feasibility.check 8 errnum 16
1 has rank0/core[0-3]
feasibility.check 9 null
feasibility.check 10 errnum 75
feasibility.check 11 errnum 71
feasibility.check 12 errnum 22
feasibility.check 13 errnum 75
release default 3
feasibility.check 14 errnum 75'
    same "$(jq -r 'select(.errnum).errstr' out)" 'no resources are known yet
unsatisfiable: need 5 nodes with 4 cores: there are 4
jobspec is missing
jobspec: a jobspec has no "version"
unsatisfiable: need 1 slot with 1 core: there is none; there is no host "n9"
unsatisfiable: need 4 nodes with 4 cores: there are 3'
}

@test "resource-status and stats-get, in both editions" {
    asked='[.payload | .all, .down, .allocated | .execution | [.R_lite[].rank, .nodelist[]]]'
    events() {
        alloc 1 1n
        alloc 2 2
        alloc 3 9n
        alloc 4 2n 1
        alloc 5 4
        cancel 5
        alloc 6 4
        free 6
        echo bad
        send resource-status '{}' 8
        send resource-status '{}'
        send stats-get '{}' 9
    }
    for dialect in seed current; do
        begin=begin
        [ $dialect = seed ] || begin=begin_current
        ($begin; answer resource.acquire 1 \
            '{"type":"offline","targets":"2-3","down":"2-3"}'; events) |
            served --dialect $dialect >brief
        same "$(jq -c "select(.matchtag == 8) | $asked" out)" \
            '[["0-3","n[0-3]"],["2-3","n[2-3]"],["0","1","n[0-1]"]]'
        same "$(jq -c 'select(.matchtag == 9).payload' out)" '{"policy":"first","queue-policy":"fcfs","pending":2,"allocated":2,"requests":6,"granted":2,"denied":1,"canceled":1,"freed":0,"raised":0,"bad-lines":1}'
        rm s*
    done
}

@test "disconnect of a client: no answer and no log" {
    same "$( (begin; echo '{"topic":"sched.disconnect"}'
        send disconnect '{}' 4; echo '{"topic":"feasibility.disconnect"}'
        echo '{"topic":"feasibility.disconnect","matchtag":5}'
        alloc 1 1) | served)" '1 has rank0/core0'
    [ ! -s err ]
}

@test "ping, unknown topics, and bad lines" {
    same "$( (begin; send ping '{"a":[1,"ä"]}' 4; send ping 7
        answer sched.zebra 5 '{}'; answer zebra 4294967295 null
        echo '{"type":"request","topic":"resource.acquire","matchtag":6}'
        echo '{"type":"request","topic":"job-manager.raise","matchtag":7,"flags":["noresponse"]}'
        answer resource.ping 3 '{}'
        echo '{"type":"response","topic":"sched.free","payload":{"id":1}}'
        printf '%s\n' 'bad' '' '[]' '{"matchtag":8}' '{"topic":7,"matchtag":9}' \
            '{"topic":"sched.ping","matchtag":10,"flags":"x"}' \
            '{"topic":"sched.ping","matchtag":-1}' \
            '{"topic":"sched.alloc","payload":{"id":1,"id":2}}' $'\xff'
        (head -c 67200000 /dev/zero | tr '\0' x; echo)
        printf '%s' "$(alloc 1 1)") | served)" 'ping 4 {"a":[1,"ä"]}
zebra 5 errnum 38
zebra 4294967295 errnum 38
acquire 6 errnum 38
ping 3 errnum 38
 8 errnum 71
 9 errnum 71
ping 10 errnum 71
1 has rank0/core0'
    grep -qFx '{"type":"response","matchtag":9,"errnum":71,"errstr":"topic: 7 is not a string"}' out
    same "$(cut -d : -f 2,3 err | sort -u -t : -n -k 2)" \
        "$(printf ' stdin:%s\n' {6..12} {14..21})"
    [[ $(sed -n '$p' err) == \
        'rset-alloc: stdin:21: line 1, column 1: "xxxxxx'* ]]
}

@test "JSON that can't be used is answered, if it says to whom" {
    same "$( (begin; send ping '{"x":9223372036854775808}' 4; send ping '"a\u0000"' 5
        send expiration '{"id":1,"id":2}' 6; send ping '[1e400]' 7; send ping '1' 8) |
        served)" 'ping 4 errnum 71
ping 5 errnum 71
expiration 6 errnum 71
ping 8 1'
    same "$(wc -l <err)" 4
}

@test "messages of a later version are refused" {
    same "$( (begin; alloc 1 1; alloc 2 1 | sed 's/{/{"version":2,/'
        echo '{"version":3,"topic":"sched.ping","matchtag":4}') | served)" \
        $'1 has rank0/core0\nping 4 errnum 71'
    same "$(<err)" 'rset-alloc: stdin:5: version: 2 is not a version that is known
rset-alloc: stdin:6: version: 3 is not a version that is known'
}

# --- changes of resources ---------------------------------------------------

@test "offline: no new jobs there, and running jobs are left alone" {
    same "$( (begin; alloc 1 2n; becomes offline 0,2,7; alloc 2 1; alloc 3 2n
        free 1; becomes offline 0; becomes online 0; alloc 4 9n; free 2
        becomes online 2) | served | grep -v waits)" '1 has rank[0-1]/core[0-3]
2 has rank3/core0
1 freed
3 has rank[0-1]/core[0-3]
4 denied: need 9 nodes with 4 cores: there are 4
2 freed'
    logged 'resource.acquire: group default: offline: targets 7 were not given'
}

@test "a change of targets that the provider did not give is logged" {
    (grow 0-1 0 1; hello 2; becomes online 0,5; becomes offline 3-4
        becomes shrink 0,6; becomes online 0; becomes offline ''; grow 0 0 ''
        becomes offline 0; grow 1-2 0-1,3 2,9; alloc 1 2n) | served >brief
    logged 'resource.acquire: group default: online: targets 5 were not given' \
        'resource.acquire: group default: offline: targets 3-4 were not given' \
        'resource.acquire: group default: shrink: targets 6 were not given' \
        'resource.acquire: group default: online: targets 0 were not given' \
        'resource.acquire: group default: offline: targets 9 are not in the resources' \
        'resource.acquire: group default: online: targets 0,3 are not in the resources' \
        'resource.acquire: group default: grow: targets 1 were given before'
    # and targets that were down stay down
    same "$(grep -v release brief)" \
        '1 waits: need 2 nodes with 4 cores: 1 available'
    # likewise for each group
    rm s*
    (grow 0-1 0-1 '' 1; grow 2-3 2-3 '' 2; hello 3
        becomes offline 2 1) | served --group default --group a
    logged 'resource.acquire: group default: offline: targets 2 were not given'
    # likewise in the current edition
    rm s*
    (answer resource.acquire 1 "{\"resources\":$(R 0-1),\"up\":\"0-2\"}"
        hello 2; answer resource.acquire 1 \
            "{\"resources\":$(R 2),\"up\":\"1-2\",\"shrink\":\"3\",\"down\":\"4\"}"
        ) | served --dialect current
    logged 'resource.acquire: group default: up: targets 2 are not in the resources' \
        "resource.acquire: group default: resources: this edition can't add any" \
        'resource.acquire: group default: online: targets 2 were not given' \
        'resource.acquire: group default: offline: targets 4 were not given' \
        'resource.acquire: group default: shrink: targets 3 were not given'
}

@test "shrink: raised once a job, released once a target, denied, given again" {
    same "$( (begin; alloc 1 2n; alloc 2 2; alloc 3 2; alloc 4 4n; alloc 5 1
        becomes shrink 1-3; becomes shrink 0; free 2; free 3; free 1
        alloc 6 1
        grow 1 1 ''; alloc 7 1n; alloc 8 2n; becomes shrink 1; free 7
        grow 1-2 2 1; alloc 9 1n; alloc 10 2n; free 9; becomes online 1) |
        served | grep -v waits)" '1 has rank[0-1]/core[0-3]
2 has rank2/core[0-1]
3 has rank2/core[2-3]
raise 1 resource-shrink: /cluster0/n1 was taken away
raise 2 resource-shrink: /cluster0/n2 was taken away
raise 3 resource-shrink: /cluster0/n2 was taken away
release default 3
4 denied: need 4 nodes with 4 cores: there is 1
5 denied: need 1 slot with 1 core: there is none
2 freed
release default 2
3 freed
release default 0-1
1 freed
6 denied: need 1 slot with 1 core: there is none
7 has rank1/core[0-3]
8 denied: need 2 nodes with 4 cores: there is 1
raise 7 resource-shrink: /cluster0/n1 was taken away
release default 1
7 freed
9 has rank2/core[0-3]
9 freed
10 has rank[1-2]/core[0-3]'
    logged 'job 1: resource-shrink: /cluster0/n1 was taken away' \
        'job 2: resource-shrink: /cluster0/n2 was taken away' \
        'job 3: resource-shrink: /cluster0/n2 was taken away' \
        'job 7: resource-shrink: /cluster0/n1 was taken away'
    grep -qFx '{"type":"request","topic":"job-manager.raise","flags":["noresponse"],"payload":{"id":7,"type":"resource-shrink","severity":0,"note":"/cluster0/n1 was taken away"}}' out
}

@test "shrink: a job that holds a rack holds its nodes, one that shares it does not" {
    local rack='"name":"rack0",' all
    rset-discover --hosts 'n[0-3]' --cores 0-3 --nodes-per-rack 2 -o rv1 >g.json
    all=$(answer resource.acquire 1 "{\"type\":\"grow\",\"resources\":$(<g.json),\"online\":\"0-3\",\"offline\":\"\"}")
    rset-alloc allocate 7 -n1 --include 2 g.json |
        sed "s/$rack/$rack\"shared\":[7],/" | rset-alloc load --store s
    same "$( (echo "$all"; hello 2 7; becomes shrink 0) | served)" \
        'release default 0'
    rset-alloc allocate 7 --take /cluster0/rack0=1 g.json |
        rset-alloc load --store whole
    same "$( (echo "$all"; hello 2 7; becomes shrink 0; free 7) |
        served --store whole)" \
        'raise 7 resource-shrink: /cluster0/rack0/n0 was taken away
release default 0
7 freed'
}

@test "a target that comes back before it is free is not released" {
    same "$( (begin; alloc 1 1n; becomes shrink 0; grow 0 0 ''; free 1
        alloc 2 4n; becomes shrink 3; free 2) | served)" \
        '1 has rank0/core[0-3]
raise 1 resource-shrink: /cluster0/n0 was taken away
1 freed
2 has rank[0-3]/core[0-3]
raise 2 resource-shrink: /cluster0/n3 was taken away
release default 3
2 freed'
}

@test "a target that comes back with other resources replaces the old one" {
    same "$( (begin; alloc 1 4n; becomes shrink 2-3; free 1
        grow 3 3 '' | sed 's/"0-3"/"0-7"/'; alloc 2 8; becomes shrink 3; free 2
        grow 2-3 2-3 ''; alloc 3 4n; alloc 4 8) | served | grep -v waits)" \
        '1 has rank[0-3]/core[0-3]
raise 1 resource-shrink: /cluster0/n[2-3] was taken away
release default 2-3
1 freed
2 has rank3/core[0-7]
raise 2 resource-shrink: /cluster0/n3 was taken away
release default 3
2 freed
3 has rank[0-3]/core[0-3]
4 denied: need 1 slot with 8 cores: there is none (it needs 8 cores, at most 4 are in one place)'
    same "$(rset-match --count node,core --store s)" '4 16'
    # but not while a job holds it
    rm s*
    (grow 0-3 0-3 ''; hello 2; alloc 1 1n; becomes shrink 0
        grow 0 0 '' | sed 's/"0-3"/"0-7"/'; alloc 3 8) |
        fails 'job 1: resource-shrink: /cluster0/n0 was taken away
rset-alloc: resources: targets come back changed while jobs hold them'
}

# --- limits and ends --------------------------------------------------------

@test "--limit: the number of requests to send at a time" {
    begin | served --limit 42
    same "$(jq -c 'select(.topic == "job-manager.sched-ready").payload' out)" \
        '{"mode":"limited","limit":42}'
}

@test "--policy and other options choose how requests are served" {
    same "$( (begin; alloc 1 1; alloc 2 2) |
        served --policy high --node-exclusive)" '1 has rank3/core[0-3]
2 has rank2/core[0-3]'
    rm s*
    same "$( (begin; alloc 1 1; alloc 2 2) |
        served --policy worst-fit --slot-scope parent --granule pool)" \
        '1 has rank0/core0
2 has rank1/core[0-1]'
}

@test "--log-level: one line an event" {
    while read -r level lines; do
        rm -f s*
        (begin; alloc 1 4n; alloc 2 1; cancel 2; alloc 3 9n; becomes shrink 0
            free 1; free 1; refuse resource.release 4 22) |
            served --log-level "$level" >brief || true # it is 2
        [ "$(wc -l <err)" = "$lines" ]
    done <<'END'
error 1
warning 3
info 12
debug 13
END
    logged 'targets 0-3 are given' 'hello: 0 jobs have resources' \
        'ready: 0 jobs wait' 'job 1: allocated' \
        'job 2: waits: need 1 slot with 1 core: none available' \
        'job 2: canceled' 'job 3: denied: unsatisfiable: need 9 nodes with 4 cores: there are 4' \
        'targets 0 are taken away' \
        'job 1: resource-shrink: /cluster0/n0 was taken away' 'job 1: freed' \
        'targets 0 are released' 'sched.free: job 1 has no resources' \
        'resource.release: the provider refuses it (error 22)'
}

@test "SIGTERM ends it: messages that were read are answered, status 0" {
    start rset-alloc serve --store s --now 1000
    begin >&4
    alloc 1 1 >&4
    wait_lines 4 out
    kill "$pid"
    ends 0
    same "$(tail -n 3 out | jq -r .topic)" 'sched.alloc
resource.disconnect
job-manager.disconnect'
    [ ! -s err ]
    rset-alloc check --store s
}

@test "answers that can't be written: status 2, and a sound store" {
    needs /dev/full
    (begin; alloc 1 1) >in
    run -2 --separate-stderr bash -c \
        'rset-alloc serve --store s --now 1000 <in >/dev/full'
    same "$stderr" 'rset-alloc: standard output: No space left on device'
    rset-alloc check --store s
    mkfifo lines answers
    rset-alloc serve --store s --now 1000 <lines >answers 2>err 3>&- &
    pid=$!
    exec 4>lines 5<answers
    (begin; alloc 2 1n; alloc 3 1) >&4
    for _ in {1..5}; do
        read -rt 600 line <&5
    done
    [[ $line == *'"id":3,"type":0,'* ]]
    exec 5<&-
    alloc 4 1 >&4
    ends 2
    logged 'job 1: unknown to the job manager: its resources are freed' \
        'standard output: Broken pipe'
    rset-alloc check --store s
    same "$(rset-alloc jobs --store s | sed 1d | awk '{ print $1 }')" '2
3
4'
}

# --- the store --------------------------------------------------------------

@test "--store: others can read it meanwhile, but can't write or serve it" {
    start rset-alloc serve --store s --now 1000
    (begin; alloc 7 1n) >&4
    wait_lines 4 out
    same "$(rset-alloc allocated 7 --store s)" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3"}}],"nodelist":["n0"],"starttime":1000}}'
    for command in 'release 7' serve 'batch -'; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr rset-alloc $command --store s </dev/null
        # shellcheck disable=SC2154 # run sets it
        [[ $stderr == "rset-alloc: s: process $pid on "* ]]
        [ -z "$output" ]
    done
    free 7 >&4
    wait_lines 5 out
    same "$(rset-alloc jobs --store s | wc -l)" 1
    ends 0
    same "$(rset-alloc history --store s | awk '{ print $3, $4 }')" 'COMMAND JOB
serve -
allocate 7
release 7'
}

@test "an allocation is on disk before its answer; likewise a new end and a free" {
    preloads failing_io
    (grow 0-3 0-3 ''; hello 2 1) >hello
    begun() { # N: the disk fails after N calls
        rm -f lines s s-*
        (begin; alloc 1 1n) | served
        start env LD_PRELOAD="$shim" IO_ONLY='sync s-wal' IO_AT="$1" \
            IO_LASTS=1 IO_DO=EIO IO_LOG=log rset-alloc serve --store s --now 1000
        cat hello >&4 # written at once, so committed at once
        wait_lines 3 out
    }
    begun 0
    n=$(grep -c 'sync s-wal' log)
    ends 0
    while read -r line; do
        begun $((n + 1))
        (eval "$line"; send ping '{}' 4) >line
        cat line >&4
        ends 2
        same "$(wc -l <out)" 3
        [[ $(cat err) == 'rset-alloc: s: '*'I/O error'* ]]
        rset-alloc check --store s
    done <<'END'
alloc 2 1
free 1
expire 5 1 2000
END
    served <hello
    [ ! -s err ]
}

@test "--kvs: R is there before the answer, and removed by free" {
    mkdir kvs
    start rset-alloc serve --kvs kvs --now 1000
    (begin; alloc 1 1n 16 '"queue":"debug","duration":60'; alloc 2 1) >&4
    wait_lines 5 out
    same "$(cat kvs/1.json)" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3"}}],"nodelist":["n0"],"starttime":1000,"expiration":1060},"attributes":{"system":{"scheduler":{"queue":"debug"}}}}'
    (free 2; expire 5 1 2000) >&4
    wait_lines 7 out
    same "$(ls kvs)" 1.json
    same "$(jq -c '.execution.expiration, .attributes' kvs/1.json)" \
        '2000
{"system":{"scheduler":{"queue":"debug"}}}'
    ends 0
}

@test "--kvs: a folder belongs to one service at a time, while it lives" {
    mkdir kvs
    start rset-alloc serve --kvs kvs
    (begin; alloc 1 1n) >&4
    wait_lines 4 out
    run -2 --separate-stderr rset-alloc serve --kvs kvs <<<"$(grow 0-3 0-3 '')"
    [[ $stderr == "rset-alloc: kvs: another service uses it: process $pid on "* ]]
    [ -z "$output" ]
    same "$(ls kvs)" 1.json
    kill -9 "$pid"
    ends 137
    (grow 0-3 0-3 ''; hello 2) | rset-alloc serve --kvs kvs >out 2>err
    logged 'kvs: removed the R of jobs unknown to the job manager: 1'
}

# loses_folder COMMAND: COMMAND removes the folder of a running service.
loses_folder() {
    rm -rf kvs old lines out err
    mkdir kvs
    start rset-alloc serve --kvs kvs
    (begin; alloc 1 1n) >&4
    wait_lines 4 out
    eval "$1"
    alloc 2 1n >&4
    ends 2
    logged "kvs: $2"
    same "$(wc -l <out)" 4
}

@test "--kvs: a service without its folder gives no resources away" {
    local moved='it, or .lease in it, was removed, renamed or replaced while the service used it'
    loses_folder 'rm -r kvs' 'No such file or directory'
    loses_folder 'mv kvs old' "$moved"
    loses_folder 'mv kvs old; mkdir kvs' "$moved"
    loses_folder 'rm kvs/.lease' "$moved"
}

@test "--store: R names the queue, from the store and after a restart" {
    start rset-alloc serve --store s.db --now 1000
    (begin; alloc 1 1n 16 '"queue":"debug"'; alloc 2 1) >&4
    wait_lines 5 out
    queue='{"system":{"scheduler":{"queue":"debug"}}}'
    same "$(rset-alloc allocated 1 --store s.db | jq -c .attributes)" "$queue"
    same "$(rset-alloc allocated 2 --store s.db | jq -c .attributes)" null
    same "$(rset-alloc jobs --columns job,queue --store s.db)" 'JOB  QUEUE
1    debug
2    -'
    ends 0
    rset-alloc save --store s.db >all.json
    same "$(jq -c '[.attributes.system.scheduler.allocations[].queue]' \
        all.json)" '["debug",null]'
    rset-alloc load all.json --store again.db
    rset-alloc save --store again.db | same "$(cat)" "$(cat all.json)"
    rset-alloc allocated 1 all.json >hello.json
    same "$(jq -c .attributes hello.json)" "$queue"
    rset-match -o jgf all.json | rset-alloc allocated 1 -o r |
        same "$(jq -c .attributes)" "$queue"
}

@test "--kvs: an R that can't be written has no answer, and no half file is left" {
    preloads failing_io
    mkdir kvs
    rset-match -N1 r.json >1.json
    (grow 0-3 0-3 ''; hello 2 1; free 1; alloc 2 2n; expire 5 2 2000) >in
    disturbed() { # FAULT CALL: sets status
        cp 1.json kvs
        status=0
        LD_PRELOAD=$shim IO_DO=$1 IO_AT=$2 IO_LASTS=1 IO_LOG=log \
            rset-alloc serve --kvs kvs --now 1000 <in >out 2>err || status=$?
    }
    disturbed kill 0
    same "$(sed '$d' log | uniq)" 'open .lease
truncate .lease
write .lease
unlink 1.json
open 2.tmp
write 2.tmp
sync 2.tmp
rename 2.json
sync kvs'
    calls=$(sed '$d' log | wc -l)
    for what in kill torn ENOSPC; do
        for ((call = 1; call <= calls; call++)); do
            rm -f kvs/*
            disturbed $what $call
            [ ! -s out ]
            if [ $what = ENOSPC ]; then
                [ $status = 2 ]
                [[ $(<err) =~ ^'rset-alloc: kvs: '(.lease: )?'No space left on device'$ ]]
            else
                [ $status = 137 ]
            fi
            rset-match -o ranks kvs/*.json >ranks || [ ! -e kvs/2.json ]
        done
    done
    # the next service removes what the last one left
    (grow 0-3 0-3 ''; hello 2) | rset-alloc serve --kvs kvs --now 1000 >out
    same "$(ls kvs)" ''
}

# --- the clock of a test ------------------------------------------------------

@test "--clock messages: time is what sched.clock says, and does not go back" {
    (begin
        send clock '{"now":100}'
        alloc 1 1n 16 '"duration":50'
        send clock '{"now":99.5}' 7
        send clock '{"now":"soon"}' 8
        send clock '{"now":-1}' 9
        send clock '{}'
        send clock '{"now":150.25}' 10
        alloc 2 1n 16 '"duration":50') | rset-alloc serve --store s --clock messages >out 2>err
    same "$(jq -c 'select(.matchtag >= 7) | [.matchtag, .errnum, .errstr]' out)" \
        '[7,22,"now: 99.5 is before 100"]
[8,22,"now: a number of seconds is expected"]
[9,22,"now: -1 is before 100"]
[10,null,null]'
    logged 'sched.clock: now: 99.5 is before 100' \
        'sched.clock: now: a number of seconds is expected' \
        'sched.clock: now: -1 is before 100' \
        'sched.clock: now: a number of seconds is expected'
    same "$(rset-alloc jobs --store s --now 160 -o json |
        jq -c '.[] | [.job, .start, .end]')" '[1,100,150]
[2,150.25,200.25]'
}

@test "--clock messages: jobs start when the resources begin" {
    rset-discover --hosts 'node[0-3]' --cores 0-3 --at 500 >set.json
    (refuse job-manager.sched-hello 1 61
        answer job-manager.sched-ready 2 '{"count":0}'
        alloc 1 1n
        send clock '{"now":499}'
        send clock '{"now":500}') |
        rset-alloc serve --resources set.json --store s --clock messages >out
    same "$(brief)" '1 waits: the set starts later (1970-01-01T00:08:20Z)
1 waits: null
1 has rank0/core[0-3]'
}

@test "--clock messages: what comes at one moment is served together" {
    # whichever job is freed first, job 4 starts; job 3 alone would fit before
    for first in 1 2; do
        rm -f s*
        (begin; alloc 1 2n; alloc 2 2n; send clock '{"now":10}'
            alloc 3 2n 1; alloc 4 4n
            free $first; free $((3 - first))) |
            rset-alloc serve --store s --clock messages >out
        same "$(brief)" '1 has rank[0-1]/core[0-3]
2 has rank[2-3]/core[0-3]
'"$first freed
$((3 - first)) freed"'
4 has rank[0-3]/core[0-3]
3 waits: need 2 nodes with 4 cores: none available'
    done
}

@test "sched.clock is unknown without --clock messages" {
    same "$( (begin; send clock '{"now":1}' 7) | served >/dev/null
        jq -c 'select(.matchtag == 7) | .errnum' out)" 38
    refused "rset-alloc: --clock: \"wall\": expected messages (try 'rset-alloc serve --help')" \
        rset-alloc serve --store s --clock wall
}

# --- easy and conservative ----------------------------------------------------

# whole ID NODES DURATION [PRIORITY [QUEUE]]: a job of whole nodes.
whole() {
    send alloc "{\"id\":$1,\"priority\":${4:-16},\"userid\":5,\"t_submit\":$1,\"jobspec\":{\"version\":1,
        \"resources\":[{\"type\":\"node\",\"count\":$2,\"exclusive\":true,\"with\":[
        {\"type\":\"slot\",\"count\":1,\"label\":\"s\",\"with\":[{\"type\":\"core\",\"count\":1}]}]}],
        \"tasks\":[{\"command\":[\"a\"],\"slot\":\"s\",\"count\":{\"per_slot\":1}}],
        \"attributes\":{\"system\":{\"duration\":$3${5:+,\"queue\":\"$5\"}}}}}" | tr -d '\n'
    echo
}
at() {
    send clock "{\"now\":$1}"
}

# slots ID N CORES DURATION [PRIORITY]: a job of slots with some cores each.
slots() {
    send alloc "{\"id\":$1,\"priority\":${5:-16},\"userid\":5,\"t_submit\":0,\"jobspec\":{\"version\":1,
        \"resources\":[{\"type\":\"slot\",\"count\":$2,\"label\":\"s\",\"with\":[{\"type\":\"core\",\"count\":$3}]}],
        \"tasks\":[{\"command\":[\"a\"],\"slot\":\"s\",\"count\":{\"per_slot\":1}}],
        \"attributes\":{\"system\":{\"duration\":$4}}}}" | tr -d '\n'
    echo
}

# backfilled ARG...: starts, and estimates as they change, of a service with the
# clock of messages, in which each line is a moment; the log is in err.
backfilled() {
    sed 's/$/\n{"topic":"sched.ping"}/' |
        rset-alloc serve --store s --clock messages "$@" >out 2>err
    jq -r 'select(.topic == "sched.alloc").payload |
        .annotations.sched as $s |
        if .type == 0 then "\(.id) has \($s.resource_summary) \($s.selection_type)"
        elif .type == 1 and ($s | has("t_estimate")) then
            "\(.id) at \($s.t_estimate)\($s.selection_type | if . then " " + . else "" end)"
        elif .type == 1 then empty
        else "\(.id) \(.note // "canceled")" end' out
}

@test "easy: jobs overtake the first one that waits only if they do not delay it" {
    same "$( (begin; whole 1 3 100; whole 2 4 50
        whole 3 1 101 # would end too late
        whole 4 1 100
        whole 5 1 10; at 100; free 1; free 4; at 140; free 2) | backfilled --queue-policy easy)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100 reserved
4 has rank3/core[0-3] backfilled
2 has rank[0-3]/core[0-3] immediate
3 at 150 reserved
3 has rank0/core[0-3] immediate
5 has rank1/core[0-3] immediate'
    # SUCCESS takes the estimate back
    same "$(jq -c 'select(.payload.id == 2 and .payload.type == 0).payload.annotations.sched' out)" \
        '{"resource_summary":"rank[0-3]/core[0-3]","reason_pending":null,"t_estimate":null,"selection_type":"immediate"}'
    rm s*
    # a reason names the reservation, and does not count the job's own
    same "$( (begin; whole 1 3 100; whole 2 4 50; whole 3 1 300 16 b) |
        backfilled --queue-policy easy)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100 reserved
3 at 150 reserved'
    same "$(jq -r 'select(.payload.id == 3).payload.annotations.sched.reason_pending // empty' out)" \
        'it would delay job 2 (at 1970-01-01T00:01:40Z)'
}

@test "the clock: what is served in one look has one time, so no promise slips" {
    {
        echo "$alone"
        whole 1 1 100
        whole 2 4 50
        whole 3 1 100
        whole 4 2 100
    } >in
    rset-alloc serve --resources r.json --dialect current --queue-policy easy <in >out
    jq -c '.payload | .R.execution.expiration, .annotations.sched.t_estimate |
        values | . * 1e6 | round' out >ends
    same "$(wc -l <ends; uniq ends | wc -l)" $'4\n1'
}

@test "easy: the first job of each queue has a reservation" {
    same "$( (begin; whole 1 3 100; whole 2 4 50 16 a; whole 3 4 60 16 b
        whole 4 1 300 16 c; whole 5 1 100 16 c) | backfilled --queue-policy easy)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100 reserved
3 at 150 reserved
4 at 210 reserved
5 has rank3/core[0-3] backfilled'
    rm -f s*
    same "$( (begin; whole 1 3 100; whole 2 4 50 16 a; whole 3 4 60 16 b) |
        backfilled --queue-policy easy --queues joined)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100 reserved'
}

@test "easy: a job waits for nodes of a pool of four" {
    jq -nc '{graph: {nodes: [{id: "0", metadata: {type: "node", size: 4}},
        {id: "1", metadata: {type: "core", size: 16}}],
        edges: [{source: "0", target: "1"}]}}' >pool.json
    same "$( (echo "$alone"; whole 1 2 100; whole 2 1 200; whole 3 1 300
        whole 4 3 50) | backfilled --resources pool.json --queue-policy easy)" \
        '1 has  immediate
2 has  immediate
3 has  immediate
4 at 200 reserved'
}

@test "conservative: each of the first jobs that wait has a time, and none is delayed" {
    same "$( (begin; whole 1 3 100; whole 2 4 50; whole 3 2 100; whole 4 2 200
        whole 5 1 90; whole 6 1 101; at 60; free 1; free 5) |
        backfilled --queue-policy conservative)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100 reserved
3 at 150 reserved
4 at 150 reserved
5 has rank3/core[0-3] backfilled
6 at 250 reserved
2 at 90
3 at 140
4 at 140
6 at 240
2 has rank[0-3]/core[0-3] immediate
3 at 110
4 at 110
6 at 210'
    rm -f s*
    same "$( (begin; whole 1 3 100; whole 2 4 50; whole 3 2 100; whole 4 2 200) |
        backfilled --queue-policy conservative --reservation-depth 2)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100 reserved
3 at 150 reserved'
}

@test "a reservation has a number of cores; which ones, is decided at its start" {
    R 0 >one.json
    # if job 4 had its cores, 0 to 2, job 5 would have none for 150 s at 250
    same "$( (echo "$alone"; alloc 1 4 16 '"duration":150'; alloc 2 2 16 '"duration":100'
        alloc 3 2 16 '"duration":200'; alloc 4 3 16 '"duration":300'
        alloc 5 1 16 '"duration":150'; at 150; free 1; at 250; free 2
        at 350; free 3) | backfilled --resources one.json --queue-policy conservative)" \
        '1 has rank0/core[0-3] immediate
2 at 150 reserved
3 at 150 reserved
4 at 350 reserved
5 at 250 reserved
2 has rank0/core[0-1] immediate
3 has rank0/core[2-3] immediate
5 has rank0/core0 backfilled
4 has rank0/core[1-3] immediate'
    rm s*
    # nor may one that takes a whole socket for its core
    jq -nc '{graph: {nodes: ([{id: "n", metadata: {type: "node", rank: 0}}]
        + [range(2) | {id: "s\(.)", metadata: {type: "socket", id: .}}]
        + [range(4) | {id: "c\(.)", metadata: {type: "core", id: .}}]),
        edges: ([range(2) | {source: "n", target: "s\(.)"}]
        + [range(4) | {source: "s\(. / 2 | floor)", target: "c\(.)"}])}}' >sockets.json
    same "$( (echo "$alone"; alloc 1 2 16 '"duration":100'; alloc 2 3 16 '"duration":50'
        alloc 3 1 16 '"duration":500' | jq -c '.payload.jobspec.resources[].with |=
            [{type: "socket", count: 1, with: .}]'
        at 100; free 1) | backfilled --resources sockets.json --queue-policy easy)" \
        '1 has rank0/core[0-1] immediate
2 at 100 reserved
2 has rank0/core[0-2] immediate
3 at 150 reserved'
}

@test "a reservation moves for a job of higher priority, and is logged" {
    same "$( (begin; whole 1 3 100; whole 2 4 50; whole 3 2 80 20
        send prioritize '{"jobs":[[2,30]]}') |
        backfilled --queue-policy conservative --log-level debug)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100 reserved
3 at 100 reserved
2 at 180
2 at 100
3 at 150'
    same "$(grep -o 'job 2: reserved.*' err)" 'job 2: reserved from 1970-01-01T00:01:40Z
job 2: reserved from 1970-01-01T00:03:00Z
job 2: reserved from 1970-01-01T00:01:40Z'
}

@test "a job past its end is expected to go at any moment" {
    same "$( (begin; whole 1 3 100; whole 2 4 50; at 120
        whole 3 1 5 # would delay job 2
        at 130; free 1) | backfilled --queue-policy easy)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100 reserved
2 at 120
2 has rank[0-3]/core[0-3] immediate
3 at 180 reserved'
}

@test "fcfs: the first jobs of each queue are told when they may start" {
    jobs() {
        begin; whole 1 3 100; whole 2 4 50; whole 3 2 60; whole 4 2 10; whole 5 1 0
        whole 6 4 10; whole 7 1 500 16 b; whole 8 2 10 16 b; at 20; free 1
    }
    # job 6 waits for an endless one; queue b does not wait for the other
    same "$(jobs | backfilled)" '1 has rank[0-2]/core[0-3] null
2 at 100
3 at 150
4 at 150
5 at 160
7 has rank3/core[0-3] null
2 at 500
3 at 550
4 at 550
5 at 560
8 at 100
8 has rank[0-1]/core[0-3] null'
    rm -f s*
    same "$(jobs | backfilled --estimates 1 | grep at)" '2 at 100
2 at 500
8 at 100'
    rm -f s*
    same "$(jobs | backfilled --estimates 0 | grep -c at)" 0
    # beside queues with reservations: job 3 comes after job 2's
    rm -f s*
    same "$( (begin; whole 1 4 100; whole 2 4 50; whole 3 3 20 16 b; whole 4 4 10 16 b) |
        backfilled --queue-policy easy,b=fcfs)" '1 has rank[0-3]/core[0-3] immediate
2 at 100 reserved
3 at 150
4 at 170'
    refused "rset-alloc: --estimates: \"x\": expected a number from 0 to 1000000 (try 'rset-alloc serve --help')" \
        rset-alloc serve --store s --estimates x
    refused "rset-alloc: --estimates needs a queue under fcfs (try 'rset-alloc serve --help')" \
        rset-alloc serve --store s --estimates 1 --queue-policy easy
}

@test "SIGTERM ends a look at the queues that would take minutes" {
    rset-discover --hosts 'n[0-999]' --cores 0-47 >large.json
    request() {
        alloc %d 1 16 '"duration":%d,"queue":"q%d"' |
            sed 's/"type":"slot","count":1/"type":"slot","count":%d/; s/"core","count":1/"core","count":%d/'
    }
    (echo "$alone"; awk -v request="$(request)" 'BEGIN {
        for (i = 1; i <= 6000; i++)
            printf request "\n", i, 1 + i * i % 997, 25 + i % 24, 1000 + i, i % 1000
    }'; send ping '{}' 9) >lines.json
    start rset-alloc serve --resources large.json --kvs . --clock messages --queue-policy easy
    cat lines.json >&4
    sleep 0.3 # it has begun, most likely
    kill -TERM "$pid"
    ends 0
    [ "$(jq -c 'select(.matchtag == 9)' out)" = '' ]
}

@test "a restart keeps the promised times, with a store" {
    # job 3 is first now, but job 2 keeps the time that it was promised
    same "$( (begin; whole 1 3 100; whole 2 4 50; whole 3 4 60
        send prioritize '{"jobs":[[2,1]]}') | backfilled --queue-policy conservative)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100 reserved
3 at 150 reserved'
    (grow 0-3 0-3 ''; hello 2 1; whole 3 4 60; whole 4 1 100; whole 2 4 50 1) >again
    rset-alloc serve --store s --clock messages --queue-policy conservative <again >out
    same "$(jq -c '.payload.annotations.sched | select(.t_estimate).t_estimate' out | paste -sd ' ')" \
        '150 100'
    same "$(brief | grep has)" '4 has rank3/core[0-3]'
}

# again ARG...: with a store, end the service, and send requests once more, which
# come from standard input; then a ping.
again() {
    (cat; send ping '{}') >again
    rset-alloc serve --store s --clock messages "$@" <again >out
}

@test "reservations find places in another order if one finds none" {
    rset-discover --hosts 'n[0-1]' --cores 0-2 >set.json
    # after a restart: job 4 comes first, but job 2 needs its node
    (echo "$alone"; slots 1 2 2 10; slots 2 1 3 10; slots 3 1 1 20; slots 4 1 1 20
        send prioritize '{"jobs":[[2,1]]}'; at 1) |
        backfilled --resources set.json --queue-policy conservative >was
    same "$(grep -c 'at 10' was)" 2
    (hello 1 1 3; slots 4 1 1 20; slots 2 1 3 10 1) |
        again --resources set.json --queue-policy conservative
    same "$(jq -c '.payload | select(.annotations.sched.t_estimate) |
        [.id, .annotations.sched.t_estimate]' out | sort)" '[2,10]
[4,10]'
    # job 3 is a second late, so job 11 is, and takes another place than job 6
    rm s*
    rset-discover --hosts 'n[0-2]' --cores 0-3 >set.json
    same "$( (echo "$alone"; slots 1 3 1 200; slots 2 2 3 200; slots 3 1 1 10
        slots 4 3 1 10; slots 5 2 2 100; slots 6 2 3 10; slots 11 1 1 200; at 10
        at 11; free 3; at 20; at 21; free 4; at 200; free 1; free 2) |
        backfilled --resources set.json --queue-policy conservative |
        grep '^6')" '6 at 200 reserved
6 has rank[0-1]/core[0-2] immediate'
}

@test "easy: a job starts on other nodes if reservations then have places" {
    rset-discover --hosts 'n[0-3]' --cores 0-3 >set.json
    same "$( (echo "$alone"; slots 1 2 3 10; slots 2 3 1 10; slots 3 2 2 20
        slots 7 3 3 10; at 5; free 1; slots 10 2 2 20; slots 11 1 1 10; at 10
        free 2) | backfilled --resources set.json --queue-policy easy |
        grep '^10')" '10 has rank1/core[0-3] backfilled'
}

@test "jobs that waited before a restart are not new after it" {
    # job 74 has ended in between: job 3 starts, and job 2 does not delay it
    waiting() { whole 1 4 50 16 a; whole 2 1 100 16 a; whole 3 2 100 16 b; }
    same "$( (begin; whole 60 2 241 31; whole 74 2 44 31; waiting) |
        backfilled --queue-policy easy | grep ' at ')" '1 at 241 reserved
3 at 44 reserved'
    (grow 0-3 0-3 ''; hello 2 60; waiting) | again --queue-policy easy
    same "$(brief | grep has)" '3 has rank[2-3]/core[0-3]'
    # a service that ends before the requests come keeps the times
    rm s*
    waiting() { whole 2 4 100; whole 3 4 20; }
    same "$( (begin; send reserve '{"name":"w","targets":"0","start":50,"end":200}' 7
        whole 1 4 10 31; waiting; send unreserve '{"name":"w"}' 8) |
        backfilled --queue-policy conservative | tail -n 3)" \
        '2 at 200 reserved
3 at 10 reserved
2 at 30'
    (grow 0-3 0-3 ''; hello 2 1 | sed 's/"count":0/"count":2/') |
        again --queue-policy conservative
    (grow 0-3 0-3 ''; hello 2 1; waiting) | again --queue-policy conservative
    same "$(jq -c '.payload | select(.annotations.sched.t_estimate) |
        [.id, .annotations.sched.t_estimate]' out)" '[2,30]
[3,10]'
    # a job that loses its reservation to others has a reason
    rm s*
    (begin; whole 1 3 10; whole 2 4 20 1) | backfilled --queue-policy easy
    (grow 0-3 0-3 ''; hello 2 1; whole 2 4 20 1; whole 3 2 50 31; whole 4 4 20 31) |
        again --queue-policy easy
    same "$(brief | grep '^2')" '2 waits: it is behind other jobs in the queue'
    rset-alloc jobs -o json --job-state pending --store s >waiting
    same "$(jq -c 'map(.job)' waiting)" '[2,3,4]'
    # job 5 has the node that is free first, though job 4 comes before it
    rm s*
    node() { alloc "$1" 1n 16 "\"duration\":$2,\"queue\":\"${3-a}\""; }
    waiting() { node 4 20; node 5 200 b; }
    same "$( (grow 0-1 0-1 ''; hello 2; node 1 10; node 2 300; node 3 100; waiting
        at 10; free 1) | backfilled --queue-policy easy | grep '^[45] at')" \
        '5 at 110 reserved
4 at 300 reserved'
    (grow 0-1 0-1 ''; hello 2 2 3; waiting) | again --queue-policy easy --now 10
    same "$(jq -c '.payload | select(.annotations.sched.t_estimate) |
        [.id, .annotations.sched.t_estimate]' out)" '[4,300]
[5,110]'
}

@test "--reservation-slack: a job that is freed late costs seconds, not hours" {
    late() {
        rm -f s*
        (grow 0-2 0-2 ''; hello 2; whole 1 2 100; whole 2 1 200
            whole 3 3 10000 16 long; whole 4 2 100 16 short; at 101; free 1) |
            backfilled --queue-policy easy "$@" | tail -n +5
    }
    same "$(late)" '3 at 260
4 at 101
4 has rank[0-1]/core[0-3] immediate
3 at 201'
    same "$(late --reservation-slack 0.5)" '4 at 10200'
    same "$(late --reservation-slack 1s)" '3 at 201
4 at 101
4 has rank[0-1]/core[0-3] immediate'
    try="(try 'rset-alloc serve --help')"
    refused "rset-alloc: --reservation-slack needs --queue-policy easy or conservative $try" \
        rset-alloc serve --store s --reservation-slack 3
    refused "rset-alloc: --reservation-slack: \"soon\": expected a duration: 90, 1.5h, 1h30m, [DAYS-]HH:MM:SS $try" \
        rset-alloc serve --store s --queue-policy easy --reservation-slack soon
}

@test "while a job is late, times change once in each slack" {
    late() {
        rm -f s*
        (begin; whole 1 4 100; whole 2 4 50; whole 3 4 50; at 100; at 101; at 110
            whole 4 4 50; at 159; at 161; at 175; free 1; at 224; free 2) |
            backfilled --queue-policy conservative "$@"
    }
    same "$(late)" '1 has rank[0-3]/core[0-3] immediate
2 at 100 reserved
3 at 150 reserved
2 at 101
3 at 210
4 at 260 reserved
2 at 161
3 at 230
4 at 280
2 has rank[0-3]/core[0-3] immediate
3 at 225
4 at 275
3 has rank[0-3]/core[0-3] immediate
4 at 274'
    same "$(late --reservation-slack 0 | grep -c '^3 at')" 6
}

@test "who could get no other time does not yield to a job that had none" {
    cores() { alloc "$1" "$2" "$4" "\"duration\":$3"; } # ID CORES DURATION PRIORITY
    # job 11 is endless; job 3 fits before it only in place of job 6
    same "$( (grow 0 0 ''; hello 2; cores 8 1 87 31; cores 12 2 15 31; cores 11 4 0 31
        cores 3 4 43 16; cores 6 2 50 16; free 8) |
        backfilled --queue-policy conservative)" \
        '8 has rank0/core0 immediate
12 has rank0/core[1-2] immediate
11 at 87 reserved
6 at 15 reserved
6 has rank0/core[0,3] backfilled
11 at 50'
}

@test "--node-exclusive: slots of cores are counted as the nodes that they take" {
    slots() { # ID N DURATION: slots of a core
        alloc "$1" 1 16 "\"duration\":$3" | sed "s/\"count\":1,\"label\"/\"count\":$2,\"label\"/"
    }
    same "$( (begin; at 10; slots 1 8 20; at 13; slots 2 7 20; slots 3 9 200; slots 4 4 20) |
        backfilled --queue-policy conservative --node-exclusive)" \
        '1 has rank[0-1]/core[0-3] immediate
2 has rank[2-3]/core[0-3] immediate
3 at 33 reserved
4 at 30 reserved'
}

@test "easy: a job starts on any units that leave a place for the reservation" {
    echo '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-1"}},
        {"rank":"1","children":{"core":"0-3"}}],"nodelist":["n[0-1]"]}}' >two.json
    cores() { # ID NODES CORES DURATION: cores in each node
        alloc "$1" "$2n" 16 "\"duration\":$4" | sed "s/\"core\",\"count\":4/\"core\",\"count\":$3/"
    }
    # job 6 fits on n0 first, where job 2 has to have both cores
    same "$( (echo "$alone"; cores 1 1 1 200; cores 2 2 2 10; cores 3 1 1 10
        cores 4 1 1 10; cores 5 1 3 100; at 10; free 3; free 4; cores 6 1 1 200) |
        backfilled --queue-policy easy --resources two.json | tail -n 1)" \
        '6 has rank1/core0 backfilled'
}

@test "a late job delays only reservations that can't be kept" {
    # job 4 waits for jobs 3 and 5; jobs of n3 are late and move by the slack
    same "$( (begin; for job in '1 2 200' '2 1 280' '3 1 10' '4 2 200' '5 1 10' \
        '6 1 10' '11 1 100 16 b' '12 1 10 16 b' '13 1 10 16 b'; do
        # shellcheck disable=SC2086 # words
        whole $job
    done | sed 's/"queue":"b"/"constraints":{"hostlist":["n3"]}/
        t; s/"system":{/&"constraints":{"hostlist":["n[0-2]"]},/'; at 100; at 101) |
        backfilled --queue-policy conservative)" \
        '1 has rank[0-1]/core[0-3] immediate
2 has rank2/core[0-3] immediate
3 at 200 reserved
4 at 210 reserved
5 at 200 reserved
6 at 280 reserved
11 has rank3/core[0-3] backfilled
12 at 100 reserved
13 at 110 reserved
12 at 101
13 at 170'
}

@test "a job that can't be given a time has no reservation, and delays nobody" {
    same "$( (begin; whole 1 3 0; whole 2 4 50; whole 3 2 50; whole 4 1 0) |
        backfilled --queue-policy easy)" \
        '1 has rank[0-2]/core[0-3] immediate
4 has rank3/core[0-3] backfilled'
}

@test "a job gets its time before those behind it as soon as one is possible" {
    # on_0 JOB NODES DURATION PRIORITY: on rank 0 only
    on_0() {
        whole "$@" | sed 's/"duration"/"constraints":{"ranks":["0"]},&/'
    }
    # job 2 would take nodes 0 to 2 for ever, and then takes nodes 1 to 3
    same "$( (grow 0-3 1-3 0; hello 2; whole 1 2 10; whole 2 3 0 1; on_0 3 1 30 20
        becomes online 0; on_0 4 1 20 10; at 5) | backfilled --queue-policy conservative)" \
        '1 has rank[1-2]/core[0-3] immediate
2 at 10 reserved
3 has rank0/core[0-3] immediate
4 at 30 reserved'
}

@test "a late job that is freed costs its lateness, and no more" {
    # job 3 could start before job 1, if that stayed behind the slack of job 2
    game() {
        grow 0-1 0-1 ''; hello 2; whole 10 1 83; whole 11 1 19; at 1; whole 1 2 174; whole 2 1 58; at 19
        whole 3 1 57; at 20; free 11; at 84; free 10; at 85; free 2
    }
    same "$(game | backfilled --queue-policy conservative | grep -v '3 at')" \
        '10 has rank0/core[0-3] immediate
11 has rank1/core[0-3] immediate
1 at 83 reserved
2 at 19 reserved
1 at 137
2 at 20
2 has rank1/core[0-3] backfilled
1 at 83
1 at 84
1 has rank[0-1]/core[0-3] immediate'
}

@test "a reservation moves behind one that is late, at any time of a ping" {
    for ping in '' 'at 110'; do
        same "$( (grow 0-1 0-1 ''; hello 2; whole 1 1 100; whole 2 1 130; at 1
            whole 3 2 1000; at 2; whole 4 1 30; at 100; $ping; at 130; free 2
            at 131; free 1) | backfilled --queue-policy conservative | tail -n 2)" \
            '4 has rank1/core[0-3] backfilled
3 at 160'
        rm s*
    done
}

@test "a reservation yields when a node comes back that the first job needs" {
    game() {
        grow 0-1 0 1; hello 2; whole 1 1 100 20; whole 9 2 50; whole 10 1 1000
        at 10; becomes online 1
    }
    same "$(game | backfilled --queue-policy easy)" '1 has rank0/core[0-3] immediate
10 at 100 reserved
10 at null
9 at 100 reserved'
    same "$(game | backfilled --queue-policy conservative)" '1 has rank0/core[0-3] immediate
10 at 100 reserved
9 at 100 reserved
10 at 150'
}

@test "easy: a reason counts what is free at the moment, whatever is reserved later" {
    # job 2 has reserved all nodes at 100, and job 3 would need them until 200
    (begin; whole 1 1 100; alloc 2 4n 16 '"duration":50'; whole 3 4 200 16 b) |
        backfilled --queue-policy easy >/dev/null
    same "$(jq -r 'select(.payload.type == 1).payload | "\(.id) \(.annotations.sched.reason_pending // empty)"' out)" \
        '2 need 4 nodes with 4 cores: 3 available
3 need 4 whole nodes: 3 available'
}

@test "a reservation has nodes that a window of the site takes soon, if it ends before" {
    (grow 0-1 0-1 ''; hello 2; whole 1 2 100; whole 2 1 50; whole 3 1 200
        send reserve '{"name":"w","targets":"1","start":250,"end":260}' 7
        at 100; free 1) | backfilled --queue-policy conservative >said
    same "$(cat said)" '1 has rank[0-1]/core[0-3] immediate
2 at 100 reserved
3 at 100 reserved
2 has rank1/core[0-3] immediate
3 has rank0/core[0-3] immediate'
}

@test "a reservation behind a late job may end when a window of the site begins" {
    # without job 4, job 5 fits just after now, until the very beginning
    some='"count":{"min":1,"max":2,"operator":"+","operand":1},"label"'
    same "$( (grow 0 0 ''; hello 2; alloc 1 4 16 '"duration":100'
        send reserve '{"name":"maint","targets":"0","start":120,"end":200}'
        alloc 4 4 20 '"duration":2'; alloc 5 4 16 '"duration":10' |
            sed "s/\"count\":1,\"label\"/$some/"; at 110; cancel 4) |
        backfilled --queue-policy conservative)" '1 has rank0/core[0-3] immediate
4 at 100 reserved
5 at 102 reserved
4 at 110
5 at 200
4 canceled
5 at 110'
}

@test "no reservation is promised a time at which a window takes its nodes" {
    # numbers alone would say that two nodes are free from now on
    same "$( (begin; whole 9 2 50
        send reserve '{"name":"maint","targets":"2-3","start":90,"end":500}'
        whole 1 2 100; whole 2 2 20) | backfilled --queue-policy easy)" \
        '9 has rank[0-1]/core[0-3] immediate
1 at 50 reserved
2 has rank[2-3]/core[0-3] backfilled'
}

@test "a reservation is for a time, not for particular nodes" {
    # job 3 would need nodes 0 and 1; job 4 takes one, as node 2 or 3 will do
    same "$( (begin; whole 1 2 100; whole 2 2 50; whole 3 2 40; free 2; whole 4 1 200
        whole 5 1 30; whole 6 1 60) | backfilled --queue-policy conservative)" \
        '1 has rank[0-1]/core[0-3] immediate
2 has rank[2-3]/core[0-3] immediate
3 at 50 reserved
3 has rank[2-3]/core[0-3] immediate
4 at 40 reserved
5 at 40 reserved
6 at 70 reserved'
}

@test "a reservation that another job gets instead is logged" {
    (begin; whole 1 4 100; whole 2 4 50; whole 3 4 50 20) |
        backfilled --queue-policy easy --log-level debug >said
    same "$(cat said)" '1 has rank[0-3]/core[0-3] immediate
2 at 100 reserved
2 at null
3 at 100 reserved'
    grep -qx 'rset-alloc: job 2: not reserved any more' err
}

@test "a reservation of slots closes no units that it does not need" {
    # slots JOB N DURATION: N slots of one core
    slots() {
        alloc "$1" 1 16 "\"duration\":$3" |
            sed 's/"type":"slot","count":1/"type":"slot","count":'"$2/"
    }
    rset-discover --hosts n0 --cores 0-3 >one.json
    # a core is idle, and job 5 would end late; job 4 gets another one in time
    same "$( (echo "$alone"; slots 1 1 10; slots 2 2 100; slots 3 1 1000; at 10; free 1
        slots 4 2 50; slots 5 1 5000) | backfilled --resources one.json --queue-policy easy)" \
        '1 has rank0/core0 immediate
2 has rank0/core[1-2] immediate
3 has rank0/core3 immediate
4 at 100 reserved
5 has rank0/core0 backfilled'
}

@test "--queue-parent: jobs of virtual queues wait in their parent" {
    same "$( (begin; whole 1 3 100; whole 2 4 50 16 b; whole 3 1 10 16 debug
        whole 4 1 10 16 c) | backfilled --queue-policy fcfs --queue-parent debug=b)" \
        '1 has rank[0-2]/core[0-3] null
2 at 100
3 at 150
4 has rank3/core[0-3] null'
    rm s*
    # each real queue has one reservation
    same "$( (begin; whole 1 3 100; whole 2 4 50 16 b; whole 3 4 10 16 debug
        whole 4 4 10 16 c) | backfilled --queue-policy easy --queue-parent debug=b)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100 reserved
4 at 150 reserved'
    while IFS='|' read -r words fault; do
        # shellcheck disable=SC2086 # words
        refused "rset-alloc: --queue-parent: $fault (try 'rset-alloc serve --help')" \
            rset-alloc serve --resources r.json $words
    done <<'END'
--queue-parent a|names of a queue and its parent are expected
--queue-parent =b|names of a queue and its parent are expected
--queue-parent a=a|"a" would be its own parent
--queue-parent a=b --queue-parent a=c|"a" has two parents
--queue-parent a=b --queue-parent b=c|"b" is a parent, and has one
--queue-policy easy,a=fcfs --queue-parent a=b|"a" has a policy, but its jobs wait in "b"
END
}

@test "--queue-policy: queues with policies of their own" {
    same "$( (begin; whole 1 3 100; whole 2 4 50 16 a; whole 3 4 60 16 b
        whole 4 1 300 16 b; whole 5 4 70 16 c; whole 6 4 80 16 c
        whole 7 1 100 16 c; whole 8 2 10; send stats-get '{}' 9) |
        backfilled --queue-policy easy,b=fcfs,c=conservative:1)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100 reserved
3 at 150
4 at 210
5 at 150 reserved
7 has rank3/core[0-3] backfilled
3 at 220
4 at 280
8 at 220 reserved'
    same "$(jq -r 'select(.matchtag == 9).payload."queue-policy"' out)" \
        easy,b=fcfs,c=conservative:1
    # a queue that is fcfs goes on as soon as its first job is gone
    rm s*
    same "$( (begin; whole 1 3 100; whole 2 4 50 16 b; whole 3 1 50 16 b; cancel 2
        whole 4 2 50 17 b; whole 5 1 10 16 b
        send prioritize '{"jobs":[[4,1]]}'; at 50; free 3; at 60; free 5) |
        backfilled --queue-policy easy,b=fcfs --log-level debug)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100
3 at 150
2 canceled
3 has rank3/core[0-3] null
4 at 100
5 at 100
5 at 50
5 has rank3/core[0-3] null'
    rm s*
    # joined queues follow the first policy
    same "$( (begin; whole 1 3 100; whole 2 4 50 16 b) |
        backfilled --queue-policy easy,b=fcfs --queues joined)" \
        '1 has rank[0-2]/core[0-3] immediate
2 at 100 reserved'
    while IFS='|' read -r policy fault; do
        refused "rset-alloc: --queue-policy: $fault (try 'rset-alloc serve --help')" \
            rset-alloc serve --resources r.json --queue-policy "$policy"
    done <<'END'
easy,fcfs|a queue without a name has two policies
a=easy,a=easy|"a" has two policies
=easy|a name is expected before "="
a=lifo|"lifo": expected fcfs, easy or conservative
a=easy,|"": expected fcfs, easy or conservative
easy:8|easy takes no number of reservations
a=conservative:0|"0": expected a number from 1 to 1000000
END
}

@test "--queue-policy and --reservation-depth: what they take" {
    try="(try 'rset-alloc serve --help')"
    refused "rset-alloc: --queue-policy: \"fair\": expected fcfs, easy or conservative $try" \
        rset-alloc serve --store s --queue-policy fair
    refused "rset-alloc: --reservation-depth needs --queue-policy conservative $try" \
        rset-alloc serve --store s --queue-policy easy --reservation-depth 3
    for n in 0 1000001 x; do
        refused "rset-alloc: --reservation-depth: \"$n\" is not in the range 1 to 1000000 $try" \
            rset-alloc serve --store s --queue-policy conservative --reservation-depth $n
    done
}
