// omp_lock_t, omp_nest_lock_t, critical, and atomics that the compiler cannot do in one instruction.
#pragma once
#include "flow/mutex.h"
#include "runtime/types.h"

namespace einkorn::runtime {

// Locks with the recorder's events: blocked from the failed try until it is ours, held until unlock.
void lock_slow_path(Mutex* m, record::Construct construct, Caller caller, uint16_t site_flags);
void unlock_slow_path(Mutex* m, record::Construct construct, Caller caller);
bool try_lock(Mutex* m, record::Construct construct, Caller caller, uint16_t site_flags = 0);

// Do the team's threads wait for a lock in turn (flow/lock_queue.h)? Where they are more than CPUs, whose turn it is
// often does not run: they do without.
inline bool waits_in_turn(const Team* team) { return team->n > g_looks_apart && team->n <= team->cpus; }

// Undisputed, and nobody listens: without a frame.
inline bool nobody_listens(const Worker* w) { return EK_LIKELY(w != nullptr) && EK_LIKELY(w->stream == nullptr); }
inline void lock(Mutex* m, record::Construct construct, Caller caller, uint16_t site_flags = 0) {
  const Worker* w = t_worker;
  if (nobody_listens(w) && EK_LIKELY(m->lock_if_free(Mutex::holder(w->id)))) return;
  lock_slow_path(m, construct, caller, site_flags);
}
inline void unlock(Mutex* m, record::Construct construct, Caller caller) {
  if (nobody_listens(t_worker)) m->unlock();
  else unlock_slow_path(m, construct, caller);
}

// A nestable lock belongs to a task (OpenMP 5.1, 3.9), not to a thread. The program's omp_nest_lock_t holds a pointer
// to one.
struct NestLock {
  Mutex mutex;
  std::atomic<Task*> owner{nullptr};  // written by the holder; equal to the asking task only if that one wrote it
  int count = 0;
};
NestLock* new_nest_lock();
void delete_nest_lock(NestLock*);
void lock_nested(NestLock* l, Caller caller);
int try_lock_nested(NestLock* l, Caller caller);  // new nesting count, 0: another task holds it
void unlock_nested(NestLock* l, Caller caller);

extern Mutex g_atomic;    // atomic and reduction fall-backs
extern Mutex g_critical;  // critical without a name

}  // namespace einkorn::runtime
