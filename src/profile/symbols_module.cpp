#include "profile/symbols_module.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dwarf.h>
#include <filesystem>
#include <gelf.h>
#include <unistd.h>
#include "base/regular_file.h"
#include "profile/build_id.h"
#include "profile/line_rows.h"
#include "profile/symbols_names.h"

namespace einkorn::profile {

struct ModuleFile::Unit {
  Dwarf_Die die;
  std::string directory;  // DW_AT_comp_dir
  std::string main_file;  // DW_AT_name
  bool used = false;      // lines were taken from it
  bool functions_loaded = false;
  std::vector<Function> functions;  // sorted by begin
  Dwarf_Lines* lines = nullptr;
  size_t line_count = 0;
};

namespace {

// All address ranges of a DIE, including those of gcc's cold part.
template <class F>
void for_each_range(Dwarf_Die* die, F f) {
  Dwarf_Addr base, begin, end;
  for (ptrdiff_t offset = 0; (offset = dwarf_ranges(die, offset, &base, &begin, &end)) > 0;) {
    if (begin < end && begin != 0) f(begin, end);
  }
}

// Attributes may be at the abstract instance (inlined and cloned functions) or at the declaration in the class.
const char* string_attribute(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

std::string symbol_of(Dwarf_Die* die) {
  const char* name = string_attribute(die, DW_AT_linkage_name);
  if (!name) name = string_attribute(die, DW_AT_MIPS_linkage_name);
  if (!name) name = string_attribute(die, DW_AT_name);
  return name ? name : "";
}

// include/, wherever it is installed.
bool is_header_of_ours(std::string_view file) {
  for (const char* header : {"/einkorn/codelet.h", "/einkorn/codelet.hpp", "/einkorn/taskgraph.h", "/ompx_locality.h"})
    if (file.ends_with(header)) return true;
  return false;
}

}  // namespace

ModuleFile::ModuleFile(const Module& module, const SymbolOptions& options) : module_(module) {
  // If this is set, elfutils asks servers: a report would wait for a network, and reveal what is being looked at.
  if (!options.servers) unsetenv("DEBUGINFOD_URLS");
  open(options.folders);
}

ModuleFile::~ModuleFile() {
  if (dwfl_) dwfl_end(dwfl_);
}

void ModuleFile::open(const std::vector<std::string>& folders) {
  if (module_.path.empty() || module_.path[0] != '/') return;  // the kernel's vdso
  // Relative entries are looked up beside the file, absolute ones are roots.
  debug_path_ = ":.debug";
  for (const std::string& folder : folders)
    debug_path_ += ":" + std::filesystem::absolute(folder).lexically_normal().string();
  debug_path_ += ":/usr/lib/debug";
  debug_path_pointer_ = debug_path_.data();
  callbacks_.find_elf = dwfl_build_id_find_elf;
  callbacks_.find_debuginfo = dwfl_standard_find_debuginfo;
  callbacks_.debuginfo_path = &debug_path_pointer_;
  if (open_file(module_.path)) return;
  // Of a recording that was made on another machine, say: as a copy of its root has it, or by its name alone.
  const std::filesystem::path path(module_.path);
  for (const std::string& folder : folders)
    if (open_file(folder + module_.path) || open_file((std::filesystem::path(folder) / path.filename()).string()))
      return;
}

bool ModuleFile::open_file(const std::string& path) {
  const int fd = open_regular(path);
  if (fd < 0) return false;
  if (dwfl_) dwfl_end(dwfl_);
  elf_ = nullptr;
  dwfl_ = dwfl_begin(&callbacks_);
  if (!dwfl_) return close(fd), false;
  dwfl_report_begin(dwfl_);
  Dwfl_Module* m = dwfl_report_elf(dwfl_, path.c_str(), path.c_str(), fd, module_.base, true);
  dwfl_report_end(dwfl_, nullptr, nullptr);
  if (!m) return close(fd), false;
  GElf_Addr bias;
  elf_ = dwfl_module_getelf(m, &bias);
  if (!elf_) return false;
  elf_bias_ = bias;
  constexpr size_t kRecorded = 32;  // bytes of an id at most; a linker gives 20 or fewer
  if (build_id_of(elf_).substr(0, kRecorded) != module_.build_id || bias != module_.base) return false;
  dwfl_module_ = m;
  ranges_.emplace(elf_);
  return true;
}

std::optional<Symbol> ModuleFile::symbol_at(uint64_t address) {
  if (!usable()) return std::nullopt;
  GElf_Off offset;
  GElf_Sym sym;
  const char* name = dwfl_module_addrinfo(dwfl_module_, address, &offset, &sym, nullptr, nullptr, nullptr);
  if (!name || !*name || GELF_ST_TYPE(sym.st_info) == STT_SECTION) return std::nullopt;
  uint64_t begin = address - offset;
  // A symbol without a size covers nothing for certain; one that ends before the address is merely the nearest.
  if (sym.st_size == 0 ? offset != 0 : offset >= sym.st_size) return std::nullopt;
  return Symbol{name, begin, begin + sym.st_size};
}

std::optional<Symbol> ModuleFile::function_at(uint64_t address) {
  if (auto symbol = symbol_at(address); symbol && symbol->end > symbol->begin) return symbol;
  if (!usable()) return std::nullopt;
  const std::optional<CodeRange> range = ranges_->at(address - elf_bias_);
  if (!range) return std::nullopt;
  return Symbol{"", range->begin + elf_bias_, range->end + elf_bias_};
}

std::string ModuleFile::leading_name(uint64_t address) {
  constexpr size_t kMostSeen = 64;
  const std::optional<Symbol> function = function_at(address);
  if (!function) return "";
  std::vector<uint64_t> seen{function->begin - elf_bias_};
  std::string found;
  for (size_t i = 0; i < seen.size(); ++i) {
    const std::optional<Symbol> symbol = symbol_at(seen[i] + elf_bias_);
    std::string name;
    if (symbol) name = readable_name(user_symbol(symbol->name));
    else if (extends_python()) name = ranges_->method_name_of(seen[i]);
    if (!name.empty()) {
      if (!found.empty() && name != found) {
        // One template for several types.
        name = without_arguments(name);
        found = without_arguments(found);
        if (name != found) return "";
      }
      found = std::move(name);
      continue;
    }
    const std::vector<uint64_t> users = ranges_->users_of(seen[i]);
    if (users.empty()) return "";
    for (const uint64_t user : users)
      if (std::find(seen.begin(), seen.end(), user) == seen.end()) seen.push_back(user);
    if (seen.size() > kMostSeen) return "";
  }
  return found;
}

// ---- debug information -------------------------------------------------------------------------------------------

void ModuleFile::load_units() {
  units_loaded_ = true;
  Dwarf_Addr bias;
  Dwarf* dwarf = dwfl_module_getdwarf(dwfl_module_, &bias);
  if (!dwarf) return;
  dwarf_bias_ = bias;
  Dwarf_CU* cu = nullptr;
  Dwarf_Die die, split;
  uint8_t type;
  // The units' own ranges: clang makes no .debug_aranges.
  while (dwarf_get_units(dwarf, cu, &cu, nullptr, &type, &die, &split) == 0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    auto unit = std::make_unique<Unit>();
    bool is_split = type == DW_UT_skeleton && split.addr != nullptr;
    unit->die = is_split ? split : die;
    if (const char* directory = string_attribute(&die, DW_AT_comp_dir)) unit->directory = directory;
    if (const char* name = string_attribute(&unit->die, DW_AT_name)) unit->main_file = name;
    dwarf_getsrclines(&die, &unit->lines, &unit->line_count);
    for_each_range(&die, [&](uint64_t begin, uint64_t end) { unit_ranges_[begin] = {end, unit.get()}; });
    units_.push_back(std::move(unit));
  }
}

ModuleFile::Unit* ModuleFile::unit_at(uint64_t address) {
  auto at = unit_ranges_.upper_bound(address);
  if (at == unit_ranges_.begin()) return nullptr;
  --at;
  return address < at->second.first ? at->second.second : nullptr;
}

const ModuleFile::Function* ModuleFile::function_in(Unit& unit, uint64_t address) {
  if (!unit.functions_loaded) {
    unit.functions_loaded = true;
    // Functions are in the unit, in namespaces (clang), and in functions (gcc's nested ones). A loop, not recursion:
    // damaged debug information may nest without end.
    std::vector<Dwarf_Die> open{unit.die};
    while (!open.empty()) {
      Dwarf_Die parent = open.back(), child;
      open.pop_back();
      if (dwarf_child(&parent, &child) != 0) continue;
      do {
        switch (dwarf_tag(&child)) {
          case DW_TAG_subprogram:
            for_each_range(&child, [&](uint64_t b, uint64_t e) { unit.functions.push_back({b, e, child}); });
            [[fallthrough]];
          case DW_TAG_namespace:
          case DW_TAG_module:
          case DW_TAG_lexical_block:
          case DW_TAG_structure_type:
          case DW_TAG_class_type: open.push_back(child); break;
          default: break;
        }
      } while (dwarf_siblingof(&child, &child) == 0);
    }
    std::stable_sort(unit.functions.begin(), unit.functions.end(),
                     [](const Function& a, const Function& b) { return a.begin < b.begin; });
  }
  auto at = std::upper_bound(unit.functions.begin(), unit.functions.end(), address,
                             [](uint64_t a, const Function& f) { return a < f.begin; });
  if (at == unit.functions.begin()) return nullptr;
  --at;
  return address < at->end ? &*at : nullptr;
}

Line ModuleFile::absolute(Unit& unit, const char* file, int line) {
  if (!file || line <= 0) return {};
  unit.used = true;
  std::filesystem::path path(file);
  if (path.is_relative() && !unit.directory.empty()) path = std::filesystem::path(unit.directory) / path;
  return {path.lexically_normal().string(), uint32_t(line)};
}

// The row of the line table that covers the address; opens: the one of the function that begins there.
Line ModuleFile::line_at(Unit& unit, uint64_t address, bool opens) {
  size_t low = 0, high = unit.line_count;  // first row after the address
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (address_of_row(unit.lines, middle) <= address) low = middle + 1;
    else high = middle;
  }
  if (low == 0) return {};
  size_t row = low - 1;
  if (opens && address_of_row(unit.lines, row) == address) row = opening_row(unit.lines, unit.line_count, row);
  if (ends_sequence(unit.lines, row)) return {};
  // Line 0 means "no line in particular": the row before it counts, within its sequence.
  for (;; --row) {
    Dwarf_Line* line = dwarf_onesrcline(unit.lines, row);
    int number = 0;
    dwarf_lineno(line, &number);
    if (number > 0) return absolute(unit, dwarf_linesrc(line, nullptr, nullptr), number);
    if (row == 0 || ends_sequence(unit.lines, row - 1)) return {};
  }
}

Line ModuleFile::function_line(uint64_t entry) {
  if (!usable()) return {};
  if (!units_loaded_) load_units();
  uint64_t address = entry - dwarf_bias_;
  Unit* unit = unit_at(address);
  if (!unit) return {};
  const Function* f = function_in(*unit, address);
  if (f) {
    // clang gives the directive's line; gcc's outlined functions have no declaration, but open with that line.
    Dwarf_Die die = f->die;
    int number = 0;
    if (dwarf_decl_line(&die, &number) == 0 && number > 0) {
      Line declared = absolute(*unit, dwarf_decl_file(&die), number);
      if (declared.line) return declared;
      // clang 19 means the file that the unit was compiled from by number 0.
      Dwarf_Attribute attribute;
      Dwarf_Word file = 1;
      Dwarf_Files* files;
      size_t count;
      if (dwarf_formudata(dwarf_attr_integrate(&die, DW_AT_decl_file, &attribute), &file) == 0 && file == 0 &&
          dwarf_getsrcfiles(&unit->die, &files, &count) == 0 && count > 0)
        declared = absolute(*unit, dwarf_filesrc(files, 0, nullptr, nullptr), number);
      if (declared.line) return declared;
      Line opening = line_at(*unit, f->begin, true);
      return {opening.file, opening.file.empty() ? 0 : uint32_t(number)};
    }
    // An alias or a clone's entry: its beginning counts, not the address within.
    Dwarf_Addr low;
    if (dwarf_lowpc(&die, &low) == 0) address = low;
    else address = f->begin;
  }
  return line_at(*unit, address, true);
}

std::vector<Frame> ModuleFile::frames_at(uint64_t memory_address) {
  std::vector<Frame> frames;
  if (!usable()) return frames;
  if (!units_loaded_) load_units();
  uint64_t address = memory_address - dwarf_bias_;
  Unit* unit = unit_at(address);
  if (!unit) return frames;
  Line line = line_at(*unit, address, false);
  const Function* f = function_in(*unit, address);
  if (!f) {
    if (line.line) frames.push_back({"", line});
    return frames;
  }
  // From the function inwards: each inlined call tells its position in its caller.
  std::vector<Dwarf_Die> chain{f->die};
  Dwarf_Die scope = f->die;
  for (bool deeper = true; deeper && chain.size() < 256;) {
    deeper = false;
    Dwarf_Die child;
    if (dwarf_child(&scope, &child) != 0) break;
    do {
      int tag = dwarf_tag(&child);
      if (tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine) continue;
      if (dwarf_haspc(&child, address) != 1) continue;
      if (tag == DW_TAG_inlined_subroutine) chain.push_back(child);
      scope = child;
      deeper = true;
      break;
    } while (dwarf_siblingof(&child, &child) == 0);
  }
  for (size_t i = chain.size(); i-- > 0;) {
    frames.push_back({symbol_of(&chain[i]), line});
    if (i == 0) break;
    Dwarf_Attribute attribute;
    Dwarf_Word call_line = 0, call_file = 0;
    line = {};
    if (dwarf_formudata(dwarf_attr(&chain[i], DW_AT_call_line, &attribute), &call_line) == 0 &&
        dwarf_formudata(dwarf_attr(&chain[i], DW_AT_call_file, &attribute), &call_file) == 0) {
      Dwarf_Files* files;
      size_t count;
      if (dwarf_getsrcfiles(&unit->die, &files, &count) == 0 && call_file < count) {
        line = absolute(*unit, dwarf_filesrc(files, call_file, nullptr, nullptr), int(call_line));
      }
    }
  }
  // Calls that are inline functions of our headers stand where the program calls these.
  const auto users =
      std::find_if(frames.begin(), frames.end(), [](const Frame& f) { return !is_header_of_ours(f.line.file); });
  if (users != frames.end()) frames.erase(frames.begin(), users);
  return frames;
}

void ModuleFile::leave_inlined(std::vector<Frame>& frames, uint64_t address, uint64_t goes_on) {
  while (frames.size() > 1) {
    Unit* unit = unit_at(address - dwarf_bias_);
    const Function* f = unit ? function_in(*unit, address - dwarf_bias_) : nullptr;
    if (!f) return;
    // The innermost of as many inlined calls around the address as there are frames but one.
    Dwarf_Die scope = f->die, inner{};
    size_t depth = 0;
    for (bool deeper = true; deeper && depth + 1 < frames.size();) {
      deeper = false;
      Dwarf_Die child;
      if (dwarf_child(&scope, &child) != 0) break;
      do {
        const int tag = dwarf_tag(&child);
        if ((tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine) ||
            dwarf_haspc(&child, address - dwarf_bias_) != 1)
          continue;
        if (tag == DW_TAG_inlined_subroutine) inner = child, ++depth;
        scope = child;
        deeper = true;
        break;
      } while (dwarf_siblingof(&child, &child) == 0);
    }
    if (depth + 1 != frames.size() || dwarf_haspc(&inner, goes_on - dwarf_bias_) == 1) return;
    frames.erase(frames.begin());
  }
}

void ModuleFile::add_folders(std::set<std::string>& out) const {
  for (const auto& unit : units_) {
    if (!unit->used) continue;
    const std::filesystem::path compiled_in(unit->directory),
        folder = (compiled_in / unit->main_file).lexically_normal().parent_path();
    if (compiled_in.is_absolute()) out.insert(compiled_in.lexically_normal().string());
    if (!unit->main_file.empty() && folder.is_absolute()) out.insert(folder.string());
  }
}

bool ModuleFile::same_function(uint64_t entry, uint64_t address) {
  if (auto function = function_at(entry)) {
    if (address >= function->begin && address < function->end) return true;
  }
  if (!usable()) return false;
  if (!units_loaded_) load_units();
  Unit* unit = unit_at(entry - dwarf_bias_);
  if (!unit) return false;
  const Function* f = function_in(*unit, entry - dwarf_bias_);
  Dwarf_Die die;
  if (!f) return false;
  die = f->die;
  return dwarf_haspc(&die, address - dwarf_bias_) == 1;
}

// ---- code and imports --------------------------------------------------------------------------------------------

const unsigned char* ModuleFile::code(uint64_t address, size_t size) {
  if (!usable()) return nullptr;
  size_t file_bytes = 0, headers = 0;
  auto file = reinterpret_cast<const unsigned char*>(elf_rawfile(elf_, &file_bytes));
  if (!file || elf_getphdrnum(elf_, &headers) != 0) return nullptr;
  uint64_t at = address - elf_bias_;
  for (size_t i = 0; i < headers; ++i) {
    GElf_Phdr h;
    if (!gelf_getphdr(elf_, int(i), &h) || h.p_type != PT_LOAD || !(h.p_flags & PF_X)) continue;
    if (at < h.p_vaddr || size > h.p_filesz || at - h.p_vaddr > h.p_filesz - size) continue;
    uint64_t offset = h.p_offset + (at - h.p_vaddr);
    if (offset > file_bytes || size > file_bytes - offset) return nullptr;
    return file + offset;
  }
  return nullptr;
}

uint16_t ModuleFile::machine() const {
  GElf_Ehdr header;
  return usable() && gelf_getehdr(elf_, &header) ? header.e_machine : uint16_t(EM_NONE);
}

void ModuleFile::load_imports() {
  imports_loaded_ = true;
  if (!usable()) return;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf_, section))) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) continue;
    bool relocations = header.sh_type == SHT_RELA && (header.sh_flags & SHF_ALLOC);
    if (!relocations && header.sh_type != SHT_DYNSYM) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (!data || !header.sh_entsize) continue;
    size_t count = size_t(header.sh_size / header.sh_entsize);
    if (!relocations) {
      for (size_t i = 0; i < count && !(defines_runtime_ && extends_python_); ++i) {
        GElf_Sym sym;
        const char* text = gelf_getsym(data, int(i), &sym) ? elf_strptr(elf_, header.sh_link, sym.st_name) : nullptr;
        if (!text) continue;
        const std::string_view name(text);
        if (sym.st_shndx != SHN_UNDEF) defines_runtime_ |= name == "GOMP_parallel" || name == "__kmpc_fork_call";
        for (const char* of_python : {"PyInit_", "PyModule_", "PyObject_", "PyType_"})
          extends_python_ |= name.starts_with(of_python);
      }
      continue;
    }
    Elf_Scn* symbols = elf_getscn(elf_, header.sh_link);
    GElf_Shdr symbols_header;
    Elf_Data* symbols_data = symbols ? elf_getdata(symbols, nullptr) : nullptr;
    if (!symbols_data || !gelf_getshdr(symbols, &symbols_header)) continue;
    for (size_t i = 0; i < count; ++i) {
      GElf_Rela rela;
      GElf_Sym sym;
      if (!gelf_getrela(data, int(i), &rela) || GELF_R_SYM(rela.r_info) == 0) continue;
      if (!gelf_getsym(symbols_data, int(GELF_R_SYM(rela.r_info)), &sym)) continue;
      const char* name = elf_strptr(elf_, symbols_header.sh_link, sym.st_name);
      if (!name) continue;
      imports_[rela.r_offset] = name;
      const uint64_t through_pointer = machine() == EM_AARCH64 ? R_AARCH64_GLOB_DAT : R_X86_64_GLOB_DAT;
      if (GELF_R_TYPE(rela.r_info) == through_pointer && is_runtime_entry(name)) imports_by_pointer_ = true;
    }
  }
}

const std::string& ModuleFile::import_of_slot(uint64_t slot) {
  static const std::string none;
  if (!imports_loaded_) load_imports();
  auto at = imports_.find(slot - elf_bias_);
  return at == imports_.end() ? none : at->second;
}

bool ModuleFile::imports_by_pointer() {
  if (!imports_loaded_) load_imports();
  return imports_by_pointer_;
}

bool ModuleFile::extends_python() {
  if (!imports_loaded_) load_imports();
  return extends_python_;
}

bool ModuleFile::is_openmp_runtime() {
  if (!imports_loaded_) load_imports();
  return defines_runtime_;
}

}  // namespace einkorn::profile
