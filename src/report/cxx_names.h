// Long names of C++ functions, made shorter by what they mean: instances of a template for several loops differ in
// their arguments only, mostly in the function that a lambda stands in. To cut the middle loses just that.
#pragma once
#include <cstddef>
#include <string>

namespace einkorn::report {

// Of a name that is longer than `width` a shorter form, by as few of these steps as it takes: parameters `()`, outer
// namespaces, arguments of arguments `<..>`, arguments in which no function is named (the longest first), all
// qualifiers but a lambda's function, `{lambda#1}` as `{#1}`, the middle of the template's own name. It may still be
// longer. Text whose brackets do not match is given back as it is.
std::string shorter_cxx_name(const std::string& name, size_t width);

// The first half and the last of the text, with .. between them. width: at least 2.
std::string without_middle(const std::string& text, size_t width);

}  // namespace einkorn::report
