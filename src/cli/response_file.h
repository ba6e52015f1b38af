// Response files of compilers: `@FILE` on a command line stands for the words in FILE.
#pragma once
#include <string>
#include <vector>

namespace einkorn::cli {

// The words of a response file's text, by the rules of gcc and clang: white space separates, quotes of both kinds and
// backslashes protect.
std::vector<std::string> response_words(const std::string& text);

// The words as text that reads back as the same words.
std::string response_text(const std::vector<std::string>& words);

// Replaces each @FILE by its words, to any depth. A word whose file cannot be read stays what it is, as in gcc. Sets
// *any where one was replaced.
std::vector<std::string> expand_response_files(const std::vector<std::string>& words, bool* any);

}  // namespace einkorn::cli
