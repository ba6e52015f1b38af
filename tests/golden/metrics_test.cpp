// Every metric of the golden programs, against values worked out by hand: golden_metrics.h, and here for lines and
// programs.
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include "../scratch.h"
#include "describe.h"
#include "golden_depend.h"
#include "golden_metrics.h"
#include "golden_programs.h"
#include "profile/metrics.h"
#include "profile/profile.h"

namespace einkorn {
namespace {

using namespace test;
using profile::Metric;
using profile::MetricLevel;
using profile::Metrics;
using enum profile::Metric;

profile::Profile load(const GrainFile& file) {
  const std::string path = scratch(".grain");
  file.save(path);
  profile::Profile p;
  profile::LoadError error;
  profile::LoadOptions options;
  options.symbolize = false;
  EXPECT_TRUE(profile::load(path, options, p, error)) << error.message;
  remove(path.c_str());
  return p;
}

Metrics metrics(const profile::Profile& p, int64_t interval) {
  profile::MetricOptions options;
  options.interval_ns = interval;
  return profile::compute_metrics(p, options);
}

std::string text(double v) {
  char out[32];
  snprintf(out, sizeof out, "%.6g", v);
  return std::isnan(v) ? "-" : out;
}

// As the lines of golden_metrics.h, less their spacing.
std::vector<std::string> grain_lines(const profile::Profile& p, const Metrics& m) {
  const Description names(p, {});
  std::vector<std::string> out;
  for (uint32_t g = 0; g < p.grains.size(); ++g) {
    if (p.grains[g].kind == profile::GrainKind::initial || p.grains[g].kind == profile::GrainKind::implicit) continue;
    std::string line = names.grain(g);
    for (Metric metric : {exec, creation, parallelization, parallel_benefit, parallelism_optimistic,
                          parallelism_conservative, scatter, idle_caused, subtree_work, critical}) {
      if (metric == parallelism_optimistic || metric == scatter) line += " |";
      line += ' ' + text(double(m.of_grain(metric, g)));
    }
    out.push_back(line);
    for (Metric metric : {work_deviation, memory_utilization, remote_share})
      EXPECT_TRUE(std::isnan(m.of_grain(metric, g)));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> expected_lines(const char* all) {
  std::vector<std::string> out;
  for (const std::string& line : lines_of(all)) {
    std::istringstream in(line);
    std::string words;
    for (std::string word; in >> word;) words += (words.empty() ? "" : " ") + word;
    out.push_back(words);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// All metrics of the program: what `expected` does not have is absent.
void expect_program(const Metrics& m, const std::map<Metric, double>& expected) {
  // No estimate is above what is possible at most.
  EXPECT_LE(m[brent_speedup], m[speedup_bound] * (1 + 1e-9));
  EXPECT_LE(m[burdened_speedup], m[speedup_bound] * (1 + 1e-9));
  for (const profile::MetricInfo& i : profile::metrics_table()) {
    if (i.level() != MetricLevel::program) continue;
    const auto it = expected.find(i.metric);
    if (it == expected.end()) EXPECT_TRUE(std::isnan(m[i.metric])) << i.key << " is " << m[i.metric];
    else EXPECT_NEAR(m[i.metric], it->second, 1e-9 * std::max(1., std::fabs(it->second))) << i.key;
  }
}

// Load balance and that by chains of the source with this construct at this address.
void expect_source(const profile::Profile& p, const Metrics& m, const char* construct, uint64_t address, double balance,
                   double chains) {
  for (uint32_t s = 0; s < p.sources.size(); ++s) {
    if (p.sources[s].construct != construct || p.sources[s].address != address) continue;
    EXPECT_NEAR(double(m.of_source(load_balance, s)), balance, 1e-6) << construct << " " << address;
    EXPECT_NEAR(double(m.of_source(longest_to_chain, s)), chains, 1e-6) << construct << " " << address;
    return;
  }
  ADD_FAILURE() << "no " << construct << " at " << address;
}

struct Level {
  uint64_t tasks;
  double exec, parallelization, idle;
};
void expect_cut_off(const Metrics& m, const std::vector<Level>& expected) {
  ASSERT_EQ(m.cut_off.size(), expected.size());
  for (size_t d = 0; d < expected.size(); ++d) {
    EXPECT_EQ(m.cut_off[d].tasks, expected[d].tasks);
    EXPECT_NEAR(m.cut_off[d].exec, expected[d].exec, 1e-9);
    EXPECT_NEAR(m.cut_off[d].parallelization, expected[d].parallelization, 1e-9);
    EXPECT_NEAR(m.cut_off[d].idle, expected[d].idle, 1e-9);
  }
}

// T1 = 180 serial + 43 + 155, on two threads, region 100-320 of 400.
TEST(Metrics, TasksOfFigure53) {
  const profile::Profile p = load(figure53_tasks());
  const Metrics m = metrics(p, 10);
  EXPECT_EQ(grain_lines(p, m), expected_lines(kFigure53TasksMetrics));
  expect_source(p, m, "parallel", 0x1000, 35 / 21.5, 35 / 21.5);  // 35 and 8
  expect_source(p, m, "task", 0x2000, 2, 1);                      // each on one thread
  expect_source(p, m, "task", 0x3000, 2, 1);
  expect_source(p, m, "task", 0x4000, 2, 1);
  // Fetching: 20 at the taskwait, 30 and 16 at the barrier: 22 a task. One task at depth 0 with 155 below it, two of 60
  // at most.
  expect_cut_off(m, {{1, 155, 5 + 22, 155}, {3, 155. / 3, (20 + 66) / 3., 60. / 3}});
  expect_program(m, {{work, 378},
                     {span, 310},
                     {burdened_span, 340},
                     {parallelism, 378. / 310},
                     {burdened_parallelism, 378. / 340},
                     {threads, 2},
                     {time_bound, 310},
                     {speedup, 378. / 400},
                     {speedup_bound, 378. / 310},
                     {brent_speedup, 378 / (310 + 68 / 2.)},
                     {burdened_speedup, 378 / (189 + 0.5 * 1.7 * 340)},
                     {split_work, 378},
                     {split_overhead, 106},
                     {split_idle, 109},
                     {split_offcpu, 0},
                     {too_fine, (20 + 66) / 155.},
                     {too_coarse, 60 / 99.},
                     {far_from_creator, (55 + 40) / 155.}});  // baz ran where it was created
  EXPECT_EQ(m.over_time.begin, 110);
  EXPECT_EQ(m.over_time.interval, 10);
  EXPECT_EQ(m.over_time.optimistic, (std::vector<uint32_t>{2, 1, 0, 1, 1, 0, 0, 1, 0, 0, 2, 2, 2, 1, 1, 1, 0, 1, 1}));
  EXPECT_EQ(m.over_time.conservative, (std::vector<uint32_t>{1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 2, 2, 2, 1, 1, 1, 0, 1, 0}));
}

TEST(Metrics, LoopOfFigure53) {
  const profile::Profile p = load(figure53_loop());
  const Metrics m = metrics(p, 20);
  EXPECT_EQ(grain_lines(p, m), expected_lines(kFigure53LoopMetrics));
  expect_source(p, m, "loop", 0x1000, 130 / 124., 70 / 124.);  // chains of 118 and 130: the figure's load balance
  expect_source(p, m, "parallel", 0x1000, 7 / 5.5, 5 / 5.5);
  EXPECT_TRUE(m.cut_off.empty());
  expect_program(m, {{work, 379},
                     {span, 194},
                     {burdened_span, 210},
                     {parallelism, 379. / 194},
                     {burdened_parallelism, 379. / 210},
                     {threads, 2},
                     {time_bound, 194},
                     {speedup, 379. / 300},
                     {speedup_bound, 379. / 194},
                     {brent_speedup, 379 / (194 + 185 / 2.)},
                     {burdened_speedup, 379 / (189.5 + 0.5 * 1.7 * 210)},
                     {split_work, 379},
                     {split_overhead, 61},
                     {split_idle, 10},
                     {split_offcpu, 0}});
}

// Fetching 34 in all, 4.25 a task. By depth: 2, 4 and 2 tasks; longest subtrees 55, 30, 9; creation 4, 6, 2.
TEST(Metrics, FibWithAStolenTask) {
  const profile::Profile p = load(fib4());
  const Metrics m = metrics(p, 10);
  EXPECT_EQ(grain_lines(p, m), expected_lines(kFib4Metrics));
  expect_source(p, m, "task", 0x2000, 42 / 23.5, 18 / 23.5);
  expect_source(p, m, "task", 0x3000, 1, 9 / 13.);
  expect_source(p, m, "parallel", 0x1000, 24 / 13.5, 21 / 13.5);
  expect_cut_off(m, {{2, 73 / 2., (4 + 8.5) / 2, 55 / 2.},
                     {6, 73 / 6., (10 + 25.5) / 6, 30 / 6.},
                     {8, 73 / 8., (12 + 34) / 8., 9 / 8.}});
  expect_program(m, {{work, 125},
                     {span, 68},
                     {burdened_span, 84},
                     {parallelism, 125. / 68},
                     {burdened_parallelism, 125. / 84},
                     {threads, 2},
                     {time_bound, 68},
                     {speedup, 125. / 140},
                     {speedup_bound, 125. / 68},
                     {brent_speedup, 125 / (68 + 57 / 2.)},
                     {burdened_speedup, 125 / (62.5 + 0.5 * 1.7 * 84)},
                     {split_work, 125},
                     {split_overhead, 61},
                     {split_idle, 50},
                     {split_offcpu, 0},
                     {cut_off, 1},  // 30 / 6 idle <= 35.5 / 6
                     {too_fine, (12 + 34) / 73.},
                     {too_coarse, 18 / 50.},
                     {far_from_creator, 18 / 73.}});
}

// A team of two for 118, and inside of it one of two for 33, whose primary thread counts there only: (236 + 33) / 118
// threads.
TEST(Metrics, NestedRegionTaskgroupAndRogueTasks) {
  const profile::Profile p = load(nested());
  const Metrics m = metrics(p, 10);
  EXPECT_EQ(grain_lines(p, m), expected_lines(kNestedMetrics));
  expect_source(p, m, "parallel", 0x1000, 23 / 13., 14 / 13.);
  expect_source(p, m, "parallel", 0x5000, 9 / 6., 9 / 6.);
  expect_source(p, m, "task", 0x2000, (26 + 10) / (21.5 + 5), (10 + 10) / (21.5 + 10));  // outer and inner region
  const double t = 269 / 118.;
  // Fetching 3 at the group's end, 14 and 7 at the barriers: 4 a task.
  expect_cut_off(m, {{3, 53 / 3., (7 + 12) / 3., (t - 1) * 32 / 3}, {6, 53 / 6., (11 + 24) / 6., (t - 1) * 10 / 6}});
  expect_program(m, {{work, 123},
                     {span, 85},
                     {burdened_span, 101},
                     {parallelism, 123. / 85},
                     {burdened_parallelism, 123. / 101},
                     {threads, t},
                     {time_bound, 85},
                     {speedup, 123. / 150},
                     {speedup_bound, 123. / 85},
                     {brent_speedup, 123 / (85 + 38 / t)},
                     {burdened_speedup, 123 / (123 / t + (1 - 1 / t) * 1.7 * 101)},
                     {split_work, 123},
                     {split_overhead, 45},
                     {split_idle, 113},
                     {split_offcpu, 0},
                     {too_fine, (11 + 24) / 53.},
                     {too_coarse, (10 + 10) / (69 / 2. + 22 / 2.)},
                     {far_from_creator, 18 / 53.}});
}

// One thread creates all seven, 120-180: one every 10, for the one other thread; the mean task takes 130 / 7.
TEST(Metrics, TasksThatDepend) {
  const profile::Profile p = load(depend_tasks());
  const Metrics m = metrics(p, 50);
  EXPECT_EQ(grain_lines(p, m), expected_lines(kDependTasksMetrics));
  expect_source(p, m, "task", 0x2000, 2, 40 / 130.);
  expect_source(p, m, "parallel", 0x1000, 66 / 34.5, 66 / 34.5);
  expect_cut_off(m, {{7, 130 / 7., (14 + 58) / 7., 40 / 7.}});
  expect_program(m, {{work, 319},
                     {span, 245},
                     {burdened_span, 257},
                     {parallelism, 319. / 245},
                     {burdened_parallelism, 319. / 257},
                     {threads, 2},
                     {time_bound, 245},
                     {speedup, 319. / 400},
                     {speedup_bound, 319. / 245},
                     {largest_hold, 5 + 40},
                     {brent_speedup, 319 / (290 + 29 / 2.)},
                     {burdened_speedup, 319 / (159.5 + 0.5 * 1.7 * 257)},
                     {split_work, 319},
                     {split_overhead, 92},
                     {split_idle, 249},
                     {split_offcpu, 0},
                     {too_fine, 72 / 130.},
                     {too_coarse, 40 / 99.5},
                     {creation_bottleneck, 10. * 7 / 130},
                     {far_from_creator, 0}});
}

// Created at 120, 130, 250 and 270, one every 10; the third is a part of its creator.
TEST(Metrics, WaitsForSomeTasks) {
  const profile::Profile p = load(depend_waits());
  const Metrics m = metrics(p, 40);
  EXPECT_EQ(grain_lines(p, m), expected_lines(kDependWaitsMetrics));
  for (uint32_t g = 0; g < p.grains.size(); ++g)
    EXPECT_EQ(m.estimated[g], (p.grains[g].flags & profile::kUndeferred) != 0);
  expect_source(p, m, "task", 0x2000, 2, 50 / 100.);
  expect_source(p, m, "task", 0x3000, 2, 1);
  expect_source(p, m, "parallel", 0x1000, 49 / 26., 26 / 26.);
  expect_cut_off(m, {{3, 115 / 3., (6 + 35) / 3., 50 / 3.}});
  expect_program(m, {{work, 347},
                     {span, 288},
                     {burdened_span, 304},
                     {parallelism, 347. / 288},
                     {burdened_parallelism, 347. / 304},
                     {threads, 2},
                     {time_bound, 288},
                     {speedup, 347. / 400},
                     {speedup_bound, 347. / 288},
                     {brent_speedup, 347 / (288 + 59 / 2.)},
                     {burdened_speedup, 347 / (173.5 + 0.5 * 1.7 * 304)},
                     {split_work, 347},
                     {split_overhead, 61},
                     {split_idle, 192},
                     {split_offcpu, 0},
                     {too_fine, 41 / 115.},
                     {too_coarse, 50 / 83.5},
                     {creation_bottleneck, 10. * 4 / 115},
                     {far_from_creator, 0}});
}

// A chunk and the implicit task around it make two tasks each, with creations of 4; the loop's barrier, where all four
// are run, has 40 of overhead: 10 for each, whoever made it.
TEST(Metrics, TasksMadeInAChunkCostTheirImplicitTask) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000);
  const uint32_t loop = file.site(Construct::loop, 0x1000), task = file.site(Construct::task, 0x2000);
  Script& a = file.thread(Script::kInitial);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 1).at(110).implicit_begin(0, region);
  std::vector<uint64_t> made;
  made.push_back(a.at(120).create(task, 4));
  made.push_back(a.at(130).create(task, 4));
  a.at(140).loop_begin(loop, 1, 1).at(145).chunk(0);
  made.push_back(a.at(150).create(task, 4));
  made.push_back(a.at(160).create(task, 4));
  a.at(170).chunk_end().at(175).loop_end();
  a.at(180).wait_begin(end);
  uint64_t at = 180;
  for (uint64_t t : made)
    a.at(at + 8).start(t), a.at(at += 28).end();  // 8 of overhead before each, and behind the last one
  a.at(at + 8).wait_end().implicit_end().at(at + 10).region_end().at(400).thread_end();
  const profile::Profile p = load(file);
  const Metrics m = profile::compute_metrics(p);
  int tasks = 0;
  for (uint32_t g = 0; g < p.grains.size(); ++g) {
    if (p.grains[g].kind != profile::GrainKind::task) continue;
    ++tasks;
    EXPECT_FLOAT_EQ(m.of_grain(parallelization, g), 4 + 40 / 4.f) << g;
    EXPECT_FLOAT_EQ(m.of_grain(parallel_benefit, g), 20 / 14.f) << g;
  }
  EXPECT_EQ(tasks, 4);
}

// A thread makes a task in each of three chunks and waits for it there: it is never held up by making them.
TEST(Metrics, WaitsInChunksAreNoTimeToCreate) {
  for (const bool waits : {true, false}) {
    GrainFile file;
    const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                   end = file.site(Construct::barrier_parallel, 0x1000);
    const uint32_t task = file.site(Construct::task, 0x2000), loop = file.site(Construct::loop, 0, 0x1200);
    const uint32_t wait = file.site(Construct::taskwait, 0, 0x1300);
    Script& a = file.thread(Script::kInitial);
    Script& b = file.thread(Script::kWorker, 5);
    const uint64_t region = a.new_region();
    a.at(10).region_begin(parallel, region, 2).at(20).implicit_begin(0, region).at(30).loop_begin(loop, 3, 1);
    b.at(20).implicit_begin(1, region).at(21).wait_begin(end);
    std::vector<uint64_t> made;
    for (uint32_t i = 0; i < 3; ++i) {
      a.at(50 + 100 * i).chunk(i);
      made.push_back(a.at(60 + 100 * i).create(task, 2));
      if (waits) a.at(70 + 100 * i).wait_begin(wait);
      b.at(71 + 100 * i).start(made.back()).at(111 + 100 * i).end();
      if (waits) a.at(112 + 100 * i).wait_end();
      a.at(140 + 100 * i).chunk_end();
    }
    a.at(350)
        .loop_end()
        .at(360)
        .wait_begin(end)
        .at(370)
        .wait_end()
        .implicit_end()
        .at(371)
        .region_end()
        .at(380)
        .thread_end();
    b.at(370).wait_end().implicit_end();
    const Metrics m = profile::compute_metrics(load(file));
    EXPECT_FLOAT_EQ(float(m[creation_bottleneck]), waits ? 0 : 100 / 40.f);
  }
}

// Ten tasks of 100 in a row, each on the other thread than the one before: one at a time, however the intervals lie.
TEST(Metrics, AChainOfSingleTasksHasAParallelismOfOne) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000);
  const uint32_t task = file.site(Construct::task, 0x2000, 0, record::kSiteHasDepend);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 5);
  const uint64_t region = a.new_region();
  a.at(10).region_begin(parallel, region, 2).at(12).implicit_begin(0, region);
  b.at(12).implicit_begin(1, region).at(14).wait_begin(end);
  std::vector<uint64_t> made;
  for (uint64_t i = 0; i < 10; ++i) {
    made.push_back(a.at(20 + 2 * i).create(task, 1));
    a.depend(0x7000, record::kDependOut);
  }
  a.at(40).wait_begin(end);
  for (uint64_t i = 0; i < 10; ++i) (i % 2 ? b : a).at(50 + 101 * i).start(made[i]).at(150 + 101 * i).end();
  b.at(1070).wait_end().implicit_end();
  a.at(1070).wait_end().implicit_end().at(1080).region_end().at(1100).thread_end();
  const profile::Profile p = load(file);
  for (const int64_t interval : {30, 70, 100, 101, 130}) {
    const Metrics m = metrics(p, interval);
    for (uint32_t g = 0; g < p.grains.size(); ++g)
      if (p.grains[g].kind == profile::GrainKind::task) {
        EXPECT_EQ(m.of_grain(parallelism_optimistic, g), 1) << g << " by " << interval;
      }
  }
}

