# What lies beside a store: the locks and the log, and whose they are.

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    rset-discover --hosts 'node[0-3]' --cores 0-3 |
        rset-alloc load --store state.db
}

# plain COMMAND...: as a user who may not write where the mode says so, which
# root may unless it gives that up.
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

@test "who may only read needs the log, or to make it" {
    plain true || skip 'setpriv can not take rights of root away'
    chmod a-w state.db .
    refused "rset-match: state.db: its log is not there: to read it the\
 directory must be writable" plain rset-match --count node --store state.db
    for command in 'drain 0' 'save' 'batch /dev/null'; do
        # shellcheck disable=SC2086
        refused "rset-alloc: state.db: it can't be written" \
            plain rset-alloc $command --store state.db
    done
    same "$(ls)" state.db
    chmod u+w state.db .
    rset-alloc drain node0 --store state.db
    chmod a-w state.db* .
    same "$(plain rset-match --count node --store state.db)" 4
    run -0 plain rset-alloc status --store state.db
    [[ $output == *'/cluster0/node0: drained'* ]]
    chmod u+w .
}
