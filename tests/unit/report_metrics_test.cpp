// docs/metrics.md and the table of metrics say the same; the schema knows every metric that the report may have.
#include <gtest/gtest.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include "profile/metrics.h"
#include "report/findings/findings.h"
#include "report/json/metrics.h"
#include "report/text/metrics_page.h"

using namespace einkorn;
using nlohmann::json;

namespace {

const std::filesystem::path kDocs = EINKORN_DOCS;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

TEST(MetricsPage, IsUpToDate) {
  const auto page = kDocs / "metrics.md";
  if (getenv("EINKORN_WRITE_DOCS")) std::ofstream(page, std::ios::binary) << report::metrics_page();
  EXPECT_EQ(text_of(page), report::metrics_page())
      << "write it again: EINKORN_WRITE_DOCS=1 build/bin/test_report --gtest_filter=MetricsPage.*";
}

TEST(MetricsTable, IsWhole) {
  std::set<std::string> keys;
  for (const profile::MetricInfo& i : profile::metrics_table()) {
    EXPECT_TRUE(keys.insert(i.key).second) << i.key;
    EXPECT_FALSE(std::string(i.definition).empty() || std::string(i.origin).empty()) << i.key;
    EXPECT_EQ(i.level() == profile::MetricLevel::grain, i.kinds != 0) << i.key;
    EXPECT_EQ(i.bad == profile::BadSide::none, std::isnan(i.threshold)) << i.key;
    EXPECT_EQ(i.bad == profile::BadSide::none, std::string(i.threshold_reason).empty()) << i.key;
  }
}

TEST(MetricsTable, TheSchemaHasThemAll) {
  const json schema = json::parse(text_of(kDocs / "report-schema.json"));
  const json& program = schema["properties"]["metrics"]["properties"];
  const json& source = schema["properties"]["sources"]["items"]["properties"]["metrics"]["properties"];
  size_t of_program = 0, of_source = 0;
  for (const profile::MetricInfo& i : profile::metrics_table()) {
    const std::string name = std::string(i.key) + (std::string(i.unit) == "ns" ? "_seconds" : "");
    if (i.level() == profile::MetricLevel::program) {
      ++of_program;
      EXPECT_TRUE(program.contains(name)) << name;
    } else if (i.level() == profile::MetricLevel::source || report::summed_up(i.metric)) {
      ++of_source;
      EXPECT_TRUE(source.contains(name)) << name;
    }
  }
  EXPECT_EQ(program.size(), of_program);
  EXPECT_EQ(source.size(), of_source);
}

TEST(ReportSchema, HasTheKindsAndStatesThatThereAre) {
  const json schema = json::parse(text_of(kDocs / "report-schema.json"));
  const json& kinds = schema["properties"]["problems"]["items"]["properties"]["kind"]["enum"];
  EXPECT_EQ(std::set<std::string>(kinds.begin(), kinds.end()),
            std::set<std::string>(std::begin(report::kProblemKindNames), std::end(report::kProblemKindNames)));
  std::set<std::string> states;
  for (const auto& state : schema["$defs"]["states"]["properties"].items()) states.insert(state.key());
  EXPECT_EQ(states.erase("inflation"), 1u);  // no state of a thread: a part of its work, beside a baseline
  EXPECT_EQ(states, std::set<std::string>(std::begin(profile::kStateNames), std::end(profile::kStateNames)));
}
