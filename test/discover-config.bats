#!/usr/bin/env bats
# rset-discover --config: the scheme of Flux, and pools in pools.

load common

# made YAML: print the set of these resources as a tree.
made() {
    printf '%s\n' "$1" | rset-discover --config - -o tree
}

# faults: each line of standard input is a configuration, a bar, and its fault.
faults() {
    while IFS='|' read -r config fault; do
        printf '%s\n' "$config" >c.yaml
        refused "rset-discover: c.yaml: $fault" rset-discover --config c.yaml
    done
}

# edges FILE: print the edges of subsystems in a set.
edges() {
    rset-match -o jgf "$1" |
        jq -r '.graph as $g | $g.edges[] |
            select(.metadata.subsystem != "containment") |
            [.metadata.subsystem, (.source, .target | tonumber |
            $g.nodes[.].metadata.name)] | join(" ")' | sort
}

# --- the scheme of Flux -----------------------------------------------------

@test "config: a table of Flux in YAML and JSON, itself or under resource" {
    cat >c.yaml <<'END'
access: {allow-guest-user: true}
resource:
  noverify: true
  verify: {default: strict}
  config:
    - {hosts: "n[0-2]", cores: 0-1, properties: [big]}
    - {hosts: "m,n1", cores: "2", gpus: "0-1"}
END
    echo '{"config":[{"hosts":"n[0-2]","cores":"0-1","properties":["big"]},
        {"hosts":"m,n1","cores":"2","gpus":"0-1"}],"norestrict":true}' >c.json
    for config in c.yaml c.json; do
        same "$(rset-discover --config $config)" \
            '{"version":1,"execution":{"R_lite":[{"rank":"0,2","children":{"core":"0-1"}},{"rank":"1","children":{"core":"0-2","gpu":"0-1"}},{"rank":"3","children":{"core":"2","gpu":"0-1"}}],"nodelist":["n[0-2],m"],"properties":{"big":"0-2"}}}'
        same "$(rset-discover --config - <$config)" \
            "$(rset-discover --config $config)"
    done
}

@test "exclude: hosts are left out, and the other ranks stay" {
    for exclude in '"1,3"' '"n[1,3]"'; do
        echo "{config: [{hosts: 'n[0-4]', cores: 0-1, properties: [p]}],
            exclude: $exclude}" >c.yaml
        same "$(rset-discover --config c.yaml)" \
            '{"version":1,"execution":{"R_lite":[{"rank":"0,2,4","children":{"core":"0-1"}}],"nodelist":["n[0,2,4]"],"properties":{"p":"0,2,4"}}}'
    done
    echo "{config: [{hosts: 'n[0-1]', cores: '0'}], exclude: 0-1}" >c.yaml
    same "$(rset-discover --config c.yaml)" "$(rset-discover --hosts '')"
}

@test "exclude: what lies in no node stays, beside jobs too" {
    local exclude
    printf 'resources:\n- {type: node, count: 3, with: [{type: core}]}\n- {type: license, size: 10}\n' >c.yaml
    rset-discover --config c.yaml -o rv1 >free
    rset-alloc allocate 7 -n1 free >held
    for exclude in 1 0-2; do
        for set in free held; do
            echo "{path: $set, exclude: '$exclude', foo: 1}" >x.yaml
            run -0 --separate-stderr rset-discover --config x.yaml -o tree
            [[ $output = *"license0  10"* ]]
            same "$stderr" 'rset-discover: warning: x.yaml: "foo": there is no such key'
        done
    done
}

@test "exclude: hosts in racks, with their pools and edges" {
    needs jq
    cat >c.yaml <<'END'
exclude: node2
resources:
  - {type: rack, count: 2, with: [{type: node, count: 2, with: [{type: core, count: 2}]}]}
  - type: pdu
    subsystem: power
    with: [{path: /cluster0/rack1/node2}, {path: /cluster0/rack1/node3}]
END
    rset-discover --config c.yaml >c.json
    rset-match c.json | cmp - c.json
    same "$(rset-match -o tree c.json)" 'cluster0
  rack0
    node[0-1]  rank[0-1]
      core[0-1]
  rack1
    node3  rank3
      core[0-1]
pdu0'
    edges c.json >edges
    same "$(<edges)" 'power pdu0 node3'
}

