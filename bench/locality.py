#!/usr/bin/env python3
"""health and heat on Olivier's machine, 4 nodes of 8 cores: oblivious, hierarchical, by locality domains, strictly so.

    python3 bench/locality.py [BUILD] [--threads 1|2] [--rounds N] [--only health|heat]

Each program is recorded with one or two threads, as on that machine, so that it names its domains and what it touches; each
recording is replayed with 32. Not a test: the table of docs/validation.md is its output.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from urgent import BEFORE_OTHERS  # noqa: E402: from the folder above

MACHINE = "nehalem-ex-4x8"

# (title, program, arguments): each as plain (one task touches all memory first) and as domains (each part of it by a task on its node).
PROGRAMS = [
    ("health", "health", "--size 5 --people 1000 --steps 100"),
    ("heat", "heat", "--size 4096 --steps 60 --bands 256"),
]
# (title, how the program is recorded, schedule, placement in the replay): Olivier 7.3. Memory is spread as plain, replayed with each
# allocation cut into one part a node (blocked), or page by page (interleaved).
RUNS = [
    ("oblivious (ws)", "plain", "ws", "first-touch"),
    ("hierarchical (mts)", "plain", "mts", "first-touch"),
    ("memory spread, oblivious (ws)", "plain", "ws", "blocked"),
    ("memory spread, oblivious, several stolen at a time (ws,take=quarter)", "plain", "ws,take=quarter", "blocked"),
    ("memory spread, hierarchical (mts)", "plain", "mts", "blocked"),
    ("memory spread, to what they write (xkaapi)", "plain", "xkaapi", "blocked"),
    ("memory interleaved, oblivious (ws)", "plain", "ws", "interleaved"),
    ("memory interleaved, hierarchical (mts)", "plain", "mts", "interleaved"),
    ("domains, loose", "domains", "domains", "first-touch"),
    ("domains, strict", "domains", "domains-strict", "first-touch"),
]

# Health by threads, memory as it is: schedule, and Olivier's speed-ups (6.4.1.1) of his scheduler of that kind, and of gcc 4.4's one queue.
BY_THREADS = [4, 8, 16, 32]
PUBLISHED = [
    ("ws", {32: "11.6"}),
    ("mts", {32: "13.6"}),
    ("rr-lifo", {32: "11.5"}),
    ("rr-fifo", {32: "9.4"}),
    ("central", {4: "gcc 4.5", 8: "gcc 6.3", 16: "7.7", 32: "6.1, gcc 2.0"}),
]


def main():
    args = argparse.ArgumentParser()
    args.add_argument("build", nargs="?", default=str(ROOT / "build"))
    args.add_argument("--threads", default="1")
    args.add_argument("--rounds", type=int, default=5)
    args.add_argument("--only", choices=[p[1] for p in PROGRAMS])
    options = args.parse_args()
    build = Path(options.build).resolve()
    einkorn = str(build / "bin" / "einkorn")

    def record(program, arguments, placement, path):
        """The fastest of some recordings: whatever else ran on the computer, it stretched some grain."""
        runs = []
        for i in range(options.rounds):
            file = f"{path}.{i}.grain"
            command = [str(build / "programs" / f"{program}-gcc"), *arguments.split(), "--placement", placement]
            done = subprocess.run([*BEFORE_OTHERS, einkorn, "record", "--machine", MACHINE, "-o", file, "--", *command], capture_output=True, text=True,
                                  env={**os.environ, "OMP_NUM_THREADS": options.threads})
            if done.returncode:
                raise SystemExit(done.stderr)
            report = json.loads(subprocess.run([einkorn, "report", file, "--json"], capture_output=True, text=True, check=True).stdout)
            if report["thread_time"]["offcpu"] <= 0.05 * sum(report["thread_time"].values()):
                runs.append((report["wall_seconds"], file))
        if not runs:
            raise SystemExit(f"no valid times of {program}: another program ran")
        return min(runs)[1]

    def simulate(file, schedule, threads, placement):
        out = subprocess.run([einkorn, "simulate", file, "--machine", MACHINE, "--schedule", schedule, "--threads", str(threads),
                              "--placement", placement, "--json"], capture_output=True, text=True)
        if out.returncode:
            raise SystemExit(out.stderr)
        out = json.loads(out.stdout)
        [point] = out["points"]
        ends = point.get("wall_seconds_range", [point.get("wall_seconds")] * 2)
        point["seconds"] = [s - out["serial_seconds"] for s in ends]  # without the check of the result, by one thread
        point["work"] = point["work_seconds"] + point["memory_seconds"] - out["serial_seconds"]
        return point

    print("| program | schedule | 1 thread, ms | 32 threads, ms | speed-up | work inflation | from caches | from other nodes |")
    print("|---|---|---|---|---|---|---|---|")
    by_threads = {}
    with tempfile.TemporaryDirectory() as folder:
        for title, program, arguments in PROGRAMS:
            if options.only not in (None, program):
                continue
            files = {p: record(program, arguments, p, f"{folder}/{program}.{p}") for p in ("plain", "domains")}
            for run, recorded, schedule, placement in RUNS:
                file = files[recorded]
                one = simulate(file, schedule, 1, placement)
                all_ = simulate(file, schedule, 32, placement)

                low, high = (f"{s * 1e3:.1f}" for s in all_["seconds"])
                fast, slow = (f"{a / b:.1f}" for a, b in zip(one["seconds"], all_["seconds"]))
                print(f"| {title} | {run} | {one['seconds'][0] * 1e3:.0f} | {low if low == high else f'{low} - {high}'} | "
                      f"{fast if fast == slow else f'{slow} - {fast}'} | "
                      f"{all_['work'] / one['work']:.2f} | {all_['cached_bytes'] / all_['bytes']:.0%} | "
                      f"{all_['remote_bytes'] / all_['bytes']:.0%} |", flush=True)

            if program == "health":
                one = simulate(files["plain"], "ws", 1, "first-touch")["seconds"][0]
                by_threads = {(schedule, n): one / simulate(files["plain"], schedule, n, "first-touch")["seconds"][0]
                              for schedule, _ in PUBLISHED for n in BY_THREADS}

    if not by_threads:
        return
    print("\nHealth, the speed-up over one thread by threads; in brackets as published.\n")
    print(f"| | {' | '.join(map(str, BY_THREADS))} |")
    print("|---" * (1 + len(BY_THREADS)) + "|")
    for schedule, published in PUBLISHED:
        cells = (f"{by_threads[schedule, n]:.1f}" + (f" ({published[n]})" if n in published else "") for n in BY_THREADS)
        print(f"| {schedule} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
