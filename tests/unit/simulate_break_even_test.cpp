// Break-even of page moves: Schmidl 2016, table 3.2, and what models do not say.
#include <gtest/gtest.h>

#include "machine/load.h"
#include "simulate/break_even.h"

namespace {

using namespace einkorn::simulate;

einkorn::machine::Machine model(const std::string& text) {
  einkorn::machine::Machine m;
  std::string why;
  EXPECT_TRUE(einkorn::machine::load_model_text(text, "m.json", &m, &why)) << why;
  return m;
}

TEST(BreakEven, SchmidlsTable) {
  // us: overhead of the move, then access before and after it.
  EXPECT_EQ(uses_to_pay(1.295, 0.204, 0.102), 13);
  EXPECT_EQ(uses_to_pay(15.593, 0.204, 0.102), 153);
  EXPECT_EQ(uses_to_pay(14.458, 0.334, 0.047), 51);
  EXPECT_EQ(uses_to_pay(73.939, 0.334, 0.047), 258);
  EXPECT_EQ(uses_to_pay(1.295, 0.141, 0.102), 34);  // from interleaved pages
  EXPECT_EQ(uses_to_pay(1, 0.1, 0.1), kNever);
  EXPECT_EQ(uses_to_pay(1, 0.1, 0.2), kNever);
  EXPECT_EQ(uses_to_pay(0, 0.2, 0.1), 1);
}

TEST(BreakEven, ByPairs) {
  BreakEven b;
  std::string why;
  ASSERT_TRUE(
      break_even(model(R"({"einkorn_machine": 1, "pus": [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], "nodes": [{}, {}, {}],
      "distance": [[10, 20, 20], [20, 10, 20], [20, 20, 10]], "bandwidth": [[4e9, 2e9, 1e9], [2e9, 4e9, 1e9], [1e9, 1e9, 1e9]],
      "bandwidth_one": [[2e9, 1e9, 5e8], [1e9, 2e9, 5e8], [1e9, 1e9, 1e9]], "page_bytes": 8192,
      "measured": {"migrate_page_ns": 5000}})"),
                 &b, &why))
      << why;
  // A node without CPUs has pages, but nobody to use others'.
  ASSERT_EQ(b.pairs.size(), 4u);
  EXPECT_EQ(b.pairs[1].thread, 0);
  EXPECT_EQ(b.pairs[1].memory, 2);
  EXPECT_DOUBLE_EQ(b.pairs[0].one.before, 8192);
  EXPECT_DOUBLE_EQ(b.pairs[0].one.after, 4096);
  EXPECT_EQ(uses_to_pay(b.migrate_ns, b.pairs[0].one.before, b.pairs[0].one.after), 2);
  EXPECT_DOUBLE_EQ(b.pairs[0].all.before, 4096);
  EXPECT_DOUBLE_EQ(b.spread.before, 2048);
  EXPECT_DOUBLE_EQ(b.spread.after, 1024);
  EXPECT_TRUE(b.migrate_measured);
  EXPECT_FALSE(b.next_touch_measured);
  EXPECT_FALSE(b.pairs[0].load.known());
}

TEST(BreakEven, WhatIsLacking) {
  BreakEven b;
  std::string why;
  EXPECT_FALSE(break_even(model(R"({"einkorn_machine": 1, "tree": "numa:1 core:2", "bandwidth": [[1e9]]})"), &b, &why));
  EXPECT_NE(why.find("one memory node"), std::string::npos);
  EXPECT_FALSE(break_even(model(R"({"einkorn_machine": 1, "tree": "numa:2 core:2"})"), &b, &why));
  EXPECT_NE(why.find("neither bandwidths nor latencies"), std::string::npos);
}

}  // namespace
