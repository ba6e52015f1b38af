#!/usr/bin/env python3
"""What einkorn tune gains, beside what a person could do by hand; and EINKORN_SCHEDULE=ws-adaptive beside the default.

  bench/tune.py [--build build] [--rounds 9] [--only PART ...]

  cutoffs   recursions without a cut-off, gcc and clang: after tune, under ws-adaptive, and with the best of some cut-offs by hand
  loops     a loop of schedule(dynamic,1) with bodies of some 60 ns; a triangular one of schedule(runtime); a chain of tasks among others
  nothing   programs that have nothing to gain: hints, and runs that tune took
  adaptive  ws-adaptive by ws, for all programs of the third table of docs/performance.md

Two threads. Times are medians of rounds in which all run in turn; ratios are those within a round. Give it an idle machine."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

import field
import pairs
import tables
from runner import OURS, Runner, exit_with, seconds_in

THREADS = 2
BUDGET = "60s"
# name: command, what is added to it for no cut-off, and for one by hand
CUTOFFS = {
    "fib": ("fib --size 26", "--no-cutoff", [f"--cutoff {n}" for n in (4, 6, 8, 10, 12)]),
    "nqueens": ("nqueens --size 11", "--no-cutoff", [f"--cutoff {n}" for n in (1, 2, 3, 4, 5)]),
    "floorplan": ("floorplan --size 8", "--no-cutoff", [f"--cutoff {n}" for n in (1, 2, 3, 4, 5)]),
    "health": ("health --size 5 --steps 200", "--no-cutoff", [f"--cutoff {n}" for n in (1, 2, 3, 4)]),
    "uts": ("uts --tree t1", "--no-cutoff", [f"--cutoff {n}" for n in (2, 4, 6, 8)]),
    "sort": ("sort --size 1000000", "--no-cutoff", [f"--cutoff {n} --merge-cutoff {n}" for n in (1024, 4096, 16384, 65536)]),
}
NOTHING = ["sparselu --size 30 --block 40", "strassen --size 512", "fft --size 18", "md --size 5 --steps 100", "heat --size 512 --steps 200",
           "alignment --size 30 --length 200", "cholesky --size 48 --block 32", "qr --size 10 --block 64", "jacobi --size 8 --block 128 --steps 60",
           "fib --size 36 --cutoff 12", "nqueens --size 12", "floorplan --size 9"]


class Tool:
    def __init__(self, runner, build, folder):
        self.runner, self.tool, self.folder = runner, build / "bin" / "einkorn", pathlib.Path(folder)

    def tune(self, program, arguments, setting, budget=("--budget", BUDGET)):
        """(what it prints as JSON, its hints file or None)."""
        hints = self.folder / f"{program.name}.hints"
        hints.unlink(missing_ok=True)
        done = subprocess.run([str(self.tool), "tune", "--json", *budget, "-o", str(hints), "--check", "grep -q check=ok", "--", str(program),
                               *arguments], env=self.runner.environment(False, THREADS, setting), capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise SystemExit(f"einkorn tune -- {program}: {done.stderr.strip()}")
        told = json.loads(done.stdout)
        return told, hints if "hints_file" in told else None

    def seconds(self, program, arguments, setting, hints=None):
        command = [str(self.tool), "run", *(["--hints", str(hints)] if hints else []), "--", str(program), *arguments]
        return seconds_in(self.runner.execute(command, self.runner.environment(False, THREADS, setting)))


def told_of(told):
    accepted = [t for t in told["tried"] if t["verdict"] == "accepted"]
    text = "; ".join(f"{t['hints']}: {1e3 * t['before_seconds']:.0f} -> {1e3 * t['after_seconds']:.0f} ms"
                     + (f", gained {t['gained_seconds'] / t['promised_seconds']:.2f} of what was promised" if t.get("promised_seconds") else "")
                     for t in accepted)
    return f"{told['runs']} runs, {text or 'no hint'}"


def in_turn(rounds, runs):
    """{name: [seconds of each round]}, the order turned by one each round."""
    names, found = list(runs), {name: [] for name in runs}
    for k in range(rounds):
        for name in names[k % len(names):] + names[:k % len(names)]:
            found[name].append(runs[name]())
    return found


def by(found, one, other):
    return pairs.text([a / b for a, b in zip(found[one], found[other])])


def cutoffs(tool, rounds):
    for name, (command, without, by_hand) in CUTOFFS.items():
        for compiler in OURS.values():
            program = tool.runner.field_programs / f"{name}-{compiler}"
            arguments = command.split()[1:]
            plain = [*arguments, *without.split()]
            best = min(by_hand, key=lambda one: statistics.median(tool.seconds(program, [*arguments, *one.split()], {}) for _ in range(3)))
            told, hints = tool.tune(program, plain, {})
            found = in_turn(rounds, {"ws": lambda: tool.seconds(program, plain, {}),
                                     "tuned": lambda: tool.seconds(program, plain, {}, hints),
                                     "adaptive": lambda: tool.seconds(program, plain, {"EINKORN_SCHEDULE": "ws-adaptive"}),
                                     "hand": lambda: tool.seconds(program, [*arguments, *best.split()], {})})
            medians = ", ".join(f"{who} {1e3 * statistics.median(times):.1f} ms" for who, times in found.items())
            print(f"{name} {compiler}: {medians} ({best}); by hand's: tuned {by(found, 'tuned', 'hand')}, adaptive {by(found, 'adaptive', 'hand')}; "
                  f"{told_of(told)}", flush=True)


def loops(tool, rounds):
    for what, setting in (("dynamic", {}), ("triangular", {"OMP_SCHEDULE": "static"}), ("chain", {})):
        for compiler in OURS.values():
            program = tool.runner.programs / f"tuned-{compiler}"
            told, hints = tool.tune(program, [what], setting)
            found = in_turn(rounds, {"ws": lambda: tool.seconds(program, [what], setting),
                                     "tuned": lambda: tool.seconds(program, [what], setting, hints),
                                     "adaptive": lambda: tool.seconds(program, [what], setting | {"EINKORN_SCHEDULE": "ws-adaptive"})})
            print(f"{what} {compiler}: {1e3 * statistics.median(found['ws']):.1f} ms; by ws: tuned {by(found, 'tuned', 'ws')}, "
                  f"adaptive {by(found, 'adaptive', 'ws')}; {told_of(told)}", flush=True)


def nothing(tool, rounds):
    for k, command in enumerate(NOTHING):
        name, *arguments = command.split()
        compiler = list(OURS.values())[k % 2]
        told, _ = tool.tune(tool.runner.field_programs / f"{name}-{compiler}", arguments, {}, budget=())
        print(f"{command} {compiler}: {told_of(told)}", flush=True)


def adaptive(tool, rounds):
    for name, command in field.PROGRAMS.items():
        program, *arguments = command.split()
        cells = []
        for compiler in OURS.values():
            path = tool.runner.field_programs / f"{program}-{compiler}"
            found = in_turn(rounds, {who: lambda s=setting: tool.seconds(path, arguments, s)
                                     for who, setting in (("ws", {}), ("adaptive", {"EINKORN_SCHEDULE": "ws-adaptive"}))})
            cells.append(f"{compiler} {by(found, 'adaptive', 'ws')}")
        print(f"{name:<28} {'   '.join(cells)}", flush=True)


PARTS = {"cutoffs": cutoffs, "loops": loops, "nothing": nothing, "adaptive": adaptive}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=tables.ROOT / "build")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", action="append", choices=PARTS)
    options = parser.parse_args()
    build = options.build.resolve()
    runner = Runner(build, len(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as folder:
        for part in options.only or PARTS:
            PARTS[part](Tool(runner, build, folder), options.rounds)


if __name__ == "__main__":
    exit_with(main)
