"""einkorn compare: real programs at one and at more threads, and with a known change."""

import csv
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

from harness import BUILD, CLANG, CliTest, ahead_of_others, main

HERE = Path(__file__).resolve().parent
SCHEMA = HERE.parent.parent / "docs" / "compare-schema.json"

# The tasks at line 9 take as long as the first argument says; those at line 12 always the same, a third of a millisecond: virtual
# machines lose their CPUs for a fifth now and then.
TWO_LINES = r"""#include <stdlib.h>
static long spin(long n) { volatile long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }
int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 1000000;
  #pragma omp parallel
  #pragma omp single
  for (int i = 0; i < 40; ++i) {
    // some grains
    #pragma omp task
    spin(n);
    // and others
    #pragma omp task
    spin(1000000);
  }
  return 0;
}
"""

# Loops at lines 7 and 17, which have as many chunks, and tasks at line 14.
EDITED = r"""
static volatile int sink;
static __attribute__((noinline)) void some(int n) { for (volatile int i = 0; i < n; ++i) sink = i; }
static void work(void) {
  some(3);

  #pragma omp parallel for schedule(dynamic, 2)  // work
  for (int i = 0; i < 50; ++i) some(3000 + i);
}
int main(void) {
  #pragma omp parallel
  #pragma omp single
  for (int i = 0; i < 20; ++i) {
    #pragma omp task
    some(20000);
  }
  #pragma omp parallel for schedule(dynamic, 2)
  for (int i = 0; i < 50; ++i) some(2000);
  work();
  return 0;
}
"""

LOOP = r"""
static long spin(long n) { volatile long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }
int main(void) {
  #pragma omp parallel for schedule(runtime)
  for (int i = 0; i < 64; ++i) spin(50000);
  return 0;
}
"""


