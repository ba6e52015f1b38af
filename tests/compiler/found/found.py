#!/usr/bin/env python3
"""Programs of which the codelets were wrong once, as small as tests/csmith made them: found.py COMPILER --build BUILD. Each says the
same by einkorn cc as by the compiler alone, with 1, 2 and 4 threads, and nothing asks for a report. Where the first line begins
with "translated", all of its regions become codelets."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-O1", "-g", "-w", "-std=gnu11", "-fopenmp"]
WAYS = [{}, {"EINKORN_CODELETS": "threads"}, {"EINKORN_CODELETS": "alone"}, {"EINKORN_CODELETS": "off"}]


def clean(**more):
    return {**{k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "EINKORN_", "LD_", "GOMP_", "KMP_"))}, **more}


def said(path, **environment):
    try:
        done = subprocess.run([path], env=clean(**environment), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "still running after a minute"
    return done.stdout if done.returncode == 0 else f"status {done.returncode}: {done.stdout}{done.stderr}"


def check(source, options, folder):
    plain, codelets, wrong = folder / "plain", folder / "codelets", []
    done = subprocess.run([options.compiler, *FLAGS, source, "-o", plain], capture_output=True, text=True)
    if done.returncode != 0:
        return [f"{options.compiler}: {done.stderr[:300]}"]
    done = subprocess.run([options.build / "bin" / "einkorn", "cc", "--compiler", options.compiler, "--explain", *FLAGS, source, "-o", codelets], env=clean(),
                          capture_output=True, text=True)
    if done.returncode != 0:
        return [f"einkorn cc: {done.stderr[:300]}"]
    wrong += [line for line in done.stderr.splitlines() if "lease report it" in line]
    if source.read_text().startswith("/* translated"):
        wrong += [line for line in done.stderr.splitlines() if "region of" in line and "stays OpenMP" in line]
    for threads in "1", "2", "4":
        want = said(plain, OMP_NUM_THREADS=threads, OMP_WAIT_POLICY="passive", **({"LD_LIBRARY_PATH": "/usr/lib/llvm-19/lib"} if "clang" in options.compiler else {}))
        for way in WAYS:
            got = said(codelets, OMP_NUM_THREADS=threads, LD_LIBRARY_PATH=str(options.build / "lib"), **way)
            if got != want:
                wrong.append(f"{threads} threads {way}: {got!r}, not {want!r}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compiler")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--only", action="append", metavar="NAME")
    options = parser.parse_args()
    options.build = options.build.resolve()
    sources = [s for s in sorted(HERE.glob("*.c")) if not options.only or s.stem in options.only]
    failures = 0
    with tempfile.TemporaryDirectory(prefix="einkorn-found-") as name:
        for source in sources:
            for line in check(source, options, pathlib.Path(name)):
                print(f"{source.name}: {line}")
                failures += 1
    print(f"{len(sources)} programs by {options.compiler}, {failures} failures")
    return 1 if failures or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
