// clang's doacross loops. LLVM 19: kmp_csupport.cpp, __kmpc_doacross_*. They begin before the loop's schedule is known,
// in a construct of their own around the loop's.
#include <cstring>

#include "abi/kmpc.h"
#include "runtime/observe/tool_only.h"
#include "runtime/loop/share.h"

using namespace einkorn::abi;

// One loop of the nest; upper is inclusive.
struct KmpDim {
  int64_t lower, upper, increment;
};

namespace {

uint64_t iterations(const KmpDim& d) {
  if (d.increment > 0)
    return d.lower <= d.upper ? (uint64_t(d.upper) - uint64_t(d.lower)) / uint64_t(d.increment) + 1 : 0;
  return d.lower >= d.upper ? (uint64_t(d.lower) - uint64_t(d.upper)) / (0 - uint64_t(d.increment)) + 1 : 0;
}

// The interface says that a loop's upper bound is its last iteration, but clang (19) passes lower 0, increment 1 and
// the *number* of iterations: one more than there are. A sink there, such as (i-1, j+1) at the end of a row, would wait
// for ever, and a nest of many short loops would seem to have 2^60 iterations. The loop that follows tells which it is:
// the first dimensions together have as many iterations as that.
bool upper_is_count(const KmpDim* dims, int n, uint64_t loop_iterations) {
  uint64_t product = 1;
  bool match = false;
  for (int i = 0; i < n; ++i) {
    if (dims[i].lower != 0 || dims[i].increment != 1) return false;
    product *= uint64_t(dims[i].upper);
    match |= product == loop_iterations;
  }
  return match;
}

void open(Worker* w, bool counts) {
  PendingDoacross* p = w->view.pending_doacross;
  w->view.pending_doacross = nullptr;
  auto* dims = reinterpret_cast<const KmpDim*>(p + 1);
  auto* converted = static_cast<DoacrossDim*>(__builtin_alloca(sizeof(DoacrossDim) * size_t(p->count)));
  for (int i = 0; i < p->count; ++i) {
    KmpDim dim = dims[i];
    dim.upper -= counts;
    converted[i] = {dim.lower, dim.upper, dim.increment, iterations(dim)};
  }
  DoacrossSpec doacross = {converted, p->count, true};
  LoopSpec spec;
  spec.silent = true;
  spec.caller = p->caller;
  spec.site_flags = einkorn::record::kSiteClang;
  spec.doacross = &doacross;
  w->view.doacross = join_share(w, spec, 0);
  free(p);
}

// The construct; nobody calls these outside one. Without a loop the bounds are what the interface says.
Doacross* current(Worker* w) {
  if (EK_UNLIKELY(w->view.pending_doacross != nullptr)) open(w, false);
  return w->view.doacross->doacross;
}

// The user's values as logical iteration numbers; false: outside the iteration space.
bool logical(const Doacross* d, const int64_t* vec, uint64_t* out) {
  for (int i = 0; i < d->count; ++i) {
    const DoacrossDim& dim = d->dims[i];
    if (dim.increment > 0) {
      if (vec[i] < dim.lower || vec[i] > dim.upper) return false;
      out[i] = (uint64_t(vec[i]) - uint64_t(dim.lower)) / uint64_t(dim.increment);
    } else {
      if (vec[i] > dim.lower || vec[i] < dim.upper) return false;
      out[i] = (uint64_t(dim.lower) - uint64_t(vec[i])) / (0 - uint64_t(dim.increment));
    }
  }
  return true;
}

}  // namespace

namespace einkorn::abi {

void open_doacross(Worker* w, uint64_t loop_iterations) {
  PendingDoacross* p = w->view.pending_doacross;
  open(w, upper_is_count(reinterpret_cast<const KmpDim*>(p + 1), p->count, loop_iterations));
}

}  // namespace einkorn::abi

EK_EXPORT void __kmpc_doacross_init(const Ident*, int32_t, int32_t num_dims, const KmpDim* dims) {
  size_t bytes = sizeof(KmpDim) * size_t(num_dims);
  auto* p = static_cast<PendingDoacross*>(malloc(sizeof(PendingDoacross) + bytes));
  if (!p) fatal("out of memory: doacross loop");
  p->count = num_dims;
  p->caller = EK_CALLER;
  memcpy(p + 1, dims, bytes);
  self()->view.pending_doacross = p;
}

EK_EXPORT void __kmpc_doacross_wait(const Ident*, int32_t, const int64_t* vec) {
  Worker* w = self();
  Doacross* d = current(w);
  if (!d) return;
  auto* at = static_cast<uint64_t*>(__builtin_alloca(sizeof(uint64_t) * size_t(d->count)));
  if (!logical(d, vec, at)) return;  // there is no such iteration: nothing to wait for
  doacross_wait(w, d, at, EK_CALLER, einkorn::record::kSiteClang);
  observe::doacross_waited(w, doacross_position(d, at), reinterpret_cast<const uint64_t*>(vec), d->count);
}

EK_EXPORT void __kmpc_doacross_post(const Ident*, int32_t, const int64_t* vec) {
  Worker* w = self();
  Doacross* d = current(w);
  if (!d) return;
  auto* at = static_cast<uint64_t*>(__builtin_alloca(sizeof(uint64_t) * size_t(d->count)));
  if (logical(d, vec, at)) observe::doacross_posts(w, doacross_position(d, at)), doacross_post(d, at);
  observe::doacross_posted(w, reinterpret_cast<const uint64_t*>(vec), d->count);
}

EK_EXPORT void __kmpc_doacross_fini(const Ident*, int32_t) {
  Worker* w = self();
  current(w);
  leave_share(w, w->view.doacross);
  w->view.doacross = nullptr;
}
