#!/usr/bin/env bats
# The module for Flux: the libraries that it links, and a short run in an
# instance. `make check-flux` runs test/flux.

load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export MODULE=$RSET_BIN/sched-rset.so
    [ -e "$MODULE" ] || skip 'pkg-config did not find flux-core: no module'
}

# shellcheck disable=SC2034 # instance() reads it
fake=(--conf=fake-resources.nnodes=4 --conf=fake-resources.cores-per-node=4)

@test "a module schedules, is loaded again, and leaves the broker intact" {
    needs flux
    instance 1 short
}

@test "the module links no database and no YAML, and has no mutable globals" {
    needs readelf objdump
    same "$(readelf -dW "$MODULE" | sed -n 's/.*NEEDED.*\[lib\(.*\)\.so.*/\1/p' |
        grep -vxE 'c|m|flux-core')" jansson
    # the compiler's own objects may stay: __dso_handle, completed.0
    same "$(objdump -t "$MODULE" |
        awk '$(NF - 2) == ".data" || $(NF - 2) == ".bss" { print $NF }' |
        grep -vE '^(\.data|\.bss|__dso_handle|__TMC_END__|completed\.[0-9]+)$')" ''
    same "$(nm -D --defined-only "$MODULE" | awk '{ print $3 }')" mod_main
}
