#!/usr/bin/env python3
"""clang's programs with libomptarget and its host plugin: what they do under LLVM's runtime they do under ours.

usage: offloading.py events|mandatory|names|nowait|image|programs --build DIR
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
    done = subprocess.run([str(word) for word in command], text=True, timeout=300,
                          **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings})
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def program(name, work, compiler="clang"):
    out = work / f"{pathlib.Path(name).name}-{compiler}"
    if compiler == "gcc":
        must(["gcc", "-O1", "-g", "-fopenmp", "-foffload=disable", HERE / f"{name}.c", "-o", out])
        return out
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


def names(build, work):
    """A deferred target region of gcc's is called what the program calls it, in a recording."""
    subject = program("names", work, "gcc")
    report = must([build / "bin/einkorn", "record", "-o", work / "t.grain", "--", subject], cwd=work, stderr=subprocess.STDOUT)
    if "run_deferred" in report or "run_here" in report or "gomp_target" in report or "names.c:" not in report:
        sys.exit(f"a function of the runtime's in:\n{report}")
    print("the program's lines")


def nowait(build, work):
    """Deferred target tasks run beside the host, and recordings of them are whole."""
    for compiler in ("clang", "gcc"):
        subject = program("nowait", work, compiler)
        for settings in ({}, {"OMP_PROC_BIND": "true"}, {"OMP_CANCELLATION": "true"}, {"EINKORN_SCHEDULE": "xkaapi"}):
            environment = dict(os.environ, **settings)
            for words in ([], ["end"], ["fork"]):
                said = must([build / "bin/einkorn", "run", "--", subject, *words], env=environment)
                if said != ("all\n" if words == ["end"] else ""):
                    sys.exit(f"{compiler} {settings} {words}: {said!r}")
        report = must([build / "bin/einkorn", "record", "-o", work / "n.grain", "--", subject, "end"], cwd=work, stderr=subprocess.STDOUT)
        if "nowait.c:" not in report or ".cpp" in report or "einkorn.so" in report:
            sys.exit(f"{compiler}: recorded as\n{report}")
        # Switched off they are run in place or where the program waits.
        subject = program("names", work, compiler)
        for off in ("LIBOMP_USE_HIDDEN_HELPER_TASK", "LIBOMP_NUM_HIDDEN_HELPER_THREADS"):
            must([build / "bin/einkorn", "run", "--", subject], env=dict(os.environ, **{off: "0"}))
    print("beside the host")


def image(build, work):
    """gcc's program with code for a device runs on the host, and one line says so."""
    subject = program("image", work, "gcc")
    done = subprocess.run([build / "bin/einkorn", "run", "--", subject], text=True, capture_output=True, timeout=60)
    said = done.stderr.strip().splitlines()
    if done.returncode or len(said) != 1 or "nvptx" not in said[0] or "libgomp" not in said[0]:
        sys.exit(f"status {done.returncode}\n{done.stderr}")
    quiet = must([build / "bin/einkorn", "run", "--", subject], stderr=subprocess.STDOUT,
                 env=dict(os.environ, OMP_TARGET_OFFLOAD="disabled"))
    if quiet:
        sys.exit(f"with the host asked for:\n{quiet}")
    print(said[0])


def programs(build, work):
    """Twenty programs print what they print with their compiler's own library, with one thread and with four."""
    sources = sorted((HERE / "programs").glob("*.c"))
    for source in sources:
        for compiler in ("clang", "gcc"):
            subject = program(f"programs/{source.stem}", work, compiler)
            own = must([subject])
            for threads in ("1", "4"):
                ours = must([build / "bin/einkorn", "run", "--", subject], env=dict(os.environ, OMP_NUM_THREADS=threads))
                if ours != own or not own:
                    sys.exit(f"{source.name}, {compiler}, {threads} threads: {own!r} with its own library, {ours!r} with ours")
    print(f"{len(sources)} programs by both compilers")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["events", "mandatory", "names", "nowait", "image", "programs"])
    p.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    options = p.parse_args()
    with tempfile.TemporaryDirectory() as work:
        globals()[options.what](options.build.resolve(), pathlib.Path(work))


if __name__ == "__main__":
    main()
