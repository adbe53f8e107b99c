# Completion in bash for rset-discover, rset-match, rset-alloc, rset-diff and
# idset. The program on the line is asked what a word can become (rset(7)).

_rset() {
    local line=$COMP_LINE rest word at=0 i kind head tail
    local -a words=() found=()
    COMPREPLY=()

    # Readline breaks words at = and :, they are put together again.
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        rest=${line#"${line%%[! $'\t']*}"} word=${COMP_WORDS[i]}
        if [[ $i = 0 || $rest != "$line" ]]; then
            words+=("$word")
        else
            words[-1]+=$word
        fi
        [ -z "$word" ] || line=${rest#"$word"}
        if [ "$i" = "$COMP_CWORD" ]; then
            at=$((${#words[@]} - 1)) tail=$word
        fi
    done
    [[ $tail != [=:] ]] || tail=''
    head=${words[at]%"$tail"} # what is not to be given again

    mapfile -t found < <("$1" --complete $((at - 1)) "${words[@]:1}" \
        </dev/null 2>/dev/null)
    kind=${found[0]%%$'\t'*}
    for word in "${found[@]:1}"; do
        word=${word%%$'\t'*}
        word=${word#"$head"}
        # Readline quotes for the shell where there are files, and only there
        [[ $kind != words || $word != *[!A-Za-z0-9_./=,:@%+^-]* ]] ||
            printf -v word %q "$word"
        COMPREPLY+=("$word")
    done
    [[ ${#COMPREPLY[@]} != 1 || $word != *= ]] || compopt -o nospace 2>/dev/null
    case $kind in
    files | folders)
        word=${found[0]#*$'\t'} # comes before the name
        kind=${kind%s}
        compopt -o filenames 2>/dev/null
        while IFS= read -r i; do
            i=$word$i
            COMPREPLY+=("${i#"$head"}")
        done < <(compgen -A "${kind/folder/directory}" -- \
            "${words[at]#"$word"}")
        ;;
    esac
    return 0
}

complete -F _rset rset-discover rset-match rset-alloc rset-diff idset
