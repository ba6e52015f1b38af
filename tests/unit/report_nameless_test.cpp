// How much of the work has a name.
#include <gtest/gtest.h>
#include "report/nameless.h"

namespace einkorn::report {
namespace {

TEST(Nameless, WhatIsNotKnownHasNoName) {
  profile::Profile p;
  p.times_valid = true;
  p.sources.resize(4);
  p.sources[0].function = "f";
  p.sources[1].line = 7;
  p.sources[2].address = 0x1000;  // and the last: nothing at all
  std::vector<SourceCost> costs;
  for (const uint32_t source : {0u, 1u, 2u, 3u, profile::kNone}) {
    SourceCost c;
    c.source = source;
    c.exec = 100;
    costs.push_back(c);
  }
  EXPECT_DOUBLE_EQ(named_share(p, costs), 0.4);
  // What could be done is said of the one whose address is known.
  EXPECT_NE(about_nameless(p, costs).find("for 20.0 % of the work"), std::string::npos) << about_nameless(p, costs);
  costs.erase(costs.begin(), costs.begin() + 3);
  EXPECT_DOUBLE_EQ(named_share(p, costs), 0);
  EXPECT_DOUBLE_EQ(named_share(p, {}), 1);
}

}  // namespace
}  // namespace einkorn::report
