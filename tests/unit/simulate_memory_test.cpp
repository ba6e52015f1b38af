// Memory in the simulator, compared with results worked out by hand: caches, placement, moving data, links, both ends
// of what is not known, two recordings, the roofline.
#include <gtest/gtest.h>

#include "schedule/text.h"
#include "simulate/builder.h"
#include "simulate/caches.h"
#include "simulate/engine.h"
#include "simulate/footprints.h"
#include "simulate/from_profile.h"
#include "simulate/inflation.h"
#include "simulate/likely_memory.h"
#include "simulate/memory.h"
#include "simulate/rates.h"
#include "simulate/roofline.h"
#include "simulate/split_times.h"
#include "simulate/synthetic.h"

using namespace einkorn::simulate;
namespace machine = einkorn::machine;
namespace profile = einkorn::profile;
namespace schedule = einkorn::schedule;

namespace {

// Nodes of so many cores, without caches. Bytes a ns: all cores of a node have 8 from its own memory and 4 from
// another's, one core 2 and 1.
machine::Machine grid(int nodes, int cores) {
  machine::Machine m;
  for (int a = 0; a < nodes; ++a) {
    m.nodes.push_back({a, a, 0});
    for (int c = 0; c < cores; ++c) m.pus.push_back({a * cores + c, a * cores + c, a, a, a});
    for (int b = 0; b < nodes; ++b) {
      m.distance.push_back(a == b ? 10 : 20);
      m.bandwidth.push_back(a == b ? 8e9f : 4e9f);
      m.bandwidth_one.push_back(a == b ? 2e9f : 1e9f);
    }
  }
  m.cores = nodes * cores;
  m.llcs = m.sockets = nodes;
  return m;
}

struct Rig {
  machine::Machine m;
  Setup setup;
  Rig(machine::Machine machine, std::vector<int> pus) : m(std::move(machine)) {
    std::string why;
    EXPECT_TRUE(schedule::parse_schedule("ws", &setup.schedule, &why)) << why;
    setup.pus = std::move(pus);
    setup.machine = &m;
  }
  Outcome operator()(const Program& p) {
    EXPECT_EQ(check(p), "");
    Outcome o = simulate(p, setup);
    EXPECT_FALSE(o.stuck);
    return o;
  }
};

// Each of so many members runs one stretch.
Program stretches(uint32_t members, double ns, float memory) {
  Builder b("stretches");
  const uint32_t first = b.region(Builder::kInitial, members);
  for (uint32_t m = 0; m < members; ++m) b.compute(first + m, ns, memory);
  return b.finish();
}

// The first member touches a page first, the second so many times after it.
Program touched_by_another(int times) {
  Builder b("touched by another");
  const uint32_t first = b.region(Builder::kInitial, 2);
  const uint32_t page = b.data(4096);
  b.compute(first, 0, {{page, 4096, true}});
  b.barrier(first), b.barrier(first + 1);
  for (int i = 0; i < times; ++i) b.compute(first + 1, 0, {{page, 4096, false}});
  return b.finish();
}

std::vector<uint64_t> laid(const char* how, const std::vector<Data>& data, const std::vector<uint64_t>& blocks,
                           uint32_t which, int nodes = 2) {
  Rig rig(grid(nodes, 1), {0});
  std::string why;
  EXPECT_TRUE(parse_placement(how, &rig.setup.placement, &why)) << why;
  Program p;
  p.data = data;
  p.blocks = blocks;
  Memory memory(p, rig.setup);
  std::vector<Memory::Fetch> fetches;
  Outcome counts;
  const Access a{which, data[which].bytes, false};
  memory.touch(0, &a, 1, fetches, counts);
  std::vector<uint64_t> out(size_t(nodes), 0);
  EXPECT_TRUE(memory.bytes_by_node(a, out));
  return out;
}

}  // namespace

