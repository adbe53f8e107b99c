#!/usr/bin/env bats
# rset-discover serve: the provider's side of RFC 28 as lines.

# shellcheck disable=SC2154 # run sets stderr
load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    needs jq
    cat >r.json <<'END'
{"version":1,"execution":{"R_lite":[{"rank":"0-3","children":{"core":"0-1"}}],"nodelist":["n[0-3]"]}}
END
}

# --- messages to the provider ---------------------------------------------

acquire() { # MATCHTAG GROUP
    echo "{\"topic\":\"resource.acquire\",\"matchtag\":$1," \
        "\"flags\":[\"streaming\"],\"payload\":{\"group\":\"$2\"}}"
}

release() { # MATCHTAG GROUP TARGETS
    echo "{\"topic\":\"resource.release\",\"matchtag\":$1," \
        "\"payload\":{\"group\":\"$2\",\"targets\":\"$3\"}}"
}

ping() { # MATCHTAG
    echo "{\"topic\":\"resource.ping\",\"matchtag\":$1,\"payload\":{}}"
}

event() { # NAME IDSET [MORE]
    echo "{\"timestamp\":1.5,\"name\":\"$1\"," \
        "\"context\":{\"idset\":\"$2\"${3:+,$3}}}"
}

restart() { # RANKS HOSTS ONLINE
    echo "{\"timestamp\":1.5,\"name\":\"restart\",\"context\":{" \
        "\"ranks\":\"$1\",\"nodelist\":\"$2\",\"online\":\"$3\"}}"
}

disconnect='{"topic":"resource.disconnect"}'

# --- messages from the provider -------------------------------------------

# Print each response as its matchtag and a few words. Payloads of the current
# edition and of ping stay as they are.
brief() {
    jq -r '"\(.matchtag) " + (
        .payload as $p |
        if .errnum then "errnum \(.errnum)"
        elif $p == null then "done"
        elif $p.type == "grow" then
            "grow \([$p.resources.execution.R_lite[].rank] | join(","))" +
            " online \($p.online) offline \($p.offline)"
        elif $p.type then "\($p.type) \($p.targets)"
        else $p | del(.resources) | tojson end)' "$@"
}

# served ARG...: print the answers to standard input; `err` has the log.
served() {
    rset-discover serve --resources r.json "$@" >out 2>err
    brief out
}

# asked_nothing ARG...: run with empty input.
asked_nothing() {
    rset-discover serve --resources r.json "$@" </dev/null
}

# --- groups and requests --------------------------------------------------

@test "a group is given with its resources, and given back by disconnect" {
    same "$( (acquire 1 default; acquire 2 default; echo "$disconnect"
        acquire 2 default) | served)" '1 grow 0-3 online 0-3 offline 
2 errnum 16
2 grow 0-3 online 0-3 offline '
    same "$(head -n 1 out)" '{"type":"response","topic":"resource.acquire","matchtag":1,"payload":{"type":"grow","resources":{"version":1,"execution":{"R_lite":[{"rank":"0-3","children":{"core":"0-1"}}],"nodelist":["n[0-3]"]}},"online":"0-3","offline":""}}'
    [ ! -s err ]
}

@test "acquire fails with ENOENT or EPROTO; without a matchtag there is no answer" {
    same "$( (acquire 1 nope; acquire 2 exclude
        echo '{"topic":"resource.acquire","matchtag":3,"payload":{"group":"default"}}'
        echo '{"topic":"resource.acquire","matchtag":4,"flags":["streaming"]}'
        echo '{"topic":"resource.acquire","matchtag":5,"flags":["streaming"],"payload":{"group":1}}'
        acquire 0 default; acquire 6 default; acquire 6 a) |
        served --define-group a=3)" '1 errnum 2
2 errnum 2
3 errnum 71
4 errnum 71
5 errnum 71
6 grow 0-2 online 0-2 offline 
6 errnum 71'
    same "$(cat err)" \
        'rset-discover: stdin:6: resource.acquire without a matchtag is not answered'
}

@test "groups are acquired beside each other, and each hears of its own targets" {
    same "$( (acquire 1 a; acquire 2 default; acquire 3 b; event offline 0-3) |
        served --define-group 'a=n[0,3]' --define-group b=1)" \
        '1 grow 0,3 online 0,3 offline 
