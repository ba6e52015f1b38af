// Third recording level: what the recorder and the library that counts memory accesses (src/accesses) know of each other.
//
// They are two libraries, as a program has either the one that answers the compiler's hooks or ThreadSanitizer's. The
// recorder looks for `einkorn_accesses` in the process when it starts. Which grain a thread is in need not be told: the
// library sees a change in the thread's stream, whose records are the grains' borders.
#pragma once
#include <cstddef>
#include <cstdint>

namespace einkorn::record {

// Of a thread's stream, read by the same thread at every access. What runs until it changes is one *stretch*: it belongs to one
// grain, the one that the records up to then say.
struct AccessStream {
  const uint64_t* last;  // time of its latest record, in ticks: names the stretch that begins with it
  uint32_t index;
};

struct AccessHost {
  // Payload of an `accesses` block of that stream; copied. Waits while the writer is far behind. May be called by any thread.
  // False: the recording is over, or no memory.
  bool (*write)(uint32_t stream, uint64_t sequence, const void* payload, size_t bytes);
};

struct AccessLibrary {
  uint32_t version;
  void (*start)(const AccessHost*);
  void (*attach)(const AccessStream*);  // the calling thread has a stream from now on
  void (*detach)();                     // it ceases
  void (*finish)();                     // everything counted so far is to be handed over; from here on nothing is counted
  uint64_t (*cache_bytes)();            // of the cache that is modelled
};
inline constexpr uint32_t kAccessLibraryVersion = 1;
inline constexpr const char* kAccessLibrarySymbol = "einkorn_accesses";

inline constexpr size_t kAccessBlock = 256 << 10;  // of a payload, at most

}  // namespace einkorn::record
