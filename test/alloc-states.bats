#!/usr/bin/env bats
# rset-alloc: states of pools and their reasons, tags, properties, and status.

load common

setup() {
    needs jq
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >r.json <<'EOF'
{"version":1,"execution":{"R_lite":[{"rank":"0-3","children":{"core":"0-3"}}],"nodelist":["n[0-3]"]}}
EOF
    rset-match -o jgf r.json >graph.json
}

# marks FILE: print the states and tags of a plain R.
marks() {
    jq -c '.attributes.system.scheduler | .states[]?, .tags[]?' "${1:--}"
}

# up FILE: print the ranks with anything available.
up() {
    rset-alloc available -o ranks "$1"
}

# no MESSAGE COMMAND...: COMMAND prints MESSAGE alone and fails with status 1.
no() {
    run -1 --separate-stderr "${@:2}"
    same "$output$stderr" "$1"
}

# --- up and down ------------------------------------------------------------

@test "down and up: ranks, hosts, paths, many at once" {
    for what in 1-2 n1,n2 'n[1-2]' /cluster0/n1,/cluster0/n2 \
        containment:/cluster0/n2,/cluster0/n1; do
        rset-alloc down "$what" r.json >down
        same "$(marks down)" '{"state":"down","R_lite":[{"rank":"1-2"}]}'
        same "$(up down)" 0,3
        rset-alloc up "$what" down | cmp - r.json
        rset-alloc down "$what" graph.json >down
        same "$(up down)" 0,3
        rset-alloc up "$what" down | cmp - graph.json
    done
}

@test "states: changed pools stay in their place in the tree" {
    for command in 'up 0' 'down 1' 'drain 0,2' 'tag 1-2 k' 'property 2 big'; do
        # shellcheck disable=SC2086 # words
        same "$(rset-alloc $command -o tree r.json)" \
            "$(rset-alloc $command r.json | rset-match -o tree)"
    done
    same "$(rset-alloc up 0 -o tree r.json)" "$(rset-match -o tree r.json)"
}

@test "states: some targets of a run" {
    for nothing in '' ',' '[]'; do
        refused "rset-alloc: down: expected ranks or hosts (try 'rset-alloc down --help')" \
            rset-alloc down "$nothing" r.json
    done
}

@test "down: pools in a node, and pools above it" {
    rset-alloc down /cluster0/n0/core1,/cluster0/n3/core0 r.json >down
    same "$(rset-alloc available -o short down)" \
        'rank0/core[0,2-3] rank[1-2]/core[0-3] rank3/core[1-3]'
    rset-alloc down /cluster0 graph.json >down
    same "$(up down)" ''
    same "$(rset-alloc available --any-state -o ranks down)" 0-3
}

@test "down: a reason, and a time if one was given" {
    rset-alloc down 1 --reason 'bad fan' r.json >down
    same "$(marks down)" '{"state":"down","R_lite":[{"rank":"1"}]}
{"tag":"down","value":{"reason":"bad fan"},"R_lite":[{"rank":"1"}]}'
    rset-alloc down 1 --now 1000 r.json >down
    same "$(marks down | tail -1)" \
        '{"tag":"down","value":{"time":1000},"R_lite":[{"rank":"1"}]}'
    # a new reason replaces the first; no reason keeps it
    rset-alloc down 1 --reason 'no fan' down | marks >out
    same "$(tail -1 out)" \
        '{"tag":"down","value":{"reason":"no fan"},"R_lite":[{"rank":"1"}]}'
    rset-alloc down 1 down | cmp - <(rset-alloc down 1 r.json)
    rset-alloc up 1 down | cmp - r.json
}

@test "state: all of them, by name" {
    for state in down degraded failing unknown none; do
        rset-alloc state 2 $state r.json >out
        same "$(marks out)" "{\"state\":\"$state\",\"R_lite\":[{\"rank\":\"2\"}]}"
        same "$(up out)" 0-1,3
        rset-alloc state 2 up out | cmp - r.json
    done
    rset-alloc state 2 down --reason x --now 5 r.json |
        cmp - <(rset-alloc down 2 --reason x --now 5 r.json)
    refused "rset-alloc: state: \"drained\": write \`rset-alloc drain 0\` (try 'rset-alloc state --help')" \
        rset-alloc state 0 drained r.json
    refused "rset-alloc: state: there is no state \"broken\"; there are up, down, degraded, failing, unknown, none (try 'rset-alloc state --help')" \
        rset-alloc state 0 broken r.json
    refused "rset-alloc: state: up takes no --reason (try 'rset-alloc state --help')" \
        rset-alloc state 0 up --reason x r.json
    # without a state the file is taken for one
    refused "rset-alloc: state: there is no state \"r.json\"; there are up, down, degraded, failing, unknown, none (try 'rset-alloc state --help')" \
        rset-alloc state 0 r.json
}

@test "jobs keep their resources in any state" {
    rset-alloc allocate 1 -N2 r.json | rset-alloc down 0-2 >used
    same "$(rset-alloc allocated 1 -o ranks used)" 0-1
    same "$(up used)" 3
    rset-alloc release 1 used | cmp - <(rset-alloc down 0-2 r.json)
}

# --- drain ------------------------------------------------------------------

