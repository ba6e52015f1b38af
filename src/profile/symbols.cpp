#include "profile/symbols.h"
#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include "profile/line_code.h"
#include "profile/symbols_calls.h"
#include "profile/symbols_module.h"
#include "profile/symbols_names.h"

namespace einkorn::profile {

using record::Construct;

const char* construct_name(Construct c) {
  switch (c) {
    case Construct::unknown: return "unknown";
    case Construct::parallel: return "parallel";
    case Construct::task: return "task";
    case Construct::taskloop: return "taskloop";
    case Construct::taskwait: return "taskwait";
    case Construct::taskgroup: return "taskgroup";
    case Construct::taskyield: return "taskyield";
    case Construct::barrier: return "barrier";
    case Construct::barrier_workshare: return "implicit barrier";
    case Construct::barrier_parallel: return "implicit barrier";
    case Construct::loop: return "loop";
    case Construct::sections: return "sections";
    case Construct::single: return "single";
    case Construct::masked: return "masked";
    case Construct::critical: return "critical";
    case Construct::lock: return "lock";
    case Construct::nest_lock: return "nest lock";
    case Construct::ordered: return "ordered";
    case Construct::atomic: return "atomic";
    case Construct::reduction: return "reduction";
    case Construct::scope: return "scope";
    case Construct::teams: return "teams";
    case Construct::target: return "target";
    case Construct::cancel: return "cancel";
    case Construct::codelet: return "codelet";
    case Construct::codelet_graph: return "codelet graph";
    case Construct::stretch: return "stretch";
    case Construct::allocation: return "allocation";
    case Construct::variable: return "variable";
  }
  return "unknown";
}

namespace {

// Constructs that compilers outline into a function of their own.
bool has_function(Construct c) {
  switch (c) {
    case Construct::parallel:
    case Construct::task:
    case Construct::taskloop:
    case Construct::teams:
    case Construct::target:
    case Construct::barrier_parallel: return true;
    default: return false;
  }
}

// Parts of the names of the runtime's entry points with which a construct of this kind ends, for both compilers.
std::initializer_list<const char*> entry_name_parts(Construct c) {
  static constexpr std::initializer_list<const char*> taskwait = {"taskwait", "wait_deps"}, taskgroup = {"taskgroup"},
                                                      taskyield = {"taskyield"}, barrier = {"barrier"},
                                                      workshare = {"barrier", "loop_end", "sections_end",
                                                                   "single_copy_end"},
                                                      loop = {"_loop_", "dispatch", "for_static"},
                                                      sections = {"sections"}, single = {"single"},
                                                      masked = {"master", "masked"}, critical = {"critical"},
                                                      lock = {"set_lock", "set_nest_lock"}, ordered = {"ordered"},
                                                      atomic = {"atomic"}, reduction = {"reduce"},
                                                      task = {"GOMP_task", "omp_task", "taskloop"},
                                                      parallel = {"parallel", "fork_call"}, none = {};
  switch (c) {
    case Construct::taskwait: return taskwait;
    case Construct::taskgroup: return taskgroup;
    case Construct::taskyield: return taskyield;
    case Construct::barrier: return barrier;
    case Construct::barrier_workshare: return workshare;
    case Construct::loop: return loop;
    case Construct::sections: return sections;
    case Construct::single: return single;
    case Construct::masked: return masked;
    case Construct::critical: return critical;
    case Construct::lock:
    case Construct::nest_lock: return lock;
    case Construct::ordered: return ordered;
    case Construct::atomic: return atomic;
    case Construct::reduction: return reduction;
    case Construct::task:
    case Construct::taskloop: return task;
    case Construct::parallel: return parallel;
    default: return none;
  }
}

std::string name_of(const std::string& symbol) { return readable_name(user_symbol(symbol)); }

std::string describe(const std::string& function, const Line& line) {
  std::string text = function.empty() ? "?" : function;
  if (line.line) text += " " + line.file + ":" + std::to_string(line.line);
  return text;
}

}  // namespace

class Symbolizer::Impl {
 public:
  Impl(std::vector<Module> modules, SymbolOptions options, CodeNames code_names)
      : options_(std::move(options)), code_names_(std::move(code_names)) {
    for (Module& m : modules) files_.push_back({std::move(m), nullptr});
    std::stable_sort(files_.begin(), files_.end(),
                     [](const File& a, const File& b) { return a.module.begin < b.module.begin; });
  }

