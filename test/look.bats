#!/usr/bin/env bats
# Maps and timelines of rset-alloc, and --watch.

load common

# Job 101 holds two of four nodes, 102 a part of the third, and the last is
# drained. 103 has the first two reserved for when 101 ends.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export RSET_NOW=3600 TZ=UTC COLUMNS=48
    rset-discover --hosts 'n[0-3]' --cores 0-3 --gpus 0 >all.json
    rset-alloc allocate 101 -N2 --duration 1h all.json |
        rset-alloc allocate 102 -n1 -c2 --duration 2h |
        rset-alloc allocate 103 -N2 --at 7200 --duration 1h |
        rset-alloc drain n3 --reason fan >set.json
}

@test "a map of a few nodes has their cores and GPUs" {
    same "$(rset-alloc status --map set.json)" 'cell: 1 core
n0 wwww
n1 wwww
n2 xx..
n3 %%%%
cell: 1 gpu
n0 w
n1 w
n2 .
n3 %
. idle  % drained  w 101  x 102'
}

@test "a map that has no room for a label has one cell in a line" {
    same "$(COLUMNS=1 rset-alloc status --map --by node set.json)" 'cell: 1 node
 w
 w
 x
 %
% drained (1)
w 101 (2)
x 102 (1)'
}

@test "a map of more nodes, or with --by, has a cell for each" {
    same "$(rset-alloc status --map --by node set.json)" 'cell: 1 node
n[0-3] wwx%
% drained (1)  w 101 (2)  x 102 (1)'
    same "$(rset-alloc status --map --by gpu set.json | tail -n1)" \
        '. idle (1)  % drained (1)  w 101 (2)'
    rset-discover --hosts 'node[1-100]' --cores 0 >many.json
    same "$(rset-alloc status --map many.json)" 'cell: 1 node
node[1-30]   .......... .......... ..........
node[31-60]  .......... .......... ..........
node[61-90]  .......... .......... ..........
node[91-100] ..........
. idle (100)'
    refused 'rset-alloc: set.json: --by: "gup" is not a type; near it: gpu' \
        rset-alloc status --map --by gup set.json
}

@test "nodes stand in their racks, small racks side by side" {
    rset-discover --hosts 'n[0-7]' --cores 0-1 --nodes-per-rack 4 -o jgf |
        rset-alloc allocate 2 -N5 >racks.json
    same "$(rset-alloc status --map --by node racks.json)" 'cell: 1 node
rack0 n[0-3] BBBB
rack1 n[4-7] B...
. idle (3)  B 2 (5)'
    rset-discover --hosts 'n[0-39]' --cores 0 --nodes-per-rack 2 -o jgf >r.json
    same "$(rset-alloc status --map r.json | sed -n 2,3p)" \
        'rack0  ..  rack1  ..  rack2  ..  rack3  ..
rack4  ..  rack5  ..  rack6  ..  rack7  ..'
}

@test "resources that several jobs hold, and resources that are not up" {
    rset-discover --hosts 'n[0-8]' --cores 0-3 |
        rset-alloc allocate 1 -n1 -c2 | rset-alloc allocate 2 -n1 -c1 |
        rset-alloc allocate 3 -n4 -c1 | rset-alloc down n8 |
        rset-alloc state n7 failing | rset-alloc state n6 degraded |
        rset-alloc state n5 unknown | rset-alloc state n4 none >mix.json
    same "$(rset-alloc status --map mix.json)" 'cell: 1 node
n[0-8] #C..0?-/!
. idle (2)  # none free (1)  ! down (1)
- degraded (1)  / failing (1)  ? unknown (1)
0 none (1)  C 3 (1)'
    rset-discover --hosts n0 --cores 0-1 --expiration 5000 |
        rset-alloc status --map --now 6000 >got
    same "$(sed -n '$p' got)" '# none free (2)'
}

