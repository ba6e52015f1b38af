// Tours over the published distances: Schmidl 2016, table 3.1.
#include <gtest/gtest.h>
#include <algorithm>
#include <numeric>

#include "machine/load.h"
#include "machine/tour.h"

namespace {

using namespace einkorn::base;
using namespace einkorn::machine;
using Order = std::vector<int>;

Machine model(const char* name) {
  Machine m;
  std::string why;
  EXPECT_TRUE(load(name, &m, &why)) << why;
  return m;
}

void expect_a_tour(const Order& order, int n) {
  Order sorted = order, all(static_cast<size_t>(n));
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
}

TEST(Tour, Hp) {
  Machine m = model("hp-dl980");
  EXPECT_EQ(greedy_tour(m.distance, 8), (Order{0, 1, 3, 2, 4, 5, 6, 7}));
  EXPECT_EQ(tour_length(m.distance, greedy_tour(m.distance, 8)), 106);
  Order c = christofides_tour(m.distance, 8);
  expect_a_tour(c, 8);
  EXPECT_EQ(tour_length(m.distance, c), 106);
  EXPECT_EQ(tour_length(m.distance, shortest_tour(m.distance, 8)), 106);
  EXPECT_EQ(tour_length(m.distance, {7, 6, 5, 4, 1, 0, 3, 2}), 106);
}

TEST(Tour, Bcs) {
  Machine m = model("bcs-16x8");
  EXPECT_EQ(greedy_tour(m.distance, 16), (Order{0, 1, 2, 3, 5, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(tour_length(m.distance, greedy_tour(m.distance, 16)), 379);
  bool matched = false;
  Order c = christofides_tour(m.distance, 16, &matched);
  expect_a_tour(c, 16);
  EXPECT_TRUE(matched);
  EXPECT_LE(tour_length(m.distance, c), 512);
  Order shortest = shortest_tour(m.distance, 16);
  expect_a_tour(shortest, 16);
  EXPECT_EQ(tour_length(m.distance, shortest), 376);
  EXPECT_EQ(tour_length(m.distance, {15, 14, 13, 11, 10, 8, 9, 7, 6, 4, 5, 3, 0, 2, 1, 12}), 376);
  // Shorter than greedy's, Christofides' and the machine's own: places go round like this.
  EXPECT_EQ(place_tour(m).length, 376);
  EXPECT_STREQ(place_tour(m).how, "exact");
}

TEST(Tour, Altix) {
  Machine m = model("altix-uv-32");
  // The table is made of two rows; some of what is printed.
  EXPECT_EQ(m.distance_between(0, 1), 13);
  EXPECT_EQ(m.distance_between(0, 2), 40);
  EXPECT_EQ(m.distance_between(0, 18), 69);
  EXPECT_EQ(m.distance_between(2, 18), 62);
  EXPECT_EQ(m.distance_between(4, 22), 69);
  EXPECT_EQ(m.distance_between(31, 0), 48);
  Order g = greedy_tour(m.distance, 32);
  EXPECT_EQ(g, (Order{0,  1,  2,  3,  6,  7,  4,  5,  8,  9,  10, 11, 14, 15, 12, 13,
                      16, 17, 18, 19, 22, 23, 20, 21, 24, 25, 26, 27, 30, 31, 28, 29}));
  EXPECT_EQ(tour_length(m.distance, g), 848);
  bool matched = true;
  Order c = christofides_tour(m.distance, 32, &matched);
  expect_a_tour(c, 32);
  EXPECT_FALSE(matched);                       // more than 16 odd nodes
  EXPECT_GE(tour_length(m.distance, c), 848);  // a lower bound: 16 pairs, each left by one step of 40
  EXPECT_LE(tour_length(m.distance, c), 848 * 1.5);
  EXPECT_EQ(place_tour(m).length, 848);
  EXPECT_FALSE(place_tour(m).shortest);  // not known: of 32 nodes
}

TEST(Tour, EveryModel) {
  for (const std::string& name : model_names()) {
    Machine m = model(name.c_str());
    const int n = m.node_count();
    Order own(static_cast<size_t>(n));
    std::iota(own.begin(), own.end(), 0);
    Tour t = place_tour(m);
    expect_a_tour(t.nodes, n);
    EXPECT_LE(t.length, tour_length(m.distance, own)) << name;
    EXPECT_TRUE(t.shortest || n > kMostExact) << name;
    if (n <= 12) {
      EXPECT_EQ(t.length, tour_length(m.distance, shortest_tour(m.distance, n))) << name;
    }
    EXPECT_LE(t.length, tour_length(m.distance, greedy_tour(m.distance, n))) << name;
    expect_a_tour(christofides_tour(m.distance, n), n);
  }
}

// On all permutations of small random machines, with distances that differ there and back.
TEST(Tour, ShortestIsShortest) {
  uint32_t seed = 1;
  for (int round = 0; round < 20; ++round) {
    const int n = 3 + round % 5;
    std::vector<float> d(size_t(n * n), 10);
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        if (a != b) d[size_t(a * n + b)] = float(11 + (seed = seed * 1664525 + 1013904223) % 1000 / 10);
    Order order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    double least = 1e9;
    do least = std::min(least, tour_length(d, order));
    while (std::next_permutation(order.begin() + 1, order.end()));
    EXPECT_EQ(tour_length(d, shortest_tour(d, n)), least);
    expect_a_tour(christofides_tour(d, n), n);
    expect_a_tour(christofides_tour(d, n, nullptr, 0), n);
  }
}

TEST(Tour, Small) {
  EXPECT_EQ(tour_length({10}, {0}), 0);
  EXPECT_EQ(greedy_tour({10}, 1), (Order{0}));
  EXPECT_EQ(christofides_tour({10, 20, 20, 10}, 2), (Order{0, 1}));
  EXPECT_EQ(shortest_tour({10, 20, 20, 10}, 2), (Order{0, 1}));
  // Memory without CPUs is on no place list.
  Machine m;
  std::string why;
  ASSERT_TRUE(load_model_text(
      R"({"einkorn_machine": 1, "pus": [[0, 0, 0, 0, 0], [1, 1, 1, 2, 0]], "nodes": [{}, {}, {}]})", "m", &m, &why))
      << why;
  EXPECT_EQ(place_tour(m).nodes, (Order{0, 2}));
}

}  // namespace
