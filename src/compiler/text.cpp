#include "compiler/text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace einkorn::compiler {

namespace {

bool is_letter(char c) { return isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Behind the comment or literal that begins at `at`; `at` if none does.
uint32_t skip(std::string_view text, uint32_t at, uint32_t end) {
  if (text.substr(at, 2) == "//") {
    while (at < end && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
    return std::min(at, end);
  }
  if (text.substr(at, 2) == "/*") {
    const size_t close = text.find("*/", at + 2);
    return close == std::string_view::npos ? end : std::min(end, uint32_t(close) + 2);
  }
  if (text[at] == '"' || text[at] == '\'') {
    const char quote = text[at++];
    while (at < end && text[at] != quote && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
    return at < end && text[at] == '\n' ? at : std::min(at + 1, end);  // what is not closed ends with its line
  }
  return at;
}

}  // namespace

uint32_t behind_literal(std::string_view text, uint32_t at, uint32_t end) { return skip(text, at, end); }

std::vector<Word> words(std::string_view text, Range part) {
  std::vector<Word> found;
  bool line_began = false, member = false, preprocessor = false, pragma = false;
  for (uint32_t at = part.begin; at < part.end;) {
    const char c = text[at];
    if (c == '\n') {
      line_began = preprocessor = pragma = false;
      ++at;
    } else if (const uint32_t behind = skip(text, at, part.end); behind != at) {
      at = behind;
    } else if (c == '\\' && at + 1 < part.end) {
      at += text[at + 1] == '\r' ? 3 : 2;
    } else if (isspace(static_cast<unsigned char>(c))) {
      ++at;
    } else if (c == '#' && !line_began) {
      line_began = preprocessor = true;
      size_t word = text.find_first_not_of(" \t", at + 1);
      pragma = word != std::string_view::npos && text.substr(word, 6) == "pragma";
      ++at;
    } else if (is_letter(c)) {
      const uint32_t begin = at;
      while (at < part.end && (is_letter(text[at]) || is_digit(text[at]))) ++at;
      found.push_back({{begin, at}, member, preprocessor, pragma});
      member = false;
      line_began = true;
    } else if (is_digit(c)) {
      while (at < part.end && (is_letter(text[at]) || is_digit(text[at]) || text[at] == '.' ||
                               ((text[at] == '+' || text[at] == '-') && strchr("eEpP", text[at - 1]))))
        ++at;
      member = false;
      line_began = true;
    } else {
      member = (c == '.' && text.substr(at, 3) != "..." && !(at >= 2 && text.substr(at - 2, 3) == "...")) ||
               (c == '>' && at > 0 && text[at - 1] == '-');
      line_began = true;
      ++at;
    }
  }
  return found;
}

bool has_word(std::string_view text, Range part, std::string_view word) {
  const std::vector<Word> all = words(text, part);
  return std::any_of(all.begin(), all.end(),
                     [&](const Word& w) { return text.substr(w.at.begin, w.at.end - w.at.begin) == word; });
}

// The word behind '#'.
static bool is_directive_word(std::string_view text, const Word& w) {
  const size_t before = w.at.begin == 0 ? std::string_view::npos : text.find_last_not_of(" \t", w.at.begin - 1);
  return w.preprocessor && before != std::string_view::npos && text[before] == '#';
}

bool is_balanced(std::string_view text, Range part, bool* has_any) {
  int depth = 0;
  *has_any = false;
  for (const Word& w : words(text, part)) {
    if (!is_directive_word(text, w)) continue;
    const std::string_view word = text.substr(w.at.begin, w.at.end - w.at.begin);
    if (word.substr(0, 2) == "if") ++depth, *has_any = true;
    else if (word == "endif") --depth;
    else if (word.substr(0, 2) == "el" && depth == 0) return false;
    if (depth < 0) return false;
  }
  return depth == 0;
}

bool has_include(std::string_view text, Range part) {
  for (const Word& w : words(text, part))
    if (w.preprocessor && !w.pragma && text.substr(w.at.begin, w.at.end - w.at.begin).substr(0, 7) == "include")
      return true;
  return false;
}

std::vector<Condition> compilers_conditions(std::string_view text, Range part) {
  static constexpr std::string_view kNames[] = {"__clang__", "__clang_major__", "__GNUC__", "__GNUC_MINOR__",
                                                "_OPENMP"};
  std::vector<Condition> found;
  Condition open;
  int depth = 0;
  std::string_view before;
  for (const Word& w : words(text, part)) {
    if (!w.preprocessor || w.pragma) continue;
    const std::string_view word = text.substr(w.at.begin, w.at.end - w.at.begin);
    const size_t line = text.rfind('\n', w.at.begin) + 1;
    const bool first = is_directive_word(text, w);
    if (first && word.substr(0, 2) == "if" && depth++ == 0) open = {{uint32_t(line), part.end}, ""};
    if (first && word == "endif" && depth > 0 && --depth == 0) {
      open.part.end = w.at.end;
      if (!open.asks_for.empty()) found.push_back(open);
    }
    // Whether it is defined they agree, of some.
    const bool asks_whether = before == "ifdef" || before == "ifndef" || before == "defined";
    for (const std::string_view name : kNames)
      if (word == name && depth > 0 && (name.substr(0, 7) == "__clang" || !asks_whether)) open.asks_for = word;
    before = word;
  }
  if (depth > 0 && !open.asks_for.empty()) found.push_back(open);
  return found;
}

uint32_t line_at(std::string_view text, uint32_t from, uint32_t line, uint32_t at) {
  for (; from < at; ++from) {
    if (text[from] != '\n') continue;
    ++line;
    if (text.substr(from + 1, 6) == "#line ") line = uint32_t(atoi(text.data() + from + 7)) - 1;
  }
  return line;
}

uint32_t line_begin(std::string_view text, uint32_t at) {
  const size_t newline = at ? text.rfind('\n', at - 1) : std::string_view::npos;
  return newline == std::string_view::npos ? 0 : uint32_t(newline) + 1;
}

bool is_blank(std::string_view text, Range part) {
  for (uint32_t at = part.begin; at < part.end;) {
    if (text.substr(at, 7) == "\n#line ") at = uint32_t(std::min(text.find('\n', at + 1), size_t(part.end)));
    if (at == part.end) break;
    const uint32_t behind = text[at] == '"' || text[at] == '\'' ? at : skip(text, at, part.end);
    if (behind != at) at = behind;
    else if (isspace(static_cast<unsigned char>(text[at]))) ++at;
    else return false;
  }
  return true;
}

std::string quoted(const std::string& file) {
  std::string out = "\"";
  for (const char c : file) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string line_directive(uint32_t line, const std::string& file) {
  return "#line " + std::to_string(line) + " " + quoted(file) + "\n";
}

void Edits::replace(Range part, std::string with) {
  const std::string_view before = text_.substr(part.begin, part.end - part.begin);
  if (const size_t said = before.rfind("\n#line "); said != std::string_view::npos) {
    with += "\n#line " + std::to_string(line_at(text_, part.begin + uint32_t(said), 0, part.end)) + "\n";
  } else if (const int missing = newlines(before) - newlines(with); missing > 0) {
    with.append(size_t(missing), '\n');
  }
  edits_.push_back({part, std::move(with)});
}

std::string Edits::apply(Range part) const {
  std::vector<const Edit*> sorted;
  for (const Edit& e : edits_)
    if (e.part.begin >= part.begin && e.part.end <= part.end) sorted.push_back(&e);
  // Insertions come before what begins there, in the order in which they were made.
  std::stable_sort(sorted.begin(), sorted.end(), [](const Edit* a, const Edit* b) {
    if (a->part.begin != b->part.begin) return a->part.begin < b->part.begin;
    if (a->part.empty() != b->part.empty()) return a->part.empty();
    return a->part.end > b->part.end;
  });
  std::string out;
  uint32_t at = part.begin;
  for (const Edit* e : sorted) {
    if (e->part.begin < at) continue;
    out += text_.substr(at, e->part.begin - at);
    out += e->with;
    at = e->part.end;
  }
  return out += text_.substr(at, part.end - at);
}

size_t last_semicolon(const std::string& text, Range header) {
  int depth = 0;
  for (uint32_t at = header.end; at-- > header.begin;) {
    const char c = text[at];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == '(' || c == '[' || c == '{') --depth;
    if (c == ';' && depth == 0) return at;
  }
  return header.end;
}

}  // namespace einkorn::compiler
