# Files beside a store: locks and log, their owners and modes.

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    rset-discover --hosts 'node[0-3]' --cores 0-3 >state.json
    rset-alloc load --store state.db state.json
}

# plain COMMAND...: run as a user who may not write against the mode; root gives
# that right up.
plain() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --bounding-set -dac_override,-dac_read_search "$@"
    else
        "$@"
    fi
}

@test "a store has one lock by whatever name it is known" {
    ln -s state.db link.db
    rset-alloc allocate 1 -N1 --store link.db
    [ ! -e link.db-lease ]
    refused 'rset-alloc: link.db: another process has the lease of the writer' \
        flock state.db-lease rset-alloc release 1 --store link.db
    rset-alloc release 1 --store link.db
}

@test "the files beside a store have its mode" {
    chmod 660 state.db
    (umask 077 && rset-alloc drain node3 --store state.db)
    same "$(stat -c %a state.db*)" $'660\n660\n660\n660'
    chmod 640 state.db
    rset-alloc undrain node3 --store state.db
    same "$(stat -c %a state.db-lease)" 640
}

@test "a user who may only read needs the log, or the right to create it" {
    plain true || skip 'setpriv can not take rights of root away'
    chmod a-w state.db .
    refused "rset-match: state.db: its log is missing: to read the store, the\
 directory must be writable" plain rset-match --count node --store state.db
    for command in 'drain 0' 'save' 'batch /dev/null'; do
        # shellcheck disable=SC2086
        refused "rset-alloc: state.db: it can't be written" \
            plain rset-alloc $command --store state.db
    done
    same "$(ls)" $'state.db\nstate.json'
    chmod u+w state.db .
    rset-alloc drain node0 --store state.db
    chmod a-w state.db* .
    same "$(plain rset-match --count node --store state.db)" 4
    run -0 plain rset-alloc status --store state.db
    [[ $output == *'/cluster0/node0: drained'* ]]
    chmod u+w .
    rm state.db-shm
    chmod a-w .
    refused "rset-match: state.db: its index of the log is missing or can't be\
 read: to make it, the directory must be writable" \
        plain rset-match --count node --store state.db
    chmod u+w .
}

@test "a store may have a name that SQLite would not take for a file" {
    for name in :memory: file:a 'a?mode=memory' -x; do
        rset-alloc load --store="$name" state.json
        rset-alloc allocate 1 -N1 -o hosts --store="$name"
        rset-alloc serve --resources state.json --store="$name" </dev/null
        same "$(rset-match -N3 -o hosts --store="$name")" 'node[1-3]'
        rset-alloc check --store="$name"
        [ -e "./$name-lease" ]
    done
}

@test "a copy that SQLite made is used at once" {
    rset-discover --hosts 'n[0-1]' --cores 0-3 |
        rset-alloc load --store one.db
    sqlite3 one.db "VACUUM INTO 'copy.db'"
    rset-alloc allocate 1 -n1 --store copy.db
    rset-alloc check --store copy.db
}

# --- removed while open ---------------------------------------------------

# ask LINE: send a command to the batch, or a request; $answer has its answer.
ask() {
    echo "$1" >&4
    read -r answer <&5
}

# talk_to COMMAND...: start COMMAND with pipes as standard streams.
talk_to() {
    rm -f asks answers
    mkfifo asks answers
    "$@" <asks >answers 2>said 3>&- &
    exec 4>asks 5<answers
}

# Each removal ends with the name of the missing file.
removals=(
    'rm state.db*' state.db
    'rm state.db' state.db
    'mv state.db other.db' state.db
    'mkdir old; mv state.db* old; rset-alloc load --store state.db r.json'
    state.db
    'cp state.db copy; mv copy state.db' state.db
    'rm state.db-wal' state.db-wal
    'rm state.db-shm' state.db-shm
    'rm state.db-lease; touch state.db-lease' state.db-lease
)

# misses NAME STATUS: print the message of a program that ends with STATUS.
misses() {
    same "$2 $(<said)" "2 rset-alloc: state.db: $1 was removed, renamed or replaced while the store was open: the last changes may be lost"
}

# each_removal COMMAND...: run for each removal and its missing file.
each_removal() {
    local i
    rset-discover --hosts 'node[0-3]' --cores 0-3 >r.json
    for ((i = 0; i < ${#removals[@]}; i += 2)); do
        rm -rf state.db* other.db old
        rset-alloc load --store state.db r.json
        "${@}" "${removals[i]}" "${removals[i + 1]}" || return 1
    done
}

# remove_from_batch OPTION REMOVAL NAME
remove_from_batch() {
    local status=0
    talk_to rset-alloc batch - --store state.db --no-R "$1"
    ask 'allocate 1 -n1'
    same "$answer" '{"command":"allocate","job":"1","status":0}' || return 1
    eval "$2"
    echo 'allocate 2 -n1' >&4
    cat <&5 >rest
    exec 4>&- 5<&-
    wait $! || status=$?
    if [ "$1" = --group-commit ]; then # there is no answer
        same "$(<rest)" '' || return 1
        misses "$3" $status
    else
        same "$status $(jq -r .status rest)" '2 2' || return 1
        [[ $(jq -r .error rest) = *": $3 was removed, renamed or replaced"* ]]
    fi
}

@test "a batch gives nothing away when its store was removed or replaced" {
    each_removal remove_from_batch --now=1
    each_removal remove_from_batch --group-commit
}

# request ID: print a request of a core to a scheduler.
request() {
    jq -nc --argjson id "$1" '{topic: "sched.alloc", matchtag: 0, payload: {
        id: $id, priority: 9, userid: 5, jobspec: {version: 1, resources: [
            {type: "slot", count: 1, label: "s", with: [
                {type: "core", count: 1}]}],
        tasks: [{command: ["a"], slot: "s", count: {per_slot: 1}}],
        attributes: {system: {duration: 0}}}}}'
}

# remove_from_service REMOVAL NAME
remove_from_service() {
    local status=0
    talk_to rset-alloc serve --store state.db --resources r.json
    ask '{"topic":"job-manager.sched-hello","matchtag":1,"errnum":61}'
    ask '{"topic":"job-manager.sched-ready","matchtag":2,"payload":{"count":0}}'
    ask "$(request 7)"
    [[ $answer = *'"id":7'* ]] || { echo "$answer"; return 1; }
    eval "$1"
    request 8 >&4
    cat <&5 >rest
    exec 4>&- 5<&-
    wait $! || status=$?
    misses "$2" $status || return 1
    run -1 grep '"id":8' rest
}

@test "a service gives nothing away when its store was removed or replaced" {
    each_removal remove_from_service
}

@test "a link to another store is noticed, another name is accepted" {
    local status=0
    rset-match --store state.db >r.json
    ln -s state.db link
    talk_to rset-alloc batch - --store link --no-R
    ask 'allocate 1 -n1'
    ln state.db-wal name
    ask 'allocate 2 -n1'
    same "$answer" '{"command":"allocate","job":"2","status":0}'
    rset-alloc load --store other.db r.json
    ln -sf other.db link
    ask 'allocate 3 -n1'
    [[ $answer = *'"error":"link: link was removed, renamed or replaced'* ]]
    exec 4>&- 5<&-
    wait $! || status=$?
    same $status 2
}
