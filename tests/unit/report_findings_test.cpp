// What the reports call a problem, on profiles put together by hand: every expected number is derived in a comment.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
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

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of('\n') + 1, begin = text.rfind('\n', end - 1);
  return text.substr(begin + 1, end - begin - 1);
}

}  // namespace

// Threads: 2. Without the tasks' overhead of 0.6 ms creation + 0.3 ms fetching, each thread is shorter by 0.3 + 0.15
// ms. Idle at the taskwait: 0.3 / 2. Serial: 0.25 x (1 - 1/2).
TEST(Findings, TasksTooFine) {
  const std::vector<Finding> found = find_problems(fine_sort());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].kind, ProblemKind::tasks_too_fine);
  EXPECT_EQ(found[0].gain_ns, 450 * us + 3000 * 15 / 2);  // and what deferring costs inside of them
  EXPECT_EQ(found[0].grains, 3000u);
  EXPECT_EQ(found[0].source, 0u);
  EXPECT_EQ(found[1].kind, ProblemKind::load_imbalance);
  EXPECT_EQ(found[1].gain_ns, 150 * us);
  EXPECT_EQ(found[1].source, 2u);
  EXPECT_EQ(found[2].kind, ProblemKind::serial);
  EXPECT_EQ(found[2].gain_ns, 125 * us);
  EXPECT_EQ(found[2].source, 1u);
}

// 16,000 lines of which 8 bytes of 64 are used cost 16,000 (1 - 1/16) = 15,000; in order they would be 2,000 at half
// the cost. Beside them 1,000 in order, none of which has left the cache yet: 500. So (15,000 - 1,000) / 15,500.
TEST(Findings, LoopOrderBesideLinesThatStay) {
  Profile p = fine_sort();
  const auto task =
      std::find_if(p.grains.begin(), p.grains.end(), [](const Grain& g) { return g.kind == GrainKind::task; });
  einkorn::profile::AccessUse down, along;
  down.source = along.source = task->source;
  down.kind = along.kind = GrainKind::task;
  down.place = along.place = 0;
  p.sources[0].line = 10;
  down.count = down.strides = down.fetched = down.left = 16'000;
  down.stride = 8192;
  down.bytes = down.used = 16'000 * 8;
  along.count = along.strides = 8'000;
  along.stride = 8;
  along.bytes = 8'000 * 8;
  along.fetched = 1'000;
  p.access_uses = {down, along};
  const std::vector<Finding> found = find_problems(p);
  const auto order =
      std::find_if(found.begin(), found.end(), [](const Finding& f) { return f.kind == ProblemKind::loop_order; });
  ASSERT_NE(order, found.end());
  EXPECT_NEAR(order->share, 14'000.0 / 15'500, 1e-9);
  EXPECT_GT(order->gain_ns, 0);
}

TEST(Findings, OneThreadThatCreatesEverythingBearsItAll) {
  Profile p = fine_sort();
  for (Grain& g : p.grains) g.creator = 0;
  // Thread 0 is shorter by 0.6 + 0.15 ms; (0.9 + 0.3 idle) / 2 = 0.6; never below work / threads: 1.8 - 1.2 = 0.6.
  EXPECT_EQ(find_problems(p)[0].gain_ns, 600 * us + 3000 * 15 / 2);
}

TEST(Findings, CreationThatWasNotTimedCountsAsTheRest) {
  Profile p = fine_sort();
  for (size_t i = 0; i < p.grains.size(); i += 2)
    if (p.grains[i].kind == GrainKind::task) p.grains[i].create_cost = -1;
  EXPECT_NEAR(double(find_problems(p)[0].gain_ns), 472.5e3, 1e3);
}

TEST(Findings, CoarseTasksAreNoProblem) {
  Profile p = fine_sort();
  for (Grain& g : p.grains)
    if (g.kind == GrainKind::task) g.exec = 3000;  // ten times what one costs: (0.6 + 0.3 ms) / 3000
  for (const Finding& f : find_problems(p)) EXPECT_NE(f.kind, ProblemKind::tasks_too_fine);
}

TEST(Findings, LinesOfOneFunctionAreOneProblem) {
  Profile p = fine_sort();
  p.sources.push_back(p.sources[0]);
  p.sources.back().line = 144;
  const uint32_t other = uint32_t(p.sources.size() - 1);
  for (size_t i = 0; i < p.grains.size(); ++i)
    if (p.grains[i].kind == GrainKind::task && i % 3 == 0) p.grains[i].source = other;
  std::vector<Finding> found = find_problems(p);
  EXPECT_NEAR(double(found[0].gain_ns), 472.5e3, 1e3);
  EXPECT_EQ(found[0].grains, 3000u);
  EXPECT_EQ(found[0].source, 0u);
  EXPECT_NE(found[0].what.find("1 other line of this function"), std::string::npos) << found[0].what;
  p.sources[other].function = "partition";
  found = find_problems(p);
  EXPECT_EQ(std::count_if(found.begin(), found.end(), [](auto& f) { return f.kind == ProblemKind::tasks_too_fine; }),
            2);
}

