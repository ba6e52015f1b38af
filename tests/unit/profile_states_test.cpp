// Where a thread's time goes: every interval in one state, none left out, none twice.
#include "profile/state_clock.h"
#include "profile_support.h"

namespace einkorn {
namespace {

using namespace test;
using profile::State;
using profile::StateClock;

// Intervals follow each other without gap or overlap; a thread that is not the initial one may pause between regions.
void expect_partition(const Loaded& l) {
  for (const auto& [thread, intervals] : l.intervals) {
    const profile::Thread& t = l.profile.threads[thread];
    int64_t sum = 0, at = intervals.front().begin;
    if (t.initial) {
      EXPECT_EQ(at, t.begin);
    }
    for (const auto& i : intervals) {
      ASSERT_GE(i.begin, at) << "thread " << thread;
      ASSERT_TRUE(!t.initial || i.begin == at) << "thread " << thread;
      ASSERT_GT(i.end, i.begin);
      sum += i.end - i.begin;
      at = i.end;
    }
    if (t.initial) {
      EXPECT_EQ(at, t.end);
    }
    EXPECT_EQ(sum, t.in_team);
  }
}

TEST(States, PartitionTheThreadsInterval) {
  Loaded l = load_file(rich_recording());
  ASSERT_EQ(l.intervals.size(), 3u);
  expect_partition(l);
  // In the team from 107 to 272 and from 236 to 244, without a pause.
  const auto& b = l.intervals[1];
  EXPECT_EQ(b.front().begin, 107);
  EXPECT_EQ(b.back().end, 272);
  for (size_t i = 1; i < b.size(); ++i) EXPECT_EQ(b[i].begin, b[i - 1].end);
  EXPECT_EQ(l.profile.threads[1].in_team, 165);
  EXPECT_EQ(l.profile.threads[2].in_team, 8);
  EXPECT_EQ(time_in(l.profile.threads[1], State::blocked), 10);
  EXPECT_EQ(time_in(l.profile.threads[0], State::recorder), 1);
}

// Times hold no more where threads were ready to run for more than 5 % of their time and had no CPU, by the kernel's
// account at the end, however little of their work is missing: threads that the runtime had parked and woken wait for a
// CPU, too.
TEST(States, TimesAreNotValidWhereThreadsWaitedForACpu) {
  GrainFile file = rich_recording();
  const Loaded before = load_file(file);
  ASSERT_TRUE(before.profile.times_valid);
  const int64_t all = profile::all_thread_time(before.profile);
  ASSERT_LT(before.profile.thread_time[size_t(State::offcpu)], all / 25);
  for (const auto& [part, valid] : {std::pair(0.04, true), std::pair(0.06, false)}) {
    file.totals = "{\"cpu_wait_ns\":" + std::to_string(int64_t(part * double(all))) + "}";
    const Loaded l = load_file(file);
    EXPECT_EQ(l.profile.times_valid, valid) << part;
    EXPECT_NEAR(profile::without_cpu(l.profile), part, 0.01);
  }
}

// Nor where the host of a virtual machine took more than that of the CPUs that the process may use.
TEST(States, TimesAreNotValidWhereTheHostTookTheCpus) {
  GrainFile file = rich_recording();
  file.meta = "{\"cpus\":2}";
  const int64_t wall = load_file(file).profile.wall_ns;
  for (const auto& [part, valid] : {std::pair(0.04, true), std::pair(0.06, false)}) {
    file.totals = "{\"steal_ns\":" + std::to_string(int64_t(part * 2 * double(wall))) + "}";
    const Loaded l = load_file(file);
    EXPECT_EQ(l.profile.times_valid, valid) << part;
    EXPECT_NEAR(profile::without_cpu(l.profile), part, 0.011);
  }
}

// Of one thread, all that it works is in some grain.
void expect_work_in_grains(const Loaded& l, int64_t work, int64_t overhead) {
  int64_t grains = 0;
  for (const profile::Grain& g : l.profile.grains)
    if (g.kind != profile::GrainKind::initial) grains += g.exec;
  EXPECT_EQ(time_in(l.profile.threads[0], State::work), work);
  EXPECT_EQ(time_in(l.profile.threads[0], State::overhead), overhead);
  EXPECT_EQ(grains, work);
  EXPECT_LE(l.profile.critical_path_ns, work + time_in(l.profile.threads[0], State::serial));
}

// What its creator does behind a taskloop is its own again: 20 before it, 35 behind. `group`: made by the same call,
// before it and after it are the runtime's.
Loaded taskloop_of_one(bool group) {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000),
                 taskloop = file.site(Construct::taskloop, 0x3000, 0x1400),
                 of_group = file.site(Construct::taskgroup, 0, 0x1400);
  Script& a = file.thread(Script::kInitial);
  const uint64_t region = a.new_region();
  a.at(10).region_begin(parallel, region, 1).at(20).implicit_begin(0, region);
  if (group) a.at(40).group_begin(of_group);
  a.at(group ? 43 : 40).taskloop_begin(taskloop, 4, 2);
  for (uint64_t piece = 0; piece < 2; ++piece) {
    const uint64_t task = a.at(50 + 20 * piece).create(taskloop, 2);
    a.at(55 + 20 * piece).start(task).at(65 + 20 * piece).end().range(2 * piece, 2);
  }
  a.at(90).taskloop_end();
  if (group) a.at(94).wait_begin(of_group).at(95).wait_end();
  a.at(125).wait_begin(end).at(130).wait_end().implicit_end().at(131).region_end().at(140).thread_end();
  return load_file(file);
}

TEST(States, WhatFollowsATaskloopIsItsCreators) {
  expect_work_in_grains(taskloop_of_one(false), 20 + 20 + 35, 10 + 30 + 6);
}
TEST(States, ATaskloopAndItsGroupAreOneCall) {
  expect_work_in_grains(taskloop_of_one(true), 20 + 20 + 30, 10 + 35 + 6);
}

// gcc's programs pass from a loop's end to its barrier in the runtime; clang's come back in between.
TEST(States, FromALoopsEndToItsBarrier) {
  for (const bool clang : {false, true}) {
    GrainFile file;
    const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                   end = file.site(Construct::barrier_parallel, 0x1000);
    const uint32_t loop = file.site(Construct::loop, 0, 0x1200),
                   barrier = file.site(Construct::barrier_workshare, 0, 0x1300, clang ? record::kSiteClang : 0);
    Script& a = file.thread(Script::kInitial);
    const uint64_t region = a.new_region();
    a.at(10).region_begin(parallel, region, 1).at(20).implicit_begin(0, region).loop_begin(loop, 4, 4);
    a.at(22).chunk(0).at(40).chunk_end().at(41).loop_end();
    a.at(50).cpu_time(50, 0).wait_begin(barrier).at(52).wait_end();  // CPU time is read before the record that it
                                                                     // stands before
    a.at(60).wait_begin(end).at(61).wait_end().implicit_end().at(62).region_end().at(70).thread_end();
    expect_work_in_grains(load_file(file), 18 + 8 + 9 * clang, 10 + 2 + 1 + 2 + 2 + 9 * !clang);
  }
}

TEST(States, PartitionHoldsWhereRecordsAreMissing) {
  Loaded l = load_file(lossy_recording());
  expect_partition(l);
  const profile::Thread &a = l.profile.threads[0], &b = l.profile.threads[1];
  // Thread 0: the lost block's time to the next region's begin; thread 1: the loss record's 100, and the torn end
  // from its last record at 370 to the recording's end at 440.
  EXPECT_EQ(time_in(b, State::unattributed), 100 + 70);
  EXPECT_GT(time_in(a, State::unattributed), 0);
  EXPECT_EQ(l.profile.totals.lost_tasks, 4u);
  EXPECT_EQ(l.profile.totals.lost_chunks, 5u);
  EXPECT_FALSE(l.profile.totals.complete);
}

TEST(States, UnrecordedEndIsUnattributed) {
  GrainFile file;
  file.complete = false;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), task = file.site(Construct::task, 0x2000);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 5);
  uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2).at(110).implicit_begin(0, region);
  b.at(120).implicit_begin(1, region).at(130).start(a.at(115).create(task, 5));
  a.at(500).cpu(1, 0).at(500).cpu_time(1, 1);
  Loaded l = load_file(file);
  EXPECT_EQ(time_in(l.profile.threads[1], State::unattributed), 370);
  EXPECT_EQ(time_in(l.profile.threads[1], State::work), 10);
  EXPECT_EQ(l.profile.threads[1].in_team, 380);
  for (const profile::Grain& g : l.profile.grains)
    if (g.kind == profile::GrainKind::task) {
      EXPECT_TRUE(g.flags & profile::kIncomplete);
    }
  // The same recording with its end: the state lasts until then.
  file.complete = true;
  l = load_file(file);
  EXPECT_EQ(time_in(l.profile.threads[1], State::unattributed), 0);
  EXPECT_EQ(time_in(l.profile.threads[1], State::work), 380);
}

