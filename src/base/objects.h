// Objects that the dynamic linker has loaded, as dl_iterate_phdr() shows them.
#pragma once
#include <cstdint>
#include <cstring>
#include <link.h>

namespace einkorn::inline base {

// Is the address in one of its segments?
inline bool holds(const dl_phdr_info& object, uintptr_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address < begin + segment.p_memsz) return true;
  }
  return false;
}

// The file's own name.
inline const char* without_folder(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

}  // namespace einkorn::inline base
