// Half a million empty tasks: most of the time is the cost of recording them.
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 500000; ++i) {
#pragma omp task
    __asm__ volatile("");
  }
  return 0;
}
