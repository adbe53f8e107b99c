#!/usr/bin/env bash
# algebra.sh BUILD-DIR: measure combining two sets, from start to exit: see
# test/bench/run.
#
# For sets of equal ranks only the time counts: it is that of any small program.
# If all ranks differ, each has an entry of its own in R_lite, and the measure
# is jansson's json_loadb() of both documents and json_dumpb() of the result.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"

# --- a million equal ranks -------------------------------------------------

"$bin/rset-discover" --hosts 'node[0-999999]' --cores 0-47 --gpus 0-7 >all.json
"$bin/rset-discover" --hosts 'node[0-999999]' --cores 24-71 --gpus 4 >part.json

for op in subtract union intersect xor; do
    read -ra mine < <(costs "$bin/rset-diff" "--$op" all.json part.json)
    awk -v op="$op" -v took="${mine[0]}" 'BEGIN {
        printf "equal.%s\t%.2f\t<=10\tms: rset-diff --%s, two sets of " \
               "1,000,000 equal ranks\n", op, took * 1000, op
    }'
done

# --- 100,000 ranks that all differ -----------------------------------------

# The cores 0-16 of each rank are the bits of a number of its own, and it has
# all of cores 17-47: five or six runs.
different() { # FACTOR GPUS
    awk -v factor="$1" -v gpus="$2" '
    function cores(n,    text, first, i) {
        first = -1
        for (i = 0; i < 17; i++) {
            if (n % 2 == 0 && first >= 0)
                text = text (first < i - 1 ? first "-" i - 1 : first) ","
            if (n % 2 == 0 || first < 0)
                first = n % 2 ? i : -1
            n = int(n / 2)
        }
        return text (first < 0 ? 17 : first) "-47"
    }
    BEGIN {
        printf "{\"version\":1,\"execution\":{\"R_lite\":["
        for (i = 0; i < 100000; i++)
            printf "%s{\"rank\":\"%d\",\"children\":{\"core\":\"%s\"," \
                   "\"gpu\":\"%s\"}}", i ? "," : "", i,
                   cores(i * factor % 131072), gpus
        print "],\"nodelist\":[\"node[0-99999]\"]}}"
    }' </dev/null
}
different 1 0-3 >left.json
different 48271 2-5 >right.json

for op in subtract union intersect xor; do
    "$bin/rset-diff" "--$op" left.json right.json >answer.json
    {
        read -ra mine
        read -ra both
        read -ra load
        read -ra dump
    } < <(costs "$bin/rset-diff" "--$op" left.json right.json , \
        "$loadb" left.json right.json , "$loadb" answer.json , \
        "$loadb" -d answer.json)
    theirs=$(awk -v both="${both[0]}" -v load="${load[0]}" \
        -v dump="${dump[0]}" 'BEGIN { print both + dump - load }')
    what="rset-diff --$op to json_loadb and json_dumpb, 100,000 ranks"
    row "differ.$op.time" '<=2' "${mine[0]}" "$theirs" ms "$what"
    row "differ.$op.memory" '<=2' "${mine[1]}" "${both[1]}" MiB "$what"
done
# shellcheck disable=SC2016 # $0 is the inner shell's
versus differ.compare '<=5' '' 'rset-diff to json_loadb, 100,000 ranks' \
    sh -c '"$0" left.json right.json || [ $? = 1 ]' "$bin/rset-diff" , \
    "$loadb" left.json right.json
