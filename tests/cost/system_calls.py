"""While all threads have work, tasks make no system calls: system_calls.py [BUILD]

fib, and programs of untied tasks, on as many threads as CPUs (at least two) under strace. Start, end, and threads that fall
asleep and wake when there is nothing to steal make a few hundred calls; one call per task would be 60,000 and
more."""
import os
import pathlib
import re
import sys

import probes
from probes import HERE, require

FIB = ("--size 24", 2 * (75025 - 1))  # fib(n) makes 2 (F(n + 1) - 1) tasks
# A wide tree: if untied tasks are queued at each of their parts, all of a level begin before any of them ends.
UTS = ("--tree t1 --depth 7", 63913)
PROGRAMS = {"fib": FIB, "fib-untied": FIB, "uts": UTS, "uts-untied": UTS}
MOST = 0.01


def count(files, name, compiler):
    arguments, tasks = PROGRAMS[name]
    program = files.folder.parent / "programs" / f"{name}-{compiler}"
    listing = files.folder / f"strace-{name}-{compiler}.txt"
    threads = max(2, len(os.sched_getaffinity(0)))
    printed = probes.execute(["strace", "-f", "-c", "-U", "calls,name", "-o", listing, program, *arguments.split()],
                             files.environment(OMP_NUM_THREADS=str(threads)))
    require(f"tasks={tasks} " in printed, f"{program} made not {tasks} tasks: {printed}")
    calls = {name: int(number) for number, name in re.findall(r"^ *(\d+) (\w+)$", listing.read_text(), re.M)}
    calls.pop("total", None)
    require("mmap" in calls, f"{listing}: not what strace of Debian 12 writes")
    return calls, tasks


def main():
    files = probes.Probes(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / "build").resolve())
    complaints = []
    for name, compiler in ((name, compiler) for name in PROGRAMS for compiler in probes.COMPILERS):
        calls, tasks = count(files, name, compiler)
        each = sum(calls.values()) / tasks
        most = sorted(calls.items(), key=lambda item: -item[1])[:4]
        print(f"{name}, {compiler}: {each:.5f} system calls a task (" + ", ".join(f"{name} {n}" for name, n in most) + ")")
        if each > MOST:
            complaints.append(f"{name}, {compiler}: more than {MOST} a task")
    return complaints


probes.run(main)
