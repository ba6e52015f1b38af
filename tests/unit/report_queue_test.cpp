// How many tasks wait to be started, over time; every expected number is derived in a comment.
#include <gtest/gtest.h>
#include <numeric>
#include "report/page/queue_length.h"
#include "report_profiles.h"

using namespace einkorn::report;
using namespace einkorn::report_test;

namespace {

// A task whose creation takes from `create` to `created`, and that begins at `begin` (-1: never).
void task(Builder& b, int64_t create, int64_t created, int64_t begin, uint16_t flags = 0) {
  const uint32_t g = b.grain(GrainKind::task, 0, kNone, 10, created - create);
  b.p.grains[g].create_begin = create;
  b.p.grains[g].begin = begin;
  b.p.grains[g].flags = flags;
}

}  // namespace

// Ten bins of 100 ns. One task waits 120-450, one 200-250 and one 300-300 (it was taken before its creator had
// returned); of one nobody knows when it was created, one never starts (from 910), and one was run at once.
TEST(QueueLength, IsExact) {
  Builder b(1000, 2);
  task(b, 100, 120, 450);
  task(b, 180, 200, 250);
  task(b, 280, 300, 290);
  task(b, 890, 910, -1);
  task(b, 500, 520, 700, einkorn::profile::kUndeferred);
  task(b, -1, -1, 700);
  const QueueLength q = queue_length(b.p, 10);
  ASSERT_EQ(q.bin_ns, 100);
  const std::vector<double> expected = {0, 0.8, 1.5, 1, 0.5, 0, 0, 0, 0, 0.9, 0};
  ASSERT_EQ(q.tasks.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(q.tasks[i], expected[i]) << i;
}

TEST(QueueLength, NothingWaits) {
  EXPECT_EQ(queue_length(Profile(), 10).bin_ns, 0);
  Builder b(1000, 2);
  task(b, 100, 120, 120);
  EXPECT_EQ(queue_length(b.p, 10).bin_ns, 0);
}

// Each task is in it for as long as it waited, whatever the bins.
TEST(QueueLength, SumsUpToTheWaits) {
  Builder b(100 * ms, 4);
  int64_t waited = 0;
  for (int i = 0; i < 1000; ++i) {
    const int64_t at = i * 90001, wait = i * i % 7919;
    task(b, at, at + 130, at + 130 + wait);
    waited += wait;
  }
  for (size_t bins : {1u, 7u, 2048u}) {
    const QueueLength q = queue_length(b.p, bins);
    EXPECT_NEAR(std::accumulate(q.tasks.begin(), q.tasks.end(), 0.0) * double(q.bin_ns), double(waited), 1);
    EXPECT_LE(q.tasks.size(), bins + 1);
  }
}
