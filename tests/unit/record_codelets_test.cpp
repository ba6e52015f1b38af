// Runs of graphs of codelets while records are lost, recording is paused, or a process is forked: who fires goes on,
// each codelet is recorded, counted or lost, and contexts match.
#include <ctime>
#include <gtest/gtest.h>
#include <functional>
#include <numeric>
#include <random>
#include "record/codelets.h"
#include "record/recorder.h"
#include "record/stream.h"
#include "record/system.h"
#include "record_child.h"
#include "record_reader.h"
#include "record_replay.h"

namespace einkorn::record {
namespace {

constexpr uint64_t kBrief = 10;
constexpr uint32_t kRun = 1, kClass = 2, kWait = 3, kTask = 4;  // sites, of which the file says nothing

// A thread that fires codelets, by a clock of its own, which is ahead of the real one.
struct Firer {
  explicit Firer(Stream* stream) : s(*stream), now(ticks() + 100 * ticks_per_second()) {}
  Stream& s;
  uint64_t now, fired = 0, tasks = 0, run = 0;
  uint64_t lasts = 8 * g_process.perturbed_ticks;
  Firing before;

  void join() { run = s.graph_run(now += 5, kRun, 1), s.join_run(now += 5, run, 0, before); }
  void leave() { s.leave_run(now += 5, before), s.wait_end(now += 5); }
  void fire(uint64_t took, bool beyond = false) {
    fire(beyond, [&] { now += took; });
  }
  template <class Body>
  void fire(bool beyond, Body&& body) {
    now += 3;
    if (beyond) s.aggregated_codelet_begin(now, kClass);
    else s.codelet_begin(now, uint32_t(fired), kClass);
    body();
    if (beyond) s.aggregated_codelet_end(now);
    else s.codelet_end(now);
    ++fired;
  }
  void fire_brief(int count) {
    while (count-- > 0) fire(kBrief);
  }
};

// What a thread's records tell, and whether its contexts match.
struct Told {
  uint64_t begun = 0, after_loss = 0, counted = 0, lost = 0, losses = 0, tasks = 0;
  uint64_t work = 0, stretch_work = 0, overhead = 0, recorder = 0;  // ticks
  std::vector<Kind> open;
  std::string error;

