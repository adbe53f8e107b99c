# The command line of durable stores: a store gives the same answers as a
# document.

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    rset-discover --hosts 'n[0-3]' --cores 0-3 --gpus 0 >all.json
}

make_store() { # [DOCUMENT]
    rset-alloc load --store s.db "${1:-all.json}"
}

# --- load ----------------------------------------------------------------

@test "load reads a document from a file or standard input" {
    make_store
    rset-alloc load --store t.db <all.json
    rset-alloc save --store s.db | cmp - all.json
    rset-alloc save --store t.db | cmp - all.json
}

@test "load never overwrites anything" {
    echo text >text
    mkdir folder
    ln -s text link
    ln -s nowhere dangling
    for file in text folder link dangling /dev/null; do
        refused "rset-alloc: $file: the file exists already" \
            rset-alloc load --store "$file" all.json
    done
    same "$(<text)" text
    same "$(readlink dangling)" nowhere
    make_store
    rset-alloc release 1 --store s.db || true
    rset-alloc allocate 1 -N1 --store s.db >R
    refused 'rset-alloc: s.db: the file exists already' \
        rset-alloc load --store s.db all.json
    rset-alloc allocated 1 --store s.db | cmp - R
}

@test "a load that fails leaves nothing behind" {
    mkdir folder
    echo '{"version":1' >broken
    refused 'rset-alloc: broken: line 2, column 1: input ends in the middle of a document' \
        rset-alloc load --store folder/s.db broken
    refused 'rset-alloc: stdin: empty input: expected a document' \
        rset-alloc load --store folder/s.db </dev/null
    cat all.json all.json >two
    run -2 rset-alloc load --store folder/s.db two
    same "$(ls folder)" ''
    refused 'rset-alloc: no/s.db: No such file or directory' \
        rset-alloc load --store no/s.db all.json
    run -2 rset-alloc load --store /proc/s.db all.json
    [ "${#lines[@]}" = 1 ]
}

# --- the same as a document ----------------------------------------------

# both COMMAND...: run on the document and on the store. Status, output,
# messages, the job's R and the set afterwards are the same.
both() {
    local status=0 stored=0 job_R=''
    case $1 in allocate | grow) job_R=yes ;; esac
    rset-alloc "$@" ${job_R:+-w doc.R} doc.json >doc.out 2>doc.err || status=$?
    rset-alloc "$@" ${job_R:+-w db.R} --store s.db >db.out 2>db.err ||
        stored=$?
    [ $status = $stored ]
    sed 's/doc\.json/s.db/' doc.err | diff - db.err
    case $1 in
    jobs | status | allocated | available | check) diff doc.out db.out ;;
    *)
        if [ $status = 0 ] && [ -n "$job_R" ]; then
            diff doc.R db.R
            diff doc.R db.out
        else
            [ ! -s db.out ]
        fi
        [ $status != 0 ] || mv doc.out doc.json
        ;;
    esac
    rset-alloc save --store s.db 2>/dev/null | diff - doc.json
}

# The lines of commands; each is run on both.
all_of_both() {
    local words
    set -e
    while IFS= read -r line; do
        eval "words=($line)"
        echo "$line"
        both "${words[@]}"
    done
}

commands() {
    cat <<'END'
allocate 1 -N1 --now 1000 --duration 100
allocate 'job "x" '\''y'\''' -n2 -c1 --owner bob --now 1000
allocate 1 -N1 --now 1000
allocate big -N9
allocate 3 -N4
allocate 3 -n1 -c2 --stage
jobs --now 1050
commit 3
commit 3
abort 3
allocate later -N1 --at +1000 --duration 50 --now 1000
allocate soon -N3 --earliest --duration 50 --now 1000
allocate open --shape 'slot=1+/core' --now 1000
grow 3 -n1 -c1
shrink 3 --give /cluster0/n3/core3=1
shrink 3 --give /cluster0/n3/core9=1
extend 1 --expiration 1500 --now 1050
allocated
allocated 3
allocated nobody
available --now 1050
status --now 1050
down n3 --reason 'it smokes' --now 1050
drain n2 --now 1050
state /cluster0/n0/core0 degraded --now 1050
tag n1 blue
tag n1 rack=7
untag n0 blue
property n1 fast
property n0,n1 a=1
property n1 ^fast
exclusive n0
undrain n2
undrain n2
release 1 --targets n0
up n3
expire --now 9000
jobs -o json --now 9000
release 'job "x" '\''y'\'''
release nobody
unexclusive n3
check
END
}

