// A table that only grows: elements never move, so that growing copies nothing (at 10^7 grains a doubling vector would
// hold every table twice).
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace einkorn::profile {

template <class T>
class Slab {
 public:
  uint32_t push(const T& value) {
    if ((size_ & kMask) == 0 && size_ >> kBits == pieces_.size())
      pieces_.push_back(std::make_unique_for_overwrite<T[]>(kMask + 1));
    pieces_[size_ >> kBits][size_ & kMask] = value;
    return size_++;
  }
  T& operator[](uint32_t i) { return pieces_[i >> kBits][i & kMask]; }
  const T& operator[](uint32_t i) const { return pieces_[i >> kBits][i & kMask]; }
  uint32_t size() const { return size_; }
  void clear() {
    pieces_.clear();
    size_ = 0;
  }

 private:
  static constexpr uint32_t kBits = 11, kMask = (1u << kBits) - 1;
  std::vector<std::unique_ptr<T[]>> pieces_;
  uint32_t size_ = 0;
};

}  // namespace einkorn::profile
