#!/usr/bin/env bats
# --earliest and --when: the first time at which a request fits.

# shellcheck disable=SC2154 # run sets output

load common

# Four nodes: all held until 1100, two reserved from 1200 to 1250.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    rset-discover --hosts 'n[0-3]' --cores 0-3 >all
    rset-alloc allocate 1 -N4 --now 1000 --duration 100 all |
        rset-alloc allocate 2 -N2 --now 1000 --at 1200 --duration 50 >held
}

when() { # WANT REQUEST...
    local want=$1
    shift
    run -0 rset-match --when --now 1000 "$@" held
    same "$*: $output" "$*: $want"
}

@test "the first time at which all of it fits for its duration" {
    when 1100 -N4 --duration 100
    when 1250 -N4 --duration 101
    when 1100 -N2 --duration 1h
    when 1250 -N3
    when 1120 -N1 --at 1120
    when 1250 -N4 --at 1120 --duration 100
    run -0 rset-match --when --now 1000 -N4 -o json held
    same "$output" '{"answer":"match","when":1250}'
}

@test "the set that is found starts at that time" {
    run -0 rset-match --earliest --now 1000 -N4 --duration 100 held
    same "$(jq -c '.execution | [.starttime, .expiration]' <<<"$output")" \
        '[1100,1200]'
    printf '%s\n' node=4 node >asks
    run -0 rset-match --earliest --now 1000 --duration 101 --batch asks held
    same "$(jq -c '.R.execution | [.starttime, .R_lite[].rank]' <<<"$output")" \
        '[1250,"0-3"]
[1100,"2"]'
}

@test "no time is known, or the request can never match" {
    run -3 rset-match --when --now 1000 -N5 held
    run -3 rset-match --earliest --now 1000 -N5 held
    rset-alloc down n3 held >down
    run -1 rset-match --when --now 1000 -N4 down
    rset-alloc allocate 9 -N1 all >endless
    run -1 rset-match --when --now 1000 -N4 endless
    same "$output" 'rset-match: endless: no match now: need 4 whole nodes: 3 available (1 allocated)'
    jq -c '.execution.expiration = 1300' held >ends
    run -0 rset-match --when --now 1000 -N4 --duration 100 ends
    same "$output" 1100
    run -1 rset-match --when --now 1000 -N4 --duration 101 ends
    run -3 rset-match --when --now 1000 -N4 --duration 301 ends
}

@test "an ended allocation is not expected to be released within a second" {
    run -1 rset-match -N1 --now 1150 held
    run -0 rset-match --when -N1 --now 1150 --duration 10 held
    same "$output" 1151
    run -0 rset-match -N1 --now 1150 --at 1150.5 --duration 10 held
}

@test "a failed request shows when it would fit" {
    run -1 rset-match -N3 --now 1000 --duration 120 --explain held
    same "$output" 'rset-match: held: no match now: need 3 whole nodes: none available (4 allocated); it fits at 1970-01-01T00:20:50Z'
    run -1 rset-match -N3 --now 1000 --duration 120 --explain -o json held
    same "$(jq .when <<<"$output")" 1250
}

@test "an allocation that starts later is a reservation" {
    run -0 rset-alloc allocate 3 --earliest --now 1000 -N1 --duration 60 held
    same "$(rset-alloc jobs --now 1000 -o json <<<"$output" |
        jq -c '.[] | select(.job == 3) | [.state, .start, .end]')" \
        '["reserved",1100,1160]'
    run -0 rset-alloc allocate 3 --earliest --now 1000 -N1 --duration 60 all
    same "$(rset-alloc jobs --now 1000 -o json <<<"$output" |
        jq -c '.[] | select(.job == 3) | [.state, .start, .end]')" \
        '["allocated",1000,1060]'
    run -2 rset-alloc allocate 3 --earliest --now 1000 -N1 held
    same "$output" "rset-alloc: --earliest: a later start needs --duration or --expiration (try 'rset-alloc allocate --help')"
    printf '%s\n' 'allocate 3 -N4 --earliest --duration 10' \
        'allocate 4 -N1 --duration 10' 'allocate 4 -N1 --earliest --duration 91' |
        rset-alloc batch - --now 1000 held >answers
    same "$(jq -c '[.status, .R.execution.starttime]' answers)" '[0,1100]