// foo took 50 alone, bar 20, baz 60; all work 360.
TEST(Metrics, AgainstABaseline) {
  const profile::Profile p = load(figure53_tasks());
  std::vector<float> before(p.grains.size(), NAN);
  std::map<std::string, float> known = {{"r0.t0/0", 50}, {"r0.t0/0/0", 20}, {"r0.t0/0/1", 60}};
  const Description names(p, {});
  for (uint32_t g = 0; g < p.grains.size(); ++g)
    if (known.count(names.grain(g))) before[g] = known[names.grain(g)];
  profile::MetricOptions options;
  options.baseline = {&before, 360};
  const Metrics m = profile::compute_metrics(p, options);
  std::map<std::string, std::string> found;
  for (uint32_t g = 0; g < p.grains.size(); ++g) found[names.grain(g)] = text(double(m.of_grain(work_deviation, g)));
  EXPECT_EQ(found["r0.t0/0"], "1.1");
  EXPECT_EQ(found["r0.t0/0/0"], "2");
  EXPECT_EQ(found["r0.t0/0/1"], "1");
  EXPECT_EQ(found["r0.t0.s0"], "-");
  EXPECT_EQ(m[split_work], 360);
  EXPECT_EQ(m[split_inflation], 18);
  EXPECT_DOUBLE_EQ(m[inflation_speedup], 2 * 360. / 378);
}

