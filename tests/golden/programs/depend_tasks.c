/* A writes x, B and C read it, D and E update it in any order, F writes it, G reads it and writes y. */
static volatile int sink;

int main(void) {
  int x = 0, y = 0;
#pragma omp parallel num_threads(2)
#pragma omp single nowait
  {
#pragma omp task depend(out : x)
    sink = 1; /* A */
#pragma omp task depend(in : x)
    sink = 2; /* B */
#pragma omp task depend(in : x)
    sink = 3; /* C */
#pragma omp task depend(mutexinoutset : x)
    sink = 4; /* D */
#pragma omp task depend(mutexinoutset : x)
    sink = 5; /* E */
#pragma omp task depend(inout : x)
    sink = 6; /* F */
#pragma omp task depend(in : x) depend(out : y)
    sink = 7; /* G */
  }
  return x + y;
}
