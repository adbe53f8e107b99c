#!/usr/bin/env bash
# tables.sh BUILD-DIR: measure tables without reading, for 10,000 nodes, a
# seventh of them drained, with 3,000 jobs: see test/bench/run.

# shellcheck disable=SC1091,SC2086,SC2154 # common.bash; words of BASE
set -eu -o pipefail
. "$(dirname "$0")/common.bash"

awk 'BEGIN {
    srand(1)
    for (i = 0; i < 10000; i += 7)
        print "drain", i, "--reason fan"
    for (i = 0; i < 3000; i++)
        print "allocate", i, "-n" 1 + int(rand() * 30), "-c4 --owner u" i % 50
}' </dev/null >commands
"$bin/rset-discover" --hosts 'node[0-9999]' --cores 0-47 --gpus 0-7 \
    --property ssd:0-4999 >free.json
"$bin/rset-alloc" batch commands --no-R --save used.json free.json >/dev/null

# BASE reads and selects the same, and prints next to nothing.
table() { # NAME BASE COMMAND...
    local took base
    { read -ra took && read -ra base; } < <(costs "$bin/$3" "${@:4}" used.json , \
        "$bin/rset-match" $2 -o ranks used.json)
    value "table.$1" '<=50' "ms beyond reading: ${*:3}" \
        "(${took[0]} - ${base[0]}) * 1000"
}

table nodes '' rset-alloc nodes --sort -free_cores
table jobs '' rset-alloc jobs --columns all
table status '' rset-alloc status --by property
table types '' rset-alloc status --by type
table pools '--type node' rset-match --type node -o table
