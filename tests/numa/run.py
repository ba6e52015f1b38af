#!/usr/bin/env python3
"""OpenMP programs on an emulated machine (emulator.py). On one with four memory nodes: where do pages and threads really go?

  tests/numa/run.py --build BUILD [--machine NAME] [--programs FOLDER] [--only PATTERN] [--show] [--repeat N] [--limit SECONDS]
  tests/numa/run.py --build BUILD --machine large --constructs 64 --limit 3000 ...          conformance on 64 CPUs in eight nodes
  tests/numa/run.py --build BUILD --machine large --from-ctest '^stress' ...                what ctest runs, by names, there
  tests/numa/run.py --build build-aarch64 --target aarch64 ...                              a machine of 64-bit Arm, with what is built for it

Builds programs/*.c (and .cpp, .f90; or those of another folder) with both compilers as a user would, boots the machine once, runs every case in it and
prints a line for each that failed, then `N passed, N failed`. A program's comments say how it is run:

  // run NAME: VARIABLE=VALUE ... -- ARGUMENT ...     one case each; without any, there is one, `plain`
  // compilers: gcc                                   instead of both
  // link: -lhwloc                                    further words for the compiler
  // seconds: 20                                      its limit inside the machine

With four memory nodes programs of build/programs go with it as well: see CASES in this file."""
import argparse
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import architecture
import emulator
import from_ctest
import initramfs
import kernel

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))
import cases as conformance  # noqa: E402
import compiling  # noqa: E402

LANGUAGES = {".c": "c", ".cpp": "c++", ".f90": "fortran"}
LIBRARIES = "/einkorn"  # where ours is in there
OURS = ["libgomp.so.1", "libomp.so.5"]
HWLOC = "libhwloc.so.15"  # opened by the runtime, not linked
SEPARATOR = "\x1f"  # of settings, in init.c's list
SECONDS = 240  # of a case, inside; the computer outside may be busy
CONSTRUCT_SECONDS = 600  # with 64 threads in turn on one CPU
STRESS_SECONDS = 10  # there, too, where a round takes longer
# Programs that are built anyway: NAME -> (path under the build folder, settings, arguments).
STRICT = ["EINKORN_SCHEDULE=domains-strict", "OMP_PLACES=cores", "OMP_PROC_BIND=close"]
CASES = {
    "page_map": ("bin/numa_page_map", [], []),
    "page_moves": ("bin/numa_page_moves", [], []),
    "health": ("programs/health-gcc", STRICT, "--size 4 --steps 10 --placement domains".split()),
    "heat": ("programs/heat-clang", STRICT, "--size 256 --bands 16 --steps 5 --placement domains".split()),
}


def built_anyway(target):
    """Programs of programs/ are built for this machine only."""
    return {name: case for name, case in CASES.items() if not target or case[0].startswith("bin/")}


class Case:
    def __init__(self, name, program, settings, arguments, seconds, bare=False):
        """BARE: it gets no other settings."""
        self.name, self.program, self.settings, self.arguments, self.seconds, self.bare = name, program, settings, arguments, seconds, bare

    def line(self, machine):
        if self.bare:
            return self.words(["PATH=/bin"])
        distances = ",".join(str(d) for row in emulator.DISTANCES for d in row)
        fixed = [f"LD_LIBRARY_PATH={LIBRARIES}"]
        if machine != "counted":
            fixed += ["OMP_WAIT_POLICY=passive"]
        if machine == "numa":
            fixed += [f"NUMA_DISTANCES={distances}"]
        return self.words(fixed)

    def words(self, fixed):
        return "\t".join([self.name, str(self.seconds), SEPARATOR.join(fixed + self.settings), self.program, *self.arguments]) + "\n"


def directives(path):
    runs, compilers, link, seconds = {}, ["gcc", "clang"], [], SECONDS
    for line in path.read_text().splitlines():
        match = re.match(r"\s*(?://|!)\s*(run (\w+)|compilers|link|seconds):\s*(.*)$", line)
        if not match:
            continue
        if match.group(2):
            settings, _, arguments = match.group(3).partition("--")
            runs[match.group(2)] = (settings.split(), arguments.split())
        elif match.group(1) == "compilers":
            compilers = match.group(3).split()
        elif match.group(1) == "link":
            link = match.group(3).split()
        else:
            seconds = float(match.group(3))
    return runs or {"plain": ([], [])}, compilers, link, seconds