@test "drain and undrain: the bytes come back" {
    rset-alloc drain 1-2 --reason 'new kernel' --now 1000 r.json >drained
    same "$(marks drained)" '{"state":"down","R_lite":[{"rank":"1-2"}]}
{"tag":"drained","value":{"reason":"new kernel","time":1000},"R_lite":[{"rank":"1-2"}]}'
    same "$(up drained)" 0,3
    rset-alloc undrain 1-2 drained | cmp - r.json
    rset-alloc drain 1 r.json | rset-alloc undrain n1 | cmp - r.json
    rset-alloc drain /cluster0/n1 graph.json | rset-alloc undrain 1 |
        cmp - graph.json
}

@test "undrain restores the state before the drain" {
    rset-alloc down 0 --reason fan r.json | rset-alloc state 1 failing >before
    rset-alloc drain 0-2 --reason move before >drained
    same "$(up drained)" 3
    same "$(marks drained | grep drained)" \
        '{"tag":"drained","value":{"reason":"move","was":"down"},"R_lite":[{"rank":"0"}]}
{"tag":"drained","value":{"reason":"move","was":"failing"},"R_lite":[{"rank":"1"}]}
{"tag":"drained","value":{"reason":"move"},"R_lite":[{"rank":"2"}]}'
    rset-alloc undrain 0-2 drained | cmp - before
}

@test "up and down of drained resources apply when they are undrained" {
    rset-alloc drain 1 r.json >drained
    run -0 --separate-stderr rset-alloc down 1 --reason fan drained
    same "$stderr" \
        'rset-alloc: drained: 1 of them is drained, and will be down when undrained'
    same "$(up - <<<"$output")" 0,2-3
    rset-alloc undrain 1 <<<"$output" |
        cmp - <(rset-alloc down 1 --reason fan r.json)
    rset-alloc down 0-1 r.json | rset-alloc drain 0-1 >drained
    run -0 --separate-stderr rset-alloc up 0-2 drained
    same "$stderr" \
        'rset-alloc: drained: 2 of them are drained, and will be up when undrained'
    same "$(up - <<<"$output")" 2-3
    rset-alloc undrain 0-1 <<<"$output" | cmp - r.json
}

@test "drain /: all resources of the set" {
    rset-alloc drain / graph.json >drained
    same "$(rset-alloc status --by type drained | tail -n 1)" '/cluster0: drained'
    rset-alloc undrain / drained | cmp - graph.json
    run -2 --separate-stderr rset-alloc drain / r.json
    same "$stderr" 'rset-alloc: r.json: /cluster0: an R without a graph has no place for that'
}

@test "a store keeps the time of a drain" {
    rset-alloc load --store s.db r.json
    rset-alloc drain n1 --store s.db
    rset-alloc down n2 --reason fan --store s.db
    rset-alloc batch - --store s.db <<<'drain n3' >out
    rset-alloc nodes --columns host,since -o json --store s.db \
        >nodes
    same "$(jq -c '[.[] | select(.since > 1e9) | .host]' nodes)" \
        '["n1","n2","n3"]'
    rset-alloc history --store s.db -o json >history
    same "$(jq -c '[.[].time]' history)" "$(jq -c '[.[1:][].since]' nodes)"
    printf '%s\n' 'undrain n1,n3' 'up n2' | rset-alloc batch - --store s.db >out
    rset-alloc save --store s.db 2>err | cmp - r.json
}

@test "drain again: the first reason stays, --update adds one, --force replaces it" {
    rset-alloc down 1 r.json | rset-alloc drain 1 --reason a --now 1000 >first
    again='--update adds a reason where there is none, --force replaces it'
    no "rset-alloc: first: /cluster0/n1 is drained already (a): $again" rset-alloc drain 0-1 --reason b first
    rset-alloc drain 1 --reason b --force first >drained
    same "$(marks drained | tail -1)" \
        '{"tag":"drained","value":{"reason":"b","time":1000,"was":"down"},"R_lite":[{"rank":"1"}]}'
    rset-alloc drain 0-1 --reason b --update first >drained
    same "$(marks drained | grep drained)" '{"tag":"drained","value":{"reason":"a","time":1000,"was":"down"},"R_lite":[{"rank":"1"}]}
{"tag":"drained","value":{"reason":"b"},"R_lite":[{"rank":"0"}]}'
    # nodes that were alike
    rset-alloc drain 0-2 --reason b --update first >drained
    same "$(marks drained)" '{"state":"down","R_lite":[{"rank":"0-2"}]}
{"tag":"drained","value":{"reason":"a","time":1000,"was":"down"},"R_lite":[{"rank":"1"}]}
{"tag":"drained","value":{"reason":"b"},"R_lite":[{"rank":"0,2"}]}'
    rset-alloc drain 2 r.json >bare
    no 'rset-alloc: bare: /cluster0/n2 is drained already: --update adds a reason where there is none, --force replaces it' \
        rset-alloc drain 2 bare
    same "$(rset-alloc drain 2 --reason c --update bare | rset-alloc status | tail -1)" '/cluster0/n2: drained: c'
}

@test "undrain: takes the drained targets of many, fails if there are none" {
    rset-alloc drain 1 r.json >drained
    rset-alloc undrain 0-3 drained | cmp - r.json
    no 'rset-alloc: drained: 0,2: not drained' rset-alloc undrain 0,2 drained
}

