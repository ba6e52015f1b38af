// What the reports say where times are not valid, and of teams of one thread and guided loops: by counts and structure,
// on profiles put together by hand. Every expected number is derived in a comment.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include "record/format.h"
#include "report/findings/findings.h"
#include "report/json/json.h"
#include "report/text/text.h"
#include "report/validity.h"
#include "report_profiles.h"
#include "report_schema.h"

using namespace einkorn::report;
using namespace einkorn::report_test;
using nlohmann::json;

namespace {

// "2.0 ms", "0.31 us"
bool has_time(const std::string& text) { return std::regex_search(text, std::regex("[0-9] (ns|us|ms|s)\\b")); }

// A loop that was dealt out in chunks of `iterations` that took `exec` each, in turn to the threads of one region.
struct Chunk {
  int64_t iterations, exec;
};
uint32_t add_loop(Builder& b, uint32_t source, uint32_t threads, einkorn::record::Schedule schedule,
                  const std::vector<Chunk>& chunks) {
  LoopInstance loop;
  loop.region = uint32_t(b.p.regions.size() - 1);
  loop.source = source;
  loop.schedule = uint8_t(schedule);
  const auto number = uint32_t(b.p.loops.size());
  std::vector<uint32_t> implicit;
  for (uint32_t t = 0; t < threads; ++t) implicit.push_back(b.grain(GrainKind::implicit, 0, source, 0, -1, t));
  for (size_t i = 0; i < chunks.size(); ++i) {
    const uint32_t t = uint32_t(i) % threads,
                   g = b.grain(GrainKind::chunk, implicit[t], source, chunks[i].exec, 100, t);
    b.p.grains[g].loop = number;
    b.p.grains[g].iterations = chunks[i].iterations;
    loop.iterations += uint64_t(chunks[i].iterations);
  }
  b.p.loops.push_back(loop);
  return number;
}

}  // namespace

// Two threads, of which the kernel let each wait for a CPU for 0.8 of 1.6 s, while hardly anything of their work is
// missing.
TEST(NotValid, WaitingForACpuIsSaid) {
  Profile p = fine_sort();
  p.times_valid = false;
  p.thread_time[size_t(State::offcpu)] = 150 * us;
  p.totals.cpu_wait_ns = 2000 * us;  // of 4 ms
  EXPECT_DOUBLE_EQ(without_cpu(p), 0.5);
  EXPECT_EQ(why_not_valid(p)->verdict,
            "times cannot be trusted: 50.0 % of the thread time was spent waiting for a CPU, because other "
            "programs or threads used the CPUs; run it with fewer threads or on a quiet machine");
  EXPECT_NE(text_report(p, {}).find("for 50.0 % of the thread time threads waited for a CPU (limit 5 %)"),
            std::string::npos);
  EXPECT_NE(text_report(p, {}).find("2.05 ms wall time (not valid) on 2 threads"), std::string::npos);
  p.times_valid = true;
  EXPECT_FALSE(why_not_valid(p).has_value());
}

// Whatever is found, no sentence has a time in it.
TEST(NotValid, NoSentenceHasATime) {
  for (const char* machine : {"", "uv2000-24x8"}) {
    Profile p = fine_sort();
    p.times_valid = false;
    p.machine = machine;
    p.thread_time[size_t(State::offcpu)] = 450 * us;
    for (Grain& g : p.grains) {  // one creator for all, too
      g.creator = 0;
      if (g.kind == GrainKind::task) g.create_begin = int64_t(&g - p.grains.data()) * 2000;
    }
    const std::vector<Finding> found = find_problems(p);
    ASSERT_EQ(found.size(), 2u);
    for (const Finding& f : found) {
      EXPECT_EQ(f.gain_ns, -1);
      EXPECT_FALSE(has_time(f.what)) << f.what;
      for (const std::string& e : f.evidence) EXPECT_FALSE(has_time(e)) << e;
    }
    EXPECT_FALSE(has_time(verdict(p, found))) << verdict(p, found);
    EXPECT_EQ(check_schema(json_report(p)), 0);
  }
}

// Nor has any table. The line with the most grains comes first, whatever the times say.
TEST(NotValid, NoTableHasATime) {
  Profile p = fine_sort();
  p.times_valid = false;
  p.sources[0].function = "merge";  // its tasks took as long as the two shares of the other
  p.thread_time[size_t(State::offcpu)] = 450 * us;
  p.threads[1].times[size_t(State::offcpu)] = 450 * us;
  p.locks.push_back({0x1000, 1, 4, 3, 4 * ms, 6 * ms, 0});
  for (Grain& g : p.grains)
    if (g.kind == GrainKind::share) g.exec *= 10;
  Aggregate few;
  few.source = 1, few.executed = 3, few.exec = 9 * ms;
  Aggregate many = few;
  many.source = 0, many.executed = 30, many.exec = 1 * ms;
  p.aggregates = {few, many};
  const std::string text = text_report(p, {});
  const size_t tables = text.find("Where the threads");
  ASSERT_NE(tables, std::string::npos);
  EXPECT_FALSE(has_time(text.substr(tables))) << text;
  EXPECT_NE(text.find("  thread (%)  work  overhead  idle  serial  offcpu  total\n"
                      "  0, initial  65.9      22.0   0.0    12.2     0.0  100.0\n"
                      "  1           46.7      20.0  13.3     0.0    20.0  100.0\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Source lines of the most grains\n"
                      "  line        construct  function  grains\n"
                      "  sort.c:142  task       merge      3,000\n"
                      "  sort.c:160  parallel   main           2\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  line        construct  executed\n"
                      "  sort.c:142  task             30\n"
                      "  sort.c:160  parallel          3\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  line        construct  acquired  contended\n"
                      "  sort.c:160  parallel          4     75.0 %\n"),
            std::string::npos)
      << text;
}

