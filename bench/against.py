#!/usr/bin/env python3
"""This build's library beside another build's (before a change, say), in turn: A B A B, for gcc's and clang's programs.

Prints for each row of rows.py, and for the programs of field.py with one thread a CPU, the new library's time by the old one's of the
same round: the median, with the interval in which the median of such ratios lies with 95 %. Both run the same binaries: this build's.
Six rounds, and more until it is known whether the new one takes over 2 % longer; the exit status is 1 where it does.

  ./dev bench against ../before/build [--only fib --only programs/sort ...] [--build build]
"""
import argparse
import os
import pathlib

import field
import pairs
import rows
import tables
from runner import OURS, Runner, exit_with

LIMIT = 1.02  # by more than this nothing may become slower
ROUNDS, MOST = 6, 40


def in_turn(one_run, limit=LIMIT):
    """[new by old] of each round, until it is known whether that is over the limit; one_run(old) -> time."""
    found = []
    for done in range(MOST):
        if done >= ROUNDS and pairs.judged(found, limit) is not None:
            break
        # Who is first changes from round to round: what the first leaves in caches would else always meet the second.
        times = {old: one_run(old) for old in ((True, False) if done % 2 else (False, True))}
        found.append(times[False] / times[True])
    return found


def runs_of(name, runners):
    """compiler -> a function of whether it is the old library's turn."""
    cpus = runners[False].cpus
    for compiler in OURS.values():
        if name in rows.ROWS:
            row = rows.ROWS[name]
            threads, crowded, _ = rows.how(runners[False], row)
            yield compiler, lambda old, c=compiler: runners[old].operation(row.command, c, True, threads, row.ours, crowded)
        else:
            yield compiler, lambda old, c=compiler: runners[old].program(field.PROGRAMS[name], c, True, cpus, {})


def main():
    names = [*rows.ROWS, *field.PROGRAMS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path, help="build folder of the old library")
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help="this row only; may be repeated")
    parser.add_argument("--build", type=pathlib.Path, default=tables.ROOT / "build", help="build folder of the new one (default: build)")
    options = parser.parse_args()
    runners = {old: Runner(options.build.resolve(), len(os.sched_getaffinity(0))) for old in (False, True)}
    runners[True].library = options.old.resolve() / "lib"
    for runner, compiler in ((r, c) for r in runners.values() for c in OURS.values()):
        runner.check_library(compiler, True)

    slower = []
    for name in options.only or names:
        cells = []
        for compiler, one_run in runs_of(name, runners):
            ratios = in_turn(one_run)
            cells.append(f"{compiler} {pairs.text(ratios)}")
            if pairs.judged(ratios, LIMIT):
                slower.append(f"{name}, {cells[-1]}")
        print(f"{name:<26} {'   '.join(cells)}", flush=True)
    print(f"Slower than {LIMIT} with 95 % confidence: {'; '.join(slower) or 'none'}.")
    return 1 if slower else 0


if __name__ == "__main__":
    exit_with(main)
