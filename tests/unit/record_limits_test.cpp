// Limits on what is recorded one by one, or at all: counts stay exact, contexts match, and the file stays small.
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include "record/recorder.h"
#include "record/stream.h"
#include "record_child.h"
#include "record_reader.h"
#include "record_replay.h"

namespace einkorn::record {
namespace {

std::string as_json(const Account& a) {
  return "{\"tasks\":" + std::to_string(a.tasks) + ",\"chunks\":" + std::to_string(a.chunks) +
         ",\"regions\":" + std::to_string(a.regions) + "}";
}

// Records in a child; what the child prints is its own account.
TestFile record(Options options, const std::string& path, const std::function<Account()>& body, std::string& account) {
  options.path = path.c_str();
  auto result = in_child([&] {
    start(options);
    fputs(as_json(body()).c_str(), stderr);
  });
  EXPECT_TRUE(result.ok()) << result.stderr_text;
  account = result.stderr_text;
  TestFile f = read_grain(path);
  EXPECT_FALSE(f.bad) << f.error;
  return f;
}

int64_t total(const TestFile& f, const char* key) { return json_number(f.of(BlockType::end).at(0)->payload, key); }

Account one_thread(unsigned seed, int rounds) {
  Stream* s = open_stream(true);
  Account a = work(*s, seed, rounds);
  close_stream(s);
  finish();
  return a;
}

TEST(RecordLimits, BelowADepthTasksAreCounted) {
  TempDir dir;
  for (uint32_t depth : {0u, 1u, 3u, 100u}) {
    std::string account;
    TestFile f = record({.depth = depth}, dir.file(std::to_string(depth)), [] { return one_thread(7, 2000); }, account);
    Replay r(f.records(0));
    ASSERT_FALSE(f.bad) << f.error;
    ASSERT_EQ(r.error, "");
    EXPECT_TRUE(r.open.empty());
    const int64_t tasks = json_number(account, "tasks");
    EXPECT_EQ(int64_t(r.created + r.below_created), tasks);
    EXPECT_EQ(int64_t(r.executed + r.below_executed), tasks);
    EXPECT_EQ(r.ended, r.below_executed);
    EXPECT_EQ(r.below_in_histogram, r.below_executed);
    EXPECT_EQ(r.stretch_work, r.below_work);
    EXPECT_EQ(total(f, "tasks"), tasks);
    EXPECT_EQ(total(f, "aggregated_tasks"), int64_t(r.below_created));
    if (depth == 0) {
      EXPECT_EQ(r.created, 0u);
    } else if (depth < 100) {
      EXPECT_GT(r.created, 0u);
      EXPECT_GT(r.below_created, r.created / 8);
    } else {
      EXPECT_EQ(r.below_created, 0u);
    }
  }
}

// A nested region, and a task of another branch, within a task that is not recorded: both are recorded all the same.
TEST(RecordLimits, WhatIsRecordedWithinWhatIsNot) {
  TempDir dir;
  std::string account;
  TestFile f = record(
      {.depth = 1}, dir.file("a.grain"),
      [] {
        Stream* s = open_stream(true);
        const uint64_t region = s->new_region_id();
        s->region_begin(einkorn::ticks(), 1, region, 1, 1);
        s->implicit_begin(einkorn::ticks(), 0, region);
        const uint64_t first = s->task_create(einkorn::ticks(), einkorn::ticks(), 1, 1, 0),
                       other = s->task_create(einkorn::ticks(), einkorn::ticks(), 1, 1, 0);
        s->wait_begin(einkorn::ticks(), 2);
        s->task_start(einkorn::ticks(), first);
        const uint64_t below = s->task_create(einkorn::ticks(), einkorn::ticks(), 1, 2, first);
        EXPECT_TRUE(is_aggregated(below));
        EXPECT_EQ(ancestor_of_aggregated(below), first);
        s->wait_begin(einkorn::ticks(), 2);
        s->task_start(einkorn::ticks(), below);
        const uint64_t nested = s->new_region_id();
        s->region_begin(einkorn::ticks(), 1, nested, 1, 2);
        s->implicit_begin(einkorn::ticks(), 0, nested);
        s->implicit_end(einkorn::ticks());
        s->region_end(einkorn::ticks());
        s->yield(einkorn::ticks(), 3);
        s->task_start(einkorn::ticks(), other);
        const uint64_t of_other = s->task_create(einkorn::ticks(), einkorn::ticks(), 1, 2, other);
        s->task_start(einkorn::ticks(), of_other);
        s->task_end(einkorn::ticks());
        s->task_end(einkorn::ticks());
        s->yield_end(einkorn::ticks());
        s->task_end(einkorn::ticks());
        s->wait_end(einkorn::ticks());
        s->task_end(einkorn::ticks());
        s->wait_end(einkorn::ticks());
        s->implicit_end(einkorn::ticks());
        s->region_end(einkorn::ticks());
        close_stream(s);
        finish();
        return Account{4, 0, 2};
      },
      account);
  Replay r(f.records(0));
  ASSERT_EQ(r.error, "");
  EXPECT_TRUE(r.open.empty());
  EXPECT_EQ(r.created, 2u);
  EXPECT_EQ(r.executed, 2u);
  EXPECT_EQ(r.regions, 2u);
  EXPECT_EQ(r.below_created, 2u);
  EXPECT_EQ(r.below_executed, 2u);
}

// Losses that begin and end anywhere, among tasks that are recorded and such that are not.
TEST(RecordLimits, LossesAmongAggregates) {
  TempDir dir;
  std::string account;
  TestFile f = record(
      {.memory_bytes = 2 * kBufferBytes, .depth = 2}, dir.file("a.grain"),
      [] {
        Stream* s = open_stream(true);
        Account sum;
        for (unsigned round = 0; round < 6; ++round) {
          stall_writer_for_test(round % 2 == 0);
          sum += work(*s, round, 8000);
          stall_writer_for_test(false);
          until_a_buffer_is_free();
        }
        close_stream(s);
        finish();
        return sum;
      },
      account);
  Replay r(f.records(0));
  ASSERT_FALSE(f.bad) << f.error;
  ASSERT_EQ(r.error, "");
  EXPECT_TRUE(r.open.empty());
  EXPECT_GE(r.losses, 2u);
  for (const char* key : {"tasks", "chunks", "regions"}) EXPECT_EQ(total(f, key), json_number(account, key)) << key;
}

TEST(RecordLimits, AFilteredLine) {
  TempDir dir;
  const int line = 17;
  const std::string filter = "src/a.c:" + std::to_string(line);
  std::string account;
  TestFile f = record(
      {.filter = filter.c_str()}, dir.file("a.grain"),
      [] {
        Stream* s = open_stream(true);
        auto site = [s](Construct c, const char* text) { return s->site(c, 0, text, text, text); };
        const uint32_t in = site(Construct::task, ";/home/src/a.c;main;17;3;;"),
                       out = site(Construct::task, ";/home/src/a.c;main;18;3;;");
        const uint32_t other = site(Construct::task, ";/home/xsrc/a.c;main;17;3;;"),
                       loop = site(Construct::loop, ";src/a.c;main;17;3;;");
        EXPECT_TRUE(in & kAggregateSite);
        EXPECT_FALSE(out & kAggregateSite);
        EXPECT_FALSE(other & kAggregateSite);
        const uint64_t region = s->new_region_id();
        s->region_begin(einkorn::ticks(), 1, region, 1, 1);
        s->implicit_begin(einkorn::ticks(), 0, region);
        for (uint32_t where : {in, out, other}) {
          const uint64_t id = s->task_create(einkorn::ticks(), einkorn::ticks(), where, 1, 0);
          s->task_range(0, 5);
          s->task_start(einkorn::ticks(), id);
          const uint64_t child = s->task_create(einkorn::ticks(), einkorn::ticks(), out, 2, id);
          s->depend(1, 2, 3);
          s->task_start(einkorn::ticks(), child);
          s->task_end(einkorn::ticks());
          s->task_end(einkorn::ticks());
        }
        s->loop_begin(einkorn::ticks(), loop, 0, 30, 1, 10, Schedule::dynamic);
        for (uint64_t c = 0; c < 3; ++c) {
          s->chunk_begin(einkorn::ticks(), c * 10, 10);
          s->chunk_end(einkorn::ticks());
        }
        s->loop_end(einkorn::ticks());
        s->implicit_end(einkorn::ticks());
        s->region_end(einkorn::ticks());
        close_stream(s);
        finish();
        return Account{6, 3, 1};
      },
      account);
  auto records = f.records(0);
  Replay r(records);
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.created, 4u);
  EXPECT_EQ(r.chunks, 0u);
  EXPECT_EQ(r.below_created, 2u);
  EXPECT_EQ(r.below_executed, 2u + 3u);
  EXPECT_EQ(total(f, "tasks"), 6);
  EXPECT_EQ(total(f, "chunks"), 3);
  EXPECT_EQ(total(f, "aggregated_chunks"), 3);
  // What describes a task that has no record has none either.
  int ranges = 0, depends = 0;
  for (auto& x : records) ranges += x.kind == Kind::task_range, depends += x.kind == Kind::depend;
  EXPECT_EQ(ranges, 2);
  EXPECT_EQ(depends, 2);
}

TEST(RecordLimits, PausedAndStarted) {
  TempDir dir;
  for (bool roi : {false, true}) {
    std::string account;
    TestFile f = record(
        {.roi = roi}, dir.file(roi ? "roi" : "all"),
        [&] {
          Stream* s = open_stream(true);
          Account sum;
          for (unsigned round = 0; round < 4; ++round) {
            if (!roi || round > 0) {
              EXPECT_EQ(control(round % 2 ? kStart : kPause), 0);
            }
            sum += work(*s, round, 50);
          }
          close_stream(s);
          finish();
          return sum;
        },
        account);
    Replay r(f.records(0));
    ASSERT_FALSE(f.bad) << f.error;
    ASSERT_EQ(r.error, "");
    EXPECT_TRUE(r.open.empty());
    EXPECT_EQ(r.losses, 2u);
    EXPECT_EQ(r.regions, 2u);
    EXPECT_EQ(int64_t(r.created + r.lost_created), json_number(account, "tasks"));
    EXPECT_EQ(total(f, "tasks"), json_number(account, "tasks"));
    EXPECT_EQ(total(f, "outside_tasks"), int64_t(r.lost_executed));
    EXPECT_EQ(total(f, "lost_tasks"), 0);
    EXPECT_GT(r.created, 0u);
    EXPECT_GT(r.lost_created, 0u);
  }
}

// Other threads hear of a pause at their next record.
TEST(RecordLimits, PauseReachesAllThreads) {
  TempDir dir;
  std::string account;
  TestFile f = record(
      {}, dir.file("a.grain"),
      [] {
        std::atomic<uint64_t> tasks{0};
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < 4; ++i)
          threads.emplace_back([&, i] {
            Stream* s = open_stream(false);
            for (unsigned round = 0; round < 30; ++round) tasks += work(*s, i * 100 + round, 20).tasks;
            close_stream(s);
          });
        for (int i = 0; i < 20; ++i) {
          control(i % 2 ? kStart : kPause);
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        for (auto& t : threads) t.join();
        finish();
        return Account{tasks, 0, 0};
      },
      account);
  uint64_t created = 0, lost = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    Replay r(f.records(i));
    ASSERT_EQ(r.error, "") << i;
    EXPECT_TRUE(r.open.empty());
    created += r.created;
    lost += r.lost_created;
  }
  ASSERT_FALSE(f.bad) << f.error;
  EXPECT_EQ(int64_t(created + lost), json_number(account, "tasks"));
  EXPECT_EQ(total(f, "tasks"), json_number(account, "tasks"));
}

