#!/usr/bin/env bats
# Bad input, the same for every program that reads documents: status 2, one
# line on standard error that says where and what, and nothing on standard
# output, even when good documents came first.

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

# name_of COMMAND: the program's name, which starts its messages.
name_of() {
    echo "${1%% *}"
}

# all_refuse MESSAGE TEXT: every reader refuses the text with this message,
# at the end of a stream of good documents too.
all_refuse() {
    local message=$1 reader
    printf '%s' "$2" >bad
    printf '%s\n%s\n%s' "$R" "$R" "$2" >late
    for reader in "${readers[@]}"; do
        # shellcheck disable=SC2086 # words of a command
        refused "$(name_of "$reader"): $message" $reader <bad || {
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

# each_refuses MESSAGE TEXT: one reader of each program, for what all read by
# the same code.
each_refuses() {
    local readers=('rset-match' 'rset-alloc available' 'rset-diff --union -')
    all_refuse "$@"
}

# r EXECUTION: an R with this text in its execution.
r() {
    printf '{"version":1,"execution":{%s}}' "$1"
}

# entry RANK CHILDREN: an R of one entry with one host.
entry() {
    r "\"R_lite\":[{\"rank\":$1,\"children\":$2}],\"nodelist\":[\"n0\"]"
}

# graph NODES EDGES: a bare graph under a cluster "0" with a node "1".
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
        refused "$(name_of "$reader"): stdin: empty input: expected a document" \
            $reader </dev/null
        # shellcheck disable=SC2086
        refused "$(name_of "$reader"): stdin: empty input: expected a document" \
            $reader < <(printf ' \n\t\r\n')
    done
}

@test "a document that ends too early is not a shorter one" {
    all_refuse 'stdin:1: offset 1: input ends in the middle of a document' \
        '{'
    all_refuse 'stdin:1: offset 12: input ends in the middle of a document' \
        '{"version":1'
    all_refuse "stdin:1: offset $((${#R} - 1)): input ends in the middle of a document" \
        "${R%?}"
    all_refuse "stdin:1: offset $((${#R} - 20)): input ends in the middle of a document" \
        "${R:0:${#R}-20}"
}

@test "no cut of a document is a document" {
    for ((length = 1; length < ${#R}; length++)); do
        run -2 --separate-stderr rset-match <<<"${R:0:length}"
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" = 1 ]
    done
}

@test "what follows a document must be one" {
    printf '%s garbage' "$R" >in
    for reader in "${readers[@]}"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr $reader <in
        [ -z "$output" ]
        [[ $stderr == "$(name_of "$reader"): stdin:2: "* ]]
        [ "${#stderr_lines[@]}" = 1 ]
    done
    printf '%s}' "$R" >in
    run -2 --separate-stderr rset-match <in
    [ -z "$output" ]
    printf '%s,%s' "$R" "$R" >in
    run -2 --separate-stderr rset-match <in
    [ -z "$output" ]
}

@test "the second bad document is told by its number, a file by its name" {
    printf '%s\n{}' "$R" >in
    refused "rset-match: in:2: $(rset-match 2>&1 <<<'{}' | sed 's/^[^:]*: stdin:1: //')" \
        rset-match in
    refused "rset-match: stdin:2: $(rset-match 2>&1 <<<'{}' | sed 's/^[^:]*: stdin:1: //')" \
        rset-match - <in
}

@test "a document is an object" {
    for text in '[]' null true 1 '"R"'; do
        all_refuse "stdin:1: $text: expected an object" "$text"
    done
}

@test "duplicate keys are refused at every depth" {
    for text in '{"version":1,"version":1}' \
        '{"version":1,"execution":{"R_lite":[],"R_lite":[],"nodelist":[]}}' \
        '{"version":1,"execution":{"nodelist":[],"nodelist":[]}}' \
        '{"version":1,"execution":{"R_lite":[],"nodelist":[]},"execution":{}}' \
        '{"version":1,"scheduling":{"graph":{},"graph":{}}}' \
        '{"graph":{"nodes":[],"nodes":[]}}' \
        '{"graph":{"nodes":[{"id":"0","id":"0","metadata":{}}]}}' \
        '{"graph":{"nodes":[{"id":"0","metadata":{"type":"a","type":"a"}}]}}' \
        '{"graph":{"nodes":{"0":{"metadata":{"type":"a"}},"0":{}}}}' \
        '{"x":[{"a":{"b":1,"b":2}}]}' \
        "$(entry '"0","rank":"0"' '{}')" \
        "$(entry '"0"' '{"core":"0","core":"1"}')"; do
        printf '%s' "$text" >in
        for reader in "${readers[@]}"; do
            # shellcheck disable=SC2086
            run -2 --separate-stderr $reader <in
            [ -z "$output" ]
            [[ $stderr == "$(name_of "$reader"): "*duplicate* ]]
        done
    done
}

@test "a duplicate key is told where it begins" {
    refused 'rset-match: stdin:1: offset 13: duplicate object key "version"' \
        rset-match <<<'{"version":1,"version":1}'
}

@test "NUL bytes are refused wherever they stand" {
    for text in '*' '*%s' '%s*' '{"version":1*,%s' '{*"version":1}' \
        '{"version":1,"x":[1*]}' '{"version":1,"x":"a*"}'; do
        # shellcheck disable=SC2059
        printf "${text//\*/\\0}" "$R" >in
        for reader in "${readers[@]}"; do
            # shellcheck disable=SC2086
            run -2 --separate-stderr $reader <in
            [ -z "$output" ]
            [ "${#stderr_lines[@]}" = 1 ]
        done
    done
    # in the midst of a good document
    printf '{"version":1\0%s' "${R#'{"version":1'}" >in
    run -2 --separate-stderr rset-match <in
    [ -z "$output" ]
}

@test "text that is not UTF-8 is refused" {
    # shellcheck disable=SC2059
    for bytes in '\xff' '\xc3' '\xed\xa0\x80' '\xf4\x90\x80\x80' '\xc0\x80'; do
        printf '{"version":1,"x":"%b"}' "$bytes" >in
        printf '{"version":1,"%b":1}' "$bytes" >in2
        for reader in "${readers[@]}"; do
            # shellcheck disable=SC2086
            run -2 --separate-stderr $reader <in
            [ -z "$output" ]
            # shellcheck disable=SC2086
            run -2 --separate-stderr $reader <in2
            [ -z "$output" ]
        done
    done
}

@test "a message never carries control characters of the input" {
    printf '{"version":"\\u001b[31m\\n"}' >in
    refused 'rset-match: stdin:1: version: "\x1b[31m\x0a": version 1 is understood' \
        rset-match <in
    printf '\033[31m' >in
    run -2 --separate-stderr rset-match <in
    [ "${#stderr_lines[@]}" = 1 ]
    [[ $stderr != *$'\033'* ]]
}

@test "deep nesting is refused, not overrun" {
    printf '[%.0s' {1..100000} >in
    run -2 --separate-stderr rset-match <in
    printf '{"x":%s' "$(printf '[%.0s' {1..5000})$(printf ']%.0s' {1..5000})}" >in
    run -2 --separate-stderr rset-match <in
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" = 1 ]
}

@test "numbers that do not fit are refused, not rounded" {
    for number in 9223372036854775808 -9223372036854775809 1e400 -1e400 \
        1e-400 0.1234567890123456789 123456789012345678.5; do
        printf '{"version":1,"x":%s,"execution":{"R_lite":[],"nodelist":[]}}' \
            "$number" >in
        run -2 --separate-stderr rset-match <in
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" = 1 ]
    done
}

@test "what is too small for a number is refused in any length" {
    printf '{"version":1,"x":0.%0400d1,"execution":{"R_lite":[],"nodelist":[]}}' 0 >in
    run -2 --separate-stderr rset-match <in
    [ -z "$output" ]
}

# --- files ----------------------------------------------------------------

@test "a missing file and a directory are told by name" {
    mkdir dir
    for command in rset-match 'rset-alloc release 1' 'rset-alloc allocated 1' \
        'rset-alloc available' 'rset-alloc allocate 1 -n1' 'rset-diff'; do
        # shellcheck disable=SC2086
        refused "$(name_of "$command"): gone.json: No such file or directory" \
            $command gone.json
        # shellcheck disable=SC2086
        refused "$(name_of "$command"): dir: Is a directory" $command dir
    done
}

@test "a file that is bad spoils those before it" {
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
    echo "$R" >in
    for command in 'rset-match' 'rset-match -n1' 'rset-match -o short' \
        'rset-match --count core' 'rset-alloc available' \
        'rset-alloc allocated' 'rset-alloc allocate 1 -n1' \
        'rset-match --help' 'rset-match --version' 'rset-diff --help' \
        'rset-alloc --version'; do
        status=0
        bash -c "$command <in >/dev/full 2>err" || status=$?
        [ "$status" = 2 ]
        [ "$(cat err)" = "$(name_of "$command"): standard output: No space left on device" ]
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

@test "a reader that went away ends a program quietly by SIGPIPE" {
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

@test "an R needs version 1 and one of its halves" {
    all_refuse 'stdin:1: an R needs a `version`' '{"execution":{"R_lite":[],"nodelist":[]}}'
    for version in 2 0 -1 '"1"' 1.0 null '[1]'; do
        all_refuse "stdin:1: version: $version: version 1 is understood" \
            "{\"version\":$version,\"execution\":{\"R_lite\":[],\"nodelist\":[]}}"
    done
    all_refuse 'stdin:1: an R needs `execution`, or a graph in `scheduling`' \
        '{"version":1}'
    all_refuse 'stdin:1: an R needs `execution`, or a graph in `scheduling`' \
        '{"version":1,"scheduling":{}}'
    all_refuse 'stdin:1: an R needs `execution`, or a graph in `scheduling`' \
        '{"version":1,"attributes":{}}'
    all_refuse 'stdin:1: execution: R_lite is missing' '{"version":1,"execution":{}}'
}

@test "bad idsets are told with their place" {
    all_refuse 'stdin:1: execution.R_lite[0].rank: "3-0": range 3-0 does not ascend at offset 0' \
        "$(entry '"3-0"' '{}')"
    all_refuse 'stdin:1: execution.R_lite[0].children.core: "0-": range has no end at offset 2' \
        "$(entry '"0"' '{"core":"0-"}')"
    for ids in '0-4294967295' '1,0' '0,0' '0-2,1' 'a' '-1' '0x1' ' ' '0, 1' \
        '01' '1-' ',' '[0' '0-1-2' '18446744073709551616'; do
        for place in rank core; do
            if [ "$place" = rank ]; then
                entry "\"$ids\"" '{"core":"0"}' >in
            else
                entry '"0"' "{\"core\":\"$ids\"}" >in
            fi
            run -2 --separate-stderr rset-match <in
            [ -z "$output" ]
            [[ $stderr == "rset-match: stdin:1: execution.R_lite[0]."* ]]
        done
    done
}

@test "hosts must be as many as ranks" {
    all_refuse 'stdin:1: execution.nodelist: 1 hosts for 2 ranks' \
        "$(entry '"0-1"' '{"core":"0"}')"
    all_refuse 'stdin:1: execution.nodelist: 3 hosts for 2 ranks' \
        "$(r '"R_lite":[{"rank":"0-1","children":{"core":"0"}}],"nodelist":["a","b[1-2]"]')"
    all_refuse 'stdin:1: execution.nodelist: 0 hosts for 1 ranks' \
        "$(r '"R_lite":[{"rank":"5","children":{"core":"0"}}],"nodelist":[]')"
}

@test "a rank is listed once" {
    for second in '"0"' '"0-1"'; do
        r "\"R_lite\":[{\"rank\":\"0\",\"children\":{\"core\":\"0\"}},{\"rank\":$second,\"children\":{\"core\":\"1\"}}],\"nodelist\":[\"a\",\"b\"]" >in
        run -2 --separate-stderr rset-match <in
        [ -z "$output" ]
        [[ $stderr == 'rset-match: stdin:1: execution.R_lite[1].rank: rank 0 is listed twice' ]]
    done
}

@test "every key of an R has its type" {
    for value in null 1 '"x"' true; do
        each_refuses "stdin:1: execution.R_lite: $value: expected a list" \
            "$(r "\"R_lite\":$value,\"nodelist\":[]")"
        each_refuses "stdin:1: execution.nodelist: $value: expected a list" \
            "$(r "\"R_lite\":[],\"nodelist\":$value")"
    done
    for value in 1 '"x"' '[]' true; do
        each_refuses "stdin:1: execution: $value: expected an object" \
            "{\"version\":1,\"execution\":$value}"
        each_refuses "stdin:1: scheduling: $value: expected an object" \
            "{\"version\":1,\"scheduling\":$value}"
        each_refuses "stdin:1: scheduling.graph: $value: expected an object" \
            "{\"version\":1,\"scheduling\":{\"graph\":$value}}"
        each_refuses "stdin:1: attributes: $value: expected an object" \
            "{\"version\":1,\"attributes\":$value}"
        each_refuses "stdin:1: execution.properties: $value: expected an object" \
            "$(r "\"R_lite\":[],\"nodelist\":[],\"properties\":$value")"
        each_refuses "stdin:1: execution.R_lite[0].children: $value: expected an object" \
            "$(entry '"0"' "$value")"
        each_refuses "stdin:1: execution.R_lite[0]: $value: expected an object" \
            "$(r "\"R_lite\":[$value],\"nodelist\":[]")"
    done
    for value in null 1 '[]' '{}' true; do
        each_refuses "stdin:1: execution.R_lite[0].rank: $value: expected an idset in a string" \
            "$(entry "$value" '{}')"
        each_refuses "stdin:1: execution.R_lite[0].children.core: $value: expected an idset in a string" \
            "$(entry '"0"' "{\"core\":$value}")"
        each_refuses "stdin:1: execution.nodelist[0]: $value: expected a string" \
            "$(r "\"R_lite\":[{\"rank\":\"0\",\"children\":{}}],\"nodelist\":[$value]")"
    done
    for value in '"x"' '[]' '{}' true -1 -0.5; do
        for key in starttime expiration; do
            each_refuses "stdin:1: execution.$key: $value: expected seconds since the Epoch" \
                "$(r "\"R_lite\":[],\"nodelist\":[],\"$key\":$value")"
        done
    done
}

