/* 20 iterations in 5 chunks of 4 on 2 threads (Muddukrishna, figure 5.3). */
static volatile double sink[20];

int main(void) {
#pragma omp parallel for schedule(dynamic, 4) num_threads(2)
  for (int i = 0; i < 20; ++i) {
    double x = i;
    for (int k = 0; k < 20000; ++k) x = x * 1.0000001 + 1e-9;
    sink[i] = x;
  }
  return 0;
}