// Four tasks of one parent on two nodes at distance 21: three here, one there: three pairs at 10 and three at 21.
// Footprints: 100 of 400 known bytes elsewhere; all of 64 here; 70 % known is not enough.
TEST(Metrics, NodesAndData) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000);
  const uint32_t task = file.site(Construct::task, 0x2000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 5);
  a.at(0).cpu(0, 0);
  b.at(5).cpu(4, 1);
  const uint64_t region = a.new_region();
  a.at(10).region_begin(parallel, region, 2);
  a.at(12).implicit_begin(0, region);
  std::vector<uint64_t> id;
  for (uint64_t i = 0; i < 4; ++i) id.push_back(a.at(20 + 10 * i).create(task, 1));
  a.at(60).wait_begin(end);
  auto run = [&](Script& s, uint64_t at, uint64_t which, uint64_t bytes, uint64_t known, uint64_t here, uint64_t there,
                 uint32_t node) {
    s.at(at).start(which);
    if (bytes) s.put(Kind::footprint, 0, {bytes, known});
    if (here) s.put(Kind::footprint_node, node, {here, 0});
    if (there) s.put(Kind::footprint_node, 1 - node, {0, there});
    s.at(at + 10).end();
  };
  run(a, 61, id[0], 500, 400, 300, 100, 0);
  run(a, 72, id[1], 64, 64, 64, 0, 0);
  run(a, 83, id[2], 100, 70, 0, 70, 0);
  a.at(95).wait_end().implicit_end();
  a.at(99).region_end().at(100).thread_end();
  b.at(14).implicit_begin(1, region);
  b.at(15).wait_begin(end);
  run(b, 61, id[3], 0, 0, 0, 0, 1);
  b.at(96).wait_end().implicit_end();
  const profile::Profile p = load(file);
  profile::MetricOptions options;
  options.node_distance = {10, 21, 21, 10};
  const Metrics m = profile::compute_metrics(p, options);
  EXPECT_EQ(m.distance, "node distance");
  EXPECT_EQ(m.remote_distance, 21);
  EXPECT_EQ(m.thresholds[size_t(scatter)], 10);
  std::vector<std::string> shares;
  for (uint32_t g = 0; g < p.grains.size(); ++g) {
    if (p.grains[g].kind != profile::GrainKind::task) continue;
    EXPECT_EQ(m.of_grain(scatter, g), 15.5f);
    shares.push_back(text(double(m.of_grain(remote_share, g))));
  }
  EXPECT_EQ(shares, (std::vector<std::string>{"0.25", "0", "-", "-"}));
  EXPECT_EQ(p.footprint_on, (std::vector<uint64_t>{300 + 64, 100 + 70}));
  EXPECT_EQ(m[far_from_creator], 0.25);
}

// A million siblings on a thousand cores: pairs would take hours.
TEST(Metrics, AMillionSiblings) {
  profile::Profile p;
  p.grains.resize(1000001);
  p.grains[0].kind = profile::GrainKind::initial;
  p.grains[0].first_child = 1;
  for (uint32_t i = 1; i < p.grains.size(); ++i) {
    profile::Grain& g = p.grains[i];
    g.parent = 0;
    g.fragments = 1;
    g.cpu = uint16_t(i % 1000);
    g.next_sibling = i + 1 < p.grains.size() ? i + 1 : profile::kNone;
  }
  profile::MetricOptions options;
  options.want_only({scatter});
  // Uniform on 0..999: half of the pairs are at most 293 apart, 1000 (1 - sqrt(1/2)).
  EXPECT_NEAR(double(profile::compute_metrics(p, options).of_grain(scatter, 1)), 293, 1);
}

}  // namespace
}  // namespace einkorn
