"""The programs of programs/: how to build, run and judge each. Used by run.py and by bench/problems.py."""
import json
import os
import statistics
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# name: how to record it, and the kinds of problem that say what is wrong.
SEEDED = {
    "cutoff": dict(kinds=["tasks_too_fine"]),
    "chunks": dict(kinds=["too_coarse"]),
    "lock": dict(kinds=["lock"]),
    "imbalance": dict(kinds=["load_imbalance"]),
    "loops": dict(kinds=["loop_order"], accesses=True),
    "creator": dict(kinds=["one_creator"], record=["--machine", "core:17"], timed=False),
    "initialisation": dict(kinds=["remote_data"], record=["--machine", "numa:4 core:8", "--schedule", "domains-strict"], timed=False),
}


def before_others():
    """What to put in front of a command so that other work on the machine does not take its CPUs: real-time priority, where it
    is permitted. For runs of less than a second with pauses between them."""
    command = ["chrt", "--rr", "1"]
    try:
        permitted = subprocess.run([*command, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        permitted = False
    return command if permitted else []


BEFORE_OTHERS = before_others()


def environment():
    """Ours, without what steers OpenMP or the dynamic linker."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("EINKORN_", "OMP_", "KMP_", "GOMP_", "LD_"))}


def compile_program(name, folder, *options):
    """With options for another binary of the same source."""
    out = Path(folder) / (name + "".join(options).replace("=", "-"))
    subprocess.run(["gcc", "-g", "-O1", *options, "-fopenmp", "-I", str(ROOT / "include"), str(HERE / "programs" / f"{name}.c"), "-o", str(out)],
                   check=True)
    return out


def problem_line(name):
    return marked_line(name, "PROBLEM")


def marked_line(name, mark):
    for number, line in enumerate((HERE / "programs" / f"{name}.c").read_text().splitlines(), 1):
        if f"/* {mark} */" in line:
            return number
    raise SystemExit(f"{name}.c: no line is marked {mark}")


def accesses(einkorn, name, words, folder):
    """The option for a report on a program whose problem shows in its memory accesses: a recording of these, from a binary that
    counts them."""
    if not SEEDED.get(name, {}).get("accesses"):
        return ()
    hooked = compile_program(name, folder, "-fsanitize=thread")
    file = Path(folder) / f"accesses{len(words)}.grain"
    if file.exists():  # counts: the same in every run
        return ("--accesses", str(file))
    subprocess.run([str(einkorn), "record", "--no-report", "--accesses", "-o", str(file), "--", str(hooked), *words],
                   env=environment() | {"OMP_NUM_THREADS": "2"}, capture_output=True, timeout=120, check=True)
    return ("--accesses", str(file))


def report(einkorn, program, words, folder, record=(), beside=()):
    """The report on a fresh recording, as a dictionary, and what the program printed. beside: options of the report."""
    file = Path(folder) / "run.grain"
    env = environment() | ({} if "--machine" in record else {"OMP_NUM_THREADS": "2"})
    done = subprocess.run([*BEFORE_OTHERS, str(einkorn), "record", "--no-report", "-o", str(file), *record, "--", str(program), *words],
                          env=env, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise SystemExit(f"{program} {words}: status {done.returncode}\n{done.stderr}")
    told = subprocess.run([str(einkorn), "report", str(file), "--json", *beside], env=env, capture_output=True, text=True, timeout=120,
                          check=True)
    return json.loads(told.stdout), done.stdout


def is_about(problem, name):
    """The problem is that of the seeded program: its kind, at its line."""
    return (problem["kind"] in SEEDED[name]["kinds"] and is_line(problem.get("line"), name)
            and problem.get("file", "").endswith(f"/{name}.c"))


def is_line(line, name):
    """Of the directive, or of the loop below it: compilers differ."""
    return line in (problem_line(name), problem_line(name) + 1)


TOLERANCE = 0.05  # of the wall time: what two runs of one program differ by on a busy host
PAUSE = 0.2       # s: real-time priority is taken away from who uses it all the time


def seconds(einkorn, program, words):
    """What the program says that it took, not recorded."""
    command = [*BEFORE_OTHERS, str(einkorn), "run", "--", str(program), *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120,
                          env=environment() | {"OMP_NUM_THREADS": "2"})
    time.sleep(PAUSE)
    return float(done.stdout.split()[0])


def pairs(einkorn, program, runs):
    """Seconds with the problem and fixed, so many times, in turn."""
    return [(seconds(einkorn, program, ()), seconds(einkorn, program, ("fixed",))) for _ in range(runs)]


def gained(pairs):
    """Wall time with the problem, and what the fix gains of it: medians."""
    before, after = (statistics.median(times) for times in zip(*pairs))
    return before, before - after


def promise_holds(promised, wall, gained):
    """The fix gains no more than was promised, and at least half of it."""
    return promised / 2 <= gained <= promised + TOLERANCE * wall
