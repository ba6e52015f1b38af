#!/usr/bin/env python3
"""The forms of a parallel loop (TPLoops): tploop.py COMPILER --build BUILD. A program with loops of all kinds gives the same
results, to the last bit, in each form and by OpenMP's own form; recordings show that a form is what runs, and that thresholds
are obeyed to the iteration."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent.parent
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { MOST = 5000 };
static double x[MOST];
static long touched[MOST];
static double square(double v) { return v * v; }
static void fill(int n, double a) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = a * i + square(x[i]) * 1e-9;
}
static double sum(int n) { /* rounded where the range is cut */
  double s = 1;
  #pragma omp parallel for reduction(+ : s)
  for (int i = n - 1; i >= 0; i--) s += x[i] * 1.1;
  return s;
}
static long count(unsigned n, long *last, long *largest) {
  long s = 0, l = -1, m = -1;
  #pragma omp parallel for reduction(+ : s) reduction(max : m) lastprivate(l)
  for (unsigned i = 1; i <= n; i += 3) {
    s += i;
    l = i;
    if (m < (long)i * 7 % 1001) m = (long)i * 7 % 1001;
    #pragma omp atomic
    touched[i - 1]++;
  }
  *last = l, *largest = m;
  return s;
}
static long walk(long *begin, long *end, int times) {
  long all = 0;
  #pragma omp parallel for firstprivate(times) reduction(^ : all) num_threads(3) if (times > 1)
  for (long *p = begin; p < end; p += 2) all ^= *p * times;
  return all;
}
int main(int argc, char **argv) {
  const int n = atoi(argv[1]), rounds = argc > 2 ? atoi(argv[2]) : 1, which = argc > 3 ? atoi(argv[3]) : 15;
  double s = 0;
  long c = 0, last = 0, largest = 0, w = 0;
  for (int r = 0; r < rounds; r++) {
    if (which & 1) fill(n, r + 0.3);
    if (which & 2) s += sum(n);
    if (which & 4) c += count(n, &last, &largest);
    if (which & 8) w += walk(touched, touched + n, r);
  }
  unsigned long hash = 5381;
  for (int i = 0; i < MOST; i++) {
    unsigned long bits;
    memcpy(&bits, &x[i], sizeof bits);
    hash = hash * 33 + bits + touched[i];
  }
  printf("%a %ld %ld %ld %ld %lx\n", s, c, last, largest, w, hash);
}
"""


CLUSTERS = {"EINKORN_AMM": "2x2", "EINKORN_MACHINE": "numa:2 core:2"}


def fail(text):
    print(text)
    sys.exit(1)


