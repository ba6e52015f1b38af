// From addresses to source locations: what a recording's sites mean.
#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>
#include "profile/symbol_options.h"
#include "profile/types.h"
#include "record/format.h"

namespace einkorn::profile {

// A file that was mapped into the recorded process.
struct Module {
  std::string path;
  uint64_t base = 0;            // address in memory - address in the file
  uint64_t begin = 0, end = 0;  // in memory
  std::string build_id;         // bytes; empty: the file has none
};

struct Site {
  uint32_t id = 0;
  record::Construct construct = record::Construct::unknown;
  uint16_t flags = 0;           // record::SiteFlags
  uint64_t function = 0;        // outlined function, 0: none
  uint64_t return_address = 0;  // of the call into the runtime, 0: none
  std::string text;             // ident_t.psource
};

// By an address of a site in code that the program made while it ran: its function, as the compiler that made it calls
// it.
using CodeNames = std::unordered_map<uint64_t, std::string>;

// "task", "loop", ...
const char* construct_name(record::Construct);

// The rules, in this order:
//  1. clang's text, if the program was compiled with -g: the directive's own line.
//  2. Constructs with an outlined function of their own (parallel, task, taskloop, combined loops): the line where that
//     function begins: the directive's line with gcc and clang. All its clones begin there, so they are one Source.
//  3. The line of the call, innermost inlined frame first, if the call is really one into the runtime. At -O2 compilers
//     jump into it at a function's end: the return address is then that of the function's own call, elsewhere. The jump
//     is looked for in the function that was called there, or in `function`.
// Of a region of a pool (record/pools.h), the place of the pool's caller. Code in no module has no line, and the name
// that was recorded. A module that is missing, or is not the recorded one (build-id), gives no line and no name, never
// a wrong one.
class Symbolizer {
 public:
  explicit Symbolizer(std::vector<Module> modules, SymbolOptions options = {}, CodeNames code_names = {});
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  Source resolve(const Site&);
  // Are the files that hold the site's code certainly those that were recorded? False as well where one has no
  // build-id, or none is known.
  bool has_recorded_files(const Site&);
  bool has_recorded_file(uint64_t address);
  // The Source of the instruction before this address: the call of a hook at a memory access.
  Source resolve_access(uint64_t return_address);
  // The program's function in which a thread was: `at` is the instruction, then come `callers` addresses that a caller
  // returns to, then some that one may. Of libraries' functions the caller counts.
  Source resolve_sample(const uint64_t* at, uint32_t callers, uint32_t count);
  // "counts" or "counts + 64", of the global variable at an address; empty: there is none.
  std::string variable_at(uint64_t address);
  // For the code resolved so far: the folders in which it was compiled, and those of the files that it was compiled
  // from.
  std::set<std::string> folders() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace einkorn::profile
