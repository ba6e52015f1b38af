#!/usr/bin/env python3
"""Schmidl's load-balancing benchmark (thesis, 4.1) on the models of his three machines: 3,840 packages of linearly growing size, each
package's vectors on one node, the first on node 0 and the last on the last.

    python3 tests/simulate/load_balancing.py [BUILD]            # the table of docs/validation.md
    python3 tests/simulate/load_balancing.py [BUILD] --check    # fails where a dynamic loop is off by more than 20 %

Calibrated on published figures other than those that are predicted: the models' bandwidths, the footprints, and the time of
the static loop. Of that time one number follows for each machine:

  4-socket    a core's own pace in this code, bytes a second, from the footprint (some 40 GB)
  BCS         the footprint, which is not published, from the core's pace on the 4-socket machine: the processor is the same
  Phi         a core's own pace, from the footprint (some 7 GB)

Everything else is predicted. A core computes while its next bytes are on their way, so its stream has the lesser of its own pace and
what memory gives it: T = max(Tm, Tc), as in the thesis's own model (6.2). Bytes are those of the footprint, as STREAM counts.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
words = [w for w in sys.argv[1:] if not w.startswith("--")]
EINKORN = Path(words[0] if words else HERE / "build").resolve() / "bin" / "einkorn"
PACKAGES = 3840
WITHIN = 0.20

# Name, model, threads, footprint in bytes, seconds of the static and of the dynamic loop: all as published.
MACHINES = [
    ("4-socket", "nehalem-ex-4x8", 32, 40e9, 4.5, 2.67),
    ("BCS", "bcs-16x8", 128, None, 1.16, 1.67),
    ("Phi", "xeon-phi-60", 59, 7e9, 2.69, 1.65),
]

# What runs the packages: program, schedule, further options.
STATIC = ("static loop", "packages", "ws", [])
DYNAMIC = ("dynamic loop", "packages-dynamic", "ws", [])
OTHERS = [
    ("static, then steal: random", "packages", "ws", ["--loop", "random"]),
    ("static, then steal: nearest", "packages", "ws", ["--loop", "nearest"]),
    ("static, then steal: most loaded", "packages", "ws", ["--loop", "most-loaded"]),
    ("tasks, one creates, central queue", "packages-tasks", "central", []),
    ("tasks, one creates, own queues", "packages-tasks", "ws", []),
    ("tasks, owners create, central queue", "packages-owner-tasks", "central", []),
    ("tasks, owners create, own queues", "packages-owner-tasks", "ws", []),
]


def einkorn(*args):
    done = subprocess.run([EINKORN, *args], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)


def run(what, model, threads, footprint, pace):
    """(seconds, share of bytes from other nodes)."""
    _, program, schedule, options = what
    largest = footprint * 2 / (PACKAGES + 1)
    machine = dict(einkorn("machine", "--machine", model, "--json"))
    machine["bandwidth_one"] = [[min(b, pace) for b in row] for row in machine.get("bandwidth_one", machine["bandwidth"])]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(machine, file)
        file.flush()
        out = einkorn("simulate", "--program", f"{program}:{largest:.0f}:1e-9", "--machine", file.name, "--threads", str(threads),
                      "--schedule", schedule, "--json", *options)
    point = out["points"][0]
    return point["wall_seconds"], point["remote_bytes"] / point["bytes"]


def solve(time_of, target, start):
    """Where time_of(), which is about proportional to its argument, meets the target."""
    x = start
    for _ in range(20):
        seconds = time_of(x)
        if abs(seconds / target - 1) < 1e-4:
            break
        x *= target / seconds
    return x


def calibrate():
    """(footprint, pace of a core) of each machine, from static times alone."""
    out, of_a_core = [], None
    for _, model, threads, footprint, static, _ in MACHINES:
        if footprint:
            pace = 1 / solve(lambda x: run(STATIC, model, threads, footprint, 1 / x)[0], static, 1e-9)
            of_a_core = of_a_core or pace
        else:
            pace = of_a_core
            footprint = solve(lambda x: run(STATIC, model, threads, x, pace)[0], static, 1e10)
        out.append((footprint, pace))
    return out


def main():
    found, bad = calibrate(), 0
    for (name, _, _, given, _, _), (footprint, pace) in zip(MACHINES, found):
        print(f"{name}: {footprint / 1e9:.1f} GB{'' if given else ' (found)'}, {pace / 1e9:.3f} GB/s a core{' (found)' if given else ''}")
    print(f"\n| | {' | '.join(f'{name}, s | published | remote bytes' for name, *_ in MACHINES)} |")
    print("|---|" + "---|" * (3 * len(MACHINES)))
    for what in [STATIC, DYNAMIC] if "--check" in sys.argv else [STATIC, DYNAMIC, *OTHERS]:
        cells = []
        for (_, model, threads, _, static, dynamic), (footprint, pace) in zip(MACHINES, found):
            seconds, remote = run(what, model, threads, footprint, pace)
            published = {STATIC[0]: static, DYNAMIC[0]: dynamic}.get(what[0])
            error = seconds / published - 1 if published else None
            fitted = what is STATIC
            if error is not None and abs(error) > (0.001 if fitted else WITHIN):
                bad += 1
            cells.append(f"{seconds:.2f} | {'' if not published else f'{published} (fitted)' if fitted else f'{published} ({error:+.0%})'} | {remote:.0%}")
        print(f"| {what[0]} | {' | '.join(cells)} |", flush=True)
    if bad:
        sys.exit(f"{bad} predictions are off by more than {WITHIN:.0%}")


if __name__ == "__main__":
    main()
