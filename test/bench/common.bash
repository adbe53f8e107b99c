# What the benchmarks of documents share: sourced with the directory of the
# programs as $1; leaves one in a scratch directory of its own.

bin=$(cd "$1" && pwd)
measure=$bin/test/bench/measure
loadb=$bin/test/bench/loadb
runs=${BENCH_RUNS:-9}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# $(costs COMMAND...): the seconds and the KiB of memory.
costs() {
    "$measure" "$runs" "$@" </dev/null
}

row() { # NAME BAR MINE THEIRS UNIT WHAT
    awk -v name="$1" -v bar="$2" -v mine="$3" -v theirs="$4" -v unit="$5" \
        -v what="$6" 'BEGIN {
        scale = unit == "ms" ? 1000 : 1 / 1024
        printf "%s\t%.2f\t%s\t%s: %.1f to %.1f %s\n", name, mine / theirs,
               bar, what, mine * scale, theirs * scale, unit
    }'
}