@test "each command does the same on a store as on a document" {
    cp all.json doc.json
    make_store
    quickly all_of_both < <(commands)
}

@test "a store and a document give the same: graph, both halves, sums, exclusive pools" {
    rset-match -o jgf all.json >graph.json
    rset-match -o rv1 all.json >both.json
    rset-match -o jgf-compact --shorthand all.json >short.json
    rset-discover --synthetic 'pack:2 numa:1(memory=16GiB) core:4 pu:2' \
        -o jgf >deep.json
    commands | sed -n '/^\(jobs\|allocated\|available\|status\)/!p' |
        grep -v '^check' >c
    for file in graph both short deep; do
        rm -f s.db*
        make_store $file.json
        quickly rset-alloc batch c --save doc.json $file.json >doc.out 2>doc.err
        quickly rset-alloc batch c --store s.db >db.out 2>db.err
        sed "s/$file\.json/s.db/" doc.out | diff - db.out
        sed "s/$file\.json/s.db/" doc.err | diff - db.err
        rset-alloc save --store s.db | diff - doc.json
        rset-alloc check --store s.db
    done
}

@test "hierarchies, links and unknown keys are kept" {
    jq -c '.graph.mine = {"a": [1, null]} | .other = "x"
        | .graph.nodes[3].metadata.mine = 5' \
        "$TEST_DIR/fixtures/site.json" | rset-match >doc.json
    grep -q '"mine":{"a":\[1,null\]}' doc.json
    grep -q '"mine":5' doc.json
    make_store doc.json
    rset-alloc save --store s.db | diff - doc.json
    rset-alloc tag /cluster0/rack0 k --store s.db
    rset-alloc save --store s.db | diff - <(rset-alloc tag /cluster0/rack0 k doc.json)
}

# --- save, history -------------------------------------------------------

# saved: applying the patch since the last save to was.json gives the current
# set.
saved() {
    rset-alloc save --changed --store s.db >changes 2>said
    same "$(wc -l <changes)" 1
    rset-diff --apply changes was.json >now.json
    cp now.json was.json
}

@test "texts of any length, and ids of any size, come back from a store" {
    for n in 1 62 63 64 65 126 127 128 129 8191 8192 16383 16384; do
        rset-discover --hosts "n[0-$n]" --cores "0,$n" |
            jq -c ".execution.properties = {p$(printf "%0${n}d" 1): \"$n\"}" |
            rset-match >set.json
        rset-alloc load --store "$n.db" set.json
        rset-alloc save --store "$n.db" | cmp - set.json
    done
}

@test "save --changed is a patch against the last save" {
    make_store
    cp all.json was.json
    saved
    same "$(<changes)" '{"patch":1,"changes":[]}'
    same "$(<said)" 'rset-alloc: revision 0'
    rset-alloc allocate 1 -N1 --store s.db >R
    rset-alloc allocate 2 -n1 --store s.db >R
    saved
    same "$(<said)" 'rset-alloc: revision 2'
    rset-alloc release 1 --store s.db
    rset-alloc drain n3 --reason x --store s.db
    rset-alloc property n2 fast --store s.db
    rset-alloc extend 2 --expiration +5 --store s.db
    saved
    rset-alloc release 2 --store s.db
    rset-alloc allocate 2 -N1 --store s.db >R
    rset-alloc release 2 --store s.db
    saved
    rset-alloc save --store s.db | cmp - was.json
    saved
    same "$(<changes)" '{"patch":1,"changes":[]}'
    same "$(<said)" 'rset-alloc: revision 9'
}

