# Loaded by every bats file: the programs under test come first in PATH.
#
# RSET_BIN=DIR tests the programs in DIR (installed ones, say) instead of
# those that were just built in build/. SAN is not empty when these were
# built with sanitizers: limits of memory and time mean nothing then.

bats_require_minimum_version 1.5.0

TEST_DIR=$BATS_TEST_DIRNAME
TOP=${TEST_DIR%/*}
RSET_BIN=$(cd "${RSET_BIN:-$TOP/build}" && pwd) || {
    echo 'no programs to test: "make" builds them' >&2
    return 1
}
PATH=$RSET_BIN:$PATH
export TEST_DIR TOP RSET_BIN PATH LC_ALL=C

# A directory of its own for each test, with short names in messages.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# refused MESSAGE COMMAND...: status 2, nothing on standard output, and
# exactly the one line MESSAGE on standard error.
refused() {
    local want=$1
    shift
    run -2 --separate-stderr "$@"
    if [ -n "$output" ] || [ "$stderr" != "$want" ]; then
        printf 'stdout: %s\nstderr: %s\nwanted: %s\n' \
            "$output" "$stderr" "$want"
        return 1
    fi
}

# quickly COMMAND...: without what bats does before each command of a test,
# for what takes thousands of them. A status that is not 0 does not end it.
quickly() {
    (
        trap - DEBUG ERR
        set +eET
        "$@"
    )
}

# same COMMAND-OUTPUT EXPECTED: compare to the byte, show the difference.
same() {
    diff <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}