// ---- off-CPU -----------------------------------------------------------------------------------------------------

TEST(OffCpu, IsWhatTheClocksDisagreeBy) {
  StateClock c;
  c.reading(0, 0, 0);
  c.add(State::work, 0, 1000000);
  c.reading(1000000, 400000, 0);
  EXPECT_EQ(c.times()[int(State::offcpu)], 600000);
  EXPECT_EQ(c.times()[int(State::work)], 400000);
}

TEST(OffCpu, ParkingIsNotCounted) {
  StateClock c;
  c.reading(0, 0, 0);
  c.add(State::work, 0, 300000);
  c.add(State::idle, 300000, 1000000);
  c.reading(1000000, 300000, 700000);
  EXPECT_EQ(c.times()[int(State::offcpu)], 0);
  EXPECT_EQ(c.times()[int(State::idle)], 700000);
}

TEST(OffCpu, EachKindOfTimeBearsItsShare) {
  StateClock c;
  c.reading(0, 0, 0);
  c.add(State::serial, 0, 500000);
  c.add(State::work, 500000, 700000);
  c.add(State::overhead, 700000, 800000);
  c.add(State::work, 800000, 1000000);
  c.reading(1000000, 500000, 0);
  // Half of the time was off the CPU: half of the work.
  EXPECT_EQ(c.times()[int(State::offcpu)], 200000);
  EXPECT_EQ(c.times()[int(State::work)], 200000);
  EXPECT_EQ(c.times()[int(State::serial)], 500000);
}