@test "inside a drained pool undrain names that pool, and up warns" {
    rset-discover --hosts 'n[0-7]' --cores 0-1 --nodes-per-rack 4 -o jgf >racks
    rset-alloc drain /cluster0/rack0 racks >drained
    local what
    for what in n0 n5,n3 all /cluster0; do
        no "rset-alloc: drained: $what: not drained, but /cluster0/rack0 is" \
            rset-alloc undrain "$what" drained
    done
    no 'rset-alloc: drained: n5: not drained' rset-alloc undrain n5 drained
    run -0 --separate-stderr rset-alloc up 'n[0-5]' drained
    same "$stderr" \
        'rset-alloc: drained: 4 of them are in /cluster0/rack0, which is drained'
    run -0 --separate-stderr rset-alloc up n1 \
        <(rset-alloc down /cluster0/rack0 racks)
    same "${stderr##*: }" '1 of them is in /cluster0/rack0, which is down'
    run -0 --separate-stderr rset-alloc up n4 drained
    same "$stderr" ''
    rset-alloc drain /cluster0/n1/core3 r.json >core
    no 'rset-alloc: core: all: not drained, but /cluster0/n1/core3 is' \
        rset-alloc undrain all core
}

# --- tags -------------------------------------------------------------------

@test "tag and untag: with a value and without" {
    rset-alloc tag 1-2 row=B r.json | rset-alloc tag 2 empty= |
        rset-alloc tag n3,n0 seen | rset-alloc tag 0 eq=a=b >tagged
    same "$(marks tagged | sort)" '{"tag":"empty","value":"","R_lite":[{"rank":"2"}]}
{"tag":"eq","value":"a=b","R_lite":[{"rank":"0"}]}
{"tag":"row","value":"B","R_lite":[{"rank":"1-2"}]}
{"tag":"seen","R_lite":[{"rank":"0,3"}]}'
    same "$(rset-match --find 'tag=row' -o ranks tagged)" 1-2
    rset-alloc untag 0-3 row tagged | rset-alloc untag 2 empty |
        rset-alloc untag 0-3 seen | rset-alloc untag 0 eq | cmp - r.json
    no 'rset-alloc: tagged: 0 has no tag row' rset-alloc untag 0 row tagged
}

@test "tag: another value, and a list of names as other writers have it" {
    rset-alloc tag 0 row=A r.json | rset-alloc tag 0 row=B >tagged
    same "$(marks tagged)" '{"tag":"row","value":"B","R_lite":[{"rank":"0"}]}'
    jq -c '.graph.nodes[1].metadata.tags = ["old", "kept"]' graph.json >list
    rset-alloc untag 0 old list | rset-alloc tag 0 new=1 |
        jq -e '.graph.nodes[1].metadata.tags == {kept: null, new: "1"}'
    no 'rset-alloc: list: 1 has no tag old' rset-alloc untag 1 old list
}

@test "tag: bad keys, and keys that belong to a state" {
    usage() {
        refused "rset-alloc: $1 (try 'rset-alloc $3 --help')" "${@:2}"
    }
    for command in tag untag; do
        usage "$command: \"=x\": expected KEY or KEY=VALUE" \
            rset-alloc $command 0 =x r.json
        usage "$command: the text is empty" rset-alloc $command 0 '' r.json
        usage "$command: drain and undrain set this tag" \
            rset-alloc $command 0 drained r.json
        usage "$command: up and down set this tag" \
            rset-alloc $command 0 down=x r.json
        usage "$command: a key or name is expected after \"0\"" \
            rset-alloc $command 0
        for word in $'\xff' $'k=\xc3'; do
            run -2 --separate-stderr rset-alloc $command 0 "$word" r.json
            [ -z "$output" ]
            [ "${#stderr_lines[@]}" = 1 ]
        done
    done
    rset-alloc tag 0 down2 r.json | marks >out
    grep -q down2 out
}

# --- properties -------------------------------------------------------------

@test "property: given, changed, taken away" {
    rset-alloc property 1-2 ssd r.json | rset-alloc property 2 gen=4 >with
    same "$(jq -c .execution.properties with)" '{"ssd":"1-2","gen=4":"2"}'
    rset-alloc property 2 gen=5 with | rset-alloc property 1 gen=4 >next
    same "$(jq -c .execution.properties next)" \
        '{"ssd":"1-2","gen=5":"2","gen=4":"1"}'
    same "$(rset-match --requires gen=5 -o ranks next)" 2
    rset-alloc property 0-3 ^ssd next | rset-alloc property 1-2 ^gen |
        cmp - r.json
    no 'rset-alloc: with: 0 has no property ssd' \
        rset-alloc property 0 ^ssd with
    rset-alloc property /cluster0/n1/core0 fast graph.json |
        rset-match -o tree | grep -qx '    core0  {fast}'
}

@test "property: bad names and values" {
    refused "rset-alloc: property: \"a|b\": none of !&'\"^\`|() may be in it (try 'rset-alloc property --help')" \
        rset-alloc property 0 'a|b' r.json
    refused "rset-alloc: property: ^NAME has no value (try 'rset-alloc property --help')" \
        rset-alloc property 0 ^a=b r.json
    for word in '' ^ =x ^=x $'\xff' $'k=\xff' 'k=a"b' ^^a; do
        run -2 --separate-stderr rset-alloc property 0 "$word" r.json
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" = 1 ]
    done
}

# --- targets ----------------------------------------------------------------

