#!/usr/bin/env bash
# documents.sh BUILD-DIR: measure reading, checking, counting, recording and
# writing, beside jansson's json_loadb() and json_dumpb() on the same file: see
# test/bench/run.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"

# A million equal ranks are one entry of R_lite.
"$bin/rset-discover" --hosts 'node[0-999999]' --cores 0-47 --gpus 0-7 >r.json

# Nodes of 2 sockets, each with 24 cores and 4 GPUs: 1,000 nodes are 59,001
# vertices with the cluster, and 59,000 edges. With all keys, as rset-match
# writes them.
graph 1000 | "$bin/rset-match" -o jgf >jgf.json

# A million equal ranks cost what one costs. Small programs run more often.
"$bin/rset-discover" --hosts node0 --cores 0-47 --gpus 0-7 >one.json
runs=$((runs * 5))
versus grow.R '<=1.2' '<=1.1' 'rset-match --count, R of 1,000,000 ranks to one' \
    "$bin/rset-match" --count core r.json , \
    "$bin/rset-match" --count core one.json
versus count.R '<=2' '' 'rset-match --count to json_loadb, 1,000,000 ranks' \
    "$bin/rset-match" --count core r.json , "$loadb" r.json
versus allocate.R '<=1.3' '' \
    'rset-alloc allocate to rset-match, R of 1,000,000 ranks' \
    "$bin/rset-alloc" allocate 1 -n1 -c2 r.json , "$bin/rset-match" r.json
runs=$((runs / 5))

versus count.JGF '<=1' '<=0.2' \
    'rset-match --count to json_loadb, JGF of 118,001 elements' \
    "$bin/rset-match" --count core jgf.json , "$loadb" jgf.json
versus write.JGF '<=2' '' \
    'rset-match to json_loadb and json_dumpb, JGF of 118,001 elements' \
    "$bin/rset-match" jgf.json , "$loadb" -d jgf.json
versus allocate.JGF '<=1.3' '' \
    'rset-alloc allocate to rset-match, JGF of 118,001 elements' \
    "$bin/rset-alloc" allocate 1 -n1 -c2 jgf.json , "$bin/rset-match" jgf.json


# Ten times as many elements must not cost much more than ten times as much.
graph 10000 | "$bin/rset-match" -o jgf >large.json
versus grow.JGF '<=12' '<=12' \
    'rset-match --count, JGF of 1,180,001 to one of 118,001 elements' \
    "$bin/rset-match" --count core large.json , \
    "$bin/rset-match" --count core jgf.json
