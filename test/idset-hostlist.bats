# idset with lists of hosts: -H, --hostlist.

load common

hosts() {
    idset -H "$@"
}

# --- RFC 29 ---------------------------------------------------------------

@test "lists are appended in order, with duplicates" {
    same "$(hosts red,blue,red)" "red,blue,red"
    same "$(hosts 'n[2-4]' n9 n2)" "n[2-4,9,2]"
    same "$(hosts -e 'n[9,2,9]')" "n9 n2 n9"
    same "$(hosts -e 'n[5,4,10-11]')" "n5 n4 n10 n11"
    same "$(hosts -e 'a[1-2],b[7]')" "a1 a2 b7"
    same "$(hosts -e '[3-4]')" "3 4"
    same "$(hosts '')" ""
    same "$(hosts -c 'a,,b,')" "2"
}

@test "zeros of the first number pad its bracket" {
    same "$(hosts -e 'rack[007,8-10]')" "rack007 rack008 rack009 rack010"
    same "$(hosts -e '[00-3]')" "00 01 02 03"
    same "$(hosts -e 'n[98-101]')" "n98 n99 n100 n101"
    same "$(hosts -e 'n[098-101]')" "n098 n099 n100 n101"
    same "$(hosts -e 'n[9-10,09-10]')" "n9 n10 n09 n10"
    same "$(hosts -e 'n[005,4]')" "n005 n004"
}

@test "--pad-each: zeros pad only their own range, as Flux writes them" {
    same "$(hosts --pad-each -e 'n[005,4]')" "n005 n4"
    same "$(hosts --pad-each 'n[005,4]')" "n005,n4"
    same "$(hosts --pad-each -e 'n[08-10,7]')" "n08 n09 n10 n7"
}

@test "padding is kept: n9, n09 and n009 are three hosts" {
    same "$(hosts n9 n09 n009)" "n9,n09,n009"
    same "$(hosts n09 n10 n11)" "n[09-11]"
    same "$(hosts n9 n10 n11)" "n[9-11]"
    same "$(hosts 'n[08-11]' -x n9)" "n[08-11]"
    same "$(hosts 'n[08-11]' -x n09)" "n[08,10-11]"
    run -1 hosts 'n[0-5]' --contains n00
    run -0 hosts 'n[00-05]' --contains n00
}

@test "every reader pads the output in the same way" {
    same "$(hosts n005 n4)" "n005,n4"
    same "$(hosts n005 n4000)" "n[005,4000]"
    same "$(hosts n1 n02)" "n1,n02"
    same "$(hosts 'n[9-10,09-10]')" "n[9-10],n[09-10]"
}

@test "names are folded if they differ in one number" {
    same "$(hosts 'gw[1-2]-ib0' gw3-ib0 gw5-ib0)" "gw[1-3,5]-ib0"
    same "$(hosts foo0-eth2 foo1-eth2 foo2-eth2)" "foo[0-2]-eth2"
    same "$(hosts a9-e0 a10-e0)" "a[9-10]-e0"
    same "$(hosts r1n1 r1n2 r2n1 r2n2)" "r1n[1-2],r2n[1-2]"
}

@test "a name may be split in two ways: p0[7-8] contains p07" {
    run -0 hosts 'p0[7-8]' --contains p07
    run -0 hosts 'p[07-08]' --equal 'p0[7-8]'
    same "$(hosts --index p08 'p0[7-8]')" "1"
}

@test "numbers of any length keep their digits" {
    same "$(hosts n123456789012345678901234567890)" \
        "n123456789012345678901234567890"
    same "$(hosts -e 'n[99999999999999999999,3]')" "n99999999999999999999 n3"
}

# bad LIST FAULT: LIST is refused with FAULT.
bad() {
    refused "idset: argument 1: \"$1\": $2" idset -H -- "$1"
}

