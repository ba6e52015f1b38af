#!/usr/bin/env python3
"""clang's programs with libomptarget and its host plugin: what they do under LLVM's runtime they do under ours.

usage: offloading.py events|mandatory --build DIR
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "offloading"
LLVM = "/usr/lib/llvm-19/lib"


def must(command, **settings):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **settings)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def program(name, work):
    out = work / name
    must(["clang-19", "-O1", "-g", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", HERE / f"{name}.c", f"-Wl,-rpath,{LLVM}",
          "-o", out])
    return out


def events(build, work):
    subject = program("events", work)
    for form in ([], ["-DEMI"]):
        tool = work / "libtool.so"
        must(["clang-19", "-shared", "-fPIC", *form, HERE / "tool.c", "-o", tool])
        settings = dict(os.environ, OMP_TOOL_LIBRARIES=str(tool))
        peer = must([subject], env=settings)
        ours = must([build / "bin/einkorn", "run", "--", subject], env=settings)
        if peer != ours or "submit" not in ours or "lost 0" not in ours:
            sys.exit(f"{' '.join(form)} under LLVM's runtime:\n{peer}under ours:\n{ours}")
    print(f"the same events in both forms:\n{ours}", end="")


def mandatory(build, work):
    subject = program("events", work)
    for value in ("mandatory", "default", "disabled"):
        must([build / "bin/einkorn", "run", "--", subject], env=dict(os.environ, OMP_TARGET_OFFLOAD=value))
    print("libomptarget's first device is the default one")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["events", "mandatory"])
    p.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    options = p.parse_args()
    with tempfile.TemporaryDirectory() as work:
        globals()[options.what](options.build.resolve(), pathlib.Path(work))


if __name__ == "__main__":
    main()