@test "a target that does not exist is an error, and nothing changes" {
    refused 'rset-alloc: r.json: "/cluster0/n9": there is no such resource' \
        rset-alloc down /cluster0/n0,/cluster0/n9 r.json
    for command in 'down WHAT' 'up WHAT' 'drain WHAT' 'undrain WHAT' \
        'state WHAT up' 'tag WHAT k' 'untag WHAT k' 'property WHAT k' \
        'status WHAT'; do
        for what in 0,9 'n[0,9]' /cluster0/n9 '' power:/x; do
            # shellcheck disable=SC2206
            words=(${command/ WHAT/})
            run -2 --separate-stderr rset-alloc "${words[0]}" "$what" \
                "${words[@]:1}" r.json
            [ -z "$output" ]
            [ "${#stderr_lines[@]}" = 1 ]
        done
    done
    refused "rset-alloc: down: paths, ranks or hosts are expected (try 'rset-alloc down --help')" \
        rset-alloc down
}

@test "a record that an R can't hold is refused" {
    for command in 'down /cluster0' 'drain /cluster0' 'tag /cluster0 k' \
        'state /cluster0 failing' 'property /cluster0 k'; do
        # shellcheck disable=SC2086
        refused 'rset-alloc: r.json: /cluster0: an R without a graph has no place for that' \
            rset-alloc $command r.json
        # shellcheck disable=SC2086
        run -0 rset-alloc $command graph.json
    done
    refused 'rset-alloc: r.json: /cluster0/n0/core1: an R without a graph has no place for that' \
        rset-alloc property /cluster0/n0/core1 k r.json
    refused "rset-alloc: r.json: an R without a graph can't record that cluster is shared" \
        rset-alloc allocate 1 --shape cluster r.json
}

@test "a reason is any text" {
    for command in down drain; do
        refused "rset-alloc: --reason: the text is empty (try 'rset-alloc $command --help')" \
            rset-alloc $command 0 --reason '' r.json
        run -2 --separate-stderr rset-alloc $command 0 --reason $'\xff' r.json
        [ -z "$output" ]
    done
}

@test "exclusive: a node, or a pool of a graph, is allocated as a whole" {
    for file in r.json graph.json; do
        rset-alloc exclusive 1-2 $file >marked
        same "$(rset-match --find exclusive -o ranks marked)" 1-2
        rset-alloc unexclusive 1-2 marked | cmp - $file
        rset-alloc allocate 1 -n1 --include 1 marked >held
        same "$(rset-alloc available -o short held)" \
            'rank[0,2-3]/core[0-3]'
        no "rset-alloc: $file: 0: not exclusive" rset-alloc unexclusive 0 $file
        rset-alloc allocate 1 -n1 $file >held
        no "rset-alloc: held: job 1 has a part of /cluster0/n0" \
            rset-alloc exclusive 0 held
        no "rset-alloc: held: job 1 has a part of /cluster0/n0" \
            rset-alloc exclusive 0-2 held
        rset-alloc allocate 1 -N1 $file | rset-alloc exclusive 0 |
            rset-match --validate
    done
    rset-alloc exclusive /cluster0/n0/core1 graph.json | rset-match --validate
    refused "rset-alloc: r.json: /cluster0/n0/core1: an R without a graph has no place for that" \
        rset-alloc exclusive /cluster0/n0/core1 r.json
    # at once, also in a batch
    printf '%s\n' 'exclusive 0' 'allocate 1 -n1' 'unexclusive 1' \
        'unexclusive 0' 'allocate 2 -n1' |
        rset-alloc batch - -o short r.json >out
    same "$(cat out)" '{"command":"exclusive","status":0}
{"command":"allocate","job":"1","status":0,"set":"rank0/core0"}
{"command":"unexclusive","status":1,"why":"1: not exclusive"}
{"command":"unexclusive","status":0}
{"command":"allocate","job":"2","status":0,"set":"rank1/core0"}'
}

@test "properties with a plus stay in the inventory, out of a job's R" {
    for file in r.json graph.json; do
        rset-alloc property 0 +row=3 $file | rset-alloc property 0 ssd >marked
        same "$(rset-match --find property=+row -o ranks marked)" 0
        rset-alloc allocate 1 -N1 marked -w R | rset-alloc allocated 1 >again
        rset-match -N1 marked >found
        for R in R again found; do
            same "$(rset-match -o r $R | jq -c .execution.properties)" \
                '{"ssd":"0"}'
        done
        rset-alloc available marked | cmp - marked
    done
}

# --- status -----------------------------------------------------------------

@test "status: total, held and free, by type and state" {
    rset-alloc allocate 1 -n2 r.json | rset-alloc allocate b -N1 |
        rset-alloc allocate 3 -N1 --now 1000 --at 2000 --duration 9 |
        rset-alloc down 3 --reason 'bad fan' --now 1000 |
        rset-alloc drain /cluster0/n1/core3 >used
    same "$(TZ=UTC rset-alloc status / --by type used --now 1000)" "$(cat <<'EOF'
TYPE     STATE  SIZE  ALLOCATED  RESERVED  AVAILABLE  HOLDERS
cluster  up        1          0         0          1  -
node     idle      1          0         1          1  3
node     mixed     1          0         0          1  -
node     full      1          1         0          0  b
node     down      1          0         0          0  -
core     up       11          5         4          6  1,3,b
core     down      5          1         0          0  b
/cluster0/n1/core3: draining
/cluster0/n3: down since 1970-01-01T00:16:40: bad fan
EOF
)"
    rset-alloc status --now 1000 <used | cmp - <(rset-alloc status / used --now 1000)
    rset-alloc status / -o table used --now 1000 |
        cmp - <(rset-alloc status / used --now 1000)
    rset-alloc status / -o json used --now 1000 >out
    jq -e '.down == [
        {path: "/cluster0/n1/core3", state: "down", drained: true,
         draining: true, ranks: "1", hosts: "n1"},
        {path: "/cluster0/n3", state: "down", drained: false,
         draining: false, ranks: "3", hosts: "n3", reason: "bad fan", time: 1000}]' out
    jq -e '[.types[] | select(.type == "node" and .state == "idle")] == [{type:
        "node", state: "idle", size: 1, allocated: 0, reserved: 1, available: 1,
        holders: [3]}]' out
}

