#!/usr/bin/env bats
# Messages of the programs: a test expects each of them, in messages.txt if no
# other does.

load common

# r and g FILTER, v: validate a set whose text is changed.
r() {
    rset-match --validate --strict <<<"${changed["r $1"]}"
}
g() {
    rset-match --validate --strict <<<"${changed["g $1"]}"
}

# change NAME: make the changed sets of messages.txt with one run of jq.
change() {
    local i asked texts
    mapfile -t asked < <(sed -n "s/^$1 '\([^']*\)' => .*/\1/p" \
        "$TEST_DIR/messages.txt")
    mapfile -t texts < <(jq -c "empty$(printf ', (%s)' "${asked[@]}")" "$1.json")
    [ ${#asked[@]} = ${#texts[@]} ] || return 1
    for i in "${!asked[@]}"; do
        changed["$1 ${asked[i]}"]=${texts[i]}
    done
}
v() {
    rset-match --validate --strict <<<"$1"
}

# c POOLS: make a set of a configuration.
c() {
    rset-discover --config - <<<"{\"resources\":$1}"
}

# says COMMAND LINE: run COMMAND in a directory of its own with the two sets. It
# writes LINE among others.
says() {
    mkdir "$3"
    ln r.json g.json "$3"
    (cd "$3" && eval "$1") >"$3/said" 2>&1 </dev/null || true
    [[ $'\n'$(<"$3/said")$'\n' == *$'\n'"$2"$'\n'* ]] || {
        printf 'command: %s\nwanted: %s\nsaid: %s\n' "$1" "$2" "$(<"$3/said")"
        return 1
    }
}

@test "a test expects each message" {
    run "$TEST_DIR/messages"
    same "$output" ''
    [ "$status" = 0 ]
}

each_says() {
    local line n=0 failed=0
    local -A changed=()
    change r && change g || return 1
    while IFS= read -r line; do
        case $line in
        '' | '#'* | '- '*) ;;
        *) says "${line% => *}" "${line##* => }" $((++n)) || failed=1 ;;
        esac
    done <"$TEST_DIR/messages.txt"
    return $failed
}

@test "the commands of messages.txt print the messages there" {
    rset-discover --hosts 'n[0-3]' --cores 0-3 --gpus 0-1 >r.json
    rset-discover --hosts 'n[0-1]' --cores 0-1 --memory 4GiB -o jgf >g.json
    quickly each_says
}
