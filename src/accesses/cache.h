// A model of one core's first-level cache, for one thread: which lines must be fetched, and how much of each was used
// before it was evicted.
//
// Four ways; a line that was not referenced lately is replaced. A hash chooses the set, because a physically indexed
// cache sees addresses scattered by the system's choice of pages. No prefetching, no other threads, no instructions. A
// line counts as used by the words of four bytes that were accessed.
#pragma once
#include <cstdint>

namespace einkorn::accesses {

inline constexpr unsigned kLineBits = 6;

struct Line {
  uint64_t tag;               // line number + 1; 0: empty
  uint32_t stretch;           // stretch in which it was last counted for the footprint
  uint16_t used;              // a bit for each word
  uint16_t instruction : 15;  // instruction that fetched it
  uint16_t referenced : 1;
};
static_assert(sizeof(Line) == 16);

struct Set {
  Line ways[4];
};
static_assert(sizeof(Set) == 64);

class Cache {
 public:
  // `memory`: zeroed, of `sets` sets, a power of two; nullptr: none.
  void use(Set* memory, uint32_t sets) {
    sets_ = memory;
    shift_ = 64 - unsigned(__builtin_ctz(sets));
    count_ = sets;
  }
  // The line, or nullptr.
  Line* find(uint64_t line) {
    for (Line& l : set(line).ways)
      if (l.tag == line + 1) return l.referenced = 1, &l;
    return nullptr;
  }
  // The slot for the line: what is in it is evicted.
  Line* victim(uint64_t line) {
    Set& s = set(line);
    for (Line& l : s.ways)
      if (!l.tag) return &l;
    for (Line& l : s.ways)
      if (!l.referenced) return &l;
    // All were referenced since the last time: evicts the one after the latest victim, as nothing better is known.
    for (Line& l : s.ways) l.referenced = 0;
    return &s.ways[line >> 3 & 3];
  }
  template <class F>
  void each(F f) {
    for (uint32_t i = 0; i < count_; ++i)
      for (Line& l : sets_[i].ways)
        if (l.tag) f(l);
  }

 private:
  Set& set(uint64_t line) { return sets_[line * 0x9e3779b97f4a7c15ull >> shift_]; }

  Set* sets_ = nullptr;
  uint32_t count_ = 0;
  unsigned shift_ = 0;
};

}  // namespace einkorn::accesses
