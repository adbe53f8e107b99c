#!/usr/bin/env bash
# cases.bash CASE: run one case of flux.bats inside an instance of Flux. MODULE
# is the module. With CLIENT, a command, the scheduler is a program of the
# instance instead.

# shellcheck disable=SC2119,SC2120,SC2317 # the cases are called by name
set -eu -o pipefail
here=$(dirname "$0")

# End the case with a message.
fail() {
    echo "$*" >&2
    flux jobs -a >&2
    flux dmesg | grep -v debug | tail -n 20 >&2
    exit 1
}

# is WHAT GOT WANT
is() {
    [ "$2" = "$3" ] || fail "$1: got '$2', wanted '$3'"
}

# soon COMMAND...: COMMAND succeeds within ten seconds of processor time.
soon() {
    local i
    for ((i = 0; i < 200; i++)); do
        if "$@" >/dev/null 2>&1; then
            return
        fi
        sleep 0.05
    done
    fail "never: $*"
}

# comes WHAT WANT COMMAND: a command, as text, prints WANT in the end.
comes() {
    local i got
    for ((i = 0; i < 200; i++)); do
        got=$(eval "$3" 2>/dev/null) || true
        if [ "$got" = "$2" ]; then
            return
        fi
        sleep 0.05
    done
    fail "$1: got '$got', wanted '$2'"
}

# agree [--partial]: all views of the instance agree soon.
agree() {
    local i
    for ((i = 0; i < 40; i++)); do
        if flux python "$here/agree.py" "$@" >agree.out 2>&1; then
            return
        fi
        sleep 0.1
    done
    fail "$(<agree.out)"
}

begin() { # [ARGUMENT...]
    flux module remove sched-simple
    start_scheduler "$@"
}

client=''
start_scheduler() {
    if [ "${CLIENT-}" ]; then
        # shellcheck disable=SC2086 # a command
        $CLIENT "$@" 2>client.err &
        client=$!
        soon flux python -c 'import flux
flux.Flux().rpc("sched.resource-status").get()'
    else
        flux module load "$MODULE" "$@"
    fi
}

stop_scheduler() {
    if [ "$client" ]; then
        kill "$client"
        wait "$client" || fail "the client ended with $?: $(<client.err)"
        client=''
    else
        flux module remove sched-rset
    fi
}

# Load again. A client does that by itself.
reload() {
    if [ "$client" ]; then
        stop_scheduler
        start_scheduler "$@"
    else
        flux module reload "$MODULE" "$@"
    fi
}

# submit OPTION...: submit a job that only simulates, for a minute unless RUN is
# set.
submit() {
    flux submit --quiet --setattr="exec.test.run_duration=${RUN:-60s}" "$@" \
        true
}
last() {
    flux job last | flux job id --to=dec
}
state() { # ID...
    flux jobs -n -o '{state}' "$@" | sort | uniq -c | xargs
}
has() { # ID: print its resources in short form
    flux jobs -n -o '{annotations.sched.resource_summary}' "$1"
}
allocated() {
    flux resource list -n -s allocated -o '{ncores}'
}
all_gone() {
    flux cancel --all --quiet >/dev/null 2>&1 || true
    flux queue drain
    comes idle 0 "allocated"
    agree
}

# --- the cases --------------------------------------------------------------

# The part that `make check` runs.
short() {
    begin
    submit -n3
    submit -N4 # has to wait
    comes states '1 RUN 1 SCHED' "state"
    agree
    reload
    comes states '1 RUN 1 SCHED' "state"
    agree
    all_gone
    stop_scheduler
    flux module list >/dev/null
}

shapes() {
    begin
    submit -N2; nodes=$(last)
    submit -n3; slots=$(last)
    submit -n2 -c2; cores=$(last)
    submit -n1 -g2 -c1; gpus=$(last)
    submit -N1 -x; alone=$(last)
    comes states '4 RUN 1 SCHED' "state"
    is nodes "$(has "$nodes")" 'rank[0-1]/core[0-3],gpu[0-1]'
    is slots "$(has "$slots")" 'rank2/core[0-2]'
    is cores "$(has "$cores")" 'rank3/core[0-3]'
    is gpus "$(has "$gpus")" 'rank2/core3,gpu[0-1]'
    agree
    flux cancel "$cores"
    comes exclusive 'rank3/core[0-3],gpu[0-1]' "has $alone"
    agree
    all_gone
}

