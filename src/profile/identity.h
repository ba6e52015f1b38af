// Names of grains that do not depend on the schedule: design.md, contract 3.
//
// A name is a hash of the path from the program's start: (parent's name, what kind of child, its logical position). The
// thread is never part of it, except for implicit tasks, whose position in the program is their thread number.
//   region          encountering grain, ordinal of the region in it
//   implicit task   region, thread number
//   share           implicit task, position between the runtime calls
//   chunk           region, ordinal of the construct in it, first logical iteration (sections: number of the section)
//   task            creating task or chunk, ordinal among the tasks it creates
//   codelet         task or chunk that runs the graph, ordinal of the run among those in it, node of the graph
//   by hand         region (outside: the program), line and number of the codelet, ordinal of its firings in the region
//                   (hand_names.h says when: else the creating task or chunk, ordinal among the firings it creates)
//   taskloop piece  creating task or chunk, ordinal of the taskloop, range
// Codelets by hand are not counted among the tasks, as anybody may come to create one.
// Tasks that an implicit task creates outside chunks carry the number of the team's barriers before them. If one member
// alone creates tasks between two barriers (single, masked), the region is their parent: which member it was is the
// schedule's choice. If several do, the parents are their implicit tasks. The same holds for regions encountered there.
#pragma once
#include <cstdint>
#include <initializer_list>

namespace einkorn::profile {

struct GrainId {
  uint64_t high = 0, low = 0;
  bool operator==(const GrainId&) const = default;
};

enum class IdKind : uint64_t {
  initial = 1,
  region,
  foreign_region,
  implicit,
  share,
  loop,
  own_loop,
  chunk,
  task,
  piece,
  orphan,
  codelet,
  by_hand
};

// MurmurHash3's 64-bit finalizer (public domain): every bit of the input affects every bit of the output.
constexpr uint64_t scramble(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}

constexpr GrainId derive(GrainId parent, IdKind kind, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  uint64_t high = parent.high, low = parent.low;
  for (uint64_t word : {uint64_t(kind), a, b, c}) {
    high = scramble(high ^ (word + 0x9e3779b97f4a7c15ull)) + low;
    low = scramble(low + word * 0xd6e8feb86659fd93ull) ^ (high << 31 | high >> 33);
  }
  return {high, low};
}

}  // namespace einkorn::profile
