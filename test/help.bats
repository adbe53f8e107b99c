# Help texts of programs and commands, whose examples are run; and words that
# are no option or command.

load common

# commands PROGRAM: print each command, after the program.
commands() {
    "$1" --help | sed -nE "1,/COMMAND --help/s/^  ([a-z]+)( .*|\$)/$1 \1/p"
}

COMMANDS=$(commands rset-alloc && commands rset-discover)

# Make the files of the examples: jobs 101, 102 and 103 (staged) on node[0-5]
# with node3 drained, a store with the same, and some commands; racks with jobs
# 201, 202 and 203 (staged); data and traces of other programs; a service that
# has jobs which wait.
site() {
    rset-discover --hosts 'node[0-5]' --cores 0-3 --gpus 0 -o rv1 \
        --property ssd:2-3 | rset-alloc allocate 101 -N1 --duration 2h |
        rset-alloc allocate 102 --take /cluster0/node1/core0=1 \
            --take /cluster0/node4/core0=1 |
        rset-alloc allocate 103 --take /cluster0/node4/core1=1 --stage |
        rset-alloc drain node3 --reason 'new kernel' |
        rset-alloc tag node2 ticket=4711 |
        rset-alloc exclusive node5 >set.json
    rset-alloc load --store site.db set.json
    printf '%s\n' 'allocate 301 -N1 --duration 4h --owner ann' \
        'allocate 302 -n2 -c1 --stage    # two cores' 'commit 302' \
        "drain node2 --reason 'new kernel'" 'grow 301 -n1' 'jobs 301' \
        'release 102' 'shrink 301 --targets node2' 'undrain node3' \
        'now +1d' 'expire' >day.txt
    printf '%s\n' '1 0 -1 60 1 -1 -1 1 90 -1 1 7 -1 -1 1 -1 -1 -1' \
        '2 5 -1 30 2 -1 -1 2 40 -1 1 8 -1 -1 1 -1 -1 -1' >month.swf
    rset-alloc undrain node3 set.json | rset-match --exclude node5 >yesterday.json
    rset-alloc allocated 101 set.json >R.json
    rset-match -o jgf set.json >graph.json
    rset-match --subtree /cluster0/node5 graph.json >node5.json
    rset-diff --unlink /cluster0/node5 graph.json >smaller.json
    printf '%s\n' 'version: 1' 'resources:' '  - type: slot' '    count: 2' \
        '    label: task' '    with: [{type: core, count: 2}]' 'tasks:' \
        '  - command: [python3, train.py]' '    slot: task' \
        '    count: {per_resource: {type: core, count: 1}}' \
        'attributes:' '  system:' '    duration: 3600' '    cwd: /home/ann' \
        '    environment: {HOME: /home/ann, DISPLAY: null}' \
        '    dependencies:' \
        '      - {type: in, scope: user, scheme: string, value: data}' \
        '    constraints: {or: [properties: [ssd], hostlist: ["node[0-2]"]]}' \
        >job.yaml
    printf '%s\n' 'resources:' '  - type: rack' '    count: 2' \
        '    with: [{type: node, count: 2, with: [{type: core, count: 4},' \
        '        {type: memory, size: 64, unit: GiB}]}]' \
        '  - {type: license, count: 1, size: 10}' >cluster.yaml
    for i in 0 1; do
        printf '%s\n' "host node$i" Package ' NUMANode 8192' ' L2 2048' \
            '  Core' '   PU 0' '  Core' '   PU 1' ' PCI 01:00.0 0302' \
            '  GPU cuda0 CUDA' | "$TEST_DIR/topology" >node$i.xml
    done
    rset-discover --config cluster.yaml |
        rset-alloc allocate 201 --shape 'slot/[core=2;memory=16GiB]' \
            --duration 2h --owner ann |
        rset-alloc allocate 202 -N1 --duration 30m |
        rset-alloc allocate 203 --shape 'slot/license=2' --stage >racks.json
    rset-alloc allocated 201 -o rv1-compact --shorthand racks.json >rack-job.json
    rset-discover --config cluster.yaml |
        rset-match --shape 'slot/[core=1;memory=60GiB]' >other-job.json
    rset-discover --hosts 'node[0-5]' --cores 0-3 --gpus 0 >inventory.json
    printf '%s\n' 'resource:' '  path: inventory.json' '  scheduling: graph.json' \
        '  exclude: node0' >flux.yaml
    rset-discover --hosts node6 --ranks 6 --cores 0-3 --gpus 0 >node6.json
    printf '%s\n' 'resources:' '  - {type: node, count: 4, name: thin,' \
        '     properties: [batch], with: &eight [{type: core, count: 8}]}' \
        '  - {type: node, count: 1, name: login, with: *eight}' \
        '  - {type: node, count: 2, name: fat, properties: [gpu],' \
        '     with: [{type: core, ids: 0-31}, {type: gpu, count: 2}]}' >nodes.yaml
    printf '%s\n' '# of the console server' 'node0 node1' 'node[2-3]' >hostfile
    cp "$TEST_DIR/fixtures/hwloc-gpus.xml" gpus.xml
    cp "$TEST_DIR/fixtures/slurm-22.05-sinfo.json" sinfo.json
    cp "$TEST_DIR/fixtures/slurm-22.05-squeue.json" squeue.json
    cp "$TEST_DIR/fixtures/slurm-shared.json" slurm.json
    cp "$TEST_DIR/fixtures/flux-0.88-journal.log" journal.log
    cp "$TEST_DIR/fixtures/slurm-24.11-node.json" nodes.json
    cp "$TEST_DIR/fixtures/slurm-24.11-job.json" jobs.json
    echo '{"nodes": {"n1": {"state": "job-busy", "pcpus": 4, "jobs": ["7.pbs"],
        "resources_available": {"mem": "8gb", "ncpus": 4, "ngpus": 2},
        "resources_assigned": {"ncpus": 1}}, "n2": {"state": "offline",
        "comment": "bad fan"}}}' >pbsnodes.json
    seq 3 9 >ids.txt
    echo '{"graph": {"nodes": [
        {"id": "c", "metadata": {"type": "cluster", "id": 0}},
        {"id": "n", "metadata": {"type": "node", "id": 0, "rank": 0}},
        {"id": "k", "metadata": {"type": "core", "id": 0, "rank": 0}},
        {"id": "p", "metadata": {"type": "pdu", "id": 0, "size": 10, "unit": "kW",
            "paths": {"power": "/pdu0"}}}],
        "edges": [{"source": "c", "target": "n"}, {"source": "n", "target": "k"},
        {"source": "p", "target": "n", "metadata": {"subsystem": "power"}}]}}' >power.json
    sed 's/"size": 10/"size": 20/' power.json >bigger.json
    printf '%s\n' 'node=1/slot/core=2' slot=2/core >requests.txt
    rset-diff --patch yesterday.json set.json >patch.json || true
    printf '%s\n' 'JobID|Submit|Start|End|NNodes|NCPUS|Timelimit|Partition|User' \
        '1|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T01:00:00|2|8|02:00:00|batch|ann' \
        >jobs.sacct
    gzip month.swf
    echo '{"jobs": [{"id": "f1", "username": "ann", "queue": "batch", "nnodes": 2,
        "ncores": 8, "t_submit": 1, "t_run": 2, "t_cleanup": 60, "duration": 99},
        {"id": "f2", "userid": 7, "queue": "debug", "nnodes": 1, "ncores": 4,
        "t_submit": 5, "t_run": 9, "t_inactive": 30, "duration": 30}]}' >flux.json
    echo '{"jobs": [{"job_id": 1, "user": "ann", "partition": "batch",
        "time": {"submission": 10, "start": 12, "end": 70, "elapsed": 58,
        "limit": {"set": true, "number": 2}}, "tres": {"allocated":
        [{"type": "cpu", "count": 8}, {"type": "node", "count": 2}]}}]}' >sacct.json
    {
        echo '{"topic":"job-manager.sched-hello","matchtag":1,"errnum":61}'
        echo '{"topic":"job-manager.sched-ready","matchtag":2,"payload":{"count":0}}'
        for i in 1 2 3 4; do
            echo '{"topic":"sched.alloc","payload":{"id":'$i',"priority":16,' \
                '"userid":100,"jobspec":{"version":1,"resources":[{"type":"node",' \
                '"count":4,"with":[{"type":"slot","count":1,"label":"task",' \
                '"with":[{"type":"core","count":2}]}]}],"tasks":' \
                '[{"command":["app"],"slot":"task","count":{"per_slot":1}}],' \
                '"attributes":{"system":{"duration":600,"queue":"batch"}}}}}'
        done
        echo '{"topic":"sched.prioritize","payload":{"jobs":[[4,20]]}}'
        echo '{"topic":"sched.cancel","payload":{"id":3}}'
    } >lines.txt
    rset-alloc serve --resources set.json --store jobs.db <lines.txt >answers
}

