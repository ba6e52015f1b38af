// Where no buffer is free: records are lost, counts are not, and the contexts fit together again afterwards.
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include "record/recorder.h"
#include "record/stream.h"
#include "record_child.h"
#include "record_reader.h"

namespace einkorn::record {
namespace {

// What one thread did, by its own account.
struct Account {
  uint64_t tasks = 0, chunks = 0, regions = 0;
};

// Calls as a recursive program makes them: tasks in waits in tasks, loops with chunks in between.
void recurse(Stream& s, std::mt19937& random, int depth, Account& a) {
  int children = depth == 0 ? 0 : int(random() % 3);
  std::vector<uint64_t> ids;
  for (int i = 0; i < children; ++i) {
    uint64_t t = now();
    ids.push_back(s.task_create(t, t + random() % 100, 1));
    ++a.tasks;
  }
  if (random() % 8 == 0) {
    s.loop_begin(now(), 2, 0, 30, 1, 10, Schedule::dynamic);
    for (int c = 0; c < 3; ++c) {
      s.chunk_begin(now(), uint64_t(c) * 10, 10);
      s.chunk_end(now());
      ++a.chunks;
    }
    s.loop_end(now());
  }
  s.wait_begin(now(), 3);
  for (uint64_t id : ids) {
    s.task_start(now(), id);
    recurse(s, random, depth - 1, a);
    s.task_end(now());
  }
  s.wait_end(now());
}

Account work(Stream& s, unsigned seed, int rounds) {
  std::mt19937 random(seed);
  Account a;
  uint64_t region = s.new_region_id();
  s.region_begin(now(), 4, region, 1, 1);
  s.implicit_begin(now(), 0, region);
  ++a.regions;
  for (int i = 0; i < rounds; ++i) recurse(s, random, 6, a);
  s.implicit_end(now());
  s.region_end(now());
  return a;
}

// Follows one thread's contexts through its records: they must nest, with losses as the only gaps.
struct Replay {
  uint64_t created = 0, executed = 0, chunks = 0, regions = 0, losses = 0, lost_created = 0, lost_executed = 0, lost_chunks = 0;
  std::vector<Kind> open;
  std::string error;

