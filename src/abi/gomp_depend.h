// How gcc passes the dependences of a task. libgomp 12: task.c.
#pragma once
#include "abi/abi.h"
#include "runtime/depend.h"

namespace einkorn::abi {

// gcc's array of dependences. Old: count, number of out and inout, addresses. New: 0, count, number of out and inout, of
// mutexinoutset, of in, addresses; the rest are depobjs: pointers to an address and its kind.
inline size_t count_dependences(void** list) { return size_t(list[0] ? list[0] : list[1]); }

// to(i, address, mode) for each.
template <class To>
inline void for_each_dependence(void** list, To&& to) {
  size_t count = count_dependences(list);
  if (EK_LIKELY(list[0] != nullptr)) {
    size_t outs = size_t(list[1]);
    for (size_t i = 0; i < count; ++i) to(i, uintptr_t(list[2 + i]), i < outs ? kDepOut : kDepIn);
    return;
  }
  size_t outs = size_t(list[2]), sets = outs + size_t(list[3]), ins = sets + size_t(list[4]);
  void** at = list + 5;
  for (size_t i = 0; i < count; ++i) {
    if (i < ins) {
      to(i, uintptr_t(at[i]), i < outs ? kDepOut : i < sets ? kDepMutexInOutSet : kDepIn);
    } else {
      auto* object = static_cast<uintptr_t*>(at[i]);
      constexpr DepMode kModes[] = {kDepOut, kDepIn, kDepOut, kDepOut, kDepMutexInOutSet, kDepInOutSet};
      if (object[1] == 0 || object[1] >= sizeof kModes) fatal("depend: a depobj that was not initialised, or destroyed");
      to(i, object[0], kModes[object[1]]);
    }
  }
}

inline void read_dependences(void** list, Dependence* to) {
  for_each_dependence(list, [&](size_t i, uintptr_t address, DepMode mode) { to[i] = {address, 0, mode}; });
}

}  // namespace einkorn::abi