# examples PROGRAM [COMMAND]: print the examples in its help.
examples() {
    "$@" --help | sed -n '/^Examples:/,/^$/s/^  //p'
}

@test "the list of commands comes first, in groups" {
    rset-alloc --help >help
    same "$(rset-alloc help)" "$(<help)"
    same "$(sed -nE "5,/COMMAND --help/s/^([A-Z].*):\$/\\1/p" help)" \
        'Give resources to jobs, and take them back
Look at a set
Change states and facts
Batches, stores and services'
    same "$(commands rset-alloc | cut -d' ' -f2 | sort)" \
        "$(rset-alloc --complete 0 '' | sed '1d; s/\t.*//; /^help$/d' | sort)"
    # only options that every command takes
    same "$(sed -nE '/^Store:/,$s/^.{6}(--[a-z-]+).*/\1/p' help |
        paste -sd ' ')" \
        '--store --wait --keep-history --force --quiet --no-progress --help --version'
}

@test "the help of a command explains each option that it takes" {
    rset-alloc release --help >help
    grep -qxF '      --all                 release all jobs' help
    grep -qF -- '--store=FILE' help
    run -1 grep -e --owner -e --nodes -e --columns help
    rset-alloc jobs --help | grep -F 'list only the jobs of these owners'
    rset-alloc allocate --help | grep -F 'set the owner of the job'
    rset-discover serve --help | grep -F -- '--initially=online|offline'
    run -1 grep -e '--initially' <<<"$(rset-discover --help)"
    while read -r program command; do
        same "$("$program" "$command" --help |
            sed -nE 's/^  (    |-., )(--[A-Za-z0-9-]+).*/\2/p' | sort)" \
            "$("$program" --complete 1 "$command" -- | sed 1d | cut -f1 |
                tr -d = | sort)"
    done <<<"$COMMANDS"
}

