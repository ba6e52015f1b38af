/* Words that neither compiler knows: taken out of what is compiled, and explained. */
static void add(int n, int *x) {
#pragma ompx codelet
#pragma omp for
  for (int i = 0; i < n; i++) x[i]++;
}

void marked(int n, int *x, int *sum) {
#pragma omp parallel
  {
#pragma ompx codelet  // a loop
#pragma omp for nowait
    for (int i = 0; i < n; i++) x[i] += i;
#pragma omp single codelet
    *sum = 0;
#pragma omp for schedule(static), codelet, nowait
    for (int i = 0; i < n; i++) x[i] *= 2;
    add(n, x);
  }
#pragma ompx codelet
  *sum = x[0];
#pragma omp target teams distribute parallel for codelet
  for (int i = 0; i < n; i++) x[i] = i;
}
