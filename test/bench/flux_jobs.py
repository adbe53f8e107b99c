"""Run COUNT jobs that only simulate in this instance, each with NUMBER nodes
(-N) or cores (-n), for SECONDS; or jobs of mixed sizes, from a core to 500 nodes,
that run for less than a second and ask for half a minute to five. Print the
jobs a second, and the seconds of CPU time that they cost: of the scheduler, and
of the whole instance.

usage: flux python flux_jobs.py COUNT -N|-n NUMBER SECONDS
       flux python flux_jobs.py COUNT mixed"""

import glob
import random
import subprocess
import sys
import time

import flux
import flux.job

count, unit = sys.argv[1:3]
handle = flux.Flux()
broker = handle.attr_get("broker.pid")


def cpu():
    """CPU seconds of each thread of the broker, and of each process that it
    started as a module, by name. Linux counts them in nanoseconds."""
    children = subprocess.run(["pgrep", "-P", broker, "-f", "module-python"],
                              capture_output=True, text=True).stdout.split()
    spent = {}
    for pid in [broker, *children]:
        for task in glob.glob(f"/proc/{pid}/task/*"):
            with open(f"{task}/comm") as f:
                name = f.read().strip() if pid == broker else "sched-python"
            with open(f"{task}/schedstat") as f:
                spent[name] = spent.get(name, 0) + int(f.read().split()[0])
    return {name: ns / 1e9 for name, ns in spent.items()}


def jobspec(unit, number, seconds, duration=None):
    shape = {"num_tasks": number}
    if unit == "-N":
        shape |= {"num_nodes": number, "exclusive": True}
    spec = flux.job.JobspecV1.from_command(["true"], **shape)
    spec.setattr("system.exec.test.run_duration", f"{seconds}s")
    if duration:
        spec.duration = duration
    return spec.dumps()


def mixed():
    """Return a job: half of them want cores, one in six many nodes."""
    kind, seconds = random.randrange(6), random.randint(1, 5) / 10
    unit, number = (("-n", random.randint(1, 16)) if kind < 3 else
                    ("-N", 2 ** random.randint(0, 6)) if kind < 5 else
                    ("-N", random.randint(100, 500)))
    return jobspec(unit, number, seconds, random.randint(30, 300))


random.seed(1)
if unit == "mixed":
    specs = [mixed() for _ in range(int(count))]
else:
    specs = [jobspec(unit, int(sys.argv[3]), sys.argv[4])] * int(count)

before, began = cpu(), time.monotonic()
submitted = [flux.job.submit_async(handle, spec, waitable=True)
             for spec in specs]
for future in submitted:
    future.get_id()
for _ in submitted:
    if not flux.job.wait(handle).success:
        sys.exit("a job failed")
took = time.monotonic() - began
spent = {name: s - before.get(name, 0) for name, s in cpu().items()}
scheduler = sum(s for name, s in spent.items() if name.startswith("sched-"))
print(int(count) / took, scheduler, sum(spent.values()))
