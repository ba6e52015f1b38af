#!/usr/bin/env python3
"""Shapes of the abstract machine for a stencil whose updates take 10 % more or less, on models of the two machines on which Arteaga,
Zuckerman and Gao (2017) tuned theirs: tasks that depend on their neighbours, under the schedules of two levels.

    python3 tests/simulate/shapes.py [BUILD]            # the tables of docs/validation.md
    python3 tests/simulate/shapes.py [BUILD] --check    # fails where these are not in it, or contradict its words

Nothing is measured: the same on every computer.
"""
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
words = [w for w in sys.argv[1:] if not w.startswith("--")]
EINKORN = Path(words[0] if words else HERE / "build").resolve() / "bin" / "einkorn"
SIZE = "48:256:20:0.5"  # tiles each way, cells of a tile each way, steps, ns a cell
MACHINES = {"ivy-bridge-2x10": ["1x20", "2x10", "4x5", "10x2", "20x1"],
            "sandy-bridge-4x6x2": ["1x24", "2x12", "4x6", "8x3", "24x1", "1x48", "4x12", "8x6"]}
SCHEDULES = ["codelets", "darts-steal", "darts-standard", "darts-standard,tp-push=round-robin", "swarm"]


def simulate(machine, program, *options):
    done = subprocess.run([EINKORN, "simulate", "--program", program, "--machine", machine, *options, "--json"], capture_output=True, text=True,
                          timeout=300)
    if done.returncode:
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)["points"]


def text_of(point):
    return f"{1000 * point['wall_seconds']:.0f} ({100 * point['remote_bytes'] / point['bytes']:.0f} %)"


def main():
    table, found = "", {}
    for machine, shapes in MACHINES.items():
        points = simulate(machine, f"stencil:{SIZE}:10", "--amm", ",".join(shapes), "--schedule", *SCHEDULES)
        found[machine] = {(p["schedule"], p["amm"]): p for p in points}
        table += f"| {machine} | {' | '.join(f'`{s}`' for s in SCHEDULES)} |\n|---|{'---|' * len(SCHEDULES)}\n"
        for shape in shapes:
            table += f"| {shape} | {' | '.join(text_of(found[machine][s, shape]) for s in SCHEDULES)} |\n"
        table += "\n"
    table += "| a static loop a step, with barriers | no jitter | 10 % |\n|---|---|---|\n"
    loops = {}
    for machine, threads in [("ivy-bridge-2x10", "20"), ("sandy-bridge-4x6x2", "24")]:
        for jitter in ["", ":10"]:
            loops[machine, jitter] = simulate(machine, f"stencil-loop:{SIZE}{jitter}", "--threads", threads)[0]
        table += f"| {machine}, {threads} threads | {text_of(loops[machine, ''])} | {text_of(loops[machine, ':10'])} |\n"
    print(table, end="")
    if "--check" not in sys.argv:
        return
    ms = {m: {k: p["wall_seconds"] for k, p in points.items()} for m, points in found.items()}
    wrong = [what for what, holds in [
        ("the table is not that of docs/validation.md", table in (HERE / "docs/validation.md").read_text()),
        ("a cluster for each node is not the best shape of codelets on two nodes",
         ms["ivy-bridge-2x10"]["codelets", "2x10"] == min(ms["ivy-bridge-2x10"]["codelets", s] for s in MACHINES["ivy-bridge-2x10"])),
        ("a thread that makes all procedures feeds more than its cluster where nobody steals",
         ms["ivy-bridge-2x10"]["darts-standard", "20x1"] > 5 * ms["ivy-bridge-2x10"]["darts-steal", "20x1"]),
    ] if not holds]
    if wrong:
        sys.exit("; ".join(wrong))


if __name__ == "__main__":
    main()