@test "a save that did not arrive does not count" {
    needs /dev/full
    make_store
    rset-alloc allocate 1 -N1 --store s.db >R
    for what in '' --changed; do
        run -2 bash -c "rset-alloc save $what --store s.db >/dev/full"
        same "$output" \
            'rset-alloc: standard output: No space left on device'
    done
    exec 4> >(:)
    wait $! # the reader is gone
    run -2 --separate-stderr bash -c 'rset-alloc save --changed --store s.db >&4'
    exec 4>&-
    same "$stderr" 'rset-alloc: standard output: Broken pipe'
    cp all.json was.json
    saved
    rset-alloc save --store s.db | cmp - was.json
    rset-alloc allocated 1 was.json | cmp - R
}

@test "history has a line for each operation" {
    make_store
    rset-alloc allocate 1 -N1 --now 1000 --store s.db >R
    run -3 rset-alloc allocate 2 -N9 --store s.db
    run -1 rset-alloc release 2 --store s.db
    rset-alloc allocate 'a b' -n1 --now 1001.5 --store s.db >R
    rset-alloc down n3 --now 1002 --store s.db
    rset-alloc batch - --now 1003 --store s.db >R \
        <<<"drain n2,n3 --reason 'new fan'"
    rset-alloc jobs --store s.db >R
    same "$(TZ=UTC rset-alloc history --store s.db | tr -s ' ')" \
        "TIME USER COMMAND JOB WHAT REASON
1970-01-01T00:16:40 $(id -un) allocate 1 - -
1970-01-01T00:16:41 $(id -un) allocate a\x20b - -
1970-01-01T00:16:42 $(id -un) down - n3 -
1970-01-01T00:16:43 $(id -un) drain - n2,n3 new fan"
    same "$(rset-alloc history --store s.db --columns revision,job --sort -job \
        --no-header)" $'2  a\\x20b\n1  1\n3  -\n4  -'
    rset-alloc history -o json --store s.db | jq -c '.[] | del(.user)' >got
    diff - got <<'END'
{"revision":1,"time":1000,"command":"allocate","job":1}
{"revision":2,"time":1001.5,"command":"allocate","job":"a b"}
{"revision":3,"time":1002,"command":"down","what":"n3"}
{"revision":4,"time":1003,"command":"drain","what":"n2,n3","reason":"new fan"}
END
}

@test "--keep-history drops older operations" {
    make_store
    for i in 1 2 3 4 5; do
        rset-alloc allocate $i -n1 --store s.db >R
    done
    rset-alloc release 1 --keep-history 3 --store s.db
    same "$(rset-alloc history -o json --store s.db | jq -c 'map(.revision)')" \
        '[4,5,6]'
    rset-alloc release 2 --keep-history 0 --store s.db
    same "$(rset-alloc history -o json --store s.db)" '[]'
    rset-alloc release 3 --store s.db
    same "$(rset-alloc history -o json --store s.db | jq -c 'map(.revision)')" \
        '[8]'
}

# --- usage ---------------------------------------------------------------

