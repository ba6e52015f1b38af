// What the simulator's tests share: one computer to replay on.
#pragma once
#include <gtest/gtest.h>
#include <string>

#include "schedule/text.h"
#include "simulate/engine.h"

namespace einkorn::test {

// On one computer whose cores are alike, under ws. The setup points into it: it stays where it is.
struct Replay {
  machine::Machine m;
  simulate::Setup setup;

  explicit Replay(uint32_t workers, const simulate::Costs& costs = {}) {
    m.nodes.push_back({0, 0, 0});
    for (int c = 0; c < int(workers); ++c) m.pus.push_back({c, c, 0, 0, 0});
    m.distance.push_back(10);
    m.cores = int(workers);
    m.llcs = m.sockets = 1;
    std::string why;
    EXPECT_TRUE(schedule::parse_schedule("ws", &setup.schedule, &why)) << why;
    for (int i = 0; i < int(workers); ++i) setup.pus.push_back(i);
    setup.machine = &m;
    setup.costs = costs;
  }
  Replay(const Replay&) = delete;

  simulate::Outcome run(const simulate::Program& p, bool trace = false) const {
    EXPECT_EQ(simulate::check(p), "");
    simulate::Outcome o = simulate::simulate(p, setup, trace);
    EXPECT_FALSE(o.stuck);
    return o;
  }
};

}  // namespace einkorn::test
