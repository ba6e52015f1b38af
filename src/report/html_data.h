// The numbers of the page: columns, each transposed to byte planes (and differenced where neighbours are alike), all in
// one zstd frame. viewer/src/columns.ts reads it back.
//
// A column of n values of w bytes is stored as w planes of n bytes: first all lowest bytes, then all second bytes, ...
// With delta, value i is stored as value i - value i-1, modulo 2^(8w). Absent values are all ones (-1).
#pragma once
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>
#include <nlohmann/json.hpp>

namespace einkorn::report {

class Columns {
 public:
  // `value(i)` for i in [0, count), an integer of type T.
  template <class T, class F>
  void add(const char* name, size_t count, bool delta, F&& value) {
    using U = std::make_unsigned_t<T>;
    describe(name, sizeof(T), std::is_signed_v<T>, count, delta);
    const size_t at = raw_.size();
    raw_.resize(at + count * sizeof(T));
    U before = 0;
    for (size_t i = 0; i < count; ++i) {
      const U v = U(T(value(i)));
      const U stored = delta ? U(v - before) : v;
      before = v;
      for (size_t b = 0; b < sizeof(T); ++b) raw_[at + b * count + i] = char(stored >> (8 * b));
    }
  }

  const nlohmann::json& description() const { return description_; }
  size_t raw_bytes() const { return raw_.size(); }
  // Compressed with zstd, then base64. Empty and `error` filled when zstd fails.
  std::string pack(std::string& error) const;

 private:
  void describe(const char* name, size_t bytes, bool is_signed, size_t count, bool delta);

  std::string raw_;
  nlohmann::json description_ = nlohmann::json::array();
};

std::string base64(const std::string& bytes);

}  // namespace einkorn::report