@test "status: resources that are down, and why" {
    rset-alloc drain 0-1 --reason 'new kernel' --now 1000 r.json |
        rset-alloc state 2 failing | rset-alloc down 3 --reason $'a\nb' >down
    same "$(TZ=UTC rset-alloc status / down | grep ^/)" \
        '/cluster0/n[0-1]: drained since 1970-01-01T00:16:40: new kernel
/cluster0/n2: failing
/cluster0/n3: down: a\x0ab'
    same "$(TZ=UTC rset-alloc status 1 down | grep ^/)" \
        '/cluster0/n1: drained since 1970-01-01T00:16:40: new kernel'
}

@test "status: equal pools with the same state are one line" {
    odd=$(seq -s, 1 2 999)
    rset-discover --hosts 'n[0-999]' --cores 0-7 |
        rset-alloc drain "$odd" --reason fan --now 9 |
        rset-alloc allocate 1 --take /cluster0/n2/core0=1 >down
    for core in 0 2 4; do
        rset-alloc down /cluster0/n0/core$core,/cluster0/n6/core$core down >after
        mv after down
    done
    TZ=UTC rset-alloc status / down | grep ^/ >out
    cmp out - <<END
/cluster0/n[0,6]/core[0,2,4]: down
/cluster0/n[$odd]: drained since 1970-01-01T00:00:09: fan
END
    same "$(rset-alloc status / -o json down | jq -c '[.down[].path]')" \
        "[\"/cluster0/n[0,6]/core[0,2,4]\",\"/cluster0/n[$odd]\"]"
}

# paths: print the paths of pools that are down, from a status.
paths() {
    sed -n '/^\//s/: .*//p'
}

# single: print paths from standard input one a line, without brackets and
# commas.
single() {
    local path part name names at
    while read -r path; do
        at=('')
        while read -r -d / part; do
            mapfile -t names < <(idset -H -e -S '\n' "$part")
            for path in "${at[@]}"; do
                for name in "${names[@]}"; do
                    echo "$path/$name"
                done
            done >parts
            mapfile -t at <parts
        done <<<"${path#/}/"
        printf '%s\n' "${at[@]}"
    done
}

# taken SEED: write a set to `whole` and the options that make it to `options`.
# Some of its nodes are drained, and some cores of other nodes are down: `want`
# has their paths, `nodes` the paths of these nodes.
taken() {
    local hosts=('n[1-9]' 'cpu[0801-0809]' 'alpha,beta,gpu[001-004],n[7-8],x1y2'
        'n9,n3,n10,n1,n03,n2,m9,m3' 'r1n[1-3],r2n[1-3],r3n[1-2]')
    local from path core
    RANDOM=$1
    options=(--hosts "${hosts[RANDOM % 5]}" --cores "$((RANDOM % 3))-5")
    ((RANDOM % 3)) && options+=(--nodes-per-rack $((1 + RANDOM % 4)))
    ((RANDOM % 2)) && {
        from=$((RANDOM % 20))
        options+=(--ranks "$from-$((from + $(idset -H -c "${options[1]}") - 1))")
    }
    rset-discover "${options[@]}" >whole
    : >cores
    while read -r path; do
        case $((RANDOM % 4)) in
        0) echo "drain $path" ;;
        1) echo "drain $path --reason fan" ;;
        2)
            core=$path/core$((2 + RANDOM % 4))
            echo "$core" >>cores
            echo "down $core"
            ;;
        esac
    done < <(rset-match -o table whole | awk '$1 == "node" { print $NF }') >lines
    sed -n 's/^drain \([^ ]*\).*/\1/p' lines | LC_ALL=C sort >nodes
    LC_ALL=C sort nodes cores >want
    rset-alloc batch lines --no-R --save down whole >/dev/null
}

@test "status: the pools that were taken down, at paths that exist" {
    for seed in {1..12}; do
        taken "$seed"
        rset-alloc status down | paths >text
        rset-alloc status -o json down | jq -r '.down[].path' | cmp - text
        rset-alloc status --by type down | paths | cmp - text
        rm -f db*
        rset-alloc load --store db down
        rset-alloc status --store db | paths | cmp - text
        single <text | sort | cmp - want || {
            echo "seed $seed: ${options[*]}"
            false
        }
        rset-match -o table down | awk '$8 == "down" || $8 == "drained" &&
            $1 == "node" { print $NF }' | sort | cmp - want
        [ ! -s nodes ] || {
            sed 's/.*\///' nodes >hosts
            rset-alloc nodes "$(paste -sd, nodes)" --columns host,state down |
                awk 'NR > 1 { print $1 }' | sort | cmp - <(sort hosts)
            rset-match --find 'type=node and state=down' -o hosts down |
                idset -H -e -S '\n' | sort | cmp - <(sort hosts)
            rset-diff whole down -o json | jq -r '.changes[] |
                select(.what | test("^up -> drained|^up -> down")).hosts' |
                idset -H -e -S '\n' | sort | cmp - <(sort hosts)
            COLUMNS=999 rset-alloc timeline --now 0 down |
                sed -n 's/ drained .*//p' | idset -H -e -S '\n' |
                sort | cmp - <(sort hosts)
            for form in tree dot; do
                rset-match -o $form down | sed -n '/[\\n ]drained/!d; s/.*label="//
                    s/\\n/ /g; s/^ *\([^ ]*\) .*/\1/p' |
                    idset -H -e -S '\n' | sort | cmp - <(sort hosts)
            done
        }
    done
}

