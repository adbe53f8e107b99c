#!/usr/bin/env bats
# rset-alloc serve: the scheduler's side of RFC 28, and RFC 27, as lines.

# shellcheck disable=SC2154 # start sets pid
load common

# What is asked is as these have it: a node of 4 cores is a rank.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    needs jq
    rset-discover --hosts 'n[0-3]' --cores 0-3 >r.json
}

# --- what is said to it -----------------------------------------------------

# answer TOPIC MATCHTAG PAYLOAD, refuse TOPIC MATCHTAG ERRNUM
answer() {
    echo "{\"topic\":\"$1\",\"matchtag\":$2,\"payload\":$3}"
}
refuse() {
    echo "{\"topic\":\"$1\",\"matchtag\":$2,\"errnum\":$3}"
}

# R RANKS [MORE]: of the nodes, and more of its execution.
R() {
    echo "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"$1\"," \
        "\"children\":{\"core\":\"0-3\"}}],\"nodelist\":" \
        "[\"n[$1]\"]$2}}"
}

# grow RANKS ONLINE OFFLINE [MATCHTAG], and what becomes of targets then
grow() {
    answer resource.acquire "${4:-1}" "{\"type\":\"grow\",\"resources\":$(R \
        "$1"),\"online\":\"$2\",\"offline\":\"$3\"}"
}
becomes() { # TYPE TARGETS [MATCHTAG]
    answer resource.acquire "${3:-1}" "{\"type\":\"$1\",\"targets\":\"$2\"}"
}

# hello MATCHTAG [JOB...]: all that have something, then the end of it, and that
# it may be ready, with the matchtag that follows. A job is its id and more keys.
hello() {
    local tag=$1 job
    for job in "${@:2}"; do
        answer job-manager.sched-hello "$tag" \
            "{\"id\":$job,\"priority\":16,\"userid\":5,\"t_submit\":1.5}"
    done
    refuse job-manager.sched-hello "$tag" 61
    answer job-manager.sched-ready $((tag + 1)) '{"count":0}'
}

# The beginning: with --resources, with four nodes, in the current edition.
alone=$(hello 1)
begin() {
    grow 0-3 0-3 ''
    hello 2
}
begin_current() {
    answer resource.acquire 1 "{\"resources\":$(R 0-3),\"up\":\"0-3\"}"
    hello 2
}

