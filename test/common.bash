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
# No time depends on where it is asked, but for one without a zone.
export TEST_DIR TOP RSET_BIN PATH LC_ALL=C TZ=EST5EDT,M3.2.0,M11.1.0

# A launcher that runs the tests gives its rank to what they discover; and the
# clock is the system's.
unset RSET_NOW OMPI_COMM_WORLD_RANK PMIX_RANK FLUX_TASK_RANK SLURM_NODEID

# Before each command of a test bats notes where it stands, to tell where a
# test failed; that is most of what tests cost. It is enough to note it when a
# command fails. (Two functions of bats, up to 1.12 and as far as they go.)
if declare -F bats_check_status_from_trap bats_capture_stack_trace \
    >/dev/null; then
    bats_debug_trap() {
        trap - DEBUG
    }
    bats_error_trap() {
        bats_check_status_from_trap
        bats_capture_stack_trace
        # shellcheck disable=SC2034 # read by bats
        BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
    }
fi

# A directory of its own for each test, with short names in messages.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# needs THING...: skip a test where there is no such command or file, or no
# terminal (`pty`) to be had.
needs() {
    local thing
    for thing; do
        case $thing in
        /*) [ -e "$thing" ] ;;
        pty) script -qec true /dev/null >/dev/null 2>&1 ;;
        *) command -v "$thing" >/dev/null ;;
        esac || skip "there is no $thing"
    done
}

# refused MESSAGE COMMAND...: status 2, nothing on standard output, and
# exactly the one line MESSAGE on standard error.
refused() {
    local want=$1 flags=$- file=$BATS_TEST_TMPDIR.stderr
    shift
    # as `run` does it, without a temporary file made by a process each time
    set +eET
    output=$("$@" 2>"$file") && status=0 || status=$?
    set "-$flags"
    IFS= read -r -d '' stderr <"$file" || true
    stderr=${stderr%$'\n'}
    if [ "$status" != 2 ] || [ -n "$output" ] || [ "$stderr" != "$want" ]; then
        printf 'status: %s\nstdout: %s\nstderr: %s\nwanted: %s\n' \
            "$status" "$output" "$stderr" "$want"
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

# start COMMAND...: a service that goes on, to be written to by >&4.
start() {
    mkfifo lines
    "$@" <lines >out 2>err 3>&- &
    pid=$!
    exec 4>lines
}

# ends STATUS: so it does, when nobody writes to it any more.
ends() {
    local status=0
    exec 4>&-
    wait "$pid" || status=$?
    [ $status = "$1" ]
}

# wait_lines N FILE: until there are so many. The limit is only for a failure.
wait_lines() {
    for _ in {1..30000}; do
        [ "$(wc -l <"$2")" -lt "$1" ] || return 0
        sleep 0.02
    done
    return 1
}

# same COMMAND-OUTPUT EXPECTED: compare to the byte, show the difference.
same() {
    diff <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}
