// What the reports say of barriers, regions and teams, and what recording cost: on profiles put together by hand.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include "report/findings/findings.h"
#include "report/json/json.h"
#include "report/recording_cost.h"
#include "report/text/text.h"
#include "report_profiles.h"
#include "report_schema.h"

using namespace einkorn::report;
using namespace einkorn::report_test;

namespace {

// A region of one member each for every entry of `parts`, with a barrier behind every column but the last: what each
// thread works there. Barriers cost `leaving` thread time each.
uint32_t region_of(Builder& b, uint32_t line, uint32_t barrier, int64_t begin,
                   const std::vector<std::vector<int64_t>>& parts, int64_t leaving, int64_t end) {
  b.region(line, begin, end, uint32_t(parts.size()));
  const uint32_t region = uint32_t(b.p.regions.size() - 1), first = uint32_t(b.p.phases.size());
  for (size_t i = 0; i < parts[0].size(); ++i) {
    Phase phase;
    phase.region = region;
    phase.last = i + 1 == parts[0].size();
    phase.source = phase.last ? line : barrier;
    phase.members = uint32_t(parts.size());
    for (const auto& of_thread : parts)
      phase.longest = std::max(phase.longest, of_thread[i]), phase.taken += of_thread[i];
    phase.waited = phase.longest * int64_t(parts.size()) - phase.taken;
    phase.leaving = leaving;
    b.p.phases.push_back(phase);
  }
  for (uint32_t t = 0; t < parts.size(); ++t) {
    const uint32_t implicit = b.grain(GrainKind::implicit, 0, line, 0);
    int64_t busy = 0;
    for (size_t i = 0; i < parts[t].size(); ++i) {
      const uint32_t g = b.grain(GrainKind::share, implicit, line, parts[t][i], -1, t);
      b.p.grains[g].phase = first + uint32_t(i);
      b.spent(t, State::work, parts[t][i]);
      busy += parts[t][i];
    }
    b.p.grains[implicit].wait_idle = end - begin - busy;
    b.spent(t, State::idle, end - begin - busy);
    b.p.regions[region].busiest = std::max(b.p.regions[region].busiest, busy);
  }
  return region;
}

}  // namespace

// Before the barrier thread 0 has 8 ms and thread 1 has 2, behind it the other way round: each works 10 of 16 ms.
// Evenly: 10.
TEST(Phases, ImbalanceThatAlternatesIsFoundAtItsBarrier) {
  Builder b(16 * ms, 2);
  const uint32_t line = b.source("a.c", 5, "parallel", "main"), barrier = b.source("a.c", 9, "barrier", "main");
  region_of(b, line, barrier, 0, {{8 * ms, 2 * ms}, {2 * ms, 8 * ms}}, 0, 16 * ms);
  b.p.waits.push_back({barrier, 2, 0, 0, 6 * ms});
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_EQ(found.size(), 2u);  // one before the barrier, one before the region's end
  for (const Finding& f : found) {
    EXPECT_EQ(f.kind, ProblemKind::load_imbalance);
    EXPECT_EQ(f.gain_ns, 3 * ms);
    EXPECT_NE(f.evidence[0].find("1.6 times the mean work"), std::string::npos) << f.evidence[0];
  }
  EXPECT_TRUE(found[0].source == barrier || found[1].source == barrier);
}

// Nine barriers that take 1 us each behind steps of 2 us: 9 of 30 us.
TEST(Phases, TooManyBarriers) {
  Builder b(30 * us, 2);
  const uint32_t line = b.source("a.c", 5, "parallel", "main"), barrier = b.source("a.c", 9, "barrier", "main");
  const std::vector<int64_t> steps(10, 2 * us);
  region_of(b, line, barrier, 0, {steps, steps}, 2 * us, 30 * us);
  std::vector<Finding> found = find_problems(b.p);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, ProblemKind::many_barriers);
  EXPECT_EQ(found[0].source, barrier);
  EXPECT_EQ(found[0].gain_ns, 9 * us);
  EXPECT_EQ(found[0].what, "too many barriers (9 here, one every 3.0 us, which takes 1.0 us by itself)");
  EXPECT_EQ(check_schema(json_report(b.p)), 0);
  // Without recording one takes 200 ns.
  b.p.costs.threads = 2;
  b.p.costs(Interface::gomp, Cost::barrier) = {200, 1000};
  EXPECT_EQ(find_problems(b.p)[0].gain_ns, 1800);
  EXPECT_EQ(recording_slowed(b.p, compute_metrics(b.p)), 9 * 800);
  // Tasks that ran in the barrier: nothing is known of who came when.
  b.waited(barrier, 18, 4, 0, 0);
  for (const Finding& f : find_problems(b.p)) EXPECT_NE(f.kind, ProblemKind::many_barriers);
}

