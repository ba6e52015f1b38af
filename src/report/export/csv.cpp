// The grain table as comma-separated values (RFC 4180), with one line of names. What is absent is empty.
#include <cmath>
#include <string_view>
#include <fmt/format.h>
#include "report/export/export.h"
#include "report/output_file.h"
#include "report/table.h"

namespace einkorn::report {
namespace {

// A text that a spreadsheet would take for a formula gets an apostrophe in front, which spreadsheets do not show: a
// formula can send the table to somebody, and names come from the recorded program.
std::string quoted(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t\r\n").find(text[0]) != std::string_view::npos) text.insert(0, 1, '\'');
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

void append(const profile::Profile& p, const Column& c, const std::vector<std::string>& texts, size_t row,
            std::string& out) {
  switch (c.type) {
    case ColumnType::integer:
      if (int64_t v = c.integer(row); v != kNoInteger) fmt::format_to(std::back_inserter(out), "{}", v);
      return;
    case ColumnType::boolean:
      if (int64_t v = c.integer(row); v != kNoInteger) out += v ? "true" : "false";
      return;
    case ColumnType::real:
      if (float v = c.real(row); !std::isnan(v)) fmt::format_to(std::back_inserter(out), "{}", v);
      return;
    case ColumnType::text:
      if (uint32_t code = c.code(row); code != profile::kNone) out += texts[code];
      return;
    case ColumnType::id:
      if (c.integer(row) != kNoInteger) append_id(p.grains[row], out);
      return;
  }
}

}  // namespace

std::string export_csv(const profile::Profile& p, ExportOptions& options) {
  OutputFile file;
  if (!file.open(options.out)) return file.error();
  const profile::Metrics metrics = table_metrics(p, options.baseline);
  const Table table = grain_table(p, metrics);
  std::vector<std::vector<std::string>> texts(table.columns.size());
  std::string text;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    text += (c ? "," : "") + table.columns[c].name;
    for (const std::string& t : table.columns[c].texts) texts[c].push_back(quoted(t));
  }
  text += '\n';
  for (size_t row = 0; row < table.rows && file.good(); ++row) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (c) text += ',';
      append(p, table.columns[c], texts[c], row, text);
    }
    text += '\n';
    if (text.size() < 1 << 16) continue;
    file.write(text);
    text.clear();
    if (options.progress) options.progress(double(row) / double(table.rows));
  }
  file.write(text);
  file.commit();
  return file.error();
}

}  // namespace einkorn::report