@test "options of stores need a store, and no documents" {
    make_store
    for command in load save history; do
        refused "rset-alloc: $command: --store is expected (try 'rset-alloc $command --help')" \
            rset-alloc $command
    done
    refused "rset-alloc: --store: a file is expected (try 'rset-alloc jobs --help')" \
        rset-alloc jobs --store ''
    refused "rset-alloc: \"all.json\": with --store no document is read (try 'rset-alloc jobs --help')" \
        rset-alloc jobs --store s.db all.json
    refused "rset-alloc: --in-place and --store exclude each other (try 'rset-alloc release --help')" \
        rset-alloc release 1 --in-place --store s.db
    refused "rset-alloc: --trust: with --store no document is read (try 'rset-alloc jobs --help')" \
        rset-alloc jobs --trust graph --store s.db
    refused "rset-alloc: --wait needs --store or --in-place (try 'rset-alloc release --help')" \
        rset-alloc release 1 --wait 5 all.json
    refused "rset-alloc: --keep-history needs --store (try 'rset-alloc release --help')" \
        rset-alloc release 1 --keep-history 5 all.json
    refused "rset-alloc: --group-commit needs --store (try 'rset-alloc batch --help')" \
        rset-alloc batch /dev/null --group-commit all.json
    refused "rset-alloc: --keep-history: \"-1\" is not a number of operations (try 'rset-alloc release --help')" \
        rset-alloc release 1 --keep-history=-1 --store s.db
    refused "rset-alloc: jobs does not take --changed (try 'rset-alloc jobs --help')" \
        rset-alloc jobs --changed --store s.db
    refused "rset-match: --validate: use 'rset-alloc check' for a store (try 'rset-match --help')" \
        rset-match --validate --store s.db
    refused "rset-match: \"all.json\": with --store no document is read (try 'rset-match --help')" \
        rset-match --store s.db all.json
}

@test "commands on stores are refused in a batch" {
    make_store
    for command in load save history; do
        same "$(rset-alloc batch - --store s.db <<<$command)" \
            "{\"command\":\"$command\",\"status\":2,\"error\":\"$command: not in a batch\"}"
    done
    same "$(rset-alloc history -o json --store s.db)" '[]'
}

# --- batch ---------------------------------------------------------------

@test "a batch on a store answers as on a document, with and without group commit" {
    commands | grep -v '^check' >c
    rset-alloc batch c --now 1000 --save doc.json all.json >doc.out 2>doc.err
    grep '"status":0' doc.out | jq -r .command |
        grep -vE 'jobs|status|available|allocated' >did
    for how in '' --group-commit; do
        rm -f s.db*
        make_store
        rset-alloc batch c --now 1000 $how --store s.db >db.out 2>db.err
        diff doc.out db.out
        sed 's/all\.json/s.db/' doc.err | diff - db.err
        rset-alloc save --store s.db | diff - doc.json
        rset-alloc history -o json --store s.db | jq -r '.[].command' |
            diff did -
    done
}

# --- rset-match ----------------------------------------------------------

# bytes_read COMMAND...: print how many bytes a command read, of files and pipes.
bytes_read() {
    # shellcheck disable=SC2016 # the shell that waits for the command counts
    bash -c '"$@" >answer && awk '\''/^rchar:/ { print $2 }'\'' "/proc/$$/io"' \
        bash "$@"
}

@test "a command reads few of the grants in a store" {
    needs /proc/self/io
    rset-discover --hosts 'n[0-999]' --cores 0-63 >many.json
    make_store many.json
    seq 60000 | sed 's/.*/allocate h& -n1/' >lines
    rset-alloc batch --group-commit --no-R --store s.db lines >answers
    # a sixth of the store is enough for the log and the nodes, and less than
    # its grants
    [ $((6 * $(bytes_read rset-alloc allocate p --store s.db -n1))) \
        -lt "$(stat -c %s s.db)" ]
    [ $((6 * $(bytes_read rset-alloc release h7 --store s.db))) \
        -lt "$(stat -c %s s.db)" ]
}

@test "rset-match reads stores" {
    make_store
    rset-alloc allocate 1 -N1 --now 1000 --duration 10 --store s.db >R
    rset-alloc down n3 --store s.db
    rset-alloc save --store s.db >doc.json
    while read -r -a words; do
        status=0 stored=0
        rset-match "${words[@]}" doc.json >doc.out 2>doc.err || status=$?
        rset-match "${words[@]}" --store s.db >db.out 2>db.err || stored=$?
        [ $status = $stored ]
        diff doc.out db.out
        sed 's/doc\.json/s.db/' doc.err | diff - db.err
    done <<'END'
-o tree
-o jgf
--count node,core
-N2 --now 1005
-N4 --now 1005
-N9 --now 1005
-N3 --earliest --duration 5 --now 1005
--when -N3 --now 1005
-n1 -c2 --policy best-fit --now 1005
--available -o short --now 1005
--find type=core
END
}

