#include "runtime/lock.h"

#include <new>

#include "record/clock.h"
#include "runtime/tool.h"

namespace einkorn::runtime {

Mutex g_atomic;
Mutex g_critical;

namespace {

// What a tool hears of an access to a lock. Reductions of clang's take a lock that is not the program's.
class Told {
 public:
  Told(Worker* w, record::Construct construct, bool test, const void* lock, Caller caller)
      : w_(construct == record::Construct::reduction ? nullptr : w), lock_(lock), caller_(caller) {
    switch (construct) {
      case record::Construct::critical: kind_ = ompt_mutex_critical; break;
      case record::kConstructAtomic: kind_ = ompt_mutex_atomic; break;
      case record::Construct::nest_lock: kind_ = test ? ompt_mutex_test_nest_lock : ompt_mutex_nest_lock; break;
      default: kind_ = test ? ompt_mutex_test_lock : ompt_mutex_lock;
    }
    if (!w_ || !w_->tool) w_ = nullptr;
  }
  void acquire() { if (w_) tool::mutex_acquire(w_, kind_, 0, lock_, caller_); }
  void acquired() { if (w_) tool::mutex_acquired(w_, kind_, lock_, caller_); }
  void not_acquired() { if (w_) tool::mutex_not_acquired(w_); }
  void released() { if (w_) tool::mutex_released(w_, kind_, lock_, caller_); }

 private:
  Worker* w_;
  ompt_mutex_t kind_;
  const void* lock_;
  Caller caller_;
};

EK_NOINLINE void lock_held(Worker* w, Mutex* m) {
  Halted halted(w);
  m->lock(Mutex::holder(w->id));
}

// With a recorder or a tool. Out of line: the short way needs no frame.
EK_NOINLINE void lock_told(Worker* w, Mutex* m, record::Construct construct, Caller ra, uint16_t flags) {
  record::Stream* s = w->stream;
  uint32_t site = s->site(construct, flags, nullptr, ra);
  Told told(w, construct, false, m, ra);
  told.acquire();
  if (!m->try_lock(Mutex::holder(w->id))) {
    uint64_t t0 = record::now();
    s->mutex_wait(t0, site, m);
    lock_held(w, m);
    s->parked(record::now() - t0);  // it may have slept: that is `blocked`, not off-CPU
  }
  s->mutex_acquired(record::now(), site, m);
  told.acquired();
}

EK_NOINLINE void unlock_told(Worker* w, Mutex* m, record::Construct construct, Caller ra) {
  uint64_t t = record::now();
  bool woke = m->unlock();
  w->stream->mutex_released(t, m, woke ? record::now() - t : 0);
  Told(w, construct, false, m, ra).released();
}

}  // namespace

void lock_long_way(Mutex* m, record::Construct construct, Caller ra, uint16_t flags) {
  Worker* w = self();
  if (EK_UNLIKELY(w->stream != nullptr)) return lock_told(w, m, construct, ra, flags);
  lock_held(w, m);
}

bool try_lock(Mutex* m, record::Construct construct, Caller ra, uint16_t flags) {
  Worker* w = self();
  record::Stream* s = w->stream;
  if (EK_LIKELY(s == nullptr)) return m->try_lock(Mutex::holder(w->id));
  Told told(w, construct, true, m, ra);
  told.acquire();
  bool got = m->try_lock(Mutex::holder(w->id));
  if (got) {
    s->mutex_acquired(record::now(), s->site(construct, flags, nullptr, ra), m);
    told.acquired();
  } else {
    told.not_acquired();
  }
  return got;
}

void unlock_long_way(Mutex* m, record::Construct construct, Caller ra) {
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

// A tool hears of each nesting: the first as a lock's acquisition, the others as nest_lock.
void lock_nested(NestLock* l, Caller ra) {
  Worker* w = self();
  Task* me = w->current;
  if (l->owner.load(std::memory_order_relaxed) != me) {
    lock(&l->mutex, record::Construct::nest_lock, ra);
    l->owner.store(me, std::memory_order_relaxed);
    l->count = 0;  // which it is, unless the holder went with a fork
  } else if (EK_UNLIKELY(w->tool != nullptr)) {
    tool::mutex_acquire(w, ompt_mutex_nest_lock, 0, l, ra);
    tool::mutex_not_acquired(w);
    tool::nest_lock(ompt_scope_begin, l, ra);
  }
  ++l->count;
}

int try_lock_nested(NestLock* l, Caller ra) {
  Worker* w = self();
  Task* me = w->current;
  if (l->owner.load(std::memory_order_relaxed) != me) {
    if (!try_lock(&l->mutex, record::Construct::nest_lock, ra)) return 0;
    l->owner.store(me, std::memory_order_relaxed);
    l->count = 0;  // which it is, unless the holder went with a fork
  } else if (EK_UNLIKELY(w->tool != nullptr)) {
    tool::mutex_acquire(w, ompt_mutex_test_nest_lock, 0, l, ra);
    tool::mutex_not_acquired(w);
    tool::nest_lock(ompt_scope_begin, l, ra);
  }
  return ++l->count;
}

void unlock_nested(NestLock* l, Caller ra) {
  if (--l->count > 0) {
    if (EK_UNLIKELY(self()->tool != nullptr)) tool::nest_lock(ompt_scope_end, l, ra);
    return;
  }
  l->owner.store(nullptr, std::memory_order_relaxed);
  unlock(&l->mutex, record::Construct::nest_lock, ra);
}

}  // namespace einkorn::runtime
