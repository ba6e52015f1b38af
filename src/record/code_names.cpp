#include "record/code_names.h"
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "record/elf_symbols.h"
#include "record/system.h"
#include "record/writer.h"

namespace einkorn::record {

namespace {

constexpr char kDescriptor[] = "__jit_debug_descriptor";
constexpr uint32_t kMostObjects = 100'000;      // of a list, which may be a ring by mistake
constexpr uint64_t kMostMapBytes = 256u << 20;  // of a file for perf

// The list's types, as gdb's manual has them ("JIT Compilation Interface").
struct Descriptor {
  uint32_t version, action;
  uint64_t relevant, first;
};
struct Entry {
  uint64_t next, previous, object, object_bytes;
};

}  // namespace

// An object file in memory, all of whose parts must lie in it.
struct CodeNames::Object {
  uint64_t at, bytes;
  Elf64_Ehdr header;
  bool has(uint64_t offset, uint64_t size) const { return offset <= bytes && size <= bytes - offset; }
  bool section(int memory, uint32_t index, Elf64_Shdr& out) const {
    const uint64_t offset = header.e_shoff + uint64_t(index) * sizeof out;
    return index < header.e_shnum && header.e_shoff <= bytes && has(offset, sizeof out) &&
           read_at(memory, at + offset, out);
  }
};
struct CodeNames::Section {
  uint32_t index;
  uint64_t begin, size;
};

void CodeNames::want(uint64_t address) {
  if (!memory_ && !(memory_ = static_cast<Memory*>(map_memory(sizeof(Memory))))) return;
  constexpr size_t kPlaces = sizeof memory_->places / sizeof *memory_->places;
  size_t at = address * 0x9e3779b97f4a7c15 >> 40;
  for (; uint32_t i = memory_->places[at % kPlaces]; ++at)
    if (memory_->wanted[i - 1].address == address) return;
  if (count_ == kMaxWanted) return;
  memory_->wanted[count_++] = {address, 0, 0, 0, false};
  memory_->places[at % kPlaces] = uint32_t(count_);
}

// Those that have no name, from the `first` one on.
void CodeNames::sort_wanted(size_t first) {
  sorted_ = 0;
  for (size_t i = first; i < count_; ++i)
    if (!memory_->wanted[i].named) memory_->by_address[sorted_++] = &memory_->wanted[i];
  std::sort(memory_->by_address, memory_->by_address + sorted_,
            [](const Wanted* a, const Wanted* b) { return a->address < b->address; });
  to_name_ = sorted_;
}

CodeNames::Wanted** CodeNames::first_from(uint64_t begin) {
  return std::lower_bound(memory_->by_address, memory_->by_address + sorted_, begin,
                          [](const Wanted* w, uint64_t address) { return w->address < address; });
}

// The name is in memory_->name.
bool CodeNames::put(Wanted& w, uint64_t begin, size_t name_bytes) {
  const CodeNameRecord r{w.address, begin, uint32_t(name_bytes), 0};
  if (name_bytes == 0) return false;
  full_ |= size_ + sizeof r + name_bytes > sizeof memory_->out;
  if (full_) return false;
  memcpy(memory_->out + size_, &r, sizeof r);
  memcpy(memory_->out + size_ + sizeof r, memory_->name, name_bytes);
  size_ += sizeof r + name_bytes;
  w.named = true;
  --to_name_;
  return true;
}

// ---- what compilers tell debuggers --------------------------------------------------------------------------------

bool CodeNames::look_in_memory(const ModuleMap& modules) {
  size_ = 0;
  full_ = false;
  if (looked_up_ == count_) return false;
  sort_wanted(looked_up_);
  find_descriptors(modules);
  const int memory = descriptor_count_ ? open("/proc/self/mem", O_RDONLY | O_CLOEXEC) : -1;
  if (memory >= 0) {
    for (size_t i = 0; i < descriptor_count_; ++i) walk(memory, descriptors_[i]);
    close(memory);
  }
  if (!full_) looked_up_ = count_;
  return size_ > 0;
}

// In the files, as the variable is no symbol of the dynamic linker's where the compiler is a part of a library.
void CodeNames::find_descriptors(const ModuleMap& modules) {
  if (searched_changes_ == modules.changes()) return;
  searched_changes_ = modules.changes();
  descriptor_count_ = 0;
  modules.for_each([this](const ModuleRecord& r, std::string_view module) {
    char path[4096];
    if (module.size() < sizeof path && module.starts_with('/')) {
      path[module.copy(path, module.size())] = 0;
      const uint64_t found = descriptor_in(path, r.base);
      if (found >= r.begin && found < r.end) descriptors_[descriptor_count_++] = found;
    }
    return descriptor_count_ < kMaxDescriptors;
  });
}

uint64_t CodeNames::descriptor_in(const char* path, uint64_t base) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return 0;
  struct Search {
    uint64_t base, found;
  } search{base, 0};
  auto look = [](int file, const FileSymbol& of, void* data) {
    char name[sizeof kDescriptor];
    const bool is_it = ELF64_ST_TYPE(of.symbol.st_info) == STT_OBJECT && of.symbol.st_size == sizeof(Descriptor) &&
                       of.symbol.st_shndx != SHN_UNDEF && read_at(file, of.name_at, name) &&
                       memcmp(name, kDescriptor, sizeof name) == 0;
    auto& [of_module, found] = *static_cast<Search*>(data);
    if (is_it) found = of_module + of.symbol.st_value;
    return !is_it;
  };
  for_each_symbol(fd, look, &search);
  close(fd);
  return search.found;
}