class Compare(CliTest):
    def record(self, name, *command, threads=2, **env):
        env["OMP_NUM_THREADS"] = str(threads)
        done = self.einkorn("record", "--no-report", "-o", name, "--", *command, env=env, preexec_fn=ahead_of_others)
        self.assertEqual(done.returncode, 0, done.stderr)

    def compare(self, before, after):
        """As JSON, which is as its schema says."""
        text = self.einkorn("compare", before, after)
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        self.text = text.stdout
        done = self.einkorn("compare", before, after, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        checked = subprocess.run(
            [sys.executable, str(HERE / "schema.py"), "--schema", str(SCHEMA), "-"],
            input=done.stdout,
            capture_output=True,
            text=True,
        )
        self.assertEqual(checked.returncode, 0, checked.stderr)
        return json.loads(done.stdout)

    def test_programs_on_one_thread_and_on_two(self):
        # Deterministic programs: every task has its counterpart, whoever ran it.
        for program, options in [
            ("fib", ["--size", "16"]),
            ("nqueens", ["--size", "8"]),
            ("sparselu", ["--size", "8", "--block", "16"]),
            ("strassen", ["--size", "128"]),
            ("sort", ["--size", "100000"]),
        ]:
            for compiler in ["gcc", "clang"]:
                with self.subTest(program=program, compiler=compiler):
                    app = BUILD / "programs" / f"{program}-{compiler}"
                    self.record("one.grain", app, *options, threads=1)
                    self.record("two.grain", app, *options, threads=2)
                    c = self.compare("one.grain", "two.grain")
                    self.assertEqual((c["before"]["threads"], c["after"]["threads"]), (1, 2))
                    tasks = [line for line in c["lines"] if line["kind"] == "task"]
                    self.assertTrue(tasks)
                    for line in tasks:
                        self.assertEqual(line["before"]["grains"], line["after"]["grains"])
                        self.assertEqual(line["matched"], line["after"]["grains"])
                        self.assertNotIn("only_before", line)
                        self.assertNotIn("only_after", line)

    def test_repetitions(self):
        app = self.compile(TWO_LINES, "-g")
        files = ["a.grain", "b.grain", "c.grain"]
        for file in files:
            self.record(file, app, "1000")
        text = self.einkorn("compare", "--repeated", *files)
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        self.assertIn("3 recordings of", text.stdout)
        done = self.einkorn("compare", *files, "--repeated", "--json")
        checked = subprocess.run(
            [sys.executable, str(HERE / "schema.py"), "--schema", str(SCHEMA.with_name("repeated-schema.json")), "-"],
            input=done.stdout,
            capture_output=True,
            text=True,
        )
        self.assertEqual(checked.returncode, 0, checked.stderr)
        told = json.loads(done.stdout)
        reports = [json.loads(self.einkorn("report", "--json", file).stdout) for file in files]
        self.assertEqual([r["times_valid"] for r in told["recordings"]], [r["times_valid"] for r in reports])
        lines = {line["line"]: line["grains"] for line in told["lines"] if line["kind"] == "task"}
        for line in (9, 12):  # counts do not vary, busy or not
            self.assertEqual((lines[line]["recordings"], lines[line]["mean"], lines[line]["standard_deviation"]), (3, 40, 0))
        self.assert_refused(self.einkorn("compare", *files), 125, "--repeated")
        self.assert_refused(self.einkorn("compare", "--repeated", *files, "--html", "x.html"), 125, "--html")
        self.record("four.grain", app, "1000", threads=4)
        self.assert_refused(self.einkorn("compare", "--repeated", "a.grain", "four.grain"), 125, "2 threads", "4 threads")

    def test_repetitions_by_the_clock(self):
        files = [self.kept(f"two_lines-{which}", f"{which}.grain") for which in ("before", "after")]
        told = json.loads(self.einkorn("compare", "--repeated", "--json", *files).stdout)
        seconds = [json.loads(self.einkorn("report", "--json", file).stdout)["wall_seconds"] for file in files]
        wall = told["figures"]["wall_seconds"]
        self.assertEqual([r["times_valid"] for r in told["recordings"]], [True, True])
        self.assertAlmostEqual(wall["mean"], statistics.mean(seconds))
        self.assertAlmostEqual(wall["standard_deviation"], statistics.stdev(seconds))
        self.assertAlmostEqual(wall["percent_of_least"], 100 * statistics.stdev(seconds) / min(seconds))

    def test_a_known_change(self):
        self.kept("two_lines-before", "a.grain")
        self.kept("two_lines-after", "b.grain")
        c = self.compare("a.grain", "b.grain")
        self.assertTrue(c["matched"]["per_grain"])
        self.assertEqual(c["matched"]["grains"], c["grains_before"]["grains"])
        self.assertNotIn("not_comparable", c)
        first, second = c["lines"][:2]
        self.assertEqual(first["line"], 9)
        self.assertEqual(second["line"], 12)
        self.assertGreater(first["median_deviation"], 2.4)
        self.assertLess(first["median_deviation"], 3.6)
        self.assertAlmostEqual(second["median_deviation"], 1, delta=0.25)
        self.assertGreater(c["inflation_seconds"], 0)
        self.assertTrue(all(g["line"] == 9 for g in c["changed"]))
        last = self.text.strip().splitlines()[-1]
        self.assertRegex(last, r"^app\.c:9 takes .* more in the second recording")
        self.assertIn("command lines differ", self.text)

    def pairs(self, before, after):
        """Of the lines in both: was and is, with the part of their grains that are the same."""
        c = self.compare(before, after)
        both = [line for line in c["lines"] if line["before"]["grains"] and line["after"]["grains"] and line["kind"] != "share"]
        return {(line.get("was", {}).get("line", line["line"]), line["line"]): line["matched"] / line["after"]["grains"] for line in both}

    def test_lines_after_an_edit(self):
        """Which line is which, by real compilers; what is slower after each edit is tested on times that are made up
        (profile_compare_edits_test.cpp)."""
        self.record("a.grain", self.compile(EDITED, "-g"))
        same = {(7, 7): 1, (14, 14): 1, (17, 17): 1}

        def moved(by):
            return {(line, line + by): 1 for line in (7, 14, 17)}

        work = EDITED[EDITED.index("static void work"):EDITED.index("int main")]
        below = EDITED.replace(work, "static void work(void);\n") + work
        self.assertEqual(below.splitlines()[19].strip(), "#pragma omp parallel for schedule(dynamic, 2)  // work")
        (self.folder / "else where").mkdir()
        for what, source, options, expected in [
            ("comments", "/* three\nnew\nlines */\n" + EDITED, {}, moved(3)),
            ("as far as to the next loop", 10 * "\n" + EDITED, {}, moved(10)),
            ("a moved function", below, {}, {(7, 20): 1, (14, 9): 1, (17, 12): 1}),
            ("a renamed function", "\n" + EDITED.replace("work(", "other("), {}, moved(1)),
            ("another folder", "\n" + EDITED, {"name": "else where/app"}, moved(1)),
            ("another compiler", "\n" + EDITED, {"compiler": CLANG}, moved(1)),
            ("other flags", "\n" + EDITED, {"flags": ["-O2", "-fno-inline"]}, moved(1)),
            ("rebuilt in place", EDITED, {"flags": ["-O0"]}, same),
        ]:
            with self.subTest(what=what):
                flags = options.pop("flags", [])
                self.record("b.grain", self.compile(source, "-g", *flags, **options))
                self.assertEqual(self.pairs("a.grain", "b.grain"), expected)
                if expected != same:
                    self.assertRegex(self.text, r"app\.c:\d+ \(was app\.c:\d+\) +(loop|task) ")

    def test_one_more_construct(self):
        """What comes behind it is what it was, though its name has shifted."""
        self.record("a.grain", self.compile(EDITED, "-g"))
        more = EDITED.replace("int main(void) {", "int main(void) {\n  #pragma omp parallel for schedule(dynamic, 2)\n  for (int i = 0; i < 50; ++i) sink = -i;")
        self.record("b.grain", self.compile(more, "-g"))
        self.assertEqual(self.pairs("a.grain", "b.grain"), {(7, 7): 1, (14, 16): 1, (17, 19): 1})
        self.assertRegex(self.text, r"(?s)Lines in one recording only.*\n  app\.c:11 ")

    def test_a_report_with_a_baseline(self):
        self.kept("two_lines-before", "a.grain")
        self.kept("two_lines-two", "b.grain")
        done = self.einkorn("report", "b.grain", "--baseline", "a.grain", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertTrue(report["times_valid"])
        self.assertEqual(done.stderr, "")
        checked = subprocess.run(
            [sys.executable, str(HERE / "schema.py"), "-"], input=done.stdout, capture_output=True, text=True
        )
        self.assertEqual(checked.returncode, 0, checked.stderr)
        # The tasks at line 9 take three times as long, the others as long as before: twice the work.
        work = report["thread_time"]["work"]
        self.assertAlmostEqual(report["thread_time"]["inflation"] / work, 0.5, delta=0.1)
        inflated = [p["line"] for p in report["problems"] if p["kind"] == "work_inflation"]
        self.assertEqual(inflated, [9])
        text = self.einkorn("report", "b.grain", "--baseline", "a.grain")
        self.assertRegex(text.stdout, r"(?m)^ +inflation +[0-9.]+ m?s +4\d\.\d %|^ +inflation +[0-9.]+ m?s +5\d\.\d %")
        done = self.einkorn("export", "b.grain", "--baseline", "a.grain", "--to", "csv", "-o", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        deviation = {}
        for grain in csv.DictReader(done.stdout.splitlines()):
            if grain["work_deviation"]:
                deviation.setdefault(int(grain["line"]), []).append(float(grain["work_deviation"]))
        # Tasks one by one, the two shares of the region by what their team did.
        self.assertEqual({line: len(values) for line, values in deviation.items()}, {5: 2, 9: 40, 12: 40})
        self.assertAlmostEqual(statistics.median(deviation[9]), 3, delta=0.6)
        self.assertAlmostEqual(statistics.median(deviation[12]), 1, delta=0.25)
        without = json.loads(self.einkorn("report", "b.grain", "--json").stdout)
        self.assertNotIn("inflation", without["thread_time"])
        self.assert_refused(self.einkorn("report", "b.grain", "--baseline", "no.grain"), 125, "no.grain")

    def test_a_baseline_of_something_else(self):
        app, other = self.compile(TWO_LINES, name="app"), self.compile(LOOP, name="other")
        self.record("a.grain", app, threads=1)
        self.record("b.grain", other, OMP_SCHEDULE="dynamic,4", threads=1)
        done = self.einkorn("report", "a.grain", "--baseline", "b.grain", "--json")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(
            done.stderr, "^einkorn: (only .* of the work is in b.grain too|the times of b.grain mean nothing)"
        )
        json.loads(done.stdout)

    def test_loops_that_are_cut_otherwise(self):
        app = self.compile(LOOP, "-g")
        self.record("a.grain", app, OMP_SCHEDULE="dynamic,4")
        self.record("b.grain", app, OMP_SCHEDULE="dynamic,7")
        c = self.compare("a.grain", "b.grain")
        self.assertFalse(c["matched"]["per_grain"])
        self.assertNotIn("changed", c)
        self.assertTrue(all("median_deviation" not in line for line in c["lines"]))
        (instance,) = c["loops"]
        self.assertEqual((instance["before"]["chunks"], instance["after"]["chunks"]), (16, 10))
        self.assertEqual((instance["before"]["iterations"], instance["after"]["iterations"]), (64, 64))
        self.assertIn("less than 95 %", self.text)
        # The same chunks: all of them match.
        self.record("c.grain", app, OMP_SCHEDULE="dynamic,4", threads=1)
        c = self.compare("a.grain", "c.grain")
        (chunks,) = [line for line in c["lines"] if line["kind"] == "chunk"]
        self.assertEqual(chunks["matched"], 16)

    def test_what_cannot_be_compared(self):
        self.assert_refused(
            self.einkorn("compare", "missing.grain", "other.grain"), 125, "missing.grain", "No such file"
        )
        app = self.compile(TWO_LINES)
        self.record("a.grain", app, "1000")
        (self.folder / "thesis.tex").write_text("x" * 1000)
        self.assert_refused(self.einkorn("compare", "a.grain", "thesis.tex"), 125, "thesis.tex", "is not a recording")

    def page(self, before, after, *options):
        """The words on the page of both; its numbers are tested in tests/viewer."""
        done = self.einkorn("compare", before, after, "--html", "both.html", *options)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        text = (self.folder / "both.html").read_text()
        parts = re.findall(r'<script type="application/json" id="einkorn-([a-z-]+)">(.*?)</script>', text, re.S)
        return {name: json.loads(data) for name, data in parts}

    def test_the_page_of_both(self):
        app, other = self.compile(TWO_LINES, "-g", name="app"), self.compile(LOOP, "-g", name="other")
        empty = self.compile("int main(void) {\n#pragma omp barrier\n  return 0;\n}\n", name="empty")
        self.record("a.grain", app, "10000", threads=1)
        self.record("b.grain", app, "20000")
        page = self.page("a.grain", "b.grain")
        self.assertEqual(set(page), {"meta", "pair", "before-meta"})
        self.assertEqual((len(page["before-meta"]["threads"]), len(page["meta"]["threads"])), (1, 2))
        c = self.compare("a.grain", "b.grain")
        pair = page["pair"]
        self.assertEqual(pair["matched"], c["matched"]["grains"])
        self.assertEqual([line["matched"] for line in pair["lines"]], [line["matched"] for line in c["lines"]])
        self.assertEqual(pair["only_after"]["grains"], c["only_after"]["grains"])
        self.assertTrue(any("command lines differ" in r for r in pair["remarks"]), pair["remarks"])
        self.assertIn("files", page["meta"])
        self.assertNotIn("files", self.page("a.grain", "b.grain", "--no-source")["meta"])
        # Of other programs, and of one without any grain.
        self.record("c.grain", other, OMP_SCHEDULE="dynamic,4")
        pair = self.page("a.grain", "c.grain")["pair"]
        self.assertEqual((pair["matched"], pair["per_grain"]), (0, False))
        self.assertTrue(any("different programs, app and other" in r for r in pair["remarks"]), pair["remarks"])
        self.compare("a.grain", "c.grain")
        self.assertIn("different programs", self.text)
        self.record("d.grain", empty)
        for before, after in [("d.grain", "a.grain"), ("a.grain", "d.grain"), ("d.grain", "d.grain")]:
            pair = self.page(before, after)["pair"]
            self.assertIn("d.grain has no grains.", pair["remarks"])
            self.assertEqual(pair["matched"], 0)
        # Requests that make no sense.
        self.assert_refused(self.einkorn("compare", "a.grain", "b.grain", "--html", "no/such.html"), 125, "no/such.html")
        self.assert_refused(self.einkorn("compare", "a.grain", "b.grain", "--html", "x.html", "--json"), 125, "--json")

    def test_a_prediction_is_marked(self):
        self.kept("two_lines-before", "a.grain")
        done = self.einkorn("simulate", "a.grain", "--machine", "core:4", "--threads", "4", "--schedule", "ws", "-o", "p.grain")
        self.assertEqual(done.returncode, 0, done.stderr)
        c = self.compare("a.grain", "p.grain")
        self.assertNotIn("predicted", c["before"])
        self.assertIn("4 threads on", c["after"]["predicted"])
        self.assertIn("p.grain is predicted, not recorded", self.text)
        pair = self.page("a.grain", "p.grain")["pair"]
        self.assertNotIn("predicted", pair["before"])
        self.assertEqual(pair["after"]["predicted"], c["after"]["predicted"])

    def test_times_that_mean_nothing(self):
        app = self.compile(TWO_LINES)
        self.record("a.grain", app, "1000")
        done = self.einkorn("record", "--no-report", "--machine", "numa:2 core:2", "-o", "b.grain", "--", app, "1000")
        self.assertEqual(done.returncode, 0, done.stderr)
        c = self.compare("a.grain", "b.grain")
        self.assertIn("b.grain", c["not_comparable"])
        self.assertNotIn("speedup", c)
        self.assertTrue(all("change_seconds" not in line for line in c["lines"]))
        self.assertIn("Only numbers of grains can be compared.", self.text)


if __name__ == "__main__":
    main()
