// Arrays of variable length, and pointers to them, as codelets have them: shared, private and firstprivate. What their
// lengths were declared with has changed since, or is called so by something else.
// regions: 10 of 12
#include "check.h"

#include <string.h>

static int threads_of(int *count) {
#pragma omp atomic
  ++*count;
  return 0;
}

// Of more than one dimension, and as a whole.
static void shared(int n, int m) {
  double table[n][m], cube[2][m][n + 1];
  const int rows = n, columns = m;
  n = m = 1;
#pragma omp parallel for
  for (int i = 0; i < rows; i++) {
    n = 7;
    for (int j = 0; j < columns; j++) table[i][j] = i * columns + j;
  }
#pragma omp parallel shared(table)
  {
    const int n = 2;
#pragma omp for collapse(2)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++)
        cube[1][j][i] = table[i][j] + (double)(sizeof table / sizeof(double)) + n;
#pragma omp single
    {
      CHECK(sizeof table == sizeof(double) * (size_t)rows * (size_t)columns);
      CHECK(sizeof cube[0][0] == sizeof(double) * (size_t)(rows + 1));
      memset(table, 0, sizeof table);
    }
#pragma omp for
    for (int j = 0; j < columns; j++)
      for (int i = 0; i < rows; i++) table[i][j] += cube[1][j][i];
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) CHECK(table[i][j] == i * columns + j + rows * columns + 2);
}

// Each thread's own.
static void own(int n) {
  int row[n], table[n][3], seen = 0, wrong = 0;
  const int length = n;
  for (int i = 0; i < n; i++) row[i] = i, table[i][2] = 2 * i;
  n = 2;
#pragma omp parallel firstprivate(row, table) private(n) reduction(+ : wrong)
  {
    n = omp_get_thread_num();
    for (int i = 0; i < length; i++) row[i] += n, table[i][2] += row[i];
    threads_of(&seen);
    for (int i = 0; i < length; i++) wrong += row[i] != i + n || table[i][2] != 3 * i + n;
    wrong += sizeof row != sizeof(int) * (size_t)length || sizeof table != 3 * sizeof row;
  }
  CHECK(wrong == 0 && seen >= 1 && row[1] == 1 && table[1][2] == 2);
#pragma omp parallel for firstprivate(row) private(table) reduction(+ : wrong)
  for (int i = 0; i < length; i++) {
    memcpy(table[0], row, 2 * sizeof *row);
    row[i] = 0;
    wrong += table[0][1] != (i == 1 || row[1]);
    row[i] = i;
  }
  CHECK(wrong == 0 && row[length - 1] == length - 1);
  // What one begins with must not be seen to change by the others.
#pragma omp parallel private(row) num_threads(2)
  {
    for (int i = 0; i < length; i++) row[i] = omp_get_thread_num();
    for (int i = 0; i < length; i++) CHECK(row[i] == omp_get_thread_num());
  }
}

// Of a construct in the region.
static void inside(int n) {
  long row[n], sums[n][2];
  const int length = n;
  int total = 0;
  for (int i = 0; i < n; i++) row[i] = i + 1, sums[i][0] = sums[i][1] = 0;
  n = -3;
#pragma omp parallel
  {
#pragma omp for firstprivate(row)
    for (int i = 0; i < length; i++) {
      sums[i][0] = row[i];
      row[i] = -1;
    }
#pragma omp for private(row) schedule(static, 1)
    for (int i = 0; i < length; i++) {
      row[0] = i;
      sums[i][1] = row[0] + (long)(sizeof row / sizeof *row);
    }
#pragma omp single firstprivate(row)
    {
      row[0] += 10;
      total = (int)row[0];
    }
#pragma omp single private(row)
    {
      row[length - 1] = 1;
      total += (int)row[length - 1];
    }
  }
  CHECK(total == 12);
  for (int i = 0; i < length; i++) CHECK(row[i] == i + 1 && sums[i][0] == i + 1 && sums[i][1] == i + length);
#pragma omp parallel
  {
    long mine[length], again[length][2];
    for (int i = 0; i < length; i++) mine[i] = again[i][1] = i;
#pragma omp for private(mine, again) nowait
    for (int i = 0; i < length; i++) {
      mine[length - 1] = again[0][1] = i;
      CHECK(sizeof mine == sizeof row && sizeof again == 2 * sizeof row && mine[length - 1] == i);
    }
    CHECK(mine[length - 1] == length - 1 && again[1][1] == 1);
  }
}

// Tasks share them. (clang has none that are firstprivate in tasks.)
static void tasks(int n) {
  int table[n][2], sums[8] = {0};
  const int length = n;
  n = 0;
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < 8; t++) {
#pragma omp task firstprivate(t) shared(sums, table) depend(inout : table)
    {
      for (int i = 0; i < length; i++) table[i][1] = t;
      for (int i = 0; i < length; i++) sums[t] += table[i][1];
    }
  }
  for (int t = 0; t < 8; t++) CHECK(sums[t] == t * length);
}

// Pointers to such arrays, parameters among them.
static int pointers(int n, int m, int table[n][m], int cube[][m][4]) {
  int(*row)[m] = table, (*mine)[m] = table, (*other)[m] = table + 1;
  const int rows = n, columns = m;
  int sum = 0;
  m = n = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) sum += table[i][j] + cube[i][j][3];
#pragma omp parallel firstprivate(mine) private(other)
  {
    mine++;
    other = mine - 1;
#pragma omp single
    row++;
#pragma omp for
    for (int i = 0; i < columns; i++) row[0][i]++, (*row)[i] += other == mine - 1;
#pragma omp master
    sum += (int)(sizeof *row / sizeof **row) + (int)(&row[0][0] - &mine[0][0]) / columns;
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp for firstprivate(other)
    for (int i = 0; i < 2; i++) {
      other += i;
      CHECK(other == table + 1 + i);
    }
#pragma omp single
    {
#pragma omp task shared(row)
      CHECK(row == table + 1);
    }
  }
  CHECK(row == table + 1 && other == table + 1);
  return sum;
}

// Over sync points what is each thread's own would be gone.
static void left(int n) {
  int row[n];
#pragma omp parallel private(row)
  {
    for (int i = 0; i < n; i++) row[i] = i;
#pragma omp barrier
    for (int i = 0; i < n; i++) CHECK(row[i] == i);
  }
}

int main(void) {
  int table[3][5], cube[3][5][4];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 5; j++) table[i][j] = 1, cube[i][j][3] = 2;
  shared(6, 9);
  own(8);
  inside(10);
  tasks(12);
  CHECK(pointers(3, 5, table, cube) == 50 && table[1][4] == 3 && table[0][4] == 1);
  left(6);
  return 0;
}
