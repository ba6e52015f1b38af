// Runs of tasks with depend that come again, which are replayed as graphs: each result beside that of the serial order.
// regions: 16 of 16
#include "check.h"
#include <string.h>

enum { kMost = 12 };
static long grid[kMost][kMost], serial[kMost][kMost], line[kMost + 2], global_bound = 5;

/* One that others have to wait for, now and then. */
static void work(long *at, long by) {
  for (volatile int i = 0; i < (by & 3 ? 10 : 400); i++) continue;
  *at = (long)((unsigned long)*at * 3 + (unsigned long)by);
}
static void start(void) {
  for (int i = 0; i < kMost * kMost; i++) (&grid[0][0])[i] = i, (&serial[0][0])[i] = i;
}
static void compare(int where) {
  if (memcmp(grid, serial, sizeof grid)) fprintf(stderr, "after line %d\n", where);
  CHECK(memcmp(grid, serial, sizeof grid) == 0);
}

/* A wavefront: bounds and a value that tasks copy are others now and then. */
static void wavefront(int n, long by) {
#pragma omp parallel
#pragma omp single
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(inout : grid[i][j])
      work(&grid[i][j], ((grid[i - 1][j] ^ grid[i][j - 1]) & 0xffff) + by);
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++) work(&serial[i][j], ((serial[i - 1][j] ^ serial[i][j - 1]) & 0xffff) + by);
}

/* In a function of its own, with a taskwait; the array is another one each second time. */
static void chain(long *a, int n, int step, long factor) {
  for (int i = step; i < n; i += step) {
#pragma omp task depend(in : a[i - step]) depend(inout : a[i])
    work(&a[i], (a[i - step] & 0xffff) * factor);
    if (i % 2)
#pragma omp task depend(inout : a[i : 1])
      a[i]++;
  }
#pragma omp taskwait
}
static void serial_chain(long *a, int n, int step, long factor) {
  for (int i = step; i < n; i += step) {
    work(&a[i], (a[i - step] & 0xffff) * factor);
    if (i % 2) a[i]++;
  }
}

/* One after the other, without a loop; a variable of the function that tasks share is elsewhere in each call. */
static long straight(int depth, long first) {
  volatile char room[256];
  room[depth & 255] = 1;
  if (depth > 0) return straight(depth - 1, first) + room[depth & 255] - 1;
  long x = first, y = 1, result = 0;
#pragma omp task shared(x) depend(inout : x) firstprivate(first)
  x = x * 2 + first;
#pragma omp task shared(x, y) depend(in : x) depend(out : y)
  y = x + 1;
#pragma omp task shared(x, y, result) depend(in : x, y)
  result = x * 100 + y;
#pragma omp taskwait
  return result;
}

/* The same tasks in each step, and nobody waits between: they are of two graphs then. */
static void steps(int n, int count) {
#pragma omp parallel
#pragma omp master
  for (int t = 0; t < count; t++) {
    for (int i = 0; i < n; i++)
#pragma omp task depend(in : line[i], line[i + 2]) depend(inout : line[i + 1])
      line[i + 1] += (line[i] ^ line[i + 2]) & 7;
  }
}

/* Pointers change places. */
static long swapped(int n, int count) {
  long a[kMost + 2] = {1}, b[kMost + 2] = {0}, *from = a, *to = b;
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < count; t++) {
    for (int i = 1; i <= n; i++)
#pragma omp task depend(in : from[i - 1], from[i], from[i + 1]) depend(out : to[i]) firstprivate(from, to, i)
      to[i] = from[i - 1] + 2 * from[i] + from[i + 1];
    long *both = from;
    from = to, to = both;
  }
  long sum = 0;
  for (int i = 0; i < n + 2; i++) sum = sum * 7 + from[i];
  return sum;
}
static long serial_swapped(int n, int count) {
  long a[kMost + 2] = {1}, b[kMost + 2] = {0}, *from = a, *to = b, sum = 0;
  for (int t = 0; t < count; t++) {
    for (int i = 1; i <= n; i++) to[i] = from[i - 1] + 2 * from[i] + from[i + 1];
    long *both = from;
    from = to, to = both;
  }
  for (int i = 0; i < n + 2; i++) sum = sum * 7 + from[i];
  return sum;
}

