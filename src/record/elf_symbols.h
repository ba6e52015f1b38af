// The symbols of an ELF file, read without malloc, and piece by piece: a file that is mapped and then becomes shorter
// would end the program that is recorded.
#pragma once
#include <cstddef>
#include <cstdint>
#include <elf.h>

namespace einkorn::record {

inline constexpr uint32_t kMostSections = 4096;
inline constexpr uint64_t kMostSymbols = 1u << 22;  // of a table

// All of it, or false.
bool read_at(int fd, uint64_t at, void* out, size_t bytes);
template <class T>
bool read_at(int fd, uint64_t at, T& out) {
  return read_at(fd, at, &out, sizeof out);
}
// As much of a name as there is, at most `room`; up to its 0, which is not written.
size_t read_name(int fd, uint64_t at, uint64_t bytes_there, char* out, size_t room);

bool is_elf(const Elf64_Ehdr&);

struct FileSymbol {
  Elf64_Sym symbol;
  uint64_t name_at, name_bytes;  // for read_name()
};
// Of all of the file's tables, until `found` returns false: some symbols are in two. The file may be damaged.
void for_each_symbol(int fd, bool (*found)(int fd, const FileSymbol&, void* data), void* data);

}  // namespace einkorn::record
