/* A writes x, B writes y; a taskwait for A alone; C, if(0), waits for B; D reads what C wrote. */
static volatile int sink;

int main(void) {
  int x = 0, y = 0;
#pragma omp parallel num_threads(2)
#pragma omp single nowait
  {
#pragma omp task depend(out : x)
    sink = 1; /* A */
#pragma omp task depend(out : y)
    sink = 2; /* B */
#pragma omp taskwait depend(in : x)
#pragma omp task depend(inout : y) if (0)
    sink = 3; /* C */
#pragma omp task depend(in : y)
    sink = 4; /* D */
  }
  return x + y;
}