/* What is shared and const is read anew: it is where it was. */
static long constant(int n, long first) {
  const long value = first;
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++)
#pragma omp task depend(inout : sum) shared(sum)
    sum += value;
  return sum;
}

/* ---- what has to stay as it is ------------------------------------------------------------------------------------ */

/* Rows of a length that the function is told: for the compiler behind, part of what a task has. */
static void rows(int n, int length, long (*table)[length]) {
  for (int i = 1; i < n; i++)
#pragma omp task depend(in : table[i - 1][0]) depend(inout : table[i][0]) firstprivate(table)
    table[i][0] += table[i - 1][0] + 1;
#pragma omp taskwait
}

/* Beside the tasks something counts. */
static int beside(int n) {
  int made = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++) {
    made++;
#pragma omp task depend(inout : line[0])
    line[0]++;
  }
  return made;
}

/* So long that no thread is to do all of it alone. */
static void slowly(long *at, int i) {
  for (volatile int k = 0; k < (i == 0 ? 3000000 : 10); k++) continue;
  work(at, i);
}

/* Which are the same is in memory, and changes: each for itself, or one after the other. */
static void by_index(int n, const int *index) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++)
#pragma omp task depend(inout : line[index[i]]) firstprivate(i)
    slowly(&line[index[i]], i);
}
static struct {
  long *at[kMost];
  int n;
} tiles;
static void by_pointer(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i + 1 < tiles.n; i++)
#pragma omp task depend(in : *tiles.at[i]) depend(inout : tiles.at[i + 1][0]) firstprivate(i)
    work(tiles.at[i + 1], *tiles.at[i]);
}

/* A global bound, which is compared as any other value. */
static void by_global(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < global_bound; i++)
#pragma omp task depend(inout : line[i])
    line[i]++;
}

/* The counter is asked for behind the loop. */
static int counter(int n) {
  int i = 0;
#pragma omp parallel
#pragma omp single
  for (i = 0; i < n; i++)
#pragma omp task depend(inout : line[0]) firstprivate(i)
    line[0] += i;
  return i;
}

/* Clauses that say something else each time. */
static int finals(int n, int final) {
  int wrong = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++)
#pragma omp task depend(inout : line[0]) final(final) shared(wrong)
    wrong += omp_in_final() != final;
  return wrong;
}

static int looked_for(int *flag) {
  double begin = omp_get_wtime();
  int now = 0;
  while (!now && omp_get_wtime() - begin < 2) {
#pragma omp atomic read
    now = *flag;
  }
  return now;
}

/* Tasks wait for what their maker does next (for as long as it takes a thread that is there). */
static int goes_on(int n) {
  int flag = 0, seen = 0;
#pragma omp parallel num_threads(2)
  {
    int threads = omp_get_num_threads();
#pragma omp single
    {
      for (int i = 0; i < n; i++)
#pragma omp task depend(inout : line[0]) shared(flag, seen)
        seen += looked_for(&flag);
#pragma omp atomic write
      flag = 1;
      seen = seen + (threads < 2 ? n : 0);
    }
  }
  return seen >= n;
}

/* Left in the middle. */
static int leaves(int n, int stop) {
  int found = -1;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : line[0])
    line[0]++;
    if (i == stop) {
      found = i;
      break;
    }
  }
  return found;
}

/* Tasks in tasks. */
static void nested(int n) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++)
#pragma omp task depend(inout : line[i])
    {
#pragma omp task shared(i)
      line[i] += 2;
#pragma omp taskwait
    }
}

/* A whole array is copied. */
static long copies(int n, long first) {
  long all[4] = {first, 2, 3, 4}, sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++)
