#include "compiler/marks.h"

#include <algorithm>

#include "compiler/text.h"

namespace einkorn::compiler {

namespace {

void blank(std::string& text, Range part) {
  for (uint32_t at = part.begin; at < part.end; ++at)
    if (text[at] != '\n' && text[at] != '\r' && text[at] != '\\') text[at] = ' ';
}

// The place of the next character that is no blank of a pragma's, or that before.
uint32_t next_in_line(const std::string& text, uint32_t at) {
  while (at < text.size() &&
         (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' ||
          (text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == '\n' || text[at + 1] == '\r')) ||
          (text[at] == '\n' && at > 0 && (text[at - 1] == '\\' || text.compare(at - 2, 2, "\\\r") == 0))))
    ++at;
  return at;
}

// A clause is that outside of all parentheses.
bool is_clause(const std::string& text, Range word, uint32_t pragma) {
  int depth = 0;
  for (uint32_t at = pragma; at < word.begin; ++at) depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
  return depth == 0;
}

void blank_clause(std::string& text, Range word) {
  size_t before = text.find_last_not_of(" \t\\\r\n", word.begin - 1);
  if (before != std::string::npos && text[before] == ',') {
    word.begin = uint32_t(before);
  } else if (const uint32_t behind = next_in_line(text, word.end); behind < text.size() && text[behind] == ',') {
    word.end = behind + 1;
  }
  blank(text, word);
}

const Directive* at_line(const Unit& unit, uint32_t line, const Function*& function) {
  for (const Function& f : unit.functions)
    for (const Directive& d : f.directives)
      if (d.line == line && d.kind != Directive::function) return function = &f, &d;
  return nullptr;
}

}  // namespace

// Is it a macro of the program's? One that is defined on the command line or in a header is not seen.
static bool is_macro(const std::string& text, const std::string& name) {
  std::string before;
  for (const Word& w : words(text, {0, uint32_t(text.size())})) {
    const std::string word = text.substr(w.at.begin, w.at.end - w.at.begin);
    if (word == name && before == "define") return true;
    before = word;
  }
  return false;
}

std::vector<Mark> take_marks(std::string& text) {
  if (is_macro(text, "codelet") || is_macro(text, "ompx")) return {};
  std::vector<Mark> marks;
  std::vector<std::pair<Range, bool>> found;  // a word, and whether it is a clause
  std::string first, second;
  uint32_t pragma = ~0u;
  for (const Word& w : words(text, {0, uint32_t(text.size())})) {
    if (!w.pragma) continue;
    const std::string word = text.substr(w.at.begin, w.at.end - w.at.begin);
    if (word == "pragma" && (pragma == ~0u || text.rfind('#', w.at.begin) != pragma)) {
      pragma = uint32_t(text.rfind('#', w.at.begin));
      first.clear(), second.clear();
    } else if (first.empty()) {
      first = word;
    } else if (word == "codelet" && first == "ompx" && second.empty()) {
      found.push_back({{pragma, w.at.end}, false});
    } else if (word == "codelet" && first == "omp" && !second.empty() && is_clause(text, w.at, pragma)) {
      found.push_back({w.at, true});
    } else {
      second = word;
    }
  }
  for (const auto& [part, clause] : found) {
    Mark it;
    it.line = line_at(text, 0, 1, part.begin);
    if (clause) {
      it.of = line_at(text, 0, 1, uint32_t(text.rfind('#', part.begin)));
      blank_clause(text, part);
    } else {
      const uint32_t behind = next_in_line(text, part.end);
      const bool alone = behind >= text.size() || text[behind] == '\n' || text.compare(behind, 2, "//") == 0 ||
                         text.compare(behind, 2, "/*") == 0;
      if (!alone) continue;
      blank(text, part);
    }
    marks.push_back(it);
  }
  // What follows those that are pragmas, when all are gone.
  size_t number = 0;
  for (const auto& [part, clause] : found) {
    if (text[part.begin] == '#') continue;
    Mark& it = marks[number++];
    if (clause) continue;
    for (size_t hash = text.find('#', part.end);
         hash != std::string::npos && is_blank(text, {part.end, uint32_t(hash)}); hash = text.find('#', hash + 1))
      it.of = line_at(text, 0, 1, uint32_t(hash));
  }
  return marks;
}

std::string told(const Mark& mark, const Unit& unit, const std::vector<Plan>& plans) {
  const Function* f = nullptr;
  const Directive* d = mark.of ? at_line(unit, mark.of, f) : nullptr;
  if (!d || (d->name.find("for") == std::string::npos && d->name != "single"))
    return "codelet: no 'for' or 'single' is what it stands before: without effect";
  const std::string what = "codelet of " + f->name + "(): '" + d->name + "' ";
  for (const Plan& plan : plans) {
    if (plan.function != f) continue;
    const Directive& region = f->directives[size_t(plan.region)];
    if ((&region != d && !is_inside(region, d->pragma.begin)) || is_elsewhere(plan, d->pragma.begin)) continue;
    if (!plan.why_not.empty()) return what + "stays OpenMP's with its region";
    const long before =
        std::count_if(plan.syncs.begin(), plan.syncs.end(), [&](const Sync& s) { return s.at <= d->pragma.begin; });
    return what + "is in codelet " + std::to_string(before + 1) + " of " + plan.name + ": " +
           (d->kind == Directive::single ? "who comes first runs it" : "each instance runs its part") +
           ", no procedure is made of it";
  }
  return what + "stays OpenMP's with its function";
}

}  // namespace einkorn::compiler