# --- SQL -----------------------------------------------------------------

@test "the views list holders of resources and states of targets" {
    needs sqlite3
    sql() { sqlite3 s.db "select * from $1"; }
    for form in '' '-o jgf'; do
        rm -f s.db*
        # shellcheck disable=SC2086 # words
        rset-match $form all.json >a
        make_store a
        rset-alloc allocate 1 -N1 --store s.db >R
        rset-alloc allocate x -n1 -c2 --owner bob --at 5000000000 \
            --duration 100 --store s.db >R
        rset-alloc allocate 3 -n1 -g1 --stage --store s.db >R
        rset-alloc allocate 4 -n1 --now 1000 --duration 10 --store s.db >R
        rset-alloc drain n2 --store s.db
        rset-alloc down n3 --store s.db
        same "$(sql jobs)" '1||allocated||
x|bob|reserved|5000000000.0|5000000100.0
3||staged||
4||ended|1000.0|1010.0'
        same "$(sql targets)" $'0|n0|up\n1|n1|up\n2|n2|drained\n3|n3|down'
        same "$(sql "holdings where job in ('1', 'x')" | sort)" \
            '1|/cluster0/n0|1||
x|/cluster0/n1/core0|1|5000000000.0|5000000100.0
x|/cluster0/n1/core1|1|5000000000.0|5000000100.0'
        same "$(sql lease)" ''
        printf '%s\n' 'undrain 2' 'up 3' 'down 1-2' 'up 1' 'drain 0' \
            'undrain 0' 'down 1' 'up 2' 'drain 3' |
            rset-alloc batch --store s.db - >answers
        same "$(sql targets)" $'0|n0|up\n1|n1|down\n2|n2|up\n3|n3|drained'
    done
}

# --- unsound stores ------------------------------------------------------

# bad MESSAGE: readers and writers fail with MESSAGE in a line.
bad() {
    cp bad.db copy.db
    for command in jobs 'release 1' history save 'check' 'batch /dev/null'; do
        # shellcheck disable=SC2086 # words
        refused "rset-alloc: bad.db: $1" rset-alloc $command --store bad.db
    done
    refused "rset-match: bad.db: $1" rset-match --store bad.db -N1
    cmp bad.db copy.db
    rm -f bad.db* copy.db
}

@test "a file that is no store is reported, and left alone" {
    : >bad.db
    bad 'this is not a store'
    echo text >bad.db
    bad 'this is not a store'
    cp all.json bad.db
    bad 'this is not a store'
    head -c 5000 /dev/zero >bad.db
    bad 'this is not a store'
}

@test "a directory and a pipe are no store, and no program waits for them" {
    mkdir dir
    mkfifo pipe
    for command in jobs 'release 1' check serve; do
        # shellcheck disable=SC2086
        refused 'rset-alloc: dir: Is a directory' \
            rset-alloc $command --store dir </dev/null
        # shellcheck disable=SC2086
        refused 'rset-alloc: pipe: this is not a store' \
            rset-alloc $command --store pipe </dev/null
    done
}