// A binary tree of tasks, leaves at depth 9 with 1 us each, creation 0.2 us. 20 x 0.2 = 4 us: a task at depth 7 has
// four leaves below it and so is the deepest that is large enough.
TEST(Findings, CutOffDepthOfARecursion) {
  Builder b(600 * us, 2);
  const uint32_t task = b.source("fib.c", 10, "task", "fib");
  b.region(b.source("fib.c", 20, "parallel", "main"), 0, 600 * us, 2);
  std::vector<uint32_t> level = {b.grain(GrainKind::task, b.grain(GrainKind::implicit, 0, 1, 0), task, 0, 200)};
  for (int depth = 1; depth <= 9; ++depth) {
    std::vector<uint32_t> next;
    for (uint32_t parent : level)
      for (int i = 0; i < 2; ++i)
        next.push_back(b.grain(GrainKind::task, parent, task, depth == 9 ? us : 0, 200, uint32_t(i)));
    level = next;
  }
  b.spent(0, State::work, 512 * us);
  b.spent(0, State::overhead, 88 * us);
  b.spent(1, State::overhead, 120 * us);
  b.spent(1, State::idle, 480 * us);
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, ProblemKind::tasks_too_fine);
  EXPECT_NE(found[0].what.find("below depth 7 "), std::string::npos) << found[0].what;
}

// A static loop on two threads: shares of 10 and 4 ms, the second thread idles for 6. Evenly divided: 7 ms each.
TEST(Findings, UnevenLoop) {
  Builder b(10 * ms, 2);
  const uint32_t loop = b.source("heat.c", 31, "parallel", "step");
  b.region(loop, 0, 10 * ms, 2);
  for (uint32_t t = 0; t < 2; ++t)
    b.grain(GrainKind::share, b.grain(GrainKind::implicit, 0, loop, 0), loop, (t ? 4 : 10) * ms, -1, t);
  b.on_path(NodeKind::fragment, 2, 10 * ms);
  b.spent(0, State::work, 10 * ms);
  b.spent(1, State::work, 4 * ms);
  b.spent(1, State::idle, 6 * ms);
  b.waited(b.source("heat.c", 31, "implicit barrier", "step"), 2, 0, 0, 6 * ms);
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, ProblemKind::load_imbalance);
  EXPECT_EQ(found[0].gain_ns, 3 * ms);
  EXPECT_EQ(found[0].source, loop);
  EXPECT_EQ(verdict(b.p, found).find("heat.c:31 costs up to 3.0 of 10.0 ms: work unevenly divided"), 0u)
      << verdict(b.p, found);
}

// One long task of 8 ms beside 1 ms of others, on two threads: at best 4.5 ms, if it were split.
TEST(Findings, LongTaskOnTheCriticalPath) {
  Builder b(8 * ms, 2);
  const uint32_t region = b.source("lu.c", 90, "parallel", "main"), task = b.source("lu.c", 98, "task", "factorise");
  b.region(region, 0, 8 * ms, 2);
  const uint32_t implicit = b.grain(GrainKind::implicit, 0, region, 0);
  const uint32_t longest = b.grain(GrainKind::task, implicit, task, 8 * ms, 100);
  b.grain(GrainKind::task, implicit, task, 1 * ms, 100);
  b.on_path(NodeKind::fragment, longest, 8 * ms);
  b.spent(0, State::work, 8 * ms);
  b.spent(1, State::work, 1 * ms);
  b.spent(1, State::idle, 7 * ms);
  b.waited(b.source("lu.c", 99, "taskwait", "factorise"), 1, 1, 0, 7 * ms);
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, ProblemKind::too_coarse);
  EXPECT_EQ(found[0].gain_ns, 3500 * us);
  EXPECT_EQ(found[0].source, task);
}

