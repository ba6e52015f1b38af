#include "profile/symbols_names.h"
#include <charconv>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <utility>

namespace einkorn::profile {

namespace {

// Where the parameter list of a demangled function name begins; npos: it has none.
size_t parameters_begin(std::string_view name) {
  // Only qualifiers follow it: " const", " volatile", " &", " &&", "[abi:cxx11]", " [clone .x]".
  size_t end = name.rfind(')');
  if (end == std::string_view::npos) return end;
  int depth = 0;
  for (size_t i = end + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// Where the name begins after a return type, which only names of template functions have.
size_t name_begin(std::string_view name) {
  size_t stop = name.find("operator");
  if (stop == std::string_view::npos) stop = name.size();
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < stop; ++i) {
    char c = name[i];
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == '}' || c == ']') --depth;
    if (c == ' ' && depth == 0) begin = i + 1;
  }
  return begin;
}

}  // namespace

std::string user_symbol(std::string_view symbol) {
  // Compilers append to a function's name, after a dot, what they made of it; no identifier in the source has a dot. A
  // version after '@' is the linker's.
  return std::string(symbol.substr(0, symbol.find_first_of(".@")));
}

std::string readable_variable(const std::string& symbol) {
  // gfortran's, of a module: "__fields_MOD_grid".
  if (const size_t of = symbol.find("_MOD_"); symbol.starts_with("__") && of != std::string::npos && of > 2)
    return symbol.substr(2, of - 2) + "::" + symbol.substr(of + 5);
  if (symbol.rfind("_Z", 0) != 0) return symbol;
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> demangled(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                        &std::free);
  return status == 0 && demangled ? demangled.get() : symbol;
}

std::string variable_in_source(const std::string& symbol) {
  std::string name = readable_variable(symbol);
  if (name != symbol) return name;
  const size_t last = name.rfind('.');
  if (last != std::string::npos && last > 0 && last + 1 < name.size() &&
      name.find_first_not_of("0123456789", last + 1) == std::string::npos)
    name.resize(last);
  // What has no function or more dots (".L.str", "switch.table.f") is none of the program's variables.
  const size_t dot = name.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == name.size() || dot != name.rfind('.')) return name;
  return name.substr(0, dot) + "::" + name.substr(dot + 1);
}

std::string readable_name(const std::string& symbol) {
  if (symbol.rfind("_Z", 0) != 0) return symbol;
  const std::string demangled = readable_variable(symbol);
  if (demangled == symbol) return symbol;
  std::string_view name = demangled;
  size_t end = parameters_begin(name);
  if (end != std::string_view::npos && end > 0) name = name.substr(0, end);
  return std::string(name.substr(name_begin(name)));
}

std::string without_arguments(const std::string& name) {
  if (name.find("operator") != std::string::npos) return name;
  std::string out;
  int depth = 0;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (depth == 0) out += c;
    if (c == '>' && depth > 0) --depth;
  }
  return depth == 0 ? out : name;
}

// By hand and only so far: the text comes from a recording, and a demangler may take any time and memory for it.
std::string made_code_name(const std::string& symbol) {
  // "_ZN8__main__5heavyB2v2B106c8tJ...E5ArrayI...": a version and options are after each B, as tags are in C++;
  // ".kernel.140737_...__ufunc__._ZN8__main__5ufuncB2v1...", "_ZN8__main__5outer12_3clocals_3e5innerB2v1...".
  size_t at = symbol.find("_Z");
  while (at != std::string::npos && at > 0 && symbol[at - 1] != '.') at = symbol.find("_Z", at + 1);
  if (at == std::string::npos) return symbol;
  std::string_view rest = std::string_view(symbol).substr(at + 2);
  if (rest.starts_with('N')) rest.remove_prefix(1);
  // An identifier after its length; empty: there is none.
  const auto take = [&rest] {
    size_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    const size_t digits = size_t(end - rest.data());
    if (error != std::errc() || size > rest.size() - digits) return std::string_view();
    const std::string_view taken = rest.substr(digits, size);
    rest.remove_prefix(digits + size);
    return taken;
  };
  std::string name;
  for (std::string_view part; !(part = take()).empty();) {
    if (!name.empty()) name += "::";
    for (size_t i = 0; i < part.size(); ++i) {
      const std::string_view written = part.substr(i, 3);
      if (written == "_3c" || written == "_3e") name += written == "_3c" ? '<' : '>', i += 2;
      else name += part[i];
    }
    while (rest.starts_with('B')) {
      rest.remove_prefix(1);
      if (take().empty()) return symbol;
    }
  }
  return name.empty() ? symbol : name;
}

bool parse_clang_text(std::string_view text, ClangText& out) {
  std::string_view field[4];
  if (text.empty() || text[0] != ';') return false;
  text.remove_prefix(1);
  for (auto& f : field) {
    size_t end = text.find(';');
    if (end == std::string_view::npos) return false;
    f = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  unsigned line = 0;
  auto [rest, error] = std::from_chars(field[2].data(), field[2].data() + field[2].size(), line);
  if (error != std::errc() || rest != field[2].data() + field[2].size() || line == 0) return false;
  if (field[0].empty() || field[0] == "unknown") return false;
  out.file = field[0];
  out.function = field[1] == "unknown" ? "" : field[1];
  out.line = line;
  return true;
}

bool is_runtime_entry(std::string_view symbol) {
  for (std::string_view prefix : {"GOMP_", "__kmpc_", "omp_", "ompx_", "ompc_", "kmp_"}) {
    if (symbol.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

}  // namespace einkorn::profile
