#!/usr/bin/env python3
"""Both forms of programs/ as `einkorn cc` compiles them, codelets beside OpenMP's own (EINKORN_CODELETS=off), in turn: A B A B.

Each round has the threads' stacks at another place (stacks.c): where variables lie across two pages the same code takes up to a fifth
longer, and each form would have its own luck with that, the same in all runs.

Prints a table: for each program the time as codelets by that as OpenMP of the same round, by gcc and by clang: the median, with the
interval in which the median of such ratios lies with 95 %, and the medians of both in ms. Six rounds, and more until it is known whether
codelets take over 3 % longer; the exit status is 1 where they do.

  python3 bench/forms.py [--build build] [--threads 2] [--only programs/md ...]
"""
import argparse
import os
import pathlib
import statistics
import subprocess

import against
import field
import pairs
import tables
from runner import Failure, OURS, Runner, exit_with

LIMIT = 1.03  # by more than this codelets may not be slower
COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
# Beside those of field.py. A level of a small search is over sooner than a thread wakes; the last three have kinds of regions that no
# other has.
MORE = {
    "programs/bfs.10": "bfs --size 10 --version loop --roots 256",
    "programs/bfs.11": "bfs --size 11 --version loop --roots 256",
    "programs/bfs.12": "bfs --size 12 --version loop --roots 256",
    "programs/bfs.18": "bfs --size 18 --version loop --roots 2",
    "programs/jacobi.taskgraph": "jacobi --size 16 --block 16 --steps 400 --version taskgraph",
    "programs/loadbalance": "loadbalance",
    "programs/scf": "scf",
    "programs/purify": "purify",
}
PROGRAMS = {name: command for name, command in {**field.PROGRAMS, **MORE}.items() if "-untied" not in command}


def compile_all(names, compiler, build, folder):
    blas = sorted(pathlib.Path("/usr/lib").glob("*/openblas-pthread/libopenblas.so"))
    for name in sorted({PROGRAMS[n].split()[0] for n in names}):
        libraries = [str(blas[0]), f"-Wl,-rpath,{blas[0].parent}"] if name in ("cholesky", "qr") else []
        done = subprocess.run([build / "bin" / "einkorn", "cc", "--compiler", COMPILERS[compiler], "-std=gnu11", "-O2", "-g", "-fopenmp",
                               f"-I{tables.ROOT / 'include'}", tables.ROOT / "programs" / f"{name}.c", "-o", folder / f"{name}-{compiler}",
                               *libraries, "-lm"], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"{name} by {compiler}: {done.stderr}")


def stacks_at(round_number, build):
    """Somewhere in their first page, a multiple of 16: twenty rounds are all over it."""
    return {"LD_PRELOAD": str(build / "bench" / "libstacks.so"), "STACK_SHIFT": str(round_number * 159 % 256 * 16)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=PROGRAMS, metavar="NAME", help="this one only; may be repeated")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="default: one a CPU")
    parser.add_argument("--build", type=pathlib.Path, default=tables.ROOT / "build", help="build folder (default: build)")
    options = parser.parse_args()
    build, names = options.build.resolve(), options.only or list(PROGRAMS)
    runner = Runner(build, len(os.sched_getaffinity(0)))
    runner.field_programs = build / "bench" / "forms"
    runner.field_programs.mkdir(parents=True, exist_ok=True)
    if not (build / "bench" / "libstacks.so").exists():
        raise Failure(f"{build}/bench/libstacks.so is missing: ./dev bench builds it")
    for compiler in OURS.values():
        compile_all(names, compiler, build, runner.field_programs)

    slower = []
    print(f"| program, {options.threads} threads | gcc | clang |\n|---|---|---|")
    for name in names:
        cells = []
        for compiler in OURS.values():
            times = {True: [], False: []}

            def one_run(off):
                setting = {"EINKORN_CODELETS": "off" if off else "on", **stacks_at(len(times[off]), build)}
                times[off].append(runner.program(PROGRAMS[name], compiler, True, options.threads, setting))
                return times[off][-1]
            ratios = against.in_turn(one_run, LIMIT)
            if pairs.judged(ratios, LIMIT):
                slower.append(f"{name}, {compiler}")
            cells.append(f"{pairs.text(ratios)}; {statistics.median(times[False]) * 1e3:.3g} of {statistics.median(times[True]) * 1e3:.3g}")
        print(f"| `{PROGRAMS[name]}` | {' | '.join(cells)} |", flush=True)
    print(f"Slower than {LIMIT} with 95 % confidence: {'; '.join(slower) or 'none'}.")
    return 1 if slower else 0


if __name__ == "__main__":
    exit_with(main)