// Barriers that take a twentieth of what lies between them are no problem.
TEST(Phases, BarriersThatCostLittle) {
  Builder b(210 * us, 2);
  const uint32_t line = b.source("a.c", 5, "parallel", "main"), barrier = b.source("a.c", 9, "barrier", "main");
  const std::vector<int64_t> steps(10, 20 * us);
  region_of(b, line, barrier, 0, {steps, steps}, 2 * us, 210 * us);
  for (const Finding& f : find_problems(b.p)) EXPECT_NE(f.kind, ProblemKind::many_barriers);
}

// Twenty regions of 5 us with 3 us of work for each thread.
TEST(Phases, RegionsTooShort) {
  Builder b(100 * us, 2);
  const uint32_t line = b.source("a.c", 5, "parallel", "main");
  for (int i = 0; i < 20; ++i) region_of(b, line, line, i * 5 * us, {{3 * us}, {3 * us}}, 2 * us, (i + 1) * 5 * us);
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, ProblemKind::short_regions);
  EXPECT_EQ(found[0].source, line);
  EXPECT_EQ(found[0].gain_ns, 40 * us);
  EXPECT_EQ(found[0].what, "parallel regions too short (20, 3.0 us of work each, begin and end take 2.0 us)");
  EXPECT_EQ(check_schema(json_report(b.p)), 0);
}

// Between two of them the program does nothing but call the next: that is theirs, too. Where it does more it is the
// program's.
TEST(Phases, ShortRegionsInALoop) {
  for (const int64_t between : {us, 3 * us}) {
    Builder b(20 * (5 * us + between), 2);
    const uint32_t line = b.source("a.c", 5, "parallel", "main");
    for (int i = 0; i < 20; ++i) {
      const int64_t begin = i * (5 * us + between);
      region_of(b, line, line, begin, {{3 * us}, {3 * us}}, 2 * us, begin + 5 * us);
    }
    const std::vector<Finding> found = find_problems(b.p);
    const auto at = std::ranges::find(found, ProblemKind::short_regions, &Finding::kind);
    ASSERT_NE(at, found.end());
    EXPECT_EQ(at->gain_ns, between < 2 * us ? 40 * us + 19 * between : 40 * us) << between;
  }
}

// Inner regions of one thread, two at a time: known costs count, though more than what their stamps show. Of larger
// teams no more counts than that.
TEST(Phases, ShortRegionsByKnownCosts) {
  for (const uint32_t team : {1u, 2u}) {
    Builder b(100 * us, 2);
    const uint32_t outer = b.source("a.c", 4, "parallel", "main"), line = b.source("a.c", 5, "parallel", "main");
    b.region(outer, 0, 100 * us, 2);
    for (int i = 0; i < 20; ++i) {
      std::vector<std::vector<int64_t>> work(team, {3 * us});
      region_of(b, line, line, i * 5 * us, work, 2 * us, (i + 1) * 5 * us);
      if (team == 1) b.p.regions.back().level = 2;
    }
    b.p.costs.threads = 2;
    b.p.costs(Interface::gomp, Cost::inner) = {3e3, 4e3};
    b.p.costs(Interface::gomp, Cost::region) = {3e3, 4e3};
    const std::vector<Finding> found = find_problems(b.p);
    const auto at = std::ranges::find(found, ProblemKind::short_regions, &Finding::kind);
    ASSERT_NE(at, found.end());
    EXPECT_EQ(at->source, line);
    EXPECT_EQ(at->gain_ns, team == 1 ? 20 * 3 * us / 2 : 20 * 2 * us) << team;
  }
}

// Each thread idles a tenth of its time, in equal shares: nobody knows why, but where. Most of it is at one place, or
// there is no single reason.
TEST(Phases, NeverSilentWhereThreadsIdle) {
  Builder b(10 * ms, 2);
  const uint32_t line = b.source("a.c", 5, "parallel", "main"), barrier = b.source("a.c", 9, "barrier", "main");
  region_of(b, line, barrier, 0, {{9 * ms}, {9 * ms}}, 0, 10 * ms);
  b.p.waits.push_back({barrier, 2, 0, 0, 1500 * us});
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, ProblemKind::waiting);
  EXPECT_EQ(found[0].source, barrier);
  EXPECT_EQ(found[0].gain_ns, 1 * ms);
  EXPECT_EQ(found[0].what,
            "threads wait for 10.0 % of their time, 75.0 % of it at the barrier (2 waits, 0.75 ms each)");
  EXPECT_EQ(verdict(b.p, found).find("no problem found"), std::string::npos) << verdict(b.p, found);
  b.p.waits[0].idle = 2 * ms;
  EXPECT_EQ(find_problems(b.p).at(0).what,
            "threads wait at the barrier for 10.0 % of their time (2 waits, 1.0 ms each)");
  b.p.waits[0].idle = 900 * us;
  EXPECT_EQ(find_problems(b.p).at(0).what,
            "threads wait for 10.0 % of their time, for no single reason; 45.0 % of it here, at the barrier");
}

