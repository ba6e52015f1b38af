"""What the report says of recordings, apart from which problem comes first: whose time the start is, at which line a construct is, what a
baseline tells, and what is left of a recording whose times are a little off. Live; recorded until its times are as they should be."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from first_hour import BUSY, EINKORN, TRIES


class Told(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="told-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "busy.h").write_text(BUSY)

    def build(self, text, *options, compiler=("gcc",), name="p.c"):
        (self.folder / name).write_text(text)
        subprocess.run([*compiler, "-g", "-fopenmp", *options, name, "-o", "p", "-lm"], cwd=self.folder, check=True, capture_output=True)

    def tool(self, *words, threads=2, status=0):
        def ahead():
            try:
                os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
            except PermissionError:
                pass
        done = subprocess.run([EINKORN, *words], cwd=self.folder, capture_output=True, text=True, preexec_fn=ahead, timeout=120,
                              env=os.environ | {"OMP_NUM_THREADS": str(threads)})
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def record(self, file="p.grain", threads=2, good=lambda report: report["times_valid"]):
        for _ in range(TRIES):
            self.tool("record", "--no-report", "-o", file, "--", "./p", threads=threads)
            report = json.loads(self.tool("report", "--json", file).stdout)
            if good(report):
                return report
        self.fail("no recording with valid times: is the machine busy?")

    def test_start_is_the_recorders(self):
        """To make the file and its writer took a millisecond of what was told as the program's serial time."""
        self.build(r"""
#include "busy.h"
int main(void) {
  #pragma omp parallel for num_threads(2) schedule(dynamic)
  for (int i = 0; i < 20; i++) busy(500);
  return 0;
}
""")
        report = self.record(good=lambda r: r["times_valid"] and r["thread_time"]["serial"] < 0.0009)
        self.assertNotIn("serial", [p["kind"] for p in report["problems"]])
        self.assertGreater(report["thread_time"]["recorder"], 0)

    def test_shares_by_their_barrier(self):
        """gcc gives a barrier the line of its loop, or, where it is the last call of a function and becomes a jump, of the brace that ends
        that."""
        for last, light, heavy in (("", (7, 8, 9), (11, 12, 13)), ('__asm__ volatile("");', (7, 8), (11, 12))):
            with self.subTest(last=last):
                self.build(r"""
#include <math.h>
#include <stdio.h>
#define N 100000
static double a[N], b[N];
static void light(void) {
#pragma omp for
  for (int i = 0; i < N; i++) a[i] = b[i] + 1;
LAST}
static void heavy(void) {
#pragma omp for
  for (int i = 0; i < N; i++) b[i] = sin(a[i]) * exp(-a[i]);
LAST}
int main(void) {
#pragma omp parallel
  for (int t = 0; t < 5; t++) { light(); heavy(); }
  printf("%g\n", b[7]);
}
""".replace("LAST", last), "-O2", "-fno-inline")
                report = self.record(good=lambda r: True)
                rows = {s["function"]: s["line"] for s in report["sources"] if s["construct"] == "share"}
                self.assertEqual(set(rows), {"light", "heavy"}, report["sources"])
                self.assertIn(rows["light"], light)
                self.assertIn(rows["heavy"], heavy)

    def test_loops_by_the_inline_chain(self):
        """gcc's call for the first chunk has the line of the function that was inlined for the bound."""
        c = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
struct vec { double *x; int n; };
static inline int len(const struct vec *v) { return v->n; }
static void first(struct vec *v) {
#pragma omp parallel for schedule(dynamic, 1000)
  for (int i = 0; i < len(v); i++) v->x[i] = sin(v->x[i]);
}
static void second(struct vec *v) {
#pragma omp parallel for schedule(dynamic, 1000)
  for (int i = 0; i < len(v); i++) v->x[i] = exp(v->x[i]);
}
int main(void) {
  struct vec v = {malloc(8 * 20000), 20000};
  for (int i = 0; i < v.n; i++) v.x[i] = 1;
  first(&v); second(&v);
  printf("%g\n", v.x[5]);
}
"""
        cxx = r"""
