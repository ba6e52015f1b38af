// The phases of teams, between their barriers, and which phase a share gets.
#include "profile/metrics.h"
#include "profile_support.h"

namespace einkorn {
namespace {

using namespace test;
using profile::kNone;
using profile::Metric;

// Two threads, a region from 100 to 740, a barrier in its middle. First thread 0 has 240 and thread 1 has 40, then the
// other way round: taken together both have 280. Thread 1 comes to the barrier at 160, thread 0 at 350; they leave it
// at 360 and 370.
GrainFile alternating() {
  GrainFile file;
  const uint32_t parallel = file.site(Construct::parallel, 0x1000),
                 end = file.site(Construct::barrier_parallel, 0x1000);
  const uint32_t barrier = file.site(Construct::barrier, 0, 0x1100);
  Script& a = file.thread(Script::kInitial);
  Script& b = file.thread(Script::kWorker, 50);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 2);
  a.at(110).implicit_begin(0, region);
  b.at(120).implicit_begin(1, region);
  b.at(160).wait_begin(barrier).at(170).idle_begin().at(355).idle_end().at(370).wait_end();
  a.at(350).wait_begin(barrier).at(360).wait_end();
  a.at(400).wait_begin(end).at(410).idle_begin().at(720).idle_end().at(730).wait_end().implicit_end();
  a.at(740).region_end().at(800).thread_end();
  b.at(710).wait_begin(end).at(720).wait_end().implicit_end();
  return file;
}

TEST(Phases, OfARegionWithABarrier) {
  const Loaded l = load_file(alternating());
  const profile::Profile& p = l.profile;
  ASSERT_EQ(p.phases.size(), 2u);
  const profile::Phase &first = p.phases[0], &second = p.phases[1];
  EXPECT_EQ(first.members, 2u);
  EXPECT_FALSE(first.last);
  EXPECT_EQ(p.sources[first.source].construct, "barrier");
  EXPECT_EQ(first.longest, 240);  // 110 to 350
  EXPECT_EQ(first.taken, 240 + 40);
  EXPECT_EQ(first.waited, 190);  // 160 to 350
  EXPECT_EQ(first.leaving, 10 + 20);
  EXPECT_TRUE(second.last);
  EXPECT_EQ(second.longest, 340);  // 370 to 710
  EXPECT_EQ(second.taken, 40 + 340);
  EXPECT_EQ(second.waited, 310);
  EXPECT_EQ(second.leaving, 2 * 30);     // until 740
  EXPECT_EQ(p.regions[0].busiest, 380);  // thread 1
  for (const profile::Grain& g : p.grains)
    if (g.kind == profile::GrainKind::share) {
      EXPECT_EQ(g.phase, g.begin < 360 ? 0u : 1u);
    }
}

// By region both have about as much. Between the barriers one has 240 of 280, then 340 of 380: (240 + 340) / (140 +
// 190).
TEST(Phases, ImbalanceThatAlternates) {
  const Loaded l = load_file(alternating());
  const profile::Metrics m = compute_metrics(l.profile);
  for (uint32_t s = 0; s < l.profile.sources.size(); ++s)
    if (l.profile.sources[s].construct == "parallel") {
      EXPECT_NEAR(double(m.of_source(Metric::load_balance, s)), 580.0 / 330, 1e-6);
    }
}

// A stretch that was lost may have held barriers: nothing is said of that region's.
TEST(Phases, NoneWhereAStretchWasLost) {
  GrainFile lossy;
  const uint32_t parallel = lossy.site(Construct::parallel, 0x1000),
                 end = lossy.site(Construct::barrier_parallel, 0x1000);
  Script& a = lossy.thread(Script::kInitial);
  const uint64_t region = a.new_region();
  a.at(100).region_begin(parallel, region, 1).at(110).implicit_begin(0, region);
  a.at(300)
      .loss(100, 0, 0, 0, 0)
      .at(400)
      .wait_begin(end)
      .at(410)
      .wait_end()
      .implicit_end()
      .at(420)
      .region_end()
      .at(500)
      .thread_end();
  const Loaded l = load_file(lossy);
  EXPECT_TRUE(l.profile.phases.empty());
  for (const profile::Grain& g : l.profile.grains) EXPECT_EQ(g.phase, kNone);
}

}  // namespace
}  // namespace einkorn
