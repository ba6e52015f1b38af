"""What of a run is recorded: --depth, --filter, --last, --max-size, --roi; several processes; the baseline."""
import json
import re

from harness import CliTest, CLANG, main

# fib(n) creates 2 (F(n + 1) - 1) tasks. Line 7 creates one half, line 9 the other.
FIB = r"""
#include <stdio.h>
#include <stdlib.h>
static long fib(int n) {
  if (n < 2) return n;
  long x, y;
  #pragma omp task shared(x)
  x = fib(n - 1);
  #pragma omp task shared(y)
  y = fib(n - 2);
  #pragma omp taskwait
  return x + y;
}
int main(int argc, char **argv) {
  long result = 0;
  #pragma omp parallel num_threads(2)
  #pragma omp single
  result = fib(argc > 1 ? atoi(argv[1]) : 20);
  printf("%ld\n", result);
  return 0;
}
"""
TASKS_OF_20 = 2 * (10946 - 1)

CONTROLLED = r"""
#include <stdio.h>
extern int omp_control_tool(int, int, void *) __attribute__((weak)); /* libgomp, that this is linked to, has none */
static void tasks(int n) {
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < n; ++i)
    #pragma omp task
    __asm__ volatile("" ::: "memory");
}
int main(void) {
  tasks(1000);
  int started = omp_control_tool(1, 0, NULL);
  tasks(300);
  int paused = omp_control_tool(2, 0, NULL);
  tasks(2000);
  printf("%d %d\n", started, paused);
  return 0;
}
"""

# One thread for 0.3 s, then the region of interest (0.03 s alone, then a parallel region), and 0.3 s more. Prints how long the
# region of interest took, and the whole: on a busy machine that may be much longer.
ALONE = r"""
#include <stddef.h>
#include <stdio.h>
#include <time.h>
extern int omp_control_tool(int, int, void *) __attribute__((weak));
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
static void spin(double s) { for (double end = now() + s; now() < end;) {} }
int main(void) {
  double all = now(), of_interest;
  spin(0.3);
  of_interest = now();
  if (omp_control_tool) omp_control_tool(1, 0, NULL);
  spin(0.03);
  #pragma omp parallel num_threads(2)
  spin(0.02);
  if (omp_control_tool) omp_control_tool(2, 0, NULL);
  of_interest = now() - of_interest;
  spin(0.3);
  printf("%.9f %.9f\n", of_interest, now() - all);
}
"""

# The parent forks before it uses OpenMP, and waits; the child's loop takes the time.
FORKING = r"""
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void spin(long n) { for (volatile long i = 0; i < n; ++i); }
int main(void) {
  if (fork() == 0) {
    #pragma omp parallel for num_threads(2) schedule(dynamic, 1)
    for (int i = 0; i < 2; ++i) spin(i ? 300000000 : 1000);
    exit(0);
  }
  wait(0);
  #pragma omp parallel num_threads(2)
  spin(1000000);
  return 0;
}
"""


