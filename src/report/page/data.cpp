#include "report/page/data.h"
#include <zlib.h>
#include <fmt/format.h>

namespace einkorn::report {

void Columns::begin(const char* name, size_t bytes, bool is_signed, size_t count, bool delta) {
  description_.push_back({{"name", name},
                          {"type", fmt::format("{}{}", is_signed ? "i" : "u", bytes * 8)},
                          {"count", count},
                          {"delta", delta},
                          {"planes", nlohmann::json::array()}});
}

// Where the plane begins, or -1 - byte for one that is not stored.
void Columns::add_plane(const std::string& plane) {
  auto& planes = description_.back()["planes"];
  if (plane.find_first_not_of(plane.empty() ? '\0' : plane[0]) == std::string::npos) {
    planes.push_back(plane.empty() ? -1 : -1 - int(static_cast<unsigned char>(plane[0])));
    return;
  }
  planes.push_back(raw_.size());
  raw_ += plane;
}

std::string Columns::pack(std::string& error) const {
  // zlib's format: browsers unpack it themselves, 170 MB in half a second, which zstd in a script takes ten times as
  // long for.
  constexpr int kLevel = 5;
  uLongf size = compressBound(uLong(raw_.size()));
  std::string packed(size, '\0');
  const int done = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                             reinterpret_cast<const Bytef*>(raw_.data()), uLong(raw_.size()), kLevel);
  if (done != Z_OK) {
    error = fmt::format("cannot compress the page's data: {}", zError(done));
    return {};
  }
  packed.resize(size);
  return base64(packed);
}

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto* b = reinterpret_cast<const unsigned char*>(bytes.data());
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t left = bytes.size() - i;
    const uint32_t v = uint32_t(b[i]) << 16 | (left > 1 ? uint32_t(b[i + 1]) << 8 : 0) | (left > 2 ? b[i + 2] : 0);
    out += kDigits[v >> 18];
    out += kDigits[v >> 12 & 63];
    out += left > 1 ? kDigits[v >> 6 & 63] : '=';
    out += left > 2 ? kDigits[v & 63] : '=';
  }
  return out;
}

}  // namespace einkorn::report