@test "path: an R with records" {
    mkdir sub
    rset-discover --hosts 'n[0-3]' --cores 0-1 |
        rset-alloc allocate 7 -N2 >sub/r.json
    echo 'path: r.json' >sub/c.yaml
    rset-discover --config sub/c.yaml | cmp - sub/r.json
    echo '{path: r.json, exclude: n1}' >sub/c.yaml
    same "$(rset-discover --config sub/c.yaml -o tree)" 'cluster0  shared by 7
  n0  rank0  held by 7
    core[0-1]
  n[2-3]  rank[2-3]
    core[0-1]'
}

@test "scheduling: its graph becomes the graph of the set" {
    needs jq
    rset-discover --hosts 'n[0-1]' --cores 0-1 --sockets-per-node 2 >whole.json
    jq -c .scheduling whole.json >s.json
    echo '{config: [{hosts: "n[0-1]", cores: 0-1}], scheduling: s.json}' >c.yaml
    rset-discover --config c.yaml | cmp - whole.json
    echo '{config: [{hosts: "n[0-1]", cores: 0-1}], scheduling: s.json,
        exclude: n0}' >c.yaml
    same "$(rset-discover --config c.yaml | rset-match -o tree)" 'cluster0
  n1  rank1
    socket0
      core0
    socket1
      core1'
    # the R of path has a graph, too
    rset-discover --hosts 'n[0-1]' --cores 0-1 | rset-match -o rv1 >other.json
    echo '{path: other.json, scheduling: s.json}' >c.yaml
    rset-discover --config c.yaml | cmp - whole.json
    echo '{config: [{hosts: "n[0-1]", cores: 0-2}], scheduling: s.json}' >c.yaml
    run -2 rset-discover --config c.yaml
    [[ $output == 'rset-discover: s.json'*': '* ]]
    echo '{"a":1}' >s.json
    same "$(rset-discover --config c.yaml | jq -c .scheduling)" '{"a":1}'
}

@test "properties, names and times of a configuration" {
    echo '{config: [{hosts: "n[0-1]", cores: "0"}]}' >c.yaml
    same "$(rset-discover --config c.yaml --property x:n1 --expiration 2000)" \
        '{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0"}}],"nodelist":["n[0-1]"],"properties":{"x":"1"},"expiration":2000}}'
}

@test "config: resources of a host may come from any entry" {
    same "$(rset-discover --config - -o short <<'END'
config:
  - {hosts: "a,b", properties: [x]}
  - {hosts: a, cores: "", gpus: "0"}
  - {hosts: b, cores: 0-1}
  - {hosts: "a,b", cores: "7"}
END
    )" 'rank0/core7,gpu0 rank1/core[0-1,7]'
}

@test "config and path: config counts, as in Flux" {
    same "$(rset-discover --config - -o hosts \
        <<<'{config: [{hosts: a, cores: "0"}], path: /no/such/file}')" a
}

@test "an unknown key beside resources is a warning" {
    rset-discover --hosts a >r.json
    for resources in 'config: [{hosts: a, cores: "0"}]' 'path: r.json' \
        'resources: [{type: node, name: a, with: [{type: core}]}]'; do
        echo "resource: {$resources, exlude: a, zebra: 1}" >c.yaml
        run -0 --separate-stderr rset-discover --config c.yaml
        same "$output" "$(cat r.json)"
        same "$stderr" 'rset-discover: warning: c.yaml: "exlude": there is no such key; near it: exclude
rset-discover: warning: c.yaml: "zebra": there is no such key'
    done
    run -0 --separate-stderr rset-discover --config - \
        <<<'{history: 30d, config: [{hosts: a, cores: "0"}]}'
    same "$stderr" ''
}

# contents: print an R by rank, without types that are empty.
contents() {
    jq -cS '.execution | [.R_lite[] | .children |= map_values(select(. != ""))],
        .nodelist, .properties'
}