// From the newest on. The list may change meanwhile: then names are missed.
void CodeNames::walk(int memory, uint64_t descriptor) {
  Descriptor d;
  if (!read_at(memory, descriptor, d) || d.version != 1) return;
  uint64_t at = d.first;
  for (uint32_t i = 0; at && i < kMostObjects && to_name_; ++i) {
    Entry e;
    if (!read_at(memory, at, e)) return;
    Object o{e.object, e.object_bytes, {}};
    if (o.bytes >= sizeof o.header && read_at(memory, o.at, o.header) && is_elf(o.header)) look_in_object(memory, o);
    if (i % 64 == 0) writer_progressed();
    at = e.next;
  }
}

void CodeNames::look_in_object(int memory, const Object& o) {
  for (uint32_t i = 0; i < o.header.e_shnum; ++i) {
    Elf64_Shdr s;
    if (!o.section(memory, i, s)) return;
    if (!(s.sh_flags & SHF_EXECINSTR) || s.sh_addr == 0 || s.sh_size > UINT64_MAX - s.sh_addr) continue;
    Wanted** const w = first_from(s.sh_addr);
    if (w != memory_->by_address + sorted_ && (*w)->address - s.sh_addr < s.sh_size)
      look_in_symbols(memory, o, {i, s.sh_addr, s.sh_size});
  }
}

void CodeNames::look_in_symbols(int memory, const Object& o, const Section& code) {
  for (uint32_t i = 0; i < o.header.e_shnum; ++i) {
    Elf64_Shdr table, names;
    if (!o.section(memory, i, table)) return;
    if (table.sh_type != SHT_SYMTAB || !o.has(table.sh_offset, table.sh_size) ||
        !o.section(memory, table.sh_link, names) || !o.has(names.sh_offset, names.sh_size))
      continue;
    const uint64_t count = std::min(table.sh_size / sizeof(Elf64_Sym), kMostSymbols);
    for (uint64_t k = 0; k < count; ++k) {
      Elf64_Sym symbol;
      if (!read_at(memory, o.at + table.sh_offset + k * sizeof symbol, symbol)) return;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx != code.index || symbol.st_name >= names.sh_size)
        continue;
      // Of an object that was not linked, values count from the section's begin, whose address is where it is now.
      const uint64_t begin = symbol.st_value + (o.header.e_type == ET_REL ? code.begin : 0);
      Wanted** const last = memory_->by_address + sorted_;
      for (Wanted** w = first_from(begin); w != last && (*w)->address - begin < symbol.st_size; ++w) {
        if ((*w)->named) continue;
        put(**w, begin,
            read_name(memory, o.at + names.sh_offset + symbol.st_name, names.sh_size - symbol.st_name, memory_->name,
                      sizeof memory_->name));
      }
    }
  }
}

// ---- what they write for perf -------------------------------------------------------------------------------------

namespace {

bool take_hex(const char*& p, const char* end, uint64_t& out) {
  if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x') p += 2;
  const char* const begin = p;
  for (out = 0; p < end && p - begin < 16; ++p) {
    const int c = *p | 0x20;
    if (c >= '0' && c <= '9') out = out << 4 | uint64_t(c - '0');
    else if (c >= 'a' && c <= 'f') out = out << 4 | uint64_t(c - 'a' + 10);
    else break;
  }
  return p > begin;
}

bool take_spaces(const char*& p, const char* end) {
  const char* const begin = p;
  while (p < end && *p == ' ') ++p;
  return p > begin;
}

}  // namespace

