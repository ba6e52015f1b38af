// The numbers of the page: columns, each as byte planes, all in one zlib stream. viewer/src/data/columns.ts reads it
// back.
//
// A value v of w bytes is first taken as u = v + 1 modulo 2^(8w), so that "absent" (all ones) is 0. With delta, value i
// becomes the zigzag code of u[i] - u[i-1]: 0, -1, 1, -2, ... as 0, 1, 2, 3, ... Then plane b holds byte b of all
// values, n bytes long; a plane in which all bytes are alike is left out and its byte stands in the description. So a
// column costs the bytes that its values need, which is what the page's decoder spends its time on.
#pragma once
#include <bit>
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
    constexpr int kBits = 8 * sizeof(T);
    std::vector<U> codes(count);
    U before = 0;
    for (size_t i = 0; i < count; ++i) {
      const U u = U(U(T(value(i))) + 1);
      const U step = U(u - before);
      codes[i] = delta ? U(U(step << 1) ^ U(0 - U(step >> (kBits - 1)))) : u;
      before = u;
    }
    begin(name, sizeof(T), std::is_signed_v<T>, count, delta);
    std::string plane(count, '\0');
    for (size_t b = 0; b < sizeof(T); ++b) {
      for (size_t i = 0; i < count; ++i) plane[i] = char(codes[i] >> (8 * b));
      add_plane(plane);
    }
  }

  // `value(i)`, a float; the page takes NaN for "absent", which all ones is.
  template <class F>
  void add_float(const char* name, size_t count, F&& value) {
    add<uint32_t>(name, count, false, [&](size_t i) { return std::bit_cast<uint32_t>(float(value(i))); });
    description_.back()["type"] = "f32";
  }

  const nlohmann::json& description() const { return description_; }
  size_t raw_bytes() const { return raw_.size(); }
  // Compressed, then base64. Empty and `error` filled when that fails.
  std::string pack(std::string& error) const;

 private:
  void begin(const char* name, size_t bytes, bool is_signed, size_t count, bool delta);
  void add_plane(const std::string& plane);

  std::string raw_;
  nlohmann::json description_ = nlohmann::json::array();
};

std::string base64(const std::string& bytes);

}  // namespace einkorn::report
