#include "profile/symbols_calls.h"
#include <cstring>
#include <elf.h>
#include "profile/symbols_arm.h"
#include "profile/symbols_names.h"

namespace einkorn::profile {

namespace {

template <class T>
T number_at(const unsigned char* p) {
  T v;
  memcpy(&v, p, sizeof v);
  return v;
}

// How code leads elsewhere: where an instruction goes (`to`), or the slot of the global offset table that it goes
// through.
struct Way {
  enum Kind { none, direct, slot, unknown } kind = none;
  uint64_t to = 0;
};

struct X86 {
  static uint64_t ahead(uint64_t end, const unsigned char* p) { return end + uint64_t(int64_t(number_at<int32_t>(p))); }

  // An entry of the procedure linkage table: [endbr64] [bnd] jmp *slot(%rip). 0: it is none.
  static uint64_t slot_of_stub(ModuleFile& m, uint64_t address) {
    const unsigned char* p = m.code(address, 16);
    if (!p) return 0;
    size_t i = 0;
    if (memcmp(p, "\xf3\x0f\x1e\xfa", 4) == 0) i += 4;
    if (p[i] == 0xf2) ++i;
    if (p[i] != 0xff || p[i + 1] != 0x25) return 0;
    return ahead(address + i + 6, p + i + 2);
  }
  static Way call_before(ModuleFile& m, uint64_t ra) {
    const unsigned char* p = m.code(ra - 7, 7);
    if (!p) return {};
    if (p[2] == 0xe8) {  // call rel32
      const uint64_t to = ahead(ra, p + 3);
      if (m.code(to, 1)) return {Way::direct, to};
    }
    if (p[1] == 0xff && p[2] == 0x15) return {Way::slot, ahead(ra, p + 3)};  // call *slot(%rip): -fno-plt
    return {Way::unknown, 0};
  }
  // Not a disassembly: any bytes may be asked for.
  static constexpr size_t kStep = 1;
  static Way jump_at(const unsigned char* code, size_t size, uint64_t begin, size_t i) {
    const unsigned char* const p = code + i;
    const size_t room = size - i;
    const uint64_t address = begin + i;
    const bool jump = room >= 5 && p[0] == 0xe9;
    const bool conditional = room >= 6 && p[0] == 0x0f && (p[1] & 0xf0) == 0x80;
    const bool indirect = room >= 6 && p[0] == 0xff && p[1] == 0x25;  // jmp *slot(%rip)
    if (!(jump || conditional || indirect)) return {};
    const size_t length = jump ? 5 : 6;
    return {indirect ? Way::slot : Way::direct, ahead(address + length, p + length - 4)};
  }
};

struct Arm {
  // [bti c] adrp x16, slot; ldr x17, [x16, #slot]; add ...; br x17
  static uint64_t slot_of_stub(ModuleFile& m, uint64_t address) {
    const unsigned char* p = m.code(address, 12);
    if (!p) return 0;
    if (number_at<uint32_t>(p) == 0xd503245f) p += 4, address += 4;
    const auto first = number_at<uint32_t>(p), load = number_at<uint32_t>(p + 4);
    const auto page = arm::page(first, address);
    if (!page || arm::reg(first, 0) != 16 || (load & 0xffc003ff) != 0xf9400211) return 0;
    return *page + *arm::loaded(load);
  }
  static Way call_before(ModuleFile& m, uint64_t ra) {
    const unsigned char* p = m.code(ra - 4, 4);
    if (!p) return {};
    const auto word = number_at<uint32_t>(p);
    if (arm::is_call(word) && m.code(*arm::branch(word, ra - 4), 1)) return {Way::direct, *arm::branch(word, ra - 4)};
    return {Way::unknown, 0};  // blr
  }
  static constexpr size_t kStep = 4;
  static Way jump_at(const unsigned char* code, size_t size, uint64_t begin, size_t i) {
    if (size - i < 4) return {};
    const auto word = number_at<uint32_t>(code + i);
    if (arm::is_jump(word)) return {Way::direct, *arm::branch(word, begin + i)};
    const auto through = arm::jump_by_register(word);
    if (!through) return {};
    // The slot that the instructions before it load: adrp, ldr, br. -fno-plt.
    constexpr size_t kFar = 16;
    uint32_t base = 32;
    uint64_t offset = 0;
    for (size_t k = 1; k <= kFar && 4 * k <= i; ++k) {
      const auto before = number_at<uint32_t>(code + i - 4 * k);
      if (base == 32) {
        const auto loaded = arm::loaded(before);
        if (loaded && arm::reg(before, 0) == *through) base = arm::reg(before, 5), offset = *loaded;
      } else if (const auto page = arm::page(before, begin + i - 4 * k); page && arm::reg(before, 0) == base) {
        return {Way::slot, *page + offset};
      }
    }
    return {};
  }
};

template <class Machine>
bool is_runtime_code(ModuleFile& m, uint64_t address, std::string& name) {
  if (const uint64_t slot = Machine::slot_of_stub(m, address)) name = m.import_of_slot(slot);
  if (name.empty()) {
    if (auto symbol = m.symbol_at(address)) name = symbol->name;
  }
  return is_runtime_entry(name);
}

template <class Machine>
Call call_before_in(ModuleFile& m, uint64_t ra) {
  const Way way = Machine::call_before(m, ra);
  if (way.kind == Way::none) return {};
  if (way.kind == Way::direct) {
    if (std::string name; is_runtime_code<Machine>(m, way.to, name)) return {CallKind::runtime, 0};
    const bool elsewhere = Machine::slot_of_stub(m, way.to) != 0;  // in another module
    return {CallKind::other, elsewhere ? 0 : way.to};
  }
  if (way.kind == Way::slot)
    return {is_runtime_entry(m.import_of_slot(way.to)) ? CallKind::runtime : CallKind::other, 0};
  // Through a register or a table. Compilers call the runtime's entries that way only if they load their addresses.
  return {m.imports_by_pointer() && !m.is_openmp_runtime() ? CallKind::unknowable : CallKind::other, 0};
}

template <class Machine>
uint64_t runtime_jump(ModuleFile& m, uint64_t entry, std::initializer_list<const char*> parts) {
  auto function = m.function_at(entry);
  if (!function || function->end <= function->begin || function->end - function->begin > (1u << 20)) return 0;
  size_t size = size_t(function->end - function->begin);
  const unsigned char* p = m.code(function->begin, size);
  if (!p) return 0;
  // What looks like a jump exactly to an entry of the runtime counts as one.
  uint64_t found = 0;
  for (size_t i = 0; i < size; i += Machine::kStep) {
    std::string name;
    const Way way = Machine::jump_at(p, size, function->begin, i);
    if (way.kind == Way::none) continue;
    if (way.kind == Way::slot) {
      name = m.import_of_slot(way.to);
    } else if (way.to < function->begin || way.to >= function->end) {
      if (!m.code(way.to, 1) || !is_runtime_code<Machine>(m, way.to, name)) continue;
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

template <class Machine>
uint64_t next_chunk_call(ModuleFile& m, uint64_t from) {
  const auto function = m.function_at(from);
  if (!function || function->end <= from || function->end - from > (1u << 20)) return 0;
  for (uint64_t at = from + Machine::kStep; at <= function->end; at += Machine::kStep) {
    const Way way = Machine::call_before(m, at);
    std::string name;
    if (way.kind == Way::slot) name = m.import_of_slot(way.to);
    else if (way.kind != Way::direct || !is_runtime_code<Machine>(m, way.to, name)) continue;
    if (is_runtime_entry(name) && name.ends_with("_next")) return at - 1;
  }
  return 0;
}

}  // namespace

Call call_before(ModuleFile& m, uint64_t return_address) {
  switch (m.machine()) {
    case EM_X86_64: return call_before_in<X86>(m, return_address);
    case EM_AARCH64: return call_before_in<Arm>(m, return_address);
    default: return {};
  }
}

bool follows_a_call(ModuleFile& m, uint64_t address) {
  Way way;
  if (m.machine() == EM_X86_64) way = X86::call_before(m, address);
  if (m.machine() == EM_AARCH64) way = Arm::call_before(m, address);
  return way.kind == Way::direct || way.kind == Way::slot;
}

uint64_t next_chunk_call_after(ModuleFile& m, uint64_t from) {
  switch (m.machine()) {
    case EM_X86_64: return next_chunk_call<X86>(m, from);
    case EM_AARCH64: return next_chunk_call<Arm>(m, from);
    default: return 0;
  }
}

uint64_t runtime_jump_in(ModuleFile& m, uint64_t entry, std::initializer_list<const char*> parts) {
  switch (m.machine()) {
    case EM_X86_64: return runtime_jump<X86>(m, entry, parts);
    case EM_AARCH64: return runtime_jump<Arm>(m, entry, parts);
    default: return 0;
  }
}

}  // namespace einkorn::profile
