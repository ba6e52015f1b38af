// Names of functions as a user wrote them.
#pragma once
#include <string>
#include <string_view>

namespace einkorn::profile {

// The function in the source that a symbol comes from: "fib" for "fib._omp_fn.0", "fib.omp_outlined_debug__.4" and
// "fib.constprop.1.isra.0"; empty: the name says nothing about it (".omp_task_entry..3").
std::string user_symbol(std::string_view symbol);

// Demangled, without return type and parameters: "ns::Box<int>::sum" for "_ZN2ns3BoxIiE3sumEi". Not mangled: unchanged.
std::string readable_name(const std::string& symbol);

// The same of a variable's, which may be inside a function: "f<double>(int)::grid", "ns::grid"; or in a Fortran module.
std::string readable_variable(const std::string& symbol);
// That name as the source has it, without what compilers add to a static variable of a function in C: "count" of gcc's
// "count.0", "main::count" of clang's "main.count". Several variables may have one such name.
std::string variable_in_source(const std::string& symbol);

// Of a readable name, "ns::Box::sum" for "ns::Box<int>::sum"; an operator's is unchanged.
std::string without_arguments(const std::string& name);

// Of code that a program made while it ran, as its compiler names it: Numba's symbols are a function's, in words of
// Numba's own and with the types that it was compiled for. Other compilers' are unchanged.
std::string made_code_name(const std::string& symbol);

// clang's ident_t.psource ";file;function;line;column;;". False: malformed, or compiled without -g ("unknown").
struct ClangText {
  std::string file, function;
  unsigned line = 0;
};
bool parse_clang_text(std::string_view text, ClangText& out);

// An entry point of an OpenMP runtime.
bool is_runtime_entry(std::string_view symbol);

}  // namespace einkorn::profile
