"""What people meet in their first hour with OpenMP: the last line of `einkorn record` names kind and line of the cause, by gcc and
by clang; and programs that have nothing wrong are left in peace. Live, as the sentence is what matters; each program is so lopsided that
no noise changes who is to blame, and is recorded until its times are valid (a busy machine: several times)."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("EINKORN_BUILD") or sys.exit("EINKORN_BUILD is not set: run the tests with ctest")).resolve()
EINKORN = BUILD / "bin" / "einkorn"
COMPILERS = ("gcc", "clang-19")
TRIES = 12

BUSY = r"""
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static double cpu_us(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1e6 + t.tv_nsec * 1e-3; }
static __attribute__((noinline, unused)) void busy(double us) { double e = cpu_us() + us; while (cpu_us() < e) {} }
"""

# name: (options of the compiler, options of record, body of main() or more, what the last line says, by compiler where that differs).
# CAUSE marks the line of it, REGION that of the region around it, HEAD that of the loop's head, which gcc's calls have.
PROBLEMS = {
    "imbalance inside a loop": ("", "", """
  #pragma omp parallel for schedule(static) num_threads(2) /*CAUSE*/
  for (int i = 0; i < 60; i++) busy(i * 40);
""", r"p\.c:LINE costs up to .*unevenly divided"),
    # gcc makes no call at such loops. What the region's own end ends has the region's line.
    "imbalance between loops": ("", "", """
  #pragma omp parallel num_threads(2) /*REGION*/
  {
    #pragma omp for schedule(static) nowait
    for (int i = 0; i < 40; i++) busy(100);
    #pragma omp for schedule(static) /*CAUSE*/
    for (int i = 0; i < 60; i++) busy(i * 40);
  }
""", {"gcc": r"p\.c:REGION costs up to .*unevenly divided", "clang-19": r"p\.c:LINE costs up to .*unevenly divided"}),
    # Here it is the loop's barrier that ends it, and has its line.
    "imbalance between loops with barriers": ("", "", """
  #pragma omp parallel num_threads(2)
  {
    #pragma omp for schedule(static)
    for (int i = 0; i < 40; i++) busy(100);
    #pragma omp for schedule(static) /*CAUSE*/
    for (int i = 0; i < 60; i++) busy(i * 40); /*HEAD*/
    #pragma omp for schedule(static)
    for (int i = 0; i < 40; i++) busy(100);
  }
""", {"gcc": r"p\.c:HEAD costs up to .*unevenly divided", "clang-19": r"p\.c:LINE costs up to .*unevenly divided"}),
    "too fine": ("", "", """
  double s[64] = {0};
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < 200000; i++)
    #pragma omp task /*CAUSE*/
    s[i % 64] += i;
  printf("%g", s[3]);
""", r"p\.c:LINE costs up to .*tasks too fine"),
    "serial": ("", "", """
  busy(40000);
  #pragma omp parallel for num_threads(2) schedule(dynamic) /*CAUSE*/
  for (int i = 0; i < 40; i++) busy(500);
""", r"the serial part costs up to .*before the one at p\.c:LINE"),
    "lock": ("", "", """
  #pragma omp parallel for num_threads(2) schedule(dynamic)
  for (int i = 0; i < 60; i++) {
    busy(100);
    #pragma omp critical /*CAUSE*/
    busy(900);
  }
""", r"p\.c:LINE costs up to .*wait for a lock"),
    "a lock that is tried": ("", "", """
  omp_lock_t l; omp_init_lock(&l);
  #pragma omp parallel num_threads(2)
  for (int i = 0; i < 30; i++) {
    busy(200);
    while (!omp_test_lock(&l)) {} /*CAUSE*/
    busy(1500);
    omp_unset_lock(&l);
  }
""", r"p\.c:LINE costs up to .*wait for a lock"),
    "too many barriers": ("", "", """
  static double a[2];
  #pragma omp parallel num_threads(2)
  for (int i = 0; i < 20000; i++) {
    a[omp_get_thread_num()] += i;
    #pragma omp barrier /*CAUSE*/
  }
  printf("%g", a[0]);
""", r"p\.c:LINE costs up to .*too many barriers"),
    "one creator": ("", "", """
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < 200; i++) {
    busy(200);
    #pragma omp task /*CAUSE*/
    busy(20);
  }
""", r"p\.c:(LINE|\d+) costs up to .*(one thread creates|works alone)"),
    "taskwait too early": ("", "", """
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < 10; i++) {
    #pragma omp task
    busy(4000);
    #pragma omp taskwait /*CAUSE*/
    busy(4000);
  }
""", r"p\.c:LINE costs up to .*take turns"),
    "wrong schedule": ("", "", """
  #pragma omp parallel for schedule(dynamic, 20) num_threads(2) /*CAUSE*/
  for (int i = 0; i < 60; i++) busy(800);
""", r"p\.c:LINE costs up to .*(large chunks|unevenly)"),
    "sections": ("", "", """
  #pragma omp parallel num_threads(2)
  {
    #pragma omp sections /*CAUSE*/
    {
      #pragma omp section
      busy(40000);
      #pragma omp section
      busy(4000);
    }
  }
""", r"p\.c:(LINE|\d+) costs up to .*sections of uneven length"),
    "doacross": ("", "", """
  #pragma omp parallel num_threads(2)
  {
    #pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < 40; i++) {
      busy(200);
      #pragma omp ordered depend(sink: i - 1) /*CAUSE*/
      busy(1000);
      #pragma omp ordered depend(source)
    }
  }
""", r"p\.c:LINE costs up to .*doacross"),
    "an inner region on one thread": ("", "", """
  omp_set_max_active_levels(1);
  #pragma omp parallel num_threads(2)
  {
    #pragma omp single
    {
      #pragma omp parallel for num_threads(2) schedule(dynamic, 1) /*CAUSE*/
      for (int i = 0; i < 60; i++) busy(500);
    }
  }