  Source resolve(const Site& site) {
    Source source;
    source.construct = construct_name(site.construct);
    ModuleFile* function_file = site.function ? file_of(site.function) : nullptr;
    ModuleFile* return_file = site.return_address ? file_of(site.return_address - 1) : nullptr;

    if (site.construct == Construct::codelet || site.construct == Construct::stretch) {
      fill_class(source, site, function_file, return_file);
      return source;
    }
    if (site.construct == Construct::allocation) {
      if (return_file) fill(source, {return_file, site.return_address - 1});
      else source.address = site.return_address - 1;
      return source;
    }
    if (site.construct == Construct::variable) {
      source.function = readable_variable(site.text);
      source.address = site.function;
      if (function_file) source.module = function_file->module().path, source.address -= function_file->module().base;
      return source;
    }
    // The code address of the construct: its function, or its call.
    const bool through_pool = site.flags & record::kSiteThroughPool && site.return_address;
    bool by_function = site.function && !through_pool &&
                       (has_function(site.construct) || is_combined(site, function_file, return_file));
    Place place;
    if (through_pool && return_file) place = {return_file, site.return_address - 1};
    else if (!by_function && return_file) place = call_place(site, *return_file, function_file);
    if (!place.file && function_file && !through_pool) place = {function_file, site.function, true};
    if (place.file) {
      fill(source, place);
    } else if (const uint64_t call = site.return_address ? site.return_address - 1 : 0; call || site.function) {
      source.address = by_function || !call ? site.function : call;  // in no known module
      source.function = made_code(source.address);
      if (source.function.empty()) source.function = made_code(call);
    }
    apply_text(source, site.text);
    if (source.function.empty()) source.function = enclosing_function(site, return_file);
    if (source.function.empty() && place.file) source.function = place.file->leading_name(place.address);
    // Not of a pool's function, which has many callers.
    if (site.function && !through_pool && has_function(site.construct) && !source.function.empty())
      outlined_.emplace(site.function, source.function);
    return source;
  }

  Source resolve_access(uint64_t return_address) {
    Source source;
    source.construct = "access";
    source.address = return_address - 1;
    if (ModuleFile* file = file_of(return_address - 1)) fill(source, {file, return_address - 1, false, false});
    return source;
  }

  bool has_recorded_file(uint64_t address) {
    ModuleFile* file = file_of(address);
    return file && file->usable() && !file->module().build_id.empty();
  }

  Source resolve_sample(const uint64_t* at, uint32_t callers, uint32_t count) {
    Source in_library;
    for (uint32_t i = 0; i < count; ++i) {
      const uint64_t address = at[i] - (i > 0);
      ModuleFile* file = file_of(address);
      if (!file || !file->usable() || (i >= callers && !follows_a_call(*file, at[i]))) continue;
      Source source;
      source.construct = "function";
      fill(source, {file, address});
      if (source.function.empty()) continue;
      const std::string& path = file->module().path;
      const bool library = path.starts_with("/usr/lib") || path.starts_with("/lib") || file->is_openmp_runtime();
      if (library) {
        if (in_library.function.empty()) in_library = std::move(source);
        continue;
      }
      // One row a function, at its beginning.
      if (const auto symbol = file->function_at(address); symbol && source.inlined.empty())
        if (const Line line = file->function_line(symbol->begin); line.line) set_line(source, line);
      source.inlined.clear();
      source.address = 0;
      return source;
    }
    in_library.construct = "function";
    return in_library;
  }

  std::string variable_at(uint64_t address) {
    ModuleFile* file = file_of(address);
    if (!file || !file->usable()) return "";
    // A line may begin before the variable in it.
    for (uint64_t at = address; at < address + 64; at += 4)
      if (const auto symbol = file->symbol_at(at)) {
        const std::string name = variable_in_source(symbol->name);
        return at <= symbol->begin || address == symbol->begin ? name
                                                               : name + " + " + std::to_string(at - symbol->begin);
      }
    return "";
  }

