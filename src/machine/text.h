// Messages put together without iostream and without exceptions; names that were nearly right.
#pragma once
#include <string>

namespace einkorn::machine {

// As printf, into a string.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

// The same with ? for each byte that is not part of well-formed UTF-8: file names may hold anything, JSON and SVG may
// not.
std::string utf8(const std::string& s);

// Number of single-letter changes from a to b (Levenshtein).
int edits(const std::string& a, const std::string& b);

// Keeps the name that is nearest to `wanted` of all that it is told; within two changes, or a third of the letters.
class Nearest {
 public:
  explicit Nearest(const std::string& wanted) : wanted_(wanted), least_(int(wanted.size()) / 3 + 1) {
    if (least_ < 3) least_ = 3;
  }
  void offer(const std::string& name) {
    int d = edits(wanted_, name);
    if (d < least_) least_ = d, name_ = name;
  }
  // " Did you mean "name"?", or nothing.
  std::string question() const { return name_.empty() ? "" : " Did you mean \"" + name_ + "\"?"; }

 private:
  std::string wanted_, name_;
  int least_;
};

// Contents of a file of at most `most` bytes. false: *why says what is wrong ("cannot be opened: No such file or
// directory").
bool read_whole(const std::string& path, size_t most, std::string* out, std::string* why);

}  // namespace einkorn::machine
