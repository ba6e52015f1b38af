#!/usr/bin/env python3
"""Recordings that are kept with what was measured when they were made: findings, promised gains and predictions, the same on any machine.

    EINKORN_BUILD=build python3 tests/kept/run.py [TEST]

bench/keep.py makes them anew; kept.py says which there are.
"""
import os
import re
import statistics
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (".", "problems", "truth/prediction", "truth/reader"):
    sys.path.insert(0, str(HERE.parent / folder))
import grain_file  # noqa: E402
import kept  # noqa: E402
import marked  # noqa: E402
import prediction  # noqa: E402
import seeded  # noqa: E402

BUILD = Path(os.environ.get("EINKORN_BUILD") or sys.exit("EINKORN_BUILD is not set: run the tests with ctest")).resolve()
EINKORN = BUILD / "bin" / "einkorn"
MEASURED = kept.measured()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="einkorn-kept-")
        self.addCleanup(folder.cleanup)
        self.e = prediction.Einkorn(BUILD, folder.name)

    def file(self, name):
        file = self.e.folder / f"{name}.grain"
        return file if file.exists() else kept.unpack(name, self.e.folder)

    def report(self, name):
        return seeded.read(EINKORN, self.file(name))

    def predicted(self, name, threads, *options):
        p = self.e.predict(self.file(name), threads, *options)
        self.assertIsNotNone(p, f"{name} is refused")
        return p


class Problems(Case):
    """The problem comes first, at its line, and the fix gained what is promised; in the fixed program it is gone."""

    def test_all_are_kept(self):
        self.assertEqual(set(MEASURED["problems"]), {f"{name}-{compiler}" for name, compiler in kept.PROBLEMS})

    def test_told_first(self):
        for name, compiler in kept.PROBLEMS:
            with self.subTest(name, compiler=compiler):
                self.check_told(name, self.report(f"{name}-{compiler}-problem"), MEASURED["problems"][f"{name}-{compiler}"])

    def check_told(self, name, report, measured):
        timed = seeded.SEEDED[name].get("timed", True)
        self.assertEqual(report["times_valid"], timed)
        first = report["problems"][0]
        self.assertTrue(seeded.is_about(first, name), (first["kind"], first.get("file"), first.get("line")))
        self.assertIn(f"{name}.c:{first['line']}", report["verdict"])
        self.assertTrue(first["evidence"])
        if first["kind"] != "serial":  # that is not about grains
            self.assertGreater(first.get("grains", 0), 0)
        if not timed:
            return self.assertNotIn("gain_seconds", first)
        promised, wall, gained = first["gain_seconds"], measured["wall_seconds"], measured["gained_seconds"]
        self.assertTrue(seeded.promise_holds(promised, wall, gained, tolerance=0),
                        f"{promised * 1e3:.2f} ms promised, {gained * 1e3:.2f} of {wall * 1e3:.2f} gained")

    def test_gone_when_fixed(self):
        for name, compiler in kept.PROBLEMS:
            with self.subTest(name, compiler=compiler):
                report = self.report(f"{name}-{compiler}-fixed")
                self.assertEqual(report["times_valid"], seeded.SEEDED[name].get("timed", True))
                self.assertEqual([p["what"] for p in report["problems"] if seeded.is_about(p, name)], [])

    def test_none_where_there_is_none(self):
        for name in kept.CLEAN:
            with self.subTest(name):
                report = self.report(name)
                self.assertTrue(report["times_valid"])
                self.assertEqual([p["what"] for p in report["problems"]], [])
                self.assertRegex(report["verdict"], "^no problem found")
                self.assertGreater(report["tasks"], 100)


class Reports(Case):
    """What holds for the report on any recording with valid times."""
    SILENT = 0.05  # of the thread time, idle and blocked: from there on something must be said

    def test_of_each(self):
        silent = 0
        for name in kept.names():
            with self.subTest(name):
                report = self.report(name)
                (self.e.folder / f"{name}.grain").unlink()
                time, metrics = report["thread_time"], report["metrics"]
                whole = sum(seconds for state, seconds in time.items() if state != "inflation")
                self.assertAlmostEqual(sum(seconds for what, seconds in metrics.items() if what.startswith("split_")), whole, delta=1e-9 * whole)
                if report["times_valid"] and report["verdict"].startswith("no problem found"):
                    silent += 1
                    self.assertLess(time["idle"] + time["blocked"], self.SILENT * whole)
        self.assertGreater(silent, 20)


