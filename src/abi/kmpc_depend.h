// How clang passes the dependences of a task. LLVM 19: kmp.h.
#pragma once
#include "abi/kmpc.h"
#include "runtime/task/depend.h"

namespace einkorn::abi {

// kmp_depend_info.
struct KmpDepend {
  intptr_t address;
  size_t bytes;
  uint8_t flags;
};

inline Dependence dependence_of(const KmpDepend& d) {
  if (EK_LIKELY(d.flags <= kDepOut && d.address != -1))
    return {uintptr_t(d.address), d.bytes, DepMode(d.flags | kDepIn)};
  // omp_all_memory comes as the flag, or (clang 19) as the last address.
  DepMode mode = (d.flags & kDepAllMemory) || d.address == -1 ? kDepAllMemory
                 : d.flags & kDepInOutSet                     ? kDepInOutSet
                 : d.flags & kDepMutexInOutSet                ? kDepMutexInOutSet
                 : d.flags & 2                                ? kDepOut
                                                              : kDepIn;
  return {uintptr_t(d.address), d.bytes, mode};
}

// Both lists of an entry point.
struct KmpDepends {
  int first;
  const KmpDepend* list;
  int more;
  const KmpDepend* further;

  size_t count() const { return size_t(first + more); }
  // to(Dependence) for each, until it says false. Did none?
  template <class To>
  __attribute__((always_inline)) bool all(To&& to) const {
    for (int i = 0; i < first; ++i)
      if (!to(dependence_of(list[i]))) return false;
    for (int i = 0; i < more; ++i)
      if (!to(dependence_of(further[i]))) return false;
    return true;
  }
  // Into `to`, which has room for all.
  void read(Dependence* to) const {
    all([&](const Dependence& d) { return *to++ = d, true; });
  }
};

}  // namespace einkorn::abi
