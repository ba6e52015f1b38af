// What is warm where: of each core's own cache (the L2) and of each shared one (the last level), which data lie in it
// and how many bytes of them, least recently used out first. Whole data, not lines: a datum that is larger than the
// cache passes through it and leaves nothing, as a stream does under that rule. A write makes other caches' copies
// stale.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "machine/types.h"

namespace einkorn::simulate {

// One cache. Linear in what fits: no datum counts for less than kLeast bytes.
class Cache {
 public:
  explicit Cache(uint64_t capacity) : capacity_(capacity) {}

  // `bytes` of that datum, as it is in this version, pass through. How many of them were there. `left`: the version
  // behind it.
  uint64_t touch(uint32_t datum, uint64_t bytes, uint32_t version, uint32_t left);

  uint64_t used() const { return used_; }

 private:
  static constexpr uint64_t kLeast = 256;
  static constexpr uint32_t kEnd = 0xffffffffu;
  struct Entry {
    uint32_t datum, version;
    uint64_t bytes;
    uint32_t newer, older;
  };
  static uint64_t room(uint64_t bytes) { return bytes < kLeast ? kLeast : bytes; }
  void unlink(uint32_t e);
  void link_newest(uint32_t e);
  void drop(uint32_t e);

  uint64_t capacity_, used_ = 0;
  std::vector<Entry> entries_;
  std::vector<uint32_t> free_;
  std::unordered_map<uint32_t, uint32_t> at_;  // datum -> entry
  uint32_t newest_ = kEnd, oldest_ = kEnd;
};

// All caches of a machine, as workers see them. Caches whose size is not known are not there.
class Caches {
 public:
  Caches(const machine::Machine& m, size_t data);

  // From where the bytes of an access come.
  struct Source {
    uint64_t own = 0, shared = 0, memory = 0;
  };
  // The worker on that PU touches so many bytes of the datum.
  Source touch(int pu, uint32_t datum, uint64_t bytes, bool write);

 private:
  const machine::Machine& m_;
  std::vector<Cache> own_, shared_;  // by core; by last-level cache
  std::vector<uint32_t> version_;    // by datum: writes so far
};

}  // namespace einkorn::simulate