  std::set<std::string> folders() const {
    std::set<std::string> out;
    for (const File& f : files_)
      if (f.file) f.file->add_folders(out);
    return out;
  }

 private:
  struct File {
    Module module;
    std::unique_ptr<ModuleFile> file;
  };
  struct Place {
    ModuleFile* file = nullptr;
    uint64_t address = 0;
    bool is_entry = false;      // of a function; else an instruction
    bool line_unknown = false;  // the address is only near the construct
    uint64_t goes_on = 0;       // a later instruction of the function that it stands in itself; 0: not known
  };

  ModuleFile* file_of(uint64_t address) {
    auto at = std::upper_bound(files_.begin(), files_.end(), address,
                               [](uint64_t a, const File& f) { return a < f.module.begin; });
    // Later blocks of the recording replace earlier ones: look from the back.
    while (at != files_.begin()) {
      --at;
      if (address >= at->module.begin && address < at->module.end) {
        if (!at->file) at->file = std::make_unique<ModuleFile>(at->module, options_);
        return at->file.get();
      }
    }
    return nullptr;
  }

  // A combined construct of gcc (parallel for) has a function of its own, and the call is outside it. A work-sharing
  // construct inside another one's function is called from there. clang's are always calls.
  bool is_combined(const Site& site, ModuleFile* function_file, ModuleFile* return_file) {
    if (site.construct != Construct::loop && site.construct != Construct::sections) return false;
    if (site.flags & record::kSiteClang) return false;
    if (!function_file || !return_file) return true;
    return function_file != return_file || !function_file->same_function(site.function, site.return_address - 1);
  }

  // The location of a construct known by its return address. No file: it cannot be found that way.
  Place call_place(const Site& site, ModuleFile& file, ModuleFile* function_file) {
    auto parts = entry_name_parts(site.construct);
    Call call{CallKind::other, 0};
    if (!file.is_openmp_runtime()) call = call_before(file, site.return_address);
    const bool begins = site.construct == Construct::loop || site.construct == Construct::sections;
    if (call.kind != CallKind::other)
      return {&file, site.return_address - 1, false, false,
              begins ? next_chunk_call_after(file, site.return_address) : 0};
    if (call.target) {
      uint64_t jump = runtime_jump_in(file, call.target, parts);
      return {&file, jump ? jump : call.target, !jump, !jump};
    }
    if (function_file) {
      uint64_t jump = runtime_jump_in(*function_file, site.function, parts);
      return {function_file, jump ? jump : site.function, !jump};
    }
    if (file.is_openmp_runtime()) return {};
    return {&file, site.return_address - 1, false, true};
  }

  void fill(Source& source, const Place& place) {
    ModuleFile& file = *place.file;
    source.module = file.module().path;
    source.address = place.address - file.module().base;
    if (!file.usable()) return;
    std::vector<Frame> frames;
    if (!place.is_entry && !place.line_unknown) frames = file.frames_at(place.address);
    if (frames.empty()) {
      if (auto symbol = file.symbol_at(place.address)) source.function = name_of(symbol->name);
      if (place.is_entry && !place.line_unknown) set_line(source, file.function_line(place.address));
      return;
    }
    // gcc's call for the first chunk takes the place of what was computed last for the loop's bounds: of v.size(), or
    // of a function of the program's that was inlined there. The call for the next chunk is where the loop is.
    if (place.goes_on) file.leave_inlined(frames, place.address, place.goes_on);
    leave_library(frames);
    set_line(source, frames[0].line);
    // Outlined functions that were inlined into their own callers are the compiler's doing, not the user's.
    std::vector<std::string> shown;
    std::string previous;
    for (const Frame& f : frames) {
      std::string name = name_of(f.symbol);
      if (source.function.empty()) source.function = name;
      if (name.empty() || name == previous) continue;
      shown.push_back(describe(name, f.line));
      previous = name;
    }
    if (source.function.empty()) {
      if (auto symbol = file.symbol_at(place.address)) source.function = name_of(symbol->name);
    }
    if (shown.size() > 1) source.inlined = std::move(shown);
  }