TEST(Caches, LeastRecentlyUsedGoesFirst) {
  Cache c(1000);
  EXPECT_EQ(c.touch(1, 400, 0, 0), 0u);
  EXPECT_EQ(c.touch(2, 400, 0, 0), 0u);
  EXPECT_EQ(c.touch(1, 300, 0, 0), 300u);  // 400 stay
  EXPECT_EQ(c.touch(3, 400, 0, 0), 0u);    // 2 goes
  EXPECT_EQ(c.touch(1, 500, 0, 0), 400u);
  EXPECT_EQ(c.touch(2, 400, 0, 0), 0u);  // 3 goes
  EXPECT_EQ(c.used(), 900u);
  EXPECT_EQ(c.touch(1, 500, 1, 1), 0u);    // written elsewhere meanwhile
  EXPECT_EQ(c.touch(1, 500, 1, 2), 500u);  // written here
  EXPECT_EQ(c.touch(1, 500, 2, 2), 500u);
  EXPECT_EQ(c.touch(4, 1001, 0, 0), 0u);  // passes through: nothing stays
  EXPECT_EQ(c.used(), 0u);
  EXPECT_EQ(c.touch(1, 500, 2, 2), 0u);
}

TEST(Caches, AWriteMakesOthersCopiesStale) {
  machine::Machine m = grid(2, 2);
  m.l2_bytes = 1000, m.llc_bytes = 4000;
  Caches caches(m, 1);
  EXPECT_EQ(caches.touch(0, 0, 800, true).memory, 800u);
  EXPECT_EQ(caches.touch(0, 0, 800, false).own, 800u);
  EXPECT_EQ(caches.touch(1, 0, 800, false).shared, 800u);  // the same last level
  EXPECT_EQ(caches.touch(2, 0, 800, true).memory, 800u);
  EXPECT_EQ(caches.touch(0, 0, 800, false).memory, 800u);
}

// Data on both nodes comes from both at once: four cores of each read some, 150 bytes from either node. From the own
// one that takes 75 ns, from the other 150: a third of a core's time, and two thirds; so a node's memory serves 4 / 3
// of its own cores and 8 / 3 of the others', with no more than 16 / 3 bytes a ns of its 8, and a link 8 / 3 of its 4.
// Node after node all would read the same one at a time.
TEST(SimulateMemory, SpreadDataComesFromAllNodesAtOnce) {
  Rig rig(grid(2, 4), {0, 1, 2, 3, 4, 5, 6, 7});
  rig.setup.placement.layout = einkorn::memory::Layout::blocked;
  Builder b("all read");
  const uint32_t first = b.region(Builder::kInitial, 8);
  for (uint32_t m = 0; m < 8; ++m) {
    const uint32_t here = b.data(150, 0), there = b.data(150, 1);
    b.compute(first + m, 0, {{here, 150, false}, {there, 150, false}});
  }
  EXPECT_NEAR(rig(b.finish()).makespan, 75 + 150, 1e-6);
}

// One stream is held up by a node that gives little: the core has time for no more than one after the other in all, as
// ever.
TEST(SimulateMemory, WhoWaitsForOneNodeWaitsForIt) {
  Rig rig(grid(2, 4), {0, 1, 2, 3, 4, 5, 6, 7});
  Builder b("one node is busy");
  const uint32_t first = b.region(Builder::kInitial, 8);
  const uint32_t busy = b.data(8000, 0);
  for (uint32_t m = 1; m < 4; ++m) b.compute(first + m, 0, {{busy, 8000, false}});  // at 2 each
  for (uint32_t m = 4; m < 8; ++m) b.compute(first + m, 0, {{busy, 8000, false}});  // at 1 / 2 to 1 each
  const uint32_t here = b.data(100, 0), there = b.data(100, 1);
  b.compute(first, 0, {{here, 100, false}, {there, 100, false}});
  const double alone = 100 / 2.0 + 100 / 1.0;
  Outcome o = rig(b.finish());
  EXPECT_GT(o.workers[0].memory, alone);                  // the others have most of node 0
  EXPECT_LT(o.workers[0].memory, 100 / 0.9 + 100 / 1.0);  // but it has its eighth at least
}