@test "a node with nothing available has the state of what is in it, although its socket is up" {
    rset-discover --hosts 'n[0-1]' --cores 0-1 --sockets-per-node 1 |
        rset-alloc down /cluster0/n0/socket0/core0,/cluster0/n0/socket0/core1 >bad
    same "$(rset-alloc nodes --columns host,state --no-header bad)" \
        $'n0  down\nn1  idle'
    same "$(rset-match --available --count node bad)" 1
}

@test "status: of targets and paths, nothing twice" {
    rset-alloc allocate 1 -n5 r.json >used
    same "$(rset-alloc status 1 --by type used | tr -s ' ')" 'TYPE STATE SIZE ALLOCATED RESERVED AVAILABLE HOLDERS
node mixed 1 0 0 1 -
core up 4 1 0 3 1'
    for what in n1 /cluster0/n1 /cluster0/n1,/cluster0/n1 \
        /cluster0/n1/core0,/cluster0/n1,/cluster0/n1/core3; do
        rset-alloc status "$what" used | cmp - <(rset-alloc status 1 used)
    done
    same "$(rset-alloc status /cluster0/n1/core0,/cluster0/n1/core1 --by type used |
        tail -1 | tr -s ' ')" 'core up 2 1 0 1 1'
}

@test "status: pools inside a pool that is held, staged or down are not free" {
    rset-alloc allocate 1 -N1 graph.json | rset-alloc down 1 |
        rset-alloc allocate 2 --stage --take /cluster0/n2=1 >used
    for rank in 0 1 2; do
        same "$(rset-alloc status /cluster0/n$rank/core0 --by type used | sed 1d |
            tr -s ' ' | cut -d' ' -f 6)" 0
    done
    same "$(rset-alloc status /cluster0/n3/core0 --by type used | sed 1d |
        tr -s ' ' | cut -d' ' -f 6)" 1
}

@test "status: nodes are idle, mixed, full, or in a state" {
    rset-alloc allocate 1 -n5 graph.json | rset-alloc allocate 2 -N1 |
        rset-alloc down /cluster0/n3 >used
    for rank in '0 full' '1 mixed' '2 full' '3 down'; do
        # shellcheck disable=SC2086
        set -- $rank
        same "$(rset-alloc status "$1" --by type used | sed -n 2p | tr -s ' ' |
            cut -d' ' -f 2)" "$2"
    done
    # shared or staged is not idle, and a node without an up core has nothing
    rset-alloc allocate 3 --shape 'node/slot/core' graph.json |
        rset-alloc allocate 4 --stage --take /cluster0/n1/core0=1 |
        rset-alloc down /cluster0/n2/core0,/cluster0/n2/core1 |
        rset-alloc down /cluster0/n2/core2,/cluster0/n2/core3 >used
    same "$(rset-alloc status all --by type used | grep node | tr -s ' ' | cut -d' ' -f 2,3)" \
        'idle 1
mixed 2
down 1'
}

# states FILE: print the state of each node from all commands that show it.
states() {
    local states
    states=$(rset-alloc nodes "$1" | awk 'NR > 1 { print $3 }')
    same "$(rset-match -o table "$1" |
        awk '$1 ~ /node$/ { print $(NF - 2) }')" "$states"
    same "$(rset-alloc status -o json "$1" |
        jq -r '.groups[] | "idle \(.idle) mixed \(.mixed) full \(.full)"')" \
        "$(for state in idle mixed full; do
            echo "$state $(grep -c $state <<<"$states")"
        done | paste -sd' ')"
    same "$(rset-alloc status --by type "$1" | awk '$1 ~ /node$/ {
        for (; $3 > 0; $3--) print $2 }' | sort)" "$(sort <<<"$states")"
    echo "$states" | paste -sd' '
}

@test "status: a node without a free core or GPU is full, also with free memory" {
    rset-discover --hosts 'n[0-3]' --cores 0-3 --gpus 0 --memory 8GiB >whole
    rset-alloc allocate 1 --take /cluster0/n0/memory0=8 whole |
        rset-alloc allocate 2 --shape 'node=3/slot/core=4' |
        rset-alloc allocate 3 --take /cluster0/n1/gpu0=1 >used
    same "$(states used)" 'mixed full mixed idle'
    rset-alloc down /cluster0/n2/gpu0 used >down
    same "$(states down)" 'mixed full full idle'
    # free memory is not enough to be idle
    rset-alloc down "$(echo /cluster0/n0/{core{0..3},gpu0} | tr ' ' ,)" whole >down
    same "$(states down)" 'down idle idle idle'
    # memory is the only resource
    jq -c '(.scheduling.graph.nodes[].metadata | select(.type == "node")).type =
        "storage_node" | .scheduling.graph as $g | {graph: ($g | .edges |=
        map(select(.target as $t | $g.nodes[] | select(.id == $t) |
        .metadata.type | IN("core", "gpu") | not)) | .nodes |=
        map(select(.metadata.type | IN("core", "gpu") | not)))}' whole |
        rset-alloc allocate 1 --take /cluster0/n0/memory0=4 |
        rset-alloc allocate 2 --take /cluster0/n1/memory0=8 >used
    same "$(states used)" 'mixed full idle idle'
}

