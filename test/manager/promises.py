#!/usr/bin/env python3
"""Check the promises of a service under easy or conservative, from what is said.

usage: promises.py FILE [joined]

FILE has the lines of a game of `manager --clock --lockstep` (its --trace): >
marks lines to the service, < its answers and its log at level debug. This uses
only these lines, RFC 27 and rset-serve(7):

- A job starts at the promised time, or earlier. It waits longer only while a
  job runs whose end has passed.
- A promise gets later only if resources are lost, a running job is extended or
  continues after its end, a job that comes before it arrives or rises, or one
  for which no time was possible gets a promise, or starts.
- A promise ends for the same reasons.
- t_estimate is the promised time to less than a second, or, if that has passed,
  a time since then and of the last minute. It is sent again only if it changes
  by a second or more. selection_type is `reserved` while
  there is an estimate, and with SUCCESS `backfilled` if the job overtook
  another one, else `immediate`. SUCCESS takes estimate and reason away.

Prints counts, or the first line that is wrong and ends with status 1."""

import datetime
import json
import re
import sys

path, joined = sys.argv[1], "joined" in sys.argv[2:]
now = checked = 2000.0  # the time, and that of the last check
waiting = {}  # jobs by id
ends = {}     # of running jobs
events = []   # since the last check: what may delay all promises
came = {}     # keys by id of jobs that arrived, rose or sank since then
sunk = (float("inf"),)
gained = []   # keys of jobs that got a promise, or started without one, since
count = dict.fromkeys(["promises", "earlier", "later", "ended", "starts",
                       "backfilled", "estimates"], 0)


def fail(text):
    sys.exit(f"{path}:{number}: {text}\n{line.rstrip()[:1000]}")


class Job:
    def __init__(self, payload):
        self.id = payload["id"]
        self.priority = payload["priority"]
        self.submitted = payload.get("t_submit", now)
        system = payload["jobspec"]["attributes"]["system"]
        self.queue = None if joined else system.get("queue")
        self.promise = self.before = None  # now, and at the last check
        self.told = {}  # annotations
        self.logged = self.ended = False  # since the last check: a promise was
        # logged, an estimate was taken away

    def key(self):
        return -self.priority, self.submitted, self.id


# --- lines to the service ----------------------------------------------------

def alloc(p):
    if isinstance(p["id"], int) and p["id"] not in waiting \
            and p["id"] not in ends and p["jobspec"].get("resources"):
        waiting[p["id"]] = Job(p)
        came[p["id"]] = waiting[p["id"]].key()


def valid(pair):
    return (isinstance(pair, list) and len(pair) == 2
            and all(isinstance(n, int) and n >= 0 for n in pair)
            and pair[1] < 2**32)


def prioritize(p):
    if not all(map(valid, p["jobs"])):
        return
    for id, priority in p["jobs"]:
        if id in waiting and priority != waiting[id].priority:
            rose = priority > waiting[id].priority or came.get(id, sunk) != sunk
            waiting[id].priority = priority
            came[id] = waiting[id].key() if rose else sunk


def free(p):
    if p.get("final", "R" not in p):
        ends.pop(p["id"], None)


def extended(p):
    """The last sched.expiration was successful."""
    until = p["expiration"] or float("inf")
    if until > ends[p["id"]] or until <= now:
        events.append("a running job has another end")
    ends[p["id"]] = until


def clock(p):
    global now
    now = p["now"]
    if any(end <= now for end in ends.values()):
        events.append("a running job is past its end")


def acquire(p):
    if p.keys() - {"up"}:
        events.append("resources were lost, or have another end")


takers = {"sched.alloc": alloc, "sched.prioritize": prioritize,
          "sched.free": free, "sched.clock": clock, "resource.acquire": acquire}


# --- its answers -------------------------------------------------------------

def merge(job, changes):
    if "t_estimate" in changes:
        new, old = changes["t_estimate"], job.told.get("t_estimate")
        count["estimates"] += new is not None
        if new is None and old is None:
            fail("there was no estimate to take away")
        if None not in (new, old) and abs(new - old) < 1:
            fail(f"an estimate is sent again that was {old}")
        job.ended |= new is None
        if old is None:
            gained.append(job.key())
    for key, value in changes.items():
        job.told[key] = value
        if value is None:
            del job.told[key]


