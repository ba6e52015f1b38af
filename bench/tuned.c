/* Loops and tasks that einkorn tune can help: tuned dynamic|triangular|chain. Prints check=ok seconds=S.
     dynamic     400,000 iterations of some 60 ns, schedule(dynamic,1)
     triangular  3,000 iterations of which the last takes 100 us, schedule(runtime): run it with OMP_SCHEDULE=static
     chain       60 tasks of 500 us, each after the one before it, made between two lots of 600 of 50 us */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static double body(long steps) {
  double x = 1;
  for (long i = 0; i < steps; i++) x = x * 0.999999 + 1e-9;
  return x;
}

/* Returns how many tasks ran. */
static double chain(long brief, long longest, double *all) {
  double ran = 0, sums[3] = {0, 0, 0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 1260; i++) {
    if (i >= 600 && i < 660) {
#pragma omp task depend(inout : sums[0]) shared(sums, ran)
      {
        sums[0] += body(longest);
#pragma omp atomic
        ran += 1;
      }
    } else {
#pragma omp task shared(sums, ran)
      {
        const double x = body(brief);
#pragma omp atomic
        sums[1] += x;
#pragma omp atomic
        ran += 1;
      }
    }
  }
  *all += sums[0] + sums[1];
  return ran;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  const int dynamic = strcmp(what, "dynamic") == 0, tasks = strcmp(what, "chain") == 0;
  if (!dynamic && !tasks && strcmp(what, "triangular") != 0)
    return fprintf(stderr, "usage: tuned dynamic|triangular|chain\n"), 2;
  long steps = 1 << 20;
  double from = omp_get_wtime(), sum = body(steps);
  const double a_step = (omp_get_wtime() - from) / (double)steps;
  const long brief = (long)(100e-9 / a_step), longest = (long)(100e-6 / a_step);
  double all = 0, ran = 0;
  from = omp_get_wtime();
  for (int again = 0; again < 5; again++) {
    if (tasks) {
      ran += chain((long)(50e-6 / a_step), (long)(500e-6 / a_step), &all);
    } else if (dynamic) {
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : all, ran)
      for (int i = 0; i < 400000; i++) all += body(brief), ran++;
    } else {
#pragma omp parallel for schedule(runtime) reduction(+ : all, ran)
      for (int i = 0; i < 3000; i++) all += body(longest * i / 3000), ran++;
    }
  }
  const double took = omp_get_wtime() - from;
  const int right = ran == 5 * (dynamic ? 400000 : tasks ? 1260 : 3000) && all + sum > 0;
  printf("check=%s seconds=%.6f \n", right ? "ok" : "wrong", took);
  return !right;
}
