// Codelets on locales: who takes whose when its own locale has nothing.
#include "schedule/locales.h"

#include "schedule_team.h"

namespace {

using namespace schedule_team;

std::vector<int> up(const Layout& l, int worker) {
  std::vector<int> out(l.workers.size());
  out.resize(size_t(up_the_tree(l, worker, out.data())));
  return out;
}

}  // namespace

TEST(Locales, SiblingsFirstThenUpNearestFirst) {
  Team t("swarm", 4, 4);  // a ring of four nodes, a cluster each
  ASSERT_EQ(t.layout.clusters.size(), 4u);
  EXPECT_EQ(up(t.layout, 5), (std::vector<int>{6, 7, 4, 10, 11, 8, 9, 2, 3, 0, 1, 14, 15, 12, 13}));
  // The far node last.
  const std::vector<int> last = up(t.layout, 0);
  for (size_t i = 11; i < 15; ++i) EXPECT_EQ(last[i] / 4, 2);
}

TEST(Locales, EachOnceWhateverTheShape) {
  for (const char* text :
       {"swarm", "swarm,amm=8x2", "swarm,amm=1x16", "swarm,amm=16x1", "swarm,amm=5x3,spread", "mts", "ws"}) {
    Team t(text, 4, 4);
    for (int w = 0; w < 16; ++w) {
      std::vector<int> all = up(t.layout, w);
      ASSERT_EQ(all.size(), 15u) << text;
      // Those of its own cluster are the first.
      size_t siblings = 0;
      if (!t.layout.clusters.empty()) {
        siblings = size_t(t.layout.clusters[size_t(t.layout.workers[size_t(w)].cluster)].units) - 1;
        for (size_t i = 0; i < all.size(); ++i)
          EXPECT_EQ(i < siblings, t.layout.workers[size_t(all[i])].cluster == t.layout.workers[size_t(w)].cluster)
              << text;
      }
      std::sort(all.begin(), all.end());
      EXPECT_TRUE(std::adjacent_find(all.begin(), all.end()) == all.end()) << text;
      EXPECT_TRUE(std::find(all.begin(), all.end(), w) == all.end()) << text;
    }
  }
}
