// Deferred target regions, and one that waits for them.
static int a, b;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 50; ++i) {
#pragma omp target nowait map(tofrom : a) depend(inout : a)
      a++;
#pragma omp target nowait map(tofrom : b)
      b = i;
    }
#pragma omp target map(tofrom : a) depend(inout : a)
    a++;
  }
  return a != 51;
}