queue() {
    begin
    submit -N4; first=$(last)
    submit -N4; second=$(last)
    submit -N4; third=$(last)
    submit -N4; fourth=$(last)
    comes states '1 RUN 3 SCHED' "state"
    flux job urgency "$third" 31
    flux cancel "$fourth"
    comes states '1 RUN 2 SCHED' "state"
    flux queue stop --all
    flux cancel "$first"
    comes stopped '2 SCHED' "state"
    agree
    flux queue start --all
    comes urgent '1 RUN' "state $third"
    is other "$(state "$second")" '1 SCHED'
    agree
    all_gone
}

drained() {
    begin
    submit -n1; job=$(last)
    flux resource drain 0,1 fan
    agree
    submit -N3
    comes states '1 RUN 1 SCHED' "state"
    flux resource undrain 1
    comes states '2 RUN' "state"
    agree
    flux cancel "$job"
    flux resource undrain 0
    submit -N1
    comes states '2 RUN' "state"
    agree
    all_gone
}

times() {
    begin
    submit -n1 -t 1s; short=$(last)
    submit -n1 -t 100s; long=$(last)
    comes states '1 RUN' "state $long"
    old=$(flux jobs -n -o '{expiration}' "$long")
    flux update "$long" duration=300s
    comes timeout TIMEOUT "flux jobs -n -o '{result}' $short"
    reload
    agree
    new=$(flux job info "$long" R | grep -o 'expiration": *[0-9]*' | tr -dc 0-9)
    is end $((${old%.*} + 200)) "$new"
    flux update "$long" duration=+100s || fail 'the end is not known after reload'
    agree
    all_gone
}

infeasible() {
    begin
    submit -N4 # blocks the others
    comes states '1 RUN' "state"
    submit -N4
    for wrong in -N5 '-n1 -c5' '-n1 -g3' '-n1 --requires=rank:9'; do
        # shellcheck disable=SC2086 # words
        submit $wrong
        comes "$wrong" alloc "flux jobs -n -o '{exception.type}' $(last)"
    done
    is states "$(state)" '1 RUN 1 SCHED'
    flux python -c '
import flux
from flux.job import JobspecV1
ask = lambda n: flux.Flux().rpc("feasibility.check", {
    "jobspec": JobspecV1.from_command(["true"], num_tasks=n).jobspec})
ask(16).get()
try:
    ask(17).get()
    raise SystemExit("17 cores of 16 are feasible")
except OSError as e:
    assert "need" in str(e), e
'
    # what a guest sends: no message of the owner, and nothing in the log
    flux dmesg --clear
    FLUX_HANDLE_USERID=4242 FLUX_HANDLE_ROLEMASK=0x2 flux python -c '
import flux, sys
h = flux.Flux()
for text in ("{},\"topic\":\"sched.free\",\"payload\":{\"id\":" + sys.argv[1] + "}", "{", "[]", "{}",
             "{\"jobspec\":7}"):
    try:
        h.rpc("feasibility.check", text).get()
        raise SystemExit("accepted: " + text)
    except OSError:
        pass' "$(flux jobs -n -o '{id.dec}' -f running)"
    is states "$(state)" '1 RUN 1 SCHED'
    agree
    is log "$(flux dmesg | grep -c sched-rset.warning || true)" 0
    agree
    all_gone
}

reloads() {
    begin
    submit --cc=1-2000 -n1
    submit --cc=1-200 -n1
    comes states 2000 "flux job stats | jq -c .job_states.run"
    before=$EPOCHREALTIME
    reload
    soon flux python -c 'import flux
assert flux.Flux().rpc("sched-rset.stats-get").get()["pending"] == 200'
    took=$((${EPOCHREALTIME/./} - ${before/./}))
    echo "# reload with 2,000 running jobs: $((took / 1000)) ms" >said
    agree
    is states "$(flux job stats | jq -c .job_states.run)" 2000
    all_gone
}