@test "no line of any help is wider than a terminal" {
    for program in $(programs); do
        "$program" --help
    done >help
    if command -v flux-rset >/dev/null; then
        flux-rset --help >>help
    fi
    while read -r program command; do
        "$program" help "$command"
    done <<<"$COMMANDS" >others
    [ "$(cat help others | wc -l)" -gt 600 ]
    same "$(awk 'length > 79' help others)" ''
}

@test "-h is one screen of what --help says" {
    for program in $(programs); do
        "$program" -h >short
        "$program" --help >long
        [ "$(wc -l <short)" -le 40 ]
        same "$(awk 'length > 79' short)" ''
        same "$(head -n 3 short)" "$(head -n 3 long)"
        sed '1,/^Options:/d' short | grep -oE '^ .{5}--[a-z-]+|^  -.*--[a-z-]+' | sort >options
        [ -s options ]
        [ "$program" != rset-alloc ] || rset-alloc allocate --help >>long
        same "$(comm -23 options <(grep -oE '^ .{5}--[a-z-]+|^  -.*--[a-z-]+' long | sort))" ''
        grep -q "^'$program --help' lists everything; see also $program(1).$" short
    done
    # each command is named
    rset-alloc --complete 1 '' | sed 1d | cut -f1 | grep -v -e ^- -e '^help$' | while read -r command; do
        rset-alloc -h | grep -qw -- "$command"
    done
}

@test "the help of a command is the same for all spellings" {
    while read -r program command; do
        "$program" "$command" --help >help
        same "$("$program" help "$command")" "$(<help)"
        same "$("$program" --help "$command")" "$(<help)"
        same "$("$program" --now 5 "$command" x -h)" "$(<help)"
        [[ $(head -n1 help) == "usage: $program $command "* ]]
        [ "$(examples "$program" "$command" | wc -l)" -ge 2 ]
    done <<<"$COMMANDS"
}