@test "a map shows the states of the table of nodes" {
    rset-discover --hosts 'n[0-29]' --cores 0-3 >busy.json
    for job in {1..12}; do
        echo "allocate $job -n$((job % 5 + 1)) -c$((job % 4 + 1))"
    done >asks
    echo 'drain 4,17-19' >>asks
    rset-alloc batch asks --no-R --in-place busy.json >answers
    rset-alloc nodes --columns state,jobs --no-header busy.json |
        awk '$1 == "idle" { print "."; next } $1 == "drained" { print "%"; next }
            $1 == "draining" { print "&"; next }
            $2 !~ /[-,]/ { print substr("ABCDEFGHIJKL", $2, 1); next }
            { print $1 == "full" ? "#" : "+" }' | tr -d '\n' >want
    grep -q '[A-L]' want
    grep -q '[+#]' want
    rset-alloc status --map busy.json | sed -n 2p | tr -d ' ' >out
    same "$(<out)" "n[0-29]$(<want)"
}

@test "sockets stand apart" {
    rset-discover --synthetic 'pack:2 core:4 pu:2' -o jgf >node.json
    same "$(rset-alloc status --map --by core node.json | sed -n 2p)" \
        'node0 .... ....'
}

@test "a timeline: a row a node, equal ones in one, or a row a job" {
    same "$(rset-alloc timeline set.json)" \
        '1970-01-01T01:00:00 to 1970-01-01T03:00:00,
now 1970-01-01T01:00:00
           |01:00            |02:00
n[0-1]     wwwwwwwwwwwwwwwwwwyyyyyyyyyyyyyyyyyyy
n2         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
n3 drained .....................................
           ^ now
. idle  w 101  x 102  y 103'
    same "$(rset-alloc timeline --by job set.json | sed -n 4,6p)" \
        '101 n[0-1] wwwwwwwwwwwwwwwwwww..................
102 n2     xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
103 n[0-1] ..................yyyyyyyyyyyyyyyyyyy'
}

@test "a timeline and its heading are as wide as COLUMNS" {
    for columns in {23..70}; do
        COLUMNS=$columns rset-alloc timeline set.json >out
        same "$(sed '/|/,$d' out | paste -sd' ')" \
            '1970-01-01T01:00:00 to 1970-01-01T03:00:00, now 1970-01-01T01:00:00'
        awk -v most="$columns" 'length > most { exit 1 }' out
    done
    # a time is not separated from the word before it
    COLUMNS=45 rset-alloc timeline set.json | sed -n 1,2p >out
    same "$(<out)" '1970-01-01T01:00:00 to 1970-01-01T03:00:00,
now 1970-01-01T01:00:00'
    same "$(COLUMNS=23 rset-alloc timeline set.json | sed -n 1,3p)" \
        '1970-01-01T01:00:00
to 1970-01-01T03:00:00,
now 1970-01-01T01:00:00'
}

# ticks DAYS FROM: print the labels of the axis of DAYS days from FROM on.
ticks() {
    rset-discover --hosts n0 --cores 0 |
        rset-alloc allocate 1 -n1 --now "$2" --duration "$1d" |
        COLUMNS=104 rset-alloc timeline --now "$2" | sed -n 2p |
        tr -s ' |' ' ' | sed 's/^ //; s/ $//'
}

@test "ticks of days: none is next to the first of a month" {
    same "$(ticks 16 2023-04-20)" '04-21 04-23 04-25 04-27 04-29 05-01 05-03 05-05'
    same "$(ticks 16 2023-05-20)" '05-21 05-23 05-25 05-27 05-29 06-01 06-03'
    same "$(ticks 16 2023-12-20)" '12-21 12-23 12-25 12-27 12-29 01-01 01-03'
    same "$(ticks 16 2023-02-20)" '02-21 02-23 02-25 02-27 03-01 03-03 03-05 03-07'
    same "$(ticks 16 2024-02-20)" '02-21 02-23 02-25 02-27 03-01 03-03 03-05'
    same "$(ticks 40 2024-01-20)" '01-21 01-26 02-01 02-06 02-11 02-16 02-21 02-26'
    same "$(ticks 80 2023-12-20)" '12-21 01-01 01-11 01-21 02-01 02-11 02-21 03-01'
}

