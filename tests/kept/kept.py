"""Which recordings are kept, and where: bench/keep.py makes them and run.py tests them."""
import json
import lzma
from pathlib import Path

HERE = Path(__file__).resolve().parent
MEASURED = HERE / "measured.json"  # when they were made: wall times in seconds, compilers

# Programs of tests/problems, and by which factor their work is reduced: a hundred thousand records say as much as a
# million.
LESS = {"cutoff": 5, "flat": 4, "dynamic": 1, "barriers": 10, "regions": 3, "nested": 5, "lock": 2}
PROBLEMS = [(name, compiler) for compiler in ("gcc", "clang-19") for name in (
    "cutoff", "flat", "dynamic", "chunks", "guided", "longest", "shallow", "lock", "turns", "imbalance", "alternating", "early", "chain", "late", "alone",
    "barriers", "regions", "nested", "team", "serial", "creator", "initialisation")]

# Programs of tests/truth/prediction, each with one thread and with two, and another recording of each.
PREDICTIONS = [(name, compiler) for compiler in ("gcc", "clang") for name in (
    "irregular_tasks", "memory_bound", "pipeline", "ordered", "lock_heavy", "critical_loop", "uneven_dynamic", "serial_and_guided")]
# Program, its arguments, and those of the changed ones; with two threads, by both compilers.
CHANGED = [("two_parts", (), (("tasks",), ("loop",))), ("cut_off", (), ((1,), (3,)))]
SHORT = 60  # iterations of a leaf: some 0.1 us

# Programs of programs/ that have no problem: arguments, and whether only the timed part is recorded.
CLEAN = {"fib": ("--size 36 --cutoff 9", False), "nqueens": ("--size 12", False), "sparselu": ("--size 20", False),
         "uts": ("--tree t1 --cutoff 6", False), "alignment": ("", True), "strassen": ("--size 1024", True), "fft": ("", True), "floorplan": ("", True)}

# Programs of tests/truth, their threads and arguments; by both compilers. BESIDE, which is no argument: another program spins on each CPU.
BESIDE = "beside"
SUBJECTS = "serial alternating idle critical ordered guided nested undeferred even".split()
TRUTH = [("undeferred", 1, ()), ("undeferred", 2, ()), ("deferrable", 1, ()), ("deferrable", 2, ()), ("ordered", 1, ()), ("ordered", 2, ()),
         *(("measured", 2, (subject,)) for subject in SUBJECTS), ("measured", 2, ("even", BESIDE))]

# Programs of tests/cli: module, its source, options; and recordings of it: name, threads, arguments, other variables of the environment.
INCLUDE = HERE.parents[1] / "include"
CLI = [("compare", "TWO_LINES", (), (("two_lines-before", 1, ("1000000",)), ("two_lines-after", 1, ("3000000",)),
                                     ("two_lines-two", 2, ("3000000",)))),
       ("simulate", "WORK", (), (("work", 1, ()),)),
       ("simulate", "ANY_TEAM", (), (("any_team-one", 1, ()), ("any_team-two", 2, ()))),
       ("simulate", "PARTS", ("-I", str(INCLUDE)), (("parts", 1, (), {"EINKORN_MACHINE": "nehalem-ex-4x8"}),)),
       ("simulate", "FIB", ("-O2",), (("fib", 1, ()),)),
       ("display", "LIBRARY", (), (("library", 2, ()),))]


def truth(name, compiler, threads, words):
    """The name of its recording."""
    return "-".join(("truth", name, *words, compiler, str(threads)))


def path(name):
    return HERE / f"{name}.grain.xz"


def names():
    return sorted(file.name.removesuffix(".grain.xz") for file in HERE.glob("*.grain.xz"))


def unpack(name, folder):
    file = Path(folder) / f"{name}.grain"
    file.write_bytes(lzma.decompress(path(name).read_bytes()))
    return file


def measured():
    return json.loads(MEASURED.read_text())