  explicit Told(const std::vector<TestRecord>& records) {
    for (const TestRecord& r : records) {
      if (r.kind == Kind::codelet_begin) ++begun, after_loss += losses > 0;
      if (r.kind == Kind::task_start || r.kind == Kind::task_next || r.kind == Kind::task_run) ++tasks;
      if (r.kind == Kind::recorder) recorder += r.payload;
      if (r.kind == Kind::subtree && r.payload == kClass) {
        if (r.extra[1] != r.extra[2]) error = "counted codelets were not all created and executed";
        counted += r.extra[2], work += r.extra[3];
      }
      if (r.kind == Kind::aggregate) stretch_work += r.extra[1], overhead += r.extra[2];
      if (r.kind == Kind::loss) {
        ++losses, lost += r.extra[2];
        if (r.extra[4] > open.size()) error = "a loss closes more than was open";
        else open.resize(open.size() - r.extra[4]);
      }
      if (nesting(r.kind) > 0) {
        open.push_back(r.kind);
      } else if (nesting(r.kind) < 0) {
        const bool wait = r.kind == Kind::wait_end || r.kind == Kind::wait_done;
        const bool codelet = r.kind == Kind::codelet_end;
        if (open.empty() || codelet != (open.back() == Kind::codelet_begin) ||
            wait != (open.back() == Kind::wait_begin || open.back() == Kind::graph_run))
          error = "a record closes what is not open";
        if (!open.empty()) open.pop_back();
      }
    }
  }
};

struct Recorded {
  TestFile file;
  std::string account;
  Told told{{}};
  int64_t total(const char* key) const { return json_number(file.of(BlockType::end).at(0)->payload, key); }
};

// body prints its account.
Recorded record(Options options, const std::function<void(Firer&)>& body) {
  TempDir dir;
  const std::string path = dir.file("a.grain");
  options.path = path.c_str();
  Recorded r;
  auto result = in_child([&] {
    start(options);
    Stream* s = open_stream(true);
    Firer f(s);
    body(f);
    stall_writer_for_test(false);
    close_stream(s);
    finish();
    fprintf(stderr, "{\"fired\":%lu,\"tasks\":%lu}", f.fired, f.tasks);
  });
  EXPECT_TRUE(result.ok()) << result.stderr_text;
  r.account = result.stderr_text;
  r.file = read_grain(path);
  r.told = Told(r.file.records(0));
  EXPECT_FALSE(r.file.bad) << r.file.error;
  EXPECT_EQ(r.told.error, "");
  EXPECT_TRUE(r.told.open.empty());
  const int64_t fired = json_number(r.account, "fired"), tasks = json_number(r.account, "tasks");
  EXPECT_EQ(r.total("codelets"), fired);
  EXPECT_EQ(r.total("tasks"), fired + tasks);
  EXPECT_EQ(int64_t(r.told.begun + r.told.counted + r.told.tasks + r.told.lost), fired + tasks);
  EXPECT_EQ(r.total("lost_tasks") + r.total("outside_tasks"), int64_t(r.told.lost));
  EXPECT_EQ(r.total("aggregated_tasks"), int64_t(r.told.counted));
  return r;
}

TEST(RecordCodelets, ALossInARunEndsInIt) {
  const Recorded r = record({.memory_bytes = 2 * kBufferBytes}, [](Firer& f) {
    f.join();
    stall_writer_for_test(true);
    while (!g_process.open_lanes->loss.active) f.fire(f.lasts);
    for (int i = 0; i < 100; ++i) f.fire(f.lasts);
    stall_writer_for_test(false);
    until_a_buffer_is_free();
    for (int i = 0; i < 100; ++i) f.fire(f.lasts);
    f.leave();
  });
  EXPECT_EQ(r.told.losses, 1u);
  EXPECT_GE(r.told.lost, 101u);
  EXPECT_GE(r.told.after_loss, 98u);
}

// A pause by the program, or by another thread: from the next codelet on, whatever these take.
TEST(RecordCodelets, APauseIsSeenByThoseThatOnlyCount) {
  for (bool own : {true, false}) {
    const Recorded r = record({}, [&](Firer& f) {
      Stream* who = own ? &f.s : nullptr;
      f.join();
      f.fire_brief(5);
      control(kPause, who);
      f.fire_brief(100);
      control(kStart, who);
      f.fire_brief(7);
      f.leave();
    });
    // Another thread hears of it at the end of a codelet.
    EXPECT_EQ(r.told.counted, own ? 12u : 5u + 1 + 6);
    EXPECT_EQ(r.told.lost, 100u);
    EXPECT_EQ(r.total("outside_tasks"), 100);
    EXPECT_EQ(r.told.work, r.told.counted * kBrief);
    EXPECT_EQ(r.told.stretch_work, r.told.work);
    EXPECT_EQ(r.told.losses, 1u);
  }
}

TEST(RecordCodelets, APauseInOneCutsIt) {
  uint64_t began = 0, paused = 0;
  const Recorded r = record({}, [&](Firer& f) {
    f.join();
    f.fire_brief(3);
    f.fire(false, [&] {
      began = f.now;
      f.now += 2 * f.lasts;
      // As control() by this thread, at its own time.
      Guard(g_process.pool.lock()), Recorder::set_stopped(LossReason::paused);
      Recorder::stop_at(f.s, f.now);
      paused = f.now;
      f.now += f.lasts;
    });
    f.fire_brief(4);
    control(kStart);
    f.fire_brief(3);
    f.leave();
    fprintf(stderr, "{\"took\":%lu}", paused - began);
  });
  EXPECT_EQ(r.told.begun, 1u);
  EXPECT_EQ(r.told.counted, 3u + 2);
  EXPECT_EQ(r.told.lost, 4u + 1);
  EXPECT_EQ(r.told.work, 5 * kBrief);
  auto records = TestFile(r.file).records(0);
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].kind != Kind::codelet_begin) continue;
    ASSERT_EQ(records[i + 1].kind, Kind::loss);
    EXPECT_EQ(int64_t(records[i + 1].tick - records[i + 1].extra[0] - records[i].tick), json_number(r.account, "took"));
  }
}

