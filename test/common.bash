# Loaded by every bats file. Puts the programs under test first in PATH.
#
# RSET_BIN=DIR tests the programs in DIR (installed ones, for example) instead
# of the new ones in build/. SAN is not empty if the programs were built with
# sanitizers: then tests check no limits of memory and time.

bats_require_minimum_version 1.5.0

TEST_DIR=$BATS_TEST_DIRNAME
TOP=${TEST_DIR%/*}
RSET_BIN=$(cd "${RSET_BIN:-$TOP/build}" && pwd) || {
    echo 'no programs to test: "make" builds them' >&2
    return 1
}
PATH=$RSET_BIN:$PATH
# pkg-config may find a flux-core that is not in PATH.
if [ -x "$RSET_BIN/flux-rset" ] && ! command -v flux >/dev/null; then
    PATH=$PATH:$(pkg-config --variable=prefix flux-core)/bin
fi
# The zone matters only for times that are written without one.
export TEST_DIR TOP RSET_BIN PATH LC_ALL=C TZ=EST5EDT,M3.2.0,M11.1.0

# programs: print the names of the programs that are always built.
programs() {
    local folder
    for folder in "$TOP"/cmd/*; do
        case ${folder##*/} in
        sched-rset | flux-rset) ;; # they need flux-core
        *) echo "${folder##*/}" ;;
        esac
    done
}

# Remove what would change answers: the rank from a launcher that runs the
# tests, another clock, and settings of the terminal.
unset RSET_NOW OMPI_COMM_WORLD_RANK PMIX_RANK FLUX_TASK_RANK SLURM_NODEID \
    SLURMD_NODENAME COLUMNS LINES NO_COLOR POSIXLY_CORRECT POSIX_ME_HARDER

# Bats notes its position before each command of a test, to report where a test
# failed. This is most of the cost of a test. Noting it when a command fails is
# enough. (Replaces two functions of bats, in versions up to 1.12.)
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

# Bats starts a new shell for each test, which reads bats and the whole file
# again. A subshell of this shell costs a tenth. Later versions pass the names
# of tests in another way, and keep their own runner.
case ${BATS_VERSION-} in
1.[7-9].* | 1.10.*)
    # shellcheck disable=SC2034,SC2181 # a test would not end in a condition
    bats_run_tests() {
        local i n=$BATS_FILE_FIRST_TEST_NUMBER_IN_SUITE dirs=()
        for i in "${!tests_to_run[@]}"; do
            dirs+=("$BATS_RUN_TMPDIR/test/$((n + i + 1))")
        done
        mkdir -p "${dirs[@]}"
        bats_exec_file_status=0
        trap - DEBUG ERR
        set +e
        for i in "${!tests_to_run[@]}"; do
            [ -z "${BATS_INTERRUPTED+yes}" ] || break
            (run_test "${tests_to_run[i]}" $((n + i + 1)))
            [ $? = 0 ] || bats_exec_file_status=1
        done
        set -e
    }
    ;;
esac

# shellcheck disable=SC2034 # read by bats
run_test() { # NAME NUMBER
    export BATS_TEST_NAME=$1 BATS_SUITE_TEST_NUMBER=$2
    export BATS_TEST_TMPDIR=$BATS_RUN_TMPDIR/test/$2
    BATS_OUT=$BATS_TEST_TMPDIR.out
    BATS_TEST_COMPLETED='' BATS_TEST_SKIPPED='' BATS_ERROR_STATUS=''
    BATS_DEBUG_LAST_STACK_TRACE=()
    trap end_test EXIT
    trap bats_interrupt_trap INT
    trap bats_error_trap ERR
    set -e
    "$1" >"$BATS_OUT" 2>&1 4>&1
    BATS_TEST_COMPLETED=1
}

end_test() {
    bats_check_status_from_trap
    trap - ERR EXIT
    set +e
    if ! teardown >>"$BATS_OUT" 2>&1; then
        BATS_TEST_COMPLETED=''
    fi
    local result="$BATS_SUITE_TEST_NUMBER $BATS_TEST_DESCRIPTION"
    if [ "$BATS_TEST_COMPLETED" ]; then
        echo "ok $result${BATS_TEST_SKIPPED:+ # skip ${BATS_TEST_SKIPPED#1}}" >&3
        exit 0
    fi
    {
        echo "not ok $result"
        bats_print_stack_trace "${BATS_DEBUG_LAST_STACK_TRACE[@]}"
        bats_print_failed_command "${BATS_DEBUG_LAST_STACK_TRACE[@]}"
        bats_prefix_lines_for_tap_output <"$BATS_OUT" | bats_replace_filename
    } >&3
    exit 1
}

