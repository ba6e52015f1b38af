// How loops are cut: static, dynamic and guided, as OpenMP says; trapezoidal, as LLVM has it; how many chunks a thread
// takes at a time of a dynamic loop; and static, then steal (Schmidl 2016, 4.2): each thread owns a block of chunks,
// the one that a static schedule would give it, and takes from its front; whose block is done takes from the end of
// another's. The runtime's loops are made of these, and the simulator cuts recorded ones by them.
#pragma once
#include "schedule/registered.h"
#include "schedule/types.h"
#include "schedule/random.h"

namespace einkorn::schedule {

// Static: iterations [first, first+count) of thread num of n when all are split into n contiguous parts that differ by
// at most one.
inline void static_part(uint64_t iterations, uint32_t num, uint32_t n, uint64_t& first, uint64_t& count) {
  const uint64_t each = iterations / n, more = iterations % n;
  count = each + (num < more);
  first = each * num + (num < more ? num : more);
}

// static,c: of n threads' chunks the one that thread num gets in that round. False: there is none (or it would begin
// beyond 2^64).
inline bool static_chunk(uint64_t iterations, uint64_t chunk, uint32_t num, uint32_t n, uint64_t round, uint64_t& first,
                         uint64_t& count) {
  const uint64_t chunks = (iterations - 1) / chunk + 1;
  if (iterations == 0 || round > (chunks - 1) / n || round * n + num >= chunks) return false;
  first = (round * n + num) * chunk;
  count = chunk < iterations - first ? chunk : iterations - first;
  return true;
}

// static,c, all of a thread's chunks at once: they begin at `first`, which may be beyond the end (then there are none),
// and have `count` iterations together; the next one begins n * chunk later. has_last: the loop's last is among them.
struct StaticChunks {
  uint64_t first, count;
  bool has_last;
};
inline StaticChunks static_chunks(uint64_t iterations, uint64_t chunk, uint32_t num, uint32_t n) {
  const uint64_t chunks = iterations ? (iterations - 1) / chunk + 1 : 0;
  StaticChunks own{num * chunk, chunks > num ? ((chunks - 1 - num) / n + 1) * chunk : 0,
                   chunks > 0 && num == (chunks - 1) % n};
  if (own.has_last) own.count -= chunks * chunk - iterations;
  return own;
}

// Static, of a simd loop: as equal parts as there are that consist of whole vectors of so many iterations.
inline uint64_t vectors_of_a_part(uint64_t iterations, uint64_t threads, uint64_t width) {
  const uint64_t each = iterations / threads + (iterations % threads != 0);
  return each <= width ? width : (each + width - 1) / width * width;
}

// Dynamic: all chunks are of one size, but the last. left > 0.
inline uint64_t dynamic_chunk(uint64_t left, uint64_t chunk) { return chunk < left ? chunk : left; }

// Guided: how many of the iterations that are left the next chunk has, an n-th of them, at least the chunk that was
// asked for; whole: multiples of that. left > 0.
template <class T>
constexpr T guided_chunk(T left, T threads, T least, bool whole) {
  T count = left / threads + (left % threads != 0);
  if (count < least) count = least;
  if (whole && count % least) count += least - count % least;
  return count < left ? count : left;
}

// Guided: the first `number` chunks, or as many as there are, if all are handed out in order: how many, and where they
// end. The divisions follow from each other, and such of 32 bits are several times as fast as those of 64 on many
// processors.
struct GuidedChunks {
  uint32_t count, end;
};
constexpr GuidedChunks guided_chunks(uint32_t iterations, uint32_t threads, uint64_t least, bool whole,
                                     uint32_t number) {
  const uint32_t at_least = least < iterations ? uint32_t(least) : iterations;
  GuidedChunks passed{0, 0};
  for (; passed.count < number && passed.end < iterations; ++passed.count)
    passed.end += guided_chunk(iterations - passed.end, threads, at_least, whole);
  return passed;
}

// In larger teams threads ask for their first chunks of a guided loop, too; in others each begins with the one of its
// number.
inline constexpr uint32_t kMostOwnChunks = 64;

// Is the rest of a guided loop, of `left` iterations, so brief that its chunks are better one? A thread whose last
// chunk of `before` iterations took `took` asks for the next one: to fetch a chunk moves a line between two caches, and
// what is done sooner than that two threads do later than one. No more than that chunk had: the rest may be of another
// kind. In any unit of time; brief: kBriefRest in it. `took` may be short by one, as clocks step. Not asked where loops
// are recorded, so that what a replay cuts by guided_chunk() is what was run.
inline constexpr uint64_t kBriefRest = 150;  // ns
constexpr bool is_brief_rest(uint64_t left, uint64_t before, uint64_t took, uint64_t brief) {
  constexpr uint64_t kFew = 1 << 12;  // more take longer on any machine
  return left <= kFew && left <= before && before < uint64_t(1) << 32 && took < uint64_t(1) << 32 &&
         (took + 1) * left < brief * before;
}

// Trapezoidal (Tzen and Ni 1993): chunks that shrink by a constant, from half of an equal part to the size that was
// asked for. iterations < 2^62.
class Trapezoid {
 public:
  Trapezoid(uint64_t iterations, uint64_t threads, uint64_t chunk)
      : iterations_(iterations), largest_(iterations / (2 * threads)) {
    if (largest_ < 1) largest_ = 1;
    const uint64_t smallest = chunk < largest_ ? chunk : largest_;
    chunks_ = iterations / (largest_ + smallest) * 2 +
              2;  // at least 2 iterations / (largest + smallest): they cover everything
    step_ = (largest_ - smallest) / (chunks_ - 1);
  }
  uint64_t chunks() const { return chunks_; }  // at most
  // Where chunk k begins: one fetch_add of k is all that a thread needs. May be beyond the end.
  uint64_t begin(uint64_t k) const { return k * largest_ - step_ * (k % 2 ? (k - 1) / 2 * k : k / 2 * (k - 1)); }
  // Of chunk k: false: there is none.
  bool chunk(uint64_t k, uint64_t& first, uint64_t& count) const {
    if (k >= chunks_ || (first = begin(k)) >= iterations_) return false;
    const uint64_t end = begin(k + 1);
    count = (end < iterations_ ? end : iterations_) - first;
    return true;
  }

