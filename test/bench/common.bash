# Shared by the benchmarks: source it with the directory of the programs as $1.
# It changes into a new scratch directory.

bin=$(cd "$1" && pwd)
measure=$bin/test/bench/measure
loadb=$bin/test/bench/loadb
runs=${BENCH_RUNS:-5}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# $(costs COMMAND... [, COMMAND...]...): print seconds of CPU time and KiB of
# memory, a line for each command. They run in turn (measure.c).
costs() {
    "$measure" "$runs" "$@" </dev/null
}

# $(elapsed COMMAND...): the same with seconds on the clock.
elapsed() {
    "$measure" -w "$runs" "$@" </dev/null
}

# versus NAME TIME-BAR MEMORY-BAR WHAT MINE... , THEIRS...: print rows that
# compare the time and the memory of two commands. Without a bar there is no row.
versus() {
    local mine theirs
    { read -ra mine && read -ra theirs; } < <(costs "${@:5}")
    [ -z "$2" ] || row "$1.time" "$2" "${mine[0]}" "${theirs[0]}" ms "$4"
    [ -z "$3" ] || row "$1.memory" "$3" "${mine[1]}" "${theirs[1]}" MiB "$4"
}

row() { # NAME BAR MINE THEIRS UNIT WHAT
    awk -v name="$1" -v bar="$2" -v mine="$3" -v theirs="$4" -v unit="$5" \
        -v what="$6" 'BEGIN {
        scale = unit == "ms" ? 1000 : 1 / 1024
        printf "%s\t%.2f\t%s\t%s: %.1f to %.1f %s\n", name, mine / theirs,
               bar, what, mine * scale, theirs * scale, unit
    }'
}

# value NAME BAR WHAT FORMULA: print a row with the value of an awk formula.
value() {
    awk -v OFS='\t' -v name="$1" -v bar="$2" -v what="$3" \
        "BEGIN { v = $4
        print name, sprintf(v < 1000 ? \"%.2f\" : \"%d\", v), bar, what }" \
        </dev/null
}

# $(sync_time): print the milliseconds of a sync of a file that grows by a page.
sync_time() {
    local took
    read -ra took < <(runs=1 elapsed dd if=/dev/zero of=synced bs=4k count=100 \
        oflag=dsync status=none)
    rm synced
    awk -v took="${took[0]}" 'BEGIN { printf "%.2f", took * 10 }' </dev/null
}

# Describe the disk of TMPDIR at the same time.
beside() {
    echo "a sync takes $(sync_time) ms"
}

# Set `quick` to a folder in memory, or fail if there is none.
in_memory() {
    local memory=/dev/shm
    [ "$(stat -f -c %T $memory 2>&1)" = tmpfs ] && [ -w $memory ] &&
        [ "$(df --output=avail $memory | tail -n 1)" -gt 500000 ] || return
    quick=$(mktemp -d $memory/rset.XXXXXX)
    trap 'rm -rf "$scratch" "$quick"' EXIT
}

# graph NODES [RACKS] [UNLIKE] [MEMORY]: print nodes, in RACKS racks (0: none),
# of 2 sockets, each with 24 cores, 4 GPUs and MEMORY. UNLIKE=1: every second
# node has 16 cores a socket, every third no GPU.
graph() {
    awk -v nodes="$1" -v racks="${2:-0}" -v unlike="${3:-0}" \
        -v memory="${4:-0}" '
    function pool(above, type, id, rank, size) {
        source[n] = above
        printf "%s{\"id\":\"%d\",\"metadata\":{\"type\":\"%s\",\"id\":%d," \
               "\"rank\":%d", n ? "," : "", n, type, id, rank
        if (size != 1)
            printf ",\"size\":%d", size
        printf "}}"
        return n++
    }
    BEGIN {
        printf "{\"graph\":{\"nodes\":["
        above = cluster = pool(-1, "cluster", 0, -1, 1)
        for (i = 0; i < nodes; i++) {
            if (racks && i % (nodes / racks) == 0)
                above = pool(cluster, "rack", i * racks / nodes, -1, 1)
            cores = unlike && i % 2 ? 16 : 24
            gpus = unlike && i % 3 == 0 ? 0 : 4
            node = pool(above, "node", i, i, 1)
            for (s = 0; s < 2; s++) {
                socket = pool(node, "socket", s, i, 1)
                for (c = s * cores; c < (s + 1) * cores; c++)
                    pool(socket, "core", c, i, 1)
                for (g = s * gpus; g < (s + 1) * gpus; g++)
                    pool(socket, "gpu", g, i, 1)
                if (memory)
                    pool(socket, "memory", s, i, memory)
            }
        }
        printf "],\"edges\":["
        for (i = 1; i < n; i++)
            printf "%s{\"source\":\"%d\",\"target\":\"%d\"}", \
                   (i > 1 ? "," : ""), source[i], i
        print "]}}"
    }' </dev/null
}