  // A class of codelets: the function that fires them, in its file, at the line that the program has said. Its call is
  // in a header of ours. A stretch: of the procedure's function.
  void fill_class(Source& source, const Site& site, ModuleFile* function_file, ModuleFile* return_file) {
    if (function_file) fill(source, {function_file, site.function, true});
    else if (return_file) fill(source, {return_file, site.return_address - 1});
    else source.address = site.function;
    apply_text(source, site.text);  // of a predicted run
    unsigned line = 0;
    if (sscanf(site.text.c_str(), ";;;%u;", &line) == 1 && line > 0) source.line = line;
  }

  // What stands in a library's headers was inlined from there: the construct, or a container's allocation, is where the
  // program uses that.
  static void leave_library(std::vector<Frame>& frames) {
    while (frames.size() > 1 && is_library_header(frames[0].line.file)) frames.erase(frames.begin());
  }

  static void set_line(Source& source, const Line& line) {
    source.file = line.file;
    source.line = line.line;
  }

  // The text has the file as it was given to the compiler; the debug information has its whole path.
  static void apply_text(Source& source, const std::string& text) {
    ClangText t;
    if (!parse_clang_text(text, t)) return;
    std::filesystem::path full(source.file), named(t.file);
    if (source.file.empty() || full.filename() != named.filename()) source.file = t.file;
    source.line = t.line;
    if (!t.function.empty() && source.inlined.empty()) source.function = t.function;
  }

  // The name of code in no module; empty: none was recorded.
  std::string made_code(uint64_t address) const {
    const auto name = code_names_.find(address);
    return name == code_names_.end() ? "" : made_code_name(name->second);
  }

  // For a construct whose function has no name in the source: the function that encounters it.
  std::string enclosing_function(const Site& site, ModuleFile* return_file) {
    if (site.return_address && !return_file) return made_code(site.return_address - 1);
    if (!return_file || !return_file->usable() || return_file->is_openmp_runtime()) return "";
    if (call_before(*return_file, site.return_address).kind == CallKind::other) return "";
    auto frames = return_file->frames_at(site.return_address - 1);
    for (const Frame& f : frames) {
      std::string name = name_of(f.symbol);
      if (!name.empty()) return name;
    }
    auto function = return_file->function_at(site.return_address - 1);
    if (!function) return "";
    if (std::string name = name_of(function->name); !name.empty()) return name;
    if (const auto construct = outlined_.find(function->begin); construct != outlined_.end()) return construct->second;
    return return_file->leading_name(function->begin);
  }

  SymbolOptions options_;
  CodeNames code_names_;
  std::vector<File> files_;  // by begin
  // Functions that compilers made, by where they begin: the user's function that the construct stands in. clang's
  // functions of tasks have no name that tells; what is in a task is met after the task.
  std::unordered_map<uint64_t, std::string> outlined_;
};

Symbolizer::Symbolizer(std::vector<Module> modules, SymbolOptions options, CodeNames code_names)
    : impl_(std::make_unique<Impl>(std::move(modules), std::move(options), std::move(code_names))) {}
Symbolizer::~Symbolizer() = default;

Source Symbolizer::resolve(const Site& site) { return impl_->resolve(site); }

bool Symbolizer::has_recorded_file(uint64_t address) { return impl_->has_recorded_file(address); }

bool Symbolizer::has_recorded_files(const Site& site) {
  return (!site.function || has_recorded_file(site.function)) &&
         (!site.return_address || has_recorded_file(site.return_address - 1)) && (site.function || site.return_address);
}

std::set<std::string> Symbolizer::folders() const { return impl_->folders(); }

Source Symbolizer::resolve_sample(const uint64_t* at, uint32_t callers, uint32_t count) {
  return impl_->resolve_sample(at, callers, count);
}

std::string Symbolizer::variable_at(uint64_t address) { return impl_->variable_at(address); }

Source Symbolizer::resolve_access(uint64_t return_address) { return impl_->resolve_access(return_address); }

}  // namespace einkorn::profile
