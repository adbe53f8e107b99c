# Reads what a test program said in TAP, prints "PASSED FAILED", writes the
# failures with all that was said of them to the file `report`, and a line
# for each reason why tests were skipped to the file `skips`.
#
# status: how the program ended; why: why it was stopped, or nothing. A program
# that does not keep its plan, or ends otherwise than its tests say, is a
# failure more: what it did not run may be what is broken.

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

# What is said before a result may be of one that comes later, or never came:
# the seed of a run, the case in which a law did not hold.
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
