#!/usr/bin/env bash
# discover.sh BUILD-DIR: measure discovering a machine, beside hwloc's hwloc-ls
# (Debian: hwloc-nox): this machine with its devices, or its cores alone, and a
# recorded one of 256 threads. Both programs run in turn: see test/bench/run.
#
# Without hwloc-ls there is no row.

# shellcheck disable=SC1091,SC2154 # what common.bash sets
set -eu -o pipefail
. "$(dirname "$0")/common.bash"
command -v hwloc-ls >/dev/null || exit 0
runs=$((runs * 5))

discover=$bin/rset-discover
hwloc-ls -i 'pack:2 numa:4 l3:2 l2:8 core:1 pu:2' --of xml big.xml
versus discover.machine '<=1.2' '' 'this machine as a graph, to hwloc-ls' \
    "$discover" -o jgf , hwloc-ls
versus discover.cores '<=1.2' '' 'its cores, to hwloc-ls --no-io' \
    "$discover" --types core , hwloc-ls --no-io
versus discover.xml '<=1.2' '' 'the R of 256 threads, to hwloc-ls' \
    "$discover" --xml big.xml , hwloc-ls -i big.xml
versus discover.graph - '' 'the graph of them, to hwloc-ls' \
    "$discover" --xml big.xml -o jgf , hwloc-ls -i big.xml
