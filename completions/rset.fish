# Completion in fish for rset-discover, rset-match, rset-alloc, rset-diff and
# idset. All words are here: nothing is run.

set -l forms r jgf rv1 rv1-compact jgf-compact short tree hosts ranks json
set -l sets idset list cpulist step mask taskset json range
set -l commands allocate release allocated available

# The file may be there once for each program: begin anew each time.
for program in rset-discover rset-match rset-alloc rset-diff idset
    complete -c $program -e
    complete -c $program -s h -l help -f -d 'Show a help text and exit'
    complete -c $program -s V -l version -f -d 'Show the version and exit'
end

for program in rset-discover rset-match rset-alloc rset-diff
    complete -c $program -s o -l output -x -a "$forms" -d 'Write in this form'
    complete -c $program -l dialect -x -a 'seed current' -d 'The edition that is written'
    complete -c $program -l shorthand -d 'Leave out what is in vertices held whole'
end

for program in rset-match rset-alloc rset-diff
    complete -c $program -l trust -x -a 'execution graph' -d 'Which half to take where they disagree'
end

for program in rset-match rset-alloc
    complete -c $program -s N -l nodes -x -d 'Spread the slots over so many nodes'
    complete -c $program -s n -l nslots -x -d 'Number of slots'
    complete -c $program -s c -l cores-per-slot -x -d 'Cores in a slot'
    complete -c $program -s g -l gpus-per-slot -x -d 'GPUs in a slot'
    complete -c $program -s x -l exclusive -d 'Nodes for this request alone'
    complete -c $program -l shape -x -d 'A request in one line'
    complete -c $program -l jobspec -r -F -d 'A jobspec, JSON or YAML'
    complete -c $program -l v1 -d 'Hold the jobspec to the rules of version 1'
    complete -c $program -l requires -x -d 'Only targets of which this is true'
    complete -c $program -l constraint -x -d 'The same as JSON'
    complete -c $program -l slot-scope -x -a 'node parent' -d 'What a slot fits into'
    complete -c $program -l granule -x -a 'unit pool' -d 'Take units of pools, or pools'
    complete -c $program -l now -x -a now -d 'What time it is'
end

complete -c rset-match -l include -x -d 'Only these ranks or hosts'
complete -c rset-match -l exclude -x -d 'All but these ranks or hosts'
complete -c rset-match -l property -x -d 'Only targets with this property'
complete -c rset-match -l state -x -a 'up down degraded failing unknown none' -d 'Only pools in one of these states'
complete -c rset-match -l job -x -d 'Only what this job has'
complete -c rset-match -l available -d 'Only what is up and nobody has'
complete -c rset-match -l find -x -d 'Only pools of which this is true'
complete -c rset-match -l type -x -a 'node core gpu' -d 'Sum pools of other types'
complete -c rset-match -l feasible -d 'Could the request ever match'
complete -c rset-match -l explain -d 'Tell in full why nothing matches'
complete -c rset-match -l batch -r -F -d 'Answer a request a line'
complete -c rset-match -l aggregate -d 'Print how many units are available'
complete -c rset-match -l zero -d 'Types of which nothing is available, too'
complete -c rset-match -l validate -d 'Print all faults of the documents'
complete -c rset-match -l strict -d 'With --validate: what is warned of is a fault, too'
complete -c rset-match -l count -x -a 'node core gpu' -d 'Print how many there are of each type'

complete -c rset-alloc -n "not __fish_seen_subcommand_from $commands" -f
complete -c rset-alloc -n "not __fish_seen_subcommand_from $commands" -a allocate -d 'Allocate what is requested to a job'
complete -c rset-alloc -n "not __fish_seen_subcommand_from $commands" -a release -d 'Give back all that a job holds'
complete -c rset-alloc -n "not __fish_seen_subcommand_from $commands" -a allocated -d 'Print what a job, or any job, was given'
complete -c rset-alloc -n "not __fish_seen_subcommand_from $commands" -a available -d 'Print what is up and not allocated'

