#!/usr/bin/env python3
"""Wrong copies of the compiler of codelets, and how many programs it takes to find each:

  mutants.py --build build wrong/einkorn-codelets ...              copies that are built wrong
  mutants.py --build build --variable NAME first,second,third      one that breaks a proof where a variable asks for it
  mutants.py --build build --variable NAME first --compiler-binary build-mutants/bin/einkorn-codelets

A line each: the copy, how many programs until the first that differs (5,000 at most), and what differs. Exit status 1: one was
not found. Differences that the right compiler has as well do not count: run.py has to find none in the same programs."""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def until_found(options, name, words):
    """(name, programs until the first that differs or None, what differs, programs in all)."""
    more = ["--mode", options.mode, "--kinds", options.kinds, "--compilers", options.compilers, "--levels", options.levels]
    command = [sys.executable, HERE / "run.py", "--build", options.build, "--seed", options.seed, "--programs", options.most, "--until-first", "-j",
               options.jobs, "--reasons", "0", *more, *words]
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    number = re.search(r"^the first that differs is number (\d+)$", done.stdout, re.MULTILINE)
    programs = re.search(r"^(\d+) programs, ", done.stdout, re.MULTILINE)
    if not programs:
        sys.exit(f"{name}: {done.stdout[-500:]}{done.stderr[-1000:]}")
    what = next((line for line in done.stdout.splitlines() if line.startswith(("wrong: ", "dead: ", "broken: "))), "")
    return name, int(number[1]) if number else None, what, int(programs[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("copies", nargs="+", help="paths of wrong copies; with --variable: its values, with commas or as words")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--variable", metavar="NAME", help="the environment variable by which one copy is told what to break")
    parser.add_argument("--compiler-binary", type=pathlib.Path, help="with --variable: another einkorn-codelets than the build folder's")
    parser.add_argument("--most", type=int, default=5000, help="programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mode", default="both")
    parser.add_argument("--kinds", default="wrong,dead", help="a copy that does not compile is found by every test: it does not count")
    parser.add_argument("--compilers", default="gcc")
    parser.add_argument("--levels", default="0,1,2")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="processes of one copy")
    parser.add_argument("--together", type=int, default=1, help="copies at a time")
    options = parser.parse_args()
    binary = ["--compiler-binary", options.compiler_binary] if options.compiler_binary else []
    if options.variable:
        values = [value for word in options.copies for value in word.split(",") if value]
        copies = [(value, [*binary, "--set", f"{options.variable}={value}"]) for value in values]
    else:
        copies = [(path, ["--compiler-binary", path]) for path in options.copies]
    missed = 0
    print("| wrong copy | programs until found | what differs |\n|---|---|---|", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.together) as pool:
        for name, number, what, programs in pool.map(lambda copy: until_found(options, *copy), copies):
            missed += number is None
            print(f"| {name} | {number if number is not None else f'not in {programs}'} | {what.split(': ', 1)[-1]} |", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
