#!/usr/bin/env bats
# rset-alloc: what is given and taken back leaves no trace, and a job's R
# alone brings back what it had; to the byte, in every form of a document.

load common

FORMS='r jgf jgf-compact rv1 rv1-compact'
[ -z "${SAN-}" ] || FORMS='r rv1 rv1-compact' # which takes its time

# The site with other jobs' records, and without any, in every form.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    jq -n -f "$TEST_DIR/fixtures/site.jq" >busy
    jq 'del(.graph.nodes[].metadata |
        (.allocations, .reservations, .shared, .staged))' busy >free
    for form in r jgf jgf-compact rv1 rv1-compact; do
        rset-match -o "$form" busy >"busy.$form" 2>/dev/null
        rset-match -o "$form" free >"free.$form" 2>/dev/null
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
    only=all forms=$FORMS
}

# What can be asked of all of them, and only of one with a graph; the last
# ones of each share what they name, which can't be staged, nor have an end.
requests() {
    local kind
    for kind in units shared; do
        [ "$kind $only" != 'shared units' ] || continue
        "${kind}_of_all"
        [ "$1" = r ] || "${kind}_of_graph"
    done
}

units_of_all() {
    cat <<'END'
-N1
-N2
-n1
-n3 -c2
-n2 -g1
-N2 -n2 -x
-N2 -n4 -c2
-n9
--shape slot/node/core=2
--shape node/slot=2/core=2
--shape slot/node/[core=1;gpu=1]
END
}

shared_of_all() {
    cat <<'END'
--shape node
--shape core=2
--shape node/[core=2;slot/gpu]
END
}

units_of_graph() {
    cat <<'END'
--shape slot/socket
--shape slot/socket/core=1
--shape rack/slot/core=3
--shape slot/memory=20
--shape slot/[core=2;memory=10]
--shape slot/license=4
--shape slot/fpga=1
--shape slot/node/socket/memory=7
--shape slot/pdu=10
--take /cluster0/matlab=3 --take power:/pdu1=7
--take power:/pdu0=400
--take /cluster0/rack0/node1=1
--take /cluster0/rack1/node2/gpu0=1 --take /cluster0/rack0/node0/gpu0=1
--take /cluster0/rack0/node0/socket0/memory0=12
END
}

shared_of_graph() {
    cat <<'END'
--shape license=2
--shape node/fpga=2
--shape pdu=50
END
}

# each FUNCTION [OPTION...]: call it after every request that a set with
# other jobs can grant, in every form: $before is the set, used has the
# records of job 1 with these options. A word of FUNCTION's is a failure.
each() {
    local form request before wrong=
    for form in $forms; do
        before=busy.$form
        while read -r request; do
            # shellcheck disable=SC2086
            rset-alloc allocate 1 $request "${@:2}" "$before" >used || {
                echo "$form: $request ${*:2}: not granted"
                return 1
            }
            wrong+=$("$1" 2>&1 | sed "s|^|$form: $request ${*:2}: |")
        done < <(requests "$form")
    done
    same "$wrong" ''
}

# is_back FILE TEXT
is_back() {
    cmp -s "$1" "$before" || echo "$2: not what it was"
}

# rest_is_back TEXT: release what job 1 still has in the file part, if any.
rest_is_back() {
    rset-alloc check part
    rset-alloc release 1 part >back 2>/dev/null || cp part back
    is_back back "$1"
}

# --- allocate and release ---------------------------------------------------

released() {
    rset-alloc check used
    rset-alloc release 1 used >back
    is_back back release
}

@test "allocate and release: the bytes come back" {
    each released
}

@test "allocate at a time and release: the bytes come back" {
    only=units
    each released --now 1000 --duration 60 --owner bob
    each released --now 1000 --at 2000 --duration 60
}

staged() {
    rset-alloc abort 1 used >back
    is_back back abort
    rset-alloc commit 1 used >committed
    rset-alloc check committed
    rset-alloc release 1 committed >back
    is_back back 'commit and release'
}

@test "stage and abort, stage, commit and release: the bytes come back" {
    only=units
    each staged --stage
    each staged --stage --now 1000 --at 1500 --expiration 1600
}

# --- in parts ---------------------------------------------------------------

parts() {
    local targets type
    rset-alloc allocated 1 used >R
    rset-alloc release 1 --R R used >back
    is_back back 'release --R'
    for targets in 0 1 2,4; do
        rset-alloc release 1 --targets "$targets" used >part 2>/dev/null ||
            continue
        rest_is_back "release --targets $targets"
    done
    for type in core node memory license pdu; do
        rset-alloc release 1 --units 1 --type "$type" used >part 2>/dev/null ||
            continue
        rest_is_back "release --units 1 --type $type"
    done
}

@test "release in two parts: the bytes come back" {
    forms='r jgf-compact rv1'
    each parts
}