// Four threads take one lock for 1 ms each, at once: they wait 0, 1, 2 and 3 ms, and those that are done idle. Without
// the lock all would be done after 1 of 4 ms.
TEST(Findings, Lock) {
  Builder b(4 * ms, 4);
  const uint32_t region = b.source("hist.c", 5, "parallel", "main"), lock = b.source("hist.c", 7, "critical", "main");
  b.region(region, 0, 4 * ms, 4);
  for (uint32_t t = 0; t < 4; ++t) {
    b.grain(GrainKind::share, b.grain(GrainKind::implicit, 0, region, 0), region, 1 * ms);
    b.spent(t, State::work, 1 * ms);
    b.spent(t, State::blocked, t * 900 * us);
    b.spent(t, State::idle, (3 - t) * ms);
  }
  b.on_path(NodeKind::fragment, 2, 1 * ms);
  b.p.locks.push_back({0x1000, lock, 4, 3, 4 * ms, 5400 * us, 100 * us});
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, ProblemKind::lock);
  EXPECT_EQ(found[0].gain_ns, 2700 * us + 100 * us / 4);  // of the thread that waited most; and waking
  EXPECT_EQ(found[0].source, lock);
  EXPECT_EQ(last_line(text_report(b.p, {})), verdict(b.p, found));
}

// Two threads, 61 ms: 20 ms beside each other and 60 ms in order, of which the first ms had nobody to wait for. Without
// the order 40 ms.
TEST(Findings, Ordered) {
  Builder b(61 * ms, 2);
  const uint32_t loop = b.source("sum.c", 5, "loop", "main"), ordered = b.source("sum.c", 7, "ordered", "main");
  b.region(loop, 0, 61 * ms, 2);
  for (uint32_t t = 0; t < 2; ++t) {
    b.grain(GrainKind::share, b.grain(GrainKind::implicit, 0, loop, 0), loop, 40 * ms);
    b.spent(t, State::work, 40 * ms);
    b.spent(t, State::blocked, 21 * ms);
  }
  b.on_path(NodeKind::fragment, 2, 61 * ms);
  b.p.locks.push_back({0x1000, ordered, 20, 19, 60 * ms, 42 * ms, 0, true});
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u);  // and no lock
  EXPECT_EQ(found[0].kind, ProblemKind::ordered);
  EXPECT_EQ(found[0].gain_ns, 21 * ms);
  EXPECT_EQ(found[0].source, ordered);
  EXPECT_EQ(last_line(text_report(b.p, {})), verdict(b.p, found));
}

// Two shares of 9 ms that took 6 ms each in the baseline: 6 ms of thread time on two threads.
TEST(Findings, WorkInflation) {
  Builder b(10 * ms, 2);
  const uint32_t loop = b.source("stream.c", 8, "parallel", "triad");
  b.region(loop, 0, 10 * ms, 2);
  std::vector<float> before(1, NAN);
  for (uint32_t t = 0; t < 2; ++t) {
    b.grain(GrainKind::share, b.grain(GrainKind::implicit, 0, loop, 0), loop, 9 * ms, -1, t);
    before.insert(before.end(), {NAN, float(6 * ms)});
    b.spent(t, State::work, 9 * ms);
  }
  MetricOptions options = metric_options(b.p);
  options.baseline = {&before, 12 * ms};
  const std::vector<Finding> found = find_problems(b.p, compute_metrics(b.p, options));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, ProblemKind::work_inflation);
  EXPECT_EQ(found[0].gain_ns, 3 * ms);
  EXPECT_EQ(found[0].grains, 2u);
  EXPECT_EQ(grains_of(b.p, found[0]), (std::vector<uint32_t>{2, 4}));
  EXPECT_NE(found[0].what.find("1.5 times"), std::string::npos) << found[0].what;
  EXPECT_TRUE(find_problems(b.p).empty());
}

// Two tasks of 4 ms, four fifths of whose bytes are elsewhere: on two threads at most 0.8 x 8 / 2 ms, where no distance
// is known. 80 % of all data on one node.
TEST(Findings, RemoteData) {
  Builder b(10 * ms, 2);
  const uint32_t region = b.source("lu.c", 5, "parallel", "main"), task = b.source("lu.c", 9, "task", "main");
  b.region(region, 0, 10 * ms, 2);
  const uint32_t implicit = b.grain(GrainKind::implicit, 0, region, 0);
  for (uint32_t t = 0; t < 2; ++t) {
    const uint32_t g = b.grain(GrainKind::task, implicit, task, 4 * ms, 100, t);
    b.p.grains[g].footprint = t;
    b.p.footprints.push_back({.bytes = 1000, .known = 1000, .remote = 800});
    b.spent(t, State::work, 4 * ms);
  }
  b.p.footprint_on = {1600, 400};
  std::vector<Finding> found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, ProblemKind::remote_data);
  EXPECT_EQ(found[0].gain_ns, 3200 * us);
  EXPECT_EQ(found[0].bytes, 1600u);
  EXPECT_EQ(found[0].source, task);
  EXPECT_NE(found[0].what.find("nearly all of it on node 0"), std::string::npos) << found[0].what;
  b.p.times_valid = false;
  found = find_problems(b.p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].gain_ns, -1);
  b.p.footprints[1].known = 500;  // a quarter of the bytes unknown: nothing is said
  EXPECT_TRUE(find_problems(b.p).empty());
}

