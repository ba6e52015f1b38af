// gcc's doacross loops: ordered(n) with depend(source) and depend(sink). libgomp 12: ordered.c, loop.c, loop_ull.c.
// The loop goes over logical iterations 0 .. counts[0]-1, counts[1..] are those of the loops inside; the program itself
// leaves out sinks that lie outside the iteration space.
#include <cstdarg>

#include "abi/gomp_loop.h"
#include "runtime/observe/tool_only.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

namespace {

bool start(unsigned ncounts, const long* counts, LoopKind kind, bool from_sched, long sched, uint64_t chunk,
           long* istart, long* iend, uintptr_t* reductions, void** mem, const void* ra) {
  Worker* w = self();
  LoopSpec spec = unsigned_loop_spec(kind, false, true, 0, uint64_t(counts[0]), 1, chunk, ra);
  if (from_sched) set_schedule(w, spec, sched);
  auto* dims = static_cast<DoacrossDim*>(__builtin_alloca(sizeof(DoacrossDim) * ncounts));
  for (unsigned i = 0; i < ncounts; ++i) dims[i] = {0, counts[i] - 1, 1, uint64_t(counts[i])};
  DoacrossSpec doacross = {dims, int(ncounts), false};
  spec.doacross = &doacross;
  spec.reductions = reductions;
  spec.memory = asked_memory(mem);
  share_enter(w, spec, gomp_site(w, Construct::loop, ra));
  give_memory(w->view.share, mem);
  return give_chunk(w, istart, iend);
}

void post(const long* counts) {
  Worker* w = self();
  Doacross* d = w->view.share->doacross;
  if (!d) return;
  observe::doacross_posts(w, doacross_position(d, reinterpret_cast<const uint64_t*>(counts)));
  doacross_post(d, reinterpret_cast<const uint64_t*>(counts));
  observe::doacross_posted(w, reinterpret_cast<const uint64_t*>(counts), d->count);
}

// first and what follows it: an iteration number for each loop of the nest.
template <class Int>
void wait(Int first, va_list args, const void* ra) {
  Worker* w = self();
  Doacross* d = w->view.share->doacross;
  if (!d) return;
  auto* vec = static_cast<uint64_t*>(__builtin_alloca(sizeof(uint64_t) * size_t(d->count)));
  vec[0] = uint64_t(first);
  for (int i = 1; i < d->count; ++i) vec[i] = uint64_t(va_arg(args, Int));
  doacross_wait(w, d, vec, ra, 0);
  observe::doacross_waited(w, doacross_position(d, vec), vec, d->count);
}

}  // namespace

#define EK_DOACROSS(prefix, Int)                                                                                     \
  EK_EXPORT bool prefix##_start(unsigned n, Int* counts, long sched, Int chunk, Int* istart, Int* iend,              \
                                uintptr_t* reductions, void** mem) {                                                 \
    return start(n, reinterpret_cast<long*>(counts), LoopKind::dynamic, true, sched, uint64_t(chunk),                \
                 reinterpret_cast<long*>(istart), reinterpret_cast<long*>(iend), reductions, mem, EK_CALLER);        \
  }                                                                                                                  \
  EK_EXPORT bool prefix##_runtime_start(unsigned n, Int* counts, Int* istart, Int* iend) {                           \
    return start(n, reinterpret_cast<long*>(counts), LoopKind::dynamic, true, 0, 0, reinterpret_cast<long*>(istart), \
                 reinterpret_cast<long*>(iend), nullptr, nullptr, EK_CALLER);                                        \
  }                                                                                                                  \
  EK_DOACROSS_KIND(prefix, static, LoopKind::static_, Int)                                                           \
  EK_DOACROSS_KIND(prefix, dynamic, LoopKind::dynamic, Int)                                                          \
  EK_DOACROSS_KIND(prefix, guided, LoopKind::guided, Int)
#define EK_DOACROSS_KIND(prefix, name, kind, Int)                                                                      \
  EK_EXPORT bool prefix##_##name##_start(unsigned n, Int* counts, Int chunk, Int* istart, Int* iend) {                 \
    return start(n, reinterpret_cast<long*>(counts), kind, false, 0, uint64_t(chunk), reinterpret_cast<long*>(istart), \
                 reinterpret_cast<long*>(iend), nullptr, nullptr, EK_CALLER);                                          \
  }
EK_DOACROSS(GOMP_loop_doacross, long)
EK_DOACROSS(GOMP_loop_ull_doacross, unsigned long long)

EK_EXPORT void GOMP_doacross_post(long* counts) { post(counts); }
EK_EXPORT void GOMP_doacross_ull_post(unsigned long long* counts) { post(reinterpret_cast<long*>(counts)); }

EK_EXPORT void GOMP_doacross_wait(long first, ...) {
  va_list args;
  va_start(args, first);
  wait<long>(first, args, EK_CALLER);
  va_end(args);
}
EK_EXPORT void GOMP_doacross_ull_wait(unsigned long long first, ...) {
  va_list args;
  va_start(args, first);
  wait<unsigned long long>(first, args, EK_CALLER);
  va_end(args);
}
