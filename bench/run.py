#!/usr/bin/env python3
"""Measures Einkorn's runtime beside libgomp and libomp, in one run, and prints the tables of docs/performance.md.

Each measurement is one program of bench/ or programs/, built by gcc and by clang. The peers are first tried with every
setting of how their threads wait, and go on with their best one; Einkorn runs as it is. Then all four run in turn,
A B A B, round after round, so that whatever else the machine does meets all alike: six rounds, and more until it is
known whether Einkorn takes over 5 % longer than the better peer. A run of bench/ gives the median of its repetitions;
the table has the median over the runs with the smallest and largest, and Einkorn's time by the better peer's of the same
round, with the interval in which the median of such ratios lies with 95 %.

  rows.py: operations of OpenMP, beside oneTBB      counts.py: instructions, system calls, idle threads
  field.py: programs/ with 1, 2, 4 and 8 threads    busy.py: some of them, while other processes want the CPUs, too
  pairs.py: who is faster, and how sure that is    runner.py: who runs how    tables.py: how it is written down
"""
import argparse
import json
import os
import pathlib
import sys
import time

import busy
import counts
import field
import rows
import tables
from runner import OURS, PEERS, Failure, Runner


def parse_arguments():
    names = [*rows.ROWS, *counts.COUNTS, *field.PROGRAMS, *busy.ROWS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two rounds instead of six or more: to see that it works")
    parser.add_argument("--only", action="append", metavar="NAME",
                        help="this row only, may be repeated; or `rows`, `counts`, `programs`, `busy`, or a program with all "
                        "its versions: " + ", ".join(names))
    parser.add_argument("--write", action="store_true", help="put the tables into docs/performance.md")
    parser.add_argument("--raw", type=pathlib.Path, metavar="FILE", help="all single measurements, as JSON")
    parser.add_argument("--build", type=pathlib.Path, default=tables.ROOT / "build",
                        help="build folder (default: build)")
    options = parser.parse_args()
    if options.write and (options.only or options.quick):
        parser.error("--write is for a whole run: leave out --only and --quick")
    groups = {"rows": list(rows.ROWS), "counts": list(counts.COUNTS), "programs": list(field.PROGRAMS),
              "busy": list(busy.ROWS)}
    chosen = set()
    for word in options.only or groups:
        some = groups.get(word) or [name for name in names if name == word] or \
            [name for name, command in field.PROGRAMS.items() if command.split()[0] == word]
        if not some:
            parser.error(f"there is no row '{word}'; --help lists them")
        chosen.update(some)
    return options, [name for name in names if name in chosen]


def measure_all(runner, names, quick):
    """({row: ...}, {count: ...}, {program: ...}, {busy: ...}) and what went wrong, with a line of progress where somebody looks."""
    found, failures = ({}, {}, {}, {}), []
    for done, name in enumerate(names):
        if sys.stderr.isatty():
            print(f"\r[{done}/{len(names)}] {name:<24}", end="", file=sys.stderr, flush=True)
        try:
            if name in rows.ROWS:
                found[0][name] = rows.measure(runner, name, *((2, 2) if quick else (6, 15)), 2)
            elif name in counts.COUNTS:
                found[1][name] = counts.COUNTS[name][1](runner, 2 if quick else 5)
            elif name in busy.ROWS:
                found[3][name] = busy.measure(runner, name, *((1, 1) if quick else (10, 30)), 3)
            else:
                found[2][name] = field.measure(runner, name, *((1, 1) if quick else (6, 30)), 3)
        except Failure as failure:  # the other rows are worth having all the same
            failures.append(f"{name}: {failure}")
    if sys.stderr.isatty():
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
    return found, failures


def main():
    options, names = parse_arguments()
    cpus = len(os.sched_getaffinity(0))
    runner = Runner(options.build.resolve(), cpus)
    peers = [runner.check_library(compiler, False) for compiler, _ in PEERS.values()]
    for compiler in OURS.values():
        runner.check_library(compiler, True)

    start, used, own = time.monotonic(), tables.busy_seconds(), tables.own_seconds()
    found, failures = measure_all(runner, names, options.quick)
    seconds = time.monotonic() - start
    # What others did meanwhile spoils the figures: say how much it was.
    others = max(0.0, (tables.busy_seconds() - used) - (tables.own_seconds() - own)) / (seconds * cpus)
    lines = []
    for results, table in zip(found, (rows.lines_of, counts.lines_of, lambda results: field.lines_of(results, cpus),
                                      lambda results: busy.lines_of(results, cpus))):
        lines += ["", *table(results)] if results else []
    lines = lines[1:] + ["", f"Measured on: {tables.machine(cpus, peers)}; {seconds / 60:.0f} minutes. Other processes "
                         f"took {others:.1%} of the CPU time meanwhile."]
    print("\n".join(lines))
    if options.raw:
        options.raw.write_text(json.dumps(dict(zip(("rows", "counts", "programs", "busy"), found)), indent=1))
    if others > 0.05:
        print("bench: the machine was not idle; these figures are worth little", file=sys.stderr)
    for failure in failures:
        print(f"bench: {failure}", file=sys.stderr)
    if options.write and not failures:
        tables.write(lines)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"bench: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
