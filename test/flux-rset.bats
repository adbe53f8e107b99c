# flux rset: a running Flux instance as one R. Two instances run before the
# tests, and write the files that the tests look at.

load common

have_flux() {
    command -v flux >/dev/null && command -v flux-rset >/dev/null
}

# instance NAME OPTION...: run the script on standard input in an instance of
# its own, for at most ten minutes.
instance() {
    cat >"$1.sh"
    FLUX_EXEC_PATH_PREPEND=$RSET_BIN timeout -k 10 600 \
        flux start --test-exit-mode=leader "${@:2}" bash -eu "$PWD/$1.sh" \
        >"$1.out" 2>&1 3>&- 4>&- || {
        cat "$1.out"
        return 1
    }
}

setup_file() {
    have_flux || return 0
    unset FLUX_URI
    cd "$BATS_FILE_TMPDIR" || return 1

    instance busy -s1 --conf=fake-resources.nnodes=6 \
        --conf=fake-resources.cores-per-node=64 \
        --conf=fake-resources.gpus-per-node=1 \
        --conf='resource.exclude="0"' --conf='queues.batch={}' \
        --conf='policy.jobspec.defaults.system.queue="batch"' <<'END'
submit() {
    flux submit --setattr=exec.test.run_duration=1000s "$@" true
}
flux queue start --all
flux rset >idle.json
"$TOP/test/examples" "$TOP/man/flux-rset.1" >examples || touch examples.failed
submit -n1 -t 10m --wait-event=alloc >one
submit -N2 --exclusive -t 1h --wait-event=alloc >two
submit -n1 -g1 --wait-event=alloc
submit --cc=1-120 -n1 -t 1h --wait-event=alloc
submit -N4 --exclusive -t 1h
flux rset >before.json
flux update "$(<one)" duration=30m
# with fake nodes it complains that it can't save the drain
flux resource drain 4 'bad fan' || :
flux resource drain 5 || :
flux rset >busy.json
flux resource R -s allocated >allocated.json
flux jobs -f running -no '{id.dec}' | sort -n >running
for job in $(head -n20 running); do
    flux job info "$job" R | sed "s/^{/{\"id\":$job,/"
done >jobs
flux job id "$(<one)" >one.id
flux job id "$(<two)" >two.id
FLUX_HANDLE_USERID=4242 FLUX_HANDLE_ROLEMASK=0x2 flux rset >guest.json 2>guest.err
flux cancel --all
flux queue idle
FLUX_HANDLE_USERID=4242 FLUX_HANDLE_ROLEMASK=0x2 flux rset >free.json
flux rset >/dev/full 2>full || echo $? >>full
END

    instance lost -s3 --conf=tbon.topo=kary:0 \
        --conf='job-manager.housekeeping.command=["sleep","1000"]' \
        --conf='job-manager.housekeeping.release-after="0s"' <<'END'
flux submit -N3 --wait-event=start sleep 1000 >job
flux rset >running.json
flux cancel --all
flux job wait-event -q "$(<job)" clean
flux rset >kept.json
flux housekeeping kill -t 1
until [ "$(flux resource list -s allocated -no '{nnodes}')" = 2 ]; do
    sleep 0.1
done
flux rset >part.json
flux job id "$(<job)" >job.id
kill -9 "$(flux exec -r 2 flux getattr broker.pid)"
until flux rset >down.json && grep -q '"states"' down.json; do
    sleep 0.1
done
flux resource drain -f 2 'new disk'
flux rset >drained.json
END
}

setup() {
    have_flux || skip 'flux-core is not found, so that there is no flux rset'
    needs jq
    cd "$BATS_FILE_TMPDIR" || return 1
}

records() { # FILE FILTER
    jq -c ".attributes.system.scheduler | $2" "$1"
}

@test "excluded ranks are left out, and an idle instance has no records" {
    same_as "$(<idle.json)" <<'END'
{"version":1,"execution":{"R_lite":[{"rank":"1-5","children":{"core":"0-63","gpu":"0"}}],"nodelist":["fake[1-5]"]}}
END
}

@test "the programs write the document again as the same bytes" {
    for file in *.json; do
        [ "$file" = allocated.json ] || rset-match "$file" | cmp - "$file"
    done
}

@test "each running job has the resources of its R, and its current end" {
    [ "$(wc -l <running)" = 123 ]
    same "$(records busy.json '.allocations[].job')" "$(<running)"
    same "$(records busy.json '.allocations[:20][] | {id: .job, R_lite,
        starttime: .start, expiration: .end}' | jq -cS .)" \
        "$(jq -cS '{id} + (.execution | {R_lite, starttime, expiration})' jobs |
            sed 's/"expiration":0[.0]*,/"expiration":null,/')"
    same "$(rset-alloc allocated busy.json | rset-match -o short)" \
        "$(rset-match -o short allocated.json)"
}

