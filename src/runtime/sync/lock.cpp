#include "runtime/sync/lock.h"

#include <new>

#include "base/clock.h"
#include "runtime/observe/mutexes.h"
#include "runtime/sync/halted.h"
#include "runtime/sync/sleep.h"
#include "runtime/task/merged.h"

namespace einkorn::runtime {

Mutex g_atomic;
Mutex g_critical;

namespace {

EK_NOINLINE void lock_held(Worker* w, Mutex* m) {
  Halted halted(w);
  if (EK_UNLIKELY(waits_in_turn(w->team))) return m->lock_in_turn(Mutex::holder(w->id), StaysAwake(w));
  m->lock_while(Mutex::holder(w->id), StaysAwake(w));
}

// Where somebody hears of it. Out of line: the fast path needs no frame.
EK_NOINLINE void lock_told(Worker* w, Mutex* m, record::Construct construct, Caller ra, uint16_t flags) {
  observe::MutexAccess access(w, construct, false, m, ra, flags);
  if (!m->try_lock(Mutex::holder(w->id))) {
    access.waits();
    lock_held(w, m);
    access.waited();
  }
  access.acquired();
}

EK_NOINLINE void unlock_told(Worker* w, Mutex* m, record::Construct construct, Caller ra) {
  uint64_t t = ticks();
  bool woke = m->unlock();
  observe::MutexAccess::released(w, construct, m, ra, t, woke ? ticks() - t : 0);
}

}  // namespace

void lock_slow_path(Mutex* m, record::Construct construct, Caller ra, uint16_t flags) {
  Worker* w = self();
  if (EK_UNLIKELY(w->stream != nullptr)) return lock_told(w, m, construct, ra, flags);
  lock_held(w, m);
}

bool try_lock(Mutex* m, record::Construct construct, Caller ra, uint16_t flags) {
  Worker* w = self();
  if (EK_LIKELY(w->stream == nullptr)) return m->try_lock(Mutex::holder(w->id));
  observe::MutexAccess access(w, construct, true, m, ra, flags);
  const bool got = m->try_lock(Mutex::holder(w->id));
  if (got) access.acquired();
  else access.not_acquired();
  return got;
}

void unlock_slow_path(Mutex* m, record::Construct construct, Caller ra) {
  Worker* w = self();
  if (EK_UNLIKELY(w->stream != nullptr)) return unlock_told(w, m, construct, ra);
  m->unlock();
}

NestLock* new_nest_lock() {
  void* p = nullptr;
  if (posix_memalign(&p, kCacheLine, sizeof(NestLock)) != 0) fatal("out of memory: omp_init_nest_lock");
  return new (p) NestLock;
}

void delete_nest_lock(NestLock* l) { free(l); }

void lock_nested(NestLock* l, Caller ra) {
  Worker* w = self();
  Task* me = own_task(w);
  if (l->owner.load(std::memory_order_relaxed) != me) {
    lock(&l->mutex, record::Construct::nest_lock, ra);
    l->owner.store(me, std::memory_order_relaxed);
    l->count = 0;  // which it is, unless the holder went with a fork
  } else {
    observe::nested_again(w, l, false, ra);
  }
  ++l->count;
}

int try_lock_nested(NestLock* l, Caller ra) {
  Worker* w = self();
  Task* me = own_task(w);
  if (l->owner.load(std::memory_order_relaxed) != me) {
    if (!try_lock(&l->mutex, record::Construct::nest_lock, ra)) return 0;
    l->owner.store(me, std::memory_order_relaxed);
    l->count = 0;  // which it is, unless the holder went with a fork
  } else {
    observe::nested_again(w, l, true, ra);
  }
  return ++l->count;
}

void unlock_nested(NestLock* l, Caller ra) {
  if (--l->count > 0) return observe::nested_less(self(), l, ra);
  l->owner.store(nullptr, std::memory_order_relaxed);
  unlock(&l->mutex, record::Construct::nest_lock, ra);
}

}  // namespace einkorn::runtime