@test "another database, a newer store, and a part of one are refused" {
    needs sqlite3
    sqlite3 bad.db 'create table t(x)'
    bad 'this is not a store'
    make_store
    for version in 99 2 1; do
        rm -f bad.db-*
        cp s.db bad.db
        sqlite3 bad.db "pragma user_version = $version" >/dev/null
        sqlite3 bad.db 'pragma wal_checkpoint(truncate)' >/dev/null
        rm -f bad.db-*
        case $version in
        99) bad 'a newer version wrote this store: its schema is 99, and 6 is the newest known here' ;;
        *) bad 'an older version wrote this store: save its set with that version, and load it again' ;;
        esac
    done
    for size in 100 4096 8192 40960; do
        head -c $size s.db >bad.db
        run -2 --separate-stderr rset-alloc jobs --store bad.db
        same "$output" ''
        same "$(wc -l <<<"$stderr")" 1
    done
}

@test "check names impossible records, and a fault of the database, in a line" {
    needs sqlite3
    make_store
    rset-alloc allocate 1 -n2 --store s.db >R
    sqlite3 s.db 'pragma wal_checkpoint(truncate)' >/dev/null
    while IFS='|' read -r sql fault; do
        rm -f bad.db-*
        cp s.db bad.db
        # newer shells protect the schema unless they are asked not to
        sqlite3 -cmd '.dbconfig defensive off' bad.db "$sql" >/dev/null
        run -2 rset-alloc check --store bad.db
        [[ $output =~ ^(rset-alloc: )?bad.db:\ $fault$ ]]
    done <<'END'
UPDATE grants SET units = 9223372036854775807|the store is corrupt: a grant can't be read
INSERT INTO grants SELECT job, id + 99, came, kind, units, lot, up, pool, at, n, path, owner, queue, start, end, nslots, reserved, later FROM grants|/cluster0/n0/core.*: more is allocated than there is
UPDATE grants SET start = 'x'|grants.start: a value has the wrong type
UPDATE grants SET later = 1|grants.later: 1 starts at another time
UPDATE facts SET facts = CAST(replace(facts, x'2020', x'2007') AS BLOB) WHERE id >> 40 = 4|wrong counts of types
UPDATE store SET revision = -1|store.revision: the history has a later revision
INSERT INTO facts VALUES (3 << 40, x'00')|store.linked: there are edges
PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'state_lot') WHERE name = 'grants_lot'|[^*]*reference to page [^*]*
END
}

@test "a store that may not be read is reported" {
    make_store
    chmod 0 s.db
    if [ "$(id -u)" = 0 ]; then
        setpriv --bounding-set -dac_override,-dac_read_search true ||
            skip 'setpriv can not take rights of root away'
        refused 'rset-alloc: s.db: Permission denied' setpriv --bounding-set \
            -dac_override,-dac_read_search rset-alloc jobs --store s.db
    else
        refused 'rset-alloc: s.db: Permission denied' \
            rset-alloc jobs --store s.db
    fi
    refused 'rset-alloc: gone.db: No such file or directory' \
        rset-alloc jobs --store gone.db
    [ ! -e gone.db ]
}

@test "a store keeps units of sizes and more keys of edges" {
    cat >set.json <<'END'
{"graph":{"nodes":[{"id":"0","metadata":{"type":"cluster","id":0}},
{"id":"1","metadata":{"type":"node","id":0,"rank":0}},
{"id":"2","metadata":{"type":"memory","id":0,"size":8,"unit":"GB"}},
{"id":"3","metadata":{"type":"memory","id":1,"size":8192,"unit":"MB"}},
{"id":"4","metadata":{"type":"pdu","id":0,"size":9,"unit":"W"}}],
"edges":[{"source":"0","target":"1"},{"source":"1","target":"2"},{"source":"1","target":"3"},
{"source":"4","target":"1","metadata":{"subsystem":"power","colour":"red"}}]}}
END
    rset-match set.json >all
    rset-alloc load --store s.db all
    rset-alloc allocate 1 --shape memory=3 --store s.db
    rset-alloc allocate 2 --take power:/pdu0=4 --store s.db
    rset-alloc allocate 1 --shape memory=3 all |
        rset-alloc allocate 2 --take power:/pdu0=4 | cmp - <(rset-alloc save --store s.db)
}
