# rset-match --validate: reports everything that is wrong with a document.

load common

# A document of a plain R: r R_LITE [REST]
r() {
    printf '{"version":1,"execution":{"R_lite":%s%s}}\n' "$1" "$2"
}
good='[{"rank":"0-1","children":{"core":"0-3"}}]'
hosts=',"nodelist":["a[0-1]"]'

@test "a good document gives no output" {
    r "$good" "$hosts" >r.json
    run -0 rset-match --validate r.json
    same "$output" ''
    run -0 rset-match --validate --strict <r.json
    same "$output" ''
}

@test "all faults are printed, with their places and rules" {
    r '[{"rank":"0-1","children":{"core":"0-"}},{"rank":"1","children":{"core":"0"}}]' \
        ',"nodelist":["a[0-2]"],"properties":{"a|b":"0","c":"7"},"starttime":3,"expiration":2' >r.json
    run -1 --separate-stderr rset-match --validate <r.json
    same "$output" "$(cat <<'END'
stdin:1: execution.R_lite[0].children.core: "0-": range has no end at offset 2 [idset]
stdin:1: execution.properties: "a|b": '|' is not allowed in a property [property-name]
stdin:1: execution.nodelist: 3 hosts for 2 ranks [nodelist-count]
stdin:1: execution.expiration: 2 is not after the starttime 3 [times-order]
stdin:1: execution.properties.c: rank 7 is not in the set [property-rank]
END
)"
    same "$stderr" ''
}

@test "hosts must be as many as ranks" {
    r "$good" ',"nodelist":["a[0-2]"]' >r.json
    run -1 rset-match --validate r.json
    same "$output" 'r.json: execution.nodelist: 3 hosts for 2 ranks [nodelist-count]'
}

@test "warnings change the status only with --strict" {
    r '[{"rank":"0","children":{"gpu":"0"}}]' >r.json
    local want='r.json: execution.R_lite[0].children: warning: core is missing [core-missing]
r.json: execution: warning: nodelist is missing [nodelist-missing]'
    run -0 rset-match --validate r.json
    same "$output" "$want"
    run -1 rset-match --validate --strict r.json
    same "$output" "$want"
}

@test "--strict holds to the seed edition" {
    r "$good" "$hosts"',"nslots":2,"starttime":0' >r.json
    run -0 rset-match --validate r.json
    same "$output" ''
    run -1 rset-match --validate --strict r.json
    same "$output" 'r.json: execution.starttime: 0 means that the time is unset [time-zero]
r.json: execution.nslots: reserved: not in the seed edition [reserved-key]'
}

@test "the output of each form passes --strict" {
    r "$good" "$hosts" >r.json
    local form
    for form in r jgf rv1; do
        rset-match -o $form r.json >out.json
        run -0 rset-match --validate --strict out.json
        same "$output" ''
    done
}

@test "records of rset-alloc are valid, in a graph and in a plain R" {
    local form
    r '[{"rank":"0-3","children":{"core":"0-3","gpu":"0-1"}}]' \
        ',"nodelist":["a[0-3]"]' >r.json
    for form in r jgf; do
        rset-match -o $form r.json | rset-alloc allocate 7 -n2 -c2 |
            rset-alloc allocate 8 -N1 >out.json
        run -0 rset-match --validate --strict out.json
        same "$output" ''
    done
}

@test "a graph: ends, parents, roots and circles" {
    cat >g.json <<'END'
{"graph": {
  "nodes": [{"id": "c", "metadata": {"type": "cluster"}},
            {"id": "a", "metadata": {"type": "rack", "id": 0}},
            {"id": "b", "metadata": {"type": "rack", "id": 1}},
            {"id": "n", "metadata": {"type": "node", "id": 0}},
            {"id": "x", "metadata": {"type": "core", "id": 0}}],
  "edges": [{"source": "a", "target": "b"}, {"source": "b", "target": "a"},
            {"source": "c", "target": "n"}, {"source": "a", "target": "n"},
            {"source": "n", "target": "y"}]}}
END
    run -1 rset-match --validate g.json
    same "$output" "$(cat <<'END'
g.json: graph.edges[1]: "b" and "a": containment has edges both ways, and neither relationships nor paths tell which is above [cycle]
g.json: graph.edges[3]: "n" has two parents in containment [two-parents]
g.json: graph.edges[4].target: "y" is not among the vertices [edge-dangling]
g.json: graph.nodes[4]: "cluster" and "core0": containment has two roots [two-roots]
END
)"
}