grown() {
    local more
    for more in -n1 '-n2 -c2' -N1; do
        # shellcheck disable=SC2086
        rset-alloc allocate 2 $more -w R used >/dev/null 2>&1 || continue
        rset-alloc grow 1 --R R used >grown
        rset-alloc check grown
        rset-alloc release 1 grown >back
        is_back back "grow $more and release"
        rset-alloc shrink 1 --R R grown >back
        cmp -s back used || echo "grow and shrink $more: not what it was"
    done
}

# Of what a job shares it can be told no more when it comes to hold it.
@test "grow and shrink: the bytes come back" {
    only=units forms='r jgf-compact rv1'
    each grown
}

# --- a job's R --------------------------------------------------------------

# restores FILE TEXT [OPTION...]: recorded anew it is the same ledger.
restores() {
    rset-alloc allocate 1 --R "$1" --now 1000 "${@:3}" "$before" >again || true
    cmp -s again used || echo "$2: another ledger"
}

# Forms that have all of it: only a graph knows sockets, and a graph alone
# knows no times.
restored() {
    local o
    rset-alloc allocated 1 used >R
    restores R allocated
    for o in rv1-compact jgf; do
        rset-alloc allocated 1 -o "$o" used >R
        restores R "allocated -o $o"
    done
}

@test "a job's R alone, recorded anew, is the same ledger" {
    each restored
}

restored_with_times() {
    local form=${before#busy.} o
    # shellcheck disable=SC2086
    for o in rv1 ${form##*jgf*}; do
        rset-alloc allocated 1 -o "$o" used >R
        restores R "allocated -o $o"
    done
}

@test "a job's R alone, with its times, is the same ledger" {
    only=units
    each restored_with_times --now 1000 --duration 60
    each restored_with_times --now 1000 --at 2000 --duration 60
}

@test "a plain R alone restores what it can name in a graph" {
    for request in -N1 '-N2 -n2 -x' '-n3 -c2' '-n2 -g1' '--shape node' \
        '--shape core=2' '--shape slot/node/core=2' \
        '--shape node/[core=2;slot/gpu]'; do
        # shellcheck disable=SC2086
        rset-alloc allocate 1 $request --now 5 --duration 9 -w R -o rv1 \
            free.rv1 >used
        rset-match -o r R >plain
        rset-alloc allocate 1 --R plain --now 5 free.rv1 | cmp - used
    done
}

# What was listed is not told apart in it, but all that is blocked is.
held() {
    rset-alloc allocated 1 --held used >R
    rset-alloc allocate 1 --R R "$before" >again
    rset-alloc check again
    rset-alloc allocated 1 --held again | cmp - R
    cmp <(rset-alloc available again) <(rset-alloc available used)
    # and but for that it is the same
    cmp <(rset-match -o tree again) <(rset-match -o tree used)
}

@test "a job's R with all that it holds blocks the same" {
    each held
}

@test "-w writes the R that allocated writes" {
    for form in $FORMS; do
        rset-alloc allocate 1 -N2 -n4 -c2 --now 5 --duration 9 -w R \
            "busy.$form" >used
        rset-alloc allocated 1 used | cmp - R
    done
}

# --- many jobs --------------------------------------------------------------

# fill FORM: jobs of all kinds, one after the other, each with its R.
fill() {
    local job=0 request when
    rm -f R.*
    cp "free.$1" full
    while read -r request; do
        job=$((job + 1))
        case $((job % 3)) in
        0) when='--now 1000 --at 1500 --duration 100' ;;
        1) when='' ;;
        2) when='--now 1000 --duration 100' ;;
        esac
        # shellcheck disable=SC2086
        rset-alloc allocate $job $request $when full >next 2>/dev/null ||
            continue
        mv next full
        rset-alloc allocated $job -o "$2" full >"R.$job"
    done < <(requests "$1" | if [ "$3" = upward ]; then cat; else tac; fi)
}

@test "several jobs: the inventory and their Rs are the whole document" {
    for form in r jgf rv1-compact; do
        for order in upward downward; do
            for written in rv1 rv1-compact; do
                fill "$form" "$written" "$order"
                set -- R.*
                [ $# -ge 4 ]
                cp "free.$form" again
                for R in $(printf '%s\n' "$@" | sort -t. -k2n); do
                    rset-alloc allocate "${R#R.}" --R "$R" --now 1000 \
                        again >next
                    mv next again
                done
                cmp again full
            done
        done
    done
}

@test "several jobs: released in any order, nothing is left" {
    for form in r jgf-compact rv1; do
        fill "$form" rv1 downward
        for order in -n -rn -k1.2; do
            cp full again
            for R in $(printf '%s\n' R.* | sed s/R.// | sort "$order"); do
                rset-alloc release "$R" again >next
                mv next again
            done
            cmp again "free.$form"
        done
    done
}
