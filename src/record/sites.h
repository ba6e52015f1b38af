// The table of sites of the process: (construct, flags, function, return address) -> dense id from 1.
//
// Streams keep a small cache in front of it, so a lock is enough. By hand, as all tables under the program are: a
// library's would allocate, and throw, where the program's own allocator may be what called. Bounded: a site that finds
// no room gets id 0, "no site".
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>
#include "record/format.h"

namespace einkorn::record {

class SiteTable {
 public:
  static constexpr uint32_t kMaxSites = 65536;
  static constexpr size_t kMaxText = 1024;        // of one site; longer ones are cut
  static constexpr size_t kTextBytes = 4u << 20;  // of all

  struct Site {
    uint64_t function, return_address;
    const char* text;  // in the table's memory, not terminated
    uint32_t text_bytes;
    Construct construct;
    uint16_t flags;
  };

  // Allocates the table; false: no memory, and every site is 0 then.
  bool create();
  // The sites stay, because streams remember their ids. An entry that another thread was making is dropped.
  void after_fork_child() { lock_ = PTHREAD_MUTEX_INITIALIZER; }
  uint32_t find_or_add(Construct, uint16_t flags, const void* function, const void* return_address, const char* text);
  // Sites 1..count() are complete and never change. Acquire: pairs with the release behind a new one in find_or_add().
  uint32_t count() const { return count_.load(std::memory_order_acquire); }
  const Site& get(uint32_t id) const { return sites_[id - 1]; }

 private:
  static constexpr uint32_t kSlots = 2 * kMaxSites;  // open addressing, at most half full

  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  Site* sites_ = nullptr;
  uint32_t* slots_ = nullptr;  // 0: empty, else id
  char* text_ = nullptr;
  size_t text_used_ = 0;
  std::atomic<uint32_t> count_{0};
};

}  // namespace einkorn::record