#pragma omp task depend(inout : sum) firstprivate(all) shared(sum)
    sum += all[i % 4];
  return sum;
}

/* By all threads at once, each for itself. */
static void by_all(int n, long *sums) {
#pragma omp parallel num_threads(4)
  {
    long *mine = sums + 16 * omp_get_thread_num();
    for (int round = 0; round < 4; round++) {
      for (int i = 1; i < n; i++)
#pragma omp task depend(in : mine[i - 1]) depend(inout : mine[i])
        mine[i] += mine[i - 1] + 1;
#pragma omp taskwait
    }
  }
}

static void calls(int round) {
  static long one[kMost], other[kMost], one_serial[kMost], other_serial[kMost];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 6; i++) {
    long *a = i % 2 ? one : other;
    chain(a, 4 + round % 3 * 4, 1 + i / 4, i);
    CHECK(straight(i % 3, i + round) == (3 * (i + round)) * 100 + 3 * (i + round) + 1);
  }
  for (int i = 0; i < 6; i++) serial_chain(i % 2 ? one_serial : other_serial, 4 + round % 3 * 4, 1 + i / 4, i);
  CHECK(memcmp(one, one_serial, sizeof one) == 0 && memcmp(other, other_serial, sizeof other) == 0);
}

int main(void) {
  start();
  for (int round = 0; round < 24; round++) {
    wavefront(4 + round % 4 * 2, round / 12);
    compare(__LINE__);
    calls(round);
    long before[kMost + 2];
    memcpy(before, line, sizeof before);
    steps(6 + round % 2, 8);
    for (int t = 0; t < 8; t++)
      for (int i = 0; i < 6 + round % 2; i++) before[i + 1] += (before[i] ^ before[i + 2]) & 7;
    CHECK(memcmp(before, line, sizeof before) == 0);
    CHECK(swapped(5 + round % 3, 7) == serial_swapped(5 + round % 3, 7));

    CHECK(beside(3 + round % 2) == 3 + round % 2);
    int index[kMost];
    for (int i = 0; i < kMost; i++) index[i] = round % 2 ? i : 3;
    memcpy(before, line, sizeof before);
    if (round < 8) {
      by_index(kMost, index);
      for (int i = 0; i < kMost; i++) work(&before[index[i]], i);
    }
    CHECK(memcmp(before, line, sizeof before) == 0);
    tiles.n = kMost;
    for (int i = 0; i < kMost; i++) tiles.at[i] = &line[(i * (round % 2 ? 5 : 7)) % kMost];
    by_pointer();
    for (int i = 0; i + 1 < kMost; i++) {
      const int by = round % 2 ? 5 : 7;
      work(&before[(i + 1) * by % kMost], before[i * by % kMost]);
    }
    CHECK(memcmp(before, line, sizeof before) == 0);
    global_bound = 3 + round % 3;
    by_global();
    for (int i = 0; i < global_bound; i++) before[i]++;
    CHECK(memcmp(before, line, sizeof before) == 0);
    CHECK(constant(4, round / 3) == 4 * (round / 3));
    long table[16] = {1};
    rows(4, 1 + round / 6, (long (*)[1 + round / 6])table);
    CHECK(table[3 * (1 + round / 6)] == 4);
    CHECK(counter(4) == 4);
    CHECK(finals(3, round % 2) == 0);
    if (round < 4) CHECK(goes_on(3));
    CHECK(leaves(6, 2 + round % 3) == 2 + round % 3);
    memcpy(before, line, sizeof before);
    nested(4);
    CHECK(line[3] == before[3] + 2);
    CHECK(copies(6, round) == 2 * round + 2 + 3 + 4 + 2);
    long sums[64] = {0};
    by_all(8, sums);
    CHECK(sums[7] != 0 && sums[1] == 4);
    for (int i = 0; i < kMost + 2; i++) line[i] &= 0xffff;
  }
  return 0;
}
