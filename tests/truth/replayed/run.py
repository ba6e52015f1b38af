"""Each construct of OpenMP, recorded with 1, 2 and 4 threads and replayed with as many: within 10 % of what the recording took, or refused in a sentence.

The list of constructs cannot fall behind: each kind of record in src/record/format.h has a program here that leaves it, or a word where it is tested."""
import json
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "reader")]

import grain_file  # noqa: E402
import known       # noqa: E402
import programs    # noqa: E402
import urgent      # noqa: E402

OFF = 0.10    # of the recorded wall time, beyond the range that is printed
NOT_VALID = "are not valid"  # what the tool says of times that were measured on a busy machine
TRIES = 6     # where a recording's times are not valid, or it was disturbed
CPUS = len(__import__("os").sched_getaffinity(0))


def kinds_of_format():
    """Number -> name."""
    text = (HERE.parents[2] / "src" / "record" / "format.h").read_text()
    body = re.sub(r"//.*", "", text[text.index("enum class Kind "):])
    return {int(n): name for name, n in re.findall(r"(\w+)\s*=\s*(\d+),", body[:body.index("};")])}


KINDS = kinds_of_format()


def kinds_in(file):
    return {KINDS[k] for stream in grain_file.GrainFile(file).streams.values() for _, k, _, _ in stream.records}


class Constructs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="einkorn-constructs-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def record(self, program, threads, options):
        file = self.folder / "p.grain"
        done = subprocess.run([*urgent.BEFORE_OTHERS, str(known.EINKORN), "record", "--no-report", *options, "-o", str(file), "--", str(program)],
                              env=known.environment(threads), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        time.sleep(urgent.PAUSE)
        return file

    def off(self, file, threads):
        """How far outside of what is predicted the recording is, as a share of it; or the sentence that says why nothing is."""
        report = json.loads(known.tool("report", file, "--json"))
        self.check_bounds(file.name, report)
        # What the recorder did on the initial thread, its start before all, is in the recording and not in what is predicted.
        wall = report["wall_seconds"] - next(t for t in report["per_thread"] if t["initial"])["time"].get("recorder", 0)
        done = subprocess.run([str(known.EINKORN), "simulate", str(file), "--machine", f"core:{threads}", "--threads", str(threads), "--json"],
                              env=known.environment(1), capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            self.assertRegex(done.stderr, r"\Aeinkorn: [^\n]{20}")
            self.assertRegex(done.stderr, r"\.\)?\s*\Z")  # it may have several lines
            return done.stderr
        point = json.loads(done.stdout)["points"][0]
        self.assertIn("wall_seconds_within", point, point)
        low, high = point["wall_seconds_within"]
        return max(0, low - wall, wall - high) / wall

    def check_bounds(self, name, report):
        """No bound that is printed contradicts another one."""
        m = report["metrics"]
        if m.get("speedup_bound") is None:
            return
        for other in ("brent_speedup", "burdened_speedup"):
            self.assertLessEqual(m[other], m["speedup_bound"] * 1.001, f"{name}: {other}")

    def test_bounds_of_kept_recordings(self):
        for name in known.kept.names():
            file = known.kept.unpack(name, self.folder)
            self.check_bounds(name, json.loads(known.tool("report", file, "--json")))

    def one(self, compiler, name, program, seen):
        source = self.folder / "p.c"
        source.write_text(program.text)
        binary = self.folder / f"{name}-{compiler}"
        subprocess.run([*known.COMPILERS[compiler], "-g", "-O1", "-fopenmp", str(source), "-o", str(binary)], check=True)
        for threads in (1, 2, 4):
            told = []
            for _ in range(TRIES):
                file = self.record(binary, threads, program.options)
                seen |= kinds_in(file)
                told.append(self.off(file, max(threads, program.team)))
                # With more threads than CPUs the recording's own time says nothing: it is replayed, or refused.
                if threads > CPUS or (NOT_VALID not in told[-1] if isinstance(told[-1], str) else told[-1] <= OFF):
                    break
            off = [t for t in told if not isinstance(t, str)]
            if threads <= CPUS and NOT_VALID in str(told[-1]) and not off:
                # That is the machine, and says nothing about the replay.
                print(f"{name} by {compiler} with {threads} threads is left out: in {len(told)} tries the times were not valid", flush=True)
            with self.subTest(program=name, compiler=compiler, threads=threads):
                if off and not program.inexact and threads <= CPUS:
                    self.assertLessEqual(min(off), OFF, f"{name}, {threads} threads: {told}")

    def test_all(self):
        missing = {name: [k for k in p.kinds if k not in KINDS.values()] for name, p in programs.PROGRAMS.items()}
        self.assertEqual({n: k for n, k in missing.items() if k}, {}, "records that format.h does not have")
        only = [w for w in sys.argv[1:] if w in programs.PROGRAMS]
        for compiler in known.COMPILERS:
            everything = set()
            for name, program in programs.PROGRAMS.items():
                if only and name not in only or compiler not in program.compilers:
                    continue
                seen = set()
                self.one(compiler, name, program, seen)
                everything |= seen
                if compiler == "gcc":  # clang's static loops and others leave less
                    with self.subTest(program=name, compiler=compiler):
                        self.assertEqual([k for k in program.kinds if k not in seen], [], "records that the program is to leave")
            if compiler == "gcc" and not only:
                self.assertEqual(sorted(k for k in KINDS.values() if k not in everything and k not in programs.ELSEWHERE), [],
                                 "a kind of record without a program: add one to programs.py")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
