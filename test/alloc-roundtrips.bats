#!/usr/bin/env bats
# rset-alloc: allocate and release restore the bytes, and a job's R alone
# restores what the job had, in every form of a document.
#
# unit/test_roundtrips tries these laws with every request and form. These tests
# run the programs, in pipes and in batches.

load common

FORMS='r jgf jgf-compact rv1 rv1-compact'

# A site with records of other jobs, in every form.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    for form in $FORMS; do
        rset-match -o "$form" "$TEST_DIR/fixtures/site.json" 2>/dev/null \
            >"busy.$form"
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

# Requests for all forms, and requests for graphs only.
requests() { # FORM
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
--shape node
--shape core=2
--shape node/[core=2;slot/gpu]
END
    [ "$1" = r ] || cat <<'END'
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
--shape license=2
--shape node/fpga=2
--shape pdu=50
END
}

# in_a_batch FORM [LINE...]: allocate each request to job 1, run one of the
# lines after each, and release the rest. Each allocation succeeds, and the
# bytes come back.
in_a_batch() {
    local form=$1 request line
    shift
    while read -r request; do
        for line; do
            printf '%s\n' "allocate 1 $request" "$line" 'release 1'
        done
    done < <(requests "$form") >lines
    rset-alloc batch lines --no-R --now 1000 --save back "busy.$form" >answers
    cmp back "busy.$form"
    if grep allocate answers | grep -v '"status":0'; then
        echo "$form: not granted"
        return 1
    fi
}

@test "allocate and release, in a batch: the bytes come back" {
    for form in $FORMS; do
        in_a_batch "$form" ''
    done
}

@test "release in two parts, in a batch: the bytes come back" {
    for form in $FORMS; do
        in_a_batch "$form" 'release 1 --targets 0' 'release 1 --targets 1' \
            'release 1 --targets 2,4' \
            'release 1 --give /cluster0/node0/core2=1' \
            'release 1 --give /cluster0/node1/core0=1' \
            'release 1 --give /cluster0/rack0/node0/socket1/core2=1' \
            'release 1 --give /cluster0/rack0/node1/socket0/core0=1' \
            'release 1 --give /cluster0/rack0/node1=1' \
            'release 1 --give /cluster0/rack0/node0/socket0/memory0=1' \
            'release 1 --give /cluster0/rack0/node1/socket0/memory0=1' \
            'release 1 --give /cluster0/matlab=1' \
            'release 1 --give power:/pdu0=1'
    done
}

@test "from process to process: allocate, release, stage, abort, commit" {
    for form in $FORMS; do
        before=busy.$form
        rset-alloc allocate 1 -N2 -n4 -c2 --now 5 --at 9 --duration 9 \
            --owner bob "$before" >used
        rset-alloc check used
        rset-alloc release 1 used | cmp - "$before"
        rset-alloc allocate 1 -n3 -c2 --stage "$before" >staged
        rset-alloc abort 1 staged | cmp - "$before"
        rset-alloc commit 1 staged >committed
        rset-alloc check committed
        rset-alloc release 1 committed | cmp - "$before"
    done
}

@test "in parts, from process to process" {
    for form in $FORMS; do
        before=busy.$form
        rset-alloc allocate 1 -n3 -c2 "$before" >used
        rset-alloc allocated 1 used | rset-match -n1 >one
        for part in '--targets 0' '--R one'; do
            # shellcheck disable=SC2086
            rset-alloc release 1 $part used >part
            rset-alloc check part
            rset-alloc release 1 part | cmp - "$before"
        done
        rset-alloc allocate 2 -n1 -w R used >/dev/null
        rset-alloc grow 1 --R R used >grown
        rset-alloc check grown
        rset-alloc shrink 1 --R R grown | cmp - used
        rset-alloc release 1 grown | cmp - "$before"
    done
}

@test "a job's R alone restores what it had: -w, allocated" {
    for form in $FORMS; do
        before=busy.$form
        rset-alloc allocate 1 -N2 -n4 -c2 --now 5 --duration 9 -w R \
            "$before" >used
        rset-alloc allocated 1 used | cmp - R
        rset-alloc allocated 1 -o rv1 used >R
        rset-alloc allocate 1 --R R --now 1000 "$before" | cmp - used
        rset-alloc release 1 --R R used | cmp - "$before"
        rset-alloc allocated 1 --held used >R
        rset-alloc allocate 1 --R R "$before" >again
        rset-alloc allocated 1 --held again | cmp - R
        cmp <(rset-alloc available again) <(rset-alloc available used)
    done
}
