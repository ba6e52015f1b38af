// Four small programs whose recordings were written, and whose graphs, paths and state times worked out, by hand.
// recorded_test.cpp holds the recordings of the same programs in C against the same graphs.
#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include "../scratch.h"
#include "describe.h"
#include "golden_by_hand.h"
#include "golden_codelets.h"
#include "golden_depend.h"
#include "golden_procedures.h"
#include "golden_programs.h"
#include "golden_serial.h"
#include "profile/profile.h"

namespace einkorn {
namespace {

using namespace test;
using profile::State;

profile::Profile load(const GrainFile& file) {
  std::string path = scratch(".grain");
  file.save(path);
  profile::Profile p;
  profile::LoadError error;
  profile::LoadOptions options;
  options.symbolize = false;
  EXPECT_TRUE(profile::load(path, options, p, error)) << error.message;
  remove(path.c_str());
  EXPECT_FALSE(p.totals.truncated);
  for (const profile::Edge& e : p.graph.edges) EXPECT_LT(e.from, e.to);
  return p;
}

void expect_graph(const profile::Profile& p, const char* text) { EXPECT_EQ(describe(p), lines_of(text)); }

struct Times {
  int64_t work, overhead, idle, serial;
};

void expect_times(const profile::Thread& t, Times expected) {
  int64_t sum = 0;
  for (int64_t time : t.times) sum += time;
  EXPECT_EQ(sum, t.in_team);
  EXPECT_EQ(t.times[size_t(State::work)], expected.work);
  EXPECT_EQ(t.times[size_t(State::overhead)], expected.overhead);
  EXPECT_EQ(t.times[size_t(State::idle)], expected.idle);
  EXPECT_EQ(t.times[size_t(State::serial)], expected.serial);
  EXPECT_EQ(sum, expected.work + expected.overhead + expected.idle + expected.serial);
}

TEST(Golden, TasksOfFigure53) {
  profile::Profile p = load(figure53_tasks());
  expect_graph(p, kFigure53Tasks);
  // 100 + 20 + foo (20 + 15 + baz 60 + 15) + 80; with creation: 10 + 5 + 10 + 5 more.
  EXPECT_EQ(p.critical_path_ns, 310);
  EXPECT_EQ(p.burdened_path_ns, 340);
  EXPECT_DOUBLE_EQ(p.parallelism, 378.0 / 310.0);
  expect_times(p.threads[0], {75, 55, 90, 180});
  expect_times(p.threads[1], {123, 51, 19, 0});
  EXPECT_EQ(p.threads[0].in_team, 400);
  EXPECT_EQ(p.threads[1].in_team, 305 - 112);

  ASSERT_EQ(p.grains.size(), 8u);
  const profile::Grain& g = p.grains[p.grains[3].parent == 1 && p.grains[3].kind == profile::GrainKind::task ? 3 : 4];
  EXPECT_EQ(g.kind, profile::GrainKind::task);
  EXPECT_EQ(g.exec, 55);
  EXPECT_EQ(g.wait, 80);
  EXPECT_EQ(g.children, 2u);
  EXPECT_EQ(g.fragments, 4u);
  EXPECT_EQ(g.thread, 1u);
  EXPECT_EQ(g.creator, 0u);
  EXPECT_EQ(g.create_begin, 130);
  EXPECT_EQ(g.create_cost, 5);
  EXPECT_EQ(g.begin, 145);
  EXPECT_EQ(g.end, 295);
  EXPECT_EQ(p.totals.tasks, 3u);
  EXPECT_EQ(p.chained_tasks, 3u);
  EXPECT_EQ(p.longest_chain, 2u);  // foo, bar or baz
}

TEST(Golden, TasksThatTheirCreatorWaitsFor) {
  GrainFile file = undeferred_tasks();
  profile::Profile p = load(file);
  expect_graph(p, kUndeferredTasks);
  EXPECT_EQ(p.critical_path_ns, 180);
  EXPECT_DOUBLE_EQ(p.parallelism, 190.0 / 180.0);
  EXPECT_EQ(p.chained_tasks, 1u);  // the one that could have been deferred
  for (const profile::Grain& g : p.grains)
    if (g.kind == profile::GrainKind::task) {
      EXPECT_EQ(g.create_cost, -1);  // not 0: nobody has timed it
    }
  // Older files do not tell why the tasks of a team of one ran at once: all may have been by the runtime's choice.
  file.version = record::kVersionAtOnceTold - 1;
  p = load(file);
  EXPECT_EQ(p.chained_tasks, 3u);
  EXPECT_EQ(p.critical_path_ns, 150);
}

TEST(Golden, OrderedLoop) {
  profile::Profile p = load(ordered_loop());
  expect_graph(p, kOrderedLoop);
  EXPECT_EQ(p.critical_path_ns, 100 + 5 + 10 + 40 + 39 + 40 + 40 + 1 + 15);
  EXPECT_EQ(p.burdened_path_ns, 290 + 10 + 5 + 2);
  EXPECT_DOUBLE_EQ(p.parallelism, 325.0 / 290.0);
  const auto blocked = size_t(State::blocked), work = size_t(State::work), overhead = size_t(State::overhead);
  EXPECT_EQ(p.threads[0].times[blocked], 30);
  EXPECT_EQ(p.threads[1].times[blocked], 40 + 31);
  EXPECT_EQ(p.threads[0].times[work], 106);
  EXPECT_EQ(p.threads[1].times[work], 104);
  EXPECT_EQ(p.threads[0].times[overhead], 69);
  EXPECT_EQ(p.threads[1].times[overhead], 12);
  ASSERT_EQ(p.locks.size(), 1u);
  EXPECT_EQ(p.locks[0].acquired, 4u);
  EXPECT_EQ(p.locks[0].contended, 3u);
  EXPECT_EQ(p.locks[0].held, 159);
  EXPECT_EQ(p.locks[0].waited, 101);
  const auto turn =
      std::find_if(p.waits.begin(), p.waits.end(), [&](auto& w) { return p.sources[w.source].construct == "ordered"; });
  ASSERT_NE(turn, p.waits.end());
  EXPECT_EQ(turn->waits, 3u);
  EXPECT_EQ(turn->blocked, 101);
}

TEST(Golden, LoopOfFigure53) {
  profile::Profile p = load(figure53_loop());
  expect_graph(p, kFigure53Loop);
  // The longest chunk, not the chain of a thread's chunks: 100 + 3 + 70 + 1 + 20. Burdened: the fork 10, the
  // book-keeping before the chunk 3 and that of the loop's end 3.
  EXPECT_EQ(p.critical_path_ns, 194);
  EXPECT_EQ(p.burdened_path_ns, 210);
  EXPECT_DOUBLE_EQ(p.parallelism, 379.0 / 194.0);
  expect_times(p.threads[0], {125, 45, 10, 120});
  expect_times(p.threads[1], {134, 16, 0, 0});
  ASSERT_EQ(p.loops.size(), 1u);
  EXPECT_EQ(p.loops[0].iterations, 20u);
  EXPECT_EQ(p.loops[0].chunk, 4u);
  EXPECT_EQ(p.totals.chunks, 5u);
  EXPECT_EQ(p.totals.shares, 4u);
}

TEST(Golden, FibWithAStolenTask) {
  profile::Profile p = load(fib4());
  expect_graph(p, kFib4);
  // 10 + 10 + fib(3) (5 + fib(2) (6 + 4 + 6 + 3) + 6) + 3 + 15.
  EXPECT_EQ(p.critical_path_ns, 68);
  EXPECT_EQ(p.burdened_path_ns, 84);
  EXPECT_DOUBLE_EQ(p.parallelism, 125.0 / 68.0);
  expect_times(p.threads[0], {42, 35, 38, 25});
  expect_times(p.threads[1], {58, 26, 12, 0});
  EXPECT_EQ(p.totals.tasks, 8u);
}

TEST(Golden, NestedRegionTaskgroupAndRogueTasks) {
  profile::Profile p = load(nested());
  expect_graph(p, kNested);
  // 10 + 8 + A 5 + B 10 + 4 + C (3 + 6 + D 10 + 7) + 22; creation on the way: 4 + 2 + 2 + 3 + 4 + 1.
  EXPECT_EQ(p.critical_path_ns, 85);
  EXPECT_EQ(p.burdened_path_ns, 101);
  EXPECT_DOUBLE_EQ(p.parallelism, 123.0 / 85.0);
  expect_times(p.threads[0], {59, 32, 27, 32});
  expect_times(p.threads[1], {29, 10, 69, 0});
  expect_times(p.threads[2], {3, 3, 17, 0});
  ASSERT_EQ(p.regions.size(), 2u);
  EXPECT_EQ(p.regions[1].level, 2u);
  EXPECT_EQ(p.grains[p.regions[1].parent_grain].kind, profile::GrainKind::task);
}

TEST(Golden, CodeletsOfAGraph) {
  profile::Profile p = load(codelet_diamond());
  expect_graph(p, kCodeletDiamond);
  // 100 + 40 + codelets 0, 2, 3, 4 + 30 + 30; the region's fork takes 10 more. Through codelet 1 a path leads, too, but
  // it takes no time there.
  EXPECT_EQ(p.critical_path_ns, 100 + 40 + 300 + 430 + 300 + 400 + 30 + 30);
  EXPECT_EQ(p.burdened_path_ns, p.critical_path_ns + 10);
  EXPECT_EQ(p.longest_chain, 4u);
  expect_times(p.threads[0], {1085, 80, 405, 130});
  expect_times(p.threads[1], {433, 18, 1099, 0});
  EXPECT_EQ(p.totals.tasks, 5u);
  EXPECT_EQ(p.totals.aggregated_tasks, 1u);
  EXPECT_EQ(p.totals.dependences, 0u);  // none was named
  ASSERT_EQ(p.aggregates.size(), 1u);
  EXPECT_EQ(p.aggregates[0].executed, 1u);
  EXPECT_EQ(p.aggregates[0].exec, 15);
  std::vector<std::pair<uint32_t, int64_t>> codelets;  // node, position in its class
  for (const profile::Grain& g : p.grains)
    if (g.kind == profile::GrainKind::task) codelets.emplace_back(g.ordinal, g.first_iteration);
  EXPECT_EQ(codelets, (std::vector<std::pair<uint32_t, int64_t>>{{0, 0}, {2, 2}, {3, 3}, {4, 0}}));
}

TEST(Golden, ClassesOfAGraph) {
  const profile::Profile p = load(codelet_diamond());
  ASSERT_EQ(p.codelet_graphs.size(), 1u);
  const profile::CodeletGraph& g = p.codelet_graphs[0];
  EXPECT_EQ(g.name, "diamond");
  EXPECT_FALSE(g.procedure);
  EXPECT_EQ(g.runs, 1u);
  ASSERT_EQ(p.codelets.size(), 2u);
  const profile::Codelet &four = p.codelets[0], &last = p.codelets[1];
  // 300, 430 and 300, and one of 15 that was only counted; all but that one are on the critical path.
  EXPECT_EQ(four.executed, 4u);
  EXPECT_EQ(four.recorded, 3u);
  EXPECT_EQ(four.exec, 1045);
  EXPECT_EQ(four.median, 300);
  EXPECT_EQ(four.longest, 430);
  EXPECT_EQ(four.critical, 1030);
  EXPECT_EQ(last.executed, 1u);
  EXPECT_EQ(last.exec, 400);
  EXPECT_EQ(last.critical, 400);
  ASSERT_EQ(p.codelet_arcs.size(), 2u);
  EXPECT_EQ(p.codelet_arcs[0].to, 0u);
  EXPECT_EQ(p.codelet_arcs[0].count, 4u);
  EXPECT_EQ(p.codelet_arcs[1].to, 1u);
  EXPECT_EQ(p.codelet_arcs[1].count, 1u);
}

TEST(Golden, ProceduresByStretch) {
  const profile::Profile p = load(procedures());
  expect_graph(p, kProcedures);
  // 100 + 20 + p 30 + q 100 + p (30 + 10 + 30) + 20; the region's fork takes 10 more, those of p and q 5 each.
  EXPECT_EQ(p.critical_path_ns, 340);
  EXPECT_EQ(p.burdened_path_ns, 360);
  // Thread 0 works from 110 to 130, from 135 to 150, for 60 in p and 50 in q. Nothing of the time in which p had given
  // way is a wait of p's, or idle time within one.
  expect_times(p.threads[0], {145, 60, 105, 120});
  expect_times(p.threads[1], {173, 21, 94, 0});
  const auto instance = std::find_if(p.grains.begin(), p.grains.end(),
                                     [](const profile::Grain& g) { return g.kind == profile::GrainKind::task; });
  ASSERT_NE(instance, p.grains.end());
  EXPECT_EQ(instance->exec, 130);
  EXPECT_EQ(instance->wait, 0);
  EXPECT_EQ(instance->fragments, 6u);
  EXPECT_EQ(instance->begin, 160);
  EXPECT_EQ(instance->end, 380);
  EXPECT_EQ(p.totals.tasks, 3u);
  for (const profile::WaitUse& w : p.waits) EXPECT_NE(p.sources[w.source].construct, "stretch");

  ASSERT_EQ(p.codelet_graphs.size(), 2u);
  EXPECT_EQ(p.codelet_graphs[0].name, "p");
  EXPECT_EQ(p.codelet_graphs[0].runs, 1u);
  EXPECT_EQ(p.codelet_graphs[0].count, 4u);
  EXPECT_EQ(p.codelet_graphs[1].runs, 2u);
  EXPECT_EQ(p.codelet_graphs[1].count, 1u);
  std::vector<std::array<int64_t, 5>> codelets;  // at, executed, exec, median, critical
  for (const profile::Codelet& c : p.codelets)
    codelets.push_back({c.at, int64_t(c.executed), c.exec, c.median, c.critical});
  EXPECT_EQ(codelets,
            (std::vector<std::array<int64_t, 5>>{
                {0, 1, 60, 60, 30}, {1, 1, 30, 30, 30}, {2, 1, 10, 10, 10}, {3, 1, 30, 30, 30}, {0, 2, 150, 50, 100}}));
  std::vector<std::array<uint64_t, 3>> arcs;
  for (const profile::CodeletArc& a : p.codelet_arcs) arcs.push_back({a.from, a.to, a.count});
  EXPECT_EQ(arcs, (std::vector<std::array<uint64_t, 3>>{{0, 1, 1}, {1, 2, 1}, {2, 3, 1}}));
  ASSERT_EQ(p.graph.stretches.size(), 6u);
  const profile::Stretch& third = p.graph.stretches[p.graph.stretch_of[p.graph.nodes.size() - 6]];
  EXPECT_EQ(third.visit, 2u);
}

TEST(Golden, InstancesThatWaitForThoseBesideThem) {
  const profile::Profile p = load(instances_beside());
  expect_graph(p, kInstancesBeside);
  // 100 + 68 of the second + 105 of the first, behind that + 35 of the second, behind the first's end + 20.
  EXPECT_EQ(p.critical_path_ns, 328);
  EXPECT_EQ(p.burdened_path_ns, 338);
  const auto blocked = size_t(State::blocked), work = size_t(State::work), overhead = size_t(State::overhead);
  EXPECT_EQ(p.threads[0].times[work], 145);
  EXPECT_EQ(p.threads[1].times[work], 183);
  EXPECT_EQ(p.threads[0].times[overhead], 70);
  EXPECT_EQ(p.threads[1].times[overhead], 10);
  for (const profile::Thread& t : p.threads) EXPECT_EQ(t.times[blocked], 35);
  EXPECT_EQ(p.totals.shares, 4u);
  // The stretches keep their nodes where these have moved.
  std::vector<int64_t> exec(p.graph.stretches.size());
  for (size_t n = 0; n < p.graph.nodes.size(); ++n)
    if (const uint32_t s = p.graph.stretch_of[n]; s != profile::kNone) exec[s] += p.graph.nodes[n].weight;
  EXPECT_EQ(exec, (std::vector<int64_t>{105, 80, 35}));
}

TEST(Golden, CodeletsByHand) {
  const profile::Profile p = load(by_hand());
  expect_graph(p, kByHand);
  // 100 + 20 + 5 of thread 0, 100 of B, 50 + 30 of F, 30 of F2, 20. Burdened: 10 for the region, A, B and F2 5 each.
  EXPECT_EQ(p.critical_path_ns, 355);
  EXPECT_EQ(p.burdened_path_ns, 380);
  EXPECT_EQ(p.totals.tasks, 4u);
  EXPECT_EQ(p.totals.shares, 2u);
}

// Of whom records are missing nobody knows when its steps were done, or whether it has ended.
TEST(Golden, StepsOfWhomRecordsAreMissing) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2).at(110).implicit_begin(0, region).at(130).behind(1, {1});
  a.at(150).behind(2, {1}).at(200).wait_begin(end).at(300).wait_end().implicit_end().at(310).region_end();
  a.at(320).thread_end();
  b.at(112).implicit_begin(1, region).at(120).step_done(1).at(125).cut();
  b.at(140).step_done(2).lose();
  b.at(200).wait_begin(end).at(300).wait_end().implicit_end();
  const profile::Profile p = load(file);
  EXPECT_EQ(std::count_if(p.graph.edges.begin(), p.graph.edges.end(),
                          [](const profile::Edge& e) { return e.kind == profile::EdgeKind::dependence; }),
            1);
}