// Three threads where four CPUs could be used: a quarter. Not where one of them has a team of two inside.
TEST(Phases, TeamsSmallerThanTheCpus) {
  Builder b(10 * ms, 3);
  b.p.cpus = 4;
  const uint32_t line = b.source("a.c", 5, "parallel", "main"), inner = b.source("a.c", 7, "parallel", "main");
  region_of(b, line, line, 0, {{10 * ms}, {10 * ms}, {10 * ms}}, 0, 10 * ms);
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, ProblemKind::few_threads);
  EXPECT_EQ(found[0].gain_ns, 2500 * us);
  EXPECT_EQ(found[0].what, "teams of 3 threads, where 4 CPUs could be used");
  b.region(inner, 1 * ms, 2 * ms, 2);
  b.p.regions.back().level = 2;
  b.p.regions.back().parent_grain = 1;  // the first implicit task
  EXPECT_TRUE(find_problems(b.p).empty());
}

// Two deferred tasks, one of which ran three of 2 ms at once: 7 ms that nobody could share, beside 1 ms.
TEST(Phases, ATaskCountsWithThoseThatItRanAtOnce) {
  Builder b(7 * ms, 2);
  const uint32_t line = b.source("fib.c", 20, "parallel", "main"), task = b.source("fib.c", 10, "task", "fib");
  b.region(line, 0, 7 * ms, 2);
  const uint32_t implicit = b.grain(GrainKind::implicit, 0, line, 0);
  const uint32_t large = b.grain(GrainKind::task, implicit, task, 1 * ms, 200);
  b.grain(GrainKind::task, implicit, task, 1 * ms, 200);
  for (int i = 0; i < 3; ++i) {
    const uint32_t part = b.grain(GrainKind::task, large, task, 2 * ms, -1);
    b.p.grains[part].flags |= kUndeferred;
  }
  b.spent(0, State::work, 7 * ms);
  b.spent(1, State::work, 1 * ms);
  b.spent(1, State::idle, 6 * ms);
  b.waited(b.source("fib.c", 12, "taskwait", "fib"), 1, 2, 0, 6 * ms);
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, ProblemKind::too_coarse);
  EXPECT_NE(found[0].what.find("longest 7.0 ms"), std::string::npos) << found[0].what;
  EXPECT_NE(found[0].advice.find("An if clause, or final"), std::string::npos) << found[0].advice;
}

// Recorded, the tasks of fine_sort() cost 0.9 ms; without recording 100 ns each, 0.3 ms, a third: 0.15 ms for each of
// two threads.
TEST(Phases, PromisesAreOfTheUnrecordedProgram) {
  Profile p = fine_sort();
  EXPECT_FALSE(recording_slowed(p, compute_metrics(p)).has_value());
  p.costs.threads = 2;
  p.costs(Interface::gomp, Cost::task) = {100, 250};
  const std::vector<Finding> found = find_problems(p);
  const auto fine =
      std::find_if(found.begin(), found.end(), [](const Finding& f) { return f.kind == ProblemKind::tasks_too_fine; });
  ASSERT_NE(fine, found.end());
  EXPECT_EQ(fine->gain_ns, 150 * us);
  EXPECT_NE(
      fine->evidence[0].find("0.90 ms of thread time for creating and fetching them as recorded, 0.30 ms without"),
      std::string::npos)
      << fine->evidence[0];
  EXPECT_EQ(recording_slowed(p, compute_metrics(p)), 225 * us);  // 3000 x 150 ns, by two threads
  EXPECT_NE(text_report(p, {}).find("warning: recording slowed the program by about 0.23 ms (12.3 %)"),
            std::string::npos)
      << text_report(p, {});
  const nlohmann::json j = nlohmann::json::parse(json_report(p));
  EXPECT_NEAR(j["recording_slowed_seconds"].get<double>(), 225e-6, 1e-12);
  EXPECT_EQ(check_schema(j.dump()), 0);
}

namespace {

Finding fine_of(const Profile& p) {
  for (const Finding& f : find_problems(p))
    if (f.kind == ProblemKind::tasks_too_fine) return f;
  return {};
}

}  // namespace

// A task that another thread takes costs both more than one that its maker runs: 1500 x 100 ns and 1500 x 300 ns, of
// which thread 0, that made them all, bears the first and half of the second. Recorded they cost the same: nothing is
// slowed.
TEST(Phases, TasksThatAreHandedOverCostMore) {
  Profile p = fine_sort();
  for (Grain& g : p.grains) g.creator = 0;
  p.costs.threads = 2;
  p.costs(Interface::gomp, Cost::task) = {100, 100};
  EXPECT_EQ(fine_of(p).gain_ns, 225 * us);  // not told of handing over: 3000 x 100 ns; thread 0 bears three quarters
  p.costs(Interface::gomp, Cost::handed_over) = {300, 300};
  EXPECT_EQ(fine_of(p).gain_ns, 375 * us);  // 150 + 225 us of thread 0, where thread 1 has as much idle time
  EXPECT_EQ(recording_slowed(p, compute_metrics(p)), 0);
}

