# idset with sets of numbers.

load common

# --- sets and their output ------------------------------------------------

@test "sets are united and written in the shortest form" {
    same "$(idset 0-3 7 4,9)" "0-4,7,9"
    same "$(idset 1,2,3,7)" "1-3,7"
    same "$(idset '[10-12]')" "10-12"
    same "$(idset 4,5)" "4-5"
}

@test "the empty set is a set, and is written as an empty line" {
    run -0 idset ''
    [ "$output" = "" ]
    idset '' >out
    printf '\n' | cmp - out
    idset '[]' | cmp - out
    idset 0-3 -x 0-3 | cmp - out
    idset 0-3 -i 7 | cmp - out
    [ "$(idset -c '')" = 0 ]
}

@test "ids go up to 4294967294, one range whatever its size" {
    same "$(idset 0-4294967294)" "0-4294967294"
    same "$(idset -c 0-4294967294)" "4294967295"
    same "$(idset 0-4294967294 -x 1)" "0,2-4294967294"
    refused 'idset: argument 1: "4294967295": 4294967295 is larger than 4294967294 at offset 0' \
        idset 4294967295
}

@test "ids past 2^32 and 2^64 do not wrap round" {
    refused 'idset: argument 1: "4294967296": 4294967296 is larger than 4294967294 at offset 0' \
        idset 4294967296
    refused 'idset: argument 1: "1-4294967296": 4294967296 is larger than 4294967294 at offset 2' \
        idset 1-4294967296
    refused 'idset: argument 1: "18446744073709551617": 18446744073709551617 is larger than 4294967294 at offset 0' \
        idset 18446744073709551617
}

@test "--max ID sets a lower limit, as other readers have one" {
    same "$(idset --max 2147483647 0-2147483647)" "0-2147483647"
    refused 'idset: argument 1: "2147483648": 2147483648 is larger than 2147483647 at offset 0' \
        idset --max 2147483647 2147483648
    refused "idset: --max: \"4294967295\" is larger than 4294967294 (try 'idset --help')" \
        idset --max 4294967295 1
}

# --- RFC 22, strictly -----------------------------------------------------

# bad SET FAULT: SET is refused with FAULT.
bad() {
    refused "idset: argument 1: \"$1\": $2" idset -- "$1"
}

@test "a set must ascend, and have no id twice" {
    bad 9,4 '4 is out of order at offset 2'
    bad 0-5,3 '3 is out of order at offset 4'
    bad 4-6,2 '2 is out of order at offset 4'
    bad 6,6 '6 is repeated at offset 2'
    bad 2-5,5 '5 is repeated at offset 4'
    bad 8-3 'range 8-3 does not ascend at offset 0'
    bad 4-4 'range 4-4 does not ascend at offset 0'
}

@test "numbers have no leading zeros" {
    bad 07 '07 has a leading zero at offset 0'
    bad 00 '00 has a leading zero at offset 0'
    bad 2-05 '05 has a leading zero at offset 2'
}

@test "items are a number, or two with a hyphen" {
    bad 3- 'range has no end at offset 2'
    bad -3 'range has no start at offset 0'
    bad 1-2-3 'unexpected "-" at offset 3'
    bad 2.5 'unexpected "." at offset 1'
    bad x 'unexpected "x" at offset 0'
    bad +1 'unexpected "+" at offset 0'
    bad 0x10 'unexpected "x" at offset 1'
}

@test "there are no blanks and no empty items in a set" {
    bad ' 1' 'unexpected white space at offset 0'
    bad '1, 2' 'unexpected white space at offset 2'
    bad ,1 'empty item at offset 0'
    bad 1, 'empty item at offset 2'
    bad 1,,2 'empty item at offset 2'
    bad '[,]' 'empty item at offset 1'
    run -2 --separate-stderr idset $'1\n'
    [ "$stderr" = 'idset: argument 1: "1\x0a": unexpected line break at offset 1' ]
}

@test "brackets enclose the whole, once" {
    bad '[1' 'bracket is not closed at offset 2'
    bad '1]' 'unexpected "]" at offset 1'
    bad '[[1]]' 'unexpected "[" at offset 1'
    bad '[1],[2]' 'unexpected "," at offset 3'
}

@test "messages name the argument or the option" {
    refused 'idset: argument 2: "x": unexpected "x" at offset 0' idset 1 x
    refused 'idset: --exclude: "x": unexpected "x" at offset 0' idset 1 -x x
    refused 'idset: --equal: "x": unexpected "x" at offset 0' idset 1 --equal x
    refused 'idset: --complement: "x": unexpected "x" at offset 0' \
        idset 1 --complement x
}