@test "attributes that are no objects are refused, not dropped" {
    for value in 5 '"x"' '[1]'; do
        run -2 --separate-stderr rset-match \
            <<<"${R%\}},\"attributes\":{\"system\":$value}}"
        [ -z "$output" ]
        run -2 --separate-stderr rset-match \
            <<<"${R%\}},\"attributes\":{\"system\":{\"scheduler\":$value}}}"
        [ -z "$output" ]
    done
}

@test "expiration comes after starttime; 0 is unset" {
    all_refuse 'stdin:1: execution.expiration: 5 is not after the starttime 5' \
        "$(r '"R_lite":[],"nodelist":[],"starttime":5,"expiration":5')"
    all_refuse 'stdin:1: execution.expiration: 4 is not after the starttime 5' \
        "$(r '"R_lite":[],"nodelist":[],"starttime":5,"expiration":4')"
    run -0 rset-match <<<"$(r '"R_lite":[],"nodelist":[],"starttime":0.0,"expiration":0.0')"
    same "$output" '{"version":1,"execution":{"R_lite":[],"nodelist":[]}}'
}

@test "properties are of ranks that there are, with names of RFC 20" {
    all_refuse 'stdin:1: execution.properties.big: rank 1 is not in the set' \
        "$(r '"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["a"],"properties":{"big":"0-1"}')"
    for c in '!' '&' "'" '^' '`' '|' '(' ')' '\"'; do
        r "\"R_lite\":[{\"rank\":\"0\",\"children\":{\"core\":\"0\"}}],\"nodelist\":[\"a\"],\"properties\":{\"a${c}b\":\"0\"}" >in
        run -2 --separate-stderr rset-match <in
        [ -z "$output" ]
        [[ $stderr == 'rset-match: stdin:1: execution.properties: '*' is not allowed in a property' ]]
    done
}