# jobspec SHAPE [KEY=VALUE]: so many cores, or nodes as `2n`; with attributes.
jobspec() {
    local n=${1%n} with
    with='{"type":"slot","count":1,"label":"s","with":[{"type":"core","count":'
    [ "$n" = "$1" ] && with+="$n}]}" ||
        with="{\"type\":\"node\",\"count\":$n,\"with\":[${with}4}]}]}"
    echo "{\"version\":1,\"resources\":[$with],\"tasks\":[{\"command\":[\"a\"]," \
        "\"slot\":\"s\",\"count\":{\"per_slot\":1}}],\"attributes\":" \
        "{\"system\":{\"duration\":0${2:+,$2}}}}"
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

# --- what it says -----------------------------------------------------------

# A message in a few words, without the beginning and the end that all have.
brief() {
    jq -r '.payload as $p |
        (.topic | sub("^sched.|^job-manager.|^resource."; "")) as $what |
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
        elif $p.type == 2 then "\($p.id) denied: \($p.note)"
        else "\($p.id) canceled" end' out
}

# served ARG...: what it says to standard input; what it logs is in `err`.
served() {
    rset-alloc serve --store s --now 1000 "$@" >out 2>err
    brief
}

# fails MESSAGE ARG...: that ends it with status 2.
fails() {
    local status=0
    rset-alloc serve --store s --now 1000 "${@:2}" >out 2>err || status=$?
    [ $status = 2 ]
    same "$(cat err)" "rset-alloc: $1"
}

# logged MESSAGE...: just that.
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


@test "several groups: an acquisition, its matchtag and its releases each" {
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
3 waits: need 1 node with 4 cores: none can be had (one needs 4 cores, the most is 0)
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

@test "groups that are none, or have a target in common, end it" {
    (grow 0-1 0-1 '' 1; grow 1-3 1-3 '' 2) |
        fails 'group b: some of the targets 1-3 are in the group a, too' \
            --group a --group b
    refuse resource.acquire 1 2 |
        fails 'resource.acquire: group a: the provider refuses it (error 2)' \
            --group a
    group() { rset-alloc serve --store s --group "$@" </dev/null; }
    help="(try 'rset-alloc --help')"
    refused "rset-alloc: --group: \"a\" is given twice $help" \
        group a --group a
    refused "rset-alloc: --group: there is nothing in it $help" group ''
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
3 waits: need 4 nodes with 4 cores: 2 can be had
3 waits: need 4 nodes with 4 cores: 3 can be had
3 denied: need 4 nodes with 4 cores: there are 3
4 denied: need 4 nodes with 4 cores: there are 3'
    same "$(sed -n '1,4p' out)" '{"type":"request","topic":"resource.acquire","matchtag":1,"flags":["streaming"]}
{"type":"request","topic":"job-manager.sched-hello","matchtag":2,"flags":["streaming"],"payload":{"partial-ok":true}}
{"type":"request","topic":"job-manager.sched-ready","matchtag":3,"payload":{"mode":"unlimited"}}
{"type":"response","topic":"sched.alloc","payload":{"id":1,"type":0,"annotations":{"sched":{"resource_summary":"rank[0-1]/core[0-3]","queue":"debug"}},"R":{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-3"}}],"nodelist":["n[0-1]"],"nslots":2,"starttime":1000}}}}'
    [ ! -s err ]
    # and no store is needed
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
    # it is asked once
    (refuse resource.acquire 1 71; refuse resource.acquire 2 71) |
        fails 'resource.acquire: group default: the provider refuses it (error 71)' \
            --dialect auto
    # a document and another group are the seed's
    rm s*
    (echo "$alone"; alloc 1 1; free 1) |
        served --dialect auto --resources r.json >brief
    same "$(tail -n 1 brief)" '1 freed'
    served --dialect auto --group a </dev/null
    grep -q '"group":"a"' out
}

@test "an edition without R in its answers needs a place for it" {
    for dialect in '' --dialect=seed --dialect=auto; do
        # shellcheck disable=SC2086
        refused "rset-alloc: serve: --store or --kvs is expected: in this\
 dialect the R of a job is not in the answer (try 'rset-alloc --help')" \
            rset-alloc serve $dialect </dev/null
    done
}

@test "options that can't be" {
    serve() { rset-alloc serve --store s "$@" </dev/null; }
    while IFS='|' read -r options fault; do
        # shellcheck disable=SC2086
        refused "rset-alloc: $fault (try 'rset-alloc --help')" serve $options
    done <<'END'
--limit 0|--limit: "0" is not in the range 1 to 2147483647
--limit 2147483648|--limit: "2147483648" is not in the range 1 to 2147483647
--limit x|--limit: "x" is not in the range 1 to 2147483647
--log-level all|--log-level: "all": expected error, warning, info or debug
--queue-policy easy|--queue-policy: "easy": expected fcfs
--kvs .|--kvs and --store exclude each other
--resources r.json --provider x|--resources and --provider exclude each other
--resources -|--resources: standard input has the requests
--dialect old|--dialect: "old": expected seed or current
-n1|serve does not take a request
--duration 5|serve does not take --duration
-o json|--output: a service writes messages
END
    [ ! -e s ]
    refused 'rset-alloc: nope: No such file or directory' \
        serve --resources nope
    refused 'rset-alloc: r.json: this is no store' \
        rset-alloc serve --store r.json </dev/null
    begin | rset-alloc serve --kvs nope >out 2>err || [ $? = 2 ]
    logged 'nope: No such file or directory'
}

# --- where resources are from -----------------------------------------------

@test "--resources: those of a document, whose states count, but no jobs" {
    rset-alloc drain n1 r.json | rset-alloc allocate 7 --include n0 -N1 >busy.json
    (echo "$alone"; alloc 1 4n) | served --resources busy.json >brief
    same "$(cat brief)" \
        '1 waits: need 4 nodes with 4 cores: 3 can be had'
    same "$(jq -r .topic out)" 'job-manager.sched-hello
job-manager.sched-ready
sched.alloc
job-manager.disconnect'
    # its states take the place of the store's, and all else is the same
    (hello 1; alloc 2 4n) | served --resources r.json >brief
    same "$(cat brief)" '2 has rank[0-3]/core[0-3]'
    (hello 1 2; free 2; alloc 3 4n) | served --resources busy.json >brief
    same "$(cat brief)" '2 freed
3 waits: need 4 nodes with 4 cores: 3 can be had'
    (hello 1; alloc 2 4n) | served --resources r.json >brief
    same "$(cat brief)" '2 has rank[0-3]/core[0-3]'
    [ ! -s err ]
    rset-discover --hosts 'n[0-2]' --cores 0-3 >other.json
    hello 1 | fails 's: has other resources (rank 3: core[0-3])' \
        --resources other.json
    # nobody asked for resources
    (hello 1; becomes shrink 0; alloc 3 1) | served --resources r.json
    logged 'job 2: nobody knows it any more: what it had is free' \
        'stdin:3: resource.acquire: nobody has asked for it'
}

@test "--provider: a child is asked, and the job manager hears nothing of it" {
    start rset-alloc serve --store s --now 1000 --log-level info \
        --provider 'rset-discover serve --resources r.json --events events'
    : >events
    wait_lines 1 out
    hello 2 >&4
    alloc 1 4n >&4
    wait_lines 3 out
    echo '{"timestamp":1,"name":"exclude","context":{"idset":"0"}}' >>events
    wait_lines 4 out
    becomes shrink 0 >&4 # is not its word
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
        'stdin:4: resource.acquire: nobody has asked for it'
}

@test "a provider that ends, or refuses, ends the service" {
    mkfifo lines
    for command in true 'nonsense 2>/dev/null' 'exit 5'; do
        exec 4<>lines
        fails 'the provider has ended' --provider "$command" <&4
        same "$(jq -r .topic out)" job-manager.disconnect
    done
    fails 'resource.acquire: group default: no target is in that group (error 2)' \
        --provider 'rset-discover serve --resources r.json --define-group a=0-3' <&4
    fails 'provider:1: line 1, column 1: "zebra": expected a value
rset-alloc: the provider has ended' --provider 'echo zebra' <&4
    exec 4>&-
}

# --- hello ------------------------------------------------------------------

@test "hello: what the store knows is kept, and freed if it is not told of" {
    (begin; alloc 1 1n; alloc 2 2) | served >brief
    same "$( (grow 0-3 0-3 ''; hello 2 1; alloc 3 1n) | served)" \
        '3 has rank1/core[0-3]'
    logged 'job 2: nobody knows it any more: what it had is free'
    same "$(rset-alloc jobs --store s | awk '{ print $1, $6 }')" 'JOB RANKS
1 0
3 1'
}

@test "hello: an R in the response, or in the folder, with what is free of it" {
    mkdir kvs
    R 2-3 >kvs/2.json
    R 1 >kvs/9.json
    (grow 0-3 0-3 ''
        answer job-manager.sched-hello 2 "{\"id\":1,\"R\":$(R 0-1),\"free\":\"0,7\"}"
        answer job-manager.sched-hello 2 '{"id":2,"free":"2"}'
        refuse job-manager.sched-hello 2 61
        answer job-manager.sched-ready 3 '{"count":0}'
        send resource-status '{}' 9
        free 1
        free 2) | rset-alloc serve --kvs kvs --now 1000 >out 2>err
    same "$(jq -c 'select(.topic == "sched.resource-status").payload.allocated.execution' out)" \
        '{"R_lite":[{"rank":"1,3","children":{"core":"0-3"}}],"nodelist":["n[1,3]"]}'
    same "$(brief | tail -n 2)" '1 freed
2 freed'
    logged 'kvs: 1 jobs that nobody knows any more are removed'
    same "$(ls kvs)" ''
}

@test "hello: what nobody knows, or what is gone, is raised, once a job" {
    same "$( (begin; alloc 1 1n; alloc 2 2n; alloc 3 1n) | served)" \
        '1 has rank0/core[0-3]
2 has rank[1-2]/core[0-3]
3 has rank3/core[0-3]'
    # ranks 2 and 3 are not there any more; what is left is held until free
    same "$( (grow 0-1 0-1 ''
        hello 2 1 2 3 4 "5,\"R\":$(R 1-2)" "6,\"R\":{\"version\":2}"
        alloc 7 1n
        free 1
        free 2
        free 3
        free 4
        free 5) | served)" \
        "raise 2 scheduler-restart: its targets 2 are not there any more
raise 3 scheduler-restart: its targets 3 are not there any more
raise 4 scheduler-restart: nothing is known of its resources
raise 5 scheduler-restart: its targets 2 are not there any more
raise 6 scheduler-restart: R: version: 2: version 1 is understood
7 waits: need 1 node with 4 cores: none can be had (one needs 4 cores, the most is 0)
1 freed
7 has rank0/core[0-3]
2 freed
3 freed
4 freed
5 freed"
    same "$(jq -c 'select(.payload.id == 4) | .' out | head -n 1)" '{"type":"request","topic":"job-manager.raise","flags":["noresponse"],"payload":{"id":4,"type":"scheduler-restart","severity":0,"note":"nothing is known of its resources"}}'
}

@test "hello: its R counts, not the store's; a job that comes twice does not" {
    (begin; alloc 1 1n) | served
    same "$( (grow 0-3 0-3 ''
        hello 2 "1,\"R\":$(R 2)" 1 '1' '-3' '"x"'
        alloc 2 1n) | served)" '2 has rank0/core[0-3]'
    logged 'job 1: hello has another R than the store: that counts' \
        'hello: job 1 is told of twice' 'hello: job 1 is told of twice' \
        'job-manager.sched-hello: a response without an id' \
        'job-manager.sched-hello: a response without an id'
    same "$(rset-alloc allocated 1 -o ranks --store s)" 2
    # two jobs can't have the same
    same "$( (grow 0-3 0-3 ''
        hello 2 "1,\"R\":$(R 2)" "5,\"R\":$(R 2)") | served)" \
        "raise 5 scheduler-restart: /cluster0/n2/core[0-3] is held by job 1"
}

