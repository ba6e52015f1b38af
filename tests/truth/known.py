"""Programs of programs/: built by both compilers, recorded or kept recorded, and what the tool says of the recordings."""
import contextlib
import csv
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "kept")]
import kept  # noqa: E402: from the folder beside
import marked  # noqa: E402: from the folder above
import urgent  # noqa: E402: from the folder above

BUILD = Path(os.environ.get("EINKORN_BUILD") or sys.exit("EINKORN_BUILD is not set: run the tests with ctest")).resolve()
EINKORN = BUILD / "bin" / "einkorn"
COMPILERS = {"gcc": ["gcc"], "clang": ["clang-19", "-L/usr/lib/llvm-19/lib", "-Wno-unused-command-line-argument"]}


def environment(threads, **more):
    return urgent.environment() | {"OMP_NUM_THREADS": str(threads)} | more


def build(name, compiler, folder):
    program = Path(folder) / f"{name}-{compiler}"
    if not program.exists():
        subprocess.run([*COMPILERS[compiler], "-g", "-O1", "-fopenmp", "-I", str(HERE.parents[1] / "include"), str(HERE / "programs" / f"{name}.c"), "-o", str(program)], check=True)
    return program


def line_of(name, mark):
    return marked.marked_line(HERE / "programs" / f"{name}.c", mark)


def tool(*words):
    return subprocess.run([str(EINKORN), *map(str, words)], env=environment(1), capture_output=True, text=True, timeout=120, check=True).stdout


@contextlib.contextmanager
def others(cpus):
    """Meanwhile another program spins on each of these."""
    spinning = [subprocess.Popen(["taskset", "-c", str(cpu), sys.executable, "-c", "print(flush=True)\nwhile True: pass"], stdout=subprocess.PIPE)
                for cpu in cpus]
    try:
        for other in spinning:
            other.stdout.readline()  # it is at work
        yield
    finally:
        for other in spinning:
            other.kill()
            other.communicate()


class Recording:
    """`before`: words before the command; `words`: the program's arguments; `folder`: where the recording goes, by default beside the program."""

    def __init__(self, program, threads, before=(), words=(), folder=None, **variables):
        self.program = program.name
        self.file = Path(folder or program.parent) / f"{program.name}.{threads}.grain"
        done = subprocess.run([*before, str(EINKORN), "record", "--no-report", "-o", str(self.file), "--", str(program), *words],
                              env=environment(threads, **variables), capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise SystemExit(f"{program}: status {done.returncode}\n{done.stderr}")
        self.printed = done.stdout
        self.report = json.loads(tool("report", self.file, "--json"))

    @property
    def text(self):
        return tool("report", self.file)

    def tasks(self):
        """One dictionary per grain, as exported."""
        table = self.file.with_suffix(".csv")
        tool("export", self.file, "--to", "csv", "-o", table)
        with open(table, newline="") as f:
            return [row for row in csv.DictReader(f) if row["kind"] == "task"]

    def simulated(self, threads):
        told = json.loads(tool("simulate", self.file, "--machine", f"core:{threads}", "--threads", threads, "--json"))
        return next(point for point in told["points"] if point["threads"] == threads)

    def predicted(self, threads):
        """The report on the run that is predicted."""
        file = self.file.with_suffix(".predicted.grain")
        tool("simulate", self.file, "--machine", f"core:{threads}", "--threads", threads, "-o", file)
        return json.loads(tool("report", file, "--json"))


class Kept(Recording):
    """A recording of tests/kept, made by bench/keep.py, with what the program printed then."""

    def __init__(self, name, compiler, threads, words, folder):
        self.program = kept.truth(name, compiler, threads, words)
        self.file = kept.unpack(self.program, folder)
        self.printed = kept.measured()["truth"][self.program]["printed"]
        self.report = json.loads(tool("report", self.file, "--json"))
