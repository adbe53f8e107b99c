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
    for target in demo check install uninstall help lint asan format; do
        grep -qE "^$target:" "$TOP/Makefile"
    done
}

@test "the layers are those that lint knows" {
    layers=$(sed -n '/^## How the parts fit/,/^    cmd/p' "$TOP/README.md" |
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
