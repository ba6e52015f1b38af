// firstprivate, lastprivate and linear of loops: the value of the sequentially last iteration, whoever had it.
// peer clang: libomp 19 loses lastprivate where the last chunk of a dynamic loop is stolen
#include "check.h"

struct Pair {
  long a;
  double b;
};

#define PRAGMA(text) _Pragma(#text)
#define TRY(...)                                                                                       \
  do {                                                                                                    \
    int last = -1, base = 1000, both = 5;                                                                 \
    struct Pair pair = {0, 0};                                                                            \
    short array[4] = {0};                                                                                 \
    PRAGMA(omp parallel for __VA_ARGS__ firstprivate(base, both) lastprivate(last, both, pair, array))     \
    for (int i = 0; i < iterations; ++i) {                                                                \
      CHECK(both == 5 || both >= 2000);                                                                   \
      last = base + i;                                                                                    \
      both = 2000 + i;                                                                                    \
      pair.a = i;                                                                                         \
      pair.b = i / 2.0;                                                                                   \
      for (int j = 0; j < 4; ++j) array[j] = (short)(i + j);                                              \
    }                                                                                                     \
    CHECK_EQUAL(last, 1000 + iterations - 1);                                                             \
    CHECK_EQUAL(both, 2000 + iterations - 1);                                                             \
    CHECK_EQUAL(pair.a, iterations - 1);                                                                  \
    CHECK(pair.b == (iterations - 1) / 2.0);                                                              \
    CHECK_EQUAL(array[3], iterations + 2);                                                                \
    CHECK_EQUAL(base, 1000);                                                                              \
  } while (0)

int main(void) {
  for (int iterations = 1; iterations < 200; iterations = iterations * 2 + 1) {
    TRY(schedule(static));
    TRY(schedule(static, 3));
    TRY(schedule(dynamic));
    TRY(schedule(dynamic, 4));
    TRY(schedule(guided));
    TRY(schedule(runtime));
  }
  // The loop variable itself.
  int i;
#pragma omp parallel for schedule(dynamic) lastprivate(i)
  for (i = 0; i < 33; i += 2) {
  }
  CHECK_EQUAL(i, 34);
  // linear advances with the iterations.
  int place = 7;
#pragma omp parallel for linear(place : 3) schedule(dynamic, 2)
  for (int k = 0; k < 50; ++k) {
    CHECK_EQUAL(place, 7 + 3 * k);
    place += 3;
  }
  CHECK_EQUAL(place, 157);
  return check_end();
}
