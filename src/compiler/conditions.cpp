// The compiler is asked by its preprocessor: a copy of the text has a word in each branch, and what comes out has the
// words of those branches that were taken. (A pragma would not do: clang has none in a macro's arguments.)
#include "compiler/conditions.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "compiler/text.h"

extern char** environ;

namespace einkorn::compiler {

namespace {

constexpr char kWord[] = "einkorn_branch_";

// A line of the preprocessor that begins or ends a branch, from its '#' to its end without the newline.
struct Edge {
  Range line;
  enum Kind : uint8_t { opens, next, closes } kind;
};

// #if ... #elif ... #else ... #endif, as numbers of edges, in this order.
struct Group {
  std::vector<int> edges;
  bool has_else = false;
};

struct Conditions {
  std::vector<Edge> edges;
  std::vector<Group> groups;
  bool paired = true;          // each #if has its #endif
  bool asks_for_line = false;  // __LINE__ in a condition: the copy has other lines
};

// The end of a line of the preprocessor: it goes on behind a backslash, and in a comment.
uint32_t end_of_line(const std::string& text, uint32_t at) {
  while (at < text.size() && text[at] != '\n') {
    if (text[at] == '\\' && at + 1 < text.size()) {
      at += text.compare(at + 1, 2, "\r\n") == 0 ? 3 : 2;
    } else if (text.compare(at, 2, "/*") == 0) {
      at = uint32_t(std::min(text.find("*/", at + 2), text.size() - 2)) + 2;
    } else if (text.compare(at, 2, "//") == 0) {
      while (at < text.size() && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
    } else {
      ++at;
    }
  }
  return std::min(at, uint32_t(text.size()));
}

void add_edge(Conditions& found, std::vector<int>& open, Edge edge, bool is_else) {
  const int number = int(found.edges.size());
  if (edge.kind == Edge::opens) {
    open.push_back(int(found.groups.size()));
    found.groups.emplace_back();
  } else if (open.empty()) {
    found.paired = false;
    return;
  }
  Group& group = found.groups[size_t(open.back())];
  group.edges.push_back(number);
  group.has_else |= is_else;
  found.edges.push_back(edge);
  if (edge.kind == Edge::closes) open.pop_back();
}

// Whether the line that begins at '#' is one of a condition, and which.
std::optional<Edge> edge_at(const std::string& text, Range line, std::string& word) {
  const size_t begin = text.find_first_not_of(" \t", line.begin + 1);
  size_t end = begin;
  while (end < line.end && isalpha(static_cast<unsigned char>(text[end]))) ++end;
  word = begin < line.end ? text.substr(begin, end - begin) : "";
  if (word == "if" || word == "ifdef" || word == "ifndef") return Edge{line, Edge::opens};
  if (word.compare(0, 4, "elif") == 0 || word == "else") return Edge{line, Edge::next};
  if (word == "endif") return Edge{line, Edge::closes};
  return std::nullopt;
}

Conditions find_conditions(const std::string& text) {
  Conditions found;
  std::vector<int> open;
  bool line_began = false;
  for (uint32_t at = 0; at < text.size();) {
    if (text[at] == '\n') {
      line_began = false, ++at;
    } else if (const uint32_t behind = behind_literal(text, at, uint32_t(text.size())); behind != at) {
      line_began |= text[at] != '/';
      at = behind;
    } else if (text[at] == '#' && !line_began) {
      const Range line{at, end_of_line(text, at)};
      std::string word;
      if (const std::optional<Edge> edge = edge_at(text, line, word)) {
        add_edge(found, open, *edge, word == "else");
        found.asks_for_line |= text.substr(line.begin, line.end - line.begin).find("__LINE__") != std::string::npos;
      }
      at = line.end;
    } else {
      line_began |= !isspace(static_cast<unsigned char>(text[at]));
      ++at;
    }
  }
  found.paired &= open.empty();
  return found;
}

// What concerns the text, and leaves no files.
std::vector<std::string> flags_of_preprocessor(const std::vector<std::string>& flags) {
  std::vector<std::string> kept;
  for (const std::string& flag : flags) {
    const auto begins = [&](const char* with) { return flag.rfind(with, 0) == 0; };
    if (begins("-save-temps") || begins("-fdump-") || begins("-ftime-") || begins("-d") || begins("--save-temps") ||
        begins("-Werror"))
      continue;
    kept.push_back(flag);
  }
  return kept;
}

// Closed when nobody needs it any more.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : file_(memfd_create(name, MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (file_ >= 0) close(file_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int file() const { return file_; }
  bool write(const std::string& text) const {
    for (size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(file_, text.data() + done, text.size() - done);
      if (n <= 0) return false;
      done += size_t(n);
    }
    return file_ >= 0;
  }
  std::string read() const {
    std::string text(size_t(std::max<off_t>(lseek(file_, 0, SEEK_END), 0)), '\0');
    size_t done = 0;
    for (ssize_t n; done < text.size() && (n = pread(file_, &text[done], text.size() - done, off_t(done))) > 0;)
      done += size_t(n);
    text.resize(done);
    return text;
  }

 private:
  int file_;
};

// What the compiler's preprocessor makes of the text; nothing: it refuses it. The text lies in no folder, so that a
// header is not looked for beside it, but beside the source: its folder comes first.
std::optional<std::string> preprocess(const std::string& text, const std::string& file, const Behind& behind) {
  const MemoryFile in("einkorn-in"), out("einkorn-out");
  if (!in.write(text) || out.file() < 0) return std::nullopt;
  const size_t slash = file.rfind('/');
  std::vector<std::string> words{behind.compiler, "-E", "-iquote",
                                 slash == std::string::npos ? "." : file.substr(0, slash + 1)};
  const std::vector<std::string> flags = flags_of_preprocessor(behind.flags);
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"-x", "c", "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(in.file())});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.file(), 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error || waitpid(child, &status, 0) != child || status != 0) return std::nullopt;
  return out.read();
}

// How often each edge was passed; nothing: the compiler gives no answer.
std::optional<std::vector<int>> ask(const std::string& text, const std::string& file, const Conditions& found,
                                    const Behind& behind) {
  Edits edits(text);
  for (size_t e = 0; e < found.edges.size(); ++e)
    edits.insert(found.edges[e].line.end, std::string("\n").append(kWord).append(std::to_string(e)).append("_"));
  const std::optional<std::string> out =
      preprocess(line_directive(1, file) + edits.apply({0, uint32_t(text.size())}), file, behind);
  if (!out) return std::nullopt;
  std::vector<int> passed(found.edges.size());
  for (size_t at = 0; (at = out->find(kWord, at)) != std::string::npos; ++at) {
    const size_t number = size_t(atoi(out->c_str() + at + sizeof kWord - 1));
    if (number < passed.size()) ++passed[number];
  }
  return passed;
}

// What the branches that are taken open and do not close.
class Depths {
 public:
  Depths(const std::string& text, const Conditions& found, const std::vector<int>& passed) {
    size_t e = 0;
    int depth = 0;
    for (uint32_t at = 0; at < text.size();) {
      if (e < found.edges.size() && at == found.edges[e].line.begin) {
        depths_.push_back(depth);
        at = found.edges[e++].line.end;
        // To where something is taken again; an edge in between has the same depth.
        while (e < found.edges.size() && !passed[e - 1]) depths_.push_back(depth), at = found.edges[e++].line.end;
      } else if (const uint32_t behind = behind_literal(text, at, uint32_t(text.size())); behind != at) {
        at = behind;
      } else {
        depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
        ++at;
      }
    }
    depths_.resize(found.edges.size(), depth);
  }
  bool is_in_function(const Group& group) const {
    return depths_[size_t(group.edges.front())] > 0 ||
           depths_[size_t(group.edges.front())] != depths_[size_t(group.edges.back())];
  }

