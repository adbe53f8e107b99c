#!/usr/bin/env bats
# Bad input gives the same in every program that reads documents: status 2, one
# line on standard error with place and fault, and nothing on standard output,
# also if good documents came first. unit/test_refused has the faults and their
# messages.

load common

# An R of two nodes, and the same as a graph.
R='{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-3"}}],"nodelist":["n[0-1]"]}}'

# Every way to read one document on standard input.
readers=(
    'rset-match'
    'rset-match -n1'
    'rset-match --count core'
    'rset-match -o short'
    'rset-alloc allocate 1 -n1'
    'rset-alloc release 1'
    'rset-alloc allocated'
    'rset-alloc available'
    'rset-diff --union -'
)

# all_refuse MESSAGE TEXT: every reader refuses TEXT with MESSAGE, also at the
# end of a stream of good documents.
all_refuse() {
    local message=$1 reader
    printf '%s' "$2" >bad
    printf '%s\n%s\n%s' "$R" "$R" "$2" >late
    for reader in "${readers[@]}"; do
        # shellcheck disable=SC2086 # words of a command
        refused "${reader%% *}: $message" $reader <bad || {
            echo "reader: $reader, text: $2"
            return 1
        }
        # shellcheck disable=SC2086
        run -2 --separate-stderr $reader <late
        if [ -n "$output" ] || [ "${#stderr_lines[@]}" != 1 ]; then
            printf 'after good ones: %s\nstdout: %s\nstderr: %s\n' \
                "$reader" "$output" "$stderr"
            return 1
        fi
    done
}

# r EXECUTION: print an R with this text in its execution.
r() {
    printf '{"version":1,"execution":{%s}}' "$1"
}

# entry RANK CHILDREN: print an R of one entry with one host.
entry() {
    r "\"R_lite\":[{\"rank\":$1,\"children\":$2}],\"nodelist\":[\"n0\"]"
}

# graph NODES EDGES: print a bare graph under a cluster "0" with a node "1".
graph() {
    printf '{"graph":{"nodes":[%s,%s%s],"edges":[%s%s]}}' \
        '{"id":"0","metadata":{"type":"cluster","id":0}}' \
        '{"id":"1","metadata":{"type":"node","id":0,"rank":0,"name":"n0"}}' \
        "${1:+,$1}" '{"source":"0","target":"1"}' "${2:+,$2}"
}

# --- the stream ------------------------------------------------------------

@test "empty input is no document" {
    for reader in "${readers[@]}"; do
        # shellcheck disable=SC2086
        refused "${reader%% *}: stdin: empty input: expected a document" \
            $reader </dev/null
        # shellcheck disable=SC2086
        refused "${reader%% *}: stdin: empty input: expected a document" \
            $reader < <(printf ' \n\t\r\n')
    done
}

@test "every reader refuses a cut, garbage, a wrong R, graph or record" {
    all_refuse 'stdin:1: line 1, column 13: input ends in the middle of a document' \
        '{"version":1'
    all_refuse 'stdin:1: line 1, column 14: duplicate object key "version"' \
        '{"version":1,"version":1}'
    all_refuse 'stdin:1: a list; expected an object' '[]'
    all_refuse 'stdin:1: execution.nodelist: 1 hosts for 2 ranks' \
        "$(entry '"0-1"' '{"core":"0"}')"
    all_refuse 'stdin:1: graph.edges[1].target: "9" is not among the vertices' \
        "$(graph '' '{"source":"1","target":"9"}')"
    all_refuse 'stdin:1: attributes.system.scheduler.allocations: 5: expected a list' \
        "${R%\}},\"attributes\":{\"system\":{\"scheduler\":{\"allocations\":5}}}}"
}

@test "every program reports a fault in JSON with line and column" {
    local text=$'{"version":1,\n "execution":{"R_lite":[,]}}'

    all_refuse 'stdin:1: line 2, column 25: ",": expected a value' "$text"
    printf %s "$text" >jobspec
    refused 'rset-match: jobspec: line 2, column 25: ",": expected a value' \
        rset-match --jobspec jobspec <<<"$R"
    all_refuse 'stdin:1: line 2, column 9: "{": expected a key in quotes' \
        $'{"a":[{}],\n "b":{},{"x y"}}'
}

# other TEXT KIND: the message calls TEXT a KIND of input, also if it comes from
# a pipe byte by byte.
other() {
    printf %b "$1" >in
    refused "rset-match: in: line 1, column 1: expected JSON, and this is $2" rset-match in
    refused "rset-match: stdin: line 1, column 1: expected JSON, and this is $2" \
        rset-match < <(head -c 1 in; sleep 0.1; tail -c +2 in)
}

