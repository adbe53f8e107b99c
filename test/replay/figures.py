#!/usr/bin/env python3
"""usage: figures.py PROCESSORS BOUND TRACE.swf <waits

Print the figures of a schedule as JSON: `waits` has the number and the wait of
each job that has started, one job a line (processors.py). Written from the
formulas in rset-alloc(1), WHAT IF.
"""

import json
import math
import sys

processors, bound = int(sys.argv[1]), float(sys.argv[2])
waits = dict(tuple(map(float, line.split())) for line in sys.stdin)
jobs = []
with open(sys.argv[3]) as trace:
    for line in trace:
        if line.strip() and line[0] != ";":
            f = [float(x) for x in line.split()]
            if f[0] in waits:
                size = f[7] if f[7] > 0 else f[4]
                jobs.append((f[1], f[1] + waits[f[0]], f[3], size))


def spread(values):
    values = sorted(values)
    n = len(values)
    return {"mean": sum(values) / n, "median": values[math.ceil(n * 0.5) - 1],
            "p95": values[math.ceil(n * 0.95) - 1], "most": values[-1]}


first = min(submit for submit, _, _, _ in jobs)
last = max(start + run for _, start, run, _ in jobs)
times = sorted({t for s, a, r, _ in jobs for t in (s, a, a + r)})
idle = 0
for t, until in zip(times, times[1:]):
    if any(s <= t < a for s, a, _, _ in jobs):
        busy = sum(n for _, a, r, n in jobs if a <= t < a + r)
        idle += (processors - busy) * (until - t)
print(json.dumps({
    "jobs": len(jobs),
    "makespan": last - first,
    "utilisation": sum(r * n for _, _, r, n in jobs)
    / (processors * (last - first)),
    "loss": idle / (processors * (last - first)),
    "wait": spread([a - s for s, a, _, _ in jobs]),
    "turnaround": spread([a + r - s for s, a, r, _ in jobs]),
    "slowdown": spread([max(1, (a + r - s) / max(r, bound))
                        for s, a, r, _ in jobs]),
}))
