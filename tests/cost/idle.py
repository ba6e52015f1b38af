"""A team of 64 threads with nothing to do uses under 1 % of a core: idle.py [BUILD]"""
import concurrent.futures
import pathlib
import sys

import probes
from probes import HERE

MILLISECONDS = 2000
MOST = 0.01  # of a core
# Threads that got no CPU within half a second to go to sleep count as if they idled; who polls does in every try.
TRIES = 3
CASES = ["outside", "barrier", "taskwait"]



def spent_by(files, program, case):
    """The least of a few tries: a busy machine only adds."""
    least = float("inf")
    for _ in range(TRIES):
        least = min(least, float(probes.execute([program, case, MILLISECONDS], files.environment())))
        if least <= MOST * MILLISECONDS:
            break
    return least


def main():
    files = probes.Probes(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / "build").resolve())
    programs = files.for_each_compiler(lambda compiler: files.build(HERE / "idle.c", compiler))
    runs = [(compiler, case) for compiler in programs for case in CASES]
    with concurrent.futures.ThreadPoolExecutor(len(runs)) as pool:  # they sleep
        found = list(pool.map(lambda run: spent_by(files, programs[run[0]], run[1]), runs))
    complaints = []
    for (compiler, case), spent in zip(runs, found):
        print(f"{compiler} {case}: {spent:.1f} ms of CPU time in {MILLISECONDS} ms")
        if spent > MOST * MILLISECONDS:
            complaints.append(f"{compiler} {case}: that is more than {MOST:.0%} of a core")
    return complaints


probes.run(main)
