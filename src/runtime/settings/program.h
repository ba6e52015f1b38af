// For which library was this program built? Where OpenMP leaves a default to the implementation, libgomp's and libomp's
// differ (schedule(runtime), the text of OMP_DISPLAY_AFFINITY), and each program gets the one that it was written
// against.
#pragma once

namespace einkorn::runtime {

// True if, of the objects that are loaded now (it is asked when we are), one calls clang's entry points or names LLVM's
// or Intel's library, and none calls gcc's: a mixed program gets libgomp's defaults.
bool built_for_libomp();

}  // namespace einkorn::runtime