2 grow 2 online 2 offline 
3 grow 1 online 1 offline 
2 offline 2
1 offline 0,3
3 offline 1'
}

@test "bad groups are refused" {
    serve() { asked_nothing --define-group "$@"; }
    help="(try 'rset-discover serve --help')"
    refused "rset-discover: --define-group: \"b=1,3\": targets 1 are in\
 another group $help" serve a=0-1 --define-group b=1,3
    refused "rset-discover: --define-group: \"default=0\": the group default\
 holds all targets that no other has $help" serve default=0
    for none in a =0; do
        refused "rset-discover: --define-group: \"$none\": expected\
 NAME=TARGETS $help" serve $none
    done
    refused 'rset-discover: --define-group: there is no rank 9' serve a=9
    echo '{"path":"r.json","exclude":"0"}' >c.json
    refused "rset-discover: --define-group: \"a=n[0-1]\": targets 0 are in\
 another group (try 'rset-discover serve --help')" rset-discover serve --config c.json \
        --define-group 'a=n[0-1]'
}

@test "release: of removed targets, in parts, once" {
    same "$( (acquire 1 default; release 2 default 0; event exclude 0-2
        release 3 default 0-1; release 4 default 1-2; release 5 default 2
        release 6 default 2; release 7 nope 0; release 8 exclude 0
        echo '{"topic":"resource.release","matchtag":9,"payload":{"group":"default"}}'
        echo '{"topic":"resource.release","matchtag":10,"payload":{"targets":"0"}}'
        echo '{"topic":"resource.release","matchtag":11,"payload":{"group":"default","targets":"x"}}'
        echo '{"topic":"resource.release","matchtag":12}') | served)" \
        '1 grow 0-3 online 0-3 offline 
2 errnum 22
1 shrink 0-2
3 done
4 errnum 22
5 done
6 errnum 22
7 errnum 2
8 errnum 22
9 errnum 71
10 errnum 71
11 errnum 71
12 errnum 71'
    same "$(sed -n 4p out)" \
        '{"type":"response","topic":"resource.release","matchtag":3}'
}

@test "ping returns its payload; an unknown topic is ENOSYS" {
    same "$( (echo '{"topic":"resource.ping","matchtag":3,"payload":{"a":[1,"ä"]}}'
        echo '{"topic":"resource.ping","matchtag":4}'
        echo '{"topic":"resource.ping","payload":{}}'
        echo '{"topic":"sched.alloc","matchtag":4294967295}'
        echo '{"topic":"sched.alloc"}'
        echo '{"topic":"x","matchtag":1,"flags":["noresponse"]}'
        echo '{"type":"response","topic":"x","matchtag":1}') | served)" \
        '3 {"a":[1,"ä"]}
4 done
4294967295 errnum 38'
}

@test "bad lines are answered if possible, otherwise logged; the service continues" {
    same "$(printf '%s\n' '{"topic":7,"matchtag":1}' '{"matchtag":2}' \
        '{"topic":"x","matchtag":3,"type":"event"}' \
        '{"topic":"x","matchtag":4,"flags":["many"]}' \
        '{"topic":7,"matchtag":4,"flags":["many","noresponse"]}' \
        '{"topic":7,"matchtag":4,"type":"response"}' \
        '{"topic":"x","matchtag":-1}' '[1]' '{' '' $'\xff' \
        '{"topic":"x","matchtag":4294967296}' \
        '{"timestamp":1,"name":"bogus"}' '{"timestamp":1,"name":"drain"}' \
        "$(restart 0-4294967294 'n[0-4294967294]' 0)" \
        "$(event drain 0-4294967294 '"nodelist":"n[0-4294967294]"')" \
        '{"name":"online","context":{"idset":"0"}}' "$(ping 5)" | served)" \
        '1 errnum 71
2 errnum 71
3 errnum 71
4 errnum 71
5 {}'
    same "$(sed -n 2p out)" \
        '{"type":"response","matchtag":2,"errnum":71,"errstr":"topic is missing"}'
    same "$(sed -E 's/^rset-discover: (stdin:[0-9]+):.*/\1/' err)" \
        "$(printf 'stdin:%s\n' {5..9} {11..17})"
}