@test "Flux accepts and refuses the same entries" {
    needs flux jq
    while read -r verdict entries; do
        echo "{\"resource\":{\"config\":$entries}}" >c.json
        if [ "$verdict" = yes ]; then
            same "$(rset-discover --config c.json | contents)" \
                "$(flux R parse-config c.json | contents)"
        else
            run -1 flux R parse-config c.json
            run -2 rset-discover --config c.json
        fi
    done <<'END'
yes [{"hosts":"a,b","properties":["x"]},{"hosts":"a,b","cores":"0"}]
yes [{"hosts":"a","cores":"","gpus":"0"}]
yes [{"hosts":"n[0-2]","cores":"0-1"},{"hosts":"n1,m","cores":"2","gpus":"0-1"}]
yes [{"hosts":"a","cores":"0","properties":[]}]
no []
no {}
no null
no [7]
no [{"cores":"0"}]
no [{"hosts":"","cores":"0"}]
no [{"hosts":7,"cores":"0"}]
no [{"hosts":"a[","cores":"0"}]
no [{"hosts":"a,a","cores":"0"}]
no [{"hosts":"a","cores":"0"},{"hosts":"b"}]
no [{"hosts":"a","cores":""}]
no [{"hosts":"a","cores":4}]
no [{"hosts":"a","cores":null}]
no [{"hosts":"a","cores":"3,1"}]
no [{"hosts":"a","cores":"0","gpus":4}]
no [{"hosts":"a","cores":"0-1"},{"hosts":"a","cores":"1-2"}]
no [{"hosts":"a","cores":"0","memory":"1"}]
no [{"hosts":"a","cores":"0","properties":"x"}]
no [{"hosts":"a","cores":"0","properties":[7]}]
END
}

# --- no resources: this machine ----------------------------------------------

# two_cores: this machine has two cores, and `cpu` is a processor of the first.
two_cores() {
    unset HWLOC_COMPONENTS
    export HWLOC_XMLFILE=$PWD/machine.xml HWLOC_THISSYSTEM=1
    cpu=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' \
        /proc/self/status)
    [ "$cpu" -lt 60 ] || skip "the processors are numbered from $cpu"
    printf '%s\n' Package ' Core' "  PU $cpu" ' Core' "  PU $((cpu + 1))" |
        "$TEST_DIR/topology" >machine.xml
}

@test "without resources: this machine without the excluded resources" {
    for config in '{}' 'noverify: true' 'resource: {verify: false}' \
        'exclude: ""'; do
        echo "$config" >c.yaml
        for form in r jgf short tree; do
            same "$(rset-discover --config c.yaml -o $form)" \
                "$(rset-discover -o $form)"
        done
        same "$(rset-discover --config - <c.yaml)" "$(rset-discover)"
    done
    for exclude in 0 "$(rset-discover -o hosts)"; do
        echo "exclude: '$exclude'" >c.yaml
        same "$(rset-discover --config c.yaml)" "$(rset-discover --hosts '')"
    done
    refused 'rset-discover: stdin: exclude: rank 1 is not in the set' \
        rset-discover --config - <<<'exclude: "1"'
    same "$(FLUX_TASK_RANK=3 rset-discover --config - -o ranks \
        <<<'noverify: true')" 3
}

@test "norestrict and the options of machines act on this machine" {
    two_cores
    echo 'noverify: true' >c.yaml
    echo 'norestrict: true' >whole.yaml
    bound() {
        taskset -c "$cpu" rset-discover "$@" -o short
    }
    same "$(bound --config c.yaml)" 'rank0/core0'
    same "$(bound --config whole.yaml)" 'rank0/core[0-1]'
    same "$(bound --config c.yaml --no-restrict)" 'rank0/core[0-1]'
    same "$(rset-discover --config c.yaml --types socket -o tree |
        grep -c socket)" 1
    refused "rset-discover: --no-restrict is for machines (try 'rset-discover --help')" \
        rset-discover --no-restrict --config - \
        <<<'config: [{hosts: a, cores: "0"}]'
}

@test "serve: this machine, and the group exclude" {
    needs jq
    echo '{"topic":"resource.acquire","matchtag":1,"flags":["streaming"],"payload":{"group":"exclude"}}' >line
    echo 'exclude: "0"' >c.yaml
    rset-discover serve --config c.yaml <line >out
    same "$(jq -c .payload.resources.execution.R_lite out)" \
        "$(rset-discover | jq -c .execution.R_lite)"
    (echo '{"exclude":"0"}' && cat line) |
        rset-discover serve --config - | cmp - out
}

