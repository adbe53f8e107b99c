# Completion in fish for rset-discover, rset-match, rset-alloc, rset-diff and
# idset. Asks the program on the line what a word can become; see
# rset-options(7). fish does not tell the words after that one.

function __rset_complete
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    # The word without quotes and backslashes; a quote may still be open.
    set -l current (string unescape -- "$typed"
        or string unescape -- "$typed\""
        or string unescape -- "$typed'")
    set -l found ($before[1] --complete (math (count $before) - 1) \
        $before[2..] "$current" </dev/null 2>/dev/null)
    set -l head (string split \t -- $found[1])
    string join \n -- $found[2..]
    # Fish names the files for a command that it does not know.
    set -l file (string replace -- "$head[2]" '' "$current" |
        string escape --no-quoted | string replace -r '^\\\\~' '~')
    switch $head[1]
        case files
            string replace -r '^' -- "$head[2]" (complete -C "'' $file")
        case folders
            string replace -r '^' -- "$head[2]" (complete -C "'' $file" |
                string match -r '.*/(?=\t|$)')
    end
end

for program in rset-discover rset-match rset-alloc rset-diff idset
    complete -c $program -f -a '(__rset_complete)'
end
