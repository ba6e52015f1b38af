// Scans: each iteration gets what those before it have made.
// regions: 5 of 5
// Compilers warn of their own code.
// clang-19 gets its own form wrong: it forgets what the variable was before the loop.
// gcc gets its own form wrong: it forgets an initializer that is a call.
#include "check.h"

enum { kSize = 1000 };
static int in[kSize], out[kSize], total;

// Of maps x -> a x + b: in which order they are joined counts.
struct map { unsigned a, b; };
#pragma omp declare reduction(then : struct map : omp_out.b = omp_in.a * omp_out.b + omp_in.b, omp_out.a *= omp_in.a) \
    initializer(omp_priv = {1, 0})
static void nothing(int *mine) { *mine = 0; }
#pragma omp declare reduction(sum : int : omp_out += omp_in) initializer(nothing(&omp_priv))
#pragma omp declare reduction(plus : double : omp_out += omp_in)

// Of one for each thread a stack would be too small.
struct large { int sum; char unused[140000]; };
#pragma omp declare reduction(large : struct large : omp_out.sum += omp_in.sum)

static void fill(void) {
  for (int i = 0; i < kSize; i++) in[i] = (i * 37 + 11) % 101 - 50, out[i] = -1;
}

static void inclusive_sums(void) {
  fill();
  int s = 7;
  total = -3;
#pragma omp parallel for reduction(inscan, + : s, total)
  for (int i = 0; i < kSize; i++) {
    {
      int twice = 2 * in[i];
      s += in[i];
      total -= twice;
    }
#pragma omp scan inclusive(s, total)
    {
      out[i] = s;
      if (i % 2) out[i] -= total;
    }
  }
  int expected = 7, other = -3;
  for (int i = 0; i < kSize; i++) {
    expected += in[i], other -= 2 * in[i];
    CHECK(out[i] == (i % 2 ? expected - other : expected));
  }
  CHECK(s == expected && total == other);
}

static void exclusive_maximum(void) {
  fill();
  int most = -20, rounds = 0;
#pragma omp parallel
  for (int round = 0; round < 3; round++) {
#pragma omp for reduction(inscan, max : most)
    for (int i = kSize - 1; i >= 0; i -= 3) {
      out[i] = most;
#pragma omp scan exclusive(most)
      if (in[i] + round > most) most = in[i] + round;
    }
#pragma omp single
    rounds++;
  }
  int expected = -20;
  for (int round = 0; round < 3; round++)
    for (int i = kSize - 1; i >= 0; i -= 3) {
      if (round == 2) CHECK(out[i] == expected);
      if (in[i] + round > expected) expected = in[i] + round;
    }
  CHECK(most == expected && rounds == 3);
}

static void maps(void) {
  fill();
  struct map all = {3, 5}, each[kSize];
#pragma omp parallel for simd reduction(inscan, then : all)
  for (int i = 0; i < kSize; i++) {
    {
      const struct map one = {(unsigned)in[i] | 1u, (unsigned)i};
      all.b = one.a * all.b + one.b;
      all.a *= one.a;
    }
#pragma omp scan inclusive(all)
    each[i] = all;
  }
  struct map expected = {3, 5};
  for (int i = 0; i < kSize; i++) {
    const unsigned a = (unsigned)in[i] | 1u;
    expected.b = a * expected.b + (unsigned)i;
    expected.a *= a;
    CHECK(each[i].a == expected.a && each[i].b == expected.b);
  }
  CHECK(all.a == expected.a && all.b == expected.b);
}

static void of_large_ones(void) {
  static struct large all;
  int sums[10];
  all.sum = 3;
#pragma omp parallel for num_threads(64) reduction(inscan, large : all)
  for (int i = 0; i < 10; i++) {
    all.sum += i;
#pragma omp scan inclusive(all)
    sums[i] = all.sum;
  }
  for (int i = 0, expected = 3; i < 10; i++) {
    expected += i;
    CHECK(sums[i] == expected && all.sum == 48);
  }
}

static double with_more_clauses(int n, double *sums) {
  int last = -1, behind = -1, added = 4, scratch = 0;
  double s = 0.5;
  int t = 2;
#pragma omp parallel num_threads(3) if (n >= 0)
  {
#pragma omp for simd reduction(inscan, plus : s) lastprivate(last) firstprivate(added) private(scratch)
    for (int *p = in; p < in + n; p += 2) {
      { scratch = added; sums[p - in] = s + scratch; }
#pragma omp scan exclusive(s)
      { s += *p; last = *p; }
    }
#pragma omp for reduction(inscan, sum : t) lastprivate(conditional : behind)
    for (unsigned i = 3; i < (unsigned)n; i += 4) {
      {
        if (in[i] > 20) behind = (int)i;
        t += in[i];
      }
#pragma omp scan inclusive(t)
      out[i] = t;
    }
  }
  double expected = 0.5;
  for (int i = 0; i < n; i += 2) {
    CHECK(sums[i] == expected + 4);
    expected += in[i];
    if (i + 2 >= n) CHECK(last == in[i]);
  }
  int sum = 2, at = -1;
  for (int i = 3; i < n; i += 4) {
    sum += in[i];
    if (in[i] > 20) at = i;
    CHECK(out[i] == sum);
  }
  CHECK(t == sum && behind == at && (n > 0 || last == -1));
  return s - expected;
}

int main(void) {
  static double sums[kSize];
  of_large_ones();
  for (int round = 0; round < 20; round++) {
    inclusive_sums();
    exclusive_maximum();
    maps();
    fill();
    for (int n = 0; n < 12; n++) CHECK(with_more_clauses(n, sums) == 0);
    CHECK(with_more_clauses(kSize, sums) == 0);
  }
  return 0;
}
