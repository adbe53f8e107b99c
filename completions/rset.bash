# Completion in bash for rset-discover, rset-match, rset-alloc, rset-diff and
# idset. All words are here: nothing is run.

# Options by program, of some by command; those with `=` take an argument.
_rset_options() { # PROGRAM [COMMAND]
    local common='-q --quiet -h --help -V --version'
    local output="-o --output= --subsystem= --dialect= --shorthand --force $common"
    local document="--trust= --or-empty $output"
    local request='-N --nodes= -n --nslots= -c --cores-per-slot=
        -g --gpus-per-slot= -x --exclusive --shape= --jobspec= --v1
        --include= --exclude= --property= --requires= --constraint=
        --slot-scope= --granule= --policy= --node-exclusive'
    local filters='--subtree= --state= --job= --available --find= --type='
    local times='--at= --duration= -t --time-limit= --expiration=
        --earliest --now='

    case $1 in
    rset-discover)
        echo "--xml= --synthetic= --hosts= --cores= --gpus= --memory=
            --sockets-per-node= --ranks= --rank= --from= --nodes-per-rack= --name=
            --config= --property= --at= --duration= --expiration= --now= --expand $output"
        [[ $2 = translate ]] || echo '--types= --no-restrict --explain'
        [[ $2 = serve ]] || echo --to=
        [[ $2 = translate ]] || echo "--resources= --define-group=
            --events= --initially="
        ;;
    rset-match)
        echo "$request $filters --feasible --when --explain --batch= --count=
            --aggregate --zero --validate --strict --expand $times --store= $document"
        ;;
    rset-alloc)
        echo "$(_rset_alloc_options "$2" "$request") --store= --wait=
            --keep-history= $document"
        [[ $2 = save || $2 = history || $2 = serve ]] ||
            echo '--expand --expect-jobs'
        ;;
    rset-diff)
        echo "--union --intersect --subtract --xor --disjoint --attach=
            --unlink= --expand= --patch --apply= --verify= --allow= --no-extra --audit
            --responses --by= --remap --rerank= --in-place $document"
        ;;
    idset)
        echo "-H --hostlist --from= --loose --max= -l --lines --multi
            --pad-each --limit= -x --exclude= -i --intersection= -X --xor=
            --complement= --sort --uniq --head= --tail= --nth= --pick=
            --seed= -f --fold -b --brackets -e --expand -S --separator=
            -0 --null --to= -c --count --first --last --next= --prev=
            --index= --split= --contiguous --equal= --contains= --within=
            --overlaps= --empty $common"
        ;;
    esac
}

_rset_alloc_options() { # COMMAND REQUEST
    local give="$2 --explain --take= --R= -w --write= --now="
    local terms='--duration= -t --time-limit= --at= --earliest --expiration=
        --owner= --grow --if-same --stage'
    local part='--R= --give= --targets= --units= --type=' place=--in-place
    local table='--columns= --sort= --no-header'
    local bounds='--include= --exclude= --property= --requires= --constraint='
    local serve='--provider= --resources= --group= --kvs= --limit=
        --queue-policy= --log-level='

    case $1 in
    allocate) echo "$give $terms $place" ;;
    grow) echo "$give $place" ;;
    release) echo "$part --all $place" ;;
    shrink) echo "$part $place" ;;
    extend) echo "--now= --expiration= --duration= -t --time-limit= $place" ;;
    allocated) echo '--held --now=' ;;
    available) echo '--now= --at= --any-state' ;;
    expire) echo "--now= $place" ;;
    jobs) echo "--now= --owner= --job= --job-state= $bounds $table --watch" ;;
    status) echo --now= --map --by= --watch ;;
    timeline) echo --now= --by= --watch ;;
    down | drain | state) echo "--now= --reason= $place" ;;
    batch) echo "--now= --save= --no-R --group-commit $place" ;;
    save) echo --changed ;;
    serve)
        echo "$serve --now= --slot-scope= --granule= --policy= --node-exclusive"
        ;;
    commit | abort | up | undrain | exclusive | unexclusive | tag | untag | property) echo "$place" ;;
    history) echo "$table" ;;
    check | load) ;;
    *) echo "$give $terms ${part#--R= } --all --held --any-state --reason=
        --save= --no-R --group-commit --changed --job= --job-state=
        --map --by= --watch $table $serve $place" ;;
    esac
}

# Short options that take an argument.
_rset_short() { # PROGRAM
    case $1 in
    rset-match) echo Nncgto ;;
    rset-alloc) echo Nncgtow ;;
    rset-discover | rset-diff) echo o ;;
    idset) echo xiXS ;;
    esac
}

# Does the next word belong to this option?
_rset_takes() { # PROGRAM WORD
    local options
    options=$(_rset_options "$1")
    case $2 in
    --*=*) return 1 ;;
    --*) [[ " ${options//$'\n'/ } " == *" $2= "* ]] ;;
    -?) [[ $(_rset_short "$1") == *"${2#-}"* ]] ;;
    *) return 1 ;;
    esac
}