// The program ends the recording in a codelet: those before it are told.
TEST(RecordCodelets, TheEndInOneTellsThoseBefore) {
  TempDir dir;
  const std::string path = dir.file("a.grain");
  auto result = in_child([&] {
    start({.path = path.c_str()});
    Firer f(open_stream(true));
    f.join();
    f.fire_brief(5);
    f.fire(false, [&] { control(kEnd, &f.s); });
    f.fire_brief(5);
    f.leave();
  });
  ASSERT_TRUE(result.ok());
  TestFile file = read_grain(path);
  const Told told(file.records(0));
  EXPECT_FALSE(file.bad) << file.error;
  EXPECT_EQ(told.error, "");
  EXPECT_EQ(told.counted, 5u);
  EXPECT_EQ(told.begun, 1u);
  EXPECT_EQ(told.open, (std::vector{Kind::graph_run, Kind::codelet_begin}));
  EXPECT_EQ(json_number(file.of(BlockType::end).at(0)->payload, "codelets"), 6);
}

// Paused and started within one codelet: those after it are counted as those before it, and what is in between is
// overhead.
TEST(RecordCodelets, GoesOnWithinOne) {
  const Recorded r = record({}, [](Firer& f) {
    f.join();
    f.fire(false, [&] {
      control(kPause, &f.s);
      f.now += f.lasts;
      control(kStart, &f.s);
      f.now += f.lasts;
    });
    f.fire_brief(50);
    f.leave();
  });
  EXPECT_EQ(r.told.begun, 1u);
  EXPECT_EQ(r.told.counted, 50u);
  EXPECT_GE(r.told.overhead, 50u * 3);
}

// Codelets, tasks and waits in them, losses at any record and pauses at any time, above and below a limit.
TEST(RecordCodelets, CountsAreExactWhateverIsLost) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    const Recorded r = record({.memory_bytes = 2 * kBufferBytes}, [seed](Firer& f) {
      std::mt19937 random(seed);
      auto one_in = [&](unsigned n) { return random() % n == 0; };
      auto task = [&](bool beyond) {
        if (beyond) return;  // what it does is aggregated below it: not this test's
        const uint64_t t = f.now += 2, id = f.s.task_create(t, t + 1, kTask, 1, 0);
        f.s.wait_begin(f.now += 2, kWait);
        f.s.task_start(f.now += 2, id), f.s.task_end(f.now += 2);
        f.s.wait_end(f.now += 2);
        ++f.tasks;
      };
      for (int run = 0; run < 40; ++run) {
        f.join();
        for (unsigned left = random() % 2000; left-- > 0;) {
          const bool beyond = one_in(4);
          f.fire(beyond, [&] {
            f.now += one_in(2) ? kBrief : f.lasts;
            if (one_in(3)) task(beyond);
            if (one_in(500)) control(one_in(2) ? kPause : kStart, one_in(2) ? &f.s : nullptr);
            if (one_in(20)) f.s.wait_begin(f.now += 2, kWait), f.s.wait_end(f.now += 2);
          });
          if (one_in(700)) stall_writer_for_test(true);
          if (one_in(700)) stall_writer_for_test(false), until_a_buffer_is_free();
          if (one_in(100)) f.s.searches(f.now += 5), f.s.found(f.now += 50);
        }
        f.leave();
      }
      stall_writer_for_test(false);
      control(kStart);
      until_a_buffer_is_free();
      f.s.wait_begin(f.now += 2, kWait), f.s.wait_end(f.now += 2);
    });
    EXPECT_GT(r.told.losses, 3u);
    EXPECT_GT(r.told.after_loss, 100u);
  }
}

