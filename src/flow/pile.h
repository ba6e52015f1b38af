// A pile: many put things on it, one takes away all of it. Each step is taken once, whoever else is there: a hundred
// threads that would try to put theirs until nobody was quicker take milliseconds.
//
// Who puts a thing on the pile does so by an exchange, and says then what lies below. Until it has, what lies below
// cannot be reached, and the one who takes does something else meanwhile.
// Always true: a thing is on the pile, or with the one who took it, or with the one who puts it; below a thing lies
// what was on top when it was put, all that was put before. Checked: tests/unit/model/pile_model_test.cpp.
#pragma once
#include "base/platform.h"

namespace einkorn::flow {

// T has a `std::atomic<T*> next`, which is the pile's from put() to below().
class Pile {
 public:
  // Anybody.
  template <class T>
  void put(T* t) {
    t->next.store(not_yet<T>(), std::memory_order_relaxed);
    // Release: what its putter did with t, for who takes it; also if it takes another one on top of it, as all that
    // is done to top_ are updates (a release sequence).
    void* const below = top_.exchange(t, std::memory_order_release);
    // Release: t is not touched any more; pairs with below(), behind which it may be anything.
    t->next.store(static_cast<T*>(below), std::memory_order_release);
  }
  bool seems_empty() const { return top_.load(std::memory_order_relaxed) == nullptr; }

  // One at a time: all of it, the latest first.
  template <class T>
  T* take() {
    return static_cast<T*>(top_.exchange(nullptr, std::memory_order_acquire));  // pairs with the exchange in put()
  }
  // Of what it took: what lies below t, in *below. false: that is not known yet.
  template <class T>
  static bool below(T* t, T** below) {
    *below = t->next.load(std::memory_order_acquire);
    return EK_LIKELY(*below != not_yet<T>());
  }

  // For tests: while nobody puts or takes.
  void* top() const { return top_.load(std::memory_order_relaxed); }

 private:
  template <class T>
  static T* not_yet() {
    return reinterpret_cast<T*>(uintptr_t(1));
  }
  std::atomic<void*> top_{nullptr};
};

}  // namespace einkorn::flow
