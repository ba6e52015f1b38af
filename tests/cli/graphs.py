"""Limits on what is recorded, and graphs of codelets: their descriptions are there, and each codelet is told or counted."""
import json
from pathlib import Path

from harness import CliTest, main

INCLUDE = Path(__file__).resolve().parent.parent.parent / "include"

# A chain of brief codelets and one that lasts, run before, in and after a region of interest, alone and in a team.
CHAIN = r"""
#include <stdlib.h>
#include <time.h>
#include <einkorn/codelet.h>
extern int omp_control_tool(int, int, void *) __attribute__((weak));
static volatile unsigned sum;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
static void spin(double s) { for (double end = now() + s; now() < end;) {} }
static uint32_t codelets;
static void brief(void *context, uint32_t i) { (void)context, sum = i; }
static void lasts(void *context, uint32_t i) { (void)context, (void)i, spin(0.001); }
static int next(void *context, uint32_t i, uint32_t *out) { (void)context; return i + 1 < codelets ? *out = i + 1, 1 : 0; }
int main(int argc, char **argv) {
  codelets = atoi(argv[1]);
  const int runs = argc > 2 ? atoi(argv[2]) : 1;
  ek_graph *g = ek_graph_new("chain");
  if (!g) return 3;
  int b = ek_graph_class(g, brief, NULL, codelets, __LINE__);
  int l = ek_graph_class(g, lasts, NULL, 1, __LINE__);
  ek_graph_rule(g, b, b, next);
  ek_graph_arc(g, b, codelets / 2, l, 0);
  if (ek_graph_close(g)) return 4;
  ek_graph_run(g);
  omp_control_tool(1, 0, NULL);
  for (int i = 0; i < runs; ++i) ek_graph_run(g);
  #pragma omp parallel num_threads(2)
  #pragma omp single
  ek_graph_run(g);
  omp_control_tool(2, 0, NULL);
  ek_graph_run(g);
  omp_control_tool(1, 0, NULL);
  ek_graph_run(g);
  return 0;
}
"""

# A grid, alone and in a team; some codelets last, and some pause the recording or go on with it.
PAUSING = r"""
#include <stdio.h>
#include <einkorn/codelet.h>
extern int omp_control_tool(int, int, void *) __attribute__((weak));
enum { kSide = 200, kRuns = 6 };
static void fire(void *context, uint32_t i) {
  (void)context;
  for (volatile int k = 0; k < (i % 3 ? 10 : 400); ++k);
  if (i % 1000 == 7) omp_control_tool(i % 2000 == 7 ? 2 : 1, 0, NULL);
}
static int next(void *context, uint32_t i, uint32_t *out) {
  int n = 0;
  (void)context;
  if (i + kSide < kSide * kSide) out[n++] = i + kSide;
  if (i % kSide + 1 < kSide) out[n++] = i + 1;
  return n;
}
int main(void) {
  ek_graph *g = ek_graph_new("grid");
  int c = ek_graph_class(g, fire, NULL, kSide * kSide, __LINE__);
  ek_graph_rule(g, c, c, next);
  if (ek_graph_close(g)) return 4;
  for (int r = 0; r < kRuns; ++r) ek_graph_run(g);
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int r = 0; r < kRuns; ++r) ek_graph_run(g);
  return 0;
}
"""

# A graph whose rule takes 1 ms each time that it is called.
SLOW_RULE = r"""
#include <time.h>
#include <einkorn/codelet.h>
static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
static void fire(void *context, uint32_t i) { (void)context, (void)i; }
static int next(void *context, uint32_t i, uint32_t *out) {
  (void)context;
  for (double end = cpu() + 0.001; cpu() < end;) {}
  return i < 39 ? *out = i + 1, 1 : 0;
}
int main(void) {
  ek_graph *g = ek_graph_new("slow");
  int c = ek_graph_class(g, fire, NULL, 40, __LINE__);
  ek_graph_rule(g, c, c, next);
  ek_graph_class(g, fire, NULL, 131072, __LINE__); /* so large a graph asks its rules in each run */
  if (ek_graph_close(g)) return 4;
  #pragma omp parallel num_threads(2)
  #pragma omp single
  ek_graph_run(g);
  return 0;
}
"""


# Two codelets by hand that end in a taskwait, into which compilers jump.
BY_HAND = r"""
#pragma GCC optimize "O2"
#include <einkorn/codelet.h>
static void first(ek_codelet *c) {
  (void)c;
  #pragma omp task
  __asm__ volatile("");
  #pragma omp taskwait
}
static void second(ek_codelet *c) {
  (void)c;
  #pragma omp task
  __asm__ volatile("" ::: "memory");
  #pragma omp taskwait
}
int main(void) {
  static ek_codelet a, b;
  ek_codelet_init(&a, first, 0, 1, 1, 1);
  ek_codelet_init(&b, second, 0, 1, 1, 2);
  #pragma omp parallel num_threads(2)
  #pragma omp single
  ek_dec(&a), ek_dec(&b);
  return 0;
}
"""


def line_of(text):
    return 1 + CHAIN[:CHAIN.index(text)].count("\n")


BRIEF, LASTS = line_of("int b ="), line_of("int l =")


