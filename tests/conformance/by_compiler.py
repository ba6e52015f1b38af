#!/usr/bin/env python3
"""libgomp's tests by other compilers of this machine than the usual ones, under our library:

  tests/conformance/by_compiler.py gcc-14 clang-23    against the kept counts: not fewer than the compiler's own library passes
  tests/conformance/by_compiler.py --update gcc-16    measures both libraries, and writes lists and table of docs/conformance.md

A gcc is given the tests of its own libgomp (the package gcc-N-source), in C, C++ and Fortran; clang those of gcc 12, in C."""
import argparse
import pathlib
import subprocess
import sys

import cases
import compiling


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("compilers", nargs="+", metavar="COMPILER", help="gcc-N or clang-N")
    p.add_argument("--build", type=pathlib.Path, default=cases.HERE.parent.parent / "build", help="build folder")
    p.add_argument("--update", action="store_true", help="write the lists and the page")
    options = p.parse_args()
    status = 0
    for compiler in options.compilers:
        family, number = compiling.family(compiler), compiling.version(compiler)
        command = [sys.executable, cases.HERE / "libgomp.py", f"--{family}", str(number), "--build", options.build]
        if options.update:
            own = {"gcc": "libgomp", "clang": "libomp"}[family]
            subprocess.run([*command, "--library", own, "--update"])  # what fails there is what is measured
        status |= subprocess.run([*command, *(["--update"] if options.update else [])]).returncode
    if options.update:
        status |= subprocess.run([sys.executable, cases.HERE / "table.py", "--write"]).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
