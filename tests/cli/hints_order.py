"""Hints about who runs what, where and when: regions' threads, how many and where they are bound; tasks that come before others."""
from harness import main
from hints_test import COMPILERS, HintsTest

REGIONS = r"""
#include <omp.h>
#include <stdio.h>
static int team(void) { int n = 0;
  #pragma omp parallel
  #pragma omp single
  n = omp_get_num_threads();
  return n; }
static int asked(void) { int n = 0;
  #pragma omp parallel num_threads(3)
  #pragma omp single
  n = omp_get_num_threads();
  return n; }
int main(void) {
  printf("%d %d", team(), asked());
  omp_set_num_threads(3);
  printf(" %d\n", team());
  return 0;
}
"""

# Three tasks, of which the second has a dependence, and the third the program's own priority.
URGENT = r"""
#include <stdio.h>
static int order[4], done, busy, leave;
static void run(int i) {
  order[done++] = i;
  #pragma omp atomic write
  leave = done == 3;
}
static int value(int *at) {
  int v;
  #pragma omp atomic read
  v = *at;
  return v;
}
int main(void) {
  #pragma omp parallel num_threads(2)
  #pragma omp single
  {
    #pragma omp task
    {
      #pragma omp atomic write
      busy = 1;
      while (!value(&leave)) {}
    }
    while (!value(&busy)) {}
    #pragma omp task
    run(1);
    #pragma omp task depend(inout : order)
    run(2);
    #pragma omp task priority(3)
    run(3);
    #pragma omp taskwait
  }
  printf("%d %d %d\n", order[0], order[1], order[2]);
  return 0;
}
"""

BOUND = r"""
#include <omp.h>
#include <stdio.h>
static int at[4];
static void note(void) { at[omp_get_thread_num()] = omp_get_place_num(); }
static void print(int n) {
  for (int i = 0; i < n; ++i) printf("%d%c", at[i], i < n - 1 ? ' ' : '\n');
}
int main(void) {
  int n = 4;
  #pragma omp parallel
  note();
  print(n);
  #pragma omp parallel proc_bind(close)
  note();
  print(n);
  #pragma omp parallel
  { note(); n = omp_get_num_threads(); }
  print(n);
  return 0;
}
"""


class Order(HintsTest):
    def test_threads(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.compile(REGIONS, "-g", compiler=compiler)
                env = {"OMP_NUM_THREADS": "4"}
                run = lambda *lines: self.einkorn("run", "--hints", self.hints(*lines), "--", "./app", env=env)
                self.assertEqual(run("region app.c:99 threads=1").stdout, "4 3 3\n")
                done = run("region app.c:5 threads=2", "region app.c:10 threads=2")
                self.assertEqual(done.stdout, "2 3 3\n")
                self.assertEqual(len(self.messages(done.stderr)), 2)
                self.assertIn("how many threads the region has", done.stderr)
                self.assertEqual(run("region app.c:5 threads=2 bold", "region app.c:10 threads=2 bold").stdout, "2 2 2\n")
                self.assertEqual(run("region app.c:5 threads=9").stdout, "4 3 3\n")  # never more than without

    def test_binding(self):
        """On a modelled machine of four nodes with four cores each: where the threads of three regions are."""
        run = lambda *lines, **env: self.einkorn("run", "--machine", "numa:4 core:4", "--hints", self.hints(*lines), "--", "./app",
                                                 env={"OMP_NUM_THREADS": "4", "OMP_PLACES": "cores", **env})
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.compile(BOUND, "-g", compiler=compiler)
                far, near, one = "0 4 8 12", "0 1 2 3", "0 0 0 0"
                places = lambda *words: "".join(f"{w}\n" for w in words)
                self.assertEqual(run("region app.c:99 bind=close", OMP_PROC_BIND="spread").stdout, places(far, near, far))
                done = run("region app.c:11 bind=close", "region app.c:14 bind=primary", "region app.c:17 threads=2 bind=primary", OMP_PROC_BIND="spread")
                self.assertEqual(done.stdout, places(near, near, "0 0"))
                self.assertEqual(len(self.messages(done.stderr)), 1)
                self.assertIn('"app.c:14 bind=primary" is not applied: the region has a proc_bind clause', done.stderr)
                self.assertEqual(run("region app.c:14 bind=primary bold", OMP_PROC_BIND="spread").stdout, places(far, one, far))
                # Where nobody binds threads nothing does.
                done = run("region app.c:11 bind=close", OMP_PROC_BIND="false", OMP_PLACES="")
                self.assertIn("threads are not bound", done.stderr)
                self.assertEqual(done.returncode, 0)

    def test_priorities(self):
        """By one thread, while the other one is in a task: its own newest task comes first, and so do hints'."""
        for compiler in COMPILERS:
            self.compile(URGENT, "-g", compiler=compiler)
            run = lambda *lines, **env: self.einkorn("run", "--hints", self.hints(*lines), "--", "./app", env=env)
            one, two, three = ("task app.c:%d " % line for line in (26, 28, 30))
            most = {"OMP_MAX_TASK_PRIORITY": "3"}
            for lines, env, order in (([], {}, "3 2 1"), ([], most, "3 2 1"), ([one + "priority=1"], {}, "1 3 2"), ([two + "priority=5"], {}, "2 3 1"),
                                      ([one + "priority=1", two + "priority=5"], {}, "2 1 3"), ([one + "priority=2"], most, "3 1 2"),
                                      ([one + "priority=9"], most, "1 3 2")):
                with self.subTest(compiler=compiler, lines=lines):
                    done = run(*lines, **env)
                    self.assertEqual((done.stdout, self.messages(done.stderr)), (order + "\n", []))
                    if lines:  # the same where it is recorded
                        self.assertEqual(self.grains("--hints", "app.hints", env=env)[0], order + "\n")
            done = run(three + "priority=9")
            self.assertEqual(done.stdout, "3 2 1\n")
            self.assertIn("the task has a priority clause", done.stderr)


if __name__ == "__main__":
    main()