// Tasks of 2 ms by the median whose creation took 0.3 ms, as its thread had lost its CPU: no creation takes so long,
// the tasks are not fine.
TEST(NotValid, LongTasksAreNotTooFine) {
  Profile p = fine_sort();
  p.times_valid = false;
  p.thread_time[size_t(State::offcpu)] = 450 * us;
  for (Grain& g : p.grains)
    if (g.kind == GrainKind::task) g.exec = 2 * ms, g.create_cost = 300 * us;
  EXPECT_TRUE(find_problems(p).empty()) << find_problems(p)[0].what;
}

// Three chunks for two threads: two rounds, in which there is room for four. All that the program does is that loop.
TEST(NotValid, FewerChunksThanThreadsCanShare) {
  Builder b(10 * ms, 2);
  const uint32_t loop = b.source("a.c", 7, "loop", "main");
  b.region(loop, 0, 10 * ms, 2);
  add_loop(b, loop, 2, einkorn::record::Schedule::dynamic, {{10, 4 * ms}, {10, 9 * ms}, {10, 3 * ms}});
  b.spent(0, State::work, 7 * ms);
  b.spent(1, State::offcpu, 9 * ms);
  b.p.times_valid = false;
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, ProblemKind::too_coarse);
  EXPECT_EQ(found[0].source, loop);
  EXPECT_DOUBLE_EQ(found[0].share, 0.25);
  EXPECT_EQ(found[0].grains, 3u);
  EXPECT_EQ(found[0].what,
            "too few chunks (3.0 a loop for 2.0 threads): were all as long, threads had none for 25.0 % of the loop");
  b.p.loops[0].schedule = uint8_t(einkorn::record::Schedule::guided);  // these are not as long by design
  EXPECT_TRUE(find_problems(b.p).empty());
  b.p.loops[0].schedule = uint8_t(einkorn::record::Schedule::dynamic);
  b.p.grains.pop_back();  // two: one for each
  EXPECT_TRUE(find_problems(b.p).empty());
}

// Forty tasks of which thirty wait for one another: 40 / 30 at a time, of two threads a third idle. The tasks are all
// that runs.
TEST(NotValid, TasksInARow) {
  Builder b(10 * ms, 2);
  const uint32_t region = b.source("a.c", 5, "parallel", "main"), task = b.source("a.c", 9, "task", "f");
  b.region(region, 0, 10 * ms, 2);
  const uint32_t implicit = b.grain(GrainKind::implicit, 0, region, 0);
  for (int i = 0; i < 40; ++i) b.grain(GrainKind::task, implicit, task, 200 * us, 100, 0);
  b.p.chained_tasks = 40;
  b.p.longest_chain = 30;
  b.spent(0, State::work, 8 * ms);
  b.p.times_valid = false;
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, ProblemKind::little_parallelism);
  EXPECT_NEAR(found[0].share, 1 - 40.0 / 30 / 2, 1e-9);
  EXPECT_EQ(
      found[0].what,
      "too little parallelism: 30 of 40 tasks wait for one another in a row, so that 1.3 could run at a time if all were as long");
  b.on_path(NodeKind::fragment, 2, 6 * ms);
  EXPECT_NE(text_report(b.p, {}).find("Longest chain\n  30 of 40 tasks in a row: 1.33 could run at a time"),
            std::string::npos)
      << text_report(b.p, {});
  const json j = json::parse(json_report(b.p));
  EXPECT_EQ(j["chained_tasks"], 40);
  EXPECT_EQ(j["longest_chain_tasks"], 30);
  EXPECT_EQ(check_schema(j.dump()), 0);
  b.p.longest_chain = 20;  // two at a time
  EXPECT_TRUE(find_problems(b.p).empty());
}

// A team of one thread that works all the time, where four CPUs could be used: three quarters of it could be gone.
TEST(Findings, TeamOfOneThreadIsNoPerfectTeam) {
  Builder b(10 * ms, 1);
  b.p.cpus = 4;
  const uint32_t region = b.source("a.c", 5, "parallel", "main");
  b.region(region, 0, 10 * ms, 1);
  b.grain(GrainKind::share, b.grain(GrainKind::implicit, 0, region, 0), region, 10 * ms);
  b.spent(0, State::work, 10 * ms);
  std::vector<Finding> found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, ProblemKind::few_threads);
  EXPECT_EQ(found[0].gain_ns, 7500 * us);
  EXPECT_EQ(found[0].source, region);
  EXPECT_EQ(verdict(b.p, found), "a.c:5 costs up to 7.5 of 10.0 ms: teams of one thread, where 4 CPUs could be used");
  b.p.times_valid = false;
  found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_DOUBLE_EQ(found[0].share, 0.75);
  EXPECT_FALSE(has_time(found[0].evidence[0])) << found[0].evidence[0];
  b.p.times_valid = true;
  b.p.cpus = 1;
  EXPECT_TRUE(find_problems(b.p).empty());
}

