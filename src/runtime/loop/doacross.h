// Doacross loops: ordered(n) with depend(source) and depend(sink) (OpenMP 5.1, 2.19.9). An iteration says that it is
// done (post), others wait for it.
//
// Two ways to keep what is done:
//   lanes  a number for each part of the iteration space that one thread goes through in order: how far it has got.
//          Needs the schedule: a part is a thread's share (static) or a chunk of the outermost loop (dynamic, guided, whose
//          chunks are multiples of the least one in such a loop)
//   bits   one for each iteration of the whole nest: where the schedule is not known (clang), or the lanes would be larger
//
// The memory is the share's and is gone when the last thread leaves the construct.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

struct DoacrossDim {
  int64_t lower, upper, increment;  // the user's values, upper inclusive
  uint64_t iterations;
};

struct DoacrossSpec {
  const DoacrossDim* dims;
  int count;
  bool by_iteration;  // the share's schedule is not the loop's
};

// How far the thread has got that goes through this part. Positions count from 1 in the order of the sequential nest.
// wanted: the least position for which somebody sleeps; 0: nobody does. Written by those that go to sleep and by the
// owner.
struct Lane {
  std::atomic<uint64_t> posted;
  std::atomic<uint64_t> wanted;
  std::atomic<uint32_t> event;
};

// Sleepers for bits: the iteration's number says which of them.
struct alignas(kCacheLine) DoacrossBucket {
  std::atomic<uint32_t> event;
  std::atomic<uint32_t> waiters;
};

struct Doacross {
  static constexpr int kBuckets = 64;
  LoopKind kind;
  uint64_t chunk;  // of the outermost loop's schedule; 0: static in one piece
  uint32_t threads;
  uint32_t lane_bytes;  // distance between two lanes
  char* lanes;          // nullptr: bits
  std::atomic<uint64_t>* bits;
  DoacrossBucket* buckets;
  int count;
  DoacrossDim* dims;
};

// Bytes that the construct needs besides; 0: nobody will have to wait in it (one thread that is not recorded, or no
// iterations).
size_t doacross_bytes(const DoacrossSpec& spec, const WorkShare& schedule, uint32_t threads);
// In zeroed memory of that many bytes, aligned to a cache line.
Doacross* make_doacross(const DoacrossSpec& spec, const WorkShare& schedule, uint32_t threads, char* memory);

// vec: logical iteration numbers, one for each loop of the nest, all inside the iteration space.
// The iteration's position in the sequential nest, from 0.
uint64_t doacross_position(const Doacross* d, const uint64_t* vec);
void doacross_post(Doacross* d, const uint64_t* vec);
void doacross_wait(Worker* w, Doacross* d, const uint64_t* vec, const void* return_address, uint16_t site_flags);

}  // namespace einkorn::runtime
