// One object file of the recorded process: its symbols, lines, inlined frames, code and imports. All addresses are
// those of the recorded process's memory. elfutils underneath, which asks servers only where SymbolOptions allow it.
#pragma once
#include <elfutils/libdwfl.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>
#include "profile/symbols.h"
#include "profile/symbols_ranges.h"

namespace einkorn::profile {

struct Line {
  std::string file;
  uint32_t line = 0;  // 0: unknown
};

// A function at an address, inlined or not, and the line in it.
struct Frame {
  std::string symbol;  // linkage name where there is one
  Line line;
};

struct Symbol {
  std::string name;
  uint64_t begin = 0, end = 0;
};

class ModuleFile {
 public:
  ModuleFile(const Module&, const SymbolOptions&);
  ~ModuleFile();
  ModuleFile(const ModuleFile&) = delete;

  const Module& module() const { return module_; }
  // Does the file exist, and is it the one that was recorded?
  bool usable() const { return dwfl_module_ != nullptr; }

  std::optional<Symbol> symbol_at(uint64_t address);
  // As symbol_at(); where no symbol is, a function without a name, if the file tells where it begins and ends.
  std::optional<Symbol> function_at(uint64_t address);
  // The name of the one named function that leads to the code there, through none but such as have no name; without its
  // arguments if that is a template for several types. Empty: there is none, or more than one, or that is not certain.
  std::string leading_name(uint64_t address);
  // The line where the function that begins at `entry` was declared, or its first instruction's line.
  Line function_line(uint64_t entry);
  // Innermost first; empty without debug information.
  std::vector<Frame> frames_at(uint64_t address);
  // Of frames_at(address): without the inlined functions, innermost first, that do not reach to `goes_on`.
  void leave_inlined(std::vector<Frame>& frames, uint64_t address, uint64_t goes_on);
  // For the units that lines were taken from: the folder in which each was compiled, and that of the file it was
  // compiled from.
  void add_folders(std::set<std::string>& out) const;
  // [begin, end) ranges of the function that begins at, or contains, `address`.
  bool same_function(uint64_t entry, uint64_t address);

  uint16_t machine() const;  // ELF's e_machine; 0: not known
  // Bytes of the file's code; nullptr: [address, address + size) is not in it.
  const unsigned char* code(uint64_t address, size_t size);
  // The symbol that a slot of the global offset table is bound to; empty: not one.
  const std::string& import_of_slot(uint64_t slot);
  bool imports_by_pointer();  // some runtime entry is called through a loaded pointer (-fno-plt)
  bool is_openmp_runtime();   // it defines the entry points

 private:
  struct Unit;
  struct Function {
    uint64_t begin, end;  // file addresses of the debug information
    Dwarf_Die die;
  };

  void open(const std::vector<std::string>& folders);
  // False: it cannot be read, or is not the one that was recorded.
  bool open_file(const std::string& path);
  void load_units();
  void load_imports();
  // A table like Python's of methods is one there; elsewhere a text before a function's address is any text.
  bool extends_python();
  Unit* unit_at(uint64_t dwarf_address);
  const Function* function_in(Unit&, uint64_t dwarf_address);
  Line line_at(Unit&, uint64_t dwarf_address, bool opens);
  Line absolute(Unit&, const char* file, int line);

  Module module_;
  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* dwfl_module_ = nullptr;
  std::string debug_path_;
  char* debug_path_pointer_ = nullptr;
  Dwfl_Callbacks callbacks_{};
  Elf* elf_ = nullptr;
  uint64_t elf_bias_ = 0;
  std::optional<CodeRanges> ranges_;

  bool units_loaded_ = false;
  uint64_t dwarf_bias_ = 0;
  std::vector<std::unique_ptr<Unit>> units_;
  std::map<uint64_t, std::pair<uint64_t, Unit*>> unit_ranges_;  // begin -> end, unit

  bool imports_loaded_ = false;
  std::unordered_map<uint64_t, std::string> imports_;  // file address of the slot -> symbol
  bool imports_by_pointer_ = false;
  bool defines_runtime_ = false, extends_python_ = false;
};

}  // namespace einkorn::profile
