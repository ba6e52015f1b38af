#!/usr/bin/env python3
"""libgomp's own C tests (Debian's package gcc-12-source) through `einkorn cc`:

  libgomp.py --build build                     gcc behind; what ./dev test runs
  libgomp.py --build build --suite clang-c     clang behind
  libgomp.py --build build --target complexes
  libgomp.py --build build --only '*for-*' --show

Every test that passes under our library when it is compiled as usual has to pass. Those of which no region is translated are the
same program and not run again. Prints how many regions were translated, and why the others were not."""
import argparse
import concurrent.futures
import dataclasses
import fnmatch
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
import explained  # noqa: E402
import executing  # noqa: E402
import kept  # noqa: E402
import libgomp_suites  # noqa: E402
import libraries  # noqa: E402
import sources  # noqa: E402

# Tests that rely on what no OpenMP promises.
WRONG = {"libgomp.c/pr80809-1.c": "its tasks read a shared counter, which goes on meanwhile; gcc takes a copy where nobody has its address"}


@dataclasses.dataclass
class Outcome:
    test: str
    said: explained.Explained
    problem: str | None = None
    ran: bool = False


def one(test, options, library, folder):
    """Compiles it, and runs it where a region was translated."""
    place = folder / test.name.replace("/", "_")
    place.mkdir(parents=True, exist_ok=True)
    tool = [str(options.build / "bin" / "einkorn"), "cc", "--explain", "--target", options.target, "--compiler", test.command[0]]
    done = subprocess.run([*tool, *test.command[1:], "-o", "program"], cwd=place, stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, errors="replace", timeout=600)
    found = Outcome(test.name, explained.read(done.stdout))
    unable = [line for line in found.said.unable if "stays OpenMP's" not in line]
    if done.returncode != 0 or unable:
        found.problem = (unable or done.stdout.strip().splitlines()[-5:] or ["the compiler failed"])[0]
    elif found.said.translated:
        result = executing.execute(test, place / "program", library, options.limit * test.directives.time_factor * executing.busy())
        found.ran = True
        if result.outcome != executing.PASS:
            found.problem = f"{result.outcome}: {result.reason}" + (f"\n{result.output}" if options.show else "")
    if (place / "program").exists():
        (place / "program").unlink()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--suite", choices=["c", "clang-c"], default="c")
    parser.add_argument("--target", choices=["tp", "complexes"], default="tp")
    parser.add_argument("--only", action="append", metavar="GLOB")
    parser.add_argument("--limit", type=float, default=60, help="seconds a test")
    parser.add_argument("--show", action="store_true", help="print the output of each test that fails")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    options.build = options.build.resolve()
    begin = time.monotonic()
    os.environ = {k: v for k, v in os.environ.items() if k != "EINKORN_HOME"}
    folder = options.build / "compiler-suites" / (options.suite if options.target == "tp" else f"{options.suite}-{options.target}")
    suite = libgomp_suites.suites()[options.suite]
    library = libraries.Library("ours", options.build, suite.compiler)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        problem = library.problem(folder)
        tests, _ = libgomp_suites.read(suite, options.build)
    except sources.Missing as missing:
        sys.exit(str(missing))
    if problem:
        sys.exit(problem)
    passing = kept.passing(f"libgomp-{options.suite}")
    tests = [test for test in tests if test.name in passing and test.name not in WRONG and not test.skip
             and (not options.only or any(fnmatch.fnmatch(test.name, f"*{glob}") for glob in options.only))]
    if not tests:
        sys.exit("no such tests")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda test: one(test, options, library, folder), tests))
    # On a busy machine a test may be late for no fault of its own: once more, alone, before it counts.
    for at, found in enumerate(outcomes):
        if found.problem and found.problem.startswith(executing.TIMEOUT):
            outcomes[at] = one(tests[at], options, library, folder)
    translated = explained.show([found.said for found in outcomes])
    failed = [found for found in outcomes if found.problem]
    for found in failed:
        print(f"{found.test}: {found.problem}")
    print(f"{len(outcomes)} tests, {sum(found.ran for found in outcomes)} with codelets, {len(failed)} failed, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if failed or not translated else 0


if __name__ == "__main__":
    sys.exit(main())
