#!/usr/bin/env python3
"""The three forms of a parallel loop (TPLoops, docs/codelets.md) beside what Einkorn chooses, for loops of 1 us to 10 ms.

  python3 bench/loop_forms.py [--build build] [--compiler gcc] [--threads 2] [--rounds 7] [--sizes 1,10,100,1000,10000]

Each round runs all forms in turn, A B C D A B C D, in processes of their own, as thresholds are read when a program starts. A line for
each size: the medians in us, and the choice by the quickest form of the same round, with the interval in which the median of such
ratios lies with 95 %. `procedures` are two, of half of the threads each; `choice of 3` is with EINKORN_TP_INSTANCES=2, `choice` without
procedures, as on machines of one cluster. The exit status is 1 where the choice is known to take over 5 % longer than the best."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

import pairs

LIMIT = 1.05
MOST = str(2**40)
FORMS = {
    "one": {"EINKORN_TPLOOP": f"{MOST},{MOST}"},
    "codelets": {"EINKORN_TPLOOP": f"0,{MOST}"},
    "procedures": {"EINKORN_TPLOOP": "0,0", "EINKORN_TP_INSTANCES": "2"},
    "choice": {},
    "choice of 3": {"EINKORN_TP_INSTANCES": "2"},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--compiler", choices=["gcc", "clang"], default="gcc")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sizes", type=lambda text: [float(n) for n in text.split(",")], default=[1, 10, 100, 1000, 10000])
    options = parser.parse_args()
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "EINKORN_", "GOMP_", "KMP_"))}
    clean |= {"LD_LIBRARY_PATH": str((options.build / "lib").resolve()), "OMP_NUM_THREADS": str(options.threads)}

    def us(form, iterations):
        done = subprocess.run([options.build / "bench" / f"loop_forms-{options.compiler}", str(iterations)], env=clean | FORMS[form],
                              capture_output=True, text=True, check=True)
        return float(done.stdout.split()[1]) / 1000

    iteration = min(us("one", 1000) for _ in range(7)) / 1000
    print(f"{options.threads} threads, {options.compiler}, {options.rounds} rounds; an iteration takes {iteration * 1000:.0f} ns")
    print(f"{'loop, us':>10}" + "".join(f"{form:>13}" for form in FORMS) + f"{'choice / best':>26}{'choice of 3 / best':>26}")
    slow = False
    for size in options.sizes:
        iterations = max(1, round(size / iteration))
        took = {form: [] for form in FORMS}
        for _ in range(options.rounds):
            for form in FORMS:
                took[form].append(us(form, iterations))
        line = f"{size:10g}" + "".join(f"{statistics.median(t):13.2f}" for t in took.values())
        # The best form is that of the smallest median: the least of three in each round would be luck.
        for choice, among in (("choice", ("one", "codelets")), ("choice of 3", ("one", "codelets", "procedures"))):
            best = min(among, key=lambda form: statistics.median(took[form]))
            ratios = [a / b for a, b in zip(took[choice], took[best])]
            slow |= pairs.judged(ratios, LIMIT) is True
            line += f"{pairs.text(ratios):>26}"
        print(line, flush=True)
    sys.exit(slow)


if __name__ == "__main__":
    main()
