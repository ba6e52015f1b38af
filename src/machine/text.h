// Formatting of messages without iostream and without exceptions; suggestions for misspelt names.
#pragma once
#include <string>
#include <string_view>
#include "base/printable.h"

namespace einkorn::machine {

// As printf, into a string.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

// Words in lines of at most `width`, the further ones behind so many spaces; with a line end.
std::string wrapped(std::string_view s, size_t width, size_t indent = 0);

// For the text and the attributes of XML and HTML: < > & and the quotation mark as entities; what no terminal may get
// (base/printable.h) as '?', but for line ends and tabs.
std::string markup(std::string_view s);

// Number of single-letter changes from a to b (Levenshtein).
int edits(const std::string& a, const std::string& b);

// Keeps the name nearest to `wanted` among those that it is offered, within two changes or a third of the letters.
class Nearest {
 public:
  explicit Nearest(const std::string& wanted) : wanted_(wanted), least_(int(wanted.size()) / 3 + 1) {
    if (least_ < 3) least_ = 3;
  }
  void offer(const std::string& name) {
    int d = edits(wanted_, name);
    if (d < least_) least_ = d, name_ = name;
  }
  const std::string& name() const { return name_; }  // empty: none is near
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
