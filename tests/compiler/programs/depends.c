// What depend and affinity name: elements and sections of what is shared, or lives over a sync point, and variables of
// which the task has its own.
// regions: 6 of 6
#include "check.h"

struct pair {
  int first, second[4];
};

// Made in this order, each task waits for the one before.
static void sections(int n, int *x, int (*rows)[4]) {
  int sums[8], order = 0, wrong = 0;
  double table[3][5];
  struct pair pair = {0, {0}};
  n++;
#pragma omp parallel
#pragma omp single
  {
    x = x + 1;
    rows++;
    for (int i = 0; i < 8; i++)
#pragma omp task depend(out : sums[i : 1], x[i]) shared(sums, order)
      {
#pragma omp atomic
        order++;
        sums[i] = i, x[i] = 1;
      }
    if (n > 0)
#pragma omp task depend(iterator(k = 0 : 8), in : sums[k]) depend(inout : table[1][0 : 5], rows[0][1 : 2]) \
    shared(sums, table, rows)
      for (int i = 0; i < 8; i++) table[1][i % 5] = sums[i], rows[0][1] = 5;
    else
      table[0][0] = 0;
#pragma omp task depend(in : table[1][0 : 5], pair.second[2], rows[0][1 : 2]) depend(iterator(k = 0 : 8), in : x[k]) \
    affinity(table[1][0 : 2]) shared(wrong, table, x, rows)
    {
#pragma omp atomic
      wrong += table[1][0] != 5 || table[1][4] != 4 || x[7] != 1 || rows[0][1] != 5;
    }
#pragma omp task depend(inout : pair.second[2]) shared(pair)
    pair.second[2] = 3;
#pragma omp task depend(iterator(k = 0 : 8), in : sums[k]) depend(in : pair.second[2]) shared(sums, wrong, pair)
    {
#pragma omp atomic
      wrong += sums[3] != 3 || pair.second[2] != 3;
    }
  }
  CHECK(order == 8 && wrong == 0 && pair.second[2] == 3);
}

// The copy is not what the others mean: the second of each pair of tasks comes behind the first.
static void copies(void) {
  for (int round = 0; round < 50; round++) {
    int x = 1, first = 0, second = 0, third = 0, all[2] = {1, 2}, one[3] = {0}, *p = one;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x) shared(first)
      {
        for (volatile int i = 0; i < 2000; i++) continue;
        first = 1;
      }
#pragma omp task depend(in : x) firstprivate(x) shared(first)
      first += x == 1 && first == 1;
#pragma omp task depend(out : all[1]) shared(second)
      {
        for (volatile int i = 0; i < 2000; i++) continue;
        second = 1;
      }
#pragma omp task depend(in : all[1]) firstprivate(all) shared(second)
      second += all[1] == 2 && second == 1;
#pragma omp task depend(out : p[1]) shared(third)
      {
        for (volatile int i = 0; i < 2000; i++) continue;
        third = 1;
      }
#pragma omp task depend(in : p[1 : 2]) firstprivate(p) shared(third)
      third += p[0] == 0 && third == 1;
#pragma omp taskwait
      p = NULL, x = all[1] = 3;
    }
    CHECK(first == 2 && second == 2 && third == 2 && !p && x == 3 && all[1] == 3);
  }
}

// What each thread has in its own memory, over a barrier.
static void lasting(void) {
  int wrong = 0;
#pragma omp parallel
  {
    int row[6], *end = row + 5, one = 1;
    for (int i = 0; i < 6; i++) row[i] = one;
    int **at = &end;
#pragma omp barrier
#pragma omp task depend(out : row[0 : 3]) shared(row)
    row[0] = 2;
#pragma omp task depend(inout : row[0 : 3]) depend(out : end[0 : 1], one) shared(row, end, one)
    row[1] = row[0] + 1, *end = 4, one = 5;
#pragma omp task depend(in : row[0 : 3], **at, one) firstprivate(one) shared(wrong, row)
    {
#pragma omp atomic
      wrong += row[1] != 3 || row[5] != 4 || one < 1;
    }
#pragma omp taskwait depend(in : row[0 : 3], end[0])
    CHECK(row[1] == 3);
#pragma omp barrier
    CHECK(row[5] == 4 && one == 5);
  }
  CHECK(wrong == 0);
}

// In tasks, which share what is shared.
static void in_tasks(int *x) {
  int done = 0;
#pragma omp parallel
#pragma omp master
  {
    x += 1;
#pragma omp task shared(x, done)
    {
      x += 1;
#pragma omp task depend(out : x[0 : 2]) shared(x)
      x[0] = 11;
#pragma omp task depend(in : x[0 : 2]) shared(x, done)
      done = x[0];
#pragma omp taskwait
    }
  }
  CHECK(done == 11);
}

// What one loop hands on, and a task that is all that it does.
static void loops(int n) {
  int last = 0, sums[4] = {0};
#pragma omp parallel
  {
#pragma omp single
    for (int i = 0; i < n; i++)
#pragma omp task depend(inout : sums[i % 4 : 1]) shared(sums)
      sums[i % 4] += i;
#pragma omp for lastprivate(last)
    for (int i = 0; i < n; i++) last = i;
  }
  CHECK(last == n - 1 && sums[1] == 1 + 5 + 9);
}

int main(void) {
  int x[12] = {0}, rows[3][4] = {{0}};
  for (int round = 0; round < 30; round++) {
    sections(1, x, rows);
    copies();
    lasting();
    in_tasks(x);
    loops(12);
  }
  // The same, where nobody shares anything.
#pragma omp parallel num_threads(2)
  {
    int mine[4] = {0};
#pragma omp task depend(out : mine[1 : 2]) shared(mine)
    mine[1] = 3;
#pragma omp task depend(in : mine[1 : 2]) shared(mine)
    mine[0] = mine[1];
#pragma omp taskwait
    CHECK(mine[0] == 3);
  }
  return 0;
}