# Jobs end all the time while a slow scheduler says hello: resources of jobs
# that the job manager does not name are free.
ended() {
    CLIENT="valgrind -q $MODULE_CLIENT"
    for i in {134..208}; do
        RUN=$((i * 6 / 100)).$((i * 6 / 10 % 10))s submit --cc=1-2 -n1
    done
    begin
    flux queue drain
    comes idle 0 allocated
    agree
    stop_scheduler
}

# A line for each bad argument at loading.
# Reservations of the site: they are kept over a reload, and only the owner may
# make them.
reservations() {
    local now
    begin queue-policy=easy
    if FLUX_HANDLE_ROLEMASK=0x2 flux rset reserve maint --targets 0 2>err; then
        fail 'a guest has made a reservation'
    fi
    RUN=1s submit -N1 -x -t 5s; soon flux job wait-event "$(flux job last)" clean
    flux rset reserve maint --at +20s --duration 5s --targets 'fake[0-1]' --owner ops
    if flux rset reserve maint --targets 3 2>err; then
        fail 'maint is made twice'
    fi
    is twice "$(<err)" 'flux-rset: there is a reservation maint already'
    submit -N3 -x -t 60s; long=$(last)
    comes reason 'reserved: maint from 20' \
        "flux jobs -n -o '{annotations.sched.reason_pending}' $long | cut -c-23"
    RUN=1s submit -N2 -x -t 5s; short=$(last)
    soon flux job wait-event "$short" clean
    is waits "$(state "$long")" '1 SCHED'
    reload
    flux rset | rset-alloc jobs --columns job,owner,state,hosts | tail -n 1 >held
    is kept "$(tr -s " " <held)" 'maint ops reserved fake[0-1]'
    now=$(flux job last)
    is waits "$(state "$long")" '1 SCHED'
    # its end comes while nothing else happens
    soon flux job wait-event "$long" start
    comes gone 'JOB' "flux rset | rset-alloc jobs --columns job | grep -v '[0-9]' | tail -n 1"
    is key "$(flux kvs get sched-rset.reservations)" '[]'
    flux cancel "$long"
    flux rset reserve x --targets 0
    flux rset unreserve x
    if flux rset unreserve x 2>err; then
        fail 'x is freed twice'
    fi
    is gone "$(<err)" 'flux-rset: there is no reservation "x"'
    [ "$now" ]
    stop_scheduler
    flux module load sched-simple
    if flux rset unreserve x 2>err; then
        fail 'sched-simple has reservations'
    fi
    is simple "$(<err)" 'flux-rset: sched.unreserve: the scheduler of the instance is not sched-rset'
}

# Jobs that were started under Fluxion go on under sched-rset, and back.
fluxion() { # MATCH-FORMAT
    local format=$1 i before
    load_fluxion() {
        flux module load sched-fluxion-resource load-allowlist=cluster,node,core,gpu \
            match-format="$format"
        flux module load sched-fluxion-qmanager
    }
    flux module remove sched-simple
    load_fluxion
    submit -N2 -x
    submit -n3
    submit -n1 -g1
    comes running '3 RUN' state
    before=$(flux resource R -s allocated)
    for i in 1 2; do
        flux module remove sched-fluxion-qmanager
        flux module remove sched-fluxion-resource
        start_scheduler
        comes "running under sched-rset ($i)" '3 RUN' state
        is "allocated ($i)" "$(flux resource R -s allocated)" "$before"
        stop_scheduler
        load_fluxion
        comes "running under Fluxion ($i)" '3 RUN' state
    done
    flux cancel --all
    flux queue drain
    flux module remove sched-fluxion-qmanager
    flux module remove sched-fluxion-resource
    start_scheduler
    submit -N4 -x
    comes all '1 RUN' state
}

