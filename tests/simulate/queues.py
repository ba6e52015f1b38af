#!/usr/bin/env python3
"""Queues that several cores share, on models of machines such as Olivier's: an unbalanced tree with a task for each
node, nodes of several lengths, under queues of their own (ws), one a chip (mts) and one for all (central).

    python3 tests/simulate/queues.py [BUILD]            # the table of docs/validation.md
    python3 tests/simulate/queues.py [BUILD] --check    # fails where it contradicts what he found

The tree is binomial as his (2,000 children of the root, 8 of a node or none), smaller: 13,000 nodes are expected
instead of 4 million, which changes nothing where tasks are many. His nodes take 390 ns.
"""
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
words = [w for w in sys.argv[1:] if not w.startswith("--")]
EINKORN = Path(words[0] if words else HERE / "build").resolve() / "bin" / "einkorn"
SCHEDULES = ["ws", "mts", "central"]
PLACES = [("nehalem-ex-4x8", 8), ("nehalem-ex-4x8", 32), ("altix-uv-32", 128)]
LENGTHS = [390, 4_000, 40_000, 400_000]


def speedups(machine, threads, ns):
    """By schedule: how many times as fast as the nodes' work on one core."""
    tree = f"uts:binomial:2000:0.106:8:42:100000:{ns}"
    done = subprocess.run([EINKORN, "simulate", "--program", tree, "--machine", machine, "--threads", str(threads),
                           "--schedule", *SCHEDULES, "--json"], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(done.stderr.strip())
    out = json.loads(done.stdout)
    return {p["schedule"]: out["work_seconds"] / p["wall_seconds"] for p in out["points"]}


def main():
    check = "--check" in sys.argv
    found = {}
    if not check:
        print(f"| | | {' | '.join(SCHEDULES)} |\n|---|---|{'---|' * len(SCHEDULES)}")
    for machine, threads in PLACES[:2] if check else PLACES:
        for ns in LENGTHS:
            found[machine, threads, ns] = all_ = speedups(machine, threads, ns)
            if not check:
                cells = " | ".join(f"{all_[s]:.1f}" for s in SCHEDULES)
                print(f"| {machine}, {threads} threads | {ns / 1000:g} us | {cells} |", flush=True)
    four, chip = (lambda ns: found["nehalem-ex-4x8", 32, ns]), (lambda ns: found["nehalem-ex-4x8", 8, ns])
    wrong = [what for what, holds in [
        ("fine tasks gain from a central queue on four sockets", four(390)["central"] < 2),
        ("fine tasks gain more from one queue than from a queue a chip", four(4000)["central"] < four(4000)["mts"]),
        ("coarse tasks care for whose queue it is", four(400_000)["central"] > 0.93 * four(400_000)["ws"]),
        ("tasks of 40 us care whether a chip's cores share a queue",
         chip(40_000)["central"] > 0.9 * chip(40_000)["ws"]),
    ] if not holds]
    if wrong:
        sys.exit("; ".join(wrong))


if __name__ == "__main__":
    main()
