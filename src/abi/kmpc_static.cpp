// clang's loops whose threads get their bounds at once. LLVM 19: kmp_sched.cpp. Bounds are inclusive and in the user's
// values.
#include "abi/kmpc_schedule.h"
#include "runtime/loop/share.h"
#include "runtime/observe/work.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

namespace {

// What the program says about the construct: ident_t's flags.
ompt_work_t static_work(const Ident* loc, bool distribute) {
  int flags = loc ? loc->flags : 0;
  if (flags & kIdentWorkSections) return ompt_work_sections;
  return distribute || (flags & kIdentWorkDistribute) ? ompt_work_distribute : ompt_work_loop_static;
}

template <class Int>
void static_init(const Ident* loc, int32_t schedule, int32_t* last, Int* lower, Int* upper,
                 std::make_signed_t<Int>* stride, std::make_signed_t<Int> incr, std::make_signed_t<Int> chunk,
                 const void* ra) {
  using U = std::make_unsigned_t<Int>;
  using S = std::make_signed_t<Int>;
  Worker* w = self();
  schedule &= ~kModifiers;
  bool distribute = schedule == kDistribute || schedule == kDistributeChunked;
  const ContentionGroup* league = w->team->group;
  uint32_t n = uint32_t(distribute ? league->num_teams : w->team->n);
  uint32_t num = uint32_t(distribute ? league->team_num : w->thread_num);
  uint64_t iterations = inclusive_trip_count(*lower, *upper, incr);
  if (EK_UNLIKELY(w->view.pending_doacross != nullptr)) open_doacross(w, iterations);
  bool chunked = schedule == kStaticChunked || schedule == kDistributeChunked || schedule == kStaticBalancedChunked;
  Int whole_lower = *lower;
  uint64_t first = 0, count = 0;  // this thread's iterations
  if (iterations == 0) {
    *last = 0;
    *stride = incr;
  } else if (chunked) {
    // A chunk may go past the end: the program compares.
    const uint64_t size = chunk < 1 ? 1 : uint64_t(chunk);
    const auto own = einkorn::schedule::static_chunks(iterations, size, num, n);
    first = own.first, count = own.count;
    set_bounds(lower, upper, whole_lower, incr, first, size);
    *stride = S(U(U(size * n) * U(incr)));
    *last = own.has_last;
  } else {
    static_part(iterations, num, n, first, count);
    set_bounds(lower, upper, whole_lower, incr, first, count);
    *stride = S(U(U(incr) * U(iterations)));
    *last = count > 0 && first + count == iterations;
  }
  if (EK_LIKELY(w->stream == nullptr)) return;
  using einkorn::record::Schedule;
  observe::StaticLoop loop;
  loop.type = static_work(loc, distribute);
  const bool sections = loop.type == ompt_work_sections;  // clang divides them as it does a loop
  loop.site = kmp_site(w, sections ? Construct::sections : Construct::loop, 0, nullptr, ra, loc);
  loop.lower = int64_t(whole_lower);
  loop.iterations = iterations;
  loop.increment = int64_t(incr);
  loop.chunked = chunked;
  loop.chunk = chunked ? int64_t(chunk) : 0;
  loop.threads = n;
  loop.schedule = distribute ? Schedule::distribute : chunked ? Schedule::static_chunked : Schedule::static_;
  observe::static_loop_begins(w, loop, first, count, ra);
}

}  // namespace

#define EK_KMP_STATIC(suffix, Int, Signed)                                                                            \
  EK_EXPORT void __kmpc_for_static_init_##suffix(const Ident* loc, int32_t, int32_t schedule, int32_t* last,          \
                                                 Int* lower, Int* upper, Signed* stride, Signed incr, Signed chunk) { \
    static_init<Int>(loc, schedule, last, lower, upper, stride, incr, chunk, EK_CALLER);                              \
  }
EK_KMP_STATIC(4, int32_t, int32_t)
EK_KMP_STATIC(4u, uint32_t, int32_t)
EK_KMP_STATIC(8, int64_t, int64_t)
EK_KMP_STATIC(8u, uint64_t, int64_t)

EK_EXPORT void __kmpc_for_static_fini(const Ident* loc, int32_t) {
  Worker* w = self();
  if (EK_UNLIKELY(w->stream != nullptr)) observe::static_loop_ends(w, static_work(loc, false), EK_CALLER);
}
