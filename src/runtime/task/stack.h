// More stack. A thread that waits runs further tasks on its own stack, and an undeferred task runs on its creator's: a
// recursion of tasks grows it like one of functions. Where it runs low the next task starts on a new one, so that the
// depth is bounded by memory, not by ulimit -s.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// Finds the bounds of the calling thread's stack. initial: the process's first thread.
void find_stack(Worker* w, bool initial);

// margin: bytes before that already.
inline bool stack_is_low(const Worker* w, uintptr_t margin = 0) {
#if defined(__x86_64__)
  uintptr_t here;  // the frame's address would need a frame, here and in whatever this is inlined into
  asm("mov %%rsp, %0" : "=r"(here));
#elif defined(__aarch64__)
  uintptr_t here;  // the same
  asm("mov %0, sp" : "=r"(here));
#else
  const auto here = uintptr_t(__builtin_frame_address(0));
#endif
  return here < uintptr_t(w->stack_low) + margin;
}

// fn(arg) on a new stack; on this one where there is no memory for another.
void call_on_new_stack(Worker* w, void (*fn)(void*), void* arg);

}  // namespace einkorn::runtime