@test "lists that RFC 29 does not allow are refused" {
    bad 'n[' 'bracket is not closed at offset 1'
    bad 'n]' 'unexpected "]" at offset 1'
    bad 'n[]' 'empty item at offset 2'
    bad 'n[4-2]' '"4-2" descends at offset 2'
    bad 'n[1-]' 'range has no end at offset 4'
    bad 'n[-1]' 'range has no start at offset 2'
    bad 'n[1,]' 'empty item at offset 4'
    bad 'n[a-b]' 'unexpected "a" at offset 2'
    bad 'n[1--2]' 'unexpected "-" at offset 4'
    bad 'n[1-2-3]' 'unexpected "-" at offset 5'
    bad 'n[+1]' 'unexpected "+" at offset 2'
    bad 'n[ 1]' 'unexpected white space at offset 2'
    bad 'n[1-2]x[3]' 'second bracket in one name at offset 7'
    bad 'n[1-[2]]' 'unexpected "[" at offset 4'
    bad 'a b' 'unexpected white space at offset 1'
    bad 'n[1-99999999999999999999]' \
        '"99999999999999999999" is too large for a range at offset 4'
}

@test "a list beyond a limit is an error, not an allocation" {
    bad 'n[0-10000000]' 'more than 10000000 hosts'
    bad 'n[0-9999999],x' 'more than 10000000 hosts'
    bad 'n[0-999999999999999999]' 'more than 10000000 hosts'
    same "$(hosts -c 'n[0-9999999]')" "10000000"
    same "$(hosts -c --limit 4294967295 'n[0-4294967294]')" "4294967295"
    refused 'idset: argument 1: "n[0-5]": more than 5 hosts' \
        idset -H --limit 5 'n[0-5]'
    refused 'idset: argument 2: "m[0-2]": more than 5 hosts' \
        idset -H --limit 5 'n[0-2]' 'm[0-2]'
    refused 'idset: more than 5 hosts' \
        idset -H --limit 5 'n[0-2]' -x n0 'm[0-3]'
}

@test "names are never cut" {
    long=$(printf 'n%01022d' 7)
    same "$(hosts "$long")" "$long"
    run -2 hosts "${long}0"
    [[ $output = *'is longer than 1023 characters at offset 0' ]]
}

# --- input ----------------------------------------------------------------

@test "white space separates lists on standard input" {
    same "$(printf 'n1 n2\r\nn3\t\n\nn[5-6]' | hosts)" "n[1-3,5-6]"
    same "$(printf 'n1\nn15' | hosts)" "n[1,15]"
    same "$(hosts -c </dev/null)" "0"
    same "$(echo n2 | hosts 'n[1-3]' -x -)" "n[1,3]"
}

@test "faults in input name the line" {
    printf 'n1\nn2 n[3-\n' >in
    refused 'idset: stdin: line 2: "n[3-": bracket is not closed at offset 1' \
        idset -H <in
    printf 'n1\000n2\n' >in
    refused 'idset: stdin: line 1: "n1": unexpected NUL byte at offset 2' \
        idset -H <in
}

@test "a hundred thousand hosts, and one with a name of its own" {
    { seq -f 'node%.0f' 0 99999 | shuf; echo login; } >in
    same "$(hosts --uniq <in)" "login,node[0-99999]"
    same "$(hosts -c <in)" "100001"
}

# --- algebra --------------------------------------------------------------

@test "-x removes every occurrence" {
    same "$(hosts a,b,a,c,a -x a)" "b,c"
    same "$(hosts 'n[0-9]' -x 'n[3-5],n7')" "n[0-2,6,8-9]"
    same "$(hosts 'gw[1-3]-ib0' -x gw2-ib0)" "gw[1,3]-ib0"
    same "$(hosts 'n[0-3]' -x 'm[0-3]')" "n[0-3]"
}

@test "-i keeps the order of the left side" {
    same "$(hosts c,b,a,c -i a,c)" "c,a,c"
    same "$(hosts 'n[0-9]' -i n8,n2,x)" "n[2,8]"
    run -0 hosts 'n[0-3]' -i 'n[7-9]'
    [ "$output" = "" ]
}

@test "-X keeps the hosts that only one side has" {
    same "$(hosts 'n[0-5]' -X 'n[4-7]')" "n[0-3,6-7]"
    same "$(hosts a,b,a -X b,c)" "a,a,c"
}

@test "--complement: hosts of a universe that are not in the list" {
    same "$(hosts n2,n4 --complement 'n[0-5]')" "n[0-1,3,5]"
}

@test "operators apply from left to right" {
    same "$(hosts 'n[0-3]' -x n1 n1)" "n[0,2-3,1]"
    same "$(hosts 'n[0-3]' n1 -x n1)" "n[0,2-3]"
}