// 100,000 tasks of 20 ns that their creator ran at once, all of thread 1: each 15 ns, beside 2 ms of work.
TEST(Findings, TasksRunAtOnceAreTasksToo) {
  Builder b(2 * ms, 2);
  const uint32_t region = b.source("a.c", 5, "parallel", "main"), task = b.source("a.c", 9, "task", "f");
  b.region(region, 0, 2 * ms, 2);
  const uint32_t implicit = b.grain(GrainKind::implicit, 0, region, 0);
  for (int i = 0; i < 100000; ++i) {
    const uint32_t g = b.grain(GrainKind::task, implicit, task, 20, 0, 1);
    b.p.grains[g].flags |= einkorn::profile::kUndeferred;
    b.p.grains[g].creator = b.p.grains[g].thread = 1;
  }
  b.spent(1, State::work, 2 * ms);
  const std::vector<Finding> found = find_problems(b.p);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, ProblemKind::tasks_too_fine);
  EXPECT_EQ(found[0].gain_ns, 1500 * us);
  EXPECT_EQ(found[0].what, "tasks too fine (median 20 ns, run at once by their creator)");
  EXPECT_NE(found[0].advice.find("An if clause, final, or one thread make each of them a task all the same"),
            std::string::npos);
  EXPECT_NE(found[0].evidence[0].find("1.5 ms of thread time"), std::string::npos) << found[0].evidence[0];
  const std::string text = text_report(b.p, {});
  EXPECT_NE(text.find("einkorn tune tries cut-offs of these tasks by their depth, without touching the source\n"),
            std::string::npos)
      << text;
  // Tasks that are too large are no loop to which it could give another schedule.
  Finding other = found[0];
  other.kind = ProblemKind::too_coarse;
  EXPECT_EQ(tune_tries(b.p, other), nullptr);
}

TEST(Findings, NothingBelowFivePercent) {
  Builder b(10 * ms, 2);
  const uint32_t region = b.source("a.c", 5, "parallel", "main");
  b.region(region, 0, 10 * ms, 2);
  for (uint32_t t = 0; t < 2; ++t) {
    b.grain(GrainKind::share, b.grain(GrainKind::implicit, 0, region, 0), region, 9600 * us);
    b.spent(t, State::work, 9600 * us);
    b.spent(t, State::idle, 400 * us);
  }
  b.waited(b.source("a.c", 5, "implicit barrier", "main"), 2, 0, 0, 800 * us);
  EXPECT_TRUE(find_problems(b.p).empty());
  EXPECT_EQ(
      verdict(b.p, {}),
      "no problem found: 96.0 % of the thread time is work, 100.0 % of it at a.c:5; one recording does not show whether "
      "threads slow each other down: `OMP_NUM_THREADS=1 einkorn record -o one.grain -- ...`, then `einkorn report sort.grain "
      "--baseline one.grain`");
}

// 3,000 creations of 0.2 us by the median, beside 1.95 ms of work. No seconds.
TEST(Findings, WithoutSecondsWhereTimesAreNotValid) {
  Profile p = fine_sort();
  p.times_valid = false;
  p.thread_time[size_t(State::offcpu)] = 450 * us;
  p.thread_time[size_t(State::work)] -= 450 * us;
  const std::vector<Finding> found = find_problems(p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, ProblemKind::tasks_too_fine);
  EXPECT_EQ(found[0].gain_ns, -1);
  EXPECT_NEAR(found[0].share, 0.6 / (0.6 + 1.95), 1e-9);
  EXPECT_EQ(verdict(p, found),
            "sort.c:142: tasks too fine (by the medians one executes for 2.0 times what its creation takes) (no "
            "seconds can be given: times may be off by 23 %, as other programs or threads used the CPUs, or the "
            "threads slept)");
  EXPECT_EQ(verdict(p, {}),
            "no problem found that costs more than times may be off by, which is 23 %: 11.7 % of the thread time was "
            "spent off the CPU, because other programs or threads used the CPUs, or the threads slept; run it with "
            "fewer threads or on a quiet machine");
  Profile useless = p;  // by more than half
  useless.thread_time[size_t(State::offcpu)] += 650 * us;
  useless.thread_time[size_t(State::work)] -= 650 * us;
  EXPECT_EQ(verdict(useless, found),
            "sort.c:142: tasks too fine (by the medians one executes for 2.0 times what its creation takes) (no "
            "seconds can be given: other programs or threads used the CPUs, or the threads slept)");
  EXPECT_EQ(verdict(useless, {}),
            "times cannot be trusted: 28.6 % of the thread time was spent off the CPU, because other programs "
            "or threads used the CPUs, or the threads slept; run it with fewer threads or on a quiet machine");
  p.cpus = 1;
  EXPECT_NE(verdict(p, {}).find("because 2 threads share 1 CPU;"), std::string::npos);
  const std::string text = text_report(p, {});
  EXPECT_NE(text.find("warning: times are not valid: for 11.7 % of the thread time threads were off the CPU"),
            std::string::npos)
      << text;
  const json j = json::parse(json_report(p));
  ASSERT_EQ(j["problems"].size(), 1u);
  EXPECT_FALSE(j["problems"][0].contains("gain_seconds"));
  EXPECT_EQ(check_schema(j.dump()), 0);
}

