#!/usr/bin/env python3
"""Runs OpenMP programs that check themselves, built by gcc and clang, under a runtime:

  tests/conformance/run.py constructs                            under BUILD/bin/einkorn run --
  tests/conformance/run.py constructs --launcher none            under the compilers' own runtimes: proves the tests right
  tests/conformance/run.py constructs --launcher path:build/lib  our library found first by LD_LIBRARY_PATH
  tests/conformance/run.py constructs --only 'task*' --repeat 50 --threads 16
  tests/conformance/run.py constructs --compilers installed      by every gcc and clang of this machine
  tests/conformance/run.py constructs --build build-aarch64 --target aarch64   by cross compilers, under qemu's user emulation

Prints a line for each failure with the end of its output, then `N passed, N failed`; exit status 1 if any failed."""
import argparse
import concurrent.futures
import dataclasses
import fnmatch
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import cases
import compiling
import passlist

TAIL_LINES = 15
OURS_TO_SET = ("OMP_", "GOMP_", "KMP_", "LIBOMP_", "EINKORN_")  # a test sees only what it asks for


@dataclasses.dataclass
class Run:
    label: str
    listed: str  # its line in the pass list
    path: pathlib.Path
    case: cases.Case
    threads: int | None
    limit: float


class Launcher:
    def __init__(self, text, build):
        self.prefix, self.library_path, self.audit = [], None, None
        if compiling.target:
            # The emulator takes the dynamic linker from there, and the variables are the program's: as `einkorn run` sets them.
            self.ours, self.prefix = text != "none", compiling.emulator()
            self.audit = build / "lib" if self.ours else None
        elif text == "none":
            self.ours = False
        elif text.startswith("path:"):
            self.ours, self.library_path = True, os.path.abspath(text[5:])
        else:
            self.ours = True
            self.prefix = text.split() if text else [str(build / "bin" / "einkorn"), "run", "--"]

    def environment(self, case, threads):
        env = {k: v for k, v in os.environ.items() if not k.startswith(OURS_TO_SET) and k != "LD_LIBRARY_PATH"}
        if threads is not None:
            env["OMP_NUM_THREADS"] = str(threads)
        env.update(case.environment)
        if self.library_path:
            env["LD_LIBRARY_PATH"] = self.library_path
        if self.audit:
            env["LD_AUDIT"] = str(self.audit / "libeinkorn-audit.so")
            env["EINKORN_RUNTIME"] = str(self.audit / "libgomp-einkorn.so")
        elif compiling.target:
            env["LD_LIBRARY_PATH"] = f"{compiling.sysroot}/usr/lib/llvm-19/lib"
        return env


