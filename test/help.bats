# Help texts: those of programs and of commands, whose examples are run; and
# long options that are abbreviated.

load common

# commands PROGRAM: a line for each, with the program before it.
commands() {
    "$1" --help | sed -nE "/^Commands:/,/^'/s/^  ([a-z]+)( .*|\$)/$1 \1/p"
}

COMMANDS=$(commands rset-alloc && commands rset-discover)

# What the examples speak of: jobs 101, 102 and 103, which is staged, on
# node[0-5], of which node3 is drained; a store of that, and some commands.
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
    echo 'release 102' >day.txt
    : >lines.txt
}

# examples PROGRAM COMMAND: those of its help.
examples() {
    "$1" "$2" --help | sed -n '/^Examples:/,$s/^  //p'
}

@test "the commands come first, a line each" {
    rset-alloc --help >help
    same "$(sed -n 5p help)" 'Commands:'
    same "$(rset-alloc help)" "$(<help)"
    n=$(commands rset-alloc | wc -l)
    [ "$n" -ge 28 ]
    same "$(sed -n "/^Commands:/,/^'/p" help | wc -l)" $((n + 2))
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

@test "the help of a command is short, and the same in both ways" {
    while read -r program command; do
        "$program" "$command" --help >help
        same "$("$program" help "$command")" "$(<help)"
        same "$("$program" --help "$command")" "$(<help)"
        same "$("$program" --now 5 "$command" x -h)" "$(<help)"
        [[ $(head -n1 help) == "usage: $program $command "* ]]
        [ "$(wc -l <help)" -le 12 ]
        same "$(examples "$program" "$command" | wc -l)" 2
    done <<<"$COMMANDS"
}

@test "the help of a table names its columns" {
    rset-discover --hosts a | rset-alloc jobs --columns all >heading
    same "$(rset-alloc jobs --help | sed -nE '/^Columns:/,/^-o:/s/^(Columns:| +)//p' |
        xargs -n1 | sort)" "$(tr "[:upper:]" "[:lower:]" <heading | xargs -n1 | sort)"
    run -0 rset-alloc up --help
    [[ $output != *Columns* ]]
}

@test "the examples in the help of each command can be done" {
    mkdir site
    (cd site && site)
    while read -r program command; do
        examples "$program" "$command"
    done <<<"$COMMANDS" >lines
    [ "$(wc -l <lines)" -gt 60 ]
    while IFS= read -r line; do
        rm -rf here
        cp -r site here
        (cd here && bash -c "$line" >out 2>err </dev/null) || {
            echo "$line: $(<here/err)"
            return 1
        }
    done <lines
}

@test "help of a command that is none names what is near" {
    try="(try 'rset-alloc --help')"
    refused "rset-alloc: \"relese\": there is no such command; near it: release $try" \
        rset-alloc help relese
    same "$(rset-alloc --help relese)" "$(rset-alloc --help)"
    refused "rset-alloc: \"hlep\": there is no such command; near it: help $try" \
        rset-alloc hlep
    same "$(rset-alloc help help)" "$(rset-alloc --help)"
}

@test "long options can be abbreviated" {
    rset-discover --hosts 'node[0-3]' --cores 0-3 --prop ssd:1 >set.json
    for words in '--prop ssd' '--prop=ssd' '--property ssd'; do
        # shellcheck disable=SC2086
        same "$(rset-match $words --out hosts set.json)" node1
    done
    same "$(idset --exp 1-3)" '1 2 3'
    same "$(rset-diff --uni set.json set.json)" "$(<set.json)"
    same "$(rset-alloc --any available --outp=short set.json)" \
        'rank[0-3]/core[0-3]'
}

@test "an abbreviation has to be one option of the command" {
    rset-discover --hosts node0 --cores 0-3 >set.json
    try="(try 'rset-alloc --help')"
    refused "rset-alloc: --ex: it may be --expect-jobs, --expiration, --expand $try" \
        rset-alloc extend 1 --ex never set.json
    refused "rset-alloc: --expiration: missing argument $try" \
        rset-alloc extend 1 set.json --expir
    # of those that no command takes the whole program's count
    refused "rset-alloc: available does not take --owner $try" \
        rset-alloc available --own me set.json
    refused "rset-match: --nod: it may be --nodes, --node-exclusive (try 'rset-match --help')" \
        rset-match --nod 5 set.json
    refused "rset-match: --=x: unknown option (try 'rset-match --help')" \
        rset-match --=x set.json
    # a name that is one is meant, though another begins so
    same "$(rset-discover --hosts a --ranks 3 -o ranks)" 3
    refused "rset-discover: --rank: missing argument (try 'rset-discover --help')" \
        rset-discover --hosts a --rank
}

@test "no word but an option is one that is abbreviated" {
    rset-discover --hosts node0 --cores 0-3 >set.json
    cp set.json -- --out
    cp set.json -- --out=short
    rset-match -- --out --out=short >out
    same "$(wc -l <out)" 2
    rset-alloc allocate 1 -n1 --owner --gro set.json |
        rset-alloc jobs | grep -F -- --gro
    rset-alloc down 0 --reason=--out set.json | rset-alloc status |
        grep -F ': --out'
    rset-alloc down 0 --reas --out set.json | rset-alloc status |
        grep -F ': --out'
    same "$(idset -H -S --exp --to list a b)" 'a--expb'
}

@test "in the lines of a batch, too" {
    rset-discover --hosts node0 --cores 0-3 >set.json
    printf '%s\n' 'allocate 1 -n1 --own me' 'extend 1 --ex never' \
        'allocate 2 -n1 --own --gro' 'available --owne x' >lines
    rset-alloc batch lines --no-R set.json >out
    same "$(sed 's/,"jobs".*/}/' out)" \
        '{"command":"allocate","job":"1","status":0}
{"command":"extend","status":2,"error":"--ex: it may be --expect-jobs, --expiration"}
{"command":"allocate","job":"2","status":0}
{"command":"available","status":2,"error":"available does not take --owner"}'
}
