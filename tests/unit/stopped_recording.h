// A recording in which one thread is stopped: 104 tasks of 10 ms on two threads, and one of them takes 50 ms, as its
// thread has no CPU for 40 of them. That is 3.7 % of the threads' time: times are valid.
#pragma once
#include "profile_support.h"

namespace einkorn::test {

inline constexpr int64_t kMs = 1'000'000;
inline constexpr uint32_t kTasksOfFirst = 50, kTasksOfSecond = 54, kStoppedTask = 7;

// `stop`: ns. `readings`: the CPU time is read at the end of every so many tasks.
inline profile::Profile stopped_recording(int64_t stop = 40 * kMs, uint32_t readings = 1) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000), task = file.site(Construct::task, 0x2000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 0);
  const uint64_t region = a.new_region();
  a.at(0).region_begin(parallel, region, 2).implicit_begin(0, region);
  b.at(0).implicit_begin(1, region);
  uint64_t first = 0;
  for (uint32_t i = 0; i < kTasksOfFirst + kTasksOfSecond; ++i)
    if (const uint64_t id = a.at(0).create(task, 0); i == 0) first = id;
  a.cpu_time(0, 0).wait_begin(end);
  b.cpu_time(0, 0).wait_begin(end);
  int64_t now = 0, missed = 0;
  uint64_t next = first;
  for (uint32_t i = 0; i < kTasksOfFirst; ++i) {
    a.start(next++);
    if (i == kStoppedTask) now += stop, missed = stop;
    now += 10 * kMs;
    a.at(uint64_t(now));
    if (i % readings == readings - 1) a.cpu_time(uint64_t(now - missed), 0);
    a.end();
  }
  for (uint32_t i = 0; i < kTasksOfSecond; ++i) {
    b.start(next++).at(uint64_t(i + 1) * 10 * kMs);
    if (i % readings == readings - 1) b.cpu_time(uint64_t(i + 1) * 10 * kMs, 0);
    b.end();
  }
  const uint64_t over = uint64_t(std::max<int64_t>(now, int64_t(kTasksOfSecond) * 10 * kMs));
  b.at(over).wait_end().implicit_end();
  a.at(over).wait_end().implicit_end().region_end().thread_end();
  const Loaded l = load_file(file);
  EXPECT_TRUE(l.ok) << l.error.message;
  EXPECT_EQ(l.details.unmatched, 0u);
  return l.profile;
}

}  // namespace einkorn::test