  static Kind closer(Kind k) {
    switch (k) {
      case Kind::region_begin: return Kind::region_end;
      case Kind::implicit_begin: return Kind::implicit_end;
      case Kind::task_start: case Kind::task_start_other: return Kind::task_end;
      case Kind::wait_begin: return Kind::wait_end;
      case Kind::loop_begin: return Kind::loop_end;
      case Kind::chunk_begin: case Kind::chunk_begin_long: return Kind::chunk_end;
      default: return Kind::pad;
    }
  }
  explicit Replay(const std::vector<TestRecord>& records) {
    for (auto& r : records) {
      if (nesting(r.kind) > 0) open.push_back(r.kind);
      if (nesting(r.kind) < 0) {
        if (open.empty() || closer(open.back()) != r.kind) {
          error = "an end without its begin, kind " + std::to_string(int(r.kind));
          return;
        }
        open.pop_back();
      }
      switch (r.kind) {
        case Kind::task_create: case Kind::task_create_long: ++created; break;
        case Kind::task_start: case Kind::task_start_other: ++executed; break;
        case Kind::chunk_begin: case Kind::chunk_begin_long: ++chunks; break;
        case Kind::region_begin: ++regions; break;
        case Kind::loss:
          ++losses;
          lost_created += r.extra[1];
          lost_executed += r.extra[2];
          lost_chunks += r.extra[3];
          if (r.extra[4] > open.size()) {
            error = "a loss closes more than was open";
            return;
          }
          open.resize(open.size() - r.extra[4]);
          break;
        default: break;
      }
    }
  }
};

TEST(RecordLoss, CountsAreExactAndContextsFit) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  auto result = in_child([&] {
    start({.path = path.c_str(), .memory_bytes = 2 * kBufferBytes});
    Stream* s = open_stream(true);
    Account sum;
    for (unsigned round = 0; round < 6; ++round) {
      stall_writer_for_test(round % 2 == 0);
      Account a = work(*s, round, 3000);
      sum.tasks += a.tasks;
      sum.chunks += a.chunks;
      sum.regions += a.regions;
      if (round % 2) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    stall_writer_for_test(false);
    // Something at the end that is certainly recorded: the writer has had time to free a buffer.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    s->wait_begin(now(), 1);
    s->wait_end(now());
    close_stream(s);
    finish();
    fprintf(stderr, "{\"tasks\":%lu,\"chunks\":%lu,\"regions\":%lu}", sum.tasks, sum.chunks, sum.regions);
  });
  ASSERT_TRUE(result.ok());
  TestFile f = read_grain(path);
  auto records = f.records(0);
  ASSERT_FALSE(f.bad) << f.error;
  Replay r(records);
  ASSERT_EQ(r.error, "");
  EXPECT_TRUE(r.open.empty());
  EXPECT_GE(r.losses, 2u) << "the test did not make the recorder lose anything";
  int64_t tasks = json_number(result.stderr_text, "tasks"), chunks = json_number(result.stderr_text, "chunks");
  EXPECT_EQ(int64_t(r.created + r.lost_created), tasks);
  EXPECT_EQ(int64_t(r.executed + r.lost_executed), tasks);
  EXPECT_EQ(int64_t(r.chunks + r.lost_chunks), chunks);
  const std::string& end = f.of(BlockType::end).at(0)->payload;
  EXPECT_EQ(json_number(end, "tasks"), tasks);
  EXPECT_EQ(json_number(end, "chunks"), chunks);
  EXPECT_EQ(json_number(end, "regions"), json_number(result.stderr_text, "regions"));
  EXPECT_EQ(json_number(end, "lost_tasks"), int64_t(r.lost_executed));
  EXPECT_EQ(json_number(end, "lost_chunks"), int64_t(r.lost_chunks));
  EXPECT_GT(r.lost_executed, 0u);
}

TEST(RecordLoss, ALossThatNothingEndsIsCountedToo) {
  for (bool close : {true, false}) {
    TempDir dir;
    std::string path = dir.file("a.grain");
    auto result = in_child([&] {
      start({.path = path.c_str(), .memory_bytes = 2 * kBufferBytes});
      Stream* s = open_stream(true);
      stall_writer_for_test(true);
      s->wait_begin(now(), 1);
      s->wait_begin(now(), 1);
      Account a = work(*s, 1, 5000);
      s->wait_end(now());   // closes one that was open when the loss began; one stays open
      if (close) close_stream(s);
      finish();
      fprintf(stderr, "{\"tasks\":%lu,\"chunks\":%lu}", a.tasks, a.chunks);
    });
    ASSERT_TRUE(result.ok());
    TestFile f = read_grain(path);
    auto records = f.records(0);
    ASSERT_FALSE(f.bad) << f.error;
    Replay r(records);
    ASSERT_EQ(r.error, "");
    EXPECT_EQ(r.losses, 1u);
    int64_t tasks = json_number(result.stderr_text, "tasks");
    EXPECT_EQ(int64_t(r.created + r.lost_created), tasks);
    EXPECT_EQ(int64_t(r.executed + r.lost_executed), tasks);
    EXPECT_EQ(json_number(f.of(BlockType::end).at(0)->payload, "tasks"), tasks);
    EXPECT_EQ(json_number(f.of(BlockType::end).at(0)->payload, "chunks"), json_number(result.stderr_text, "chunks"));
    EXPECT_EQ(r.open.size(), 1u);
    EXPECT_EQ(records.back().kind == Kind::thread_end, close);
  }
}

// More threads than buffers: some have none from the start.
TEST(RecordLoss, MoreThreadsThanBuffers) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  auto result = in_child([&] {
    start({.path = path.c_str(), .memory_bytes = 1});
    std::vector<Stream*> streams;
    for (int i = 0; i < 5; ++i) streams.push_back(open_stream(i == 0));
    uint64_t tasks = 0;
    for (Stream* s : streams) tasks += work(*s, s->index(), 100).tasks;
    finish();
    fprintf(stderr, "{\"tasks\":%lu}", tasks);
  });
  ASSERT_TRUE(result.ok());
  TestFile f = read_grain(path);
  EXPECT_EQ(f.of(BlockType::thread).size(), 5u);
  uint64_t created = 0;
  for (uint32_t i = 0; i < 5; ++i) {
    Replay r(f.records(i));
    EXPECT_EQ(r.error, "");
    created += r.created + r.lost_created;
  }
  ASSERT_FALSE(f.bad) << f.error;
  EXPECT_EQ(int64_t(created), json_number(result.stderr_text, "tasks"));
  EXPECT_EQ(json_number(f.of(BlockType::end).at(0)->payload, "tasks"), int64_t(created));
}

// Eight threads, a pool that runs dry now and then, streams that come and go, sites by the thousand.
TEST(RecordStress, EightThreads) {
  for (uint64_t buffers : {12, 400}) {
    TempDir dir;
    std::string path = dir.file("a.grain");
    auto result = in_child([&] {
      start({.path = path.c_str(), .memory_bytes = buffers * kBufferBytes});
      std::atomic<uint64_t> tasks{0}, chunks{0}, regions{0};
      std::vector<std::thread> threads;
      for (unsigned i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
          for (unsigned life = 0; life < 3; ++life) {
            Stream* s = open_stream(false);
            for (unsigned round = 0; round < 4; ++round) {
              s->site(Construct::task, 0, reinterpret_cast<void*>(0x1000 + i * 16 + round * 4096), nullptr, ";a.c;f;1;1;;");
              Account a = work(*s, i * 100 + life * 10 + round, 400);
              tasks += a.tasks;
              chunks += a.chunks;
              regions += a.regions;
              s->parked(1000);
            }
            close_stream(s);
          }
        });
      }
      for (auto& t : threads) t.join();
      finish();
      fprintf(stderr, "{\"tasks\":%lu,\"chunks\":%lu,\"regions\":%lu}", tasks.load(), chunks.load(), regions.load());
    });
    ASSERT_TRUE(result.ok()) << result.stderr_text;
    TestFile f = read_grain(path);
    ASSERT_EQ(f.of(BlockType::thread).size(), 24u);
    uint64_t created = 0, executed = 0, chunks = 0;
    for (uint32_t i = 0; i < 24; ++i) {
      Replay r(f.records(i));
      EXPECT_EQ(r.error, "") << i;
      EXPECT_TRUE(r.open.empty()) << i;
      created += r.created + r.lost_created;
      executed += r.executed + r.lost_executed;
      chunks += r.chunks + r.lost_chunks;
    }
    ASSERT_FALSE(f.bad) << f.error;
    EXPECT_EQ(f.bytes_behind, 0u);
    EXPECT_EQ(int64_t(created), json_number(result.stderr_text, "tasks"));
    EXPECT_EQ(int64_t(executed), json_number(result.stderr_text, "tasks"));
    EXPECT_EQ(int64_t(chunks), json_number(result.stderr_text, "chunks"));
    for (const char* key : {"tasks", "chunks", "regions"}) {
      EXPECT_EQ(json_number(f.of(BlockType::end).at(0)->payload, key), json_number(result.stderr_text, key)) << key;
    }
  }
}

}  // namespace
}  // namespace einkorn::record