def compile_program(path, compiler, link, output):
    command = [*compiling.driver(compiler, LANGUAGES[path.suffix]), "-O1", "-g", "-fopenmp", "-D_GNU_SOURCE", "-Wall", "-Wextra",
               f"-I{HERE.parent.parent / 'include'}", str(path), "-o", str(output), *link]
    inputs = [path, *path.parent.glob("*.h"), *(HERE.parent.parent / "include").glob("*.h"), HERE / "run.py"]
    if output.exists() and all(p.stat().st_mtime_ns < output.stat().st_mtime_ns for p in inputs):
        return None
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except FileNotFoundError:
        return f"{command[0]} is not installed (./dev test installs what the tests need)"
    return None if done.returncode == 0 else " ".join(command) + "\n" + done.stdout


def make_init(output):
    done = subprocess.run([*compiling.driver("gcc", "c"), "-O1", "-static", "-Wall", "-Wextra", str(HERE / "init.c"), "-o", str(output)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise initramfs.Broken(f"init.c does not build:\n{done.stdout}")


def collect(build, folder, programs, built, only, tree):
    """Builds what is asked for and puts it into the tree. Returns the cases and what could not be built."""
    cases, failures = [], []
    for path in sorted(p for p in programs.iterdir() if p.suffix in LANGUAGES):
        runs, compilers, link, seconds = directives(path)
        for compiler in compilers:
            names = {run: f"{path.stem}.{run}.{compiler}" for run in runs}
            wanted = [run for run in runs if fnmatch.fnmatch(names[run], only)]
            if not wanted:
                continue
            output = folder / f"{path.stem}-{compiler}"
            problem = compile_program(path, compiler, link, output)
            if problem:
                failures.append(f"{path.stem}.{compiler}: {problem}")
                continue
            inside = f"/bin/{output.name}"
            tree.add_with_libraries(inside, output, without=OURS)
            cases += [Case(names[run], inside, *runs[run], seconds) for run in wanted]
    for name, (path, settings, arguments) in sorted(built.items()):
        if not fnmatch.fnmatch(name, only):
            continue
        if not (build / path).exists():
            failures.append(f"{name}: {build / path} is not built")
            continue
        inside = f"/bin/{pathlib.Path(path).name}"
        tree.add_with_libraries(inside, build / path, without=OURS)
        cases.append(Case(name, inside, settings, arguments, SECONDS))
    return cases, failures


def collect_constructs(build, only, threads, tree):
    """The same of the programs of tests/conformance/constructs, with so many threads, or as many as a program is made for."""
    cases, failures = [], []
    for program in conformance.constructs():
        for compiler in ("gcc", "clang"):
            wanted = [c for c in program.cases if c.emulated and fnmatch.fnmatch(f"{c.name}.{compiler}", only)]
            if not wanted or not program.is_for(compiler):
                continue
            output, problem = compiling.build(program, compiler, "O2", build / "conformance")
            if problem:
                failures.append(f"{program.name}.{compiler}: {problem}")
                continue
            inside = f"/bin/{program.name}-{compiler}"
            tree.add_with_libraries(inside, output, without=OURS)
            most = max(program.threads or [threads])
            for c in wanted:
                settings = {"OMP_NUM_THREADS": most, **c.environment}
                cases.append(Case(f"{c.name}.{compiler}", inside, [f"{k}={v}" for k, v in settings.items()], c.arguments, CONSTRUCT_SECONDS))
    return cases, failures


def collect_from_ctest(build, pattern, machine, tree):
    """Each program that ctest runs by itself, or under user emulation, one case a test."""
    emulator = f"qemu-{compiling.target}-static" if compiling.target else None
    from_ctest.add_files(build, tree)
    cases = []
    for name, program, arguments, settings, seconds in from_ctest.tests(build, emulator, pattern):
        if program not in tree.entries:
            tree.add_with_libraries(program, program)
        if machine == "large" and name.startswith("stress."):
            arguments = [str(STRESS_SECONDS)]
        for setting in settings:
            if setting.startswith("EINKORN_RECORD="):
                tree.folder(pathlib.PurePosixPath(setting.partition("=")[2]).parent)
        cases.append(Case(name, program, settings, arguments, seconds, bare=True))
    return cases, []


def add_libraries(build, tree):
    ours = build / "lib" / "libgomp.so.1"
    if not ours.exists():
        raise initramfs.Broken(f"{ours} does not exist: ninja -C {build} einkorn_runtime")
    tree.add_with_libraries(f"{LIBRARIES}/{OURS[0]}", ours.resolve())
    for name in OURS[1:]:
        tree.entries[f"{LIBRARIES}/{name}"] = tree.entries[f"{LIBRARIES}/{OURS[0]}"]
    before_malloc = build / "lib" / "libeinkorn-allocations.so"
    if not before_malloc.exists():
        raise initramfs.Broken(f"{before_malloc} does not exist: ninja -C {build} einkorn_allocations")
    tree.add_with_libraries(f"{LIBRARIES}/{before_malloc.name}", before_malloc)
    hwloc = next((p for p in tree.architecture.here("/usr/lib").glob(f"*/{HWLOC}")), None)
    if not hwloc:
        raise initramfs.Broken(f"no {HWLOC} here: the package libhwloc15")
    tree.add_with_libraries(f"/usr/lib/{hwloc.parent.name}/{HWLOC}", hwloc.resolve())


def outcomes(text):
    """NAME -> (its output, how it ended)"""
    found = {}
    for match in re.finditer(r"^@begin (\S+)\n(.*?)\n@end \1 ([^\n]*)$", text, re.S | re.M):
        found[match.group(1)] = (match.group(2).strip("\n"), match.group(3))
    return found


def left_files(text, folder):
    """What the cases left in /out, in FOLDER/CASE/."""
    for case, name, lines in re.findall(r"^@end (\S+) [^\n]*\n@file (\S+)\n(.*?)^@end of \2$", text, re.S | re.M):
        (folder / case).mkdir(parents=True, exist_ok=True)
        (folder / case / name).write_bytes(bytes.fromhex(lines.replace("\n", "")))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", type=pathlib.Path, default=HERE.parent.parent / "build")
    p.add_argument("--machine", choices=emulator.MACHINES, default="numa")
    p.add_argument("--programs", type=pathlib.Path, help="a folder (default: programs/ beside this file)")
    p.add_argument("--constructs", type=int, metavar="THREADS", help="the programs of tests/conformance/constructs, with so many threads")
    p.add_argument("--from-ctest", metavar="REGEX", help="what ctest runs by itself, or under user emulation: tests whose names match")
    p.add_argument("--only", default="*", help="cases whose name PROGRAM.RUN.COMPILER matches")
    p.add_argument("--show", action="store_true", help="what each case printed")
    p.add_argument("--repeat", type=int, default=1, help="each case so many times")
    p.add_argument("--limit", type=float, default=1000, help="seconds for the whole machine")
    p.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="where to put what a case left in /out, the last file of each")
    p.add_argument("--target", metavar="ARCHITECTURE", help="a machine of another one: aarch64")
    p.add_argument("--sysroot", type=pathlib.Path, default=HERE.parent.parent / "build" / "sysroot-aarch64",
                   help="its libraries (dev.d/sysroot.sh); default build/sysroot-aarch64")
    options = p.parse_args()
    compiling.target, compiling.sysroot = options.target, options.sysroot.resolve()
    machine_of = architecture.of(options.target, options.sysroot.resolve())
    kind = "-constructs" if options.constructs else "-ctest" if options.from_ctest else ""
    folder = options.build.resolve() / (options.machine + kind)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        vmlinuz = kernel.kernel(machine_of)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            scratch = pathlib.Path(scratch)
            tree = initramfs.Tree(scratch, machine_of)
            if options.constructs:
                cases, failures = collect_constructs(options.build.resolve(), options.only, options.constructs, tree)
            elif options.from_ctest:
                cases, failures = collect_from_ctest(options.build.resolve(), options.from_ctest, options.machine, tree)
            else:
                cases, failures = collect(options.build.resolve(), folder, options.programs or HERE / "programs",
                                          {} if options.programs else built_anyway(options.target), options.only, tree)
            if not cases and not failures:
                sys.exit(f"run.py: no case matches {options.only}")
            add_libraries(options.build.resolve(), tree)
            make_init(scratch / "init")
            tree.add("/init", scratch / "init", strip=True)
            if options.repeat > 1:
                cases = [Case(f"{c.name}.{k}", c.program, c.settings, c.arguments, c.seconds)
                         for k in range(options.repeat) for c in cases]
            tree.add_text("/cases", "".join(case.line(options.machine) for case in cases))
            tree.write(scratch / "initramfs")
            text, took = emulator.boot(machine_of, options.machine, vmlinuz, scratch / "initramfs", folder, options.limit)
    except (initramfs.Broken, kernel.Missing, emulator.Failed) as error:
        print(f"run.py: {error}")
        print("0 passed, 1 failed")
        return 1
    passed = 0
    failures += [line for line in text.splitlines() if line.startswith("@problem")]
    found = outcomes(text)
    if options.keep:
        left_files(text, options.keep)
    for case in cases:
        said, end = found.get(case.name, ("", "never ran"))
        if end == "exit 0":
            passed += 1
        else:
            failures.append(f"{case.name}: {end} ({' '.join(case.settings + [case.program] + case.arguments)})\n{said}")
        if options.show:
            print(f"{case.name}: {end}\n{said}")
    for failure in failures:
        print(failure)
    print(f"{took:.1f} s in the emulated machine")
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C")
    sys.exit(main())
