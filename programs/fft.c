/* Fast Fourier transform of 2^N complex numbers. As tasks: the transform of the even and that of the odd elements,
   each by the same recursion, then tasks that combine pieces of the two. As loops: bit reversal, then a parallel
   loop for each of the N passes over all data. After Cooley and Tukey, 1965; BOTS has a task program of this kind. */
#include <complex.h>
#include <math.h>

#include "common.h"

enum { kTasks, kLoop };

typedef double complex Complex;

static long exponent = 20, version = kTasks, cutoff = 4096, piece = 4096;
static long size;
static Complex *root; /* root[k] = exp(-2 pi i k / size), k < size / 2 */

static const double kPi = 3.14159265358979323846;

/* to[k] and to[k + half] from the transforms of the even elements, to[0..half), and of the odd ones, to[half..). */
static inline void combine(Complex *to, long half, long begin, long end) {
  long stride = size / (2 * half);
  for (long k = begin; k < end; k++) {
    Complex even = to[k], odd = root[k * stride] * to[k + half];
    to[k] = even + odd;
    to[k + half] = even - odd;
  }
}

static void transform_sequential(const Complex *from, long step, Complex *to, long n) {
  if (n == 1) {
    to[0] = from[0];
    return;
  }
  long half = n / 2;
  transform_sequential(from, 2 * step, to, half);
  transform_sequential(from + step, 2 * step, to + half, half);
  combine(to, half, 0, half);
}

/* The transform of the n elements from[0], from[step], from[2 step]... */
static void transform(const Complex *from, long step, Complex *to, long n) {
  if (n <= cutoff || n == 1) {
    transform_sequential(from, step, to, n);
    return;
  }
  long half = n / 2;
  count_tasks(2);
#pragma omp task UNTIED
  transform(from, 2 * step, to, half);
#pragma omp task UNTIED
  transform(from + step, 2 * step, to + half, half);
#pragma omp taskwait
  if (half <= piece) {
    combine(to, half, 0, half);
    return;
  }
  for (long begin = 0; begin < half; begin += piece) {
    count_tasks(1);
#pragma omp task UNTIED firstprivate(begin)
    combine(to, half, begin, begin + piece < half ? begin + piece : half);
  }
#pragma omp taskwait
}

static long reversed(long i) {
  long other = 0;
  for (long bit = 0; bit < exponent; bit++) other |= (i >> bit & 1) << (exponent - 1 - bit);
  return other;
}

/* Passes over all data: one region with one loop per pass, whose barrier keeps the passes apart. A pass is one loop
   over all its pairs, however they are grouped. */
static void transform_with_loops(const Complex *from, Complex *to) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (long i = 0; i < size; i++) to[i] = from[reversed(i)];
    for (long half = 1; half < size; half *= 2) {
      long stride = size / (2 * half);
#pragma omp for schedule(static)
      for (long pair = 0; pair < size / 2; pair++) {
        long k = pair & (half - 1);
        Complex *at = to + 2 * (pair - k) + k;
        Complex even = at[0], odd = root[k * stride] * at[half];
        at[0] = even + odd;
        at[half] = even - odd;
      }
    }
  }
}

/* Number of the recursion's tasks, from the sizes alone. */
static long count_expected_tasks(long n) {
  if (n <= cutoff || n == 1) return 0;
  long half = n / 2;
  return 2 + 2 * count_expected_tasks(half) + (half <= piece ? 0 : (half + piece - 1) / piece);
}

/* Some outputs by the definition, and the sum of squares of all by Parseval's theorem. */
static int is_right(const Complex *from, const Complex *to, uint64_t seed) {
  uint64_t state = random_seed(seed);
  double tolerance = 1e-15 * (double)(exponent + 1) * sqrt((double)size) * 32;
  for (int sample = 0; sample < 16; sample++) {
    long k = (long)(random_next(&state) & (uint64_t)(size - 1));
    Complex sum = 0;
    for (long j = 0; j < size; j++) {
      long turn = (long)((unsigned long)k * (unsigned long)j & (unsigned long)(size - 1));
      Complex w = size == 1 ? 1 : turn < size / 2 ? root[turn] : -root[turn - size / 2];
      sum += w * from[j];
    }
    if (!(cabs(sum - to[k]) <= tolerance)) return 0;
  }
  double before = 0, after = 0;
  for (long j = 0; j < size; j++) {
    before += creal(from[j]) * creal(from[j]) + cimag(from[j]) * cimag(from[j]);
    after += creal(to[j]) * creal(to[j]) + cimag(to[j]) * cimag(to[j]);
  }
  return fabs(after / (double)size - before) <= 1e-11 * before;
}

int main(int argc, char **argv) {
  long seed = 1;
  const Option options[] = {
      {"--size", kLong, "N", &exponent, 0, 28, "2^N elements"},
      {"--version", kChoice, "task|loop", &version, 0, 0, ""},
      {"--cutoff", kLong, "N", &cutoff, 1, 1e9, "transforms of N elements or fewer: no tasks"},
      {"--no-cutoff", kSwitch, "", &cutoff, 1, 0, "tasks down to one element"},
      {"--piece", kLong, "N", &piece, 1, 1e9, "pairs that one task combines"},
      {"--seed", kLong, "N", &seed, 0, 1e15, "seed of the elements"},
  };
  parse_options(argc, argv, "fft", "Fast Fourier transform, recursive with tasks or in passes with loops.", options,
                OPTION_COUNT(options));
  size = 1L << exponent;
  Complex *from = allocate((size_t)size * sizeof *from), *to = allocate((size_t)size * sizeof *to);
  root = allocate((size_t)(size / 2 + 1) * sizeof *root);
  for (long k = 0; k < size / 2; k++) {
    double angle = -2 * kPi * (double)k / (double)size;
    root[k] = cos(angle) + sin(angle) * I;
  }
  uint64_t state = random_seed((uint64_t)seed);
  for (long j = 0; j < size; j++) {
    double real = 2 * random_unit(&state) - 1;
    from[j] = real + (2 * random_unit(&state) - 1) * I;
    to[j] = 0;
  }

  double start = begin_timed_part();
  if (version == kLoop) {
    transform_with_loops(from, to);
  } else {
#pragma omp parallel
    {
#pragma omp single
      transform(from, 1, to, size);
      flush_task_count();
    }
  }
  double seconds = end_timed_part(start);

  int ok = is_right(from, to, (uint64_t)seed + 1);
  if (version == kTasks) ok &= tasks_made == count_expected_tasks(size);
  char size_text[32], text[48];
  snprintf(size_text, sizeof size_text, "%ld", exponent);
  snprintf(text, sizeof text, "%.9g", cabs(to[size - 1]));
  free(from);
  free(to);
  return finish("fft", size_text, text, version == kLoop ? -1 : tasks_made, seconds, ok);
}
