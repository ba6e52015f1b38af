// Several recordings of one program: the spread of each figure.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/repeated.h"
#include "report/validity.h"
#include "report_profiles.h"

namespace {

using namespace einkorn::report;
using namespace einkorn::report_test;

Profile run(int64_t wall, std::initializer_list<int64_t> grains, bool other_line = false, uint32_t threads = 2) {
  Builder b(wall, threads);
  uint32_t task = b.source("/src/a.c", 12, "task", "f"), other = b.source("/src/a.c", 20, "task", "g");
  for (int64_t ns : grains) b.grain(GrainKind::task, 0, task, ns);
  if (other_line) b.grain(GrainKind::task, 0, other, 5 * us);
  b.p.thread_time[size_t(State::work)] = wall;
  b.p.times_valid = true;
  return b.p;
}

TEST(Spread, ByHand) {
  Spread s;
  EXPECT_EQ(s.deviation(), -1);
  for (double v : {2, 4, 4, 4, 5, 5, 7, 9}) s.add(v);
  EXPECT_DOUBLE_EQ(s.mean, 5);
  EXPECT_DOUBLE_EQ(s.deviation(), std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(s.percent_of_least(), 50 * std::sqrt(32.0 / 7));
  EXPECT_EQ(s.least, 2);
  EXPECT_EQ(s.most, 9);
  Spread one;
  one.add(3);
  EXPECT_EQ(one.deviation(), -1);
  EXPECT_EQ(one.percent_of_least(), -1);
  Spread same;  // of large numbers that hardly differ
  for (double v : {1e15, 1e15 + 2, 1e15 + 4}) same.add(v);
  EXPECT_DOUBLE_EQ(same.deviation(), 2);
}

TEST(Repeated, FiguresAndLines) {
  Repeated r;
  std::string why;
  ASSERT_TRUE(r.add("1.grain", run(10 * ms, {1 * ms, 3 * ms}), &why));
  ASSERT_TRUE(r.add("2.grain", run(14 * ms, {2 * ms, 4 * ms, 6 * ms}, true), &why));
  ASSERT_TRUE(r.add("3.grain", run(12 * ms, {2 * ms, 2 * ms}), &why));
  const auto j = nlohmann::json::parse(r.json());
  EXPECT_EQ(j["recordings"].size(), 3u);
  EXPECT_DOUBLE_EQ(j["figures"]["wall_seconds"]["mean"], 0.012);
  EXPECT_DOUBLE_EQ(j["figures"]["wall_seconds"]["standard_deviation"], 0.002);
  EXPECT_DOUBLE_EQ(j["figures"]["wall_seconds"]["percent_of_least"], 20);
  EXPECT_DOUBLE_EQ(j["figures"]["thread_time"]["work"]["mean"], 0.012);
  ASSERT_EQ(j["lines"].size(), 2u);
  const auto& line = j["lines"][0];
  EXPECT_EQ(line["line"], 12);
  EXPECT_DOUBLE_EQ(line["grains"]["mean"], 7.0 / 3);
  EXPECT_DOUBLE_EQ(line["exec_seconds"]["mean"], 0.02 / 3);
  EXPECT_DOUBLE_EQ(line["exec_seconds"]["most"], 0.012);
  EXPECT_DOUBLE_EQ(line["exec_seconds"]["least"], 0.004);
  // In one recording alone: no deviation, and no zeros for the others.
  EXPECT_EQ(j["lines"][1]["exec_seconds"]["recordings"], 1);
  EXPECT_DOUBLE_EQ(j["lines"][1]["exec_seconds"]["least"], 5e-6);
  EXPECT_FALSE(j["lines"][1]["exec_seconds"].contains("standard_deviation"));
  const std::string text = r.text({}, 1);
  EXPECT_NE(text.find("3 recordings of ./sort, 2 threads"), std::string::npos) << text;
  EXPECT_NE(text.find("20.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("a.c:12"), std::string::npos) << text;
  EXPECT_NE(text.find("1 more line"), std::string::npos) << text;
}

TEST(Repeated, TimesThatAreNotValidAreLeftOutAndSaid) {
  Repeated r;
  std::string why;
  Profile busy = run(90 * ms, {80 * ms, 9 * ms});
  busy.times_valid = false;
  busy.totals.complete = false;
  ASSERT_TRUE(r.add("a.grain", run(10 * ms, {1 * ms}), &why));
  ASSERT_TRUE(r.add("busy.grain", busy, &why));
  const auto j = nlohmann::json::parse(r.json());
  EXPECT_DOUBLE_EQ(j["figures"]["wall_seconds"]["mean"], 0.01);
  EXPECT_EQ(j["figures"]["tasks"]["recordings"], 2);
  EXPECT_EQ(j["lines"][0]["grains"]["recordings"], 2);
  EXPECT_EQ(j["lines"][0]["exec_seconds"]["recordings"], 1);
  EXPECT_NE(r.text({}, 9).find("The times of busy.grain are not valid"), std::string::npos);
  EXPECT_NE(r.text({}, 9).find("busy.grain is not complete"), std::string::npos);
}

// A host moves a virtual machine's CPUs.
TEST(Repeated, SaysWhereCpusWereAtOtherDistances) {
  Repeated r;
  std::string why;
  auto with_line = [](double ns) {
    Profile p = run(10 * ms, {1 * ms});
    p.costs.line_now = ns;
    return p;
  };
  for (double ns : {-1.0, 45.0, 70.0}) ASSERT_TRUE(r.add("near.grain", with_line(ns), &why));
  EXPECT_EQ(r.text({}, 9).find("cache line"), std::string::npos);
  ASSERT_TRUE(r.add("far.grain", with_line(180), &why));
  EXPECT_NE(
      r.text({}, 9).find("A cache line took 45 ns from one CPU to another before one recording, 180 ns before another"),
      std::string::npos)
      << r.text({}, 9);
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(r.json())["recordings"][3]["line_seconds"], 180e-9);
  EXPECT_NE(cpus_moved(180, 45), "");
  EXPECT_EQ(cpus_moved(45, -1), "");
}

TEST(Repeated, OnlyTheSameRun) {
  Repeated r;
  std::string why;
  ASSERT_TRUE(r.add("a.grain", run(10 * ms, {1 * ms}), &why));
  Profile other = run(10 * ms, {1 * ms});
  other.program = "/usr/bin/other";
  EXPECT_FALSE(r.add("b.grain", other, &why));
  EXPECT_NE(why.find("of one program"), std::string::npos);
  EXPECT_FALSE(r.add("c.grain", run(10 * ms, {1 * ms}, false, 4), &why));
  EXPECT_NE(why.find("4 threads"), std::string::npos);
  other = run(10 * ms, {1 * ms});
  other.program = "/elsewhere/sort";
  EXPECT_TRUE(r.add("d.grain", other, &why));
}

}  // namespace