graph() {
    begin job-form=rv1 log-level=info
    says() {
        flux dmesg | grep -q 'R_lite counts'
    }
    soon says
    ask() { # RESOURCES: what the command line of Flux can't say
        flux python -c '
import json, sys, flux, flux.job
spec = flux.job.JobspecV1.from_command(["true"], num_tasks=1).jobspec
spec["version"] = 9999
spec["resources"] = json.loads(sys.argv[1])
spec["attributes"]["system"]["exec"] = {"test": {"run_duration": "60s"}}
print(int(flux.job.submit(flux.Flux(), json.dumps(spec))))' "$1"
    }
    slot() { # LABEL TYPE COUNT...
        jq -nc --arg name "$1" '[$ARGS.positional | range(0; length; 2) as $i |
            {type: .[$i], count: (.[$i + 1] | tonumber)}] |
            {type: "slot", count: 1, "label": $name, with: .}' --args "${@:2}"
    }
    memory=$(ask "[$(slot task core 1 memory 6)]")
    ssd=$(ask "[{\"type\":\"rack\",\"count\":1,\"with\":[$(slot task ssd 60 node 1)]}]")
    licence=$(ask "[$(slot task core 1),$(slot b licence 2)]")
    comes three '3 RUN' state
    agree
    again=$(ask "[$(slot task core 1),$(slot b licence 1)]")
    none=$(ask "[$(slot task memory 1)]")
    never=$(ask "[$(slot task core 1 memory 9)]")
    comes never FAILED "flux jobs -n -o '{result}' $never"
    flux job eventlog "$never" | grep -q unsatisfiable || fail "$never is not unsatisfiable"
    flux rset >busy
    is ranks "$(rset-match -o ranks busy)" 1-3
    is jobs "$(rset-alloc jobs --columns job --no-header busy | sort)" \
        "$(printf '%s\n' "$memory" "$ssd" "$licence" | sort)"
    rset-alloc available busy >free
    rset-match --shape 'slot/memory=2' free >/dev/null
    for shape in slot/licence 'slot/ssd=141' 'node=4'; do
        if rset-match --shape "$shape" free >/dev/null 2>&1; then
            fail "$shape is free"
        fi
    done
    reload job-form=rv1
    comes three '3 RUN' "state $memory $ssd $licence"
    is waits "$(state "$again")" '1 SCHED'
    cmp busy <(flux rset)
    flux cancel "$licence"
    comes licence '1 RUN' "state $again"
    comes core 'it asks for no core on some node, and tasks need one each' \
        "flux jobs -n -o '{exception.note}' $none"
    all_gone
    apart=$(ask "[$(slot task core 1),$(slot b memory 8 | jq -c '.count = 3')]")
    comes apart 'it asks for no core on some node, and tasks need one each' \
        "flux jobs -n -o '{exception.note}' $apart"
    inside "$PWD/rset"
    has_memory "$PWD/rset"
    all_gone
    stop_scheduler
    if [ -e "$(pkg-config --variable=fluxmoddir flux-core)/sched-fluxion-resource.so" ]; then
        for format in rv1 rv1_shorthand; do
            flux module load sched-fluxion-resource match-format=$format
            flux module load sched-fluxion-qmanager
            inside "$PWD/$format"
            [ $format = rv1_shorthand ] || has_memory "$PWD/$format"
            flux module remove sched-fluxion-qmanager
            flux module remove sched-fluxion-resource
        done
    fi
    flux module load sched-simple
}

# inside DIR: run an instance in a job of this instance, whose last two
# nodes have memory, and one in a job of that. The ranks of each begin at 0
# again; those of the graph may not. What they have is in DIR/first and second.
inside() {
    local job
    mkdir "$1"
    job=$(flux submit -N2 -x --requires=rank:2-3 --output="$1/out" --error="$1/err" \
        flux start bash "$here/cases.bash" level "$1" | flux job id --to=dec)
    flux job wait-event -q -t 60 "$job" clean
    [ -e "$1/passed" ] || fail "$(cat "$1/out" "$1/err")"
    is first "$(rset-match -o ranks "$1/first") $(rset-match -o hosts "$1/first")" \
        '0-1 node[2-3]'
    is second "$(rset-match -o ranks "$1/second") $(rset-match -o hosts "$1/second")" \
        '0 node3'
}
has_memory() { # DIR
    if ! rset-match -q --shape 'node=2{x}/[core=4;memory=8]' "$1/first" ||
        ! rset-match -q --shape 'node{x}/[core=4;memory=8]' "$1/second"; then
        fail "the memory is lost in $1"
    fi
}