@test "records: no unit is allocated twice at a time" {
    cat >g.json <<'END'
{"graph": {"nodes": [{"id": "m", "metadata": {
   "type": "memory", "size": 4, "allocations": [
     {"job": 1, "size": 3, "start": 1, "end": 6},
     {"job": 2, "size": 2, "start": 5, "end": 9}]}}], "edges": []}}
END
    run -1 rset-match --validate g.json
    same "$output" 'g.json: graph.nodes[0].metadata.allocations: 5 units of 4 are allocated at 5, with job 2 [record-oversubscribed]'
    sed -i 's/"end": 6/"end": 5/' g.json
    run -0 rset-match --validate g.json
    same "$output" ''
}

@test "halves that disagree: compared in all ranks, not only in the first" {
    cat >rv1.json <<'END'
{"version": 1,
 "execution": {"R_lite": [{"rank": "0-2", "children": {"core": "0"}}],
               "nodelist": ["node[0,7,2]"]},
 "scheduling": {"graph": {
   "nodes": [{"id": "c", "metadata": {"type": "cluster"}},
             {"id": "n", "metadata": {"type": "node", "id": 0, "rank": 0}},
             {"id": "m", "metadata": {"type": "node", "id": 1, "rank": 1}},
             {"id": "x", "metadata": {"type": "core", "id": 1}},
             {"id": "y", "metadata": {"type": "core", "id": 0}}],
   "edges": [{"source": "c", "target": "n"}, {"source": "c", "target": "m"},
             {"source": "n", "target": "x"}, {"source": "m", "target": "y"}]}}}
END
    run -1 rset-match --validate rv1.json
    same "$output" "$(cat <<'END'
rv1.json: execution.R_lite: R_lite and the graph disagree: rank 0: core0 in R_lite, core1 in the graph [halves-disagree]
rv1.json: execution.R_lite: R_lite and the graph disagree: rank 2: core0 in R_lite, no such rank in the graph [halves-disagree]
rv1.json: execution.nodelist: the nodelist and the graph disagree: rank 1 is node7 in the nodelist, node1 in the graph [hosts-disagree]
END
)"
}

@test "documents are checked one by one, good ones and bad ones" {
    { r "$good" "$hosts"; r "$good" ',"nodelist":["x"]'; echo '[]'; } >r.json
    run -1 rset-match --validate <r.json
    same "$output" 'stdin:2: execution.nodelist: 1 hosts for 2 ranks [nodelist-count]
stdin:3: a list; expected an object [wrong-type]'
}

@test "-o json: an object a document" {
    needs jq
    { r "$good" "$hosts"; r "$good" ',"nodelist":["x"]'; } >r.json
    run -1 rset-match --validate -o json r.json
    same "$output" '{"source":"r.json","valid":true,"faults":[]}
{"source":"r.json:2","valid":false,"faults":[{"rule":"nodelist-count","level":"refused","where":"execution.nodelist","what":"1 hosts for 2 ranks"}]}'
    r "$good" >w.json
    run -0 rset-match --validate -o json w.json
    jq -e '.valid and .faults[0].level == "warned"' <<<"$output"
    run -1 rset-match --validate --strict -o json w.json
    jq -e '.valid | not' <<<"$output"
}

@test "at most twenty lines a rule are printed, and all are counted" {
    needs jq
    local i nodes=''
    for i in {1..30}; do
        nodes+="{\"id\":\"$i\",\"metadata\":{\"type\":\"core\",\"id\":$i}},"
    done
    echo "{\"graph\":{\"nodes\":[${nodes%,}],\"edges\":[]}}" >g.json
    run -1 rset-match --validate g.json
    same "${#lines[@]}" 21
    same "${lines[20]}" 'g.json: ... and 9 more [two-roots]'
    run -1 rset-match --validate -o json g.json
    same "$(jq '.faults | length' <<<"$output")" 29
}

