#!/usr/bin/env python3
"""include/ompx_locality.h: programs built with it need no further library, and run on any OpenMP runtime.

  tests/conformance/locality.py --build BUILD

Builds locality/uses.c as C and C++, with both compilers and every way of linking; runs each as it was built (libgomp or
libomp: what the header says happens "elsewhere"), and where it is not static on Einkorn's library, which it must find."""
import argparse
import os
import pathlib
import subprocess
import sys

import compiling
import libraries

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "locality" / "uses.c"
INCLUDE = f"-I{HERE.parent.parent / 'include'}"
STRICT = ["-Wall", "-Wextra", "-Werror", "-fopenmp"]
CLANG_LIBGOMP = ["-fopenmp=libgomp"]  # there is no static libomp
LINKS = {  # how: flags of gcc, flags of clang
    "pie": (["-pie", "-fPIE"], ["-pie", "-fPIE"]),
    "no-pie": (["-no-pie", "-fno-pic"], ["-no-pie", "-fno-pic"]),
    "static": (["-static"], ["-static", *CLANG_LIBGOMP]),
    "static-pie": (["-static-pie", "-fPIE"], ["-static-pie", "-fPIE", *CLANG_LIBGOMP]),
}


def commands():
    """name -> (compiler, command without -o)"""
    found = {}
    for how, (gcc, clang) in LINKS.items():
        for level in ("-O0", "-O2"):
            found[f"gcc.{how}{level}"] = ("gcc", ["gcc", "-std=gnu99", *STRICT, "-pedantic", level, *gcc, INCLUDE, str(SOURCE)])
            found[f"clang.{how}{level}"] = ("clang", ["clang-19", "-std=gnu11", *STRICT, level, *clang, INCLUDE, str(SOURCE)])
    found["g++.pie"] = ("gcc", ["g++", "-std=c++98", *STRICT, INCLUDE, "-x", "c++", str(SOURCE)])
    found["clang++.pie"] = ("clang", ["clang++-19", "-std=c++20", *STRICT, INCLUDE, "-x", "c++", str(SOURCE)])
    return found


def run(words, environment):
    done = subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env=environment, timeout=120)
    return done.returncode, done.stdout.strip()


def fortran(folder, environment):
    (folder / "entries.c").write_text("#define OMPX_FORTRAN\n#include <ompx_locality.h>\n")
    program = folder / "fortran"
    for words in (["gcc", "-Wall", "-Wextra", "-Werror", "-c", INCLUDE, folder / "entries.c", "-o", folder / "entries.o"],
                  ["gfortran", "-fopenmp", "-J", folder, HERE / "locality" / "fortran.f90", folder / "entries.o", "-o", program],
                  [program]):
        status, said = run(words, environment)
        if status != 0:
            return f"{' '.join(map(str, words))}: status {status}\n{said}"
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", type=pathlib.Path, default=HERE.parent.parent / "build")
    options = p.parse_args()
    build = options.build.resolve()
    folder = build / "conformance" / "locality"
    folder.mkdir(parents=True, exist_ok=True)
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "EINKORN_", "LD_"))}
    ours = {**plain, "LD_LIBRARY_PATH": str(build / "lib")}
    theirs = {"gcc": plain, "clang": {**plain, "LD_LIBRARY_PATH": str(libraries.real_libomp(compiling.VERSIONS["clang"]).parent)}}
    passed, failures = 0, []

    def check(name, words, environment):
        nonlocal passed
        try:
            status, said = run(words, environment)
        except FileNotFoundError:
            failures.append(f"{name}: {words[0]} is not installed (./dev test installs what the tests need)")
            return False
        if status == 0:
            passed += 1
        else:
            failures.append(f"{name}: {' '.join(map(str, words))}: status {status}\n{said}")
        return status == 0

    if not (build / "lib" / "libgomp.so.1").exists():
        failures.append(f"{build}/lib/libgomp.so.1 does not exist: ninja -C build einkorn_runtime")
    for name, (compiler, command) in commands().items():
        program = folder / name
        if not check(f"{name}: built", [*command, "-o", program], plain):
            continue
        check(f"{name}: elsewhere", [program, "elsewhere"], theirs[compiler])
        if "static" not in name:
            check(f"{name}: on Einkorn", [program, "einkorn"], ours)
            check(f"{name}: on Einkorn, as another machine", [program, "einkorn"], {**ours, "EINKORN_MACHINE": "numa:4 core:2"})
    for name, environment in (("elsewhere", plain), ("on Einkorn", ours)):
        problem = fortran(folder, environment)
        if problem:
            failures.append(f"fortran, {name}: {problem}")
        else:
            passed += 1
    for failure in failures:
        print(failure)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
