#include "profile/symbols_calls.h"
#include <cstring>
#include "profile/symbols_names.h"

namespace einkorn::profile {

#if defined(__x86_64__)

namespace {

int32_t displacement(const unsigned char* p) {
  int32_t d;
  memcpy(&d, p, 4);
  return d;
}

// The function to which the code at `address` leads, if it is an entry of the procedure linkage table:
//   [endbr64] [bnd] jmp *slot(%rip)
std::string stub_name(ModuleFile& m, uint64_t address) {
  const unsigned char* p = m.code(address, 16);
  if (!p) return "";
  size_t i = 0;
  if (memcmp(p, "\xf3\x0f\x1e\xfa", 4) == 0) i += 4;
  if (p[i] == 0xf2) ++i;
  if (p[i] != 0xff || p[i + 1] != 0x25) return "";
  return m.import_of_slot(address + i + 6 + uint64_t(int64_t(displacement(p + i + 2))));
}

bool is_runtime_code(ModuleFile& m, uint64_t address, std::string& name) {
  name = stub_name(m, address);
  if (name.empty()) {
    if (auto symbol = m.symbol_at(address)) name = symbol->name;
  }
  return is_runtime_entry(name);
}

}  // namespace

Call call_before(ModuleFile& m, uint64_t ra) {
  const unsigned char* p = m.code(ra - 7, 7);
  if (!p) return {};
  std::string name;
  if (p[2] == 0xe8) {  // call rel32
    uint64_t target = ra + uint64_t(int64_t(displacement(p + 3)));
    if (m.code(target, 1)) {
      if (is_runtime_code(m, target, name)) return {CallKind::runtime, 0};
      bool elsewhere = !stub_name(m, target).empty();  // in another module
      return {CallKind::other, elsewhere ? 0 : target};
    }
  }
  if (p[1] == 0xff && p[2] == 0x15) {  // call *slot(%rip): -fno-plt
    const std::string& import = m.import_of_slot(ra + uint64_t(int64_t(displacement(p + 3))));
    return {is_runtime_entry(import) ? CallKind::runtime : CallKind::other, 0};
  }
  // Through a register or a table. Compilers call the runtime's entries that way only if they load their addresses.
  return {m.imports_by_pointer() && !m.is_openmp_runtime() ? CallKind::unknowable : CallKind::other, 0};
}

uint64_t runtime_jump_in(ModuleFile& m, uint64_t entry, std::initializer_list<const char*> parts) {
  auto function = m.function_at(entry);
  if (!function || function->end <= function->begin || function->end - function->begin > (1u << 20)) return 0;
  size_t size = size_t(function->end - function->begin);
  const unsigned char* p = m.code(function->begin, size);
  if (!p) return 0;
  // Not a disassembly: bytes that look like a jump exactly to an entry of the runtime count as one.
  uint64_t found = 0;
  for (size_t i = 0; i + 5 <= size; ++i) {
    std::string name;
    bool jump = p[i] == 0xe9, conditional = p[i] == 0x0f && (p[i + 1] & 0xf0) == 0x80;
    bool indirect = p[i] == 0xff && p[i + 1] == 0x25;  // jmp *slot(%rip)
    size_t length = jump ? 5 : 6;
    if (!(jump || conditional || indirect) || i + length > size) continue;
    uint64_t target = function->begin + i + length + uint64_t(int64_t(displacement(p + i + length - 4)));
    if (indirect) {
      name = m.import_of_slot(target);
    } else if (target < function->begin || target >= function->end) {
      if (!m.code(target, 1) || !is_runtime_code(m, target, name)) continue;
    }
    if (!is_runtime_entry(name)) continue;
    for (const char* part : parts) {
      if (name.find(part) == std::string::npos) continue;
      if (found) return 0;
      found = function->begin + i;
      break;
    }
  }
  return found;
}

#else

Call call_before(ModuleFile&, uint64_t) { return {}; }
uint64_t runtime_jump_in(ModuleFile&, uint64_t, std::initializer_list<const char*>) { return 0; }

#endif

}  // namespace einkorn::profile