#ifndef __SANITIZE_THREAD__  // which starts no threads, so no writer, in a child of several
// A codelet forks: the child is in no run, and may run graphs itself.
TEST(RecordCodelets, AForkInOneLeavesTheRun) {
  TempDir dir;
  const std::string path = dir.file("%p.grain");
  pid_t child = 0;
  Signal ready;
  auto result = in_child([&] {
    start({.path = path.c_str()});
    Firer f(open_stream(true));
    f.join();
    f.fire_brief(3);
    f.fire(false, [&] {
      child = fork();
      if (child != 0) return;
      f.now += 10;
    });
    f.leave();
    if (child == 0) {
      GraphClass of{kClass, 0};
      const uint32_t begin[] = {0, 0};
      const uint32_t number = records_graphs(f.s) ? add_graph({"child", &of, 1, 1, begin, begin}) : 0;
      f.join(), f.fire_brief(2), f.fire(f.lasts), f.leave();
      close_stream(&f.s), finish();
      _exit(number == 1 ? 0 : 9);
    }
    int status = 0;
    waitpid(child, &status, 0);
    fprintf(stderr, "{\"pid\":%d,\"status\":%d}", child, status);
    close_stream(&f.s), finish();
  });
  ASSERT_TRUE(result.ok()) << result.stderr_text;
  EXPECT_EQ(json_number(result.stderr_text, "status"), 0) << "the child's graph was not described";
  TestFile f = read_grain(dir.file(std::to_string(json_number(result.stderr_text, "pid")) + ".grain"));
  const Told told(f.records(0));
  EXPECT_FALSE(f.bad) << f.error;
  EXPECT_EQ(told.error, "");
  EXPECT_EQ(told.counted, 2u);
  EXPECT_EQ(told.begun, 1u);
  EXPECT_EQ(f.of(BlockType::codelet_graphs).size(), 1u);
  EXPECT_EQ(json_number(f.of(BlockType::end).at(0)->payload, "codelets"), 3);
}

#endif

// Older ones are dropped: the run that still goes on is known, and so is its graph.
TEST(RecordCodelets, TheLatestSecondsHaveTheirRunAndItsGraph) {
  const Recorded r = record({.last_ns = 100'000'000}, [](Firer& f) {
    GraphClass of{kClass, 0};
    const uint32_t begin[] = {0, 0};
    add_graph({"g", &of, 1, 1, begin, begin});
    f.join();
    for (int i = 0; i < 50; ++i) f.fire(f.lasts);
    until_flushed();
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    until_flushed();
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    for (int i = 0; i < 20; ++i) f.fire(f.lasts);
    f.leave();
  });
  EXPECT_EQ(r.file.of(BlockType::codelet_graphs).size(), 1u);
  EXPECT_GE(r.told.begun, 20u);
}

// A description is not to be larger than the file may be; then its codelets are only counted.
TEST(RecordCodelets, WhatHasNoRoomIsNotDescribed) {
  const Recorded r = record({.max_bytes = 1 << 20}, [](Firer& f) {
    std::vector<uint32_t> begin(300'001), none(300'001);
    std::iota(begin.begin(), begin.end(), 0);
    GraphClass of{kClass, 0};
    const uint32_t large = add_graph({"large", &of, 1, 300'000, begin.data(), begin.data()});
    const uint32_t small = add_graph({"small", &of, 1, 1000, begin.data(), begin.data()});
    f.join();
    f.fire_brief(1);
    f.leave();
    fprintf(stderr, "{\"large\":%u,\"small\":%u}", large, small);
  });
  EXPECT_EQ(json_number(r.account, "large"), 0);
  EXPECT_EQ(json_number(r.account, "small"), 1);
}

// What the thread does for the recorder is no work of the program's, however long it takes.
TEST(RecordCodelets, TheRecordersOwnWorkIsToldAsSuch) {
  constexpr uint64_t kMs = 5;
  const Recorded r = record({}, [](Firer& f) {
    auto cpu_ms = [] {
      timespec t{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
      return uint64_t(t.tv_sec) * 1000 + uint64_t(t.tv_nsec) / 1'000'000;
    };
    {
      const OwnWork own(f.s);
      for (const uint64_t begin = cpu_ms(); cpu_ms() <= begin + kMs;) {}
    }
    f.join(), f.fire_brief(2), f.leave();
  });
  clock_init();  // what recorded was another process
  EXPECT_GE(r.told.recorder, kMs * ticks_per_second() / 1000);
}

}  // namespace
}  // namespace einkorn::record
