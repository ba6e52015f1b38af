// Names of functions in code that the program makes while it runs. No file has them, and they are gone with the
// process. Two sources: what JIT compilers tell debuggers (the variable __jit_debug_descriptor of LLVM's and others: a
// list of object files in memory), looked up while the code is there; and the text files that they write for perf
// (/tmp/perf-PID.map), read at the recording's end.
// An address keeps the first name that it was given, though other code may come to be there.
//
// All of it belongs to the program, which may change it at the same time, or have left it damaged: memory is read by
// way of /proc/self/mem, which fails where there is none, and every number is checked. Only the writer is here.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sys/types.h>
#include "record/modules.h"

namespace einkorn::record {

class CodeNames {
 public:
  // An address of a site that is in none of the files of the load map. Those without a name yet are kept, so many at
  // most.
  static constexpr size_t kMaxWanted = 1u << 16;
  void want(uint64_t address);
  // Looks up those that came since it was asked the last time, and those that bytes() had no room for then. True:
  // bytes() are new, and to be written.
  bool look_in_memory(const ModuleMap&);
  // All that have no name yet, in a file as compilers write it for perf. The same. Not if it was last written before
  // began_ns (of CLOCK_REALTIME): it is of an earlier process with this one's number. Takes kMostMapNs at most.
  bool look_in_map(const char* path, uint64_t began_ns = 0, std::optional<uid_t> owner = {});
  // By a thread of the program: look_in_map() will look in a copy of the file, which the companion may not be allowed
  // to open.
  void keep_map(const char* path, uint64_t began_ns);
  static constexpr uint64_t kMostMapNs = 1'000'000'000;
  // There were more names than there is room for in bytes(): to look again finds the others.
  bool is_full() const { return full_; }
  // CodeNameRecord + name, repeated.
  const char* bytes() const { return memory_ ? memory_->out : nullptr; }
  size_t size() const { return size_; }

 private:
  ssize_t read_map(int fd, char* out, size_t bytes, uint64_t at) const;
  size_t map_bytes_ = 0;
  // Release in keep_map() and acquire in the writer order the copy and its size before its address.
  std::atomic<char*> map_copy_{nullptr};

  static constexpr size_t kMaxName = 4096;  // longer ones are cut
  static constexpr size_t kMaxDescriptors = 16;
  struct Wanted {
    uint64_t address;
    uint64_t at;     // look_in_map: the last line with it, 0: none
    uint64_t begin;  // of that line's function
    uint32_t bytes;  // of that line's name
    bool named;
  };
  struct Memory {
    Wanted wanted[kMaxWanted];
    uint32_t places[2 * kMaxWanted];  // by a hash of the address: its place in `wanted`, from 1 on
    Wanted* by_address[kMaxWanted];   // those that are looked for
    char out[512u << 10];
    char part[64u << 10];
    char name[kMaxName];
  };
  struct Section;
  struct Object;

  void find_descriptors(const ModuleMap&);
  uint64_t descriptor_in(const char* path, uint64_t base);
  void walk(int memory, uint64_t descriptor);
  void look_in_object(int memory, const Object&);
  void look_in_symbols(int memory, const Object&, const Section& code);
  void take_line(const char* line, size_t bytes, uint64_t at);
  bool put(Wanted&, uint64_t begin, size_t name_bytes);
  void sort_wanted(size_t first);
  Wanted** first_from(uint64_t address);

  Memory* memory_ = nullptr;
  size_t count_ = 0, size_ = 0, sorted_ = 0;
  bool full_ = false;
  size_t looked_up_ = 0;  // of `wanted`, the first ones
  size_t to_name_ = 0;    // of those that are looked for
  uint64_t descriptors_[kMaxDescriptors];
  size_t descriptor_count_ = 0;
  uint64_t searched_changes_ = ~0ull;  // of the load map, when the descriptors were searched for
};

}  // namespace einkorn::record
