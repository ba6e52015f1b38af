// omp_*_lock and omp_*_nest_lock. An omp_lock_t has 4 bytes in gcc and 8 in clang: our lock is in it. An omp_nest_lock_t
// has 16 and 8: it holds a pointer. Fortran passes the same objects by reference.
#include <new>

#include "abi/abi.h"
#include "runtime/lock.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

EK_EXPORT void omp_init_lock(void* l) { new (l) Mutex; }
EK_EXPORT void omp_init_lock_with_hint(void* l, unsigned) { new (l) Mutex; }
EK_EXPORT void omp_destroy_lock(void*) {}
EK_EXPORT void omp_set_lock(void* l) { lock(static_cast<Mutex*>(l), Construct::lock, EK_CALLER); }
EK_EXPORT void omp_unset_lock(void* l) { unlock(static_cast<Mutex*>(l)); }
EK_EXPORT int omp_test_lock(void* l) { return try_lock(static_cast<Mutex*>(l), Construct::lock, EK_CALLER); }

EK_EXPORT void omp_init_nest_lock(NestLock** l) { *l = new_nest_lock(); }
EK_EXPORT void omp_init_nest_lock_with_hint(NestLock** l, unsigned) { *l = new_nest_lock(); }
EK_EXPORT void omp_destroy_nest_lock(NestLock** l) {
  delete_nest_lock(*l);
  *l = nullptr;
}
EK_EXPORT void omp_set_nest_lock(NestLock** l) { lock_nested(*l, EK_CALLER); }
EK_EXPORT void omp_unset_nest_lock(NestLock** l) { unlock_nested(*l); }
EK_EXPORT int omp_test_nest_lock(NestLock** l) { return try_lock_nested(*l, EK_CALLER); }

EK_EXPORT void omp_init_lock_(void* l) { new (l) Mutex; }
EK_EXPORT void omp_init_lock_with_hint_(void* l, const int*) { new (l) Mutex; }
EK_EXPORT void omp_destroy_lock_(void*) {}
EK_EXPORT void omp_set_lock_(void* l) { lock(static_cast<Mutex*>(l), Construct::lock, EK_CALLER); }
EK_EXPORT void omp_unset_lock_(void* l) { unlock(static_cast<Mutex*>(l)); }
EK_EXPORT int omp_test_lock_(void* l) { return try_lock(static_cast<Mutex*>(l), Construct::lock, EK_CALLER); }

EK_EXPORT void omp_init_nest_lock_(NestLock** l) { *l = new_nest_lock(); }
EK_EXPORT void omp_init_nest_lock_with_hint_(NestLock** l, const int*) { *l = new_nest_lock(); }
EK_EXPORT void omp_destroy_nest_lock_(NestLock** l) { omp_destroy_nest_lock(l); }
EK_EXPORT void omp_set_nest_lock_(NestLock** l) { lock_nested(*l, EK_CALLER); }
EK_EXPORT void omp_unset_nest_lock_(NestLock** l) { unlock_nested(*l); }
EK_EXPORT int omp_test_nest_lock_(NestLock** l) { return try_lock_nested(*l, EK_CALLER); }

// The same locks under clang's internal names.
struct Ident;
EK_EXPORT void __kmpc_init_lock(const Ident*, int, void* l) { new (l) Mutex; }
EK_EXPORT void __kmpc_init_lock_with_hint(const Ident*, int, void* l, uintptr_t) { new (l) Mutex; }
EK_EXPORT void __kmpc_destroy_lock(const Ident*, int, void*) {}
EK_EXPORT void __kmpc_set_lock(const Ident*, int, void* l) { lock(static_cast<Mutex*>(l), Construct::lock, EK_CALLER); }
EK_EXPORT void __kmpc_unset_lock(const Ident*, int, void* l) { unlock(static_cast<Mutex*>(l)); }
EK_EXPORT int __kmpc_test_lock(const Ident*, int, void* l) {
  return try_lock(static_cast<Mutex*>(l), Construct::lock, EK_CALLER);
}
EK_EXPORT void __kmpc_init_nest_lock(const Ident*, int, NestLock** l) { *l = new_nest_lock(); }
EK_EXPORT void __kmpc_init_nest_lock_with_hint(const Ident*, int, NestLock** l, uintptr_t) { *l = new_nest_lock(); }
EK_EXPORT void __kmpc_destroy_nest_lock(const Ident*, int, NestLock** l) { omp_destroy_nest_lock(l); }
EK_EXPORT void __kmpc_set_nest_lock(const Ident*, int, NestLock** l) { lock_nested(*l, EK_CALLER); }
EK_EXPORT void __kmpc_unset_nest_lock(const Ident*, int, NestLock** l) { unlock_nested(*l); }
EK_EXPORT int __kmpc_test_nest_lock(const Ident*, int, NestLock** l) { return try_lock_nested(*l, EK_CALLER); }