@test "messages and events of a later version are refused" {
    same "$(printf '%s\n' '{"version":1,"topic":"resource.ping","matchtag":1}' \
        '{"version":2,"topic":"resource.ping","matchtag":2}' \
        '{"version":2,"timestamp":1,"name":"offline","context":{"idset":"0"}}' |
        served)" '1 done
2 errnum 71'
    same "$(<err)" \
        'rset-discover: stdin:3: version: 2 is not a version that is known'
}

# --- events ---------------------------------------------------------------

@test "a target that is down for several reasons is offline once, and back with the last" {
    same "$( (acquire 1 default; event drain 1 '"reason":"fan","overwrite":0'
        event torpid 1; event offline 0-1; event undrain 1; event online 1
        ping 2; event lively 1; event lively 1; event online 0) | served)" \
        '1 grow 0-3 online 0-3 offline 
1 offline 1
1 offline 0
2 {}
1 online 1
1 online 0'
}

@test "targets that left a group join another one after their release" {
    same "$( (acquire 1 default; acquire 2 a; event assign 0-1 '"group":"a"'
        event drain 1; ping 3; release 4 default 1; release 5 default 0
        event assign 1 '"group":"default"'; release 6 a 1) |
        served --define-group a=3)" '1 grow 0-2 online 0-2 offline 
2 grow 3 online 3 offline 
1 shrink 0-1
3 {}
4 done
2 grow 1 online  offline 1
5 done
2 grow 0 online 0 offline 
2 shrink 1
6 done
1 grow 1 online  offline 1'
}

@test "exclude and include: shrink, and grow again only after the release" {
    same "$( (acquire 1 default; event exclude 2; event include 1-3; ping 2
        release 3 default 2) | served)" '1 grow 0-3 online 0-3 offline 
1 shrink 2
2 {}
3 done
1 grow 2 online 2 offline '
}

@test "a group whose targets all await release grows when they are released" {
    same "$( (acquire 1 default; event exclude 0-3; acquire 2 exclude; ping 3
        release 4 default 1; echo "$disconnect"; acquire 5 exclude) |
        served)" '1 grow 0-3 online 0-3 offline 
1 shrink 0-3
3 {}
4 done
2 grow 1 online 1 offline 
5 grow 0-3 online 0-3 offline '
}

@test "after a restart with another order of hosts, ids go by host" {
    same "$( (acquire 1 default; event drain 3; event torpid 0
        restart 0-3 'n[3,2,1,0]' 0-2; event drain 2
        event undrain 0; event drain 2 '"nodelist":"n2"'; event online 3
        restart 0-1 x,n0 0-2) | served)" '1 grow 0-3 online 0-3 offline 
1 offline 3
1 offline 0
1 offline 1
1 online 3
1 offline 2
1 online 0
1 offline 3'
    same "$(cat err)" \
        'rset-discover: stdin:9: targets 0,2 are not in the resources'
}

@test "if a host has several ranks, each rank counts for itself" {
    sed -i 's/n\[0-3\]/a,b,a,b/' r.json
    same "$( (acquire 1 default; restart 0-3 b,b,a,a 0-3; event drain 1
        event drain 2; event drain 3 '"nodelist":"b"'; restart 0-3 a,b,a,b 0-3
        event undrain 0 '"nodelist":"a"'; event drain 2 '"nodelist":"a"') |
        served)" '1 grow 0-3 online 0-3 offline 
1 offline 3
1 offline 0
1 offline 1
1 online 0
1 offline 2'
}

@test "a log of Flux is replayed unchanged; unknown ranks are logged" {
    cat >log <<'END'
{"timestamp":1.0,"name":"restart","context":{"ranks":"0-3","online":"","nodelist":"n[0-3]"}}
{"timestamp":1.1,"name":"resource-define","context":{"method":"configuration"}}
{"timestamp":1.2,"name":"truncate","context":{}}
{"timestamp":1.3,"name":"online","context":{"idset":"0-2,7,9-10"}}
{"timestamp":1.4,"name":"drain","context":{"idset":"1","nodelist":"n1","reason":"fan","overwrite":0}}
{"timestamp":1.5,"name":"resource-update","context":{"expiration":2000}}
END
    same "$(acquire 1 default | served --events log)" \
        '1 grow 0-3 online 0,2 offline 1,3'
    same "$(jq .payload.resources.execution.expiration out)" 2000
    same "$(cat err)" "rset-discover: log:4: targets 7,9-10 are not in the resources
rset-discover: log:6: expiration: this edition has no response for it"
    acquire 1 default | sed 's/,"payload.*/}/' | cat - log |
        served --dialect current >responses
    # some versions of jq write the number as 2000.0
    same "$(tail -n 1 responses | sed 's/\.0}/}/')" '1 {"expiration":2000}'
}

