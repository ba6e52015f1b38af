#!/usr/bin/env python3
"""The gains that reports promise, and those of the fixes: the programs of tests/problems, recorded with their problem and fixed.

    bench/problems.py [--build build] [--runs 5] [--compilers gcc,clang-19] [PROGRAM...]

On an idle machine with two CPUs or more. For each program: the gain that the report promises at most, and the wall time that
the fixed version saves under `einkorn run`, and recorded, in turn; medians of the runs. A promise holds where `einkorn run` gains at
least half of it, and at most a quarter more: the median of the parts that each run gained of the promise made just before, as a host
moves a virtual machine's CPUs, and regions and barriers cost three times as much in one minute as in the next. If recorded, the fix of grains that are too fine saves the recorder's time, too. Also printed: in how
many runs the problem came first, and was gone when fixed: all but one must. Programs that cannot be timed here (they run as if on a larger machine)
are left out. Then programs of programs/ that have no problem: none may be found, in all runs but one. Exit status 1: something does not hold.
"""
import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "problems"))
import seeded  # noqa: E402

WRONG = 1    # of the runs of one program
TRIES = 20   # so many times more runs are tried, as other work makes times invalid
# Some make their input or check their result on one thread for as long as they compute: only their timed part is
# recorded (True).
CLEAN = {"fib": ("--size 40 --cutoff 12", False), "nqueens": ("--size 12", False), "sparselu": ("", False),
         "uts": ("--tree t1 --cutoff 7", False), "alignment": ("", True), "strassen": ("--size 1024", True), "fft": ("", True), "sort": ("", True)}


def measure(einkorn, name, compiler, runs, folder):
    program = seeded.compile_program(name, folder, compiler=compiler)
    beside = seeded.accesses(einkorn, name, (), folder)
    promised, before, after, pairs, parts, told, silent = [], [], [], [], [], 0, 0
    for _ in range(TRIES * runs):
        if len(before) == runs:
            break
        bad, _ = seeded.report(einkorn, program, (), folder, beside=beside)
        fixed, _ = seeded.report(einkorn, program, ("fixed",), folder)
        if not (bad["times_valid"] and fixed["times_valid"]):
            continue  # the machine was busy
        # In turn with the recordings: what the machine does meanwhile is the same for both.
        pairs += seeded.pairs(einkorn, program, 1)
        first = bad["problems"][0] if bad["problems"] else None
        if first and seeded.is_about(first, name):
            told += 1
            promised.append(first["gain_seconds"])
            parts.append((pairs[-1][0] - pairs[-1][1]) / promised[-1])
        silent += not any(seeded.is_about(p, name) for p in fixed["problems"])
        before.append(bad["wall_seconds"])
        after.append(fixed["wall_seconds"])
    if len(before) < runs or not promised:
        return None
    middle = statistics.median
    return middle(promised), *seeded.gained(pairs), middle(parts), middle(before) - middle(after), told, silent


def problems_hold(einkorn, compilers, chosen, runs, folder):
    holds = True
    print(f"{'program':<18} {'wall ms':>8} {'promised':>9} {'gained':>8} {'part':>6} {'recorded':>9} first  gone of {runs}", flush=True)
    for name, how in seeded.SEEDED.items():
        if not how.get("timed", True) or (chosen and name not in chosen):
            continue
        for compiler in compilers:
            title = f"{name}, {compiler}"
            result = measure(einkorn, name, compiler, runs, folder)
            if not result:
                print(f"{title:<18} never first, or the machine is too busy: no valid runs", flush=True)
                holds = False
                continue
            promised, wall, gained, part, recorded, told, silent = result
            good = seeded.promise_holds(promised, wall, part * promised) and min(told, silent) >= runs - WRONG
            holds &= good
            print(f"{title:<18} {wall * 1e3:8.1f} {promised * 1e3:9.1f} {gained * 1e3:8.1f} {part:6.2f} "
                  f"{recorded * 1e3:9.1f} {told:5} {silent:5}{'' if good else '   DOES NOT HOLD'}", flush=True)
    return holds


def none_is_found(einkorn, programs, chosen, runs, folder):
    holds = True
    for name, (words, timed_part) in CLEAN.items():
        if chosen and name not in chosen:
            continue
        roi = ("--roi",) if timed_part else ()
        valid = []
        for _ in range(TRIES * runs):
            report, _ = seeded.report(einkorn, programs / f"{name}-gcc", (*words.split(), *roi), folder, roi)
            if report["times_valid"]:
                valid.append(report)
            if len(valid) == runs:
                break
        found = [r["verdict"] for r in valid if r["problems"]]
        good = len(valid) == runs and len(found) <= WRONG
        holds &= good
        print(f"{name}: none found in {len(valid) - len(found)} of {len(valid)}{''.join('; ' + text for text in found)}"
              f"{'' if good else '   DOES NOT HOLD'}", flush=True)
    return holds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--compilers", default="gcc", help="gcc,clang-19: both")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    build = Path(options.build).resolve()
    einkorn = build / "bin" / "einkorn"
    with tempfile.TemporaryDirectory(prefix="einkorn-problems-") as folder:
        holds = problems_hold(einkorn, options.compilers.split(","), options.programs, options.runs, folder)
        holds &= none_is_found(einkorn, build / "programs", options.programs, options.runs, folder)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