@test "input that is not JSON is named, with a hint how to convert it" {
    other '\x1f\x8b\x08\x00' 'compressed by gzip: gzip -dc'
    other '\xef\xbb\xbf{"version":1}' \
        'text behind a byte order mark: tail -c +4'
    other '\xff\xfe{\0' 'UTF-16: iconv -f UTF-16 -t UTF-8'
    other '{\0"\0' 'UTF-16: iconv -f UTF-16LE -t UTF-8'
    other '<?xml version="1.0"?>' \
        'XML: rset-discover --xml reads XML of hwloc'
    other 'SQLite format 3\0\x10' 'a store: rset-alloc reads it with --store'
    refused 'rset-discover: in: expected a configuration, and this is a store: rset-alloc reads it with --store' \
        rset-discover --config in
    rset-match < <(gzip <<<"$R" | gzip -dc)
    echo 'version: 1' | gzip >spec.gz
    rset-match <<<"$R" >r.json
    refused 'rset-match: spec.gz: expected a jobspec, and this is compressed by gzip: gzip -dc' \
        rset-match --jobspec spec.gz r.json
    refused 'rset-match: /dev/zero: too large for a jobspec' \
        rset-match --jobspec /dev/zero r.json
    rset-match < <({ printf '\xef\xbb\xbf'; echo "$R"; } | tail -c +4)
    rset-match < <(iconv -f UTF-8 -t UTF-16 <<<"$R" | iconv -f UTF-16 -t UTF-8)
}

@test "an R in an object is named with its place, a part of an R as a part" {
    local no='neither an R nor a graph: it has no `version`, `execution`, `scheduling` or `graph`'

    all_refuse "stdin:1: $no; there is an R or a graph at .R: jq .R" \
        "{\"id\":7,\"R\":$R}"
    all_refuse "stdin:1: $no; there is an R or a graph at .data.allocation: jq .data.allocation" \
        "{\"data\":{\"id\":7,\"allocation\":$R}}"
    jq -c .data.allocation <<<"{\"data\":{\"allocation\":$R}}" | rset-match
    all_refuse "stdin:1: $no; this is the \`execution\` of an R: jq '{version: 1, execution: .}'" \
        "$(jq -c .execution <<<"$R")"
    jq -c .execution <<<"$R" | jq '{version: 1, execution: .}' | rset-match
    all_refuse "stdin:1: $no; this is an event of an eventlog, which has no R in it" \
        '{"timestamp":1.5,"name":"submit","context":{"userid":5}}'
    all_refuse "stdin:1: $no; there is \"exection\"; near it: execution" \
        '{"exection":{}}'
}

@test "all, down and allocated of a scheduler are one set, in any order" {
    local keys

    rset-discover --hosts 'n[0-3]' --cores 0-3 >all
    rset-match --include n3 all >down
    rset-match -n1 -c2 all >held
    jq -cn --slurpfile a all --slurpfile d down --slurpfile h held \
        '{all: $a[0], down: $d[0], allocated: $h[0]}' >status.json
    for keys in . '{allocated, all, down}' '{down, allocated, all}'; do
        run -0 rset-match -o tree < <(jq -c "$keys" status.json)
        same "$output" 'cluster0  shared by allocated
  n0  rank0  shared by allocated
    core[0-1]  held by allocated
    core[2-3]
  n[1-2]  rank[1-2]
    core[0-3]
  n3  rank3  down
    core[0-3]'
        rset-match --validate --strict < <(jq -c "$keys" status.json)
    done
    rset-match -o jgf all | jq -c '{scheduling: .}' >graph
    jq -c --slurpfile g graph '.all += $g[0]' status.json |
        rset-match -o r | rset-diff - status.json
    # nothing is down or allocated
    jq -c '{all, down: null}' status.json >idle
    rset-match idle | cmp - all
}

