// The arithmetic of clang's loops: schedules, and bounds that are inclusive and in the user's values.
#pragma once
#include <type_traits>

#include "abi/kmpc.h"
#include "runtime/loop/share.h"

namespace einkorn::abi {

// enum sched_type of kmp.h: modifiers in bits 29 and 30; +128 "nomerge"; +32 ordered.
enum KmpSchedule {
  kStaticChunked = 33,
  kStatic = 34,
  kDynamic = 35,
  kGuided = 36,
  kRuntime = 37,
  kAuto = 38,
  kTrapezoidal = 39,
  kStaticGreedy = 40,
  kStaticBalanced = 41,
  kGuidedIterative = 42,
  kGuidedAnalytical = 43,
  kStaticSteal = 44,
  kStaticBalancedChunked = 45,
  kGuidedSimd = 46,
  kRuntimeSimd = 47,
  kDistributeChunked = 91,
  kDistribute = 92,
};
constexpr int kModifiers = 3 << 29, kNonmonotonic = 1 << 30;

template <class Int>
uint64_t inclusive_trip_count(Int lower, Int upper, std::make_signed_t<Int> incr) {
  using U = std::make_unsigned_t<Int>;
  if (incr > 0) return lower <= upper ? uint64_t(U(U(upper) - U(lower)) / U(incr)) + 1 : 0;
  return lower >= upper ? uint64_t(U(U(lower) - U(upper)) / U(0 - U(incr))) + 1 : 0;
}

// No iterations: past the end, written so that it cannot wrap into the range.
template <class Int>
void make_empty(Int* lower, Int* upper, Int whole_lower, std::make_signed_t<Int> incr) {
  using U = std::make_unsigned_t<Int>;
  *lower = Int(U(*upper) + (incr > 0 ? U(1) : U(0) - U(1)));
  if ((incr > 0) != (*lower > *upper)) *upper = Int(U(*lower = whole_lower) - (incr > 0 ? U(1) : U(0) - U(1)));
}

// The values of `count` iterations from the `first`-th on, of a loop that begins at whole_lower.
template <class Int>
void set_bounds(Int* lower, Int* upper, Int whole_lower, std::make_signed_t<Int> incr, uint64_t first, uint64_t count) {
  using U = std::make_unsigned_t<Int>;
  if (count == 0) return make_empty(lower, upper, whole_lower, incr);
  *lower = Int(U(whole_lower) + U(U(first) * U(incr)));
  *upper = Int(U(*lower) + U(U(count - 1) * U(incr)));
}

// The team's part of a loop in a league, in one piece.
inline void team_part(const Worker* w, uint64_t iterations, uint64_t& first, uint64_t& count) {
  const ContentionGroup* g = w->team->group;
  static_part(iterations, uint32_t(g->team_num), uint32_t(g->num_teams), first, count);
}

}  // namespace einkorn::abi
