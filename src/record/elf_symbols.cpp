#include "record/elf_symbols.h"
#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace einkorn::record {

bool read_at(int fd, uint64_t at, void* out, size_t bytes) {
  if (at > uint64_t(INT64_MAX) - bytes) return false;
  for (size_t done = 0; done < bytes;) {
    const ssize_t n = pread(fd, static_cast<char*>(out) + done, bytes - done, off_t(at + done));
    if (n <= 0) return false;
    done += size_t(n);
  }
  return true;
}

size_t read_name(int fd, uint64_t at, uint64_t bytes_there, char* out, size_t room) {
  size_t size = 0;
  for (size_t most = std::min<uint64_t>(room, bytes_there); size < most;) {
    const ssize_t n = pread(fd, out + size, std::min<size_t>(256, most - size), off_t(at + size));
    if (n <= 0) break;
    if (const void* end = memchr(out + size, 0, size_t(n))) return size_t(static_cast<const char*>(end) - out);
    size += size_t(n);
  }
  return size;
}

bool is_elf(const Elf64_Ehdr& h) {
  return memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 && h.e_ident[EI_CLASS] == ELFCLASS64 &&
         h.e_ident[EI_DATA] == ELFDATA2LSB && h.e_shentsize == sizeof(Elf64_Shdr) && h.e_shnum <= kMostSections;
}

namespace {

// False: it is enough.
bool walk_table(int fd, const Elf64_Shdr& table, const Elf64_Shdr& names,
                bool (*found)(int fd, const FileSymbol&, void* data), void* data) {
  constexpr uint64_t kPart = 256;
  Elf64_Sym part[kPart];
  const uint64_t count = std::min(table.sh_size / sizeof(Elf64_Sym), kMostSymbols);
  for (uint64_t first = 0; first < count; first += kPart) {
    const uint64_t n = std::min(kPart, count - first);
    if (table.sh_offset > uint64_t(INT64_MAX) / 2) return true;
    if (!read_at(fd, table.sh_offset + first * sizeof(Elf64_Sym), part, n * sizeof(Elf64_Sym))) return true;
    for (uint64_t k = 0; k < n; ++k) {
      const Elf64_Sym& s = part[k];
      if (s.st_name < names.sh_size && names.sh_offset <= uint64_t(INT64_MAX) / 2 &&
          !found(fd, {s, names.sh_offset + s.st_name, names.sh_size - s.st_name}, data))
        return false;
    }
  }
  return true;
}

}  // namespace

void for_each_symbol(int fd, bool (*found)(int fd, const FileSymbol&, void* data), void* data) {
  Elf64_Ehdr header;
  if (!read_at(fd, 0, header) || !is_elf(header) || header.e_shoff > uint64_t(INT64_MAX) / 2) return;
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table, names;
    if (!read_at(fd, header.e_shoff + i * sizeof table, table)) return;
    if ((table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) || table.sh_link >= header.e_shnum ||
        !read_at(fd, header.e_shoff + table.sh_link * sizeof names, names))
      continue;
    if (!walk_table(fd, table, names, found, data)) return;
  }
}

}  // namespace einkorn::record
