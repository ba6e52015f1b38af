#include "runtime/lock.h"

#include <new>

#include "record/clock.h"

namespace einkorn::runtime {

Mutex g_atomic;
Mutex g_critical;

void lock(Mutex* m, record::Construct construct, const void* ra, uint16_t flags) {
  record::Stream* s = self()->stream;
  if (EK_LIKELY(s == nullptr)) return m->lock();
  uint32_t site = s->site(construct, flags, nullptr, ra);
  if (!m->try_lock()) {
    uint64_t t0 = record::now();
    s->mutex_wait(t0, site, m);
    m->lock();
    s->parked(record::now() - t0);  // it may have slept: that is `blocked`, not off-CPU
  }
  s->mutex_acquired(record::now(), site, m);
}

bool try_lock(Mutex* m, record::Construct construct, const void* ra, uint16_t flags) {
  if (!m->try_lock()) return false;
  if (record::Stream* s = self()->stream) s->mutex_acquired(record::now(), s->site(construct, flags, nullptr, ra), m);
  return true;
}

void unlock(Mutex* m) {
  if (record::Stream* s = self()->stream) s->mutex_released(record::now(), m);
  m->unlock();
}

NestLock* new_nest_lock() {
  void* p = nullptr;
  if (posix_memalign(&p, kCacheLine, sizeof(NestLock)) != 0) fatal("out of memory: omp_init_nest_lock");
  return new (p) NestLock;
}

void delete_nest_lock(NestLock* l) { free(l); }

void lock_nested(NestLock* l, const void* ra) {
  Task* me = self()->current;
  if (l->owner.load(std::memory_order_relaxed) != me) {
    lock(&l->mutex, record::Construct::nest_lock, ra);
    l->owner.store(me, std::memory_order_relaxed);
  }
  ++l->count;
}

int try_lock_nested(NestLock* l, const void* ra) {
  Task* me = self()->current;
  if (l->owner.load(std::memory_order_relaxed) != me) {
    if (!try_lock(&l->mutex, record::Construct::nest_lock, ra)) return 0;
    l->owner.store(me, std::memory_order_relaxed);
  }
  return ++l->count;
}

void unlock_nested(NestLock* l) {
  if (--l->count > 0) return;
  l->owner.store(nullptr, std::memory_order_relaxed);
  unlock(&l->mutex);
}

void locks_after_fork() {
  new (&g_atomic) Mutex;
  new (&g_critical) Mutex;
}

}  // namespace einkorn::runtime
