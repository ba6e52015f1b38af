// What tuning decides: when a try is believed, and what is tried for which problem.
#include <gtest/gtest.h>

#include "hints/text.h"
#include "record/format.h"
#include "tune/judge.h"
#include "tune/combine.h"
#include "tune/propose.h"

namespace einkorn::tune {
namespace {

TEST(TuneJudge, BelievesWhatIsClearInThreePairsOrBetterInEachOfFive) {
  EXPECT_EQ(judge({}, Goal::time), Verdict::unsure);
  EXPECT_EQ(judge({0.5}, Goal::time), Verdict::unsure);
  EXPECT_EQ(judge({0.5, 0.5}, Goal::time), Verdict::unsure);
  EXPECT_EQ(judge({0.5, 0.5, 0.9}, Goal::time), Verdict::better);
  EXPECT_EQ(judge({0.5, 0.5, 0.96}, Goal::time), Verdict::unsure);
  EXPECT_EQ(judge({0.96, 0.9, 0.96, 0.96}, Goal::time), Verdict::unsure);
  EXPECT_EQ(judge({0.96, 0.9, 0.96, 0.96, 0.97}, Goal::time), Verdict::better);
  EXPECT_EQ(judge({0.5, 0.5, 0.98}, Goal::time), Verdict::unsure);
}

TEST(TuneJudge, PromisesWhatWasBetterInEachPair) {
  EXPECT_FALSE(promises({}, Goal::time));
  EXPECT_TRUE(promises({0.9, 0.97}, Goal::time));
  EXPECT_FALSE(promises({0.9, 0.98}, Goal::time));
  EXPECT_TRUE(promises({0.98, 1.05}, Goal::cores));
  EXPECT_FALSE(promises({1.06}, Goal::cores));
}

TEST(TuneJudge, GivesUpEarlyOnWhatIsClearlyWorse) {
  EXPECT_EQ(judge({1.2}, Goal::time), Verdict::not_better);
  EXPECT_EQ(judge({1.0}, Goal::time), Verdict::unsure);
  EXPECT_EQ(judge({1.0, 1.0}, Goal::time), Verdict::not_better);
  EXPECT_EQ(judge({1.0, 0.9, 1.0}, Goal::time), Verdict::unsure);
  EXPECT_EQ(judge({1.0, 0.98, 0.99}, Goal::time), Verdict::not_better);
  EXPECT_EQ(judge({1.0, 0.9, 1.0, 1.0}, Goal::time), Verdict::not_better);
}

TEST(TuneJudge, IsSureAfterSevenPairs) {
  EXPECT_EQ(judge({0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 1.1}, Goal::time), Verdict::better);
  EXPECT_EQ(judge({0.9, 0.9, 0.9, 0.9, 0.9, 1.1, 1.1}, Goal::time), Verdict::not_better);
}

TEST(TuneJudge, FewerCoresMayTakeALittleLonger) {
  EXPECT_EQ(judge({1.04, 1.0, 0.99}, Goal::cores), Verdict::better);
  EXPECT_EQ(judge({1.2}, Goal::cores), Verdict::not_better);
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
}

// A region of two threads, a recursion of tasks of two lines in it, and a loop with chunks of one.
struct Case {
  profile::Profile p;
  std::vector<std::vector<profile::SourceCode>> code{3};
  Case() {
    p.wall_ns = 1'000'000;
    p.sources.resize(3);
    const char* constructs[] = {"parallel", "task", "loop"};
    for (size_t i = 0; i < 3; ++i) {
      p.sources[i].file = "a.c";
      p.sources[i].line = uint32_t(10 * (i + 1));
      p.sources[i].construct = constructs[i];
      code[i] = {{"/bin/app", "00ff", 0x100 * (i + 1)}};
    }
    profile::Region region;
    region.source = 0;
    region.team = 2;
    region.level = 1;
    region.begin = 0;
    region.end = 900'000;
    p.regions.push_back(region);
  }
  void add_tasks(uint32_t depth, int count) {
    for (int i = 0; i < count; ++i) {
      profile::Grain g;
      g.kind = profile::GrainKind::task;
      g.source = 1;
      g.depth = depth;
      p.grains.push_back(g);
    }
  }
  std::vector<Candidate> propose(report::ProblemKind kind, uint32_t source, Goal goal = Goal::time, bool bold = false,
                                 uint32_t least_depth = 0) {
    report::Finding f;
    f.kind = kind;
    f.gain_ns = 5000;
    f.source = source;
    f.sources = {source};
    f.about.least_depth = least_depth;
    return tune::propose(p, code, {f}, goal, bold);
  }
};

TEST(TunePropose, CutsARecursionOffBelowTheDepthThatFeedsAllThreads) {
  Case c;
  for (uint32_t depth = 0; depth < 12; ++depth) c.add_tasks(depth, 1 << depth);
  const auto found = c.propose(report::ProblemKind::tasks_too_fine, 1, Goal::time, false, 9);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(hints::to_text(found[0].hints), "einkorn-hints 1\nobject app 00ff\ntask a.c:20 at 0x200 cutoff=6\n");
  EXPECT_EQ(found[1].hints.hints[0].cutoff, 9);
  EXPECT_EQ(found[0].promised_ns, 5000);
}

// Two lines' blocks: one by a thread that has filled them, one that the threads have; and a small one.
TEST(TunePropose, SpreadsWhatOneThreadHasPutOnItsNode) {
  Case c;
  for (const uint16_t node : {0, 3}) {
    profile::Grain g;
    g.kind = profile::GrainKind::implicit;
    g.fragments = 1;
    g.node = node;
    c.p.grains.push_back(g);
  }
  c.p.allocations = {{0, 2, 80'000'000, 40'000'000, {100, 0, 0, 5}},
                     {1, 1, 40'000'000, 40'000'000, {100, 100, 100, 100}},
                     {2, 4, 400'000, 100'000, {100}}};
  const auto found = tune::propose(c.p, c.code, {}, Goal::time, false);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(hints::to_text(found[0].hints), "einkorn-hints 1\nset OMP_PROC_BIND=spread\nset OMP_PLACES=cores\n");
  EXPECT_EQ(hints::to_text(found[1].hints),
            "einkorn-hints 1\nobject app 00ff\nallocation a.c:10 at 0x100 place=blocked\n");
  EXPECT_EQ(hints::values_of(found[2].hints.hints[0]), "place=fine");
  // A global variable is named by itself, and is as long as it is.
  const profile::Source before = c.p.sources[0];
  c.p.sources[0].construct = "variable";
  c.p.sources[0].line = 0;
  c.p.sources[0].function = "grid";
  EXPECT_EQ(hints::to_text(tune::propose(c.p, c.code, {}, Goal::time, false)[1].hints),
            "einkorn-hints 1\nobject app 00ff\nvariable grid at 0x100-0x2625b00 place=blocked\n");
  c.p.sources[0] = before;
  // One on top of the other; of two about one variable the later one.
  const hints::File all = tune::with(tune::with({}, found[0]), found[1]);
  EXPECT_EQ(hints::to_text(all),
            "einkorn-hints 1\nset OMP_PROC_BIND=spread\nset OMP_PLACES=cores\n"
            "object app 00ff\nallocation a.c:10 at 0x100 place=blocked\n");
  EXPECT_EQ(tune::with(all, found[0]).hints.size(), 3u);
  // Behind what a report promises something of.
  report::Finding f;
  f.kind = report::ProblemKind::lock;
  f.gain_ns = 5000;
  f.source = 0;
  f.sources = {0};
  const auto behind = tune::propose(c.p, c.code, {f}, Goal::time, false);
  ASSERT_EQ(behind.size(), 4u);
  EXPECT_EQ(behind[0].promised_ns, 5000);
  EXPECT_EQ(behind[1].promised_ns, -1);
  EXPECT_FALSE(tune::takes_fewer_threads({}, found[0]));
  for (const Candidate& fewer : tune::propose(c.p, c.code, {}, Goal::cores, false))
    for (const hints::Hint& h : fewer.hints.hints) EXPECT_EQ(h.construct, hints::Construct::region);
  // Regions with few threads, next to each other; where the user binds threads, too.
  c.p.cpus = 4;
  auto close = tune::propose(c.p, c.code, {}, Goal::time, false);
  ASSERT_EQ(close.size(), 4u);
  EXPECT_EQ(hints::to_text(close[3].hints),
            "einkorn-hints 1\nset OMP_PROC_BIND=spread\nset OMP_PLACES=cores\n"
            "object app 00ff\nregion a.c:10 at 0x100 bind=close\n");
  EXPECT_FALSE(tune::takes_fewer_threads({}, close[3]));
  for (const bool first : {true, false}) {
    const Candidate& fewer = behind[0];  // of the same region
    const hints::File both =
        first ? tune::with(tune::with({}, fewer), close[3]) : tune::with(tune::with({}, close[3]), fewer);
    EXPECT_NE(hints::to_text(both).find("region a.c:10 at 0x100 threads=1 bind=close\n"), std::string::npos);
    EXPECT_EQ(tune::takes_fewer_threads(both, fewer), false);
    EXPECT_TRUE(tune::takes_fewer_threads(tune::with({}, close[3]), fewer));
  }
  close = tune::propose(c.p, c.code, {}, Goal::time, false, {},
                        [](const char* variable) { return std::string(variable) == "OMP_PROC_BIND"; });
  ASSERT_EQ(close.size(), 3u);
  EXPECT_EQ(hints::to_text(close[2].hints), "einkorn-hints 1\nobject app 00ff\nregion a.c:10 at 0x100 bind=close\n");
  c.p.cpus = 3;
  EXPECT_EQ(tune::propose(c.p, c.code, {}, Goal::time, false).size(), 3u);
  c.p.grains[1].node = 0;  // all on that node
  EXPECT_TRUE(tune::propose(c.p, c.code, {}, Goal::time, false).empty());
}

TEST(TunePropose, RunsTasksOfTheCriticalPathFirst) {
  Case c;
  const auto found = c.propose(report::ProblemKind::late_tasks, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(hints::to_text(found[0].hints), "einkorn-hints 1\nobject app 00ff\ntask a.c:20 at 0x200 priority=1\n");
  // Beside a cut-off of the same tasks.
  Candidate cut = found[0];
  cut.hints.hints[0].priority = 0;
  cut.hints.hints[0].cutoff = 3;
  EXPECT_EQ(hints::values_of(tune::with(tune::with({}, cut), found[0]).hints[0]), "cutoff=3 priority=1");
}

TEST(TunePropose, LetsThreadsThatWaitSleepForLessEnergy) {
  Case c;
  c.p.thread_time[size_t(profile::State::work)] = 900;
  c.p.thread_time[size_t(profile::State::idle)] = 100;
  const auto found = tune::propose(c.p, c.code, {}, Goal::energy, false);
  ASSERT_GE(found.size(), 1u);
  EXPECT_EQ(hints::words_of(found[0].hints.hints[0]), "set OMP_WAIT_POLICY=passive");
  for (const Candidate& t : tune::propose(c.p, c.code, {}, Goal::time, false))
    EXPECT_NE(t.hints.hints[0].construct, hints::Construct::set);
  c.p.thread_time[size_t(profile::State::work)] = 9000;
  for (const Candidate& t : tune::propose(c.p, c.code, {}, Goal::energy, false))
    EXPECT_NE(t.hints.hints[0].construct, hints::Construct::set);
}

TEST(TunePropose, TriesAScheduleByDataWhereTasksAreFarFromTheirs) {
  Case c;
  const auto found = c.propose(report::ProblemKind::remote_data, 1);
  ASSERT_EQ(found.size(), 1u);
  report::Finding f;
  f.kind = report::ProblemKind::remote_data;
  f.source = 1;
  f.sources = {1};
  const auto is_set = [](const char* variable) { return std::string(variable) == "EINKORN_AMM"; };
  EXPECT_TRUE(tune::propose(c.p, c.code, {f}, Goal::time, false, {}, is_set).empty());  // the user's word
  EXPECT_EQ(hints::words_of(found[0].hints.hints[0]), "set EINKORN_SCHEDULE=deal");
}

TEST(TunePropose, TriesNothingWhereTheCodeIsNotKnown) {
  Case c;
  for (uint32_t depth = 0; depth < 12; ++depth) c.add_tasks(depth, 1 << depth);
  c.code[1].clear();
  EXPECT_TRUE(c.propose(report::ProblemKind::tasks_too_fine, 1).empty());
}

TEST(TunePropose, MakesChunksLargerThatCompilersMadeOne) {
  Case c;
  profile::LoopInstance loop;
  loop.source = 2;
  loop.schedule = uint8_t(record::Schedule::dynamic);
  loop.iterations = 100'000;
  loop.chunk = 1;
  c.p.loops = {loop};
  profile::Grain chunk;
  chunk.kind = profile::GrainKind::chunk;
  chunk.loop = 0;
  chunk.exec = 100'000 * 100;  // 100 ns each
  c.p.grains = {chunk};
  const auto found = c.propose(report::ProblemKind::chunks_too_fine, 2);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(hints::values_of(found[0].hints.hints[0]), "chunk=200");
  c.p.loops[0].chunk = 4;  // the program's own word
  EXPECT_TRUE(c.propose(report::ProblemKind::chunks_too_fine, 2).empty());
  EXPECT_EQ(c.propose(report::ProblemKind::chunks_too_fine, 2, Goal::time, true).size(), 1u);
  c.p.loops[0].iterations = 20;  // of short loops all threads get some
  EXPECT_TRUE(c.propose(report::ProblemKind::chunks_too_fine, 2).empty());
}

// Two threads by two, on two CPUs.
TEST(TunePropose, TeamsInsideOfTeamsGetTheirPartOfTheCpus) {
  Case c;
  c.p.sources[2].construct = "parallel";
  profile::Region inner = c.p.regions[0];
  inner.source = 2, inner.level = 2;
  profile::Grain member;
  member.kind = profile::GrainKind::implicit;
  member.region = 0;
  c.p.grains.push_back(member);
  inner.parent_grain = 0;
  c.p.regions.push_back(inner);
  c.p.cpus = 4;
  EXPECT_TRUE(tune::propose(c.p, c.code, {}, Goal::time, false).empty()) << "there is a CPU for each";
  c.p.cpus = 2;
  const auto found = tune::propose(c.p, c.code, {}, Goal::time, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(hints::to_text(found[0].hints), "einkorn-hints 1\nobject app 00ff\nregion a.c:30 at 0x300 threads=1\n");
  EXPECT_EQ(found[0].what, "one thread in regions inside of others");
  // Inside of a team of one there is a CPU for each.
  c.p.regions[0].team = 1;
  EXPECT_TRUE(tune::propose(c.p, c.code, {}, Goal::time, false).empty());
  EXPECT_EQ(found[0].promised_ns, -1);
}

TEST(TunePropose, FewerThreads) {
  Case c;
  const auto found = c.propose(report::ProblemKind::short_regions, 0);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(hints::values_of(found[0].hints.hints[0]), "threads=1");
  EXPECT_EQ(c.propose(report::ProblemKind::waiting, 0, Goal::cores).size(), 1u);
  EXPECT_TRUE(c.propose(report::ProblemKind::serial, 0).empty());
}

TEST(TunePropose, SeveralProblemsThatComeToTheSameAreTriedOnce) {
  Case c;
  report::Finding barriers, lock;
  barriers.kind = report::ProblemKind::many_barriers;
  barriers.source = 2;  // in the region
  barriers.sources = {2, 0};
  lock.kind = report::ProblemKind::lock;
  lock.source = 1;
  lock.sources = {1};
  const auto found = tune::propose(c.p, c.code, {barriers, lock}, Goal::time, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].hints.hints[0].place, "a.c:10");
}

TEST(TunePropose, AllInstancesOfATemplatesTaskAreCutOff) {
  Case c;
  for (uint32_t depth = 0; depth < 12; ++depth) c.add_tasks(depth, 1 << depth);
  c.p.sources.push_back(c.p.sources[1]);
  c.p.sources.back().function = "another instance";
  c.code.push_back({{"/bin/app", "00ff", 0x900}});
  const auto found = c.propose(report::ProblemKind::tasks_too_fine, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].hints.hints[0].code.size(), 2u);
}

TEST(TunePropose, WhatIsAboutTheSameCodeTakesItsPlace) {
  Case c;
  for (uint32_t depth = 0; depth < 12; ++depth) c.add_tasks(depth, 1 << depth);
  const auto found = c.propose(report::ProblemKind::tasks_too_fine, 1, Goal::time, false, 9);
  ASSERT_EQ(found.size(), 2u);
  const hints::File one = with({}, found[0]), two = with(one, found[1]);
  EXPECT_EQ(two.objects.size(), 1u);
  ASSERT_EQ(two.hints.size(), 1u);
  EXPECT_EQ(two.hints[0].cutoff, 9);
}

}  // namespace
}  // namespace einkorn::tune