@test "resource-init in an old log of Flux: online as after a restart" {
    cat >log <<'END'
{"timestamp":1.0,"name":"resource-init","context":{"restart":false,"drain":{},"online":"","exclude":""}}
{"timestamp":1.1,"name":"resource-define","context":{"method":"configuration"}}
{"timestamp":1.2,"name":"online","context":{"idset":"0-3"}}
{"timestamp":1.3,"name":"drain","context":{"idset":"1","reason":"fan"}}
{"timestamp":2.0,"name":"resource-init","context":{"restart":true,"drain":{"1":{"timestamp":1.3,"reason":"fan"}},"online":"0","exclude":""}}
{"timestamp":2.1,"name":"online","context":{"idset":"1-2"}}
{"timestamp":2.2,"name":"undrain","context":{"idset":"1"}}
{"timestamp":3.0,"name":"resource-init","context":{"restart":true,"drain":{},"online":"0,2-3","exclude":""}}
{"timestamp":3.1,"name":"offline","context":{"idset":"2"}}
{"timestamp":4.0,"name":"restart","context":{"ranks":"0-3","online":"0","nodelist":"n[3,2,1,0]"}}
END
    # a naive replay, up to each line
    for n in {1..9}; do
        head -n "$n" log >part
        online='' drained=''
        while IFS=' ' read -r name ids; do
            case $name in
            resource-init) online=$ids ;;
            online) online=$(idset "$online" "$ids") ;;
            offline) online=$(idset "$online" -x "$ids") ;;
            drain) drained=$(idset "$drained" "$ids") ;;
            undrain) drained=$(idset "$drained" -x "$ids") ;;
            esac
        done < <(jq -r '"\(.name) \(.context | .online // .idset)"' part)
        up=$(idset "$online" -x "$drained")
        same "$(acquire 1 default | served --events part)" \
            "1 grow 0-3 online $up offline $(idset 0-3 -x "$up")"
        same "$(cat err)" ''
    done
    same "$(acquire 1 default | served --events log)" \
        '1 grow 0-3 online 3 offline 0-2'
    sed -i '1s/,"online":""//' log
    same "$(acquire 1 default | served --events log)" \
        '1 grow 0-3 online 3 offline 0-2'
    same "$(cat err)" \
        'rset-discover: log:1: context.online: an idset is expected'
}

# Both are from one instance of flux-core 0.88 with four brokers: rank 1 was
# drained and undrained, so was 3, 2 is drained, and the broker of 3 was lost.
@test "--events of a real Flux: its journal, and its log in the KVS" {
    journal=$TEST_DIR/fixtures/flux-0.88-journal.log
    kvs=$TEST_DIR/fixtures/flux-0.88-kvs.log
    sed 's/n\[/node[/' r.json >real.json
    replayed() { # LOG ARG...
        acquire 1 default |
            rset-discover serve --resources real.json --events "$@" | brief
    }
    same "$(replayed "$journal")" '1 grow 0-3 online 0-1 offline 2-3'
    same "$(replayed "$journal" --initially offline)" \
        '1 grow 0-3 online 0-1 offline 2-3'
    same "$(replayed "$kvs")" '1 grow 0-3 online 0-1,3 offline 2'
    same "$(replayed "$kvs" --initially offline)" \
        '1 grow 0-3 online  offline 0-3'
    # lines from a terminal end otherwise
    sed 's/$/\r/' "$journal" >lines
    same "$(replayed lines)" '1 grow 0-3 online 0-1 offline 2-3'
    # in the order of events
    same "$( (acquire 1 default; cat "$journal") |
        rset-discover serve --resources real.json | brief)" \
        '1 grow 0-3 online 0-3 offline 
1 offline 0-3
1 online 0
1 online 1-3
1 offline 1
1 offline 2-3
1 online 1
1 online 3
1 offline 3'
}

