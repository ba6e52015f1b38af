#!/usr/bin/env python3
"""How Einkorn and its peers scale: operations of OpenMP, and programs/, by the number of threads. For a machine with many CPUs;
prints the tables of "With sixteen CPUs" of docs/performance.md.

The peers keep the best of their settings, found with the most threads; then all run in turn, round after round, each with
default settings else."""
import argparse
import functools
import json
import os
import pathlib
import statistics
import sys
import time

import field
import pairs
import rows
import tables
from runner import OURS, PEERS, WAITS, Failure, Runner, exit_with

LIMIT = 5  # seconds: a peer that takes longer is out of the race
ROWS = ["region", "barrier", "single", "reduction", "static", "guided", "dynamic", "critical", "fib", "flat", "taskloop", "taskwait",
        "chain", "independent", "wavefront"]
PROGRAMS = [f"programs/{name}" for name in (
    "fib", "fib.cutoff", "nqueens", "floorplan", "sort", "sort.fine", "sparselu", "sparselu.depend", "health", "uts", "bfs.loop", "bfs.mesh",
    "alignment.single", "jacobi.depend", "jacobi.loop", "jacobi.large", "cholesky.depend", "qr.depend", "cube.task", "stencil.task",
    "stencil.work", "md.static", "md.dynamic", "heat.static")]


def parse_arguments(cpus):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default="", metavar="N,N...", help="default: 1 for programs, 2, 4, 8 and so on up to the CPUs")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--only", default="", metavar="NAME,NAME...", help=", ".join(ROWS + PROGRAMS))
    parser.add_argument("--raw", type=pathlib.Path, metavar="FILE", help="all single measurements, as JSON, written after each row")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin nothing new after so long")
    parser.add_argument("--build", type=pathlib.Path, default=tables.ROOT / "build", help="build folder (default: build)")
    options = parser.parse_args()
    options.threads = [int(word) for word in options.threads.split(",") if word] or \
        [threads for threads in (2, 4, 8, 16, 32, 64, 128, 256) if threads <= cpus]
    options.only = [word for word in options.only.split(",") if word] or ROWS + PROGRAMS
    if unknown := [word for word in options.only if word not in ROWS + PROGRAMS]:
        parser.error(f"there is no row '{unknown[0]}'; --help lists them")
    return options


def measure(runner, name, threads, rounds):
    """{threads: {who: [time]}}: ns, or seconds of a program."""
    if name in ROWS:
        command, counts, run = rows.ROWS[name].command, threads, functools.partial(runner.operation, crowded=True)
    else:
        command, counts, run = field.PROGRAMS[name], [1, *threads], functools.partial(runner.program, alone=False)
    # KMP_USE_YIELD matters where there are more threads than CPUs.
    settings = runner.best_settings(run, command, max(counts), 1, {peer: (compiler, WAITS) for peer, (compiler, _) in PEERS.items()})
    return {count: runner.in_turn(run, command, count, settings, rounds, rounds)[0] for count in counts}, settings


def figure(values):
    value = statistics.median(values)
    return f"over {LIMIT} s" if value == float("inf") else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def lines_of(found, threads):
    lines = []
    operations = {name: times for name, times in found.items() if name in ROWS}
    programs = {name: times for name, times in found.items() if name in PROGRAMS}
    heads = [f"{count} threads" for count in threads]
    if operations:
        lines += ["| ns: libgomp / libomp / Einkorn by gcc / by clang; best by best peer | " + " | ".join(heads) + " |",
                  "|---" * (1 + len(heads)) + "|"]
    for name, times in operations.items():
        cells = [" / ".join(figure(times[count][who]) for who in [*PEERS, *OURS]) +
                 f"; {pairs.text(pairs.ratios(times[count], OURS, PEERS))}" for count in threads]
        lines.append(f"| {rows.ROWS[name].title.rstrip('¹')} | " + " | ".join(cells) + " |")
    if programs:
        lines += ["", "| speed-up over the better peer's time with one thread: libgomp / libomp / Einkorn by gcc / by clang; "
                  "best by best peer | ms, one thread | " + " | ".join(heads) + " |", "|---" * (2 + len(heads)) + "|"]
    for name, times in programs.items():
        one = min(statistics.median(times[1][who]) for who in PEERS)
        cells = [" / ".join(f"{one / statistics.median(times[count][who]):.2f}" for who in [*PEERS, *OURS]) +
                 f"; {pairs.text(pairs.ratios(times[count], OURS, PEERS))}" for count in threads]
        lines.append(f"| {name.removeprefix('programs/')} | {1e3 * one:.0f} | " + " | ".join(cells) + " |")
    return lines


def main():
    cpus, start = len(os.sched_getaffinity(0)), time.monotonic()
    options = parse_arguments(cpus)
    runner = Runner(options.build.resolve(), cpus, LIMIT)
    peers = runner.check_libraries()
    found, settings, failures = {}, {}, []
    for name in options.only:
        if time.monotonic() - start > options.seconds:
            failures.append(f"{name}: not begun, as --seconds {options.seconds:.0f} were over")
            continue
        try:
            found[name], settings[name] = measure(runner, name, options.threads, options.rounds)
        except Failure as failure:  # the other rows are still worth having
            failures.append(f"{name}: {failure}")
            continue
        if options.raw:
            options.raw.write_text(json.dumps({"times": found, "settings": settings}))
    print("\n".join(lines_of(found, options.threads)))
    print("\nPeers' best settings: " + tables.settings({name: {"settings": each} for name, each in settings.items()}) + ".")
    print(f"\nMeasured on: {tables.machine(cpus, peers)}; {(time.monotonic() - start) / 60:.0f} minutes, medians of {options.rounds}.")
    for failure in failures:
        print(f"bench: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    exit_with(main)
