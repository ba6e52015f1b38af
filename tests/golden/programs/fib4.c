/* fib(4), two tasks a call. */
static int fib(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  int r = 0;
#pragma omp parallel num_threads(2)
#pragma omp single nowait
  r = fib(4);
  return r == 3 ? 0 : 1;
}