@test "available: a node with free memory alone is no host for a job" {
    rset-discover --hosts 'n[0-3]' --cores 0-3 --gpus 0-1 --memory 8GiB -o jgf |
        rset-alloc allocate 1 --shape 'node=2/slot/[core=4;gpu=2;memory=4]' >used
    for command in 'rset-match --available' 'rset-alloc available'; do
        same "$($command -o hosts used)" 'n[2-3]'
        same "$($command -o ranks used)" 2-3
        same "$($command -o short used)" 'rank[2-3]/core[0-3],gpu[0-1]'
        same "$($command -o r used | jq -c .execution.R_lite)" \
            '[{"rank":"2-3","children":{"core":"0-3","gpu":"0-1"}}]'
        same "$($command -o jgf used | rset-match --count node,memory)" '4 24'
    done
    same "$(rset-match --available --count node,core,gpu used)" '2 8 4'
    same "$(rset-match --available --count node,memory used)" '4 24'
    same "$(rset-match --available --find type=memory -o hosts used)" 'n[0-3]'
    # nodes without cores and GPUs stay
    jq -c '.graph.edges as $e | .graph.nodes[] |= (if .metadata.type == "core" or
        .metadata.type == "gpu" then .metadata.type = "qpu" else . end)' used |
        rset-alloc release 1 >qpus
    same "$(rset-match --available -o hosts qpus)" 'n[0-3]'
}

@test "status: an exclusive node with a job has nothing free" {
    rset-alloc allocate 1 --take /cluster0/n0/core0=1 graph.json |
        jq -c '(.graph.nodes[].metadata | select(.name == "n0")).exclusive =
        true' >part
    same "$(states part)" 'full idle idle idle'
    same "$(rset-alloc nodes --columns free_cores part | tr -d ' ' |
        paste -sd' ')" 'FREE_CORES 0 4 4 4'
    same "$(rset-match --aggregate part | paste -sd' ')" \
        'cluster 1 0 core 12 12 node 3 3'
}

@test "status: a unit that is reserved twice is counted once" {
    rset-alloc allocate 1 --take /cluster0/n0=1 --at 100 --duration 9 --now 1 \
        r.json | rset-alloc allocate 2 --take /cluster0/n0/core0=1 --at 200 \
        --duration 9 --now 1 >twice
    same "$(rset-alloc status 0 --by type --now 1 twice | sed 1d | tr -s ' ')" \
        'node idle 1 0 1 1 1
core up 4 0 4 4 1-2'
}

# commands SEED: print lines for a batch.
commands() {
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        split("-n1|-n2 -c2|-N1|--shape node/slot/core=2|" \
              "--take /cluster0/n1/core1=1|--shape slot/core=3", ask, "|")
        split("down|up|drain|state|undrain|tag", word, "|")
        for (i = 1; i < 12; i++) {
            at = int(rand() * 40)
            print "allocate", i, ask[1 + int(rand() * 6)], \
                rand() < .4 ? "" : "--at " at " --duration " 1 + int(rand() * 30), \
                rand() < .2 ? "--stage" : ""
            if (rand() < .4)
                print "release", 1 + int(rand() * i)
            w = word[1 + int(rand() * 6)]
            what = rand() < .5 ? int(rand() * 4) \
                : "/cluster0/n" int(rand() * 4) "/core" int(rand() * 4)
            print w, what, w == "state" ? "failing" : w == "tag" ? "k" : ""
        }
    }'
}

# sums FILE TIME: print available units by type, as each command counts it,
# and write nodes and cores to `sum`. A request for as many whole nodes as are
# wholly free succeeds, and for one more it fails.
sums() {
    local time=$2 free no ask=(rset-match -q --now "$2" --duration 0.5 "$1")
    rset-match --aggregate --zero -o json --now "$time" "$1" >sums
    rset-alloc status --now "$time" -o json "$1" >>sums
    jq -rs '(.[0] | map_values(.available)) as $sum | .[1].types |
        reduce .[] as $t ({}; .[$t.type] += $t.available) |
        if . == $sum then "\(.node) \(.core)"
        else "\(.) is not \($sum)" end' sums >sum
    rset-alloc available --now "$time" "$1" >available
    rset-match --available --now "$time" "$1" >match || true
    [ ! -s match ] || cmp match available || return 1
    same "$(rset-match --count node,core available)" "$(<sum)"
    free=$(jq -s '.[0].node.free' sums)
    no=0
    "${ask[@]}" -N$((free + 1)) || no=$?
    [[ $no == [13] ]] # 3: the set has fewer nodes
    [ "$free" = 0 ] || "${ask[@]}" -N"$free"
}

@test "status, --aggregate, available, --available and --count agree" {
    for seed in 3 4 5; do
        commands $seed >lines
        for file in r.json graph.json; do
            rset-alloc batch lines --no-R --now 5 --save used $file >/dev/null
            for time in 5 20 90; do
                sums used $time || { echo "seed $seed: $file at $time" && false; }
            done
        done
    done
    # before a set begins, and after it has expired
    jq -c '.execution += {starttime: 10, expiration: 80}' r.json >timed
    for time in 9 10 79 80; do
        sums timed $time
        same "$(cut -d' ' -f2 sum)" $((time >= 10 && time < 80 ? 16 : 0))
    done
}