@test "errors to hello and ready end it; what was not asked for is passed over" {
    (grow 0 0 ''; refuse job-manager.sched-hello 2 38) |
        fails 'job-manager.sched-hello: the job manager refuses it (error 38)'
    (grow 0 0 ''; refuse job-manager.sched-hello 2 61
        refuse job-manager.sched-ready 3 22) |
        fails 'job-manager.sched-ready: the job manager refuses it (error 22)'
    # before the first grow nothing is known, and nothing asked
    rm s*
    (send resource-status '{}' 9; answer job-manager.sched-ready 3 '{"count":0}'
        answer job-manager.sched-hello 2 '{"id":1}'
        answer resource.acquire 7 '{}'; begin
        refuse job-manager.sched-hello 2 61; alloc 1 1) | served >brief
    same "$(cat brief)" 'resource-status 9 errnum 16
1 has rank0/core0'
    logged 'job-manager.sched-ready: nobody has asked for it' \
        'job-manager.sched-hello: nobody has asked for it' \
        'resource.acquire: matchtag 7 is unknown' \
        'job-manager.sched-hello: nobody has asked for it'
}

@test "responses of a provider that are none of the RFC end it" {
    while IFS='|' read -r payload fault; do
        (answer resource.acquire 1 "$payload") |
            fails "resource.acquire: group default: $fault"
    done <<'END'
{"type":"online","targets":"0"}|type: the first response is not grow
{}|type: a string is expected
{"type":"grow"}|resources: an R is expected
{"type":"grow","resources":7,"online":"","offline":""}|resources: an R is expected
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
