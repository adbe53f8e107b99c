# README.md: what its tour shows is what is printed.

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

@test "clusters are gathered as rset-discover(1) says" {
    commands() { # FILE
        sed -n '/^flux run/,/^[.`]/p' "$1" | sed '$d; s/\\(aq/'"'/g"
    }
    same "$(commands "$TOP/README.md")" \
        "$(commands "$TOP/man/rset-discover.1")"
}

@test "what the text points to is there" {
    grep -oE '\]\([^)]*\)' "$TOP/README.md" | tr -d ']()' |
        while read -r file; do
            [ -e "$TOP/$file" ]
        done
    cat "$TOP/README.md" "$TOP/libcommon/README.md" |
        grep -oE '`make [a-z-]+|^    make [a-z]+' | sort -u >targets
    [ "$(wc -l <targets)" -gt 8 ]
    while read -r _ target; do
        grep -qE "^([a-z -]* )?$target( [a-z -]*)?:" "$TOP/Makefile"
    done < <(sed 's/.*make/make/' targets)
}

# X stands for what is added.
@test "libcommon/README.md names files and functions that are there" {
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

@test "the layers are those that lint knows" {
    layers=$(sed -n '/^## The layers/,/^The rule/p' "$TOP/libcommon/README.md" |
        sed -nE 's/^ {4,6}([a-z]+) +[a-zA-Z].*/\1/p')
    folders=("$TOP"/libcommon/*/)
    same "$(sort <<<"$layers")" "$(basename -a -- "${folders[@]}")"
}

@test "the packages are those that test/deps installs" {
    for package in $(sed -nE 's/^\| to (build|test) \| (.*) \|/\2/p' \
        "$TOP/README.md" | tr -d '`'); do
        grep -qE "[ \"]$package( |\$)" "$TEST_DIR/deps"
    done
}
