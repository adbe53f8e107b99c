#!/usr/bin/env bats
# Output for people does not control a terminal, whatever the names.

load common

# A colour, a line, C1, a separator of lines, a mark of direction, no width.
HIDDEN='\u001b[31m\n\u009b\u2028\u202e\u200b\ufeff'
SHOWN='\x1b[31m\x0a\u009b\u2028\u202e\u200b\ufeff'
RAW='[\x01-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xef\xbb\xbf'

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    printf '%s\n' '{"graph": {"nodes": [
{"id": "c", "metadata": {"type": "cluster", "id": 0, "name": "cX"}},
{"id": "n", "metadata": {"type": "node", "id": 0, "rank": 0, "name": "h0",
    "properties": {"pX": "vX"}, "tags": {"tX": "uX"}}},
{"id": "k", "metadata": {"type": "core", "id": 0, "name": "kX\\"}},
{"id": "g", "metadata": {"type": "tX", "id": 0, "size": 2, "unit": "bX"}}],
"edges": [{"source": "c", "target": "n"}, {"source": "n", "target": "k"},
{"source": "n", "target": "g"}]}}' >template
    file=$(<template)
    printf '%s\n' "${file//X/$HIDDEN}" >evil.json
    job=$(jq -rn "\"j$HIDDEN!\"")
}

# tame LINES COMMAND...: standard output and error have LINES lines and no raw
# control characters.
tame() {
    local lines=$1
    shift
    "$@" >out 2>&1 || true
    if LC_ALL=C grep -P "$RAW" out; then
        return 1
    fi
    same "$(wc -l <out)" "$lines"
    [ "$lines" = 0 ] || [ -s out ]
}

@test "the tree shows names with escapes" {
    tame 4 rset-match -o tree evil.json
    same "$(<out)" "c$SHOWN  cluster
  h0  rank0  {p$SHOWN=v$SHOWN}  #t$SHOWN=u$SHOWN
    k$SHOWN\\\\  core
    t${SHOWN}0  2 b$SHOWN"
}

@test "a backslash is one in a name that needs no escape" {
    jq -c '.graph.nodes |= map(if .id == "c" then .metadata.name = "c\\x"
        else . end)' evil.json >plain.json
    rset-match -o tree plain.json >out
    same "$(head -n1 out)" 'c\x  cluster'
}

@test "tables and messages" {
    rset-alloc allocate "$job" --owner "$job" -n1 evil.json >used.json
    tame 2 rset-alloc jobs used.json
    tame 2 rset-alloc jobs <used.json
    tame 2 rset-alloc status <used.json
    tame 5 rset-alloc status --by type <used.json
    tame 2 rset-alloc nodes used.json
    tame 5 rset-match -o table used.json
    tame 4 rset-match -o tree used.json
    tame 1 rset-match -o short used.json
    tame 3 rset-match --aggregate used.json
    tame 1 rset-diff evil.json used.json
    tame 1 rset-alloc allocate "$job" -n1 used.json
    tame 1 rset-alloc release "no$job" used.json
    tame 1 rset-alloc allocate 2 -n1 used.json
    tame 1 rset-match -N4 --explain used.json
    tame 1 rset-match "$job"
    tame 1 rset-match "--$job" evil.json
    tame 1 rset-alloc "$job" evil.json
    tame 1 rset-match --shape "$job" evil.json
    tame 1 rset-match --find "$job" evil.json
    tame 1 rset-alloc up "/$job" evil.json
    tame 1 idset -H "$job"
    rset-alloc drain 0 --reason "$job" evil.json >down.json
    tame 3 rset-alloc status <down.json
    [ "$(tail -n1 out)" = "/c$SHOWN/h0: drained: j$SHOWN!" ]
}

@test "no host has a name with controls" {
    for c in '\u001b' '\u202e' '\u009b' '\n'; do
        printf '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["h%s0"]}}' \
            "$c" >in
        run -2 rset-match -o hosts in
        tame 1 rset-match -o hosts in
    done
}

@test "--when is a local time at a terminal" {
    needs pty
    rset-discover --hosts n0 --cores 0 | rset-alloc allocate 1 -N1 --now 1000 --duration 1h >set.json
    export RSET_NOW=1000 TZ=America/New_York
    same "$(rset-match -N1 --when set.json)" 4600
    at_terminal() {
        script -qec "rset-match -N1 --when $* set.json" /dev/null </dev/null | tr -d '\r'
    }
    same "$(at_terminal)" 1969-12-31T20:16:40
    same "$(at_terminal -o json)" '{"answer":"match","when":4600}'
}

@test "states that are not up have colours in tables on a terminal" {
    needs pty
    rset-discover --hosts 'n[0-2]' --cores 0 | rset-alloc drain n0 |
        rset-alloc down n1 >set.json
    shown() {
        TERM=$1 script -qec "rset-alloc nodes --columns host,state set.json" \
            /dev/null </dev/null | tr -d '\r'
    }
    rset-alloc nodes --columns host,state set.json >plain
    for term in xterm-256color vt100; do
        same "$(shown $term | sed 's/\x1b\[[0-9;]*m//g')" "$(<plain)"
    done
    same "$(shown vt100)" "$(<plain)"
    same "$(NO_COLOR=1 shown xterm-256color)" "$(<plain)"
    same "$(shown xterm-256color | grep -c $'^n[01].*\e\[[^m]*m[a-z]*\e\[0m$')" 2
    [[ $(shown xterm-256color | grep n2) != *$'\e'* ]]
    # the colours are those of the map
    of_map=$(TERM=xterm-256color script -qec 'rset-alloc status --map set.json' \
        /dev/null </dev/null | grep -o $'\e\[[^m]*m%' | head -n1)
    [[ $(shown xterm-256color | grep n0) == *"${of_map%\%}drained"* ]]
}

@test "RSET_SET names the set for people at a terminal" {
    needs pty
    rset-discover --hosts 'n[0-1]' --cores 0 >set.json
    rset-alloc load --store site.db <set.json
    at_terminal() { # COMMAND
        script -qec "$1" /dev/null </dev/null | tr -d '\r'
    }
    for RSET_SET in set.json site.db; do
        export RSET_SET
        for command in 'rset-alloc nodes' 'rset-match -o hosts'; do
            at_terminal "$command" >out
            grep -q 'n[0[]' out
            # not in a pipe
            # shellcheck disable=SC2086 # words
            refused "${command%% *}: stdin: empty input: expected a document" $command </dev/null
        done
        # what is named counts
        rset-discover --hosts other >named.json
        same "$(at_terminal 'rset-match -o hosts named.json')" other
    done
    at_terminal 'rset-alloc drain n1'
    same "$(at_terminal 'rset-alloc nodes --state drained --columns host --no-header')" n1
    at_terminal 'rset-alloc history --columns command --no-header' | grep -q drain
    same "$(rset-alloc nodes --state drained --columns host --no-header --store site.db)" n1
    export RSET_SET=none.json
    at_terminal 'rset-match -o hosts' | grep -q '^rset-match: none.json: No such file or directory'
}

@test "a program that waits at a terminal for a set says so" {
    needs pty
    rset-discover --hosts n0 --cores 0 >set.json
    for command in 'rset-alloc nodes' 'rset-match -o hosts' 'rset-diff - set.json'; do
        script -qec "$command" /dev/null <set.json | tr -d '\r' >out || true
        grep -q ': reading a set from the terminal: end it with Ctrl-D, or name a file$' out
    done
    script -qec 'rset-alloc nodes set.json' /dev/null </dev/null | tr -d '\r' >out
    run -1 grep 'from the terminal' out
}