# --- order ----------------------------------------------------------------

@test "--sort orders by prefix and number, and keeps duplicates" {
    same "$(hosts --sort n10,n9,m1,n9,n1)" "m1,n[1,9,9-10]"
    same "$(hosts --sort -e r10n1,r2n10,r2n9)" "r2n9 r2n10 r10n1"
    same "$(hosts --sort b-ib0,a2-ib0,a1-ib0)" "a[1-2]-ib0,b-ib0"
}

@test "--uniq sorts and removes duplicates" {
    same "$(hosts --uniq n3,n1,n2,n1,n3)" "n[1-3]"
    same "$(hosts --uniq 'n[0-9],n[5-12]')" "n[0-12]"
    same "$(hosts --uniq n9,n09,n009,n9)" "n9,n09,n009"
}

# --- answers --------------------------------------------------------------

@test "the answers for numbers work for hosts" {
    list='n[2-4,9],login,n2'
    same "$(hosts -c "$list")" "6"
    same "$(hosts -e "$list")" "n2 n3 n4 n9 login n2"
    same "$(hosts -e -S '\n' 'n[1-2]')" $'n1\nn2'
    hosts -e -0 'n[1-2]' >out
    printf 'n1\000n2\000' | cmp - out
    same "$(hosts --first "$list")" "n2"
    same "$(hosts --last "$list")" "n2"
    same "$(hosts --head 2 "$list")" "n[2-3]"
    same "$(hosts --tail 2 "$list")" "login,n2"
    same "$(hosts --nth 1,4 "$list")" "n3,login"
    same "$(hosts --nth -2 "$list")" "login"
    same "$(hosts --to json 'n[1-2]')" '["n1","n2"]'
    same "$(hosts --to json '')" '[]'
    same "$(hosts --to list 'n[1-2]')" $'n1\nn2'
    run -1 hosts --first ''
}

@test "--index prints all positions of hosts" {
    same "$(hosts --index red red,blue,red)" "0,2"
    same "$(hosts --index n10 'n[08-11]')" "2"
    same "$(hosts --index 'n[3-4]' 'n[0-9]')" "3-4"
    run -1 hosts --index n9 'n[08-11]'
    [ -z "$output" ]
}

@test "--split and --contiguous take lists apart" {
    same "$(hosts --split 2 'n[0-3],x')" $'n[0-2]\nn3,x'
    same "$(hosts --contiguous 'n[0-3,7],x')" $'n[0-3]\nn7\nx'
}

@test "--pick takes hosts at random, in their order" {
    a=$(hosts --pick 4 --seed 3 'n[0-99]')
    same "$(hosts --pick 4 --seed 3 'n[0-99]')" "$a"
    same "$(hosts -c "$a")" "4"
    hosts "$a" --within 'n[0-99]'
    same "$(hosts --sort "$a")" "$a"
}

@test "tests: --equal compares the order, the others do not" {
    run -0 hosts n1,n2 --equal 'n[1-2]'
    run -1 hosts n2,n1 --equal 'n[1-2]'
    run -0 hosts n2,n1 --contains n1,n2,n1
    run -1 hosts n2,n1 --contains n3
    run -0 hosts n2,n1,n2 --within 'n[1-9]'
    run -0 hosts n2,n1 --overlaps n1,n7
    run -1 hosts n2,n1 --overlaps n7
    run -0 hosts '' --empty
}

@test "-l answers each line by itself" {
    printf 'n1 n2\n\nm[1-3]\n' >in
    same "$(hosts -l <in)" $'n[1-2]\n\nm[1-3]'
    same "$(hosts -l -c <in)" $'2\n0\n3'
    same "$(hosts -l --contains m2 <in)" "m[1-3]"
    same "$(hosts -l a - b <in)" $'a,n[1-2],b\na,b\na,m[1-3],b'
}

# --- several brackets -----------------------------------------------------

@test "--multi: several brackets in one name, the last varies fastest" {
    same "$(hosts --multi -e 'r[0-1]n[0-2]')" "r0n0 r0n1 r0n2 r1n0 r1n1 r1n2"
    same "$(hosts --multi 'r[0-3]n[0-7]')" "r[0-3]n[0-7]"
    same "$(hosts --multi -c 'a[1-9]b[1-9]c[1-9]')" "729"
    same "$(hosts --multi 'a[1-9]b[01-09]c[1-9]-x')" "a[1-9]b[01-09]c[1-9]-x"
}