// Why the threads were off the CPU: a BLAS has threads of its own; they slept; else others were on it.
TEST(Findings, WhyThreadsWereOffTheCpu) {
  Profile p = fine_sort();
  p.times_valid = false;
  p.thread_time[size_t(State::offcpu)] = 450 * us;
  EXPECT_EQ(why_off_cpu(p).because, "other programs or threads used the CPUs, or the threads slept");
  p.totals.other_cpu_ns = 200 * us;
  p.totals.cpu_wait_ns = 440 * us;
  EXPECT_EQ(why_off_cpu(p).because, "other programs or threads used the CPUs");
  EXPECT_NE(verdict(p, {}).find("because other programs or threads used the CPUs; run it with"), std::string::npos)
      << verdict(p, {});
  p.totals.cpu_wait_ns = 220 * us;
  EXPECT_NE(verdict(p, {}).find("because the threads slept in the program's own code"), std::string::npos)
      << verdict(p, {});
  p.totals.taken_ns = 400 * us;  // who never went to sleep did not sleep
  EXPECT_NE(verdict(p, {}).find("because their CPUs were taken from them"), std::string::npos) << verdict(p, {});
  p.totals.steal_ns = 300 * us;
  EXPECT_NE(verdict(p, {}).find("because the host of this virtual machine took its CPUs"), std::string::npos)
      << verdict(p, {});
  p.totals.taken_ns = 20 * us, p.totals.steal_ns = 0;
  p.cpus = 1;
  EXPECT_NE(verdict(p, {}).find("because the threads slept"), std::string::npos) << verdict(p, {});
  p.totals.other_cpu_ns = 310 * us;
  EXPECT_NE(verdict(p, {}).find("because the threads slept"), std::string::npos) << verdict(p, {});
  EXPECT_NE(verdict(p, {}).find("; other threads of the program"), std::string::npos) << verdict(p, {});
  p.totals.cpu_wait_ns = 440 * us;
  EXPECT_EQ(why_off_cpu(p).because, "2 threads share 1 CPU");
  p.cpus = 2;
  EXPECT_EQ(why_off_cpu(p).because,
            "other threads of the program, not OpenMP's (a BLAS's, say), took 0.31 ms of CPU time");
  EXPECT_NE(verdict(p, {}).find("CPU time; let its libraries run one thread each (OPENBLAS_NUM_THREADS=1"),
            std::string::npos)
      << verdict(p, {});
  const json j = json::parse(json_report(p));
  EXPECT_DOUBLE_EQ(j["other_cpu_seconds"], 310e-6);
  EXPECT_DOUBLE_EQ(j["cpu_wait_seconds"], 440e-6);
  EXPECT_EQ(check_schema(j.dump()), 0);
}

// As fine as there, but of a program that works for 50 ms elsewhere.
TEST(Findings, NothingBelowFivePercentWhereTimesAreNotValid) {
  Profile p = fine_sort();
  p.times_valid = false;
  p.thread_time[size_t(State::offcpu)] = 30 * ms;
  p.thread_time[size_t(State::work)] += 50 * ms;
  EXPECT_TRUE(find_problems(p).empty());
}

TEST(Findings, NothingRecorded) {
  const Profile empty;
  EXPECT_TRUE(find_problems(empty).empty());
  EXPECT_EQ(verdict(empty, {}), "no parallel region ran: there is nothing to compare");
  EXPECT_FALSE(text_report(empty, {}).empty());
  EXPECT_EQ(check_schema(json_report(empty)), 0);
}
