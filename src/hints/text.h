// Hints as text, which people read and change (docs/tuning.md):
//
//   einkorn-hints 1
//   # comment
//   object fib 3f0c6e...                          what follows is about this file: its name and build-id
//   task fib.c:21 at 0x11b5 cutoff=9
//   loop jacobi.c:8 at 0x1243,0x1301 schedule=dynamic,64
//   allocation jacobi.c:31 at 0x1100 place=blocked
//   variable grid at 0x4060-0x44060 place=fine
//   set OMP_PROC_BIND=close                          for the whole program; needs no object above it
//   region jacobi.c:7 threads=2 bind=close           without addresses: `einkorn run --hints` finds the line
//
// In names a space, '%', '#' and ',' are %XX; they have no control characters.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hints/types.h"

namespace einkorn::hints {

// A larger file is refused: no program has so many constructs.
inline constexpr size_t kMostBytes = size_t(1) << 20;

// What of the text is right goes into the file. false: it is no hints file, or of a newer version, and `wrong` ends
// with the reason.
bool parse(std::string_view text, File& out, std::vector<Complaint>& wrong);

std::string to_text(const File&);

const char* name_of(Construct);
// "cutoff=9", "schedule=dynamic,64 bold": what a hint asks for.
std::string values_of(const Hint&);
// "loop jacobi.c:8 schedule=dynamic,64", "set OMP_PROC_BIND=close".
std::string words_of(const Hint&);

// A variable that the user has set and that says the same as this one, which `set` is about, or the contrary: then that
// counts. nullptr: none. is_set: of the environment.
const char* overruled_by(std::string_view variable, bool (*is_set)(const char* name));

// FILE:LINE, as a place has it. false: it is a function's name.
bool as_line(std::string_view place, std::string& file, uint32_t& line);

}  // namespace einkorn::hints