// As large as was allowed, about, and nothing is missing in its counts.
static void expect_a_file_of(uint64_t size, TempDir& dir, TestFile& f, const std::string& account) {
  EXPECT_LT(std::filesystem::file_size(dir.file("a.grain")), 2 * size);
  EXPECT_GT(std::filesystem::file_size(dir.file("a.grain")), size / 4);
  Replay r(f.records(0));
  ASSERT_FALSE(f.bad) << f.error;
  ASSERT_EQ(r.error, "");
  for (const char* key : {"tasks", "chunks", "regions"}) EXPECT_EQ(total(f, key), json_number(account, key)) << key;
  EXPECT_GT(total(f, "aggregated_tasks"), 0);
}

TEST(RecordLimits, AFileOfASize) {
  TempDir dir;
  std::string account;
  constexpr uint64_t kSize = 1 << 20;
  TestFile f = record({.max_bytes = kSize}, dir.file("a.grain"), [] { return one_thread(3, 200000); }, account);
  expect_a_file_of(kSize, dir, f, account);
}

// Threads do not wait for the writer to say that there is enough.
TEST(RecordLimits, AFileOfASizeHoweverLateTheWriterIs) {
  TempDir dir;
  std::string account;
  constexpr uint64_t kSize = 1 << 20;
  TestFile f = record(
      {.max_bytes = kSize}, dir.file("a.grain"),
      [] {
        Stream* s = open_stream(true);
        stall_writer_for_test(true);
        Account a = work(*s, 3, 200000);
        stall_writer_for_test(false);
        close_stream(s);
        finish();
        return a;
      },
      account);
  expect_a_file_of(kSize, dir, f, account);
}

