// How clang passes the dependences of a task. LLVM 19: kmp.h.
#pragma once
#include "abi/kmpc.h"
#include "runtime/inline.h"

namespace einkorn::abi {

// kmp_depend_info.
struct KmpDepend {
  intptr_t address;
  size_t bytes;
  uint8_t flags;
};

inline Dependence dependence_of(const KmpDepend& d) {
  // omp_all_memory comes as the flag, or (clang 19) as the last address.
  DepMode mode = (d.flags & kDepAllMemory) || d.address == -1 ? kDepAllMemory
                 : d.flags & kDepInOutSet    ? kDepInOutSet
                 : d.flags & kDepMutexInOutSet ? kDepMutexInOutSet
                 : d.flags & 2                 ? kDepOut
                                               : kDepIn;
  return {uintptr_t(d.address), d.bytes, mode};
}

// Have all ended that a child of the current task with these would follow?
inline bool follow_nobody(const Worker* w, const KmpDepend* list, int count) {
  for (int i = 0; i < count; ++i) {
    Dependence d = dependence_of(list[i]);
    if (!follows_nobody(w, d.address, d.mode)) return false;
  }
  return true;
}

// Both lists into `to`, which has room for all.
inline void read_dependences(Dependence* to, int count, const KmpDepend* list, int more, const KmpDepend* further) {
  for (int i = 0; i < count; ++i) to[i] = dependence_of(list[i]);
  for (int i = 0; i < more; ++i) to[count + i] = dependence_of(further[i]);
}

}  // namespace einkorn::abi
