// ordered(n) with depend(source) and depend(sink): each iteration starts after those it names, under every schedule.
// run rows: -- rows
// run past_the_row: -- past
// peer gcc.rows: with more threads than CPUs its busy waits take minutes
// peer clang.past_the_row: waits for ever at a sink just behind a row's last iteration
#include "check.h"

enum { kRows = 40, kColumns = 17 };
static int done[kRows][kColumns];
static int linear[4096];

static void clear(void) {
  memset(done, 0, sizeof done);
  memset(linear, 0, sizeof linear);
}

// A chain: iteration i after i - distance.
static void chain_body(int i, int distance) {
  if (i >= distance) CHECK_EQUAL(value_of(&linear[i - distance]), 1);
  if (i % 5 == 0) nap_us(20);
  CHECK_EQUAL(add_one(&linear[i]), 1);
}

#define CHAIN(schedule_clause)                                             \
  do {                                                                     \
    clear();                                                               \
    _Pragma(schedule_clause) for (int i = 0; i < 300; ++i) {               \
      _Pragma("omp ordered depend(sink : i - 3)") chain_body(i, 3);        \
      _Pragma("omp ordered depend(source)")                                \
    }                                                                      \
    for (int i = 0; i < 300; ++i) CHECK_EQUAL(linear[i], 1);               \
  } while (0)

// A wavefront: after the neighbours to the left and above.
static void cell(int i, int j) {
  if (i > 0) CHECK_EQUAL(value_of(&done[i - 1][j]), 1);
  if (j > 0) CHECK_EQUAL(value_of(&done[i][j - 1]), 1);
  if ((i + j) % 11 == 0) nap_us(20);
  CHECK_EQUAL(add_one(&done[i][j]), 1);
}

#define WAVEFRONT(schedule_clause)                                                          \
  do {                                                                                      \
    clear();                                                                                \
    _Pragma(schedule_clause) for (int i = 0; i < kRows; ++i) for (int j = 0; j < kColumns; ++j) { \
      _Pragma("omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)") cell(i, j);    \
      _Pragma("omp ordered depend(source)")                                                 \
    }                                                                                       \
    for (int i = 0; i < kRows; ++i)                                                         \
      for (int j = 0; j < kColumns; ++j) CHECK_EQUAL(done[i][j], 1);                        \
  } while (0)

static void rows(void) {
  CHAIN("omp parallel for ordered(1) schedule(static)");
  CHAIN("omp parallel for ordered(1) schedule(static, 1)");
  CHAIN("omp parallel for ordered(1) schedule(static, 7)");
  CHAIN("omp parallel for ordered(1) schedule(dynamic)");
  CHAIN("omp parallel for ordered(1) schedule(dynamic, 4)");
  CHAIN("omp parallel for ordered(1) schedule(guided)");
  CHAIN("omp parallel for ordered(1) schedule(guided, 5)");
  CHAIN("omp parallel for ordered(1) schedule(auto)");
  for (int kind = 1; kind <= 4; ++kind)
    for (int chunk = 0; chunk <= 3; ++chunk) {
      omp_set_schedule((omp_sched_t)kind, chunk);
      CHAIN("omp parallel for ordered(1) schedule(runtime)");
      WAVEFRONT("omp parallel for ordered(2) schedule(runtime)");
    }
  WAVEFRONT("omp parallel for ordered(2)");
  WAVEFRONT("omp parallel for ordered(2) schedule(static, 1)");
  WAVEFRONT("omp parallel for ordered(2) schedule(dynamic, 3)");
  WAVEFRONT("omp parallel for ordered(2) schedule(guided, 2)");
  WAVEFRONT("omp parallel for collapse(2) ordered(2) schedule(static, 5)");
  WAVEFRONT("omp parallel for collapse(2) ordered(2) schedule(dynamic, 2)");
  WAVEFRONT("omp parallel for collapse(2) ordered(2) schedule(guided)");

  // With steps, in unsigned long long at the end of its range; several such loops in one region, without waiting.
  clear();
  const unsigned long long top = ~0ull - 1;
#pragma omp parallel
  {
    for (int repeat = 0; repeat < 40; ++repeat) {
#pragma omp for ordered(1) schedule(static, 2) nowait
      for (unsigned long long i = top - 90; i < top; i += 3) {
        int at = (int)((i - (top - 90)) / 3) + 32 * repeat;
#pragma omp ordered depend(sink : i - 3)
        if (at % 32) CHECK_EQUAL(value_of(&linear[at - 1]), 1);
        CHECK_EQUAL(add_one(&linear[at]), 1);
#pragma omp ordered depend(source)
      }
    }
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 40 * 32; ++i) CHECK_EQUAL(linear[i], i % 32 < 30);
#pragma omp for ordered(2) schedule(dynamic) nowait
    for (int i = kRows - 1; i >= 0; i -= 2)
      for (int j = kColumns - 1; j >= 0; --j) {
#pragma omp ordered depend(sink : i + 2, j) depend(sink : i, j + 1)
        if (i + 2 < kRows) CHECK_EQUAL(value_of(&done[i + 2][j]), 1);
        if (j + 1 < kColumns) CHECK_EQUAL(value_of(&done[i][j + 1]), 1);
        CHECK_EQUAL(add_one(&done[i][j]), 1);
#pragma omp ordered depend(source)
      }
    // No iterations at all.
    int nothing = omp_get_num_threads() < 0;
#pragma omp for ordered(2)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < nothing; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
        CHECK(0);
#pragma omp ordered depend(source)
      }
  }
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) CHECK_EQUAL(done[i][j], i % 2);
}

// The neighbour to the upper right: at a row's end it lies outside the iteration space and must not be waited for.
static void past_the_row(void) {
  for (int schedule = 1; schedule <= 3; ++schedule) {
    omp_set_schedule((omp_sched_t)schedule, 1);
    clear();
#pragma omp parallel for ordered(2) schedule(runtime)
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j) {
#pragma omp ordered depend(sink : i - 1, j + 1) depend(sink : i, j - 1)
        if (i > 0 && j + 1 < kColumns) CHECK_EQUAL(value_of(&done[i - 1][j + 1]), 1);
        CHECK_EQUAL(add_one(&done[i][j]), 1);
#pragma omp ordered depend(source)
      }
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j) CHECK_EQUAL(done[i][j], 1);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "past")) past_the_row();
  else rows();
  return check_end();
}
