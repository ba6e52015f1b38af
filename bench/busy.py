"""The table of a busy machine: programs/ with as many threads as CPUs, while as many processes spin beside them; ten kinds of short
work (beside.c) beside half as many to eight times as many; and these with a part of the CPUs' time, as a container has it.

Here nobody runs at real-time priority: the threads get a part of the CPUs, by turns. Where others leave a CPU free a thread that waits
had better leave its own; where they want all, a thread that sleeps waits for a CPU for milliseconds."""
import contextlib
import functools
import os
import pathlib
import statistics
import subprocess
import sys

import field
import pairs
import tables
from runner import Failure, OURS, PEERS

# Loops and barriers, short and long; tasks tiny and large; one producer, recursion, dependences.
PROGRAMS = ["bfs.mesh", "md.static", "md.dynamic", "heat.static", "jacobi.loop", "jacobi.depend", "stencil.task", "stencil.depend",
            "fib.cutoff", "sort", "sparselu", "sparselu.depend", "cholesky.depend", "qr.depend"]
KINDS = ["equal", "fine", "unequal", "serial", "stages", "single", "dynamic", "tasks", "pipeline", "reduction"]
LOADS = [0.5, 1, 2, 8]  # processes that spin, a CPU
QUOTA = 0.75            # of the time of all CPUs
ROWS = {f"busy/{name}": (f"programs/{name}", 1) for name in PROGRAMS}
ROWS |= {f"busy/{kind}.{load:g}": (kind, load) for load in LOADS for kind in KINDS}
ROWS |= {f"busy/{kind}.quota": (kind, 0) for kind in KINDS}
CPU_GROUPS = pathlib.Path("/sys/fs/cgroup/cpu")  # of the first version of control groups


@contextlib.contextmanager
def spinning(count):
    """Starts so many processes, which use all the CPU time that they get; the last one of 1.5, say, half of it."""
    processes = []
    while count > 0:
        part = min(count, 1)
        spin = "while True: pass" if part == 1 else \
            f"import time\nwhile True:\n end = time.time() + {0.05 * part}\n while time.time() < end: pass\n time.sleep({0.05 * (1 - part)})"
        processes.append(subprocess.Popen([sys.executable, "-c", spin]))
        count -= part
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@contextlib.contextmanager
def limited(cpus):
    """This process and those that it starts get so much time: CPUs. Yields whether they do."""
    version_2 = pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists()
    group = (CPU_GROUPS.parent if version_2 else CPU_GROUPS) / f"einkorn-bench-{os.getpid()}"
    period = 100_000  # us
    try:
        group.mkdir()
        if version_2:
            (group / "cpu.max").write_text(f"{int(cpus * period)} {period}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(period))
            (group / "cpu.cfs_quota_us").write_text(str(int(cpus * period)))
        (group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError:
        yield False  # not ours to set
        return
    try:
        yield True
    finally:
        (group.parent / "cgroup.procs").write_text(str(os.getpid()))
        group.rmdir()


@contextlib.contextmanager
def surrounded(runner, name):
    load = ROWS[name][1]
    if load:
        with spinning(load * runner.cpus):
            yield True
    else:
        with limited(QUOTA * runner.cpus) as is_limited:
            yield is_limited


def how(runner, name):
    """A row's command, and how it is run."""
    program = ROWS[name][0]
    if program in KINDS:
        return program, runner.beside
    return field.PROGRAMS[program], functools.partial(runner.program, alone=False)


def measure(runner, name, rounds, most, tries):
    command, run = how(runner, name)
    with surrounded(runner, name) as is_so:
        if not is_so:
            raise Failure(f"{name} wants a control group with a quota, which root can make: run it as root, or leave the row out (--only)")
        settings = runner.best_settings(run, command, runner.cpus, tries)
        times, _ = runner.in_turn(run, command, runner.cpus, settings, rounds, most)
    return {"times": times, "settings": settings}


def again(runner, name, result, rounds):
    """More rounds where it is not known to be fast enough: [what]"""
    if pairs.is_within(result["times"], OURS, PEERS):
        return []
    command, run = how(runner, name)
    with surrounded(runner, name):
        runner.again(result["times"], rounds, run, command, runner.cpus, result["settings"])
    return [name.partition("/")[2] + " busy"]


def lines_of(results, cpus):
    everyone = [*PEERS, *OURS]
    head = [f"ms with {cpus} threads; beside {cpus} spinning processes, as many a CPU as the row says, or with {QUOTA:g} of all CPUs", *everyone, "gcc / clang / best by peer"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, result in results.items():
        cells = [tables.figure([1e3 * t for t in result["times"][who]]) for who in everyone]
        lines.append(f"| {name.partition('/')[2]} | " + " | ".join([*cells, field.cell(result["times"])]) + " |")
    measured = {name.partition("/")[2]: result["times"] for name, result in results.items()}
    behind = [name for name, times in measured.items() if statistics.median(pairs.ratios(times, OURS, PEERS)) > 1]
    return lines + ["", *pairs.verdict(measured, OURS, PEERS), f"Median above 1: {', '.join(behind) or 'none'}."]
