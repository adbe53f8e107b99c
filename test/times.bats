#!/usr/bin/env bats
# Durations in common spellings, and times in the local zone, in rset-match, in
# rset-alloc, and in the lines of their batches.

# shellcheck disable=SC2154 # run sets output

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    rset-discover --hosts 'n[0-3]' --cores 0-3 >all
}

# ends OPTION...: print the end of a job that starts at 1000, from each command.
ends() {
    {
        rset-match -N1 --now 1000 "$@" all
        rset-match --earliest -N1 --now 1000 "$@" all
        rset-alloc allocate 1 -N1 --now 1000 "$@" all |
            rset-alloc jobs --now 1000 -o json
        rset-alloc batch - --now 1000 all <<<"allocate 1 -N1 $*"
        rset-match --batch - --now 1000 "$@" all <<<-N1
        if [[ $1 != --duration* ]]; then
            rset-match --batch - --now 1000 all <<<"-N1 $*"
        fi
    } | jq 'if type == "array" then .[].end
        else (.R // .).execution.expiration end' | uniq
}

@test "times of the clock have microseconds" {
    for job in {1..9}; do
        rset-alloc allocate "$job" -N1 --duration 1h all |
            grep -qE '"start":[0-9]+(\.[0-9]{1,6})?,"end"'
    done
}

@test "durations in all their forms" {
    same "$(ends --duration 90)" 1090
    same "$(ends --duration=1h30m)" 6400
    same "$(ends --duration=01:30:00)" 6400
    same "$(ends --duration 2-00:00:00)" 173800
}

@test "a plain number means minutes in --time-limit" {
    same "$(ends -t 90)" 6400
    same "$(ends -t1.5)" 1090
    same "$(ends --time-limit=90s)" 1090
    same "$(ends -t 01:30:00)" 6400
    same "$(ends -t 0)" null
}

@test "--time-limit of a line overrides the one for all lines" {
    printf '%s\n' '-N1 -t 2' node -N1 >asks
    for all in '-t 3:1120 1180 1180' '--duration 7:1120 1007 1007' \
        '--expiration 5000:1120 5000 5000' '--now 1000:1120 null null'; do
        # shellcheck disable=SC2086 # words
        same "$(rset-match --batch asks --now 1000 ${all%:*} all |
            jq .R.execution.expiration | paste -sd ' ')" "${all#*:}"
    done
}

@test "bad time limits, and two at once" {
    local bad='expected a duration: 90, 1.5h, 1h30m, [DAYS-]HH:MM:SS'
    for program in rset-match 'rset-alloc allocate 1'; do
        # shellcheck disable=SC2086 # words
        refused "${program%% *}: --time-limit: \"30:00\": $bad (try '${program% 1} --help')" \
            $program -t 30:00 -N1 all
        for two in --duration --expiration; do
            # shellcheck disable=SC2086 # words
            run -2 $program -t 1 $two 2000 -N1 all
            [[ $output == *" exclude each other "* ]]
        done
    done
    run -2 rset-match -t 1 all
    same "$output" "rset-match: --time-limit needs a request (try 'rset-match --help')"
    run -2 rset-alloc grow 1 -N1 -t 1 all
    same "$output" "rset-alloc: grow does not take --time-limit (try 'rset-alloc grow --help')"
    run -2 rset-match --batch - all <<<'-N1 -t 30:00'
    same "$(jq -r .error <<<"$output")" "--time-limit: \"30:00\": $bad"
}

# tell: print all times: of new jobs, tables and requests.
tell() {
    rset-alloc allocate 1 -N2 --at "$1" --duration 1h \
        --now 2026-03-08T06:00Z all | rset-alloc down n3 --now "$1"
    rset-alloc allocate 1 -N4 --now "$1" -t 90 all >held
    rset-alloc jobs --now "$1" -o json held
    rset-match --when --now "$1" -N4 held
    rset-match -N4 --now "$1" --explain held
    rset-match --find "end>$1" -o short held
    rset-alloc batch - --now "$1" held <<<'jobs
now +1d
available'
}

@test "documents do not depend on the zone; input without a zone does" {
    local zones='UTC0 EST5EDT,M3.2.0,M11.1.0 <+0545>-5:45'
    for zone in $zones; do
        export TZ=$zone
        quickly tell 2026-03-08T07:30:00Z >"${zone%%,*}.zoned" 2>&1 || :
        quickly tell 1772955000 2>&1 | cmp - "${zone%%,*}.zoned"
        cmp "${zone%%,*}.zoned" UTC0.zoned
        quickly tell 2026-03-08T07:30:00 >"${zone%%,*}.local" 2>&1 || :
    done
    grep -q 1772955000 UTC0.zoned
    cmp UTC0.local UTC0.zoned
    TZ=UTC0 quickly tell 2026-03-08T11:30:00 2>&1 | cmp - EST5EDT.local
    TZ=UTC0 quickly tell 2026-03-08T01:45:00 2>&1 | cmp - '<+0545>-5:45.local'
}
