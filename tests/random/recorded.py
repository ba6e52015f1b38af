#!/usr/bin/env python3
"""Random programs, recorded: the recording is whole, and has as many tasks as the generator knows that there are.

  recorded.py --build build [--programs 40] [--seed 1]"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import compiling
import execute
import generate
import model


def counts(einkorn, path, numbers, leave, threads, folder):
    """The counts of a recording of these programs, or what went wrong."""
    recording = pathlib.Path(folder, f"{threads}.grain")
    words = ["--threads", str(threads), "--plain-end", "--leave", ",".join(map(str, leave)),
             *(["--only", str(numbers[0])] if len(numbers) == 1 else [])]
    done = subprocess.run([einkorn, "record", "--no-report", "-o", recording, "--", path, *words], text=True, timeout=300,
                          env=execute.clean({"OMP_WAIT_POLICY": "passive"}), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        return None, f"status {done.returncode}: {done.stdout.strip()[-500:]}"
    report = subprocess.run([einkorn, "report", recording, "--json"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            timeout=300)
    if report.returncode != 0:
        return None, f"the report: status {report.returncode}: {report.stderr.strip()[-500:]}"
    return json.loads(report.stdout), None


def check(einkorn, path, programs, threads, everybody, folder):
    """What is wrong, with the fewest programs that show it."""
    expected = sum(p.tasks[model.THREADS.index(threads)] for p in programs)
    numbers = [p.number for p in programs]
    report, problem = counts(einkorn, path, numbers, [n for n in everybody if n not in numbers], threads, folder)
    if not problem:
        facts = (report["tasks"], report["complete"], report["damaged_blocks"], report["lost_tasks"], report["lost_chunks"])
        if facts == (expected, True, 0, 0, 0):
            return []
        problem = f"{facts[0]} tasks instead of {expected}; complete {facts[1]}, damaged {facts[2]}, lost {facts[3]} and {facts[4]}"
    if len(programs) == 1:
        return [f"program {numbers[0]} with {threads} threads: {problem}"]
    half = len(programs) // 2
    found = [text for part in (programs[:half], programs[half:]) for text in check(einkorn, path, part, threads, everybody, folder)]
    return found or [f"programs {numbers[0]} to {numbers[-1]} with {threads} threads, and none of them alone: {problem}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    einkorn, failed, checked = options.build / "bin" / "einkorn", [], 0
    for first in range(0, options.programs, compiling.UNIT):
        last = min(first + compiling.UNIT, options.programs)
        made = generate.unit(options.seed, list(range(first, last)))[1]
        for compiler in compiling.COMPILERS:
            path, known = compiling.build(options.seed, first, last, compiler, options.build / "random")
            everybody = [int(n) for n in known["programs"]]
            programs = [p for p in made if p.tasks is not None and p.number in everybody]
            for threads in model.THREADS:
                with tempfile.TemporaryDirectory(prefix="einkorn-random-") as folder:
                    failed += [f"{compiler}: {text}" for text in check(einkorn, path, programs, threads, everybody, folder)]
                checked += len(programs)
    print("\n".join(failed))
    print(f"{checked} recorded runs of a program, {len(failed)} with other counts than the generator's")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