# --- pools in pools ---------------------------------------------------------

@test "resources: written as an R if possible; a million nodes are a line" {
    cat >c.yaml <<'END'
resources:
  - type: node
    count: 1000000
    properties: [big, gen=2]
    with: [{type: core, count: 48}, {type: gpu, ids: 0-3}]
  - {type: node, name: login, with: [{type: core}]}
END
    same "$(rset-discover --config c.yaml)" \
        '{"version":1,"execution":{"R_lite":[{"rank":"0-999999","children":{"core":"0-47","gpu":"0-3"}},{"rank":"1000000","children":{"core":"0"}}],"nodelist":["node[0-999999],login"],"properties":{"big":"0-999999","gen=2":"0-999999"}}}'
    same "$(rset-discover --config - <<<'resources: []')" \
        "$(rset-discover --hosts '')"
}

@test "resources: ids are counted within a node, and within the root outside of nodes" {
    same "$(made '
resources:
  - type: rack
    count: 2
    with:
      - type: node
        count: 2
        with:
          - {type: socket, count: 2, with: [{type: core, count: 2}]}
          - {type: core, count: 1}
      - {type: switch, count: 1}')" 'cluster0
  rack0
    node[0-1]  rank[0-1]
      core4
      socket0
        core[0-1]
      socket1
        core[2-3]
    switch0
  rack1
    node[2-3]  rank[2-3]
      core4
      socket0
        core[0-1]
      socket1
        core[2-3]
    switch1'
}

@test "resources: ids continue after given ids" {
    same "$(made '
resources:
  - {type: node, ids: "7,9", with: [{type: core, ids: 4-5}, {type: core, count: 2}]}
  - {type: node}')" 'cluster0
  node[7,9]  rank[0-1]
    core[4-7]
  node10  rank2'
}

@test "resources: size, unit, properties and tags, as objects or lists" {
    same "$(made '
resources:
  - type: node
    properties: {gen: "3", big: ""}
    tags: [new, owner=me]
    with:
      - {type: memory, size: 512, unit: GiB, count: 2}
      - {type: nvme, size: 3, unit: TB, tags: {spare: ""}}
  - {type: license, size: 10, properties: [floating]}')" 'cluster0
  license0  10  {floating}
  node0  rank0  {gen=3,big}  #new  #owner=me
    memory[0-1]  512 GiB
    nvme0  3 TB  #spare'
}

@test "resources: the name of one pool is its name, of several a prefix of the id" {
    same "$(made '
resources:
  - {type: node, name: login}
  - {type: node, name: tioga, count: 2, with: [{type: gpu, name: mi, count: 2}]}
  - {type: node, name: r7c1, ids: 3-4}
  - {type: pool, name: scratch}')" 'cluster0
  login,r7c[13-14]  rank[0,3-4]
  tioga[0-1]  rank[1-2]
    mi[0-1]  gpu
  scratch  pool'
}

@test "resources: templates make names of all properties of a pool" {
    same "$(made '
resources:
  - type: rack
    count: 2
    with:
      - {type: node, count: 1, name: "n-${frame}-${rack}-${rank}", properties: {frame: a}}' |
        grep rank)" '    n-a-0-0  rank0  {frame=a}
    n-a-1-1  rank1  {frame=a}'
}

@test "resources: a single top pool is the root" {
    same "$(made '{resources: [{type: center, name: x, with: [{type: node}]}]}')" 'x  center
  node0  rank0'
    same "$(made '{resources: [{type: rack, count: 1, with: [{type: node}]}]}')" 'cluster0
  rack0
    node0  rank0'
    same "$(made '{resources: [{type: node, with: [{type: core}]}]}')" 'cluster0
  node0  rank0
    core0'
}