class Graphs(CliTest):
    def recorded(self, source, *options, arguments=(), env=None):
        app = self.compile(source, "-g", "-I", str(INCLUDE))
        done = self.einkorn("record", "-o", "x.grain", *options, "--", app, *arguments, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.report()

    def report(self):
        done = self.einkorn("report", "x.grain", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def told(self, report):
        """By line: recorded one by one, and counted. Under None those of runs that began before what is kept (--last)."""
        tasks = [s for s in report["sources"] if s["kind"] == "task"]
        lines = {s.get("line"): s["grains"] for s in tasks if s.get("construct", "codelet") == "codelet"}
        return lines, {a["line"]: a["executed"] for a in report.get("aggregates", [])}

    def test_a_region_of_interest(self):
        report = self.recorded(CHAIN, "--roi", arguments=["1000"])
        self.assertEqual(report["tasks"], 5 * 1001)
        self.assertEqual(report["outside_tasks"], 2 * 1001)
        lines, counted = self.told(report)
        self.assertEqual(sum(lines.values()) + sum(counted.values()), 3 * 1001)
        self.assertEqual((lines[LASTS], LASTS in counted), (3, False))

    def test_a_filtered_class(self):
        """By the line that the program gave it, in the file of its function. In one of five runs the recording pauses."""
        lines, counted = self.told(self.recorded(CHAIN, "--filter", f"app.c:{LASTS}", arguments=["1000"]))
        self.assertEqual((LASTS in lines, counted[LASTS]), (False, 4))
        self.assertEqual(lines.get(BRIEF, 0) + counted[BRIEF], 4000)
        lines, counted = self.told(self.recorded(CHAIN, "--filter", f"app.c:{BRIEF}", arguments=["1000"]))
        self.assertEqual((lines[LASTS], LASTS in counted, BRIEF in lines, counted[BRIEF]), (4, False, False, 4000))

    def test_what_has_no_room_is_counted(self):
        report = self.recorded(CHAIN, "--max-size", "100K", arguments=["300000"])
        self.assertEqual(report["tasks"], 5 * 300001)
        self.assertEqual(report["aggregated_tasks"] + report["outside_tasks"] + report["lost_tasks"], 5 * 300001)
        lines, counted = self.told(report)
        self.assertEqual(lines, {})
        self.assertEqual(counted, {BRIEF: 300000 * 4, LASTS: 4})
        self.assertLess((self.folder / "x.grain").stat().st_size, 400000)

    def test_waits_of_codelets_by_hand_are_theirs(self):
        report = self.recorded(BY_HAND)
        waits = [(w["function"], w["waits"]) for w in report["waits"] if w["construct"] == "taskwait"]
        self.assertEqual(sorted(waits), [("first", 1), ("second", 1)])

    def test_signals_of_what_is_recorded(self):
        """Each firing waits for two signals, of which one is its creation. Those of a firing that is only counted lead nowhere."""
        programs = INCLUDE.parent / "tests" / "truth" / "programs"
        app = self.compile((programs / "by_hand.c").read_text(), "-g", "-I", str(INCLUDE), "-I", str(programs))
        for options, least in (((), 148), (("--depth", "2"), 22), (("--depth", "1"), 4), (("--depth", "0"), 0)):
            done = self.einkorn("record", "-o", "x.grain", *options, "--", app)
            self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (0, "fired 148"), done.stderr)
            report = self.report()
            fired = sum(s["grains"] for s in report["sources"] if s.get("function") == "fire")
            done = self.einkorn("export", "x.grain", "--to", "graphml", "--unreduced", "-o", "-")
            self.assertEqual(done.stdout.count(">dependence<"), fired, options)
            self.assertEqual((report["tasks"], fired >= least), (148 + 18, True), options)

    def test_a_large_graph(self):
        """Its description takes blocks larger than what is written at once."""
        report = self.recorded(CHAIN, arguments=["1000000"])
        self.assertEqual((report["tasks"], report["complete"], report["damaged_blocks"]), (5 * 1000001, True, 0))
        lines, counted = self.told(report)
        self.assertEqual(report["outside_tasks"], 1000001)
        self.assertEqual(lines.get(BRIEF, 0) + counted.get(BRIEF, 0), 4 * 1000000)
        self.assertEqual(lines[LASTS], 4)

    def test_the_latest(self):
        report = self.recorded(CHAIN, "--last", "50ms", arguments=["100", "600"])
        self.assertEqual(report["tasks"], 604 * 101)
        self.assertGreater(report["outside_tasks"], 0)
        lines, _ = self.told(report)
        self.assertGreater(lines[LASTS], 0)
        self.assertEqual(sum(lines.values()) + report["outside_tasks"] + report["aggregated_tasks"], 604 * 101)

    def test_each_is_told_or_counted_whatever_is_lost(self):
        for memory in ["300K", "64M"]:
            for options in [(), ("--last", "20ms"), ("--max-size", "500K"), ("--depth", "0")]:
                with self.subTest(memory=memory, options=options):
                    report = self.recorded(PAUSING, *options, env={"EINKORN_RECORD_MEMORY": memory})
                    lines, _ = self.told(report)
                    self.assertEqual(report["tasks"], 12 * 200 * 200)
                    self.assertGreater(report["outside_tasks"], 0)
                    told = sum(lines.values()) + report["aggregated_tasks"]
                    self.assertEqual(told + report["lost_tasks"] + report["outside_tasks"], report["tasks"])

    def test_taking_a_graph_down_is_the_recorders_time(self):
        """The rule is called 40 times in it, as often as in the run itself; by the clock of the thread's own CPU time."""
        report = self.recorded(SLOW_RULE)
        self.assertGreaterEqual(report["thread_time"]["recorder"], 0.04)
        self.assertEqual(report["tasks"], 40 + 131072)


if __name__ == "__main__":
    main()
