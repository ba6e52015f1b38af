#include "cli/response_file.h"

#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>

namespace einkorn::cli {

namespace {

constexpr int kMostExpansions = 2000;  // as gcc has it, for files that name themselves

std::optional<std::string> text_of_response(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text((std::istreambuf_iterator<char>(file)), {});
  return file.bad() ? std::nullopt : std::optional(text);
}

void expand_into(std::vector<std::string>& out, const std::vector<std::string>& words, int* left, bool* any) {
  for (const std::string& word : words) {
    std::optional<std::string> text;
    if (word.size() > 1 && word[0] == '@' && *left > 0) text = text_of_response(word.substr(1));
    if (!text) {
      out.push_back(word);
      continue;
    }
    *any = true, --*left;
    expand_into(out, response_words(*text), left, any);
  }
}

}  // namespace

std::vector<std::string> response_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && at + 1 < text.size()) {
      word += text[++at], inside = true;
    } else if (quote) {
      if (c == quote) quote = 0;
      else word += c;
    } else if (c == '\'' || c == '"') {
      quote = c, inside = true;
    } else if (isspace(static_cast<unsigned char>(c))) {
      if (inside) words.push_back(word);
      word.clear(), inside = false;
    } else {
      word += c, inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

std::string response_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (word.empty()) text += "\"\"";
    for (const char c : word) {
      if (isspace(static_cast<unsigned char>(c)) || c == '\\' || c == '\'' || c == '"') text += '\\';
      text += c;
    }
    text += '\n';
  }
  return text;
}

std::vector<std::string> expand_response_files(const std::vector<std::string>& words, bool* any) {
  std::vector<std::string> out;
  int left = kMostExpansions;
  *any = false;
  expand_into(out, words, &left, any);
  return out;
}

}  // namespace einkorn::cli