class Loops:
    def __init__(self, tool, folder, compiler):
        self.tool, self.folder, self.binary = tool, folder, folder / "loops"
        source = folder / "loops.c"
        source.write_text(PROGRAM)
        done = subprocess.run([tool, "cc", "--compiler", compiler, "--explain", "-O2", "-fopenmp", "-Wall", "-Wextra", "-Werror", source, "-o",
                               self.binary], capture_output=True, text=True)
        if done.returncode != 0 or "translated 4 of 4 regions" not in done.stderr:
            fail(done.stderr)

    def environment(self, threads, form):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "EINKORN_", "LD_", "GOMP_", "KMP_"))}
        return {**kept, "OMP_NUM_THREADS": str(threads), **form}

    def run(self, threads, form, *words):
        done = subprocess.run([self.tool, "run", "--", self.binary, *map(str, words)], env=self.environment(threads, form),
                              capture_output=True, text=True, timeout=120)
        if done.returncode != 0 or done.stderr:
            fail(f"{threads} threads, {form}: exit status {done.returncode}: {done.stderr}")
        return done.stdout

    def record(self, threads, form, *words):
        """(threads, tasks, regions) of a run with one loop."""
        grain = self.folder / "r.grain"
        done = subprocess.run([self.tool, "record", "--no-report", "-o", grain, "--", self.binary, *map(str, words)],
                              env=self.environment(threads, form), capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            fail(f"{threads} threads, {form}: {done.stderr}")
        report = json.loads(subprocess.run([self.tool, "report", "--json", grain], capture_output=True, text=True, check=True).stdout)
        return report["threads"], report["tasks"], report["regions"]


def main():
    compiler, build = sys.argv[1], pathlib.Path(sys.argv[sys.argv.index("--build") + 1]).resolve()
    forms = [{}, {"EINKORN_TPLOOP": "auto"}, {"EINKORN_TPLOOP": "9999999,9999999"}, {"EINKORN_TPLOOP": "0,9999999"},
             {"EINKORN_TPLOOP": "0,0", "EINKORN_TP_INSTANCES": "2"}, {"EINKORN_TPLOOP": "0,0", "EINKORN_TP_INSTANCES": "3"},
             {"EINKORN_TP_INSTANCES": "4"}, {"EINKORN_CODELETS": "alone"}, {"EINKORN_CODELETS": "threads"},
             {"EINKORN_AMM": "2x1"}, {**CLUSTERS, "EINKORN_SCHEDULE": "darts-standard", "EINKORN_TPLOOP": "100,1000"}]
    with tempfile.TemporaryDirectory() as folder:
        loops = Loops(build / "bin" / "einkorn", pathlib.Path(folder), compiler)
        for threads in (1, 2, 4):
            for n, rounds in ((0, 2), (1, 3), (7, 40), (1000, 30), (4999, 60)):
                wanted = loops.run(threads, {"EINKORN_CODELETS": "off"}, n, rounds)
                exact = loops.run(threads, {"EINKORN_TPLOOP": "0,9999999"}, n, rounds)
                # OpenMP's own form may round otherwise: all but the sum is the same. Without an iteration lastprivate gives anything.
                if n > 0 and exact.split()[1:] != wanted.split()[1:]:
                    fail(f"{threads} threads, {n} iterations: {exact} instead of {wanted}")
                for form in forms:
                    if (got := loops.run(threads, form, n, rounds)) != exact:
                        fail(f"{threads} threads, {n} iterations, {form}: {got} instead of {exact}")
                # More codelets than threads round otherwise, too.
                for form in ({"EINKORN_TPLOOP": "0,0,3,2"}, {"EINKORN_TPLOOP": "0,9999,7,1"}):
                    if (got := loops.run(threads, form, n, rounds)).split()[1:] != exact.split()[1:]:
                        fail(f"{threads} threads, {n} iterations, {form}: {got} instead of {exact}")
        one, codelets, parts = (1, 0, 1), (4, 0, 1), (4, 6, 1)  # 4 codelets of 2 procedures
        two = {"EINKORN_TP_INSTANCES": "2"}
        for tploop, n, wanted, more in (
                ("100,200", 99, one, two), ("100,200", 100, codelets, two), ("100,200", 199, codelets, two), ("100,200", 200, parts, two),
                ("100,200", 200, codelets, {}), ("0,0", 0, parts, two), ("100,200,5,3", 199, (4, 5, 1), {}),
                ("100,200,5,3", 200, (4, 18, 1), {}), ("100,200,1,1", 300, (4, 2, 1), {}),
                # Of three procedures with ceil(4 / 3) codelets each the third would have none.
                ("0,0", 500, (4, 6, 1), {"EINKORN_TP_INSTANCES": "3"}),
                ("0,0", 500, (4, 8, 1), {"EINKORN_TP_INSTANCES": "9"}), ("0,0", 500, parts, CLUSTERS),
                # Without thresholds a loop of which nothing is known gets threads, and a procedure for each cluster.
                ("auto", 500, codelets, {}), ("auto", 500, parts, two), ("auto", 500, parts, CLUSTERS)):
            for which in (1, 2):  # the sum needs an instance for each thread, by whomever it is run
                if (got := loops.record(4, {"EINKORN_TPLOOP": tploop, **more}, n, 1, which)) != wanted:
                    fail(f"{tploop} {more}, {n} iterations: {got} threads, tasks and regions instead of {wanted}")
        # A short loop comes to be run by its caller alone.
        if loops.record(4, {"EINKORN_CODELETS": "alone"}, 20, 5, 1) != (1, 0, 5):
            fail("EINKORN_CODELETS=alone: the loop has threads")
    print("ok")


if __name__ == "__main__":
    main()
