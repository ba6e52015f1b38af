// Protocol buffers' wire format, writing only: what a Perfetto trace needs of it. By hand: three kinds of fields are
// fewer lines than a library's package (protobuf with generated classes, protozero) and its use would take.
//
//   Message packet;
//   packet.number(8, time).message(11, [&](Message& event) { event.number(9, 1); });
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace einkorn::report {

class Message {
 public:
  Message& number(int field, uint64_t v) {
    key(field, 0);
    varint(v);
    return *this;
  }
  Message& fixed64(int field, uint64_t v) {
    key(field, 1);
    for (int b = 0; b < 64; b += 8) bytes_ += char(v >> b);
    return *this;
  }
  Message& text(int field, std::string_view v) {
    key(field, 2);
    varint(v.size());
    bytes_ += v;
    return *this;
  }
  Message& message(int field, const Message& inner) { return text(field, inner.bytes_); }
  template <class F>
    requires std::invocable<F, Message&>
  Message& message(int field, F&& fill) {
    Message inner;
    fill(inner);
    return message(field, static_cast<const Message&>(inner));
  }
  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

 private:
  void key(int field, int wire) { varint(uint64_t(field) << 3 | uint64_t(wire)); }
  void varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_ += char(v | 0x80);
    bytes_ += char(v);
  }

  std::string bytes_;
};

}  // namespace einkorn::report
