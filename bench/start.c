/* A program with one empty parallel region: what a program pays for its OpenMP library before it has done anything. It
 * does not repeat itself; bench/run.py measures the whole process. */
int main(void) {
#pragma omp parallel
  __asm__ volatile("" ::: "memory");
  return 0;
}