@test "--events FILE is read before the first request, then followed" {
    event offline 0 >log
    printf '%s' "$(event offline 1)" >>log
    start rset-discover serve --resources r.json --events log
    acquire 1 default >&4
    wait_lines 1 out
    echo >>log
    wait_lines 2 out
    { echo nonsense; printf '%s' "$(event offline 2)"; } >>log
    ping 2 >&4
    wait_lines 3 out
    echo >>log
    wait_lines 4 out
    ends 0
    same "$(brief out)" '1 grow 0-3 online 1-3 offline 0
1 offline 1
2 {}
1 offline 2'
    [[ $(cat err) == 'rset-discover: log:3: '* ]]
}

@test "--events FILE that is cut or replaced is read from its new beginning" {
    { event offline 0; event online 0; } >log
    start rset-discover serve --resources r.json --events log
    acquire 1 default >&4
    wait_lines 1 out
    printf '%s' "$(event offline 0)" >>log
    event offline 1 >log
    wait_lines 2 out
    event offline 2 >next
    mv next log
    wait_lines 3 out
    echo nonsense >>log
    event offline 3 >>log
    wait_lines 4 out
    ends 0
    same "$(brief out)" '1 grow 0-3 online 0-3 offline 
1 offline 1
1 offline 2
1 offline 3'
    same "$(head -n 2 err)" 'rset-discover: log: it was cut: read from its beginning
rset-discover: log: another file has its name: read from its beginning'
    [[ $(tail -n 1 err) == 'rset-discover: log:2: '* ]]
}

@test "--events with a pipe reads the pipe, also when a file gets its name" {
    mkfifo log
    start rset-discover serve --resources r.json --events log
    acquire 1 default >&4
    wait_lines 1 out
    event offline 1 >log
    wait_lines 2 out
    event offline 2 >next
    mv next log
    ping 2 >&4
    ping 3 >&4
    wait_lines 4 out
    ends 0
    same "$(brief out)" '1 grow 0-3 online 0-3 offline 
1 offline 1
2 {}
3 {}'
}

@test "--events with an unreadable file is refused" {
    refused 'rset-discover: nope: No such file or directory' asked_nothing --events nope
    refused 'rset-discover: .: Is a directory' asked_nothing --events .
    refused "rset-discover: --events: standard input has events anyway\
 (try 'rset-discover serve --help')" asked_nothing --events -
}

# --- resources ------------------------------------------------------------

@test "states of a document count; with --initially offline all targets are" {
    rset-alloc drain n1 r.json | rset-alloc down n2 >states.json
    mv states.json r.json
    events() { acquire 1 default; event undrain 1; event online 0-3; }
    same "$(events | served)" '1 grow 0-3 online 0,3 offline 1-2
1 online 1
1 online 2'
    same "$(events | served --initially offline)" \
        '1 grow 0-3 online  offline 0-3
1 online 0-3'
    refused "rset-discover: --initially: \"up\": expected online or offline\
 (try 'rset-discover serve --help')" \
        rset-discover serve --resources r.json --initially up
}

@test "--dialect current: up, down, shrink; returned targets wait" {
    acquired() { acquire "$1" default | sed 's/,"payload.*/}/'; }
    same "$( (acquired 1; acquired 2; acquire 3 default; event drain 1
        event undrain 1; event exclude 2; event include 2; release 4 default 2
        echo "$disconnect"; acquired 5) | served --dialect current)" \
        '1 {"up":"0-3"}
2 errnum 16
3 errnum 71
1 {"down":"1"}
1 {"up":"1"}
1 {"shrink":"2","down":"2"}
4 errnum 38
5 {"up":"0-3"}'
    same "$(cat err)" "rset-discover: stdin:7: targets 2 wait until resources\
 are acquired again: the current edition can't add them"
}

@test "resources that the current edition can't express are logged, once" {
    sed 's/}$/,"attributes":{"a":{}}}/' r.json >a.json
    mv a.json r.json
    same "$( (acquire 1 default; echo "$disconnect"; acquire 2 default) |
        sed 's/,"payload.*/}/' | served --dialect current)" \
        '1 {"up":"0-3"}
2 {"up":"0-3"}'
    same "$(cat err)" "rset-discover: stdin:1: warning: the current edition has\
 no attributes, left out: a"
}

