#!/usr/bin/env bats
# rset-alloc batch: the set is read once, then commands come one a line, and
# each is answered by one line of JSON.

# shellcheck disable=SC2154 # run sets stderr, coproc its arrays

load common

# A plain R of four nodes, and a graph with sockets, memory and a licence.
setup_file() {
    command -v jq >/dev/null || return 0 # where nothing is tested
    cd "$BATS_FILE_TMPDIR" || return 1
    rset-discover --hosts 'n[0-3]' --cores 0-3 --gpus 0-1 >r.json
    jq -cn '
    def vertex($id; $data): {id: $id, metadata: $data};
    def edge($from; $to): {source: $from, target: $to};
    def node($n): "n\($n)" as $id |
        {nodes: [
            vertex($id; {type: "node", name: "n\($n)", id: $n, rank: $n}),
            (0, 1 | "\($id)s\(.)" as $socket |
                vertex($socket; {type: "socket", id: .}),
                vertex($socket + "m"; {type: "memory", id: ., size: 8}),
                vertex($socket + "a"; {type: "core", id: (2 * .)}),
                vertex($socket + "b"; {type: "core", id: (2 * . + 1)}))],
         edges: [edge("c"; $id),
            (0, 1 | "\($id)s\(.)" as $socket |
                edge($id; $socket),
                edge($socket; $socket + ("m", "a", "b")))]};
    [node(range(4))] | {graph: {
        nodes: [vertex("c"; {type: "cluster", id: 0}),
            vertex("l"; {type: "license", name: "matlab", size: 10}),
            map(.nodes[])[]],
        edges: [edge("c"; "l"), map(.edges[])[]]}}' | rset-match >graph.json
}

setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
    cp "$BATS_FILE_TMPDIR"/* .
}

# batch FILE [OPTION...]: print the answers to the lines on standard input.
batch() {
    rset-alloc batch - "$@"
}

# answers LINES FILE [OPTION...]: print the answers to LINES.
answers() {
    batch "${@:2}" <<<"$1"
}

# trouble LINE MESSAGE [COMMAND]: LINE is answered with status 2 and MESSAGE.
trouble() {
    printf '%s\n' "$1" | batch r.json --save after.json >answer
    jq -e --arg error "$2" --arg command "${3-${1%% *}}" '
        .status == 2 and .error == $error and .command == $command' answer
    cmp after.json r.json
}

# usage MESSAGE COMMAND...: COMMAND fails with a usage error of the whole batch.
usage() {
    refused "rset-alloc: $1 (try 'rset-alloc $3 --help')" "${@:2}"
}

# ends STATUS PID: a child ends with STATUS.
ends() {
    local status=0
    wait "$2" || status=$?
    [ $status = "$1" ]
}

# wait_for FILE: wait until FILE is not empty. Only a failure reaches the limit.
wait_for() {
    for _ in {1..30000}; do
        [ ! -s "$1" ] || return 0
        sleep 0.02
    done
    return 1
}

# --- answers ----------------------------------------------------------------

@test "allocate and grow answer with the job's R" {
    same "$(answers 'allocate 7 -N1
        grow 7 -n1' r.json)" \
        '{"command":"allocate","job":"7","status":0,"R":{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3","gpu":"0-1"}}],"nodelist":["n0"]},"attributes":{"system":{"scheduler":{"holds":"0"}}}}}
{"command":"grow","job":"7","status":0,"R":{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3","gpu":"0-1"}},{"rank":"1","children":{"core":"0"}}],"nodelist":["n[0-1]"]},"attributes":{"system":{"scheduler":{"holds":"0"}}}}}'
}

@test "allocated and available answer with their set" {
    same "$(answers 'allocate 1 -n2
        allocated 1
        allocated
        available' r.json | sed 1d)" \
        '{"command":"allocated","job":"1","status":0,"R":{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-1"}}],"nodelist":["n0"]}}}
{"command":"allocated","status":0,"R":{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-1"}}],"nodelist":["n0"]}}}
{"command":"available","status":0,"R":{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"2-3","gpu":"0-1"}},{"rank":"1-3","children":{"core":"0-3","gpu":"0-1"}}],"nodelist":["n[0-3]"]}}}'
}

@test "jobs answers with all jobs, or with one" {
    same "$(answers 'allocate 1 -N1
        allocate sim -n1 --owner ann
        jobs
        jobs sim
        jobs 2' r.json --no-R | tail -n 3)" \
        '{"command":"jobs","status":0,"jobs":[{"job":1,"state":"allocated","nodes":1,"cores":4,"gpus":2,"hosts":"n0","other":{},"ranks":"0","units":{"node":1}},{"job":"sim","owner":"ann","state":"allocated","nodes":1,"cores":1,"gpus":0,"hosts":"n1","other":{},"ranks":"1","units":{"core":1}}]}
{"command":"jobs","job":"sim","status":0,"jobs":[{"job":"sim","owner":"ann","state":"allocated","nodes":1,"cores":1,"gpus":0,"hosts":"n1","other":{},"ranks":"1","units":{"core":1}}]}
{"command":"jobs","job":"2","status":1,"why":"job 2 holds nothing"}'
}

@test "jobs and status have the data of -o json" {
    answers 'allocate 1 -N1
        drain n3 --reason "new kernel"
        jobs
        status
        status n3' r.json --save after.json >out
    same "$(sed -n 3p out | jq -c .jobs)" "$(rset-alloc jobs -o json after.json)"
    same "$(sed -n 4p out | jq -c .rows)" \
        "$(rset-alloc status -o json <after.json)"
    same "$(sed -n 5p out | jq -c .rows)" \
        "$(rset-alloc status n3 -o json after.json)"
}

@test "all other commands answer with their status alone" {
    same "$(answers 'allocate 1 -n2 --stage
        commit 1
        allocate 2 -n2 --stage
        abort 2
        shrink 1 --give /cluster0/n0/core1=1
        extend 1 --expiration +1h
        release 1
        expire
        down 0
        up 0
        drain 0
        undrain 0
        state 0 degraded
        tag 0 rack=7
        untag 0 rack
        property 0 fast' r.json --no-R)" \
        '{"command":"allocate","job":"1","status":0}
{"command":"commit","job":"1","status":0}
{"command":"allocate","job":"2","status":0}
{"command":"abort","job":"2","status":0}
{"command":"shrink","job":"1","status":0}
{"command":"extend","job":"1","status":0}
{"command":"release","job":"1","status":0}
{"command":"expire","status":0}
{"command":"down","status":0}
{"command":"up","status":0}
{"command":"drain","status":0}
{"command":"undrain","status":0}
{"command":"state","status":0}
{"command":"tag","status":0}
{"command":"untag","status":0}
{"command":"property","status":0}'
}

@test "a failed request gives its reason, with the statuses of the single commands" {
    same "$(answers 'allocate 1 -N4
        allocate 1 -n1
        allocate 2 -n1
        allocate 2 -N5
        release 2
        release 1 --give /cluster0/n0/core0=2
        undrain 0
        commit 1
        untag 0 rack' r.json --no-R | sed 1d)" \
        '{"command":"allocate","job":"1","status":1,"why":"job 1 holds resources already"}
{"command":"allocate","job":"2","status":1,"why":"need 1 slot with 1 core: none available (16 allocated)"}
{"command":"allocate","job":"2","status":3,"why":"need 5 whole nodes: there are 4"}
{"command":"release","job":"2","status":1,"why":"job 2 holds nothing"}
{"command":"release","job":"1","status":1,"why":"/cluster0/n0/core0 has a size of 1, not 2"}
{"command":"undrain","status":1,"why":"0: not drained"}
{"command":"commit","job":"1","status":1,"why":"nothing is staged for job 1"}
{"command":"untag","status":1,"why":"0 has no tag rack"}'
}

@test "a job is written as text, whether it is a number or a name" {
    same "$(answers 'allocate ƒD -n1
        allocate 0xd -n1
        release 12
        release 0xd' r.json --no-R)" \
        '{"command":"allocate","job":"12","status":0}
{"command":"allocate","job":"0xd","status":0}
{"command":"release","job":"12","status":0}
{"command":"release","job":"0xd","status":0}'
}

@test "R is written as an R, set in any other form" {
    line='allocate 1 --shape slot/socket'
    for form in r rv1 rv1-compact; do
        answers "$line" graph.json -o $form | jq -e '.R.version == 1'
    done
    for form in jgf jgf-compact; do
        answers "$line" graph.json -o $form | jq -e '.set.graph.nodes'
    done
    answers "$line" graph.json | jq -e '.set.graph.nodes'
    same "$(answers "$line" graph.json -o short)" \
        '{"command":"allocate","job":"1","status":0,"set":"rank0/core[0-1]"}'
    same "$(answers "$line" graph.json -o hosts)" \
        '{"command":"allocate","job":"1","status":0,"set":"n0"}'
    answers "$line" graph.json -o tree | jq -e '.set | startswith("cluster0\n")'
}

@test "--no-R leaves sets out, and nothing else" {
    same "$(answers 'allocate 1 -N1
        allocated 1
        available
        jobs 1' graph.json --no-R)" \
        '{"command":"allocate","job":"1","status":0}
{"command":"allocated","job":"1","status":0}
{"command":"available","status":0}
{"command":"jobs","job":"1","status":0,"jobs":[{"job":1,"state":"allocated","nodes":1,"cores":4,"gpus":0,"hosts":"n0","other":{"memory":16},"ranks":"0","units":{"node":1}}]}'
}

@test "an R without a graph omits what it can't express, with a warning" {
    run -0 --separate-stderr answers 'allocate 1 --take /cluster0/matlab=2' \
        graph.json -o r --save after.json
    jq -e '.status == 0' <<<"$output"
    [[ $stderr == *'an R without a graph '*'left out: '* ]]
}

@test "the status is 0 when all lines were answered, whatever the answers" {
    run -0 answers 'allocate 1 -N9
        nonsense
        release 3' r.json
    same "$(jq -c .status <<<"$output" | paste -sd ' ')" '3 2 1'
    run -0 batch r.json </dev/null
    same "$output" ''
}

# --- batch and pipe ---------------------------------------------------------

# as_in_a_pipe FILE: the lines of `commands` leave the same set as the same
# commands in a pipe, and answer with the same sets.
as_in_a_pipe() {
    local line status set answer answers
    rset-alloc batch commands "$1" --now 1000 --save saved.json >out 2>err
    cp "$1" now.json
    jq -c '.status, (.R // .set)' out >told
    exec {answers}<told
    while IFS= read -r line; do
        local -a words
        eval "words=($line)"
        case ${words[0]} in
        allocated) set=("${words[@]}" now.json) ;;
        available) set=("${words[@]}" --now 1000 now.json) ;;
        allocate | grow | expire | extend | down | drain | state)
            set=("${words[@]}" --now 1000 now.json)
            ;;
        *) set=("${words[@]}" now.json) ;;
        esac
        status=0
        rset-alloc "${set[@]}" >next.json 2>message || status=$?
        read -r answer <&"$answers"
        [ "$answer" = $status ]
        read -r answer <&"$answers"
        case $status:${words[0]} in
        0:allocated | 0:available)
            cmp next.json - <<<"$answer"
            ;;
        0:*) mv next.json now.json ;;
        esac
    done <commands
    run ! read -r answer <&"$answers"
    exec {answers}<&-
    cmp now.json saved.json
}

@test "a batch is the same commands in a pipe: an R" {
    cat >commands <<'END'
allocate 1 -n3 -c2
allocate 2 -N1 --duration 60
allocate 2 -n1
allocated 1
allocate 3 -N1 --at 1100 --duration 60
grow 1 -n1
available
available --at 1100
allocate 4 -n2 --requires 'rank:0-1'
drain 3 --reason 'new kernel'
allocate 5 -N2
release 1 --give /cluster0/n1/core0=1 --give /cluster0/n1/core1=1
allocate 6 -n1 --stage
commit 6
tag 0,2 rack=7
release 2
property n1 fast
allocate 7 -n1 --requires fast
shrink 1 --targets n1
extend 3 --expiration 1200
undrain n3
allocate 8 -N1 --owner ann
release 4
available
expire
END
    as_in_a_pipe r.json
}

@test "of a million equal nodes some are named, and the bytes come back" {
    rset-discover --hosts 'n[0-999999]' --cores 0-47 >set.json
    cat >commands <<'END'
allocate 1 --take /cluster0/n5/core3=1 --take /cluster0/n6=1
release 1 --give /cluster0/n6/core47=1
drain 7-9 --reason fan
down /cluster0/n999999/core0
status 5-6
undrain 8
up all
up /cluster0/n999999/core0
tag 8 row=B
property 8 big
exclusive 8
available
status
unexclusive 8
property 8 ^big
untag 8 row
undrain 7,9
release 1
END
    rset-alloc batch commands -o short --save saved set.json >out
    same "$(jq -r .status out | sort -u)" 0
    same "$(jq -r 'select(.command == "available").set' out)" \
        'rank[0-4,8,10-999999]/core[0-47] rank5/core[0-2,4-47] rank6/core47'
    same "$(jq -c '.rows.types[]? | [.type, .state, .size, .available]' out)" \
        '["node","mixed",2,2]
["core","up",96,48]
["cluster","up",1,1]
["node","idle",999996,999996]
["node","mixed",2,2]
["node","down",2,0]
["core","up",47999904,47999856]
["core","down",96,0]'
    cmp saved set.json
}

# changes N: print lines that change states and facts of some of N nodes and of
# their contents, in random order.
changes() {
    awk -v n="$1" '
    function some() { return int(rand() * n) }
    function what(r) {
        r = rand()
        return r < .3 ? some() : r < .5 ? "n" some() \
            : r < .7 ? "/cluster0/n" some() \
            : r < .85 ? "/cluster0/n" some() "/core" int(rand() * 4) \
            : "/cluster0/n" some() ",/cluster0/n" some() "/core1"
    }
    BEGIN {
        srand(7)
        split("drain|drain|undrain|down|up|state|tag|untag|property|" \
              "property|exclusive", words, "|")
        for (i = 0; i < 2 * n; i++) {
            word = words[1 + int(rand() * 11)]
            if (word == "property" || word == "exclusive")
                printf "%s %d", word, some()
            else
                printf "%s %s", word, what()
            if (word == "drain" && rand() < .5)
                printf " --reason x%d", some()
            if (word == "state")
                printf " failing"
            if (word == "tag")
                printf " k=%d", rand() * 3
            if (word == "untag")
                printf " k"
            if (word == "property")
                printf rand() < .3 ? " ^p" : " p=%d", rand() * 3
            print ""
        }
    }' </dev/null
}

@test "many changes give the same as single commands, where runs are cut" {
    local form command
    changes 50 >commands
    for form in r jgf; do
        rset-discover --hosts 'n[0-49]' --cores 0-3 --property p:3 -o $form \
            >set.json
        cp set.json one.json
        while read -r command; do
            # shellcheck disable=SC2086 # words of a command
            rset-alloc $command --in-place one.json || [ $? = 1 ]
        done <commands
        rset-alloc batch commands --save all.json set.json >answers
        run -1 grep '"status":2' answers
        cmp all.json one.json
    done
}

@test "the cost of a change follows its size, also in a store" {
    seq 0 7999 | shuf --random-source=<(yes 7) | sed 's/^/drain /' >commands
    rset-discover --hosts 'n[0-7999]' --cores 0-3 |
        rset-alloc load --store s.db -
    # Seconds of processor time. Visiting all nodes for each change would take
    # minutes.
    (ulimit -t 30 && rset-alloc batch commands --store s.db --group-commit) \
        >answers
    same "$(grep -c '"status":0' answers)" 8000
}

@test "a batch is the same commands in a pipe: a graph" {
    cat >commands <<'END'
allocate 1 --shape 'slot=2/socket'
allocate 2 --shape 'slot/[core=2;memory=5]' --duration 60
allocate 3 --take /cluster0/matlab=4
allocate 4 --take /cluster0/matlab=7
allocated 2
allocate 5 --shape 'node/slot/core=1'
available
grow 3 --take /cluster0/matlab=2
allocate 6 --take /cluster0/matlab=9 --at 2000 --duration 60
release 3 --give /cluster0/matlab=3
allocate 7 -N1
drain /cluster0/n3 --reason 'new kernel'
allocate 8 -N1
down /cluster0/n2/socket1
release 2 --give /cluster0/n1/socket0/memory0=2
tag /cluster0/matlab vendor=math
release 1
allocate 9 --shape 'slot/socket' --stage
abort 9
undrain /cluster0/n3
allocate 10 --shape 'slot=2/[socket;memory=1]'
available
release 10
END
    as_in_a_pipe graph.json
}

@test "releasing everything restores the bytes" {
    for set in r.json graph.json; do
        { printf 'allocate %d -n1 -c2\n' {1..6} && printf 'release %d\n' 3 1 5 2 6 4; } |
            batch $set --no-R --save after.json >out
        run ! grep -v '"status":0' out
        cmp after.json $set
    done
}

@test "a failed request and a wrong line change nothing" {
    for set in r.json graph.json; do
        rset-alloc allocate 1 -N1 $set | rset-alloc drain 3 >before.json
        answers 'allocate 1 -n1
            allocate 2 -N9
            allocate 2 -n1 --nodes
            allocate 2
            allocate 2 --take /cluster0/n1/core9=1
            allocate 2 --R nofile
            grow 2 -n1
            release 1 --give /cluster0/n0=1 --give /cluster0/n1=1
            release 1 --targets 9
            shrink 1 --give /cluster0/n0=1
            extend 1
            commit 1
            down 0,9
            tag /cluster0/n0,/cluster0/n9 k
            state 0 asleep
            property 9 fast
            status n9
            now yesterday
            allocate "2 -n1' before.json --save after.json >out
        run ! grep '"status":0' out
        [ "$(wc -l <out)" -eq 19 ]
        jq -es 'all(.why // .error)' out
        cmp after.json before.json
    done
}

@test "a set that the chosen form can't express is not allocated" {
    jq -c 'del(.execution.nodelist)' r.json >bare.json
    rset-alloc allocate 1 -n1 bare.json >before.json
    run -0 --separate-stderr answers 'allocate 2 -n1
        grow 1 -n1
        allocate 1 -n1 --grow
        allocated 1' before.json -o hosts --save after.json
    same "$(jq -r .error <<<"$output" | sort -u)" 'the set has no nodelist'
    cmp after.json before.json
}

# --- lines ------------------------------------------------------------------

@test "a line is split into words as sh does" {
    batch r.json --save after.json >out <<'END'
tag 0 a="x y" # comment
tag 0 'b=$HOME "\'
tag 0 "c=\"\\\$\`\x"
tag 0 d=x\ \#y
tag 0 e=a#b
"tag" 0 f"g"=''h
END
    run ! grep -v '"status":0' out
    jq -e '[.attributes.system.scheduler.tags[] | {(.tag): .value}] | add == {
        "a": "x y", "b": "$HOME \"\\", "c": "\"\\$`\\x", "d": "x #y",
        "e": "a#b", "fg": "h"}' after.json
}

@test "blank lines and comments have no answer" {
    same "$(printf '\n  \n\t\n# allocate 1 -n1\n  #\n\r\njobs\n' |
        batch r.json)" '{"command":"jobs","status":0,"jobs":[]}'
}

@test "lines end with LF, CR LF or the end of the file" {
    same "$(printf 'jobs\r\nnow 5\r\njobs' | batch r.json |
        jq -r .command | paste -sd ' ')" 'jobs now jobs'
    printf 'tag 0 k=v\r\n' | batch r.json --save after.json >out
    same "$(jq -r '.attributes.system.scheduler.tags[0].value' after.json)" v
}

@test "a long line, and many" {
    { printf 'tag 0 k=' && head -c 1000000 /dev/zero | tr '\0' x && echo; } |
        batch r.json --save after.json >out
    same "$(cat out)" '{"command":"tag","status":0}'
    [ "$(wc -c <after.json)" -gt 1000000 ]
    [ "$(yes jobs | head -n 20000 | batch r.json | sort -u)" = \
        '{"command":"jobs","status":0,"jobs":[]}' ]
}

@test "unreadable lines have status 2 in their place" {
    trouble 'allocate "1 -n1' 'a quote " is not closed'
    trouble "allocate '1 -n1" "a quote ' is not closed"
    # shellcheck disable=SC1003 # a backslash, and no quote
    trouble 'allocate 1 -n1 \' 'the line ends with a backslash'
    trouble 'alocate 1' '"alocate": there is no such command; near it: allocate, allocated'
    trouble 'nwo +1' '"nwo": there is no such command; near it: now'
    trouble '-n1' 'a command is expected, such as allocate or release'
    trouble 'allocate' 'allocate: a job is expected'
    trouble 'allocate 1 -n0' '-n: "0" is not a number from 1 to 2147483647'
    printf 'jobs\0 1\njobs\n' | batch r.json >out
    same "$(cat out)" '{"command":"","status":2,"error":"the line has a NUL byte"}
{"command":"jobs","status":0,"jobs":[]}'
}

@test "options that a line can't have are status 2" {
    trouble 'allocate 1 -n1 -w R.json' '--write: not in a batch'
    trouble 'allocate 1 -n1 -o short' '-o: not in a batch'
    trouble 'allocate 1 -n1 --dialect seed' '--dialect: not in a batch'
    trouble 'allocate 1 -n1 r.json' 'unexpected argument "r.json"'
    trouble 'expire --or-empty=x' '--or-empty: not in a batch'
    trouble 'expire -z' '-z: unknown option'
    trouble 'drain n0 n1' 'drain: unexpected argument "n1": did you mean n0,n1?'
    trouble 'extend 1 1h' 'extend: unexpected argument "1h": did you mean --duration 1h?'
    trouble 'available -' 'unexpected argument "-"'
    trouble 'jobs 1 r.json' 'unexpected argument "r.json"'
    trouble 'allocate 1 --R -' '--R -: not in a batch'
    trouble 'allocate 1 --jobspec -' '--jobspec -: not in a batch'
    trouble 'release 1 --expect-jobs' '--expect-jobs: not in a batch'
    trouble 'jobs --save x' 'jobs does not take --save'
    trouble 'jobs --help' '--help: not in a batch'
    trouble 'batch commands' 'batch: not in a batch'
    trouble 'check' 'check: not in a batch'
    [ ! -e R.json ]
}

@test "options of a line apply to that line alone" {
    same "$(answers 'allocate 1 -n1 -c2 --requires rank:2 --owner ann
        allocate 2
        allocate 2 -n1 --shape core
        allocate 2 -n1
        jobs' r.json -o short)" \
        '{"command":"allocate","job":"1","status":0,"set":"rank2/core[0-1]"}
{"command":"allocate","job":"2","status":2,"error":"allocate: a request is expected: -n, -N, --shape, --jobspec, --R, --take or --targets"}
{"command":"allocate","job":"2","status":2,"error":"-n and --shape exclude each other"}
{"command":"allocate","job":"2","status":0,"set":"rank0/core0"}
{"command":"jobs","status":0,"jobs":[{"job":1,"owner":"ann","state":"allocated","nodes":1,"cores":2,"gpus":0,"hosts":"n2","other":{},"ranks":"2","units":{"core":2}},{"job":2,"state":"allocated","nodes":1,"cores":1,"gpus":0,"hosts":"n0","other":{},"ranks":"0","units":{"core":1}}]}'
}

@test "a line may name files: a jobspec, an R" {
    cat >job.yaml <<'END'
version: 1
resources: [{type: slot, label: a, count: 1, with: [{type: core, count: 2}]}]
tasks: [{command: [a], slot: a, count: {per_slot: 1}}]
attributes: {system: {duration: 60}}
END
    rset-match -n1 r.json >R.json
    answers 'allocate 1 --jobspec job.yaml
        allocate 2 --R R.json
        release 1
        allocate 2 --R R.json' r.json --now 1000 -o r >out
    same "$(jq -c '[.status, .why, .R.execution.expiration]' out)" '[0,null,1060]
[1,"/cluster0/n0/core0 is held by job 1",null]
[0,null,null]
[0,null,null]'
}

@test "an answer is UTF-8, whatever bytes the line has" {
    printf '\xff\xfe\nallocate \xff -n1\nallocate 1 --R %s\xc3\njobs\n' \
        "$(printf 'ä%.0s' {1..400})" | batch r.json >out
    same "$(jq -c .status out | paste -sd ' ')" '2 2 2 0'
    iconv -f UTF-8 -t UTF-8 out >/dev/null
}

# --- the clock --------------------------------------------------------------

@test "now TIME sets the time for the lines after it" {
    same "$(answers 'now 1000
        allocate 1 -n1 --duration 60
        now +30
        allocate 2 -n1 --duration 60
        allocate 3 -n1 --duration 60 --now +5
        now now
        jobs' r.json --no-R | tail -n 1 | jq -c '.jobs[] | [.job, .start]')" \
        '[1,1000]
[2,1030]
[3,1035]'
}

@test "--now sets the time until a line sets another" {
    answers 'allocate 1 -n1 --duration 60
        now +10
        allocate 2 -n1 --duration 60
        jobs 2' r.json --now 1000 >out
    same "$(sed -n 1p out | jq .R.execution.starttime)" 1000
    same "$(sed -n 4p out | jq -c '.jobs[].start')" 1010
}

@test "without --now and now, each line reads the clock" {
    coproc rset { rset-alloc batch - r.json; }
    local start=() line
    for job in 1 2; do
        echo "allocate $job -n1 --duration 60" >&"${rset[1]}"
        read -rt 600 line <&"${rset[0]}"
        start+=("$(jq .R.execution.starttime <<<"$line")")
        sleep 0.05
    done
    jq -en "${start[0]} < ${start[1]}"
}

@test "a given time is kept with a reason" {
    answers 'drain 0 --reason why' r.json --save after.json >out
    rset-alloc drain 0 --reason why r.json | cmp - after.json
    answers 'drain 0 --reason why' r.json --now 1000 --save after.json >out
    rset-alloc drain 0 --reason why --now 1000 r.json | cmp - after.json
    answers $'now 1000\ndrain 0 --reason why' r.json --save after.json >out
    rset-alloc drain 0 --reason why --now 1000 r.json | cmp - after.json
}

@test "expire drops ended jobs and lists them beside the answers" {
    run -0 --separate-stderr answers 'allocate 1 -n1 --duration 60
        now +61
        jobs 1
        expire
        jobs' r.json --now 1000 --no-R
    same "$stderr" 'rset-alloc: r.json: job 1 ended at 1970-01-01T00:17:40Z'
    same "$(tail -n 3 <<<"$output" | jq -c '[.jobs[]?.state]')" '["ended"]
[]
[]'
}

# --- one answer at a time ---------------------------------------------------

@test "a coprocess has each answer before it sends the next line" {
    coproc rset { rset-alloc batch - r.json -o short --save after.json; }
    local line pid=$rset_PID
    ask() {
        echo "$*" >&"${rset[1]}"
        read -rt 600 line <&"${rset[0]}"
    }
    ask allocate 1 -N1
    same "$line" '{"command":"allocate","job":"1","status":0,"set":"rank0/core[0-3],gpu[0-1]"}'
    for job in {2..50}; do
        ask allocate "$job" -n1
        [[ $line == *',"set":"rank1/core0"}' ]]
        ask release "$job"
    done
    printf 'jobs\nav' >&"${rset[1]}" # and half a line
    read -rt 600 line <&"${rset[0]}"
    same "$line" '{"command":"jobs","status":0,"jobs":[{"job":1,"state":"allocated","nodes":1,"cores":4,"gpus":2,"hosts":"n0","other":{},"ranks":"0","units":{"node":1}}]}'
    ask ailable
    [[ $line == '{"command":"available",'* ]]
    to=${rset[1]}
    eval "exec $to>&-"
    wait "$pid"
    same "$(rset-alloc jobs after.json | wc -l)" 2
}

# --- the end ----------------------------------------------------------------

@test "--save writes the set at the end, also to the file it was read from" {
    cp r.json set.json
    chmod 640 set.json
    answers 'allocate 1 -n1' set.json --save set.json >out
    rset-alloc allocate 1 -n1 r.json | cmp - set.json
    [ "$(stat -c %a set.json)" = 640 ]
    same "$(ls)" "$(printf '%s\n' graph.json out r.json set.json)"
    answers '' r.json --save after.json
    cmp after.json r.json
}

@test "without --save nothing is kept" {
    cp r.json before.json
    answers 'allocate 1 -n1' r.json >out
    cmp r.json before.json
    same "$(ls)" "$(printf '%s\n' before.json graph.json out r.json)"
}

@test "--save writes the form of -o if that is a document" {
    answers 'allocate 1 -n1' r.json -o jgf --save after.json >out
    rset-alloc allocate 1 -n1 -o jgf r.json | cmp - after.json
    answers 'allocate 1 -n1' r.json -o short --save after.json >out
    rset-alloc allocate 1 -n1 r.json | cmp - after.json
}

@test "the file of --save is checked before anything is done" {
    needs /dev/full
    echo jobs >commands
    usage '--save: a file is expected, standard output has the answers' \
        rset-alloc batch commands r.json --save -
    usage '--save: a file is expected, standard output has the answers' \
        rset-alloc batch commands r.json --save=
    usage '--save: "commands" is the file of the commands' \
        rset-alloc batch commands r.json --save commands
    refused 'rset-alloc: nowhere/x: No such file or directory' \
        rset-alloc batch commands r.json --save nowhere/x
    refused 'rset-alloc: .: Is a directory' \
        rset-alloc batch commands r.json --save .
    run -2 --separate-stderr rset-alloc batch commands r.json --save /dev/full
    same "$stderr" 'rset-alloc: /dev/full: No space left on device'
}

@test "commands and the set can't both come from standard input" {
    usage 'batch -: the document needs a file of its own' rset-alloc batch -
    usage 'batch -: the document needs a file of its own' rset-alloc batch - -
    echo jobs >commands
    same "$(rset-alloc batch commands <r.json)" \
        '{"command":"jobs","status":0,"jobs":[]}'
}

@test "options that read standard input are refused in a line" {
    for name in - /dev/stdin /dev/fd/0 /proc/self/fd/0; do
        trouble "allocate 1 --jobspec $name" '--jobspec -: not in a batch'
        trouble "release 1 --R $name" '--R -: not in a batch'
    done
}

@test "the command is the first operand, also behind options" {
    echo '--now 5 jobs' | batch r.json >out
    same "$(cat out)" '{"command":"jobs","status":0,"jobs":[]}'
    trouble '--now 5 jobs --zebra' '--zebra: unknown option' jobs
    trouble '--now 5 zebra' '"zebra": there is no such command' zebra
}

@test "a fault in a reason changes nothing" {
    for command in 'down 0' 'drain 0' 'state 0 down'; do
        trouble "$command --reason ''" '--reason: the text is empty'
    done
}

@test "options and operands that a batch refuses" {
    usage 'batch: a file of commands is expected, or -' rset-alloc batch
    usage 'batch does not take a request' rset-alloc batch - -n1 r.json
    usage 'batch does not take --write' rset-alloc batch - -w x r.json
    usage 'jobs does not take --no-R' rset-alloc jobs --no-R r.json
    usage 'jobs does not take --save' rset-alloc jobs --save x r.json
    refused 'rset-alloc: r.json: there is no job in it: its records are lost' \
        rset-alloc batch - --expect-jobs r.json
}

@test "command files that can't be read" {
    refused 'rset-alloc: nofile: No such file or directory' \
        rset-alloc batch nofile r.json
    refused 'rset-alloc: .: Is a directory' rset-alloc batch . r.json
    run -2 --separate-stderr bash -c 'rset-alloc batch - r.json <&-'
    same "$output$stderr" 'rset-alloc: stdin: Bad file descriptor'
}

@test "answers that can't be written: the set is saved, status 2" {
    needs /dev/full
    echo 'allocate 1 -n1' >commands
    rset-alloc allocate 1 -n1 r.json >want.json
    for out in '>/dev/full' '>&-'; do
        rm -f after.json
        run -2 --separate-stderr bash -c \
            "rset-alloc batch commands r.json --save after.json $out"
        [[ $stderr == 'rset-alloc: standard output: '* ]]
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
        cmp after.json want.json
    done
}

@test "a reader that goes away: the set is saved, status 2" {
    mkfifo lines answers
    rset-alloc batch lines r.json --save after.json >answers 2>err &
    pid=$!
    exec 5<answers 4>lines
    echo 'allocate 1 -n1' >&4
    read -rt 60 _ <&5
    exec 5<&-
    echo 'allocate 2 -n1' >&4
    ends 2 $pid
    exec 4>&-
    same "$(cat err)" 'rset-alloc: standard output: Broken pipe'
    rset-alloc allocate 1 -n1 r.json | rset-alloc allocate 2 -n1 |
        cmp - after.json
}

@test "SIGTERM, SIGINT, SIGHUP: the set is saved, status 2" {
    mkfifo lines
    for signal in TERM INT HUP; do
        rm -f after.json answers
        # A shell starts background commands with SIGINT ignored, nohup starts
        # all with SIGHUP ignored.
        env --default-signal=INT,HUP rset-alloc batch lines r.json \
            --save after.json >answers 2>err &
        pid=$!
        exec 4>lines
        echo 'allocate 1 -n1' >&4
        wait_for answers
        kill -$signal $pid
        ends 2 $pid
        exec 4>&-
        same "$(cat err)" 'rset-alloc: lines: stopped by a signal'
        rset-alloc allocate 1 -n1 r.json | cmp - after.json
    done
}

@test "a signal while nobody reads the answers: the set is saved, status 2" {
    needs /proc/self/stat
    mkfifo answers
    { echo 'allocate 1 -n1'; yes jobs | head -n 5000; } >commands
    rset-alloc batch commands r.json --save after.json >answers 2>err &
    pid=$!
    exec 5<answers
    read -rn 1 _ <&5
    # the batch sleeps when the pipe is full
    until [[ $(<"/proc/$pid/stat") == *') S '* ]]; do
        sleep 0.02
    done
    kill $pid
    ends 2 $pid
    same "$(cat err)" 'rset-alloc: standard output: nobody reads it'
    rset-alloc allocate 1 -n1 r.json | cmp - after.json
}

# --- for a long time --------------------------------------------------------

@test "lines that fail leak no memory" {
    [ -z "${SAN-}" ] || skip 'the sanitizers keep what was freed'
    rset-alloc allocate 7 -N1 r.json >held.json
    echo '{"version":1' >bad.json
    cat >kinds <<'END'
allocate 1 --shape cluster
allocate 1 --shape 'slot/['
allocate 1 -n99 --explain
allocate 1 -N1 -n1 -N9 -n1
allocate 1 -N1 --requires zebra
allocate 1 -N1 --requires 'a|b' --requires 'a and ('
allocate 1 -N1 --constraint '{"and":[{"properties":["x"]},{"hostlist":[3]}]}'
allocate 1 -N1 --duration 1h --duration zebra --owner me
allocate 1 --jobspec nofile --jobspec nofile
allocate 1 --R bad.json
allocate 1 --R r.json
allocate 7 -N2
grow 7 --take /cluster0/n1=1 --take /cluster0/n1=1
grow 7 --take /cluster0/n0/core1=1
release 7 --give /cluster0/n1/core1=zebra
release 7 --give /cluster0/n1/core1=1
release 7 --targets 'n[3'
shrink 7 --targets 0
drain n1 --reason ''
tag /cluster0/n1,/cluster0/n9 key
status --now 1 --now zebra
allocated --zebra
state n1 zebra
"a quote
--now
END
    coproc rset-alloc batch - held.json
    exec 4>&"${COPROC[1]}" 5<&"${COPROC[0]}"
    # memory_after N: print the memory of the batch after N more lines.
    memory_after() {
        yes "$(cat kinds)" | head -n "$1" >&4 &
        head -n "$1" <&5 | grep -vc '"status":0' >failed
        awk '/^VmData:/ { print $2 }' /proc/"$COPROC_PID"/status
    }
    before=$(memory_after 2000)
    same "$(cat failed)" 2000
    after=$(memory_after 100000)
    exec 4>&- 5<&-
    [ $((after - before)) -lt 512 ] # it keeps the buffer for a full pipe
}
