// OpenMP 6.0's taskgraph (14.3), which neither compiler has, as the calls of einkorn/taskgraph.h.
#pragma once

#include <string>

namespace einkorn::compiler {

// The text with `#pragma omp taskgraph` replaced, a line for a line; as it is where there is none, or one with clauses
// that are not known. file: as messages shall name it.
std::string with_taskgraphs(const std::string& text, const std::string& file);

}  // namespace einkorn::compiler