@test "a map and a timeline of some targets" {
    same "$(rset-alloc status --map n3,n2 set.json)" 'cell: 1 core
n2 xx..
n3 %%%%
cell: 1 gpu
n2 .
n3 %
. idle  % drained  x 102'
    same "$(rset-alloc status --map --by gpu --include n0 set.json)" \
        'cell: 1 gpu
n0 w
w 101 (1)'
    rset-alloc timeline n2 set.json >out
    same "$(sed 1,3d out)" 'n2 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
   ^ now
x 102'
    rset-alloc timeline --exclude n2 --by job set.json | cut -c1-12 >out
    same "$(sed 1,3d out)" '101 n[0-1] w
103 n[0-1] .
           ^
. idle  w 10'
    rset-alloc timeline -o svg n2 set.json >a.svg
    same "$(grep -o '<title>job 10[0-9]' a.svg)" '<title>job 102'
    same "$(grep -c '>10[13]<\|job 10[13]' a.svg || true)" 0
}

@test "wide characters and marks count as the columns that they occupy" {
    rset-discover --hosts 'n[0-2]' --cores 0 | rset-alloc allocate 日本 -N1 |
        rset-alloc allocate $'e\xcc\x81toi' -N1 | rset-alloc allocate wxyz -N1 >set.json
    COLUMNS=80 rset-alloc timeline --by job --now 0 set.json | sed -n 3,5p >out
    same "$(sed $'s/日本/wxyz/; s/\xcc\x81//' out | awk '{ print length, $2 }')" \
        $'80 n1\n80 n2\n80 n0'
    COLUMNS=12 rset-alloc timeline --by job --now 0 set.json | grep -m1 日 >out
    same "$(cut -d' ' -f1 out)" '日~'
}

@test "a timeline: a job that holds a rack without nodes has a row" {
    echo '{"resources":[{"type":"rack","with":[{"type":"node","with":[{"type":"core"}]}]},{"type":"rack"}]}' |
        rset-discover --config - -o rv1 >racks.json
    rset-alloc allocate 7 --take /cluster0/rack1=1 racks.json >held.json
    same "$(rset-alloc timeline --by job held.json | awk '$1 == 7 { print $1 }')" 7
}

@test "status --by state: a rack without nodes that is down" {
    echo '{"resources":[{"type":"rack","with":[{"type":"node","with":[{"type":"core"}]}]},{"type":"rack"}]}' |
        rset-discover --config - -o rv1 | rset-alloc down /cluster0/rack1 >down.json
    same "$(rset-alloc status --by state down.json | sed 's/ since.*//')" 'STATE  NODES  HOSTS  REASON
idle       1  node0  -
/cluster0/rack1: down'
}

@test "a timeline of resources outside of nodes" {
    jq -n '{graph: {nodes: [["cluster", 0], ["node", 0], ["core", 0],
            ["license", 4]] | to_entries | map({id: "\(.key)", metadata:
            ({type: .value[0], id: 0} + if .key == 1 then {rank: 0} elif
            .key == 3 then {size: 4} else {} end)}),
        edges: [{source: "0", target: "1"}, {source: "1", target: "2"},
            {source: "0", target: "3"}]}}' |
        rset-alloc allocate 1 --take /cluster0/license0=2 \
            --take /cluster0/node0/core0=1 --duration 1h >one.json
    same "$(rset-alloc timeline one.json | sed -n 4,5p | cut -c1-12 | sort)" \
        'license0 AAA
node0    AAA'
    same "$(rset-alloc timeline --by job one.json | sed -n 4p | cut -c1-12)" \
        '1 node0 AAAA'
}

@test "a timeline in the middle; allocations that have ended or have no end" {
    rset-alloc timeline --now 5400 set.json >out
    same "$(sed -n '4p;7p' out)" 'n[0-1]     wwwwwwwwwwwwwwwwwwyyyyyyyyyyyyyyyyyyy
                    ^ now'
    rset-alloc allocate 104 -n1 set.json | rset-alloc timeline --now 7200 >out
    same "$(sed -n 1,7p out)" \
        '1970-01-01T01:00:00 to 1970-01-01T03:15:00,
now 1970-01-01T02:00:00
           |01:00          |02:00
n[0-1]     wwwwwwwwwwwwwwwwyyyyyyyyyyyyyyyyy....
n2         +++++++++++++++++++++++++++++++++zzzz
n3 drained .....................................
                           ^ now'
}