_rset_words() { # WORDS CURRENT
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_rset_files() { # CURRENT
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_rset_folders() { # CURRENT
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$1")
}

_rset_argument() { # PROGRAM OPTION CURRENT
    case $2 in
    -o | --output)
        _rset_words 'r jgf rv1 rv1-compact jgf-compact short tree dot
            hosts ranks json' "$3"
        ;;
    --trust) _rset_words 'execution graph' "$3" ;;
    --subsystem) _rset_words 'containment power network' "$3" ;;
    --by)
        case $1:${before[0]-} in
        rset-alloc:timeline) _rset_words 'node job' "$3" ;;
        rset-alloc:*) _rset_words 'node core gpu' "$3" ;;
        *) _rset_words 'rank host' "$3" ;;
        esac
        ;;
    --dialect)
        local dialects='seed current'
        [ "$1:${before[0]-}" != rset-alloc:serve ] || dialects+=' auto'
        _rset_words "$dialects" "$3"
        ;;
    --queue-policy) _rset_words fcfs "$3" ;;
    --log-level) _rset_words 'error warning info debug' "$3" ;;
    --kvs) _rset_folders "$3" ;;
    --slot-scope) _rset_words 'node parent' "$3" ;;
    --granule) _rset_words 'unit pool' "$3" ;;
    --policy)
        _rset_words 'first low lonode high hinode best-fit worst-fit
            locality variation' "$3"
        ;;
    -w | --write | --R | --save | --store | --batch | --jobspec | --xml | --apply | \
        --verify | --expand | --resources | --config | --events)
        _rset_files "$3"
        ;;
    --initially) _rset_words 'online offline' "$3" ;;
    --now | --at) _rset_words now "$3" ;;
    --expiration) _rset_words never "$3" ;;
    --from | --to)
        local forms='idset list cpulist step mask taskset json range'
        [ "$1" = idset ] || forms='seed current'
        [ "$1:$2" != rset-discover:--from ] || forms=slurm
        _rset_words "$forms" "$3"
        ;;
    -x | -i | -X | --exclude | --intersection | --xor | --complement | \
        --index | --equal | --contains | --within | --overlaps)
        _rset_set "$1" "$3"
        ;;
    --count | --type) _rset_list 'node core gpu' "$3" ;;
    --types)
        _rset_list 'node group die socket numa l1cache l2cache l3cache l4cache
            l5cache core pu memory gpu nic storage' "$3"
        ;;
    --state) _rset_list 'up down degraded failing unknown none' "$3" ;;
    esac
}

# The last of several words with commas between them.
_rset_list() { # WORDS CURRENT
    local before=''
    [[ $2 != *,* ]] || before=${2%,*},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${2##*,}")
}

# A set of idset's may be a file.
_rset_set() { # PROGRAM CURRENT
    [[ $1 = idset && $2 = @* ]] || return
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -P @ -f -- "${2#@}")
}

# A command, then what it is about, then what becomes of that, then a file.
_rset_alloc_operand() { # CURRENT
    case ${#before[@]}:${before[0]-} in
    0:)
        _rset_words 'allocate grow commit abort release shrink extend expire
            allocated available jobs status timeline up down drain undrain state tag
            untag property exclusive unexclusive check batch load save
            history serve' "$1"
        ;;
    1:expire | 1:available | 1:jobs | 1:timeline | 1:batch | 1:load | *:check)
        _rset_files "$1"
        ;;
    2:state) _rset_words 'up down degraded failing unknown none' "$1" ;;
    2:expire | 2:available | 2:jobs | 2:timeline | 2:tag | 2:untag | 2:property | 2:load | \
        *:save | *:history | *:serve) ;;
    2:* | 3:state | 3:tag | 3:untag | 3:property) _rset_files "$1" ;;
    esac
}

# The operand at hand, of which `before` are those before it.
_rset_operand() { # PROGRAM CURRENT
    case $1 in
    rset-match | rset-diff) _rset_files "$2" ;;
    idset) _rset_set "$1" "$2" ;;
    rset-alloc) _rset_alloc_operand "$2" ;;
    rset-discover)
        if [[ " ${COMP_WORDS[*]}" = *' --from'* ]]; then
            _rset_files "$2"
        elif [ ${#before[@]} = 0 ]; then
            _rset_words 'serve translate' "$2"
        fi
        ;;
    esac
}

_rset() {
    local program=${1##*/} word pending='' only='' i
    local current=${COMP_WORDS[COMP_CWORD]}
    local -a before=()
    COMPREPLY=()

    # Readline makes `--option`, `=` and `value` of `--option=value`.
    [ "$current" != = ] || current=''
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [ "$word" = = ]; then
            continue
        elif [ -n "$pending" ]; then
            pending=''
        elif [ -z "$only" ] && [ "$word" = -- ]; then
            only=yes
        elif [ -z "$only" ] && [[ $word = -?* ]]; then
            ! _rset_takes "$program" "$word" || pending=$word
        else
            before+=("$word")
        fi
    done

    if [ -n "$pending" ]; then
        _rset_argument "$program" "$pending" "$current"
    elif [ -z "$only" ] && [[ $current = --*=* ]]; then
        _rset_argument "$program" "${current%%=*}" "${current#*=}"
    elif [ -z "$only" ] && [[ $current = -* ]]; then
        _rset_words "$(_rset_options "$program" "${before[0]-}")" "$current"
        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    else
        _rset_operand "$program" "$current"
    fi
    return 0
}

complete -F _rset rset-discover rset-match rset-alloc rset-diff idset
