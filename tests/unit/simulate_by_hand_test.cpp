// Codelets by hand in the simulator: a firing begins when it has been made and all have signalled, whoever comes last
// in the replay. All by hand.
#include <algorithm>
#include <gtest/gtest.h>

#include "../golden/golden_by_hand.h"
#include "profile_support.h"
#include "simulate/builder.h"
#include "simulate/engine.h"
#include "simulate/from_profile.h"
#include "simulate/span.h"
#include "simulate_support.h"
#include "simulate_written.h"

using namespace einkorn::simulate;
namespace profile = einkorn::profile;
namespace record = einkorn::record;
using einkorn::test::GrainFile;
using einkorn::test::Replay;
using einkorn::test::Script;
using Construct = einkorn::record::Construct;

namespace {

double replay(const Program& p, uint32_t workers) { return Replay(workers).run(p).makespan; }

profile::Profile load(const GrainFile& file) {
  const einkorn::test::Loaded l = einkorn::test::load_file(file);
  EXPECT_TRUE(l.ok) << l.error.message;
  return l.profile;
}
Program taken(const profile::Profile& p) {
  std::string error;
  Program out = from_profile(p, {}, error);
  EXPECT_EQ(error, "");
  return out;
}
// As it is predicted for two threads, written and loaded.
profile::Profile on_two(const profile::Profile& recorded, const Program& p) {
  const Replay two(2);
  return einkorn::test::written(recorded, p, two.setup, two.run(p, true));
}
long dependences(const profile::Profile& p) {
  return std::count_if(p.graph.edges.begin(), p.graph.edges.end(),
                       [](const profile::Edge& e) { return e.kind == profile::EdgeKind::dependence; });
}

// Two threads come to the same codelet, the second one's signal made the firing when it was recorded.
Program two_chains(double signals, double makes, double firing) {
  Builder b("two chains that meet");
  const uint32_t first = b.region(Builder::kInitial, 2);
  b.compute(first, signals);
  const size_t signal = b.release(first);
  b.compute(first + 1, makes);
  const uint32_t f = b.fork(first + 1);
  b.aim(signal, f);
  b.compute(f, firing);
  return b.finish();
}

}  // namespace

TEST(SimulateByHand, TwoChainsThatMeet) {
  for (const auto& [signals, makes] : {std::pair(40., 10.), std::pair(10., 40.)}) {
    const Program p = two_chains(signals, makes, 7);
    EXPECT_DOUBLE_EQ(p.span(), 47);
    EXPECT_DOUBLE_EQ(replay(p, 2), 47);
    EXPECT_DOUBLE_EQ(replay(with_members(p, 1), 1), 57);
    EXPECT_DOUBLE_EQ(with_members(p, 1).span(), 57);  // of one thread, whose codelet comes last
    EXPECT_DOUBLE_EQ(replay(with_members(p, 4), 4), 47);
  }
}

// Who made the firing waits for it. Where one thread does both, the other signal comes only behind that wait: there the
// firing is not waited for.
TEST(SimulateByHand, WhoWaitsForTheFiringDoesNotKeepItsSignalBack) {
  for (const bool in_group : {false, true}) {
    Builder b("who makes it waits for it");
    const uint32_t first = b.region(Builder::kInitial, 2);
    b.compute(first, 10);
    const uint32_t f = b.fork(first);
    if (in_group) b.wait_group(first, b.task(f).group = b.group());
    else b.wait(first);
    b.compute(first, 5);
    b.compute(first + 1, 40);
    b.aim(b.release(first + 1), f);
    b.compute(f, 7);
    const Program p = b.finish();
    EXPECT_DOUBLE_EQ(p.span(), 40 + 7 + 5);
    EXPECT_DOUBLE_EQ(replay(p, 2), 40 + 7 + 5);
    EXPECT_DOUBLE_EQ(replay(with_members(p, 1), 1), 10 + 5 + 40 + 7);
  }
}

// The signal of a task that is created after the firing; and a longest path that leads through it.
TEST(SimulateByHand, ASignalOfALaterTask) {
  Builder b("a later task");
  const uint32_t first = b.region(Builder::kInitial, 1);
  const uint32_t f = b.fork(first), later = b.fork(first), after = b.fork(first);
  b.compute(later, 30);
  const size_t signal = b.release(later);
  b.compute(later, 2);
  b.aim(signal, f);
  b.compute(f, 7);
  const size_t second = b.release(f);
  b.aim(second, after);
  b.compute(after, 5);
  b.wait(first);
  b.compute(first, 1);
  const Program p = b.finish();
  EXPECT_EQ(check(p), "");
  EXPECT_DOUBLE_EQ(p.span(), 30 + 7 + 5 + 1);
  EXPECT_DOUBLE_EQ(replay(p, 1), 30 + 2 + 7 + 5 + 1);
  Costs costs;
  costs.fetch = 100;
  EXPECT_DOUBLE_EQ(burdened_span(p, costs), 300 + 30 + 7 + 5 + 1);
}

