// A value that another thread may read while it changes, to which nothing is ordered: all of its accesses are relaxed.
#pragma once
#include "base/platform.h"

namespace einkorn::base {

template <class T>
class Relaxed {
 public:
  explicit constexpr Relaxed(T value) : value_(value) {}
  operator T() const { return value_.load(std::memory_order_relaxed); }
  T operator=(T value) {
    value_.store(value, std::memory_order_relaxed);
    return value;
  }

 private:
  std::atomic<T> value_;
};

}  // namespace einkorn::base