class Limits(CliTest):
    def record(self, app, *options, arguments=(), status=0):
        done = self.einkorn("record", "-o", "x.grain", *options, "--", app, *arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def report(self, file="x.grain"):
        done = self.einkorn("report", file, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_below_a_depth_tasks_are_counted_by_line(self):
        for compiler in ["gcc", CLANG]:
            app = self.compile(FIB, "-g", name=f"fib-{compiler}", compiler=compiler)
            done = self.record(app, "--depth", 4)
            self.assertIn("counted, not recorded one by one", done.stderr)
            found = self.report()
            self.assertEqual(found["tasks"], TASKS_OF_20)
            self.assertEqual(found["aggregated_tasks"], TASKS_OF_20 - 30)
            self.assertEqual(sum(a["executed"] for a in found["aggregates"]), TASKS_OF_20 - 30)
            self.assertEqual({a["line"] for a in found["aggregates"]}, {7, 9})
            for a in found["aggregates"]:
                self.assertEqual(sum(b["executed"] for b in a["histogram"]), a["executed"])
                self.assertEqual(a["created"], a["executed"])
            self.assertEqual(sum(s["grains"] for s in found["sources"] if s["kind"] == "task"), 30)
            self.assertLess((self.folder / "x.grain").stat().st_size, 50000)

    def test_a_filtered_line(self):
        for compiler in ["gcc", CLANG]:
            app = self.compile(FIB, "-g", name=f"app-{compiler}", compiler=compiler)
            self.record(app, "--filter", f"app-{compiler}.c:9")
            found = self.report()
            self.assertEqual(found["tasks"], TASKS_OF_20)
            # fib(20), fib(19) ... are created by line 7; each of them creates one task by line 9.
            self.assertEqual({s["line"]: s["grains"] for s in found["sources"] if s["kind"] == "task"}, {7: 19})

    def test_a_line_that_is_not_there(self):
        app = self.compile(FIB, "-g")
        done = self.einkorn("record", "--filter", "app.c:900", "--", app)
        self.assert_refused(done, 125, "app.c:900", "no code of that line")
        done = self.einkorn("record", "--filter", "app.c:7", "--", self.compile(FIB, name="stripped"))
        self.assert_refused(done, 125, "-g")

    def test_values_that_are_none(self):
        for words in [("--depth", "deep"), ("--last", "soon"), ("--max-size", "big"), ("--filter", "sort.c")]:
            self.assert_refused(self.einkorn("record", *words, "--", "true"), 125, " ".join(words))

    def test_a_size(self):
        app = self.compile(FIB)
        self.record(app, "--max-size", "300K", arguments=["27"])
        self.assertLess((self.folder / "x.grain").stat().st_size, 1200000)
        self.assertEqual(self.report()["tasks"], 2 * (317811 - 1))

    def test_the_latest(self):
        """How much is kept depends on when the writer has a CPU (tests/unit has that); that something was dropped does not."""
        app = self.compile(FIB.replace("result = fib", "for (int i = 0; i < 240; ++i) result = fib"), name="long")
        self.record(app, "--last", "100ms", arguments=["22"])
        found = self.report()
        self.assertEqual(found["tasks"], 240 * 2 * (28657 - 1))
        self.assertGreater(found["outside_tasks"], 0)
        held = sum(s["grains"] for s in found["sources"] if s["kind"] == "task")
        self.assertGreater(held, 0)
        self.assertEqual(held + found["outside_tasks"], found["tasks"])

    def test_a_region_of_interest(self):
        app = self.compile(CONTROLLED)
        done = self.record(app, "--roi")
        self.assertEqual(done.stdout, "0 0\n")
        found = self.report()
        self.assertEqual(found["tasks"], 3300)
        self.assertEqual(found["outside_tasks"], 3000)
        self.assertEqual(sum(s["grains"] for s in found["sources"] if s["kind"] == "task"), 300)

    def test_serial_time_outside_the_region_of_interest(self):
        """A program's work outside its region of interest: 0.6 s, of which the report knows nothing."""
        app = self.compile(ALONE, name="alone")
        of_interest, everything = map(float, self.record(app, "--roi").stdout.split())
        self.assertGreater(everything, of_interest + 0.6 - 1e-6)
        found = self.report()
        self.assertLessEqual(found["thread_time"]["serial"], of_interest - 0.02)  # the parallel region takes that
        self.assertGreater(found["thread_time"]["serial"], 0.02)  # 0.03 s between the two calls and outside the region
        self.assertLessEqual(found["wall_seconds"], of_interest)
        self.assertLessEqual(found["critical_path_seconds"], of_interest)

    def test_one_last_line_over_all_processes(self):
        app = self.compile(FORKING, "-g", "-O1")
        done = self.record(app)
        last = done.stderr.rstrip("\n").split("\n")[-1]
        reports = [self.report(file.name) for file in self.folder.glob("x*.grain")]
        self.assertEqual(len(reports), 2)
        # If other programs use the CPUs, times mean nothing: of either process, or of both.
        invalid = sum(not report["times_valid"] for report in reports)
        if invalid == 0 or any(p.get("gain_seconds", 0) > 0 for report in reports for p in report["problems"]):
            self.assertRegex(last, r"^(app\.c:\d+|the serial part) costs up to .*: .* \(in [12] of 2 processes\)$", done.stderr)
        else:
            self.assertEqual(last, f"times cannot be trusted in {invalid} of 2 processes, and no problem was found in others")
        self.assertIn("Further processes", done.stderr)

    def test_the_last_line_is_the_last(self):
        done = self.record(self.compile(FIB))
        last = done.stderr.rstrip("\n").split("\n")[-1]
        self.assertTrue(re.search(r"costs up to|no problem found|times cannot be trusted|no seconds can be given", last), done.stderr)

    def test_the_baseline(self):
        app = self.compile('#include <stdio.h>\nint main(void) { puts("ran"); return 0; }')
        done = self.record(app, "--baseline")
        self.assertEqual(done.stdout, "ran\n")
        self.assertRegex(done.stderr, r"baseline: .* on the program's own runtime, .* on Einkorn's")
        self.record(self.compile(FIB), "--baseline")
        found = self.report()
        self.assertGreater(found["baseline_seconds"], 0.0001)
        self.assertLess(found["baseline_seconds"], 60)
        self.record(self.compile(FIB))
        self.assertNotIn("baseline_seconds", self.report())
        done = self.record(self.compile("int main(void) { return 3; }", name="fails"), "--baseline", status=3)
        self.assertIn("no baseline: the program failed", done.stderr)


if __name__ == "__main__":
    main()
