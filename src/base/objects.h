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

// Is all of it in one segment that the object may write to?
inline bool writes_to(const dl_phdr_info& object, uintptr_t begin, size_t bytes) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const uintptr_t at = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && segment.p_flags & PF_W && begin >= at && begin - at < segment.p_memsz)
      return bytes <= segment.p_memsz - (begin - at);
  }
  return false;
}

// The file's own name.
inline const char* without_folder(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

}  // namespace einkorn::inline base
