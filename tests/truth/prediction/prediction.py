"""Programs that nothing was fitted to: how to build, record and predict each. Used by run.py and changed.py."""
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from urgent import BEFORE_OTHERS, environment  # noqa: E402: from the folder above

COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
RUNS, MORE = 3, 9  # recordings with valid times, and how many more are made for them at most
MOVED = 1.8  # by which a cache line's times differ where a host moved the CPUs
PAUSE = 0.05        # s, after each: time for the host of a virtual machine to return the CPU time that it took


class Einkorn:
    def __init__(self, build, folder):
        self.tool, self.folder = Path(build).resolve() / "bin" / "einkorn", Path(folder)
        self.failed = []

    def check(self, good, what):
        print(("ok   " if good else "FAIL ") + what, flush=True)
        if not good:
            self.failed.append(what)

    def compile(self, name, compiler):
        app = self.folder / f"{name}-{compiler}"
        subprocess.run([COMPILERS[compiler], "-O1", "-g", "-fopenmp", HERE / f"{name}.c", "-o", app, "-lm"], check=True)
        return app

    def run(self, *words, threads=1, urgent=False):
        return subprocess.run([*(BEFORE_OTHERS if urgent else []), self.tool, *map(str, words)], capture_output=True, text=True,
                              timeout=120, env=environment() | {"OMP_NUM_THREADS": str(threads), "OMP_DYNAMIC": "false"})

    def report(self, file):
        return json.loads(self.run("report", file, "--json").stdout)

    def record(self, app, *kinds, runs=RUNS):
        """For each kind, (threads, arguments...), recordings with valid times, if possible as many as are asked for:
        (wall seconds, file). And one recording whatever its times, for checks that need no times. In turn: what a
        computer does besides affects all kinds alike. If its host moves a virtual machine's CPUs meanwhile, it is another
        computer, and all are recorded again."""
        valid, some = {kind: [] for kind in kinds}, {kind: None for kind in kinds}
        line = None
        for k in range(runs + MORE):
            for kind in kinds:
                if len(valid[kind]) == runs:
                    continue
                threads, *words = kind
                file = some[kind] = self.folder / f"{app.name}.{'-'.join(map(str, kind))}.{k}.grain"
                done = self.run("record", "--no-report", "-o", file, "--", app, *words, threads=threads, urgent=True)
                time.sleep(PAUSE)
                if done.returncode:
                    self.check(False, f"{file.name} is recorded: {done.stderr.strip()}")
                    return valid, some
                report = self.report(file)
                if not report["times_valid"]:
                    continue
                before, line = line, report.get("line_seconds") or line
                if before and max(before, line) > MOVED * min(before, line):
                    valid = {of: [] for of in kinds}
                valid[kind].append((report["wall_seconds"], file))
        return valid, some

    def predict(self, file, threads, *options):
        """The prediction; None: refused, because times are not valid."""
        done = self.run("simulate", file, "--threads", threads, "--json", *options)
        if done.returncode:
            self.check("not valid" in done.stderr, f"{file.name}: {done.stderr.strip() or 'no message'}")
            return None
        return Prediction(json.loads(done.stdout))


class Prediction:
    """The prediction for one number of threads, in seconds."""

    def __init__(self, out):
        [point] = out["points"]
        self.hold = out.get("longest_hold_seconds", 0)
        self.recorded = out["recorded_seconds"]
        self.ends = point.get("wall_seconds_range") or [point["wall_seconds"]] * 2
        self.within = point["wall_seconds_within"]
        # Of a range nothing is nearer to both ends than the middle.
        self.best = point.get("middle_wall_seconds") or point["wall_seconds"]

    def width(self):
        return self.within[1] / self.within[0] - 1


def middle(valid):
    """The recording with the median wall time."""
    return sorted(valid)[len(valid) // 2] if valid else None


def beside_middle(valid):
    """The next faster one: another run, as disturbances make runs slower; the same one if there is no other."""
    return sorted(valid)[max(len(valid) // 2 - 1, 0)]


def median(values):
    return statistics.median(values) if values else 0
