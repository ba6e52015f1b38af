// If no buffer is free, records are lost but counts are not, and the contexts match again afterwards.
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include "record/recorder.h"
#include "record/stream.h"
#include "record_child.h"
#include "record_reader.h"
#include "record_replay.h"

namespace einkorn::record {
namespace {

TEST(RecordLoss, CountsAreExactAndContextsFit) {
  TempDir dir;
  std::string path = dir.file("a.grain");
  auto result = in_child([&] {
    start({.path = path.c_str(), .memory_bytes = 2 * kBufferBytes});
    Stream* s = open_stream(true);
    Account sum;
    for (unsigned round = 0; round < 6; ++round) {
      stall_writer_for_test(round % 2 == 0);
      sum += work(*s, round, 3000);
      if (round % 2) until_a_buffer_is_free();
    }
    stall_writer_for_test(false);
    // Something at the end that is certainly recorded: the writer has had time to free a buffer.
    until_a_buffer_is_free();
    s->wait_begin(einkorn::ticks(), 1);
    s->wait_end(einkorn::ticks());
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
      s->wait_begin(einkorn::ticks(), 1);
      s->wait_begin(einkorn::ticks(), 1);
      Account a = work(*s, 1, 5000);
      s->wait_end(einkorn::ticks());  // closes one that was open when the loss began; one stays open
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
              s->site(Construct::task, 0, reinterpret_cast<void*>(0x1000 + i * 16 + round * 4096), nullptr,
                      ";a.c;f;1;1;;");
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