#include <cmath>
#include <cstdio>
#include <vector>
static void first(std::vector<double> &v) {
#pragma omp parallel for schedule(dynamic, 1000)
  for (size_t i = 0; i < v.size(); i++) v[i] = std::sin(v[i]);
}
static void second(std::vector<double> &v) {
#pragma omp parallel for schedule(dynamic, 1000)
  for (size_t i = 0; i < v.size(); i++) v[i] = std::exp(v[i]);
}
int main() {
  std::vector<double> v(20000, 1.0);
  first(v); second(v);
  std::printf("%g\n", v[5]);
}
"""
        for name, compiler, text, lines in (("p.c", "gcc", c, ((8, 9), (12, 13))), ("p.cpp", "g++", cxx, ((6, 7), (10, 11)))):
            for optimised in ("-O1", "-O2"):
                with self.subTest(name, optimised=optimised):
                    self.build(text, optimised, compiler=(compiler,), name=name)
                    report = self.record(good=lambda r: True)
                    loops = {(Path(s["file"]).name, s["line"]) for s in report["sources"] if s["construct"] == "loop"}
                    self.assertEqual(len(loops), 2, loops)
                    for wanted in lines:
                        self.assertTrue(loops & {(name, line) for line in wanted}, loops)

    def test_regions_of_einkorn_cc(self):
        if not (EINKORN.parent / "einkorn-codelets").exists():
            self.fail("einkorn-codelets is not built")
        self.build(r"""
#include "busy.h"
static int tp;
#pragma omp threadprivate(tp)
int main(void) {
  tp = 7;
  int ok = 1;
  #pragma omp parallel copyin(tp) num_threads(2) reduction(&& : ok)
  { ok = ok && tp == 7; tp = omp_get_thread_num(); busy(100); }
  puts("");
  puts("");
  puts("");
  puts("");
  return !ok;
}
""", "-O1", compiler=(str(EINKORN), "cc"))
        report = self.record(good=lambda r: True)
        self.assertEqual({s["line"] for s in report["sources"] if s["construct"] == "parallel"}, {8})

    def test_inflation_of_shares(self):
        """What is divided by the number of threads is compared by its loop and instance."""
        for compiler in ("gcc", "clang-19"):
            with self.subTest(compiler):
                self.build(r"""
#include "busy.h"
int main(void) {
  #pragma omp parallel
  {
    const int n = omp_get_num_threads();
    #pragma omp for
    for (int i = 0; i < 200; i++) busy(n > 1 ? 200 : 100);
  }
  return 0;
}
""", "-O1", compiler=(compiler,))
                self.record("one.grain", 1)
                self.record("two.grain", 2)
                done = self.tool("report", "two.grain", "--baseline", "one.grain", "--json")
                report = json.loads(done.stdout)
                self.assertEqual(done.stderr, "")
                told = [p for p in report["problems"] if p["kind"] == "work_inflation"]
                self.assertTrue(told, report["verdict"])
                self.assertIn(told[0]["line"], (4, 5, 7))
                self.assertRegex(told[0]["what"], r"takes (1\.9|2\.0|2\.1) times as long")

    def test_nothing_found_says_what_is_not_seen(self):
        self.build(r"""
#include "busy.h"
int main(void) {
  #pragma omp parallel for num_threads(2) schedule(dynamic)
  for (int i = 0; i < 200; i++) busy(200);
  return 0;
}
""")
        report = self.record(good=lambda r: r["times_valid"] and not r["problems"])
        self.assertIn("einkorn report p.grain --baseline one.grain", report["verdict"])

    def test_times_a_little_off(self):
        """Both threads sleep in the program's own code for some percent of their time; for a third of it they wait for a lock."""
        self.build(r"""
#include "busy.h"
int main(void) {
  omp_lock_t l;
  omp_init_lock(&l);
  #pragma omp parallel num_threads(2)
  {
    usleep(12000);
    for (int i = 0; i < 30; i++) {
      busy(300);
      omp_set_lock(&l);
      busy(2000);
      omp_unset_lock(&l);
    }
  }
  return 0;
}
""", "-O1")
        report = self.record(good=lambda r: 0.1 < r.get("times_off_by", 0) < 0.3)
        self.assertFalse(report["times_valid"])
        self.assertEqual([p for p in report["problems"] if "gain_seconds" in p], [], "a promise")
        lock = [p for p in report["problems"] if p["kind"] == "lock"]
        self.assertTrue(lock, report["verdict"])
        self.assertEqual(lock[0]["line"], 11)
        self.assertGreater(lock[0]["about_share"], report["times_off_by"])
        self.assertRegex(report["verdict"], r"p\.c:11 costs about \d+ % of the time: .*may be off by \d+ %")
        refused = self.tool("simulate", "p.grain", "--threads", "1,2", status=125)
        self.assertIn("--anyway", refused.stderr)
        anyway = self.tool("simulate", "--anyway", "p.grain", "--threads", "1,2")
        self.assertIn("not to be trusted", anyway.stdout)
        self.assertFalse(json.loads(self.tool("simulate", "--anyway", "--json", "p.grain", "--threads", "1").stdout)["recording_times_valid"])


if __name__ == "__main__":
    unittest.main()
