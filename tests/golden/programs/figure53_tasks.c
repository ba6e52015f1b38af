/* foo creates bar and baz with computation between, and joins both (Muddukrishna, figure 5.3). */
static volatile double sink;

static void compute(int n) {
  double x = 1;
  for (int i = 0; i < n; ++i) x = x * 1.0000001 + 1e-9;
  sink = x;
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single nowait
#pragma omp task
  { /* foo */
    compute(1000);
#pragma omp task
    compute(20000); /* bar */
    compute(1000);
#pragma omp task
    compute(30000); /* baz */
    compute(1000);
#pragma omp taskwait
    compute(1000);
  }
  return 0;
}
