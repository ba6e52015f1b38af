// Numbers of any size, small ones in few bytes: seven bits per byte, the low ones first, with the top bit set on all
// but the last (LEB128). Signed: 0, -1, 1, -2 as 0, 1, 2, 3.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace einkorn::accesses {

class Varints {
 public:
  explicit Varints(uint8_t* at) : at_(at) {}
  void put(uint64_t v) {
    for (; v >= 0x80; v >>= 7) *at_++ = uint8_t(v | 0x80);
    *at_++ = uint8_t(v);
  }
  void put_signed(int64_t v) { put(uint64_t(v) << 1 ^ uint64_t(v >> 63)); }
  void bytes(const uint8_t* p, size_t n) {
    memcpy(at_, p, n);
    at_ += n;
  }
  uint8_t* end() const { return at_; }

 private:
  uint8_t* at_;
};

}  // namespace einkorn::accesses
