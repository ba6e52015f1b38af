#include "cli/dependency_file.h"

namespace einkorn::cli {

namespace {

// Where the files of the first rule begin; npos: there is no rule. A target with a colon before a blank has that blank
// escaped.
size_t files_begin(const std::string& text) {
  for (size_t at = text.find(':'); at != std::string::npos; at = text.find(':', at + 1))
    if (at + 1 == text.size() || text[at + 1] == ' ' || text[at + 1] == '\n') return at + 1;
  return std::string::npos;
}

// The first of these files; empty: there is none.
std::string first_file(const std::string& text, size_t at) {
  while (at < text.size() && (text[at] == ' ' || text.compare(at, 2, "\\\n") == 0)) at += text[at] == ' ' ? 1 : 2;
  size_t end = at;
  while (end < text.size() && text[end] != ' ' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
  return text.substr(at, end - at);
}

}  // namespace

// As munge() of gcc's libcpp does (mkdeps.cc): backslashes before a blank are doubled, others are not.
std::string make_word(const std::string& path) {
  std::string out;
  size_t slashes = 0;
  for (const char c : path) {
    if (c == ' ' || c == '\t') out += std::string(slashes, '\\') + '\\';
    else if (c == '$') out += '$';
    else if (c == '#') out += '\\';
    slashes = c == '\\' ? slashes + 1 : 0;
    out += c;
  }
  return out;
}

std::string name_source(const std::string& text, const std::string& read_from, const std::string& source) {
  const std::string found = make_word(read_from), named = make_word(source);
  std::string out = text;
  for (size_t at = out.find(found); at != std::string::npos; at = out.find(found, at + named.size()))
    out.replace(at, found.size(), named);
  return out;
}

std::string add_source(const std::string& text, const std::string& source, bool phony) {
  const size_t at = files_begin(text);
  if (at == std::string::npos) return text;
  std::string out = text;
  if (const std::string first = first_file(text, at); phony && !first.empty()) out += first + ":\n";
  return out.insert(at, " " + make_word(source));
}

}  // namespace einkorn::cli