@test "the help of --sort names what a tree is sorted by" {
    local sort='/--sort=/,/--no-header/{s/^.{28}//;/leave out/!p}'
    rset-discover --hosts a >set.json
    refused "rset-match: --sort: there is no column \"x\"; there are name, id, size, free (try 'rset-match --help')" \
        rset-match -o tree --sort x set.json
    same "$(rset-match --help | sed -nE "$sort" | paste -sd ' ')" \
        'sort by a column (-o tree: name, id, size or free); with - from the greatest to the least'
    same "$(rset-alloc jobs --help | sed -nE "$sort" | paste -sd ' ')" \
        'sort by a column; with - from the greatest to the least'
}

@test "the help of a table names its columns" {
    rset-discover --hosts a | rset-alloc jobs --columns all >heading
    same "$(rset-alloc jobs --help | sed -nE '/^Columns:/,/^$/s/^(Columns:| +)//p' |
        xargs -n1 | sort)" "$(tr "[:upper:]" "[:lower:]" <heading | xargs -n1 | sort)"
    run -0 rset-alloc up --help
    [[ $output != *Columns* ]]
}

@test "the examples in the help of each program and command work" {
    mkdir site
    (cd site && site)
    while read -r program command; do
        examples "$program" "$command"
    done <<<"$COMMANDS" >lines
    for program in rset-match rset-diff rset-discover idset; do
        examples "$program"
    done >>lines
    [ "$(wc -l <lines)" -gt 90 ]
    while IFS= read -r line; do
        rm -rf here
        cp -r site here
        [[ $line != *--watch* ]] ||
            line="timeout --preserve-status -s INT 1 $line"
        (cd here && bash -c "$line" >out 2>err </dev/null) ||
            [[ $line == *rset-diff* && $? == 1 ]] || {
            echo "$line: $(<here/err)"
            return 1
        }
    done <lines
}

@test "help of an unknown command names similar ones" {
    try="(try 'rset-alloc --help')"
    refused "rset-alloc: \"relese\": there is no such command; near it: release $try" \
        rset-alloc help relese
    same "$(rset-alloc --help relese)" "$(rset-alloc --help)"
    refused "rset-alloc: \"hlep\": there is no such command; near it: help $try" \
        rset-alloc hlep
    same "$(rset-alloc help help)" "$(rset-alloc --help)"
}

@test "long options are not abbreviated" {
    rset-discover --hosts node0 --cores 0-3 >set.json
    refused "rset-discover: --nodes: unknown option; use --hosts, such as 'node[0-3]' (try 'rset-discover --help')" \
        rset-discover --nodes 4
    refused "rset-match: --gpus: unknown option; near it: --gpus-per-slot (try 'rset-match --help')" \
        rset-match --gpus 1 set.json
    refused "rset-alloc: --ex: unknown option; near it: --expect-jobs, --expiration, --expand (try 'rset-alloc extend --help')" \
        rset-alloc extend 1 --ex never set.json
    refused "rset-alloc: --owne=me: unknown option; near it: --owner (try 'rset-alloc allocate --help')" \
        rset-alloc allocate 1 -n1 --owne=me set.json
    refused "rset-alloc: --expiration: missing argument (try 'rset-alloc extend --help')" \
        rset-alloc extend 1 set.json --expiration
    refused "rset-match: --=x: unknown option (try 'rset-match --help')" \
        rset-match --=x set.json
    refused "idset: --exp: unknown option; near it: --expand, --next, --help (try 'idset --help')" \
        idset --exp 1-3
}

@test "long options are not abbreviated in the lines of a batch either" {
    rset-discover --hosts node0 --cores 0-3 >set.json
    printf '%s\n' 'allocate 1 -n1 --own me' 'extend 1 --ex never' \
        'available --owner x' >lines
    rset-alloc batch lines --no-R set.json >out
    same "$(sed 's/,"jobs".*/}/' out)" \
        '{"command":"allocate","status":2,"error":"--own: unknown option; near it: --owner, --now"}
{"command":"extend","status":2,"error":"--ex: unknown option; near it: --expect-jobs, --expiration"}
{"command":"available","status":2,"error":"available does not take --owner"}'
}