# The inner instances of inside().
level() { # DIR
    cd "$1"
    local job
    flux module remove sched-simple
    flux module load "$MODULE" job-form=rv1
    if [ -e first ]; then
        flux rset >second
        submit -n1 -c2
        submit -n2
    else
        flux rset >first
        job=$(flux submit -N1 -x --requires=rank:1 --output=out2 --error=err2 \
            flux start bash "$here/cases.bash" level "$1" | flux job id --to=dec)
        flux job wait-event -q -t 60 "$job" clean
        [ -e passed ] || fail "$(cat out2 err2)"
        rm passed
        submit -n3 -c2
        submit -n1
    fi
    comes running RUN "flux jobs -n -o '{state}' | sort -u"
    agree
    all_gone
}

arguments() {
    flux module remove sched-simple
    refused() { # LINE ARGUMENT...
        flux dmesg --clear
        if flux module load "$MODULE" "${@:2}" 2>err; then
            fail "it is loaded: ${*:2}"
        fi
        grep -q 'Invalid argument' err
        is "${*:2}" "$(flux dmesg -H | sed -n 's/.*sched-rset.err\[0\]: //p')" \
            "$1"
    }
    refused '"polcy": there is no such argument; near it: policy' polcy=first
    refused 'policy: there is no policy "frist"; near it: first' policy=frist
    refused 'policy: a value is expected' policy
    refused 'queue-depth: "0": expected unlimited, or a number from 1 to 2147483647' queue-depth=0
    refused 'reservation-depth: "0": expected a number from 1 to 1000000' reservation-depth=0
    refused 'queue-policy: "fair": expected fcfs, easy or conservative' queue-policy=fair
    refused 'job-form: "jgf": expected shorthand, r, rv1 or rv1-compact' job-form=jgf
    refused 'trust: "both": expected execution or graph' trust=both
    refused 'queues: "two": expected separate or joined' queues=two
    refused 'log-level: "loud": expected error, warning, info or debug' \
        log-level=loud
    refused 'slot-scope: "x": expected node or parent' slot-scope=x
    refused 'node-exclusive: no value is expected' node-exclusive=1
    flux module load sched-simple
    flux dmesg --clear
    if flux module load "$MODULE"; then
        fail 'two schedulers'
    fi
    is other "$(flux dmesg -H | sed -n 's/.*sched-rset.err\[0\]: //p')" \
        'another scheduler is loaded: it has the service sched'
    flux module remove sched-simple
    flux module load "$MODULE" queue-depth=2 policy=worst-fit node-exclusive \
        granule=pool slot-scope=node log-level=debug
    submit --cc=1-8 -n1
    comes states '4 RUN 4 SCHED' "state"
    is depth "$(flux module stats sched-rset | jq .pending)" 2
    agree
    all_gone
    stop_scheduler
}

