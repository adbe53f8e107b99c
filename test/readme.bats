# README.md: its tour, its picture and its tables are true.

load common

@test "each block of the tour prints what is shown" {
    needs sqlite3
    "$TEST_DIR/examples" "$TOP/README.md"
}

@test "each block with a command is one that is run" {
    same "$(grep -c '^\$ ' "$TOP/README.md")" \
        "$(awk '/^```console$/ { inside = 1 } /^```$/ { inside = 0 }
            inside && /^\$ / { n++ } END { print n }' "$TOP/README.md")"
}

@test "the pictures can be drawn again, byte for byte" {
    for picture in cluster timeline; do
        cmp "$TOP/man/$picture.svg" <("$TEST_DIR/picture" $picture)
        [ "$(wc -c <"$TOP/man/$picture.svg")" -lt 60000 ]
    done
}

@test "the command that gathers a cluster is in rset-discover(1)" {
    command=$(grep -oE '`flux run [^`]* --union -`' "$TOP/README.md" | tr -d '`')
    grep -F "$command" "$TOP/man/rset-discover.1"
}

# sh_block WORD: print the block of commands without output that contains WORD.
sh_block() {
    awk -v word="$1" '
        /^```sh$/ { block = ""; inside = 1; next }
        /^```$/ { if (inside && index(block, word)) printf "%s", block
            inside = 0 }
        inside { block = block $0 "\n" }' "$TOP/README.md"
}

@test "the commands for Slurm read what Slurm prints" {
    sh_block squeue >block
    [ -s block ]
    if ! command -v squeue; then
        scontrol() {
            cat "$TEST_DIR/fixtures/slurm-24.11-node.json"
        }
        squeue() {
            cat "$TEST_DIR/fixtures/slurm-24.11-job.json"
        }
    fi
    eval "$(<block)"
    [ -s now.json ]
}

@test "the commands for Flux run in an instance" {
    needs flux "$RSET_BIN/flux-rset" "$RSET_BIN/sched-rset.so"
    sh_block 'flux rset' >block
    [ -s block ]
    unset FLUX_URI
    FLUX_EXEC_PATH_PREPEND=$RSET_BIN FLUX_MODULE_PATH_PREPEND=$RSET_BIN \
        timeout -k 10 600 flux start -s1 --conf=fake-resources.nnodes=4 \
        --conf=fake-resources.cores-per-node=4 bash -e ./block 3>&- 4>&-
}

# rows TOOL: print rows of the table of equal commands, as THERE<tab>HERE.
rows() {
    awk -F ' *\\| *' -v tool="$1" '
        /^## If you know/ { inside = 1 }
        /^## Manuals/ { inside = 0 }
        inside && $2 != "" { now = $2 }
        inside && now == tool && $3 ~ /`/ { gsub(/`/, ""); print $3 "\t" $4 }' \
        "$TOP/README.md"
}

@test "commands of idset answer as the nodeset commands beside them" {
    needs nodeset
    rows nodeset >rows
    [ "$(wc -l <rows)" -ge 6 ]
    while IFS=$'\t' read -r there here; do
        same "$(bash -c "$here")" "$(bash -c "$there")"
    done <rows
}

@test "commands that change or print an R answer as the flux R commands beside them" {
    needs flux
    rset-discover --hosts 'node[0-3]' --cores 0-7 --gpus 0-1 >all.json
    rows 'flux R' | grep decode >rows
    [ "$(wc -l <rows)" -ge 3 ]
    while IFS=$'\t' read -r there here; do
        same "$(bash -c "$here <all.json")" "$(bash -c "$there <all.json")"
    done <rows
    rows 'flux R' | grep remap >rows
    flux R encode -r 3,5-6 -c 4,6-9 -g 1,3 -H a,b,c -p x:5 >odd.json
    IFS=$'\t' read -r there here <rows
    same "$(bash -c "$here <odd.json" | jq -cS .execution.R_lite)" \
        "$(bash -c "$there <odd.json" | jq -cS .execution.R_lite)"
}

@test "the version is that of the Makefile" {
    grep -F "version $(sed -n 's/^VERSION := //p' "$TOP/Makefile")," \
        "$TOP/README.md"
}

@test "the commands that replace those of other tools exist" {
    rset-discover --hosts 'n[0-3],node[0-3]' --cores 0-7 --gpus 0-1 |
        rset-alloc drain node0 --reason fan --now 1000 >all.json
    sed -n '/^## If you know/,/^## Manuals/s/^|.*| `\(rset-[^`]*\)`.*/\1/p' \
        "$TOP/README.md" | grep -E '^rset-(alloc|match)' >commands
    [ "$(wc -l <commands)" -gt 10 ]
    while read -r command; do
        run bash -c "$command all.json"
        [ "$status" -le 1 ]
    done <commands
}

@test "links and make targets exist" {
    local page
    for page in README.md libcommon/README.md test/README.md; do
        grep -oE '\]\([^)]*\)' "$TOP/$page" | tr -d ']()' | grep -v '^https:' |
            while read -r file; do
                [ -e "$TOP/${page%README.md}$file" ]
            done
    done
    cat "$TOP"/{,libcommon/,test/}README.md |
        grep -oE '`make [a-z-]+|^    make [a-z]+' | sort -u >targets
    [ "$(wc -l <targets)" -gt 8 ]
    while read -r _ target; do
        grep -qE "^([a-z -]* )?$target( [a-z -]*)?:" "$TOP/Makefile"
    done < <(sed 's/.*make/make/' targets)
}

@test "the test that test/README.md shows passes" {
    {
        printf 'load "%s/common"\n' "$TEST_DIR"
        sed -n '/^@test/,/^}/p' "$TEST_DIR/README.md"
    } >shown.bats
    run -0 bats --tap shown.bats
    same "${lines[0]}" 1..1
}

# X stands for the name of a new part.
@test "libcommon/README.md names files and functions that exist" {
    cd "$TOP/libcommon"
    words() { # REGEX
        grep '^|' README.md | grep -oE "\`$1\`" | tr -d '`' | grep -v X | sort -u
    }
    words '[a-zA-Z/_-]+\.[ch]' >"$BATS_TEST_TMPDIR/files"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/files")" -gt 20 ]
    while read -r file; do
        find . ../cmd ../test -path "*/${file#cmd/}" | grep -q .
    done <"$BATS_TEST_TMPDIR/files"
    words '[a-z]+_[a-z_]+' >"$BATS_TEST_TMPDIR/functions"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/functions")" -gt 15 ]
    while read -r name; do
        grep -rqE "\b${name}[[(]" . ../cmd || [ -e "../test/unit/$name.c" ]
    done <"$BATS_TEST_TMPDIR/functions"
}

@test "the layers are the layers of lint" {
    layers=$(sed -n '/^## The layers/,/^The rule/p' "$TOP/libcommon/README.md" |
        sed -nE 's/^ {4,6}([a-z]+) +[a-zA-Z].*/\1/p')
    folders=("$TOP"/libcommon/*/)
    same "$(sort <<<"$layers")" "$(basename -a -- "${folders[@]}")"
}

@test "test/deps installs the packages that README.md lists" {
    for package in $(sed -nE 's/^\| to (build|test) \| (.*) \|/\2/p' \
        "$TOP/README.md" | tr -d '`'); do
        grep -qE "[ \"]$package( |\$)" "$TEST_DIR/deps"
    done
}
