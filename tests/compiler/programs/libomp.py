#!/usr/bin/env python3
"""The C tests of LLVM's OpenMP runtime (Debian's source package, see tests/conformance/sources.py) through `einkorn cc`, with lit:

  libomp.py --build build                      clang behind
  libomp.py --build build --compiler gcc       gcc behind: what it can compile, linked with our library in libgomp's place
  libomp.py --build build --only '*for*' --show

A test that passes on our library compiled by the compiler itself, and does not through `einkorn cc`, is a failure: those that do not
pass are run both ways. (Of which no region is translated, it is the same program.) libomp.txt has those that need not, with the
reason. Prints how many regions were translated, and why the
others were not."""
import argparse
import os
import pathlib
import shutil
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
import executing  # noqa: E402
import explained  # noqa: E402
import libraries  # noqa: E402
import llvm  # noqa: E402
import sources  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def gcc(folder):
    """With LLVM's omp.h, which declares what its tests call, and nothing else of clang's."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ["omp.h", "omp-tools.h", "ompt.h", "ompx.h"]:
        if (llvm.HEADERS / name).exists():
            libraries.point(folder / name, llvm.HEADERS / name)
    return llvm.Compiler("gcc-12", "g++-12", ["gcc", "gcc-12"], "-fopenmp", str(folder))


def library_for_gcc(options):
    """Linked with ours, too: it has what the tests call that libgomp has not."""
    library = libraries.Library("ours", options.build, "gcc")
    library.folder = options.build / "conformance" / "libraries" / "as-libgomp-ours"
    library.folder.mkdir(parents=True, exist_ok=True)
    for name in ["libgomp.so", "libgomp.so.1"]:
        libraries.point(library.folder / name, library.file)
    return library


def known(compiler):
    """{test: why it may not pass}"""
    lines = [line.split(None, 2) for line in (HERE / "libomp.txt").read_text().splitlines() if line and not line.startswith("#")]
    return {test: why for by, test, why in lines if by in (compiler, "both")}


def run_by(compiler, options, test_folder, library, objects, names):
    """{test: (outcome, lit's word for it, output)}"""
    shutil.rmtree(objects, ignore_errors=True)
    llvm.site_config(test_folder, objects, library, compiler)
    return llvm.run_tests(options, objects, names, lambda name: True)


def through(compiler, options):
    return llvm.dataclasses.replace(compiler, c=f"{options.build / 'bin' / 'einkorn'} cc --explain --compiler {compiler.c}")


def run_all(options):
    """(what became of the tests through `einkorn cc`, the same compiled as usual of those that did not pass)"""
    test_folder, names = llvm.select(options, (".c",))
    if options.quick:
        names = [name for name in names if name not in llvm.SLEEPERS]
    compiler = llvm.clang() if options.compiler == "clang" else gcc(options.build / "conformance" / "headers-for-gcc")
    library = llvm.library_for_clang(options) if options.compiler == "clang" else library_for_gcc(options)
    problem = library.problem(options.build / "conformance")
    if problem:
        raise sources.Missing(problem)
    objects = options.build / "compiler-suites" / f"libomp-{options.compiler}"
    ours = run_by(through(compiler, options), options, test_folder, library, objects / "codelets", names)
    failed = [name for name, (outcome, _, _) in ours.items() if outcome in (executing.FAIL, executing.TIMEOUT)]
    usual = run_by(compiler, options, test_folder, library, objects / "usual", failed) if failed else {}
    return ours, usual


def judge(ours, usual, options):
    """The failures, as (test, what is wrong)."""
    failures, may = [], known(options.compiler)
    for name, (outcome, code, output) in sorted(ours.items()):
        said = explained.read(said_of(output))
        unable = [line for line in said.unable if "stays OpenMP's" not in line]
        lost = said.translated > 0 and name in usual and usual[name][0] == executing.PASS
        if unable:
            failures.append((name, unable[0]))
        elif lost and name not in may:
            failures.append((name, llvm.reason(code, output) + (f"\n{output}" if options.show else "")))
        elif name in may and not lost:
            failures.append((name, "libomp.txt says that it does not pass, but it does"))
    return failures


def said_of(output):
    """What commands wrote, out of lit's report."""
    return "\n".join(line.removeprefix("# | ") for line in output.splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", choices=["clang", "gcc"], default="clang")
    llvm.add_common(parser)
    options = parser.parse_args()
    options.build, options.library = options.build.resolve(), "ours"
    begin = time.monotonic()
    os.environ = {k: v for k, v in os.environ.items() if k != "EINKORN_HOME"}
    (options.build / "conformance").mkdir(parents=True, exist_ok=True)
    try:
        ours, usual = run_all(options)
    except sources.Missing as missing:
        sys.exit(str(missing))
    said = [explained.read(said_of(output)) for _, _, output in ours.values()]
    translated = explained.show(said)
    failures = judge(ours, usual, options)
    for name, why in failures:
        print(f"{name}: {why}")
    passed = sum(outcome == executing.PASS for outcome, _, _ in ours.values())
    print(f"{len(ours)} tests by {options.compiler}, {sum(one.translated > 0 for one in said)} with codelets: {passed} pass, "
          f"{passed + sum(outcome == executing.PASS for outcome, _, _ in usual.values())} without einkorn cc; {len(failures)} failed, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if failures or not translated else 0


if __name__ == "__main__":
    sys.exit(main())
