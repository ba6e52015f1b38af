// Reductions of arrays and array sections, of fixed and of variable length, larger than a page.
// run plain:
// run tree: KMP_FORCE_REDUCTION=tree
#include "check.h"

enum { kLarge = 3000 };
static double large[kLarge];

int main(void) {
  int n = omp_get_max_threads();
  for (int round = 0; round < 20; ++round) {
    int fixed[10] = {0}, length = 5 + round;
    int *heap = calloc((size_t)length, sizeof *heap);
    for (int i = 0; i < kLarge; ++i) large[i] = 1;
#pragma omp parallel for schedule(dynamic) reduction(+ : fixed, large) reduction(+ : heap[1 : length - 1])
    for (int i = 0; i < 200; ++i) {
      fixed[i % 10] += i;
      heap[1 + i % (length - 1)] += 1;
      large[i * 15] += i;
    }
    int sum = 0, count = 0;
    for (int i = 0; i < 10; ++i) sum += fixed[i];
    for (int i = 0; i < length; ++i) count += heap[i];
    CHECK_EQUAL(sum, 19900);
    CHECK_EQUAL(heap[0], 0);
    CHECK_EQUAL(count, 200);
    for (int i = 0; i < kLarge; ++i) CHECK(large[i] == (i % 15 == 0 ? 1 + i / 15 : 1));
    int squares[4][4] = {{0}};
#pragma omp parallel reduction(max : squares[1 : 2][0 : 4])
    for (int i = 1; i < 3; ++i)
      for (int j = 0; j < 4; ++j) squares[i][j] = omp_get_thread_num() + 10 * i + j;
    CHECK_EQUAL(squares[2][3], n - 1 + 23);
    CHECK_EQUAL(squares[0][0], 0);
    free(heap);
  }
  return check_end();
}