@test "an answer that no scheduler gives is refused, with its place" {
    all_refuse 'stdin:1: down: an R with an `execution` is expected' \
        "{\"down\":{},\"all\":$R}"
    all_refuse 'stdin:1: version: only `down` and `allocated` may be beside `all`, which is an R' \
        "{\"all\":$R,\"version\":1}"
    run -1 rset-match --validate <<<"{\"all\":$R,\"version\":1}"
    same "$output" 'stdin:1: version: only `down` and `allocated` may be beside `all`, which is an R [no-document]'
    all_refuse 'stdin:1: states[0]: rank 7 is not in the set' \
        "{\"all\":$R,\"down\":$(entry '"7"' '{"core":"0"}')}"
    all_refuse 'stdin:1: all.execution.R_lite[0].rank: "x": unexpected "x" at offset 0' \
        "{\"all\":$(entry '"x"' '{}')}"
    all_refuse 'stdin:1: allocated: `all` has such records itself' \
        "$(rset-alloc allocate 1 -n1 <<<"$R" | jq -c '{all: ., allocated: .}')"
    all_refuse 'stdin:1: allocated: `all` has such records itself' \
        "$(rset-alloc allocate 1 -n1 <<<"$R" | rset-match -o rv1 |
            jq -c '{all: ., allocated: .}')"
}

@test "only documents may follow a document" {
    printf '%s garbage' "$R" >in
    for reader in "${readers[@]}"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr $reader <in
        [ -z "$output" ]
        [[ $stderr == "${reader%% *}: stdin:2: "* ]]
        [ "${#stderr_lines[@]}" = 1 ]
    done
}

@test "the second bad document has its number in the message, a file its name" {
    printf '%s\n{}' "$R" >in
    refused "rset-match: in:2: $(rset-match 2>&1 <<<'{}' | sed 's/^[^:]*: stdin:1: //')" \
        rset-match in
    refused "rset-match: stdin:2: $(rset-match 2>&1 <<<'{}' | sed 's/^[^:]*: stdin:1: //')" \
        rset-match - <in
}

@test "a NUL byte is refused by every reader" {
    printf '{"version":1\0%s' "${R#'{"version":1'}" >in
    for reader in "${readers[@]}"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr $reader <in
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" = 1 ]
    done
}

@test "a message never carries control characters of the input" {
    printf '{"version":"\\u001b[31m\\n"}' >in
    refused 'rset-match: stdin:1: version: "\x1b[31m\x0a": expected version 1' \
        rset-match <in
    printf '{"version":"x\0y"}' >in
    refused 'rset-match: stdin:1: line 1, column 12: "x...": control character 0x0' \
        rset-match <in
    printf '{"version":"\\u0000"}' >in
    refused 'rset-match: stdin:1: line 1, column 12: "\u0000": \u0000 is not allowed' \
        rset-match <in
    printf '\033[31m' >in
    run -2 --separate-stderr rset-match <in
    [ "${#stderr_lines[@]}" = 1 ]
    [[ $stderr != *$'\033'* ]]
}

# --- files ----------------------------------------------------------------

@test "a missing file and a directory have their name in the message" {
    mkdir dir
    for command in rset-match 'rset-alloc release 1' 'rset-alloc allocated 1' \
        'rset-alloc available' 'rset-alloc allocate 1 -n1' 'rset-diff'; do
        # shellcheck disable=SC2086
        refused "${command%% *}: gone.json: No such file or directory" \
            $command gone.json
        # shellcheck disable=SC2086
        refused "${command%% *}: dir: Is a directory" $command dir
    done
}

@test "a bad file spoils those before it" {
    echo "$R" >good
    run -2 --separate-stderr rset-match good gone
    [ -z "$output" ]
    echo "$R {" >bad
    run -2 --separate-stderr rset-match good bad
    [ -z "$output" ]
}

@test "an empty file among others is an error" {
    echo "$R" >good
    : >empty
    refused 'rset-match: empty: empty input: expected a document' \
        rset-match good empty
    refused 'rset-diff: empty: empty input: expected a document' \
        rset-diff good empty
}

@test "a full disk is status 2 and a message" {
    needs /dev/full
    echo "$R" >in
    for command in 'rset-match' 'rset-match -n1' 'rset-match -o short' \
        'rset-match --count core' 'rset-alloc available' \
        'rset-alloc allocated' 'rset-alloc allocate 1 -n1' \
        'rset-match --help' 'rset-match --version' 'rset-diff --help' \
        'rset-alloc --version'; do
        status=0
        bash -c "$command <in >/dev/full 2>err" || status=$?
        [ "$status" = 2 ]
        [ "$(cat err)" = "${command%% *}: standard output: No space left on device" ]
    done
    status=0
    bash -c 'rset-diff --union in in >/dev/full 2>err' || status=$?
    [ "$status" = 2 ]
    [ "$(cat err)" = 'rset-diff: standard output: No space left on device' ]
}

@test "closed standard output is an error, not silence" {
    echo "$R" >in
    run -2 --separate-stderr bash -c 'rset-match in >&-'
    [ "${#stderr_lines[@]}" = 1 ]
}