@test "jobs and status are tables, or JSON" {
    for command in jobs 'status /'; do
        # shellcheck disable=SC2086
        refused "rset-alloc: --output: this answer is available only as table, csv or json (try 'rset-alloc ${command% *} --help')" \
            rset-alloc $command -o short r.json
    done
    rset-alloc down 0 -o json r.json | cmp - <(rset-alloc down 0 r.json)
}

@test "the name of a resource stands for its path, if no other has it" {
    local command
    export RSET_NOW=9
    rset-discover --hosts 'n[0-3]' --cores 0-1 --nodes-per-rack 2 -o jgf |
        rset-alloc allocate 1 -N1 | rset-alloc allocate 2 --take n3/core0=1 >set.json
    for command in drain down tag undrain state nodes jobs status timeline; do
        case $command in
        tag) set -- blue ;;
        state) set -- failing ;;
        *) set -- ;;
        esac
        [ $command != undrain ] || rset-alloc drain rack1 --in-place set.json
        rset-alloc $command rack1 "$@" set.json >one
        rset-alloc $command /cluster0/rack1 "$@" set.json | cmp - one
    done
    rset-alloc undrain rack1 --in-place set.json
    rset-match --include rack1 set.json | cmp - <(rset-match --include 2-3 set.json)
    rset-match --exclude 'rack1,n0/core0' set.json | cmp - <(rset-match --include n1 set.json)
    rset-match --include 'n[1-2]/core1' set.json | cmp - <(rset-match --include 1-2 set.json)
    rset-match --include '*[1-2]' set.json | cmp - <(rset-match --include 1-2 set.json)
    rset-alloc release 2 set.json | rset-alloc allocate 3 --targets 'rack1/n[2-3]' |
        rset-alloc allocated 3 -o hosts >out
    same "$(<out)" 'n[2-3]'
    rset-alloc release 2 --in-place set.json
    rset-alloc allocate 3 --take 'rack1/n[2-3]/core[0-1]=1' set.json >out
    rset-alloc allocate 3 --take rack1/n2/core0=1 --take n2/core1=1 --take n3/core0=1 \
        --take /cluster0/rack1/n3/core1=1 set.json | cmp - out
    rset-match --subtree n3 set.json | cmp - <(rset-match --subtree /cluster0/rack1/n3 set.json)
    same "$(rset-match --find 'path=/cluster0/rack[0-1]/n[1-2]' -o hosts set.json)" 'n[1-2]'
    same "$(rset-match --find 'type=node and path!=/cluster0/rack[0-1]/n[1-2]' -o hosts set.json)" 'n[0,3]'
    same "$(rset-match --find 'path=/cluster0/rack1/n[2-3]/*' --count core set.json)" 4
    refused 'rset-match: --find: offset 14: "x": expected /PATH or SUBSYSTEM:/PATH' \
        rset-match --find 'type=core and path=/cluster0/n[1-2],x' set.json
    refused 'rset-alloc: set.json: "core1": 4 resources have this name, such as /cluster0/rack0/n0/core1' \
        rset-alloc drain core1 set.json
    refused 'rset-alloc: --include: "core1": 4 resources have this name, such as /cluster0/rack0/n0/core1' \
        rset-alloc nodes --include core1 set.json
    refused 'rset-match: --find: offset 0: more than 1048576 places' \
        rset-match --find 'path=/c/a[0-1999]/b[0-1999]' set.json
    refused 'rset-alloc: drain: there is no host rack7' rset-alloc drain rack7 set.json
    refused 'rset-alloc: --include: "/cluster0/rack7": there is no such resource' \
        rset-alloc nodes --include /cluster0/rack7 set.json
    run -3 rset-alloc allocate 3 --take n3/core7=1 set.json
    # without a graph, members of runs have names, too
    rset-discover --hosts 'n[0-3]' --cores 0-1 >r.json
    rset-alloc drain 'n[1-2]/core1' r.json | cmp - <(rset-alloc drain '/cluster0/n[1-2]/core1' r.json)
    refused 'rset-alloc: r.json: "core1": 4 resources have this name, such as /cluster0/n[0-3]/core1' \
        rset-alloc drain core1 r.json
}

@test "paths with brackets are read as they are printed" {
    rset-discover --hosts 'n[0-3]' --cores 0-3 -o rv1 >set.json
    rset-alloc drain 'n[0-1]' set.json >drained
    same "$(rset-alloc status drained | tail -1)" '/cluster0/n[0-1]: drained'
    rset-alloc undrain '/cluster0/n[0-1]' drained | cmp - set.json
    rset-alloc undrain 'n?' drained | rset-alloc status | tail -n +3 | cmp - /dev/null
    same "$(rset-alloc drain 'n*' set.json | rset-alloc status | tail -1)" '/cluster0/n[0-3]: drained'
    rset-alloc down '/cluster0/n[0-1]/core[1-2],/cluster0/n3' set.json >down
    same "$(rset-match --available --count core down)" 8
    refused 'rset-alloc: set.json: "/cluster0/n7": there is no such resource' \
        rset-alloc drain '/cluster0/n[0,7]' set.json
}
