#include "cli/record_limits.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <regex>

#include "profile/line_code.h"

namespace einkorn::cli {

void RecordLimits::add_options(CLI::App& verb) {
  verb.add_option("--depth", depth,
                  "Tasks nested deeper than N are counted at their ancestor of depth N, not recorded one by one")
      ->type_name("N");
  verb.add_option(
          "--filter", filters,
          "Tasks of this line, with all below them, and its chunks are counted, not recorded one by one; may be repeated")
      ->type_name("FILE:LINE")
      ->expected(1);
  verb.add_option("--last", last, "Keep only the latest seconds of the run, in memory until it ends: 5s, 500ms, 2m")
      ->type_name("TIME");
  verb.add_option("--max-size", max_size,
                  "Approximate largest size of the recording; later grains are only counted: 200M, 2G")
      ->type_name("SIZE");
  verb.add_flag("--roi", roi,
                "Record nothing before the program calls omp_control_tool(omp_control_tool_start, 0, NULL)");
}

uint64_t RecordLimits::most_bytes() const {
  if (max_size.empty()) return 0;
  const auto number = strtoull(max_size.c_str(), nullptr, 10);
  switch (toupper(static_cast<unsigned char>(max_size.back()))) {
    case 'K': return number << 10;
    case 'M': return number << 20;
    case 'G': return number << 30;
    default: return number;
  }
}

std::string RecordLimits::check() const {
  auto is = [](const std::string& text, const char* pattern) {
    return text.empty() || std::regex_match(text, std::regex(pattern));
  };
  if (!is(depth, "[0-9]{1,9}")) return fmt::format("--depth {}: not a number of tasks, such as 12.", depth);
  if (!is(last, "[1-9][0-9]{0,8}(s|ms|m)?"))
    return fmt::format("--last {}: not a time, such as 5s, 500ms or 2m.", last);
  if (!is(max_size, "[1-9][0-9]{0,11}[KMGkmg]?"))
    return fmt::format("--max-size {}: not a size, such as 200M or 2G.", max_size);
  for (const std::string& f : filters)
    if (f.empty() || !is(f, "[^,=]+:[1-9][0-9]{0,8}"))
      return fmt::format("--filter {}: not a source line such as sort.c:142.", f);
  return "";
}

std::vector<std::pair<std::string, std::string>> RecordLimits::environment(const std::string& program,
                                                                           std::string& wrong) const {
  std::vector<std::pair<std::string, std::string>> all;
  if (!depth.empty()) all.emplace_back("EINKORN_RECORD_DEPTH", depth);
  if (!last.empty()) all.emplace_back("EINKORN_RECORD_LAST", last);
  if (!max_size.empty()) all.emplace_back("EINKORN_RECORD_MAX_SIZE", max_size);
  if (roi) all.emplace_back("EINKORN_RECORD_ROI", "true");
  std::string list;
  for (const std::string& f : filters) {
    const size_t colon = f.rfind(':');
    const profile::LineCode code =
        profile::code_of_line(program, f.substr(0, colon), uint32_t(std::stoul(f.substr(colon + 1))));
    if (code.ranges.empty()) {
      wrong =
          code.has_lines
              ? fmt::format(
                    "--filter {}: {} has no code of that line. Give the lines of directives as the report has them.", f,
                    program)
              : fmt::format("--filter {}: {} has no line information. Compile it with -g.", f, program);
      return {};
    }
    list += (list.empty() ? "" : ",") + f;
    for (size_t i = 0; i < code.ranges.size(); ++i)
      list += fmt::format("{}{:x}-{:x}", i ? '+' : '=', code.ranges[i].first, code.ranges[i].second);
    for (size_t i = 0; i < code.functions.size(); ++i)
      list += fmt::format("{}{:x}-{:x}", i ? '+' : '~', code.functions[i].first, code.functions[i].second);
  }
  if (!list.empty()) all.emplace_back("EINKORN_RECORD_FILTER", list);
  return all;
}

}  // namespace einkorn::cli
