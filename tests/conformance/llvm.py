#!/usr/bin/env python3
"""Runs the tests of LLVM's OpenMP runtime (source package of Debian, see sources.py) under a library, with lit and FileCheck:

  tests/conformance/llvm.py                               under our library, against the kept lists
  tests/conformance/llvm.py --library libomp              the real one, with the same flags and limits
  tests/conformance/llvm.py --list ompt               one list, or several
  tests/conformance/llvm.py --only 'ompt/*' --show

Three lists: `portable` tests name nothing that is LLVM's own, `ompt` ones check what a tool is told, `internal` ones call
kmp_* or __kmpc_* or set KMP_*. A listed test that does not pass is a failure.
Prints a line for each failure, the counts of each list, then `N passed, N failed`; exit status 1 if any failed."""
import argparse
import dataclasses
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import cases
import compiling
import executing
import kept
import libraries
import sources

TOOLS = pathlib.Path("/usr/lib/llvm-19")
HEADERS = TOOLS / "lib/clang/19/include"  # omp.h among others
INTERNAL = re.compile(r"\b_*kmpc?_|\bKMP_|\bLIBOMP_")
# lit's words for how a test ended. An expected failure fails, as the test says itself, under every library.
OUTCOMES = {"PASS": executing.PASS, "FLAKYPASS": executing.PASS, "XFAIL": executing.SKIPPED, "FAIL": executing.FAIL,
            "XPASS": executing.PASS, "UNRESOLVED": executing.FAIL, "TIMEOUT": executing.TIMEOUT,
            "UNSUPPORTED": executing.SKIPPED, "SKIPPED": executing.SKIPPED, "EXCLUDED": executing.SKIPPED}
# These sleep for two minutes and more on two CPUs, and test what others do that do not.
SLEEPERS = {"tasking/omp_task.c", "tasking/omp_task_final.c", "tasking/omp_taskwait.c", "tasking/omp_taskyield.c"}
LISTS = ["llvm-portable", "llvm-ompt", "llvm-internal"]


def list_of(name, test_folder):
    if name.startswith("ompt/"):
        return "llvm-ompt"
    return "llvm-internal" if INTERNAL.search((test_folder / name).read_text(errors="replace")) else "llvm-portable"


def name_of(library):
    return re.sub(r"\W", "_", str(library))


@dataclasses.dataclass
class Compiler:
    """Of C and of C++, and what lit's conditions may ask of it."""
    c: str
    cxx: str
    features: list[str]
    flags: str
    headers: str


def clang():
    return Compiler("clang-19", "clang++-19", ["clang", "clang-19", "clang-19.1", "clang-19.1.7"], "-fopenmp=libomp", str(HEADERS))


def site_config(test_folder, objects, library, compiler):
    """What cmake would make of lit.site.cfg.in."""
    values = {
        "test_c_compiler": compiler.c, "test_cxx_compiler": compiler.cxx,
        "test_compiler_features": compiler.features, "test_compiler_has_omp_h": True,
        "test_filecheck": str(TOOLS / "bin" / "FileCheck"), "test_not": str(TOOLS / "bin" / "not"),
        "test_openmp_flags": compiler.flags, "test_extra_flags": "", "libomp_obj_root": str(objects),
        "library_dir": str(library.folder), "omp_header_directory": compiler.headers,
        "operating_system": "Linux", "hwloc_library_dir": "", "using_hwloc": False, "has_ompt": True,
        "has_ompx_taskgraph": False, "has_libm": True, "has_libatomic": True, "is_standalone_build": True,
        "has_omit_frame_pointer_flag": True, "target_arch": "x86_64",
    }
    objects.mkdir(parents=True, exist_ok=True)
    (objects / "lit.site.cfg").write_text("".join(f"config.{name} = {value!r}\n" for name, value in values.items())
                                          + f"lit_config.load_config(config, {str(test_folder / 'lit.cfg')!r})\n")


