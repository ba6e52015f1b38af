// Threads to be had: made when there are too few, kept when they are given back, told what to do (orders.h), ended.
// Knows neither what they do nor for whom. That is the Host's, a struct of static functions:
//
//   Worker             a thread's structure, with
//                        ParkWord park; Orders<Work> orders; Dock dock; Worker* next_idle; bool ours; and an `id`
//   workers()          the Workers of this Host
//   worker(i)          the structure that was made as the ith
//   make(i, ours)      makes it, with that id; under the lock. nullptr: no memory, for a thread that need not be
//   begins(w)          on a new thread, first
//   wait(w)            until w->orders.is_new(w->dock); at last by park_until(), of which it returns whom to wake
//   wake(work, those)  these of who was told that work
//   run(w, work, n)    its part n of the work; of one that several were told of it returns when all have begun (wake_all())
//   leaves(w)          the thread ends
//   halts(w)           it stops where it is, for good
//   stack_refused(n)   a stack of so many bytes cannot be had: threads get the system's default
#pragma once
#include <new>
#include <pthread.h>

#include "flow/mutex.h"
#include "flow/orders.h"
#include "flow/thread.h"

namespace einkorn::flow {

template <class Host>
class Workers {
 public:
  using Worker = typename Host::Worker;

  // Once, before any thread is made.
  void init() { pthread_key_create(&left_key_, left); }

  // ---- structures: those that are made stay, since others may still look at them
  // --------------------------------------

  // ours: for a thread that is made here; else for one that came by itself.
  Worker* enlist(bool ours) {
    lock_.lock();
    Worker* w = retired_;
    if (w) {
      retired_ = w->next_idle;
      w->next_idle = nullptr;
      w->ours = ours;
    } else if ((w = Host::make(made_, ours)) != nullptr) {
      ++made_;
    }
    lock_.unlock();
    return w;
  }
  // Its thread has ended, or is not made: for the next one.
  void retire(Worker* w) {
    lock_.lock();
    w->ours = false;
    w->next_idle = retired_;
    retired_ = w;
    lock_.unlock();
  }

  // ---- lending
  // --------------------------------------------------------------------------------------------------------

  // So many threads without work, into out[]. How many the system had.
  int lend(Worker** out, int count, size_t stack_bytes) {
    int got = 0;
    lock_.lock();
    while (got < count && idle_) {
      out[got++] = idle_;
      idle_ = idle_->next_idle;
    }
    lock_.unlock();
    return got == count ? got : got + make(out + got, count - got, stack_bytes);
  }
  void give_back(Worker* const* threads, int count) {
    lock_.lock();
    for (int i = 0; i < count; ++i) {
      threads[i]->next_idle = idle_;
      idle_ = threads[i];
    }
    lock_.unlock();
  }
  // Before their works are given to others: none is on its way out of one any more. All are done with them, so this is
  // short.
  static void await_docked(Worker* const* threads, int count) {
    std::atomic<uint32_t> nothing{0};
    for (int i = 0; i < count; ++i)
      while (!threads[i]->dock.is_docked()) futex_wait(&nothing, 0, tunables::kLateLook);
  }

  // ---- what a thread does
  // ---------------------------------------------------------------------------------------------

  // Waits for the next order, and does it. false: it was the last.
  bool serve(Worker* w) {
    w->dock.enter();
    const Sleepers others = Host::wait(w);
    const uintptr_t order = w->orders.take(w->dock);
    if (EK_UNLIKELY(!w->orders.is_work(order))) {
      EK_ASSERT(others.count == 0);
      return stop(w, order), false;
    }
    if (EK_UNLIKELY(others.count != 0)) Host::wake(w->orders.work(order), others);
    Host::run(w, w->orders.work(order), w->orders.number());
    return true;
  }

  // ---- the end
  // --------------------------------------------------------------------------------------------------------

