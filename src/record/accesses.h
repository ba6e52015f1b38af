// Third recording level: the interface between the recorder and the library that counts memory accesses (src/accesses).
//
// They are two libraries because a program has either this one, which answers the compiler's hooks, or
// ThreadSanitizer's. The recorder looks for `einkorn_accesses` in the process when it starts. The library need not be
// told which grain a thread is in: it sees a change in the thread's stream, whose records are the borders of grains.
#pragma once
#include <cstddef>
#include <cstdint>

namespace einkorn::record {

// The part of a thread's stream that the same thread reads at every access. What runs until it changes is one
// *stretch*. A stretch belongs to one grain, the one that the records before it tell.
struct AccessStream {
  const uint64_t* last;  // time of its latest record, in ticks: names the stretch that begins with it
  uint32_t index;
};

struct AccessHost {
  // Hands over the payload of an `accesses` block of that stream, which is copied. Waits while the writer is far
  // behind. Any thread may call it. False: the recording is over, or there is no memory.
  bool (*write)(uint32_t stream, uint64_t sequence, const void* payload, size_t bytes);
  // SharedLineRecords, once, at the end.
  void (*write_lines)(const void* records, size_t bytes);
};

struct AccessLibrary {
  uint32_t version;
  void (*start)(const AccessHost*);
  void (*attach)(const AccessStream*);  // the calling thread has a stream from now on
  void (*detach)();                     // its stream ends
  void (*finish)();           // everything counted so far is to be handed over; from here on nothing is counted
  uint64_t (*cache_bytes)();  // of the cache that is modelled
};
inline constexpr uint32_t kAccessLibraryVersion = 2;
inline constexpr const char* kAccessLibrarySymbol = "einkorn_accesses";

inline constexpr size_t kAccessBlock = 256 << 10;  // of a payload, at most

}  // namespace einkorn::record
