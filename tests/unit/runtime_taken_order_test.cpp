// Whom tasks follow that are taken down, beside the rule that it comes from: a task follows an earlier one if both
// access an address, and not both only read it or both are of the same set of it (OpenMP 5.1, 2.19.11).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "runtime/task/taken_order.h"

namespace {

using namespace einkorn::runtime;
using List = std::vector<Dependence>;

// reaches[a][b]: b follows a, through others perhaps. Joints have the last numbers.
std::vector<std::vector<bool>> reaches(const std::vector<List>& tasks, uint32_t* arcs = nullptr) {
  TakenOrder order(uint32_t(tasks.size()));
  for (uint32_t n = 0; n < tasks.size(); ++n)
    if (!tasks[n].empty()) order.add(n, tasks[n].data(), uint32_t(tasks[n].size()));
  const size_t nodes = tasks.size() + order.joints();
  std::vector<std::vector<uint32_t>> next(nodes);
  order.arcs().each([&](const TakenOrder::Arc& a) {
    EXPECT_LT(std::max(a.from, a.to), nodes);
    next[a.from].push_back(a.to);
  });
  if (arcs) *arcs = order.arcs().size();
  std::vector<std::vector<bool>> out;
  for (uint32_t from = 0; from < tasks.size(); ++from) {
    std::vector<bool> seen(nodes);
    std::vector<uint32_t> left = next[from];
    while (!left.empty()) {
      const uint32_t n = left.back();
      left.pop_back();
      if (seen[n]) continue;
      seen[n] = true;
      left.insert(left.end(), next[n].begin(), next[n].end());
    }
    EXPECT_FALSE(seen[from]) << "task " << from << " follows itself";
    out.push_back(seen);
  }
  return out;
}

bool may_overlap(uint8_t a, uint8_t b) { return a == b && (a == kDepIn || a == kDepInOutSet); }

// By the rule, and all that follows from it.
std::vector<std::vector<bool>> wanted(const std::vector<List>& tasks) {
  const size_t n = tasks.size();
  std::vector<std::vector<bool>> out(n, std::vector<bool>(n));
  for (size_t a = 0; a < n; ++a)
    for (size_t b = a + 1; b < n; ++b)
      for (const Dependence& x : tasks[a])
        for (const Dependence& y : tasks[b])
          if ((x.mode | y.mode) & kDepAllMemory) out[a][b] = true;
          else if (x.address == y.address && !may_overlap(x.mode, y.mode)) out[a][b] = true;
  for (size_t via = 0; via < n; ++via)
    for (size_t a = 0; a < via; ++a)
      if (out[a][via])
        for (size_t b = via + 1; b < n; ++b)
          if (out[via][b]) out[a][b] = true;
  return out;
}

void expect_as_wanted(const std::vector<List>& tasks) {
  const auto is = reaches(tasks), should = wanted(tasks);
  for (size_t a = 0; a < tasks.size(); ++a)
    for (size_t b = 0; b < tasks.size(); ++b) ASSERT_EQ(is[a][b], should[a][b]) << a << " before " << b;
}

TEST(TakenOrder, FollowsTheRule) {
  constexpr DepMode kModes[] = {kDepIn, kDepOut, kDepInOutSet, kDepMutexInOutSet};
  for (unsigned seed = 1; seed <= 400; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](unsigned n) { return unsigned(random() % n); };
    const unsigned addresses = 1 + below(12), modes = 1 + below(4);
    const bool all_memory = below(3) == 0;
    std::vector<List> tasks(1 + below(60));
    for (List& list : tasks) {
      if (all_memory && below(12) == 0) list.push_back({0, 0, kDepAllMemory});
      // Each address once: one task may name it twice, but then only as what is stronger (see below).
      for (unsigned left = below(4); left > 0; --left) {
        const uintptr_t address = 0x1000 + 8 * below(addresses);
        auto same = [&](const Dependence& d) { return d.address == address; };
        if (std::none_of(list.begin(), list.end(), same)) list.push_back({address, 8, kModes[below(modes)]});
      }
    }
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_as_wanted(tasks);
    if (HasFatalFailure()) return;
  }
}

TEST(TakenOrder, AnAddressTwice) {
  const uintptr_t x = 64;
  expect_as_wanted({{{x, 0, kDepOut}}, {{x, 0, kDepOut}, {x, 0, kDepIn}}, {{x, 0, kDepIn}}, {{x, 0, kDepOut}}});
  expect_as_wanted({{{x, 0, kDepIn}}, {{x, 0, kDepIn}, {x, 0, kDepOut}}, {{x, 0, kDepIn}, {x, 0, kDepIn}}});
}

// Readers and writers of a set in turn: a joint between them instead of an arc from each to each.
TEST(TakenOrder, SetsAreFollowedThroughAJoint) {
  constexpr uint32_t kEach = 50;
  std::vector<List> tasks;
  for (uint32_t i = 0; i < 4 * kEach; ++i) tasks.push_back({{8, 0, i / kEach % 2 ? kDepInOutSet : kDepIn}});
  uint32_t arcs;
  reaches(tasks, &arcs);
  EXPECT_LE(arcs, 2 * tasks.size());
  expect_as_wanted(tasks);
}

// More addresses than a table of any first size has room for, in more pieces than one.
TEST(TakenOrder, ManyAddresses) {
  constexpr uint32_t kMany = 20000;
  TakenOrder order(2 * kMany);
  for (uint32_t n = 0; n < 2 * kMany; ++n) {
    const Dependence d{n % kMany, 0, kDepOut};
    order.add(n, &d, 1);
  }
  uint32_t n = 0;
  order.arcs().each([&](const TakenOrder::Arc& a) {
    EXPECT_EQ(a.from, n);
    EXPECT_EQ(a.to, n + kMany);
    ++n;
  });
  EXPECT_EQ(n, kMany);
}

}  // namespace
