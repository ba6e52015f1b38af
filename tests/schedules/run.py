#!/usr/bin/env python3
"""Every schedule with every program of programs/, on machines that are not there: 4 nodes of 8 cores, 8 of 6.

A program checks its own result. What the schedule did comes from EINKORN_STATS, and must keep the schedule's promises:
  strict               no task runs on another node than the one where it was queued
  one thief a place    never two workers of a place that look elsewhere at once, and never more taken than the chunk
  vicinity             no task leaves its group
  tp-reach=cluster     no task leaves its cluster
  cyclic-node          as many sources of a dependence graph for each node, to within one
  none                 nobody takes from others' queues, but who waits in an explicit task for it
Whether a promise can be broken at all is seen by counting: each schedule must have run tasks and, where it may, stolen some.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

MACHINES = {"numa:4 core:8": (4, 8), "numa:8 core:6": (8, 6)}

# Small, but with enough tasks for forty-eight workers.
PROGRAMS = {
    "alignment": ["--size 14 --length 60", "--size 14 --length 60 --version single"],
    "bfs": ["--size 11 --chunk 16 --roots 2"],
    "cg": ["--size 12 --steps 5"],
    "cholesky": ["--size 10 --block 8", "--size 10 --block 8 --version task"],
    "cube": ["--size 5 --tuples 2000 --version depend"],
    "fft": ["--size 13 --cutoff 128 --piece 256"],
    "fib": ["--size 17"],
    "floorplan": ["--size 5"],
    "health": ["--size 4 --ratio 4 --people 10 --steps 15"],
    "heat": ["--size 96 --steps 10 --schedule dynamic"],
    "jacobi": ["--size 8 --block 8 --steps 5"],
    "loadbalance": ["--size 200 --length 500 --repeat 2 --version task"],
    "md": ["--size 4 --steps 3 --schedule dynamic"],
    "nested": ["--directions 12 --size 200 --steps 5 --inner 4"],
    "nqueens": ["--size 8"],
    "purify": ["--size 200"],
    "qr": ["--size 8 --block 8"],
    "scf": ["--size 3 --steps 2"],
    "sort": ["--size 60000 --cutoff 512 --merge-cutoff 512"],
    "sparselu": ["--size 10 --block 8"],
    "stencil": ["--size 60 --steps 12"],
    "strassen": ["--size 128 --leaf 16"],
    "trajectory": ["--size 12 --cutoff 16"],
    "wavefront": ["--size 12 --block 8"],
    "uts": ["--type binomial --size 100 --q 0.24 --m 4 --seed 1"],
}

# There are two of these, the other with untied tasks.
RECURSIVE = {"fft", "fib", "floorplan", "health", "nqueens", "sort", "strassen", "uts"}

SCHEDULES = [
    "ws", "central", "rr-fifo", "rr-lifo", "deferred", "mts", "mts,take=3", "domains", "domains-strict", "deal", "deal,guard=10", "vicinity:4",
    "balance", "xkaapi:cyclic-node+writer-node+core-then-node", "xkaapi:random-node+local-node+random-node",
    "xkaapi:local+writer-node-or-local+node-then-core", "xkaapi:cyclic-node+local+core-only",
    "xkaapi:cyclic-node+writer-node+node-only+strict", "xkaapi:cyclic-node+writer-node-or-local+random+strict",
    "places=node,order=fifo,push=round-robin,select=most-loaded,take=half",
    "places=llc,select=round-robin,defer=depth,limit=4", "places=core,select=near-first,defer=count,limit=8",
    "places=core,select=two-choices,take=half", "codelets", "codelets,amm=8x4,spread,tp-push=round-robin", "darts-standard,amm=2x12",
    "codelets,amm=5x6,tp-reach=cluster", "darts-steal", "darts-steal,amm=32x1,take=half,tp-reach=node", "swarm,amm=8x4",
    "darts-steal,cap=512:4096,free=idle:50", "codelets,amm=8x4,cap=64:16,free=idle:1", "places=tree,select=random,take=quarter",
]


class Broken(Exception):
    pass


def run_one(build, schedule, machine, program, compiler, arguments):
    """Runs it; returns the counts of its teams."""
    nodes, cores = MACHINES[machine]
    with tempfile.NamedTemporaryFile("r") as stats:
        environment = {**os.environ, "EINKORN_SCHEDULE": schedule, "EINKORN_MACHINE": machine, "EINKORN_STATS": stats.name,
                       "OPENBLAS_NUM_THREADS": "1",
                       "LD_LIBRARY_PATH": str(build / "lib")}
        # A shape's own number of threads on one machine, and more of them than it has on the other.
        if "amm=" not in schedule or nodes == 8:
            environment["OMP_NUM_THREADS"] = str(nodes * cores)
        command = [build / "programs" / f"{program}-{compiler}", *arguments.split()]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            raise Broken("still running after two minutes") from None
        if done.returncode != 0 or "check=ok" not in done.stdout:
            raise Broken(f"exit status {done.returncode}: {done.stdout}{done.stderr}")
        if "not valid" in done.stderr:
            raise Broken(done.stderr)
        lines = stats.read().splitlines()
    if len(lines) != 1:
        raise Broken(f"{len(lines)} lines of counts instead of one")
    counts = json.loads(lines[0])
    check_promises(schedule, counts["axes"], counts["teams"], nodes, cores)
    return counts["teams"]


def check_promises(schedule, axes, teams, nodes, cores):
    axis = dict(word.split("=", 1) for word in axes.split(",") if "=" in word)  # a shape has words of its own
    workers = nodes * cores
    if "amm" in axis and nodes != 8:
        workers = math.prod(map(int, axis["amm"].split("x")))
    if teams and max(t["workers"] for t in teams) != workers:
        raise Broken(f"{max(t['workers'] for t in teams)} workers instead of {workers}")
    for t in teams:
        if t["workers"] < workers:
            continue
        if t["nodes"] != nodes and "amm" not in axis:  # a shape may have fewer CPUs
            raise Broken(f"workers on {t['nodes']} nodes instead of {nodes}")
        if t["ran"] != t["own_place"] + t["same_node"] + t["foreign"]:
            raise Broken(f"the counts do not add up: {t}")
        # Who must fetch what nobody else can run (rescued) breaks the schedule's word knowingly: none of these programs needs it.
        if axis["reach"] == "strict" and t["foreign"] != 0:
            raise Broken(f"{t['foreign']} tasks ran on a foreign node: {t}")
        if axis["reach"].startswith("vicinity") and t["across"] != 0:
            raise Broken(f"{t['across']} tasks left their vicinity: {t}")
        if axis.get("tp-reach") == "cluster" and t["across"] != 0:
            raise Broken(f"{t['across']} tasks left their cluster: {t}")
        if axis["thieves"] == "one-per-place" and t["most_thieves"] > 1:
            raise Broken(f"{t['most_thieves']} thieves of one place at once")
        chunk = {"one": 1, "per-worker": cores}.get(axis["take"], int(axis["take"]) if axis["take"].isdigit() else None)
        if chunk and t["most_stolen"] > chunk:
            raise Broken(f"{t['most_stolen']} tasks taken at once, the chunk is {chunk}")
        if axis["init"] == "cyclic-node" and sum(t["sources"]) and max(t["sources"]) - min(t["sources"]) > 1:
            raise Broken(f"sources by node: {t['sources']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="this schedule alone")
    options = parser.parse_args()
    jobs = []
    for at, schedule in enumerate([options.only] if options.only else SCHEDULES):
        for number, (name, versions) in enumerate(PROGRAMS.items()):
            for machine in MACHINES:
                for arguments in versions:
                    # gcc's and clang's in turn, so that each has seen both machines with each schedule.
                    compiler = "gcc" if (number + list(MACHINES).index(machine)) % 2 else "clang"
                    # Tied and untied too, so that either compiler's are among them.
                    untied = name in RECURSIVE and (number // 2 + at) % 2
                    jobs.append((schedule, machine, f"{name}-untied" if untied else name, compiler, arguments))
    failures, totals = [], {}
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for job, future in [(job, pool.submit(run_one, options.build, *job)) for job in jobs]:
            try:
                sums = totals.setdefault(job[0], {"ran": 0, "steals": 0, "stolen": 0, "foreign": 0, "rescued": 0, "run_now": 0})
                for team in future.result():
                    for name in sums:
                        sums[name] += team[name]
            except Broken as why:
                failures.append(f"{job[0]} on {job[1]}: {job[2]}-{job[3]} {job[4]}: {why}")
    for schedule, sums in totals.items():
        print(f"{schedule:<70}" + "  ".join(f"{name} {count}" for name, count in sums.items()))
        if sums["ran"] == 0:
            failures.append(f"{schedule}: no task went through a queue")
    for schedule in ("mts", "domains", "vicinity:4", "ws"):
        if schedule in totals and totals[schedule]["stolen"] == 0:
            failures.append(f"{schedule}: nothing was ever stolen: the promises were not tried")
    print(f"{len(jobs)} runs, {len(failures)} broken")
    for text in failures:
        print(f"  {text}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