// "BEGIN SIZE NAME", in hexadecimal. Where code was replaced, the later line counts.
void CodeNames::take_line(const char* line, size_t bytes, uint64_t at) {
  const char *p = line, *const end = line + bytes;
  uint64_t begin, size;
  if (!take_hex(p, end, begin) || !take_spaces(p, end) || !take_hex(p, end, size) || !take_spaces(p, end) || p == end)
    return;
  Wanted** const last = memory_->by_address + sorted_;
  for (Wanted** i = first_from(begin); i != last && (*i)->address - begin < size; ++i) {
    Wanted& w = **i;
    w.at = at + uint64_t(p - line);
    w.bytes = uint32_t(std::min<size_t>(size_t(end - p), kMaxName));
    w.begin = begin;
  }
}

namespace {

int open_map(const char* path) { return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY); }

// Whoever else may write into the folder could have put there what he likes.
bool is_map_of(int fd, uid_t owner, uint64_t began_ns) {
  struct stat st;
  return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == owner &&
         uint64_t(st.st_mtim.tv_sec) * 1'000'000'000 + uint64_t(st.st_mtim.tv_nsec) >= began_ns;
}

}  // namespace

void CodeNames::keep_map(const char* path, uint64_t began_ns) {
  const int fd = open_map(path);
  if (fd < 0) return;
  struct stat st;
  if (is_map_of(fd, geteuid(), began_ns) && fstat(fd, &st) == 0 && st.st_size > 0) {
    const size_t most = std::min(uint64_t(st.st_size), kMostMapBytes);
    auto* const bytes = static_cast<char*>(map_memory(most));
    size_t size = 0;
    for (ssize_t n; bytes && size < most && (n = pread(fd, bytes + size, most - size, off_t(size))) > 0;)
      size += size_t(n);
    map_bytes_ = size;
    map_copy_.store(bytes, std::memory_order_release);
  }
  close(fd);
}

// As pread().
ssize_t CodeNames::read_map(int fd, char* out, size_t bytes, uint64_t at) const {
  const char* const copy = map_copy_.load(std::memory_order_acquire);
  if (fd >= 0) return pread(fd, out, bytes, off_t(at));
  const size_t n = at < map_bytes_ ? std::min(bytes, size_t(map_bytes_ - at)) : 0;
  memcpy(out, copy + at, n);
  return ssize_t(n);
}

bool CodeNames::look_in_map(const char* path, uint64_t began_ns, std::optional<uid_t> owner) {
  size_ = 0;
  full_ = false;
  if (count_ == 0) return false;
  sort_wanted(0);
  if (sorted_ == 0) return false;
  const bool copied = map_copy_.load(std::memory_order_acquire) != nullptr;
  const int fd = copied ? -1 : open_map(path);
  if (fd < 0 && !copied) return false;
  if (copied || is_map_of(fd, owner ? *owner : geteuid(), began_ns)) {
    const uint64_t until = monotonic_ns() + kMostMapNs;  // the program's end waits for this
    char* const part = memory_->part;
    size_t kept = 0;      // bytes of a line whose end is still to come
    bool whole = true;    // the line's begin is in `part`
    uint64_t before = 0;  // bytes of the file before `part`
    // Not as long as the file grows: a compiler may be writing.
    while (before + kept < kMostMapBytes && monotonic_ns() < until) {
      const ssize_t n = read_map(fd, part + kept, sizeof memory_->part - kept, before + kept);
      if (n <= 0) {
        if (n == 0 && kept && whole) take_line(part, kept, before);  // a last line without its end
        break;
      }
      writer_progressed();
      const size_t size = kept + size_t(n);
      size_t line = 0;
      while (const void* found = memchr(part + line, '\n', size - line)) {
        const size_t end = size_t(static_cast<const char*>(found) - part);
        if (whole) take_line(part + line, end - line, before + line);
        whole = true;
        line = end + 1;
      }
      if (line == 0 && size == sizeof memory_->part) {
        // A line that is as long as all of `part`: its begin has all that is needed.
        if (whole) take_line(part, size, before);
        whole = false;
        line = size;
      }
      kept = size - line;
      memmove(part, part + line, kept);
      before += line;
    }
    for (size_t i = 0; i < sorted_; ++i) {
      Wanted& w = *memory_->by_address[i];
      if (w.bytes && read_map(fd, memory_->name, w.bytes, w.at) == ssize_t(w.bytes)) put(w, w.begin, w.bytes);
    }
  }
  if (fd >= 0) close(fd);
  return size_ > 0;
}

}  // namespace einkorn::record