TEST(SimulateMemory, AHitCostsLess) {
  Builder b("twice");
  const uint32_t datum = b.data(800);
  const uint32_t first = b.region(Builder::kInitial, 1);
  for (int i = 0; i < 2; ++i) b.compute(first, 10, {{datum, 800, false}});
  const Program p = b.finish();
  Rig none(grid(1, 1), {0}), shared = none, own = none;
  shared.m.llc_bytes = 10000;
  own.m.l2_bytes = 1000, own.m.llc_bytes = 10000;
  none.setup.machine = &none.m, shared.setup.machine = &shared.m, own.setup.machine = &own.m;
  EXPECT_DOUBLE_EQ(none(p).makespan, 2 * (10 + 800 / 2.));
  EXPECT_DOUBLE_EQ(shared(p).makespan, 20 + 800 / 2. + 800 / (3 * 2.));
  EXPECT_DOUBLE_EQ(own(p).makespan, 20 + 800 / 2. + 800 / (8 * 2.));
  EXPECT_EQ(own(p).cached_bytes, 800u);
}

TEST(SimulateMemory, LatencyByDistance) {
  Rig run(grid(2, 1), {0});
  run.m.latency_ns = {100, 250, 250, 100};
  Builder b("far");
  const uint32_t far = b.data(800, 1), near = b.data(800, 0);
  const uint32_t first = b.region(Builder::kInitial, 1);
  b.compute(first, 10, {{far, 800, false}, {near, 800, false}});
  EXPECT_DOUBLE_EQ(run(b.finish()).makespan, 10 + 250 + 800 / 1. + 100 + 800 / 2.);
}

// Eight readers of one other node share its link: 4 bytes a ns, though each could have 1.
TEST(SimulateMemory, ALinkIsShared) {
  Rig run(grid(2, 8), {0, 1, 2, 3, 4, 5, 6, 7});
  Builder b("link");
  const uint32_t first = b.region(Builder::kInitial, 8);
  for (uint32_t m = 0; m < 8; ++m) b.compute(first + m, 0, {{b.data(800, 1), 800, false}});
  EXPECT_DOUBLE_EQ(run(b.finish()).makespan, 800 / (4 / 8.));
}

TEST(SimulateMemory, EveryPolicyLaysDataOut) {
  using Bytes = std::vector<uint64_t>;
  const std::vector<Data> three{{3 * 4096}};  // pages
  EXPECT_EQ(laid("first-touch", three, {}, 0), (Bytes{12288, 0}));
  EXPECT_EQ(laid("fine", three, {}, 0), (Bytes{8192, 4096}));
  EXPECT_EQ(laid("node:1", three, {}, 0), (Bytes{0, 12288}));
  EXPECT_EQ(laid("nearest", three, {}, 0), (Bytes{12288, 0}));
  EXPECT_EQ(laid("interleaved", three, {}, 0), (Bytes{12288, 0}));  // the team is on node 0 alone
  EXPECT_EQ(laid("blocked", three, {}, 0), (Bytes{8192, 4096}));    // a part is whole pages
  const std::vector<Data> four{{4096}, {4096}, {4096}, {4096}};
  EXPECT_EQ(laid("coarse", four, {}, 1), (Bytes{0, 4096}));
  EXPECT_EQ(laid("fine", four, {}, 3), (Bytes{0, 4096}));  // allocations of a page: in turn
  // The second half of an allocation of eight pages.
  const std::vector<Data> half{{4 * 4096, -1, 0, 0}, {4 * 4096, -1, 0, 4 * 4096}};
  EXPECT_EQ(laid("blocked", half, {8 * 4096}, 1), (Bytes{0, 16384}));
  EXPECT_EQ(laid("cyclic:8192", half, {8 * 4096}, 1), (Bytes{8192, 8192}));
  EXPECT_EQ(laid("coarse", half, {8 * 4096}, 1), (Bytes{16384, 0}));
  // Unaligned: 100 bytes of page 0, all of page 1, 50 of page 2.
  const std::vector<Data> odd{{4246, -1, 0, 3996}};
  EXPECT_EQ(laid("fine", odd, {8 * 4096}, 0), (Bytes{150, 4096}));
}

