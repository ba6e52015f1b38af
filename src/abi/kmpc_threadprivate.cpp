// clang's threadprivate variables without thread-local storage. LLVM 19: kmp_threadprivate.cpp.
#include "abi/kmpc.h"
#include "runtime/team/threadprivate.h"

using namespace einkorn::abi;

EK_EXPORT void* __kmpc_threadprivate(const Ident*, int32_t, void* data, size_t size) {
  return threadprivate_copy(self(), data, size, nullptr);
}

// *cache is the program's, zero at first: afterwards the copies by thread.
EK_EXPORT void* __kmpc_threadprivate_cached(const Ident*, int32_t, void* data, size_t size, void*** cache) {
  Worker* w = self();
  void** copies = __atomic_load_n(cache, __ATOMIC_ACQUIRE);
  if (EK_LIKELY(copies != nullptr))
    if (void* own = copies[w->id]) return own;
  void* own = threadprivate_copy(w, data, size, &copies);
  __atomic_store_n(cache, copies, __ATOMIC_RELEASE);
  return own;
}

EK_EXPORT void __kmpc_threadprivate_register(const Ident*, void* data, void* (*construct)(void*),
                                             void* (*copy)(void*, void*), void (*destroy)(void*)) {
  threadprivate_register(data, {construct, copy, destroy, nullptr, nullptr, nullptr, 0});
}

EK_EXPORT void __kmpc_threadprivate_register_vec(const Ident*, void* data, void* (*construct)(void*, size_t),
                                                 void* (*copy)(void*, void*, size_t), void (*destroy)(void*, size_t),
                                                 size_t elements) {
  threadprivate_register(data, {nullptr, nullptr, nullptr, construct, copy, destroy, elements});
}