@test "a reader that goes away ends a program quietly by SIGPIPE" {
    echo '{"version":1,"execution":{"R_lite":[{"rank":"0-20000","children":{"core":"0"}}],"nodelist":["n[0-20000]"]}}' >in
    for command in 'rset-match -o jgf in' 'rset-alloc available -o jgf in' \
        'rset-diff --union -o jgf in in'; do
        run -0 --separate-stderr bash -c \
            "$command | head -c1; exit \$((PIPESTATUS[0] == 141 ? 0 : 9))"
        [ "$output" = '{' ]
        [ -z "$stderr" ]
    done
}

# --- usage ----------------------------------------------------------------

@test "a near miss of an option, a command or a form is named" {
    refused "rset-match: --reqires: unknown option; near it: --requires (try 'rset-match --help')" \
        rset-match --reqires n0
    refused "idset: --exapnd: unknown option; near it: --expand (try 'idset --help')" \
        idset --exapnd 3
    refused "rset-alloc: \"alocate\": there is no such command; near it: allocate, allocated (try 'rset-alloc --help')" \
        rset-alloc alocate 1 -n1
    refused "rset-match: --output: there is no form \"jfg\"; near it: jgf (try 'rset-match --help')" \
        rset-match -o jfg
}

@test "an unknown option is one line that points to --help" {
    for program in rset-match rset-alloc rset-diff; do
        refused "$program: --bogus: unknown option (try '$program --help')" \
            "$program" --bogus
        run -2 --separate-stderr "$program" -o nonsense <<<"$R"
        [ -z "$output" ]
        [[ $stderr == *"(try '$program --help')" ]]
    done
}

# --- R ---------------------------------------------------------------------

@test "a starttime and an expiration of 0 are unset" {
    run -0 rset-match <<<"$(r '"R_lite":[],"nodelist":[],"starttime":0.0,"expiration":0.0')"
    same "$output" '{"version":1,"execution":{"R_lite":[],"nodelist":[]}}'
}

# --- graphs ----------------------------------------------------------------

# vertex METADATA: print a graph with a core of this metadata.
vertex() {
    graph "{\"id\":\"2\",\"metadata\":{\"type\":\"core\",$1}}" \
        '{"source":"1","target":"2"}'
}

@test "a graph of one vertex needs no edges" {
    run -0 rset-match -o jgf-compact \
        <<<'{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0}}]}}'
    same "$output" '{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0,"rank":-1,"paths":{"containment":"/cluster0"}}}],"edges":[]}}'
}

@test "a graph without any edge is linked by its paths" {
    rset-discover --hosts 'n[0-2]' --synthetic 'pack:2 core:2 pu:1' -o jgf >all
    jq -c '.graph.edges = []' all | rset-match -o jgf | cmp - all
    jq -c 'del(.graph.edges) | .graph.nodes |= reverse' all | rset-match -o jgf | cmp - all
    jq -c 'del(.graph.edges, .graph.nodes[].metadata.rank) |
        (.graph.nodes[] | select(.metadata.type == "node")).metadata.rank = 7 |
        .graph.nodes |= .[:8]' all | rset-match -o short >out
    same "$(cat out)" 'rank7/core[0-1]'
    # but not if there is an edge
    jq -c '.graph.edges |= .[:3]' all >few
    run -2 --separate-stderr rset-match few
    [[ $stderr == *'containment has two roots' ]]
    jq -c 'del(.graph.edges, .graph.nodes[].metadata.paths)' all >none
    refused 'rset-match: none: graph: a graph of several vertices needs edges' \
        rset-match none
}

# edges WORD...: print the graph cluster - node - core with these edges between
# cluster and node. `in` is an edge in reverse.
edges() {
    local word between=

    for word; do
        [ "$word" = in ] && between+='{"source":"n","target":"r"' ||
            between+='{"source":"r","target":"n"'
        between+=",\"metadata\":{\"subsystem\":\"containment\",\"relationship\":\"$word\"}},"
    done
    printf '{"graph":{"nodes":[%s,%s,%s],"edges":[%s{"source":"n","target":"c"}]}}\n' \
        '{"id":"r","metadata":{"type":"cluster","id":0}}' \
        '{"id":"n","metadata":{"type":"node","id":0,"rank":0}}' \
        '{"id":"c","metadata":{"type":"core","id":0}}' "$between"
}

