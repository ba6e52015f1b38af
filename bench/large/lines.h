// Who has which cache line on the timed platform, and when it comes to who asks for it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "large/costs.h"

namespace large {

inline constexpr int kMost = 512;  // threads

// Who has the line, once all that was asked for so far is done.
struct Line {
  int16_t owner = -1;  // who had it alone last; -1: nobody yet
  bool alone = false;  // and has it so
  uint64_t readers[kMost / 64] = {};
  double free_at = 0;              // the last hand-over that was asked for
  double taken_at = 0;             // when it comes, or came, to its owner, who has it first, whoever asks meanwhile
  double had_at = 0;               // from when on its owner may read it: earlier, if it had read it before
  uint32_t updates = 0, mark = 0;  // since the counting that has this mark
  // The latest write: of what, where in the code, by whom.
  const void *written = nullptr, *written_at = nullptr;
  int writer = -1;
  void writes(const void* what, const void* where, int who) { written = what, written_at = where, writer = who; }
  bool has(int t) const { return readers[t / 64] >> (t % 64) & 1; }
  void add(int t) { readers[t / 64] |= uint64_t(1) << (t % 64); }
  void take(int t) {
    std::memset(readers, 0, sizeof readers);
    add(t);
    owner = int16_t(t), alone = true;
  }
};

class Lines {
 public:
  // Nobody has any. distances: to live as long.
  void forget(const Distances& distances, const Own& own) {
    distances_ = &distances, own_ = own;
    pages_.clear();
    last_page_ = ~uintptr_t(0);
  }
  Line& of(const void* at) {
    const uintptr_t number = uintptr_t(at) >> kLineBits, page = number >> 6;
    if (page != last_page_) {
      std::unique_ptr<Line[]>& lines = pages_[page];
      if (!lines) lines = std::make_unique<Line[]>(64);
      last_page_ = page, last_lines_ = lines.get();
    }
    return last_lines_[number & 63];
  }

  // The line to be read. When it is there; *from: when whoever had it lets go of it, which is when it is read.
  double fetch(Line& l, int me, double at, double* from) {
    *from = std::max(at, l.free_at);
    if (l.owner < 0) {
      l.take(me);
      l.free_at = *from + own_.turn;
      return *from + own_.memory;
    }
    const double way = l.alone ? distances_->line(l.owner, me) : shortest_way(l, me);
    l.free_at = *from + (l.alone ? way : own_.turn);
    l.alone = false;
    l.add(me);
    return *from + way;
  }

  // The line for itself. When it is there.
  double take(Line& l, int me, double at) {
    const double from = std::max(at, l.free_at);
    const double there = from + (l.owner < 0 ? own_.memory : longest_way(l, me));
    l.had_at = l.has(me) ? at : there;
    l.take(me);
    return l.free_at = l.taken_at = there;
  }

  // The thread is about to write. When it can: at once, where the line is its own alone, or is on its way to it.
  double to_write(Line& l, int me, double at) {
    if (l.owner == me && (l.alone || at <= l.taken_at + own_.keep)) return std::max(at, l.taken_at);
    return take(l, me, at);
  }

 private:
  static constexpr uintptr_t kLineBits = 6;

  // From each cache that has the line.
  template <class F>
  void each_way(const Line& l, int to, F&& f) {
    for (int w = 0; w < kMost / 64; ++w)
      for (uint64_t bits = l.readers[w]; bits; bits &= bits - 1)
        f(distances_->line(64 * w + __builtin_ctzll(bits), to));
  }
  double longest_way(const Line& l, int to) {
    double longest = 0;
    each_way(l, to, [&](double way) { longest = std::max(longest, way); });
    return longest;
  }
  double shortest_way(const Line& l, int to) {
    double shortest = HUGE_VAL;
    each_way(l, to, [&](double way) { shortest = std::min(shortest, way); });
    return shortest;
  }

  const Distances* distances_ = nullptr;
  Own own_;
  std::unordered_map<uintptr_t, std::unique_ptr<Line[]>> pages_;  // of 64 lines
  uintptr_t last_page_ = ~uintptr_t(0);
  Line* last_lines_ = nullptr;
};

}  // namespace large
