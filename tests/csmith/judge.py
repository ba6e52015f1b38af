"""Whether a program that differs may be blamed on the compiler of codelets: it must be free of undefined behaviour, and say the
same compiled by gcc with OpenMP. And the smallest program that still differs, by cvise."""
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile

import check
import unit

HERE = pathlib.Path(__file__).resolve().parent
SANITIZERS = ["memory", "address,undefined"]


def verdict(options, difference):
    """What is wrong with the program itself; None: nothing."""
    with tempfile.TemporaryDirectory(prefix="einkorn-judge-") as name:
        folder = pathlib.Path(name)
        source = folder / "program.c"
        source.write_text(unit.text_of(options.seed, [difference.number]))
        return fault_of(source, folder)


def fault_of(source, folder):
    expected, dead = check.reference(source, folder)
    if dead:
        return f"without OpenMP: {dead}"
    for sanitizer in SANITIZERS:
        status, text = check.compiled(["clang-19", "-O1", "-g", "-fno-sanitize-recover=all", f"-fsanitize={sanitizer}", *check.QUIET, source, "-o", folder / "sanitized"])
        if status:
            return f"-fsanitize={sanitizer}: {text[:300]}"
        results, dead = check.said(folder / "sanitized", {"ASAN_OPTIONS": "detect_leaks=0"})
        if dead or results != expected:
            return f"-fsanitize={sanitizer}: {dead or 'other sums'}"
    for compiler in check.COMPILERS.values():
        status, text = check.compiled([compiler, "-O1", *check.QUIET, "-fopenmp", source, "-o", folder / "openmp"])
        if status:
            return f"{compiler} refuses it: {text[:300]}"
        for _ in range(2):
            results, dead = check.said(folder / "openmp", {"OMP_WAIT_POLICY": "passive"})
            if dead or results != expected:
                return f"{compiler} with its own library: {dead or 'other sums'}"
    return None


SCRIPT = """#!/bin/sh
exec {python} {judge} interesting {build} {kind} {compiler} {target} {flags} {environment} {binary} < /dev/null > /dev/null 2>&1
"""


def minimise(options, difference):
    """The program, as small as cvise makes it, in options.minimise."""
    options.minimise.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="einkorn-cvise-") as name:
        folder = pathlib.Path(name)
        source = folder / "program.c"
        source.write_text(unit.alone(options.seed, difference.number))
        script = folder / "interesting.sh"
        environment = ",".join(f"{k}={v}" for k, v in {**difference.environment, **dict(p.split("=", 1) for p in options.set)}.items()) or "-"
        script.write_text(SCRIPT.format(python=sys.executable, judge=HERE / "judge.py", build=options.build, kind=difference.kind, compiler=difference.compiler,
                                        target=difference.target, flags=",".join(difference.flags).replace("address,undefined", "address+undefined"),
                                        environment=environment, binary=options.compiler_binary or "-"))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        cvise = subprocess.Popen(["cvise", "--n", str(options.jobs), "--timeout", "60", script, source.name], cwd=folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            text, _ = cvise.communicate(timeout=options.minimise_minutes * 60)
            if cvise.returncode != 0:
                print(f"cvise: status {cvise.returncode}: {text.strip()[-600:]}", flush=True)
                return
        except subprocess.TimeoutExpired:  # what it has come to is in the file
            os.killpg(cvise.pid, signal.SIGTERM)
            cvise.communicate()
        kept = options.minimise / f"{options.seed}-{difference.number}-{difference.kind}.c"
        kept.write_text(f"/* {difference} */\n{source.read_text()}")
        print(f"  {kept}: {len(source.read_text().splitlines())} lines", flush=True)


def run_plain(path, environment):
    try:
        done = subprocess.run([str(path)], env=check.clean(**environment), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=15)
    except subprocess.TimeoutExpired:
        return "hang"
    return done.stdout if done.returncode == 0 else f"status {done.returncode}: {done.stdout}"


STRICT = ["-Wall", "-Wextra", "-Werror=uninitialized", "-Werror=maybe-uninitialized", "-Werror=return-type", "-Werror=implicit-function-declaration",
          "-Werror=int-conversion", "-Werror=incompatible-pointer-types", "-Werror=array-bounds", "-Werror=return-local-addr",
          "-Werror=dangling-pointer", "-Werror=overflow", "-Werror=format", "-Werror=strict-aliasing", "-Werror=stringop-overflow"]


def interesting(build, kind, compiler, target, flags, environment, binary):
    """Is program.c, in this folder, still a valid program of which only the codelets are wrong?"""
    folder = pathlib.Path(".").resolve()
    source = folder / "program.c"
    flags = [f.replace("+", ",") for f in flags.split(",")]
    environment = dict(pair.split("=", 1) for pair in environment.split(",")) if environment != "-" else {}
    tool = check.Tool(build, None if binary == "-" else binary, folder, target)
    status, _ = check.compiled(["gcc", "-O2", "-std=gnu11", *STRICT, source, "-o", folder / "serial"])
    if status:
        return False
    expected = run_plain(folder / "serial", {})
    if len(expected) < 2 or expected.startswith(("status", "hang")):
        return False
    complaint, text = tool.compile(source, folder / "codelets", compiler, flags)
    broken = check.regions_of(text)[3]
    if kind == "broken":
        if not complaint and not broken:
            return False
    else:
        if complaint or broken or not (folder / "codelets").exists():
            return False
        if all(run_plain(folder / "codelets", {**tool.library(), **environment}) == expected for _ in range(3)):
            return False
    for sanitizer in SANITIZERS:
        status, _ = check.compiled(["clang-19", "-O1", "-fno-sanitize-recover=all", f"-fsanitize={sanitizer}", "-std=gnu11", "-w", source, "-o", folder / "sanitized"])
        if status or run_plain(folder / "sanitized", {"ASAN_OPTIONS": "detect_leaks=0"}) != expected:
            return False
    for name in check.COMPILERS.values():
        status, _ = check.compiled([name, "-O1", "-std=gnu11", "-w", "-fopenmp", source, "-o", folder / "openmp"])
        if status or any(run_plain(folder / "openmp", {"OMP_WAIT_POLICY": "passive"}) != expected for _ in range(2)):
            return False
    return True


if __name__ == "__main__":
    if sys.argv[1:2] != ["interesting"]:
        sys.exit(__doc__)
    sys.exit(0 if interesting(*sys.argv[2:9]) else 1)
