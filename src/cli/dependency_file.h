// Dependency files (-MD) of a compile whose source was read from elsewhere: they have to name the user's file.
#pragma once
#include <string>

namespace einkorn::cli {

// A file's name as gcc writes it into a makefile.
std::string make_word(const std::string& path);

// `text` as gcc writes it, with `source` in place of `read_from`.
std::string name_source(const std::string& text, const std::string& read_from, const std::string& source);

// `text` as gcc writes it when it reads its standard input, which it does not name: with `source` as the first file of
// the rule. `phony` (-MP): gcc has given no rule of its own to the first file that it names, which it takes for the
// source.
std::string add_source(const std::string& text, const std::string& source, bool phony);

}  // namespace einkorn::cli
