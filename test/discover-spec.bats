#!/usr/bin/env bats
# rset-discover: specifications with more than hosts, cores and gpus.

load common

@test "--memory and --sockets-per-node: ids as hwloc numbers them" {
    same "$(rset-discover --hosts 'n[0-1]' --cores 0-6 --gpus 0-2 \
        --memory 5GiB --sockets-per-node 2 -o tree)" \
        'cluster0
  n[0-1]  rank[0-1]
    socket0
      core[0-3]
      gpu[0-1]
      memory0  3 GiB
    socket1
      core[4-6]
      gpu2
      memory1  2 GiB'
    same "$(rset-discover --hosts a --memory 64GB -o tree)" \
        'cluster0
  a  rank0
    core0
    memory0  64 GB'
}

@test "hwloc numbers the same machine in the same way" {
    needs jq
    rset-discover --synthetic 'pack:2 numa:1(memory=2GiB) core:4 pu:1' \
        --hosts 'n[0-1]' -o jgf >machine.json
    rset-discover --hosts 'n[0-1]' --cores 0-7 --memory 4096MiB \
        --sockets-per-node 2 -o jgf >said.json
    paths() {
        jq -c '.graph.nodes[].metadata | select(.type != "pu") |
            [.paths.containment, .rank, .size, .unit]' "$1" | sort
    }
    same "$(paths said.json)" "$(paths machine.json)"
}

@test "resources that an R can't express make an R with a graph, unless -o decides" {
    needs jq
    for option in '--memory 1GiB' '--sockets-per-node 2' '--nodes-per-rack 2'; do
        # shellcheck disable=SC2086
        rset-discover --hosts 'n[0-2]' --cores 0-3 $option >both.json
        jq -e .execution,.scheduling.graph both.json >/dev/null
        rset-match both.json | cmp - both.json
        # shellcheck disable=SC2086
        same "$(rset-discover --hosts 'n[0-2]' --cores 0-3 $option -o r)" \
            "$(rset-discover --hosts 'n[0-2]' --cores 0-3)"
    done
}

@test "--nodes-per-rack: in order of ranks; racks continue over groups" {
    same "$(rset-discover --hosts 'a[0-2]' --nodes-per-rack 2 \
        --hosts 'b[0-1]' --nodes-per-rack 1 --hosts login -o tree)" \
        'cluster0
  login  rank5
    core0
  rack0
    a[0-1]  rank[0-1]
      core0
  rack1
    a2  rank2
      core0
  rack2
    b0  rank3
      core0
  rack3
    b1  rank4
      core0'
    rset-discover --synthetic 'pack:2 core:2 pu:2' --hosts 'n[0-4]' -o jgf |
        rset-match -o short >plain
    rset-discover --synthetic 'pack:2 core:2 pu:2' --hosts 'n[0-4]' \
        --nodes-per-rack 2 -o jgf | rset-match -o short | cmp - plain
    same "$(rset-discover --hosts '' --nodes-per-rack 2 -o tree)" cluster0
}

@test "every form of groups in racks is read back" {
    for form in r jgf rv1 jgf-compact rv1-compact; do
        rset-discover --hosts 'a[0-2]' --cores 0-3 --nodes-per-rack 2 \
            --memory 3GiB --hosts 'b[0-1]' --sockets-per-node 2 --cores 0-7 \
            --gpus 0 --property big:0 -o $form >once
        rset-match -o $form once >twice
        cmp once twice
    done
}