# The table [sched-rset] in the configuration of Flux.
configuration() {
    if [ "$client" ]; then
        return
    fi
    flux module remove sched-simple
    stats() {
        flux module stats sched-rset | jq -r '.policy + " " + ."queue-policy"'
    }
    load() { # TABLE: as the configuration
        flux config load <<<"[sched-rset]
$1"
    }
    load 'policy = "best-fit"
queue-policy = "easy"
node-exclusive = false
reservation-depth = 3'
    flux module load "$MODULE" queue-policy=fcfs log-level=err
    is table "$(stats)" 'best-fit fcfs'
    flux module reload "$MODULE"
    is reload "$(stats)" 'best-fit easy'
    refused() { # LINE TABLE
        if load "$2" 2>err; then
            fail "it is loaded: $2"
        fi
        grep -qF -- "$1" err || fail "$(<err)"
        is kept "$(stats)" 'best-fit easy'
    }
    refused 'sched-rset.queue-policy: "fair": expected fcfs, easy or conservative' \
        'queue-policy = "fair"'
    refused 'sched-rset: "depth": there is no such argument' 'depth = 7'
    refused 'sched-rset: policy: a string or a number is expected' \
        'policy = [1]'
    load 'queue-policy = "easy,debug=fcfs,long=conservative:8"'
    is queues "$(stats)" 'first easy,debug=fcfs,long=conservative:8'
    load ''
    is default "$(stats)" 'first fcfs'
    # jobs that wait are looked at again
    submit -N3 -x -t10m
    submit -N4 -x -t10m
    submit -N1 -n1 -t1m; small=$(last)
    comes states '1 RUN 2 SCHED' state
    load 'queue-policy = "easy"'
    comes small '1 RUN' "state $small"
    submit -N1 -n1 -t1m; small=$(last)
    comes small '1 RUN' "state $small"
    load 'queue-policy = "fcfs"'
    submit -N1 -n1 -t1m
    is small "$(state "$(last)")" '1 SCHED'
    flux cancel "$(flux jobs -n -o '{id.dec} {nnodes}' --filter=pending | grep ' 4$' | cut -d' ' -f1)"
    comes states '4 RUN' "state | sed 's/1 CANCELED //'"
    agree
    all_gone
    # jobs of a virtual queue wait in its parent
    if ! load '[queues.batch]
[queues.debug]
parent = "batch"
[policy.jobspec.defaults.system]
queue = "batch"'; then
        return # this Flux has none
    fi
    flux queue start --all --quiet
    submit -N3 -x -t10m
    submit -N4 -x -t10m
    submit -q debug -N1 -n1 -t1m; small=$(last)
    comes states '1 RUN 2 SCHED' "state | sed 's/[0-9]* C[AD][A-Z]* *//g'"
    is small "$(state "$small")" '1 SCHED'
    all_gone
    stop_scheduler
}

# Resources disappear, or never existed; and a job whose R does not fit.
lost_resources() {
    begin
    submit -n1; good=$(last)
    submit -N1; bad=$(last)
    comes states '2 RUN' "state"
    stop_scheduler
    flux kvs put "$(flux job id --to=kvs "$bad").R=$(
        flux job info "$bad" R | sed 's/"rank": *"[0-9]*"/"rank":"77"/;s/fake\(\[*[0-9]\)/lost\1/')"
    start_scheduler
    comes exception scheduler-restart "flux jobs -n -o '{exception.type}' $bad"
    is good "$(state "$good")" '1 RUN'
    flux cancel --all
    flux queue drain
    flux dmesg --clear
    flux module remove resource
    if [ ! "$client" ]; then
        gone() {
            ! flux module list | grep -q sched-rset
        }
        soon gone
        flux module load "$MODULE"
        soon gone
        reported() { # a line of the log may come later than the end
            flux dmesg -H | grep -q 'sched-rset.err.*no resources'
        }
        soon reported
    fi
    flux module list >/dev/null
    flux module load resource noverify
}

# One of four brokers is killed; jobs give nodes back one by one.
brokers() {
    begin
    flux submit --quiet -N4 sleep 100
    comes states '1 RUN' "state"
    agree
    pid=$(flux exec -r 3 flux getattr broker.pid)
    kill -9 "$pid"
    comes lost 1 "flux resource list -n -s down -o '{nnodes}'"
    flux cancel --all --quiet || true
    comes free 3 "flux resource list -n -s free -o '{nnodes}'"
    flux submit --quiet -N4 true
    comes waits '1 SCHED' "state"
    flux submit --quiet --urgency=31 -N3 sleep 100
    comes states '1 RUN 1 SCHED' "state"
    agree --partial
    flux cancel --all --quiet
    comes free 3 "flux resource list -n -s free -o '{nnodes}'"
}