complete -c rset-diff -l union -d 'Write what is in any of the sets'
complete -c rset-diff -l intersect -d 'Write what is in all of the sets'
complete -c rset-diff -l subtract -d 'Write what is only in the first set'
complete -c rset-diff -l xor -d 'Write what is in one of two sets'
complete -c rset-diff -l disjoint -d 'Refuse to unite sets with something in common'
complete -c rset-diff -l attach -x -d 'Put the second graph under a vertex'
complete -c rset-diff -l unlink -x -d 'Take a pool out of a set'
complete -c rset-diff -l expand -r -F -d 'Make shorthand graphs whole'
complete -c rset-diff -l patch -d 'Write the patch between two documents'
complete -c rset-diff -l apply -r -F -d 'Apply a patch'
complete -c rset-diff -l verify -r -F -d 'Is what is there what is expected'
complete -c rset-diff -l allow -x -d 'What is allowed of a type'
complete -c rset-diff -l no-extra -d 'More than is expected is a fault'
complete -c rset-diff -l audit -d 'What is held twice, or not in the inventory'
complete -c rset-diff -l responses -d 'Write the responses between two sets'
complete -c rset-diff -l by -x -a 'rank host' -d 'What makes a node the same'
complete -c rset-diff -l remap -d 'Number ranks from 0'
complete -c rset-diff -l rerank -x -d 'Number ranks in the order of hosts'

complete -c rset-discover -f
complete -c rset-discover -l xml -r -F -d 'The machine of an hwloc XML file'
complete -c rset-discover -l synthetic -x -d 'The machine of an hwloc description'
complete -c rset-discover -l hosts -x -d 'These hosts'
complete -c rset-discover -l cores -x -d 'What each of them has'
complete -c rset-discover -l gpus -x -d 'What each of them has'
complete -c rset-discover -l ranks -x -d 'Their ranks'
complete -c rset-discover -l property -x -d 'Give a property to ranks'

complete -c idset -f
complete -c idset -s H -l hostlist -d 'Sets are lists of hosts'
complete -c idset -l from -x -a "$sets" -d 'How sets are written'
complete -c idset -l loose -d 'Take any order, repeats, blanks, leading zeros'
complete -c idset -l max -x -d 'Refuse ids above this'
complete -c idset -s l -l lines -d 'Answer each line by itself'
complete -c idset -l multi -d 'Several brackets in a name'
complete -c idset -l pad-each -d 'Zeros pad their own range only'
complete -c idset -l limit -x -d 'Refuse more hosts than this'
complete -c idset -s x -l exclude -x -d 'Without a set'
complete -c idset -s i -l intersection -x -d 'Only what a set has too'
complete -c idset -s X -l xor -x -d 'What either has, but not both'
complete -c idset -l complement -x -d 'All of a set but this'
complete -c idset -l sort -d 'Put hosts in order'
complete -c idset -l uniq -d 'Put hosts in order, each once'
complete -c idset -l head -x -d 'The first of them'
complete -c idset -l tail -x -d 'The last of them'
complete -c idset -l nth -x -d 'Those at positions'
complete -c idset -l pick -x -d 'Some at random'
complete -c idset -l seed -x -d 'The same at random each time'
complete -c idset -s f -l fold -d 'In the shortest form'
complete -c idset -s b -l brackets -d 'In brackets'
complete -c idset -s e -l expand -d 'One by one'
complete -c idset -s S -l separator -x -d 'Between them'
complete -c idset -s 0 -l null -d 'End what is printed with NUL'
complete -c idset -l to -x -a "$sets" -d 'In this form'
complete -c idset -s c -l count -d 'How many'
complete -c idset -l first -d 'The first'
complete -c idset -l last -d 'The last'
complete -c idset -l next -x -d 'The first above an id'
complete -c idset -l prev -x -d 'The last below an id'
complete -c idset -l index -x -d 'At which positions a set is'
complete -c idset -l split -x -d 'In parts, a line each'
complete -c idset -l contiguous -d 'A line for each range'
complete -c idset -l equal -x -d 'Is it this set'
complete -c idset -l contains -x -d 'Is all of a set in it'
complete -c idset -l within -x -d 'Is all of it in a set'
complete -c idset -l overlaps -x -d 'Do they have any in common'
complete -c idset -l empty -d 'Is there nothing in it'
