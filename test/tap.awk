# Read the TAP output of a test program. Print "PASSED FAILED", write the
# failures with their output to the file `report`, and a line for each reason of
# skipped tests to the file `skips`.
#
# status: the exit status of the program; why: the reason if it was stopped. A
# program that does not keep its plan, or ends with another status than its
# tests imply, counts as one more failure, because tests may not have run.

function tell(line) { print line >report }

BEGIN {
    passed = failed = skipped = 0
    plan = -1
    printf "" >report
    printf "" >skips
}

/^ok / {
    bad = 0
    if (tolower($0) ~ / # skip/) {
        sub(/^ok [0-9]* (- )?/, "")
        reason = substr($0, index(tolower($0), " # skip"))
        if (!alike[reason]++)
            first[++nreasons] = $0
        skipped++
    } else
        passed++
    next
}

/^not ok / {
    bad = 1
    failed++
    for (i = 1; i <= said; i++)
        tell(pending[i])
    said = 0
}

/^1\.\.[0-9]+/ {
    plan = substr($1, 4) + 0
    next
}

# Output before a result may belong to a later one, or to none: the seed of a
# run, the case in which a law failed.
{
    if (bad)
        tell($0)
    else
        pending[++said] = $0
}

END {
    for (i = 1; i <= nreasons; i++) {
        reason = substr(first[i], index(tolower(first[i]), " # skip"))
        if (alike[reason] > 1)
            first[i] = alike[reason] " tests" reason
        print first[i] >skips
    }
    ran = passed + failed + skipped
    if (why)
        why = "stopped: " why
    else if (status == 124 || status == 137)
        why = "stopped: it took too long, or was killed"
    else if (status > 128)
        why = "died of signal " status - 128
    else if (status > 1 || (status == 1 && !failed))
        why = "ended with status " status
    else if (plan < 0)
        why = "no plan: did it run?"
    else if (plan != ran)
        why = plan " tests were planned, " ran " ran"
    if (why) {
        for (i = 1; i <= said; i++)
            tell(pending[i])
        tell("!!! " why)
        failed++
    }
    print passed, failed
}