@test "a relationship of containment is kept, and a reverse edge adds nothing" {
    edges contains >plain
    rset-match plain >want
    for words in in 'in contains' 'contains in' 'in contains in'; do
        # shellcheck disable=SC2086 # words
        edges $words | rset-match | cmp - want
    done
    for words in has 'has in' 'in has' 'in has in has'; do
        # shellcheck disable=SC2086 # words
        edges $words >has
        rset-match has >once
        [[ $(<once) == *'"target":"1","metadata":{"subsystem":"containment","relationship":"has"}}'* ]]
        rset-match once | cmp - once
        rset-match -o jgf has | rset-match -o jgf-compact | cmp - once
        rset-alloc allocate 1 -n1 once | rset-alloc release 1 | cmp - once
        rset-diff --patch once want >changes
        rset-diff --apply changes once | cmp - want
        run -0 --separate-stderr rset-match -o r has
        same "$stderr" ''
        run -0 --separate-stderr rset-match -o rv1 --dialect current has
        same "$stderr" 'rset-match: warning: has: graphs of the current edition have no relationships: 1 is left out'
        [[ $output != *has* ]]
    done
    edges has holds >both
    refused 'rset-match: both: graph.edges[1]: "holds": there is such an edge with "has"' \
        rset-match both
}

@test "tags are an object or a list of names" {
    for tags in 5 '"a"' true null '[5]' '["a",{}]'; do
        printf '{"graph":{"nodes":[{"id":"c","metadata":{"type":"core","tags":%s}}]}}' \
            "$tags" >bad
        run -2 --separate-stderr rset-match bad
        [[ $stderr == 'rset-match: bad: graph.nodes[0].metadata.tags'*': expected a'* ]]
    done
}

@test "a near miss of a key is named" {
    printf '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["a"],"expiraton":5}}' >r
    run -0 --separate-stderr rset-match -o short r
    same "$stderr" 'rset-match: warning: r: the key "expiraton" is unknown; near it: expiration'
    printf '{"version":1,"execution":{"Rlite":[]}}' >r
    refused 'rset-match: r: execution: R_lite is missing; near it: Rlite' rset-match r
    printf '{"version":1,"execution":{"R_lite":[{"rank":"0","childern":{"core":"0"}}]}}' >r
    refused 'rset-match: r: execution.R_lite[0].children: missing: expected an object; near it: childern' \
        rset-match r
    # other unknown keys are kept without a warning
    printf '{"version":1,"execution":{"R_lite":[],"nodelist":[],"note":1,"ranking":2}}' >r
    run -0 --separate-stderr rset-match r
    same "$output$stderr" "$(cat r)"
}

@test "containment may be 200 deep and no deeper" {
    needs jq
    deep() {
        jq -nc --argjson n "$1" '{graph: {
            nodes: [range($n + 1) | {id: "\(.)", metadata: {id: 0,
                type: (if . == 0 then "cluster" else "group" end)}}],
            edges: [range($n) | {source: "\(.)", target: "\(. + 1)"}]}}'
    }
    deep 199 >in
    run -0 rset-match -o jgf in
    run -0 rset-match -o tree in
    [ "${#lines[@]}" = 200 ]
    for depth in 200 201 1000; do
        deep "$depth" >in
        refused 'rset-match: in: graph.nodes[200]: containment is deeper than 200' \
            rset-match in
    done
}

# --- records ---------------------------------------------------------------

@test "two jobs can't hold a pool and its contents at the same time" {
    edges='"edges":[{"source":"n","target":"s"},{"source":"s","target":"c"}]'
    for times in ',"start":5,"end":9' ',"start":8' ',"start":9'; do
        echo '{"graph":{"nodes":[{"id":"n","metadata":{"type":"node","id":0,
            "allocations":[{"job":7,"start":1,"end":9}]}},
            {"id":"s","metadata":{"type":"socket","id":0}},
            {"id":"c","metadata":{"type":"core","id":3,
            "allocations":[{"job":8'"$times"'}]}}],'"$edges"'}}' >in
        if [ "$times" = ',"start":9' ]; then
            rset-match -o jgf in >out
        else
            refused 'rset-match: in: graph.nodes[2].metadata.allocations: job 8: "node0" above it is held whole by job 7' \
                rset-match in
        fi
    done
}

@test "a property with several values: each has its name in a graph" {
    echo '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["n"],"properties":{"a=1":"0","a=2":"0","b=3":"0"}}}' >r
    rset-match -o rv1 r >both
    [[ $(<both) == *'"properties":{"a=1":"","a=2":"","b=3":""}'* ]]
    rset-match --validate both
    rset-match -o r both | cmp - r
    sed 's/"b=3":""/"b":"3"/' both >other
    rset-match other | cmp - other
    rset-diff both other
    rset-alloc property 0 'a=4' other >changed
    [[ $(<changed) == *'"properties":{"b":"3","a=4":""}'* ]]
    # as it was written before, or else as in the halves of the document
    rset-alloc property 0 'b=4' other >changed
    [[ $(<changed) == *'"properties":{"a=1":"","a=2":"","b":"4"}'* ]]
    rset-match -o jgf r | rset-alloc property 0 c=1 >changed
    [[ $(<changed) == *'"properties":{"a=1":"","a=2":"","b=3":"","c":"1"}'* ]]
}

