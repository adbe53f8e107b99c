#!/usr/bin/env python3
"""Restart a scheduler while jobs run, and check that no unit is lost or given
twice.

usage: restarts.py RSET-ALLOC RSET-MATCH GAMES

Each game plays the job manager, and sometimes the provider, against
`rset-alloc serve` on a small random inventory. It requests and frees jobs,
makes reservations of the site, stops or kills the service, and starts it again.
Then hello lists the jobs with their R's in any form: plain, as a graph, in
shorthand, damaged, partly freed, made up. The model is written from rset-serve(7),
rset-protocol(5), RFC 20 and RFC 27 only. It knows each unit by its path and
counts who has named it:

1. SUCCESS has only units that no other job and no reservation has at that time.
2. What is allocated, as sched.resource-status says, is the sum of what the jobs
   and the present reservations name, at most the size of each pool. So a
   conflict costs only the contested units, and they stay with the other job.
3. At the end nothing is allocated, and everything can be allocated again.
4. A job gets an exception if some of its resources are gone or contested, and
   otherwise none.
5. Every R that the service writes is read again, by hello and by rset-match.
6. A reservation fails only if jobs or reservations are in its way, and names
   them. It survives with a store, and ends at its end.
7. A store is sound whenever a command may read it: rset-alloc check says so.

Prints the seed first, and counts last. A broken rule ends with status 1, after
the lines of the game. Game N of seed S is game 0 of seed S + N."""

import collections
import copy
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ALLOC, MATCH, GAMES = sys.argv[1], sys.argv[2], int(sys.argv[3])
FOREVER = float("inf")
count = collections.Counter()


class Broken(Exception):
    """A rule is broken."""


# --- sets of ranks and hosts --------------------------------------------------

def idset(ids):
    return ",".join(map(str, sorted(ids)))


def ids(text):
    found = []
    for part in filter(None, text.strip("[]").split(",")):
        low, _, high = part.partition("-")
        found += range(int(low), int(high or low) + 1)
    return found


def hosts(nodelist):
    """Expand a list of hosts, of which each has at most one bracket."""
    found = []
    for text in nodelist:
        for word in re.findall(r"[^,\[]+(?:\[[^]]*\])?", text):
            name, _, numbers = word.partition("[")
            found += [f"{name}{n}" for n in ids(numbers)] if numbers else [name]
    return found


# --- the inventory ------------------------------------------------------------

class Vertex:
    def __init__(self, parent, type, id, size=1, unit="", host=None):
        self.type, self.id, self.size, self.unit = type, id, size, unit
        self.name = host or f"{type}{id}"
        self.host = host or parent and parent.host
        self.path = (parent.path if parent else "") + "/" + self.name
        self.parent, self.children = parent, []
        if parent:
            parent.children.append(self)

    def tree(self):
        """Return this vertex and everything below it, parents first."""
        return [self] + [v for c in self.children for v in c.tree()]

    def above(self):
        return self.parent.above() + [self.parent] if self.parent else []