@test "--loose accepts sets in other spellings" {
    same "$(idset --loose '9, 4 ,4,007 [1 - 3]')" "1-4,7,9"
    same "$(printf '3\n1,\n 2\n' | idset --loose)" "1-3"
    same "$(idset --loose 2-5,1-9)" "1-9"
    same "$(idset --loose 4-4)" "4"
    refused 'idset: argument 1: "8-3": range 8-3 does not ascend at offset 0' \
        idset --loose 8-3
    refused 'idset: argument 1: "1x": unexpected "x" at offset 1' \
        idset --loose 1x
}

# --- standard input and files ---------------------------------------------

@test "standard input is read if there is no SET" {
    same "$(echo 0-3,7 | idset)" "0-3,7"
    same "$(echo 0-9 | idset -x 3)" "0-2,4-9"
    same "$(seq 5 | idset)" "1-5"
}

@test "white space separates sets, in any order" {
    same "$(printf '9 4\t7\n[1-2]\n\n4\n' | idset)" "1-2,4,7,9"
    same "$(printf '1-3\r\n5\r\n' | idset)" "1-3,5"
}

@test "the last line needs no newline, and loses no digit" {
    same "$(printf '0-3\n15' | idset)" "0-3,15"
    same "$(printf '15' | idset)" "15"
}

@test "empty input is the empty set" {
    same "$(idset -c </dev/null)" "0"
    same "$(printf '\n \n' | idset -c)" "0"
}

@test "- is standard input, at its place" {
    same "$(echo 3-5 | idset 0-9 -x -)" "0-2,6-9"
    same "$(echo 3-5 | idset 0-9 -x 4 -)" "0-9"
    refused "idset: standard input is named twice (try 'idset --help')" \
        idset - -x -
}

@test "@FILE is a file with sets in it" {
    printf '0-3\n7 9\n' >a
    echo 3,9 >b
    same "$(idset @a -x @b)" "0-2,7"
    same "$(idset 0-9 --within @a || echo no)" "no"
    refused 'idset: none: No such file or directory' idset @none
    printf '1\n5-2\n' >c
    refused 'idset: c: line 2: "5-2": range 5-2 does not ascend at offset 0' \
        idset @c
}

@test "faults in input name the line, and the offset in the set" {
    printf '0-3\n5\n8,9-7 1\n' >in
    refused 'idset: stdin: line 3: "8,9-7": range 9-7 does not ascend at offset 2' \
        idset <in
    printf '0-3\n5-' >in
    refused 'idset: stdin: line 2: "5-": range has no end at offset 2' idset <in
}

@test "the line of a fault is counted in inputs of any length" {
    for n in 1 100 30000 300000; do
        (seq "$n" && echo 5-) >in
        refused "idset: stdin: line $((n + 1)): \"5-\": range has no end at offset 2" \
            idset <in
    done
}

@test "a NUL byte is an error, not the end" {
    printf '1\0002\n' >in
    refused 'idset: stdin: line 1: "1": unexpected NUL byte at offset 1' \
        idset <in
    printf '1\n\000' >in
    run -2 idset <in
}

@test "endless input is refused in bounded time" {
    ulimit -t 5 # of processor time
    for option in '' -l -H -lH '--from json' '--from list' '--from mask'; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr idset $option </dev/zero
        [[ $stderr == 'idset: stdin: line 1: '*NUL* ]]
    done
    run -2 --separate-stderr bash -c 'yes | tr -d "\n" | idset -l'
    same "$stderr" 'idset: stdin: a line of more than 64 MiB'
}

@test "input that can't be read is an error" {
    refused 'idset: stdin: Is a directory' idset <.
    refused 'idset: .: Is a directory' idset @.
}

@test "a set may be longer than any buffer" {
    seq -s , 0 2 400000 >in
    idset <in >out
    cmp out in
    cat in in in | idset >out
    cmp out in
    same "$(idset -c <in)" "200001"
}

@test "sets in a random order are sorted once" {
    same "$(seq 100000 | shuf | idset)" "1-100000"
    same "$(seq 0 2 100000 | shuf | idset -c)" "50001"
}

@test "thousands of operands work" {
    same "$(seq 20000 | shuf | xargs -n 20000 idset)" "1-20000"
    same "$(seq -f '-x %.0f' 2 2 20000 | xargs -n 20000 idset -c 1-20000)" \
        "10000"
}