 private:
  uint64_t iterations_, largest_, chunks_, step_;
};

// ---- rules by name
// ---------------------------------------------------------------------------------------------------

struct LoopShape {
  uint64_t iterations, threads;
  uint64_t chunk;      // that was asked for, at least 1
  bool whole = false;  // chunks are multiples of that
};

// A rule that cuts a loop as it runs: how many iterations the chunk has that begins at `first` (< iterations), at least
// one. Dynamic, guided and trapezoidal are here for who replays a loop by its name; the runtime has faster ways to hand
// these out, by the same functions. Those behind them, of registered.h, it asks through this table.
struct LoopRule {
  const char* name;
  uint64_t (*count)(const LoopShape&, uint64_t first);
};
inline uint64_t dynamic_at(const LoopShape& l, uint64_t first) { return dynamic_chunk(l.iterations - first, l.chunk); }
inline uint64_t guided_at(const LoopShape& l, uint64_t first) {
  return guided_chunk(l.iterations - first, l.threads, l.chunk, l.whole);
}
uint64_t trapezoidal_at(const LoopShape&, uint64_t first);  // loops.cpp
#define EK_DECLARE(function, name) uint64_t function(const LoopShape&, uint64_t first);
EK_OWN_LOOP_RULES(EK_DECLARE)
#undef EK_DECLARE

#define EK_ROW(function, name) {name, function},
inline constexpr LoopRule kLoopRules[] = {
    {"dynamic", dynamic_at}, {"guided", guided_at}, {"trapezoidal", trapezoidal_at}, EK_OWN_LOOP_RULES(EK_ROW)};
#undef EK_ROW
inline constexpr int kLoopRuleCount = sizeof kLoopRules / sizeof kLoopRules[0];
inline constexpr int kDynamicRule = 0, kGuidedRule = 1, kTrapezoidalRule = 2, kFirstOwnRule = 3;

// ---- chunks of a dynamic loop, several at a time
// ---------------------------------------------------------------------

inline uint64_t count_chunks(uint64_t iterations, uint64_t chunk) {
  return iterations / chunk + (iterations % chunk != 0);
}
constexpr bool batches_pay(uint64_t chunks, uint64_t threads) { return chunks > 4 * threads; }

// A thread's latest batch: one of short chunks doubles at least, as the counter's line can make only so many trips a
// microsecond.
template <class Time>
struct Batch {
  uint32_t size = 0;  // 0: none yet
  Time began{};
};
inline constexpr uint64_t kMostInBatch = 256;  // but for the last one of many threads: half as much again
// Of more threads than these each round of batches is as many trips of the counter's line, one after the other, which
// takes as long as dozens of short chunks. So there a short batch grows at once by as much as it was too short and as
// much again, and the last one is all of the thread's share: who has no more takes half of another's. (A variable for
// tests.)
inline uint64_t g_few_for_counter = 16;
inline constexpr uint64_t kMostGrowth = 32;
// How many chunks at once, of `left` by number. brief: a batch that took less than that for each thread was short.
template <class Time>
uint64_t batch_size(Batch<Time>& b, Time now, Time brief, uint64_t left, uint64_t threads) {
  const bool many = threads > g_few_for_counter;
  bool is_short = false;
  if (b.size == 0) {
    b.size = 1;
  } else {
    const Time took = now - b.began, enough = brief * Time(threads);
    is_short = took < enough;
    if (is_short) {
      uint64_t growth = 2;
      if (many) growth = took * Time(kMostGrowth) <= 2 * enough ? kMostGrowth : uint64_t(2 * enough / took);
      b.size = uint32_t(b.size * growth < kMostInBatch ? b.size * growth : kMostInBatch);
    } else if (took > 8 * enough) {
      b.size = 1;
    }
  }
  b.began = now;
  const bool to_the_end = many && is_short;
  const uint64_t most = to_the_end ? (left + threads - 1) / threads : left / (2 * threads);
  // What would be left for another round is not worth one.
  if (to_the_end && b.size < most && most < b.size + b.size / 2) b.size = uint32_t(most);
  return most < 1 ? 1 : b.size < most ? b.size : uint32_t(most);
}
// Of another's batch [begin, end), which is not empty, the later half: from there on.
constexpr uint64_t half_from(uint64_t begin, uint64_t end) { return end - (end - begin + 1) / 2; }

// ---- static, then steal
// ----------------------------------------------------------------------------------------------

// Whose block to take from; -1: nobody has any. left(t): chunks that thread t has left, may be stale; distance(t): from
// the thread that asks. nearest: of equal ones the next after the thread.
template <class Left, class Distance>
int choose_loop_victim(LoopVictim rule, int self, int threads, RandomState& random, Left&& left, Distance&& distance) {
  int best = -1;
  uint64_t most = 0;
  float least = 0;
  int start = rule == LoopVictim::random ? int(next_random(random) % uint32_t(threads)) : self + 1;
  for (int i = 0; i < threads; ++i) {
    int t = (start + i) % threads;
    uint64_t n = t == self ? 0 : left(t);
    if (n == 0) continue;
    if (rule == LoopVictim::most_loaded) {
      if (n > most) best = t, most = n;
    } else if (rule == LoopVictim::nearest) {
      if (float d = distance(t); best < 0 || d < least) best = t, least = d;
    } else {
      return t;
    }
  }
  return best;
}

}  // namespace einkorn::schedule