// schedule(guided), 64 iterations on two threads, the first of them the longest: chunks of 32, 16, 8, 4, 2, 1, 1. The
// first takes 8 ms, all others 4 ms: thread 1 idles for 4 ms. No few iterations take longer: it is half of the loop.
TEST(Findings, FirstChunkOfAGuidedLoopIsLargeByDesign) {
  auto profile = [](einkorn::record::Schedule schedule) {
    Builder b(8 * ms, 2);
    const uint32_t loop = b.source("a.c", 7, "loop", "main");
    b.region(loop, 0, 8 * ms, 2);
    add_loop(b, loop, 2, schedule,
             {{32, 8 * ms}, {16, 2 * ms}, {8, 1 * ms}, {4, 500 * us}, {2, 300 * us}, {1, 100 * us}, {1, 100 * us}});
    b.on_path(NodeKind::chunk, 3, 8 * ms);
    b.spent(0, State::work, 8 * ms);
    b.spent(1, State::work, 4 * ms);
    b.spent(1, State::idle, 4 * ms);
    b.waited(loop, 2, 0, 0, 4 * ms);
    return b.p;
  };
  std::vector<Finding> found = find_problems(profile(einkorn::record::Schedule::guided));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, ProblemKind::too_coarse);
  EXPECT_EQ(found[0].gain_ns, 2 * ms);
  EXPECT_EQ(
      found[0].what,
      "the first chunks of schedule(guided) are too large (50.0 % of a loop's iterations in the longest, 8.0 ms)");
  EXPECT_EQ(found[0].advice.find("few iterations"), std::string::npos) << found[0].advice;
  found = find_problems(profile(einkorn::record::Schedule::dynamic));
  EXPECT_NE(found[0].advice.find("A few iterations take much longer"), std::string::npos) << found[0].advice;
}

// schedule(static) of clang's on two threads, a chunk each, of 8 and 4 ms: what gcc's shows as shares. More chunks is
// what a dynamic loop of two would need.
TEST(Findings, AStaticLoopOfAChunkAThreadIsUnevenNotCoarse) {
  auto found = [](einkorn::record::Schedule schedule) {
    Builder b(8 * ms, 2);
    const uint32_t loop = b.source("a.c", 7, "loop", "main");
    b.region(loop, 0, 8 * ms, 2);
    add_loop(b, loop, 2, schedule, {{32, 8 * ms}, {32, 4 * ms}});
    b.on_path(NodeKind::chunk, 3, 8 * ms);
    b.spent(0, State::work, 8 * ms);
    b.spent(1, State::work, 4 * ms);
    b.spent(1, State::idle, 4 * ms);
    b.waited(loop, 2, 0, 0, 4 * ms);
    return find_problems(b.p);
  };
  const std::vector<Finding> divided = found(einkorn::record::Schedule::static_);
  ASSERT_FALSE(divided.empty());
  EXPECT_EQ(divided[0].kind, ProblemKind::load_imbalance);
  EXPECT_EQ(divided[0].gain_ns, 2 * ms);
  EXPECT_EQ(divided[0].what, "work unevenly divided by schedule(static) (longest chunk 8.0 ms, mean 6.0 ms)");
  EXPECT_EQ(found(einkorn::record::Schedule::dynamic)[0].kind, ProblemKind::too_coarse);
}

// Two locks of 6 ms hold in 10 ms of work whose critical path is 7 ms: no number of threads helps beyond 10 / 7; with
// one of 9 ms, 10 / 9.
TEST(Text, OneBoundOnTheSpeedUp) {
  Builder b(10 * ms, 2);
  const uint32_t region = b.source("a.c", 5, "parallel", "main");
  b.region(region, 0, 10 * ms, 2);
  b.grain(GrainKind::share, b.grain(GrainKind::implicit, 0, region, 0), region, 10 * ms);
  b.on_path(NodeKind::fragment, 2, 7 * ms);
  b.p.parallelism = 10.0 / 7;
  b.spent(0, State::work, 10 * ms);
  EXPECT_NE(text_report(b.p, {}).find("on any number of threads at most 1.43 times as fast as on one"),
            std::string::npos)
      << text_report(b.p, {});
  b.p.locks.push_back({0x1000, region, 4, 3, 9 * ms, 1 * ms, 0});
  const std::string text = text_report(b.p, {});
  EXPECT_NE(text.find("on any number of threads at most 1.11 times as fast as on one"), std::string::npos) << text;
  EXPECT_NE(text.find("on so many at most 1.11,"), std::string::npos) << text;
}