@test "a value or an operand that looks like an option is not taken for one" {
    rset-discover --hosts node0 --cores 0-3 >set.json
    cp set.json -- --output
    cp set.json -- --output=short
    rset-match -- --output --output=short >out
    same "$(wc -l <out)" 2
    rset-alloc allocate 1 -n1 --owner --grow set.json |
        rset-alloc jobs | grep -F -- --grow
    rset-alloc down 0 --reason --output set.json | rset-alloc status |
        grep -F ': --output'
    same "$(idset -H -S --expand --to list a b)" 'a--expandb'
}

@test "words of other programs get the right one" {
    rset-discover --hosts node0 --cores 0-3 >set.json
    try="(try 'rset-alloc --help')"
    for words in free:release cancel:release delete:release remove:release \
        list:jobs 'show:nodes or status' 'info:status or nodes' \
        resume:undrain 'reserve:allocate --at'; do
        refused "rset-alloc: \"${words%:*}\": there is no such command; use ${words#*:} $try" \
            rset-alloc "${words%:*}" 1 set.json
    done
    refused "rset-match: --mem: unknown option; use --shape with memory, such as 'slot=1/[core=2;memory=4]' (try 'rset-match --help')" \
        rset-match --mem 4 set.json
    rset-match --shape 'slot=1/[core=2;memory=4]' --feasible set.json || [ $? = 3 ]
    for words in --ntasks:-n --cpus-per-task:-c --gres:-g --nodelist:--include \
        --begin:--at --time:-t -p:--requires; do
        refused "rset-match: ${words%:*}: unknown option; use ${words#*:} (try 'rset-match --help')" \
            rset-match "${words%:*}" 1 set.json
    done
    for option in -u --user; do
        refused "rset-alloc: $option: unknown option; use --owner (try 'rset-alloc jobs --help')" \
            rset-alloc jobs $option ann set.json
    done
    refused "rset-alloc: -p: unknown option; use --requires (try 'rset-alloc allocate --help')" \
        rset-alloc allocate 1 -p batch set.json
    refused "rset-alloc: --partition=batch: unknown option; use --requires (try 'rset-alloc allocate --help')" \
        rset-alloc allocate 1 --partition=batch set.json
}

# Sets of ids are no sets of resources: idset has a few words of its own.
@test "an option takes the same in every program" {
    for program in rset-alloc rset-match rset-diff rset-discover idset; do
        "$program" --help
        for command in $([ "$program" != rset-alloc ] ||
            commands rset-alloc | cut -d' ' -f2); do
            rset-alloc help "$command"
        done
    done | sed -nE 's/^  ( {4}|-[^-], )(--[a-z-]+)(\[?=[^ ]+)?.*/\2 \3/p' |
        sort -u |
        awk '$1 == last { print $1 } { last = $1 }' | sort -u >several
    same "$(paste -sd' ' several)" '--count --exclude --from --sort --xor'
}

@test "a removed option or command names its replacement" {
    refused "rset-discover: \"translate\": there is no such command; use serve, which speaks both editions (--dialect) (try 'rset-discover --help')" \
        rset-discover translate
    refused "rset-alloc: --units: unknown option; use --give or --R (try 'rset-alloc release --help')" \
        rset-alloc release 1 --units 2
    refused "rset-alloc: --type=core: unknown option; use --give or --R (try 'rset-alloc shrink --help')" \
        rset-alloc shrink 1 --type=core
    refused "rset-alloc: --if-same: unknown option; use 'rset-alloc allocated JOB' to look before (try 'rset-alloc allocate --help')" \
        rset-alloc allocate 1 --if-same -n1
    refused "rset-match: --property: unknown option; use --requires (try 'rset-match --help')" \
        rset-match --property ssd
    refused "rset-match: --job: unknown option; use 'rset-alloc allocated JOB' (try 'rset-match --help')" \
        rset-match --job 1
    refused "rset-diff: --by: unknown option; use --key (try 'rset-diff --help')" \
        rset-diff --by host
    refused "rset-diff: --expand: unknown option; use --inventory (try 'rset-diff --help')" \
        rset-diff --expand r.json
    # a program without such a replacement does not name it
    refused "idset: -p: unknown option (try 'idset --help')" idset -p 1
}
