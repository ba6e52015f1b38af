// What clang's entry points share. Types and flags from kmp.h of LLVM 19.
#pragma once
#include "abi/abi.h"
#include "runtime/sync/reduction.h"
#include "runtime/task/task.h"

// A location in the program: psource is ";file;function;line;column;;", with "unknown" for file and function without
// -g.
struct Ident {
  int32_t reserved_1, flags, reserved_2, reserved_3;
  const char* psource;
};

namespace einkorn::abi {

enum IdentFlags {
  kIdentAtomicReduce = 0x10,
  kIdentBarrierExplicit = 0x20,
  kIdentBarrierImplicit = 0x40,
  kIdentWorkLoop = 0x200,
  kIdentWorkSections = 0x400,
  kIdentWorkDistribute = 0x800
};

inline const char* source_of(const Ident* loc) { return loc ? loc->psource : nullptr; }

inline uint32_t kmp_site(Worker* w, record::Construct c, uint16_t flags, const void* fn, const void* ra,
                         const Ident* loc) {
  return w->stream ? w->stream->site(c, flags | record::kSiteClang, fn, ra, source_of(loc)) : 0;
}

// The innermost taskgroup, and the reductions that it has.
inline void end_kmp_group(Worker* w, Caller ra) {
  Taskgroup* g = w->current->group;
  taskgroup_end(w, ra, record::kSiteClang);
  if (EK_UNLIKELY(has_reductions(g))) finish_reductions(w, g);
  free_group(w, g);
}

// So many of argv are read at least, however many there are: those that go in registers.
#if defined(__aarch64__)
inline constexpr int kArgvRoom = 6;
#else
inline constexpr int kArgvRoom = 4;
#endif
// An outlined function of clang's with its arguments; run_microtask(Microtask*) calls it. argv has room for kArgvRoom.
struct Microtask {
  void* fn;
  int argc;
  void** argv;
};
void run_microtask(void* microtask);

// The loop of a doacross construct begins: w->view.pending_doacross is set (kmpc_doacross.cpp).
void open_doacross(Worker* w, uint64_t loop_iterations);

}  // namespace einkorn::abi
