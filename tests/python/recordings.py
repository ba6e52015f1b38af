"""Recordings for the tests of the Python package. Imports of tests/cli come by PYTHONPATH."""

from harness import CliTest, ahead_of_others

PROGRAM = r"""
#include <stdio.h>
static long spin(long n) { volatile long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }
static long fib(int n) {
  if (n < 2) return spin(20000), n;
  long a, b;
  #pragma omp task shared(a)
  a = fib(n - 1);
  #pragma omp task shared(b) depend(out: b)
  b = fib(n - 2);
  #pragma omp taskwait
  return a + b;
}
int main(void) {
  long f = 0;
  #pragma omp parallel
  {
    #pragma omp single
    f = fib(9);
    #pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 50; ++i) spin(1000);
  }
  printf("%ld\n", f);
  return 0;
}
"""


class PythonTest(CliTest):
    """Each class has its recordings: app.grain of two threads, one.grain of one; in deep.grain the deeper
    tasks are counted."""

    @classmethod
    def setUpClass(cls):
        cls.holder = CliTest("setUp")
        cls.holder.setUp()
        cls.addClassCleanup(cls.holder.doCleanups)
        cls.recordings = cls.holder.folder
        app = cls.holder.compile(PROGRAM, "-g")
        for name, threads, *limit in [("app", 2), ("one", 1), ("deep", 2, "--depth", "3")]:
            done = cls.holder.einkorn(
                "record",
                "--no-report",
                *limit,
                "-o",
                f"{name}.grain",
                "--",
                app,
                env={"OMP_NUM_THREADS": str(threads)},
                preexec_fn=ahead_of_others,
            )
            assert done.returncode == 0, done.stderr
