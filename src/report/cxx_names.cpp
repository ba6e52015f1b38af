#include "report/cxx_names.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace einkorn::report {

namespace {

constexpr std::string_view kAnonymous = "anonymous namespace", kOperator = "operator", kLambda = "{lambda";

bool is_word(char c) { return c == '_' || isalnum(uint8_t(c)) || uint8_t(c) >= 0x80; }

// The end of an operator's own characters, which are no brackets, where a name of one begins; else `at`.
size_t after_operator(std::string_view s, size_t at) {
  if (s.compare(at, kOperator.size(), kOperator) != 0 || (at > 0 && is_word(s[at - 1]))) return at;
  size_t end = at + kOperator.size();
  if (s.compare(end, 2, "()") == 0 || s.compare(end, 2, "[]") == 0) return end + 2;
  while (end < s.size() && strchr("<>=!+-*/%&|^~,", s[end])) ++end;
  return end;
}

// Behind the bracket that closes the one at `open`; 0: there is none.
size_t after_group(std::string_view s, size_t open) {
  std::string closing;
  for (size_t at = open; at < s.size();) {
    if (const size_t end = after_operator(s, at); end != at) {
      at = end;
      continue;
    }
    const char c = s[at];
    if (s.compare(at, 2, "->") == 0) ++at;  // of a type behind parameters
    else if (c == '<') closing += '>';
    else if (c == '(') closing += ')';
    else if (c == '{') closing += '}';
    else if (c == '[') closing += ']';
    else if (strchr(">)}]", c)) {
      if (c != closing.back()) return 0;
      closing.pop_back();
    }
    ++at;
    if (closing.empty()) return at;
  }
  return 0;
}

// Text, or a group with its brackets.
struct Piece {
  char kind;  // the bracket that opens it; 0: text
  std::string text;
};
using Component = std::vector<Piece>;  // between two ::

struct Steps {
  bool parameters = false, short_lambdas = false;
  size_t qualifiers = SIZE_MAX;  // so many components stay, not counting lambdas
  int deepest = INT32_MAX;       // arguments further inside are ..
  size_t longest = SIZE_MAX;     // an argument without a function that is longer is ..
  size_t own = SIZE_MAX;         // letters of the outermost names
};

bool split(std::string_view s, std::vector<Component>* out) {
  out->assign(1, {});
  std::string text;
  const auto end_text = [&] {
    if (!text.empty()) out->back().push_back({0, std::move(text)});
    text.clear();
  };
  for (size_t at = 0; at < s.size();) {
    size_t end = after_operator(s, at);
    if (end != at) {
      text += s.substr(at, end - at);
    } else if (s.compare(at, 2, "::") == 0) {
      end = at + 2;
      end_text();
      out->emplace_back();
    } else if (strchr("<({[", s[at])) {
      if (!(end = after_group(s, at))) return false;
      end_text();
      out->back().push_back({s[at], std::string(s.substr(at, end - at))});
    } else {
      if (strchr(">)}]", s[at]) && !(at > 0 && s[at - 1] == '-')) return false;
      end = at + 1;
      text += s[at];
    }
    at = end;
  }
  end_text();
  return true;
}

// A function that the compiler has made, and that says nothing without the one around it.
bool is_lambda(const Component& c) {
  return !c.empty() && (c[0].kind == '{' || c[0].text.compare(0, 10, "operator()") == 0 ||
                        c[0].text.compare(0, 2, "$_") == 0 || c[0].text[0] == '\'');
}
// Of arguments only those that name a function tell loops apart.
bool names_function(std::string_view s) { return s.find('{') != s.npos || s.find('(') != s.npos; }

bool render(std::string_view name, const Steps& steps, int depth, std::string* out);

bool render_arguments(std::string_view s, const Steps& steps, int depth, std::string* out) {
  std::vector<std::string> shown;
  s = s.substr(1, s.size() - 2);
  for (size_t begin = 0, at = 0; at <= s.size();) {
    if (at < s.size() && s[at] != ',') {
      size_t end = after_operator(s, at);
      if (end == at) end = strchr("<({[", s[at]) ? after_group(s, at) : at + 1;
      if (end == 0) return false;
      at = end;
      continue;
    }
    std::string_view argument = s.substr(begin, at - begin);
    while (!argument.empty() && argument.front() == ' ') argument.remove_prefix(1);
    while (!argument.empty() && argument.back() == ' ') argument.remove_suffix(1);
    std::string one;
    const bool dull = !names_function(argument);
    if ((depth >= steps.deepest && dull) || (dull && argument.size() > steps.longest)) one = "..";
    else if (!render(argument, steps, depth + 1, &one)) return false;
    if (one != ".." || shown.empty() || shown.back() != "..") shown.push_back(std::move(one));
    begin = ++at;
  }
  *out += '<';
  for (size_t i = 0; i < shown.size(); ++i) *out += (i ? ", " : "") + shown[i];
  *out += '>';
  return true;
}

std::string rendered_lambda(const std::string& text, const Steps& steps) {
  if (text.compare(0, kLambda.size(), kLambda) != 0 || !steps.parameters) return text;
  const size_t number = text.rfind('#');
  if (number == text.npos) return text;
  return (steps.short_lambdas ? "{" : std::string(kLambda)) + text.substr(number);
}

bool render(std::string_view name, const Steps& steps, int depth, std::string* out) {
  std::vector<Component> components;
  if (!split(name, &components)) return false;
  size_t first = components.size(), named = 0;
  while (first > 0 && named < steps.qualifiers) named += !is_lambda(components[--first]);
  for (size_t i = first; i < components.size(); ++i) {
    if (i > first) *out += "::";
    for (const Piece& p : components[i]) {
      if (p.kind == '<') {
        if (!render_arguments(p.text, steps, depth, out)) return false;
      } else if (p.kind == '(' && steps.parameters && p.text.substr(1, p.text.size() - 2) != kAnonymous) {
        *out += "()";
      } else if (p.kind == '{') {
        *out += rendered_lambda(p.text, steps);
      } else {
        *out += depth == 0 && p.kind == 0 && p.text.size() > steps.own ? without_middle(p.text, steps.own) : p.text;
      }
    }
  }
  return true;
}

// The lengths of arguments that could go, the longest first.
std::vector<size_t> lengths_of_arguments(std::string_view name) {
  std::vector<size_t> out;
  size_t length = 0;
  for (const char c : name) {
    if (!strchr("<>,", c)) ++length;
    else if (length > 0) out.push_back(std::exchange(length, 0));
  }
  for (size_t n = 64; n < name.size(); n *= 2) out.push_back(n);
  std::sort(out.rbegin(), out.rend());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::string without_middle(const std::string& text, size_t width) {
  if (text.size() <= width) return text;
  size_t begin = (width - 2 + 1) / 2, end = text.size() - (width - 2) / 2;
  const auto inside = [&](size_t at) {  // of a character of several bytes
    return at < text.size() && (uint8_t(text[at]) & 0xc0) == 0x80;
  };
  while (begin > 0 && inside(begin)) --begin;
  while (inside(end)) ++end;
  return text.substr(0, begin) + ".." + text.substr(end);
}

std::string shorter_cxx_name(const std::string& name, size_t width) {
  if (name.size() <= width || !strpbrk(name.c_str(), ":<(")) return name;
  Steps steps;
  std::string shown = name;
  const auto fits = [&] {
    std::string next;
    if (!render(name, steps, 0, &next)) return true;
    if (next.size() < shown.size()) shown = std::move(next);
    return shown.size() <= width;
  };
  steps.parameters = true;
  if (fits()) return shown;
  steps.qualifiers = 2;
  if (fits()) return shown;
  for (const int depth : {2, 1}) {
    steps.deepest = depth;
    if (fits()) return shown;
  }
  for (const size_t length : lengths_of_arguments(name)) {
    steps.longest = length - 1;
    if (fits()) return shown;
  }
  steps.qualifiers = 1;
  if (fits()) return shown;
  steps.short_lambdas = true;
  if (fits()) return shown;
  constexpr size_t kLeast = 8;
  for (steps.own = width; steps.own > kLeast;) {
    --steps.own;
    if (fits()) return shown;
  }
  return shown;
}

}  // namespace einkorn::report
