// omp_*_lock and omp_*_nest_lock. An omp_lock_t has 4 bytes in gcc and 8 in clang: our lock is in it. An
// omp_nest_lock_t has 16 and 8: it holds a pointer. Fortran passes the same objects by reference.
#include <new>

#include "abi/abi.h"
#include "runtime/sync/lock.h"
#include "runtime/observe/tool.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

namespace {

// A lock may be the first that a thread has to do with OpenMP: then a tool hears of the thread first.
bool told() { return EK_UNLIKELY(tool::active()) && self()->tool; }

void init(void* l, unsigned hint, const void* ra) {
  new (l) Mutex;
  if (told()) tool::lock_init(ompt_mutex_lock, hint, l, ra);
}
void destroy(void* l, const void* ra) {
  if (told()) tool::lock_destroy(ompt_mutex_lock, l, ra);
}
void init_nest(NestLock** l, unsigned hint, const void* ra) {
  *l = new_nest_lock();
  if (told()) tool::lock_init(ompt_mutex_nest_lock, hint, *l, ra);
}
void destroy_nest(NestLock** l, const void* ra) {
  if (told()) tool::lock_destroy(ompt_mutex_nest_lock, *l, ra);
  delete_nest_lock(*l);
  *l = nullptr;
}

}  // namespace

// C, and Fortran's twin.
#define EK_LOCKS(suffix, Hint, hint)                                                                             \
  EK_EXPORT void omp_init_lock##suffix(void* l) { init(l, 0, EK_CALLER); }                                       \
  EK_EXPORT void omp_init_lock_with_hint##suffix(void* l, Hint h) { init(l, hint, EK_CALLER); }                  \
  EK_EXPORT void omp_destroy_lock##suffix(void* l) { destroy(l, EK_CALLER); }                                    \
  EK_EXPORT void omp_set_lock##suffix(void* l) { lock(static_cast<Mutex*>(l), Construct::lock, EK_CALLER); }     \
  EK_EXPORT void omp_unset_lock##suffix(void* l) { unlock(static_cast<Mutex*>(l), Construct::lock, EK_CALLER); } \
  EK_EXPORT int omp_test_lock##suffix(void* l) {                                                                 \
    return try_lock(static_cast<Mutex*>(l), Construct::lock, EK_CALLER);                                         \
  }                                                                                                              \
  EK_EXPORT void omp_init_nest_lock##suffix(NestLock** l) { init_nest(l, 0, EK_CALLER); }                        \
  EK_EXPORT void omp_init_nest_lock_with_hint##suffix(NestLock** l, Hint h) { init_nest(l, hint, EK_CALLER); }   \
  EK_EXPORT void omp_destroy_nest_lock##suffix(NestLock** l) { destroy_nest(l, EK_CALLER); }                     \
  EK_EXPORT void omp_set_nest_lock##suffix(NestLock** l) { lock_nested(*l, EK_CALLER); }                         \
  EK_EXPORT void omp_unset_nest_lock##suffix(NestLock** l) { unlock_nested(*l, EK_CALLER); }                     \
  EK_EXPORT int omp_test_nest_lock##suffix(NestLock** l) { return try_lock_nested(*l, EK_CALLER); }
EK_LOCKS(, unsigned, h)
EK_LOCKS(_, const int*, unsigned(*h))

// The same locks under clang's internal names.
struct Ident;
EK_EXPORT void __kmpc_init_lock(const Ident*, int, void* l) { init(l, 0, EK_CALLER); }
EK_EXPORT void __kmpc_init_lock_with_hint(const Ident*, int, void* l, uintptr_t h) { init(l, unsigned(h), EK_CALLER); }
EK_EXPORT void __kmpc_destroy_lock(const Ident*, int, void* l) { destroy(l, EK_CALLER); }
EK_EXPORT void __kmpc_set_lock(const Ident*, int, void* l) { lock(static_cast<Mutex*>(l), Construct::lock, EK_CALLER); }
EK_EXPORT void __kmpc_unset_lock(const Ident*, int, void* l) {
  unlock(static_cast<Mutex*>(l), Construct::lock, EK_CALLER);
}
EK_EXPORT int __kmpc_test_lock(const Ident*, int, void* l) {
  return try_lock(static_cast<Mutex*>(l), Construct::lock, EK_CALLER);
}
EK_EXPORT void __kmpc_init_nest_lock(const Ident*, int, NestLock** l) { init_nest(l, 0, EK_CALLER); }
EK_EXPORT void __kmpc_init_nest_lock_with_hint(const Ident*, int, NestLock** l, uintptr_t h) {
  init_nest(l, unsigned(h), EK_CALLER);
}
EK_EXPORT void __kmpc_destroy_nest_lock(const Ident*, int, NestLock** l) { destroy_nest(l, EK_CALLER); }
EK_EXPORT void __kmpc_set_nest_lock(const Ident*, int, NestLock** l) { lock_nested(*l, EK_CALLER); }
EK_EXPORT void __kmpc_unset_nest_lock(const Ident*, int, NestLock** l) { unlock_nested(*l, EK_CALLER); }
EK_EXPORT int __kmpc_test_nest_lock(const Ident*, int, NestLock** l) { return try_lock_nested(*l, EK_CALLER); }
