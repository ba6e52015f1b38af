"""While all threads have work, tasks make no system calls: system_calls.py [BUILD]

fib on as many threads as CPUs (two at least) under strace. Its start, its end and the threads' falling asleep and
waking when there is nothing to steal are a few hundred calls; a call a task would be 150,000."""
import os
import pathlib
import re
import sys

import probes
from probes import HERE, require

SIZE, TASKS = 24, 2 * (75025 - 1)  # fib(n) makes 2 (F(n + 1) - 1) tasks
MOST = 0.01


def count(files, compiler):
    program = files.folder.parent / "programs" / f"fib-{compiler}"
    listing = files.folder / f"strace-{compiler}.txt"
    threads = max(2, len(os.sched_getaffinity(0)))
    printed = probes.execute(["strace", "-f", "-c", "-U", "calls,name", "-o", listing, program, "--size", SIZE],
                             files.environment(OMP_NUM_THREADS=str(threads)))
    require(f"tasks={TASKS} " in printed, f"{program} made not {TASKS} tasks: {printed}")
    calls = {name: int(number) for number, name in re.findall(r"^ *(\d+) (\w+)$", listing.read_text(), re.M)}
    calls.pop("total", None)
    require("mmap" in calls, f"{listing}: not what strace of Debian 12 writes")
    return calls


def main():
    files = probes.Probes(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / "build").resolve())
    complaints = []
    for compiler in probes.COMPILERS:
        calls = count(files, compiler)
        each = sum(calls.values()) / TASKS
        most = sorted(calls.items(), key=lambda item: -item[1])[:4]
        print(f"{compiler}: {each:.5f} system calls a task (" + ", ".join(f"{name} {n}" for name, n in most) + ")")
        if each > MOST:
            complaints.append(f"{compiler}: more than {MOST} a task")
    return complaints


probes.run(main)