// Which of its codelets were recorded is chance: the others, and a run of which none was, count in the names.
TEST(Golden, CodeletsHaveTheSameNamesInEachRecording) {
  auto names = [](bool all) {
    GrainFile file;
    const uint32_t parallel = file.site(Construct::parallel, 0x1000);
    const uint32_t end = file.site(Construct::barrier_parallel, 0x1000);
    const uint32_t run = file.site(Construct::codelet_graph, 0, 0x1100), c = file.site(Construct::codelet, 0x2000);
    const uint32_t graph = file.graph("pair", 2, {{c, 0}}, {{0, 1}});
    Script& a = file.thread(Script::kInitial);
    const uint64_t region = a.new_region();
    a.at(100).region_begin(parallel, region, 1).at(110).implicit_begin(0, region);
    const uint64_t first = a.at(120).graph_run(run, graph);
    if (all) a.at(130).codelet(0, first).at(630).codelet_end().at(640).codelet(1, first).at(1000).codelet_end();
    a.at(1010).wait_end();
    const uint64_t second = a.at(1020).graph_run(run, graph);
    if (all) a.at(1030).codelet(0, second).at(1500).codelet_end();
    a.at(1510).codelet(1, second).at(2000).codelet_end();
    a.at(2010).wait_end().at(2020).wait_begin(end).at(2030).wait_end().implicit_end().at(2040).region_end();
    a.at(2050).thread_end();
    const profile::Profile p = load(file);
    std::vector<std::pair<uint64_t, uint64_t>> out;
    for (const profile::Grain& g : p.grains)
      if (g.kind == profile::GrainKind::task) out.emplace_back(g.id_high, g.id_low);
    return out;
  };
  const auto all = names(true), one = names(false);
  ASSERT_EQ(all.size(), 4u);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0], all[3]);
  EXPECT_NE(all[1], all[3]);
}