TEST(SimulateMemory, PlacementsByTheirText) {
  Placement p;
  std::string why;
  EXPECT_TRUE(parse_placement("first-touch,migrate:3", &p, &why));
  EXPECT_EQ(p.move, Move::follow);
  EXPECT_EQ(p.after, 3u);
  EXPECT_TRUE(parse_placement("node:2,next-touch", &p, &why));
  EXPECT_EQ(p.node, 2);
  for (const char* bad :
       {"", "near", "node:", "node:x", "cyclic:0", "fine,migrate:0", "fine,", "fine,next-touch,next-touch"})
    EXPECT_FALSE(parse_placement(bad, &p, &why)) << bad;
}

// T = O + x A (Schmidl 3.3): a page costs 4096 ns there, 2048 at home, 10,000 to move: that pays from the fifth use on.
TEST(SimulateMemory, MovingPaysFromItsBreakEven) {
  for (const int x : {1, 4, 5, 20}) {
    Rig stays(grid(2, 1), {0, 1}), moves = stays, follows = stays;
    stays.setup.machine = &stays.m, moves.setup.machine = &moves.m, follows.setup.machine = &follows.m;
    moves.setup.placement.move = Move::next_touch;
    moves.setup.costs.next_touch_page = 10'000;
    follows.setup.placement.move = Move::follow;
    follows.setup.placement.after = 3;
    follows.setup.costs.migrate_page = 1'000;
    const Program p = touched_by_another(x);
    const double first = 4096 / 2.;
    EXPECT_DOUBLE_EQ(stays(p).makespan, first + x * 4096 / 1.);
    EXPECT_DOUBLE_EQ(moves(p).makespan, first + 10'000 + x * 4096 / 2.);
    EXPECT_EQ(moves(p).makespan < stays(p).makespan, x >= 5) << x;
    EXPECT_DOUBLE_EQ(follows(p).makespan, x < 3 ? first + x * 4096. : first + 2 * 4096. + 1'000 + (x - 2) * 4096 / 2.);
    EXPECT_EQ(moves(p).remote_bytes, 0u);
  }
}

// What is not known is all compute, or all memory that shares its node's bandwidth: 8 bytes a ns, where one core has 2.
TEST(SimulateMemory, TheEndsOfWhatIsNotKnown) {
  for (const uint32_t n : {1u, 4u, 8u}) {
    std::vector<int> pus;
    for (uint32_t i = 0; i < n; ++i) pus.push_back(int(i));
    Rig run(grid(1, 8), pus);
    const Program p = stretches(n, 1000, kUnknown);
    EXPECT_DOUBLE_EQ(p.unknown(), 1000 * n);
    EXPECT_DOUBLE_EQ(run(p).makespan, 1000);
    run.setup.unknown_memory = 1;
    EXPECT_DOUBLE_EQ(run(p).makespan, 1000 * std::max(1.0, n / 4.));
    // Recorded with eight threads, a stream had half of what one has alone: the bytes are fewer.
    run.setup.recorded_rate = rate_of_each(run.m, 8);
    EXPECT_DOUBLE_EQ(run(p).makespan, 500 * std::max(1.0, n / 4.));
    // A quarter is known to be memory's: that alone shares.
    run.setup.recorded_rate = 0;
    EXPECT_DOUBLE_EQ(run(stretches(n, 1000, 0.25f)).makespan, 750 + 250 * std::max(1.0, n / 4.));
  }
  // Of a machine without figures: what one core has is all there is.
  machine::Machine bare = grid(1, 8);
  bare.bandwidth.clear(), bare.bandwidth_one.clear();
  Rig run(bare, {0, 1, 2});
  run.setup.unknown_memory = 1;
  EXPECT_DOUBLE_EQ(run(stretches(3, 1000, kUnknown)).makespan, 3000);
}

TEST(SimulateMemory, RecordedTimesComeBack) {
  Builder b("split");
  const uint32_t datum = b.data(800);
  const uint32_t first = b.region(Builder::kInitial, 1);
  for (int i = 0; i < 2; ++i) b.compute(first, 1000, {{datum, 800, true}});
  Program p = b.finish();
  Rig run(grid(2, 1), {0});
  run.m.llc_bytes = 10000;
  split_times(p, {{0, 0, 0, 1, 1000}, {1000, 0, 1, 1, 1000}}, run.m, 1);
  EXPECT_DOUBLE_EQ(p.steps[p.tasks[first].first_step].memory, 0.4f);          // 800 / 2 of 1000
  EXPECT_NEAR(p.steps[p.tasks[first].first_step + 1].memory, 0.4 / 3, 1e-6);  // from the cache
  EXPECT_NEAR(run(p).makespan, 2000, 1e-3);
  EXPECT_DOUBLE_EQ(p.work(), 2000);
  run.setup.placement.node = 1;  // far: 800 / 1, once
  EXPECT_NEAR(run(p).makespan, 2400, 1e-3);
}

TEST(SimulateMemory, FootprintsAreCutIntoData) {
  const std::vector<profile::Touch> touches{{0x10, 0, 1, 3, true},          // a flag, by its address alone
                                            {2, 0, 2, 0, false},            // wanted on node 2
                                            {0x1000, 0x2000, 2, 2, false},  // two pages
                                            {0x2000, 0x2000, 3, 1, false},  // the second of them and the one behind
                                            {0x9000, 0x100, 3, 3, false}};
  const Footprints f = footprints_of(touches, 5);
  EXPECT_FALSE(f.knows(1));
  EXPECT_EQ(f.domain[2], 2);
  EXPECT_EQ(f.domain[3], -1);
  ASSERT_EQ(f.data.size(), 4u);
  EXPECT_EQ(f.blocks, (std::vector<uint64_t>{0x3000, 0x100}));
  EXPECT_EQ(f.data[2].offset, 0x2000u);
  ASSERT_TRUE(f.knows(2) && f.knows(3));
  EXPECT_FALSE(f.knows(4));
  ASSERT_EQ(f.first[3] - f.first[2], 2u);
  ASSERT_EQ(f.first[4] - f.first[3], 3u);
  EXPECT_EQ(f.accesses[f.first[2] + 1].data, f.accesses[f.first[3]].data);
  EXPECT_TRUE(f.accesses[f.first[2]].write);
  EXPECT_FALSE(f.accesses[f.first[3]].write);
}

TEST(SimulateMemory, CutsStayLinear) {
  // A thousand bands, and a thousand tasks that name all of them: a million and more pairs, were each a datum.
  std::vector<profile::Touch> touches;
  for (uint32_t i = 0; i < 3000; ++i) touches.push_back({uint64_t(i) * 64, 64, i, 1, false});
  for (uint32_t i = 0; i < 3000; ++i) touches.push_back({0, 3000 * 64, 3000 + i, 1, false});
  const Footprints f = footprints_of(touches, 6000);
  EXPECT_LE(f.accesses.size(), 1u << 20);
  uint64_t bytes = 0;
  for (uint32_t i = f.first[3000]; i < f.first[3001]; ++i) bytes += f.accesses[i].bytes;
  EXPECT_EQ(bytes, 3000u * 64);
}

// A line that takes half as long again with two threads: half of its time by one is memory's, which two share.
TEST(SimulateMemory, TwoRecordingsTellTheMemoryPart) {
  auto recording = [](uint32_t team, int64_t exec) {
    profile::Profile p;
    p.sources = {{"a.c", 7, "main", "task", "", 0, {}}, {"a.c", 9, "main", "task", "", 0, {}}};
    p.grains.resize(3);
    p.grains[0].kind = profile::GrainKind::initial;
    for (uint32_t i : {1u, 2u}) p.grains[i].source = i - 1, p.grains[i].exec = i == 1 ? exec : 500;
    p.regions.resize(1);
    p.regions[0].team = team;
    return p;
  };
  machine::Machine bare = grid(1, 8);
  bare.bandwidth.clear(), bare.bandwidth_one.clear();
  std::string error;
  Inflation i = inflation(recording(1, 1000), recording(2, 1500), bare, error);
  EXPECT_EQ(error, "");
  EXPECT_FLOAT_EQ(i.likely.memory[0], 0.5f);
  EXPECT_FLOAT_EQ(i.likely.memory[1], 0);
  EXPECT_DOUBLE_EQ(i.slower, 1);
  // The other way round: of 1500 with two threads, 500 are compute.
  i = inflation(recording(2, 1500), recording(1, 1000), bare, error);
  EXPECT_FLOAT_EQ(i.likely.memory[0], float(1000 / 1500.));
  EXPECT_DOUBLE_EQ(i.slower, 2);
  // On a machine where eight share what four have alone, s(8) = 2.
  i = inflation(recording(1, 1000), recording(8, 1500), grid(1, 8), error);
  EXPECT_FLOAT_EQ(i.likely.memory[0], 0.5f);
  // Each of the two is true to 3 %: of the 1000 with one thread between 0.5 - 0.03 (1 + 1.5) and 0.5 + that.
  EXPECT_FLOAT_EQ(i.least.memory[0], float(0.5 - 0.075));
  EXPECT_FLOAT_EQ(i.most.memory[0], float(0.5 + 0.075));
  EXPECT_DOUBLE_EQ(i.most.longer[0], 1);
  i = inflation(recording(1, 1000), recording(2, 980), bare, error);
  EXPECT_FLOAT_EQ(i.likely.memory[0], 0);
  EXPECT_DOUBLE_EQ(i.least.longer[0], 1);
  EXPECT_GT(i.most.memory[0], 0.03);
  // What got faster with two is compute that took as long as here, or as there.
  i = inflation(recording(1, 1000), recording(2, 800), bare, error);
  EXPECT_FLOAT_EQ(i.most.memory[0], 0);
  EXPECT_DOUBLE_EQ(i.least.longer[0], 0.8);
  EXPECT_DOUBLE_EQ(i.most.longer[0], 1);
  // Slower by more than sharing explains: all memory, and at most so long that two take what they took.
  i = inflation(recording(1, 1000), recording(2, 2600), bare, error);
  EXPECT_FLOAT_EQ(i.least.memory[0], 1);
  EXPECT_DOUBLE_EQ(i.least.longer[0], 1);
  EXPECT_DOUBLE_EQ(i.most.longer[0], 1.3);
  i = inflation(recording(2, 2600), recording(1, 1000), bare, error);
  EXPECT_DOUBLE_EQ(i.most.longer[0], 2 / 2.6);
  inflation(recording(2, 1000), recording(2, 1500), bare, error);
  EXPECT_NE(error, "");
  // With CPUs at other distances the two say next to nothing.
  auto at = [&](profile::Profile p, double line) { return p.costs.line_now = line, p; };
  i = inflation(at(recording(1, 1000), 45), at(recording(2, 1500), 70), bare, error);
  EXPECT_FALSE(i.moved);
  EXPECT_FLOAT_EQ(i.least.memory[0], float(0.5 - 0.075));
  i = inflation(at(recording(1, 1000), 45), at(recording(2, 1500), 180), bare, error);
  EXPECT_TRUE(i.moved);
  EXPECT_FLOAT_EQ(i.likely.memory[0], 0.5f);
  EXPECT_FLOAT_EQ(i.least.memory[0], 0);
  EXPECT_FLOAT_EQ(i.most.memory[0], 1);
  EXPECT_FALSE(inflation(at(recording(1, 1000), -1), at(recording(2, 1500), 180), bare, error).moved) << "not known";
  // And back: half of it shares.
  Rig run(bare, {0, 1});
  EXPECT_DOUBLE_EQ(run(stretches(2, 1000, 0.5f)).makespan, 1500);
}

// Of 10 + 30 + 60 ns in tasks of depths 1 to 3, the latter two are too short to be trusted.
TEST(SimulateMemory, WhatPerturbedGrainsMakeUp) {
  profile::Profile p;
  p.grains.resize(4);
  p.grains[0].kind = profile::GrainKind::initial, p.grains[0].exec = 1000;
  for (uint32_t i : {1u, 2u, 3u})
    p.grains[i].depth = i,
    p.grains[i].exec = i == 1   ? 10
                       : i == 2 ? 30
                                : 60,
    p.grains[i].flags = i > 1 ? profile::kPerturbed : 0;
  EXPECT_DOUBLE_EQ(perturbed_share(p), 0.9);
  EXPECT_DOUBLE_EQ(perturbed_share(p, 3), 0.6);
  EXPECT_DOUBLE_EQ(perturbed_share(p, 4), 0);
}

TEST(SimulateMemory, TheSameRunTwice) {
  for (const char* placement : {"first-touch", "fine", "first-touch,migrate:2"}) {
    machine::Machine m = grid(4, 8);
    m.l2_bytes = 40'000, m.llc_bytes = 200'000;
    Rig run(m, {0, 1, 8, 9, 16, 17, 24, 25});
    std::string why;
    ASSERT_TRUE(parse_placement(placement, &run.setup.placement, &why));
    run.setup.costs.steal = 100, run.setup.costs.migrate_page = 500;
    const Program p = cholesky(8, 10, 64, 10);
    const Outcome a = run(p), b = run(p);
    EXPECT_EQ(a.makespan, b.makespan);
    EXPECT_EQ(a.remote_bytes, b.remote_bytes);
    EXPECT_GT(a.cached_bytes, 0u);
    EXPECT_LT(a.cached_bytes + a.remote_bytes, a.bytes);
  }
}

// A recording alone: what its phases would need for all of its bytes is the bound, three quarters of it are likely.
TEST(SimulateMemory, WhatOneRecordingSaysOfMemory) {
  profile::Profile p;
  p.sources.resize(4);
  auto grain = [&](uint32_t source, uint32_t phase, int64_t exec, profile::GrainKind kind) {
    profile::Grain g;
    g.source = source, g.phase = phase, g.exec = exec, g.kind = kind, g.fragments = 1;
    p.grains.push_back(g);
  };
  for (const uint32_t phase : {0u, 1u})
    for (int thread = 0; thread < 2; ++thread) {
      grain(0, phase, 1000, profile::GrainKind::chunk);     // 4,000 ns for twice all bytes
      grain(1, 2 + phase, 200, profile::GrainKind::chunk);  // 800 ns
    }
  grain(2, profile::kNone, 5000, profile::GrainKind::task);
  EXPECT_TRUE(likely_memory(p, 2).empty()) << "nobody knows how many bytes there are";
  p.totals.resident_bytes = 2000;
  EXPECT_TRUE(likely_memory(p, 0).empty()) << "nor how fast they come";
  const std::vector<float> likely = likely_memory(p, 2);
  ASSERT_EQ(likely.size(), 4u);
  EXPECT_FLOAT_EQ(likely[0], 0.5f * 0.75f);
  EXPECT_FLOAT_EQ(likely[1], 0.5f) << "2,000 ns for all bytes, in 800: it went over a part";
  EXPECT_FLOAT_EQ(likely[2], 0.5f) << "a task may take any number of steps";
  EXPECT_FLOAT_EQ(likely[3], 0.5f) << "no grain";
}

// max(Tm, Tc) + Ts: four cores of one node share 8 bytes a ns.
TEST(SimulateMemory, TheRooflineByHand) {
  Rig run(grid(2, 4), {0, 1, 2, 3});
  run.setup.costs.region = 100, run.setup.costs.barrier = 50;
  Builder b("roofline");
  b.compute(Builder::kInitial, 7);
  const uint32_t first = b.region(Builder::kInitial, 4);
  for (uint32_t m = 0; m < 4; ++m) b.compute(first + m, 1000, {{b.data(4000), 4000, false}});
  const Program p = b.finish();
  Roofline r = roofline(p, run.setup);
  EXPECT_DOUBLE_EQ(r.serial, 7);
  EXPECT_DOUBLE_EQ(r.compute, 1000);
  EXPECT_DOUBLE_EQ(r.memory, 16000 / 8.);
  EXPECT_DOUBLE_EQ(r.sync, 100 + 2 * 50);
  EXPECT_DOUBLE_EQ(r.total(), 7 + 2000 + 200);
  run.m.llc_bytes = 16000;  // all of it fits: three times what each has alone
  EXPECT_DOUBLE_EQ(roofline(p, run.setup).memory, 16000 / (3 * 4 * 2.));
  run.m.llc_bytes = 0;
  run.setup.pus = {0, 1, 4, 5};  // two of each node: what they have alone is the limit
  EXPECT_DOUBLE_EQ(roofline(p, run.setup).memory, 16000 / 8.);
  run.setup.pus = {0};
  EXPECT_DOUBLE_EQ(roofline(p, run.setup).memory, 16000 / 2.);
}
