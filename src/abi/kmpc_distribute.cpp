// clang's loops that a league's teams share. LLVM 19: kmp_sched.cpp. clang 19 emits calls of kmpc_loop.cpp with the
// distribute schedules instead; these are for programs of other compilers with the same interface.
#include "abi/kmpc_schedule.h"

using namespace einkorn::abi;

namespace {

// distribute parallel for, both static: the team's part in one piece, the thread's part of that.
template <class Int>
void dist_for_static(int32_t schedule, int32_t* last, Int* lower, Int* upper, Int* upper_of_team,
                     std::make_signed_t<Int>* stride, std::make_signed_t<Int> incr, std::make_signed_t<Int> chunk) {
  using U = std::make_unsigned_t<Int>;
  using S = std::make_signed_t<Int>;
  Worker* w = self();
  uint64_t iterations = inclusive_trip_count(*lower, *upper, incr), first, count;
  Int whole_lower = *lower;
  team_part(w, iterations, first, count);
  bool last_team = count > 0 && first + count == iterations;
  set_bounds(lower, upper, whole_lower, incr, first, count);
  *upper_of_team = *upper;
  *stride = S(U(U(incr) * U(iterations)));
  *last = 0;
  if (count == 0) return;
  uint32_t n = uint32_t(w->team->n), num = uint32_t(w->thread_num);
  Int team_lower = *lower;
  if ((schedule & ~kModifiers) == kStaticChunked) {
    const uint64_t size = chunk < 1 ? 1 : uint64_t(chunk);
    const auto own = einkorn::schedule::static_chunks(count, size, num, n);
    *stride = S(U(U(size * n) * U(incr)));
    // A chunk may go past the team's end: the program compares with upper_of_team.
    set_bounds(lower, upper, team_lower, incr, own.first, size);
    *last = last_team && own.has_last;
    return;
  }
  uint64_t own_first, own_count;
  static_part(count, num, n, own_first, own_count);
  set_bounds(lower, upper, team_lower, incr, own_first, own_count);
  *last = last_team && own_count > 0 && own_first + own_count == count;
}

// dist_schedule(static, chunk): the team's first chunk, and how far it is to its next.
template <class Int>
void team_static(int32_t* last, Int* lower, Int* upper, std::make_signed_t<Int>* stride, std::make_signed_t<Int> incr,
                 std::make_signed_t<Int> chunk) {
  using U = std::make_unsigned_t<Int>;
  Worker* w = self();
  const ContentionGroup* g = w->team->group;
  uint64_t iterations = inclusive_trip_count(*lower, *upper, incr), size = chunk < 1 ? 1 : uint64_t(chunk);
  const auto n = uint32_t(g->num_teams), num = uint32_t(g->team_num);
  uint64_t first = 0, count = 0;
  if (!einkorn::schedule::static_chunk(iterations, size, num, n, 0, first, count)) count = 0;
  *stride = std::make_signed_t<Int>(U(U(size * n) * U(incr)));
  if (last) *last = einkorn::schedule::static_chunks(iterations, size, num, n).has_last;
  set_bounds(lower, upper, *lower, incr, first, count);
}

}  // namespace

#define EK_KMP_DISTRIBUTE(suffix, Int, Signed)                                                                    \
  EK_EXPORT void __kmpc_dist_for_static_init_##suffix(const Ident*, int32_t, int32_t schedule, int32_t* last,     \
                                                      Int* lower, Int* upper, Int* upper_of_team, Signed* stride, \
                                                      Signed incr, Signed chunk) {                                \
    dist_for_static<Int>(schedule, last, lower, upper, upper_of_team, stride, incr, chunk);                       \
  }                                                                                                               \
  EK_EXPORT void __kmpc_team_static_init_##suffix(const Ident*, int32_t, int32_t* last, Int* lower, Int* upper,   \
                                                  Signed* stride, Signed incr, Signed chunk) {                    \
    team_static<Int>(last, lower, upper, stride, incr, chunk);                                                    \
  }
EK_KMP_DISTRIBUTE(4, int32_t, int32_t)
EK_KMP_DISTRIBUTE(4u, uint32_t, int32_t)
EK_KMP_DISTRIBUTE(8, int64_t, int64_t)
EK_KMP_DISTRIBUTE(8u, uint64_t, int64_t)
