// Threadprivate variables of programs that do not use the linker's thread-local storage (clang -fno-openmp-use-tls):
// the initial thread has the original, every other a copy of what it was when it was first used.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// How copies of a class are made; with elements > 0 of an array of them, and the functions take the number too.
struct ThreadprivateClass {
  void* (*construct)(void*);
  void* (*copy)(void*, void*);
  void (*destroy)(void*);
  void* (*construct_array)(void*, size_t);
  void* (*copy_array)(void*, void*, size_t);
  void (*destroy_array)(void*, size_t);
  size_t elements;
};

void threadprivate_register(void* original, const ThreadprivateClass& how);
// The calling thread's copy. *copies, where asked for: all threads' copies by Worker::id, nullptr where there is none
// yet.
void* threadprivate_copy(Worker* w, void* original, size_t size, void*** copies);
// A foreign thread ends.
void threadprivate_thread_ended(Worker* w);
void threadprivate_after_fork();  // in the child: who held a lock is not there any more

}  // namespace einkorn::runtime
