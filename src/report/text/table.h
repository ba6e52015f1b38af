// Columns for a terminal.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>
#include <fmt/format.h>
#include "report/wording.h"

namespace einkorn::report {

// Where colours are wanted.
inline constexpr const char* kBold = "\x1b[1m";
inline constexpr const char* kPlain = "\x1b[0m";

// A column is as wide as its widest cell.
class TextTable {
 public:
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // `align`: one letter a column, 'l' or 'r'.
  void print(std::string& out, std::string_view align) const {
    std::vector<size_t> width(align.size(), 0);
    for (const auto& r : rows_)
      for (size_t c = 0; c < r.size(); ++c) width[c] = std::max(width[c], r[c].size());
    for (const auto& r : rows_) {
      std::string line;
      for (size_t c = 0; c < r.size(); ++c)
        line += fmt::format(fmt::runtime(align[c] == 'l' ? "  {:<{}}" : "  {:>{}}"), r[c], width[c]);
      out += line.erase(line.find_last_not_of(' ') + 1) + '\n';
    }
  }
  size_t width_of(size_t column) const {
    size_t w = 0;
    for (const auto& r : rows_) w = std::max(w, column < r.size() ? r[column].size() : 0);
    return w;
  }
  size_t columns() const { return rows_.empty() ? 0 : rows_[0].size(); }
  // Names are cut in their middle. `width` is at least 8.
  void cut(size_t column, size_t width) {
    for (auto& r : rows_) r[column] = shortened(r[column], width);
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace einkorn::report
