# The manual pages: their examples are run, and their options are those of the
# programs and completions.

load common

PROGRAMS='rset-discover rset-match rset-alloc rset-diff idset'
# Built only if flux-core is found.
if command -v flux-rset >/dev/null; then
    PROGRAMS+=' flux-rset'
fi

# --- examples -------------------------------------------------------------

examples() {
    "$TEST_DIR/examples" "$TOP/man/$1"
}

@test "rset-discover.1: examples print what is shown" {
    examples rset-discover.1
}

@test "rset-match.1: examples print what is shown" {
    examples rset-match.1
}

@test "rset-alloc.1: examples print what is shown" {
    needs jq python3
    examples rset-alloc.1
}

@test "rset-diff.1: examples print what is shown" {
    examples rset-diff.1
}

@test "idset.1: examples print what is shown" {
    examples idset.1
}

@test "rset-documents.5: examples print what is shown" {
    examples rset-documents.5
}

@test "rset-store.5: examples print what is shown" {
    needs sqlite3
    examples rset-store.5
}

@test "rset-protocol.5: examples print what is shown" {
    examples rset-protocol.5
}

@test "rset-serve.7: examples print what is shown" {
    needs python3
    examples rset-serve.7
}

@test "rset-request.7: examples print what is shown" {
    needs jq
    examples rset-request.7
}

@test "rset.7: examples print what is shown" {
    needs jq
    examples rset.7
}

@test "rset-options.7: examples print what is shown" {
    needs jq
    examples rset-options.7
}

@test "rset-view.7: examples print what is shown" {
    examples rset-view.7
}

@test "a wrong example is found" {
    printf '%s\n' '.Bd -literal' '$ idset 1 2' '1,2' '.Ed' >page.1
    run -1 "$TEST_DIR/examples" page.1
    [[ $output == *$'\n-1,2\n+1-2'* ]]
    sed -i s/1,2/1-2/ page.1
    run -0 "$TEST_DIR/examples" page.1
    sed -i '3d' page.1
    run -1 "$TEST_DIR/examples" page.1
}

@test "the examples of a page find the programs that it shows" {
    printf '%s\n' '.Pa bin/greet' '.Bd -literal' '#!/bin/sh' 'echo \(aqhi\(aq' \
        '.Ed' '.Bd -literal' '$ sh greet' 'hi' '.Ed' >page.1
    run -0 "$TEST_DIR/examples" page.1
}

@test "a page without examples is found" {
    echo '.Sh EXAMPLES' >page.1
    refused 'examples: page.1: no examples' "$TEST_DIR/examples" page.1
}

# --- macros ---------------------------------------------------------------

@test "no word is a macro by accident, and quotes are closed" {
    needs mandoc
    accidents() { # PAGE...
        grep -nE '^\.[A-Z][A-Za-z] (.* )?(Ad|An|At|Do|Es|Ex|In|It|Li|Re|St)( |$)' "$@"
        # shellcheck disable=SC1112 # these quotes are meant
        mandoc -Tutf8 "$@" | grep -e '’’' -e '‘‘'
    }
    same "$(accidents "$TOP"/man/*)" ''
    printf '%s\n' '.Dd November 1, 2026' '.Dt PAGE 1' '.Os' '.Sh NAME' \
        '.Bl -tag' '.It In place' '.El' '.Ql ${ Ns Ar key Ns Ql }' >page.1
    same "$(accidents page.1 | grep -c .)" 2
}

@test "errors are marked as errors, not as variables" {
    grep -qE '^\.Er E[A-Z]+( |$)' "$TOP"/man/*.[1-8]
    run -1 grep -nE '^\.(.* )?Ev (.* )?E[A-Z]+( |$)' "$TOP"/man/*.[1-8]
}

# --- options --------------------------------------------------------------

# Each of these functions prints the names of options, a line for each.

of_help() { # PROGRAM
    {
        "$1" --help
        "$1" --help | sed -nE '1,/COMMAND --help/s/^  ([a-z]+)( .*|$)/\1/p' |
            while read -r command; do
                "$1" help "$command"
            done
    } |
        sed -nE 's/^  ( {4}|(-[^-]), )(--[A-Za-z0-9-]+).*/\2 \3/p' | names
}

