"""The programs of programs/: how to build, run and judge each. Used by the tests beside it and by bench/."""
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import marked
from urgent import BEFORE_OTHERS, PAUSE, environment

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# name: how to record it, and the kinds of problem that describe what is wrong. counts: tasks and regions, with the
# problem and fixed, of the program reduced by FEWER; and chunks, unless a compiler deals them out by itself.
FEWER = 20
SEEDED = {
    "cutoff": dict(kinds=["tasks_too_fine"], counts=[(24570, 6), (378, 6)]),
    "flat": dict(kinds=["tasks_too_fine"], counts=[(12000, 3), (240, 3)]),
    # Not timed: a piece costs some 15 ns of thread time, which for 0.2 us of work is no problem.
    "taskloop": dict(kinds=["tasks_too_fine"], timed=False, counts=[(15000, 1), (150, 1)]),
    "dynamic": dict(kinds=["chunks_too_fine"], counts=[(0, 1, 30000), (0, 1, 60)]),
    "chunks": dict(kinds=["too_coarse"], counts=[(0, 1, 3), (0, 1, 150)]),
    "guided": dict(kinds=["too_coarse"], counts=[(0, 1, 12), (0, 1, 150)]),
    "longest": dict(kinds=["too_coarse"], counts=[(20, 1), (40, 1)]),
    "shallow": dict(kinds=["too_coarse"], counts=[(16383, 1), (16383, 1)]),
    "lock": dict(kinds=["lock"], counts=[(300, 1), (300, 1)]),
    "turns": dict(kinds=["ordered"], counts=[(0, 1, 100), (0, 1, 100)]),
    "imbalance": dict(kinds=["load_imbalance"], counts=[(0, 1), (0, 1)]),
    "alternating": dict(kinds=["load_imbalance"], counts=[(0, 1), (0, 1)]),
    "early": dict(kinds=["little_parallelism"], counts=[(6, 1), (6, 1)]),
    "chain": dict(kinds=["little_parallelism"], counts=[(20, 1), (20, 1)]),
    "late": dict(kinds=["late_tasks"], counts=[(63, 1), (63, 1)]),
    # In gcc's recording what one thread does alone is a share of the region, in clang's the single construct.
    "alone": dict(kinds=["little_parallelism"], marks=["PROBLEM", "SINGLE"], counts=[(0, 1), (0, 1)]),
    "barriers": dict(kinds=["many_barriers"], counts=[(0, 1), (0, 1)]),
    "regions": dict(kinds=["short_regions"], counts=[(0, 1500), (0, 1)]),
    "nested": dict(kinds=["short_regions"], counts=[(0, 15001), (0, 1)]),
    "team": dict(kinds=["few_threads"], counts=[(0, 1), (0, 1)]),
    "serial": dict(kinds=["serial"], counts=[(0, 1), (0, 2)]),
    "loops": dict(kinds=["loop_order"], accesses=True, counts=[(2, 1), (2, 1)]),
    "creator": dict(kinds=["one_creator"], record=["--machine", "core:17"], timed=False, counts=[(8000, 1), (8000, 1)]),
    "initialisation": dict(kinds=["remote_data"], record=["--machine", "numa:4 core:8", "--schedule", "domains-strict"], timed=False,
                           counts=[(641, 1), (704, 1)]),
}


# Two CPUs, as the programs have two threads: with more CPUs, too few threads would be a problem of its own.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])


COMPILERS = ("gcc", "clang-19")


def compile_program(name, folder, *options, compiler="gcc"):
    """The program built with options, as another binary of the same source."""
    out = Path(folder) / (f"{name}-{compiler}" + "".join(options).replace("=", "-"))
    subprocess.run([compiler, "-g", "-O1", *options, "-fopenmp", "-I", str(ROOT / "include"), str(source(name)), "-o", str(out)],
                   check=True)
    return out


def source(name):
    return HERE / "programs" / f"{name}.c"


def accesses(einkorn, name, words, folder):
    """The option for a report on a program whose problem shows in its memory accesses: a recording of these, from a binary that
    counts them."""
    if not SEEDED.get(name, {}).get("accesses"):
        return ()
    hooked = compile_program(name, folder, "-fsanitize=thread")
    file = Path(folder) / f"accesses-{'-'.join(words)}.grain"
    if file.exists():  # counts: the same in every run
        return ("--accesses", str(file))
    subprocess.run([str(einkorn), "record", "--no-report", "--accesses", "-o", str(file), "--", str(hooked), *words],
                   env=environment() | {"OMP_NUM_THREADS": "2"}, capture_output=True, timeout=120, check=True)
    return ("--accesses", str(file))


def report(einkorn, program, words, folder, record=(), beside=(), file=None):
    """The report on a fresh recording, as a dictionary, and what the program printed. beside: options of the report."""
    file = file or Path(folder) / "run.grain"
    env = environment() | ({} if "--machine" in record else {"OMP_NUM_THREADS": "2"})
    done = subprocess.run([*BEFORE_OTHERS, str(einkorn), "record", "--no-report", "-o", str(file), *record, "--", str(program), *words],
                          env=env, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise SystemExit(f"{program} {words}: status {done.returncode}\n{done.stderr}")
    return read(einkorn, file, *beside), done.stdout


def read(einkorn, file, *beside):
    """The report on a recording."""
    told = subprocess.run([str(einkorn), "report", str(file), "--json", *beside], env=environment(), capture_output=True, text=True,
                          timeout=120, check=True)
    return json.loads(told.stdout)


def is_about(problem, name):
    """Is the problem that of the seeded program: of its kind, at its line?"""
    marks = SEEDED[name].get("marks", ["PROBLEM"])
    return (problem["kind"] in SEEDED[name]["kinds"] and any(is_line(problem.get("line"), name, mark) for mark in marks)
            and problem.get("file", "").endswith(f"/{name}.c"))


def is_line(line, name, mark="PROBLEM"):
    return marked.is_marked(line, source(name), mark)


# The part of the promised gain that the fix must gain; and the part of the wall time by which two runs differ on a busy
# host.
LEAST, MOST, TOLERANCE = 0.5, 1.25, 0.03


def seconds(einkorn, program, words):
    """The time that the program itself prints, not recorded."""
    command = [*BEFORE_OTHERS, str(einkorn), "run", "--", str(program), *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120,
                          env=environment() | {"OMP_NUM_THREADS": "2"})
    time.sleep(PAUSE)
    return float(done.stdout.split()[0])


def pairs(einkorn, program, runs, less="1"):
    """Seconds with the problem and fixed, so many times, in turn."""
    return [(seconds(einkorn, program, ("problem", less)), seconds(einkorn, program, ("fixed", less))) for _ in range(runs)]


def gained(pairs):
    """Wall time with the problem, and what the fix gains of it: medians."""
    before, after = (statistics.median(times) for times in zip(*pairs))
    return before, before - after


def promise_holds(promised, wall, gained, tolerance=TOLERANCE):
    """Is the promised gain at most twice, and at least four fifths, of what the fix gains?"""
    noise = tolerance * wall
    return LEAST * promised - noise <= gained <= MOST * promised + noise
