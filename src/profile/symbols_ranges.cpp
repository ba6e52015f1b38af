#include "profile/symbols_ranges.h"
#include <algorithm>
#include <cstring>
#include <gelf.h>
#include "profile/symbols_arm.h"

namespace einkorn::profile {

namespace {

constexpr uint32_t kData = UINT32_MAX;          // a use by data, or by code of no known function
constexpr uint64_t kMostCode = 1u << 30;        // of a file that is searched
constexpr uint32_t kMostFunctions = 4'000'000;  // of a file

template <class T>
T value_at(const unsigned char* p) {
  T v;
  memcpy(&v, p, sizeof v);
  return v;
}

uint64_t relative(uint64_t base, int32_t offset) { return base + uint64_t(int64_t(offset)); }

// Encodings of addresses as all linkers of today write them: relative to themselves, to the table, 4 bytes.
constexpr unsigned char kRelativeToItself = 0x1b, kRelativeToTable = 0x3b, kUnsigned4 = 0x03;

// May these be the end of an instruction that leads to code, whose distance follows: call, jmp, a conditional jump,
// lea?
bool leads_to_code(const unsigned char* p, size_t before) {
  if (before >= 1 && (p[-1] == 0xe8 || p[-1] == 0xe9)) return true;
  if (before < 2) return false;
  return (p[-2] == 0x0f && (p[-1] & 0xf0) == 0x80) || (p[-2] == 0x8d && (p[-1] & 0xc7) == 0x05);
}

// The same, of a distance of one byte: jmp, a conditional jump, loop, jrcxz. One function may follow another closely.
bool leads_nearby(unsigned char code) { return code == 0xeb || (code & 0xf0) == 0x70 || (code & 0xfc) == 0xe0; }

}  // namespace

const unsigned char* CodeRanges::bytes(uint64_t address, size_t size) const {
  for (const Segment& s : segments_)
    if (address >= s.begin && size <= s.size && address - s.begin <= s.size - size)
      return s.bytes + (address - s.begin);
  return nullptr;
}

void CodeRanges::load() {
  loaded_ = true;
  size_t file_bytes = 0, headers = 0;
  auto file = reinterpret_cast<const unsigned char*>(elf_rawfile(elf_, &file_bytes));
  if (!file || elf_getphdrnum(elf_, &headers) != 0) return;
  GElf_Phdr unwinding{};
  for (size_t i = 0; i < headers; ++i) {
    GElf_Phdr h;
    if (!gelf_getphdr(elf_, int(i), &h)) continue;
    if (h.p_type == PT_GNU_EH_FRAME) unwinding = h;
    if (h.p_type != PT_LOAD || h.p_offset > file_bytes || h.p_filesz > file_bytes - h.p_offset) continue;
    segments_.push_back(
        {h.p_vaddr, file + h.p_offset, size_t(h.p_filesz), (h.p_flags & PF_X) != 0, (h.p_flags & PF_W) != 0});
  }
  if (unwinding.p_filesz) load_unwinding(unwinding.p_vaddr, unwinding.p_filesz);
}

// The table that a linker makes for finding an address's entry quickly, and of each entry its length.
void CodeRanges::load_unwinding(uint64_t header_address, uint64_t header_bytes) {
  const unsigned char* header = header_bytes >= 12 ? bytes(header_address, 12) : nullptr;
  if (!header || header[0] != 1 || header[1] != kRelativeToItself || header[2] != kUnsigned4 ||
      header[3] != kRelativeToTable)
    return;
  const auto count = value_at<uint32_t>(header + 8);
  if (count > kMostFunctions || count > (header_bytes - 12) / 8) return;
  const unsigned char* table = bytes(header_address + 12, size_t(count) * 8);
  if (!table) return;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t begin = relative(header_address, value_at<int32_t>(table + 8 * i)),
                   entry = relative(header_address, value_at<int32_t>(table + 8 * i + 4));
    // Its length, the offset of what it has in common with others, the begin of the function and its size.
    const unsigned char* p = bytes(entry, 16);
    if (!p || relative(entry + 8, value_at<int32_t>(p + 8)) != begin) continue;
    const auto size = value_at<uint32_t>(p + 12);
    if (size) ranges_.push_back({begin, begin + size});
  }
  std::sort(ranges_.begin(), ranges_.end(), [](const CodeRange& a, const CodeRange& b) { return a.begin < b.begin; });
  // A damaged file may say anything: what overlaps is no function.
  size_t kept = 0;
  for (const CodeRange& r : ranges_)
    if (kept == 0 || r.begin >= ranges_[kept - 1].end) ranges_[kept++] = r;
  ranges_.resize(kept);
}

