// Thrift's compact protocol, as much of it as the headers of a Parquet file need. By hand: Debian 12 has neither Arrow
// nor another writer of Parquet for C++, and Thrift's own library wants classes generated from a definition that it
// does not have.
//
//   Thrift t;
//   t.i32(1, 42).text(4, "name").begin_list(2, Thrift::kStruct, 2) ... .end()
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace einkorn::report {

class Thrift {
 public:
  enum Type : uint8_t { kTrue = 1, kFalse = 2, kI32 = 5, kI64 = 6, kBinary = 8, kList = 9, kStruct = 12 };

  Thrift& i32(int field, int32_t v) { return header(field, kI32).zigzag(v); }
  Thrift& i64(int field, int64_t v) { return header(field, kI64).zigzag(v); }
  Thrift& boolean(int field, bool v) { return header(field, v ? kTrue : kFalse); }
  Thrift& text(int field, std::string_view v) { return header(field, kBinary).element(v); }
  Thrift& begin_list(int field, Type of, size_t count) {
    header(field, kList);
    if (count < 15) bytes_ += char(count << 4 | of);
    else bytes_ += char(0xf0 | of), varint(count);
    return *this;
  }
  // A list's elements.
  Thrift& element(std::string_view v) {
    varint(v.size());
    bytes_ += v;
    return *this;
  }
  Thrift& element(int32_t v) { return zigzag(v); }
  // A structure: as a field, or with field 0 as a list's element. Ends with end().
  Thrift& begin(int field = 0) {
    if (field) header(field, kStruct);
    fields_.push_back(last_);
    last_ = 0;
    return *this;
  }
  Thrift& end() {
    bytes_ += '\0';
    last_ = fields_.back();
    fields_.pop_back();
    return *this;
  }
  // The outermost structure, ended.
  const std::string& finish() {
    bytes_ += '\0';
    return bytes_;
  }

 private:
  Thrift& header(int field, Type type) {
    if (int delta = field - last_; delta > 0 && delta < 16) bytes_ += char(delta << 4 | type);
    else bytes_ += char(type), zigzag(field);
    last_ = field;
    return *this;
  }
  Thrift& zigzag(int64_t v) {
    varint(uint64_t(v) << 1 ^ uint64_t(v >> 63));
    return *this;
  }
  void varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_ += char(v | 0x80);
    bytes_ += char(v);
  }

  std::string bytes_;
  std::vector<int> fields_;
  int last_ = 0;
};

}  // namespace einkorn::report
