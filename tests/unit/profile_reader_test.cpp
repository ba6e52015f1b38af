// Messages say what is wrong with a file; the readable part of a damaged one is read.
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>
#include "profile/reader.h"
#include "profile_support.h"
#include "base/clock.h"
#include "record/grain_file.h"

namespace einkorn {
namespace {

using namespace test;

std::string message_for(const std::string& bytes) {
  Loaded l = load_bytes(bytes);
  EXPECT_FALSE(l.ok);
  return l.error.message;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

std::string load_path(const std::string& path) {
  profile::Profile p;
  profile::LoadError error;
  EXPECT_FALSE(profile::load(path, {}, p, error));
  return error.message;
}

TEST(Reader, SaysWhatIsWrong) {
  EXPECT_TRUE(contains(message_for(""), "is empty"));
  EXPECT_TRUE(contains(message_for("#!/bin/sh\necho this is some other file, longer than a header of a recording\n"),
                       "not a recording"));
  EXPECT_TRUE(contains(message_for("x"), "not a recording"));
  std::string good = rich_recording().bytes();
  EXPECT_TRUE(contains(message_for(good.substr(0, 20)), "cut off"));
  std::string later = good;
  later[8] = char(record::kVersion + 1);
  EXPECT_TRUE(contains(message_for(later), ("version " + std::to_string(record::kVersion + 1)).c_str()));
  for (uint32_t version = 1; version < record::kVersion; ++version) {  // as they were, without halves
    GrainFile before = rich_recording();
    before.version = version;
    Loaded l = load_file(before);
    EXPECT_TRUE(l.ok);
    EXPECT_EQ(describe(l.profile), describe(load_bytes(good).profile)) << version;
  }
  std::string header = good;
  memset(&header[16], 0, 8);  // ticks per second
  EXPECT_TRUE(contains(message_for(header), "damaged header"));
}

std::string code_name(uint64_t address, const std::string& name, uint32_t said) {
  const record::CodeNameRecord r{address, address, said, 0};
  return std::string(reinterpret_cast<const char*>(&r), sizeof r) + name;
}

TEST(Reader, NamesOfCodeThatIsInNoFile) {
  GrainFile file;
  const uint32_t parallel = file.site(record::Construct::parallel, 0x10000, 0x20001);
  Script& a = file.thread(Script::kInitial);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 1).at(110).implicit_begin(0, region);
  a.at(190).implicit_end().at(200).region_end().at(210).thread_end();
  auto function = [&](const std::string& payload, uint64_t damaged) {
    std::string bytes = file.bytes();
    file.block(bytes, record::BlockType::code_names, payload.data(), payload.size());
    const std::string path = scratch(".grain");
    std::ofstream(path, std::ios::binary) << bytes;
    profile::Profile p;
    profile::LoadError error;
    EXPECT_TRUE(profile::load(path, {}, p, error)) << error.message;
    remove(path.c_str());
    EXPECT_EQ(p.totals.damaged_blocks, damaged);
    return p.sources.empty() ? "none" : p.sources[0].function;
  };
  const std::string hot = code_name(0x10000, "hot", 3);
  EXPECT_EQ(function("", 0), "");
  EXPECT_EQ(function(hot, 0), "hot");
  EXPECT_EQ(function(code_name(0x20000, "caller", 6), 0), "caller");
  EXPECT_EQ(function(hot + code_name(0x10000, "later", 5), 0), "later");
  EXPECT_EQ(function(code_name(0x10001, "other", 5), 0), "");
  // What is before the damage counts.
  EXPECT_EQ(function(hot + "x", 1), "hot");
  EXPECT_EQ(function(hot + code_name(0x10000, "cut", 4), 1), "hot");
  EXPECT_EQ(function(hot + code_name(0x10000, "cut", 0xffffffff), 1), "hot");
  EXPECT_EQ(function(hot + code_name(0x10000, std::string(5000, 'x'), 5000), 1), "hot");
  // No more than a recorder writes.
  std::string many;
  for (uint64_t i = 0; i < 70000; ++i) many += code_name(0x30000 + i, "n", 1);
  EXPECT_EQ(function(hot + many, 1), "hot");
}

TEST(Reader, SaysWhyAFileCannotBeOpened) {
  EXPECT_TRUE(contains(load_path("/nonexistent/x.grain"), "No such file"));
  EXPECT_TRUE(contains(load_path(testing::TempDir()), "is a directory"));
  EXPECT_TRUE(contains(load_path("/dev/null"), "not a regular file"));
}

// What a writer makes of little: more than the words that they stand for, where these are few.
TEST(Reader, BelievesWhatWritersMake) {
  const std::string path = scratch(".grain");
  base::clock_init();
  record::Output out;
  ASSERT_EQ(out.create(path.c_str(), 0, getpid()), 0);
  ASSERT_TRUE(out.begin());
  std::vector<record::Unit> units;
  for (uint64_t i = 0; i < 40; ++i) {  // blocks of one record, of two ...
    units.push_back(record::half(record::Half::task_end, 1000 * (i * i % 7), 0));
    out.events({i, i << 40}, units.data(), units.size() * sizeof units[0], record::Codec::packed_zstd, 0, i, 1 << 20,
               5);
  }
  const std::string same(600 << 10, 'x');  // as JSON of a command line may be
  out.block(record::BlockType::meta, same.data(), same.size(), record::Codec::zstd);
  out.flush();
  out.close();
  profile::Reader reader;
  profile::LoadError error;
  ASSERT_TRUE(reader.open(path, {}, error)) << error.message;
  unlink(path.c_str());
  EXPECT_EQ(reader.damaged(), 0u);
  ASSERT_EQ(reader.blocks().size(), 41u);
  for (size_t i = 0; i < 40; ++i) {
    std::span<const std::byte> words;
    ASSERT_TRUE(reader.payload(reader.blocks()[i], words)) << i;
    EXPECT_EQ(words.size(), 8 * (i + 1));
  }
}

TEST(Reader, ReadsEveryCodecAlike) {
  Loaded raw = load_file(rich_recording(false)), packed = load_file(rich_recording(true));
  ASSERT_TRUE(raw.ok && packed.ok);
  EXPECT_EQ(describe(raw.profile), describe(packed.profile));
  EXPECT_TRUE(raw.profile.totals.complete);
  EXPECT_FALSE(raw.profile.totals.truncated);
  EXPECT_EQ(raw.details.unmatched, 0u);
  GrainFile file = rich_recording();
  file.halves = true;
  Loaded halves = load_file(file);
  ASSERT_TRUE(halves.ok);
  EXPECT_EQ(describe(raw.profile), describe(halves.profile));
  EXPECT_EQ(halves.details.unmatched, 0u);
  EXPECT_EQ(halves.profile.totals.damaged_blocks, 0u);
}

TEST(Reader, EveryPrefixLoads) {
  std::string all = rich_recording().bytes();
  size_t most = load_bytes(all).profile.grains.size(), last = 0;
  for (size_t n = sizeof(record::FileHeader); n < all.size(); n += n < 600 ? 1 : 5) {
    Loaded l = load_bytes(all.substr(0, n));
    ASSERT_TRUE(l.ok) << n << ": " << l.error.message;
    ASSERT_LE(l.profile.grains.size(), most) << n;
    ASSERT_GE(l.profile.grains.size(), last) << n;  // a longer file never says less
    ASSERT_EQ(l.profile.totals.damaged_blocks, 0u) << n;
    last = l.profile.grains.size();
  }
  EXPECT_GT(last, 10u);
  EXPECT_FALSE(load_bytes(all.substr(0, all.size() - 7)).profile.totals.complete);
}

TEST(Reader, ADamagedByteIsNoticed) {
  for (bool compress : {false, true}) {
    std::string all = rich_recording(compress).bytes();
    auto sound = describe(load_bytes(all).profile);
    for (size_t at = sizeof(record::FileHeader); at < all.size(); at += 3) {
      std::string bytes = all;
      bytes[at] = char(bytes[at] ^ (1 << at % 8));
      Loaded l = load_bytes(bytes);
      ASSERT_TRUE(l.ok) << at;
      // Only the padding between blocks is not under a checksum: there nothing may change.
      if (!l.profile.totals.truncated) {
        ASSERT_EQ(describe(l.profile), sound) << at;
      }
    }
  }
}

TEST(Reader, GoesOnBehindADamagedStretch) {
  std::string all = rich_recording().bytes();
  size_t grains = load_bytes(all).profile.grains.size();
  std::string bytes = all;
  size_t middle = all.size() / 2;
  memset(&bytes[middle], 0xee, 100);
  Loaded l = load_bytes(bytes);
  ASSERT_TRUE(l.ok);
  EXPECT_TRUE(l.profile.totals.truncated);
  EXPECT_GE(l.profile.totals.damaged_blocks, 1u);
  EXPECT_TRUE(l.profile.totals.complete);  // the end block was found behind it
  EXPECT_LT(l.profile.grains.size(), grains);
  EXPECT_GT(l.profile.grains.size(), 5u);
  // Bytes missing or added: blocks are found at any offset.
  bytes = all;
  bytes.erase(middle, 37);
  EXPECT_TRUE(load_bytes(bytes).profile.totals.complete);
  bytes = all;
  bytes.insert(middle, 11, 'x');
  EXPECT_TRUE(load_bytes(bytes).profile.totals.complete);
}

// A small file must not unpack to gigabytes.
TEST(Reader, RefusesImplausibleCompression) {
  GrainFile file;
  file.compress = true;
  file.thread(Script::kInitial);
  std::string bytes = file.bytes();
  std::vector<uint64_t> zeros(record::kMaxRawBytes / 8);
  for (int i = 0; i < 50; ++i)
    file.block(bytes, record::BlockType::events, zeros.data(), zeros.size() * 8, 0, uint64_t(i) + 1);
  Loaded l = load_bytes(bytes);
  ASSERT_TRUE(l.ok);
  EXPECT_TRUE(l.profile.totals.truncated);
  EXPECT_GE(l.profile.totals.damaged_blocks, 1u);
}

TEST(Reader, RefusesWhatDoesNotFitIntoMemory) {
  GrainFile file;
  uint32_t task = file.site(Construct::task, 0x1000);
  Script& a = file.thread(Script::kInitial);
  for (int i = 0; i < 100000; ++i) {
    a.create(task, 0);
    if (i % 1000 == 0) a.cut();
  }
  std::string path = scratch(".grain");
  file.save(path);
  profile::Profile p;
  profile::LoadError error;
  profile::LoadOptions options;
  options.memory_bytes = 5 << 20;
  EXPECT_FALSE(profile::load(path, options, p, error));
  EXPECT_TRUE(contains(error.message, "larger machine")) << error.message;
  options.memory_bytes = 100 << 20;
  EXPECT_TRUE(profile::load(path, options, p, error)) << error.message;
  remove(path.c_str());
}

// Nothing but block magics: looking for a sound block stays linear.
TEST(Reader, SearchIsBounded) {
  std::string bytes = rich_recording().bytes();
  std::string magics;
  record::BlockHeader h{};
  h.magic = record::kBlockMagic;
  h.type = record::BlockType::events;
  h.stored_bytes = h.raw_bytes = record::kMaxRawBytes;
  for (int i = 0; i < 400000; ++i) magics.append(reinterpret_cast<const char*>(&h), sizeof h);
  bytes += magics;
  EXPECT_TRUE(load_bytes(bytes).ok);
}

// A second by one clock is a second by the other, but for a per cent; a computer that slept has it otherwise.
TEST(Reader, NoticesClocksThatGoApart) {
  constexpr uint64_t kSecond = 1000000000, kOrigin = 1000000;  // of the first anchor, by the system's clock
  for (int64_t late : {int64_t(0), int64_t(5000000), int64_t(20 * kSecond), -int64_t(kSecond) / 2}) {
    GrainFile file = rich_recording();
    file.anchors = {{kSecond, kOrigin + kSecond, 0, 50},
                    {2 * kSecond, uint64_t(int64_t(kOrigin + 2 * kSecond) + late), 0, 50}};
    file.end_tick = 0;
    Loaded l = load_file(file);
    ASSERT_TRUE(l.ok);
    const bool jumped = late > 10000000 || late < 0;
    EXPECT_EQ(l.profile.totals.clock_jumped, jumped) << late;
    if (jumped) {
      EXPECT_FALSE(l.profile.times_valid);
    }
  }
}

// Blocks of equal records pack to nothing: such a file is no recording of a program, and would take the machine's
// memory.
TEST(Reader, WhatGrowsBeyondAllMeasureIsRefused) {
  GrainFile file;
  file.compress = true;
  file.level = 9;
  const uint32_t region = file.site(Construct::parallel, 0x1000), loop = file.site(Construct::loop, 0x2000);
  Script& t = file.thread(Script::kInitial);
  const uint64_t id = t.new_region();
  t.at(100).region_begin(region, id, 1).implicit_begin(0, id).loop_begin(loop, 1u << 31, 1);
  for (int block = 0; block < 260; ++block) {
    t.cut();
    for (int i = 0; i < 4000; ++i) t.chunk(0).chunk_end();
  }
  const std::string bytes = file.bytes();
  Loaded l = load_bytes(bytes);
  ASSERT_LT(bytes.size(), 100'000u);
  EXPECT_FALSE(l.ok);
  EXPECT_TRUE(contains(l.error.message, "no recording of that size")) << l.error.message;
  EXPECT_TRUE(contains(l.error.message, "--depth")) << l.error.message;
}

}  // namespace
}  // namespace einkorn