size_t CodeRanges::index_of(uint64_t address) const {
  auto at = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                             [](uint64_t a, const CodeRange& r) { return a < r.begin; });
  if (at == ranges_.begin() || address >= (--at)->end) return kNoRange;
  return size_t(at - ranges_.begin());
}

std::optional<CodeRange> CodeRanges::at(uint64_t address) {
  if (!loaded_) load();
  const size_t index = index_of(address);
  if (index == kNoRange) return std::nullopt;
  return ranges_[index];
}

// ---- who leads to a function --------------------------------------------------------------------------------------

void CodeRanges::add_user(uint64_t target, size_t user) {
  const size_t index = index_of(target);
  if (index == kNoRange || ranges_[index].begin != target || index == user) return;
  uses_.emplace_back(uint32_t(index), user == kNoRange ? kData : uint32_t(user));
}

void CodeRanges::add_data(uint64_t target, uint64_t slot) {
  const size_t index = index_of(target);
  if (index == kNoRange || ranges_[index].begin != target) return;
  uses_.emplace_back(uint32_t(index), kData);
  slots_.emplace_back(uint32_t(index), slot);
}

// Not a disassembly: four bytes, or one, anywhere that are the distance to where a function begins count as its use, if
// they can be a part of an instruction that leads there. Chance makes a few too many of them, and then a name is not
// certain; it makes none too few.
void CodeRanges::search_code(const Segment& s) {
  std::vector<uint64_t> begins(s.size / 64 + 1);  // one bit a byte
  for (const CodeRange& r : ranges_)
    if (r.begin >= s.begin && r.begin - s.begin < s.size)
      begins[(r.begin - s.begin) / 64] |= 1ull << (r.begin - s.begin) % 64;
  const auto is_begin = [&](uint64_t at) { return at < s.size && (begins[at / 64] >> at % 64 & 1); };
  for (size_t i = 1; i < s.size; ++i) {
    const uint64_t nearby = relative(i + 1, int8_t(s.bytes[i]));
    if (is_begin(nearby) && leads_nearby(s.bytes[i - 1])) add_user(s.begin + nearby, index_of(s.begin + i));
    if (i + 4 > s.size) continue;
    const uint64_t target = relative(i + 4, value_at<int32_t>(s.bytes + i));
    if (is_begin(target) && leads_to_code(s.bytes + i, i)) add_user(s.begin + target, index_of(s.begin + i));
  }
}

// Of an adrp and its add each may be anywhere in the function: any two of one register count.
void CodeRanges::search_arm_code(const Segment& s) {
  using PerRegister = std::vector<std::pair<uint32_t, uint64_t>>;
  constexpr size_t kMostPairs = 1u << 24;  // of a damaged file's function
  PerRegister pages, adds;
  size_t next = 0, function = kNoRange;
  const auto combine = [&] {
    std::sort(pages.begin(), pages.end());
    pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
    if (pages.size() * adds.size() <= kMostPairs) {
      for (const auto& [added_to, offset] : adds) {
        const auto first = std::lower_bound(pages.begin(), pages.end(), std::pair(added_to, uint64_t(0)));
        for (auto page = first; page != pages.end() && page->first == added_to; ++page)
          add_user(page->second + offset, function);
      }
    }
    pages.clear();
    adds.clear();
  };
  for (size_t i = (4 - s.begin % 4) % 4; i + 4 <= s.size; i += 4) {
    const uint64_t at = s.begin + i;
    while (next < ranges_.size() && ranges_[next].end <= at) ++next;
    const size_t in = next < ranges_.size() && ranges_[next].begin <= at ? next : kNoRange;
    if (in != function) {
      combine();
      function = in;
    }
    const auto word = value_at<uint32_t>(s.bytes + i);
    if (const auto target = arm::branch(word, at)) add_user(*target, in);
    if (in == kNoRange) continue;  // constants are in this segment, too
    if (const auto target = arm::near(word, at)) add_user(*target, in);
    if (const auto page = arm::page(word, at)) pages.emplace_back(arm::reg(word, 0), *page);
    if (const auto offset = arm::added(word)) adds.emplace_back(arm::reg(word, 5), *offset);
  }
  combine();
}

void CodeRanges::search_data(const Segment& s) {
  for (size_t i = (8 - s.begin % 8) % 8; i + 8 <= s.size; i += 8)
    add_data(value_at<uint64_t>(s.bytes + i), s.begin + i);
}