@test "text that is not JSON is an error, and nothing is printed" {
    r "$good" ',"nodelist":["x"]' >r.json
    refused 'rset-match: stdin: empty input: expected a document' \
        rset-match --validate </dev/null
    { cat r.json; echo '{"version":'; } >cut.json
    run -2 --separate-stderr rset-match --validate cut.json
    same "$output" ''
    echo '{"version":1,"version":1}' >twice.json
    run -2 --separate-stderr rset-match --validate twice.json
    [[ $stderr == *duplicate* ]]
    run -2 rset-match --validate missing.json
}

@test "control characters do not reach the terminal" {
    r "$good" "$hosts"',"properties":{"a\u001b|":"0"}' >r.json
    run -1 rset-match --validate r.json
    same "$output" "r.json: execution.properties: \"a\\x1b|\": '|' is not allowed in a property [property-name]"
}

@test "options that do not go together" {
    local help=" (try 'rset-match --help')"
    refused "rset-match: --strict needs --validate$help" rset-match --strict
    refused "rset-match: --validate and --count exclude each other$help" \
        rset-match --validate --count core
    refused "rset-match: --validate takes no request$help" \
        rset-match --validate -n1
    refused "rset-match: --output: this answer is available only as json$help" \
        rset-match --validate -o tree
}

@test "a full disk is an error" {
    needs /dev/full
    r "$good" ',"nodelist":["x"]' >r.json
    run -2 bash -c 'rset-match --validate r.json >/dev/full'
}

# refuses FILE: does rset-match refuse it?
refuses() {
    local status=0
    rset-match -o r "$1" >/dev/null 2>&1 || status=$?
    [ "$status" = 2 ]
}

@test "a document is refused exactly if it has faults other than warnings" {
    local n=0 text
    while read -r text; do
        printf '%s\n' "$text" >doc.json
        n=$((n + 1))
        if rset-match --validate doc.json >faults; then
            rset-match doc.json >/dev/null
        else
            refuses doc.json || { echo "$text"; cat faults; return 1; }
        fi
    done <<END
$(r "$good" "$hosts")
$(r "$good")
$(r "$good" ',"nodelist":["a["]')
$(r "$good" "$hosts"',"properties":{"":"0"}')
$(r "$good" "$hosts"',"properties":{"a":"5"}')
$(r "$good" "$hosts"',"starttime":"x"')
$(r '[]' ',"nodelist":[]')
$(r '[{"rank":"0"}]')
$(r '[{"rank":"0,0","children":{}}]')
{"version":2,"execution":{"R_lite":[]}}
{"version":1}
{"version":1,"execution":{"R_lite":[]},"attributes":{"system":{"scheduler":{"allocations":[{"job":7}]}}}}
{"graph":{"nodes":[{"id":"a","metadata":{"type":"x"}},{"id":"a","metadata":{"type":"y"}}],"edges":[]}}
{"graph":{"nodes":[{"id":"a","metadata":{"type":"x","size":-1}}],"edges":[]}}
{"graph":{"nodes":[{"id":"a","metadata":{"type":"x","state":"broken"}}],"edges":[]}}
{"graph":{"nodes":[{"id":"a","metadata":{"type":"x"}}],"edges":[{"source":"a","target":"a"}]}}
END
    [ "$n" = 16 ]
}

@test "a property of a rank that one half has is no fault if the halves disagree" {
    needs jq
    r "$good" "$hosts"',"properties":{"p":"1"}' | rset-match -o rv1 |
        jq -c '.scheduling.graph |= (.nodes |= map(select(.metadata.rank != 1))
            | [.nodes[].id] as $ids
            | .edges |= map(select(.target | IN($ids[]))))' >one
    run -1 rset-match --validate one
    same "$(grep -c property-rank <<<"$output")" 0
    run -0 rset-match --validate --trust execution one
    run -0 rset-match --trust execution -o short one
    jq -c '.execution.properties.p = "7"' one >two
    run -1 rset-match --validate --trust execution two
    same "$(grep property-rank <<<"$output")" \
        'two: execution.properties.p: rank 7 is not in the set [property-rank]'
}