@test "hosts are host names" {
    for host in '' 'a[' 'a[1-0]' 'a]' 'a[x]' 'a,,b' 'a[0-4294967295]b'; do
        r "\"R_lite\":[{\"rank\":\"0\",\"children\":{\"core\":\"0\"}}],\"nodelist\":[\"$host\"]" >in
        run -2 --separate-stderr rset-match <in
        [ -z "$output" ]
        [[ $stderr == 'rset-match: stdin:1: execution.nodelist'* ]]
    done
}

# --- graphs ----------------------------------------------------------------

@test "every key of a graph has its type" {
    for value in 1 '"x"' '[]' null true; do
        each_refuses "stdin:1: graph: $value: expected an object" \
            "{\"graph\":$value}"
    done
    for value in 1 '"x"' null true; do
        each_refuses "stdin:1: graph.nodes: $value: expected an object or a list" \
            "{\"graph\":{\"nodes\":$value}}"
        each_refuses "stdin:1: graph.edges: $value: expected a list" \
            "{\"graph\":{\"nodes\":[],\"edges\":$value}}"
        each_refuses "stdin:1: graph.nodes[0]: $value: expected an object" \
            "{\"graph\":{\"nodes\":[$value]}}"
        each_refuses "stdin:1: graph.edges[0]: $value: expected an object" \
            "{\"graph\":{\"nodes\":[],\"edges\":[$value]}}"
        each_refuses "stdin:1: graph.nodes[2].metadata: $value: expected an object" \
            "$(graph "{\"id\":\"2\",\"metadata\":$value}")"
    done
}

