#include "compiler/taskgraph.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "compiler/text.h"

namespace einkorn::compiler {

namespace {

// Its arguments, and where it ends: at the end of the line, or at a comment.
struct Construct {
  Range pragma;
  uint32_t line = 0;
  std::string id = "0", reset, condition;
  bool nogroup = false, known = true;
};

std::string without_continuations(std::string text) {
  for (size_t at = 0; (at = text.find('\\', at)) != std::string::npos;) text[at] = ' ';
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// name or name(expression)
void read_clause(const std::string& name, const std::string& argument, Construct& it) {
  if (name == "graph_id" && !argument.empty()) it.id = argument;
  else if (name == "graph_reset") it.reset = argument.empty() ? "1" : argument;
  else if (name == "nogroup" && argument.empty()) it.nogroup = true;
  else if (name == "if" && !argument.empty()) {
    const size_t first = argument.find_first_not_of(" \t"), colon = argument.find_first_not_of(" \t", first + 9);
    const bool modifier =
        argument.compare(first, 9, "taskgraph") == 0 && colon != std::string::npos && argument[colon] == ':';
    it.condition = modifier ? argument.substr(colon + 1) : argument;
  } else {
    it.known = false;
  }
}

void read_clauses(const std::string& text, Construct& it) {
  for (size_t at = 0; at < text.size();) {
    if (isspace(static_cast<unsigned char>(text[at])) || text[at] == ',') {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < text.size() && (isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_')) ++at;
    const std::string name = text.substr(begin, at - begin);
    while (at < text.size() && isspace(static_cast<unsigned char>(text[at]))) ++at;
    std::string argument;
    if (at < text.size() && text[at] == '(') {
      const size_t open = at + 1;
      int depth = 0;
      do depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
      while (++at < text.size() && depth > 0);
      if (depth > 0) it.known = false;
      argument = text.substr(open, at - 1 - open);
    }
    if (name.empty()) {
      it.known = false;
      return;
    }
    read_clause(name, argument, it);
  }
}

std::vector<Construct> find(const std::string& text) {
  std::vector<Construct> found;
  std::string before, before_that;
  for (const Word& w : words(text, {0, uint32_t(text.size())})) {
    const std::string word = text.substr(w.at.begin, w.at.end - w.at.begin);
    if (w.pragma && word == "taskgraph" && before == "omp" && before_that == "pragma") {
      Construct it;
      it.pragma.begin = uint32_t(text.rfind('#', w.at.begin));
      uint32_t end = w.at.end;
      while (end < text.size() && text[end] != '\n' && text.compare(end, 2, "//") != 0 &&
             text.compare(end, 2, "/*") != 0)
        end += text[end] == '\\' ? 2 : 1;
      it.pragma.end = std::min(end, uint32_t(text.size()));
      it.line = line_at(text, 0, 1, it.pragma.begin);
      read_clauses(without_continuations(text.substr(w.at.end, it.pragma.end - w.at.end)), it);
      found.push_back(std::move(it));
    }
    before_that = before;
    before = word;
  }
  return found;
}

// Behind the last #include before `end` that no condition is around; 0: there is none.
uint32_t behind_includes(const std::string& text, uint32_t end) {
  uint32_t at = 0;
  int depth = 0;
  for (const Word& w : words(text, {0, end})) {
    if (!w.preprocessor || w.pragma) continue;
    const size_t hash = text.find_last_not_of(" \t", w.at.begin - 1);
    if (hash == std::string::npos || text[hash] != '#') continue;
    const std::string word = text.substr(w.at.begin, w.at.end - w.at.begin);
    if (word.compare(0, 2, "if") == 0) ++depth;
    else if (word == "endif") --depth;
    else if (word == "include" && depth == 0) at = uint32_t(std::min(text.find('\n', w.at.end), text.size() - 1)) + 1;
  }
  return at;
}

}  // namespace

std::string with_taskgraphs(const std::string& text, const std::string& file) {
  const std::vector<Construct> found = find(text);
  if (found.empty()) return text;
  const std::string name = file.substr(file.rfind('/') + 1);
  Edits edits(text);
  std::string declared;
  for (const Construct& it : found) {
    if (!it.known) return text;
    std::string flags;
    const auto add = [&](const std::string& flag) { flags += (flags.empty() ? "" : " | ") + flag; };
    if (!it.reset.empty()) add("((" + it.reset + ") ? OMPX_TASKGRAPH_RESET : 0)");
    if (!it.condition.empty()) add("((" + it.condition + ") ? 0 : OMPX_TASKGRAPH_OFF)");
    if (it.nogroup) add("OMPX_TASKGRAPH_NOGROUP");
    const std::string line = std::to_string(it.line), graph = "ek_taskgraph_" + line;
    declared += "static ompx_taskgraph " + graph + " = OMPX_TASKGRAPH_NAMED(\"" + name + ":" + line + "\");\n";
    edits.replace(it.pragma, "OMPX_TASKGRAPH(&" + graph + ", " + it.id + ", " +
                                 (flags.empty() ? "0" : "(unsigned)(" + flags + ")") + ")");
  }
  // Where declarations of the file's may stand: behind the headers, which may ask what is defined before them.
  const uint32_t at = behind_includes(text, uint32_t(std::min(text.find('{'), size_t(found[0].pragma.begin))));
  edits.insert(
      at, "#include <einkorn/taskgraph.h>\n" + declared + "#line " + std::to_string(line_at(text, 0, 1, at)) + "\n");
  return edits.apply({0, uint32_t(text.size())});
}

}  // namespace einkorn::compiler
