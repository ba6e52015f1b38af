// The axes `thieves` and `backoff`, and what a replay cannot have: none of them is ignored silently.
#include <gtest/gtest.h>

#include "schedule/text.h"
#include "simulate/builder.h"
#include "simulate/engine.h"
#include "simulate/not_replayed.h"

using namespace einkorn::simulate;
namespace machine = einkorn::machine;
namespace schedule = einkorn::schedule;

namespace {

machine::Machine nodes(int count, int cores) {
  machine::Machine m;
  m.distance.assign(size_t(count) * size_t(count), 10);
  for (int a = 0; a < count; ++a) {
    m.nodes.push_back({a, a, 0});
    for (int c = 0; c < cores; ++c) m.pus.push_back({a * cores + c, a * cores + c, a, a, a});
  }
  m.cores = count * cores;
  m.llcs = m.sockets = count;
  return m;
}

Outcome run(const std::string& text, const Program& p, const Costs& costs, int count, int cores) {
  const machine::Machine m = nodes(count, cores);
  Setup setup;
  std::string why;
  EXPECT_TRUE(schedule::parse_schedule(text.c_str(), &setup.schedule, &why)) << why;
  for (int i = 0; i < count * cores; ++i) setup.pus.push_back(i);
  setup.machine = &m;
  setup.costs = costs;
  EXPECT_EQ(check(p), "");
  Outcome o = simulate(p, setup, true);
  EXPECT_FALSE(o.stuck);
  return o;
}

double begin_of_latest(const Outcome& o, const Program& p) {
  double latest = 0;
  for (const Stay& s : o.stays)
    if (p.tasks[s.task].explicit_task) latest = std::max(latest, s.begin);
  return latest;
}

}  // namespace

// Two nodes of two; all tasks are made on the first. Of the second's two workers one at a time fetches one, which takes
// 100: the other begins a hundred later.
TEST(SimulateThieves, OneOfAPlaceLooksElsewhereAtATime) {
  Builder b("eight");
  const uint32_t maker = b.region(Builder::kInitial, 4);
  for (int i = 0; i < 8; ++i) b.compute(b.fork(maker), 10000);
  const Program p = b.finish();
  Costs costs;
  costs.fetch = 100;
  auto begins = [&](const char* text) {
    std::vector<double> first(4, -1);
    const Outcome o = run(text, p, costs, 2, 2);
    for (const Stay& s : o.stays)
      if (p.tasks[s.task].explicit_task && (first[s.worker] < 0 || s.begin < first[s.worker]))
        first[s.worker] = s.begin;
    return std::pair(std::min(first[2], first[3]), std::max(first[2], first[3]));
  };
  const auto [first, second] = begins("places=node,select=near-first,thieves=any");
  EXPECT_DOUBLE_EQ(first, 100);
  EXPECT_DOUBLE_EQ(second, 100);
  const auto [one, other] = begins("places=node,select=near-first,thieves=one-per-place");
  EXPECT_DOUBLE_EQ(one, 100);
  EXPECT_DOUBLE_EQ(other, 200);
}

// Who has looked in vain for long looks less often, at most 65 searches later; into its own queue it looks at once.
TEST(SimulateThieves, WhoBacksOffComesLater) {
  Builder b("late");
  const uint32_t maker = b.region(Builder::kInitial, 2);
  b.compute(maker, 100000);
  b.fork(maker);
  b.compute(b.fork(maker), 10);
  b.compute(maker, 1000000);
  const Program p = b.finish();
  Costs costs;
  costs.pause = 40;
  auto begin = [&](const char* text) { return begin_of_latest(run(text, p, costs, 2, 1), p); };
  EXPECT_DOUBLE_EQ(begin("places=node,select=near-first,backoff=none"), 100000);
  const double later = begin("places=node,select=near-first,backoff=exponential");
  EXPECT_GT(later, 100000);
  EXPECT_LE(later, 100000 + 65 * 8 * 40);

  // Of two levels each by its own cap, us. After 100 us of looking in vain (pauses of 1, 2, 4, ... us) the next look is
  // when 127 us are over.
  costs.pause = 100;
  EXPECT_DOUBLE_EQ(begin("darts-steal,amm=2x1,cap=1024:1"), 127000);
  EXPECT_DOUBLE_EQ(begin("darts-steal,amm=2x1,cap=4:1"), 103000);  // 1, 3, 7, 11, ...
  EXPECT_DOUBLE_EQ(begin("darts-steal,amm=2x1,backoff=none"), 100000);
  costs.pause = 40;

  Builder sent("sent home");
  const uint32_t first = sent.region(Builder::kInitial, 2);
  sent.compute(first, 100000);
  const uint32_t t = sent.fork(first);
  sent.task(t).domain = 1;
  sent.compute(t, 10);
  const Program home = sent.finish();
  EXPECT_DOUBLE_EQ(begin_of_latest(run("places=node,select=near-first,backoff=exponential", home, costs, 2, 1), home),
                   100000);
}

// Every axis that a preset has is replayed or named.
TEST(SimulateThieves, WhatIsLeftOutIsSaid) {
  int count;
  const schedule::Schedule* const* all = schedule::presets(&count);
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(not_replayed(*all[i]).size(),
              size_t(all[i]->defer == schedule::Defer::adaptive) + size_t(all[i]->free != schedule::Free::now))
        << all[i]->name;
}

// Tasks that the runtime would mostly run at once, by its clock: said where the default would, with their share.
TEST(SimulateThieves, TinyTasksAreNamed) {
  auto share = [](double ns) {
    Builder b("tiny");
    const uint32_t maker = b.region(Builder::kInitial, 2);
    for (int i = 0; i < 6; ++i) b.compute(b.fork(maker), 1000);
    for (int i = 0; i < 2; ++i) b.compute(b.fork(maker), ns);
    const uint32_t parent = b.fork(maker);  // short itself, and no leaf
    b.compute(parent, 1);
    b.compute(b.fork(parent), 1000);
    b.compute(b.fork(maker, true), 1);  // run at once anyway
    return tiny_share(b.finish());
  };
  EXPECT_DOUBLE_EQ(share(149), 0.2);
  EXPECT_DOUBLE_EQ(share(150), 0);
  schedule::Schedule late = *schedule::find_preset("darts-steal");
  late.free = schedule::Free::idle;
  EXPECT_EQ(not_replayed(late).size(), 1u);
  const auto said = [](const char* name) { return not_replayed(*schedule::find_preset(name), 0.2); };
  ASSERT_EQ(said("ws").size(), 1u);
  EXPECT_EQ(said("ws")[0].rfind("20 % of the tasks take less than 150 ns", 0), 0u);
  EXPECT_EQ(said("ws-adaptive").size(), 1u);
  EXPECT_TRUE(said("mts").empty());
  EXPECT_TRUE(not_replayed(*schedule::find_preset("ws"), 0.009).empty());
}
