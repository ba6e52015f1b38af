#!/usr/bin/env python3
"""Cholesky of 32,768 x 32,768 in blocks of 512 on the model of Virouleau's machine (24 nodes of 8 cores), under all of X-Kaapi's strategies:
3 for the first tasks, 4 for where a ready task goes, 6 for where an idle worker looks, each loose and strict.

    python3 bench/cholesky.py [BUILD] [--tiles N] [--json FILE]

144 runs in parallel on all CPUs. The tables of docs/validation.md are its output.
"""
import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def option(name, otherwise):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else otherwise


TILES = int(option("--tiles", 64))
words = [w for i, w in enumerate(sys.argv[1:], 1) if not w.startswith("--") and not sys.argv[i - 1].startswith("--")]
EINKORN = Path(words[0] if words else ROOT / "build").resolve() / "bin" / "einkorn"
GFLOPS = 16  # of a core: five sixths of the peak of a Xeon E5-4640 at 2.4 GHz, 8 operations a cycle
BLOCK = 512

INIT = ["local", "cyclic-node", "random-node"]
PUSH = ["local", "local-node", "writer-node", "writer-node-or-local"]
SELECT = ["random", "random-node", "core-then-node", "node-then-core", "core-only", "node-only"]


def main():
    names = [f"xkaapi:{i}+{p}+{s}{strict}" for strict in ("", "+strict") for i in INIT for p in PUSH for s in SELECT]
    started = time.monotonic()
    done = subprocess.run([EINKORN, "simulate", "--program", f"cholesky:{TILES}:{BLOCK}:{GFLOPS}", "--machine", "uv2000-24x8", "--threads", "192",
                           "--json", "--schedule", *names, "ws", "central", "rr-lifo", "mts"], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    took = time.monotonic() - started
    if "--json" in sys.argv:
        Path(option("--json", "")).write_text(done.stdout)
    out = json.loads(done.stdout)
    points = {p["schedule"]: p for p in out["points"]}

    def cell(name):
        p = points[name]
        if p.get("stuck"):
            return "stops"
        return f"{p['wall_seconds']:.2f} ({p['remote_bytes'] / p['bytes']:.0%})"

    some = out["points"][0]
    least = max(out["work_seconds"] / 192, some["critical_path_seconds"])
    print(f"{TILES} x {TILES} tiles, {out['work_seconds']:.0f} s of work, longest path {some['critical_path_seconds']:.2f} s: at least {least:.2f} s on 192 cores.\n")
    print("Seconds, and the share of bytes from other nodes.\n")
    for strict in ("", "+strict"):
        print(f"| {'strict' if strict else 'loose'}: first tasks, ready tasks | {' | '.join(SELECT)} |")
        print("|---|" + "---|" * len(SELECT))
        for i in INIT:
            for p in PUSH:
                print(f"| {i}, {p} | {' | '.join(cell(f'xkaapi:{i}+{p}+{s}{strict}') for s in SELECT)} |")
        print()
    print("For comparison: " + ", ".join(f"{name} {cell(name)}" for name in ("ws", "central", "rr-lifo", "mts")) + ".")
    print(f"{len(out['points'])} runs in {took:.0f} s.")


if __name__ == "__main__":
    main()
