// Reading a block's payload from its front.
#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace einkorn::profile {

using Bytes = std::span<const std::byte>;

// Takes a T from the front; false: there is none.
template <class T>
bool take(Bytes& bytes, T& out) {
  if (bytes.size() < sizeof(T)) return false;
  memcpy(&out, bytes.data(), sizeof(T));
  bytes = bytes.subspan(sizeof(T));
  return true;
}

// The same of so many, into an array that has room, or behind what a vector has.
template <class T>
bool take(Bytes& bytes, T* out, size_t count) {
  if (bytes.size() / sizeof(T) < count) return false;
  if (count) memcpy(out, bytes.data(), count * sizeof(T));
  bytes = bytes.subspan(count * sizeof(T));
  return true;
}

template <class T>
bool take(Bytes& bytes, std::vector<T>& out, size_t count) {
  if (bytes.size() / sizeof(T) < count) return false;
  const size_t before = out.size();
  out.resize(before + count);
  return take(bytes, out.data() + before, count);
}

// Takes a text of that many bytes from the front; false: there are fewer.
inline bool take_text(Bytes& bytes, size_t n, std::string& out) {
  if (bytes.size() < n) return false;
  out.assign(reinterpret_cast<const char*>(bytes.data()), n);
  bytes = bytes.subspan(n);
  return true;
}

}  // namespace einkorn::profile