partial() {
    flux config load <<'EOF'
[job-manager.housekeeping]
command = ["sh", "-c", "test $(flux getattr rank) != 3 || sleep 3"]
release-after = "0s"
EOF
    begin
    flux submit --quiet -N4 true
    comes free 3 "flux resource list -n -s free -o '{nnodes}'"
    reload
    comes free 3 "flux resource list -n -s free -o '{nnodes}'"
    comes free 4 "flux resource list -n -s free -o '{nnodes}'"
    agree
}

nested() {
    begin
    flux submit --quiet -N2 flux start sleep 100
    comes states '1 RUN' "state"
    job=$(last)
    soon flux uri --local "$job"
    inner=$(flux uri --local "$job")
    soon flux proxy "$inner" flux run true
    flux proxy "$inner" flux module remove sched-simple
    flux proxy "$inner" flux module load "$MODULE"
    is nested "$(flux proxy "$inner" flux run -N2 hostname | wc -l)" 2
    flux proxy "$inner" flux python "$here/agree.py"
    agree
    flux cancel "$job"
    flux queue drain
    agree
}

# A failed commit of an R ends its job, and nothing else.
commits() {
    CLIENT="env LD_PRELOAD=$FAILING $MODULE_CLIENT"
    begin
    for i in {1..12}; do
        RUN=0.1s submit -n1
    done
    flux queue drain
    failed=$(flux jobs -a -n -o '{exception.note}' | grep -c committed || true)
    if [ "$failed" -lt 2 ] || [ "$failed" -gt 10 ]; then
        fail "$failed of 12 failed"
    fi
    agree
    is rest "$(flux jobs -a -n -o '{result}' | grep -c COMPLETED)" \
        $((12 - failed))
    stop_scheduler
}

undrain_all() {
    local drained
    drained=$(flux resource status -s drained,draining -n -o '{ranks}')
    for ranks in $drained; do
        flux resource undrain "$ranks"
    done
}

# All kinds of events in random order.
random() {
    local n=0 seed=${RSET_SEED:-$RANDOM}
    echo "RSET_SEED=$seed"
    RANDOM=$seed
    begin
    while [ $n -lt "${JOBS:-500}" ]; do
        case $((RANDOM % 20)) in
        [0-9])
            i=$((RANDOM % 5 + 2))
            RUN=0.$((RANDOM % 9 + 1))s submit --cc=1-$i -n$((RANDOM % 6 + 1)) \
                -c$((RANDOM % 2 + 1))
            n=$((n + i))
            ;;
        10 | 11) RUN=0.2s submit -N$((RANDOM % 4 + 1)) && n=$((n + 1)) ;;
        12) RUN=0.1s submit -n1 -g1 && n=$((n + 1)) ;;
        13) RUN=60s submit -n$((RANDOM % 3 + 1)) -t 0.$((RANDOM % 9 + 1))s &&
            n=$((n + 1)) ;;
        14) flux resource drain --update $((RANDOM % 4)) why ;;
        15) flux resource undrain $((RANDOM % 4)) 2>/dev/null || true ;;
        16) flux cancel "$(last)" 2>/dev/null || true ;;
        17) # held, and then released
            flux job urgency "$(last)" hold 2>/dev/null || true
            flux job urgency "$(last)" $((RANDOM % 31 + 1)) 2>/dev/null || true
            ;;
        18) RUN=0.1s submit -N5 && n=$((n + 1)) ;; # never
        19) [ $((RANDOM % 3)) != 0 ] || reload ;;
        esac
        [ $((RANDOM % 25)) != 0 ] || settle
    done
    undrain_all
    flux queue drain
    agree
    is jobs "$(flux jobs -a -c0 -n -o '{id}' | wc -l)" $n
}

# Jobs begin and end meanwhile: stop that, and compare.
settle() {
    flux queue stop --all --quiet
    undrain_all
    flux queue idle --quiet
    agree
    flux queue start --all --quiet
}

# Likewise for a client, with an end in order.
random_client() {
    random
    stop_scheduler
}

"$@"
: >passed