@test "--multi folds names back if that is shorter" {
    same "$(hosts --multi r0n0 r0n1 r1n0 r1n1)" "r[0-1]n[0-1]"
    same "$(hosts --multi r0n0 r0n1 r1n0 r1n1 r2n7)" "r[0-1]n[0-1],r2n7"
    same "$(hosts --multi r0n0 r1n0 r0n1 r1n1)" "r[0-1]n0,r[0-1]n1"
    same "$(hosts --multi --sort r0n0 r1n0 r0n1 r1n1)" "r[0-1]n[0-1]"
    same "$(hosts -e --multi 'r[0-3]n[0-7]' | tr ' ' '\n' | hosts --multi)" \
        "r[0-3]n[0-7]"
    same "$(hosts --multi 'n[1-3]')" "n[1-3]"
}

@test "--multi counts before it expands" {
    refused 'idset: argument 1: "r[0-9999]n[0-9999]": more than 10000000 hosts' \
        idset -H --multi 'r[0-9999]n[0-9999]'
    refused 'idset: argument 1: "a[0-99999999]b[0-99999999]c[0-99999999]": more than 10000000 hosts' \
        idset -H --multi 'a[0-99999999]b[0-99999999]c[0-99999999]'
}

@test "--from step: ClusterShell's steps, in brackets" {
    same "$(hosts --from step 'foo[1-5/2]' 'a[1-3,08-20/4]b')" \
        'foo[1,3,5],a[1-3]b,a[08,12,16,20]b'
    same "$(hosts --from step --multi 'r[1-3/2]n[0-8/4]')" 'r[1,3]n[0,4,8]'
    same "$(hosts --from step -c 'n[0-9999999/2]')" 5000000
    same "$(hosts --from step 'n[5-7/1,9-9/3]')" 'n[5-7,9]'
    same "$(hosts --from idset 'n[1-3]')" 'n[1-3]'
    for text in 'n[1-5/0]~"0" can'"'"'t be a step at offset 6' \
        'n[1-5/]~empty item at offset 6' 'n[1-5/x]~unexpected "x" at offset 6' \
        'n[1/2]~unexpected "/" at offset 3' \
        'n[0-99999999/2]~more than 10000000 hosts'; do
        refused "idset: argument 1: \"${text%%~*}\": ${text#*~}" \
            idset -H --from step "${text%%~*}"
    done
    refused 'idset: argument 1: "n[1-5/2]": unexpected "/" at offset 5' \
        idset -H 'n[1-5/2]'
}

@test "-l with a long list costs as much as the line" {
    ulimit -t 3 # of processor time; to read the list for each took minutes
    seq -f n%.0f 0 3 300000 >list
    seq -f n%.0f 0 20000 >lines
    hosts -l -x @list <lines >less
    [ "$(grep -c . less)" = 13334 ]
    hosts -l -i @list <lines >kept
    hosts -l --within @list <lines | cmp - <(grep . kept)
    run hosts -l --index @list <lines
    [ "$(grep -c 0 <<<"$output")" = 6667 ]
}

@test "options for numbers do not go with hosts" {
    while IFS='|' read -r args message; do
        # shellcheck disable=SC2086
        refused "idset: $message (try 'idset --help')" idset -H $args n1
    done <<'END'
--from list|--from: hosts are read as idset or step
--loose|--loose and --hostlist exclude each other
--max 5|--max and --hostlist exclude each other
--next 5|--next and --hostlist exclude each other
-b|--brackets and --hostlist exclude each other
--to mask|--to: hosts are written as idset, list or json
END
}

@test "a word that can't be the name of a host: a warning, once" {
    run -0 --separate-stderr idset -H 'n1:8' 'n[1-2]*8'
    same "$output" 'n1:8,n[1-2]*8'
    same "$stderr" 'idset: warning: "n1:8" is not the name of a host (leave out the slots of a hostfile)'
    run -0 --separate-stderr idset -H fe80::1,a.b,c_d
    same "$stderr" ''
}