# Print the options of a page that have an item or stand in a list; `any`: also
# those that are named alone.
of_page() { # PROGRAM [any]
    awk -v least="$([ $# -gt 1 ] || echo 3)" '
    /^\.Sh/ { inside = /OPTIONS/ }
    inside && /^\.It Fl/ {
        for (i = 2; i < NF; i++)
            if ($i == "Fl")
                print "-" $(i + 1)
    }
    inside && /^\.Fl/ && gsub(/ ,/, "") + 1 >= least {
        for (i = 2; i <= NF && $i !~ /^[A-Z][a-z]$|^[.;:]$/; i++)
            print "-" $i
    }' "$TOP/man/$1.1" | names
}

names() {
    tr ' ' '\n' | grep . | sort -u
}

@test "--help and OPTIONS have the same options" {
    for program in $PROGRAMS; do
        help=$(of_help "$program")
        [[ $help == *--help* ]]
        same "$(comm -23 <(of_page "$program") - <<<"$help")" ''
        same "$(comm -13 <(of_page "$program" any) - <<<"$help")" ''
    done
}

@test "--help and the completions have the same options" {
    for program in $PROGRAMS; do
        same "$(of_help "$program")" \
            "$("$program" --complete 0 - | sed 1d | cut -f1 | tr -d = | sort)"
    done
}

@test "rset-alloc.1 has the commands of rset-alloc" {
    commands=$(rset-alloc --help |
        sed -nE '1,/COMMAND --help/s/^  ([a-z]+)( .*|$)/\1/p' | sort)
    [ "$(wc -l <<<"$commands")" -ge 4 ]
    same "$commands" "$(sed -nE 's/^\.It Cm ([a-z]+).*/\1/p' \
        "$TOP/man/rset-alloc.1" | sort)"
}

