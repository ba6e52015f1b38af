/* Constants that the function declares, also where a macro names them and the file has others of that name. */
enum { ROWS = 3, COLUMNS };
#define ALL (ROWS * COLUMNS)

int of_function(int *x) {
  enum { ROWS = 5, COLUMNS = -ROWS + 12, OTHER = 1 };
#pragma omp parallel for
  for (int i = 0; i < ALL; i++) {
    int part[COLUMNS];
    part[0] = i;
    x[i] += part[0];
  }
#pragma omp parallel
  {
    enum { OTHER = 2 };
    x[0] = OTHER;
  }
  return ROWS;
}