""", r"p\.c:LINE costs up to .*inside another region runs on one thread"),
    "false sharing": ("-fsanitize=thread", "--accesses", """
  static volatile long count[64] __attribute__((aligned(64)));
  #pragma omp parallel num_threads(2)
  {
    int t = omp_get_thread_num();
    for (long i = 0; i < 2000000; i++) count[t] += i & 3; /*CAUSE*/
  }
  printf("%ld", count[0] + count[1]);
""", r"p\.c:LINE: false sharing: threads \d and \d write to different parts of one cache line of (main::)?count(?!.*also at p\.c:LINE)"),
    "atomic hot spot": ("-fsanitize=thread", "--accesses", """
  static long count;
  #pragma omp parallel num_threads(2)
  for (long i = 0; i < 1000000; i++) {
    #pragma omp atomic
    count += i & 3; /*CAUSE*/
  }
  printf("%ld", count);
""", r"p\.c:(LINE|\d+): threads \d and \d write to the same variable.* of (main::)?count(?!.*also at)"),
}

CLEAN = {
    "a dynamic loop": """
  #pragma omp parallel for schedule(dynamic) num_threads(2)
  for (int i = 0; i < 200; i++) busy(300);
""",
    "an even static loop": """
  #pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < 200; i++) busy(300);
""",
    "guided": """
  #pragma omp parallel for schedule(guided) num_threads(2)
  for (int i = 0; i < 400; i++) busy(150);
""",
    "tasks": """
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < 200; i++)
    #pragma omp task
    busy(300);
""",
    "taskloop": """
  #pragma omp parallel num_threads(2)
  #pragma omp single
  #pragma omp taskloop grainsize(5)
  for (int i = 0; i < 200; i++) busy(300);
""",
    "two loops": """
  #pragma omp parallel num_threads(2)
  for (int k = 0; k < 5; k++) {
    #pragma omp for
    for (int i = 0; i < 40; i++) busy(150);
    #pragma omp for
    for (int i = 0; i < 40; i++) busy(150);
  }
""",
    "a reduction": """
  double s = 0;
  #pragma omp parallel for num_threads(2) reduction(+ : s)
  for (int i = 0; i < 200; i++) { busy(300); s += i; }
  printf("%g", s);
""",
    "a short lock": """
  #pragma omp parallel for schedule(dynamic) num_threads(2)
  for (int i = 0; i < 200; i++) {
    busy(300);
    #pragma omp critical
    busy(1);
  }
""",
}


class FirstHour(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="first-hour-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def build(self, compiler, body, options=""):
        """The program; the lines that are marked, by mark."""
        text = f'#include "busy.h"\nint main(void) {{{body}  return 0;\n}}\n'
        (self.folder / "busy.h").write_text(BUSY)
        (self.folder / "p.c").write_text(text)
        if options and compiler.startswith("clang"):  # docs/accesses.md
            options += f" -fno-sanitize-link-runtime -L{BUILD / 'lib'} -leinkorn-accesses"
        subprocess.run([compiler, "-O1", "-g", "-fopenmp", "p.c", "-o", "p", *options.split()], cwd=self.folder, check=True,
                       capture_output=True)
        return {mark: n for n, line in enumerate(text.splitlines(), 1) for mark in re.findall(r"/\*(\w+)\*/", line)}

    def last_line(self, options=""):
        """Of `einkorn record`, once times are valid (with --accesses they never are)."""
        def ahead():
            try:
                os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
            except PermissionError:
                pass
        line = ""
        for _ in range(TRIES):
            done = subprocess.run([EINKORN, "record", *options.split(), "--", "./p"], cwd=self.folder, capture_output=True, text=True,
                                  preexec_fn=ahead, env=os.environ | {"OMP_NUM_THREADS": "2"}, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            line = done.stderr.strip().splitlines()[-1]
            if "times are not valid" not in done.stderr or options:
                yield line
        self.assertNotEqual(line, "", "nothing was said")

    def says(self, compiler, body, pattern, options="", record=""):
        lines = self.build(compiler, body, options)
        for mark, at in lines.items():
            pattern = pattern.replace("LINE" if mark == "CAUSE" else mark, str(at))
        wanted = re.compile(pattern)
        said = []
        for last in self.last_line(record):  # once more where something else came between
            said.append(last)
            if wanted.search(last):
                return
            if len(said) == 3:
                break
        self.fail(f"{wanted.pattern} is not in any of {said}" if said else "no recording with valid times: is the machine busy?")

    def test_named(self):
        for name, (options, record, body, pattern) in PROBLEMS.items():
            for compiler in COMPILERS:
                with self.subTest(name, compiler=compiler):
                    self.says(compiler, body, pattern[compiler] if isinstance(pattern, dict) else pattern, options, record)

    def test_clean(self):
        for name, body in CLEAN.items():
            for compiler in COMPILERS:
                with self.subTest(name, compiler=compiler):
                    self.says(compiler, body, "^no problem found")

    def test_threads_of_a_library(self):
        """A BLAS's own threads beside OpenMP's: the last line says whose they are."""
        self.build("gcc", """
  pthread_t t[2];
  void *spin(void *p) { busy(120000); return p; }
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, spin, 0);
  #pragma omp parallel for num_threads(2) schedule(dynamic)
  for (int i = 0; i < 100; i++) busy(500);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
""")
        done = subprocess.run([EINKORN, "record", "--", "./p"], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertRegex(done.stderr.strip().splitlines()[-1], "not OpenMP's|other programs or threads|host of this virtual machine")


if __name__ == "__main__":
    unittest.main()
