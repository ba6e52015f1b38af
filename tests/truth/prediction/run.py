#!/usr/bin/env python3
"""Programs that nothing was fitted to, by both compilers, with one thread and with two: what needs no times, on any machine, however busy.

    python3 tests/truth/prediction/run.py BUILD

Both recordings have the grains, regions and locks that follow from the program's construction, and both runs compute the same. If a recording's
times are valid it is predicted from, otherwise it may be refused for that reason. No prediction is below the time that one lock is held, nor, but
for a small tolerance, below half of the work. The accuracy of predictions is tested with recordings that are kept (tests/kept), and measured by
bench/predictions.py and bench/changed.py.
"""
import json
import sys
import tempfile

from prediction import COMPILERS, Einkorn, Prediction

# Program -> tasks, chunks, regions, and how often a lock is taken, or an ordered section entered; None: depends on team
# and compiler.
PROGRAMS = {
    "irregular_tasks": (1866, 0, 1, 0), "memory_bound": (0, None, 80, 0), "pipeline": (3600, 0, 1, 0), "ordered": (0, 2500, 1, 2500),
    "lock_heavy": (0, 4000, 1, 4000), "critical_loop": (0, None, 1, 40000), "uneven_dynamic": (0, 250, 1, 0),
    "serial_and_guided": (0, None, 10, 0),
}


def check(e, name, compiler):
    app = e.compile(name, compiler)
    printed = set()
    for threads in (1, 2) if compiler == "gcc" else (2,):  # clang's differ only in their code
        file = e.folder / f"{app.name}.{threads}.grain"
        done = e.run("record", "--no-report", "-o", file, "--", app, threads=threads)
        e.check(done.returncode == 0, f"{file.name} is recorded {done.stderr if done.returncode else ''}")
        printed.add(done.stdout)
        report = e.report(file)
        found = (report["tasks"], report["chunks"], report["regions"], sum(lock["acquired"] for lock in report["locks"]))
        e.check(all(truth is None or truth == seen for truth, seen in zip(PROGRAMS[name], found)), f"{file.name}: {found}")
        e.check(report["threads"] == threads and report["complete"], f"{file.name}: threads of its own, whole")
        there = e.run("simulate", file, "--machine", "core:2", "--threads", 3 - threads, "--json")
        if there.returncode:
            e.check(not report["times_valid"] and "not valid" in there.stderr, f"{file.name}: refused, as its times are not valid")
            continue
        p = Prediction(json.loads(there.stdout))
        work = report["thread_time"]["work"]
        e.check(p.within[0] <= p.ends[0] <= p.ends[1] <= p.within[1] and p.ends[0] >= p.hold * (1 - 1e-6)
                and p.best >= 0.9 * work / 2, f"{file.name}: between bounds")
    e.check(len(printed) == 1, f"{app.name}: the same result with one thread and with two")


def main():
    with tempfile.TemporaryDirectory() as folder:
        e = Einkorn(sys.argv[1], folder)
        for name in PROGRAMS:
            for compiler in COMPILERS:
                check(e, name, compiler)
    sys.exit(f"{len(e.failed)} failed" if e.failed else 0)


if __name__ == "__main__":
    main()
