// What the page gets besides the graph: states over time, rounded metrics.
#include <gtest/gtest.h>
#include <bit>
#include <cmath>
#include "profile/state_bins.h"
#include "report/locality.h"
#include "report/page/allocations.h"
#include "report/page/metrics.h"
#include "report_profiles.h"

namespace einkorn {
namespace {

using profile::State;

float in_state(const std::vector<profile::StateBin>& bins, State s) {
  float sum = 0;
  for (const auto& b : bins) sum += b[size_t(s)];
  return sum;
}

TEST(StateBins, KeepsEveryNanosecondWhateverTheLength) {
  profile::StateBinsBuilder builder;
  const int64_t end = 50'000'000;  // more than the first bins cover: they are put together on the way
  for (int64_t t = 0; t < end; t += 50'000) {
    builder.add(0, State::work, t, t + 40'000);
    builder.add(0, State::idle, t + 40'000, t + 50'000);
  }
  builder.add(2, State::overhead, 1'000, 3'000);
  const profile::StateBins t = builder.finish(4, end);
  ASSERT_EQ(t.threads.size(), 4u);
  EXPECT_EQ(t.bin_ns, 32'768);  // 50 ms in at most 2048 bins
  EXPECT_LE(t.threads[0].size(), profile::kMostStateBins);
  EXPECT_NEAR(in_state(t.threads[0], State::work), 40e6, 100);
  EXPECT_NEAR(in_state(t.threads[0], State::idle), 10e6, 100);
  EXPECT_NEAR(in_state(t.threads[2], State::overhead), 2'000, 1);
  EXPECT_TRUE(t.threads[1].empty());
  EXPECT_TRUE(t.threads[3].empty());
  for (const auto& bin : t.threads[0]) {
    float sum = 0;
    for (const float f : bin) sum += f;
    EXPECT_LE(sum, float(t.bin_ns) * 1.001f);
  }
}

TEST(StateBins, TellsWhere) {
  profile::StateBinsBuilder builder;
  builder.add(0, State::work, 1024 * 3 + 512, 1024 * 5);
  const profile::StateBins t = builder.finish(1, 1024 * 8);
  ASSERT_EQ(t.bin_ns, 1024);
  EXPECT_EQ(t.threads[0][3][size_t(State::work)], 512);
  EXPECT_EQ(t.threads[0][4][size_t(State::work)], 1024);
  EXPECT_EQ(t.threads[0][2][size_t(State::work)], 0);
}

TEST(PageMetrics, RoundingKeepsFourDigitsAndTheSideOfTheThreshold) {
  for (float v = 1e-6f; v < 1e12f; v *= 1.7f) EXPECT_NEAR(report::rounded(v, 1) / v, 1, 3e-4) << v;
  const float just_below = std::nextafter(1.0f, 0.0f), just_above = std::nextafter(1.0f, 2.0f);
  EXPECT_LT(report::rounded(just_below, 1), 1);
  EXPECT_GT(report::rounded(just_above, 1), 1);
  EXPECT_EQ(report::rounded(1, 1), 1);
  EXPECT_LT(report::rounded(std::nextafter(0.1f, 0.0f), double(0.1f)), 0.1f);
  EXPECT_EQ(report::rounded(0, 1), 0);
  EXPECT_EQ(report::rounded(-5, 1), -5);
  EXPECT_EQ(std::bit_cast<uint32_t>(report::rounded(NAN, 1)), 0xffffffffu);
}

TEST(PageAllocations, TellWhereBlocksLieAndWhatToDo) {
  report_test::Builder b(1'000'000, 2);
  EXPECT_TRUE(report::page_allocations(b.p).is_null());
  const uint32_t line = b.source("cg.c", 41, "allocation", "main");
  const uint32_t variable = b.source("", 0, "variable", "grid");
  b.p.allocations = {{line, 3, 9'000'000, 4'000'000, {10, 0, 90}},
                     {variable, 1, 2'000'000, 2'000'000, std::vector<uint64_t>(1024, 5)},
                     {profile::kNone, 1, 1'000'000, 1'000'000, {}},
                     {line, 1, 1'000'000, 1'000'000, {0, 0}}};
  const auto advice = [&] {
    const report::Locality where = report::locality(b.p);
    return report::one_node_advice(b.p, where, report::on_one_node(b.p, where));
  };
  b.p.grains[0].node = 0;
  nlohmann::json out = report::page_allocations(b.p);
  EXPECT_EQ(out["lines"][0], (nlohmann::json{{"source", line},
                                             {"blocks", 3},
                                             {"bytes", 9'000'000},
                                             {"largest", 4'000'000},
                                             {"on", {{{"node", 2}, {"share", 0.9}}, {{"node", 0}, {"share", 0.1}}}}}));
  EXPECT_EQ(out["lines"][1]["on"].size(), 8u);
  EXPECT_EQ(out["lines"][1]["on"][7]["node"], 7);
  EXPECT_EQ(out["lines"][1]["others"], (nlohmann::json{{"nodes", 1016}, {"share", 1016.0 / 1024}}));
  for (const int unknown : {2, 3}) EXPECT_FALSE(out["lines"][unknown].contains("on"));
  EXPECT_FALSE(out["lines"][2].contains("source"));
  EXPECT_FALSE(out.contains("advice"));  // grains ran on one node

  b.grain(profile::GrainKind::task, 0, line, 1'000);
  b.p.grains[1].node = 1;
  out = report::page_allocations(b.p);
  EXPECT_EQ(out["advice"], advice());
  EXPECT_EQ(out["advice"].get<std::string>().rfind("Grains ran on 2 nodes, and the blocks of 1 line lie on one. ", 0),
            0u);
  EXPECT_EQ(out["lines"][0]["one_node"], true);
  EXPECT_FALSE(out["lines"][1].contains("one_node"));
  b.p.allocations[1].on = {7};
  EXPECT_NE(advice().find("the blocks of 1 line and 1 variable lie on one."), std::string::npos);
  b.p.allocations[0].on = {};
  EXPECT_NE(advice().find("Grains ran on 2 nodes, and 1 variable lies on one."), std::string::npos);
}

}  // namespace
}  // namespace einkorn
