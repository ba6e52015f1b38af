// Problems that have one cause, a place of their own, or times that are a little off.
#include <gtest/gtest.h>
#include "profile/share_names.h"
#include "report/findings/findings.h"
#include "report/validity.h"
#include "report_profiles.h"

using namespace einkorn::report;
using namespace einkorn::report_test;

namespace {

const Finding* of_kind(const std::vector<Finding>& found, ProblemKind kind) {
  for (const Finding& f : found)
    if (f.kind == kind) return &f;
  return nullptr;
}

// Two threads that work for 6 of 10 ms each and wait for a lock in the rest.
Builder waiting_for_a_lock(int64_t off_cpu) {
  Builder b(10 * ms, 2);
  const uint32_t region = b.source("a.c", 5, "parallel", "main");
  b.region(region, 0, 10 * ms, 2);
  for (uint32_t t = 0; t < 2; ++t) {
    b.grain(GrainKind::share, b.grain(GrainKind::implicit, 0, region, 0), region, 6 * ms);
    b.spent(t, State::work, 6 * ms);
    b.spent(t, State::blocked, 4 * ms);
    b.p.threads[t].off_cpu = off_cpu;
  }
  LockUse lock;
  lock.source = b.source("a.c", 7, "lock", "main");
  lock.acquired = 20, lock.contended = 18;
  lock.held = 5 * ms, lock.waited = 8 * ms;
  b.p.locks.push_back(lock);
  b.p.times_valid = without_cpu(b.p) <= kMostWithoutCpu;
  return b;
}

TEST(Told, TimesThatAreALittleOffHaveNoPromise) {
  const Builder valid = waiting_for_a_lock(0);
  ASSERT_TRUE(valid.p.times_valid);
  const std::vector<Finding> all = find_problems(valid.p);
  ASSERT_NE(of_kind(all, ProblemKind::lock), nullptr);
  EXPECT_GT(of_kind(all, ProblemKind::lock)->gain_ns, 0);
  EXPECT_EQ(times_off_by(valid.p), 0);

  const Builder off = waiting_for_a_lock(700 * us);  // 7 %
  ASSERT_FALSE(off.p.times_valid);
  EXPECT_NEAR(times_off_by(off.p), 0.14, 1e-9);
  const std::vector<Finding> some = find_problems(off.p);
  const Finding* lock = of_kind(some, ProblemKind::lock);
  ASSERT_NE(lock, nullptr);
  EXPECT_TRUE(lock->rough);
  EXPECT_EQ(lock->gain_ns, -1);
  EXPECT_GT(lock->share, 0.14);
  EXPECT_NE(verdict(off.p, some).find("times may be off by 14 %"), std::string::npos) << verdict(off.p, some);

  const Builder more = waiting_for_a_lock(2100 * us);  // the doubt is larger than the problem, which is 40 %
  EXPECT_NEAR(times_off_by(more.p), 0.42, 1e-9);
  EXPECT_EQ(of_kind(find_problems(more.p), ProblemKind::lock), nullptr);

  const Builder useless = waiting_for_a_lock(3 * ms);
  EXPECT_EQ(times_off_by(useless.p), 0);
  EXPECT_EQ(of_kind(find_problems(useless.p), ProblemKind::lock), nullptr);
}

TEST(Told, LinesThatTwoThreadsWrite) {
  Builder b(10 * ms, 2);
  const uint32_t region = b.source("a.c", 5, "parallel", "main"), write = b.source("a.c", 9, "access", "main");
  b.region(region, 0, 10 * ms, 2);
  for (uint32_t t = 0; t < 2; ++t) {
    b.grain(GrainKind::share, b.grain(GrainKind::implicit, 0, region, 0), region, 10 * ms);
    b.spent(t, State::work, 10 * ms);
  }
  b.p.accesses.assign(b.p.grains.size(), {});
  b.p.accesses.back().stores = 1'000'000;
  SharedLine line;
  line.address = 0x1000;
  line.variable = "count";
  line.moves = 50'000;
  line.thread[0] = 0, line.thread[1] = 1;
  line.place[0] = line.place[1] = write;
  line.words[0] = 0x3, line.words[1] = 0xc;
  b.p.shared_lines = {line};
  b.p.slowed = true;
  b.p.times_valid = false;
  const std::vector<Finding> apart = find_problems(b.p);
  ASSERT_NE(of_kind(apart, ProblemKind::false_sharing), nullptr);
  const Finding& f = *of_kind(apart, ProblemKind::false_sharing);
  EXPECT_EQ(f.source, write);
  EXPECT_NE(f.what.find("of count"), std::string::npos) << f.what;
  EXPECT_NEAR(f.share, 5e6 / 6e6, 1e-9);
  ASSERT_EQ(f.evidence.size(), 2u);
  EXPECT_NE(f.evidence[1].find("bytes 8 to 15"), std::string::npos) << f.evidence[1];
  b.p.shared_lines[0].words[1] = 0x3;
  EXPECT_NE(of_kind(find_problems(b.p), ProblemKind::shared_variable), nullptr);
}

TEST(Told, SharesHaveTheLineOfTheirBarrier) {
  Builder b(10 * ms, 2);
  const uint32_t region = b.source("a.c", 5, "parallel", "main"), barrier = b.source("a.c", 9, "barrier", "heavy");
  b.region(region, 0, 10 * ms, 2);
  for (const bool last : {false, true}) {
    Phase phase;
    phase.region = 0;
    phase.source = last ? region : barrier;
    phase.last = last;
    b.p.phases.push_back(phase);
  }
  const uint32_t implicit = b.grain(GrainKind::implicit, 0, region, 0);
  for (uint32_t i = 0; i < 2; ++i) b.p.grains[b.grain(GrainKind::share, implicit, region, 5 * ms)].phase = i;
  std::vector<uint32_t> by;
  name_shares(b.p, &by);
  EXPECT_EQ(by, std::vector<uint32_t>{barrier});
  const Grain &first = b.p.grains[b.p.grains.size() - 2], &second = b.p.grains.back();
  EXPECT_EQ(b.p.sources[first.source].function, "heavy");
  EXPECT_EQ(b.p.sources[first.source].construct, "share");
  EXPECT_EQ(second.source, region);
}

}  // namespace
