// How gcc passes the dependences of a task. libgomp 12: task.c.
#pragma once
#include "abi/abi.h"
#include "runtime/task/depend.h"

namespace einkorn::abi {

// gcc's array of dependences. Old: count, number of out and inout, addresses. New: 0, count, number of out and inout,
// of mutexinoutset, of in, addresses; the rest are depobjs: pointers to an address and its kind.
struct GompDepends {
  void** list;

  size_t count() const { return size_t(list[0] ? list[0] : list[1]); }

  // to(Dependence) for each, until it says false. Did none?
  template <class To>
  __attribute__((always_inline)) bool all(To&& to) const {
    const size_t count = this->count();
    if (EK_LIKELY(list[0] != nullptr)) {
      const size_t outs = size_t(list[1]);
      for (size_t i = 0; i < count; ++i)
        if (!to(Dependence{uintptr_t(list[2 + i]), 0, i < outs ? out(list[2 + i]) : kDepIn})) return false;
      return true;
    }
    if (EK_UNLIKELY(count == 0)) return true;  // iterators of nothing: gcc 12's array ends here
    const size_t outs = size_t(list[2]), sets = outs + size_t(list[3]), ins = sets + size_t(list[4]);
    void** at = list + 5;
    for (size_t i = 0; i < count; ++i) {
      const bool plain = i < ins;
      const Dependence d = plain ? Dependence{uintptr_t(at[i]), 0,
                                              i < outs   ? out(at[i])
                                              : i < sets ? kDepMutexInOutSet
                                                         : kDepIn}
                                 : of_object(static_cast<uintptr_t*>(at[i]));
      if (!to(d)) return false;
    }
    return true;
  }
  // Into `to`, which has room for all.
  void read(Dependence* to) const {
    all([&](const Dependence& d) { return *to++ = d, true; });
  }

 private:
  // Since gcc 13 omp_all_memory comes as a null address.
  static DepMode out(const void* address) { return EK_LIKELY(address != nullptr) ? kDepOut : kDepAllMemory; }
  static Dependence of_object(const uintptr_t* object) {
    constexpr DepMode kModes[] = {kDepOut, kDepIn, kDepOut, kDepOut, kDepMutexInOutSet, kDepInOutSet};
    if (object[1] == 0 || object[1] >= sizeof kModes) fatal("depend: a depobj that was not initialised, or destroyed");
    const DepMode mode = kModes[object[1]];
    return {object[0], 0, mode == kDepOut ? out(reinterpret_cast<void*>(object[0])) : mode};
  }
};

}  // namespace einkorn::abi
