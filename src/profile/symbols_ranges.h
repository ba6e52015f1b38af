// Functions of a file that no symbol names: where each begins and ends, from the tables for unwinding, which stripping
// leaves; and which functions lead to one, from the code. Addresses are those of the file. elfutils underneath.
#pragma once
#include <cstddef>
#include <cstdint>
#include <libelf.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::profile {

struct CodeRange {
  uint64_t begin = 0, end = 0;
};

class CodeRanges {
 public:
  explicit CodeRanges(Elf* elf) : elf_(elf) {}

  // The function that contains the address.
  std::optional<CodeRange> at(uint64_t address);
  // Where each function begins whose code calls, jumps to or takes the address of the one that begins there. Empty:
  // that is not certain, as its address is in data, too. x86-64 and aarch64, position-independent files.
  std::vector<uint64_t> users_of(uint64_t begin);
  // What a table of methods for Python (PyMethodDef, as compilers of Python's language make it for each function) calls
  // the function that begins there; empty: none does, or several differ. As above.
  std::string method_name_of(uint64_t begin);

 private:
  struct Segment {
    uint64_t begin = 0;
    const unsigned char* bytes = nullptr;
    size_t size = 0;
    bool executable = false, writable = false;
  };

  void load();
  void load_unwinding(uint64_t header_address, uint64_t header_bytes);
  void load_users();
  void search_code(const Segment&);
  void search_arm_code(const Segment&);
  void search_data(const Segment&);
  void search_relocations();
  // Bytes of the file as it is in memory; nullptr: not in it.
  const unsigned char* bytes(uint64_t address, size_t size) const;
  size_t index_of(uint64_t address) const;  // of the range that contains it; kNoRange
  void add_user(uint64_t target, size_t user);
  void add_data(uint64_t target, uint64_t slot);
  uint64_t pointer_at(uint64_t slot) const;  // in the file as it is in memory; 0: none
  std::string method_name_at(uint64_t slot) const;

  static constexpr size_t kNoRange = SIZE_MAX;
  Elf* elf_;
  bool loaded_ = false, users_loaded_ = false;
  std::vector<Segment> segments_;
  std::vector<CodeRange> ranges_;                         // by begin, disjoint
  std::vector<std::pair<uint32_t, uint32_t>> uses_;       // range, the range that leads to it or kData: sorted
  std::vector<std::pair<uint32_t, uint64_t>> slots_;      // range, where its address is in data: sorted
  std::vector<std::pair<uint64_t, uint64_t>> relocated_;  // slot, what the dynamic linker puts there: sorted
};

}  // namespace einkorn::profile