 private:
  std::vector<int> depths_;  // at each edge
};

// It was reached, and once: one branch at most was taken, and one where there is an #else. (Macros may leave out what
// is in their arguments, or have it twice.)
bool is_answered(const Group& group, const std::vector<int>& passed) {
  int taken = 0;
  for (size_t i = 0; i + 1 < group.edges.size(); ++i) taken += passed[size_t(group.edges[i])];
  return passed[size_t(group.edges.back())] == 1 && taken <= 1 && !(group.has_else && taken == 0);
}

}  // namespace

std::string with_settled_conditions(const std::string& text, const std::string& file, const Behind& behind,
                                    Where where) {
  if (behind.compiler.empty() || text.find("omp") == std::string::npos) return text;
  const Conditions found = find_conditions(text);
  if (!found.paired || found.asks_for_line || found.edges.empty()) return text;
  if (where == Where::in_functions && found.edges.back().line.begin < text.find('{')) return text;  // headers alone
  const std::optional<std::vector<int>> passed = ask(text, file, found, behind);
  if (!passed) return text;
  const Depths depths(text, found, *passed);
  Edits edits(text);
  bool any = false;
  for (const Group& group : found.groups) {
    if (!is_answered(group, *passed)) continue;
    if (where == Where::in_functions && !depths.is_in_function(group)) continue;
    any = true;
    for (size_t i = 0; i < group.edges.size(); ++i) {
      const Edge& edge = found.edges[size_t(group.edges[i])];
      const bool last = i + 1 == group.edges.size(), taken = (*passed)[size_t(group.edges[i])];
      edits.replace(
          {edge.line.begin, last || taken ? edge.line.end : found.edges[size_t(group.edges[i + 1])].line.begin}, "");
    }
  }
  return any ? edits.apply({0, uint32_t(text.size())}) : text;
}

}  // namespace einkorn::compiler
