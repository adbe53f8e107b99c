# Completions: the words that programs offer, and that bash, zsh and fish show
# them.

load common

# tab WORD...: print the words that bash offers for the last word, or for the
# one that ends in <, a line each, in order.
tab() {
    bash -c '
    . "$TOP/completions/rset.bash"
    complete -p "$1" >/dev/null || exit
    for word; do
        [[ $word != *"<" ]] || at=$((${#COMP_WORDS[@]})) word=${word%"<"}
        COMP_LINE+="${COMP_LINE:+ }$word"
        [ "${at:-${#COMP_WORDS[@]}}" != ${#COMP_WORDS[@]} ] ||
            last=${word##*[=:]}
        while [[ $word = *[=:@]* ]]; do
            part=${word%%[=:@]*}
            [ -z "$part" ] || COMP_WORDS+=("$part")
            word=${word#"$part"}
            COMP_WORDS+=("${word:0:1}") word=${word:1}
            [ -n "$word" ] || continue 2
        done
        COMP_WORDS+=("$word")
    done
    COMP_CWORD=${at:-$((${#COMP_WORDS[@]} - 1))}
    _rset "$1" "$last"
    [ ${#COMPREPLY[@]} = 0 ] || printf "%s\n" "${COMPREPLY[@]}"' - "$@" | sort
}

# offers WORDS WORD...: bash offers exactly WORDS.
offers() {
    local want=$1
    shift
    same "$(tab "$@" | paste -sd ' ')" "$want"
}

@test "options of a program, with = where they take an argument" {
    offers '--union --unlink=' rset-diff --u
    offers '--columns= --constraint= --cores-per-slot= --count=' rset-match --co
    offers '--rank= --ranks= --resources=' rset-discover --r
    offers '--intersection=' idset 0-3 --int
    offers '' rset-diff --shape
    offers '--help' rset-match -n4 --h
}

@test "an option is not offered as the argument of another" {
    offers '' rset-match -n -
    offers '' rset-match --shape --
    offers '' rset-match --cores-per-slot -
    offers '' rset-match --shape=
}

@test "forms, halves, and other fixed words" {
    offers 'r ranks rv1 rv1-compact' rset-match -o r
    offers 'jgf jgf-compact json' rset-match --output j
    offers 'table tree' rset-discover --output=t
    offers 'execution graph' rset-diff --trust ''
    offers 'execution graph' rset-diff --trust=
    offers 'host' rset-diff --key h
    offers 'current seed' rset-diff --dialect=
    offers 'json' idset --to j
    offers 'taskset' idset --from=t
    offers 'chassis cluster core' rset-match --count c
    offers 'node,chassis node,cluster node,core' rset-match --count node,c
    offers 'gpu group' rset-match --type g
    offers 'degraded down drained draining' rset-match --state d
    offers 'up,failing' rset-match --state=up,f
    offers 'node parent' rset-alloc --slot-scope=
    offers 'pool' rset-match --granule p
    offers 'locality lonode low' rset-alloc --policy=l
}

@test "commands of rset-alloc, then a job, then files" {
    touch set.json
    offers 'abort allocate allocated available' rset-alloc a
    offers 'save serve shrink state status' rset-alloc --now 5 -o r s
    offers '' rset-alloc allocate ''
    offers '' rset-alloc release s
    offers 'set.json' rset-alloc release 1 s
    offers 'set.json' rset-alloc allocate 1 -n2 --shape core s
    offers 'set.json' rset-alloc allocate -n 2 1 s
    for command in available jobs expire check 'status /' 'down 0' \
        'state 0 up' 'tag 0 k' 'extend 1' 'allocated 1'; do
        # shellcheck disable=SC2086
        offers 'set.json' rset-alloc $command s
    done
    offers 'set.json' rset-alloc load --store state.db s
    offers '' rset-alloc load set.json s
    offers '' rset-alloc save s
    offers 'set.json' rset-alloc batch s
    offers 'set.json' rset-alloc batch - s
    offers '' rset-alloc release 1 set.json s
    offers '' rset-alloc down s
    offers '' rset-alloc tag 0 s
}

@test "commands of rset-discover, their options and words" {
    touch set.json
    offers 'help serve' rset-discover ''
    offers 'serve' rset-discover help ''
    offers '' rset-discover serve s
    offers '' rset-discover --cores 0-1 serve t
    offers '--config= --cores=' rset-discover serve --co
    offers '' rset-discover serve --to
    offers 'set.json' rset-discover serve --resources s
    offers 'set.json' rset-discover serve --config=s
    offers 'set.json' rset-discover serve --events s
    offers 'offline' rset-discover serve --initially of
    offers '' rset-discover serve --define-group s
}

@test "options of a command of rset-alloc, and their fixed words" {
    offers '--dialect= --duration=' rset-alloc allocate --d
    offers '--dialect=' rset-alloc grow 1 --d
    offers '--targets= --trust=' rset-alloc release 1 --t
    offers '--reason=' rset-alloc drain --r
    offers '--expand --expect-jobs' rset-alloc tag 0 k --e
    offers 'degraded down' rset-alloc state 0 d
    offers '--save= --shorthand --store= --subsystem=' rset-alloc batch --s
    offers '--changed' rset-alloc save --c
    offers '--expand' rset-alloc save --e
    offers 'never' rset-alloc extend 1 --expiration ne
    offers 'now' rset-alloc available --at=
    offers '--policy= --provider=' rset-alloc serve --p
    offers 'auto' rset-alloc serve --dialect a
    offers '' rset-alloc jobs --dialect a
    offers 'debug' rset-alloc serve --log-level=d
    offers 'conservative easy fcfs' rset-alloc serve --queue-policy ''
    offers 'job,hosts' rset-alloc jobs --columns job,ho
    offers 'owner' rset-alloc jobs --sort=ow
    offers 'path' rset-match -o table --columns p
    offers '-owner' rset-alloc jobs --sort -ow
    offers 'job node' rset-alloc timeline --by ''
    offers 'owner' rset-alloc jobs --by ''
    offers 'degraded down drained draining' rset-alloc nodes --state d
    offers 'idle,mixed' rset-alloc nodes --state=idle,m
    offers '--any-state --at=' rset-alloc allocate maint --a
    offers '--jobs' rset-diff --j
    offers 'property' rset-alloc status --by p
    offers 'package partition pdu power pu' rset-alloc status --map --by p
    offers 'allocated,ended' rset-alloc jobs --job-state allocated,e
    offers 'pending' rset-alloc jobs --job-state p
    offers 'priority' rset-alloc jobs --job-state pending --columns p
    offers '' rset-alloc jobs --columns pri
}

@test "files for options and operands that are files" {
    touch one.json 'two words.json'
    mkdir kvs
    offers 'one.json' rset-match o
    offers 'two words.json' rset-diff one.json t
    offers 'one.json' rset-match --jobspec o
    offers 'one.json' rset-discover --xml=o
    offers 'one.json' rset-match --batch o
    offers 'one.json' rset-alloc allocate 1 --R o
    offers 'one.json' rset-alloc grow 1 -w o
    offers 'one.json' rset-alloc batch - --save o
    offers 'one.json' rset-alloc history --store o
    offers 'one.json' rset-match --store=o
    offers 'kvs' rset-alloc serve --kvs k
    offers 'one.json' rset-alloc serve --resources o
    offers '' rset-alloc serve o
    offers '' rset-match --find o
    offers 'one.json' rset-diff --verify o
    offers '' rset-discover o
    offers '' idset o
    offers '@one.json' idset 0-3 -x @o
    offers '@one.json' idset @o
    offers 'one.json' rset-match -- o
    offers '' rset-match -- --h
}

@test "all programs complete with one function" {
    run -0 bash -c '. "$TOP/completions/rset.bash"; complete -p'
    same "$(awk '{ print $NF }' <<<"$output" | sort)" \
        "$(cd "$TOP/cmd" && printf '%s\n' idset rset-* | sort)"
}

# A document and a store with jobs, hosts and properties.
site() {
    rset-discover --hosts 'node[8-10],login' --cores 0-1 --property ssd:1 \
        --property rack=3:2 | rset-alloc allocate 101 -n1 |
        rset-alloc allocate 'my job' -n1 >set.json
    rset-alloc load --store site.db set.json
}

@test "jobs, hosts, properties and types of the document on the line" {
    site
    offers '101 my\ job' rset-alloc release '<' set.json
    offers '101' rset-alloc release '1<' set.json
    offers '101' rset-alloc extend --now 5 '1<' set.json
    offers '' rset-alloc release 1
    offers '' rset-alloc release 1 nothing.json
    offers '1-3,101' rset-alloc release '1-3,<' set.json
    offers '101,101' rset-alloc release '101,1<' set.json
    offers '' rset-alloc extend '1,<' set.json
    offers '' rset-alloc allocate '1<' set.json
    offers 'all login node10 node8 node9' rset-alloc drain '<' set.json
    offers 'login,node8' rset-alloc release 101 --targets 'login,node8<' \
        set.json
    offers 'rack rack=3 ssd' rset-match --requires '<' set.json
    offers 'containment' rset-match --subsystem '<' set.json
    offers 'node10 node8 node9' rset-match --include 'node<' set.json
    offers '101' rset-alloc allocated '1<' set.json
    cp set.json 'a set.json'
    offers '101' rset-alloc allocated '1<' 'a\ set.json'
    offers '101' rset-alloc allocated '1<' "'a set.json'"
    offers 'cluster core' rset-match --type 'c<' set.json
    offers 'free id name size' rset-match -o tree --sort '<' set.json
    offers 'hosts' rset-alloc status --by state --columns 'h<' set.json
    offers '' rset-alloc nodes --by '<' set.json
}

@test "jobs, hosts, properties and types of the store on the line, which stays unchanged" {
    site
    cp site.db before
    offers '101' rset-alloc release --store site.db 1
    offers '101' rset-alloc release --store=site.db 1
    offers 'login' rset-alloc down --store site.db l
    offers 'ssd' rset-match --store site.db --requires s
    cmp site.db before
    offers '' rset-alloc release --store nothing.db ''
    [ ! -e nothing.db ]
    mkfifo pipe
    offers '' rset-alloc release --store pipe ''
    offers '' rset-alloc release '<' pipe
}

@test "a service or a command on the line is not run" {
    run -0 rset-alloc --complete 3 serve --provider 'touch made' ''
    [ ! -e made ]
    run -0 rset-alloc --complete 1 release '' </dev/null
    refused "rset-match: --complete: expected the number of a word after it (try 'rset-match --help')" \
        rset-match --complete 1 a
    refused "rset-match: --complete: expected the number of a word after it (try 'rset-match --help')" \
        rset-match --complete
}

@test "names with line breaks or terminal controls are left out" {
    rset-discover --hosts a | rset-alloc allocate $'e\nvil' -n1 >set.json
    offers '' rset-alloc release '<' set.json
}

# zsh_tab WORD...: print the words that zsh offers for the last word, sorted.
# shellcheck disable=SC2016
zsh_tab() {
    zsh -fc '
    words=("$@") CURRENT=$#
    compset() { prefix=${2:-} }
    compadd() { eval "print -rl -- \"\${(@)$@[-1]}\"" }
    _files() { print -r -- files after "$prefix" }
    _path_files() { print -r -- "path_files $*" after "$prefix" }
    . "$TOP/completions/_rset"' - "$@" | sort
}

@test "zsh offers the same words" {
    needs zsh
    run -0 zsh -n "$TOP/completions/_rset"
    site
    same "$(zsh_tab rset-alloc a)" $'abort\nallocate\nallocated\navailable'
    same "$(zsh_tab rset-match --output=tr)" $'--output=tree'
    same "$(zsh_tab rset-alloc release --store site.db m)" 'my job'
    same "$(zsh_tab rset-alloc release --store site.db 1-3,)" '1-3,101'
    same "$(zsh_tab rset-match -- x)" 'files after '
    same "$(zsh_tab rset-alloc serve --kvs k)" 'path_files -/ after '
    same "$(zsh_tab rset-match --jobspec=x)" 'files after --jobspec='
    same "$(zsh_tab rset-match --shape x)" ''
    same "$(head -n1 "$TOP/completions/_rset" | tr ' ' '\n' | sed 1d |
        sort)" "$(cd "$TOP/cmd" && printf '%s\n' idset rset-* | sort)"
}

# fish_tab LINE: print the words that fish offers.
fish_tab() {
    HOME=$PWD fish --no-config -c '
    . $TOP/completions/rset.fish
    complete -C $argv[1]' "$1" 2>&1 | cut -f1 | sort
}

@test "fish offers the same words" {
    needs fish
    site
    same "$(fish_tab 'rset-alloc a')" $'abort\nallocate\nallocated\navailable'
    same "$(fish_tab 'rset-match --output=tr')" '--output=tree'
    same "$(fish_tab 'rset-alloc release --store site.db m')" 'my job'
    same "$(fish_tab 'rset-alloc release --store site.db 1-3,')" '1-3,101'
    same "$(fish_tab 'rset-match set')" 'set.json'
    same "$(fish_tab 'rset-match --jobspec=set')" '--jobspec=set.json'
    same "$(fish_tab 'idset @set')" '@set.json'
    # names with blanks, quoted in each way
    mkdir -p 'a b dir/c d'
    cp set.json 'a b.json'
    cp site.db 'site b.db'
    for word in 'a\ ' 'a\ b' '"a ' '"a b' "'a b" a; do
        same "$(fish_tab "rset-match $word")" $'a b dir/\na b.json'
        same "$(fish_tab "idset @$word")" $'@a b dir/\n@a b.json'
        same "$(fish_tab "rset-match --jobspec=$word")" \
            $'--jobspec=a b dir/\n--jobspec=a b.json'
        same "$(fish_tab "rset-alloc serve --kvs $word")" 'a b dir/'
    done
    same "$(fish_tab 'rset-match "a b dir/c')" 'a b dir/c d/'
    same "$(fish_tab 'rset-match ~/a')" $'~/a b dir/\n~/a b.json'
    same "$(fish_tab 'rset-alloc release --store site\ b.db my\ ')" 'my job'
    same "$(fish_tab 'rset-alloc release --store "site b.db" "m')" 'my job'
    same "$(fish_tab 'rset-match --shape x')" ''
}
