#!/usr/bin/env python3
"""usage: easy.py PROCESSORS <schedule.swf

Schedule the jobs of a trace as EASY does (Lifka 1995; Mu'alem and Feitelson
2001), counting processors only, and print number and wait of each. A job asks
for the time that it runs, if it asked for less."""

import sys

free = int(sys.argv[1])
jobs = [[int(n) for n in line.split()[:9]] for line in sys.stdin
        if line.strip() and line[0] != ";"]
arrivals = sorted((job[1], job[0], job[7] if job[7] > 0 else job[4], job[3],
                   max(job[8], job[3])) for job in jobs)
running, queue, waits = [], [], {}
# running: (end, number, processors, end that was asked for)


def start(job, now):
    global free
    submitted, number, size, run, limit = job
    waits[number] = now - submitted
    if run > 0:
        free -= size
        running.append((now + run, number, size, now + limit))


def schedule(now):
    """Start jobs in order; then those that don't delay the first one."""
    while queue and queue[0][2] <= free:
        start(queue.pop(0), now)
    if not queue:
        return
    have = free
    for _, _, size, shadow in sorted(running, key=lambda j: j[3]):
        have += size
        if have >= queue[0][2]:
            break
    extra = free + sum(size for _, _, size, end in running
                       if end <= shadow) - queue[0][2]
    for job in queue[1:]:
        size, limit = job[2], job[4]
        if size <= free and (now + limit <= shadow or size <= extra):
            extra -= size if now + limit > shadow else 0
            queue.remove(job)
            start(job, now)


while arrivals or running or queue:
    times = [j[0] for j in running] + [a[0] for a in arrivals[:1]]
    now = min(times)
    for job in [j for j in running if j[0] == now]:
        running.remove(job)
        free += job[2]
    while arrivals and arrivals[0][0] == now:
        queue.append(arrivals.pop(0))
    schedule(now)
for number in sorted(waits):
    print(number, waits[number])