# Print the properties of the first node of a graph.
node_properties() {
    jq -c '.graph // .scheduling.graph | first(.nodes[].metadata |
        select(.type == "node")).properties' "$@"
}

@test "a property k=v of an R has this name in a graph, as in Flux" {
    echo '{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0"}}],"nodelist":["n[0-1]"],"properties":{"gpu=a100":"0-1","big":"0"}}}' >r
    for form in rv1 jgf rv1-compact jgf-compact; do
        rset-match -o $form r >g
        same "$(node_properties g)" '{"gpu=a100":"","big":""}'
        rset-match -o r g | cmp - r
        rset-match -o r g | rset-match -o $form | cmp - g
        rset-diff r g
        same "$(rset-match --validate g)" ''
        rset-alloc load --store $form.db g
        rset-alloc save --store $form.db | cmp - g
        for name in gpu gpu=a100; do # ours: both find it
            same "$(rset-match --requires $name -o ranks g)" 0-1
        done
    done
    # a graph with a value keeps it, also beside an R
    rset-match -o rv1 r | sed 's/"gpu=a100":""/"gpu":"a100"/g' >both
    same "$(node_properties both)" '{"gpu":"a100","big":""}'
    rset-match both | cmp - both
    same "$(rset-match -o jgf both | node_properties)" '{"gpu":"a100","big":""}'
    rset-match -o r both | cmp - r
    rset-alloc load --store both.db both
    rset-alloc save --store both.db | cmp - both
    # through an R it gets the name of the R, and is the same property
    rset-match -o jgf both | rset-match -o r | rset-match -o jgf >back
    same "$(node_properties back)" '{"gpu=a100":"","big":""}'
    rset-diff both back
    rset-diff --union r both | rset-match -o jgf >all
    same "$(node_properties all)" '{"gpu=a100":"","big":""}'
}

# --- halves ----------------------------------------------------------------

@test "halves that disagree are an error with the place" {
    rset-match -o rv1 <<<"$R" |
        sed 's/"core":"0-3"/"core":"0-2"/' >in
    message='in: execution.R_lite: R_lite and the graph disagree: ranks 0-1: core[0-2] in R_lite, core[0-3] in the graph (choose one with --trust)'
    for command in rset-match 'rset-match -n1' 'rset-alloc available' \
        'rset-alloc allocate 1 -n1' 'rset-diff in'; do
        # shellcheck disable=SC2086
        refused "${command%% *}: $message" $command in
    done
}

# --- writing ---------------------------------------------------------------

@test "a set that a form can't express leaves nothing written" {
    graph=$(graph '' '' | sed 's/"rank":0,//')
    refused "rset-match: stdin:1: no node of the graph has a rank: it can't be written as an R" \
        rset-match -o r <<<"$graph"
    # and good documents before it are not written either
    refused "rset-match: stdin:2: no node of the graph has a rank: it can't be written as an R" \
        rset-match -o r < <(printf '%s\n' "$R" "$graph")
}

# starved COMMAND: run with more and more memory, from too little to enough.
# Each time it either reports that memory is exhausted, or does all of its work.
starved() {
    local command=$1 limit status wanted=0
    $command >want 2>err || wanted=$?
    for ((limit = 5000; limit < 100000; limit += 250)); do
        status=0
        (
            ulimit -S -v "$limit"
            exec $command
        ) >out 2>err || status=$?
        [ "$status" = 127 ] && continue # the loader itself ran out
        if [ "$status" = "$wanted" ] && cmp -s out want; then
            return
        fi
        if [ "$status" != 2 ] || [ -s out ] || [ "$(wc -l <err)" != 1 ]; then
            echo "$limit KiB: $command: status $status, $(wc -c <out) bytes"
            head -c 500 err
            return 1
        fi
    done
}