# vertex METADATA: a graph with a core of this metadata.
vertex() {
    graph "{\"id\":\"2\",\"metadata\":{\"type\":\"core\",$1}}" \
        '{"source":"1","target":"2"}'
}

@test "every key of a vertex has its type" {
    local key value
    for key in id rank size status uniq_id; do
        for value in '"0"' true '[]' '{}' 0.5; do
            [ "$key$value" != 'status"0"' ] || continue
            vertex "\"$key\":$value" >in
            run -2 --separate-stderr rset-match <in
            [ -z "$output" ]
            [[ $stderr == "rset-match: stdin:1: graph.nodes[2].metadata.$key: $value: "* ]]
        done
    done
    for key in basename name unit uuid state; do
        for value in 1 true '[]' '{}'; do
            vertex "\"$key\":$value" >in
            run -2 --separate-stderr rset-match <in
            [ -z "$output" ]
            [[ $stderr == "rset-match: stdin:1: graph.nodes[2].metadata.$key: $value: "* ]]
        done
    done
    for key in exclusive properties paths allocations reservations shared; do
        for value in 1 '"x"'; do
            vertex "\"$key\":$value" >in
            run -2 --separate-stderr rset-match <in
            [ -z "$output" ]
            [[ $stderr == "rset-match: stdin:1: graph.nodes[2].metadata.$key: $value: "* ]]
        done
    done
}

