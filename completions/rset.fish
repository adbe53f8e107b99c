# Completion in fish for rset-discover, rset-match, rset-alloc, rset-diff and
# idset. The program on the line is asked what a word can become (rset(7)); fish
# does not say what comes after that.

function __rset_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l found ($before[1] --complete (math (count $before) - 1) \
        $before[2..] "$current" </dev/null 2>/dev/null)
    set -l head (string split \t -- $found[1])
    string join \n -- $found[2..]
    set -l file (string replace -- "$head[2]" '' $current)
    switch $head[1]
        case files
            string replace -r '^' -- "$head[2]" (__fish_complete_path $file)
        case folders
            string replace -r '^' -- "$head[2]" (__fish_complete_directories $file)
    end
end

for program in rset-discover rset-match rset-alloc rset-diff idset
    complete -c $program -f -a '(__rset_complete)'
end