@test "a timeline as SVG: each job has a title on each node" {
    rset-alloc timeline -o svg set.json >a.svg
    rset-alloc timeline -o svg set.json | cmp - a.svg
    same "$(grep -o '<title>[^<]*' a.svg | sort | uniq -c | sed 's/^ *//')" \
        '2 <title>job 101: n[0-1] (2 nodes), allocated from 1970-01-01T01:00:00 to 1970-01-01T02:00:00
1 <title>job 102: n2, allocated from 1970-01-01T01:00:00 to 1970-01-01T03:00:00
2 <title>job 103: n[0-1] (2 nodes), reserved from 1970-01-01T02:00:00 to 1970-01-01T03:00:00
1 <title>timeline'
}

@test "many nodes: an allocation is one group with a title" {
    rset-discover --hosts 'n[0-99]' --cores 0-3 |
        rset-alloc allocate 1 -N60 --duration 1h |
        rset-alloc allocate 2 -N50 --earliest --duration 1h |
        rset-alloc timeline -o svg >a.svg
    same "$(grep -c '<title>job 1:' a.svg) $(grep -c '<title>job 2:' a.svg)" \
        '1 1'
}

@test "SVG is valid XML, whatever the names" {
    needs python3
    rset-alloc allocate $'<&">\x1b' --owner ']]>' -n1 set.json |
        rset-alloc timeline -o svg >a.svg
    python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' a.svg
}

@test "a pipe gets the same characters in every locale; a terminal with UTF-8 a dot" {
    for command in 'status --map --by node' 'status --map' timeline; do
        # shellcheck disable=SC2086
        rset-alloc $command set.json >out
        run -1 env LC_ALL=C grep '[^ -~]' out
        # shellcheck disable=SC2086
        LC_ALL=C.UTF-8 rset-alloc $command set.json | cmp - out
    done
    rset-match -o tree set.json >out
    LC_ALL=C.UTF-8 rset-match -o tree set.json | cmp - out
    locale -a 2>/dev/null | grep -qi '^C.utf' || skip 'there is no locale'
    needs pty
    dots() { # LOCALE
        LC_ALL=$1 NO_COLOR=1 script -qec \
            'rset-alloc status --map --by node all.json' /dev/null |
            sed -n 2p | tr -d '\r'
    }
    same "$(dots C.UTF-8)" 'n[0-3] ····'
    same "$(dots C)" 'n[0-3] ....'
}

@test "a drained node is shown as such, with the jobs that still use it" {
    rset-alloc drain n0,n2 --reason disk set.json >drained.json
    same "$(COLUMNS=80 rset-alloc status --map --by node drained.json)" 'cell: 1 node
n[0-3] &w&%
% drained (1)  & draining (2), still used by 101,102  w 101 (1)'
    same "$(rset-alloc timeline drained.json | grep -c '^n0 draining ww')" 1
    same "$(rset-alloc nodes --state draining drained.json --columns host --no-header | xargs)" 'n0 n2'
    same "$(rset-match --state draining drained.json -o hosts)" 'n[0,2]'
    same "$(rset-match --find 'state=drained,draining and type=node' drained.json -o hosts)" 'n[0,2-3]'
    same "$(rset-match --find 'state=down and type=node' drained.json -o hosts)" 'n[0,2-3]'
    same "$(rset-match -o tree drained.json | grep '^  n[02]')" \
        '  n0  rank0  drained (disk)  held by 101  reserved for 103
  n2  rank2  drained (disk)  shared by 102'
    needs pty
    # with colours, too
    shows() {
        COLUMNS=80 TERM=xterm-256color script -qec \
            'rset-alloc status --map --by node drained.json' /dev/null |
            sed 's/\x1b\[[0-9;]*m//g' | tr -d '\r'
    }
    same "$(shows)" 'cell: 1 node
n[0-3] &w&%
% drained (1)  & draining (2), still used by 101,102  w 101 (1)'
}

