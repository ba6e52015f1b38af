#!/usr/bin/env python3
"""Every program of programs/ through `einkorn cc`, gcc and clang behind: both forms of its regions give the right result.

  run.py --build build                         what ./dev test runs
  run.py --build build --only bfs --compilers gcc --threads 1,2,4,8,16
  run.py --build build --target complexes      regions as complexes; also where their codelets lie on locales

Codelets and OpenMP's form (EINKORN_CODELETS=off) run on Einkorn's library; on the compiler's own library the same binary has to
take OpenMP's form. Programs check their own results. What the compilers say of them has to be nothing, as without us. Printed:
how many regions were translated, and why the others were not. regions.txt has those that are translated: a region that is on
it and is not translated is a failure (--update writes it)."""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CASES = ROOT / "tests" / "conformance" / "programs.txt"
COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
PEERS = {"gcc": None, "clang": "/usr/lib/llvm-19/lib"}
FLAGS = ["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-fopenmp", f"-I{ROOT / 'include'}"]
BLAS = {"cholesky", "qr"}
REGION = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+): region of (?P<function>[^:]+): (?P<what>translated.*|stays OpenMP's: (?P<why>.*))$")
TASK = re.compile(r"[^:\n]+:\d+: (tasks? of|function|codelet) ")  # what became of what a region calls, and of marks


def cases():
    """[(program, arguments)]"""
    lines = [line.split() for line in CASES.read_text().splitlines() if line and not line.startswith("#")]
    return [(name.split(".")[0], words) for name, *words in lines]


def clean(more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "EINKORN_", "LD_", "GOMP_", "KMP_"))}
    return {**kept, "OPENBLAS_NUM_THREADS": "1", **more}


def build(options, program, compiler, folder):
    """(path, what --explain said, what the compiler said)"""
    source, output = program.removesuffix("-untied"), folder / f"{program}-{compiler}"
    more = ["-DUNTIED=untied"] if program.endswith("-untied") else []
    libraries = ["-lm"]
    if source in BLAS:
        libraries = ["-L/usr/lib/x86_64-linux-gnu/openblas-pthread", "-Wl,-rpath,/usr/lib/x86_64-linux-gnu/openblas-pthread", "-lopenblas", "-lm"]
    words = [options.build / "bin" / "einkorn", "cc", "--compiler", COMPILERS[compiler], "--target", options.target, "--explain", *FLAGS, *more, f"{source}.c", "-o",
             output, *libraries]
    done = subprocess.run(list(map(str, words)), cwd=ROOT / "programs", env=clean({}), capture_output=True, text=True)
    told = [line for line in done.stderr.splitlines() if REGION.match(line) or TASK.match(line) or line.startswith("translated ")]
    said = [line for line in done.stderr.splitlines() if line not in told]
    if done.returncode != 0:
        return None, told, said or ["the compiler failed"]
    return output, told, said


def runs(options, compiler, first):
    """(what, environment); the extreme numbers of threads with the first case of a program alone."""
    ours = {"LD_LIBRARY_PATH": str(options.build / "lib")}
    for threads in options.threads if first else options.threads[1:3]:
        yield f"codelets, {threads} threads", {**ours, "OMP_NUM_THREADS": str(threads)}
    if options.target == "complexes":
        yield "codelets on locales", {**ours, "EINKORN_SCHEDULE": "swarm,amm=2x2", "EINKORN_MACHINE": "numa:2 core:2"}
    for threads in options.threads[1:2]:
        yield f"EINKORN_CODELETS=off, {threads} threads", {**ours, "OMP_NUM_THREADS": str(threads), "EINKORN_CODELETS": "off"}
        peer = {"LD_LIBRARY_PATH": PEERS[compiler]} if PEERS[compiler] else {}
        yield f"the compiler's own library, {threads} threads", {**peer, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}


def run(program, arguments, environment):
    """What is wrong, or None."""
    try:
        done = subprocess.run([program, *arguments], env=clean(environment), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120)
    except subprocess.TimeoutExpired:
        return "still running after two minutes"
    if done.returncode != 0 or "check=ok" not in done.stdout:
        return f"exit status {done.returncode}: {(done.stdout + done.stderr).strip()[-300:]}"
    return None


class Regions:
    """What became of each region, over all programs."""

    def __init__(self):
        self.translated, self.left = [], []

    def read(self, program, told):
        for match in filter(None, map(REGION.match, told)):
            if match["why"]:
                self.left.append((re.sub(r" \([^()]*:\d+\)", "", match["why"]), f"{match['file']}:{match['line']}"))
            else:
                self.translated.append(f"{program} {match['function']}")

    def print(self):
        print(f"regions: {len(self.translated)} of {len(self.translated) + len(self.left)} translated")
        reasons = collections.defaultdict(list)
        for why, where in self.left:
            reasons[why].append(where)
        for why, where in sorted(reasons.items(), key=lambda one: -len(one[1])):
            print(f"  {len(where):3} stays OpenMP's: {why} ({', '.join(where[:3])}{', ...' if len(where) > 3 else ''})")

    def missing(self):
        kept = collections.Counter(l for l in (HERE / "regions.txt").read_text().splitlines() if not l.startswith("#"))
        return sorted((kept - collections.Counter(self.translated)).elements())

    def update(self):
        text = "# Regions of programs/ that are translated: PROGRAM FUNCTION. Written by run.py --update.\n"
        (HERE / "regions.txt").write_text(text + "".join(f"{line}\n" for line in sorted(self.translated)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--compilers", type=lambda t: t.split(","), default=list(COMPILERS))
    parser.add_argument("--threads", type=lambda t: [int(n) for n in t.split(",")], default=[1, 2, 4, 16])
    parser.add_argument("--target", choices=["tp", "complexes"], default="tp")
    parser.add_argument("--only", action="append", metavar="PROGRAM")
    parser.add_argument("--update", action="store_true", help="write regions.txt")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    options.build = options.build.resolve()
    begin, failures, regions, count = time.monotonic(), [], Regions(), 0
    wanted = [(p, a) for p, a in cases() if not options.only or p in options.only]
    if not wanted:
        sys.exit(f"{CASES} has no such program")
    folder = options.build / ("compiler-programs" if options.target == "tp" else f"compiler-programs-{options.target}")
    folder.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        names = [(p, c) for c in options.compilers for p in dict.fromkeys(p for p, _ in wanted)]
        built = dict(zip(names, pool.map(lambda one: build(options, *one, folder), names)))
        for (program, compiler), (path, told, said) in built.items():
            if said:
                failures.append(f"{program} by {compiler}: {' / '.join(said[:6])}")
            if compiler == options.compilers[0]:  # the same for both
                regions.read(program, told)
        jobs = [(f"{program}-{compiler} {' '.join(arguments)}: {what}", pool.submit(run, path, arguments, environment))
                for (program, compiler), (path, _, _) in built.items() if path
                for number, arguments in enumerate(a for p, a in wanted if p == program)
                for what, environment in runs(options, compiler, number == 0)]
        for what, job in jobs:
            count += 1
            if problem := job.result():
                failures.append(f"{what}: {problem}")
    regions.print()
    if options.update and not options.only:
        regions.update()
    elif not options.only:
        failures += [f"a region of {line} is no longer translated (see regions.txt)" for line in regions.missing()]
    for failure in failures:
        print(failure)
    print(f"{count} runs of {len(built)} executables, {len(failures)} failed, {time.monotonic() - begin:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