@test "--config: a table of Flux in YAML and JSON" {
    cat >c.yaml <<'END'
resource:
  exclude: "n3"
  config:
    - {hosts: "n[0-3]", cores: 0-1, properties: [big]}
    - {hosts: "n3", gpus: "0"}
END
    echo '{"journal-max":9,"config":[{"hosts":"n[0-2]","cores":"0-1","properties":["big"]},
        {"hosts":"n3","cores":"0-1","gpus":"0","properties":["big"]}],
        "exclude":"3"}' >c.json
    for file in c.yaml c.json; do
        (acquire 1 default; acquire 2 exclude) |
            rset-discover serve --config $file >out
        same "$(brief out)" '1 grow 0-2 online 0-2 offline 
2 grow 3 online 3 offline '
        same "$(jq -c .payload.resources.execution out)" '{"R_lite":[{"rank":"0-2","children":{"core":"0-1"}}],"nodelist":["n[0-2]"],"properties":{"big":"0-2"}}
{"R_lite":[{"rank":"3","children":{"core":"0-1","gpu":"0"}}],"nodelist":["n3"],"properties":{"big":"3"}}'
    done
    mkdir sub
    mv r.json sub
    echo '{"a":[1]}' >sub/s.json
    echo '{"resource":{"path":"r.json","scheduling":"s.json"}}' >sub/c.json
    acquire 1 default | rset-discover serve --config sub/c.json >out 2>err
    same "$(brief out)" '1 grow 0-3 online 0-3 offline '
    same "$(jq -c .payload.resources.scheduling out)" '{"a":[1]}'
    same "$(cat err)" "rset-discover: stdin:1: warning: scheduling belongs to another\
 scheduler: it is kept as it was, and may name more resources"
}

@test "--config -: standard input begins with the configuration" {
    printf '%s\n' 'resource:' '  config:' '    - {hosts: "n[0-3]", cores: "0"}' ... >yaml
    echo '{"config":[{"hosts":"n[0-3]","cores":"0"}]}' >line
    (printf '{\n'; sed 's/.//' line; echo ...) >json
    for file in yaml line json; do
        (cat $file; acquire 1 default; echo bad; event offline 1) |
            rset-discover serve --config - >out 2>err
        same "$(brief out)" '1 grow 0-3 online 0-3 offline 
1 offline 1'
        [[ $(cat err) == "rset-discover: stdin:$(($(wc -l <$file) + 2)): "* ]]
    done
    # nothing has to follow, and the service continues
    for file in yaml line json; do
        [ -z "$(grep -vFx ... $file | rset-discover serve --config -)" ]
    done
    printf '%s' "$(<line)" | rset-discover serve --config -
    while IFS='|' read -r config fault; do
        printf '%b' "$config" >c
        acquire 1 default >>c
        refused "rset-discover: stdin: $fault" \
            rset-discover serve --config - <c
    done <<'END'
|"topic": there is no such key
{"config":[{"hosts":7}]}\n|config[0].hosts: 7: a string is expected
config:\n- hosts: [\n...\n|line 3, column 1: did not find expected node content while parsing a flow node
config:\n- hosts: n\n|line 4, column 1: could not find expected ':' while scanning a simple key
...\n|no document
END
    refused 'rset-discover: stdin: no document' \
        rset-discover serve --config - </dev/null
    refused 'rset-discover: stdin: Is a directory' \
        rset-discover serve --config - <.
}

@test "--config with a fault is refused, with the place" {
    while IFS='|' read -r config fault; do
        echo "$config" >c.json
        refused "rset-discover: $fault" \
            rset-discover serve --config c.json </dev/null
    done <<'END'
{"config":[]}|c.json: config: []: there is no host
{"resource":{"resources":[],"path":"r.json"}}|c.json: resource: resources can't be combined with path
{"config":[{"hosts":"n[0-3]","zebra":1}]}|c.json: config[0]: "zebra": there is no such key
{"zebra":1}|c.json: "zebra": there is no such key
{"config":[{"hosts":"n"},{"cores":"0"}]}|c.json: config[1].hosts: a hostlist is expected
{"config":[{"hosts":"n","cores":"x"}]}|c.json: config[0].cores: "x": unexpected "x" at offset 0
{"config":[{"hosts":"n","properties":["a",7]}]}|c.json: config[0].properties[1]: 7: a name is expected
{"config":[7]}|c.json: config[0]: 7: a table is expected
{"config":7}|c.json: config: 7: a list of tables is expected
{"path":"nope"}|nope: No such file or directory
{"path":"r.json","scheduling":"nope"}|nope: No such file or directory
{"path":"r.json","exclude":"zebra"}|c.json: exclude: there is no host "zebra"
{"path":"r.json","exclude":"2-4"}|c.json: exclude: rank 4 is not in the set
END
}

# --- beginnings and ends --------------------------------------------------

@test "SIGTERM ends it with status 0" {
    start rset-discover serve --resources r.json
    ping 1 >&4
    wait_lines 1 out
    kill "$pid"
    ends 0
    [ ! -s err ]
}

@test "the last line may have no newline" {
    same "$(printf '%s' "$(ping 1)" | served)" '1 {}'
    same "$(served </dev/null)" ''
}

@test "answers that can't be written: status 2" {
    needs /dev/full
    ping 1 >in
    run -2 --separate-stderr bash -c \
        'rset-discover serve --resources r.json <in >/dev/full'
    same "$stderr" \
        'rset-discover: standard output: No space left on device'
    mkfifo lines answers
    rset-discover serve --resources r.json <lines >answers 2>err 3>&- &
    pid=$!
    exec 4>lines 5<answers
    cat in >&4
    read -rt 600 _ <&5
    exec 5<&-
    cat in >&4
    ends 2
    same "$(cat err)" 'rset-discover: standard output: Broken pipe'
}

long_line() {
    head -c $(((1 << 30) + 1)) /dev/zero | tr '\0' x
    echo
}

@test "a line of more than 1 GiB is skipped" {
    [ -n "${RSET_SOAK:-}" ] || skip 'in soak'
    same "$( (long_line; ping 1) | served)" '1 {}'
    same "$(cat err)" \
        'rset-discover: stdin:1: skipping a line of more than 1 GiB'
    (long_line; event offline 0) >log
    same "$(acquire 1 default | served --events log)" \
        '1 grow 0-3 online 1-3 offline 0'
    same "$(cat err)" \
        'rset-discover: log:1: skipping a line of more than 1 GiB'
    rm log
}

@test "resources of more than a line are an error, and are not acquired" {
    [ -n "${RSET_SOAK:-}" ] || skip 'in soak'
    # 18 strings, because one may have 64 MiB
    (printf '%s' '{"version":1,"attributes":{'
        for key in {a..r}; do
            printf '"%s":"' "$key"
            head -c 60000000 /dev/zero | tr '\0' x
            printf '",'
        done
        echo '"z":1},"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0"}}]}}'
    ) >r.json
    same "$( (acquire 1 default; event offline 0; acquire 2 default
        release 3 default 0) | served)" '1 errnum 75