  // Ends these and all that nobody has, with all that the program has them do then. Waits until they are gone, at so
  // many looks: destructors of thread-local objects may never end. false: somebody holds the lock, and wait_for_lock
  // was not said (it may be the calling thread itself: exit() in a signal handler).
  bool end(Worker* const* threads, int count, int looks, bool wait_for_lock = true) {
    if (wait_for_lock) lock_.lock();
    else if (!lock_.try_lock()) return false;
    Worker* idle = idle_;
    idle_ = nullptr;
    lock_.unlock();
    // Once told, a thread's structure is its own until it retires: the list is read before.
    for (Worker* next; idle; idle = next) {
      next = idle->next_idle;
      send_off(idle);
    }
    for (int i = 0; i < count; ++i) send_off(threads[i]);
    const uint32_t sent = sent_.load(std::memory_order_relaxed);
    for (; looks > 0; --looks) {
      const uint32_t gone = gone_.load(std::memory_order_acquire);  // pairs with left()
      if (int32_t(gone - sent) >= 0) break;
      futex_wait(&gone_, gone, tunables::kEndLook);
    }
    return true;
  }

  // Has all of ours but `me` halt that are between two works; waits for the others to come there, at so many looks.
  void halt(const Worker* me, int looks) {
    for (; looks > 0; --looks) {
      bool all = true;
      lock_.lock();
      for (int i = 0; i < made_; ++i) {
        Worker* w = Host::worker(i);
        if (!w->ours || w == me || gone_with_fork(w->id) || w->orders.is_last(w->orders.kHalt)) continue;
        // Another thread may have work for it first.
        if (!w->orders.give_if_docked(w->dock, w->orders.kHalt)) {
          all = false;
          continue;
        }
        ++told_to_halt_;
        tell(1, [w](int) { return w; });
      }
      const uint32_t told = told_to_halt_;
      lock_.unlock();
      const uint32_t halted = halted_.load(std::memory_order_acquire);  // pairs with stop()
      if (all && int32_t(halted - told) >= 0) return;
      futex_wait(&halted_, halted, all ? tunables::kEndLook : tunables::kEndLookNow);
    }
  }

  // In the child of a fork, where only the forking thread lives: there are no others, and the lock is free. survivor:
  // its id. From here on an id tells who lives: those of before are not given to new threads.
  void after_fork(uint32_t survivor) {
    new (&lock_) Mutex;
    idle_ = retired_ = nullptr;
    sent_.store(0, std::memory_order_relaxed);
    gone_.store(0, std::memory_order_relaxed);
    told_to_halt_ = 0;
    halted_.store(0, std::memory_order_relaxed);
    g_gone_below = uint32_t(made_);
    Onlooker::forget();
    g_survivor = survivor;
  }

 private:
  static void* main(void* arg) {
    auto* w = static_cast<Worker*>(arg);
    Host::begins(w);
    while (Host::workers().serve(w)) {}
    return nullptr;
  }

  int make(Worker** out, int count, size_t stack_bytes) {
    const KeptRoom room(count);
    size_t stack = stack_bytes;
    int got = 0;
    for (; got < count; ++got) {
      Worker* w = enlist(true);
      if (!w) break;
      if (!make_thread(main, w, stack)) {
        retire(w);
        break;
      }
      out[got] = w;
    }
    if (stack != stack_bytes) Host::stack_refused(stack_bytes);
    return got;
  }

  void send_off(Worker* w) {
    sent_.fetch_add(1, std::memory_order_relaxed);
    w->orders.give(w->orders.kLeave);
    tell(1, [w](int) { return w; });
  }

  EK_NOINLINE void stop(Worker* w, uintptr_t order) {
    if (order == w->orders.kLeave) {
      Host::leaves(w);
      retire(w);
      pthread_setspecific(left_key_, this);
      return;
    }
    Host::halts(w);
    halted_.fetch_add(1, std::memory_order_release);  // after what the Host did; pairs with halt()
    futex_wake(&halted_, INT_MAX);
    for (;;) futex_wait(&w->park, w->park.load());  // its structures may still be looked at
  }

  // The destructors of thread-local objects run before those of keys.
  static void left(void* workers) {
    auto& gone = static_cast<Workers*>(workers)->gone_;
    gone.fetch_add(1, std::memory_order_release);  // all that the thread did; pairs with end()
    futex_wake(&gone, INT_MAX);
  }

  Mutex lock_;  // of the making of structures, of the two lists, and of told_to_halt_
  int made_ = 0;
  Worker* idle_ = nullptr;     // threads that nobody has
  Worker* retired_ = nullptr;  // structures without a thread
  pthread_key_t left_key_ = ~0u;
  std::atomic<uint32_t> sent_{0}, gone_{0};  // told to leave, and gone
  uint32_t told_to_halt_ = 0;
  std::atomic<uint32_t> halted_{0};
};

}  // namespace einkorn::flow
