#!/usr/bin/env python3
"""Programs that check themselves, translated: forms.py COMPILER --build BUILD [--target complexes] [PROGRAM.c ...]. Each
runs as codelets by threads and by their caller alone, with its loops in each form (EINKORN_TPLOOP: one codelet, more and fewer
codelets than threads, procedures), as OpenMP on our runtime, and on the compiler's own runtime; complexes also where their
codelets lie on locales; and translates at least the regions that its line `// regions: N of M` says. `// flags:` are
more of its compile."""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
# What compilers say of how they deal out collapsed loops and taskloops, and of those that they make no vectors of.
OF_THEIR_OWN = {"gcc": ["-Wno-maybe-uninitialized"], "clang-19": ["-Wno-pass-failed", "-Wno-sign-compare"]}
LOOPS = [("999999999,999999999", 4), ("0,999999999,3,1", 4), ("0,0", 4), ("0,0,2,3", 2), ("0,0,1,5", 1)]
WAYS = [("on", 1), ("on", 2), ("on", 4), ("alone", 4), ("threads", 16), ("off", 4)]
ON_LOCALES = {"EINKORN_SCHEDULE": "swarm,amm=2x2", "EINKORN_MACHINE": "numa:2 core:2", "OMP_NUM_THREADS": "4"}


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120, **more)


def try_one(program, compiler, build, target, folder):
    out, explain, binary = folder / program.name, folder / (program.stem + ".explain"), folder / program.stem
    flags = ["-fopenmp", "-O2", "-std=gnu11", f"-I{ROOT}/include", f"-I{program.parent}"]
    flags += [flag for line in re.findall(r"^// flags: (.*)", program.read_text(), re.MULTILINE) for flag in shlex.split(line)]
    done = run([build / "bin" / "einkorn-codelets", program, "-o", out, "--target", target, "--compiler", compiler, "--explain", explain,
                "--", *flags])
    if done.returncode != 0:
        return [f"exit status {done.returncode}: {done.stderr}"]
    wrong = []
    promised = re.search(r"// regions: (\d+ of \d+)", program.read_text())
    counted = re.search(r"translated (\d+ of \d+) regions", explain.read_text())
    if not promised or promised[1] != counted[1]:
        wrong.append(f"translated {counted[1]} regions, and its comment says otherwise:\n{explain.read_text()}")
    if "// Compilers warn of their own code." in program.read_text():
        flags += OF_THEIR_OWN[compiler]
    done = run([compiler, *flags[:1], "-Wall", "-Wextra", "-Werror", *flags[1:], out, "-o", binary, "-lm"])
    if done.returncode != 0:
        return wrong + [f"{compiler}: {done.stderr}"]
    own = {**os.environ, "LD_LIBRARY_PATH": str(build / "lib")}
    ways = [(f"{how}, {n} threads", {**own, "EINKORN_CODELETS": how, "OMP_NUM_THREADS": str(n)}) for how, n in WAYS]
    if target == "complexes":
        ways.append(("on locales", {**own, **ON_LOCALES}))
    ways += [(f"EINKORN_TPLOOP={tploop}, {n} threads", {**own, "EINKORN_TPLOOP": tploop, "EINKORN_TP_INSTANCES": "2", "OMP_NUM_THREADS": str(n)})
             for tploop, n in LOOPS]
    # With more threads than CPUs libomp's come to stand in line for the lock of a queue of tasks, for minutes.
    ways.append(("the compiler's own runtime", {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}))
    if f"// {compiler} gets its own form wrong: " in program.read_text():
        ways = [(what, environment) for what, environment in ways if environment.get("EINKORN_CODELETS", "off") != "off"]
    for what, environment in ways:
        try:
            done = run([binary], env=environment)
        except subprocess.TimeoutExpired:
            wrong.append(f"{what}: hangs")
            continue
        if done.returncode != 0:
            wrong.append(f"{what}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler")
    parser.add_argument("--build", type=lambda t: pathlib.Path(t).resolve(), required=True)
    parser.add_argument("--target", choices=["tp", "complexes"], default="tp")
    parser.add_argument("programs", nargs="*", type=pathlib.Path, metavar="PROGRAM.c")
    options = parser.parse_intermixed_args()
    programs = options.programs or sorted((HERE / "programs").glob("*.c"))
    failed = 0
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            wrong = try_one(program, options.compiler, options.build, options.target, pathlib.Path(folder))
        failed += bool(wrong)
        for sentence in wrong:
            print(f"{program.name}: {sentence}")
    print(f"{len(programs)} programs, {failed} wrong")
    sys.exit(1 if failed or not programs else 0)


if __name__ == "__main__":
    main()