def run_lit(options, objects, limit, jobs, names):
    """{test: (outcome, lit's word for it, output)}"""
    answer = objects / "results.json"
    answer.unlink(missing_ok=True)
    words = [str(options.lit), "-q", "--no-progress-bar", "--order=lexical", f"-j{jobs}", f"--timeout={round(limit)}",
             "--filter=^libomp :: (" + "|".join(re.escape(name) for name in names) + ")$", "-o", str(answer), str(objects)]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LIT_", "FILECHECK_")) and k != "LD_LIBRARY_PATH"}
    done = subprocess.run(words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not answer.exists():
        raise sources.Missing(f"lit left no results: exit status {done.returncode}\n{done.stdout[-2000:]}")
    found = {}
    for test in json.loads(answer.read_text())["tests"]:
        found[test["name"].partition(" :: ")[2]] = (OUTCOMES[test["code"]], test["code"], test["output"])
    return found


def reason(code, output):
    """The line of lit's report that says most: what is not served, what FileCheck missed, what the program said last."""
    unserved = re.search(r"einkorn: this program uses (.*), which", output)
    if unserved:
        return f"not served: {unserved[1]}"
    said = [line[4:].strip() for line in output.splitlines() if line.startswith("# | ") and line[4:].strip()]
    error = next((line for line in said if re.search(r"\b[Ee]rror\b", line)), said[-1] if said else "")
    status = re.search(r"error: command failed with (exit status: -?\d+)", output)
    return ": ".join(filter(None, [code, status and status[1], error]))[:200]


def classify(found, test_folder):
    """{list: [Result]}"""
    results = {name: [] for name in LISTS}
    for name, (outcome, code, output) in sorted(found.items()):
        why = "" if outcome == executing.PASS else reason(code, output)
        results[list_of(name, test_folder)].append(executing.Result(name, outcome, why, output))
    return results


def library_for_clang(options):
    """Linked as clang's users link, with LLVM's library, and run with the one under test in its place."""
    library = libraries.Library(options.library, options.build, "clang")
    library.folder = options.build / "conformance" / "libraries" / f"as-libomp-{name_of(options.library)}"
    library.folder.mkdir(parents=True, exist_ok=True)
    libraries.point(library.folder / "libomp.so", libraries.real_libomp(compiling.VERSIONS["clang"]))
    libraries.point(library.folder / "libomp.so.5", library.file)
    return library


def select(options, suffixes):
    """(folder of the tests, their names)"""
    test_folder = sources.llvm() / "runtime" / "test"
    for tool in [options.lit, TOOLS / "bin" / "FileCheck"]:
        if not tool.exists():
            raise sources.Missing(f"{tool} is missing: ./dev test installs it")
    tests = sorted(str(path.relative_to(test_folder)) for path in test_folder.rglob("*") if path.suffix in suffixes)
    if options.only:
        tests = [name for name in tests if any(fnmatch.fnmatch(name, pattern) for pattern in options.only)]
        if not tests:
            raise sources.Missing(f"no test matches {options.only}")
    return test_folder, tests


def run_tests(options, objects, names, may_repeat):
    """What run_lit() answers. A test that is late on a busy machine runs once more, alone, before it counts."""
    found = run_lit(options, objects, options.limit * executing.busy(), options.jobs, names)
    late = [name for name, (outcome, _, _) in found.items() if outcome == executing.TIMEOUT and may_repeat(name)]
    if late and not options.once:
        found.update(run_lit(options, objects, options.limit * executing.busy(), 1, late))
    unknown = set(found) - set(names)
    if unknown or not found:
        raise sources.Missing(f"lit ran {len(found)} tests, {len(unknown)} of them unknown")
    return found


def run_all(options):
    test_folder, tests = select(options, (".c", ".cpp"))
    library = library_for_clang(options)
    problem = library.problem(options.build / "conformance")
    if problem:
        raise sources.Missing(problem)
    names = [name for name in tests if list_of(name, test_folder) in options.lists]
    if options.quick:
        names = [name for name in names if name not in SLEEPERS]
    objects = options.build / "conformance" / "llvm" / name_of(options.library)
    shutil.rmtree(objects, ignore_errors=True)
    site_config(test_folder, objects, library, clang())
    return classify(run_tests(options, objects, names, lambda name: options.library != "ours"
                              or name in kept.passing(list_of(name, test_folder))), test_folder)


def add_common(p):
    """Arguments that tests/compiler/programs/libomp.py has, too."""
    p.add_argument("--build", type=pathlib.Path, default=cases.HERE.parent.parent / "build", help="build folder")
    p.add_argument("--lit", type=pathlib.Path, default=cases.HERE.parent.parent / "build" / "venv" / "bin" / "lit",  # made by ./dev
                   help="default that of build/venv")
    p.add_argument("--quick", action="store_true", help=f"without those that mostly sleep: {', '.join(sorted(SLEEPERS))}")
    p.add_argument("--only", action="append", metavar="GLOB", help="only these tests")
    p.add_argument("--limit", type=float, default=180,  # some sleep for 125 s on two CPUs
                   help="seconds a test; default 180, more while the machine is busy")
    p.add_argument("--jobs", type=int, default=2, help="tests at a time; default 2")
    p.add_argument("--once", action="store_true", help="do not repeat a test that ran out of time")
    p.add_argument("--show", action="store_true", help="print the output of each test that fails")


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default="ours", help="ours (default), libomp, or a folder with libomp.so and libomp.so.5")
    p.add_argument("--list", action="append", choices=[name[5:] for name in LISTS], help="only this one; default all")
    add_common(p)
    p.add_argument("--update", action="store_true", help="write the kept lists")
    p.add_argument("--json", type=pathlib.Path, metavar="FILE", help="every test's outcome, reason and output")
    options = p.parse_args()
    if options.quick and options.update:
        p.error("--update writes what all tests do, --quick leaves some out")
    options.lists = [name for name in LISTS if not options.list or name[5:] in options.list]
    return options


def main():
    options = parse_arguments()
    options.build = options.build.resolve()
    (options.build / "conformance").mkdir(parents=True, exist_ok=True)
    report = kept.Report(options.library, options.build, options.update, bool(options.only), options.json)
    start = time.monotonic()
    try:
        results = run_all(options)
    except sources.Missing as error:
        report.fail("llvm", str(error))
        return report.end()
    seconds = time.monotonic() - start
    for name in options.lists:
        if results[name] or not options.only:
            report.suite(name, results[name], seconds, options.show, SLEEPERS if options.quick else set())
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