@test "numbers of a vertex are in their ranges" {
    for pair in size:-1 id:-2 rank:-2 rank:4294967295 status:2 status:-1; do
        vertex "\"${pair%:*}\":${pair#*:}" >in
        run -2 --separate-stderr rset-match <in
        [ -z "$output" ]
        [[ $stderr == "rset-match: stdin:1: graph.nodes[2].metadata.${pair%:*}: ${pair#*:}: "* ]]
    done
}

@test "edges end at vertices" {
    all_refuse 'stdin:1: graph.edges[1].target: "9" is not among the vertices' \
        "$(graph '' '{"source":"1","target":"9"}')"
    all_refuse 'stdin:1: graph.edges[1].source: "9" is not among the vertices' \
        "$(graph '' '{"source":"9","target":"1"}')"
    all_refuse 'stdin:1: graph.edges[1].source: missing: expected a string' \
        "$(graph '' '{"target":"1"}')"
    all_refuse 'stdin:1: graph.edges[1].target: {}: expected a string' \
        "$(graph '' '{"source":"1","target":{}}')"
    all_refuse 'stdin:1: graph.edges[1].metadata.subsystem: 1: expected a string' \
        "$(graph '' '{"source":"0","target":"1","metadata":{"subsystem":1}}')"
}

@test "containment is a tree" {
    all_refuse 'stdin:1: graph.edges[3]: "2" has two parents in containment' \
        "$(graph '{"id":"2","metadata":{"type":"core","id":0}},{"id":"3","metadata":{"type":"node","id":1,"rank":1}}' \
            '{"source":"1","target":"2"},{"source":"0","target":"3"},{"source":"3","target":"2"}' |
            sed 's/edges\[3\]/&/')"
    all_refuse 'stdin:1: graph.nodes[2]: "cluster0" and "rack0": containment has two roots' \
        "$(graph '{"id":"2","metadata":{"type":"rack","id":0}}')"
    all_refuse 'stdin:1: graph.nodes[0]: containment runs in a circle: "a" lies in "b"' \
        '{"graph":{"nodes":[{"id":"0","metadata":{"type":"a"}},{"id":"1","metadata":{"type":"b"}}],"edges":[{"source":"0","target":"1"},{"source":"1","target":"0"}]}}'
    all_refuse 'stdin:1: graph.edges[1]: "1": an edge from a vertex to itself' \
        "$(graph '' '{"source":"1","target":"1"}')"
    # a ring beside the tree
    graph '{"id":"2","metadata":{"type":"a"}},{"id":"3","metadata":{"type":"b"}}' \
        '{"source":"2","target":"3"},{"source":"3","target":"2"}' >in
    run -2 --separate-stderr rset-match <in
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" = 1 ]
}

