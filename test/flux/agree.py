"""Do all views of an instance agree? Compare the scheduler's resources (all,
down, allocated), the running jobs of the job manager with their R, the resource
module's answer to `flux resource list` and, if it is installed, flux rset.
Print each difference, and exit with 1 if there is any."""

import json
import subprocess
import sys

import flux
from flux.idset import IDset
from flux.job import JobList, job_kvs_lookup

handle = flux.Flux()
faults = []


def pools(R):
    """A set of (rank, type, id) of the cores and GPUs in an R."""
    found = set()
    for entry in R["execution"]["R_lite"]:
        for rank in IDset(str(entry["rank"])):
            for kind, ids in entry["children"].items():
                found |= {(rank, kind, i) for i in IDset(str(ids))}
    return found


def differ(what, a, b):
    if a != b:
        odd = sorted(a ^ b) if isinstance(a, set) else (a, b)
        faults.append(f"{what}: {str(odd)[:300]}")


status = handle.rpc("sched.resource-status").get()
everything, down, allocated = (pools(status[key])
                               for key in ("all", "down", "allocated"))

running = set()
ends = {}
for job in JobList(handle, filters=["running"], max_entries=0,
                   attrs=["state", "expiration"]).jobs():
    R = job_kvs_lookup(handle, job.id, keys=["R"], original=False)
    if not R or "R" not in R:
        continue
    mine = pools(R["R"])
    ends[job.id.dec] = R["R"]["execution"].get("expiration")
    if mine & running:
        faults.append(f"job {job.id.dec} has what another has: "
                      f"{sorted(mine & running)[:5]}")
    running |= mine
if "--partial" in sys.argv:  # jobs gave a part of what their R lists back
    if not allocated <= running:
        faults.append(f"nobody has {sorted(allocated - running)[:5]}")
else:
    differ("running jobs and sched.resource-status", running, allocated)

listed = {}
for line in subprocess.run(
        ["flux", "resource", "list", "-n", "-s", "free,allocated,down", "-o",
         "{state} {ncores} {ngpus}"], capture_output=True, text=True,
        check=True).stdout.splitlines():
    state, cores, gpus = line.split()
    listed[state] = int(cores) + int(gpus)
differ("flux resource list: allocated", listed.get("allocated", 0),
       len(allocated))
differ("flux resource list: free", listed.get("free", 0),
       len(everything - allocated - down))
differ("flux resource list: down", listed.get("down", 0), len(down))

probe = subprocess.run(["flux", "rset"], capture_output=True, text=True)
if probe.returncode == 0:
    document = json.loads(probe.stdout)
    jobs = json.loads(subprocess.run(
        ["rset-alloc", "jobs", "-o", "json"], input=probe.stdout, text=True,
        capture_output=True, check=True).stdout)
    differ("flux rset: jobs", {str(job["job"]) for job in jobs}, set(ends))

print("\n".join(faults))
sys.exit(bool(faults))