@test "exhausted memory is status 2 and a message, never a crash" {
    needs jq
    [ -z "${SAN:-}" ] || skip 'the sanitizers need memory without limit'
    # unequal ranks, many enough to need memory
    seq 0 2999 | jq -c '{rank: "\(.)",
        children: {core: "0-\(. % 50 + 1),\(60 + .)"}}' |
        jq -cs '{version: 1, execution: {R_lite: ., nodelist: ["n[0-2999]"],
            properties: {odd: "1", even: "0,2,4,6"}}}' >in
    rset-match -n 5000 in | rset-diff --subtract in - >other
    starved 'rset-match in'
    starved 'rset-match -o rv1-compact in'
    starved 'rset-match -o tree in'
    starved 'rset-match -o short in'
    starved 'rset-match -n 5000 in'
    starved 'rset-alloc allocate 1 -n 5000 in'
    starved 'rset-alloc available in'
    starved 'rset-diff in other'
    starved 'rset-diff --union in other'
    starved 'rset-diff --subtract in other'
}

# --- output can be read ----------------------------------------------------

# settles FILE: every form that can express the set is written again as the same
# bytes. Ignores warnings.
settles() {
    local form status
    for form in r jgf rv1 rv1-compact jgf-compact; do
        status=0
        rset-match -o $form "$1" >once 2>err || status=$?
        if [ "$status" = 0 ]; then
            rset-match -o $form once >twice 2>err || {
                echo "-o $form of $1 can't be read: $(cat err)"
                return 1
            }
            cmp once twice
        else
            [ "$status" = 2 ]
            [ ! -s once ]
        fi
    done
}

@test "names in the path of another subsystem are quoted" {
    needs jq
    graph '{"id":"p","metadata":{"type":"pdu","id":0,"name":"a\"b\\c\u0001"}}' \
        '{"source":"p","target":"1","metadata":{"subsystem":"po\"wer"}}' >in
    settles in
    [ "$(rset-match in | jq -r '.graph.nodes[1].metadata.paths["po\"wer"]')" = $'/a"b\\c\x01/n0' ]
}

@test "a slash in a name of an R makes no unreadable graph" {
    r '"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["a/b"]' >in
    settles in
    entry '"0"' '{"core":"0","a/b":"0"}' >in
    settles in
    echo '{"graph":{"nodes":[{"id":"0","metadata":{"type":"a/b"}}]}}' >in
    settles in
    echo '{"graph":{"nodes":[{"id":"0","metadata":{"type":"a","basename":"a/b","id":0}}]}}' >in
    settles in
}

@test "an R without hosts is written again as a graph, too" {
    r '"R_lite":[{"rank":"0-1","children":{"core":"0"}}]' >in
    settles in
    run -0 --separate-stderr rset-match -o rv1 in
    same "$stderr" 'rset-match: warning: in: execution: nodelist is missing
rset-match: warning: in: hosts are unknown: nodes are named by their ranks, such as node0'
}

@test "properties with another spelling in an R are written again as the same" {
    vertex '"x":1' | sed 's/"name":"n0"/&,"properties":{"a":"","b":"x=y","c=d":"e","f|":"","g":"h|"}/' >in
    settles in
}

@test "records in the attributes of an R with a graph are refused" {
    rset-discover --hosts n0 --cores 0-1 >free
    rset-alloc allocate 1 -n1 free | rset-match -o rv1 >graph
    rset-alloc allocate 2 -n1 free >other
    jq -c --slurpfile other other '.attributes = $other[0].attributes' graph \
        >both
    refused 'rset-match: both: attributes.system.scheduler.allocations: records of a set with a graph belong to its vertices (choose one with --trust)' \
        rset-match both
    rset-match --trust graph both | cmp - graph
    rset-match --trust execution both | cmp - other
    # of whatever kind
    rset-alloc allocate 3 --stage -N1 free | rset-alloc drain 0 | rset-alloc tag 0 k=v >other
    for kind in states tags staged; do
        jq -c --slurpfile other other --arg k "$kind" '.attributes.system.scheduler =
            ($other[0].attributes.system.scheduler | {($k): .[$k]})' graph >both
        refused "rset-match: both: attributes.system.scheduler.$kind: records of a set with a graph belong to its vertices (choose one with --trust)" \
            rset-match both
    done
}

@test "a number in a message is spelled as in the document" {
    refused 'rset-match: stdin:1: 1676560542.09: expected an object' \
        rset-match <<<'1676560542.09 submit'
}

