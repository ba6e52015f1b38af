// Large blocks: counted by call, whatever threads make and free them; on which nodes they are.
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <sys/mman.h>
#include <thread>
#include <vector>
#include "record/allocations.h"
#include "record/stream.h"
#include "record_child.h"
#include "record_reader.h"

namespace einkorn::record {
namespace {

const void* at(uint64_t a) { return reinterpret_cast<const void*>(a); }

struct CallCounts {
  AllocationRecord record;
  std::vector<uint64_t> on;
};
// By return address.
std::map<uint64_t, CallCounts> counted_in(const TestFile& file) {
  std::map<uint32_t, uint64_t> sites;
  for (const TestBlock* b : file.of(BlockType::sites))
    for (size_t i = 0; i < b->payload.size();) {
      SiteRecord r;
      memcpy(&r, b->payload.data() + i, sizeof r);
      if (Construct(r.construct) == Construct::allocation) sites[r.id] = r.return_address;
      i += sizeof r + r.text_bytes;
    }
  std::map<uint64_t, CallCounts> out;
  const auto blocks = file.of(BlockType::allocations);
  EXPECT_LE(blocks.size(), 1u);
  for (const TestBlock* b : blocks)
    for (size_t i = 0; i < b->payload.size();) {
      CallCounts c;
      memcpy(&c.record, b->payload.data() + i, sizeof c.record);
      i += sizeof c.record;
      c.on.resize(c.record.nodes);
      if (!c.on.empty()) memcpy(c.on.data(), b->payload.data() + i, c.on.size() * sizeof(uint64_t));
      i += c.on.size() * sizeof(uint64_t);
      EXPECT_TRUE(sites.count(c.record.site));
      out[sites[c.record.site]] = c;
    }
  return out;
}

TEST(RecordAllocations, AreCountedByTheirCalls) {
  TempDir dir;
  const std::string path = dir.file("a.grain");
  const auto result = in_child([&] {
    start({.path = path.c_str()});
    if (!keep_allocations(true)) abort();
    note_allocation(at(0x7000'0000), 200'000, at(0x10));  // before there is a stream
    Stream* s = open_stream(true);
    constexpr size_t kBytes = 1 << 20;
    void* filled = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(filled, 1, kBytes / 2);
    note_allocation(filled, kBytes, at(0x20));
    note_allocation(filled, kBytes, at(0x30));  // the same block again: its end was not told
    munmap(filled, kBytes);
    for (int i = 0; i < 3; ++i) {
      void* p = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      memset(p, 1, kBytes);
      note_allocation(p, kBytes + size_t(i), at(0x40));
      note_free(p);
      note_free(p);  // of a block that nobody knows
      munmap(p, kBytes);
    }
    close_stream(s);
    finish();
    note_allocation(filled, kBytes, at(0x50));  // too late
  });
  EXPECT_TRUE(result.ok()) << result.stderr_text;
  auto found = counted_in(read_grain(path));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0x10].record.blocks, 1u);
  EXPECT_EQ(found[0x10].record.bytes, 200'000u);
  EXPECT_TRUE(found[0x10].on.empty());  // nothing is mapped there
  EXPECT_EQ(found[0x20].record.blocks, 1u);
  EXPECT_EQ(found[0x40].record.blocks, 3u);
  EXPECT_EQ(found[0x40].record.bytes, (3u << 20) + 3);
  EXPECT_EQ(found[0x40].record.largest, (1u << 20) + 2);
  uint64_t on = 0;
  for (const uint64_t bytes : found[0x40].on) on += bytes;
  EXPECT_EQ(on, 3u << 20);
}

constexpr uint64_t kThreads = 6, kBlocks = 3000;

TEST(RecordAllocations, OfManyThreadsNoneIsMissed) {
  TempDir dir;
  const std::string path = dir.file("a.grain");
  const auto result = in_child([&] {
    start({.path = path.c_str()});
    if (!keep_allocations(false)) abort();
    Stream* s = open_stream(true);
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < kThreads; ++t)
      threads.emplace_back([t] {
        // Some are freed by others, some never: more live than the table has room for.
        for (uint64_t i = 0; i < kBlocks; ++i) {
          note_allocation(at(0x10'0000'0000 + (i * kThreads + t) * 0x100000), 150'000, at(0x100 + i % 7));
          if (i >= 4 && i % 5) note_free(at(0x10'0000'0000 + ((i - 4) * kThreads + (t + 1) % kThreads) * 0x100000));
        }
      });
    for (std::thread& t : threads) t.join();
    close_stream(s);
    finish();
  });
  EXPECT_TRUE(result.ok()) << result.stderr_text;
  const auto found = counted_in(read_grain(path));
  ASSERT_EQ(found.size(), 7u);
  uint64_t blocks = 0, bytes = 0;
  for (const auto& [site, c] : found) blocks += c.record.blocks, bytes += c.record.bytes;
  EXPECT_EQ(blocks, kThreads * kBlocks);
  EXPECT_EQ(bytes, kThreads * kBlocks * 150'000);
}

TEST(RecordAllocations, NothingIsKeptUnasked) {
  TempDir dir;
  const std::string path = dir.file("a.grain");
  const auto result = in_child([&] {
    start({.path = path.c_str()});
    Stream* s = open_stream(true);
    note_allocation(at(0x7000'0000), 200'000, at(0x10));
    note_free(at(0x7000'0000));
    close_stream(s);
    finish();
  });
  EXPECT_TRUE(result.ok()) << result.stderr_text;
  EXPECT_TRUE(read_grain(path).of(BlockType::allocations).empty());
}

}  // namespace
}  // namespace einkorn::record