def backtraces(pid):
    """Where a program hangs: the stacks of all its threads, if gdb is there."""
    try:
        done = subprocess.run(["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "thread apply all bt 12"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, errors="replace", timeout=60)
        lines = [l for l in done.stdout.splitlines() if l.startswith(("#", "Thread"))]
        return "\n" + "\n".join(lines)
    except (OSError, subprocess.TimeoutExpired):
        return ""


def ending(status):
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def execute(run, launcher, want_backtraces):
    """None if it passed, else the reason and its output's tail."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            child = subprocess.Popen([*launcher.prefix, str(run.path), *run.case.arguments], stdout=out, stderr=err,
                                     stdin=subprocess.DEVNULL, start_new_session=True,
                                     env=launcher.environment(run.case, run.threads))
        except OSError as error:
            return f"does not start: {error}"
        stacks = ""
        try:
            status = child.wait(run.limit)
            reason = ending(status) if status != 0 else None
        except subprocess.TimeoutExpired:
            reason = f"not done after {run.limit:g} s"
            if want_backtraces:
                stacks = backtraces(child.pid)
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        out.seek(0)
        err.seek(0)
        printed, complaint = out.read().decode(errors="replace"), err.read().decode(errors="replace")
    if reason is None and run.case.stderr and not run.case.stderr.search(complaint):
        reason = f"stderr has no match for '{run.case.stderr.pattern}'"
    if reason is None:
        return None
    tail = (printed + complaint).strip().splitlines()[-TAIL_LINES:]
    return "\n".join([reason, *("    " + line for line in tail)]) + stacks


def check_runtime(options, launcher, folder):
    """Is the runtime under test the one that programs get? Without this a wrong path would let everything pass."""
    problems = []
    for compiler in options.compilers:
        program = cases.Program("probe", cases.HERE / "probe.c", "c", [], {}, [compiler])
        path, problem = compiling.build(program, compiler, "O0", folder)
        if not path:
            problems.append(f"{compiler} probe: {problem}")
            continue
        try:
            done = subprocess.run([*launcher.prefix, str(path)], env=launcher.environment(cases.Case("probe"), 2), text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=60)
        except (OSError, subprocess.TimeoutExpired) as error:
            problems.append(f"{compiler} probe: {error}")
            continue
        mapped = [line.strip() for line in done.stdout.splitlines()]
        is_ours = len(mapped) == 1 and "einkorn" in os.path.basename(mapped[0])
        if done.returncode != 0 or not mapped or is_ours != launcher.ours:
            problems.append(f"{compiler} probe: it {'should be' if launcher.ours else 'should not be'} served by Einkorn's library; "
                            f"{ending(done.returncode)}, OpenMP libraries in the process: {' '.join(mapped) or 'none'}")
    return problems


def build_all(options, suite, folder, pool):
    """[(program, compiler, level, path)], and [(name, reason)] for what does not build."""
    wanted = [(program, compiler, level) for program in cases.SUITES[suite]()
              for compiler in options.compilers if program.is_for(compiler)
              for level in (options.levels if program.source else ["O2"])]
    results = pool.map(lambda w: compiling.build(*w, folder), wanted)
    built, failed = [], []
    for (program, compiler, level), (path, problem) in zip(wanted, results):
        if path:
            built.append((program, compiler, level, path))
        else:
            failed.append((f"{compiler} -{level} {program.name}", problem))
    return built, failed


def plan(options, built, ours):
    runs, left_out = [], set()
    for program, compiler, level, path in built:
        family = compiling.family(compiler)
        if not ours and family in program.peer_fails:
            continue
        for case in program.cases:
            if options.only and not any(fnmatch.fnmatch(case.name, pattern) for pattern in options.only):
                continue
            if not ours and f"{family}.{case.name.partition('.')[2]}" in program.peer_fails:
                continue
            if compiling.target and not case.emulated:
                left_out.add(f"{family} {case.name}")
                continue
            counts = program.threads or options.threads
            if "OMP_NUM_THREADS" in case.environment:
                counts = [None]
            for threads in counts:
                at = f" t={threads}" if threads else ""
                limit = max(options.limit, program.limit or 0)
                runs.append(Run(f"{compiler} -{level} {case.name}{at}", f"{compiler} {case.name}", path, case, threads, limit))
    return runs * options.repeat, left_out


def parse_arguments():
    def numbers(text):
        return [int(n) for n in text.split(",")]

    def words(text):
        return text.split(",")
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("suite", choices=sorted(cases.SUITES))
    p.add_argument("--build", type=pathlib.Path, default=cases.HERE.parent.parent / "build", help="build folder")
    p.add_argument("--launcher", default="", help="`none`, `path:DIR`, or a command to put before the program")
    p.add_argument("--threads", type=numbers, default=[2, 4], metavar="N,N", help="default 2,4")
    p.add_argument("--compilers", type=words, default=["gcc", "clang"], metavar="C,C",
                   help="default gcc,clang: those of the list of passing cases; gcc-14 and so on; installed: all of this machine")
    p.add_argument("--levels", type=words, default=["O0", "O2"], metavar="L,L", help="optimisation; default O0,O2")
    p.add_argument("--only", action="append", metavar="GLOB", help="only these cases")
    p.add_argument("--limit", type=float, default=60, help="seconds a run; default 60")
    p.add_argument("--repeat", type=int, default=1)
    p.add_argument("-j", dest="jobs", type=int, default=os.cpu_count())
    p.add_argument("--backtraces", action="store_true", help="show where a hanging program hangs (gdb)")
    p.add_argument("--build-only", action="store_true")
    p.add_argument("--target", metavar="ARCHITECTURE", help="build for another one (aarch64), and run under its emulator; "
                   "--launcher is then `none` or nothing")
    p.add_argument("--sysroot", type=pathlib.Path, default=cases.HERE.parent.parent / "build" / "sysroot-aarch64",
                   help="its libraries (dev.d/sysroot.sh); default build/sysroot-aarch64")
    p.add_argument("--update", action="store_true", help="write the list of passing cases")
    return p.parse_args()


def main():
    options = parse_arguments()
    options.build = options.build.resolve()
    if options.compilers == ["installed"]:
        options.compilers = compiling.installed()
    compiling.target, compiling.sysroot = options.target, options.sysroot.resolve()
    folder = options.build / "conformance"
    folder.mkdir(parents=True, exist_ok=True)
    launcher = Launcher(options.launcher, options.build)
    passed, failed = 0, 0

    def fail(name, reason):
        nonlocal failed
        failed += 1
        print(f"{name}: {reason}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        built, broken = build_all(options, options.suite, folder, pool)
        for name, reason in broken:
            fail(name, "does not build: " + reason)
        if options.build_only:
            return 1 if failed else 0
        problems = check_runtime(options, launcher, folder)
        for problem in problems:
            fail("runtime under test", problem)
        runs, left_out = plan(options, built, launcher.ours) if not problems else ([], set())
        for name in sorted(left_out):
            print(f"{name}: left out under an emulator")
        ran, bad = left_out, set()
        for run, problem in zip(runs, pool.map(lambda r: execute(r, launcher, options.backtraces), runs)):
            ran.add(run.listed)
            if problem is None:
                passed += 1
            else:
                bad.add(run.listed)
                fail(run.label, problem)
    if not ran and not failed:
        fail("nothing to run", f"no case matches {options.only}")
    # What a newer compiler builds is told by its own failures: it may know more than that of the list.
    listed = [compiler for compiler in options.compilers if compiler in compiling.VERSIONS]
    if ran and launcher.ours and not options.only and listed:
        if options.update:
            kept = {line for line in passlist.read(options.suite) if line.split()[0] not in listed}
            passlist.write(options.suite, {line for line in ran - bad if line.split()[0] in listed}, kept)
        for name, reason in passlist.compare(options.suite, listed, {line for line in ran if line.split()[0] in listed}):
            fail(name, reason)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
