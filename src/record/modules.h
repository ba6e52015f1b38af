// The load map: which files are where in memory, with their build-ids. Only the writer thread reads it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include "record/format.h"

namespace einkorn::record {

class ModuleMap {
 public:
  // Scans if dlopen or dlclose happened since the last time; true: the map is new and must be written.
  bool refresh();
  // ModuleRecord + path, repeated.
  const char* bytes() const { return bytes_; }
  size_t size() const { return size_; }
  // Calls f(ModuleRecord, path) for each until it returns false. The path has no 0 at its end.
  template <class F>
  void for_each(F&& f) const {
    for (size_t at = 0; at < size_;) {
      ModuleRecord r;
      memcpy(&r, bytes_ + at, sizeof r);
      if (!f(r, std::string_view(bytes_ + at + sizeof r, r.path_bytes))) return;
      at += sizeof r + r.path_bytes;
    }
  }
  bool contains(uint64_t address) const;
  uint64_t changes() const { return changes_; }  // another number: another map

  // The scan holds the dynamic linker's list lock, which a child forked meanwhile would inherit locked for ever.
  static void before_fork();
  static void after_fork();

 private:
  static constexpr size_t kCapacity = 1u << 20;

  char* bytes_ = nullptr;
  size_t size_ = 0;
  uint64_t changes_ = ~0ull;  // loads + unloads that the dynamic linker had counted
};

}  // namespace einkorn::record
