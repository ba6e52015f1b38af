// gcc's barriers, critical sections and atomics. libgomp 12: barrier.c, critical.c.
#include "abi/abi.h"
#include "runtime/sync/lock.h"
#include "runtime/sync/barrier.h"

using namespace einkorn::abi;
using einkorn::record::Construct;

EK_EXPORT void GOMP_barrier() { barrier(self(), Construct::barrier, EK_CALLER, 0); }

EK_EXPORT void GOMP_critical_start() { lock(&g_critical, Construct::critical, EK_CALLER); }
EK_EXPORT void GOMP_critical_end() { unlock(&g_critical, Construct::critical, EK_CALLER); }

// gcc gives each name a zeroed pointer of its own: our lock fits into it.
EK_EXPORT void GOMP_critical_name_start(void** name) {
  static_assert(sizeof(Mutex) <= sizeof(void*));
  lock(reinterpret_cast<Mutex*>(name), Construct::critical, EK_CALLER);
}
EK_EXPORT void GOMP_critical_name_end(void** name) {
  unlock(reinterpret_cast<Mutex*>(name), Construct::critical, EK_CALLER);
}

EK_EXPORT void GOMP_atomic_start() { lock(&g_atomic, einkorn::record::kConstructAtomic, EK_CALLER); }
EK_EXPORT void GOMP_atomic_end() { unlock(&g_atomic, einkorn::record::kConstructAtomic, EK_CALLER); }
