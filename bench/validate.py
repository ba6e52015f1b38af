#!/usr/bin/env python3
"""How good are the simulator's predictions? Every program of programs/, recorded with one thread and with all CPUs, each predicted
from the other recording; the error of the predicted wall time beside that of the naive T1 / P.

    python3 bench/validate.py [BUILD] [REGEX] [--rounds N] [--compiler gcc|clang] [--keep FILE]

--keep: what was measured goes there, a line a program, and what is there is not measured again; so it can be done in slices, REGEX by
REGEX, and a last call without REGEX prints all.

Serial time is taken over from the recording, so a program that is mostly serial is easy to predict, and flatters. Therefore
the error is printed a second time for what lies inside parallel regions alone: wall time less serial time, on both sides.

Not a test: it takes some minutes, and a computer that does nothing else. Programs run at real-time priority where that is
allowed (tests/urgent.py). The table of docs/validation.md is its output. The simulator's costs come from the benchmarks of
bench/, not from these programs.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from urgent import BEFORE_OTHERS


def option(name, otherwise):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else otherwise


words = [w for i, w in enumerate(sys.argv[1:], 1) if not w.startswith("--") and not sys.argv[i - 1].startswith("--")]
BUILD = Path(words[0] if words else ROOT / "build").resolve()
CHOSEN = re.compile(words[1] if len(words) > 1 else ".")
ROUNDS = int(option("--rounds", 3))
COMPILERS = [option("--compiler", "")] if "--compiler" in sys.argv else ["gcc", "clang"]
CPUS = len(os.sched_getaffinity(0))

# (program, arguments): kinds of parallelism and sizes as in docs/performance.md, some larger, so that times can be trusted.
PROGRAMS = [
    ("fib", "--size 36 --cutoff 12"), ("nqueens", "--size 12"), ("floorplan", "--size 8"), ("sort", "--size 2000000"),
    ("sparselu", "--size 30 --block 40"), ("strassen", "--size 512"), ("health", "--size 5 --steps 400 --cutoff 2"),
    ("uts", "--tree t1 --cutoff 8"), ("bfs", "--size 18"), ("bfs", "--size 18 --version loop"), ("bfs", "--size 18 --version taskloop"),
    ("fft", "--size 20 --cutoff 4096"), ("fft", "--size 20 --version loop"), ("alignment", "--size 30 --length 400"),
    ("alignment", "--size 30 --length 400 --version loop"), ("alignment", "--size 30 --length 400 --version taskloop"),
    ("jacobi", "--size 16 --block 64 --steps 100"), ("jacobi", "--size 16 --block 64 --steps 100 --version task"),
    ("jacobi", "--size 16 --block 64 --steps 100 --version loop"), ("cholesky", "--size 24 --block 96"),
    ("cholesky", "--size 24 --block 96 --version task"), ("cholesky", "--size 24 --block 96 --version loop"),
    ("qr", "--size 12 --block 96"), ("qr", "--size 12 --block 96 --version loop"), ("cube", "--size 8 --tuples 20000"),
    ("cube", "--size 8 --tuples 20000 --version loop"), ("heat", "--size 1024 --steps 100"),
    ("heat", "--size 1024 --steps 100 --schedule dynamic"),
]


def einkorn(*args, threads=None, urgent=False):
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    if threads:
        env["OMP_NUM_THREADS"] = str(threads)
    done = subprocess.run([*(BEFORE_OTHERS if urgent else []), BUILD / "bin" / "einkorn", *args], env=env, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def record(command, path):
    """By number of threads, one and all CPUs, the recording whose wall time is the median of ROUNDS, as (seconds, serial seconds, file); None:
    no valid times. In turn, so that a computer that gets slower meanwhile is so for both."""
    runs = {1: [], CPUS: []}
    for i in range(ROUNDS):
        for threads, of_these in runs.items():
            file = f"{path}.{threads}.{i}.grain"
            einkorn("record", "-o", file, "--", *command, threads=threads, urgent=True)
            status, out, _ = einkorn("report", file, "--json")
            report = json.loads(out) if status == 0 else {}
            if report.get("times_valid"):
                of_these.append((report["wall_seconds"], report["thread_time"]["serial"], file))
    return [sorted(r)[len(r) // 2] if r else None for r in runs.values()]


def predict(file, threads):
    """(wall seconds, serial seconds of them, (least, most) of the range), or None and why not. One recording does not say how much
    of the work waits for memory: of the range, the prediction is the end at which all of it computes."""
    status, out, err = einkorn("simulate", file, "--threads", str(threads), "--json")
    if status:
        return None, err.strip()
    out = json.loads(out)
    [point] = out["points"]
    best, within = point.get("wall_seconds") or point["compute_wall_seconds"], point["wall_seconds_within"]
    return (best, out["serial_seconds"], within), ""


class Errors:
    """Of one kind of prediction, as shares of what was measured."""

    def __init__(self):
        self.all = []

    def add(self, predicted, measured):
        if measured < 1e-3:  # too short to say
            return "-"
        self.all.append(abs(predicted / measured - 1))
        return f"{predicted / measured - 1:+.0%}"

    def __str__(self):
        return f"median {statistics.median(self.all):.1%}, largest {max(self.all):.0%} of {len(self.all)}"


def measure(name, arguments, compiler):
    """Of one program what the table needs: recorded and predicted times; or why there are none."""
    command = [str(BUILD / "programs" / f"{name}-{compiler}"), *arguments.split()]
    with tempfile.TemporaryDirectory() as folder:
        one, all_ = record(command, f"{folder}/r")
        if not one or not all_:
            return {"why": "times not valid: another program ran"}
        up, why = predict(one[2], CPUS, 1)
        down, why2 = predict(all_[2], 1, CPUS)
    if up is None or down is None:
        return {"why": why or why2}
    return {"one": one[:2], "all": all_[:2], "up": up, "down": down}


class Kept:
    """What slices before this one have measured: lines of JSON, of which the last of a program counts."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if path and path.exists():
            self.rows = {row["title"]: row for row in map(json.loads, path.read_text().splitlines())}

    def row(self, title, make):
        if title not in self.rows or "why" in self.rows[title]:
            self.rows[title] = {"title": title, **make()}
            if self.path:
                with self.path.open("a") as file:
                    file.write(json.dumps(self.rows[title]) + "\n")
        return self.rows[title]


