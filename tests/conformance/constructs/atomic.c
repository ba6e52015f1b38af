// atomic: read, write, update and capture on types that the machine has instructions for.
#include "check.h"

#define TRY(type, each)                                          \
  do {                                                           \
    type sum = 0, product_like = 0, low = 100, seen = 0;         \
    _Pragma("omp parallel") {                                    \
      for (int i = 0; i < each; ++i) {                           \
        _Pragma("omp atomic") sum += 1;                          \
        _Pragma("omp atomic update") product_like = product_like + 2; \
        type before, after, now;                                 \
        _Pragma("omp atomic capture") before = low++;            \
        _Pragma("omp atomic capture") {                          \
          seen -= 1;                                             \
          after = seen;                                          \
        }                                                        \
        _Pragma("omp atomic read") now = sum;                    \
        CHECK(before >= 100 && after < 0 && now >= 1);           \
      }                                                          \
    }                                                            \
    CHECK(sum == (type)(each * n));                              \
    CHECK(product_like == (type)(2 * each * n));                 \
    CHECK(low == (type)(100 + each * n));                        \
    CHECK(seen == (type)(-each * n));                            \
  } while (0)

int main(void) {
  int n = omp_get_max_threads();
  TRY(int, 1000);
  TRY(long, 1000);
  TRY(long long, 1000);
  TRY(float, 1000);
  TRY(double, 1000);
  TRY(short, 100);

  unsigned bits = 0, mask = ~0u;
  long quotient = 1L << 40, shifted = 1;
#pragma omp parallel num_threads(8)
  {
    unsigned mine = 1u << omp_get_thread_num();
#pragma omp atomic
    bits |= mine;
#pragma omp atomic
    mask &= ~mine;
#pragma omp atomic
    quotient /= 2;
#pragma omp atomic
    shifted <<= 1;
  }
  CHECK_EQUAL(bits, 255);
  CHECK_EQUAL(mask, ~255u);
  CHECK_EQUAL(quotient, 1L << 32);
  CHECK_EQUAL(shifted, 256);

  // Write and read hand whole values over.
  long long value = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 1000; ++i) {
      long long mine = (omp_get_thread_num() + 1) * 0x100000001LL, seen;
#pragma omp atomic write seq_cst
      value = mine;
#pragma omp atomic read seq_cst
      seen = value;
      CHECK(seen % 0x100000001LL == 0 && seen != 0);
    }
  }
  return check_end();
}