@test "resources: subsystems are inherited, and lead to existing pools by path" {
    needs jq
    cat >c.yaml <<'END'
resources:
  - type: rack
    count: 2
    with: [{type: node, count: 2}]
  - type: panel
    subsystem: power
    size: 100
    unit: kW
    with:
      - type: pdu
        count: 2
        with: [{path: "/cluster0/rack${id}"}]
      - {type: link, subsystem: network}
  - {type: meter, subsystem: power, with: [{path: "power:/panel0/pdu1", subsystem: power}]}
END
    rset-discover --config c.yaml >c.json
    rset-match c.json | cmp - c.json
    edges c.json >edges
    same "$(<edges)" 'network panel0 link0
power meter0 pdu1
power panel0 pdu0
power panel0 pdu1
power pdu0 rack0
power pdu1 rack1'
}

@test "every form of resources is read back" {
    cat >runs.yaml <<'END'
resources:
  - type: node
    count: 3
    properties: [p]
    with:
      - {type: socket, count: 2, with: [{type: core, count: 2}, {type: memory, size: 5, unit: GiB}]}
      - {type: gpu, properties: {model: x}}
END
    cat >singles.yaml <<'END'
resources:
  - type: rack
    with:
      - {type: node, count: 2, tags: [t], with: [{type: core, count: 2}, {type: outlet, subsystem: power}]}
  - {type: license, size: 10}
END
    for config in runs singles; do
        for form in r jgf rv1 jgf-compact rv1-compact; do
            rset-discover --config $config.yaml -o $form >once 2>err
            rset-match -o $form once >twice
            cmp once twice
        done
    done
}

@test "without a node the set is a graph" {
    needs jq
    same "$(rset-discover --config - <<<'{resources: [{type: rack, count: 2}]}' |
        jq -c 'keys, (.graph.nodes | length)')" '["graph"]
3'
    same "$(rset-discover --config - -o r <<<'{resources: [{type: rack}]}')" \
        "$(rset-discover --hosts '')"
}

# --- mistakes ---------------------------------------------------------------

@test "TOML is refused, with the command that converts it to JSON" {
    local toml='this is TOML: convert it to JSON with `flux config get --config-path=DIR resource`'

    printf '# ours\n\n[resource]\nexclude = "0"\n' >resource.toml
    refused "rset-discover: resource.toml: $toml" \
        rset-discover --config resource.toml
    refused "rset-discover: stdin: $toml" \
        rset-discover --config - <<<$'[[resource.config]]\nhosts = "a"'
    # a list is no table
    refused 'rset-discover: stdin: []: a table is expected' \
        rset-discover --config - <<<'[]'
}

@test "mistakes of a table are named by key" {
    faults <<'END'
{config: [], resources: []}|resources can't be combined with config
{resource: {path: a, resources: []}}|resource: resources can't be combined with path
{zebra: 1}|"zebra": there is no such key
{exclude: "0", scheduling: s}|scheduling: needs config or path
{resource: {confg: [], noverify: true}}|resource: "confg": there is no such key; near it: config
{noverify: 1}|noverify: 1: true or false is expected
{norestrict: "true"}|norestrict: "true": true or false is expected
{config: [], verify: strict}|verify: "strict": true, false or a table is expected
{config: [], journal-max: 1.5}|journal-max: 1.5: an integer is expected
{config: [], history: 30}|history: 30: a string is expected
{config: [{hosts: a, cores: "0"}], path: 7}|path: 7: a string is expected
{resource: 7}|resource: 7: a table is expected
7|7: a table is expected
{path: 7}|path: 7: a string is expected
{config: {}}|config: {}: a list of tables is expected
{config: [], exclude: 7}|exclude: 7: a string is expected
{config: [{hosts: a, cores: "0"}], exclude: "1"}|exclude: rank 1 is not in the set
{config: [{hosts: b}, {hosts: "a,a"}]}|config[1].hosts: host "a" is named twice
{config: [{hosts: a.org, cores: "0"}], exclude: a}|exclude: there is no host "a"; there is a.org
{config: [{hosts: "n[0-3]", cores: "0"}], exclude: "n[3-5]"}|exclude: there is no host "n[4-5]"
{resources: [], scheduling: s}|scheduling: can't be combined with resources
END
}

