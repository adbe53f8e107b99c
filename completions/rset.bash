# Completion in bash for rset-discover, rset-match, rset-alloc, rset-diff and
# idset. Asks the program on the line what a word can become; see
# rset-options(7).

_rset() {
    local line=$COMP_LINE rest word at=0 i kind before head
    local -a words=() found=()
    COMPREPLY=()

    # Join words that bash breaks at =, : and @. A completion must not repeat
    # the part of a word that $2 lacks.
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        rest=${line#"${line%%[! $'\t']*}"} word=${COMP_WORDS[i]}
        if [[ $i = 0 || $rest != "$line" ]]; then
            words+=("$word")
        else
            words[-1]+=$word
        fi
        [ -z "$word" ] || line=${rest#"$word"}
        [ "$i" != "$COMP_CWORD" ] || at=$((${#words[@]} - 1))
    done
    head=${words[at]%"$2"}
    words=("${words[@]//[\\\'\"]/}") # without quotes

    mapfile -t found < <("$1" --complete $((at - 1)) "${words[@]:1}" \
        </dev/null 2>/dev/null)
    kind=${found[0]%%$'\t'*} before=${found[0]#*$'\t'}
    for word in "${found[@]:1}"; do
        word=${word%%$'\t'*}
        COMPREPLY+=("${word#"$head"}")
    done
    [[ ${#COMPREPLY[@]} != 1 || $word != *= ]] || compopt -o nospace 2>/dev/null
    if [[ $kind = f* ]]; then # files, or folders
        kind=${kind%s}
        while IFS= read -r word; do
            word=$before$word
            COMPREPLY+=("${word#"$head"}")
        done < <(compgen -A "${kind/folder/directory}" -- \
            "${words[at]#"$before"}")
    fi
    # Readline quotes names of files, except after an @.
    if [[ $kind = f* && $before != *@ ]]; then
        compopt -o filenames 2>/dev/null
        return 0
    fi
    for i in "${!COMPREPLY[@]}"; do
        [[ ${COMPREPLY[i]} != *[!A-Za-z0-9_./=,:@%+^-]* ]] ||
            printf -v "COMPREPLY[i]" %q "${COMPREPLY[i]}"
    done
    return 0
}

complete -F _rset rset-discover rset-match rset-alloc rset-diff idset
