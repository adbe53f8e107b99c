# Completions: what bash offers, and that the others are in order.

load common

# tab WORD...: what is offered for the last word, a line each, in order.
# `--option=value` comes as readline breaks it.
tab() {
    bash -c '
    . "$TOP/completions/rset.bash"
    complete -p "$1" >/dev/null || exit
    for word; do
        case $word in
        --*=) COMP_WORDS+=("${word%=}" =) ;;
        --*=*) COMP_WORDS+=("${word%%=*}" = "${word#*=}") ;;
        *) COMP_WORDS+=("$word") ;;
        esac
    done
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _rset "$1"
    [ ${#COMPREPLY[@]} = 0 ] || printf "%s\n" "${COMPREPLY[@]}"' - "$@" | sort
}

# offers WORDS WORD...
offers() {
    local want=$1
    shift
    same "$(tab "$@" | paste -sd ' ')" "$want"
}

@test "options of a program, with = where they take an argument" {
    offers '--union --unlink=' rset-diff --u
    offers '--constraint= --cores-per-slot= --count=' rset-match --co
    offers '--rank= --ranks= --resources=' rset-discover --r
    offers '--intersection=' idset 0-3 --int
    offers '' rset-diff --shape
    offers '--help' rset-match -n4 --h
}

@test "an option is not offered for the argument of one" {
    offers '' rset-match -n -
    offers '' rset-match --shape --
    offers '' rset-match --cores-per-slot -
    offers '' rset-match --shape=
}

@test "forms, halves, and other words that are known" {
    offers 'r ranks rv1 rv1-compact' rset-match -o r
    offers 'jgf jgf-compact json' rset-match --output j
    offers 'tree' rset-discover --output=t
    offers 'execution graph' rset-diff --trust ''
    offers 'execution graph' rset-diff --trust=
    offers 'host' rset-diff --by h
    offers 'current seed' rset-diff --dialect=
    offers 'json' idset --to j
    offers 'taskset' idset --from=t
    offers 'core' rset-match --count c
    offers 'node,core' rset-match --count node,c
    offers 'gpu' rset-match --type g
    offers 'degraded down' rset-match --state d
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
    offers 'serve translate' rset-discover ''
    offers '' rset-discover serve s
    offers '' rset-discover --cores 0-1 serve t
    offers '--config= --cores=' rset-discover serve --co
    offers '' rset-discover serve --to
    offers '--to=' rset-discover translate --to
    offers '' rset-discover translate --res
    offers 'seed' rset-discover translate --to s
    offers 'set.json' rset-discover serve --resources s
    offers 'set.json' rset-discover serve --config=s
    offers 'set.json' rset-discover serve --events s
    offers 'offline' rset-discover serve --initially of
    offers '' rset-discover serve --define-group s
}

@test "options of a command of rset-alloc, and words that it knows" {
    offers '--dialect= --duration=' rset-alloc allocate --d
    offers '--dialect=' rset-alloc grow 1 --d
    offers '--targets= --trust= --type=' rset-alloc release 1 --t
    offers '--reason=' rset-alloc drain --r
    offers '--expand --expect-jobs' rset-alloc tag 0 k --e
    offers 'degraded down' rset-alloc state 0 d
    offers '--save= --shorthand --store= --subsystem=' rset-alloc batch --s
    offers '--changed' rset-alloc save --c
    offers '' rset-alloc save --e
    offers 'never' rset-alloc extend 1 --expiration n
    offers 'now' rset-alloc available --at=
    offers '--policy= --provider=' rset-alloc serve --p
    offers 'auto' rset-alloc serve --dialect a
    offers '' rset-alloc jobs --dialect a
    offers 'debug' rset-alloc serve --log-level=d
    offers 'fcfs' rset-alloc serve --queue-policy ''
}

@test "files where files are read" {
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
        "$(cd "$TOP/cmd" && printf '%s\n' * | sort)"
}

@test "zsh reads its completion" {
    needs zsh
    run -0 zsh -n "$TOP/completions/_rset"
}

@test "zsh's completion is for all programs" {
    same "$(head -n1 "$TOP/completions/_rset" | tr ' ' '\n' | sed 1d |
        sort)" "$(cd "$TOP/cmd" && printf '%s\n' * | sort)"
}

@test "fish reads its completion" {
    needs fish
    run -0 fish -n "$TOP/completions/rset.fish"
}
