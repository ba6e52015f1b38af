// What programs do with arrays that no cache holds, one kind a run: how much of that waits for memory a recording with
// one number of threads does not tell.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double* filled(int n) {
  double* a = malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i) a[i] = 1 + i % 3;
  return a;
}

// Both arrays, each step.
static double dot(void) {
  enum { SIZE = 6000000, STEPS = 20 };
  double *a = filled(SIZE), *b = filled(SIZE), sum = 0;
  for (int step = 0; step < STEPS; ++step)
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < SIZE; ++i) sum += a[i] * b[i];
  return sum;
}

// Three arrays, and as much computing as a thread can do meanwhile.
static double roots(void) {
  enum { SIZE = 3000000, STEPS = 6 };
  double *a = filled(SIZE), *b = filled(SIZE), *c = filled(SIZE);
  for (int step = 0; step < STEPS; ++step)
#pragma omp parallel for
    for (int i = 0; i < SIZE; ++i) a[i] = sqrt(b[i] + c[i]) / (1 + c[i] * b[i]);
  return a[SIZE / 2];
}

// The same small part of a large array, over and over.
static double part(void) {
  enum { SIZE = 6000000, PART = 200000, STEPS = 600 };
  double *a = filled(SIZE), *b = filled(SIZE);
  for (int step = 0; step < STEPS; ++step)
#pragma omp parallel for
    for (int i = 0; i < PART; ++i) a[i] = a[i] * 0.5 + b[i] / (1 + a[i]);
  return a[9];
}

// Anywhere: waits for each value, and hardly for bandwidth.
static double gather(void) {
  enum { SIZE = 8000000, VALUES = 3000000, STEPS = 4 };
  double *a = filled(SIZE), sum = 0;
  for (int step = 0; step < STEPS; ++step)
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < VALUES; ++i) {
      unsigned r = i * 2654435761u + step * 77;
      r = (r ^ r >> 15) * 2246822519u;
      sum += a[(r ^ r >> 13) % SIZE];
    }
  return sum;
}

// Rows of 20 values near the diagonal.
static double sparse(void) {
  enum { ROWS = 200000, VALUES = 20, STEPS = 10 };
  int* column = malloc(ROWS * VALUES * sizeof(int));
  double *value = filled(ROWS * VALUES), *x = filled(ROWS), *y = filled(ROWS);
  unsigned r = 1;
  for (int i = 0; i < ROWS * VALUES; ++i) {
    r = r * 1664525 + 1013904223;
    column[i] = (i / VALUES + (int)((r >> 8) % 2000) - 1000 + ROWS) % ROWS;
  }
  for (int step = 0; step < STEPS; ++step) {
#pragma omp parallel
    {
#pragma omp for
      for (int i = 0; i < ROWS; ++i) {
        double sum = 0;
        for (int k = i * VALUES; k < (i + 1) * VALUES; ++k) sum += value[k] * x[column[k]];
        y[i] = sum;
      }
#pragma omp for
      for (int i = 0; i < ROWS; ++i) x[i] = 0.01 * (x[i] + y[i]);
    }
  }
  return x[7];
}

// Blocks that a core's own cache holds.
static double product(void) {
  enum { SIZE = 1280, BLOCK = 64 };
  double *a = filled(SIZE * SIZE), *b = filled(SIZE * SIZE), *c = filled(SIZE * SIZE);
#pragma omp parallel for schedule(dynamic)
  for (int at = 0; at < SIZE; at += BLOCK)
    for (int kk = 0; kk < SIZE; kk += BLOCK)
      for (int jj = 0; jj < SIZE; jj += BLOCK)
        for (int i = at; i < at + BLOCK; ++i)
          for (int k = kk; k < kk + BLOCK; ++k)
            for (int j = jj; j < jj + BLOCK; ++j) c[i * SIZE + j] += a[i * SIZE + k] * b[k * SIZE + j];
  return c[77];
}

static void merge(int* a, int* other, int n) {
  if (n < 4000) {
    for (int i = 1; i < n; ++i) {
      const int v = a[i];
      int j = i;
      for (; j > 0 && i - j < 40 && a[j - 1] > v; --j) a[j] = a[j - 1];
      a[j] = v;
    }
    return;
  }
#pragma omp task
  merge(a, other, n / 2);
#pragma omp task
  merge(a + n / 2, other + n / 2, n - n / 2);
#pragma omp taskwait
  int i = 0, j = n / 2, k = 0;
  while (i < n / 2 && j < n) other[k++] = a[i] <= a[j] ? a[i++] : a[j++];
  while (i < n / 2) other[k++] = a[i++];
  while (j < n) other[k++] = a[j++];
  memcpy(a, other, n * sizeof(int));
}

// Tasks that merge halves.
static double tasks(void) {
  enum { SIZE = 6000000 };
  int *a = malloc(SIZE * sizeof(int)), *other = calloc(SIZE, sizeof(int));
  unsigned r = 1;
  for (int i = 0; i < SIZE; ++i) a[i] = (r = r * 1664525 + 1013904223) >> 1, other[i] = i;
#pragma omp parallel
#pragma omp single
  merge(a, other, SIZE);
  return a[SIZE / 2];
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    double (*run)(void);
  } kinds[] = {{"dot", dot},       {"roots", roots},     {"part", part},  {"gather", gather},
               {"sparse", sparse}, {"product", product}, {"tasks", tasks}};
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (argc == 2 && strcmp(argv[1], kinds[i].name) == 0) return printf("%g\n", kinds[i].run()) < 0;
  return 2;
}