@test "a rank may be in several entries of R_lite, each unit of it in one" {
    cat >parts.json <<'END'
{"version":1,"execution":{"R_lite":[{"rank":"0-2","children":{"core":"1"}},{"rank":"1-3","children":{"core":"0","gpu":"0"}},{"rank":"2","children":{"core":"","gpu":"1"}}],"nodelist":["n[0-3]"]}}
END
    cat >whole <<'END'
{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"1"}},{"rank":"1","children":{"core":"0-1","gpu":"0"}},{"rank":"2","children":{"core":"0-1","gpu":"0-1"}},{"rank":"3","children":{"core":"0","gpu":"0"}}],"nodelist":["n[0-3]"]}}
END
    rset-match parts.json | cmp - whole
    rset-match whole | cmp - whole
    rset-match --validate --strict parts.json
    # equal entries have the same unit twice, too
    for entry in '{"rank":"2","children":{"core":"1"}}' \
        '{"rank":"2","children":{"core":"0-1,7"}}'; do
        jq -c --argjson e "$entry" '.execution.R_lite |= [.[0], $e]' parts.json >twice
        refused 'rset-match: twice: execution.R_lite[1].children.core: core[1] of rank 2 is in an earlier entry, too' \
            rset-match twice
    done
    # hosts belong to the ranks
    jq -c '.execution.nodelist = ["n[0-6]"]' parts.json >hosts
    refused 'rset-match: hosts: execution.nodelist: 7 hosts for 4 ranks' \
        rset-match hosts
}

@test "a key of another level is kept, with a warning" {
    rset-discover --hosts n0 --cores 0-1 >r
    rset-match -o jgf r >g
    # a change of the R; the key; its place
    while IFS='|' read -r change key place; do
        jq -c --slurpfile g g "$change" r >changed
        run -0 --separate-stderr rset-match changed
        same "$(jq -S . <<<"$output")" "$(jq -S . changed)"
        same "$stderr" "rset-match: warning: changed: the key \"$key\" is ignored: its place is $place"
        run -1 rset-match --validate --strict changed
        [[ $output == *"$key: warning: ignored: its place is $place [key-place]"* ]]
    done <<'END'
.execution.scheduling = $g[0]|scheduling|beside execution, not in it
.execution.attributes = {}|attributes|beside execution, not in it
.execution.graph = $g[0].graph|graph|in scheduling
.scheduling.nodes = $g[0].graph.nodes|nodes|in scheduling.graph
.execution.R_lite[0].nodelist = ["n0"]|nodelist|beside R_lite, not in it
.nodelist = ["n1"]|nodelist|in execution, not beside it
.R_lite = []|R_lite|in execution, not beside it
.properties = {a: "0"}|properties|in execution, not beside it
.starttime = 5|starttime|in execution, not beside it
.expiration = 5|expiration|in execution, not beside it
.attributes.scheduler = {allocations: []}|scheduler|in attributes.system
.attributes.allocations = []|allocations|in attributes.system.scheduler
.attributes.system.states = []|states|in attributes.system.scheduler
END
    # nothing belongs beside a bare graph
    jq -c '.expiration = 5' g >beside
    run -0 --separate-stderr rset-match -o jgf beside
    same "$stderr" ''
    jq -c '.graph |= {graph: .}' g >deep
    run -0 --separate-stderr rset-match --count node deep
    same "$output" 0
    same "$stderr" 'rset-match: warning: deep: the key "graph" is ignored: its place is one level higher'
}

@test "an empty scheduling is kept, a null is not" {
    rset-discover --hosts n0 --cores 0-1 >r
    jq -c '{version, execution, scheduling: {}}' r >empty
    rset-match empty | cmp - empty
    rset-alloc allocate 1 -n1 empty | rset-alloc release 1 | cmp - empty
    # a graph replaces it completely
    rset-match -o rv1 empty | rset-match -o r | cmp - r
    for key in scheduling attributes; do
        jq -c ".$key = null" r >null
        run -0 --separate-stderr rset-match null
        same "$output" "$(<r)"
        # shellcheck disable=SC2154 # run sets stderr
        same "$stderr" "rset-match: warning: null: $key is null, and is left out"
        run -0 rset-match --validate null
        run -1 rset-match --validate --strict null
        same "$output" "null: $key: warning: null: expected an object [null]"
    done
}

@test "a list instead of an object, or the reverse, is named" {
    rset-discover --hosts n0 --cores 0-1 >r
    jq -c '[.]' r >list
    refused 'rset-match: list: a list; expected an object' rset-match list
    jq -c '.execution |= [.]' r >list
    refused 'rset-match: list: execution: a list; expected an object' rset-match list
    for lite in '{"0": {"core": "0-1"}}' '{"rank": "0", "core": "0-1"}'; do
        jq -c ".execution.R_lite = $lite" r >lite
        refused 'rset-match: lite: execution.R_lite: an object; expected a list' \
            rset-match lite
    done
}