// Each thread has a buffer, and together these are larger than the file may become: what counts is what is in them.
TEST(RecordLimits, ManyThreadsOfFewRecords) {
  TempDir dir;
  constexpr int kThreads = 64;
  std::string account;
  TestFile f = record(
      {.max_bytes = 4 << 20}, dir.file("a.grain"),
      [] {
        Stream* streams[kThreads];
        for (Stream*& s : streams) s = open_stream(&s == streams);
        for (int i = 0; i < 10; ++i) {
          for (Stream* s : streams) {
            s->task_create(einkorn::ticks(), einkorn::ticks(), 1, 1, 0);
            s->task_start(einkorn::ticks(), s->last_task_id());
            s->task_end(einkorn::ticks());
          }
          control(kFlush);  // the writer looks at the limits
        }
        for (Stream* s : streams) close_stream(s);
        finish();
        return Account{10 * kThreads, 0, 0};
      },
      account);
  EXPECT_EQ(total(f, "tasks"), 10 * kThreads);
  EXPECT_EQ(total(f, "lost_tasks"), 0);
  uint64_t created = 0;
  for (uint32_t i = 0; i < kThreads; ++i) {
    Replay r(f.records(i));
    ASSERT_EQ(r.error, "") << i;
    created += r.created;
  }
  EXPECT_EQ(created, uint64_t(10 * kThreads));
}