def main():
    wall, inside, naive, naive_inside = Errors(), Errors(), Errors(), Errors()
    in_range = 0
    kept = Kept(Path(option("--keep", "")) if "--keep" in sys.argv else None)
    print(f"| program | 1 thread, ms | serial | {CPUS} threads, ms | predicted for {CPUS} | error | in regions | T1 / P | in regions | predicted for 1 | error | in regions |")
    print("|---|" + "---|" * 11)
    for name, arguments in PROGRAMS:
        for compiler in COMPILERS:
            title = f"{name} {arguments}, {compiler}"
            if not CHOSEN.search(title):
                continue
            row = kept.row(title, lambda: measure(name, arguments, compiler))
            if "why" in row:
                print(f"| {title} | {row['why']} |", flush=True)
                continue
            one, all_, up, down = row["one"], row["all"], row["up"], row["down"]
            in_range += sum(p[2][0] <= measured[0] <= p[2][1] for p, measured in ((up, all_), (down, one)))
            # The naive guess for what lies inside: that part of one thread's time, divided.
            cells = [f"{one[0] * 1e3:.1f}", f"{one[1] / one[0]:.0%}", f"{all_[0] * 1e3:.1f}", f"{up[0] * 1e3:.1f}", wall.add(up[0], all_[0]),
                     inside.add(up[0] - up[1], all_[0] - all_[1]), naive.add(one[0] / CPUS, all_[0]),
                     naive_inside.add((one[0] - one[1]) / CPUS, all_[0] - all_[1]),
                     f"{down[0] * 1e3:.1f}", wall.add(down[0], one[0]), inside.add(down[0] - down[1], one[0] - one[1])]
            print(f"| {title} | {' | '.join(cells)} |", flush=True)
    if wall.all:
        print(f"\nWall time: {wall}; T1 / P: {naive}.")
        print(f"Inside parallel regions alone: {inside}; T1 / P: {naive_inside}.")
        print(f"Measured within the predicted range: {in_range} of {len(wall.all)}.")
        print(f"Real-time priority: {'yes' if BEFORE_OTHERS else 'no'}.")


if __name__ == "__main__":
    main()