@test "the pages name each job that stands for jobs that are not listed" {
    jobs=$(cat "$TOP"/libcommon/source/*.c | grep -oE '"[a-z]+:unknown"' | tr -d '"' | sort -u)
    same "$jobs" 'pbs:unknown
slurm:unknown'
    for page in rset-discover.1 rset-documents.5; do
        for job in $jobs; do
            grep -q "^\.Sy $job\b" "$TOP/man/$page"
        done
    done
}

# Print the options of a command by the table in rset-alloc.1, and by its help.
page_takes() { # COMMAND
    awk -v command="$1" '
    / Ta a request/ { sub(/a request/, "Fl -nodes , Fl -nslots , Fl -cores-per-slot , Fl -gpus-per-slot , Fl -exclusive , Fl -shape , Fl -jobspec , Fl -include , Fl -exclude , Fl -requires , Fl -constraint , Fl -slot-scope , Fl -granule , Fl -policy , Fl -node-exclusive ") }
    /^\.It .* Ta / {
        split($0, halves, " Ta ")
        if ((", " substr(halves[1], 5) ",") !~ ("[ ,]" command ","))
            next
        n = split(halves[2], words, " ")
        for (i = 1; i < n; i++)
            if (words[i] == "Fl" && words[i + 1] == "t")
                print "time-limit"
            else if (words[i] == "Fl" && words[i + 1] != "o")
                print substr(words[i + 1], 2)
    }' "$TOP/man/rset-alloc.1" | sort
}

# Leave out options of all commands and of documents.
help_takes() { # COMMAND
    rset-alloc help "$1" | sed -nE 's/^  (    |-., )--([A-Za-z0-9-]+).*/\2/p' |
        grep -vxF "$(rset-alloc --help | sed -nE 's/^  (    |-., )--([a-z-]+).*/\2/p')" |
        grep -vxE 'output|subsystem|dialect|shorthand|trust|or-empty|expand|expect-jobs' |
        sort
}

@test "rset-alloc.1 lists the options of each command" {
    sed -nE 's/^\.It Cm ([a-z]+).*/\1/p' "$TOP/man/rset-alloc.1" >commands
    [ "$(wc -l <commands)" -gt 28 ]
    while read -r command; do
        diff <(page_takes "$command") <(help_takes "$command") || {
            echo "$command"
            return 1
        }
    done <commands
    same "$(help_takes available | paste -sd ' ')" 'any-state at now'
}

@test "the pages name each form of -o, and no other" {
    rset-discover --hosts node0 >set.json
    forms=$(sed -nE '/^\.Sh FORMS/,/^\.Sh TREES/s/^\.It Ar (.*)/\1/p' \
        "$TOP/man/rset-view.7" | sed 's/ , /\n/' | sort)
    for form in $forms; do
        if [ "$form" = json ]; then
            rset-match --count core -o json set.json >out
        else
            rset-match -o "$form" set.json >out
        fi
        [ -s out ]
    done
    same "$forms" "$(rset-match --complete 1 -o '' | sed 1d | cut -f1 | sort)"
}

# --- the rest -------------------------------------------------------------

@test "all programs have the version of the Makefile" {
    version=$(sed -n 's/^VERSION := //p' "$TOP/Makefile")
    for program in $PROGRAMS; do
        same "$("$program" --version)" "$program $version"
    done
}

@test "every program has a page, and every page its sections" {
    for program in $(programs); do
        page=$TOP/man/$program.1
        for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' \
            EXAMPLES DIAGNOSTICS 'SEE ALSO' STANDARDS; do
            grep -qx ".Sh $section" "$page"
        done
    done
}

@test "pages refer to pages that are there" {
    sed -nE 's/.*Xr (idset|rset[a-z-]*|flux-rset|sched-rset) ([1-8]).*/\1.\2/p' "$TOP"/man/*.? |
        sort -u >named
    (cd "$TOP/man" && ls -- *.?) | sort >there
    diff named there
}

# `man rset` has to open rset(7), and man looks into section 5 first.
@test "pages of different sections have different names" {
    same "$(cd "$TOP/man" && printf '%s\n' *.[1-8] | sed 's/..$//' | sort |
        uniq -d)" ''
}

# A section of another page is named as `.Sx TIMES`, `in`, `.Xr rset-options 7`.
@test "pages refer to sections that are there" {
    awk '
    FNR == 1 { page = FILENAME; sub(/.*\//, "", page) }
    /^\.S[sh] / { there[page, substr($0, 5)] }
    in_page && /^\.Xr / { where = $2 "." $3 }
    name != "" && $0 != "in" {
        wanted[where, name] = page ": " name
        name = ""
    }
    { in_page = name != "" }
    /^\.(Pq )?Sx / {
        name = $0
        where = page
        sub(/^\.(Pq )?Sx /, "", name)
        sub(/[ .,;:)]+$/, "", name)
    }
    END {
        for (i in wanted)
            if (!(i in there))
                print wanted[i]
    }' "$TOP"/man/*.[1-8] >missing
    same "$(cat missing)" ''
}

@test "mandoc reports nothing" {
    needs mandoc
    run -0 mandoc -Tlint -W warning "$TOP"/man/*.[1-8]
    same "$output" ''
}

# words RENDERER...: print the words of the page on standard input without head
# and foot, with one kind of dash, and without the quotation marks that some
# versions of groff put around names of sections.
words() {
    "$@" | LC_ALL=C.UTF-8 sed -e 's/.\x08//g' -e 's/ —\+ / – /' -e 's/[“”]//g' \
        -e '/^ *$/d' |
        sed '1d;$d' | tr -s ' ' '\n'
}

@test "mandoc and groff show the same words" {
    needs mandoc groff
    for page in "$TOP"/man/*.[1-8]; do
        words mandoc -T utf8 <"$page" >mandoc.words
        # in lines so long that no word is split
        words groff -mandoc -t -T utf8 -P-c -rLL=4000n <"$page" \
            >groff.words 2>err
        diff mandoc.words groff.words
        same "$(cat err)" ''
        [ "$(wc -l <groff.words)" -gt 500 ]
    done
}