void CodeRanges::search_relocations() {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf_, section))) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || !header.sh_entsize) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (!data) continue;
    const size_t count = size_t(header.sh_size / header.sh_entsize);
    for (size_t i = 0; i < count; ++i) {
      GElf_Rela rela;
      if (!gelf_getrela(data, int(i), &rela) || GELF_R_SYM(rela.r_info) != 0) continue;
      relocated_.emplace_back(rela.r_offset, uint64_t(rela.r_addend));
      add_data(uint64_t(rela.r_addend), rela.r_offset);
    }
  }
}

void CodeRanges::load_users() {
  users_loaded_ = true;
  GElf_Ehdr header;
  if (!gelf_getehdr(elf_, &header) || header.e_type != ET_DYN) return;
  const bool arm = header.e_machine == EM_AARCH64;
  if (!arm && header.e_machine != EM_X86_64) return;
  uint64_t code = 0;
  for (const Segment& s : segments_) code += s.executable ? s.size : 0;
  if (code > kMostCode) return;
  for (const Segment& s : segments_) {
    if (s.executable) arm ? search_arm_code(s) : search_code(s);
    if (s.writable) search_data(s);
  }
  search_relocations();
  std::sort(slots_.begin(), slots_.end());
  std::sort(relocated_.begin(), relocated_.end());
  std::sort(uses_.begin(), uses_.end());
  uses_.erase(std::unique(uses_.begin(), uses_.end()), uses_.end());
}

std::vector<uint64_t> CodeRanges::users_of(uint64_t begin) {
  if (!loaded_) load();
  if (!users_loaded_) load_users();
  const size_t index = index_of(begin);
  std::vector<uint64_t> users;
  if (index == kNoRange || ranges_[index].begin != begin) return users;
  for (auto at = std::lower_bound(uses_.begin(), uses_.end(), std::pair(uint32_t(index), 0u));
       at != uses_.end() && at->first == index; ++at) {
    if (at->second == kData) return {};
    users.push_back(ranges_[at->second].begin);
  }
  return users;
}

// ---- methods of Python's modules ----------------------------------------------------------------------------------

uint64_t CodeRanges::pointer_at(uint64_t slot) const {
  const auto at = std::lower_bound(relocated_.begin(), relocated_.end(), std::pair(slot, uint64_t(0)));
  if (at != relocated_.end() && at->first == slot) return at->second;
  const unsigned char* p = bytes(slot, 8);
  return p ? value_at<uint64_t>(p) : 0;
}

// The method's name, the function, flags, and a text that describes it, or none.
std::string CodeRanges::method_name_at(uint64_t slot) const {
  constexpr uint64_t kAllFlags = 0x3ff;
  constexpr size_t kLongest = 256;
  const unsigned char* flags = bytes(slot + 8, 8);
  const uint64_t name = pointer_at(slot - 8);
  if (!name || !flags || value_at<uint64_t>(flags) == 0 || value_at<uint64_t>(flags) > kAllFlags) return "";
  std::string out;
  for (const unsigned char* c; (c = bytes(name + out.size(), 1)) && *c; out += char(*c)) {
    const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
    const bool digit = *c >= '0' && *c <= '9' && !out.empty();
    if ((!letter && !digit) || out.size() == kLongest) return "";
  }
  // Cython's, of a function that it makes for several types: __pyx_fuse_1_0NAME.
  constexpr std::string_view kFused = "__pyx_fuse_";
  if (out.starts_with(kFused)) {
    size_t at = kFused.size();
    for (size_t next = at; (next = out.find_first_not_of("0123456789", at)) != at && next != std::string::npos;) {
      at = next;
      if (out[at] != '_' || at + 1 == out.size() || out[at + 1] < '0' || out[at + 1] > '9') break;
      ++at;
    }
    out.erase(0, at);
  }
  return out;
}

std::string CodeRanges::method_name_of(uint64_t begin) {
  if (!loaded_) load();
  if (!users_loaded_) load_users();
  const size_t index = index_of(begin);
  if (index == kNoRange || ranges_[index].begin != begin) return "";
  std::string found;
  for (auto at = std::lower_bound(slots_.begin(), slots_.end(), std::pair(uint32_t(index), uint64_t(0)));
       at != slots_.end() && at->first == index; ++at) {
    std::string name = method_name_at(at->second);
    if (name.empty() || name == found) continue;
    if (!found.empty()) return "";
    found = std::move(name);
  }
  return found;
}

}  // namespace einkorn::profile