# --- algebra --------------------------------------------------------------

@test "-x removes, -i keeps common ids, -X keeps ids of one side" {
    same "$(idset 0-9 -x 3-5)" "0-2,6-9"
    same "$(idset 0-9 -i 3-12)" "3-9"
    same "$(idset 0-9 -X 3-12)" "0-2,10-12"
    same "$(idset 0-9 --exclude 3-5 --intersection 2-7 --xor 7-8)" "2,6,8"
}

@test "operators and operands apply from left to right" {
    same "$(idset 0-9 -x 3-5 4)" "0-2,4,6-9"
    same "$(idset 0-9 4 -x 3-5)" "0-2,6-9"
    same "$(idset 0-3 -i 2-9 8)" "2-3,8"
    same "$(idset 1 -X 1 -X 1)" "1"
}

@test "an empty intersection is an answer, not a failure" {
    run -0 idset 0-3 -i 5
    [ "$output" = "" ]
}

@test "an operator with nothing before it works on the empty set" {
    run -0 --separate-stderr idset -x 3 0-9
    [ "$output" = 0-9 ]
    [ "$stderr" = 'idset: --exclude 3: there is nothing before it to take from' ]
    run -0 --separate-stderr idset -X 3 5
    [ "$output" = 3,5 ]
    [ -z "$stderr" ]
}

@test "--complement is applied last" {
    same "$(idset 3-5 --complement 0-9)" "0-2,6-9"
    same "$(idset --complement 0-9 3-5 7)" "0-2,6,8-9"
    same "$(idset '' --complement 0-9)" "0-9"
    same "$(idset 0-20 --complement 0-9)" ""
    same "$(idset 3-5 --complement 0-9 | idset --complement 0-9)" "3-5"
}

@test "laws: a-b = a-(a&b), a^b = (a|b)-(a&b)" {
    for i in $(seq 20); do
        a=$(idset --pick 40 --seed "$i" 0-99)
        b=$(idset --pick 40 --seed "$((i + 100))" 0-99)
        same "$(idset "$a" -x "$b")" "$(idset "$a" -x "$(idset "$a" -i "$b")")"
        same "$(idset "$a" -X "$b")" \
            "$(idset "$a" "$b" -x "$(idset "$a" -i "$b")")"
        same "$(idset -e "$a" | idset)" "$a"
        idset "$a" -i "$b" --within "$a"
    done
}

# --- answers --------------------------------------------------------------

@test "-e prints single ids, -S sets the separator" {
    same "$(idset -e 0-3,7)" "0 1 2 3 7"
    same "$(idset -e -S , 0-3,7)" "0,1,2,3,7"
    same "$(idset -e -S '\t' 1-2)" $'1\t2'
    idset -e -S '\n' 0-2 >out
    printf '0\n1\n2\n' | cmp - out
    same "$(idset -e -S '\n' '' | wc -l)" "0"
    same "$(idset -f 0-3,7)" "0-3,7"
}

@test "-0 ends each answer with NUL" {
    idset -e -0 0-2 >out
    printf '0\0001\0002\000' | cmp - out
    idset -0 0-2,7 >out
    printf '0-2,7\000' | cmp - out
    idset -e -0 '' >out
    [ ! -s out ]
    same "$(idset -e -0 1-3 | xargs -0 -n1 echo)" $'1\n2\n3'
}

@test "-b puts more than one id in brackets" {
    same "$(idset -b 1,2,3,7)" "[1-3,7]"
    same "$(idset -b 5)" "5"
    same "$(idset -b '')" ""
    same "$(idset -b 4,5)" "[4-5]"
}

@test "-c counts" {
    same "$(idset -c 0-3,7)" "5"
    same "$(idset -c '')" "0"
}

@test "--first, --last, --next and --prev print one id, or fail with status 1" {
    same "$(idset --first 4-6,9)" "4"
    same "$(idset --last 4-6,9)" "9"
    same "$(idset --next 6 4-6,9)" "9"
    same "$(idset --next 0 4-6,9)" "4"
    same "$(idset --prev 9 4-6,9)" "6"
    run -1 idset --first ''
    [ -z "$output" ]
    run -1 idset --last ''
    run -1 idset --next 9 4-6,9
    run -1 idset --prev 4 4-6,9
    run -1 idset --next 4294967294 0-4294967294
    refused "idset: --next: \"x\" is not a number (try 'idset --help')" \
        idset --next x 1
}

