"""The table of a busy machine: programs/ with as many threads as CPUs, while as many processes spin beside them.

Here nobody runs at real-time priority: the threads get half of the CPUs, by turns, and a thread that waits for one that is not
running had better leave its CPU to it."""
import contextlib
import functools
import statistics
import subprocess
import sys

import field
import pairs
import tables
from runner import OURS, PEERS

# Loops and barriers, short and long; tasks tiny and large; one producer, recursion, dependences.
PROGRAMS = ["bfs.mesh", "md.static", "md.dynamic", "heat.static", "jacobi.loop", "jacobi.depend", "stencil.task", "stencil.depend",
            "fib.cutoff", "sort", "sparselu", "sparselu.depend", "cholesky.depend", "qr.depend"]
ROWS = {f"busy/{name}": f"programs/{name}" for name in PROGRAMS}


@contextlib.contextmanager
def spinning(count):
    """Starts so many processes, which use all the CPU time that they get."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def how(runner, name):
    """A row's command, and how it is run."""
    return field.PROGRAMS[ROWS[name]], functools.partial(runner.program, alone=False)


def measure(runner, name, rounds, most, tries):
    command, run = how(runner, name)
    with spinning(runner.cpus):
        settings = runner.best_settings(run, command, runner.cpus, tries)
        times, _ = runner.in_turn(run, command, runner.cpus, settings, rounds, most)
    return {"times": times, "settings": settings}


def again(runner, name, result, rounds):
    """More rounds where it is not known to be fast enough: [what]"""
    if pairs.is_within(result["times"], OURS, PEERS):
        return []
    command, run = how(runner, name)
    with spinning(runner.cpus):
        runner.again(result["times"], rounds, run, command, runner.cpus, result["settings"])
    return [name.partition("/")[2] + " busy"]


def lines_of(results, cpus):
    everyone = [*PEERS, *OURS]
    head = [f"ms with {cpus} threads, {cpus} spinning processes beside", *everyone, "gcc / clang / best by peer"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, result in results.items():
        cells = [tables.figure([1e3 * t for t in result["times"][who]]) for who in everyone]
        lines.append(f"| {name.partition('/')[2]} | " + " | ".join([*cells, field.cell(result["times"])]) + " |")
    measured = {name.partition("/")[2]: result["times"] for name, result in results.items()}
    behind = [name for name, times in measured.items() if statistics.median(pairs.ratios(times, OURS, PEERS)) > 1]
    return lines + ["", *pairs.verdict(measured, OURS, PEERS), f"Median above 1: {', '.join(behind) or 'none'}."]
