// Takes a grain file apart, independently of src/profile: does what docs/grain-file.md tells a reader to do, and no
// more.
#pragma once
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>
#include "record/claim.h"
#include "record/crc32c.h"
#include "record/format.h"
#include "record/packed.h"

namespace einkorn::record {

struct TestBlock {
  BlockHeader header;
  std::string payload;
};

struct TestRecord {
  Kind kind;
  uint64_t tick;
  uint32_t payload;
  std::vector<uint64_t> extra;
};

struct TestFile {
  FileHeader header{};
  std::vector<TestBlock> blocks;
  bool bad = false;         // something other than whole, sound blocks
  size_t bytes_behind = 0;  // after the last whole block
  std::string error;

  std::vector<const TestBlock*> of(BlockType type) const {
    std::vector<const TestBlock*> found;
    for (auto& b : blocks)
      if (b.header.type == type) found.push_back(&b);
    return found;
  }
  static std::vector<uint64_t> words_of(const TestBlock& b) {
    std::vector<uint64_t> words(b.payload.size() / 8);
    memcpy(words.data(), b.payload.data(), words.size() * 8);
    return words;
  }
  // Calls visit(record without its tick, ticks since the one before) for each of an events block's; false: at one that
  // is unknown or not whole it ended.
  template <class Visit>
  static bool each_record(const std::vector<uint64_t>& words, const Visit& visit) {
    for (size_t i = 0; i < words.size();) {
      TestRecord r{kind_of(words[i]), 0, payload_of(words[i]), {}};
      const int extra = extra_words(r.kind, r.payload);
      if (extra < 0 || i + 1 + size_t(extra) > words.size()) return false;
      r.extra.assign(words.begin() + long(i) + 1, words.begin() + long(i) + 1 + extra);
      const uint64_t delta = delta_of(words[i]);
      i += 1 + size_t(extra);
      visit(std::move(r), delta);
    }
    return true;
  }
  // A thread's records in order; checks what every block header promises.
  std::vector<TestRecord> records(uint32_t thread) {
    std::vector<TestRecord> out;
    uint64_t sequence = 0, tick = 0, serial = 0;
    bool first = true;
    for (auto& b : blocks) {
      if (b.header.type != BlockType::events || b.header.thread != thread) continue;
      if (b.header.sequence != sequence++) fail("sequence has a gap");
      if (!first && b.header.first_tick != tick) fail("first_tick is not where the block before ended");
      const std::vector<uint64_t> words = words_of(b);
      // Of dropped blocks the file has only the number of creations.
      bool dropped =
          words.size() > 2 && kind_of(words[2]) == Kind::loss && payload_of(words[2]) == uint32_t(LossReason::dropped);
      if (dropped && b.header.first_serial > serial) serial = b.header.first_serial;
      if (b.header.first_serial != serial) fail("first_serial is not the tasks created before");
      first = false;
      tick = b.header.first_tick;
      const bool whole = each_record(words, [&](TestRecord r, uint64_t delta) {
        tick += delta;
        if (r.kind == Kind::time) {
          if (r.extra[0] < tick) fail("time runs backwards");
          tick = r.extra[0];
        }
        r.tick = tick;
        if (r.kind == Kind::task_create || r.kind == Kind::task_create_long || r.kind == Kind::task_create_brief)
          ++serial;
        if (r.kind == Kind::loss) serial += r.extra[1];
        if (r.kind != Kind::time) out.push_back(std::move(r));
      });
      if (!whole) {
        fail("a record is unknown or not whole");
        return out;
      }
    }
    return out;
  }
  void fail(const char* what) {
    bad = true;
    if (error.empty()) error = what;
  }
};

// The file is whole once nobody holds its lock.
inline void wait_until_written(const std::string& path) {
  for (int i = 0; i < 12000; ++i) {  // a minute
    int fd = open(path.c_str(), O_RDONLY);
    bool written = fd >= 0 && is_being_written(fd);
    close(fd);
    if (!written) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

inline TestFile read_grain(const std::string& path) {
  TestFile f;
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  if (bytes.size() < sizeof f.header) {
    f.fail("no header");
    return f;
  }
  memcpy(&f.header, bytes.data(), sizeof f.header);
  if (memcmp(f.header.magic, kFileMagic, sizeof kFileMagic) != 0 || f.header.version != kVersion ||
      f.header.version > kVersion)
    f.fail("not a grain file");
  size_t at = f.header.header_bytes;
  while (at + sizeof(BlockHeader) <= bytes.size()) {
    TestBlock b;
    memcpy(&b.header, bytes.data() + at, sizeof b.header);
    size_t stored = b.header.stored_bytes, whole = sizeof b.header + ((stored + 7) & ~size_t(7));
    if (b.header.magic != kBlockMagic || b.header.raw_bytes > kMaxRawBytes || at + whole > bytes.size()) break;
    const char* payload = bytes.data() + at + sizeof b.header;
    BlockHeader zeroed = b.header;
    zeroed.checksum = 0;
    if (crc32c(crc32c(0, &zeroed, sizeof zeroed), payload, stored) != b.header.checksum) {
      f.fail("checksum");
      break;
    }
    if (!decode_block(b.header, payload, b.payload)) f.fail("payload");
    f.blocks.push_back(std::move(b));
    at += whole;
  }
  f.bytes_behind = bytes.size() - at;
  return f;
}

// "key":NUMBER in a JSON text of the recorder's, -1: not there.
inline int64_t json_number(const std::string& json, const std::string& key) {
  size_t at = json.find('"' + key + "\":");
  return at == std::string::npos ? -1 : std::stoll(json.substr(at + key.size() + 3));
}

}  // namespace einkorn::record