class Predictions(Case):
    """Checks the claims of docs/validation.md: from one recording, and from two."""
    TYPICAL, WORST = 0.05, 0.15  # median and largest error, from one recording and from two
    WIDEST = 0.3                 # a range from two
    GAIN = {  # what two threads can take of one's time, by construction
        "irregular_tasks": (0.48, 0.65), "memory_bound": (0.45, 1.05), "pipeline": (0.48, 0.7), "ordered": (0.48, 0.75),
        "lock_heavy": (0.48, 1.3), "critical_loop": (0.48, 0.75), "uneven_dynamic": (0.48, 0.6), "serial_and_guided": (0.5, 0.75)}

    def each(self):
        for name, compiler in kept.PREDICTIONS:
            app = f"{name}-{compiler}"
            walls = MEASURED["predictions"][app]["wall_seconds"]
            for here, there in ((1, 2), (2, 1)):
                yield name, f"{app}-{here}", there, f"{app}-{there}-beside", walls[str(there)]

    def test_from_one(self):
        errors = []
        for name, here, there, _, truth in self.each():
            with self.subTest(here):
                p = self.predicted(here, there)
                errors.append(abs(p.best / truth - 1))
                self.assertLessEqual(errors[-1], self.WORST)
                self.assertLessEqual(p.within[0], truth)
                self.assertGreaterEqual(p.within[1], truth)
                self.assertGreaterEqual(p.ends[0], p.hold * (1 - 1e-6), "no less than a lock is held")
                if there == 2:
                    least, most = self.GAIN[name]
                    self.assertTrue(least <= p.best / p.recorded <= most, p.best / p.recorded)
        self.assertLessEqual(statistics.median(errors), self.TYPICAL)

    def test_from_both(self):
        errors = []
        for _, here, there, beside, truth in self.each():
            with self.subTest(here):
                p = self.predicted(here, there, "--with", self.file(beside))
                errors.append(abs(p.best / truth - 1))
                self.assertLessEqual(errors[-1], self.WORST)
                self.assertLessEqual(p.width(), self.WIDEST)
                self.assertLessEqual(p.within[0], truth)
                self.assertGreaterEqual(p.within[1], truth)
        self.assertLessEqual(statistics.median(errors), self.TYPICAL)


class Lines(Case):
    """A line between two CPUs that a host moves takes 30 ns or 210: two threads with short locks take longer by that."""

    def test_near_and_far(self):
        name = "critical_loop-gcc-1"
        ends = {text: self.predicted(self.with_line(name, text), 2).ends for text in ("30/210", "30/30", "210/210")}
        least, most = ends["30/210"]
        self.assertGreater(most, 1.05 * least)
        self.assertAlmostEqual(least, ends["30/30"][0], delta=1e-3 * least)
        self.assertGreaterEqual(most, max(ends["210/210"]) * (1 - 1e-3))
        self.assertEqual(self.predicted(name, 2).ends, self.predicted(self.with_line(name, "56.8/56.8"), 2).ends)

    def test_of_two_recordings(self):
        """All that was ever seen is no part of the range: what each recording saw."""
        for app in ("critical_loop-gcc", "critical_loop-clang"):
            both = lambda one, two: self.predicted(self.with_line(f"{app}-1", one), 2, "--with", self.file(self.with_line(f"{app}-2-beside", two)))
            self.assertEqual(both("30/210/60", "30/210/60").ends, both("60", "60").ends)
            near, far = both("30/210/110", "30/210/190"), both("30/210/190", "30/210/110")
            self.assertEqual(near.ends, far.ends)
            self.assertLess(near.width(), 0.3)
            self.assertGreater(near.ends[1], 1.01 * both("110", "110").ends[1])
            # CPUs at other distances share memory in other ways, too: that is no narrower than from one recording.
            self.assertGreater(both("30/210/35", "30/210/80").width(), 0.3)

    def with_line(self, name, text):
        """The name of the same recording, whose machine's lines take so long."""
        made = f"{name}-{text.replace('/', '-')}"
        change = lambda payload: re.sub(rb" line=[\d./]+", b" line=" + text.encode(), payload)
        (self.e.folder / f"{made}.grain").write_bytes(grain_file.rewrite(self.file(name).read_bytes(), {grain_file.META: change}))
        return made


class Changed(Case):
    """Answers about a changed program, compared with that program."""
    WITHIN = 0.1

    def test_answers(self):
        for name, was, now in kept.CHANGED:
            for app in (f"{name}-{compiler}" for compiler in prediction.COMPILERS):
                walls = MEASURED["changed"][app]["wall_seconds"]
                for words in now:
                    with self.subTest(app, words=words):
                        p = self.predicted(app, 2, *self.question(name, app, words))
                        truth = walls[" ".join(map(str, words))]
                        self.assertLessEqual(abs(p.best / truth - 1), self.WITHIN, f"{p.best} s predicted, {truth} s measured")

    def question(self, name, app, words):
        if name == "cut_off":
            return "--cutoff", f"depth={words[0]}"
        program = prediction.HERE / f"{name}.c"
        line = next(s["line"] for s in self.report(app)["sources"] if marked.is_marked(s.get("line"), program, words[0]))
        return "--what-if", f"line={name}.c:{line},speedup=2"

    def test_refused_where_nobody_knows(self):
        """Leaves so short that their recorded times are mostly the cost of recording: as calls, or made faster."""
        file = self.file("cut_off-short")
        line = next(s["line"] for s in self.report("cut_off-short")["sources"] if s.get("construct") == "task")
        for word, *options in (("Give the program that cut-off", "--cutoff", "depth=3"),
                               ("record it", "--what-if", f"line=cut_off.c:{line},speedup=2")):
            done = self.e.run("simulate", file, "--threads", 1, *options)
            self.assertEqual(done.returncode, 125)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
