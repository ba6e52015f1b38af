// Hints: what a file says about constructs of a program, of which neither source nor binary is touched. Start here.
//
// A hint is about the code of one construct in one object file (the program, or a library of it); but for `set`, which
// is about the whole program: a variable of the environment that its user has not set. Where that is, is said twice:
// for people by its place, FILE:LINE or a function; for the runtime by addresses in the file, which hold for one build.
// `einkorn run --hints` finds a place again in another build.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::hints {

inline constexpr int kVersion = 1;

// Their names, in this order: kConstructNames (text.cpp).
enum class Construct : uint8_t { task, taskloop, loop, region, allocation, variable, set };
inline constexpr int kConstructs = 7;

enum class Kind : uint8_t { unchanged, static_, dynamic, guided };

// As OpenMP's proc_bind clause.
enum class Bind : uint8_t { unchanged, primary, close, spread };

// Where a block of memory lies: as memory::Layout has it.
enum class Spread : uint8_t { unchanged, fine, coarse, blocked, nearest };

// [begin, end): addresses in the object file. That of a task's, a taskloop's and a region's outlined function, and of
// the call that begins a loop, if it has no such function; that of the call that allocates. The variable's own.
struct Code {
  uint64_t begin = 0, end = 0;
};

struct Hint {
  Construct construct{};
  uint32_t object = 0;       // in File::objects
  std::string place;         // FILE:LINE, or a function's or a variable's name; set: the variable
  std::vector<Code> code;    // empty: only the place is known; set: empty
  std::string value;         // set: the variable's
  int64_t cutoff = -1;       // task: with so many tasks above it, or more, it runs at once; -1: nothing said
  uint32_t priority = 0;     // task; 0: nothing said
  uint32_t grain = 0;        // taskloop: iterations a task; 0: nothing said
  uint32_t threads = 0;      // region: at most so many; 0: nothing said
  Bind bind{};               // region
  Kind kind{};               // loop
  uint32_t chunk = 0;        // loop: iterations; 0: nothing said
  Spread spread{};           // allocation, variable
  bool bold = false;         // also against what the program itself says
  int line = 0;              // of the hints file
  std::string comment = {};  // written above it
};

struct Object {
  std::string name;      // of the file, without its folder
  std::string build_id;  // hexadecimal, lower case; empty: the file has none, and the hints are for no build
};

struct File {
  std::vector<Object> objects;
  std::vector<Hint> hints;
};

// Is some of them about blocks that are allocated?
bool places_allocations(const File&);

// What is wrong with a line of the file: the line is as if it were not there.
struct Complaint {
  int line = 0;
  std::string what;  // a sentence's part: "there is no hint \"cutof\""
};

}  // namespace einkorn::hints
