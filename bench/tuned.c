/* Loops that einkorn tune can help: tuned dynamic|triangular. Prints check=ok seconds=S.
     dynamic     400,000 iterations of some 60 ns, schedule(dynamic,1)
     triangular  3,000 iterations of which the last takes 100 us, schedule(runtime): run it with OMP_SCHEDULE=static */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static double body(long steps) {
  double x = 1;
  for (long i = 0; i < steps; i++) x = x * 0.999999 + 1e-9;
  return x;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  const int dynamic = strcmp(what, "dynamic") == 0;
  if (!dynamic && strcmp(what, "triangular") != 0) return fprintf(stderr, "usage: tuned dynamic|triangular\n"), 2;
  long steps = 1 << 20;
  double from = omp_get_wtime(), sum = body(steps);
  const double a_step = (omp_get_wtime() - from) / (double)steps;
  const long brief = (long)(100e-9 / a_step), longest = (long)(100e-6 / a_step);
  double all = 0, ran = 0;
  from = omp_get_wtime();
  for (int again = 0; again < 5; again++) {
    if (dynamic) {
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : all, ran)
      for (int i = 0; i < 400000; i++) all += body(brief), ran++;
    } else {
#pragma omp parallel for schedule(runtime) reduction(+ : all, ran)
      for (int i = 0; i < 3000; i++) all += body(longest * i / 3000), ran++;
    }
  }
  const double took = omp_get_wtime() - from;
  const int right = ran == (dynamic ? 5 * 400000 : 5 * 3000) && all + sum > 0;
  printf("check=%s seconds=%.6f \n", right ? "ok" : "wrong", took);
  return !right;
}