@test "--head, --tail and --nth choose by position" {
    same "$(idset --head 3 4-6,9)" "4-6"
    same "$(idset --tail 2 4-6,9)" "6,9"
    same "$(idset --head 0 4-6,9)" ""
    same "$(idset --head 99 4-6,9)" "4-6,9"
    same "$(idset --nth 0,2-3 4-6,9)" "4,6,9"
    same "$(idset --nth 7 4-6,9)" ""
    same "$(idset --nth -1 4-6,9)" "9"
    same "$(idset --nth -1-2 4-6,9)" "6,9"
    same "$(idset --nth -9 4-6,9)" ""
    for at in 3 -4; do
        run -0 idset --nth "$at" 4-6,9
    done
    for at in 7 0,4 -5 -4-5; do # existing positions are printed
        run -1 idset --nth "$at" 4-6,9
    done
    same "$(idset --nth 0,4 4-6,9)" 4
    run -1 idset --nth 0 --contains 4 --nth 1 4
    same "$(idset --tail 5 --head 2 0-9)" "5-6"
    same "$(idset --head 5 --tail 2 -c 0-9)" "2"
}

@test "--index prints positions, and fails if one is missing" {
    same "$(idset --index 6 4-6,9)" "2"
    same "$(idset --index 4,9 4-6,9)" "0,3"
    run -1 idset --index 7 4-6,9
    [ -z "$output" ]
    run -1 idset --index 6-7 4-6,9
    [ "$output" = 2 ]
}

@test "--split makes parts of nearly the same size" {
    same "$(idset --split 3 0-9)" $'0-3\n4-6\n7-9'
    same "$(idset --split 2 1,3,5)" $'1,3\n5'
    same "$(idset --split 5 0-2)" $'0\n1\n2'
    same "$(idset --split 3 '' | wc -l)" "0"
    same "$(idset --split 2 -c 0-8)" $'5\n4'
    same "$(idset --split 2 -e 0-3)" $'0 1\n2 3'
    same "$(idset --split 1000 0-4294967294 | wc -l)" "1000"
    run -2 idset --split 0 1
}

@test "--contiguous writes a range a line" {
    same "$(idset --contiguous 0-3,7,9-10)" $'0-3\n7\n9-10'
    same "$(idset --contiguous -c 0-3,7)" $'4\n1'
}

@test "--pick takes ids at random, the same for the same seed" {
    a=$(idset --pick 5 --seed 1 0-4294967294)
    same "$(idset --pick 5 --seed 1 0-4294967294)" "$a"
    same "$(idset -c "$a")" "5"
    same "$(idset --pick 9 0-3)" "0-3"
    same "$(idset --pick 0 0-3)" ""
    idset --pick 5 0-99 --within 0-99
    same "$(idset --pick 7 0-99 | idset -c)" "7"
    [ "$(idset --pick 9 --seed 1 0-9999)" != "$(idset --pick 9 --seed 2 0-9999)" ]
}

# --- tests by status ------------------------------------------------------

@test "tests answer by their status and print nothing" {
    # SET TEST ARGUMENT STATUS
    while read -r set option arg want; do
        run "-$want" --separate-stderr idset "$set" "$option" "$arg"
        [ -z "$output" ]
    done <<'END'
0-3    --equal     0-3  0
0-3    --equal     0,1,2,3 0
0-3    --equal     0-4  1
0-3    --contains  1,3  0
0-3    --contains  3-4  1
0-3    --within    0-9  0
0-3    --within    1-9  1
0-3    --overlaps  3-9  0
0-3    --overlaps  4-9  1
0-3    --equal     x    2
END
    run -0 idset --empty ''
    run -1 idset --empty 0
    run -0 idset 0-3 --contains ''
    run -0 idset '' --within 0
    run -1 idset '' --overlaps 0
}

@test "several tests must all succeed" {
    idset 0-3 --contains 1 --within 0-9
    run -1 idset 0-3 --contains 1 --within 0-2
    run -1 idset 0-3 --contains 7 --within 0-9
}

# --- a line at a time -----------------------------------------------------

@test "-l answers each line by itself" {
    printf '0-3\n\n5 7\n9-12' >in
    same "$(idset -l <in)" $'0-3\n\n5,7\n9-12'
    same "$(idset -l -c <in)" $'4\n0\n2\n4'
    same "$(idset -l -x 2-9 <in)" $'0-1\n\n\n10-12'
    same "$(idset -l 1 - -x 3 <in)" $'0-2\n1\n1,5,7\n1,9-12'
    same "$(idset -l -e --complement 0-5 <in)" \
        $'4 5\n0 1 2 3 4 5\n0 1 2 3 4\n0 1 2 3 4 5'
}