TEST(RecordLimits, TheLatestSeconds) {
  TempDir dir;
  for (bool flush : {false, true}) {
    std::string account;
    TestFile f = record(
        {.last_ns = 400'000'000}, dir.file(flush ? "flush" : "end"),
        [&] {
          Stream* s = open_stream(true);
          const uint64_t region = s->new_region_id();
          s->region_begin(einkorn::ticks(), 1, region, 1, 1);
          s->implicit_begin(einkorn::ticks(), 0, region);
          const uint64_t id = s->task_create(einkorn::ticks(), einkorn::ticks(), 1, 1, 0);
          s->task_start(einkorn::ticks(), id);
          Account sum;
          sum.tasks = 1;
          const uint64_t begin = einkorn::ticks(), second = einkorn::ticks_per_second();
          for (unsigned round = 0; round < 150 || einkorn::ticks() - begin < 2 * second; ++round) {
            sum += work(*s, round, 10);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            if (flush && round == 100) {
              EXPECT_EQ(control(kFlush), 0);
            }
          }
          ++sum.regions;
          s->task_end(einkorn::ticks());
          s->implicit_end(einkorn::ticks());
          s->region_end(einkorn::ticks());
          close_stream(s);
          finish();
          return sum;
        },
        account);
    auto records = f.records(0);
    ASSERT_FALSE(f.bad) << f.error;
    Replay r(records);
    ASSERT_EQ(r.error, "");
    EXPECT_TRUE(r.open.empty());
    EXPECT_EQ(total(f, "tasks"), json_number(account, "tasks"));
    EXPECT_EQ(total(f, "outside_tasks"), int64_t(r.lost_executed));
    EXPECT_EQ(int64_t(r.executed + r.lost_executed), json_number(account, "tasks"));
    EXPECT_GT(r.lost_executed, 0u);  // how much of two seconds depends on when the writer has a CPU
    // What was open when the kept part began is opened first, at its own time.
    ASSERT_GE(records.size(), 6u);
    std::vector<Kind> openings;
    for (auto& x : records)
      if (openings.size() < 3 && x.kind != Kind::loss) openings.push_back(x.kind);
    if (!flush) {
      EXPECT_EQ(openings, (std::vector<Kind>{Kind::region_begin, Kind::implicit_begin, Kind::task_start}));
      uint64_t last_loss = 0;
      for (auto& x : records)
        if (x.kind == Kind::loss) last_loss = x.tick;
      // Nothing that is younger than the writer's last look: it notes the time after that.
      Anchor last;
      memcpy(&last, f.of(BlockType::anchor).back()->payload.data(), sizeof last);
      EXPECT_GT(last_loss, records.front().tick);
      EXPECT_GE(double(last.ticks - last_loss) / double(f.header.ticks_per_second), 0.395);
    }
  }
}

}  // namespace
}  // namespace einkorn::record