@test "--name: from properties, attributes and types above" {
    same "$(rset-discover --hosts 'a[0-2]' --nodes-per-rack 2 \
        --property frameid=3:0-1 --property frameid=4:a2 \
        --name 'node-${frameid}-${rack}-${host}' -o hosts)" \
        'node-3-0-a[0-1],node-4-1-a2'
    same "$(rset-discover --hosts 'a[3-4]' --ranks 7,9 --hosts b \
        --name '${type}${id}.${rank}.${cluster}' --hosts c -o hosts 2>&1)" \
        'rset-discover: --name: rank 10: there is no id'
    same "$(rset-discover --hosts 'a[3-4]' --ranks 7,9 \
        --name '${type}${id}.${rank}.${cluster}' --hosts c -o hosts)" \
        'node3.7.0,node4.9.0,c'
    same "$(rset-discover --ranks 0-1 --name 'x${rank}' -o hosts)" 'x[0-1]'
    same "$(rset-discover --hosts a --synthetic pu:1 --name 'only${rank}' \
        -o tree | sed -n 2p)" '  only0  rank0'
}

@test "--name: a property wins over an attribute of that name" {
    same "$(rset-discover --hosts a --property rank=7 --name 'n${rank}' -o hosts)" n7
}

@test "--at, --duration and --expiration: the times of the set" {
    needs jq
    times() { rset-discover --hosts a "$@" |
        jq -c '.execution | [.starttime, .expiration]'; }
    same "$(times)" '[null,null]'
    same "$(times --at 1000)" '[1000,null]'
    same "$(times --expiration 2000)" '[null,2000]'
    same "$(times --at 1000 --expiration never)" '[1000,null]'
    same "$(times --at 1000 --expiration 2000.5)" '[1000,2000.5]'
    same "$(times --at 1000 --duration 1h)" '[1000,4600]'
    same "$(times --now 50 --duration 1h30m)" '[50,5450]'
    same "$(times --now 50 --at +1m --expiration +2m)" '[110,170]'
}

@test "bad sizes, numbers, names and times" {
    while IFS='|' read -r options fault; do
        # shellcheck disable=SC2086
        refused "rset-discover: $fault" rset-discover $options
    done <<'END'
--memory 64|--memory: "64": an amount with a unit is expected, such as 256GiB
--memory 64G|--memory: "64G": an amount with a unit is expected, such as 256GiB
--memory GiB|--memory: "GiB": an amount with a unit is expected, such as 256GiB
--memory 99999999999999999999B|--memory: "99999999999999999999B": an amount with a unit is expected, such as 256GiB
--sockets-per-node 0|--sockets-per-node: "0": a number from 1 to 1024 is expected
--sockets-per-node 2x|--sockets-per-node: "2x": a number from 1 to 1024 is expected
--nodes-per-rack 0|--nodes-per-rack: "0": a number of nodes is expected
--nodes-per-rack -1|--nodes-per-rack: "-1": a number of nodes is expected
--hosts n[0-9999999] --nodes-per-rack 9|--nodes-per-rack: 20000001 resources are too many: at most 16777216
--hosts n[0-99999999] --name x|--name: more than 16777216 nodes can't be named
--hosts a --name x${|--name: rank 0: a ${ has no }
--hosts a --name ${foo}|--name: rank 0: no property, attribute or enclosing type is named "foo"
--hosts a --name ${rack}|--name: rank 0: no property, attribute or enclosing type is named "rack"
--hosts a --property big --name ${big}|--name: rank 0: there is no value of property big
--hosts a --name a/b|--name: rank 0: "a/b": '/' is not allowed in the name of a host
--hosts a --name a,b|--name: rank 0: "a,b" is not the name of a host
--hosts a --at 1000 --expiration 500|--expiration: it would not end after it starts (try 'rset-discover --help')
--hosts a --duration 1h --expiration 500|--duration and --expiration exclude each other (try 'rset-discover --help')
--hosts a --at soon|--at: "soon": expected seconds, now, +DURATION or YYYY-MM-DD[THH:MM[:SS][ZONE]] (try 'rset-discover --help')
--synthetic pu:2 --memory 1GiB|--synthetic and --memory exclude each other (try 'rset-discover --help')
--hosts a --memory 1B --memory 2B|--memory is given twice (try 'rset-discover --help')
serve --hosts a --duration 5|--duration is not for serve (try 'rset-discover serve --help')
END
}
