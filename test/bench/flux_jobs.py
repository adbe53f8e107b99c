"""Run COUNT jobs that only simulate in this instance, each with NUMBER nodes
(-N) or cores (-n), for SECONDS. Print the jobs a second, and the seconds of CPU
time that they cost: of the scheduler, and of the whole instance.

usage: flux python flux_jobs.py COUNT -N|-n NUMBER SECONDS"""

import glob
import subprocess
import sys
import time

import flux
import flux.job

count, unit, number, seconds = sys.argv[1:]
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


shape = {"num_tasks": int(number)}
if unit == "-N":
    shape |= {"num_nodes": int(number), "exclusive": True}
spec = flux.job.JobspecV1.from_command(["true"], **shape)
spec.setattr("system.exec.test.run_duration", f"{seconds}s")
spec = spec.dumps()

before, began = cpu(), time.monotonic()
submitted = [flux.job.submit_async(handle, spec, waitable=True)
             for _ in range(int(count))]
for future in submitted:
    future.get_id()
for _ in submitted:
    if not flux.job.wait(handle).success:
        sys.exit("a job failed")
took = time.monotonic() - began
spent = {name: s - before.get(name, 0) for name, s in cpu().items()}
scheduler = sum(s for name, s in spent.items() if name.startswith("sched-"))
print(int(count) / took, scheduler, sum(spent.values()))