class Inventory:
    """Everything there may be. Some hosts are present, each with a rank."""

    def __init__(self, rng):
        self.plain = rng.random() < 0.2
        self.root = Vertex(None, "cluster", 0)
        number = 0
        if not self.plain:
            Vertex(self.root, "licence", 0, rng.randint(2, 9))
        racks, sockets = rng.randint(1, 3), rng.random() < 0.3
        gpus, memory = rng.randint(0, 2), rng.randint(1, 2)
        for r in range(1 if self.plain else racks):
            rack = self.root
            if not self.plain:
                rack = Vertex(rack, "rack", r)
                Vertex(rack, "ssd", 0, rng.randint(2, 20), "GB")
            for _ in range(rng.randint(1, 5 if self.plain else 3)):
                node = Vertex(rack, "node", number, host=f"node{number}")
                number += 1
                self.fill(node, rng.randint(2, 4), gpus, memory, sockets)
        self.all = {v.path: v for v in self.root.tree()}
        self.nodes = [v for v in self.all.values() if v.type == "node"]
        self.racks = [v for v in self.all.values() if v.type == "rack"]
        self.units = {v.path: v.size for v in self.all.values()
                      if not v.children}
        self.ranks = {v.host: i for i, v in enumerate(self.nodes)}

    def fill(self, node, cores, gpus, memory, sockets):
        inner = node
        for i in range(cores):
            if sockets and not self.plain and i in (0, 2):
                inner = Vertex(node, "socket", i // 2)
            Vertex(inner, "core", i)
        for i in range(gpus):
            Vertex(node, "gpu", i)
        if not self.plain:
            for i in range(memory):
                Vertex(node, "memory", i, 8, "GB")

    def present(self, vertex):
        return vertex.host is None or vertex.host in self.ranks

    def node(self, host):
        return next((v for v in self.nodes if v.host == host), None)

    def all_units(self):
        return {p: n for p, n in self.units.items() if
                self.present(self.all[p])}

    def R(self):
        units = collections.Counter(self.all_units())
        return make_R(self, units, self.ranks, set(),
                      None if self.plain else "compact")


# --- documents ----------------------------------------------------------------

def make_R(inventory, units, ranks, exclusive, form):
    """Write an R of units: form is None, compact, full or shorthand.

    EXCLUSIVE are paths. Pools that are inside one are exclusive, too."""
    listed = {}
    for path in units:
        for v in inventory.all[path].above() + [inventory.all[path]]:
            listed[v.path] = v
    for path in exclusive:
        for v in inventory.all[path].above() + [inventory.all[path]]:
            listed[v.path] = v
    lite, names = [], []
    for host, rank in sorted(ranks.items(), key=lambda item: item[1]):
        children = {}
        for kind in "core", "gpu":
            found = [v.id for v in listed.values()
                     if v.host == host and v.type == kind]
            if found or kind == "core":
                children[kind] = idset(found)
        if any(v.host == host for v in listed.values()):
            lite.append({"rank": str(rank), "children": children})
            names.append(host)
    R = {"version": 1, "execution": {"R_lite": lite, "nodelist": names}}
    if form:
        R["scheduling"] = make_graph(inventory, listed, units, ranks, exclusive,
                                     form)
    return R


def make_graph(inventory, listed, units, ranks, exclusive, form):
    order = [v for v in inventory.root.tree() if v.path in listed]
    whole = {v.path for v in order
             if v.path in exclusive or any(a.path in exclusive
                                           for a in v.above())}
    omitted = {v.path for v in order if form == "shorthand"
               and any(a.path in whole for a in v.above())}
    order = [v for v in order if v.path not in omitted]
    number = {v.path: str(i) for i, v in enumerate(order)}
    nodes, edges = [], []
    for v in order:
        data = {"type": v.type, "id": v.id, "rank": ranks.get(v.host, -1),
                "paths": {"containment": v.path}}
        size = units.get(v.path, v.size)
        if v.type == "node" or form == "full":
            data |= {"name": v.name}
        if size != 1 or form == "full":
            data["size"] = size
        if v.unit or form == "full":
            data["unit"] = v.unit
        if v.path in whole:
            data["exclusive"] = True
        if form == "full":
            data |= {"basename": v.type, "uuid": f"u{v.path}{v.host}",
                     "properties": {}}
        nodes.append({"id": number[v.path], "metadata": data})
        if v.parent:
            edge = {"source": number[v.parent.path], "target": number[v.path]}
            if form == "full":
                edge["metadata"] = {"subsystem": "containment",
                                    "relationship": "contains"}
            edges.append(edge)
    scheduling = {"graph": {"nodes": nodes, "edges": edges}}
    if omitted:
        scheduling["writer"] = "fluxion:jgf_shorthand"
    return scheduling


def read_ranks(R):
    """Return the ranks of an R by host."""
    found = sorted(r for e in R["execution"]["R_lite"] for r in ids(e["rank"]))
    return dict(zip(hosts(R["execution"]["nodelist"]), found))


def read_lite(inventory, R):
    """Return the units that the R_lite of an R names."""
    units = collections.Counter()
    at = {rank: inventory.node(host) for host, rank in read_ranks(R).items()}
    held = R.get("attributes", {}).get("system", {}).get("scheduler", {})
    whole = ids(held.get("holds", ""))
    for entry in R["execution"]["R_lite"]:
        for rank in ids(entry["rank"]):
            for v in at[rank].tree():
                given = entry["children"].get(v.type, "")
                if v.path in inventory.units \
                        and (rank in whole or v.id in ids(given)):
                    units[v.path] = v.size
    return units


def read_graph(inventory, graph):
    """Return the units and the exclusive paths that a sound graph names.

    An exclusive vertex means everything in it."""
    up = {e["target"]: e["source"] for e in graph["edges"]}
    data = {v["id"]: v["metadata"] for v in graph["nodes"]}

    def path(id):
        name = data[id].get("name") or data[id]["type"] + str(data[id]["id"])
        return (path(up[id]) if id in up else "") + "/" + name

    units, exclusive = collections.Counter(), set()
    for id, m in data.items():
        vertex = inventory.all[path(id)]
        if vertex.type != m["type"]:
            raise Broken(f"{vertex.path} is a {m['type']}")
        if m.get("exclusive"):
            exclusive.add(vertex.path)
            for v in vertex.tree():
                if v.path in inventory.units:
                    units[v.path] = v.size
        elif vertex.path in inventory.units and vertex.path not in units:
            units[vertex.path] = m.get("size", 1)
    return units, exclusive


def read_R(inventory, R):
    """Return units and exclusive paths of an R that is not damaged."""
    if (R.get("scheduling") or {}).get("graph"):
        units, exclusive = read_graph(inventory, R["scheduling"]["graph"])
        ranks = read_ranks(R)  # no vertex of another node is meant
        return collections.Counter({
            p: n for p, n in units.items()
            if (inventory.all[p].host or None) in [None, *ranks]}), exclusive
    return read_lite(inventory, R), set()


def damage(rng, R):
    """Make a graph wrong somewhere."""
    R = copy.deepcopy(R)
    graph = R["scheduling"]["graph"]
    nodes, edges = graph["nodes"], graph["edges"]
    some = rng.choice(nodes)["metadata"]
    wrong = rng.choice([None, 7, "x", [], {}, -1.5, True])
    kind = rng.randrange(13)
    if kind == 0:
        R["scheduling"] = rng.choice([7, "x", [], True])
    elif kind == 1:
        R["scheduling"]["graph"] = rng.choice([7, "x", [], None, {}])
    elif kind == 2:
        graph[rng.choice(["nodes", "edges"])] = rng.choice([7, "x", None, True])
    elif kind == 3:
        rng.choice(nodes)["metadata"] = rng.choice([7, "x", [], None])
    elif kind == 4:
        some["type"] = rng.choice([7, "", None, [], "x/y"])
    elif kind == 5:
        some["size"] = rng.choice(["2", -1, 1.5, []])
    elif kind == 6:
        some["rank"] = rng.choice(["1", 1.5, 77, -7, []])
    elif kind == 7:
        some["exclusive"] = rng.choice(["yes", 1, []])
    elif kind == 8:
        some["id"] = rng.choice(["1", 1.5, 7, []])
    elif kind == 9:
        del nodes[rng.randrange(len(nodes)):]
    elif kind == 10 and edges:
        del edges[rng.randrange(len(edges)):]
    elif kind == 11 and edges:
        n = rng.randrange(len(edges))
        del edges[n:], nodes[n + 1:]
    elif edges:
        rng.choice(edges)[rng.choice(["source", "target"])] = wrong
    return R


# --- jobspecs -----------------------------------------------------------------

def resource(type, n=1, *within, **keys):
    vertex = {"type": type, "count": n, **keys}
    if within:
        vertex["with"] = list(within)
    return vertex


def slot(label, n, *within):
    return resource("slot", n, *within, label=label)


def request(rng, inventory, sayable):
    """Return the resources of a random jobspec, with a slot s.

    SAYABLE: an R can say that a job holds a node whole and lists part of it."""
    core = resource("core", rng.randint(1, 3))
    nodes = rng.choice([1, 1, 1, 2, 3])
    things = [core]
    if rng.random() < 0.3 and any(v.type == "gpu"
                                  for v in inventory.all.values()):
        things.append(resource("gpu"))
    kinds = [
        [slot("s", 1, resource("node", nodes))],
        [resource("node", nodes, slot("s", 1, core), exclusive=True)],
        [slot("s", 1, resource("node", nodes, *[core] * sayable))],
        [slot("s", rng.randint(1, 3), *things)],
        [slot("s", rng.randint(1, 4), resource("core"))]]
    if inventory.plain:
        return rng.choice(kinds)
    licence = resource("licence", rng.randint(1, 3))
    ssd = resource("ssd", rng.randint(1, 8))
    memory = resource("memory", rng.randint(1, 9))
    return rng.choice(kinds + [
        [slot("s", rng.randint(1, 2), *things, memory)],
        [slot("s", 1, memory)],
        [slot("s", 1, licence)],
        [slot("s", 1, core), slot("t", 1, licence)],
        [slot("s", 1, resource("node", nodes), licence)],
        [slot("s", 1, resource("rack"))],
        [resource("rack", 1, slot("s", 1, ssd))],
        [resource("rack", 1, slot("s", 1, ssd),
                  resource("node", 1, slot("t", 1, core)))],
        [resource("rack", 1, slot("s", 1, ssd),
                  slot("t", 1, resource("node")))]])


def jobspec(resources, duration):
    task = {"command": ["a"], "slot": "s", "count": {"per_slot": 1}}
    system = {"duration": duration} if duration else {}
    return {"version": 9999, "resources": resources, "tasks": [task],
            "attributes": {"system": system}}


# --- the model ----------------------------------------------------------------

class Holder:
    """A job, or a reservation of the site: units by path from start to end.

    What it MUST have and MAY have differ only if its R is damaged."""

    def __init__(self, name, start=0, end=FOREVER):
        self.name, self.start, self.end = name, start, end
        self.contested = False  # another had some of it when hello named it
        self.must = self.may = collections.Counter()

    def takes(self, must, may=None):
        self.must, self.may = must, must if may is None else may


class Job(Holder):
    def __init__(self, id, spec, priority):
        super().__init__(id)
        self.spec, self.priority = spec, priority
        self.R = None       # as the service wrote it
        self.whole = None   # with its graph, if the store has one
        self.given = set()  # hosts that were given back
        self.runs = False
        self.partial = False  # the R leaves out what the job has
        self.named = None   # the R of the last hello
        self.cut = False    # a hello named only a part, or made it up


class Game:
    def __init__(self, seed, place):
        self.rng = rng = random.Random(seed)
        self.place, self.lines = place, []
        self.inventory = Inventory(rng)
        self.current = rng.random() < 0.6
        self.keep = rng.choice(["kvs", "store"] + ["", ""] * self.current)
        self.provider = rng.random() < 0.6
        self.form = rng.choice(["shorthand", "shorthand", "r", "rv1",
                                "rv1-compact"])
        self.policy = rng.choice(["fcfs", "easy", "conservative"])
        self.now, self.last_id, self.last_tag = 1000, 0, 0
        self.jobs, self.site = {}, {}
        self.down = set()
        self.raised, self.may_raise = set(), None
        self.lost = False   # inventory changed while a store has the jobs
        self.killed = False  # the store may have jobs that nobody knows
        if self.keep == "kvs":
            os.mkdir(os.path.join(place, "kvs"))

    def play(self):
        for i in range(self.rng.randint(2, 5)):
            self.start(first=i == 0)
            for _ in range(self.rng.randint(2, 12)):
                self.step()
            self.stop()
        self.start(first=False)
        self.finish()

    # --- lines ---

    def send(self, topic, **keys):
        line = json.dumps({"topic": topic, **keys})
        self.lines.append("> " + line)
        self.service.stdin.write(line + "\n")
        self.service.stdin.flush()

    def read(self):
        line = self.service.stdout.readline()
        if not line:
            raise Broken("the service ended with status "
                         f"{self.service.wait()}")
        self.lines.append("< " + line.rstrip("\n"))
        return json.loads(line)

    def ask(self, topic, payload=None):
        """Send a request. Take the lines before its answer, and return this."""
        self.last_tag += 1
        tag = 1000 + self.last_tag
        self.send(topic, matchtag=tag,
                  **({} if payload is None else {"payload": payload}))
        while (message := self.read()).get("matchtag") != tag:
            self.take(message)
        return message

    def take(self, message):
        """Take a line of the service that answers no matchtag."""
        topic, payload = message["topic"], message.get("payload", {})
        if topic == "sched.alloc" and "errnum" not in message:
            self.answer(payload)
        elif topic == "job-manager.raise":
            self.exception(payload)
        elif topic == "sched.free" and not self.current:
            pass
        elif topic == "resource.release" and not self.current:
            self.send("resource.release", matchtag=message["matchtag"])
        else:
            raise Broken(f"an unexpected line: {message}")

    def answer(self, payload):
        job = self.jobs.get(payload["id"])
        if not job or job.runs:
            raise Broken(f"{payload['id']} does not wait")
        if payload["type"] == 0:
            self.success(job, payload)
        elif payload["type"] in (2, 3):
            del self.jobs[job.name]
            count["denied" if payload["type"] == 2 else "canceled"] += 1

    def exception(self, payload):
        id = payload["id"]
        if payload["type"] != "scheduler-restart" or self.may_raise is None:
            raise Broken(f"an exception that nothing explains: {payload}")
        if id not in self.may_raise:
            raise Broken(f"rule 4: job {id} gets an exception: its R is "
                         "complete and free")
        self.raised.add(id)
        count["exceptions"] += 1

    # --- SUCCESS ---

    def stored_R(self, id, *form):
        if self.keep == "kvs":
            with open(f"{self.place}/kvs/{id}.json") as file:
                return json.load(file)
        run = subprocess.run(
            [ALLOC, "allocated", str(id), "--store", f"{self.place}/store",
             "-o", "rv1-compact", *form], text=True, capture_output=True)
        if run.returncode:
            raise Broken(f"allocated {id}: {run.stderr}")
        return json.loads(run.stdout)

    def success(self, job, payload):
        """Rules 1, 5 and 6 for the R of a new job."""
        R = payload.get("R")
        if (R is not None) != self.current:
            raise Broken("an R is missing, or out of place")
        if R is None:
            R = self.stored_R(job.name, *self.rng.choice([[], ["--shorthand"]]))
        if self.rng.random() < 0.2:
            self.readable(R)
        units, _ = read_R(self.inventory, R)
        times = R["execution"]
        job.R, job.runs, job.given = R, True, set()
        job.start = times.get("starttime", self.now)
        job.end = times.get("expiration") or FOREVER
        job.named, job.partial, job.whole = None, False, R
        if not self.inventory.plain and not R.get("scheduling"):
            job.partial = True  # licences, memory and ssds are not listed
        job.takes(collections.Counter())
        for path in units:
            host = self.inventory.all[path].host
            if not self.inventory.present(self.inventory.all[path]) \
                    or host in self.down:
                raise Broken(f"job {job.name} gets {path}, which is not up")
        self.disjoint(job, units)
        job.takes(units)
        if self.keep == "store" and job.partial:
            job.whole = self.stored_R(job.name)
            job.takes(read_R(self.inventory, job.whole)[0])
            job.partial = False
        count["started"] += 1

    def disjoint(self, job, units):
        for time in [self.now, *(r.start for r in self.site.values()
                                 if self.now < r.start < job.end)]:
            used = self.used("must", time)
            for path, n in units.items():
                if used[path] + n > self.inventory.units[path]:
                    others = [h.name for h in self.holders(time)
                              if h.must[path] and h is not job]
                    raise Broken(f"rules 1 and 6: job {job.name} gets {path} "
                                 f"({n}), which {others} have at {time}")

    def holders(self, time):
        """Return who holds anything at a time: now, jobs past their end, too.

        A job that was contested may end earlier, before a reservation."""
        jobs = [j for j in self.jobs.values() if j.runs
                and (j.end > time and not j.contested or time <= self.now)]
        return jobs + [r for r in self.site.values() if r.start <= time < r.end]

    def used(self, bound, time):
        return sum((getattr(h, bound) for h in self.holders(time)),
                   collections.Counter())

    def readable(self, R):
        run = subprocess.run([MATCH, "-o", "short"], input=json.dumps(R),
                             text=True, capture_output=True)
        if run.returncode:
            raise Broken(f"rule 5: rset-match refuses {json.dumps(R)}: "
                         f"{run.stderr}")

    # --- what is allocated ---

    def check(self):
        """Rules 2 and 7: what is allocated is the sum of what is named."""
        if self.keep == "store":
            run = subprocess.run(
                [ALLOC, "check", "--store", f"{self.place}/store"],
                capture_output=True, text=True, check=False)
            if run.returncode != 0:
                raise Broken(f"rule 7: {run.stdout}{run.stderr}")
        answer = self.ask("sched.resource-status")
        R = answer["payload"]["allocated"]
        found = read_lite(self.inventory, R)
        if "scheduling" in R:
            found, _ = read_graph(self.inventory, R["scheduling"]["graph"])
        found = self.existing(found)
        low, high = self.used("must", self.now), self.used("may", self.now)
        for r in self.site.values():
            waits_for = [j for j in self.jobs.values()
                         if j.runs and j.may & r.must]
            if r.start <= self.now and waits_for:  # all of it has to wait
                low = low - r.must
                for j in waits_for:
                    if j.contested:
                        low = low - (j.must & r.must)
        partial = any(j.partial for j in self.jobs.values())
        for path, size in self.inventory.units.items():
            vertex = self.inventory.all[path]
            if not self.inventory.present(vertex):
                size = 0
            if found[path] < min(size, low[path]):
                raise Broken(f"rule 1: {path}: {found[path]} allocated, "
                             f"{min(size, low[path])} named")
            if found[path] > min(size, high[path]) and not partial:
                raise Broken(f"rule 2: {path}: {found[path]} allocated, "
                             f"{min(size, high[path])} named")
        count["checks"] += 1

    # --- the service ---

    def start(self, first):
        if not first:
            self.change()
        command = [ALLOC, "serve", "--clock", "messages", "--now",
                   str(self.now), "--queue-policy", self.policy, "--job-form",
                   self.form, "--dialect",
                   "current" if self.current else "seed"]
        if self.keep:
            command += [f"--{self.keep}", os.path.join(self.place, self.keep)]
        if not self.provider:
            path = os.path.join(self.place, "set.json")
            with open(path, "w") as file:
                json.dump(self.inventory.R(), file)
            command += ["--resources", path]
        self.lines.append("$ " + " ".join(command))
        if not self.provider:
            self.lines.append("# set.json: " + json.dumps(self.inventory.R()))
        with open(os.path.join(self.place, "log"), "a") as log:
            self.service = subprocess.Popen(
                command, text=True, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=log)
        if self.provider:
            self.acquired(self.read())
        self.hello(self.read())
        count["starts"] += 1

    def acquired(self, message):
        up = set(self.inventory.ranks) - self.down
        ranks = {h: self.inventory.ranks[h] for h in self.inventory.ranks}
        payload = {"resources": self.inventory.R()}
        online = idset(ranks[h] for h in up)
        if self.current:
            payload["up"] = online
        else:
            payload |= {"type": "grow", "online": online,
                        "offline": idset(ranks[h] for h in self.down)}
        self.send("resource.acquire", matchtag=message["matchtag"],
                  payload=payload)

    def change(self):
        """Change hosts, ranks and states between two starts."""
        inventory, rng = self.inventory, self.rng
        if self.keep == "store" and not self.provider:
            return  # the service would refuse the resources
        if rng.random() < 0.3:
            nodes = inventory.nodes[:]
            if rng.random() < 0.6 and len(nodes) > 1:
                nodes.remove(rng.choice(nodes))
            ranks = [inventory.nodes.index(v) for v in nodes]
            if rng.random() < 0.4:  # other hosts at the same ranks, and others
                ranks = rng.sample(range(len(nodes) + 2), len(nodes))
            names = [v.host for v in nodes]
            inventory.ranks = dict(zip(names, ranks))
            self.lost = self.keep == "store"
        self.down = set()
        if self.provider and rng.random() < 0.3:
            self.down = {h for h in inventory.ranks if rng.random() < 0.3}

    def hello(self, message):
        """Name the jobs that run. The others are requested again."""
        self.may_raise, self.raised = set(), set()
        tag, must_raise, listed = message["matchtag"], set(), []
        if self.keep != "store":
            self.site.clear()
        self.site = {n: r for n, r in self.site.items() if r.end > self.now}
        for r in self.site.values():  # a store forgets what is gone
            must = self.existing(r.must)
            if self.lost:  # and what a job has that is past its end
                must = collections.Counter(
                    {p: n for p, n in must.items()
                     if not any(j.may[p] for j in self.jobs.values())})
            r.takes(must, self.existing(r.may))
        self.invent()
        running = [j for j in self.jobs.values() if j.runs]
        self.rng.shuffle(running)
        for job in running:
            payload = self.name(job)
            listed.append(job)
            self.send("job-manager.sched-hello", matchtag=tag, payload=payload)
        self.expect(listed, must_raise)
        self.send("job-manager.sched-hello", matchtag=tag, errnum=61)
        while (message := self.read())["topic"] != "job-manager.sched-ready":
            self.take(message)
        waiting = [j for j in self.jobs.values() if not j.runs]
        self.send("job-manager.sched-ready", matchtag=message["matchtag"],
                  payload={"count": len(waiting)})
        for job in waiting:
            self.request(job)
        self.ask("sched.ping", {})
        missing = must_raise - self.raised
        if missing:
            raise Broken(f"rule 4: no exception on jobs {missing}, which "
                         "lost something")
        self.may_raise, self.killed = None, False
        self.check()
        for job in running:
            job.takes(self.existing(job.must), self.existing(job.may))
        self.reservations()

    def existing(self, units):
        return collections.Counter(
            {p: n for p, n in units.items()
             if self.inventory.present(self.inventory.all[p])})

    def expect(self, listed, must_raise):
        """Say which jobs of hello must or may get an exception."""
        high = self.used("may", self.now)
        for job in listed:
            inventory = self.inventory
            ranks = read_ranks(job.named or job.R)
            moved = any(rank != inventory.ranks.get(host)
                        for host, rank in ranks.items())
            contested = any(high[p] > inventory.units[p] for p in job.may)
            contested |= any(
                (o.cut or job.cut) and o is not job
                and set(read_ranks(o.R)) & set(read_ranks(job.R))
                for o in listed)  # one may hold whole what another shares
            contested |= any(self.inventory.all[p].host in read_ranks(job.R)
                             for r in self.site.values() for p in r.must)
            later = any(r.start > self.now and r.may & job.may
                        for r in self.site.values())
            if moved or contested or later or job.must != job.may \
                    or self.lost or self.killed and job.named:
                self.may_raise.add(job.name)
            job.contested = job.contested or contested or later
            if job.gone and not self.lost and not job.given:
                must_raise.add(job.name)

    def name(self, job):
        """Return the response of hello for a job, and note what it names."""
        rng, inventory = self.rng, self.inventory
        payload = {"id": job.name, "priority": job.priority, "userid": 1,
                   "t_submit": 900.5}
        R, damaged = job.R, False
        form = rng.choice(["as it was", "as it was", "none", "null", "compact",
                           "full", "shorthand", "damaged"])
        silent = self.keep and not job.contested and rng.random() < 0.4 \
            and (self.keep == "store" or job.named is None) \
            and not (self.lost and job.given)  # the ranks may be others now
        if silent and self.keep == "store":
            job.gone = any(not inventory.present(inventory.all[p])
                           for p in job.may)
            job.takes(job.must, job.may | self.implied(job, job.whole))
            if not job.may:  # the store has nothing left of it
                self.may_raise.add(job.name)
        else:
            if not silent:
                R, damaged = self.rewrite(job, form)
                payload["R"] = R
                job.named = R
                job.cut |= damaged or not R.get("scheduling")
            count[f"hello {form if not silent else 'without R'}"] += 1
            self.names(job, R, damaged)
            if silent and not job.may:  # its file went with the last of it
                self.may_raise.add(job.name)
        ranks = read_ranks(job.R)
        if job.given or rng.random() < 0.1:
            payload["free"] = idset(ranks[h] for h in job.given)
        return payload

    def names(self, job, R, damaged):
        """Note what a job has by an R, as far as it was not given back."""
        def left(units):
            return collections.Counter(
                {p: n for p, n in units.items()
                 if self.inventory.all[p].host not in job.given
                 or self.inventory.all[p].host is None})
        low = left(read_lite(self.inventory, R))
        high = left(read_R(self.inventory, job.R)[0])
        if not damaged:
            low = high = left(read_R(self.inventory, R)[0])
        job.gone = any(not self.inventory.present(self.inventory.all[p])
                       for p in high)
        high = high | self.implied(job, job.whole if damaged else R)
        job.partial = False
        if self.keep == "store" and not R.get("scheduling"):
            # the store may know more than R_lite says
            high = high | job.may | self.implied(job, job.whole)
        job.takes(low, high)

    def implied(self, job, R):
        """Return the contents of exclusive vertices, even of a node that came
        into a rack later."""
        graph = (R.get("scheduling") or {}).get("graph")
        units = read_graph(self.inventory, graph)[0] if graph else {}
        return collections.Counter(
            {p: n for p, n in units.items()
             if self.inventory.all[p].host not in job.given})

    def rewrite(self, job, form):
        """Write the R of a job in another form, or damage it."""
        R = copy.deepcopy(job.R)
        graph = (R.get("scheduling") or {}).get("graph")
        if form == "none":
            R.pop("scheduling", None)
        elif form == "null":
            R["scheduling"] = None
        elif form in ("compact", "full", "shorthand") and graph:
            units, exclusive = read_R(self.inventory, R)
            new = make_R(self.inventory, units, read_ranks(R), exclusive, form)
            R["execution"] |= new["execution"]
            R["scheduling"] = new["scheduling"]
        elif form == "damaged" and graph:
            return damage(self.rng, R), True
        return R, False

    def invent(self):
        """Make up jobs that overlap others, as no scheduler would."""
        rng, inventory = self.rng, self.inventory
        while rng.random() < 0.15:
            units = collections.Counter()
            for path, size in inventory.all_units().items():
                if rng.random() < 0.15:
                    units[path] = rng.randint(1, size)
            if not units:
                continue
            form = None if inventory.plain else \
                rng.choice([None, "compact", "full"])
            self.last_id += 1
            job = self.jobs[self.last_id] = Job(self.last_id, None, 16)
            exclusive = {p for p in units
                         if inventory.all[p].type in ("core", "gpu")}
            job.R = job.whole = make_R(inventory, units, inventory.ranks,
                                       exclusive, form)
            job.end = FOREVER
            if rng.random() < 0.7:
                job.end = self.now + rng.randint(1, 100)
                job.R["execution"] |= {"starttime": self.now,
                                       "expiration": job.end}
            job.runs = job.contested = job.cut = True
            count["made up"] += 1

    def stop(self):
        rng = self.rng
        kill = rng.random() < 0.4
        if not kill:
            self.service.stdin.close()
            for line in self.service.stdout:
                self.lines.append("< " + line.rstrip("\n"))
            self.service.stdout.close()
            if self.service.wait():
                raise Broken(f"the end has status {self.service.returncode}")
        else:
            for _ in range(rng.randint(0, 2)):
                self.new_job()
            self.killed = self.lose_answers() and self.keep == "store"
            self.service.kill()
            self.service.wait()
            self.service.stdin.close()
            self.service.stdout.close()
            self.lines.append("# killed")
            count["kills"] += 1

    def lose_answers(self):
        """Let the service handle all lines, and take only its first answers.
        Return whether others are lost."""
        self.send("sched.ping", matchtag=1, payload={})
        lost = False
        while (message := self.read())["topic"] != "sched.ping":
            lost = lost or self.rng.random() < 0.4
            if lost:
                self.lines[-1] += "  # lost"
            else:
                self.take(message)
        return lost

    # --- moves ---

    def step(self):
        moves = [(self.new_job, 8), (self.free, 5), (self.give_back, 3),
                 (self.advance, 2), (self.reserve, 2), (self.unreserve, 1),
                 (self.expiration, 1), (self.cancel, 1)]
        move, = self.rng.choices(*zip(*moves))
        move()
        self.ask("sched.ping", {})
        self.check()

    def new_job(self):
        self.last_id += 1
        duration = self.rng.choice([0, 5, 20, 60, 200])
        sayable = not self.current or \
            self.form != "r" and not self.inventory.plain
        spec = jobspec(request(self.rng, self.inventory, sayable), duration)
        job = Job(self.last_id, spec, self.rng.choice([16, 16, 16, 20]))
        self.jobs[job.name] = job
        self.request(job)

    def request(self, job):
        self.send("sched.alloc", payload={
            "id": job.name, "priority": job.priority, "userid": 1,
            "jobspec": job.spec})

    def running(self):
        running = [j for j in self.jobs.values() if j.runs]
        return self.rng.choice(running) if running else None

    def free(self, job=None):
        job = job or self.running()
        if not job:
            return
        payload = {"id": job.name}
        if self.current:
            R = copy.deepcopy(job.named or job.R)
            R.pop("scheduling", None)
            payload |= {"R": self.part(R, set(read_ranks(R)) - job.given),
                        "final": True}
        del self.jobs[job.name]
        self.send("sched.free", payload=payload)
        count["freed"] += 1

    def part(self, R, names):
        """Return the part of a plain R on some hosts."""
        ranks = read_ranks(R)
        wanted = {ranks[h] for h in names}
        lite = []
        for entry in R["execution"]["R_lite"]:
            some = wanted & set(ids(entry["rank"]))
            if some:
                lite.append({**entry, "rank": idset(some)})
        names = [h for h in ranks if h in names]
        return {"version": 1, "execution": {"R_lite": lite, "nodelist": names}}

    def give_back(self):
        """Free some ranks of a job, as the current edition can."""
        job = self.running()
        if not job or not self.current:
            return
        R = job.R
        names = [h for h in read_ranks(R) if h not in job.given]
        names = self.rng.sample(names, self.rng.randint(0, len(names)))
        if not names:
            return
        job.given |= set(names)
        job.takes(*(collections.Counter(
            {p: n for p, n in units.items()
             if self.inventory.all[p].host not in names})
            for units in (job.must, job.may)))
        self.send("sched.free", payload={
            "id": job.name, "R": self.part(R, set(names)), "final": False})
        count["given back"] += 1

    def cancel(self):
        waiting = [j for j in self.jobs.values() if not j.runs]
        if waiting:
            self.send("sched.cancel",
                      payload={"id": self.rng.choice(waiting).name})

    def advance(self):
        self.now += self.rng.choice([1, 5, 20, 100])
        self.site = {n: r for n, r in self.site.items() if r.end > self.now}
        self.ask("sched.clock", {"now": self.now})

    def expiration(self):
        job = self.running()
        if not job:
            return
        end = self.rng.choice([0, self.now + self.rng.randint(1, 300)])
        answer = self.ask("sched.expiration",
                          {"id": job.name, "expiration": end})
        end = end or FOREVER
        if answer.get("errnum"):
            return
        for r in self.site.values():
            if not job.contested and r.start < end and r.end > self.now:
                if any((job.must[p] + r.must[p]) > self.inventory.units[p]
                       for p in job.must):
                    raise Broken(f"rule 6: job {job.name} may run until {end}, "
                                 f"and {r.name} begins at {r.start}")
        job.end = end
        job.R["execution"].pop("expiration", None)
        if end != FOREVER:
            job.R["execution"]["expiration"] = end

    # --- reservations of the site ---

    def reserve(self):
        rng, inventory = self.rng, self.inventory
        name = rng.choice("abcd") + "-site"
        start = self.now + rng.choice([0, 0, 10, 50])
        end = start + rng.choice([5, 30, 100])
        site = Holder(name, start, end)
        payload = {"name": name, "start": start, "any-state": True}
        payload |= {"end": end} if rng.random() < 0.5 else \
            {"duration": end - start}
        if rng.random() < 0.6:
            some = rng.sample(sorted(inventory.ranks.items()),
                              rng.randint(1, min(2, len(inventory.ranks))))
            payload["targets"] = idset(rank for _, rank in some)
            site.takes(collections.Counter(
                {p: n for p, n in inventory.all_units().items()
                 if inventory.all[p].host in dict(some)}))
        else:
            units = collections.Counter(
                {p: rng.randint(1, n) for p, n in inventory.all_units().items()
                 if rng.random() < 0.1})
            exclusive = {p for p in units
                         if inventory.all[p].type in ("core", "gpu")}
            payload["R"] = make_R(inventory, units, inventory.ranks, exclusive,
                                  None if inventory.plain else "compact")
            site.takes(units)
            if not units:
                return
        answer = self.ask("sched.reserve", payload)
        self.reserved(site, answer)

    def reserved(self, site, answer):
        """Rule 6: compare the answer with who is in the way."""
        must, may = set(), set()
        units, now = self.inventory.units, self.now
        times = {site.start, *(r.start for r in self.site.values()
                               if site.start < r.start < site.end)}
        for time in times:
            for bound, found in ("must", must), ("may", may):
                holders = [h for h in self.holders(time) if bound == "may"
                           or h.end > now and not h.contested]
                if bound == "may":  # a job past its end may or may not count
                    holders += [j for j in self.jobs.values() if j.runs
                                and (j.end <= now or j.contested)
                                and j not in holders]
                used = sum((getattr(h, bound) for h in holders),
                           collections.Counter())
                for p in site.must:
                    if used[p] + site.must[p] > units[p]:
                        found |= {str(h.name) for h in holders
                                  if getattr(h, bound)[p]}
        on = {self.inventory.all[p].host for p in site.must} - {None}
        for job in self.jobs.values():  # it may share a node, and hold nothing
            if job.runs and on & (set(read_ranks(job.R)) - job.given):
                may.add(str(job.name))
        errnum, text = answer.get("errnum", 0), answer.get("errstr", "")
        if errnum == 17 and site.name in self.site:
            return
        partial = any(j.partial for j in self.jobs.values())
        if errnum == 16:
            names = re.sub(r" \([^)]*\)", "", text).partition("of it: ")[2]
            said = set(re.split(", *", names)) if names else must
            if not partial and not must <= said <= may:
                raise Broken(f"rule 6: {must} to {may} are in the way")
            if not partial and not may:
                raise Broken("rule 6: nobody is in the way")
            count["not reserved"] += 1
            return
        if errnum:
            raise Broken(f"sched.reserve fails: {text}")
        if must:
            raise Broken(f"rule 6: {site.name} is reserved in spite of {must}")
        self.site[site.name] = site
        count["reserved"] += 1

    def unreserve(self):
        if self.site:
            name = self.rng.choice(sorted(self.site))
            site = self.site.pop(name)
            if self.ask("sched.unreserve", {"name": name}).get("errnum") \
                    and site.must:
                raise Broken(f"rule 6: {name} is gone")

    def reservations(self):
        answer = self.ask("sched.reservations")
        found = answer["payload"]["reservations"]
        for r in self.site.values():
            self_ = [f for f in found if f["name"] == r.name]
            if not self_ and any(self.inventory.present(self.inventory.all[p])
                                 for p in r.must):
                raise Broken(f"rule 6: {r.name} is gone")
        extra = {f["name"] for f in found} - set(self.site)
        if extra:
            raise Broken(f"rule 6: {extra} should be gone")

    # --- the end ---

    def finish(self):
        """Rule 3: free all, and allocate everything."""
        for job in list(self.jobs.values()):
            if job.runs:
                self.free(job)
            else:
                self.send("sched.cancel", payload={"id": job.name})
            self.ask("sched.ping", {})
        while self.jobs:  # some had started before they were canceled
            self.free(next(iter(self.jobs.values())))
            self.ask("sched.ping", {})
        while self.site:
            self.unreserve()
        self.check()
        if self.down:
            ranks = idset(self.inventory.ranks[h] for h in self.down)
            self.send("resource.acquire", matchtag=1, payload={"up": ranks}
                      if self.current else {"type": "online", "targets": ranks})
            self.down = set()
        everything = [slot("s", 1, resource("cluster"))]
        if self.inventory.plain:
            everything = [slot("s", 1, resource("node",
                                                len(self.inventory.ranks)))]
        self.everything(everything)
        self.stop()
        count["games"] += 1

    def everything(self, resources):
        self.last_id += 1
        job = self.jobs[self.last_id] = Job(self.last_id,
                                            jobspec(resources, 5), 16)
        self.request(job)
        self.ask("sched.ping", {})
        if not job.runs:
            raise Broken("rule 3: not everything can be allocated again")
        listed = {p: n for p, n in self.inventory.all_units().items()
                  if not job.partial
                  or self.inventory.all[p].type in ("core", "gpu")}
        if {p: n for p, n in job.must.items() if p in listed} != listed:
            raise Broken("rule 3: the job does not get everything")
        self.free(job)
        self.ask("sched.ping", {})


def main():
    seed = int(os.environ.get("RSET_SEED") or random.randrange(10**9))
    print(f"seed {seed}", flush=True)
    for n in range(GAMES):
        place = tempfile.mkdtemp(prefix="restarts.")
        game = Game(seed + n, place)
        signal.alarm(60)
        try:
            game.play()
        except (Broken, KeyError, BrokenPipeError) as fault:
            if os.environ.get("RSET_TRACE"):
                raise
            print(*game.lines, sep="\n")
            with open(os.path.join(place, "log")) as log:
                print(log.read())
            sys.exit(f"game {n} of seed {seed} (RSET_SEED={seed + n}): "
                     f"{type(fault).__name__}: {fault}")
        finally:
            if hasattr(game, "service") and game.service.poll() is None:
                game.service.kill()
            shutil.rmtree(place)
    print(*(f"{n} {what}" for what, n in sorted(count.items())), sep=", ")


main()