TEST(Golden, TasksThatDepend) {
  profile::Profile p = load(depend_tasks());
  expect_graph(p, kDependTasks);
  // 100 + 10 + A 20 + C 30 + E 40 + F 15 + G 10 + 20; creation on the way: 10 + 2.
  EXPECT_EQ(p.critical_path_ns, 245);
  EXPECT_EQ(p.burdened_path_ns, 257);
  EXPECT_DOUBLE_EQ(p.parallelism, 319.0 / 245.0);
  EXPECT_EQ(p.totals.tasks, 7u);
  EXPECT_EQ(p.totals.dependences, 8u);
  EXPECT_EQ(p.chained_tasks, 7u);
  EXPECT_EQ(p.longest_chain, 5u);  // A, B or C, D or E, F, G
}

TEST(Golden, WaitsForSomeTasks) {
  profile::Profile p = load(depend_waits());
  expect_graph(p, kDependWaits);
  // 100 + 10 + 8 + B 50 + C 15, which its creator waits for, + 5 + D 20 + 80; creation on the way: 10 + 2 + 2 + 2.
  EXPECT_EQ(p.critical_path_ns, 288);
  EXPECT_EQ(p.burdened_path_ns, 304);
  EXPECT_EQ(p.chained_tasks, 3u);  // not C
  EXPECT_DOUBLE_EQ(p.parallelism, 347.0 / 288.0);
  EXPECT_EQ(p.totals.dependences, 5u);
  expect_times(p.threads[0], {164, 56, 0, 180});
}

}  // namespace
}  // namespace einkorn