@test "mistakes of config are named by entry and key" {
    faults <<'END'
{config: [{hosts: a}, 7]}|config[1]: 7: a table is expected
{config: [{hosts: a}, {cores: "0"}]}|config[1].hosts: a hostlist is expected
{config: []}|config: []: there is no host
{config: [{hosts: a, cores: "0"}, {hosts: ""}]}|config[1].hosts: "": there is no host
{config: [{hosts: a, cores: "0"}, {hosts: "a,b", properties: [x]}]}|config[1].hosts: no entry gives "b" cores or gpus
{config: [{hosts: a, cores: "", gpus: ""}]}|config[0].hosts: no entry gives "a" cores or gpus
{config: [{hosts: a, cores: 4}]}|config[0].cores: 4: a string is expected
{config: [{hosts: a, cores: "0", gpus: 0}]}|config[0].gpus: 0: a string is expected
{config: [{hosts: "n[0-3]", cores: 0-3}, {hosts: "n[2-5]", cores: 3-7}]}|config[1].cores: an earlier entry gives "n2" core 3
{config: [{hosts: a, gpus: 0-1}, {hosts: a, cores: "0"}, {hosts: a, gpus: "1"}]}|config[2].gpus: an earlier entry gives "a" gpu 1
{config: [{hosts: "a["}]}|config[0].hosts: "a[": bracket is not closed at offset 1
{config: [{hosts: a}, {hosts: b, cores: x}]}|config[1].cores: "x": unexpected "x" at offset 0
{config: [{hosts: a, gpus: "-1"}]}|config[0].gpus: "-1": range has no start at offset 0
{config: [{hosts: a, gpus: []}]}|config[0].gpus: []: a string is expected
{config: [{hosts: "n[0-4294967293]"}, {hosts: "m[0-9]"}]}|config: there are no ranks left above 4294967294
{config: [{hosts: a, core: 1}]}|config[0]: "core": there is no such key; near it: cores
{config: [{hosts: a, properties: {a: b}}]}|config[0].properties: {"a":"b"}: a list of names is expected
{config: [{hosts: a, properties: [x, 7]}]}|config[0].properties[1]: 7: a name is expected
{config: [{hosts: a, properties: ["x!"]}]}|config[0].properties[0]: '!' is not allowed in a property
END
}

@test "mistakes of resources are named by entry and key" {
    faults <<'END'
{resources: {}}|resources: {}: a list of tables is expected
{resources: [{}]}|resources[0].type: a type is expected
{resources: [{type: ""}]}|resources[0].type: "": must not be empty or contain '/'
{resources: [{type: a/b}]}|resources[0].type: "a/b": must not be empty or contain '/'
{resources: [{type: a, with: [{type: b}, {typ: c}]}]}|resources[0].with[1]: "typ": there is no such key; near it: type
{resources: [{type: a, count: 0}]}|resources[0].count: 0: a number from 1 to 4294967295 is expected
{resources: [{type: a, count: "2"}]}|resources[0].count: "2": a number from 1 to 4294967295 is expected
{resources: [{type: a, size: 1.5}]}|resources[0].size: 1.5: a number from 1 to 9223372036854775807 is expected
{resources: [{type: a, unit: 7}]}|resources[0].unit: 7: a string is expected
{resources: [{type: a, ids: 0-3, count: 3}]}|resources[0].count: 3: there are 4 ids
{resources: [{type: a, ids: ""}]}|resources[0].ids: "": there is no pool
{resources: [{type: a, ids: 3-1}]}|resources[0].ids: "3-1": range 3-1 does not ascend at offset 0
{resources: [{type: a, count: 2}, {type: a, ids: 1}]}|resources[1].ids: two resources of type a have id 1
{resources: [{type: node, with: [{type: socket, count: 2, with: [{type: core, ids: 0-1}]}]}]}|resources[0].with[0].with[0].ids: two resources of type core have id 0
{resources: [{type: a, ids: 4294967294}, {type: a}]}|resources[1].count: there are no ids left above 4294967294
{resources: [{type: node, count: 4294967295}, {type: node, name: a}]}|resources[1].type: there are no ranks left above 4294967294
{resources: [{type: a, name: ""}]}|resources[0].name: "": must not be empty or contain '/'
{resources: [{type: node, name: "a,b"}]}|resources[0].name: "a,b" is not the name of a host
{resources: [{type: node, name: "a[", count: 2}]}|resources[0].name: "a[0": bracket is not closed at offset 1
{resources: [{type: node, name: "${x}"}]}|resources[0].name: no property, attribute or enclosing type is named "x"
{resources: [{type: node, name: a}, {type: node, name: a}]}|resources: there are two nodes named "a"
{resources: [{type: rack, name: a, count: 2, with: [{type: node, name: b}]}]}|resources: there are two nodes named "b"
{resources: [{type: a, name: x}, {type: b, name: x}]}|resources[1].name: there are two resources named "x" here
{resources: [{type: a, properties: 7}]}|resources[0].properties: 7: an object of strings or a list of names is expected
{resources: [{type: a, properties: {a: 7}}]}|resources[0].properties."a": 7: a string is expected
{resources: [{type: a, properties: {"a&": b}}]}|resources[0].properties."a&": '&' is not allowed in a property
{resources: [{type: a, properties: ["=c"]}]}|resources[0].properties[0]: a property must have a name
{resources: [{type: a, tags: [b, b]}]}|resources[0].tags[1]: "b" is given twice
{resources: [{type: a, subsystem: power, with: [{type: b, subsystem: containment}]}]}|resources[0].with[0].subsystem: "containment": the pool above it is in subsystem "power"
{resources: [{type: a, subsystem: "a:b"}]}|resources[0].subsystem: "a:b": must not contain ':'
{resources: [{path: /a, subsystem: power}]}|resources[0].path: an entry with a path must be in the `with` of another entry
{resources: [{type: a, with: [{path: /a0}]}]}|resources[0].with[0].path: in containment a pool has only one place
{resources: [{type: a, with: [{path: /a0, subsystem: p, type: b}]}]}|resources[0].with[0].path: an entry with a path has no other key than subsystem
{resources: [{type: a, with: [{path: /b0, subsystem: p}]}]}|resources[0].with[0].path: "/b0": there is no such resource
{resources: [{type: a, with: [{path: a0, subsystem: p}]}]}|resources[0].with[0].path: "a0": there is no such resource
{resources: [{type: a, with: [{path: /a0, subsystem: p}]}]}|resources: "p" runs in a circle: edges lead from "a0" back to it
{resources: [{type: r, count: 9999, with: [{type: c, count: 9999}]}]}|resources: 99990000 resources are too many: at most 16777216
END
}

