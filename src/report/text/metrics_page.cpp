#include "report/text/metrics_page.h"
#include <algorithm>
#include <fmt/format.h>
#include "machine/text.h"
#include "profile/metrics.h"

namespace einkorn::report {
namespace {

using profile::BadSide;
using profile::GrainKind;
using profile::MetricInfo;
using profile::MetricLevel;
using profile::ThresholdOf;

std::string kinds(const MetricInfo& i) {
  std::string out;
  for (GrainKind k : {GrainKind::task, GrainKind::chunk, GrainKind::share})
    if (i.applies_to(k)) out += fmt::format("{}{}s", out.empty() ? "" : ", ", profile::kGrainKindNames[size_t(k)]);
  return out;
}

std::string threshold(const MetricInfo& i) {
  if (i.bad == BadSide::none) return "";
  const std::string value = i.threshold_of == ThresholdOf::threads_used ? "the number of threads"
                            : i.threshold_of == ThresholdOf::a_node     ? "10, or the CPUs of a node"
                                                                        : fmt::format("{:g}", i.threshold);
  return fmt::format("{} {}", i.bad == BadSide::below ? "below" : "above", value);
}

constexpr size_t kColumns = 120;

std::string line(const char* what, const std::string& value) {
  return value.empty() ? "" : machine::wrapped(fmt::format("- {}: {}", what, value), kColumns, 2);
}

}  // namespace

std::string metrics_page() {
  std::string out =
      "# Metrics\n\n" +
      machine::wrapped(
          "The metrics that Einkorn computes from a recording, besides the times that it measured. A metric that "
          "cannot be computed is absent, never zero. The thresholds are defaults; values on their wrong side are "
          "shown as problems. This page is made from the table in `src/profile/metrics_table.cpp`.",
          kColumns) +
      "\nThe median of an even number of values is the mean of the middle two.\n";
  constexpr const char* kTitles[] = {"Of each grain", "Of each source line", "Of the program"};
  const MetricInfo* before = nullptr;
  for (const MetricInfo& i : profile::metrics_table()) {
    if (!before || before->level() != i.level()) out += fmt::format("\n## {}\n", kTitles[size_t(i.level())]);
    before = &i;
    std::string name = i.name;
    if (!name.empty()) name[0] = char(toupper(name[0]));
    out +=
        fmt::format("\n### {}\n\n{}\n", name, machine::wrapped(fmt::format("`{}`. {}", i.key, i.definition), kColumns));
    out += line("unit", *i.unit ? i.unit : "none, a ratio");
    out += line("has it", kinds(i));
    out += line("problem", threshold(i) + (*i.threshold_reason ? fmt::format(". {}", i.threshold_reason) : ""));
    out += line("from", i.origin);
  }
  return out;
}

}  // namespace einkorn::report