def start(job, payload):
    ahead = any(j.queue == job.queue and j.key() < job.key()
                for j in waiting.values())
    del waiting[job.id]
    merge(job, payload["annotations"]["sched"])
    left = {"t_estimate", "reason_pending"} & set(job.told)
    if left:
        fail(f"SUCCESS leaves {left}")
    if job.told["selection_type"] != ["immediate", "backfilled"][ahead]:
        fail("jobs before it in its queue: " + str(
            [j.id for j in waiting.values()
             if j.queue == job.queue and j.key() < job.key()]))
    times = payload["R"]["execution"]
    ends[job.id] = times.get("expiration") or float("inf")
    if job.before is not None:
        late(job, max(job.before, checked), now)
    else:
        gained.append(job.key())
    count["starts"] += 1
    count["backfilled"] += ahead


def answer(p):
    job = waiting.get(p["id"])
    if not job:
        return
    if p["type"] == 0:
        start(job, p)
    elif p["type"] == 1:
        merge(job, p["annotations"]["sched"])
    else:
        del waiting[job.id]


def log(text):
    m = re.match(r"rset-alloc: job (\d+): (?:reserved from (.*)|not reserved)",
                 text)
    if not m:
        return
    job = waiting[int(m[1])]
    if not m[2]:
        job.promise = None
        return
    job.promise = datetime.datetime.fromisoformat(
        m[2].replace("Z", "+00:00")).timestamp()
    job.logged = True
    count["promises"] += 1


# --- checks, before each line that may change anything ------------------------

def excused(job):
    """May the promise of a job have moved?"""
    return events or job.id in came or any(key < job.key() for key in
                                           [*came.values(), *gained])


def late(job, before, after):
    """Check a promise, or the start, against the promise before it."""
    if before is not None and after > before and not excused(job):
        fail(f"job {job.id} was promised {before}, and has to wait until "
             f"{after}")


def check_notes(job):
    told = job.told.get("t_estimate")
    if told is None and (job.ended or not job.logged):
        job.promise = None  # the log does not say so
    if (told is None) != (job.promise is None) \
            or told is not None and not max(job.promise, now - 60) - 1 < told \
            < max(job.promise, now) + 1:
        fail(f"job {job.id} is promised {job.promise}, and its t_estimate is "
             f"{told}")
    if (job.told.get("selection_type") == "reserved") != (told is not None):
        fail(f"job {job.id}: selection_type does not fit")
    if "reason_pending" not in job.told:
        fail(f"job {job.id} waits without a reason")


def check():
    for job in waiting.values():
        check_notes(job)
    overdue = any(end <= now for end in ends.values())
    for job in waiting.values():
        before, after = job.before, job.promise
        if after is not None and after <= now and not overdue:
            fail(f"job {job.id} was promised {after}, and waits")
        if before is not None and after is not None and not job.ended:
            late(job, max(before, checked), after)
            count["earlier"] += after < before
            count["later"] += after > before
        elif before is not None:
            count["ended"] += 1
            if not excused(job):
                fail(f"job {job.id} was promised {before}, and has no promise "
                     "any more")
        job.before = after
        job.logged = job.ended = False
    gained.clear()
    events.clear()
    came.clear()


with open(path) as lines:
    for number, line in enumerate(lines, 1):
        mark, text = line[0], line[2:].rstrip("\n")
        if text.startswith("rset-alloc:"):
            log(text)
            continue
        if mark == ">" and '"sched.ping"' not in text:
            check()
            checked = now
        try:
            message = json.loads(text)
            topic, payload = message["topic"], message.get("payload", {})
        except (ValueError, KeyError, TypeError):
            continue  # some lines to the service are wrong
        if topic == "sched.expiration":
            if mark == "<" and not message.get("errnum"):
                extended(wish)
            wish = payload
        elif mark == ">" and topic in takers:
            try:
                takers[topic](payload)
            except (KeyError, TypeError, AttributeError):
                pass
        elif mark == "<" and topic == "sched.alloc" and payload:
            answer(payload)
print(*(f"{n} {what}" for what, n in count.items()), sep=", ")
