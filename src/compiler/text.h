// Words of a C text, and changes to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/types.h"

namespace einkorn::compiler {

struct Word {
  Range at;
  bool member = false;        // behind . or ->
  bool preprocessor = false;  // in a line of the preprocessor
  bool pragma = false;        // in one that is a pragma
};

// Behind the comment or literal that begins at `at`; `at` if none does.
uint32_t behind_literal(std::string_view text, uint32_t at, uint32_t end);

// The identifiers in that part of a text, without comments and literals.
std::vector<Word> words(std::string_view text, Range part);
bool has_word(std::string_view text, Range part, std::string_view word);

// Do #if and #endif in that part belong to each other? has_any: is there one at all?
bool is_balanced(std::string_view text, Range part, bool* has_any);
// Does it take in another file? An #include, that is, or what a macro of this name may make one of.
bool has_include(std::string_view text, Range part);

// An #if with its #endif, not within another one of that part, that gcc and clang may answer differently.
struct Condition {
  Range part;
  std::string asks_for;
};
std::vector<Condition> compilers_conditions(std::string_view text, Range part);

// Is there nothing but blanks, comments and #line?
bool is_blank(std::string_view text, Range part);

// The line of `at`, where `from` before it is in that one: #line counts.
uint32_t line_at(std::string_view text, uint32_t from, uint32_t line, uint32_t at);

// Where the line of `at` begins.
uint32_t line_begin(std::string_view text, uint32_t at);

// A file's name as C has it, and a line that says where the next one stands.
std::string quoted(const std::string& file);
std::string line_directive(uint32_t line, const std::string& file);

inline int newlines(std::string_view text) {
  int n = 0;
  for (const char c : text) n += c == '\n';
  return n;
}

// Changes to a text, none of which moves a line. Where one lies in another the outer one counts.
class Edits {
 public:
  explicit Edits(std::string_view text) : text_(text) {}
  void replace(Range part, std::string with);
  void insert(uint32_t at, std::string what) { edits_.push_back({{at, at}, std::move(what)}); }
  // The part as it is then.
  std::string apply(Range part) const;

 private:
  struct Edit {
    Range part;
    std::string with;
  };
  std::string_view text_;
  std::vector<Edit> edits_;
};

// Where the last semicolon of a for's header is, that is in no parentheses; its end: there is none.
size_t last_semicolon(const std::string& text, Range header);

}  // namespace einkorn::compiler