TEST(SimulateByHand, ARecordingIsReplayedAndWritten) {
  const profile::Profile recorded = load(einkorn::test::by_hand());
  const Program p = taken(recorded);
  EXPECT_EQ(std::count_if(p.steps.begin(), p.steps.end(), [](const Step& s) { return s.kind == StepKind::release; }),
            3);
  EXPECT_DOUBLE_EQ(p.span(), double(recorded.critical_path_ns));
  for (const uint32_t n : {1u, 2u, 3u, 8u}) {
    const Program with = with_members(p, n);
    const double time = replay(with, n);
    EXPECT_DOUBLE_EQ(with.work(), p.work()) << n;
    EXPECT_GE(time, with.span()) << n;
    if (n == 1) {
      EXPECT_DOUBLE_EQ(time, p.work());
    }
  }
  const profile::Profile again = on_two(recorded, p);
  EXPECT_EQ(again.critical_path_ns, recorded.critical_path_ns);
  EXPECT_EQ(dependences(again), dependences(recorded));
  EXPECT_EQ(again.hand_firings.size(), 2u);
  EXPECT_EQ(einkorn::test::names_of_tasks(again), einkorn::test::names_of_tasks(recorded));
}

// Of one that has a single signal, which is its creation; of two of one number; and of tasks beside them.
TEST(SimulateByHand, NamesAreKept) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000), task = file.site(Construct::task, 0x2000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2).implicit_begin(0, region);
  b.at(100).implicit_begin(1, region).wait_begin(end);
  std::vector<uint64_t> tasks;
  for (const auto& [codelet, number] : {std::pair(0x7000, 1), {0, 0}, {0x7040, 2}, {0x7080, 2}, {0, 0}}) {
    tasks.push_back(a.at(110 + 10 * tasks.size()).create(task, 1));
    if (codelet) a.fired(uint64_t(codelet), uint32_t(number), 30);
  }
  a.at(200).wait_begin(end);
  for (const uint64_t t : tasks) a.start(t).at(210 + 10 * record::id_serial(t)).end();
  a.at(300).wait_end().implicit_end().region_end().at(310).thread_end();
  b.at(300).wait_end().implicit_end();
  const profile::Profile recorded = load(file), again = on_two(recorded, taken(recorded));
  EXPECT_EQ(recorded.hand_firings.size(), 3u);
  EXPECT_EQ(again.hand_firings.size(), 3u);
  EXPECT_EQ(einkorn::test::names_of_tasks(recorded).size(), 5u);
  EXPECT_EQ(einkorn::test::names_of_tasks(again), einkorn::test::names_of_tasks(recorded));
}

// A signal in a chunk comes when the part in the loop of who had it is over. What has signals stays a task, whatever
// the cut-off.
TEST(SimulateByHand, SignalsInALoop) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000), loop = file.site(Construct::loop, 0, 0x1100),
                 task = file.site(Construct::task, 0x2000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2).implicit_begin(0, region);
  b.at(100).implicit_begin(1, region);
  a.loop_begin(loop, 2, 1).chunk(0);
  b.loop_begin(loop, 2, 1).chunk(1).at(160).signal(0x7000, 1).at(190).chunk_end().loop_end();
  a.at(170).chunk_end().loop_end();
  const uint64_t f = a.at(180).create(task, 0);
  a.fired(0x7000).wait_begin(end).start(f).at(230).end();
  a.at(240).wait_end().implicit_end().region_end().at(250).thread_end();
  b.at(190).wait_begin(end).at(240).wait_end().implicit_end();
  const profile::Profile recorded = load(file);
  EXPECT_EQ(dependences(recorded), 1);
  EXPECT_EQ(recorded.critical_path_ns, 100 + 80 + 50 + 10);
  Change change;
  change.cutoff = 0;
  std::string error;
  const Program p = from_profile(recorded, change, error);
  EXPECT_EQ(error, "");
  const auto firing = std::find_if(p.tasks.begin(), p.tasks.end(), [](const Task& t) { return t.signals > 0; });
  ASSERT_NE(firing, p.tasks.end());
  EXPECT_FALSE(firing->undeferred);
  EXPECT_DOUBLE_EQ(replay(p, 2), 100 + 90 + 50 + 10);
}

TEST(SimulateByHand, Checked) {
  Program p = two_chains(40, 10, 7);
  const uint32_t f = uint32_t(p.tasks.size() - 1);
  p.tasks[f].signals = 0;
  EXPECT_EQ(check(p), "predecessors of task 3");
  p.tasks[f].signals = 1;
  for (Step& s : p.steps)
    if (s.kind == StepKind::release) s.ref = 1;
  EXPECT_EQ(check(p), "a signal to what is no firing");
}
