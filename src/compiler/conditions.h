// Which branches of a file's conditions the compiler behind takes.
#pragma once

#include <string>
#include <vector>

namespace einkorn::compiler {

// The compiler that is to compile the output, and the flags of that compile.
struct Behind {
  std::string compiler;  // empty: it is not known
  std::vector<std::string> flags;
};

// The text with each #if that stands in a function, or across the edges of one, replaced by the branch that the
// compiler behind takes: what it does not take, and the lines of the #if itself, become empty lines. The compiler is
// asked, so that gcc and clang may answer as they like. A text without such an #if comes back as it is, and so does
// one of which the compiler gives no answer. file: the source's path, beside which its headers are.
enum class Where { in_functions, everywhere };
std::string with_settled_conditions(const std::string& text, const std::string& file, const Behind& behind,
                                    Where where = Where::in_functions);

}  // namespace einkorn::compiler