// The state offcpu is what was so of the work; whether times mean anything is asked of all of it, but for what was
// asleep or serial.
TEST(OffCpu, IsCountedInWhateverState) {
  StateClock c;
  c.reading(0, 0, 0);
  c.add(State::overhead, 0, 600000);
  c.add(State::idle, 600000, 1000000);
  c.reading(1000000, 500000, 100000);
  EXPECT_EQ(c.times()[int(State::offcpu)], 0);
  EXPECT_EQ(c.off_cpu(), 400000);
  c.add(State::serial, 1000000, 2000000);
  c.reading(2000000, 1000000, 100000);
  EXPECT_EQ(c.off_cpu(), 400000);
}

TEST(OffCpu, NoiseIsBelowTwentyMicrosecondsAndOnePercent) {
  auto missing = [](int64_t wall, int64_t off) {
    StateClock c;
    c.reading(0, 0, 0);
    c.add(State::work, 0, wall);
    c.reading(wall, wall - off, 0);
    return c.times()[int(State::offcpu)];
  };
  EXPECT_EQ(missing(10000000, 19000), 0);
  EXPECT_EQ(missing(10000000, 21000), 21000);  // more than clocks differ by
  EXPECT_EQ(missing(1000000, 15000), 15000);   // 1.5 % of the window
  EXPECT_EQ(missing(1000000, -5000), 0);       // the CPU clock ran ahead
}

TEST(OffCpu, TimeOutsideTeamsIsNobodys) {
  StateClock c;
  c.reading(0, 0, 0);
  c.outside(0, 800000);  // asleep between regions
  c.add(State::work, 800000, 1000000);
  c.reading(1000000, 200000, 0);
  EXPECT_EQ(c.times()[int(State::offcpu)], 0);
}

TEST(OffCpu, MakesTimesInvalidAboveFivePercent) {
  for (uint64_t off : {40000, 60000}) {
    GrainFile file;
    uint32_t parallel = file.site(Construct::parallel, 0x1000);
    Script& a = file.thread(Script::kInitial);
    uint64_t region = a.new_region();
    a.at(0).region_begin(parallel, region, 1).at(10).implicit_begin(0, region).cpu_time(0, 0);
    a.at(1000000).cpu_time(1000000 - 10 - off, 0, 7).implicit_end().at(1000010).region_end().thread_end();
    Loaded l = load_file(file);
    EXPECT_EQ(l.profile.times_valid, off < 50000);
    EXPECT_EQ(time_in(l.profile.threads[0], State::offcpu), int64_t(off));
    EXPECT_EQ(l.profile.threads[0].involuntary_switches, 7);
  }
}

TEST(Locks, AreCountedByAddress) {
  GrainFile file;
  uint32_t parallel = file.site(Construct::parallel, 0x1000), critical = file.site(Construct::critical, 0, 0x1100);
  Script& a = file.thread(Script::kInitial);
  uint64_t region = a.new_region();
  a.at(0).region_begin(parallel, region, 1).at(10).implicit_begin(0, region);
  a.at(20)
      .mutex_acquired(critical, 0x77)
      .at(30)
      .mutex_acquired(critical, 0x88)
      .at(35)
      .mutex_released(0x88)
      .at(50)
      .mutex_released(0x77);
  a.at(60).mutex_wait(critical, 0x77).at(90).mutex_acquired(critical, 0x77).at(100).mutex_released(0x77, 5);
  a.at(110).implicit_end().region_end().thread_end();
  Loaded l = load_file(file);
  ASSERT_EQ(l.profile.locks.size(), 2u);
  EXPECT_EQ(l.profile.locks[0].address, 0x77u);
  EXPECT_EQ(l.profile.locks[0].acquired, 2u);
  EXPECT_EQ(l.profile.locks[0].contended, 1u);
  EXPECT_EQ(l.profile.locks[0].held, 40);
  EXPECT_EQ(l.profile.locks[0].waited, 30);
  EXPECT_EQ(l.profile.locks[0].waking, 5);
  EXPECT_EQ(l.profile.locks[1].held, 5);
  EXPECT_EQ(l.profile.locks[1].waking, 0);
  EXPECT_EQ(time_in(l.profile.threads[0], State::blocked), 30);
  EXPECT_EQ(time_in(l.profile.threads[0], State::work), 65);
}

}  // namespace
}  // namespace einkorn