@test "ids, ranks and paths are of one vertex each" {
    all_refuse 'stdin:1: graph.nodes[2].id: two vertices have the id "1"' \
        "$(graph '{"id":"1","metadata":{"type":"core","id":0}}')"
    graph '{"id":"2","metadata":{"type":"node","id":1,"rank":0,"name":"n1"}}' \
        '{"source":"0","target":"2"}' >in
    run -2 --separate-stderr rset-match <in
    [ -z "$output" ]
    [[ $stderr == *'rank 0'* ]]
    graph '{"id":"2","metadata":{"type":"core","id":0}},{"id":"3","metadata":{"type":"core","id":0}}' \
        '{"source":"1","target":"2"},{"source":"1","target":"3"}' >in
    refused 'rset-match: stdin:1: graph.nodes[3]: "n0" holds two pools named "core0"' \
        rset-match <in
}

@test "a graph of several vertices needs edges" {
    all_refuse 'stdin:1: graph: a graph of several vertices needs edges' \
        '{"graph":{"nodes":[{"id":"0","metadata":{"type":"a"}},{"id":"1","metadata":{"type":"b"}}]}}'
    run -0 rset-match -o jgf-compact \
        <<<'{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0}}]}}'
    same "$output" '{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0,"rank":-1,"paths":{"containment":"/cluster0"}}}],"edges":[]}}'
}

@test "exactly one graph" {
    refused 'rset-match: stdin:1: graphs: [0]: a second graph' rset-match \
        <<<'{"graphs":[{"nodes":[]},{"nodes":[]}]}' ||
        run -2 rset-match <<<'{"graphs":[{"nodes":[]},{"nodes":[]}]}'
    run -2 --separate-stderr rset-match <<<'{"graphs":[]}'
    [ -z "$output" ]
    run -2 --separate-stderr rset-match <<<'{"graph":{"nodes":[]},"graphs":[{"nodes":[]}]}'
    [ -z "$output" ]
    run -2 --separate-stderr rset-match <<<'{"graph":{"nodes":[]},"graphs":[]}'
    [ -z "$output" ]
}

@test "hyperedges are not guessed at" {
    run -2 --separate-stderr rset-match <<<'{"graph":{"nodes":[],"hyperedges":[]}}'
    [ -z "$output" ]
}

