#!/usr/bin/env python3
"""Measures Einkorn's runtime beside libgomp and libomp, in one run, and prints the tables of docs/performance.md.

Each measurement is one program of bench/ or programs/, built by gcc and by clang. The peers are first tried with every
setting of how their threads wait, and keep their best one; Einkorn runs with its defaults. Then all four run in turn,
A B A B, round after round, so that other load on the machine affects all alike: six rounds, and more until it is
known whether Einkorn takes over 5 % longer than the better peer. Whoever stops at the first answer of many is wrong more
often than one time in twenty, and a virtual machine is moved between CPUs while it measures: so at the end, what is not
known to be within 5 % has twenty rounds more, and is judged by all of them. A run of bench/ gives the median of its repetitions.
The table has the median over the runs with the smallest and largest, and the ratio of Einkorn's time to the better
peer's of the same round, with the 95 % confidence interval of the median of these ratios.

  rows.py: operations of OpenMP, beside oneTBB      counts.py: instructions, system calls, idle threads
  field.py: programs/ with 1, 2, 4 and 8 threads    busy.py: some of them, while other processes need the CPUs, too
  pairs.py: who is faster, with what confidence    runner.py: runs programs    tables.py: prints figures
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
import pairs
import rows
import tables
from runner import Failure, Runner, exit_with


def parse_arguments():
    names = [*rows.ROWS, *counts.COUNTS, *field.PROGRAMS, *busy.ROWS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two rounds instead of six or more: to see that it works")
    parser.add_argument("--only", action="append", metavar="NAME",
                        help="this row only, may be repeated; or `rows`, `counts`, `programs`, `busy`, or a program with all "
                        "its versions: " + ", ".join(names))
    parser.add_argument("--write", action="store_true", help="put the tables into docs/performance.md")
    parser.add_argument("--raw", type=pathlib.Path, metavar="FILE", help="all single measurements, as JSON, written after each row")
    parser.add_argument("--resume", action="store_true", help="rows that the file of --raw has are taken from there: goes on after "
                        "an interruption")
    parser.add_argument("--build", type=pathlib.Path, default=tables.ROOT / "build",
                        help="build folder (default: build)")
    options = parser.parse_args()
    if options.write and (options.only or options.quick):
        parser.error("--write is for a whole run: leave out --only and --quick")
    if options.resume and not options.raw:
        parser.error("--resume continues where the file of --raw ends: name it")
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


TABLES = {"rows": rows, "counts": counts, "programs": field, "busy": busy}


def table_of(name):
    """A row's key in TABLES."""
    return "rows" if name in rows.ROWS else "counts" if name in counts.COUNTS else "busy" if name in busy.ROWS else "programs"


def measure(runner, name, quick):
    match table_of(name):
        case "rows":
            return rows.measure(runner, name, *((2, 2) if quick else (6, 15)), 2)
        case "counts":
            return counts.COUNTS[name][1](runner, 2 if quick else 5)
        case "busy":
            return busy.measure(runner, name, *((1, 1) if quick else (10, 30)), 3)
        case "programs":
            return field.measure(runner, name, *((1, 1) if quick else (6, 30)), 3)


AGAIN = 20  # rounds


class Part:
    """A stretch of measuring without interruption: on which machine, for how long, and the load of others meanwhile."""
    def __init__(self, cpus, machine):
        self.cpus, self.machine = cpus, machine
        self.start, self.used, self.own = time.monotonic(), tables.busy_seconds(), tables.own_seconds()

    def so_far(self):
        seconds = time.monotonic() - self.start
        # The load of others spoils the figures: say how much it was.
        others = (tables.busy_seconds() - self.used) - (tables.own_seconds() - self.own)
        return {"machine": self.machine, "minutes": seconds / 60, "others": max(0.0, others) / (seconds * self.cpus)}


def read_raw(file):
    """Results of an earlier run: {table: {row: result}} and its parts."""
    found = json.loads(file.read_text())
    for result in found["programs"].values():  # JSON has no numbers for keys
        for key in ("times", "tied"):
            result[key] = result[key] and {int(threads): each for threads, each in result[key].items()}
    return found


def measure_all(runner, names, options, part):
    """{table: {row: result}, "parts": [...], "again": {row: [what of it was measured again]}} and what went wrong, with a line of progress where somebody looks."""
    found = {table: {} for table in TABLES} | {"parts": []}
    if options.resume and options.raw.exists():
        found = read_raw(options.raw)
    earlier, failures, later = found["parts"], [], found.setdefault("again", {})

    def keep():
        found["parts"] = [*earlier, part.so_far()]
        if options.raw:
            beside = options.raw.with_name(options.raw.name + ".new")
            beside.write_text(json.dumps(found, indent=1))
            beside.rename(options.raw)

    def show(done, what):
        if sys.stderr.isatty():
            print(f"\r[{done}/{len(names)}] {what:<32}", end="", file=sys.stderr, flush=True)
    for done, name in enumerate(names):
        if name in found[table_of(name)]:
            continue
        show(done, name)
        try:
            found[table_of(name)][name] = measure(runner, name, options.quick)
        except Failure as failure:  # the other rows are still worth having
            failures.append(f"{name}: {failure}")
        keep()
    for done, name in enumerate(names if not options.quick else []):
        again, result = getattr(TABLES[table_of(name)], "again", None), found[table_of(name)].get(name)
        if again and result and name not in later:
            show(done, f"{name} again")
            if some := again(runner, name, result, AGAIN):
                later[name] = some
                keep()
    if sys.stderr.isatty():
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
    return found, failures


def main():
    options, names = parse_arguments()
    cpus = len(os.sched_getaffinity(0))
    runner = Runner(options.build.resolve(), cpus)
    peers = runner.check_libraries()

    found, failures = measure_all(runner, names, options, Part(cpus, tables.machine(cpus, peers)))
    lines = []
    for table, module in TABLES.items():
        in_order = {name: found[table][name] for name in names if name in found[table]}
        lines += ["", *module.lines_of(in_order, cpus)] if in_order else []
    if found["again"]:
        lines += ["", f"Measured again at the end, {AGAIN} rounds more, as it was not known to be within {pairs.SLOWER}: "
                  f"{'; '.join(what for some in found['again'].values() for what in some)}."]
    parts = found["parts"]
    others = max(part["others"] for part in parts)
    lines = lines[1:] + ["", f"Measured on: {'; and on: '.join(dict.fromkeys(part['machine'] for part in parts))}; "
                         f"{sum(part['minutes'] for part in parts):.0f} minutes" +
                         (f" in {len(parts)} parts" if len(parts) > 1 else "") +
                         f". Other processes took {others:.1%} of the CPU time meanwhile" +
                         (", where it was most." if len(parts) > 1 else ".")]
    print("\n".join(lines))
    if others > 0.05:
        print("bench: the machine was not idle; these figures are worth little", file=sys.stderr)
    for failure in failures:
        print(f"bench: {failure}", file=sys.stderr)
    if options.write and not failures:
        tables.write(lines)
    return 1 if failures else 0


if __name__ == "__main__":
    exit_with(main)
