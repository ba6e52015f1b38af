// declare reduction: structures, with and without an initializer, larger than any machine word.
// run plain:
// run tree: KMP_FORCE_REDUCTION=tree
#include "check.h"

struct Range {
  long low, high, count;
  double sums[8];
};

static void range_init(struct Range *r) {
  memset(r, 0, sizeof *r);
  r->low = 1L << 40;
  r->high = -(1L << 40);
}

static void range_add(struct Range *out, const struct Range *in) {
  if (in->low < out->low) out->low = in->low;
  if (in->high > out->high) out->high = in->high;
  out->count += in->count;
  for (int i = 0; i < 8; ++i) out->sums[i] += in->sums[i];
}

#pragma omp declare reduction(merge : struct Range : range_add(&omp_out, &omp_in)) initializer(range_init(&omp_priv))

struct Counter {
  int value;
};
#pragma omp declare reduction(tally : struct Counter : omp_out.value += omp_in.value)

int main(void) {
  int n = omp_get_max_threads();
  for (int round = 0; round < 50; ++round) {
    struct Range all;
    range_init(&all);
    struct Counter counter = {3};
#pragma omp parallel for schedule(guided) reduction(merge : all) reduction(tally : counter)
    for (int i = 0; i < 1000; ++i) {
      long v = (i * 37 + round) % 1000 - 500;
      if (v < all.low) all.low = v;
      if (v > all.high) all.high = v;
      all.count += 1;
      all.sums[i % 8] += i;
      counter.value += 2;
    }
    CHECK_EQUAL(all.low, -500);
    CHECK_EQUAL(all.high, 499);
    CHECK_EQUAL(all.count, 1000);
    double sum = 0;
    for (int i = 0; i < 8; ++i) sum += all.sums[i];
    CHECK(sum == 499500);
    CHECK_EQUAL(counter.value, 2003);
    struct Counter members = {0};
#pragma omp parallel reduction(tally : members)
    members.value += 1;
    CHECK_EQUAL(members.value, n);
  }
  return check_end();
}