# run [-STATUS|!] [--separate-stderr] COMMAND...: like bats, but cheaper. Prints
# the output of a command that ends with another status.
# shellcheck disable=SC2034 # what it sets is for tests
run() {
    local want='' file='' flags=$-
    while :; do
        case $1 in
        -[0-9]* | !) want=${1#-} ;;
        --separate-stderr) file=$BATS_TEST_TMPDIR.stderr ;;
        *) break ;;
        esac
        shift
    done
    set +eET
    if [ "$file" ]; then
        output=$("$@" 2>"$file") && status=0 || status=$?
        IFS= read -r -d '' stderr <"$file"
        stderr=${stderr%$'\n'}
        IFS=$'\n' read -r -d '' -a stderr_lines <"$file"
    else
        output=$("$@" 2>&1) && status=0 || status=$?
    fi
    IFS=$'\n' read -r -d '' -a lines <<<"$output"
    set "-$flags"
    case $want in
    '' | "$status") return 0 ;;
    !) [ "$status" = 0 ] || return 0 ;;
    esac
    printf 'status: %s\nwanted: %s\nstdout: %s\n' "$status" "$want" "$output"
    [ -z "$file" ] || echo "stderr: $stderr"
    return 1
}

# Give each test a directory of its own, with short names in messages.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# needs THING...: skip a test if a command or file is missing, or if a terminal
# can't be opened (`pty`).
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

# preloads NAME: set `shim` to the value of LD_PRELOAD for test/unit/NAME.so. It
# is a link in the directory of the test, because LD_PRELOAD splits at blanks
# and colons.
preloads() {
    needs "$RSET_BIN/test/unit/$1.so"
    ln -sf "$RSET_BIN/test/unit/$1.so" .
    # shellcheck disable=SC2034 # the tests use it
    shim=./$1.so
}

# refused MESSAGE COMMAND...: COMMAND ends with status 2, writes nothing to
# standard output, and exactly the line MESSAGE to standard error.
refused() {
    local want=$1
    run --separate-stderr "${@:2}"
    if [ "$status" != 2 ] || [ -n "$output" ] || [ "$stderr" != "$want" ]; then
        printf 'status: %s\nstdout: %s\nstderr: %s\nwanted: %s\n' \
            "$status" "$output" "$stderr" "$want"
        return 1
    fi
}

# quickly COMMAND...: run without the work of bats before each command, for
# tests with thousands of commands. A failing command does not end it.
quickly() {
    (
        trap - DEBUG ERR
        set +eET
        "$@"
    )
}

# start COMMAND...: start a service in the background. Write to it with >&4.
start() {
    mkfifo lines
    # no lines of an earlier service, since the test may read too early
    : >out
    : >err
    "$@" <lines >>out 2>>err 3>&- &
    pid=$!
    exec 4>lines
}

# ends STATUS: close the input of the service, which ends with STATUS.
ends() {
    local status=0
    exec 4>&-
    wait "$pid" || status=$?
    [ $status = "$1" ]
}

# wait_lines N FILE: wait until FILE has N lines. Only a failure reaches the
# limit.
wait_lines() {
    for _ in {1..30000}; do
        [ ! -e "$2" ] || [ "$(wc -l <"$2")" -lt "$1" ] || return 0
        sleep 0.02
    done
    return 1
}

# same GOT WANT: compare two texts, and show the difference.
same() {
    [ "$1" = "$2" ] || diff <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

# same_as GOT [BEGINNING] <<END: compare with BEGINNING and standard input.
same_as() {
    local want
    IFS= read -r -d '' want || true
    same "$1" "${2-}${want%$'\n'}"
}

# instance SIZE CASE: run a case of test/flux/cases.bash in an instance with
# SIZE brokers, for at most ten minutes. The resources of one broker are in
# $fake. Each of four brokers has 4 cores and 2 GPUs.
instance() {
    local host resources
    # shellcheck disable=SC2154 # of the test
    if [ "$1" = 1 ]; then
        resources=("${fake[@]}")
    else
        host=$(hostname)
        flux R encode -r0-3 -c0-3 -g0-1 -H "$host,$host,$host,$host" >R
        resources=(--conf=resource.path="$PWD/R" --conf=resource.noverify=true)
    fi
    timeout -k 10 600 flux start -s"$1" "${resources[@]}" \
        bash "$TOP/test/flux/cases.bash" "${@:2}" 4>&-
}
