#!/usr/bin/env python3
"""usage: processors.py PROCESSORS POLICY <schedule.swf

Schedule the jobs of a trace, counting processors only, and print number and
wait of each. A job that runs longer than it asked for is taken to end at any
moment. The policies:

    fcfs              nobody overtakes the first job
    easy              Lifka 1995; Mu'alem and Feitelson 2001
    conservative:N    the first N jobs that wait have promised times, which
                      become as early as possible in the order of the jobs,
                      until nothing changes (Mu'alem and Feitelson 2001)
"""

import sys


class Job:
    def __init__(self, fields):
        self.number, self.submitted, self.run = fields[0], fields[1], fields[3]
        self.size = fields[7] if fields[7] > 0 else fields[4]
        self.limit = fields[8] if fields[8] > 0 else max(self.run, 1)
        self.at = None  # a promised time
        self.fresh = True


processors = free = int(sys.argv[1])
policy, _, depth = sys.argv[2].partition(":")
depth = int(depth or 1)
arrivals = sorted((Job([int(n) for n in line.split()[:9]])
                   for line in sys.stdin if line.strip() and line[0] != ";"),
                  key=lambda job: (job.submitted, job.number))
running, queue, waits = [], [], {}
# running: (end, processors, end that was asked for)


def start(job, now):
    global free
    queue.remove(job)
    waits[job.number] = now - job.submitted
    free -= job.size
    running.append((now + job.run, job.size, now + job.limit))


def fcfs(now):
    while queue and queue[0].size <= free:
        start(queue[0], now)


def easy(now):
    """Start jobs in order; then those that don't delay the first one."""
    fcfs(now)
    if not queue:
        return
    have, first = free, queue[0]
    ends = sorted((max(end, now), size) for _, size, end in running)
    for shadow, size in ends:
        have += size
        if have >= first.size:
            break
    extra = free - first.size + sum(size for end, size in ends
                                    if end <= shadow)
    for job in queue[1:]:
        if job.size <= free and (now + job.limit <= shadow
                                 or job.size <= extra):
            extra -= job.size if now + job.limit > shadow else 0
            start(job, now)


def fits(job, at, now, held):
    """Are there enough processors from a time on, beside promises? What is
    overdue is gone just after now."""
    end = at + job.limit
    beside = [k for k in held if k.at < end and at < k.at + k.limit]
    for when in [at] + [k.at for k in beside if k.at > at]:
        used = sum(size for _, size, until in running if until > when)
        used += sum(k.size for k in beside if k.at <= when < k.at + k.limit)
        if used + job.size > processors:
            return False
    return True


def hold(now, held):
    """Hold the promises that can be kept, in the order of the jobs."""
    for job in queue:
        if job.at is not None and job not in held and fits(job, job.at, now,
                                                           held):
            held.append(job)


def promise(job, now, held, before):
    """Find the first time before another one."""
    times = [max(end, now) for _, _, end in running]
    times += [k.at + k.limit for k in held]
    overdue = any(end <= now for _, _, end in running)
    for at in sorted(set(times)):
        if at < before and (at > now or overdue) and fits(job, at, now, held):
            return at
    return None


def go_through(now):
    held, given = [], 0
    for job in queue:
        if job.at is not None:
            job.at = max(job.at, now)
    hold(now, held)
    for job in list(queue):
        had = job in held
        yields = job.fresh or (job.at is not None and not had)
        later = queue[queue.index(job) + 1:]
        job.fresh = False
        if had:
            held.remove(job)
        if yields:
            held = [k for k in held if k not in later]
        if job.size <= free and fits(job, now, now, held):
            start(job, now)
        elif given < depth:
            at = promise(job, now, held, job.at if had else float("inf"))
            job.at = job.at if at is None else at
            held.append(job)
            given += 1
            if given == depth:
                for k in later:
                    k.at = None
                held = [k for k in held if k not in later]
        else:
            job.at = None
        if yields:
            hold(now, held)


def conservative(now):
    before = None
    while before != (before := [(job.number, job.at) for job in queue]):
        go_through(now)


schedule = {"fcfs": fcfs, "easy": easy, "conservative": conservative}[policy]
while arrivals or running or queue:
    now = min([j[0] for j in running] + [a.submitted for a in arrivals[:1]])
    for job in [j for j in running if j[0] <= now]:
        running.remove(job)
        free += job[1]
    while arrivals and arrivals[0].submitted <= now:
        queue.append(arrivals.pop(0))
    schedule(now)
for number in sorted(waits):
    print(number, waits[number])
