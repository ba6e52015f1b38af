#!/usr/bin/env python3
"""Runs libgomp's own tests (Debian's package gcc-12-source) under a library:

  tests/conformance/libgomp.py                                  all suites under our library, against the kept lists
  tests/conformance/libgomp.py --suite c --library libgomp      the real one, with the same flags and limits
  tests/conformance/libgomp.py --suite c --library libomp       LLVM's in its place
  tests/conformance/libgomp.py --suite fortran --only '*task*' --show
  tests/conformance/libgomp.py --target aarch64 --build build-aarch64    by cross compilers, under qemu's user emulation
  tests/conformance/libgomp.py --gcc 16 --library libgomp       those of gcc 16, built by it (gcc-16-source)

A test of the list of passing tests that does not pass is a failure, one that passes and is not on it is reported.
Prints a line for each failure, the counts of each suite, then `N passed, N failed`; exit status 1 if any failed."""
import argparse
import concurrent.futures
import fnmatch
import pathlib
import sys
import time

import cases
import compiling
import executing
import kept
import libgomp_suites
import libraries
import sources


def run_suite(suite, options, folder):
    """[Result] of every test, in the suite's order."""
    tests, key = libgomp_suites.read(suite, options.build)
    if options.only:
        tests = [test for test in tests if any(fnmatch.fnmatch(test.name, f"*{pattern}") for pattern in options.only)]
    library = libraries.Library(options.library, options.build, suite.compiler, suite.version)
    problem = library.problem(folder)
    if problem:
        raise sources.Missing(problem)

    def one(test):
        return executing.one(test, folder / "libgomp", key, library, options.limit)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(one, tests))
    # On a busy machine a test may be late for no fault of its own: once more, alone, before it counts.
    expected = kept.passing(f"libgomp-{suite.name}") if options.library == "ours" else None
    for at, (test, result) in enumerate(zip(tests, results)):
        if result.outcome == executing.TIMEOUT and (expected is None or test.name in expected) and not options.once:
            results[at] = one(test)
    return results


def parse_arguments():
    here = cases.HERE.parent.parent
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--suite", action="append", metavar="NAME",
                   help=f"{', '.join(libgomp_suites.suites())}; default all but -O0")
    p.add_argument("--gcc", type=int, metavar="N", help=f"tests and compilers of gcc N; default {sources.GCC}")
    p.add_argument("--clang", type=int, metavar="N", help=f"the usual tests by clang N; default {compiling.VERSIONS['clang']}")
    p.add_argument("--library", default="ours", help="ours (default), libgomp, libomp, or a folder")
    p.add_argument("--build", type=pathlib.Path, default=here / "build", help="build folder")
    p.add_argument("--only", action="append", metavar="GLOB", help="only these tests")
    p.add_argument("--limit", type=float, default=60, help="seconds a test; default 60, more while the machine is busy")
    p.add_argument("--jobs", type=int, default=2, help="tests at a time; default 2")
    p.add_argument("--once", action="store_true", help="do not repeat a test that ran out of time")
    p.add_argument("--show", action="store_true", help="print the output of each test that fails")
    p.add_argument("--update", action="store_true", help="write the kept lists")
    p.add_argument("--json", type=pathlib.Path, metavar="FILE", help="every test's outcome, reason and output")
    p.add_argument("--target", metavar="ARCHITECTURE", help="build for another one (aarch64), and run under its emulator")
    p.add_argument("--sysroot", type=pathlib.Path, default=here / "build" / "sysroot-aarch64",
                   help="its libraries (dev.d/sysroot.sh); default build/sysroot-aarch64")
    return p.parse_args()


def main():
    options = parse_arguments()
    options.build = options.build.resolve()
    compiling.target, compiling.sysroot = options.target, options.sysroot.resolve()
    folder = options.build / "conformance"
    folder.mkdir(parents=True, exist_ok=True)
    known = libgomp_suites.of_compilers(options.gcc, options.clang)
    names = options.suite or [name for name in known if not name.endswith("-O0")]
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"libgomp.py: there is no suite {', '.join(unknown)}: {', '.join(known)}")
    report = kept.Report(options.library, options.build, options.update, bool(options.only), options.json)
    for name in names:
        start = time.monotonic()
        try:
            results = run_suite(known[name], options, folder)
        except (sources.Missing, libgomp_suites.dejagnu.BadDirective) as error:
            report.fail(name, str(error))
            continue
        report.later = not kept.version(f"libgomp-{known[name].name}") and sources.are_later(options.build)
        report.suite(f"libgomp-{known[name].name}", results, time.monotonic() - start, options.show)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