@test "jobs have the id, owner and queue that Flux knows" {
    same "$(records busy.json '.allocations[0] | [.job, .owner, .queue]')" \
        "[$(<one.id),$(id -u),\"batch\"]"
}

@test "a changed duration moves the end" {
    rset-diff before.json busy.json >changes || [ $? = 1 ]
    grep -q "held by $(<one.id) from .* -> held by $(<one.id) from " changes
    same "$(records busy.json '.allocations[0] | .end - .start | round')" 1800
    same "$(records before.json '.allocations[0] | .end - .start | round')" 600
}

@test "drained ranks have the tag that rset-alloc drain writes" {
    for rank in 4 5; do
        why=$(records busy.json ".tags[] | select(.R_lite[0].rank == \"$rank\") |
            .value")
        [ "$(jq .time <<<"$why")" -gt 1700000000 ]
        reason=$(jq -r '.reason // empty' <<<"$why")
        rset-match before.json >set.json
        rset-alloc --now "$(jq .time <<<"$why")" drain $rank \
            ${reason:+--reason "$reason"} set.json |
            records /dev/stdin ".tags[0].value" >want
        same "$why" "$(<want)"
    done
    rset-alloc status busy.json >out
    grep -q 'fake4: draining since .*: bad fan$' out
    grep -q 'fake5: draining since [^ ]*$' out
}

@test "the tools work on the live system" {
    rset-alloc nodes busy.json >out
    same "$(awk '{ print $1 }' out)" "$(printf '%s\n' HOST fake{1..5})"
    same "$(awk '$3 == "draining" { print $1, $NF }' out)" \
        "$(printf '%s\n' 'fake4 fan' 'fake5 -')"
    same "$(grep -c " $(<two.id) " out)" 2
    run -1 rset-match --when -N4 busy.json
    [[ $output == *'no match now: need 4 whole nodes'* ]]
    run -0 rset-match --when -N2 before.json
    [[ $output == [0-9]* ]]
    run -0 rset-alloc timeline busy.json
    [[ $output == *'fake4 draining'* ]]
    run -1 rset-diff idle.json busy.json
    [[ $output == *'held by'* ]]
}

@test "the examples of the page print what is shown" {
    cat examples
    [ ! -e examples.failed ]
}

@test "a guest gets all jobs as one" {
    same "$(<guest.err)" 'flux-rset: warning: only the owner of the instance may read the jobs of others: they are one job here, and reservations are left out'
    cmp <(rset-alloc available -o r guest.json | rset-match -o hosts) \
        <(rset-alloc available -o r busy.json | rset-match -o hosts)
    same "$(rset-alloc nodes --state drained --columns host --no-header guest.json)" \
        "$(rset-alloc nodes --state drained --columns host --no-header busy.json)"
    jq -e '.execution.R_lite[0].rank == "1-5"' free.json
}

@test "a job keeps the ranks on which housekeeping goes on" {
    held() {
        records "$1" '.allocations // [] | map([.job, .R_lite[].rank])'
    }
    for file in running kept; do
        same "$(held $file.json)" "[[$(<job.id),\"0-2\"]]"
    done
    same "$(held part.json)" "[[$(<job.id),\"0,2\"]]"
}

@test "a rank without its broker is down; drained, it was down" {
    same "$(records down.json .states)" \
        '[{"state":"down","R_lite":[{"rank":"2"}]}]'
    same "$(records down.json .tags)" null
    same "$(records drained.json .states)" "$(records down.json .states)"
    same "$(records drained.json '.tags[0].value | del(.time)')" \
        '{"reason":"new disk","was":"down"}'
    rset-alloc undrain 2 drained.json | rset-diff - down.json
}

@test "an output that can't be written, and unknown words, are errors" {
    same_as "$(<full)" <<'END'
flux-rset: standard output: No space left on device
2
END
    refused "flux-rset: \"x\": there is no such command (try 'flux-rset --help')" \
        flux-rset x
    refused "flux-rset: reserve: the name of a reservation is expected (try 'flux-rset reserve --help')" \
        flux-rset reserve
    refused "flux-rset: \"y\": no operand is expected (try 'flux-rset unreserve --help')" \
        flux-rset unreserve x y
    refused "flux-rset: --at is for reserve (try 'flux-rset unreserve --help')" \
        flux-rset unreserve x --at +1h
    refused 'flux-rset: reserve: --targets is expected' flux-rset reserve x
    FLUX_URI=local:///nowhere run -2 --separate-stderr flux-rset
    same "$output" ''
    [[ $stderr == 'flux-rset: no instance of Flux: '* ]]
    [ "${#stderr_lines[@]}" = 1 ]
}
