#include "runtime/settings/program.h"

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <link.h>

#include "base/objects.h"

namespace einkorn::runtime {

namespace {

struct Found {
  bool gcc = false, clang = false;
};

// The parts of an object's dynamic section that say what it imports.
struct Imports {
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const ElfW(Rela) * tables[2] = {};  // of functions called through the PLT, and of all else
  size_t bytes[2] = {};
  size_t relative = 0;  // entries at the start of the second one that name no symbol
};

bool is_libomp(const char* name) {
  for (const char* stem : {"libomp.", "libomp-", "libiomp5"})
    if (!strncmp(name, stem, strlen(stem))) return true;
  return false;
}

Imports imports_of(const dl_phdr_info* object, const ElfW(Dyn) * dynamic) {
  Imports in;
  // The loader has made addresses of these, but for objects whose dynamic section is read-only (the vDSO).
  auto address = [&](ElfW(Addr) a) { return a < object->dlpi_addr ? a + object->dlpi_addr : a; };
  for (const ElfW(Dyn)* d = dynamic; d->d_tag != DT_NULL; ++d) {
    switch (d->d_tag) {
      case DT_STRTAB: in.strings = reinterpret_cast<const char*>(address(d->d_un.d_ptr)); break;
      case DT_SYMTAB: in.symbols = reinterpret_cast<const ElfW(Sym)*>(address(d->d_un.d_ptr)); break;
      case DT_JMPREL: in.tables[0] = reinterpret_cast<const ElfW(Rela)*>(address(d->d_un.d_ptr)); break;
      case DT_PLTRELSZ: in.bytes[0] = d->d_un.d_val; break;
      case DT_RELA: in.tables[1] = reinterpret_cast<const ElfW(Rela)*>(address(d->d_un.d_ptr)); break;
      case DT_RELASZ: in.bytes[1] = d->d_un.d_val; break;
      case DT_RELACOUNT: in.relative = d->d_un.d_val; break;
      default: break;
    }
  }
  return in;
}

int look_at(dl_phdr_info* object, size_t, void* found_here) {
  auto* found = static_cast<Found*>(found_here);
  if (base::holds(*object, reinterpret_cast<uintptr_t>(&look_at))) return 0;  // ourselves
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + segment.p_vaddr);
  }
  if (!dynamic) return 0;
  Imports in = imports_of(object, dynamic);
  if (!in.strings || !in.symbols) return 0;
  for (const ElfW(Dyn)* d = dynamic; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_NEEDED && is_libomp(in.strings + d->d_un.d_val)) found->clang = true;
  for (int t = 0; t < 2; ++t) {
    size_t n = in.tables[t] ? in.bytes[t] / sizeof(ElfW(Rela)) : 0;
    for (size_t i = t == 1 ? in.relative : 0; i < n; ++i) {
      size_t symbol = ELF64_R_SYM(in.tables[t][i].r_info);
      if (symbol == 0) continue;
      const char* name = in.strings + in.symbols[symbol].st_name;
      if (!strncmp(name, "GOMP_", 5)) found->gcc = true;
      if (!strncmp(name, "__kmpc_", 7)) found->clang = true;
    }
  }
  return found->gcc;  // settled
}

}  // namespace

bool built_for_libomp() {
  Found found;
  dl_iterate_phdr(look_at, &found);
  return found.clang && !found.gcc;
}

}  // namespace einkorn::runtime
