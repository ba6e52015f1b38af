// Ordered loops in the simulator, compared with results worked out by hand: the turn that passes from chunk to chunk,
// along with locks.
#include <fstream>
#include <gtest/gtest.h>

#include "profile_support.h"
#include "simulate/builder.h"
#include "simulate/engine.h"
#include "simulate/from_profile.h"
#include "simulate_support.h"

using namespace einkorn::simulate;
namespace profile = einkorn::profile;
using einkorn::test::GrainFile;
using einkorn::test::Script;
using Construct = einkorn::record::Construct;

namespace {

Outcome run(const Program& p, int workers) {
  const einkorn::test::Replay on{uint32_t(workers)};
  EXPECT_EQ(check(p), "");
  return simulate(p, on.setup);
}

// Four chunks, each 10 on its own and 40 in its turn.
Program four_in_order(LoopSchedule schedule, uint32_t members) {
  Builder b("ordered");
  const uint32_t first = b.region(Builder::kInitial, members), loop = b.loop(schedule);
  b.latest_loop().ordered = true;
  b.latest_loop().members = members;
  for (int i = 0; i < 4; ++i) {
    b.chunk(10, 0, 1);
    b.latest_chunk().in_turn = 40;
  }
  for (uint32_t m = 0; m < members; ++m) b.run_loop(first + m, loop);
  return b.finish();
}

}  // namespace

TEST(SimulateOrdered, OneTurnAfterTheOther) {
  const Program p = four_in_order(LoopSchedule::on_demand, 2);
  EXPECT_DOUBLE_EQ(p.work(), 4 * 50);
  EXPECT_DOUBLE_EQ(p.span(), 10 + 4 * 40);
  const Outcome o = run(p, 2);
  EXPECT_DOUBLE_EQ(o.makespan, 10 + 4 * 40);
  // The second chunk waits 10 to 50, the third 60 to 90, the fourth 100 to 130.
  EXPECT_DOUBLE_EQ(o.workers[0].blocked + o.workers[1].blocked, 40 + 30 + 30);
}

TEST(SimulateOrdered, IsNotCutForOthers) {
  for (const LoopSchedule schedule : {LoopSchedule::fixed, LoopSchedule::on_demand, LoopSchedule::by_rule})
    for (const uint32_t members : {1u, 3u}) {
      const Program p = with_members(four_in_order(schedule, members), 8);
      ASSERT_EQ(p.chunks.size(), 4u);
      for (const Chunk& c : p.chunks) EXPECT_EQ(c.in_turn, 40);
      EXPECT_DOUBLE_EQ(run(p, 8).makespan, 10 + 4 * 40);
    }
}

// The first thread has the second chunk, with a critical section before its turn and one in it. So the graph has its
// nodes in another order than the walk: what was locked stays where it was. The turn itself is no lock.
TEST(SimulateOrdered, FromARecordingWithLocks) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000);
  const uint32_t end = file.site(Construct::barrier_parallel, 0x1000);
  const uint32_t loop = file.site(Construct::loop, 0x1000), ordered = file.site(Construct::ordered, 0, 0x1100);
  const uint32_t critical = file.site(Construct::critical, 0, 0x1200);
  constexpr uint64_t kTurn = 0x77, kLock = 0x5000;
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 60);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2).at(110).implicit_begin(0, region).at(115).loop_begin(loop, 2, 1);
  a.at(120).chunk(1).at(122).mutex_acquired(critical, kLock).at(126).mutex_released(kLock);
  a.at(130).mutex_wait(ordered, kTurn).at(171).mutex_acquired(ordered, kTurn);
  a.at(180).mutex_acquired(critical, kLock).at(185).mutex_released(kLock);
  a.at(210).mutex_released(kTurn).chunk_end().at(212).loop_end();
  a.at(213).wait_begin(end).at(300).wait_end().implicit_end().at(305).region_end().at(320).thread_end();
  b.at(112).implicit_begin(1, region).at(116).loop_begin(loop, 2, 1);
  b.at(121).chunk(0).at(131).mutex_acquired(ordered, kTurn).at(170).mutex_released(kTurn).chunk_end();
  b.at(173).loop_end().at(174).wait_begin(end).at(299).wait_end().implicit_end();

  const std::string path = einkorn::test::scratch(".grain"), bytes = file.bytes();
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
  profile::Profile p;
  profile::LoadError error;
  profile::LoadOptions options;
  options.symbolize = false;
  options.lock_points = true;
  ASSERT_TRUE(profile::load(path, options, p, error)) << error.message;
  remove(path.c_str());

  ASSERT_EQ(p.lock_points.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const profile::LockPoint& point = p.lock_points[i];
    const profile::Node& node = p.graph.nodes[point.node];
    ASSERT_EQ(node.kind, profile::NodeKind::chunk) << i;
    EXPECT_EQ(p.grains[node.grain].first_iteration, 1) << i;
    EXPECT_EQ(bool(p.graph.in_turn[point.node]), i >= 2) << i;
    EXPECT_EQ(point.taken, i % 2 == 0) << i;
  }
  std::string why;
  const Program recorded = from_profile(p, {}, why);
  EXPECT_EQ(why, "");
  for (const Program& program : {recorded, with_members(recorded, 4)}) {
    ASSERT_EQ(program.loops.size(), 1u);
    EXPECT_TRUE(program.loops[0].ordered);
    ASSERT_EQ(program.chunks.size(), 2u);
    for (const Chunk& c : program.chunks) {
      EXPECT_NEAR(c.ns, 10, 1e-6);
      EXPECT_NEAR(c.in_turn, 39, 1e-6);
    }
    EXPECT_EQ(program.chunks[0].locks, kNone);
    EXPECT_NE(program.chunks[1].locks, kNone);
    EXPECT_NEAR(program.longest_hold(), 4, 1e-6);
  }
}