[1,null]
[0,1110]'
}

@test "commands and options that it does not go with" {
    run -2 rset-match --when held
    run -2 rset-match --earliest held
    run -2 rset-match --earliest --expiration 2000 -N1 held
    run -2 rset-match --when --feasible -N1 held
    run -2 rset-match --when --batch /dev/null held
    run -2 rset-alloc allocate 3 --earliest --take /cluster0/n0=1 held
    run -2 rset-alloc grow 1 -N1 --earliest held
}

@test "a node that is drained and reserved is said to be both" {
    rset-discover --hosts 'n[0-3]' --cores 0-1 >all
    rset-alloc drain n0 all |
        rset-alloc allocate maint --any-state --targets n0,n1 --at 10 \
            --duration 10 --now 0 >reserved
    run -1 rset-match -N4 --at 12 --duration 1 --now 0 reserved
    same "$output" 'rset-match: reserved: no match now: need 4 whole nodes: 2 available (1 allocated, 1 down and held)'
    run -1 rset-match -N4 --duration 15 --now 0 reserved
    same "$output" 'rset-match: reserved: no match now: need 4 whole nodes: 2 available (1 reserved, 1 down and held)'
    # each node counts once
    rset-alloc allocate 1 --any-state --targets n0 --duration 5 --now 0 all |
        rset-alloc drain n0 --reason fan >both
    run -1 rset-match -N4 --explain --now 1 both
    same "$output" 'rset-match: both: no match now: need 4 whole nodes: 3 available on n[1-3] (1 down and held); n0 is drained (fan) and held by 1 (until 1970-01-01T00:00:05Z)'
    same "$(rset-match -N4 --explain -o json --now 1 both | jq -c '[.both, .needs[0].more]')" \
        '["n0 is drained (fan) and held by 1 (until 1970-01-01T00:00:05Z)",{"down_and_held":1}]'
}

@test "parts that no node has together, and pools with sizes" {
    (rset-discover --hosts c0 --cores 0-15 -o jgf &&
        rset-discover --hosts g0 --ranks 1 --cores 0-3 --gpus 0-1 -o jgf) |
        rset-diff --union - >two.json
    run -3 rset-match -n1 -c12 -g1 two.json
    same "$output" 'rset-match: two.json: no match ever: need 1 slot with 12 cores and 1 gpu: there is none (a slot lies in one node, and no node has all of this)'
    jq -nc '{graph: {nodes: ([{id: "c", metadata: {type: "cluster"}}] + [range(3) |
        {id: "\(.)", metadata: {type: "ssd", id: ., size: 1024, unit: "GiB"}}]),
        edges: [range(3) | {source: "c", target: "\(.)"}]}}' | rset-alloc down ssd0,ssd1 >ssds.json
    says() { # STATUS SHAPE TEXT
        run -"$1" rset-match --shape "$2" ssds.json
        same "$output" "rset-match: ssds.json: no match $3"
    }
    rset-alloc down ssd2 ssds.json >none.json
    run -1 rset-match --shape 'ssd{x}' none.json
    same "$output" 'rset-match: none.json: no match now: need 1 whole ssd: none available (3 down)'
    says 1 'ssd=2000' 'now: need 2000 GiB of ssd: 1024 GiB available (2048 GiB down)'
    says 1 'ssd=2000{x}' 'now: need 2000 GiB of whole ssds: 1024 GiB available (2048 GiB down)'
    says 3 'ssd=4000' 'ever: need 4000 GiB of ssd: there are 3072 GiB'
}
