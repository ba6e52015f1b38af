#!/usr/bin/env python3
"""What the reports promise, and what the fixes gain: the programs of tests/problems, recorded with their problem and fixed.

    bench/problems.py [--build build] [--runs 5]

On an idle machine with two CPUs or more. For each program: the gain that the report promises at most, and the wall time that
the fixed version saves under `einkorn run`, and recorded; medians of the runs. A promise holds where `einkorn run` gains no
more, and at least half of it. Recorded, the fix of what is too fine saves the recorder's time, too. Exit status 1: one does
not hold. What cannot be timed here (programs that run as on a larger machine) is left out.
"""
import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "problems"))
import seeded  # noqa: E402


def measure(einkorn, name, runs, folder):
    program = seeded.compile_program(name, folder)
    beside = seeded.accesses(einkorn, name, (), folder)
    promised, before, after = [], [], []
    for _ in range(20 * runs):
        if len(promised) == runs:
            break
        bad, _ = seeded.report(einkorn, program, (), folder, beside=beside)
        fixed, _ = seeded.report(einkorn, program, ("fixed",), folder)
        if not (bad["times_valid"] and fixed["times_valid"] and bad["problems"]):
            continue  # the machine had something else to do
        promised.append(bad["problems"][0]["gain_seconds"])
        before.append(bad["wall_seconds"])
        after.append(fixed["wall_seconds"])
    if len(promised) < runs:
        return None
    middle = statistics.median
    return middle(promised), *seeded.gained(seeded.pairs(einkorn, program, runs)), middle(before) - middle(after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    einkorn = Path(options.build).resolve() / "bin" / "einkorn"
    holds = True
    print(f"{'program':<12} {'wall ms':>8} {'promised':>9} {'gained':>8} {'part':>6} {'recorded':>9}", flush=True)
    with tempfile.TemporaryDirectory(prefix="einkorn-problems-") as folder:
        for name, how in seeded.SEEDED.items():
            if not how.get("timed", True) or (options.programs and name not in options.programs):
                continue
            result = measure(einkorn, name, options.runs, folder)
            if not result:
                print(f"{name:<12} the machine is too busy: no valid runs")
                holds = False
                continue
            promised, wall, gained, recorded = result
            good = seeded.promise_holds(promised, wall, gained)
            holds &= good
            print(f"{name:<12} {wall * 1e3:8.1f} {promised * 1e3:9.1f} {gained * 1e3:8.1f} {gained / promised:6.2f} "
                  f"{recorded * 1e3:9.1f}{'' if good else '   DOES NOT HOLD'}", flush=True)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