@test "with -l, a line without an answer is empty and the status is 1" {
    printf '0-3\n\n5\n' >in
    run -1 idset -l --first <in
    [ "$output" = $'0\n\n5' ]
    run -1 idset -l --next 2 <in
    [ "$output" = $'3\n\n5' ]
    run -0 idset -l --first <<<0-3
}

@test "with -l, an answer comes while the input stays open" {
    coproc idset -l -c 100-101
    pid=$COPROC_PID
    for line in 0-3 7 1,3; do
        echo "$line" >&"${COPROC[1]}"
        read -r -t 60 -u "${COPROC[0]}" answer
        echo "$answer" >>out
    done
    eval "exec ${COPROC[1]}>&-"
    wait "$pid"
    same "$(cat out)" $'6\n3\n4'
}

@test "with -l, tests choose lines, like grep" {
    printf '0-3\n7\n3-9\n' >in
    same "$(idset -l --contains 3 <in)" $'0-3\n3-9'
    same "$(idset -l --contains 3 -c <in)" $'4\n7'
    run -1 idset -l --contains 99 <in
    [ -z "$output" ]
}

@test "with -l, faults name the line, and lines before it are answered" {
    printf '0-3\n5\n9-7\n1\n' >in
    run -2 --separate-stderr idset -l -c <in
    [ "$output" = $'4\n1' ]
    [ "$stderr" = 'idset: stdin: line 3: "9-7": range 9-7 does not ascend at offset 0' ]
}

# --- forms ----------------------------------------------------------------

@test "list: one a line, or with any separator" {
    same "$(printf '3\n1\n2' | idset --from list)" "1-3"
    same "$(idset --from list '3;1:2,9 10')" "1-3,9-10"
    same "$(idset --to list 1-3)" $'1\n2\n3'
    same "$(idset --to list -S : 1-3)" "1:2:3"
}

@test "cpulist: the kernel's, with groups" {
    same "$(idset --from cpulist 8,0-3,2-5)" "0-5,8"
    same "$(idset --from cpulist 0-31:2/8)" "0-1,8-9,16-17,24-25"
    same "$(idset --to cpulist 0,1,2,7)" "0-2,7"
    if [ -r /sys/devices/system/cpu/online ]; then
        idset --from cpulist </sys/devices/system/cpu/online
    fi
}

@test "step: ClusterShell's" {
    same "$(idset --from step 0-10/2,20)" "0,2,4,6,8,10,20"
    same "$(idset --to step 0,2,4,6,8,10,20)" "0-10/2,20"
    same "$(idset --to step 0-3,5)" "0-3,5"
}

@test "--loose goes with cpulist and step" {
    same "$(idset --loose --from step '1, 5')" 1,5
    same "$(idset --loose --from step '5 1 , 7-11/2')" 1,5,7,9,11
    same "$(printf '1,\n5 7\n' | idset --loose --from cpulist)" 1,5,7
    refused 'idset: argument 1: "1, 5": unexpected white space at offset 2' \
        idset --from step '1, 5'
}

@test "mask: hwloc's, the kernel's and taskset's" {
    same "$(idset --from mask ff)" "0-7"
    same "$(idset --from mask 0x000000ff)" "0-7"
    same "$(idset --from mask 0x0000000f,0xffffffff)" "0-35"
    same "$(idset --from mask 0x1,,0x0)" "64"
    same "$(idset --from mask 0000000f,ffffffff)" "0-35"
    same "$(idset --to mask 0-35)" "0x0000000f,0xffffffff"
    same "$(idset --to mask 64)" "0x00000001,,0x0"
    same "$(idset --to taskset 0-35)" "0xfffffffff"
    same "$(idset --to mask '')" "0x0"
    refused 'idset: argument 1: "0xf...f": mask has no highest id at offset 0' \
        idset --from mask 0xf...f
}

@test "json: an array of integers" {
    needs jq
    same "$(idset --from json '[3, 1,2]')" "1-3"
    same "$(printf '[1,\n2]\n[9]' | idset --from json)" "1-2,9"
    same "$(idset --to json 0-3,7)" "[0,1,2,3,7]"
    same "$(idset --to json '')" "[]"
    same "$(idset --to json 0-3 | jq -c 'map(. * 2)' | idset --from json)" \
        "0,2,4,6"
    refused 'idset: argument 1: "[1.5]": unexpected "." at offset 2' \
        idset --from json '[1.5]'
}

