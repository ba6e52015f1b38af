"""Programs whose truth is known from what they do and for how long: the report must tell it, for recordings by both compilers.

Times are checked in recordings that were kept when the machine did nothing else (tests/kept), with what the program had measured of itself;
structure, counts and what makes times invalid are checked live, on any machine.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import known
from known import Recording


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="einkorn-truth-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def each(self, name):
        return [known.build(name, compiler, self.folder) for compiler in known.COMPILERS]

    PART = 0.03

    def near(self, value, truth, what, part=PART):
        self.assertLessEqual(abs(value - truth), part * truth, f"{what}: {value}, in truth {truth}")

    def speedup(self, recording, threads):
        """Simulated: the least and the most."""
        point = recording.simulated(threads)
        return point["speedup_range"] if "speedup_range" in point else [point["speedup"]] * 2

    def kept(self, name, threads, *words):
        """By each compiler."""
        for compiler in known.COMPILERS:
            recording = known.Kept(name, compiler, threads, words, self.folder)
            self.about = recording.program
            self.assertEqual(recording.report["times_valid"], known.kept.BESIDE not in words)
            yield recording
        self.about = ""

    about = ""  # which recording a failure is about

    def _formatMessage(self, message, standard):
        return f"{self.about} {super()._formatMessage(message, standard)}"


class Codelets(Case):
    RUNS, BRIEF = 5, 500
    OF_A_RUN = {"first": 1, "wide": 6, "inner": 2}
    TASKS = 3 * RUNS + 1
    SPAN = 0.05 + 0.10 + 0.04 + 0.03 + 0.06  # ms of a run, at least: each is the longest of its class

    def test_each_is_told_or_counted(self):
        for program in self.each("codelets"):
            for threads in (1, 2, 4):
                report = Recording(program, threads, folder=self.folder).report
                lines = {s["line"]: s["grains"] for s in report["sources"] if s["construct"] == "codelet"}
                counted = {a["line"]: a["executed"] for a in report.get("aggregates", [])}
                self.about = f"{program.name}, {threads} threads"
                for name, count in self.OF_A_RUN.items():
                    line = known.line_of("codelets", name)
                    self.assertEqual((lines.get(line), counted.get(line)), (self.RUNS * count, None), name)
                brief = known.line_of("codelets", "brief")
                self.assertEqual(lines.get(brief, 0) + counted.get(brief, 0), self.RUNS * self.BRIEF)
                self.assertEqual(report["tasks"], self.RUNS * (sum(self.OF_A_RUN.values()) + self.BRIEF + 2) + self.TASKS)
                # The longest path goes through the arcs, and through those that were only counted.
                self.assertGreaterEqual(report["metrics"]["span_seconds"] * 1e3, self.RUNS * self.SPAN)

    def test_what_the_library_does_stands_where_the_program_calls_it(self):
        """Not in our header, whose functions are inlined, nor in the library, which may begin a region for a run."""
        source = (known.HERE / "programs" / "codelets.c").read_text().splitlines()
        for program in self.each("codelets"):
            report = Recording(program, 2, folder=self.folder).report
            runs = [w for w in report["waits"] if w["construct"] in ("codelet graph", "taskgroup")]
            self.assertGreater(len(runs), 0)
            for row in runs:
                self.assertIn("ek_graph_run", source[row["line"] - 1], f"{program.name}: {row}")
            for row in [*report["waits"], *report["sources"]]:
                self.assertTrue(row["file"].endswith("/codelets.c"), f"{program.name}: {row}")

    def test_names_are_those_of_any_recording(self):
        """Whoever fired them, and whatever else was recorded."""
        for program in self.each("codelets"):
            names = []
            for threads in (1, 3):
                recording = Recording(program, threads, folder=self.folder)
                places = {known.line_of("codelets", name) for name in self.OF_A_RUN}
                rows = [r for r in recording.tasks() if r["construct"] == "codelet" and int(r["line"] or 0) in places]
                names.append(sorted(r["id"] for r in rows))
            self.assertEqual(names[0], names[1], program.name)
            self.assertEqual(len(set(names[0])), self.RUNS * sum(self.OF_A_RUN.values()))


class Undeferred(Case):
    WORK, SPAN = 34, 18  # ms

    def truth(self, recording):
        """Adds what the initial thread does before and after the region, which is on every path."""
        serial = recording.report["thread_time"]["serial"] * 1e3
        return (self.WORK + serial) / (self.SPAN + serial)

    def test_the_program_serializes(self):
        for threads in (1, 2):
            for recording in self.kept("undeferred", threads):
                truth = self.truth(recording)
                self.near(recording.report["parallelism"], truth, f"{threads} threads, parallelism")
                self.near(self.speedup(recording, 64)[1], truth, f"from {threads} threads, simulated on 64")

    def test_which_run_at_once(self):
        for program in self.each("undeferred"):
            for threads in (1, 2):
                self.check_at_once(Recording(program, threads), threads)

    def check_at_once(self, recording, threads):
        tasks = recording.tasks()
        at_once = [t for t in tasks if t["undeferred"] == "true" and t["inlined"] != "true"]
        self.assertEqual((len(tasks), len(at_once)), (17, 16), f"{threads} threads")
        self.assertEqual(sum(t["included"] == "true" for t in at_once), 8)
        self.assertEqual({t["create_cost_ns"] for t in at_once}, {""}, "nobody timed how long it takes to make them")

    def test_the_runtime_runs_them_at_once(self):
        for program in self.each("deferrable"):
            tasks = Recording(program, 1).tasks()
            self.assertEqual({(t["undeferred"], t["inlined"], t["create_cost_ns"]) for t in tasks}, {("true", "true", "")})
        for recording in self.kept("deferrable", 1):
            serial = recording.report["thread_time"]["serial"] * 1e3
            self.near(recording.report["parallelism"], (32 + serial) / (2 + serial), "parallelism")
            self.near(self.speedup(recording, 16)[1], (32 + serial) / (2 + serial), "simulated on 16")


class Ordered(Case):
    WORK, SPAN = 80, 61  # ms
    BLOCKED, IDLE = 39, 3  # two threads: the first turn comes after 3 ms, each other one after 2; who had the last turn but one idles

    def truth(self, recording):
        serial = recording.report["thread_time"]["serial"] * 1e3
        return (self.WORK + serial) / (self.SPAN + serial)

    def test_it_serializes(self):
        for recording in self.kept("ordered", 2):
            report = recording.report
            self.near(report["parallelism"], self.truth(recording), "parallelism")
            self.near(report["metrics"]["speedup_bound"], self.truth(recording), "bound")
            times = {state: 1e3 * seconds for state, seconds in report["thread_time"].items()}
            late = 1e3 * report["wall_seconds"] - times["serial"] - self.SPAN  # hand-overs, for each of which one thread waits
            self.assertLess(late, self.PART * self.SPAN)
            self.near(times["work"], self.WORK, "work")
            self.near(times["blocked"], self.BLOCKED + late, "blocked")
            self.near(times["idle"], self.IDLE + late / 19, "idle")
            problem = report["problems"][0]
            self.assertEqual(problem["kind"], "ordered", report["verdict"])
            line = known.line_of("ordered", "ORDERED")
            self.assertIn(problem["line"], (line - 1, line, line + 1))  # compilers differ
            self.near(1e3 * problem["gain_seconds"], self.SPAN + late - self.WORK / 2, "gain, against none of it in order")
            waits = [w for w in report["waits"] if w["construct"] == "ordered"]
            self.near(sum(w["blocked_seconds"] for w in waits), report["thread_time"]["blocked"], "blocked by place")
            self.assertEqual([lock["acquired"] for lock in report["locks"]], [20])
            self.near(report["locks"][0]["held_seconds"], 0.060, "held")

    def test_entered_by_each_iteration(self):
        for program in self.each("ordered"):
            report = Recording(program, 2).report
            self.assertEqual([lock["acquired"] for lock in report["locks"]], [20])
            self.assertEqual(report["chunks"], 20)

    def test_it_bounds_what_is_simulated(self):
        for recorded in (1, 2):
            for recording in self.kept("ordered", recorded):
                for threads in (2, 16):
                    least, most = self.speedup(recording, threads)
                    self.near(most, self.truth(recording), f"from {recorded} to {threads}")
                    self.assertLessEqual(least, 1.03 * self.truth(recording))  # less if the work may wait for memory
                predicted = recording.predicted(4)
                self.near(predicted["parallelism"], self.truth(recording), "parallelism of the prediction")
                self.assertGreater(predicted["thread_time"]["blocked"], 0)


class Measured(Case):
    """Agrees within 3 % with what programs measured of themselves, by the clock, and the cause is named."""

    def check(self, recording, kind, mark):
        report, truth = recording.report, json.loads(recording.printed)
        t = {name: 1e3 * seconds for name, seconds in report["thread_time"].items()}
        near = lambda value, of, what, also=0.5: self.assertLessEqual(
            abs(value - of), self.PART * of + also, f"{what}: {value} ms, measured {of} ms")
        near(t["work"] + t["offcpu"], truth["work"], "work by the clock")
        near(t["work"], truth["cpu"], "work")
        near(1e3 * report["critical_path_seconds"], truth["longest"] + t["serial"], "longest path")
        near(t["idle"], truth["waited"], "idle")
        near(t["blocked"], truth["blocked"], "blocked")
        if truth["before"]:
            near(t["serial"], truth["before"], "serial", 2)  # the program's start is in it
        if kind is None:
            return self.assertEqual([p["kind"] for p in report["problems"]], [], report["verdict"])
        problem = report["problems"][0]
        self.assertEqual(problem["kind"], kind, report["verdict"])
        line = known.line_of("measured", mark)
        self.assertIn(problem["line"], range(line, line + 3), report["verdict"])  # of the directive, or what is below it
        gain = (t["serial"] if kind == "serial" else truth["waited"] + truth["blocked"]) / 2  # by the other of two threads
        near(1e3 * problem["gain_seconds"], gain, "gain")

    def each_compiler(self, subject, kind=None, mark=None):
        for recording in self.kept("measured", 2, subject):
            self.check(recording, kind, mark)

    def test_serial(self):
        self.each_compiler("serial", "serial", "REGION")

    def test_imbalance_that_alternates(self):
        self.each_compiler("alternating", "load_imbalance", "BARRIER")

    def test_idle(self):
        self.each_compiler("idle", "load_imbalance", "BARRIER")

    def test_critical(self):
        self.each_compiler("critical", "lock", "CRITICAL")

    def test_ordered(self):
        self.each_compiler("ordered", "ordered", "ORDERED")

    def test_guided(self):
        self.each_compiler("guided", "too_coarse", "GUIDED")

    def test_nested(self):
        self.each_compiler("nested", "load_imbalance", "BARRIER")

    def test_undeferred(self):
        self.each_compiler("undeferred", "too_coarse", "UNDEFERRED")

    def test_nothing_wrong(self):
        self.each_compiler("even")


class Validity(Case):
    def test_two_threads_of_one_cpu(self):
        for program in self.each("spinning"):
            recording = Recording(program, 2, before=["taskset", "-c", str(min(os.sched_getaffinity(0)))])
            report = recording.report
            self.assertFalse(report["times_valid"])
            # By the recording's own figures: unless the host took the CPU, or something stopped a thread, for longer.
            off, waited, stolen = (report.get(f"{what}_seconds", 0) for what in ("off_cpu", "cpu_wait", "steal"))
            self.assertIn("the host of" if stolen >= max(off, waited) / 2 else "2 threads share 1 CPU" if waited >= off / 2 else "or were stopped",
                          recording.text)
            if int(recording.printed) == 0:  # else something stopped a thread
                self.assertGreater(report["taken_seconds"], 0.1, "who only spins does not sleep")

    def test_bound_threads_do_not_share_a_cpu(self):
        """The initial thread is bound before anything is recorded; still the process may use all CPUs."""
        cpus = len(os.sched_getaffinity(0))
        for program in self.each("spinning"):
            recording = Recording(program, 2, OMP_PROC_BIND="true", OMP_PLACES="threads")
            self.assertEqual(recording.report["cpus"], cpus)
            if cpus > 1:
                self.assertNotIn("share 1 CPU", recording.text)

    def test_another_program_on_the_same_cpus(self):
        """Another program takes half of the CPUs: by the clock the threads worked twice as long as they really did."""
        for compiler in known.COMPILERS:
            program = known.build("measured", compiler, self.folder)
            for cpus in sorted(os.sched_getaffinity(0))[:1], sorted(os.sched_getaffinity(0))[:2]:
                with known.others(cpus):
                    recording = Recording(program, len(cpus), before=["taskset", "-c", ",".join(map(str, cpus))], words=["even"])
                self.check_beside(recording, 0.1)  # the machine may be busier still: pieces are cut short

    def test_another_program_on_the_same_cpus_as_kept(self):
        for recording in self.kept("measured", 2, "even", known.kept.BESIDE):
            self.check_beside(recording, self.PART)

    def check_beside(self, recording, part):
        report, truth = recording.report, json.loads(recording.printed)
        self.assertFalse(report["times_valid"])
        self.assertGreater(report["cpu_wait_seconds"], 0.2 * truth["work"] / 1e3)
        self.assertRegex(recording.text, "other programs|host of")  # whose share was larger
        self.assertNotIn("slept", recording.text)
        self.assertLess(truth["cpu"], 0.8 * truth["work"], "the others had no CPU")
        self.near(report["thread_time"]["work"], truth["cpu"] / 1e3, "work on a CPU", part)
        self.assertEqual([p for p in report["problems"] if "gain_seconds" in p], [])

    def test_who_sleeps_is_told_so(self):
        for program in self.each("sleeping"):
            recording = Recording(program, 2)
            self.assertFalse(recording.report["times_valid"])
            by_itself = recording.report["cpu_wait_seconds"] < recording.report["off_cpu_seconds"] / 2  # else other work was in the way
            self.assertRegex(recording.text, "slept in the program's own code" if by_itself else "other programs|host of")

    def test_what_recording_costs(self):
        """The writer's CPU time is at least what any reader of it sees; there is at least one stamp per task."""
        for program in self.each("fine"):
            recording = Recording(program, 2)
            cost = recording.report["recording"]
            self.assertGreater(cost["stamps"], 500_000)
            self.assertGreater(cost["stamps_seconds"], 500_000 * 2e-9)
            self.assertGreater(cost["writer_seconds"], 0.0001)
            self.assertIn("Recording took", recording.text)


if __name__ == "__main__":
    unittest.main()