@test "the legend is one line if there are more jobs than letters or colours" {
    rset-discover --hosts 'n[0-59]' --cores 0 >many.json
    for job in {1..53}; do
        echo "allocate $job -N1"
    done >asks
    rset-alloc batch asks --no-R --in-place many.json >answers
    rset-alloc drain n59 many.json >53.json
    rset-alloc release 53 53.json >52.json
    same "$(rset-alloc status --map 53.json | tail -n 1)" \
        '. idle (6)  % drained (1)  53 jobs (53)'
    same "$(rset-alloc status --map 53.json | wc -l)" 4
    same "$(rset-alloc timeline 53.json | tail -n 1)" '. idle  53 jobs'
    # each of 52 jobs has a letter of its own
    same "$(rset-alloc status --map 52.json | tail -n +4 | tr -s ' ' '\n' |
        grep -c '^[A-Za-z]$')" 52
    for n in 21 22; do
        rset-alloc release "$((n + 1))-53" 53.json >few.json
        rset-match -o svg few.json >"$n.svg"
    done
    same "$(grep -c '>job [0-9]*<' 21.svg) $(grep -c '>21 jobs<' 21.svg)" '21 0'
    same "$(grep -c '>job [0-9]*<' 22.svg) $(grep -c '>22 jobs<' 22.svg)" '0 1'
}

@test "colours at a terminal, unless NO_COLOR is set or it has none" {
    needs pty
    unset NO_COLOR COLORTERM
    shows() {
        script -qec 'rset-alloc status --map --by node set.json' /dev/null |
            sed -n 2p
    }
    same "$(TERM=xterm-256color shows | tr -d '\r')" \
        $'n[0-3] \e[38;5;16;48;5;222mww\e[0m\e[38;5;16;48;5;217mx\e[0m\e[38;5;231;48;5;54m%\e[0m'
    for some in COLORTERM=truecolor TERM=xterm-kitty TERM=xterm-direct; do
        same "$(export "${some?}" && TERM=${TERM/dumb/xterm} shows)" \
            "$(TERM=xterm-256color shows)"
    done
    for none in NO_COLOR=1 TERM=dumb TERM=vt100 TERM=vt220 TERM=xterm TERM= TERM=unheard; do
        same "$(TERM=xterm-256color && export "${none?}" && shows | tr -d '\r')" \
            'n[0-3] wwx%'
    done
}

@test "empty sets; forms and options of other commands" {
    echo '{"version":1,"execution":{"R_lite":[],"nodelist":[]}}' >empty.json
    same "$(rset-alloc status --map empty.json)" ''
    rset-alloc timeline empty.json | grep -q now
    refused "rset-alloc: --output: this answer is available only as svg (try 'rset-alloc timeline --help')" \
        rset-alloc timeline -o json set.json
    refused "rset-alloc: --map and -o json exclude each other (try 'rset-alloc status --help')" \
        rset-alloc status --map -o json set.json
    refused "rset-alloc: --by: \"rack\": expected node or job (try 'rset-alloc timeline --help')" \
        rset-alloc timeline --by rack set.json
    same "$(rset-alloc batch - set.json <<<timeline | jq -r .error)" \
        'timeline: not in a batch'
    same "$(rset-alloc batch - set.json <<<'status --map' | jq -r .error)" \
        '--map: not in a batch'
}

@test "-o svg of a timeline draws rows and legend below each other" {
    rset-alloc timeline -o svg --now 1000 set.json >timeline.svg
    sed -n 's/.* y="\([0-9.]*\)".*>n[0-9]*<.*/\1/p' timeline.svg >rows
    [ "$(wc -l <rows)" -gt 2 ]
    sort -nuc rows
    height=$(sed -n '1,/<svg/s/.*<svg.* height="\([0-9]*\)".*/\1/p' timeline.svg)
    [ "$(tail -n1 rows | cut -d. -f1)" -lt "$height" ]
}

# --- --watch ---------------------------------------------------------------

# watch COMMAND...: run it in the background, with output to `out`, until
# stop_watch.
watch() {
    "$@" >out 2>err 3>&- &
    pid=$!
}

stop_watch() {
    local status=0
    kill -INT "$pid"
    wait "$pid" || status=$?
    [ $status = 0 ]
}