2 errnum 75
3 errnum 22'
    same "$(head -n 1 out)" "{\"type\":\"response\",\"topic\":\"resource.acquire\",\"matchtag\":1,\"errnum\":75,\"errstr\":\"can't write the resources: they exceed a line of 1 GiB\"}"
    rm r.json
}

# blocked: start a service that has more to write than its output, &5, takes.
blocked() {
    mkfifo lines answers
    yes "$(ping 1)" | head -n 20000 >in
    rset-discover serve --resources r.json <lines >answers 2>err 3>&- &
    pid=$!
    exec 4>lines 5<answers
    timeout 600 cat in >&4 # only a failure reaches the limit
}

# whole_answers FILE: it has complete answers and nothing else.
whole_answers() {
    same "$(uniq "$1"; echo end)" \
        '{"type":"response","topic":"resource.ping","matchtag":1,"payload":{}}
end'
}

@test "requests are read while nobody reads the answers" {
    blocked
    exec 4>&-
    [ "$(wc -l <&5)" = 20000 ]
    ends 0
}

@test "SIGTERM while nobody reads the answers is an error, and reported" {
    blocked
    kill $pid
    ends 2
    same "$(cat err)" 'rset-discover: standard output: nobody reads it'
    cat <&5 >out
    whole_answers out
}

@test "SIGTERM while answers are read: the remaining ones arrive" {
    blocked
    cat <&5 >out 3>&- &
    reader=$!
    exec 5<&-
    wait_lines 1 out
    kill $pid
    # a reader that is too slow is no reader
    ends 0 || same "$(cat err)" 'rset-discover: standard output: nobody reads it'
    wait $reader
    whole_answers out
}