@test "range: RFC 45, and its values" {
    same "$(idset --from range 2-64:2:'*')" "2,4,8,16,32,64"
    same "$(idset --from range '[2-9:3]')" "2,5,8"
    same "$(idset --to range 2,4,8,16)" "2-16:2:*"
    same "$(idset --to range 3,5,7)" "3-7:2"
    refused 'idset: argument 1: "4+": range has no maximum' \
        idset --from range 4+
    refused 'idset: no range has exactly these ids' \
        idset --to range 0-3
}

@test "all sets of a command are read in the same form" {
    same "$(idset --from mask ff -x f --complement fff)" "0-3,8-11"
    idset --from mask ff --contains 3
}

@test "each form reads its own output" {
    for form in idset list cpulist step mask taskset json; do
        for set in '' 0 31 32 0-3,7 5,7,9,11,64-70; do
            same "$(idset --to $form "$set" | idset --from $form)" "$set"
        done
    done
}

@test "an unknown form is a usage error" {
    refused "idset: --from: there is no form \"hex\"; there are idset, list, cpulist, step, mask, taskset, json, range (try 'idset --help')" \
        idset --from hex 1
}

# --- the command line -----------------------------------------------------

@test "options that exclude each other or have no effect are refused" {
    while IFS='|' read -r args message; do
        # shellcheck disable=SC2086
        refused "idset: $message (try 'idset --help')" idset $args 1
    done <<'END'
-c --first|--count and --first exclude each other
-e -c|--expand and --count exclude each other
--to json -e|--to and --expand exclude each other
-c -c|--count is given twice
--split 2 --contiguous|--split and --contiguous exclude each other
--split 2 --first|--split and --first exclude each other
--equal 1 -c|--equal answers with the exit status alone and excludes --count
-S ,|--separator needs --expand or --to list
-e -0 -S ,|--separator and --null exclude each other
-b -c|--brackets needs a folded set
--seed 1|--seed needs --pick
--uniq|--uniq needs --hostlist
--head x|--head: "x" is not a number
--head -1|--head: "-1" is not a number
--head 0x10|--head: "0x10" is not a number
--bogus|--bogus: unknown option
END
    refused "idset: --head: \"\" is not a number (try 'idset --help')" \
        idset --head '' 1
    refused "idset: --head: missing argument (try 'idset --help')" idset --head
}

@test "-- ends the options" {
    refused 'idset: argument 1: "-3": range has no start at offset 0' \
        idset -- -3
    same "$(idset -c -- 0-3)" "4"
}

@test "--help and --version" {
    idset --help | grep -q '^usage: idset \[OPTION'
    idset --version | grep -Eq '^idset [0-9]+\.[0-9]+\.[0-9]+$'
}

@test "a full disk is reported" {
    needs /dev/full
    for args in 1 "-e 0-100000" -c --help "--to json 0-9" "--split 2 0-9"; do
        # shellcheck disable=SC2086
        run -2 bash -c "idset $args 0 >/dev/full"
        [ "$output" = 'idset: standard output: No space left on device' ]
    done
    run -2 bash -c "seq 100000 | idset -l >/dev/full"
}

@test "a reader that goes away ends idset quietly" {
    run -0 bash -c "idset -e -S '\n' 0-4294967294 | head -n 1"
    [ "$output" = 0 ]
    run -0 bash -c "seq 1000000 | idset -l | head -n 1"
    [ "$output" = 1 ]
}

@test "idset links nothing but libc and popt" {
    needs ldd
    [ -z "${EMULATOR-}" ] || skip 'ldd does not run programs of others'
    # the loader and the vDSO have no "=>"; a sanitizer needs more
    ldd "$(command -v idset)" | awk '/=>/ { print $1 }' >libraries
    same "$(grep -Ev '^lib(c|popt|[a-z]*san|m|gcc_s|stdc\+\+)\.' libraries)" ''
    grep libpopt libraries
}

@test "a host name among ids gets a hint" {
    refused 'idset: argument 1: "n1": unexpected "n" at offset 0 (-H reads host names)' \
        idset n1 n2
    refused 'idset: --exclude: "node[1-2]": unexpected "n" at offset 0 (-H reads host names)' \
        idset 1-3 -x 'node[1-2]'
    refused 'idset: argument 1: "x": unexpected "x" at offset 0' idset x
    refused 'idset: argument 1: "1,n2": unexpected "n" at offset 2' idset 1,n2
}
