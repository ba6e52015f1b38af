// Memory for tasks of more than 4096 bytes: clang keeps a task's private and firstprivate variables in the task. A
// block that was used is kept, first by the worker that frees it, then in a pool of the process: so a task costs what
// it touches of its block, and not what the C library and the kernel do to find the memory again.
//
// Invariants: a free block is in exactly one place, a worker's list or the pool's, by its class. Worker::large_bytes is
// the sum of the worker's lists, and at most kLargeKept. The pool's lock is only ever tried: who does not get it at
// once goes to the C library, so that nobody waits here, and the child of a fork needs no care.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// Sizes of 8 KiB, twice that, and so on; larger ones come from the C library each time.
inline constexpr size_t kLargeSmallest = 8 << 10, kLargest = kLargeSmallest << (Worker::kLargeClasses - 1);
// Bytes that a worker, and the pool, keep at most.
inline constexpr size_t kLargeKept = 1 << 20, kLargePooled = 8 << 20;

Task* large_block(Worker* w, size_t bytes);  // home and size_class are set
void free_large(Worker* w, Task* t);
void*& last_word_of_large(Task* t);
void leave_large(Worker* w);  // all that the worker keeps: the thread ends

}  // namespace einkorn::runtime