@test "--watch prints the answer again when a document changes" {
    cp set.json now.json
    watch rset-alloc status --map --by node --watch now.json
    wait_lines 3 out
    rset-alloc release 101 --in-place now.json
    wait_lines 7 out
    same "$(sed -n '2p;4,6p' out)" 'n[0-3] wwx%

cell: 1 node
n[0-3] ..x%'
    echo '{' >now.json
    wait_lines 1 err
    rset-alloc undrain n3 set.json >now.json
    wait_lines 11 out
    stop_watch
    same "$(sed -n 10p out)" 'n[0-3] wwx.'
    same "$(<err)" 'rset-alloc: now.json: line 2, column 1: input ends in the middle of a document'
}

@test "--watch prints the answer again when the window changes its size" {
    watch rset-alloc status --map --by node --watch set.json
    wait_lines 3 out
    kill -WINCH "$pid"
    wait_lines 7 out
    stop_watch
    same "$(sed -n 1,3p out)" "$(sed -n 5,7p out)"
}

@test "--watch of a store, and of other answers" {
    rset-alloc load --store now.db all.json
    watch rset-alloc timeline --watch --store now.db
    wait_lines 6 out
    rset-alloc allocate 7 -N1 --duration 1h -o hosts --store now.db
    wait_lines 14 out
    stop_watch
    same "$(sed -n 11p out)" 'n0     GGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGG'
}

@test "--watch of a link to a store sees each change as soon as that of the store" {
    local file i took=()
    mkdir there
    rset-alloc load --store there/now.db all.json
    ln -s there/now.db link
    for file in there/now.db link; do
        watch rset-alloc status --watch --no-header --store $file
        wait_lines 1 out
        SECONDS=0
        for i in {1..3}; do
            rset-alloc allocate "$i" -n1 -o hosts --store $file
            wait_lines $((1 + 2 * i)) out # with an empty line before
        done
        took+=($SECONDS)
        stop_watch
        rset-alloc release --all -o hosts --store $file
    done
    # without a change it looks after ten seconds
    ((took[1] < took[0] + 15))
}

@test "--watch: a first answer that fails is printed, and ends it" {
    refused "rset-alloc: none.json: No such file or directory" \
        rset-alloc status --watch / none.json
    refused "rset-alloc: --watch: a file or a store is expected, standard input is read once (try 'rset-alloc status --help')" \
        rset-alloc status --watch <set.json
}

@test "--watch at a terminal uses the other screen, and restores the first" {
    needs pty
    rset-discover --hosts 'n[0-199]' --cores 0 --nodes-per-rack 20 -o jgf |
        rset-alloc allocate 101 -N70 >now.json
    watch script -qec 'stty rows 9; rset-alloc status --map --watch \
        now.json & pid=$!; trap "kill -INT $pid" USR1; echo $$ >pid
        wait $pid; wait $pid; echo status $?' /dev/null
    wait_lines 5 out
    rset-alloc release 101 --in-place now.json
    wait_lines 10 out
    # what is wrong is shown there, too
    echo '{' >now.json
    until grep -q $'\e\[Hrset-alloc: now.json: line 2' out; do
        sleep 0.1
    done
    kill -USR1 "$(<pid)"
    wait "$pid"
    tr -d '\r' <out >plain
    same "$(head -n1 plain)" $'\e[?1049h\e[?25l\e[?7l\e[Hcell: 2 node\e[K'
    same "$(tail -n1 plain | sed 's/.*\x1b//')" '[?1049lstatus 0'
}

@test "--watch: q ends it, and no key is echoed" {
    needs pty
    mkfifo keys
    exec 8<>keys
    script -qec 'rset-alloc nodes --watch set.json; echo "status $?"; stty -a' /dev/null \
        <&8 >out 2>err 3>&- &
    pid=$!
    wait_lines 4 out
    printf 'xyq' >&8
    wait "$pid"
    exec 8>&-
    tr -d '\r' <out >plain
    grep -q '\[?1049lstatus 0$' plain
    grep -q ' icanon ' plain
    grep -q ' echo ' plain
    run -1 grep -q xy plain
}