@test "endless nesting, and YAML that grows without bound" {
    nested=$(printf '{type: a, with: [%.0s' {1..150})
    closed=$(printf ']}%.0s' {1..150})
    echo "resources: [$nested$closed]" >c.yaml
    run -2 rset-discover --config c.yaml
    [[ $output == *': pools are nested more than 100 deep' ]]
    {
        echo 'a0: &a0 {type: a, with: [{type: b, count: 9}]}'
        for i in {1..30}; do
            echo "a$i: &a$i {type: a, with: [*a$((i - 1)), *a$((i - 1))]}"
        done
        echo 'resource: {resources: [*a30]}'
    } >c.yaml
    run -2 rset-discover --config c.yaml
    [[ $output == 'rset-discover: c.yaml: line '*alias* ]]
}

@test "a configuration that is another kind of file, or missing" {
    refused 'rset-discover: nope: No such file or directory' \
        rset-discover --config nope
    refused 'rset-discover: stdin: no document' \
        rset-discover --config - </dev/null
}

@test "--config and the other sources exclude each other" {
    try="(try 'rset-discover --help')"
    refused "rset-discover: --config and --hosts exclude each other $try" \
        rset-discover --config c --hosts a
    refused "rset-discover: --config and --cores exclude each other (try 'rset-discover serve --help')" \
        rset-discover serve --config c --cores 0
}

@test "serve: resources in racks are sent with their graph" {
    needs jq
    echo '{"exclude":"node1","resources":[{"type":"rack","with":[{"type":"node","count":2,"with":[{"type":"core"}]}]},{"type":"rack"}]}' >c.json
    echo '{"topic":"resource.acquire","matchtag":1,"flags":["streaming"],"payload":{"group":"default"}}' >line
    same "$(rset-discover serve --config c.json <line |
        jq -c '.payload.resources | [.execution.nodelist,
            (.scheduling.graph.nodes | map(.metadata.name))]')" \
        '[["node0"],["cluster0","rack0","node0","core0"]]'
}
