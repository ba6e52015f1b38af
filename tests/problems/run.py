"""What holds for the programs of programs/ on any machine, however busy: counts, lines, results, and findings that need no times. What
reports say of their times is tested with recordings that are kept (tests/kept), and measured by bench/problems.py.

Each program is built by both compilers, with reduced work, and is recorded with its problem and fixed.
"""
import os
import sys
import tempfile
import unittest
from pathlib import Path

import seeded
import marked  # from the folder that seeded knows

BUILD = Path(os.environ.get("EINKORN_BUILD") or sys.exit("EINKORN_BUILD is not set: run the tests with ctest")).resolve()
EINKORN = BUILD / "bin" / "einkorn"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="einkorn-problems-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name


class SeededProblems(Case):
    def each_compiler(self, name, fewer, check):
        """check(with the problem, fixed): each a report and what the program printed."""
        how = seeded.SEEDED[name]
        for compiler in seeded.COMPILERS:
            with self.subTest(program=name, compiler=compiler):
                program = seeded.compile_program(name, self.folder, compiler=compiler)
                both = []
                for words in (("problem", str(fewer)), ("fixed", str(fewer))):
                    beside = seeded.accesses(EINKORN, name, words, self.folder)
                    both.append(seeded.report(EINKORN, program, words, self.folder, how.get("record", ()), beside))
                check(*both)

    def test_counts_and_lines(self):
        for name, how in seeded.SEEDED.items():
            self.each_compiler(name, seeded.FEWER, lambda *both: self.check_counts(name, how, both))

    def check_counts(self, name, how, both):
        results = [printed.split()[1] for _, printed in both]
        self.assertEqual(results[0], results[1], "the fixed version computes something else")
        for (report, _), counts in zip(both, how["counts"]):
            kinds = ("tasks", "regions", "chunks")[:len(counts)]
            self.assertEqual(tuple(report[kind] for kind in kinds), counts, kinds)
            self.assertEqual((report["complete"], report["lost_tasks"], report["lost_chunks"]), (True, 0, 0))
            if not report["times_valid"]:
                self.assertEqual([p for p in report["problems"] if "gain_seconds" in p], [], "seconds of times that are not valid")
        mark = "TASK" if how.get("accesses") else "PROBLEM"
        bad = both[0][0]
        places = [*bad["sources"], *bad["waits"], *bad["locks"]]
        lines = {place.get("line") for place in places if place.get("file", "").endswith(f"/{name}.c")}
        self.assertTrue(any(seeded.is_line(line, name, mark) for line in lines), f"line {marked.marked_line(seeded.source(name), mark)} is none of {lines}")

    def check_told(self, name, bad, fixed):
        """The problem is reported, with its line and without seconds; in the fixed program it is not."""
        told = [p for p in bad["problems"] if seeded.is_about(p, name)]
        self.assertEqual(len(told), 1, [(p["kind"], p.get("line")) for p in bad["problems"]])
        self.assertGreater(told[0]["grains"], 0)
        self.assertTrue(told[0]["evidence"])
        self.assertEqual([p["kind"] for p in fixed["problems"] if seeded.is_about(p, name)], [])
        return told[0]

    def test_one_creator_for_sixteen_workers(self):
        def check(bad, fixed):
            told = self.check_told("creator", bad[0], fixed[0])
            self.assertNotIn("gain_seconds", told)
            self.assertIn(f"creator.c:{told['line']}", bad[0]["verdict"])
        self.each_compiler("creator", 1, check)

    def test_loops_in_the_wrong_order(self):
        def check(bad, fixed):
            self.assertRegex(self.check_told("loops", bad[0], fixed[0])["what"], "steps of 8,192 bytes")
        self.each_compiler("loops", 4, check)

    def test_serial_initialisation(self):
        """Which bytes are remote depends on who happened to run what; how many there are does not."""
        def check(bad, fixed):
            block = 32768 * 8
            for (report, _), tasks, blocks in ((bad, 641, 11 * 64), (fixed, 704, 11 * 64)):
                of = report["locality"]["footprint"]
                self.assertEqual((of["tasks"], of["bytes"]), (tasks, blocks * block))
                self.assertLessEqual(of["remote_bytes"], of["known_bytes"])
        self.each_compiler("initialisation", 1, check)


if __name__ == "__main__":
    unittest.main(verbosity=2)