// Shorter than it takes to hand them over: their maker would run them at once. 1500 x 100 + 1500 x 20 ns.
TEST(Phases, TinyTasksAreRunAtOnceWhereNobodyRecords) {
  Profile p = fine_sort();
  for (Grain& g : p.grains) {
    g.creator = 0;
    if (g.kind == GrainKind::task) g.exec = 50;
  }
  p.costs.threads = 2;
  p.costs(Interface::gomp, Cost::task) = {100, 100};
  p.costs(Interface::gomp, Cost::handed_over) = {300, 300};
  p.costs(Interface::gomp, Cost::at_once) = {20, 50};
  EXPECT_EQ(fine_of(p).gain_ns, 165 * us);
}

// 10,000 tasks of 100 ns which their creator runs at once, as the runtime found them too short for the other thread,
// which idles for 2 ms. Recording adds 50 ns to each: wall 2 - 0.5 ms, work 2 - 0.6 ms, so larger tasks may gain 1.5
// - 1.4 / 2 = 0.8 ms; the creator bears 10,000 x (10 + 100) ns, and (0.1 + 2) / 2 = 1.05 ms.
TEST(Phases, TasksThatTheRuntimeFoundTooShortKeepWorkFromOthers) {
  Builder b(2 * ms, 2);
  const uint32_t region = b.source("a.c", 5, "parallel", "main"), task = b.source("a.c", 9, "task", "main");
  b.region(region, 0, 2 * ms, 2);
  const uint32_t implicit = b.grain(GrainKind::implicit, 0, region, 0);
  b.grain(GrainKind::share, implicit, region, 1 * ms);
  for (int i = 0; i < 10000; ++i)
    b.p.grains[b.grain(GrainKind::task, implicit, task, 100, 0)].flags |= einkorn::profile::kInlined;
  b.grain(GrainKind::implicit, 0, region, 0);
  b.spent(0, State::work, 2 * ms);
  b.spent(1, State::idle, 2 * ms);
  b.waited(region, 1, 10000, 0, 2 * ms);
  b.p.costs.threads = 2;
  b.p.costs(Interface::gomp, Cost::at_once) = {10, 60};
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u) << "the idle time that follows from it is told once";
  EXPECT_EQ(found[0].kind, ProblemKind::tasks_too_fine);
  EXPECT_EQ(found[0].gain_ns, 800 * us);
  EXPECT_NE(found[0].what.find("run at once by their creator, as handing them over would take longer"),
            std::string::npos)
      << found[0].what;
  EXPECT_NE(
      found[0].evidence[0].find("0.10 ms of thread time for creating and fetching them as recorded, 0.10 ms without"),
      std::string::npos)
      << found[0].evidence[0];
  EXPECT_NE(found[0].evidence[1].find("10,000 of them kept 1.0 ms of work from the other threads"), std::string::npos)
      << found[0].evidence[1];
  // In a team of one nobody else is there.
  b.p.regions[0].team = 1;
  for (const Finding& f : find_problems(b.p)) EXPECT_NE(f.gain_ns, 800 * us) << f.what;
}

// Recorded, one thread makes the pieces of a taskloop; else its threads divide them among them. 3000 x 80 ns, each by
// who runs it.
TEST(Phases, PiecesOfATaskloopCostWhatTheyCostUnrecorded) {
  Profile p = fine_sort();
  for (Grain& g : p.grains) {
    g.creator = 0;
    if (g.kind == GrainKind::task) g.iterations = 1, g.exec = 100;
  }
  p.costs.threads = 2;
  p.costs(Interface::gomp, Cost::task) = {100, 250};
  p.costs(Interface::gomp, Cost::handed_over) = {300, 300};
  p.costs(Interface::gomp, Cost::piece) = {80, 280};
  EXPECT_EQ(fine_of(p).gain_ns, 120 * us);
  EXPECT_EQ(recording_slowed(p, compute_metrics(p)), 300 * us);
}

TEST(Phases, WithoutKnownCostsAPromiseSaysSo) {
  Profile p = fine_sort();
  const std::string said = "of the program as recorded: what recording adds was not measured on its machine";
  EXPECT_EQ(fine_of(p).evidence.back(), said);
  p.costs.threads = 2;
  p.costs(Interface::gomp, Cost::task) = {100, 250};
  EXPECT_NE(fine_of(p).evidence.back(), said);
}