@test "containment may be 200 deep and no deeper" {
    deep() {
        local i nodes='' edges=''
        for ((i = 1; i <= $1; i++)); do
            nodes+=",{\"id\":\"$i\",\"metadata\":{\"type\":\"group\",\"id\":0}}"
            edges+=",{\"source\":\"$((i - 1))\",\"target\":\"$i\"}"
        done
        printf '{"graph":{"nodes":[%s%s],"edges":[%s]}}' \
            '{"id":"0","metadata":{"type":"cluster","id":0}}' \
            "$nodes" "${edges#,}"
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

@test "records are read strictly" {
    local m
    for m in '"allocations":[5]' '"allocations":[{}]' \
        '"allocations":[{"job":""}]' '"allocations":[{"job":-1}]' \
        '"allocations":[{"job":1.5}]' '"allocations":[{"job":null}]' \
        '"allocations":[{"job":1,"size":0}]' \
        '"allocations":[{"job":1,"size":-1}]' \
        '"allocations":[{"job":1,"size":"1"}]' \
        '"allocations":[{"job":1,"start":-5}]' \
        '"allocations":[{"job":1,"start":"x"}]' \
        '"allocations":[{"job":1,"start":5,"end":5}]' \
        '"shared":[{}]' '"shared":[""]' '"staged":""' '"staged":[]' \
        '"state":"odd"'; do
        vertex "$m" >in
        run -2 --separate-stderr rset-match <in
        [ -z "$output" ]
        [[ $stderr == 'rset-match: stdin:1: graph.nodes[2].metadata.'* ]]
    done
}

@test "no more units are allocated than a pool has" {
    for m in '"allocations":[{"job":1,"size":2}]' \
        '"allocations":[{"job":1},{"job":2}]' \
        '"size":4,"allocations":[{"job":1,"size":3},{"job":2,"size":3}]' \
        '"size":9223372036854775807,"allocations":[{"job":1,"size":9223372036854775807},{"job":2,"size":9223372036854775807}]'; do
        vertex "$m" >in
        run -2 --separate-stderr rset-match <in
        [ -z "$output" ]
        [[ $stderr == 'rset-match: stdin:1: graph'* ]]
    done
}

@test "records of a plain R are read as strictly" {
    marks() {
        printf '%s,"attributes":{"system":{"scheduler":{%s}}}}' "${R%\}}" "$1"
    }
    for m in '"allocations":5' '"allocations":[5]' '"allocations":[{}]' \
        '"allocations":[{"job":1}]' '"allocations":[{"job":1,"R_lite":5}]' \
        '"allocations":[{"job":1,"R_lite":[{"rank":"9"}]}]' \
        '"allocations":[{"job":1,"R_lite":[{"rank":"0","children":{"core":"9"}}]}]' \
        '"allocations":[{"job":1,"R_lite":[{"rank":"0","children":{"odd":"0"}}]}]' \
        '"allocations":[{"job":1,"R_lite":[{"rank":"0"}],"holds":"9"}]' \
        '"allocations":[{"job":1,"R_lite":[{"rank":"0"}],"holds":5}]' \
        '"allocations":[{"job":1,"R_lite":[{"rank":"0"}],"start":9,"end":8}]' \
        '"states":[{"state":"odd","R_lite":[{"rank":"0"}]}]' \
        '"states":[{"R_lite":[{"rank":"0"}]}]' \
        '"shared":[{"R_lite":[{"rank":"0"}]}]' \
        '"exclusive":5' '"exclusive":"9"'; do
        marks "$m" >in
        for reader in "${readers[@]}"; do
            # shellcheck disable=SC2086
            run -2 --separate-stderr $reader <in
            [ -z "$output" ]
            [ "${#stderr_lines[@]}" = 1 ]
            [[ $stderr == "$(name_of "$reader"): stdin:1: attributes.system.scheduler."* ]]
        done
    done
}

@test "two jobs do not hold the same core of a plain R" {
    printf '%s,"attributes":{"system":{"scheduler":{"allocations":[{"job":1,"R_lite":[{"rank":"0","children":{"core":"0"}}]},{"job":2,"R_lite":[{"rank":"0","children":{"core":"0"}}]}]}}}}' \
        "${R%\}}" >in
    run -2 --separate-stderr rset-match <in
    [ -z "$output" ]
}

@test "what lies in what one job holds whole is not another's, meanwhile" {
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

@test "a property with several values: each by its name in a graph" {
    echo '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["n"],"properties":{"a=1":"0","a=2":"0","b=3":"0"}}}' >r
    rset-match -o rv1 r >both
    [[ $(<both) == *'"properties":{"a=1":"","a=2":"","b":"3"}'* ]]
    rset-match --validate both
    rset-match -o r both | cmp - r
    sed 's/"b":"3"/"b=3":""/' both >other
    rset-diff both other
    rset-alloc property 0 'a=4' both >changed
    [[ $(<changed) == *'"properties":{"b":"3","a":"4"}'* ]]
}

# --- halves ----------------------------------------------------------------

@test "halves that disagree are an error that says where" {
    rset-match -o rv1 <<<"$R" |
        sed 's/"core":"0-3"/"core":"0-2"/' >in
    message='in: execution.R_lite: R_lite and the graph disagree: ranks 0-1: core[0-2] in R_lite, core[0-3] in the graph (--trust says which to take)'
    for command in rset-match 'rset-match -n1' 'rset-alloc available' \
        'rset-alloc allocate 1 -n1' 'rset-diff in'; do
        # shellcheck disable=SC2086
        refused "$(name_of "$command"): $message" $command in
    done
}

# --- writing ---------------------------------------------------------------

@test "a set that can't be said in a form leaves nothing written" {
    graph=$(graph '' '' | sed 's/"rank":0,//')
    refused "rset-match: stdin:1: no node of the graph has a rank: it can't be said as an R" \
        rset-match -o r <<<"$graph"
    # neither do the good ones before it
    refused "rset-match: stdin:2: no node of the graph has a rank: it can't be said as an R" \
        rset-match -o r < <(printf '%s\n' "$R" "$graph")
}

# starved COMMAND: with ever more memory, from too little to start to enough,
# the command says that there is none, or does all that it does with plenty.
starved() {
    local command=$1 limit status wanted=0
    $command >want 2>err || wanted=$?
    for ((limit = 5000; limit < 100000; limit += 250)); do
        status=0
        (
            ulimit -v "$limit"
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

@test "memory that runs out is status 2 and a message, never a crash" {
    [ -z "${SAN:-}" ] || skip 'the sanitizers need memory without limit'
    # so many ranks, no two of them equal, that it costs something
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

# --- what is written can be read -------------------------------------------

# settles FILE: every form that can say the set is written again as the same
# bytes. Warnings are none of this test's.
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
    graph '{"id":"p","metadata":{"type":"pdu","id":0,"name":"a\"b\\c\u0001"}}' \
        '{"source":"p","target":"1","metadata":{"subsystem":"po\"wer"}}' >in
    settles in
    [ "$(rset-match in | jq -r '.graph.nodes[1].metadata.paths["po\"wer"]')" = $'/a"b\\c\x01/n0' ]
}

@test "a slash in a name of an R does not make a graph that can't be read" {
    r '"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["a/b"]' >in
    settles in
    entry '"0"' '{"core":"0","a/b":"0"}' >in
    settles in
    echo '{"graph":{"nodes":[{"id":"0","metadata":{"type":"a/b"}}]}}' >in
    settles in
    echo '{"graph":{"nodes":[{"id":"0","metadata":{"type":"a","basename":"a/b","id":0}}]}}' >in
    settles in
}

@test "an R without hosts settles as a graph, too" {
    r '"R_lite":[{"rank":"0-1","children":{"core":"0"}}]' >in
    settles in
}

@test "properties that an R spells otherwise settle" {
    vertex '"x":1' | sed 's/"name":"n0"/&,"properties":{"a":"","b":"x=y","c=d":"e","f|":"","g":"h|"}/' >in
    settles in
}
