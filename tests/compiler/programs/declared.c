// Functions of OpenMP that the program declares itself, otherwise than omp.h does, which it does not include.
// regions: 2 of 2
extern int omp_set_dynamic(int);
extern void abort(void);

int main(void) {
  int all = 0;
  (void)omp_set_dynamic(0);
#pragma omp parallel num_threads(4) reduction(+ : all)
  all++;
#pragma omp parallel for reduction(+ : all) proc_bind(close)
  for (int i = 0; i < 10; i++) all++;
  if (all < 11) abort();
  return 0;
}
