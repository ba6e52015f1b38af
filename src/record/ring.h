// The latest seconds of a recording in memory (EINKORN_RECORD_LAST): event blocks as they would be in the file, the
// oldest of which are dropped. Writer thread only.
//
// For dropped blocks it remembers which contexts they had opened and not closed. The first block of a thread that is
// written afterwards opens these contexts again, at their times, and says that what was between them was dropped. So a
// reader need not know about rings.
#pragma once
#include <cstddef>
#include <cstdint>
#include "record/format.h"
#include "record/grain_file.h"

namespace einkorn::record {

struct Lane;

class Ring {
 public:
  // False: no memory, and nothing may be added.
  bool create(Output&, uint64_t last_ns, uint64_t memory_bytes);
  bool on() const { return memory_bytes_ != 0; }
  void add(uint32_t thread, uint64_t begin_tick, const Started&, const void* units, size_t bytes, uint64_t first_tick,
           uint64_t first_serial, uint64_t now_ns);
  void drop_old(uint64_t now_ns);
  // Writes all that is kept to the file.
  void write();
  // Executed in blocks that were dropped for good.
  uint64_t dropped_tasks() const { return dropped_tasks_; }
  uint64_t dropped_chunks() const { return dropped_chunks_; }

 private:
  static constexpr size_t kChunkBytes = 1 << 20;
  static constexpr uint32_t kMaxThreads = 1u << 15;
  static constexpr int kDeepest = 512;

  struct Chunk {
    Chunk* next;
    uint64_t began_ns, newest_ns;
    size_t size;  // of the blocks that follow this
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
  };
  struct Opening {
    uint64_t tick;
    uint64_t words[5];  // the record; its time difference is 0
    int count;
  };
  struct Track {             // of one thread
    uint64_t sequence;       // of the next block in the file
    bool dropped;            // something was dropped since the latest block in the file
    uint64_t begin_tick;     // begin of the thread; later the end of what is in the file
    uint64_t tick, serial;   // end of what was dropped
    uint64_t tasks, chunks;  // executed in blocks dropped since the latest block in the file
    int depth, deeper;
    int in_file, closed;  // of `open`: how many the file has opened; how many of these were closed in dropped blocks
    Opening open[kDeepest];
  };

  Track* track(uint32_t thread);
  Chunk* new_chunk(uint64_t now_ns);
  void drop_first();
  void scan(Track&, const BlockHeader&, const void* stored);
  static void close_down_to(Track&, int depth);
  static void written(Track&);
  void write_openings(uint32_t thread, Track&);

  Output* out_ = nullptr;
  uint64_t last_ns_ = 0, memory_bytes_ = 0, used_ = 0;
  Chunk* first_ = nullptr;
  Chunk* last_ = nullptr;
  Chunk* free_ = nullptr;
  Track** tracks_ = nullptr;
  uint64_t* words_ = nullptr;  // scratch
  uint64_t dropped_tasks_ = 0, dropped_chunks_ = 0;
};

}  // namespace einkorn::record
